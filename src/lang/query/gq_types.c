/* gq_types.c - which types go together in comparisons, matches and assignments. */
#include "lang/query/query_priv.h"

#include <stdio.h>

bool gq_is_text(ia_pkind s)
{
    return s == IA_PK_STRING || s == IA_PK_ENUM;
}

static bool same_scalar(ia_pkind a, ia_pkind b)
{
    return a == b || (gq_is_text(a) && gq_is_text(b)) ||
           (ia_pkind_is_number(a) && ia_pkind_is_number(b));
}

bool gq_compatible(ia_proptype a, ia_proptype b)
{
    return a.is_list == b.is_list && same_scalar(a.scalar, b.scalar) &&
           (a.scalar != IA_PK_VECTOR || a.dim == b.dim);
}

const char *gq_type_text(ia_proptype t, char *out, size_t n)
{
    if (t.scalar == IA_PK_ENUM)
        t.scalar = IA_PK_STRING;
    return ia_proptype_text(t, out, n);
}

static bool is_scalar(ia_proptype t)
{
    return !t.is_list && t.scalar != IA_PK_VECTOR;
}

static ia_status check_contains(gq_check *k, ia_span span, const ia_gq_expr *lhs,
                                const ia_gq_expr *rhs)
{
    ia_proptype item = lhs->type;
    char a[48], b[48];

    item.is_list = false;
    if (lhs->type.is_list && is_scalar(rhs->type) && gq_compatible(item, rhs->type))
        return IA_OK;
    if (is_scalar(lhs->type) && gq_is_text(lhs->type.scalar) && is_scalar(rhs->type) &&
        gq_is_text(rhs->type.scalar))
        return IA_OK;
    return gq_type_error(
        k, span, "T7",
        "`contains` takes a list and one of its items, or two Strings; got %s and %s",
        gq_type_text(lhs->type, a, sizeof a), gq_type_text(rhs->type, b, sizeof b));
}

ia_status gq_check_comparison(gq_check *k, ia_span span, const ia_gq_expr *lhs, ia_gq_op op,
                              const ia_gq_expr *rhs)
{
    char a[48], b[48];

    gq_type_text(lhs->type, a, sizeof a);
    gq_type_text(rhs->type, b, sizeof b);
    if (op == IA_GQ_CONTAINS)
        return check_contains(k, span, lhs, rhs);
    if (op == IA_GQ_STARTS_WITH) {
        if (is_scalar(lhs->type) && gq_is_text(lhs->type.scalar) && is_scalar(rhs->type) &&
            gq_is_text(rhs->type.scalar))
            return IA_OK;
        return gq_type_error(k, span, "T7", "`starts_with` takes two Strings; got %s and %s", a, b);
    }
    if (!is_scalar(lhs->type) || !is_scalar(rhs->type))
        return gq_type_error(k, span, "T7", "a list or Vector cannot be compared; got %s and %s", a,
                             b);
    if (!gq_compatible(lhs->type, rhs->type)) {
        if (lhs->kind == IA_GQ_NOW || rhs->kind == IA_GQ_NOW)
            return gq_type_error(k, span, "T7",
                                 "now() compares with a DateTime only; got %s and %s", a, b);
        return gq_type_error(k, span, "T7", "%s and %s cannot be compared%s", a, b,
                             lhs->type.scalar == IA_PK_DATE || rhs->type.scalar == IA_PK_DATE ||
                                     lhs->type.scalar == IA_PK_DATETIME ||
                                     rhs->type.scalar == IA_PK_DATETIME
                                 ? "; write date(\"...\") or datetime(\"...\")"
                                 : "");
    }
    return IA_OK;
}

ia_status gq_check_enum(gq_check *k, const ia_property *p, const ia_gq_expr *value)
{
    char list[160];
    size_t i, n = 0;

    if (p->type.scalar != IA_PK_ENUM || value->kind != IA_GQ_LITERAL ||
        value->value.kind != IA_GQ_STRING ||
        ia_property_has_enum(p, value->value.s.data, value->value.s.len))
        return IA_OK;
    list[0] = 0;
    for (i = 0; i < p->n_enum && n < sizeof list; i++) {
        int w = snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", p->enum_values[i]);
        n += w > 0 ? (size_t)w : 0;
    }
    return gq_type_error(k, value->span, "T3", "property `%s` expects one of [%s%s], got '%.40s'",
                         p->name, list, n >= sizeof list ? "..." : "", value->value.s.data);
}

static bool value_equal(const ia_gq_value *a, const ia_gq_value *b)
{
    size_t i;

    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case IA_GQ_NULL:
        return true;
    case IA_GQ_BOOL:
        return a->b == b->b;
    case IA_GQ_INT:
    case IA_GQ_DATE:
    case IA_GQ_DATETIME:
        return a->i == b->i;
    case IA_GQ_FLOAT:
        return !(a->f < b->f) && !(a->f > b->f);
    case IA_GQ_STRING:
        return ia_view_eq(a->s, b->s);
    case IA_GQ_LIST:
        if (a->n != b->n)
            return false;
        for (i = 0; i < a->n; i++)
            if (!value_equal(&a->items[i], &b->items[i]))
                return false;
        return true;
    }
    return false;
}

bool gq_expr_equal(const ia_gq_expr *a, const ia_gq_expr *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case IA_GQ_LITERAL:
        return value_equal(&a->value, &b->value);
    case IA_GQ_PARAM:
        return a->param == b->param;
    case IA_GQ_NOW:
        return true;
    case IA_GQ_PROP:
        return a->var == b->var && a->prop == b->prop;
    case IA_GQ_VAR:
        return a->var == b->var;
    case IA_GQ_AGG:
        return a->agg == b->agg && gq_expr_equal(a->arg, b->arg);
    }
    return false;
}
