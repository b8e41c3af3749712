/* merge_priv.h - the working state of one merge, shared by its files. */
#ifndef IA_GRAPH_MERGE_PRIV_H
#define IA_GRAPH_MERGE_PRIV_H

#include "graph/delta.h"
#include "graph/merge.h"

/* What the merge does with one id that the source changed. */
typedef enum ia_pick {
    IA_PICK_NONE = 0, /* the target's row stays as it is */
    IA_PICK_INSERT,   /* source row comes in */
    IA_PICK_UPDATE,   /* source row replaces the target's */
    IA_PICK_DELETE    /* the target's row goes */
} ia_pick;

typedef enum ia_route_kind {
    IA_ROUTE_UNCHANGED = 0,
    IA_ROUTE_POINTER,
    IA_ROUTE_GRAFT,
    IA_ROUTE_THREE_WAY
} ia_route_kind;

/* One type in one merge. Base, source and target are images of the same lifetime; NULL = the type
 * has no entry there. */
typedef struct ia_mtype {
    size_t type;
    ia_route_kind kind;
    const ia_entry *eb, *es, *et;       /* borrowed from the commits */
    ia_dataset *base, *source, *target; /* retained; opened when needed */
    ia_delta ds, dt; /* base -> source, base -> target; empty when that side is unchanged */
    uint8_t *pick;   /* ia_pick per entry of ds */
    uint64_t *at;    /* target address of the row that goes (UPDATE, DELETE), per entry of ds */
    uint64_t n_insert, n_update, n_delete;
    ia_route *report; /* borrowed from the result */
} ia_mtype;

typedef struct ia_merging {
    ia_graph *g;
    const ia_merge_options *opt;
    ia_write *w;                /* target branch and head; owned */
    ia_snapshot *base, *source; /* owned; base is the picked best ancestor */
    ia_snapshot **others;       /* the other best ancestors (criss-cross); owned */
    size_t n_others;
    bool fast_forward;
    ia_mtype *types;
    size_t n_types; /* every type of the catalog, catalog order */
    ia_merge_result *out;
} ia_merging;

/* merge_decide.c: fills ds, dt, pick, at of a three-way type; adds structural conflicts. */
ia_status ia_merge_decide(ia_ctx *cx, ia_merging *m, ia_mtype *t) IA_MUST_CHECK;
/* The delta of a side against the base, computed once. */
ia_status ia_merge_deltas(ia_ctx *cx, ia_merging *m, ia_mtype *t) IA_MUST_CHECK;
/* merge_build.c: the type's actions into m->w. */
ia_status ia_merge_build(ia_ctx *cx, ia_merging *m, ia_mtype *t) IA_MUST_CHECK;
/* merge_view.c: constraints where the deltas meet; adds constraint conflicts. */
ia_status ia_merge_validate(ia_ctx *cx, ia_merging *m) IA_MUST_CHECK;
/* Adds a conflict; takes over nothing. Images may be NULL. */
ia_status ia_conflict_add(ia_ctx *cx, ia_merging *m, ia_conflict_kind kind, size_t type, ia_view id,
                          const char *message, const char *base, const char *source,
                          const char *target) IA_MUST_CHECK;

#endif
