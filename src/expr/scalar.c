/* scalar.c - one typed value: made from an element, compared, hashed, written as text. */
#include "expr/scalar.h"

#include <inttypes.h>
#include <math.h>

#include "base/ids.h"
#include "base/map.h"
#include "expr/expr_priv.h"

/* ---- making -------------------------------------------------------------------------------- */

static ia_scalar of_type(ia_type_id id)
{
    ia_scalar s = {.type = ia_type_basic(id)};

    return s;
}

ia_scalar ia_scalar_null(void)
{
    ia_scalar s = of_type(IA_TYPE_NULL);

    s.null = true;
    return s;
}

ia_scalar ia_scalar_i64(int64_t v)
{
    ia_scalar s = of_type(IA_TYPE_I64);

    s.v.i64 = v;
    return s;
}

ia_scalar ia_scalar_u64(uint64_t v)
{
    ia_scalar s = of_type(IA_TYPE_U64);

    s.v.u64 = v;
    return s;
}

ia_scalar ia_scalar_f64(double v)
{
    ia_scalar s = of_type(IA_TYPE_F64);

    s.v.f64 = v;
    return s;
}

ia_scalar ia_scalar_bool(bool v)
{
    ia_scalar s = of_type(IA_TYPE_BOOL);

    s.v.b = v;
    return s;
}

ia_scalar ia_scalar_str(const char *p, size_t n)
{
    ia_scalar s = of_type(IA_TYPE_STRING);

    s.str.data = p;
    s.str.len = n;
    return s;
}

ia_scalar ia_scalar_date32(int32_t days)
{
    ia_scalar s = of_type(IA_TYPE_DATE32);

    s.v.i64 = days;
    return s;
}

ia_scalar ia_scalar_timestamp(int64_t v, ia_time_unit unit)
{
    ia_scalar s = {.type = ia_type_time_basic(IA_TYPE_TIMESTAMP, unit)};

    s.v.i64 = v;
    return s;
}

const ia_type *ia_scalar_type(const ia_type *t)
{
    while (t->id == IA_TYPE_DICTIONARY)
        t = t->children[1].type;
    switch (t->id) {
    case IA_TYPE_LARGE_STRING:
        return ia_type_basic(IA_TYPE_STRING);
    case IA_TYPE_LARGE_BINARY: case IA_TYPE_FIXED_BINARY:
        return ia_type_basic(IA_TYPE_BINARY);
    case IA_TYPE_TIME32: case IA_TYPE_TIME64: case IA_TYPE_TIMESTAMP: case IA_TYPE_DURATION:
        return ia_type_time_basic(t->id, t->unit);
    case IA_TYPE_DECIMAL128: case IA_TYPE_DECIMAL256: case IA_TYPE_LIST: case IA_TYPE_LARGE_LIST:
    case IA_TYPE_FIXED_LIST: case IA_TYPE_STRUCT: case IA_TYPE_DICTIONARY: case IA_TYPE_MAP:
        return NULL;
    case IA_TYPE_NULL: case IA_TYPE_BOOL: case IA_TYPE_I8: case IA_TYPE_I16: case IA_TYPE_I32:
    case IA_TYPE_I64: case IA_TYPE_U8: case IA_TYPE_U16: case IA_TYPE_U32: case IA_TYPE_U64:
    case IA_TYPE_F16: case IA_TYPE_F32: case IA_TYPE_F64: case IA_TYPE_STRING: case IA_TYPE_BINARY:
    case IA_TYPE_DATE32: case IA_TYPE_DATE64:
        return t;
    }
    return NULL;
}

ia_scalar_kind ia_scalar_kind_of(const ia_type *t)
{
    if (!t || t->id == IA_TYPE_NULL)
        return IA_KIND_NULL;
    if (t->id == IA_TYPE_BOOL)
        return IA_KIND_BOOL;
    if (t->id >= IA_TYPE_I8 && t->id <= IA_TYPE_I64)
        return IA_KIND_SIGNED;
    if (t->id >= IA_TYPE_U8 && t->id <= IA_TYPE_U64)
        return IA_KIND_UNSIGNED;
    if (ia_type_is_float(t))
        return IA_KIND_FLOAT;
    if (t->id == IA_TYPE_STRING)
        return IA_KIND_STRING;
    if (t->id == IA_TYPE_BINARY)
        return IA_KIND_BINARY;
    if (t->id == IA_TYPE_DATE32 || t->id == IA_TYPE_DATE64 || t->id == IA_TYPE_TIMESTAMP)
        return IA_KIND_INSTANT;
    return t->id == IA_TYPE_DURATION ? IA_KIND_DURATION : IA_KIND_TIME;
}

int64_t ia_scalar_tick(const ia_type *t)
{
    static const int64_t ns[] = {1000000000, 1000000, 1000, 1};

    if (t->id == IA_TYPE_DATE32)
        return 86400 * ns[IA_UNIT_S];
    return t->id == IA_TYPE_DATE64 ? ns[IA_UNIT_MS] : ns[t->unit];
}

ia_status ia_scalar_get(ia_ctx *cx, const ia_array *a, int64_t i, ia_scalar *out)
{
    const ia_type *t = ia_scalar_type(a->type);
    char text[96];

    *out = ia_scalar_null();
    if (!t)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "a value of type %s cannot be compared",
                       ia_type_text(a->type, text, sizeof text));
    out->type = t;
    while (a->type->id == IA_TYPE_DICTIONARY && ia_array_valid(a, i)) {
        ia_array index = *a; /* a shallow view that is not counted */

        index.type = a->type->children[0].type;
        i = ia_array_i64(&index, i);
        a = a->children[0];
    }
    if (!ia_array_valid(a, i))
        return IA_OK;
    out->null = false;
    switch (ia_scalar_kind_of(t)) {
    case IA_KIND_NULL:
        out->null = true;
        break;
    case IA_KIND_BOOL:
        out->v.b = ia_array_bool(a, i);
        break;
    case IA_KIND_UNSIGNED:
        out->v.u64 = ia_array_u64(a, i);
        break;
    case IA_KIND_FLOAT:
        out->v.f64 = ia_array_f64(a, i);
        break;
    case IA_KIND_STRING: case IA_KIND_BINARY:
        out->str = ia_array_str(a, i);
        break;
    case IA_KIND_SIGNED: case IA_KIND_INSTANT: case IA_KIND_TIME: case IA_KIND_DURATION:
        out->v.i64 = ia_array_i64(a, i);
        break;
    }
    return IA_OK;
}

ia_status ia_scalar_copy(ia_ctx *cx, ia_arena *arena, const ia_scalar *s, ia_scalar *out)
{
    *out = *s;
    if (ia_scalar_is_null(s) || !s->str.data)
        return IA_OK;
    return IA_SET(cx, out->str.data, ia_arena_strndup(cx, arena, s->str.data, s->str.len));
}

/* ---- comparing ----------------------------------------------------------------------------- */

static bool is_number(ia_scalar_kind k)
{
    return k == IA_KIND_SIGNED || k == IA_KIND_UNSIGNED || k == IA_KIND_FLOAT;
}

bool ia_scalar_comparable(const ia_type *a, const ia_type *b)
{
    const ia_type *x = ia_scalar_type(a), *y = ia_scalar_type(b);
    ia_scalar_kind j, k;

    if (!x || !y)
        return false;
    j = ia_scalar_kind_of(x);
    k = ia_scalar_kind_of(y);
    return j == k || j == IA_KIND_NULL || k == IA_KIND_NULL || (is_number(j) && is_number(k));
}

static int sign_of(bool less, bool more)
{
    return more - less;
}

/* An integer of 65 bits against a double, without rounding either. */
static int cmp_int_f64(__int128 x, double d)
{
    __int128 whole;

    if (d != d)
        return IA_UNORDERED;
    if (d >= 0x1p64)
        return -1;
    if (d < -0x1p63)
        return 1;
    whole = (__int128)d; /* truncates towards zero, exactly */
    if (x != whole)
        return x < whole ? -1 : 1;
    return sign_of(d > (double)whole, d < (double)whole);
}

static __int128 int_of(const ia_scalar *s, ia_scalar_kind k)
{
    return k == IA_KIND_UNSIGNED ? (__int128)s->v.u64 : (__int128)s->v.i64;
}

static int cmp_numbers(const ia_scalar *a, ia_scalar_kind j, const ia_scalar *b, ia_scalar_kind k)
{
    int c;

    if (j == IA_KIND_FLOAT && k == IA_KIND_FLOAT) {
        if (a->v.f64 != a->v.f64 || b->v.f64 != b->v.f64)
            return IA_UNORDERED;
        return sign_of(a->v.f64 < b->v.f64, a->v.f64 > b->v.f64);
    }
    if (k == IA_KIND_FLOAT)
        return cmp_int_f64(int_of(a, j), b->v.f64);
    if (j == IA_KIND_FLOAT) {
        c = cmp_int_f64(int_of(b, k), a->v.f64);
        return c == IA_UNORDERED ? c : -c;
    }
    return sign_of(int_of(a, j) < int_of(b, k), int_of(a, j) > int_of(b, k));
}

int ia_scalar_cmp(const ia_scalar *a, const ia_scalar *b)
{
    const ia_scalar_kind j = ia_scalar_kind_of(a->type), k = ia_scalar_kind_of(b->type);
    __int128 x, y;
    int c;

    if (is_number(j) && is_number(k))
        return cmp_numbers(a, j, b, k);
    if (j != k)
        return IA_UNORDERED;
    switch (j) {
    case IA_KIND_NULL:
        return 0;
    case IA_KIND_BOOL:
        return a->v.b - b->v.b;
    case IA_KIND_STRING: case IA_KIND_BINARY:
        c = ia_view_cmp(a->str, b->str);
        return sign_of(c < 0, c > 0);
    case IA_KIND_INSTANT: case IA_KIND_TIME: case IA_KIND_DURATION:
        x = (__int128)a->v.i64 * ia_scalar_tick(a->type);
        y = (__int128)b->v.i64 * ia_scalar_tick(b->type);
        return sign_of(x < y, x > y);
    case IA_KIND_SIGNED: case IA_KIND_UNSIGNED: case IA_KIND_FLOAT:
        break;
    }
    return IA_UNORDERED;
}

/* Kinds that compare with each other share a place. */
static int place_of(const ia_scalar *s)
{
    const ia_scalar_kind k = ia_scalar_kind_of(s->type);

    if (ia_scalar_is_null(s))
        return -1;
    return is_number(k) ? (int)IA_KIND_SIGNED : (int)k;
}

static bool is_nan(const ia_scalar *s)
{
    return ia_scalar_kind_of(s->type) == IA_KIND_FLOAT && s->v.f64 != s->v.f64;
}

int ia_scalar_order(const ia_scalar *a, const ia_scalar *b)
{
    const int p = place_of(a), q = place_of(b);
    int c;

    if (p != q)
        return p < q ? -1 : 1;
    if (p < 0)
        return 0;
    c = ia_scalar_cmp(a, b);
    return c == IA_UNORDERED ? is_nan(a) - is_nan(b) : c;
}

/* ---- hash ---------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t seed, uint64_t tag, uint64_t h)
{
    return ia_hash_u64(seed ^ ia_hash_u64(tag + ia_hash_u64(h)));
}

static uint64_t hash_int(uint64_t seed, __int128 v)
{
    return mix(seed, v < 0 ? 2 : 1, (uint64_t)v);
}

uint64_t ia_scalar_hash(const ia_scalar *s, uint64_t seed)
{
    const ia_scalar_kind k = ia_scalar_kind_of(s->type);
    uint64_t bits;
    __int128 ns;

    if (ia_scalar_is_null(s))
        return mix(seed, 0, 0);
    switch (k) {
    case IA_KIND_NULL:
        return mix(seed, 0, 0);
    case IA_KIND_BOOL:
        return mix(seed, 3, s->v.b);
    case IA_KIND_SIGNED: case IA_KIND_UNSIGNED:
        return hash_int(seed, int_of(s, k));
    case IA_KIND_FLOAT:
        if (is_nan(s))
            return mix(seed, 4, 0);
        if (s->v.f64 >= -0x1p63 && s->v.f64 < 0x1p64 && s->v.f64 == trunc(s->v.f64))
            return hash_int(seed, (__int128)s->v.f64);
        memcpy(&bits, &s->v.f64, sizeof bits);
        return mix(seed, 5, bits);
    case IA_KIND_STRING: case IA_KIND_BINARY:
        return mix(seed, 6, ia_hash_bytes(s->str.data, s->str.len));
    case IA_KIND_INSTANT: case IA_KIND_TIME: case IA_KIND_DURATION:
        ns = (__int128)s->v.i64 * ia_scalar_tick(s->type);
        return mix(mix(seed, 7 + (uint64_t)k, (uint64_t)ns), 0, (uint64_t)(ns >> 64));
    }
    return seed;
}

/* ---- text ---------------------------------------------------------------------------------- */

static void put_quoted(ia_ctx *cx, ia_buf *out, ia_view v)
{
    size_t i;

    ia_buf_putc(cx, out, '\'');
    for (i = 0; i < v.len; i++) {
        if (v.data[i] == '\'')
            ia_buf_putc(cx, out, '\'');
        ia_buf_putc(cx, out, v.data[i]);
    }
    ia_buf_putc(cx, out, '\'');
}

static void put_hex(ia_ctx *cx, ia_buf *out, ia_view v)
{
    size_t i;

    ia_buf_puts(cx, out, "x'");
    for (i = 0; i < v.len; i++)
        ia_buf_printf(cx, out, "%02x", (unsigned)(uint8_t)v.data[i]);
    ia_buf_putc(cx, out, '\'');
}

/* Through a one-element array, so that there is one rule for the text of dates and times. */
static void put_temporal(ia_ctx *cx, ia_buf *out, const ia_scalar *s)
{
    const int32_t narrow = (int32_t)s->v.i64;
    const bool wide = ia_type_bits(s->type) == 64;
    ia_buffer raw = {.refs = -1, .data = wide ? (const void *)&s->v.i64 : (const void *)&narrow,
                     .size = wide ? 8 : 4};
    ia_array one = {.refs = 1, .type = (ia_type *)(uintptr_t)s->type, .length = 1,
                    .bufs = {NULL, &raw, NULL}};

    ia_value_text(cx, out, &one, 0);
}

void ia_scalar_text(ia_ctx *cx, ia_buf *out, const ia_scalar *s)
{
    char text[32];

    if (ia_scalar_is_null(s)) {
        ia_buf_puts(cx, out, "null");
        return;
    }
    switch (ia_scalar_kind_of(s->type)) {
    case IA_KIND_NULL:
        ia_buf_puts(cx, out, "null");
        break;
    case IA_KIND_BOOL:
        ia_buf_puts(cx, out, s->v.b ? "true" : "false");
        break;
    case IA_KIND_SIGNED:
        ia_buf_printf(cx, out, "%" PRId64, s->v.i64);
        break;
    case IA_KIND_UNSIGNED:
        ia_buf_printf(cx, out, "%" PRIu64, s->v.u64);
        break;
    case IA_KIND_FLOAT:
        ia_double_format(s->v.f64, text);
        ia_buf_puts(cx, out, text);
        break;
    case IA_KIND_STRING:
        put_quoted(cx, out, s->str);
        break;
    case IA_KIND_BINARY:
        put_hex(cx, out, s->str);
        break;
    case IA_KIND_INSTANT: case IA_KIND_TIME:
        ia_buf_puts(cx, out, s->type->id == IA_TYPE_DATE32 ? "date '"
                             : s->type->id == IA_TYPE_TIME32 || s->type->id == IA_TYPE_TIME64
                                 ? "time '" : "timestamp '");
        put_temporal(cx, out, s);
        ia_buf_putc(cx, out, '\'');
        break;
    case IA_KIND_DURATION:
        ia_buf_printf(cx, out, "%" PRId64, s->v.i64);
        break;
    }
}
