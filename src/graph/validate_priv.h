/* validate_priv.h - what the files of the evaluator share. */
#ifndef IA_GRAPH_VALIDATE_PRIV_H
#define IA_GRAPH_VALIDATE_PRIV_H

#include "graph/validate.h"

/* Place of a row among the images of a change. */
static inline uint64_t ia_place(size_t image, int64_t row)
{
    return (uint64_t)image << 32 | (uint64_t)row;
}
static inline size_t ia_place_image(uint64_t p)
{
    return (size_t)(p >> 32);
}
static inline int64_t ia_place_row(uint64_t p)
{
    return (int64_t)(p & UINT32_MAX);
}

/* One type during a run. `final` and what follows are built on first use. */
typedef struct ia_vtype {
    const ia_type_def *def;
    const ia_tchange *t; /* NULL = the type is not changed */
    bool built;
    ia_bytemap final;   /* id -> place of its last image */
    size_t *by_id;      /* entries of `final`, ascending by id */
    ia_bytemap gone;    /* ids removed and not in `final` */
    ia_bytemap probe;   /* node types: end-points asked of the committed state */
    ia_bitmap *present; /* of probe */
} ia_vtype;

typedef struct ia_vrun {
    const ia_changeset *cs;
    ia_cview *view;
    const ia_validate_options *opt;
    ia_violations *out;
    bool done;       /* the first violation was found and no more are wanted */
    ia_vtype *types; /* per catalog type */
} ia_vrun;

/* Builds the final image of a type that is changed (no-op otherwise). */
ia_status ia_vtype_build(ia_ctx *cx, ia_vtype *vt) IA_MUST_CHECK;
const ia_array *ia_vtype_col(const ia_vtype *vt, size_t image,
                             int prop); /* IA_PROP_SRC, _DST too */
ia_view ia_vtype_id(const ia_vtype *vt, uint64_t place);
ia_view ia_vtype_end(const ia_vtype *vt, uint64_t place, int end); /* 0 = src, 1 = dst */
uint64_t ia_vtype_line(const ia_vtype *vt, uint64_t place);        /* 0 = not known */
static inline bool ia_vtype_has(const ia_vtype *vt, ia_view id)
{
    return ia_bytemap_find(&vt->final, id.data, id.len, NULL);
}
static inline bool ia_vtype_gone(const ia_vtype *vt, ia_view id)
{
    return ia_bytemap_find(&vt->gone, id.data, id.len, NULL);
}
/* Name of a column: "src", "dst" or the property's. */
const char *ia_prop_name(const ia_type_def *t, int prop);

/* Appends a violation (takes the text over) and sets run->done when one is enough. id.data NULL =
 * none. */
ia_status ia_vrun_add(ia_ctx *cx, ia_vrun *run, ia_violation_kind kind, const ia_vtype *vt,
                      ia_view id, uint64_t line, ia_buf *text) IA_MUST_CHECK;

/* The passes, in the order of R-151; each returns early once run->done. */
ia_status ia_validate_values(ia_ctx *cx, ia_vrun *run, const ia_vtype *vt) IA_MUST_CHECK;
ia_status ia_validate_unique(ia_ctx *cx, ia_vrun *run, ia_vtype *vt) IA_MUST_CHECK;
ia_status ia_validate_probe(ia_ctx *cx, ia_vrun *run)
    IA_MUST_CHECK; /* asks for end-points, once per node type */
ia_status ia_validate_ends(ia_ctx *cx, ia_vrun *run, ia_vtype *edge) IA_MUST_CHECK;
ia_status ia_validate_card(ia_ctx *cx, ia_vrun *run, ia_vtype *edge) IA_MUST_CHECK;

#endif
