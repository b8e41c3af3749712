/* decode_priv.h - between the decoders: chunks, and one entry per encoding and context. */
#ifndef IA_FILE_ENCODINGS_DECODE_PRIV_H
#define IA_FILE_ENCODINGS_DECODE_PRIV_H

#include "file/encodings/decode.h"

/* The buffers of one chunk, taken in order. */
typedef struct ia_chunk {
    ia_decoder *d;
    const ia_view *bufs;
    size_t n_bufs, next;
    ia_view pushed; /* a decompressed buffer that stands for the next one */
    bool has_pushed;
} ia_chunk;

ia_status ia_chunk_take(ia_ctx *cx, ia_chunk *c, ia_view *out) IA_MUST_CHECK;
/* Decompresses the next buffer; the result is taken next. */
ia_status ia_chunk_unpack(ia_ctx *cx, ia_chunk *c, const ia_enc *e) IA_MUST_CHECK;
/* CORRUPT: the buffer does not fit the number of values. */
ia_status ia_enc_bad_size(ia_ctx *cx, const ia_enc *e, size_t len, uint64_t n);

/* Chunks: n values of the column = count items of the encoding (fixed-size lists). */
ia_status ia_flat_decode(ia_ctx *cx, const ia_enc *e, ia_view b, uint64_t n, uint64_t count,
                         ia_vals *out) IA_MUST_CHECK;
ia_status ia_inline_decode(ia_ctx *cx, ia_chunk *c, const ia_enc *e, ia_view b, uint64_t n,
                           uint64_t count, ia_vals *out) IA_MUST_CHECK;
ia_status ia_rle_decode(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view values, ia_view lengths,
                        uint64_t n, uint64_t count, ia_vals *out) IA_MUST_CHECK;
ia_status ia_bss_decode(ia_ctx *cx, const ia_enc *e, ia_view b, uint64_t n, uint64_t count,
                        ia_vals *out) IA_MUST_CHECK;
ia_status ia_constant_decode(ia_ctx *cx, const ia_enc *e, uint64_t n, uint64_t count,
                             ia_vals *out) IA_MUST_CHECK;
ia_status ia_variable_decode(ia_ctx *cx, ia_chunk *c, const ia_enc *e, uint64_t n,
                             ia_vals *out) IA_MUST_CHECK;

/* Blocks. `out` of integers is aligned to the value. */
ia_status ia_block_unpack(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view in,
                          ia_view *out) IA_MUST_CHECK;
ia_status ia_block_ints(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                        uint32_t bits, uint8_t *out) IA_MUST_CHECK;
ia_status ia_ool_block(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                       uint8_t *out) IA_MUST_CHECK;
ia_status ia_rle_block(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                       uint8_t *out) IA_MUST_CHECK;
ia_status ia_constant_block(ia_ctx *cx, const ia_enc *e, uint64_t n, uint32_t bits,
                            uint8_t *out) IA_MUST_CHECK;
ia_status ia_range_block(ia_ctx *cx, const ia_enc *e, uint64_t n, uint8_t *out) IA_MUST_CHECK;
ia_status ia_delta_block(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                         uint8_t *out) IA_MUST_CHECK;
ia_status ia_dictionary_block(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                              uint32_t bits, uint8_t *out) IA_MUST_CHECK;
void ia_vals_put_constant(ia_ctx *cx, const ia_enc *e, ia_vals *out);
/* n values of a column, each alone: the bitmaps of its fixed-size lists, then the items. */
ia_status ia_fixed_list_block(ia_ctx *cx, const ia_enc *e, ia_view buf, uint64_t n,
                              ia_vals *out) IA_MUST_CHECK;
ia_status ia_variable_block(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                            ia_vals *out) IA_MUST_CHECK;

/* Strings coded with FSST: d->codes hold the codes of one chunk. */
ia_status ia_fsst_page_table(ia_ctx *cx, ia_decoder *d, const ia_enc *e) IA_MUST_CHECK;
ia_status ia_fsst_expand_all(ia_ctx *cx, ia_decoder *d, ia_vals *out) IA_MUST_CHECK;

#endif
