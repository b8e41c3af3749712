/* bitpack.h - blocks of 1024 values packed to W bits in the FastLanes order (file format 4.5). */
#ifndef IA_FILE_ENCODINGS_BITPACK_H
#define IA_FILE_ENCODINGS_BITPACK_H

#include <stddef.h>
#include <stdint.h>

enum { IA_PACK_BLOCK = 1024 };

/* A packed block is 128 * w bytes, 0 <= w <= T. `packed` may be unaligned; `out`/`in` hold 1024
 * values. */
/* Values must fit w bits. */
void ia_pack8(const uint8_t *in, unsigned w, uint8_t *packed);
void ia_pack16(const uint16_t *in, unsigned w, uint8_t *packed);
void ia_pack32(const uint32_t *in, unsigned w, uint8_t *packed);
void ia_pack64(const uint64_t *in, unsigned w, uint8_t *packed);

/* By bit width of the value (8, 16, 32, 64); out and in are aligned to the value. */
void ia_unpack(unsigned bits, const uint8_t *packed, unsigned w, void *out);
void ia_pack(unsigned bits, const void *in, unsigned w, uint8_t *packed);
/* Value i < 1024 alone. */
uint64_t ia_unpack_one(unsigned bits, const uint8_t *packed, unsigned w, unsigned i);
/* Smallest w that holds all n values. */
unsigned ia_pack_width(unsigned bits, const void *in, size_t n);
uint64_t ia_pack_load(unsigned bits, const uint8_t *p); /* one little-endian word of `bits` */

#endif
