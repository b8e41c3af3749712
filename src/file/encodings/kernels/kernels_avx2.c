/* kernels_avx2.c - the inner loops for AVX2, compiled with its flags. */
#include "file/encodings/kernels/kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "file/encodings/kernels/unpack_body.h"

/* The compiler makes of these what intrinsics would say. */
IA_DEFINE_UNPACK(unpack16, uint16_t, 16)
IA_DEFINE_UNPACK(unpack32, uint32_t, 32)
IA_DEFINE_UNPACK(unpack64, uint64_t, 64)

/* Sixteen levels: all ones where level < limit. Levels and limits stay below 2^15, but for limit =
 * 2^16 - 1 and the like from broken pages, hence the unsigned comparison by max. */
static inline __m256i below(const uint16_t *level, __m256i last)
{
    const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)level);

    return _mm256_cmpeq_epi16(_mm256_max_epu16(v, last), last);
}

/* Thirty-two levels as bits. */
static inline uint32_t below32(const uint16_t *level, __m256i last)
{
    const __m256i a = below(level, last), b = below(level + 16, last);
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xD8);

    return (uint32_t)_mm256_movemask_epi8(bytes);
}

/* level <= last as 16 bits; limit 0 has no such value. */
static inline __m256i last_of(unsigned limit)
{
    return _mm256_set1_epi16((short)(limit > 0xFFFF ? 0xFFFF : limit - 1));
}

static size_t levels_below(const uint16_t *level, size_t n, unsigned limit)
{
    const __m256i last = last_of(limit);
    size_t i = 0, count = 0;

    if (!limit)
        return 0;
    for (; n - i >= 32; i += 32)
        count += (size_t)__builtin_popcount(below32(level + i, last));
    for (; i < n; i++)
        count += level[i] < limit;
    return count;
}

static size_t levels_bits(const uint16_t *level, size_t n, unsigned limit, uint8_t *out)
{
    const __m256i last = last_of(limit);
    size_t i = 0, ones = 0;

    for (; limit && n - i >= 32; i += 32) {
        const uint32_t bits = below32(level + i, last);

        memcpy(out + i / 8, &bits, 4);
        ones += (size_t)__builtin_popcount(bits);
    }
    return ones + ia_kernels_scalar.levels_bits(level + i, n - i, limit, out + i / 8);
}

static size_t list_starts(const uint16_t *rep, const uint16_t *def, size_t n, unsigned visible,
                          uint32_t *items, uint32_t *offs, uint16_t *lists)
{
    const __m256i none = last_of(1), last = last_of(visible);
    size_t i = 0, found = 0;

    for (; visible && n - i >= 32; i += 32) {
        uint32_t starts = ~below32(rep + i, none);
        const uint32_t seen = def ? below32(def + i, last) : UINT32_MAX;

        for (; starts; starts &= starts - 1) {
            const unsigned k = (unsigned)__builtin_ctz(starts);

            offs[found] = *items + (uint32_t)__builtin_popcount(seen & ((UINT32_C(1) << k) - 1));
            if (lists)
                lists[found] = def ? def[i + k] : 0;
            found++;
        }
        *items += (uint32_t)__builtin_popcount(seen);
    }
    return found + ia_kernels_scalar.list_starts(rep + i, def ? def + i : NULL, n - i, visible,
                                                 items, offs + found, lists ? lists + found : NULL);
}

const ia_kernels ia_kernels_avx2 = {
    .name = "avx2",
    .unpack16 = unpack16,
    .unpack32 = unpack32,
    .unpack64 = unpack64,
    .levels_max = ia_levels_max_body,
    .levels_below = levels_below,
    .levels_bits = levels_bits,
    .list_starts = list_starts,
    .shift32 = ia_shift32_body,
};

#endif
