/* test_lang_docs.c - the schemas and queries of the documents compile, refusals read as written. */
#include "lang_fixture.h"

#include <stdlib.h>

#define DOCS TEST_DATA "/../../docs/"

typedef struct doc {
    lang_test t;
    const char *file;
    char *text;
    char *at; /* not yet read */
} doc;

typedef struct block {
    char language[24]; /* first word of the info string */
    char *body;        /* 0-terminated inside doc.text */
} block;

static void doc_open(doc *d, const char *file)
{
    char path[1000];
    FILE *f;
    long n;

    lang_test_begin(&d->t);
    d->file = file;
    snprintf(path, sizeof path, "%s%s", DOCS, file);
    f = fopen(path, "rb");
    if (!f)
        fail_msg("cannot open %s", path);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    n = ftell(f);
    assert_true(n > 0);
    rewind(f);
    d->text = ia_calloc(&d->t.cx, (size_t)n + 1, 1);
    assert_non_null(d->text);
    assert_int_equal(fread(d->text, 1, (size_t)n, f), (size_t)n);
    fclose(f);
    d->at = d->text;
}

static void doc_close(doc *d)
{
    ia_free(d->text);
    lang_test_end(&d->t);
}

/* Next fenced block; fences stand at the start of a line. */
static bool doc_next(doc *d, block *b)
{
    char *open = strncmp(d->at, "```", 3) == 0 ? d->at : strstr(d->at, "\n```");
    char *line, *close;
    size_t n;

    if (!open)
        return false;
    open += *open == '\n' ? 4 : 3;
    n = strcspn(open, " \n");
    assert_true(n < sizeof b->language);
    memcpy(b->language, open, n);
    b->language[n] = 0;
    line = strchr(open, '\n');
    assert_non_null(line);
    close = strstr(line, "\n```");
    assert_non_null(close);
    b->body = close == line ? line : line + 1;
    *close = 0;
    d->at = close + 4;
    return true;
}

static void must_be(doc *d, const char *wanted, const char *what)
{
    if (strcmp(d->t.cx.err.text, wanted) != 0)
        print_error("%s: %s\nthe document says: %s\nthe message is: %s\n", d->file, what, wanted,
                    d->t.cx.err.text);
    assert_string_equal(d->t.cx.err.text, wanted);
}

static void expect_text(doc *d, block *b)
{
    assert_true(doc_next(d, b));
    assert_string_equal(b->language, "text");
}

static size_t check_schemas(const char *file)
{
    doc d;
    block b;
    size_t n = 0;

    doc_open(&d, file);
    while (doc_next(&d, &b)) {
        ia_catalog *c = NULL;
        ia_status st;
        bool good = strcmp(b.language, "pg") == 0;
        char *body = b.body;
        if (!good && strcmp(b.language, "pg-refused") != 0)
            continue;
        n++;
        st = ia_catalog_from_source(&d.t.cx, body, strlen(body), "example.pg", &c);
        if (good && st != IA_OK)
            print_error("%s: %s\n%s\n", file, body, d.t.cx.err.text);
        assert_int_equal(st == IA_OK, good);
        ia_catalog_release(c);
        if (!good) {
            expect_text(&d, &b);
            must_be(&d, b.body, body);
        }
    }
    doc_close(&d);
    return n;
}

static void check_queries(doc *d, const ia_catalog *c, const char *body, bool good)
{
    ia_gq_file *f = NULL;
    ia_status st = ia_gq_file_parse(&d->t.cx, body, strlen(body), "example.gq", &f);
    size_t i;

    for (i = 0; st == IA_OK && i < ia_gq_file_count(f); i++) {
        ia_gq_query *q = NULL;
        st = ia_gq_check(&d->t.cx, f, i, c, &q);
        ia_gq_query_free(q);
    }
    if (good && st != IA_OK)
        print_error("%s: %s\n%s\n", d->file, body, d->t.cx.err.text);
    assert_int_equal(st == IA_OK, good);
    assert_true(!good || ia_gq_file_count(f) > 0);
    ia_gq_file_free(f);
}

static void schemas_of_the_documents_compile(void **state)
{
    (void)state;
    assert_true(check_schemas("pg.md") >= 6);
    assert_true(check_schemas("gq.md") >= 1);
    assert_true(check_schemas("cli.md") >= 1);
}

static void queries_of_the_document_compile_against_its_schema(void **state)
{
    doc d;
    block b;
    ia_catalog *c = NULL;
    size_t good = 0, bad = 0;
    (void)state;

    doc_open(&d, "gq.md");
    while (doc_next(&d, &b)) {
        if (strcmp(b.language, "pg") == 0 && !c) {
            c = lang_schema(&d.t, b.body);
        } else if (strcmp(b.language, "gq") == 0) {
            check_queries(&d, c, b.body, true);
            good++;
        } else if (strcmp(b.language, "gq-refused") == 0) {
            char *body = b.body;
            check_queries(&d, c, body, false);
            expect_text(&d, &b);
            must_be(&d, b.body, body);
            bad++;
        }
    }
    assert_true(good >= 6);
    assert_true(bad >= 3);
    ia_catalog_release(c);
    doc_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemas_of_the_documents_compile),
        cmocka_unit_test(queries_of_the_document_compile_against_its_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
