/* rebase.c - moves a planned write onto a newer head: rows the winners touched or moved. */
#include "graph/delta.h"
#include "graph/graph_priv.h"

/* ---- rows touched by both -------------------------------------------------------------------- */
static bool delta_has(const ia_delta *d, ia_view id)
{
    size_t i;
    return ia_bytemap_find(&d->ids, id.data, id.len, &i) &&
           (d->rows[i].old_addr != IA_NO_ROW || d->rows[i].new_addr != IA_NO_ROW);
}

/* First id of the change that the delta has, too; empty view when there is none. */
static ia_view meet_map(const ia_bytemap *ids, const ia_delta *d)
{
    for (size_t i = 0; i < ids->n; i++) {
        const ia_view id = ia_bytemap_key(ids, i);
        if (delta_has(d, id))
            return id;
    }
    return (ia_view){0};
}

static ia_view meet(const ia_tchange *t, const ia_delta *d)
{
    ia_view id = meet_map(&t->deleted, d);

    if (!id.data)
        id = meet_map(&t->overwrite_removed, d);
    for (size_t i = 0; !id.data && i < t->n_images; i++) {
        const ia_array *col = ia_batch_col(t->images[i], "id");
        for (int64_t k = 0; col && k < t->images[i]->rows; k++) {
            const ia_view v = ia_array_str(col, k);
            if (delta_has(d, v))
                return v;
        }
    }
    return id;
}

/* Commits after `from` up to `to` on the branch, oldest first. */
static ia_status commits_between(ia_ctx *cx, ia_graph *g, const ia_commit *from,
                                 const ia_commit *to, ia_commit_list *out)
{
    ia_commit *c = NULL;
    ia_status st;

    *out = (ia_commit_list){0};
    IA_GO(ia_commit_copy(cx, to, &c));
    while (strcmp(c->ref.id, from->ref.id) != 0) {
        IA_GO(IA_GROW(cx, out->items, out->cap, out->n + 1));
        out->items[out->n++] = c;
        if (c->n_parents == 0) {
            c = NULL;
            break;
        }
        const ia_commit_ref parent = c->parents[0];
        c = NULL;
        IA_GO(ia_commit_read(cx, g, &parent, &c));
    }
    for (size_t i = 0; i < out->n / 2; i++) {
        ia_commit *t = out->items[i];
        out->items[i] = out->items[out->n - 1 - i];
        out->items[out->n - 1 - i] = t;
    }
done:
    ia_commit_free(c);
    if (st != IA_OK)
        ia_commit_list_dispose(out);
    return st;
}

static ia_status step_has(ia_ctx *cx, ia_graph *g, const ia_type_def *def, const ia_entry *a,
                          const ia_entry *b, ia_view id, bool *has)
{
    ia_dataset *x = NULL, *y = NULL;
    ia_delta d = {0};
    ia_status st;

    *has = false;
    IA_GO(ia_entry_open(cx, g, def, a, &x));
    IA_GO(ia_entry_open(cx, g, def, b, &y));
    IA_GO(ia_delta_compute(cx, x, y, &d));
    *has = delta_has(&d, id);
done:
    ia_delta_dispose(&d);
    ia_dataset_release(x);
    ia_dataset_release(y);
    return st;
}

/* The commit that changed the row, so that the message can name it. */
static ia_status row_conflict(ia_ctx *cx, const ia_write *w, const ia_snapshot *next, size_t type,
                              ia_view id)
{
    const ia_type_def *def = w->head->cat->types[type];
    const ia_entry *last = ia_snapshot_entry(w->head, type);
    ia_commit_list l = {0};
    const char *who = next->commit->ref.id;
    ia_status st;

    IA_GO(commits_between(cx, w->g, w->head->commit, next->commit, &l));
    for (size_t i = 0; i + 1 < l.n; i++) {
        const ia_entry *e = ia_commit_entry(l.items[i], def->type_id);
        bool has = false;
        if (!e || ia_entry_same(last, e))
            continue;
        IA_GO(step_has(cx, w->g, def, last, e, id, &has));
        if (has) {
            who = l.items[i]->ref.id;
            break;
        }
        last = e;
    }
    st = ia_fail(cx, IA_ERR_CONFLICT,
                 "row '%.*s' of %s was changed by commit %s meanwhile; nothing was changed, try "
                 "again",
                 id.len > 100 ? 100 : (int)id.len, id.data, def->name, who);
done:
    ia_commit_list_dispose(&l);
    return st;
}

static ia_status check_rows(ia_ctx *cx, const ia_write *w, const ia_snapshot *next, size_t type,
                            ia_dataset *old_ds, ia_dataset *new_ds)
{
    const ia_tchange *t = ia_changeset_find(&w->changes, type);
    ia_delta d = {0};
    ia_view id;
    ia_status st = IA_OK;

    if (!t)
        return IA_OK;
    IA_GO(ia_delta_compute(cx, old_ds, new_ds, &d));
    id = meet(t, &d);
    if (id.data) { /* moved by a compaction is no change */
        IA_GO(ia_delta_drop_equal(cx, &d, old_ds, new_ds));
        id = meet(t, &d);
    }
    if (id.data)
        IA_GO(row_conflict(cx, w, next, type, id));
done:
    ia_delta_dispose(&d);
    return st;
}

/* ---- rows that lie elsewhere ----------------------------------------------------------------- */
typedef struct removed_list {
    struct ia_rowset *items;
    size_t n, cap;
} removed_list;

static void removed_dispose(removed_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        ia_bitmap_free(l->items[i].offsets);
    ia_free(l->items);
}

static ia_status removed_get(ia_ctx *cx, removed_list *l, uint64_t fragment, ia_bitmap **out)
{
    *out = NULL;
    for (size_t i = 0; i < l->n; i++)
        if (l->items[i].fragment == fragment) {
            *out = l->items[i].offsets;
            return IA_OK;
        }
    IA_TRY(IA_GROW(cx, l->items, l->cap, l->n + 1));
    l->items[l->n] = (struct ia_rowset){.fragment = fragment};
    IA_TRY(ia_bitmap_new(cx, &l->items[l->n].offsets));
    *out = l->items[l->n++].offsets;
    return IA_OK;
}

/* Files are gone (compacted): the rows are found by their row ids. */
static ia_status relocate_by_id(ia_ctx *cx, const ia_fragment *f, const ia_bitmap *offsets,
                                ia_dataset *to, removed_list *out)
{
    uint32_t part[256];
    uint64_t from = 0;
    size_t n;

    while ((n = ia_bitmap_next(offsets, from, part, 256)) > 0) {
        for (size_t i = 0; i < n; i++) {
            ia_bitmap *bits;
            uint64_t addr = 0;
            bool found = part[i] < f->row_ids.count;
            if (found)
                IA_TRY(ia_dataset_find_rowid(cx, to, ia_rowids_get(&f->row_ids, part[i]), &found,
                                             &addr));
            if (!found)
                return ia_fail(cx, IA_ERR_CONFLICT,
                               "a row that this write removes was moved meanwhile and cannot be "
                               "found again; nothing was changed, try again");
            IA_TRY(removed_get(cx, out, ia_addr_fragment(addr), &bits));
            ia_bitmap_add(bits, ia_addr_offset(addr));
        }
        from = (uint64_t)part[n - 1] + 1;
    }
    return IA_OK;
}

static ia_status relocate(ia_ctx *cx, ia_twrite *t, const ia_dataset *from, ia_dataset *to)
{
    removed_list l = {0};
    ia_bytemap map = {0};
    ia_bitmap *bits;
    ia_status st;

    IA_GO(ia_fragmap_build(cx, to->m, &map));
    for (size_t i = 0; i < t->n_removed; i++) {
        const ia_fragment *f = ia_manifest_fragment(from->m, t->removed[i].fragment), *now;
        if (!f)
            IA_GO(ia_fail(cx, IA_ERR_INTERNAL,
                          "a write removes rows of fragment %llu, which its table does not have",
                          (unsigned long long)t->removed[i].fragment));
        now = ia_fragmap_find(&map, to->m,
                              f); /* equal offsets mean equal rows, whatever its number */
        if (!now) {
            IA_GO(relocate_by_id(cx, f, t->removed[i].offsets, to, &l));
            continue;
        }
        IA_GO(removed_get(cx, &l, now->id, &bits));
        ia_bitmap_or(bits, t->removed[i].offsets);
    }
    for (size_t i = 0; i < t->n_removed; i++)
        ia_bitmap_free(t->removed[i].offsets);
    ia_free(t->removed);
    t->removed = l.items;
    t->n_removed = l.n;
    l = (removed_list){0};
done:
    ia_bytemap_dispose(&map);
    removed_dispose(&l);
    return st;
}

/* ---- one table ------------------------------------------------------------------------------- */
static ia_status same_lifetime(ia_ctx *cx, const ia_write *w, const ia_entry *a, const ia_entry *b,
                               size_t type)
{
    if (!a || !b || a->incarnation != b->incarnation)
        return ia_fail(cx, IA_ERR_CONFLICT,
                       "type %s was dropped or made anew meanwhile; nothing was changed",
                       w->head->cat->types[type]->name);
    return IA_OK;
}

/* New data files stay where they were written; which tree they belong to is settled when they are
 * staged. */
static ia_status keep_added_dir(ia_ctx *cx, ia_twrite *t, const ia_wtype *wt)
{
    if (t->added_dir || t->n_added == 0 || !wt->dir)
        return IA_OK;
    return IA_SET(cx, t->added_dir, ia_strdup(cx, wt->dir));
}

static ia_status rebase_table(ia_ctx *cx, ia_write *w, ia_twrite *t, ia_snapshot *next)
{
    const ia_entry *a = ia_snapshot_entry(w->head, t->type), *b = ia_snapshot_entry(next, t->type);
    ia_wtype *wt = &w->own->types[t->type];
    ia_dataset *old_ds, *new_ds;

    IA_TRY(same_lifetime(cx, w, a, b, t->type));
    if (ia_entry_same(a, b))
        return IA_OK;
    if (t->actions || t->pointer || t->overwrite)
        return ia_fail(cx, IA_ERR_CONFLICT,
                       "type %s, which this write replaces, was changed by commit %s meanwhile; "
                       "nothing was changed, try again",
                       w->head->cat->types[t->type]->name, next->commit->ref.id);
    IA_TRY(ia_snapshot_table(cx, w->head, t->type, &old_ds));
    IA_TRY(ia_snapshot_table(cx, next, t->type, &new_ds));
    IA_TRY(check_rows(cx, w, next, t->type, old_ds, new_ds));
    IA_TRY(relocate(cx, t, old_ds, new_ds));
    IA_TRY(keep_added_dir(cx, t, wt));
    ia_wtype_forget_dataset(wt);
    wt->decided = false;
    return IA_OK;
}

ia_status ia_write_rebase(ia_ctx *cx, ia_write *w)
{
    ia_snapshot *next = NULL;
    ia_commit *head;
    ia_status st;

    IA_GO(ia_branch_head(cx, w->g, w->branch, &head));
    IA_GO(ia_snapshot_open(cx, w->g, head, &next));
    if (strcmp(next->commit->schema_hash, w->head->commit->schema_hash) != 0)
        IA_GO(ia_fail(cx, IA_ERR_CONFLICT,
                      "the schema of branch '%s' was changed by commit %s meanwhile; nothing was "
                      "changed, try again",
                      w->branch->name, next->commit->ref.id));
    for (size_t i = 0; i < w->n; i++) {
        IA_GO(ia_check(cx, i, w->n));
        if (ia_twrite_changes(&w->tables[i]))
            IA_GO(rebase_table(cx, w, &w->tables[i], next));
    }
    ia_snapshot_close(w->head);
    w->head = next;
    w->own->head_revealed = false;
    next = NULL;
done:
    ia_snapshot_close(next);
    return st;
}
