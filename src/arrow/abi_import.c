/* abi_import.c - batches taken in through the Arrow C data interface, without copying. */
#include "arrow/abi_priv.h"

/* The foreign tree; one reference per buffer that points into it. */
typedef struct import_owner {
    _Atomic int32_t refs;
    struct ArrowArray tree;
} import_owner;

static void owner_release(void *p)
{
    import_owner *o = p;

    if (atomic_fetch_sub_explicit(&o->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (o->tree.release)
        o->tree.release(&o->tree);
    ia_free(o);
}

static ia_status invalid(ia_ctx *cx, const ia_type *t, const char *what)
{
    char text[96];

    return ia_fail(cx, IA_ERR_INVALID, "imported array of type %s: %s",
                   ia_type_text(t, text, sizeof text), what);
}

/* Buffer number k of `in` with `size` bytes; copied when typed reads would be misaligned. */
static ia_status wrap(ia_ctx *cx, import_owner *o, const struct ArrowArray *in, const ia_type *t,
                      int k, size_t size, size_t align, ia_buffer **out)
{
    const uint8_t *p = in->buffers ? in->buffers[k] : NULL;
    ia_buffer *b;

    *out = NULL;
    if (size == 0)
        return IA_OK;
    if (!p)
        return invalid(cx, t, "a buffer is missing");
    if (align > 1 && ((uintptr_t)p % align) != 0) {
        uint8_t *copy;

        IA_TRY(IA_SET(cx, copy, ia_alloc(cx, size)));
        memcpy(copy, p, size);
        return ia_buffer_own(cx, copy, size, out);
    }
    IA_TRY(IA_SET(cx, b, ia_alloc(cx, sizeof *b)));
    atomic_init(&b->refs, 1);
    b->data = p;
    b->size = size;
    b->free_fn = owner_release;
    b->owner = o;
    b->parent = NULL;
    atomic_fetch_add_explicit(&o->refs, 1, memory_order_relaxed);
    *out = b;
    return IA_OK;
}

/* Offsets, and for strings the bytes up to the last offset. */
static ia_status wrap_var(ia_ctx *cx, import_owner *o, const struct ArrowArray *in,
                          const ia_type *t, int64_t end, ia_buffer **bufs)
{
    const size_t ow = ia_type_offset_width(t);
    int32_t narrow;
    int64_t last;
    size_t size;

    if (in->length == 0)
        return IA_OK;
    if (!ia_mul_size(&size, (size_t)end + 1, ow))
        return invalid(cx, t, "too long");
    IA_TRY(wrap(cx, o, in, t, 1, size, ow, &bufs[1]));
    if (ow == 4) {
        memcpy(&narrow, bufs[1]->data + (size_t)end * 4, 4);
        last = narrow;
    } else {
        memcpy(&last, bufs[1]->data + (size_t)end * 8, 8);
    }
    if (last < 0)
        return invalid(cx, t, "an offset is negative");
    if (!ia_type_is_var(t))
        return IA_OK;
    return wrap(cx, o, in, t, 2, (size_t)last, 1, &bufs[2]);
}

static ia_status wrap_buffers(ia_ctx *cx, import_owner *o, const struct ArrowArray *in,
                              const ia_type *t, int64_t end, ia_buffer **bufs)
{
    const size_t w = ia_type_width(t);
    size_t size = ia_bits_bytes(end);

    if (in->n_buffers < ia_abi_buffers(t))
        return invalid(cx, t, "too few buffers");
    if (t->id == IA_TYPE_NULL)
        return IA_OK;
    if (in->null_count != 0 && in->buffers && in->buffers[0])
        IA_TRY(wrap(cx, o, in, t, 0, size, 1, &bufs[0]));
    else if (in->null_count > 0)
        return invalid(cx, t, "nulls without a validity buffer");
    if (ia_type_offset_width(t) > 0)
        return wrap_var(cx, o, in, t, end, bufs);
    if (t->id == IA_TYPE_BOOL)
        return wrap(cx, o, in, t, 1, size, 1, &bufs[1]);
    if (w == 0)
        return IA_OK;
    if (!ia_mul_size(&size, (size_t)end, w))
        return invalid(cx, t, "too long");
    return wrap(cx, o, in, t, 1, size, t->id == IA_TYPE_FIXED_BINARY ? 1 : w > 8 ? 8 : w, &bufs[1]);
}

static ia_status import_array(ia_ctx *cx, import_owner *o, const struct ArrowArray *in,
                              const ia_type *t, ia_array **out);

static ia_status import_children(ia_ctx *cx, import_owner *o, const struct ArrowArray *in,
                                 const ia_type *t, ia_array **kids)
{
    size_t i;

    if (t->id == IA_TYPE_DICTIONARY) {
        if (!in->dictionary)
            return invalid(cx, t, "the dictionary is missing");
        return import_array(cx, o, in->dictionary, t->children[1].type, &kids[0]);
    }
    if (in->n_children != (int64_t)t->n_children)
        return invalid(cx, t, "another number of children than the schema");
    for (i = 0; i < t->n_children; i++)
        IA_TRY(import_array(cx, o, in->children[i], t->children[i].type, &kids[i]));
    return IA_OK;
}

static ia_status import_array(ia_ctx *cx, import_owner *o, const struct ArrowArray *in,
                              const ia_type *t, ia_array **out)
{
    const size_t n = ia_type_array_children(t);
    ia_buffer *bufs[3] = {0};
    ia_array **kids = NULL;
    int64_t end, nulls = 0;
    ia_status st;
    size_t i;

    *out = NULL;
    if (!in || in->length < 0 || in->offset < 0 ||
        __builtin_add_overflow(in->length, in->offset, &end))
        return invalid(cx, t, "missing, or of negative length or offset");
    IA_GO(IA_NEW_ARRAY(cx, kids, n));
    IA_GO(wrap_buffers(cx, o, in, t, end, bufs));
    IA_GO(import_children(cx, o, in, t, kids));
    if (bufs[0])
        nulls = in->length - ia_bits_count(bufs[0]->data, in->offset, in->length);
    st = ia_array_make(cx, t, in->length, nulls, bufs[0], bufs[1], bufs[2], kids, n, out);
    ia_free(kids);
    if (st != IA_OK)
        return st;
    /* Columns without values got the shared zero buffers, which an offset would run past. */
    if (in->length > 0)
        (*out)->offset = in->offset;
    st = ia_array_validate(cx, *out, IA_VALIDATE_SIZES);
    if (st != IA_OK) {
        ia_array_release(*out);
        *out = NULL;
    }
    return st;
done:
    for (i = 0; kids && i < n; i++)
        ia_array_release(kids[i]);
    ia_free(kids);
    for (i = 0; i < 3; i++)
        ia_buffer_release(bufs[i]);
    return st;
}

/* Column i of the struct array, cut to the struct's own offset and length. */
static ia_status import_column(ia_ctx *cx, import_owner *o, const ia_type *t, size_t i,
                               ia_array **out)
{
    const struct ArrowArray *top = &o->tree;
    ia_array *whole = NULL;
    ia_status st;

    IA_GO(import_array(cx, o, top->children[i], t, &whole));
    if (top->offset > whole->length || top->length > whole->length - top->offset)
        IA_GO(invalid(cx, t, "shorter than its batch"));
    IA_GO(ia_array_slice(cx, whole, top->offset, top->length, out));
done:
    ia_array_release(whole);
    return st;
}

static ia_status check_top(ia_ctx *cx, const struct ArrowArray *top, const ia_schema *s)
{
    if (top->n_children != (int64_t)s->n_fields)
        return ia_fail(cx, IA_ERR_INVALID, "a batch has %lld columns, its schema %zu",
                       (long long)top->n_children, s->n_fields);
    if (top->length < 0 || top->offset < 0)
        return ia_fail(cx, IA_ERR_INVALID, "a batch has a negative length or offset");
    if (top->null_count != 0 && top->n_buffers > 0 && top->buffers && top->buffers[0] &&
        ia_bits_count(top->buffers[0], top->offset, top->length) != top->length)
        return ia_fail(cx, IA_ERR_INVALID, "a batch has null rows");
    return IA_OK;
}

ia_status ia_import_batch(ia_ctx *cx, struct ArrowArray *in, const ia_schema *s, ia_batch **out)
{
    const size_t n = s->n_fields;
    import_owner *o = NULL;
    ia_array **cols = NULL;
    ia_status st;
    size_t i;

    *out = NULL;
    if (!in->release)
        return ia_fail(cx, IA_ERR_INVALID, "a released Arrow array was passed");
    o = ia_calloc(cx, 1, sizeof *o);
    if (!o) {
        in->release(in);
        return cx->err.code;
    }
    atomic_init(&o->refs, 1);
    o->tree = *in;
    in->release = NULL;
    IA_GO(check_top(cx, &o->tree, s));
    IA_GO(IA_NEW_ARRAY(cx, cols, n));
    for (i = 0; i < n; i++) {
        st = import_column(cx, o, s->fields[i].type, i, &cols[i]);
        IA_GO(ia_fail_prefix(cx, st, "column '%s'", s->fields[i].name));
    }
    st = ia_batch_make(cx, s, o->tree.length, cols, out);
    ia_free(cols);
    cols = NULL;
done:
    for (i = 0; cols && i < n; i++)
        ia_array_release(cols[i]);
    ia_free(cols);
    owner_release(o);
    return st;
}
