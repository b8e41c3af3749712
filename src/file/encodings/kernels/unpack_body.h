/* unpack_body.h - loops of which the compiler makes vectors for each set's processor. */
#ifndef IA_FILE_ENCODINGS_KERNELS_UNPACK_BODY_H
#define IA_FILE_ENCODINGS_KERNELS_UNPACK_BODY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* At a fixed row the lanes are contiguous on both sides, so each row is one straight loop. */
static inline unsigned ia_unpack_base(unsigned row)
{
    static const uint8_t order[8] = {0, 4, 2, 6, 1, 5, 3, 7};

    return order[row / 8] * 16u + (row % 8) * 128u;
}

#define IA_DEFINE_UNPACK(NAME, T, BITS)                                                            \
    static inline T NAME##_load(const uint8_t *p, unsigned i)                                      \
    {                                                                                              \
        T v;                                                                                       \
        memcpy(&v, p + i * sizeof(T), sizeof(T));                                                  \
        return v;                                                                                  \
    }                                                                                              \
    static void NAME(const uint8_t *restrict packed, unsigned w, T *restrict out)                  \
    {                                                                                              \
        enum { LANES = 1024 / BITS };                                                              \
        const T mask = (T)(w >= BITS ? (T) ~(T)0 : (T)(((T)1 << (w & (BITS - 1))) - 1));           \
        if (w == 0) {                                                                              \
            memset(out, 0, 1024 * sizeof(T));                                                      \
            return;                                                                                \
        }                                                                                          \
        for (unsigned row = 0; row < BITS; row++) {                                                \
            const unsigned bit = row * w, s = bit % BITS;                                          \
            const uint8_t *a = packed + (size_t)(bit / BITS) * LANES * sizeof(T);                  \
            T *o = out + ia_unpack_base(row);                                                      \
            if (s + w <= BITS) {                                                                   \
                for (unsigned i = 0; i < LANES; i++)                                               \
                    o[i] = (T)((NAME##_load(a, i) >> s) & mask);                                   \
            } else {                                                                               \
                const uint8_t *b = a + LANES * sizeof(T);                                          \
                const unsigned up = BITS - s;                                                      \
                for (unsigned i = 0; i < LANES; i++)                                               \
                    o[i] = (T)(((NAME##_load(a, i) >> s) | (T)(NAME##_load(b, i) << up)) & mask);  \
            }                                                                                      \
        }                                                                                          \
    }

static inline uint16_t ia_levels_max_body(const uint16_t *level, size_t n)
{
    uint16_t top = 0;

    for (size_t i = 0; i < n; i++)
        top = level[i] > top ? level[i] : top;
    return top;
}

static inline void ia_shift32_body(uint32_t *dst, const uint8_t *src, size_t n, uint32_t delta)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t v;

        memcpy(&v, src + i * 4, 4);
        dst[i] = v + delta;
    }
}

#endif
