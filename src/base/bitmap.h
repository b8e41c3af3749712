/* bitmap.h - compressed sets of u32 and u64 (CRoaring behind one header). */
#ifndef IA_BASE_BITMAP_H
#define IA_BASE_BITMAP_H

#include "base/str.h"

/* Set of u32. NULL reads as empty everywhere below. Memory is charged by estimate at creation and
 * growth is bounded by the owner. Threads: one at a time; immutable once shared. */
typedef struct ia_bitmap ia_bitmap;

ia_status ia_bitmap_new(ia_ctx *cx, ia_bitmap **out) IA_MUST_CHECK;
/* A copy of NULL is an empty bitmap. */
ia_status ia_bitmap_copy(ia_ctx *cx, const ia_bitmap *b, ia_bitmap **out) IA_MUST_CHECK;
void ia_bitmap_free(ia_bitmap *b);
void ia_bitmap_add(ia_bitmap *b, uint32_t v);
void ia_bitmap_add_range(ia_bitmap *b, uint64_t begin, uint64_t end); /* [begin, end) */
void ia_bitmap_remove(ia_bitmap *b, uint32_t v);
bool ia_bitmap_has(const ia_bitmap *b, uint32_t v);
uint64_t ia_bitmap_count(const ia_bitmap *b);
uint64_t ia_bitmap_rank(const ia_bitmap *b, uint32_t v);      /* members < v */
bool ia_bitmap_equal(const ia_bitmap *a, const ia_bitmap *b);
bool ia_bitmap_intersects(const ia_bitmap *a, const ia_bitmap *b);
void ia_bitmap_or(ia_bitmap *dst, const ia_bitmap *src);      /* dst |= src */
void ia_bitmap_andnot(ia_bitmap *dst, const ia_bitmap *src);  /* dst -= src */
bool ia_bitmap_max(const ia_bitmap *b, uint32_t *v);          /* false when empty */
/* Members ascending into out[count]. */
void ia_bitmap_to_array(const ia_bitmap *b, uint32_t *out);
/* Members >= from, ascending, at most cap; returns how many. */
size_t ia_bitmap_next(const ia_bitmap *b, uint64_t from, uint32_t *out, size_t cap);
/* Portable 32-bit Roaring; written without run containers (cookie 12346), both are read.
 * Errors: CORRUPT for bad bytes. */
ia_status ia_bitmap_encode(ia_ctx *cx, const ia_bitmap *b, ia_bytes *out) IA_MUST_CHECK;
ia_status ia_bitmap_decode(ia_ctx *cx, const uint8_t *p, size_t n, ia_bitmap **out) IA_MUST_CHECK;

#endif
