/* pg_ids.c - stable ids: fresh ones, kept ones after a change, stored ones. */
#include "lang/schema/schema_priv.h"

static ia_type_def *tables(const ia_catalog *c)
{
    return c->own->tables;
}
static ia_type_def *faces(const ia_catalog *c)
{
    return c->own->interfaces;
}

static void fill_missing(ia_catalog *c)
{
    size_t i, k;

    for (i = 0; i < c->n_interfaces; i++)
        if (!faces(c)[i].type_id)
            faces(c)[i].type_id = c->next_id++;
    for (i = 0; i < c->n_types; i++)
        if (!tables(c)[i].type_id)
            tables(c)[i].type_id = c->next_id++;
    for (i = 0; i < c->n_interfaces + c->n_types; i++) {
        ia_type_def *t = i < c->n_interfaces ? &faces(c)[i] : &tables(c)[i - c->n_interfaces];
        for (k = 0; k < t->n_properties; k++)
            if (!t->properties[k].id)
                t->properties[k].id = c->next_id++;
    }
    for (i = 0; i < c->n_types; i++)
        if (!tables(c)[i].incarnation)
            tables(c)[i].incarnation = c->next_id++;
}

ia_status pg_ids_fresh(ia_ctx *cx, ia_catalog *c)
{
    (void)cx;
    c->next_id = 1;
    fill_missing(c);
    return IA_OK;
}

/* ---- evolve -----------------------------------------------------------------------------------
 */

static const ia_type_def *find_kind(const ia_catalog *c, ia_type_kind kind, const char *name)
{
    size_t i;

    if (kind == IA_KIND_NODE)
        return ia_catalog_node(c, name);
    if (kind == IA_KIND_EDGE)
        return ia_catalog_edge(c, name);
    for (i = 0; i < c->n_interfaces; i++)
        if (strcmp(c->interfaces[i]->name, name) == 0)
            return c->interfaces[i];
    return NULL;
}

static ia_status bad_hint(ia_ctx *cx, const char *type, const char *dot, const char *prop,
                          const char *hint, const char *why)
{
    return ia_fail(cx, IA_ERR_INVALID, "catalog error: @rename_from(\"%.80s\") on %.80s%s%.80s: %s",
                   hint, type, dot, prop, why);
}

static ia_status match_property(ia_ctx *cx, ia_type_def *t, ia_property *p, const ia_type_def *old)
{
    int at = ia_type_def_find(old, p->name);
    size_t i;

    if (at >= 0 || !p->rename_from) {
        if (at >= 0)
            p->id = old->properties[at].id;
        return IA_OK;
    }
    at = ia_type_def_find(old, p->rename_from);
    if (at < 0)
        return bad_hint(cx, t->name, ".", p->name, p->rename_from,
                        "the accepted schema has no such property");
    if (ia_type_def_find(t, p->rename_from) >= 0)
        return bad_hint(cx, t->name, ".", p->name, p->rename_from, "that property still exists");
    p->id = old->properties[at].id;
    for (i = 0; i < t->n_properties; i++)
        if (&t->properties[i] != p && t->properties[i].id == p->id)
            return bad_hint(cx, t->name, ".", p->name, p->rename_from, "two properties claim it");
    return IA_OK;
}

static ia_status match_type(ia_ctx *cx, ia_catalog *c, ia_type_def *t, const ia_catalog *base)
{
    const ia_type_def *old = find_kind(base, t->kind, t->name);
    size_t i;

    if (!old && t->rename_from) {
        old = find_kind(base, t->kind, t->rename_from);
        if (!old)
            return bad_hint(cx, t->name, "", "", t->rename_from,
                            "the accepted schema has no such type");
        if (find_kind(c, t->kind, t->rename_from))
            return bad_hint(cx, t->name, "", "", t->rename_from, "that type still exists");
        for (i = 0; i < c->n_types; i++)
            if (tables(c)[i].type_id == old->type_id)
                return bad_hint(cx, t->name, "", "", t->rename_from, "two types claim it");
    }
    if (!old) {
        for (i = 0; i < t->n_properties; i++)
            if (t->properties[i].rename_from && !t->properties[i].from_interface &&
                t->kind != IA_KIND_INTERFACE)
                return bad_hint(cx, t->name, ".", t->properties[i].name,
                                t->properties[i].rename_from, "its type is new in this schema");
        return IA_OK;
    }
    t->type_id = old->type_id;
    t->incarnation = old->incarnation;
    for (i = 0; i < t->n_properties; i++)
        IA_TRY(match_property(cx, t, &t->properties[i], old));
    return IA_OK;
}

ia_status pg_ids_evolve(ia_ctx *cx, ia_catalog *c, const ia_catalog *base)
{
    size_t i;

    c->next_id = base->next_id;
    for (i = 0; i < c->n_interfaces; i++)
        IA_TRY(match_type(cx, c, &faces(c)[i], base));
    for (i = 0; i < c->n_types; i++)
        IA_TRY(match_type(cx, c, &tables(c)[i], base));
    fill_missing(c);
    return IA_OK;
}

/* ---- stored ------------------------------------------------------------------------------------
 */

static ia_status read_id(ia_ctx *cx, const ia_json *v, const char *member, const char *what,
                         uint64_t limit, uint64_t *out)
{
    if (!ia_json_u64(ia_json_get(v, member), out) || *out == 0 || *out >= limit)
        return ia_fail(cx, IA_ERR_CORRUPT, "stored schema: bad %s of %.100s", member, what);
    return IA_OK;
}

static ia_status read_type(ia_ctx *cx, const ia_json *v, ia_type_def *t, uint64_t limit)
{
    const ia_json *props = ia_json_get(v, "properties");
    size_t i;

    if (!ia_str_eq(ia_json_str(ia_json_get(v, "name"), NULL), t->name) ||
        ia_json_len(props) != t->n_properties)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "stored schema: member of type %.100s does not match the source text",
                       t->name);
    IA_TRY(read_id(cx, v, "type_id", t->name, limit, &t->type_id));
    if (t->kind != IA_KIND_INTERFACE)
        IA_TRY(read_id(cx, v, "incarnation", t->name, limit, &t->incarnation));
    for (i = 0; i < t->n_properties; i++) {
        const ia_json *p = ia_json_at(props, i);
        if (!ia_str_eq(ia_json_str(ia_json_get(p, "name"), NULL), t->properties[i].name))
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "stored schema: property %zu of %.100s does not match the source text",
                           i, t->name);
        IA_TRY(read_id(cx, p, "id", t->properties[i].name, limit, &t->properties[i].id));
    }
    return IA_OK;
}

ia_status pg_ids_from_json(ia_ctx *cx, ia_catalog *c, const ia_json *root)
{
    const ia_json *in_faces = ia_json_get(root, "interfaces");
    const ia_json *in_types = ia_json_get(root, "types");
    size_t i, k;

    if (!ia_json_u64(ia_json_get(root, "next_id"), &c->next_id) || c->next_id == 0)
        return ia_fail(cx, IA_ERR_CORRUPT, "stored schema: bad next_id");
    if (ia_json_len(in_faces) != c->n_interfaces || ia_json_len(in_types) != c->n_types)
        return ia_fail(cx, IA_ERR_CORRUPT, "stored schema: the types do not match the source text");
    for (i = 0; i < c->n_interfaces; i++)
        IA_TRY(read_type(cx, ia_json_at(in_faces, i), &faces(c)[i], c->next_id));
    for (i = 0; i < c->n_types; i++) {
        IA_TRY(read_type(cx, ia_json_at(in_types, i), &tables(c)[i], c->next_id));
        for (k = 0; k < i; k++)
            if (tables(c)[k].type_id == tables(c)[i].type_id ||
                tables(c)[k].incarnation == tables(c)[i].incarnation)
                return ia_fail(cx, IA_ERR_CORRUPT,
                               "stored schema: types %.80s and %.80s share an id",
                               tables(c)[k].name, tables(c)[i].name);
    }
    return IA_OK;
}
