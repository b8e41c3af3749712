/* vals.c - accumulators of leaf values and of validity bits, between pages and arrays. */
#include "file/vals.h"

#include "file/encodings/kernels/kernels.h"

/* ---- physical shapes ------------------------------------------------------------------------ */

ia_status ia_phys_of(ia_ctx *cx, const ia_type *leaf, ia_phys *out)
{
    const ia_type *t = leaf;
    char text[96];

    memset(out, 0, sizeof *out);
    out->items = 1;
    while (t->id == IA_TYPE_FIXED_LIST && out->n_dims < IA_MAX_DIMS && t->size > 0) {
        out->dims[out->n_dims++] = (uint32_t)t->size;
        out->items *= (uint64_t)t->size;
        if (out->items > INT32_MAX)
            break;
        t = t->children[0].type;
    }
    if (t->id == IA_TYPE_NULL && !out->n_dims) {
        out->kind = IA_PHYS_NULL;
        return IA_OK;
    }
    if (ia_type_is_var(t) && !out->n_dims) {
        out->kind = IA_PHYS_VAR;
        out->bits = t->id == IA_TYPE_STRING || t->id == IA_TYPE_BINARY ? 32 : 64;
        return IA_OK;
    }
    out->bits = t->id == IA_TYPE_FIXED_LIST ? 0 : ia_type_bits(t);
    out->value_bits = out->items * out->bits;
    if (!out->value_bits || out->value_bits > UINT32_MAX)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "values of type %s",
                       ia_type_text(leaf, text, sizeof text));
    out->kind = IA_PHYS_FIXED;
    out->width = out->value_bits % 8 ? 0 : (size_t)(out->value_bits / 8);
    return IA_OK;
}

/* ---- validity ------------------------------------------------------------------------------- */

void ia_valid_dispose(ia_valid *v)
{
    ia_buf_dispose(&v->bits);
    v->n = v->zeros = 0;
}

void ia_valid_clear(ia_valid *v)
{
    ia_buf_clear(&v->bits);
    v->n = v->zeros = 0;
}

/* Grows the bitmap to n bits; new bytes are zero. */
static bool valid_size(ia_ctx *cx, ia_valid *v, uint64_t n)
{
    size_t need = (size_t)((n + 7) / 8);

    if (need > v->bits.len)
        ia_buf_fill(cx, &v->bits, 0, need - v->bits.len);
    return v->bits.failed == IA_OK;
}

/* The bitmap appears with the first 0. */
static bool valid_start(ia_ctx *cx, ia_valid *v, uint64_t n)
{
    bool fresh = !v->bits.len;

    if (!valid_size(cx, v, v->n + n))
        return false;
    if (fresh)
        ia_bits_fill(v->bits.data, 0, (int64_t)v->n, true);
    return true;
}

void ia_valid_ones(ia_ctx *cx, ia_valid *v, uint64_t n)
{
    if (v->bits.len && n && valid_size(cx, v, v->n + n))
        ia_bits_fill(v->bits.data, (int64_t)v->n, (int64_t)n, true);
    v->n += n;
}

void ia_valid_zeros(ia_ctx *cx, ia_valid *v, uint64_t n)
{
    if (n && valid_start(cx, v, n))
        ia_bits_fill(v->bits.data, (int64_t)v->n, (int64_t)n, false);
    v->n += n;
    v->zeros += n;
}

void ia_valid_bits(ia_ctx *cx, ia_valid *v, const uint8_t *src, uint64_t off, uint64_t n)
{
    uint64_t ones = (uint64_t)ia_bits_count(src, (int64_t)off, (int64_t)n);

    if (ones == n) {
        ia_valid_ones(cx, v, n);
        return;
    }
    if (valid_start(cx, v, n))
        ia_bits_copy(v->bits.data, (int64_t)v->n, src, (int64_t)off, (int64_t)n);
    v->n += n;
    v->zeros += n - ones;
}

void ia_valid_levels(ia_ctx *cx, ia_valid *v, const uint16_t *level, size_t n, unsigned limit)
{
    enum { STEP = 2048 };
    const ia_kernels *k = ia_kernels_pick();
    const size_t zeros = n - k->levels_below(level, n, limit);
    uint8_t bits[STEP / 8];

    if (!zeros || !valid_start(cx, v, n)) {
        ia_valid_ones(cx, v, n);
        return;
    }
    if (v->n % 8 == 0) {
        (void)k->levels_bits(level, n, limit, v->bits.data + v->n / 8);
        v->n += n;
    } else {
        for (size_t m; n; n -= m, level += m, v->n += m) {
            m = n < STEP ? n : STEP;
            (void)k->levels_bits(level, m, limit, bits);
            ia_bits_copy(v->bits.data, (int64_t)v->n, bits, 0, (int64_t)m);
        }
    }
    v->zeros += zeros;
}

void ia_valid_append(ia_ctx *cx, ia_valid *dst, const ia_valid *src, uint64_t off, uint64_t n)
{
    if (src->bits.len)
        ia_valid_bits(cx, dst, src->bits.data, off, n);
    else
        ia_valid_ones(cx, dst, n);
}

ia_status ia_valid_finish(ia_ctx *cx, ia_valid *v, ia_buffer **out)
{
    ia_bytes b = {0};

    *out = NULL;
    IA_TRY(ia_buf_status(&v->bits));
    if (!v->zeros) {
        ia_valid_dispose(v);
        return IA_OK;
    }
    IA_TRY(ia_buf_finish(&v->bits, &b));
    v->n = v->zeros = 0;
    return ia_buffer_own(cx, b.data, b.len, out);
}

/* ---- values --------------------------------------------------------------------------------- */

void ia_vals_init(ia_vals *v, const ia_phys *phys)
{
    memset(v, 0, sizeof *v);
    v->phys = *phys;
}

void ia_vals_dispose(ia_vals *v)
{
    ia_buf_dispose(&v->data);
    ia_buf_dispose(&v->offs);
    for (size_t k = 0; k < IA_MAX_DIMS; k++)
        ia_valid_dispose(&v->inner[k]);
    ia_buffer_release(v->slice);
    v->slice = NULL;
    v->n = 0;
}

void ia_vals_clear(ia_vals *v)
{
    ia_buf_clear(&v->data);
    ia_buf_clear(&v->offs);
    for (size_t k = 0; k < IA_MAX_DIMS; k++)
        ia_valid_clear(&v->inner[k]);
    ia_buffer_release(v->slice);
    v->slice = NULL;
    v->n = 0;
}

ia_status ia_vals_status(ia_ctx *cx, const ia_vals *v)
{
    (void)cx;
    IA_TRY(ia_buf_status(&v->data));
    IA_TRY(ia_buf_status(&v->offs));
    for (size_t k = 0; k < v->phys.n_dims; k++)
        IA_TRY(ia_buf_status(&v->inner[k].bits));
    return IA_OK;
}

static ia_status buf_reserve(ia_ctx *cx, ia_buf *b, uint64_t more)
{
    size_t need;

    if (more > SIZE_MAX / 4 || !ia_add_size(&need, b->len, (size_t)more + 1))
        return ia_fail(cx, IA_ERR_OVER_BUDGET, "a column needs more memory than there is");
    if (need > b->cap) {
        uint8_t *p = ia_realloc(cx, b->data, need);

        if (!p)
            return cx->err.code;
        b->data = p;
        b->cap = need;
    }
    return IA_OK;
}

ia_status ia_vals_reserve(ia_ctx *cx, ia_vals *v, uint64_t n, uint64_t bytes)
{
    if (v->phys.kind == IA_PHYS_VAR) {
        IA_TRY(buf_reserve(cx, &v->offs, (n + 1) * (v->phys.bits / 8)));
        return buf_reserve(cx, &v->data, bytes);
    }
    if (n > UINT64_MAX / 16 / (v->phys.value_bits + 1))
        return ia_fail(cx, IA_ERR_OVER_BUDGET, "a column needs more memory than there is");
    return buf_reserve(cx, &v->data, (n * v->phys.value_bits + 7) / 8);
}

uint8_t *ia_vals_extend(ia_ctx *cx, ia_vals *v, uint64_t n)
{
    uint8_t *p = ia_buf_extend(cx, &v->data, (size_t)n * v->phys.width);

    if (p)
        v->n += n;
    return p;
}

void ia_vals_put_bits(ia_ctx *cx, ia_vals *v, const uint8_t *src, uint64_t off, uint64_t n)
{
    uint64_t at = v->n * v->phys.value_bits, bits = n * v->phys.value_bits;
    size_t need = (size_t)((at + bits + 7) / 8);

    if (need > v->data.len)
        ia_buf_fill(cx, &v->data, 0, need - v->data.len);
    if (v->data.failed)
        return;
    ia_bits_copy(v->data.data, (int64_t)at, src, (int64_t)off, (int64_t)bits);
    v->n += n;
}

void ia_vals_inner_ones(ia_ctx *cx, ia_vals *v, uint64_t n)
{
    uint64_t items = n;

    for (size_t k = 0; k < v->phys.n_dims; k++) {
        items *= v->phys.dims[k];
        ia_valid_ones(cx, &v->inner[k], items);
    }
}

static void put_offset(ia_ctx *cx, ia_vals *v, uint64_t off)
{
    uint8_t *p = ia_buf_extend(cx, &v->offs, v->phys.bits / 8);

    if (!p)
        return;
    if (v->phys.bits == 32)
        ia_put_le32(p, (uint32_t)off);
    else
        ia_put_le64(p, off);
}

void ia_vals_zeros(ia_ctx *cx, ia_vals *v, uint64_t n)
{
    if (v->phys.kind == IA_PHYS_NULL) {
        v->n += n;
    } else if (v->phys.kind == IA_PHYS_VAR) {
        if (!v->offs.len)
            put_offset(cx, v, 0);
        for (uint64_t i = 0; i < n; i++)
            put_offset(cx, v, v->data.len);
        v->n += n;
    } else {
        size_t need = (size_t)(((v->n + n) * v->phys.value_bits + 7) / 8);

        if (need > v->data.len)
            ia_buf_fill(cx, &v->data, 0, need - v->data.len);
        v->n += n;
        ia_vals_inner_ones(cx, v, n);
    }
}

ia_status ia_vals_too_long(ia_ctx *cx)
{
    return ia_fail(cx, IA_ERR_UNSUPPORTED,
                   "more than 2 GiB of strings in one batch; read fewer rows at once");
}

ia_status ia_vals_begin_var(ia_ctx *cx, ia_vals *v)
{
    if (!v->offs.len)
        put_offset(cx, v, v->data.len);
    return ia_buf_status(&v->offs);
}

ia_status ia_vals_end_var(ia_ctx *cx, ia_vals *v)
{
    if (v->phys.bits == 32 && v->data.len > INT32_MAX)
        return ia_vals_too_long(cx);
    put_offset(cx, v, v->data.len);
    v->n++;
    return ia_buf_status(&v->offs);
}

ia_status ia_vals_put_var(ia_ctx *cx, ia_vals *v, const uint8_t *p, size_t n)
{
    IA_TRY(ia_vals_begin_var(cx, v));
    if (n)
        ia_buf_put(cx, &v->data, p, n);
    IA_TRY(ia_buf_status(&v->data));
    return ia_vals_end_var(cx, v);
}

static inline uint64_t load_offset(const uint8_t *offs, uint32_t obits, uint64_t i)
{
    return obits == 32 ? ia_le32(offs + i * 4) : ia_le64(offs + i * 8);
}

static void shift_offsets(uint8_t *dst, uint32_t dbits, const uint8_t *src, uint32_t sbits,
                          uint64_t n, uint64_t delta)
{
    if (dbits == 32 && sbits == 32) {
        ia_kernels_pick()->shift32((uint32_t *)(void *)dst, src, (size_t)n, (uint32_t)delta);
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t x = load_offset(src, sbits, i) + delta;

        if (dbits == 32)
            ia_put_le32(dst + i * 4, (uint32_t)x);
        else
            ia_put_le64(dst + i * 8, x);
    }
}

ia_status ia_vals_put_vars(ia_ctx *cx, ia_vals *v, const uint8_t *offs, uint32_t obits,
                           const uint8_t *base, uint64_t n)
{
    uint64_t first, last, len;
    uint8_t *p;

    if (!n)
        return IA_OK;
    if (!v->offs.len)
        put_offset(cx, v, 0);
    first = load_offset(offs, obits, 0);
    last = load_offset(offs, obits, n);
    len = last - first;
    if (v->phys.bits == 32 && len > (uint64_t)INT32_MAX - v->data.len)
        return ia_vals_too_long(cx);
    p = ia_buf_extend(cx, &v->offs, (size_t)n * (v->phys.bits / 8));
    if (p)
        shift_offsets(p, v->phys.bits, offs + obits / 8, obits, n, v->data.len - first);
    if (len)
        ia_buf_put(cx, &v->data, base + first, (size_t)len);
    v->n += n;
    IA_TRY(ia_buf_status(&v->offs));
    return ia_buf_status(&v->data);
}

uint64_t ia_vals_offset(const ia_vals *v, uint64_t i)
{
    return v->offs.len ? load_offset(v->offs.data, v->phys.bits, i) : 0;
}

ia_status ia_vals_append(ia_ctx *cx, ia_vals *dst, const ia_vals *src, uint64_t start, uint64_t n)
{
    uint64_t items_from = start, items = n;

    if (!n)
        return IA_OK;
    if (src->phys.kind == IA_PHYS_NULL) {
        dst->n += n;
        return IA_OK;
    }
    if (src->phys.kind == IA_PHYS_VAR)
        return ia_vals_put_vars(cx, dst, src->offs.data + start * (src->phys.bits / 8),
                                src->phys.bits, src->data.data, n);
    if (src->phys.width) {
        uint8_t *p = ia_vals_extend(cx, dst, n);
        const uint8_t *from = src->slice ? src->slice->data : src->data.data;

        if (p)
            memcpy(p, from + start * src->phys.width, (size_t)n * src->phys.width);
    } else {
        ia_vals_put_bits(cx, dst, src->data.data, start * src->phys.value_bits, n);
    }
    for (size_t k = 0; k < src->phys.n_dims; k++) {
        items_from *= src->phys.dims[k];
        items *= src->phys.dims[k];
        ia_valid_append(cx, &dst->inner[k], &src->inner[k], items_from, items);
    }
    return ia_vals_status(cx, dst);
}

ia_status ia_vals_repeat(ia_ctx *cx, ia_vals *dst, const ia_vals *src, uint64_t i, uint64_t n)
{
    const size_t width = src->phys.width;
    uint8_t *p;

    if (src->phys.kind == IA_PHYS_VAR)
        IA_TRY(
            ia_vals_reserve(cx, dst, n, n * (ia_vals_offset(src, i + 1) - ia_vals_offset(src, i))));
    if (!width || src->phys.n_dims) {
        for (uint64_t k = 0; k < n; k++)
            IA_TRY(ia_vals_append(cx, dst, src, i, 1));
        return IA_OK;
    }
    p = ia_vals_extend(cx, dst, n);
    if (!p)
        return ia_vals_status(cx, dst);
    for (uint64_t k = 0; k < n; k++)
        memcpy(p + k * width, src->data.data + i * width, width);
    return IA_OK;
}

/* ---- arrays --------------------------------------------------------------------------------- */

static ia_status own(ia_ctx *cx, ia_buf *b, ia_buffer **out)
{
    ia_bytes bytes = {0};

    if (!b->data)
        ia_buf_fill(cx, b, 0, 0);
    IA_TRY(ia_buf_status(b));
    IA_TRY(ia_buf_finish(b, &bytes));
    return ia_buffer_own(cx, bytes.data, bytes.len, out);
}

/* The child arrays of a fixed-size list, from the innermost outwards. */
static ia_status finish_fixed(ia_ctx *cx, ia_vals *v, ia_valid *valid, const ia_type *type,
                              size_t level, uint64_t n, ia_array **out)
{
    ia_buffer *bits = NULL, *data = NULL;
    ia_array *child = NULL;
    int64_t nulls = (int64_t)valid->zeros;
    ia_status st;

    IA_GO(ia_valid_finish(cx, valid, &bits));
    if (level < v->phys.n_dims) {
        IA_GO(finish_fixed(cx, v, &v->inner[level], type->children[0].type, level + 1,
                           n * v->phys.dims[level], &child));
        st = ia_array_make(cx, type, (int64_t)n, nulls, bits, NULL, NULL, &child, 1, out);
        bits = NULL;
        child = NULL;
        goto done;
    }
    if (v->slice) {
        data = v->slice;
        v->slice = NULL;
    } else {
        IA_GO(own(cx, &v->data, &data));
    }
    st = ia_array_make(cx, type, (int64_t)n, nulls, bits, data, NULL, NULL, 0, out);
    bits = data = NULL;
done:
    ia_buffer_release(bits);
    ia_buffer_release(data);
    ia_array_release(child);
    return st;
}

ia_status ia_vals_finish(ia_ctx *cx, ia_vals *v, ia_valid *valid, const ia_type *type,
                         ia_array **out)
{
    ia_buffer *bits = NULL, *offs = NULL, *data = NULL;
    uint64_t n = v->n;
    int64_t nulls = (int64_t)valid->zeros;
    ia_status st;

    *out = NULL;
    IA_GO(ia_vals_status(cx, v));
    if (n > INT64_MAX / 2 || n * (v->phys.items ? v->phys.items : 1) > INT64_MAX / 2)
        IA_GO(ia_fail(cx, IA_ERR_OVER_BUDGET, "too many values in one batch"));
    v->n = 0;
    if (v->phys.kind == IA_PHYS_NULL) {
        ia_valid_dispose(valid);
        return ia_array_nulls(cx, type, (int64_t)n, out);
    }
    if (v->phys.kind == IA_PHYS_FIXED)
        return finish_fixed(cx, v, valid, type, 0, n, out);
    if (!v->offs.len)
        put_offset(cx, v, 0);
    IA_GO(ia_valid_finish(cx, valid, &bits));
    IA_GO(own(cx, &v->offs, &offs));
    IA_GO(own(cx, &v->data, &data));
    st = ia_array_make(cx, type, (int64_t)n, nulls, bits, offs, data, NULL, 0, out);
    bits = offs = data = NULL;
done:
    ia_buffer_release(bits);
    ia_buffer_release(offs);
    ia_buffer_release(data);
    return st;
}
