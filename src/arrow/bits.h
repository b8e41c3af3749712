/* bits.h - runs of bits in LSB-first bitmaps at any offset: copy, fill, count. */
#ifndef IA_ARROW_BITS_H
#define IA_ARROW_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* dst bits [doff, doff+n) = src bits [soff, soff+n); other bits of dst stay. No overlap. */
void ia_bits_copy(uint8_t *dst, int64_t doff, const uint8_t *src, int64_t soff, int64_t n);
void ia_bits_fill(uint8_t *dst, int64_t off, int64_t n, bool v);
int64_t ia_bits_count(const uint8_t *p, int64_t off, int64_t n); /* bits that are 1 */
static inline size_t ia_bits_bytes(int64_t n) { return ((size_t)n + 7) / 8; }

#endif
