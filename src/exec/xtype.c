/* xtype.c - node and edge types of a query: numbering, ids, cached columns, adjacency. */
#include "exec/exec_priv.h"

void ia_xtype_dispose(ia_xtype *t)
{
    ia_free(t->addrs);
    ia_bytemap_dispose(&t->ids);
    ia_u64map_dispose(&t->by_addr);
    for (size_t i = 0; t->cols && i < t->def->arrow_schema->n_fields; i++)
        ia_array_release(t->cols[i]);
    ia_free(t->cols);
    ia_free(t->src);
    ia_free(t->dst);
    ia_free(t->fwd.off);
    ia_free(t->fwd.nbr);
    ia_free(t->fwd.edge);
    ia_free(t->rev.off);
    ia_free(t->rev.nbr);
    ia_free(t->rev.edge);
    *t = (ia_xtype){0};
}

/* ---- numbering ----------------------------------------------------------------------------- */

static ia_status add_addr(ia_ctx *cx, ia_xtype *t, uint64_t addr)
{
    if (t->n >= IA_XNONE)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "type %s has more than 4,294,967,294 rows",
                       t->def->name);
    IA_TRY(IA_GROW(cx, t->addrs, t->cap, t->n + 1));
    t->addrs[t->n++] = addr;
    return IA_OK;
}

static ia_status add_nodes(ia_ctx *cx, void *arg, const ia_batch *b)
{
    ia_xtype *t = arg;

    for (int64_t i = 0; i < b->rows; i++) {
        const ia_view id = ia_array_str(b->cols[0], i);
        bool added;
        IA_TRY(ia_bytemap_put(cx, &t->ids, id.data, id.len, NULL, &added));
        if (!added)
            return ia_fail(cx, IA_ERR_CORRUPT, "%s: id '%.*s' is live twice", t->ds->dir,
                           (int)(id.len > 200 ? 200 : id.len), id.data);
        IA_TRY(add_addr(cx, t, ia_array_u64(b->cols[1], i)));
    }
    return IA_OK;
}

typedef struct edge_ends {
    ia_xtype *t;
    const ia_xtype *from, *to;
    size_t cap_src, cap_dst;
} edge_ends;

static uint32_t node_number(const ia_xtype *t, ia_view id)
{
    size_t at;

    return ia_bytemap_find(&t->ids, id.data, id.len, &at) ? (uint32_t)at : IA_XNONE;
}

static ia_status add_edges(ia_ctx *cx, void *arg, const ia_batch *b)
{
    edge_ends *e = arg;
    ia_xtype *t = e->t;
    const size_t need = t->n + (size_t)b->rows;

    IA_TRY(IA_GROW(cx, t->src, e->cap_src, need));
    IA_TRY(IA_GROW(cx, t->dst, e->cap_dst, need));
    for (int64_t i = 0; i < b->rows; i++) {
        t->src[t->n] = node_number(e->from, ia_array_str(b->cols[0], i));
        t->dst[t->n] = node_number(e->to, ia_array_str(b->cols[1], i));
        IA_TRY(add_addr(cx, t, ia_array_u64(b->cols[2], i)));
    }
    return IA_OK;
}

static ia_status fill(ia_ctx *cx, ia_xq *x, ia_xtype *t)
{
    static const char *const node_columns[] = {"id", IA_COL_ROWADDR};
    static const char *const edge_columns[] = {"src", "dst", IA_COL_ROWADDR};
    ia_xtype *from, *to;

    t->n = 0;
    if (t->def->kind == IA_KIND_NODE)
        return ia_scan_each(cx, t->ds, &(ia_scan_options){.columns = node_columns, .n_columns = 2},
                            add_nodes, t);
    IA_TRY(ia_xtype_get(cx, x, t->def->from, true, &from));
    IA_TRY(ia_xtype_get(cx, x, t->def->to, true, &to));
    return ia_scan_each(cx, t->ds, &(ia_scan_options){.columns = edge_columns, .n_columns = 3},
                        add_edges, &(edge_ends){.t = t, .from = from, .to = to});
}

ia_status ia_xtype_get(ia_ctx *cx, ia_xq *x, const ia_type_def *def, bool full, ia_xtype **out)
{
    const ia_catalog *cat = x->q->catalog;
    size_t i = 0;

    *out = NULL;
    while (i < cat->n_types && cat->types[i] != def)
        i++;
    if (i == cat->n_types)
        return ia_fail(cx, IA_ERR_INTERNAL, "query: type %s is not in the catalog", def->name);
    ia_xtype *t = &x->types[i];
    if (!t->def) {
        t->def = def;
        IA_TRY(x->src->table(cx, x->src, def, &t->ds));
        IA_TRY(IA_NEW_ARRAY(cx, t->cols, def->arrow_schema->n_fields));
    }
    if (full && !t->full) {
        if (t->n > 0)
            return ia_fail(cx, IA_ERR_INTERNAL,
                           "query: type %s was numbered before it was needed whole", def->name);
        t->full = true;
        IA_TRY(fill(cx, x, t));
    }
    *out = t;
    return IA_OK;
}

ia_status ia_xtype_number(ia_ctx *cx, ia_xtype *t, uint64_t addr, uint32_t *out)
{
    uint64_t at;

    if (!ia_u64map_find(&t->by_addr, addr, &at)) {
        at = t->n;
        IA_TRY(add_addr(cx, t, addr));
        IA_TRY(ia_u64map_put(cx, &t->by_addr, addr, at));
    }
    *out = (uint32_t)at;
    return IA_OK;
}

/* ---- columns ------------------------------------------------------------------------------- */

typedef struct parts {
    ia_array **items;
    size_t n, cap;
} parts;

static ia_status keep_part(ia_ctx *cx, void *arg, const ia_batch *b)
{
    parts *p = arg;

    IA_TRY(IA_GROW(cx, p->items, p->cap, p->n + 1));
    p->items[p->n++] = ia_array_retain(b->cols[0]);
    return IA_OK;
}

static ia_status load_column(ia_ctx *cx, ia_xtype *t, size_t column)
{
    const ia_field *f = &t->def->arrow_schema->fields[column];
    const char *const columns[] = {f->name};
    parts p = {0};
    ia_status st;

    IA_GO(ia_scan_each(cx, t->ds, &(ia_scan_options){.columns = columns, .n_columns = 1}, keep_part,
                       &p));
    if (p.n == 0)
        IA_GO(ia_array_nulls(cx, f->type, 0, &t->cols[column]));
    else
        IA_GO(ia_concat_arrays(cx, p.items, p.n, &t->cols[column]));
done:
    for (size_t i = 0; i < p.n; i++)
        ia_array_release(p.items[i]);
    ia_free(p.items);
    return st;
}

ia_status ia_xtype_values(ia_ctx *cx, ia_xtype *t, size_t column, const uint32_t *numbers, size_t n,
                          ia_array **out)
{
    const ia_field *f = &t->def->arrow_schema->fields[column];
    const char *const columns[] = {f->name};
    int64_t *idx = NULL;
    uint64_t *addrs = NULL;
    ia_batch *b = NULL;
    ia_status st;

    *out = NULL;
    /* many values: read the column once and keep it; few: read just those rows */
    if (t->full && !t->cols[column] && n > t->n / 8)
        IA_GO(load_column(cx, t, column));
    if (t->cols[column]) {
        IA_GO(IA_NEW_ARRAY(cx, idx, n + 1));
        for (size_t i = 0; i < n; i++)
            idx[i] = numbers[i];
        IA_GO(ia_take_array(cx, t->cols[column], idx, (int64_t)n, out));
        goto done;
    }
    IA_GO(IA_NEW_ARRAY(cx, addrs, n + 1));
    for (size_t i = 0; i < n; i++)
        addrs[i] = t->addrs[numbers[i]];
    IA_GO(ia_dataset_take(cx, t->ds, addrs, n, columns, 1, &b));
    *out = ia_array_retain(b->cols[0]);
done:
    ia_free(idx);
    ia_free(addrs);
    ia_batch_release(b);
    return st;
}

/* ---- adjacency ----------------------------------------------------------------------------- */

static void count_ends(const ia_xtype *edge, const uint32_t *near, const uint32_t *far,
                       uint32_t *off)
{
    for (size_t e = 0; e < edge->n; e++)
        if (near[e] != IA_XNONE && far[e] != IA_XNONE)
            off[near[e] + 1]++;
}

/* Sorts each node's neighbours: filling by ascending far node keeps every list in order. */
static ia_status order_by_far(ia_ctx *cx, const ia_xtype *edge, const uint32_t *far, size_t n_far,
                              uint32_t **out)
{
    uint32_t *start, *order;

    *out = NULL;
    IA_TRY(IA_NEW_ARRAY(cx, start, n_far + 2));
    const ia_status st = IA_NEW_ARRAY(cx, order, edge->n + 1);
    if (st == IA_OK) {
        for (size_t e = 0; e < edge->n; e++)
            start[(far[e] == IA_XNONE ? n_far : far[e]) + 1]++;
        for (size_t i = 0; i <= n_far; i++)
            start[i + 1] += start[i];
        for (size_t e = 0; e < edge->n; e++)
            order[start[far[e] == IA_XNONE ? n_far : far[e]]++] = (uint32_t)e;
        *out = order;
    }
    ia_free(start);
    return st;
}

static ia_status build_csr(ia_ctx *cx, const ia_xtype *edge, const uint32_t *near, size_t n_near,
                           const uint32_t *far, size_t n_far, ia_xcsr *out)
{
    uint32_t *order = NULL, *next = NULL;
    ia_status st;

    IA_GO(order_by_far(cx, edge, far, n_far, &order));
    IA_GO(IA_NEW_ARRAY(cx, out->off, n_near + 1));
    count_ends(edge, near, far, out->off);
    for (size_t i = 0; i < n_near; i++)
        out->off[i + 1] += out->off[i];
    IA_GO(IA_NEW_ARRAY(cx, out->nbr, edge->n + 1));
    IA_GO(IA_NEW_ARRAY(cx, out->edge, edge->n + 1));
    IA_GO(IA_NEW_ARRAY(cx, next, n_near + 1));
    memcpy(next, out->off, (n_near + 1) * sizeof *next);
    for (size_t k = 0; k < edge->n; k++) {
        const uint32_t e = order[k];
        if (near[e] == IA_XNONE || far[e] == IA_XNONE)
            continue;
        out->nbr[next[near[e]]] = far[e];
        out->edge[next[near[e]]++] = e;
    }
    out->n = n_near;
done:
    ia_free(order);
    ia_free(next);
    return st;
}

ia_status ia_xtype_csr(ia_ctx *cx, ia_xq *x, ia_xtype *edge, bool forward, const ia_xcsr **out)
{
    ia_xcsr *c = forward ? &edge->fwd : &edge->rev;
    ia_xtype *from, *to;

    *out = c;
    if (c->off)
        return IA_OK;
    IA_TRY(ia_xtype_get(cx, x, edge->def->from, true, &from));
    IA_TRY(ia_xtype_get(cx, x, edge->def->to, true, &to));
    return forward ? build_csr(cx, edge, edge->src, from->n, edge->dst, to->n, c)
                   : build_csr(cx, edge, edge->dst, to->n, edge->src, from->n, c);
}
