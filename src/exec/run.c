/* run.c - one query from match to result stream. */
#include "exec/exec_priv.h"

/* Types at the ends of traversals are numbered whole before anything else meets their rows. */
static ia_status prepare(ia_ctx *cx, ia_xq *x, const ia_gq_clause *clauses, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const ia_gq_clause *c = &clauses[i];
        ia_xtype *t;
        if (c->kind == IA_GQ_TRAVERSAL)
            IA_TRY(ia_xtype_get(cx, x, c->traversal.edge, true, &t));
        else if (c->kind == IA_GQ_NOT)
            IA_TRY(prepare(cx, x, c->negation.clauses, c->negation.n_clauses));
    }
    return IA_OK;
}

typedef struct result {
    ia_batch *batch; /* NULL once handed out */
} result;

static ia_status result_next(ia_ctx *cx, ia_stream *s, ia_batch **out)
{
    result *r = s->self;

    (void)cx;
    *out = r->batch;
    r->batch = NULL;
    return IA_OK;
}

static void result_close(ia_stream *s)
{
    result *r = s->self;

    ia_batch_release(r->batch);
    ia_free(r);
}

static ia_status hand_out(ia_ctx *cx, ia_batch *b, ia_stream *out)
{
    result *r;

    IA_TRY(IA_NEW(cx, r));
    r->batch = ia_batch_retain(b);
    *out = (ia_stream){.schema = ia_schema_retain(b->schema),
                       .next = result_next,
                       .close = result_close,
                       .self = r};
    return IA_OK;
}

ia_status ia_exec_run(ia_ctx *cx, const ia_gq_query *q, const ia_params *params,
                      ia_exec_source *src, ia_stream *out)
{
    ia_xq x = {.q = q, .params = params, .src = src};
    ia_xrel r = {0};
    ia_batch *b = NULL;
    ia_status st;

    *out = (ia_stream){0};
    if (q->is_mutation)
        return ia_fail(cx, IA_ERR_INVALID, "query '%s' is a mutation", q->name);
    IA_GO(IA_NEW_ARRAY(cx, x.types, q->catalog->n_types + 1));
    IA_GO(ia_xrel_init(cx, &r, q->n_vars));
    IA_GO(prepare(cx, &x, q->clauses, q->n_clauses));
    IA_GO(ia_xmatch(cx, &x, &r, q->clauses, q->n_clauses));
    IA_GO(ia_xproject(cx, &x, &r, &b));
    IA_GO(hand_out(cx, b, out));
done:
    if (st == IA_ERR_OVER_BUDGET)
        st =
            ia_fail_prefix(cx, st, "query '%s': add conditions or raise the memory limit", q->name);
    ia_batch_release(b);
    ia_xrel_dispose(&r);
    for (size_t i = 0; x.types && i < q->catalog->n_types; i++)
        if (x.types[i].def)
            ia_xtype_dispose(&x.types[i]);
    ia_free(x.types);
    ia_free(x.stamp);
    return st;
}
