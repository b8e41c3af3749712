/* catalog_json.c - the stored form of a catalog. */
/* The source text in it is the truth and is compiled again when read; ids come from the JSON, and
 * the shape hash proves that both belong together. The canonical members are there for other
 * readers. */
#include "base/ids.h"
#include "lang/schema/schema_priv.h"

#define FORMAT 1

static void write_annotations(ia_jsonw *w, const ia_annotation *list, size_t n)
{
    size_t i, k;

    ia_jsonw_key(w, "annotations");
    ia_jsonw_array(w);
    for (i = 0; i < n; i++) {
        ia_jsonw_object(w);
        ia_jsonw_key(w, "name");
        ia_jsonw_str(w, list[i].name);
        ia_jsonw_key(w, "value");
        ia_jsonw_str(w, list[i].value);
        ia_jsonw_key(w, "args");
        ia_jsonw_array(w);
        for (k = 0; k < list[i].n_args; k++) {
            ia_jsonw_array(w);
            ia_jsonw_str(w, list[i].arg_names[k]);
            ia_jsonw_str(w, list[i].arg_values[k]);
            ia_jsonw_end_array(w);
        }
        ia_jsonw_end_array(w);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
}

static void write_text(ia_jsonw *w, const char *key, const char *value)
{
    ia_jsonw_key(w, key);
    ia_jsonw_str(w, value);
}

static void write_property(ia_jsonw *w, const ia_property *p, bool with_ids)
{
    size_t i;

    ia_jsonw_object(w);
    write_text(w, "name", p->name);
    if (with_ids) {
        ia_jsonw_key(w, "id");
        ia_jsonw_u64(w, p->id);
        write_text(w, "rename_from", p->rename_from);
    }
    write_text(w, "scalar", ia_pkind_name(p->type.scalar));
    ia_jsonw_key(w, "list");
    ia_jsonw_bool(w, p->type.is_list);
    ia_jsonw_key(w, "nullable");
    ia_jsonw_bool(w, p->type.nullable);
    if (p->type.scalar == IA_PK_VECTOR) {
        ia_jsonw_key(w, "dim");
        ia_jsonw_i64(w, p->type.dim);
    }
    if (p->n_enum) {
        ia_jsonw_key(w, "enum_values");
        ia_jsonw_array(w);
        for (i = 0; i < p->n_enum; i++)
            ia_jsonw_str(w, p->enum_values[i]);
        ia_jsonw_end_array(w);
    }
    write_text(w, "interface", p->from_interface);
    write_annotations(w, p->annotations, p->n_annotations);
    ia_jsonw_end_object(w);
}

static const char *prop_name(const ia_type_def *t, int prop)
{
    return prop == IA_PROP_SRC ? "src" : prop == IA_PROP_DST ? "dst" : t->properties[prop].name;
}

static void write_sets(ia_jsonw *w, const char *key, const ia_type_def *t, const ia_propset *sets,
                       size_t n)
{
    size_t i, k;

    ia_jsonw_key(w, key);
    ia_jsonw_array(w);
    for (i = 0; i < n; i++) {
        ia_jsonw_array(w);
        for (k = 0; k < sets[i].n; k++)
            ia_jsonw_str(w, prop_name(t, sets[i].props[k]));
        ia_jsonw_end_array(w);
    }
    ia_jsonw_end_array(w);
}

/* The key: in id order where ids are written, else by name, since ids do not belong to the shape.
 */
static void write_key(ia_jsonw *w, const ia_type_def *t, bool with_ids)
{
    size_t i;

    ia_jsonw_key(w, "key");
    ia_jsonw_array(w);
    for (i = 0; with_ids && i < t->n_key; i++)
        ia_jsonw_str(w, t->properties[t->key[i]].name);
    for (i = 0; !with_ids && i < t->n_properties; i++)
        if (ia_type_def_is_key(t, (int)i))
            ia_jsonw_str(w, t->properties[i].name);
    ia_jsonw_end_array(w);
}

static void write_rules(ia_jsonw *w, const ia_type_def *t)
{
    size_t i;

    write_sets(w, "unique", t, t->uniques, t->n_uniques);
    write_sets(w, "index", t, t->indexes, t->n_indexes);
    ia_jsonw_key(w, "ranges");
    ia_jsonw_array(w);
    for (i = 0; i < t->n_ranges; i++) {
        ia_jsonw_object(w);
        write_text(w, "property", t->properties[t->ranges[i].prop].name);
        write_text(w, "min", t->ranges[i].lo.text);
        write_text(w, "max", t->ranges[i].hi.text);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_key(w, "checks");
    ia_jsonw_array(w);
    for (i = 0; i < t->n_checks; i++) {
        ia_jsonw_object(w);
        write_text(w, "property", t->properties[t->checks[i].prop].name);
        write_text(w, "pattern", t->checks[i].pattern);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
}

static void write_edge(ia_jsonw *w, const ia_type_def *t)
{
    write_text(w, "from", t->from->name);
    write_text(w, "to", t->to->name);
    ia_jsonw_key(w, "card_min");
    ia_jsonw_u64(w, t->card_min);
    ia_jsonw_key(w, "card_max");
    if (t->card_max == UINT64_MAX)
        ia_jsonw_null(w);
    else
        ia_jsonw_u64(w, t->card_max);
}

static void write_type(ia_jsonw *w, const ia_type_def *t, bool with_ids)
{
    size_t i;

    ia_jsonw_object(w);
    write_text(w, "kind",
               t->kind == IA_KIND_NODE   ? "node"
               : t->kind == IA_KIND_EDGE ? "edge"
                                         : "interface");
    write_text(w, "name", t->name);
    if (with_ids) {
        ia_jsonw_key(w, "type_id");
        ia_jsonw_u64(w, t->type_id);
        ia_jsonw_key(w, "incarnation");
        ia_jsonw_u64(w, t->incarnation);
        write_text(w, "rename_from", t->rename_from);
    }
    if (t->kind == IA_KIND_EDGE)
        write_edge(w, t);
    ia_jsonw_key(w, "implements");
    ia_jsonw_array(w);
    for (i = 0; i < t->n_implements; i++)
        ia_jsonw_str(w, t->implements[i]);
    ia_jsonw_end_array(w);
    write_annotations(w, t->annotations, t->n_annotations);
    ia_jsonw_key(w, "properties");
    ia_jsonw_array(w);
    for (i = 0; i < t->n_properties; i++)
        write_property(w, &t->properties[i], with_ids);
    ia_jsonw_end_array(w);
    write_key(w, t, with_ids);
    write_rules(w, t);
    ia_jsonw_end_object(w);
}

void ia_catalog_write_types(ia_jsonw *w, const ia_catalog *c, bool with_ids)
{
    size_t i;

    ia_jsonw_key(w, "interfaces");
    ia_jsonw_array(w);
    for (i = 0; i < c->n_interfaces; i++)
        write_type(w, c->interfaces[i], with_ids);
    ia_jsonw_end_array(w);
    ia_jsonw_key(w, "types");
    ia_jsonw_array(w);
    for (i = 0; i < c->n_types; i++)
        write_type(w, c->types[i], with_ids);
    ia_jsonw_end_array(w);
}

ia_status ia_catalog_to_json(ia_ctx *cx, const ia_catalog *c, ia_bytes *out)
{
    ia_jsonw w;

    ia_jsonw_init(&w, cx, 1);
    ia_jsonw_object(&w);
    ia_jsonw_key(&w, "format");
    ia_jsonw_i64(&w, FORMAT);
    write_text(&w, "shape_hash", c->shape_hash);
    ia_jsonw_key(&w, "next_id");
    ia_jsonw_u64(&w, c->next_id);
    ia_jsonw_key(&w, "source");
    ia_jsonw_strn(&w, c->source, c->source_len);
    ia_catalog_write_types(&w, c, true);
    ia_jsonw_end_object(&w);
    return ia_jsonw_finish(&w, out);
}

static ia_status read_root(ia_ctx *cx, const ia_json *root, ia_catalog **out)
{
    ia_source src = {"stored schema", NULL, 0};
    ia_catalog *c = NULL;
    int64_t format = 0;
    ia_status st;

    if (!ia_json_i64(ia_json_get(root, "format"), &format))
        return ia_fail(cx, IA_ERR_CORRUPT, "stored schema has no format number");
    if (format != FORMAT)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "stored schema has format %lld; this version reads format %d",
                       (long long)format, FORMAT);
    src.text = ia_json_str(ia_json_get(root, "source"), &src.len);
    if (!src.text)
        return ia_fail(cx, IA_ERR_CORRUPT, "stored schema has no source text");
    st = pg_compile(cx, &src, &c);
    if (st == IA_ERR_INVALID) {
        st = ia_fail(cx, IA_ERR_CORRUPT, "%s",
                     "stored schema text does not compile; restore the schemas folder");
        goto done;
    }
    IA_GO(st);
    IA_GO(pg_ids_from_json(cx, c, root));
    IA_GO(pg_finish(cx, c));
    if (!ia_str_eq(c->shape_hash, ia_json_str(ia_json_get(root, "shape_hash"), NULL)))
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "stored schema does not match its shape hash"));
    *out = c;
    c = NULL;
done:
    ia_catalog_release(c);
    return st;
}

ia_status ia_catalog_from_json(ia_ctx *cx, const char *text, size_t len, ia_catalog **out)
{
    ia_json *root = NULL;
    ia_status st;

    *out = NULL;
    st = ia_json_parse(cx, text, len, &root);
    if (st == IA_ERR_INVALID) {
        cx->err.code = IA_ERR_CORRUPT;
        st = ia_fail_prefix(cx, IA_ERR_CORRUPT, "stored schema");
    }
    if (st == IA_OK)
        st = read_root(cx, root, out);
    ia_json_free(root);
    return st;
}
