/* mem.c - the allocator: blocks that remember their budget and size. */
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/mem_priv.h"

/* Sits before every block; 16 bytes, so the block keeps malloc's alignment. */
typedef struct header {
    /* Charged with HEAD + size; NULL when the context had none, or after ia_mem_uncharge. */
    _Atomic(ia_budget *) budget;
    size_t size; /* bytes the caller asked for */
} header;

#define HEAD sizeof(header)
enum { PAGE = 4096, HUGE_BLOCK = 4 << 20 };
_Static_assert(sizeof(header) == 16, "blocks are 16-aligned");

static _Atomic int64_t fail_after = -1;
static _Atomic uint64_t alloc_count;

void ia_mem_fail_after(int64_t k)
{
    atomic_store(&fail_after, k);
}

uint64_t ia_mem_alloc_count(void)
{
    return atomic_load_explicit(&alloc_count, memory_order_relaxed);
}

static bool injected_failure(void)
{
    atomic_fetch_add_explicit(&alloc_count, 1, memory_order_relaxed);
    const int64_t k = atomic_load_explicit(&fail_after, memory_order_relaxed);
    if (k < 0)
        return false;
    atomic_store_explicit(&fail_after, k - 1, memory_order_relaxed);
    return k == 0;
}

void *ia_raw_calloc(size_t n)
{
    return injected_failure() ? NULL : calloc(1, n);
}

void ia_raw_free(void *p)
{
    free(p);
}

static void *no_memory(ia_ctx *cx, size_t n)
{
    ia_fail(cx, IA_ERR_NO_MEMORY, "the system refused %zu bytes of memory", n);
    return NULL;
}

/* Fresh blocks of many megabytes: asks for huge pages, because touching small ones one by one costs
 * more than filling them. */
static void want_huge(void *p, size_t n)
{
#if defined(MADV_HUGEPAGE)
    if (n >= HUGE_BLOCK) {
        const uintptr_t from = ((uintptr_t)p + PAGE - 1) & ~(uintptr_t)(PAGE - 1);

        (void)madvise((void *)from, ((uintptr_t)p + n - from) & ~(size_t)(PAGE - 1), MADV_HUGEPAGE);
    }
#else
    (void)p;
    (void)n;
#endif
}

static void *alloc_block(ia_ctx *cx, size_t n, bool zero)
{
    size_t total;
    if (!ia_add_size(&total, n, HEAD) || total > PTRDIFF_MAX)
        return no_memory(cx, n);
    const ia_budget *full = ia_budget_charge(cx->budget, total);
    if (full) {
        ia_budget_fail(cx, full, total);
        return NULL;
    }
    header *h = injected_failure() ? NULL : zero ? calloc(1, total) : malloc(total);
    if (!h) {
        ia_budget_uncharge(cx->budget, total);
        return no_memory(cx, n);
    }
    want_huge(h, total);
    atomic_init(&h->budget, cx->budget);
    h->size = n;
    return h + 1;
}

void *ia_alloc(ia_ctx *cx, size_t n)
{
    return alloc_block(cx, n, false);
}

void *ia_calloc(ia_ctx *cx, size_t count, size_t size)
{
    size_t n;
    if (!ia_mul_size(&n, count, size))
        return no_memory(cx, SIZE_MAX);
    return alloc_block(cx, n, true);
}

void *ia_realloc(ia_ctx *cx, void *p, size_t n)
{
    if (!p)
        return ia_alloc(cx, n);
    header *h = (header *)p - 1;
    ia_budget *budget = atomic_load_explicit(&h->budget, memory_order_relaxed);
    const size_t old = h->size;
    size_t total;

    if (!ia_add_size(&total, n, HEAD) || total > PTRDIFF_MAX)
        return no_memory(cx, n);
    if (n > old) {
        const ia_budget *full = ia_budget_charge(budget, n - old);
        if (full) {
            ia_budget_fail(cx, full, n - old);
            return NULL;
        }
    }
    header *moved = injected_failure() ? NULL : realloc(h, total);
    if (!moved) {
        if (n > old)
            ia_budget_uncharge(budget, n - old);
        return no_memory(cx, n);
    }
    if (n > old)
        want_huge(moved, total);
    moved->size = n;
    if (n < old)
        ia_budget_uncharge(budget, old - n);
    return moved + 1;
}

void ia_free(void *p)
{
    if (!p)
        return;
    header *h = (header *)p - 1;
    ia_budget *budget = atomic_load_explicit(&h->budget, memory_order_relaxed);
    const size_t total = h->size + HEAD;
    free(h);
    ia_budget_uncharge(budget, total);
}

void ia_mem_uncharge(void *p)
{
    if (!p)
        return;
    header *h = (header *)p - 1;
    ia_budget *budget = atomic_exchange_explicit(&h->budget, NULL, memory_order_relaxed);
    if (budget)
        ia_budget_uncharge(budget, h->size + HEAD);
}

char *ia_strndup(ia_ctx *cx, const char *s, size_t n)
{
    if (n == SIZE_MAX)
        return no_memory(cx, n);
    char *copy = ia_alloc(cx, n + 1);
    if (!copy)
        return NULL;
    if (n > 0)
        memcpy(copy, s, n);
    copy[n] = 0;
    return copy;
}

char *ia_strdup(ia_ctx *cx, const char *s)
{
    return ia_strndup(cx, s, strlen(s));
}

char *ia_sprintf(ia_ctx *cx, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    const int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0) {
        ia_fail(cx, IA_ERR_INTERNAL, "text format \"%s\" failed", fmt);
        return NULL;
    }
    char *s = ia_alloc(cx, (size_t)n + 1);
    if (!s)
        return NULL;
    va_start(ap, fmt);
    vsnprintf(s, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return s;
}

ia_status ia_grow(ia_ctx *cx, void *ptr_to_ptr, size_t *cap, size_t need, size_t elem)
{
    void *old;
    size_t want = *cap, bytes;

    if (need <= *cap)
        return IA_OK;
    if (!ia_mul_size(&want, *cap, 2) || want < need)
        want = need;
    if (want < 8)
        want = 8;
    if (!ia_mul_size(&bytes, want, elem))
        return ia_fail(cx, IA_ERR_NO_MEMORY, "an array of %zu items is too large", need);
    memcpy(&old, ptr_to_ptr, sizeof old); /* the caller's pointer type is not void * */
    void *grown = ia_realloc(cx, old, bytes);
    if (!grown)
        return cx->err.code;
    memcpy(ptr_to_ptr, &grown, sizeof grown);
    *cap = want;
    return IA_OK;
}
