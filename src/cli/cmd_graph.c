/* cmd_graph.c - init, status, snapshot, schema show, verify, export, version. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

int cmd_version(cli *c)
{
    if (c->json) {
        json_out j;
        json_begin(&j);
        json_text(&j, "version", inarch_version());
        json_end(&j);
        return EXIT_OK;
    }
    printf("inarch %s\n", inarch_version());
    return EXIT_OK;
}

int cmd_init(cli *c)
{
    const char *schema = cli_get(c, "schema");
    size_t len = 0;

    if (!schema)
        return cli_usage_error(c, "--schema FILE is required");
    const char *store = cli_store(c, 0);
    if (!store)
        return EXIT_USAGE;
    if (c->n_args)
        return cli_usage_error(c, "unexpected argument '%s'", c->args[0]);
    char *text = cli_read_file(c, schema, &len);
    if (!text)
        return EXIT_FAILED;
    const inarch_status st =
        inarch_graph_create(store, text, schema, cli_get(c, "as"), &c->options);
    free(text);
    if (st != INARCH_OK)
        return cli_failed(c, st);
    if (c->json) {
        json_out j;
        json_begin(&j);
        json_text(&j, "uri", store);
        json_end(&j);
    } else {
        printf("initialized %s\n", store);
    }
    return EXIT_OK;
}

static void json_table(json_out *j, const inarch_table_info *t, bool with_status)
{
    json_open_object(j, NULL);
    json_text(j, "entity_kind", t->kind);
    json_text(j, "type_name", t->type);
    json_text(j, "dataset_dir", t->dir);
    json_text(j, "dataset_path", t->path);
    json_text(j, "native_dataset_branch", *t->lance_branch ? t->lance_branch : "main");
    json_u64(j, "published_dataset_version", t->lance_version);
    json_u64(j, "entity_count", t->rows);
    if (with_status) {
        json_bool(j, "drifted", t->drifted);
        json_bool(j, "unrevealed", t->unrevealed);
        if (t->drifted) {
            json_u64(j, "foreign_version", t->foreign_version);
            json_text(j, "foreign_operation", t->foreign_operation);
        }
    }
    json_close_object(j);
}

static void print_snapshot(const cli *c, const inarch_snapshot_info *s, bool with_status)
{
    if (c->json) {
        json_out j;
        json_begin(&j);
        json_text_or_null(&j, "graph_branch", s->branch);
        json_text(&j, "graph_commit_id", s->commit);
        json_text(&j, "schema_hash", s->schema_hash);
        json_open_array(&j, "datasets");
        for (size_t i = 0; i < s->n_tables; i++)
            json_table(&j, &s->tables[i], with_status);
        json_close_array(&j);
        json_end(&j);
        return;
    }
    if (*s->branch)
        printf("graph_branch: %s\n", s->branch);
    printf("graph_commit_id: %s\nschema_hash: %s\n", s->commit, s->schema_hash);
    for (size_t i = 0; i < s->n_tables; i++) {
        const inarch_table_info *t = &s->tables[i];
        printf("%s type '%s' published_dataset_version=%llu native_dataset_branch=%s "
               "entities=%llu%s\n",
               t->kind, t->type, (unsigned long long)t->lance_version,
               *t->lance_branch ? t->lance_branch : "main", (unsigned long long)t->rows,
               with_status && t->unrevealed ? " unrevealed" : "");
    }
}

int cmd_snapshot(cli *c)
{
    inarch_graph *g = NULL;
    inarch_snapshot_info s = {0};
    const char *at = cli_get(c, "branch") ? cli_get(c, "branch") : cli_get(c, "snapshot");
    int rc = cli_open(c, 0, &g);

    if (rc == EXIT_OK) {
        const inarch_status st = inarch_snapshot_read(g, at, &s);
        if (st != INARCH_OK)
            rc = cli_failed(c, st);
        else
            print_snapshot(c, &s, false);
    }
    inarch_snapshot_info_dispose(&s);
    inarch_graph_close(g);
    return rc;
}

int cmd_status(cli *c)
{
    inarch_graph *g = NULL;
    inarch_snapshot_info s = {0};
    int rc = cli_open(c, 0, &g);

    if (rc == EXIT_OK) {
        const inarch_status st = inarch_graph_status(g, cli_get(c, "branch"), &s);
        if (st != INARCH_OK)
            rc = cli_failed(c, st);
        else
            print_snapshot(c, &s, true);
    }
    size_t drifted = 0;
    for (size_t i = 0; rc == EXIT_OK && i < s.n_tables; i++) {
        const inarch_table_info *t = &s.tables[i];
        if (!t->drifted)
            continue;
        drifted++;
        if (!c->json)
            printf("drift: %s version %llu (%s) was written by another program; graph writes to "
                   "'%s' are refused "
                   "until it is repaired\n",
                   t->dir, (unsigned long long)t->foreign_version, t->foreign_operation, t->type);
    }
    if (rc == EXIT_OK && !c->json && !drifted)
        puts("clean: no foreign versions");
    inarch_snapshot_info_dispose(&s);
    inarch_graph_close(g);
    return rc;
}

int cmd_schema_show(cli *c)
{
    inarch_graph *g = NULL;
    char *text = NULL;
    const char *at = cli_get(c, "branch") ? cli_get(c, "branch") : cli_get(c, "snapshot");
    int rc = cli_open(c, 0, &g);

    if (rc == EXIT_OK) {
        const inarch_status st = inarch_graph_schema(g, at, &text);
        if (st != INARCH_OK) {
            rc = cli_failed(c, st);
        } else if (c->json) {
            json_out j;
            json_begin(&j);
            json_text(&j, "schema_source", text);
            json_end(&j);
        } else {
            fputs(text, stdout);
        }
    }
    inarch_free(text);
    inarch_graph_close(g);
    return rc;
}

static void print_verify(const cli *c, const inarch_verify_report *r)
{
    if (c->json) {
        json_out j;
        json_begin(&j);
        json_bool(&j, "ok", r->n_problems == 0);
        json_u64(&j, "commits", r->commits);
        json_u64(&j, "tables", r->tables);
        json_u64(&j, "fragments", r->fragments);
        json_u64(&j, "rows", r->rows);
        json_u64(&j, "edges", r->edges);
        json_open_array(&j, "problems");
        for (size_t i = 0; i < r->n_problems; i++)
            json_text(&j, NULL, r->problems[i]);
        json_close_array(&j);
        json_end(&j);
        return;
    }
    for (size_t i = 0; i < r->n_problems; i++)
        printf("problem: %s\n", r->problems[i]);
    printf("%s: %llu commits, %llu tables, %llu fragments, %llu rows (%llu edges)\n",
           r->n_problems ? "damaged" : "verified", (unsigned long long)r->commits,
           (unsigned long long)r->tables, (unsigned long long)r->fragments,
           (unsigned long long)r->rows, (unsigned long long)r->edges);
}

int cmd_verify(cli *c)
{
    inarch_graph *g = NULL;
    inarch_verify_report r = {0};
    int rc = cli_open(c, 0, &g);

    if (rc == EXIT_OK) {
        const inarch_status st =
            inarch_verify(g, cli_get(c, "branch"), cli_has(c, "all"), cli_has(c, "strict"), &r);
        cli_bar_end(c);
        if (st != INARCH_OK)
            rc = cli_failed(c, st);
        else
            print_verify(c, &r);
    }
    if (rc == EXIT_OK && r.n_problems)
        rc = EXIT_FAILED;
    inarch_verify_report_dispose(&r);
    inarch_graph_close(g);
    return rc;
}

int cmd_export(cli *c)
{
    const char *types[CLI_MAX_REPEAT];
    size_t n = 0;
    inarch_graph *g = NULL;
    const char *at = cli_get(c, "branch") ? cli_get(c, "branch") : cli_get(c, "snapshot");

    if (cli_has(c, "branch") && cli_has(c, "snapshot"))
        return cli_usage_error(c, "--branch and --snapshot exclude each other");
    for (const char *t; (t = cli_nth(c, "type", n)) != NULL; n++)
        types[n] = t;
    int rc = cli_open(c, 0, &g);
    if (rc == EXIT_OK) {
        const inarch_status st = inarch_export(g, at, n ? types : NULL, n, cli_stdout, NULL);
        if (st != INARCH_OK)
            rc = cli_failed(c, st);
    }
    inarch_graph_close(g);
    return rc;
}
