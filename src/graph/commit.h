/* commit.h - commits: the JSON that is the truth; the log of a branch life; the history DAG. */
#ifndef IA_GRAPH_COMMIT_H
#define IA_GRAPH_COMMIT_H

#include "graph/store.h"

#define IA_EVALUATOR_VERSION 1u

/* Where a commit lies; enough to read it with one GET. */
typedef struct ia_commit_ref {
    char id[IA_ULID_LEN + 1]; /* "" = none */
    char incarnation[IA_ULID_LEN + 1];
    uint64_t n;
} ia_commit_ref;

/* How a Lance branch was cut; kept in the entry until its commit is known to be revealed. */
typedef struct ia_fork {
    bool set;             /* the entry's first version is the clone that starts its Lance branch */
    char *parent;         /* Lance branch it was cut from, NULL = main */
    uint64_t parent_size; /* bytes of the manifest it was cut from */
    int64_t created_s;
} ia_fork;

/* One type's table at a commit. */
typedef struct ia_entry {
    uint64_t type_id, incarnation; /* lifetime: identity across commits, never the name */
    char *dir;                     /* "Person.lance" */
    char *lance_branch;            /* NULL = main of the dataset */
    char owner[IA_ULID_LEN + 1];   /* graph branch incarnation that writes this Lance branch */
    uint64_t first_version, last_version; /* versions this entry's publishing commit made (first may
                                             be the fork's clone) */
    char txn_uuid[IA_UUID_LEN + 1];       /* transaction of last_version */
    char *staged;                         /* "{attempt}" below staged/, or NULL */
    uint64_t rows;
    ia_fork fork;
} ia_entry;

typedef enum ia_commit_kind {
    IA_COMMIT_WRITE = 0,
    IA_COMMIT_GENESIS,
    IA_COMMIT_MERGE,
    IA_COMMIT_DELETE
} ia_commit_kind; /* DELETE = branch ended */

/* Route of one type in a merge commit, for --explain and history. */
typedef struct ia_route {
    uint64_t type_id;
    char *type_key; /* "node:Person" */
    char *route;    /* unchanged pointer graft three_way_graft row_merge walk */
    char *reason;   /* why not a cheaper one */
    uint64_t fragments_adopted, files_linked, files_referenced, files_copied;
    uint64_t rows_inserted, rows_updated, rows_deleted, rows_masked, rows_copied, rows_compared;
} ia_route;

typedef struct ia_commit {
    ia_commit_ref ref;
    ia_commit_kind kind;
    char *branch; /* name at the time */
    ia_commit_ref parents[2];
    size_t n_parents;
    char *actor, *message; /* message may be NULL */
    int64_t time_us;
    char schema_hash[65];
    uint32_t evaluator; /* version that validated it */
    ia_entry *entries;
    size_t n_entries; /* ascending type_id */
    ia_route *routes;
    size_t n_routes; /* merge only */
} ia_commit;

void ia_routes_free(ia_route *r, size_t n);
void ia_commit_free(ia_commit *c);
ia_status ia_commit_copy(ia_ctx *cx, const ia_commit *in, ia_commit **out) IA_MUST_CHECK;
const ia_entry *ia_commit_entry(const ia_commit *c, uint64_t type_id); /* NULL when absent */
ia_status ia_entry_copy(ia_ctx *cx, const ia_entry *in, ia_entry *out) IA_MUST_CHECK;
void ia_entry_dispose(ia_entry *e);
/* Same table image: lifetime, dir, Lance branch, last version and transaction. */
bool ia_entry_same(const ia_entry *a, const ia_entry *b);

/* JSON both ways. Errors: CORRUPT naming the file and member. */
ia_status ia_commit_encode(ia_ctx *cx, const ia_commit *c, ia_bytes *out) IA_MUST_CHECK;
ia_status ia_commit_decode(ia_ctx *cx, const char *text, size_t len, const char *path,
                           ia_commit **out) IA_MUST_CHECK;
/* NOT_FOUND when there is none. */
ia_status ia_commit_read(ia_ctx *cx, ia_graph *g, const ia_commit_ref *ref,
                         ia_commit **out) IA_MUST_CHECK;
/* The one publishing step. EXISTS when commit n of that incarnation is taken. */
ia_status ia_commit_put(ia_ctx *cx, ia_graph *g, const ia_commit *c) IA_MUST_CHECK;
/* Finds a commit of any live or ended branch by id or unique prefix (>= 6 characters). */
ia_status ia_commit_find(ia_ctx *cx, ia_graph *g, const char *id, ia_commit **out) IA_MUST_CHECK;

/* History: ancestors of `head` (itself included), newest first by (time, id), at most `limit` (0 =
 * all). */
typedef struct ia_commit_list {
    ia_commit **items;
    size_t n, cap;
} ia_commit_list;
ia_status ia_history(ia_ctx *cx, ia_graph *g, const ia_commit *head, bool first_parent,
                     size_t limit, ia_commit_list *out) IA_MUST_CHECK;
void ia_commit_list_dispose(ia_commit_list *l);
/* Best common ancestors (none is an ancestor of another), best first by. n >= 1 or
 * NOT_FOUND. */
ia_status ia_merge_bases(ia_ctx *cx, ia_graph *g, const ia_commit *a, const ia_commit *b,
                         ia_commit_list *out) IA_MUST_CHECK;

#endif
