/* validate.c - checks arrays whose bytes came from outside. */
#include "arrow/arrow_priv.h"

static ia_status bad(ia_ctx *cx, const ia_array *a, const char *what)
{
    char t[96];

    return ia_fail(cx, IA_ERR_INVALID, "array of type %s, length %lld, offset %lld: %s",
                   ia_type_text(a->type, t, sizeof t), (long long)a->length, (long long)a->offset,
                   what);
}

static size_t size_of(const ia_buffer *b)
{
    return b ? b->size : 0;
}

/* Room for `count` values of w bytes, or bits when w is 0. */
static bool holds(const ia_buffer *b, int64_t count, size_t w)
{
    size_t need = ia_bits_bytes(count);

    if (w > 0 && !ia_mul_size(&need, (size_t)count, w))
        return false;
    return count == 0 || size_of(b) >= need;
}

static ia_status check_offsets(ia_ctx *cx, const ia_array *a, int64_t end, ia_validate_level level)
{
    const size_t ow = ia_type_offset_width(a->type);
    const int64_t limit =
        ia_type_is_var(a->type) ? (int64_t)size_of(a->bufs[2]) : a->children[0]->length;
    int64_t k, prev, v;

    if (a->length == 0)
        return IA_OK;
    if (!holds(a->bufs[1], end + 1, ow))
        return bad(cx, a, "the offsets buffer is too short");
    prev = ia_offset_at(a, ow, a->offset);
    v = ia_offset_at(a, ow, end);
    if (prev < 0 || v < prev || v > limit)
        return bad(cx, a, "offsets lie outside the values");
    for (k = a->offset + 1; level == IA_VALIDATE_FULL && k <= end; k++) {
        v = ia_offset_at(a, ow, k);
        if (v < prev)
            return bad(cx, a, "offsets decrease");
        prev = v;
    }
    return IA_OK;
}

/* The whole run at once; element by element only to tell a bad value from bytes under a null. */
static ia_status check_utf8(ia_ctx *cx, const ia_array *a)
{
    const size_t ow = ia_type_offset_width(a->type);
    int64_t lo, hi, i;
    size_t at;
    bool ok;

    if (a->length == 0)
        return IA_OK;
    lo = ia_offset_at(a, ow, a->offset);
    hi = ia_offset_at(a, ow, a->offset + a->length);
    if (hi == lo)
        return IA_OK;
    ok = ia_utf8_valid((const char *)a->bufs[2]->data + lo, (size_t)(hi - lo), &at);
    for (i = 1; ok && i < a->length; i++) {
        const int64_t o = ia_offset_at(a, ow, a->offset + i);

        ok = o == hi || (a->bufs[2]->data[o] & 0xc0) != 0x80;
    }
    for (i = 0; !ok && i < a->length; i++) {
        const ia_view v = ia_array_str(a, i);

        if (ia_array_valid(a, i) && !ia_utf8_valid(v.data, v.len, &at))
            return ia_fail(cx, IA_ERR_INVALID, "string %lld is not UTF-8 (byte %zu)", (long long)i,
                           at);
    }
    return IA_OK;
}

static ia_status check_dict(ia_ctx *cx, const ia_array *a)
{
    int64_t i;

    for (i = 0; i < a->length; i++)
        if (ia_array_valid(a, i)) {
            const int64_t v = ia_dict_index(a, i);

            if (v < 0 || v >= a->children[0]->length)
                return bad(cx, a, "a dictionary index lies outside the dictionary");
        }
    return IA_OK;
}

/* A map's entries and keys are never null; the offsets were checked. */
static ia_status check_map(ia_ctx *cx, const ia_array *a, int64_t end)
{
    const ia_array *entries = a->children[0], *keys = entries->children[0];
    int64_t i, hi;

    if (a->length == 0 || (entries->null_count == 0 && keys->null_count == 0))
        return IA_OK;
    hi = ia_offset_at(a, 4, end);
    for (i = ia_offset_at(a, 4, a->offset); i < hi; i++)
        if (!ia_array_valid(entries, i) || !ia_array_valid(keys, entries->offset + i))
            return bad(cx, a, "a key is null");
    return IA_OK;
}

/* Needed length of the children, -1 where they have no fixed relation. */
static int64_t child_need(const ia_array *a, int64_t end)
{
    int64_t n;

    if (a->type->id == IA_TYPE_STRUCT)
        return end;
    if (a->type->id == IA_TYPE_FIXED_LIST)
        return __builtin_mul_overflow(end, (int64_t)a->type->size, &n) ? INT64_MAX : n;
    return -1;
}

/* `dicts`: the values of dictionaries too. */
static ia_status check(ia_ctx *cx, const ia_array *a, ia_validate_level level, bool dicts,
                       int depth)
{
    const size_t w = ia_type_width(a->type), ow = ia_type_offset_width(a->type);
    int64_t end;
    size_t i;

    if (depth > IA_TYPE_MAX_DEPTH)
        return bad(cx, a, "nested too deeply");
    if (a->length < 0 || a->offset < 0 || __builtin_add_overflow(a->length, a->offset, &end))
        return bad(cx, a, "negative or overflowing length");
    if (a->null_count < 0 || a->null_count > a->length)
        return bad(cx, a, "the null count is out of range");
    if (a->bufs[0] && !holds(a->bufs[0], end, 0))
        return bad(cx, a, "the validity buffer is too short");
    if (!a->bufs[0] && a->null_count > 0 && a->type->id != IA_TYPE_NULL)
        return bad(cx, a, "nulls without a validity buffer");
    if (a->n_children != ia_type_array_children(a->type))
        return bad(cx, a, "another number of children than the type");
    if ((w > 0 && !holds(a->bufs[1], end, w)) ||
        (a->type->id == IA_TYPE_BOOL && !holds(a->bufs[1], end, 0)))
        return bad(cx, a, "the value buffer is too short");
    for (i = 0; i < a->n_children; i++)
        if (!a->children[i] || a->children[i]->length < child_need(a, end))
            return bad(cx, a, "a child is too short");
    if (ow > 0)
        IA_TRY(check_offsets(cx, a, end, level));
    for (i = 0; i < a->n_children && (dicts || a->type->id != IA_TYPE_DICTIONARY); i++)
        IA_TRY(check(cx, a->children[i], level, dicts, depth + 1));
    if (a->type->id == IA_TYPE_MAP)
        IA_TRY(check_map(cx, a, end));
    if (level == IA_VALIDATE_SIZES)
        return IA_OK;
    if (a->type->id == IA_TYPE_STRING || a->type->id == IA_TYPE_LARGE_STRING)
        return check_utf8(cx, a);
    return a->type->id == IA_TYPE_DICTIONARY ? check_dict(cx, a) : IA_OK;
}

ia_status ia_array_validate(ia_ctx *cx, const ia_array *a, ia_validate_level level)
{
    return check(cx, a, level, true, 0);
}

ia_status ia_array_validate_own(ia_ctx *cx, const ia_array *a)
{
    return check(cx, a, IA_VALIDATE_FULL, false, 0);
}
