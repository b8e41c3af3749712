/* gq_check_mutation.c - checks insert, update and delete statements. */
#include "lang/query/query_priv.h"

#include <stdio.h>

static ia_status check_literal(gq_check *k, const ia_type_def *t, const ia_property *p,
                               ia_gq_expr *v)
{
    char what[160], have[48], want[48], text[400];
    ia_proptype item = p->type;
    bool empty = v->value.kind == IA_GQ_LIST && v->value.n == 0;
    bool fits;
    ia_gq_value in = v->value;
    ia_status st;

    if (p->type.scalar == IA_PK_VECTOR) {
        fits = v->type.is_list && (empty || ia_pkind_is_number(v->type.scalar));
    } else if (p->type.is_list) {
        item.is_list = true;
        fits = empty || gq_compatible(item, v->type);
    } else {
        fits = gq_compatible(p->type, v->type);
    }
    if (!fits)
        return gq_type_error(k, v->span, "T3", "property `%s.%s` has type %s, got %s", t->name,
                             p->name, ia_proptype_text(p->type, want, sizeof want),
                             gq_type_text(v->type, have, sizeof have));
    IA_TRY(gq_check_enum(k, p, v));
    snprintf(what, sizeof what, "%.70s.%.70s", t->name, p->name);
    st = ia_gq_coerce(k->cx, k->arena, p, what, &in, &v->value);
    if (st == IA_ERR_INVALID) {
        memcpy(text, k->cx->err.text, sizeof text);
        text[sizeof text - 1] = 0;
        return gq_type_error(k, v->span, "T3", "%s", text);
    }
    v->type = p->type;
    return st;
}

static ia_status check_assigned(gq_check *k, const ia_type_def *t, const ia_property *p,
                                ia_gq_expr *v)
{
    char have[48], want[48];

    if (v->kind == IA_GQ_LITERAL)
        return check_literal(k, t, p, v);
    ia_proptype_text(p->type, want, sizeof want);
    if (v->kind == IA_GQ_NOW && (p->type.is_list || p->type.scalar != IA_PK_DATETIME))
        return gq_type_error(k, v->span, "T7", "now() fits a DateTime only; `%s.%s` has type %s",
                             t->name, p->name, want);
    if (!gq_compatible(p->type, v->type))
        return gq_type_error(k, v->span, "T7", "property `%s.%s` has type %s, got %s", t->name,
                             p->name, want, gq_type_text(v->type, have, sizeof have));
    return IA_OK;
}

static bool is_end_point(const ia_type_def *t, const char *name)
{
    return t->kind == IA_KIND_EDGE && (strcmp(name, "from") == 0 || strcmp(name, "to") == 0);
}

static ia_status check_end_point(gq_check *k, const gq_match *in, ia_gq_statement *out)
{
    ia_gq_expr *v;
    char have[48];

    IA_TRY(IA_ARENA_NEW(k->cx, k->arena, v));
    IA_TRY(gq_resolve_value(k, &in->value, v));
    if (v->type.is_list || v->type.scalar != IA_PK_STRING)
        return gq_type_error(k, v->span, v->kind == IA_GQ_LITERAL ? "T3" : "T7",
                             "`%s` takes the id of a node (String), got %s", in->name,
                             gq_type_text(v->type, have, sizeof have));
    if (strcmp(in->name, "from") == 0)
        out->from = v;
    else
        out->to = v;
    return IA_OK;
}

static ia_status check_assigns(gq_check *k, const gq_statement *in, ia_gq_statement *out)
{
    ia_gq_assign *list;
    size_t i, j;

    IA_TRY(IA_ARENA_ARRAY(k->cx, k->arena, list, in->assigns.n));
    out->assigns = list;
    for (i = 0; i < in->assigns.n; i++) {
        const gq_match *m = &in->assigns.items[i];
        ia_gq_assign *a = &list[out->n_assigns];
        for (j = 0; j < i; j++)
            if (strcmp(in->assigns.items[j].name, m->name) == 0)
                return gq_type_error(k, m->name_span, "T13", "property `%s` is assigned twice",
                                     m->name);
        if (is_end_point(out->type, m->name)) {
            IA_TRY(check_end_point(k, m, out));
            continue;
        }
        a->prop = ia_type_def_find(out->type, m->name);
        if (a->prop < 0)
            return gq_type_error(k, m->name_span, "T11", "type `%s` has no property `%s`",
                                 out->type->name, m->name);
        if (out->kind == IA_GQ_UPDATE && ia_type_def_is_key(out->type, a->prop))
            return gq_type_error(k, m->name_span, NULL,
                                 "cannot update @key property '%s' - delete and re-insert instead",
                                 m->name);
        a->span = m->span;
        IA_TRY(gq_resolve_value(k, &m->value, &a->value));
        IA_TRY(check_assigned(k, out->type, &out->type->properties[a->prop], &a->value));
        out->n_assigns++;
    }
    return IA_OK;
}

static bool is_assigned(const ia_gq_statement *s, int prop)
{
    size_t i;

    for (i = 0; i < s->n_assigns; i++)
        if (s->assigns[i].prop == prop)
            return true;
    return false;
}

static ia_status check_complete(gq_check *k, const gq_statement *in, const ia_gq_statement *out)
{
    size_t i;

    if (out->type->kind == IA_KIND_EDGE && (!out->from || !out->to))
        return gq_type_error(k, in->type.span, "T12", "insert of edge `%s` needs `%s`",
                             out->type->name, out->from ? "to" : "from");
    for (i = 0; i < out->type->n_properties; i++)
        if (!out->type->properties[i].type.nullable && !is_assigned(out, (int)i))
            return gq_type_error(k, in->type.span, "T12",
                                 "insert of `%s` needs property `%s`, which is not nullable",
                                 out->type->name, out->type->properties[i].name);
    return IA_OK;
}

static ia_status check_where(gq_check *k, const gq_statement *in, ia_gq_statement *out)
{
    ia_gq_expr field;

    memset(&field, 0, sizeof field);
    out->where_op = in->op;
    out->where_span = in->where_span;
    field.kind = IA_GQ_PROP;
    field.span = in->where.span;
    if (is_end_point(out->type, in->where.text)) {
        out->where_prop = strcmp(in->where.text, "from") == 0 ? IA_GQ_FIELD_FROM : IA_GQ_FIELD_TO;
        field.type.scalar = IA_PK_STRING;
    } else {
        out->where_prop = ia_type_def_find(out->type, in->where.text);
        if (out->where_prop < 0)
            return gq_type_error(k, in->where.span, "T11", "type `%s` has no property `%s`",
                                 out->type->name, in->where.text);
        field.type = out->type->properties[out->where_prop].type;
    }
    IA_TRY(gq_resolve_value(k, &in->where_value, &out->where_value));
    return gq_check_comparison(k, in->where_span, &field, in->op, &out->where_value);
}

static ia_status check_statement(gq_check *k, const gq_statement *in, ia_gq_statement *out)
{
    out->kind = in->kind;
    out->span = ia_span_join(in->span, in->type.span);
    out->type = ia_catalog_node(k->catalog, in->type.text);
    if (!out->type)
        out->type = ia_catalog_edge(k->catalog, in->type.text);
    if (!out->type)
        return gq_type_error(k, in->type.span, "T10", "unknown type `%s`", in->type.text);
    if (out->kind == IA_GQ_UPDATE && out->type->kind == IA_KIND_EDGE)
        return gq_type_error(k, in->type.span, "T16",
                             "edge `%s` cannot be updated; delete and insert instead",
                             out->type->name);
    if (out->kind != IA_GQ_DELETE)
        IA_TRY(check_assigns(k, in, out));
    if (out->kind == IA_GQ_INSERT)
        return check_complete(k, in, out);
    return check_where(k, in, out);
}

ia_status gq_check_mutation(gq_check *k)
{
    const gq_statement *first = k->ast->statements.items;
    ia_gq_statement *list;
    size_t n = k->ast->statements.n;
    size_t i;

    IA_TRY(IA_ARENA_ARRAY(k->cx, k->arena, list, n));
    for (i = 0; i < n; i++) {
        const gq_statement *s = &first[i];
        if ((s->kind == IA_GQ_DELETE) != (first->kind == IA_GQ_DELETE))
            return gq_type_error(k, s->span, NULL,
                                 "a query cannot mix delete with insert or update; split it into "
                                 "(1) inserts and updates, (2) deletes");
        IA_TRY(check_statement(k, s, &list[i]));
    }
    k->out->statements = list;
    k->out->n_statements = n;
    return IA_OK;
}
