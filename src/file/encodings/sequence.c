/* sequence.c - blocks of integers told by rules: constant, range, delta, dictionary (4.4, 4.15). */
#include <inttypes.h>

#include "file/encodings/bitpack.h"
#include "file/encodings/decode_priv.h"

static void store(uint8_t *out, size_t word, uint64_t i, uint64_t v)
{
    out += i * word;
    switch (word) {
    case 1:
        *out = (uint8_t)v;
        break;
    case 2:
        ia_put_le16(out, (uint16_t)v);
        break;
    case 4:
        ia_put_le32(out, (uint32_t)v);
        break;
    default:
        ia_put_le64(out, v);
        break;
    }
}

ia_status ia_constant_block(ia_ctx *cx, const ia_enc *e, uint64_t n, uint32_t bits, uint8_t *out)
{
    size_t word = bits / 8;
    uint64_t v = 0;

    if (e->bytes.len && e->bytes.len != word)
        return ia_fail(cx, IA_ERR_CORRUPT, "constant of %zu bytes where %zu belong", e->bytes.len,
                       word);
    if (e->bytes.len)
        v = ia_pack_load(bits, (const uint8_t *)e->bytes.data);
    for (uint64_t i = 0; i < n; i++)
        store(out, word, i, v);
    return IA_OK;
}

ia_status ia_range_block(ia_ctx *cx, const ia_enc *e, uint64_t n, uint8_t *out)
{
    uint64_t last = 0, max = e->bits == 32 ? UINT32_MAX : UINT64_MAX;

    if (n &&
        (!ia_mul_u64(&last, n - 1, e->step) || !ia_add_u64(&last, last, e->start) || last > max))
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "range of %" PRIu64 " values from %" PRIu64 " by %" PRIu64 " overflows", n,
                       e->start, e->step);
    for (uint64_t i = 0; i < n; i++)
        store(out, e->bits / 8, i, e->start + i * e->step);
    return IA_OK;
}

/* The first value, and n - 1 distances that never leave the width. */
ia_status ia_delta_block(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                         uint8_t *out)
{
    size_t word = e->bits / 8;
    uint64_t v = e->start, max = e->bits == 32 ? UINT32_MAX : UINT64_MAX;

    if (!n)
        return buf.len ? ia_enc_bad_size(cx, e, buf.len, n) : IA_OK;
    IA_TRY(ia_block_ints(cx, d, e->child, buf, n - 1, e->bits, out + word));
    store(out, word, 0, v);
    for (uint64_t i = 1; i < n; i++) {
        uint64_t step = ia_pack_load(e->bits, out + i * word);

        if (step > max - v)
            return ia_fail(cx, IA_ERR_CORRUPT, "delta %" PRIu64 " overflows", i);
        v += step;
        store(out, word, i, v);
    }
    return IA_OK;
}

/* u64 bytes of the indices, u64 bytes of the items, indices, items. */
ia_status ia_dictionary_block(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                              uint32_t bits, uint8_t *out)
{
    uint32_t ibits = ia_enc_bits(e->child);
    ia_view indices = {"", 0}, items = {"", 0};
    uint8_t *idx = NULL, *val = NULL;
    uint64_t a = 0, b = 0;
    ia_status st;

    if (buf.len) {
        if (buf.len >= 16) {
            a = ia_le64((const uint8_t *)buf.data);
            b = ia_le64((const uint8_t *)buf.data + 8);
        }
        if (buf.len < 16 || a > buf.len - 16 || b != buf.len - 16 - a)
            return ia_enc_bad_size(cx, e, buf.len, n);
        indices = (ia_view){buf.data + 16, (size_t)a};
        items = (ia_view){buf.data + 16 + a, (size_t)b};
    }
    if ((ibits != 8 && ibits != 16 && ibits != 32 && ibits != 64) || e->items > n)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "dictionary of %" PRIu32 " items with %" PRIu32 " bit indices", e->items,
                       ibits);
    IA_GO(IA_SET(cx, idx, ia_alloc(cx, (size_t)n * (ibits / 8) + 1)));
    IA_GO(IA_SET(cx, val, ia_alloc(cx, (size_t)e->items * (bits / 8) + 1)));
    IA_GO(ia_block_ints(cx, d, e->child, indices, n, ibits, idx));
    IA_GO(ia_block_ints(cx, d, e->child2, items, e->items, bits, val));
    for (uint64_t i = 0; i < n; i++) {
        uint64_t x = ia_pack_load(ibits, idx + i * (ibits / 8));

        if (x >= e->items)
            IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "dictionary index %" PRIu64 " of %" PRIu32 " items",
                          x, e->items));
        memcpy(out + i * (bits / 8), val + x * (bits / 8), bits / 8);
    }
done:
    ia_free(idx);
    ia_free(val);
    return st;
}
