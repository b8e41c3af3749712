/* compute.h - kernels over columns: take, filter, concat, compare, equality, cast. */
#ifndef IA_ARROW_COMPUTE_H
#define IA_ARROW_COMPUTE_H

#include "arrow/array.h"
#include "base/bitmap.h"

/* out[i] = a[idx[i]]; idx < 0 gives null. Errors: INTERNAL for an index past the end. */
ia_status ia_take_array(ia_ctx *cx, const ia_array *a, const int64_t *idx, int64_t n,
                        ia_array **out) IA_MUST_CHECK;
ia_status ia_take_batch(ia_ctx *cx, const ia_batch *b, const int64_t *idx, int64_t n,
                        ia_batch **out) IA_MUST_CHECK;
/* Arrays of one type, n >= 1. A single array is returned as is (retained). */
ia_status ia_concat_arrays(ia_ctx *cx, ia_array *const *parts, size_t n,
                           ia_array **out) IA_MUST_CHECK;
ia_status ia_concat_batches(ia_ctx *cx, const ia_schema *schema, ia_batch *const *parts, size_t n,
                            ia_batch **out) IA_MUST_CHECK;
/* Columns by index, in that order; cols[k] < 0 is an error. */
ia_status ia_project_batch(ia_ctx *cx, const ia_batch *b, const int *cols, size_t n,
                           ia_batch **out) IA_MUST_CHECK;

/* Typed, validity-aware equality of two elements of one type; floats bitwise; lists element-wise;
 * null equals only null. */
bool ia_value_equal(const ia_array *a, int64_t i, const ia_array *b, int64_t j);
/* Total order of one type: null first, numbers by value (NaN last), strings by bytes, false < true,
 * lists lexicographic. */
int ia_value_cmp(const ia_array *a, int64_t i, const ia_array *b, int64_t j);
/* Equal values, equal hashes. */
uint64_t ia_value_hash(const ia_array *a, int64_t i, uint64_t seed);

/* Safe cast between number, bool, date/time and string-offset types; out of range -> INVALID naming
 * row and value. Same type: retained. */
ia_status ia_cast_array(ia_ctx *cx, const ia_array *a, const ia_type *to,
                        ia_array **out) IA_MUST_CHECK;

/* Appends element i as text: numbers shortest, dates ISO, lists as JSON, strings raw; of null
 * nothing. */
void ia_value_text(ia_ctx *cx, ia_buf *out, const ia_array *a, int64_t i);

#endif
