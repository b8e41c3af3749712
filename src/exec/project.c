/* project.c - return, order and limit. */
#include <stdlib.h>

#include "exec/exec_priv.h"

typedef struct sort_key {
    ia_array *col; /* owned */
    bool desc;
} sort_key;

typedef struct sorter {
    sort_key *keys;
    size_t n, cap;
} sorter;

static void sorter_dispose(sorter *s)
{
    for (size_t i = 0; i < s->n; i++)
        ia_array_release(s->keys[i].col);
    ia_free(s->keys);
}

/* Takes over col, also on failure. */
static ia_status sorter_add(ia_ctx *cx, sorter *s, ia_array *col, bool desc)
{
    const ia_status st = IA_GROW(cx, s->keys, s->cap, s->n + 1);

    if (st != IA_OK) {
        ia_array_release(col);
        return st;
    }
    s->keys[s->n++] = (sort_key){col, desc};
    return IA_OK;
}

/* Null is smallest: first ascending, last descending. */
static int row_order(const void *a, const void *b, void *arg)
{
    const sorter *s = arg;
    const int64_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

    for (size_t k = 0; k < s->n; k++) {
        const int c = ia_value_cmp(s->keys[k].col, i, s->keys[k].col, j);
        if (c != 0)
            return s->keys[k].desc ? -c : c;
    }
    return i < j ? -1 : i > j;
}

static ia_status sort_rows(ia_ctx *cx, sorter *s, size_t n, uint32_t **out)
{
    IA_TRY(IA_NEW_ARRAY(cx, *out, n + 1));
    for (size_t i = 0; i < n; i++)
        (*out)[i] = (uint32_t)i;
    if (s->n > 0 && n > 1)
        qsort_r(*out, n, sizeof **out, row_order, s);
    return IA_OK;
}

static size_t limited(const ia_gq_query *q, size_t n)
{
    return q->has_limit && q->limit < n ? (size_t)q->limit : n;
}

/* ---- result schema ------------------------------------------------------------------------- */

static ia_status result_schema(ia_ctx *cx, const ia_gq_query *q, ia_schema **out)
{
    ia_field *fields = NULL;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, fields, q->n_projections + 1));
    for (size_t k = 0; k < q->n_projections; k++) {
        fields[k].name = (char *)(uintptr_t)q->projections[k].name;
        fields[k].nullable = true;
        IA_GO(ia_proptype_arrow(cx, q->projections[k].type, &fields[k].type));
    }
    IA_GO(ia_schema_new(cx, fields, q->n_projections, out));
done:
    for (size_t k = 0; fields && k < q->n_projections; k++)
        ia_type_release(fields[k].type);
    ia_free(fields);
    return st;
}

/* Takes over cols and the arrays in it. */
static ia_status make_batch(ia_ctx *cx, const ia_gq_query *q, int64_t rows, ia_array **cols,
                            ia_batch **out)
{
    ia_schema *s = NULL;
    ia_status st = result_schema(cx, q, &s);

    if (st == IA_OK) {
        st = ia_batch_make(cx, s, rows, cols, out);
    } else {
        for (size_t k = 0; k < q->n_projections; k++)
            ia_array_release(cols[k]);
    }
    ia_schema_release(s);
    ia_free(cols);
    return st;
}

/* ---- plain rows ---------------------------------------------------------------------------- */

static int name_order(const void *a, const void *b, void *arg)
{
    const ia_gq_var *vars = arg;

    return strcmp(vars[*(const int *)a].name, vars[*(const int *)b].name);
}

/* Ties go by the ids of all named variables, variables in order of name. */
static ia_status add_tie_keys(ia_ctx *cx, ia_xq *x, const ia_xrel *r, sorter *s)
{
    int *order = NULL;
    size_t n = 0;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, order, r->n_vars + 1));
    for (size_t v = 0; v < r->n_vars; v++)
        if (r->col[v] && !x->q->vars[v].anonymous && x->q->vars[v].depth == 0)
            order[n++] = (int)v;
    if (n > 1)
        qsort_r(order, n, sizeof *order, name_order, (void *)(uintptr_t)x->q->vars);
    for (size_t i = 0; i < n; i++) {
        ia_array *ids = NULL;
        const ia_gq_expr e = {.kind = IA_GQ_VAR, .var = order[i]};
        IA_GO(ia_xvalue(cx, x, r, &e, &ids));
        IA_GO(sorter_add(cx, s, ids, false));
    }
done:
    ia_free(order);
    return st;
}

static ia_status order_rows(ia_ctx *cx, ia_xq *x, const ia_xrel *r, uint32_t **out)
{
    const ia_gq_query *q = x->q;
    sorter s = {0};
    ia_status st = IA_OK;

    for (size_t k = 0; k < q->n_orders; k++) {
        const ia_gq_order *o = &q->orders[k];
        ia_array *col = NULL;
        IA_GO(ia_xvalue(cx, x, r,
                        o->projection >= 0 ? &q->projections[o->projection].expr : &o->expr, &col));
        IA_GO(sorter_add(cx, &s, col, o->desc));
    }
    if (q->n_orders > 0)
        IA_GO(add_tie_keys(cx, x, r, &s));
    IA_GO(sort_rows(cx, &s, r->n, out));
done:
    sorter_dispose(&s);
    return st;
}

static ia_status copy_columns(ia_ctx *cx, const ia_xrel *r, const uint32_t *idx, size_t n,
                              ia_xrel *out)
{
    IA_TRY(ia_xrel_init(cx, out, r->n_vars));
    out->n = n;
    for (size_t v = 0; v < r->n_vars; v++) {
        if (!r->col[v])
            continue;
        IA_TRY(IA_NEW_ARRAY(cx, out->col[v], n + 1));
        for (size_t i = 0; i < n; i++)
            out->col[v][i] = r->col[v][idx[i]];
    }
    return IA_OK;
}

static ia_status project_rows(ia_ctx *cx, ia_xq *x, const ia_xrel *r, ia_batch **out)
{
    const ia_gq_query *q = x->q;
    const size_t n = limited(q, r->n);
    uint32_t *order = NULL;
    ia_xrel rows = {0};
    ia_array **cols = NULL;
    ia_status st;

    IA_GO(order_rows(cx, x, r, &order));
    IA_GO(copy_columns(cx, r, order, n, &rows));
    IA_GO(IA_NEW_ARRAY(cx, cols, q->n_projections + 1));
    for (size_t k = 0; k < q->n_projections; k++)
        IA_GO(ia_xvalue(cx, x, &rows, &q->projections[k].expr, &cols[k]));
    st = make_batch(cx, q, (int64_t)n, cols, out);
    cols = NULL;
done:
    for (size_t k = 0; cols && k < q->n_projections; k++)
        ia_array_release(cols[k]);
    ia_free(cols);
    ia_free(order);
    ia_xrel_dispose(&rows);
    return st;
}

/* ---- groups -------------------------------------------------------------------------------- */

static ia_status order_groups(ia_ctx *cx, const ia_gq_query *q, ia_array **cols, size_t n,
                              uint32_t **out)
{
    sorter s = {0};
    ia_status st = IA_OK;

    for (size_t k = 0; k < q->n_orders; k++) {
        const ia_gq_order *o = &q->orders[k];
        if (o->projection < 0)
            IA_GO(ia_fail(cx, IA_ERR_INTERNAL,
                          "query: an aggregate is ordered by a column that is not returned"));
        IA_GO(sorter_add(cx, &s, ia_array_retain(cols[o->projection]), o->desc));
    }
    for (size_t k = 0; q->n_orders > 0 && k < q->n_projections; k++)
        if (q->projections[k].expr.kind != IA_GQ_AGG)
            IA_GO(sorter_add(cx, &s, ia_array_retain(cols[k]), false));
    IA_GO(sort_rows(cx, &s, n, out));
done:
    sorter_dispose(&s);
    return st;
}

static ia_status project_groups(ia_ctx *cx, ia_xq *x, const ia_xrel *r, ia_batch **out)
{
    const ia_gq_query *q = x->q;
    ia_array **cols = NULL;
    ia_batch *all = NULL;
    uint32_t *order = NULL;
    int64_t *idx = NULL;
    size_t n = 0;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, cols, q->n_projections + 1));
    IA_GO(ia_xaggregate(cx, x, r, cols, &n));
    IA_GO(order_groups(cx, q, cols, n, &order));
    st = make_batch(cx, q, (int64_t)n, cols, &all);
    cols = NULL;
    IA_GO(st);
    n = limited(q, n);
    IA_GO(IA_NEW_ARRAY(cx, idx, n + 1));
    for (size_t i = 0; i < n; i++)
        idx[i] = order[i];
    IA_GO(ia_take_batch(cx, all, idx, (int64_t)n, out));
done:
    for (size_t k = 0; cols && k < q->n_projections; k++)
        ia_array_release(cols[k]);
    ia_free(cols);
    ia_free(order);
    ia_free(idx);
    ia_batch_release(all);
    return st;
}

ia_status ia_xproject(ia_ctx *cx, ia_xq *x, const ia_xrel *r, ia_batch **out)
{
    *out = NULL;
    return x->q->is_aggregate ? project_groups(cx, x, r, out) : project_rows(cx, x, r, out);
}
