/* test_arrow_build.c - builders, slices, validation, bit runs, types and schemas. */
#include "arrow_gen.h"

#include "arrow/bits.h"

static void bit_runs_agree_with_single_bits(void **state)
{
    uint8_t src[40], dst[40], want[40];
    gen g;
    int round;

    (void)state;
    gen_open(&g, 1);
    for (round = 0; round < 4000; round++) {
        const int64_t n = gen_below(&g, 200), s = gen_below(&g, 60), d = gen_below(&g, 60);
        const bool v = gen_below(&g, 2) == 1;
        int64_t i, ones = 0;

        for (i = 0; i < 40; i++) {
            src[i] = (uint8_t)gen_next(&g);
            dst[i] = want[i] = (uint8_t)gen_next(&g);
        }
        for (i = 0; i < n; i++) {
            const bool b = ia_bit_get(src, s + i);

            ones += b;
            if (b)
                ia_bit_set(want, d + i);
            else
                ia_bit_clear(want, d + i);
        }
        assert_int_equal(ia_bits_count(src, s, n), ones);
        ia_bits_copy(dst, d, src, s, n);
        assert_memory_equal(dst, want, 40);
        ia_bits_fill(dst, d, n, v);
        for (i = 0; i < n; i++)
            assert_int_equal(ia_bit_get(dst, d + i), v);
        for (i = 0; i < 320; i++)
            if (i < d || i >= d + n)
                assert_int_equal(ia_bit_get(dst, i), ia_bit_get(want, i));
    }
    gen_close(&g);
}

static void slices_show_the_values_of_the_whole(void **state)
{
    gen g;
    int k, round;

    (void)state;
    gen_open(&g, 2);
    for (k = 0; k < GEN_TYPES; k++) {
        ia_type *t = gen_type(&g, k);

        for (round = 0; round < 6; round++) {
            ia_array *a = gen_array(&g, t, 70, round * 20), *s = NULL, *s2 = NULL;
            const int64_t start = gen_below(&g, 70), len = gen_below(&g, 71 - start);
            int64_t i, nulls = 0;

            GEN_OK(&g, ia_array_slice(&g.cx, a, start, len, &s));
            GEN_OK(&g, ia_array_validate(&g.cx, s, IA_VALIDATE_FULL));
            for (i = 0; i < len; i++) {
                gen_assert_same(&g, a, start + i, s, i);
                nulls += !ia_array_valid(a, start + i);
            }
            assert_int_equal(s->null_count, nulls);
            GEN_OK(&g, ia_array_slice(&g.cx, s, len / 3, len - len / 3, &s2));
            for (i = 0; i < s2->length; i++)
                gen_assert_same(&g, a, start + len / 3 + i, s2, i);
            ia_array_release(s2);
            ia_array_release(s);
            ia_array_release(a);
        }
        ia_type_release(t);
    }
    gen_close(&g);
}

static void copied_ranges_equal_single_copies(void **state)
{
    gen g;
    int k, round;

    (void)state;
    gen_open(&g, 3);
    for (k = 0; k < GEN_TYPES; k++) {
        ia_type *t = gen_type(&g, k);

        for (round = 0; round < 8; round++) {
            ia_array *src[3], *bulk = NULL, *single = NULL;
            ia_builder x, y;
            int64_t i, j, n = 0;

            GEN_OK(&g, ia_builder_init(&g.cx, &x, t));
            GEN_OK(&g, ia_builder_init(&g.cx, &y, t));
            for (j = 0; j < 3; j++) {
                const int64_t len = gen_below(&g, 40), start = gen_below(&g, len + 1);
                const int64_t m = gen_below(&g, len - start + 1);

                src[j] = gen_slice(&g, t, len, j == 0 ? 0 : round * 12);
                ia_builder_copy_range(&g.cx, &x, src[j], start, m);
                for (i = 0; i < m; i++)
                    ia_builder_copy(&g.cx, &y, src[j], start + i);
                n += m;
            }
            GEN_OK(&g, ia_builder_finish(&g.cx, &x, &bulk));
            GEN_OK(&g, ia_builder_finish(&g.cx, &y, &single));
            GEN_OK(&g, ia_array_validate(&g.cx, bulk, IA_VALIDATE_FULL));
            assert_int_equal(bulk->length, n);
            assert_int_equal(bulk->null_count, single->null_count);
            for (i = 0; i < n; i++)
                gen_assert_same(&g, bulk, i, single, i);
            for (j = 0; j < 3; j++)
                ia_array_release(src[j]);
            ia_array_release(bulk);
            ia_array_release(single);
            ia_builder_dispose(&x);
            ia_builder_dispose(&y);
        }
        ia_type_release(t);
    }
    gen_close(&g);
}

static void nulls_keep_children_full_and_valid(void **state)
{
    gen g;
    int k;

    (void)state;
    gen_open(&g, 4);
    for (k = 0; k < GEN_TYPES; k++) {
        ia_type *t = gen_type(&g, k);
        ia_array *a = NULL;
        size_t c;

        GEN_OK(&g, ia_array_nulls(&g.cx, t, 11, &a));
        GEN_OK(&g, ia_array_validate(&g.cx, a, IA_VALIDATE_FULL));
        assert_int_equal(a->null_count, 11);
        for (c = 0; c < a->n_children; c++)
            assert_int_equal(a->children[c]->null_count, 0);
        ia_array_release(a);
        GEN_OK(&g, ia_array_nulls(&g.cx, t, 0, &a));
        GEN_OK(&g, ia_array_validate(&g.cx, a, IA_VALIDATE_FULL));
        ia_array_release(a);
        ia_type_release(t);
    }
    gen_close(&g);
}

static void a_failed_append_is_reported_by_finish(void **state)
{
    gen g;
    ia_builder b;
    ia_array *a = NULL;
    ia_type *t = NULL;

    (void)state;
    gen_open(&g, 5);
    GEN_OK(&g, ia_builder_init(&g.cx, &b, ia_type_basic(IA_TYPE_STRING)));
    ia_builder_i64(&g.cx, &b, 1);
    ia_builder_str(&g.cx, &b, "x", 1);
    assert_int_equal(ia_builder_finish(&g.cx, &b, &a), IA_ERR_INTERNAL);
    assert_null(a);
    ia_ctx_clear(&g.cx);
    ia_builder_str(&g.cx, &b, "x", 1); /* empty and usable again */
    GEN_OK(&g, ia_builder_finish(&g.cx, &b, &a));
    assert_int_equal(a->length, 1);
    ia_array_release(a);
    ia_builder_dispose(&b);

    GEN_OK(&g, ia_type_list(&g.cx, IA_TYPE_FIXED_LIST, 3, "item", ia_type_basic(IA_TYPE_F32), true,
                            &t));
    GEN_OK(&g, ia_builder_init(&g.cx, &b, t));
    ia_builder_f64(&g.cx, &b.children[0], 1);
    ia_builder_end_list(&g.cx, &b);
    assert_int_equal(ia_builder_finish(&g.cx, &b, &a), IA_ERR_INVALID);
    ia_builder_dispose(&b);
    ia_type_release(t);
    gen_close(&g);
}

static void every_failing_allocation_is_survived(void **state)
{
    gen g;
    int k;

    (void)state;
    gen_open(&g, 6);
    for (k = 0; k < GEN_TYPES; k++) {
        ia_type *t = gen_type(&g, k);
        ia_array *src = gen_slice(&g, t, 9, 30);
        const uint64_t used = ia_budget_used(g.budget);
        ia_status st = IA_ERR_NO_MEMORY;
        int64_t n;

        for (n = 0; st != IA_OK; n++) {
            ia_array *a = NULL, *s = NULL;
            ia_builder b = {0};

            ia_ctx_clear(&g.cx);
            ia_mem_fail_after(n);
            st = ia_builder_init(&g.cx, &b, t);
            if (st == IA_OK) {
                ia_builder_copy_range(&g.cx, &b, src, 0, src->length);
                ia_builder_null(&g.cx, &b);
                ia_builder_copy_range(&g.cx, &b, src, 1, src->length - 1);
                st = ia_builder_finish(&g.cx, &b, &a);
            }
            if (st == IA_OK)
                st = ia_array_slice(&g.cx, a, 1, 5, &s);
            ia_mem_fail_after(-1);
            assert_true(st == IA_OK || st == IA_ERR_NO_MEMORY);
            ia_builder_dispose(&b);
            ia_array_release(s);
            ia_array_release(a);
            assert_int_equal(ia_budget_used(g.budget), used);
            assert_true(n < 500);
        }
        ia_array_release(src);
        ia_type_release(t);
    }
    gen_close(&g);
}

static void validation_finds_bad_offsets_and_bad_text(void **state)
{
    static const int32_t down[4] = {0, 3, 2, 4}, far[4] = {0, 1, 2, 99};
    gen g;
    ia_array *a = NULL;
    ia_builder b;
    int k;

    (void)state;
    gen_open(&g, 7);
    for (k = 0; k < 2; k++) {
        ia_buffer *o = NULL, *d = NULL;
        void *offsets = ia_alloc(&g.cx, sizeof down), *bytes = ia_strdup(&g.cx, "abcd");

        memcpy(offsets, k ? far : down, sizeof down);
        GEN_OK(&g, ia_buffer_own(&g.cx, offsets, sizeof down, &o));
        GEN_OK(&g, ia_buffer_own(&g.cx, bytes, 4, &d));
        GEN_OK(&g,
               ia_array_make(&g.cx, ia_type_basic(IA_TYPE_STRING), 3, 0, NULL, o, d, NULL, 0, &a));
        assert_int_equal(ia_array_validate(&g.cx, a, IA_VALIDATE_SIZES),
                         k ? IA_ERR_INVALID : IA_OK);
        assert_int_equal(ia_array_validate(&g.cx, a, IA_VALIDATE_FULL), IA_ERR_INVALID);
        ia_array_release(a);
    }
    GEN_OK(&g, ia_builder_init(&g.cx, &b, ia_type_basic(IA_TYPE_STRING)));
    ia_builder_str(&g.cx, &b, "\xc3", 1); /* half a letter here, half there */
    ia_builder_str(&g.cx, &b, "\xa9", 1);
    GEN_OK(&g, ia_builder_finish(&g.cx, &b, &a));
    assert_int_equal(ia_array_validate(&g.cx, a, IA_VALIDATE_SIZES), IA_OK);
    assert_int_equal(ia_array_validate(&g.cx, a, IA_VALIDATE_FULL), IA_ERR_INVALID);
    ia_array_release(a);
    ia_builder_dispose(&b);
    gen_close(&g);
}

static void slices_count_only_their_own_bytes(void **state)
{
    gen g;
    ia_builder b;
    ia_array *a = NULL, *s = NULL;
    int i;

    (void)state;
    gen_open(&g, 9);
    GEN_OK(&g, ia_builder_init(&g.cx, &b, ia_type_basic(IA_TYPE_STRING)));
    for (i = 0; i < 100; i++)
        ia_builder_str(&g.cx, &b, "0123456789", i < 50 ? 10 : 1);
    assert_int_equal(ia_builder_bytes(&b), 550 + 101 * 4);
    GEN_OK(&g, ia_builder_finish(&g.cx, &b, &a));
    assert_int_equal(ia_array_bytes(a), 550 + 101 * 4);
    GEN_OK(&g, ia_array_slice(&g.cx, a, 45, 10, &s));
    assert_int_equal(ia_array_bytes(s), 55 + 11 * 4);
    ia_array_release(s);
    ia_array_release(a);
    ia_builder_dispose(&b);
    gen_close(&g);
}

static void types_are_named_compared_and_counted(void **state)
{
    gen g;
    ia_type *a = NULL, *b = NULL, *c = NULL;
    char text[96];
    int i, j;

    (void)state;
    gen_open(&g, 8);
    for (i = 0; i < GEN_TYPES; i++)
        for (j = 0; j < GEN_TYPES; j++) {
            a = gen_type(&g, i);
            b = gen_type(&g, j);
            assert_int_equal(ia_type_equal(a, b), i == j);
            ia_type_release(a);
            ia_type_release(b);
        }
    GEN_OK(&g,
           ia_type_list(&g.cx, IA_TYPE_LIST, 0, "item", ia_type_basic(IA_TYPE_STRING), true, &a));
    GEN_OK(&g, ia_type_list(&g.cx, IA_TYPE_LIST, 0, "element", ia_type_basic(IA_TYPE_STRING), true,
                            &b));
    GEN_OK(&g,
           ia_type_list(&g.cx, IA_TYPE_LIST, 0, "item", ia_type_basic(IA_TYPE_STRING), false, &c));
    assert_true(ia_type_equal(a, b));
    assert_false(ia_type_equal(a, c));
    assert_string_equal(ia_type_text(a, text, sizeof text), "list<item: string>");
    assert_string_equal(ia_type_text(c, text, sizeof text), "list<item: string not null>");
    assert_string_equal(ia_type_text(c, text, 9), "list<ite");
    ia_type_release(c);
    GEN_OK(&g, ia_type_list(&g.cx, IA_TYPE_FIXED_LIST, 768, "item", ia_type_basic(IA_TYPE_F32),
                            true, &c));
    assert_int_equal(ia_type_bits(c), 768 * 32);
    ia_type_release(a);
    ia_type_release(b);
    ia_type_release(c);
    gen_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bit_runs_agree_with_single_bits),
        cmocka_unit_test(slices_show_the_values_of_the_whole),
        cmocka_unit_test(copied_ranges_equal_single_copies),
        cmocka_unit_test(nulls_keep_children_full_and_valid),
        cmocka_unit_test(a_failed_append_is_reported_by_finish),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(validation_finds_bad_offsets_and_bad_text),
        cmocka_unit_test(slices_count_only_their_own_bytes),
        cmocka_unit_test(types_are_named_compared_and_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
