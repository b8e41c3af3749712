/* test_str.c - views, byte blocks, the builder, string lists, UTF-8. */
#include "base/str.h"

#include <stdio.h>

#include "test_env.h"

static void views_compare_by_bytes(void **state)
{
    (void)state;
    assert_true(ia_view_eq(ia_view_of(NULL), ia_view_of("")));
    assert_true(ia_view_eq_str(ia_view_of("abc"), "abc"));
    assert_false(ia_view_eq_str(ia_view_of("abc"), "abd"));
    assert_true(ia_view_cmp(ia_view_of("ab"), ia_view_of("abc")) < 0);
    assert_true(ia_view_cmp(ia_view_of("b"), ia_view_of("abc")) > 0);
    assert_true(ia_view_cmp(ia_view_of("\xFF"), ia_view_of("a")) > 0);
    assert_int_equal(ia_view_cmp(ia_view_of("a"), ia_view_of("a")), 0);
    assert_true(ia_view_starts_with(ia_view_of("path/x"), "path"));
    assert_false(ia_view_starts_with(ia_view_of("pa"), "path"));
    assert_true(ia_view_ends_with(ia_view_of("x.lance"), ".lance"));
    assert_false(ia_view_ends_with(ia_view_of("lance"), ".lance"));
    assert_true(ia_view_ends_with(ia_view_of(""), ""));
}

static void strings_compare_with_null_and_without_case(void **state)
{
    (void)state;
    assert_true(ia_str_eq(NULL, NULL));
    assert_false(ia_str_eq(NULL, ""));
    assert_true(ia_str_eq("a", "a"));
    assert_true(ia_str_eq_nocase("Person", "pERSON"));
    assert_false(ia_str_eq_nocase("Person", "Persons"));
    assert_false(ia_str_eq_nocase("[", "{")); /* 32 apart, but no letters */
    assert_false(ia_str_eq_nocase(NULL, "a"));
}

static void bytes_are_copied_and_moved(void **state)
{
    env e = env_new(0);
    ia_bytes a, b;
    (void)state;
    assert_ok(ia_bytes_copy(&e.cx, "xyz", 3, &a));
    ia_bytes_move(&b, &a);
    assert_null(a.data);
    assert_int_equal(a.len, 0);
    assert_memory_equal(b.data, "xyz", 3);
    ia_bytes_dispose(&a);
    ia_bytes_dispose(&b);
    ia_bytes_dispose(NULL);
    env_end(&e);
}

static void a_builder_appends_and_keeps_a_closing_zero(void **state)
{
    env e = env_new(0);
    ia_buf b = {0};
    char *text;
    (void)state;
    for (int i = 0; i < 1000; i++) {
        ia_buf_printf(&e.cx, &b, "%d,", i);
        assert_int_equal(b.data[b.len], 0);
    }
    ia_buf_puts(&e.cx, &b, "end");
    ia_buf_putc(&e.cx, &b, '!');
    ia_buf_fill(&e.cx, &b, 'z', 3);
    uint8_t *raw = ia_buf_extend(&e.cx, &b, 2);
    memcpy(raw, "ok", 2);
    assert_int_equal(b.data[b.len], 0);
    assert_ok(ia_buf_finish_str(&e.cx, &b, &text));
    assert_null(b.data);
    assert_memory_equal(text, "0,1,2,", 6);
    assert_string_equal(text + strlen(text) - 12, "999,end!zzzok" + 1);
    ia_free(text);
    env_end(&e);
}

static void a_long_printf_fits(void **state)
{
    env e = env_new(0);
    ia_buf b = {0};
    char word[2000];
    (void)state;
    memset(word, 'w', sizeof word);
    word[1999] = 0;
    ia_buf_printf(&e.cx, &b, "<%s>", word);
    assert_ok(ia_buf_status(&b));
    assert_int_equal(b.len, 2001);
    assert_int_equal(b.data[2000], '>');
    ia_buf_clear(&b);
    assert_int_equal(b.len, 0);
    assert_int_equal(b.data[0], 0);
    ia_buf_dispose(&b);
    env_end(&e);
}

static void an_empty_builder_gives_an_empty_string(void **state)
{
    env e = env_new(0);
    ia_buf b = {0};
    char *text;
    ia_bytes bytes;
    (void)state;
    assert_ok(ia_buf_finish_str(&e.cx, &b, &text));
    assert_string_equal(text, "");
    ia_free(text);
    assert_ok(ia_buf_finish(&b, &bytes));
    assert_int_equal(bytes.len, 0);
    env_end(&e);
}

static void a_failed_append_is_remembered(void **state)
{
    env e = env_new(500);
    ia_buf b = {0};
    ia_bytes out;
    (void)state;
    ia_buf_puts(&e.cx, &b, "start");
    ia_buf_fill(&e.cx, &b, 'x', 10000);
    ia_buf_puts(&e.cx, &b, "more");
    assert_int_equal(b.len, 5);
    assert_null(ia_buf_extend(&e.cx, &b, 1));
    assert_fails(ia_buf_status(&b), IA_ERR_OVER_BUDGET);
    ia_buf_clear(&b);
    assert_fails(ia_buf_status(&b), IA_ERR_OVER_BUDGET);
    assert_fails(ia_buf_finish(&b, &out), IA_ERR_OVER_BUDGET);
    assert_null(out.data);
    env_end(&e);
}

static void a_string_list_sorts_by_bytes(void **state)
{
    env e = env_new(0);
    ia_strlist l = {0};
    static const char *const words[] = {"b", "B", "", "a\xC3\xA9", "az", "a"};
    static const char *const sorted[] = {"", "B", "a", "az", "a\xC3\xA9", "b"};
    (void)state;
    for (size_t i = 0; i < 6; i++)
        assert_ok(ia_strlist_add(&e.cx, &l, words[i]));
    ia_strlist_sort(&l);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(l.items[i], sorted[i]);
    assert_ok(ia_strlist_addn(&e.cx, &l, "hello", 4));
    assert_true(ia_strlist_has(&l, "hell"));
    assert_false(ia_strlist_has(&l, "hello"));
    ia_strlist_dispose(&l);
    ia_strlist_dispose(&l);
    env_end(&e);
}

static ia_status fill_list(ia_ctx *cx, ia_strlist *l)
{
    ia_status st = IA_OK;
    for (int i = 0; i < 20 && st == IA_OK; i++)
        st = ia_strlist_add(cx, l, "word");
    if (st != IA_OK)
        ia_strlist_dispose(l);
    return st;
}

static void a_string_list_survives_failing_allocations(void **state)
{
    env e = env_new(0);
    ia_strlist l = {0};
    (void)state;
    FAIL_EVERY_ALLOCATION(&e.cx, fill_list(&e.cx, &l), ia_strlist_dispose(&l));
    env_end(&e);
}

static void little_endian_numbers_round_trip(void **state)
{
    const uint8_t p[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint8_t q[8];
    (void)state;
    assert_int_equal(ia_le16(p), 0x0201);
    assert_int_equal(ia_le32(p), 0x04030201);
    assert_true(ia_le64(p) == UINT64_C(0x0807060504030201));
    ia_put_le64(q, ia_le64(p));
    assert_memory_equal(p, q, 8);
}

static void utf8_is_checked_by_the_letter(void **state)
{
    static const struct {
        const char *text;
        int bad; /* -1 = well-formed */
    } cases[] = {
        {"plain ascii, long enough for words", -1},
        {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", -1},
        {"\xF4\x8F\xBF\xBF", -1},         /* U+10FFFF */
        {"\xF4\x90\x80\x80", 0},          /* above */
        {"\xED\x9F\xBF\xEE\x80\x80", -1}, /* around the surrogates */
        {"\xED\xA0\x80", 0},              /* a surrogate */
        {"\xC0\xAF", 0},                  /* overlong */
        {"\xE0\x9F\xBF", 0},              /* overlong */
        {"\xF0\x8F\xBF\xBF", 0},          /* overlong */
        {"abcdefgh\x80", 8},              /* a tail without a lead */
        {"abcdefghij\xC3", 10},           /* cut short */
        {"abc\xE2\x82", 3},               /* cut short */
        {"\xFE", 0},
        {"", -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t bad = 1000;
        const bool valid = ia_utf8_valid(cases[i].text, strlen(cases[i].text), &bad);
        assert_int_equal(valid, cases[i].bad < 0);
        if (!valid)
            assert_int_equal(bad, cases[i].bad);
    }
    assert_true(ia_utf8_valid("\0x", 2, NULL));
    assert_false(ia_utf8_valid("\x80", 1, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_compare_by_bytes),
        cmocka_unit_test(strings_compare_with_null_and_without_case),
        cmocka_unit_test(bytes_are_copied_and_moved),
        cmocka_unit_test(a_builder_appends_and_keeps_a_closing_zero),
        cmocka_unit_test(a_long_printf_fits),
        cmocka_unit_test(an_empty_builder_gives_an_empty_string),
        cmocka_unit_test(a_failed_append_is_remembered),
        cmocka_unit_test(a_string_list_sorts_by_bytes),
        cmocka_unit_test(a_string_list_survives_failing_allocations),
        cmocka_unit_test(little_endian_numbers_round_trip),
        cmocka_unit_test(utf8_is_checked_by_the_letter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
