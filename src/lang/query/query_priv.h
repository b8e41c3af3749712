/* query_priv.h - the syntax tree of a .gq file, and what the checking files share. */
#ifndef IA_LANG_QUERY_QUERY_PRIV_H
#define IA_LANG_QUERY_QUERY_PRIV_H

#include "lang/cursor.h"
#include "lang/query/query.h"

/* ---- syntax tree: as written, nothing resolved ------------------------------------------------
 */

typedef enum gq_kind {
    GQ_LITERAL = 0, /* value, type */
    GQ_VAR,         /* name */
    GQ_PROP,        /* name.prop */
    GQ_NOW,
    GQ_ALIAS, /* name */
    GQ_AGG,   /* agg over args[0] */
    GQ_SEARCH /* name = search, fuzzy, match_text, nearest, bm25, rrf */
} gq_kind;

typedef struct gq_expr {
    gq_kind kind;
    ia_span span;
    const char *name;
    const char *prop;
    ia_span prop_span;
    ia_gq_value value;
    ia_proptype type; /* LITERAL */
    bool mixed;       /* LITERAL: a list that is nested or holds different types */
    ia_gq_agg agg;
    struct gq_expr *args[3];
    size_t n_args;
} gq_expr;

typedef struct gq_match { /* name: value */
    const char *name;
    ia_span name_span;
    gq_expr value;
    ia_span span;
} gq_match;
typedef struct gq_matches {
    gq_match *items;
    size_t n, cap;
} gq_matches;

typedef struct gq_clauses {
    struct gq_clause *items;
    size_t n, cap;
} gq_clauses;

typedef struct gq_name {
    const char *text;
    ia_span span;
} gq_name;

typedef struct gq_clause {
    ia_gq_clause_kind kind;
    ia_span span;
    gq_name var;        /* BINDING; TRAVERSAL: left */
    gq_name type;       /* BINDING: node type; TRAVERSAL: edge word */
    gq_matches matches; /* BINDING */
    gq_name edge_var;   /* TRAVERSAL; text NULL = none */
    gq_name right;      /* TRAVERSAL */
    bool undirected;
    bool has_bounds, has_max;
    uint32_t min_hops, max_hops;
    ia_span bounds_span;
    gq_expr lhs, rhs; /* FILTER */
    ia_gq_op op;
    gq_clauses inner; /* NOT */
} gq_clause;

typedef struct gq_projection {
    gq_expr expr;
    gq_name alias; /* text NULL = none */
} gq_projection;

typedef struct gq_order {
    gq_expr expr;
    bool desc;
} gq_order;

typedef struct gq_statement {
    ia_gq_statement_kind kind;
    ia_span span; /* of the keyword */
    gq_name type;
    gq_matches assigns;
    gq_name where;
    ia_gq_op op;
    gq_expr where_value;
    ia_span where_span;
} gq_statement;

typedef struct gq_param {
    gq_name name;
    ia_proptype type;
    ia_span type_span;
    const char *unknown; /* type name that is none, "Blob" included; NULL = fine */
} gq_param;

typedef struct gq_query {
    gq_name name;
    const char *description, *instruction;
    struct {
        gq_param *items;
        size_t n, cap;
    } params;
    bool is_mutation;
    gq_clauses clauses;
    struct {
        gq_projection *items;
        size_t n, cap;
    } projections;
    struct {
        gq_order *items;
        size_t n, cap;
    } orders;
    bool has_limit;
    uint64_t limit;
    struct {
        gq_statement *items;
        size_t n, cap;
    } statements;
} gq_query;

struct ia_gq_file {
    ia_arena arena;
    ia_source src; /* text and path owned by the arena */
    struct {
        gq_query *items;
        size_t n, cap;
    } queries;
};

/* Expressions and literals (gq_parse_expr.c), the rest (gq_parse.c). */
ia_status gq_parse_expr(ia_cursor *c, gq_expr *out) IA_MUST_CHECK;
ia_status gq_parse_value(ia_cursor *c, gq_expr *out) IA_MUST_CHECK; /* literal, variable or now() */
bool gq_is_search_word(const ia_cursor *c);
bool gq_base_type(const ia_cursor *c, const ia_token *t, ia_pkind *out);
ia_status gq_parse_clauses(ia_cursor *c,
                           gq_clauses *out) IA_MUST_CHECK; /* up to and with the `}` */
/* Comparison operator at the cursor, contains and starts_with only with `words`. */
bool gq_take_op(ia_cursor *c, bool words, ia_gq_op *out);

/* ---- checking ---------------------------------------------------------------------------------
 */

/* Variables in sight; those of a closed `not` are taken off again. */
typedef struct gq_scope_entry {
    const char *name;
    int var;
} gq_scope_entry;

typedef struct gq_check {
    ia_ctx *cx;
    ia_arena *arena; /* of the query being made */
    const ia_source *src;
    const gq_query *ast;
    const ia_catalog *catalog;
    ia_gq_query *out;
    struct {
        ia_gq_var *items;
        size_t n, cap;
    } vars;
    struct {
        gq_scope_entry *items;
        size_t n, cap;
    } scope;
    size_t lowest; /* lowest scope entry named since the enclosing `not` began */
    int depth;
} gq_check;

ia_status gq_type_error(gq_check *k, ia_span span, const char *code, const char *fmt, ...)
    IA_PRINTF(4, 5);
/* Index of a visible variable, -1 when none; notes how far out it was bound. */
int gq_find_var(gq_check *k, const char *name);
int gq_find_param(const gq_check *k, const char *name);
/* Resolves a literal, parameter, now(), property or node variable. `operand` = where it stands in a
 * comparison: node variables are then refused with T7. */
ia_status gq_resolve(gq_check *k, const gq_expr *in, bool operand, ia_gq_expr *out) IA_MUST_CHECK;
/* Value of an inline match, assignment or predicate: literal, parameter or now(). */
ia_status gq_resolve_value(gq_check *k, const gq_expr *in, ia_gq_expr *out) IA_MUST_CHECK;
ia_status gq_refuse_search(gq_check *k, const gq_expr *e) IA_MUST_CHECK;
char *gq_dup(gq_check *k, const char *s) IA_MUST_CHECK; /* into the query; NULL with cx->err set */
bool gq_is_text(ia_pkind s);
/* Same list-ness and same scalar, or both numeric; enum counts as String. */
bool gq_compatible(ia_proptype a, ia_proptype b);
const char *gq_type_text(ia_proptype t, char *out, size_t n); /* enum reads as String */
/* Enum membership of a literal; `code` T3. */
ia_status gq_check_enum(gq_check *k, const ia_property *p, const ia_gq_expr *value) IA_MUST_CHECK;
ia_status gq_check_comparison(gq_check *k, ia_span span, const ia_gq_expr *lhs, ia_gq_op op,
                              const ia_gq_expr *rhs) IA_MUST_CHECK;

bool gq_expr_equal(const ia_gq_expr *a, const ia_gq_expr *b);
ia_status gq_check_clauses(gq_check *k, const gq_clauses *in, const ia_gq_clause **out,
                           size_t *n) IA_MUST_CHECK;
ia_status gq_check_returns(gq_check *k) IA_MUST_CHECK;
ia_status gq_check_mutation(gq_check *k) IA_MUST_CHECK;

#endif
