/* leaf_mini.c - rows of mini-block pages: chunk tables, chunks, dictionaries, repetition index. */
#include <inttypes.h>

#include "file/encodings/kernels/kernels.h"
#include "file/encodings/pick.h"
#include "file/leaf_priv.h"

/* Values of one chunk that we accept; the engine stays below 4096, the format below 32768 but for a
 * last chunk. */
#define MAX_CHUNK_VALUES ((uint64_t)1 << 24)
#define GAP_BYTES ((uint64_t)16 << 10)
/* Takes: longest read, longest gap that is read over, rows of one chunk at a time. */
enum { TAKE_BYTES = 256 << 10, TAKE_GAP = 4 << 10, TAKE_ROWS = 256 };

/* ---- opening a page ------------------------------------------------------------------------- */

/* Buffer 0: log2 of values in the low four bits, bytes / 8 - 1 above; the last chunk takes the
 * rest. */
static ia_status chunk_table(ia_ctx *cx, ia_leaf *l, const uint8_t *words, size_t word)
{
    const ia_page *p = ia_leaf_page(l);
    uint64_t off = p->offsets[1], val = 0;

    IA_TRY(IA_NEW_ARRAY(cx, l->chunk_off, l->n_chunks + 1));
    IA_TRY(IA_NEW_ARRAY(cx, l->chunk_val, l->n_chunks + 1));
    for (size_t c = 0; c < l->n_chunks; c++) {
        uint32_t w = word == 2 ? ia_le16(words + c * 2) : ia_le32(words + c * word);

        l->chunk_off[c] = off;
        l->chunk_val[c] = val;
        off += ((uint64_t)(word == 8 ? w : w >> 4) + 1) * 8;
        val += word == 8 ? ia_le32(words + c * 8 + 4) : (uint64_t)1 << (w & 15);
    }
    l->chunk_off[l->n_chunks] = off;
    if (off - p->offsets[1] != p->sizes[1])
        return ia_fail(cx, IA_ERR_CORRUPT, "chunks of %" PRIu64 " bytes in a buffer of %" PRIu64,
                       off - p->offsets[1], p->sizes[1]);
    l->chunk_val[l->n_chunks] = l->lay.num_items;
    if (l->n_chunks && (l->chunk_val[l->n_chunks - 1] > l->lay.num_items ||
                        l->lay.num_items - l->chunk_val[l->n_chunks - 1] > MAX_CHUNK_VALUES))
        return ia_fail(cx, IA_ERR_CORRUPT, "chunks do not hold %" PRIu64 " values",
                       l->lay.num_items);
    return IA_OK;
}

/* Pairs (rows ended in the chunk, entries left over). */
static ia_status repetition_index(ia_ctx *cx, ia_leaf *l)
{
    const ia_page *p = ia_leaf_page(l);
    size_t k = p->n_buffers - 1;
    uint8_t *owned = NULL;
    const uint8_t *data;
    uint64_t rows = 0;
    ia_status st;

    if (l->lay.rep_depth != 1 || p->sizes[k] != (uint64_t)l->n_chunks * 16)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "repetition index of depth %" PRIu32 " and %" PRIu64 " bytes for %zu chunks",
                       l->lay.rep_depth, p->sizes[k], l->n_chunks);
    IA_GO(ia_leaf_buffer(cx, l, k, &owned, &data));
    IA_GO(IA_NEW_ARRAY(cx, l->chunk_row, l->n_chunks + 1));
    IA_GO(IA_NEW_ARRAY(cx, l->chunk_rest, l->n_chunks + 1));
    for (size_t c = 0; c < l->n_chunks; c++) {
        uint64_t ended = ia_le64(data + c * 16), rest = ia_le64(data + c * 16 + 8);

        l->chunk_row[c] = rows;
        l->chunk_rest[c] = rest > UINT32_MAX ? UINT32_MAX : (uint32_t)rest;
        if (!ia_add_u64(&rows, rows, ended) || rows > p->rows || rest > UINT32_MAX)
            IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "repetition index counts more than %" PRIu64 " rows",
                          p->rows));
    }
    l->chunk_row[l->n_chunks] = rows;
    if (rows != p->rows)
        st = ia_fail(cx, IA_ERR_CORRUPT, "repetition index counts %" PRIu64 " of %" PRIu64 " rows",
                     rows, p->rows);
done:
    ia_free(owned);
    return st;
}

static ia_status open_dictionary(ia_ctx *cx, ia_leaf *l)
{
    uint32_t bits = ia_enc_bits(l->lay.values);
    uint8_t *owned = NULL;
    const uint8_t *data;
    ia_view v;
    ia_status st;

    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "dictionary indices of encoding %s",
                       ia_enc_name(l->lay.values->kind));
    if (l->lay.dict_items > UINT32_MAX)
        return ia_fail(cx, IA_ERR_CORRUPT, "dictionary of %" PRIu64 " items", l->lay.dict_items);
    IA_GO(ia_leaf_buffer(cx, l, 2, &owned, &data));
    v.data = (const char *)data;
    v.len = (size_t)ia_leaf_page(l)->sizes[2];
    IA_GO(ia_block_values(cx, &l->dec, l->lay.dict, v, l->lay.dict_items, &l->dict));
    if (l->phys.kind == IA_PHYS_VAR) { /* room to copy a short string by COPY_STEP bytes */
        IA_GO(ia_vals_begin_var(cx, &l->dict));
        IA_GO(ia_vals_reserve(cx, &l->dict, 0, 16));
    } else { /* an item of zeros for indices that name none */
        ia_buf_fill(cx, &l->dict.data, 0, l->phys.width);
        IA_GO(ia_buf_status(&l->dict.data));
    }
    l->has_dict = true;
    memset(&l->chunk_phys, 0, sizeof l->chunk_phys);
    l->chunk_phys.kind = IA_PHYS_FIXED;
    l->chunk_phys.bits = bits;
    l->chunk_phys.items = 1;
    l->chunk_phys.value_bits = bits;
    l->chunk_phys.width = bits / 8;
done:
    ia_free(owned);
    return st;
}

ia_status ia_leaf_mini_open(ia_ctx *cx, ia_leaf *l)
{
    const ia_page *p = ia_leaf_page(l);
    bool sparse = l->lay.kind == IA_LAYOUT_SPARSE; /* has more buffers, and values for no rows */
    size_t word = sparse && !l->lay.planar ? 8 : l->lay.large_chunk ? 4 : 2, want = 2;
    uint8_t *owned = NULL;
    const uint8_t *words;
    ia_status st;

    want += l->lay.dict != NULL;
    want += l->lay.rep_depth != 0;
    if (p->n_buffers < want || (p->n_buffers > want && !sparse) || p->sizes[0] % word)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "mini-block page with %zu buffers, the first of %" PRIu64 " bytes",
                       p->n_buffers, p->n_buffers ? p->sizes[0] : 0);
    if (ia_mini_buffers(l->lay.values) != l->lay.num_buffers)
        return ia_fail(cx, IA_ERR_CORRUPT, "mini-block page with %" PRIu32 " value buffers",
                       l->lay.num_buffers);
    if (!l->lay.rep != !l->lay.max_rep ||
        (!l->lay.max_rep && l->lay.num_items != p->rows && !sparse))
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "mini-block page of %" PRIu64 " rows with %" PRIu64 " values", p->rows,
                       l->lay.num_items);
    l->n_chunks = (size_t)p->sizes[0] / word;
    IA_GO(ia_leaf_buffer(cx, l, 0, &owned, &words));
    IA_GO(chunk_table(cx, l, words, word));
    if (l->lay.max_rep)
        IA_GO(repetition_index(cx, l));
    l->chunk_phys = l->phys;
    if (l->lay.dict)
        IA_GO(open_dictionary(cx, l));
    l->chunk = l->n_chunks;
    l->vals.phys = l->chunk_phys;
    ia_vals_clear(&l->vals);
    l->has_def = l->lay.def != NULL;
done:
    ia_free(owned);
    return st;
}

/* ---- chunks --------------------------------------------------------------------------------- */

typedef struct chunk_parts {
    size_t n_levels;
    ia_view rep, def;
    ia_view bufs[IA_ENC_MAX_DEPTH];
} chunk_parts;

static bool take_part(const uint8_t *p, size_t len, size_t *pos, size_t n, ia_view *out)
{
    if (*pos > len || n > len - *pos)
        return false;
    out->data = (const char *)p + *pos;
    out->len = n;
    *pos = (*pos + n + 7) & ~(size_t)7;
    return true;
}

/* Header: entries, sizes of rep, def and value buffers; every part is padded to 8 bytes. */
static bool split_chunk(const ia_leaf *l, const uint8_t *p, size_t len, chunk_parts *out)
{
    size_t sizes[IA_ENC_MAX_DEPTH], pos = 2, rep = 0, def = 0, wide = l->lay.large_chunk ? 4 : 2;
    size_t head = 2 + (l->lay.rep ? 2u : 0u) + (l->lay.def ? 2u : 0u) + wide * l->lay.num_buffers;

    if (head > len)
        return false;
    out->n_levels = ia_le16(p);
    if (l->lay.rep) {
        rep = ia_le16(p + pos);
        pos += 2;
    }
    if (l->lay.def) {
        def = ia_le16(p + pos);
        pos += 2;
    }
    for (uint32_t i = 0; i < l->lay.num_buffers; i++, pos += wide)
        sizes[i] = wide == 4 ? ia_le32(p + pos) : ia_le16(p + pos);
    pos = (pos + 7) & ~(size_t)7;
    if (l->lay.rep && !take_part(p, len, &pos, rep, &out->rep))
        return false;
    if (l->lay.def && !take_part(p, len, &pos, def, &out->def))
        return false;
    for (uint32_t i = 0; i < l->lay.num_buffers; i++) {
        if (!take_part(p, len, &pos, sizes[i], &out->bufs[i]))
            return false;
    }
    return pos == len;
}

/* Chunk up to which reading on pays, given that the caller needs page row `end`. */
static uint64_t read_limit(const ia_leaf *l, size_t c, uint64_t end)
{
    const ia_page *p = ia_leaf_page(l);
    uint64_t per_row = p->rows ? p->sizes[1] / p->rows + 1 : 1;
    uint64_t row;
    const uint64_t *starts = l->lay.max_rep ? l->chunk_row : l->chunk_val;
    size_t lo = c, hi = l->n_chunks;

    if (ia_leaf_has_bytes(l, &l->win, l->chunk_off[c], l->chunk_off[c + 1] - l->chunk_off[c]))
        return l->chunk_off[c + 1];
    row = ia_leaf_ahead(l, end, GAP_BYTES / per_row);
    while (hi - lo > 1) { /* last chunk whose first row is before `row` */
        size_t mid = lo + (hi - lo) / 2;

        if (starts[mid] < row)
            lo = mid;
        else
            hi = mid;
    }
    return l->chunk_off[lo + 1];
}

/* Finds the parts of chunk c, decodes its levels into l->rep and l->def. Reading may go on to byte
 * `upto`. */
/* The count has 16 bits, and large chunks may hold more entries than that: then the runs of their
 * levels tell. */
static size_t level_count(const ia_leaf *l, const chunk_parts *p)
{
    const ia_enc *encs[2] = {l->lay.rep, l->lay.def};
    const ia_view views[2] = {p->rep, p->def};
    uint64_t n;

    for (int i = 0; l->lay.large_chunk && i < 2; i++) {
        if (encs[i] && ia_block_told(encs[i], views[i], &n) && n > UINT16_MAX &&
            n <= MAX_CHUNK_VALUES && (n & UINT16_MAX) == p->n_levels)
            return (size_t)n;
    }
    return p->n_levels;
}

static ia_status open_chunk(ia_ctx *cx, ia_leaf *l, size_t c, uint64_t upto, chunk_parts *parts)
{
    uint64_t n = l->chunk_val[c + 1] - l->chunk_val[c], len = l->chunk_off[c + 1] - l->chunk_off[c];
    const uint8_t *p;

    l->chunk = l->n_chunks;
    memset(parts, 0, sizeof *parts);
    IA_TRY(ia_leaf_bytes(cx, l, &l->win, l->chunk_off[c], len, upto, &p));
    if (!split_chunk(l, p, (size_t)len, parts))
        return ia_fail(cx, IA_ERR_CORRUPT, "parts do not fill %" PRIu64 " bytes", len);
    l->n_levels = l->lay.rep || l->lay.def ? level_count(l, parts) : (size_t)n;
    if (l->lay.rep) {
        IA_TRY(ia_leaf_level_room(cx, &l->rep, &l->rep_cap, l->n_levels));
        IA_TRY(ia_block_levels(cx, &l->dec, l->lay.rep, parts->rep, l->n_levels, l->lay.max_rep,
                               l->rep));
    }
    if (l->lay.def) {
        IA_TRY(ia_leaf_level_room(cx, &l->def, &l->def_cap, l->n_levels));
        IA_TRY(ia_block_levels(cx, &l->dec, l->lay.def, parts->def, l->n_levels, l->lay.max_def,
                               l->def));
    }
    if (ia_leaf_visible(l, l->has_def ? l->def : NULL, l->n_levels) != n)
        return ia_fail(cx, IA_ERR_CORRUPT, "%zu entries do not name %" PRIu64 " values",
                       l->n_levels, n);
    return IA_OK;
}

static ia_status at_chunk(ia_ctx *cx, const ia_leaf *l, size_t c, ia_status st)
{
    return st == IA_OK ? st
                       : ia_fail_prefix(cx, st, "chunk %zu at byte %" PRIu64, c, l->chunk_off[c]);
}

/* Levels go to l->rep and l->def, values are appended to `out`. */
static ia_status decode_chunk(ia_ctx *cx, ia_leaf *l, size_t c, uint64_t end, ia_vals *out)
{
    uint64_t n = l->chunk_val[c + 1] - l->chunk_val[c];
    chunk_parts parts;
    ia_status st;

    st = open_chunk(cx, l, c, read_limit(l, c, end), &parts);
    if (st == IA_OK)
        st = ia_mini_decode(cx, &l->dec, l->lay.values, parts.bufs, l->lay.num_buffers, n, out);
    return at_chunk(cx, l, c, st);
}

static ia_status load_chunk(ia_ctx *cx, ia_leaf *l, size_t c, uint64_t end)
{
    if (l->chunk == c)
        return IA_OK;
    ia_vals_clear(&l->vals);
    IA_TRY(decode_chunk(cx, l, c, end, &l->vals));
    l->chunk = c;
    return IA_OK;
}

/* Values [start, start + n) of the loaded chunk. */
static ia_status append_values(ia_ctx *cx, ia_leaf *l, uint64_t start, uint64_t n,
                               const uint16_t *vdef, ia_vals *out)
{
    if (l->has_dict)
        return ia_leaf_gather(cx, l, start, n, vdef, out);
    return ia_vals_append(cx, out, &l->vals, start, n);
}

/* ---- columns without lists ------------------------------------------------------------------ */

static size_t chunk_of(const ia_leaf *l, const uint64_t *starts, uint64_t x)
{
    size_t lo = 0, hi = l->n_chunks;

    for (size_t c = l->hint; c < l->n_chunks && c <= l->hint + 1; c++) {
        if (starts[c] <= x && x < starts[c + 1])
            return c;
    }
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;

        if (starts[mid] <= x)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

static ia_status read_flat(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b, ia_leafacc *acc)
{
    while (a < b) {
        size_t c = chunk_of(l, l->chunk_val, a);
        uint64_t first = l->chunk_val[c], end = l->chunk_val[c + 1];
        uint64_t stop = end < b ? end : b;
        const uint16_t *def = NULL;

        if (a < first || a >= end)
            return ia_fail(cx, IA_ERR_CORRUPT, "row %" PRIu64 " lies in no chunk", a);
        l->hint = c;
        if (a == first && stop == end && l->chunk != c && !l->has_dict) {
            IA_TRY(
                decode_chunk(cx, l, c, b, &acc->vals)); /* whole chunks go straight to the batch */
        } else {
            IA_TRY(load_chunk(cx, l, c, b));
            IA_TRY(append_values(cx, l, a - first, stop - a,
                                 l->has_def ? l->def + (a - first) : NULL, &acc->vals));
        }
        if (l->has_def)
            def = l->def + (a - first);
        IA_TRY(ia_leaf_levels(cx, l, acc, NULL, def, (size_t)(stop - a)));
        a = stop;
    }
    return IA_OK;
}

ia_status ia_leaf_mini_values(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b, const uint16_t *null,
                              ia_vals *out)
{
    while (a < b) {
        size_t c = chunk_of(l, l->chunk_val, a);
        uint64_t first = l->chunk_val[c], end = l->chunk_val[c + 1], stop = end < b ? end : b;

        if (!l->n_chunks || a < first || a >= end)
            return ia_fail(cx, IA_ERR_CORRUPT, "value %" PRIu64 " lies in no chunk", a);
        l->hint = c;
        if (a == first && stop == end && l->chunk != c && !l->has_dict) {
            IA_TRY(decode_chunk(cx, l, c, b, out));
        } else {
            IA_TRY(load_chunk(cx, l, c, b));
            IA_TRY(append_values(cx, l, a - first, stop - a, null, out));
        }
        if (null)
            null += stop - a;
        a = stop;
    }
    return IA_OK;
}

/* ---- single rows ---------------------------------------------------------------------------- */

/* End of the bytes worth reading from chunk c on, when rows[0..n) (in ascending order, rows[0] in
 * chunk c) are wanted: chunks that hold none of them are read only in small gaps. */
static uint64_t take_limit(const ia_leaf *l, size_t c, const uint32_t *rows, size_t n)
{
    const uint64_t first = ia_leaf_page(l)->first, start = l->chunk_off[c];
    uint64_t upto = l->chunk_off[c + 1];

    for (size_t i = 1; i < n && upto - start < TAKE_BYTES; i++) {
        uint64_t row = rows[i] - first;

        while (row >= l->chunk_val[c + 1]) {
            if (++c == l->n_chunks || l->chunk_off[c] > upto + TAKE_GAP)
                return upto;
        }
        upto = l->chunk_off[c + 1];
    }
    return upto;
}

/* The values at[0..k) of chunk c and their definition levels. */
static ia_status take_from(ia_ctx *cx, ia_leaf *l, size_t c, const chunk_parts *parts,
                           const uint32_t *at, size_t k, ia_leafacc *acc)
{
    uint64_t n = l->chunk_val[c + 1] - l->chunk_val[c];
    ia_vals *to = l->has_dict ? &l->vals : &acc->vals;
    uint16_t def[TAKE_ROWS];
    bool done;

    if (l->has_def) {
        for (size_t i = 0; i < k; i++)
            def[i] = l->def[at[i]];
    }
    if (l->has_dict)
        ia_vals_clear(&l->vals);
    IA_TRY(ia_mini_pick(cx, &l->dec, l->lay.values, parts->bufs, l->lay.num_buffers, n, at, k, to,
                        &done));
    if (done && l->has_dict)
        IA_TRY(ia_leaf_gather(cx, l, 0, k, l->has_def ? def : NULL, &acc->vals));
    if (!done) {
        if (l->chunk != c) {
            ia_vals_clear(&l->vals);
            IA_TRY(ia_mini_decode(cx, &l->dec, l->lay.values, parts->bufs, l->lay.num_buffers, n,
                                  &l->vals));
            l->chunk = c;
        }
        for (size_t i = 0; i < k; i++)
            IA_TRY(append_values(cx, l, at[i], 1, l->has_def ? def + i : NULL, &acc->vals));
    }
    return ia_leaf_levels(cx, l, acc, NULL, l->has_def ? def : NULL, k);
}

ia_status ia_leaf_mini_take(ia_ctx *cx, ia_leaf *l, const uint32_t *rows, size_t n, ia_leafacc *acc)
{
    const uint64_t first = ia_leaf_page(l)->first;
    uint32_t at[TAKE_ROWS];
    chunk_parts parts;

    for (size_t i = 0; i < n;) {
        size_t c = chunk_of(l, l->chunk_val, rows[i] - first), j = i;
        uint64_t begin = l->chunk_val[c], end = l->chunk_val[c + 1], upto = l->chunk_off[c + 1];

        if (rows[i] - first < begin || rows[i] - first >= end)
            return ia_fail(cx, IA_ERR_CORRUPT, "row %" PRIu64 " lies in no chunk", rows[i] - first);
        l->hint = c;
        if (!ia_leaf_has_bytes(l, &l->win, l->chunk_off[c], upto - l->chunk_off[c]))
            upto = take_limit(l, c, rows + i, n - i);
        IA_TRY(at_chunk(cx, l, c, open_chunk(cx, l, c, upto, &parts)));
        while (j < n && rows[j] - first < end) {
            size_t k = 0;

            while (j < n && k < TAKE_ROWS && rows[j] - first < end)
                at[k++] = (uint32_t)(rows[j++] - first - begin);
            IA_TRY(at_chunk(cx, l, c, take_from(cx, l, c, &parts, at, k, acc)));
        }
        l->chunk = l->n_chunks;
        i = j;
    }
    return IA_OK;
}

/* ---- columns with lists --------------------------------------------------------------------- */

/* Entry of number k (from 0) among those that start a row; n when there is none. */
static size_t find_start(const uint16_t *rep, size_t n, unsigned max, uint64_t k)
{
    enum { STEP = 128 };
    const ia_kernels *kernels = ia_kernels_pick();
    size_t at = 0;

    for (; n - at >= STEP; at += STEP) {
        size_t starts = STEP - kernels->levels_below(rep + at, STEP, max);

        if (starts > k)
            break;
        k -= starts;
    }
    for (; at < n; at++) {
        if (rep[at] == max && k-- == 0)
            break;
    }
    return at;
}

/* Puts the cursor at the first entry of page row `row` (file format 3.3). */
static ia_status seek_row(ia_ctx *cx, ia_leaf *l, uint64_t row, uint64_t end)
{
    size_t lo = 0,
           hi = l->n_chunks; /* chunk where the row ends: smallest c with chunk_row[c + 1] > row */
    size_t c;
    uint64_t k;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (l->chunk_row[mid + 1] > row)
            hi = mid;
        else
            lo = mid + 1;
    }
    if (lo == l->n_chunks)
        return ia_fail(cx, IA_ERR_CORRUPT, "row %" PRIu64 " ends in no chunk", row);
    c = lo;
    if (row == l->chunk_row[c] && c > 0 && l->chunk_rest[c - 1] > 0) {
        c--;
        while (c > 0 && l->chunk_row[c + 1] == l->chunk_row[c] && l->chunk_rest[c - 1] > 0)
            c--;
        IA_TRY(load_chunk(cx, l, c, end));
        if (l->chunk_rest[c] > l->n_levels)
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "chunk %zu: repetition index names entry -%" PRIu32 " of %zu", c,
                           l->chunk_rest[c], l->n_levels);
        l->entry = l->n_levels - l->chunk_rest[c];
    } else {
        k = row - l->chunk_row[c];
        if (c > 0 && l->chunk_rest[c - 1] > 0)
            k--;
        IA_TRY(load_chunk(cx, l, c, end));
        l->entry = find_start(l->rep, l->n_levels, l->lay.max_rep, k);
    }
    if (l->entry >= l->n_levels || l->rep[l->entry] != l->lay.max_rep)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "chunk %zu at byte %" PRIu64 ": row %" PRIu64 " does not start there", c,
                       l->chunk_off[c], row);
    l->value = ia_leaf_visible(l, l->has_def ? l->def : NULL, l->entry);
    l->cur_row = row;
    l->hint = c;
    return IA_OK;
}

/* Definition levels of the visible entries only, in place of l->def's tail; NULL = all valid. */
static ia_status visible_defs(ia_ctx *cx, ia_leaf *l, size_t from, size_t to, uint16_t **out)
{
    size_t n = 0;

    *out = NULL;
    if (!l->has_def || !l->has_dict)
        return IA_OK;
    IA_TRY(IA_NEW_ARRAY(cx, *out, to - from + 1));
    for (size_t i = from; i < to; i++) {
        if (l->def[i] <= l->lay.max_visible)
            (*out)[n++] = l->def[i];
    }
    return IA_OK;
}

static ia_status append_entries(ia_ctx *cx, ia_leaf *l, size_t to, ia_leafacc *acc)
{
    const uint16_t *def = l->has_def ? l->def + l->entry : NULL;
    size_t n = to - l->entry;
    uint64_t values = ia_leaf_visible(l, def, n);
    uint16_t *vdef = NULL;
    ia_status st;

    IA_GO(visible_defs(cx, l, l->entry, to, &vdef));
    IA_GO(append_values(cx, l, l->value, values, vdef, &acc->vals));
    IA_GO(ia_leaf_levels(cx, l, acc, l->rep + l->entry, def, n));
    l->value += values;
    l->entry = to;
done:
    ia_free(vdef);
    return st;
}

static ia_status read_lists(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b, ia_leafacc *acc)
{
    uint64_t begun = 0, want = b - a;
    size_t c;

    if (l->cur_row != a || l->chunk != l->hint)
        IA_TRY(seek_row(cx, l, a, b));
    l->cur_row = UINT64_MAX;
    c = l->hint;
    for (;;) {
        const uint16_t *rep = l->rep + l->entry;
        size_t left = l->n_levels - l->entry, e = l->n_levels;
        uint64_t starts = left - ia_kernels_pick()->levels_below(rep, left, l->lay.max_rep);

        if (starts > want - begun) {
            e = l->entry + find_start(rep, left, l->lay.max_rep, want - begun);
            starts = want - begun;
        }
        begun += starts;
        IA_TRY(append_entries(cx, l, e, acc));
        if (e < l->n_levels)
            break;
        /* The chunk is used up; the next one is needed for more rows or for the rest of this one.
         */
        if (c + 1 == l->n_chunks) {
            if (begun != want)
                return ia_fail(cx, IA_ERR_CORRUPT,
                               "page ends after %" PRIu64 " of %" PRIu64 " rows", a + begun, b);
            break;
        }
        if (begun == want && l->chunk_rest[c] == 0)
            break;
        l->hint = ++c;
        IA_TRY(load_chunk(cx, l, c, b));
        l->entry = 0;
        l->value = 0;
    }
    if (l->entry < l->n_levels)
        l->cur_row = b;
    return IA_OK;
}

ia_status ia_leaf_mini_read(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b, ia_leafacc *acc)
{
    return l->lay.max_rep ? read_lists(cx, l, a, b, acc) : read_flat(cx, l, a, b, acc);
}
