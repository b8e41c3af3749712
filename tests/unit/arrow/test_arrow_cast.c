/* test_arrow_cast.c - safe casts and their refusals. */
#include "arrow_gen.h"

#include <math.h>

/* One value of type `from` (integers by v, floats by d), cast to `to`; "" when refused. */
static const char *cast_one(gen *g, const ia_type *from, int64_t v, double d, const ia_type *to)
{
    static char text[128];
    ia_array *a = NULL, *out = NULL;
    ia_builder b;

    GEN_OK(g, ia_builder_init(&g->cx, &b, from));
    ia_builder_null(&g->cx, &b);
    if (ia_type_is_float(from))
        ia_builder_f64(&g->cx, &b, d);
    else if (from->id == IA_TYPE_BOOL)
        ia_builder_bool(&g->cx, &b, v != 0);
    else
        ia_builder_i64(&g->cx, &b, v);
    GEN_OK(g, ia_builder_finish(&g->cx, &b, &a));
    ia_ctx_clear(&g->cx);
    text[0] = 0;
    if (ia_cast_array(&g->cx, a, to, &out) == IA_OK) {
        assert_false(ia_array_valid(out, 0));
        snprintf(text, sizeof text, "%s", gen_text(g, out, 1));
    } else {
        assert_int_equal(g->cx.err.code, IA_ERR_INVALID);
        assert_null(out);
    }
    ia_array_release(out);
    ia_array_release(a);
    ia_builder_dispose(&b);
    return text;
}

#define T(name) ia_type_basic(IA_TYPE_##name)

static void numbers_cast_only_when_nothing_is_lost(void **state)
{
    gen g;

    (void)state;
    gen_open(&g, 41);
    assert_string_equal(cast_one(&g, T(I64), 127, 0, T(I8)), "127");
    assert_string_equal(cast_one(&g, T(I64), 128, 0, T(I8)), "");
    assert_non_null(strstr(g.cx.err.text, "row 1: value 128 does not fit int8"));
    assert_string_equal(cast_one(&g, T(I64), -1, 0, T(U64)), "");
    assert_string_equal(cast_one(&g, T(U64), -1, 0, T(I64)), "");
    assert_string_equal(cast_one(&g, T(U64), -1, 0, T(U64)), "18446744073709551615");
    assert_string_equal(cast_one(&g, T(I64), 9007199254740993, 0, T(F64)), "");
    assert_string_equal(cast_one(&g, T(I64), 9007199254740992, 0, T(F64)), "9007199254740992.0");
    assert_string_equal(cast_one(&g, T(I32), 16777217, 0, T(F32)), "");
    assert_string_equal(cast_one(&g, T(F64), 0, 2.5, T(I32)), "");
    assert_string_equal(cast_one(&g, T(F64), 0, -3, T(I32)), "-3");
    assert_string_equal(cast_one(&g, T(F64), 0, 0x1p63, T(I64)), "");
    assert_string_equal(cast_one(&g, T(F64), 0, 0x1p63, T(U64)), "9223372036854775808");
    assert_string_equal(cast_one(&g, T(F64), 0, (double)NAN, T(I64)), "");
    assert_string_equal(cast_one(&g, T(F64), 0, 0.1, T(F32)), "0.1");
    assert_string_equal(cast_one(&g, T(F64), 0, 1e300, T(F32)), "");
    assert_string_equal(cast_one(&g, T(F64), 0, (double)INFINITY, T(F32)), "\"Infinity\"");
    assert_string_equal(cast_one(&g, T(F32), 0, 0.5, T(F64)), "0.5");
    assert_string_equal(cast_one(&g, T(BOOL), 1, 0, T(I8)), "1");
    assert_string_equal(cast_one(&g, T(I8), 0, 0, T(BOOL)), "false");
    assert_string_equal(cast_one(&g, T(I8), 2, 0, T(BOOL)), "");
    assert_string_equal(cast_one(&g, T(I64), 1, 0, T(STRING)), "");
    gen_close(&g);
}

static void instants_are_rescaled_exactly(void **state)
{
    const ia_type *us = ia_type_time_basic(IA_TYPE_TIMESTAMP, IA_UNIT_US);
    const ia_type *ns = ia_type_time_basic(IA_TYPE_TIMESTAMP, IA_UNIT_NS);
    gen g;

    (void)state;
    gen_open(&g, 42);
    assert_string_equal(cast_one(&g, T(DATE32), 1, 0, us), "\"1970-01-02T00:00:00.000Z\"");
    assert_string_equal(cast_one(&g, us, 86400000000, 0, T(DATE32)), "\"1970-01-02\"");
    assert_string_equal(cast_one(&g, us, 86400000001, 0, T(DATE32)), "");
    assert_string_equal(cast_one(&g, T(DATE64), -1, 0, us), "\"1969-12-31T23:59:59.999Z\"");
    assert_string_equal(cast_one(&g, us, 1001, 0, T(DATE64)), "");
    assert_string_equal(cast_one(&g, us, 1001, 0, ns), "\"1970-01-01T00:00:00.001001Z\"");
    assert_string_equal(cast_one(&g, us, INT64_MAX / 10, 0, ns), "");
    assert_string_equal(cast_one(&g, T(I32), 19000, 0, T(DATE32)), "\"2022-01-08\"");
    assert_string_equal(cast_one(&g, T(F64), 0, 1, T(DATE32)), "");
    assert_string_equal(cast_one(&g, ia_type_time_basic(IA_TYPE_TIME32, IA_UNIT_S), 3661, 0,
                                 ia_type_time_basic(IA_TYPE_TIME64, IA_UNIT_US)),
                        "\"01:01:01\"");
    assert_string_equal(cast_one(&g, ia_type_time_basic(IA_TYPE_TIME32, IA_UNIT_S), 1, 0, us), "");
    gen_close(&g);
}

static void strings_change_their_offsets(void **state)
{
    static const ia_type_id ids[4] = {IA_TYPE_STRING, IA_TYPE_LARGE_STRING, IA_TYPE_BINARY,
                                      IA_TYPE_LARGE_BINARY};
    gen g;
    ia_array *a, *out = NULL;
    int64_t k;
    int i, j;

    (void)state;
    gen_open(&g, 43);
    for (i = 0; i < 4; i++)
        for (j = 0; j < 4; j++) {
            a = gen_slice(&g, ia_type_basic(ids[i]), 25, 20);
            GEN_OK(&g, ia_cast_array(&g.cx, a, ia_type_basic(ids[j]), &out));
            GEN_OK(&g, ia_array_validate(&g.cx, out, IA_VALIDATE_FULL));
            for (k = 0; k < 25; k++) {
                assert_int_equal(ia_array_valid(a, k), ia_array_valid(out, k));
                if (ia_array_valid(a, k))
                    assert_true(ia_view_eq(ia_array_str(a, k), ia_array_str(out, k)));
            }
            ia_array_release(out);
            ia_array_release(a);
        }
    gen_close(&g);
}

static ia_type *list_type(gen *g, ia_type_id id, int32_t size, ia_type_id item)
{
    ia_type *t = NULL;

    GEN_OK(g, ia_type_list(&g->cx, id, size, "item", ia_type_basic(item), true, &t));
    return t;
}

static void lists_change_their_form_and_items(void **state)
{
    gen g;
    ia_type *list, *large, *vec, *wide;
    ia_array *a, *b = NULL, *c = NULL, *d = NULL, *e = NULL;
    int64_t k;

    (void)state;
    gen_open(&g, 44);
    list = list_type(&g, IA_TYPE_LIST, 0, IA_TYPE_F32);
    large = list_type(&g, IA_TYPE_LARGE_LIST, 0, IA_TYPE_F64);
    vec = list_type(&g, IA_TYPE_FIXED_LIST, 3, IA_TYPE_F32);
    wide = list_type(&g, IA_TYPE_FIXED_LIST, 4, IA_TYPE_F32);
    a = gen_slice(&g, vec, 30, 20);
    GEN_OK(&g, ia_cast_array(&g.cx, a, list, &b));
    GEN_OK(&g, ia_cast_array(&g.cx, b, large, &c));
    GEN_OK(&g, ia_array_slice(&g.cx, c, 7, 20, &d));
    GEN_OK(&g, ia_cast_array(&g.cx, d, vec, &e));
    GEN_OK(&g, ia_array_validate(&g.cx, e, IA_VALIDATE_FULL));
    for (k = 0; k < 20; k++) {
        assert_string_equal(gen_text(&g, b, k + 7), gen_text(&g, a, k + 7));
        gen_assert_same(&g, e, k, a, k + 7);
    }
    ia_array_release(e);
    assert_int_equal(ia_cast_array(&g.cx, d, wide, &e), IA_ERR_INVALID);
    assert_int_equal(ia_cast_array(&g.cx, a, wide, &e), IA_ERR_INVALID);
    assert_null(e);
    ia_array_release(a);
    ia_array_release(b);
    ia_array_release(c);
    ia_array_release(d);
    ia_type_release(list);
    ia_type_release(large);
    ia_type_release(vec);
    ia_type_release(wide);
    gen_close(&g);
}

/* Type 32 of the generator is map<string, int32>. */
static void maps_match_by_place_and_keep_their_keys(void **state)
{
    char k[] = "schluessel", v[] = "wert";
    const ia_field key = {.name = k, .type = ia_type_basic(IA_TYPE_LARGE_STRING)};
    const ia_field value = {.name = v, .type = ia_type_basic(IA_TYPE_I64), .nullable = true};
    ia_type *map = NULL, *wide = NULL, *list = NULL;
    ia_array *a, *b = NULL, *c = NULL, *d = NULL, *kid;
    int64_t i;
    gen g;

    (void)state;
    gen_open(&g, 45);
    map = gen_type(&g, 32);
    a = gen_slice(&g, map, 30, 20);
    GEN_OK(&g, ia_type_map(&g.cx, NULL, &key, &value, false, &wide));
    GEN_OK(&g, ia_type_list(&g.cx, IA_TYPE_LIST, 0, "item", map->children[0].type, true, &list));
    GEN_OK(&g, ia_cast_array(&g.cx, a, wide, &b));
    GEN_OK(&g, ia_cast_array(&g.cx, a, list, &c));
    GEN_OK(&g, ia_cast_array(&g.cx, c, map, &d));
    for (i = 0; i < 30; i++) {
        assert_string_equal(gen_text(&g, a, i), gen_text(&g, b, i));
        gen_assert_same(&g, a, i, d, i);
    }
    ia_array_release(d);
    ia_array_release(c);
    kid = gen_array(&g, list, 30, 50); /* with null entries and keys */
    assert_int_equal(ia_cast_array(&g.cx, kid, map, &d), IA_ERR_INVALID);
    assert_null(d);
    ia_array_release(kid);
    ia_array_release(b);
    ia_array_release(a);
    ia_type_release(list);
    ia_type_release(wide);
    ia_type_release(map);
    gen_close(&g);
}

static void values_become_dictionaries_while_the_index_type_holds(void **state)
{
    ia_type *narrow = NULL, *wide = NULL;
    ia_array *a = NULL, *b = NULL, *c = NULL;
    ia_builder build;
    int64_t i;
    gen g;

    (void)state;
    gen_open(&g, 46);
    GEN_OK(&g, ia_type_dictionary(&g.cx, ia_type_basic(IA_TYPE_I8), ia_type_basic(IA_TYPE_I32),
                                  &narrow));
    GEN_OK(&g, ia_type_dictionary(&g.cx, ia_type_basic(IA_TYPE_U16), ia_type_basic(IA_TYPE_I64),
                                  &wide));
    GEN_OK(&g, ia_builder_init(&g.cx, &build, ia_type_basic(IA_TYPE_I32)));
    for (i = 0; i < 300; i++)
        i % 5 == 0 ? ia_builder_null(&g.cx, &build) : ia_builder_i64(&g.cx, &build, i % 128);
    GEN_OK(&g, ia_builder_finish(&g.cx, &build, &a));
    GEN_OK(&g, ia_cast_array(&g.cx, a, narrow, &b));
    assert_int_equal(b->children[0]->length, 128);
    GEN_OK(&g, ia_array_validate(&g.cx, b, IA_VALIDATE_FULL));
    for (i = 0; i < 300; i++)
        gen_assert_same(&g, a, i, b, i);
    GEN_OK(&g, ia_cast_array(&g.cx, b, wide, &c));
    for (i = 0; i < 300; i++)
        assert_string_equal(gen_text(&g, a, i), gen_text(&g, c, i));
    ia_array_release(a);
    ia_array_release(b);
    for (i = 0; i < 129; i++)
        ia_builder_i64(&g.cx, &build, i);
    GEN_OK(&g, ia_builder_finish(&g.cx, &build, &a));
    assert_int_equal(ia_cast_array(&g.cx, a, narrow, &b), IA_ERR_INVALID);
    ia_array_release(a);
    ia_array_release(c);
    ia_builder_dispose(&build);
    ia_type_release(narrow);
    ia_type_release(wide);
    gen_close(&g);
}

static void every_failing_allocation_of_a_cast_is_survived(void **state)
{
    gen g;
    ia_type *to[4], *from[4];
    int k;

    (void)state;
    gen_open(&g, 45);
    from[0] = ia_type_basic(IA_TYPE_I8);
    to[0] = ia_type_basic(IA_TYPE_F32);
    from[1] = ia_type_basic(IA_TYPE_BINARY);
    to[1] = ia_type_basic(IA_TYPE_LARGE_STRING);
    from[2] = list_type(&g, IA_TYPE_FIXED_LIST, 2, IA_TYPE_I32);
    to[2] = list_type(&g, IA_TYPE_LARGE_LIST, 0, IA_TYPE_F64);
    from[3] = list_type(&g, IA_TYPE_LARGE_LIST, 0, IA_TYPE_STRING);
    to[3] = list_type(&g, IA_TYPE_LIST, 0, IA_TYPE_LARGE_STRING);
    for (k = 0; k < 4; k++) {
        ia_array *a = gen_slice(&g, from[k], 12, 20);
        const uint64_t used = ia_budget_used(g.budget);
        ia_status st = IA_ERR_NO_MEMORY;
        int64_t n;

        for (n = 0; st != IA_OK; n++) {
            ia_array *out = NULL;

            ia_ctx_clear(&g.cx);
            ia_mem_fail_after(n);
            st = ia_cast_array(&g.cx, a, to[k], &out);
            ia_mem_fail_after(-1);
            assert_true(st == IA_OK || (st == IA_ERR_NO_MEMORY && !out));
            ia_array_release(out);
            assert_int_equal(ia_budget_used(g.budget), used);
        }
        ia_array_release(a);
        ia_type_release(from[k]);
        ia_type_release(to[k]);
    }
    gen_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_cast_only_when_nothing_is_lost),
        cmocka_unit_test(instants_are_rescaled_exactly),
        cmocka_unit_test(strings_change_their_offsets),
        cmocka_unit_test(lists_change_their_form_and_items),
        cmocka_unit_test(maps_match_by_place_and_keep_their_keys),
        cmocka_unit_test(values_become_dictionaries_while_the_index_type_holds),
        cmocka_unit_test(every_failing_allocation_of_a_cast_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
