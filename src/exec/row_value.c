/* row_value.c - values of expressions over the rows of a relation. */
#include "exec/exec_priv.h"
#include "lang/query/gq_build.h"

/* A constant as a column. */
static ia_status repeat(ia_ctx *cx, ia_xq *x, const ia_gq_expr *e, size_t n, ia_array **out)
{
    ia_builder b = {0};
    ia_gq_value v;
    ia_type *type = NULL;
    ia_status st;

    IA_GO(ia_gq_eval(cx, x->params, e, &v));
    IA_GO(ia_proptype_arrow(cx, e->type, &type));
    IA_GO(ia_builder_init(cx, &b, type));
    for (size_t i = 0; i < n; i++)
        ia_gq_append(cx, &b, &v);
    IA_GO(ia_builder_finish(cx, &b, out));
done:
    ia_builder_dispose(&b);
    ia_type_release(type);
    return st;
}

ia_status ia_xvalue(ia_ctx *cx, ia_xq *x, const ia_xrel *r, const ia_gq_expr *e, ia_array **out)
{
    ia_xtype *t;
    size_t column = 0; /* id */

    *out = NULL;
    switch (e->kind) {
    case IA_GQ_LITERAL:
    case IA_GQ_PARAM:
    case IA_GQ_NOW:
        return repeat(cx, x, e, r->n, out);
    case IA_GQ_PROP:
    case IA_GQ_VAR: {
        const ia_type_def *def = x->q->vars[e->var].type;
        if (!r->col[e->var])
            return ia_fail(cx, IA_ERR_INTERNAL, "query: variable $%s is used before it is bound",
                           x->q->vars[e->var].name);
        IA_TRY(ia_xtype_get(cx, x, def, false, &t));
        if (e->kind == IA_GQ_PROP)
            column = def->first_column + (size_t)e->prop;
        return ia_xtype_values(cx, t, column, r->col[e->var], r->n, out);
    }
    case IA_GQ_AGG:
        break;
    }
    return ia_fail(cx, IA_ERR_INTERNAL, "query: an aggregate stands where a row value is needed");
}
