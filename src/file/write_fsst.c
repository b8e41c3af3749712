/* write_fsst.c - the strings of a page as FSST codes. */
#include "file/write_enc.h"

enum { MIN_BYTES = 32768, BLOCK = 65536, SLACK = 7, PAIRED = 24 };

void ia_wfsst_dispose(ia_wfsst *f)
{
    ia_vals_dispose(&f->codes);
    ia_free(f->coder);
    f->coder = NULL;
}

static bool may_code(const ia_wleaf *l)
{
    const ia_hints *h = &l->hints;
    bool asked = h->encoding == IA_HINT_FSST || h->compression == IA_HINT_COMPRESSION_FSST;

    if (l->phys.kind != IA_PHYS_VAR || ia_wleaf_is_packed(l) || ia_wleaf_is_dict(l))
        return false;
    if (asked)
        return true;
    return h->encoding == IA_HINT_ENCODING_AUTO && h->compression == IA_HINT_COMPRESSION_AUTO &&
           l->vals.data.len >= MIN_BYTES;
}

ia_status ia_wfsst_train(ia_ctx *cx, const ia_wleaf *l, ia_wfsst *out)
{
    const ia_vals *v = &l->vals;
    const ia_hints *h = &l->hints;
    bool asked = h->encoding == IA_HINT_FSST || h->compression == IA_HINT_COMPRESSION_FSST;
    double ratio;

    memset(out, 0, sizeof *out);
    out->size = UINT64_MAX;
    if (!may_code(l) || !v->data.len)
        return IA_OK;
    IA_TRY(ia_fsst_train(cx, v->data.data, v->offs.data, v->phys.bits, v->n, &out->coder, &ratio));
    if (ratio > 0.95 && !asked) {
        ia_wfsst_dispose(out);
        return IA_OK;
    }
    ia_fsst_table(out->coder, out->table);
    out->size = (uint64_t)(ratio * (double)v->data.len) + v->offs.len + IA_FSST_TABLE_BYTES;
    return IA_OK;
}

/* Values [i, *end) of about BLOCK bytes of text. */
static uint64_t block_end(const ia_vals *v, uint64_t i)
{
    uint64_t from = ia_vals_offset(v, i), end = i + 1;

    for (uint64_t step = 1; end < v->n && ia_vals_offset(v, end) - from < BLOCK; step *= 2)
        end = v->n - end < step ? v->n : end + step;
    return end;
}

static void put_offset(ia_wfsst *f, size_t word, uint64_t i, uint64_t off)
{
    if (word == 4)
        ia_put_le32(f->codes.offs.data + i * 4, (uint32_t)off);
    else
        ia_put_le64(f->codes.offs.data + i * 8, off);
}

/* Codes values i and i + 1 to p and behind; returns the end of the codes. */
static uint8_t *code_pair(const ia_vals *v, uint64_t i, ia_wfsst *f, uint8_t *p,
                          const uint8_t *base)
{
    size_t word = v->phys.bits / 8, got[2];
    uint64_t a = ia_vals_offset(v, i), b = ia_vals_offset(v, i + 1), c = ia_vals_offset(v, i + 2);
    const uint8_t *const text[2] = {v->data.data + a, v->data.data + b};
    const size_t n[2] = {(size_t)(b - a), (size_t)(c - b)};
    const bool slack[2] = {v->data.len - b >= SLACK, v->data.len - c >= SLACK};
    uint8_t *const out[2] = {p, p + 2 * n[0]};

    ia_fsst_code2(f->coder, text, n, slack, out, got);
    memmove(p + got[0], out[1], got[1]);
    put_offset(f, word, i + 1, (uint64_t)(p - base) + got[0]);
    put_offset(f, word, i + 2, (uint64_t)(p - base) + got[0] + got[1]);
    return p + got[0] + got[1];
}

static ia_status code_block(ia_ctx *cx, const ia_vals *v, uint64_t i, uint64_t end, ia_wfsst *f)
{
    uint64_t from = ia_vals_offset(v, i), bytes = ia_vals_offset(v, end) - from;
    size_t start = f->codes.data.len, word = v->phys.bits / 8;
    uint8_t *o = ia_buf_extend(cx, &f->codes.data, 2 * (size_t)bytes + 4), *p = o;
    const uint8_t *text = v->data.data;

    if (!o)
        return ia_buf_status(&f->codes.data);
    for (bool paired = bytes / (end - i) >= PAIRED; paired && i + 1 < end; i += 2)
        p = code_pair(v, i, f, p, f->codes.data.data);
    for (from = ia_vals_offset(v, i); i < end; i++) {
        uint64_t next = ia_vals_offset(v, i + 1);

        p += ia_fsst_code(f->coder, text + from, (size_t)(next - from), v->data.len - next >= SLACK,
                          p);
        from = next;
        put_offset(f, word, i + 1, start + (size_t)(p - o));
    }
    f->codes.data.len = start + (size_t)(p - o);
    return IA_OK;
}

ia_status ia_wfsst_encode(ia_ctx *cx, const ia_wleaf *l, ia_wfsst *f)
{
    const ia_vals *v = &l->vals;
    size_t word = v->phys.bits / 8;
    uint8_t *offs;

    ia_vals_init(&f->codes, &v->phys);
    offs = ia_buf_extend(cx, &f->codes.offs, (size_t)(v->n + 1) * word);
    if (!offs)
        return ia_buf_status(&f->codes.offs);
    memset(offs, 0, word);
    for (uint64_t i = 0, end; i < v->n; i = end) {
        end = block_end(v, i);
        IA_TRY(code_block(cx, v, i, end, f));
    }
    f->codes.n = v->n;
    return IA_OK;
}
