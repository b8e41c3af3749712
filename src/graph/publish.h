/* publish.h - a graph write from plan to visible: stage, publish, reveal; rebase on a lost race. */
#ifndef IA_GRAPH_PUBLISH_H
#define IA_GRAPH_PUBLISH_H

#include "graph/validate.h"

/* What one write does to one table, independent of the head it lands on: new fragments whose data
 * files are already written, rows that go, and for merges ready-made actions. */
typedef struct ia_twrite {
    size_t type;
    ia_fragment *added;
    size_t n_added;  /* UNASSIGNED; row_ids of moved rows given (kept ids come first) */
    char *added_dir; /* tree the new data files were written below */
    struct ia_rowset {
        uint64_t fragment;
        ia_bitmap *offsets;
    } * removed;
    size_t n_removed; /* in the planned head */
    bool overwrite;   /* table is reset first */
    ia_txn_form form;
    char *predicate;   /* for the transaction text; may be NULL */
    ia_txn *actions;   /* merge: complete list instead of the members above; owned */
    ia_entry *pointer; /* merge: take this entry as it is; owned */
} ia_twrite;

typedef struct ia_write {
    ia_graph *g;
    ia_branch *branch;    /* owned */
    ia_snapshot *head;    /* planned on; owned */
    ia_changeset changes; /* judged before publishing; also the rows it touches (rebase) */
    ia_twrite *tables;
    size_t n, cap;
    char commit_id[IA_ULID_LEN + 1]; /* fixed before the first effect */
    char attempt[IA_ULID_LEN + 1];
    char *actor, *message;
    char if_commit[IA_ULID_LEN + 1]; /* "" = none: head must be this commit, else PRECONDITION */
    ia_commit_kind kind;
    ia_commit_ref merged; /* second parent of a merge */
    ia_route *routes;
    size_t n_routes;          /* moved into the commit */
    bool no_rebase;           /* merge: CONFLICT when the head moved, the caller plans anew */
    struct ia_write_own *own; /* private: trees, forks and datasets per type */
} ia_write;

/* Opens branch and head. Finishes reveals that a crashed writer left; refuses with DRIFT naming the
 * table when a foreign version sits on a table that this write turns out to touch (checked again at
 * publish). */
ia_status ia_write_begin(ia_ctx *cx, ia_graph *g, const char *branch, const char *if_commit,
                         const char *actor, const char *message, ia_write **out) IA_MUST_CHECK;
void ia_write_free(ia_write *w); /* leaves staged garbage to cleanup; accepts NULL */
/* Finds or adds the table part of a type. */
ia_status ia_write_table(ia_ctx *cx, ia_write *w, size_t type, ia_twrite **out) IA_MUST_CHECK;
/* Tree that new data files of `type` must be written below ({dataset root} or {root}/tree/{fork});
 * decides and remembers the fork's name when this branch does not own the table's Lance branch yet.
 * Borrowed from w. */
ia_status ia_write_tree(ia_ctx *cx, ia_write *w, size_t type, const char **dir) IA_MUST_CHECK;
/* The dataset that `type`'s actions are applied to: the head's, or its fork (clone) when this write
 * forks. Fragment ids and addresses are the same in both. Borrowed from w. */
ia_status ia_write_dataset(ia_ctx *cx, ia_write *w, size_t type, ia_dataset **out) IA_MUST_CHECK;
/* Claims a fresh row-id space of `type`'s dataset; *first = its first id. For a graft of ids above
 * the table's next_row_id: the real engine's checks want that counter above every id in use. */
ia_status ia_write_row_id_space(ia_ctx *cx, ia_write *w, size_t type,
                                uint64_t *first) IA_MUST_CHECK;
/* Judges w->changes against the head now, so that nothing is written for a change that is refused;
 * publish does not repeat it on that head. */
ia_status ia_write_validate(ia_ctx *cx, ia_write *w) IA_MUST_CHECK;
/* Validates w->changes (unless w->kind is MERGE: done by the merge), stages, publishes, reveals. On
 * a lost race: rebase if the winner touched other rows (re-validated against the new head), else
 * CONFLICT naming type and id. *out = the commit (caller's), NULL when there was nothing to do (no
 * table changed and kind is not MERGE). */
ia_status ia_write_publish(ia_ctx *cx, ia_write *w, ia_commit **out) IA_MUST_CHECK;

/* Finishes reveals of a commit's entries (idempotent): manifests linked in version order, hint,
 * branch JSON, hold tag, verified; staged names removed. */
ia_status ia_reveal(ia_ctx *cx, ia_graph *g, const ia_commit *c) IA_MUST_CHECK;

/* True while a published manifest of the entry still has to be linked to its final name. */
ia_status ia_entry_pending(ia_ctx *cx, ia_graph *g, const ia_entry *e, bool *out) IA_MUST_CHECK;

/* What of a commit is not revealed yet, one line each ("Person.lance version 7 is staged ..."). For
 * status. */
ia_status ia_unrevealed(ia_ctx *cx, ia_graph *g, const ia_commit *c, ia_strlist *out) IA_MUST_CHECK;

/* Per table: does a version exist that no commit of the graph made? */
typedef struct ia_drift {
    size_t type;
    char *dir;
    char *lance_branch;
    uint64_t version;
    char *operation;
} ia_drift;
typedef struct ia_drifts {
    ia_drift *items;
    size_t n, cap;
} ia_drifts;
ia_status ia_drift_find(ia_ctx *cx, ia_graph *g, const ia_branch *b, const ia_commit *head,
                        const ia_catalog *cat, ia_drifts *out) IA_MUST_CHECK;
void ia_drifts_dispose(ia_drifts *d);

#endif
