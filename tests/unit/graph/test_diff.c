/* test_diff.c - net row changes between two commits. */
#include "merge_fixture.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct noted {
    mx *x;
    ia_buf text;
    bool images;
    size_t n, fail_at;
} noted;

static ia_status note(ia_ctx *cx, void *arg, const ia_catalog *cat, const ia_change *c)
{
    static const char ops[] = "+~-";
    noted *d = arg;

    if (d->fail_at && ++d->n == d->fail_at)
        return ia_fail(cx, IA_ERR_IO, "the reader went away");
    assert_int_equal(c->before != NULL, d->images && c->op != IA_OP_INSERT);
    assert_int_equal(c->after != NULL, d->images && c->op != IA_OP_DELETE);
    for (int k = 0; k < 2; k++) {
        const ia_batch *b = k ? c->after : c->before;
        if (!b)
            continue;
        assert_int_equal(b->rows, 1);
        assert_int_equal(b->schema->n_fields, cat->types[c->type]->arrow_schema->n_fields);
        assert_true(ia_view_eq_str(ia_array_str(ia_batch_col(b, "id"), 0), c->id));
    }
    ia_buf_printf(cx, &d->text, "%s%c%s:%s", d->text.len ? " " : "", ops[c->op],
                  cat->types[c->type]->name, c->id);
    if (c->before && c->after && strcmp(cat->types[c->type]->name, "Person") == 0)
        ia_buf_printf(cx, &d->text, "(%lld>%lld)",
                      (long long)ia_array_i64(ia_batch_col(c->before, "age"), 0),
                      (long long)ia_array_i64(ia_batch_col(c->after, "age"), 0));
    return ia_buf_status(&d->text);
}

static ia_status run_diff(mx *x, ia_ctx *cx, const char *from, const char *to, bool images,
                          size_t fail_at, char **out)
{
    noted d = {.x = x, .images = images, .fail_at = fail_at};
    ia_commit *a = NULL, *b = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(ia_resolve(cx, x->g, from, &a));
    IA_GO(ia_resolve(cx, x->g, to, &b));
    IA_GO(ia_diff(cx, x->g, a, b, images, note, &d));
    IA_GO(ia_buf_finish_str(cx, &d.text, out));
done:
    ia_buf_dispose(&d.text);
    ia_commit_free(a);
    ia_commit_free(b);
    return st;
}

static void expect_diff(mx *x, const char *from, const char *to, bool images, const char *want)
{
    char *got;

    MX_OK(x, run_diff(x, &x->e.cx, from, to, images, 0, &got));
    assert_string_equal(got, want);
    ia_free(got);
}

static void open_changes(mx *x, char old[27])
{
    mx_open(x, MX_MEMORY);
    mx_people(x, "main", 0, 6, 1);
    mx_load(x, "main", "{\"type\":\"Item\",\"data\":{\"name\":\"i0\"}}\n"
                       "{\"edge\":\"Knows\",\"from\":\"p000\",\"to\":\"p001\",\"data\":{\"id\":"
                       "\"k0\"}}\n");
    mx_head(x, "main", old);
    mx_edge(x, "main", "Owns", "o0", "p000", "i0");
    mx_person(x, "main", "zz", 5);
    mx_person(x, "main", "p003", 4);
    mx_person(x, "main", "p002", 3);
    mx_drop_person(x, "main", "p001"); /* and k0 with it */
    mx_load(x, "main", "{\"type\":\"Item\",\"data\":{\"name\":\"i1\",\"title\":\"t\"}}\n");
    mx_people(x, "main", 4, 6, 9);
    mx_people(x, "main", 4, 6, 1); /* back again */
}

static void changes_come_by_type_and_id_with_both_images(void **state)
{
    mx x;
    char old[27];
    (void)state;
    open_changes(&x, old);
    expect_diff(&x, old, "main", true,
                "+Item:i1 -Person:p001 ~Person:p002(1>3) ~Person:p003(1>4) +Person:zz -Knows:k0 "
                "+Owns:o0");
    expect_diff(&x, old, "main", false,
                "+Item:i1 -Person:p001 ~Person:p002 ~Person:p003 +Person:zz -Knows:k0 +Owns:o0");
    expect_diff(&x, "main", old, true,
                "-Item:i1 +Person:p001 ~Person:p002(3>1) ~Person:p003(4>1) -Person:zz +Knows:k0 "
                "-Owns:o0");
    expect_diff(&x, "main", "main", true, "");
    mx_close(&x);
}

static void branches_are_compared_by_content(void **state)
{
    mx x;
    char old[27];
    (void)state;
    open_changes(&x, old);
    mx_branch(&x, "s", old);
    mx_person(&x, "s", "p002", 3); /* as on main, in a file of its own */
    mx_person(&x, "s", "p003", 8);
    expect_diff(&x, "s", "main", true,
                "+Item:i1 -Person:p001 ~Person:p003(8>4) +Person:zz -Knows:k0 +Owns:o0");
    mx_close(&x);
}

static void many_changes_come_in_chunks_and_in_order(void **state)
{
    mx x;
    char old[27], *got;
    (void)state;
    mx_open(&x, MX_MEMORY);
    mx_people(&x, "main", 0, 12000, 1);
    mx_head(&x, "main", old);
    mx_people(&x, "main", 1000, 11000, 2);
    MX_OK(&x, run_diff(&x, &x.e.cx, old, "main", true, 0, &got));
    size_t n = 0;
    const char *last = NULL;
    char *save = NULL;
    for (char *w = strtok_r(got, " ", &save); w; w = strtok_r(NULL, " ", &save), n++) {
        assert_true(!last || strcmp(last, w) < 0);
        last = w;
    }
    assert_int_equal(n, 10000);
    ia_free(got);
    /* within four MiB: chunks shrink to what there is room for */
    ia_budget *b = ia_budget_new(NULL, 4u << 20);
    ia_ctx cx;
    ia_ctx_init(&cx, b);
    if (run_diff(&x, &cx, old, "main", true, 0, &got) != IA_OK)
        fail_msg("%s", cx.err.text);
    ia_free(got);
    ia_graph_close(x.g); /* caches of the graph may hold what the small budget paid for */
    x.g = mx_handle(&x);
    assert_int_equal(ia_budget_used(b), 0);
    ia_budget_drop(b);
    mx_close(&x);
}

static void a_sink_may_stop_the_diff(void **state)
{
    mx x;
    char old[27], *got;
    (void)state;
    open_changes(&x, old);
    for (size_t k = 1; k <= 7; k++) {
        assert_fails(run_diff(&x, &x.e.cx, old, "main", true, k, &got), IA_ERR_IO);
        ia_ctx_clear(&x.e.cx);
    }
    mx_close(&x);
}

static void every_allocation_of_a_diff_may_fail(void **state)
{
    mx x;
    char old[27], *got;
    (void)state;
    open_changes(&x, old);
    FAIL_EVERY_ALLOCATION(&x.e.cx, run_diff(&x, &x.e.cx, old, "main", true, 0, &got),
                          ia_free(got));
    mx_close(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_come_by_type_and_id_with_both_images),
        cmocka_unit_test(branches_are_compared_by_content),
        cmocka_unit_test(many_changes_come_in_chunks_and_in_order),
        cmocka_unit_test(a_sink_may_stop_the_diff),
        cmocka_unit_test(every_allocation_of_a_diff_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
