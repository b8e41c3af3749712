/* write.h - new data files, first manifests, forks, grafts, the plain commit loop. */
#ifndef IA_TABLE_WRITE_H
#define IA_TABLE_WRITE_H

#include "table/txn.h"

/* Streams rows into new data files below {dir}/data, one fragment a file. */
typedef struct ia_fragwriter ia_fragwriter;
typedef struct ia_fragwriter_options {
    uint64_t max_rows;  /* per file; 0 = 1,048,576 */
    uint32_t put_flags; /* IA_PUT_SYNC */
    const char *const *key_columns;
    size_t n_key_columns; /* counted as IA_IO_KEY */
    uint32_t minor;       /* file format 2.minor; must be that of the table's data_version; 0 = 1 */
} ia_fragwriter_options;
ia_status ia_fragwriter_open(ia_ctx *cx, ia_objstore *os, const char *dir, const ia_lschema *ls,
                             const ia_schema *s, const ia_fragwriter_options *opt,
                             ia_fragwriter **out) IA_MUST_CHECK;
/* row_ids: NULL = rows are new; else the kept id of each row (updates). Kept rows must come before
 * new ones within a file: switching back starts a new file. */
ia_status ia_fragwriter_write(ia_ctx *cx, ia_fragwriter *w, const ia_batch *b,
                              const uint64_t *row_ids) IA_MUST_CHECK;
/* Fragments with UNASSIGNED ids, in order; caller's. */
ia_status ia_fragwriter_finish(ia_ctx *cx, ia_fragwriter *w, ia_fragment **frags,
                               size_t *n) IA_MUST_CHECK;
void ia_fragwriter_close(ia_fragwriter *w);
void ia_fragments_free(ia_fragment *frags, size_t n);

/* 1 or 2 for "2.1", "2.2"; UNSUPPORTED for formats that are only read. */
ia_status ia_manifest_minor(ia_ctx *cx, const ia_manifest *m, uint32_t *minor) IA_MUST_CHECK;

/* First manifest (version 1, no rows) of a new dataset with stable row ids; next_row_id as given.
 */
ia_status ia_manifest_create(ia_ctx *cx, const ia_schema *s, const char *data_version,
                             int64_t now_us, ia_txn *txn_out, ia_manifest **out) IA_MUST_CHECK;
/* Manifest of a new Lance branch cut at ds (same version number): every file gets a base id, base
 * paths are extended, branch and flags set, next_row_id = row_id_base when that is larger (table
 * format 11.3). Inherited index files are linked into the fork's own _indices, durably. */
ia_status ia_manifest_fork(ia_ctx *cx, const ia_dataset *ds, const char *branch,
                           uint64_t row_id_base, int64_t now_us, ia_txn *txn_out,
                           ia_manifest **out) IA_MUST_CHECK;
/* Branch file _refs/branches/{name}.json (every key), put-if-absent; EXISTS is success when equal.
 * Parent NULL = main. Idempotent for a given branch name: the identifier is derived from the fork
 * name's unique id. */
ia_status ia_branchref_put(ia_ctx *cx, ia_objstore *os, const char *root, const char *branch,
                           const char *parent, uint64_t parent_version, uint64_t manifest_size,
                           int64_t created_s, uint32_t put_flags) IA_MUST_CHECK;
/* Tag file; replaces. branch NULL = main. */
ia_status ia_tag_put(ia_ctx *cx, ia_objstore *os, const char *root, const char *tag,
                     const char *branch, uint64_t version, uint64_t manifest_size, int64_t now_us,
                     uint32_t put_flags) IA_MUST_CHECK;
/* NOT_FOUND when absent. *branch is the caller's (NULL = main). */
ia_status ia_tag_get(ia_ctx *cx, ia_objstore *os, const char *root, const char *tag, char **branch,
                     uint64_t *version) IA_MUST_CHECK;
ia_status ia_hint_put(ia_ctx *cx, ia_objstore *os, const char *dir, uint64_t version) IA_MUST_CHECK;

/* How a graft takes files of another Lance branch of the same dataset. */
typedef enum ia_adopt { IA_ADOPT_LINK = 0, IA_ADOPT_REFERENCE, IA_ADOPT_COPY } ia_adopt;
typedef struct ia_graft_stats {
    uint64_t files_linked, files_referenced, files_copied, bytes_copied;
} ia_graft_stats;
/* Makes a fragment of `dst` out of fragment `f` of `src`: data files linked into dst->dir under the
 * same names (source touched first), or referenced through a base path (added to `t` as ADD_BASE
 * when new), or copied. LINK falls back to REFERENCE when the store cannot link (touch refused:
 * COPY). A file already local to dst, or reachable through the same base directory in dst, is left
 * where it is. Row ids, physical_rows copied; deletions and stamps are the caller's business; id is
 * UNASSIGNED. */
ia_status ia_graft_fragment(ia_ctx *cx, ia_dataset *src, const ia_fragment *f, ia_dataset *dst,
                            ia_txn *t, ia_adopt how, uint32_t put_flags, ia_fragment *out,
                            ia_graft_stats *stats) IA_MUST_CHECK;

/* ---- a plain Lance dataset, without a graph ------------------------------------------------- */
typedef enum ia_durability { IA_FULL = 0, IA_RELAXED } ia_durability;
/* Commits `t` (planned on ds) as the next version with the conflict rules of the transactions page
 * for Append, Delete, Update and Overwrite, rebasing at most 20 times. *out = the new version
 * bound. */
ia_status ia_table_commit(ia_ctx *cx, ia_dataset *ds, ia_txn *t, ia_durability d,
                          ia_dataset **out) IA_MUST_CHECK;
/* Creates root with version 1 (empty). EXISTS when there is one. */
ia_status ia_table_create(ia_ctx *cx, ia_objstore *os, const char *root, const ia_schema *s,
                          ia_durability d, ia_dataset **out) IA_MUST_CHECK;
/* Appends every batch of the stream (columns by name; missing nullable columns become null), one
 * commit. */
ia_status ia_table_append(ia_ctx *cx, ia_dataset *ds, ia_stream *rows, ia_durability d,
                          ia_dataset **out) IA_MUST_CHECK;
/* Deletes the live rows that pass `filter` (bound to ds's schema; NULL = all), one version; `text`
 * is recorded as the predicate. *deleted counts them; no match still makes a version, as the real
 * engine does. */
ia_status ia_table_delete(ia_ctx *cx, ia_dataset *ds, const ia_expr *filter, const char *text,
                          ia_durability d, uint64_t *deleted, ia_dataset **out) IA_MUST_CHECK;

#endif
