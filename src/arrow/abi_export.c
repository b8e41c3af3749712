/* abi_export.c - schemas and batches handed out through the Arrow C data interface. */
#include <stdio.h>

#include "arrow/abi_priv.h"

/* ---- schema -------------------------------------------------------------------------------- */

/* What one exported ArrowSchema owns; charged to the budget of the exporting context. */
typedef struct schema_node {
    char *format, *name;
    uint8_t *metadata;
    struct ArrowSchema *kids;   /* n_children */
    struct ArrowSchema **ptrs;
    struct ArrowSchema dict;
} schema_node;

ia_status ia_abi_format(ia_ctx *cx, const ia_type *t, char out[128])
{
    static const char fixed[][5] = {
        [IA_TYPE_NULL] = "n", [IA_TYPE_BOOL] = "b", [IA_TYPE_I8] = "c", [IA_TYPE_I16] = "s",
        [IA_TYPE_I32] = "i", [IA_TYPE_I64] = "l", [IA_TYPE_U8] = "C", [IA_TYPE_U16] = "S",
        [IA_TYPE_U32] = "I", [IA_TYPE_U64] = "L", [IA_TYPE_F16] = "e", [IA_TYPE_F32] = "f",
        [IA_TYPE_F64] = "g", [IA_TYPE_STRING] = "u", [IA_TYPE_LARGE_STRING] = "U",
        [IA_TYPE_BINARY] = "z", [IA_TYPE_LARGE_BINARY] = "Z", [IA_TYPE_DATE32] = "tdD",
        [IA_TYPE_DATE64] = "tdm", [IA_TYPE_LIST] = "+l", [IA_TYPE_LARGE_LIST] = "+L",
        [IA_TYPE_STRUCT] = "+s", [IA_TYPE_DICTIONARY] = "", [IA_TYPE_MAP] = "+m"};
    static const char unit[] = "smun";

    switch (t->id) {
    case IA_TYPE_FIXED_BINARY:
        snprintf(out, 128, "w:%d", t->size);
        return IA_OK;
    case IA_TYPE_FIXED_LIST:
        snprintf(out, 128, "+w:%d", t->size);
        return IA_OK;
    case IA_TYPE_TIME32: case IA_TYPE_TIME64:
        snprintf(out, 128, "tt%c", unit[t->unit]);
        return IA_OK;
    case IA_TYPE_DURATION:
        snprintf(out, 128, "tD%c", unit[t->unit]);
        return IA_OK;
    case IA_TYPE_TIMESTAMP:
        if (t->tz && strlen(t->tz) > 100)
            return ia_fail(cx, IA_ERR_UNSUPPORTED, "time zone '%.40s...' is too long", t->tz);
        snprintf(out, 128, "ts%c:%s", unit[t->unit], t->tz ? t->tz : "");
        return IA_OK;
    case IA_TYPE_DECIMAL128:
        snprintf(out, 128, "d:%d,%d", t->precision, t->scale);
        return IA_OK;
    case IA_TYPE_DECIMAL256:
        snprintf(out, 128, "d:%d,%d,256", t->precision, t->scale);
        return IA_OK;
    default: /* style: all types without parameters */
        snprintf(out, 128, "%s", fixed[t->id]);
        return IA_OK;
    }
}

static void release_schema(struct ArrowSchema *s)
{
    schema_node *n = s->private_data;
    int64_t i;

    for (i = 0; n->kids && i < s->n_children; i++)
        if (n->kids[i].release)
            n->kids[i].release(&n->kids[i]);
    if (n->dict.release)
        n->dict.release(&n->dict);
    ia_free(n->format);
    ia_free(n->name);
    ia_free(n->metadata);
    ia_free(n->kids);
    ia_free(n->ptrs);
    ia_free(n);
    s->release = NULL;
}

static void put_i32(ia_ctx *cx, ia_buf *b, size_t v)
{
    const int32_t x = (int32_t)v;

    ia_buf_put(cx, b, &x, sizeof x);
}

/* Count, then key and value each with its length; native 32-bit numbers. */
static ia_status encode_metadata(ia_ctx *cx, const ia_kv *kv, size_t n, uint8_t **out)
{
    ia_buf b = {0};
    ia_bytes bytes = {0};
    ia_status st;
    size_t i;

    put_i32(cx, &b, n);
    for (i = 0; i < n; i++) {
        const char *v = kv[i].value ? kv[i].value : "";

        put_i32(cx, &b, strlen(kv[i].key));
        ia_buf_puts(cx, &b, kv[i].key);
        put_i32(cx, &b, strlen(v));
        ia_buf_puts(cx, &b, v);
    }
    IA_GO(ia_buf_finish(&b, &bytes));
    *out = bytes.data;
done:
    ia_buf_dispose(&b);
    return st;
}

static ia_status export_node(ia_ctx *cx, const char *name, const ia_type *t, int64_t flags,
                             const ia_kv *kv, size_t n_kv, struct ArrowSchema *out);

static ia_status export_field(ia_ctx *cx, const ia_field *f, struct ArrowSchema *out)
{
    const int64_t flags = (f->nullable ? ARROW_FLAG_NULLABLE : 0) |
                          (f->type->keys_sorted ? ARROW_FLAG_MAP_KEYS_SORTED : 0);

    return export_node(cx, f->name, f->type, flags, f->metadata, f->n_metadata, out);
}

static ia_status export_children(ia_ctx *cx, const ia_field *f, size_t n, struct ArrowSchema *out)
{
    schema_node *node = out->private_data;
    size_t i;

    if (n == 0)
        return IA_OK;
    IA_TRY(IA_NEW_ARRAY(cx, node->kids, n));
    IA_TRY(IA_NEW_ARRAY(cx, node->ptrs, n));
    out->children = node->ptrs;
    out->n_children = (int64_t)n;
    for (i = 0; i < n; i++) {
        node->ptrs[i] = &node->kids[i];
        IA_TRY(export_field(cx, &f[i], &node->kids[i]));
    }
    return IA_OK;
}

/* What is made so far hangs on *out, so that one release undoes it. */
static ia_status fill_node(ia_ctx *cx, const char *name, const ia_type *t, const ia_kv *kv,
                           size_t n_kv, struct ArrowSchema *out)
{
    const ia_type *shown = t->id == IA_TYPE_DICTIONARY ? t->children[0].type : t;
    schema_node *node = out->private_data;
    char format[128];

    IA_TRY(ia_abi_format(cx, shown, format));
    IA_TRY(IA_SET(cx, node->format, ia_strdup(cx, format)));
    IA_TRY(IA_SET(cx, node->name, ia_strdup(cx, name)));
    if (n_kv > 0)
        IA_TRY(encode_metadata(cx, kv, n_kv, &node->metadata));
    out->format = node->format;
    out->name = node->name;
    out->metadata = (const char *)node->metadata;
    if (t->id == IA_TYPE_DICTIONARY) {
        IA_TRY(export_field(cx, &t->children[1], &node->dict));
        out->dictionary = &node->dict;
        return IA_OK;
    }
    return export_children(cx, t->children, t->n_children, out);
}

static ia_status export_node(ia_ctx *cx, const char *name, const ia_type *t, int64_t flags,
                             const ia_kv *kv, size_t n_kv, struct ArrowSchema *out)
{
    schema_node *node;
    ia_status st;

    memset(out, 0, sizeof *out);
    IA_TRY(IA_NEW(cx, node));
    out->private_data = node;
    out->release = release_schema;
    out->flags = flags;
    st = fill_node(cx, name, t, kv, n_kv, out);
    if (st != IA_OK)
        release_schema(out);
    return st;
}

ia_status ia_export_schema(ia_ctx *cx, const ia_schema *s, struct ArrowSchema *out)
{
    ia_type top = {
        .refs = -1, .id = IA_TYPE_STRUCT, .children = s->fields, .n_children = s->n_fields};

    return export_node(cx, "", &top, 0, s->metadata, s->n_metadata, out);
}

/* ---- arrays -------------------------------------------------------------------------------- */

/* Keeps the source alive: one of batch and array is held. */
typedef struct array_node {
    ia_batch *batch;
    ia_array *array;
    const void *bufs[3];
    struct ArrowArray *kids;   /* n_children */
    struct ArrowArray **ptrs;
    struct ArrowArray dict;
} array_node;

int64_t ia_abi_buffers(const ia_type *t)
{
    if (t->id == IA_TYPE_NULL)
        return 0;
    if (t->id == IA_TYPE_STRUCT || t->id == IA_TYPE_FIXED_LIST)
        return 1;
    return ia_type_is_var(t) ? 3 : 2;
}

static void release_array(struct ArrowArray *a)
{
    array_node *n = a->private_data;
    int64_t i;

    for (i = 0; n->kids && i < a->n_children; i++)
        if (n->kids[i].release)
            n->kids[i].release(&n->kids[i]);
    if (n->dict.release)
        n->dict.release(&n->dict);
    ia_array_release(n->array);
    ia_batch_release(n->batch);
    ia_free(n->kids);
    ia_free(n->ptrs);
    ia_free(n);
    a->release = NULL;
}

static ia_status export_array(ia_ctx *cx, const ia_array *a, struct ArrowArray *out);

static ia_status export_kids(ia_ctx *cx, ia_array *const *kids, size_t n, struct ArrowArray *out)
{
    array_node *node = out->private_data;
    size_t i;

    if (n == 0)
        return IA_OK;
    IA_TRY(IA_NEW_ARRAY(cx, node->kids, n));
    IA_TRY(IA_NEW_ARRAY(cx, node->ptrs, n));
    out->children = node->ptrs;
    out->n_children = (int64_t)n;
    for (i = 0; i < n; i++) {
        node->ptrs[i] = &node->kids[i];
        IA_TRY(export_array(cx, kids[i], &node->kids[i]));
    }
    return IA_OK;
}

/* An empty node with its release in place. */
static ia_status array_begin(ia_ctx *cx, int64_t length, struct ArrowArray *out)
{
    array_node *node;

    memset(out, 0, sizeof *out);
    IA_TRY(IA_NEW(cx, node));
    out->private_data = node;
    out->release = release_array;
    out->length = length;
    out->buffers = node->bufs;
    return IA_OK;
}

static ia_status export_array(ia_ctx *cx, const ia_array *a, struct ArrowArray *out)
{
    array_node *node;
    ia_status st;
    int64_t i;

    IA_TRY(array_begin(cx, a->length, out));
    node = out->private_data;
    node->array = ia_array_retain(a);
    out->offset = a->offset;
    out->null_count = a->null_count;
    out->n_buffers = ia_abi_buffers(a->type);
    for (i = 0; i < out->n_buffers; i++) {
        node->bufs[i] = a->bufs[i] ? a->bufs[i]->data : NULL;
        ia_buffer_uncharge(a->bufs[i]);
    }
    if (a->type->id == IA_TYPE_DICTIONARY) {
        st = export_array(cx, a->children[0], &node->dict);
        if (st == IA_OK)
            out->dictionary = &node->dict;
    } else {
        st = export_kids(cx, a->children, a->n_children, out);
    }
    if (st != IA_OK)
        release_array(out);
    return st;
}

ia_status ia_export_batch(ia_ctx *cx, const ia_batch *b, struct ArrowArray *out)
{
    ia_status st;

    IA_TRY(array_begin(cx, b->rows, out));
    ((array_node *)out->private_data)->batch = ia_batch_retain(b);
    out->n_buffers = 1;
    st = export_kids(cx, b->cols, b->schema->n_fields, out);
    if (st != IA_OK)
        release_array(out);
    return st;
}
