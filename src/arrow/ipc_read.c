/* ipc_read.c - Arrow IPC streams and files as streams of batches. */
#include "arrow/compute.h"
#include "arrow/ipc_priv.h"

typedef struct ipc_reader {
    ia_source src; /* streams; also a file read front to back */
    char *name;
    ia_schema *schema;
    ia_ipc_dicts dicts;
    ia_buf meta; /* metadata of the message at work */
    uint64_t messages;
    bool ended;
    /* files in memory; blocks are places in `data` of the footer's Block structs */
    const uint8_t *data;
    size_t len, blocks, n_blocks, block;
} ipc_reader;

typedef struct message {
    ia_fb f;
    ia_fbt header;
    int64_t kind;    /* 0 = the end */
    ia_buffer *body; /* NULL when empty */
} message;

/* ---- messages ------------------------------------------------------------------------------ */

static ia_status damaged(ia_ctx *cx, const char *what)
{
    return ia_fail(cx, IA_ERR_CORRUPT, "not sound Arrow data: %s", what);
}

/* Exactly n bytes; memory grows with what really comes. */
static ia_status read_all(ia_ctx *cx, ia_source *s, uint64_t n, ia_buf *out)
{
    const char *cut = "it ends inside of a message";
    size_t got;

    if (n > SIZE_MAX / 2 || (!s->read && n > s->len))
        return damaged(cx, cut);
    while (n > 0) {
        const size_t most = out->len < (1u << 20) ? 1u << 20 : out->len;
        const size_t step = !s->read || n < most ? (size_t)n : most;
        uint8_t *p = ia_buf_extend(cx, out, step);

        if (!p)
            return ia_buf_status(out);
        IA_TRY(ia_source_read(cx, s, p, step, &got));
        if (got < step)
            return damaged(cx, cut);
        n -= step;
    }
    return IA_OK;
}

static ia_status read_body(ia_ctx *cx, ia_source *s, uint64_t n, ia_buffer **out)
{
    ia_bytes bytes = {0};
    ia_buf buf = {0};
    ia_status st;

    *out = NULL;
    if (n == 0)
        return IA_OK;
    IA_GO(read_all(cx, s, n, &buf));
    IA_GO(ia_buf_finish(&buf, &bytes));
    IA_GO(ia_buffer_own(cx, bytes.data, bytes.len, out));
done:
    ia_buf_dispose(&buf);
    return st;
}

/* Length of the metadata that follows; 0 at the end. `raw`: the first four bytes, which were read.
 */
static ia_status length_after(ia_ctx *cx, ia_source *s, uint8_t raw[4], uint32_t *out)
{
    size_t got = 4;

    if (ia_le32(raw) == UINT32_MAX) /* absent before format 0.15 */
        IA_TRY(ia_source_read(cx, s, raw, 4, &got));
    if (got != 4 || ia_le32(raw) > INT32_MAX)
        return damaged(cx, "a message's length");
    *out = ia_le32(raw);
    return IA_OK;
}

static ia_status read_length(ia_ctx *cx, ia_source *s, uint32_t *out)
{
    uint8_t raw[4];
    size_t got;

    *out = 0;
    IA_TRY(ia_source_read(cx, s, raw, 4, &got));
    if (got == 0)
        return IA_OK; /* a stream may just stop between messages */
    return got == 4 ? length_after(cx, s, raw, out) : damaged(cx, "a message's length");
}

/* The message with `size` bytes of metadata; 0 = the end. *m borrows r->meta until the next one;
 * its body is the caller's. */
static ia_status message_of(ia_ctx *cx, ipc_reader *r, ia_source *s, uint32_t size, message *m)
{
    int64_t version, body;
    ia_fbt root;

    memset(m, 0, sizeof *m);
    if (size == 0)
        return IA_OK;
    r->messages++;
    ia_buf_clear(&r->meta);
    IA_TRY(read_all(cx, s, size, &r->meta));
    m->f = (ia_fb){.p = r->meta.data, .n = r->meta.len};
    root = ia_fb_root(&m->f);
    version = ia_fb_int(&m->f, &root, 0, 2, 0);
    m->kind = ia_fb_int(&m->f, &root, 1, 1, 0);
    m->header = ia_fb_table(&m->f, &root, 2);
    body = ia_fb_int(&m->f, &root, 3, 8, 0);
    if (m->f.bad || m->header.vt_size == 0 || body < 0)
        return damaged(cx, "a message's header");
    if (version != IA_IPC_V4 && version != IA_IPC_V5)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "Arrow metadata version V%lld is not supported",
                       (long long)version + 1);
    if (m->kind < IA_IPC_SCHEMA || m->kind > IA_IPC_BATCH)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "Arrow message %lld (a tensor or newer) is not supported",
                       (long long)m->kind);
    return read_body(cx, s, (uint64_t)body, &m->body);
}

static ia_status read_message(ia_ctx *cx, ipc_reader *r, ia_source *s, message *m)
{
    uint32_t size;

    memset(m, 0, sizeof *m);
    IA_TRY(read_length(cx, s, &size));
    return message_of(cx, r, s, size, m);
}

/* ---- dictionaries and batches -------------------------------------------------------------- */

static ia_status set_dictionary(ia_ctx *cx, ipc_reader *r, int64_t id, ia_array *values, bool delta)
{
    ia_array *parts[2] = {NULL, values}, *all = NULL;
    size_t i;

    for (i = 0; i < r->dicts.n; i++) {
        ia_ipc_dict *d = &r->dicts.d[i];

        if (d->id != id)
            continue;
        if (!all && delta && d->values) {
            parts[0] = d->values;
            IA_TRY(ia_concat_arrays(cx, parts, 2, &all));
        } else if (!all) {
            all = ia_array_retain(values);
        }
        ia_array_release(d->values);
        d->values = ia_array_retain(all);
    }
    ia_array_release(all);
    return IA_OK;
}

static ia_status read_dictionary(ia_ctx *cx, ipc_reader *r, message *m, bool file)
{
    const int64_t id = ia_fb_int(&m->f, &m->header, 0, 8, 0);
    const ia_fbt rb = ia_fb_table(&m->f, &m->header, 1);
    const bool delta = ia_fb_int(&m->f, &m->header, 2, 1, 0) != 0;
    ia_ipc_body b = {.f = &m->f, .rb = &rb, .body = m->body, .dicts = &r->dicts};
    char name[] = "dictionary";
    ia_field field = {.name = name};
    ia_array *values = NULL;
    ia_status st;
    int64_t n;
    size_t i;

    for (i = 0; i < r->dicts.n && r->dicts.d[i].id != id; i++)
        ;
    if (m->f.bad || rb.vt_size == 0)
        return damaged(cx, "a dictionary message");
    if (i == r->dicts.n)
        return ia_fail(cx, IA_ERR_CORRUPT, "dictionary %lld belongs to no field", (long long)id);
    if (file && r->dicts.d[i].values && !delta)
        return ia_fail(cx, IA_ERR_CORRUPT, "dictionary %lld comes twice in a file", (long long)id);
    b.place = i + 1;
    field.type = ia_type_retain(r->dicts.d[i].type);
    IA_GO(ia_ipc_read_columns(cx, &b, &field, 1, &values, &n));
    IA_GO(set_dictionary(cx, r, id, values, delta));
done:
    ia_type_release(field.type);
    ia_array_release(values);
    return st;
}

static ia_status read_batch(ia_ctx *cx, ipc_reader *r, message *m, ia_batch **out)
{
    const ia_schema *s = r->schema;
    const ia_ipc_body b = {.f = &m->f, .rb = &m->header, .body = m->body, .dicts = &r->dicts};
    ia_array **cols;
    int64_t rows;
    ia_status st;

    IA_TRY(IA_NEW_ARRAY(cx, cols, s->n_fields + 1));
    st = ia_ipc_read_columns(cx, &b, s->fields, s->n_fields, cols, &rows);
    if (st == IA_OK)
        st = ia_batch_make(cx, s, rows, cols, out);
    ia_free(cols);
    return st;
}

/* The next batch of a stream; dictionaries on the way are kept. */
static ia_status stream_batch(ia_ctx *cx, ipc_reader *r, ia_batch **out)
{
    ia_status st = IA_OK;
    message m = {0};

    while (!*out && !r->ended) {
        IA_GO(read_message(cx, r, &r->src, &m));
        r->ended = m.kind == 0;
        if (m.kind == IA_IPC_SCHEMA)
            IA_GO(damaged(cx, "a second schema"));
        if (m.kind == IA_IPC_DICTIONARY)
            IA_GO(read_dictionary(cx, r, &m, false));
        if (m.kind == IA_IPC_BATCH)
            IA_GO(read_batch(cx, r, &m, out));
        ia_buffer_release(m.body);
        m.body = NULL;
        IA_GO(ia_check(cx, 0, 0));
    }
done:
    ia_buffer_release(m.body);
    return st;
}

/* Block i of those at `at`; *m as in read_message. */
static ia_status block_message(ia_ctx *cx, ipc_reader *r, size_t at, size_t i, int64_t kind,
                               message *m)
{
    const uint8_t *p = r->data + at + 24 * i;
    const uint64_t off = ia_le64(p), body = ia_le64(p + 16);
    const uint32_t meta = ia_le32(p + 8);
    ia_source s = ia_source_of(r->data + off, meta + body); /* read_footer checked them */

    IA_TRY(read_message(cx, r, &s, m));
    if (m->kind == kind)
        return IA_OK;
    return damaged(cx, "a block of the footer is not what it says");
}

static ia_status reader_next(ia_ctx *cx, ia_stream *s, ia_batch **out)
{
    ipc_reader *r = s->self;
    ia_status st = IA_OK;
    message m = {0};

    *out = NULL;
    if (!r->data) {
        st = stream_batch(cx, r, out);
    } else if (r->block < r->n_blocks) {
        st = block_message(cx, r, r->blocks, r->block++, IA_IPC_BATCH, &m);
        if (st == IA_OK)
            st = read_batch(cx, r, &m, out);
        ia_buffer_release(m.body);
        if (st == IA_OK)
            st = ia_check(cx, 0, 0);
    }
    if (st != IA_OK) {
        ia_batch_release(*out);
        *out = NULL;
        r->ended = true;
        r->block = r->n_blocks;
    }
    return ia_fail_prefix(cx, st, "%s, message %llu", r->name, (unsigned long long)r->messages);
}

/* ---- opening ------------------------------------------------------------------------------- */

static void reader_free(ipc_reader *r)
{
    if (!r)
        return;
    ia_source_close(&r->src);
    ia_ipc_dicts_dispose(&r->dicts);
    ia_schema_release(r->schema);
    ia_buf_dispose(&r->meta);
    ia_free(r->name);
    ia_free(r);
}

static void reader_close(ia_stream *s)
{
    reader_free(s->self);
    s->self = NULL;
}

static void hand_out(ipc_reader *r, ia_stream *out)
{
    out->schema = ia_schema_retain(r->schema);
    out->next = reader_next;
    out->close = reader_close;
    out->self = r;
}

char ia_ipc_sniff(const void *data, size_t len)
{
    const uint8_t *p = data;
    uint32_t n;

    if (len >= 6 && memcmp(p, "ARROW1", 6) == 0)
        return 'f';
    if (len < 8)
        return 0;
    n = ia_le32(p);
    if (n == UINT32_MAX) {
        n = ia_le32(p + 4);
        return n > 0 && n <= INT32_MAX ? 's' : 0;
    }
    /* Before format 0.15 a stream began with a length: one that no text begins with. */
    return n >= 16 && n < (1u << 24) && n % 4 == 0 && ia_le32(p + 4) < n ? 's' : 0;
}

/* The schema message, after the mark of a file if there is one. */
static ia_status read_head(ia_ctx *cx, ipc_reader *r)
{
    uint8_t raw[4];
    uint32_t size = 0;
    message m = {0};
    size_t got;
    ia_status st;

    IA_GO(ia_source_read(cx, &r->src, raw, 4, &got));
    if (got == 4 && memcmp(raw, "ARRO", 4) == 0) {
        IA_GO(ia_source_read(cx, &r->src, raw, 4, &got));
        if (got < 4 || memcmp(raw, "W1", 2) != 0)
            IA_GO(damaged(cx, "it does not begin with ARROW1"));
        IA_GO(read_length(cx, &r->src, &size));
    } else {
        if (got < 4)
            IA_GO(damaged(cx, "it is empty"));
        IA_GO(length_after(cx, &r->src, raw, &size));
    }
    IA_GO(message_of(cx, r, &r->src, size, &m));
    if (m.kind != IA_IPC_SCHEMA)
        IA_GO(damaged(cx, "it does not begin with a schema"));
    IA_GO(ia_ipc_read_schema(cx, &m.f, &m.header, &r->schema, &r->dicts));
done:
    ia_buffer_release(m.body);
    return st;
}

ia_status ia_ipc_stream_open(ia_ctx *cx, ia_source *src, const char *name, ia_stream *out)
{
    ia_source own = *src;
    ipc_reader *r = NULL;
    ia_status st;

    memset(out, 0, sizeof *out);
    memset(src, 0, sizeof *src);
    if (!own.read && ia_ipc_sniff(own.data, own.len) == 'f') {
        st = ia_ipc_file_open(cx, own.data, own.len, name, out);
        ia_source_close(&own);
        return st;
    }
    st = IA_NEW(cx, r);
    if (st != IA_OK) {
        ia_source_close(&own);
        return st;
    }
    r->src = own;
    IA_GO(IA_SET(cx, r->name, ia_strdup(cx, name)));
    st = read_head(cx, r);
    IA_GO(ia_fail_prefix(cx, st, "%s", name));
    hand_out(r, out);
    r = NULL;
done:
    reader_free(r);
    return st;
}

/* The blocks of vector k lie inside of the file and do not add up to more than it. */
static ia_status check_blocks(ia_ctx *cx, const ipc_reader *r, ia_fb *f, const ia_fbt *footer,
                              size_t k, size_t *at, size_t *n)
{
    uint64_t left = r->len;
    size_t i;

    *at = ia_fb_vector(f, footer, k, 24, n);
    if (f->bad)
        return damaged(cx, "the footer");
    *at += (size_t)(f->p - r->data);
    for (i = 0; i < *n; i++) {
        const uint8_t *p = r->data + *at + 24 * i;
        const uint64_t off = ia_le64(p), body = ia_le64(p + 16);
        const uint32_t meta = ia_le32(p + 8);

        if (off > r->len || meta > r->len - off || body > r->len - off - meta || meta + body > left)
            return damaged(cx, "a block of the footer lies outside of the file");
        left -= meta + body;
    }
    return IA_OK;
}

static ia_status read_footer(ia_ctx *cx, ipc_reader *r)
{
    size_t dicts, n_dicts, i, size;
    ia_fbt footer, schema;
    ia_fb f = {0};

    if (r->len < 8 + 10 || memcmp(r->data, "ARROW1", 6) != 0 ||
        memcmp(r->data + r->len - 6, "ARROW1", 6) != 0)
        return damaged(cx, "no ARROW1 at its start and end");
    size = ia_le32(r->data + r->len - 10);
    if (size > r->len - 18)
        return damaged(cx, "the footer is longer than the file");
    f.p = r->data + r->len - 10 - size;
    f.n = size;
    footer = ia_fb_root(&f);
    schema = ia_fb_table(&f, &footer, 1);
    if (f.bad || schema.vt_size == 0)
        return damaged(cx, "the footer");
    IA_TRY(ia_ipc_read_schema(cx, &f, &schema, &r->schema, &r->dicts));
    IA_TRY(check_blocks(cx, r, &f, &footer, 2, &dicts, &n_dicts));
    IA_TRY(check_blocks(cx, r, &f, &footer, 3, &r->blocks, &r->n_blocks));
    for (i = 0; i < n_dicts; i++) {
        message m;
        ia_status st = block_message(cx, r, dicts, i, IA_IPC_DICTIONARY, &m);

        if (st == IA_OK)
            st = read_dictionary(cx, r, &m, true);
        ia_buffer_release(m.body);
        IA_TRY(st);
    }
    return IA_OK;
}

ia_status ia_ipc_file_open(ia_ctx *cx, const void *data, size_t len, const char *name,
                           ia_stream *out)
{
    ipc_reader *r = NULL;
    ia_status st;

    memset(out, 0, sizeof *out);
    IA_GO(IA_NEW(cx, r));
    r->data = data;
    r->len = len;
    IA_GO(IA_SET(cx, r->name, ia_strdup(cx, name)));
    st = read_footer(cx, r);
    IA_GO(ia_fail_prefix(cx, st, "%s", name));
    hand_out(r, out);
    r = NULL;
done:
    reader_free(r);
    return st;
}
