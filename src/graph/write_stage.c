/* write_stage.c - turns the table parts of a write into staged manifests and commit entries. */
#include "graph/graph_priv.h"

/* ---- transactions ---------------------------------------------------------------------------- */
static ia_txn_form form_of(const ia_twrite *t)
{
    if (t->overwrite)
        return IA_TXN_OVERWRITE;
    if (t->n_removed > 0 && t->n_added > 0)
        return IA_TXN_UPDATE;
    if (t->n_removed > 0)
        return t->form == IA_TXN_UPDATE ? IA_TXN_UPDATE : IA_TXN_DELETE;
    return t->form == IA_TXN_UPDATE ? IA_TXN_UPDATE : IA_TXN_APPEND;
}

/* Gives a new data file a second name in another tree of the dataset; the bytes are copied only
 * where the store cannot link. The inode's time is what sweepers go by. */
static ia_status carry_file(ia_ctx *cx, const ia_graph *g, const char *from_dir, const char *to_dir,
                            const char *name)
{
    char *from = NULL, *to = NULL;
    ia_status st;

    IA_GO(ia_path_join(cx, &from, from_dir, "data", name, NULL));
    IA_GO(ia_path_join(cx, &to, to_dir, "data", name, NULL));
    st = ia_objstore_touch(cx, g->os, from);
    if (st == IA_OK)
        st = ia_objstore_link(cx, g->os, from, to);
    if (st == IA_ERR_UNSUPPORTED) {
        ia_ctx_clear(cx);
        st = ia_objstore_copy(cx, g->os, from, to, IA_IO_PAYLOAD, ia_graph_put_flags(g));
    } else if (st == IA_OK && g->durability == IA_FULL) {
        st = ia_objstore_sync(cx, g->os, to);
    }
    if (st == IA_ERR_EXISTS) { /* carried by an earlier attempt: names are unique */
        ia_ctx_clear(cx);
        st = IA_OK;
    }
done:
    ia_free(from);
    ia_free(to);
    return st;
}

static ia_status add_fragment(ia_ctx *cx, const ia_write *w, const ia_twrite *t,
                              const ia_dataset *ds, const ia_fragment *f, ia_txn *txn)
{
    ia_action *a;

    IA_TRY(ia_txn_add(cx, txn, IA_ACT_ADD_FRAGMENT, &a));
    IA_TRY(ia_fragment_copy(cx, f, &a->fragment));
    a->copy_created = f->row_ids.count > 0;
    if (!t->added_dir || strcmp(t->added_dir, ds->dir) == 0)
        return IA_OK;
    for (size_t i = 0; i < f->n_files; i++)
        IA_TRY(carry_file(cx, w->g, t->added_dir, ds->dir, f->files[i].path));
    return IA_OK;
}

static ia_status add_reset(ia_ctx *cx, const ia_dataset *ds, ia_txn *txn)
{
    ia_action *a;

    IA_TRY(ia_txn_add(cx, txn, IA_ACT_RESET_TABLE, &a));
    IA_TRY(ia_txn_add(cx, txn, IA_ACT_SET_SCHEMA, &a));
    return ia_lschema_copy(cx, &ds->m->schema, &a->schema);
}

static ia_status add_removals(ia_ctx *cx, const ia_twrite *t, ia_txn *txn)
{
    for (size_t i = 0; i < t->n_removed; i++) {
        ia_action *a;
        IA_TRY(ia_txn_add(cx, txn, IA_ACT_DELETE_ROWS, &a));
        a->fragment_id = t->removed[i].fragment;
        IA_TRY(ia_bitmap_copy(cx, t->removed[i].offsets, &a->rows));
    }
    return IA_OK;
}

static ia_status build_txn(ia_ctx *cx, const ia_write *w, const ia_twrite *t, const ia_dataset *ds,
                           ia_txn *txn)
{
    IA_TRY(ia_txn_init(cx, txn, form_of(t), ds->m->version));
    if (t->overwrite)
        IA_TRY(add_reset(cx, ds, txn));
    else
        IA_TRY(add_removals(cx, t, txn));
    for (size_t i = 0; i < t->n_added; i++)
        IA_TRY(add_fragment(cx, w, t, ds, &t->added[i], txn));
    if (t->predicate)
        IA_TRY(IA_SET(cx, txn->predicate, ia_strdup(cx, t->predicate)));
    return IA_OK;
}

/* ---- staging --------------------------------------------------------------------------------- */
static ia_status stage_version(ia_ctx *cx, ia_write *w, const ia_entry *e, uint64_t version,
                               const char *tree, const char *txn_name, const ia_bytes *txn,
                               const ia_bytes *manifest)
{
    const uint32_t flags = ia_graph_put_flags(w->g);
    char *path = NULL, *txn_path = NULL;
    ia_status st;

    IA_GO(ia_path_join(cx, &txn_path, tree, "_transactions", txn_name, NULL));
    IA_GO(ia_objstore_put(cx, w->g->os, txn_path, txn->data, txn->len, flags));
    IA_GO(ia_staged_path(cx, w->g, w->attempt, e->dir, e->lance_branch, version, &path));
    IA_GO(ia_strlist_add(cx, &w->own->staged, path));
    IA_GO(ia_objstore_put(cx, w->g->os, path, manifest->data, manifest->len, flags));
done:
    ia_free(path);
    ia_free(txn_path);
    return st;
}

static ia_status apply_and_stage(ia_ctx *cx, ia_write *w, ia_dataset *ds, ia_txn *txn, ia_entry *e)
{
    const ia_apply_options opt = {.now_us = ia_now_us(), .put_flags = ia_graph_put_flags(w->g)};
    ia_manifest *next = NULL;
    ia_bytes file = {0}, pb = {0};
    ia_status st;

    IA_GO(ia_txn_build(cx, ds, txn, &opt, &next, &file, &pb));
    if (!next->transaction_file)
        IA_GO(
            ia_fail(cx, IA_ERR_INTERNAL, "%s: the new manifest names no transaction file", e->dir));
    IA_GO(stage_version(cx, w, e, next->version, ds->dir, next->transaction_file, &pb, &file));
    e->last_version = next->version;
    e->rows = ia_manifest_live_rows(next);
    memcpy(e->txn_uuid, txn->uuid, sizeof e->txn_uuid);
done:
    ia_manifest_release(next);
    ia_bytes_dispose(&file);
    ia_bytes_dispose(&pb);
    return st;
}

/* Names of the new entry: dir stays, the Lance branch is the fork's when this write makes one. */
static ia_status name_entry(ia_ctx *cx, const ia_write *w, const ia_entry *old, const ia_wtype *wt,
                            ia_entry *e)
{
    const char *branch = wt->fork ? wt->fork : old->lance_branch;

    e->type_id = old->type_id;
    e->incarnation = old->incarnation;
    memcpy(e->owner, w->branch->incarnation, sizeof e->owner);
    IA_TRY(IA_SET(cx, e->dir, ia_strdup(cx, old->dir)));
    if (branch)
        IA_TRY(IA_SET(cx, e->lance_branch, ia_strdup(cx, branch)));
    IA_TRY(IA_SET(cx, e->staged, ia_strdup(cx, w->attempt)));
    e->first_version = wt->fork ? wt->ds->m->version : old->last_version + 1;
    if (!wt->fork)
        return IA_OK;
    e->fork.set = true;
    e->fork.parent_size = wt->parent_size;
    e->fork.created_s = w->own->time_us / 1000000;
    if (old->lance_branch)
        IA_TRY(IA_SET(cx, e->fork.parent, ia_strdup(cx, old->lance_branch)));
    return IA_OK;
}

static ia_status stage_table(ia_ctx *cx, ia_write *w, ia_twrite *t, ia_entry *out)
{
    const ia_entry *old = ia_snapshot_entry(w->head, t->type);
    ia_txn built = {0};
    ia_txn *txn = t->actions ? t->actions : &built;
    ia_entry e = {0};
    ia_dataset *ds;
    ia_wtype *wt;
    ia_status st;

    if (t->pointer)
        return ia_entry_copy(cx, t->pointer, out);
    IA_GO(ia_write_dataset(cx, w, t->type, &ds));
    wt = &w->own->types[t->type];
    IA_GO(name_entry(cx, w, old, wt, &e));
    if (wt->fork)
        IA_GO(stage_version(cx, w, &e, ds->m->version, ds->dir, wt->clone_txn_name, &wt->clone_txn,
                            &wt->clone));
    if (!t->actions)
        IA_GO(build_txn(cx, w, t, ds, &built));
    IA_GO(apply_and_stage(cx, w, ds, txn, &e));
    *out = e;
    e = (ia_entry){0};
done:
    if (st != IA_OK)
        st = ia_fail_prefix(cx, st, "type %s", w->head->cat->types[t->type]->name);
    ia_txn_dispose(&built);
    ia_entry_dispose(&e);
    return st;
}

/* A table that this write leaves alone. What only serves revealing is dropped once that is done. */
static ia_status keep_entry(ia_ctx *cx, const ia_write *w, const ia_entry *old, ia_entry *out)
{
    ia_entry e = *old;

    if (w->own->head_revealed) {
        e.staged = NULL;
        e.fork = (ia_fork){0};
    }
    return ia_entry_copy(cx, &e, out);
}

static ia_twrite *table_of(const ia_write *w, uint64_t type_id)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->head->cat->types[w->tables[i].type]->type_id == type_id &&
            ia_twrite_changes(&w->tables[i]))
            return &w->tables[i];
    return NULL;
}

ia_status ia_write_stage(ia_ctx *cx, ia_write *w, ia_entry **out, size_t *n)
{
    const ia_commit *head = w->head->commit;
    ia_entry *e = NULL;
    size_t k = 0;
    ia_status st;

    *out = NULL;
    *n = 0;
    IA_GO(IA_NEW_ARRAY(cx, e, head->n_entries));
    for (; k < head->n_entries; k++) {
        ia_twrite *t = table_of(w, head->entries[k].type_id);
        IA_GO(ia_check(cx, k, head->n_entries));
        if (t)
            IA_GO(stage_table(cx, w, t, &e[k]));
        else
            IA_GO(keep_entry(cx, w, &head->entries[k], &e[k]));
    }
    *out = e;
    *n = k;
    e = NULL;
done:
    ia_entries_free(e, k);
    return st;
}

void ia_write_unstage(ia_ctx *cx, ia_write *w)
{
    ia_ctx quiet = *cx;

    quiet.progress = NULL;
    for (size_t i = 0; i < w->own->staged.n; i++)
        if (ia_objstore_remove(&quiet, w->g->os, w->own->staged.items[i]) != IA_OK)
            ia_ctx_clear(&quiet);
    for (size_t i = 0; i < w->n; i++) {
        const ia_entry *e = ia_snapshot_entry(w->head, w->tables[i].type);
        const char *fork = w->own->types[w->tables[i].type].fork;
        if (e)
            ia_staged_prune(&quiet, w->g, w->attempt, e->dir, fork ? fork : e->lance_branch);
    }
    ia_strlist_dispose(&w->own->staged);
}
