/* cast.c - safe casts: nothing is rounded away, cut off or wrapped without an error. */
#include <math.h>

#include "arrow/arrow_priv.h"
#include "arrow/compute.h"
#include "arrow/text_priv.h"

/* What a fixed-width value means. Casts work within a class, between numbers of all classes, and
 * between integers and the raw count of a temporal type. */
typedef enum cast_class {
    CLASS_OTHER, CLASS_BOOL, CLASS_INT, CLASS_FLOAT, CLASS_INSTANT, CLASS_TIME, CLASS_DURATION
} cast_class;

static cast_class class_of(const ia_type *t)
{
    if (t->id == IA_TYPE_BOOL)
        return CLASS_BOOL;
    if (ia_type_is_int(t))
        return CLASS_INT;
    if (ia_type_is_float(t))
        return CLASS_FLOAT;
    if (t->id == IA_TYPE_DATE32 || t->id == IA_TYPE_DATE64 || t->id == IA_TYPE_TIMESTAMP)
        return CLASS_INSTANT;
    if (t->id == IA_TYPE_TIME32 || t->id == IA_TYPE_TIME64)
        return CLASS_TIME;
    return t->id == IA_TYPE_DURATION ? CLASS_DURATION : CLASS_OTHER;
}

/* Nanoseconds in one count of a temporal type. */
static int64_t tick(const ia_type *t)
{
    static const int64_t ns[] = {1000000000, 1000000, 1000, 1};

    if (t->id == IA_TYPE_DATE32)
        return 86400 * ns[IA_UNIT_S];
    return t->id == IA_TYPE_DATE64 ? ns[IA_UNIT_MS] : ns[t->unit];
}

static ia_status no_cast(ia_ctx *cx, const ia_type *from, const ia_type *to)
{
    char a[96], b[96];

    return ia_fail(cx, IA_ERR_INVALID, "no cast from %s to %s", ia_type_text(from, a, sizeof a),
                   ia_type_text(to, b, sizeof b));
}

static ia_status no_fit(ia_ctx *cx, const ia_array *a, int64_t i, const ia_type *to)
{
    ia_buf text = {0};
    char b[96];

    ia_value_text(cx, &text, a, i);
    (void)ia_fail(cx, IA_ERR_INVALID, "row %lld: value %.100s does not fit %s", (long long)i,
                  text.data ? (const char *)text.data : "", ia_type_text(to, b, sizeof b));
    ia_buf_dispose(&text);
    return cx->err.code;
}

/* Validity of `a` for a new array that starts at offset 0; NULL when nothing is null. */
static ia_status own_validity(ia_ctx *cx, const ia_array *a, ia_buffer **out)
{
    const size_t n = ia_bits_bytes(a->length);
    uint8_t *p;

    *out = NULL;
    if (a->null_count == 0 || !a->bufs[0])
        return IA_OK;
    if (a->offset == 0) {
        *out = ia_buffer_retain(a->bufs[0]);
        return IA_OK;
    }
    IA_TRY(IA_SET(cx, p, ia_calloc(cx, 1, n)));
    ia_bits_copy(p, 0, a->bufs[0]->data, a->offset, a->length);
    return ia_buffer_own(cx, p, n, out);
}

/* Integer range of an int or temporal type. */
static void int_range(const ia_type *t, __int128 *lo, __int128 *hi)
{
    const unsigned bits = ia_type_bits(t);
    const bool u = t->id >= IA_TYPE_U8 && t->id <= IA_TYPE_U64;

    *lo = u ? 0 : -((__int128)1 << (bits - 1));
    *hi = u ? ((__int128)1 << bits) - 1 : ((__int128)1 << (bits - 1)) - 1;
}

/* Value i as an integer on the target's scale; false when it has none. */
static bool read_int(const ia_array *a, int64_t i, cast_class from, cast_class to,
                     const ia_type *target, __int128 *out)
{
    double d;

    if (from == CLASS_BOOL) {
        *out = ia_array_bool(a, i) ? 1 : 0;
        return true;
    }
    if (from == CLASS_FLOAT) {
        d = ia_array_f64(a, i);
        if (!(d > -0x1p64 && d < 0x1p64) || d != trunc(d))
            return false;
        *out = (__int128)d;
        return true;
    }
    *out = a->type->id == IA_TYPE_U64 ? (__int128)ia_array_u64(a, i) : (__int128)ia_array_i64(a, i);
    if (from == to && from >= CLASS_INSTANT) {
        const int64_t have = tick(a->type), want = tick(target);

        *out *= have;
        if (*out % want != 0)
            return false;
        *out /= want;
    }
    return true;
}

static bool store_int(uint8_t *p, int64_t i, size_t w, __int128 v, __int128 lo, __int128 hi)
{
    const uint64_t low = (uint64_t)v;

    if (v < lo || v > hi)
        return false;
    memcpy(p + (size_t)i * w, &low, w); /* little-endian */
    return true;
}

static ia_status cast_to_int(ia_ctx *cx, const ia_array *a, const ia_type *to, uint8_t *p)
{
    const cast_class from = class_of(a->type), want = class_of(to);
    const size_t w = ia_type_width(to);
    __int128 lo, hi, v;
    int64_t i;

    int_range(to, &lo, &hi);
    for (i = 0; i < a->length; i++) {
        if (!ia_array_valid(a, i))
            memset(p + (size_t)i * w, 0, w);
        else if (!read_int(a, i, from, want, to, &v) || !store_int(p, i, w, v, lo, hi))
            return no_fit(cx, a, i, to);
    }
    return IA_OK;
}

/* A float that holds value i; false when an integer is not exact in it or a number too large. */
static bool read_float(const ia_array *a, int64_t i, cast_class from, ia_type_id to, double *out)
{
    __int128 v;
    double d;

    if (from == CLASS_FLOAT) {
        d = ia_array_f64(a, i);
        *out = to == IA_TYPE_F64 ? d : to == IA_TYPE_F32 ? (double)(float)d
                                                         : ia_half_to_double(ia_double_to_half(d));
        return isinf(d) || !isinf(*out);
    }
    if (from == CLASS_BOOL)
        v = ia_array_bool(a, i) ? 1 : 0;
    else
        v = a->type->id == IA_TYPE_U64 ? (__int128)ia_array_u64(a, i)
                                       : (__int128)ia_array_i64(a, i);
    d = (double)v;
    *out = to == IA_TYPE_F64 ? d : to == IA_TYPE_F32 ? (double)(float)d
                                                     : ia_half_to_double(ia_double_to_half(d));
    return !isinf(*out) && (__int128)*out == v;
}

static ia_status cast_to_float(ia_ctx *cx, const ia_array *a, const ia_type *to, uint8_t *p)
{
    const cast_class from = class_of(a->type);
    double d = 0;
    int64_t i;

    if (a->type->id == IA_TYPE_F32 && to->id == IA_TYPE_F64) {
        const float *s = ia_array_values(a);

        for (i = 0; i < a->length; i++)
            ((double *)(void *)p)[i] = (double)s[i];
        return IA_OK;
    }
    for (i = 0; i < a->length; i++) {
        if (!ia_array_valid(a, i))
            d = 0;
        else if (!read_float(a, i, from, to->id, &d))
            return no_fit(cx, a, i, to);
        if (to->id == IA_TYPE_F64)
            ((double *)(void *)p)[i] = d;
        else if (to->id == IA_TYPE_F32)
            ((float *)(void *)p)[i] = (float)d;
        else
            ((uint16_t *)(void *)p)[i] = ia_double_to_half(d);
    }
    return IA_OK;
}

static ia_status cast_to_bool(ia_ctx *cx, const ia_array *a, const ia_type *to, uint8_t *p)
{
    const cast_class from = class_of(a->type);
    __int128 v;
    int64_t i;

    for (i = 0; i < a->length; i++) {
        if (!ia_array_valid(a, i))
            continue;
        if (!read_int(a, i, from, CLASS_INT, to, &v) || v < 0 || v > 1)
            return no_fit(cx, a, i, to);
        if (v == 1)
            ia_bit_set(p, i);
    }
    return IA_OK;
}

static ia_status cast_scalar(ia_ctx *cx, const ia_array *a, const ia_type *to, ia_array **out)
{
    const cast_class from = class_of(a->type), want = class_of(to);
    const bool numbers = from <= CLASS_FLOAT && want <= CLASS_FLOAT;
    const size_t bytes = want == CLASS_BOOL ? ia_bits_bytes(a->length)
                                            : (size_t)a->length * ia_type_width(to);
    ia_buffer *validity = NULL, *values = NULL;
    uint8_t *p = NULL;
    ia_status st;

    if (from == CLASS_OTHER || want == CLASS_OTHER ||
        !(numbers || from == want || from == CLASS_INT || want == CLASS_INT))
        return no_cast(cx, a->type, to);
    IA_GO(IA_SET(cx, p, ia_calloc(cx, 1, bytes)));
    if (want == CLASS_BOOL)
        IA_GO(cast_to_bool(cx, a, to, p));
    else if (want == CLASS_FLOAT)
        IA_GO(cast_to_float(cx, a, to, p));
    else
        IA_GO(cast_to_int(cx, a, to, p));
    IA_GO(own_validity(cx, a, &validity));
    st = ia_buffer_own(cx, p, bytes, &values);
    p = NULL;
    if (st != IA_OK)
        goto done;
    return ia_array_make(cx, to, a->length, a->null_count, validity, values, NULL, NULL, 0, out);
done:
    ia_free(p);
    ia_buffer_release(validity);
    return st;
}

/* ---- strings and lists --------------------------------------------------------------------- */

/* Offsets of `a` (elements [0, length]) in the width of `to`; *fits false when they do not. */
static ia_status convert_offsets(ia_ctx *cx, const ia_array *a, const ia_type *to, bool *fits,
                                 ia_buffer **out)
{
    const size_t have = ia_type_offset_width(a->type), want = ia_type_offset_width(to);
    const size_t bytes = ((size_t)a->length + 1) * want;
    int64_t i;
    uint8_t *p;

    *out = NULL;
    *fits =
        a->length == 0 || want == 8 || ia_offset_at(a, have, a->offset + a->length) <= INT32_MAX;
    if (!*fits)
        return IA_OK;
    IA_TRY(IA_SET(cx, p, ia_calloc(cx, 1, bytes)));
    for (i = 0; a->length > 0 && i <= a->length; i++) {
        const int64_t v = ia_offset_at(a, have, a->offset + i);

        memcpy(p + (size_t)i * want, &v, want); /* little-endian */
    }
    return ia_buffer_own(cx, p, bytes, out);
}

/* Only for a column whose last offset lies past 2^31: the bytes move to the front. */
static ia_status cast_var_slow(ia_ctx *cx, const ia_array *a, const ia_type *to, ia_array **out)
{
    ia_builder b = {0};
    ia_status st;
    int64_t i;

    IA_GO(ia_builder_init(cx, &b, to));
    for (i = 0; i < a->length; i++) {
        const ia_view v = ia_array_str(a, i);

        if (ia_array_valid(a, i))
            ia_builder_str(cx, &b, v.data, v.len);
        else
            ia_builder_null(cx, &b);
    }
    IA_GO(ia_builder_finish(cx, &b, out));
done:
    ia_builder_dispose(&b);
    return st;
}

static ia_status cast_var(ia_ctx *cx, const ia_array *a, const ia_type *to, ia_array **out)
{
    const bool text = to->id == IA_TYPE_STRING || to->id == IA_TYPE_LARGE_STRING;
    const bool was_text = a->type->id == IA_TYPE_STRING || a->type->id == IA_TYPE_LARGE_STRING;
    ia_buffer *validity = NULL, *offsets = NULL;
    bool fits;
    ia_status st;

    IA_GO(convert_offsets(cx, a, to, &fits, &offsets));
    if (!fits) {
        IA_GO(cast_var_slow(cx, a, to, out));
    } else {
        IA_GO(own_validity(cx, a, &validity));
        st = ia_array_make(cx, to, a->length, a->null_count, validity, offsets,
                           ia_buffer_retain(a->bufs[2]), NULL, 0, out);
        validity = offsets = NULL;
        if (st != IA_OK)
            goto done;
    }
    if (text && !was_text)
        IA_GO(ia_array_validate(cx, *out, IA_VALIDATE_FULL));
done:
    ia_buffer_release(validity);
    ia_buffer_release(offsets);
    if (st != IA_OK) {
        ia_array_release(*out);
        *out = NULL;
    }
    return st;
}

/* Lists of any length as lists of exactly `size`; items keep their type. */
static ia_status fix_lists(ia_ctx *cx, const ia_array *a, int32_t size, ia_array **out)
{
    const ia_field *item = &a->type->children[0];
    int64_t i, start, len;
    ia_type *t = NULL;
    ia_builder b = {0};
    ia_status st;

    IA_GO(ia_type_list(cx, IA_TYPE_FIXED_LIST, size, item->name, item->type, item->nullable, &t));
    IA_GO(ia_builder_init(cx, &b, t));
    for (i = 0; i < a->length; i++) {
        if (!ia_array_valid(a, i)) {
            ia_builder_null(cx, &b);
            continue;
        }
        ia_array_list(a, i, &start, &len);
        if (len != size)
            IA_GO(ia_fail(cx, IA_ERR_INVALID, "row %lld: a list of %lld items where %d are wanted",
                          (long long)i, (long long)len, size));
        ia_builder_copy_range(cx, &b.children[0], a->children[0], start, len);
        ia_builder_end_list(cx, &b);
    }
    IA_GO(ia_builder_finish(cx, &b, out));
done:
    ia_builder_dispose(&b);
    ia_type_release(t);
    return st;
}

/* Offsets i * size of a fixed list. */
static ia_status count_offsets(ia_ctx *cx, const ia_array *a, const ia_type *to, ia_buffer **out)
{
    const size_t w = ia_type_offset_width(to), bytes = ((size_t)a->length + 1) * w;
    int64_t i;
    uint8_t *p;

    *out = NULL;
    if (w == 4 && a->length * a->type->size > INT32_MAX)
        return ia_fail(cx, IA_ERR_INVALID, "32-bit offsets end at 2^31; use smaller batches");
    IA_TRY(IA_SET(cx, p, ia_alloc(cx, bytes)));
    for (i = 0; i <= a->length; i++) {
        const int64_t v = i * a->type->size;

        memcpy(p + (size_t)i * w, &v, w);
    }
    return ia_buffer_own(cx, p, bytes, out);
}

/* Child values that element 0 starts at, as an array of its own. */
static ia_status fixed_items(ia_ctx *cx, const ia_array *a, ia_array **out)
{
    return ia_array_slice(cx, a->children[0], a->offset * a->type->size, a->length * a->type->size,
                          out);
}

static ia_status cast_fields(ia_ctx *cx, const ia_array *a, const ia_type *to, bool by_name,
                             ia_array **out);

/* The entries of maps match by place, whatever they are called. */
static ia_status cast_items(ia_ctx *cx, const ia_array *a, const ia_array *items, const ia_type *to,
                            ia_array **out)
{
    const ia_type *item = to->children[0].type;

    if ((a->type->id == IA_TYPE_MAP || to->id == IA_TYPE_MAP) && item->id == IA_TYPE_STRUCT &&
        items->type->id == IA_TYPE_STRUCT)
        return cast_fields(cx, items, item, false, out);
    return ia_cast_array(cx, items, item, out);
}

static ia_status cast_list(ia_ctx *cx, const ia_array *a, const ia_type *to, ia_array **out)
{
    const bool from_fixed = a->type->id == IA_TYPE_FIXED_LIST,
               to_fixed = to->id == IA_TYPE_FIXED_LIST;
    ia_array *fixed = NULL, *items = NULL, *child = NULL;
    ia_buffer *validity = NULL, *offsets = NULL;
    bool fits = true;
    ia_status st;

    if (to_fixed && from_fixed && a->type->size != to->size)
        return no_cast(cx, a->type, to);
    if (to_fixed && !from_fixed) {
        IA_GO(fix_lists(cx, a, to->size, &fixed));
        a = fixed;
    } else if (!to_fixed && from_fixed) {
        IA_GO(count_offsets(cx, a, to, &offsets));
    } else if (!to_fixed) {
        IA_GO(convert_offsets(cx, a, to, &fits, &offsets));
        if (!fits)
            IA_GO(ia_fail(cx, IA_ERR_INVALID, "32-bit offsets end at 2^31; use smaller batches"));
    }
    if (to_fixed || from_fixed)
        IA_GO(fixed_items(cx, a, &items));
    else
        items = ia_array_retain(a->children[0]);
    IA_GO(cast_items(cx, a, items, to, &child));
    IA_GO(own_validity(cx, a, &validity));
    st = ia_array_make(cx, to, a->length, a->null_count, validity, offsets, NULL, &child, 1, out);
    validity = offsets = NULL;
    child = NULL;
    if (st == IA_OK && to->id == IA_TYPE_MAP)
        st = ia_array_validate(cx, *out, IA_VALIDATE_SIZES); /* a list may hold null keys */
    if (st != IA_OK) {
        ia_array_release(*out);
        *out = NULL;
    }
done:
    ia_array_release(child);
    ia_array_release(fixed);
    ia_array_release(items);
    ia_buffer_release(validity);
    ia_buffer_release(offsets);
    return st;
}

static ia_status cast_fields(ia_ctx *cx, const ia_array *a, const ia_type *to, bool by_name,
                             ia_array **out)
{
    ia_array **kids = NULL;
    ia_buffer *validity = NULL;
    ia_status st;
    size_t i;

    if (a->n_children != to->n_children)
        return no_cast(cx, a->type, to);
    IA_GO(IA_NEW_ARRAY(cx, kids, a->n_children));
    for (i = 0; i < a->n_children; i++) {
        ia_array *part = NULL;

        if (by_name && !ia_str_eq(a->type->children[i].name, to->children[i].name))
            IA_GO(no_cast(cx, a->type, to));
        IA_GO(ia_array_slice(cx, a->children[i], a->offset, a->length, &part));
        st = ia_cast_array(cx, part, to->children[i].type, &kids[i]);
        ia_array_release(part);
        IA_GO(ia_fail_prefix(cx, st, "field '%s'", to->children[i].name));
    }
    IA_GO(own_validity(cx, a, &validity));
    st = ia_array_make(cx, to, a->length, a->null_count, validity, NULL, NULL, kids, a->n_children,
                       out);
    ia_free(kids);
    return st;
done:
    for (i = 0; kids && i < a->n_children; i++)
        ia_array_release(kids[i]);
    ia_free(kids);
    return st;
}

static ia_status cast_dict(ia_ctx *cx, const ia_array *a, const ia_type *to, ia_array **out)
{
    int64_t *idx = NULL, i;
    ia_array *plain = NULL;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, idx, (size_t)a->length));
    for (i = 0; i < a->length; i++)
        idx[i] = ia_array_valid(a, i) ? ia_dict_index(a, i) : -1;
    IA_GO(ia_take_array(cx, a->children[0], idx, a->length, &plain));
    IA_GO(ia_cast_array(cx, plain, to, out));
done:
    ia_array_release(plain);
    ia_free(idx);
    return st;
}

static bool is_list(const ia_type *t)
{
    return ia_type_is_list(t) || t->id == IA_TYPE_FIXED_LIST;
}

ia_status ia_cast_array(ia_ctx *cx, const ia_array *a, const ia_type *to, ia_array **out)
{
    *out = NULL;
    if (ia_type_equal(a->type, to)) {
        *out = ia_array_retain(a);
        return IA_OK;
    }
    if (a->type->id == IA_TYPE_NULL)
        return ia_array_nulls(cx, to, a->length, out);
    if (a->type->id == IA_TYPE_DICTIONARY)
        return cast_dict(cx, a, to, out);
    if (to->id == IA_TYPE_DICTIONARY)
        return ia_dictionary_encode(cx, a, to, out);
    if (ia_type_is_var(a->type) && ia_type_is_var(to))
        return cast_var(cx, a, to, out);
    if (is_list(a->type) && is_list(to))
        return cast_list(cx, a, to, out);
    if (a->type->id == IA_TYPE_STRUCT && to->id == IA_TYPE_STRUCT)
        return cast_fields(cx, a, to, true, out);
    return cast_scalar(cx, a, to, out);
}
