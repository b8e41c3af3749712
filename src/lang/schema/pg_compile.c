/* pg_compile.c - from schema text to catalog: order of steps, types and their end-points. */
#include "base/ids.h"
#include "lang/schema/schema_priv.h"

#include <stdlib.h>

static int by_kind_and_name(const void *a, const void *b)
{
    const pg_decl *x = *(const pg_decl *const *)a, *y = *(const pg_decl *const *)b;
    int kx = x->kind == IA_KIND_INTERFACE ? 0 : x->kind == IA_KIND_NODE ? 1 : 2;
    int ky = y->kind == IA_KIND_INTERFACE ? 0 : y->kind == IA_KIND_NODE ? 1 : 2;
    int d = kx == ky ? strcmp(x->name.text, y->name.text) : kx - ky;

    /* Equal names stay in the order of the text, so that the second one is reported. */
    return d ? d
             : (x->name.span.offset > y->name.span.offset) -
                   (x->name.span.offset < y->name.span.offset);
}

static ia_status check_names(pg_build *b, const pg_decl *const *order, size_t n)
{
    static const char *const words[] = {"node", "edge", "interface"};
    size_t i, k;

    for (i = 0; i < n; i++) {
        if (i > 0 && order[i]->kind == order[i - 1]->kind &&
            strcmp(order[i]->name.text, order[i - 1]->name.text) == 0)
            return ia_diag(b->cx, IA_ERR_INVALID, b->src, order[i]->name.span,
                           "catalog error: %s type `%s` is declared twice", words[order[i]->kind],
                           order[i]->name.text);
        for (k = i; order[i]->kind == IA_KIND_EDGE && k > 0 && order[k - 1]->kind == IA_KIND_EDGE;
             k--)
            if (ia_str_eq_nocase(order[k - 1]->name.text, order[i]->name.text))
                return ia_diag(
                    b->cx, IA_ERR_INVALID, b->src, order[i]->name.span,
                    "catalog error: edge name collision after case folding: `%s` and `%s`",
                    order[k - 1]->name.text, order[i]->name.text);
    }
    return IA_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static ia_status build_head(pg_build *b, const pg_decl *decl, ia_type_def *d)
{
    size_t i;

    d->kind = decl->kind;
    d->name = decl->name.text;
    d->first_column = d->kind == IA_KIND_EDGE ? 3 : 1;
    d->card_min = decl->card_min;
    d->card_max = d->kind == IA_KIND_EDGE ? decl->card_max : UINT64_MAX;
    IA_TRY(pg_check_type_annotations(b, decl));
    IA_TRY(pg_copy_annotations(b, &decl->annotations, false, &d->annotations, &d->n_annotations));
    d->description = pg_annotation_text(&decl->annotations, "description");
    d->instruction = pg_annotation_text(&decl->annotations, "instruction");
    d->rename_from = pg_annotation_text(&decl->annotations, "rename_from");
    d->n_implements = decl->implements.n;
    if (d->n_implements == 0)
        return IA_OK;
    IA_TRY(IA_ARENA_ARRAY(b->cx, b->arena, d->implements, d->n_implements));
    for (i = 0; i < d->n_implements; i++)
        d->implements[i] = decl->implements.items[i].text;
    qsort(d->implements, d->n_implements, sizeof *d->implements, by_text);
    return IA_OK;
}

static ia_status build_type(pg_build *b, const pg_decl *decl, ia_type_def *d)
{
    const pg_property **asts;

    IA_TRY(build_head(b, decl, d));
    IA_TRY(pg_build_properties(b, decl, d, &asts));
    if (d->kind == IA_KIND_INTERFACE)
        return IA_OK;
    return pg_build_constraints(b, decl, d, asts);
}

static ia_status link_end(pg_build *b, const pg_decl *decl, const pg_name *end,
                          const ia_type_def **out)
{
    *out = ia_catalog_node(b->cat, end->text);
    if (*out)
        return IA_OK;
    if (pg_find_decl(b->ast, IA_KIND_INTERFACE, end->text))
        return ia_diag(b->cx, IA_ERR_INVALID, b->src, end->span,
                       "catalog error: unknown endpoint `%s` of edge `%s`: an interface cannot be "
                       "an end-point",
                       end->text, decl->name.text);
    return ia_diag(b->cx, IA_ERR_INVALID, b->src, end->span,
                   "catalog error: unknown endpoint `%s` of edge `%s`: no such node type",
                   end->text, decl->name.text);
}

/* Arrays first, so that a failure later leaves a catalog that can be released. */
static ia_status make_room(pg_build *b, const pg_decl *const *order, size_t n)
{
    ia_catalog *c = b->cat;
    size_t i;

    for (i = 0; i < n; i++) {
        c->n_interfaces += order[i]->kind == IA_KIND_INTERFACE;
        c->n_nodes += order[i]->kind == IA_KIND_NODE;
    }
    if (c->n_interfaces) {
        IA_TRY(IA_ARENA_ARRAY(b->cx, b->arena, c->own->interfaces, c->n_interfaces));
        IA_TRY(IA_ARENA_ARRAY(b->cx, b->arena, c->interfaces, c->n_interfaces));
    }
    if (n > c->n_interfaces) {
        IA_TRY(IA_ARENA_ARRAY(b->cx, b->arena, c->types, n - c->n_interfaces));
        IA_TRY(IA_ARENA_ARRAY(b->cx, b->arena, c->own->tables, n - c->n_interfaces));
        c->n_types = n - c->n_interfaces;
    }
    for (i = 0; i < c->n_interfaces; i++)
        c->interfaces[i] = &c->own->interfaces[i];
    for (i = 0; i < c->n_types; i++) {
        c->own->tables[i].name =
            order[c->n_interfaces + i]->name.text; /* looked up by edges below */
        c->types[i] = &c->own->tables[i];
    }
    return IA_OK;
}

static ia_status build_all(pg_build *b)
{
    const pg_decl **order;
    ia_catalog *c = b->cat;
    size_t n = b->ast->decls.n;
    size_t i;

    if (n == 0)
        return IA_OK;
    IA_TRY(IA_ARENA_ARRAY(b->cx, b->arena, order, n));
    for (i = 0; i < n; i++)
        order[i] = &b->ast->decls.items[i];
    qsort(order, n, sizeof *order, by_kind_and_name);
    IA_TRY(check_names(b, order, n));
    IA_TRY(make_room(b, order, n));
    for (i = 0; i < n; i++) {
        ia_type_def *d =
            i < c->n_interfaces ? &c->own->interfaces[i] : &c->own->tables[i - c->n_interfaces];
        IA_TRY(build_type(b, order[i], d));
        if (d->kind == IA_KIND_EDGE) {
            IA_TRY(link_end(b, order[i], &order[i]->from, &d->from));
            IA_TRY(link_end(b, order[i], &order[i]->to, &d->to));
        }
    }
    return IA_OK;
}

ia_status pg_compile(ia_ctx *cx, const ia_source *src, ia_catalog **out)
{
    ia_catalog *c = NULL;
    pg_schema ast;
    pg_build b;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW(cx, c));
    atomic_init(&c->refs, 1);
    IA_GO(IA_NEW(cx, c->own));
    IA_GO(IA_SET(cx, c->source,
                 ia_arena_strndup(cx, &c->own->arena, src->text ? src->text : "", src->len)));
    c->source_len = src->len;
    IA_GO(pg_parse(cx, &c->own->arena, src, &ast));
    memset(&b, 0, sizeof b);
    b.cx = cx;
    b.arena = &c->own->arena;
    b.src = src;
    b.ast = &ast;
    b.cat = c;
    IA_GO(build_all(&b));
    *out = c;
    c = NULL;
done:
    ia_catalog_release(c);
    return st;
}

/* ---- finishing --------------------------------------------------------------------------------
 */

static void sort_key(const ia_type_def *t)
{
    int *key = (int *)(uintptr_t)t->key;
    size_t i, k;

    for (i = 1; i < t->n_key; i++)
        for (k = i; k > 0 && t->properties[key[k - 1]].id > t->properties[key[k]].id; k--) {
            int swap = key[k];
            key[k] = key[k - 1];
            key[k - 1] = swap;
        }
}

static ia_status make_columns(ia_ctx *cx, ia_type_def *t)
{
    static const char *const ids[] = {"id", "src", "dst"};
    ia_field *fields = NULL;
    size_t n = t->first_column + t->n_properties;
    size_t i;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, fields, n));
    for (i = 0; i < t->first_column; i++) {
        fields[i].name = (char *)(uintptr_t)ids[i];
        fields[i].type = ia_type_basic(IA_TYPE_STRING);
    }
    for (i = 0; i < t->n_properties; i++) {
        ia_field *f = &fields[t->first_column + i];
        f->name = (char *)(uintptr_t)t->properties[i].name;
        f->nullable = t->properties[i].type.nullable;
        IA_GO(ia_proptype_arrow(cx, t->properties[i].type, &f->type));
    }
    IA_GO(ia_schema_new(cx, fields, n, &t->arrow_schema));
done:
    for (i = t->first_column; fields && i < n; i++)
        ia_type_release(fields[i].type);
    ia_free(fields);
    return st;
}

static ia_status make_hash(ia_ctx *cx, ia_catalog *c)
{
    ia_jsonw w;
    ia_bytes text = {NULL, 0};
    uint8_t digest[32];

    ia_jsonw_init(&w, cx, 0);
    ia_jsonw_object(&w);
    ia_catalog_write_types(&w, c, false);
    ia_jsonw_end_object(&w);
    IA_TRY(ia_jsonw_finish(&w, &text));
    ia_sha256(text.data, text.len, digest);
    ia_hex(digest, sizeof digest, c->shape_hash);
    ia_bytes_dispose(&text);
    return IA_OK;
}

ia_status pg_finish(ia_ctx *cx, ia_catalog *c)
{
    size_t i;

    for (i = 0; i < c->n_interfaces; i++)
        sort_key(c->interfaces[i]);
    for (i = 0; i < c->n_types; i++) {
        sort_key(c->types[i]);
        IA_TRY(make_columns(cx, &c->own->tables[i]));
    }
    return make_hash(cx, c);
}

static ia_status from_text(ia_ctx *cx, const ia_catalog *base, const ia_source *src,
                           ia_catalog **out)
{
    ia_catalog *c = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(pg_compile(cx, src, &c));
    IA_GO(base ? pg_ids_evolve(cx, c, base) : pg_ids_fresh(cx, c));
    IA_GO(pg_finish(cx, c));
    *out = c;
    c = NULL;
done:
    ia_catalog_release(c);
    return st;
}

ia_status ia_catalog_from_source(ia_ctx *cx, const char *text, size_t len, const char *path,
                                 ia_catalog **out)
{
    ia_source src;

    src.path = path;
    src.text = text;
    src.len = len;
    return from_text(cx, NULL, &src, out);
}

ia_status ia_catalog_evolve(ia_ctx *cx, const ia_catalog *base, const char *text, size_t len,
                            const char *path, ia_catalog **out)
{
    ia_source src;

    src.path = path;
    src.text = text;
    src.len = len;
    return from_text(cx, base, &src, out);
}
