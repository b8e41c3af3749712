/* graph_priv.h - what this folder's files share: caches, record reading, log heads, write state. */
#ifndef IA_GRAPH_PRIV_H
#define IA_GRAPH_PRIV_H

#include "graph/publish.h"

#define IA_GRAPH_FORMAT 1u
#define IA_COMMIT_FORMAT 1u
#define IA_COMMIT_SLOTS 128u
#define IA_DATASET_SLOTS 64u
#define IA_HEAD_SLOTS 16u
#define IA_IDLE_FILES 128u /* of one handle; some systems allow a process 256 */
#define IA_BRANCH_NAME_MAX 160u /* bytes once "/" is spelled "%2F": file names end at 255 */

/* ---- caches: owned by the graph handle, charged to a budget of their own --------------------- */
typedef struct ia_dataset_slot {
    char *key; /* dir, Lance branch, version, transaction */
    ia_dataset *ds;
    bool staged;   /* the revealed manifest was missing or another's when it was read */
    uint64_t size; /* bytes of the manifest */
} ia_dataset_slot;

typedef struct ia_head_slot {
    char incarnation[IA_ULID_LEN + 1];
    uint64_t n; /* highest commit seen */
} ia_head_slot;

struct ia_graph_cache {
    ia_budget *budget;
    struct ia_catalog_slot {
        char hash[65];
        ia_catalog *cat;
    } * catalogs;
    size_t n_catalogs, cap_catalogs;
    ia_commit *commits[IA_COMMIT_SLOTS]; /* ring */
    size_t next_commit;
    ia_dataset_slot datasets[IA_DATASET_SLOTS]; /* ring */
    size_t next_dataset;
    ia_file_pool *files; /* of all datasets */
    ia_head_slot heads[IA_HEAD_SLOTS]; /* ring */
    size_t next_head;
};

/* A handle with root, store and caches, not knowing yet whether there is a graph. */
ia_status ia_graph_shell(ia_ctx *cx, ia_objstore *os, const char *root, const ia_graph_options *opt,
                         ia_graph **out) IA_MUST_CHECK;
/* A context over the cache's budget; the caller copies sub->err back on failure. */
void ia_cache_ctx(const ia_graph *g, const ia_ctx *cx, ia_ctx *sub);

/* ---- JSON records: strict reading ------------------------------------------------------------ */
typedef struct ia_rec {
    ia_ctx *cx;
    const ia_json *obj;
    const char *path; /* for messages */
    size_t seen;      /* members read so far: whatever is left over is refused */
} ia_rec;

/* Checks that v is an object. Errors of all: CORRUPT naming file and member. */
ia_status ia_rec_begin(ia_ctx *cx, const ia_json *v, const char *path, ia_rec *r) IA_MUST_CHECK;
ia_status ia_rec_str(ia_rec *r, const char *name, bool nullable, const char **out) IA_MUST_CHECK;
ia_status ia_rec_ulid(ia_rec *r, const char *name, bool may_be_empty,
                      char out[IA_ULID_LEN + 1]) IA_MUST_CHECK;
ia_status ia_rec_dup(ia_rec *r, const char *name, bool nullable, char **out) IA_MUST_CHECK;
ia_status ia_rec_u64(ia_rec *r, const char *name, uint64_t *out) IA_MUST_CHECK;
ia_status ia_rec_i64(ia_rec *r, const char *name, int64_t *out) IA_MUST_CHECK;
/* Member of any kind, NULL when it is JSON null; must be there. */
ia_status ia_rec_any(ia_rec *r, const char *name, const ia_json **out) IA_MUST_CHECK;
ia_status ia_rec_array(ia_rec *r, const char *name, const ia_json **out, size_t *n) IA_MUST_CHECK;
ia_status ia_rec_end(ia_rec *r) IA_MUST_CHECK; /* refuses members nobody asked for */
/* Reads and parses a record of ours. NOT_FOUND when absent. */
ia_status ia_rec_load(ia_ctx *cx, ia_objstore *os, const char *path, ia_json **out) IA_MUST_CHECK;
/* Put-if-absent with the graph's durability. EXISTS when the name is taken. */
ia_status ia_rec_put(ia_ctx *cx, const ia_graph *g, const char *path, const void *data,
                     size_t len) IA_MUST_CHECK;

/* Whether an object is there; unlike ia_objstore_exists() a failing store is an error. */
ia_status ia_path_there(ia_ctx *cx, ia_objstore *os, const char *path, bool *out) IA_MUST_CHECK;
/* Names counting down, so that listings give the newest first: 20 digits of 2^64-1-n, ".json". */
void ia_rev_name(uint64_t n, char out[32]);
bool ia_rev_parse(const char *name, uint64_t *n);
/* Number behind the first name of `dir`; *found false when it is empty. */
ia_status ia_rev_newest(ia_ctx *cx, ia_objstore *os, const char *dir, bool *found,
                        uint64_t *n) IA_MUST_CHECK;

/* ---- commits --------------------------------------------------------------------------------- */
/* Newest log entry of an incarnation (a DELETE entry, too); *out NULL when the log is empty. */
ia_status ia_log_head(ia_ctx *cx, ia_graph *g, const char *incarnation,
                      ia_commit **out) IA_MUST_CHECK;
bool ia_dataset_dir_ok(const char *dir);   /* one path segment */
bool ia_lance_branch_ok(const char *name); /* segments of [A-Za-z0-9._-] */

/* ---- tables ---------------------------------------------------------------------------------- */
typedef struct ia_entry_info {
    bool staged;
    uint64_t size;
} ia_entry_info;
/* As ia_entry_open(), telling where the manifest came from. */
ia_status ia_entry_load(ia_ctx *cx, ia_graph *g, const ia_type_def *type, const ia_entry *e,
                        ia_dataset **out, ia_entry_info *info) IA_MUST_CHECK;
/* Sets what every dataset of a graph has: relocation, key columns that are counted apart. */
ia_status ia_dataset_prepare(ia_ctx *cx, const ia_type_def *type, ia_dataset *ds) IA_MUST_CHECK;
/* Drops a cached dataset, so that the next load looks at the store again. */
void ia_entry_forget(ia_graph *g, const ia_entry *e);
/* {root}/{dir} or {root}/{dir}/tree/{branch}. */
ia_status ia_tree_path(ia_ctx *cx, const ia_graph *g, const char *dir, const char *lance_branch,
                       char **out) IA_MUST_CHECK;
ia_status ia_revealed_path(ia_ctx *cx, const ia_graph *g, const char *dir, const char *lance_branch,
                           uint64_t version, char **out) IA_MUST_CHECK;
ia_status ia_staged_path(ia_ctx *cx, const ia_graph *g, const char *attempt, const char *dir,
                         const char *lance_branch, uint64_t version, char **out) IA_MUST_CHECK;
/* uuid of the transaction that made m ("" when it does not say). */
ia_status ia_manifest_txn(ia_ctx *cx, const ia_manifest *m, char uuid[IA_UUID_LEN + 1],
                          uint32_t *operation) IA_MUST_CHECK;
/* Reads and decodes a manifest file. */
ia_status ia_manifest_load(ia_ctx *cx, ia_objstore *os, const char *path, ia_manifest **out,
                           uint64_t *size) IA_MUST_CHECK;

/* ia_reveal() for one table. */
ia_status ia_reveal_entry(ia_ctx *cx, ia_graph *g, const ia_entry *e) IA_MUST_CHECK;
/* Removes the directories of an attempt's manifests when they are empty; never fails. */
void ia_staged_prune(ia_ctx *cx, const ia_graph *g, const char *attempt, const char *dir,
                     const char *lance_branch);

/* ---- writes ---------------------------------------------------------------------------------- */
typedef struct ia_wtype {
    bool decided;   /* tree and fork are known */
    char *fork;     /* Lance branch that this write makes; NULL = the branch owns the table's */
    char *dir;      /* tree to write below */
    ia_dataset *ds; /* what actions apply to; retained */
    uint64_t slot;  /* row-id space, 0 = none claimed */
    ia_bytes clone, clone_txn; /* first manifest of the fork and its transaction */
    char *clone_txn_name;
    uint64_t parent_size;
} ia_wtype;

typedef struct ia_write_own {
    ia_wtype *types; /* per catalog type */
    size_t n;
    int64_t time_us;    /* of authorship, before any effect */
    bool head_revealed; /* nothing of the head is only staged: its entries need no staged names any
                           more */
    ia_strlist staged;  /* paths this attempt staged */
    bool judged;        /* changes were validated against the head planned on */
} ia_write_own;

bool ia_twrite_changes(const ia_twrite *t);
/* Fork name, tree and owner of `type` on w's head; fails with DRIFT when the next version is a
 * stranger's. */
ia_status ia_wtype_decide(ia_ctx *cx, ia_write *w, size_t type, ia_wtype **out) IA_MUST_CHECK;
void ia_wtype_forget_dataset(ia_wtype *t);
/* Name of the version that a write of `type` on its own Lance branch takes is free and its head
 * revealed; else DRIFT. */
ia_status ia_wtype_check_drift(ia_ctx *cx, ia_write *w, size_t type) IA_MUST_CHECK;
/* Stages every changed table; *out = entries of the new commit (n of them, ascending type id). */
ia_status ia_write_stage(ia_ctx *cx, ia_write *w, ia_entry **out, size_t *n) IA_MUST_CHECK;
/* Removes the manifests that a lost attempt staged; never fails. */
void ia_write_unstage(ia_ctx *cx, ia_write *w);
/* Moves w onto the newest head; CONFLICT naming type and id when the winners touched those rows. */
ia_status ia_write_rebase(ia_ctx *cx, ia_write *w) IA_MUST_CHECK;
void ia_entries_free(ia_entry *e, size_t n);

#endif
