/* variable.c - strings with their offsets (file format 4.3). */
#include <inttypes.h>

#include "file/encodings/bitpack.h"
#include "file/encodings/decode_priv.h"

/* n + 1 offsets of `obits` at p: non-decreasing, from `first`, the last at most `end`. */
static bool offsets_ok(const uint8_t *p, uint32_t obits, uint64_t n, uint64_t first, uint64_t end)
{
    unsigned bad = 0;

    if (obits == 32) {
        uint32_t prev = ia_le32(p);

        if (prev != first)
            return false;
        for (uint64_t i = 1; i <= n; i++) {
            uint32_t x = ia_le32(p + i * 4);

            bad |= x < prev;
            prev = x;
        }
        return !bad && prev <= end;
    }
    uint64_t prev = ia_le64(p);

    if (prev != first)
        return false;
    for (uint64_t i = 1; i <= n; i++) {
        uint64_t x = ia_le64(p + i * 8);

        bad |= x < prev;
        prev = x;
    }
    return !bad && prev <= end;
}

static ia_status offset_bits(ia_ctx *cx, const ia_enc *e, uint32_t *bits)
{
    if (e->child->kind != IA_ENC_FLAT || (e->child->bits != 32 && e->child->bits != 64))
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "variable with %s offsets of %" PRIu32 " bits",
                       ia_enc_name(e->child->kind), e->child->bits);
    *bits = e->child->bits;
    return IA_OK;
}

/* Offsets of their own: as a block before the data, or from the description alone. They count from
 * the beginning of the data. */
static ia_status decode_apart(ia_ctx *cx, ia_chunk *c, const ia_enc *e, uint64_t n, ia_vals *out)
{
    uint32_t obits = ia_enc_bits(e->child);
    ia_view offs = {"", 0}, data;
    uint8_t *o = NULL;
    ia_status st;

    if (obits != 32 && obits != 64)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "variable with %s offsets of %" PRIu32 " bits",
                       ia_enc_name(e->child->kind), obits);
    if (ia_enc_has_payload(e->child))
        IA_GO(ia_chunk_take(cx, c, &offs));
    IA_GO(ia_chunk_take(cx, c, &data));
    IA_GO(IA_SET(cx, o, ia_alloc(cx, (size_t)(n + 1) * (obits / 8))));
    IA_GO(ia_block_ints(cx, c->d, e->child, offs, n + 1, obits, o));
    if (!offsets_ok(o, obits, n, 0, data.len))
        IA_GO(ia_enc_bad_size(cx, e, data.len, n));
    IA_GO(ia_vals_put_vars(cx, out, o, obits, (const uint8_t *)data.data, n));
done:
    ia_free(o);
    return st;
}

ia_status ia_variable_decode(ia_ctx *cx, ia_chunk *c, const ia_enc *e, uint64_t n, ia_vals *out)
{
    const uint8_t *p;
    uint32_t obits = 0;
    uint64_t head;
    ia_view b;

    if (e->child->kind != IA_ENC_FLAT)
        return decode_apart(cx, c, e, n, out);
    IA_TRY(ia_chunk_take(cx, c, &b));
    IA_TRY(offset_bits(cx, e, &obits));
    p = (const uint8_t *)b.data;
    head = (n + 1) * (obits / 8);
    if (n > b.len || head > b.len || !offsets_ok(p, obits, n, head, b.len))
        return ia_enc_bad_size(cx, e, b.len, n);
    return ia_vals_put_vars(cx, out, p, obits, p, n);
}

/* Where the offsets and the data begin: u32 width, u32 begin of the data (u64 both for 64 bits), or
 * of older writers u8 width, count, begin of the data. 0 = the head does not fit. */
static uint64_t block_head(const uint8_t *p, size_t len, uint32_t obits, uint64_t n,
                           uint64_t *offsets)
{
    size_t word = obits / 8;
    bool old = len >= 4 && (p[1] || p[2] || p[3]);

    if (len < 2 * word + (old ? 1 : 0))
        return 0;
    *offsets = 2 * word;
    if (!old)
        return ia_le32(p) == obits ? ia_pack_load(obits, p + word) : 0;
    *offsets = 1 + 2 * word;
    return p[0] == obits && ia_pack_load(obits, p + 1) == n ? ia_pack_load(obits, p + 1 + word) : 0;
}

ia_status ia_variable_block(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                            ia_vals *out)
{
    const uint8_t *p;
    uint32_t obits = 0;
    size_t word;
    uint64_t head, data;

    if (e->kind == IA_ENC_GENERAL) {
        IA_TRY(ia_block_unpack(cx, d, e, buf, &buf));
        return ia_variable_block(cx, d, e->child, buf, n, out);
    }
    if (e->kind != IA_ENC_VARIABLE)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "encoding %s of a block of strings",
                       ia_enc_name(e->kind));
    IA_TRY(offset_bits(cx, e, &obits));
    p = (const uint8_t *)buf.data;
    word = obits / 8;
    data = block_head(p, buf.len, obits, n, &head);
    if (!data || n > buf.len || data > buf.len || data - head != (n + 1) * word ||
        !offsets_ok(p + head, obits, n, 0, buf.len - data))
        return ia_enc_bad_size(cx, e, buf.len, n);
    return ia_vals_put_vars(cx, out, p + head, obits, p + data, n);
}
