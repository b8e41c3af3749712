/* exec_priv.h - working state of one query: types, adjacency, the relation being built. */
#ifndef IA_EXEC_PRIV_H
#define IA_EXEC_PRIV_H

#include "arrow/builder.h"
#include "arrow/compute.h"
#include "base/map.h"
#include "exec/exec.h"

#define IA_XNONE UINT32_MAX

/* Neighbours of node number i: nbr[off[i] .. off[i + 1]), ascending; edge[] are the edge numbers.
 */
typedef struct ia_xcsr {
    uint32_t *off, *nbr, *edge;
    size_t n; /* nodes on this side; off NULL = not built */
} ia_xcsr;

/* One node or edge type in use. Rows have dense numbers. A `full` type numbers every live row in
 * scan order and knows its ids (traversals need that); others number just the rows that were met.
 */
typedef struct ia_xtype {
    const ia_type_def *def;
    ia_dataset *ds; /* borrowed */
    bool full;
    uint64_t *addrs; /* number -> row address */
    size_t n, cap;
    ia_bytemap ids;    /* full nodes: id -> entry number = row number */
    ia_u64map by_addr; /* not full */
    ia_array *
        *cols; /* per arrow column of the type: whole column in number order, cached; full only */
    uint32_t *src, *dst; /* full edges: node numbers of the ends; IA_XNONE = no such node */
    ia_xcsr fwd, rev;
} ia_xtype;

/* Rows over the variables bound so far: col[v][row] = number in the variable's type. */
typedef struct ia_xrel {
    size_t n;       /* rows */
    uint32_t **col; /* per query variable; NULL = not bound */
    size_t n_vars;
    uint32_t *origin; /* inside `not`: row of the outer relation; else NULL */
} ia_xrel;

typedef struct ia_xq {
    const ia_gq_query *q;
    const ia_params *params;
    ia_exec_source *src;
    ia_xtype *types; /* per catalog type; def NULL = not in use */
    uint32_t *stamp; /* expansion: visited marks by node number, valid where == epoch */
    uint32_t epoch;
    size_t n_stamp;
} ia_xq;

/* xtype.c */
ia_status ia_xtype_get(ia_ctx *cx, ia_xq *x, const ia_type_def *def, bool full,
                       ia_xtype **out) IA_MUST_CHECK;
ia_status ia_xtype_number(ia_ctx *cx, ia_xtype *t, uint64_t addr,
                          uint32_t *out) IA_MUST_CHECK; /* not full */
/* Adjacency by source (forward) or destination. */
ia_status ia_xtype_csr(ia_ctx *cx, ia_xq *x, ia_xtype *edge, bool forward,
                       const ia_xcsr **out) IA_MUST_CHECK;
/* Arrow column `column` of the rows numbered, one value a row. */
ia_status ia_xtype_values(ia_ctx *cx, ia_xtype *t, size_t column, const uint32_t *numbers, size_t n,
                          ia_array **out) IA_MUST_CHECK;
void ia_xtype_dispose(ia_xtype *t);

/* relation.c */
ia_status ia_xrel_init(ia_ctx *cx, ia_xrel *r,
                       size_t n_vars) IA_MUST_CHECK; /* one row, nothing bound */
void ia_xrel_dispose(ia_xrel *r);
/* Keeps row idx[k] as row k (repeats allowed). */
ia_status ia_xrel_gather(ia_ctx *cx, ia_xrel *r, const uint32_t *idx, size_t n) IA_MUST_CHECK;
/* Growing list of result rows: source row, and values of up to two new columns. */
typedef struct ia_xrows {
    uint32_t *row, *a, *b;
    size_t n, cap_row, cap_a, cap_b;
} ia_xrows;
ia_status ia_xrows_add(ia_ctx *cx, ia_xrows *l, uint32_t row, uint32_t a, uint32_t b) IA_MUST_CHECK;
void ia_xrows_dispose(ia_xrows *l);
/* Replaces r by the rows of l; binds var_a to a and var_b to b (-1 = none). Empties l. */
ia_status ia_xrel_take(ia_ctx *cx, ia_xrel *r, ia_xrows *l, int var_a, int var_b) IA_MUST_CHECK;

/* row_value.c */
/* One value a row of r: PROP and VAR from the tables, others repeated. */
ia_status ia_xvalue(ia_ctx *cx, ia_xq *x, const ia_xrel *r, const ia_gq_expr *e,
                    ia_array **out) IA_MUST_CHECK;

/* filter.c */
/* Keeps the rows of r for which p is true. */
ia_status ia_xfilter(ia_ctx *cx, ia_xq *x, ia_xrel *r, const ia_gq_pred *p) IA_MUST_CHECK;
/* Is p about variable `var` alone, against constants? */
bool ia_xpred_is_local(const ia_gq_pred *p, int var);
/* Condition of a local predicate as a scan filter; *never = it cannot be true (null operand). */
ia_status ia_xpred_expr(ia_ctx *cx, ia_xq *x, ia_arena *a, const ia_gq_pred *p, ia_expr **out,
                        bool *never) IA_MUST_CHECK;

/* expand.c: one traversal with its left or right end bound, or both. */
ia_status ia_xexpand(ia_ctx *cx, ia_xq *x, ia_xrel *r, const ia_gq_clause *c) IA_MUST_CHECK;

/* match.c: joins the clauses into r. */
ia_status ia_xmatch(ia_ctx *cx, ia_xq *x, ia_xrel *r, const ia_gq_clause *clauses,
                    size_t n) IA_MUST_CHECK;

/* project.c: return, group, order, limit. */
ia_status ia_xproject(ia_ctx *cx, ia_xq *x, const ia_xrel *r, ia_batch **out) IA_MUST_CHECK;
/* aggregate.c: one array per projection, one value a group. */
ia_status ia_xaggregate(ia_ctx *cx, ia_xq *x, const ia_xrel *r, ia_array **cols,
                        size_t *n_groups) IA_MUST_CHECK;

#endif
