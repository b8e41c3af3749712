/* bitpack.c - blocks of 1024 values packed to W bits in the FastLanes order (file format 4.5). */
#include "file/encodings/bitpack.h"

#include <string.h>

#include "base/str.h"

/* At a fixed row the lanes are contiguous on both sides, so each row is one straight vector loop.
 */
static inline unsigned row_base(unsigned row)
{
    static const uint8_t order[8] = {0, 4, 2, 6, 1, 5, 3, 7};

    return order[row / 8] * 16u + (row % 8) * 128u;
}

#define DEFINE_UNPACK(NAME, T, BITS)                                                               \
    static inline T NAME##_load(const uint8_t *p, unsigned i)                                      \
    {                                                                                              \
        T v;                                                                                       \
        memcpy(&v, p + i * sizeof(T), sizeof(T));                                                  \
        return v;                                                                                  \
    }                                                                                              \
    void NAME(const uint8_t *restrict packed, unsigned w, T *restrict out)                         \
    {                                                                                              \
        enum { LANES = IA_PACK_BLOCK / BITS };                                                     \
        const T mask = (T)(w >= BITS ? (T) ~(T)0 : (T)(((T)1 << (w & (BITS - 1))) - 1));           \
        if (w == 0) {                                                                              \
            memset(out, 0, IA_PACK_BLOCK * sizeof(T));                                             \
            return;                                                                                \
        }                                                                                          \
        for (unsigned row = 0; row < BITS; row++) {                                                \
            const unsigned bit = row * w, s = bit % BITS;                                          \
            const uint8_t *a = packed + (size_t)(bit / BITS) * LANES * sizeof(T);                  \
            T *o = out + row_base(row);                                                            \
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

#define DEFINE_PACK(NAME, T, BITS)                                                                 \
    static inline void NAME##_or(uint8_t *p, unsigned i, T v)                                      \
    {                                                                                              \
        T old;                                                                                     \
        memcpy(&old, p + i * sizeof(T), sizeof(T));                                                \
        old = (T)(old | v);                                                                        \
        memcpy(p + i * sizeof(T), &old, sizeof(T));                                                \
    }                                                                                              \
    void NAME(const T *restrict in, unsigned w, uint8_t *restrict packed)                          \
    {                                                                                              \
        enum { LANES = IA_PACK_BLOCK / BITS };                                                     \
        memset(packed, 0, (size_t)w * 128);                                                        \
        if (w == 0)                                                                                \
            return;                                                                                \
        for (unsigned row = 0; row < BITS; row++) {                                                \
            const unsigned bit = row * w, s = bit % BITS;                                          \
            uint8_t *a = packed + (size_t)(bit / BITS) * LANES * sizeof(T);                        \
            const T *v = in + row_base(row);                                                       \
            for (unsigned i = 0; i < LANES; i++)                                                   \
                NAME##_or(a, i, (T)(v[i] << s));                                                   \
            if (s + w > BITS) {                                                                    \
                uint8_t *b = a + LANES * sizeof(T);                                                \
                for (unsigned i = 0; i < LANES; i++)                                               \
                    NAME##_or(b, i, (T)(v[i] >> (BITS - s)));                                      \
            }                                                                                      \
        }                                                                                          \
    }

DEFINE_UNPACK(ia_unpack8, uint8_t, 8)
DEFINE_UNPACK(ia_unpack16, uint16_t, 16)
DEFINE_UNPACK(ia_unpack32, uint32_t, 32)
DEFINE_UNPACK(ia_unpack64, uint64_t, 64)
DEFINE_PACK(ia_pack8, uint8_t, 8)
DEFINE_PACK(ia_pack16, uint16_t, 16)
DEFINE_PACK(ia_pack32, uint32_t, 32)
DEFINE_PACK(ia_pack64, uint64_t, 64)

void ia_unpack(unsigned bits, const uint8_t *packed, unsigned w, void *out)
{
    if (bits == 8)
        ia_unpack8(packed, w, out);
    else if (bits == 16)
        ia_unpack16(packed, w, out);
    else if (bits == 32)
        ia_unpack32(packed, w, out);
    else
        ia_unpack64(packed, w, out);
}

void ia_pack(unsigned bits, const void *in, unsigned w, uint8_t *packed)
{
    if (bits == 8)
        ia_pack8(in, w, packed);
    else if (bits == 16)
        ia_pack16(in, w, packed);
    else if (bits == 32)
        ia_pack32(in, w, packed);
    else
        ia_pack64(in, w, packed);
}

/* Value i lies in one lane, at one row of it; row_base() is its own inverse in the part that
 * permutes. */
uint64_t ia_unpack_one(unsigned bits, const uint8_t *packed, unsigned w, unsigned i)
{
    static const uint8_t order[8] = {0, 4, 2, 6, 1, 5, 3, 7};
    const unsigned lanes = IA_PACK_BLOCK / bits, word = bits / 8;
    const unsigned lane = i % lanes, row = order[(i % 128 / 16) & ~(lanes / 16 - 1)] * 8u + i / 128;
    const unsigned bit = row * w, s = bit % bits;
    const uint8_t *p = packed + ((size_t)(bit / bits) * lanes + lane) * word;
    uint64_t v;

    if (w == 0)
        return 0;
    v = ia_pack_load(bits, p) >> s;
    if (s + w > bits)
        v |= ia_pack_load(bits, p + (size_t)lanes * word) << (bits - s);
    return w == 64 ? v : v & (((uint64_t)1 << w) - 1);
}

unsigned ia_pack_width(unsigned bits, const void *in, size_t n)
{
    uint64_t all = 0;

    if (bits == 8) {
        const uint8_t *v = in;
        for (size_t i = 0; i < n; i++)
            all |= v[i];
    } else if (bits == 16) {
        const uint16_t *v = in;
        for (size_t i = 0; i < n; i++)
            all |= v[i];
    } else if (bits == 32) {
        const uint32_t *v = in;
        for (size_t i = 0; i < n; i++)
            all |= v[i];
    } else {
        const uint64_t *v = in;
        for (size_t i = 0; i < n; i++)
            all |= v[i];
    }
    return all ? 64u - (unsigned)__builtin_clzll(all) : 0;
}

uint64_t ia_pack_load(unsigned bits, const uint8_t *p)
{
    switch (bits) {
    case 8:
        return p[0];
    case 16:
        return ia_le16(p);
    case 32:
        return ia_le32(p);
    default:
        return ia_le64(p);
    }
}
