/* merge_build.c - a merge as actions: deletions united, fragments grafted, few rows copied. */
#include "graph/merge_priv.h"

/* A source fragment is adopted whole and the rows that were not picked are masked in its deletion
 * vector; that is metadata alone. Just the picked rows are copied into a new fragment where the
 * share of picked rows is below a density, where the target has a fragment of the same file (a file
 * backs one fragment of an image: that is what deltas find rows by), or where the table layer
 * cannot move the fragment.
 *
 * Row ids: a row that replaces one takes the id of the replaced row, so that its created-at stamp
 * comes along; a row that comes in keeps its own, or gets a fresh one when that is live in the
 * target. Both only change the fragment's sequence in the manifest. Masked slots keep theirs: they
 * are not live. */

#define DEFAULT_DENSITY 0.1
#define PIECE 256u

/* Picked rows of one source fragment, or rows that go of one target fragment. */
typedef struct part {
    uint64_t fragment;
    ia_bitmap *rows;
    ia_u64map ids; /* offset -> row id that is not the row's own */
    bool copy;
} part;

typedef struct parts {
    ia_u64map index; /* fragment id -> number */
    part *items;
    size_t n, cap;
} parts;

static void parts_dispose(parts *p)
{
    for (size_t i = 0; i < p->n; i++) {
        ia_bitmap_free(p->items[i].rows);
        ia_u64map_dispose(&p->items[i].ids);
    }
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

static bool parts_has(const parts *p, uint64_t addr)
{
    uint64_t at;

    return ia_u64map_find(&p->index, ia_addr_fragment(addr), &at) &&
           ia_bitmap_has(p->items[at].rows, ia_addr_offset(addr));
}

static uint64_t parts_count(const parts *p)
{
    uint64_t n = 0;

    for (size_t i = 0; i < p->n; i++)
        n += ia_bitmap_count(p->items[i].rows);
    return n;
}

typedef struct building {
    ia_merging *m;
    ia_mtype *t;
    parts picked;       /* by source fragment */
    parts gone;         /* by target fragment */
    ia_u64map replaces; /* three-way: source address of an update -> target address it replaces */
    uint64_t next_id;   /* next fresh row id */
    ia_dataset *dst;    /* what the actions are applied to; borrowed from the write */
    ia_txn *txn;        /* owned until handed to the write */
    ia_graft_stats stats;
    const char *why; /* rows are copied */
} building;

static void building_dispose(building *b)
{
    parts_dispose(&b->picked);
    parts_dispose(&b->gone);
    ia_u64map_dispose(&b->replaces);
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
        if (pick == IA_PICK_UPDATE)
            IA_TRY(ia_u64map_put(cx, &b->replaces, t->ds.rows[i].new_addr, t->at[i]));
    }
    return IA_OK;
}

/* Adds the live rows of a whole fragment. */
static ia_status add_live(ia_ctx *cx, parts *p, ia_dataset *ds, const ia_fragment *f)
{
    const ia_bitmap *dv;
    ia_bitmap *rows;

    if (ia_fragment_live(f) == 0)
        return IA_OK;
    IA_TRY(ia_dataset_deletions(cx, ds, f, &dv));
    IA_TRY(parts_get(cx, p, f->id, &rows));
    ia_bitmap_add_range(rows, 0, f->physical_rows);
    if (dv)
        ia_bitmap_andnot(rows, dv);
    return IA_OK;
}

/* Adds a - b, two deletion vectors. */
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

/* A fragment that both images have differs by deletion vector only. */
static ia_status compare_common(ia_ctx *cx, building *b, const ia_fragment *f,
                                const ia_fragment *same)
{
    const ia_bitmap *dv_src, *dv_dst;

    if (ia_fragment_same_deletions(f, same))
        return IA_OK;
    IA_TRY(ia_dataset_deletions(cx, b->t->source, f, &dv_src));
    IA_TRY(ia_dataset_deletions(cx, b->t->target, same, &dv_dst));
    IA_TRY(add_difference(cx, &b->gone, same->id, dv_src, dv_dst));
    return add_difference(cx, &b->picked, f->id, dv_dst, dv_src);
}

/* The target equals the base: its image becomes the source's, from manifests and deletion vectors
 * alone. */
static ia_status from_images(ia_ctx *cx, building *b)
{
    ia_dataset *src = b->t->source, *dst = b->t->target;
    ia_bytemap map = {0};
    ia_status st;

    IA_GO(ia_fragmap_build(cx, dst->m, &map));
    for (size_t i = 0; i < src->m->n_fragments; i++) {
        const ia_fragment *f = &src->m->fragments[i], *same = ia_fragmap_find(&map, dst->m, f);
        IA_GO(same ? compare_common(cx, b, f, same) : add_live(cx, &b->picked, src, f));
    }
    ia_bytemap_dispose(&map);
    IA_GO(ia_fragmap_build(cx, src->m, &map));
    for (size_t i = 0; i < dst->m->n_fragments; i++)
        if (!ia_fragmap_find(&map, src->m, &dst->m->fragments[i]))
            IA_GO(add_live(cx, &b->gone, dst, &dst->m->fragments[i]));
done:
    ia_bytemap_dispose(&map);
    return st;
}

/* ---- row ids ------------------------------------------------------------------------------- */

/* The highest id of the fragments that rows come from. */
static uint64_t highest_picked_id(const building *b)
{
    uint64_t min, max, highest = 0;

    for (size_t i = 0; i < b->picked.n; i++) {
        const ia_fragment *f = ia_manifest_fragment(b->t->source->m, b->picked.items[i].fragment);
        if (f && ia_rowids_bounds(&f->row_ids, &min, &max) && max > highest)
            highest = max;
    }
    return highest;
}

/* Fresh ids start above what the target has given out. Its counter stays unless an id that comes
 * in lies above it: the real engine wants it above every id in use, so the target then goes on in
 * a space of its own above all that are taken. */
static ia_status first_fresh_id(ia_ctx *cx, building *b)
{
    b->next_id = (b->dst ? b->dst : b->t->target)->m->next_row_id;
    if (!b->txn || b->picked.n == 0 || highest_picked_id(b) < b->next_id)
        return IA_OK;
    return ia_write_row_id_space(cx, b->m->w, b->t->type, &b->next_id);
}

static uint64_t row_id_at(const ia_manifest *m, uint64_t addr)
{
    const ia_fragment *f = ia_manifest_fragment(m, ia_addr_fragment(addr));

    return ia_rowids_get(&f->row_ids, ia_addr_offset(addr));
}

/* Settles the row id of one picked row; counts it where picks did not. */
static ia_status settle_row(ia_ctx *cx, building *b, part *p, uint32_t offset, uint64_t own)
{
    uint64_t there, replaced;
    bool found;

    IA_TRY(ia_dataset_find_rowid(cx, b->t->target, own, &found, &there));
    if (ia_u64map_find(&b->replaces, ia_addr(p->fragment, offset), &replaced)) {
        if (found && there == replaced)
            return IA_OK;
        return ia_u64map_put(cx, &p->ids, offset, row_id_at(b->t->target->m, replaced));
    }
    if (b->t->kind == IA_ROUTE_GRAFT) {
        const bool update = found && parts_has(&b->gone, there);
        ++*(update ? &b->t->n_update : &b->t->n_insert);
        if (update)
            return IA_OK;
    }
    return found ? ia_u64map_put(cx, &p->ids, offset, b->next_id++) : IA_OK;
}

static ia_status settle_part(ia_ctx *cx, building *b, part *p)
{
    const ia_fragment *f = ia_manifest_fragment(b->t->source->m, p->fragment);
    uint32_t off[PIECE];
    uint64_t ids[PIECE], from = 0;
    size_t n;

    if (!f || f->row_ids.count != f->physical_rows)
        return ia_fail(cx, IA_ERR_CORRUPT, "%s, fragment %llu: its row ids do not cover its rows",
                       b->t->source->dir, (unsigned long long)p->fragment);
    while ((n = ia_bitmap_next(p->rows, from, off, PIECE)) > 0) {
        ia_rowids_pick(&f->row_ids, off, n, ids);
        for (size_t k = 0; k < n; k++)
            IA_TRY(settle_row(cx, b, p, off[k], ids[k]));
        from = (uint64_t)off[n - 1] + 1;
        IA_TRY(ia_check(cx, 0, 0));
    }
    return IA_OK;
}

static ia_status settle_ids(ia_ctx *cx, building *b)
{
    if (b->t->kind == IA_ROUTE_GRAFT)
        b->t->n_insert = b->t->n_update = 0; /* from images: counted by row id */
    IA_TRY(first_fresh_id(cx, b));
    for (size_t i = 0; i < b->picked.n; i++)
        IA_TRY(settle_part(cx, b, &b->picked.items[i]));
    if (b->t->kind == IA_ROUTE_GRAFT)
        b->t->n_delete = parts_count(&b->gone) - b->t->n_update;
    if (b->txn)
        b->txn->row_id_floor = b->next_id;
    return IA_OK;
}

/* The fragment's sequence with the ids that are not the rows' own. */
static ia_status rewrite_ids(ia_ctx *cx, const part *p, ia_fragment *f)
{
    uint64_t *ids = NULL;
    ia_rowids made = {0};
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, ids, f->row_ids.count));
    ia_rowids_expand(&f->row_ids, ids);
    for (size_t i = 0; i < p->ids.n; i++)
        ids[p->ids.entries[i].key] = p->ids.entries[i].value;
    IA_GO(ia_rowids_from(cx, ids, f->row_ids.count, &made));
    ia_rowids_dispose(&f->row_ids);
    f->row_ids = made;
done:
    ia_free(ids);
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

/* Takes over *f and mask. */
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
    if (p->ids.n > 0)
        IA_GO(rewrite_ids(cx, p, &grafted));
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

typedef struct copier {
    uint32_t *off;
    uint64_t *addrs, *ids;
    size_t chunk;
} copier;

/* Row ids of n picked rows, as they will be in the target. */
static void ids_of(const part *p, const ia_fragment *f, const copier *c, size_t n)
{
    ia_rowids_pick(&f->row_ids, c->off, n, c->ids);
    for (size_t i = 0; p->ids.n > 0 && i < n; i++)
        (void)ia_u64map_find(&p->ids, c->off[i], &c->ids[i]);
}

static ia_status copy_part(ia_ctx *cx, building *b, const part *p, ia_fragwriter *w,
                           const copier *c)
{
    const ia_fragment *f = ia_manifest_fragment(b->t->source->m, p->fragment);
    uint64_t from = 0;
    size_t n;

    while ((n = ia_bitmap_next(p->rows, from, c->off, c->chunk)) > 0) {
        ia_batch *rows;
        for (size_t i = 0; i < n; i++)
            c->addrs[i] = ia_addr(p->fragment, c->off[i]);
        ids_of(p, f, c, n);
        IA_TRY(ia_rows_take(cx, b->t->source, c->addrs, &n, NULL, 0, &rows));
        const ia_status st = ia_fragwriter_write(cx, w, rows, c->ids);
        ia_batch_release(rows);
        IA_TRY(st);
        from = (uint64_t)c->off[n - 1] + 1;
        IA_TRY(ia_check(cx, 0, 0));
    }
    return IA_OK;
}

static ia_status open_writer(ia_ctx *cx, building *b, ia_fragwriter **out)
{
    const ia_type_def *def = b->m->base->cat->types[b->t->type];
    ia_fragwriter_options opt = {.put_flags = ia_graph_put_flags(b->m->g)};
    const char **keys = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(ia_manifest_minor(cx, b->dst->m, &opt.minor));
    IA_GO(ia_type_narrow(cx, def, &keys, &opt.n_key_columns));
    opt.key_columns = keys;
    IA_GO(ia_fragwriter_open(cx, b->m->g->os, b->dst->dir, &b->dst->m->schema, b->dst->m->arrow,
                             &opt, out));
done:
    ia_free(keys);
    return st;
}

static ia_status copy_parts(ia_ctx *cx, building *b)
{
    copier c = {.chunk = ia_rows_chunk(b->t->source->m)};
    ia_fragwriter *w = NULL;
    ia_fragment *frags = NULL;
    size_t n_frags = 0;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, c.off, c.chunk));
    IA_GO(IA_NEW_ARRAY(cx, c.addrs, c.chunk));
    IA_GO(IA_NEW_ARRAY(cx, c.ids, c.chunk));
    IA_GO(open_writer(cx, b, &w));
    for (size_t i = 0; i < b->picked.n; i++)
        if (b->picked.items[i].copy)
            IA_GO(copy_part(cx, b, &b->picked.items[i], w, &c));
    IA_GO(ia_fragwriter_finish(cx, w, &frags, &n_frags));
    for (size_t i = 0; i < n_frags; i++)
        IA_GO(add_fragment(cx, b, &frags[i], NULL));
done:
    ia_fragments_free(frags, n_frags);
    ia_fragwriter_close(w);
    ia_free(c.off);
    ia_free(c.addrs);
    ia_free(c.ids);
    return st;
}

/* Why the picked rows of a fragment are copied; NULL = the fragment is adopted. */
static const char *why_copy(const building *b, const ia_bytemap *map, const part *p)
{
    const double density = b->m->opt->min_density > 0 ? b->m->opt->min_density : DEFAULT_DENSITY;
    const ia_fragment *f = ia_manifest_fragment(b->t->source->m, p->fragment);

    if ((double)ia_bitmap_count(p->rows) < density * (double)f->physical_rows)
        return "too few rows of a fragment were picked to adopt it";
    if (f->n_files > 0 && ia_bytemap_find(map, f->files[0].path, strlen(f->files[0].path), NULL))
        return "the target has a fragment of the same file";
    return f->extra.len > 0 ? "a fragment has parts that cannot be moved" : NULL;
}

static ia_status place_parts(ia_ctx *cx, building *b)
{
    ia_bytemap map = {0};
    ia_status st;

    IA_GO(ia_fragmap_build(cx, b->t->target->m, &map));
    for (size_t i = 0; i < b->picked.n; i++) {
        part *p = &b->picked.items[i];
        const char *why = why_copy(b, &map, p);
        p->copy = why != NULL;
        if (!why) {
            IA_GO(adopt(cx, b, p));
            continue;
        }
        b->why = why;
        b->t->report->rows_copied += ia_bitmap_count(p->rows);
    }
    if (b->why && !b->m->opt->dry_run)
        IA_GO(copy_parts(cx, b));
done:
    ia_bytemap_dispose(&map);
    return st;
}

/* ---- the type ------------------------------------------------------------------------------ */

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
        return set_route(cx, r, "row_merge", b->why);
    if (b->t->ds.walked || b->t->dt.walked)
        return set_route(cx, r, "walk", "the images share no fragment");
    return set_route(cx, r, b->t->kind == IA_ROUTE_GRAFT ? "graft" : "three_way_graft",
                     b->why ? b->why : "");
}

static ia_status open_txn(ia_ctx *cx, building *b)
{
    if (b->m->opt->dry_run)
        return IA_OK;
    IA_TRY(ia_write_dataset(cx, b->m->w, b->t->type, &b->dst));
    IA_TRY(IA_NEW(cx, b->txn));
    return ia_txn_init(cx, b->txn, IA_TXN_UPDATE, b->dst->m->version);
}

ia_status ia_merge_build(ia_ctx *cx, ia_merging *m, ia_mtype *t)
{
    building b = {.m = m, .t = t};
    ia_twrite *tw;
    bool any;
    ia_status st;

    IA_GO(t->kind == IA_ROUTE_GRAFT ? from_images(cx, &b) : from_picks(cx, &b));
    any = b.picked.n > 0 || b.gone.n > 0;
    if (any) {
        IA_GO(open_txn(cx, &b));
        IA_GO(settle_ids(cx, &b));
        IA_GO(place_parts(cx, &b));
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
    building_dispose(&b);
    return st;
}
