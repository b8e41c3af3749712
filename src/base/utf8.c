/* utf8.c - well-formedness of UTF-8. */
#include "base/str.h"

#define HIGH_BITS UINT64_C(0x8080808080808080)

/* Length of the well-formed sequence at p (n > 0 bytes left), 0 when it is malformed. The ranges of
 * the second byte rule out overlong forms, surrogates and values above U+10FFFF. */
static size_t sequence(const uint8_t *p, size_t n)
{
    const uint8_t c = p[0];
    uint8_t lo = 0x80, hi = 0xBF;
    size_t len;

    if (c < 0x80)
        return 1;
    if (c >= 0xC2 && c <= 0xDF) {
        len = 2;
    } else if (c >= 0xE0 && c <= 0xEF) {
        len = 3;
        if (c == 0xE0)
            lo = 0xA0;
        if (c == 0xED)
            hi = 0x9F;
    } else if (c >= 0xF0 && c <= 0xF4) {
        len = 4;
        if (c == 0xF0)
            lo = 0x90;
        if (c == 0xF4)
            hi = 0x8F;
    } else {
        return 0;
    }
    if (n < len || p[1] < lo || p[1] > hi)
        return 0;
    for (size_t i = 2; i < len; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    return len;
}

bool ia_utf8_valid(const char *s, size_t n, size_t *bad)
{
    const uint8_t *p = (const uint8_t *)s;
    size_t i = 0;

    while (i < n) {
        if (n - i >= 8 && (ia_le64(p + i) & HIGH_BITS) == 0) {
            i += 8;
            continue;
        }
        const size_t len = sequence(p + i, n - i);
        if (len == 0) {
            if (bad)
                *bad = i;
            return false;
        }
        i += len;
    }
    return true;
}
