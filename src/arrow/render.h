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
 * strings, binary as base64 strings, lists as arrays, structs as objects, null as null.
 * Failures are remembered by the writer. */
void ia_value_json(ia_ctx *cx, ia_jsonw *w, const ia_array *a, int64_t i, uint32_t flags);

#endif
