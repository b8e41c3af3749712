/* exec.h - runs a checked read query over the tables of one snapshot. */
#ifndef IA_EXEC_EXEC_H
#define IA_EXEC_EXEC_H

#include "lang/query/query.h"
#include "table/dataset.h"

/* Where tables come from; the caller pins one snapshot for the whole query. */
typedef struct ia_exec_source {
    void *self;
    /* Borrowed dataset of a node or edge type. */
    ia_status (*table)(ia_ctx *cx, struct ia_exec_source *src, const ia_type_def *type,
                       ia_dataset **out);
} ia_exec_source;

/* Evaluates q (languages page 2.5, 2.6). The result is complete when the call returns; the stream
 * owns it. Columns are named as the query says. Errors: INVALID (parameter not provided),
 * OVER_BUDGET (the match has more rows than the memory limit holds: add conditions or raise it).
 * Memory: node and edge lists of the types that are traversed, and the rows of the match. */
ia_status ia_exec_run(ia_ctx *cx, const ia_gq_query *q, const ia_params *params,
                      ia_exec_source *src, ia_stream *out) IA_MUST_CHECK;

#endif
