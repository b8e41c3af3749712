/* test_bitmap.c - sets of u32, and the portable format with good and damaged bytes. */
#include "base/bitmap.h"

#include "test_env.h"

static ia_bitmap *bitmap_of(env *e, const uint32_t *values, size_t n)
{
    ia_bitmap *b;
    assert_ok(ia_bitmap_new(&e->cx, &b));
    for (size_t i = 0; i < n; i++)
        ia_bitmap_add(b, values[i]);
    return b;
}

static void members_are_added_counted_and_removed(void **state)
{
    env e = env_new(0);
    const uint32_t values[] = {5, 0, UINT32_MAX, 70000, 5};
    ia_bitmap *b = bitmap_of(&e, values, 5);
    uint32_t out[4], max;
    (void)state;
    assert_int_equal(ia_bitmap_count(b), 4);
    assert_true(ia_bitmap_has(b, 0));
    assert_false(ia_bitmap_has(b, 1));
    assert_int_equal(ia_bitmap_rank(b, 0), 0);
    assert_int_equal(ia_bitmap_rank(b, 5), 1);
    assert_int_equal(ia_bitmap_rank(b, 6), 2);
    assert_int_equal(ia_bitmap_rank(b, UINT32_MAX), 3);
    ia_bitmap_to_array(b, out);
    const uint32_t sorted[] = {0, 5, 70000, UINT32_MAX};
    assert_memory_equal(out, sorted, sizeof sorted);
    assert_true(ia_bitmap_max(b, &max));
    assert_int_equal(max, UINT32_MAX);
    ia_bitmap_remove(b, UINT32_MAX);
    assert_true(ia_bitmap_max(b, &max));
    assert_int_equal(max, 70000);
    ia_bitmap_free(b);
    env_end(&e);
}

static void ranges_end_before_their_end(void **state)
{
    env e = env_new(0);
    ia_bitmap *b = bitmap_of(&e, NULL, 0);
    (void)state;
    ia_bitmap_add_range(b, 10, 10);
    ia_bitmap_add_range(b, 10, 5);
    assert_int_equal(ia_bitmap_count(b), 0);
    ia_bitmap_add_range(b, 10, 20);
    assert_int_equal(ia_bitmap_count(b), 10);
    assert_false(ia_bitmap_has(b, 20));
    ia_bitmap_add_range(b, UINT32_MAX - 1, UINT64_MAX);
    assert_int_equal(ia_bitmap_count(b), 12);
    ia_bitmap_add_range(b, UINT64_C(1) << 32, UINT64_C(1) << 33);
    assert_int_equal(ia_bitmap_count(b), 12);
    ia_bitmap_free(b);
    env_end(&e);
}

static void null_reads_as_empty(void **state)
{
    env e = env_new(0);
    ia_bitmap *empty = bitmap_of(&e, NULL, 0), *copy;
    ia_bytes a, b;
    uint32_t v;
    (void)state;
    assert_int_equal(ia_bitmap_count(NULL), 0);
    assert_false(ia_bitmap_has(NULL, 0));
    assert_int_equal(ia_bitmap_rank(NULL, 9), 0);
    assert_true(ia_bitmap_equal(NULL, NULL));
    assert_true(ia_bitmap_equal(NULL, empty));
    assert_false(ia_bitmap_intersects(NULL, empty));
    assert_false(ia_bitmap_max(NULL, &v));
    assert_false(ia_bitmap_max(empty, &v));
    assert_int_equal(ia_bitmap_next(NULL, 0, &v, 1), 0);
    ia_bitmap_or(empty, NULL);
    ia_bitmap_andnot(empty, NULL);
    assert_ok(ia_bitmap_copy(&e.cx, NULL, &copy));
    assert_int_equal(ia_bitmap_count(copy), 0);
    assert_ok(ia_bitmap_encode(&e.cx, NULL, &a));
    assert_ok(ia_bitmap_encode(&e.cx, empty, &b));
    assert_int_equal(a.len, 8);
    assert_int_equal(b.len, 8);
    assert_memory_equal(a.data, b.data, 8);
    ia_bytes_dispose(&a);
    ia_bytes_dispose(&b);
    ia_bitmap_free(copy);
    ia_bitmap_free(empty);
    ia_bitmap_free(NULL);
    env_end(&e);
}

static void set_operations_change_the_left_side_only(void **state)
{
    env e = env_new(0);
    const uint32_t x[] = {1, 2, 3}, y[] = {3, 4};
    ia_bitmap *a = bitmap_of(&e, x, 3), *b = bitmap_of(&e, y, 2), *c;
    (void)state;
    assert_true(ia_bitmap_intersects(a, b));
    assert_ok(ia_bitmap_copy(&e.cx, a, &c));
    assert_true(ia_bitmap_equal(a, c));
    ia_bitmap_or(c, b);
    assert_int_equal(ia_bitmap_count(c), 4);
    assert_int_equal(ia_bitmap_count(a), 3);
    ia_bitmap_andnot(c, a);
    assert_true(ia_bitmap_has(c, 4));
    assert_int_equal(ia_bitmap_count(c), 1);
    assert_false(ia_bitmap_intersects(a, c));
    ia_bitmap_or(c, c);
    assert_int_equal(ia_bitmap_count(c), 1);
    ia_bitmap_andnot(c, c);
    assert_int_equal(ia_bitmap_count(c), 0);
    ia_bitmap_free(a);
    ia_bitmap_free(b);
    ia_bitmap_free(c);
    env_end(&e);
}

static void next_walks_in_pieces(void **state)
{
    env e = env_new(0);
    ia_bitmap *b = bitmap_of(&e, NULL, 0);
    uint32_t out[1000];
    uint64_t from = 0, seen = 0;
    (void)state;
    ia_bitmap_add_range(b, 100, 70000);
    for (uint32_t v = 100000; v < 200000; v += 7)
        ia_bitmap_add(b, v);
    ia_bitmap_add(b, UINT32_MAX);
    for (;;) {
        const size_t n = ia_bitmap_next(b, from, out, 1000);
        for (size_t i = 0; i < n; i++) {
            assert_true(out[i] >= from && ia_bitmap_has(b, out[i]));
            from = (uint64_t)out[i] + 1;
        }
        seen += n;
        if (n < 1000)
            break;
    }
    assert_int_equal(seen, ia_bitmap_count(b));
    assert_int_equal(ia_bitmap_next(b, UINT64_C(1) << 32, out, 10), 0);
    assert_int_equal(ia_bitmap_next(b, 69999, out, 2), 2);
    assert_int_equal(out[0], 69999);
    assert_int_equal(out[1], 100000);
    assert_int_equal(ia_bitmap_next(b, 0, out, 0), 0);
    ia_bitmap_free(b);
    env_end(&e);
}

static void encoding_has_no_runs_and_reads_back(void **state)
{
    env e = env_new(0);
    ia_bitmap *b = bitmap_of(&e, NULL, 0), *back;
    ia_bytes bytes;
    uint64_t seed = 42;
    (void)state;
    ia_bitmap_add_range(b, 0, 200000); /* full containers */
    for (int i = 0; i < 20000; i++)
        ia_bitmap_add(b, 1000000 + (uint32_t)(next_random(&seed) % 60000)); /* a bitset */
    for (int i = 0; i < 500; i++)
        ia_bitmap_add(b, (uint32_t)next_random(&seed)); /* arrays */
    assert_ok(ia_bitmap_encode(&e.cx, b, &bytes));
    assert_int_equal(ia_le32(bytes.data), 12346);
    assert_ok(ia_bitmap_decode(&e.cx, bytes.data, bytes.len, &back));
    assert_true(ia_bitmap_equal(b, back));
    ia_bitmap_free(back);
    ia_bytes_dispose(&bytes);
    ia_bitmap_free(b);
    env_end(&e);
}

/* cookie with one run container flagged; key 2; cardinality 6; runs 10..12 and 20..22 */
static const uint8_t with_runs[] = {0x3B, 0x30, 0, 0, 1, 2,  0, 5, 0, 2,
                                    0,    10,   0, 2, 0, 20, 0, 2, 0};

static void runs_up_to_the_last_value_of_a_container_are_encoded(void **state)
{
    const uint32_t begins[] = {65535, 65530, 65536 + 65536 - 4096, 3 * 65536 - 4097, 3 * 65536};
    const uint32_t ends[] = {65536, 65536, 2 * 65536, 3 * 65536, 4 * 65536};
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        env e = env_new(0);
        ia_bitmap *b = bitmap_of(&e, NULL, 0), *again;
        ia_bytes bytes;
        ia_bitmap_add_range(b, begins[i], ends[i]);
        assert_ok(ia_bitmap_encode(&e.cx, b, &bytes));
        assert_int_equal(ia_le32(bytes.data), 12346);
        assert_ok(ia_bitmap_decode(&e.cx, bytes.data, bytes.len, &again));
        assert_true(ia_bitmap_equal(b, again));
        assert_int_equal(ia_bitmap_count(again), ends[i] - begins[i]);
        ia_bytes_dispose(&bytes);
        ia_bitmap_free(b);
        ia_bitmap_free(again);
        env_end(&e);
    }
}

static void run_containers_are_read(void **state)
{
    env e = env_new(0);
    ia_bitmap *b;
    ia_bytes plain;
    (void)state;
    assert_ok(ia_bitmap_decode(&e.cx, with_runs, sizeof with_runs, &b));
    assert_int_equal(ia_bitmap_count(b), 6);
    assert_true(ia_bitmap_has(b, 2 * 65536 + 10));
    assert_true(ia_bitmap_has(b, 2 * 65536 + 22));
    assert_false(ia_bitmap_has(b, 2 * 65536 + 23));
    assert_ok(ia_bitmap_encode(&e.cx, b, &plain));
    assert_int_equal(ia_le32(plain.data), 12346);
    assert_int_equal(plain.len, 8 + 8 + 12);
    ia_bytes_dispose(&plain);
    ia_bitmap_free(b);
    env_end(&e);
}

static void expect_corrupt(env *e, const uint8_t *p, size_t n)
{
    ia_bitmap *b = (ia_bitmap *)e;
    uint8_t *exact = ia_alloc(&e->cx, n); /* so that reading past the end is noticed */
    memcpy(exact, p, n);
    assert_fails(ia_bitmap_decode(&e->cx, exact, n, &b), IA_ERR_CORRUPT);
    assert_null(b);
    ia_free(exact);
}

static void damaged_runs_are_refused(void **state)
{
    env e = env_new(0);
    static const struct {
        size_t at;
        uint8_t value;
    } damage[] = {
        {7, 6},            /* cardinality */
        {11, 30},          /* first run after the second */
        {13, 200},         /* first run reaches over the second */
        {15, 13},          /* runs touch */
        {9, 1},    {9, 3}, /* run count */
        {0, 0x3C},         /* cookie */
        {2, 1},            /* two containers */
    };
    uint8_t copy[sizeof with_runs];
    (void)state;
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        memcpy(copy, with_runs, sizeof copy);
        copy[damage[i].at] = damage[i].value;
        expect_corrupt(&e, copy, sizeof copy);
    }
    for (size_t n = 0; n < sizeof with_runs; n++)
        expect_corrupt(&e, with_runs, n);
    memcpy(copy, with_runs, sizeof copy); /* a run that passes 65535 */
    copy[7] = 0x10;
    copy[15] = 0xF0;
    copy[16] = 0xFF;
    copy[17] = 0xFF;
    expect_corrupt(&e, copy, sizeof copy);
    env_end(&e);
}

static void damaged_arrays_and_bitsets_are_refused(void **state)
{
    env e = env_new(0);
    const uint32_t values[] = {1, 2, 3, 65536, 65537};
    ia_bitmap *b = bitmap_of(&e, values, 5);
    ia_bytes bytes;
    (void)state;
    for (uint32_t v = 0; v < 10000; v += 2)
        ia_bitmap_add(b, 3 * 65536 + v);
    assert_ok(ia_bitmap_encode(&e.cx, b, &bytes));
    for (size_t n = 0; n < bytes.len; n += n < 60 ? 1 : 997)
        expect_corrupt(&e, bytes.data, n);
    const size_t places[] = {4, 8, 10, 20, 24, 34, 60, 8000};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        bytes.data[places[i]] ^= 0x41;
        expect_corrupt(&e, bytes.data, bytes.len);
        bytes.data[places[i]] ^= 0x41;
    }
    ia_bytes_dispose(&bytes);
    ia_bitmap_free(b);
    const uint8_t huge[] = {0x3A, 0x30, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF};
    expect_corrupt(&e, huge, sizeof huge);
    env_end(&e);
}

static void random_damage_never_breaks_the_reader(void **state)
{
    env e = env_new(0);
    uint8_t copy[sizeof with_runs];
    uint64_t seed = 99;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        ia_bitmap *b;
        ia_bytes out;
        memcpy(copy, with_runs, sizeof copy);
        for (int k = 0; k < 3; k++)
            copy[next_random(&seed) % sizeof copy] = (uint8_t)next_random(&seed);
        if (ia_bitmap_decode(&e.cx, copy, sizeof copy, &b) != IA_OK)
            continue;
        assert_ok(ia_bitmap_encode(&e.cx, b, &out)); /* what was accepted is sound */
        ia_bytes_dispose(&out);
        ia_bitmap_free(b);
    }
    env_end(&e);
}

static ia_status make_and_encode(ia_ctx *cx)
{
    ia_bitmap *b = NULL;
    ia_bytes out = {0};
    ia_status st;
    IA_GO(ia_bitmap_decode(cx, with_runs, sizeof with_runs, &b));
    IA_GO(ia_bitmap_encode(cx, b, &out));
done:
    ia_bytes_dispose(&out);
    ia_bitmap_free(b);
    return st;
}

static void failing_allocations_and_small_budgets_are_reported(void **state)
{
    env e = env_new(0), small = env_new(100);
    ia_bitmap *b;
    (void)state;
    FAIL_EVERY_ALLOCATION(&e.cx, make_and_encode(&e.cx), (void)0);
    assert_fails(ia_bitmap_decode(&small.cx, with_runs, sizeof with_runs, &b), IA_ERR_OVER_BUDGET);
    env_end(&small);
    env_end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_added_counted_and_removed),
        cmocka_unit_test(ranges_end_before_their_end),
        cmocka_unit_test(null_reads_as_empty),
        cmocka_unit_test(set_operations_change_the_left_side_only),
        cmocka_unit_test(next_walks_in_pieces),
        cmocka_unit_test(encoding_has_no_runs_and_reads_back),
        cmocka_unit_test(runs_up_to_the_last_value_of_a_container_are_encoded),
        cmocka_unit_test(run_containers_are_read),
        cmocka_unit_test(damaged_runs_are_refused),
        cmocka_unit_test(damaged_arrays_and_bitsets_are_refused),
        cmocka_unit_test(random_damage_never_breaks_the_reader),
        cmocka_unit_test(failing_allocations_and_small_budgets_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
