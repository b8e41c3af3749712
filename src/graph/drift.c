/* drift.c - versions of our Lance branches that no commit of the graph made. */
#include "graph/graph_priv.h"

void ia_drifts_dispose(ia_drifts *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->n; i++) {
        ia_free(d->items[i].dir);
        ia_free(d->items[i].lance_branch);
        ia_free(d->items[i].operation);
    }
    ia_free(d->items);
    *d = (ia_drifts){0};
}

static const char *operation_name(uint32_t number)
{
    static const char *const names[] = {"append",
                                        "delete",
                                        "overwrite",
                                        "create_index",
                                        "rewrite",
                                        "merge",
                                        "restore",
                                        "reserve_fragments",
                                        "update",
                                        "project",
                                        "update_config",
                                        "data_replacement",
                                        "update_mem_wal_state",
                                        "clone",
                                        "update_bases",
                                        "data_overlay",
                                        "composite"};
    return number >= 100 && number < 100 + sizeof names / sizeof names[0] ? names[number - 100]
                                                                          : "unknown";
}

static ia_status add(ia_ctx *cx, ia_drifts *out, size_t type, const ia_entry *e, uint64_t version,
                     const char *operation)
{
    ia_drift *d;

    IA_TRY(IA_GROW(cx, out->items, out->cap, out->n + 1));
    d = &out->items[out->n++];
    *d = (ia_drift){.type = type, .version = version};
    IA_TRY(IA_SET(cx, d->dir, ia_strdup(cx, e->dir)));
    if (e->lance_branch)
        IA_TRY(IA_SET(cx, d->lance_branch, ia_strdup(cx, e->lance_branch)));
    return IA_SET(cx, d->operation, ia_strdup(cx, operation));
}

/* Looks at one version name; a missing one is no drift. */
static ia_status look(ia_ctx *cx, ia_graph *g, size_t type, const ia_entry *e, uint64_t version,
                      ia_drifts *out)
{
    char uuid[IA_UUID_LEN + 1], *path = NULL;
    ia_manifest *m = NULL;
    uint32_t operation;
    uint64_t size;
    ia_status st;

    IA_GO(ia_revealed_path(cx, g, e->dir, e->lance_branch, version, &path));
    st = ia_manifest_load(cx, g->os, path, &m, &size);
    if (st == IA_ERR_NOT_FOUND) {
        ia_ctx_clear(cx);
        st = IA_OK;
        goto done;
    }
    IA_GO(st);
    IA_GO(ia_manifest_txn(cx, m, uuid, &operation));
    if (version > e->last_version || strcmp(uuid, e->txn_uuid) != 0)
        IA_GO(add(cx, out, type, e, version, operation_name(operation)));
done:
    ia_manifest_release(m);
    ia_free(path);
    return st;
}

static ia_status look_at_table(ia_ctx *cx, ia_graph *g, size_t type, const ia_entry *e,
                               ia_drifts *out)
{
    uint64_t latest = 0;
    char *root = NULL;
    ia_status st;

    IA_GO(ia_graph_dataset_root(cx, g, e->dir, &root));
    st = ia_dataset_latest(cx, g->os, root, e->lance_branch, &latest);
    if (st == IA_ERR_NOT_FOUND) { /* a new fork that is not revealed yet */
        ia_ctx_clear(cx);
        st = IA_OK;
        goto done;
    }
    IA_GO(st);
    for (uint64_t v = e->last_version; v <= latest; v++) {
        IA_GO(ia_check(cx, 0, 0));
        IA_GO(look(cx, g, type, e, v, out));
    }
done:
    ia_free(root);
    return st;
}

static ia_status scan_head(ia_ctx *cx, ia_graph *g, const ia_branch *b, const ia_commit *head,
                           const ia_catalog *cat, ia_drifts *out)
{
    for (size_t i = 0; i < cat->n_types; i++) {
        const ia_entry *e = ia_commit_entry(head, cat->types[i]->type_id);
        if (e && strcmp(e->owner, b->incarnation) == 0)
            IA_TRY(look_at_table(cx, g, i, e, out));
    }
    return IA_OK;
}

/* What looks like drift may be a commit of ours that came after `head`: then the newer head is
 * looked at. */
ia_status ia_drift_find(ia_ctx *cx, ia_graph *g, const ia_branch *b, const ia_commit *head,
                        const ia_catalog *cat, ia_drifts *out)
{
    ia_commit *now = NULL, *next = NULL;
    ia_status st;

    *out = (ia_drifts){0};
    IA_GO(scan_head(cx, g, b, head, cat, out));
    for (int i = 0; i < 8 && out->n > 0; i++) {
        IA_GO(ia_branch_head(cx, g, b, &next));
        if (strcmp(next->ref.id, now ? now->ref.id : head->ref.id) == 0 ||
            strcmp(next->schema_hash, head->schema_hash) != 0)
            break;
        ia_commit_free(now);
        now = next;
        next = NULL;
        ia_drifts_dispose(out);
        IA_GO(scan_head(cx, g, b, now, cat, out));
    }
done:
    ia_commit_free(now);
    ia_commit_free(next);
    if (st != IA_OK)
        ia_drifts_dispose(out);
    return st;
}
