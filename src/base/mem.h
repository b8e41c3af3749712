/* mem.h - the only allocator: every byte is charged to the context's budget. */
#ifndef IA_BASE_MEM_H
#define IA_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/ctx.h"

/* Allocates n bytes (16-aligned, n may be 0), charged to cx->budget; the block remembers its
 * budget, so ia_free() needs no context. NULL with cx->err set (NO_MEMORY, OVER_BUDGET). */
void *ia_alloc(ia_ctx *cx, size_t n) IA_MUST_CHECK;
void *ia_calloc(ia_ctx *cx, size_t count, size_t size) IA_MUST_CHECK; /* zeroed, overflow-checked */
void *ia_realloc(ia_ctx *cx, void *p, size_t n) IA_MUST_CHECK;        /* p stays valid on failure */
void ia_free(void *p);                                                /* accepts NULL */
/* Takes a block off its budget, because it was handed to the caller of the library; it is freed as
 * before. Safe from several threads, not beside ia_realloc of the block. */
void ia_mem_uncharge(void *p);
char *ia_strdup(ia_ctx *cx, const char *s) IA_MUST_CHECK;
char *ia_strndup(ia_ctx *cx, const char *s, size_t n) IA_MUST_CHECK;  /* adds the closing 0 */
char *ia_sprintf(ia_ctx *cx, const char *fmt, ...) IA_PRINTF(2, 3) IA_MUST_CHECK;

/* Status forms: IA_GO(IA_NEW(cx, m)); the object or array is zeroed. */
#define IA_SET(cx, ptr, call) (((ptr) = (call)) ? IA_OK : (cx)->err.code)
#define IA_NEW(cx, ptr) IA_SET(cx, ptr, ia_calloc((cx), 1, sizeof *(ptr)))
#define IA_NEW_ARRAY(cx, ptr, n) IA_SET(cx, ptr, ia_calloc((cx), (n), sizeof *(ptr)))

/* Grows *ptr (array of `elem` byte items) so that it holds at least `need` items; doubles.
 * The new part is not zeroed. */
ia_status ia_grow(ia_ctx *cx, void *ptr_to_ptr, size_t *cap, size_t need,
                  size_t elem) IA_MUST_CHECK;
#define IA_GROW(cx, ptr, cap, need) ia_grow((cx), &(ptr), &(cap), (need), sizeof *(ptr))

/* Sizes from outside: false on overflow. */
static inline bool ia_add_size(size_t *out, size_t a, size_t b)
{
    return !__builtin_add_overflow(a, b, out);
}
static inline bool ia_mul_size(size_t *out, size_t a, size_t b)
{
    return !__builtin_mul_overflow(a, b, out);
}
static inline bool ia_add_u64(uint64_t *out, uint64_t a, uint64_t b)
{
    return !__builtin_add_overflow(a, b, out);
}
static inline bool ia_mul_u64(uint64_t *out, uint64_t a, uint64_t b)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* Fault tests: the k-th allocation from now fails (0 = next); -1 switches off. Not thread-safe. */
void ia_mem_fail_after(int64_t k);
uint64_t ia_mem_alloc_count(void);

#endif
