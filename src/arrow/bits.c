/* bits.c - runs of bits in LSB-first bitmaps at any offset: copy, fill, count. */
#include "arrow/bits.h"

#include <string.h>

static bool bit(const uint8_t *p, int64_t i)
{
    return (p[i >> 3] >> (i & 7)) & 1;
}

static void put_bit(uint8_t *p, int64_t i, bool v)
{
    const uint8_t m = (uint8_t)(1u << (i & 7));

    p[i >> 3] = v ? (uint8_t)(p[i >> 3] | m) : (uint8_t)(p[i >> 3] & (uint8_t)~m);
}

/* Whole bytes of dst from a source that starts `sh` bits (1..7) into s[0]. */
static void shift_bytes(uint8_t *d, const uint8_t *s, unsigned sh, size_t n)
{
    size_t k = 0;

    for (; k + 8 <= n; k += 8) {
        uint64_t w;

        memcpy(&w, s + k, 8);
        w = (w >> sh) | ((uint64_t)s[k + 8] << (64 - sh));
        memcpy(d + k, &w, 8);
    }
    for (; k < n; k++)
        d[k] = (uint8_t)((s[k] >> sh) | (s[k + 1] << (8 - sh)));
}

void ia_bits_copy(uint8_t *dst, int64_t doff, const uint8_t *src, int64_t soff, int64_t n)
{
    size_t bytes;

    for (; n > 0 && (doff & 7); n--)
        put_bit(dst, doff++, bit(src, soff++));
    bytes = (size_t)n / 8;
    if (bytes > 0) {
        const unsigned sh = (unsigned)(soff & 7);

        if (sh == 0)
            memcpy(dst + doff / 8, src + soff / 8, bytes);
        else
            shift_bytes(dst + doff / 8, src + soff / 8, sh, bytes);
        doff += (int64_t)bytes * 8;
        soff += (int64_t)bytes * 8;
        n -= (int64_t)bytes * 8;
    }
    for (; n > 0; n--)
        put_bit(dst, doff++, bit(src, soff++));
}

void ia_bits_fill(uint8_t *dst, int64_t off, int64_t n, bool v)
{
    size_t bytes;

    for (; n > 0 && (off & 7); n--)
        put_bit(dst, off++, v);
    bytes = (size_t)n / 8;
    if (bytes > 0) {
        memset(dst + off / 8, v ? 0xff : 0, bytes);
        off += (int64_t)bytes * 8;
        n -= (int64_t)bytes * 8;
    }
    for (; n > 0; n--)
        put_bit(dst, off++, v);
}

int64_t ia_bits_count(const uint8_t *p, int64_t off, int64_t n)
{
    int64_t c = 0;

    for (; n > 0 && (off & 7); n--)
        c += bit(p, off++);
    for (; n >= 64; n -= 64, off += 64) {
        uint64_t w;

        memcpy(&w, p + off / 8, 8);
        c += __builtin_popcountll(w);
    }
    for (; n > 0; n--)
        c += bit(p, off++);
    return c;
}
