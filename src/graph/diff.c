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

/* Changes of one chunk in id order. */
typedef struct diff_chunk {
    size_t *entry;
    uint64_t *old_addr, *new_addr; /* of the present rows */
    size_t n, n_old, n_new;
} diff_chunk;

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

static ia_status emit_chunk(ia_ctx *cx, const diffing *d, size_t type, const ia_delta *delta,
                            ia_dataset *from, ia_dataset *to, diff_chunk *c)
{
    ia_batch *before = NULL, *after = NULL;
    int64_t b = 0, a = 0;
    ia_status st = IA_OK;

    if (d->images && c->n_old)
        IA_GO(ia_dataset_take(cx, from, c->old_addr, c->n_old, NULL, 0, &before));
    if (d->images && c->n_new)
        IA_GO(ia_dataset_take(cx, to, c->new_addr, c->n_new, NULL, 0, &after));
    for (size_t i = 0; i < c->n; i++)
        IA_GO(emit_one(cx, d, type, ia_bytemap_key(&delta->ids, c->entry[i]), before, &b, after, &a,
                       &delta->rows[c->entry[i]]));
    c->n = c->n_old = c->n_new = 0;
done:
    ia_batch_release(before);
    ia_batch_release(after);
    return st;
}

static ia_status emit_delta(ia_ctx *cx, const diffing *d, size_t type, const ia_delta *delta,
                            ia_dataset *from, ia_dataset *to)
{
    const size_t cap = ia_rows_chunk(to->m->arrow);
    diff_chunk c = {0};
    size_t *order = NULL;
    ia_status st;

    IA_GO(ia_bytemap_sorted(cx, &delta->ids, &order));
    IA_GO(IA_NEW_ARRAY(cx, c.entry, cap));
    IA_GO(IA_NEW_ARRAY(cx, c.old_addr, cap));
    IA_GO(IA_NEW_ARRAY(cx, c.new_addr, cap));
    for (size_t i = 0; i < delta->ids.n; i++) {
        const ia_delta_row *r = &delta->rows[order[i]];
        if (r->old_addr == IA_NO_ROW && r->new_addr == IA_NO_ROW)
            continue;
        c.entry[c.n++] = order[i];
        if (r->old_addr != IA_NO_ROW)
            c.old_addr[c.n_old++] = r->old_addr;
        if (r->new_addr != IA_NO_ROW)
            c.new_addr[c.n_new++] = r->new_addr;
        if (c.n == cap)
            IA_GO(emit_chunk(cx, d, type, delta, from, to, &c));
    }
    IA_GO(emit_chunk(cx, d, type, delta, from, to, &c));
done:
    ia_free(order);
    ia_free(c.entry);
    ia_free(c.old_addr);
    ia_free(c.new_addr);
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
