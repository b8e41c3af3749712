/* rle.c - runs of equal values (file format 4.10). */
#include <inttypes.h>

#include "file/encodings/bitpack.h"
#include "file/encodings/decode_priv.h"

#define FILL_RUNS(T)                                                                               \
    do {                                                                                           \
        T *o_ = (T *)(void *)o;                                                                    \
        for (size_t r = 0; r < runs && done < count; r++) {                                        \
            uint64_t len = lengths[r];                                                             \
            T v;                                                                                   \
            memcpy(&v, values + r * sizeof(T), sizeof(T));                                         \
            if (!len)                                                                              \
                return ia_fail(cx, IA_ERR_CORRUPT, "rle run %zu is empty", r);                     \
            len = len > count - done ? count - done : len;                                         \
            for (uint64_t i = 0; i < len; i++)                                                     \
                o_[done + i] = v;                                                                  \
            done += len;                                                                           \
        }                                                                                          \
    } while (0)

/* Some writers let the last run overshoot; it is cut. `o` is aligned to the value. */
static ia_status fill_runs(ia_ctx *cx, uint32_t bits, const uint8_t *values, const uint8_t *lengths,
                           size_t runs, uint64_t count, uint8_t *o)
{
    uint64_t done = 0;

    if (bits == 8)
        FILL_RUNS(uint8_t);
    else if (bits == 16)
        FILL_RUNS(uint16_t);
    else if (bits == 32)
        FILL_RUNS(uint32_t);
    else
        FILL_RUNS(uint64_t);
    if (done != count)
        return ia_fail(cx, IA_ERR_CORRUPT, "rle runs hold %" PRIu64 " of %" PRIu64 " values", done,
                       count);
    return IA_OK;
}

static bool rle_is_plain(const ia_enc *e)
{
    uint32_t b = e->child->bits;

    return e->child->kind == IA_ENC_FLAT && (b == 8 || b == 16 || b == 32 || b == 64) &&
           e->child2->kind == IA_ENC_FLAT && e->child2->bits == 8;
}

/* ---- encoded children (format 2.3) ----------------------------------------------------------- */

typedef struct runs {
    uint8_t *values, *lengths; /* owned */
    uint64_t n;
    uint32_t value_bits, length_bits;
} runs;

/* Values that the bytes of an encoding show; false = cannot tell. */
static bool shows_count(const ia_enc *e, ia_view b, uint64_t *n)
{
    if (e->kind != IA_ENC_FLAT || (e->bits & 7) || !e->bits)
        return false;
    *n = b.len / (e->bits / 8);
    return b.len % (e->bits / 8) == 0;
}

/* Takes general compression off; *e and *b become the inner encoding and its bytes. */
static ia_status unwrap(ia_ctx *cx, ia_decoder *d, const ia_enc **e, ia_view *b)
{
    while ((*e)->kind == IA_ENC_GENERAL) {
        IA_TRY(ia_block_unpack(cx, d, *e, *b, b));
        *e = (*e)->child;
    }
    return IA_OK;
}

/* Runs whose lengths the description tells: all the same, or each longer than the one before. */
static uint64_t told_runs(const ia_enc *lengths, uint64_t count)
{
    uint64_t each = lengths->start, n = 0;

    if (lengths->kind == IA_ENC_CONSTANT) {
        each = ia_pack_load((uint32_t)lengths->bytes.len * 8, (const uint8_t *)lengths->bytes.data);
        return each ? count / each + (count % each != 0) : 0;
    }
    for (; each && count; n++) {
        count -= each < count ? each : count;
        each = each > UINT64_MAX - lengths->step ? UINT64_MAX : each + lengths->step;
    }
    return n;
}

static ia_status count_runs(ia_ctx *cx, const ia_enc *values, ia_view v, const ia_enc *lengths,
                            ia_view l, uint64_t count, uint64_t *n)
{
    if ((lengths->kind == IA_ENC_CONSTANT && lengths->bytes.len) || lengths->kind == IA_ENC_RANGE) {
        *n = told_runs(lengths, count);
        if (!*n && count)
            return ia_fail(cx, IA_ERR_CORRUPT, "rle runs are empty");
    } else if (!shows_count(lengths, l, n) && !shows_count(values, v, n)) {
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "rle of %s values with %s lengths",
                       ia_enc_name(values->kind), ia_enc_name(lengths->kind));
    }
    if (*n > count) /* runs are not empty */
        return ia_fail(cx, IA_ERR_CORRUPT, "%" PRIu64 " rle runs for %" PRIu64 " values", *n,
                       count);
    return IA_OK;
}

static bool word_bits(uint32_t bits)
{
    return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

static ia_status decode_children(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view v, ia_view l,
                                 uint64_t count, runs *r)
{
    const ia_enc *values = e->child, *lengths = e->child2;

    r->value_bits = ia_enc_bits(values);
    r->length_bits = ia_enc_bits(lengths);
    if (!word_bits(r->value_bits) || !word_bits(r->length_bits) || r->length_bits == 64)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "rle of %" PRIu32 " bit values with %" PRIu32 " bit lengths", r->value_bits,
                       r->length_bits);
    IA_TRY(unwrap(cx, d, &values, &v));
    IA_TRY(unwrap(cx, d, &lengths, &l));
    IA_TRY(count_runs(cx, values, v, lengths, l, count, &r->n));
    IA_TRY(IA_SET(cx, r->values, ia_alloc(cx, (size_t)r->n * (r->value_bits / 8) + 1)));
    IA_TRY(IA_SET(cx, r->lengths, ia_alloc(cx, (size_t)r->n * (r->length_bits / 8) + 1)));
    IA_TRY(ia_block_ints(cx, d, values, v, r->n, r->value_bits, r->values));
    return ia_block_ints(cx, d, lengths, l, r->n, r->length_bits, r->lengths);
}

/* The last run may overshoot; it is cut. */
static ia_status fill_wide_runs(ia_ctx *cx, const runs *r, uint64_t count, uint8_t *o)
{
    size_t word = r->value_bits / 8;
    uint64_t done = 0;

    for (uint64_t k = 0; k < r->n && done < count; k++) {
        uint64_t len = ia_pack_load(r->length_bits, r->lengths + k * (r->length_bits / 8));

        if (!len)
            return ia_fail(cx, IA_ERR_CORRUPT, "rle run %" PRIu64 " is empty", k);
        len = len > count - done ? count - done : len;
        for (uint64_t i = 0; i < len; i++)
            memcpy(o + (done + i) * word, r->values + k * word, word);
        done += len;
    }
    if (done != count)
        return ia_fail(cx, IA_ERR_CORRUPT, "rle runs hold %" PRIu64 " of %" PRIu64 " values", done,
                       count);
    return IA_OK;
}

static ia_status wide_runs(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view values,
                           ia_view lengths, uint64_t count, uint8_t *o)
{
    runs r = {0};
    ia_status st;

    IA_GO(decode_children(cx, d, e, values, lengths, count, &r));
    if (r.length_bits == 8)
        IA_GO(fill_runs(cx, r.value_bits, r.values, r.lengths, (size_t)r.n, count, o));
    else
        IA_GO(fill_wide_runs(cx, &r, count, o));
done:
    ia_free(r.values);
    ia_free(r.lengths);
    return st;
}

/* ---- chunks and blocks ----------------------------------------------------------------------- */

ia_status ia_rle_decode(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view values, ia_view lengths,
                        uint64_t n, uint64_t count, ia_vals *out)
{
    bool plain = rle_is_plain(e);
    uint8_t *o;

    if (plain && (values.len / (e->child->bits / 8) < lengths.len || lengths.len < count / 255))
        return ia_enc_bad_size(cx, e, values.len, count);
    o = ia_vals_extend(cx, out, n);
    if (!o)
        return ia_vals_status(cx, out);
    if (!plain)
        return wide_runs(cx, d, e, values, lengths, count, o);
    return fill_runs(cx, e->child->bits, (const uint8_t *)values.data,
                     (const uint8_t *)lengths.data, lengths.len, count, o);
}

/* u64 bytes of the values, values, lengths. */
ia_status ia_rle_block(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                       uint8_t *out)
{
    const uint8_t *p = (const uint8_t *)buf.data;
    uint64_t size;
    ia_view values, lengths;

    if (!ia_enc_has_payload(e) && !buf.len)
        return wide_runs(cx, d, e, buf, buf, n, out);
    if (buf.len < 8 || (size = ia_le64(p)) > buf.len - 8)
        return ia_enc_bad_size(cx, e, buf.len, n);
    values = (ia_view){buf.data + 8, (size_t)size};
    lengths = (ia_view){buf.data + 8 + size, buf.len - 8 - (size_t)size};
    if (!rle_is_plain(e))
        return wide_runs(cx, d, e, values, lengths, n, out);
    if (size % (e->child->bits / 8) || size / (e->child->bits / 8) != lengths.len)
        return ia_enc_bad_size(cx, e, buf.len, n);
    return fill_runs(cx, e->child->bits, p + 8, p + 8 + size, lengths.len, n, out);
}

bool ia_block_told(const ia_enc *e, ia_view buf, uint64_t *n)
{
    const uint8_t *p = (const uint8_t *)buf.data;
    uint64_t size, count, sum = 0;
    ia_view lengths;
    uint32_t bits;

    if (e->kind != IA_ENC_RLE || buf.len < 8 || (size = ia_le64(p)) > buf.len - 8)
        return false;
    bits = e->child2->bits;
    lengths = (ia_view){buf.data + 8 + size, buf.len - 8 - (size_t)size};
    if ((bits != 8 && bits != 16 && bits != 32) || !shows_count(e->child2, lengths, &count))
        return false;
    for (uint64_t i = 0; i < count; i++)
        sum += ia_pack_load(bits, (const uint8_t *)lengths.data + i * (bits / 8));
    *n = sum;
    return true;
}
