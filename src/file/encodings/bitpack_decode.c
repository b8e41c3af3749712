/* bitpack_decode.c - bit-packed chunks and blocks (file format 4.6, 4.7). */
#include "file/encodings/bitpack.h"
#include "file/encodings/decode_priv.h"

ia_status ia_inline_decode(ia_ctx *cx, ia_chunk *c, const ia_enc *e, ia_view b, uint64_t n,
                           uint64_t count, ia_vals *out)
{
    const uint8_t *p = (const uint8_t *)b.data;
    size_t word = e->bits / 8;
    uint64_t w;
    uint8_t *o;

    if (b.len < word || count > IA_PACK_BLOCK)
        return ia_enc_bad_size(cx, e, b.len, count);
    w = ia_pack_load(e->bits, p);
    if (w > e->bits || b.len != word + 128 * w)
        return ia_enc_bad_size(cx, e, b.len, count);
    o = ia_vals_extend(cx, out, n);
    if (!o)
        return ia_vals_status(cx, out);
    if (count == IA_PACK_BLOCK && ((uintptr_t)o & (word - 1)) == 0) {
        ia_unpack(e->bits, p + word, (unsigned)w, o);
        return IA_OK;
    }
    if (!c->d->block)
        IA_TRY(IA_NEW_ARRAY(cx, c->d->block, IA_PACK_BLOCK));
    ia_unpack(e->bits, p + word, (unsigned)w, c->d->block);
    memcpy(o, c->d->block, (size_t)count * word);
    return IA_OK;
}

/* Full blocks of `bits` wide values, then a raw or a padded tail (file format 4.7). */
ia_status ia_ool_block(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                       uint8_t *out)
{
    const uint8_t *p = (const uint8_t *)buf.data;
    unsigned w = e->child->bits;
    size_t word = e->bits / 8, block = 128 * (size_t)w;
    uint64_t full = n / IA_PACK_BLOCK, rest = n % IA_PACK_BLOCK;

    if (!w && !buf.len) {
        memset(out, 0, (size_t)n * word);
        return IA_OK;
    }
    if (!w || buf.len / block < full)
        return ia_enc_bad_size(cx, e, buf.len, n);
    for (uint64_t i = 0; i < full; i++)
        ia_unpack(e->bits, p + i * block, w, out + i * IA_PACK_BLOCK * word);
    p += full * block;
    out += full * IA_PACK_BLOCK * word;
    buf.len -= (size_t)full * block;
    if (buf.len == rest * word) {
        memcpy(out, p, (size_t)rest * word);
        return IA_OK;
    }
    if (!rest || buf.len != block)
        return ia_enc_bad_size(cx, e, buf.len, n);
    if (!d->block)
        IA_TRY(IA_NEW_ARRAY(cx, d->block, IA_PACK_BLOCK));
    ia_unpack(e->bits, p, w, d->block);
    memcpy(out, d->block, (size_t)rest * word);
    return IA_OK;
}
