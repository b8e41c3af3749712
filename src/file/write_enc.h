/* write_enc.h - how the values and levels of a page are stored: between the page writers. */
#ifndef IA_FILE_WRITE_ENC_H
#define IA_FILE_WRITE_ENC_H

#include "file/encodings/encode.h"
#include "file/write_priv.h"

/* ---- write_stats.c ----------------------------------------------------------------------------
 */

/* Sizes in bytes that the encodings of integers of 8, 16, 32 or 64 bits would need. */
typedef struct ia_wstats {
    uint64_t raw, packed;
    uint64_t rle;  /* an upper bound; UINT64_MAX when a sample shows that runs are rare */
    uint64_t runs; /* 0 = not counted */
} ia_wstats;
bool ia_phys_is_word(const ia_phys *p); /* one primitive of 8, 16, 32 or 64 bits */
void ia_wstats_of(const ia_vals *v, ia_wstats *out);
/* Where the values of a fixed-width column are. */
static inline const uint8_t *ia_vals_base(const ia_vals *v)
{
    return v->data.data;
}
static inline bool ia_wleaf_is_dict(const ia_wleaf *l)
{
    return l->kind == IA_WKIND_DICTIONARY;
}
/* Values are whole rows of a packed struct, or blob descriptors. */
static inline bool ia_wleaf_is_packed(const ia_wleaf *l)
{
    return l->kind == IA_WKIND_PACKED || l->kind == IA_WKIND_PACKED_VAR || l->kind == IA_WKIND_BLOB;
}

/* ---- write_levels.c ---------------------------------------------------------------------------
 */

typedef struct ia_level_codec {
    bool present;
    enum { IA_LEVELS_FLAT = 0, IA_LEVELS_PACKED, IA_LEVELS_RLE } kind;
    unsigned w; /* packed: bits */
} ia_level_codec;
/* The smallest that the format version has, for levels of which about `per` come into a chunk. */
ia_level_codec ia_levels_pick(const uint16_t *v, uint64_t n, uint64_t per, uint32_t minor);
void ia_levels_put(ia_ctx *cx, ia_buf *b, ia_level_codec c, const uint16_t *v, size_t n);
void ia_levels_describe(ia_ctx *cx, ia_buf *b, uint32_t member, ia_level_codec c);

/* ---- write_values.c ---------------------------------------------------------------------------
 */

/* How the values of a mini-block page are stored. */
typedef struct ia_wcodec {
    enum { IA_CODEC_FLAT = 0, IA_CODEC_PACKED, IA_CODEC_RLE, IA_CODEC_VAR } kind;
    bool bss;
    uint32_t scheme; /* general compression of the first buffer; 0 = none */
    int32_t level;
    const uint8_t *fsst; /* VAR: the values are codes of this table */
    size_t chunk_bytes;  /* target */
    size_t per_chunk;    /* fixed width: values of a full chunk, a power of two */
    uint64_t size;       /* of the values, about, without headers and levels */
} ia_wcodec;

/* Picks by statistics and hints; `v` are the page's values, dictionary indices or codes. */
ia_status ia_wcodec_pick(ia_ctx *cx, const ia_wleaf *l, const ia_vals *v, const uint8_t *fsst,
                         ia_wcodec *out) IA_MUST_CHECK;
void ia_wcodec_describe(ia_ctx *cx, ia_buf *b, uint32_t member, const ia_wleaf *l, const ia_vals *v,
                        const ia_wcodec *c);
size_t ia_wcodec_buffers(const ia_wcodec *c, const ia_vals *v);

/* Puts chunks' values; one per page. */
typedef struct ia_wputter {
    const ia_wcodec *c;
    const ia_vals *v;
    ia_buf scratch, plain, run_values, run_lengths;
    uint64_t run_at; /* the chunk whose runs are at hand, UINT64_MAX = none */
    size_t run_n;
    ia_compressor comp;
} ia_wputter;
void ia_wputter_dispose(ia_wputter *p);
/* Values of the chunk that starts at `at`: a power of two, or all that is left. */
size_t ia_wputter_count(ia_ctx *cx, ia_wputter *p, uint64_t at);
/* Appends value buffer number `which` of that chunk. Errors: NO_MEMORY. */
ia_status ia_wputter_put(ia_ctx *cx, ia_wputter *p, size_t which, uint64_t at, size_t n,
                         ia_buf *out) IA_MUST_CHECK;

/* ---- write_dict.c -----------------------------------------------------------------------------
 */

/* A page's dictionary. `n` 0 = there is none. */
typedef struct ia_wdict {
    const ia_vals *indices; /* `own`, or those of an Arrow dictionary column */
    ia_vals own;
    ia_phys phys;    /* of the items */
    ia_buf items;    /* the page buffer */
    uint32_t scheme; /* of its general compression, 0 = none */
    uint64_t n;
} ia_wdict;
/* Makes the dictionary when it pays; `rival` is the size that the values have otherwise. */
ia_status ia_wdict_make(ia_ctx *cx, const ia_wleaf *l, uint64_t rival, ia_wdict *out) IA_MUST_CHECK;
void ia_wdict_dispose(ia_wdict *d);
void ia_wdict_describe(ia_ctx *cx, ia_buf *b, uint32_t member, const ia_wdict *d);

/* ---- write_fsst.c -----------------------------------------------------------------------------
 */

/* Strings as codes. `codes` has the phys of the strings. */
typedef struct ia_wfsst {
    uint8_t table[IA_FSST_TABLE_BYTES];
    ia_vals codes;
    ia_fsst_coder *coder;
    uint64_t size; /* estimate from the sample, before the page is coded */
} ia_wfsst;
/* Trains; coder stays NULL when it does not pay. */
ia_status ia_wfsst_train(ia_ctx *cx, const ia_wleaf *l, ia_wfsst *out) IA_MUST_CHECK;
ia_status ia_wfsst_encode(ia_ctx *cx, const ia_wleaf *l, ia_wfsst *f) IA_MUST_CHECK;
void ia_wfsst_dispose(ia_wfsst *f);

/* ---- shared -----------------------------------------------------------------------------------
 */

/* CE {fsst {table, variable}} or, without a table, CE {variable}. */
void ia_put_variable(ia_ctx *cx, ia_buf *b, uint32_t member, uint32_t bits, const uint8_t *fsst);
/* CE {general {compression}}; the caller puts the inner encoding as member 3, then ends both marks,
 * the second first. */
void ia_begin_general(ia_ctx *cx, ia_buf *b, uint32_t member, uint32_t scheme, size_t marks[2]);
void ia_wpage_show(ia_wpage *p, size_t n); /* the first n buffers are the page's */

#endif
