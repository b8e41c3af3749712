/* fsst_decode.c - chunks of strings coded with FSST (file format 4.8). */
#include "file/encodings/decode_priv.h"

ia_status ia_fsst_page_table(ia_ctx *cx, ia_decoder *d, const ia_enc *e)
{
    if (d->fsst && d->fsst_key == e->bytes.data)
        return IA_OK;
    ia_decoder_new_page(d);
    IA_TRY(ia_fsst_parse(cx, e->bytes, &d->fsst));
    d->fsst_key = e->bytes.data;
    return IA_OK;
}

ia_status ia_fsst_expand_all(ia_ctx *cx, ia_decoder *d, ia_vals *out)
{
    const ia_vals *c = &d->codes;
    size_t grow = c->data.len * (ia_fsst_is_raw(d->fsst) ? 1 : 3);

    if (out->data.cap - out->data.len < grow)
        IA_TRY(ia_vals_reserve(cx, out, c->n, out->data.len / 2 + grow));
    IA_TRY(ia_vals_begin_var(cx, out));
    for (uint64_t i = 0; i < c->n; i++) {
        uint64_t from = ia_vals_offset(c, i), to = ia_vals_offset(c, i + 1);

        IA_TRY(ia_fsst_expand(cx, d->fsst, c->data.data + from, (size_t)(to - from), &out->data));
        IA_TRY(ia_vals_end_var(cx, out));
    }
    return IA_OK;
}
