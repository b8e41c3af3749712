/* validate.h - the one evaluator of constraints, and the state it probes. */
#ifndef IA_GRAPH_VALIDATE_H
#define IA_GRAPH_VALIDATE_H

#include "graph/changeset.h"

typedef enum ia_violation_kind {
    IA_VIOLATION_VALUE = 0,
    IA_VIOLATION_UNIQUE,
    IA_VIOLATION_ORPHAN,
    IA_VIOLATION_CARDINALITY
} ia_violation_kind;

typedef struct ia_violation {
    ia_violation_kind kind;
    size_t type;
    char *id;      /* NULL for value and cardinality kinds */
    char *message; /* with the stable anchors of R-155 */
    uint64_t line; /* input line of the offending row; 0 = not known */
} ia_violation;

typedef struct ia_violations {
    ia_violation *items;
    size_t n, cap;
} ia_violations;
void ia_violations_dispose(ia_violations *v);

/* The committed state that the change lands on. Each probe is batched; answers come through `sink`
 * calls. Implementations: a snapshot (scans narrow columns of the types asked for), the merge's
 * meeting set. */
typedef struct ia_cview {
    void *self;
    const ia_changeset *emptied; /* ia_cview_snapshot() only */
    /* present[k] = id k is committed in `type`. */
    ia_status (*has_ids)(ia_ctx *cx, struct ia_cview *v, size_t type, const ia_bytemap *ids,
                         ia_bitmap *present);
    /* Committed rows whose tuple of columns `cols` (property indexes; -1 src, -2 dst) is among
     * `tuples` (keys encoded by ia_tuple_key); sink gets the row's id and the tuple's number. */
    ia_status (*by_tuple)(ia_ctx *cx, struct ia_cview *v, size_t type, const int *cols,
                          size_t n_cols, const ia_bytemap *tuples,
                          ia_status (*sink)(ia_ctx *, void *, ia_view id, size_t tuple), void *arg);
    /* Committed edges of edge type `type` whose src (end 0) or dst (end 1) is among ids. */
    ia_status (*edges_at)(
        ia_ctx *cx, struct ia_cview *v, size_t type, int end, const ia_bytemap *node_ids,
        ia_status (*sink)(ia_ctx *, void *, ia_view edge, ia_view src, ia_view dst), void *arg);
    /* Committed edges by edge id, always of the raw base (pre-images), also when the type is
     * overwritten. */
    ia_status (*edges_by_id)(
        ia_ctx *cx, struct ia_cview *v, size_t type, const ia_bytemap *edge_ids,
        ia_status (*sink)(ia_ctx *, void *, ia_view edge, ia_view src, ia_view dst), void *arg);
    /* Optional, NULL = judge all: which of `sources` (sources of edge type `type` whose edges the
     * change touches) are judged against the maximum and the minimum of @card. A merge judges only
     * where both sides' deltas meet. */
    ia_status (*card_scope)(ia_ctx *cx, struct ia_cview *v, size_t type, const ia_bytemap *sources,
                            ia_bitmap *max_scope, ia_bitmap *min_scope);
    /* Optional, NULL = edges_at with end 0: every committed edge of the sources that @card judges.
     */
    ia_status (*card_edges)(ia_ctx *cx, struct ia_cview *v, size_t type, const ia_bytemap *sources,
                            ia_status (*sink)(ia_ctx *, void *, ia_view edge, ia_view src,
                                              ia_view dst),
                            void *arg);
} ia_cview;

/* Scans the narrow columns of s. Types in `emptied` (overwritten by cs) read as empty, but for
 * edges_by_id. */
void ia_cview_snapshot(ia_cview *out, ia_snapshot *s, const ia_changeset *emptied);

/* Injective key of a tuple of canonical texts; false (*has_null) when any member is null (exempt).
 * Errors: CONSTRAINT for what cannot be keyed (list, vector, non-finite float). */
ia_status ia_tuple_key(ia_ctx *cx, const ia_batch *b, int64_t row, const ia_type_def *type,
                       const int *cols, size_t n_cols, ia_buf *key, bool *has_null) IA_MUST_CHECK;
/* Canonical text of a key value; the id of a keyed node is made of these. */
ia_status ia_canonical_text(ia_ctx *cx, const ia_array *a, int64_t row, ia_buf *out) IA_MUST_CHECK;
/* id of a keyed node: one property its text, several a JSON array in property-id order. */
ia_status ia_node_key_id(ia_ctx *cx, const ia_batch *b, int64_t row, const ia_type_def *type,
                         ia_buf *out) IA_MUST_CHECK;

typedef struct ia_validate_options {
    bool all;         /* collect every violation (merge); else stop at the first */
    bool value_rules; /* false: skip row-local rules (rows validated before) */
} ia_validate_options;
/* Judges cs against the committed view. Appends to `out` in the total order of R-151. IA_OK also
 * when there are violations; look at out->n. */
ia_status ia_validate(ia_ctx *cx, const ia_changeset *cs, ia_cview *committed,
                      const ia_validate_options *opt, ia_violations *out) IA_MUST_CHECK;
/* First violation as an error (CONSTRAINT with its message); IA_OK when empty. */
ia_status ia_violations_fail(ia_ctx *cx, const ia_catalog *cat,
                             const ia_violations *v) IA_MUST_CHECK;

#endif
