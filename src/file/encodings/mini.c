/* mini.c - which encoding a chunk of a mini-block page has. */
#include <inttypes.h>

#include "file/encodings/decode_priv.h"

/* n values of fixed-size list level `level` and beyond = count items of that level. */
static ia_status ia_mini_fixed(ia_ctx *cx, ia_chunk *c, const ia_enc *e, uint64_t n, uint64_t count,
                               size_t level, ia_vals *out)
{
    ia_view b = {"", 0}, b2 = {"", 0};

    if (e->kind == IA_ENC_FSL) {
        if (level == out->phys.n_dims || e->items != out->phys.dims[level])
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "fixed_size_list of %" PRIu32 " items does not fit the type", e->items);
        if (!ia_mul_u64(&count, count, e->items))
            return ia_fail(cx, IA_ERR_CORRUPT, "fixed_size_list has too many items");
        if (e->has_validity) {
            IA_TRY(ia_chunk_take(cx, c, &b));
            if (b.len < (count + 7) / 8)
                return ia_enc_bad_size(cx, e, b.len, count);
            ia_valid_bits(cx, &out->inner[level], (const uint8_t *)b.data, 0, count);
        } else {
            ia_valid_ones(cx, &out->inner[level], count);
        }
        return ia_mini_fixed(cx, c, e->child, n, count, level + 1, out);
    }
    if (e->kind == IA_ENC_GENERAL) {
        IA_TRY(ia_chunk_unpack(cx, c, e));
        return ia_mini_fixed(cx, c, e->child, n, count, level, out);
    }
    if (level != out->phys.n_dims)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "encoding %s for a fixed-size list",
                       ia_enc_name(e->kind));
    if (e->kind == IA_ENC_CONSTANT)
        return ia_constant_decode(cx, e, n, count, out);
    if (ia_enc_bits(e) && ia_enc_bits(e) != out->phys.bits)
        return ia_fail(cx, IA_ERR_CORRUPT, "%s of %" PRIu32 " bits for a type of %" PRIu32 " bits",
                       ia_enc_name(e->kind), ia_enc_bits(e), out->phys.bits);
    if (e->kind != IA_ENC_FLAT && e->kind != IA_ENC_INLINE_BITPACK && e->kind != IA_ENC_RLE &&
        e->kind != IA_ENC_BSS)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "encoding %s of fixed-width values in a mini-block page",
                       ia_enc_name(e->kind));
    if (e->kind != IA_ENC_RLE || ia_enc_has_payload(e->child))
        IA_TRY(ia_chunk_take(cx, c, &b));
    if (e->kind == IA_ENC_FLAT)
        return ia_flat_decode(cx, e, b, n, count, out);
    if (!out->phys.width)
        return ia_fail(cx, IA_ERR_CORRUPT, "%s of single bits", ia_enc_name(e->kind));
    if (e->kind == IA_ENC_INLINE_BITPACK)
        return ia_inline_decode(cx, c, e, b, n, count, out);
    if (e->kind == IA_ENC_BSS)
        return ia_bss_decode(cx, e, b, n, count, out);
    if (ia_enc_has_payload(e->child2))
        IA_TRY(ia_chunk_take(cx, c, &b2));
    return ia_rle_decode(cx, c->d, e, b, b2, n, count, out);
}

static ia_status mini_var(ia_ctx *cx, ia_chunk *c, const ia_enc *e, uint64_t n, ia_vals *out)
{
    ia_phys phys = {.kind = IA_PHYS_VAR, .bits = 64, .items = 1};

    if (e->kind == IA_ENC_GENERAL) {
        IA_TRY(ia_chunk_unpack(cx, c, e));
        return mini_var(cx, c, e->child, n, out);
    }
    if (e->kind == IA_ENC_VARIABLE) {
        return ia_variable_decode(cx, c, e, n, out);
    }
    if (e->kind != IA_ENC_FSST || e->child->kind == IA_ENC_FSST)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "encoding %s of variable-width values in a mini-block page",
                       ia_enc_name(e->kind));
    IA_TRY(ia_fsst_page_table(cx, c->d, e));
    c->d->codes.phys = phys;
    ia_vals_clear(&c->d->codes);
    IA_TRY(mini_var(cx, c, e->child, n, &c->d->codes));
    return ia_fsst_expand_all(cx, c->d, out);
}

ia_status ia_mini_decode(ia_ctx *cx, ia_decoder *d, const ia_enc *e, const ia_view *bufs,
                         size_t n_bufs, uint64_t n, ia_vals *out)
{
    ia_chunk c = {.d = d, .bufs = bufs, .n_bufs = n_bufs};

    d->plain_used = 0;
    if (!n)
        return IA_OK;
    if (out->phys.kind == IA_PHYS_VAR)
        return mini_var(cx, &c, e, n, out);
    if (out->phys.kind == IA_PHYS_FIXED)
        return ia_mini_fixed(cx, &c, e, n, n, 0, out);
    return ia_fail(cx, IA_ERR_CORRUPT, "values in a column of type null");
}
