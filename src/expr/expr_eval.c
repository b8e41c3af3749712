/* expr_eval.c - evaluates bound trees over batches; selects and filters rows. */
#include "expr/expr_priv.h"

static ia_status eval(ia_ctx *cx, const ia_expr *e, const ia_batch *b, ia_tri *t);

/* A dictionary column is compared by its values. */
static ia_status plain_column(ia_ctx *cx, const ia_batch *b, const ia_expr *e, ia_array **out)
{
    const ia_array *a = b->cols[e->col];

    if (a->type->id != IA_TYPE_DICTIONARY) {
        *out = ia_array_retain(a);
        return IA_OK;
    }
    return ia_cast_array(cx, a, a->type->children[1].type, out);
}

static ia_status compare(ia_ctx *cx, const ia_expr *e, const ia_batch *b, ia_tri *t)
{
    const ia_expr *l = e->args[0], *r = e->args[1];
    ia_array *x = NULL, *y = NULL;
    ia_expr_op op = e->op;
    ia_status st;

    if (l->op == IA_EXPR_LITERAL && r->op == IA_EXPR_LITERAL) {
        memset(t, ia_tri_cmp(op, &l->lit, &r->lit), (size_t)b->rows);
        return IA_OK;
    }
    if (l->op == IA_EXPR_LITERAL) {
        const ia_expr *swap = l;
        l = r;
        r = swap;
        op = ia_expr_flip(op);
    }
    if (l->op != IA_EXPR_COLUMN || (r->op != IA_EXPR_COLUMN && r->op != IA_EXPR_LITERAL))
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "a filter compares columns and values, not conditions");
    IA_GO(plain_column(cx, b, l, &x));
    if (r->op == IA_EXPR_LITERAL) {
        st = ia_kernel_cmp(cx, x, op, &r->lit, t);
        goto done;
    }
    IA_GO(plain_column(cx, b, r, &y));
    st = ia_kernel_cmp_columns(cx, x, op, y, t);
done:
    ia_array_release(x);
    ia_array_release(y);
    return st;
}

static ia_status text(ia_ctx *cx, const ia_expr *e, const ia_batch *b, ia_tri *t)
{
    const ia_expr *l = e->args[0];
    const ia_scalar *v = e->op == IA_EXPR_LIKE ? &e->lit : &e->args[1]->lit;
    ia_array *x = NULL;
    ia_status st;

    if (e->op != IA_EXPR_LIKE && e->args[1]->op != IA_EXPR_LITERAL)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "the text searched for must be a value, not a column");
    if (ia_scalar_is_null(v) || (l->op == IA_EXPR_LITERAL && ia_scalar_is_null(&l->lit))) {
        memset(t, IA_NULL3, (size_t)b->rows);
        return IA_OK;
    }
    if (l->op == IA_EXPR_LITERAL) {
        memset(t, ia_text_test(e->op, l->lit.str, v->str) ? IA_TRUE3 : IA_FALSE3, (size_t)b->rows);
        return IA_OK;
    }
    IA_GO(plain_column(cx, b, l, &x));
    ia_kernel_text(x, e->op, v->str, t);
done:
    ia_array_release(x);
    return st;
}

static ia_status in_list(ia_ctx *cx, const ia_expr *e, const ia_batch *b, ia_tri *t)
{
    ia_array *x = NULL;
    ia_status st;

    if (e->args[0]->op != IA_EXPR_COLUMN)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "IN takes a column on its left side");
    IA_GO(plain_column(cx, b, e->args[0], &x));
    IA_GO(ia_kernel_in(cx, x, e->items, e->n_items, t));
done:
    ia_array_release(x);
    return st;
}

static ia_status null_test(ia_ctx *cx, const ia_expr *e, const ia_batch *b, ia_tri *t)
{
    const ia_expr *x = e->args[0];
    const bool want_null = e->op == IA_EXPR_IS_NULL;

    if (x->op == IA_EXPR_COLUMN) {
        for (int64_t i = 0; i < b->rows; i++)
            t[i] = ia_array_valid(b->cols[x->col], i) != want_null ? IA_TRUE3 : IA_FALSE3;
        return IA_OK;
    }
    IA_TRY(eval(cx, x, b, t));
    for (int64_t i = 0; i < b->rows; i++)
        t[i] = (t[i] == IA_NULL3) == want_null ? IA_TRUE3 : IA_FALSE3;
    return IA_OK;
}

static ia_status junction(ia_ctx *cx, const ia_expr *e, const ia_batch *b, ia_tri *t)
{
    const bool is_and = e->op == IA_EXPR_AND;
    ia_tri *other = NULL;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, other, (size_t)b->rows + 1));
    memset(t, is_and ? IA_TRUE3 : IA_FALSE3, (size_t)b->rows);
    for (size_t k = 0; k < e->n_args; k++) {
        IA_GO(eval(cx, e->args[k], b, other));
        for (int64_t i = 0; i < b->rows; i++)
            t[i] = (is_and ? other[i] < t[i] : other[i] > t[i]) ? other[i] : t[i];
    }
done:
    ia_free(other);
    return st;
}

static void truth_of_column(const ia_array *a, ia_tri *t)
{
    for (int64_t i = 0; i < a->length; i++)
        t[i] = !ia_array_valid(a, i) ? IA_NULL3 : ia_array_bool(a, i) ? IA_TRUE3 : IA_FALSE3;
}

/* Depth is bounded by binding (IA_EXPR_MAX_DEPTH). */
static ia_status eval(ia_ctx *cx, const ia_expr *e, const ia_batch *b, ia_tri *t)
{
    switch (e->op) {
    case IA_EXPR_COLUMN:
        truth_of_column(b->cols[e->col], t);
        return IA_OK;
    case IA_EXPR_LITERAL:
        memset(t, ia_scalar_is_null(&e->lit) ? IA_NULL3 : e->lit.v.b ? IA_TRUE3 : IA_FALSE3, (size_t)b->rows);
        return IA_OK;
    case IA_EXPR_EQ: case IA_EXPR_NE: case IA_EXPR_LT: case IA_EXPR_LE: case IA_EXPR_GT: case IA_EXPR_GE:
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
        return ia_fail(cx, IA_ERR_INTERNAL, "a filter is evaluated before it was bound to a schema");
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
