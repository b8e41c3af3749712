/* json_rows.h - JSON values into typed columns: one rule for loads and for plain tables. */
#ifndef IA_ARROW_JSON_ROWS_H
#define IA_ARROW_JSON_ROWS_H

#include "arrow/builder.h"
#include "base/json.h"

/* Appends one JSON value to a builder (languages page 3.1): integers in range for integer columns,
 * finite numbers for floats (F32 must not overflow), "YYYY-MM-DD" or days for DATE32, RFC 3339 text
 * or ms for DATE64 and timestamps, arrays for lists and fixed lists (exact length; no null items),
 * strings, booleans. null needs `nullable`. `what` names the place in messages ("line 3:
 * Person.age"). Errors: INVALID. */
ia_status ia_json_append(ia_ctx *cx, ia_builder *b, const ia_json *v, bool nullable,
                         const char *what) IA_MUST_CHECK;

/* JSON lines, one object a line with the schema's columns (absent = null); unknown members are
 * refused. Errors: INVALID "{name}:{line}: ...". `text` must outlive the stream. */
ia_status ia_json_rows(ia_ctx *cx, const ia_schema *s, const char *text, size_t len,
                       const char *name, ia_stream *out) IA_MUST_CHECK;

#endif
