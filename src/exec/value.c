/* value.c - values of expressions over the rows of a relation. */
#include "exec/exec_priv.h"

ia_scalar ia_xscalar(const ia_gq_value *v)
{
    switch (v->kind) {
    case IA_GQ_BOOL: return ia_scalar_bool(v->b);
    case IA_GQ_INT: return ia_scalar_i64(v->i);
    case IA_GQ_FLOAT: return ia_scalar_f64(v->f);
    case IA_GQ_STRING: return ia_scalar_str(v->s.data, v->s.len);
    case IA_GQ_DATE: return ia_scalar_date32((int32_t)v->i);
    case IA_GQ_DATETIME: return ia_scalar_timestamp(v->i, IA_UNIT_MS);
    case IA_GQ_NULL:
    case IA_GQ_LIST: break;
    }
    return ia_scalar_null();
}

static void append(ia_ctx *cx, ia_builder *b, const ia_gq_value *v)
{
    switch (v->kind) {
    case IA_GQ_NULL: ia_builder_null(cx, b); break;
    case IA_GQ_BOOL: ia_builder_bool(cx, b, v->b); break;
    case IA_GQ_INT:
        if (ia_type_is_float(b->type))
            ia_builder_f64(cx, b, (double)v->i);
        else
            ia_builder_i64(cx, b, v->i);
        break;
    case IA_GQ_DATE:
    case IA_GQ_DATETIME: ia_builder_i64(cx, b, v->i); break;
    case IA_GQ_FLOAT: ia_builder_f64(cx, b, v->f); break;
    case IA_GQ_STRING: ia_builder_str(cx, b, v->s.data, v->s.len); break;
    case IA_GQ_LIST:
        for (size_t i = 0; i < v->n; i++)
            append(cx, &b->children[0], &v->items[i]);
        ia_builder_end_list(cx, b);
        break;
    }
}

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
        append(cx, &b, &v);
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
            return ia_fail(cx, IA_ERR_INTERNAL, "query: variable $%s is used before it is bound", x->q->vars[e->var].name);
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
