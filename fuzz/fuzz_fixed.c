/* fuzz_fixed.c - random bytes and the wall clock, the same in every run (linked with --wrap). */
#include "fuzz_fixed.h"

static uint64_t state = 1;
static int64_t tick; /* milliseconds since the start below */

void fuzz_fixed_reset(uint64_t stream)
{
    state = stream;
    tick = (int64_t)stream * 1000000;
}

static uint64_t next_random(void)
{
    uint64_t z = (state += 0x9E3779B97F4A7C15u);

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

ssize_t __wrap_getrandom(void *out, size_t n, unsigned int flags)
{
    uint8_t *p = out;

    (void)flags;
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)next_random();
    return (ssize_t)n;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
    if (clock != CLOCK_REALTIME)
        return __real_clock_gettime(clock, t);
    tick++;
    t->tv_sec = 1700000000 + tick / 1000;
    t->tv_nsec = tick % 1000 * 1000000;
    return 0;
}
