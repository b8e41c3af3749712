/* expr_kernel.c - comparisons of whole columns, in three-valued logic. */
#include "expr/expr_priv.h"

ia_tri ia_tri_cmp(ia_expr_op op, const ia_scalar *a, const ia_scalar *b)
{
    if (ia_scalar_is_null(a) || ia_scalar_is_null(b))
        return IA_NULL3;
    const int c = ia_scalar_cmp(a, b);
    bool yes = false;

    switch (op) {
    case IA_EXPR_EQ: yes = c == 0; break;
    case IA_EXPR_NE: yes = c != 0; break;
    case IA_EXPR_LT: yes = c == -1; break;
    case IA_EXPR_LE: yes = c == -1 || c == 0; break;
    case IA_EXPR_GT: yes = c == 1; break;
    case IA_EXPR_GE: yes = c == 1 || c == 0; break;
    case IA_EXPR_COLUMN: case IA_EXPR_LITERAL: case IA_EXPR_AND: case IA_EXPR_OR: case IA_EXPR_NOT:
    case IA_EXPR_IS_NULL: case IA_EXPR_IS_NOT_NULL: case IA_EXPR_IN: case IA_EXPR_CONTAINS:
    case IA_EXPR_STARTS_WITH: case IA_EXPR_LIKE: case IA_EXPR_HAS: break;
    }
    return yes ? IA_TRUE3 : IA_FALSE3;
}

void ia_kernel_mask(const ia_array *col, ia_tri *t)
{
    if (col->null_count == 0 && col->type->id != IA_TYPE_NULL)
        return;
    for (int64_t i = 0; i < col->length; i++)
        if (!ia_array_valid(col, i))
            t[i] = IA_NULL3;
}

/* ---- fast paths: plain loops over fixed-width values and strings --------------------------- */

#define CMP_LOOP(values, n, value, t, op)                                      \
    switch (op) {                                                              \
    case IA_EXPR_EQ: for (int64_t i = 0; i < (n); i++) (t)[i] = (values)[i] == (value) ? IA_TRUE3 : IA_FALSE3; break; \
    case IA_EXPR_NE: for (int64_t i = 0; i < (n); i++) (t)[i] = (values)[i] != (value) ? IA_TRUE3 : IA_FALSE3; break; \
    case IA_EXPR_LT: for (int64_t i = 0; i < (n); i++) (t)[i] = (values)[i] < (value) ? IA_TRUE3 : IA_FALSE3; break;  \
    case IA_EXPR_LE: for (int64_t i = 0; i < (n); i++) (t)[i] = (values)[i] <= (value) ? IA_TRUE3 : IA_FALSE3; break; \
    case IA_EXPR_GT: for (int64_t i = 0; i < (n); i++) (t)[i] = (values)[i] > (value) ? IA_TRUE3 : IA_FALSE3; break;  \
    default: for (int64_t i = 0; i < (n); i++) (t)[i] = (values)[i] >= (value) ? IA_TRUE3 : IA_FALSE3; break;         \
    }

/* Literal as i64 when the column is of a signed type and the literal an integer. */
static bool fast_signed(const ia_array *col, const ia_scalar *v, int64_t *out)
{
    if (ia_scalar_kind_of(v->type) == IA_KIND_SIGNED)
        *out = v->v.i64;
    else if (ia_scalar_kind_of(v->type) == IA_KIND_UNSIGNED && v->v.u64 <= INT64_MAX)
        *out = (int64_t)v->v.u64;
    else
        return false;
    return col->type->id == IA_TYPE_I32 || col->type->id == IA_TYPE_I64;
}

static bool cmp_fast(const ia_array *col, ia_expr_op op, const ia_scalar *v, ia_tri *t)
{
    int64_t x;

    if (fast_signed(col, v, &x)) {
        if (col->type->id == IA_TYPE_I64) {
            const int64_t *p = ia_array_values(col);
            CMP_LOOP(p, col->length, x, t, op)
        } else {
            const int32_t *p = ia_array_values(col);
            CMP_LOOP(p, col->length, x, t, op)
        }
        return true;
    }
    if (ia_scalar_kind_of(v->type) == IA_KIND_FLOAT && col->type->id == IA_TYPE_F64) {
        const double *p = ia_array_values(col);
        const double d = v->v.f64;
        CMP_LOOP(p, col->length, d, t, op)
        return true;
    }
    return false;
}

static bool cmp_strings(const ia_array *col, ia_expr_op op, const ia_scalar *v, ia_tri *t)
{
    if (!ia_type_is_var(col->type) || (op != IA_EXPR_EQ && op != IA_EXPR_NE))
        return false;
    const ia_tri same = op == IA_EXPR_EQ ? IA_TRUE3 : IA_FALSE3, other = (ia_tri)(2 - same);
    for (int64_t i = 0; i < col->length; i++) {
        const ia_view s = ia_array_str(col, i);
        t[i] = s.len == v->str.len && memcmp(s.data, v->str.data, s.len) == 0 ? same : other;
    }
    return true;
}

/* ---- kernels ------------------------------------------------------------------------------- */

ia_status ia_kernel_cmp(ia_ctx *cx, const ia_array *col, ia_expr_op op, const ia_scalar *v, ia_tri *t)
{
    ia_scalar x;

    if (ia_scalar_is_null(v) || col->type->id == IA_TYPE_NULL) {
        memset(t, IA_NULL3, (size_t)col->length);
        return IA_OK;
    }
    if (cmp_fast(col, op, v, t) || cmp_strings(col, op, v, t)) {
        ia_kernel_mask(col, t);
        return IA_OK;
    }
    for (int64_t i = 0; i < col->length; i++) {
        IA_TRY(ia_scalar_get(cx, col, i, &x));
        t[i] = ia_tri_cmp(op, &x, v);
    }
    return IA_OK;
}

ia_status ia_kernel_cmp_columns(ia_ctx *cx, const ia_array *a, ia_expr_op op, const ia_array *b, ia_tri *t)
{
    ia_scalar x, y;

    for (int64_t i = 0; i < a->length; i++) {
        IA_TRY(ia_scalar_get(cx, a, i, &x));
        IA_TRY(ia_scalar_get(cx, b, i, &y));
        t[i] = ia_tri_cmp(op, &x, &y);
    }
    return IA_OK;
}

/* Items by hash, so that a long list costs no more per row than a short one. */
typedef struct item_set {
    uint32_t *slots;   /* item number + 1, 0 = free */
    size_t mask;
    bool has_null;
} item_set;

static ia_status set_build(ia_ctx *cx, const ia_scalar *items, size_t n, item_set *s)
{
    size_t cap = 8;

    while (cap < n * 2)
        cap *= 2;
    IA_TRY(IA_NEW_ARRAY(cx, s->slots, cap));
    s->mask = cap - 1;
    for (size_t i = 0; i < n; i++) {
        if (ia_scalar_is_null(&items[i])) {
            s->has_null = true;
            continue;
        }
        size_t at = (size_t)ia_scalar_hash(&items[i], 0) & s->mask;
        while (s->slots[at])
            at = (at + 1) & s->mask;
        s->slots[at] = (uint32_t)i + 1;
    }
    return IA_OK;
}

static bool set_has(const item_set *s, const ia_scalar *items, const ia_scalar *x)
{
    for (size_t at = (size_t)ia_scalar_hash(x, 0) & s->mask; s->slots[at]; at = (at + 1) & s->mask)
        if (ia_scalar_cmp(&items[s->slots[at] - 1], x) == 0)
            return true;
    return false;
}

ia_status ia_kernel_in(ia_ctx *cx, const ia_array *col, const ia_scalar *items, size_t n, ia_tri *t)
{
    item_set s = {0};
    ia_scalar x;
    ia_status st;

    IA_GO(set_build(cx, items, n, &s));
    for (int64_t i = 0; i < col->length; i++) {
        IA_GO(ia_scalar_get(cx, col, i, &x));
        if (ia_scalar_is_null(&x))
            t[i] = IA_NULL3;
        else
            t[i] = set_has(&s, items, &x) ? IA_TRUE3 : s.has_null ? IA_NULL3 : IA_FALSE3;
    }
done:
    ia_free(s.slots);
    return st;
}

/* ---- text ---------------------------------------------------------------------------------- */

static size_t char_len(const char *s, size_t n)
{
    size_t k = 1;

    while (k < n && ((unsigned char)s[k] & 0xC0) == 0x80)
        k++;
    return k;
}

/* LIKE with % and _, backslash escapes; greedy with one step back, linear in practice. */
static bool like(ia_view s, ia_view p)
{
    size_t i = 0, k = 0, star = SIZE_MAX, retry = 0;

    while (i < s.len) {
        if (k < p.len && p.data[k] == '%') {
            star = k++;
            retry = i;
            continue;
        }
        if (k < p.len && p.data[k] == '_') {
            i += char_len(s.data + i, s.len - i);
            k++;
            continue;
        }
        const size_t lit = k + 1 < p.len && p.data[k] == '\\' ? k + 1 : k;
        if (lit < p.len && p.data[lit] == s.data[i]) {
            i++;
            k = lit + 1;
            continue;
        }
        if (star == SIZE_MAX)
            return false;
        k = star + 1;
        i = ++retry;
    }
    while (k < p.len && p.data[k] == '%')
        k++;
    return k == p.len;
}

bool ia_text_test(ia_expr_op op, ia_view text, ia_view v)
{
    if (op == IA_EXPR_LIKE)
        return like(text, v);
    if (op == IA_EXPR_STARTS_WITH)
        return text.len >= v.len && (v.len == 0 || memcmp(text.data, v.data, v.len) == 0);
    return v.len == 0 || (text.len >= v.len && memmem(text.data, text.len, v.data, v.len) != NULL);
}

void ia_kernel_text(const ia_array *col, ia_expr_op op, ia_view v, ia_tri *t)
{
    if (col->type->id == IA_TYPE_NULL) {
        memset(t, IA_NULL3, (size_t)col->length);
        return;
    }
    for (int64_t i = 0; i < col->length; i++)
        t[i] = !ia_array_valid(col, i) ? IA_NULL3 : ia_text_test(op, ia_array_str(col, i), v) ? IA_TRUE3 : IA_FALSE3;
}

ia_status ia_kernel_has(ia_ctx *cx, const ia_array *lists, const ia_scalar *v, ia_tri *t)
{
    ia_scalar x;

    for (int64_t i = 0; i < lists->length; i++) {
        int64_t start, len;
        t[i] = IA_NULL3;
        if (!ia_array_valid(lists, i) || ia_scalar_is_null(v))
            continue;
        t[i] = IA_FALSE3;
        ia_array_list(lists, i, &start, &len);
        for (int64_t k = start; k < start + len && t[i] == IA_FALSE3; k++) {
            IA_TRY(ia_scalar_get(cx, lists->children[0], k, &x));
            if (!ia_scalar_is_null(&x) && ia_scalar_cmp(&x, v) == 0)
                t[i] = IA_TRUE3;
        }
    }
    return IA_OK;
}
