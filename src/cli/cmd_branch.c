/* cmd_branch.c - branch create, list, delete, merge. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define SHOWN_CONFLICTS 20u

static int one_name(const cli *c, const char *what)
{
    if (c->n_args == 0)
        return cli_usage_error(c, "%s is required", what);
    return c->n_args > 1 ? cli_usage_error(c, "unexpected argument '%s'", c->args[1]) : EXIT_OK;
}

static void json_branch_op(const cli *c, const char *name, const char *from)
{
    json_out j;

    json_begin(&j);
    json_text(&j, "name", name);
    if (from)
        json_text(&j, "from", from);
    json_text(&j, "actor_id", cli_get(c, "as"));
    json_end(&j);
}

int cmd_branch_create(cli *c)
{
    const char *from = cli_get(c, "from") ? cli_get(c, "from") : "main";
    inarch_graph *g = NULL;
    int rc = one_name(c, "NAME");

    if (rc == EXIT_OK)
        rc = cli_open(c, SIZE_MAX, &g);
    if (rc == EXIT_OK) {
        const inarch_status st = inarch_branch_create(g, c->args[0], from, NULL);
        if (st != INARCH_OK)
            rc = cli_failed(c, st);
        else if (c->json)
            json_branch_op(c, c->args[0], from);
        else
            printf("created branch %s from %s\n", c->args[0], from);
    }
    inarch_graph_close(g);
    return rc;
}

int cmd_branch_delete(cli *c)
{
    inarch_graph *g = NULL;
    int rc = one_name(c, "NAME");

    if (rc == EXIT_OK)
        rc = cli_open(c, SIZE_MAX, &g);
    if (rc == EXIT_OK) {
        const inarch_status st = inarch_branch_delete(g, c->args[0], cli_get(c, "as"));
        if (st != INARCH_OK)
            rc = cli_failed(c, st);
        else if (c->json)
            json_branch_op(c, c->args[0], NULL);
        else
            printf("deleted branch %s\n", c->args[0]);
    }
    inarch_graph_close(g);
    return rc;
}

/* ---- list ---------------------------------------------------------------------------------- */

/* The Python line that opens a table's published version in the real engine. */
static void python_line(const inarch_table_info *t, char *out, size_t n)
{
    if (*t->lance_branch)
        snprintf(out, n, "lance.dataset('%s').checkout_version(('%s', %llu))", t->path,
                 t->lance_branch, (unsigned long long)t->lance_version);
    else
        snprintf(out, n, "lance.dataset('%s', version=%llu)", t->path,
                 (unsigned long long)t->lance_version);
}

static void print_tables(const cli *c, json_out *j, const inarch_snapshot_info *s)
{
    char line[1024];

    for (size_t i = 0; i < s->n_tables; i++) {
        const inarch_table_info *t = &s->tables[i];
        python_line(t, line, sizeof line);
        if (!c->json) {
            printf("  %-5s %-20s %s @ %llu  %llu rows\n        %s\n", t->kind, t->type,
                   *t->lance_branch ? t->lance_branch : "main",
                   (unsigned long long)t->lance_version, (unsigned long long)t->rows, line);
            continue;
        }
        json_open_object(j, NULL);
        json_text(j, "entity_kind", t->kind);
        json_text(j, "type_name", t->type);
        json_text(j, "dataset_path", t->path);
        json_text_or_null(j, "lance_branch", t->lance_branch);
        json_u64(j, "lance_version", t->lance_version);
        json_u64(j, "rows", t->rows);
        json_text(j, "python", line);
        json_close_object(j);
    }
}

static int print_branch(cli *c, inarch_graph *g, json_out *j, const inarch_branch_info *b)
{
    inarch_snapshot_info s = {0};
    int rc = EXIT_OK;

    if (cli_has(c, "tables")) {
        const inarch_status st = inarch_snapshot_read(g, b->head, &s);
        if (st != INARCH_OK)
            return cli_failed(c, st);
    }
    if (c->json && cli_has(c, "tables")) {
        json_open_object(j, NULL);
        json_text(j, "name", b->name);
        json_text(j, "head", b->head);
        json_text_or_null(j, "fork", b->fork);
        json_open_array(j, "tables");
        print_tables(c, j, &s);
        json_close_array(j);
        json_close_object(j);
    } else if (c->json) {
        json_text(j, NULL, b->name);
    } else {
        puts(b->name);
        print_tables(c, j, &s);
    }
    inarch_snapshot_info_dispose(&s);
    return rc;
}

int cmd_branch_list(cli *c)
{
    inarch_graph *g = NULL;
    inarch_branch_list l = {0};
    json_out j;
    int rc = cli_open(c, 0, &g);

    if (rc == EXIT_OK) {
        const inarch_status st = inarch_branch_list_read(g, &l);
        if (st != INARCH_OK)
            rc = cli_failed(c, st);
    }
    if (rc == EXIT_OK) {
        if (c->json) {
            json_begin(&j);
            json_open_array(&j, "branches");
        }
        for (size_t i = 0; i < l.n && rc == EXIT_OK; i++)
            rc = print_branch(c, g, &j, &l.items[i]);
        if (c->json) {
            json_close_array(&j);
            json_end(&j);
        }
    }
    inarch_branch_list_dispose(&l);
    inarch_graph_close(g);
    return rc;
}

/* ---- merge --------------------------------------------------------------------------------- */

static int parse_adopt(const cli *c, inarch_adopt *out)
{
    static const char *const names[] = {"link", "reference", "copy"};
    const char *adopt = cli_get(c, "adopt");

    *out = INARCH_ADOPT_LINK;
    if (!adopt)
        return EXIT_OK;
    for (int i = 0; i < 3; i++)
        if (strcmp(adopt, names[i]) == 0) {
            *out = (inarch_adopt)i;
            return EXIT_OK;
        }
    return cli_usage_error(c, "--adopt %s: use link, reference or copy", adopt);
}

static void json_routes(json_out *j, const inarch_merge_result *r)
{
    json_open_array(j, "routes");
    for (size_t i = 0; i < r->n_routes; i++) {
        const inarch_route *t = &r->routes[i];
        json_open_object(j, NULL);
        json_text(j, "type_key", t->type_key);
        json_text(j, "route", t->route);
        json_text_or_null(j, "reason", t->reason);
        json_u64(j, "fragments_adopted", t->fragments_adopted);
        json_u64(j, "files_linked", t->files_linked);
        json_u64(j, "files_referenced", t->files_referenced);
        json_u64(j, "files_copied", t->files_copied);
        json_u64(j, "rows_inserted", t->rows_inserted);
        json_u64(j, "rows_updated", t->rows_updated);
        json_u64(j, "rows_deleted", t->rows_deleted);
        json_u64(j, "rows_masked", t->rows_masked);
        json_u64(j, "rows_copied", t->rows_copied);
        json_u64(j, "rows_compared", t->rows_compared);
        json_close_object(j);
    }
    json_close_array(j);
    json_u64(j, "rows_both_sides", r->rows_both_sides);
    json_u64(j, "elapsed_us", r->elapsed_us);
    json_u64(j, "meta_bytes_read", r->meta_read);
    json_u64(j, "meta_bytes_written", r->meta_written);
    json_u64(j, "key_bytes_read", r->key_read);
    json_u64(j, "key_bytes_written", r->key_written);
    json_u64(j, "payload_bytes_read", r->payload_read);
    json_u64(j, "payload_bytes_written", r->payload_written);
    json_u64(j, "peak_memory", r->peak_memory);
}

static void json_merge(const cli *c, const char *source, const char *into,
                       const inarch_merge_result *r)
{
    json_out j;

    json_begin(&j);
    json_text(&j, "source", source);
    json_text(&j, "target", into);
    json_text(&j, "outcome", r->outcome);
    json_bool(&j, "dry_run", cli_has(c, "dry-run"));
    json_text_or_null(&j, "commit", r->commit);
    json_text_or_null(&j, "base_commit", r->base);
    json_text_or_null(&j, "source_commit", r->source);
    json_text_or_null(&j, "target_commit", r->target);
    json_routes(&j, r);
    json_open_array(&j, "merge_conflicts");
    for (size_t i = 0; i < r->n_conflicts; i++) {
        const inarch_conflict *x = &r->conflicts[i];
        json_open_object(&j, NULL);
        json_text(&j, "entity_kind", x->entity);
        json_text(&j, "type_name", x->type);
        json_text_or_null(&j, "entity_id", x->id);
        json_text(&j, "kind", x->kind);
        json_text(&j, "message", x->message);
        json_raw(&j, "base", x->base);
        json_raw(&j, "source", x->source);
        json_raw(&j, "target", x->target);
        json_close_object(&j);
    }
    json_close_array(&j);
    json_end(&j);
}

static void explain(const inarch_merge_result *r)
{
    printf("base %s, source %s, target %s\n", r->base, r->source, r->target);
    for (size_t i = 0; i < r->n_routes; i++) {
        const inarch_route *t = &r->routes[i];
        printf("  %-24s %-16s +%llu ~%llu -%llu rows, %llu fragments adopted (%llu linked, %llu "
               "referenced, %llu "
               "copied), %llu masked, %llu rows copied, %llu compared%s%s\n",
               t->type_key, t->route, (unsigned long long)t->rows_inserted,
               (unsigned long long)t->rows_updated, (unsigned long long)t->rows_deleted,
               (unsigned long long)t->fragments_adopted, (unsigned long long)t->files_linked,
               (unsigned long long)t->files_referenced, (unsigned long long)t->files_copied,
               (unsigned long long)t->rows_masked, (unsigned long long)t->rows_copied,
               (unsigned long long)t->rows_compared, *t->reason ? "; " : "", t->reason);
    }
    printf("  rows touched on both sides: %llu\n", (unsigned long long)r->rows_both_sides);
    printf("  payload bytes read %llu, written %llu; key bytes read %llu, written %llu; metadata "
           "read %llu, "
           "written %llu\n",
           (unsigned long long)r->payload_read, (unsigned long long)r->payload_written,
           (unsigned long long)r->key_read, (unsigned long long)r->key_written,
           (unsigned long long)r->meta_read, (unsigned long long)r->meta_written);
    printf("  %.1f ms, peak memory %.1f MiB\n", (double)r->elapsed_us / 1000.0,
           (double)r->peak_memory / (1024.0 * 1024.0));
}

static void print_conflicts(const inarch_merge_result *r)
{
    fprintf(stderr, "inarch: merge stopped: %zu conflict%s, nothing was changed\n", r->n_conflicts,
            r->n_conflicts == 1 ? "" : "s");
    for (size_t i = 0; i < r->n_conflicts && i < SHOWN_CONFLICTS; i++) {
        const inarch_conflict *x = &r->conflicts[i];
        fprintf(stderr, "  %s %s %s%s%s: %s\n", x->kind, x->entity, x->type, *x->id ? " " : "",
                x->id, x->message);
        if (*x->base || *x->source || *x->target)
            fprintf(stderr, "    base   %s\n    source %s\n    target %s\n",
                    *x->base ? x->base : "(absent)", *x->source ? x->source : "(absent)",
                    *x->target ? x->target : "(absent)");
    }
    if (r->n_conflicts > SHOWN_CONFLICTS)
        fprintf(stderr, "  +%zu more (--json lists all)\n", r->n_conflicts - SHOWN_CONFLICTS);
}

static int finish_merge(cli *c, inarch_graph *g, const char *source, const char *into,
                        const inarch_merge_result *r)
{
    const bool conflicts = strcmp(r->outcome, "conflicts") == 0;

    if (c->json)
        json_merge(c, source, into, r);
    else if (conflicts)
        print_conflicts(r);
    else
        printf("%s %s into %s: %s\n", cli_has(c, "dry-run") ? "would merge" : "merged", source,
               into, r->outcome);
    if (!c->json && cli_has(c, "explain"))
        explain(r);
    if (conflicts)
        return EXIT_FAILED;
    if (cli_has(c, "delete-branch") && !cli_has(c, "dry-run")) {
        const inarch_status st = inarch_branch_delete(g, source, cli_get(c, "as"));
        if (st != INARCH_OK)
            fprintf(stderr, "inarch: warning: the branch was merged but not deleted: %s\n",
                    inarch_last_error());
    }
    return EXIT_OK;
}

int cmd_branch_merge(cli *c)
{
    const char *into = cli_get(c, "into") ? cli_get(c, "into") : "main";
    inarch_merge_options m = INARCH_MERGE_OPTIONS_INIT;
    inarch_merge_result r = {0};
    inarch_graph *g = NULL;
    int rc = one_name(c, "SOURCE");

    if (rc == EXIT_OK)
        rc = parse_adopt(c, &m.adopt);
    if (rc == EXIT_OK)
        rc = cli_open(c, SIZE_MAX, &g);
    if (rc == EXIT_OK) {
        m.dry_run = cli_has(c, "dry-run");
        m.full_probe = cli_has(c, "full-probe");
        m.actor = cli_get(c, "as");
        m.message = cli_get(c, "message");
        m.if_commit = cli_get(c, "if-commit");
        const inarch_status st = inarch_merge(g, c->args[0], into, &m, &r);
        cli_bar_end(c);
        rc = st == INARCH_OK ? finish_merge(c, g, c->args[0], into, &r) : cli_failed(c, st);
    }
    inarch_merge_result_dispose(&r);
    inarch_graph_close(g);
    return rc;
}
