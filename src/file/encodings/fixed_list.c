/* fixed_list.c - values of fixed width each alone: bitmaps of its lists, then the items (4.9). */
#include <inttypes.h>

#include "file/encodings/decode_priv.h"

static ia_status misfit(ia_ctx *cx, const ia_enc *e, const ia_phys *phys)
{
    return ia_fail(cx, IA_ERR_CORRUPT, "%s does not fit values of %" PRIu64 " x %" PRIu32 " bits",
                   ia_enc_name(e->kind), phys->items, phys->bits);
}

ia_status ia_fixed_value_bytes(ia_ctx *cx, const ia_enc *e, const ia_phys *phys, size_t *out)
{
    uint64_t items = 1, bytes = 0;
    size_t level = 0;

    *out = 0;
    if (phys->kind != IA_PHYS_FIXED)
        return misfit(cx, e, phys);
    for (; e->kind == IA_ENC_FSL; e = e->child, level++) {
        if (level == phys->n_dims || e->items != phys->dims[level])
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "fixed_size_list of %" PRIu32 " items does not fit the type", e->items);
        items *= e->items;
        if (e->has_validity)
            bytes += (items + 7) / 8;
    }
    if (e->kind != IA_ENC_FLAT && e->kind != IA_ENC_CONSTANT)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "encoding %s of single fixed-width values",
                       ia_enc_name(e->kind));
    /* A bool alone takes a byte. */
    if (level != phys->n_dims ||
        (e->kind == IA_ENC_FLAT && e->bits != phys->bits &&
         (e->bits != 8 || phys->value_bits != 1)) ||
        (e->kind == IA_ENC_CONSTANT && e->bytes.len && e->bytes.len * 8 != phys->bits))
        return misfit(cx, e, phys);
    if (e->kind == IA_ENC_FLAT)
        bytes += (phys->value_bits + 7) / 8;
    *out = (size_t)bytes;
    return IA_OK;
}

void ia_fixed_value_put(ia_ctx *cx, const ia_enc *e, const uint8_t *p, ia_vals *out)
{
    uint64_t items = 1;
    uint8_t *o;

    for (size_t k = 0; e->kind == IA_ENC_FSL; e = e->child, k++) {
        items *= e->items;
        if (e->has_validity) {
            ia_valid_bits(cx, &out->inner[k], p, 0, items);
            p += (items + 7) / 8;
        } else {
            ia_valid_ones(cx, &out->inner[k], items);
        }
    }
    if (e->kind == IA_ENC_FLAT && !out->phys.width) {
        ia_vals_put_bits(cx, out, p, 0, 1);
    } else if (e->kind == IA_ENC_FLAT) {
        o = ia_vals_extend(cx, out, 1);
        if (o)
            memcpy(o, p, out->phys.width);
    } else {
        ia_vals_put_constant(cx, e, out);
    }
}

/* One value whose items are all what the encoding says, or zero. */
void ia_vals_put_constant(ia_ctx *cx, const ia_enc *e, ia_vals *out)
{
    uint64_t start = out->n * out->phys.value_bits, end = start + out->phys.value_bits;
    size_t need = (size_t)((end + 7) / 8);

    if (need > out->data.len)
        ia_buf_fill(cx, &out->data, 0, need - out->data.len);
    if (out->data.failed)
        return;
    out->n++;
    if (e->bytes.len && out->phys.width) {
        for (uint8_t *o = out->data.data + start / 8; o < out->data.data + end / 8;
             o += e->bytes.len)
            memcpy(o, e->bytes.data, e->bytes.len);
    }
}

ia_status ia_fixed_list_block(ia_ctx *cx, const ia_enc *e, ia_view buf, uint64_t n, ia_vals *out)
{
    size_t each;
    uint64_t bytes;

    IA_TRY(ia_fixed_value_bytes(cx, e, &out->phys, &each));
    if (e->kind == IA_ENC_FLAT && (each * 8 != out->phys.value_bits || out->phys.n_dims))
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "dictionary of %" PRIu32 " bit values",
                       out->phys.bits);
    if (!each || !ia_mul_u64(&bytes, n, each) || bytes != buf.len)
        return ia_enc_bad_size(cx, e, buf.len, n);
    if (e->kind == IA_ENC_FLAT)
        return ia_flat_decode(cx, e, buf, n, n, out);
    for (uint64_t i = 0; i < n; i++)
        ia_fixed_value_put(cx, e, (const uint8_t *)buf.data + i * each, out);
    return ia_vals_status(cx, out);
}
