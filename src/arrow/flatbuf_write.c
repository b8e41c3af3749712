/* flatbuf_write.c - builds flatbuffers from their end towards their start. */
#include "arrow/flatbuf_priv.h"

static bool room(ia_fbw *w, size_t n)
{
    const size_t used = ia_fbw_place(w);
    size_t cap = w->cap ? w->cap : 512;
    uint8_t *p;

    if (w->failed != IA_OK)
        return false;
    if (w->head >= n)
        return true;
    while (cap - used < n)
        cap *= 2;
    p = ia_alloc(w->cx, cap);
    if (!p) {
        w->failed = w->cx->err.code;
        return false;
    }
    if (used > 0)
        memcpy(p + cap - used, w->buf + w->head, used);
    ia_free(w->buf);
    w->buf = p;
    w->cap = cap;
    w->head = cap - used;
    return true;
}

static void push(ia_fbw *w, const void *p, size_t n)
{
    if (n == 0 || !room(w, n))
        return;
    w->head -= n;
    memcpy(w->buf + w->head, p, n);
}

/* Pads so that what follows, after `extra` more bytes, starts at a multiple of `alignment`. */
static void align(ia_fbw *w, size_t alignment, size_t extra)
{
    while (w->failed == IA_OK && (ia_fbw_place(w) + extra) % alignment != 0)
        push(w, "", 1);
}

static void push_num(ia_fbw *w, uint64_t v, size_t width)
{
    uint8_t raw[8];

    align(w, width, width);
    ia_put_le64(raw, v);
    push(w, raw, width);
}

static void push_ref(ia_fbw *w, size_t to)
{
    align(w, 4, 4);
    push_num(w, ia_fbw_place(w) + 4 - to, 4);
}

static void note(ia_fbw *w, size_t k)
{
    w->slots[k] = (uint16_t)(ia_fbw_place(w) - w->table_end);
    if (k + 1 > w->n_slots)
        w->n_slots = k + 1;
}

void ia_fbw_dispose(ia_fbw *w)
{
    ia_free(w->buf);
    memset(w, 0, sizeof *w);
}

ia_status ia_fbw_status(const ia_fbw *w)
{
    return w->failed;
}

void ia_fbw_begin(ia_fbw *w)
{
    memset(w->slots, 0, sizeof w->slots);
    w->n_slots = 0;
    w->table_end = ia_fbw_place(w);
}

void ia_fbw_num(ia_fbw *w, size_t k, uint64_t v, size_t width)
{
    push_num(w, v, width);
    note(w, k);
}

void ia_fbw_ref(ia_fbw *w, size_t k, size_t to)
{
    push_ref(w, to);
    note(w, k);
}

/* Closes the table: its vtable is put right before it. */
size_t ia_fbw_end(ia_fbw *w)
{
    size_t at, inner, k;

    push_num(w, 0, 4); /* distance to the vtable, filled in below */
    at = ia_fbw_place(w);
    inner = at - w->table_end;
    for (k = w->n_slots; k-- > 0;)
        push_num(w, w->slots[k] ? inner - w->slots[k] : 0, 2);
    push_num(w, inner, 2);
    push_num(w, 4 + 2 * w->n_slots, 2);
    if (w->failed == IA_OK)
        ia_put_le32(w->buf + w->cap - at, (uint32_t)(ia_fbw_place(w) - at));
    return at;
}

size_t ia_fbw_str(ia_fbw *w, const char *s, size_t n)
{
    align(w, 4, n + 1);
    push(w, "", 1);
    push(w, s, n);
    push_num(w, n, 4);
    return ia_fbw_place(w);
}

size_t ia_fbw_refs(ia_fbw *w, const size_t *to, size_t n)
{
    const size_t count = n;

    align(w, 4, 0);
    while (n-- > 0)
        push_ref(w, to[n]);
    push_num(w, count, 4);
    return ia_fbw_place(w);
}

size_t ia_fbw_u64s(ia_fbw *w, const uint64_t *v, size_t n, size_t count)
{
    align(w, 8, 0);
    while (n-- > 0)
        push_num(w, v[n], 8);
    push_num(w, count, 4);
    return ia_fbw_place(w);
}

void ia_fbw_finish(ia_fbw *w, size_t root)
{
    align(w, 8, 4);
    push_ref(w, root);
}
