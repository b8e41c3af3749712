/* json_any.c - JSON values into columns of every type: the inverse of ia_value_json. */
#include <stdio.h>

#include "arrow/json_rows.h"
#include "arrow/text_priv.h"
#include "base/ids.h"

static ia_status mismatch(ia_ctx *cx, const ia_type *t, const ia_json *v, const char *what)
{
    static const char *const kinds[] = {
        [IA_JSON_NULL] = "null",      [IA_JSON_FALSE] = "a boolean", [IA_JSON_TRUE] = "a boolean",
        [IA_JSON_INT] = "an integer", [IA_JSON_REAL] = "a number",   [IA_JSON_STRING] = "a string",
        [IA_JSON_ARRAY] = "an array", [IA_JSON_OBJECT] = "an object"};
    const char *s = ia_json_str(v, NULL);
    char text[128];

    return ia_fail(cx, IA_ERR_INVALID, "%s expects %s, got %s%s%.60s%s", what,
                   ia_type_text(t, text, sizeof text), kinds[ia_json_type(v)], s ? " '" : "",
                   s ? s : "", s ? "'" : "");
}

static ia_status put_items(ia_ctx *cx, ia_builder *b, const ia_json *v, const char *what)
{
    const ia_field *item = &b->type->children[0];
    const size_t n = ia_json_len(v);

    if (ia_json_type(v) != IA_JSON_ARRAY)
        return mismatch(cx, b->type, v, what);
    if (b->type->id == IA_TYPE_FIXED_LIST && n != (size_t)b->type->size)
        return ia_fail(cx, IA_ERR_INVALID, "%s expects %d values, got %zu", what, b->type->size, n);
    for (size_t i = 0; i < n; i++)
        IA_TRY(ia_json_append_any(cx, &b->children[0], ia_json_at(v, i), item->nullable, what));
    ia_builder_end_list(cx, b);
    return IA_OK;
}

static ia_status put_struct(ia_ctx *cx, ia_builder *b, const ia_json *v, const char *what)
{
    const ia_json *value;
    const char *name;
    size_t it = 0, k;

    if (ia_json_type(v) != IA_JSON_OBJECT)
        return mismatch(cx, b->type, v, what);
    while (ia_json_next(v, &it, &name, &value)) {
        for (k = 0; k < b->n_children && strcmp(b->type->children[k].name, name) != 0; k++)
            ;
        if (k == b->n_children)
            return ia_fail(cx, IA_ERR_INVALID, "%s has no field '%.60s'", what, name);
    }
    for (k = 0; k < b->n_children; k++) {
        const ia_field *f = &b->type->children[k];

        IA_TRY(ia_json_append_any(cx, &b->children[k], ia_json_get(v, f->name), f->nullable, what));
    }
    ia_builder_end_struct(cx, b);
    return IA_OK;
}

static ia_status put_entry(ia_ctx *cx, ia_builder *map, const ia_json *key, const ia_json *value,
                           const char *what)
{
    ia_builder *e = &map->children[0];

    IA_TRY(ia_json_append_any(cx, &e->children[0], key, false, what));
    IA_TRY(ia_json_append_any(cx, &e->children[1], value, e->type->children[1].nullable, what));
    ia_builder_end_struct(cx, e);
    return IA_OK;
}

/* {"k": v}: keys of a map of strings. */
static ia_status put_members(ia_ctx *cx, ia_builder *b, const ia_json *v, const char *what)
{
    ia_builder *e = &b->children[0];
    const ia_json *value;
    const char *name;
    size_t it = 0;

    while (ia_json_next(v, &it, &name, &value)) {
        const ia_view key = {name, strlen(name)};

        if (!ia_text_append(cx, &e->children[0], key))
            return ia_fail(cx, IA_ERR_INVALID, "%s: '%.60s' is no key of that map", what, name);
        IA_TRY(ia_json_append_any(cx, &e->children[1], value, e->type->children[1].nullable, what));
        ia_builder_end_struct(cx, e);
    }
    return IA_OK;
}

static ia_status put_map(ia_ctx *cx, ia_builder *b, const ia_json *v, const char *what)
{
    size_t i;

    if (ia_json_type(v) == IA_JSON_OBJECT)
        IA_TRY(put_members(cx, b, v, what));
    else if (ia_json_type(v) != IA_JSON_ARRAY)
        return mismatch(cx, b->type, v, what);
    for (i = 0; ia_json_type(v) == IA_JSON_ARRAY && i < ia_json_len(v); i++) {
        const ia_json *e = ia_json_at(v, i);
        const bool pair = ia_json_type(e) == IA_JSON_ARRAY && ia_json_len(e) == 2;

        if (pair)
            IA_TRY(put_entry(cx, b, ia_json_at(e, 0), ia_json_at(e, 1), what));
        else if (ia_json_type(e) == IA_JSON_OBJECT && ia_json_get(e, "key"))
            IA_TRY(put_entry(cx, b, ia_json_get(e, "key"), ia_json_get(e, "value"), what));
        else
            return mismatch(cx, b->type, e, what);
    }
    ia_builder_end_list(cx, b);
    return IA_OK;
}

/* Types that are text or a number in JSON. */
static ia_status put_texted(ia_ctx *cx, ia_builder *b, const ia_json *v, const char *what)
{
    const bool is_float = ia_type_is_float(b->type);
    ia_view text = {0};
    char number[32];
    double d;
    int64_t i;

    text.data = ia_json_str(v, &text.len);
    if (!text.data && ia_json_i64(v, &i)) {
        snprintf(number, sizeof number, "%lld", (long long)i);
        text = ia_view_of(number);
    } else if (!text.data && ia_json_f64(v, &d) &&
               (is_float || b->type->id == IA_TYPE_DECIMAL128 ||
                b->type->id == IA_TYPE_DECIMAL256)) {
        ia_double_format(d, number);
        text = ia_view_of(number);
    }
    if (text.data && ia_text_append(cx, b, text))
        return IA_OK;
    return mismatch(cx, b->type, v, what);
}

static ia_status put_value(ia_ctx *cx, ia_builder *b, const ia_json *v, const char *what)
{
    switch (b->type->id) {
    case IA_TYPE_LIST:
    case IA_TYPE_LARGE_LIST:
    case IA_TYPE_FIXED_LIST:
        return put_items(cx, b, v, what);
    case IA_TYPE_STRUCT:
        return put_struct(cx, b, v, what);
    case IA_TYPE_MAP:
        return put_map(cx, b, v, what);
    case IA_TYPE_F16:
    case IA_TYPE_F32:
    case IA_TYPE_F64:
    case IA_TYPE_DATE64:
    case IA_TYPE_TIME32:
    case IA_TYPE_TIME64:
    case IA_TYPE_TIMESTAMP:
    case IA_TYPE_DECIMAL128:
    case IA_TYPE_DECIMAL256:
        return put_texted(cx, b, v, what);
    case IA_TYPE_BINARY:
    case IA_TYPE_LARGE_BINARY:
    case IA_TYPE_FIXED_BINARY:
        return ia_json_str(v, NULL) ? put_texted(cx, b, v, what) : mismatch(cx, b->type, v, what);
    case IA_TYPE_DURATION:
        return ia_json_type(v) == IA_JSON_INT ? put_texted(cx, b, v, what)
                                              : mismatch(cx, b->type, v, what);
    case IA_TYPE_NULL:
        return mismatch(cx, b->type, v, what);
    case IA_TYPE_BOOL:
    case IA_TYPE_I8:
    case IA_TYPE_I16:
    case IA_TYPE_I32:
    case IA_TYPE_I64:
    case IA_TYPE_U8:
    case IA_TYPE_U16:
    case IA_TYPE_U32:
    case IA_TYPE_U64:
    case IA_TYPE_STRING:
    case IA_TYPE_LARGE_STRING:
    case IA_TYPE_DATE32:
    case IA_TYPE_DICTIONARY:
        return ia_json_append(cx, b, v, true, what);
    }
    return IA_OK;
}

ia_status ia_json_append_any(ia_ctx *cx, ia_builder *b, const ia_json *v, bool nullable,
                             const char *what)
{
    if (ia_json_type(v) != IA_JSON_NULL)
        return put_value(cx, b, v, what);
    if (!nullable)
        return ia_fail(cx, IA_ERR_INVALID, "%s must not be null or absent", what);
    ia_builder_null(cx, b);
    return IA_OK;
}
