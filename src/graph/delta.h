/* delta.h - rows that differ between two images of one table, found without reading payload. */
#ifndef IA_GRAPH_DELTA_H
#define IA_GRAPH_DELTA_H

#include "base/map.h"
#include "table/dataset.h"

#define IA_NO_ROW UINT64_MAX

/* One logical id whose physical row differs. Addresses are in the respective image. */
typedef struct ia_delta_row { uint64_t old_addr, new_addr; /* IA_NO_ROW = absent */ } ia_delta_row;

typedef struct ia_delta {
    ia_bytemap ids;        /* id -> entry number = index into rows */
    ia_delta_row *rows;    /* ids.n */
    size_t cap;
    bool walked;           /* no common lineage: found by comparing all ids */
} ia_delta;
void ia_delta_dispose(ia_delta *d);

/* Physical identity first (same file names, columns, offset), then the ids of what remains are read (one narrow
 * column) and paired. Rows present on both sides may still be equal by value: nothing but ids was read.
 * Cost: fragments + changed rows. Budget: charged; OVER_BUDGET names the count. */
ia_status ia_delta_compute(ia_ctx *cx, ia_dataset *old_image, ia_dataset *new_image, ia_delta *out) IA_MUST_CHECK;
/* Drops rows whose two images are equal by value in every user column (reads them, in bounded chunks). */
ia_status ia_delta_drop_equal(ia_ctx *cx, ia_delta *d, ia_dataset *old_image, ia_dataset *new_image) IA_MUST_CHECK;

#endif
