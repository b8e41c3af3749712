/* txn_check.c - may a planned change be committed after what others committed meanwhile. */
/* Which operations exclude each other follows the grid of the transactions page. Where the grid
 * asks for fragments, the two manifests are compared instead of the transactions: that also covers
 * operations this version does not know in detail. */
#include "table/table_priv.h"

typedef enum verdict { CLEAR, BY_FRAGMENT, EXCLUDED } verdict;

enum {
    OP_APPEND = 100,
    OP_DELETE,
    OP_OVERWRITE,
    OP_INDEX,
    OP_REWRITE,
    OP_MERGE,
    OP_RESTORE,
    OP_RESERVE,
    OP_UPDATE,
    OP_PROJECT,
    OP_CONFIG,
    OP_REPLACE_DATA,
    OP_MEMWAL,
    OP_CLONE,
    OP_BASES,
    OP_OVERLAY,
    OP_COMPOSITE
};

static bool among(uint32_t op, const uint32_t *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i] == op)
            return true;
    }
    return false;
}
#define AMONG(op, list) among((op), (list), sizeof(list) / sizeof *(list))

static verdict judge(ia_txn_form form, uint32_t theirs)
{
    static const uint32_t append[] = {OP_OVERWRITE, OP_RESTORE, OP_MEMWAL, OP_MERGE, OP_PROJECT};
    static const uint32_t remove[] = {OP_OVERWRITE, OP_RESTORE, OP_MEMWAL, OP_MERGE};
    static const uint32_t update[] = {OP_OVERWRITE, OP_RESTORE, OP_MEMWAL, OP_MERGE, OP_PROJECT};
    static const uint32_t overwrite[] = {OP_OVERWRITE, OP_CONFIG, OP_MEMWAL};
    if (theirs >= OP_COMPOSITE)
        return EXCLUDED;
    switch (form) {
    case IA_TXN_APPEND: return AMONG(theirs, append) ? EXCLUDED : CLEAR;
    case IA_TXN_DELETE: return AMONG(theirs, remove) ? EXCLUDED : BY_FRAGMENT;
    case IA_TXN_UPDATE: return AMONG(theirs, update) ? EXCLUDED : BY_FRAGMENT;
    case IA_TXN_OVERWRITE: return AMONG(theirs, overwrite) ? EXCLUDED : CLEAR;
    case IA_TXN_CONFIG: return theirs == OP_CONFIG || theirs == OP_OVERWRITE ? EXCLUDED : CLEAR;
    case IA_TXN_UPDATE_BASES: return theirs == OP_BASES ? EXCLUDED : CLEAR;
    case IA_TXN_CLONE: return EXCLUDED;
    }
    return EXCLUDED;
}

/* The stored transaction of a version: inline, else its file. */
static ia_status stored_txn(ia_ctx *cx, ia_dataset *ds, ia_bytes *file, const uint8_t **p,
                            size_t *n)
{
    char *path = NULL;
    ia_status st;
    *p = ds->m->transaction.data;
    *n = ds->m->transaction.len;
    if (*n)
        return IA_OK;
    if (!ds->m->transaction_file)
        return ia_fail(cx, IA_ERR_CONFLICT, "version %llu of %s does not say what it changed",
                       (unsigned long long)ds->m->version, ds->dir);
    IA_GO(ia_path_join(cx, &path, ds->dir, "_transactions", ds->m->transaction_file, NULL));
    IA_GO(ia_objstore_get(cx, ds->os, path, file));
    *p = file->data;
    *n = file->len;
done:
    ia_free(path);
    return st;
}

static ia_status check_version(ia_ctx *cx, const ia_txn *t, ia_dataset *theirs, bool *by_fragment)
{
    char uuid[IA_UUID_LEN + 1];
    ia_bytes file = {0};
    const uint8_t *p;
    uint32_t op;
    size_t n;
    verdict v;
    ia_status st;

    IA_GO(stored_txn(cx, theirs, &file, &p, &n));
    IA_GO(ia_txn_peek(cx, p, n, uuid, &op));
    v = judge(t->form, op);
    if (v == EXCLUDED)
        IA_GO(
            ia_fail(cx, IA_ERR_CONFLICT,
                    "version %llu of %s (operation %u) excludes this change; read again and retry",
                    (unsigned long long)theirs->m->version, theirs->dir, op));
    *by_fragment = *by_fragment || v == BY_FRAGMENT;
done:
    ia_bytes_dispose(&file);
    return st;
}

/* A row that both sides deleted or replaced. */
static ia_status check_rows(ia_ctx *cx, const ia_action *a, ia_dataset *base, const ia_fragment *bf,
                            ia_dataset *latest, const ia_fragment *lf)
{
    const ia_bitmap *before, *now;
    ia_bitmap *fresh = NULL;
    uint32_t row;
    ia_status st;

    IA_GO(ia_dataset_deletions(cx, base, bf, &before));
    IA_GO(ia_dataset_deletions(cx, latest, lf, &now));
    IA_GO(ia_bitmap_copy(cx, now, &fresh));
    ia_bitmap_andnot(fresh, before);
    if (!ia_bitmap_intersects(fresh, a->rows))
        goto done;
    for (uint64_t from = 0;
         ia_bitmap_next(fresh, from, &row, 1) == 1 && !ia_bitmap_has(a->rows, row);)
        from = (uint64_t)row + 1;
    IA_GO(ia_fail(cx, IA_ERR_CONFLICT,
                  "row %u of fragment %llu of %s was changed by another writer", row,
                  (unsigned long long)bf->id, latest->dir));
done:
    ia_bitmap_free(fresh);
    return st;
}

static bool same_deletion(const ia_fragment *a, const ia_fragment *b)
{
    if (a->has_deletion != b->has_deletion)
        return false;
    return !a->has_deletion ||
           (a->deletion.id == b->deletion.id && a->deletion.num_deleted == b->deletion.num_deleted);
}

static ia_status check_action(ia_ctx *cx, const ia_action *a, ia_dataset *base, ia_dataset *latest)
{
    const bool whole = a->kind == IA_ACT_REMOVE_FRAGMENT || a->kind == IA_ACT_REPLACE_FRAGMENT;
    const uint64_t id = a->kind == IA_ACT_REPLACE_FRAGMENT ? a->fragment.id : a->fragment_id;
    const ia_fragment *bf, *lf;
    if (!whole && a->kind != IA_ACT_DELETE_ROWS)
        return IA_OK;
    bf = ia_manifest_fragment(base->m, id);
    lf = ia_manifest_fragment(latest->m, id);
    if (!bf)
        return ia_fail(cx, IA_ERR_INTERNAL,
                       "the change names fragment %llu, which version %llu does not have",
                       (unsigned long long)id, (unsigned long long)base->m->version);
    if (!lf || !ia_fragment_same_files(bf, lf) || (whole && !same_deletion(bf, lf)))
        return ia_fail(cx, IA_ERR_CONFLICT, "fragment %llu of %s was rewritten by another writer",
                       (unsigned long long)id, latest->dir);
    return whole ? IA_OK : check_rows(cx, a, base, bf, latest, lf);
}

ia_status ia_txn_check(ia_ctx *cx, const ia_txn *t, ia_dataset *base, ia_dataset *latest)
{
    bool by_fragment = false;
    for (uint64_t v = base->m->version + 1; v < latest->m->version; v++) {
        ia_dataset *theirs;
        ia_status st;
        IA_TRY(ia_dataset_open(cx, latest->os, latest->root, latest->branch, v, &theirs));
        st = check_version(cx, t, theirs, &by_fragment);
        ia_dataset_release(theirs);
        if (st != IA_OK)
            return st;
    }
    IA_TRY(check_version(cx, t, latest, &by_fragment));
    for (size_t i = 0; by_fragment && i < t->n_actions; i++)
        IA_TRY(check_action(cx, &t->actions[i], base, latest));
    return IA_OK;
}
