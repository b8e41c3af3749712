/* match_rows.h - what constraint views look for in the batches of a scan. */
#ifndef IA_GRAPH_MATCH_ROWS_H
#define IA_GRAPH_MATCH_ROWS_H

#include "graph/validate.h"

/* For ia_scan_each(): rows whose key columns are among `tuples` go to
 * `sink` with their number there; the caller disposes of `key`. The batch has "id" and the key
 * columns. */
typedef struct ia_tuple_match {
    const ia_type_def *type;
    const int *cols;
    size_t n_cols;
    const ia_bytemap *tuples;
    ia_status (*sink)(ia_ctx *, void *, ia_view, size_t);
    void *arg;
    ia_buf key;
} ia_tuple_match;
ia_status ia_match_tuples(ia_ctx *cx, void *tuple_match, const ia_batch *b) IA_MUST_CHECK;
/* Edges whose column `by` is among `keys`. The batch has "id", "src" and "dst". */
typedef struct ia_edge_match {
    const char *by; /* column asked by */
    const ia_bytemap *keys;
    ia_status (*sink)(ia_ctx *, void *, ia_view, ia_view, ia_view);
    void *arg;
} ia_edge_match;
ia_status ia_match_edges(ia_ctx *cx, void *edge_match, const ia_batch *b) IA_MUST_CHECK;

#endif
