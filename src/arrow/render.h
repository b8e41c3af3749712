/* render.h - single values as JSON and as text. */
#ifndef IA_ARROW_RENDER_H
#define IA_ARROW_RENDER_H

#include "arrow/array.h"
#include "base/json.h"

enum {
    IA_RENDER_EXPORT = 1u << 0 /* dates as integer days, datetimes as integer milliseconds */
};

/* Writes element i: integers at full precision, floats shortest (NaN and infinities as strings),
 * dates "YYYY-MM-DD", datetimes "YYYY-MM-DDTHH:MM:SS.mmmZ" (more digits where the value has them,
 * then also in export form), times of day "HH:MM:SS[.fff]", durations as integers, decimals as
 * strings, binary as base64 strings, lists as arrays, structs as objects, maps as arrays of
 * {"key": k, "value": v}, null as null.
 * Failures are remembered by the writer. */
void ia_value_json(ia_ctx *cx, ia_jsonw *w, const ia_array *a, int64_t i, uint32_t flags);
/* Row `row` of b as the text of one object, column by column; *out is the caller's. */
ia_status ia_row_json(ia_ctx *cx, const ia_batch *b, int64_t row, char **out) IA_MUST_CHECK;

#endif
