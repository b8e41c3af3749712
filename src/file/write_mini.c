/* write_mini.c - mini-block pages: chunks, levels, repetition index (file format 7.2 to 7.5). */
#include "file/write_enc.h"

enum { MAX_CHUNK = 32768, MAX_LEVELS = 65535, PAD = 0xFE };

typedef struct mini {
    ia_ctx *cx;
    const ia_wlevels *lv;
    const ia_vals *v; /* values, codes or dictionary indices */
    ia_wcodec codec;
    ia_wputter put;
    ia_level_codec rep, def;
    size_t n_value_bufs;
    bool large; /* 32-bit chunk words and value sizes (2.2) */
    ia_buf *words, *chunks, *index;
    bool too_large;
    ia_wdict dict;
    ia_wfsst fsst;
} mini;

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

static void pad_chunk(mini *m, size_t start)
{
    size_t rest = (m->chunks->len - start) % 8;

    if (rest)
        ia_buf_fill(m->cx, m->chunks, PAD, 8 - rest);
}

/* Ends a part that began at `part`: notes its size in the header at `slot`, then pads. */
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

/* Header with room for the sizes; returns where the sizes of the value buffers go. */
static size_t put_head(mini *m, size_t start, uint64_t from, uint64_t to)
{
    size_t slot = 2, part, word = m->large ? 4 : 2;
    size_t head = 2 + 2 * ((size_t)m->rep.present + m->def.present) + word * m->n_value_bufs;

    ia_buf_fill(m->cx, m->chunks, 0, head);
    pad_chunk(m, start);
    if (m->chunks->failed)
        return slot;
    if (m->rep.present || m->def.present) {
        if (to - from > MAX_LEVELS)
            m->too_large = true;
        else
            ia_put_le16(m->chunks->data + start, (uint16_t)(to - from));
    }
    if (m->rep.present) {
        part = m->chunks->len;
        ia_levels_put(m->cx, m->chunks, m->rep, m->lv->rep + from, (size_t)(to - from));
        end_part(m, start, part, slot, false);
        slot += 2;
    }
    if (m->def.present) {
        part = m->chunks->len;
        ia_levels_put(m->cx, m->chunks, m->def, m->lv->def + from, (size_t)(to - from));
        end_part(m, start, part, slot, false);
        slot += 2;
    }
    return slot;
}

static ia_status put_chunk(mini *m, uint64_t at, size_t n, uint64_t from, uint64_t to, bool last)
{
    size_t start = m->chunks->len, slot = put_head(m, start, from, to), size;
    uint8_t word[4];

    for (size_t k = 0; k < m->n_value_bufs; k++) {
        size_t part = m->chunks->len;

        IA_TRY(ia_wputter_put(m->cx, &m->put, k, at, n, m->chunks));
        end_part(m, start, part, slot, m->large);
        slot += m->large ? 4 : 2;
    }
    size = m->chunks->len - start;
    if (size > MAX_CHUNK)
        m->too_large = true;
    ia_put_le32(word, (uint32_t)((size / 8 - 1) << 4 | (last ? 0u : (unsigned)__builtin_ctzll(n))));
    ia_buf_put(m->cx, m->words, word, m->large ? 4 : 2);
    return ia_buf_status(m->chunks);
}

static ia_status put_chunks(mini *m)
{
    uint64_t at = 0, from = 0;

    while (at < m->v->n && !m->too_large) {
        size_t n = ia_wputter_count(m->cx, &m->put, at);
        bool last = at + n == m->v->n;
        uint64_t to = entries_end(m, from, n, last);

        IA_TRY(put_chunk(m, at, n, from, to, last));
        if (m->lv->rep)
            put_index_pair(m, from, to);
        at += n;
        from = to;
    }
    IA_TRY(ia_buf_status(m->words));
    return ia_buf_status(m->index);
}

/* ---- page ----------------------------------------------------------------------------------- */

/* Values as they are, coded, or indices of a dictionary: whatever is smallest. */
static ia_status pick_values(mini *m, const ia_wleaf *l)
{
    uint64_t rival;

    m->v = &l->vals;
    IA_TRY(ia_wfsst_train(m->cx, l, &m->fsst));
    IA_TRY(ia_wcodec_pick(m->cx, l, &l->vals, NULL, &m->codec));
    rival = m->fsst.size < m->codec.size ? m->fsst.size : m->codec.size;
    IA_TRY(ia_wdict_make(m->cx, l, rival, &m->dict));
    if (m->dict.n) {
        m->v = m->dict.indices;
        return ia_wcodec_pick(m->cx, l, m->v, NULL, &m->codec);
    }
    if (!m->fsst.coder)
        return IA_OK;
    IA_TRY(ia_wfsst_encode(m->cx, l, &m->fsst));
    m->v = &m->fsst.codes;
    return ia_wcodec_pick(m->cx, l, m->v, m->fsst.table, &m->codec);
}

/* Room for all chunks at once, so that they are not moved while they grow. */
static ia_status reserve(mini *m)
{
    uint64_t size = m->codec.size + m->codec.size / 32 + 4096;

    if (size < 65536 || size > m->v->data.len + m->v->offs.len + (1u << 20))
        return IA_OK;
    if (!ia_buf_extend(m->cx, m->chunks, (size_t)size))
        return ia_buf_status(m->chunks);
    ia_buf_clear(m->chunks);
    return IA_OK;
}

static void describe(mini *m, const ia_wleaf *l, ia_buf *b)
{
    ia_ctx *cx = m->cx;
    size_t page = ia_wire_begin(cx, b, IA_LAYOUT_MINI);

    ia_levels_describe(cx, b, 1, m->rep);
    ia_levels_describe(cx, b, 2, m->def);
    ia_wcodec_describe(cx, b, 3, l, m->v, &m->codec);
    if (m->dict.n) {
        ia_wdict_describe(cx, b, 4, &m->dict);
        ia_wire_put_u64(cx, b, 5, m->dict.n);
    }
    ia_put_layers(cx, b, 6, m->lv);
    ia_wire_put_u64(cx, b, 7, m->n_value_bufs);
    ia_wire_put_u64(cx, b, 8, m->lv->rep ? 1 : 0);
    ia_wire_put_u64(cx, b, 9, m->v->n);
    ia_wire_put_bool(cx, b, 10, m->large);
    ia_wire_end(cx, b, page);
}

static ia_status make_page(mini *m, const ia_wleaf *l, ia_wpage *out)
{
    size_t n = 2;
    uint64_t per; /* levels of a chunk, about */

    IA_TRY(pick_values(m, l));
    m->put.c = &m->codec;
    m->put.v = m->v;
    per = (uint64_t)((double)ia_wputter_count(m->cx, &m->put, 0) / (double)m->v->n *
                     (double)m->lv->n);
    m->n_value_bufs = ia_wcodec_buffers(&m->codec, m->v);
    m->large = l->large_chunks;
    m->rep = ia_levels_pick(m->lv->rep, m->lv->n, per, l->minor);
    m->def = ia_levels_pick(m->lv->def, m->lv->n, per, l->minor);
    m->index = &out->bufs[m->dict.n ? 3 : 2];
    IA_TRY(reserve(m));
    IA_TRY(put_chunks(m));
    describe(m, l, &out->layout);
    if (m->dict.n) {
        out->bufs[n++] = m->dict.items;
        memset(&m->dict.items, 0, sizeof m->dict.items);
    }
    ia_wpage_show(out, n + (m->lv->rep ? 1 : 0));
    return ia_buf_status(&out->layout);
}

ia_status ia_write_mini(ia_ctx *cx, const ia_wleaf *l, const ia_wlevels *lv, ia_wpage *out,
                        bool *fits)
{
    mini *m = NULL;
    ia_status st;

    *fits = false;
    IA_GO(IA_NEW(cx, m));
    m->cx = cx;
    m->lv = lv;
    m->words = &out->bufs[0];
    m->chunks = &out->bufs[1];
    m->put.run_at = UINT64_MAX;
    IA_GO(make_page(m, l, out));
    *fits = !m->too_large;
done:
    if (m) {
        ia_wdict_dispose(&m->dict);
        ia_wfsst_dispose(&m->fsst);
        ia_wputter_dispose(&m->put);
    }
    ia_free(m);
    return st;
}
