/* gq_build.h - query values as scalars for comparison and as column entries. */
#ifndef IA_LANG_QUERY_GQ_BUILD_H
#define IA_LANG_QUERY_GQ_BUILD_H

#include "arrow/builder.h"
#include "expr/scalar.h"
#include "lang/query/query.h"

/* Strings stay borrowed from v; lists give null. */
ia_scalar ia_gq_scalar(const ia_gq_value *v);
/* Appends v, which was coerced to the column's type. Failures are remembered by the builder. */
void ia_gq_append(ia_ctx *cx, ia_builder *b, const ia_gq_value *v);

#endif
