/* constant.c - values that the encoding itself names (file format 4.4). */
#include <inttypes.h>

#include "file/encodings/decode_priv.h"

ia_status ia_constant_decode(ia_ctx *cx, const ia_enc *e, uint64_t n, uint64_t count, ia_vals *out)
{
    size_t width = out->phys.bits / 8;
    uint8_t *o;

    if (!e->bytes.len) {
        ia_vals_zeros(cx, out, n);
        return ia_vals_status(cx, out);
    }
    if (!width || e->bytes.len != width || !out->phys.width)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "constant of %zu bytes for %" PRIu32 " bit values",
                       e->bytes.len, out->phys.bits);
    o = ia_vals_extend(cx, out, n);
    for (uint64_t i = 0; o && i < count; i++)
        memcpy(o + i * width, e->bytes.data, width);
    return ia_vals_status(cx, out);
}
