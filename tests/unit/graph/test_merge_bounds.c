/* test_merge_bounds.c - merges under budgets, failing allocations, cut stores, cancels, races. */
#include "merge_fixture.h"

#include <stdio.h>
#include <stdlib.h>

/* Both sides of a graph with every kind of change, ready to merge. */
static void open_sides(mx *x, mx_kind kind)
{
    mx_open(x, kind);
    mx_people(x, "main", 0, 30, 1);
    mx_load(x, "main",
            "{\"type\":\"Item\",\"data\":{\"name\":\"i0\"}}\n"
            "{\"type\":\"Item\",\"data\":{\"name\":\"i1\"}}\n"
            "{\"edge\":\"Lives\",\"from\":\"p000\",\"to\":\"i0\",\"data\":{\"id\":\"l0\"}}\n"
            "{\"edge\":\"Knows\",\"from\":\"p000\",\"to\":\"p001\",\"data\":{\"id\":\"k0\"}}\n");
    mx_branch(x, "s", "main");
    for (int side = 0; side < 2; side++) {
        const char *b = side ? "s" : "main", *who = side ? "p010" : "p000";
        mx_people(x, b, side ? 8 : 4, side ? 12 : 9, 5); /* 8 is changed alike on both sides */
        mx_drop_person(x, b, side ? "p020" : "p021");
        mx_edge(x, b, "Owns", side ? "os" : "om", who, "i1");
        mx_edge(x, b, "Knows", side ? "ks" : "km", who, "p002");
        mx_edge(x, b, "Lives", side ? "ls" : "lm", "p000", "i1");
        if (side)
            mx_load(x, b, "{\"edge\":\"Lives\",\"from\":\"p003\",\"to\":\"i0\",\"data\":{\"id\":"
                          "\"l0\"}}\n");
    }
    mx_load(x, "s", "{\"type\":\"Person\",\"data\":{\"name\":\"u\",\"email\":\"u@x\"}}\n");
    mx_load(x, "main", "{\"type\":\"Person\",\"data\":{\"name\":\"v\",\"email\":\"v@x\"}}\n");
}

/* ---- dry runs -------------------------------------------------------------------------------- */

static void a_dry_run_touches_nothing(void **state)
{
    (void)state;
    for (int kind = MX_MEMORY; kind <= MX_LOCAL; kind++) {
        mx x;
        open_sides(&x, (mx_kind)kind);
        const size_t objects = mx_objects(&x);
        x.opt.dry_run = true;
        mx_merge(&x, "s", "main", IA_MERGED);
        assert_int_equal(x.io.writes, 0);
        assert_int_equal(x.io.links, 0);
        assert_int_equal(mx_objects(&x), objects);
        mx_expect_route(&x, "node:Person", "three_way_graft");
        const uint64_t updated = mx_route(&x, "node:Person")->rows_updated;
        const uint64_t masked = mx_route(&x, "node:Person")->rows_masked;
        mx_branch(&x, "t", "main");
        mx_merge(&x, "s", "t", IA_MERGED);
        x.opt.dry_run = false;
        mx_merge(&x, "s", "main", IA_MERGED);
        assert_int_equal(mx_route(&x, "node:Person")->rows_updated, updated);
        assert_int_equal(mx_route(&x, "node:Person")->rows_masked, masked);
        mx_verify(&x);
        mx_close(&x);
    }
}

/* A commit whose writer died before revealing it stays as it is. */
static void a_dry_run_reveals_nothing(void **state)
{
    mx x;
    (void)state;
    open_sides(&x, MX_MEMORY);
    for (int64_t k = 0;; k++) { /* the first cut that comes after the commit was put */
        ia_fault_set(x.faulty, k, IA_CUT_BEFORE, false);
        const ia_status st = mx_try_merge(&x, "s", "main");
        ia_fault_set(x.faulty, -1, IA_CUT_BEFORE, false);
        if (st == IA_OK)
            break;
        assert_true(k < 1000);
    }
    ia_strlist pending = {0};
    MX_OK(&x, ia_unrevealed(&x.e.cx, x.g, x.r.commit, &pending));
    assert_true(pending.n > 0);
    ia_strlist_dispose(&pending);
    ia_graph_close(x.g);
    x.g = mx_handle(&x);
    mx_person(&x, "s", "later", 1);
    const size_t objects = mx_objects(&x);
    x.opt.dry_run = true;
    mx_merge(&x, "s", "main", IA_MERGED);
    assert_int_equal(mx_objects(&x), objects);
    assert_int_equal(x.io.writes + x.io.links, 0);
    x.opt.dry_run = false;
    mx_merge(&x, "s", "main", IA_MERGED);
    mx_verify(&x);
    mx_close(&x);
}

/* ---- budgets --------------------------------------------------------------------------------- */

/* One merge with its own budget. */
static ia_status merge_within(mx *x, uint64_t limit, uint64_t *peak)
{
    ia_budget *b = ia_budget_new(NULL, limit);
    ia_graph *keep = x->g;
    ia_ctx cx;

    assert_non_null(b);
    ia_merge_result_dispose(&x->r);
    ia_ctx_init(&cx, b);
    x->g = mx_handle(x); /* nothing cached: all that is read counts */
    const ia_status st = ia_merge(&cx, x->g, "s", "main", &x->opt, &x->r);
    *peak = ia_budget_peak(b);
    ia_merge_result_dispose(&x->r);
    ia_graph_close(x->g);
    x->g = keep;
    assert_int_equal(ia_budget_used(b), 0);
    ia_budget_drop(b);
    return st;
}

static void twenty_thousand_rows_merge_within_32_mib(void **state)
{
    mx x;
    uint64_t peak;
    (void)state;
    mx_open(&x, MX_MEMORY);
    mx_people(&x, "main", 0, 40000, 1);
    mx_branch(&x, "s", "main");
    mx_people(&x, "s", 0, 20000, 2);
    mx_people(&x, "main", 15000, 25000, 2); /* 5,000 alike on both sides are compared */
    MX_OK(&x, merge_within(&x, 32u << 20, &peak));
    assert_true(peak <= 32u << 20);
    mx_row r;
    assert_true(mx_find(&x, "main", MX_PERSON, "p19999", &r));
    mx_verify(&x);
    mx_close(&x);
}

static void a_merge_over_its_budget_changes_nothing(void **state)
{
    mx x;
    uint64_t peak;
    char before[27], now[27];
    (void)state;
    open_sides(&x, MX_MEMORY);
    mx_people(&x, "s", 100, 1100, 2);
    mx_people(&x, "main", 1000, 2000, 2);
    mx_head(&x, "main", before);
    char *text = mx_dump_all(&x, "main");
    bool refused = false;
    for (uint64_t limit = 4096;; limit += limit / 8) {
        const ia_status st = merge_within(&x, limit, &peak);
        assert_true(peak <= limit);
        if (st == IA_OK)
            break;
        assert_int_equal(st, IA_ERR_OVER_BUDGET);
        refused = true;
        mx_head(&x, "main", now);
        assert_string_equal(now, before);
        char *again = mx_dump_all(&x, "main");
        assert_string_equal(again, text);
        ia_free(again);
    }
    assert_true(refused);
    ia_free(text);
    mx_verify(&x);
    mx_close(&x);
}

/* Rows of 64 KiB that differ between the sides: the chunks shrink to what there is room for. */
static void wide_rows_are_compared_in_chunks_that_fit(void **state)
{
    enum { WIDE = 65536, ROWS = 200 };
    mx x;
    uint64_t peak;
    size_t n = 0;
    char *text;
    (void)state;
    mx_open(&x, MX_MEMORY);
    text = ia_alloc(&x.e.cx, (size_t)ROWS * (WIDE + 100));
    assert_non_null(text);
    for (int i = 0; i < ROWS; i++) {
        n += (size_t)sprintf(
            text + n, "{\"type\":\"Person\",\"data\":{\"name\":\"w%d\",\"note\":\"", i);
        uint64_t seed = (uint64_t)i + 1;
        for (int k = 0; k < WIDE; k++)
            text[n++] = (char)('a' + next_random(&seed) % 26);
        n += (size_t)sprintf(text + n, "\"}}\n");
    }
    mx_people(&x, "main", 0, 3, 1);
    mx_branch(&x, "s", "main");
    mx_load(&x, "s", text);
    mx_load(&x, "main", text);
    ia_free(text);
    MX_OK(&x, merge_within(&x, 4u << 20, &peak)); /* three images of 13 MiB each */
    mx_verify(&x);
    mx_close(&x);
}

/* ---- failing allocations --------------------------------------------------------------------- */

static void every_allocation_of_a_plan_may_fail(void **state)
{
    mx x;
    (void)state;
    for (int full = 0; full < 2; full++) {
        open_sides(&x, MX_MEMORY);
        x.opt.dry_run = true;
        x.opt.full_probe = full;
        FAIL_EVERY_ALLOCATION(&x.e.cx, mx_try_merge(&x, "s", "main"),
                              assert_int_equal(x.r.outcome, IA_MERGED));
        mx_person(&x, "s", "p001", 90); /* and of one that reports conflicts */
        mx_person(&x, "main", "p001", 91);
        FAIL_EVERY_ALLOCATION(&x.e.cx, mx_try_merge(&x, "s", "main"),
                              assert_int_equal(x.r.outcome, IA_CONFLICTED));
        mx_close(&x);
    }
}

static void every_allocation_of_a_merge_may_fail(void **state)
{
    (void)state;
    for (int copied = 0; copied < 2; copied++) {
        mx x;
        open_sides(&x, MX_MEMORY);
        x.opt.min_density = copied ? 2 : 0;
        char *before = mx_dump_all(&x, "main");
        ia_status st = IA_ERR_NO_MEMORY;
        for (int64_t k = 0; st != IA_OK; k++) {
            ia_mem_fail_after(k);
            st = mx_try_merge(&x, "s", "main");
            ia_mem_fail_after(-1);
            if (st != IA_OK)
                assert_int_equal(st, IA_ERR_NO_MEMORY);
            if (st != IA_OK && k % 64 == 0) {
                char *now = mx_dump_all(&x, "main");
                assert_string_equal(now, before);
                ia_free(now);
            }
        }
        assert_int_equal(x.r.outcome, IA_MERGED);
        ia_free(before);
        mx_verify(&x);
        mx_close(&x);
    }
}

/* ---- a store that calls back ----------------------------------------------------------------- */

typedef struct hooked {
    ia_objstore os;
    ia_objstore *inner;
    void (*hook)(void *arg); /* called once, before the change that `left` counts down to */
    void *arg;
    int64_t left;
} hooked;

static ia_objstore *before_change(ia_objstore *os)
{
    hooked *h = (hooked *)os;

    if (h->left-- == 0)
        h->hook(h->arg);
    return h->inner;
}

static ia_status hooked_open(ia_ctx *cx, ia_objstore *os, const char *path, ia_objfile **out)
{
    return ia_objstore_open(cx, ((hooked *)os)->inner, path, out);
}

static ia_status hooked_head(ia_ctx *cx, ia_objstore *os, const char *path, ia_objmeta *out)
{
    return ia_objstore_head(cx, ((hooked *)os)->inner, path, out);
}

static ia_status hooked_put(ia_ctx *cx, ia_objstore *os, const char *path, const void *data,
                            size_t len, uint32_t flags)
{
    return ia_objstore_put(cx, before_change(os), path, data, len, flags);
}

static ia_status hooked_create(ia_ctx *cx, ia_objstore *os, const char *path, ia_objwriter **out)
{
    return ia_objstore_create(cx, before_change(os), path, out);
}

static ia_status hooked_list(ia_ctx *cx, ia_objstore *os, const char *dir, const char *after,
                             size_t limit, ia_objlist *out)
{
    return ia_objstore_list(cx, ((hooked *)os)->inner, dir, after, limit, out);
}

static ia_status hooked_remove(ia_ctx *cx, ia_objstore *os, const char *path)
{
    return ia_objstore_remove(cx, before_change(os), path);
}

static ia_status hooked_link(ia_ctx *cx, ia_objstore *os, const char *from, const char *to)
{
    return ia_objstore_link(cx, before_change(os), from, to);
}

static ia_status hooked_touch(ia_ctx *cx, ia_objstore *os, const char *path)
{
    return ia_objstore_touch(cx, before_change(os), path);
}

static ia_status hooked_sync(ia_ctx *cx, ia_objstore *os, const char *path)
{
    return ia_objstore_sync(cx, ((hooked *)os)->inner, path);
}

static void hooked_close(ia_objstore *os)
{
    (void)os;
}

static const ia_objstore_ops hooked_ops = {
    .open = hooked_open, .head = hooked_head, .put = hooked_put,   .create = hooked_create,
    .list = hooked_list, .remove = hooked_remove, .link = hooked_link, .touch = hooked_touch,
    .sync = hooked_sync, .close = hooked_close,
};

/* Merges s into main through a hooked store; *fired = the hook was called. */
static ia_status merge_hooked(mx *x, int64_t at, void (*hook)(void *), void *arg, bool *fired)
{
    hooked h = {.os = {.ops = &hooked_ops, .name = "hooked"},
                .inner = x->os,
                .hook = hook,
                .arg = arg,
                .left = -1};
    const ia_graph_options opt = {.durability = IA_RELAXED};
    ia_graph *keep = x->g, *g;

    MX_OK(x, ia_graph_open(&x->e.cx, &h.os, x->root, &opt, &g));
    ia_merge_result_dispose(&x->r);
    h.left = at;
    const ia_status st = ia_merge(&x->e.cx, g, "s", "main", &x->opt, &x->r);
    *fired = h.left < 0;
    x->g = keep;
    ia_graph_close(g);
    return st;
}

static void set_flag(void *arg)
{
    atomic_store((atomic_bool *)arg, true);
}

static void a_cancel_is_honoured_until_the_commit_point(void **state)
{
    mx x;
    bool fired = true;
    int cancelled = 0;
    (void)state;
    open_sides(&x, MX_MEMORY);
    char *before = mx_dump_all(&x, "main");
    for (int64_t k = 0; fired; k++) {
        atomic_bool stop = false;
        x.e.cx.cancel = &stop;
        const ia_status st = merge_hooked(&x, k, set_flag, &stop, &fired);
        x.e.cx.cancel = NULL;
        if (st == IA_OK)
            break;
        assert_int_equal(st, IA_ERR_CANCELLED);
        ia_ctx_clear(&x.e.cx);
        char *now = mx_dump_all(&x, "main");
        assert_string_equal(now, before);
        ia_free(now);
        cancelled++;
    }
    assert_true(cancelled > 3);
    assert_int_equal(x.r.outcome, IA_MERGED);
    ia_free(before);
    mx_verify(&x);
    mx_close(&x);
}

/* ---- races ----------------------------------------------------------------------------------- */

typedef struct rival {
    mx *x;
    const char *name;
    int age;
} rival;

static void write_on_main(void *arg)
{
    const rival *r = arg;

    mx_person(r->x, "main", r->name, r->age);
}

/* At every step of the merge, another handle writes to the target. */
static void a_merge_and_a_writer_both_survive(void **state)
{
    bool fired = true;
    (void)state;
    for (int64_t k = 0; fired; k++) {
        mx x;
        mx_row r;
        open_sides(&x, MX_MEMORY);
        rival other = {&x, "rival", 7};
        MX_OK(&x, merge_hooked(&x, k, write_on_main, &other, &fired));
        assert_int_equal(x.r.outcome, IA_MERGED);
        assert_true(mx_find(&x, "main", MX_PERSON, "u", &r));
        assert_true(mx_find(&x, "main", MX_PERSON, "v", &r));
        assert_int_equal(mx_find(&x, "main", MX_PERSON, "rival", &r), fired);
        assert_false(mx_find(&x, "main", MX_PERSON, "p020", &r));
        assert_false(mx_find(&x, "main", MX_PERSON, "p021", &r));
        mx_verify(&x);
        mx_close(&x);
        assert_true(k < 1000);
    }
}

static void a_writer_that_touches_the_same_row_makes_a_conflict(void **state)
{
    mx x;
    bool fired;
    (void)state;
    open_sides(&x, MX_MEMORY);
    rival other = {&x, "p010", 99};
    MX_OK(&x, merge_hooked(&x, 2, write_on_main, &other, &fired));
    assert_true(fired);
    assert_int_equal(x.r.outcome, IA_CONFLICTED);
    mx_expect_conflicts(&x, "divergent_update Person p010");
    char *text = mx_dump(&x, "main", MX_PERSON);
    assert_non_null(strstr(text, "p010(99,-,of p010)"));
    ia_free(text);
    mx_verify(&x);
    mx_close(&x);
}

static void a_moved_target_breaks_the_precondition(void **state)
{
    mx x;
    char head[27];
    bool fired;
    (void)state;
    open_sides(&x, MX_MEMORY);
    mx_head(&x, "main", head);
    x.opt.if_commit = head;
    rival other = {&x, "rival", 7};
    assert_fails(merge_hooked(&x, 2, write_on_main, &other, &fired), IA_ERR_PRECONDITION);
    assert_true(fired);
    mx_verify(&x);
    mx_close(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dry_run_touches_nothing),
        cmocka_unit_test(a_dry_run_reveals_nothing),
        cmocka_unit_test(twenty_thousand_rows_merge_within_32_mib),
        cmocka_unit_test(a_merge_over_its_budget_changes_nothing),
        cmocka_unit_test(wide_rows_are_compared_in_chunks_that_fit),
        cmocka_unit_test(every_allocation_of_a_plan_may_fail),
        cmocka_unit_test(every_allocation_of_a_merge_may_fail),
        cmocka_unit_test(a_cancel_is_honoured_until_the_commit_point),
        cmocka_unit_test(a_merge_and_a_writer_both_survive),
        cmocka_unit_test(a_writer_that_touches_the_same_row_makes_a_conflict),
        cmocka_unit_test(a_moved_target_breaks_the_precondition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
