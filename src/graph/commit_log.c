/* commit_log.c - the log of one branch life: read, publish, newest entry, lookup by id. */
#include "graph/graph_priv.h"

#include <stdio.h>

static ia_status log_path(ia_ctx *cx, const ia_graph *g, const char *incarnation, uint64_t n,
                          char **out)
{
    char name[32];

    ia_rev_name(n, name);
    return ia_graph_path(cx, g, out, "log", incarnation, name, NULL);
}

/* ---- cache ----------------------------------------------------------------------------------- */
static const ia_commit *cached(const ia_graph *g, const char *incarnation, uint64_t n)
{
    for (size_t i = 0; i < IA_COMMIT_SLOTS; i++) {
        const ia_commit *c = g->cache->commits[i];
        if (c && c->ref.n == n && strcmp(c->ref.incarnation, incarnation) == 0)
            return c;
    }
    return NULL;
}

/* A copy that does not fit is no failure: the cache only saves reads. */
static void remember(ia_ctx *cx, ia_graph *g, const ia_commit *c)
{
    ia_ctx sub;
    ia_commit *copy;

    ia_cache_ctx(g, cx, &sub);
    if (ia_commit_copy(&sub, c, &copy) != IA_OK)
        return;
    ia_commit_free(g->cache->commits[g->cache->next_commit]);
    g->cache->commits[g->cache->next_commit] = copy;
    g->cache->next_commit = (g->cache->next_commit + 1) % IA_COMMIT_SLOTS;
}

static ia_head_slot *head_slot(ia_graph *g, const char *incarnation, bool make)
{
    for (size_t i = 0; i < IA_HEAD_SLOTS; i++)
        if (strcmp(g->cache->heads[i].incarnation, incarnation) == 0)
            return &g->cache->heads[i];
    if (!make)
        return NULL;
    ia_head_slot *s = &g->cache->heads[g->cache->next_head];
    g->cache->next_head = (g->cache->next_head + 1) % IA_HEAD_SLOTS;
    memcpy(s->incarnation, incarnation, sizeof s->incarnation);
    s->n = 0;
    return s;
}

/* ---- one commit ------------------------------------------------------------------------------ */
static ia_status read_at(ia_ctx *cx, ia_graph *g, const char *incarnation, uint64_t n,
                         ia_commit **out)
{
    const ia_commit *hit = cached(g, incarnation, n);
    ia_bytes raw = {0};
    ia_commit *c = NULL;
    char *path = NULL;
    ia_status st;

    *out = NULL;
    if (hit)
        return ia_commit_copy(cx, hit, out);
    IA_GO(log_path(cx, g, incarnation, n, &path));
    IA_GO(ia_objstore_get(cx, g->os, path, &raw));
    IA_GO(ia_commit_decode(cx, (const char *)raw.data, raw.len, path, &c));
    if (c->ref.n != n || strcmp(c->ref.incarnation, incarnation) != 0)
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "%s says it is commit %llu of %s", path,
                      (unsigned long long)c->ref.n, c->ref.incarnation));
    remember(cx, g, c);
    *out = c;
    c = NULL;
done:
    ia_commit_free(c);
    ia_bytes_dispose(&raw);
    ia_free(path);
    return st;
}

ia_status ia_commit_read(ia_ctx *cx, ia_graph *g, const ia_commit_ref *ref, ia_commit **out)
{
    ia_commit *c;

    *out = NULL;
    IA_TRY(read_at(cx, g, ref->incarnation, ref->n, &c));
    if (ref->id[0] && strcmp(c->ref.id, ref->id) != 0) {
        ia_commit_free(c);
        return ia_fail(cx, IA_ERR_CORRUPT, "commit %llu of branch life %s is not %s",
                       (unsigned long long)ref->n, ref->incarnation, ref->id);
    }
    *out = c;
    return IA_OK;
}

ia_status ia_commit_put(ia_ctx *cx, ia_graph *g, const ia_commit *c)
{
    ia_bytes text = {0};
    char *path = NULL;
    ia_status st;

    IA_GO(log_path(cx, g, c->ref.incarnation, c->ref.n, &path));
    IA_GO(ia_commit_encode(cx, c, &text));
    IA_GO(ia_rec_put(cx, g, path, text.data, text.len)); /* commit point */
    remember(cx, g, c);
    head_slot(g, c->ref.incarnation, true)->n = c->ref.n;
done:
    ia_bytes_dispose(&text);
    ia_free(path);
    return st;
}

/* Log names are never freed and have no gaps, so a head seen before is probed forward; listing is
 * for handles that know nothing, and for those far behind. */
ia_status ia_log_head(ia_ctx *cx, ia_graph *g, const char *incarnation, ia_commit **out)
{
    ia_head_slot *slot = head_slot(g, incarnation, false);
    ia_commit *c = NULL, *next = NULL;
    char *dir = NULL;
    uint64_t n;
    bool found;
    ia_status st;

    *out = NULL;
    for (uint64_t k = 0; slot && k < 8; k++) {
        st = read_at(cx, g, incarnation, slot->n + k, &next);
        if (st == IA_ERR_NOT_FOUND && c) {
            ia_ctx_clear(cx);
            slot->n = c->ref.n;
            *out = c;
            return IA_OK;
        }
        if (st == IA_ERR_NOT_FOUND)
            break;
        ia_commit_free(c);
        c = next;
        IA_GO(st);
    }
    ia_ctx_clear(cx);
    IA_GO(ia_graph_path(cx, g, &dir, "log", incarnation, NULL));
    IA_GO(ia_rev_newest(cx, g->os, dir, &found, &n));
    if (found) {
        IA_GO(read_at(cx, g, incarnation, n, out));
        head_slot(g, incarnation, true)->n = n;
    }
done:
    ia_commit_free(c);
    ia_free(dir);
    return st;
}

/* ---- lookup ---------------------------------------------------------------------------------- */
typedef struct finder {
    char want[IA_ULID_LEN + 1]; /* upper case */
    size_t len;
    ia_commit *found;
} finder;

static ia_status match(ia_ctx *cx, finder *f, ia_commit *c)
{
    if (c->kind == IA_COMMIT_DELETE || strncmp(c->ref.id, f->want, f->len) != 0) {
        ia_commit_free(c);
        return IA_OK;
    }
    if (f->found) {
        const ia_status st =
            ia_fail(cx, IA_ERR_INVALID, "commit prefix %s is ambiguous: %s and %s begin so",
                    f->want, f->found->ref.id, c->ref.id);
        ia_commit_free(c);
        return st;
    }
    f->found = c;
    return IA_OK;
}

static ia_status find_in_log(ia_ctx *cx, ia_graph *g, const char *incarnation, finder *f)
{
    ia_objlist l = {0};
    char *dir = NULL;
    ia_status st;

    IA_GO(ia_graph_path(cx, g, &dir, "log", incarnation, NULL));
    IA_GO(ia_objstore_list(cx, g->os, dir, NULL, 0, &l));
    for (size_t i = 0; i < l.n && !(f->found && f->len == IA_ULID_LEN); i++) {
        ia_commit *c;
        uint64_t n;
        IA_GO(ia_check(cx, i, l.n));
        if (!ia_rev_parse(l.names[i], &n))
            continue;
        IA_GO(read_at(cx, g, incarnation, n, &c));
        IA_GO(match(cx, f, c));
    }
done:
    ia_objlist_dispose(&l);
    ia_free(dir);
    return st;
}

static bool prefix_ok(const char *id, finder *f)
{
    f->len = strlen(id);
    if (f->len < 6 || f->len > IA_ULID_LEN)
        return false;
    for (size_t i = 0; i < f->len; i++) {
        const char c = id[i] >= 'a' && id[i] <= 'z' ? (char)(id[i] - 'a' + 'A') : id[i];
        if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z')))
            return false;
        f->want[i] = c;
    }
    f->want[f->len] = 0;
    return true;
}

ia_status ia_commit_find(ia_ctx *cx, ia_graph *g, const char *id, ia_commit **out)
{
    ia_branch_all lives = {0};
    finder f = {.found = NULL};
    ia_status st;

    *out = NULL;
    if (!prefix_ok(id, &f))
        return ia_fail(cx, IA_ERR_NOT_FOUND,
                       "'%.60s' is no commit id (26 letters and digits) nor a prefix of at "
                       "least 6",
                       id);
    IA_GO(ia_branch_lives(cx, g, &lives));
    for (size_t i = 0; i < lives.n && !(f.found && f.len == IA_ULID_LEN); i++)
        IA_GO(find_in_log(cx, g, lives.items[i]->incarnation, &f));
    if (!f.found)
        IA_GO(ia_fail(cx, IA_ERR_NOT_FOUND, "no commit %s%s in the graph at %s", f.want,
                      f.len < IA_ULID_LEN ? "..." : "", g->root));
    *out = f.found;
    f.found = NULL;
done:
    ia_commit_free(f.found);
    ia_branch_all_dispose(&lives);
    return st;
}
