/* test_lang_robust.c - damaged, deep and huge texts; every failing allocation. */
#include "lang_fixture.h"

static const char *const schema =
    "interface N { name: String @index }\n"
    "node Person @description(\"p\") implements N {\n  age: I32? @x(1, y=\"z\")\n  kind: enum(a, "
    "b-c, 2d)\n  v: Vector(3)? @embed(name)\n"
    "  tags: [String]?\n  @key(name)\n  @unique(age, kind)\n  @range(age, -1..150.5)\n  "
    "@check(name, \"^[a-z]+$\")\n}\n"
    "edge Knows: Person -> Person @card(0..5) { since: Date? @unique(src, dst) }\n";

static const char *const query =
    "query q($who: String?, $n: [I32], $v: Vector(3)) @description(\"d\") {\n"
    "  match { $p: Person { name: $who, tags: \"x\", } $p $w: <knows>{1,1} $f not { $f knows{1,2} "
    "$_ $f.age > 3 }\n"
    "    $f.tags contains \"y\" $w.since >= date(\"2020-01-01\") $f.kind != \"a\" }\n"
    "  return { $p.name, count($f) as n, min($f.age) as youngest $who }\n"
    "  order { n desc, $p.name } limit 10\n}\n"
    "query m($n: String) { insert Person { name: $n, kind: \"a\", v: [1, 2, 3.5], tags: [\"a\"] }\n"
    "  insert Knows { from: $n to: \"x\" } update Person set { age: 3 } where age < 3 }\n";

static void try_both(lang_test *t, const ia_catalog *c, const char *text, size_t len)
{
    ia_catalog *made = NULL;
    ia_gq_file *f = NULL;
    size_t i;

    if (ia_catalog_from_source(&t->cx, text, len, "x", &made) != IA_OK)
        assert_null(made);
    ia_catalog_release(made);
    if (ia_gq_file_parse(&t->cx, text, len, "x", &f) != IA_OK)
        assert_null(f);
    for (i = 0; f && i < ia_gq_file_count(f); i++) {
        ia_gq_query *q = NULL;
        if (ia_gq_check(&t->cx, f, i, c, &q) != IA_OK)
            assert_null(q);
        ia_gq_query_free(q);
    }
    ia_gq_file_free(f);
}

static uint32_t next_random(uint32_t *s)
{
    *s = *s * 1664525u + 1013904223u;
    return *s >> 8;
}

static void every_prefix_and_many_mutations_are_survived(void **state)
{
    static const char bits[] = "{}()[]<>:,.@?=-$\"\\/*#0129azAZ_ \n\xC3\xA9\xFF";
    const char *const texts[] = {schema, query};
    lang_test t;
    ia_catalog *c;
    char work[2000];
    uint32_t seed = 7;
    size_t k, i, round;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, schema);
    for (k = 0; k < 2; k++) {
        size_t n = strlen(texts[k]);
        assert_true(n < sizeof work);
        for (i = 0; i <= n; i++)
            try_both(&t, c, texts[k], i);
        for (round = 0; round < 2000; round++) {
            size_t edits = 1 + next_random(&seed) % 4;
            memcpy(work, texts[k], n);
            for (i = 0; i < edits; i++)
                work[next_random(&seed) % n] = bits[next_random(&seed) % (sizeof bits - 1)];
            try_both(&t, c, work, n);
        }
    }
    ia_catalog_release(c);
    lang_test_end(&t);
}

static void put_many(lang_test *t, ia_buf *b, const char *s, size_t n)
{
    while (n--)
        ia_buf_puts(&t->cx, b, s);
}

static void deep_texts_are_refused(void **state)
{
    static const char *const open[] = {"not { $p knows $q ", "count(", "["};
    static const char *const head[] = {"match { $p: Person ", "match { $p: Person } return { ",
                                       "match { $p: Person $p.age = "};
    size_t i;
    (void)state;

    for (i = 0; i < 3; i++) {
        lang_test t;
        ia_buf b = {0};
        ia_gq_file *f = NULL;
        lang_test_begin(&t);
        ia_buf_puts(&t.cx, &b, "query q() { ");
        ia_buf_puts(&t.cx, &b, head[i]);
        put_many(&t, &b, open[i], 100000);
        assert_int_equal(ia_gq_file_parse(&t.cx, (const char *)b.data, b.len, "x", &f),
                         IA_ERR_INVALID);
        assert_memory_equal(t.cx.err.text, "parse error: nested deeper than", 31);
        ia_buf_dispose(&b);
        lang_test_end(&t);
    }
}

static void long_lists_are_refused_before_they_hurt(void **state)
{
    lang_test t;
    ia_buf b = {0};
    ia_catalog *c = NULL;
    ia_gq_file *f = NULL;
    size_t i;
    (void)state;

    lang_test_begin(&t);
    ia_buf_puts(&t.cx, &b, "node A {");
    for (i = 0; i < 3000; i++)
        ia_buf_printf(&t.cx, &b, " p%zu: I32", i);
    ia_buf_puts(&t.cx, &b, "}");
    assert_int_equal(ia_catalog_from_source(&t.cx, (const char *)b.data, b.len, "x", &c),
                     IA_ERR_INVALID);
    assert_memory_equal(t.cx.err.text, "parse error: more than 2000 properties", 38);
    ia_buf_clear(&b);
    ia_buf_puts(&t.cx, &b, "query q() { match {");
    put_many(&t, &b, " $p: Person", 3000);
    ia_buf_puts(&t.cx, &b, " } return { $p } }");
    assert_int_equal(ia_gq_file_parse(&t.cx, (const char *)b.data, b.len, "x", &f), IA_ERR_INVALID);
    assert_memory_equal(t.cx.err.text, "parse error: more than 2000 clauses", 35);
    ia_buf_dispose(&b);
    lang_test_end(&t);
}

static ia_status everything(ia_ctx *cx)
{
    static const char *const values = "{\"who\":\"a\",\"n\":[1,2],\"v\":[1,2,3]}";
    ia_catalog *c = NULL, *d = NULL, *e = NULL;
    ia_gq_file *f = NULL;
    ia_gq_query *q = NULL, *m = NULL;
    ia_params *p = NULL;
    ia_bytes json = {NULL, 0};
    bool yes;
    ia_status st;

    IA_GO(ia_catalog_from_source(cx, schema, strlen(schema), "x", &c));
    IA_GO(ia_catalog_to_json(cx, c, &json));
    IA_GO(ia_catalog_from_json(cx, (const char *)json.data, json.len, &d));
    IA_GO(ia_catalog_evolve(cx, c, schema, strlen(schema), "x", &e));
    IA_GO(ia_check_matches(cx, ia_catalog_node(d, "Person")->checks, ia_view_of("abc"), &yes));
    IA_GO(ia_gq_file_parse(cx, query, strlen(query), "x", &f));
    IA_GO(ia_gq_check(cx, f, 0, d, &q));
    IA_GO(ia_gq_check(cx, f, 1, d, &m));
    IA_GO(ia_params_parse(cx, q, values, strlen(values), &p));
done:
    ia_params_free(p);
    ia_gq_query_free(m);
    ia_gq_query_free(q);
    ia_gq_file_free(f);
    ia_bytes_dispose(&json);
    ia_catalog_release(e);
    ia_catalog_release(d);
    ia_catalog_release(c);
    return st;
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state)
{
    int64_t k;
    ia_status st = IA_ERR_NO_MEMORY;
    (void)state;

    for (k = 0; st != IA_OK; k++) {
        lang_test t;
        lang_test_begin(&t);
        ia_mem_fail_after(k);
        st = everything(&t.cx);
        ia_mem_fail_after(-1);
        if (st != IA_OK && st != IA_ERR_NO_MEMORY)
            print_error("allocation %d: %d %s\n", (int)k, (int)st, t.cx.err.text);
        assert_true(st == IA_OK || st == IA_ERR_NO_MEMORY);
        lang_test_end(&t);
        assert_true(k < 20000);
    }
    assert_true(k > 20);
}

static void a_small_budget_is_respected(void **state)
{
    ia_budget *b = ia_budget_new(NULL, 3000);
    ia_ctx cx;
    ia_catalog *c = NULL;
    (void)state;

    ia_ctx_init(&cx, b);
    assert_int_equal(ia_catalog_from_source(&cx, schema, strlen(schema), "x", &c),
                     IA_ERR_OVER_BUDGET);
    assert_null(c);
    assert_int_equal(ia_budget_used(b), 0);
    ia_budget_drop(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_prefix_and_many_mutations_are_survived),
        cmocka_unit_test(deep_texts_are_refused),
        cmocka_unit_test(long_lists_are_refused_before_they_hurt),
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
        cmocka_unit_test(a_small_budget_is_respected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
