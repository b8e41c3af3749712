/* gq_check_match.c - checks the clauses of `match` and resolves variables and directions. */
#include "lang/query/query_priv.h"

typedef struct clause_list {
    ia_gq_clause *items;
    size_t n, cap;
} clause_list;

/* ---- variables --------------------------------------------------------------------------------
 */

static bool is_anonymous(const char *name)
{
    return strcmp(name, "_") == 0;
}

static ia_status add_var(gq_check *k, const gq_name *name, const ia_type_def *type, bool is_edge,
                         int *out)
{
    ia_gq_var *v = NULL;
    gq_scope_entry *e = NULL;

    if (gq_find_param(k, name->text) >= 0)
        return gq_type_error(k, name->span, NULL,
                             "`$%s` names a parameter and a variable; rename one of them",
                             name->text);
    IA_TRY(IA_PUSH(k->cx, k->arena, &k->vars, v));
    IA_TRY(IA_SET(k->cx, v->name, gq_dup(k, name->text)));
    v->type = type;
    v->is_edge = is_edge;
    v->anonymous = is_anonymous(name->text);
    v->depth = k->depth;
    v->span = name->span;
    *out = (int)k->vars.n - 1;
    if (v->anonymous)
        return IA_OK;
    IA_TRY(IA_PUSH(k->cx, k->arena, &k->scope, e));
    e->name = v->name;
    e->var = *out;
    return IA_OK;
}

/* ---- binding ----------------------------------------------------------------------------------
 */

static ia_status check_match_value(gq_check *k, const ia_type_def *t, const ia_property *p,
                                   ia_gq_pred *m)
{
    bool literal = m->rhs.kind == IA_GQ_LITERAL;
    const char *code = literal ? "T3" : "T7";
    ia_proptype want = p->type;
    char a[48], b[48];

    ia_proptype_text(want, a, sizeof a);
    gq_type_text(m->rhs.type, b, sizeof b);
    if (want.scalar == IA_PK_VECTOR)
        return gq_type_error(k, m->rhs.span, code,
                             "property `%s.%s` is a Vector and cannot be matched", t->name,
                             p->name);
    if (want.is_list && m->rhs.type.is_list)
        return gq_type_error(
            k, m->rhs.span, code,
            "property `%s.%s` is a list; use a scalar value to match list membership", t->name,
            p->name);
    want.is_list = false;
    if (m->rhs.kind == IA_GQ_NOW && (p->type.is_list || want.scalar != IA_PK_DATETIME))
        return gq_type_error(k, m->rhs.span, "T7",
                             "now() matches a DateTime only; `%s.%s` has type %s", t->name, p->name,
                             a);
    if (!gq_compatible(want, m->rhs.type))
        return gq_type_error(k, m->rhs.span, code, "property `%s.%s` has type %s, got %s", t->name,
                             p->name, a, b);
    m->op = p->type.is_list ? IA_GQ_HAS : IA_GQ_EQ;
    return gq_check_enum(k, p, &m->rhs);
}

static ia_status check_match(gq_check *k, int var, const gq_match *in, ia_gq_pred *out)
{
    const ia_type_def *t = k->vars.items[var].type;
    int at = ia_type_def_find(t, in->name);

    if (at < 0)
        return gq_type_error(k, in->name_span, "T2", "type `%s` has no property `%s`", t->name,
                             in->name);
    out->span = in->span;
    out->lhs.kind = IA_GQ_PROP;
    out->lhs.span = in->name_span;
    out->lhs.var = var;
    out->lhs.prop = at;
    out->lhs.type = t->properties[at].type;
    IA_TRY(gq_resolve_value(k, &in->value, &out->rhs));
    return check_match_value(k, t, &t->properties[at], out);
}

static ia_status bind_node(gq_check *k, const gq_name *name, const ia_type_def *type, int *out)
{
    const ia_gq_var *v;

    *out = is_anonymous(name->text) ? -1 : gq_find_var(k, name->text);
    if (*out < 0)
        return add_var(k, name, type, false, out);
    v = &k->vars.items[*out];
    if (v->is_edge)
        return gq_type_error(k, name->span, "T23",
                             "edge binding `$%s` cannot be bound again as a node", name->text);
    if (v->type != type)
        return gq_type_error(k, name->span, NULL, "variable `$%s` is already bound to type `%s`",
                             name->text, v->type->name);
    return IA_OK;
}

static ia_status check_binding(gq_check *k, const gq_clause *in, ia_gq_clause *out)
{
    const ia_type_def *type = ia_catalog_node(k->catalog, in->type.text);
    ia_gq_pred *list = NULL;
    size_t i;

    if (!type)
        return gq_type_error(k, in->type.span, "T1", "`%s` is not a node type", in->type.text);
    IA_TRY(bind_node(k, &in->var, type, &out->binding.var));
    k->vars.items[out->binding.var].bound_explicitly = true;
    if (in->matches.n)
        IA_TRY(IA_ARENA_ARRAY(k->cx, k->arena, list, in->matches.n));
    for (i = 0; i < in->matches.n; i++)
        IA_TRY(check_match(k, out->binding.var, &in->matches.items[i], &list[i]));
    out->binding.matches = list;
    out->binding.n_matches = in->matches.n;
    return IA_OK;
}

/* ---- traversal --------------------------------------------------------------------------------
 */

static ia_status check_edge_binding(gq_check *k, const gq_clause *in, bool *wanted)
{
    const char *name = in->edge_var.text;

    *wanted = name && !is_anonymous(name);
    if (!*wanted)
        return IA_OK;
    if (strcmp(name, in->var.text) == 0 || strcmp(name, in->right.text) == 0)
        return gq_type_error(k, in->edge_var.span, "T23",
                             "edge binding `$%s` has the name of an end-point", name);
    if (gq_find_var(k, name) >= 0)
        return gq_type_error(k, in->edge_var.span, "T23", "edge binding `$%s` is already bound",
                             name);
    if (in->has_bounds && !(in->min_hops == 1 && in->has_max && in->max_hops == 1))
        return gq_type_error(k, in->bounds_span, "T23",
                             "an edge binding allows one hop only; remove `$%s` or the bounds",
                             name);
    return IA_OK;
}

static ia_status check_bounds(gq_check *k, const gq_clause *in)
{
    if (!in->has_bounds)
        return IA_OK;
    if (in->min_hops == 0)
        return gq_type_error(k, in->bounds_span, "T15",
                             "the lowest number of hops must be at least 1");
    if (!in->has_max)
        return gq_type_error(k, in->bounds_span, "T15",
                             "unbounded traversal is disabled; give a highest number of hops");
    if (in->max_hops < in->min_hops)
        return gq_type_error(k, in->bounds_span, "T15",
                             "the highest number of hops is below the lowest");
    return IA_OK;
}

/* Type of an end-point bound before; NULL when it is new or anonymous. */
static ia_status end_type(gq_check *k, const gq_name *name, const ia_type_def **out)
{
    int var = is_anonymous(name->text) ? -1 : gq_find_var(k, name->text);

    *out = NULL;
    if (var < 0)
        return IA_OK;
    if (k->vars.items[var].is_edge)
        return gq_type_error(k, name->span, "T23", "edge binding `$%s` cannot be an end-point",
                             name->text);
    *out = k->vars.items[var].type;
    return IA_OK;
}

static ia_status wrong_end(gq_check *k, const gq_name *name, const ia_type_def *have,
                           const ia_type_def *edge)
{
    return gq_type_error(k, name->span, "T5",
                         "`$%s` has type `%s`, but edge `%s` goes from `%s` to `%s`", name->text,
                         have->name, edge->name, edge->from->name, edge->to->name);
}

static ia_status find_direction(gq_check *k, const gq_clause *in, const ia_type_def *edge,
                                ia_gq_direction *out)
{
    const ia_type_def *left, *right, *want;

    IA_TRY(end_type(k, &in->var, &left));
    IA_TRY(end_type(k, &in->right, &right));
    *out = in->undirected ? IA_GQ_UNDIRECTED : IA_GQ_FORWARD;
    if (edge->from != edge->to &&
        ((left && left == edge->to) || (!left && right && right == edge->from)))
        *out = IA_GQ_REVERSE;
    want = *out == IA_GQ_REVERSE ? edge->to : edge->from;
    if (left && left != want)
        return wrong_end(k, &in->var, left, edge);
    want = *out == IA_GQ_REVERSE ? edge->from : edge->to;
    if (right && right != want)
        return wrong_end(k, &in->right, right, edge);
    return IA_OK;
}

static ia_status check_traversal(gq_check *k, const gq_clause *in, ia_gq_clause *out)
{
    const ia_type_def *edge = ia_catalog_edge_word(k->catalog, in->type.text);
    bool reverse, bind_edge;

    out->traversal.edge_var = -1;
    if (!edge)
        return gq_type_error(k, in->type.span, "T4", "unknown edge `%s`", in->type.text);
    IA_TRY(check_edge_binding(k, in, &bind_edge));
    if (in->undirected && edge->from != edge->to)
        return gq_type_error(
            k, in->type.span, "T22",
            "edge `%s` goes from `%s` to `%s`; an undirected traversal needs equal types",
            edge->name, edge->from->name, edge->to->name);
    IA_TRY(check_bounds(k, in));
    IA_TRY(find_direction(k, in, edge, &out->traversal.direction));
    reverse = out->traversal.direction == IA_GQ_REVERSE;
    IA_TRY(bind_node(k, &in->var, reverse ? edge->to : edge->from, &out->traversal.left));
    IA_TRY(bind_node(k, &in->right, reverse ? edge->from : edge->to, &out->traversal.right));
    if (bind_edge)
        IA_TRY(add_var(k, &in->edge_var, edge, true, &out->traversal.edge_var));
    out->traversal.edge = edge;
    out->traversal.min_hops = in->min_hops;
    out->traversal.max_hops = in->max_hops;
    return IA_OK;
}

/* ---- filter, negation -------------------------------------------------------------------------
 */

static ia_status check_filter(gq_check *k, const gq_clause *in, ia_gq_clause *out)
{
    out->filter.span = in->span;
    out->filter.op = in->op;
    IA_TRY(gq_resolve(k, &in->lhs, true, &out->filter.lhs));
    IA_TRY(gq_resolve(k, &in->rhs, true, &out->filter.rhs));
    return gq_check_comparison(k, in->span, &out->filter.lhs, in->op, &out->filter.rhs);
}

static ia_status check_negation(gq_check *k, const gq_clause *in, ia_gq_clause *out)
{
    size_t outside = k->scope.n;
    size_t before = k->lowest;

    k->lowest = SIZE_MAX;
    k->depth++;
    IA_TRY(gq_check_clauses(k, &in->inner, &out->negation.clauses, &out->negation.n_clauses));
    k->depth--;
    if (k->lowest >= outside) {
        ia_span at = in->span;
        at.length = 3;
        return gq_type_error(k, at, "T9",
                             "no clause of this `not` mentions a variable bound outside it");
    }
    k->scope.n = outside;
    if (before < k->lowest)
        k->lowest = before;
    return IA_OK;
}

ia_status gq_check_clauses(gq_check *k, const gq_clauses *in, const ia_gq_clause **out, size_t *n)
{
    clause_list list = {NULL, 0, 0};
    size_t i;

    *out = NULL;
    *n = 0;
    for (i = 0; i < in->n; i++) {
        const gq_clause *c = &in->items[i];
        ia_gq_clause *slot = NULL;
        IA_TRY(IA_PUSH(k->cx, k->arena, &list, slot));
        slot->kind = c->kind;
        slot->span = c->span;
        switch (c->kind) {
        case IA_GQ_BINDING:
            IA_TRY(check_binding(k, c, slot));
            break;
        case IA_GQ_TRAVERSAL:
            IA_TRY(check_traversal(k, c, slot));
            break;
        case IA_GQ_FILTER:
            IA_TRY(check_filter(k, c, slot));
            break;
        case IA_GQ_NOT:
            IA_TRY(check_negation(k, c, slot));
            break;
        }
    }
    *out = list.items;
    *n = list.n;
    return IA_OK;
}
