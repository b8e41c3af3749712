/* scan_priv.h - a scan, and the threads that may read for it. */
#ifndef IA_FILE_SCAN_PRIV_H
#define IA_FILE_SCAN_PRIV_H

#include "file/colread.h"

typedef struct ia_scan_team ia_scan_team;

struct ia_file_scan {
    ia_file *f;
    const ia_file_column *cols_in; /* borrowed */
    ia_colread *cols;
    size_t n_cols;
    uint64_t row, end, batch;
    uint64_t row_bytes; /* about, of a row */
    ia_scan_team *team; /* NULL: everything is read by the caller */
};

/* Lets `row` and `end` be changed: from there on rows [row, end) are read. */
void ia_file_scan_range(ia_file_scan *s, uint64_t row, uint64_t end);
ia_status ia_scan_team_next(ia_ctx *cx, ia_file_scan *s, ia_array **out,
                            uint64_t *rows) IA_MUST_CHECK;
void ia_scan_team_close(ia_scan_team *t, size_t n_cols); /* accepts NULL */

#endif
