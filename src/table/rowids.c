/* rowids.c - row-id segments and sequences in memory; they stay compressed. */
#include "table/table_priv.h"

void ia_segment_dispose(ia_segment *s)
{
    ia_free(s->values);
    ia_free(s->bits);
    memset(s, 0, sizeof *s);
}

ia_status ia_segment_copy(ia_ctx *cx, const ia_segment *in, ia_segment *out)
{
    ia_segment s = *in;
    s.values = NULL;
    s.bits = NULL;
    memset(out, 0, sizeof *out);
    if (in->n_values) {
        s.values = ia_calloc(cx, in->n_values, sizeof *s.values);
        if (!s.values)
            return cx->err.code;
        memcpy(s.values, in->values, in->n_values * sizeof *s.values);
    }
    if (in->bits) {
        const size_t n = (size_t)((in->end - in->start + 7) / 8);
        s.bits = ia_alloc(cx, n);
        if (!s.bits) {
            ia_free(s.values);
            return cx->err.code;
        }
        memcpy(s.bits, in->bits, n);
    }
    *out = s;
    return IA_OK;
}

/* First index whose value is >= v. */
static size_t lower_bound(const uint64_t *a, size_t n, uint64_t v)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (a[mid] < v)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Holes before the k-th member: hole h precedes it when holes[h] - start - h <= k. */
static size_t holes_before(const ia_segment *s, uint64_t k)
{
    size_t lo = 0, hi = s->n_values;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (s->values[mid] - s->start - mid <= k)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool bit_at(const uint8_t *bits, uint64_t i)
{
    return ((unsigned)bits[i / 8] >> (i % 8)) & 1u;
}

static uint64_t popcount_prefix(const uint8_t *bits, uint64_t nbits)
{
    uint64_t count = 0, i = 0;
    for (; i + 64 <= nbits; i += 64)
        count += (uint64_t)__builtin_popcountll(ia_le64(bits + i / 8));
    for (; i < nbits; i++)
        count += bit_at(bits, i) ? 1 : 0;
    return count;
}

/* Position of the k-th set bit. */
static uint64_t bitmap_select(const ia_segment *s, uint64_t k)
{
    const uint64_t nbits = s->end - s->start;
    uint64_t i = 0;
    for (; i + 64 <= nbits; i += 64) {
        const uint64_t c = (uint64_t)__builtin_popcountll(ia_le64(s->bits + i / 8));
        if (k < c)
            break;
        k -= c;
    }
    for (; i < nbits; i++) {
        if (bit_at(s->bits, i)) {
            if (k == 0)
                break;
            k--;
        }
    }
    return i;
}

uint64_t ia_segment_get(const ia_segment *s, uint64_t k)
{
    IA_ASSERT(k < s->count);
    switch (s->kind) {
    case IA_SEG_RANGE: return s->start + k;
    case IA_SEG_HOLES: return s->start + k + holes_before(s, k);
    case IA_SEG_BITMAP: return s->start + bitmap_select(s, k);
    case IA_SEG_SORTED:
    case IA_SEG_ARRAY: return s->values[k];
    }
    return 0;
}

bool ia_segment_find(const ia_segment *s, uint64_t id, uint64_t *k)
{
    size_t i;
    switch (s->kind) {
    case IA_SEG_RANGE:
        if (id < s->start || id >= s->end)
            return false;
        *k = id - s->start;
        return true;
    case IA_SEG_HOLES:
        if (id < s->start || id >= s->end)
            return false;
        i = lower_bound(s->values, s->n_values, id);
        if (i < s->n_values && s->values[i] == id)
            return false;
        *k = id - s->start - i;
        return true;
    case IA_SEG_BITMAP:
        if (id < s->start || id >= s->end)
            return false;
        id -= s->start;
        if (!bit_at(s->bits, id))
            return false;
        *k = popcount_prefix(s->bits, id);
        return true;
    case IA_SEG_SORTED:
        i = lower_bound(s->values, s->n_values, id);
        *k = i;
        return i < s->n_values && s->values[i] == id;
    case IA_SEG_ARRAY:
        for (i = 0; i < s->n_values; i++) {
            if (s->values[i] == id) {
                *k = i;
                return true;
            }
        }
        return false;
    }
    return false;
}

bool ia_segment_bounds(const ia_segment *s, uint64_t *min, uint64_t *max)
{
    if (s->count == 0)
        return false;
    if (s->kind == IA_SEG_ARRAY) {
        *min = *max = s->values[0];
        for (size_t i = 1; i < s->n_values; i++) {
            if (s->values[i] < *min)
                *min = s->values[i];
            if (s->values[i] > *max)
                *max = s->values[i];
        }
        return true;
    }
    if (s->kind == IA_SEG_SORTED) {
        *min = s->values[0];
        *max = s->values[s->n_values - 1];
        return true;
    }
    *min = s->start;
    *max = s->end - 1;
    return true;
}

void ia_segment_slice(const ia_segment *s, uint64_t from, uint64_t n, uint64_t *out)
{
    uint64_t v;
    size_t h;
    if (n == 0)
        return;
    switch (s->kind) {
    case IA_SEG_RANGE:
        for (uint64_t i = 0; i < n; i++)
            out[i] = s->start + from + i;
        return;
    case IA_SEG_HOLES:
        h = holes_before(s, from);
        v = s->start + from + h;
        for (uint64_t i = 0; i < n; v++) {
            if (h < s->n_values && s->values[h] == v)
                h++;
            else
                out[i++] = v;
        }
        return;
    case IA_SEG_BITMAP:
        v = bitmap_select(s, from);
        for (uint64_t i = 0; i < n; v++) {
            if (bit_at(s->bits, v))
                out[i++] = s->start + v;
        }
        return;
    case IA_SEG_SORTED:
    case IA_SEG_ARRAY: memcpy(out, s->values + from, (size_t)n * sizeof *out); return;
    }
}

void ia_rowids_dispose(ia_rowids *r)
{
    for (size_t i = 0; i < r->n_segs; i++)
        ia_segment_dispose(&r->segs[i]);
    ia_free(r->segs);
    memset(r, 0, sizeof *r);
}

ia_status ia_rowids_push(ia_ctx *cx, ia_rowids *r, ia_segment *s)
{
    ia_segment *last = r->n_segs ? &r->segs[r->n_segs - 1] : NULL;
    ia_segment *grown;
    if (s->count == 0) {
        ia_segment_dispose(s);
        return IA_OK;
    }
    if (last && last->kind == IA_SEG_RANGE && s->kind == IA_SEG_RANGE && last->end == s->start) {
        last->end = s->end;
        last->count += s->count;
        r->count += s->count;
        return IA_OK;
    }
    grown = ia_realloc(cx, r->segs, (r->n_segs + 1) * sizeof *grown);
    if (!grown) {
        ia_segment_dispose(s);
        return cx->err.code;
    }
    r->segs = grown;
    r->segs[r->n_segs++] = *s;
    r->count += s->count;
    memset(s, 0, sizeof *s);
    return IA_OK;
}

ia_status ia_rowids_copy(ia_ctx *cx, const ia_rowids *in, ia_rowids *out)
{
    memset(out, 0, sizeof *out);
    return ia_rowids_extend(cx, out, in);
}

ia_status ia_rowids_range(ia_ctx *cx, uint64_t start, uint64_t n, ia_rowids *out)
{
    ia_segment s = {.kind = IA_SEG_RANGE, .start = start, .end = start + n, .count = n};
    memset(out, 0, sizeof *out);
    if (start + n < start)
        return ia_fail(cx, IA_ERR_CORRUPT, "row ids from %llu would pass 2^64",
                       (unsigned long long)start);
    return ia_rowids_push(cx, out, &s);
}

static ia_status segment_values(ia_ctx *cx, const uint64_t *ids, size_t n, ia_seg_kind kind,
                                ia_segment *s)
{
    s->kind = kind;
    s->n_values = n;
    s->count = n;
    IA_TRY(IA_NEW_ARRAY(cx, s->values, n));
    memcpy(s->values, ids, n * sizeof *ids);
    return IA_OK;
}

static ia_status segment_holes(ia_ctx *cx, const uint64_t *ids, size_t n, uint64_t holes,
                               ia_segment *s)
{
    size_t k = 0;
    s->kind = IA_SEG_HOLES;
    IA_TRY(IA_NEW_ARRAY(cx, s->values, (size_t)holes));
    for (size_t i = 1; i < n; i++) {
        for (uint64_t v = ids[i - 1] + 1; v < ids[i]; v++)
            s->values[k++] = v;
    }
    s->n_values = k;
    return IA_OK;
}

/* Table format 6.3: the cheapest of holes, bitmap and sorted array, ties in this order. */
static ia_status segment_from(ia_ctx *cx, const uint64_t *ids, size_t n, ia_segment *s)
{
    const uint64_t min = ids[0], max = ids[n - 1];
    const uint64_t slots = max - min + 1; /* 0 = all of 2^64 */
    const uint64_t holes = slots - n;
    const uint64_t bitmap_bytes = slots / 8 + (slots % 8 != 0);
    for (size_t i = 1; i < n; i++) {
        if (ids[i] <= ids[i - 1])
            return segment_values(cx, ids, n, IA_SEG_ARRAY, s);
    }
    if (slots == 0 || max == UINT64_MAX)
        return segment_values(cx, ids, n, IA_SEG_SORTED, s);
    s->start = min;
    s->end = max + 1;
    s->count = n;
    if (holes == 0)
        return IA_OK;
    if (holes < UINT64_MAX / 4 && 4 * holes <= bitmap_bytes && 4 * holes <= 2 * (uint64_t)n)
        return segment_holes(cx, ids, n, holes, s);
    if (bitmap_bytes <= 2 * (uint64_t)n) {
        s->kind = IA_SEG_BITMAP;
        IA_TRY(IA_NEW_ARRAY(cx, s->bits, (size_t)bitmap_bytes));
        for (size_t i = 0; i < n; i++)
            s->bits[(ids[i] - min) / 8] |= (uint8_t)(1u << ((ids[i] - min) % 8));
        return IA_OK;
    }
    s->start = s->end = 0;
    return segment_values(cx, ids, n, IA_SEG_SORTED, s);
}

ia_status ia_rowids_from(ia_ctx *cx, const uint64_t *ids, size_t n, ia_rowids *out)
{
    ia_segment s = {0};
    ia_status st;
    memset(out, 0, sizeof *out);
    if (n == 0)
        return IA_OK;
    st = segment_from(cx, ids, n, &s);
    if (st == IA_OK)
        st = ia_rowids_push(cx, out, &s);
    ia_segment_dispose(&s);
    return st;
}

ia_status ia_rowids_extend(ia_ctx *cx, ia_rowids *dst, const ia_rowids *src)
{
    for (size_t i = 0; i < src->n_segs; i++) {
        ia_segment s;
        IA_TRY(ia_segment_copy(cx, &src->segs[i], &s));
        IA_TRY(ia_rowids_push(cx, dst, &s));
    }
    return IA_OK;
}

uint64_t ia_rowids_get(const ia_rowids *r, uint64_t offset)
{
    for (size_t i = 0; i < r->n_segs; i++) {
        if (offset < r->segs[i].count)
            return ia_segment_get(&r->segs[i], offset);
        offset -= r->segs[i].count;
    }
    IA_ASSERT(false);
    return 0;
}

void ia_rowids_slice(const ia_rowids *r, uint64_t from, uint64_t n, uint64_t *out)
{
    for (size_t i = 0; i < r->n_segs && n > 0; i++) {
        const uint64_t have = r->segs[i].count;
        uint64_t part;
        if (from >= have) {
            from -= have;
            continue;
        }
        part = have - from < n ? have - from : n;
        ia_segment_slice(&r->segs[i], from, part, out);
        out += part;
        n -= part;
        from = 0;
    }
    IA_ASSERT(n == 0);
}

/* Members at ascending positions of a bitmap: one pass over its words. */
static void pick_bits(const ia_segment *s, uint64_t base, const uint32_t *offsets, size_t n,
                      uint64_t *out)
{
    const uint64_t nbits = s->end - s->start;
    uint64_t i = 0, before = 0; /* bits passed, set bits among them */
    for (size_t k = 0; k < n; k++) {
        const uint64_t want = offsets[k] - base;
        while (i + 64 <= nbits) {
            const uint64_t c = (uint64_t)__builtin_popcountll(ia_le64(s->bits + i / 8));
            if (before + c > want)
                break;
            before += c;
            i += 64;
        }
        for (uint64_t b = i, seen = before; b < nbits; b++) {
            if (bit_at(s->bits, b) && seen++ == want) {
                out[k] = s->start + b;
                break;
            }
        }
    }
}

void ia_rowids_pick(const ia_rowids *r, const uint32_t *offsets, size_t n, uint64_t *out)
{
    uint64_t base = 0;
    size_t k = 0;
    for (size_t i = 0; i < r->n_segs && k < n; i++) {
        const ia_segment *s = &r->segs[i];
        size_t to = k;
        while (to < n && offsets[to] - base < s->count)
            to++;
        if (s->kind == IA_SEG_BITMAP)
            pick_bits(s, base, offsets + k, to - k, out + k);
        else
            for (size_t m = k; m < to; m++)
                out[m] = ia_segment_get(s, offsets[m] - base);
        k = to;
        base += s->count;
    }
    IA_ASSERT(k == n);
}

void ia_rowids_expand(const ia_rowids *r, uint64_t *out)
{
    ia_rowids_slice(r, 0, r->count, out);
}

bool ia_rowids_find(const ia_rowids *r, uint64_t id, uint64_t *offset)
{
    uint64_t before = 0, k;
    for (size_t i = 0; i < r->n_segs; i++) {
        if (ia_segment_find(&r->segs[i], id, &k)) {
            *offset = before + k;
            return true;
        }
        before += r->segs[i].count;
    }
    return false;
}

bool ia_rowids_bounds(const ia_rowids *r, uint64_t *min, uint64_t *max)
{
    bool any = false;
    for (size_t i = 0; i < r->n_segs; i++) {
        uint64_t lo, hi;
        if (!ia_segment_bounds(&r->segs[i], &lo, &hi))
            continue;
        if (!any || lo < *min)
            *min = lo;
        if (!any || hi > *max)
            *max = hi;
        any = true;
    }
    return any;
}
