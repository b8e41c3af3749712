/* cut.c - cuts each step of a scenario, compares what is left with the states before and after. */
#include "cut.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char *const mode_names[] = {"before", "torn", "after"};

typedef struct world {
    env e;
    ia_objstore *inner, *os;
    char root[512];
    cut_place bare, faulty;
} world;

/* ---- helpers for scenarios ------------------------------------------------------------------- */
ia_status cut_open(ia_ctx *cx, const cut_place *at, ia_graph **out)
{
    const ia_graph_options opt = {.durability = at->durability, .for_writing = true};
    return ia_graph_open(cx, at->os, at->root, &opt, out);
}

ia_status cut_init(ia_ctx *cx, const cut_place *at)
{
    const ia_graph_options opt = {.durability = at->durability, .for_writing = true};
    return ia_graph_init(cx, at->os, at->root, GX_SCHEMA, "test.pg", "tester", &opt);
}

ia_status cut_branch(ia_ctx *cx, const cut_place *at, const char *name, const char *from)
{
    ia_graph *g = NULL;
    ia_commit *c = NULL;
    ia_branch *b = NULL;
    ia_status st;

    IA_GO(cut_open(cx, at, &g));
    IA_GO(ia_resolve(cx, g, from, &c));
    IA_GO(ia_branch_create(cx, g, name, c, &b));
done:
    ia_branch_free(b);
    ia_commit_free(c);
    ia_graph_close(g);
    return st;
}

static ia_status insert_on_main(ia_ctx *cx, const cut_place *at)
{
    ia_graph *g = NULL;
    ia_status st;

    IA_GO(cut_open(cx, at, &g));
    IA_GO(gx_insert(cx, g, "main", "again", 77, NULL));
done:
    ia_graph_close(g);
    return st;
}

/* ---- what a graph shows ---------------------------------------------------------------------- */
static ia_status look_at_branches(ia_ctx *cx, ia_graph *g, ia_buf *b)
{
    ia_strlist names = {0};
    char *dump = NULL;
    ia_status st;

    IA_GO(ia_branch_list(cx, g, &names));
    for (size_t i = 0; i < names.n; i++) {
        ia_free(dump);
        IA_GO(gx_dump(cx, g, names.items[i], &dump));
        ia_buf_printf(cx, b, "%s{%s} ", names.items[i], dump);
    }
done:
    ia_free(dump);
    ia_strlist_dispose(&names);
    return st;
}

/* Every branch with its rows; "no graph" when there is none. */
static char *look(world *w)
{
    ia_ctx *cx = &w->e.cx;
    ia_graph *g = NULL;
    ia_buf b = {0};
    char *out = NULL;
    ia_status st = cut_open(cx, &w->bare, &g);

    if (st == IA_ERR_NOT_FOUND) {
        ia_buf_puts(cx, &b, "no graph");
        st = IA_OK;
    } else if (st == IA_OK) {
        st = look_at_branches(cx, g, &b);
    }
    if (st != IA_OK)
        fail_msg("%s does not read after the restart: %s", w->root, cx->err.text);
    assert_ok(ia_buf_finish_str(cx, &b, &out));
    ia_graph_close(g);
    ia_ctx_clear(cx);
    return out;
}

static void expect_all_revealed(world *w)
{
    ia_ctx *cx = &w->e.cx;
    ia_strlist names = {0}, left = {0};
    ia_graph *g;

    assert_ok(cut_open(cx, &w->bare, &g));
    assert_ok(ia_branch_list(cx, g, &names));
    for (size_t i = 0; i < names.n; i++) {
        ia_commit *c;
        assert_ok(ia_resolve(cx, g, names.items[i], &c));
        assert_ok(ia_unrevealed(cx, g, c, &left));
        if (left.n > 0)
            fail_msg("%s: after a further write %s", w->root, left.items[0]);
        ia_strlist_dispose(&left);
        ia_commit_free(c);
    }
    ia_strlist_dispose(&names);
    ia_graph_close(g);
}

/* ---- one world ------------------------------------------------------------------------------- */
static void world_open(world *w, const cut_scenario *s, const char *dir, bool links,
                       const char *tag)
{
    *w = (world){.e = env_new(0)};
    if (dir) {
        snprintf(w->root, sizeof w->root, "%s/%s-%s", dir, s->name, tag);
        assert_int_equal(mkdir(w->root, 0755), 0);
        snprintf(w->root, sizeof w->root, "%s/%s-%s/my.graph", dir, s->name, tag);
        assert_ok(ia_objstore_local(&w->e.cx, &w->inner));
    } else {
        snprintf(w->root, sizeof w->root, "/mem/my.graph");
        assert_ok(ia_objstore_memory(&w->e.cx, links, &w->inner));
    }
    assert_ok(ia_objstore_faulty(&w->e.cx, w->inner, &w->os));
    ia_fault_set(w->os, -1, IA_CUT_BEFORE, true);
    w->bare = (cut_place){w->inner, w->root, dir ? IA_RELAXED : IA_FULL};
    w->faulty = (cut_place){w->os, w->root, w->bare.durability};
    if ((s->prepare ? s->prepare : cut_init)(&w->e.cx, &w->bare) != IA_OK)
        fail_msg("%s: prepare: %s", s->name, w->e.cx.err.text);
}

static void world_close(world *w)
{
    ia_objstore_close(w->os);
    ia_objstore_close(w->inner);
    env_end(&w->e);
}

static void go_on(world *w, const cut_scenario *s)
{
    if ((s->again ? s->again : insert_on_main)(&w->e.cx, &w->bare) != IA_OK)
        fail_msg("%s: a further write: %s", w->root, w->e.cx.err.text);
    expect_all_revealed(w);
}

/* The four texts to compare with; `ran` false leaves the operation out. */
static void reference(const cut_scenario *s, bool ran, char *plain, char *further, size_t cap)
{
    char *text;
    world w;

    world_open(&w, s, NULL, true, "");
    if (ran && s->run(&w.e.cx, &w.bare) != IA_OK)
        fail_msg("%s: run: %s", s->name, w.e.cx.err.text);
    text = look(&w);
    assert_true(strlen(text) < cap);
    strcpy(plain, text);
    ia_free(text);
    go_on(&w, s);
    text = look(&w);
    assert_true(strlen(text) < cap);
    strcpy(further, text);
    ia_free(text);
    world_close(&w);
}

/* The restarted process dies as well, somewhere in its first write; then it goes on. */
static void die_again(world *w, const cut_scenario *s, int64_t k)
{
    ia_fault_set(w->os, k, (ia_fault_mode)(k % 3), true);
    if ((s->again ? s->again : insert_on_main)(&w->e.cx, &w->faulty) != IA_OK)
        ia_ctx_clear(&w->e.cx);
}

typedef struct texts {
    char before[2048], before_more[2048], after[2048], after_more[2048];
} texts;

typedef struct cut {
    const cut_scenario *s;
    const char *dir;
    bool links;
    ia_fault_mode mode;
    int64_t k,
        second; /* second: step of the restarted process at which it dies; < 0 = it does not */
    const texts *t;
} cut;

static void expect_text(world *w, const cut *c, const char *what, const char *a, const char *b,
                        bool *is_b)
{
    char *text = look(w);

    *is_b = strcmp(text, b) == 0;
    if (!*is_b && strcmp(text, a) != 0)
        fail_msg("%s%s, cut %s step %lld (then %lld), %s:\n%s\nis neither %s\nnor %s", c->s->name,
                 c->links ? "" : " without links", mode_names[c->mode], (long long)c->k,
                 (long long)c->second, what, text, a, b);
    ia_free(text);
}

/* False when step k does not exist any more: the operation went through. */
static bool cut_once(const cut *c)
{
    bool fired, done, more = false;
    const char *plain, *further;
    char tag[64];
    ia_status st;
    world w;

    snprintf(tag, sizeof tag, "%s-%03lld", mode_names[c->mode], (long long)c->k);
    world_open(&w, c->s, c->dir, c->links, tag);
    ia_fault_set(w.os, c->k, c->mode, true);
    st = c->s->run(&w.e.cx, &w.faulty);
    fired = ia_fault_fired(w.os);
    ia_ctx_clear(&w.e.cx);
    expect_text(&w, c, "after the restart", c->t->before, c->t->after, &done);
    if (st == IA_OK && !done)
        fail_msg("%s, cut %s step %lld: said to be done, is not", c->s->name, mode_names[c->mode],
                 (long long)c->k);
    plain = done ? c->t->after : c->t->before;
    further = done ? c->t->after_more : c->t->before_more;
    if (c->second >= 0) {
        die_again(&w, c->s, c->second);
        expect_text(&w, c, "after the second restart", plain, further, &more);
    }
    if (!more)
        go_on(&w, c->s);
    expect_text(&w, c, "after a further write", further, further, &more);
    world_close(&w);
    return fired;
}

/* A second death at steps spread over what a write does, other ones for each k. */
static int64_t second_death(const cut *c, bool thorough)
{
    if (c->dir || c->s->single || (!thorough && c->k % 5 != (int64_t)c->mode))
        return -1;
    return (c->k * 17 + (int64_t)c->mode * 5) % 61;
}

static size_t cut_every_step(cut *c, bool thorough)
{
    size_t n = 0;

    for (c->k = 0;; c->k++, n++) {
        c->second = -1;
        if (!cut_once(c))
            return n;
        c->second = second_death(c, thorough);
        if (c->second >= 0)
            n += cut_once(c);
    }
}

size_t cut_run(const cut_scenario *s, const char *dir)
{
    const char *lengthy = getenv("INARCH_LONG");
    const bool thorough = lengthy && strcmp(lengthy, "1") == 0;
    static texts t;
    size_t n = 0;

    reference(s, false, t.before, t.before_more, sizeof t.before);
    reference(s, true, t.after, t.after_more, sizeof t.after);
    if (strcmp(t.before, t.after) == 0)
        fail_msg("%s: the operation shows no effect, so that nothing can be told", s->name);
    for (int mode = IA_CUT_BEFORE; mode <= IA_CUT_AFTER; mode++) {
        cut c = {.s = s, .dir = dir, .links = true, .mode = (ia_fault_mode)mode, .t = &t};
        n += cut_every_step(&c, thorough);
        c.links = false;
        if (!dir && (thorough || mode == IA_CUT_AFTER))
            n += cut_every_step(&c, thorough);
    }
    return n;
}
