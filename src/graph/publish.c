/* publish.c - validate, stage, publish by one put-if-absent, reveal; again when a race is lost. */
#include "graph/graph_priv.h"

#include <time.h>

#define MAX_ATTEMPTS 64u

static bool any_change(const ia_write *w)
{
    for (size_t i = 0; i < w->n; i++)
        if (ia_twrite_changes(&w->tables[i]))
            return true;
    return false;
}

/* A violation that only the new head brings is a lost race where planning again can mend it (rows
 * that a cascade would have to follow), and a broken rule where it cannot (a unique value that was
 * taken meanwhile). */
static ia_status judge(ia_ctx *cx, const ia_write *w, const ia_violations *v, unsigned attempt)
{
    ia_status st = ia_violations_fail(cx, w->head->cat, v);

    if (st == IA_OK || attempt == 0)
        return st;
    if (v->items[0].kind == IA_VIOLATION_ORPHAN || v->items[0].kind == IA_VIOLATION_CARDINALITY)
        st = IA_ERR_CONFLICT;
    return ia_fail_prefix(cx, st, "on top of commit %s, which was published meanwhile",
                          w->head->commit->ref.id);
}

static ia_status validate(ia_ctx *cx, ia_write *w, unsigned attempt)
{
    const ia_validate_options opt = {.all = false, .value_rules = attempt == 0};
    ia_violations v = {0};
    ia_cview view;
    ia_status st;

    if (w->kind == IA_COMMIT_MERGE || ia_changeset_empty(&w->changes) ||
        (attempt == 0 && w->own->judged))
        return IA_OK;
    ia_cview_snapshot(&view, w->head, &w->changes);
    IA_GO(ia_validate(cx, &w->changes, &view, &opt, &v));
    IA_GO(judge(cx, w, &v, attempt));
done:
    ia_violations_dispose(&v);
    return st;
}

ia_status ia_write_validate(ia_ctx *cx, ia_write *w)
{
    IA_TRY(validate(cx, w, 0));
    w->own->judged = true;
    return IA_OK;
}

/* ---- the commit ------------------------------------------------------------------------------ */
static ia_status make_commit(ia_ctx *cx, ia_write *w, ia_commit **out)
{
    const ia_commit *head = w->head->commit;
    ia_commit *c = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW(cx, c));
    memcpy(c->ref.id, w->commit_id, sizeof c->ref.id);
    memcpy(c->ref.incarnation, w->branch->incarnation, sizeof c->ref.incarnation);
    c->ref.n = ia_branch_next_n(w->branch, head);
    c->kind = w->kind;
    c->parents[c->n_parents++] = head->ref;
    if (w->merged.id[0])
        c->parents[c->n_parents++] = w->merged;
    c->time_us = w->own->time_us > head->time_us ? w->own->time_us : head->time_us;
    c->evaluator = IA_EVALUATOR_VERSION;
    memcpy(c->schema_hash, head->schema_hash, sizeof c->schema_hash);
    IA_GO(IA_SET(cx, c->branch, ia_strdup(cx, w->branch->name)));
    IA_GO(IA_SET(cx, c->actor, ia_strdup(cx, w->actor)));
    if (w->message)
        IA_GO(IA_SET(cx, c->message, ia_strdup(cx, w->message)));
    IA_GO(ia_write_stage(cx, w, &c->entries, &c->n_entries));
    c->routes = w->routes; /* lent until it is published */
    c->n_routes = w->n_routes;
    *out = c;
    c = NULL;
done:
    ia_commit_free(c);
    return st;
}

static void return_routes(ia_commit *c)
{
    if (!c)
        return;
    c->routes = NULL;
    c->n_routes = 0;
}

static ia_status head_moved(ia_ctx *cx, ia_write *w, bool *moved)
{
    ia_commit *now;

    *moved = false;
    IA_TRY(ia_branch_head(cx, w->g, w->branch, &now));
    *moved = strcmp(now->ref.id, w->head->commit->ref.id) != 0;
    ia_commit_free(now);
    return IA_OK;
}

/* What can be known to fail before the one effect. That another writer won shows when the commit is
 * put. */
static ia_status check_before(ia_ctx *cx, ia_write *w)
{
    for (size_t i = 0; i < w->n; i++)
        if (ia_twrite_changes(&w->tables[i]) && !w->tables[i].pointer)
            IA_TRY(ia_wtype_check_drift(cx, w, w->tables[i].type));
    return ia_check(cx, 0, 0);
}

/* Puts the commit. A failure whose effect is unknown is settled by reading what stands there. */
static ia_status put_once(ia_ctx *cx, ia_write *w, const ia_commit *c, bool *won)
{
    ia_commit_ref at = c->ref;
    ia_commit *there = NULL;
    ia_error first;
    ia_status st;

    *won = false;
    st = ia_commit_put(cx, w->g, c); /* commit point */
    if (st == IA_OK) {
        *won = true;
        return IA_OK;
    }
    first = cx->err;
    at.id[0] = 0;
    if (ia_commit_read(cx, w->g, &at, &there) != IA_OK) {
        cx->err = first;
        return st;
    }
    *won = strcmp(there->ref.id, c->ref.id) == 0;
    ia_commit_free(there);
    ia_ctx_clear(cx);
    return IA_OK;
}

static ia_status attempt(ia_ctx *cx, ia_write *w, bool *won, ia_commit **out)
{
    ia_commit *c = NULL;
    bool moved;
    ia_status st;

    *won = false;
    *out = NULL;
    IA_GO(head_moved(cx, w, &moved));
    if (moved)
        goto done;
    IA_GO(make_commit(cx, w, &c));
    IA_GO(check_before(cx, w));
    IA_GO(put_once(cx, w, c, won));
    if (*won) {
        w->routes = NULL; /* moved into the commit */
        w->n_routes = 0;
        *out = c;
        c = NULL;
    }
done:
    return_routes(c);
    ia_commit_free(c);
    return st;
}

/* ---- races ----------------------------------------------------------------------------------- */
/* Short random pauses at first; who has waited long does not pause any more, so that everybody gets
 * through. */
static void pause_before(ia_ctx *cx, unsigned attempt_no)
{
    struct timespec ts = {0};
    uint32_t r;

    if (attempt_no > 12 || ia_random(cx, &r, sizeof r) != IA_OK)
        return;
    ts.tv_nsec = (long)(r % (1000000u << (attempt_no < 3 ? attempt_no : 3)));
    (void)nanosleep(&ts, NULL);
}

static ia_status lost(ia_ctx *cx, ia_write *w)
{
    ia_write_unstage(cx, w);
    if (w->if_commit[0])
        return ia_fail(cx, IA_ERR_PRECONDITION,
                       "branch '%s' moved on from commit %s; nothing was changed", w->branch->name,
                       w->if_commit);
    if (w->no_rebase)
        return ia_fail(cx, IA_ERR_CONFLICT,
                       "branch '%s' moved on from commit %s while this was prepared; nothing was "
                       "changed, try again",
                       w->branch->name, w->head->commit->ref.id);
    IA_TRY(ia_write_rebase(cx, w));
    return ia_ulid_new(cx, w->attempt);
}

/* The commit exists: what follows can be done by anybody later, so it cannot fail the write. */
static void reveal_quietly(ia_ctx *cx, ia_graph *g, const ia_commit *c)
{
    ia_ctx quiet = *cx;

    quiet.cancel = NULL;
    quiet.progress = NULL;
    if (ia_reveal(&quiet, g, c) != IA_OK)
        ia_ctx_clear(&quiet);
}

static ia_status check_nothing(ia_ctx *cx, ia_write *w)
{
    ia_commit *now;

    if (!w->if_commit[0])
        return IA_OK;
    IA_TRY(ia_branch_head(cx, w->g, w->branch, &now));
    const bool same = strcmp(now->ref.id, w->if_commit) == 0;
    ia_commit_free(now);
    return same ? IA_OK
                : ia_fail(cx, IA_ERR_PRECONDITION, "branch '%s' moved on from commit %s",
                          w->branch->name, w->if_commit);
}

ia_status ia_write_publish(ia_ctx *cx, ia_write *w, ia_commit **out)
{
    bool won = false;

    *out = NULL;
    if (!any_change(w) && w->kind != IA_COMMIT_MERGE)
        return check_nothing(cx, w);
    for (unsigned i = 0; i < MAX_ATTEMPTS; i++) {
        IA_TRY(validate(cx, w, i));
        IA_TRY(attempt(cx, w, &won, out));
        if (won) {
            reveal_quietly(cx, w->g, *out);
            return IA_OK;
        }
        pause_before(cx, i);
        IA_TRY(lost(cx, w));
    }
    return ia_fail(cx, IA_ERR_CONFLICT,
                   "branch '%s' is written by others all the time: %u attempts lost; nothing was "
                   "changed, try again",
                   w->branch->name, MAX_ATTEMPTS);
}
