/* json_infer_priv.h - the shape of JSON values seen so far. */
#ifndef IA_ARROW_JSON_INFER_PRIV_H
#define IA_ARROW_JSON_INFER_PRIV_H

#include "arrow/json_rows.h"

typedef enum ia_shape_kind {
    IA_SHAPE_NULL,
    IA_SHAPE_BOOL,
    IA_SHAPE_INT,
    IA_SHAPE_REAL,
    IA_SHAPE_STRING,
    IA_SHAPE_LIST,
    IA_SHAPE_STRUCT
} ia_shape_kind;

/* All-zero: nothing but null was seen. */
typedef struct ia_shape {
    char *name;
    ia_shape_kind kind;
    struct ia_shape *kids; /* STRUCT: members in order of appearance; LIST: at most one, the item */
    size_t n, cap;
} ia_shape;

/* Errors: INVALID when the value has another shape than those before. */
ia_status ia_shape_add(ia_ctx *cx, ia_shape *s, const ia_json *v) IA_MUST_CHECK;
void ia_shape_dispose(ia_shape *s);
/* The members of a STRUCT (or the item of a LIST) as fields; *out is to be disposed of on failure
 * too: s->n fields. */
ia_status ia_shape_fields(ia_ctx *cx, const ia_shape *s, ia_field **out, size_t *n) IA_MUST_CHECK;

#endif
