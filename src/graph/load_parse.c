/* load_parse.c - one JSON line into the typed columns of its type. */
#include "arrow/json_rows.h"
#include "graph/load_priv.h"

/* Members of one line. */
typedef struct line_parts {
    const ia_json *type, *edge, *from, *to, *data;
} line_parts;

static ia_status split_line(ia_ctx *cx, const ia_json *v, line_parts *out)
{
    const char *name;
    const ia_json *value;
    size_t it = 0;

    memset(out, 0, sizeof *out);
    if (ia_json_type(v) != IA_JSON_OBJECT)
        return ia_fail(cx, IA_ERR_INVALID, "a line must be a JSON object");
    while (ia_json_next(v, &it, &name, &value)) {
        const ia_json **slot = strcmp(name, "type") == 0   ? &out->type
                               : strcmp(name, "edge") == 0 ? &out->edge
                               : strcmp(name, "from") == 0 ? &out->from
                               : strcmp(name, "to") == 0   ? &out->to
                               : strcmp(name, "data") == 0 ? &out->data
                                                           : NULL;
        if (!slot)
            return ia_fail(cx, IA_ERR_INVALID,
                           "unknown member '%s' (there are type, edge, from, to and data)", name);
        if (slot != &out->data && ia_json_type(value) != IA_JSON_STRING)
            return ia_fail(cx, IA_ERR_INVALID, "member '%s' must be a string", name);
        *slot = value;
    }
    if (!out->type == !out->edge)
        return ia_fail(cx, IA_ERR_INVALID, "a line has %s of 'type' and 'edge'",
                       out->type ? "both" : "neither");
    if (out->data && ia_json_type(out->data) != IA_JSON_OBJECT)
        return ia_fail(cx, IA_ERR_INVALID, "member 'data' must be an object");
    if (out->type && (out->from || out->to))
        return ia_fail(cx, IA_ERR_INVALID, "a node line has no 'from' or 'to'");
    if (out->edge && (!out->from || !out->to))
        return ia_fail(cx, IA_ERR_INVALID, "an edge line needs 'from' and 'to'");
    return IA_OK;
}

/* ---- types
 * ------------------------------------------------------------------------------------------ */

ia_status ia_load_type_prepare(ia_ctx *cx, ia_load_type *t)
{
    const ia_schema *s = t->def->arrow_schema;

    IA_TRY(IA_NEW_ARRAY(cx, t->cols, s->n_fields));
    for (size_t i = 0; i < s->n_fields; i++)
        IA_TRY(ia_builder_init(cx, &t->cols[i], s->fields[i].type));
    IA_TRY(IA_NEW_ARRAY(cx, t->what, t->def->n_properties));
    IA_TRY(IA_NEW_ARRAY(cx, t->values, t->def->n_properties));
    for (size_t p = 0; p < t->def->n_properties; p++)
        IA_TRY(IA_SET(cx, t->what[p],
                      ia_sprintf(cx, "%s.%s", t->def->name, t->def->properties[p].name)));
    t->given_ids = t->def->n_key > 0;
    t->used = true;
    return IA_OK;
}

void ia_load_type_dispose(ia_load_type *t)
{
    if (!t->def)
        return;
    for (size_t i = 0; t->cols && i < t->def->arrow_schema->n_fields; i++)
        ia_builder_dispose(&t->cols[i]);
    for (size_t p = 0; t->what && p < t->def->n_properties; p++)
        ia_free(t->what[p]);
    for (size_t i = 0; i < t->n_plan_lines; i++)
        ia_free(t->plan_lines[i]);
    ia_free(t->cols);
    ia_free(t->what);
    ia_free(t->values);
    ia_free(t->lines);
    ia_free(t->plan_lines);
    ia_row_plan_dispose(&t->plan);
}

static ia_status find_type(ia_ctx *cx, ia_loader *l, const line_parts *parts, ia_load_type **out)
{
    const char *name = ia_json_str(parts->type ? parts->type : parts->edge, NULL);
    const ia_type_def *def =
        parts->type ? ia_catalog_node(l->cat, name) : ia_catalog_edge_word(l->cat, name);

    *out = NULL;
    if (!def)
        return ia_fail(cx, IA_ERR_INVALID, "unknown %s type '%s'", parts->type ? "node" : "edge",
                       name);
    for (size_t i = 0; i < l->cat->n_types; i++)
        if (l->cat->types[i] == def)
            *out = &l->types[i];
    return (*out)->used ? IA_OK : ia_load_type_prepare(cx, *out);
}

/* ---- values
 * ------------------------------------------------------------------------------------------ */

/* The id the line gives: whether the derived one equals it is judged when the chunk is finished. */
static ia_status put_id(ia_ctx *cx, ia_load_type *t, const ia_json *id)
{
    const char *s;
    size_t n;

    if (!id) {
        ia_builder_null(cx, &t->cols[0]);
        return IA_OK;
    }
    s = ia_json_str(id, &n);
    if (!s || n == 0)
        return ia_fail(cx, IA_ERR_INVALID, "the id of a %s must be a string that is not empty",
                       t->def->name);
    ia_builder_str(cx, &t->cols[0], s, n);
    t->given_ids = true;
    return IA_OK;
}

static void put_string(ia_ctx *cx, ia_builder *b, const ia_json *v)
{
    size_t n;
    const char *s = ia_json_str(v, &n);

    ia_builder_str(cx, b, s, n);
}

static ia_status put_row(ia_ctx *cx, ia_load_type *t, const line_parts *parts)
{
    const ia_type_def *def = t->def;
    const ia_json *value, *id = NULL;
    const char *name;
    size_t it = 0;

    memset(t->values, 0, def->n_properties * sizeof *t->values);
    while (ia_json_next(parts->data, &it, &name, &value)) {
        const int p = ia_type_def_find(def, name);
        if (p >= 0)
            t->values[p] = value;
        else if (strcmp(name, "id") == 0)
            id = value;
        else
            return ia_fail(cx, IA_ERR_INVALID, "unknown input field '%s' for '%s:%s'", name,
                           def->kind == IA_KIND_EDGE ? "edge" : "node", def->name);
    }
    IA_TRY(put_id(cx, t, id));
    if (def->kind == IA_KIND_EDGE) {
        put_string(cx, &t->cols[1], parts->from);
        put_string(cx, &t->cols[2], parts->to);
    }
    for (size_t p = 0; p < def->n_properties; p++)
        IA_TRY(ia_json_append(cx, &t->cols[def->first_column + p], t->values[p],
                              def->properties[p].type.nullable, t->what[p]));
    return IA_OK;
}

static ia_status parse_line(ia_ctx *cx, ia_loader *l, ia_view text)
{
    ia_load_type *t = NULL;
    ia_json *v = NULL;
    line_parts parts;
    ia_status st;

    IA_GO(ia_json_parse(cx, text.data, text.len, &v));
    IA_GO(split_line(cx, v, &parts));
    IA_GO(find_type(cx, l, &parts, &t));
    IA_GO(put_row(cx, t, &parts));
    IA_GO(IA_GROW(cx, t->lines, t->cap_lines, t->n_lines + 1));
    t->lines[t->n_lines++] = l->lines.line;
    t->bytes += text.len;
    t->rows++;
done:
    ia_json_free(v);
    if (st == IA_ERR_INVALID || st == IA_ERR_CONSTRAINT)
        st = ia_fail_prefix(cx, st, "line %llu", (unsigned long long)l->lines.line);
    if (st == IA_OK && (t->n_lines >= IA_LOAD_CHUNK_ROWS || t->bytes >= IA_LOAD_CHUNK_BYTES))
        st = ia_load_flush(cx, l, t);
    return st;
}

ia_status ia_load_parse(ia_ctx *cx, ia_loader *l)
{
    ia_view text;

    for (;;) {
        IA_TRY(ia_lines_next(cx, &l->lines, &text));
        if (!text.data)
            break;
        IA_TRY(parse_line(cx, l, text));
    }
    for (size_t i = 0; i < l->cat->n_types; i++)
        if (l->types[i].n_lines > 0)
            IA_TRY(ia_load_flush(cx, l, &l->types[i]));
    return IA_OK;
}
