/* filter.c - conditions: as scan filters where they can be, else over the rows of the relation. */
#include "exec/exec_priv.h"
#include "lang/query/gq_build.h"

static bool is_constant(const ia_gq_expr *e)
{
    return e->kind == IA_GQ_LITERAL || e->kind == IA_GQ_PARAM || e->kind == IA_GQ_NOW;
}

bool ia_xpred_is_local(const ia_gq_pred *p, int var)
{
    /* `$list contains $v.p`: a list has no scan literal, so rows are tested one by one. */
    if (is_constant(&p->lhs) && p->lhs.type.is_list)
        return false;
    return (p->lhs.kind == IA_GQ_PROP && p->lhs.var == var && is_constant(&p->rhs)) ||
           (p->rhs.kind == IA_GQ_PROP && p->rhs.var == var && is_constant(&p->lhs));
}

static ia_gq_op mirrored(ia_gq_op op)
{
    switch (op) {
    case IA_GQ_LT:
        return IA_GQ_GT;
    case IA_GQ_LE:
        return IA_GQ_GE;
    case IA_GQ_GT:
        return IA_GQ_LT;
    case IA_GQ_GE:
        return IA_GQ_LE;
    case IA_GQ_EQ:
    case IA_GQ_NE:
    case IA_GQ_CONTAINS:
    case IA_GQ_STARTS_WITH:
    case IA_GQ_HAS:
        break;
    }
    return op;
}

static bool is_symmetric(ia_gq_op op)
{
    return op != IA_GQ_CONTAINS && op != IA_GQ_STARTS_WITH && op != IA_GQ_HAS;
}

static ia_expr_op expr_op(ia_gq_op op, bool on_list)
{
    static const ia_expr_op ops[] = {[IA_GQ_EQ] = IA_EXPR_EQ,
                                     [IA_GQ_NE] = IA_EXPR_NE,
                                     [IA_GQ_LT] = IA_EXPR_LT,
                                     [IA_GQ_LE] = IA_EXPR_LE,
                                     [IA_GQ_GT] = IA_EXPR_GT,
                                     [IA_GQ_GE] = IA_EXPR_GE,
                                     [IA_GQ_CONTAINS] = IA_EXPR_CONTAINS,
                                     [IA_GQ_STARTS_WITH] = IA_EXPR_STARTS_WITH,
                                     [IA_GQ_HAS] = IA_EXPR_HAS};
    return op == IA_GQ_CONTAINS && on_list ? IA_EXPR_HAS : ops[op];
}

ia_status ia_xpred_expr(ia_ctx *cx, ia_xq *x, ia_arena *a, const ia_gq_pred *p, ia_expr **out,
                        bool *never)
{
    const bool left = p->lhs.kind == IA_GQ_PROP;
    const ia_gq_expr *prop = left ? &p->lhs : &p->rhs, *other = left ? &p->rhs : &p->lhs;
    const ia_property *def = &x->q->vars[prop->var].type->properties[prop->prop];
    ia_expr *column, *value;
    ia_gq_value v;

    *out = NULL;
    *never = false;
    IA_TRY(ia_gq_eval(cx, x->params, other, &v));
    if (v.kind == IA_GQ_NULL) { /* nothing compares with null */
        *never = true;
        return IA_OK;
    }
    const ia_scalar s = ia_gq_scalar(&v);
    IA_TRY(ia_expr_column(cx, a, def->name, &column));
    IA_TRY(ia_expr_literal(cx, a, &s, &value));
    if (left)
        return ia_expr_binary(cx, a, expr_op(p->op, def->type.is_list), column, value, out);
    if (is_symmetric(p->op))
        return ia_expr_binary(cx, a, expr_op(mirrored(p->op), false), column, value, out);
    return ia_expr_binary(cx, a, expr_op(p->op, false), value, column, out);
}

/* ---- over rows ----------------------------------------------------------------------------- */

static bool holds(ia_view s, ia_view part)
{
    return part.len == 0 ||
           (s.len >= part.len && memmem(s.data, s.len, part.data, part.len) != NULL);
}

static ia_status compare(ia_ctx *cx, ia_gq_op op, const ia_array *l, const ia_array *r, int64_t i,
                         bool *out)
{
    ia_scalar a, b;

    IA_TRY(ia_scalar_get(cx, l, i, &a));
    IA_TRY(ia_scalar_get(cx, r, i, &b));
    const int c = ia_scalar_cmp(&a, &b);
    switch (op) {
    case IA_GQ_EQ:
        *out = c == 0;
        break;
    case IA_GQ_NE:
        *out = c != 0;
        break;
    case IA_GQ_LT:
        *out = c == -1;
        break;
    case IA_GQ_LE:
        *out = c == -1 || c == 0;
        break;
    case IA_GQ_GT:
        *out = c == 1;
        break;
    case IA_GQ_GE:
        *out = c == 1 || c == 0;
        break;
    case IA_GQ_CONTAINS:
        *out = holds(a.str, b.str);
        break;
    case IA_GQ_STARTS_WITH:
        *out = a.str.len >= b.str.len &&
               (b.str.len == 0 || memcmp(a.str.data, b.str.data, b.str.len) == 0);
        break;
    case IA_GQ_HAS:
        *out = false;
        break;
    }
    return IA_OK;
}

static ia_status member(ia_ctx *cx, const ia_array *list, const ia_array *item, int64_t i,
                        bool *out)
{
    int64_t start, len;
    ia_scalar want, have;

    *out = false;
    IA_TRY(ia_scalar_get(cx, item, i, &want));
    ia_array_list(list, i, &start, &len);
    for (int64_t k = start; k < start + len && !*out; k++) {
        if (!ia_array_valid(list->children[0], k))
            continue;
        IA_TRY(ia_scalar_get(cx, list->children[0], k, &have));
        *out = ia_scalar_cmp(&have, &want) == 0;
    }
    return IA_OK;
}

static ia_status is_true(ia_ctx *cx, const ia_gq_pred *p, const ia_array *l, const ia_array *r,
                         int64_t i, bool *out)
{
    *out = false;
    if (!ia_array_valid(l, i) || !ia_array_valid(r, i))
        return IA_OK;
    if (l->type->id == IA_TYPE_LIST)
        return member(cx, l, r, i, out);
    return compare(cx, p->op, l, r, i, out);
}

ia_status ia_xfilter(ia_ctx *cx, ia_xq *x, ia_xrel *r, const ia_gq_pred *p)
{
    ia_array *l = NULL, *rhs = NULL;
    uint32_t *keep = NULL;
    size_t n = 0;
    ia_status st;

    IA_GO(ia_xvalue(cx, x, r, &p->lhs, &l));
    IA_GO(ia_xvalue(cx, x, r, &p->rhs, &rhs));
    IA_GO(IA_NEW_ARRAY(cx, keep, r->n + 1));
    for (size_t i = 0; i < r->n; i++) {
        bool yes;
        IA_GO(is_true(cx, p, l, rhs, (int64_t)i, &yes));
        if (yes)
            keep[n++] = (uint32_t)i;
    }
    if (n < r->n)
        IA_GO(ia_xrel_gather(cx, r, keep, n));
done:
    ia_array_release(l);
    ia_array_release(rhs);
    ia_free(keep);
    return st;
}
