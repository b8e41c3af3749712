/* render.c - single values as JSON and as text. */
#include "arrow/render.h"

#include <inttypes.h>
#include <stdio.h>

#include "arrow/arrow_priv.h"
#include "arrow/compute.h"
#include "base/ids.h"

static const int64_t per_second[] = {1, 1000, 1000000, 1000000000};

/* ".fff" with as many digits as needed in steps of three, at least `min`. Returns its length. */
static size_t put_fraction(char *out, int64_t frac, ia_time_unit unit, int min)
{
    int digits = 3 * (int)unit, k;

    while (digits > min && frac % 1000 == 0) {
        frac /= 1000;
        digits -= 3;
    }
    if (digits == 0) {
        out[0] = 0;
        return 0;
    }
    out[0] = '.';
    out[digits + 1] = 0;
    for (k = digits; k > 0; k--, frac /= 10)
        out[k] = (char)('0' + frac % 10);
    return (size_t)digits + 1;
}

/* Since 1970 in `unit`; a date alone never comes here. */
static void datetime_text(int64_t v, ia_time_unit unit, char out[48])
{
    const int64_t per = per_second[unit];
    int64_t sec = v / per, frac = v % per;
    char *end;

    if (frac < 0) {
        frac += per;
        sec--;
    }
    if (sec > INT64_MAX / 1000 - 1 || sec < INT64_MIN / 1000 + 1) {
        snprintf(out, 48, "%" PRId64, v);
        return;
    }
    ia_datetime_format(sec * 1000, out);
    end = strstr(out, ".000Z");
    if (!end)
        return;
    if (unit == IA_UNIT_S)
        return;
    end += put_fraction(end, frac, unit, 3);
    memcpy(end, "Z", 2);
}

static void time_text(int64_t v, ia_time_unit unit, char out[48])
{
    const int64_t per = per_second[unit], day = 86400 * per;
    int64_t sec;
    int n;

    if (v < 0 || v >= day) {
        snprintf(out, 48, "%" PRId64, v);
        return;
    }
    sec = v / per;
    n = snprintf(out, 24, "%02d:%02d:%02d", (int)(sec / 3600), (int)(sec / 60 % 60),
                 (int)(sec % 60));
    (void)put_fraction(out + n, v % per, unit, 0);
}

/* Digits of a little-endian two's complement number of w bytes, with its point. */
static void decimal_text(const uint8_t *p, size_t w, int32_t scale, char out[128])
{
    char digits[96];
    uint32_t limb[8];
    const bool negative = (int8_t)p[w - 1] < 0;
    size_t n = 0, k, limbs = w / 4;
    uint64_t carry = negative ? 1 : 0;
    char *o = out;

    for (k = 0; k < limbs; k++) {
        carry += negative ? (uint32_t)~ia_le32(p + 4 * k) : ia_le32(p + 4 * k);
        limb[k] = (uint32_t)carry;
        carry >>= 32;
    }
    while (limbs > 0) {
        uint64_t rest = 0;

        for (k = limbs; k-- > 0;) {
            rest = (rest << 32) | limb[k];
            limb[k] = (uint32_t)(rest / 10);
            rest %= 10;
        }
        digits[n++] = (char)('0' + rest);
        while (limbs > 0 && limb[limbs - 1] == 0)
            limbs--;
    }
    while (scale > 0 && n < (size_t)scale + 1 && n < sizeof digits)
        digits[n++] = '0';
    if (negative)
        *o++ = '-';
    while (n > 0) {
        if (scale > 0 && n == (size_t)scale)
            *o++ = '.';
        *o++ = digits[--n];
    }
    *o = 0;
    if (scale < 0)
        snprintf(o, 16, "e%d", -scale);
}

static void put_base64(ia_ctx *cx, ia_buf *out, ia_view v)
{
    static const char abc[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *p = (const uint8_t *)v.data;
    size_t i;

    for (i = 0; i < v.len; i += 3) {
        const size_t left = v.len - i;
        const uint32_t b1 = left > 1 ? p[i + 1] : 0, b2 = left > 2 ? p[i + 2] : 0;
        const uint32_t x = ((uint32_t)p[i] << 16) | (b1 << 8) | b2;
        char q[4] = {abc[x >> 18], abc[(x >> 12) & 63], abc[(x >> 6) & 63], abc[x & 63]};

        if (left < 3)
            q[3] = '=';
        if (left < 2)
            q[2] = '=';
        ia_buf_put(cx, out, q, 4);
    }
}

/* Text of a non-null scalar; false for lists and structs. Strings and binary go straight to `out`.
 */
static bool scalar_text(ia_ctx *cx, ia_buf *out, const ia_array *a, int64_t i)
{
    const ia_type *t = a->type;
    char text[128] = "";
    ia_view v;

    switch (t->id) {
    case IA_TYPE_NULL:
        return true;
    case IA_TYPE_BOOL:
        snprintf(text, sizeof text, "%s", ia_array_bool(a, i) ? "true" : "false");
        break;
    case IA_TYPE_I8: case IA_TYPE_I16: case IA_TYPE_I32: case IA_TYPE_I64: case IA_TYPE_U8:
    case IA_TYPE_U16: case IA_TYPE_U32: case IA_TYPE_DURATION:
        snprintf(text, sizeof text, "%" PRId64, ia_array_i64(a, i));
        break;
    case IA_TYPE_U64:
        snprintf(text, sizeof text, "%" PRIu64, ia_array_u64(a, i));
        break;
    case IA_TYPE_F16: case IA_TYPE_F32:
        ia_float_format((float)ia_array_f64(a, i), text);
        break;
    case IA_TYPE_F64:
        ia_double_format(ia_array_f64(a, i), text);
        break;
    case IA_TYPE_DATE32:
        ia_date_format((int32_t)ia_array_i64(a, i), text);
        break;
    case IA_TYPE_DATE64:
        datetime_text(ia_array_i64(a, i), IA_UNIT_MS, text);
        break;
    case IA_TYPE_TIMESTAMP:
        datetime_text(ia_array_i64(a, i), t->unit, text);
        break;
    case IA_TYPE_TIME32: case IA_TYPE_TIME64:
        time_text(ia_array_i64(a, i), t->unit, text);
        break;
    case IA_TYPE_DECIMAL128: case IA_TYPE_DECIMAL256:
        decimal_text((const uint8_t *)ia_array_values(a) + (size_t)i * ia_type_width(t),
                     ia_type_width(t), t->scale, text);
        break;
    case IA_TYPE_STRING: case IA_TYPE_LARGE_STRING:
        v = ia_array_str(a, i);
        ia_buf_put(cx, out, v.data, v.len);
        return true;
    case IA_TYPE_BINARY: case IA_TYPE_LARGE_BINARY: case IA_TYPE_FIXED_BINARY:
        put_base64(cx, out, ia_array_str(a, i));
        return true;
    case IA_TYPE_LIST: case IA_TYPE_LARGE_LIST: case IA_TYPE_FIXED_LIST: case IA_TYPE_STRUCT:
    case IA_TYPE_DICTIONARY: case IA_TYPE_MAP:
        return false;
    }
    ia_buf_puts(cx, out, text);
    return true;
}

void ia_value_text(ia_ctx *cx, ia_buf *out, const ia_array *a, int64_t i)
{
    ia_jsonw w;
    ia_bytes json = {0};

    if (!ia_array_resolve(&a, &i) || scalar_text(cx, out, a, i))
        return;
    ia_jsonw_init(&w, cx, 0);
    ia_value_json(cx, &w, a, i, 0);
    if (ia_jsonw_finish(&w, &json) == IA_OK)
        ia_buf_put(cx, out, json.data, json.len);
    else if (out->failed == IA_OK)
        out->failed = cx->err.code;
    ia_bytes_dispose(&json);
    ia_jsonw_dispose(&w);
}

/* Integer milliseconds; false when the value is finer than that. */
static bool json_millis(ia_jsonw *w, int64_t v, ia_time_unit unit)
{
    const int64_t per_ms = unit == IA_UNIT_US ? 1000 : unit == IA_UNIT_NS ? 1000000 : 1;
    int64_t ms;

    if (unit == IA_UNIT_S) {
        if (__builtin_mul_overflow(v, 1000, &ms))
            return false;
    } else {
        if (v % per_ms != 0)
            return false;
        ms = v / per_ms;
    }
    ia_jsonw_i64(w, ms);
    return true;
}

static void json_text(ia_ctx *cx, ia_jsonw *w, const ia_array *a, int64_t i)
{
    ia_buf b = {0};

    scalar_text(cx, &b, a, i);
    if (ia_buf_status(&b) != IA_OK && w->out.failed == IA_OK)
        w->out.failed = b.failed;
    ia_jsonw_strn(w, b.data ? (const char *)b.data : "", b.len);
    ia_buf_dispose(&b);
}

/* [{"key": k, "value": v}, ...] whatever the fields are called; so every key type has a form. */
static void json_map(ia_ctx *cx, ia_jsonw *w, const ia_array *a, int64_t i, uint32_t flags)
{
    const ia_array *entries = a->children[0];
    int64_t start, len, k;

    ia_array_list(a, i, &start, &len);
    ia_jsonw_array(w);
    for (k = start + entries->offset; len > 0; k++, len--) {
        ia_jsonw_object(w);
        ia_jsonw_key(w, "key");
        ia_value_json(cx, w, entries->children[0], k, flags);
        ia_jsonw_key(w, "value");
        ia_value_json(cx, w, entries->children[1], k, flags);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
}

static void json_items(ia_ctx *cx, ia_jsonw *w, const ia_array *a, int64_t i, uint32_t flags)
{
    int64_t start, len, k;

    if (a->type->id == IA_TYPE_MAP) {
        json_map(cx, w, a, i, flags);
        return;
    }
    ia_array_list(a, i, &start, &len);
    ia_jsonw_array(w);
    for (k = 0; k < len; k++)
        ia_value_json(cx, w, a->children[0], start + k, flags);
    ia_jsonw_end_array(w);
}

static void json_struct(ia_ctx *cx, ia_jsonw *w, const ia_array *a, int64_t i, uint32_t flags)
{
    size_t k;

    ia_jsonw_object(w);
    for (k = 0; k < a->n_children; k++) {
        ia_jsonw_key(w, a->type->children[k].name);
        ia_value_json(cx, w, a->children[k], a->offset + i, flags);
    }
    ia_jsonw_end_object(w);
}

void ia_value_json(ia_ctx *cx, ia_jsonw *w, const ia_array *a, int64_t i, uint32_t flags)
{
    const bool export_form = (flags & IA_RENDER_EXPORT) != 0;
    ia_view v;

    if (!ia_array_resolve(&a, &i)) {
        ia_jsonw_null(w);
        return;
    }
    switch (a->type->id) {
    case IA_TYPE_NULL:
        ia_jsonw_null(w);
        return;
    case IA_TYPE_BOOL:
        ia_jsonw_bool(w, ia_array_bool(a, i));
        return;
    case IA_TYPE_I8: case IA_TYPE_I16: case IA_TYPE_I32: case IA_TYPE_I64: case IA_TYPE_U8:
    case IA_TYPE_U16: case IA_TYPE_U32: case IA_TYPE_DURATION:
        ia_jsonw_i64(w, ia_array_i64(a, i));
        return;
    case IA_TYPE_U64:
        ia_jsonw_u64(w, ia_array_u64(a, i));
        return;
    case IA_TYPE_F16: case IA_TYPE_F32:
        ia_jsonw_f32(w, (float)ia_array_f64(a, i));
        return;
    case IA_TYPE_F64:
        ia_jsonw_f64(w, ia_array_f64(a, i));
        return;
    case IA_TYPE_DATE32:
        if (export_form)
            ia_jsonw_i64(w, ia_array_i64(a, i));
        else
            json_text(cx, w, a, i);
        return;
    case IA_TYPE_DATE64: case IA_TYPE_TIMESTAMP:
        if (!export_form ||
            !json_millis(w, ia_array_i64(a, i),
                         a->type->id == IA_TYPE_DATE64 ? IA_UNIT_MS : a->type->unit))
            json_text(cx, w, a, i);
        return;
    case IA_TYPE_STRING: case IA_TYPE_LARGE_STRING:
        v = ia_array_str(a, i);
        ia_jsonw_strn(w, v.data, v.len);
        return;
    case IA_TYPE_TIME32: case IA_TYPE_TIME64: case IA_TYPE_DECIMAL128: case IA_TYPE_DECIMAL256:
    case IA_TYPE_BINARY: case IA_TYPE_LARGE_BINARY: case IA_TYPE_FIXED_BINARY:
        json_text(cx, w, a, i);
        return;
    case IA_TYPE_LIST: case IA_TYPE_LARGE_LIST: case IA_TYPE_FIXED_LIST: case IA_TYPE_MAP:
        json_items(cx, w, a, i, flags);
        return;
    case IA_TYPE_STRUCT: case IA_TYPE_DICTIONARY:
        json_struct(cx, w, a, i, flags);
        return;
    }
}

ia_status ia_row_json(ia_ctx *cx, const ia_batch *b, int64_t row, char **out)
{
    ia_jsonw w;
    ia_bytes bytes = {0};
    ia_status st;

    *out = NULL;
    ia_jsonw_init(&w, cx, 0);
    ia_jsonw_object(&w);
    for (size_t k = 0; k < b->schema->n_fields; k++) {
        ia_jsonw_key(&w, b->schema->fields[k].name);
        ia_value_json(cx, &w, b->cols[k], row, 0);
    }
    ia_jsonw_end_object(&w);
    IA_GO(ia_jsonw_finish(&w, &bytes));
    IA_GO(IA_SET(cx, *out, ia_strndup(cx, (const char *)bytes.data, bytes.len)));
done:
    ia_bytes_dispose(&bytes);
    ia_jsonw_dispose(&w);
    return st;
}
