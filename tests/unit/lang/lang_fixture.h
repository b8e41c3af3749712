/* lang_fixture.h - context and compile helpers shared by the tests of the lang layer. */
#ifndef IA_TEST_LANG_FIXTURE_H
#define IA_TEST_LANG_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lang/query/query.h"

#define PEOPLE                                                                                     \
    "node Person {\n"                                                                              \
    "    name: String @key\n"                                                                      \
    "    age: I32?\n"                                                                              \
    "}\n"                                                                                          \
    "node Company {\n"                                                                             \
    "    name: String @key\n"                                                                      \
    "}\n"                                                                                          \
    "edge Knows: Person -> Person {\n"                                                             \
    "    since: Date?\n"                                                                           \
    "}\n"                                                                                          \
    "edge WorksAt: Person -> Company\n"

/* A context over its own budget; what is still held at the end is a leak. */
typedef struct lang_test {
    ia_budget *budget;
    ia_ctx cx;
} lang_test;

static inline void lang_test_begin(lang_test *t)
{
    t->budget = ia_budget_new(NULL, 0);
    assert_non_null(t->budget);
    ia_ctx_init(&t->cx, t->budget);
}

static inline void lang_test_end(lang_test *t)
{
    assert_int_equal(ia_budget_used(t->budget), 0);
    ia_budget_drop(t->budget);
}

static inline ia_catalog *lang_schema(lang_test *t, const char *text)
{
    ia_catalog *c = NULL;
    ia_status st = ia_catalog_from_source(&t->cx, text, strlen(text), "test.pg", &c);

    if (st != IA_OK)
        print_error("%s\n", t->cx.err.text);
    assert_int_equal(st, IA_OK);
    return c;
}

/* The schema must be refused with the code, and the text must hold `part`. */
static inline void lang_schema_refused_as(const char *text, ia_status code, const char *part)
{
    lang_test t;
    ia_catalog *c = NULL;
    ia_status st;

    lang_test_begin(&t);
    st = ia_catalog_from_source(&t.cx, text, strlen(text), "test.pg", &c);
    if (st != code || !strstr(t.cx.err.text, part))
        print_error("schema: %s\nwanted: %s\ngot %d: %s\n", text, part, (int)st, t.cx.err.text);
    assert_int_equal(st, code);
    assert_null(c);
    assert_non_null(strstr(t.cx.err.text, part));
    assert_non_null(strstr(t.cx.err.text, "\n  at test.pg:"));
    lang_test_end(&t);
}

static inline void lang_schema_refused(const char *text, const char *part)
{
    lang_schema_refused_as(text, IA_ERR_INVALID, part);
}

static inline void lang_schema_accepted(const char *text)
{
    lang_test t;

    lang_test_begin(&t);
    ia_catalog_release(lang_schema(&t, text));
    lang_test_end(&t);
}

static inline ia_gq_query *lang_query(lang_test *t, const ia_catalog *c, const char *text)
{
    ia_gq_query *q = NULL;
    ia_status st = ia_gq_compile(&t->cx, c, text, strlen(text), "test.gq", NULL, &q);

    if (st != IA_OK)
        print_error("%s\n%s\n", text, t->cx.err.text);
    assert_int_equal(st, IA_OK);
    return q;
}

/* A one-query file must be refused with the code, and the text must begin with `prefix`. */
static inline void lang_query_refused_as(const char *schema, const char *text, ia_status code,
                                         const char *prefix)
{
    lang_test t;
    ia_catalog *c;
    ia_gq_query *q = NULL;
    ia_status st;

    lang_test_begin(&t);
    c = lang_schema(&t, schema);
    st = ia_gq_compile(&t.cx, c, text, strlen(text), "test.gq", NULL, &q);
    if (st != code || strncmp(t.cx.err.text, prefix, strlen(prefix)) != 0)
        print_error("query: %s\nwanted: %s\ngot %d: %s\n", text, prefix, (int)st, t.cx.err.text);
    assert_int_equal(st, code);
    assert_null(q);
    assert_memory_equal(t.cx.err.text, prefix, strlen(prefix));
    assert_non_null(strstr(t.cx.err.text, "\n  at test.gq:"));
    ia_catalog_release(c);
    lang_test_end(&t);
}

static inline void lang_query_refused(const char *schema, const char *text, const char *prefix)
{
    lang_query_refused_as(schema, text, IA_ERR_INVALID, prefix);
}

static inline void lang_query_accepted(const char *schema, const char *text)
{
    lang_test t;
    ia_catalog *c;

    lang_test_begin(&t);
    c = lang_schema(&t, schema);
    ia_gq_query_free(lang_query(&t, c, text));
    ia_catalog_release(c);
    lang_test_end(&t);
}

#endif
