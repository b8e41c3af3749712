/* rowids_wire.c - RowIdSequence and U64Segment messages; every count is checked while reading. */
#include "table/table_priv.h"

#define MAX_ROWS (1ull << 32) /* offsets within a fragment are 32 bits */

static ia_status corrupt(ia_ctx *cx, const char *what)
{
    return ia_fail(cx, IA_ERR_CORRUPT, "row-id sequence: %s", what);
}

/* EncodedU64Array arm `number` (1 u16, 2 u32, 3 u64) with its base and packed values. */
static ia_status decode_arm(ia_ctx *cx, uint32_t number, ia_wire *w, uint64_t **values, size_t *n)
{
    const size_t width = number == 1 ? 2 : number == 2 ? 4 : 8;
    uint64_t base = 0;
    ia_view bytes = {0};
    ia_wire sub;
    ia_wire_sub(w, &sub);
    while (ia_wire_next(&sub)) {
        if (sub.number == 1 && number != 3)
            base = ia_wire_u64(&sub);
        else if (sub.number == 2)
            bytes = ia_wire_view(&sub);
    }
    IA_TRY(ia_wire_done(cx, &sub, "row-id array"));
    if (bytes.len % width != 0)
        return corrupt(cx, "an array does not hold whole values");
    *n = bytes.len / width;
    if (*n == 0)
        return IA_OK;
    ia_free(*values);
    IA_TRY(IA_NEW_ARRAY(cx, *values, *n));
    for (size_t i = 0; i < *n; i++) {
        const uint8_t *p = (const uint8_t *)bytes.data + i * width;
        const uint64_t v = width == 2 ? ia_le16(p) : width == 4 ? ia_le32(p) : ia_le64(p);
        if (v > UINT64_MAX - base)
            return corrupt(cx, "an array value passes 2^64");
        (*values)[i] = base + v;
    }
    return IA_OK;
}

static ia_status decode_array(ia_ctx *cx, ia_wire *w, uint64_t **values, size_t *n)
{
    ia_wire sub;
    ia_wire_sub(w, &sub);
    while (ia_wire_next(&sub)) {
        if (sub.number >= 1 && sub.number <= 3)
            IA_TRY(decode_arm(cx, sub.number, &sub, values, n));
    }
    return ia_wire_done(cx, &sub, "row-id array");
}

static ia_status check_ascending(ia_ctx *cx, const ia_segment *s, bool within)
{
    for (size_t i = 0; i < s->n_values; i++) {
        if (i > 0 && s->values[i] <= s->values[i - 1])
            return corrupt(cx, "a sorted array is not ascending");
        if (within && (s->values[i] < s->start || s->values[i] >= s->end))
            return corrupt(cx, "a hole lies outside its range");
    }
    return IA_OK;
}

static ia_status decode_bits(ia_ctx *cx, ia_segment *s, ia_view bits)
{
    const uint64_t slots = s->end - s->start;
    if (slots / 8 + (slots % 8 != 0) != bits.len)
        return corrupt(cx, "a bitmap does not fit its range");
    if (bits.len == 0)
        return IA_OK;
    s->bits = ia_alloc(cx, bits.len);
    if (!s->bits)
        return cx->err.code;
    memcpy(s->bits, bits.data, bits.len);
    if (slots % 8)
        s->bits[bits.len - 1] &= (uint8_t)((1u << (slots % 8)) - 1);
    for (size_t i = 0; i < bits.len; i++)
        s->count += (uint64_t)__builtin_popcount(s->bits[i]);
    return IA_OK;
}

static ia_status decode_range(ia_ctx *cx, ia_wire *w, ia_segment *s)
{
    ia_wire sub;
    ia_view bits = {0};
    ia_wire_sub(w, &sub);
    while (ia_wire_next(&sub)) {
        if (sub.number == 1)
            s->start = ia_wire_u64(&sub);
        else if (sub.number == 2)
            s->end = ia_wire_u64(&sub);
        else if (sub.number == 3 && s->kind == IA_SEG_HOLES)
            IA_TRY(decode_array(cx, &sub, &s->values, &s->n_values));
        else if (sub.number == 3 && s->kind == IA_SEG_BITMAP)
            bits = ia_wire_view(&sub);
    }
    IA_TRY(ia_wire_done(cx, &sub, "row-id segment"));
    if (s->end < s->start)
        return corrupt(cx, "a range ends before it starts");
    if (s->kind == IA_SEG_BITMAP)
        return decode_bits(cx, s, bits);
    IA_TRY(check_ascending(cx, s, true));
    s->count = s->end - s->start - s->n_values;
    return IA_OK;
}

static ia_status decode_segment(ia_ctx *cx, ia_wire *w, ia_segment *s)
{
    while (ia_wire_next(w)) {
        if (w->number < 1 || w->number > 5)
            continue;
        ia_segment_dispose(s);
        s->kind = (ia_seg_kind)(w->number - 1);
        if (w->number <= 3) {
            IA_TRY(decode_range(cx, w, s));
        } else {
            IA_TRY(decode_array(cx, w, &s->values, &s->n_values));
            s->count = s->n_values;
            if (s->kind == IA_SEG_SORTED)
                IA_TRY(check_ascending(cx, s, false));
        }
    }
    IA_TRY(ia_wire_done(cx, w, "row-id segment"));
    if (s->count > MAX_ROWS)
        return corrupt(cx, "a segment holds more than 2^32 rows");
    return IA_OK;
}

ia_status ia_segment_decode(ia_ctx *cx, const uint8_t *p, size_t n, ia_segment *out)
{
    ia_wire w;
    ia_status st;
    memset(out, 0, sizeof *out);
    ia_wire_init(&w, p, n);
    st = decode_segment(cx, &w, out);
    if (st != IA_OK)
        ia_segment_dispose(out);
    return st;
}

ia_status ia_rowids_decode(ia_ctx *cx, const uint8_t *p, size_t n, ia_rowids *out)
{
    ia_rowids r = {0};
    ia_segment s = {0};
    ia_wire w;
    ia_status st;

    memset(out, 0, sizeof *out);
    ia_wire_init(&w, p, n);
    while (ia_wire_next(&w)) {
        if (w.number != 1)
            continue;
        const ia_view v = ia_wire_view(&w);
        IA_GO(ia_segment_decode(cx, (const uint8_t *)v.data, v.len, &s));
        IA_GO(ia_rowids_push(cx, &r, &s));
        if (r.count > MAX_ROWS)
            IA_GO(corrupt(cx, "it holds more than 2^32 rows"));
    }
    IA_GO(ia_wire_done(cx, &w, "row-id sequence"));
    *out = r;
    memset(&r, 0, sizeof r);
done:
    ia_rowids_dispose(&r);
    return st;
}

/* base = the smallest value; the width follows from the spread (6.3). */
static void encode_array(ia_ctx *cx, ia_buf *b, uint32_t number, const uint64_t *v, size_t n)
{
    uint64_t min = n ? v[0] : 0, max = min;
    size_t outer, inner, width;
    uint32_t arm;
    uint8_t *p;
    for (size_t i = 0; i < n; i++) {
        min = v[i] < min ? v[i] : min;
        max = v[i] > max ? v[i] : max;
    }
    arm = n == 0 ? 3u : max - min <= UINT16_MAX ? 1u : max - min <= UINT32_MAX ? 2u : 3u;
    width = arm == 1 ? 2 : arm == 2 ? 4 : 8;
    outer = ia_wire_begin(cx, b, number);
    inner = ia_wire_begin(cx, b, arm);
    if (arm == 3)
        min = 0;
    ia_wire_put_u64(cx, b, 1, min);
    if (n > 0) {
        const size_t mark = ia_wire_begin(cx, b, 2);
        p = ia_buf_extend(cx, b, n * width);
        for (size_t i = 0; p && i < n; i++, p += width) {
            const uint64_t d = v[i] - min;
            if (width == 2)
                ia_put_le16(p, (uint16_t)d);
            else if (width == 4)
                ia_put_le32(p, (uint32_t)d);
            else
                ia_put_le64(p, d);
        }
        ia_wire_end(cx, b, mark);
    }
    ia_wire_end(cx, b, inner);
    ia_wire_end(cx, b, outer);
}

void ia_segment_encode(ia_ctx *cx, ia_buf *b, const ia_segment *s)
{
    size_t mark;
    if (s->kind == IA_SEG_SORTED || s->kind == IA_SEG_ARRAY) {
        encode_array(cx, b, (uint32_t)s->kind + 1, s->values, s->n_values);
        return;
    }
    mark = ia_wire_begin(cx, b, (uint32_t)s->kind + 1);
    ia_wire_put_u64(cx, b, 1, s->start);
    ia_wire_put_u64(cx, b, 2, s->end);
    if (s->kind == IA_SEG_HOLES)
        encode_array(cx, b, 3, s->values, s->n_values);
    else if (s->kind == IA_SEG_BITMAP)
        ia_wire_put_bytes(cx, b, 3, s->bits, (size_t)((s->end - s->start + 7) / 8));
    ia_wire_end(cx, b, mark);
}

ia_status ia_rowids_encode(ia_ctx *cx, const ia_rowids *r, ia_bytes *out)
{
    ia_buf b = {0};
    ia_status st;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < r->n_segs; i++) {
        const size_t mark = ia_wire_begin(cx, &b, 1);
        ia_segment_encode(cx, &b, &r->segs[i]);
        ia_wire_end(cx, &b, mark);
    }
    st = ia_buf_finish(&b, out);
    ia_buf_dispose(&b);
    return st;
}
