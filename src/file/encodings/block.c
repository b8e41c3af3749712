/* block.c - single buffers of values and levels with a known count (file format 4.1). */
#include <inttypes.h>

#include "file/encodings/bitpack.h"
#include "file/encodings/decode_priv.h"

/* n integers of `bits` into out (aligned). */
ia_status ia_block_ints(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                        uint32_t bits, uint8_t *out)
{
    size_t word = bits / 8;

    if (e->kind == IA_ENC_GENERAL) {
        IA_TRY(ia_block_unpack(cx, d, e, buf, &buf));
        return ia_block_ints(cx, d, e->child, buf, n, bits, out);
    }
    if (e->kind != IA_ENC_FLAT && e->kind != IA_ENC_INLINE_BITPACK &&
        e->kind != IA_ENC_OOL_BITPACK && e->kind != IA_ENC_RLE)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "encoding %s of a block of integers",
                       ia_enc_name(e->kind));
    if (ia_enc_bits(e) != bits)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "block of %" PRIu32 " bit values where %" PRIu32 " bits belong",
                       ia_enc_bits(e), bits);
    if (e->kind == IA_ENC_OOL_BITPACK)
        return ia_ool_block(cx, d, e, buf, n, out);
    if (e->kind == IA_ENC_RLE)
        return ia_rle_block(cx, e, buf, n, out);
    if (e->kind == IA_ENC_FLAT) {
        if (buf.len != n * word)
            return ia_enc_bad_size(cx, e, buf.len, n);
        memcpy(out, buf.data, buf.len);
        return IA_OK;
    }
    const uint8_t *p = (const uint8_t *)buf.data;
    uint64_t w = buf.len < word ? UINT64_MAX : ia_pack_load(bits, p);

    if (n > IA_PACK_BLOCK || w > bits || buf.len != word + 128 * w)
        return ia_enc_bad_size(cx, e, buf.len, n);
    if (!d->block)
        IA_TRY(IA_NEW_ARRAY(cx, d->block, IA_PACK_BLOCK));
    ia_unpack(bits, p + word, (unsigned)w, d->block);
    memcpy(out, d->block, (size_t)n * word);
    return IA_OK;
}

ia_status ia_block_levels(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, size_t n,
                          uint32_t max, uint16_t *out)
{
    unsigned top = 0;

    d->plain_used = 0;
    IA_TRY(ia_block_ints(cx, d, e, buf, n, 16, (uint8_t *)out));
    for (size_t i = 0; i < n; i++)
        top = out[i] > top ? out[i] : top;
    if (top > max)
        return ia_fail(cx, IA_ERR_CORRUPT, "level %u where the page has only %" PRIu32, top, max);
    return IA_OK;
}

ia_status ia_block_values(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                          ia_vals *out)
{
    const ia_enc *inner = e;
    uint8_t *o;
    uint64_t bytes;

    d->plain_used = 0;
    if (out->phys.kind == IA_PHYS_VAR)
        return ia_variable_block(cx, d, e, buf, n, out);
    while (inner->kind == IA_ENC_GENERAL)
        inner = inner->child;
    if (out->phys.kind != IA_PHYS_FIXED || !out->phys.width || out->phys.n_dims)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "dictionary of %" PRIu32 " bit values",
                       out->phys.bits);
    /* Items cannot outnumber what the buffer's bytes can say: 1024 packed values need one byte at
     * least. */
    if (!ia_mul_u64(&bytes, n, out->phys.width) || bytes > (uint64_t)1 << 30)
        return ia_fail(cx, IA_ERR_CORRUPT, "dictionary of %" PRIu64 " items", n);
    if (inner->kind == IA_ENC_FLAT) {
        for (; e->kind == IA_ENC_GENERAL; e = e->child)
            IA_TRY(ia_block_unpack(cx, d, e, buf, &buf));
        if (e->bits != out->phys.bits || buf.len != bytes)
            return ia_enc_bad_size(cx, e, buf.len, n);
        return ia_flat_decode(cx, e, buf, n, n, out);
    }
    o = ia_vals_extend(cx, out, n);
    if (!o)
        return ia_vals_status(cx, out);
    return ia_block_ints(cx, d, e, buf, n, out->phys.bits, o);
}
