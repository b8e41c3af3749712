/* arena.h - many objects with one lifetime (a parse tree, a plan), freed together. */
#ifndef IA_BASE_ARENA_H
#define IA_BASE_ARENA_H

#include "base/mem.h"
#include "base/str.h"

/* All-zero is valid and empty. Threads: one at a time. */
typedef struct ia_arena {
    struct ia_arena_block *head; /* newest block */
} ia_arena;

/* Zeroed, 16-aligned; NULL with cx->err set. Memory is charged to the cx of each call. */
void *ia_arena_alloc(ia_ctx *cx, ia_arena *a, size_t n) IA_MUST_CHECK;
void *ia_arena_calloc(ia_ctx *cx, ia_arena *a, size_t count, size_t size) IA_MUST_CHECK;
char *ia_arena_strdup(ia_ctx *cx, ia_arena *a, const char *s) IA_MUST_CHECK;
char *ia_arena_strndup(ia_ctx *cx, ia_arena *a, const char *s, size_t n) IA_MUST_CHECK;
char *ia_arena_sprintf(ia_ctx *cx, ia_arena *a, const char *fmt, ...) IA_PRINTF(3, 4) IA_MUST_CHECK;
void ia_arena_dispose(ia_arena *a);

#define IA_ARENA_NEW(cx, a, ptr) IA_SET(cx, ptr, ia_arena_alloc((cx), (a), sizeof *(ptr)))
#define IA_ARENA_ARRAY(cx, a, ptr, n)                                                              \
    IA_SET(cx, ptr, ia_arena_calloc((cx), (a), (n), sizeof *(ptr)))

#endif
