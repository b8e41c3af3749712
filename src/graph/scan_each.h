/* scan_each.h - a whole scan as one call per batch; what constraint views look for in it. */
#ifndef IA_GRAPH_SCAN_EACH_H
#define IA_GRAPH_SCAN_EACH_H

#include "graph/validate.h"
#include "table/dataset.h"

typedef ia_status (*ia_batch_fn)(ia_ctx *cx, void *arg, const ia_batch *b);
/* Runs the scan and hands every batch to fn; cancel is honoured between batches. */
ia_status ia_scan_each(ia_ctx *cx, ia_dataset *ds, const ia_scan_options *opt, ia_batch_fn fn,
                       void *arg) IA_MUST_CHECK;

/* Sinks for the scans below a constraint view: rows whose key columns are among `tuples` go to
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
