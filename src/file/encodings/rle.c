/* rle.c - runs of equal values (file format 4.10). */
#include <inttypes.h>

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

static ia_status refuse_rle(ia_ctx *cx, const ia_enc *e)
{
    return ia_fail(cx, IA_ERR_UNSUPPORTED,
                   "rle of %s values with %s lengths (format 2.3) is not supported",
                   ia_enc_name(e->child->kind), ia_enc_name(e->child2->kind));
}

ia_status ia_rle_decode(ia_ctx *cx, const ia_enc *e, ia_view values, ia_view lengths, uint64_t n,
                        uint64_t count, ia_vals *out)
{
    uint8_t *o;

    if (!rle_is_plain(e))
        return refuse_rle(cx, e);
    if (values.len / (e->child->bits / 8) < lengths.len || lengths.len < count / 255)
        return ia_enc_bad_size(cx, e, values.len, count);
    o = ia_vals_extend(cx, out, n);
    if (!o)
        return ia_vals_status(cx, out);
    return fill_runs(cx, e->child->bits, (const uint8_t *)values.data,
                     (const uint8_t *)lengths.data, lengths.len, count, o);
}

ia_status ia_rle_block(ia_ctx *cx, const ia_enc *e, ia_view buf, uint64_t n, uint8_t *out)
{
    const uint8_t *p = (const uint8_t *)buf.data;
    uint64_t values, runs;

    if (!rle_is_plain(e))
        return refuse_rle(cx, e);
    if (buf.len < 8 || (values = ia_le64(p)) > buf.len - 8 || values % (e->child->bits / 8))
        return ia_enc_bad_size(cx, e, buf.len, n);
    runs = buf.len - 8 - values;
    if (values / (e->child->bits / 8) != runs)
        return ia_enc_bad_size(cx, e, buf.len, n);
    return fill_runs(cx, e->child->bits, p + 8, p + 8 + values, (size_t)runs, n, out);
}
