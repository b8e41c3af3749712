/* flat.c - values back to back (file format 4.2). */
#include <inttypes.h>

#include "file/encodings/decode_priv.h"

ia_status ia_flat_decode(ia_ctx *cx, const ia_enc *e, ia_view b, uint64_t n, uint64_t count,
                         ia_vals *out)
{
    uint64_t bits;

    if (e->bits != out->phys.bits)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "flat of %" PRIu32 " bits for a type of %" PRIu32 " bits", e->bits,
                       out->phys.bits);
    if (!ia_mul_u64(&bits, count, e->bits) || (bits + 7) / 8 > b.len)
        return ia_enc_bad_size(cx, e, b.len, count);
    if (out->phys.width) {
        uint8_t *p = ia_vals_extend(cx, out, n);

        if (p)
            memcpy(p, b.data, (size_t)(bits / 8));
    } else {
        ia_vals_put_bits(cx, out, (const uint8_t *)b.data, 0, n);
    }
    return ia_vals_status(cx, out);
}
