/* file_priv.h - an open file and its page tables, shared by the readers of this folder. */
#ifndef IA_FILE_FILE_PRIV_H
#define IA_FILE_FILE_PRIV_H

#include <pthread.h>

#include "file/file.h"

/* One page of a column. */
typedef struct ia_page {
    uint64_t first, rows; /* top-level rows [first, first + rows) */
    uint64_t
        *offsets; /* absolute positions of the buffers, then their sizes; owned by the column */
    uint64_t *sizes;
    size_t n_buffers;
    const uint8_t *desc; /* the Any with the page layout; borrowed from the column's metadata */
    size_t desc_len;
} ia_page;

typedef struct ia_filecol {
    bool loaded;
    uint64_t meta_pos, meta_len; /* the ColumnMetadata message */
    uint8_t *meta;               /* owned copy, unless it lies in the tail */
    ia_page *pages;
    size_t n_pages;
    uint64_t *numbers; /* storage of the pages' offsets and sizes */
    uint64_t bytes;    /* sum of all buffer sizes */
} ia_filecol;

/* Open pages between takes; see leaf_cache.h. */
typedef struct ia_leafidle {
    pthread_mutex_t lock;
    struct ia_leafhold *first;
    uint64_t bytes;
    size_t n;
} ia_leafidle;

struct ia_file {
    ia_objfile *io;
    char *name; /* last path part, for messages */
    uint64_t size, rows;
    uint32_t major, minor;
    ia_lschema schema;
    ia_buffer *tail;   /* the file's last bytes, from tail_pos on; whole small files */
    uint64_t tail_pos; /* multiple of 64 */
    ia_filecol *cols;
    uint32_t n_cols;
    ia_leafidle idle;
    struct ia_pool *pool; /* of takes; NULL until one wants threads */
};

/* Page table of a column, loaded on first use. The pages must hold `per_row` entries for a row of
 * the file (N below a fixed-size list of N structs, else 1); 0 = unknown (2.0: list items). */
ia_status ia_file_column_load(ia_ctx *cx, ia_file *f, uint32_t column, uint64_t per_row,
                              ia_filecol **out) IA_MUST_CHECK;
/* Bytes [off, off + len) when they lie in the tail; else NULL. */
const uint8_t *ia_file_tail(const ia_file *f, uint64_t off, uint64_t len);

#endif
