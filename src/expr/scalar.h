/* scalar.h - one typed value: made from an element, compared, hashed, written as text. */
#ifndef IA_EXPR_SCALAR_H
#define IA_EXPR_SCALAR_H

#include "arrow/array.h"
#include "base/arena.h"

/* `type` is always a static singleton (never retained or released): a time zone is dropped, a
 * dictionary gives its value type, a fixed binary counts as BINARY, large offsets as small ones.
 * I8..I64, date, time, timestamp, duration use i64; U8..U64 u64; F16..F64 f64; BOOL b;
 * string and binary `str`, borrowed from the array or arena it was made from. All-zero is null. */
typedef struct ia_scalar {
    const ia_type *type; /* NULL reads as the null type */
    bool null;
    union {
        int64_t i64;
        uint64_t u64;
        double f64;
        bool b;
    } v;
    ia_view str;
} ia_scalar;

ia_scalar ia_scalar_null(void);
ia_scalar ia_scalar_i64(int64_t v);
ia_scalar ia_scalar_u64(uint64_t v);
ia_scalar ia_scalar_f64(double v);
ia_scalar ia_scalar_bool(bool v);
ia_scalar ia_scalar_str(const char *s, size_t n); /* borrows s */
ia_scalar ia_scalar_date32(int32_t days);
ia_scalar ia_scalar_timestamp(int64_t v, ia_time_unit unit);
static inline bool ia_scalar_is_null(const ia_scalar *s) { return s->null || !s->type; }

/* Element i; string bytes stay borrowed from `a`. Errors: UNSUPPORTED for lists, structs, decimals.
 */
ia_status ia_scalar_get(ia_ctx *cx, const ia_array *a, int64_t i, ia_scalar *out) IA_MUST_CHECK;
/* The same with the bytes copied into the arena. */
ia_status ia_scalar_copy(ia_ctx *cx, ia_arena *arena, const ia_scalar *s,
                         ia_scalar *out) IA_MUST_CHECK;

/* True when values of the two types can be compared: numbers with numbers, strings with strings,
 * binary with binary, bool with bool, dates and timestamps with each other, times and durations
 * with their own kind, null with all. */
bool ia_scalar_comparable(const ia_type *a, const ia_type *b);

/* Exact order of two non-null comparable values: numbers by value over all widths and signs (no
 * rounding), instants as instants over all units, strings by bytes, false < true.
 * IA_UNORDERED when one is NaN or the types are not comparable. */
enum { IA_UNORDERED = 2 };
int ia_scalar_cmp(const ia_scalar *a, const ia_scalar *b); /* -1, 0, 1, IA_UNORDERED */
/* Total order for sorting: null first, NaN last and equal to NaN, kinds in a fixed order. */
int ia_scalar_order(const ia_scalar *a, const ia_scalar *b);
/* Values that ia_scalar_cmp calls equal have equal hashes, whatever their types. */
uint64_t ia_scalar_hash(const ia_scalar *s, uint64_t seed);
/* Canonical text as in a filter: 42, 1.5, 'it''s', true, null, date '2020-01-01'. */
void ia_scalar_text(ia_ctx *cx, ia_buf *out, const ia_scalar *s);

#endif
