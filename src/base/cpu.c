/* cpu.c - which vector instructions may be used. */
#include "base/cpu.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/str.h"

enum { UNKNOWN = 0, NO = 1, YES = 2 };

static int wanted(void)
{
#if defined(IA_NO_SIMD)
    return NO;
#else
    const char *set = getenv("INARCH_SIMD");

    return set && ia_str_eq_nocase(set, "off") ? NO : YES;
#endif
}

static int has_avx2(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") &&
                   __builtin_cpu_supports("bmi")
               ? YES
               : NO;
#else
    return NO;
#endif
}

static int has_neon(void)
{
#if defined(__aarch64__)
    return YES;
#else
    return NO;
#endif
}

/* Several threads may find out at once: they find the same. */
static bool known(atomic_int *state, int (*has)(void))
{
    int s = atomic_load_explicit(state, memory_order_relaxed);

    if (s == UNKNOWN) {
        s = wanted() == YES ? has() : NO;
        atomic_store_explicit(state, s, memory_order_relaxed);
    }
    return s == YES;
}

bool ia_cpu_avx2(void)
{
    static atomic_int state;

    return known(&state, has_avx2);
}

bool ia_cpu_neon(void)
{
    static atomic_int state;

    return known(&state, has_neon);
}
