/* relation.c - the rows of a match while it grows. */
#include "exec/exec_priv.h"

ia_status ia_xrel_init(ia_ctx *cx, ia_xrel *r, size_t n_vars)
{
    *r = (ia_xrel){.n = 1, .n_vars = n_vars};
    return IA_NEW_ARRAY(cx, r->col, n_vars + 1);
}

void ia_xrel_dispose(ia_xrel *r)
{
    for (size_t v = 0; r->col && v < r->n_vars; v++)
        ia_free(r->col[v]);
    ia_free(r->col);
    ia_free(r->origin);
    *r = (ia_xrel){0};
}

static ia_status gather_column(ia_ctx *cx, uint32_t **col, const uint32_t *idx, size_t n)
{
    uint32_t *out;

    IA_TRY(IA_NEW_ARRAY(cx, out, n + 1));
    for (size_t i = 0; i < n; i++)
        out[i] = (*col)[idx[i]];
    ia_free(*col);
    *col = out;
    return IA_OK;
}

ia_status ia_xrel_gather(ia_ctx *cx, ia_xrel *r, const uint32_t *idx, size_t n)
{
    for (size_t v = 0; v < r->n_vars; v++)
        if (r->col[v])
            IA_TRY(gather_column(cx, &r->col[v], idx, n));
    if (r->origin)
        IA_TRY(gather_column(cx, &r->origin, idx, n));
    r->n = n;
    return IA_OK;
}

ia_status ia_xrows_add(ia_ctx *cx, ia_xrows *l, uint32_t row, uint32_t a, uint32_t b)
{
    if (l->n >= IA_XNONE)
        return ia_fail(cx, IA_ERR_OVER_BUDGET,
                       "the match has more than 4,294,967,294 rows: add conditions");
    IA_TRY(IA_GROW(cx, l->row, l->cap_row, l->n + 1));
    IA_TRY(IA_GROW(cx, l->a, l->cap_a, l->n + 1));
    IA_TRY(IA_GROW(cx, l->b, l->cap_b, l->n + 1));
    l->row[l->n] = row;
    l->a[l->n] = a;
    l->b[l->n++] = b;
    return IA_OK;
}

void ia_xrows_dispose(ia_xrows *l)
{
    ia_free(l->row);
    ia_free(l->a);
    ia_free(l->b);
    *l = (ia_xrows){0};
}

static void bind(ia_xrel *r, int var, uint32_t **values)
{
    if (var < 0 || r->col[var])
        return;
    r->col[var] = *values;
    *values = NULL;
}

static ia_status ensure(ia_ctx *cx, uint32_t **p)
{
    return *p ? IA_OK : IA_NEW_ARRAY(cx, *p, 1);
}

ia_status ia_xrel_take(ia_ctx *cx, ia_xrel *r, ia_xrows *l, int var_a, int var_b)
{
    ia_status st;

    IA_GO(ensure(cx, &l->row));
    IA_GO(ensure(cx, &l->a));
    IA_GO(ensure(cx, &l->b));
    IA_GO(ia_xrel_gather(cx, r, l->row, l->n));
    bind(r, var_a, &l->a);
    bind(r, var_b, &l->b);
done:
    ia_xrows_dispose(l);
    return st;
}
