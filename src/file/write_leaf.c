/* write_leaf.c - the page that a column is filling: takes rows of batches, goes when it is full. */
#include "file/shred_priv.h"
#include "file/write_queue.h"

enum {
    MAX_STEP = 1 << 20,      /* rows looked at in one go */
    MAX_LEVEL_BITS = 131072, /* of a page with invisible entries: one chunk may get them all */
    MAX_LEVELS = 65535
};

/* ---- buffers -------------------------------------------------------------------------------- */

uint64_t ia_wleaf_bytes(const ia_wleaf *l)
{
    return l->vals.data.len + l->vals.offs.len + l->rep.len + l->events.len + l->dict.data.len +
           l->dict.offs.len;
}

/* A borrowed buffer is not ours to keep. */
static void give_back(ia_wleaf *l)
{
    if (l->vals.slice)
        memset(&l->vals.data, 0, sizeof l->vals.data);
}

void ia_wleaf_clear(ia_wleaf *l)
{
    l->first_row += l->rows;
    l->rows = l->entries = l->invisible = l->valid = l->longest = 0;
    ia_buf_clear(&l->rep);
    ia_buf_clear(&l->events);
    give_back(l);
    ia_vals_clear(&l->vals);
    ia_vals_clear(&l->dict);
    ia_wintern_clear(l->intern);
    memset(l->used, 0, sizeof l->used);
}

void ia_wleaf_dispose(ia_wleaf *l)
{
    ia_buf_dispose(&l->rep);
    ia_buf_dispose(&l->events);
    give_back(l);
    ia_vals_dispose(&l->vals);
    ia_vals_dispose(&l->dict);
    ia_buf_dispose(&l->pages);
    ia_wintern_free(l->intern);
    l->intern = NULL;
    if (l->parts_owned)
        ia_free(l->parts);
    l->parts = NULL;
}

/* ---- entries -------------------------------------------------------------------------------- */

/* Entries [from, to) of the shredded rows, which are `rows` rows. */
typedef struct piece {
    uint64_t from, to, rows;
} piece;

static void count_events(ia_wleaf *l, const uint8_t *ev, uint64_t n)
{
    uint64_t valid = 0;

    for (uint64_t i = 0; i < n; i++)
        valid += ev[i] == 0;
    for (uint64_t i = 0; valid < n && i < n; i++)
        l->used[ev[i]] = true;
    l->used[0] = false;
    l->valid += valid;
}

static ia_status put_entries(ia_ctx *cx, ia_wleaf *l, const ia_shred *s, const piece *p)
{
    const uint8_t *ev = ia_shred_events(s);
    const uint16_t *rep = ia_shred_rep(s);
    uint64_t n = p->to - p->from;

    if (rep)
        ia_buf_put(cx, &l->rep, rep + p->from, (size_t)n * 2);
    if (ev && !l->events.len && l->entries)
        ia_buf_fill(cx, &l->events, 0, (size_t)l->entries);
    if (ev)
        ia_buf_put(cx, &l->events, ev + p->from, (size_t)n);
    else if (l->events.len)
        ia_buf_fill(cx, &l->events, 0, (size_t)n);
    if (ev)
        count_events(l, ev + p->from, n);
    else
        l->valid += n;
    l->entries += n;
    IA_TRY(ia_buf_status(&l->rep));
    return ia_buf_status(&l->events);
}

static ia_status put_run(ia_ctx *cx, ia_wleaf *l, ia_wqueue *q, const ia_shred *s,
                         const ia_array *a, const ia_wrun *run)
{
    const uint8_t *ev = ia_shred_events(s);

    if (ev)
        ev += run->entry;
    if (l->kind == IA_WKIND_BLOB)
        return ia_wblob_put(cx, l, q, a, run->slot, run->n, ev);
    if (l->kind == IA_WKIND_EMPTY_STRUCT && ev) {
        for (uint64_t k = 0; k < run->n; k++) {
            if (ev[k])
                return ia_shred_refuse(cx, l, s, l->depth - 1, run->entry + k,
                                       "a struct without fields cannot be null in a Lance file");
        }
    }
    return ia_wleaf_put(cx, l, s, a, run, ev);
}

/* The parts of the runs inside the piece. */
static ia_status put_values(ia_ctx *cx, ia_wleaf *l, ia_wqueue *q, const ia_shred *s,
                            const ia_array *a, const piece *p)
{
    const ia_wrun *run;
    size_t n = ia_shred_runs(s, &run);
    uint64_t before = l->vals.n;

    for (size_t i = 0; i < n && run[i].entry < p->to; i++) {
        ia_wrun part = run[i];
        uint64_t end = part.entry + part.n < p->to ? part.entry + part.n : p->to;

        if (end <= p->from)
            continue;
        if (part.entry < p->from) {
            part.slot += p->from - part.entry;
            part.entry = p->from;
        }
        part.n = end - part.entry;
        IA_TRY(put_run(cx, l, q, s, a, &part));
    }
    l->invisible += p->to - p->from - (l->vals.n - before);
    return IA_OK;
}

static ia_status put_piece(ia_ctx *cx, ia_wleaf *l, ia_wqueue *q, const ia_shred *s,
                           const ia_array *a, const piece *p)
{
    IA_TRY(put_values(cx, l, q, s, a, p));
    IA_TRY(put_entries(cx, l, s, p));
    l->rows += p->rows;
    return IA_OK;
}

/* ---- pages ---------------------------------------------------------------------------------- */

static unsigned bit_length(uint64_t v)
{
    return v ? 64u - (unsigned)__builtin_clzll(v) : 0;
}

/* Definition levels that the page would have with these rows as well, at most. */
static uint64_t count_levels(const ia_wleaf *l, const ia_shred *s)
{
    const uint8_t *ev = ia_shred_events(s);
    bool seen[2 * IA_MAX_LAYERS + 1];
    uint64_t n = 0;

    if (ia_wlevels_are_fixed(l)) {
        for (size_t i = 0; i < l->depth; i++)
            n += (uint64_t)l->node[i]->nullable + ia_type_is_list(l->node[i]->type);
        return n;
    }
    memcpy(seen, l->used, sizeof seen);
    for (uint64_t e = 0; ev && e < s->n; e++)
        seen[ev[e]] = true;
    for (size_t i = 1; i < sizeof seen; i++)
        n += seen[i];
    return n;
}

/* Entries that a page with invisible ones may have (file format 7.4): all of them may end up as the
 * levels of one chunk. */
static uint64_t max_entries(const ia_wleaf *l, const ia_shred *s)
{
    unsigned bits = bit_length(l->n_lists) + bit_length(count_levels(l, s));
    uint64_t n = MAX_LEVEL_BITS / (bits ? bits : 1);

    return n < MAX_LEVELS ? n : MAX_LEVELS;
}

static uint64_t count_rows(const ia_wleaf *l, const uint16_t *rep, uint64_t from, uint64_t to)
{
    uint64_t rows = 0;

    for (uint64_t e = from; e < to; e++)
        rows += rep[e] == l->n_lists;
    return rows;
}

static bool has_hidden(const ia_shred *s)
{
    const ia_wrun *run;
    size_t n = ia_shred_runs(s, &run);
    uint64_t visible = 0;

    for (size_t i = 0; i < n; i++)
        visible += run[i].n;
    return visible != s->n;
}

/* The whole rows from entry `from` on that the page still takes; none when p->to is p->from. */
static void cut(const ia_wleaf *l, const ia_shred *s, uint64_t from, uint64_t max, piece *p)
{
    const uint16_t *rep = ia_shred_rep(s);
    uint64_t room = l->entries < max ? max - l->entries : 0;

    p->from = from;
    p->to = s->n;
    if (s->n - from <= room) {
        p->rows = rep ? count_rows(l, rep, from, s->n) : s->rows;
        return;
    }
    for (p->to = from + room; p->to > from && rep[p->to] != l->n_lists;)
        p->to--;
    if (p->to == from && !l->rows) {
        for (p->to = from + 1; p->to < s->n && rep[p->to] != l->n_lists;)
            p->to++;
    }
    p->rows = count_rows(l, rep, from, p->to);
}

/* Puts all shredded rows, into several pages if need be. */
static ia_status put_rows(ia_ctx *cx, ia_wleaf *l, ia_wqueue *q, const ia_shred *s,
                          const ia_array *a)
{
    bool limited = l->invisible || (ia_shred_rep(s) && has_hidden(s));
    uint64_t max = limited ? max_entries(l, s) : UINT64_MAX;

    if (ia_wintern_is_full(l, a))
        IA_TRY(ia_wqueue_put(cx, q, l));
    for (uint64_t at = 0; at < s->n;) {
        piece p;

        cut(l, s, at, max, &p);
        if (p.to > p.from)
            IA_TRY(put_piece(cx, l, q, s, a, &p));
        if (p.to < s->n)
            IA_TRY(ia_wqueue_put(cx, q, l));
        at = p.to;
    }
    return IA_OK;
}

/* A whole page that lies in the batch is not copied. */
static ia_status put_borrowed(ia_ctx *cx, ia_wleaf *l, const ia_shred *s, const ia_array *a,
                              uint64_t page_bytes, bool *done)
{
    const ia_wrun *run;
    piece p = {.to = s->n, .rows = s->rows};

    *done = false;
    if (l->rows || l->n_lists || ia_shred_events(s) || ia_shred_runs(s, &run) != 1 ||
        run->n * l->phys.width < page_bytes)
        return IA_OK;
    IA_TRY(ia_wleaf_borrow(cx, l, a, run, done));
    if (*done) {
        IA_TRY(put_entries(cx, l, s, &p));
        l->rows += p.rows;
    }
    return IA_OK;
}

static ia_status append(ia_ctx *cx, ia_wleaf *l, ia_wqueue *q, ia_shred *s, const ia_array *a,
                        uint64_t page_bytes)
{
    const ia_array *leaf;

    for (int64_t at = 0; at < a->length;) {
        uint64_t have = ia_wleaf_bytes(l);
        int64_t left = a->length - at, n = 0;
        bool done;

        if (have < page_bytes)
            n = ia_shred_fit(l, a, at, left < MAX_STEP ? left : MAX_STEP, page_bytes - have,
                             page_bytes / 8);
        if (n == 0 && l->rows) {
            IA_TRY(ia_wqueue_put(cx, q, l));
            continue;
        }
        n = n ? n : 1;
        IA_TRY(ia_shred_rows(cx, l, s, a, at, n, &leaf));
        IA_TRY(put_borrowed(cx, l, s, leaf, page_bytes, &done));
        if (!done)
            IA_TRY(put_rows(cx, l, q, s, leaf));
        else
            IA_TRY(ia_wqueue_put(cx, q, l));
        at += n;
    }
    return ia_wleaf_bytes(l) >= page_bytes ? ia_wqueue_put(cx, q, l) : IA_OK;
}

ia_status ia_wleaf_append(ia_ctx *cx, ia_wleaf *l, ia_wqueue *q, const ia_array *a,
                          uint64_t page_bytes)
{
    ia_shred s = {0};
    ia_status st = append(cx, l, q, &s, a, page_bytes);

    ia_shred_dispose(&s);
    return st;
}
