/* file.h - one Lance data file: open, scan, random take, write. Follows the file format page. */
#ifndef IA_FILE_FILE_H
#define IA_FILE_FILE_H

#include "arrow/array.h"
#include "file/lschema.h"
#include "io/objstore.h"

/* ---- reading ------------------------------------------------------------------------------- */

/* An open file. Immutable after open but for a lazily filled page table; one thread at a time. */
typedef struct ia_file ia_file;

/* known_size 0 = ask the store. A known size that is wrong gives CORRUPT naming the file.
 * Errors: NOT_FOUND, CORRUPT (file, offset), UNSUPPORTED (format version by number). */
ia_status ia_file_open(ia_ctx *cx, ia_objstore *os, const char *path, uint64_t known_size,
                       ia_file **out) IA_MUST_CHECK;
void ia_file_close(ia_file *f);
uint64_t ia_file_rows(const ia_file *f);
uint32_t ia_file_columns(const ia_file *f);
const ia_lschema *ia_file_lschema(const ia_file *f); /* borrowed */

/* One top-level column to read. `leaf_columns` are the physical columns of the field's leaves in
 * pre-order; -1 = this leaf has no column (null). Borrowed for the call or the scan's life. */
typedef struct ia_file_column {
    const ia_field *field;
    const int32_t *leaf_columns;
    size_t n_leaves;
    ia_io_class cls; /* how page reads of this column are counted */
} ia_file_column;

typedef struct ia_file_scan ia_file_scan;
/* Rows [begin, end) in batches of at most batch_rows (0 = 8192; wide rows give smaller batches of
 * about 8 MiB). Page buffers are read in large coalesced ranges; memory is bounded by a few pages.
 */
ia_status ia_file_scan_open(ia_ctx *cx, ia_file *f, const ia_file_column *cols, size_t n_cols,
                            uint64_t begin, uint64_t end, uint32_t batch_rows,
                            ia_file_scan **out) IA_MUST_CHECK;
/* From now on up to `threads` threads read (the caller's included); before the first next. The
 * same batches in the same order; more memory. Keeps to one thread when memory is short. */
ia_status ia_file_scan_threads(ia_ctx *cx, ia_file_scan *s, uint32_t threads) IA_MUST_CHECK;
/* Next rows: out[k] for cols[k] (caller's, release), *rows = 0 at the end. */
ia_status ia_file_scan_next(ia_ctx *cx, ia_file_scan *s, ia_array **out,
                            uint64_t *rows) IA_MUST_CHECK;
void ia_file_scan_close(ia_file_scan *s);
/* Rows at strictly ascending offsets; reads only the chunks that hold them. out[k] for cols[k]. */
ia_status ia_file_take(ia_ctx *cx, ia_file *f, const ia_file_column *cols, size_t n_cols,
                       const uint32_t *offsets, size_t n, ia_array **out) IA_MUST_CHECK;

/* The same on up to `threads` threads: the rows in *parts <= IA_TAKE_PARTS runs of sizes[p] rows,
 * out[p * n_cols + k] for cols[k]; out has room for IA_TAKE_PARTS * n_cols. */
enum { IA_TAKE_PARTS = 16 };
ia_status ia_file_take_parts(ia_ctx *cx, ia_file *f, const ia_file_column *cols, size_t n_cols,
                             const uint32_t *offsets, size_t n, uint32_t threads, ia_array **out,
                             size_t *sizes, size_t *parts) IA_MUST_CHECK;

/* Bytes [position, position + size) of the file: the payload that a blob descriptor names. `out`
 * has room for `size`. Errors: CORRUPT when that leaves the file. */
ia_status ia_file_read_blob(ia_ctx *cx, ia_file *f, uint64_t position, uint64_t size,
                            uint8_t *out) IA_MUST_CHECK;
uint32_t ia_file_minor(const ia_file *f); /* of format version 2.minor */

/* ---- writing ------------------------------------------------------------------------------- */

typedef struct ia_file_writer ia_file_writer;
typedef struct ia_file_writer_options {
    uint32_t minor;             /* 1 (default when 0) or 2: format 2.1 / 2.2 */
    uint64_t page_bytes;        /* flush a column at about this many buffered bytes; 0 = 8 MiB */
    uint32_t chunk_bytes;       /* mini-block chunks of about this many value bytes; 0 = default */
    const ia_io_class *classes; /* per top-level field of the schema; NULL = all PAYLOAD */
    /* For columns whose field metadata (`lance-encoding:...`) says nothing; NULL = by statistics.
     * encoding: "miniblock", "fullzip", "flat", "bitpack", "rle", "dictionary", "fsst", "bss",
     * "variable": pages to which it does not apply choose by themselves.
     * compression: "none", "lz4", "zstd". */
    const char *encoding, *compression;
    int32_t compression_level; /* 0 = the library's default */
    uint32_t threads;          /* encode pages on that many threads; 0 or 1 = the caller's only */
} ia_file_writer_options;

typedef struct ia_file_info {
    uint64_t size; /* bytes of the whole file */
    uint64_t rows;
    uint32_t columns; /* physical columns, numbered like the leaves of the schema */
} ia_file_info;

/* Writes `path` (unique name; visible only after finish). `ls` gives the field ids, same order as
 * s. */
ia_status ia_file_writer_open(ia_ctx *cx, ia_objstore *os, const char *path, const ia_schema *s,
                              const ia_lschema *ls, const ia_file_writer_options *opt,
                              ia_file_writer **out) IA_MUST_CHECK;
/* Batch of exactly the schema's fields in order; a null in a non-nullable field is INVALID (column,
 * row). Copies what it keeps. */
ia_status ia_file_writer_write(ia_ctx *cx, ia_file_writer *w, const ia_batch *b) IA_MUST_CHECK;
/* put_flags: IA_PUT_SYNC or 0. */
ia_status ia_file_writer_finish(ia_ctx *cx, ia_file_writer *w, uint32_t put_flags,
                                ia_file_info *out) IA_MUST_CHECK;
void ia_file_writer_close(ia_file_writer *w); /* an unfinished file leaves nothing */

#endif
