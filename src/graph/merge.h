/* merge.h - three-way merge: routes, truth table, conflicts, validation where deltas meet. */
#ifndef IA_GRAPH_MERGE_H
#define IA_GRAPH_MERGE_H

#include "graph/publish.h"

typedef enum ia_conflict_kind {
    IA_DIVERGENT_INSERT = 0,
    IA_DIVERGENT_UPDATE,
    IA_DELETE_VS_UPDATE,
    IA_CONFLICT_ORPHAN,
    IA_CONFLICT_UNIQUE,
    IA_CONFLICT_CARDINALITY,
    IA_CONFLICT_VALUE
} ia_conflict_kind;
const char *ia_conflict_kind_name(ia_conflict_kind k); /* "divergent_insert", ... */

typedef struct ia_conflict {
    ia_conflict_kind kind;
    size_t type;
    char *id; /* NULL for value and cardinality */
    char *message;
    char *base, *source, *target; /* row images as export JSON; NULL = absent or not read */
} ia_conflict;
typedef struct ia_conflicts {
    ia_conflict *items;
    size_t n, cap;
} ia_conflicts;
void ia_conflicts_dispose(ia_conflicts *c);

typedef enum ia_merge_outcome {
    IA_UP_TO_DATE = 0,
    IA_FAST_FORWARD,
    IA_MERGED,
    IA_CONFLICTED
} ia_merge_outcome;

typedef struct ia_merge_options {
    ia_adopt adopt;
    bool dry_run;       /* plan, validate, report; publish nothing */
    bool full_probe;    /* validate the whole delta against the full view (tests the lemma) */
    double min_density; /* share of a fragment that must be picked to adopt it; 0 = 0.1 */
    const char *actor, *message, *if_commit;
} ia_merge_options;

typedef struct ia_merge_result {
    ia_merge_outcome outcome;
    ia_commit *commit; /* NULL when none was published */
    ia_commit_ref base, source, target;
    ia_route *routes;
    size_t n_routes;
    ia_conflicts conflicts;
    uint64_t rows_both_sides; /* candidate ids touched on both sides */
    uint64_t elapsed_us;
} ia_merge_result;
void ia_merge_result_dispose(ia_merge_result *r);

/* Conflicts are a result (outcome CONFLICTED), not an error. */
ia_status ia_merge(ia_ctx *cx, ia_graph *g, const char *source, const char *into,
                   const ia_merge_options *opt, ia_merge_result *out) IA_MUST_CHECK;

#endif
