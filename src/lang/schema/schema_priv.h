/* schema_priv.h - the syntax tree of a .pg text and the steps that make a catalog of it. */
#ifndef IA_LANG_SCHEMA_PRIV_H
#define IA_LANG_SCHEMA_PRIV_H

#include "base/json.h"
#include "lang/catalog.h"
#include "lang/cursor.h"

/* ---- syntax tree: as written, nothing resolved ------------------------------------------------
 */

typedef enum pg_lit_kind {
    PG_LIT_NONE = 0,
    PG_LIT_STRING,
    PG_LIT_INT,
    PG_LIT_FLOAT,
    PG_LIT_BOOL,
    PG_LIT_IDENT
} pg_lit_kind;
typedef struct pg_literal {
    pg_lit_kind kind;
    const char *text; /* unescaped string, or the token as written */
    ia_span span;
} pg_literal;

typedef struct pg_kwarg {
    const char *name;
    pg_literal value;
} pg_kwarg;

typedef struct pg_annotation {
    const char *name;
    ia_span span;     /* of @name */
    bool has_args;    /* written with parentheses */
    pg_literal value; /* kind NONE = no positional value */
    struct {
        pg_kwarg *items;
        size_t n, cap;
    } kwargs;
} pg_annotation;
typedef struct pg_annotations {
    pg_annotation *items;
    size_t n, cap;
} pg_annotations;

typedef struct pg_enum_values {
    const char **items;
    size_t n, cap;
} pg_enum_values;

typedef struct pg_property {
    const char *name;
    ia_span span; /* of the name */
    ia_span type_span;
    bool is_blob;
    ia_proptype type;
    pg_enum_values enum_values;
    pg_annotations annotations;
} pg_property;
typedef struct pg_properties {
    pg_property *items;
    size_t n, cap;
} pg_properties;

typedef struct pg_arg {
    bool is_range;
    pg_literal value; /* when not a range */
    ia_bound lo, hi;  /* when a range */
    ia_span span;
} pg_arg;

typedef enum pg_constraint_kind {
    PG_KEY = 0,
    PG_UNIQUE,
    PG_INDEX,
    PG_RANGE,
    PG_CHECK
} pg_constraint_kind;
typedef struct pg_constraint {
    pg_constraint_kind kind;
    ia_span span;
    struct {
        pg_arg *items;
        size_t n, cap;
    } args;
} pg_constraint;

typedef struct pg_name {
    const char *text;
    ia_span span;
} pg_name;
typedef struct pg_names {
    pg_name *items;
    size_t n, cap;
} pg_names;

typedef struct pg_decl {
    ia_type_kind kind;
    pg_name name;
    pg_annotations annotations;
    pg_names implements;
    pg_properties properties;
    struct {
        pg_constraint *items;
        size_t n, cap;
    } constraints;
    pg_name from, to; /* edge */
    uint64_t card_min, card_max;
} pg_decl;

typedef struct pg_schema {
    struct {
        pg_decl *items;
        size_t n, cap;
    } decls;
} pg_schema;

ia_status pg_parse(ia_ctx *cx, ia_arena *a, const ia_source *src, pg_schema *out) IA_MUST_CHECK;
/* Constraint of that name, false when it is none. */
bool pg_constraint_kind_of(const char *name, pg_constraint_kind *out);

/* ---- building ---------------------------------------------------------------------------------
 */

struct ia_catalog_own {
    ia_arena arena;
    ia_type_def *tables; /* nodes by name, then edges by name */
    ia_type_def *interfaces;
};

typedef struct pg_build {
    ia_ctx *cx;
    ia_arena *arena; /* of the catalog */
    const ia_source *src;
    const pg_schema *ast;
    ia_catalog *cat;
} pg_build;

/* Checks of annotations and what they mean (pg_annotate.c). */
ia_status pg_check_type_annotations(pg_build *b, const pg_decl *d) IA_MUST_CHECK;
ia_status pg_check_property_annotations(pg_build *b, const pg_decl *d,
                                        const pg_property *p) IA_MUST_CHECK;
ia_status pg_copy_annotations(pg_build *b, const pg_annotations *in, bool property,
                              const ia_annotation **out, size_t *n) IA_MUST_CHECK;
const pg_annotation *pg_find_annotation(const pg_annotations *l,
                                        const char *name); /* NULL when absent */
const char *pg_annotation_text(const pg_annotations *l,
                               const char *name); /* value, NULL when absent */
bool pg_annotations_equal(const pg_annotations *a, const pg_annotations *b);

/* Properties of one type, own and injected, sorted by name (pg_members.c). `asts` runs parallel to
 * d->properties and points at the declaration each came from. */
ia_status pg_build_properties(pg_build *b, const pg_decl *decl, ia_type_def *d,
                              const pg_property ***asts) IA_MUST_CHECK;
/* Keys, uniques, indexes, ranges and checks (pg_constraints.c). */
ia_status pg_build_constraints(pg_build *b, const pg_decl *decl, ia_type_def *d,
                               const pg_property *const *asts) IA_MUST_CHECK;
const pg_decl *pg_find_decl(const pg_schema *s, ia_type_kind kind, const char *name);

/* Ids (pg_ids.c): exactly one of these after building, then ia_schema_finish(). */
ia_status pg_ids_fresh(ia_ctx *cx, ia_catalog *c) IA_MUST_CHECK;
ia_status pg_ids_evolve(ia_ctx *cx, ia_catalog *c, const ia_catalog *base) IA_MUST_CHECK;
ia_status pg_ids_from_json(ia_ctx *cx, ia_catalog *c, const ia_json *root) IA_MUST_CHECK;

/* Canonical JSON members of the types; without ids and rename hints it is the shape. */
void ia_catalog_write_types(ia_jsonw *w, const ia_catalog *c, bool with_ids);

/* Regular expressions (pattern.c). */
ia_status ia_pattern_compile(ia_ctx *cx, const char *pattern, void **code, char *why,
                             size_t n_why) IA_MUST_CHECK;
void ia_pattern_free(void *code);

/* Everything but ids: parses, checks, builds (pg_compile.c). */
ia_status pg_compile(ia_ctx *cx, const ia_source *src, ia_catalog **out) IA_MUST_CHECK;
/* Key order, column schemas, shape hash. */
ia_status pg_finish(ia_ctx *cx, ia_catalog *c) IA_MUST_CHECK;

#endif
