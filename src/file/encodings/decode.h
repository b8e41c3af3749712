/* decode.h - turns encoded buffers into values and levels (file format 4.1). */
#ifndef IA_FILE_ENCODINGS_DECODE_H
#define IA_FILE_ENCODINGS_DECODE_H

#include "file/layout.h"
#include "file/vals.h"

typedef struct ia_fsst ia_fsst;

enum { IA_PLAIN_BUFS = 4 };

/* Scratch of one column reader; all-zero is valid. Buffers grow to the largest chunk and stay. */
typedef struct ia_decoder {
    ia_buf plain[IA_PLAIN_BUFS]; /* decompressed buffers of what is being decoded */
    size_t plain_used;
    uint64_t *block;      /* 1024 values */
    ia_vals codes;        /* compressed strings below fsst */
    ia_fsst *fsst;        /* parsed symbol table ... */
    ia_buf place;         /* where the text of each code begins */
    const char *fsst_key; /* ... of the page description at this address */
} ia_decoder;

void ia_decoder_dispose(ia_decoder *d);
void ia_decoder_new_page(ia_decoder *d); /* forgets what belongs to a page */

/* One chunk of a mini-block page: appends n values. `bufs` are the chunk's value buffers.
 * Errors: CORRUPT, UNSUPPORTED naming the encoding; the caller adds the place. */
ia_status ia_mini_decode(ia_ctx *cx, ia_decoder *d, const ia_enc *e, const ia_view *bufs,
                         size_t n_bufs, uint64_t n, ia_vals *out) IA_MUST_CHECK;
/* Buffers that a mini-block encoding has in a chunk. */
uint32_t ia_mini_buffers(const ia_enc *e);
/* Bits of the values an integer encoding yields (dictionary indices); 0 when it is none. */
uint32_t ia_enc_bits(const ia_enc *e);

/* A block of n levels (rep, def); each is checked against `max`. */
ia_status ia_block_levels(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, size_t n,
                          uint32_t max, uint16_t *out) IA_MUST_CHECK;
/* Values of a block of runs whose lengths lie plain in it; false = cannot tell. */
bool ia_block_told(const ia_enc *e, ia_view buf, uint64_t *n);
/* A block of n integers of 64 bits. `buf` is
 * empty where the encoding has no payload (ia_enc_has_payload). The caller bounds n. */
ia_status ia_block_u64s(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                        uint64_t *out) IA_MUST_CHECK;
/* A block of n values (dictionary items). */
ia_status ia_block_values(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                          ia_vals *out) IA_MUST_CHECK;

/* Bytes of one fixed-width value: per list level its validity bitmap, then the items. Errors:
 * CORRUPT when it does not fit the shape, UNSUPPORTED naming the encoding. */
ia_status ia_fixed_value_bytes(ia_ctx *cx, const ia_enc *e, const ia_phys *phys,
                               size_t *out) IA_MUST_CHECK;
/* Appends such a value; failures are remembered in `out`. */
void ia_fixed_value_put(ia_ctx *cx, const ia_enc *e, const uint8_t *p, ia_vals *out);

/* One value of a variable full-zip page. */
ia_status ia_value_decode_var(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view v,
                              ia_vals *out) IA_MUST_CHECK;

/* general.c: LZ4 or ZSTD with the size prefixes of file format 4.13, into *out (cleared). */
ia_status ia_general_decode(ia_ctx *cx, uint32_t scheme, ia_view in, uint64_t max_size,
                            ia_buf *out) IA_MUST_CHECK;

/* fsst.c */
ia_status ia_fsst_parse(ia_ctx *cx, ia_view table, ia_fsst **out) IA_MUST_CHECK;
void ia_fsst_free(ia_fsst *t);
bool ia_fsst_is_raw(const ia_fsst *t);
/* ia_fsst_run() with this table; not for raw ones. */
int64_t ia_fsst_expand_run(const ia_fsst *t, const uint8_t *codes, size_t n, uint32_t *place,
                           uint8_t *out);
/* Appends the text of one code string. */
ia_status ia_fsst_expand(ia_ctx *cx, const ia_fsst *t, const uint8_t *codes, size_t n,
                         ia_buf *out) IA_MUST_CHECK;

#endif
