/* test_mem.c - the allocator and arenas. */
#include "base/arena.h"

#include "test_env.h"

static void blocks_are_aligned_and_charged(void **state)
{
    env e = env_new(0);
    (void)state;
    for (size_t n = 0; n < 100; n++) {
        void *p = ia_alloc(&e.cx, n);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 16, 0);
        assert_true(ia_budget_used(e.budget) >= n);
        ia_free(p);
        assert_int_equal(ia_budget_used(e.budget), 0);
    }
    ia_free(NULL);
    env_end(&e);
}

static void calloc_zeroes_and_checks_the_product(void **state)
{
    env e = env_new(0);
    static const char zero[64];
    (void)state;
    char *p = ia_calloc(&e.cx, 8, 8);
    assert_memory_equal(p, zero, 64);
    ia_free(p);
    assert_null(ia_calloc(&e.cx, SIZE_MAX / 2, 3));
    assert_int_equal(e.cx.err.code, IA_ERR_NO_MEMORY);
    assert_null(ia_alloc(&e.cx, SIZE_MAX));
    assert_null(ia_alloc(&e.cx, SIZE_MAX - 8));
    env_end(&e);
}

static void realloc_keeps_content_and_charges_the_difference(void **state)
{
    env e = env_new(5000);
    (void)state;
    char *p = ia_realloc(&e.cx, NULL, 10);
    memcpy(p, "123456789", 10);
    const uint64_t small = ia_budget_used(e.budget);
    char *q = ia_realloc(&e.cx, p, 4000);
    assert_non_null(q);
    assert_string_equal(q, "123456789");
    assert_int_equal(ia_budget_used(e.budget), small + 3990);
    assert_null(ia_realloc(&e.cx, q, 6000));
    assert_int_equal(e.cx.err.code, IA_ERR_OVER_BUDGET);
    assert_string_equal(q, "123456789"); /* still ours */
    assert_int_equal(ia_budget_used(e.budget), small + 3990);
    q = ia_realloc(&e.cx, q, 10);
    assert_int_equal(ia_budget_used(e.budget), small);
    ia_free(q);
    env_end(&e);
}

static void a_block_is_given_back_to_the_budget_that_paid(void **state)
{
    env a = env_new(0), b = env_new(0);
    (void)state;
    char *p = ia_alloc(&a.cx, 100);
    p = ia_realloc(&b.cx, p, 1000); /* grows on the budget it was born with */
    assert_int_equal(ia_budget_used(b.budget), 0);
    assert_true(ia_budget_used(a.budget) >= 1000);
    ia_free(p);
    env_end(&a);
    env_end(&b);
}

static void a_block_handed_over_is_paid_by_nobody(void **state)
{
    env e = env_new(1000);
    (void)state;
    char *p = ia_alloc(&e.cx, 800);
    assert_non_null(p);
    memset(p, 7, 800);
    ia_mem_uncharge(p);
    ia_mem_uncharge(p);
    ia_mem_uncharge(NULL);
    assert_int_equal(ia_budget_used(e.budget), 0);
    char *q = ia_alloc(&e.cx, 800);
    assert_non_null(q);
    p = ia_realloc(&e.cx, p, 5000);
    assert_non_null(p);
    assert_int_equal(p[799], 7);
    ia_free(p);
    ia_free(q);
    env_end(&e);
}

static void the_kth_allocation_fails_on_demand(void **state)
{
    env e = env_new(0);
    (void)state;
    ia_mem_fail_after(1);
    void *p = ia_alloc(&e.cx, 8);
    assert_non_null(p);
    assert_null(ia_alloc(&e.cx, 8));
    assert_int_equal(e.cx.err.code, IA_ERR_NO_MEMORY);
    void *q = ia_alloc(&e.cx, 8); /* only that one */
    assert_non_null(q);
    ia_mem_fail_after(-1);
    ia_free(p);
    ia_free(q);
    const uint64_t before = ia_mem_alloc_count();
    ia_free(ia_alloc(&e.cx, 1));
    assert_int_equal(ia_mem_alloc_count(), before + 1);
    env_end(&e);
}

static void strings_are_copied_and_formatted(void **state)
{
    env e = env_new(0);
    (void)state;
    char *a = ia_strdup(&e.cx, "abc");
    char *b = ia_strndup(&e.cx, "abcdef", 2);
    char *c = ia_sprintf(&e.cx, "%s-%05d", a, 42);
    assert_string_equal(a, "abc");
    assert_string_equal(b, "ab");
    assert_string_equal(c, "abc-00042");
    ia_free(a);
    ia_free(b);
    ia_free(c);
    env_end(&e);
}

static void grow_doubles_and_honours_the_need(void **state)
{
    env e = env_new(0);
    uint32_t *items = NULL;
    size_t cap = 0, grown = 0;
    (void)state;
    for (uint32_t i = 0; i < 10000; i++) {
        const size_t before = cap;
        assert_ok(IA_GROW(&e.cx, items, cap, (size_t)i + 1));
        grown += cap != before;
        items[i] = i;
    }
    assert_true(grown < 20);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(items[i], i);
    assert_ok(IA_GROW(&e.cx, items, cap, 100000));
    assert_true(cap >= 100000);
    const size_t kept = cap;
    assert_fails(IA_GROW(&e.cx, items, cap, SIZE_MAX / 2), IA_ERR_NO_MEMORY);
    assert_int_equal(cap, kept);
    assert_int_equal(items[9999], 9999);
    ia_free(items);
    env_end(&e);
}

static void arena_objects_are_zeroed_aligned_and_apart(void **state)
{
    env e = env_new(0);
    ia_arena a = {0};
    uint8_t *all[300];
    uint64_t seed = 7;
    size_t sizes[300];
    (void)state;
    for (size_t i = 0; i < 300; i++) {
        sizes[i] = i % 50 == 49 ? 300000 : next_random(&seed) % 200;
        all[i] = ia_arena_alloc(&e.cx, &a, sizes[i]);
        assert_non_null(all[i]);
        assert_int_equal((uintptr_t)all[i] % 16, 0);
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(all[i][k], 0);
        memset(all[i], (int)(i % 251) + 1, sizes[i]);
    }
    for (size_t i = 0; i < 300; i++)
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(all[i][k], i % 251 + 1);
    ia_arena_dispose(&a);
    ia_arena_dispose(&a);
    env_end(&e);
}

static void arena_strings_and_overflow(void **state)
{
    env e = env_new(0);
    ia_arena a = {0};
    (void)state;
    assert_string_equal(ia_arena_strdup(&e.cx, &a, "abc"), "abc");
    assert_string_equal(ia_arena_strndup(&e.cx, &a, "abc", 1), "a");
    assert_string_equal(ia_arena_sprintf(&e.cx, &a, "%d%s", 3, "x"), "3x");
    assert_null(ia_arena_alloc(&e.cx, &a, SIZE_MAX));
    assert_null(ia_arena_alloc(&e.cx, &a, SIZE_MAX - 40));
    assert_null(ia_arena_calloc(&e.cx, &a, SIZE_MAX / 4, 8));
    assert_int_equal(e.cx.err.code, IA_ERR_NO_MEMORY);
    int *numbers = NULL;
    assert_ok(IA_ARENA_ARRAY(&e.cx, &a, numbers, 10));
    assert_int_equal(numbers[9], 0);
    ia_arena_dispose(&a);
    env_end(&e);
}

static void an_arena_stops_at_the_budget(void **state)
{
    env e = env_new(10000);
    ia_arena a = {0};
    (void)state;
    while (ia_arena_alloc(&e.cx, &a, 100))
        ;
    assert_int_equal(e.cx.err.code, IA_ERR_OVER_BUDGET);
    assert_true(ia_budget_used(e.budget) <= 10000);
    ia_arena_dispose(&a);
    env_end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_charged),
        cmocka_unit_test(calloc_zeroes_and_checks_the_product),
        cmocka_unit_test(realloc_keeps_content_and_charges_the_difference),
        cmocka_unit_test(a_block_is_given_back_to_the_budget_that_paid),
        cmocka_unit_test(a_block_handed_over_is_paid_by_nobody),
        cmocka_unit_test(the_kth_allocation_fails_on_demand),
        cmocka_unit_test(strings_are_copied_and_formatted),
        cmocka_unit_test(grow_doubles_and_honours_the_need),
        cmocka_unit_test(arena_objects_are_zeroed_aligned_and_apart),
        cmocka_unit_test(arena_strings_and_overflow),
        cmocka_unit_test(an_arena_stops_at_the_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
