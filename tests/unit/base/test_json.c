/* test_json.c - the JSON reader and writer, and the reader against jansson. */
#include "base/json.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "test_env.h"

static ia_json *parse(env *e, const char *text)
{
    ia_json *v;
    const size_t n = strlen(text);
    char *exact = ia_alloc(&e->cx, n); /* no closing 0: reading past the end is noticed */
    memcpy(exact, text, n);
    const ia_status st = ia_json_parse(&e->cx, exact, n, &v);
    if (st != IA_OK)
        fail_msg("%s: %s", text, e->cx.err.text);
    ia_free(exact);
    return v;
}

static void values_of_every_kind_are_read(void **state)
{
    env e = env_new(0);
    ia_json *v = parse(&e, " {\"n\":null , \"t\":true,\"f\":false,\"i\":-12,\"r\":2.5,"
                           "\"s\":\"x\",\"a\":[1,[],{}],\"o\":{\"k\":0}} \n");
    int64_t i;
    double d;
    bool b;
    size_t n;
    (void)state;
    assert_int_equal(ia_json_type(v), IA_JSON_OBJECT);
    assert_int_equal(ia_json_len(v), 8);
    assert_int_equal(ia_json_type(ia_json_get(v, "n")), IA_JSON_NULL);
    assert_true(ia_json_bool(ia_json_get(v, "t"), &b) && b);
    assert_true(ia_json_bool(ia_json_get(v, "f"), &b) && !b);
    assert_true(ia_json_i64(ia_json_get(v, "i"), &i) && i == -12);
    assert_true(ia_json_f64(ia_json_get(v, "r"), &d) && d == 2.5);
    assert_true(ia_json_f64(ia_json_get(v, "i"), &d) && d == -12.0);
    assert_string_equal(ia_json_str(ia_json_get(v, "s"), &n), "x");
    assert_int_equal(n, 1);
    const ia_json *a = ia_json_get(v, "a");
    assert_int_equal(ia_json_len(a), 3);
    assert_true(ia_json_i64(ia_json_at(a, 0), &i) && i == 1);
    assert_int_equal(ia_json_type(ia_json_at(a, 1)), IA_JSON_ARRAY);
    assert_null(ia_json_at(a, 3));
    assert_null(ia_json_get(v, "absent"));
    ia_json_free(v);
    env_end(&e);
}

static void getters_refuse_other_kinds(void **state)
{
    env e = env_new(0);
    ia_json *v = parse(&e, "[\"1\",1.0,-1,true]");
    int64_t i;
    uint64_t u;
    double d;
    bool b;
    size_t n = 9, it = 0;
    (void)state;
    assert_false(ia_json_i64(ia_json_at(v, 0), &i));
    assert_false(ia_json_f64(ia_json_at(v, 0), &d));
    assert_false(ia_json_i64(ia_json_at(v, 1), &i));
    assert_false(ia_json_u64(ia_json_at(v, 2), &u));
    assert_false(ia_json_i64(ia_json_at(v, 3), &i));
    assert_false(ia_json_bool(ia_json_at(v, 2), &b));
    assert_null(ia_json_str(v, &n));
    assert_int_equal(n, 0);
    assert_null(ia_json_get(v, "x"));
    assert_false(ia_json_next(v, &it, NULL, NULL));
    assert_int_equal(ia_json_type(NULL), IA_JSON_NULL);
    assert_false(ia_json_i64(NULL, &i));
    assert_false(ia_json_u64(NULL, &u));
    assert_null(ia_json_str(NULL, NULL));
    assert_int_equal(ia_json_len(NULL), 0);
    assert_null(ia_json_at(NULL, 0));
    assert_null(ia_json_get(NULL, "x"));
    ia_json_free(v);
    ia_json_free(NULL);
    env_end(&e);
}

static void integers_are_exact_up_to_two_to_the_64(void **state)
{
    env e = env_new(0);
    ia_json *v = parse(&e, "[9223372036854775807,-9223372036854775808,9223372036854775808,"
                           "18446744073709551615,18446744073709551616,-9223372036854775809,0,-0,"
                           "100000000000000000000000]");
    int64_t i;
    uint64_t u;
    double d;
    (void)state;
    assert_true(ia_json_i64(ia_json_at(v, 0), &i) && i == INT64_MAX);
    assert_true(ia_json_u64(ia_json_at(v, 0), &u) && u == INT64_MAX);
    assert_true(ia_json_i64(ia_json_at(v, 1), &i) && i == INT64_MIN);
    assert_int_equal(ia_json_type(ia_json_at(v, 2)), IA_JSON_REAL);
    assert_false(ia_json_i64(ia_json_at(v, 2), &i));
    assert_true(ia_json_u64(ia_json_at(v, 2), &u) && u == UINT64_C(9223372036854775808));
    assert_true(ia_json_u64(ia_json_at(v, 3), &u) && u == UINT64_MAX);
    assert_true(ia_json_f64(ia_json_at(v, 3), &d) && d == 18446744073709551616.0);
    assert_false(ia_json_u64(ia_json_at(v, 4), &u));
    assert_true(ia_json_f64(ia_json_at(v, 4), &d) && d == 18446744073709551616.0);
    assert_false(ia_json_i64(ia_json_at(v, 5), &i));
    assert_true(ia_json_f64(ia_json_at(v, 5), &d) && d == -9223372036854775808.0);
    assert_true(ia_json_i64(ia_json_at(v, 6), &i) && i == 0);
    assert_true(ia_json_i64(ia_json_at(v, 7), &i) && i == 0);
    assert_true(ia_json_f64(ia_json_at(v, 8), &d) && d == 1e23);
    ia_json_free(v);
    env_end(&e);
}

static void reals_are_rounded_correctly(void **state)
{
    static const char *const texts[] = {
        "0.1",
        "1e22",
        "1e23",
        "1.7976931348623157e308",
        "5e-324",
        "2.2250738585072014e-308",
        "123456789012345678901234567890.5",
        "0.000000000000000000000000000001",
        "9007199254740993.0",
        "1e-400",
        "-0.0",
        "3.0e0",
        "1E+2",
        "8.5e-3",
        "0.30000000000000004440892098500626161694526672363281250",
        "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017"
        "977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273"
        "85"
        "484581771153176447573027006985557136695962284291481986083493647529271907416844436551070434"
        "27"
        "11559699508093042880177904174497791.999",
    };
    env e = env_new(0);
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ia_json *v = parse(&e, texts[i]);
        double d;
        assert_true(ia_json_f64(v, &d));
        const double want = strtod(texts[i], NULL);
        assert_memory_equal(&d, &want, sizeof d); /* also the sign of zero */
        ia_json_free(v);
    }
    env_end(&e);
}

static void random_reals_agree_with_strtod(void **state)
{
    env e = env_new(0);
    uint64_t seed = 77;
    char text[64];
    (void)state;
    for (int i = 0; i < 20000; i++) {
        const unsigned digits = (unsigned)(next_random(&seed) % 19);
        snprintf(text, sizeof text, "%llu.%0*llue%d",
                 (unsigned long long)(next_random(&seed) % 1000000), (int)digits + 1,
                 (unsigned long long)(next_random(&seed) % 1000000007),
                 (int)(next_random(&seed) % 60) - 30);
        ia_json *v = parse(&e, text);
        double d;
        assert_true(ia_json_f64(v, &d));
        assert_true(d == strtod(text, NULL));
        ia_json_free(v);
    }
    env_end(&e);
}

static void strings_are_unescaped(void **state)
{
    static const struct {
        const char *json, *text;
        size_t len;
    } cases[] = {
        {"\"\"", "", 0},
        {"\"plain text longer than a word\"", "plain text longer than a word", 29},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8},
        {"\"\\u0041\\u00e9\\u20AC\\ud83d\\uDE00\"", "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 10},
        {"\"1234567\\n12345678\\n\"", "1234567\n12345678\n", 17},
        {"\"a\\u0000b\"", "a\0b", 3},
        {"\"\xC3\xA9\xF0\x9F\x98\x80 direct\"", "\xC3\xA9\xF0\x9F\x98\x80 direct", 13},
        {"\"\x7F\"", "\x7F", 1},
    };
    env e = env_new(0);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ia_json *v = parse(&e, cases[i].json);
        size_t n;
        const char *s = ia_json_str(v, &n);
        assert_int_equal(n, cases[i].len);
        assert_memory_equal(s, cases[i].text, n + 1);
        ia_json_free(v);
    }
    env_end(&e);
}

static void bad_texts_fail_with_their_place(void **state)
{
    static const struct {
        const char *text, *place;
    } cases[] = {
        {"", "line 1 column 1"},
        {"  ", "line 1 column 3"},
        {"nul", "line 1 column 1"},
        {"truex", "line 1 column 5"},
        {"[1,]", "line 1 column 4"},
        {"[1 2]", "line 1 column 4"},
        {"[1,\n 2,\n x]", "line 3 column 2"},
        {"{\"a\":1,}", "line 1 column 8"},
        {"{\"a\" 1}", "line 1 column 6"},
        {"{a:1}", "line 1 column 2"},
        {"{\"a\":1", "line 1 column 7"},
        {"[", "line 1 column 2"},
        {"\"abc", "line 1 column 1"},
        {"\"a\nb\"", "line 1 column 3"},
        {"\"\\x\"", "line 1 column 2"},
        {"\"\\u12g4\"", "line 1 column 2"},
        {"\"\\ud800\"", "line 1 column 2"},
        {"\"\\ud800\\u0041\"", "line 1 column 2"},
        {"\"\\udc00\"", "line 1 column 2"},
        {"\"\xC3\xA9\xFF\"", "line 1 column 3"},
        {"\"abcdefghijklmnop\xC3\"", "line 1 column 18"},
        {"01", "line 1 column 1"},
        {"-", "line 1 column 1"},
        {"1.", "line 1 column 1"},
        {".5", "line 1 column 1"},
        {"+1", "line 1 column 1"},
        {"1e", "line 1 column 1"},
        {"1e+", "line 1 column 1"},
        {"1e999", "line 1 column 1"},
        {"-1e999", "line 1 column 1"},
        {"NaN", "line 1 column 1"},
        {"1 1", "line 1 column 3"},
        {"{} // no", "line 1 column 4"},
        {"\xEF\xBB\xBF{}", "byte order mark"},
        {"{\"a\":1,\"b\":2,\"a\":3}", "\"a\""},
        {"[{\"x\\u0061\":1,\"xa\":3}]", "line 1 column 2"},
        {"{\"a\\u0000\":1}", "line 1 column 2"},
    };
    env e = env_new(0);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const size_t n = strlen(cases[i].text);
        ia_json *v = (ia_json *)&e;
        char *exact = ia_alloc(&e.cx, n);
        memcpy(exact, cases[i].text, n);
        ia_ctx_clear(&e.cx);
        assert_fails(ia_json_parse(&e.cx, exact, n, &v), IA_ERR_INVALID);
        assert_null(v);
        if (!strstr(e.cx.err.text, cases[i].place))
            fail_msg("%s: %s", cases[i].text, e.cx.err.text);
        ia_free(exact);
    }
    env_end(&e);
}

static void nesting_ends_at_64(void **state)
{
    env e = env_new(0);
    char text[200];
    ia_json *v;
    (void)state;
    for (int depth = 64; depth <= 65; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        const ia_status st = ia_json_parse(&e.cx, text, 2 * (size_t)depth, &v);
        assert_int_equal(st, depth == 64 ? IA_OK : IA_ERR_INVALID);
        ia_json_free(v);
    }
    /* depth is nesting, not count */
    v = parse(&e, "[[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],"
                  "[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],"
                  "[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[]]");
    ia_json_free(v);
    env_end(&e);
}

static char *big_object(env *e, int members, int twice)
{
    ia_buf b = {0};
    char *text;
    ia_buf_putc(&e->cx, &b, '{');
    for (int i = 0; i < members; i++)
        ia_buf_printf(&e->cx, &b, "%s\"m%d\":%d", i ? "," : "", i, i);
    if (twice >= 0)
        ia_buf_printf(&e->cx, &b, ",\"m%d\":0", twice);
    ia_buf_putc(&e->cx, &b, '}');
    assert_ok(ia_buf_finish_str(&e->cx, &b, &text));
    return text;
}

static void objects_of_every_size_find_members_and_refuse_doubles(void **state)
{
    env e = env_new(0);
    (void)state;
    for (int members = 1; members < 600; members += members < 20 ? 1 : 57) {
        char *text = big_object(&e, members, -1), name[16];
        ia_json *v = parse(&e, text);
        const ia_json *value;
        const char *key;
        size_t it = 0;
        for (int i = 0; i < members; i++) {
            int64_t got;
            snprintf(name, sizeof name, "m%d", i);
            assert_true(ia_json_i64(ia_json_get(v, name), &got) && got == i);
            assert_true(ia_json_next(v, &it, &key, &value)); /* in text order */
            assert_string_equal(key, name);
            assert_ptr_equal(value, ia_json_get(v, name));
        }
        assert_false(ia_json_next(v, &it, &key, &value));
        assert_null(ia_json_get(v, "m"));
        assert_null(ia_json_get(v, "m9999"));
        ia_json_free(v);
        ia_free(text);
        text = big_object(&e, members, members / 2);
        assert_fails(ia_json_parse(&e.cx, text, strlen(text), &v), IA_ERR_INVALID);
        snprintf(name, sizeof name, "\"m%d\"", members / 2);
        assert_non_null(strstr(e.cx.err.text, name));
        ia_free(text);
    }
    env_end(&e);
}

static ia_status parse_big(ia_ctx *cx, const char *text)
{
    ia_json *v;
    IA_TRY(ia_json_parse(cx, text, strlen(text), &v));
    ia_json_free(v);
    return IA_OK;
}

static void failing_allocations_and_budgets_are_reported(void **state)
{
    env e = env_new(0), small = env_new(2000);
    ia_json *v;
    (void)state;
    char *text = big_object(&e, 500, -1);
    FAIL_EVERY_ALLOCATION(&e.cx, parse_big(&e.cx, text), (void)0);
    assert_fails(ia_json_parse(&small.cx, text, strlen(text), &v), IA_ERR_OVER_BUDGET);
    ia_free(text);
    env_end(&small);
    env_end(&e);
}

/* ---- against jansson ----------------------------------------------------------------------- */

static void same(const ia_json *a, const json_t *b)
{
    switch (json_typeof(b)) {
    case JSON_NULL:
        assert_int_equal(ia_json_type(a), IA_JSON_NULL);
        break;
    case JSON_TRUE:
        assert_int_equal(ia_json_type(a), IA_JSON_TRUE);
        break;
    case JSON_FALSE:
        assert_int_equal(ia_json_type(a), IA_JSON_FALSE);
        break;
    case JSON_INTEGER: {
        int64_t i;
        assert_true(ia_json_i64(a, &i) && i == json_integer_value(b));
        break;
    }
    case JSON_REAL: {
        double d;
        assert_int_equal(ia_json_type(a), IA_JSON_REAL);
        assert_true(ia_json_f64(a, &d) && d == json_real_value(b));
        break;
    }
    case JSON_STRING: {
        size_t n;
        const char *s = ia_json_str(a, &n);
        assert_int_equal(n, json_string_length(b));
        assert_memory_equal(s, json_string_value(b), n);
        break;
    }
    case JSON_ARRAY:
        assert_int_equal(ia_json_len(a), json_array_size(b));
        for (size_t i = 0; i < json_array_size(b); i++)
            same(ia_json_at(a, i), json_array_get(b, i));
        break;
    case JSON_OBJECT: {
        const char *name;
        const ia_json *value;
        size_t it = 0;
        assert_int_equal(ia_json_len(a), json_object_size(b));
        while (ia_json_next(a, &it, &name, &value))
            same(value, json_object_get(b, name));
        break;
    }
    }
}

/* Damages a good text at random; both readers must agree on what is left. */
static void damaged_texts_are_judged_as_jansson_does(void **state)
{
    static const char good[] =
        "{\"id\":\"p1\",\"n\":[1,-2.5e3,true,false,null,{\"k\":\"v\\n\\u00e9\"}],"
        "\"text\":\"caf\xC3\xA9 \\\"x\\\" \xE2\x82\xAC\",\"big\":12345678901,"
        "\"empty\":{},\"none\":[],\"deep\":[[[[0.5]]]]}";
    static const char pieces[] = "{}[]\",:\\0123456789.eE+-tfnu \n\x80\xC3\x01xa";
    env e = env_new(0);
    uint64_t seed = 4242;
    size_t accepted = 0;
    (void)state;
    for (int round = 0; round < 30000; round++) {
        char text[sizeof good + 8];
        size_t n = sizeof good - 1;
        ia_json *v;
        json_error_t why;
        memcpy(text, good, n);
        for (uint64_t k = next_random(&seed) % 3; round > 0 && k < 3; k++) {
            const size_t at = next_random(&seed) % n;
            const char c = pieces[next_random(&seed) % (sizeof pieces - 1)];
            if (next_random(&seed) % 3 == 0) {
                memmove(text + at, text + at + 1, n - at - 1);
                n--;
            } else {
                text[at] = c;
            }
        }
        json_t *other =
            json_loadb(text, n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &why);
        const ia_status st = ia_json_parse(&e.cx, text, n, &v);
        if ((st == IA_OK) != (other != NULL))
            fail_msg("round %d: ours %s, jansson %s", round, e.cx.err.text, why.text);
        if (other)
            same(v, other);
        accepted += other != NULL;
        json_decref(other);
        ia_json_free(v);
    }
    assert_true(accepted > 1000 && accepted < 29000);
    env_end(&e);
}

/* ---- writer -------------------------------------------------------------------------------- */

static void write_sample(ia_jsonw *w)
{
    ia_jsonw_object(w);
    ia_jsonw_key(w, "a");
    ia_jsonw_array(w);
    ia_jsonw_i64(w, INT64_MIN);
    ia_jsonw_u64(w, UINT64_MAX);
    ia_jsonw_f64(w, 0.1);
    ia_jsonw_f64(w, NAN);
    ia_jsonw_bool(w, true);
    ia_jsonw_null(w);
    ia_jsonw_str(w, NULL);
    ia_jsonw_end_array(w);
    ia_jsonw_key(w, "o");
    ia_jsonw_object(w);
    ia_jsonw_end_object(w);
    ia_jsonw_key(w, "e\"");
    ia_jsonw_array(w);
    ia_jsonw_end_array(w);
    ia_jsonw_key(w, "s");
    ia_jsonw_str(w, "x");
    ia_jsonw_end_object(w);
}

static void the_writer_is_compact_or_pretty(void **state)
{
    static const char *const want[] = {
        "{\"a\":[-9223372036854775808,18446744073709551615,0.1,\"NaN\",true,null,null],"
        "\"o\":{},\"e\\\"\":[],\"s\":\"x\"}",
        "{\n  \"a\": [\n    -9223372036854775808,\n    18446744073709551615,\n    0.1,\n"
        "    \"NaN\",\n    true,\n    null,\n    null\n  ],\n  \"o\": {},\n  \"e\\\"\": [],\n"
        "  \"s\": \"x\"\n}",
    };
    env e = env_new(0);
    (void)state;
    for (int i = 0; i < 2; i++) {
        ia_jsonw w;
        ia_bytes out;
        ia_json *back;
        ia_jsonw_init(&w, &e.cx, 2 * i);
        write_sample(&w);
        assert_ok(ia_jsonw_finish(&w, &out));
        assert_int_equal(out.len, strlen(want[i]));
        assert_string_equal((char *)out.data, want[i]);
        assert_ok(ia_json_parse(&e.cx, (char *)out.data, out.len, &back));
        ia_json_free(back);
        ia_bytes_dispose(&out);
        ia_jsonw_dispose(&w);
    }
    env_end(&e);
}

static void every_string_reads_back(void **state)
{
    env e = env_new(0);
    uint64_t seed = 8;
    (void)state;
    for (int round = 0; round < 3000; round++) {
        char text[40];
        ia_jsonw w;
        ia_bytes out;
        ia_json *back;
        size_t got;
        const size_t n = next_random(&seed) % sizeof text;
        for (size_t i = 0; i < n; i++)
            text[i] = (char)(next_random(&seed) % (round % 2 ? 128 : 256));
        ia_jsonw_init(&w, &e.cx, 0);
        ia_jsonw_strn(&w, text, n);
        assert_ok(ia_jsonw_finish(&w, &out));
        assert_ok(ia_json_parse(&e.cx, (char *)out.data, out.len, &back));
        const char *s = ia_json_str(back, &got);
        if (ia_utf8_valid(text, n, NULL)) {
            assert_int_equal(got, n);
            assert_memory_equal(s, text, n);
        }
        ia_json_free(back);
        ia_bytes_dispose(&out);
    }
    env_end(&e);
}

static void stray_bytes_become_replacement_characters(void **state)
{
    env e = env_new(0);
    ia_jsonw w;
    ia_bytes out;
    (void)state;
    ia_jsonw_init(&w, &e.cx, 0);
    ia_jsonw_str(&w, "a\xFF\xC3\xA9\xC3z\x1F");
    assert_ok(ia_jsonw_finish(&w, &out));
    assert_string_equal((char *)out.data, "\"a\xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBDz\\u001f\"");
    ia_bytes_dispose(&out);
    env_end(&e);
}

static ia_status write_all(ia_ctx *cx)
{
    ia_jsonw w;
    ia_bytes out;
    ia_jsonw_init(&w, cx, 1);
    write_sample(&w);
    IA_TRY(ia_jsonw_finish(&w, &out));
    ia_bytes_dispose(&out);
    return IA_OK;
}

static void the_writer_remembers_failures(void **state)
{
    env e = env_new(0);
    ia_jsonw w;
    ia_bytes out;
    (void)state;
    FAIL_EVERY_ALLOCATION(&e.cx, write_all(&e.cx), (void)0);
    ia_jsonw_init(&w, &e.cx, 0);
    ia_jsonw_array(&w);
    assert_fails(ia_jsonw_finish(&w, &out), IA_ERR_INTERNAL);
    env_end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_kind_are_read),
        cmocka_unit_test(getters_refuse_other_kinds),
        cmocka_unit_test(integers_are_exact_up_to_two_to_the_64),
        cmocka_unit_test(reals_are_rounded_correctly),
        cmocka_unit_test(random_reals_agree_with_strtod),
        cmocka_unit_test(strings_are_unescaped),
        cmocka_unit_test(bad_texts_fail_with_their_place),
        cmocka_unit_test(nesting_ends_at_64),
        cmocka_unit_test(objects_of_every_size_find_members_and_refuse_doubles),
        cmocka_unit_test(failing_allocations_and_budgets_are_reported),
        cmocka_unit_test(damaged_texts_are_judged_as_jansson_does),
        cmocka_unit_test(the_writer_is_compact_or_pretty),
        cmocka_unit_test(every_string_reads_back),
        cmocka_unit_test(stray_bytes_become_replacement_characters),
        cmocka_unit_test(the_writer_remembers_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
