/* text_value.c - single values from text: the inverse of ia_value_text. */
#include <math.h>

#include "arrow/text_priv.h"
#include "base/ids.h"

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* An integer that takes all of v: magnitude and sign. */
static bool parse_int(ia_view v, uint64_t *mag, bool *negative)
{
    size_t i = 0;

    *negative = v.len > 0 && v.data[0] == '-';
    if (v.len > 0 && (v.data[0] == '-' || v.data[0] == '+'))
        i = 1;
    if (i == v.len)
        return false;
    for (*mag = 0; i < v.len; i++)
        if (!digit(v.data[i]) || __builtin_mul_overflow(*mag, 10u, mag) ||
            __builtin_add_overflow(*mag, (uint64_t)(v.data[i] - '0'), mag))
            return false;
    return true;
}

static bool append_int(ia_ctx *cx, ia_builder *b, ia_view v)
{
    const uint32_t bits = ia_type_bits(b->type);
    const bool is_unsigned = b->type->id >= IA_TYPE_U8 && b->type->id <= IA_TYPE_U64;
    uint64_t mag, most;
    bool negative;

    if (!parse_int(v, &mag, &negative))
        return false;
    most = is_unsigned ? UINT64_MAX >> (64 - bits) : UINT64_MAX >> (65 - bits);
    if (negative && is_unsigned ? mag != 0 : mag > most + (negative ? 1 : 0))
        return false;
    ia_builder_u64(cx, b, negative ? 0 - mag : mag);
    return true;
}

static bool append_float(ia_ctx *cx, ia_builder *b, ia_view v)
{
    double d;

    if (ia_view_eq_str(v, "NaN") || ia_view_eq_str(v, "nan"))
        d = (double)NAN;
    else if (ia_view_eq_str(v, "Infinity") || ia_view_eq_str(v, "inf"))
        d = (double)INFINITY;
    else if (ia_view_eq_str(v, "-Infinity") || ia_view_eq_str(v, "-inf"))
        d = -(double)INFINITY;
    else if (!ia_double_parse(v.data, v.len, &d) || !isfinite(d) ||
             (b->type->id == IA_TYPE_F32 && !isfinite((float)d)) ||
             (b->type->id == IA_TYPE_F16 && fabs(d) >= 65520.0))
        return false;
    ia_builder_f64(cx, b, d);
    return true;
}

static bool append_bool(ia_ctx *cx, ia_builder *b, ia_view v)
{
    const bool yes = v.len == 4, no = v.len == 5;
    char text[6] = "";

    if (!yes && !no)
        return false;
    memcpy(text, v.data, v.len);
    if (!ia_str_eq_nocase(text, yes ? "true" : "false"))
        return false;
    ia_builder_bool(cx, b, yes);
    return true;
}

/* ".123" at v[i]: nanoseconds and the place behind; false for more than nine digits. */
static bool parse_fraction(ia_view v, size_t *i, int64_t *ns)
{
    int64_t unit = 1000000000;

    *ns = 0;
    if (*i >= v.len || v.data[*i] != '.')
        return true;
    for (++*i; *i < v.len && digit(v.data[*i]); ++*i) {
        unit /= 10;
        if (unit == 0)
            return false;
        *ns += (v.data[*i] - '0') * unit;
    }
    return unit < 1000000000;
}

/* Seconds and nanoseconds on the scale of a unit; false when finer or too large. */
static bool in_unit(int64_t sec, int64_t ns, ia_time_unit unit, int64_t *out)
{
    static const int64_t per[] = {1, 1000, 1000000, 1000000000};
    const int64_t step = 1000000000 / per[unit];

    return ns % step == 0 && !__builtin_mul_overflow(sec, per[unit], out) &&
           !__builtin_add_overflow(*out, ns / step, out);
}

bool ia_text_instant(ia_view v, ia_time_unit unit, int64_t *out)
{
    const char *dot = memchr(v.data, '.', v.len);
    size_t at = dot ? (size_t)(dot - v.data) : v.len, end = at;
    int64_t ms, ns;
    char text[48];

    if (v.len > 60 || !parse_fraction(v, &end, &ns) || at + (v.len - end) >= sizeof text)
        return false;
    memcpy(text, v.data, at);
    memcpy(text + at, v.data + end, v.len - end);
    if (at > 10 && text[10] == ' ')
        text[10] = 'T';
    if (!ia_datetime_parse(text, at + (v.len - end), &ms) || ms % 1000 != 0)
        return false;
    return in_unit(ms / 1000, ns, unit, out);
}

static bool parse_time(ia_view v, ia_time_unit unit, int64_t *out)
{
    const char *p = v.data;
    size_t end = 8;
    int64_t h, m, s, ns;

    if (v.len < 8 || p[2] != ':' || p[5] != ':' || !digit(p[0]) || !digit(p[1]) || !digit(p[3]) ||
        !digit(p[4]) || !digit(p[6]) || !digit(p[7]))
        return false;
    h = (p[0] - '0') * 10 + p[1] - '0';
    m = (p[3] - '0') * 10 + p[4] - '0';
    s = (p[6] - '0') * 10 + p[7] - '0';
    if (h > 23 || m > 59 || s > 59 || !parse_fraction(v, &end, &ns) || end != v.len)
        return false;
    return in_unit(h * 3600 + m * 60 + s, ns, unit, out);
}

static bool append_temporal(ia_ctx *cx, ia_builder *b, ia_view v)
{
    const ia_type_id id = b->type->id;
    int64_t x = 0;
    int32_t days;
    bool ok;

    if (id == IA_TYPE_DATE32) {
        ok = ia_date_parse(v.data, v.len, &days);
        x = days;
    } else if (id == IA_TYPE_TIME32 || id == IA_TYPE_TIME64) {
        ok = parse_time(v, b->type->unit, &x);
    } else {
        ok = ia_text_instant(v, id == IA_TYPE_DATE64 ? IA_UNIT_MS : b->type->unit, &x);
    }
    if (!ok)
        return append_int(cx, b, v);
    ia_builder_i64(cx, b, x);
    return true;
}

/* limb = limb * 10 + d over 256 bits; false on overflow into the sign. */
static bool times_ten(uint32_t limb[8], unsigned d)
{
    uint64_t carry = d;

    for (int k = 0; k < 8; k++) {
        carry += (uint64_t)limb[k] * 10;
        limb[k] = (uint32_t)carry;
        carry >>= 32;
    }
    return carry == 0 && limb[7] < 0x80000000u;
}

static void negate(uint32_t limb[8])
{
    uint64_t carry = 1;

    for (int k = 0; k < 8; k++) {
        carry += (uint32_t)~limb[k];
        limb[k] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* "e" and a number at v[i], all of it. */
static bool parse_exponent(ia_view v, size_t i, int32_t *out)
{
    const ia_view rest = {v.data + i + 1, v.len - i - 1};
    uint64_t mag;
    bool negative;

    if ((v.data[i] != 'e' && v.data[i] != 'E') || !parse_int(rest, &mag, &negative) || mag > 1000)
        return false;
    *out = negative ? -(int32_t)mag : (int32_t)mag;
    return true;
}

/* Digits past the scale must be zeros; the precision bounds the digits. */
static bool append_decimal(ia_ctx *cx, ia_builder *b, ia_view v)
{
    const bool negative = v.len > 0 && v.data[0] == '-';
    size_t i = v.len > 0 && (v.data[0] == '-' || v.data[0] == '+') ? 1 : 0, k, end;
    int32_t after = 0, exponent = 0, left, figures = 0;
    bool any = false, point = false;
    uint32_t limb[8] = {0};

    for (end = i; end < v.len && (digit(v.data[end]) || (v.data[end] == '.' && !point)); end++) {
        point = point || v.data[end] == '.';
        any = any || digit(v.data[end]);
    }
    if (!any || v.len > 400 || (end < v.len && !parse_exponent(v, end, &exponent)))
        return false;
    for (k = i; k < end; k++)
        after += point && v.data[k] != '.' && memchr(v.data + i, '.', k - i) ? 1 : 0;
    left = b->type->scale + exponent - after; /* tens to append, or digits to drop */
    for (k = i; k < end; k++) {
        const size_t rest = end - k - (memchr(v.data + k, '.', end - k) ? 1 : 0);

        if (v.data[k] == '.')
            continue;
        if (left < 0 && rest <= (size_t)-left) {
            if (v.data[k] != '0')
                return false;
            continue;
        }
        figures += figures > 0 || v.data[k] != '0';
        if (figures > b->type->precision || !times_ten(limb, (unsigned)(v.data[k] - '0')))
            return false;
    }
    for (; left > 0 && figures > 0; left--)
        if (++figures > b->type->precision || !times_ten(limb, 0))
            return false;
    if (negative)
        negate(limb);
    ia_builder_fixed(cx, b, limb, 1);
    return true;
}

static int sextet(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (digit(c))
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool append_base64(ia_ctx *cx, ia_builder *b, ia_view v)
{
    size_t n = v.len, i;
    uint32_t bits = 0;
    ia_buf out = {0};
    bool ok = v.len % 4 == 0;

    while (n > 0 && v.len - n < 2 && v.data[n - 1] == '=')
        n--;
    for (i = 0; ok && i < n; i++) {
        const int s = sextet(v.data[i]);

        ok = s >= 0;
        bits = (bits << 6) | (uint32_t)(s & 63);
        if (i % 4 != 0)
            ia_buf_putc(cx, &out, (char)(uint8_t)(bits >> (6 - 2 * (i % 4))));
    }
    ok = ok && (b->type->id != IA_TYPE_FIXED_BINARY || out.len == (size_t)b->type->size);
    if (ok && out.failed == IA_OK)
        ia_builder_str(cx, b, out.data ? (const char *)out.data : "", out.len);
    else if (ok)
        b->failed = out.failed;
    ia_buf_dispose(&out);
    return ok;
}

bool ia_text_append(ia_ctx *cx, ia_builder *b, ia_view v)
{
    const ia_type_id id = b->type->id;
    size_t at;

    if (id == IA_TYPE_STRING || id == IA_TYPE_LARGE_STRING) {
        if (!ia_utf8_valid(v.data, v.len, &at))
            return false;
        ia_builder_str(cx, b, v.data, v.len);
        return true;
    }
    if (id == IA_TYPE_BINARY || id == IA_TYPE_LARGE_BINARY || id == IA_TYPE_FIXED_BINARY)
        return append_base64(cx, b, v);
    if (ia_type_is_int(b->type) || id == IA_TYPE_DURATION)
        return append_int(cx, b, v);
    if (ia_type_is_float(b->type))
        return append_float(cx, b, v);
    if (id == IA_TYPE_BOOL)
        return append_bool(cx, b, v);
    if (id >= IA_TYPE_DATE32 && id <= IA_TYPE_TIMESTAMP)
        return append_temporal(cx, b, v);
    if (id == IA_TYPE_DECIMAL128 || id == IA_TYPE_DECIMAL256)
        return append_decimal(cx, b, v);
    return false;
}
