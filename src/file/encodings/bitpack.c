/* bitpack.c - blocks of 1024 values packed to W bits in the FastLanes order (file format 4.5). */
#include "file/encodings/bitpack.h"

#include <string.h>

#include "base/str.h"
#include "file/encodings/kernels/kernels.h"
#include "file/encodings/kernels/unpack_body.h"

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
            const T *v = in + ia_unpack_base(row);                                                 \
            for (unsigned i = 0; i < LANES; i++)                                                   \
                NAME##_or(a, i, (T)(v[i] << s));                                                   \
            if (s + w > BITS) {                                                                    \
                uint8_t *b = a + LANES * sizeof(T);                                                \
                for (unsigned i = 0; i < LANES; i++)                                               \
                    NAME##_or(b, i, (T)(v[i] >> (BITS - s)));                                      \
            }                                                                                      \
        }                                                                                          \
    }

IA_DEFINE_UNPACK(unpack8, uint8_t, 8)
DEFINE_PACK(ia_pack8, uint8_t, 8)
DEFINE_PACK(ia_pack16, uint16_t, 16)
DEFINE_PACK(ia_pack32, uint32_t, 32)
DEFINE_PACK(ia_pack64, uint64_t, 64)

void ia_unpack(unsigned bits, const uint8_t *packed, unsigned w, void *out)
{
    const ia_kernels *k = ia_kernels_pick();

    if (bits == 8)
        unpack8(packed, w, out);
    else if (bits == 16)
        k->unpack16(packed, w, out);
    else if (bits == 32)
        k->unpack32(packed, w, out);
    else
        k->unpack64(packed, w, out);
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

/* Value i lies in one lane, at one row of it; ia_unpack_base() is its own inverse in the part that
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
