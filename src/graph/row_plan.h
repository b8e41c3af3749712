/* row_plan.h - puts the final rows of a write into one table. */
#ifndef IA_GRAPH_ROW_PLAN_H
#define IA_GRAPH_ROW_PLAN_H

#include "graph/delta.h"
#include "graph/publish.h"

/* All-zero is empty. Rows are coalesced by id: the last one wins. */
typedef struct ia_row_plan {
    ia_batch **batches; /* full rows in application order; retained */
    size_t n, cap;
    ia_bytemap ids; /* id -> place (batch << 32 | row) of its last row */
    struct ia_row_at {
        uint64_t row_id, addr;
    } * at; /* per entry of ids: its committed row, IA_NO_ROW = none */
    size_t cap_at;
} ia_row_plan;

void ia_row_plan_dispose(ia_row_plan *p);
ia_status ia_row_plan_add(ia_ctx *cx, ia_row_plan *p,
                          const ia_batch *rows) IA_MUST_CHECK; /* retains */
/* Is this the last row of its id? */
bool ia_row_plan_is_last(const ia_row_plan *p, size_t batch, int64_t row);
/* Finds the committed rows of all ids in one scan of the id column. */
ia_status ia_row_plan_locate(ia_ctx *cx, ia_row_plan *p, ia_snapshot *s, size_t type) IA_MUST_CHECK;
/* Writes the last row of every id below the tree of w's `type` and notes it in w: rows that have a
 * committed row keep its row id (unless `overwrite`), and that row is removed. The batches are
 * released on the way. */
ia_status ia_row_plan_write(ia_ctx *cx, ia_row_plan *p, ia_write *w, size_t type,
                            bool overwrite) IA_MUST_CHECK;
/* Notes that the rows at these addresses of the planned head go. Sorts addrs. */
ia_status ia_twrite_remove(ia_ctx *cx, ia_twrite *t, uint64_t *addrs, size_t n) IA_MUST_CHECK;

#endif
