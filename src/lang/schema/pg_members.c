/* pg_members.c - the properties of one type: own ones, and those its interfaces give it. */
#include "lang/schema/schema_priv.h"

#include <stdlib.h>

const pg_decl *pg_find_decl(const pg_schema *s, ia_type_kind kind, const char *name)
{
    size_t i;

    for (i = 0; i < s->decls.n; i++)
        if (s->decls.items[i].kind == kind && strcmp(s->decls.items[i].name.text, name) == 0)
            return &s->decls.items[i];
    return NULL;
}

static const char *kind_word(ia_type_kind k)
{
    return k == IA_KIND_NODE ? "node" : k == IA_KIND_EDGE ? "edge" : "interface";
}

static ia_status check_name(pg_build *b, const pg_decl *d, const pg_property *p)
{
    static const char *const storage[] = {"_rowid", "_rowaddr", "_rowoffset",
                                          "_row_created_at_version",
                                          "_row_last_updated_at_version"};
    static const char *const columns[] = {"id", "src", "dst"};
    size_t i;

    for (i = 0; i < sizeof storage / sizeof *storage; i++)
        if (strcmp(p->name, storage[i]) == 0)
            return ia_diag(b->cx, IA_ERR_INVALID, b->src, p->span,
                           "parse error: property name `%s` is reserved for storage", p->name);
    for (i = 0; i < sizeof columns / sizeof *columns; i++)
        if (strcmp(p->name, columns[i]) == 0)
            return ia_diag(b->cx, IA_ERR_INVALID, b->src, p->span,
                           "parse error: property name `%s` is reserved for the identity columns "
                           "id, src and dst",
                           p->name);
    if (d->kind == IA_KIND_EDGE && (strcmp(p->name, "from") == 0 || strcmp(p->name, "to") == 0))
        return ia_diag(
            b->cx, IA_ERR_INVALID, b->src, p->span,
            "parse error: property name `%s` is reserved on edges: it names an end-point", p->name);
    return IA_OK;
}

/* One property together with where it came from, before sorting. */
typedef struct member {
    const pg_property *ast;
    const char *interface; /* NULL = the type's own */
    ia_span use;           /* where the interface is named */
} member;
typedef struct members {
    member *items;
    size_t n, cap;
} members;

static member *find_member(const members *m, const char *name)
{
    size_t i;

    for (i = 0; i < m->n; i++)
        if (strcmp(m->items[i].ast->name, name) == 0)
            return &m->items[i];
    return NULL;
}

static const char *type_text(const pg_property *p, char *out, size_t n)
{
    return ia_proptype_text(p->type, out, n);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool same_type(const pg_property *a, const pg_property *b)
{
    size_t i, k;

    if (a->type.scalar != b->type.scalar || a->type.is_list != b->type.is_list ||
        a->type.nullable != b->type.nullable || a->type.dim != b->type.dim ||
        a->enum_values.n != b->enum_values.n)
        return false;
    for (i = 0; i < a->enum_values.n; i++) {
        for (k = 0; k < b->enum_values.n; k++)
            if (strcmp(a->enum_values.items[i], b->enum_values.items[k]) == 0)
                break;
        if (k == b->enum_values.n)
            return false;
    }
    return true;
}

static ia_status add_own(pg_build *b, const pg_decl *d, members *m)
{
    size_t i;

    for (i = 0; i < d->properties.n; i++) {
        const pg_property *p = &d->properties.items[i];
        member *slot = NULL;
        IA_TRY(check_name(b, d, p));
        if (find_member(m, p->name))
            return ia_diag(b->cx, IA_ERR_INVALID, b->src, p->span,
                           "catalog error: %s `%s` declares property `%s` twice",
                           kind_word(d->kind), d->name.text, p->name);
        if (p->is_blob)
            return ia_diag(
                b->cx, IA_ERR_UNSUPPORTED, b->src, p->type_span,
                "unsupported: property `%s.%s` has type Blob, which is not part of this version",
                d->name.text, p->name);
        IA_TRY(pg_check_property_annotations(b, d, p));
        IA_TRY(IA_PUSH(b->cx, b->arena, m, slot));
        slot->ast = p;
    }
    return IA_OK;
}

static ia_status merge_inherited(pg_build *b, const pg_decl *d, const pg_name *use,
                                 const pg_property *p, const member *have)
{
    char mine[64], theirs[64];

    if (!same_type(p, have->ast)) {
        if (have->interface)
            return ia_diag(b->cx, IA_ERR_INVALID, b->src, use->span,
                           "catalog error: node `%s` property `%s` is %s in interface `%s` but %s "
                           "in interface `%s`",
                           d->name.text, p->name, type_text(have->ast, mine, sizeof mine),
                           have->interface, type_text(p, theirs, sizeof theirs), use->text);
        return ia_diag(
            b->cx, IA_ERR_INVALID, b->src, have->ast->type_span,
            "parse error: node `%s` property `%s` has type %s but interface `%s` declares it as %s",
            d->name.text, p->name, type_text(have->ast, mine, sizeof mine), use->text,
            type_text(p, theirs, sizeof theirs));
    }
    if (have->interface && !pg_annotations_equal(&p->annotations, &have->ast->annotations))
        return ia_diag(b->cx, IA_ERR_INVALID, b->src, use->span,
                       "catalog error: node `%s` property `%s` has different annotations in "
                       "interfaces `%s` and `%s`",
                       d->name.text, p->name, have->interface, use->text);
    return IA_OK;
}

static ia_status add_inherited(pg_build *b, const pg_decl *d, members *m)
{
    size_t i, k;

    for (i = 0; i < d->implements.n; i++) {
        const pg_name *use = &d->implements.items[i];
        const pg_decl *face = pg_find_decl(b->ast, IA_KIND_INTERFACE, use->text);
        if (!face)
            return ia_diag(b->cx, IA_ERR_INVALID, b->src, use->span,
                           "parse error: node `%s` implements unknown interface `%s`", d->name.text,
                           use->text);
        for (k = 0; k < i; k++)
            if (strcmp(d->implements.items[k].text, use->text) == 0)
                return ia_diag(b->cx, IA_ERR_INVALID, b->src, use->span,
                               "parse error: node `%s` implements interface `%s` twice",
                               d->name.text, use->text);
        for (k = 0; k < face->properties.n; k++) {
            const pg_property *p = &face->properties.items[k];
            member *have = find_member(m, p->name);
            if (have) {
                IA_TRY(merge_inherited(b, d, use, p, have));
                continue;
            }
            IA_TRY(IA_PUSH(b->cx, b->arena, m, have));
            have->ast = p;
            have->interface = use->text;
        }
    }
    return IA_OK;
}

static int by_member_name(const void *a, const void *b)
{
    return strcmp(((const member *)a)->ast->name, ((const member *)b)->ast->name);
}

static ia_status fill_property(pg_build *b, const member *m, ia_property *out)
{
    const pg_property *p = m->ast;
    const pg_annotation *embed = pg_find_annotation(&p->annotations, "embed");

    out->name = p->name;
    out->type = p->type;
    out->from_interface = m->interface;
    out->n_enum = p->enum_values.n;
    if (out->n_enum) {
        IA_TRY(IA_ARENA_ARRAY(b->cx, b->arena, out->enum_values, out->n_enum));
        memcpy(out->enum_values, p->enum_values.items, out->n_enum * sizeof *out->enum_values);
        qsort(out->enum_values, out->n_enum, sizeof *out->enum_values, by_bytes);
    }
    out->description = pg_annotation_text(&p->annotations, "description");
    out->rename_from = pg_annotation_text(&p->annotations, "rename_from");
    if (embed) {
        out->embed_source = embed->value.text;
        out->embed_model = embed->kwargs.n ? embed->kwargs.items[0].value.text : NULL;
    }
    return pg_copy_annotations(b, &p->annotations, true, &out->annotations, &out->n_annotations);
}

static ia_status check_embed_source(pg_build *b, const ia_type_def *d, const ia_property *p,
                                    const pg_property *ast)
{
    const pg_annotation *a = pg_find_annotation(&ast->annotations, "embed");
    int at;

    if (!a || d->kind == IA_KIND_INTERFACE)
        return IA_OK;
    at = ia_type_def_find(d, p->embed_source);
    if (at < 0)
        return ia_diag(b->cx, IA_ERR_INVALID, b->src, a->value.span,
                       "parse error: @embed source `%s` is no property of `%s`", p->embed_source,
                       d->name);
    if (d->properties[at].type.scalar != IA_PK_STRING || d->properties[at].type.is_list)
        return ia_diag(b->cx, IA_ERR_INVALID, b->src, a->value.span,
                       "parse error: @embed source `%s.%s` must be a String", d->name,
                       p->embed_source);
    return IA_OK;
}

ia_status pg_build_properties(pg_build *b, const pg_decl *decl, ia_type_def *d,
                              const pg_property ***asts)
{
    members m = {NULL, 0, 0};
    size_t i;

    *asts = NULL;
    IA_TRY(add_own(b, decl, &m));
    IA_TRY(add_inherited(b, decl, &m));
    if (m.n > 1)
        qsort(m.items, m.n, sizeof *m.items, by_member_name);
    d->n_properties = m.n;
    if (m.n == 0)
        return IA_OK;
    IA_TRY(IA_ARENA_ARRAY(b->cx, b->arena, d->properties, m.n));
    IA_TRY(IA_ARENA_ARRAY(b->cx, b->arena, *asts, m.n));
    for (i = 0; i < m.n; i++) {
        IA_TRY(fill_property(b, &m.items[i], &d->properties[i]));
        (*asts)[i] = m.items[i].ast;
    }
    for (i = 0; i < m.n; i++)
        IA_TRY(check_embed_source(b, d, &d->properties[i], (*asts)[i]));
    return IA_OK;
}
