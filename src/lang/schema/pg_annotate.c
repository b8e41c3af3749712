/* pg_annotate.c - what annotations of types and properties mean, and where they may stand. */
#include "lang/schema/schema_priv.h"

#include <stdlib.h>

static ia_status fail(pg_build *b, ia_span span, const char *name, const char *what)
{
    return ia_diag(b->cx, IA_ERR_INVALID, b->src, span, "parse error: @%s %s", name, what);
}

const pg_annotation *pg_find_annotation(const pg_annotations *l, const char *name)
{
    size_t i;

    for (i = 0; i < l->n; i++)
        if (strcmp(l->items[i].name, name) == 0)
            return &l->items[i];
    return NULL;
}

const char *pg_annotation_text(const pg_annotations *l, const char *name)
{
    const pg_annotation *a = pg_find_annotation(l, name);

    return a ? a->value.text : NULL;
}

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

static const char *const known[] = {"key",         "unique",      "index",       "embed",
                                    "description", "instruction", "rename_from", NULL};

static ia_status check_once(pg_build *b, const pg_annotations *l)
{
    size_t i, k;

    for (i = 0; i < l->n; i++) {
        const char *name = l->items[i].name;
        if (!is_one_of(name, known))
            continue;
        for (k = 0; k < i; k++)
            if (strcmp(l->items[k].name, name) == 0)
                return fail(b, l->items[i].span, name, "is written twice");
    }
    return IA_OK;
}

/* @description, @instruction, @rename_from: one non-empty positional value and nothing else. */
static ia_status check_text(pg_build *b, const pg_annotation *a)
{
    bool text = a->value.kind == PG_LIT_STRING || a->value.kind == PG_LIT_IDENT;

    if (!a->has_args || !text || a->kwargs.n > 0)
        return fail(b, a->span, a->name, "takes exactly one text: (\"...\")");
    if (a->value.text[0] == 0)
        return fail(b, a->value.span, a->name, "must not be empty");
    return IA_OK;
}

ia_status pg_check_type_annotations(pg_build *b, const pg_decl *d)
{
    static const char *const property_only[] = {"key", "unique", "index", "embed", NULL};
    static const char *const text[] = {"description", "instruction", "rename_from", NULL};
    size_t i;

    IA_TRY(check_once(b, &d->annotations));
    for (i = 0; i < d->annotations.n; i++) {
        const pg_annotation *a = &d->annotations.items[i];
        if (is_one_of(a->name, property_only))
            return fail(b, a->span, a->name, "belongs to a property, not to a type");
        if (is_one_of(a->name, text))
            IA_TRY(check_text(b, a));
    }
    return IA_OK;
}

static ia_status check_embed(pg_build *b, const pg_decl *d, const pg_property *p,
                             const pg_annotation *a)
{
    size_t i;

    if (d->kind == IA_KIND_EDGE)
        return fail(b, a->span, a->name, "is not available on edge properties");
    if (p->type.scalar != IA_PK_VECTOR)
        return fail(b, a->span, a->name, "needs a Vector property");
    if (!a->has_args || (a->value.kind != PG_LIT_STRING && a->value.kind != PG_LIT_IDENT))
        return fail(b, a->span, a->name, "names its source property: @embed(\"text\")");
    for (i = 0; i < a->kwargs.n; i++) {
        const pg_kwarg *k = &a->kwargs.items[i];
        if (strcmp(k->name, "model") != 0 || i > 0)
            return ia_diag(b->cx, IA_ERR_INVALID, b->src, k->value.span,
                           "parse error: @embed takes only one more argument, `model`, not `%s`",
                           k->name);
        if (k->value.kind != PG_LIT_STRING || k->value.text[0] == 0)
            return fail(b, k->value.span, a->name, "needs a text as model");
    }
    return IA_OK;
}

static ia_status check_sugar(pg_build *b, const pg_decl *d, const pg_property *p,
                             const pg_annotation *a)
{
    bool key = strcmp(a->name, "key") == 0;
    bool index = strcmp(a->name, "index") == 0;

    if (a->has_args)
        return fail(b, a->span, a->name, "takes no value here");
    if (key && d->kind == IA_KIND_EDGE)
        return fail(b, a->span, a->name, "is not available on edges");
    if (p->type.is_list)
        return fail(b, a->span, a->name, "is not available on a list");
    if (p->type.scalar == IA_PK_VECTOR && !index)
        return fail(b, a->span, a->name, "is not available on a Vector");
    if (key && p->type.nullable)
        return fail(b, a->span, a->name, "cannot be nullable: remove the `?`");
    return IA_OK;
}

ia_status pg_check_property_annotations(pg_build *b, const pg_decl *d, const pg_property *p)
{
    static const char *const sugar[] = {"key", "unique", "index", NULL};
    size_t i;

    IA_TRY(check_once(b, &p->annotations));
    for (i = 0; i < p->annotations.n; i++) {
        const pg_annotation *a = &p->annotations.items[i];
        if (is_one_of(a->name, sugar))
            IA_TRY(check_sugar(b, d, p, a));
        else if (strcmp(a->name, "embed") == 0)
            IA_TRY(check_embed(b, d, p, a));
        else if (strcmp(a->name, "instruction") == 0)
            return fail(b, a->span, a->name, "belongs to a node or edge type, not to a property");
        else if (strcmp(a->name, "description") == 0 || strcmp(a->name, "rename_from") == 0)
            IA_TRY(check_text(b, a));
    }
    return IA_OK;
}

static int by_name(const void *a, const void *b)
{
    const ia_annotation *x = a, *y = b;
    int d = strcmp(x->name, y->name);

    if (d == 0)
        d = strcmp(x->value ? x->value : "", y->value ? y->value : "");
    return d ? d : (x->n_args > y->n_args) - (x->n_args < y->n_args);
}

static ia_status copy_kwargs(pg_build *b, const pg_annotation *in, ia_annotation *out)
{
    size_t i;

    out->n_args = in->kwargs.n;
    if (in->kwargs.n == 0)
        return IA_OK;
    IA_TRY(IA_ARENA_ARRAY(b->cx, b->arena, out->arg_names, in->kwargs.n));
    IA_TRY(IA_ARENA_ARRAY(b->cx, b->arena, out->arg_values, in->kwargs.n));
    for (i = 0; i < in->kwargs.n; i++) {
        out->arg_names[i] = in->kwargs.items[i].name;
        out->arg_values[i] = in->kwargs.items[i].value.text;
    }
    return IA_OK;
}

ia_status pg_copy_annotations(pg_build *b, const pg_annotations *in, bool property,
                              const ia_annotation **out, size_t *n)
{
    static const char *const dropped_of_property[] = {"key", "unique", "index", "rename_from",
                                                      NULL};
    static const char *const dropped_of_type[] = {"rename_from", NULL};
    const char *const *dropped = property ? dropped_of_property : dropped_of_type;
    ia_annotation *list;
    size_t i, k = 0;

    *out = NULL;
    *n = 0;
    if (in->n == 0)
        return IA_OK;
    IA_TRY(IA_ARENA_ARRAY(b->cx, b->arena, list, in->n));
    for (i = 0; i < in->n; i++) {
        if (is_one_of(in->items[i].name, dropped))
            continue;
        list[k].name = in->items[i].name;
        list[k].value = in->items[i].value.text;
        IA_TRY(copy_kwargs(b, &in->items[i], &list[k]));
        k++;
    }
    if (k > 1)
        qsort(list, k, sizeof *list, by_name);
    *out = list;
    *n = k;
    return IA_OK;
}

static bool literal_equal(const pg_literal *a, const pg_literal *b)
{
    return ia_str_eq(a->text, b->text);
}

static bool annotation_equal(const pg_annotation *a, const pg_annotation *b)
{
    size_t i;

    if (strcmp(a->name, b->name) != 0 || !literal_equal(&a->value, &b->value) ||
        a->kwargs.n != b->kwargs.n)
        return false;
    for (i = 0; i < a->kwargs.n; i++)
        if (strcmp(a->kwargs.items[i].name, b->kwargs.items[i].name) != 0 ||
            !literal_equal(&a->kwargs.items[i].value, &b->kwargs.items[i].value))
            return false;
    return true;
}

bool pg_annotations_equal(const pg_annotations *a, const pg_annotations *b)
{
    size_t i, k;

    if (a->n != b->n)
        return false;
    for (i = 0; i < a->n; i++) {
        for (k = 0; k < b->n; k++)
            if (annotation_equal(&a->items[i], &b->items[k]))
                break;
        if (k == b->n)
            return false;
    }
    return true;
}
