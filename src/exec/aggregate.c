/* aggregate.c - groups rows by the plain projections and folds count, sum, avg, min, max. */
#include "exec/exec_priv.h"

/* Group of each row: rows whose plain projections are all equal (null equals null). */
typedef struct grouping {
    uint32_t *of;    /* row -> group */
    uint32_t *first; /* group -> its first row */
    size_t n, cap_first;
} grouping;

/* A group key as bytes: values that are equal give equal bytes, others different ones. */
static void put_key(ia_ctx *cx, ia_buf *key, const ia_array *a, int64_t i)
{
    const size_t at = key->len;
    uint32_t len;

    ia_buf_putc(cx, key, ia_array_valid(a, i) ? 1 : 0);
    ia_buf_fill(cx, key, 0, sizeof len);
    if (ia_array_valid(a, i))
        ia_value_text(cx, key, a, i);
    if (ia_buf_status(key) != IA_OK)
        return;
    len = (uint32_t)(key->len - at - 1 - sizeof len);
    memcpy(key->data + at + 1, &len, sizeof len);
}

static ia_status group_rows(ia_ctx *cx, const ia_gq_query *q, ia_array *const *cols, size_t n_rows,
                            grouping *g)
{
    ia_bytemap seen = {0};
    ia_buf key = {0};
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, g->of, n_rows + 1));
    for (size_t i = 0; i < n_rows; i++) {
        bool added;
        size_t at;
        ia_buf_clear(&key);
        for (size_t k = 0; k < q->n_projections; k++)
            if (q->projections[k].expr.kind != IA_GQ_AGG)
                put_key(cx, &key, cols[k], (int64_t)i);
        IA_GO(ia_buf_status(&key));
        IA_GO(
            ia_bytemap_put(cx, &seen, key.len ? (const void *)key.data : "", key.len, &at, &added));
        g->of[i] = (uint32_t)at;
        if (!added)
            continue;
        IA_GO(IA_GROW(cx, g->first, g->cap_first, at + 1));
        g->first[at] = (uint32_t)i;
        g->n = at + 1;
    }
done:
    ia_bytemap_dispose(&seen);
    ia_buf_dispose(&key);
    return st;
}

/* ---- folding ------------------------------------------------------------------------------- */

static ia_status fold_count(ia_ctx *cx, const ia_array *arg, size_t n, const grouping *g,
                            ia_builder *b)
{
    int64_t *count;

    IA_TRY(IA_NEW_ARRAY(cx, count, g->n + 1));
    for (size_t i = 0; i < n; i++)
        count[g->of[i]] += ia_array_valid(arg, (int64_t)i);
    for (size_t k = 0; k < g->n; k++)
        ia_builder_i64(cx, b, count[k]);
    ia_free(count);
    return IA_OK;
}

typedef struct total {
    double sum, carry; /* compensated, so that order matters little */
    int64_t n;
} total;

static void add_to(total *t, double v)
{
    const double y = v - t->carry, s = t->sum + y;

    t->carry = s - t->sum - y;
    t->sum = s;
    t->n++;
}

static ia_status fold_sum(ia_ctx *cx, const ia_array *arg, size_t n, const grouping *g,
                          bool average, ia_builder *b)
{
    total *t;

    IA_TRY(IA_NEW_ARRAY(cx, t, g->n + 1));
    for (size_t i = 0; i < n; i++)
        if (ia_array_valid(arg, (int64_t)i))
            add_to(&t[g->of[i]], ia_array_f64(arg, (int64_t)i));
    for (size_t k = 0; k < g->n; k++) {
        if (t[k].n == 0)
            ia_builder_null(cx, b);
        else
            ia_builder_f64(cx, b, average ? t[k].sum / (double)t[k].n : t[k].sum);
    }
    ia_free(t);
    return IA_OK;
}

static ia_status fold_best(ia_ctx *cx, const ia_array *arg, size_t n, const grouping *g, int sign,
                           ia_builder *b)
{
    int64_t *best;

    IA_TRY(IA_NEW_ARRAY(cx, best, g->n + 1));
    for (size_t k = 0; k < g->n; k++)
        best[k] = -1;
    for (size_t i = 0; i < n; i++) {
        int64_t *at = &best[g->of[i]];
        if (ia_array_valid(arg, (int64_t)i) &&
            (*at < 0 || ia_value_cmp(arg, (int64_t)i, arg, *at) * sign > 0))
            *at = (int64_t)i;
    }
    for (size_t k = 0; k < g->n; k++) {
        if (best[k] < 0)
            ia_builder_null(cx, b);
        else
            ia_builder_copy(cx, b, arg, best[k]);
    }
    ia_free(best);
    return IA_OK;
}

static ia_status fold(ia_ctx *cx, ia_gq_agg agg, const ia_array *arg, size_t n, const grouping *g,
                      ia_builder *b)
{
    switch (agg) {
    case IA_GQ_COUNT:
        return fold_count(cx, arg, n, g, b);
    case IA_GQ_SUM:
        return fold_sum(cx, arg, n, g, false, b);
    case IA_GQ_AVG:
        return fold_sum(cx, arg, n, g, true, b);
    case IA_GQ_MIN:
        return fold_best(cx, arg, n, g, -1, b);
    case IA_GQ_MAX:
        return fold_best(cx, arg, n, g, 1, b);
    }
    return ia_fail(cx, IA_ERR_INTERNAL, "query: unknown aggregate");
}

static ia_status fold_projection(ia_ctx *cx, ia_xq *x, const ia_xrel *r, const ia_gq_projection *p,
                                 const grouping *g, ia_array **out)
{
    ia_array *arg = NULL;
    ia_type *type = NULL;
    ia_builder b = {0};
    ia_status st;

    IA_GO(ia_proptype_arrow(cx, p->type, &type));
    IA_GO(ia_xvalue(cx, x, r, p->expr.arg, &arg));
    IA_GO(ia_builder_init(cx, &b, type));
    IA_GO(fold(cx, p->expr.agg, arg, r->n, g, &b));
    IA_GO(ia_builder_finish(cx, &b, out));
done:
    ia_builder_dispose(&b);
    ia_array_release(arg);
    ia_type_release(type);
    return st;
}

/* Plain columns shrink to one value a group. */
static ia_status first_of_groups(ia_ctx *cx, const grouping *g, ia_array **col)
{
    ia_array *out = NULL;
    int64_t *idx;

    IA_TRY(IA_NEW_ARRAY(cx, idx, g->n + 1));
    for (size_t k = 0; k < g->n; k++)
        idx[k] = g->first[k];
    const ia_status st = ia_take_array(cx, *col, idx, (int64_t)g->n, &out);
    ia_free(idx);
    if (st == IA_OK) {
        ia_array_release(*col);
        *col = out;
    }
    return st;
}

ia_status ia_xaggregate(ia_ctx *cx, ia_xq *x, const ia_xrel *r, ia_array **cols, size_t *n_groups)
{
    const ia_gq_query *q = x->q;
    grouping g = {0};
    bool plain = false;
    ia_status st = IA_OK;

    for (size_t k = 0; k < q->n_projections; k++) {
        if (q->projections[k].expr.kind == IA_GQ_AGG)
            continue;
        plain = true;
        IA_GO(ia_xvalue(cx, x, r, &q->projections[k].expr, &cols[k]));
    }
    IA_GO(group_rows(cx, q, cols, r->n, &g));
    if (!plain && g.n == 0)
        g.n = 1; /* no rows and nothing to group by: one row of empty aggregates */
    for (size_t k = 0; k < q->n_projections; k++) {
        if (q->projections[k].expr.kind == IA_GQ_AGG)
            IA_GO(fold_projection(cx, x, r, &q->projections[k], &g, &cols[k]));
        else
            IA_GO(first_of_groups(cx, &g, &cols[k]));
    }
    *n_groups = g.n;
done:
    ia_free(g.of);
    ia_free(g.first);
    return st;
}
