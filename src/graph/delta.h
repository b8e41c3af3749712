/* delta.h - rows that differ between two images of one table, found without reading payload. */
#ifndef IA_GRAPH_DELTA_H
#define IA_GRAPH_DELTA_H

#include "arrow/compute.h"
#include "base/map.h"
#include "table/dataset.h"

#define IA_NO_ROW UINT64_MAX

/* One logical id whose physical row differs. Addresses are in the respective image; both absent:
 * dropped. */
typedef struct ia_delta_row {
    uint64_t old_addr, new_addr; /* IA_NO_ROW = absent */
} ia_delta_row;

typedef struct ia_delta {
    ia_bytemap ids;     /* id -> entry number = index into rows */
    ia_delta_row *rows; /* ids.n */
    size_t cap;
    bool walked; /* no common fragment: every row of both images was paired */
} ia_delta;
void ia_delta_dispose(ia_delta *d);

/* Physical identity first (same file names, columns, offset), then the ids of what remains are read
 * (one narrow column) and paired. Rows present on both sides may still be equal by value: nothing
 * but ids was read. Cost: fragments + changed rows. Budget: charged. Errors: CORRUPT (an id live
 * twice in one image). */
ia_status ia_delta_compute(ia_ctx *cx, ia_dataset *old_image, ia_dataset *new_image,
                           ia_delta *out) IA_MUST_CHECK;
/* Drops rows whose two images are equal by value in every user column (reads them, in bounded
 * chunks). */
ia_status ia_delta_drop_equal(ia_ctx *cx, ia_delta *d, ia_dataset *old_image,
                              ia_dataset *new_image) IA_MUST_CHECK;

/* Fragments by the name of their first file -> index into m->fragments. */
ia_status ia_fragmap_build(ia_ctx *cx, const ia_manifest *m, ia_bytemap *out) IA_MUST_CHECK;
/* The fragment of m (mapped before) that is backed by the same files as `like`; NULL when there is
 * none. */
const ia_fragment *ia_fragmap_find(const ia_bytemap *map, const ia_manifest *m,
                                   const ia_fragment *like);

/* Equal by value in every column, matched by name. Errors: CONFLICT when the schemas
 * differ. */
ia_status ia_rows_equal(ia_ctx *cx, const ia_batch *a, int64_t i, const ia_batch *b, int64_t j,
                        bool *equal) IA_MUST_CHECK;
/* Rows to read at once so that a chunk stays near 4 MiB: 16 .. 8192. */
size_t ia_rows_chunk(const ia_schema *s);

#endif
