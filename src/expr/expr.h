/* expr.h - scalar predicates over batches: tree, binding to a schema, evaluation, SQL filters. */
#ifndef IA_EXPR_EXPR_H
#define IA_EXPR_EXPR_H

#include "expr/scalar.h"

typedef enum ia_expr_op {
    IA_EXPR_COLUMN = 0,  /* name; a BOOL column may stand where a predicate is wanted */
    IA_EXPR_LITERAL,     /* lit */
    IA_EXPR_EQ, IA_EXPR_NE, IA_EXPR_LT, IA_EXPR_LE, IA_EXPR_GT, IA_EXPR_GE, /* args[0] op args[1] */
    IA_EXPR_AND, IA_EXPR_OR,               /* n_args >= 1 */
    IA_EXPR_NOT,
    IA_EXPR_IS_NULL, IA_EXPR_IS_NOT_NULL,  /* any type */
    IA_EXPR_IN,          /* args[0] among items[] (SQL: a null item never makes it false) */
    IA_EXPR_CONTAINS,    /* args[0] holds bytes args[1] */
    IA_EXPR_STARTS_WITH, /* args[0] begins with bytes args[1] */
    IA_EXPR_LIKE,        /* args[0] matches pattern lit: % any run, _ one character, \ escapes */
    IA_EXPR_HAS          /* list column args[0] has an item equal to scalar args[1] */
} ia_expr_op;

/* A node in an arena. Unbound trees name columns; bound ones (ia_expr_bind) are checked, carry
 * column numbers and the literals in comparable form. Immutable after binding: safe to share. */
typedef struct ia_expr {
    ia_expr_op op;
    bool bound;
    char *name;          /* COLUMN */
    int col;             /* COLUMN when bound: index into the schema bound to */
    const ia_type *type; /* bound COLUMN and LITERAL: value type, borrowed from the schema */
    ia_scalar lit;       /* LITERAL, LIKE pattern */
    ia_scalar *items;    /* IN */
    size_t n_items;
    struct ia_expr **args;
    size_t n_args;
} ia_expr;

#define IA_EXPR_MAX_DEPTH 200 /* nesting that binding and evaluation accept */

/* ---- building ------------------------------------------------------------------------------ */
/* All nodes, names and literal bytes are placed in the arena; arguments are shared, not copied. */
ia_status ia_expr_column(ia_ctx *cx, ia_arena *a, const char *name, ia_expr **out) IA_MUST_CHECK;
ia_status ia_expr_literal(ia_ctx *cx, ia_arena *a, const ia_scalar *v, ia_expr **out) IA_MUST_CHECK;
ia_status ia_expr_unary(ia_ctx *cx, ia_arena *a, ia_expr_op op, ia_expr *x,
                        ia_expr **out) IA_MUST_CHECK;
/* Comparison, CONTAINS, STARTS_WITH, HAS, AND, OR of two. */
ia_status ia_expr_binary(ia_ctx *cx, ia_arena *a, ia_expr_op op, ia_expr *l, ia_expr *r,
                         ia_expr **out) IA_MUST_CHECK;
ia_status ia_expr_in(ia_ctx *cx, ia_arena *a, ia_expr *x, const ia_scalar *items, size_t n,
                     ia_expr **out) IA_MUST_CHECK;
ia_status ia_expr_like(ia_ctx *cx, ia_arena *a, ia_expr *x, const char *pattern, size_t n,
                       ia_expr **out) IA_MUST_CHECK;
/* AND of two where NULL means "no condition"; *out may be NULL. */
ia_status ia_expr_and(ia_ctx *cx, ia_arena *a, ia_expr *l, ia_expr *r, ia_expr **out) IA_MUST_CHECK;
/* column op literal, the usual case. */
ia_status ia_expr_cmp(ia_ctx *cx, ia_arena *a, ia_expr_op op, const char *column,
                      const ia_scalar *v, ia_expr **out) IA_MUST_CHECK;

/* ---- using --------------------------------------------------------------------------------- */
/* Checks e against s and makes a bound copy in the arena; e is left as it was. Literals adopt the
 * column's kind: a string literal beside a date or timestamp column is read as one.
 * s must outlive *out. Errors: NOT_FOUND (column), INVALID (types that cannot be compared, a
 * predicate that is not boolean), UNSUPPORTED. */
ia_status ia_expr_bind(ia_ctx *cx, ia_arena *a, const ia_expr *e, const ia_schema *s,
                       ia_expr **out) IA_MUST_CHECK;
/* Adds the names of the columns used, each once, in order of appearance. */
ia_status ia_expr_columns(ia_ctx *cx, const ia_expr *e, ia_strlist *out) IA_MUST_CHECK;
/* e is bound to the schema of b. *out: BOOL with nulls (three-valued logic), b->rows long. */
ia_status ia_expr_eval(ia_ctx *cx, const ia_expr *e, const ia_batch *b,
                       ia_array **out) IA_MUST_CHECK;
/* Rows for which e is TRUE, ascending. e NULL selects all. Owner of *idx: the caller, ia_free(). */
ia_status ia_expr_select(ia_ctx *cx, const ia_expr *e, const ia_batch *b, int64_t **idx,
                         int64_t *n) IA_MUST_CHECK;
/* Rows of b for which e is TRUE; the batch itself (retained) when that is all of them. */
ia_status ia_expr_filter(ia_ctx *cx, const ia_expr *e, const ia_batch *b,
                         ia_batch **out) IA_MUST_CHECK;
/* Canonical filter text; ia_sql_filter_parse reads it back. */
void ia_expr_text(ia_ctx *cx, ia_buf *out, const ia_expr *e);
/* If e is an AND of conditions (or one condition) with `column = literal` or `column IN (...)`
 * among them, gives those values (borrowed from e); false otherwise. For index probes: the rows
 * found must still be checked against e. */
bool ia_expr_point_values(const ia_expr *e, const char *column, const ia_scalar **items, size_t *n);

/* ---- SQL filter text ----------------------------------------------------------------------- */
/* What Lance users write: identifiers (bare, `quoted` or "quoted"), numbers, 'strings', x'hex',
 * true, false, null, = == != <> < <= > >=, AND, OR, NOT, parentheses, IS [NOT] NULL|TRUE|FALSE,
 * [NOT] IN (...), [NOT] BETWEEN, [NOT] LIKE, date '...', timestamp '...', time '...',
 * array_has(column, value), starts_with(column, text), contains(column, text).
 * Errors: INVALID naming column position and the offending text. */
ia_status ia_sql_filter_parse(ia_ctx *cx, ia_arena *a, const char *text, size_t len,
                              ia_expr **out) IA_MUST_CHECK;

#endif
