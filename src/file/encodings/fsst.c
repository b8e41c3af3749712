/* fsst.c - strings coded with a table of up to 255 symbols (file format 4.8). */
#include <inttypes.h>

#include "file/encodings/decode.h"
#include "file/encodings/kernels/fsst_kernel.h"

enum { TABLE_BYTES = 2312, ESCAPE = 255 };

struct ia_fsst {
    uint64_t symbol[256]; /* the bytes as they lie in memory, zero padded */
    uint8_t length[256];  /* 0 = no such code */
    bool raw;             /* the data is not coded at all */
};

ia_status ia_fsst_parse(ia_ctx *cx, ia_view table, ia_fsst **out)
{
    const uint8_t *p = (const uint8_t *)table.data;
    ia_fsst *t = NULL;
    ia_status st = IA_OK;
    unsigned n;

    *out = NULL;
    if (table.len < 8 || memcmp(p + 4, "TSSF", 4) != 0)
        return ia_fail(cx, IA_ERR_CORRUPT, "fsst symbol table of %zu bytes has no magic",
                       table.len);
    n = p[0];
    if (p[3] > 1 || n > 255 || table.len < 8 + 9 * (size_t)n ||
        (p[3] == 1 && table.len != TABLE_BYTES))
        return ia_fail(cx, IA_ERR_CORRUPT, "fsst symbol table of %zu bytes with %u symbols",
                       table.len, n);
    IA_GO(IA_NEW(cx, t));
    t->raw = p[3] == 0;
    for (unsigned i = 0; i < n; i++) {
        memcpy(&t->symbol[i], p + 8 + 8 * i, 8);
        t->length[i] = p[8 + 8 * n + i];
        if (t->length[i] < 1 || t->length[i] > 8)
            IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "fsst symbol %u has length %u", i, t->length[i]));
    }
    *out = t;
    t = NULL;
done:
    ia_free(t);
    return st;
}

void ia_fsst_free(ia_fsst *t)
{
    ia_free(t);
}

bool ia_fsst_is_raw(const ia_fsst *t)
{
    return t->raw;
}

int64_t ia_fsst_expand_run(const ia_fsst *t, const uint8_t *codes, size_t n, uint32_t *place,
                           uint8_t *out)
{
    return ia_fsst_run(t->symbol, t->length, codes, n, place, out);
}

ia_status ia_fsst_expand(ia_ctx *cx, const ia_fsst *t, const uint8_t *codes, size_t n, ia_buf *out)
{
    size_t start = out->len, i = 0;
    uint8_t *p;
    uint8_t *o;

    if (t->raw) {
        if (n)
            ia_buf_put(cx, out, codes, n);
        return ia_buf_status(out);
    }
    if (n > SIZE_MAX / 16)
        return ia_fail(cx, IA_ERR_CORRUPT, "fsst string of %zu codes", n);
    /* Each code writes 8 bytes whatever its length, hence the slack. */
    p = o = ia_buf_extend(cx, out, n * 8 + 8);
    if (!p)
        return ia_buf_status(out);
    while (i < n) {
        uint8_t c = codes[i++];

        if (c != ESCAPE) {
            memcpy(o, &t->symbol[c], 8);
            o += t->length[c];
            if (!t->length[c])
                return ia_fail(cx, IA_ERR_CORRUPT, "fsst code %u is not in the table", c);
        } else if (i < n) {
            *o++ = codes[i++];
        } else {
            return ia_fail(cx, IA_ERR_CORRUPT, "fsst string ends in an escape");
        }
    }
    out->len = start + (size_t)(o - p);
    return IA_OK;
}
