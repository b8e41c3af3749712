/* arena.c - blocks of growing size that are freed together. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>

#define ALIGN ((size_t)16)
#define FIRST ((size_t)1024)
#define LARGEST ((size_t)256 * 1024)

struct ia_arena_block {
    struct ia_arena_block *next; /* older */
    size_t size;                 /* payload bytes */
    size_t used;                 /* a multiple of ALIGN */
    size_t pad;                  /* keeps the payload 16-aligned */
};

_Static_assert(sizeof(struct ia_arena_block) % 16 == 0, "the payload is 16-aligned");

static struct ia_arena_block *block_new(ia_ctx *cx, size_t size)
{
    size_t total;
    if (!ia_add_size(&total, size, sizeof(struct ia_arena_block))) {
        ia_fail(cx, IA_ERR_NO_MEMORY, "an object of %zu bytes is too large", size);
        return NULL;
    }
    struct ia_arena_block *b = ia_calloc(cx, 1, total);
    if (b)
        b->size = size;
    return b;
}

void *ia_arena_alloc(ia_ctx *cx, ia_arena *a, size_t n)
{
    size_t need;
    if (!ia_add_size(&need, n > 0 ? n : 1, ALIGN - 1)) {
        ia_fail(cx, IA_ERR_NO_MEMORY, "an object of %zu bytes is too large", n);
        return NULL;
    }
    need &= ~(ALIGN - 1);
    struct ia_arena_block *b = a->head;
    if (!b || b->size - b->used < need) {
        size_t size = b ? b->size : FIRST / 2;
        size = size < LARGEST / 2 ? size * 2 : LARGEST;
        const bool own = need > size / 2; /* large objects do not waste the rest of a block */
        struct ia_arena_block *fresh = block_new(cx, own ? need : size);
        if (!fresh)
            return NULL;
        if (own && b) {
            fresh->next = b->next;
            b->next = fresh;
        } else {
            fresh->next = b;
            a->head = fresh;
        }
        b = fresh;
    }
    void *p = (uint8_t *)(b + 1) + b->used;
    b->used += need;
    return p;
}

void *ia_arena_calloc(ia_ctx *cx, ia_arena *a, size_t count, size_t size)
{
    size_t n;
    if (!ia_mul_size(&n, count, size)) {
        ia_fail(cx, IA_ERR_NO_MEMORY, "an array of %zu items is too large", count);
        return NULL;
    }
    return ia_arena_alloc(cx, a, n);
}

char *ia_arena_strndup(ia_ctx *cx, ia_arena *a, const char *s, size_t n)
{
    if (n == SIZE_MAX) {
        ia_fail(cx, IA_ERR_NO_MEMORY, "a string is too long");
        return NULL;
    }
    char *copy = ia_arena_alloc(cx, a, n + 1);
    if (copy && n > 0)
        memcpy(copy, s, n);
    return copy;
}

char *ia_arena_strdup(ia_ctx *cx, ia_arena *a, const char *s)
{
    return ia_arena_strndup(cx, a, s, strlen(s));
}

char *ia_arena_sprintf(ia_ctx *cx, ia_arena *a, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    const int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0) {
        ia_fail(cx, IA_ERR_INTERNAL, "text format \"%s\" failed", fmt);
        return NULL;
    }
    char *s = ia_arena_alloc(cx, a, (size_t)n + 1);
    if (!s)
        return NULL;
    va_start(ap, fmt);
    vsnprintf(s, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return s;
}

void ia_arena_dispose(ia_arena *a)
{
    struct ia_arena_block *b = a->head;
    a->head = NULL;
    while (b) {
        struct ia_arena_block *next = b->next;
        ia_free(b);
        b = next;
    }
}
