/* lschema.h - Lance's flat schema (fields with ids in pre-order) and its mapping to Arrow. */
#ifndef IA_FILE_LSCHEMA_H
#define IA_FILE_LSCHEMA_H

#include "arrow/types.h"

/* One lance.file.Field (file format 1.5, table format 3.1). Owned by its ia_lschema. */
typedef struct ia_lfield {
    char *name;
    int32_t id;
    int32_t parent_id;  /* -1 = top level */
    char *logical_type; /* "int64", "list", "fixed_size_list:float:4", ... */
    bool nullable;
    ia_kv *metadata; /* Arrow field metadata */
    size_t n_metadata;
    ia_bytes extra; /* members we do not interpret, as wire bytes, written back unchanged */
} ia_lfield;

typedef struct ia_lschema {
    ia_lfield *fields; /* pre-order */
    size_t n;
    ia_kv *metadata; /* Arrow schema metadata */
    size_t n_metadata;
} ia_lschema;

/* Ids are given from first_id upward in pre-order. Errors: UNSUPPORTED naming field and type. */
ia_status ia_lschema_from_arrow(ia_ctx *cx, const ia_schema *s, int32_t first_id,
                                ia_lschema *out) IA_MUST_CHECK;
/* Errors: UNSUPPORTED naming the logical type, CORRUPT for bad parents. */
ia_status ia_lschema_to_arrow(ia_ctx *cx, const ia_lschema *ls, ia_schema **out) IA_MUST_CHECK;
/* The same, but dictionary types stay dictionary types (above they are their value types) and blob
 * fields are the descriptors that a scan gives: v1 struct<position: uint64, size: uint64>, v2
 * struct<kind: uint8, position: uint64, size: uint64, blob_id: uint32, blob_uri: string>. */
ia_status ia_lschema_to_arrow_exact(ia_ctx *cx, const ia_lschema *ls,
                                    ia_schema **out) IA_MUST_CHECK;
/* True when the field owns one physical column in >= 2.1: primitives, strings, fixed-size lists of
 * primitives, dictionaries, packed structs (whatever their fields), blobs, structs without fields.
 * False for what is only structure: struct, list, map, fixed-size list of structs. */
bool ia_field_is_leaf(const ia_field *f);
bool ia_field_is_packed(const ia_field *f); /* struct with metadata lance-encoding:packed = true */
ia_status ia_lschema_copy(ia_ctx *cx, const ia_lschema *in, ia_lschema *out) IA_MUST_CHECK;
void ia_lschema_dispose(ia_lschema *ls);
/* Field ids of the leaves (what owns a physical column in >= 2.1) below top-level field number
 * `top` (SIZE_MAX = all), in pre-order. *ids is the caller's (ia_free). */
ia_status ia_lschema_leaves(ia_ctx *cx, const ia_lschema *ls, size_t top, int32_t **ids,
                            size_t *n) IA_MUST_CHECK;
int32_t ia_lschema_max_id(const ia_lschema *ls); /* -1 when empty */
/* Index of the top-level field in ls->fields, SIZE_MAX when absent. */
size_t ia_lschema_find(const ia_lschema *ls, const char *name);
/* Encodes / decodes repeated lance.file.Field messages; used by file descriptor and manifest code
 * (they hand in packed Field messages). */

#endif
