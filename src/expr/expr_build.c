/* expr_build.c - nodes of expression trees, the columns and point values in them. */
#include "expr/expr_priv.h"

static ia_status node(ia_ctx *cx, ia_arena *a, ia_expr_op op, size_t n_args, ia_expr **out)
{
    ia_expr *e;

    *out = NULL;
    IA_TRY(IA_ARENA_NEW(cx, a, e));
    e->op = op;
    e->col = -1;
    if (n_args > 0)
        IA_TRY(IA_ARENA_ARRAY(cx, a, e->args, n_args));
    e->n_args = n_args;
    *out = e;
    return IA_OK;
}

ia_status ia_expr_column(ia_ctx *cx, ia_arena *a, const char *name, ia_expr **out)
{
    ia_expr *e = NULL;

    *out = NULL;
    IA_TRY(node(cx, a, IA_EXPR_COLUMN, 0, &e));
    IA_TRY(IA_SET(cx, e->name, ia_arena_strdup(cx, a, name)));
    *out = e;
    return IA_OK;
}

ia_status ia_expr_literal(ia_ctx *cx, ia_arena *a, const ia_scalar *v, ia_expr **out)
{
    ia_expr *e = NULL;

    *out = NULL;
    IA_TRY(node(cx, a, IA_EXPR_LITERAL, 0, &e));
    IA_TRY(ia_scalar_copy(cx, a, v, &e->lit));
    *out = e;
    return IA_OK;
}

ia_status ia_expr_unary(ia_ctx *cx, ia_arena *a, ia_expr_op op, ia_expr *x, ia_expr **out)
{
    IA_TRY(node(cx, a, op, 1, out));
    (*out)->args[0] = x;
    return IA_OK;
}

ia_status ia_expr_binary(ia_ctx *cx, ia_arena *a, ia_expr_op op, ia_expr *l, ia_expr *r,
                         ia_expr **out)
{
    IA_TRY(node(cx, a, op, 2, out));
    (*out)->args[0] = l;
    (*out)->args[1] = r;
    return IA_OK;
}

ia_status ia_expr_in(ia_ctx *cx, ia_arena *a, ia_expr *x, const ia_scalar *items, size_t n,
                     ia_expr **out)
{
    ia_expr *e = NULL;
    size_t i;

    *out = NULL;
    IA_TRY(ia_expr_unary(cx, a, IA_EXPR_IN, x, &e));
    IA_TRY(IA_ARENA_ARRAY(cx, a, e->items, n ? n : 1));
    for (i = 0; i < n; i++)
        IA_TRY(ia_scalar_copy(cx, a, &items[i], &e->items[i]));
    e->n_items = n;
    *out = e;
    return IA_OK;
}

ia_status ia_expr_like(ia_ctx *cx, ia_arena *a, ia_expr *x, const char *pattern, size_t n,
                       ia_expr **out)
{
    const ia_scalar s = ia_scalar_str(pattern, n);
    ia_expr *e = NULL;

    *out = NULL;
    IA_TRY(ia_expr_unary(cx, a, IA_EXPR_LIKE, x, &e));
    IA_TRY(ia_scalar_copy(cx, a, &s, &e->lit));
    *out = e;
    return IA_OK;
}

ia_status ia_expr_and(ia_ctx *cx, ia_arena *a, ia_expr *l, ia_expr *r, ia_expr **out)
{
    *out = l ? l : r;
    if (!l || !r)
        return IA_OK;
    return ia_expr_binary(cx, a, IA_EXPR_AND, l, r, out);
}

ia_status ia_expr_cmp(ia_ctx *cx, ia_arena *a, ia_expr_op op, const char *column,
                      const ia_scalar *v, ia_expr **out)
{
    ia_expr *l = NULL, *r = NULL;

    *out = NULL;
    IA_TRY(ia_expr_column(cx, a, column, &l));
    IA_TRY(ia_expr_literal(cx, a, v, &r));
    return ia_expr_binary(cx, a, op, l, r, out);
}

ia_expr_op ia_expr_flip(ia_expr_op op)
{
    switch ((int)op) {
    case IA_EXPR_LT:
        return IA_EXPR_GT;
    case IA_EXPR_LE:
        return IA_EXPR_GE;
    case IA_EXPR_GT:
        return IA_EXPR_LT;
    case IA_EXPR_GE:
        return IA_EXPR_LE;
    default: /* style: symmetric operators */
        return op;
    }
}

static ia_status add_columns(ia_ctx *cx, const ia_expr *e, ia_strlist *out, int depth)
{
    size_t i;

    if (depth > IA_EXPR_MAX_DEPTH)
        return ia_fail(cx, IA_ERR_INVALID, "a filter is nested more than %d deep",
                       IA_EXPR_MAX_DEPTH);
    if (e->op == IA_EXPR_COLUMN && !ia_strlist_has(out, e->name))
        return ia_strlist_add(cx, out, e->name);
    for (i = 0; i < e->n_args; i++)
        IA_TRY(add_columns(cx, e->args[i], out, depth + 1));
    return IA_OK;
}

ia_status ia_expr_columns(ia_ctx *cx, const ia_expr *e, ia_strlist *out)
{
    return e ? add_columns(cx, e, out, 0) : IA_OK;
}

static bool is_column(const ia_expr *e, const char *name)
{
    return e->op == IA_EXPR_COLUMN && strcmp(e->name, name) == 0;
}

static bool point_values(const ia_expr *e, const char *column, const ia_scalar **items, size_t *n,
                         int depth)
{
    size_t i;

    if (depth > IA_EXPR_MAX_DEPTH)
        return false;
    if (e->op == IA_EXPR_IN && is_column(e->args[0], column)) {
        *items = e->items;
        *n = e->n_items;
        return true;
    }
    for (i = 0; e->op == IA_EXPR_EQ && i < 2; i++)
        if (is_column(e->args[i], column) && e->args[1 - i]->op == IA_EXPR_LITERAL) {
            *items = &e->args[1 - i]->lit;
            *n = 1;
            return true;
        }
    for (i = 0; e->op == IA_EXPR_AND && i < e->n_args; i++)
        if (point_values(e->args[i], column, items, n, depth + 1))
            return true;
    return false;
}

bool ia_expr_point_values(const ia_expr *e, const char *column, const ia_scalar **items, size_t *n)
{
    *items = NULL;
    *n = 0;
    return e && point_values(e, column, items, n, 0);
}
