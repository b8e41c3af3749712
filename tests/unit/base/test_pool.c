/* test_pool.c - worker threads: order, errors, cancelling, many jobs at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/pool.h"

typedef struct number {
    uint64_t in, out;
    bool fail;
} number;

static ia_status square(ia_ctx *cx, void *arg)
{
    number *n = arg;
    uint64_t *block = ia_alloc(cx, 64 + n->in % 100);

    if (!block)
        return cx->err.code;
    block[0] = n->in;
    n->out = block[0] * n->in;
    ia_free(block);
    if (n->fail)
        return ia_fail(cx, IA_ERR_CORRUPT, "number %u is bad", (unsigned)n->in);
    return IA_OK;
}

static void with_pools(void (*fn)(ia_ctx *cx, ia_pool *p))
{
    for (uint32_t threads = 0; threads <= 4; threads++) {
        ia_budget *budget = ia_budget_new(NULL, 0);
        ia_pool *p = NULL;
        ia_ctx cx;

        ia_ctx_init(&cx, budget);
        assert_int_equal(ia_pool_new(&cx, threads, &p), IA_OK);
        assert_int_equal(ia_pool_threads(p), threads ? threads : 1);
        fn(&cx, p);
        ia_pool_free(p);
        assert_int_equal(ia_budget_used(budget), 0);
        ia_budget_drop(budget);
    }
}

static void window_of_jobs(ia_ctx *cx, ia_pool *p)
{
    enum { N = 500, SLOTS = 5 };
    ia_job jobs[SLOTS] = {{0}};
    number v[SLOTS];

    for (unsigned i = 0; i < N + SLOTS; i++) {
        ia_job *j = &jobs[i % SLOTS];

        if (i >= SLOTS) {
            assert_int_equal(ia_pool_wait(cx, p, j), IA_OK);
            assert_int_equal(v[i % SLOTS].out, (uint64_t)(i - SLOTS) * (i - SLOTS));
        }
        if (i < N) {
            v[i % SLOTS] = (number){.in = i};
            j->fn = square;
            j->arg = &v[i % SLOTS];
            ia_pool_submit(cx, p, j);
        }
    }
    assert_int_equal(ia_pool_wait(cx, p, &jobs[0]), IA_OK); /* idle */
}

static void jobs_run_ahead_and_are_waited_for_in_order(void **state)
{
    (void)state;
    with_pools(window_of_jobs);
}

static void failing_job(ia_ctx *cx, ia_pool *p)
{
    number good = {.in = 3}, bad = {.in = 7, .fail = true};
    ia_job a = {.fn = square, .arg = &good}, b = {.fn = square, .arg = &bad};

    ia_pool_submit(cx, p, &a);
    ia_pool_submit(cx, p, &b);
    assert_int_equal(ia_pool_wait(cx, p, &b), IA_ERR_CORRUPT);
    assert_string_equal(cx->err.text, "number 7 is bad");
    assert_int_equal(ia_pool_wait(cx, p, &a), IA_OK);
    assert_int_equal(good.out, 9);
    ia_ctx_clear(cx);
}

static void the_error_of_a_job_reaches_who_waits_for_it(void **state)
{
    (void)state;
    with_pools(failing_job);
}

static void each_number(ia_ctx *cx, ia_pool *p)
{
    enum { N = 1000 };
    static number v[N];

    for (unsigned i = 0; i < N; i++)
        v[i] = (number){.in = i};
    assert_int_equal(ia_pool_each(cx, p, square, v, N, sizeof v[0]), IA_OK);
    for (unsigned i = 0; i < N; i++)
        assert_int_equal(v[i].out, (uint64_t)i * i);
    assert_int_equal(ia_pool_each(cx, p, square, v, 0, sizeof v[0]), IA_OK);
    v[40].fail = v[41].fail = v[900].fail = true;
    assert_int_equal(ia_pool_each(cx, p, square, v, N, sizeof v[0]), IA_ERR_CORRUPT);
    assert_string_equal(cx->err.text, "number 40 is bad");
    ia_ctx_clear(cx);
}

static void each_covers_all_and_reports_the_first_failure(void **state)
{
    (void)state;
    with_pools(each_number);
}

static void cancelled(ia_ctx *cx, ia_pool *p)
{
    atomic_bool stop = true;
    number v[3] = {{.in = 5}, {.in = 6}, {.in = 7}};
    ia_job j = {.fn = square, .arg = &v[0]};

    cx->cancel = &stop;
    ia_pool_submit(cx, p, &j);
    assert_int_equal(ia_pool_wait(cx, p, &j), IA_ERR_CANCELLED);
    assert_int_equal(ia_pool_each(cx, p, square, v, 3, sizeof v[0]), IA_ERR_CANCELLED);
    assert_int_equal(v[0].out + v[1].out + v[2].out, 0);
    cx->cancel = NULL;
    ia_ctx_clear(cx);
}

static void a_cancel_flag_stops_jobs_before_they_start(void **state)
{
    (void)state;
    with_pools(cancelled);
}

static void dropped(ia_ctx *cx, ia_pool *p)
{
    number v[20];
    ia_job jobs[20] = {{0}};

    for (unsigned i = 0; i < 20; i++) {
        v[i] = (number){.in = i};
        jobs[i] = (ia_job){.fn = square, .arg = &v[i]};
        ia_pool_submit(cx, p, &jobs[i]);
    }
    ia_pool_drop(p, &jobs[19]);
    ia_pool_drop(p, &jobs[0]);
    for (unsigned i = 1; i < 19; i++)
        ia_pool_drop(p, &jobs[i]);
    ia_pool_submit(cx, p, &jobs[5]);
    assert_int_equal(ia_pool_wait(cx, p, &jobs[5]), IA_OK);
    assert_int_equal(v[5].out, 25);
}

static void jobs_that_nobody_wants_are_dropped(void **state)
{
    (void)state;
    with_pools(dropped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_run_ahead_and_are_waited_for_in_order),
        cmocka_unit_test(the_error_of_a_job_reaches_who_waits_for_it),
        cmocka_unit_test(each_covers_all_and_reports_the_first_failure),
        cmocka_unit_test(a_cancel_flag_stops_jobs_before_they_start),
        cmocka_unit_test(jobs_that_nobody_wants_are_dropped),
    };

    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
