/* colscan.h - reads a set of columns of one fragment in row order, across its files. */
#ifndef IA_TABLE_COLSCAN_H
#define IA_TABLE_COLSCAN_H

#include "table/table_priv.h"

typedef struct ia_colpart { /* one file of the fragment */
    ia_file_scan *scan;
    ia_array **chunk;    /* arrays of the chunk being handed out; per column of the source */
    uint64_t rows, used; /* of the chunk */
} ia_colpart;

/* All-zero is closed. One thread at a time. */
typedef struct ia_colscan {
    ia_dataset *ds; /* borrowed */
    ia_fragcols fc;
    ia_colpart *parts; /* fc.n_sources */
    uint64_t pos, end; /* next row, one past the last */
    bool open;
} ia_colscan;

ia_status ia_colscan_open(ia_ctx *cx, ia_dataset *ds, const ia_fragment *f, const ia_columns *c,
                          uint64_t begin, uint64_t end, uint32_t batch_rows,
                          ia_colscan *out) IA_MUST_CHECK;
void ia_colscan_close(ia_colscan *s);
/* Next rows, at most max: out[columns->n] (caller's), *rows = 0 at the end. They begin at s->pos -
 * *rows. */
ia_status ia_colscan_next(ia_ctx *cx, ia_colscan *s, uint64_t max, ia_array **out,
                          uint64_t *rows) IA_MUST_CHECK;
/* Passes over n rows. */
ia_status ia_colscan_skip(ia_ctx *cx, ia_colscan *s, uint64_t n) IA_MUST_CHECK;

#endif
