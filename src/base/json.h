/* json.h - JSON reading (into a tree) and writing (onto a builder). */
#ifndef IA_BASE_JSON_H
#define IA_BASE_JSON_H

#include "base/str.h"

/* A parsed value; a tree owned by its root. NULL reads as JSON null in all getters. */
typedef struct ia_json ia_json;

typedef enum ia_json_kind {
    IA_JSON_NULL, IA_JSON_FALSE, IA_JSON_TRUE, IA_JSON_INT, IA_JSON_REAL, IA_JSON_STRING,
    IA_JSON_ARRAY, IA_JSON_OBJECT
} ia_json_kind;

/* Strict: one value, UTF-8, no duplicate members, depth <= 64, integers outside int64 kept as
 * IA_JSON_REAL except non-negative ones up to 2^64-1, which ia_json_u64() still reads exactly.
 * Errors: INVALID with line and column. Owner of *out: the caller, ia_json_free(). */
ia_status ia_json_parse(ia_ctx *cx, const char *text, size_t len, ia_json **out) IA_MUST_CHECK;
void ia_json_free(ia_json *root);

ia_json_kind ia_json_type(const ia_json *v);
bool ia_json_i64(const ia_json *v, int64_t *out); /* false unless an integer in range */
bool ia_json_u64(const ia_json *v, uint64_t *out);
bool ia_json_f64(const ia_json *v, double *out);  /* any number */
bool ia_json_bool(const ia_json *v, bool *out);
const char *ia_json_str(const ia_json *v, size_t *len); /* NULL unless a string; len may be NULL */
size_t ia_json_len(const ia_json *v);             /* array items or object members, else 0 */
const ia_json *ia_json_at(const ia_json *v, size_t i);            /* array item; NULL outside */
const ia_json *ia_json_get(const ia_json *v, const char *name);   /* member; NULL when absent */
/* Walks members in text order: start with *it = 0; false at the end. */
bool ia_json_next(const ia_json *v, size_t *it, const char **name, const ia_json **value);

/* Writer: appends compact (indent 0) or pretty text. Commas and nesting are kept by the writer. */
typedef struct ia_jsonw {
    ia_buf out;
    ia_ctx *cx;
    int indent;        /* spaces per level; 0 = compact */
    int depth;
    bool need_comma;
    bool after_key;
} ia_jsonw;

void ia_jsonw_init(ia_jsonw *w, ia_ctx *cx, int indent);
void ia_jsonw_object(ia_jsonw *w);
void ia_jsonw_end_object(ia_jsonw *w);
void ia_jsonw_array(ia_jsonw *w);
void ia_jsonw_end_array(ia_jsonw *w);
void ia_jsonw_key(ia_jsonw *w, const char *name);
void ia_jsonw_str(ia_jsonw *w, const char *s);              /* NULL writes null */
void ia_jsonw_strn(ia_jsonw *w, const char *s, size_t n);
void ia_jsonw_i64(ia_jsonw *w, int64_t v);
void ia_jsonw_u64(ia_jsonw *w, uint64_t v);
void ia_jsonw_f32(ia_jsonw *w, float v);                    /* digits of a float */
void ia_jsonw_f64(ia_jsonw *w, double v);                   /* NaN and infinities as strings */
void ia_jsonw_bool(ia_jsonw *w, bool v);
void ia_jsonw_null(ia_jsonw *w);
ia_status ia_jsonw_finish(ia_jsonw *w, ia_bytes *out) IA_MUST_CHECK;
void ia_jsonw_dispose(ia_jsonw *w);

#endif
