/* json_rows.c - JSON values and JSON lines into typed columns. */
#include "arrow/json_rows.h"

#include <math.h>

#include "base/ids.h"

#define ROWS_A_BATCH 8192

static const char *kind_name(const ia_json *v)
{
    switch (ia_json_type(v)) {
    case IA_JSON_NULL:
        return "null";
    case IA_JSON_FALSE:
    case IA_JSON_TRUE:
        return "a boolean";
    case IA_JSON_INT:
        return "an integer";
    case IA_JSON_REAL:
        return "a number with a fraction";
    case IA_JSON_STRING:
        return "a string";
    case IA_JSON_ARRAY:
        return "an array";
    case IA_JSON_OBJECT:
        return "an object";
    }
    return "something";
}

static ia_status mismatch(ia_ctx *cx, const ia_type *t, const ia_json *v, const char *what)
{
    char text[128];

    return ia_fail(cx, IA_ERR_INVALID, "%s expects %s, got %s", what,
                   ia_type_text(t, text, sizeof text), kind_name(v));
}

/* Bounds of the signed types up to 64 bits. */
static bool fits_signed(ia_type_id id, int64_t v)
{
    switch (id) {
    case IA_TYPE_I8:
        return v >= INT8_MIN && v <= INT8_MAX;
    case IA_TYPE_I16:
        return v >= INT16_MIN && v <= INT16_MAX;
    case IA_TYPE_I32:
    case IA_TYPE_DATE32:
    case IA_TYPE_TIME32:
        return v >= INT32_MIN && v <= INT32_MAX;
    default:
        return true;
    }
}

static bool fits_unsigned(ia_type_id id, uint64_t v)
{
    switch (id) {
    case IA_TYPE_U8:
        return v <= UINT8_MAX;
    case IA_TYPE_U16:
        return v <= UINT16_MAX;
    case IA_TYPE_U32:
        return v <= UINT32_MAX;
    default:
        return true;
    }
}

static ia_status put_int(ia_ctx *cx, ia_builder *b, const ia_json *v, const char *what)
{
    const ia_type_id id = b->type->id;
    char text[128];
    uint64_t u;
    int64_t i;

    if (id >= IA_TYPE_U8 && id <= IA_TYPE_U64) {
        if (ia_json_u64(v, &u) && fits_unsigned(id, u)) {
            ia_builder_u64(cx, b, u);
            return IA_OK;
        }
    } else if (ia_json_i64(v, &i) && fits_signed(id, i)) {
        ia_builder_i64(cx, b, i);
        return IA_OK;
    }
    if (ia_json_i64(v, &i) || ia_json_u64(v, &u) || ia_json_type(v) == IA_JSON_INT)
        return ia_fail(cx, IA_ERR_INVALID, "%s: the integer is out of the range of %s", what,
                       ia_type_text(b->type, text, sizeof text));
    return mismatch(cx, b->type, v, what);
}

static ia_status put_float(ia_ctx *cx, ia_builder *b, const ia_json *v, const char *what)
{
    double d;

    if (!ia_json_f64(v, &d))
        return mismatch(cx, b->type, v, what);
    if (!isfinite(d) || (b->type->id == IA_TYPE_F32 && !isfinite((float)d)))
        return ia_fail(cx, IA_ERR_INVALID, "%s: the number is out of the range of %s", what,
                       b->type->id == IA_TYPE_F32 ? "float" : "double");
    ia_builder_f64(cx, b, d);
    return IA_OK;
}

static ia_status put_date(ia_ctx *cx, ia_builder *b, const ia_json *v, const char *what)
{
    size_t n;
    const char *s = ia_json_str(v, &n);
    int32_t days;

    if (!s)
        return put_int(cx, b, v, what);
    if (!ia_date_parse(s, n, &days))
        return ia_fail(cx, IA_ERR_INVALID, "%s: '%.*s' is not a date (YYYY-MM-DD)", what,
                       (int)(n > 60 ? 60 : n), s);
    ia_builder_i64(cx, b, days);
    return IA_OK;
}

/* Milliseconds in the unit of a timestamp type; DATE64 is in milliseconds itself. */
static bool from_ms(const ia_type *t, int64_t ms, int64_t *out)
{
    if (t->id == IA_TYPE_DATE64 || t->unit == IA_UNIT_MS) {
        *out = ms;
        return true;
    }
    if (t->unit == IA_UNIT_S) {
        *out = ms / 1000;
        return ms % 1000 == 0;
    }
    return !__builtin_mul_overflow(ms, t->unit == IA_UNIT_US ? 1000 : 1000000, out);
}

static ia_status put_instant(ia_ctx *cx, ia_builder *b, const ia_json *v, const char *what)
{
    size_t n;
    const char *s = ia_json_str(v, &n);
    int64_t ms, value;

    if (!s)
        return put_int(cx, b, v, what);
    if (!ia_datetime_parse(s, n, &ms))
        return ia_fail(cx, IA_ERR_INVALID,
                       "%s: '%.*s' is not a date and time (2026-01-31T12:00:00Z)", what,
                       (int)(n > 60 ? 60 : n), s);
    if (!from_ms(b->type, ms, &value))
        return ia_fail(cx, IA_ERR_INVALID, "%s: '%.*s' does not fit the column's unit", what,
                       (int)(n > 60 ? 60 : n), s);
    ia_builder_i64(cx, b, value);
    return IA_OK;
}

static ia_status put_list(ia_ctx *cx, ia_builder *b, const ia_json *v, const char *what)
{
    const size_t n = ia_json_len(v);

    if (ia_json_type(v) != IA_JSON_ARRAY)
        return mismatch(cx, b->type, v, what);
    if (b->type->id == IA_TYPE_FIXED_LIST && n != (size_t)b->type->size)
        return ia_fail(cx, IA_ERR_INVALID, "%s expects %d values, got %zu", what, b->type->size, n);
    for (size_t i = 0; i < n; i++) {
        if (ia_json_type(ia_json_at(v, i)) == IA_JSON_NULL)
            return ia_fail(cx, IA_ERR_INVALID, "%s: item %zu is null; a list holds no nulls", what,
                           i + 1);
        IA_TRY(ia_json_append(cx, &b->children[0], ia_json_at(v, i), false, what));
    }
    ia_builder_end_list(cx, b);
    return IA_OK;
}

static ia_status put_bool(ia_ctx *cx, ia_builder *b, const ia_json *v, const char *what)
{
    bool flag;

    if (!ia_json_bool(v, &flag))
        return mismatch(cx, b->type, v, what);
    ia_builder_bool(cx, b, flag);
    return IA_OK;
}

static ia_status put_string(ia_ctx *cx, ia_builder *b, const ia_json *v, const char *what)
{
    size_t n;
    const char *s = ia_json_str(v, &n);

    if (!s)
        return mismatch(cx, b->type, v, what);
    ia_builder_str(cx, b, s, n);
    return IA_OK;
}

static ia_status put_value(ia_ctx *cx, ia_builder *b, const ia_json *v, const char *what)
{
    const ia_type_id id = b->type->id;
    char text[128];

    if (ia_type_is_int(b->type))
        return put_int(cx, b, v, what);
    if (id == IA_TYPE_F32 || id == IA_TYPE_F64)
        return put_float(cx, b, v, what);
    if (id == IA_TYPE_BOOL)
        return put_bool(cx, b, v, what);
    if (id == IA_TYPE_STRING || id == IA_TYPE_LARGE_STRING)
        return put_string(cx, b, v, what);
    if (id == IA_TYPE_DATE32)
        return put_date(cx, b, v, what);
    if (id == IA_TYPE_DATE64 || id == IA_TYPE_TIMESTAMP)
        return put_instant(cx, b, v, what);
    if (id == IA_TYPE_LIST || id == IA_TYPE_LARGE_LIST || id == IA_TYPE_FIXED_LIST)
        return put_list(cx, b, v, what);
    return ia_fail(cx, IA_ERR_UNSUPPORTED, "%s: columns of type %s cannot be written from JSON",
                   what, ia_type_text(b->type, text, sizeof text));
}

ia_status ia_json_append(ia_ctx *cx, ia_builder *b, const ia_json *v, bool nullable,
                         const char *what)
{
    if (ia_json_type(v) != IA_JSON_NULL)
        return put_value(cx, b, v, what);
    if (!nullable)
        return ia_fail(cx, IA_ERR_INVALID, "non-nullable property '%s' has a null or no value",
                       what);
    ia_builder_null(cx, b);
    return IA_OK;
}

/* ---- lines --------------------------------------------------------------------------------- */

typedef struct json_lines {
    const char *at, *end;
    char *name;
    uint64_t line;
    ia_batch_builder rows;
    const ia_json **values; /* of the line at work, per field */
} json_lines;

static ia_status put_line(ia_ctx *cx, json_lines *j, const ia_json *v)
{
    const ia_schema *s = j->rows.schema;
    const ia_json *value;
    const char *member;
    size_t it = 0;

    if (ia_json_type(v) != IA_JSON_OBJECT)
        return ia_fail(cx, IA_ERR_INVALID, "a line must be a JSON object");
    memset(j->values, 0, s->n_fields * sizeof *j->values);
    while (ia_json_next(v, &it, &member, &value)) {
        const int k = ia_schema_find(s, member);
        if (k < 0)
            return ia_fail(cx, IA_ERR_INVALID, "the table has no column '%s'", member);
        j->values[k] = value;
    }
    for (size_t k = 0; k < s->n_fields; k++)
        IA_TRY(ia_json_append(cx, &j->rows.cols[k], j->values[k], s->fields[k].nullable,
                              s->fields[k].name));
    return IA_OK;
}

static ia_status next_line(ia_ctx *cx, json_lines *j, bool *any)
{
    ia_json *v = NULL;
    ia_status st = IA_OK;

    *any = false;
    while (j->at < j->end && !*any) {
        const char *nl = memchr(j->at, '\n', (size_t)(j->end - j->at));
        const char *stop = nl ? nl : j->end, *p = j->at;
        j->line++;
        while (p < stop && (*p == ' ' || *p == '\t' || *p == '\r'))
            p++;
        j->at = nl ? nl + 1 : j->end;
        if (p == stop)
            continue;
        *any = true;
        IA_GO(ia_json_parse(cx, p, (size_t)(stop - p), &v));
        IA_GO(put_line(cx, j, v));
    }
done:
    ia_json_free(v);
    return ia_fail_prefix(cx, st, "%s:%llu", j->name, (unsigned long long)j->line);
}

static ia_status lines_next(ia_ctx *cx, ia_stream *s, ia_batch **out)
{
    json_lines *j = s->self;
    bool any = true;

    *out = NULL;
    for (int i = 0; i < ROWS_A_BATCH && any; i++)
        IA_TRY(next_line(cx, j, &any));
    IA_TRY(ia_check(cx, 0, 0));
    return ia_batch_builder_rows(&j->rows) > 0 ? ia_batch_builder_finish(cx, &j->rows, out) : IA_OK;
}

static void lines_close(ia_stream *s)
{
    json_lines *j = s->self;

    ia_batch_builder_dispose(&j->rows);
    ia_free(j->values);
    ia_free(j->name);
    ia_free(j);
}

ia_status ia_json_rows(ia_ctx *cx, const ia_schema *s, const char *text, size_t len,
                       const char *name, ia_stream *out)
{
    json_lines *j;
    ia_status st;

    *out = (ia_stream){0};
    if ((st = IA_NEW(cx, j)) != IA_OK)
        return st;
    *out = (ia_stream){
        .schema = ia_schema_retain(s), .next = lines_next, .close = lines_close, .self = j};
    j->at = text;
    j->end = text + len;
    IA_GO(IA_SET(cx, j->name, ia_strdup(cx, name)));
    IA_GO(IA_NEW_ARRAY(cx, j->values, s->n_fields + 1));
    IA_GO(ia_batch_builder_init(cx, &j->rows, s));
done:
    if (st != IA_OK)
        ia_stream_dispose(out);
    return st;
}
