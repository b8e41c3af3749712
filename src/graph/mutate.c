/* mutate.c - the statements of one mutation as one write, each seeing what the earlier ones did. */
#include "graph/mutate_priv.h"

#define INSERT_RETRIES                                                                             \
    32u /* an insert-only mutation is planned anew when another writer touched its rows */

static ia_status plan(ia_ctx *cx, ia_mutation *m)
{
    for (size_t i = 0; i < m->q->n_statements; i++) {
        const ia_gq_statement *s = &m->q->statements[i];
        switch (s->kind) {
        case IA_GQ_INSERT:
            IA_TRY(ia_mut_insert(cx, m, s));
            break;
        case IA_GQ_UPDATE:
            IA_TRY(ia_mut_update(cx, m, s));
            break;
        case IA_GQ_DELETE:
            IA_TRY(ia_mut_delete(cx, m, s));
            break;
        }
        IA_TRY(ia_check(cx, i, m->q->n_statements));
    }
    return IA_OK;
}

size_t ia_mut_type_index(const ia_mutation *m, const ia_type_def *def)
{
    const ia_catalog *cat = m->w->head->cat;
    size_t i = 0;

    while (i < cat->n_types && cat->types[i]->type_id != def->type_id)
        i++;
    return i;
}

/* ---- the change
 * ---------------------------------------------------------------------------------- */

static ia_status describe(ia_ctx *cx, ia_mutation *m, size_t type)
{
    ia_mut_type *t = &m->types[type];
    ia_tchange *change;
    ia_batch *narrow = NULL;
    ia_status st;

    IA_GO(ia_changeset_type(cx, &m->w->changes, type, &change));
    for (size_t i = 0; i < t->plan.n; i++) {
        IA_GO(ia_narrow_image(cx, t->def, t->plan.batches[i], &narrow));
        IA_GO(ia_tchange_add(cx, change, narrow));
        ia_batch_release(narrow);
        narrow = NULL;
    }
    for (size_t k = 0; k < t->deleted.n; k++) {
        const ia_view id = ia_bytemap_key(&t->deleted, k);
        IA_GO(ia_bytemap_put(cx, &change->deleted, id.data, id.len, NULL, NULL));
    }
done:
    ia_batch_release(narrow);
    return st;
}

static ia_status remove_deleted(ia_ctx *cx, ia_mutation *m, size_t type)
{
    ia_mut_type *t = &m->types[type];
    uint64_t *addrs = NULL;
    ia_twrite *tw;
    ia_status st;

    IA_GO(ia_write_table(cx, m->w, type, &tw));
    tw->form = IA_TXN_DELETE;
    IA_GO(IA_NEW_ARRAY(cx, addrs, t->deleted.n));
    for (size_t k = 0; k < t->deleted.n; k++)
        addrs[k] = ia_bytemap_get(&t->deleted, k);
    IA_GO(ia_twrite_remove(cx, tw, addrs, t->deleted.n));
done:
    ia_free(addrs);
    return st;
}

static bool touched(const ia_mut_type *t)
{
    return t->plan.n > 0 || t->deleted.n > 0;
}

static ia_status publish(ia_ctx *cx, ia_mutation *m, ia_commit **out)
{
    const size_t n = m->w->head->cat->n_types;

    for (size_t i = 0; i < n; i++) {
        if (!touched(&m->types[i]))
            continue;
        if (m->types[i].given_ids)
            IA_TRY(ia_row_plan_locate(cx, &m->types[i].plan, m->w->head, i));
        IA_TRY(describe(cx, m, i));
    }
    IA_TRY(ia_write_validate(cx, m->w));
    for (size_t i = 0; i < n; i++) {
        if (m->types[i].plan.n > 0)
            IA_TRY(ia_row_plan_write(cx, &m->types[i].plan, m->w, i, false));
        if (m->types[i].deleted.n > 0)
            IA_TRY(remove_deleted(cx, m, i));
    }
    return ia_write_publish(cx, m->w, out);
}

/* ---- one attempt
 * --------------------------------------------------------------------------------- */

static void mutation_dispose(ia_mutation *m)
{
    for (size_t i = 0; m->types && i < m->w->head->cat->n_types; i++) {
        ia_row_plan_dispose(&m->types[i].plan);
        ia_bytemap_dispose(&m->types[i].deleted);
    }
    ia_free(m->types);
    ia_arena_dispose(&m->arena);
    ia_write_free(m->w);
}

/* The query was checked against a catalog; the head must still have it. */
static ia_status same_schema(ia_ctx *cx, const ia_mutation *m)
{
    if (strcmp(m->q->catalog->shape_hash, m->w->head->cat->shape_hash) != 0)
        return ia_fail(cx, IA_ERR_CONFLICT,
                       "the schema changed while the mutation was prepared; try again");
    return IA_OK;
}

static ia_status attempt(ia_ctx *cx, ia_graph *g, const ia_gq_query *q, const ia_params *params,
                         const ia_write_options *opt, ia_mutate_result *out)
{
    ia_mutation m = {.q = q, .params = params};
    ia_status st;

    IA_GO(ia_write_begin(cx, g, opt->branch, opt->if_commit, opt->actor, opt->message, &m.w));
    IA_GO(same_schema(cx, &m));
    IA_GO(IA_NEW_ARRAY(cx, m.types, m.w->head->cat->n_types + 1));
    for (size_t i = 0; i < m.w->head->cat->n_types; i++)
        m.types[i].def = m.w->head->cat->types[i];
    IA_GO(plan(cx, &m));
    IA_GO(publish(cx, &m, &out->commit));
    out->nodes = m.nodes;
    out->edges = m.edges;
done:
    if (m.w)
        mutation_dispose(&m);
    return st;
}

static bool only_inserts(const ia_gq_query *q)
{
    for (size_t i = 0; i < q->n_statements; i++)
        if (q->statements[i].kind != IA_GQ_INSERT)
            return false;
    return true;
}

/* Statically refused, too; a second look costs nothing. */
static ia_status check_mix(ia_ctx *cx, const ia_gq_query *q)
{
    bool deletes = false, others = false;

    for (size_t i = 0; i < q->n_statements; i++)
        *(q->statements[i].kind == IA_GQ_DELETE ? &deletes : &others) = true;
    if (deletes && others)
        return ia_fail(cx, IA_ERR_INVALID,
                       "query '%s' mixes deletes with inserts or updates: split it into two",
                       q->name);
    return IA_OK;
}

ia_status ia_mutate(ia_ctx *cx, ia_graph *g, const ia_gq_query *q, const ia_params *params,
                    const ia_write_options *opt, ia_mutate_result *out)
{
    const bool again = only_inserts(q) && !(opt->if_commit && *opt->if_commit);
    ia_status st;

    *out = (ia_mutate_result){0};
    if (!q->is_mutation)
        return ia_fail(cx, IA_ERR_INVALID, "query '%s' is a read", q->name);
    IA_TRY(check_mix(cx, q));
    for (unsigned i = 0;; i++) {
        st = attempt(cx, g, q, params, opt, out);
        if (st != IA_ERR_CONFLICT || !again || i == INSERT_RETRIES)
            return st;
        ia_ctx_clear(cx);
    }
}
