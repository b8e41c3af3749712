/* test_sql_filter.c - filter text: what is read and written back, what is refused and where. */
#include "../arrow/arrow_gen.h"

#include "expr/expr.h"

/* style: long - a table of cases */
static void filters_are_read_and_written_canonically(void **state)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"id=42", "`id` = 42"},
        {"  id\t==\n42 ", "`id` = 42"},
        {"a <> -1", "`a` != -1"},
        {"a>=1.50", "`a` >= 1.5"},
        {"a < .5", "`a` < 0.5"},
        {"a < 1e3", "`a` < 1000.0"},
        {"a = 9223372036854775808", "`a` = 9223372036854775808"},
        {"a = -9223372036854775808", "`a` = -9223372036854775808"},
        {"a = 18446744073709551615", "`a` = 18446744073709551615"},
        {"a = 18446744073709551616", "`a` = 1.8446744073709552e+19"},
        {"name = 'it''s'", "`name` = 'it''s'"},
        {"\"odd name\" = ''", "`odd name` = ''"},
        {"`a``b` = true", "`a``b` = true"},
        {"meta.x = 1", "`meta.x` = 1"},
        {"a = 1 AND b = 2 and c = 3", "(`a` = 1) AND (`b` = 2) AND (`c` = 3)"},
        {"a = 1 OR b = 2 AND c = 3", "(`a` = 1) OR ((`b` = 2) AND (`c` = 3))"},
        {"(a = 1 OR b = 2) AND c = 3", "((`a` = 1) OR (`b` = 2)) AND (`c` = 3)"},
        {"NOT a = 1", "NOT (`a` = 1)"},
        {"not NOT flag", "NOT (NOT `flag`)"},
        {"a IS NULL", "`a` IS NULL"},
        {"a is not null", "`a` IS NOT NULL"},
        {"a IN (1, -2, 'x', null)", "`a` IN (1, -2, 'x', null)"},
        {"a NOT IN (1)", "NOT (`a` IN (1))"},
        {"a BETWEEN 1 AND 2 AND b", "((`a` >= 1) AND (`a` <= 2)) AND `b`"},
        {"a NOT BETWEEN 1 AND 2", "NOT ((`a` >= 1) AND (`a` <= 2))"},
        {"a LIKE 'x%'", "`a` LIKE 'x%'"},
        {"d = date '2020-02-29'", "`d` = date '2020-02-29'"},
        {"date = DATE '2020-02-29'", "`date` = date '2020-02-29'"},
        {"timestamp > timestamp '2020-01-01T00:00:00Z'",
         "`timestamp` > timestamp '2020-01-01T00:00:00.000Z'"},
        {"t = timestamp '2020-01-01 00:00:00.1234'",
         "`t` = timestamp '2020-01-01T00:00:00.123400Z'"},
        {"t = timestamp '2020-01-01T01:00:00.000000001+01:00'",
         "`t` = timestamp '2020-01-01T00:00:00.000000001Z'"},
        {"t = time '12:30:00.5'", "`t` = time '12:30:00.500'"},
        {"b = X'00fF'", "`b` = x'00ff'"},
        {"x = x'00'", "`x` = x'00'"},
        {"array_has(tags, 'a')", "array_has(`tags`, 'a')"},
        {"STARTS_WITH(a, 'b')", "starts_with(`a`, 'b')"},
        {"contains = 1", "`contains` = 1"},
        {"5 < a", "5 < `a`"},
        {"((((a))))", "`a`"},
        {"(a) = (1)", "`a` = 1"},
        {"gr\xc3\xb6\xc3\x9f"
         "e = 'ä'",
         "`gr\xc3\xb6\xc3\x9f"
         "e` = 'ä'"},
    };
    gen g;
    ia_arena arena = {0};
    size_t i;

    (void)state;
    gen_open(&g, 101);
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ia_expr *e = NULL;
        ia_buf text = {0}, again = {0};

        GEN_OK(&g, ia_sql_filter_parse(&g.cx, &arena, cases[i].in, strlen(cases[i].in), &e));
        ia_expr_text(&g.cx, &text, e);
        assert_string_equal((const char *)text.data, cases[i].out);
        GEN_OK(&g, ia_sql_filter_parse(&g.cx, &arena, (const char *)text.data, text.len, &e));
        ia_expr_text(&g.cx, &again, e);
        assert_string_equal((const char *)again.data, cases[i].out);
        ia_buf_dispose(&text);
        ia_buf_dispose(&again);
    }
    ia_arena_dispose(&arena);
    gen_close(&g);
}

static void errors_tell_the_place_and_the_text(void **state)
{
    static const struct {
        const char *in, *text;
    } cases[] = {
        {"", "column 1: expected a condition, but the text ends"},
        {"a =", "column 4: expected a column or a value, but the text ends"},
        {"a = 1 b", "column 7: expected AND, OR or the end, not 'b'"},
        {"a = 1 AND", "column 10:"},
        {"(a = 1", "column 7: expected ')', but the text ends"},
        {"a = 1)", "column 6: expected AND, OR or the end, not ')'"},
        {"a = 'x", "column 5: the quote ' is never closed"},
        {"`a = 1", "column 1: the quote ` is never closed"},
        {"a IN ()", "column 7: expected a value, not ')'"},
        {"a IN (1, b)", "column 10: expected a value, not 'b'"},
        {"a IN 1", "column 6: expected '(', not '1'"},
        {"a BETWEEN 1 OR 2", "column 13: expected AND, not 'OR'"},
        {"a LIKE 5", "column 8: expected a quoted pattern, not '5'"},
        {"a IS 5", "column 6: expected NULL, TRUE or FALSE, not '5'"},
        {"a NOT 5", "column 7: expected IN, BETWEEN or LIKE, not '5'"},
        {"a = 1.2.3", "column 5: expected a number, not '1.2.3'"},
        {"a = 1e", "column 5: expected a number, not '1e'"},
        {"a = -b", "column 6: expected a number, not 'b'"},
        {"a = date '2021-02-29'", "column 10: expected a date as"},
        {"a = timestamp 'noon'", "column 15: expected a time as"},
        {"a = time '25:00:00'", "column 10: expected a time of day"},
        {"a = x'0g'", "column 6: expected pairs of hex digits"},
        {"a = x'000'", "column 6: expected pairs of hex digits"},
        {"a ; b", "column 3: expected AND, OR or the end, not ';'"},
        {"? = 1", "column 1: expected a column or a value, not '?'"},
        {"contains(a)", "column 11: expected ',', not ')'"},
    };
    gen g;
    ia_arena arena = {0};
    size_t i;

    (void)state;
    gen_open(&g, 102);
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ia_expr *e = NULL;

        ia_ctx_clear(&g.cx);
        assert_int_equal(ia_sql_filter_parse(&g.cx, &arena, cases[i].in, strlen(cases[i].in), &e),
                         IA_ERR_INVALID);
        assert_null(e);
        if (!strstr(g.cx.err.text, cases[i].text))
            fail_msg("%s: %s", cases[i].in, g.cx.err.text);
    }
    ia_arena_dispose(&arena);
    gen_close(&g);
}

/* Any bytes give a tree or an error; text is not 0-terminated. */
static void random_text_is_survived(void **state)
{
    static const char *const words[] = {
        "a",    "AND", "or", "NOT", "(",  ")",    "=",  "<",          ">",       "'",
        "''",   "'x'", "1",  "-",   "IN", ",",    "IS", "NULL",       "BETWEEN", "LIKE",
        "date", "x",   "`",  "\"",  ".",  "\xff", "!",  "array_has(", "1e",      " "};
    gen g;
    int round, parsed = 0;

    (void)state;
    gen_open(&g, 103);
    for (round = 0; round < 20000; round++) {
        ia_arena arena = {0};
        ia_expr *e = NULL;
        char text[256], *exact;
        size_t len = 0;
        int64_t n = gen_below(&g, 12);

        while (n-- > 0) {
            const char *w = words[gen_below(&g, (int64_t)(sizeof words / sizeof words[0]))];

            memcpy(text + len, w, strlen(w));
            len += strlen(w);
            if (gen_below(&g, 2))
                text[len++] = ' ';
        }
        exact = ia_alloc(&g.cx, len);
        memcpy(exact, text, len);
        ia_ctx_clear(&g.cx);
        if (ia_sql_filter_parse(&g.cx, &arena, exact, len, &e) == IA_OK)
            parsed++;
        else
            assert_int_equal(g.cx.err.code, IA_ERR_INVALID);
        ia_free(exact);
        ia_arena_dispose(&arena);
    }
    assert_true(parsed > 50);
    gen_close(&g);
}

static void deep_and_long_filters_are_bounded(void **state)
{
    gen g;
    ia_arena arena = {0};
    ia_buf text = {0};
    ia_expr *e = NULL, *bound = NULL;
    char name[] = "id";
    ia_field f = {.name = name, .type = ia_type_basic(IA_TYPE_I64)};
    ia_schema *s = NULL;
    int i;

    (void)state;
    gen_open(&g, 104);
    GEN_OK(&g, ia_schema_new(&g.cx, &f, 1, &s));
    for (i = 0; i < 5000; i++)
        ia_buf_printf(&g.cx, &text, "%sid = %d", i ? " OR " : "", i);
    GEN_OK(&g, ia_sql_filter_parse(&g.cx, &arena, (const char *)text.data, text.len, &e));
    assert_int_equal(e->n_args, 5000);
    GEN_OK(&g, ia_expr_bind(&g.cx, &arena, e, s, &bound));
    ia_buf_clear(&text);
    for (i = 0; i < 5000; i++)
        ia_buf_puts(&g.cx, &text, "(");
    assert_int_equal(ia_sql_filter_parse(&g.cx, &arena, (const char *)text.data, text.len, &e),
                     IA_ERR_INVALID);
    assert_non_null(strstr(g.cx.err.text, "nested"));
    ia_buf_clear(&text);
    for (i = 0; i < 5000; i++)
        ia_buf_puts(&g.cx, &text, "NOT ");
    assert_int_equal(ia_sql_filter_parse(&g.cx, &arena, (const char *)text.data, text.len, &e),
                     IA_ERR_INVALID);
    ia_buf_dispose(&text);
    ia_schema_release(s);
    ia_arena_dispose(&arena);
    gen_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_are_read_and_written_canonically),
        cmocka_unit_test(errors_tell_the_place_and_the_text),
        cmocka_unit_test(random_text_is_survived),
        cmocka_unit_test(deep_and_long_filters_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
