/* ipc_read.c - reads Arrow IPC files of one UInt32 column; every offset is checked. */
#include <lz4frame.h>
#include <zstd.h>

#include "arrow/ipc.h"

/* Flatbuffers, as far as needed: a table starts with a signed distance back to its vtable; the
 * vtable holds its own size, the table's size and one place per field (0 = absent); a reference is
 * an unsigned distance forward. A reader keeps the first violation in `bad` and answers 0 after. */
typedef struct fb {
    const uint8_t *p;
    size_t n;
    bool bad;
} fb;

typedef struct fb_table {
    size_t at, size;      /* table */
    size_t vt, vt_size;   /* vtable; size 0 = no table */
} fb_table;

static bool inside(fb *f, size_t at, size_t len)
{
    if (at > f->n || len > f->n - at)
        f->bad = true;
    return !f->bad;
}

static fb_table table_at(fb *f, size_t at)
{
    fb_table t = {0};
    int64_t vt;

    if (!inside(f, at, 4))
        return t;
    vt = (int64_t)at - (int32_t)ia_le32(f->p + at);
    if (vt < 0) {
        f->bad = true;
        return t;
    }
    if (!inside(f, (size_t)vt, 4))
        return t;
    t.at = at;
    t.vt = (size_t)vt;
    t.vt_size = ia_le16(f->p + vt);
    t.size = ia_le16(f->p + vt + 2);
    if (t.vt_size < 4 || !inside(f, t.vt, t.vt_size) || !inside(f, at, t.size)) {
        f->bad = true;
        memset(&t, 0, sizeof t);
    }
    return t;
}

/* Place of field k with `width` bytes; 0 when absent. */
static size_t field_at(fb *f, const fb_table *t, size_t k, size_t width)
{
    const size_t slot = 4 + 2 * k;
    size_t off;

    if (f->bad || slot + 2 > t->vt_size)
        return 0;
    off = ia_le16(f->p + t->vt + slot);
    if (off == 0)
        return 0;
    if (off + width > t->size) {
        f->bad = true;
        return 0;
    }
    return t->at + off;
}

static int64_t get_int(fb *f, const fb_table *t, size_t k, size_t width, int64_t absent)
{
    const size_t at = field_at(f, t, k, width);
    uint8_t raw[8] = {0};

    if (at == 0)
        return absent;
    memcpy(raw, f->p + at, width);
    switch (width) {
    case 1:
        return raw[0];
    case 2:
        return (int16_t)ia_le16(raw);
    case 4:
        return (int32_t)ia_le32(raw);
    default:
        return (int64_t)ia_le64(raw);
    }
}

/* Target of reference k; 0 when absent. */
static size_t get_ref(fb *f, const fb_table *t, size_t k)
{
    const size_t at = field_at(f, t, k, 4);
    size_t to;

    if (at == 0)
        return 0;
    to = at + ia_le32(f->p + at);
    return inside(f, to, 4) ? to : 0;
}

static fb_table get_table(fb *f, const fb_table *t, size_t k)
{
    const size_t at = get_ref(f, t, k);
    const fb_table none = {0};

    return at ? table_at(f, at) : none;
}

/* First item of vector k (0 when absent or empty) and their number. */
static size_t get_vector(fb *f, const fb_table *t, size_t k, size_t item, size_t *count)
{
    const size_t at = get_ref(f, t, k);

    *count = 0;
    if (at == 0)
        return 0;
    *count = ia_le32(f->p + at);
    if (*count > f->n / item || !inside(f, at + 4, *count * item)) {
        f->bad = true;
        *count = 0;
    }
    return at + 4;
}

static fb_table root(fb *f)
{
    const fb_table none = {0};

    return inside(f, 0, 4) ? table_at(f, ia_le32(f->p)) : none;
}

/* ---- Arrow messages ------------------------------------------------------------------------ */

enum { HEADER_RECORD_BATCH = 3, TYPE_INT = 2, CODEC_LZ4 = 0, CODEC_ZSTD = 1, CODEC_NONE = -1 };

static ia_status damaged(ia_ctx *cx, const char *what)
{
    return ia_fail(cx, IA_ERR_CORRUPT, "Arrow file of row ids: %s", what);
}

static ia_status check_schema(ia_ctx *cx, fb *f, const fb_table *schema)
{
    size_t n, at, len;
    fb_table field, type;
    bool named;

    if (get_int(f, schema, 0, 2, 0) != 0)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "Arrow file of row ids: big-endian data");
    at = get_vector(f, schema, 1, 4, &n);
    if (f->bad || n != 1)
        return damaged(cx, "the schema must have one field");
    field = table_at(f, at + ia_le32(f->p + at));
    at = get_vector(f, &field, 0, 1, &len);
    named = len == 6 && memcmp(f->p + at, "row_id", 6) == 0;
    type = get_table(f, &field, 3);
    if (f->bad || !named || get_int(f, &field, 2, 1, 0) != TYPE_INT ||
        get_int(f, &type, 0, 4, 0) != 32 || get_int(f, &type, 1, 1, 0) != 0 ||
        get_int(f, &field, 1, 1, 0) != 0 || get_ref(f, &field, 4) != 0)
        return damaged(cx, "the field must be a non-nullable UInt32 called 'row_id'");
    return f->bad ? damaged(cx, "broken schema") : IA_OK;
}

static ia_status inflate_lz4(ia_ctx *cx, const uint8_t *src, size_t n, uint8_t *dst, size_t want)
{
    LZ4F_dctx *d = NULL;
    size_t got = 0, used = 0, hint = 1;

    if (LZ4F_isError(LZ4F_createDecompressionContext(&d, LZ4F_VERSION)))
        return ia_fail(cx, IA_ERR_NO_MEMORY, "no memory for LZ4 decompression");
    while (hint != 0 && used < n) {
        size_t out = want - got, in = n - used;

        hint = LZ4F_decompress(d, dst + got, &out, src + used, &in, NULL);
        if (LZ4F_isError(hint) || (in == 0 && out == 0))
            break;
        got += out;
        used += in;
    }
    LZ4F_freeDecompressionContext(d);
    return hint == 0 && got == want
               ? IA_OK
               : damaged(cx, "a compressed buffer does not inflate to its length");
}

static ia_status inflate_zstd(ia_ctx *cx, const uint8_t *src, size_t n, uint8_t *dst, size_t want)
{
    const size_t got = ZSTD_decompress(dst, want, src, n);

    return !ZSTD_isError(got) && got == want
               ? IA_OK
               : damaged(cx, "a compressed buffer does not inflate to its length");
}

/* The value buffer, in plain form, to dst[0, want). */
static ia_status copy_values(ia_ctx *cx, int64_t codec, const uint8_t *src, size_t n, uint8_t *dst,
                             size_t want)
{
    int64_t plain;

    if (want == 0)
        return IA_OK;
    if (codec == CODEC_NONE) {
        if (n < want)
            return damaged(cx, "the values are cut short");
        memcpy(dst, src, want);
        return IA_OK;
    }
    if (n < 8)
        return damaged(cx, "the values are cut short");
    plain = (int64_t)ia_le64(src);
    src += 8;
    n -= 8;
    if (plain == -1)
        return copy_values(cx, CODEC_NONE, src, n, dst, want);
    if (plain < 0 || (uint64_t)plain < want || (uint64_t)plain > want + 64)
        return damaged(cx, "the values have another length than the batch");
    if ((size_t)plain != want) /* a padded buffer */
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "Arrow file of row ids: padded compressed values");
    return codec == CODEC_ZSTD ? inflate_zstd(cx, src, n, dst, want)
                               : inflate_lz4(cx, src, n, dst, want);
}

typedef struct row_ids {
    uint32_t *v;
    size_t n, cap;
} row_ids;

/* Appends the values of one record batch: fb_table `rb` in `f`, buffers in `body`. */
static ia_status read_batch(ia_ctx *cx, fb *f, const fb_table *rb, const uint8_t *body,
                            size_t body_len, row_ids *out)
{
    const int64_t length = get_int(f, rb, 0, 8, 0);
    const fb_table comp = get_table(f, rb, 3);
    int64_t codec = CODEC_NONE;
    size_t nodes, bufs, n, b, off, len;

    if (comp.vt_size > 0) {
        codec = get_int(f, &comp, 0, 1, 0);
        if (codec > CODEC_ZSTD || get_int(f, &comp, 1, 1, 0) != 0)
            return ia_fail(cx, IA_ERR_UNSUPPORTED, "Arrow file of row ids: compression codec %lld",
                           (long long)codec);
    }
    n = get_vector(f, rb, 1, 16, &nodes);
    b = get_vector(f, rb, 2, 16, &bufs);
    if (f->bad || nodes != 1 || bufs != 2)
        return damaged(cx, "a record batch must have one node and two buffers");
    if (length < 0 || length > (int64_t)UINT32_MAX || ia_le64(f->p + n) != (uint64_t)length ||
        ia_le64(f->p + n + 8) != 0)
        return damaged(cx, "a record batch has nulls or a wrong length");
    off = ia_le64(f->p + b + 16);
    len = ia_le64(f->p + b + 24);
    if (off > body_len || len > body_len - off)
        return damaged(cx, "a buffer lies outside the body");
    if (codec == CODEC_ZSTD && len > 8 && ia_le64(body + off) != UINT64_MAX) {
        const unsigned long long told = ZSTD_getFrameContentSize(body + off + 8, len - 8);

        if (told != ZSTD_CONTENTSIZE_UNKNOWN && told != (unsigned long long)length * 4)
            return damaged(cx, "the values have another length than the batch");
    }
    IA_TRY(IA_GROW(cx, out->v, out->cap, out->n + (size_t)length));
    IA_TRY(
        copy_values(cx, codec, body + off, len, (uint8_t *)(out->v + out->n), (size_t)length * 4));
    out->n += (size_t)length;
    return IA_OK;
}

/* One block of the footer: an encapsulated message and its body. */
static ia_status read_block(ia_ctx *cx, const uint8_t *p, size_t n, const uint8_t *block,
                            row_ids *out)
{
    const uint64_t off = ia_le64(block), body_len = ia_le64(block + 16);
    const uint32_t meta_len = ia_le32(block + 8);
    size_t head = 8, size;
    fb_table msg, rb;
    fb f = {0};

    if (off > n || meta_len > n - off || body_len > n - off - meta_len || meta_len < 8)
        return damaged(cx, "a record batch lies outside the file");
    size = ia_le32(p + off + 4);
    if (ia_le32(p + off) != UINT32_MAX) { /* files before format 0.15 have no continuation mark */
        size = ia_le32(p + off);
        head = 4;
    }
    if (size > meta_len - head)
        return damaged(cx, "a message is longer than its block");
    f.p = p + off + head;
    f.n = size;
    msg = root(&f);
    rb = get_table(&f, &msg, 2);
    if (f.bad || get_int(&f, &msg, 1, 1, 0) != HEADER_RECORD_BATCH || rb.vt_size == 0)
        return damaged(cx, "a block is not a record batch");
    return read_batch(cx, &f, &rb, p + off + meta_len, (size_t)body_len, out);
}

ia_status ia_ipc_read_row_ids(ia_ctx *cx, const uint8_t *p, size_t n, uint32_t **values,
                              size_t *count)
{
    row_ids ids = {0};
    fb_table footer, schema;
    fb f = {0};
    size_t blocks, n_blocks, n_dicts, i, len;
    ia_status st;

    *values = NULL;
    *count = 0;
    if (n < 8 + 10 || memcmp(p, "ARROW1", 6) != 0 || memcmp(p + n - 6, "ARROW1", 6) != 0)
        return damaged(cx, "no ARROW1 at start and end");
    len = ia_le32(p + n - 10);
    if (len > n - 18)
        return damaged(cx, "the footer is longer than the file");
    f.p = p + n - 10 - len;
    f.n = len;
    footer = root(&f);
    schema = get_table(&f, &footer, 1);
    (void)get_vector(&f, &footer, 2, 24, &n_dicts);
    blocks = get_vector(&f, &footer, 3, 24, &n_blocks);
    if (f.bad || schema.vt_size == 0 || n_dicts != 0)
        return damaged(cx, "broken footer");
    IA_GO(check_schema(cx, &f, &schema));
    IA_GO(IA_GROW(cx, ids.v, ids.cap, 1)); /* so that an empty file has values too */
    for (i = 0; i < n_blocks; i++)
        IA_GO(read_block(cx, p, n, f.p + blocks + 24 * i, &ids));
    *values = ids.v;
    *count = ids.n;
    ids.v = NULL;
done:
    ia_free(ids.v);
    return st;
}
