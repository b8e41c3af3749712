/* merge_decide.c - the row truth table over (base, source, target), by logical id. */
#include "arrow/render.h"
#include "graph/merge_priv.h"

/* Only ids that both sides touched are compared by value; a row touched by the source alone is
 * taken as it is. Even ids are read only where the two deltas can meet: in a type that both sides
 * changed, and between an edge type that one side changed and a node type in which the other
 * removed rows. */

#define IMAGES_MAX (16u << 20) /* bytes of row images that conflicts may carry */

/* ---- where a side has a base row ----------------------------------------------------------- */

typedef struct locator {
    ia_bytemap map; /* fragments of `side` by file */
    const ia_manifest *base, *side;
    uint64_t last_base, last_side; /* the pair found last */
    bool any;
} locator;

static ia_status locate(ia_ctx *cx, locator *l, uint64_t base_addr, uint64_t *out)
{
    const uint64_t frag = ia_addr_fragment(base_addr);

    if (!l->any || l->last_base != frag) {
        const ia_fragment *b = ia_manifest_fragment(l->base, frag);
        const ia_fragment *t = b ? ia_fragmap_find(&l->map, l->side, b) : NULL;
        if (!t)
            return ia_fail(
                cx, IA_ERR_INTERNAL,
                "merge: fragment %llu of the base is neither in a side nor in its delta",
                (unsigned long long)frag);
        l->any = true;
        l->last_base = frag;
        l->last_side = t->id;
    }
    *out = ia_addr(l->last_side, ia_addr_offset(base_addr));
    return IA_OK;
}

/* ---- rows by value ------------------------------------------------------------------------- */

/* Three images of up to `cap` ids. Absent rows have address IA_NO_ROW. */
typedef struct triple {
    ia_dataset *ds[3]; /* base, source, target */
    uint64_t *addr[3];
    ia_batch *rows[3]; /* of the present ones, in order */
    int64_t *pos[3];   /* row number in rows[k], -1 = absent */
    size_t *entry;     /* number in t->ds */
    size_t n, cap;
} triple;

static void triple_release(triple *r)
{
    for (int k = 0; k < 3; k++) {
        ia_batch_release(r->rows[k]);
        r->rows[k] = NULL;
    }
}

static void triple_dispose(triple *r)
{
    triple_release(r);
    for (int k = 0; k < 3; k++) {
        ia_free(r->addr[k]);
        ia_free(r->pos[k]);
    }
    ia_free(r->entry);
}

static ia_status triple_init(ia_ctx *cx, triple *r, const ia_mtype *t)
{
    const size_t cap = ia_rows_chunk(t->source->m), other = ia_rows_chunk(t->target->m);

    *r = (triple){.ds = {t->base, t->source, t->target}, .cap = cap < other ? cap : other};
    for (int k = 0; k < 3; k++) {
        IA_TRY(IA_NEW_ARRAY(cx, r->addr[k], r->cap));
        IA_TRY(IA_NEW_ARRAY(cx, r->pos[k], r->cap));
    }
    return IA_NEW_ARRAY(cx, r->entry, r->cap);
}

/* The three images of entries [from, from + n). */
static ia_status triple_read(ia_ctx *cx, triple *r, size_t from, size_t n)
{
    uint64_t *present = NULL;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, present, n + 1));
    for (int k = 0; k < 3; k++) {
        size_t found = 0;
        for (size_t i = from; i < from + n; i++) {
            r->pos[k][i] = r->addr[k][i] == IA_NO_ROW ? -1 : (int64_t)found;
            if (r->addr[k][i] != IA_NO_ROW)
                present[found++] = r->addr[k][i];
        }
        IA_GO(ia_dataset_take(cx, r->ds[k], present, found, NULL, 0, &r->rows[k]));
    }
done:
    if (st != IA_OK)
        triple_release(r);
    ia_free(present);
    return st;
}

/* Equality of two of the three images of row i; both absent is equal. */
static ia_status same(ia_ctx *cx, const triple *r, size_t i, int a, int b, bool *equal)
{
    const int64_t x = r->pos[a][i], y = r->pos[b][i];

    *equal = x < 0 && y < 0;
    if (x < 0 || y < 0)
        return IA_OK;
    return ia_rows_equal(cx, r->rows[a], x, r->rows[b], y, equal);
}

static ia_status report(ia_ctx *cx, ia_merging *m, const ia_mtype *t, const triple *r, size_t i,
                        bool no_base)
{
    static const char *const messages[] = {
        "inserted on both sides with different values",
        "changed on both sides to different values",
        "deleted on one side, changed on the other",
        "the merge bases disagree on this row, and the two sides differ",
    };
    const bool b = r->pos[0][i] >= 0, s = r->pos[1][i] >= 0, g = r->pos[2][i] >= 0;
    const ia_conflict_kind kind = !s || !g       ? IA_DELETE_VS_UPDATE
                                  : b || no_base ? IA_DIVERGENT_UPDATE
                                                 : IA_DIVERGENT_INSERT;
    const char *message = no_base ? messages[3] : messages[kind];
    char *image[3] = {NULL, NULL, NULL};
    ia_status st = IA_OK;

    for (int k = 0; k < 3 && m->image_bytes < IMAGES_MAX; k++)
        if (r->pos[k][i] >= 0)
            IA_GO(ia_row_json(cx, r->rows[k], r->pos[k][i], &image[k]));
    for (int k = 0; k < 3; k++)
        m->image_bytes += image[k] ? strlen(image[k]) : 0;
    IA_GO(ia_conflict_add(cx, m, kind, t->type, ia_bytemap_key(&t->ds.ids, r->entry[i]), message,
                          no_base ? NULL : image[0], image[1], image[2]));
done:
    for (int k = 0; k < 3; k++)
        ia_free(image[k]);
    return st;
}

static ia_pick pick_of(bool source_there, bool target_there)
{
    if (!source_there)
        return target_there ? IA_PICK_DELETE : IA_PICK_NONE;
    return target_there ? IA_PICK_UPDATE : IA_PICK_INSERT;
}

/* One row of table 3.A. `no_base`: the best ancestors disagree on it. */
static ia_status judge(ia_ctx *cx, ia_merging *m, ia_mtype *t, const triple *r, size_t i,
                       bool no_base)
{
    bool st_equal, sb_equal, tb_equal;

    t->pick[r->entry[i]] = IA_PICK_NONE;
    IA_TRY(same(cx, r, i, 1, 2, &st_equal));
    if (st_equal)
        return IA_OK;
    if (no_base)
        return report(cx, m, t, r, i, true);
    IA_TRY(same(cx, r, i, 1, 0, &sb_equal));
    if (sb_equal)
        return IA_OK;
    IA_TRY(same(cx, r, i, 2, 0, &tb_equal));
    if (!tb_equal)
        return report(cx, m, t, r, i, false);
    t->pick[r->entry[i]] = (uint8_t)pick_of(r->pos[1][i] >= 0, r->pos[2][i] >= 0);
    t->at[r->entry[i]] = r->addr[2][i];
    return IA_OK;
}

/* ---- criss-cross --------------------------------------------------------------------------- */

/* Ids on which another best ancestor differs from the picked one by value, among those in the
 * deltas. */
static ia_status find_disputed(ia_ctx *cx, ia_merging *m, ia_mtype *t, ia_bytemap *out)
{
    const ia_type_def *def = m->base->cat->types[t->type];
    ia_dataset *other = NULL;
    ia_delta d = {0};
    ia_status st = IA_OK;

    for (size_t k = 0; k < m->n_others; k++) {
        const ia_entry *e = ia_commit_entry(m->others[k]->commit, def->type_id);
        if (!e || ia_entry_same(e, t->eb))
            continue;
        IA_GO(ia_entry_open(cx, m->g, def, e, &other));
        IA_GO(ia_delta_compute(cx, t->base, other, &d));
        for (size_t i = 0; i < d.ids.n; i++) {
            const ia_view id = ia_bytemap_key(&d.ids, i);
            if (!ia_bytemap_find(&t->ds.ids, id.data, id.len, NULL) &&
                !ia_bytemap_find(&t->dt.ids, id.data, id.len, NULL))
                d.rows[i] = (ia_delta_row){IA_NO_ROW, IA_NO_ROW};
        }
        IA_GO(ia_delta_drop_equal(cx, &d, t->base, other));
        for (size_t i = 0; i < d.ids.n; i++) {
            const ia_view id = ia_bytemap_key(&d.ids, i);
            if (d.rows[i].old_addr != IA_NO_ROW || d.rows[i].new_addr != IA_NO_ROW)
                IA_GO(ia_bytemap_put(cx, out, id.data, id.len, NULL, NULL));
        }
        ia_delta_dispose(&d);
        ia_dataset_release(other);
        other = NULL;
    }
done:
    ia_delta_dispose(&d);
    ia_dataset_release(other);
    return st;
}

/* A disputed id that only the target changed is not in ds: put it there, so that it is judged, too.
 * The source still has the base row: the same files under the source's own fragment id. */
static ia_status widen(ia_ctx *cx, ia_mtype *t, const ia_bytemap *disputed)
{
    locator l = {.base = t->base->m, .side = t->source->m};
    ia_status st;

    IA_GO(ia_fragmap_build(cx, l.side, &l.map));
    for (size_t i = 0; i < disputed->n; i++) {
        const ia_view id = ia_bytemap_key(disputed, i);
        size_t at, in_target;
        bool added;
        if (!ia_bytemap_find(&t->dt.ids, id.data, id.len, &in_target))
            continue;
        IA_GO(ia_bytemap_put(cx, &t->ds.ids, id.data, id.len, &at, &added));
        if (!added)
            continue;
        IA_GO(IA_GROW(cx, t->ds.rows, t->ds.cap, at + 1));
        const uint64_t base = t->dt.rows[in_target].old_addr;
        t->ds.rows[at] = (ia_delta_row){base, IA_NO_ROW};
        if (base != IA_NO_ROW)
            IA_GO(locate(cx, &l, base, &t->ds.rows[at].new_addr));
    }
done:
    ia_bytemap_dispose(&l.map);
    return st;
}

/* ---- all rows ------------------------------------------------------------------------------ */

typedef struct deciding {
    ia_merging *m;
    ia_mtype *t;
    locator loc;
    triple rows;
    ia_bytemap disputed;
} deciding;

/* Halves are judged one after the other where the budget has no room for all images. */
static ia_status judge_range(ia_ctx *cx, deciding *d, size_t from, size_t n)
{
    ia_status st = triple_read(cx, &d->rows, from, n);

    if (st == IA_ERR_OVER_BUDGET && n > 1) {
        ia_ctx_clear(cx);
        IA_TRY(judge_range(cx, d, from, n / 2));
        return judge_range(cx, d, from + n / 2, n - n / 2);
    }
    for (size_t i = from; st == IA_OK && i < from + n; i++) {
        const ia_view id = ia_bytemap_key(&d->t->ds.ids, d->rows.entry[i]);
        const bool no_base = ia_bytemap_find(&d->disputed, id.data, id.len, NULL);
        st = judge(cx, d->m, d->t, &d->rows, i, no_base);
    }
    triple_release(&d->rows);
    return st == IA_OK ? ia_check(cx, 0, 0) : st;
}

static ia_status flush(ia_ctx *cx, deciding *d)
{
    const size_t n = d->rows.n;

    d->rows.n = 0;
    d->t->report->rows_compared += n;
    return n ? judge_range(cx, d, 0, n) : IA_OK;
}

static ia_status queue(ia_ctx *cx, deciding *d, size_t entry, uint64_t base, uint64_t source,
                       uint64_t target)
{
    triple *r = &d->rows;

    r->entry[r->n] = entry;
    r->addr[0][r->n] = base;
    r->addr[1][r->n] = source;
    r->addr[2][r->n++] = target;
    return r->n == r->cap ? flush(cx, d) : IA_OK;
}

static ia_status decide_one(ia_ctx *cx, deciding *d, size_t i)
{
    ia_mtype *t = d->t;
    const ia_delta_row row = t->ds.rows[i];
    const ia_view id = ia_bytemap_key(&t->ds.ids, i);
    size_t in_target;
    uint64_t target = IA_NO_ROW;

    if (ia_bytemap_find(&t->dt.ids, id.data, id.len, &in_target)) {
        const ia_delta_row other = t->dt.rows[in_target];
        const uint64_t base = row.old_addr != IA_NO_ROW ? row.old_addr : other.old_addr;
        d->m->out->rows_both_sides++;
        return queue(cx, d, i, base, row.new_addr, other.new_addr);
    }
    if (row.old_addr != IA_NO_ROW)
        IA_TRY(locate(cx, &d->loc, row.old_addr, &target));
    if (d->disputed.n && ia_bytemap_find(&d->disputed, id.data, id.len, NULL))
        return queue(cx, d, i, row.old_addr, row.new_addr, target);
    t->pick[i] = (uint8_t)pick_of(row.new_addr != IA_NO_ROW, target != IA_NO_ROW);
    t->at[i] = target;
    return IA_OK;
}

static void count_picks(ia_mtype *t)
{
    t->n_insert = t->n_update = t->n_delete = 0;
    for (size_t i = 0; i < t->ds.ids.n; i++) {
        t->n_insert += t->pick[i] == IA_PICK_INSERT;
        t->n_update += t->pick[i] == IA_PICK_UPDATE;
        t->n_delete += t->pick[i] == IA_PICK_DELETE;
    }
}

static ia_status decide_type(ia_ctx *cx, ia_merging *m, ia_mtype *t)
{
    deciding d = {.m = m, .t = t, .loc = {.base = t->base->m, .side = t->target->m}};
    ia_status st;

    IA_GO(triple_init(cx, &d.rows, t));
    IA_GO(ia_fragmap_build(cx, t->target->m, &d.loc.map));
    IA_GO(find_disputed(cx, m, t, &d.disputed));
    if (d.disputed.n)
        IA_GO(widen(cx, t, &d.disputed));
    IA_GO(IA_NEW_ARRAY(cx, t->pick, t->ds.ids.n + 1));
    IA_GO(IA_NEW_ARRAY(cx, t->at, t->ds.ids.n + 1));
    for (size_t i = 0; i < t->ds.ids.n; i++)
        IA_GO(decide_one(cx, &d, i));
    IA_GO(flush(cx, &d));
    count_picks(t);
done:
    triple_dispose(&d.rows);
    ia_bytemap_dispose(&d.loc.map);
    ia_bytemap_dispose(&d.disputed);
    return st;
}

/* ---- where the two sides can meet ---------------------------------------------------------- */

ia_status ia_merge_images(ia_ctx *cx, ia_merging *m, ia_mtype *t)
{
    const ia_type_def *def = m->base->cat->types[t->type];

    if (!t->base)
        IA_TRY(ia_entry_open(cx, m->g, def, t->eb, &t->base));
    if (!t->source)
        IA_TRY(ia_entry_open(cx, m->g, def, t->es, &t->source));
    return t->target ? IA_OK : ia_entry_open(cx, m->g, def, t->et, &t->target);
}

size_t ia_type_number(const ia_catalog *cat, const ia_type_def *def)
{
    size_t i = 0;

    while (i < cat->n_types && cat->types[i] != def)
        i++;
    return i;
}

bool ia_delta_removes(const ia_delta *d)
{
    for (size_t i = 0; i < d->ids.n; i++)
        if (d->rows[i].new_addr == IA_NO_ROW)
            return true;
    return false;
}

static ia_status read_deltas(ia_ctx *cx, ia_merging *m, ia_mtype *t, bool source, bool target)
{
    source = source && t->moved_s;
    target = target && t->moved_t;
    if (source || target)
        IA_TRY(ia_merge_images(cx, m, t));
    if (source)
        IA_TRY(ia_delta_compute(cx, t->base, t->source, &t->ds));
    return target ? ia_delta_compute(cx, t->base, t->target, &t->dt) : IA_OK;
}

/* A node type's delta can meet the other side's in the type itself and in the edges at it. */
static ia_status node_deltas(ia_ctx *cx, ia_merging *m, size_t type)
{
    const ia_catalog *cat = m->base->cat;
    bool moved_s = m->types[type].moved_s, moved_t = m->types[type].moved_t;

    for (size_t i = cat->n_nodes; i < cat->n_types; i++)
        if (cat->types[i]->from == cat->types[type] || cat->types[i]->to == cat->types[type]) {
            moved_s = moved_s || m->types[i].moved_s;
            moved_t = moved_t || m->types[i].moved_t;
        }
    return read_deltas(cx, m, &m->types[type], moved_t, moved_s);
}

/* An edge type's delta can meet the other side's in the type itself and where its ends went. */
static ia_status edge_deltas(ia_ctx *cx, ia_merging *m, size_t type)
{
    const ia_catalog *cat = m->base->cat;
    const ia_mtype *t = &m->types[type], *from, *to;

    from = &m->types[ia_type_number(cat, cat->types[type]->from)];
    to = &m->types[ia_type_number(cat, cat->types[type]->to)];
    return read_deltas(cx, m, &m->types[type],
                       t->moved_t || ia_delta_removes(&from->dt) || ia_delta_removes(&to->dt),
                       t->moved_s || ia_delta_removes(&from->ds) || ia_delta_removes(&to->ds));
}

ia_status ia_merge_decide(ia_ctx *cx, ia_merging *m)
{
    const bool all = m->n_others > 0 || m->opt->full_probe;

    for (size_t i = 0; i < m->n_types; i++) { /* nodes, then edges */
        ia_mtype *t = &m->types[i];
        if (all)
            IA_TRY(read_deltas(cx, m, t, true, true));
        else
            IA_TRY(i < m->base->cat->n_nodes ? node_deltas(cx, m, i) : edge_deltas(cx, m, i));
        if (t->ds.ids.n > 0 || (m->n_others > 0 && t->dt.ids.n > 0))
            IA_TRY(decide_type(cx, m, t));
        IA_TRY(ia_check(cx, i, m->n_types));
    }
    return IA_OK;
}
