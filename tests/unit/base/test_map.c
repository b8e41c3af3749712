/* test_map.c - the hash maps. */
#include "base/map.h"

#include <stdio.h>

#include "test_env.h"

static void entries_keep_their_numbers_and_order(void **state)
{
    env e = env_new(0);
    ia_bytemap m = {0};
    char key[32];
    size_t index;
    bool added;
    (void)state;
    assert_false(ia_bytemap_find(&m, "x", 1, NULL));
    for (size_t i = 0; i < 20000; i++) {
        const int n = snprintf(key, sizeof key, "key %zu", i);
        assert_ok(ia_bytemap_put(&e.cx, &m, key, (size_t)n, &index, &added));
        assert_true(added);
        assert_int_equal(index, i);
        assert_int_equal(ia_bytemap_get(&m, index), 0);
        *ia_bytemap_value(&m, index) = i * 3;
    }
    for (size_t i = 0; i < 20000; i++) {
        const int n = snprintf(key, sizeof key, "key %zu", i);
        assert_ok(ia_bytemap_put(&e.cx, &m, key, (size_t)n, &index, &added));
        assert_false(added);
        assert_int_equal(index, i);
        assert_true(ia_bytemap_find(&m, key, (size_t)n, &index));
        assert_int_equal(index, i);
        assert_int_equal(ia_bytemap_get(&m, index), i * 3);
        assert_true(ia_view_eq_str(ia_bytemap_key(&m, i), key));
    }
    assert_int_equal(m.n, 20000);
    assert_false(ia_bytemap_find(&m, "key 20000", 9, NULL));
    ia_bytemap_dispose(&m);
    ia_bytemap_dispose(&m);
    env_end(&e);
}

static void keys_are_bytes_and_may_be_empty(void **state)
{
    env e = env_new(0);
    ia_bytemap m = {0};
    size_t index;
    (void)state;
    assert_ok(ia_bytemap_put(&e.cx, &m, NULL, 0, &index, NULL));
    assert_ok(ia_bytemap_put(&e.cx, &m, "\0", 1, &index, NULL));
    assert_ok(ia_bytemap_put(&e.cx, &m, "\0\0", 2, &index, NULL));
    assert_int_equal(m.n, 3);
    assert_true(ia_bytemap_find(&m, "", 0, &index));
    assert_int_equal(index, 0);
    assert_int_equal(ia_bytemap_key(&m, 0).len, 0);
    assert_non_null(ia_bytemap_key(&m, 0).data);
    assert_true(ia_bytemap_find(&m, "\0\0", 2, &index));
    assert_int_equal(index, 2);
    ia_bytemap_dispose(&m);
    env_end(&e);
}

static ia_status fill_bytes(ia_ctx *cx, ia_bytemap *m)
{
    char key[16];
    for (int i = 0; i < 100; i++) {
        const int n = snprintf(key, sizeof key, "%d", i);
        const size_t before = m->n;
        bool added;
        const ia_status st = ia_bytemap_put(cx, m, key, (size_t)n, NULL, &added);
        if (st != IA_OK) {
            assert_int_equal(m->n, before); /* nothing half-added */
            return st;
        }
        assert_int_equal(m->n, before + added);
    }
    return IA_OK;
}

static void a_failed_put_leaves_the_map_usable(void **state)
{
    env e = env_new(0);
    ia_bytemap m = {0};
    (void)state;
    FAIL_EVERY_ALLOCATION(&e.cx, fill_bytes(&e.cx, &m), ia_mem_fail_after(-1));
    assert_int_equal(m.n, 100);
    assert_true(ia_bytemap_find(&m, "99", 2, NULL));
    ia_bytemap_dispose(&m);
    env_end(&e);
}

static ia_status sort_keys(ia_ctx *cx, const ia_bytemap *m, size_t **out)
{
    return ia_bytemap_sorted(cx, m, out);
}

static void keys_are_sorted_by_bytes(void **state)
{
    static const char *const keys[] = {"b", "a", "", "ab", "\xFF", "B"};
    static const size_t want[] = {2, 5, 1, 3, 0, 4};
    env e = env_new(0);
    ia_bytemap m = {0};
    size_t *order;
    (void)state;
    assert_ok(ia_bytemap_sorted(&e.cx, &m, &order));
    assert_null(order);
    for (size_t i = 0; i < 6; i++)
        assert_ok(ia_bytemap_put(&e.cx, &m, keys[i], strlen(keys[i]), NULL, NULL));
    FAIL_EVERY_ALLOCATION(&e.cx, sort_keys(&e.cx, &m, &order), (void)0);
    assert_memory_equal(order, want, sizeof want);
    ia_free(order);
    ia_bytemap_dispose(&m);
    env_end(&e);
}

static void number_maps_replace_values(void **state)
{
    env e = env_new(0);
    ia_u64map m = {0};
    uint64_t value;
    (void)state;
    assert_false(ia_u64map_find(&m, 0, &value));
    for (uint64_t i = 0; i < 20000; i++) /* keys that agree in their low bits */
        assert_ok(ia_u64map_put(&e.cx, &m, i << 40, i));
    for (uint64_t i = 0; i < 20000; i += 2)
        assert_ok(ia_u64map_put(&e.cx, &m, i << 40, i + 7));
    assert_int_equal(m.n, 20000);
    for (uint64_t i = 0; i < 20000; i++) {
        assert_true(ia_u64map_find(&m, i << 40, &value));
        assert_int_equal(value, i % 2 == 0 ? i + 7 : i);
        assert_true(m.entries[i].key == i << 40);
    }
    assert_false(ia_u64map_find(&m, 1, &value));
    assert_ok(ia_u64map_put(&e.cx, &m, UINT64_MAX, 5));
    assert_true(ia_u64map_find(&m, UINT64_MAX, NULL));
    ia_u64map_dispose(&m);
    env_end(&e);
}

static void hashes_spread_and_do_not_depend_on_alignment(void **state)
{
    char text[80] = "xsome key of a length that leaves the short paths of the hash";
    const size_t n = strlen(text) - 1;
    (void)state;
    const uint64_t h = ia_hash_bytes(text + 1, n);
    memmove(text, text + 1, n);
    assert_true(ia_hash_bytes(text, n) == h);
    assert_true(ia_hash_bytes(NULL, 0) == ia_hash_bytes("", 0));
    assert_true(ia_hash_u64(1) != ia_hash_u64(2));
    unsigned low[16] = {0};
    for (uint64_t i = 0; i < 1600; i++)
        low[ia_hash_u64(i << 32) & 15]++;
    for (int i = 0; i < 16; i++)
        assert_true(low[i] > 50 && low[i] < 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_keep_their_numbers_and_order),
        cmocka_unit_test(keys_are_bytes_and_may_be_empty),
        cmocka_unit_test(a_failed_put_leaves_the_map_usable),
        cmocka_unit_test(keys_are_sorted_by_bytes),
        cmocka_unit_test(number_maps_replace_values),
        cmocka_unit_test(hashes_spread_and_do_not_depend_on_alignment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
