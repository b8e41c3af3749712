/* leaf_cache.c - open pages that takes leave behind, so that the next take need not open them. */
#include "file/leaf_cache.h"

/* What one file may keep; and it must be this small a part of the memory that is left. */
#define CACHE_BYTES ((uint64_t)16 << 20)
enum { CACHE_PART = 8, MAX_IDLE = 256 };

static void hold_free(ia_leafhold *h)
{
    if (!h)
        return;
    ia_leaf_dispose(&h->leaf);
    ia_type_release((ia_type *)(uintptr_t)h->spec.type);
    ia_free(h);
}

static bool fits(const ia_leafhold *h, const ia_leafspec *s, size_t page)
{
    return h->page == page && h->spec.column == s->column && h->spec.cls == s->cls &&
           h->spec.path_len == s->path_len &&
           memcmp(h->spec.path, s->path, s->path_len * sizeof s->path[0]) == 0 &&
           (h->spec.type == s->type || ia_type_equal(h->spec.type, s->type));
}

/* Under the lock: takes `at` out of the list. */
static ia_leafhold *unlink_hold(ia_leafidle *idle, ia_leafhold **at)
{
    ia_leafhold *h = *at;

    *at = h->next;
    h->next = NULL;
    idle->bytes -= h->bytes;
    idle->n--;
    return h;
}

ia_status ia_leaf_take_out(ia_ctx *cx, ia_file *f, const ia_leafspec *spec, size_t page,
                           ia_leafhold **out)
{
    ia_leafhold *h = NULL;
    ia_status st;

    *out = NULL;
    pthread_mutex_lock(&f->idle.lock);
    for (ia_leafhold **at = &f->idle.first; *at && !h;) {
        if (fits(*at, spec, page))
            h = unlink_hold(&f->idle, at);
        else
            at = &(*at)->next;
    }
    pthread_mutex_unlock(&f->idle.lock);
    if (h) {
        *out = h;
        return IA_OK;
    }
    IA_GO(IA_NEW(cx, h));
    h->spec = *spec;
    h->spec.type = ia_type_retain(spec->type);
    h->page = page;
    IA_GO(ia_leaf_init(cx, &h->leaf, f, spec->column, h->spec.type, spec->path, spec->path_len,
                       spec->cls));
    *out = h;
    h = NULL;
done:
    hold_free(h);
    return st;
}

static uint64_t bytes_of(const ia_leaf *l)
{
    uint64_t n = sizeof(ia_leafhold);

    n += (l->n_chunks + 1) * (l->chunk_row ? 28 : 16);
    n += l->dict.data.cap + l->dict.offs.cap + l->vals.data.cap + l->vals.offs.cap;
    n += 2 * (l->rep_cap + l->def_cap) + l->dec.plain[0].cap + l->dec.plain[1].cap;
    n += l->win.buf ? l->win.buf->size : 0;
    n += l->index_win.buf ? l->index_win.buf->size : 0;
    return n + l->dec.codes.data.cap + l->dec.codes.offs.cap + (l->dec.block ? 8192 : 0);
}

void ia_leaf_give_back(ia_ctx *cx, ia_file *f, ia_leafhold *h, bool ok)
{
    uint64_t limit = ia_budget_left(cx->budget) / CACHE_PART;
    ia_leafhold *gone = NULL;

    if (!h)
        return;
    ia_leaf_window_dispose(&h->leaf.win); /* the next rows lie elsewhere */
    limit = limit < CACHE_BYTES ? limit : CACHE_BYTES;
    h->bytes = bytes_of(&h->leaf);
    if (!ok || h->leaf.page != h->page || h->bytes > limit) {
        hold_free(h);
        return;
    }
    pthread_mutex_lock(&f->idle.lock);
    h->next = f->idle.first;
    f->idle.first = h;
    f->idle.bytes += h->bytes;
    f->idle.n++;
    for (ia_leafhold **at = &f->idle.first; f->idle.bytes > limit || f->idle.n > MAX_IDLE;) {
        if ((*at)->next) { /* the oldest goes first */
            at = &(*at)->next;
        } else {
            ia_leafhold *old = unlink_hold(&f->idle, at);

            old->next = gone;
            gone = old;
            at = &f->idle.first;
        }
    }
    pthread_mutex_unlock(&f->idle.lock);
    while (gone) {
        ia_leafhold *next = gone->next;

        hold_free(gone);
        gone = next;
    }
}

void ia_leaf_cache_empty(ia_file *f)
{
    ia_leafhold *h;

    pthread_mutex_lock(&f->idle.lock);
    h = f->idle.first;
    f->idle.first = NULL;
    f->idle.bytes = f->idle.n = 0;
    pthread_mutex_unlock(&f->idle.lock);
    while (h) {
        ia_leafhold *next = h->next;

        hold_free(h);
        h = next;
    }
}
