/* kernels_neon.c - the inner loops for NEON, which every 64-bit ARM processor has. */
#include "file/encodings/kernels/kernels.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#include "file/encodings/kernels/unpack_body.h"

/* The compiler makes of these what intrinsics would say. */
IA_DEFINE_UNPACK(unpack16, uint16_t, 16)
IA_DEFINE_UNPACK(unpack32, uint32_t, 32)
IA_DEFINE_UNPACK(unpack64, uint64_t, 64)

static uint16_t levels_max(const uint16_t *level, size_t n)
{
    uint16x8_t top = vdupq_n_u16(0);
    size_t i = 0;
    uint16_t max;

    for (; n - i >= 8; i += 8)
        top = vmaxq_u16(top, vld1q_u16(level + i));
    max = vmaxvq_u16(top);
    for (; i < n; i++)
        max = level[i] > max ? level[i] : max;
    return max;
}

/* Eight levels below the limit, as bits. */
static inline unsigned below8(const uint16_t *level, uint16x8_t last)
{
    static const uint16_t place[8] = {1, 2, 4, 8, 16, 32, 64, 128};

    return vaddvq_u16(vandq_u16(vcleq_u16(vld1q_u16(level), last), vld1q_u16(place)));
}

static size_t levels_bits(const uint16_t *level, size_t n, unsigned limit, uint8_t *out)
{
    const uint16x8_t last = vdupq_n_u16((uint16_t)(limit > 0xFFFF ? 0xFFFF : limit - 1));
    size_t i = 0, ones = 0;

    for (; limit && n - i >= 8; i += 8) {
        const unsigned bits = below8(level + i, last);

        out[i / 8] = (uint8_t)bits;
        ones += (size_t)__builtin_popcount(bits);
    }
    return ones + ia_kernels_scalar.levels_bits(level + i, n - i, limit, out + i / 8);
}

static size_t levels_below(const uint16_t *level, size_t n, unsigned limit)
{
    const uint16x8_t last = vdupq_n_u16((uint16_t)(limit > 0xFFFF ? 0xFFFF : limit - 1));
    size_t i = 0, count = 0;

    for (; limit && n - i >= 8; i += 8)
        count += vaddvq_u16(vshrq_n_u16(vcleq_u16(vld1q_u16(level + i), last), 15));
    return count + ia_kernels_scalar.levels_below(level + i, n - i, limit);
}

static size_t list_starts(const uint16_t *rep, const uint16_t *def, size_t n, unsigned visible,
                          uint32_t *items, uint32_t *offs, uint16_t *lists)
{
    return ia_kernels_scalar.list_starts(rep, def, n, visible, items, offs, lists);
}

static void shift32(uint32_t *dst, const uint8_t *src, size_t n, uint32_t delta)
{
    ia_kernels_scalar.shift32(dst, src, n, delta);
}

const ia_kernels ia_kernels_neon = {
    .name = "neon",
    .unpack16 = unpack16,
    .unpack32 = unpack32,
    .unpack64 = unpack64,
    .levels_max = levels_max,
    .levels_below = levels_below,
    .levels_bits = levels_bits,
    .list_starts = list_starts,
    .shift32 = shift32,
};

#endif
