/* merge_build.c - a merge as actions: deletions united, fragments grafted, few rows copied. */
#include "graph/merge_priv.h"

/* A source fragment is adopted whole and the rows that were not picked are masked in its deletion
 * vector. It is not worth it below a density, nor possible when a row id of it is live in the
 * target for another row: then just the picked rows are copied. Nothing of this reads payload, but
 * the copies. */

#define DEFAULT_DENSITY 0.1
#define COPY_ROWS_MAX 8192u

/* Picked rows of one source fragment, or rows that go of one target fragment. */
typedef struct part {
    uint64_t fragment;
    ia_bitmap *rows;
} part;

typedef struct parts {
    ia_u64map index; /* fragment id -> number */
    part *items;
    size_t n, cap;
} parts;

static void parts_dispose(parts *p)
{
    for (size_t i = 0; i < p->n; i++)
        ia_bitmap_free(p->items[i].rows);
    ia_free(p->items);
    ia_u64map_dispose(&p->index);
    *p = (parts){0};
}

static ia_status parts_get(ia_ctx *cx, parts *p, uint64_t fragment, ia_bitmap **out)
{
    uint64_t at;

    if (!ia_u64map_find(&p->index, fragment, &at)) {
        at = p->n;
        IA_TRY(IA_GROW(cx, p->items, p->cap, p->n + 1));
        p->items[p->n++] = (part){.fragment = fragment};
        IA_TRY(ia_bitmap_new(cx, &p->items[at].rows));
        IA_TRY(ia_u64map_put(cx, &p->index, fragment, at));
    }
    *out = p->items[at].rows;
    return IA_OK;
}

static ia_status parts_add(ia_ctx *cx, parts *p, uint64_t addr)
{
    ia_bitmap *rows;

    IA_TRY(parts_get(cx, p, ia_addr_fragment(addr), &rows));
    ia_bitmap_add(rows, ia_addr_offset(addr));
    return IA_OK;
}

typedef struct building {
    ia_merging *m;
    ia_mtype *t;
    parts picked;    /* by source fragment */
    parts gone;      /* by target fragment */
    bool *copy;      /* per picked part: copy its rows instead of adopting it */
    ia_dataset *dst; /* what the actions are applied to; borrowed from the write */
    ia_txn *txn;     /* owned until handed to the write */
    ia_graft_stats stats;
} building;

static void building_dispose(building *b)
{
    parts_dispose(&b->picked);
    parts_dispose(&b->gone);
    ia_free(b->copy);
    if (b->txn)
        ia_txn_dispose(b->txn);
    ia_free(b->txn);
}

/* ---- what comes and what goes -------------------------------------------------------------- */

static ia_status from_picks(ia_ctx *cx, building *b)
{
    const ia_mtype *t = b->t;

    for (size_t i = 0; i < t->ds.ids.n; i++) {
        const uint8_t pick = t->pick[i];
        if (pick == IA_PICK_INSERT || pick == IA_PICK_UPDATE)
            IA_TRY(parts_add(cx, &b->picked, t->ds.rows[i].new_addr));
        if (pick == IA_PICK_UPDATE || pick == IA_PICK_DELETE)
            IA_TRY(parts_add(cx, &b->gone, t->at[i]));
    }
    return IA_OK;
}

/* Live rows of a whole fragment. */
static ia_status all_live(ia_ctx *cx, ia_dataset *ds, const ia_fragment *f, ia_bitmap *rows)
{
    const ia_bitmap *dv;

    IA_TRY(ia_dataset_deletions(cx, ds, f, &dv));
    ia_bitmap_add_range(rows, 0, f->physical_rows);
    if (dv)
        ia_bitmap_andnot(rows, dv);
    return IA_OK;
}

/* dst |= a - b, rows being the live ones: deletion vectors read the other way round. */
static ia_status add_difference(ia_ctx *cx, parts *p, uint64_t fragment, const ia_bitmap *a,
                                const ia_bitmap *b)
{
    ia_bitmap *d = NULL, *rows;
    ia_status st;

    IA_GO(ia_bitmap_copy(cx, a, &d));
    if (b)
        ia_bitmap_andnot(d, b);
    if (ia_bitmap_count(d) == 0)
        goto done;
    IA_GO(parts_get(cx, p, fragment, &rows));
    ia_bitmap_or(rows, d);
done:
    ia_bitmap_free(d);
    return st;
}

/* The target equals the base: its image becomes the source's, from manifests and deletion vectors
 * alone. */
static ia_status from_images(ia_ctx *cx, building *b)
{
    ia_dataset *src = b->t->source, *dst = b->t->target;
    ia_bytemap map = {0};
    ia_bitmap *rows;
    const ia_bitmap *dv_src, *dv_dst;
    ia_status st;

    IA_GO(ia_fragmap_build(cx, dst->m, &map));
    for (size_t i = 0; i < src->m->n_fragments; i++) {
        const ia_fragment *f = &src->m->fragments[i], *same = ia_fragmap_find(&map, dst->m, f);
        if (!same) {
            IA_GO(parts_get(cx, &b->picked, f->id, &rows));
            IA_GO(all_live(cx, src, f, rows));
            continue;
        }
        IA_GO(ia_dataset_deletions(cx, src, f, &dv_src));
        IA_GO(ia_dataset_deletions(cx, dst, same, &dv_dst));
        IA_GO(add_difference(cx, &b->gone, same->id, dv_src, dv_dst));
        IA_GO(add_difference(cx, &b->picked, f->id, dv_dst, dv_src));
    }
    ia_bytemap_dispose(&map);
    IA_GO(ia_fragmap_build(cx, src->m, &map));
    for (size_t i = 0; i < dst->m->n_fragments; i++) {
        const ia_fragment *f = &dst->m->fragments[i];
        if (ia_fragmap_find(&map, src->m, f))
            continue;
        IA_GO(parts_get(cx, &b->gone, f->id, &rows));
        IA_GO(all_live(cx, dst, f, rows));
    }
done:
    ia_bytemap_dispose(&map);
    return st;
}

/* Calls fn for the row id of every row of the parts. */
static ia_status each_row_id(ia_ctx *cx, const ia_manifest *m, const parts *p,
                             ia_status (*fn)(ia_ctx *, void *, uint64_t row_id, size_t part_number),
                             void *arg)
{
    uint32_t off[512];

    for (size_t i = 0; i < p->n; i++) {
        const ia_fragment *f = ia_manifest_fragment(m, p->items[i].fragment);
        uint64_t from = 0;
        size_t n;
        if (!f || f->row_ids.count != f->physical_rows)
            return ia_fail(cx, IA_ERR_CORRUPT, "fragment %llu: its row ids do not cover its rows",
                           (unsigned long long)p->items[i].fragment);
        while ((n = ia_bitmap_next(p->items[i].rows, from, off, 512)) > 0) {
            for (size_t k = 0; k < n; k++)
                IA_TRY(fn(cx, arg, ia_rowids_get(&f->row_ids, off[k]), i));
            from = (uint64_t)off[n - 1] + 1;
        }
    }
    return IA_OK;
}

typedef struct id_census {
    building *b;
    ia_u64map gone; /* row ids of rows that go */
    uint64_t n_update, n_insert;
} id_census;

static ia_status census_gone(ia_ctx *cx, void *arg, uint64_t row_id, size_t part_number)
{
    id_census *c = arg;

    (void)part_number;
    return ia_u64map_put(cx, &c->gone, row_id, 1);
}

/* A row id that comes may be live in the target only for the row that it replaces. */
static ia_status census_picked(ia_ctx *cx, void *arg, uint64_t row_id, size_t part_number)
{
    id_census *c = arg;
    bool found;
    uint64_t addr;

    if (ia_u64map_find(&c->gone, row_id, NULL)) {
        c->n_update++;
        return IA_OK;
    }
    c->n_insert++;
    IA_TRY(ia_dataset_find_rowid(cx, c->b->t->target, row_id, &found, &addr));
    if (found)
        c->b->copy[part_number] = true;
    return IA_OK;
}

/* Counts updates and inserts by row id, and finds parts whose row ids collide with other live rows.
 */
static ia_status census(ia_ctx *cx, building *b)
{
    id_census c = {.b = b};
    uint64_t gone = 0;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, b->copy, b->picked.n + 1));
    IA_GO(each_row_id(cx, b->t->target->m, &b->gone, census_gone, &c));
    IA_GO(each_row_id(cx, b->t->source->m, &b->picked, census_picked, &c));
    gone = c.gone.n;
    if (b->t->kind == IA_ROUTE_GRAFT) {
        b->t->n_update = c.n_update;
        b->t->n_insert = c.n_insert;
        b->t->n_delete = gone - c.n_update;
    }
done:
    ia_u64map_dispose(&c.gone);
    return st;
}

/* ---- actions ------------------------------------------------------------------------------- */

static ia_status add_removals(ia_ctx *cx, building *b)
{
    for (size_t i = 0; i < b->gone.n; i++) {
        ia_action *a;
        IA_TRY(ia_txn_add(cx, b->txn, IA_ACT_DELETE_ROWS, &a));
        a->fragment_id = b->gone.items[i].fragment;
        a->rows = b->gone.items[i].rows;
        b->gone.items[i].rows = NULL; /* moved */
    }
    return IA_OK;
}

/* Takes over *f. */
static ia_status add_fragment(ia_ctx *cx, building *b, ia_fragment *f, ia_bitmap *mask)
{
    ia_action *a;
    const ia_status st = ia_txn_add(cx, b->txn, IA_ACT_ADD_FRAGMENT, &a);

    if (st != IA_OK) {
        ia_fragment_dispose(f);
        ia_bitmap_free(mask);
        return st;
    }
    a->fragment = *f;
    *f = (ia_fragment){0};
    a->rows = mask;
    a->copy_created = true;
    return IA_OK;
}

static ia_status adopt(ia_ctx *cx, building *b, const part *p)
{
    const ia_fragment *f = ia_manifest_fragment(b->t->source->m, p->fragment);
    const uint64_t picked = ia_bitmap_count(p->rows);
    ia_fragment grafted = {0};
    ia_bitmap *mask = NULL;
    ia_status st;

    b->t->report->fragments_adopted++;
    b->t->report->rows_masked += ia_fragment_live(f) - picked;
    if (b->m->opt->dry_run)
        return IA_OK;
    IA_GO(ia_graft_fragment(cx, b->t->source, f, b->dst, b->txn, b->m->opt->adopt,
                            ia_graph_put_flags(b->m->g), &grafted, &b->stats));
    if (picked < f->physical_rows) {
        IA_GO(ia_bitmap_new(cx, &mask));
        ia_bitmap_add_range(mask, 0, f->physical_rows);
        ia_bitmap_andnot(mask, p->rows);
    }
    st = add_fragment(cx, b, &grafted, mask);
    mask = NULL;
done:
    ia_bitmap_free(mask);
    ia_fragment_dispose(&grafted);
    return st;
}

/* ---- row copies ---------------------------------------------------------------------------- */

static ia_status copy_part(ia_ctx *cx, building *b, const part *p, ia_fragwriter *w, bool keep_ids)
{
    const ia_fragment *f = ia_manifest_fragment(b->t->source->m, p->fragment);
    size_t chunk = ia_rows_chunk(b->t->source->m->arrow), n;
    uint32_t *off = NULL;
    uint64_t *addrs = NULL, *ids = NULL, from = 0;
    ia_batch *rows = NULL;
    ia_status st;

    chunk = chunk > COPY_ROWS_MAX ? COPY_ROWS_MAX : chunk;
    IA_GO(IA_NEW_ARRAY(cx, off, chunk));
    IA_GO(IA_NEW_ARRAY(cx, addrs, chunk));
    IA_GO(IA_NEW_ARRAY(cx, ids, chunk));
    while ((n = ia_bitmap_next(p->rows, from, off, chunk)) > 0) {
        for (size_t i = 0; i < n; i++) {
            addrs[i] = ia_addr(p->fragment, off[i]);
            ids[i] = ia_rowids_get(&f->row_ids, off[i]);
        }
        IA_GO(ia_dataset_take(cx, b->t->source, addrs, n, NULL, 0, &rows));
        IA_GO(ia_fragwriter_write(cx, w, rows, keep_ids ? ids : NULL));
        ia_batch_release(rows);
        rows = NULL;
        from = (uint64_t)off[n - 1] + 1;
        IA_GO(ia_check(cx, 0, 0));
    }
done:
    ia_batch_release(rows);
    ia_free(off);
    ia_free(addrs);
    ia_free(ids);
    return st;
}

/* Rows of parts that keep their row ids (density), or rows that get new ones (collision). */
static ia_status copy_parts(ia_ctx *cx, building *b, const bool *collides, bool keep_ids)
{
    const ia_type_def *def = b->m->base->cat->types[b->t->type];
    ia_fragwriter *w = NULL;
    ia_fragment *frags = NULL;
    const char **keys = NULL, *dir;
    size_t n_frags = 0, n_keys = 0;
    ia_status st;

    IA_GO(ia_type_narrow(cx, def, &keys, &n_keys));
    IA_GO(ia_write_tree(cx, b->m->w, b->t->type, &dir));
    IA_GO(ia_fragwriter_open(cx, b->m->g->os, dir, &b->dst->m->schema, b->dst->m->arrow,
                             &(ia_fragwriter_options){.put_flags = ia_graph_put_flags(b->m->g),
                                                      .key_columns = keys,
                                                      .n_key_columns = n_keys},
                             &w));
    for (size_t i = 0; i < b->picked.n; i++)
        if (b->copy[i] && collides[i] != keep_ids)
            IA_GO(copy_part(cx, b, &b->picked.items[i], w, keep_ids));
    IA_GO(ia_fragwriter_finish(cx, w, &frags, &n_frags));
    for (size_t i = 0; i < n_frags; i++)
        IA_GO(add_fragment(cx, b, &frags[i], NULL));
done:
    ia_fragments_free(frags, n_frags);
    ia_fragwriter_close(w);
    ia_free(keys);
    return st;
}

static ia_status place_parts(ia_ctx *cx, building *b, bool *collides)
{
    const double density = b->m->opt->min_density > 0 ? b->m->opt->min_density : DEFAULT_DENSITY;
    bool kept = false, fresh = false;

    for (size_t i = 0; i < b->picked.n; i++) {
        const part *p = &b->picked.items[i];
        const ia_fragment *f = ia_manifest_fragment(b->t->source->m, p->fragment);
        const uint64_t n = ia_bitmap_count(p->rows);
        collides[i] = b->copy[i];
        b->copy[i] = b->copy[i] || (double)n < density * (double)f->physical_rows;
        if (!b->copy[i]) {
            IA_TRY(adopt(cx, b, p));
            continue;
        }
        b->t->report->rows_copied += n;
        *(collides[i] ? &fresh : &kept) = true;
    }
    if (b->m->opt->dry_run)
        return IA_OK;
    if (kept)
        IA_TRY(copy_parts(cx, b, collides, true));
    return fresh ? copy_parts(cx, b, collides, false) : IA_OK;
}

static void fill_report(building *b)
{
    ia_route *r = b->t->report;

    r->rows_inserted = b->t->n_insert;
    r->rows_updated = b->t->n_update;
    r->rows_deleted = b->t->n_delete;
    r->files_linked = b->stats.files_linked;
    r->files_referenced = b->stats.files_referenced;
    r->files_copied = b->stats.files_copied;
}

static ia_status set_route(ia_ctx *cx, ia_route *r, const char *route, const char *reason)
{
    ia_free(r->route);
    ia_free(r->reason);
    r->route = r->reason = NULL;
    IA_TRY(IA_SET(cx, r->route, ia_strdup(cx, route)));
    return IA_SET(cx, r->reason, ia_strdup(cx, reason));
}

static ia_status name_route(ia_ctx *cx, building *b)
{
    ia_route *r = b->t->report;

    if (b->picked.n == 0 && b->gone.n == 0)
        return set_route(cx, r, "unchanged", "no net change");
    if (r->rows_copied && !r->fragments_adopted)
        return set_route(cx, r, "row_merge",
                         "too few rows of the source's fragments were picked to adopt them");
    if (b->t->ds.walked || b->t->dt.walked)
        return set_route(cx, r, "walk", "the images share no fragment");
    return set_route(cx, r, b->t->kind == IA_ROUTE_GRAFT ? "graft" : "three_way_graft",
                     r->rows_copied ? "some rows were copied" : "");
}

/* The target keeps its own counter unless an adopted id lies above it: then new rows of the target
 * get a space of their own, above. */
static ia_status raise_row_ids(ia_ctx *cx, building *b)
{
    uint64_t min, max, highest = 0;

    for (size_t i = 0; i < b->picked.n; i++) {
        const ia_fragment *f = ia_manifest_fragment(b->t->source->m, b->picked.items[i].fragment);
        if (f && ia_rowids_bounds(&f->row_ids, &min, &max) && max > highest)
            highest = max;
    }
    if (highest < b->dst->m->next_row_id)
        return IA_OK;
    return ia_write_row_id_space(cx, b->m->w, b->t->type, &b->txn->row_id_floor);
}

static ia_status open_txn(ia_ctx *cx, building *b)
{
    if (b->m->opt->dry_run)
        return IA_OK;
    IA_TRY(ia_write_dataset(cx, b->m->w, b->t->type, &b->dst));
    IA_TRY(IA_NEW(cx, b->txn));
    IA_TRY(ia_txn_init(cx, b->txn, IA_TXN_UPDATE, b->dst->m->version));
    return b->picked.n > 0 ? raise_row_ids(cx, b) : IA_OK;
}

ia_status ia_merge_build(ia_ctx *cx, ia_merging *m, ia_mtype *t)
{
    building b = {.m = m, .t = t};
    ia_twrite *tw;
    bool *collides = NULL;
    bool any;
    ia_status st;

    IA_GO(t->kind == IA_ROUTE_GRAFT ? from_images(cx, &b) : from_picks(cx, &b));
    any = b.picked.n > 0 || b.gone.n > 0;
    if (any) {
        IA_GO(census(cx, &b));
        IA_GO(IA_NEW_ARRAY(cx, collides, b.picked.n + 1));
        IA_GO(open_txn(cx, &b));
        IA_GO(place_parts(cx, &b, collides));
    }
    IA_GO(name_route(cx, &b));
    fill_report(&b);
    if (!any || m->opt->dry_run)
        goto done;
    IA_GO(add_removals(cx, &b));
    IA_GO(ia_write_table(cx, m->w, t->type, &tw));
    tw->form = IA_TXN_UPDATE;
    tw->actions = b.txn;
    b.txn = NULL;
done:
    ia_free(collides);
    building_dispose(&b);
    return st;
}
