/* cmd_table.c - table info, versions, scan, count, take, append: any Lance dataset directory. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static int open_table(cli *c, inarch_table **out)
{
    inarch_table_at at = INARCH_TABLE_AT_INIT;
    const char *version = cli_get(c, "version");
    char *end = NULL;

    *out = NULL;
    if (c->n_args == 0)
        return cli_usage_error(c, "DATASET (a directory) is required");
    at.branch = cli_get(c, "branch");
    if (version) {
        at.version = strtoull(version, &end, 10);
        if (!*version || *end || at.version == 0)
            return cli_usage_error(c, "--version %s: a number from 1", version);
    }
    const inarch_status st = inarch_table_open(c->args[0], &at, &c->options, out);
    return st == INARCH_OK ? EXIT_OK : cli_failed(c, st);
}

/* Splits "a,b,c" in place. */
static size_t split_columns(char *text, const char **out, size_t cap)
{
    size_t n = 0;

    for (char *p = strtok(text, ","); p && n < cap; p = strtok(NULL, ","))
        out[n++] = p;
    return n;
}

static int render(cli *c, struct ArrowArrayStream *rows)
{
    const char *format = c->json ? "json" : cli_get(c, "format") ? cli_get(c, "format") : "table";
    const inarch_status st = inarch_stream_render(rows, format, cli_stdout, NULL);

    return st == INARCH_OK ? EXIT_OK : cli_failed(c, st);
}

static void json_details(const inarch_table_details *d)
{
    json_out j;

    json_begin(&j);
    json_text(&j, "path", d->path);
    json_text_or_null(&j, "branch", d->branch);
    json_u64(&j, "version", d->version);
    json_u64(&j, "rows", d->rows);
    json_text(&j, "data_version", d->data_version);
    json_text(&j, "writer", d->writer);
    json_i64(&j, "timestamp_us", d->timestamp_us);
    json_bool(&j, "stable_row_ids", d->stable_row_ids);
    json_u64(&j, "next_row_id", d->next_row_id);
    json_open_array(&j, "fields");
    for (size_t i = 0; i < d->n_fields; i++) {
        json_open_object(&j, NULL);
        json_text(&j, "name", d->field_names[i]);
        json_text(&j, "type", d->field_types[i]);
        json_bool(&j, "nullable", d->field_nullable[i]);
        json_close_object(&j);
    }
    json_close_array(&j);
    json_open_array(&j, "fragments");
    for (size_t i = 0; i < d->n_fragments; i++) {
        json_open_object(&j, NULL);
        json_u64(&j, "id", d->fragments[i].id);
        json_u64(&j, "physical_rows", d->fragments[i].physical_rows);
        json_u64(&j, "deleted_rows", d->fragments[i].deleted_rows);
        json_u64(&j, "files", d->fragments[i].files);
        json_close_object(&j);
    }
    json_close_array(&j);
    json_end(&j);
}

static void print_details(const inarch_table_details *d)
{
    char when[32];

    printf("path: %s\nbranch: %s\nversion: %llu\nrows: %llu\ndata_version: %s\nwriter: "
           "%s\ntimestamp: %s\n"
           "stable_row_ids: %s\n",
           d->path, *d->branch ? d->branch : "main", (unsigned long long)d->version,
           (unsigned long long)d->rows, d->data_version, d->writer, cli_time(d->timestamp_us, when),
           d->stable_row_ids ? "yes" : "no");
    for (size_t i = 0; i < d->n_fields; i++)
        printf("field: %s: %s%s\n", d->field_names[i], d->field_types[i],
               d->field_nullable[i] ? "?" : "");
    for (size_t i = 0; i < d->n_fragments; i++)
        printf("fragment %llu: %llu rows, %llu deleted, %zu file%s\n",
               (unsigned long long)d->fragments[i].id,
               (unsigned long long)d->fragments[i].physical_rows,
               (unsigned long long)d->fragments[i].deleted_rows, d->fragments[i].files,
               d->fragments[i].files == 1 ? "" : "s");
}

static int with_details(cli *c, void (*print)(const cli *, const inarch_table_details *))
{
    inarch_table *t = NULL;
    inarch_table_details d = {0};
    int rc = open_table(c, &t);

    if (rc == EXIT_OK) {
        const inarch_status st = inarch_table_info_read(t, &d);
        if (st != INARCH_OK)
            rc = cli_failed(c, st);
        else
            print(c, &d);
    }
    inarch_table_details_dispose(&d);
    inarch_table_close(t);
    return rc;
}

static void show_info(const cli *c, const inarch_table_details *d)
{
    if (c->json)
        json_details(d);
    else
        print_details(d);
}

int cmd_table_info(cli *c)
{
    return with_details(c, show_info);
}

static void show_versions(const cli *c, const inarch_table_details *d)
{
    char when[32];
    json_out j;

    if (c->json) {
        json_begin(&j);
        json_open_array(&j, "versions");
    }
    for (size_t i = 0; i < d->n_versions; i++) {
        if (!c->json) {
            printf("%llu  %s\n", (unsigned long long)d->versions[i],
                   cli_time(d->version_times_us[i], when));
            continue;
        }
        json_open_object(&j, NULL);
        json_u64(&j, "version", d->versions[i]);
        json_i64(&j, "timestamp_us", d->version_times_us[i]);
        json_close_object(&j);
    }
    if (c->json) {
        json_close_array(&j);
        json_end(&j);
    }
}

int cmd_table_versions(cli *c)
{
    return with_details(c, show_versions);
}

int cmd_table_scan(cli *c)
{
    const char *columns[256], *limit = cli_get(c, "limit");
    inarch_scan_options o = INARCH_SCAN_OPTIONS_INIT;
    struct ArrowArrayStream rows = {0};
    inarch_table *t = NULL;
    char *list = cli_get(c, "columns") ? strdup(cli_get(c, "columns")) : NULL;
    int rc = open_table(c, &t);

    if (rc == EXIT_OK) {
        o.n_columns = list ? split_columns(list, columns, 256) : 0;
        o.columns = list ? columns : NULL;
        o.filter = cli_get(c, "filter");
        o.limit = limit ? strtoull(limit, NULL, 10) : 0;
        const inarch_status st = inarch_table_scan(t, &o, &rows);
        rc = st == INARCH_OK ? render(c, &rows) : cli_failed(c, st);
    }
    inarch_table_close(t);
    free(list);
    return rc;
}

int cmd_table_count(cli *c)
{
    inarch_table *t = NULL;
    uint64_t n = 0;
    int rc = open_table(c, &t);

    if (rc == EXIT_OK) {
        const inarch_status st = inarch_table_count(t, cli_get(c, "filter"), &n);
        if (st != INARCH_OK) {
            rc = cli_failed(c, st);
        } else if (c->json) {
            json_out j;
            json_begin(&j);
            json_u64(&j, "count", n);
            json_end(&j);
        } else {
            printf("%llu\n", (unsigned long long)n);
        }
    }
    inarch_table_close(t);
    return rc;
}

int cmd_table_take(cli *c)
{
    const char *columns[256];
    uint64_t ids[CLI_MAX_ARGS];
    struct ArrowArrayStream rows = {0};
    inarch_table *t = NULL;
    char *list, *end;

    if (c->n_args < 2)
        return cli_usage_error(c, "DATASET and at least one row id are required");
    for (size_t i = 1; i < c->n_args; i++) {
        ids[i - 1] = strtoull(c->args[i], &end, 10);
        if (!*c->args[i] || *end)
            return cli_usage_error(c, "'%s' is not a row id", c->args[i]);
    }
    list = cli_get(c, "columns") ? strdup(cli_get(c, "columns")) : NULL;
    int rc = open_table(c, &t);
    if (rc == EXIT_OK) {
        const size_t n = list ? split_columns(list, columns, 256) : 0;
        const inarch_status st =
            inarch_table_take(t, ids, c->n_args - 1, list ? columns : NULL, n, &rows);
        rc = st == INARCH_OK ? render(c, &rows) : cli_failed(c, st);
    }
    inarch_table_close(t);
    free(list);
    return rc;
}

int cmd_table_append(cli *c)
{
    const char *data = cli_get(c, "data");
    struct ArrowArrayStream rows = {0};
    inarch_table *t = NULL;
    size_t len = 0;

    if (!data)
        return cli_usage_error(c, "--data FILE is required (\"-\" = stdin)");
    char *text = cli_read_file(c, data, &len);
    if (!text)
        return EXIT_FAILED;
    int rc = open_table(c, &t);
    if (rc == EXIT_OK) {
        inarch_status st = inarch_table_jsonl(t, text, len, data, &rows);
        if (st == INARCH_OK)
            st = inarch_table_append(t, &rows);
        if (st != INARCH_OK) {
            rc = cli_failed(c, st);
        } else if (c->json) {
            json_out j;
            json_begin(&j);
            json_u64(&j, "version", inarch_table_version(t));
            json_end(&j);
        } else {
            printf("appended to %s: version %llu\n", c->args[0],
                   (unsigned long long)inarch_table_version(t));
        }
    }
    inarch_table_close(t);
    free(text);
    return rc;
}
