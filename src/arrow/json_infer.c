/* json_infer.c - the shape of JSON values seen so far, as a type. */
#include "arrow/json_infer_priv.h"

static const char *const names[] = {"null",   "bool", "integer", "number",
                                    "string", "list", "object"};

static ia_shape_kind kind_of(const ia_json *v)
{
    switch (ia_json_type(v)) {
    case IA_JSON_NULL:
        return IA_SHAPE_NULL;
    case IA_JSON_FALSE:
    case IA_JSON_TRUE:
        return IA_SHAPE_BOOL;
    case IA_JSON_INT:
        return IA_SHAPE_INT;
    case IA_JSON_REAL:
        return IA_SHAPE_REAL;
    case IA_JSON_STRING:
        return IA_SHAPE_STRING;
    case IA_JSON_ARRAY:
        return IA_SHAPE_LIST;
    case IA_JSON_OBJECT:
        return IA_SHAPE_STRUCT;
    }
    return IA_SHAPE_NULL;
}

static ia_status child(ia_ctx *cx, ia_shape *s, const char *name, ia_shape **out)
{
    size_t i;

    for (i = 0; i < s->n; i++)
        if (strcmp(s->kids[i].name, name) == 0) {
            *out = &s->kids[i];
            return IA_OK;
        }
    IA_TRY(IA_GROW(cx, s->kids, s->cap, s->n + 1));
    memset(&s->kids[s->n], 0, sizeof s->kids[0]);
    IA_TRY(IA_SET(cx, s->kids[s->n].name, ia_strdup(cx, name)));
    *out = &s->kids[s->n++];
    return IA_OK;
}

ia_status ia_shape_add(ia_ctx *cx, ia_shape *s, const ia_json *v)
{
    ia_shape_kind k = kind_of(v);
    const ia_json *value;
    const char *name;
    ia_shape *kid;
    size_t it = 0, i;

    if (k == IA_SHAPE_NULL)
        return IA_OK;
    if (s->kind == IA_SHAPE_REAL && k == IA_SHAPE_INT)
        k = IA_SHAPE_REAL;
    if (s->kind != IA_SHAPE_NULL && s->kind != k &&
        !(s->kind == IA_SHAPE_INT && k == IA_SHAPE_REAL))
        return ia_fail(
            cx, IA_ERR_INVALID, "'%s' is %s %s here and %s before", s->name ? s->name : "",
            k == IA_SHAPE_INT || k == IA_SHAPE_STRUCT ? "an" : "a", names[k], names[s->kind]);
    s->kind = k;
    if (k == IA_SHAPE_STRUCT)
        while (ia_json_next(v, &it, &name, &value)) {
            IA_TRY(child(cx, s, name, &kid));
            IA_TRY(ia_shape_add(cx, kid, value));
        }
    for (i = 0; k == IA_SHAPE_LIST && i < ia_json_len(v); i++) {
        IA_TRY(child(cx, s, "item", &kid));
        IA_TRY(ia_shape_add(cx, kid, ia_json_at(v, i)));
    }
    return IA_OK;
}

void ia_shape_dispose(ia_shape *s)
{
    size_t i;

    for (i = 0; i < s->n; i++)
        ia_shape_dispose(&s->kids[i]);
    ia_free(s->kids);
    ia_free(s->name);
    memset(s, 0, sizeof *s);
}

static ia_status nested_type(ia_ctx *cx, const ia_shape *s, ia_type **out)
{
    ia_field *f = NULL;
    ia_status st;
    size_t n;

    IA_GO(ia_shape_fields(cx, s, &f, &n));
    if (s->kind == IA_SHAPE_STRUCT)
        IA_GO(ia_type_struct(cx, f, n, out));
    else
        IA_GO(ia_type_list(cx, IA_TYPE_LIST, 0, "item",
                           n > 0 ? f[0].type : ia_type_basic(IA_TYPE_NULL), true, out));
done:
    for (n = 0; f && n < s->n; n++)
        ia_field_dispose(&f[n]);
    ia_free(f);
    return st;
}

static ia_status type_of(ia_ctx *cx, const ia_shape *s, ia_type **out)
{
    static const ia_type_id basic[] = {[IA_SHAPE_NULL] = IA_TYPE_NULL,
                                       [IA_SHAPE_BOOL] = IA_TYPE_BOOL,
                                       [IA_SHAPE_INT] = IA_TYPE_I64,
                                       [IA_SHAPE_REAL] = IA_TYPE_F64,
                                       [IA_SHAPE_STRING] = IA_TYPE_STRING};

    if (s->kind == IA_SHAPE_LIST || s->kind == IA_SHAPE_STRUCT)
        return nested_type(cx, s, out);
    *out = ia_type_basic(basic[s->kind]);
    return IA_OK;
}

ia_status ia_shape_fields(ia_ctx *cx, const ia_shape *s, ia_field **out, size_t *n)
{
    ia_field *f;
    size_t i;
    ia_status st = IA_OK;

    *out = NULL;
    *n = 0;
    IA_TRY(IA_NEW_ARRAY(cx, f, s->n + 1));
    for (i = 0; i < s->n && st == IA_OK; i++) {
        f[i].nullable = true;
        st = IA_SET(cx, f[i].name, ia_strdup(cx, s->kids[i].name));
        if (st == IA_OK)
            st = type_of(cx, &s->kids[i], &f[i].type);
    }
    *out = f;
    *n = s->n;
    return st; /* the caller disposes of what is there */
}
