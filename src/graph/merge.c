/* merge.c - a three-way merge: base, route per type, decide, validate, build, publish. */
#include <stdlib.h>

#include "graph/merge_priv.h"

#define MERGE_ATTEMPTS 32u /* plans anew when the target moved meanwhile */

/* ---- results ------------------------------------------------------------------------------- */

const char *ia_conflict_kind_name(ia_conflict_kind k)
{
    switch (k) {
    case IA_DIVERGENT_INSERT:
        return "divergent_insert";
    case IA_DIVERGENT_UPDATE:
        return "divergent_update";
    case IA_DELETE_VS_UPDATE:
        return "delete_vs_update";
    case IA_CONFLICT_ORPHAN:
        return "orphan_edge";
    case IA_CONFLICT_UNIQUE:
        return "unique_violation";
    case IA_CONFLICT_CARDINALITY:
        return "cardinality_violation";
    case IA_CONFLICT_VALUE:
        return "value_constraint_violation";
    }
    return "unknown";
}

void ia_conflicts_dispose(ia_conflicts *c)
{
    for (size_t i = 0; i < c->n; i++) {
        ia_conflict *x = &c->items[i];
        ia_free(x->id);
        ia_free(x->message);
        ia_free(x->base);
        ia_free(x->source);
        ia_free(x->target);
    }
    ia_free(c->items);
    *c = (ia_conflicts){0};
}

void ia_merge_result_dispose(ia_merge_result *r)
{
    ia_commit_free(r->commit);
    ia_routes_free(r->routes, r->n_routes);
    ia_conflicts_dispose(&r->conflicts);
    *r = (ia_merge_result){0};
}

static ia_status dup_or_null(ia_ctx *cx, const char *s, char **out)
{
    *out = NULL;
    return s ? IA_SET(cx, *out, ia_strdup(cx, s)) : IA_OK;
}

ia_status ia_conflict_add(ia_ctx *cx, ia_merging *m, ia_conflict_kind kind, size_t type, ia_view id,
                          const char *message, const char *base, const char *source,
                          const char *target)
{
    ia_conflicts *l = &m->out->conflicts;

    IA_TRY(IA_GROW(cx, l->items, l->cap, l->n + 1));
    ia_conflict *c = &l->items[l->n++];
    *c = (ia_conflict){.kind = kind, .type = type};
    if (id.data)
        IA_TRY(IA_SET(cx, c->id, ia_strndup(cx, id.data, id.len)));
    IA_TRY(dup_or_null(cx, message, &c->message));
    IA_TRY(dup_or_null(cx, base, &c->base));
    IA_TRY(dup_or_null(cx, source, &c->source));
    return dup_or_null(cx, target, &c->target);
}

/* Structural conflicts: type key as text (edges before nodes), then id by bytes. */
static int conflict_order(const void *a, const void *b, void *catalog)
{
    const ia_conflict *x = a, *y = b;
    const ia_catalog *cat = catalog;
    const ia_type_def *tx = cat->types[x->type], *ty = cat->types[y->type];

    if (tx != ty) {
        if (tx->kind != ty->kind)
            return tx->kind == IA_KIND_EDGE ? -1 : 1;
        return ia_view_cmp(ia_view_of(tx->name), ia_view_of(ty->name));
    }
    return ia_view_cmp(ia_view_of(x->id), ia_view_of(y->id));
}

/* ---- setting up ---------------------------------------------------------------------------- */

static void types_dispose(ia_merging *m)
{
    for (size_t i = 0; i < m->n_types; i++) {
        ia_mtype *t = &m->types[i];
        ia_dataset_release(t->base);
        ia_dataset_release(t->source);
        ia_dataset_release(t->target);
        ia_delta_dispose(&t->ds);
        ia_delta_dispose(&t->dt);
        ia_free(t->pick);
        ia_free(t->at);
    }
    ia_free(m->types);
    m->types = NULL;
    m->n_types = 0;
}

static void merging_dispose(ia_merging *m)
{
    types_dispose(m);
    for (size_t i = 0; i < m->n_others; i++)
        ia_snapshot_close(m->others[i]);
    ia_free(m->others);
    ia_snapshot_close(m->base);
    ia_snapshot_close(m->source);
    if (!m->w) {
        ia_snapshot_close(m->target);
        ia_branch_free(m->branch);
    }
    ia_write_free(m->w);
}

static ia_status open_copy(ia_ctx *cx, ia_graph *g, const ia_commit *c, ia_snapshot **out)
{
    ia_commit *copy;

    IA_TRY(ia_commit_copy(cx, c, &copy));
    return ia_snapshot_open(cx, g, copy, out); /* takes the copy over */
}

/* A dry run opens the target without finishing what a crashed writer left. */
static ia_status open_target(ia_ctx *cx, ia_merging *m, const char *into)
{
    const ia_merge_options *opt = m->opt;
    const char *want = opt->if_commit ? opt->if_commit : "";
    ia_commit *head;

    if (!opt->dry_run) {
        IA_TRY(ia_write_begin(cx, m->g, into, want, opt->actor, opt->message, &m->w));
        m->branch = m->w->branch;
        m->target = m->w->head;
        return IA_OK;
    }
    IA_TRY(ia_branch_open(cx, m->g, into, &m->branch));
    IA_TRY(ia_branch_head(cx, m->g, m->branch, &head));
    IA_TRY(ia_snapshot_open(cx, m->g, head, &m->target));
    if (*want && strcmp(want, m->target->commit->ref.id) != 0)
        return ia_fail(cx, IA_ERR_PRECONDITION, "the head of branch '%s' is commit %s, not %s",
                       into, m->target->commit->ref.id, want);
    return IA_OK;
}

static ia_status open_bases(ia_ctx *cx, ia_merging *m)
{
    ia_commit_list bases = {0};
    ia_status st;

    IA_GO(ia_merge_bases(cx, m->g, m->source->commit, m->target->commit, &bases));
    IA_GO(open_copy(cx, m->g, bases.items[0], &m->base));
    IA_GO(IA_NEW_ARRAY(cx, m->others, bases.n));
    for (size_t i = 1; i < bases.n; i++) {
        IA_GO(open_copy(cx, m->g, bases.items[i], &m->others[m->n_others]));
        m->n_others++;
    }
done:
    ia_commit_list_dispose(&bases);
    return st;
}

static bool same_commit(const ia_snapshot *a, const ia_snapshot *b)
{
    return strcmp(a->commit->ref.id, b->commit->ref.id) == 0;
}

static ia_status check_schemas(ia_ctx *cx, const ia_merging *m, const char *source,
                               const char *into)
{
    const ia_commit *s = m->source->commit, *t = m->target->commit, *b = m->base->commit;

    if (strcmp(s->schema_hash, t->schema_hash) != 0 || strcmp(b->schema_hash, t->schema_hash) != 0)
        return ia_fail(cx, IA_ERR_INVALID,
                       "merge: '%s' and '%s' have different schemas; merge branches of one schema",
                       source, into);
    if (s->evaluator != IA_EVALUATOR_VERSION || t->evaluator != IA_EVALUATOR_VERSION)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "merge: commits were validated by evaluator %u and %u, this is %u",
                       s->evaluator, t->evaluator, IA_EVALUATOR_VERSION);
    return IA_OK;
}

/* The cheapest route that suffices. */
static ia_route_kind choose(const ia_merging *m, const ia_mtype *t)
{
    if (!t->moved_s)
        return IA_ROUTE_UNCHANGED;
    if (t->moved_t)
        return IA_ROUTE_THREE_WAY;
    if (strcmp(m->branch->name, "main") == 0)
        return IA_ROUTE_GRAFT;
    return IA_ROUTE_POINTER;
}

/* Route and why, as far as it is known before anything is built. */
static ia_status name_route(ia_ctx *cx, const ia_mtype *t, ia_route *r)
{
    const bool pointer = t->kind == IA_ROUTE_POINTER;
    const char *why = pointer                        ? "the target has the base's table"
                      : ia_entry_same(t->eb, t->es)  ? "the source has the base's table"
                      : t->kind == IA_ROUTE_UNCHANGED ? "both sides have the same table"
                                                     : "";

    IA_TRY(IA_SET(cx, r->reason, ia_strdup(cx, why)));
    return IA_SET(cx, r->route, ia_strdup(cx, pointer ? "pointer" : "unchanged"));
}

static ia_status setup_type(ia_ctx *cx, ia_merging *m, size_t i)
{
    const ia_type_def *def = m->base->cat->types[i];
    ia_mtype *t = &m->types[i];
    ia_route *r = &m->out->routes[i];
    char key[160];

    t->type = i;
    t->report = r;
    t->eb = ia_commit_entry(m->base->commit, def->type_id);
    t->es = ia_commit_entry(m->source->commit, def->type_id);
    t->et = ia_commit_entry(m->target->commit, def->type_id);
    if (!t->eb || !t->es || !t->et)
        return ia_fail(cx, IA_ERR_CORRUPT, "merge: type %s has no table in one of the commits",
                       def->name);
    if (!ia_entry_same(t->es, t->et)) {
        t->moved_s = !ia_entry_same(t->eb, t->es);
        t->moved_t = !ia_entry_same(t->eb, t->et);
    }
    t->kind = choose(m, t);
    r->type_id = def->type_id;
    IA_TRY(IA_SET(cx, r->type_key, ia_strdup(cx, ia_type_key(def, key, sizeof key))));
    return name_route(cx, t, r);
}

static ia_status setup_types(ia_ctx *cx, ia_merging *m)
{
    const size_t n = m->base->cat->n_types;

    IA_TRY(IA_NEW_ARRAY(cx, m->types, n + 1));
    m->n_types = n;
    IA_TRY(IA_NEW_ARRAY(cx, m->out->routes, n + 1));
    m->out->n_routes = n;
    for (size_t i = 0; i < n; i++)
        IA_TRY(setup_type(cx, m, i));
    return IA_OK;
}

/* ---- building and publishing --------------------------------------------------------------- */

static ia_status build(ia_ctx *cx, ia_merging *m)
{
    for (size_t i = 0; i < m->n_types; i++) {
        ia_mtype *t = &m->types[i];
        ia_twrite *tw;
        switch (t->kind) {
        case IA_ROUTE_UNCHANGED:
            break;
        case IA_ROUTE_POINTER:
            if (m->opt->dry_run)
                break;
            IA_TRY(ia_write_table(cx, m->w, i, &tw));
            IA_TRY(IA_NEW(cx, tw->pointer));
            IA_TRY(ia_entry_copy(cx, t->es, tw->pointer));
            break;
        case IA_ROUTE_GRAFT:
        case IA_ROUTE_THREE_WAY:
            IA_TRY(ia_merge_images(cx, m, t));
            IA_TRY(ia_merge_build(cx, m, t));
            break;
        }
        IA_TRY(ia_check(cx, i, m->n_types));
    }
    return IA_OK;
}

/* Routes go into the commit, a copy stays with the result. */
static ia_status hand_routes(ia_ctx *cx, ia_merging *m)
{
    ia_route *copy;

    IA_TRY(IA_NEW_ARRAY(cx, copy, m->out->n_routes + 1));
    m->w->routes = copy;
    for (size_t i = 0; i < m->out->n_routes; i++) {
        copy[i] = m->out->routes[i];
        copy[i].type_key = copy[i].route = copy[i].reason = NULL;
        m->w->n_routes = i + 1;
        IA_TRY(dup_or_null(cx, m->out->routes[i].type_key, &copy[i].type_key));
        IA_TRY(dup_or_null(cx, m->out->routes[i].route, &copy[i].route));
        IA_TRY(dup_or_null(cx, m->out->routes[i].reason, &copy[i].reason));
    }
    return IA_OK;
}

static ia_status publish(ia_ctx *cx, ia_merging *m)
{
    m->w->kind = IA_COMMIT_MERGE;
    m->w->merged = m->source->commit->ref;
    m->w->no_rebase = true;
    IA_TRY(hand_routes(cx, m));
    return ia_write_publish(cx, m->w, &m->out->commit);
}

static ia_status plan(ia_ctx *cx, ia_merging *m)
{
    IA_TRY(setup_types(cx, m));
    if (!m->fast_forward)
        IA_TRY(ia_merge_decide(cx, m));
    if (m->out->conflicts.n > 1)
        qsort_r(m->out->conflicts.items, m->out->conflicts.n, sizeof *m->out->conflicts.items,
                conflict_order, (void *)(uintptr_t)m->base->cat);
    if (m->out->conflicts.n == 0 && !m->fast_forward)
        IA_TRY(ia_merge_validate(cx, m));
    if (m->out->conflicts.n > 0) {
        m->out->outcome = IA_CONFLICTED;
        return IA_OK;
    }
    IA_TRY(build(cx, m));
    return m->opt->dry_run ? IA_OK : publish(cx, m);
}

/* One plan against the target's head of this moment. CONFLICT: the head moved, plan anew. */
static ia_status attempt(ia_ctx *cx, ia_graph *g, const ia_commit *source, const char *source_name,
                         const char *into, const ia_merge_options *opt, ia_merge_result *out)
{
    ia_merging m = {.g = g, .opt = opt, .out = out};
    ia_status st;

    IA_GO(open_target(cx, &m, into));
    IA_GO(open_copy(cx, g, source, &m.source));
    out->source = m.source->commit->ref;
    out->target = m.target->commit->ref;
    IA_GO(open_bases(cx, &m));
    out->base = m.base->commit->ref;
    IA_GO(check_schemas(cx, &m, source_name, into));
    if (same_commit(m.base, m.source)) {
        out->outcome = IA_UP_TO_DATE;
        goto done;
    }
    m.fast_forward = same_commit(m.base, m.target);
    out->outcome = m.fast_forward ? IA_FAST_FORWARD : IA_MERGED;
    IA_GO(plan(cx, &m));
done:
    merging_dispose(&m);
    return st;
}

ia_status ia_merge(ia_ctx *cx, ia_graph *g, const char *source, const char *into,
                   const ia_merge_options *opt, ia_merge_result *out)
{
    const uint64_t started = ia_mono_ns();
    ia_commit *head = NULL;
    ia_status st;

    *out = (ia_merge_result){0};
    if (ia_str_eq(source, into))
        return ia_fail(cx, IA_ERR_INVALID, "merge: source and target are both '%s'", into);
    IA_GO(ia_resolve(cx, g, source, &head));
    for (unsigned i = 0; i < MERGE_ATTEMPTS; i++) {
        ia_merge_result_dispose(out);
        st = attempt(cx, g, head, source, into, opt, out);
        if (st != IA_ERR_CONFLICT || (opt->if_commit && *opt->if_commit))
            break;
        if (i + 1 < MERGE_ATTEMPTS)
            ia_ctx_clear(cx);
    }
    IA_GO(st);
    out->elapsed_us = (ia_mono_ns() - started) / 1000;
done:
    ia_commit_free(head);
    if (st != IA_OK)
        ia_merge_result_dispose(out);
    return st;
}
