/* reveal.c - gives staged manifests their own names in the datasets, once their commit exists. */
/* Every step looks at what is there, so that any number of processes can do and finish it. The
 * staged copy goes last: as long as it is there, something may be undone; readers use it until
 * then. A manifest is never put below a version that is already there: that is drift, and the
 * staged copy stays the truth. */
#include "graph/graph_priv.h"

typedef struct revealer {
    ia_graph *g;
    const ia_entry *e;
    char *root, *tree;
    bool blocked; /* a stranger has one of our names, or a later one */
} revealer;

/* ---- manifests ------------------------------------------------------------------------------- */
static ia_status uuid_at(ia_ctx *cx, ia_graph *g, const char *path, char uuid[IA_UUID_LEN + 1],
                         uint64_t *size)
{
    ia_manifest *m;
    uint32_t operation;
    ia_status st;

    uuid[0] = 0;
    IA_TRY(ia_manifest_load(cx, g->os, path, &m, size));
    st = ia_manifest_txn(cx, m, uuid, &operation);
    ia_manifest_release(m);
    return st;
}

/* Is the file at `to` the staged one? Compared by size and transaction. */
static ia_status verify(ia_ctx *cx, ia_graph *g, const char *from, const char *to, bool *same)
{
    char a[IA_UUID_LEN + 1], b[IA_UUID_LEN + 1];
    uint64_t na, nb;

    *same = false;
    IA_TRY(uuid_at(cx, g, from, a, &na));
    IA_TRY(uuid_at(cx, g, to, b, &nb));
    *same = na == nb && a[0] && strcmp(a, b) == 0;
    return IA_OK;
}

static ia_status place(ia_ctx *cx, ia_graph *g, const char *from, const char *to)
{
    ia_status st = ia_objstore_link(cx, g->os, from, to);

    if (st == IA_ERR_UNSUPPORTED) {
        ia_ctx_clear(cx);
        st = ia_objstore_copy(cx, g->os, from, to, IA_IO_META, ia_graph_put_flags(g));
    }
    if (st == IA_ERR_EXISTS) {
        ia_ctx_clear(cx);
        st = IA_OK;
    }
    return st;
}

static ia_status newest(ia_ctx *cx, const revealer *r, uint64_t *out)
{
    const ia_status st = ia_dataset_latest(cx, r->g->os, r->root, r->e->lance_branch, out);

    if (st == IA_ERR_NOT_FOUND) {
        ia_ctx_clear(cx);
        *out = 0;
        return IA_OK;
    }
    return st;
}

/* Places and verifies one staged manifest. Nothing staged under that number: done before. */
static ia_status place_version(ia_ctx *cx, revealer *r, uint64_t version, const char *from,
                               const char *to)
{
    uint64_t latest;
    bool there, same;

    IA_TRY(ia_path_there(cx, r->g->os, from, &there));
    if (!there)
        return IA_OK;
    IA_TRY(ia_path_there(cx, r->g->os, to, &there));
    if (!there) {
        IA_TRY(newest(cx, r, &latest));
        if (latest >= version) /* another process revealed it just now, or there is a gap below a
                                  stranger's */
            IA_TRY(ia_path_there(cx, r->g->os, to, &there));
        r->blocked = latest >= version && !there;
        if (r->blocked)
            return IA_OK;
        IA_TRY(place(cx, r->g, from, to));
    }
    IA_TRY(verify(cx, r->g, from, to, &same));
    r->blocked = r->blocked || !same;
    /* the staged copy goes next, whoever placed this one */
    return same && r->g->durability == IA_FULL ? ia_objstore_sync(cx, r->g->os, to) : IA_OK;
}

/* Another process may finish it at any moment and take the staged name away. */
static ia_status reveal_version(ia_ctx *cx, revealer *r, uint64_t version)
{
    char *from = NULL, *to = NULL;
    bool staged, revealed;
    ia_status st;

    IA_GO(ia_staged_path(cx, r->g, r->e->staged, r->e->dir, r->e->lance_branch, version, &from));
    IA_GO(ia_revealed_path(cx, r->g, r->e->dir, r->e->lance_branch, version, &to));
    st = place_version(cx, r, version, from, to);
    if (st == IA_ERR_NOT_FOUND) {
        IA_GO(ia_path_there(cx, r->g->os, from, &staged));
        IA_GO(ia_path_there(cx, r->g->os, to, &revealed));
        if (staged || !revealed)
            st = ia_fail(cx, IA_ERR_IO, "%s vanished while it was revealed", staged ? to : from);
    }
done:
    ia_free(from);
    ia_free(to);
    return st;
}

void ia_staged_prune(ia_ctx *cx, const ia_graph *g, const char *attempt, const char *dir,
                     const char *lance_branch)
{
    const char *const branch = lance_branch ? lance_branch : "main";
    const char *const parts[][3] = {
        {attempt, dir, branch}, {attempt, dir, NULL}, {attempt, NULL, NULL}};
    ia_ctx quiet = *cx;

    for (size_t i = 0; i < 3; i++) {
        char *path = NULL, *slash = NULL;
        if (ia_graph_path(&quiet, g, &path, "staged", parts[i][0], parts[i][1], parts[i][2],
                          NULL) == IA_OK)
            slash = ia_sprintf(&quiet, "%s/", path);
        if (!slash || ia_objstore_remove(&quiet, g->os, slash) != IA_OK)
            ia_ctx_clear(&quiet);
        ia_free(slash);
        ia_free(path);
    }
}

static ia_status unstage_versions(ia_ctx *cx, const revealer *r)
{
    for (uint64_t v = r->e->first_version; v <= r->e->last_version; v++) {
        char *path;
        ia_status st;
        IA_TRY(ia_staged_path(cx, r->g, r->e->staged, r->e->dir, r->e->lance_branch, v, &path));
        st = ia_objstore_remove(cx, r->g->os, path);
        ia_free(path);
        if (st != IA_OK && st != IA_ERR_NOT_FOUND)
            return st;
        ia_ctx_clear(cx);
    }
    ia_staged_prune(cx, r->g, r->e->staged, r->e->dir, r->e->lance_branch);
    return IA_OK;
}

/* ---- forks ----------------------------------------------------------------------------------- */
static ia_status put_hold(ia_ctx *cx, const revealer *r)
{
    const ia_entry *e = r->e;
    char *tag = NULL, *path = NULL, *branch = NULL;
    ia_objmeta meta;
    uint64_t version;
    ia_status st;

    IA_GO(IA_SET(cx, tag, ia_sprintf(cx, "inarch-hold-%s", e->lance_branch)));
    st = ia_tag_get(cx, r->g->os, r->root, tag, &branch, &version);
    if (st != IA_ERR_NOT_FOUND)
        goto done; /* there: it may have moved on since */
    ia_ctx_clear(cx);
    IA_GO(ia_revealed_path(cx, r->g, e->dir, e->lance_branch, e->first_version, &path));
    IA_GO(ia_objstore_head(cx, r->g->os, path, &meta));
    IA_GO(ia_tag_put(cx, r->g->os, r->root, tag, e->lance_branch, e->first_version, meta.size,
                     ia_now_us(), ia_graph_put_flags(r->g)));
done:
    ia_free(tag);
    ia_free(path);
    ia_free(branch);
    return st;
}

static ia_status reveal_fork(ia_ctx *cx, const revealer *r)
{
    const ia_entry *e = r->e;
    ia_status st =
        ia_branchref_put(cx, r->g->os, r->root, e->lance_branch, e->fork.parent, e->first_version,
                         e->fork.parent_size, e->fork.created_s, ia_graph_put_flags(r->g));

    if (st == IA_ERR_EXISTS) { /* fork names are unique: nobody else can have made it */
        ia_ctx_clear(cx);
        st = IA_OK;
    }
    IA_TRY(st);
    return put_hold(cx, r);
}

/* ---- one entry ------------------------------------------------------------------------------- */
static ia_status hint(ia_ctx *cx, const revealer *r)
{
    uint64_t latest;

    IA_TRY(newest(cx, r, &latest));
    return latest == r->e->last_version ? ia_hint_put(cx, r->g->os, r->tree, latest) : IA_OK;
}

ia_status ia_entry_pending(ia_ctx *cx, ia_graph *g, const ia_entry *e, bool *out)
{
    ia_objlist l = {0};
    char *dir = NULL;
    ia_status st;

    *out = false;
    if (!e->staged)
        return IA_OK;
    IA_GO(ia_graph_path(cx, g, &dir, "staged", e->staged, e->dir,
                        e->lance_branch ? e->lance_branch : "main", NULL));
    IA_GO(ia_objstore_list(cx, g->os, dir, NULL, 1, &l));
    *out = l.n > 0;
done:
    ia_objlist_dispose(&l);
    ia_free(dir);
    return st;
}

ia_status ia_reveal_entry(ia_ctx *cx, ia_graph *g, const ia_entry *e)
{
    revealer r = {.g = g, .e = e};
    bool staged;
    ia_status st;

    IA_GO(ia_entry_pending(cx, g, e, &staged));
    if (!staged)
        goto done;
    IA_GO(ia_graph_dataset_root(cx, g, e->dir, &r.root));
    IA_GO(ia_tree_path(cx, g, e->dir, e->lance_branch, &r.tree));
    for (uint64_t v = e->first_version; v <= e->last_version && !r.blocked; v++)
        IA_GO(reveal_version(cx, &r, v));
    if (r.blocked)
        IA_GO(ia_fail(cx, IA_ERR_DRIFT,
                      "%s: another program's commit has the name of a version up to %llu", r.tree,
                      (unsigned long long)e->last_version));
    IA_GO(hint(cx, &r));
    if (e->fork.set)
        IA_GO(reveal_fork(cx, &r));
    IA_GO(unstage_versions(cx, &r));
    ia_entry_forget(g, e);
done:
    ia_free(r.root);
    ia_free(r.tree);
    return st;
}

/* Every entry is tried; the first failure is reported. */
ia_status ia_reveal(ia_ctx *cx, ia_graph *g, const ia_commit *c)
{
    ia_error first = {0};

    for (size_t i = 0; i < c->n_entries; i++) {
        const ia_status st = ia_reveal_entry(cx, g, &c->entries[i]);
        if (st == IA_ERR_CANCELLED || st == IA_ERR_NO_MEMORY || st == IA_ERR_OVER_BUDGET)
            return st;
        if (st != IA_OK && first.code == IA_OK)
            first = cx->err;
        if (st != IA_OK)
            ia_ctx_clear(cx);
    }
    if (first.code != IA_OK)
        cx->err = first;
    return first.code;
}

ia_status ia_unrevealed(ia_ctx *cx, ia_graph *g, const ia_commit *c, ia_strlist *out)
{
    char *line = NULL;
    ia_status st = IA_OK;

    *out = (ia_strlist){0};
    for (size_t i = 0; i < c->n_entries; i++) {
        const ia_entry *e = &c->entries[i];
        bool staged;
        IA_GO(ia_entry_pending(cx, g, e, &staged));
        if (!staged)
            continue;
        ia_free(line);
        IA_GO(IA_SET(
            cx, line,
            ia_sprintf(cx, "%s%s%s version %llu is staged, not revealed to other Lance readers yet",
                       e->dir, e->lance_branch ? "/tree/" : "",
                       e->lance_branch ? e->lance_branch : "",
                       (unsigned long long)e->last_version)));
        IA_GO(ia_strlist_add(cx, out, line));
    }
done:
    ia_free(line);
    if (st != IA_OK)
        ia_strlist_dispose(out);
    return st;
}
