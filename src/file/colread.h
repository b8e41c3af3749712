/* colread.h - one top-level column being read: its leaves, and what they have of the next batch. */
#ifndef IA_FILE_COLREAD_H
#define IA_FILE_COLREAD_H

#include "file/leaf_cache.h"

/* One leaf of a column; `present` is false when the file does not have it (all null). */
typedef struct ia_leafread {
    bool present;
    ia_leafspec spec;
    ia_leaf leaf;
    ia_leafacc acc;
} ia_leafread;

typedef struct ia_colread {
    const ia_file_column *col;
    ia_leafread *leaves;
    size_t n_leaves;
} ia_colread;

/* Errors: UNSUPPORTED, CORRUPT. Close in any case. */
ia_status ia_colread_open(ia_ctx *cx, ia_file *f, const ia_file_column *col,
                          ia_colread *c) IA_MUST_CHECK;
void ia_colread_close(ia_colread *c);
/* Empties the accumulators. */
ia_status ia_colread_start(ia_ctx *cx, ia_colread *c) IA_MUST_CHECK;
/* The array of the n rows that the accumulators hold. */
ia_status ia_colread_finish(ia_ctx *cx, ia_file *f, ia_colread *c, uint64_t n,
                            ia_array **out) IA_MUST_CHECK;
void ia_colread_drop(ia_array **out, size_t n); /* releases n arrays, NULLs them */

#endif
