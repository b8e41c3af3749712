/* shred.c - Arrow columns into entries of a leaf, one layer after the other (file format 2.6). */
#include <inttypes.h>

#include "file/shred_priv.h"

/* ---- small helpers -------------------------------------------------------------------------- */

void ia_shred_dispose(ia_shred *s)
{
    for (size_t i = 0; i < 2; i++) {
        ia_buf_dispose(&s->rep[i]);
        ia_buf_dispose(&s->ev[i]);
        ia_buf_dispose(&s->runs[i]);
    }
    memset(s, 0, sizeof *s);
}

static inline ia_wrun *runs_of(const ia_shred *s)
{
    return (ia_wrun *)(void *)s->runs[s->at].data;
}

size_t ia_shred_runs(const ia_shred *s, const ia_wrun **out)
{
    *out = runs_of(s);
    return s->runs[s->at].len / sizeof **out;
}

const uint8_t *ia_shred_events(const ia_shred *s)
{
    return s->has_events ? s->ev[s->at].data : NULL;
}

const uint16_t *ia_shred_rep(const ia_shred *s)
{
    return s->has_rep ? (const uint16_t *)(const void *)s->rep[s->at].data : NULL;
}

static ia_status need_events(ia_ctx *cx, ia_shred *s)
{
    if (s->has_events)
        return IA_OK;
    ia_buf_clear(&s->ev[s->at]);
    ia_buf_fill(cx, &s->ev[s->at], 0, (size_t)s->n);
    IA_TRY(ia_buf_status(&s->ev[s->at]));
    s->has_events = true;
    return IA_OK;
}

static uint64_t list_offset(const ia_array *a, int64_t i)
{
    const uint8_t *p;

    if (!a->bufs[1])
        return 0;
    if (a->type->id == IA_TYPE_LARGE_LIST) {
        p = a->bufs[1]->data + (size_t)(a->offset + i) * 8;
        return ia_le64(p);
    }
    p = a->bufs[1]->data + (size_t)(a->offset + i) * 4;
    return ia_le32(p);
}

/* ---- nulls ---------------------------------------------------------------------------------- */

/* "a.item.b" for messages. */
static void put_path(ia_ctx *cx, ia_buf *b, const ia_wleaf *l, size_t node)
{
    for (size_t i = 1; i <= node; i++) {
        ia_buf_puts(cx, b, i == 1 ? "" : ".");
        ia_buf_puts(cx, b, l->node[i]->name);
    }
}

static uint64_t row_of(const ia_wleaf *l, const ia_shred *s, uint64_t entry)
{
    const uint16_t *rep = ia_shred_rep(s);
    uint64_t rows = 0;

    if (!rep)
        return entry / (s->n / s->rows);
    for (uint64_t e = 0; e <= entry; e++)
        rows += rep[e] == l->n_lists;
    return rows - 1;
}

ia_status ia_shred_refuse(ia_ctx *cx, const ia_wleaf *l, const ia_shred *s, size_t node,
                          uint64_t entry, const char *why)
{
    uint64_t row = s->first_row + row_of(l, s, entry);
    ia_buf path = {0};
    ia_status st;

    if (node == 0) {
        st =
            ia_fail(cx, IA_ERR_INVALID, "column '%s', row %" PRIu64 ": %s", l->top->name, row, why);
    } else {
        put_path(cx, &path, l, node);
        st = ia_fail(cx, IA_ERR_INVALID, "column '%s', field '%s', row %" PRIu64 ": %s",
                     l->top->name, path.data ? (const char *)path.data : l->node[node]->name, row,
                     why);
    }
    ia_buf_dispose(&path);
    return st;
}

/* Marks the live entries of one run whose slot is null. */
static bool mark_run(uint8_t *ev, const uint8_t *bits, uint64_t bit, uint64_t n, uint8_t code)
{
    bool any = false;

    for (uint64_t k = 0; k < n; k++, bit++) {
        bool null = !((bits[bit >> 3] >> (bit & 7)) & 1) & !ev[k];

        ev[k] = null ? code : ev[k];
        any |= null;
    }
    return any;
}

static ia_status refuse_first(ia_ctx *cx, const ia_wleaf *l, const ia_shred *s, size_t node,
                              uint8_t code)
{
    const uint8_t *ev = s->ev[s->at].data;
    uint64_t e = 0;

    while (e + 1 < s->n && ev[e] != code)
        e++;
    return ia_shred_refuse(cx, l, s, node, e, "null in a field that does not allow it");
}

/* Nulls of node number `node`, whose array is `a`. */
static ia_status put_nulls(ia_ctx *cx, const ia_wleaf *l, ia_shred *s, size_t node,
                           const ia_array *a)
{
    uint8_t code = IA_EVENT_NULL(l->depth - 1 - node);
    size_t n = s->runs[s->at].len / sizeof(ia_wrun);
    const ia_wrun *run;
    bool all = a->type->id == IA_TYPE_NULL, any = false;
    uint8_t *ev;

    if (!all && (!a->null_count || !a->bufs[0]))
        return IA_OK;
    IA_TRY(need_events(cx, s));
    ev = s->ev[s->at].data;
    run = runs_of(s);
    for (size_t i = 0; i < n; i++, run++) {
        if (!all) {
            any |= mark_run(ev + run->entry, a->bufs[0]->data, (uint64_t)a->offset + run->slot,
                            run->n, code);
            continue;
        }
        for (uint64_t k = 0; k < run->n; k++) {
            any |= !ev[run->entry + k];
            ev[run->entry + k] = ev[run->entry + k] ? ev[run->entry + k] : code;
        }
    }
    return any && !l->node[node]->nullable ? refuse_first(cx, l, s, node, code) : IA_OK;
}

/* An index to a null of the dictionary is a null too. */
static ia_status put_dictionary_nulls(ia_ctx *cx, const ia_wleaf *l, ia_shred *s, const ia_array *a)
{
    const ia_array *values = a->children[0];
    uint8_t code = IA_EVENT_NULL(0);
    const ia_wrun *run;
    size_t n = ia_shred_runs(s, &run);
    bool any = false;
    uint8_t *ev;

    if (!values->null_count)
        return IA_OK;
    IA_TRY(need_events(cx, s));
    ev = s->ev[s->at].data;
    for (size_t i = 0; i < n; i++, run++) {
        for (uint64_t k = 0; k < run->n; k++) {
            uint64_t index;

            if (ev[run->entry + k])
                continue;
            index = ia_wintern_index(a, (int64_t)(run->slot + k));
            if (index < (uint64_t)values->length && !ia_array_valid(values, (int64_t)index)) {
                ev[run->entry + k] = code;
                any = true;
            }
        }
    }
    return any && !l->node[l->depth - 1]->nullable ? refuse_first(cx, l, s, l->depth - 1, code)
                                                   : IA_OK;
}

/* ---- structs and fixed-size lists of structs ------------------------------------------------- */

static void shift_runs(ia_shred *s, uint64_t by)
{
    size_t n = s->runs[s->at].len / sizeof(ia_wrun);

    for (size_t i = 0; i < n; i++)
        runs_of(s)[i].slot += by;
}

/* Every entry becomes `size` entries; there are no lists around (one run, all visible). */
static ia_status spread(ia_ctx *cx, ia_shred *s, uint64_t size)
{
    int to = !s->at;
    const uint8_t *ev = ia_shred_events(s);
    ia_wrun *run = runs_of(s);

    if (ev) {
        uint8_t *p;

        ia_buf_clear(&s->ev[to]);
        p = ia_buf_extend(cx, &s->ev[to], (size_t)(s->n * size));
        for (uint64_t e = 0; p && e < s->n; e++, p += size)
            memset(p, ev[e], (size_t)size);
        IA_TRY(ia_buf_status(&s->ev[to]));
    }
    ia_buf_clear(&s->runs[to]);
    ia_buf_put(cx, &s->runs[to], run, sizeof *run);
    IA_TRY(ia_buf_status(&s->runs[to]));
    s->at = to;
    run = runs_of(s);
    run->slot *= size;
    run->n *= size;
    s->n *= size;
    return IA_OK;
}

/* ---- lists ---------------------------------------------------------------------------------- */

/* The way from the entries of one level to those below a list. */
typedef struct descent {
    const uint8_t *ev_in;
    const uint16_t *rep_in;
    uint8_t *ev;
    uint16_t *rep;
    uint64_t n; /* entries so far */
    uint16_t top, next;
    uint8_t empty;
    bool events;
    ia_wrun run; /* the open one */
    ia_buf *runs;
} descent;

static void close_run(ia_ctx *cx, descent *d)
{
    if (d->run.n)
        ia_buf_put(cx, d->runs, &d->run, sizeof d->run);
    d->run.n = 0;
}

static inline void put_hidden(ia_ctx *cx, descent *d, uint16_t rep, uint8_t event)
{
    close_run(cx, d);
    d->rep[d->n] = rep;
    d->ev[d->n++] = event;
    d->events = true;
}

/* `len` items from child slot `slot` on. */
static inline void put_items(ia_ctx *cx, descent *d, uint16_t rep, uint64_t slot, uint64_t len)
{
    uint16_t *p = d->rep + d->n;

    if (!d->run.n || slot != d->run.slot + d->run.n) {
        close_run(cx, d);
        d->run.entry = d->n;
        d->run.slot = slot;
    }
    d->run.n += len;
    p[0] = rep;
    for (uint64_t k = 1; k < len; k++)
        p[k] = d->next;
    d->n += len;
}

static void descend_run(ia_ctx *cx, descent *d, const ia_array *a, const ia_wrun *run)
{
    uint64_t from = list_offset(a, (int64_t)run->slot);

    for (uint64_t k = 0; k < run->n; k++) {
        uint64_t e = run->entry + k, to = list_offset(a, (int64_t)(run->slot + k + 1));
        uint16_t rep = d->rep_in ? d->rep_in[e] : d->top;

        if (d->ev_in && d->ev_in[e])
            put_hidden(cx, d, rep, d->ev_in[e]);
        else if (to == from)
            put_hidden(cx, d, rep, d->empty);
        else
            put_items(cx, d, rep, from, to - from);
        from = to;
    }
}

static void descend_all(ia_ctx *cx, ia_shred *s, descent *d, const ia_array *a)
{
    const ia_wrun *run;
    size_t n = ia_shred_runs(s, &run);
    uint64_t e = 0;

    for (size_t i = 0; i < n; i++) {
        for (; e < run[i].entry; e++)
            put_hidden(cx, d, d->rep_in ? d->rep_in[e] : d->top, d->ev_in[e]);
        descend_run(cx, d, a, &run[i]);
        e = run[i].entry + run[i].n;
    }
    for (; e < s->n; e++)
        put_hidden(cx, d, d->rep_in ? d->rep_in[e] : d->top, d->ev_in[e]);
    close_run(cx, d);
}

/* Entries below the list `a`: at most one for each entry now and one for each item. */
static ia_status descend(ia_ctx *cx, const ia_wleaf *l, ia_shred *s, size_t node, const ia_array *a)
{
    int to = !s->at;
    const ia_wrun *run;
    size_t n = ia_shred_runs(s, &run);
    uint64_t room = s->n;
    descent d = {.ev_in = ia_shred_events(s),
                 .rep_in = ia_shred_rep(s),
                 .top = (uint16_t)l->n_lists,
                 .next = (uint16_t)(l->lists_below[node] - 1),
                 .empty = IA_EVENT_EMPTY(l->depth - 1 - node),
                 .runs = &s->runs[to]};

    for (size_t i = 0; i < n; i++)
        room += list_offset(a, (int64_t)(run[i].slot + run[i].n)) -
                list_offset(a, (int64_t)run[i].slot);
    ia_buf_clear(&s->rep[to]);
    ia_buf_clear(&s->ev[to]);
    ia_buf_clear(&s->runs[to]);
    d.rep = (uint16_t *)(void *)ia_buf_extend(cx, &s->rep[to], (size_t)room * 2);
    ia_buf_fill(cx, &s->ev[to], 0, (size_t)room);
    d.ev = s->ev[to].data;
    IA_TRY(ia_buf_status(&s->rep[to]));
    IA_TRY(ia_buf_status(&s->ev[to]));
    descend_all(cx, s, &d, a);
    IA_TRY(ia_buf_status(&s->runs[to]));
    s->at = to;
    s->n = d.n;
    s->has_rep = true;
    s->has_events = d.events;
    return IA_OK;
}

/* ---- all layers ----------------------------------------------------------------------------- */

static ia_status begin(ia_ctx *cx, const ia_wleaf *l, ia_shred *s, int64_t start, int64_t n)
{
    ia_wrun run = {.entry = 0, .slot = (uint64_t)start, .n = (uint64_t)n};

    s->n = s->rows = (uint64_t)n;
    s->first_row = l->first_row + l->rows;
    s->has_rep = s->has_events = false;
    s->at = 0;
    ia_buf_clear(&s->runs[0]);
    ia_buf_put(cx, &s->runs[0], &run, sizeof run);
    return ia_buf_status(&s->runs[0]);
}

ia_status ia_shred_rows(ia_ctx *cx, const ia_wleaf *l, ia_shred *s, const ia_array *a,
                        int64_t start, int64_t n, const ia_array **leaf)
{
    IA_TRY(begin(cx, l, s, start, n));
    for (size_t i = 0;; i++) {
        const ia_type *t = a->type;

        IA_TRY(put_nulls(cx, l, s, i, a));
        if (i + 1 == l->depth) {
            if (t->id == IA_TYPE_DICTIONARY)
                IA_TRY(put_dictionary_nulls(cx, l, s, a));
            *leaf = a;
            return IA_OK;
        }
        if (ia_type_is_list(t)) {
            IA_TRY(descend(cx, l, s, i, a));
            a = a->children[0];
        } else if (t->id == IA_TYPE_FIXED_LIST) {
            shift_runs(s, (uint64_t)a->offset);
            IA_TRY(spread(cx, s, (uint64_t)t->size));
            a = a->children[0];
        } else {
            shift_runs(s, (uint64_t)a->offset);
            a = a->children[l->child[i]];
        }
    }
}

/* ---- sizes ---------------------------------------------------------------------------------- */

static uint64_t var_bytes(const ia_array *a, uint32_t bits, int64_t start, int64_t n)
{
    const uint8_t *p;

    if (!a->bufs[1] || !n)
        return 0;
    p = a->bufs[1]->data + (size_t)(a->offset + start) * (bits / 8);
    return bits == 32 ? (uint64_t)ia_le32(p + n * 4) - ia_le32(p) : ia_le64(p + n * 8) - ia_le64(p);
}

static uint64_t leaf_bytes(const ia_wleaf *l, const ia_array *a, int64_t start, int64_t n)
{
    uint64_t sum = 0;

    if (l->kind == IA_WKIND_PACKED_VAR) {
        for (size_t i = 0; i < l->n_parts; i++) {
            const ia_wpart *p = &l->parts[i];

            sum += p->len_bits ? (uint64_t)n * p->len_bits / 8 +
                                     var_bytes(a->children[i], p->len_bits, start + a->offset, n)
                               : (uint64_t)n * p->bits / 8;
        }
        return sum + (uint64_t)n * 4;
    }
    if (l->phys.kind == IA_PHYS_VAR)
        return (uint64_t)n * (l->phys.bits / 8) + var_bytes(a, l->phys.bits, start, n);
    return ((uint64_t)n * l->phys.value_bits + 7) / 8;
}

/* Bytes that rows [start, start + n) add to the buffers of a page, about. */
static uint64_t guess(const ia_wleaf *l, const ia_array *a, int64_t start, int64_t n)
{
    uint64_t entries = (uint64_t)n;

    for (size_t i = 0; i + 1 < l->depth; i++) {
        const ia_type *t = a->type;

        if (ia_type_is_list(t)) {
            uint64_t from = list_offset(a, start), to = list_offset(a, start + n);

            start = (int64_t)from;
            n = (int64_t)(to - from);
            entries = entries > to - from ? entries : to - from;
            a = a->children[0];
        } else if (t->id == IA_TYPE_FIXED_LIST) {
            start = (start + a->offset) * t->size;
            n *= t->size;
            entries *= (uint64_t)t->size;
            a = a->children[0];
        } else {
            start += a->offset;
            a = a->children[l->child[i]];
        }
    }
    return leaf_bytes(l, a, start, n) + (l->n_lists ? 2 * entries : 0);
}

/* The more rows, the more bytes: a binary search. */
int64_t ia_shred_fit(const ia_wleaf *l, const ia_array *a, int64_t start, int64_t left,
                     uint64_t room, uint64_t slack)
{
    int64_t low = 0, high = left;

    if (guess(l, a, start, left) <= room + slack)
        return left;
    while (low + 1 < high) {
        int64_t mid = low + (high - low) / 2;

        if (guess(l, a, start, mid) <= room)
            low = mid;
        else
            high = mid;
    }
    return low;
}
