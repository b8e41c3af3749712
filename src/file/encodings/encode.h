/* encode.h - values into encoded buffers: general compression, FSST (file format 4.8, 4.13). */
#ifndef IA_FILE_ENCODINGS_ENCODE_H
#define IA_FILE_ENCODINGS_ENCODE_H

#include "base/str.h"

/* general_encode.c: appends the compressed form of `in`, size prefix included; level 0 = the
 * library's default. One state per page; all-zero is valid. Errors: UNSUPPORTED (too long). */
typedef struct ia_compressor {
    void *zstd, *lz4;
} ia_compressor;
void ia_compressor_dispose(ia_compressor *c);
ia_status ia_general_encode(ia_ctx *cx, ia_compressor *c, uint32_t scheme, int32_t level,
                            ia_view in, ia_buf *out) IA_MUST_CHECK;

/* fsst_train.c, fsst_encode.c */
enum { IA_FSST_TABLE_BYTES = 2312, IA_FSST_MAX_SYMBOLS = 255, IA_FSST_HASH_SIZE = 4096 };

typedef struct ia_fsst_symbol {
    uint64_t text; /* little-endian, unused bytes 0 */
    uint32_t len;  /* 1..8 */
} ia_fsst_symbol;

/* Symbols and how they are found: of three bytes or more by a lossy hash of their first three, of
 * one or two by the next two bytes. */
/* A place of the hash; a free one has len UINT16_MAX, which no text reaches. */
typedef struct ia_fsst_slot {
    uint64_t text;
    uint16_t code, len;
    uint32_t shift; /* moves what does not belong to the text out of a word */
} ia_fsst_slot;

typedef struct ia_fsst_coder {
    uint32_t n;
    ia_fsst_symbol symbols[IA_FSST_MAX_SYMBOLS];
    uint16_t one[256];   /* code, or IA_FSST_ESCAPE */
    uint16_t two[65536]; /* the same by the next two bytes; with IA_FSST_TWO when it takes both */
    ia_fsst_slot hash[IA_FSST_HASH_SIZE];
} ia_fsst_coder;
enum { IA_FSST_ESCAPE = 0x100, IA_FSST_TWO = 0x200 };

static inline uint32_t ia_fsst_hash(uint64_t word)
{
    uint64_t h = (word & 0xffffff) * UINT64_C(0x9E3779B97F4A7C15);

    return (uint32_t)(h >> 52);
}

/* Makes the lookups of the first n symbols; symbols that lose their place in the hash are dropped.
 * Longer and more useful symbols come first. */
void ia_fsst_coder_build(ia_fsst_coder *c, const ia_fsst_symbol *symbols, size_t n);
/* Codes of n bytes: at most 2 n, written to out; returns their number. Reads up to 7 bytes beyond
 * when `slack` says that they may be read. */
size_t ia_fsst_code(const ia_fsst_coder *c, const uint8_t *p, size_t n, bool slack, uint8_t *out);
void ia_fsst_code2(const ia_fsst_coder *c, const uint8_t *const text[2], const size_t n[2],
                   const bool slack[2], uint8_t *const out[2], size_t got[2]);
/* The table as page descriptions carry it. */
void ia_fsst_table(const ia_fsst_coder *c, uint8_t table[IA_FSST_TABLE_BYTES]);
/* Learns a table from a sample of the strings: `offs` are n + 1 offsets of `bits` into data. The
 * caller frees *out with ia_free. *ratio: coded bytes per byte of the sample. */
ia_status ia_fsst_train(ia_ctx *cx, const uint8_t *data, const uint8_t *offs, uint32_t bits,
                        uint64_t n, ia_fsst_coder **out, double *ratio) IA_MUST_CHECK;

#endif
