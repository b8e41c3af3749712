/* lschema.c - Lance's flat schema: made from Arrow types, copied, its leaves. */
#include "file/lschema.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "file/lschema_wire.h"

enum { MAX_DEPTH = 32 };

static const struct {
    ia_type_id id;
    const char *name;
} basic_names[] = {
    {IA_TYPE_NULL, "null"},
    {IA_TYPE_BOOL, "bool"},
    {IA_TYPE_I8, "int8"},
    {IA_TYPE_I16, "int16"},
    {IA_TYPE_I32, "int32"},
    {IA_TYPE_I64, "int64"},
    {IA_TYPE_U8, "uint8"},
    {IA_TYPE_U16, "uint16"},
    {IA_TYPE_U32, "uint32"},
    {IA_TYPE_U64, "uint64"},
    {IA_TYPE_F16, "halffloat"},
    {IA_TYPE_F32, "float"},
    {IA_TYPE_F64, "double"},
    {IA_TYPE_STRING, "string"},
    {IA_TYPE_LARGE_STRING, "large_string"},
    {IA_TYPE_BINARY, "binary"},
    {IA_TYPE_LARGE_BINARY, "large_binary"},
    {IA_TYPE_DATE32, "date32:day"},
    {IA_TYPE_DATE64, "date64:ms"},
};
static const char *const unit_names[] = {"s", "ms", "us", "ns"};

/* ---- to logical type strings ---------------------------------------------------------------- */

static ia_status refuse_type(ia_ctx *cx, const ia_type *t, const char *field)
{
    char text[96];

    return ia_fail(cx, IA_ERR_UNSUPPORTED, "field '%s': type %s cannot be stored in a Lance file",
                   field, ia_type_text(t, text, sizeof text));
}

static void put_time(ia_ctx *cx, ia_buf *b, const ia_type *t)
{
    const char *head = t->id == IA_TYPE_TIME32     ? "time32"
                       : t->id == IA_TYPE_TIME64   ? "time64"
                       : t->id == IA_TYPE_DURATION ? "duration"
                                                   : "timestamp";

    ia_buf_printf(cx, b, "%s:%s", head, unit_names[t->unit]);
    if (t->id == IA_TYPE_TIMESTAMP)
        ia_buf_printf(cx, b, ":%s", t->tz ? t->tz : "-");
}

static ia_status put_logical(ia_ctx *cx, ia_buf *b, const ia_type *t, const char *field, int depth);

static ia_status put_fixed_list(ia_ctx *cx, ia_buf *b, const ia_type *t, const char *field,
                                int depth)
{
    const ia_type *item = t->children[0].type;

    if (t->size < 1 ||
        (item->id != IA_TYPE_STRUCT && (!ia_type_bits(item) || item->id == IA_TYPE_DICTIONARY)))
        return refuse_type(cx, t, field);
    ia_buf_puts(cx, b, "fixed_size_list:");
    IA_TRY(put_logical(cx, b, item, field, depth + 1));
    ia_buf_printf(cx, b, ":%" PRId32, t->size);
    return IA_OK;
}

/* An empty zone would read as none. */
static ia_status put_timestamp(ia_ctx *cx, ia_buf *b, const ia_type *t, const char *field)
{
    if (t->tz && (!*t->tz || ia_str_eq(t->tz, "-")))
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "field '%s': time zone '%s' cannot be written, use a zone name or UTC",
                       field, t->tz);
    put_time(cx, b, t);
    return IA_OK;
}

/* The engine splits the name at each ':', so that no part may hold one. The last part says whether
 * the dictionary is ordered; nobody keeps that. */
static ia_status put_dictionary(ia_ctx *cx, ia_buf *b, const ia_type *t, const char *field,
                                int depth)
{
    const ia_type *value = t->children[1].type;
    size_t from;

    if (value->id == IA_TYPE_NULL || value->id == IA_TYPE_DICTIONARY ||
        value->id == IA_TYPE_FIXED_LIST || value->id == IA_TYPE_STRUCT || ia_type_is_list(value))
        return refuse_type(cx, t, field);
    ia_buf_puts(cx, b, "dict:");
    from = b->len;
    IA_TRY(put_logical(cx, b, value, field, depth + 1));
    if (memchr(b->data + from, ':', b->len - from))
        return refuse_type(cx, t, field);
    ia_buf_puts(cx, b, ":");
    IA_TRY(put_logical(cx, b, t->children[0].type, field, depth + 1));
    ia_buf_puts(cx, b, ":false");
    return IA_OK;
}

static ia_status put_logical(ia_ctx *cx, ia_buf *b, const ia_type *t, const char *field, int depth)
{
    if (depth > MAX_DEPTH)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "field '%s': types nested deeper than %d", field,
                       MAX_DEPTH);
    for (size_t i = 0; i < sizeof basic_names / sizeof *basic_names; i++) {
        if (basic_names[i].id == t->id) {
            ia_buf_puts(cx, b, basic_names[i].name);
            return ia_buf_status(b);
        }
    }
    if (t->id == IA_TYPE_FIXED_BINARY) {
        ia_buf_printf(cx, b, "fixed_size_binary:%" PRId32, t->size);
    } else if (t->id == IA_TYPE_TIMESTAMP) {
        IA_TRY(put_timestamp(cx, b, t, field));
    } else if (t->id == IA_TYPE_TIME32 || t->id == IA_TYPE_TIME64 || t->id == IA_TYPE_DURATION) {
        put_time(cx, b, t);
    } else if (t->id == IA_TYPE_DECIMAL128 || t->id == IA_TYPE_DECIMAL256) {
        ia_buf_printf(cx, b, "decimal:%s:%" PRId32 ":%" PRId32,
                      t->id == IA_TYPE_DECIMAL128 ? "128" : "256", t->precision, t->scale);
    } else if (t->id == IA_TYPE_LIST || t->id == IA_TYPE_LARGE_LIST) {
        ia_buf_puts(cx, b, t->id == IA_TYPE_LIST ? "list" : "large_list");
        if (t->children[0].type->id == IA_TYPE_STRUCT)
            ia_buf_puts(cx, b, ".struct");
    } else if (t->id == IA_TYPE_STRUCT) {
        ia_buf_puts(cx, b, "struct");
    } else if (t->id == IA_TYPE_MAP) {
        ia_buf_puts(cx, b, "map");
    } else if (t->id == IA_TYPE_DICTIONARY) {
        IA_TRY(put_dictionary(cx, b, t, field, depth));
    } else if (t->id == IA_TYPE_FIXED_LIST) {
        IA_TRY(put_fixed_list(cx, b, t, field, depth));
    } else {
        return refuse_type(cx, t, field);
    }
    return ia_buf_status(b);
}

/* The informative `encoding` member (1 plain, 2 variable width, 3 dictionary; absent for struct and
 * null) and the name of an extension type. */
static ia_status set_extra(ia_ctx *cx, ia_lfield *out, const ia_field *f)
{
    const char *extension = ia_field_meta(f, "ARROW:extension:name");
    const ia_type *t = f->type;
    ia_buf b = {0};
    ia_status st;

    if (t->id != IA_TYPE_STRUCT && t->id != IA_TYPE_NULL)
        ia_wire_put_u64(cx, &b, 7, ia_type_is_var(t) ? 2 : t->id == IA_TYPE_DICTIONARY ? 3 : 1);
    ia_wire_put_str(cx, &b, 9, extension);
    IA_GO(ia_buf_status(&b));
    if (b.len)
        IA_GO(ia_bytes_copy(cx, b.data, b.len, &out->extra));
done:
    ia_buf_dispose(&b);
    return st;
}

static ia_status make_field(ia_ctx *cx, const ia_field *f, int32_t id, int32_t parent, int depth,
                            ia_lfield *out)
{
    ia_buf text = {0};
    ia_status st;

    out->id = id;
    out->parent_id = parent;
    out->nullable = f->nullable;
    IA_GO(IA_SET(cx, out->name, ia_strdup(cx, f->name)));
    IA_GO(put_logical(cx, &text, f->type, f->name, depth));
    IA_GO(ia_buf_finish_str(cx, &text, &out->logical_type));
    IA_GO(set_extra(cx, out, f));
    IA_GO(ia_kv_copy(cx, f->metadata, f->n_metadata, &out->metadata, &out->n_metadata));
done:
    ia_buf_dispose(&text);
    return st;
}

/* Types with child fields in the schema. */
static bool is_parent(const ia_type *t)
{
    return ia_type_is_list(t) || t->id == IA_TYPE_STRUCT ||
           (t->id == IA_TYPE_FIXED_LIST && t->children[0].type->id == IA_TYPE_STRUCT);
}

static bool is_blob_v2(const ia_field *f)
{
    const char *name = ia_field_meta(f, "ARROW:extension:name");

    return name && ia_str_eq(name, "lance.blob.v2");
}

static ia_status add_field(ia_ctx *cx, ia_lschema *ls, const ia_field *f, int32_t parent,
                           int32_t *next, int depth)
{
    ia_lfield lf = {0};
    int32_t id = *next;
    ia_status st;

    if (id == INT32_MAX)
        return ia_fail(cx, IA_ERR_INVALID, "field '%s': field ids are used up", f->name);
    if (is_blob_v2(f))
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "field '%s': columns of type lance.blob.v2 are read, not written", f->name);
    IA_GO(make_field(cx, f, id, parent, depth, &lf));
    IA_GO(ia_lschema_add(cx, ls, &lf));
    (*next)++;
    if (is_parent(f->type)) {
        for (size_t i = 0; i < f->type->n_children; i++)
            IA_GO(add_field(cx, ls, &f->type->children[i], id, next, depth + 1));
    }
done:
    ia_lfield_dispose(&lf);
    return st;
}

ia_status ia_lschema_from_arrow(ia_ctx *cx, const ia_schema *s, int32_t first_id, ia_lschema *out)
{
    ia_lschema ls = {0};
    int32_t next = first_id;
    ia_status st = IA_OK;

    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < s->n_fields; i++)
        IA_GO(add_field(cx, &ls, &s->fields[i], -1, &next, 0));
    IA_GO(ia_kv_copy(cx, s->metadata, s->n_metadata, &ls.metadata, &ls.n_metadata));
    *out = ls;
    memset(&ls, 0, sizeof ls);
done:
    ia_lschema_dispose(&ls);
    return st;
}

/* ---- the rest ------------------------------------------------------------------------------- */

static ia_status copy_field(ia_ctx *cx, const ia_lfield *f, ia_lfield *out)
{
    out->id = f->id;
    out->parent_id = f->parent_id;
    out->nullable = f->nullable;
    IA_TRY(IA_SET(cx, out->name, ia_strdup(cx, f->name)));
    IA_TRY(IA_SET(cx, out->logical_type, ia_strdup(cx, f->logical_type)));
    IA_TRY(ia_kv_copy(cx, f->metadata, f->n_metadata, &out->metadata, &out->n_metadata));
    if (f->extra.len)
        IA_TRY(ia_bytes_copy(cx, f->extra.data, f->extra.len, &out->extra));
    return IA_OK;
}

ia_status ia_lschema_copy(ia_ctx *cx, const ia_lschema *in, ia_lschema *out)
{
    ia_lschema ls = {0};
    ia_status st = IA_OK;

    memset(out, 0, sizeof *out);
    if (in->n)
        IA_GO(IA_NEW_ARRAY(cx, ls.fields, in->n));
    ls.n = in->n;
    for (size_t i = 0; i < in->n; i++)
        IA_GO(copy_field(cx, &in->fields[i], &ls.fields[i]));
    IA_GO(ia_kv_copy(cx, in->metadata, in->n_metadata, &ls.metadata, &ls.n_metadata));
    *out = ls;
    memset(&ls, 0, sizeof ls);
done:
    ia_lschema_dispose(&ls);
    return st;
}

void ia_lschema_dispose(ia_lschema *ls)
{
    if (!ls)
        return;
    for (size_t i = 0; ls->fields && i < ls->n; i++)
        ia_lfield_dispose(&ls->fields[i]);
    ia_free(ls->fields);
    ia_kv_free(ls->metadata, ls->n_metadata);
    memset(ls, 0, sizeof *ls);
}

static const char *field_meta(const ia_lfield *f, const char *key)
{
    for (size_t i = 0; i < f->n_metadata; i++) {
        if (ia_str_eq(f->metadata[i].key, key))
            return f->metadata[i].value;
    }
    return NULL;
}

static bool meta_true(const ia_lfield *f, const char *key)
{
    const char *v = field_meta(f, key);

    return v && ia_str_eq_nocase(v, "true");
}

bool ia_lfield_is_blob(const ia_lfield *f)
{
    const char *ext = field_meta(f, "ARROW:extension:name");

    if (!ia_str_eq(f->logical_type, "struct"))
        return ia_str_eq(f->logical_type, "large_binary") && meta_true(f, "lance-encoding:blob");
    return meta_true(f, "lance-encoding:blob") || (ext && ia_str_eq(ext, "lance.blob.v2"));
}

bool ia_lfield_is_blob_part(const ia_lschema *ls, size_t i)
{
    return i < ls->n && ls->fields[i].id == -1 && ls->fields[i].parent_id == -1;
}

static bool is_packed(const ia_lfield *f)
{
    return ia_str_eq(f->logical_type, "struct") &&
           (meta_true(f, "lance-encoding:packed") || meta_true(f, "packed"));
}

size_t ia_lschema_subtree_end(const ia_lschema *ls, size_t i, bool parts)
{
    int32_t path[MAX_DEPTH + 2]; /* ids from field i down to the last one seen */
    size_t next = i + 1, depth = 1;

    path[0] = ls->fields[i].id;
    for (; next < ls->n && ls->fields[next].parent_id != -1; next++) {
        while (depth && path[depth - 1] != ls->fields[next].parent_id)
            depth--;
        if (!depth || depth == sizeof path / sizeof *path)
            break;
        path[depth++] = ls->fields[next].id;
    }
    while (parts && ia_lfield_is_blob(&ls->fields[i]) && ia_lfield_is_blob_part(ls, next))
        next++;
    return next;
}

/* A leaf is a field whose next field is not its child; what stands below a packed struct or a blob
 * is inside it. */
ia_status ia_lschema_leaves(ia_ctx *cx, const ia_lschema *ls, size_t top, int32_t **ids, size_t *n)
{
    int32_t *v = NULL;
    size_t count = 0, seen = 0;
    bool take = false;
    ia_status st;

    *ids = NULL;
    *n = 0;
    IA_GO(IA_NEW_ARRAY(cx, v, ls->n ? ls->n : 1));
    for (size_t i = 0; i < ls->n;) {
        const ia_lfield *f = &ls->fields[i];
        size_t next = i + 1;

        if (f->parent_id == -1)
            take = top == SIZE_MAX || seen++ == top;
        if (is_packed(f) || ia_lfield_is_blob(f)) {
            next = ia_lschema_subtree_end(ls, i, true);
        } else if (next < ls->n && ls->fields[next].parent_id == f->id) {
            i = next;
            continue;
        }
        if (take)
            v[count++] = f->id;
        i = next;
    }
    *ids = v;
    *n = count;
    v = NULL;
done:
    ia_free(v);
    return st;
}

bool ia_lschema_basic_id(ia_view name, ia_type_id *out)
{
    for (size_t i = 0; i < sizeof basic_names / sizeof *basic_names; i++) {
        if (ia_view_eq_str(name, basic_names[i].name)) {
            *out = basic_names[i].id;
            return true;
        }
    }
    return false;
}

int32_t ia_lschema_max_id(const ia_lschema *ls)
{
    int32_t max = -1;

    for (size_t i = 0; i < ls->n; i++)
        max = ls->fields[i].id > max ? ls->fields[i].id : max;
    return max;
}

size_t ia_lschema_find(const ia_lschema *ls, const char *name)
{
    for (size_t i = 0; i < ls->n; i++) {
        if (ls->fields[i].parent_id == -1 && ls->fields[i].id >= 0 &&
            ia_str_eq(ls->fields[i].name, name))
            return i;
    }
    return SIZE_MAX;
}
