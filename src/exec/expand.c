/* expand.c - traversals: one hop, bounded breadth-first walks, edge bindings, closed cycles. */
#include "exec/exec_priv.h"

/* A plain traversal has set semantics: per row each destination once, at its shortest depth. The
 * start is visited from the beginning; a self-loop on a frontier node emits that node without
 * walking on from it. */

typedef struct walk {
    ia_xq *x;
    const ia_xcsr *dirs[2]; /* adjacency to follow: one, or both for undirected */
    size_t n_dirs;
    uint32_t min, max;
    uint32_t *frontier, *next;
    size_t n_frontier, n_next, cap_frontier, cap_next;
    uint32_t *emitted; /* self-loop marks, same numbering and epoch as x->stamp */
} walk;

static ia_status grow_stamps(ia_ctx *cx, walk *w, size_t n)
{
    ia_xq *x = w->x;

    if (x->n_stamp < n) {
        ia_free(x->stamp);
        x->stamp = NULL;
        x->n_stamp = 0;
        x->epoch = 0;
        IA_TRY(IA_NEW_ARRAY(cx, x->stamp, n + 1));
        x->n_stamp = n;
    }
    return IA_NEW_ARRAY(cx, w->emitted, n + 1);
}

static void next_epoch(walk *w, size_t n)
{
    if (++w->x->epoch == 0) {
        memset(w->x->stamp, 0, w->x->n_stamp * sizeof *w->x->stamp);
        memset(w->emitted, 0, n * sizeof *w->emitted);
        w->x->epoch = 1;
    }
}

typedef ia_status (*visit_fn)(ia_ctx *cx, void *arg, uint32_t node, bool *stop);

static ia_status reach(ia_ctx *cx, walk *w, uint32_t from, uint32_t to, uint32_t depth,
                       visit_fn visit, void *arg, bool *stop)
{
    const uint32_t epoch = w->x->epoch;
    const bool in_bounds = depth >= w->min;

    if (to == from) { /* a self-loop: emitted once, not walked on */
        if (!in_bounds || w->emitted[to] == epoch)
            return IA_OK;
        w->emitted[to] = epoch;
        return visit(cx, arg, to, stop);
    }
    if (w->x->stamp[to] == epoch)
        return IA_OK;
    w->x->stamp[to] = epoch;
    IA_TRY(IA_GROW(cx, w->next, w->cap_next, w->n_next + 1));
    w->next[w->n_next++] = to;
    if (!in_bounds || w->emitted[to] == epoch)
        return IA_OK;
    w->emitted[to] = epoch;
    return visit(cx, arg, to, stop);
}

/* Visits what `start` reaches within the bounds, each node once. */
static ia_status walk_from(ia_ctx *cx, walk *w, uint32_t start, size_t n_nodes, visit_fn visit,
                           void *arg)
{
    bool stop = false;

    next_epoch(w, n_nodes);
    w->x->stamp[start] = w->x->epoch;
    IA_TRY(IA_GROW(cx, w->frontier, w->cap_frontier, 1));
    w->frontier[0] = start;
    w->n_frontier = 1;
    for (uint32_t depth = 1; depth <= w->max && w->n_frontier > 0 && !stop; depth++) {
        w->n_next = 0;
        for (size_t k = 0; k < w->n_frontier && !stop; k++) {
            const uint32_t node = w->frontier[k];
            for (size_t d = 0; d < w->n_dirs; d++) {
                const ia_xcsr *c = w->dirs[d];
                for (uint32_t i = c->off[node]; i < c->off[node + 1] && !stop; i++)
                    IA_TRY(reach(cx, w, node, c->nbr[i], depth, visit, arg, &stop));
            }
        }
        uint32_t *const t = w->frontier;
        const size_t cap = w->cap_frontier;
        w->frontier = w->next;
        w->cap_frontier = w->cap_next;
        w->n_frontier = w->n_next;
        w->next = t;
        w->cap_next = cap;
        IA_TRY(ia_check(cx, 0, 0));
    }
    return IA_OK;
}

/* One hop between different types: no walk, only distinct neighbours (lists are sorted). */
static ia_status hop_once(ia_ctx *cx, const walk *w, uint32_t start, visit_fn visit, void *arg)
{
    const ia_xcsr *c = w->dirs[0];
    bool stop = false;

    for (uint32_t i = c->off[start]; i < c->off[start + 1] && !stop; i++)
        if (i == c->off[start] || c->nbr[i] != c->nbr[i - 1])
            IA_TRY(visit(cx, arg, c->nbr[i], &stop));
    return IA_OK;
}

/* ---- what is done with a visited node ------------------------------------------------------ */

typedef struct collect {
    ia_xrows *rows;
    uint32_t row;
    uint32_t want; /* both ends bound: the node looked for */
} collect;

static ia_status collect_node(ia_ctx *cx, void *arg, uint32_t node, bool *stop)
{
    collect *c = arg;

    (void)stop;
    return ia_xrows_add(cx, c->rows, c->row, node, 0);
}

static ia_status look_for(ia_ctx *cx, void *arg, uint32_t node, bool *stop)
{
    collect *c = arg;

    if (node != c->want)
        return IA_OK;
    *stop = true;
    return ia_xrows_add(cx, c->rows, c->row, node, 0);
}

/* ---- edge bindings: a row per edge --------------------------------------------------------- */

static ia_status each_edge(ia_ctx *cx, const walk *w, collect *c, uint32_t start, bool closed)
{
    for (size_t d = 0; d < w->n_dirs; d++) {
        const ia_xcsr *csr = w->dirs[d];
        for (uint32_t i = csr->off[start]; i < csr->off[start + 1]; i++) {
            const uint32_t node = csr->nbr[i];
            if (d == 1 && node == start)
                continue; /* undirected: a self-loop was met in the first direction */
            if (!closed || node == c->want)
                IA_TRY(ia_xrows_add(cx, c->rows, c->row, node, csr->edge[i]));
        }
    }
    return IA_OK;
}

/* ---- one traversal ------------------------------------------------------------------------- */

/* Adjacency that leads from the left (or right) end to the other. */
static ia_status directions(ia_ctx *cx, ia_xq *x, ia_xtype *edge, ia_gq_direction dir,
                            bool from_left, walk *w)
{
    const bool forward = (dir == IA_GQ_FORWARD) == from_left;

    if (dir == IA_GQ_UNDIRECTED) {
        w->n_dirs = 2;
        IA_TRY(ia_xtype_csr(cx, x, edge, true, &w->dirs[0]));
        return ia_xtype_csr(cx, x, edge, false, &w->dirs[1]);
    }
    w->n_dirs = 1;
    return ia_xtype_csr(cx, x, edge, forward, &w->dirs[0]);
}

static ia_status expand_row(ia_ctx *cx, walk *w, const ia_gq_clause *c, collect *out,
                            uint32_t start, bool same_type, bool closed)
{
    const visit_fn visit = closed ? look_for : collect_node;

    if (c->traversal.edge_var >= 0)
        return each_edge(cx, w, out, start, closed);
    if (same_type)
        return walk_from(cx, w, start, w->dirs[0]->n, visit, out);
    return c->traversal.min_hops == 1 ? hop_once(cx, w, start, visit, out) : IA_OK;
}

ia_status ia_xexpand(ia_ctx *cx, ia_xq *x, ia_xrel *r, const ia_gq_clause *c)
{
    const bool from_left = r->col[c->traversal.left] != NULL;
    const int near = from_left ? c->traversal.left : c->traversal.right;
    const int far = from_left ? c->traversal.right : c->traversal.left;
    const bool same_type = c->traversal.edge->from == c->traversal.edge->to;
    const bool closed = r->col[far] != NULL;
    walk w = {.x = x, .min = c->traversal.min_hops, .max = c->traversal.max_hops};
    ia_xrows rows = {0};
    collect out = {.rows = &rows};
    ia_xtype *edge;
    ia_status st;

    IA_GO(ia_xtype_get(cx, x, c->traversal.edge, true, &edge));
    IA_GO(directions(cx, x, edge, c->traversal.direction, from_left, &w));
    IA_GO(grow_stamps(cx, &w, w.dirs[0]->n));
    for (size_t i = 0; i < r->n; i++) {
        out.row = (uint32_t)i;
        out.want = closed ? r->col[far][i] : IA_XNONE;
        IA_GO(expand_row(cx, &w, c, &out, r->col[near][i], same_type, closed));
        if ((i & 1023) == 0)
            IA_GO(ia_check(cx, i, r->n));
    }
    IA_GO(ia_xrel_take(cx, r, &rows, far, c->traversal.edge_var));
done:
    ia_xrows_dispose(&rows);
    ia_free(w.frontier);
    ia_free(w.next);
    ia_free(w.emitted);
    return st;
}
