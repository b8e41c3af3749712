/* dataset.h - a manifest bound to where its files lie: open, versions, scan, take, count. */
#ifndef IA_TABLE_DATASET_H
#define IA_TABLE_DATASET_H

#include "arrow/array.h"
#include "expr/expr.h"
#include "io/objstore.h"
#include "table/manifest.h"

/* Immutable, counted. Threads: safe to share between readers of the same store. */
/* Data files that are open and not in use. They are immutable and named once, so that all datasets
 * and versions of one owner share a pool; its size bounds the file descriptors they hold. Own lock.
 */
typedef struct ia_file_pool ia_file_pool;
/* max >= 1 */
ia_status ia_file_pool_new(ia_ctx *cx, size_t max, ia_file_pool **out) IA_MUST_CHECK;
void ia_file_pool_empty(ia_file_pool *p); /* closes all that are idle now */
ia_file_pool *ia_file_pool_retain(ia_file_pool *p);
void ia_file_pool_release(ia_file_pool *p); /* before the store its files came from is closed */

typedef struct ia_dataset {
    _Atomic int32_t refs;
    ia_objstore *os; /* borrowed */
    char *root;      /* main tree: ".../Person.lance" */
    char *dir;       /* tree of this Lance branch: root, or root/tree/{branch} */
    char *branch;    /* NULL = main */
    ia_manifest *m;
    bool relocate;      /* base paths ending in this dataset's own name point below `root` */
    bool old_names;     /* manifests carry V1 names: read, never written */
    char **key_columns; /* pages of these count as IA_IO_KEY; set by the graph. Owned */
    size_t n_key_columns;
    ia_file_pool *files;
    struct ia_dataset_cache *cache; /* deletion vectors, row-id index; own lock */
} ia_dataset;

ia_dataset *ia_dataset_retain(const ia_dataset *ds);
void ia_dataset_release(ia_dataset *ds);

/* Newest version of a Lance branch (NULL = main) of the dataset at `root`. NOT_FOUND when there is
 * none. */
ia_status ia_dataset_latest(ia_ctx *cx, ia_objstore *os, const char *root, const char *branch,
                            uint64_t *version) IA_MUST_CHECK;
/* All versions, ascending; *out is the caller's. */
ia_status ia_dataset_versions(ia_ctx *cx, ia_objstore *os, const char *root, const char *branch,
                              uint64_t **out, size_t *n) IA_MUST_CHECK;
/* Opens a version (0 = newest), whichever naming scheme. */
ia_status ia_dataset_open(ia_ctx *cx, ia_objstore *os, const char *root, const char *branch,
                          uint64_t version, ia_dataset **out) IA_MUST_CHECK;
/* Binds a manifest that lies elsewhere (staged) or was just built. Retains m. */
ia_status ia_dataset_bind(ia_ctx *cx, ia_objstore *os, const char *root, const char *branch,
                          ia_manifest *m, ia_dataset **out) IA_MUST_CHECK;
/* Uses the caller's pool instead of one of its own; call before anything is read. */
void ia_dataset_share_files(ia_dataset *ds, ia_file_pool *files);
ia_status ia_dataset_set_keys(ia_ctx *cx, ia_dataset *ds, const char *const *columns,
                              size_t n) IA_MUST_CHECK;
/* Directory that base_id names (relocated when ds->relocate); ds->dir when !has_base. Borrowed-free
 * copy. */
ia_status ia_dataset_tree(ia_ctx *cx, const ia_dataset *ds, bool has_base, uint32_t base_id,
                          char **dir) IA_MUST_CHECK;
/* Absolute path of a data file / of the fragment's deletion file. */
ia_status ia_dataset_data_path(ia_ctx *cx, const ia_dataset *ds, const ia_datafile *f,
                               char **path) IA_MUST_CHECK;
ia_status ia_dataset_deletion_path(ia_ctx *cx, const ia_dataset *ds, const ia_fragment *f,
                                   char **path) IA_MUST_CHECK;
/* The fragment's deletion vector; *out NULL when it has none. Borrowed from the cache of ds. */
ia_status ia_dataset_deletions(ia_ctx *cx, ia_dataset *ds, const ia_fragment *f,
                               const ia_bitmap **out) IA_MUST_CHECK;

/* Virtual columns that may be named beside the schema's own (all UInt64, not null). */
#define IA_COL_ROWID "_rowid"
#define IA_COL_ROWADDR "_rowaddr"
#define IA_COL_CREATED "_row_created_at_version"
#define IA_COL_UPDATED "_row_last_updated_at_version"

typedef struct ia_scan_options {
    const char *const *columns; /* NULL = all of the schema, in schema order */
    size_t n_columns;
    const ia_expr *filter;     /* NULL = all live rows; columns in it need not be projected */
    const uint64_t *fragments; /* ids to visit, ascending; NULL = all */
    size_t n_fragments;
    bool with_deleted;   /* deleted rows come too */
    uint32_t batch_rows; /* 0 = 8192 */
    uint64_t limit;      /* 0 = none */
} ia_scan_options;
/* Batches in fragment order, then offset. The filter's columns are read first; others only for rows
 * that pass, by page or by take, whichever reads less. Closing the stream ends the scan. The
 * dataset is retained. */
ia_status ia_dataset_scan(ia_ctx *cx, ia_dataset *ds, const ia_scan_options *opt,
                          ia_stream *out) IA_MUST_CHECK;
typedef ia_status (*ia_batch_fn)(ia_ctx *cx, void *arg, const ia_batch *b);
/* Runs the scan to its end and hands every batch to fn; cancel is honoured between batches. */
ia_status ia_scan_each(ia_ctx *cx, ia_dataset *ds, const ia_scan_options *opt, ia_batch_fn fn,
                       void *arg) IA_MUST_CHECK;
/* Rows by address, in the given order (duplicates allowed); deleted rows are returned too.
 * NOT_FOUND names an address outside the dataset. */
ia_status ia_dataset_take(ia_ctx *cx, ia_dataset *ds, const uint64_t *addrs, size_t n,
                          const char *const *columns, size_t n_columns,
                          ia_batch **out) IA_MUST_CHECK;
/* Live rows passing the filter (NULL: from metadata alone). */
ia_status ia_dataset_count(ia_ctx *cx, ia_dataset *ds, const ia_expr *filter,
                           uint64_t *out) IA_MUST_CHECK;
/* Address of a live row id; false (*found) when none. Built lazily, cached (RowIdIndex, table
 * format 6.8). */
ia_status ia_dataset_find_rowid(ia_ctx *cx, ia_dataset *ds, uint64_t row_id, bool *found,
                                uint64_t *addr) IA_MUST_CHECK;

#endif
