/* manifest.h - one version of a Lance dataset: schema, fragments, flags; read, written, checked. */
#ifndef IA_TABLE_MANIFEST_H
#define IA_TABLE_MANIFEST_H

#include "file/lschema.h"
#include "table/rowids.h"

typedef struct ia_datafile {
    char *path;              /* below data/ of its tree; opaque */
    int32_t *fields;         /* field ids of the leaves; -2 = tombstone */
    int32_t *column_indices; /* physical column of fields[k] */
    size_t n_fields;
    uint32_t major, minor; /* dataset spelling */
    uint64_t size;         /* bytes, 0 = unknown */
    bool has_base;
    uint32_t base_id;
    ia_bytes extra; /* unknown members, written back unchanged */
} ia_datafile;

typedef struct ia_delfile {
    uint32_t file_type; /* 0 = .arrow, 1 = .bin */
    uint64_t read_version, id, num_deleted;
    bool has_base;
    uint32_t base_id;
} ia_delfile;

#define IA_FRAGMENT_UNASSIGNED UINT64_MAX

typedef struct ia_fragment {
    uint64_t id; /* IA_FRAGMENT_UNASSIGNED until applied */
    ia_datafile *files;
    size_t n_files;
    bool has_deletion;
    ia_delfile deletion;
    uint64_t physical_rows;
    ia_rowids row_ids; /* may be shorter than physical_rows while unassigned: the rest is new */
    ia_versions created, updated;
    ia_bytes extra; /* unknown members, written back unchanged */
} ia_fragment;

ia_status ia_fragment_copy(ia_ctx *cx, const ia_fragment *in, ia_fragment *out) IA_MUST_CHECK;
void ia_fragment_dispose(ia_fragment *f);
static inline uint64_t ia_fragment_live(const ia_fragment *f)
{
    return f->physical_rows - (f->has_deletion ? f->deletion.num_deleted : 0);
}
/* The same rows in the same files: equal file names, fields and columns (bases may differ: links
 * and inherited files keep their names). Deletions and ids are not compared. */
bool ia_fragment_same_files(const ia_fragment *a, const ia_fragment *b);

typedef struct ia_basepath {
    uint32_t id;
    char *name; /* NULL = none */
    bool is_dataset_root;
    char *path; /* absolute as recorded */
} ia_basepath;

/* Immutable once built, counted, safe to share. */
typedef struct ia_manifest {
    _Atomic int32_t refs;
    ia_lschema schema;
    ia_schema *arrow;       /* of `schema`; borrowed by readers */
    ia_fragment *fragments; /* ascending id */
    size_t n_fragments;
    uint64_t version;
    int64_t timestamp_us;
    uint64_t reader_flags, writer_flags;
    bool has_max_fragment_id;
    uint32_t max_fragment_id;
    char *transaction_file; /* bare name or NULL */
    char *writer_library, *writer_version;
    uint64_t next_row_id;
    bool stable_row_ids;
    char *data_version; /* "2.1" */
    ia_kv *config;
    size_t n_config;
    ia_kv *table_metadata;
    size_t n_table_metadata;
    ia_basepath *bases;
    size_t n_bases;
    char *branch;         /* NULL = main */
    ia_bytes indices;     /* pb(IndexSection) as read, carried forward; len 0 = none */
    ia_bytes extra;       /* unknown manifest members, kept */
    ia_bytes transaction; /* inline pb(Transaction) as read; len 0 = none */
} ia_manifest;

ia_manifest *ia_manifest_retain(const ia_manifest *m);
void ia_manifest_release(ia_manifest *m);
/* Decodes a whole manifest file; `name` is for messages. Unknown reader flags: UNSUPPORTED naming
 * the bit. Every count and reference is checked. */
ia_status ia_manifest_decode(ia_ctx *cx, const uint8_t *p, size_t n, const char *name,
                             ia_manifest **out) IA_MUST_CHECK;
/* Whole file bytes; `txn_pb` = pb(Transaction) put inline. */
ia_status ia_manifest_encode(ia_ctx *cx, const ia_manifest *m, const uint8_t *txn_pb,
                             size_t txn_len, ia_bytes *out) IA_MUST_CHECK;
/* Deep copy to change; refs = 1. */
ia_status ia_manifest_copy(ia_ctx *cx, const ia_manifest *m, ia_manifest **out) IA_MUST_CHECK;
const ia_fragment *ia_manifest_fragment(const ia_manifest *m, uint64_t id); /* NULL when absent */
uint64_t ia_manifest_live_rows(const ia_manifest *m);
const ia_basepath *ia_manifest_base(const ia_manifest *m, uint32_t id); /* NULL when absent */
/* V2 manifest name of a version: 20 digits of 2^64-1-version and ".manifest". */
void ia_manifest_name(uint64_t version, char out[40]);

#endif
