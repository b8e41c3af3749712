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

/* Fragments by the name of their first file -> index into m->fragments. Errors: CORRUPT (a file
 * that backs two fragments). */
ia_status ia_fragmap_build(ia_ctx *cx, const ia_manifest *m, ia_bytemap *out) IA_MUST_CHECK;
/* The fragment of m (mapped before) that is backed by the same files as `like`; NULL when there is
 * none. */
const ia_fragment *ia_fragmap_find(const ia_bytemap *map, const ia_manifest *m,
                                   const ia_fragment *like);

/* Both without deletions, or with one and the same deletion file (they never change). */
bool ia_fragment_same_deletions(const ia_fragment *a, const ia_fragment *b);

/* Equal by value in every column, matched by name. Errors: INVALID when the schemas
 * differ. */
ia_status ia_rows_equal(ia_ctx *cx, const ia_batch *a, int64_t i, const ia_batch *b, int64_t j,
                        bool *equal) IA_MUST_CHECK;
/* Rows to read at once so that a chunk stays near 4 MiB: 16 .. 8192. An estimate that saves
 * retries; the bound is kept by the next call. */
size_t ia_rows_chunk(const ia_manifest *m);
/* ia_dataset_take() of the first *n addresses, or of fewer (*n says how many, at least one) when
 * the budget has no room for all. */
ia_status ia_rows_take(ia_ctx *cx, ia_dataset *ds, const uint64_t *addrs, size_t *n,
                       const char *const *columns, size_t n_columns, ia_batch **out) IA_MUST_CHECK;

#endif
