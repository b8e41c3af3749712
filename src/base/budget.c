/* budget.c - trees of byte budgets; each outlives its owner until its last byte is freed. */
#include "base/ctx.h"

#include <inttypes.h>

#include "base/mem_priv.h"

/* The top bit of `state` says that the owner dropped the budget; the rest counts charged bytes.
 * Keeping both in one word makes "dropped and empty" a transition that exactly one thread sees. A
 * child charges its own struct to its parent, so a parent is never empty before its children. */
#define DROPPED (UINT64_C(1) << 63)

struct ia_budget {
    ia_budget *parent;      /* NULL for a root */
    uint64_t limit;         /* bytes; 0 = none */
    _Atomic uint64_t state; /* DROPPED | bytes */
    _Atomic uint64_t peak;  /* highest bytes seen */
};

static void note_peak(ia_budget *b, uint64_t used)
{
    uint64_t peak = atomic_load_explicit(&b->peak, memory_order_relaxed);
    while (used > peak && !atomic_compare_exchange_weak_explicit(
                              &b->peak, &peak, used, memory_order_relaxed, memory_order_relaxed))
        ;
}

static bool charge_one(ia_budget *b, uint64_t n)
{
    if (n >= DROPPED)
        return false;
    if (b->limit == 0) {
        uint64_t was = atomic_fetch_add_explicit(&b->state, n, memory_order_relaxed);
        note_peak(b, (was & ~DROPPED) + n);
        return true;
    }
    uint64_t was = atomic_load_explicit(&b->state, memory_order_relaxed);
    do {
        uint64_t used = was & ~DROPPED;
        if (used > b->limit || n > b->limit - used)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&b->state, &was, was + n, memory_order_relaxed,
                                                    memory_order_relaxed));
    note_peak(b, (was & ~DROPPED) + n);
    return true;
}

/* True when b is dropped and empty from now on: the caller must bury it. */
static bool uncharge_one(ia_budget *b, uint64_t n)
{
    const uint64_t was = atomic_fetch_sub_explicit(&b->state, n, memory_order_acq_rel);
    IA_ASSERT((was & ~DROPPED) >= n);
    return n > 0 && was - n == DROPPED;
}

static void bury(ia_budget *b)
{
    for (;;) {
        ia_budget *parent = b->parent;
        ia_raw_free(b);
        if (!parent || !uncharge_one(parent, sizeof *b))
            return;
        b = parent;
    }
}

ia_budget *ia_budget_new(ia_budget *parent, uint64_t limit)
{
    ia_budget *b = ia_raw_calloc(sizeof *b);
    if (!b)
        return NULL;
    b->parent = parent;
    b->limit = limit;
    if (parent) /* even past the limit: a child that cannot be made could not report that */
        atomic_fetch_add_explicit(&parent->state, sizeof *b, memory_order_relaxed);
    return b;
}

void ia_budget_drop(ia_budget *b)
{
    if (b && atomic_fetch_or_explicit(&b->state, DROPPED, memory_order_acq_rel) == 0)
        bury(b);
}

const ia_budget *ia_budget_charge(ia_budget *b, uint64_t n)
{
    for (ia_budget *at = b; at; at = at->parent) {
        if (charge_one(at, n))
            continue;
        while (b != at) {
            ia_budget *parent = b->parent;
            if (uncharge_one(b, n))
                bury(b);
            b = parent;
        }
        return at;
    }
    return NULL;
}

void ia_budget_uncharge(ia_budget *b, uint64_t n)
{
    while (b) {
        ia_budget *parent = b->parent; /* b may go away, its parent still carries the n bytes */
        if (uncharge_one(b, n))
            bury(b);
        b = parent;
    }
}

ia_status ia_budget_fail(ia_ctx *cx, const ia_budget *full, uint64_t n)
{
    return ia_fail(cx, IA_ERR_OVER_BUDGET,
                   "memory limit of %" PRIu64 " bytes reached: %" PRIu64 " in use, %" PRIu64
                   " more needed; raise the limit or ask for less at once",
                   full->limit, ia_budget_used(full), n);
}

ia_status ia_budget_reserve(ia_ctx *cx, uint64_t n)
{
    const ia_budget *full = ia_budget_charge(cx->budget, n);
    return full ? ia_budget_fail(cx, full, n) : IA_OK;
}

void ia_budget_release(ia_ctx *cx, uint64_t n)
{
    ia_budget_uncharge(cx->budget, n);
}

uint64_t ia_budget_used(const ia_budget *b)
{
    return atomic_load_explicit(&b->state, memory_order_relaxed) & ~DROPPED;
}

uint64_t ia_budget_peak(const ia_budget *b)
{
    return atomic_load_explicit(&b->peak, memory_order_relaxed);
}

uint64_t ia_budget_left(const ia_budget *b)
{
    uint64_t left = UINT64_MAX;
    for (; b; b = b->parent) {
        if (b->limit == 0)
            continue;
        const uint64_t used = ia_budget_used(b);
        const uint64_t here = used < b->limit ? b->limit - used : 0;
        if (here < left)
            left = here;
    }
    return left;
}
