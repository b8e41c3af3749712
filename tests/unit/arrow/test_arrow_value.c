/* test_arrow_value.c - equality, order and hash of single values. */
#include "arrow_gen.h"

#include <math.h>

static void equality_agrees_with_text_and_hash(void **state)
{
    gen g;
    int k;

    (void)state;
    gen_open(&g, 31);
    for (k = 0; k < GEN_TYPES; k++) {
        ia_type *t = gen_type(&g, k);
        ia_array *a = gen_slice(&g, t, 40, 20), *b = gen_slice(&g, t, 40, 20);
        int64_t i, j;

        for (i = 0; i < 40; i++)
            for (j = 0; j < 40; j++) {
                const bool same = strcmp(gen_text(&g, a, i), gen_text(&g, b, j)) == 0;

                assert_int_equal(ia_value_equal(a, i, b, j), same);
                assert_int_equal(ia_value_cmp(a, i, b, j) == 0, same);
                assert_int_equal(ia_value_hash(a, i, 3) == ia_value_hash(b, j, 3), same);
            }
        ia_array_release(a);
        ia_array_release(b);
        ia_type_release(t);
    }
    gen_close(&g);
}

static void order_is_total(void **state)
{
    gen g;
    int k;

    (void)state;
    gen_open(&g, 32);
    for (k = 0; k < GEN_TYPES; k++) {
        ia_type *t = gen_type(&g, k);
        ia_array *a = gen_slice(&g, t, 20, 20);
        int64_t x, y, z;

        for (x = 0; x < 20; x++)
            for (y = 0; y < 20; y++) {
                const int c = ia_value_cmp(a, x, a, y);

                assert_int_equal(c < 0, ia_value_cmp(a, y, a, x) > 0);
                /* an index may name a null in the dictionary, which equals a null index */
                if (t->id != IA_TYPE_DICTIONARY && !ia_array_valid(a, x) && ia_array_valid(a, y))
                    assert_true(c < 0);
                for (z = 0; z < 20; z++)
                    if (c <= 0 && ia_value_cmp(a, y, a, z) <= 0)
                        assert_true(ia_value_cmp(a, x, a, z) <= 0);
            }
        ia_array_release(a);
        ia_type_release(t);
    }
    gen_close(&g);
}

static ia_array *doubles(gen *g, const double *v, int64_t n)
{
    ia_builder b;
    ia_array *a = NULL;

    GEN_OK(g, ia_builder_init(&g->cx, &b, ia_type_basic(IA_TYPE_F64)));
    ia_builder_fixed(&g->cx, &b, v, n);
    GEN_OK(g, ia_builder_finish(&g->cx, &b, &a));
    ia_builder_dispose(&b);
    return a;
}

static void special_floats_have_a_place(void **state)
{
    const double v[] = {-0.0, 0.0, (double)NAN, -(double)NAN, (double)INFINITY, -1e308};
    gen g;
    ia_array *a;

    (void)state;
    gen_open(&g, 33);
    a = doubles(&g, v, 6);
    assert_false(ia_value_equal(a, 0, a, 1)); /* bitwise */
    assert_int_equal(ia_value_cmp(a, 0, a, 1), 0);
    assert_true(ia_value_equal(a, 2, a, 2));
    assert_false(ia_value_equal(a, 2, a, 3));
    assert_int_equal(ia_value_cmp(a, 2, a, 3), 0);
    assert_true(ia_value_cmp(a, 2, a, 4) > 0);
    assert_true(ia_value_cmp(a, 5, a, 1) < 0);
    ia_array_release(a);
    gen_close(&g);
}

static void integers_compare_by_value_up_to_their_ends(void **state)
{
    const uint64_t u[2] = {UINT64_MAX, 1};
    const int64_t s[2] = {INT64_MIN, INT64_MAX};
    gen g;
    ia_builder b;
    ia_array *a = NULL, *c = NULL;

    (void)state;
    gen_open(&g, 34);
    GEN_OK(&g, ia_builder_init(&g.cx, &b, ia_type_basic(IA_TYPE_U64)));
    ia_builder_fixed(&g.cx, &b, u, 2);
    GEN_OK(&g, ia_builder_finish(&g.cx, &b, &a));
    ia_builder_dispose(&b);
    GEN_OK(&g, ia_builder_init(&g.cx, &b, ia_type_basic(IA_TYPE_I64)));
    ia_builder_fixed(&g.cx, &b, s, 2);
    GEN_OK(&g, ia_builder_finish(&g.cx, &b, &c));
    ia_builder_dispose(&b);
    assert_true(ia_value_cmp(a, 0, a, 1) > 0);
    assert_true(ia_value_cmp(c, 0, c, 1) < 0);
    ia_array_release(a);
    ia_array_release(c);
    gen_close(&g);
}

static void half_floats_round_to_nearest_even(void **state)
{
    static const struct {
        double in;
        const char *out;
    } v[] = {{1.0, "1.0"},     {65504, "65504.0"},    {65519, "65504.0"}, {2049, "2048.0"},
             {2051, "2052.0"}, {0x1p-24, NULL},       {0x1p-26, "0.0"},   {0x1.ff8p-15, NULL},
             {-1.5, "-1.5"},   {0.333251953125, NULL}};
    gen g;
    ia_builder b;
    ia_array *a = NULL;
    size_t i;

    (void)state;
    gen_open(&g, 35);
    GEN_OK(&g, ia_builder_init(&g.cx, &b, ia_type_basic(IA_TYPE_F16)));
    for (i = 0; i < sizeof v / sizeof v[0]; i++)
        ia_builder_f64(&g.cx, &b, v[i].in);
    ia_builder_f64(&g.cx, &b, 65520);
    ia_builder_f64(&g.cx, &b, (double)NAN);
    GEN_OK(&g, ia_builder_finish(&g.cx, &b, &a));
    for (i = 0; i < sizeof v / sizeof v[0]; i++) {
        if (v[i].out)
            assert_string_equal(gen_text(&g, a, (int64_t)i), v[i].out);
        else
            assert_true(ia_array_f64(a, (int64_t)i) ==
                        v[i].in); /* exact: powers of two, subnormal */
    }
    assert_true(isinf(ia_array_f64(a, (int64_t)i)));
    assert_true(isnan(ia_array_f64(a, (int64_t)i + 1)));
    ia_array_release(a);
    ia_builder_dispose(&b);
    gen_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equality_agrees_with_text_and_hash),
        cmocka_unit_test(order_is_total),
        cmocka_unit_test(special_floats_have_a_place),
        cmocka_unit_test(integers_compare_by_value_up_to_their_ends),
        cmocka_unit_test(half_floats_round_to_nearest_even),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
