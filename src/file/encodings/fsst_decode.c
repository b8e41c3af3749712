/* fsst_decode.c - chunks of strings coded with FSST (file format 4.8). */
#include "file/encodings/decode_priv.h"
#include "file/encodings/kernels/fsst_kernel.h"

/* Codes that are expanded at once, unless one string has more. */
enum { RUN_CODES = 16 << 10 };

ia_status ia_fsst_page_table(ia_ctx *cx, ia_decoder *d, const ia_enc *e)
{
    if (d->fsst && d->fsst_key == e->bytes.data)
        return IA_OK;
    ia_decoder_new_page(d);
    IA_TRY(ia_fsst_parse(cx, e->bytes, &d->fsst));
    d->fsst_key = e->bytes.data;
    return IA_OK;
}

static ia_status bad_codes(ia_ctx *cx)
{
    return ia_fail(cx, IA_ERR_CORRUPT, "fsst codes that are not in the table or end in an escape");
}

/* Strings [first, last) of d->codes: text behind out->data, ends behind out->offs. */
static ia_status expand_run(ia_ctx *cx, ia_decoder *d, uint64_t first, uint64_t last, ia_vals *out)
{
    const uint8_t *offs = d->codes.offs.data + first * 8;
    const uint64_t from = ia_le64(offs), base = out->data.len;
    const size_t n = (size_t)(ia_le64(offs + (last - first) * 8) - from), word = out->phys.bits / 8;
    uint64_t ends = 0;
    int64_t len;
    uint8_t *text, *o;

    if (n > UINT32_MAX / 16)
        return ia_fail(cx, IA_ERR_CORRUPT, "fsst string of %zu codes", n);
    ia_buf_clear(&d->place);
    if (!ia_buf_extend(cx, &d->place, (n + 1) * sizeof(uint32_t)))
        return ia_buf_status(&d->place);
    text = ia_buf_extend(cx, &out->data, n * 8 + IA_FSST_SLACK);
    o = ia_buf_extend(cx, &out->offs, (size_t)(last - first) * word);
    if (!text || !o)
        return ia_vals_status(cx, out);
    len =
        ia_fsst_expand_run(d->fsst, d->codes.data.data + from, n, (uint32_t *)d->place.data, text);
    if (len < 0)
        return bad_codes(cx);
    out->data.len = (size_t)(base + (uint64_t)len);
    if (word == 4 && out->data.len > INT32_MAX)
        return ia_vals_too_long(cx);
    for (uint64_t i = 1; i <= last - first; i++, o += word) {
        const uint32_t at = ia_le32(d->place.data + (ia_le64(offs + i * 8) - from) * 4);

        ends |= at == IA_FSST_BAD;
        if (word == 4)
            ia_put_le32(o, (uint32_t)(base + at));
        else
            ia_put_le64(o, base + at);
    }
    out->n += last - first;
    return ends ? bad_codes(cx) : IA_OK;
}

ia_status ia_fsst_expand_all(ia_ctx *cx, ia_decoder *d, ia_vals *out)
{
    const ia_vals *c = &d->codes;

    if (ia_fsst_is_raw(d->fsst))
        return ia_vals_append(cx, out, c, 0, c->n);
    IA_TRY(ia_vals_begin_var(cx, out));
    for (uint64_t i = 0, k; i < c->n; i = k) {
        const uint64_t from = ia_vals_offset(c, i);

        for (k = i + 1; k < c->n && ia_vals_offset(c, k + 1) - from <= RUN_CODES;)
            k++;
        IA_TRY(expand_run(cx, d, i, k, out));
    }
    return IA_OK;
}
