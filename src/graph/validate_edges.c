/* validate_edges.c - end-points in both directions and @card. */
#include <stdlib.h>

#include "graph/validate_priv.h"

static ia_vtype *end_type(ia_vrun *run, const ia_vtype *edge, int end)
{
    const ia_type_def *want = end == 0 ? edge->def->from : edge->def->to;

    for (size_t i = 0; i < run->cs->cat->n_nodes; i++)
        if (run->cs->cat->types[i] == want)
            return &run->types[i];
    return NULL;
}

/* ---- path a: every edge of the final image has its nodes --------------------------------------
 */

static ia_status collect_ends(ia_ctx *cx, const ia_vtype *edge, int end, ia_vtype *node)
{
    for (size_t k = 0; k < edge->final.n; k++) {
        const ia_view id = ia_vtype_end(edge, ia_bytemap_get(&edge->final, k), end);
        if (!ia_vtype_has(node, id) && !ia_vtype_gone(node, id))
            IA_TRY(ia_bytemap_put(cx, &node->probe, id.data, id.len, NULL, NULL));
    }
    return IA_OK;
}

/* All edge types ask together, so that a node table is scanned once. */
ia_status ia_validate_probe(ia_ctx *cx, ia_vrun *run)
{
    const ia_catalog *cat = run->cs->cat;

    for (size_t i = cat->n_nodes; i < cat->n_types; i++) {
        ia_vtype *edge = &run->types[i];
        for (int end = 0; end < 2; end++) {
            ia_vtype *node = end_type(run, edge, end);
            if (!node)
                return ia_fail(cx, IA_ERR_INTERNAL,
                               "edge type %s has no %s node type in the catalog", edge->def->name,
                               end == 0 ? "source" : "target");
            IA_TRY(ia_vtype_build(cx, node));
            if (!edge->t)
                continue;
            IA_TRY(ia_vtype_build(cx, edge));
            IA_TRY(collect_ends(cx, edge, end, node));
        }
    }
    for (size_t i = 0; i < cat->n_nodes; i++) {
        ia_vtype *node = &run->types[i];
        if (node->probe.n == 0 || (node->t && node->t->overwritten))
            continue;
        IA_TRY(ia_bitmap_new(cx, &node->present));
        IA_TRY(run->view->has_ids(cx, run->view, i, &node->probe, node->present));
    }
    return IA_OK;
}

static bool is_there(const ia_vtype *node, ia_view id)
{
    size_t at;

    if (ia_vtype_has(node, id))
        return true;
    return ia_bytemap_find(&node->probe, id.data, id.len, &at) &&
           ia_bitmap_has(node->present, (uint32_t)at);
}

static ia_status report_orphan(ia_ctx *cx, ia_vrun *run, const ia_vtype *edge, ia_view edge_id,
                               int end, ia_view node_id, const ia_vtype *node, uint64_t line)
{
    ia_buf text = {0};
    ia_status st;

    ia_buf_puts(cx, &text, end == 0 ? "src '" : "dst '");
    ia_buf_put(cx, &text, node_id.data, node_id.len);
    ia_buf_printf(cx, &text, "' not found in %s (edge %s '", node->def->name, edge->def->name);
    ia_buf_put(cx, &text, edge_id.data, edge_id.len);
    ia_buf_puts(cx, &text, "')");
    IA_GO(ia_vrun_add(cx, run, IA_VIOLATION_ORPHAN, edge, edge_id, line, &text));
done:
    ia_buf_dispose(&text);
    return st;
}

static ia_status path_a(ia_ctx *cx, ia_vrun *run, const ia_vtype *edge)
{
    for (size_t k = 0; k < edge->final.n; k++) {
        const uint64_t place = ia_bytemap_get(&edge->final, edge->by_id[k]);
        for (int end = 0; end < 2; end++) {
            const ia_vtype *node = end_type(run, edge, end);
            const ia_view id = ia_vtype_end(edge, place, end);
            if (is_there(node, id))
                continue;
            IA_TRY(report_orphan(cx, run, edge, ia_vtype_id(edge, place), end, id, node,
                                 ia_vtype_line(edge, place)));
            if (run->done)
                return IA_OK;
        }
    }
    return IA_OK;
}

/* ---- path b: no committed edge is left without its nodes ----------------------------------------
 */

typedef struct ia_vorphan {
    char *edge, *node; /* owned */
    int end;
} ia_vorphan;

typedef struct ia_vorphans {
    const ia_vtype *type;
    int end; /* being asked for */
    ia_vorphan *items;
    size_t n, cap;
} ia_vorphans;

static ia_status orphan_found(ia_ctx *cx, void *arg, ia_view edge, ia_view src, ia_view dst)
{
    ia_vorphans *l = arg;
    const ia_view node = l->end == 0 ? src : dst;

    if (ia_vtype_has(l->type, edge) || ia_vtype_gone(l->type, edge))
        return IA_OK;
    IA_TRY(IA_GROW(cx, l->items, l->cap, l->n + 1));
    ia_vorphan *o = &l->items[l->n++];
    memset(o, 0, sizeof *o);
    o->end = l->end;
    IA_TRY(IA_SET(cx, o->edge, ia_strndup(cx, edge.data, edge.len)));
    return IA_SET(cx, o->node, ia_strndup(cx, node.data, node.len));
}

static int orphan_order(const void *a, const void *b)
{
    const ia_vorphan *x = a, *y = b;
    const int c = ia_view_cmp(ia_view_of(x->edge), ia_view_of(y->edge));
    return c != 0 ? c : x->end - y->end;
}

static ia_status path_b(ia_ctx *cx, ia_vrun *run, const ia_vtype *edge)
{
    ia_vorphans found = {.type = edge};
    ia_status st = IA_OK;

    if (edge->t && edge->t->overwritten)
        return IA_OK;
    for (found.end = 0; found.end < 2; found.end++) {
        const ia_vtype *node = end_type(run, edge, found.end);
        if (node->gone.n > 0)
            IA_GO(run->view->edges_at(cx, run->view, (size_t)(edge - run->types), found.end,
                                      &node->gone, orphan_found, &found));
    }
    if (found.n > 1)
        qsort(found.items, found.n, sizeof *found.items, orphan_order);
    for (size_t i = 0; i < found.n && !run->done; i++) {
        const ia_vorphan *o = &found.items[i];
        IA_GO(report_orphan(cx, run, edge, ia_view_of(o->edge), o->end, ia_view_of(o->node),
                            end_type(run, edge, o->end), 0));
    }
done:
    for (size_t i = 0; i < found.n; i++) {
        ia_free(found.items[i].edge);
        ia_free(found.items[i].node);
    }
    ia_free(found.items);
    return st;
}

ia_status ia_validate_ends(ia_ctx *cx, ia_vrun *run, ia_vtype *edge)
{
    IA_TRY(path_a(cx, run, edge));
    return run->done ? IA_OK : path_b(cx, run, edge);
}

/* ---- @card
 * --------------------------------------------------------------------------------------- */

typedef struct ia_vcard {
    const ia_vtype *edge;
    ia_bytemap count;                 /* affected source -> edges it ends up with */
    ia_bitmap *max_scope, *min_scope; /* sources judged, by number; NULL = all */
} ia_vcard;

static ia_status source_vacated(ia_ctx *cx, void *arg, ia_view edge, ia_view src, ia_view dst)
{
    ia_vcard *c = arg;

    (void)edge;
    (void)dst;
    return ia_bytemap_put(cx, &c->count, src.data, src.len, NULL, NULL);
}

static ia_status edge_kept(ia_ctx *cx, void *arg, ia_view edge, ia_view src, ia_view dst)
{
    ia_vcard *c = arg;
    size_t at;

    (void)cx;
    (void)dst;
    if (!ia_vtype_has(c->edge, edge) && !ia_vtype_gone(c->edge, edge) &&
        ia_bytemap_find(&c->count, src.data, src.len, &at))
        ++*ia_bytemap_value(&c->count, at);
    return IA_OK;
}

/* Sources that lost an edge matter to the minimum alone. */
static ia_status find_vacated(ia_ctx *cx, ia_vrun *run, ia_vcard *c)
{
    const ia_vtype *edge = c->edge;
    const size_t type = (size_t)(edge - run->types);

    if (edge->def->card_min == 0)
        return IA_OK;
    if (edge->final.n > 0)
        IA_TRY(run->view->edges_by_id(cx, run->view, type, &edge->final, source_vacated, c));
    if (edge->gone.n > 0)
        IA_TRY(run->view->edges_by_id(cx, run->view, type, &edge->gone, source_vacated, c));
    return IA_OK;
}

static ia_status find_scope(ia_ctx *cx, ia_vrun *run, ia_vcard *c)
{
    if (!run->view->card_scope || c->count.n == 0)
        return IA_OK;
    IA_TRY(ia_bitmap_new(cx, &c->max_scope));
    IA_TRY(ia_bitmap_new(cx, &c->min_scope));
    return run->view->card_scope(cx, run->view, (size_t)(c->edge - run->types), &c->count,
                                 c->max_scope, c->min_scope);
}

static bool in_scope(const ia_bitmap *scope, size_t source)
{
    return !scope || ia_bitmap_has(scope, (uint32_t)source);
}

/* Committed edges of the judged sources only. */
static ia_status count_committed(ia_ctx *cx, ia_vrun *run, ia_vcard *c)
{
    const size_t type = (size_t)(c->edge - run->types);
    ia_cview *view = run->view;
    ia_bytemap asked = {0};
    ia_status st = IA_OK;

    for (size_t k = 0; k < c->count.n; k++) {
        const ia_view src = ia_bytemap_key(&c->count, k);
        if (in_scope(c->max_scope, k) || in_scope(c->min_scope, k))
            IA_GO(ia_bytemap_put(cx, &asked, src.data, src.len, NULL, NULL));
    }
    if (asked.n > 0)
        IA_GO(view->card_edges ? view->card_edges(cx, view, type, &asked, edge_kept, c)
                               : view->edges_at(cx, view, type, 0, &asked, edge_kept, c));
done:
    ia_bytemap_dispose(&asked);
    return st;
}

static ia_status count_edges(ia_ctx *cx, ia_vrun *run, ia_vcard *c)
{
    const ia_vtype *edge = c->edge;

    for (size_t k = 0; k < edge->final.n; k++) {
        const ia_view src = ia_vtype_end(edge, ia_bytemap_get(&edge->final, k), 0);
        size_t at;
        IA_TRY(ia_bytemap_put(cx, &c->count, src.data, src.len, &at, NULL));
        ++*ia_bytemap_value(&c->count, at);
    }
    IA_TRY(find_vacated(cx, run, c));
    IA_TRY(find_scope(cx, run, c));
    if (c->count.n == 0 || edge->t->overwritten)
        return IA_OK;
    return count_committed(cx, run, c);
}

static ia_status report_card(ia_ctx *cx, ia_vrun *run, const ia_vtype *edge, ia_view source,
                             uint64_t n)
{
    const bool above = n > edge->def->card_max;
    const ia_view none = {0};
    ia_buf text = {0};
    ia_status st;

    ia_buf_printf(cx, &text, "@card violation on edge %s: source '", edge->def->name);
    ia_buf_put(cx, &text, source.data, source.len);
    ia_buf_printf(cx, &text, "' has %llu edges (%s %llu)", (unsigned long long)n,
                  above ? "max" : "min",
                  (unsigned long long)(above ? edge->def->card_max : edge->def->card_min));
    IA_GO(ia_vrun_add(cx, run, IA_VIOLATION_CARDINALITY, edge, none, 0, &text));
done:
    ia_buf_dispose(&text);
    return st;
}

ia_status ia_validate_card(ia_ctx *cx, ia_vrun *run, ia_vtype *edge)
{
    const uint64_t min = edge->def->card_min, max = edge->def->card_max;
    const ia_vtype *from = end_type(run, edge, 0);
    ia_vcard c = {.edge = edge};
    size_t *order = NULL;
    ia_status st = IA_OK;

    if (min == 0 && max == UINT64_MAX)
        return IA_OK;
    IA_GO(count_edges(cx, run, &c));
    IA_GO(ia_bytemap_sorted(cx, &c.count, &order));
    for (size_t i = 0; i < c.count.n && !run->done; i++) {
        const ia_view source = ia_bytemap_key(&c.count, order[i]);
        const uint64_t n = ia_bytemap_get(&c.count, order[i]);
        const bool broken = (n > max && in_scope(c.max_scope, order[i])) ||
                            (n < min && in_scope(c.min_scope, order[i]));
        if (broken && !ia_vtype_gone(from, source))
            IA_GO(report_card(cx, run, edge, source, n));
    }
done:
    ia_bitmap_free(c.max_scope);
    ia_bitmap_free(c.min_scope);
    ia_bytemap_dispose(&c.count);
    ia_free(order);
    return st;
}
