/* commit.c - commits and entries as values: copy, compare, find, free. */
#include "graph/graph_priv.h"

static ia_status dup_or_null(ia_ctx *cx, const char *s, char **out)
{
    *out = NULL;
    return s ? IA_SET(cx, *out, ia_strdup(cx, s)) : IA_OK;
}

void ia_entry_dispose(ia_entry *e)
{
    if (!e)
        return;
    ia_free(e->dir);
    ia_free(e->lance_branch);
    ia_free(e->staged);
    ia_free(e->fork.parent);
    *e = (ia_entry){0};
}

void ia_entries_free(ia_entry *e, size_t n)
{
    for (size_t i = 0; e && i < n; i++)
        ia_entry_dispose(&e[i]);
    ia_free(e);
}

ia_status ia_entry_copy(ia_ctx *cx, const ia_entry *in, ia_entry *out)
{
    ia_entry e = *in;
    ia_status st;

    *out = (ia_entry){0};
    e.dir = e.lance_branch = e.staged = e.fork.parent = NULL;
    IA_GO(dup_or_null(cx, in->dir, &e.dir));
    IA_GO(dup_or_null(cx, in->lance_branch, &e.lance_branch));
    IA_GO(dup_or_null(cx, in->staged, &e.staged));
    IA_GO(dup_or_null(cx, in->fork.parent, &e.fork.parent));
    *out = e;
    e = (ia_entry){0};
done:
    ia_entry_dispose(&e);
    return st;
}

bool ia_entry_same(const ia_entry *a, const ia_entry *b)
{
    return a->type_id == b->type_id && a->incarnation == b->incarnation &&
           ia_str_eq(a->dir, b->dir) && ia_str_eq(a->lance_branch, b->lance_branch) &&
           a->last_version == b->last_version && ia_str_eq(a->txn_uuid, b->txn_uuid);
}

void ia_routes_free(ia_route *r, size_t n)
{
    for (size_t i = 0; r && i < n; i++) {
        ia_free(r[i].type_key);
        ia_free(r[i].route);
        ia_free(r[i].reason);
    }
    ia_free(r);
}

void ia_commit_free(ia_commit *c)
{
    if (!c)
        return;
    ia_free(c->branch);
    ia_free(c->actor);
    ia_free(c->message);
    ia_entries_free(c->entries, c->n_entries);
    ia_routes_free(c->routes, c->n_routes);
    ia_free(c);
}

static ia_status routes_copy(ia_ctx *cx, const ia_commit *in, ia_commit *out)
{
    IA_TRY(IA_NEW_ARRAY(cx, out->routes, in->n_routes));
    out->n_routes = in->n_routes;
    for (size_t i = 0; i < in->n_routes; i++) {
        ia_route *r = &out->routes[i];
        *r = in->routes[i];
        r->type_key = r->route = r->reason = NULL;
        IA_TRY(dup_or_null(cx, in->routes[i].type_key, &r->type_key));
        IA_TRY(dup_or_null(cx, in->routes[i].route, &r->route));
        IA_TRY(dup_or_null(cx, in->routes[i].reason, &r->reason));
    }
    return IA_OK;
}

static ia_status entries_copy(ia_ctx *cx, const ia_commit *in, ia_commit *out)
{
    IA_TRY(IA_NEW_ARRAY(cx, out->entries, in->n_entries));
    out->n_entries = in->n_entries;
    for (size_t i = 0; i < in->n_entries; i++)
        IA_TRY(ia_entry_copy(cx, &in->entries[i], &out->entries[i]));
    return IA_OK;
}

ia_status ia_commit_copy(ia_ctx *cx, const ia_commit *in, ia_commit **out)
{
    ia_commit *c = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW(cx, c));
    *c = *in;
    c->branch = c->actor = c->message = NULL;
    c->entries = NULL;
    c->routes = NULL;
    c->n_entries = c->n_routes = 0;
    IA_GO(dup_or_null(cx, in->branch, &c->branch));
    IA_GO(dup_or_null(cx, in->actor, &c->actor));
    IA_GO(dup_or_null(cx, in->message, &c->message));
    IA_GO(entries_copy(cx, in, c));
    IA_GO(routes_copy(cx, in, c));
    *out = c;
    c = NULL;
done:
    ia_commit_free(c);
    return st;
}

const ia_entry *ia_commit_entry(const ia_commit *c, uint64_t type_id)
{
    size_t lo = 0, hi = c->n_entries;

    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (c->entries[mid].type_id == type_id)
            return &c->entries[mid];
        if (c->entries[mid].type_id < type_id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

void ia_commit_list_dispose(ia_commit_list *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->n; i++)
        ia_commit_free(l->items[i]);
    ia_free(l->items);
    *l = (ia_commit_list){0};
}
