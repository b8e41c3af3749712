/* ipc_rowids.c - Arrow files of one UInt32 column: the row ids that Lance deletion files hold. */
#include "arrow/ipc_priv.h"

static ia_status damaged(ia_ctx *cx, const char *what)
{
    return ia_fail(cx, IA_ERR_CORRUPT, "Arrow file of row ids: %s", what);
}

typedef struct row_ids {
    uint32_t *v;
    size_t n, cap;
} row_ids;

static ia_status append(ia_ctx *cx, const ia_batch *b, row_ids *ids)
{
    const size_t n = (size_t)b->rows;

    if (b->cols[0]->null_count > 0)
        return damaged(cx, "a row id is null");
    IA_TRY(IA_GROW(cx, ids->v, ids->cap, ids->n + n));
    if (n > 0)
        memcpy(ids->v + ids->n, ia_array_values(b->cols[0]), n * 4);
    ids->n += n;
    return IA_OK;
}

static ia_status read_all(ia_ctx *cx, ia_stream *s, row_ids *ids)
{
    const ia_field *f = s->schema->fields;
    ia_batch *b = NULL;
    ia_status st;

    if (s->schema->n_fields != 1 || strcmp(f->name, "row_id") != 0 || f->nullable ||
        f->type->id != IA_TYPE_U32)
        return damaged(cx, "the one field must be a non-nullable UInt32 called 'row_id'");
    IA_TRY(IA_GROW(cx, ids->v, ids->cap, 1)); /* so that an empty file has values too */
    do {
        ia_batch_release(b);
        IA_TRY(ia_stream_next(cx, s, &b));
        st = b ? append(cx, b, ids) : IA_OK;
    } while (b && st == IA_OK);
    ia_batch_release(b);
    return st;
}

ia_status ia_ipc_read_row_ids(ia_ctx *cx, const uint8_t *p, size_t n, uint32_t **values,
                              size_t *count)
{
    row_ids ids = {0};
    ia_stream s = {0};
    ia_status st;

    *values = NULL;
    *count = 0;
    IA_GO(ia_ipc_file_open(cx, p, n, "Arrow file of row ids", &s));
    IA_GO(read_all(cx, &s, &ids));
    *values = ids.v;
    *count = ids.n;
    ids.v = NULL;
done:
    ia_stream_dispose(&s);
    ia_free(ids.v);
    return st;
}

static ia_status into_buf(ia_ctx *cx, void *self, const void *p, size_t n)
{
    ia_buf_put(cx, self, p, n);
    return ia_buf_status(self);
}

/* Column `v` of n ids, copied. */
static ia_status make_batch(ia_ctx *cx, const uint32_t *v, size_t n, ia_batch **out)
{
    char name[] = "row_id";
    const ia_field f = {.name = name, .type = ia_type_basic(IA_TYPE_U32)};
    ia_schema *s = NULL;
    ia_buffer *values = NULL;
    ia_array *col = NULL;
    uint8_t *copy;
    ia_status st;

    *out = NULL;
    IA_GO(ia_schema_new(cx, &f, 1, &s));
    IA_GO(IA_SET(cx, copy, ia_alloc(cx, n * 4)));
    if (n > 0)
        memcpy(copy, v, n * 4);
    IA_GO(ia_buffer_own(cx, copy, n * 4, &values));
    IA_GO(ia_array_make(cx, f.type, (int64_t)n, 0, NULL, values, NULL, NULL, 0, &col));
    IA_GO(ia_batch_make(cx, s, (int64_t)n, &col, out));
done:
    ia_schema_release(s);
    return st;
}

/* Engines of today write the validity bits out although nothing is null; so do we. */
ia_status ia_ipc_write_row_ids(ia_ctx *cx, const uint32_t *values, size_t count, ia_bytes *out)
{
    ia_ipc_writer *w = NULL;
    ia_batch *b = NULL;
    ia_buf file = {0};
    ia_status st;

    memset(out, 0, sizeof *out);
    IA_GO(make_batch(cx, values, count, &b));
    IA_GO(ia_ipc_writer_open(cx, b->schema, true, IA_IPC_ZSTD, into_buf, &file, &w));
    ia_ipc_writer_all_validity(w);
    IA_GO(ia_ipc_writer_write(cx, w, b));
    IA_GO(ia_ipc_writer_finish(cx, w));
    IA_GO(ia_buf_finish(&file, out));
done:
    ia_ipc_writer_free(w);
    ia_batch_release(b);
    ia_buf_dispose(&file);
    return st;
}
