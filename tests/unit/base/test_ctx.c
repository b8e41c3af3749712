/* test_ctx.c - error text, budgets, cancel and progress. */
#include "base/ctx.h"

#include <pthread.h>
#include <stdio.h>

#include "test_env.h"

static void every_status_has_its_own_name(void **state)
{
    (void)state;
    for (int a = 0; a <= IA_ERR_INTERNAL; a++) {
        assert_string_not_equal(ia_status_name((ia_status)a), "unknown");
        for (int b = 0; b < a; b++)
            assert_string_not_equal(ia_status_name((ia_status)a), ia_status_name((ia_status)b));
    }
    assert_string_equal(ia_status_name((ia_status)99), "unknown");
    assert_string_equal(ia_status_name(IA_ERR_NOT_FOUND), "not_found");
}

static void fail_records_code_and_text(void **state)
{
    env e = env_new(0);
    (void)state;
    assert_fails(ia_fail(&e.cx, IA_ERR_CORRUPT, "file %s, byte %d", "x", 7), IA_ERR_CORRUPT);
    assert_int_equal(e.cx.err.code, IA_ERR_CORRUPT);
    assert_string_equal(e.cx.err.text, "file x, byte 7");
    ia_ctx_clear(&e.cx);
    assert_int_equal(e.cx.err.code, IA_OK);
    assert_string_equal(e.cx.err.text, "");
    env_end(&e);
}

static void fail_may_quote_the_old_text(void **state)
{
    env e = env_new(0);
    (void)state;
    ia_fail(&e.cx, IA_ERR_IO, "inner");
    ia_fail(&e.cx, IA_ERR_IO, "outer (%s)", e.cx.err.text);
    assert_string_equal(e.cx.err.text, "outer (inner)");
    env_end(&e);
}

static void prefix_keeps_the_text_and_leaves_success_alone(void **state)
{
    env e = env_new(0);
    (void)state;
    assert_ok(ia_fail_prefix(&e.cx, IA_OK, "branch %s", "x"));
    assert_string_equal(e.cx.err.text, "");
    ia_fail(&e.cx, IA_ERR_IO, "disk full");
    assert_fails(ia_fail_prefix(&e.cx, IA_ERR_IO, "branch '%s'", "x"), IA_ERR_IO);
    assert_string_equal(e.cx.err.text, "branch 'x': disk full");
    env_end(&e);
}

static void long_text_is_cut_between_characters(void **state)
{
    char word[1001];
    (void)state;
    for (size_t shift = 0; shift < 4; shift++) {
        env e = env_new(0);
        memset(word, 'a', sizeof word);
        for (size_t i = shift; i + 4 < sizeof word; i += 4)
            memcpy(word + i, "\xF0\x9F\x98\x80", 4);
        word[1000] = 0;
        ia_fail(&e.cx, IA_ERR_INVALID, "%s", word);
        const size_t n = strlen(e.cx.err.text);
        assert_true(n < sizeof e.cx.err.text && n > sizeof e.cx.err.text - 6);
        assert_int_equal((n - shift) % 4, 0);
        ia_fail_prefix(&e.cx, IA_ERR_INVALID, "p");
        assert_int_equal((strlen(e.cx.err.text) - shift - 3) % 4, 0);
        env_end(&e);
    }
}

static void a_set_cancel_flag_stops_the_operation(void **state)
{
    env e = env_new(0);
    atomic_bool cancel = false;
    (void)state;
    e.cx.cancel = &cancel;
    assert_ok(ia_check(&e.cx, 0, 0));
    atomic_store(&cancel, true);
    assert_fails(ia_check(&e.cx, 0, 0), IA_ERR_CANCELLED);
    env_end(&e);
}

static int count_calls(uint64_t done, uint64_t total, void *payload)
{
    ++*(int *)payload;
    assert_true(done <= total);
    return done == 77;
}

static void progress_is_reported_at_most_every_100_ms(void **state)
{
    env e = env_new(0);
    int calls = 0;
    (void)state;
    e.cx.progress = count_calls;
    e.cx.payload = &calls;
    for (uint64_t i = 0; i < 50; i++)
        assert_ok(ia_check(&e.cx, i, 100));
    assert_int_equal(calls, 1);
    /* a new operation reports at once, even from the same place on the stack */
    ia_ctx_init(&e.cx, e.budget);
    e.cx.progress = count_calls;
    e.cx.payload = &calls;
    assert_fails(ia_check(&e.cx, 77, 100), IA_ERR_CANCELLED);
    assert_int_equal(calls, 2);
    env_end(&e);
}

static void a_budget_refuses_what_is_over_its_limit(void **state)
{
    env e = env_new(1000);
    (void)state;
    assert_ok(ia_budget_reserve(&e.cx, 600));
    assert_int_equal(ia_budget_left(e.budget), 400);
    assert_fails(ia_budget_reserve(&e.cx, 401), IA_ERR_OVER_BUDGET);
    assert_non_null(strstr(e.cx.err.text, "1000"));
    assert_int_equal(ia_budget_used(e.budget), 600);
    assert_ok(ia_budget_reserve(&e.cx, 400));
    assert_fails(ia_budget_reserve(&e.cx, UINT64_MAX), IA_ERR_OVER_BUDGET);
    ia_budget_release(&e.cx, 1000);
    assert_int_equal(ia_budget_peak(e.budget), 1000);
    env_end(&e);
}

static void a_child_reserves_from_its_parents(void **state)
{
    env e = env_new(1000);
    ia_budget *child = ia_budget_new(e.budget, 0);
    ia_budget *grand = ia_budget_new(child, 900);
    ia_ctx cx;
    (void)state;
    ia_ctx_init(&cx, grand);
    const uint64_t own = ia_budget_used(e.budget), inner = ia_budget_used(child);
    assert_true(own < 100 && inner < 100); /* what the budgets themselves take */
    assert_ok(ia_budget_reserve(&e.cx, 300));
    assert_int_equal(ia_budget_left(grand), 700 - own);
    assert_int_equal(ia_budget_left(child), 700 - own);
    assert_fails(ia_budget_reserve(&cx, 701 - own), IA_ERR_OVER_BUDGET);
    /* a refused charge leaves no trace on the way up */
    assert_int_equal(ia_budget_used(grand), 0);
    assert_int_equal(ia_budget_used(child), inner);
    assert_int_equal(ia_budget_used(e.budget), own + 300);
    assert_ok(ia_budget_reserve(&cx, 700 - own));
    assert_int_equal(ia_budget_used(e.budget), 1000);
    ia_budget_release(&cx, 700 - own);
    ia_budget_release(&e.cx, 300);
    ia_budget_drop(grand);
    ia_budget_drop(child);
    env_end(&e);
}

static void an_unlimited_budget_has_everything_left(void **state)
{
    env e = env_new(0);
    (void)state;
    assert_true(ia_budget_left(e.budget) == UINT64_MAX);
    env_end(&e);
}

static void a_dropped_budget_lives_until_its_last_byte_is_freed(void **state)
{
    env e = env_new(0);
    ia_budget *child = ia_budget_new(e.budget, 0);
    ia_ctx cx;
    (void)state;
    ia_ctx_init(&cx, child);
    char *p = ia_strdup(&cx, "kept");
    assert_non_null(p);
    ia_budget_drop(child);
    assert_true(ia_budget_used(e.budget) > 0);
    ia_free(p); /* the address sanitizer watches this one */
    env_end(&e);
}

static void a_parent_may_be_dropped_before_its_child(void **state)
{
    ia_budget *parent = ia_budget_new(NULL, 100);
    ia_budget *child = ia_budget_new(parent, 0);
    ia_ctx cx;
    (void)state;
    ia_ctx_init(&cx, child);
    ia_budget_drop(parent);
    for (int i = 0; i < 3; i++) { /* the parent gets empty more than once */
        assert_fails(ia_budget_reserve(&cx, 101), IA_ERR_OVER_BUDGET);
        assert_ok(ia_budget_reserve(&cx, 50));
        ia_budget_release(&cx, 50);
    }
    ia_budget_drop(child);
    ia_budget_drop(NULL);
}

enum { THREADS = 4, ROUNDS = 5000 };

static void *reserve_often(void *arg)
{
    ia_ctx cx;
    intptr_t refused = 0;
    ia_ctx_init(&cx, arg);
    for (int i = 0; i < ROUNDS; i++) {
        if (ia_budget_reserve(&cx, 30) == IA_OK)
            ia_budget_release(&cx, 30);
        else
            refused++;
    }
    return (void *)refused;
}

static void threads_share_a_budget_without_losing_bytes(void **state)
{
    env e = env_new(100); /* three of four fit */
    pthread_t t[THREADS];
    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, reserve_often, e.budget), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    assert_true(ia_budget_peak(e.budget) <= 100);
    env_end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_own_name),
        cmocka_unit_test(fail_records_code_and_text),
        cmocka_unit_test(fail_may_quote_the_old_text),
        cmocka_unit_test(prefix_keeps_the_text_and_leaves_success_alone),
        cmocka_unit_test(long_text_is_cut_between_characters),
        cmocka_unit_test(a_set_cancel_flag_stops_the_operation),
        cmocka_unit_test(progress_is_reported_at_most_every_100_ms),
        cmocka_unit_test(a_budget_refuses_what_is_over_its_limit),
        cmocka_unit_test(a_child_reserves_from_its_parents),
        cmocka_unit_test(an_unlimited_budget_has_everything_left),
        cmocka_unit_test(a_dropped_budget_lives_until_its_last_byte_is_freed),
        cmocka_unit_test(a_parent_may_be_dropped_before_its_child),
        cmocka_unit_test(threads_share_a_budget_without_losing_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
