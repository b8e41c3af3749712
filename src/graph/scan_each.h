/* scan_each.h - a whole scan as one call per batch. */
#ifndef IA_GRAPH_SCAN_EACH_H
#define IA_GRAPH_SCAN_EACH_H

#include "table/dataset.h"

typedef ia_status (*ia_batch_fn)(ia_ctx *cx, void *arg, const ia_batch *b);
/* Runs the scan and hands every batch to fn; cancel is honoured between batches. */
ia_status ia_scan_each(ia_ctx *cx, ia_dataset *ds, const ia_scan_options *opt, ia_batch_fn fn,
                       void *arg) IA_MUST_CHECK;

#endif
