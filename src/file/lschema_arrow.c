/* lschema_arrow.c - Arrow types of a Lance schema: logical type names and field trees. */
#include <inttypes.h>
#include <stdlib.h>

#include "file/lschema_wire.h"

enum { MAX_DEPTH = 32 };

static const char *const unit_names[] = {"s", "ms", "us", "ns"};

/* The walk over a flat schema; `exact` as in ia_lschema_to_arrow_exact. */
typedef struct parse_state {
    const ia_lschema *ls;
    size_t pos;
    bool exact;
} parse_state;

/* The logical type of one field, for messages. */
typedef struct parse_type {
    const char *field, *whole;
    bool exact;
} parse_type;

/* ---- logical type strings ------------------------------------------------------------------- */

static ia_status refuse_logical(ia_ctx *cx, const parse_type *p)
{
    return ia_fail(cx, IA_ERR_UNSUPPORTED, "field '%s': Lance type '%s' is not supported", p->field,
                   p->whole);
}

static bool parse_i32(ia_view v, int32_t *out)
{
    char tmp[16];
    char *end;
    long n;

    if (!v.len || v.len >= sizeof tmp)
        return false;
    memcpy(tmp, v.data, v.len);
    tmp[v.len] = 0;
    n = strtol(tmp, &end, 10);
    if (*end || n < INT32_MIN || n > INT32_MAX)
        return false;
    *out = (int32_t)n;
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

/* Everything after the unit is the zone: it may hold ':' itself. */
static ia_status parse_timestamp(ia_ctx *cx, ia_view v, const parse_type *p, ia_type **out)
{
    const char *colon = memchr(v.data, ':', v.len);
    ia_view unit = v, zone;
    ia_time_unit u;
    char *tz = NULL;
    ia_status st;

    if (!colon)
        return refuse_logical(cx, p);
    unit.len = (size_t)(colon - v.data);
    zone.data = colon + 1;
    zone.len = v.len - unit.len - 1;
    if (!parse_unit(unit, &u))
        return refuse_logical(cx, p);
    if (ia_view_eq_str(zone, "-") || !zone.len)
        return ia_type_time(cx, IA_TYPE_TIMESTAMP, u, NULL, out);
    tz = ia_strndup(cx, zone.data, zone.len);
    if (!tz)
        return cx->err.code;
    st = ia_type_time(cx, IA_TYPE_TIMESTAMP, u, tz, out);
    ia_free(tz);
    return st;
}

static ia_status parse_decimal(ia_ctx *cx, ia_view v, const parse_type *p, ia_type **out)
{
    ia_view scale, precision;
    int32_t digits, s;
    ia_type_id id;

    if (!cut_last(&v, &scale) || !cut_last(&v, &precision) || !parse_i32(scale, &s) ||
        !parse_i32(precision, &digits))
        return refuse_logical(cx, p);
    if (ia_view_eq_str(v, "128"))
        id = IA_TYPE_DECIMAL128;
    else if (ia_view_eq_str(v, "256"))
        id = IA_TYPE_DECIMAL256;
    else
        return refuse_logical(cx, p);
    if (digits < 1 || digits > (id == IA_TYPE_DECIMAL256 ? 76 : 38))
        return refuse_logical(cx, p);
    return ia_type_decimal(cx, id, digits, s, out);
}

static ia_status parse_logical(ia_ctx *cx, ia_view v, const parse_type *p, int depth,
                               ia_type **out);

static ia_status put_meta(ia_ctx *cx, ia_field *f, const char *key, const char *value)
{
    ia_kv *grown = ia_realloc(cx, f->metadata, (f->n_metadata + 1) * sizeof *grown);

    if (!grown)
        return cx->err.code;
    f->metadata = grown;
    grown += f->n_metadata;
    memset(grown, 0, sizeof *grown);
    f->n_metadata++;
    IA_TRY(IA_SET(cx, grown->key, ia_strdup(cx, key)));
    return IA_SET(cx, grown->value, ia_strdup(cx, value));
}

/* Items that are no Arrow type: two bytes with an extension name. */
static ia_status bfloat_list(ia_ctx *cx, int32_t n, ia_type **out)
{
    ia_type *item = NULL, *list = NULL;
    ia_status st;

    IA_GO(ia_type_fixed_binary(cx, 2, &item));
    IA_GO(ia_type_list(cx, IA_TYPE_FIXED_LIST, n, "item", item, true, &list));
    IA_GO(put_meta(cx, &list->children[0], "ARROW:extension:name", "lance.bfloat16"));
    IA_GO(put_meta(cx, &list->children[0], "ARROW:extension:metadata", ""));
    *out = list;
    list = NULL;
done:
    ia_type_release(item);
    ia_type_release(list);
    return st;
}

static ia_status parse_fixed_list(ia_ctx *cx, ia_view v, const parse_type *p, int depth,
                                  ia_type **out)
{
    ia_view dim;
    ia_type *item = NULL;
    int32_t n;
    ia_status st;

    if (!cut_last(&v, &dim) || !parse_i32(dim, &n) || n < 1)
        return refuse_logical(cx, p);
    if (ia_view_eq_str(v, "lance.bfloat16") && n <= INT32_MAX / 16)
        return bfloat_list(cx, n, out);
    IA_GO(parse_logical(cx, v, p, depth + 1, &item));
    if (!ia_type_bits(item) || (uint64_t)ia_type_bits(item) * (uint64_t)n > UINT32_MAX)
        IA_GO(refuse_logical(cx, p));
    IA_GO(ia_type_list(cx, IA_TYPE_FIXED_LIST, n, "item", item, true, out));
done:
    ia_type_release(item);
    return st;
}

/* dict:VALUE:INDEX:ORDERED */
static ia_status parse_dictionary(ia_ctx *cx, ia_view v, const parse_type *p, ia_type **out)
{
    ia_type *index = NULL, *value = NULL;
    ia_view tail, ordered;
    ia_status st;

    if (!cut_last(&v, &ordered) || !cut_last(&v, &tail))
        return refuse_logical(cx, p);
    IA_GO(parse_logical(cx, v, p, 1, &value));
    IA_GO(parse_logical(cx, tail, p, 1, &index));
    if (!ia_type_is_int(index))
        IA_GO(refuse_logical(cx, p));
    if (p->exact) {
        IA_GO(ia_type_dictionary(cx, index, value, out));
    } else {
        *out = value;
        value = NULL;
    }
done:
    ia_type_release(index);
    ia_type_release(value);
    return st;
}

/* Types without child fields. A dictionary type reads as its value type: pages say how. */
static ia_status parse_logical(ia_ctx *cx, ia_view v, const parse_type *p, int depth, ia_type **out)
{
    ia_type_id id;
    ia_time_unit u;
    int32_t n;

    if (depth > MAX_DEPTH)
        return refuse_logical(cx, p);
    if (ia_lschema_basic_id(v, &id)) {
        *out = ia_type_basic(id);
        return IA_OK;
    }
    if (ia_view_eq_str(v, "json")) { /* the extension lance.json: its binary form */
        *out = ia_type_basic(IA_TYPE_LARGE_BINARY);
        return IA_OK;
    }
    if (cut_prefix(&v, "fixed_size_binary:") && parse_i32(v, &n) && n > 0 && n <= INT32_MAX / 8)
        return ia_type_fixed_binary(cx, n, out);
    if (cut_prefix(&v, "time32:") && parse_unit(v, &u) && u <= IA_UNIT_MS)
        return ia_type_time(cx, IA_TYPE_TIME32, u, NULL, out);
    if (cut_prefix(&v, "time64:") && parse_unit(v, &u) && u >= IA_UNIT_US)
        return ia_type_time(cx, IA_TYPE_TIME64, u, NULL, out);
    if (cut_prefix(&v, "duration:") && parse_unit(v, &u))
        return ia_type_time(cx, IA_TYPE_DURATION, u, NULL, out);
    if (cut_prefix(&v, "timestamp:"))
        return parse_timestamp(cx, v, p, out);
    if (cut_prefix(&v, "decimal:"))
        return parse_decimal(cx, v, p, out);
    if (cut_prefix(&v, "fixed_size_list:"))
        return parse_fixed_list(cx, v, p, depth, out);
    if (depth == 0 && cut_prefix(&v, "dict:"))
        return parse_dictionary(cx, v, p, out);
    return refuse_logical(cx, p);
}

/* ---- field trees ---------------------------------------------------------------------------- */

static bool list_id(const char *logical, ia_type_id *id)
{
    if (ia_str_eq(logical, "list") || ia_str_eq(logical, "list.struct"))
        *id = IA_TYPE_LIST;
    else if (ia_str_eq(logical, "large_list") || ia_str_eq(logical, "large_list.struct"))
        *id = IA_TYPE_LARGE_LIST;
    else
        return false;
    return true;
}

static ia_status build_field(ia_ctx *cx, parse_state *p, int depth, ia_field *out);

typedef struct child_list {
    ia_field *v;
    size_t n;
} child_list;

static void children_dispose(child_list *c)
{
    for (size_t i = 0; i < c->n; i++)
        ia_field_dispose(&c->v[i]);
    ia_free(c->v);
}

static ia_status add_child(ia_ctx *cx, child_list *c, ia_field **out)
{
    ia_field *grown = ia_realloc(cx, c->v, (c->n + 1) * sizeof *grown);

    if (!grown)
        return cx->err.code;
    c->v = grown;
    memset(&grown[c->n], 0, sizeof *grown);
    *out = &grown[c->n++];
    return IA_OK;
}

static ia_status build_children(ia_ctx *cx, parse_state *p, int32_t id, int depth, child_list *c)
{
    ia_field *f = NULL;

    while (p->pos < p->ls->n && p->ls->fields[p->pos].parent_id == id) {
        IA_TRY(add_child(cx, c, &f));
        IA_TRY(build_field(cx, p, depth + 1, f));
    }
    return IA_OK;
}

static ia_status fixed_list_type(ia_ctx *cx, const parse_type *p, const ia_field *item,
                                 ia_type **out)
{
    ia_view v = ia_view_of(p->whole), dim;
    int32_t n;

    if (!cut_prefix(&v, "fixed_size_list:") || !cut_last(&v, &dim) || !parse_i32(dim, &n) || n < 1)
        return refuse_logical(cx, p);
    return ia_type_list(cx, IA_TYPE_FIXED_LIST, n, item->name, item->type, item->nullable, out);
}

static ia_status map_type(ia_ctx *cx, const parse_type *p, const ia_field *entries, ia_type **out)
{
    if (entries->type->id != IA_TYPE_STRUCT || entries->type->n_children != 2)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "schema field '%s': a map's entries are not a struct of two fields",
                       p->field);
    return ia_type_map(cx, entries->name, &entries->type->children[0], &entries->type->children[1],
                       false, out);
}

/* The type of a field with child fields; of a list, map or fixed-size list there is one. */
static ia_status nested_type(ia_ctx *cx, const ia_lfield *f, const parse_type *p,
                             const child_list *c, ia_type **out)
{
    ia_type_id id;
    bool list = list_id(f->logical_type, &id);

    if (ia_str_eq(f->logical_type, "struct"))
        return ia_type_struct(cx, c->v, c->n, out);
    if (c->n != 1)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "schema field '%s' (id %" PRId32 "): %s has %zu child fields", f->name,
                       f->id, f->logical_type, c->n);
    if (ia_str_eq(f->logical_type, "map"))
        return map_type(cx, p, &c->v[0], out);
    if (list)
        IA_TRY(ia_type_list(cx, id, 0, c->v[0].name, c->v[0].type, c->v[0].nullable, out));
    else
        IA_TRY(fixed_list_type(cx, p, &c->v[0], out));
    return ia_kv_copy(cx, c->v[0].metadata, c->v[0].n_metadata, &(*out)->children[0].metadata,
                      &(*out)->children[0].n_metadata);
}

/* ---- blobs ---------------------------------------------------------------------------------- */

static ia_status descriptor_child(ia_ctx *cx, child_list *c, const char *name, ia_type_id id,
                                  bool nullable)
{
    ia_field *f = NULL;

    IA_TRY(add_child(cx, c, &f));
    f->type = ia_type_basic(id);
    f->nullable = nullable;
    return IA_SET(cx, f->name, ia_strdup(cx, name));
}

/* Descriptor fields that a data file lists: they have no ids and no parent. */
static ia_status listed_descriptor(ia_ctx *cx, parse_state *p, child_list *c)
{
    ia_field *f = NULL;

    for (; ia_lfield_is_blob_part(p->ls, p->pos); p->pos++) {
        const ia_lfield *lf = &p->ls->fields[p->pos];
        parse_type type = {lf->name, lf->logical_type, p->exact};

        IA_TRY(add_child(cx, c, &f));
        f->nullable = lf->nullable;
        IA_TRY(IA_SET(cx, f->name, ia_strdup(cx, lf->name)));
        IA_TRY(parse_logical(cx, ia_view_of(lf->logical_type), &type, 0, &f->type));
    }
    return IA_OK;
}

/* What a scan gives for a blob field, whatever its logical fields are. */
static ia_status blob_type(ia_ctx *cx, parse_state *p, size_t at, ia_field *out)
{
    bool v2 = ia_str_eq(p->ls->fields[at].logical_type, "struct");
    child_list c = {0};
    ia_status st = IA_OK;

    p->pos = ia_lschema_subtree_end(p->ls, at, false);
    if (v2)
        IA_GO(listed_descriptor(cx, p, &c));
    if (v2 && !c.n)
        IA_GO(descriptor_child(cx, &c, "kind", IA_TYPE_U8, false));
    if (!v2 || c.n == 1) {
        IA_GO(descriptor_child(cx, &c, "position", IA_TYPE_U64, !v2));
        IA_GO(descriptor_child(cx, &c, "size", IA_TYPE_U64, !v2));
    }
    if (v2 && c.n == 3) {
        IA_GO(descriptor_child(cx, &c, "blob_id", IA_TYPE_U32, false));
        IA_GO(descriptor_child(cx, &c, "blob_uri", IA_TYPE_STRING, false));
    }
    IA_GO(ia_type_struct(cx, c.v, c.n, &out->type));
    ia_kv_free(out->metadata, out->n_metadata);
    out->metadata = NULL;
    out->n_metadata = 0;
    IA_GO(put_meta(cx, out, "lance-encoding:blob", "true"));
    if (v2)
        IA_GO(put_meta(cx, out, "lance-encoding:packed", "true"));
done:
    children_dispose(&c);
    return st;
}

/* ---- fields --------------------------------------------------------------------------------- */

static bool is_structure(const parse_state *p, const ia_lfield *f)
{
    ia_type_id id;

    if (list_id(f->logical_type, &id) || ia_str_eq(f->logical_type, "struct") ||
        ia_str_eq(f->logical_type, "map"))
        return true;
    return ia_view_starts_with(ia_view_of(f->logical_type), "fixed_size_list:") &&
           p->pos < p->ls->n && p->ls->fields[p->pos].parent_id == f->id;
}

static ia_status build_field(ia_ctx *cx, parse_state *p, int depth, ia_field *out)
{
    size_t at = p->pos++;
    const ia_lfield *f = &p->ls->fields[at];
    parse_type type = {f->name, f->logical_type, p->exact};
    child_list c = {0};
    ia_status st;

    if (depth > MAX_DEPTH)
        return ia_fail(cx, IA_ERR_CORRUPT, "schema field '%s': nested deeper than %d", f->name,
                       MAX_DEPTH);
    if (f->id < 0)
        return ia_fail(cx, IA_ERR_CORRUPT, "schema field '%s' has id %" PRId32, f->name, f->id);
    IA_GO(IA_SET(cx, out->name, ia_strdup(cx, f->name)));
    out->nullable = f->nullable;
    IA_GO(ia_kv_copy(cx, f->metadata, f->n_metadata, &out->metadata, &out->n_metadata));
    if (ia_lfield_is_blob(f)) {
        IA_GO(blob_type(cx, p, at, out));
    } else if (is_structure(p, f)) {
        IA_GO(build_children(cx, p, f->id, depth, &c));
        IA_GO(nested_type(cx, f, &type, &c, &out->type));
    } else {
        IA_GO(parse_logical(cx, ia_view_of(f->logical_type), &type, 0, &out->type));
    }
done:
    children_dispose(&c);
    return st;
}

static ia_status to_arrow(ia_ctx *cx, const ia_lschema *ls, bool exact, ia_schema **out)
{
    parse_state p = {ls, 0, exact};
    ia_schema *s = NULL;
    child_list c = {0};
    ia_status st;

    *out = NULL;
    IA_GO(build_children(cx, &p, -1, 0, &c));
    if (p.pos != ls->n)
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT,
                      "schema field '%s' (id %" PRId32 "): parent %" PRId32 " is not before it",
                      ls->fields[p.pos].name, ls->fields[p.pos].id, ls->fields[p.pos].parent_id));
    IA_GO(ia_schema_new(cx, c.v, c.n, &s));
    IA_GO(ia_kv_copy(cx, ls->metadata, ls->n_metadata, &s->metadata, &s->n_metadata));
    *out = s;
    s = NULL;
done:
    ia_schema_release(s);
    children_dispose(&c);
    return st;
}

ia_status ia_lschema_to_arrow(ia_ctx *cx, const ia_lschema *ls, ia_schema **out)
{
    return to_arrow(cx, ls, false, out);
}

ia_status ia_lschema_to_arrow_exact(ia_ctx *cx, const ia_lschema *ls, ia_schema **out)
{
    return to_arrow(cx, ls, true, out);
}

/* ---- what owns a column --------------------------------------------------------------------- */

static bool meta_true(const ia_field *f, const char *key)
{
    const char *v = ia_field_meta(f, key);

    return v && ia_str_eq_nocase(v, "true");
}

bool ia_field_is_packed(const ia_field *f)
{
    return f->type->id == IA_TYPE_STRUCT &&
           (meta_true(f, "lance-encoding:packed") || meta_true(f, "packed"));
}

static bool holds_fields(const ia_type *t)
{
    while (t->id == IA_TYPE_FIXED_LIST)
        t = t->children[0].type;
    return t->id == IA_TYPE_STRUCT || ia_type_is_list(t);
}

bool ia_field_is_leaf(const ia_field *f)
{
    const ia_type *t = f->type;

    if (t->id == IA_TYPE_FIXED_LIST)
        return !holds_fields(t);
    if (t->id != IA_TYPE_STRUCT)
        return !ia_type_is_list(t);
    return !t->n_children || ia_field_is_packed(f) || meta_true(f, "lance-encoding:blob");
}
