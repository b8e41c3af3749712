/* write_plan.c - what a write works on: branch, head, tree and fork of each table it touches. */
#include "graph/graph_priv.h"

#include <stdio.h>

/* ---- begin and free -------------------------------------------------------------------------- */
static ia_status dup_text(ia_ctx *cx, const char *s, char **out)
{
    return IA_SET(cx, *out, ia_strdup(cx, s));
}

static ia_status check_precondition(ia_ctx *cx, const ia_write *w)
{
    const char *head = w->head->commit->ref.id;

    if (w->if_commit[0] && strcmp(w->if_commit, head) != 0)
        return ia_fail(cx, IA_ERR_PRECONDITION,
                       "the head of branch '%s' is commit %s, not %s; nothing was changed",
                       w->branch->name, head, w->if_commit);
    return IA_OK;
}

static ia_status begin(ia_ctx *cx, ia_write *w, const char *branch, const char *if_commit)
{
    ia_commit *head;

    if (if_commit && if_commit[0]) {
        if (!ia_ulid_valid(if_commit))
            return ia_fail(cx, IA_ERR_INVALID,
                           "'%.60s' is not a whole commit id (26 letters and digits)", if_commit);
        memcpy(w->if_commit, if_commit, sizeof w->if_commit);
    }
    IA_TRY(ia_branch_open(cx, w->g, branch, &w->branch));
    IA_TRY(ia_branch_head(cx, w->g, w->branch, &head));
    IA_TRY(ia_snapshot_open(cx, w->g, head, &w->head));
    IA_TRY(check_precondition(cx, w));
    w->changes.cat = w->head->cat;
    IA_TRY(IA_NEW_ARRAY(cx, w->own->types, w->head->cat->n_types));
    w->own->n = w->head->cat->n_types;
    w->own->time_us = ia_now_us();
    IA_TRY(ia_ulid_new(cx, w->commit_id));
    return ia_ulid_new(cx, w->attempt);
}

/* A reveal that fails here is not this write's failure: staged manifests are as good. A table that
 * this write touches is checked again before publishing. */
static void finish_reveals(ia_ctx *cx, ia_write *w)
{
    ia_ctx quiet = *cx;

    quiet.progress = NULL;
    w->own->head_revealed = ia_reveal(&quiet, w->g, w->head->commit) == IA_OK;
}

ia_status ia_write_begin(ia_ctx *cx, ia_graph *g, const char *branch, const char *if_commit,
                         const char *actor, const char *message, ia_write **out)
{
    ia_write *w = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW(cx, w));
    w->g = g;
    IA_GO(IA_NEW(cx, w->own));
    IA_GO(dup_text(cx, actor ? actor : "", &w->actor));
    if (message)
        IA_GO(dup_text(cx, message, &w->message));
    IA_GO(begin(cx, w, branch, if_commit));
    finish_reveals(cx, w);
    *out = w;
    w = NULL;
done:
    ia_write_free(w);
    return st;
}

static void wtype_dispose(ia_wtype *t)
{
    ia_wtype_forget_dataset(t);
    ia_free(t->fork);
    ia_free(t->dir);
    *t = (ia_wtype){0};
}

void ia_wtype_forget_dataset(ia_wtype *t)
{
    ia_dataset_release(t->ds);
    t->ds = NULL;
    ia_bytes_dispose(&t->clone);
    ia_bytes_dispose(&t->clone_txn);
    ia_free(t->clone_txn_name);
    t->clone_txn_name = NULL;
}

static void own_free(ia_write_own *o)
{
    if (!o)
        return;
    for (size_t i = 0; o->types && i < o->n; i++)
        wtype_dispose(&o->types[i]);
    ia_free(o->types);
    ia_strlist_dispose(&o->staged);
    ia_free(o);
}

static void twrite_dispose(ia_twrite *t)
{
    ia_fragments_free(t->added, t->n_added);
    ia_free(t->added_dir);
    for (size_t i = 0; i < t->n_removed; i++)
        ia_bitmap_free(t->removed[i].offsets);
    ia_free(t->removed);
    ia_free(t->predicate);
    if (t->actions) {
        ia_txn_dispose(t->actions);
        ia_free(t->actions);
    }
    if (t->pointer) {
        ia_entry_dispose(t->pointer);
        ia_free(t->pointer);
    }
}

void ia_write_free(ia_write *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->n; i++)
        twrite_dispose(&w->tables[i]);
    ia_free(w->tables);
    for (size_t i = 0; w->routes && i < w->n_routes; i++) {
        ia_free(w->routes[i].type_key);
        ia_free(w->routes[i].route);
        ia_free(w->routes[i].reason);
    }
    ia_free(w->routes);
    own_free(w->own);
    ia_changeset_dispose(&w->changes);
    ia_snapshot_close(w->head);
    ia_branch_free(w->branch);
    ia_free(w->actor);
    ia_free(w->message);
    ia_free(w);
}

/* ---- tables ---------------------------------------------------------------------------------- */
bool ia_twrite_changes(const ia_twrite *t)
{
    return t->n_added > 0 || t->n_removed > 0 || t->overwrite || t->actions || t->pointer;
}

ia_status ia_write_table(ia_ctx *cx, ia_write *w, size_t type, ia_twrite **out)
{
    *out = NULL;
    for (size_t i = 0; i < w->n; i++)
        if (w->tables[i].type == type) {
            *out = &w->tables[i];
            return IA_OK;
        }
    IA_TRY(IA_GROW(cx, w->tables, w->cap, w->n + 1));
    w->tables[w->n] = (ia_twrite){.type = type};
    *out = &w->tables[w->n++];
    return IA_OK;
}

/* ---- forks ----------------------------------------------------------------------------------- */
/* The branch name in Lance's alphabet (what was "/" is "-"), no dot first or last, and eight random
 * characters. */
static ia_status fork_name(ia_ctx *cx, const char *branch, char **out)
{
    static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";
    const size_t n = strlen(branch);
    uint8_t raw[8];
    ia_buf b = {0};

    IA_TRY(ia_random(cx, raw, sizeof raw));
    for (size_t i = 0; i < n; i++) {
        const char c = branch[i];
        const bool edge =
            c == '.' && (i == 0 || i + 1 == n || branch[i - 1] == '/' || branch[i + 1] == '/');
        ia_buf_putc(cx, &b, c == '/' || edge ? '-' : c);
    }
    ia_buf_putc(cx, &b, '.');
    for (size_t i = 0; i < sizeof raw; i++)
        ia_buf_putc(cx, &b, digits[raw[i] & 31]);
    return ia_buf_finish_str(cx, &b, out);
}

/* Row-id space of a new fork: the first number that nobody took. Not synced: that spaces differ is
 * an economy, a graft settles ids that meet. */
static ia_status claim_slot(ia_ctx *cx, const ia_graph *g, const char *dir, const char *fork,
                            uint64_t *slot)
{
    char *path = NULL, *name = NULL;
    ia_objlist l = {0};
    unsigned long long n = 1;
    ia_status st;

    IA_GO(ia_graph_path(cx, g, &path, "slots", dir, NULL));
    IA_GO(ia_objstore_list(cx, g->os, path, NULL, 0, &l));
    if (l.n > 0 && sscanf(l.names[l.n - 1], "%7llu", &n) == 1)
        n++;
    for (;; n++) {
        if (n >= 1u << 23)
            IA_GO(ia_fail(cx, IA_ERR_UNSUPPORTED,
                          "dataset %s was forked eight million times: its row-id spaces are "
                          "used up",
                          dir));
        ia_free(path);
        ia_free(name);
        path = name = NULL;
        IA_GO(IA_SET(cx, name, ia_sprintf(cx, "%07llu", n)));
        IA_GO(ia_graph_path(cx, g, &path, "slots", dir, name, NULL));
        st = ia_objstore_put(cx, g->os, path, fork, strlen(fork), IA_PUT_IF_ABSENT);
        if (st != IA_ERR_EXISTS)
            break;
        ia_ctx_clear(cx);
    }
    if (st == IA_OK)
        *slot = n;
done:
    ia_objlist_dispose(&l);
    ia_free(path);
    ia_free(name);
    return st;
}

ia_status ia_write_row_id_space(ia_ctx *cx, ia_write *w, size_t type, uint64_t *first)
{
    const ia_entry *e = ia_snapshot_entry(w->head, type);
    uint64_t slot = 0;

    *first = 0;
    if (!e)
        return ia_fail(cx, IA_ERR_CORRUPT, "commit %s has no table for type number %zu",
                       w->head->commit->ref.id, type);
    IA_TRY(claim_slot(cx, w->g, e->dir, e->lance_branch ? e->lance_branch : "main", &slot));
    *first = slot << 40;
    return IA_OK;
}

ia_status ia_wtype_decide(ia_ctx *cx, ia_write *w, size_t type, ia_wtype **out)
{
    const ia_entry *e = ia_snapshot_entry(w->head, type);
    ia_wtype *t;
    bool ours;

    *out = NULL;
    if (!e || type >= w->own->n)
        return ia_fail(cx, IA_ERR_CORRUPT, "commit %s has no table for type number %zu",
                       w->head->commit->ref.id, type);
    t = &w->own->types[type];
    if (!t->decided) {
        ours = strcmp(e->owner, w->branch->incarnation) == 0;
        if (ours) {
            ia_free(t->fork);
            t->fork = NULL;
            IA_TRY(ia_wtype_check_drift(cx, w, type));
        } else if (!t->fork) {
            IA_TRY(fork_name(cx, w->branch->name, &t->fork));
        }
        ia_free(t->dir);
        t->dir = NULL;
        IA_TRY(ia_tree_path(cx, w->g, e->dir, ours ? e->lance_branch : t->fork, &t->dir));
        t->decided = true;
    }
    *out = t;
    return IA_OK;
}

ia_status ia_write_tree(ia_ctx *cx, ia_write *w, size_t type, const char **dir)
{
    ia_wtype *t;

    *dir = NULL;
    IA_TRY(ia_wtype_decide(cx, w, type, &t));
    *dir = t->dir;
    return IA_OK;
}

static ia_status encode_clone(ia_ctx *cx, ia_wtype *t, const ia_manifest *parent, ia_txn *txn,
                              ia_manifest *m)
{
    IA_TRY(ia_txn_encode(cx, txn, parent, m, &t->clone_txn));
    IA_TRY(IA_SET(cx, t->clone_txn_name, ia_strdup(cx, m->transaction_file)));
    return ia_manifest_encode(cx, m, t->clone_txn.data, t->clone_txn.len, &t->clone);
}

/* First manifest of the fork: the head's table, every file borrowed, a row-id space of its own. */
static ia_status make_clone(ia_ctx *cx, ia_write *w, size_t type, ia_wtype *t)
{
    const ia_type_def *def = w->head->cat->types[type];
    const ia_entry *e = ia_snapshot_entry(w->head, type);
    ia_entry_info info;
    ia_dataset *parent = NULL, *ds = NULL;
    ia_manifest *m = NULL;
    ia_txn txn = {0};
    ia_status st;

    IA_GO(ia_entry_load(cx, w->g, def, e, &parent, &info));
    if (t->slot == 0)
        IA_GO(claim_slot(cx, w->g, e->dir, t->fork, &t->slot));
    IA_GO(ia_manifest_fork(cx, parent, t->fork, t->slot << 40, ia_now_us(), &txn, &m));
    IA_GO(encode_clone(cx, t, parent->m, &txn, m));
    IA_GO(ia_dataset_bind(cx, w->g->os, parent->root, t->fork, m, &ds));
    ia_dataset_share_files(ds, w->g->cache->files);
    IA_GO(ia_dataset_prepare(cx, def, ds));
    t->parent_size = info.size;
    t->ds = ds;
    ds = NULL;
done:
    if (st != IA_OK)
        ia_wtype_forget_dataset(t);
    ia_dataset_release(parent);
    ia_dataset_release(ds);
    ia_manifest_release(m);
    ia_txn_dispose(&txn);
    return st;
}

ia_status ia_write_dataset(ia_ctx *cx, ia_write *w, size_t type, ia_dataset **out)
{
    ia_wtype *t;

    *out = NULL;
    IA_TRY(ia_wtype_decide(cx, w, type, &t));
    if (!t->ds && t->fork)
        IA_TRY(make_clone(cx, w, type, t));
    if (!t->ds) {
        ia_dataset *ds;
        IA_TRY(ia_snapshot_table(cx, w->head, type, &ds));
        t->ds = ia_dataset_retain(ds);
    }
    *out = t->ds;
    return IA_OK;
}

/* ---- drift ----------------------------------------------------------------------------------- */
/* The head's manifest has its own name and is ours; a crashed writer's is revealed first. */
static ia_status check_head_revealed(ia_ctx *cx, ia_write *w, const ia_type_def *def,
                                     const ia_entry *e)
{
    ia_dataset *ds = NULL;
    ia_entry_info info;
    ia_status st;

    IA_GO(ia_entry_load(cx, w->g, def, e, &ds, &info));
    if (!info.staged)
        goto done;
    IA_GO(ia_reveal_entry(cx, w->g, e));
    ia_entry_forget(w->g, e);
    ia_dataset_release(ds);
    ds = NULL;
    IA_GO(ia_entry_load(cx, w->g, def, e, &ds, &info));
    if (info.staged)
        IA_GO(ia_fail(cx, IA_ERR_DRIFT,
                      "version %llu of %s%s%s was taken by another program's commit; run \"inarch "
                      "repair\" before writing type %s",
                      (unsigned long long)e->last_version, e->dir, e->lance_branch ? "/tree/" : "",
                      e->lance_branch ? e->lance_branch : "", def->name));
done:
    ia_dataset_release(ds);
    return st;
}

ia_status ia_wtype_check_drift(ia_ctx *cx, ia_write *w, size_t type)
{
    const ia_type_def *def = w->head->cat->types[type];
    const ia_entry *e = ia_snapshot_entry(w->head, type);
    ia_commit *now = NULL;
    char *next = NULL;
    bool taken;
    ia_status st;

    if (!e || strcmp(e->owner, w->branch->incarnation) != 0)
        return IA_OK; /* a fork of ours has a name that nobody else knows */
    IA_GO(check_head_revealed(cx, w, def, e));
    IA_GO(ia_revealed_path(cx, w->g, e->dir, e->lance_branch, e->last_version + 1, &next));
    IA_GO(ia_path_there(cx, w->g->os, next, &taken));
    if (!taken)
        goto done;
    IA_GO(ia_branch_head(cx, w->g, w->branch, &now)); /* a newer commit of ours may have made it */
    if (strcmp(now->ref.id, w->head->commit->ref.id) == 0)
        IA_GO(ia_fail(cx, IA_ERR_DRIFT,
                      "%s%s%s has version %llu, which no commit of the graph made: another program "
                      "wrote to it; run \"inarch repair\" before writing type %s",
                      e->dir, e->lance_branch ? "/tree/" : "",
                      e->lance_branch ? e->lance_branch : "",
                      (unsigned long long)e->last_version + 1, def->name));
done:
    ia_commit_free(now);
    ia_free(next);
    return st;
}
