/* history.c - the commit DAG: ancestors newest first, best common ancestors. */
/* Both walks take commits from a heap ordered by (time, id), newest first. Clocks may lie, so order
 * is only a hint for speed: common ancestors paint two colours downwards and a commit that gains a
 * colour after it was visited is visited again; when more than one candidate remains, painting runs
 * to the roots before the ones that are ancestors of others are dropped. */
#include "graph/graph_priv.h"

enum {
    FROM_A = 1u,
    FROM_B = 2u,
    COMMON = 3u,
    STALE = 4u
}; /* STALE: proper ancestor of a common commit */

typedef struct node {
    ia_commit_ref ref, parents[2];
    size_t n_parents;
    int64_t time_us;
    uint32_t flags;
    bool queued, loaded;
    uint64_t dist[2];
} node;

typedef struct walk {
    ia_ctx *cx;
    ia_graph *g;
    ia_bytemap ids; /* commit id -> node number */
    node *nodes;
    size_t cap;
    size_t *heap; /* node numbers */
    size_t n_heap, cap_heap;
} walk;

static void walk_dispose(walk *w)
{
    ia_bytemap_dispose(&w->ids);
    ia_free(w->nodes);
    ia_free(w->heap);
}

static bool newer(const walk *w, size_t a, size_t b)
{
    const node *x = &w->nodes[a], *y = &w->nodes[b];
    if (x->time_us != y->time_us)
        return x->time_us > y->time_us;
    return strcmp(x->ref.id, y->ref.id) > 0;
}

static void swap(size_t *a, size_t *b)
{
    const size_t t = *a;
    *a = *b;
    *b = t;
}

static ia_status push(walk *w, size_t number)
{
    size_t i = w->n_heap;

    if (w->nodes[number].queued)
        return IA_OK;
    IA_TRY(IA_GROW(w->cx, w->heap, w->cap_heap, w->n_heap + 1));
    w->nodes[number].queued = true;
    w->heap[w->n_heap++] = number;
    while (i > 0 && newer(w, w->heap[i], w->heap[(i - 1) / 2])) {
        swap(&w->heap[i], &w->heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    return IA_OK;
}

static size_t pop(walk *w)
{
    const size_t top = w->heap[0];
    size_t i = 0;

    w->heap[0] = w->heap[--w->n_heap];
    for (;;) {
        size_t best = i;
        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < w->n_heap; k++)
            if (newer(w, w->heap[k], w->heap[best]))
                best = k;
        if (best == i)
            break;
        swap(&w->heap[i], &w->heap[best]);
        i = best;
    }
    w->nodes[top].queued = false;
    return top;
}

/* Finds or loads the node of a commit; `known` saves the read. */
static ia_status visit(walk *w, const ia_commit_ref *ref, const ia_commit *known, size_t *number)
{
    ia_commit *c = NULL;
    bool added;

    IA_TRY(ia_bytemap_put(w->cx, &w->ids, ref->id, strlen(ref->id), number, &added));
    if (added) {
        IA_TRY(IA_GROW(w->cx, w->nodes, w->cap, w->ids.n));
        w->nodes[*number] = (node){.ref = *ref, .dist = {UINT64_MAX, UINT64_MAX}};
    }
    if (w->nodes[*number].loaded)
        return IA_OK;
    if (!known) {
        const ia_status st = ia_commit_read(w->cx, w->g, ref, &c);
        if (st != IA_OK)
            return ia_fail_prefix(w->cx, st == IA_ERR_NOT_FOUND ? IA_ERR_CORRUPT : st,
                                  "history at commit %s", ref->id);
        known = c;
    }
    node *x = &w->nodes[*number];
    x->n_parents = known->n_parents;
    memcpy(x->parents, known->parents, sizeof x->parents);
    x->time_us = known->time_us;
    x->loaded = true;
    ia_commit_free(c);
    return IA_OK;
}

/* ---- history --------------------------------------------------------------------------------- */
static ia_status keep(walk *w, size_t number, const ia_commit *head, ia_commit_list *out)
{
    const node *x = &w->nodes[number];

    IA_TRY(IA_GROW(w->cx, out->items, out->cap, out->n + 1));
    if (strcmp(x->ref.id, head->ref.id) == 0)
        IA_TRY(ia_commit_copy(w->cx, head, &out->items[out->n]));
    else
        IA_TRY(ia_commit_read(w->cx, w->g, &x->ref, &out->items[out->n]));
    out->n++;
    return IA_OK;
}

ia_status ia_history(ia_ctx *cx, ia_graph *g, const ia_commit *head, bool first_parent,
                     size_t limit, ia_commit_list *out)
{
    walk w = {.cx = cx, .g = g};
    size_t number;
    ia_status st;

    *out = (ia_commit_list){0};
    IA_GO(visit(&w, &head->ref, head, &number));
    IA_GO(push(&w, number));
    while (w.n_heap > 0 && (limit == 0 || out->n < limit)) {
        const size_t at = pop(&w);
        IA_GO(ia_check(cx, out->n, 0));
        IA_GO(keep(&w, at, head, out));
        const size_t n = first_parent && w.nodes[at].n_parents > 1 ? 1 : w.nodes[at].n_parents;
        for (size_t i = 0; i < n; i++) {
            const ia_commit_ref parent = w.nodes[at].parents[i];
            IA_GO(visit(&w, &parent, NULL, &number));
            if (w.nodes[number].flags)
                continue;
            w.nodes[number].flags = FROM_A; /* seen */
            IA_GO(push(&w, number));
        }
    }
done:
    walk_dispose(&w);
    if (st != IA_OK)
        ia_commit_list_dispose(out);
    return st;
}

/* ---- best common ancestors ------------------------------------------------------------------- */
static bool undecided(const walk *w)
{
    size_t candidates = 0;

    for (size_t i = 0; i < w->n_heap; i++)
        if (!(w->nodes[w->heap[i]].flags & STALE))
            return true;
    for (size_t i = 0; i < w->ids.n && candidates < 2; i++)
        candidates += (w->nodes[i].flags & (COMMON | STALE)) == COMMON;
    return candidates > 1 && w->n_heap > 0;
}

static ia_status paint(walk *w)
{
    size_t number;

    while (undecided(w)) {
        const size_t at = pop(w);
        uint32_t down = w->nodes[at].flags;
        IA_TRY(ia_check(w->cx, 0, 0));
        if ((down & COMMON) == COMMON)
            down |= STALE;
        for (size_t i = 0; i < w->nodes[at].n_parents; i++) {
            const ia_commit_ref parent = w->nodes[at].parents[i];
            IA_TRY(visit(w, &parent, NULL, &number));
            if ((w->nodes[number].flags | down) == w->nodes[number].flags)
                continue;
            w->nodes[number].flags |= down;
            IA_TRY(push(w, number));
        }
    }
    return IA_OK;
}

/* Shortest distances from one head over the commits loaded by paint(): every path to a best common
 * ancestor runs through those only. */
static ia_status measure(walk *w, const char *from, int which)
{
    size_t *queue = NULL, head = 0, tail = 0, at;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(w->cx, queue, w->ids.n));
    if (!ia_bytemap_find(&w->ids, from, strlen(from), &at))
        goto done;
    w->nodes[at].dist[which] = 0;
    queue[tail++] = at;
    while (head < tail) {
        const node *x = &w->nodes[queue[head++]];
        for (size_t i = 0; i < x->n_parents; i++) {
            const char *id = x->parents[i].id;
            if (!ia_bytemap_find(&w->ids, id, strlen(id), &at) ||
                w->nodes[at].dist[which] != UINT64_MAX)
                continue;
            w->nodes[at].dist[which] = x->dist[which] + 1;
            queue[tail++] = at;
        }
    }
done:
    ia_free(queue);
    return st;
}

/* smaller sum of distances, then newer, then larger id. */
static bool better(const node *a, const node *b)
{
    const uint64_t x = a->dist[0] + a->dist[1], y = b->dist[0] + b->dist[1];
    if (x != y)
        return x < y;
    if (a->time_us != b->time_us)
        return a->time_us > b->time_us;
    return strcmp(a->ref.id, b->ref.id) > 0;
}

static ia_status collect(walk *w, ia_commit_list *out)
{
    size_t *best = NULL, n = 0;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(w->cx, best, w->ids.n));
    for (size_t i = 0; i < w->ids.n; i++) {
        size_t k = n;
        if ((w->nodes[i].flags & (COMMON | STALE)) != COMMON)
            continue;
        for (n++; k > 0 && better(&w->nodes[i], &w->nodes[best[k - 1]]); k--)
            best[k] = best[k - 1];
        best[k] = i;
    }
    for (size_t i = 0; i < n; i++) {
        IA_GO(IA_GROW(w->cx, out->items, out->cap, out->n + 1));
        IA_GO(ia_commit_read(w->cx, w->g, &w->nodes[best[i]].ref, &out->items[out->n]));
        out->n++;
    }
done:
    ia_free(best);
    return st;
}

ia_status ia_merge_bases(ia_ctx *cx, ia_graph *g, const ia_commit *a, const ia_commit *b,
                         ia_commit_list *out)
{
    walk w = {.cx = cx, .g = g};
    size_t x, y;
    ia_status st;

    *out = (ia_commit_list){0};
    IA_GO(visit(&w, &a->ref, a, &x));
    IA_GO(visit(&w, &b->ref, b, &y));
    w.nodes[x].flags |= FROM_A;
    w.nodes[y].flags |= FROM_B;
    IA_GO(push(&w, x));
    IA_GO(push(&w, y));
    IA_GO(paint(&w));
    IA_GO(measure(&w, a->ref.id, 0));
    IA_GO(measure(&w, b->ref.id, 1));
    IA_GO(collect(&w, out));
    if (out->n == 0)
        IA_GO(ia_fail(cx, IA_ERR_NOT_FOUND, "commits %s and %s have no common ancestor", a->ref.id,
                      b->ref.id));
done:
    walk_dispose(&w);
    if (st != IA_OK)
        ia_commit_list_dispose(out);
    return st;
}
