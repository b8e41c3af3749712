/* builder.c - builds one column value by value; failures are remembered and reported by finish. */
#include "arrow/builder.h"

#include "arrow/arrow_priv.h"

/* ---- raw parts ----------------------------------------------------------------------------- */

/* n more bytes of a buffer; NULL (and the builder failed) when memory is out. n > 0. */
static uint8_t *extend(ia_ctx *cx, ia_builder *b, ia_buf *buf, size_t n)
{
    uint8_t *p = ia_buf_extend(cx, buf, n);

    if (!p)
        b->failed = ia_buf_status(buf);
    return p;
}

static void fail(ia_ctx *cx, ia_builder *b, ia_status code, const char *what)
{
    char t[64];

    b->failed =
        ia_fail(cx, code, "column of type %s: %s", ia_type_text(b->type, t, sizeof t), what);
}

/* Bits [length, length+n) of a bit buffer, cleared. */
static uint8_t *extend_bits(ia_ctx *cx, ia_builder *b, ia_buf *buf, int64_t n)
{
    const size_t need = ia_bits_bytes(b->length + n);

    if (need > buf->len) {
        const size_t more = need - buf->len;
        uint8_t *p = extend(cx, b, buf, more);

        if (!p)
            return NULL;
        memset(p, 0, more);
    }
    return buf->data;
}

/* Validity bits exist from now on: those so far are set. */
static uint8_t *validity_bits(ia_ctx *cx, ia_builder *b, int64_t n)
{
    const bool first = b->validity.len == 0;
    uint8_t *p = extend_bits(cx, b, &b->validity, n);

    if (p && first)
        ia_bits_fill(p, 0, b->length, true);
    return p;
}

/* Marks the next n elements and counts them. The values must be in place already. */
static void mark(ia_ctx *cx, ia_builder *b, int64_t n, bool valid)
{
    if (!valid || b->validity.len > 0) {
        uint8_t *p = validity_bits(cx, b, n);

        if (!p)
            return;
        ia_bits_fill(p, b->length, n, valid);
    }
    if (!valid)
        b->nulls += n;
    b->length += n;
}

static void mark_from(ia_ctx *cx, ia_builder *b, const ia_array *a, int64_t start, int64_t n)
{
    int64_t nulls = 0;

    if (a->null_count > 0 && a->bufs[0])
        nulls = n - ia_bits_count(a->bufs[0]->data, a->offset + start, n);
    if (nulls > 0) {
        uint8_t *p = validity_bits(cx, b, n);

        if (!p)
            return;
        ia_bits_copy(p, b->length, a->bufs[0]->data, a->offset + start, n);
        b->nulls += nulls;
        b->length += n;
        return;
    }
    mark(cx, b, n, true);
}

/* Appends n offsets, all equal to the end reached so far, and returns the place of the first. */
static uint8_t *extend_offsets(ia_ctx *cx, ia_builder *b, size_t ow, int64_t n)
{
    if (b->b1.len == 0) {
        uint8_t *zero = extend(cx, b, &b->b1, ow);

        if (!zero)
            return NULL;
        memset(zero, 0, ow);
    }
    return extend(cx, b, &b->b1, (size_t)n * ow);
}

static void put_offset(uint8_t *p, size_t ow, int64_t v)
{
    if (ow == 4) {
        const int32_t x = (int32_t)v;

        memcpy(p, &x, 4);
    } else {
        memcpy(p, &v, 8);
    }
}

/* n offsets that close n elements at `end`. */
static bool repeat_offset(ia_ctx *cx, ia_builder *b, int64_t end, int64_t n)
{
    const size_t ow = ia_type_offset_width(b->type);
    uint8_t *p;
    int64_t k;

    if (ow == 4 && end > INT32_MAX) {
        fail(cx, b, IA_ERR_INVALID, "32-bit offsets end at 2^31; use smaller batches");
        return false;
    }
    p = extend_offsets(cx, b, ow, n);
    if (!p)
        return false;
    for (k = 0; k < n; k++, p += ow)
        put_offset(p, ow, end);
    return true;
}

static int64_t items_end(const ia_builder *b)
{
    return ia_type_is_var(b->type) ? (int64_t)b->b2.len : b->children[0].length;
}

/* ---- life ---------------------------------------------------------------------------------- */

ia_status ia_builder_init(ia_ctx *cx, ia_builder *b, const ia_type *type)
{
    const size_t n = ia_type_array_children(type);
    const size_t first = type->id == IA_TYPE_DICTIONARY ? 1 : 0;
    ia_status st = IA_OK;

    memset(b, 0, sizeof *b);
    b->type = ia_type_retain(type);
    if (n > 0)
        IA_GO(IA_NEW_ARRAY(cx, b->children, n));
    for (; b->n_children < n; b->n_children++)
        IA_GO(ia_builder_init(cx, &b->children[b->n_children],
                              type->children[first + b->n_children].type));
done:
    if (st != IA_OK)
        ia_builder_dispose(b);
    return st;
}

static void reset(ia_builder *b)
{
    size_t i;

    ia_buf_dispose(&b->validity);
    ia_buf_dispose(&b->b1);
    ia_buf_dispose(&b->b2);
    ia_array_release(b->dict_src);
    b->dict_src = NULL;
    b->dict_base = 0;
    b->length = b->nulls = 0;
    b->failed = IA_OK;
    for (i = 0; i < b->n_children; i++)
        reset(&b->children[i]);
}

void ia_builder_dispose(ia_builder *b)
{
    size_t i;

    if (!b || !b->type)
        return;
    reset(b);
    for (i = 0; i < b->n_children; i++)
        ia_builder_dispose(&b->children[i]);
    ia_free(b->children);
    ia_type_release(b->type);
    memset(b, 0, sizeof *b);
}

uint64_t ia_builder_bytes(const ia_builder *b)
{
    uint64_t n = b->validity.len + b->b1.len + b->b2.len;
    size_t i;

    for (i = 0; i < b->n_children; i++)
        n += ia_builder_bytes(&b->children[i]);
    return n;
}

static ia_status check_children(ia_ctx *cx, const ia_builder *b)
{
    size_t i;

    for (i = 0; i < b->n_children; i++) {
        const int64_t have = b->children[i].length;

        if ((b->type->id == IA_TYPE_STRUCT && have != b->length) ||
            (b->type->id == IA_TYPE_FIXED_LIST && have != b->length * b->type->size))
            return ia_fail(cx, IA_ERR_INTERNAL, "child %zu has %lld values below %lld elements", i,
                           (long long)have, (long long)b->length);
    }
    return IA_OK;
}

static ia_status take_buffer(ia_ctx *cx, ia_buf *buf, ia_buffer **out)
{
    ia_bytes bytes = {0};

    *out = NULL;
    if (buf->len == 0)
        return IA_OK;
    IA_TRY(ia_buf_finish(buf, &bytes));
    return ia_buffer_own(cx, bytes.data, bytes.len, out);
}

static ia_status first_failure(const ia_builder *b)
{
    size_t i;

    for (i = 0; b->failed == IA_OK && i < b->n_children; i++) {
        const ia_status st = first_failure(&b->children[i]);

        if (st != IA_OK)
            return st;
    }
    return b->failed;
}

ia_status ia_builder_finish(ia_ctx *cx, ia_builder *b, ia_array **out)
{
    ia_buffer *bufs[3] = {0};
    ia_array **kids = NULL;
    ia_status st = first_failure(b);
    size_t i;

    *out = NULL;
    if (st != IA_OK) {
        if (cx->err.code != st)
            (void)ia_fail(cx, st, "building a column failed");
        goto done;
    }
    IA_GO(check_children(cx, b));
    if (b->n_children > 0)
        IA_GO(IA_NEW_ARRAY(cx, kids, b->n_children));
    for (i = 0; i < b->n_children; i++)
        IA_GO(ia_builder_finish(cx, &b->children[i], &kids[i]));
    IA_GO(take_buffer(cx, &b->validity, &bufs[0]));
    IA_GO(take_buffer(cx, &b->b1, &bufs[1]));
    IA_GO(take_buffer(cx, &b->b2, &bufs[2]));
    st = ia_array_make(cx, b->type, b->length, b->nulls, bufs[0], bufs[1], bufs[2], kids,
                       b->n_children, out);
    ia_free(kids);
    kids = NULL;
    memset(bufs, 0, sizeof bufs);
done:
    for (i = 0; kids && i < b->n_children; i++)
        ia_array_release(kids[i]);
    ia_free(kids);
    for (i = 0; i < 3; i++)
        ia_buffer_release(bufs[i]);
    reset(b);
    return st;
}

/* ---- single values ------------------------------------------------------------------------- */

void ia_builder_fixed(ia_ctx *cx, ia_builder *b, const void *values, int64_t n)
{
    const size_t w = ia_type_width(b->type);
    uint8_t *p;

    if (b->failed != IA_OK || n <= 0)
        return;
    if (w > 0) {
        p = extend(cx, b, &b->b1, (size_t)n * w);
        if (!p)
            return;
        memcpy(p, values, (size_t)n * w);
    } else if (b->type->id != IA_TYPE_FIXED_BINARY) {
        fail(cx, b, IA_ERR_INTERNAL, "is not a fixed-width type");
        return;
    }
    mark(cx, b, n, true);
}

void ia_builder_bool(ia_ctx *cx, ia_builder *b, bool v)
{
    uint8_t *p;

    if (b->failed != IA_OK)
        return;
    if (b->type->id != IA_TYPE_BOOL) {
        fail(cx, b, IA_ERR_INTERNAL, "takes no bool");
        return;
    }
    p = extend_bits(cx, b, &b->b1, 1);
    if (!p)
        return;
    if (v)
        ia_bit_set(p, b->length);
    mark(cx, b, 1, true);
}

void ia_builder_i64(ia_ctx *cx, ia_builder *b, int64_t v)
{
    const ia_type_id id = b->type->id;
    uint8_t raw[8];

    if (b->failed != IA_OK)
        return;
    if (id == IA_TYPE_F16 || id == IA_TYPE_F32 || id == IA_TYPE_F64) {
        ia_builder_f64(cx, b, (double)v);
        return;
    }
    if (!ia_type_is_int(b->type) && !(id >= IA_TYPE_DATE32 && id <= IA_TYPE_DURATION)) {
        fail(cx, b, IA_ERR_INTERNAL, "takes no integer");
        return;
    }
    ia_put_le64(raw, (uint64_t)v); /* little-endian: the low bytes come first */
    ia_builder_fixed(cx, b, raw, 1);
}

void ia_builder_u64(ia_ctx *cx, ia_builder *b, uint64_t v)
{
    if (ia_type_is_float(b->type))
        ia_builder_f64(cx, b, (double)v);
    else
        ia_builder_i64(cx, b, (int64_t)v);
}

void ia_builder_f64(ia_ctx *cx, ia_builder *b, double v)
{
    const float f = (float)v;
    uint16_t h;

    if (b->failed != IA_OK)
        return;
    if (b->type->id == IA_TYPE_F64) {
        ia_builder_fixed(cx, b, &v, 1);
    } else if (b->type->id == IA_TYPE_F32) {
        ia_builder_fixed(cx, b, &f, 1);
    } else if (b->type->id == IA_TYPE_F16) {
        h = ia_double_to_half(v);
        ia_builder_fixed(cx, b, &h, 1);
    } else {
        fail(cx, b, IA_ERR_INTERNAL, "takes no floating-point number");
    }
}

void ia_builder_str(ia_ctx *cx, ia_builder *b, const char *s, size_t n)
{
    if (b->failed != IA_OK)
        return;
    if (b->type->id == IA_TYPE_FIXED_BINARY) {
        if (n != (size_t)b->type->size)
            fail(cx, b, IA_ERR_INVALID, "value has another length");
        else
            ia_builder_fixed(cx, b, s, 1);
        return;
    }
    if (!ia_type_is_var(b->type)) {
        fail(cx, b, IA_ERR_INTERNAL, "takes no string");
        return;
    }
    if (!repeat_offset(cx, b, (int64_t)(b->b2.len + n), 1))
        return;
    if (n > 0) {
        uint8_t *p = extend(cx, b, &b->b2, n);

        if (!p)
            return;
        memcpy(p, s, n);
    }
    mark(cx, b, 1, true);
}

void ia_builder_end_list(ia_ctx *cx, ia_builder *b)
{
    if (b->failed != IA_OK)
        return;
    if (b->type->id == IA_TYPE_FIXED_LIST) {
        if (b->children[0].failed == IA_OK &&
            b->children[0].length != (b->length + 1) * b->type->size) {
            fail(cx, b, IA_ERR_INVALID, "a list has another number of items");
            return;
        }
    } else if (!repeat_offset(cx, b, items_end(b), 1)) {
        return;
    }
    mark(cx, b, 1, true);
}

void ia_builder_end_struct(ia_ctx *cx, ia_builder *b)
{
    if (b->failed == IA_OK)
        mark(cx, b, 1, true);
}

/* Puts n empty values in place, valid or not. */
static void append_empty(ia_ctx *cx, ia_builder *b, int64_t n, bool valid)
{
    const size_t w = ia_type_width(b->type);
    uint8_t *p;
    size_t i;

    if (b->failed != IA_OK || n <= 0)
        return;
    if (w > 0) {
        p = extend(cx, b, &b->b1, (size_t)n * w);
        if (!p)
            return;
        memset(p, 0, (size_t)n * w);
        if (valid && b->type->id == IA_TYPE_DICTIONARY && b->children[0].length == 0)
            append_empty(cx, &b->children[0], 1, true); /* for the index to name */
    } else if (b->type->id == IA_TYPE_BOOL) {
        if (!extend_bits(cx, b, &b->b1, n))
            return;
    } else if (ia_type_offset_width(b->type) > 0) {
        if (!repeat_offset(cx, b, items_end(b), n))
            return;
    } else if (b->type->id == IA_TYPE_FIXED_LIST) {
        append_empty(cx, &b->children[0], n * b->type->size, true);
    } else if (b->type->id == IA_TYPE_STRUCT) {
        for (i = 0; i < b->n_children; i++)
            append_empty(cx, &b->children[i], n, true);
    }
    if (b->type->id == IA_TYPE_NULL)
        b->length += n;
    else
        mark(cx, b, n, valid);
}

void ia_builder_nulls(ia_ctx *cx, ia_builder *b, int64_t n)
{
    append_empty(cx, b, n, false);
}

void ia_builder_null(ia_ctx *cx, ia_builder *b)
{
    append_empty(cx, b, 1, false);
}

/* ---- copying ------------------------------------------------------------------------------- */

/* Closes n elements whose items were appended from the source's offset `lo` to our item `base`. */
static bool copy_offsets(ia_ctx *cx, ia_builder *b, const ia_array *a, int64_t start, int64_t n,
                         int64_t base)
{
    const size_t ow = ia_type_offset_width(b->type);
    const int64_t first = a->offset + start;
    const int64_t lo = ia_offset_at(a, ow, first);
    const int64_t hi = ia_offset_at(a, ow, first + n);
    uint8_t *p;
    int64_t k;

    if (ow == 4 && base + (hi - lo) > INT32_MAX) {
        fail(cx, b, IA_ERR_INVALID, "32-bit offsets end at 2^31; use smaller batches");
        return false;
    }
    p = extend_offsets(cx, b, ow, n);
    if (!p)
        return false;
    if (ow == 4) {
        const int32_t shift = (int32_t)(base - lo);
        int32_t v;

        for (k = 1; k <= n; k++, p += 4) {
            memcpy(&v, a->bufs[1]->data + (size_t)(first + k) * 4, 4);
            v += shift;
            memcpy(p, &v, 4);
        }
    } else {
        for (k = 1; k <= n; k++, p += 8)
            put_offset(p, 8, ia_offset_at(a, 8, first + k) - lo + base);
    }
    return true;
}

static bool copy_var(ia_ctx *cx, ia_builder *b, const ia_array *a, int64_t start, int64_t n)
{
    const size_t ow = ia_type_offset_width(b->type);
    const int64_t lo = ia_offset_at(a, ow, a->offset + start);
    const int64_t hi = ia_offset_at(a, ow, a->offset + start + n);

    if (ia_type_is_var(b->type)) {
        if (!copy_offsets(cx, b, a, start, n, (int64_t)b->b2.len))
            return false;
        if (hi > lo) {
            uint8_t *p = extend(cx, b, &b->b2, (size_t)(hi - lo));

            if (!p)
                return false;
            memcpy(p, a->bufs[2]->data + lo, (size_t)(hi - lo));
        }
        return true;
    }
    if (!copy_offsets(cx, b, a, start, n, b->children[0].length))
        return false;
    ia_builder_copy_range(cx, &b->children[0], a->children[0], lo, hi - lo);
    return b->children[0].failed == IA_OK;
}

/* Largest index of a dictionary's index type. */
static int64_t index_max(const ia_type *dict)
{
    switch (dict->children[0].type->id) {
    case IA_TYPE_I8:  return INT8_MAX;
    case IA_TYPE_U8:  return UINT8_MAX;
    case IA_TYPE_I16: return INT16_MAX;
    case IA_TYPE_U16: return UINT16_MAX;
    case IA_TYPE_I32: return INT32_MAX;
    case IA_TYPE_U32: return UINT32_MAX;
    default:          return INT64_MAX; /* style: 64-bit index types */
    }
}

/* The whole dictionary of a new source is appended once; indices are moved by its start. */
static bool copy_dict(ia_ctx *cx, ia_builder *b, const ia_array *a, int64_t start, int64_t n)
{
    const size_t w = ia_type_width(b->type);
    uint8_t *p;
    int64_t k;

    if (b->dict_src != a->children[0]) {
        const int64_t base = b->children[0].length;

        if (base + a->children[0]->length - 1 > index_max(b->type)) {
            fail(cx, b, IA_ERR_INVALID, "the dictionary outgrows its index type");
            return false;
        }
        ia_builder_copy_range(cx, &b->children[0], a->children[0], 0, a->children[0]->length);
        if (b->children[0].failed != IA_OK)
            return false;
        ia_array_release(b->dict_src);
        b->dict_src = ia_array_retain(a->children[0]);
        b->dict_base = base;
    }
    p = extend(cx, b, &b->b1, (size_t)n * w);
    if (!p)
        return false;
    for (k = 0; k < n; k++, p += w) {
        uint8_t raw[8] = {0};

        if (ia_array_valid(a, start + k))
            ia_put_le64(raw, (uint64_t)(ia_dict_index(a, start + k) + b->dict_base));
        memcpy(p, raw, w);
    }
    return true;
}

static bool copy_values(ia_ctx *cx, ia_builder *b, const ia_array *a, int64_t start, int64_t n)
{
    const size_t w = ia_type_width(b->type);
    size_t i;
    uint8_t *p;

    if (b->type->id == IA_TYPE_DICTIONARY)
        return copy_dict(cx, b, a, start, n);
    if (w > 0) {
        p = extend(cx, b, &b->b1, (size_t)n * w);
        if (!p)
            return false;
        memcpy(p, (const uint8_t *)ia_array_values(a) + (size_t)start * w, (size_t)n * w);
        return true;
    }
    if (b->type->id == IA_TYPE_BOOL) {
        p = extend_bits(cx, b, &b->b1, n);
        if (!p)
            return false;
        ia_bits_copy(p, b->length, a->bufs[1]->data, a->offset + start, n);
        return true;
    }
    if (ia_type_offset_width(b->type) > 0)
        return copy_var(cx, b, a, start, n);
    if (b->type->id == IA_TYPE_FIXED_LIST) {
        ia_builder_copy_range(cx, &b->children[0], a->children[0],
                              (a->offset + start) * a->type->size, n * a->type->size);
        return b->children[0].failed == IA_OK;
    }
    for (i = 0; b->type->id == IA_TYPE_STRUCT && i < b->n_children; i++) {
        ia_builder_copy_range(cx, &b->children[i], a->children[i], a->offset + start, n);
        if (b->children[i].failed != IA_OK)
            return false;
    }
    return true;
}

void ia_builder_copy_range(ia_ctx *cx, ia_builder *b, const ia_array *a, int64_t start, int64_t len)
{
    if (b->failed != IA_OK || len <= 0)
        return;
    if (a->type->id != b->type->id || a->type->size != b->type->size ||
        a->n_children != b->n_children || ia_type_width(a->type) != ia_type_width(b->type)) {
        fail(cx, b, IA_ERR_INTERNAL, "copy from a column of another type");
        return;
    }
    if (start < 0 || len > a->length - start) {
        fail(cx, b, IA_ERR_INTERNAL, "copy past the end of a column");
        return;
    }
    if (!copy_values(cx, b, a, start, len))
        return;
    if (b->type->id == IA_TYPE_NULL)
        b->length += len;
    else
        mark_from(cx, b, a, start, len);
}

void ia_builder_copy(ia_ctx *cx, ia_builder *b, const ia_array *a, int64_t i)
{
    ia_builder_copy_range(cx, b, a, i, 1);
}

/* Memory ahead of an append; the content does not change. */
static void reserve_buf(ia_ctx *cx, ia_builder *b, ia_buf *buf, size_t n)
{
    if (n == 0 || b->failed != IA_OK)
        return;
    if (extend(cx, b, buf, n))
        buf->len -= n;
}

void ia_builder_reserve(ia_ctx *cx, ia_builder *b, ia_array *const *parts, size_t n)
{
    const size_t w = ia_type_width(b->type), ow = ia_type_offset_width(b->type);
    size_t rows = 0, bytes = 0, i;
    ia_builder *leaf = b;

    for (i = 0; i < n; i++) {
        const ia_array *a = parts[i];

        rows += (size_t)a->length;
        if (ow > 0 && ia_type_is_var(b->type) && a->length > 0)
            bytes += (size_t)(ia_offset_at(a, ow, a->offset + a->length) -
                              ia_offset_at(a, ow, a->offset));
    }
    reserve_buf(cx, b, &b->b1, w > 0 ? rows * w : ow > 0 ? (rows + 1) * ow : 0);
    reserve_buf(cx, b, &b->b2, bytes);
    while (leaf->type->id == IA_TYPE_FIXED_LIST) {
        rows *= (size_t)leaf->type->size;
        leaf = &leaf->children[0];
    }
    if (leaf != b)
        reserve_buf(cx, leaf, &leaf->b1, rows * ia_type_width(leaf->type));
}

/* ---- batches ------------------------------------------------------------------------------- */

ia_status ia_batch_builder_init(ia_ctx *cx, ia_batch_builder *b, const ia_schema *schema)
{
    ia_status st;
    size_t i;

    memset(b, 0, sizeof *b);
    b->schema = ia_schema_retain(schema);
    IA_GO(IA_NEW_ARRAY(cx, b->cols, schema->n_fields));
    for (i = 0; i < schema->n_fields; i++)
        IA_GO(ia_builder_init(cx, &b->cols[i], schema->fields[i].type));
done:
    if (st != IA_OK)
        ia_batch_builder_dispose(b);
    return st;
}

void ia_batch_builder_dispose(ia_batch_builder *b)
{
    size_t i;

    if (!b || !b->schema)
        return;
    for (i = 0; b->cols && i < b->schema->n_fields; i++)
        ia_builder_dispose(&b->cols[i]);
    ia_free(b->cols);
    ia_schema_release(b->schema);
    memset(b, 0, sizeof *b);
}

int64_t ia_batch_builder_rows(const ia_batch_builder *b)
{
    return b->schema->n_fields > 0 ? b->cols[0].length : 0;
}

ia_status ia_batch_builder_finish(ia_ctx *cx, ia_batch_builder *b, ia_batch **out)
{
    const int64_t rows = ia_batch_builder_rows(b);
    const size_t n = b->schema->n_fields;
    ia_array **cols = NULL;
    ia_status st;
    size_t i;

    *out = NULL;
    IA_GO(IA_NEW_ARRAY(cx, cols, n));
    for (i = 0; i < n; i++) {
        st = ia_builder_finish(cx, &b->cols[i], &cols[i]);
        IA_GO(ia_fail_prefix(cx, st, "column '%s'", b->schema->fields[i].name));
    }
    st = ia_batch_make(cx, b->schema, rows, cols, out);
    ia_free(cols);
    return st;
done:
    for (i = 0; cols && i < n; i++)
        ia_array_release(cols[i]);
    ia_free(cols);
    for (i = 0; i < n; i++)
        reset(&b->cols[i]);
    return st;
}
