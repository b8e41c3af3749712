/* pick.c - single values out of encoded chunks, without decoding their neighbours. */
#include "file/encodings/pick.h"

#include <inttypes.h>

#include "file/encodings/bitpack.h"
#include "file/encodings/decode_priv.h"

#define MAX_CHUNK_BYTES ((uint64_t)64 << 20)

typedef struct picker {
    ia_decoder *d;
    ia_view buf; /* the chunk's only buffer */
    uint64_t n;
    const uint32_t *at;
    size_t k;
} picker;

static ia_status bad_size(ia_ctx *cx, const picker *p, const ia_enc *e)
{
    return ia_fail(cx, IA_ERR_CORRUPT, "%s buffer of %zu bytes does not fit %" PRIu64 " values",
                   ia_enc_name(e->kind), p->buf.len, p->n);
}

/* ---- fixed width ---------------------------------------------------------------------------- */

/* Flat values below any number of fixed-size lists without nulls inside. */
static bool is_plain(const ia_enc *e, const ia_phys *phys)
{
    size_t level = 0;

    for (; e->kind == IA_ENC_FSL; e = e->child, level++) {
        if (e->has_validity || level == phys->n_dims || e->items != phys->dims[level])
            return false;
    }
    return e->kind == IA_ENC_FLAT && level == phys->n_dims && e->bits == phys->bits;
}

static ia_status pick_flat(ia_ctx *cx, const picker *p, const ia_enc *e, ia_vals *out)
{
    const uint8_t *v = (const uint8_t *)p->buf.data;
    size_t width = out->phys.width;
    uint8_t *o;

    if (p->buf.len / width < p->n)
        return bad_size(cx, p, e);
    o = ia_vals_extend(cx, out, p->k);
    if (!o)
        return ia_vals_status(cx, out);
    ia_vals_inner_ones(cx, out, p->k);
    if (width == 8) {
        for (size_t i = 0; i < p->k; i++)
            memcpy(o + i * 8, v + (size_t)p->at[i] * 8, 8);
    } else {
        for (size_t i = 0; i < p->k; i++)
            memcpy(o + i * width, v + p->at[i] * width, width);
    }
    return ia_vals_status(cx, out);
}

static ia_status pick_packed(ia_ctx *cx, const picker *p, const ia_enc *e, ia_vals *out)
{
    const uint8_t *v = (const uint8_t *)p->buf.data;
    size_t word = e->bits / 8;
    uint64_t w = p->buf.len < word ? UINT64_MAX : ia_pack_load(e->bits, v);
    uint8_t *o;

    if (w > e->bits || p->n > IA_PACK_BLOCK || p->buf.len != word + 128 * w)
        return bad_size(cx, p, e);
    o = ia_vals_extend(cx, out, p->k);
    if (!o)
        return ia_vals_status(cx, out);
    for (size_t i = 0; i < p->k; i++) {
        uint64_t x = ia_unpack_one(e->bits, v + word, (unsigned)w, p->at[i]);

        memcpy(o + i * word, &x, word); /* little endian, like everything here */
    }
    return IA_OK;
}

/* ---- variable width ------------------------------------------------------------------------- */

static ia_status pick_var(ia_ctx *cx, const picker *p, const ia_enc *e, const ia_fsst *table,
                          ia_vals *out)
{
    const uint8_t *v = (const uint8_t *)p->buf.data;
    uint32_t obits = e->child->bits;
    uint64_t head = (p->n + 1) * (obits / 8);

    if (p->n > p->buf.len || head > p->buf.len)
        return bad_size(cx, p, e);
    for (size_t i = 0; i < p->k; i++) {
        uint64_t x = p->at[i];
        uint64_t from = obits == 32 ? ia_le32(v + x * 4) : ia_le64(v + x * 8);
        uint64_t to = obits == 32 ? ia_le32(v + x * 4 + 4) : ia_le64(v + x * 8 + 8);

        if (from < head || from > to || to > p->buf.len)
            return bad_size(cx, p, e);
        if (!table) {
            IA_TRY(ia_vals_put_var(cx, out, v + from, (size_t)(to - from)));
            continue;
        }
        IA_TRY(ia_vals_begin_var(cx, out));
        IA_TRY(ia_fsst_expand(cx, table, v + from, (size_t)(to - from), &out->data));
        IA_TRY(ia_vals_end_var(cx, out));
    }
    return IA_OK;
}

static bool is_variable(const ia_enc *e)
{
    return e->kind == IA_ENC_VARIABLE && e->child->kind == IA_ENC_FLAT &&
           (e->child->bits == 32 || e->child->bits == 64);
}

/* ---- which ---------------------------------------------------------------------------------- */

static ia_status unpack(ia_ctx *cx, picker *p, const ia_enc *e)
{
    ia_buf *b = &p->d->plain[0];

    IA_TRY(ia_general_decode(cx, e->scheme, p->buf, MAX_CHUNK_BYTES, b));
    p->buf.data = b->data ? (const char *)b->data : "";
    p->buf.len = b->len;
    return IA_OK;
}

static bool is_pickable(const ia_enc *e, const ia_phys *phys)
{
    if (phys->kind == IA_PHYS_VAR)
        return is_variable(e->kind == IA_ENC_FSST ? e->child : e);
    if (phys->kind != IA_PHYS_FIXED || !phys->width)
        return false;
    return is_plain(e, phys) ||
           (e->kind == IA_ENC_INLINE_BITPACK && !phys->n_dims && e->bits == phys->bits);
}

ia_status ia_mini_pick(ia_ctx *cx, ia_decoder *d, const ia_enc *e, const ia_view *bufs,
                       size_t n_bufs, uint64_t n, const uint32_t *at, size_t k, ia_vals *out,
                       bool *done)
{
    const ia_enc *inner = e->kind == IA_ENC_GENERAL ? e->child : e;
    picker p = {.d = d, .n = n, .at = at, .k = k};

    *done = n_bufs == 1 && k && at[k - 1] < n && is_pickable(inner, &out->phys);
    if (!*done)
        return IA_OK;
    p.buf = bufs[0];
    if (inner != e)
        IA_TRY(unpack(cx, &p, e));
    if (inner->kind == IA_ENC_INLINE_BITPACK)
        return pick_packed(cx, &p, inner, out);
    if (out->phys.kind == IA_PHYS_FIXED)
        return pick_flat(cx, &p, inner, out);
    if (inner->kind == IA_ENC_VARIABLE)
        return pick_var(cx, &p, inner, NULL, out);
    IA_TRY(ia_fsst_page_table(cx, d, inner));
    return pick_var(cx, &p, inner->child, d->fsst, out);
}
