/* block.c - single buffers of values and levels with a known count (file format 4.1). */
#include <inttypes.h>

#include "file/encodings/bitpack.h"
#include "file/encodings/decode_priv.h"
#include "file/encodings/kernels/kernels.h"

static bool is_integers(ia_enc_kind k)
{
    return k == IA_ENC_FLAT || k == IA_ENC_INLINE_BITPACK || k == IA_ENC_OOL_BITPACK ||
           k == IA_ENC_RLE || k == IA_ENC_CONSTANT || k == IA_ENC_RANGE || k == IA_ENC_DELTA ||
           k == IA_ENC_DICTIONARY;
}

static ia_status inline_block(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                              uint8_t *out)
{
    size_t word = e->bits / 8;
    const uint8_t *p = (const uint8_t *)buf.data;
    uint64_t w = buf.len < word ? UINT64_MAX : ia_pack_load(e->bits, p);

    if (n > IA_PACK_BLOCK || w > e->bits || buf.len != word + 128 * w)
        return ia_enc_bad_size(cx, e, buf.len, n);
    if (!d->block)
        IA_TRY(IA_NEW_ARRAY(cx, d->block, IA_PACK_BLOCK));
    ia_unpack(e->bits, p + word, (unsigned)w, d->block);
    memcpy(out, d->block, (size_t)n * word);
    return IA_OK;
}

/* n integers of `bits` into out (aligned). */
ia_status ia_block_ints(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                        uint32_t bits, uint8_t *out)
{
    size_t word = bits / 8;

    if (e->kind == IA_ENC_GENERAL) {
        IA_TRY(ia_block_unpack(cx, d, e, buf, &buf));
        return ia_block_ints(cx, d, e->child, buf, n, bits, out);
    }
    if (!is_integers(e->kind))
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "encoding %s of a block of integers",
                       ia_enc_name(e->kind));
    if (n && e->kind != IA_ENC_OOL_BITPACK && e->kind != IA_ENC_DELTA &&
        !buf.len != !ia_enc_has_payload(e))
        return ia_enc_bad_size(cx, e, buf.len, n);
    if (e->kind == IA_ENC_CONSTANT)
        return ia_constant_block(cx, e, n, bits, out);
    if (ia_enc_bits(e) != bits)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "block of %" PRIu32 " bit values where %" PRIu32 " bits belong",
                       ia_enc_bits(e), bits);
    if (e->kind == IA_ENC_OOL_BITPACK)
        return ia_ool_block(cx, d, e, buf, n, out);
    if (e->kind == IA_ENC_RLE)
        return ia_rle_block(cx, d, e, buf, n, out);
    if (e->kind == IA_ENC_RANGE)
        return ia_range_block(cx, e, n, out);
    if (e->kind == IA_ENC_DELTA)
        return ia_delta_block(cx, d, e, buf, n, out);
    if (e->kind == IA_ENC_DICTIONARY)
        return ia_dictionary_block(cx, d, e, buf, n, bits, out);
    if (e->kind == IA_ENC_FLAT) {
        if (buf.len != n * word)
            return ia_enc_bad_size(cx, e, buf.len, n);
        memcpy(out, buf.data, buf.len);
        return IA_OK;
    }
    return inline_block(cx, d, e, buf, n, out);
}

ia_status ia_block_u64s(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                        uint64_t *out)
{
    d->plain_used = 0;
    return ia_block_ints(cx, d, e, buf, n, 64, (uint8_t *)out);
}

ia_status ia_block_levels(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, size_t n,
                          uint32_t max, uint16_t *out)
{
    unsigned top;

    d->plain_used = 0;
    IA_TRY(ia_block_ints(cx, d, e, buf, n, 16, (uint8_t *)out));
    top = ia_kernels_pick()->levels_max(out, n);
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
    if (inner->kind == IA_ENC_FSL || inner->kind == IA_ENC_FLAT) {
        for (; e->kind == IA_ENC_GENERAL; e = e->child)
            IA_TRY(ia_block_unpack(cx, d, e, buf, &buf));
        return ia_fixed_list_block(cx, e, buf, n, out);
    }
    if (out->phys.kind != IA_PHYS_FIXED || !out->phys.width || out->phys.n_dims)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "dictionary of %" PRIu32 " bit values in %s",
                       out->phys.bits, ia_enc_name(inner->kind));
    /* Items cannot outnumber what the buffer's bytes can say: 1024 packed values need one byte at
     * least. */
    if (!ia_mul_u64(&bytes, n, out->phys.width) || bytes > (uint64_t)1 << 30)
        return ia_fail(cx, IA_ERR_CORRUPT, "dictionary of %" PRIu64 " items", n);
    o = ia_vals_extend(cx, out, n);
    if (!o)
        return ia_vals_status(cx, out);
    return ia_block_ints(cx, d, e, buf, n, out->phys.bits, o);
}
