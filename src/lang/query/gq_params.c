/* gq_params.c - parameter values from JSON text, and the values of expressions that need no row. */
#include "base/ids.h"
#include "base/json.h"
#include "lang/query/query.h"

static const char *json_text(const ia_json *v)
{
    switch (ia_json_type(v)) {
    case IA_JSON_NULL:
        return "null";
    case IA_JSON_FALSE:
    case IA_JSON_TRUE:
        return "a boolean";
    case IA_JSON_INT:
    case IA_JSON_REAL:
        return "a number";
    case IA_JSON_STRING:
        return "a string";
    case IA_JSON_ARRAY:
        return "an array";
    case IA_JSON_OBJECT:
        return "an object";
    }
    return "a value";
}

static ia_status bad(ia_ctx *cx, const char *name, const char *want, const ia_json *v)
{
    return ia_fail(cx, IA_ERR_INVALID, "param '%.100s': expected %s, got %s", name, want,
                   json_text(v));
}

/* "-12" and "7" but no "+7", "1.0", " 7" or "". */
static bool parse_decimal(const char *s, size_t n, int64_t *out)
{
    bool minus = n > 0 && s[0] == '-';
    uint64_t v = 0;
    size_t i = minus ? 1 : 0;

    if (i == n)
        return false;
    for (; i < n; i++) {
        if (s[i] < '0' || s[i] > '9' || !ia_mul_u64(&v, v, 10) ||
            !ia_add_u64(&v, v, (uint64_t)(s[i] - '0')))
            return false;
    }
    if (v > (uint64_t)INT64_MAX + (minus ? 1 : 0))
        return false;
    *out = minus ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

static ia_status read_int(ia_ctx *cx, const char *name, ia_pkind kind, const ia_json *v,
                          ia_gq_value *out)
{
    size_t n = 0;
    const char *s = ia_json_str(v, &n);
    int64_t lo = INT64_MIN, hi = INT64_MAX;
    uint64_t big;

    if (ia_json_u64(v, &big) && big > (uint64_t)INT64_MAX)
        return ia_fail(cx, IA_ERR_INVALID, "param '%.100s': value %llu exceeds I64", name,
                       (unsigned long long)big);
    if (s ? !parse_decimal(s, n, &out->i) : !ia_json_i64(v, &out->i))
        return bad(cx, name, s ? "an integer (the text is none, or exceeds I64)" : "an integer", v);
    if (kind == IA_PK_I32) {
        lo = INT32_MIN;
        hi = INT32_MAX;
    } else if (kind == IA_PK_U32) {
        lo = 0;
        hi = UINT32_MAX;
    } else if (kind == IA_PK_U64) {
        lo = 0;
    }
    if (out->i < lo || out->i > hi)
        return ia_fail(cx, IA_ERR_INVALID, "param '%.100s': value %lld exceeds %s", name,
                       (long long)out->i, ia_pkind_name(kind));
    out->kind = IA_GQ_INT;
    return IA_OK;
}

static ia_status read_text(ia_ctx *cx, ia_arena *a, const char *name, const ia_json *v,
                           ia_gq_value *out)
{
    size_t n = 0;
    const char *s = ia_json_str(v, &n);
    char *copy;

    if (!s)
        return bad(cx, name, "string", v);
    IA_TRY(IA_SET(cx, copy, ia_arena_strndup(cx, a, s, n)));
    out->kind = IA_GQ_STRING;
    out->s.data = copy;
    out->s.len = n;
    return IA_OK;
}

static ia_status read_time(ia_ctx *cx, const char *name, ia_pkind kind, const ia_json *v,
                           ia_gq_value *out)
{
    bool date = kind == IA_PK_DATE;
    const char *want = date ? "a date string (YYYY-MM-DD)" : "a date-time string (RFC 3339)";
    size_t n = 0;
    const char *s = ia_json_str(v, &n);
    int32_t days = 0;
    int64_t ms = 0;

    if (!s)
        return bad(cx, name, want, v);
    if (date ? !ia_date_parse(s, n, &days) : !ia_datetime_parse(s, n, &ms))
        return ia_fail(cx, IA_ERR_INVALID, "param '%.100s': expected %s, got '%.60s'", name, want,
                       s);
    out->kind = date ? IA_GQ_DATE : IA_GQ_DATETIME;
    out->i = date ? days : ms;
    return IA_OK;
}

static ia_status read_scalar(ia_ctx *cx, ia_arena *a, const char *name, ia_pkind kind,
                             const ia_json *v, ia_gq_value *out)
{
    memset(out, 0, sizeof *out);
    switch (kind) {
    case IA_PK_STRING:
    case IA_PK_ENUM:
        return read_text(cx, a, name, v, out);
    case IA_PK_BOOL:
        out->kind = IA_GQ_BOOL;
        return ia_json_bool(v, &out->b) ? IA_OK : bad(cx, name, "boolean", v);
    case IA_PK_I32:
    case IA_PK_I64:
    case IA_PK_U32:
    case IA_PK_U64:
        return read_int(cx, name, kind, v, out);
    case IA_PK_F32:
    case IA_PK_F64:
    case IA_PK_VECTOR:
        out->kind = IA_GQ_FLOAT;
        return ia_json_f64(v, &out->f) ? IA_OK : bad(cx, name, "float", v);
    case IA_PK_DATE:
    case IA_PK_DATETIME:
        return read_time(cx, name, kind, v, out);
    }
    return IA_OK;
}

static ia_status read_list(ia_ctx *cx, ia_arena *a, const ia_gq_param *p, const ia_json *v,
                           ia_gq_value *out)
{
    ia_gq_value *items = NULL;
    size_t n = ia_json_len(v);
    size_t i;

    if (ia_json_type(v) != IA_JSON_ARRAY)
        return bad(cx, p->name, "an array", v);
    if (p->type.scalar == IA_PK_VECTOR && n != (size_t)p->type.dim)
        return ia_fail(cx, IA_ERR_INVALID, "param '%.100s': expected %d values, got %zu", p->name,
                       (int)p->type.dim, n);
    if (n)
        IA_TRY(IA_ARENA_ARRAY(cx, a, items, n));
    for (i = 0; i < n; i++)
        IA_TRY(read_scalar(cx, a, p->name, p->type.scalar, ia_json_at(v, i), &items[i]));
    out->kind = IA_GQ_LIST;
    out->items = items;
    out->n = n;
    return IA_OK;
}

static ia_status read_param(ia_ctx *cx, ia_arena *a, const ia_gq_param *p, const ia_json *v,
                            ia_gq_value *out)
{
    if (ia_json_type(v) == IA_JSON_NULL) {
        if (!p->type.nullable)
            return ia_fail(cx, IA_ERR_INVALID,
                           "param '%.100s': null for a parameter that is not nullable", p->name);
        return IA_OK;
    }
    if (p->type.is_list || p->type.scalar == IA_PK_VECTOR)
        return read_list(cx, a, p, v, out);
    return read_scalar(cx, a, p->name, p->type.scalar, v, out);
}

static int find_declared(const ia_gq_query *q, const char *name)
{
    size_t i;

    for (i = 0; i < q->n_params; i++)
        if (strcmp(q->params[i].name, name) == 0)
            return (int)i;
    return -1;
}

static ia_status read_object(ia_ctx *cx, const ia_gq_query *q, const ia_json *root, ia_params *p)
{
    const char *name;
    const ia_json *v;
    size_t it = 0;

    if (ia_json_type(root) == IA_JSON_NULL)
        return IA_OK;
    if (ia_json_type(root) != IA_JSON_OBJECT)
        return ia_fail(cx, IA_ERR_INVALID, "params must be a JSON object, not %s", json_text(root));
    while (ia_json_next(root, &it, &name, &v)) {
        int at = find_declared(q, name);
        if (at < 0 && ia_json_type(v) == IA_JSON_OBJECT)
            return bad(cx, name, "a string, boolean, number or array", v);
        if (at < 0)
            continue;
        p->given[at] = true;
        IA_TRY(read_param(cx, &p->arena, &q->params[at], v, &p->values[at]));
    }
    return IA_OK;
}

static ia_status make_room(ia_ctx *cx, const ia_gq_query *q, ia_params *p)
{
    size_t i;

    if (q->n_params == 0)
        return IA_OK;
    IA_TRY(IA_ARENA_ARRAY(cx, &p->arena, p->values, q->n_params));
    IA_TRY(IA_ARENA_ARRAY(cx, &p->arena, p->given, q->n_params));
    IA_TRY(IA_ARENA_ARRAY(cx, &p->arena, p->names, q->n_params));
    IA_TRY(IA_ARENA_ARRAY(cx, &p->arena, p->types, q->n_params));
    for (i = 0; i < q->n_params; i++) {
        IA_TRY(IA_SET(cx, p->names[i], ia_arena_strdup(cx, &p->arena, q->params[i].name)));
        p->types[i] = q->params[i].type;
    }
    p->n = q->n_params;
    return IA_OK;
}

static int64_t floor_ms(int64_t us)
{
    return us >= 0 ? us / 1000 : -((-us + 999) / 1000);
}

ia_status ia_params_parse(ia_ctx *cx, const ia_gq_query *q, const char *json, size_t len,
                          ia_params **out)
{
    ia_params *p = NULL;
    ia_json *root = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW(cx, p));
    p->now_ms = floor_ms(ia_now_us());
    IA_GO(make_room(cx, q, p));
    if (json && len > 0) {
        IA_GO(ia_fail_prefix(cx, ia_json_parse(cx, json, len, &root), "params"));
        IA_GO(read_object(cx, q, root, p));
    }
    *out = p;
    p = NULL;
done:
    ia_json_free(root);
    ia_params_free(p);
    return st;
}

void ia_params_free(ia_params *p)
{
    if (!p)
        return;
    ia_arena_dispose(&p->arena);
    ia_free(p);
}

ia_status ia_gq_eval(ia_ctx *cx, const ia_params *p, const ia_gq_expr *e, ia_gq_value *out)
{
    memset(out, 0, sizeof *out);
    switch (e->kind) {
    case IA_GQ_LITERAL:
        *out = e->value;
        return IA_OK;
    case IA_GQ_NOW:
        out->kind = IA_GQ_DATETIME;
        out->i = p->now_ms;
        return IA_OK;
    case IA_GQ_PARAM:
        if (!p->given[e->param]) {
            if (!p->types[e->param].nullable)
                return ia_fail(cx, IA_ERR_INVALID, "parameter '%.100s' not provided",
                               p->names[e->param]);
            return IA_OK;
        }
        *out = p->values[e->param];
        return IA_OK;
    case IA_GQ_PROP:
    case IA_GQ_VAR:
    case IA_GQ_AGG:
        break;
    }
    return ia_fail(cx, IA_ERR_INTERNAL, "an expression that needs a row was evaluated without one");
}
