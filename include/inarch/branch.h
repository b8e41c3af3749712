/* branch.h - branches, commits, differences and merges. */
#ifndef INARCH_BRANCH_H
#define INARCH_BRANCH_H

#include "inarch/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Cuts branch `name` at a branch head or commit (`from`, NULL = main): one small file. commit_id
 * (may be NULL) receives the fork commit. Errors: EXISTS, NOT_FOUND, INVALID (name rules). */
INARCH_API inarch_status inarch_branch_create(inarch_graph *g, const char *name, const char *from,
                                              char commit_id[27]);
/* Ends a branch; its commits stay reachable where others fork from them. Errors: NOT_FOUND, INVALID
 * (main). */
INARCH_API inarch_status inarch_branch_delete(inarch_graph *g, const char *name, const char *actor);

typedef struct inarch_branch_info {
    const char *name;
    const char *head; /* commit id */
    const char *fork; /* commit it was cut at, "" for main */
    int64_t created_us;
} inarch_branch_info;
typedef struct inarch_branch_list {
    size_t n;
    const inarch_branch_info *items; /* by name */
    void *owner;
} inarch_branch_list;
INARCH_API inarch_status inarch_branch_list_read(inarch_graph *g, inarch_branch_list *out);
INARCH_API void inarch_branch_list_dispose(inarch_branch_list *l);

/* ---- commits --------------------------------------------------------------------------------- */

typedef struct inarch_commit_info {
    const char *id;
    const char *kind;   /* "genesis", "write", "merge" */
    const char *branch; /* branch it was made on */
    uint64_t sequence;  /* its number on that branch's life */
    const char *parent; /* "" = none */
    const char *merged; /* second parent of a merge, "" = none */
    const char *actor;
    const char *message; /* "" = none */
    int64_t time_us;     /* microseconds since 1970 UTC */
} inarch_commit_info;
typedef struct inarch_commit_list {
    size_t n;
    const inarch_commit_info *items; /* newest first */
    void *owner;
} inarch_commit_list;
/* Commits reachable from a branch head or commit (NULL = main), at most `limit` (0 = all). */
INARCH_API inarch_status inarch_commit_list_read(inarch_graph *g, const char *at, size_t limit,
                                                 inarch_commit_list *out);
INARCH_API void inarch_commit_list_dispose(inarch_commit_list *l);
/* One commit by branch, id or unique prefix: a list of one. */
INARCH_API inarch_status inarch_commit_read(inarch_graph *g, const char *at,
                                            inarch_commit_list *out);

/* One row change. before/after are row images as JSON objects, NULL when absent. Non-zero return
 * stops. */
typedef struct inarch_change {
    const char *kind, *type, *id;
    const char *op; /* "insert", "update", "delete" */
    const char *before, *after;
} inarch_change;
typedef int (*inarch_change_fn)(const inarch_change *c, void *payload);
/* Net changes between two branches or commits; nodes first, then type, id. images: fill before and
 * after. from NULL = first parent of `to`. Errors: NOT_FOUND, INVALID (commit without parent). */
INARCH_API inarch_status inarch_diff(inarch_graph *g, const char *from, const char *to, bool images,
                                     inarch_change_fn fn, void *payload);

/* ---- merge ----------------------------------------------------------------------------------- */

typedef enum inarch_adopt {
    INARCH_ADOPT_LINK = 0,  /* hard links, base-path reference where links fail */
    INARCH_ADOPT_REFERENCE, /* borrow files through a Lance base path */
    INARCH_ADOPT_COPY       /* copy the files */
} inarch_adopt;

typedef struct inarch_merge_options {
    size_t struct_size;
    inarch_adopt adopt;
    bool dry_run;    /* plan and validate, publish nothing */
    bool full_probe; /* validate against the whole target instead of the meeting set */
    const char *actor, *message, *if_commit;
} inarch_merge_options;
#define INARCH_MERGE_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(inarch_merge_options), INARCH_ADOPT_LINK, false, false, 0, 0, 0                     \
    }

typedef struct inarch_conflict {
    const char *kind;   /* divergent_insert divergent_update delete_vs_update orphan_edge
                           unique_violation   cardinality_violation value_constraint_violation */
    const char *entity; /* "node" or "edge" */
    const char *type;
    const char *id; /* "" = none */
    const char *message;
    const char *base, *source, *target; /* row images as JSON, "" = absent */
} inarch_conflict;

typedef struct inarch_route {
    const char *type_key; /* "node:Person" */
    const char *route;    /* unchanged pointer graft three_way_graft row_merge walk */
    const char *reason;
    uint64_t fragments_adopted, files_linked, files_referenced, files_copied;
    uint64_t rows_inserted, rows_updated, rows_deleted, rows_masked, rows_copied, rows_compared;
} inarch_route;

typedef struct inarch_merge_result {
    const char *outcome;                /* already_up_to_date fast_forward merged conflicts */
    const char *commit;                 /* "" = none was published */
    const char *base, *source, *target; /* commit ids */
    size_t n_routes;
    const inarch_route *routes;
    size_t n_conflicts;
    const inarch_conflict *conflicts;
    uint64_t rows_both_sides;
    uint64_t elapsed_us;
    uint64_t meta_read, meta_written; /* bytes by class, counted in the store */
    uint64_t key_read, key_written;
    uint64_t payload_read, payload_written;
    uint64_t peak_memory; /* bytes charged at the highest point */
    void *owner;
} inarch_merge_result;
/* Merges branch or commit `source` into branch `into` (NULL = main). Conflicts are a result with
 * outcome "conflicts": nothing was changed. Out: inarch_merge_result_dispose(). Errors: NOT_FOUND,
 * INVALID (same branch), CONFLICT (the target kept moving), PRECONDITION, DRIFT. Cancel: honoured
 * until the commit point. */
INARCH_API inarch_status inarch_merge(inarch_graph *g, const char *source, const char *into,
                                      const inarch_merge_options *opt, inarch_merge_result *out);
INARCH_API void inarch_merge_result_dispose(inarch_merge_result *r);

#ifdef __cplusplus
}
#endif
#endif
