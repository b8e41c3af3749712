/* rowids.h - row-id sequences, row-version sequences, and the index from row id to address. */
#ifndef IA_TABLE_ROWIDS_H
#define IA_TABLE_ROWIDS_H

#include "base/bitmap.h"

/* Row address: fragment << 32 | offset. */
static inline uint64_t ia_addr(uint64_t fragment, uint32_t offset)
{
    return fragment << 32 | offset;
}
static inline uint32_t ia_addr_fragment(uint64_t a)
{
    return (uint32_t)(a >> 32);
}
static inline uint32_t ia_addr_offset(uint64_t a)
{
    return (uint32_t)a;
}

/* U64Segment kinds (table format 6.2); segments stay compressed. */
typedef enum ia_seg_kind {
    IA_SEG_RANGE = 0,
    IA_SEG_HOLES,
    IA_SEG_BITMAP,
    IA_SEG_SORTED,
    IA_SEG_ARRAY
} ia_seg_kind;

typedef struct ia_segment {
    ia_seg_kind kind;
    uint64_t start, end; /* RANGE, HOLES, BITMAP: [start, end) */
    uint64_t *values;    /* HOLES: the holes, ascending; SORTED, ARRAY: the values. Owned */
    size_t n_values;
    uint8_t *bits;  /* BITMAP: bit i = start + i, LSB first. Owned */
    uint64_t count; /* members */
} ia_segment;

/* Sequence of ids, one per physical row. All-zero = absent/empty. */
typedef struct ia_rowids {
    ia_segment *segs;
    size_t n_segs;
    uint64_t count;
} ia_rowids;

void ia_rowids_dispose(ia_rowids *r);
ia_status ia_rowids_copy(ia_ctx *cx, const ia_rowids *in, ia_rowids *out) IA_MUST_CHECK;
ia_status ia_rowids_range(ia_ctx *cx, uint64_t start, uint64_t n, ia_rowids *out) IA_MUST_CHECK;
/* From ids in row order; picks the kind as 6.3 says. */
ia_status ia_rowids_from(ia_ctx *cx, const uint64_t *ids, size_t n, ia_rowids *out) IA_MUST_CHECK;
/* dst ++= src (touching ranges fuse). */
ia_status ia_rowids_extend(ia_ctx *cx, ia_rowids *dst, const ia_rowids *src) IA_MUST_CHECK;
/* Id of row `offset`; offset < count. O(segments + log) */
uint64_t ia_rowids_get(const ia_rowids *r, uint64_t offset);
/* All ids, in row order, into out[count]. */
void ia_rowids_expand(const ia_rowids *r, uint64_t *out);
/* Ids of rows [from, from + n), all within count, into out[n]. */
void ia_rowids_slice(const ia_rowids *r, uint64_t from, uint64_t n, uint64_t *out);
/* Ids of the rows at ascending offsets, each below count, into out[n]. */
void ia_rowids_pick(const ia_rowids *r, const uint32_t *offsets, size_t n, uint64_t *out);
/* Offset of the first occurrence; false when absent. */
bool ia_rowids_find(const ia_rowids *r, uint64_t id, uint64_t *offset);
bool ia_rowids_bounds(const ia_rowids *r, uint64_t *min, uint64_t *max); /* false when empty */
/* Wire form: RowIdSequence. Errors: CORRUPT. */
ia_status ia_rowids_decode(ia_ctx *cx, const uint8_t *p, size_t n, ia_rowids *out) IA_MUST_CHECK;
ia_status ia_rowids_encode(ia_ctx *cx, const ia_rowids *r, ia_bytes *out) IA_MUST_CHECK;

/* Row versions: runs of equal versions in row order (6.6). All-zero = absent. */
typedef struct ia_verrun {
    uint64_t count, version;
} ia_verrun;
typedef struct ia_versions {
    ia_verrun *runs;
    size_t n_runs;
} ia_versions;
void ia_versions_dispose(ia_versions *v);
ia_status ia_versions_copy(ia_ctx *cx, const ia_versions *in, ia_versions *out) IA_MUST_CHECK;
ia_status ia_versions_uniform(ia_ctx *cx, uint64_t version, uint64_t n,
                              ia_versions *out) IA_MUST_CHECK;
ia_status ia_versions_append(ia_ctx *cx, ia_versions *v, uint64_t version,
                             uint64_t n) IA_MUST_CHECK;
uint64_t ia_versions_get(const ia_versions *v, uint64_t offset,
                         uint64_t missing); /* `missing` when absent */
uint64_t ia_versions_count(const ia_versions *v);
/* Versions of rows [from, from + n) into out[n]; `missing` where there is none. */
void ia_versions_slice(const ia_versions *v, uint64_t from, uint64_t n, uint64_t missing,
                       uint64_t *out);
/* The same for rows at ascending offsets. */
void ia_versions_pick(const ia_versions *v, const uint32_t *offsets, size_t n, uint64_t missing,
                      uint64_t *out);
ia_status ia_versions_decode(ia_ctx *cx, const uint8_t *p, size_t n,
                             ia_versions *out) IA_MUST_CHECK;
ia_status ia_versions_encode(ia_ctx *cx, const ia_versions *v, ia_bytes *out) IA_MUST_CHECK;

#endif
