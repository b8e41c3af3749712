/* merge_view.c - constraints of a merge, judged only where the two deltas meet. */
#include "graph/merge_priv.h"
#include "graph/match_rows.h"

/* Both heads were valid when they were written. In the merged image a key is held twice, an edge
 * lacks its node, or a source has too many edges only if the source changed one part of it and the
 * target the other. So the source's picked rows are the change, and the committed state to probe is
 * the target's delta; base counts are looked up just for the sources whose edges both sides
 * changed. With full_probe the whole target is probed instead; a property test holds the two
 * against each other. */

/* Committed edges of the sources of one edge type that @card judges. */
typedef struct judged {
    ia_bytemap sources; /* source -> its number of edges in the target */
    ia_bytemap edges;   /* target edge -> number of its source */
} judged;

typedef struct meeting {
    ia_merging *m;
    ia_changeset changes; /* the source's picks */
    ia_cview view;
    ia_cview full; /* the whole target */
    ia_cview head; /* the whole source head */
    judged card;   /* of the edge type being judged */
} meeting;

static ia_mtype *mtype(const meeting *s, size_t type)
{
    return &s->m->types[type];
}

static bool has_dt(const ia_mtype *t)
{
    return t->dt.ids.n > 0;
}

/* ---- rows of a delta ----------------------------------------------------------------------- */

typedef ia_status (*row_fn)(ia_ctx *cx, void *arg, const ia_batch *rows);

enum { CHUNK = 8192 };

/* Calls fn with the rows at the addresses, as many at once as there is room for. */
static ia_status each_address(ia_ctx *cx, ia_dataset *ds, const uint64_t *addrs, size_t n,
                              const char *const *columns, size_t n_columns, row_fn fn, void *arg)
{
    for (size_t from = 0; from < n;) {
        size_t some = n - from;
        ia_batch *b;
        IA_TRY(ia_rows_take(cx, ds, addrs + from, &some, columns, n_columns, &b));
        const ia_status st = fn(cx, arg, b);
        ia_batch_release(b);
        IA_TRY(st);
        from += some;
    }
    return IA_OK;
}

/* Calls fn with narrow images of the delta's new rows, or of the rows they replace. */
static ia_status each_row(ia_ctx *cx, const ia_delta *d, bool is_new, ia_dataset *ds,
                          const char *const *columns, size_t n_columns, row_fn fn, void *arg)
{
    uint64_t *addrs = NULL;
    size_t n = 0;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, addrs, CHUNK));
    for (size_t i = 0; i < d->ids.n; i++) {
        const uint64_t addr = is_new ? d->rows[i].new_addr : d->rows[i].old_addr;
        if (addr != IA_NO_ROW)
            addrs[n++] = addr;
        if (n < CHUNK)
            continue;
        IA_GO(each_address(cx, ds, addrs, n, columns, n_columns, fn, arg));
        n = 0;
    }
    IA_GO(each_address(cx, ds, addrs, n, columns, n_columns, fn, arg));
done:
    ia_free(addrs);
    return st;
}

/* ---- probes -------------------------------------------------------------------------------- */

/* A node an edge of the source names was in the source's image: it is missing only if the target
 * deleted it. */
static ia_status meet_ids(ia_ctx *cx, ia_cview *v, size_t type, const ia_bytemap *ids,
                          ia_bitmap *present)
{
    meeting *s = v->self;
    const ia_mtype *t = mtype(s, type);

    if (s->m->opt->full_probe)
        return s->full.has_ids(cx, &s->full, type, ids, present);
    for (size_t k = 0; k < ids->n; k++) {
        const ia_view id = ia_bytemap_key(ids, k);
        size_t at;
        const bool deleted = ia_bytemap_find(&t->dt.ids, id.data, id.len, &at) &&
                             t->dt.rows[at].new_addr == IA_NO_ROW;
        if (!deleted)
            ia_bitmap_add(present, (uint32_t)k);
    }
    return IA_OK;
}

static ia_status meet_tuples(ia_ctx *cx, ia_cview *v, size_t type, const int *cols, size_t n_cols,
                             const ia_bytemap *tuples,
                             ia_status (*sink)(ia_ctx *, void *, ia_view, size_t), void *arg)
{
    meeting *s = v->self;
    ia_mtype *t = mtype(s, type);
    ia_tuple_match p = {s->m->base->cat->types[type], cols, n_cols, tuples, sink, arg, {0}};
    const char **columns = NULL;
    size_t n = 0;
    ia_status st;

    if (s->m->opt->full_probe)
        return s->full.by_tuple(cx, &s->full, type, cols, n_cols, tuples, sink, arg);
    if (!has_dt(t))
        return IA_OK;
    IA_GO(ia_type_narrow(cx, p.type, &columns, &n));
    IA_GO(each_row(cx, &t->dt, true, t->target, columns, n, ia_match_tuples, &p));
done:
    ia_buf_dispose(&p.key);
    ia_free(columns);
    return st;
}

static const char *const edge_columns[] = {"id", "src", "dst"};

/* Edges at removed nodes: the target's own new edges are the only ones the source did not see. */
static ia_status meet_edges_at(ia_ctx *cx, ia_cview *v, size_t type, int end,
                               const ia_bytemap *nodes,
                               ia_status (*sink)(ia_ctx *, void *, ia_view, ia_view, ia_view),
                               void *arg)
{
    meeting *s = v->self;
    ia_mtype *t = mtype(s, type);
    ia_edge_match p = {end == 0 ? "src" : "dst", nodes, sink, arg};

    if (s->m->opt->full_probe)
        return s->full.edges_at(cx, &s->full, type, end, nodes, sink, arg);
    return has_dt(t) ? each_row(cx, &t->dt, true, t->target, edge_columns, 3, ia_match_edges, &p)
                     : IA_OK;
}

typedef struct edge_sink {
    ia_status (*sink)(ia_ctx *, void *, ia_view, ia_view, ia_view);
    void *arg;
} edge_sink;

static ia_status sink_edges(ia_ctx *cx, void *arg, const ia_batch *b)
{
    const edge_sink *p = arg;

    for (int64_t i = 0; i < b->rows; i++)
        IA_TRY(p->sink(cx, p->arg, ia_array_str(b->cols[0], i), ia_array_str(b->cols[1], i),
                       ia_array_str(b->cols[2], i)));
    return IA_OK;
}

/* Target rows of the edges that the source changes: their place is known. */
static ia_status meet_edges_by_id(ia_ctx *cx, ia_cview *v, size_t type, const ia_bytemap *ids,
                                  ia_status (*sink)(ia_ctx *, void *, ia_view, ia_view, ia_view),
                                  void *arg)
{
    meeting *s = v->self;
    ia_mtype *t = mtype(s, type);
    uint64_t *addrs = NULL;
    size_t n = 0, at;
    ia_status st;

    if (s->m->opt->full_probe)
        return s->full.edges_by_id(cx, &s->full, type, ids, sink, arg);
    IA_GO(IA_NEW_ARRAY(cx, addrs, CHUNK));
    for (size_t k = 0; k < ids->n; k++) {
        const ia_view id = ia_bytemap_key(ids, k);
        const bool known = t->pick && ia_bytemap_find(&t->ds.ids, id.data, id.len, &at);
        if (known && (t->pick[at] == IA_PICK_UPDATE || t->pick[at] == IA_PICK_DELETE))
            addrs[n++] = t->at[at];
        if (n < CHUNK && k + 1 < ids->n)
            continue;
        IA_GO(each_address(cx, t->target, addrs, n, edge_columns, 3, sink_edges,
                           &(edge_sink){sink, arg}));
        n = 0;
    }
done:
    ia_free(addrs);
    return st;
}

/* ---- @card --------------------------------------------------------------------------------- */

static void judged_dispose(judged *j)
{
    ia_bytemap_dispose(&j->sources);
    ia_bytemap_dispose(&j->edges);
}

static ia_status note_source(ia_ctx *cx, void *arg, const ia_batch *b)
{
    const ia_array *src = ia_batch_col(b, "src");

    for (int64_t i = 0; i < b->rows; i++) {
        const ia_view id = ia_array_str(src, i);
        IA_TRY(ia_bytemap_put(cx, arg, id.data, id.len, NULL, NULL));
    }
    return IA_OK;
}

static const char *const src_column[] = {"src"};

/* Sources at which the target added, changed or removed an edge. */
static ia_status target_sources(ia_ctx *cx, ia_mtype *t, ia_bytemap *out)
{
    IA_TRY(each_row(cx, &t->dt, true, t->target, src_column, 1, note_source, out));
    return each_row(cx, &t->dt, false, t->base, src_column, 1, note_source, out);
}

static ia_status keep_edge(ia_ctx *cx, void *arg, ia_view edge, ia_view src, ia_view dst)
{
    judged *j = arg;
    size_t source, at;

    (void)dst;
    if (!ia_bytemap_find(&j->sources, src.data, src.len, &source))
        return IA_OK;
    ++*ia_bytemap_value(&j->sources, source);
    IA_TRY(ia_bytemap_put(cx, &j->edges, edge.data, edge.len, &at, NULL));
    *ia_bytemap_value(&j->edges, at) = source;
    return IA_OK;
}

/* The one look at committed edges, for the meeting sources only; meet_card_scope() took it. */
static ia_status meet_card_edges(ia_ctx *cx, ia_cview *v, size_t type, const ia_bytemap *sources,
                                 ia_status (*sink)(ia_ctx *, void *, ia_view, ia_view, ia_view),
                                 void *arg)
{
    meeting *s = v->self;
    const judged *j = &s->card;
    const ia_view no_dst = {0};

    if (s->m->opt->full_probe)
        return s->full.edges_at(cx, &s->full, type, 0, sources, sink, arg);
    for (size_t k = 0; k < j->edges.n; k++)
        IA_TRY(sink(cx, arg, ia_bytemap_key(&j->edges, k),
                    ia_bytemap_key(&j->sources, ia_bytemap_get(&j->edges, k)), no_dst));
    return IA_OK;
}

/* Counts of the judged sources in the source head: the target's, without what the target's delta
 * did and with what the source's delta did. */
typedef struct recount {
    const ia_bytemap *sources;
    int64_t *n;
    int64_t step;
} recount;

static ia_status count_rows(ia_ctx *cx, void *arg, const ia_batch *b)
{
    const recount *c = arg;
    const ia_array *src = ia_batch_col(b, "src");

    (void)cx;
    for (int64_t i = 0; i < b->rows; i++) {
        const ia_view id = ia_array_str(src, i);
        size_t at;
        if (ia_bytemap_find(c->sources, id.data, id.len, &at))
            c->n[at] += c->step;
    }
    return IA_OK;
}

static ia_status source_counts(ia_ctx *cx, const ia_mtype *t, const ia_bytemap *sources, int64_t *n)
{
    recount c = {sources, n, -1};

    for (size_t k = 0; k < sources->n; k++)
        n[k] = (int64_t)ia_bytemap_get(sources, k);
    IA_TRY(each_row(cx, &t->dt, true, t->target, src_column, 1, count_rows, &c));
    IA_TRY(each_row(cx, &t->ds, false, t->base, src_column, 1, count_rows, &c));
    c.step = 1;
    IA_TRY(each_row(cx, &t->dt, false, t->base, src_column, 1, count_rows, &c));
    return each_row(cx, &t->ds, true, t->source, src_column, 1, count_rows, &c);
}

/* A minimum is reported only for a source that met it in both heads. */
static ia_status min_scope(ia_ctx *cx, meeting *s, size_t type, const ia_bytemap *asked,
                           ia_bitmap *out)
{
    const uint64_t min = s->m->base->cat->types[type]->card_min;
    const ia_bytemap *sources = &s->card.sources;
    int64_t *n = NULL;
    ia_status st;

    if (min == 0 || sources->n == 0)
        return IA_OK;
    IA_GO(IA_NEW_ARRAY(cx, n, sources->n));
    IA_GO(source_counts(cx, mtype(s, type), sources, n));
    for (size_t k = 0; k < sources->n; k++) {
        const ia_view id = ia_bytemap_key(sources, k);
        size_t at;
        if (ia_bytemap_get(sources, k) >= min && n[k] >= (int64_t)min &&
            ia_bytemap_find(asked, id.data, id.len, &at))
            ia_bitmap_add(out, (uint32_t)at);
    }
done:
    ia_free(n);
    return st;
}

static ia_status meet_card_scope(ia_ctx *cx, ia_cview *v, size_t type, const ia_bytemap *sources,
                                 ia_bitmap *max_scope, ia_bitmap *min_out)
{
    meeting *s = v->self;
    ia_mtype *t = mtype(s, type);
    ia_bytemap theirs = {0};
    ia_status st = IA_OK;

    judged_dispose(&s->card);
    if (has_dt(t))
        IA_GO(target_sources(cx, t, &theirs));
    for (size_t k = 0; k < sources->n; k++) {
        const ia_view id = ia_bytemap_key(sources, k);
        if (!ia_bytemap_find(&theirs, id.data, id.len, NULL))
            continue;
        ia_bitmap_add(max_scope, (uint32_t)k);
        IA_GO(ia_bytemap_put(cx, &s->card.sources, id.data, id.len, NULL, NULL));
    }
    if (s->card.sources.n > 0)
        IA_GO(s->full.edges_at(cx, &s->full, type, 0, &s->card.sources, keep_edge, &s->card));
    IA_GO(min_scope(cx, s, type, sources, min_out));
done:
    ia_bytemap_dispose(&theirs);
    return st;
}

/* ---- @card by whole heads, for the property test ------------------------------------------- */

typedef struct head_count {
    const ia_bytemap *sources;
    uint64_t *n;
} head_count;

static ia_status count_edge(ia_ctx *cx, void *arg, ia_view edge, ia_view src, ia_view dst)
{
    head_count *c = arg;
    size_t at;

    (void)cx;
    (void)edge;
    (void)dst;
    if (ia_bytemap_find(c->sources, src.data, src.len, &at))
        c->n[at]++;
    return IA_OK;
}

static ia_status full_card_scope(ia_ctx *cx, ia_cview *v, size_t type, const ia_bytemap *sources,
                                 ia_bitmap *max_scope, ia_bitmap *min_out)
{
    meeting *s = v->self;
    const uint64_t min = s->m->base->cat->types[type]->card_min;
    uint64_t *target = NULL, *source = NULL;
    ia_status st = IA_OK;

    ia_bitmap_add_range(max_scope, 0, sources->n);
    if (min == 0)
        return IA_OK;
    IA_GO(IA_NEW_ARRAY(cx, target, sources->n + 1));
    IA_GO(IA_NEW_ARRAY(cx, source, sources->n + 1));
    IA_GO(s->full.edges_at(cx, &s->full, type, 0, sources, count_edge,
                           &(head_count){sources, target}));
    IA_GO(s->head.edges_at(cx, &s->head, type, 0, sources, count_edge,
                           &(head_count){sources, source}));
    for (size_t k = 0; k < sources->n; k++)
        if (target[k] >= min && source[k] >= min)
            ia_bitmap_add(min_out, (uint32_t)k);
done:
    ia_free(target);
    ia_free(source);
    return st;
}

/* ---- the source's change ------------------------------------------------------------------- */

/* Are images of the picked rows needed, or do their ids say enough? */
static bool needs_images(const meeting *s, size_t type)
{
    const ia_catalog *cat = s->m->base->cat;
    const ia_type_def *def = cat->types[type];
    const bool both = has_dt(mtype(s, type));

    if (s->m->opt->full_probe || (both && def->n_uniques > 0))
        return true;
    if (def->kind != IA_KIND_EDGE)
        return false;
    if (both && (def->card_min > 0 || def->card_max != UINT64_MAX))
        return true;
    const ia_mtype *from = mtype(s, ia_type_number(cat, def->from)),
                   *to = mtype(s, ia_type_number(cat, def->to));
    if (ia_delta_removes(&from->dt) || ia_delta_removes(&to->dt))
        return true; /* the ends of the source's edges may be gone */
    /* an edge that the source moved away from a node that it removed is no orphan */
    return both && (from->n_delete > 0 || to->n_delete > 0);
}

static ia_status add_rows(ia_ctx *cx, void *arg, const ia_batch *rows)
{
    return ia_tchange_add(cx, arg, rows);
}

static ia_status take_images(ia_ctx *cx, meeting *s, ia_mtype *t, ia_tchange *ch)
{
    const char **columns = NULL;
    uint64_t *addrs = NULL;
    size_t n_columns = 0, n = 0;
    ia_status st;

    IA_GO(ia_type_narrow(cx, s->m->base->cat->types[t->type], &columns, &n_columns));
    IA_GO(IA_NEW_ARRAY(cx, addrs, CHUNK));
    for (size_t i = 0; i < t->ds.ids.n; i++) {
        if (t->pick[i] == IA_PICK_INSERT || t->pick[i] == IA_PICK_UPDATE)
            addrs[n++] = t->ds.rows[i].new_addr;
        if (n < CHUNK && i + 1 < t->ds.ids.n)
            continue;
        IA_GO(each_address(cx, t->source, addrs, n, columns, n_columns, add_rows, ch));
        n = 0;
    }
done:
    ia_free(addrs);
    ia_free(columns);
    return st;
}

static ia_status build_change(ia_ctx *cx, meeting *s, ia_mtype *t)
{
    ia_tchange *ch;

    if (!t->pick || (t->n_insert == 0 && t->n_update == 0 && t->n_delete == 0))
        return IA_OK;
    IA_TRY(ia_changeset_type(cx, &s->changes, t->type, &ch));
    for (size_t i = 0; i < t->ds.ids.n; i++) {
        const ia_view id = ia_bytemap_key(&t->ds.ids, i);
        if (t->pick[i] == IA_PICK_DELETE)
            IA_TRY(ia_bytemap_put(cx, &ch->deleted, id.data, id.len, NULL, NULL));
    }
    return needs_images(s, t->type) ? take_images(cx, s, t, ch) : IA_OK;
}

/* ---- result -------------------------------------------------------------------------------- */

static ia_status add_conflicts(ia_ctx *cx, ia_merging *m, const ia_violations *v)
{
    static const ia_conflict_kind kinds[] = {IA_CONFLICT_VALUE, IA_CONFLICT_UNIQUE,
                                             IA_CONFLICT_ORPHAN, IA_CONFLICT_CARDINALITY};

    for (size_t i = 0; i < v->n; i++)
        IA_TRY(ia_conflict_add(cx, m, kinds[v->items[i].kind], v->items[i].type,
                               ia_view_of(v->items[i].id), v->items[i].message, NULL, NULL, NULL));
    return IA_OK;
}

ia_status ia_merge_validate(ia_ctx *cx, ia_merging *m)
{
    meeting s = {.m = m, .changes = {.cat = m->base->cat}};
    ia_violations found = {0};
    ia_status st = IA_OK;

    ia_cview_snapshot(&s.full, m->target, NULL);
    ia_cview_snapshot(&s.head, m->source, NULL);
    s.view = (ia_cview){.self = &s,
                        .has_ids = meet_ids,
                        .by_tuple = meet_tuples,
                        .edges_at = meet_edges_at,
                        .edges_by_id = meet_edges_by_id,
                        .card_scope = m->opt->full_probe ? full_card_scope : meet_card_scope,
                        .card_edges = meet_card_edges};
    for (size_t i = 0; i < m->n_types; i++)
        IA_GO(build_change(cx, &s, &m->types[i]));
    IA_GO(ia_validate(cx, &s.changes, &s.view,
                      &(ia_validate_options){.all = true, .value_rules = m->opt->full_probe},
                      &found));
    IA_GO(add_conflicts(cx, m, &found));
done:
    judged_dispose(&s.card);
    ia_violations_dispose(&found);
    ia_changeset_dispose(&s.changes);
    return st;
}
