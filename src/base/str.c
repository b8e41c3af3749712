/* str.c - string views, owned byte blocks, string lists. */
#include "base/str.h"

#include <stdlib.h>

ia_view ia_view_of(const char *s)
{
    return (ia_view){s, s ? strlen(s) : 0};
}

bool ia_view_eq(ia_view a, ia_view b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

bool ia_view_eq_str(ia_view a, const char *s)
{
    return ia_view_eq(a, ia_view_of(s));
}

int ia_view_cmp(ia_view a, ia_view b)
{
    const size_t n = a.len < b.len ? a.len : b.len;
    const int c = n > 0 ? memcmp(a.data, b.data, n) : 0;
    return c != 0 ? c : (a.len > b.len) - (a.len < b.len);
}

bool ia_view_starts_with(ia_view a, const char *prefix)
{
    const size_t n = strlen(prefix);
    return a.len >= n && (n == 0 || memcmp(a.data, prefix, n) == 0);
}

bool ia_view_ends_with(ia_view a, const char *suffix)
{
    const size_t n = strlen(suffix);
    return a.len >= n && (n == 0 || memcmp(a.data + a.len - n, suffix, n) == 0);
}

bool ia_str_eq(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool ia_str_eq_nocase(const char *a, const char *b)
{
    if (!a || !b)
        return a == b;
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return lower(*a) == lower(*b);
}

void ia_bytes_dispose(ia_bytes *b)
{
    if (!b)
        return;
    ia_free(b->data);
    *b = (ia_bytes){0};
}

ia_status ia_bytes_copy(ia_ctx *cx, const void *data, size_t len, ia_bytes *out)
{
    *out = (ia_bytes){0};
    uint8_t *copy = ia_alloc(cx, len);
    if (!copy)
        return cx->err.code;
    if (len > 0)
        memcpy(copy, data, len);
    *out = (ia_bytes){copy, len};
    return IA_OK;
}

void ia_bytes_move(ia_bytes *dst, ia_bytes *src)
{
    *dst = *src;
    *src = (ia_bytes){0};
}

ia_status ia_strlist_addn(ia_ctx *cx, ia_strlist *l, const char *s, size_t n)
{
    IA_TRY(IA_GROW(cx, l->items, l->cap, l->n + 1));
    char *copy = ia_strndup(cx, s, n);
    if (!copy)
        return cx->err.code;
    l->items[l->n++] = copy;
    return IA_OK;
}

ia_status ia_strlist_add(ia_ctx *cx, ia_strlist *l, const char *s)
{
    return ia_strlist_addn(cx, l, s, strlen(s));
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void ia_strlist_sort(ia_strlist *l)
{
    if (l->n > 1)
        qsort(l->items, l->n, sizeof *l->items, by_bytes);
}

bool ia_strlist_has(const ia_strlist *l, const char *s)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->items[i], s) == 0)
            return true;
    return false;
}

void ia_strlist_dispose(ia_strlist *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->n; i++)
        ia_free(l->items[i]);
    ia_free(l->items);
    *l = (ia_strlist){0};
}
