/* expr_eval.c - evaluates bound trees over batches; selects and filters rows. */
#include "expr/expr_priv.h"

static ia_status eval(ia_ctx *cx, const ia_expr *e, const ia_batch *b, ia_tri *t);

ia_status ia_column_plain(ia_ctx *cx, const ia_array *a, ia_array **out)
{
    if (a->type->id == IA_TYPE_DICTIONARY)
        return ia_cast_array(cx, a, a->type->children[1].type, out);
    *out = ia_array_retain(a);
    return IA_OK;
}

/* Values of anything but a literal: a column, or the truth values of a condition. */
static ia_status operand(ia_ctx *cx, const ia_expr *e, const ia_batch *b, ia_array **out)
{
    if (e->op == IA_EXPR_COLUMN)
        return ia_column_plain(cx, b->cols[e->col], out);
    return ia_expr_eval(cx, e, b, out);
}

static ia_status compare(ia_ctx *cx, const ia_expr *e, const ia_batch *b, ia_tri *t)
{
    const bool swap = e->args[0]->op == IA_EXPR_LITERAL;
    const ia_expr *l = e->args[swap], *r = e->args[!swap];
    const ia_expr_op op = swap ? ia_expr_flip(e->op) : e->op;
    ia_array *x = NULL, *y = NULL;
    ia_status st;

    if (l->op == IA_EXPR_LITERAL) {
        memset(t, ia_tri_cmp(op, &l->lit, &r->lit), (size_t)b->rows);
        return IA_OK;
    }
    IA_GO(operand(cx, l, b, &x));
    if (r->op == IA_EXPR_LITERAL) {
        IA_GO(ia_kernel_cmp(cx, x, op, &r->lit, t));
    } else {
        IA_GO(operand(cx, r, b, &y));
        IA_GO(ia_kernel_cmp_columns(cx, x, op, y, t));
    }
done:
    ia_array_release(x);
    ia_array_release(y);
    return st;
}

/* Text tests where both sides may differ from row to row; x or y is NULL for a literal. */
static ia_status text_rows(ia_ctx *cx, const ia_expr *e, const ia_array *x, const ia_array *y,
                           const ia_scalar *v, int64_t rows, ia_tri *t)
{
    ia_scalar l = e->args[0]->lit, r = *v;
    int64_t i;

    for (i = 0; i < rows; i++) {
        if (x)
            IA_TRY(ia_scalar_get(cx, x, i, &l));
        if (y)
            IA_TRY(ia_scalar_get(cx, y, i, &r));
        t[i] = ia_scalar_is_null(&l) || ia_scalar_is_null(&r) ? IA_NULL3
               : ia_text_test(e->op, l.str, r.str)            ? IA_TRUE3
                                                              : IA_FALSE3;
    }
    return IA_OK;
}

static ia_status text(ia_ctx *cx, const ia_expr *e, const ia_batch *b, ia_tri *t)
{
    const ia_expr *l = e->args[0], *r = e->op == IA_EXPR_LIKE ? NULL : e->args[1];
    const ia_scalar *v = r ? &r->lit : &e->lit;
    ia_array *x = NULL, *y = NULL;
    ia_status st = IA_OK;

    if (l->op != IA_EXPR_LITERAL)
        IA_GO(operand(cx, l, b, &x));
    if (r && r->op != IA_EXPR_LITERAL)
        IA_GO(operand(cx, r, b, &y));
    if (x && !y && !ia_scalar_is_null(v))
        ia_kernel_text(x, e->op, v->str, t);
    else
        IA_GO(text_rows(cx, e, x, y, v, b->rows, t));
done:
    ia_array_release(x);
    ia_array_release(y);
    return st;
}

static ia_status in_list(ia_ctx *cx, const ia_expr *e, const ia_batch *b, ia_tri *t)
{
    const ia_expr *l = e->args[0];
    ia_tri any = IA_FALSE3;
    ia_array *x = NULL;
    ia_status st;
    size_t k;

    if (l->op == IA_EXPR_LITERAL) {
        for (k = 0; k < e->n_items; k++) {
            const ia_tri one = ia_tri_cmp(IA_EXPR_EQ, &l->lit, &e->items[k]);

            any = one > any ? one : any;
        }
        memset(t, ia_scalar_is_null(&l->lit) ? IA_NULL3 : any, (size_t)b->rows);
        return IA_OK;
    }
    IA_GO(operand(cx, l, b, &x));
    IA_GO(ia_kernel_in(cx, x, e->items, e->n_items, t));
done:
    ia_array_release(x);
    return st;
}

static ia_status null_test(ia_ctx *cx, const ia_expr *e, const ia_batch *b, ia_tri *t)
{
    const ia_expr *x = e->args[0];
    const ia_tri of_null = e->op == IA_EXPR_IS_NULL ? IA_TRUE3 : IA_FALSE3;
    ia_array *a = NULL;
    ia_status st;
    int64_t i;

    if (x->op == IA_EXPR_LITERAL) {
        memset(t, ia_scalar_is_null(&x->lit) ? of_null : 2 - of_null, (size_t)b->rows);
        return IA_OK;
    }
    IA_GO(operand(cx, x, b, &a));
    for (i = 0; i < b->rows; i++)
        t[i] = ia_array_valid(a, i) ? (ia_tri)(2 - of_null) : of_null;
done:
    ia_array_release(a);
    return st;
}

/* The rest of an AND is not looked at once every row is false, of an OR once every row is true. */
static bool settled(const ia_tri *t, int64_t rows, ia_tri end)
{
    int64_t i;

    for (i = 0; i < rows; i++)
        if (t[i] != end)
            return false;
    return true;
}

static ia_status junction(ia_ctx *cx, const ia_expr *e, const ia_batch *b, ia_tri *t)
{
    const bool is_and = e->op == IA_EXPR_AND;
    ia_tri *other = NULL;
    ia_status st;
    int64_t i;
    size_t k;

    IA_GO(eval(cx, e->args[0], b, t));
    if (e->n_args > 1)
        IA_GO(IA_SET(cx, other, ia_alloc(cx, (size_t)b->rows)));
    for (k = 1; k < e->n_args; k++) {
        if (settled(t, b->rows, is_and ? IA_FALSE3 : IA_TRUE3))
            break;
        IA_GO(eval(cx, e->args[k], b, other));
        if (is_and)
            for (i = 0; i < b->rows; i++)
                t[i] = other[i] < t[i] ? other[i] : t[i];
        else
            for (i = 0; i < b->rows; i++)
                t[i] = other[i] > t[i] ? other[i] : t[i];
    }
done:
    ia_free(other);
    return st;
}

static ia_status truth_of_column(ia_ctx *cx, const ia_array *a, ia_tri *t)
{
    const ia_scalar yes = ia_scalar_bool(true);
    ia_array *plain = NULL;
    ia_status st;

    IA_GO(ia_column_plain(cx, a, &plain));
    IA_GO(ia_kernel_cmp(cx, plain, IA_EXPR_EQ, &yes, t));
done:
    ia_array_release(plain);
    return st;
}

/* Depth is bounded by binding (IA_EXPR_MAX_DEPTH). */
static ia_status eval(ia_ctx *cx, const ia_expr *e, const ia_batch *b, ia_tri *t)
{
    switch (e->op) {
    case IA_EXPR_COLUMN:
        return truth_of_column(cx, b->cols[e->col], t);
    case IA_EXPR_LITERAL:
        memset(t, ia_scalar_is_null(&e->lit) ? IA_NULL3 : e->lit.v.b ? IA_TRUE3 : IA_FALSE3,
               (size_t)b->rows);
        return IA_OK;
    case IA_EXPR_EQ: case IA_EXPR_NE: case IA_EXPR_LT: case IA_EXPR_LE: case IA_EXPR_GT:
    case IA_EXPR_GE:
        return compare(cx, e, b, t);
    case IA_EXPR_AND: case IA_EXPR_OR:
        return junction(cx, e, b, t);
    case IA_EXPR_NOT:
        IA_TRY(eval(cx, e->args[0], b, t));
        for (int64_t i = 0; i < b->rows; i++)
            t[i] = (ia_tri)(2 - t[i]);
        return IA_OK;
    case IA_EXPR_IS_NULL: case IA_EXPR_IS_NOT_NULL:
        return null_test(cx, e, b, t);
    case IA_EXPR_IN:
        return in_list(cx, e, b, t);
    case IA_EXPR_CONTAINS: case IA_EXPR_STARTS_WITH: case IA_EXPR_LIKE:
        return text(cx, e, b, t);
    case IA_EXPR_HAS:
        return ia_kernel_has(cx, b->cols[e->args[0]->col], &e->args[1]->lit, t);
    }
    return ia_fail(cx, IA_ERR_INTERNAL, "unknown filter operator");
}

static ia_status truths(ia_ctx *cx, const ia_expr *e, const ia_batch *b, ia_tri **out)
{
    *out = NULL;
    if (!e->bound)
        return ia_fail(cx, IA_ERR_INTERNAL,
                       "a filter is evaluated before it was bound to a schema");
    IA_TRY(IA_NEW_ARRAY(cx, *out, (size_t)b->rows + 1));
    const ia_status st = eval(cx, e, b, *out);
    if (st != IA_OK) {
        ia_free(*out);
        *out = NULL;
    }
    return st;
}

ia_status ia_expr_eval(ia_ctx *cx, const ia_expr *e, const ia_batch *b, ia_array **out)
{
    const size_t n_bytes = ((size_t)b->rows + 7) / 8 + 1;
    uint8_t *validity = NULL, *bits = NULL;
    ia_buffer *v = NULL, *d = NULL;
    ia_tri *t = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(truths(cx, e, b, &t));
    IA_GO(IA_NEW_ARRAY(cx, validity, n_bytes));
    IA_GO(IA_NEW_ARRAY(cx, bits, n_bytes));
    for (int64_t i = 0; i < b->rows; i++) {
        if (t[i] != IA_NULL3)
            ia_bit_set(validity, i);
        if (t[i] == IA_TRUE3)
            ia_bit_set(bits, i);
    }
    st = ia_buffer_own(cx, validity, n_bytes, &v);
    validity = NULL;
    IA_GO(st);
    st = ia_buffer_own(cx, bits, n_bytes, &d);
    bits = NULL;
    IA_GO(st);
    st = ia_array_make(cx, ia_type_basic(IA_TYPE_BOOL), b->rows, -1, v, d, NULL, NULL, 0, out);
    v = d = NULL; /* taken over, also on failure */
done:
    ia_free(t);
    ia_free(validity);
    ia_free(bits);
    ia_buffer_release(v);
    ia_buffer_release(d);
    return st;
}

ia_status ia_expr_select(ia_ctx *cx, const ia_expr *e, const ia_batch *b, int64_t **idx, int64_t *n)
{
    ia_tri *t = NULL;
    int64_t *out = NULL, k = 0;
    ia_status st;

    *idx = NULL;
    *n = 0;
    if (e)
        IA_GO(truths(cx, e, b, &t));
    IA_GO(IA_NEW_ARRAY(cx, out, (size_t)b->rows + 1));
    for (int64_t i = 0; i < b->rows; i++) {
        out[k] = i;
        k += !t || t[i] == IA_TRUE3;
    }
    *idx = out;
    *n = k;
    out = NULL;
done:
    ia_free(t);
    ia_free(out);
    return st;
}

ia_status ia_expr_filter(ia_ctx *cx, const ia_expr *e, const ia_batch *b, ia_batch **out)
{
    int64_t *idx = NULL, n = 0;
    ia_status st;

    *out = NULL;
    IA_GO(ia_expr_select(cx, e, b, &idx, &n));
    if (n == b->rows)
        *out = ia_batch_retain(b);
    else
        st = ia_take_batch(cx, b, idx, n, out);
done:
    ia_free(idx);
    return st;
}
