/* leaf_zip.c - rows of full-zip pages: control words, values, repetition index. */
#include <inttypes.h>

#include "file/leaf_priv.h"

#define GAP_BYTES ((uint64_t)16 << 10)

/* ---- opening a page ------------------------------------------------------------------------- */

static ia_status fixed_bytes(ia_ctx *cx, const ia_leaf *l, size_t *out)
{
    IA_TRY(ia_fixed_value_bytes(cx, l->lay.values, &l->phys, out));
    if ((uint64_t)*out * 8 != l->lay.bits_per_value)
        return ia_fail(cx, IA_ERR_CORRUPT, "full-zip values of %zu bytes with %" PRIu32 " bits",
                       *out, l->lay.bits_per_value);
    return IA_OK;
}

static ia_status open_index(ia_ctx *cx, ia_leaf *l)
{
    const ia_page *p = ia_leaf_page(l);
    uint64_t w;

    if (p->n_buffers != 2 || p->sizes[1] % (p->rows + 1))
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "full-zip page of %" PRIu64 " rows without a fitting repetition index",
                       p->rows);
    w = p->sizes[1] / (p->rows + 1);
    if (w != 1 && w != 2 && w != 4 && w != 8)
        return ia_fail(cx, IA_ERR_CORRUPT, "repetition index with entries of %" PRIu64 " bytes", w);
    l->index_width = (size_t)w;
    return IA_OK;
}

ia_status ia_leaf_zip_open(ia_ctx *cx, ia_leaf *l)
{
    const ia_page *p = ia_leaf_page(l);
    uint32_t bits = l->lay.bits_rep + l->lay.bits_def;
    bool var = l->phys.kind == IA_PHYS_VAR;
    uint64_t size;

    l->cw = bits == 0 ? 0 : bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
    l->index_width = 0;
    l->value_bytes = 0;
    if (p->n_buffers < 1 || var != (l->lay.bits_per_offset != 0))
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "full-zip page with %zu buffers and %" PRIu32 " bits per value",
                       p->n_buffers, l->lay.bits_per_value);
    if (l->lay.max_rep && !l->lay.bits_rep)
        return ia_fail(cx, IA_ERR_CORRUPT, "full-zip page of lists without repetition levels");
    if (!var)
        IA_TRY(fixed_bytes(cx, l, &l->value_bytes));
    if (var || l->lay.max_rep)
        return open_index(cx, l);
    if (!(l->cw + l->value_bytes) || p->rows != l->lay.num_items ||
        !ia_mul_u64(&size, p->rows, l->cw + l->value_bytes))
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "full-zip page of %" PRIu64 " rows with %" PRIu64 " entries", p->rows,
                       l->lay.num_items);
    if (size != p->sizes[0]) {
        /* Some writers put a zero control byte although there are no levels. */
        if (l->cw || p->sizes[0] < size || p->sizes[0] - size != p->rows)
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "full-zip page of %" PRIu64 " bytes, %" PRIu64 " expected", p->sizes[0],
                           size);
        l->cw = 1;
    }
    return IA_OK;
}

/* ---- values --------------------------------------------------------------------------------- */

static inline uint32_t load_word(const uint8_t *p, size_t cw)
{
    switch (cw) {
    case 1:
        return *p;
    case 2:
        return ia_le16(p);
    case 4:
        return ia_le32(p);
    default:
        return 0;
    }
}

static ia_status bad_entry(ia_ctx *cx, const ia_leaf *l, const uint8_t *start, const uint8_t *p)
{
    (void)l;
    return ia_fail(cx, IA_ERR_CORRUPT, "full-zip entry %td bytes into the range runs past its row",
                   p - start);
}

/* Entries of the byte range [p, end): levels to l->rep and l->def, values to out. */
static ia_status walk(ia_ctx *cx, ia_leaf *l, const uint8_t *p, const uint8_t *end, uint64_t rows,
                      ia_vals *out)
{
    const uint8_t *start = p;
    uint32_t def_mask = ((uint32_t)1 << l->lay.bits_def) - 1;
    size_t obytes = l->lay.bits_per_offset / 8, n = 0;
    uint64_t begun = 0;

    while (p < end) {
        uint32_t word, rep, def;

        if ((size_t)(end - p) < l->cw)
            return bad_entry(cx, l, start, p);
        word = load_word(p, l->cw);
        p += l->cw;
        def = word & def_mask;
        rep = word >> l->lay.bits_def;
        if (rep > l->lay.max_rep || def > l->lay.max_def)
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "full-zip control word %" PRIu32 " exceeds the levels", word);
        begun += rep == l->lay.max_rep;
        if (n >= l->rep_cap || n >= l->def_cap) {
            IA_TRY(ia_leaf_level_room(cx, &l->rep, &l->rep_cap, n + 1));
            IA_TRY(ia_leaf_level_room(cx, &l->def, &l->def_cap, n + 1));
        }
        l->rep[n] = (uint16_t)rep;
        l->def[n++] = (uint16_t)def;
        if (def > l->lay.max_visible)
            continue;
        if (!obytes) {
            if ((size_t)(end - p) < l->value_bytes)
                return bad_entry(cx, l, start, p);
            ia_fixed_value_put(cx, l->lay.values, p, out);
            p += l->value_bytes;
        } else if (def) {
            ia_vals_zeros(cx, out, 1);
        } else {
            ia_view v;
            uint64_t len = 0;

            if ((size_t)(end - p) >= obytes)
                len = obytes == 4 ? ia_le32(p) : ia_le64(p);
            if ((size_t)(end - p) < obytes || len > (size_t)(end - p) - obytes)
                return bad_entry(cx, l, start, p);
            v.data = (const char *)p + obytes;
            v.len = (size_t)len;
            IA_TRY(ia_value_decode_var(cx, &l->dec, l->lay.values, v, out));
            p += obytes + len;
        }
    }
    l->n_levels = n;
    if (begun != rows || (n && l->rep[0] != l->lay.max_rep))
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "full-zip range holds %" PRIu64 " rows, %" PRIu64 " expected", begun, rows);
    return ia_vals_status(cx, out);
}

/* ---- without an index ----------------------------------------------------------------------- */

/* Whole windows of a scan are handed out without a copy. A window holds a round number of batches.
 */
static ia_status read_slice(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b, ia_leafacc *acc,
                            bool *done)
{
    const ia_page *p = ia_leaf_page(l);
    size_t width = l->phys.width;
    uint64_t rows = b - a, off = p->offsets[0] + a * width, limit = ia_leaf_ahead(l, b, 0), k;
    const uint8_t *bytes;
    ia_buffer *whole;

    *done = false;
    if (!l->scan_end || acc->vals.n || rows * width < 4096)
        return IA_OK;
    k = ((uint64_t)1 << 20) / (rows * width);
    k = a + (k ? k : 1) * rows;
    limit = p->offsets[0] + (k < limit ? k : limit) * width;
    IA_TRY(ia_leaf_bytes(cx, l, &l->win, off, rows * width, limit, &bytes));
    if ((uintptr_t)bytes & 7)
        return IA_OK;
    whole = ia_file_tail(l->f, off, rows * width) ? l->f->tail : l->win.buf;
    IA_TRY(ia_buffer_part(cx, whole, bytes, (size_t)(rows * width), &acc->vals.slice));
    acc->vals.n = rows;
    ia_vals_inner_ones(cx, &acc->vals, rows);
    *done = true;
    return IA_OK;
}

static bool has_inner_validity(const ia_enc *e)
{
    for (; e->kind == IA_ENC_FSL; e = e->child) {
        if (e->has_validity)
            return true;
    }
    return e->kind != IA_ENC_FLAT;
}

static ia_status read_plain(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b, ia_vals *out)
{
    const ia_page *p = ia_leaf_page(l);
    size_t width = l->phys.width;
    uint64_t limit = ia_leaf_ahead(l, b, GAP_BYTES / width), off = p->offsets[0] + a * width;
    const uint8_t *bytes;
    uint8_t *o = ia_vals_extend(cx, out, b - a);

    if (!o)
        return ia_vals_status(cx, out);
    ia_vals_inner_ones(cx, out, b - a);
    if (limit == b && !l->scan_end && !ia_file_tail(l->f, off, (b - a) * width)) {
        const ia_window *w = &l->win;

        if (!w->buf || off < w->off || off - w->off > w->len ||
            (b - a) * width > w->len - (off - w->off))
            return ia_objfile_read(cx, l->f->io, off, (size_t)((b - a) * width), o, l->cls);
    }
    while (a < b) {
        uint64_t n = ((uint64_t)1 << 20) / width + 1;

        n = n < b - a ? n : b - a;
        IA_TRY(ia_leaf_bytes(cx, l, &l->win, p->offsets[0] + a * width, n * width,
                             p->offsets[0] + limit * width, &bytes));
        memcpy(o, bytes, (size_t)(n * width));
        o += n * width;
        a += n;
    }
    return IA_OK;
}

static ia_status read_strided(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b, ia_leafacc *acc)
{
    const ia_page *p = ia_leaf_page(l);
    uint64_t stride = l->cw + l->value_bytes, limit = ia_leaf_ahead(l, b, GAP_BYTES / stride);

    if (l->phys.width)
        IA_TRY(ia_vals_reserve(cx, &acc->vals, b - a, 0));
    while (a < b) {
        uint64_t n = ((uint64_t)1 << 20) / stride + 1, off = p->offsets[0] + a * stride;
        const uint8_t *bytes;

        n = n < b - a ? n : b - a;
        IA_TRY(
            ia_leaf_bytes(cx, l, &l->win, off, n * stride, p->offsets[0] + limit * stride, &bytes));
        IA_TRY(walk(cx, l, bytes, bytes + n * stride, n, &acc->vals));
        IA_TRY(ia_leaf_levels(cx, l, acc, NULL, l->def, l->n_levels));
        a += n;
    }
    return IA_OK;
}

/* ---- with an index -------------------------------------------------------------------------- */

static uint64_t load_index(const uint8_t *p, size_t w)
{
    switch (w) {
    case 1:
        return *p;
    case 2:
        return ia_le16(p);
    case 4:
        return ia_le32(p);
    default:
        return ia_le64(p);
    }
}

static ia_status read_indexed(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b, ia_leafacc *acc)
{
    const ia_page *p = ia_leaf_page(l);
    size_t w = l->index_width;
    uint64_t per_row = p->sizes[0] / (p->rows ? p->rows : 1) + 1;
    uint64_t limit = ia_leaf_ahead(l, b, GAP_BYTES / per_row), upto;

    while (a < b) {
        uint64_t n = ((uint64_t)1 << 20) / per_row + 1, from, to;
        const uint8_t *index, *bytes;

        n = n < b - a ? n : b - a;
        IA_TRY(ia_leaf_bytes(cx, l, &l->index_win, p->offsets[1] + a * w, (n + 1) * w,
                             p->offsets[1] + (limit + 1) * w, &index));
        from = load_index(index, w);
        to = load_index(index + n * w, w);
        if (from > to || to > p->sizes[0])
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "repetition index of row %" PRIu64 " at byte %" PRIu64 ": %" PRIu64
                           " to %" PRIu64 " of %" PRIu64,
                           a, p->offsets[1] + a * w, from, to, p->sizes[0]);
        upto = to;
        if (limit > a + n &&
            l->index_win.buf) { /* the end of what is wanted, when its entry is at hand */
            uint64_t far = p->offsets[1] + limit * w;

            if (far >= l->index_win.off && far + w <= l->index_win.off + l->index_win.len)
                upto = load_index(l->index_win.buf->data + (far - l->index_win.off), w);
            else if (l->scan_end)
                upto = p->sizes[0];
        }
        if (upto > p->sizes[0])
            upto = p->sizes[0];
        IA_TRY(ia_leaf_bytes(cx, l, &l->win, p->offsets[0] + from, to - from, p->offsets[0] + upto,
                             &bytes));
        IA_TRY(walk(cx, l, bytes, bytes + (to - from), n, &acc->vals));
        IA_TRY(ia_leaf_levels(cx, l, acc, l->lay.max_rep ? l->rep : NULL, l->def, l->n_levels));
        a += n;
    }
    return IA_OK;
}

/* ---- single rows ---------------------------------------------------------------------------- */

/* Longest read, and longest gap that is read over. */
enum { TAKE_BYTES = 256 << 10, TAKE_GAP = 4 << 10 };

bool ia_leaf_zip_takes(const ia_leaf *l)
{
    if (l->lay.max_rep)
        return false;
    return l->index_width != 0 ||
           (l->cw == 0 && l->phys.width && !has_inner_validity(l->lay.values));
}

/* Rows of `width` bytes each, in place: adjacent rows in one read, straight to where they belong.
 */
static ia_status take_plain(ia_ctx *cx, ia_leaf *l, const uint32_t *rows, size_t n, ia_leafacc *acc)
{
    const ia_page *p = ia_leaf_page(l);
    const size_t width = l->phys.width;
    uint8_t *o = ia_vals_extend(cx, &acc->vals, n);
    const uint8_t *bytes;

    if (!o)
        return ia_vals_status(cx, &acc->vals);
    ia_vals_inner_ones(cx, &acc->vals, n);
    for (size_t i = 0, j; i < n; i = j) {
        uint64_t off = p->offsets[0] + (rows[i] - p->first) * width, end = off + width;

        for (j = i + 1; j < n && end - off < TAKE_BYTES; j++) {
            uint64_t next = p->offsets[0] + (rows[j] - p->first) * width;

            if (next - end > TAKE_GAP)
                break;
            end = next + width;
        }
        if (end - off == (j - i) * width && !ia_file_tail(l->f, off, end - off)) {
            IA_TRY(ia_objfile_read(cx, l->f->io, off, (size_t)(end - off), o, l->cls));
            o += end - off;
            continue;
        }
        IA_TRY(ia_leaf_bytes(cx, l, &l->win, off, end - off, end, &bytes));
        for (size_t k = i; k < j; k++, o += width)
            memcpy(o, bytes + (uint64_t)(rows[k] - rows[i]) * width, width);
    }
    return IA_OK;
}

/* Entries of the index for rows[0..n): all of them at once when that is little for so many rows. */
static ia_status row_range(ia_ctx *cx, ia_leaf *l, uint64_t row, size_t n, uint64_t *from,
                           uint64_t *to)
{
    const ia_page *p = ia_leaf_page(l);
    const size_t w = l->index_width;
    uint64_t off = p->offsets[1] + row * w;
    const uint8_t *index;

    if (!ia_leaf_has_bytes(l, &l->index_win, off, 2 * w) && p->sizes[1] / 512 <= n)
        IA_TRY(
            ia_leaf_bytes(cx, l, &l->index_win, off, 2 * w, p->offsets[1] + p->sizes[1], &index));
    IA_TRY(ia_leaf_bytes(cx, l, &l->index_win, off, 2 * w, off + 2 * w, &index));
    *from = load_index(index, w);
    *to = load_index(index + w, w);
    if (*from > *to || *to > p->sizes[0])
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "repetition index of row %" PRIu64 " at byte %" PRIu64 ": %" PRIu64
                       " to %" PRIu64 " of %" PRIu64,
                       row, off, *from, *to, p->sizes[0]);
    return IA_OK;
}

static ia_status take_indexed(ia_ctx *cx, ia_leaf *l, const uint32_t *rows, size_t n,
                              ia_leafacc *acc)
{
    enum { AHEAD = 64 };
    const ia_page *p = ia_leaf_page(l);
    uint64_t from[AHEAD], to[AHEAD], end;
    const uint8_t *bytes;

    for (size_t i = 0, j; i < n; i += j) {
        for (j = 0; j < AHEAD && i + j < n; j++)
            IA_TRY(row_range(cx, l, rows[i + j] - p->first, n, &from[j], &to[j]));
        for (size_t k = 0; k < j; k++) {
            end = to[k];
            for (size_t m = k + 1;
                 m < j && from[m] >= end && from[m] - end <= TAKE_GAP && end - from[k] < TAKE_BYTES;
                 m++)
                end = to[m];
            IA_TRY(ia_leaf_bytes(cx, l, &l->win, p->offsets[0] + from[k], to[k] - from[k],
                                 p->offsets[0] + end, &bytes));
            IA_TRY(walk(cx, l, bytes, bytes + (to[k] - from[k]), 1, &acc->vals));
            IA_TRY(ia_leaf_levels(cx, l, acc, NULL, l->def, l->n_levels));
        }
    }
    return IA_OK;
}

ia_status ia_leaf_zip_take(ia_ctx *cx, ia_leaf *l, const uint32_t *rows, size_t n, ia_leafacc *acc)
{
    if (l->index_width)
        return take_indexed(cx, l, rows, n, acc);
    IA_TRY(take_plain(cx, l, rows, n, acc));
    return ia_leaf_levels(cx, l, acc, NULL, NULL, n);
}

/* ---- which ---------------------------------------------------------------------------------- */

ia_status ia_leaf_zip_read(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b, ia_leafacc *acc)
{
    bool done = false;

    if (l->index_width)
        return read_indexed(cx, l, a, b, acc);
    if (l->cw == 0 && l->phys.width && !has_inner_validity(l->lay.values)) {
        IA_TRY(read_slice(cx, l, a, b, acc, &done));
        if (!done)
            IA_TRY(read_plain(cx, l, a, b, &acc->vals));
        return ia_leaf_levels(cx, l, acc, NULL, NULL, (size_t)(b - a));
    }
    return read_strided(cx, l, a, b, acc);
}
