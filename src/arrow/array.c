/* array.c - columns and batches: assembly, counting, slices. */
#include "arrow/array.h"

#include "arrow/arrow_priv.h"

/* ---- buffers ------------------------------------------------------------------------------- */

ia_status ia_buffer_own(ia_ctx *cx, void *data, size_t size, ia_buffer **out)
{
    ia_buffer *b = ia_alloc(cx, sizeof *b);

    *out = NULL;
    if (!b) {
        ia_free(data);
        return cx->err.code;
    }
    atomic_init(&b->refs, 1);
    b->data = data;
    b->size = size;
    b->free_fn = NULL;
    b->owner = NULL;
    b->parent = NULL;
    *out = b;
    return IA_OK;
}

ia_buffer *ia_buffer_zeros(void)
{
    static const _Alignas(64) uint8_t zeros[64];
    static ia_buffer buf = {.refs = -1, .data = zeros, .size = sizeof zeros};

    return &buf;
}

ia_buffer *ia_buffer_retain(ia_buffer *b)
{
    if (b && atomic_load_explicit(&b->refs, memory_order_relaxed) >= 0)
        atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
    return b;
}

void ia_buffer_release(ia_buffer *b)
{
    if (!b || atomic_load_explicit(&b->refs, memory_order_relaxed) < 0)
        return;
    if (atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (b->free_fn)
        b->free_fn(b->owner);
    else if (b->parent)
        ia_buffer_release(b->parent);
    else
        ia_free((void *)(uintptr_t)b->data);
    ia_free(b);
}

ia_status ia_buffer_part(ia_ctx *cx, ia_buffer *whole, const uint8_t *p, size_t n, ia_buffer **out)
{
    ia_buffer *b;

    *out = NULL;
    IA_TRY(IA_NEW(cx, b));
    atomic_init(&b->refs, 1);
    b->data = p;
    b->size = n;
    b->parent = ia_buffer_retain(whole);
    *out = b;
    return IA_OK;
}

void ia_buffer_uncharge(const ia_buffer *b)
{
    while (b && b->parent)
        b = b->parent;
    if (b && !b->free_fn && atomic_load_explicit(&b->refs, memory_order_relaxed) >= 0)
        ia_mem_uncharge((void *)(uintptr_t)b->data);
}

/* ---- arrays -------------------------------------------------------------------------------- */

ia_array *ia_array_retain(const ia_array *a)
{
    ia_array *m = (ia_array *)(uintptr_t)a;

    if (m)
        atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
    return m;
}

void ia_array_release(ia_array *a)
{
    size_t i;

    if (!a || atomic_fetch_sub_explicit(&a->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (i = 0; i < 3; i++)
        ia_buffer_release(a->bufs[i]);
    for (i = 0; i < a->n_children; i++)
        ia_array_release(a->children[i]);
    ia_type_release(a->type);
    ia_free(a);
}

/* An array with room for its children behind it; type retained, the rest zero. */
static ia_array *array_new(ia_ctx *cx, const ia_type *type, size_t n_children)
{
    ia_array *a = ia_calloc(cx, 1, sizeof *a + n_children * sizeof a->children[0]);

    if (!a)
        return NULL;
    atomic_init(&a->refs, 1);
    a->type = ia_type_retain(type);
    a->children = (ia_array **)(void *)(a + 1);
    return a;
}

ia_status ia_array_make(ia_ctx *cx, const ia_type *type, int64_t length, int64_t null_count,
                        ia_buffer *validity, ia_buffer *b1, ia_buffer *b2, ia_array **children,
                        size_t n_children, ia_array **out)
{
    ia_array *a = array_new(cx, type, n_children);
    size_t i;

    *out = NULL;
    if (!a) {
        ia_buffer_release(validity);
        ia_buffer_release(b1);
        ia_buffer_release(b2);
        for (i = 0; i < n_children; i++)
            ia_array_release(children[i]);
        return cx->err.code;
    }
    if (type->id == IA_TYPE_NULL)
        null_count = length;
    else if (!validity)
        null_count = 0;
    else if (null_count < 0)
        null_count = length - ia_bits_count(validity->data, 0, length);
    if (validity && (null_count == 0 || type->id == IA_TYPE_NULL)) {
        ia_buffer_release(validity);
        validity = NULL;
    }
    /* An empty column still has its offsets and values, for those who export or concatenate it. */
    if (!b1 && (ia_type_offset_width(type) > 0 || ia_type_width(type) > 0 ||
                type->id == IA_TYPE_BOOL || type->id == IA_TYPE_FIXED_BINARY))
        b1 = ia_buffer_zeros();
    if (!b2 && ia_type_is_var(type))
        b2 = ia_buffer_zeros();
    a->length = length;
    a->null_count = null_count;
    a->bufs[0] = validity;
    a->bufs[1] = b1;
    a->bufs[2] = b2;
    a->n_children = n_children;
    for (i = 0; i < n_children; i++)
        a->children[i] = children[i];
    *out = a;
    return IA_OK;
}

ia_status ia_array_slice(ia_ctx *cx, const ia_array *a, int64_t start, int64_t len, ia_array **out)
{
    ia_array *s;
    size_t i;

    *out = NULL;
    if (start < 0 || len < 0 || start > a->length || len > a->length - start)
        return ia_fail(cx, IA_ERR_INTERNAL, "slice %lld+%lld of a column of %lld values",
                       (long long)start, (long long)len, (long long)a->length);
    if (start == 0 && len == a->length) {
        *out = ia_array_retain(a);
        return IA_OK;
    }
    IA_TRY(IA_SET(cx, s, array_new(cx, a->type, a->n_children)));
    s->length = len;
    s->offset = a->offset + start;
    if (a->type->id == IA_TYPE_NULL)
        s->null_count = len;
    else if (a->null_count == a->length)
        s->null_count = len;
    else if (a->null_count > 0)
        s->null_count = len - ia_bits_count(a->bufs[0]->data, s->offset, len);
    if (s->null_count > 0)
        s->bufs[0] = ia_buffer_retain(a->bufs[0]);
    s->bufs[1] = ia_buffer_retain(a->bufs[1]);
    s->bufs[2] = ia_buffer_retain(a->bufs[2]);
    s->n_children = a->n_children;
    for (i = 0; i < a->n_children; i++)
        s->children[i] = ia_array_retain(a->children[i]);
    *out = s;
    return IA_OK;
}

ia_status ia_array_nulls(ia_ctx *cx, const ia_type *type, int64_t n, ia_array **out)
{
    ia_builder b = {0};
    ia_status st;

    *out = NULL;
    IA_GO(ia_builder_init(cx, &b, type));
    ia_builder_nulls(cx, &b, n);
    IA_GO(ia_builder_finish(cx, &b, out));
done:
    ia_builder_dispose(&b);
    return st;
}

static uint64_t child_bytes(const ia_array *c, int64_t start, int64_t len);

/* Bytes of elements [start, start+len), counted from a->offset. */
static uint64_t range_bytes(const ia_array *a, int64_t start, int64_t len)
{
    const size_t w = ia_type_width(a->type), ow = ia_type_offset_width(a->type);
    uint64_t n = a->bufs[0] ? ia_bits_bytes(len) : 0;
    int64_t lo = 0, hi = 0;
    size_t i;

    if (len <= 0)
        return 0;
    n += (uint64_t)len * w;
    if (a->type->id == IA_TYPE_BOOL)
        n += ia_bits_bytes(len);
    if (ow > 0) {
        lo = ia_offset_at(a, ow, a->offset + start);
        hi = ia_offset_at(a, ow, a->offset + start + len);
        n += ((uint64_t)len + 1) * ow;
    }
    if (ia_type_is_var(a->type))
        return n + (uint64_t)(hi - lo);
    if (ow > 0)
        return n + child_bytes(a->children[0], lo, hi - lo);
    if (a->type->id == IA_TYPE_FIXED_LIST)
        return n + child_bytes(a->children[0], (a->offset + start) * a->type->size,
                               len * a->type->size);
    if (a->type->id == IA_TYPE_DICTIONARY)
        return n + ia_array_bytes(a->children[0]);
    for (i = 0; i < a->n_children; i++)
        n += child_bytes(a->children[i], a->offset + start, len);
    return n;
}

static uint64_t child_bytes(const ia_array *c, int64_t start, int64_t len)
{
    return range_bytes(c, start, len);
}

uint64_t ia_array_bytes(const ia_array *a)
{
    return range_bytes(a, 0, a->length);
}

/* ---- batches ------------------------------------------------------------------------------- */

ia_batch *ia_batch_retain(const ia_batch *b)
{
    ia_batch *m = (ia_batch *)(uintptr_t)b;

    if (m)
        atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
    return m;
}

void ia_batch_release(ia_batch *b)
{
    size_t i;

    if (!b || atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (i = 0; i < b->schema->n_fields; i++)
        ia_array_release(b->cols[i]);
    ia_schema_release(b->schema);
    ia_free(b);
}

ia_status ia_batch_make(ia_ctx *cx, const ia_schema *schema, int64_t rows, ia_array **cols,
                        ia_batch **out)
{
    const size_t n = schema->n_fields;
    ia_status st = IA_OK;
    ia_batch *b;
    size_t i;

    *out = NULL;
    b = ia_calloc(cx, 1, sizeof *b + n * sizeof b->cols[0]);
    st = b ? IA_OK : cx->err.code;
    for (i = 0; i < n && st == IA_OK; i++)
        if (!cols[i] || cols[i]->length != rows)
            st = ia_fail(cx, IA_ERR_INTERNAL, "column '%s' has %lld values in a batch of %lld rows",
                         schema->fields[i].name, cols[i] ? (long long)cols[i]->length : -1LL,
                         (long long)rows);
    if (st != IA_OK) {
        for (i = 0; i < n; i++)
            ia_array_release(cols[i]);
        ia_free(b);
        return st;
    }
    atomic_init(&b->refs, 1);
    b->schema = ia_schema_retain(schema);
    b->rows = rows;
    b->cols = (ia_array **)(void *)(b + 1);
    for (i = 0; i < n; i++)
        b->cols[i] = cols[i];
    *out = b;
    return IA_OK;
}

ia_status ia_batch_slice(ia_ctx *cx, const ia_batch *b, int64_t start, int64_t len, ia_batch **out)
{
    const size_t n = b->schema->n_fields;
    ia_array **cols = NULL;
    ia_status st;
    size_t i;

    *out = NULL;
    if (start < 0 || len < 0 || start > b->rows || len > b->rows - start)
        return ia_fail(cx, IA_ERR_INTERNAL, "slice %lld+%lld of a batch of %lld rows",
                       (long long)start, (long long)len, (long long)b->rows);
    if (start == 0 && len == b->rows) {
        *out = ia_batch_retain(b);
        return IA_OK;
    }
    IA_GO(IA_NEW_ARRAY(cx, cols, n));
    for (i = 0; i < n; i++)
        IA_GO(ia_array_slice(cx, b->cols[i], start, len, &cols[i]));
    st = ia_batch_make(cx, b->schema, len, cols, out);
    ia_free(cols);
    return st;
done:
    for (i = 0; cols && i < n; i++)
        ia_array_release(cols[i]);
    ia_free(cols);
    return st;
}

const ia_array *ia_batch_col(const ia_batch *b, const char *name)
{
    const int i = ia_schema_find(b->schema, name);

    return i < 0 ? NULL : b->cols[i];
}

uint64_t ia_batch_bytes(const ia_batch *b)
{
    uint64_t n = 0;
    size_t i;

    for (i = 0; i < b->schema->n_fields; i++)
        n += ia_array_bytes(b->cols[i]);
    return n;
}
