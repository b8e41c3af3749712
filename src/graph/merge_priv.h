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
    bool moved_s, moved_t; /* that side's entry is not the base's; false when both have the same */
    ia_dataset *base, *source, *target; /* retained; opened when needed */
    ia_delta ds, dt; /* base -> source, base -> target; empty where nothing can meet it */
    uint8_t *pick;   /* ia_pick per entry of ds */
    uint64_t *at;    /* target address of the row that goes (UPDATE, DELETE), per entry of ds */
    uint64_t n_insert, n_update, n_delete;
    ia_route *report; /* borrowed from the result */
} ia_mtype;

typedef struct ia_merging {
    ia_graph *g;
    const ia_merge_options *opt;
    ia_write *w;                /* NULL in a dry run, which leaves the store alone; owned */
    ia_branch *branch;          /* the target; w's, owned in a dry run */
    ia_snapshot *target;        /* its head; the same */
    ia_snapshot *base, *source; /* owned; base is the picked best ancestor */
    ia_snapshot **others;       /* the other best ancestors (criss-cross); owned */
    size_t n_others;
    bool fast_forward;
    uint64_t image_bytes; /* of the conflicts so far */
    ia_mtype *types;
    size_t n_types; /* every type of the catalog, catalog order */
    ia_merge_result *out;
} ia_merging;

/* merge_decide.c: deltas of the types where the two sides can meet, picks, structural conflicts. */
ia_status ia_merge_decide(ia_ctx *cx, ia_merging *m) IA_MUST_CHECK;
/* Opens the images of a type that are not open yet. */
ia_status ia_merge_images(ia_ctx *cx, ia_merging *m, ia_mtype *t) IA_MUST_CHECK;
/* Did that side remove any row of the type? */
bool ia_delta_removes(const ia_delta *d);
/* Number of a type in the catalog. */
size_t ia_type_number(const ia_catalog *cat, const ia_type_def *def);
/* merge_build.c: the type's actions into m->w. */
ia_status ia_merge_build(ia_ctx *cx, ia_merging *m, ia_mtype *t) IA_MUST_CHECK;
/* merge_view.c: constraints where the deltas meet; adds constraint conflicts. */
ia_status ia_merge_validate(ia_ctx *cx, ia_merging *m) IA_MUST_CHECK;
/* Adds a conflict; takes over nothing. Images may be NULL. */
ia_status ia_conflict_add(ia_ctx *cx, ia_merging *m, ia_conflict_kind kind, size_t type, ia_view id,
                          const char *message, const char *base, const char *source,
                          const char *target) IA_MUST_CHECK;

#endif
