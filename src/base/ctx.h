/* ctx.h - the operation context: budget, cancel, progress, error; and the two flow macros. */
#ifndef IA_BASE_CTX_H
#define IA_BASE_CTX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* Bytes one operation may hold. Budgets form a tree: a child reserves from its parent too.
 * A budget lives until its owner released it and all bytes charged to it are freed; a child charges
 * its own few bytes to its parent.
 * Threads: safe to share. */
typedef struct ia_budget ia_budget;

typedef struct ia_error {
    ia_status code;
    char text[480]; /* fixed: reporting never allocates */
} ia_error;

typedef struct ia_ctx {
    ia_budget *budget;            /* bytes this operation may hold; never NULL */
    const atomic_bool *cancel;    /* set by any thread; NULL means never */
    inarch_progress_fn progress;  /* called on the caller's thread only; NULL means none */
    void *payload;                /* passed back to progress */
    ia_error err;                 /* code and text of the first failure */
} ia_ctx;

/* Makes a budget of `limit` bytes (0 = no limit of its own) under `parent` (NULL = root).
 * NULL when memory is out. Owner: the caller, ia_budget_drop(). */
ia_budget *ia_budget_new(ia_budget *parent, uint64_t limit);
void ia_budget_drop(ia_budget *b);
/* Charge bytes held outside ia_alloc (mmap, library buffers). Errors: OVER_BUDGET. */
ia_status ia_budget_reserve(ia_ctx *cx, uint64_t n) IA_MUST_CHECK;
void ia_budget_release(ia_ctx *cx, uint64_t n);
uint64_t ia_budget_used(const ia_budget *b);
uint64_t ia_budget_peak(const ia_budget *b);
/* Bytes that could still be reserved (UINT64_MAX when unlimited). */
uint64_t ia_budget_left(const ia_budget *b);

/* An empty context over `budget` (which must outlive it). */
void ia_ctx_init(ia_ctx *cx, ia_budget *budget);

/* Records code and text and returns the code. Written at the place that knows the fact.
 * A later ia_fail() replaces the text; use ia_fail_prefix() to add the place. */
ia_status ia_fail(ia_ctx *cx, ia_status code, const char *fmt, ...) IA_PRINTF(3, 4);
/* Puts "prefix: " before the recorded text and returns `st` unchanged; no-op when st is IA_OK. */
ia_status ia_fail_prefix(ia_ctx *cx, ia_status st, const char *fmt, ...) IA_PRINTF(3, 4);
/* Forgets a recorded error that the caller handled. */
void ia_ctx_clear(ia_ctx *cx);

/* Reads the cancel flag; reports progress at most every 100 ms. Call once per batch or object.
 * Errors: CANCELLED. */
ia_status ia_check(ia_ctx *cx, uint64_t done, uint64_t total) IA_MUST_CHECK;

/* Returns from the function; only where nothing is owned. */
#define IA_TRY(e)                    \
    do {                             \
        ia_status st_ = (e);         \
        if (st_ != IA_OK)            \
            return st_;              \
    } while (0)

/* Jumps to the single label `done`; needs `ia_status st` in scope. */
#define IA_GO(e)                     \
    do {                             \
        st = (e);                    \
        if (st != IA_OK)             \
            goto done;               \
    } while (0)

/* What only our own bug can break. Aborts in debug and sanitizer builds; no side effects. */
#if defined(IA_DEBUG)
void ia_assert_failed(const char *expr, const char *file, int line);
#define IA_ASSERT(e) ((e) ? (void)0 : ia_assert_failed(#e, __FILE__, __LINE__))
#else
#define IA_ASSERT(e) ((void)sizeof(e))
#endif

#endif
