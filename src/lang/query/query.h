/* query.h - parsed .gq files and the checked tree of one query, which execution reads. */
#ifndef IA_LANG_QUERY_QUERY_H
#define IA_LANG_QUERY_QUERY_H

#include "base/arena.h"
#include "lang/catalog.h"
#include "lang/span.h"

/* ---- values and types ---------------------------------------------------------------------- */

typedef enum ia_gq_value_kind {
    IA_GQ_NULL = 0,
    IA_GQ_BOOL,
    IA_GQ_INT,      /* i */
    IA_GQ_FLOAT,    /* f */
    IA_GQ_STRING,   /* s */
    IA_GQ_DATE,     /* i: days since 1970 */
    IA_GQ_DATETIME, /* i: ms since 1970 UTC */
    IA_GQ_LIST      /* items, n; all of one kind (or, for numbers, INT and FLOAT mixed) or NULL */
} ia_gq_value_kind;

/* Borrowed from the query or from the ia_params that holds it. */
typedef struct ia_gq_value {
    ia_gq_value_kind kind;
    union {
        bool b;
        int64_t i;
        double f;
        ia_view s;
        struct {
            const struct ia_gq_value *items;
            size_t n;
        };
    };
} ia_gq_value;

/* ---- expressions --------------------------------------------------------------------------- */

typedef enum ia_gq_expr_kind {
    IA_GQ_LITERAL = 0,
    IA_GQ_PARAM, /* query->params[param] */
    IA_GQ_NOW,   /* the instant of the request, DateTime */
    IA_GQ_PROP,  /* vars[var], type->properties[prop] */
    IA_GQ_VAR,   /* vars[var]: a node; its value is the row id (String) */
    IA_GQ_AGG    /* agg over *arg */
} ia_gq_expr_kind;

typedef enum ia_gq_agg { IA_GQ_COUNT = 0, IA_GQ_SUM, IA_GQ_AVG, IA_GQ_MIN, IA_GQ_MAX } ia_gq_agg;

typedef struct ia_gq_expr {
    ia_gq_expr_kind kind;
    ia_span span;
    /* Static type. PROP of an enum keeps ENUM; VAR is String; COUNT is I64; SUM and AVG are F64
     * nullable; MIN and MAX are the argument's type, nullable. */
    ia_proptype type;
    ia_gq_value value;            /* LITERAL */
    int param;                    /* PARAM */
    int var;                      /* PROP, VAR */
    int prop;                     /* PROP: index into the variable type's properties */
    ia_gq_agg agg;                /* AGG */
    const struct ia_gq_expr *arg; /* AGG: PROP, VAR, PARAM or LITERAL */
} ia_gq_expr;

typedef enum ia_gq_op {
    IA_GQ_EQ = 0,
    IA_GQ_NE,
    IA_GQ_LT,
    IA_GQ_LE,
    IA_GQ_GT,
    IA_GQ_GE,
    IA_GQ_CONTAINS, /* list membership when lhs is a list, else substring */
    IA_GQ_STARTS_WITH,
    IA_GQ_HAS /* inline match on a list property: rhs is a scalar to be found in lhs */
} ia_gq_op;

/* ---- match --------------------------------------------------------------------------------- */

typedef struct ia_gq_var {
    const char *name;        /* without $; "_" when anonymous */
    const ia_type_def *type; /* node or edge type */
    bool is_edge;            /* an edge binding ($w in `$a $w: knows $b`) */
    bool anonymous;          /* $_: cannot be named by anything else */
    bool bound_explicitly;   /* some binding clause names it: `$p: Person` */
    int depth;               /* 0 = query, +1 inside each `not { }` */
    ia_span span;            /* first appearance */
} ia_gq_var;

/* lhs op rhs. In a filter lhs and rhs are LITERAL, PARAM, NOW or PROP (scalars; lhs of CONTAINS may
 * be a list). As an inline match lhs is PROP of the bound variable, rhs LITERAL, PARAM or NOW. */
typedef struct ia_gq_pred {
    ia_gq_expr lhs;
    ia_gq_op op;
    ia_gq_expr rhs;
    ia_span span;
} ia_gq_pred;

typedef enum ia_gq_direction {
    IA_GQ_FORWARD = 0, /* left is the source of the edge */
    IA_GQ_REVERSE,     /* left is the destination */
    IA_GQ_UNDIRECTED   /* `<edge>`: both */
} ia_gq_direction;

typedef enum ia_gq_clause_kind {
    IA_GQ_BINDING = 0,
    IA_GQ_TRAVERSAL,
    IA_GQ_FILTER,
    IA_GQ_NOT
} ia_gq_clause_kind;

typedef struct ia_gq_clause {
    ia_gq_clause_kind kind;
    ia_span span;
    union {
        struct {
            int var;
            const ia_gq_pred *matches;
            size_t n_matches;
        } binding;
        struct {
            int left, right; /* variables as written */
            const ia_type_def *edge;
            int edge_var; /* -1 = none (set semantics) */
            ia_gq_direction direction;
            uint32_t min_hops, max_hops; /* 1 <= min <= max */
        } traversal;
        ia_gq_pred filter;
        struct {
            const struct ia_gq_clause *clauses;
            size_t n_clauses;
        } negation;
    };
} ia_gq_clause;

/* ---- return, order ------------------------------------------------------------------------- */

typedef struct ia_gq_projection {
    ia_gq_expr expr;
    const char *name; /* column name of the result: alias, p.name, p, parameter name, "literal" */
    bool aliased;
    ia_proptype type;         /* of the column */
    const char **enum_values; /* when type is ENUM: of the property */
    size_t n_enum;
    ia_span span;
} ia_gq_projection;

typedef struct ia_gq_order {
    int projection; /* index into projections, or -1: then expr is a PROP not returned */
    ia_gq_expr expr;
    bool desc;
    ia_span span;
} ia_gq_order;

/* ---- mutations ----------------------------------------------------------------------------- */

typedef struct ia_gq_assign {
    int prop;         /* index into type->properties */
    ia_gq_expr value; /* LITERAL (already of the property's type), PARAM or NOW */
    ia_span span;
} ia_gq_assign;

#define IA_GQ_FIELD_FROM IA_PROP_SRC /* edge delete predicate on `from` */
#define IA_GQ_FIELD_TO IA_PROP_DST

typedef enum ia_gq_statement_kind {
    IA_GQ_INSERT = 0,
    IA_GQ_UPDATE,
    IA_GQ_DELETE
} ia_gq_statement_kind;

typedef struct ia_gq_statement {
    ia_gq_statement_kind kind;
    ia_span span;
    const ia_type_def *type;     /* node or edge */
    const ia_gq_assign *assigns; /* INSERT, UPDATE */
    size_t n_assigns;
    const ia_gq_expr *from, *to; /* INSERT of an edge: end-point row ids (String) */
    int where_prop;              /* UPDATE, DELETE: property index or IA_GQ_FIELD_FROM / _TO */
    ia_gq_op where_op;           /* EQ .. GE */
    ia_gq_expr where_value;      /* LITERAL, PARAM or NOW */
    ia_span where_span;
} ia_gq_statement;

/* ---- query --------------------------------------------------------------------------------- */

typedef struct ia_gq_param {
    const char *name; /* without $ */
    ia_proptype type; /* as declared; never ENUM */
    ia_span span;
} ia_gq_param;

/* A checked query. Immutable, keeps the catalog alive. Threads: safe to share. */
typedef struct ia_gq_query {
    const char *name;
    ia_span span;                          /* of the name */
    const char *description, *instruction; /* NULL = none */
    const ia_catalog *catalog;             /* retained */
    const ia_gq_param *params;
    size_t n_params;
    bool is_mutation;
    bool uses_now;
    /* read */
    const ia_gq_var *vars; /* every variable of the query, inner ones of `not` included */
    size_t n_vars;
    const ia_gq_clause *clauses;
    size_t n_clauses;
    const ia_gq_projection *projections;
    size_t n_projections;
    bool is_aggregate; /* group by the non-aggregate projections */
    const ia_gq_order *orders;
    size_t n_orders;
    bool has_limit;
    uint64_t limit;
    /* mutation: inserts and updates only, or deletes only */
    const ia_gq_statement *statements;
    size_t n_statements;
    ia_arena arena; /* private */
} ia_gq_query;

/* A parsed file; nothing is checked against a schema yet. Threads: one at a time. */
typedef struct ia_gq_file ia_gq_file;

/* Errors: INVALID, text starts "parse error:". `path` only names the file in messages. The text is
 * copied. Owner: the caller, ia_gq_file_free(). */
ia_status ia_gq_file_parse(ia_ctx *cx, const char *text, size_t len, const char *path,
                           ia_gq_file **out) IA_MUST_CHECK;
void ia_gq_file_free(ia_gq_file *f); /* accepts NULL */
size_t ia_gq_file_count(const ia_gq_file *f);
const char *ia_gq_file_name(const ia_gq_file *f, size_t i); /* of query i; borrowed */
bool ia_gq_file_is_mutation(const ia_gq_file *f, size_t i);
/* Query by name; NULL = the only one. Errors: NOT_FOUND; INVALID when the name is NULL and the file
 * holds none or several. */
ia_status ia_gq_file_find(ia_ctx *cx, const ia_gq_file *f, const char *name,
                          size_t *index) IA_MUST_CHECK;
/* Resolves and types query i. Errors: INVALID, text starts "type error:" (with the code T1..T24
 * where there is one); UNSUPPORTED for Blob and for full-text and vector search. Owner of *out: the
 * caller, ia_gq_query_free(); it does not need the file any more. */
ia_status ia_gq_check(ia_ctx *cx, const ia_gq_file *f, size_t i, const ia_catalog *catalog,
                      ia_gq_query **out) IA_MUST_CHECK;
/* Parse, find (name NULL = the only query) and check in one call. */
ia_status ia_gq_compile(ia_ctx *cx, const ia_catalog *catalog, const char *text, size_t len,
                        const char *path, const char *name, ia_gq_query **out) IA_MUST_CHECK;
void ia_gq_query_free(ia_gq_query *q); /* accepts NULL */

/* ---- parameter values ---------------------------------------------------------------------- */

/* Values for one run of one query. Immutable. Threads: safe to share. */
typedef struct ia_params {
    size_t n;            /* query->n_params */
    ia_gq_value *values; /* by parameter index; of the declared type, or NULL */
    bool *given;         /* false: absent from the JSON text */
    const char **names;
    ia_proptype *types;
    int64_t now_ms; /* the one instant that now() means */
    ia_arena arena; /* private */
} ia_params;

/* json NULL, "" or "null" = no values. now_ms is taken from the clock. Members that the query does
 * not declare are accepted and ignored, except objects. Errors: INVALID "param 'x': ...". Owner of
 * *out: the caller, ia_params_free(). */
ia_status ia_params_parse(ia_ctx *cx, const ia_gq_query *q, const char *json, size_t len,
                          ia_params **out) IA_MUST_CHECK;
void ia_params_free(ia_params *p); /* accepts NULL */
/* Value of a LITERAL, PARAM or NOW. Errors: INVALID "parameter 'x' not provided" for an omitted
 * parameter that is not nullable; an omitted nullable one is NULL. */
ia_status ia_gq_eval(ia_ctx *cx, const ia_params *p, const ia_gq_expr *e,
                     ia_gq_value *out) IA_MUST_CHECK;
/* Makes `in` fit a property for storing: integers are range-checked, numbers become FLOAT for float
 * columns (F32 overflow refused), Vector length and enum membership checked, null only if nullable.
 * `what` names the target in messages ("Person.age"). List items come from `a`.
 * Errors: INVALID. */
ia_status ia_gq_coerce(ia_ctx *cx, ia_arena *a, const ia_property *p, const char *what,
                       const ia_gq_value *in, ia_gq_value *out) IA_MUST_CHECK;

#endif
