/* types.h - logical types, fields and schemas: immutable, counted. */
#ifndef IA_ARROW_TYPES_H
#define IA_ARROW_TYPES_H

#include "base/str.h"

typedef enum ia_type_id {
    IA_TYPE_NULL = 0,
    IA_TYPE_BOOL,
    IA_TYPE_I8, IA_TYPE_I16, IA_TYPE_I32, IA_TYPE_I64,
    IA_TYPE_U8, IA_TYPE_U16, IA_TYPE_U32, IA_TYPE_U64,
    IA_TYPE_F16, IA_TYPE_F32, IA_TYPE_F64,
    IA_TYPE_STRING, IA_TYPE_LARGE_STRING,   /* 32 / 64 bit offsets, UTF-8 */
    IA_TYPE_BINARY, IA_TYPE_LARGE_BINARY,
    IA_TYPE_FIXED_BINARY,                   /* size bytes */
    IA_TYPE_DATE32, IA_TYPE_DATE64,         /* days / ms since 1970 */
    IA_TYPE_TIME32, IA_TYPE_TIME64,         /* unit */
    IA_TYPE_TIMESTAMP, IA_TYPE_DURATION,    /* unit; tz for timestamp */
    IA_TYPE_DECIMAL128, IA_TYPE_DECIMAL256, /* precision, scale */
    IA_TYPE_LIST, IA_TYPE_LARGE_LIST,       /* one child */
    IA_TYPE_FIXED_LIST,                     /* one child, size items */
    IA_TYPE_STRUCT,
    IA_TYPE_DICTIONARY,                     /* child 0 = index type, child 1 = value type */
    IA_TYPE_MAP                             /* child 0 = struct of key (not null) and value */
} ia_type_id;

typedef enum ia_time_unit { IA_UNIT_S = 0, IA_UNIT_MS, IA_UNIT_US, IA_UNIT_NS } ia_time_unit;

typedef struct ia_type ia_type;

#define IA_TYPE_MAX_DEPTH 64 /* nesting that decoders of foreign types accept */

typedef struct ia_kv { /* one metadata entry; owned by its holder */
    char *key;
    char *value;
} ia_kv;

/* Owned by the type or schema that holds it. */
typedef struct ia_field {
    char *name;
    ia_type *type;
    bool nullable;
    ia_kv *metadata;
    size_t n_metadata;
} ia_field;

/* Immutable, counted, safe to share between threads. Create through the calls below. */
struct ia_type {
    _Atomic int32_t refs;
    ia_type_id id;
    int32_t size;          /* FIXED_BINARY bytes, FIXED_LIST items */
    int32_t precision, scale;
    ia_time_unit unit;
    char *tz;              /* TIMESTAMP; NULL = none */
    bool keys_sorted;      /* MAP */
    ia_field *children;
    size_t n_children;
};

typedef struct ia_schema {
    _Atomic int32_t refs;
    ia_field *fields;
    size_t n_fields;
    ia_kv *metadata;
    size_t n_metadata;
} ia_schema;

ia_type *ia_type_retain(const ia_type *t);
void ia_type_release(ia_type *t); /* accepts NULL */
/* Types without parameters are static singletons; never fails. */
ia_type *ia_type_basic(ia_type_id id);
ia_status ia_type_fixed_binary(ia_ctx *cx, int32_t size, ia_type **out) IA_MUST_CHECK;
ia_status ia_type_time(ia_ctx *cx, ia_type_id id, ia_time_unit unit, const char *tz,
                       ia_type **out) IA_MUST_CHECK;
/* TIME32, TIME64, TIMESTAMP (no zone) or DURATION of a unit: static singletons; never fails. */
ia_type *ia_type_time_basic(ia_type_id id, ia_time_unit unit);
ia_status ia_type_decimal(ia_ctx *cx, ia_type_id id, int32_t precision, int32_t scale,
                          ia_type **out) IA_MUST_CHECK;
/* LIST, LARGE_LIST or FIXED_LIST(size); the child field is named `child_name` ("item"). */
ia_status ia_type_list(ia_ctx *cx, ia_type_id id, int32_t size, const char *child_name,
                       const ia_type *item, bool item_nullable, ia_type **out) IA_MUST_CHECK;
/* The same with the item's name, nullability and metadata from a field (copied). */
ia_status ia_type_list_of(ia_ctx *cx, ia_type_id id, int32_t size, const ia_field *item,
                          ia_type **out) IA_MUST_CHECK;
/* Copies the fields (types are retained). */
ia_status ia_type_struct(ia_ctx *cx, const ia_field *fields, size_t n, ia_type **out) IA_MUST_CHECK;
ia_status ia_type_dictionary(ia_ctx *cx, const ia_type *index, const ia_type *value,
                             ia_type **out) IA_MUST_CHECK;
/* MAP of entries named `entries_name` (NULL = "entries"): a list of structs of the two fields
 * (copied); key becomes not nullable. 32-bit offsets. */
ia_status ia_type_map(ia_ctx *cx, const char *entries_name, const ia_field *key,
                      const ia_field *value, bool keys_sorted, ia_type **out) IA_MUST_CHECK;
/* LIST, LARGE_LIST or MAP: offsets in bufs[1], items in child 0. */
static inline bool ia_type_is_list(const ia_type *t)
{
    return t->id == IA_TYPE_LIST || t->id == IA_TYPE_LARGE_LIST || t->id == IA_TYPE_MAP;
}
bool ia_type_equal(const ia_type *a, const ia_type *b); /* names of list children do not count */
/* Bits of one value; 0 for variable, nested and null types. BOOL is 1. FIXED_LIST of a fixed type
 * is size * bits. */
uint32_t ia_type_bits(const ia_type *t);
bool ia_type_is_var(const ia_type *t);   /* string or binary, any offsets */
bool ia_type_is_int(const ia_type *t);
bool ia_type_is_float(const ia_type *t);
/* "int64", "list<item: string>", ... for messages; truncated to n. */
const char *ia_type_text(const ia_type *t, char *out, size_t n);

/* Copies the fields. */
ia_status ia_schema_new(ia_ctx *cx, const ia_field *fields, size_t n,
                        ia_schema **out) IA_MUST_CHECK;
ia_schema *ia_schema_retain(const ia_schema *s);
void ia_schema_release(ia_schema *s);
/* Index of a top-level field, -1 when absent. */
int ia_schema_find(const ia_schema *s, const char *name);
bool ia_schema_equal(const ia_schema *a, const ia_schema *b); /* names, types, nullability, order */
ia_status ia_field_copy(ia_ctx *cx, const ia_field *f, ia_field *out) IA_MUST_CHECK;
void ia_field_dispose(ia_field *f);
const char *ia_field_meta(const ia_field *f, const char *key); /* NULL when absent */

#endif
