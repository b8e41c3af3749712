/* ipc_columns_read.c - the columns of one Arrow IPC record batch, checked against their types. */
#include "arrow/ipc_priv.h"

/* Lengths that no byte stands behind (nulls, empty structs) may reach this in any batch. */
#define FREE_LENGTH ((int64_t)1 << 24)

typedef struct columns_reader {
    ia_ctx *cx;
    const ia_ipc_body *b;
    size_t nodes, n_nodes, node; /* first one, their number, next one */
    size_t bufs, n_bufs, buf;
    size_t place; /* next dictionary place */
    int codec;
    int64_t free_length;
} columns_reader;

static ia_status damaged(columns_reader *r, const char *what)
{
    return ia_fail(r->cx, IA_ERR_CORRUPT, "an Arrow record batch is damaged: %s", what);
}

static ia_status next_node(columns_reader *r, int64_t *length, int64_t *nulls)
{
    const uint8_t *p = r->b->f->p + r->nodes + 16 * r->node;

    if (r->node >= r->n_nodes)
        return damaged(r, "it has fewer nodes than the schema");
    r->node++;
    *length = (int64_t)ia_le64(p);
    *nulls = (int64_t)ia_le64(p + 8);
    if (*length < 0 || *nulls < 0 || *nulls > *length)
        return damaged(r, "a node's length or null count is out of range");
    return IA_OK;
}

/* The next buffer in plain form; NULL when it is empty. A part of the body where that is possible.
 */
static ia_status next_buffer(columns_reader *r, size_t align, ia_buffer **out)
{
    const uint8_t *at = r->b->f->p + r->bufs + 16 * r->buf;
    const size_t body = r->b->body ? r->b->body->size : 0;
    uint64_t off, len;
    const uint8_t *p;
    uint8_t *copy;

    *out = NULL;
    if (r->buf >= r->n_bufs)
        return damaged(r, "it has fewer buffers than the schema");
    r->buf++;
    off = ia_le64(at);
    len = ia_le64(at + 8);
    if (len == 0)
        return IA_OK;
    if (off > body || len > body - off)
        return damaged(r, "a buffer lies outside of the body");
    p = r->b->body->data + off;
    if (r->codec != IA_IPC_PLAIN)
        return ia_ipc_inflate(r->cx, r->codec, p, (size_t)len, out);
    if ((uintptr_t)p % align == 0)
        return ia_buffer_part(r->cx, r->b->body, p, (size_t)len, out);
    IA_TRY(IA_SET(r->cx, copy, ia_alloc(r->cx, (size_t)len)));
    memcpy(copy, p, (size_t)len);
    return ia_buffer_own(r->cx, copy, (size_t)len, out);
}

static ia_status read_array(columns_reader *r, const ia_type *t, int depth, ia_array **out);

static ia_status dictionary_values(columns_reader *r, size_t place, bool needed, ia_array **out)
{
    const ia_ipc_dict *d = &r->b->dicts->d[place];

    if (d->values) {
        *out = ia_array_retain(d->values);
        return IA_OK;
    }
    if (needed)
        return ia_fail(r->cx, IA_ERR_CORRUPT, "dictionary %lld is used before it came",
                       (long long)d->id);
    return ia_array_nulls(r->cx, d->type, 0, out);
}

/* Buffers and children of a node of `length` elements. */
static ia_status read_parts(columns_reader *r, const ia_type *t, int depth, int64_t length,
                            int64_t nulls, ia_buffer **bufs, ia_array **kids)
{
    const size_t w = ia_type_width(t), ow = ia_type_offset_width(t);
    size_t i, place;

    if (t->id == IA_TYPE_NULL)
        return IA_OK;
    IA_TRY(next_buffer(r, 1, &bufs[0]));
    if (ow > 0)
        IA_TRY(next_buffer(r, ow, &bufs[1]));
    else if (t->id == IA_TYPE_FIXED_BINARY || t->id == IA_TYPE_BOOL)
        IA_TRY(next_buffer(r, 1, &bufs[1]));
    else if (w > 0)
        IA_TRY(next_buffer(r, w > 8 ? 8 : w, &bufs[1]));
    if (ia_type_is_var(t))
        IA_TRY(next_buffer(r, 1, &bufs[2]));
    if (!bufs[0] && nulls > 0)
        return damaged(r, "nulls without a validity buffer");
    if (bufs[0] && bufs[0]->size < ia_bits_bytes(length))
        return damaged(r, "a validity buffer is too short");
    if (t->id == IA_TYPE_DICTIONARY) {
        place = r->place;
        r->place += ia_ipc_dict_places(t);
        return dictionary_values(r, place, length > nulls, &kids[0]);
    }
    for (i = 0; i < t->n_children; i++)
        IA_TRY(read_array(r, t->children[i].type, depth + 1, &kids[i]));
    return IA_OK;
}

static ia_status read_array(columns_reader *r, const ia_type *t, int depth, ia_array **out)
{
    const size_t n = ia_type_array_children(t);
    ia_buffer *bufs[3] = {0};
    ia_array **kids = NULL;
    int64_t length = 0, nulls = 0;
    ia_status st;
    size_t i;

    *out = NULL;
    IA_GO(next_node(r, &length, &nulls));
    IA_GO(IA_NEW_ARRAY(r->cx, kids, n));
    IA_GO(read_parts(r, t, depth, length, nulls, bufs, kids));
    if (!bufs[0] && !bufs[1] && length > r->free_length)
        IA_GO(damaged(r, "a length that the bytes do not justify"));
    st = ia_array_make(r->cx, t, length, bufs[0] ? -1 : 0, bufs[0], bufs[1], bufs[2], kids, n, out);
    ia_free(kids);
    return st;
done:
    for (i = 0; kids && i < n; i++)
        ia_array_release(kids[i]);
    ia_free(kids);
    for (i = 0; i < 3; i++)
        ia_buffer_release(bufs[i]);
    return st;
}

static ia_status begin(columns_reader *r, int64_t *rows)
{
    ia_fb *f = r->b->f;
    const ia_fbt *rb = r->b->rb;
    const ia_fbt comp = ia_fb_table(f, rb, 3);

    *rows = ia_fb_int(f, rb, 0, 8, 0);
    r->codec = IA_IPC_PLAIN;
    r->nodes = ia_fb_vector(f, rb, 1, 16, &r->n_nodes);
    r->bufs = ia_fb_vector(f, rb, 2, 16, &r->n_bufs);
    if (comp.vt_size > 0) {
        r->codec = (int)ia_fb_int(f, &comp, 0, 1, 0);
        if (r->codec > IA_IPC_ZSTD || ia_fb_int(f, &comp, 1, 1, 0) != 0)
            return ia_fail(r->cx, IA_ERR_UNSUPPORTED, "Arrow compression codec %d is not supported",
                           r->codec);
    }
    if (f->bad || *rows < 0)
        return damaged(r, "its header");
    return IA_OK;
}

ia_status ia_ipc_read_columns(ia_ctx *cx, const ia_ipc_body *b, const ia_field *fields, size_t n,
                              ia_array **cols, int64_t *rows)
{
    const size_t body = b->body ? b->body->size : 0;
    columns_reader r = {.cx = cx, .b = b, .place = b->place};
    ia_status st;
    size_t i;

    memset(cols, 0, n * sizeof *cols);
    r.free_length = (int64_t)body * 8 > FREE_LENGTH ? (int64_t)body * 8 : FREE_LENGTH;
    IA_GO(begin(&r, rows));
    if (n == 0 && *rows > r.free_length)
        IA_GO(damaged(&r, "a length that the bytes do not justify"));
    for (i = 0; i < n; i++) {
        IA_GO(read_array(&r, fields[i].type, 0, &cols[i]));
        if (cols[i]->length != *rows)
            IA_GO(damaged(&r, "a column has another length than the batch"));
        st = ia_array_validate_own(cx, cols[i]);
        IA_GO(ia_fail_prefix(cx, st == IA_ERR_INVALID ? IA_ERR_CORRUPT : st, "column '%s'",
                             fields[i].name));
    }
    if (r.node != r.n_nodes || r.buf != r.n_bufs)
        IA_GO(damaged(&r, "it has more nodes or buffers than the schema"));
done:
    for (i = 0; st != IA_OK && i < n; i++) {
        ia_array_release(cols[i]);
        cols[i] = NULL;
    }
    return st;
}
