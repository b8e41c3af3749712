/* ipc_write.c - writes Arrow IPC files of one UInt32 column. */
#include <zstd.h>

#include "arrow/ipc.h"

/* A flatbuffer grows from the end of a small fixed block towards its start; a place is named by its
 * distance from the end, which does not change as more is put in front. */
typedef struct fbw {
    uint8_t buf[640];
    size_t head;          /* first byte in use */
    uint16_t slots[8];    /* places of the open table's fields, 0 = absent */
    size_t n_slots;
    size_t table_end;     /* place where the open table began */
} fbw;

static size_t place(const fbw *w)
{
    return sizeof w->buf - w->head;
}

static void push(fbw *w, const void *p, size_t n)
{
    IA_ASSERT(w->head >= n);
    w->head -= n;
    memcpy(w->buf + w->head, p, n);
}

/* Pads so that what follows, after `extra` more bytes, starts at a multiple of `align`. */
static void align(fbw *w, size_t alignment, size_t extra)
{
    while ((place(w) + extra) % alignment != 0)
        push(w, "", 1);
}

static void push_num(fbw *w, uint64_t v, size_t width)
{
    uint8_t raw[8];

    align(w, width, width);
    ia_put_le64(raw, v);
    push(w, raw, width);
}

static void push_ref(fbw *w, size_t to)
{
    align(w, 4, 4);
    push_num(w, place(w) + 4 - to, 4);
}

static void table_begin(fbw *w)
{
    memset(w->slots, 0, sizeof w->slots);
    w->n_slots = 0;
    w->table_end = place(w);
}

static void note(fbw *w, size_t k)
{
    w->slots[k] = (uint16_t)place(w);
    if (k + 1 > w->n_slots)
        w->n_slots = k + 1;
}

static void field_num(fbw *w, size_t k, uint64_t v, size_t width)
{
    push_num(w, v, width);
    note(w, k);
}

static void field_ref(fbw *w, size_t k, size_t to)
{
    push_ref(w, to);
    note(w, k);
}

/* Closes the table: its vtable is put right before it. Returns its place. */
static size_t table_end(fbw *w)
{
    size_t at, k;
    uint8_t raw[4];

    push_num(w, 0, 4); /* distance to the vtable, filled in below */
    at = place(w);
    for (k = w->n_slots; k-- > 0;)
        push_num(w, w->slots[k] ? at - w->slots[k] : 0, 2);
    push_num(w, at - w->table_end, 2);
    push_num(w, 4 + 2 * w->n_slots, 2);
    ia_put_le32(raw, (uint32_t)(place(w) - at));
    memcpy(w->buf + sizeof w->buf - at, raw, 4);
    return at;
}

static size_t string(fbw *w, const char *s)
{
    const size_t n = strlen(s);

    align(w, 4, n + 1);
    push(w, "", 1);
    push(w, s, n);
    push_num(w, n, 4);
    return place(w);
}

/* Vector of one reference. */
static size_t vector_ref(fbw *w, size_t to)
{
    push_ref(w, to);
    push_num(w, 1, 4);
    return place(w);
}

/* Vector of structs made of n 64-bit numbers in all, `count` structs. */
static size_t vector_u64(fbw *w, const uint64_t *v, size_t n, size_t count)
{
    align(w, 8, 0);
    while (n-- > 0)
        push_num(w, v[n], 8);
    push_num(w, count, 4);
    return place(w);
}

static void finish(fbw *w, size_t to)
{
    align(w, 8, 4);
    push_ref(w, to);
}

/* ---- Arrow messages ------------------------------------------------------------------------ */

enum { VERSION_V5 = 4, HEADER_SCHEMA = 1, HEADER_RECORD_BATCH = 3, TYPE_INT = 2, CODEC_ZSTD = 1 };

static size_t put_schema(fbw *w)
{
    size_t type, kids, name, fields;

    table_begin(w);
    field_num(w, 0, 32, 4); /* bit width; unsigned is the default */
    type = table_end(w);
    push_num(w, 0, 4);      /* no children */
    kids = place(w);
    name = string(w, "row_id");
    table_begin(w);
    field_ref(w, 0, name);
    field_ref(w, 3, type);
    field_ref(w, 5, kids);
    field_num(w, 2, TYPE_INT, 1);
    field_num(w, 1, 0, 1);
    fields = vector_ref(w, table_end(w));
    table_begin(w);
    field_ref(w, 1, fields);
    field_num(w, 0, 0, 2); /* little-endian */
    return table_end(w);
}

static void put_message(fbw *w, size_t header, unsigned kind, uint64_t body_len)
{
    table_begin(w);
    field_num(w, 3, body_len, 8);
    field_ref(w, 2, header);
    field_num(w, 0, VERSION_V5, 2);
    field_num(w, 1, kind, 1);
    finish(w, table_end(w));
}

/* bufs: offset and length of validity and values. */
static void put_batch(fbw *w, uint64_t rows, const uint64_t bufs[4], uint64_t body_len)
{
    const uint64_t node[2] = {rows, 0};
    size_t comp, nodes, buffers;

    table_begin(w);
    field_num(w, 0, CODEC_ZSTD, 1);
    field_num(w, 1, 0, 1);
    comp = table_end(w);
    nodes = vector_u64(w, node, 2, 1);
    buffers = vector_u64(w, bufs, 4, 2);
    table_begin(w);
    field_num(w, 0, rows, 8);
    field_ref(w, 1, nodes);
    field_ref(w, 2, buffers);
    field_ref(w, 3, comp);
    put_message(w, table_end(w), HEADER_RECORD_BATCH, body_len);
}

static void put_footer(fbw *w, uint64_t offset, uint64_t meta_len, uint64_t body_len)
{
    const uint64_t block[3] = {offset, meta_len, body_len};
    size_t schema, dicts, batches;

    schema = put_schema(w);
    dicts = vector_u64(w, NULL, 0, 0);
    batches = vector_u64(w, block, 3, 1);
    table_begin(w);
    field_ref(w, 1, schema);
    field_ref(w, 2, dicts);
    field_ref(w, 3, batches);
    field_num(w, 0, VERSION_V5, 2);
    finish(w, table_end(w));
}

/* Encapsulated: continuation mark, length, metadata; a multiple of 8 bytes. */
static void append_message(ia_ctx *cx, ia_buf *out, const fbw *w)
{
    uint8_t head[8];

    ia_put_le32(head, UINT32_MAX);
    ia_put_le32(head + 4, (uint32_t)place(w));
    ia_buf_put(cx, out, head, 8);
    ia_buf_put(cx, out, w->buf + w->head, place(w));
}

static void pad8(ia_ctx *cx, ia_buf *b)
{
    ia_buf_fill(cx, b, 0, (8 - b->len % 8) % 8);
}

/* One body buffer: its plain length and a ZSTD frame, or -1 and the bytes where that is shorter. */
static ia_status append_buffer(ia_ctx *cx, ia_buf *body, const void *p, size_t n,
                               uint64_t place_len[2])
{
    const size_t start = body->len, bound = ZSTD_compressBound(n);
    uint8_t *d = ia_buf_extend(cx, body, 8 + bound);
    size_t len;

    if (!d)
        return ia_buf_status(body);
    len = ZSTD_compress(d + 8, bound, p, n, 3);
    if (ZSTD_isError(len) || len >= n) {
        ia_put_le64(d, UINT64_MAX);
        memcpy(d + 8, p, n);
        len = n;
    } else {
        ia_put_le64(d, n);
    }
    body->len = start + 8 + len;
    place_len[0] = start;
    place_len[1] = 8 + len;
    pad8(cx, body);
    return ia_buf_status(body);
}

/* Engines of today write the validity bits out although nothing is null; so do we. */
static ia_status make_body(ia_ctx *cx, const uint32_t *values, size_t count, ia_buf *body,
                           uint64_t bufs[4])
{
    const size_t bits = (count + 7) / 8;
    uint8_t *ones;
    ia_status st;

    if (count == 0)
        return IA_OK;
    IA_TRY(IA_SET(cx, ones, ia_alloc(cx, bits)));
    memset(ones, 0xff, bits);
    if (count % 8)
        ones[bits - 1] = (uint8_t)((1u << (count % 8)) - 1);
    st = append_buffer(cx, body, ones, bits, bufs);
    ia_free(ones);
    IA_TRY(st);
    return append_buffer(cx, body, values, count * 4, bufs + 2);
}

ia_status ia_ipc_write_row_ids(ia_ctx *cx, const uint32_t *values, size_t count, ia_bytes *out)
{
    static const uint8_t eos[8] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0};
    ia_buf file = {0}, body = {0};
    uint64_t bufs[4] = {0};
    size_t at, meta_len;
    uint8_t len[4];
    fbw w;
    ia_status st;

    memset(out, 0, sizeof *out);
    IA_GO(make_body(cx, values, count, &body, bufs));
    ia_buf_put(cx, &file, "ARROW1\0\0", 8);
    w = (fbw){.head = sizeof w.buf};
    put_message(&w, put_schema(&w), HEADER_SCHEMA, 0);
    append_message(cx, &file, &w);
    at = file.len;
    w = (fbw){.head = sizeof w.buf};
    put_batch(&w, count, bufs, body.len);
    append_message(cx, &file, &w);
    meta_len = file.len - at;
    ia_buf_put(cx, &file, body.data, body.len);
    ia_buf_put(cx, &file, eos, 8);
    w = (fbw){.head = sizeof w.buf};
    put_footer(&w, at, meta_len, body.len);
    ia_buf_put(cx, &file, w.buf + w.head, place(&w));
    ia_put_le32(len, (uint32_t)place(&w));
    ia_buf_put(cx, &file, len, 4);
    ia_buf_put(cx, &file, "ARROW1", 6);
    IA_GO(ia_buf_finish(&file, out));
done:
    ia_buf_dispose(&body);
    ia_buf_dispose(&file);
    return st;
}
