/* test_diag.c - the exact text of error messages with place and excerpt. */
#include "lang_fixture.h"

static void schema_text_is(const char *text, const char *path, const char *wanted)
{
    lang_test t;
    ia_catalog *c = NULL;

    lang_test_begin(&t);
    assert_int_equal(ia_catalog_from_source(&t.cx, text, strlen(text), path, &c), IA_ERR_INVALID);
    assert_string_equal(t.cx.err.text, wanted);
    lang_test_end(&t);
}

static void query_text_is(const char *text, const char *wanted)
{
    lang_test t;
    ia_catalog *c;
    ia_gq_query *q = NULL;

    lang_test_begin(&t);
    c = lang_schema(&t, PEOPLE);
    assert_int_equal(ia_gq_compile(&t.cx, c, text, strlen(text), "q.gq", NULL, &q), IA_ERR_INVALID);
    assert_string_equal(t.cx.err.text, wanted);
    ia_catalog_release(c);
    lang_test_end(&t);
}

static void a_type_error_shows_its_words(void **state)
{
    (void)state;
    query_text_is("query q() {\n    match { $p: Person }\n    return { $p.nme }\n}\n",
                  "type error: T6: type `Person` has no property `nme`\n"
                  "  at q.gq:3:17\n"
                  "    return { $p.nme }\n"
                  "                ^~~");
    query_text_is(
        "query q() {\n\tmatch {\n\t\t$c: Company\n\t\t$c knows\t$q\n\t}\n\treturn { $q }\n}\n",
        "type error: T5: `$c` has type `Company`, but edge `Knows` goes from `Person` to `Person`\n"
        "  at q.gq:4:3\n"
        "    $c knows $q\n"
        "    ^~");
}

static void a_parse_error_shows_its_word(void **state)
{
    (void)state;
    schema_text_is("node Person {\n    name: Strng @key\n}\n", "people.pg",
                   "parse error: expected a property type (String, Bool, I32, I64, U32, U64, F32, "
                   "F64, Date, DateTime, enum(...), "
                   "Vector(n), [T]), found `Strng`\n"
                   "  at people.pg:2:11\n"
                   "    name: Strng @key\n"
                   "          ^~~~~");
    schema_text_is("node A { }\nedge E: A -> B\n", NULL,
                   "catalog error: unknown endpoint `B` of edge `E`: no such node type\n"
                   "  at <text>:2:14\n"
                   "    edge E: A -> B\n"
                   "                 ^");
}

static void the_end_of_the_text_is_shown_after_the_last_word(void **state)
{
    (void)state;
    schema_text_is("node A {\n    x: I32\n\n\n", "a.pg",
                   "parse error: expected a property name (lower-case first letter) or `}`, found "
                   "the end of the text\n"
                   "  at a.pg:2:11\n"
                   "    x: I32\n"
                   "          ^");
    schema_text_is(
        "node", "a.pg",
        "parse error: expected a type name (upper-case first letter), found the end of the text\n"
        "  at a.pg:1:5\n"
        "    node\n"
        "        ^");
}

static void columns_count_characters(void **state)
{
    (void)state;
    schema_text_is("node A @description(\"h\xC3\xA9\xE2\x82\xAC\") { x: Foo }", "a.pg",
                   "parse error: expected a property type (String, Bool, I32, I64, U32, U64, F32, "
                   "F64, Date, DateTime, enum(...), "
                   "Vector(n), [T]), found `Foo`\n"
                   "  at a.pg:1:33\n"
                   "    node A @description(\"h\xC3\xA9\xE2\x82\xAC\") { x: Foo }\n"
                   "                                    ^~~");
}

static void long_lines_are_clipped_around_the_error(void **state)
{
    (void)state;
    schema_text_is(
        "node A { aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: I32 bbbbbbbbbbbbbbbbbbbbbbbbbb: I32 c: [Blob] "
        "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd: I32 }",
        "a.pg",
        "parse error: a list of Blob is not a type\n"
        "  at a.pg:1:82\n"
        "    ...bbbbbbbbbbbbbbbbbbbbbbbbbb: I32 c: [Blob] dddddddddddddddddddddddddddddddddd...\n"
        "                                           ^~~~");
}

static void everything_fits_the_fixed_text(void **state)
{
    lang_test t;
    ia_catalog *c = NULL;
    ia_buf text = {0};
    char path[300];
    size_t n;
    (void)state;

    lang_test_begin(&t);
    memset(path, 'p', sizeof path - 1);
    path[sizeof path - 1] = 0;
    ia_buf_puts(&t.cx, &text, "node A { x: I32 @unique(");
    for (n = 0; n < 1000; n++)
        ia_buf_puts(&t.cx, &text, "n\x61");
    ia_buf_puts(&t.cx, &text, ") }");
    assert_int_equal(ia_catalog_from_source(&t.cx, (const char *)text.data, text.len, path, &c),
                     IA_ERR_INVALID);
    n = strlen(t.cx.err.text);
    assert_true(n < sizeof t.cx.err.text - 1);
    assert_memory_equal(t.cx.err.text, "parse error: @unique names `nana", 32);
    assert_non_null(strstr(t.cx.err.text, "...\n  at ...ppp"));
    assert_non_null(strstr(t.cx.err.text, "p:1:25\n"));
    assert_true(t.cx.err.text[n - 1] == '~');
    ia_buf_dispose(&text);
    lang_test_end(&t);
}

static void bytes_that_are_no_text_are_refused(void **state)
{
    lang_test t;
    ia_catalog *c = NULL;
    ia_gq_file *f = NULL;
    (void)state;

    lang_test_begin(&t);
    assert_int_equal(ia_catalog_from_source(&t.cx, "node A { }\n\xFF", 12, "a.pg", &c),
                     IA_ERR_INVALID);
    assert_string_equal(t.cx.err.text,
                        "parse error: byte 0xff at offset 11 is not UTF-8 text\n  at a.pg:2");
    assert_int_equal(ia_catalog_from_source(&t.cx, "node\0A { }", 10, "a.pg", &c), IA_ERR_INVALID);
    assert_string_equal(t.cx.err.text,
                        "parse error: byte 0x00 at offset 4 is not UTF-8 text\n  at a.pg:1");
    assert_int_equal(ia_gq_file_parse(&t.cx, "\xC3", 1, "a.gq", &f), IA_ERR_INVALID);
    assert_int_equal(ia_catalog_from_source(&t.cx, "\xEF\xBB\xBFnode A { }", 13, "a.pg", &c),
                     IA_ERR_INVALID);
    lang_test_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_type_error_shows_its_words),
        cmocka_unit_test(a_parse_error_shows_its_word),
        cmocka_unit_test(the_end_of_the_text_is_shown_after_the_last_word),
        cmocka_unit_test(columns_count_characters),
        cmocka_unit_test(long_lines_are_clipped_around_the_error),
        cmocka_unit_test(everything_fits_the_fixed_text),
        cmocka_unit_test(bytes_that_are_no_text_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
