/* catalog.h - the compiled schema of a graph: types, properties, constraints, stable ids. */
#ifndef IA_LANG_CATALOG_H
#define IA_LANG_CATALOG_H

#include "arrow/types.h"

/* Kind of a property (the name ia_scalar is the literal of expr/scalar.h). */
typedef enum ia_pkind {
    IA_PK_STRING = 0,
    IA_PK_BOOL,
    IA_PK_I32,
    IA_PK_I64,
    IA_PK_U32,
    IA_PK_U64,
    IA_PK_F32,
    IA_PK_F64,
    IA_PK_DATE,     /* days since 1970-01-01 */
    IA_PK_DATETIME, /* milliseconds since 1970-01-01T00:00:00Z */
    IA_PK_VECTOR,   /* dim float32 items; never is_list */
    IA_PK_ENUM      /* text out of a set; compares and sorts as text */
} ia_pkind;

/* Type of a property, parameter or expression. */
typedef struct ia_proptype {
    ia_pkind scalar;
    bool is_list; /* list of `scalar` */
    bool nullable;
    int32_t dim; /* VECTOR only */
} ia_proptype;

typedef struct ia_annotation {
    const char *name;       /* without the @ */
    const char *value;      /* positional value as text; NULL = none */
    const char **arg_names; /* keyword arguments, n_args each */
    const char **arg_values;
    size_t n_args;
} ia_annotation;

typedef struct ia_property {
    const char *name;
    uint64_t id; /* stable through renames, never 0 */
    ia_proptype type;
    const char **enum_values; /* ENUM only: sorted by bytes */
    size_t n_enum;
    const ia_annotation *annotations; /* sorted by name; without @key @unique @index @rename_from */
    size_t n_annotations;
    const char *description;    /* NULL = none */
    const char *rename_from;    /* NULL = none */
    const char *embed_source;   /* VECTOR: property named by @embed; NULL = none */
    const char *embed_model;    /* NULL = none */
    const char *from_interface; /* name of the interface that gave the property; NULL = its own */
} ia_property;

/* Property positions used by constraints; negative ones name edge end-points. */
#define IA_PROP_SRC (-1)
#define IA_PROP_DST (-2)

typedef struct ia_propset { /* one constraint over properties */
    const int *props;       /* src, dst, then indexes into properties[] ascending */
    size_t n;
} ia_propset;

typedef enum ia_bound_kind {
    IA_BOUND_NONE = 0,
    IA_BOUND_I64,
    IA_BOUND_U64,
    IA_BOUND_F64
} ia_bound_kind;
typedef struct ia_bound {
    ia_bound_kind kind; /* U64 only for integers above INT64_MAX */
    union {
        int64_t i;
        uint64_t u;
        double f;
    };
    const char *text; /* as written, canonical; NULL when kind is NONE */
} ia_bound;

typedef struct ia_range_def { /* @range: both bounds inclusive, at least one present */
    int prop;
    ia_bound lo, hi;
} ia_range_def;

typedef struct ia_check_def { /* @check: regular expression searched (not anchored) in a String */
    int prop;
    const char *pattern;
    void *code; /* compiled pattern, owned by the catalog; use ia_check_matches() */
} ia_check_def;

typedef enum ia_type_kind { IA_KIND_NODE = 0, IA_KIND_EDGE, IA_KIND_INTERFACE } ia_type_kind;

typedef struct ia_type_def {
    ia_type_kind kind;
    const char *name;
    uint64_t type_id;        /* stable through renames, never 0 */
    uint64_t incarnation;    /* one per table; 0 for interfaces */
    ia_property *properties; /* sorted by name (bytes) */
    size_t n_properties;
    const int *key; /* property indexes in property-id order; n_key 0 = no key */
    size_t n_key;
    const ia_propset *uniques; /* @unique groups, @key not included; sorted */
    size_t n_uniques;
    const ia_propset *indexes; /* declared @index and the one implied by @key; sorted, no repeats */
    size_t n_indexes;
    const ia_range_def *ranges;
    size_t n_ranges;
    const ia_check_def *checks;
    size_t n_checks;
    const ia_annotation *annotations; /* sorted by name; without @rename_from */
    size_t n_annotations;
    const char *description, *instruction, *rename_from; /* NULL = none */
    const char **implements;                             /* node: interface names, sorted */
    size_t n_implements;
    const struct ia_type_def *from, *to; /* edge: end-point node types */
    uint64_t card_min, card_max;         /* edge: per source; UINT64_MAX = unbounded */
    /* Stored columns: node = id, properties; edge = id, src, dst, properties (properties in the
     * order above). NULL for interfaces. */
    ia_schema *arrow_schema;
    size_t first_column; /* arrow field of properties[0]: 1 for a node, 3 for an edge */
} ia_type_def;

/* Immutable, counted. Owner of everything reachable from it. Threads: safe to share. The budget of
 * the context that made it must outlive it. */
typedef struct ia_catalog {
    _Atomic int32_t refs;
    const ia_type_def **types; /* nodes, then edges, each by name */
    size_t n_types;
    size_t n_nodes;                 /* types[0 .. n_nodes) are nodes */
    const ia_type_def **interfaces; /* by name */
    size_t n_interfaces;
    uint64_t next_id;   /* first id not yet given out */
    const char *source; /* the .pg text as accepted */
    size_t source_len;
    char shape_hash[65]; /* SHA-256 hex; ignores order, comments, formatting, rename hints, ids */
    struct ia_catalog_own *own; /* private */
} ia_catalog;

/* Compiles a schema text; fresh ids: interfaces, nodes, edges by name, then their properties by
 * (owner id, name), then one incarnation per table. `path` only names the file in messages.
 * Errors: INVALID (text starts "parse error:" or "catalog error:"), UNSUPPORTED (Blob). */
ia_status ia_catalog_from_source(ia_ctx *cx, const char *text, size_t len, const char *path,
                                 ia_catalog **out) IA_MUST_CHECK;
/* As ia_catalog_from_source(), keeping the ids of `base` for types and properties found there by
 * name, or by their rename hint when the name is new (an enclosing type that was renamed counts);
 * what is new gets ids from base->next_id. Errors: also INVALID for a hint that names nothing or is
 * used twice. Does not judge whether the data can follow. */
ia_status ia_catalog_evolve(ia_ctx *cx, const ia_catalog *base, const char *text, size_t len,
                            const char *path, ia_catalog **out) IA_MUST_CHECK;
/* Complete form with ids and source text; the same catalog always gives the same bytes. */
ia_status ia_catalog_to_json(ia_ctx *cx, const ia_catalog *c, ia_bytes *out) IA_MUST_CHECK;
/* Reads what ia_catalog_to_json() wrote. Errors: CORRUPT, UNSUPPORTED (another format number). */
ia_status ia_catalog_from_json(ia_ctx *cx, const char *text, size_t len,
                               ia_catalog **out) IA_MUST_CHECK;

ia_catalog *ia_catalog_retain(const ia_catalog *c);
void ia_catalog_release(ia_catalog *c); /* accepts NULL */

/* Lookups: borrowed, NULL when absent. */
const ia_type_def *ia_catalog_node(const ia_catalog *c, const char *name);
const ia_type_def *ia_catalog_edge(const ia_catalog *c, const char *name);
/* Exact name first, then ignoring ASCII case: the edge words of queries and loads. */
const ia_type_def *ia_catalog_edge_word(const ia_catalog *c, const char *name);
const ia_type_def *ia_catalog_by_id(const ia_catalog *c, uint64_t type_id);
/* Index into t->properties, -1 when absent. */
int ia_type_def_find(const ia_type_def *t, const char *name);
bool ia_type_def_is_key(const ia_type_def *t, int prop);
bool ia_property_has_enum(const ia_property *p, const char *value, size_t len);

/* Searches the pattern in `value`. Errors: INVALID when matching takes too many steps. Threads:
 * any. */
ia_status ia_check_matches(ia_ctx *cx, const ia_check_def *check, ia_view value,
                           bool *out) IA_MUST_CHECK;

bool ia_pkind_is_number(ia_pkind s); /* I32 .. F64 */
/* "String", "I32", ..., "Vector", "enum". */
const char *ia_pkind_name(ia_pkind s);
/* "[I32]?", "Vector(3)", "String"; truncated to n. */
const char *ia_proptype_text(ia_proptype t, char *out, size_t n);
/* Column type: DATE -> date32, DATETIME -> date64, VECTOR -> fixed list of float32, list -> list.
 */
ia_status ia_proptype_arrow(ia_ctx *cx, ia_proptype t, ia_type **out) IA_MUST_CHECK;

#endif
