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

ia_status ia_variable_decode(ia_ctx *cx, const ia_enc *e, ia_view b, uint64_t n, ia_vals *out)
{
    const uint8_t *p = (const uint8_t *)b.data;
    uint32_t obits = 0;
    uint64_t head;

    IA_TRY(offset_bits(cx, e, &obits));
    head = (n + 1) * (obits / 8);
    if (n > b.len || head > b.len || !offsets_ok(p, obits, n, head, b.len))
        return ia_enc_bad_size(cx, e, b.len, n);
    return ia_vals_put_vars(cx, out, p, obits, p, n);
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
    head = (n + 3) * word;
    if (n > buf.len || head > buf.len || ia_pack_load(obits, p) != obits)
        return ia_enc_bad_size(cx, e, buf.len, n);
    data = ia_pack_load(obits, p + word);
    if (data != head || !offsets_ok(p + 2 * word, obits, n, 0, buf.len - data))
        return ia_enc_bad_size(cx, e, buf.len, n);
    return ia_vals_put_vars(cx, out, p + 2 * word, obits, p + data, n);
}
