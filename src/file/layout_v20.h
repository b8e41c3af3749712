/* layout_v20.h - page descriptions of format 2.0: the ArrayEncoding tree, decoded and checked. */
#ifndef IA_FILE_LAYOUT_V20_H
#define IA_FILE_LAYOUT_V20_H

#include "base/arena.h"
#include "base/str.h"

/* One node of an ArrayEncoding tree (file format 5.1); numbers as on the wire. */
typedef enum ia_aenc_kind {
    IA_AENC_FLAT = 1,
    IA_AENC_NULLABLE = 2,
    IA_AENC_FSL = 3,
    IA_AENC_LIST = 4,
    IA_AENC_STRUCT = 5,
    IA_AENC_BINARY = 6,
    IA_AENC_DICTIONARY = 7,
    IA_AENC_FSST = 8,
    IA_AENC_PACKED_STRUCT = 9,
    IA_AENC_BITPACKED = 10,
    IA_AENC_FIXED_BINARY = 11,
    IA_AENC_BITPACKED_NON_NEG = 12,
    IA_AENC_CONSTANT = 13
} ia_aenc_kind;

typedef enum ia_aenc_nulls { IA_NULLS_NONE = 1, IA_NULLS_SOME = 2, IA_NULLS_ALL = 3 } ia_aenc_nulls;

typedef struct ia_aenc {
    ia_aenc_kind kind;
    ia_aenc_nulls nulls;  /* nullable */
    uint64_t bits;        /* of a value: flat, bit packings (unpacked), packed struct (whole row) */
    uint32_t packed_bits; /* bit packings, at most bits */
    bool is_signed;       /* bitpacked */
    uint32_t scheme;      /* flat: 0, IA_SCHEME_LZ4 or IA_SCHEME_ZSTD */
    uint32_t buffer;      /* page buffer, checked against their number */
    uint32_t dimension;   /* fixed_size_list, > 0; fixed_size_binary: bytes */
    uint64_t adjustment;  /* list, binary: added to the end offset of a null */
    uint64_t n_items;     /* list: of the page; dictionary: distinct values */
    ia_view bytes;        /* constant: value; fsst: symbol table; borrowed */
    struct ia_aenc *child; /* values, items, offsets, indices, bytes of fixed_size_binary, binary */
    struct ia_aenc *extra; /* nullable: validity; binary: bytes; dictionary: items */
    size_t number;         /* of the node in its page, from 0 */
} ia_aenc;

/* Decodes an Any holding an ArrayEncoding; borrows `p`. `n_nodes` = nodes of the tree. Errors:
 * CORRUPT, UNSUPPORTED naming the encoding. */
ia_status ia_aenc_decode(ia_ctx *cx, ia_arena *a, const uint8_t *p, size_t n, size_t n_buffers,
                         ia_aenc **out, size_t *n_nodes) IA_MUST_CHECK;
const char *ia_aenc_name(uint32_t kind);

#endif
