/* cpu.h - which vector instructions may be used. */
#ifndef IA_BASE_CPU_H
#define IA_BASE_CPU_H

#include <stdbool.h>

/* AVX2 with POPCNT and BMI of this processor. Never when built without vector kernels
 * (INARCH_SIMD=OFF), or when the environment says INARCH_SIMD=off at the first call. */
bool ia_cpu_avx2(void);
/* NEON (always there on 64-bit ARM), with the same two switches. */
bool ia_cpu_neon(void);

#endif
