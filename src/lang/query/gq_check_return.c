/* gq_check_return.c - checks `return` and `order`: columns, their names, aggregates, sort keys. */
#include "lang/query/query_priv.h"

typedef struct projection_list {
    ia_gq_projection *items;
    size_t n, cap;
} projection_list;

static const char *const agg_names[] = {"count", "sum", "avg", "min", "max"};

/* ---- aggregates -------------------------------------------------------------------------------
 */

static ia_status check_agg_type(gq_check *k, const gq_expr *in, const ia_gq_expr *arg,
                                ia_gq_expr *out)
{
    bool scalar = !arg->type.is_list && arg->type.scalar != IA_PK_VECTOR && arg->kind != IA_GQ_VAR;
    bool number = scalar && ia_pkind_is_number(arg->type.scalar);
    char text[48];

    gq_type_text(arg->type, text, sizeof text);
    switch (in->agg) {
    case IA_GQ_COUNT:
        out->type.scalar = IA_PK_I64;
        return IA_OK;
    case IA_GQ_SUM:
    case IA_GQ_AVG:
        if (!number)
            return gq_type_error(k, in->span, "T8", "%s needs a number, got %s", agg_names[in->agg],
                                 arg->kind == IA_GQ_VAR ? "a node" : text);
        out->type.scalar = IA_PK_F64;
        break;
    case IA_GQ_MIN:
    case IA_GQ_MAX:
        if (!number && !(scalar && gq_is_text(arg->type.scalar)))
            return gq_type_error(k, in->span, "T8", "%s needs a number or a String, got %s",
                                 agg_names[in->agg], arg->kind == IA_GQ_VAR ? "a node" : text);
        out->type = arg->type;
        break;
    }
    out->type.nullable = true;
    return IA_OK;
}

static ia_status resolve_agg(gq_check *k, const gq_expr *in, ia_gq_expr *out)
{
    const gq_expr *a = in->args[0];
    ia_gq_expr *arg;

    memset(out, 0, sizeof *out);
    out->kind = IA_GQ_AGG;
    out->span = in->span;
    out->agg = in->agg;
    if (a->kind == GQ_SEARCH)
        return gq_refuse_search(k, a);
    if (a->kind == GQ_AGG || a->kind == GQ_NOW || a->kind == GQ_ALIAS)
        return gq_type_error(k, a->span, "T8",
                             "%s takes a property, a variable, a parameter or a value",
                             agg_names[in->agg]);
    IA_TRY(IA_ARENA_NEW(k->cx, k->arena, arg));
    IA_TRY(gq_resolve(k, a, false, arg));
    out->arg = arg;
    return check_agg_type(k, in, arg, out);
}

static ia_status resolve_column(gq_check *k, const gq_expr *in, ia_gq_expr *out)
{
    return in->kind == GQ_AGG ? resolve_agg(k, in, out) : gq_resolve(k, in, false, out);
}

/* ---- return -----------------------------------------------------------------------------------
 */

static const ia_property *property_of(const gq_check *k, const ia_gq_expr *e)
{
    return e->kind == IA_GQ_PROP ? &k->vars.items[e->var].type->properties[e->prop] : NULL;
}

static ia_status column_name(gq_check *k, const ia_gq_expr *e, const char **out)
{
    const char *name = NULL;

    switch (e->kind) {
    case IA_GQ_LITERAL:
        name = "literal";
        break;
    case IA_GQ_NOW:
        name = "now";
        break;
    case IA_GQ_PARAM:
        name = k->out->params[e->param].name;
        break;
    case IA_GQ_VAR:
        name = k->vars.items[e->var].name;
        break;
    case IA_GQ_AGG:
        return column_name(k, e->arg, out);
    case IA_GQ_PROP:
        return IA_SET(k->cx, *out,
                      ia_arena_sprintf(k->cx, k->arena, "%s.%s", k->vars.items[e->var].name,
                                       property_of(k, e)->name));
    }
    *out = name;
    return IA_OK;
}

/* True in *repeat when the same column was returned already: it is not returned twice. */
static ia_status check_repeat(gq_check *k, const projection_list *list, const ia_gq_projection *p,
                              bool *repeat)
{
    size_t i;

    *repeat = false;
    for (i = 0; i < list->n; i++) {
        if (strcmp(list->items[i].name, p->name) != 0)
            continue;
        if (!gq_expr_equal(&list->items[i].expr, &p->expr))
            return gq_type_error(k, p->span, NULL,
                                 "two columns are named `%s`; rename one with `as`", p->name);
        *repeat = true;
    }
    return IA_OK;
}

static ia_status check_projection(gq_check *k, const gq_projection *in, projection_list *list)
{
    ia_gq_projection p, *slot = NULL;
    const ia_property *prop;
    bool repeat;

    memset(&p, 0, sizeof p);
    p.span = in->alias.text ? ia_span_join(in->expr.span, in->alias.span) : in->expr.span;
    IA_TRY(resolve_column(k, &in->expr, &p.expr));
    p.type = p.expr.type;
    prop = property_of(k, p.expr.kind == IA_GQ_AGG ? p.expr.arg : &p.expr);
    if (prop && p.type.scalar == IA_PK_ENUM) {
        p.enum_values = prop->enum_values;
        p.n_enum = prop->n_enum;
    }
    p.aliased = in->alias.text != NULL;
    if (p.aliased)
        IA_TRY(IA_SET(k->cx, p.name, gq_dup(k, in->alias.text)));
    else
        IA_TRY(column_name(k, &p.expr, &p.name));
    k->out->is_aggregate |= p.expr.kind == IA_GQ_AGG;
    IA_TRY(check_repeat(k, list, &p, &repeat));
    if (repeat)
        return IA_OK;
    IA_TRY(IA_PUSH(k->cx, k->arena, list, slot));
    *slot = p;
    return IA_OK;
}

static ia_status check_groups(gq_check *k, const projection_list *list)
{
    size_t i;

    for (i = 0; k->out->is_aggregate && i < list->n; i++) {
        ia_gq_expr_kind kind = list->items[i].expr.kind;
        if (kind != IA_GQ_AGG && kind != IA_GQ_PROP && kind != IA_GQ_VAR && kind != IA_GQ_PARAM)
            return gq_type_error(k, list->items[i].span, "T9",
                                 "beside an aggregate, a column must be a property or a variable");
    }
    return IA_OK;
}

/* ---- order ------------------------------------------------------------------------------------
 */

static int find_projection(const gq_check *k, const ia_gq_expr *e)
{
    size_t i;

    for (i = 0; i < k->out->n_projections; i++)
        if (gq_expr_equal(&k->out->projections[i].expr, e))
            return (int)i;
    return -1;
}

static ia_status order_by_alias(gq_check *k, const gq_expr *in, ia_gq_order *out)
{
    size_t i;

    for (i = 0; i < k->out->n_projections; i++) {
        const ia_gq_projection *p = &k->out->projections[i];
        if (p->aliased && strcmp(p->name, in->name) == 0) {
            out->projection = (int)i;
            out->expr = p->expr;
            return IA_OK;
        }
    }
    return gq_type_error(k, in->span, NULL, "alias `%s` not found for ordering", in->name);
}

static ia_status order_by_expr(gq_check *k, const gq_expr *in, ia_gq_order *out)
{
    IA_TRY(resolve_column(k, in, &out->expr));
    out->projection = find_projection(k, &out->expr);
    if (out->expr.kind == IA_GQ_LITERAL || out->expr.kind == IA_GQ_PARAM ||
        out->expr.kind == IA_GQ_NOW)
        return gq_type_error(k, in->span, NULL,
                             "order by a property, an alias or a returned aggregate");
    if (out->projection < 0 && (out->expr.kind != IA_GQ_PROP || k->out->is_aggregate))
        return gq_type_error(k, in->span, NULL, "this ordering must also be a returned column");
    return IA_OK;
}

static ia_status check_order(gq_check *k, const gq_order *in, ia_gq_order *out)
{
    out->span = in->expr.span;
    out->desc = in->desc;
    if (in->expr.kind == GQ_SEARCH)
        return gq_refuse_search(k, &in->expr);
    IA_TRY(in->expr.kind == GQ_ALIAS ? order_by_alias(k, &in->expr, out)
                                     : order_by_expr(k, &in->expr, out));
    if (out->expr.type.is_list || out->expr.type.scalar == IA_PK_VECTOR)
        return gq_type_error(k, in->expr.span, NULL, "a list or Vector has no order");
    return IA_OK;
}

ia_status gq_check_returns(gq_check *k)
{
    projection_list list = {NULL, 0, 0};
    ia_gq_order *orders;
    size_t i;

    for (i = 0; i < k->ast->projections.n; i++)
        IA_TRY(check_projection(k, &k->ast->projections.items[i], &list));
    IA_TRY(check_groups(k, &list));
    k->out->projections = list.items;
    k->out->n_projections = list.n;
    if (k->ast->orders.n == 0)
        return IA_OK;
    IA_TRY(IA_ARENA_ARRAY(k->cx, k->arena, orders, k->ast->orders.n));
    for (i = 0; i < k->ast->orders.n; i++)
        IA_TRY(check_order(k, &k->ast->orders.items[i], &orders[i]));
    k->out->orders = orders;
    k->out->n_orders = k->ast->orders.n;
    return IA_OK;
}
