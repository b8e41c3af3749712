/* test_arrow_take.c - take, concat and project against element-by-element expectations. */
#include "arrow_gen.h"

static void take_gathers_each_index_and_null(void **state)
{
    int64_t idx[90];
    gen g;
    int k, round;

    (void)state;
    gen_open(&g, 11);
    for (k = 0; k < GEN_TYPES; k++) {
        ia_type *t = gen_type(&g, k);

        for (round = 0; round < 6; round++) {
            ia_array *a = gen_slice(&g, t, 33, round < 2 ? 0 : 25), *out = NULL;
            const int64_t n = gen_below(&g, 90);
            int64_t i;

            for (i = 0; i < n; i++)
                idx[i] = gen_below(&g, 33) - (round % 2 ? 0 : gen_below(&g, 3) == 0 ? 99 : 0);
            GEN_OK(&g, ia_take_array(&g.cx, a, idx, n, &out));
            GEN_OK(&g, ia_array_validate(&g.cx, out, IA_VALIDATE_FULL));
            assert_int_equal(out->length, n);
            for (i = 0; i < n; i++) {
                if (idx[i] < 0)
                    assert_false(ia_array_valid(out, i));
                else
                    gen_assert_same(&g, out, i, a, idx[i]);
            }
            ia_array_release(out);
            ia_array_release(a);
        }
        ia_type_release(t);
    }
    gen_close(&g);
}

static void take_past_the_end_is_refused(void **state)
{
    const int64_t idx[2] = {0, 5};
    gen g;
    ia_array *a, *out = NULL;

    (void)state;
    gen_open(&g, 12);
    a = gen_slice(&g, ia_type_basic(IA_TYPE_I32), 5, 0);
    assert_int_equal(ia_take_array(&g.cx, a, idx, 2, &out), IA_ERR_INTERNAL);
    assert_null(out);
    ia_array_release(a);
    gen_close(&g);
}

static void concat_joins_slices_in_order(void **state)
{
    gen g;
    int k, round;

    (void)state;
    gen_open(&g, 13);
    for (k = 0; k < GEN_TYPES; k++) {
        ia_type *t = gen_type(&g, k);

        for (round = 0; round < 6; round++) {
            ia_array *parts[4], *out = NULL;
            int64_t i, at = 0;
            int p;

            for (p = 0; p < 4; p++)
                parts[p] = gen_slice(&g, t, gen_below(&g, 30), p == 0 ? 0 : 20 * (round % 3));
            GEN_OK(&g, ia_concat_arrays(&g.cx, parts, 4, &out));
            GEN_OK(&g, ia_array_validate(&g.cx, out, IA_VALIDATE_FULL));
            for (p = 0; p < 4; p++) {
                for (i = 0; i < parts[p]->length; i++)
                    gen_assert_same(&g, out, at + i, parts[p], i);
                at += parts[p]->length;
                ia_array_release(parts[p]);
            }
            assert_int_equal(out->length, at);
            ia_array_release(out);
        }
        ia_type_release(t);
    }
    gen_close(&g);
}

static ia_batch *three_columns(gen *g, int64_t rows)
{
    char a[] = "a", b[] = "b", c[] = "c";
    ia_field f[3] = {{.name = a, .type = ia_type_basic(IA_TYPE_I64), .nullable = true},
                     {.name = b, .type = ia_type_basic(IA_TYPE_STRING), .nullable = true},
                     {.name = c, .type = gen_type(g, 25), .nullable = true}};
    ia_array *cols[3];
    ia_schema *s = NULL;
    ia_batch *batch = NULL;
    int i;

    GEN_OK(g, ia_schema_new(&g->cx, f, 3, &s));
    for (i = 0; i < 3; i++)
        cols[i] = gen_slice(g, f[i].type, rows, 20);
    GEN_OK(g, ia_batch_make(&g->cx, s, rows, cols, &batch));
    ia_type_release(f[2].type);
    ia_schema_release(s);
    return batch;
}

static void batches_are_taken_joined_and_projected(void **state)
{
    const int64_t idx[4] = {3, 0, -1, 3};
    const int cols[2] = {2, 0}, wrong[1] = {-1};
    gen g;
    ia_batch *x, *y, *out = NULL, *parts[2];
    int64_t i;

    (void)state;
    gen_open(&g, 14);
    x = parts[0] = three_columns(&g, 6);
    y = three_columns(&g, 4);
    GEN_OK(&g, ia_batch_slice(&g.cx, y, 1, 3, &parts[1]));
    GEN_OK(&g, ia_take_batch(&g.cx, x, idx, 4, &out));
    gen_assert_same(&g, out->cols[1], 3, x->cols[1], 3);
    assert_false(ia_array_valid(ia_batch_col(out, "c"), 2));
    ia_batch_release(out);
    GEN_OK(&g, ia_concat_batches(&g.cx, x->schema, parts, 2, &out));
    assert_int_equal(out->rows, 9);
    for (i = 0; i < 9; i++)
        gen_assert_same(&g, out->cols[2], i, i < 6 ? x->cols[2] : y->cols[2], i < 6 ? i : i - 5);
    ia_batch_release(out);
    GEN_OK(&g, ia_concat_batches(&g.cx, x->schema, NULL, 0, &out));
    assert_int_equal(out->rows, 0);
    ia_batch_release(out);
    GEN_OK(&g, ia_project_batch(&g.cx, x, cols, 2, &out));
    assert_string_equal(out->schema->fields[0].name, "c");
    assert_ptr_equal(out->cols[1], x->cols[0]);
    ia_batch_release(out);
    assert_int_equal(ia_project_batch(&g.cx, x, wrong, 1, &out), IA_ERR_INTERNAL);
    assert_null(out);
    ia_batch_release(parts[1]);
    ia_batch_release(x);
    ia_batch_release(y);
    gen_close(&g);
}

static void every_failing_allocation_of_a_kernel_is_survived(void **state)
{
    const int64_t idx[5] = {4, -1, 0, 4, 2};
    gen g;
    int k;

    (void)state;
    gen_open(&g, 15);
    for (k = 0; k < GEN_TYPES; k++) {
        ia_type *t = gen_type(&g, k);
        ia_array *parts[2] = {gen_slice(&g, t, 5, 30), gen_slice(&g, t, 4, 30)};
        const uint64_t used = ia_budget_used(g.budget);
        ia_status st = IA_ERR_NO_MEMORY;
        int64_t n;

        for (n = 0; st != IA_OK; n++) {
            ia_array *a = NULL, *b = NULL;

            ia_ctx_clear(&g.cx);
            ia_mem_fail_after(n);
            st = ia_take_array(&g.cx, parts[0], idx, 5, &a);
            if (st == IA_OK)
                st = ia_concat_arrays(&g.cx, parts, 2, &b);
            ia_mem_fail_after(-1);
            assert_true(st == IA_OK || (st == IA_ERR_NO_MEMORY && !b));
            ia_array_release(a);
            ia_array_release(b);
            assert_int_equal(ia_budget_used(g.budget), used);
            assert_true(n < 500);
        }
        ia_array_release(parts[0]);
        ia_array_release(parts[1]);
        ia_type_release(t);
    }
    gen_close(&g);
}

/* Two columns with dictionaries of their own. */
static void dictionaries_are_taken_and_joined(void **state)
{
    const int64_t idx[3] = {2, -1, 0};
    gen g;
    ia_type *t = NULL;
    ia_array *parts[2] = {0}, *out = NULL, *plain = NULL;
    int p;

    (void)state;
    gen_open(&g, 16);
    GEN_OK(&g,
           ia_type_dictionary(&g.cx, ia_type_basic(IA_TYPE_I8), ia_type_basic(IA_TYPE_STRING), &t));
    for (p = 0; p < 2; p++) {
        ia_builder v, k;
        ia_array *values = NULL, *keys = NULL;

        GEN_OK(&g, ia_builder_init(&g.cx, &v, ia_type_basic(IA_TYPE_STRING)));
        GEN_OK(&g, ia_builder_init(&g.cx, &k, ia_type_basic(IA_TYPE_I8)));
        ia_builder_str(&g.cx, &v, p ? "blue" : "red", p ? 4 : 3);
        ia_builder_str(&g.cx, &v, "green", 5);
        ia_builder_i64(&g.cx, &k, 1);
        ia_builder_null(&g.cx, &k);
        ia_builder_i64(&g.cx, &k, 0);
        GEN_OK(&g, ia_builder_finish(&g.cx, &v, &values));
        GEN_OK(&g, ia_builder_finish(&g.cx, &k, &keys));
        GEN_OK(&g, ia_array_make(&g.cx, t, 3, -1, ia_buffer_retain(keys->bufs[0]),
                                 ia_buffer_retain(keys->bufs[1]), NULL, &values, 1, &parts[p]));
        ia_array_release(keys);
        ia_builder_dispose(&v);
        ia_builder_dispose(&k);
    }
    GEN_OK(&g, ia_take_array(&g.cx, parts[0], idx, 3, &out));
    assert_string_equal(gen_text(&g, out, 0), "\"red\"");
    assert_string_equal(gen_text(&g, out, 1), "null");
    ia_array_release(out);
    GEN_OK(&g, ia_concat_arrays(&g.cx, parts, 2, &out));
    GEN_OK(&g, ia_array_validate(&g.cx, out, IA_VALIDATE_FULL));
    assert_string_equal(gen_text(&g, out, 2), "\"red\"");
    assert_string_equal(gen_text(&g, out, 5), "\"blue\"");
    assert_true(ia_value_equal(out, 0, out, 3));
    assert_true(ia_value_hash(out, 0, 1) == ia_value_hash(out, 3, 1));
    GEN_OK(&g, ia_cast_array(&g.cx, out, ia_type_basic(IA_TYPE_LARGE_STRING), &plain));
    assert_int_equal(plain->null_count, 2);
    assert_string_equal(gen_text(&g, plain, 5), "\"blue\"");
    ia_array_release(plain);
    ia_array_release(out);
    ia_array_release(parts[0]);
    ia_array_release(parts[1]);
    ia_type_release(t);
    gen_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(take_gathers_each_index_and_null),
        cmocka_unit_test(take_past_the_end_is_refused),
        cmocka_unit_test(concat_joins_slices_in_order),
        cmocka_unit_test(batches_are_taken_joined_and_projected),
        cmocka_unit_test(every_failing_allocation_of_a_kernel_is_survived),
        cmocka_unit_test(dictionaries_are_taken_and_joined),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
