/* test_env.h - what every unit test starts from: cmocka, a budget, a context, a leak check. */
#ifndef IA_TEST_ENV_H
#define IA_TEST_ENV_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"

typedef struct env {
    ia_budget *budget;
    ia_ctx cx;
} env;

/* `limit` bytes, 0 = unlimited. */
static inline env env_new(uint64_t limit)
{
    env e;
    e.budget = ia_budget_new(NULL, limit);
    assert_non_null(e.budget);
    ia_ctx_init(&e.cx, e.budget);
    return e;
}

/* Everything charged must be freed again. */
static inline void env_end(env *e)
{
    assert_int_equal(ia_budget_used(e->budget), 0);
    ia_budget_drop(e->budget);
}

#define assert_ok(e) assert_int_equal((e), IA_OK)
#define assert_fails(e, code) assert_int_equal((e), (code))

/* Runs `call` with the k-th allocation failing, k = 0, 1, ... until it succeeds; `undo` runs after
 * success. At least one allocation must have failed. */
#define FAIL_EVERY_ALLOCATION(cx, call, undo)                                                      \
    do {                                                                                           \
        ia_status got_ = IA_ERR_NO_MEMORY;                                                         \
        int64_t k_ = 0;                                                                            \
        for (; got_ != IA_OK; k_++) {                                                              \
            ia_ctx_clear(cx);                                                                      \
            ia_mem_fail_after(k_);                                                                 \
            got_ = (call);                                                                         \
            ia_mem_fail_after(-1);                                                                 \
            if (got_ != IA_OK) {                                                                   \
                assert_int_equal(got_, IA_ERR_NO_MEMORY);                                          \
                assert_int_equal((cx)->err.code, IA_ERR_NO_MEMORY);                                \
            }                                                                                      \
        }                                                                                          \
        assert_true(k_ > 1);                                                                       \
        undo;                                                                                      \
    } while (0)

/* A small generator with a fixed seed, so that failures repeat. */
static inline uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

#endif
