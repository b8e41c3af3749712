/* test_arrow_render.c - single values as JSON and as text. */
#include "arrow_gen.h"

#include <math.h>

/* JSON of one integer-backed value, in either form. */
static const char *json_of(gen *g, const ia_type *t, int64_t v, uint32_t flags)
{
    static char text[256];
    ia_builder b;
    ia_array *a = NULL;
    ia_jsonw w;
    ia_bytes out = {0};

    GEN_OK(g, ia_builder_init(&g->cx, &b, t));
    ia_builder_i64(&g->cx, &b, v);
    GEN_OK(g, ia_builder_finish(&g->cx, &b, &a));
    ia_jsonw_init(&w, &g->cx, 0);
    ia_value_json(&g->cx, &w, a, 0, flags);
    GEN_OK(g, ia_jsonw_finish(&w, &out));
    snprintf(text, sizeof text, "%.*s", (int)out.len, (const char *)out.data);
    ia_bytes_dispose(&out);
    ia_jsonw_dispose(&w);
    ia_array_release(a);
    ia_builder_dispose(&b);
    return text;
}

static void dates_and_times_have_two_forms(void **state)
{
    const ia_type *d32 = ia_type_basic(IA_TYPE_DATE32), *d64 = ia_type_basic(IA_TYPE_DATE64);
    const ia_type *us = ia_type_time_basic(IA_TYPE_TIMESTAMP, IA_UNIT_US);
    const ia_type *sec = ia_type_time_basic(IA_TYPE_TIMESTAMP, IA_UNIT_S);
    const ia_type *tns = ia_type_time_basic(IA_TYPE_TIME64, IA_UNIT_NS);
    gen g;

    (void)state;
    gen_open(&g, 61);
    assert_string_equal(json_of(&g, d32, -1, 0), "\"1969-12-31\"");
    assert_string_equal(json_of(&g, d32, -1, IA_RENDER_EXPORT), "-1");
    assert_string_equal(json_of(&g, d64, 1500, 0), "\"1970-01-01T00:00:01.500Z\"");
    assert_string_equal(json_of(&g, d64, 1500, IA_RENDER_EXPORT), "1500");
    assert_string_equal(json_of(&g, us, -1, 0), "\"1969-12-31T23:59:59.999999Z\"");
    assert_string_equal(json_of(&g, us, -1, IA_RENDER_EXPORT), "\"1969-12-31T23:59:59.999999Z\"");
    assert_string_equal(json_of(&g, us, 2000, 0), "\"1970-01-01T00:00:00.002Z\"");
    assert_string_equal(json_of(&g, us, 2000, IA_RENDER_EXPORT), "2");
    assert_string_equal(json_of(&g, sec, 5, 0), "\"1970-01-01T00:00:05.000Z\"");
    assert_string_equal(json_of(&g, sec, 5, IA_RENDER_EXPORT), "5000");
    assert_string_equal(json_of(&g, sec, INT64_MAX, 0), "\"9223372036854775807\"");
    assert_string_equal(json_of(&g, tns, 86399999999999, 0), "\"23:59:59.999999999\"");
    assert_string_equal(json_of(&g, tns, 1000000000, 0), "\"00:00:01\"");
    assert_string_equal(json_of(&g, tns, 1500000, 0), "\"00:00:00.001500\"");
    assert_string_equal(json_of(&g, ia_type_time_basic(IA_TYPE_DURATION, IA_UNIT_MS), -7, 0), "-7");
    gen_close(&g);
}

static void numbers_are_exact_and_short(void **state)
{
    gen g;
    const float f[] = {0.1f, 16777216.0f, 1e-30f, NAN, -INFINITY, 3.4028235e38f};
    static const char *const want[] = {"0.1",     "16777216.0",    "1e-30",
                                       "\"NaN\"", "\"-Infinity\"", "3.4028235e+38"};
    ia_builder b;
    ia_array *a = NULL;
    int64_t i;

    (void)state;
    gen_open(&g, 62);
    assert_string_equal(json_of(&g, ia_type_basic(IA_TYPE_U64), -1, 0), "18446744073709551615");
    assert_string_equal(json_of(&g, ia_type_basic(IA_TYPE_I64), INT64_MIN, 0),
                        "-9223372036854775808");
    GEN_OK(&g, ia_builder_init(&g.cx, &b, ia_type_basic(IA_TYPE_F32)));
    ia_builder_fixed(&g.cx, &b, f, 6);
    GEN_OK(&g, ia_builder_finish(&g.cx, &b, &a));
    for (i = 0; i < 6; i++)
        assert_string_equal(gen_text(&g, a, i), want[i]);
    ia_array_release(a);
    ia_builder_dispose(&b);
    gen_close(&g);
}

/* A decimal given by its 64-bit words, low first. */
static const char *decimal(gen *g, ia_type_id id, int32_t scale, const uint64_t *words)
{
    static char text[256];
    ia_type *t = NULL;
    ia_builder b;
    ia_array *a = NULL;

    GEN_OK(g, ia_type_decimal(&g->cx, id, 38, scale, &t));
    GEN_OK(g, ia_builder_init(&g->cx, &b, t));
    ia_builder_fixed(&g->cx, &b, words, 1);
    GEN_OK(g, ia_builder_finish(&g->cx, &b, &a));
    snprintf(text, sizeof text, "%s", gen_text(g, a, 0));
    ia_array_release(a);
    ia_builder_dispose(&b);
    ia_type_release(t);
    return text;
}

static void decimals_show_every_digit(void **state)
{
    const uint64_t small[4] = {5, 0, 0, 0},
                   minus[4] = {UINT64_MAX - 1233, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    const uint64_t zero[4] = {0}, max[2] = {UINT64_MAX, INT64_MAX},
                   min[4] = {0, 0, 0, 0x8000000000000000u};
    gen g;

    (void)state;
    gen_open(&g, 63);
    assert_string_equal(decimal(&g, IA_TYPE_DECIMAL128, 0, small), "\"5\"");
    assert_string_equal(decimal(&g, IA_TYPE_DECIMAL128, 3, small), "\"0.005\"");
    assert_string_equal(decimal(&g, IA_TYPE_DECIMAL128, 2, minus), "\"-12.34\"");
    assert_string_equal(decimal(&g, IA_TYPE_DECIMAL256, 2, minus), "\"-12.34\"");
    assert_string_equal(decimal(&g, IA_TYPE_DECIMAL128, 0, zero), "\"0\"");
    assert_string_equal(decimal(&g, IA_TYPE_DECIMAL128, -2, small), "\"5e2\"");
    assert_string_equal(decimal(&g, IA_TYPE_DECIMAL128, 0, max),
                        "\"170141183460469231731687303715884105727\"");
    assert_string_equal(
        decimal(&g, IA_TYPE_DECIMAL256, 0, min),
        "\"-57896044618658097711785492504343953926634992332820282019728792003956564819968\"");
    gen_close(&g);
}

static void bytes_lists_and_structs_are_json(void **state)
{
    static const struct {
        const char *in, *out;
    } b64[] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"\xff\xfe", "//4="}};
    gen g;
    ia_type *t;
    ia_builder b;
    ia_array *a = NULL;
    ia_buf text = {0};
    size_t i;

    (void)state;
    gen_open(&g, 64);
    GEN_OK(&g, ia_builder_init(&g.cx, &b, ia_type_basic(IA_TYPE_BINARY)));
    for (i = 0; i < 5; i++)
        ia_builder_str(&g.cx, &b, b64[i].in, strlen(b64[i].in));
    GEN_OK(&g, ia_builder_finish(&g.cx, &b, &a));
    for (i = 0; i < 5; i++) {
        ia_buf_clear(&text);
        ia_value_text(&g.cx, &text, a, (int64_t)i);
        assert_string_equal(text.data ? (const char *)text.data : "", b64[i].out);
    }
    ia_array_release(a);
    ia_builder_dispose(&b);
    t = gen_type(&g, 26); /* struct<x: int16, y: string> */
    GEN_OK(&g, ia_builder_init(&g.cx, &b, t));
    ia_builder_i64(&g.cx, &b.children[0], -3);
    ia_builder_null(&g.cx, &b.children[1]);
    ia_builder_end_struct(&g.cx, &b);
    ia_builder_null(&g.cx, &b);
    GEN_OK(&g, ia_builder_finish(&g.cx, &b, &a));
    ia_buf_clear(&text);
    ia_value_text(&g.cx, &text, a, 0);
    assert_string_equal((const char *)text.data, "{\"x\":-3,\"y\":null}");
    ia_buf_clear(&text);
    ia_value_text(&g.cx, &text, a, 1);
    assert_int_equal(text.len, 0);
    ia_buf_dispose(&text);
    ia_array_release(a);
    ia_builder_dispose(&b);
    ia_type_release(t);
    gen_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_and_times_have_two_forms),
        cmocka_unit_test(numbers_are_exact_and_short),
        cmocka_unit_test(decimals_show_every_digit),
        cmocka_unit_test(bytes_lists_and_structs_are_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
