/* vals.h - accumulators of leaf values and of validity bits, between pages and arrays. */
#ifndef IA_FILE_VALS_H
#define IA_FILE_VALS_H

#include "arrow/array.h"
#include "arrow/bits.h"

enum { IA_MAX_DIMS = 8 };

/* The physical shape of a leaf type (file format 1.6). */
typedef enum ia_phys_kind {
    IA_PHYS_NULL = 0, /* no values */
    IA_PHYS_FIXED,    /* `items` primitives of `bits` each; bits is 1 or a multiple of 8 */
    IA_PHYS_VAR       /* bytes with offsets of `bits` (32 or 64) */
} ia_phys_kind;

typedef struct ia_phys {
    ia_phys_kind kind;
    uint32_t bits;
    uint32_t dims[IA_MAX_DIMS]; /* fixed-size-list sizes, outer first */
    size_t n_dims;
    uint64_t items;      /* product of dims, 1 without */
    uint64_t value_bits; /* items * bits; 0 for VAR */
    size_t width;        /* value_bits / 8 when that is whole, else 0 */
} ia_phys;

/* Errors: UNSUPPORTED naming the type. */
ia_status ia_phys_of(ia_ctx *cx, const ia_type *leaf, ia_phys *out) IA_MUST_CHECK;

/* Bits that stay unallocated while all are 1. All-zero is valid and empty. */
typedef struct ia_valid {
    ia_buf bits;
    uint64_t n, zeros;
} ia_valid;

void ia_valid_dispose(ia_valid *v);
void ia_valid_clear(ia_valid *v);
void ia_valid_ones(ia_ctx *cx, ia_valid *v, uint64_t n);
void ia_valid_zeros(ia_ctx *cx, ia_valid *v, uint64_t n);
static inline void ia_valid_push(ia_ctx *cx, ia_valid *v, bool valid)
{
    if (valid && !v->bits.len)
        v->n++;
    else if (valid)
        ia_valid_ones(cx, v, 1);
    else
        ia_valid_zeros(cx, v, 1);
}
/* n bits of `src` from bit `off`. */
void ia_valid_bits(ia_ctx *cx, ia_valid *v, const uint8_t *src, uint64_t off, uint64_t n);
/* Valid where level[i] < limit. */
void ia_valid_levels(ia_ctx *cx, ia_valid *v, const uint16_t *level, size_t n, unsigned limit);
void ia_valid_append(ia_ctx *cx, ia_valid *dst, const ia_valid *src, uint64_t off, uint64_t n);
static inline bool ia_valid_at(const ia_valid *v, uint64_t i)
{
    return !v->bits.len || ia_bit_get(v->bits.data, (int64_t)i);
}

/* A run of leaf values. Failures are remembered in the buffers; check with ia_vals_status(). */
typedef struct ia_vals {
    ia_phys phys;
    uint64_t n;
    ia_buf data; /* FIXED: values (bits when value_bits is not whole bytes); VAR: bytes */
    ia_buf offs; /* VAR: n + 1 offsets of phys.bits */
    ia_valid inner[IA_MAX_DIMS]; /* validity of the items of fixed-size list level k */
    ia_buffer *slice;            /* FIXED: the values are this buffer instead of `data` (no copy) */
} ia_vals;

void ia_vals_init(ia_vals *v, const ia_phys *phys);
void ia_vals_dispose(ia_vals *v);
void ia_vals_clear(ia_vals *v);
/* UNSUPPORTED: 32-bit offsets do not reach. */
ia_status ia_vals_too_long(ia_ctx *cx);
ia_status ia_vals_status(ia_ctx *cx, const ia_vals *v) IA_MUST_CHECK;
/* Room for n more values (and `bytes` of variable data). */
ia_status ia_vals_reserve(ia_ctx *cx, ia_vals *v, uint64_t n, uint64_t bytes) IA_MUST_CHECK;
/* n more fixed-width values of whole bytes: raw place for them, NULL on failure. Inner validity is
 * the caller's (ia_vals_inner_ones). */
uint8_t *ia_vals_extend(ia_ctx *cx, ia_vals *v, uint64_t n);
/* n fixed-width values from packed bits starting at bit `off` of src; any width. */
void ia_vals_put_bits(ia_ctx *cx, ia_vals *v, const uint8_t *src, uint64_t off, uint64_t n);
void ia_vals_inner_ones(ia_ctx *cx, ia_vals *v, uint64_t n);
/* n zero or empty values. */
void ia_vals_zeros(ia_ctx *cx, ia_vals *v, uint64_t n);
/* One variable value. Errors: UNSUPPORTED when 32-bit offsets overflow. */
ia_status ia_vals_put_var(ia_ctx *cx, ia_vals *v, const uint8_t *p, size_t n) IA_MUST_CHECK;
/* A value whose bytes the caller appends to v->data between the two calls. */
ia_status ia_vals_begin_var(ia_ctx *cx, ia_vals *v) IA_MUST_CHECK;
ia_status ia_vals_end_var(ia_ctx *cx, ia_vals *v) IA_MUST_CHECK;
/* n variable values: offsets of `obits` at `offs` (n + 1, unaligned, relative to `base`), already
 * checked to be non-decreasing and inside the data. */
ia_status ia_vals_put_vars(ia_ctx *cx, ia_vals *v, const uint8_t *offs, uint32_t obits,
                           const uint8_t *base, uint64_t n) IA_MUST_CHECK;
/* Values [start, start + n) of src, same phys. */
ia_status ia_vals_append(ia_ctx *cx, ia_vals *dst, const ia_vals *src, uint64_t start,
                         uint64_t n) IA_MUST_CHECK;
/* n times value `i` of src. */
ia_status ia_vals_repeat(ia_ctx *cx, ia_vals *dst, const ia_vals *src, uint64_t i,
                         uint64_t n) IA_MUST_CHECK;
uint64_t ia_vals_offset(const ia_vals *v, uint64_t i); /* VAR: offset number i */
/* Makes the array of a leaf type, emptying v; `valid` is moved too. */
ia_status ia_vals_finish(ia_ctx *cx, ia_vals *v, ia_valid *valid, const ia_type *type,
                         ia_array **out) IA_MUST_CHECK;
/* Moves validity bits out as an Arrow buffer (NULL when all valid). */
ia_status ia_valid_finish(ia_ctx *cx, ia_valid *v, ia_buffer **out) IA_MUST_CHECK;

#endif
