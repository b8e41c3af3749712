/* merge_decide.c - the row truth table over (base, source, target), by logical id. */
#include "arrow/render.h"
#include "graph/merge_priv.h"

/* Only ids that both sides touched are compared by value; a row touched by the source alone is
 * taken as it is. */

ia_status ia_merge_deltas(ia_ctx *cx, ia_merging *m, ia_mtype *t)
{
    (void)m;
    if (t->source && t->base && !ia_entry_same(t->eb, t->es))
        IA_TRY(ia_delta_compute(cx, t->base, t->source, &t->ds));
    if (t->target && t->base && !ia_entry_same(t->eb, t->et))
        IA_TRY(ia_delta_compute(cx, t->base, t->target, &t->dt));
    return IA_OK;
}

/* ---- where the target has a base row ------------------------------------------------------- */

typedef struct locator {
    ia_bytemap map; /* target fragments by file */
    const ia_manifest *base, *target;
    uint64_t last_base, last_target; /* the pair found last */
    bool any;
} locator;

static ia_status locate(ia_ctx *cx, locator *l, uint64_t base_addr, uint64_t *out)
{
    const uint64_t frag = ia_addr_fragment(base_addr);

    if (!l->any || l->last_base != frag) {
        const ia_fragment *b = ia_manifest_fragment(l->base, frag);
        const ia_fragment *t = b ? ia_fragmap_find(&l->map, l->target, b) : NULL;
        if (!t)
            return ia_fail(
                cx, IA_ERR_INTERNAL,
                "merge: fragment %llu of the base is neither in the target nor in its delta",
                (unsigned long long)frag);
        l->any = true;
        l->last_base = frag;
        l->last_target = t->id;
    }
    *out = ia_addr(l->last_target, ia_addr_offset(base_addr));
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

static void triple_dispose(triple *r)
{
    for (int k = 0; k < 3; k++) {
        ia_free(r->addr[k]);
        ia_free(r->pos[k]);
        ia_batch_release(r->rows[k]);
    }
    ia_free(r->entry);
}

static ia_status triple_init(ia_ctx *cx, triple *r, const ia_mtype *t)
{
    *r = (triple){.ds = {t->base, t->source, t->target}, .cap = ia_rows_chunk(t->target->m->arrow)};
    for (int k = 0; k < 3; k++) {
        IA_TRY(IA_NEW_ARRAY(cx, r->addr[k], r->cap));
        IA_TRY(IA_NEW_ARRAY(cx, r->pos[k], r->cap));
    }
    return IA_NEW_ARRAY(cx, r->entry, r->cap);
}

static ia_status triple_read(ia_ctx *cx, triple *r)
{
    uint64_t *present = NULL;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, present, r->n + 1));
    for (int k = 0; k < 3; k++) {
        size_t n = 0;
        for (size_t i = 0; i < r->n; i++) {
            r->pos[k][i] = r->addr[k][i] == IA_NO_ROW ? -1 : (int64_t)n;
            if (r->addr[k][i] != IA_NO_ROW)
                present[n++] = r->addr[k][i];
        }
        ia_batch_release(r->rows[k]);
        r->rows[k] = NULL;
        IA_GO(ia_dataset_take(cx, r->ds[k], present, n, NULL, 0, &r->rows[k]));
    }
done:
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

static ia_status image_json(ia_ctx *cx, const ia_batch *b, int64_t row, char **out)
{
    ia_jsonw w;
    ia_bytes bytes = {0};
    ia_status st;

    *out = NULL;
    if (row < 0)
        return IA_OK;
    ia_jsonw_init(&w, cx, 0);
    ia_jsonw_object(&w);
    for (size_t k = 0; k < b->schema->n_fields; k++) {
        ia_jsonw_key(&w, b->schema->fields[k].name);
        ia_value_json(cx, &w, b->cols[k], row, 0);
    }
    ia_jsonw_end_object(&w);
    IA_GO(ia_jsonw_finish(&w, &bytes));
    IA_GO(IA_SET(cx, *out, ia_strndup(cx, (const char *)bytes.data, bytes.len)));
done:
    ia_bytes_dispose(&bytes);
    ia_jsonw_dispose(&w);
    return st;
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

    for (int k = 0; k < 3; k++)
        IA_GO(image_json(cx, r->rows[k], r->pos[k][i], &image[k]));
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
 */
static ia_status widen(ia_ctx *cx, ia_mtype *t, const ia_bytemap *disputed)
{
    for (size_t i = 0; i < disputed->n; i++) {
        const ia_view id = ia_bytemap_key(disputed, i);
        size_t at, in_target;
        bool added;
        if (!ia_bytemap_find(&t->dt.ids, id.data, id.len, &in_target))
            continue;
        IA_TRY(ia_bytemap_put(cx, &t->ds.ids, id.data, id.len, &at, &added));
        if (!added)
            continue;
        IA_TRY(IA_GROW(cx, t->ds.rows, t->ds.cap, at + 1));
        const uint64_t base = t->dt.rows[in_target].old_addr;
        t->ds.rows[at] = (ia_delta_row){base, IA_NO_ROW};
        if (base == IA_NO_ROW)
            continue;
        /* the source still has the base row: the same files under the source's own fragment id */
        locator l = {.base = t->base->m, .target = t->source->m};
        const ia_status st = ia_fragmap_build(cx, l.target, &l.map);
        const ia_status found = st == IA_OK ? locate(cx, &l, base, &t->ds.rows[at].new_addr) : st;
        ia_bytemap_dispose(&l.map);
        IA_TRY(found);
    }
    return IA_OK;
}

/* ---- all rows ------------------------------------------------------------------------------ */

typedef struct deciding {
    ia_merging *m;
    ia_mtype *t;
    locator loc;
    triple rows;
    ia_bytemap disputed;
} deciding;

static ia_status flush(ia_ctx *cx, deciding *d)
{
    if (d->rows.n == 0)
        return IA_OK;
    IA_TRY(triple_read(cx, &d->rows));
    for (size_t i = 0; i < d->rows.n; i++) {
        const ia_view id = ia_bytemap_key(&d->t->ds.ids, d->rows.entry[i]);
        const bool no_base = ia_bytemap_find(&d->disputed, id.data, id.len, NULL);
        IA_TRY(judge(cx, d->m, d->t, &d->rows, i, no_base));
    }
    d->t->report->rows_compared += d->rows.n;
    d->rows.n = 0;
    return ia_check(cx, 0, 0);
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

ia_status ia_merge_decide(ia_ctx *cx, ia_merging *m, ia_mtype *t)
{
    deciding d = {.m = m, .t = t, .loc = {.base = t->base->m, .target = t->target->m}};
    ia_status st;

    IA_GO(triple_init(cx, &d.rows, t));
    IA_GO(ia_fragmap_build(cx, t->target->m, &d.loc.map));
    IA_GO(find_disputed(cx, m, t, &d.disputed));
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
