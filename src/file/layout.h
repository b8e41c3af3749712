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
    uint32_t bits;             /* flat: bits per value; bitpackings: uncompressed bits */
    uint32_t scheme;           /* general: LZ4 or ZSTD */
    uint32_t items;            /* fixed_size_list: N */
    bool has_validity;         /* fixed_size_list */
    ia_view bytes;             /* fsst: symbol table; constant: value; borrowed from the metadata */
    struct ia_enc *child;      /* the inner encoding (offsets, values, items) */
    struct ia_enc *child2;     /* rle: run lengths */
    uint64_t start, step;      /* range: value i = start + i * step; delta: base in start */
    struct ia_enc_part *parts; /* packed structs: one per field */
    size_t n_parts;
} ia_enc;

/* A field of a packed struct: fixed (bits) or variable (len_bits before the bytes). */
typedef struct ia_enc_part {
    uint64_t bits;     /* of a fixed value, 0 when variable */
    uint32_t len_bits; /* of the length of a variable value, 0 when fixed */
    ia_enc *value;     /* variable packed struct: its encoding; NULL in a fixed one */
} ia_enc_part;

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
    struct ia_layout *inner;                  /* blob: page of the descriptors */
    struct ia_sparse_layer *sparse;           /* sparse: outermost first */
    size_t n_sparse;
    bool planar;          /* description of format 2.3; else that of 2.1 and 2.2 */
    ia_layout_kind plane; /* sparse: MINI, ZIP or CONSTANT values; 0 = has none */
    uint64_t num_values;  /* sparse ZIP: values stored */

    /* Derived from layers. */
    uint32_t max_rep, max_def, max_visible;
    struct {
        uint8_t layer;
        bool null;
    } meaning[2 * IA_MAX_LAYERS + 1]; /* by definition level, from 1 */
} ia_layout;

/* Sparse layout (format 2.3, 3.8): where something is, as rising positions. */
typedef enum ia_pos_kind {
    IA_POS_EXPLICIT = 1,
    IA_POS_RANGE = 2,
    IA_POS_ALL = 3,
    IA_POS_EMPTY = 4
} ia_pos_kind;
typedef struct ia_pos_set {
    ia_pos_kind kind;  /* 0 = absent */
    ia_enc *positions; /* explicit: u64, from a page buffer or the encoding alone */
    bool deltas;       /* explicit: each but the first is the distance from the one before */
    uint64_t start, length, step; /* range: start, start + step, ... */
    uint64_t n;
} ia_pos_set;
typedef struct ia_sparse_layer {
    enum { IA_SPARSE_VALIDITY = 1, IA_SPARSE_LIST = 2, IA_SPARSE_FSL = 3 } kind;
    uint64_t n_slots, n_children, dimension;
    bool has_validity, valid_positions; /* positions name the valid slots instead of the nulls */
    ia_pos_set validity;
    ia_pos_set non_empty;
    ia_enc *counts; /* explicit: u64, from a page buffer or the encoding alone */
    uint64_t constant_count;
    enum { IA_COUNTS_EMPTY = 0, IA_COUNTS_EXPLICIT, IA_COUNTS_CONSTANT } counts_kind;
} ia_sparse_layer;

/* Decodes an Any holding a PageLayout; borrows `p`. Errors: CORRUPT, UNSUPPORTED naming the
 * encoding. */
ia_status ia_layout_decode(ia_ctx *cx, ia_arena *a, const uint8_t *p, size_t n,
                           ia_layout *out) IA_MUST_CHECK;
/* A sparse page of format 2.3 does not say how many slots its outermost layer has: the rows of the
 * page. Sets the slots of all layers and checks them; any other layout is left alone. */
ia_status ia_layout_set_rows(ia_ctx *cx, ia_layout *l, uint64_t slots) IA_MUST_CHECK;
const char *ia_enc_name(ia_enc_kind k);
/* Whether values of this encoding, as a block, have a buffer: the description of a constant, of a
 * range says all. */
bool ia_enc_has_payload(const ia_enc *e);
bool ia_layer_is_list(uint8_t layer);

#endif
