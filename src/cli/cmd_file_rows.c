/* cmd_file_rows.c - file cat, write: rows of single Lance data files. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* Options as numbers; a message is printed unless EXIT_OK. */
static int number(const cli *c, const char *option, uint64_t max, uint64_t *out)
{
    const char *text = cli_get(c, option);
    char *end = NULL;

    if (!text)
        return EXIT_OK;
    *out = strtoull(text, &end, 10);
    if (!*text || *end || *text == '-' || *out > max)
        return cli_usage_error(c, "--%s %s: a number up to %llu", option, text,
                               (unsigned long long)max);
    return EXIT_OK;
}

/* ---- cat ------------------------------------------------------------------------------------ */

/* "BEGIN:END", either part may be missing. */
static int parse_range(const cli *c, inarch_file_scan_options *o)
{
    const char *text = cli_get(c, "rows"), *colon = text ? strchr(text, ':') : NULL;
    char *end = NULL;

    if (!text)
        return EXIT_OK;
    if (!colon || strchr(text, '-'))
        return cli_usage_error(c, "--rows %s: write BEGIN:END", text);
    o->begin = strtoull(text, &end, 10);
    if (end != colon)
        return cli_usage_error(c, "--rows %s: write BEGIN:END", text);
    o->end = strtoull(colon + 1, &end, 10);
    if (*end || (colon[1] && o->end <= o->begin))
        return cli_usage_error(c, "--rows %s: END is a number above BEGIN", text);
    return EXIT_OK;
}

/* Row positions "1,5,7"; malloc'd. */
static int parse_take(const cli *c, uint64_t **rows, size_t *n)
{
    const char *p = cli_get(c, "take");
    char *end;

    *n = 0;
    *rows = malloc((strlen(p) / 2 + 1) * sizeof **rows);
    if (!*rows)
        return cli_complain(c, "--take: out of memory");
    for (;; p = end + 1) {
        (*rows)[(*n)++] = strtoull(p, &end, 10);
        if (end == p || *p == '-' || (*end && *end != ','))
            return cli_usage_error(c, "--take %s: positions with commas", cli_get(c, "take"));
        if (!*end)
            return EXIT_OK;
    }
}

/* Splits "a,b.c" in place; malloc'd. */
static const char **split_list(char *text, size_t *n)
{
    const char **out = malloc((strlen(text) / 2 + 1) * sizeof *out);

    *n = 0;
    for (char *p = out ? strtok(text, ",") : NULL; p; p = strtok(NULL, ","))
        out[(*n)++] = p;
    return out;
}

static int read_options(cli *c, inarch_file_scan_options *o, char **list)
{
    uint64_t batch = 0, threads = 0;
    int rc = parse_range(c, o);

    if (rc == EXIT_OK)
        rc = number(c, "batch", UINT32_MAX, &batch);
    if (rc == EXIT_OK)
        rc = number(c, "threads", 1024, &threads);
    if (rc != EXIT_OK)
        return rc;
    if (cli_has(c, "take") && cli_has(c, "rows"))
        return cli_usage_error(c, "--take and --rows exclude each other");
    o->batch_rows = (uint32_t)batch;
    o->threads = (uint32_t)threads;
    if (!cli_has(c, "columns"))
        return EXIT_OK;
    *list = strdup(cli_get(c, "columns"));
    o->columns = *list ? split_list(*list, &o->n_columns) : NULL;
    return o->columns ? EXIT_OK : cli_complain(c, "--columns: out of memory");
}

static int read_rows(cli *c, inarch_file *f, const inarch_file_scan_options *o,
                     struct ArrowArrayStream *rows)
{
    uint64_t *take = NULL;
    size_t n = 0;
    inarch_status st = INARCH_OK;
    int rc = cli_has(c, "take") ? parse_take(c, &take, &n) : EXIT_OK;

    if (rc == EXIT_OK) {
        st = cli_has(c, "take") ? inarch_file_take(f, take, n, o, rows)
                                : inarch_file_scan(f, o, rows);
        cli_bar_end(c);
        rc = st == INARCH_OK ? EXIT_OK : cli_failed(c, st);
    }
    free(take);
    return rc;
}

int cmd_file_cat(cli *c)
{
    const char *format = cli_get(c, "format") ? cli_get(c, "format") : "jsonl";
    inarch_file_scan_options o = INARCH_FILE_SCAN_OPTIONS_INIT;
    inarch_options quiet = c->options; /* rows go to the terminal: no bar among them */
    struct ArrowArrayStream rows = {0};
    inarch_file *f = NULL;
    char *list = NULL;
    int rc = cli_one_argument(c);

    if (rc == EXIT_OK)
        rc = read_options(c, &o, &list);
    if (rc == EXIT_OK)
        rc = cli_open_file(c, 0, &f);
    if (rc == EXIT_OK)
        rc = read_rows(c, f, &o, &rows);
    if (rc == EXIT_OK) {
        quiet.progress = NULL;
        const inarch_status st = inarch_data_write(&rows, format, &quiet, cli_stdout, NULL);
        rc = st == INARCH_OK ? EXIT_OK : cli_failed(c, st);
    }
    inarch_file_close(f);
    free((void *)o.columns);
    free(list);
    return rc;
}

/* ---- write ---------------------------------------------------------------------------------- */

static int64_t read_more(void *dst, size_t cap, void *payload)
{
    FILE *f = payload;
    const size_t n = fread(dst, 1, cap, f);

    return n == 0 && ferror(f) ? -1 : (int64_t)n;
}

static int write_options(cli *c, inarch_file_write_options *o)
{
    const char *version = cli_get(c, "version");
    uint64_t page = 0, chunk = 0, threads = 0, level = 0;
    int rc = number(c, "page-bytes", UINT64_MAX, &page);

    if (rc == EXIT_OK)
        rc = number(c, "chunk-bytes", UINT32_MAX, &chunk);
    if (rc == EXIT_OK)
        rc = number(c, "threads", 1024, &threads);
    if (rc == EXIT_OK)
        rc = number(c, "compression-level", 22, &level);
    if (rc != EXIT_OK)
        return rc;
    if (version && strcmp(version, "2.1") != 0 && strcmp(version, "2.2") != 0)
        return cli_usage_error(c, "--version %s: 2.1 and 2.2 are written", version);
    o->minor = version && version[2] == '2' ? 2 : 1;
    o->encoding = cli_get(c, "encoding");
    o->compression = cli_get(c, "compression");
    o->compression_level = (int32_t)level;
    o->page_bytes = page;
    o->chunk_bytes = (uint32_t)chunk;
    o->threads = (uint32_t)threads;
    return EXIT_OK;
}

/* The schema of an Arrow stream or file. */
static int read_schema(cli *c, const char *path, struct ArrowSchema *out)
{
    inarch_data_options o = INARCH_DATA_OPTIONS_INIT;
    struct ArrowArrayStream s = {0};
    FILE *f = fopen(path, "rb");
    int rc = EXIT_OK;

    if (!f)
        return cli_complain(c, "cannot open %s", path);
    o.format = "arrow";
    o.name = path;
    const inarch_status st = inarch_data_open(read_more, f, &o, &c->options, &s);
    if (st != INARCH_OK)
        rc = cli_failed(c, st);
    else if (s.get_schema(&s, out) != 0)
        rc = cli_complain(c, "%s: %s", path, s.get_last_error(&s));
    if (s.release)
        s.release(&s);
    fclose(f);
    return rc;
}

static int open_data(cli *c, FILE *f, const char *name, struct ArrowArrayStream *out)
{
    inarch_data_options o = INARCH_DATA_OPTIONS_INIT;
    struct ArrowSchema schema = {0};
    int rc = EXIT_OK;

    o.format = cli_get(c, "from");
    o.name = name;
    if (cli_has(c, "schema")) {
        rc = read_schema(c, cli_get(c, "schema"), &schema);
        o.schema = &schema;
    }
    if (rc == EXIT_OK) {
        const inarch_status st = inarch_data_open(read_more, f, &o, &c->options, out);
        rc = st == INARCH_OK ? EXIT_OK : cli_failed(c, st);
    }
    if (schema.release)
        schema.release(&schema);
    return rc;
}

static void print_written(const cli *c, const inarch_file_written *w)
{
    json_out j;

    if (!c->json) {
        printf("wrote %s: %llu rows, %u columns, %llu bytes\n", c->args[0],
               (unsigned long long)w->rows, (unsigned)w->columns, (unsigned long long)w->bytes);
        return;
    }
    json_begin(&j);
    json_text(&j, "path", c->args[0]);
    json_u64(&j, "rows", w->rows);
    json_u64(&j, "columns", w->columns);
    json_u64(&j, "bytes", w->bytes);
    json_end(&j);
}

int cmd_file_write(cli *c)
{
    const char *data = cli_get(c, "data");
    inarch_file_write_options o = INARCH_FILE_WRITE_OPTIONS_INIT;
    struct ArrowArrayStream rows = {0};
    inarch_file_written w;
    int rc = cli_one_argument(c);

    if (rc == EXIT_OK && c->n_args == 0)
        rc = cli_usage_error(c, "OUT (the file to write) is required");
    if (rc == EXIT_OK && !data)
        rc = cli_usage_error(c, "--data FILE is required (\"-\" = stdin)");
    if (rc == EXIT_OK)
        rc = write_options(c, &o);
    if (rc != EXIT_OK)
        return rc;
    FILE *f = strcmp(data, "-") == 0 ? stdin : fopen(data, "rb");
    if (!f)
        return cli_complain(c, "cannot open %s", data);
    rc = open_data(c, f, strcmp(data, "-") == 0 ? "stdin" : data, &rows);
    if (rc == EXIT_OK) {
        const inarch_status st = inarch_file_write(c->args[0], &rows, &o, &c->options, &w);
        cli_bar_end(c);
        if (st != INARCH_OK)
            rc = cli_failed(c, st);
        else
            print_written(c, &w);
    }
    if (f != stdin)
        fclose(f);
    return rc;
}
