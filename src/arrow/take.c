/* take.c - gathering rows, concatenating and projecting. */
#include "arrow/arrow_priv.h"
#include "arrow/compute.h"

/* Loops over the arguments of one take. */
typedef struct take_ctx {
    const ia_array *a;
    const int64_t *idx;
    int64_t n;
    bool has_null; /* some idx < 0 */
} take_ctx;

static ia_status check_idx(ia_ctx *cx, take_ctx *t)
{
    int64_t i, max = -1, min = 0;

    for (i = 0; i < t->n; i++) {
        const int64_t v = t->idx[i];

        max = v > max ? v : max;
        min = v < min ? v : min;
    }
    t->has_null = min < 0;
    if (max >= t->a->length)
        return ia_fail(cx, IA_ERR_INTERNAL, "take of row %lld from %lld rows", (long long)max,
                       (long long)t->a->length);
    return IA_OK;
}

/* *bits is NULL when the result has no null. Owner of *bits: the caller. */
static ia_status take_validity(ia_ctx *cx, const take_ctx *t, ia_buffer **bits)
{
    uint8_t *p;
    int64_t i;

    *bits = NULL;
    if (!t->has_null && t->a->null_count == 0)
        return IA_OK;
    IA_TRY(IA_SET(cx, p, ia_calloc(cx, 1, ia_bits_bytes(t->n))));
    for (i = 0; i < t->n; i++)
        if (t->idx[i] >= 0 && ia_array_valid(t->a, t->idx[i]))
            ia_bit_set(p, i);
    return ia_buffer_own(cx, p, ia_bits_bytes(t->n), bits);
}

/* dst[i] = src[idx[i]] for blocks of w bytes; zero where idx < 0. */
static void gather(uint8_t *dst, const uint8_t *src, size_t w, const int64_t *idx, int64_t n)
{
    int64_t i;

#define GATHER(T)                                          \
    for (i = 0; i < n; i++) {                              \
        T v = 0;                                           \
        if (idx[i] >= 0)                                   \
            memcpy(&v, src + (size_t)idx[i] * sizeof v, sizeof v); \
        memcpy(dst + (size_t)i * sizeof v, &v, sizeof v);  \
    }
    if (w == 1) {
        GATHER(uint8_t)
    } else if (w == 2) {
        GATHER(uint16_t)
    } else if (w == 4) {
        GATHER(uint32_t)
    } else if (w == 8) {
        GATHER(uint64_t)
    } else {
        for (i = 0; i < n; i++) {
            if (idx[i] >= 0)
                memcpy(dst + (size_t)i * w, src + (size_t)idx[i] * w, w);
            else
                memset(dst + (size_t)i * w, 0, w);
        }
    }
#undef GATHER
}

static ia_status take_fixed(ia_ctx *cx, const take_ctx *t, const uint8_t *src, size_t w,
                            ia_buffer **out)
{
    size_t bytes;
    uint8_t *p;

    *out = NULL;
    if (!ia_mul_size(&bytes, (size_t)t->n, w))
        return ia_fail(cx, IA_ERR_INVALID, "%lld values of %zu bytes are too many", (long long)t->n,
                       w);
    IA_TRY(IA_SET(cx, p, ia_alloc(cx, bytes)));
    if (w > 0)
        gather(p, src, w, t->idx, t->n);
    return ia_buffer_own(cx, p, bytes, out);
}

static ia_status take_bool(ia_ctx *cx, const take_ctx *t, ia_buffer **out)
{
    const uint8_t *src = t->a->bufs[1]->data;
    uint8_t *p;
    int64_t i;

    *out = NULL;
    IA_TRY(IA_SET(cx, p, ia_calloc(cx, 1, ia_bits_bytes(t->n))));
    for (i = 0; i < t->n; i++)
        if (t->idx[i] >= 0 && ia_bit_get(src, t->a->offset + t->idx[i]))
            ia_bit_set(p, i);
    return ia_buffer_own(cx, p, ia_bits_bytes(t->n), out);
}

/* Offsets of the taken strings or lists; *total = their bytes or items. */
static ia_status take_offsets(ia_ctx *cx, const take_ctx *t, ia_buffer **out, int64_t *total)
{
    const size_t ow = ia_type_offset_width(t->a->type);
    int64_t i, end = 0;
    size_t bytes;
    uint8_t *p;

    *out = NULL;
    if (!ia_mul_size(&bytes, (size_t)t->n + 1, ow))
        return ia_fail(cx, IA_ERR_INVALID, "%lld offsets are too many", (long long)t->n);
    IA_TRY(IA_SET(cx, p, ia_alloc(cx, bytes)));
    memset(p, 0, ow);
    for (i = 0; i < t->n; i++) {
        if (t->idx[i] >= 0) {
            const int64_t k = t->a->offset + t->idx[i];

            end += ia_offset_at(t->a, ow, k + 1) - ia_offset_at(t->a, ow, k);
        }
        memcpy(p + (size_t)(i + 1) * ow, &end, ow); /* little-endian */
    }
    if (ow == 4 && end > INT32_MAX) {
        ia_free(p);
        return ia_fail(cx, IA_ERR_INVALID,
                       "taking %lld values gives more than 2^31 bytes or items; "
                       "use smaller batches",
                       (long long)t->n);
    }
    *total = end;
    return ia_buffer_own(cx, p, bytes, out);
}

static ia_status take_bytes(ia_ctx *cx, const take_ctx *t, int64_t total, ia_buffer **out)
{
    const size_t ow = ia_type_offset_width(t->a->type);
    uint8_t *p, *d;
    int64_t i;

    *out = NULL;
    IA_TRY(IA_SET(cx, p, ia_alloc(cx, (size_t)total)));
    d = p;
    for (i = 0; i < t->n; i++) {
        int64_t k, lo, hi;

        if (t->idx[i] < 0)
            continue;
        k = t->a->offset + t->idx[i];
        lo = ia_offset_at(t->a, ow, k);
        hi = ia_offset_at(t->a, ow, k + 1);
        if (hi > lo)
            memcpy(d, t->a->bufs[2]->data + lo, (size_t)(hi - lo));
        d += hi - lo;
    }
    return ia_buffer_own(cx, p, (size_t)total, out);
}

/* Child elements of the taken lists, gathered through an explicit list of places. */
static ia_status take_items(ia_ctx *cx, const take_ctx *t, int64_t total, ia_array **out)
{
    const bool fixed = t->a->type->id == IA_TYPE_FIXED_LIST;
    int64_t *places, i, j, start, len, k = 0;
    ia_status st;

    *out = NULL;
    IA_TRY(IA_NEW_ARRAY(cx, places, (size_t)total));
    for (i = 0; i < t->n; i++) {
        if (t->idx[i] < 0) {
            for (j = 0; fixed && j < t->a->type->size; j++)
                places[k++] = -1;
            continue;
        }
        ia_array_list(t->a, t->idx[i], &start, &len);
        for (j = 0; j < len; j++)
            places[k++] = start + j;
    }
    st = ia_take_array(cx, t->a->children[0], places, k, out);
    ia_free(places);
    return st;
}

/* Vectors move as blocks when their items are plain numbers without nulls. */
static ia_status take_fixed_list(ia_ctx *cx, const take_ctx *t, ia_array **out)
{
    const ia_array *c = t->a->children[0];
    const size_t w = ia_type_width(c->type);
    const int64_t size = t->a->type->size;
    ia_buffer *buf = NULL;
    const uint8_t *src;

    if (w == 0 || c->null_count > 0 || c->type->id == IA_TYPE_DICTIONARY)
        return take_items(cx, t, t->n * size, out);
    src = (const uint8_t *)ia_array_values(c) + (size_t)(t->a->offset * size) * w;
    IA_TRY(take_fixed(cx, t, src, w * (size_t)size, &buf));
    return ia_array_make(cx, c->type, t->n * size, 0, NULL, buf, NULL, NULL, 0, out);
}

static ia_status take_struct(ia_ctx *cx, const take_ctx *t, ia_array **kids)
{
    int64_t *moved = NULL;
    ia_status st = IA_OK;
    int64_t i;
    size_t k;

    if (t->a->offset > 0) {
        IA_GO(IA_NEW_ARRAY(cx, moved, (size_t)t->n));
        for (i = 0; i < t->n; i++)
            moved[i] = t->idx[i] < 0 ? -1 : t->idx[i] + t->a->offset;
    }
    for (k = 0; k < t->a->n_children; k++)
        IA_GO(ia_take_array(cx, t->a->children[k], moved ? moved : t->idx, t->n, &kids[k]));
done:
    ia_free(moved);
    return st;
}

static ia_status take_parts(ia_ctx *cx, const take_ctx *t, ia_buffer **bufs, ia_array **kids)
{
    const ia_array *a = t->a;
    const size_t w = ia_type_width(a->type);
    int64_t total = 0;

    if (a->type->id == IA_TYPE_BOOL)
        return take_bool(cx, t, &bufs[1]);
    if (ia_type_offset_width(a->type) > 0) {
        IA_TRY(take_offsets(cx, t, &bufs[1], &total));
        return ia_type_is_var(a->type) ? take_bytes(cx, t, total, &bufs[2])
                                       : take_items(cx, t, total, &kids[0]);
    }
    if (a->type->id == IA_TYPE_FIXED_LIST)
        return take_fixed_list(cx, t, &kids[0]);
    if (a->type->id == IA_TYPE_STRUCT)
        return take_struct(cx, t, kids);
    if (a->type->id == IA_TYPE_NULL)
        return IA_OK;
    if (a->type->id == IA_TYPE_DICTIONARY)
        kids[0] = ia_array_retain(a->children[0]);
    return take_fixed(cx, t, ia_array_values(a), w, &bufs[1]);
}

ia_status ia_take_array(ia_ctx *cx, const ia_array *a, const int64_t *idx, int64_t n,
                        ia_array **out)
{
    take_ctx t = {a, idx, n, false};
    ia_buffer *bufs[3] = {0};
    ia_array **kids = NULL;
    ia_status st;
    size_t i;

    *out = NULL;
    IA_GO(check_idx(cx, &t));
    IA_GO(IA_NEW_ARRAY(cx, kids, a->n_children));
    IA_GO(take_validity(cx, &t, &bufs[0]));
    IA_GO(take_parts(cx, &t, bufs, kids));
    st = ia_array_make(cx, a->type, n, -1, bufs[0], bufs[1], bufs[2], kids, a->n_children, out);
    ia_free(kids);
    return st;
done:
    for (i = 0; kids && i < a->n_children; i++)
        ia_array_release(kids[i]);
    ia_free(kids);
    for (i = 0; i < 3; i++)
        ia_buffer_release(bufs[i]);
    return st;
}

/* Releases the n columns that were made and the list; for the error paths below. */
static void drop_cols(ia_array **cols, size_t n)
{
    size_t i;

    for (i = 0; cols && i < n; i++)
        ia_array_release(cols[i]);
    ia_free(cols);
}

ia_status ia_take_batch(ia_ctx *cx, const ia_batch *b, const int64_t *idx, int64_t n,
                        ia_batch **out)
{
    const size_t nf = b->schema->n_fields;
    ia_array **cols = NULL;
    ia_status st;
    size_t i;

    *out = NULL;
    IA_GO(IA_NEW_ARRAY(cx, cols, nf));
    for (i = 0; i < nf; i++)
        IA_GO(ia_take_array(cx, b->cols[i], idx, n, &cols[i]));
    st = ia_batch_make(cx, b->schema, n, cols, out);
    ia_free(cols);
    return st;
done:
    drop_cols(cols, nf);
    return st;
}

ia_status ia_concat_arrays(ia_ctx *cx, ia_array *const *parts, size_t n, ia_array **out)
{
    ia_builder b = {0};
    ia_status st;
    size_t i;

    *out = NULL;
    if (n == 0)
        return ia_fail(cx, IA_ERR_INTERNAL, "concatenation of no columns");
    if (n == 1) {
        *out = ia_array_retain(parts[0]);
        return IA_OK;
    }
    IA_GO(ia_builder_init(cx, &b, parts[0]->type));
    ia_builder_reserve(cx, &b, parts, n);
    for (i = 0; i < n; i++)
        ia_builder_copy_range(cx, &b, parts[i], 0, parts[i]->length);
    IA_GO(ia_builder_finish(cx, &b, out));
done:
    ia_builder_dispose(&b);
    return st;
}

ia_status ia_concat_batches(ia_ctx *cx, const ia_schema *schema, ia_batch *const *parts, size_t n,
                            ia_batch **out)
{
    const size_t nf = schema->n_fields;
    ia_array **cols = NULL, **col = NULL;
    int64_t rows = 0;
    ia_status st;
    size_t i, k;

    *out = NULL;
    if (n == 1 && parts[0]->schema == schema) {
        *out = ia_batch_retain(parts[0]);
        return IA_OK;
    }
    IA_GO(IA_NEW_ARRAY(cx, cols, nf));
    IA_GO(IA_NEW_ARRAY(cx, col, n));
    for (k = 0; k < n; k++) {
        if (parts[k]->schema->n_fields != nf)
            IA_GO(ia_fail(cx, IA_ERR_INTERNAL, "concatenation of batches of %zu and %zu columns",
                          nf, parts[k]->schema->n_fields));
        rows += parts[k]->rows;
    }
    for (i = 0; i < nf; i++) {
        for (k = 0; k < n; k++)
            col[k] = parts[k]->cols[i];
        IA_GO(n > 0 ? ia_concat_arrays(cx, col, n, &cols[i])
                    : ia_array_nulls(cx, schema->fields[i].type, 0, &cols[i]));
    }
    ia_free(col);
    st = ia_batch_make(cx, schema, rows, cols, out);
    ia_free(cols);
    return st;
done:
    ia_free(col);
    drop_cols(cols, nf);
    return st;
}

ia_status ia_project_batch(ia_ctx *cx, const ia_batch *b, const int *cols, size_t n, ia_batch **out)
{
    ia_field *fields = NULL;
    ia_array **picked = NULL;
    ia_schema *schema = NULL;
    ia_status st;
    size_t i;

    *out = NULL;
    IA_GO(IA_NEW_ARRAY(cx, fields, n));
    IA_GO(IA_NEW_ARRAY(cx, picked, n));
    for (i = 0; i < n; i++) {
        if (cols[i] < 0 || (size_t)cols[i] >= b->schema->n_fields)
            IA_GO(ia_fail(cx, IA_ERR_INTERNAL, "projection of column %d of %zu", cols[i],
                          b->schema->n_fields));
        fields[i] = b->schema->fields[cols[i]];
    }
    IA_GO(ia_schema_new(cx, fields, n, &schema));
    for (i = 0; i < n; i++)
        picked[i] = ia_array_retain(b->cols[cols[i]]);
    IA_GO(ia_batch_make(cx, schema, b->rows, picked, out));
done:
    ia_schema_release(schema);
    ia_free(picked);
    ia_free(fields);
    return st;
}
