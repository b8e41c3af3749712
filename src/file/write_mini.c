/* write_mini.c - mini-block pages: chunks, levels, repetition index (file format 7.2 to 7.5). */
#include <inttypes.h>

#include "file/encodings/bitpack.h"
#include "file/write_priv.h"

enum {
    MAX_CHUNK = 32768,
    MAX_LEVELS = 65535,
    TARGET_VAR = 4096,
    TARGET_FIXED = 8186,
    PAD = 0xFE,
    FILL = 0x48
};

/* How one stream of levels of the page is stored: w = 0 raw u16, else packed to w bits. */
typedef struct level_codec {
    bool present;
    unsigned w;
} level_codec;

typedef struct mini {
    ia_ctx *cx;
    const ia_wlevels *lv;
    const ia_vals *v; /* values, or dictionary indices */
    bool bitpack;
    bool large;       /* 32-bit chunk words and value sizes (2.2) */
    size_t per_chunk; /* fixed width: values of a full chunk */
    level_codec rep, def;
    size_t n_value_bufs;
    ia_buf *words, *chunks, *index;
    ia_buf scratch; /* padded copy of values to be packed */
    bool too_large;
} mini;

/* ---- levels --------------------------------------------------------------------------------- */

static level_codec pick_levels(const uint16_t *v, uint64_t n)
{
    level_codec c = {.present = v != NULL};

    if (v && n >= 128) {
        c.w = ia_pack_width(16, v, (size_t)n);
        if (c.w >= 15)
            c.w = 0;
    }
    return c;
}

/* Full blocks, then the rest raw when that is not longer than a padded block. */
static void put_levels(mini *m, level_codec c, const uint16_t *v, size_t n)
{
    uint16_t pad[IA_PACK_BLOCK];
    uint8_t *p;

    if (!c.w) {
        ia_buf_put(m->cx, m->chunks, v, n * 2);
        return;
    }
    for (; n >= IA_PACK_BLOCK; n -= IA_PACK_BLOCK, v += IA_PACK_BLOCK) {
        p = ia_buf_extend(m->cx, m->chunks, 128 * (size_t)c.w);
        if (p)
            ia_pack16(v, c.w, p);
    }
    if (n <= 64 * (size_t)c.w) {
        ia_buf_put(m->cx, m->chunks, v, n * 2);
        return;
    }
    memset(pad, 0, sizeof pad);
    memcpy(pad, v, n * 2);
    p = ia_buf_extend(m->cx, m->chunks, 128 * (size_t)c.w);
    if (p)
        ia_pack16(pad, c.w, p);
}

static void put_level_enc(ia_ctx *cx, ia_buf *b, uint32_t member, level_codec c)
{
    size_t ce, ool;

    if (!c.present)
        return;
    if (!c.w) {
        ia_put_flat(cx, b, member, 16);
        return;
    }
    ce = ia_wire_begin(cx, b, member);
    ool = ia_wire_begin(cx, b, IA_ENC_OOL_BITPACK);
    ia_wire_put_u64(cx, b, 1, 16);
    ia_put_flat(cx, b, 3, c.w);
    ia_wire_end(cx, b, ool);
    ia_wire_end(cx, b, ce);
}

/* ---- values --------------------------------------------------------------------------------- */

/* Packed size against raw size, block by block. */
static bool packing_pays(const ia_vals *v)
{
    uint64_t packed = 0, raw = v->n * v->phys.width;

    for (uint64_t i = 0; i < v->n && packed < raw; i += IA_PACK_BLOCK) {
        size_t n = v->n - i < IA_PACK_BLOCK ? (size_t)(v->n - i) : IA_PACK_BLOCK;

        packed += v->phys.width +
                  128 * (uint64_t)ia_pack_width(v->phys.bits, v->data.data + i * v->phys.width, n);
    }
    return packed < raw;
}

static size_t fixed_chunk(const ia_phys *p)
{
    size_t n = 4096;
    uint64_t bits = p->value_bits;

    for (size_t k = 0; k < p->n_dims; k++) /* room for the items' validity */
        bits += p->items;
    while (n > 2 && n * bits / 8 >= TARGET_FIXED)
        n /= 2;
    return n;
}

/* Values of the chunk that starts at `at`: a power of two, or all that is left. */
static size_t chunk_count(const mini *m, uint64_t at)
{
    uint64_t left = m->v->n - at;
    size_t n = 2, word = m->v->phys.bits / 8;
    uint64_t from;

    if (m->v->phys.kind != IA_PHYS_VAR)
        return left < m->per_chunk ? (size_t)left : m->per_chunk;
    from = ia_vals_offset(m->v, at);
    if (left <= 1024 && (left + 1) * word + ia_vals_offset(m->v, m->v->n) - from <= TARGET_VAR)
        return (size_t)left;
    if (left < n)
        return (size_t)left;
    while (n < 1024 && n * 2 <= left &&
           (n * 2 + 1) * word + (ia_vals_offset(m->v, at + n * 2) - from) <= TARGET_VAR)
        n *= 2;
    return n;
}

static void put_variable(mini *m, uint64_t at, size_t n)
{
    const ia_vals *v = m->v;
    size_t word = v->phys.bits / 8, head = (n + 1) * word, start = m->chunks->len;
    uint64_t from = ia_vals_offset(v, at), len = ia_vals_offset(v, at + n) - from;
    uint8_t *p = ia_buf_extend(m->cx, m->chunks, head);

    for (size_t i = 0; p && i <= n; i++) {
        uint64_t off = head + (ia_vals_offset(v, at + i) - from);

        if (word == 4)
            ia_put_le32(p + i * 4, (uint32_t)off);
        else
            ia_put_le64(p + i * 8, off);
    }
    if (len)
        ia_buf_put(m->cx, m->chunks, v->data.data + from, (size_t)len);
    len = (m->chunks->len - start) % word;
    if (len)
        ia_buf_fill(m->cx, m->chunks, FILL, word - (size_t)len);
}

static void put_packed(mini *m, uint64_t at, size_t n)
{
    const ia_phys *ph = &m->v->phys;
    const uint8_t *src = m->v->data.data + at * ph->width;
    unsigned w = ia_pack_width(ph->bits, src, n);
    uint8_t head[8];
    uint8_t *p;

    ia_put_le64(head, w);
    ia_buf_put(m->cx, m->chunks, head, ph->width);
    if (n < IA_PACK_BLOCK) {
        ia_buf_clear(&m->scratch);
        ia_buf_put(m->cx, &m->scratch, src, n * ph->width);
        ia_buf_fill(m->cx, &m->scratch, 0, (IA_PACK_BLOCK - n) * ph->width);
        src = m->scratch.data;
    }
    p = ia_buf_extend(m->cx, m->chunks, 128 * (size_t)w);
    if (p && src)
        ia_pack(ph->bits, src, w, p);
}

static void put_bits(mini *m, const uint8_t *src, uint64_t from, uint64_t n)
{
    size_t bytes = (size_t)((n + 7) / 8);
    uint8_t *p = ia_buf_extend(m->cx, m->chunks, bytes);

    if (!p)
        return;
    memset(p, 0, bytes);
    ia_bits_copy(p, 0, src, (int64_t)from, (int64_t)n);
}

static void pad_chunk(mini *m, size_t start)
{
    size_t rest = (m->chunks->len - start) % 8;

    if (rest)
        ia_buf_fill(m->cx, m->chunks, PAD, 8 - rest);
}

/* Ends a part: notes its size in the header at `head + slot`, then pads. */
static void end_part(mini *m, size_t start, size_t part, size_t slot, bool wide)
{
    size_t len = m->chunks->len - part;

    if (m->chunks->failed)
        return;
    if (len > MAX_CHUNK)
        m->too_large = true;
    else if (wide)
        ia_put_le32(m->chunks->data + start + slot, (uint32_t)len);
    else
        ia_put_le16(m->chunks->data + start + slot, (uint16_t)len);
    pad_chunk(m, start);
}

static void put_chunk_values(mini *m, size_t start, size_t slot, uint64_t at, size_t n)
{
    const ia_vals *v = m->v;
    uint64_t items = 1;
    size_t part;

    for (size_t k = 0; k < v->phys.n_dims; k++) {
        items *= v->phys.dims[k];
        if (!ia_vals_has_inner_nulls(v, k))
            continue;
        part = m->chunks->len;
        put_bits(m, v->inner[k].bits.data, at * items, n * items);
        end_part(m, start, part, slot, m->large);
        slot += m->large ? 4 : 2;
    }
    part = m->chunks->len;
    if (v->phys.kind == IA_PHYS_VAR)
        put_variable(m, at, n);
    else if (m->bitpack)
        put_packed(m, at, n);
    else if (v->phys.width)
        ia_buf_put(m->cx, m->chunks, v->data.data + at * v->phys.width, n * v->phys.width);
    else
        put_bits(m, v->data.data, at * v->phys.value_bits, n * v->phys.value_bits);
    end_part(m, start, part, slot, m->large);
}

/* ---- chunks --------------------------------------------------------------------------------- */

/* Entries of the chunk: up to and with its n-th visible one; the last chunk takes the rest. */
static uint64_t entries_end(const mini *m, uint64_t from, size_t n, bool last)
{
    const ia_wlevels *lv = m->lv;

    if (last)
        return lv->n;
    if (!lv->def || lv->max_visible == lv->max_def)
        return from + n;
    for (; n; from++)
        n -= lv->def[from] <= lv->max_visible;
    return from;
}

/* (F, L) of file format 3.3 for entries [from, to). */
static void put_index_pair(mini *m, uint64_t from, uint64_t to)
{
    const ia_wlevels *lv = m->lv;
    bool ends = to == lv->n || lv->rep[to] == lv->max_rep, preamble = lv->rep[from] != lv->max_rep;
    uint64_t starts = 0, last = from;
    uint8_t pair[16];

    for (uint64_t i = from; i < to; i++) {
        if (lv->rep[i] == lv->max_rep) {
            starts++;
            last = i;
        }
    }
    ia_put_le64(pair, starts + preamble - !ends);
    ia_put_le64(pair + 8, ends ? 0 : to - last);
    ia_buf_put(m->cx, m->index, pair, sizeof pair);
}

static void put_chunk(mini *m, uint64_t at, size_t n, uint64_t from, uint64_t to, bool last)
{
    size_t start = m->chunks->len, slot = 2, part, size;
    size_t head =
        2 + 2 * ((size_t)m->rep.present + m->def.present) + (m->large ? 4 : 2) * m->n_value_bufs;
    uint8_t word[4];

    ia_buf_fill(m->cx, m->chunks, 0, head);
    pad_chunk(m, start);
    if (m->chunks->failed)
        return;
    if (m->rep.present || m->def.present) {
        if (to - from > MAX_LEVELS)
            m->too_large = true;
        else
            ia_put_le16(m->chunks->data + start, (uint16_t)(to - from));
    }
    if (m->rep.present) {
        part = m->chunks->len;
        put_levels(m, m->rep, m->lv->rep + from, (size_t)(to - from));
        end_part(m, start, part, slot, false);
        slot += 2;
    }
    if (m->def.present) {
        part = m->chunks->len;
        put_levels(m, m->def, m->lv->def + from, (size_t)(to - from));
        end_part(m, start, part, slot, false);
        slot += 2;
    }
    put_chunk_values(m, start, slot, at, n);
    size = m->chunks->len - start;
    if (size > MAX_CHUNK)
        m->too_large = true;
    ia_put_le32(word, (uint32_t)((size / 8 - 1) << 4 | (last ? 0u : (unsigned)__builtin_ctzll(n))));
    ia_buf_put(m->cx, m->words, word, m->large ? 4 : 2);
}

static ia_status put_chunks(mini *m)
{
    uint64_t at = 0, from = 0;

    while (at < m->v->n && !m->too_large) {
        size_t n = chunk_count(m, at);
        bool last = at + n == m->v->n;
        uint64_t to = entries_end(m, from, n, last);

        put_chunk(m, at, n, from, to, last);
        if (m->lv->rep)
            put_index_pair(m, from, to);
        IA_TRY(ia_buf_status(m->chunks));
        at += n;
        from = to;
    }
    IA_TRY(ia_buf_status(m->words));
    return ia_buf_status(m->index);
}

/* ---- page ----------------------------------------------------------------------------------- */

static void describe(mini *m, const ia_wleaf *l, uint64_t dict_items, ia_buf *b)
{
    ia_ctx *cx = m->cx;
    size_t page = ia_wire_begin(cx, b, IA_LAYOUT_MINI), ce, in;

    put_level_enc(cx, b, 1, m->rep);
    put_level_enc(cx, b, 2, m->def);
    if (m->bitpack) {
        ce = ia_wire_begin(cx, b, 3);
        in = ia_wire_begin(cx, b, IA_ENC_INLINE_BITPACK);
        ia_wire_put_u64(cx, b, 1, m->v->phys.bits);
        ia_wire_end(cx, b, in);
        ia_wire_end(cx, b, ce);
    } else {
        ia_put_value_enc(cx, b, 3, m->v);
    }
    if (dict_items) {
        ia_put_value_enc(cx, b, 4, &l->vals);
        ia_wire_put_u64(cx, b, 5, dict_items);
    }
    ia_put_layers(cx, b, 6, m->lv);
    ia_wire_put_u64(cx, b, 7, m->n_value_bufs);
    ia_wire_put_u64(cx, b, 8, m->lv->rep ? 1 : 0);
    ia_wire_put_u64(cx, b, 9, m->v->n);
    ia_wire_put_bool(cx, b, 10, m->large);
    ia_wire_end(cx, b, page);
}

static void prepare(mini *m, const ia_wleaf *l, bool dict)
{
    m->bitpack = (l->bitpack || dict) && packing_pays(m->v);
    m->large = l->large_chunks;
    m->per_chunk = m->bitpack                         ? (size_t)IA_PACK_BLOCK
                   : m->v->phys.kind == IA_PHYS_FIXED ? fixed_chunk(&m->v->phys)
                                                      : 0;
    m->rep = pick_levels(m->lv->rep, m->lv->n);
    m->def = pick_levels(m->lv->def, m->lv->n);
    m->n_value_bufs = 1;
    for (size_t k = 0; k < m->v->phys.n_dims; k++)
        m->n_value_bufs += ia_vals_has_inner_nulls(m->v, k);
}

ia_status ia_write_mini(ia_ctx *cx, const ia_wleaf *l, const ia_wlevels *lv, ia_wpage *out,
                        bool *fits)
{
    mini m = {.cx = cx, .lv = lv, .v = &l->vals, .words = &out->bufs[0], .chunks = &out->bufs[1]};
    ia_vals indices = {0};
    uint64_t dict_items = 0;
    bool dict = false;
    size_t n = 2;
    ia_status st = IA_OK;

    *fits = false;
    if (l->phys.kind == IA_PHYS_VAR)
        IA_GO(ia_write_dict(cx, l, &indices, &out->bufs[2], &dict_items, &dict));
    if (dict) {
        m.v = &indices;
        n++;
    }
    m.index = &out->bufs[n];
    prepare(&m, l, dict);
    IA_GO(put_chunks(&m));
    if (lv->rep)
        n++;
    describe(&m, l, dict_items, &out->layout);
    IA_GO(ia_buf_status(&out->layout));
    out->n = n;
    for (size_t i = 0; i < n; i++) {
        out->views[i].data = out->bufs[i].data ? (const char *)out->bufs[i].data : "";
        out->views[i].len = out->bufs[i].len;
    }
    *fits = !m.too_large;
done:
    ia_vals_dispose(&indices);
    ia_buf_dispose(&m.scratch);
    return st;
}
