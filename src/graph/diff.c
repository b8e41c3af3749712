/* diff.c - net row changes between two commits. */
#include "graph/delta.h"
#include "graph/ops.h"

typedef struct diffing {
    ia_graph *g;
    const ia_catalog *cat;
    bool images;
    ia_status (*sink)(ia_ctx *, void *, const ia_catalog *, const ia_change *);
    void *arg;
} diffing;

/* Changes of one chunk in id order, and the images of those being emitted. */
typedef struct diff_chunk {
    size_t *entry;
    uint64_t *addr; /* scratch */
    size_t n;
    ia_batch *before, *after;
} diff_chunk;

static void release_images(diff_chunk *c)
{
    ia_batch_release(c->before);
    ia_batch_release(c->after);
    c->before = c->after = NULL;
}

static ia_status emit_one(ia_ctx *cx, const diffing *d, size_t type, ia_view id,
                          const ia_batch *before, int64_t *b, const ia_batch *after, int64_t *a,
                          const ia_delta_row *row)
{
    ia_batch *old_row = NULL, *new_row = NULL;
    char *name = NULL;
    ia_status st;

    IA_GO(IA_SET(cx, name, ia_strndup(cx, id.data, id.len)));
    if (before && row->old_addr != IA_NO_ROW)
        IA_GO(ia_batch_slice(cx, before, (*b)++, 1, &old_row));
    if (after && row->new_addr != IA_NO_ROW)
        IA_GO(ia_batch_slice(cx, after, (*a)++, 1, &new_row));
    const ia_change_op op = row->old_addr == IA_NO_ROW   ? IA_OP_INSERT
                            : row->new_addr == IA_NO_ROW ? IA_OP_DELETE
                                                         : IA_OP_UPDATE;
    IA_GO(d->sink(cx, d->arg, d->cat, &(ia_change){type, name, op, old_row, new_row}));
done:
    ia_batch_release(old_row);
    ia_batch_release(new_row);
    ia_free(name);
    return st;
}

/* Images of one side of the entries [from, from + n) that are there. */
static ia_status take_side(ia_ctx *cx, const ia_delta *delta, diff_chunk *c, size_t from, size_t n,
                           bool is_new, ia_dataset *ds, ia_batch **out)
{
    size_t k = 0;

    for (size_t i = from; i < from + n; i++) {
        const ia_delta_row *r = &delta->rows[c->entry[i]];
        const uint64_t addr = is_new ? r->new_addr : r->old_addr;
        if (addr != IA_NO_ROW)
            c->addr[k++] = addr;
    }
    return k ? ia_dataset_take(cx, ds, c->addr, k, NULL, 0, out) : IA_OK;
}

/* Both images of as many entries as there is room for; *n = how many. */
static ia_status take_images(ia_ctx *cx, const ia_delta *delta, diff_chunk *c, size_t from,
                             size_t *n, ia_dataset *old_ds, ia_dataset *new_ds)
{
    for (;; *n = (*n + 1) / 2) {
        ia_status st = take_side(cx, delta, c, from, *n, false, old_ds, &c->before);
        if (st == IA_OK)
            st = take_side(cx, delta, c, from, *n, true, new_ds, &c->after);
        if (st != IA_ERR_OVER_BUDGET || *n <= 1)
            return st;
        release_images(c);
        ia_ctx_clear(cx);
    }
}

static ia_status emit_chunk(ia_ctx *cx, const diffing *d, size_t type, const ia_delta *delta,
                            ia_dataset *old_ds, ia_dataset *new_ds, diff_chunk *c)
{
    for (size_t from = 0; from < c->n;) {
        size_t n = c->n - from;
        int64_t b = 0, a = 0;
        IA_TRY(ia_check(cx, 0, 0));
        if (d->images)
            IA_TRY(take_images(cx, delta, c, from, &n, old_ds, new_ds));
        for (size_t i = from; i < from + n; i++)
            IA_TRY(emit_one(cx, d, type, ia_bytemap_key(&delta->ids, c->entry[i]), c->before, &b,
                            c->after, &a, &delta->rows[c->entry[i]]));
        release_images(c);
        from += n;
    }
    c->n = 0;
    return IA_OK;
}

static ia_status emit_delta(ia_ctx *cx, const diffing *d, size_t type, const ia_delta *delta,
                            ia_dataset *from, ia_dataset *to)
{
    const size_t cap = ia_rows_chunk(to->m);
    diff_chunk c = {0};
    size_t *order = NULL;
    ia_status st;

    IA_GO(ia_bytemap_sorted(cx, &delta->ids, &order));
    IA_GO(IA_NEW_ARRAY(cx, c.entry, cap));
    IA_GO(IA_NEW_ARRAY(cx, c.addr, cap));
    for (size_t i = 0; i < delta->ids.n; i++) {
        const ia_delta_row *r = &delta->rows[order[i]];
        if (r->old_addr == IA_NO_ROW && r->new_addr == IA_NO_ROW)
            continue;
        c.entry[c.n++] = order[i];
        if (c.n == cap)
            IA_GO(emit_chunk(cx, d, type, delta, from, to, &c));
    }
    IA_GO(emit_chunk(cx, d, type, delta, from, to, &c));
done:
    release_images(&c);
    ia_free(order);
    ia_free(c.entry);
    ia_free(c.addr);
    return st;
}

static ia_status diff_type(ia_ctx *cx, const diffing *d, size_t type, const ia_commit *from,
                           const ia_commit *to)
{
    const ia_type_def *def = d->cat->types[type];
    const ia_entry *a = ia_commit_entry(from, def->type_id), *b = ia_commit_entry(to, def->type_id);
    ia_dataset *x = NULL, *y = NULL;
    ia_delta delta = {0};
    ia_status st = IA_OK;

    if (!a || !b || ia_entry_same(a, b))
        return IA_OK;
    IA_GO(ia_entry_open(cx, d->g, def, a, &x));
    IA_GO(ia_entry_open(cx, d->g, def, b, &y));
    IA_GO(ia_delta_compute(cx, x, y, &delta));
    IA_GO(ia_delta_drop_equal(cx, &delta, x, y));
    IA_GO(emit_delta(cx, d, type, &delta, x, y));
done:
    ia_delta_dispose(&delta);
    ia_dataset_release(x);
    ia_dataset_release(y);
    return st;
}

ia_status ia_diff(ia_ctx *cx, ia_graph *g, ia_commit *from, ia_commit *to, bool images,
                  ia_status (*sink)(ia_ctx *, void *, const ia_catalog *, const ia_change *),
                  void *arg)
{
    diffing d = {.g = g, .images = images, .sink = sink, .arg = arg};

    if (strcmp(from->schema_hash, to->schema_hash) != 0)
        return ia_fail(cx, IA_ERR_INVALID, "diff: commits %s and %s have different schemas",
                       from->ref.id, to->ref.id);
    IA_TRY(ia_graph_catalog(cx, g, to->schema_hash, &d.cat));
    for (size_t i = 0; i < d.cat->n_types; i++) /* nodes, then edges, each by name */
        IA_TRY(diff_type(cx, &d, i, from, to));
    return IA_OK;
}
