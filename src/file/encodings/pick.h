/* pick.h - single values out of encoded chunks, without decoding their neighbours. */
#ifndef IA_FILE_ENCODINGS_PICK_H
#define IA_FILE_ENCODINGS_PICK_H

#include "file/encodings/decode.h"

/* Appends the values at[0..k) (ascending, each below n) of a chunk of n. *done = false, and nothing
 * happened: values of this encoding come only out of the whole chunk. Errors: CORRUPT. */
ia_status ia_mini_pick(ia_ctx *cx, ia_decoder *d, const ia_enc *e, const ia_view *bufs,
                       size_t n_bufs, uint64_t n, const uint32_t *at, size_t k, ia_vals *out,
                       bool *done) IA_MUST_CHECK;

#endif
