/* branch_api.c - public calls on branches, commits, differences and merges. */
#include "api/api_priv.h"

#include "arrow/render.h"

inarch_status inarch_branch_create(inarch_graph *g, const char *name, const char *from,
                                   char commit_id[27])
{
    api_call c;
    ia_commit *at = NULL;
    ia_branch *b = NULL;
    ia_status st;

    if (!g || !name)
        return api_invalid("inarch_branch_create: graph and name are required");
    if ((st = api_begin_graph(&c, g)) != IA_OK)
        goto done;
    IA_GO(ia_resolve(&c.cx, g->g, from ? from : "main", &at));
    IA_GO(ia_branch_create(&c.cx, g->g, name, at, &b));
    if (commit_id)
        memcpy(commit_id, at->ref.id, sizeof at->ref.id);
done:
    ia_branch_free(b);
    ia_commit_free(at);
    return api_end(&c, st);
}

inarch_status inarch_branch_delete(inarch_graph *g, const char *name, const char *actor)
{
    api_call c;
    char user[128];
    ia_status st;

    if (!g || !name)
        return api_invalid("inarch_branch_delete: graph and name are required");
    if ((st = api_begin_graph(&c, g)) != IA_OK)
        goto done;
    IA_GO(api_user_name(&c.cx, user));
    IA_GO(ia_branch_delete(&c.cx, g->g, name, actor ? actor : user));
done:
    return api_end(&c, st);
}

static ia_status fill_branch(ia_ctx *cx, ia_graph *g, api_own *own, const char *name,
                             inarch_branch_info *out)
{
    ia_branch *b = NULL;
    ia_commit *head = NULL;
    ia_status st;

    IA_GO(ia_branch_open(cx, g, name, &b));
    IA_GO(ia_branch_head(cx, g, b, &head));
    IA_GO(api_text(cx, own, name, &out->name));
    IA_GO(api_text(cx, own, head->ref.id, &out->head));
    IA_GO(api_text(cx, own, b->fork.id, &out->fork));
    out->created_us = b->created_us;
done:
    ia_commit_free(head);
    ia_branch_free(b);
    return st;
}

inarch_status inarch_branch_list_read(inarch_graph *g, inarch_branch_list *out)
{
    api_call c;
    ia_strlist names = {0};
    api_own *own = NULL;
    inarch_branch_info *items = NULL;
    size_t n = 0;
    ia_status st;

    if (!g || !out)
        return api_invalid("inarch_branch_list_read: graph and out are required");
    *out = (inarch_branch_list){0};
    if ((st = api_begin_graph(&c, g)) != IA_OK)
        goto done;
    IA_GO(ia_branch_list(&c.cx, g->g, &names));
    IA_GO(api_own_new(&c.cx, &own));
    IA_GO(IA_ARENA_ARRAY(&c.cx, &own->arena, items, names.n + 1));
    for (size_t i = 0; i < names.n; i++) {
        st = fill_branch(&c.cx, g->g, own, names.items[i], &items[n]);
        if (st == IA_ERR_NOT_FOUND) { /* ended between the listing and the read */
            ia_ctx_clear(&c.cx);
            st = IA_OK;
            continue;
        }
        IA_GO(st);
        n++;
    }
    *out = (inarch_branch_list){n, items, own};
    own = NULL;
done:
    api_own_free(own);
    ia_strlist_dispose(&names);
    return api_end(&c, st);
}

void inarch_branch_list_dispose(inarch_branch_list *l)
{
    if (!l)
        return;
    api_own_free(l->owner);
    *l = (inarch_branch_list){0};
}

/* ---- commits ------------------------------------------------------------------------------- */

static ia_status fill_commit(ia_ctx *cx, api_own *own, const ia_commit *c, inarch_commit_info *out)
{
    static const char *const kinds[] = {"write", "genesis", "merge", "delete"};

    out->kind = kinds[c->kind];
    out->sequence = c->ref.n;
    out->time_us = c->time_us;
    IA_TRY(api_text(cx, own, c->ref.id, &out->id));
    IA_TRY(api_text(cx, own, c->branch, &out->branch));
    IA_TRY(api_text(cx, own, c->n_parents > 0 ? c->parents[0].id : "", &out->parent));
    IA_TRY(api_text(cx, own, c->n_parents > 1 ? c->parents[1].id : "", &out->merged));
    IA_TRY(api_text(cx, own, c->actor, &out->actor));
    return api_text(cx, own, c->message, &out->message);
}

static ia_status fill_commits(ia_ctx *cx, ia_commit *const *items, size_t n,
                              inarch_commit_list *out)
{
    api_own *own = NULL;
    inarch_commit_info *info = NULL;
    ia_status st;

    IA_GO(api_own_new(cx, &own));
    IA_GO(IA_ARENA_ARRAY(cx, &own->arena, info, n + 1));
    for (size_t i = 0; i < n; i++)
        IA_GO(fill_commit(cx, own, items[i], &info[i]));
    *out = (inarch_commit_list){n, info, own};
    own = NULL;
done:
    api_own_free(own);
    return st;
}

inarch_status inarch_commit_list_read(inarch_graph *g, const char *at, size_t limit,
                                      inarch_commit_list *out)
{
    api_call c;
    ia_commit *head = NULL;
    ia_commit_list list = {0};
    ia_status st;

    if (!g || !out)
        return api_invalid("inarch_commit_list_read: graph and out are required");
    *out = (inarch_commit_list){0};
    if ((st = api_begin_graph(&c, g)) != IA_OK)
        goto done;
    IA_GO(ia_resolve(&c.cx, g->g, at ? at : "main", &head));
    IA_GO(ia_history(&c.cx, g->g, head, false, limit, &list));
    IA_GO(fill_commits(&c.cx, list.items, list.n, out));
done:
    ia_commit_list_dispose(&list);
    ia_commit_free(head);
    return api_end(&c, st);
}

inarch_status inarch_commit_read(inarch_graph *g, const char *at, inarch_commit_list *out)
{
    api_call c;
    ia_commit *commit = NULL;
    ia_status st;

    if (!g || !out)
        return api_invalid("inarch_commit_read: graph and out are required");
    *out = (inarch_commit_list){0};
    if ((st = api_begin_graph(&c, g)) != IA_OK)
        goto done;
    IA_GO(ia_resolve(&c.cx, g->g, at ? at : "main", &commit));
    IA_GO(fill_commits(&c.cx, &commit, 1, out));
done:
    ia_commit_free(commit);
    return api_end(&c, st);
}

void inarch_commit_list_dispose(inarch_commit_list *l)
{
    if (!l)
        return;
    api_own_free(l->owner);
    *l = (inarch_commit_list){0};
}

/* ---- differences --------------------------------------------------------------------------- */

typedef struct diff_sink {
    inarch_change_fn fn;
    void *payload;
} diff_sink;

static ia_status diff_emit(ia_ctx *cx, void *arg, const ia_catalog *cat, const ia_change *ch)
{
    static const char *const ops[] = {"insert", "update", "delete"};
    const diff_sink *s = arg;
    const ia_type_def *type = cat->types[ch->type];
    char *before = NULL, *after = NULL;
    ia_status st = IA_OK;

    if (ch->before)
        IA_GO(ia_row_json(cx, ch->before, 0, &before));
    if (ch->after)
        IA_GO(ia_row_json(cx, ch->after, 0, &after));
    const inarch_change out = {type->kind == IA_KIND_NODE ? "node" : "edge",
                               type->name,
                               ch->id,
                               ops[ch->op],
                               before,
                               after};
    if (s->fn(&out, s->payload))
        IA_GO(ia_fail(cx, IA_ERR_CANCELLED, "diff: stopped by the receiver"));
done:
    ia_free(before);
    ia_free(after);
    return st;
}

static ia_status diff_base(ia_ctx *cx, ia_graph *g, const char *from, const ia_commit *to,
                           ia_commit **out)
{
    if (from)
        return ia_resolve(cx, g, from, out);
    if (to->n_parents == 0)
        return ia_fail(cx, IA_ERR_INVALID, "commit %s has no parent: it has no changes to show",
                       to->ref.id);
    return ia_commit_read(cx, g, &to->parents[0], out);
}

inarch_status inarch_diff(inarch_graph *g, const char *from, const char *to, bool images,
                          inarch_change_fn fn, void *payload)
{
    api_call c;
    ia_commit *a = NULL, *b = NULL;
    diff_sink sink = {fn, payload};
    ia_status st;

    if (!g || !to || !fn)
        return api_invalid("inarch_diff: graph, to and fn are required");
    if ((st = api_begin_graph(&c, g)) != IA_OK)
        goto done;
    IA_GO(ia_resolve(&c.cx, g->g, to, &b));
    IA_GO(diff_base(&c.cx, g->g, from, b, &a));
    IA_GO(ia_diff(&c.cx, g->g, a, b, images, diff_emit, &sink));
done:
    ia_commit_free(a);
    ia_commit_free(b);
    return api_end(&c, st);
}
