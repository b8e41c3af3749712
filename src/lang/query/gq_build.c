/* gq_build.c - query values as scalars for comparison and as column entries. */
#include "lang/query/gq_build.h"

ia_scalar ia_gq_scalar(const ia_gq_value *v)
{
    switch (v->kind) {
    case IA_GQ_BOOL:
        return ia_scalar_bool(v->b);
    case IA_GQ_INT:
        return ia_scalar_i64(v->i);
    case IA_GQ_FLOAT:
        return ia_scalar_f64(v->f);
    case IA_GQ_STRING:
        return ia_scalar_str(v->s.data, v->s.len);
    case IA_GQ_DATE:
        return ia_scalar_date32((int32_t)v->i);
    case IA_GQ_DATETIME:
        return ia_scalar_timestamp(v->i, IA_UNIT_MS);
    case IA_GQ_NULL:
    case IA_GQ_LIST:
        break;
    }
    return ia_scalar_null();
}

void ia_gq_append(ia_ctx *cx, ia_builder *b, const ia_gq_value *v)
{
    switch (v->kind) {
    case IA_GQ_NULL:
        ia_builder_null(cx, b);
        break;
    case IA_GQ_BOOL:
        ia_builder_bool(cx, b, v->b);
        break;
    case IA_GQ_INT:
        if (ia_type_is_float(b->type))
            ia_builder_f64(cx, b, (double)v->i);
        else
            ia_builder_i64(cx, b, v->i);
        break;
    case IA_GQ_DATE:
    case IA_GQ_DATETIME:
        ia_builder_i64(cx, b, v->i);
        break;
    case IA_GQ_FLOAT:
        ia_builder_f64(cx, b, v->f);
        break;
    case IA_GQ_STRING:
        ia_builder_str(cx, b, v->s.data, v->s.len);
        break;
    case IA_GQ_LIST:
        for (size_t i = 0; i < v->n; i++)
            ia_gq_append(cx, &b->children[0], &v->items[i]);
        ia_builder_end_list(cx, b);
        break;
    }
}
