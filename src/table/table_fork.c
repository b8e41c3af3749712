/* table_fork.c - first manifests of new datasets and of new Lance branches. */
#include "table/table_priv.h"

ia_status ia_manifest_minor(ia_ctx *cx, const ia_manifest *m, uint32_t *minor)
{
    *minor = strcmp(m->data_version, "2.1") == 0 ? 1 : strcmp(m->data_version, "2.2") == 0 ? 2 : 0;
    if (*minor == 0)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "tables of data format %s can be read but not written, since all data files "
                       "of a table are of one format; copy the rows into a table of format 2.1",
                       m->data_version);
    return IA_OK;
}

static ia_status set_writer(ia_ctx *cx, ia_manifest *m, const ia_txn *t)
{
    ia_free(m->writer_library);
    ia_free(m->writer_version);
    ia_free(m->transaction_file);
    m->writer_library = m->writer_version = m->transaction_file = NULL;
    IA_TRY(IA_SET(cx, m->writer_library, ia_strdup(cx, "inarch")));
    IA_TRY(IA_SET(cx, m->writer_version, ia_strdup(cx, INARCH_VERSION)));
    return IA_SET(cx, m->transaction_file,
                  ia_sprintf(cx, "%llu-%s.txn", (unsigned long long)t->read_version, t->uuid));
}

ia_status ia_manifest_create(ia_ctx *cx, const ia_schema *s, const char *data_version,
                             int64_t now_us, ia_txn *txn_out, ia_manifest **out)
{
    ia_manifest *m = NULL;
    ia_lschema ls = {0};
    ia_txn t = {0};
    ia_action *a;
    uint32_t minor;
    ia_status st;

    *out = NULL;
    memset(txn_out, 0, sizeof *txn_out);
    IA_GO(IA_NEW(cx, m));
    atomic_init(&m->refs, 1);
    IA_GO(IA_SET(cx, m->data_version, ia_strdup(cx, data_version)));
    IA_GO(ia_manifest_minor(cx, m, &minor));
    IA_GO(ia_lschema_from_arrow(cx, s, 0, &ls));
    IA_GO(ia_txn_init(cx, &t, IA_TXN_OVERWRITE, 0));
    IA_GO(ia_txn_add(cx, &t, IA_ACT_SET_SCHEMA, &a));
    IA_GO(ia_lschema_copy(cx, &ls, &a->schema));
    IA_GO(ia_manifest_set_schema(cx, m, &ls));
    m->version = 1;
    m->timestamp_us = now_us;
    m->stable_row_ids = true;
    ia_manifest_derive_flags(m);
    IA_GO(set_writer(cx, m, &t));
    *txn_out = t;
    memset(&t, 0, sizeof t);
    *out = m;
    m = NULL;
done:
    ia_txn_dispose(&t);
    ia_lschema_dispose(&ls);
    ia_manifest_release(m);
    return st;
}

/* Every file without a base lies in the source's own tree: it gets the new base. */
static void borrow_files(ia_manifest *m, uint32_t base)
{
    for (size_t i = 0; i < m->n_fragments; i++) {
        ia_fragment *f = &m->fragments[i];
        for (size_t k = 0; k < f->n_files; k++) {
            if (!f->files[k].has_base) {
                f->files[k].has_base = true;
                f->files[k].base_id = base;
            }
        }
        if (f->has_deletion && !f->deletion.has_base) {
            f->deletion.has_base = true;
            f->deletion.base_id = base;
        }
    }
}

static ia_status add_source_base(ia_ctx *cx, ia_manifest *m, const ia_dataset *ds, uint32_t *id)
{
    ia_basepath b = {.is_dataset_root = true, .name = ds->branch, .path = ds->dir}, *grown;
    for (size_t i = 0; i < m->n_bases; i++) {
        if (m->bases[i].id >= b.id)
            b.id = m->bases[i].id + 1;
    }
    grown = ia_realloc(cx, m->bases, (m->n_bases + 1) * sizeof *grown);
    if (!grown)
        return cx->err.code;
    m->bases = grown;
    IA_TRY(ia_basepath_copy(cx, &b, &m->bases[m->n_bases]));
    m->n_bases++;
    *id = b.id;
    return IA_OK;
}

static ia_status clone_txn(ia_ctx *cx, const ia_dataset *ds, const char *branch, ia_txn *t)
{
    IA_TRY(ia_txn_init(cx, t, IA_TXN_CLONE, ds->m->version));
    t->clone_version = ds->m->version;
    IA_TRY(IA_SET(cx, t->clone_path, ia_strdup(cx, ds->dir)));
    IA_TRY(IA_SET(cx, t->clone_branch, ia_strdup(cx, branch)));
    if (ds->branch)
        IA_TRY(IA_SET(cx, t->clone_ref, ia_strdup(cx, ds->branch)));
    return IA_OK;
}

ia_status ia_manifest_fork(ia_ctx *cx, const ia_dataset *ds, const char *branch,
                           uint64_t row_id_base, int64_t now_us, ia_txn *txn_out, ia_manifest **out)
{
    ia_manifest *m = NULL;
    ia_txn t = {0};
    char *dir = NULL;
    uint32_t base = 0;
    ia_status st;

    *out = NULL;
    memset(txn_out, 0, sizeof *txn_out);
    if (ds->m->writer_flags & ~(uint64_t)IA_KNOWN_FLAGS)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "%s needs table features that this version does not write", ds->root);
    IA_GO(clone_txn(cx, ds, branch, &t));
    IA_GO(ia_manifest_copy(cx, ds->m, &m));
    IA_GO(add_source_base(cx, m, ds, &base));
    borrow_files(m, base);
    IA_GO(ia_path_join(cx, &dir, ds->root, "tree", branch, NULL));
    IA_GO(ia_indices_adopt(cx, m, ds, dir, base));
    ia_free(m->branch);
    IA_GO(IA_SET(cx, m->branch, ia_strdup(cx, branch)));
    if (row_id_base > m->next_row_id)
        m->next_row_id = row_id_base;
    if (now_us > m->timestamp_us)
        m->timestamp_us = now_us;
    ia_manifest_derive_flags(m);
    IA_GO(set_writer(cx, m, &t));
    *txn_out = t;
    memset(&t, 0, sizeof t);
    *out = m;
    m = NULL;
done:
    ia_free(dir);
    ia_txn_dispose(&t);
    ia_manifest_release(m);
    return st;
}
