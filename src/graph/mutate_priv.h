/* mutate_priv.h - the working state of one mutation: pending rows and deletions per type. */
#ifndef IA_GRAPH_MUTATE_PRIV_H
#define IA_GRAPH_MUTATE_PRIV_H

#include "arrow/builder.h"
#include "graph/ops.h"
#include "graph/row_plan.h"

/* What the statements so far did to one type. */
typedef struct ia_mut_type {
    const ia_type_def *def;
    ia_row_plan plan;   /* inserted and updated rows, the last of an id counts */
    bool given_ids;     /* some pending row may have an id that is stored already */
    ia_bytemap deleted; /* id -> address of the committed row that goes */
} ia_mut_type;

typedef struct ia_mutation {
    const ia_gq_query *q;
    const ia_params *params;
    ia_write *w;
    ia_mut_type *types; /* per catalog type */
    ia_arena arena;     /* values and predicates */
    uint64_t nodes, edges;
} ia_mutation;

size_t ia_mut_type_index(const ia_mutation *m, const ia_type_def *def);
/* The statement's predicate, bound to `s`; *never when its value is null. */
ia_status ia_mut_predicate(ia_ctx *cx, ia_mutation *m, const ia_gq_statement *s,
                           const ia_schema *schema, ia_expr **out, bool *never) IA_MUST_CHECK;
ia_status ia_mut_insert(ia_ctx *cx, ia_mutation *m, const ia_gq_statement *s) IA_MUST_CHECK;
ia_status ia_mut_update(ia_ctx *cx, ia_mutation *m, const ia_gq_statement *s) IA_MUST_CHECK;
ia_status ia_mut_delete(ia_ctx *cx, ia_mutation *m, const ia_gq_statement *s) IA_MUST_CHECK;

#endif
