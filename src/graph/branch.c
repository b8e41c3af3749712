/* branch.c - branch names, their lives, heads, creation and the terminal entry that ends one. */
#include "graph/graph_priv.h"

#include <stdio.h>

#define BRANCH_FORMAT 1u

void ia_branch_free(ia_branch *b)
{
    if (!b)
        return;
    ia_free(b->name);
    ia_free(b);
}

void ia_branch_all_dispose(ia_branch_all *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->n; i++)
        ia_branch_free(l->items[i]);
    ia_free(l->items);
    *l = (ia_branch_all){0};
}

/* ---- names ----------------------------------------------------------------------------------- */
static const char *name_fault(const char *name)
{
    const size_t n = strlen(name);

    if (n == 0)
        return "is empty";
    if (name[0] == '/' || name[n - 1] == '/' || strstr(name, "//"))
        return "has an empty segment";
    if (strstr(name, ".."))
        return "holds \"..\"";
    if (n >= 5 && strcmp(name + n - 5, ".lock") == 0)
        return "ends in \".lock\"";
    if (!ia_lance_branch_ok(name))
        return "holds a character other than letters, digits, '.', '-', '_' and '/', or is too "
               "long";
    return NULL;
}

static size_t encoded_len(const char *name)
{
    size_t n = 0;
    for (; *name; name++)
        n += *name == '/' ? 3 : 1;
    return n;
}

ia_status ia_branch_name_check(ia_ctx *cx, const char *name)
{
    const char *fault = name ? name_fault(name) : "is missing";

    if (!fault && encoded_len(name) > IA_BRANCH_NAME_MAX)
        fault = "is too long (160 bytes, a slash counts three)";
    if (fault)
        return ia_fail(cx, IA_ERR_INVALID, "branch name '%.180s' %s", name ? name : "", fault);
    return IA_OK;
}

/* "/" is spelled "%2F" below refs/; no other character of a legal name needs it. */
static ia_status encode_name(ia_ctx *cx, const char *name, char **out)
{
    ia_buf b = {0};

    for (; *name; name++) {
        if (*name == '/')
            ia_buf_puts(cx, &b, "%2F");
        else
            ia_buf_putc(cx, &b, *name);
    }
    return ia_buf_finish_str(cx, &b, out);
}

static ia_status decode_name(ia_ctx *cx, const char *text, char **out)
{
    ia_buf b = {0};

    for (; *text && *text != '/'; text++) {
        if (strncmp(text, "%2F", 3) == 0) {
            ia_buf_putc(cx, &b, '/');
            text += 2;
        } else {
            ia_buf_putc(cx, &b, *text);
        }
    }
    return ia_buf_finish_str(cx, &b, out);
}

static bool below(const char *name, const char *parent)
{
    const size_t n = strlen(parent);
    return strncmp(name, parent, n) == 0 && name[n] == '/';
}

/* ---- records --------------------------------------------------------------------------------- */
static ia_status encode_branch(ia_ctx *cx, const ia_branch *b, ia_bytes *out)
{
    ia_jsonw w;
    ia_status st;

    ia_jsonw_init(&w, cx, 0);
    ia_jsonw_object(&w);
    ia_jsonw_key(&w, "format");
    ia_jsonw_u64(&w, BRANCH_FORMAT);
    ia_jsonw_key(&w, "name");
    ia_jsonw_str(&w, b->name);
    ia_jsonw_key(&w, "life");
    ia_jsonw_u64(&w, b->life);
    ia_jsonw_key(&w, "incarnation");
    ia_jsonw_str(&w, b->incarnation);
    ia_jsonw_key(&w, "fork");
    ia_jsonw_object(&w);
    ia_jsonw_key(&w, "id");
    ia_jsonw_str(&w, b->fork.id);
    ia_jsonw_key(&w, "incarnation");
    ia_jsonw_str(&w, b->fork.incarnation);
    ia_jsonw_key(&w, "n");
    ia_jsonw_u64(&w, b->fork.n);
    ia_jsonw_end_object(&w);
    ia_jsonw_key(&w, "created_us");
    ia_jsonw_i64(&w, b->created_us);
    ia_jsonw_end_object(&w);
    st = ia_jsonw_finish(&w, out);
    ia_jsonw_dispose(&w);
    return st;
}

static ia_status get_branch(ia_rec *r, ia_branch *b)
{
    const ia_json *fork;
    uint64_t format;
    ia_rec f;

    IA_TRY(ia_rec_u64(r, "format", &format));
    if (format != BRANCH_FORMAT)
        return ia_fail(r->cx, IA_ERR_UNSUPPORTED, "%s: branch format %llu, this version reads %u",
                       r->path, (unsigned long long)format, BRANCH_FORMAT);
    IA_TRY(ia_rec_dup(r, "name", false, &b->name));
    IA_TRY(ia_rec_u64(r, "life", &b->life));
    IA_TRY(ia_rec_ulid(r, "incarnation", false, b->incarnation));
    IA_TRY(ia_rec_any(r, "fork", &fork));
    IA_TRY(ia_rec_begin(r->cx, fork, r->path, &f));
    IA_TRY(ia_rec_ulid(&f, "id", true, b->fork.id));
    IA_TRY(ia_rec_ulid(&f, "incarnation", true, b->fork.incarnation));
    IA_TRY(ia_rec_u64(&f, "n", &b->fork.n));
    IA_TRY(ia_rec_end(&f));
    IA_TRY(ia_rec_i64(r, "created_us", &b->created_us));
    return ia_rec_end(r);
}

static ia_status life_path(ia_ctx *cx, const ia_graph *g, const char *name, uint64_t life,
                           char **out)
{
    char file[32];
    char *enc = NULL;
    ia_status st;

    *out = NULL;
    ia_rev_name(life, file);
    IA_GO(encode_name(cx, name, &enc));
    IA_GO(ia_graph_path(cx, g, out, "refs", enc, file, NULL));
done:
    ia_free(enc);
    return st;
}

static ia_status read_life(ia_ctx *cx, ia_graph *g, const char *name, uint64_t life,
                           ia_branch **out)
{
    ia_json *root = NULL;
    ia_branch *b = NULL;
    char *path = NULL;
    ia_rec r;
    ia_status st;

    *out = NULL;
    IA_GO(life_path(cx, g, name, life, &path));
    IA_GO(ia_rec_load(cx, g->os, path, &root));
    IA_GO(IA_NEW(cx, b));
    IA_GO(ia_rec_begin(cx, root, path, &r));
    IA_GO(get_branch(&r, b));
    if (strcmp(b->name, name) != 0 || b->life != life)
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "%s belongs to branch '%s', life %llu", path, b->name,
                      (unsigned long long)b->life));
    *out = b;
    b = NULL;
done:
    ia_branch_free(b);
    ia_json_free(root);
    ia_free(path);
    return st;
}

/* main is named by format.json: files a crashed init left below refs/main do not matter. */
static ia_status main_branch(ia_ctx *cx, const ia_graph *g, ia_branch **out)
{
    ia_branch *b = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW(cx, b));
    IA_GO(IA_SET(cx, b->name, ia_strdup(cx, "main")));
    memcpy(b->incarnation, g->main_incarnation, sizeof b->incarnation);
    b->created_us = g->created_us;
    *out = b;
    b = NULL;
done:
    ia_branch_free(b);
    return st;
}

/* Newest life of a name, live or ended; *out NULL when there never was one. */
static ia_status newest_life(ia_ctx *cx, ia_graph *g, const char *name, ia_branch **out)
{
    char *enc = NULL, *dir = NULL;
    uint64_t life;
    bool found;
    ia_status st;

    *out = NULL;
    if (strcmp(name, "main") == 0)
        return main_branch(cx, g, out);
    IA_GO(encode_name(cx, name, &enc));
    IA_GO(ia_graph_path(cx, g, &dir, "refs", enc, NULL));
    IA_GO(ia_rev_newest(cx, g->os, dir, &found, &life));
    if (found)
        IA_GO(read_life(cx, g, name, life, out));
done:
    ia_free(enc);
    ia_free(dir);
    return st;
}

static ia_status is_live(ia_ctx *cx, ia_graph *g, const ia_branch *b, bool *live)
{
    ia_commit *c = NULL;

    *live = false;
    IA_TRY(ia_log_head(cx, g, b->incarnation, &c));
    *live = !c || c->kind != IA_COMMIT_DELETE;
    ia_commit_free(c);
    return IA_OK;
}

/* ---- opening --------------------------------------------------------------------------------- */
static ia_status not_found(ia_ctx *cx, ia_graph *g, const char *name)
{
    ia_strlist l = {0};
    ia_buf b = {0};
    char *names = NULL;
    ia_status st;

    IA_GO(ia_branch_list(cx, g, &l));
    for (size_t i = 0; i < l.n && i < 12; i++)
        ia_buf_printf(cx, &b, "%s%s", i ? ", " : "", l.items[i]);
    if (l.n > 12)
        ia_buf_printf(cx, &b, " and %zu more", l.n - 12);
    IA_GO(ia_buf_finish_str(cx, &b, &names));
    st = ia_fail(cx, IA_ERR_NOT_FOUND, "no branch '%.100s'; there is: %.300s", name, names);
done:
    ia_buf_dispose(&b);
    ia_free(names);
    ia_strlist_dispose(&l);
    return st;
}

ia_status ia_branch_open(ia_ctx *cx, ia_graph *g, const char *name, ia_branch **out)
{
    ia_branch *b = NULL;
    bool live = false;
    ia_status st;

    *out = NULL;
    IA_GO(ia_branch_name_check(cx, name));
    IA_GO(newest_life(cx, g, name, &b));
    if (b)
        IA_GO(is_live(cx, g, b, &live));
    if (!live)
        IA_GO(not_found(cx, g, name));
    *out = b;
    b = NULL;
done:
    ia_branch_free(b);
    return st;
}

ia_status ia_branch_head(ia_ctx *cx, ia_graph *g, const ia_branch *b, ia_commit **out)
{
    ia_commit *c = NULL;

    *out = NULL;
    IA_TRY(ia_log_head(cx, g, b->incarnation, &c));
    if (!c && b->fork.id[0])
        return ia_commit_read(cx, g, &b->fork, out);
    if (!c)
        return ia_fail(cx, IA_ERR_CORRUPT, "branch '%s' of the graph at %s has no commit", b->name,
                       g->root);
    if (c->kind == IA_COMMIT_DELETE) {
        ia_commit_free(c);
        return ia_fail(cx, IA_ERR_NOT_FOUND, "branch '%s' was deleted meanwhile", b->name);
    }
    *out = c;
    return IA_OK;
}

uint64_t ia_branch_next_n(const ia_branch *b, const ia_commit *head)
{
    return strcmp(head->ref.incarnation, b->incarnation) == 0 ? head->ref.n + 1 : 0;
}

/* ---- ending ---------------------------------------------------------------------------------- */
/* One attempt; EXISTS when a writer took the number. */
static ia_status put_terminal(ia_ctx *cx, ia_graph *g, const ia_branch *b, const char *actor)
{
    ia_commit *head = NULL, *c = NULL;
    ia_status st;

    IA_GO(ia_branch_head(cx, g, b, &head));
    IA_GO(IA_NEW(cx, c));
    IA_GO(ia_ulid_new(cx, c->ref.id));
    memcpy(c->ref.incarnation, b->incarnation, sizeof c->ref.incarnation);
    c->ref.n = ia_branch_next_n(b, head);
    c->kind = IA_COMMIT_DELETE;
    c->parents[0] = head->ref;
    c->n_parents = 1;
    c->time_us = ia_now_us();
    c->evaluator = IA_EVALUATOR_VERSION;
    memcpy(c->schema_hash, head->schema_hash, sizeof c->schema_hash);
    IA_GO(IA_SET(cx, c->branch, ia_strdup(cx, b->name)));
    IA_GO(IA_SET(cx, c->actor, ia_strdup(cx, actor ? actor : "")));
    IA_GO(ia_commit_put(cx, g, c)); /* commit point */
done:
    ia_commit_free(head);
    ia_commit_free(c);
    return st;
}

static ia_status end_life(ia_ctx *cx, ia_graph *g, const ia_branch *b, const char *actor)
{
    for (int i = 0; i < 64; i++) {
        const ia_status st = put_terminal(cx, g, b, actor);
        if (st != IA_ERR_EXISTS)
            return st;
        ia_ctx_clear(cx);
    }
    return ia_fail(cx, IA_ERR_CONFLICT,
                   "branch '%s' is being written all the time; nothing was deleted, try again",
                   b->name);
}

ia_status ia_branch_delete(ia_ctx *cx, ia_graph *g, const char *name, const char *actor)
{
    ia_branch *b = NULL;
    ia_status st;

    IA_GO(ia_branch_name_check(cx, name));
    if (strcmp(name, "main") == 0)
        IA_GO(ia_fail(cx, IA_ERR_INVALID, "branch 'main' cannot be deleted"));
    IA_GO(ia_branch_open(cx, g, name, &b));
    IA_GO(end_life(cx, g, b, actor));
done:
    ia_branch_free(b);
    return st;
}

/* ---- creating -------------------------------------------------------------------------------- */
static ia_status check_overlap(ia_ctx *cx, ia_graph *g, const char *name)
{
    ia_strlist l = {0};
    ia_status st;

    IA_GO(ia_branch_list(cx, g, &l));
    for (size_t i = 0; i < l.n; i++)
        if (below(name, l.items[i]) || below(l.items[i], name))
            IA_GO(ia_fail(cx, IA_ERR_INVALID,
                          "branch '%s' overlaps branch '%s': one name may not continue another "
                          "after a slash",
                          name, l.items[i]));
done:
    ia_strlist_dispose(&l);
    return st;
}

static ia_status make_life(ia_ctx *cx, const char *name, uint64_t life, const ia_commit *at,
                           ia_branch **out)
{
    ia_branch *b = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW(cx, b));
    IA_GO(IA_SET(cx, b->name, ia_strdup(cx, name)));
    IA_GO(ia_ulid_new(cx, b->incarnation));
    b->life = life;
    b->fork = at->ref;
    b->created_us = ia_now_us();
    *out = b;
    b = NULL;
done:
    ia_branch_free(b);
    return st;
}

/* The one effect of creating a branch. A failure that may have happened after the effect is settled
 * by reading. */
static ia_status put_life(ia_ctx *cx, ia_graph *g, const ia_branch *b)
{
    ia_branch *there = NULL;
    ia_bytes text = {0};
    char *path = NULL;
    ia_status st;

    IA_GO(life_path(cx, g, b->name, b->life, &path));
    IA_GO(encode_branch(cx, b, &text));
    st = ia_rec_put(cx, g, path, text.data, text.len); /* commit point */
    if (st == IA_ERR_EXISTS || st == IA_ERR_IO) {
        const ia_error first = cx->err;
        if (read_life(cx, g, b->name, b->life, &there) == IA_OK &&
            strcmp(there->incarnation, b->incarnation) == 0) {
            ia_ctx_clear(cx);
            st = IA_OK;
        } else {
            cx->err = first;
        }
    }
    if (st == IA_ERR_EXISTS)
        IA_GO(ia_fail(cx, IA_ERR_EXISTS, "branch '%s' was created by another writer just now",
                      b->name));
done:
    ia_branch_free(there);
    ia_bytes_dispose(&text);
    ia_free(path);
    return st;
}

ia_status ia_branch_create(ia_ctx *cx, ia_graph *g, const char *name, const ia_commit *at,
                           ia_branch **out)
{
    ia_branch *last = NULL, *b = NULL;
    bool live = false;
    ia_status st;

    *out = NULL;
    IA_GO(ia_branch_name_check(cx, name));
    if (strcmp(name, "main") == 0)
        IA_GO(ia_fail(cx, IA_ERR_INVALID,
                      "branch 'main' exists in every graph and cannot be created"));
    IA_GO(newest_life(cx, g, name, &last));
    if (last)
        IA_GO(is_live(cx, g, last, &live));
    if (live)
        IA_GO(ia_fail(cx, IA_ERR_EXISTS, "branch '%s' exists", name));
    IA_GO(check_overlap(cx, g, name));
    IA_GO(make_life(cx, name, last ? last->life + 1 : 0, at, &b));
    IA_GO(put_life(cx, g, b));
    st = check_overlap(cx, g, name);
    if (st == IA_ERR_INVALID) { /* both sides of a race see each other: both step back */
        const ia_error first = cx->err;
        if (end_life(cx, g, b, NULL) != IA_OK)
            ia_ctx_clear(cx);
        cx->err = first;
    }
    IA_GO(st);
    *out = b;
    b = NULL;
done:
    ia_branch_free(last);
    ia_branch_free(b);
    return st;
}

/* ---- listing --------------------------------------------------------------------------------- */
static ia_status all_names(ia_ctx *cx, ia_graph *g, ia_strlist *out)
{
    ia_objlist l = {0};
    char *dir = NULL, *name = NULL;
    ia_status st;

    IA_GO(ia_strlist_add(cx, out, "main"));
    IA_GO(ia_graph_path(cx, g, &dir, "refs", NULL));
    IA_GO(ia_objstore_list(cx, g->os, dir, NULL, 0, &l));
    for (size_t i = 0; i < l.n; i++) {
        ia_free(name);
        IA_GO(decode_name(cx, l.names[i], &name));
        if (strcmp(name, "main") != 0 && !name_fault(name))
            IA_GO(ia_strlist_add(cx, out, name));
    }
done:
    ia_free(name);
    ia_free(dir);
    ia_objlist_dispose(&l);
    return st;
}

ia_status ia_branch_list(ia_ctx *cx, ia_graph *g, ia_strlist *out)
{
    ia_strlist names = {0};
    ia_branch *b = NULL;
    ia_status st;

    *out = (ia_strlist){0};
    IA_GO(all_names(cx, g, &names));
    for (size_t i = 0; i < names.n; i++) {
        bool live = false;
        ia_branch_free(b);
        IA_GO(newest_life(cx, g, names.items[i], &b));
        if (b)
            IA_GO(is_live(cx, g, b, &live));
        if (live)
            IA_GO(ia_strlist_add(cx, out, names.items[i]));
    }
    ia_strlist_sort(out);
done:
    ia_branch_free(b);
    ia_strlist_dispose(&names);
    if (st != IA_OK)
        ia_strlist_dispose(out);
    return st;
}

static ia_status add_life(ia_ctx *cx, ia_branch_all *l, ia_branch *b)
{
    const ia_status st = IA_GROW(cx, l->items, l->cap, l->n + 1);

    if (st != IA_OK) {
        ia_branch_free(b);
        return st;
    }
    l->items[l->n++] = b;
    return IA_OK;
}

ia_status ia_branch_lives(ia_ctx *cx, ia_graph *g, ia_branch_all *out)
{
    ia_strlist names = {0};
    ia_branch *b = NULL;
    ia_status st;

    *out = (ia_branch_all){0};
    IA_GO(all_names(cx, g, &names));
    for (size_t i = 0; i < names.n; i++) {
        IA_GO(newest_life(cx, g, names.items[i], &b));
        while (b) { /* lives are numbered without gaps */
            const uint64_t life = b->life;
            IA_GO(add_life(cx, out, b));
            b = NULL;
            if (life > 0)
                IA_GO(read_life(cx, g, names.items[i], life - 1, &b));
        }
    }
done:
    ia_strlist_dispose(&names);
    if (st != IA_OK)
        ia_branch_all_dispose(out);
    return st;
}

ia_status ia_resolve(ia_ctx *cx, ia_graph *g, const char *branch_or_commit, ia_commit **out)
{
    ia_branch *b = NULL;
    ia_status st;

    *out = NULL;
    st = branch_or_commit ? ia_branch_open(cx, g, branch_or_commit, &b)
                          : ia_branch_name_check(cx, NULL);
    if (st == IA_OK) {
        st = ia_branch_head(cx, g, b, out);
    } else if (branch_or_commit && (st == IA_ERR_NOT_FOUND || st == IA_ERR_INVALID)) {
        const ia_error first = cx->err;
        ia_ctx_clear(cx);
        st = ia_commit_find(cx, g, branch_or_commit, out);
        if (st == IA_ERR_NOT_FOUND)
            cx->err = first;
        if (st == IA_ERR_NOT_FOUND)
            st = first.code == IA_ERR_INVALID ? first.code
                                              : ia_fail_prefix(cx, st, "no commit of that id, and");
    }
    ia_branch_free(b);
    return st;
}
