/* txn_encode.c - a change in the named operation that today's readers know. */
#include "table/table_priv.h"

static uint32_t operation_number(ia_txn_form form)
{
    switch (form) {
    case IA_TXN_APPEND: return 100;
    case IA_TXN_DELETE: return 101;
    case IA_TXN_OVERWRITE: return 102;
    case IA_TXN_UPDATE: return 108;
    case IA_TXN_CONFIG: return 110;
    case IA_TXN_CLONE: return 113;
    case IA_TXN_UPDATE_BASES: return 114;
    }
    return 0;
}

/* Fragments that this change added. A fragment whose id is free to be given at commit is written
 * without one and with the row ids it brought; one with a deletion file or a chosen id is written
 * as it stands. */
static ia_status put_new(ia_ctx *cx, ia_buf *b, uint32_t number, const ia_txn *t,
                         const ia_manifest *after)
{
    for (size_t i = 0; i < t->n_actions; i++) {
        const ia_action *a = &t->actions[i];
        const ia_fragment *f;
        ia_fragment shown;
        if (a->kind != IA_ACT_ADD_FRAGMENT || a->fragment_id == IA_FRAGMENT_UNASSIGNED)
            continue;
        f = ia_manifest_fragment(after, a->fragment_id);
        if (!f)
            continue; /* added and removed by the same list */
        if (f->has_deletion || a->fragment.id != IA_FRAGMENT_UNASSIGNED) {
            IA_TRY(ia_fragment_put(cx, b, number, f, f->id));
            continue;
        }
        shown = *f; /* borrowed members */
        shown.row_ids = a->fragment.row_ids;
        memset(&shown.created, 0, sizeof shown.created);
        memset(&shown.updated, 0, sizeof shown.updated);
        IA_TRY(ia_fragment_put(cx, b, number, &shown, 0));
    }
    return ia_buf_status(b);
}

/* Fragments of both manifests that differ in anything, as after. */
static ia_status put_updated(ia_ctx *cx, ia_buf *b, uint32_t number, const ia_manifest *before,
                             const ia_manifest *after)
{
    for (size_t i = 0; i < after->n_fragments; i++) {
        const ia_fragment *f = &after->fragments[i], *old = ia_manifest_fragment(before, f->id);
        if (old && !ia_fragment_equal(old, f))
            IA_TRY(ia_fragment_put(cx, b, number, f, f->id));
    }
    return ia_buf_status(b);
}

static ia_status put_removed(ia_ctx *cx, ia_buf *b, uint32_t number, const ia_manifest *before,
                             const ia_manifest *after)
{
    uint64_t *ids;
    size_t n = 0;
    IA_TRY(IA_NEW_ARRAY(cx, ids, before->n_fragments));
    for (size_t i = 0; i < before->n_fragments; i++) {
        if (!ia_manifest_fragment(after, before->fragments[i].id))
            ids[n++] = before->fragments[i].id;
    }
    ia_wire_put_u64s(cx, b, number, ids, n);
    ia_free(ids);
    return ia_buf_status(b);
}

static ia_status put_fields(ia_ctx *cx, ia_buf *b, uint32_t number, const ia_txn *t,
                            const ia_lschema *ls)
{
    const size_t n = t->preserving_fields ? t->n_preserving : ls->n;
    uint32_t *ids;
    IA_TRY(IA_NEW_ARRAY(cx, ids, n));
    for (size_t i = 0; i < n; i++)
        ids[i] = (uint32_t)(t->preserving_fields ? t->preserving_fields[i] : ls->fields[i].id);
    ia_wire_put_u32s(cx, b, number, ids, n);
    ia_free(ids);
    return ia_buf_status(b);
}

static ia_status put_delete(ia_ctx *cx, ia_buf *b, const ia_txn *t, const ia_manifest *before,
                            const ia_manifest *after)
{
    IA_TRY(put_updated(cx, b, 1, before, after));
    IA_TRY(put_removed(cx, b, 2, before, after));
    ia_wire_put_str(cx, b, 3, t->predicate);
    return ia_buf_status(b);
}

static ia_status put_update(ia_ctx *cx, ia_buf *b, const ia_txn *t, const ia_manifest *before,
                            const ia_manifest *after)
{
    IA_TRY(put_removed(cx, b, 1, before, after));
    IA_TRY(put_updated(cx, b, 2, before, after));
    IA_TRY(put_new(cx, b, 3, t, after));
    return put_fields(cx, b, 6, t, &after->schema); /* update_mode REWRITE_ROWS is the zero value */
}

static void put_clone(ia_ctx *cx, ia_buf *b, const ia_txn *t)
{
    ia_wire_put_bool(cx, b, 1, true);
    if (t->clone_ref)
        ia_wire_add_bytes(cx, b, 2, t->clone_ref, strlen(t->clone_ref));
    ia_wire_put_u64(cx, b, 3, t->clone_version);
    ia_wire_put_str(cx, b, 4, t->clone_path);
    if (t->clone_branch)
        ia_wire_add_bytes(cx, b, 5, t->clone_branch, strlen(t->clone_branch));
}

static void put_bases(ia_ctx *cx, ia_buf *b, const ia_txn *t)
{
    for (size_t i = 0; i < t->n_actions; i++) {
        ia_basepath shown;
        if (t->actions[i].kind != IA_ACT_ADD_BASE)
            continue;
        shown = t->actions[i].base;
        shown.id = (uint32_t)t->actions[i].fragment_id;
        ia_basepath_put(cx, b, 1, &shown);
    }
}

static void put_config(ia_ctx *cx, ia_buf *b, const ia_txn *t)
{
    const size_t map = ia_wire_begin(cx, b, 7);
    for (size_t i = 0; i < t->n_actions; i++) {
        const ia_action *a = &t->actions[i];
        size_t entry;
        if (a->kind != IA_ACT_CONFIG)
            continue;
        entry = ia_wire_begin(cx, b, 1);
        ia_wire_put_str(cx, b, 1, a->key);
        if (a->value)
            ia_wire_add_bytes(cx, b, 2, a->value, strlen(a->value));
        ia_wire_end(cx, b, entry);
    }
    ia_wire_end(cx, b, map);
}

static ia_status put_operation(ia_ctx *cx, ia_buf *b, const ia_txn *t, const ia_manifest *before,
                               const ia_manifest *after)
{
    switch (t->form) {
    case IA_TXN_APPEND: return put_new(cx, b, 1, t, after);
    case IA_TXN_DELETE: return put_delete(cx, b, t, before, after);
    case IA_TXN_UPDATE: return put_update(cx, b, t, before, after);
    case IA_TXN_OVERWRITE:
        IA_TRY(put_new(cx, b, 1, t, after));
        IA_TRY(ia_lschema_put(cx, b, 2, &after->schema));
        ia_wire_put_kv(cx, b, 3, after->schema.metadata, after->schema.n_metadata);
        break;
    case IA_TXN_CLONE: put_clone(cx, b, t); break;
    case IA_TXN_UPDATE_BASES: put_bases(cx, b, t); break;
    case IA_TXN_CONFIG: put_config(cx, b, t); break;
    }
    return ia_buf_status(b);
}

ia_status ia_txn_encode(ia_ctx *cx, const ia_txn *t, const ia_manifest *before,
                        const ia_manifest *after, ia_bytes *out)
{
    static const ia_manifest nothing;
    ia_buf b = {0};
    size_t mark;
    ia_status st;

    memset(out, 0, sizeof *out);
    ia_wire_put_u64(cx, &b, 1, t->read_version);
    ia_wire_put_str(cx, &b, 2, t->uuid);
    if (t->message) {
        ia_kv kv = {.value = t->message};
        char key[] = "__lance_commit_message";
        kv.key = key;
        ia_wire_put_kv(cx, &b, 4, &kv, 1);
    }
    mark = ia_wire_begin(cx, &b, operation_number(t->form));
    IA_GO(put_operation(cx, &b, t, before ? before : &nothing, after));
    ia_wire_end(cx, &b, mark);
    IA_GO(ia_buf_finish(&b, out));
done:
    ia_buf_dispose(&b);
    return st;
}
