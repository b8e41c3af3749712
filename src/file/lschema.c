/* lschema.c - Lance's flat schema and its mapping to and from Arrow types. */
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

    if (!ia_type_bits(item) || t->size < 1)
        return refuse_type(cx, t, field);
    ia_buf_puts(cx, b, "fixed_size_list:");
    IA_TRY(put_logical(cx, b, item, field, depth + 1));
    ia_buf_printf(cx, b, ":%" PRId32, t->size);
    return IA_OK;
}

/* The engine's own parser takes exactly three parts, so a zone with ':' is refused here. */
static ia_status put_timestamp(ia_ctx *cx, ia_buf *b, const ia_type *t, const char *field)
{
    if (t->tz && (strchr(t->tz, ':') || !*t->tz))
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "field '%s': time zone '%s' cannot be written, use a zone name or UTC",
                       field, t->tz);
    put_time(cx, b, t);
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
    } else if (t->id == IA_TYPE_FIXED_LIST) {
        IA_TRY(put_fixed_list(cx, b, t, field, depth));
    } else {
        return refuse_type(cx, t, field);
    }
    return ia_buf_status(b);
}

/* The informative `encoding` member: 1 plain, 2 variable width; absent for struct and null. */
static ia_status set_extra(ia_ctx *cx, ia_lfield *f, const ia_type *t)
{
    uint8_t wire[2] = {0x38, 1};

    if (t->id == IA_TYPE_STRUCT || t->id == IA_TYPE_NULL)
        return IA_OK;
    if (ia_type_is_var(t))
        wire[1] = 2;
    return ia_bytes_copy(cx, wire, sizeof wire, &f->extra);
}

static ia_status copy_kv(ia_ctx *cx, const ia_kv *in, size_t n, ia_kv **out, size_t *n_out)
{
    if (!n)
        return IA_OK;
    IA_TRY(IA_NEW_ARRAY(cx, *out, n));
    *n_out = n;
    for (size_t i = 0; i < n; i++) {
        IA_TRY(IA_SET(cx, (*out)[i].key, ia_strdup(cx, in[i].key ? in[i].key : "")));
        IA_TRY(IA_SET(cx, (*out)[i].value, ia_strdup(cx, in[i].value ? in[i].value : "")));
    }
    return IA_OK;
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
    IA_GO(set_extra(cx, out, f->type));
    IA_GO(copy_kv(cx, f->metadata, f->n_metadata, &out->metadata, &out->n_metadata));
done:
    ia_buf_dispose(&text);
    return st;
}

static ia_status add_field(ia_ctx *cx, ia_lschema *ls, const ia_field *f, int32_t parent,
                           int32_t *next, int depth)
{
    ia_lfield lf = {0};
    int32_t id = *next;
    ia_status st;

    if (id == INT32_MAX)
        return ia_fail(cx, IA_ERR_INVALID, "field '%s': field ids are used up", f->name);
    IA_GO(make_field(cx, f, id, parent, depth, &lf));
    IA_GO(ia_lschema_add(cx, ls, &lf));
    (*next)++;
    if (f->type->id == IA_TYPE_LIST || f->type->id == IA_TYPE_LARGE_LIST ||
        f->type->id == IA_TYPE_STRUCT) {
        if (!f->type->n_children)
            IA_GO(refuse_type(cx, f->type, f->name));
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
    IA_GO(copy_kv(cx, s->metadata, s->n_metadata, &ls.metadata, &ls.n_metadata));
    *out = ls;
    memset(&ls, 0, sizeof ls);
done:
    ia_lschema_dispose(&ls);
    return st;
}

/* ---- from logical type strings -------------------------------------------------------------- */

static ia_status refuse_logical(ia_ctx *cx, const char *field, const char *logical)
{
    return ia_fail(cx, IA_ERR_UNSUPPORTED, "field '%s': Lance type '%s' is not supported", field,
                   logical);
}

static bool parse_i32(const char *s, size_t n, int32_t *out)
{
    char tmp[16];
    char *end;
    long v;

    if (!n || n >= sizeof tmp)
        return false;
    memcpy(tmp, s, n);
    tmp[n] = 0;
    v = strtol(tmp, &end, 10);
    if (*end || v < INT32_MIN || v > INT32_MAX)
        return false;
    *out = (int32_t)v;
    return true;
}

static bool parse_unit(ia_view v, ia_time_unit *out)
{
    for (int i = 0; i < 4; i++) {
        if (ia_view_eq_str(v, unit_names[i])) {
            *out = (ia_time_unit)i;
            return true;
        }
    }
    return false;
}

static bool cut_prefix(ia_view *v, const char *prefix)
{
    size_t n = strlen(prefix);

    if (!ia_view_starts_with(*v, prefix))
        return false;
    v->data += n;
    v->len -= n;
    return true;
}

/* Splits at the last ':'; false when there is none. */
static bool cut_last(ia_view *head, ia_view *tail)
{
    for (size_t i = head->len; i-- > 0;) {
        if (head->data[i] == ':') {
            tail->data = head->data + i + 1;
            tail->len = head->len - i - 1;
            head->len = i;
            return true;
        }
    }
    return false;
}

static ia_status parse_timestamp(ia_ctx *cx, ia_view v, const char *field, const char *whole,
                                 ia_type **out)
{
    const char *colon = memchr(v.data, ':', v.len);
    ia_view unit = v, zone;
    ia_time_unit u;
    char *tz = NULL;
    ia_status st;

    if (!colon)
        return refuse_logical(cx, field, whole);
    unit.len = (size_t)(colon - v.data);
    zone.data = colon + 1;
    zone.len = v.len - unit.len - 1;
    if (!parse_unit(unit, &u))
        return refuse_logical(cx, field, whole);
    if (ia_view_eq_str(zone, "-") || !zone.len)
        return ia_type_time(cx, IA_TYPE_TIMESTAMP, u, NULL, out);
    tz = ia_strndup(cx, zone.data, zone.len);
    if (!tz)
        return cx->err.code;
    st = ia_type_time(cx, IA_TYPE_TIMESTAMP, u, tz, out);
    ia_free(tz);
    return st;
}

static ia_status parse_decimal(ia_ctx *cx, ia_view v, const char *field, const char *whole,
                               ia_type **out)
{
    ia_view scale;
    ia_view precision;
    int32_t p, s;
    ia_type_id id;

    if (!cut_last(&v, &scale) || !cut_last(&v, &precision) ||
        !parse_i32(scale.data, scale.len, &s) || !parse_i32(precision.data, precision.len, &p))
        return refuse_logical(cx, field, whole);
    if (ia_view_eq_str(v, "128"))
        id = IA_TYPE_DECIMAL128;
    else if (ia_view_eq_str(v, "256"))
        id = IA_TYPE_DECIMAL256;
    else
        return refuse_logical(cx, field, whole);
    return ia_type_decimal(cx, id, p, s, out);
}

static ia_status parse_logical(ia_ctx *cx, ia_view v, const char *field, const char *whole,
                               int depth, ia_type **out);

static ia_status parse_fixed_list(ia_ctx *cx, ia_view v, const char *field, const char *whole,
                                  int depth, ia_type **out)
{
    ia_view dim;
    ia_type *item = NULL;
    int32_t n;
    ia_status st;

    if (!cut_last(&v, &dim) || !parse_i32(dim.data, dim.len, &n) || n < 1)
        return refuse_logical(cx, field, whole);
    IA_GO(parse_logical(cx, v, field, whole, depth + 1, &item));
    if (!ia_type_bits(item) || (uint64_t)ia_type_bits(item) * (uint64_t)n > UINT32_MAX) {
        st = refuse_logical(cx, field, whole);
        goto done;
    }
    IA_GO(ia_type_list(cx, IA_TYPE_FIXED_LIST, n, "item", item, true, out));
done:
    ia_type_release(item);
    return st;
}

/* Types without child fields. A dictionary type reads as its value type: pages say how. */
static ia_status parse_logical(ia_ctx *cx, ia_view v, const char *field, const char *whole,
                               int depth, ia_type **out)
{
    ia_time_unit u;
    int32_t n;
    ia_view tail;

    if (depth > MAX_DEPTH)
        return refuse_logical(cx, field, whole);
    for (size_t i = 0; i < sizeof basic_names / sizeof *basic_names; i++) {
        if (ia_view_eq_str(v, basic_names[i].name)) {
            *out = ia_type_basic(basic_names[i].id);
            return IA_OK;
        }
    }
    if (cut_prefix(&v, "fixed_size_binary:") && parse_i32(v.data, v.len, &n) && n > 0 &&
        n <= INT32_MAX / 8)
        return ia_type_fixed_binary(cx, n, out);
    if (cut_prefix(&v, "time32:") && parse_unit(v, &u) && u <= IA_UNIT_MS)
        return ia_type_time(cx, IA_TYPE_TIME32, u, NULL, out);
    if (cut_prefix(&v, "time64:") && parse_unit(v, &u) && u >= IA_UNIT_US)
        return ia_type_time(cx, IA_TYPE_TIME64, u, NULL, out);
    if (cut_prefix(&v, "duration:") && parse_unit(v, &u))
        return ia_type_time(cx, IA_TYPE_DURATION, u, NULL, out);
    if (cut_prefix(&v, "timestamp:"))
        return parse_timestamp(cx, v, field, whole, out);
    if (cut_prefix(&v, "decimal:"))
        return parse_decimal(cx, v, field, whole, out);
    if (cut_prefix(&v, "fixed_size_list:"))
        return parse_fixed_list(cx, v, field, whole, depth, out);
    if (depth == 0 && cut_prefix(&v, "dict:") && cut_last(&v, &tail) && cut_last(&v, &tail))
        return parse_logical(cx, v, field, whole, depth + 1, out);
    return refuse_logical(cx, field, whole);
}

static bool is_list(const char *logical, ia_type_id *id)
{
    if (ia_str_eq(logical, "list") || ia_str_eq(logical, "list.struct"))
        *id = IA_TYPE_LIST;
    else if (ia_str_eq(logical, "large_list") || ia_str_eq(logical, "large_list.struct"))
        *id = IA_TYPE_LARGE_LIST;
    else
        return false;
    return true;
}

static ia_status build_field(ia_ctx *cx, const ia_lschema *ls, size_t *pos, int depth,
                             ia_field *out);

static ia_status build_children(ia_ctx *cx, const ia_lschema *ls, size_t *pos, int32_t id,
                                int depth, ia_field **kids, size_t *n)
{
    while (*pos < ls->n && ls->fields[*pos].parent_id == id) {
        ia_field *grown = ia_realloc(cx, *kids, (*n + 1) * sizeof *grown);

        if (!grown)
            return cx->err.code;
        *kids = grown;
        memset(&grown[*n], 0, sizeof *grown);
        (*n)++;
        IA_TRY(build_field(cx, ls, pos, depth + 1, &grown[*n - 1]));
    }
    return IA_OK;
}

static ia_status nested_type(ia_ctx *cx, const ia_lfield *f, ia_field *kids, size_t n,
                             ia_type **out)
{
    ia_type_id id;

    if (is_list(f->logical_type, &id)) {
        if (n != 1)
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "schema field '%s' (id %" PRId32 "): a list has %zu child fields",
                           f->name, f->id, n);
        return ia_type_list(cx, id, 0, kids[0].name, kids[0].type, kids[0].nullable, out);
    }
    if (!n)
        return refuse_logical(cx, f->name, "struct without fields");
    return ia_type_struct(cx, kids, n, out);
}

static ia_status build_field(ia_ctx *cx, const ia_lschema *ls, size_t *pos, int depth,
                             ia_field *out)
{
    const ia_lfield *f = &ls->fields[(*pos)++];
    ia_field *kids = NULL;
    size_t n = 0;
    ia_type_id id;
    ia_status st;

    if (depth > MAX_DEPTH)
        return ia_fail(cx, IA_ERR_CORRUPT, "schema field '%s': nested deeper than %d", f->name,
                       MAX_DEPTH);
    IA_GO(IA_SET(cx, out->name, ia_strdup(cx, f->name)));
    out->nullable = f->nullable;
    IA_GO(copy_kv(cx, f->metadata, f->n_metadata, &out->metadata, &out->n_metadata));
    if (is_list(f->logical_type, &id) || ia_str_eq(f->logical_type, "struct")) {
        IA_GO(build_children(cx, ls, pos, f->id, depth, &kids, &n));
        IA_GO(nested_type(cx, f, kids, n, &out->type));
    } else {
        IA_GO(parse_logical(cx, ia_view_of(f->logical_type), f->name, f->logical_type, 0,
                            &out->type));
    }
done:
    for (size_t i = 0; i < n; i++)
        ia_field_dispose(&kids[i]);
    ia_free(kids);
    return st;
}

static ia_status check_ids(ia_ctx *cx, const ia_lschema *ls)
{
    for (size_t i = 0; i < ls->n; i++) {
        if (ls->fields[i].id < 0)
            return ia_fail(cx, IA_ERR_CORRUPT, "schema field '%s' has id %" PRId32,
                           ls->fields[i].name, ls->fields[i].id);
    }
    return IA_OK;
}

ia_status ia_lschema_to_arrow(ia_ctx *cx, const ia_lschema *ls, ia_schema **out)
{
    ia_schema *s = NULL;
    ia_field *fields = NULL;
    size_t n = 0, pos = 0;
    ia_status st;

    *out = NULL;
    IA_GO(check_ids(cx, ls));
    IA_GO(build_children(cx, ls, &pos, -1, 0, &fields, &n));
    if (pos != ls->n)
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT,
                      "schema field '%s' (id %" PRId32 "): parent %" PRId32 " is not before it",
                      ls->fields[pos].name, ls->fields[pos].id, ls->fields[pos].parent_id));
    IA_GO(ia_schema_new(cx, fields, n, &s));
    IA_GO(copy_kv(cx, ls->metadata, ls->n_metadata, &s->metadata, &s->n_metadata));
    *out = s;
    s = NULL;
done:
    ia_schema_release(s);
    for (size_t i = 0; i < n; i++)
        ia_field_dispose(&fields[i]);
    ia_free(fields);
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
    IA_TRY(copy_kv(cx, f->metadata, f->n_metadata, &out->metadata, &out->n_metadata));
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
    IA_GO(copy_kv(cx, in->metadata, in->n_metadata, &ls.metadata, &ls.n_metadata));
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

static bool is_packed(const ia_lfield *f)
{
    const char *a = field_meta(f, "lance-encoding:packed"), *b = field_meta(f, "packed");

    return ia_str_eq(f->logical_type, "struct") &&
           ((a && ia_str_eq_nocase(a, "true")) || (b && ia_str_eq_nocase(b, "true")));
}

/* A leaf is a field whose next field is not its child; what stands below a packed struct is inside
 * it. */
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
        if (is_packed(f)) {
            while (next < ls->n && ls->fields[next].parent_id >= f->id &&
                   ls->fields[next].parent_id != -1)
                next++;
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
        if (ls->fields[i].parent_id == -1 && ia_str_eq(ls->fields[i].name, name))
            return i;
    }
    return SIZE_MAX;
}
