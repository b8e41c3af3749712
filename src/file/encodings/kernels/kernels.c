/* kernels.c - picks the inner loops for this processor. */
#include "file/encodings/kernels/kernels.h"

#include "base/cpu.h"

const ia_kernels *ia_kernels_pick(void)
{
#if defined(__x86_64__)
    if (ia_cpu_avx2())
        return &ia_kernels_avx2;
#endif
#if defined(__aarch64__)
    if (ia_cpu_neon())
        return &ia_kernels_neon;
#endif
    return &ia_kernels_scalar;
}
