/* txn_apply.c - builds the manifest that follows from a list of actions. */
/* Works on a copy of the manifest whose fragments are "slots"; deletion vectors are united per slot
 * and written once at the end. Everything is resolved from the manifest applied to, so that
 * applying the same list to a newer manifest is the rebase. Cost: fragments and what changed, never
 * rows. */
#include "base/map.h"
#include "table/table_priv.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct slot {
    ia_fragment f;
    ia_bitmap *add; /* offsets to delete; NULL = none */
    bool removed, fresh, replaced;
} slot;

typedef struct base_map {
    uint32_t planned, final;
} base_map;

typedef struct work {
    ia_dataset *ds;
    ia_txn *t;
    uint32_t put_flags;
    ia_manifest *m; /* being built */
    slot *slots;
    size_t n, cap;
    size_t n_old; /* slots[0..n_old) were there before, ascending id */
    uint64_t next_fragment;
    base_map *bases; /* of this txn's ADD_BASE */
    size_t n_bases;
    ia_u64map created; /* id of a row deleted by this txn -> its created version */
    bool created_known;
} work;

static void work_dispose(work *w)
{
    for (size_t i = 0; i < w->n; i++) {
        ia_fragment_dispose(&w->slots[i].f);
        ia_bitmap_free(w->slots[i].add);
    }
    ia_free(w->slots);
    ia_free(w->bases);
    ia_u64map_dispose(&w->created);
    ia_manifest_release(w->m);
}

static ia_status gone(ia_ctx *cx, const work *w, uint64_t id)
{
    return ia_fail(cx, IA_ERR_CONFLICT, "version %llu of %s no longer has fragment %llu",
                   (unsigned long long)w->ds->m->version, w->ds->dir, (unsigned long long)id);
}

static ia_status find_slot(ia_ctx *cx, const work *w, uint64_t id, slot **out)
{
    size_t lo = 0, hi = w->n_old;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (w->slots[mid].f.id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == w->n_old || w->slots[lo].f.id != id || w->slots[lo].removed) {
        for (lo = w->n_old; lo < w->n && (w->slots[lo].f.id != id || w->slots[lo].removed); lo++)
            ;
    }
    if (lo == w->n)
        return gone(cx, w, id);
    *out = &w->slots[lo];
    return IA_OK;
}

/* ---- created-at of moved rows ------------------------------------------------------------------
 */

/* Only rows that this transaction deletes can be moved: their ids and created versions are all that
 * is looked at. */
static ia_status note_deleted(ia_ctx *cx, work *w, const ia_action *a)
{
    const ia_fragment *f = ia_manifest_fragment(w->ds->m, a->fragment_id);
    const uint64_t n = ia_bitmap_count(a->rows);
    uint32_t *rows = NULL, max;
    uint64_t *ids = NULL, *versions = NULL;
    ia_status st = IA_OK;

    if (!f || f->row_ids.count != f->physical_rows || !ia_bitmap_max(a->rows, &max) ||
        max >= f->physical_rows)
        return IA_OK;
    IA_GO(IA_NEW_ARRAY(cx, rows, (size_t)n));
    IA_GO(IA_NEW_ARRAY(cx, ids, (size_t)n));
    IA_GO(IA_NEW_ARRAY(cx, versions, (size_t)n));
    ia_bitmap_to_array(a->rows, rows);
    ia_rowids_pick(&f->row_ids, rows, (size_t)n, ids);
    ia_versions_pick(&f->created, rows, (size_t)n, 1, versions);
    for (uint64_t i = 0; i < n; i++)
        IA_GO(ia_u64map_put(cx, &w->created, ids[i], versions[i]));
done:
    ia_free(rows);
    ia_free(ids);
    ia_free(versions);
    return st;
}

static ia_status collect_created(ia_ctx *cx, work *w)
{
    if (w->created_known)
        return IA_OK;
    for (size_t i = 0; i < w->t->n_actions; i++) {
        if (w->t->actions[i].kind == IA_ACT_DELETE_ROWS)
            IA_TRY(note_deleted(cx, w, &w->t->actions[i]));
    }
    w->created_known = true;
    return IA_OK;
}

/* Rows of fragments that are removed whole may be moved too. */
static ia_status created_in_removed(ia_ctx *cx, const work *w, uint64_t id, bool *found,
                                    uint64_t *version)
{
    for (size_t i = 0; i < w->t->n_actions && !*found; i++) {
        const ia_action *a = &w->t->actions[i];
        const ia_fragment *f;
        const ia_bitmap *dv;
        uint64_t at;
        if (a->kind != IA_ACT_REMOVE_FRAGMENT && a->kind != IA_ACT_REPLACE_FRAGMENT)
            continue;
        f = ia_manifest_fragment(w->ds->m, a->kind == IA_ACT_REMOVE_FRAGMENT ? a->fragment_id
                                                                             : a->fragment.id);
        if (!f || !ia_rowids_find(&f->row_ids, id, &at))
            continue;
        IA_TRY(ia_dataset_deletions(cx, w->ds, f, &dv));
        *found = !ia_bitmap_has(dv, (uint32_t)at);
        *version = ia_versions_get(&f->created, at, 1);
    }
    return IA_OK;
}

static bool removes_fragments(const ia_txn *t)
{
    for (size_t i = 0; i < t->n_actions; i++) {
        if (t->actions[i].kind == IA_ACT_REMOVE_FRAGMENT ||
            t->actions[i].kind == IA_ACT_REPLACE_FRAGMENT)
            return true;
    }
    return false;
}

typedef struct row_stamp {
    uint64_t at, version;
} row_stamp;

static int cmp_stamp(const void *a, const void *b)
{
    const row_stamp *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Few rows were deleted and many came: the deleted ids are looked for in the sequence. */
static ia_status created_by_lookup(ia_ctx *cx, const work *w, const ia_rowids *ids, uint64_t moved,
                                   ia_versions *v)
{
    row_stamp *stamps = NULL;
    uint64_t pos = 0;
    size_t n = 0;
    ia_status st = IA_OK;

    IA_GO(IA_NEW_ARRAY(cx, stamps, w->created.n));
    for (size_t i = 0; i < w->created.n; i++) {
        uint64_t at;
        if (ia_rowids_find(ids, w->created.entries[i].key, &at) && at < moved)
            stamps[n++] = (row_stamp){at, w->created.entries[i].value};
    }
    if (n > 1)
        qsort(stamps, n, sizeof *stamps, cmp_stamp);
    for (size_t i = 0; i < n; i++) {
        IA_GO(ia_versions_append(cx, v, w->m->version, stamps[i].at - pos));
        IA_GO(ia_versions_append(cx, v, stamps[i].version, 1));
        pos = stamps[i].at + 1;
    }
    IA_GO(ia_versions_append(cx, v, w->m->version, moved - pos));
done:
    ia_free(stamps);
    return st;
}

static ia_status created_by_row(ia_ctx *cx, const work *w, const ia_rowids *ids, uint64_t moved,
                                bool removed, ia_versions *v)
{
    uint64_t chunk[256];
    for (uint64_t at = 0; at < moved;) {
        const uint64_t n = moved - at < 256 ? moved - at : 256;
        ia_rowids_slice(ids, at, n, chunk);
        for (uint64_t i = 0; i < n; i++) {
            uint64_t version = w->m->version;
            bool found = ia_u64map_find(&w->created, chunk[i], &version);
            if (!found && removed)
                IA_TRY(created_in_removed(cx, w, chunk[i], &found, &version));
            IA_TRY(ia_versions_append(cx, v, found ? version : w->m->version, 1));
        }
        at += n;
    }
    return IA_OK;
}

static bool has_array(const ia_rowids *ids)
{
    for (size_t i = 0; i < ids->n_segs; i++) {
        if (ids->segs[i].kind == IA_SEG_ARRAY)
            return true;
    }
    return false;
}

/* created_at of a fragment whose first `moved` rows carry the ids of rows they replace. */
static ia_status created_of_moved(ia_ctx *cx, work *w, const ia_rowids *ids, uint64_t moved,
                                  uint64_t rows, ia_versions *out)
{
    const bool removed = removes_fragments(w->t);
    ia_versions v = {0};
    ia_status st;

    memset(out, 0, sizeof *out);
    IA_GO(collect_created(cx, w));
    if (!removed && w->created.n < moved / 16 && !has_array(ids))
        IA_GO(created_by_lookup(cx, w, ids, moved, &v));
    else
        IA_GO(created_by_row(cx, w, ids, moved, removed, &v));
    IA_GO(ia_versions_append(cx, &v, w->m->version, rows - moved));
    *out = v;
    memset(&v, 0, sizeof v);
done:
    ia_versions_dispose(&v);
    return st;
}

/* ---- actions -----------------------------------------------------------------------------------
 */

static ia_status remap_bases(ia_ctx *cx, const work *w, ia_fragment *f)
{
    for (size_t i = 0; i < f->n_files; i++) {
        ia_datafile *file = &f->files[i];
        bool known;
        if (!file->has_base)
            continue;
        known = ia_manifest_base(w->m, file->base_id) != NULL;
        for (size_t k = 0; k < w->n_bases; k++) {
            if (w->bases[k].planned == file->base_id) {
                file->base_id = w->bases[k].final;
                known = true;
                break;
            }
        }
        if (!known)
            return ia_fail(cx, IA_ERR_INTERNAL, "file %s lies in base %u, which %s does not have",
                           file->path, file->base_id, w->ds->dir);
    }
    return IA_OK;
}

static ia_status check_format(ia_ctx *cx, const work *w, const ia_fragment *f)
{
    for (size_t i = 0; i < f->n_files; i++) {
        char text[32];
        snprintf(text, sizeof text, "%u.%u", f->files[i].major, f->files[i].minor);
        if (strcmp(text, w->m->data_version) != 0)
            return ia_fail(cx, IA_ERR_UNSUPPORTED,
                           "file %s has format %s, the table %s has %s; a table has one format",
                           f->files[i].path, text, w->ds->root, w->m->data_version);
    }
    return IA_OK;
}

static ia_status give_row_ids(ia_ctx *cx, work *w, ia_fragment *f)
{
    const uint64_t missing = f->physical_rows - f->row_ids.count;
    ia_rowids fresh;
    ia_status st;
    if (f->row_ids.count > f->physical_rows)
        return ia_fail(cx, IA_ERR_INTERNAL, "a new fragment has %llu row ids for %llu rows",
                       (unsigned long long)f->row_ids.count, (unsigned long long)f->physical_rows);
    if (missing == 0)
        return IA_OK;
    IA_TRY(ia_rowids_range(cx, w->m->next_row_id, missing, &fresh));
    st = ia_rowids_extend(cx, &f->row_ids, &fresh);
    ia_rowids_dispose(&fresh);
    w->m->next_row_id += missing;
    return st;
}

static ia_status give_stamps(ia_ctx *cx, work *w, const ia_action *a, ia_fragment *f)
{
    if (f->updated.n_runs == 0)
        IA_TRY(ia_versions_uniform(cx, w->m->version, f->physical_rows, &f->updated));
    if (f->created.n_runs)
        return IA_OK;
    if (a->copy_created)
        return created_of_moved(cx, w, &f->row_ids, a->fragment.row_ids.count, f->physical_rows,
                                &f->created);
    return ia_versions_uniform(cx, w->m->version, f->physical_rows, &f->created);
}

static ia_status fill_fragment(ia_ctx *cx, work *w, ia_action *a, ia_fragment *f)
{
    f->has_deletion = false;
    memset(&f->deletion, 0, sizeof f->deletion);
    IA_TRY(check_format(cx, w, f));
    IA_TRY(remap_bases(cx, w, f));
    f->id = a->fragment.id == IA_FRAGMENT_UNASSIGNED ? w->next_fragment++ : a->fragment.id;
    if (f->id > UINT32_MAX)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "%s has no fragment ids left", w->ds->root);
    if (w->m->stable_row_ids) {
        IA_TRY(give_row_ids(cx, w, f));
        IA_TRY(give_stamps(cx, w, a, f));
    } else {
        ia_rowids_dispose(&f->row_ids);
        ia_versions_dispose(&f->created);
        ia_versions_dispose(&f->updated);
    }
    a->fragment_id = f->id;
    return IA_OK;
}

static ia_status add_fragment(ia_ctx *cx, work *w, ia_action *a)
{
    slot s = {.fresh = true};
    ia_status st;

    a->fragment_id = IA_FRAGMENT_UNASSIGNED;
    if (ia_bitmap_count(a->rows) >= a->fragment.physical_rows)
        return IA_OK; /* no live row: fragments without one are not kept */
    IA_GO(ia_fragment_copy(cx, &a->fragment, &s.f));
    IA_GO(fill_fragment(cx, w, a, &s.f));
    if (ia_bitmap_count(a->rows))
        IA_GO(ia_bitmap_copy(cx, a->rows, &s.add));
    IA_GO(IA_GROW(cx, w->slots, w->cap, w->n + 1));
    w->slots[w->n++] = s;
    return IA_OK;
done:
    ia_fragment_dispose(&s.f);
    ia_bitmap_free(s.add);
    return st;
}

static ia_status delete_rows(ia_ctx *cx, work *w, const ia_action *a)
{
    slot *s;
    uint32_t max;
    IA_TRY(find_slot(cx, w, a->fragment_id, &s));
    if (!ia_bitmap_max(a->rows, &max))
        return IA_OK;
    if (max >= s->f.physical_rows)
        return ia_fail(cx, IA_ERR_INTERNAL, "fragment %llu of %s has no row %u",
                       (unsigned long long)s->f.id, w->ds->dir, max);
    if (!s->add)
        return ia_bitmap_copy(cx, a->rows, &s->add);
    ia_bitmap_or(s->add, a->rows);
    return IA_OK;
}

/* Members that the image leaves empty stay as they are. */
static ia_status replace_fragment(ia_ctx *cx, work *w, const ia_action *a)
{
    ia_fragment image = {0};
    slot *s;
    ia_status st;

    IA_GO(find_slot(cx, w, a->fragment.id, &s));
    IA_GO(ia_fragment_copy(cx, &a->fragment, &image));
    IA_GO(remap_bases(cx, w, &image));
    if (image.row_ids.count == 0)
        IA_GO(ia_rowids_copy(cx, &s->f.row_ids, &image.row_ids));
    if (image.created.n_runs == 0)
        IA_GO(ia_versions_copy(cx, &s->f.created, &image.created));
    if (image.updated.n_runs == 0)
        IA_GO(ia_versions_copy(cx, &s->f.updated, &image.updated));
    ia_fragment_dispose(&s->f);
    s->f = image;
    s->replaced = true;
    return IA_OK;
done:
    ia_fragment_dispose(&image);
    return st;
}

static bool same_place(const char *a, const char *b)
{
    size_t n = strlen(a), k = strlen(b);
    while (n > 1 && a[n - 1] == '/')
        n--;
    while (k > 1 && b[k - 1] == '/')
        k--;
    return n == k && memcmp(a, b, n) == 0;
}

/* An existing base of equal path is used; else the next free id is given. */
static ia_status add_base(ia_ctx *cx, work *w, ia_action *a)
{
    base_map *maps = ia_realloc(cx, w->bases, (w->n_bases + 1) * sizeof *maps);
    ia_basepath *grown;
    uint32_t id = 0;
    if (!maps)
        return cx->err.code;
    w->bases = maps;
    for (size_t i = 0; i < w->m->n_bases; i++) {
        const ia_basepath *b = &w->m->bases[i];
        if (b->is_dataset_root == a->base.is_dataset_root && same_place(b->path, a->base.path)) {
            a->fragment_id = b->id;
            w->bases[w->n_bases++] = (base_map){a->base.id, b->id};
            return IA_OK;
        }
        id = b->id >= id ? b->id + 1 : id;
    }
    grown = ia_realloc(cx, w->m->bases, (w->m->n_bases + 1) * sizeof *grown);
    if (!grown)
        return cx->err.code;
    w->m->bases = grown;
    IA_TRY(ia_basepath_copy(cx, &a->base, &w->m->bases[w->m->n_bases]));
    w->m->bases[w->m->n_bases++].id = id;
    w->bases[w->n_bases++] = (base_map){a->base.id, id};
    a->fragment_id = id;
    return IA_OK;
}

static ia_status set_schema(ia_ctx *cx, work *w, const ia_action *a)
{
    ia_lschema ls;
    ia_status st;
    IA_TRY(ia_lschema_copy(cx, &a->schema, &ls));
    st = ia_manifest_set_schema(cx, w->m, &ls);
    ia_lschema_dispose(&ls);
    if (st != IA_OK)
        return st;
    return ia_indices_retain(cx, w->m);
}

static ia_status run_action(ia_ctx *cx, work *w, ia_action *a)
{
    slot *s;
    switch (a->kind) {
    case IA_ACT_ADD_FRAGMENT: return add_fragment(cx, w, a);
    case IA_ACT_REMOVE_FRAGMENT:
        IA_TRY(find_slot(cx, w, a->fragment_id, &s));
        s->removed = true;
        return IA_OK;
    case IA_ACT_DELETE_ROWS: return delete_rows(cx, w, a);
    case IA_ACT_REPLACE_FRAGMENT: return replace_fragment(cx, w, a);
    case IA_ACT_ADD_BASE: return add_base(cx, w, a);
    case IA_ACT_RESET_TABLE:
        for (size_t i = 0; i < w->n; i++)
            w->slots[i].removed = true;
        ia_bytes_dispose(&w->m->indices);
        return IA_OK;
    case IA_ACT_SET_SCHEMA: return set_schema(cx, w, a);
    case IA_ACT_CONFIG:
        return ia_kv_set(cx, &w->m->table_metadata, &w->m->n_table_metadata, a->key, a->value);
    }
    return ia_fail(cx, IA_ERR_INTERNAL, "unknown action %d", (int)a->kind);
}

/* ---- finishing ---------------------------------------------------------------------------------
 */

static ia_status current_deletions(ia_ctx *cx, const work *w, const slot *s, ia_bitmap **out)
{
    const ia_bitmap *cached;
    if (!s->f.has_deletion)
        return ia_bitmap_new(cx, out);
    if (s->replaced) {
        ia_dataset view = *w->ds; /* the image may name a base added by this change */
        view.m = w->m;
        return ia_deletions_read(cx, &view, &s->f, out);
    }
    IA_TRY(ia_dataset_deletions(cx, w->ds, &s->f, &cached));
    return ia_bitmap_copy(cx, cached, out);
}

/* Unites a slot's deletion vector and writes it; an emptied fragment goes. */
static ia_status settle_slot(ia_ctx *cx, work *w, slot *s)
{
    ia_bitmap *all = NULL;
    uint64_t before, after;
    ia_status st;

    if (s->removed || !s->add)
        return IA_OK;
    IA_GO(current_deletions(cx, w, s, &all));
    before = ia_bitmap_count(all);
    ia_bitmap_or(all, s->add);
    after = ia_bitmap_count(all);
    if (after >= s->f.physical_rows) {
        s->removed = true;
    } else if (after != before) {
        IA_GO(ia_deletions_write(cx, w->ds->os, w->ds->dir, s->f.id, w->ds->m->version, all,
                                 w->put_flags, &s->f.deletion));
        s->f.has_deletion = true;
    }
done:
    ia_bitmap_free(all);
    return st;
}

static int cmp_fragment(const void *a, const void *b)
{
    const ia_fragment *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Moves the surviving slots into the manifest, by ascending id. */
static ia_status gather_fragments(ia_ctx *cx, work *w)
{
    ia_manifest *m = w->m;
    IA_TRY(IA_NEW_ARRAY(cx, m->fragments, w->n));
    for (size_t i = 0; i < w->n; i++) {
        slot *s = &w->slots[i];
        if (s->removed)
            continue;
        if (!m->has_max_fragment_id || s->f.id > m->max_fragment_id)
            m->max_fragment_id = (uint32_t)s->f.id;
        m->has_max_fragment_id = true;
        m->fragments[m->n_fragments++] = s->f;
        memset(&s->f, 0, sizeof s->f);
    }
    if (m->n_fragments > 1)
        qsort(m->fragments, m->n_fragments, sizeof *m->fragments, cmp_fragment);
    for (size_t i = 1; i < m->n_fragments; i++) {
        if (m->fragments[i].id == m->fragments[i - 1].id)
            return ia_fail(cx, IA_ERR_INTERNAL, "fragment id %llu would be used twice in %s",
                           (unsigned long long)m->fragments[i].id, w->ds->dir);
    }
    return IA_OK;
}

static ia_status start(ia_ctx *cx, work *w, const ia_apply_options *opt)
{
    const ia_manifest *old = w->ds->m;
    const uint64_t unknown = old->writer_flags & ~(uint64_t)IA_KNOWN_FLAGS;
    ia_manifest *m;
    if (unknown)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "%s needs table feature bit %llu, which this version does not write",
                       w->ds->root, (unsigned long long)(unknown & (~unknown + 1)));
    IA_TRY(ia_manifest_copy(cx, old, &w->m));
    m = w->m;
    m->version = old->version + 1;
    if (m->stable_row_ids && w->t->row_id_floor > m->next_row_id)
        m->next_row_id = w->t->row_id_floor;
    m->timestamp_us = opt->now_us > old->timestamp_us ? opt->now_us : old->timestamp_us;
    IA_TRY(IA_NEW_ARRAY(cx, w->slots, m->n_fragments + w->t->n_actions));
    w->cap = m->n_fragments + w->t->n_actions;
    for (size_t i = 0; i < m->n_fragments; i++)
        w->slots[i].f = m->fragments[i];
    w->n = w->n_old = m->n_fragments;
    m->n_fragments = 0;
    ia_free(m->fragments);
    m->fragments = NULL;
    w->next_fragment = m->has_max_fragment_id ? (uint64_t)m->max_fragment_id + 1 : 0;
    for (size_t i = 0; i < w->t->n_actions; i++) {
        const ia_action *a = &w->t->actions[i];
        if (a->kind == IA_ACT_ADD_FRAGMENT && a->fragment.id != IA_FRAGMENT_UNASSIGNED &&
            a->fragment.id >= w->next_fragment)
            w->next_fragment = a->fragment.id + 1;
    }
    return IA_OK;
}

static ia_status set_text(ia_ctx *cx, char **slot_text, const char *text)
{
    ia_free(*slot_text);
    return IA_SET(cx, *slot_text, ia_strdup(cx, text));
}

ia_status ia_txn_apply(ia_ctx *cx, ia_dataset *ds, ia_txn *t, const ia_apply_options *opt,
                       ia_manifest **next)
{
    work w = {.ds = ds, .t = t, .put_flags = opt->put_flags};
    ia_status st;

    *next = NULL;
    IA_GO(start(cx, &w, opt));
    for (size_t i = 0; i < t->n_actions; i++) {
        if (t->actions[i].kind == IA_ACT_ADD_BASE)
            IA_GO(run_action(cx, &w, &t->actions[i]));
    }
    for (size_t i = 0; i < t->n_actions; i++) {
        if (t->actions[i].kind != IA_ACT_ADD_BASE)
            IA_GO(run_action(cx, &w, &t->actions[i]));
    }
    for (size_t i = 0; i < w.n; i++)
        IA_GO(settle_slot(cx, &w, &w.slots[i]));
    IA_GO(gather_fragments(cx, &w));
    ia_manifest_derive_flags(w.m);
    ia_free(w.m->transaction_file);
    IA_GO(IA_SET(cx, w.m->transaction_file,
                 ia_sprintf(cx, "%llu-%s.txn", (unsigned long long)t->read_version, t->uuid)));
    IA_GO(set_text(cx, &w.m->writer_library, "inarch"));
    IA_GO(set_text(cx, &w.m->writer_version, INARCH_VERSION));
    *next = w.m;
    w.m = NULL;
done:
    work_dispose(&w);
    return st;
}
