/* expr_match.c - text tests: contains, starts_with and LIKE. */
#include "expr/expr_priv.h"

static size_t char_len(const char *s, size_t n)
{
    size_t k = 1;

    while (k < n && ((unsigned char)s[k] & 0xC0) == 0x80)
        k++;
    return k;
}

/* Greedy; on a mismatch the last % takes one byte more, and nothing before it is tried again. */
static bool like(ia_view s, ia_view p)
{
    size_t i = 0, k = 0, star = SIZE_MAX, retry = 0;

    while (i < s.len) {
        const size_t lit = k + 1 < p.len && p.data[k] == '\\' ? k + 1 : k;

        if (k < p.len && p.data[k] == '%') {
            star = k++;
            retry = i;
        } else if (k < p.len && p.data[k] == '_') {
            i += char_len(s.data + i, s.len - i);
            k++;
        } else if (lit < p.len && p.data[lit] == s.data[i]) {
            i++;
            k = lit + 1;
        } else if (star != SIZE_MAX) {
            retry += char_len(s.data + retry, s.len - retry);
            i = retry;
            k = star + 1;
        } else {
            return false;
        }
    }
    while (k < p.len && p.data[k] == '%')
        k++;
    return k == p.len;
}

bool ia_text_test(ia_expr_op op, ia_view text, ia_view v)
{
    if (op == IA_EXPR_LIKE)
        return like(text, v);
    if (text.len < v.len)
        return false;
    if (v.len == 0)
        return true;
    if (op == IA_EXPR_STARTS_WITH)
        return memcmp(text.data, v.data, v.len) == 0;
    return memmem(text.data, text.len, v.data, v.len) != NULL;
}

/* A pattern "abc%" or "%abc%" without other signs is a plain search for abc. */
static ia_expr_op simplify(ia_expr_op op, ia_view *v)
{
    const bool open = v->len > 1 && v->data[0] == '%';
    ia_view inner = *v;
    size_t i;

    if (op != IA_EXPR_LIKE || v->len == 0 || v->data[v->len - 1] != '%')
        return op;
    inner.data += open;
    inner.len -= 1u + open;
    for (i = 0; i < inner.len; i++)
        if (inner.data[i] == '%' || inner.data[i] == '_' || inner.data[i] == '\\')
            return op;
    *v = inner;
    return open ? IA_EXPR_CONTAINS : IA_EXPR_STARTS_WITH;
}

void ia_kernel_text(const ia_array *col, ia_expr_op op, ia_view v, ia_tri *t)
{
    int64_t i;

    op = simplify(op, &v);
    for (i = 0; i < col->length; i++)
        t[i] = !ia_array_valid(col, i)                     ? IA_NULL3
               : ia_text_test(op, ia_array_str(col, i), v) ? IA_TRUE3
                                                           : IA_FALSE3;
}
