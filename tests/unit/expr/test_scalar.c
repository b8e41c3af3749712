/* test_scalar.c - exact comparison, hash and text of single values. */
#include "../arrow/arrow_gen.h"

#include <math.h>

#include "expr/expr.h"

/* Every 64-bit integer and every double is exact in the oracle's type. */
_Static_assert(sizeof(long double) > 8, "the oracle needs a 64-bit mantissa");

static ia_scalar edge(int k)
{
    static const int64_t ints[] = {0,
                                   1,
                                   -1,
                                   2,
                                   9007199254740991,
                                   9007199254740992,
                                   9007199254740993,
                                   -9007199254740993,
                                   INT64_MAX,
                                   INT64_MAX - 1,
                                   INT64_MIN,
                                   INT64_MIN + 1};
    static const uint64_t uints[] = {0,
                                     1,
                                     9007199254740993u,
                                     9223372036854775807u,
                                     9223372036854775808u,
                                     9223372036854775809u,
                                     UINT64_MAX,
                                     UINT64_MAX - 1};
    static const double floats[] = {0.0,
                                    -0.0,
                                    0.5,
                                    -0.5,
                                    1.5,
                                    9007199254740992.0,
                                    9007199254740994.0,
                                    0x1p63,
                                    -0x1p63,
                                    0x1p64,
                                    0x1.fffffffffffffp63,
                                    0x1.fffffffffffffp62,
                                    1e300,
                                    -1e300,
                                    5e-324,
                                    (double)INFINITY,
                                    -(double)INFINITY,
                                    (double)NAN};

    if (k < 12)
        return ia_scalar_i64(ints[k]);
    if (k < 20)
        return ia_scalar_u64(uints[k - 12]);
    return ia_scalar_f64(floats[k - 20]);
}
enum { EDGES = 38 };

static long double exact(const ia_scalar *s)
{
    if (s->type->id == IA_TYPE_I64)
        return (long double)s->v.i64;
    return s->type->id == IA_TYPE_U64 ? (long double)s->v.u64 : (long double)s->v.f64;
}

static void numbers_of_all_types_compare_exactly(void **state)
{
    int i, j;

    (void)state;
    for (i = 0; i < EDGES; i++)
        for (j = 0; j < EDGES; j++) {
            const ia_scalar a = edge(i), b = edge(j);
            const long double x = exact(&a), y = exact(&b);
            const int want = isnan(x) || isnan(y) ? IA_UNORDERED : (x > y) - (x < y);

            assert_int_equal(ia_scalar_cmp(&a, &b), want);
            if (want == 0)
                assert_true(ia_scalar_hash(&a, 5) == ia_scalar_hash(&b, 5));
        }
}

static void the_order_of_all_values_is_total(void **state)
{
    ia_scalar v[EDGES + 6];
    int i, j, k;

    (void)state;
    for (i = 0; i < EDGES; i++)
        v[i] = edge(i);
    v[EDGES] = ia_scalar_null();
    v[EDGES + 1] = ia_scalar_bool(true);
    v[EDGES + 2] = ia_scalar_str("a", 1);
    v[EDGES + 3] = ia_scalar_date32(1);
    v[EDGES + 4] = ia_scalar_timestamp(86400000, IA_UNIT_MS);
    v[EDGES + 5] = ia_scalar_str("", 0);
    for (i = 0; i < EDGES + 6; i++)
        for (j = 0; j < EDGES + 6; j++) {
            assert_int_equal(ia_scalar_order(&v[i], &v[j]), -ia_scalar_order(&v[j], &v[i]));
            for (k = 0; k < EDGES + 6; k++)
                if (ia_scalar_order(&v[i], &v[j]) <= 0 && ia_scalar_order(&v[j], &v[k]) <= 0)
                    assert_true(ia_scalar_order(&v[i], &v[k]) <= 0);
        }
    assert_int_equal(ia_scalar_order(&v[EDGES], &v[0]), -1);            /* null first */
    assert_int_equal(ia_scalar_order(&v[EDGES - 1], &v[EDGES - 2]), 1); /* NaN last */
    assert_int_equal(ia_scalar_order(&v[EDGES - 1], &v[EDGES - 1]), 0);
}

static void instants_of_all_units_compare(void **state)
{
    const ia_scalar day = ia_scalar_date32(1), ms = ia_scalar_timestamp(86400000, IA_UNIT_MS);
    const ia_scalar ns = ia_scalar_timestamp(86400000000001, IA_UNIT_NS);
    const ia_scalar far = ia_scalar_timestamp(INT64_MAX, IA_UNIT_S),
                    near = ia_scalar_timestamp(INT64_MAX, IA_UNIT_NS);
    const ia_scalar n = ia_scalar_i64(1), s = ia_scalar_str("x", 1);

    (void)state;
    assert_int_equal(ia_scalar_cmp(&day, &ms), 0);
    assert_true(ia_scalar_hash(&day, 1) == ia_scalar_hash(&ms, 1));
    assert_int_equal(ia_scalar_cmp(&ms, &ns), -1);
    assert_int_equal(ia_scalar_cmp(&far, &near), 1); /* no overflow */
    assert_int_equal(ia_scalar_cmp(&day, &n), IA_UNORDERED);
    assert_int_equal(ia_scalar_cmp(&s, &n), IA_UNORDERED);
    assert_false(ia_scalar_comparable(day.type, s.type));
    assert_true(ia_scalar_comparable(day.type, ns.type));
}

static void text_of(gen *g, const ia_scalar *s, const char *want)
{
    ia_buf b = {0};

    ia_scalar_text(&g->cx, &b, s);
    GEN_OK(g, ia_buf_status(&b));
    assert_string_equal((const char *)b.data, want);
    ia_buf_dispose(&b);
}

static void text_is_canonical(void **state)
{
    gen g;
    ia_scalar s;

    (void)state;
    gen_open(&g, 71);
    s = ia_scalar_i64(INT64_MIN);
    text_of(&g, &s, "-9223372036854775808");
    s = ia_scalar_u64(UINT64_MAX);
    text_of(&g, &s, "18446744073709551615");
    s = ia_scalar_f64(0.1);
    text_of(&g, &s, "0.1");
    s = ia_scalar_str("it's", 4);
    text_of(&g, &s, "'it''s'");
    s.type = ia_type_basic(IA_TYPE_BINARY);
    text_of(&g, &s, "x'69742773'");
    s = ia_scalar_date32(0);
    text_of(&g, &s, "date '1970-01-01'");
    s = ia_scalar_timestamp(1500, IA_UNIT_US);
    text_of(&g, &s, "timestamp '1970-01-01T00:00:00.001500Z'");
    s = ia_scalar_null();
    text_of(&g, &s, "null");
    gen_close(&g);
}

static void elements_become_scalars_of_static_types(void **state)
{
    gen g;
    int k;

    (void)state;
    gen_open(&g, 72);
    for (k = 0; k < GEN_TYPES; k++) {
        ia_type *t = gen_type(&g, k);
        ia_array *a = gen_slice(&g, t, 20, 30);
        const bool dict = t->id == IA_TYPE_DICTIONARY; /* counts as its values */
        const bool nested = (t->n_children > 0 && !dict) || t->id == IA_TYPE_DECIMAL128 ||
                            t->id == IA_TYPE_DECIMAL256;
        int64_t i, j;

        for (i = 0; i < 20; i++) {
            ia_scalar x, y;

            if (nested) {
                assert_int_equal(ia_scalar_get(&g.cx, a, i, &x), IA_ERR_UNSUPPORTED);
                continue;
            }
            GEN_OK(&g, ia_scalar_get(&g.cx, a, i, &x));
            assert_int_equal(ia_scalar_is_null(&x), strcmp(gen_text(&g, a, i), "null") == 0);
            assert_int_equal(x.type->refs, -1);
            for (j = 0; j < 20; j++) {
                GEN_OK(&g, ia_scalar_get(&g.cx, a, j, &y));
                assert_int_equal(ia_scalar_order(&x, &y) < 0, ia_value_cmp(a, i, a, j) < 0);
            }
        }
        ia_array_release(a);
        ia_type_release(t);
    }
    gen_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_all_types_compare_exactly),
        cmocka_unit_test(the_order_of_all_values_is_total),
        cmocka_unit_test(instants_of_all_units_compare),
        cmocka_unit_test(text_is_canonical),
        cmocka_unit_test(elements_become_scalars_of_static_types),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
