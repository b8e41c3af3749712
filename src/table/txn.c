/* txn.c - a change as a list of actions: building it, and the small helpers around its files. */
#include "table/table_priv.h"

ia_status ia_txn_init(ia_ctx *cx, ia_txn *t, ia_txn_form form, uint64_t read_version)
{
    ia_uuid u;
    memset(t, 0, sizeof *t);
    IA_TRY(ia_uuid_new(cx, &u));
    ia_uuid_format(&u, t->uuid);
    t->form = form;
    t->read_version = read_version;
    return IA_OK;
}

static void action_dispose(ia_action *a)
{
    ia_fragment_dispose(&a->fragment);
    ia_bitmap_free(a->rows);
    ia_basepath_dispose(&a->base);
    ia_lschema_dispose(&a->schema);
    ia_free(a->key);
    ia_free(a->value);
    memset(a, 0, sizeof *a);
}

void ia_txn_dispose(ia_txn *t)
{
    for (size_t i = 0; i < t->n_actions; i++)
        action_dispose(&t->actions[i]);
    ia_free(t->actions);
    ia_free(t->predicate);
    ia_free(t->message);
    ia_free(t->preserving_fields);
    ia_free(t->clone_path);
    ia_free(t->clone_ref);
    ia_free(t->clone_branch);
    memset(t, 0, sizeof *t);
}

ia_status ia_txn_add(ia_ctx *cx, ia_txn *t, ia_action_kind kind, ia_action **out)
{
    *out = NULL;
    IA_TRY(IA_GROW(cx, t->actions, t->cap_actions, t->n_actions + 1));
    *out = &t->actions[t->n_actions++];
    memset(*out, 0, sizeof **out);
    (*out)->kind = kind;
    (*out)->fragment.id = IA_FRAGMENT_UNASSIGNED;
    return IA_OK;
}

ia_status ia_txn_peek(ia_ctx *cx, const uint8_t *p, size_t n, char uuid[IA_UUID_LEN + 1],
                      uint32_t *operation)
{
    ia_wire w;
    uuid[0] = 0;
    *operation = 0;
    ia_wire_init(&w, p, n);
    while (ia_wire_next(&w)) {
        if (w.number == 2) {
            const ia_view v = ia_wire_view(&w);
            if (v.len == IA_UUID_LEN) {
                memcpy(uuid, v.data, v.len);
                uuid[v.len] = 0;
            }
        } else if (w.number >= 100 && w.number < 200) {
            *operation = w.number;
        }
    }
    IA_TRY(ia_wire_done(cx, &w, "transaction"));
    if (*operation == 0)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "a transaction holds no operation that this version knows");
    return IA_OK;
}

ia_status ia_txn_build(ia_ctx *cx, ia_dataset *ds, ia_txn *t, const ia_apply_options *opt,
                       ia_manifest **next, ia_bytes *manifest_file, ia_bytes *txn_pb)
{
    ia_manifest *m = NULL;
    ia_bytes file = {0}, pb = {0};
    ia_status st;

    *next = NULL;
    memset(manifest_file, 0, sizeof *manifest_file);
    memset(txn_pb, 0, sizeof *txn_pb);
    IA_GO(ia_txn_apply(cx, ds, t, opt, &m));
    IA_GO(ia_txn_encode(cx, t, ds->m, m, &pb));
    IA_GO(ia_manifest_encode(cx, m, pb.data, pb.len, &file));
    IA_GO(ia_bytes_copy(cx, pb.data, pb.len, &m->transaction));
    *next = m;
    ia_bytes_move(manifest_file, &file);
    ia_bytes_move(txn_pb, &pb);
    m = NULL;
done:
    ia_manifest_release(m);
    ia_bytes_dispose(&file);
    ia_bytes_dispose(&pb);
    return st;
}

ia_status ia_txn_file_put(ia_ctx *cx, ia_objstore *os, const char *dir, const ia_manifest *m,
                          const ia_bytes *txn_pb, uint32_t put_flags)
{
    char *path = NULL;
    ia_status st;
    IA_GO(ia_path_join(cx, &path, dir, "_transactions", m->transaction_file, NULL));
    IA_GO(ia_objstore_put(cx, os, path, txn_pb->data, txn_pb->len, put_flags & IA_PUT_SYNC));
done:
    ia_free(path);
    return st;
}
