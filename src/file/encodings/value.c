/* value.c - single values of full-zip pages. */
#include "file/encodings/decode_priv.h"

ia_status ia_value_decode_var(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view v, ia_vals *out)
{
    d->plain_used = 0;
    for (;;) {
        if (e->kind == IA_ENC_VARIABLE)
            return ia_vals_put_var(cx, out, (const uint8_t *)v.data, v.len);
        if (e->kind == IA_ENC_GENERAL) {
            if (v.len)
                IA_TRY(ia_block_unpack(cx, d, e, v, &v));
        } else if (e->kind == IA_ENC_FSST && e->child->kind == IA_ENC_VARIABLE) {
            IA_TRY(ia_fsst_page_table(cx, d, e));
            IA_TRY(ia_vals_begin_var(cx, out));
            IA_TRY(ia_fsst_expand(cx, d->fsst, (const uint8_t *)v.data, v.len, &out->data));
            return ia_vals_end_var(cx, out);
        } else {
            return ia_fail(cx, IA_ERR_UNSUPPORTED,
                           "encoding %s of variable-width values in a full-zip page",
                           ia_enc_name(e->kind));
        }
        e = e->child;
    }
}
