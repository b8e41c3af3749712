/* bss.c - byte streams of fixed-width values (file format 4.12). */
#include "file/encodings/decode_priv.h"

ia_status ia_bss_decode(ia_ctx *cx, const ia_enc *e, ia_view b, uint64_t n, uint64_t count,
                        ia_vals *out)
{
    size_t width = e->child->bits / 8;
    uint8_t *o;

    if (e->child->kind != IA_ENC_FLAT || (width != 2 && width != 4 && width != 8))
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "byte_stream_split of %s values",
                       ia_enc_name(e->child->kind));
    if (b.len / width != count || b.len % width)
        return ia_enc_bad_size(cx, e, b.len, count);
    o = ia_vals_extend(cx, out, n);
    for (size_t j = 0; o && j < width; j++) {
        const uint8_t *s = (const uint8_t *)b.data + j * (size_t)count;

        for (size_t i = 0; i < (size_t)count; i++)
            o[i * width + j] = s[i];
    }
    return ia_vals_status(cx, out);
}
