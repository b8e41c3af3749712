/* snapshot.c - a commit with its tables: manifests by name and transaction, revealed or staged. */
#include "graph/graph_priv.h"

#include <stdio.h>

/* ---- paths ----------------------------------------------------------------------------------- */
ia_status ia_tree_path(ia_ctx *cx, const ia_graph *g, const char *dir, const char *lance_branch,
                       char **out)
{
    return lance_branch ? ia_path_join(cx, out, g->root, dir, "tree", lance_branch, NULL)
                        : ia_path_join(cx, out, g->root, dir, NULL);
}

ia_status ia_revealed_path(ia_ctx *cx, const ia_graph *g, const char *dir, const char *lance_branch,
                           uint64_t version, char **out)
{
    char name[40], *tree = NULL;
    ia_status st;

    *out = NULL;
    ia_manifest_name(version, name);
    IA_GO(ia_tree_path(cx, g, dir, lance_branch, &tree));
    IA_GO(ia_path_join(cx, out, tree, "_versions", name, NULL));
done:
    ia_free(tree);
    return st;
}

ia_status ia_staged_path(ia_ctx *cx, const ia_graph *g, const char *attempt, const char *dir,
                         const char *lance_branch, uint64_t version, char **out)
{
    char name[40];

    (void)snprintf(name, sizeof name, "%llu.manifest", (unsigned long long)version);
    return ia_graph_path(cx, g, out, "staged", attempt, dir, lance_branch ? lance_branch : "main",
                         name, NULL);
}

/* ---- manifests ------------------------------------------------------------------------------- */
ia_status ia_manifest_load(ia_ctx *cx, ia_objstore *os, const char *path, ia_manifest **out,
                           uint64_t *size)
{
    ia_bytes raw = {0};
    ia_status st;

    *out = NULL;
    *size = 0;
    IA_GO(ia_objstore_get(cx, os, path, &raw));
    IA_GO(ia_manifest_decode(cx, raw.data, raw.len, path, out));
    *size = raw.len;
done:
    ia_bytes_dispose(&raw);
    return st;
}

/* The inline transaction says it, else the name of the transaction file: "{read
 * version}-{uuid}.txn". */
ia_status ia_manifest_txn(ia_ctx *cx, const ia_manifest *m, char uuid[IA_UUID_LEN + 1],
                          uint32_t *operation)
{
    const char *dash = m->transaction_file ? strchr(m->transaction_file, '-') : NULL;
    ia_uuid u;

    uuid[0] = 0;
    *operation = 0;
    if (m->transaction.len > 0)
        return ia_txn_peek(cx, m->transaction.data, m->transaction.len, uuid, operation);
    if (dash && strlen(dash + 1) >= IA_UUID_LEN) {
        memcpy(uuid, dash + 1, IA_UUID_LEN);
        uuid[IA_UUID_LEN] = 0;
        if (!ia_uuid_parse(uuid, &u))
            uuid[0] = 0;
    }
    return IA_OK;
}

/* *out NULL when the file is missing or was made by another transaction. */
static ia_status load_if_ours(ia_ctx *cx, ia_graph *g, const char *path, const ia_entry *e,
                              ia_manifest **out, uint64_t *size)
{
    char uuid[IA_UUID_LEN + 1];
    uint32_t operation;
    ia_manifest *m = NULL;
    ia_status st;

    *out = NULL;
    st = ia_manifest_load(cx, g->os, path, &m, size);
    if (st == IA_ERR_NOT_FOUND) {
        ia_ctx_clear(cx);
        return IA_OK;
    }
    IA_GO(st);
    IA_GO(ia_manifest_txn(cx, m, uuid, &operation));
    if (strcmp(uuid, e->txn_uuid) == 0 && m->version == e->last_version) {
        *out = m;
        m = NULL;
    }
done:
    ia_manifest_release(m);
    return st;
}

/* Revealed, staged, and revealed again: another process may be revealing between the two looks. */
static ia_status find_manifest(ia_ctx *cx, ia_graph *g, const ia_entry *e, ia_manifest **out,
                               ia_entry_info *info)
{
    char *revealed = NULL, *staged = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(ia_revealed_path(cx, g, e->dir, e->lance_branch, e->last_version, &revealed));
    IA_GO(load_if_ours(cx, g, revealed, e, out, &info->size));
    if (!*out && e->staged) {
        IA_GO(ia_staged_path(cx, g, e->staged, e->dir, e->lance_branch, e->last_version, &staged));
        IA_GO(load_if_ours(cx, g, staged, e, out, &info->size));
        info->staged = *out != NULL;
    }
    if (!*out && e->staged)
        IA_GO(load_if_ours(cx, g, revealed, e, out, &info->size));
    if (!*out)
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT,
                      "version %llu of %s%s%s (transaction %s) is neither revealed nor staged: it "
                      "was reclaimed, or files were removed",
                      (unsigned long long)e->last_version, e->dir,
                      e->lance_branch ? " on Lance branch " : "",
                      e->lance_branch ? e->lance_branch : "", e->txn_uuid));
done:
    ia_free(revealed);
    ia_free(staged);
    return st;
}

/* ---- narrow columns -------------------------------------------------------------------------- */
static void mark(bool *named, const int *props, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (props[i] >= 0)
            named[props[i]] = true;
}

static void mark_constrained(const ia_type_def *t, bool *named)
{
    mark(named, t->key, t->n_key);
    for (size_t i = 0; i < t->n_uniques; i++)
        mark(named, t->uniques[i].props, t->uniques[i].n);
    for (size_t i = 0; i < t->n_ranges; i++)
        named[t->ranges[i].prop] = true;
    for (size_t i = 0; i < t->n_checks; i++)
        named[t->checks[i].prop] = true;
    for (size_t i = 0; i < t->n_properties; i++)
        if (t->properties[i].type.scalar == IA_PK_ENUM)
            named[i] = true;
}

ia_status ia_type_narrow(ia_ctx *cx, const ia_type_def *type, const char ***names, size_t *n)
{
    const char **out = NULL;
    bool *named = NULL;
    size_t k = 0;
    ia_status st;

    *names = NULL;
    *n = 0;
    IA_GO(IA_NEW_ARRAY(cx, out, type->n_properties + 3));
    IA_GO(IA_NEW_ARRAY(cx, named, type->n_properties));
    out[k++] = "id";
    if (type->kind == IA_KIND_EDGE) {
        out[k++] = "src";
        out[k++] = "dst";
    }
    mark_constrained(type, named);
    for (size_t i = 0; i < type->n_properties; i++)
        if (named[i])
            out[k++] = type->properties[i].name;
    *names = out;
    *n = k;
    out = NULL;
done:
    ia_free(out);
    ia_free(named);
    return st;
}

/* ---- datasets -------------------------------------------------------------------------------- */
static ia_status slot_key(ia_ctx *cx, const ia_entry *e, char **out)
{
    return IA_SET(cx, *out,
                  ia_sprintf(cx, "%s|%s|%llu|%s", e->dir, e->lance_branch ? e->lance_branch : "",
                             (unsigned long long)e->last_version, e->txn_uuid));
}

ia_status ia_dataset_prepare(ia_ctx *cx, const ia_type_def *type, ia_dataset *ds)
{
    const char **names = NULL;
    size_t n;
    ia_status st;

    ds->relocate = true;
    IA_GO(ia_type_narrow(cx, type, &names, &n));
    IA_GO(ia_dataset_set_keys(cx, ds, names, n));
done:
    ia_free(names);
    return st;
}

static ia_status read_dataset(ia_ctx *cx, ia_graph *g, const ia_type_def *type, const ia_entry *e,
                              ia_dataset **out, ia_entry_info *info)
{
    ia_manifest *m = NULL;
    ia_dataset *ds = NULL;
    char *root = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(find_manifest(cx, g, e, &m, info));
    IA_GO(ia_graph_dataset_root(cx, g, e->dir, &root));
    IA_GO(ia_dataset_bind(cx, g->os, root, e->lance_branch, m, &ds));
    ia_dataset_share_files(ds, g->cache->files);
    IA_GO(ia_dataset_prepare(cx, type, ds));
    *out = ds;
    ds = NULL;
done:
    ia_dataset_release(ds);
    ia_manifest_release(m);
    ia_free(root);
    return st;
}

static ia_dataset_slot *find_slot(ia_graph *g, const char *key)
{
    for (size_t i = 0; i < IA_DATASET_SLOTS; i++)
        if (g->cache->datasets[i].key && strcmp(g->cache->datasets[i].key, key) == 0)
            return &g->cache->datasets[i];
    return NULL;
}

static void fill_slot(ia_graph *g, char *key, const ia_dataset *ds, const ia_entry_info *info)
{
    ia_dataset_slot *s = &g->cache->datasets[g->cache->next_dataset];

    g->cache->next_dataset = (g->cache->next_dataset + 1) % IA_DATASET_SLOTS;
    ia_free(s->key);
    ia_dataset_release(s->ds);
    *s = (ia_dataset_slot){
        .key = key, .ds = ia_dataset_retain(ds), .staged = info->staged, .size = info->size};
}

ia_status ia_entry_load(ia_ctx *cx, ia_graph *g, const ia_type_def *type, const ia_entry *e,
                        ia_dataset **out, ia_entry_info *info)
{
    ia_dataset_slot *s;
    char *key = NULL;
    ia_ctx sub;
    ia_status st;

    *out = NULL;
    *info = (ia_entry_info){0};
    ia_cache_ctx(g, cx, &sub);
    IA_GO(slot_key(&sub, e, &key));
    s = find_slot(g, key);
    if (s) {
        *info = (ia_entry_info){.staged = s->staged, .size = s->size};
        *out = ia_dataset_retain(s->ds);
        goto done;
    }
    st = read_dataset(&sub, g, type, e, out, info);
    if (st == IA_ERR_OVER_BUDGET) { /* the cache may be what fills it */
        ia_ctx_clear(&sub);
        ia_graph_trim(g);
        st = read_dataset(&sub, g, type, e, out, info);
    }
    IA_GO(st);
    fill_slot(g, key, *out, info);
    key = NULL;
done:
    ia_free(key);
    if (st != IA_OK)
        cx->err = sub.err;
    return st;
}

void ia_entry_forget(ia_graph *g, const ia_entry *e)
{
    ia_dataset_slot *s;
    ia_ctx sub;
    char *key = NULL;

    ia_ctx_init(&sub, g->cache->budget);
    if (slot_key(&sub, e, &key) != IA_OK)
        return;
    s = find_slot(g, key);
    if (s) {
        ia_free(s->key);
        ia_dataset_release(s->ds);
        *s = (ia_dataset_slot){0};
    }
    ia_free(key);
}

ia_status ia_entry_open(ia_ctx *cx, ia_graph *g, const ia_type_def *type, const ia_entry *e,
                        ia_dataset **out)
{
    ia_entry_info info;
    return ia_entry_load(cx, g, type, e, out, &info);
}

/* ---- snapshots ------------------------------------------------------------------------------- */
ia_status ia_snapshot_open(ia_ctx *cx, ia_graph *g, ia_commit *c, ia_snapshot **out)
{
    ia_snapshot *s = NULL;
    ia_status st;

    *out = NULL;
    st = IA_NEW(cx, s);
    if (st != IA_OK) {
        ia_commit_free(c);
        return st;
    }
    s->g = g;
    s->commit = c;
    IA_GO(ia_graph_catalog(cx, g, c->schema_hash, &s->cat));
    IA_GO(IA_NEW_ARRAY(cx, s->open, s->cat->n_types));
    *out = s;
    s = NULL;
done:
    ia_snapshot_close(s);
    return st;
}

void ia_snapshot_close(ia_snapshot *s)
{
    if (!s)
        return;
    for (size_t i = 0; s->open && i < s->cat->n_types; i++)
        ia_dataset_release(s->open[i]);
    ia_free(s->open);
    ia_commit_free(s->commit);
    ia_free(s);
}

const ia_entry *ia_snapshot_entry(const ia_snapshot *s, size_t type)
{
    return type < s->cat->n_types ? ia_commit_entry(s->commit, s->cat->types[type]->type_id) : NULL;
}

ia_status ia_snapshot_table(ia_ctx *cx, ia_snapshot *s, size_t type, ia_dataset **out)
{
    const ia_entry *e = ia_snapshot_entry(s, type);

    *out = NULL;
    if (!e)
        return ia_fail(cx, IA_ERR_CORRUPT, "commit %s has no table for type %s", s->commit->ref.id,
                       type < s->cat->n_types ? s->cat->types[type]->name : "?");
    if (!s->open[type])
        IA_TRY(ia_entry_open(cx, s->g, s->cat->types[type], e, &s->open[type]));
    *out = s->open[type];
    return IA_OK;
}
