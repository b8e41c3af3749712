/* layout.h - page descriptions: layouts and the encoding tree, decoded and checked. */
#ifndef IA_FILE_LAYOUT_H
#define IA_FILE_LAYOUT_H

#include "base/arena.h"
#include "base/str.h"

enum { IA_ENC_MAX_DEPTH = 32, IA_MAX_LAYERS = 34 };

/* One node of a CompressiveEncoding tree (file format 3.1). */
typedef enum ia_enc_kind {
    IA_ENC_FLAT = 1,
    IA_ENC_VARIABLE = 2,
    IA_ENC_CONSTANT = 3,
    IA_ENC_OOL_BITPACK = 4,
    IA_ENC_INLINE_BITPACK = 5,
    IA_ENC_FSST = 6,
    IA_ENC_DICTIONARY = 7,
    IA_ENC_RLE = 8,
    IA_ENC_BSS = 9,
    IA_ENC_GENERAL = 10,
    IA_ENC_FSL = 11,
    IA_ENC_PACKED_STRUCT = 12,
    IA_ENC_VAR_PACKED_STRUCT = 13,
    IA_ENC_RANGE = 14,
    IA_ENC_DELTA = 15
} ia_enc_kind;

enum { IA_SCHEME_LZ4 = 1, IA_SCHEME_ZSTD = 2 };

typedef struct ia_enc {
    ia_enc_kind kind;
    uint32_t bits;         /* flat: bits per value; bitpackings: uncompressed bits */
    uint32_t scheme;       /* general: LZ4 or ZSTD */
    uint32_t items;        /* fixed_size_list: N */
    bool has_validity;     /* fixed_size_list */
    ia_view bytes;         /* fsst: symbol table; constant: value; borrowed from the metadata */
    struct ia_enc *child;  /* the inner encoding (offsets, values, items) */
    struct ia_enc *child2; /* rle: run lengths */
} ia_enc;

/* Layers of a page, leaf outwards (file format 2.1). */
typedef enum ia_layer {
    IA_LAYER_ITEM = 1,
    IA_LAYER_LIST = 2,
    IA_LAYER_NULL_ITEM = 3,
    IA_LAYER_NULL_LIST = 4,
    IA_LAYER_EMPTY_LIST = 5,
    IA_LAYER_NULL_EMPTY_LIST = 6
} ia_layer;

typedef enum ia_layout_kind {
    IA_LAYOUT_MINI = 1,
    IA_LAYOUT_CONSTANT = 2,
    IA_LAYOUT_ZIP = 3,
    IA_LAYOUT_BLOB = 4,
    IA_LAYOUT_SPARSE = 5
} ia_layout_kind;

typedef struct ia_layout {
    ia_layout_kind kind;
    uint8_t layers[IA_MAX_LAYERS]; /* ia_layer */
    size_t n_layers;
    ia_enc *rep, *def; /* block encodings of the levels, NULL when absent */
    ia_enc *values;    /* NULL for constant */
    ia_enc *dict;      /* mini: dictionary page buffer */
    uint64_t dict_items;
    uint32_t num_buffers;                     /* mini */
    uint32_t rep_depth;                       /* mini: repetition_index_depth */
    bool large_chunk;                         /* mini: u32 words and value sizes */
    uint64_t num_items;                       /* mini: values; zip: entries */
    uint64_t num_visible;                     /* zip: values */
    uint32_t bits_rep, bits_def;              /* zip */
    uint32_t bits_per_value, bits_per_offset; /* zip: exactly one is set */
    bool has_inline;                          /* constant: inline_value is present */
    ia_view inline_value;                     /* borrowed */
    uint64_t num_rep_values, num_def_values;  /* constant */

    /* Derived from layers. */
    uint32_t max_rep, max_def, max_visible;
    struct {
        uint8_t layer;
        bool null;
    } meaning[2 * IA_MAX_LAYERS + 1]; /* by definition level, from 1 */
} ia_layout;

/* Decodes an Any holding a PageLayout; borrows `p`. Errors: CORRUPT, UNSUPPORTED naming the
 * encoding. */
ia_status ia_layout_decode(ia_ctx *cx, ia_arena *a, const uint8_t *p, size_t n,
                           ia_layout *out) IA_MUST_CHECK;
const char *ia_enc_name(ia_enc_kind k);
bool ia_layer_is_list(uint8_t layer);

#endif
