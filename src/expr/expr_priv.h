/* expr_priv.h - helpers shared by the files of this folder. */
#ifndef IA_EXPR_PRIV_H
#define IA_EXPR_PRIV_H

#include "arrow/compute.h"
#include "expr/expr.h"

/* Kinds of scalar types; numbers of the three kinds compare with each other. */
typedef enum ia_scalar_kind {
    IA_KIND_NULL = 0, IA_KIND_BOOL, IA_KIND_SIGNED, IA_KIND_UNSIGNED, IA_KIND_FLOAT, IA_KIND_STRING,
    IA_KIND_BINARY, IA_KIND_INSTANT, IA_KIND_TIME, IA_KIND_DURATION
} ia_scalar_kind;

/* The static type that scalars of a column type have; NULL for decimals and nested types. */
const ia_type *ia_scalar_type(const ia_type *t);
ia_scalar_kind ia_scalar_kind_of(const ia_type *scalar_type);
int64_t ia_scalar_tick(const ia_type *t); /* nanoseconds in one count of a temporal type */

/* "HH:MM:SS" with up to nine digits of a second -> nanoseconds since midnight. */
bool ia_time_parse(const char *s, size_t n, int64_t *ns);
/* RFC 3339 text with up to nine digits of a second, in the coarsest unit from ms that holds it. */
bool ia_timestamp_parse(const char *s, size_t n, int64_t *v, ia_time_unit *unit);

/* Truth values: AND is the minimum, OR the maximum, NOT is 2 - x. */
typedef uint8_t ia_tri;
enum { IA_FALSE3 = 0, IA_NULL3 = 1, IA_TRUE3 = 2 };

static inline bool ia_expr_is_cmp(ia_expr_op op)
{
    return op >= IA_EXPR_EQ && op <= IA_EXPR_GE;
}
/* The operator with its sides exchanged. */
ia_expr_op ia_expr_flip(ia_expr_op op);

/* The column itself, or the values of a dictionary column one by one. */
ia_status ia_column_plain(ia_ctx *cx, const ia_array *a, ia_array **out) IA_MUST_CHECK;
/* t[i] = column[i] op value, for comparable types; the column is no dictionary. */
ia_status ia_kernel_cmp(ia_ctx *cx, const ia_array *col, ia_expr_op op, const ia_scalar *v,
                        ia_tri *t) IA_MUST_CHECK;
/* t[i] = a[i] op b[i]. */
ia_status ia_kernel_cmp_columns(ia_ctx *cx, const ia_array *a, ia_expr_op op, const ia_array *b,
                                ia_tri *t) IA_MUST_CHECK;
ia_status ia_kernel_in(ia_ctx *cx, const ia_array *col, const ia_scalar *items, size_t n,
                       ia_tri *t) IA_MUST_CHECK;
/* CONTAINS, STARTS_WITH, LIKE over a string or null column. */
void ia_kernel_text(const ia_array *col, ia_expr_op op, ia_view v, ia_tri *t);
bool ia_text_test(ia_expr_op op, ia_view text, ia_view v);
ia_status ia_kernel_has(ia_ctx *cx, const ia_array *lists, const ia_scalar *v,
                        ia_tri *t) IA_MUST_CHECK;
void ia_kernel_mask(const ia_array *col, ia_tri *t); /* null where the column is null */
ia_tri ia_tri_cmp(ia_expr_op op, const ia_scalar *a, const ia_scalar *b);

#endif
