/* table_priv.h - what the files of this folder share: wire helpers, caches, deletion files. */
#ifndef IA_TABLE_TABLE_PRIV_H
#define IA_TABLE_TABLE_PRIV_H

#include "file/file.h"
#include "file/lschema_wire.h"
#include "table/dataset.h"
#include "table/txn.h"
#include "table/write.h"

#include <pthread.h>

/* ---- segments ------------------------------------------------------------------------------ */
void ia_segment_dispose(ia_segment *s);
ia_status ia_segment_copy(ia_ctx *cx, const ia_segment *in, ia_segment *out) IA_MUST_CHECK;
uint64_t ia_segment_get(const ia_segment *s, uint64_t k); /* k < count */
bool ia_segment_find(const ia_segment *s, uint64_t id, uint64_t *k);
bool ia_segment_bounds(const ia_segment *s, uint64_t *min, uint64_t *max);
void ia_segment_slice(const ia_segment *s, uint64_t from, uint64_t n, uint64_t *out);
/* Moves *s to the end (touching ranges fuse); *s is empty afterwards, also on failure. */
ia_status ia_rowids_push(ia_ctx *cx, ia_rowids *r, ia_segment *s) IA_MUST_CHECK;
ia_status ia_segment_decode(ia_ctx *cx, const uint8_t *p, size_t n, ia_segment *out) IA_MUST_CHECK;
void ia_segment_encode(ia_ctx *cx, ia_buf *b, const ia_segment *s);

/* ---- fragments and other messages ---------------------------------------------------------- */
ia_status ia_fragment_decode(ia_ctx *cx, const uint8_t *p, size_t n,
                             ia_fragment *out) IA_MUST_CHECK;
/* Appends the members of a DataFragment; id is written as given. */
ia_status ia_fragment_encode(ia_ctx *cx, ia_buf *b, const ia_fragment *f,
                             uint64_t id) IA_MUST_CHECK;
/* As a nested message `number`. */
ia_status ia_fragment_put(ia_ctx *cx, ia_buf *b, uint32_t number, const ia_fragment *f,
                          uint64_t id) IA_MUST_CHECK;
bool ia_fragment_equal(const ia_fragment *a,
                       const ia_fragment *b); /* files and deletions, bases too */
void ia_datafile_dispose(ia_datafile *f);
ia_status ia_datafile_copy(ia_ctx *cx, const ia_datafile *in, ia_datafile *out) IA_MUST_CHECK;
ia_status ia_basepath_copy(ia_ctx *cx, const ia_basepath *in, ia_basepath *out) IA_MUST_CHECK;
void ia_basepath_dispose(ia_basepath *b);
ia_status ia_basepath_decode(ia_ctx *cx, const uint8_t *p, size_t n,
                             ia_basepath *out) IA_MUST_CHECK;
void ia_basepath_put(ia_ctx *cx, ia_buf *b, uint32_t number, const ia_basepath *bp);
/* Schema's fields as repeated messages `number`. */
ia_status ia_lschema_put(ia_ctx *cx, ia_buf *b, uint32_t number,
                         const ia_lschema *ls) IA_MUST_CHECK;
ia_status ia_kv_set(ia_ctx *cx, ia_kv **kv, size_t *n, const char *key,
                    const char *value) IA_MUST_CHECK; /* NULL removes */
ia_status ia_config_copy(ia_ctx *cx, const ia_kv *in, size_t n, ia_kv **out) IA_MUST_CHECK;
/* Sets schema and its Arrow form (moves *ls). */
ia_status ia_manifest_set_schema(ia_ctx *cx, ia_manifest *m, ia_lschema *ls) IA_MUST_CHECK;
void ia_manifest_derive_flags(ia_manifest *m);
/* Index section with entries kept whose fields all exist in m (system entries always). */
ia_status ia_indices_retain(ia_ctx *cx, ia_manifest *m) IA_MUST_CHECK;
/* For a fork of `src` whose tree is `dir`: index files are linked into the fork's own _indices and
 * entries lose their base; later engines look for rebuilt segments in the base otherwise. An entry
 * whose files are not listed or not there gets the base `base` unless it has one. */
ia_status ia_indices_adopt(ia_ctx *cx, ia_manifest *m, const ia_dataset *src, const char *dir,
                           uint32_t base) IA_MUST_CHECK;
#define IA_KNOWN_FLAGS 63u /* deletions, stable ids, v2, config, bases, no txn files */

/* ---- dataset cache ------------------------------------------------------------------------- */
typedef struct ia_rowid_index ia_rowid_index;
typedef struct ia_dv_entry {
    uint64_t fragment;
    ia_bitmap *bits;
} ia_dv_entry;
typedef struct ia_dataset_cache {
    pthread_mutex_t lock; /* protects all members below */
    ia_dv_entry *dvs;     /* never removed while the dataset lives */
    size_t n_dvs, cap_dvs;
    ia_rowid_index *index; /* NULL until asked for */
} ia_dataset_cache;

ia_status ia_dataset_cache_new(ia_ctx *cx, ia_dataset_cache **out) IA_MUST_CHECK;
void ia_dataset_cache_free(ia_dataset_cache *c);
/* Takes an idle file out of ds->files or opens it; give it back with put (which may close it). */
ia_status ia_dataset_file_get(ia_ctx *cx, ia_dataset *ds, const ia_datafile *f, ia_file **out,
                              char **path) IA_MUST_CHECK;
void ia_dataset_file_put(ia_dataset *ds, ia_file *f, char *path,
                         uint64_t size); /* takes over f and path; size as in the ia_datafile */
/* An idle file opened with this path and known size, now the caller's; NULL when there is none. */
ia_file *ia_file_pool_take(ia_file_pool *p, const char *path, uint64_t size);
/* Takes over f and path; closes the longest idle file when the pool is full. */
void ia_file_pool_put(ia_file_pool *p, ia_file *f, char *path, uint64_t size);

ia_status ia_rowid_index_new(ia_ctx *cx, const ia_manifest *m, ia_rowid_index **out) IA_MUST_CHECK;
void ia_rowid_index_free(ia_rowid_index *x);
ia_status ia_rowid_index_find(ia_ctx *cx, const ia_rowid_index *x, ia_dataset *ds, uint64_t id,
                              bool *found, uint64_t *addr) IA_MUST_CHECK;

/* ---- deletion files ------------------------------------------------------------------------ */
ia_status ia_deletions_read(ia_ctx *cx, const ia_dataset *ds, const ia_fragment *f,
                            ia_bitmap **out) IA_MUST_CHECK;
/* Writes `bits` as the deletion file of fragment `id` below dir and describes it in *out. */
ia_status ia_deletions_write(ia_ctx *cx, ia_objstore *os, const char *dir, uint64_t id,
                             uint64_t read_version, const ia_bitmap *bits, uint32_t put_flags,
                             ia_delfile *out) IA_MUST_CHECK;

/* ---- columns of a scan --------------------------------------------------------------------- */
typedef enum ia_virtual {
    IA_VIRT_NONE = 0,
    IA_VIRT_ROWID,
    IA_VIRT_ROWADDR,
    IA_VIRT_CREATED,
    IA_VIRT_UPDATED
} ia_virtual;
typedef struct ia_column {
    ia_virtual virt;
    size_t field;           /* index into m->arrow->fields */
    const ia_field *afield; /* borrowed from the manifest's Arrow schema; NULL when virtual */
    int32_t *leaves;        /* field ids of its leaves, owned */
    size_t n_leaves;
    ia_io_class cls;
} ia_column;
typedef struct ia_columns {
    ia_column *items;
    size_t n;
} ia_columns;
/* Resolves names (NULL = whole schema). NOT_FOUND names the column. */
ia_status ia_columns_resolve(ia_ctx *cx, const ia_dataset *ds, const char *const *names, size_t n,
                             ia_columns *out) IA_MUST_CHECK;
void ia_columns_dispose(ia_columns *c);
ia_status ia_columns_schema(ia_ctx *cx, const ia_columns *c, ia_schema **out) IA_MUST_CHECK;
/* A virtual column of rows at `offsets` (NULL = from, from+1, ...) of a fragment. */
ia_status ia_virtual_column(ia_ctx *cx, const ia_dataset *ds, const ia_fragment *f, ia_virtual v,
                            uint64_t from, const uint32_t *offsets, size_t n,
                            ia_array **out) IA_MUST_CHECK;

/* Columns of one fragment: which open file gives which. */
typedef struct ia_fragsource {
    ia_file *file;
    uint64_t size; /* of the file, as the manifest has it */
    char *path;
    ia_file_column *cols; /* borrowed leaf arrays from `leaf_pool` */
    size_t *slots;        /* cols[k] fills column number slots[k] */
    size_t n_cols;
    int32_t *leaf_pool;
} ia_fragsource;
typedef struct ia_fragcols {
    const ia_columns *columns; /* borrowed */
    const ia_fragment *frag;   /* borrowed */
    ia_fragsource *sources;
    size_t n_sources;
} ia_fragcols;
ia_status ia_fragcols_open(ia_ctx *cx, ia_dataset *ds, const ia_fragment *f, const ia_columns *c,
                           ia_fragcols *out) IA_MUST_CHECK;
void ia_fragcols_close(ia_dataset *ds, ia_fragcols *fc);
/* Rows at ascending offsets; out[columns->n]. */
ia_status ia_fragcols_take(ia_ctx *cx, ia_dataset *ds, ia_fragcols *fc, const uint32_t *offsets,
                           size_t n, ia_array **out) IA_MUST_CHECK;

/* ---- conflict rules ------------------------------------------------------------------------ */
/* Checks `t`, planned on `base`, against everything committed in (base, latest]. CONFLICT says what
 * met. */
ia_status ia_txn_check(ia_ctx *cx, const ia_txn *t, ia_dataset *base,
                       ia_dataset *latest) IA_MUST_CHECK;
/* Whether a manifest file at `version` carries transaction `uuid`. */
ia_status ia_manifest_is_ours(ia_ctx *cx, ia_objstore *os, const char *path, const char *uuid,
                              bool *ours) IA_MUST_CHECK;
/* Reads and decodes a manifest file. */
ia_status ia_manifest_read(ia_ctx *cx, ia_objstore *os, const char *path,
                           ia_manifest **out) IA_MUST_CHECK;
ia_status ia_manifest_path(ia_ctx *cx, const char *dir, uint64_t version, char **out) IA_MUST_CHECK;

#endif
