/* ipc_schema_read.c - the schema message of Arrow IPC: types, fields, metadata, dictionary ids. */
#include "arrow/ipc_priv.h"

/* Tables may be shared in a flatbuffer, so what comes out is bounded here by the bytes that came
 * in: every field of a real schema has a table, and every text bytes, of its own. */
typedef struct schema_reader {
    ia_ctx *cx;
    ia_fb *f;
    size_t fields_left, text_left;
    ia_ipc_dicts *dicts;
} schema_reader;

static ia_status damaged(schema_reader *r, const char *what)
{
    return ia_fail(r->cx, IA_ERR_CORRUPT, "the Arrow schema is damaged: %s", what);
}

static ia_status refused(schema_reader *r, ia_view name, const char *what)
{
    return ia_fail(r->cx, IA_ERR_UNSUPPORTED, "field '%.*s': Arrow %s not supported",
                   (int)(name.len > 100 ? 100 : name.len), name.data, what);
}

static ia_status copy_text(schema_reader *r, ia_view v, char **out)
{
    if (v.len > r->text_left)
        return damaged(r, "it repeats its texts");
    r->text_left -= v.len;
    return IA_SET(r->cx, *out, ia_strndup(r->cx, v.data, v.len));
}

/* Entries that hold a 0 byte have no form here and are left out. */
static ia_status read_metadata(schema_reader *r, const ia_fbt *t, size_t k, ia_kv **out, size_t *n)
{
    size_t count, i;
    const size_t at = ia_fb_vector(r->f, t, k, 4, &count);

    if (r->f->bad || count > r->text_left / 16)
        return damaged(r, "metadata");
    if (count == 0)
        return IA_OK;
    r->text_left -= 16 * count;
    IA_TRY(IA_NEW_ARRAY(r->cx, *out, count));
    for (i = 0; i < count; i++) {
        const ia_fbt kv = ia_fb_item(r->f, at, i);
        const ia_view key = ia_fb_str(r->f, &kv, 0), value = ia_fb_str(r->f, &kv, 1);
        ia_kv *to = &(*out)[*n];

        if (r->f->bad)
            return damaged(r, "metadata");
        if (memchr(key.data, 0, key.len) || memchr(value.data, 0, value.len))
            continue;
        ++*n;
        IA_TRY(copy_text(r, key, &to->key));
        IA_TRY(copy_text(r, value, &to->value));
    }
    return IA_OK;
}

static ia_status int_type(schema_reader *r, const ia_fbt *t, ia_type **out)
{
    const int64_t bits = ia_fb_int(r->f, t, 0, 4, 0);
    const bool is_signed = ia_fb_int(r->f, t, 1, 1, 0) != 0;
    const int k = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : bits == 64 ? 3 : -1;

    if (r->f->bad || k < 0)
        return damaged(r, "an integer type of unknown width");
    *out = ia_type_basic((ia_type_id)((is_signed ? IA_TYPE_I8 : IA_TYPE_U8) + k));
    return IA_OK;
}

static ia_status unit_type(schema_reader *r, const ia_fbt *t, ia_type_id id, int64_t unit,
                           ia_type **out)
{
    char *tz = NULL;
    ia_status st = IA_OK;

    if (r->f->bad || unit < IA_UNIT_S || unit > IA_UNIT_NS)
        return damaged(r, "an unknown time unit");
    if (id == IA_TYPE_TIMESTAMP && ia_fb_ref(r->f, t, 1) != 0)
        IA_GO(copy_text(r, ia_fb_str(r->f, t, 1), &tz));
    if (r->f->bad)
        IA_GO(damaged(r, "a time zone"));
    IA_GO(ia_type_time(r->cx, id, (ia_time_unit)unit, tz, out));
done:
    ia_free(tz);
    return st;
}

static ia_status time_type(schema_reader *r, const ia_fbt *t, ia_type **out)
{
    const int64_t unit = ia_fb_int(r->f, t, 0, 2, IA_UNIT_MS);
    const int64_t bits = ia_fb_int(r->f, t, 1, 4, 32);

    if ((bits != 32 && bits != 64) || (bits == 32) != (unit <= IA_UNIT_MS))
        return damaged(r, "a time of day of unknown width");
    return unit_type(r, t, bits == 32 ? IA_TYPE_TIME32 : IA_TYPE_TIME64, unit, out);
}

static ia_status decimal_type(schema_reader *r, ia_view name, const ia_fbt *t, ia_type **out)
{
    const int64_t precision = ia_fb_int(r->f, t, 0, 4, 0), scale = ia_fb_int(r->f, t, 1, 4, 0);
    const int64_t bits = ia_fb_int(r->f, t, 2, 4, 128);

    if (bits != 128 && bits != 256)
        return refused(r, name, "decimals of fewer than 128 bits are");
    if (precision < 1 || precision > (bits == 128 ? 38 : 76))
        return damaged(r, "a decimal precision is out of range");
    return ia_type_decimal(r->cx, bits == 128 ? IA_TYPE_DECIMAL128 : IA_TYPE_DECIMAL256,
                           (int32_t)precision, (int32_t)scale, out);
}

static ia_status fixed_binary_type(schema_reader *r, const ia_fbt *t, ia_type **out)
{
    const int64_t width = ia_fb_int(r->f, t, 0, 4, 0);

    if (r->f->bad || width < 0)
        return damaged(r, "a fixed binary width is negative");
    return ia_type_fixed_binary(r->cx, (int32_t)width, out);
}

/* Types with children; `kids` were read. */
static ia_status nested_type(schema_reader *r, int64_t kind, const ia_fbt *t, const ia_field *kids,
                             size_t n, ia_type **out)
{
    int64_t size = 0;

    if (kind == IA_IPC_T_STRUCT)
        return ia_type_struct(r->cx, kids, n, out);
    if (n != 1)
        return damaged(r, "a list has not one child");
    if (kind == IA_IPC_T_MAP) {
        if (kids->type->id != IA_TYPE_STRUCT || kids->type->n_children != 2)
            return damaged(r, "a map has no entries of key and value");
        return ia_type_map(r->cx, kids->name, &kids->type->children[0], &kids->type->children[1],
                           ia_fb_int(r->f, t, 0, 1, 0) != 0, out);
    }
    if (kind == IA_IPC_T_FIXED_LIST) {
        size = ia_fb_int(r->f, t, 0, 4, 0);
        if (r->f->bad || size < 0)
            return damaged(r, "a fixed list size is negative");
    }
    return ia_type_list_of(r->cx,
                           kind == IA_IPC_T_FIXED_LIST   ? IA_TYPE_FIXED_LIST
                           : kind == IA_IPC_T_LARGE_LIST ? IA_TYPE_LARGE_LIST
                                                         : IA_TYPE_LIST,
                           (int32_t)size, kids, out);
}

static ia_status plain_type(schema_reader *r, ia_view name, int64_t kind, const ia_fbt *t,
                            ia_type **out)
{
    static const ia_type_id basic[] = {[IA_IPC_T_NULL] = IA_TYPE_NULL,
                                       [IA_IPC_T_BINARY] = IA_TYPE_BINARY,
                                       [IA_IPC_T_UTF8] = IA_TYPE_STRING,
                                       [IA_IPC_T_BOOL] = IA_TYPE_BOOL,
                                       [IA_IPC_T_LARGE_BINARY] = IA_TYPE_LARGE_BINARY,
                                       [IA_IPC_T_LARGE_UTF8] = IA_TYPE_LARGE_STRING};
    int64_t v;

    switch (kind) {
    case IA_IPC_T_NULL:
    case IA_IPC_T_BINARY:
    case IA_IPC_T_UTF8:
    case IA_IPC_T_BOOL:
    case IA_IPC_T_LARGE_BINARY:
    case IA_IPC_T_LARGE_UTF8:
        *out = ia_type_basic(basic[kind]);
        return IA_OK;
    case IA_IPC_T_INT:
        return int_type(r, t, out);
    case IA_IPC_T_FLOAT:
        v = ia_fb_int(r->f, t, 0, 2, 0);
        if (v < 0 || v > 2)
            return damaged(r, "a floating-point type of unknown precision");
        *out = ia_type_basic((ia_type_id)(IA_TYPE_F16 + v));
        return IA_OK;
    case IA_IPC_T_DECIMAL:
        return decimal_type(r, name, t, out);
    case IA_IPC_T_DATE:
        *out = ia_type_basic(ia_fb_int(r->f, t, 0, 2, 1) == 0 ? IA_TYPE_DATE32 : IA_TYPE_DATE64);
        return IA_OK;
    case IA_IPC_T_TIME:
        return time_type(r, t, out);
    case IA_IPC_T_TIMESTAMP:
        return unit_type(r, t, IA_TYPE_TIMESTAMP, ia_fb_int(r->f, t, 0, 2, IA_UNIT_S), out);
    case IA_IPC_T_DURATION:
        return unit_type(r, t, IA_TYPE_DURATION, ia_fb_int(r->f, t, 0, 2, IA_UNIT_MS), out);
    case IA_IPC_T_FIXED_BINARY:
        return fixed_binary_type(r, t, out);
    default: /* style: numbers of a foreign file */
        return ia_fail(r->cx, IA_ERR_UNSUPPORTED, "field '%.*s': Arrow type number %lld is unknown",
                       (int)(name.len > 100 ? 100 : name.len), name.data, (long long)kind);
    }
}

static ia_status check_kind(schema_reader *r, ia_view name, int64_t kind)
{
    switch (kind) {
    case IA_IPC_T_INTERVAL:
        return refused(r, name, "intervals are");
    case IA_IPC_T_UNION:
        return refused(r, name, "unions are");
    case IA_IPC_T_RUN_END:
        return refused(r, name, "run-end encoded arrays are");
    case IA_IPC_T_BINARY_VIEW:
    case IA_IPC_T_UTF8_VIEW:
        return refused(r, name, "string and binary views are");
    case IA_IPC_T_LIST_VIEW:
    case IA_IPC_T_LARGE_LIST_VIEW:
        return refused(r, name, "list views are");
    default: /* style: the rest is read or refused by plain_type */
        return IA_OK;
    }
}

static ia_status read_field(schema_reader *r, const ia_fbt *t, int depth, ia_field *out);

static ia_status read_fields(schema_reader *r, const ia_fbt *t, size_t k, int depth, ia_field **out,
                             size_t *n)
{
    size_t count;
    const size_t at = ia_fb_vector(r->f, t, k, 4, &count);

    if (r->f->bad || count > r->fields_left)
        return damaged(r, "the list of fields");
    if (depth > IA_TYPE_MAX_DEPTH)
        return ia_fail(r->cx, IA_ERR_UNSUPPORTED, "an Arrow type is nested more than %d deep",
                       IA_TYPE_MAX_DEPTH);
    r->fields_left -= count;
    if (count > 0)
        IA_TRY(IA_NEW_ARRAY(r->cx, *out, count));
    for (; *n < count; ++*n) {
        const ia_fbt field = ia_fb_item(r->f, at, *n);

        if (field.vt_size == 0)
            return damaged(r, "a field");
        IA_TRY(read_field(r, &field, depth, &(*out)[*n]));
    }
    return IA_OK;
}

/* The type as it is stored; of a dictionary that of the values. */
static ia_status read_type(schema_reader *r, const ia_fbt *t, int depth, ia_type **out)
{
    const int64_t kind = ia_fb_int(r->f, t, 2, 1, 0);
    const ia_view name = ia_fb_str(r->f, t, 0);
    const ia_fbt type = ia_fb_table(r->f, t, 3);
    ia_field *kids = NULL;
    size_t n = 0;
    ia_status st;

    if (r->f->bad || (type.vt_size == 0 && kind != 0))
        return damaged(r, "a type is missing");
    IA_GO(check_kind(r, name, kind));
    IA_GO(read_fields(r, t, 5, depth + 1, &kids, &n));
    if (kind == IA_IPC_T_LIST || kind == IA_IPC_T_STRUCT || kind == IA_IPC_T_FIXED_LIST ||
        kind == IA_IPC_T_MAP || kind == IA_IPC_T_LARGE_LIST)
        IA_GO(nested_type(r, kind, &type, kids, n, out));
    else if (n > 0)
        IA_GO(damaged(r, "a type that has no children has some"));
    else
        IA_GO(plain_type(r, name, kind, &type, out));
done:
    while (kids && n > 0)
        ia_field_dispose(&kids[--n]);
    ia_free(kids);
    return st;
}

static ia_status read_dictionary(schema_reader *r, const ia_fbt *t, const ia_fbt *dict, int depth,
                                 ia_type **out)
{
    const ia_fbt index = ia_fb_table(r->f, dict, 1);
    ia_type *value = NULL, *key = ia_type_basic(IA_TYPE_I32);
    ia_ipc_dicts *d = r->dicts;
    ia_status st;

    IA_GO(IA_GROW(r->cx, d->d, d->cap, d->n + 1));
    d->d[d->n++] = (ia_ipc_dict){.id = ia_fb_int(r->f, dict, 0, 8, 0)};
    if (index.vt_size > 0)
        IA_GO(int_type(r, &index, &key));
    IA_GO(read_type(r, t, depth, &value));
    IA_GO(ia_type_dictionary(r->cx, key, value, out));
done:
    ia_type_release(value);
    return st;
}

static ia_status read_field(schema_reader *r, const ia_fbt *t, int depth, ia_field *out)
{
    const ia_view name = ia_fb_str(r->f, t, 0);
    const ia_fbt dict = ia_fb_table(r->f, t, 4);
    ia_field f = {0};
    size_t at;
    ia_status st;

    if (r->f->bad || !ia_utf8_valid(name.data, name.len, &at) || memchr(name.data, 0, name.len))
        return damaged(r, "a field's name");
    IA_GO(copy_text(r, name, &f.name));
    f.nullable = ia_fb_int(r->f, t, 1, 1, 0) != 0;
    IA_GO(read_metadata(r, t, 6, &f.metadata, &f.n_metadata));
    if (dict.vt_size > 0)
        IA_GO(read_dictionary(r, t, &dict, depth, &f.type));
    else
        IA_GO(read_type(r, t, depth, &f.type));
    if (r->f->bad)
        IA_GO(damaged(r, "a field"));
    *out = f;
    memset(&f, 0, sizeof f);
done:
    ia_field_dispose(&f);
    return st;
}

/* ---- dictionary places --------------------------------------------------------------------- */

size_t ia_ipc_dict_places(const ia_type *t)
{
    size_t n = 0, i;

    if (t->id == IA_TYPE_DICTIONARY)
        return 1 + ia_ipc_dict_places(t->children[1].type);
    for (i = 0; i < t->n_children; i++)
        n += ia_ipc_dict_places(t->children[i].type);
    return n;
}

static void name_places(const ia_type *t, ia_ipc_dicts *d, size_t *place)
{
    size_t i;

    if (t->id == IA_TYPE_DICTIONARY) {
        d->d[(*place)++].type = t->children[1].type;
        name_places(t->children[1].type, d, place);
        return;
    }
    for (i = 0; i < t->n_children; i++)
        name_places(t->children[i].type, d, place);
}

void ia_ipc_dicts_dispose(ia_ipc_dicts *d)
{
    size_t i;

    for (i = 0; i < d->n; i++)
        ia_array_release(d->d[i].values);
    ia_free(d->d);
    memset(d, 0, sizeof *d);
}

ia_status ia_ipc_read_schema(ia_ctx *cx, ia_fb *f, const ia_fbt *schema, ia_schema **out,
                             ia_ipc_dicts *dicts)
{
    schema_reader r = {
        .cx = cx, .f = f, .fields_left = f->n / 16, .text_left = 16 * f->n + 4096, .dicts = dicts};
    ia_field *fields = NULL;
    ia_schema *s = NULL;
    size_t n = 0, i, k, place = 0;
    ia_status st;

    *out = NULL;
    if (ia_fb_int(f, schema, 0, 2, 0) != 0)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "big-endian Arrow data is not supported");
    IA_GO(read_fields(&r, schema, 1, 0, &fields, &n));
    IA_GO(ia_schema_new(cx, fields, n, &s));
    IA_GO(read_metadata(&r, schema, 2, &s->metadata, &s->n_metadata));
    for (i = 0; i < n; i++)
        name_places(s->fields[i].type, dicts, &place);
    for (i = 1; i < dicts->n; i++)
        for (k = 0; k < i; k++)
            if (dicts->d[k].id == dicts->d[i].id &&
                !ia_type_equal(dicts->d[k].type, dicts->d[i].type))
                IA_GO(damaged(&r, "two types for one dictionary"));
    *out = s;
    s = NULL;
done:
    ia_schema_release(s);
    while (fields && n > 0)
        ia_field_dispose(&fields[--n]);
    ia_free(fields);
    return st;
}
