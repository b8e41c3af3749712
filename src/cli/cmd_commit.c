/* cmd_commit.c - commit list, show, changes; diff. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static void json_commit(json_out *j, const inarch_commit_info *k, bool member)
{
    if (member)
        json_open_object(j, NULL);
    json_text(j, "graph_commit_id", k->id);
    json_text(j, "kind", k->kind);
    json_text_or_null(j, "graph_branch", k->branch);
    json_u64(j, "sequence", k->sequence);
    json_text_or_null(j, "parent_commit_id", k->parent);
    json_text_or_null(j, "merged_parent_commit_id", k->merged);
    json_text_or_null(j, "actor_id", k->actor);
    json_text_or_null(j, "message", k->message);
    json_i64(j, "created_at", k->time_us);
    if (member)
        json_close_object(j);
}

int cmd_commit_list(cli *c)
{
    inarch_graph *g = NULL;
    inarch_commit_list l = {0};
    const char *limit = cli_get(c, "limit");
    char when[32];
    int rc = cli_open(c, 0, &g);

    if (rc == EXIT_OK) {
        const inarch_status st = inarch_commit_list_read(
            g, cli_get(c, "branch"), limit ? (size_t)strtoull(limit, NULL, 10) : 0, &l);
        if (st != INARCH_OK)
            rc = cli_failed(c, st);
    }
    if (rc == EXIT_OK && c->json) {
        json_out j;
        json_begin(&j);
        json_open_array(&j, "commits");
        for (size_t i = 0; i < l.n; i++)
            json_commit(&j, &l.items[i], true);
        json_close_array(&j);
        json_end(&j);
    }
    for (size_t i = 0; rc == EXIT_OK && !c->json && i < l.n; i++) {
        const inarch_commit_info *k = &l.items[i];
        printf("%s %s %s graph_branch=%s actor=%s%s%s\n", k->id, cli_time(k->time_us, when),
               k->kind, k->branch, k->actor, *k->message ? "  " : "", k->message);
    }
    inarch_commit_list_dispose(&l);
    inarch_graph_close(g);
    return rc;
}

static void print_commit(const inarch_commit_info *k)
{
    char when[32];

    printf("graph_commit_id: %s\nkind: %s\ngraph_branch: %s\nsequence: %llu\n", k->id, k->kind,
           k->branch, (unsigned long long)k->sequence);
    if (*k->parent)
        printf("parent_commit_id: %s\n", k->parent);
    if (*k->merged)
        printf("merged_parent_commit_id: %s\n", k->merged);
    printf("actor_id: %s\ncreated_at: %s\n", k->actor, cli_time(k->time_us, when));
    if (*k->message)
        printf("message: %s\n", k->message);
}

int cmd_commit_show(cli *c)
{
    inarch_graph *g = NULL;
    inarch_commit_list l = {0};

    if (c->n_args != 1)
        return cli_usage_error(c, c->n_args ? "unexpected argument '%s'" : "COMMIT is required%s",
                               c->n_args ? c->args[1] : "");
    int rc = cli_open(c, SIZE_MAX, &g);
    if (rc == EXIT_OK) {
        const inarch_status st = inarch_commit_read(g, c->args[0], &l);
        if (st != INARCH_OK) {
            rc = cli_failed(c, st);
        } else if (c->json) {
            json_out j;
            json_begin(&j);
            json_commit(&j, &l.items[0], false);
            json_end(&j);
        } else {
            print_commit(&l.items[0]);
        }
    }
    inarch_commit_list_dispose(&l);
    inarch_graph_close(g);
    return rc;
}

/* ---- changes ------------------------------------------------------------------------------- */

typedef struct change_out {
    const cli *c;
    json_out j;
    uint64_t n[3]; /* insert, update, delete */
} change_out;

static int on_change(const inarch_change *ch, void *payload)
{
    change_out *o = payload;
    const int op = ch->op[0] == 'i' ? 0 : ch->op[0] == 'u' ? 1 : 2;

    o->n[op]++;
    if (o->c->json) {
        json_open_object(&o->j, NULL);
        json_text(&o->j, "kind", ch->kind);
        json_text(&o->j, "type", ch->type);
        json_text(&o->j, "id", ch->id);
        json_text(&o->j, "op", ch->op);
        json_raw(&o->j, "before", ch->before);
        json_raw(&o->j, "after", ch->after);
        json_close_object(&o->j);
    } else if (!cli_has(o->c, "stat")) {
        printf("%c %s %s %s\n", "+~-"[op], ch -> kind, ch -> type, ch -> id);
        if (ch->before && cli_has(o->c, "rows"))
            printf("    - %s\n", ch->before);
        if (ch->after && cli_has(o->c, "rows"))
            printf("    + %s\n", ch->after);
    }
    return ferror(stdout);
}

static int print_changes(cli *c, inarch_graph *g, const char *from, const char *to)
{
    change_out o = {.c = c};

    if (c->json) {
        json_begin(&o.j);
        json_text_or_null(&o.j, "from", from);
        json_text(&o.j, "to", to);
        json_open_array(&o.j, "changes");
    }
    const inarch_status st = inarch_diff(g, from, to, c->json || cli_has(c, "rows"), on_change, &o);
    cli_bar_end(c);
    if (c->json) {
        json_close_array(&o.j);
        json_end(&o.j);
    } else if (st == INARCH_OK) {
        printf("%llu inserted, %llu updated, %llu deleted\n", (unsigned long long)o.n[0],
               (unsigned long long)o.n[1], (unsigned long long)o.n[2]);
    }
    return st == INARCH_OK ? EXIT_OK : cli_failed(c, st);
}

int cmd_commit_changes(cli *c)
{
    inarch_graph *g = NULL;

    if (c->n_args != 1)
        return cli_usage_error(c, c->n_args ? "unexpected argument '%s'" : "COMMIT is required%s",
                               c->n_args ? c->args[1] : "");
    int rc = cli_open(c, SIZE_MAX, &g);
    if (rc == EXIT_OK)
        rc = print_changes(c, g, NULL, c->args[0]);
    inarch_graph_close(g);
    return rc;
}

int cmd_diff(cli *c)
{
    inarch_graph *g = NULL;

    if (c->n_args != 2)
        return cli_usage_error(c, "two branches or commits are required: FROM TO");
    int rc = cli_open(c, SIZE_MAX, &g);
    if (rc == EXIT_OK)
        rc = print_changes(c, g, c->args[0], c->args[1]);
    inarch_graph_close(g);
    return rc;
}
