/* gq_coerce.c - makes a value fit the property it is stored in. */
#include "lang/query/query.h"

#include <float.h>
#include <stdio.h>

static const char *kind_text(ia_gq_value_kind k)
{
    switch (k) {
    case IA_GQ_NULL:
        return "null";
    case IA_GQ_BOOL:
        return "a boolean";
    case IA_GQ_INT:
        return "an integer";
    case IA_GQ_FLOAT:
        return "a float";
    case IA_GQ_STRING:
        return "a string";
    case IA_GQ_DATE:
        return "a date";
    case IA_GQ_DATETIME:
        return "a date-time";
    case IA_GQ_LIST:
        return "a list";
    }
    return "a value";
}

static ia_status wrong(ia_ctx *cx, const ia_proptype *t, const char *what, const ia_gq_value *in)
{
    return ia_fail(cx, IA_ERR_INVALID, "%s expects %s, got %s", what, ia_pkind_name(t->scalar),
                   kind_text(in->kind));
}

static ia_status fit_int(ia_ctx *cx, const ia_proptype *t, const char *what, const ia_gq_value *in,
                         ia_gq_value *out)
{
    int64_t lo = INT64_MIN, hi = INT64_MAX;

    if (in->kind != IA_GQ_INT)
        return wrong(cx, t, what, in);
    if (t->scalar == IA_PK_I32) {
        lo = INT32_MIN;
        hi = INT32_MAX;
    } else if (t->scalar == IA_PK_U32) {
        lo = 0;
        hi = UINT32_MAX;
    } else if (t->scalar == IA_PK_U64) {
        lo = 0;
    }
    if (in->i < lo || in->i > hi)
        return ia_fail(cx, IA_ERR_INVALID, "%s: value %lld exceeds %s", what, (long long)in->i,
                       ia_pkind_name(t->scalar));
    *out = *in;
    return IA_OK;
}

static ia_status fit_float(ia_ctx *cx, const ia_proptype *t, const char *what,
                           const ia_gq_value *in, ia_gq_value *out)
{
    double v;

    if (in->kind != IA_GQ_INT && in->kind != IA_GQ_FLOAT)
        return wrong(cx, t, what, in);
    v = in->kind == IA_GQ_INT ? (double)in->i : in->f;
    if (t->scalar != IA_PK_F64 && (v > FLT_MAX || v < -FLT_MAX))
        return ia_fail(cx, IA_ERR_INVALID, "%s: value %g exceeds F32", what, v);
    out->kind = IA_GQ_FLOAT;
    out->f = v;
    return IA_OK;
}

static ia_status fit_enum(ia_ctx *cx, const ia_property *p, const char *what, const ia_gq_value *in,
                          ia_gq_value *out)
{
    char list[200];
    size_t i, n = 0;

    if (in->kind != IA_GQ_STRING)
        return wrong(cx, &p->type, what, in);
    if (ia_property_has_enum(p, in->s.data, in->s.len)) {
        *out = *in;
        return IA_OK;
    }
    list[0] = 0;
    for (i = 0; i < p->n_enum && n < sizeof list; i++) {
        int w = snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", p->enum_values[i]);
        n += w > 0 ? (size_t)w : 0;
    }
    return ia_fail(cx, IA_ERR_INVALID, "invalid enum value '%.*s' for %s (expected: %s)",
                   (int)(in->s.len < 60 ? in->s.len : 60), in->s.data, what, list);
}

static ia_status fit_scalar(ia_ctx *cx, const ia_property *p, const char *what,
                            const ia_gq_value *in, ia_gq_value *out)
{
    ia_gq_value_kind want = IA_GQ_STRING;

    switch (p->type.scalar) {
    case IA_PK_I32:
    case IA_PK_I64:
    case IA_PK_U32:
    case IA_PK_U64:
        return fit_int(cx, &p->type, what, in, out);
    case IA_PK_F32:
    case IA_PK_F64:
    case IA_PK_VECTOR:
        return fit_float(cx, &p->type, what, in, out);
    case IA_PK_ENUM:
        return fit_enum(cx, p, what, in, out);
    case IA_PK_STRING:
        want = IA_GQ_STRING;
        break;
    case IA_PK_BOOL:
        want = IA_GQ_BOOL;
        break;
    case IA_PK_DATE:
        want = IA_GQ_DATE;
        break;
    case IA_PK_DATETIME:
        want = IA_GQ_DATETIME;
        break;
    }
    if (in->kind != want)
        return wrong(cx, &p->type, what, in);
    *out = *in;
    return IA_OK;
}

static ia_status fit_list(ia_ctx *cx, ia_arena *a, const ia_property *p, const char *what,
                          const ia_gq_value *in, ia_gq_value *out)
{
    ia_gq_value *items = NULL;
    size_t i;

    if (in->kind != IA_GQ_LIST)
        return ia_fail(cx, IA_ERR_INVALID, "%s expects a list, got %s", what, kind_text(in->kind));
    if (p->type.scalar == IA_PK_VECTOR && in->n != (size_t)p->type.dim)
        return ia_fail(cx, IA_ERR_INVALID, "%s expects %d values, got %zu", what, (int)p->type.dim,
                       in->n);
    if (in->n)
        IA_TRY(IA_ARENA_ARRAY(cx, a, items, in->n));
    for (i = 0; i < in->n; i++) {
        if (in->items[i].kind == IA_GQ_NULL)
            return ia_fail(cx, IA_ERR_INVALID, "%s: list items cannot be null", what);
        IA_TRY(fit_scalar(cx, p, what, &in->items[i], &items[i]));
    }
    out->kind = IA_GQ_LIST;
    out->items = items;
    out->n = in->n;
    return IA_OK;
}

ia_status ia_gq_coerce(ia_ctx *cx, ia_arena *a, const ia_property *p, const char *what,
                       const ia_gq_value *in, ia_gq_value *out)
{
    ia_gq_value value;

    memset(&value, 0, sizeof value);
    memset(out, 0, sizeof *out);
    if (in->kind == IA_GQ_NULL) {
        if (!p->type.nullable)
            return ia_fail(cx, IA_ERR_INVALID, "%s: null for a property that is not nullable",
                           what);
        return IA_OK;
    }
    if (p->type.is_list || p->type.scalar == IA_PK_VECTOR)
        IA_TRY(fit_list(cx, a, p, what, in, &value));
    else
        IA_TRY(fit_scalar(cx, p, what, in, &value));
    *out = value;
    return IA_OK;
}
