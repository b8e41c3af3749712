/* json_rows.h - JSON values into typed columns: one rule for loads and for plain tables. */
#ifndef IA_ARROW_JSON_ROWS_H
#define IA_ARROW_JSON_ROWS_H

#include "arrow/builder.h"
#include "arrow/source.h"
#include "base/json.h"

/* Appends one JSON value to a builder (languages page 3.1): integers in range for integer columns,
 * finite numbers for floats (F32 must not overflow), "YYYY-MM-DD" or days for DATE32, RFC 3339 text
 * or ms for DATE64 and timestamps, arrays for lists and fixed lists (exact length; no null items),
 * strings, booleans. null needs `nullable`. `what` names the place in messages ("line 3:
 * Person.age"). Errors: INVALID. */
ia_status ia_json_append(ia_ctx *cx, ia_builder *b, const ia_json *v, bool nullable,
                         const char *what) IA_MUST_CHECK;

/* The same for every type, and the inverse of ia_value_json: also structs from objects (absent
 * members are null, unknown ones refused), maps from arrays of {"key", "value"} objects or, for
 * string keys, from objects; binary from base64, decimals from numbers or strings, times of day
 * from text, "NaN", "Infinity" and "-Infinity" for floats, integers beyond milliseconds in
 * timestamps as text, null items where the item is nullable. Dictionary columns are left to the
 * streams below. */
ia_status ia_json_append_any(ia_ctx *cx, ia_builder *b, const ia_json *v, bool nullable,
                             const char *what) IA_MUST_CHECK;

/* JSON lines, one object a line with the schema's columns (absent = null); unknown members are
 * refused. Errors: INVALID "{name}:{line}: ...". `text` must outlive the stream. */
ia_status ia_json_rows(ia_ctx *cx, const ia_schema *s, const char *text, size_t len,
                       const char *name, ia_stream *out) IA_MUST_CHECK;

typedef struct ia_jsonl_options { /* all-zero: the defaults */
    int64_t infer_rows;           /* rows looked at for the types; 0 = 1000 */
    int64_t batch_rows;           /* 0 = 8192 */
} ia_jsonl_options;

/* JSON lines from a source, for all types (ia_json_append_any). Without a schema the first rows
 * tell it: bool, int64, float64 (integers beside fractions), string, list and struct of these, null
 * where nothing but null was seen; columns in order of first appearance, all nullable. A later row
 * of another shape is an error. Takes over *src (also on failure). */
ia_status ia_jsonl_stream_open(ia_ctx *cx, ia_source *src, const ia_schema *schema,
                               const char *name, const ia_jsonl_options *opt,
                               ia_stream *out) IA_MUST_CHECK;

/* One line per row: an object of all columns, null written as null. Failures are remembered by
 * `out`. */
void ia_jsonl_write_batch(ia_ctx *cx, ia_buf *out, const ia_batch *b);

#endif
