/* fuzz_fixed.h - random bytes and time that repeat, so that an input finds the same graph. */
#ifndef IA_FUZZ_FUZZ_FIXED_H
#define IA_FUZZ_FUZZ_FIXED_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Starts stream number `stream`; streams do not repeat each other's ids. */
void fuzz_fixed_reset(uint64_t stream);

/* What the linker puts in place of getrandom() and clock_gettime(). */
ssize_t __wrap_getrandom(void *out, size_t n, unsigned int flags);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __real_clock_gettime(clockid_t clock, struct timespec *t);

#endif
