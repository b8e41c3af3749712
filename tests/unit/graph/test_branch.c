/* test_branch.c - branch names, lives, heads, deletion, lookup; graphs made and opened. */
#include "graph_fixture.h"

#include <stdio.h>

static const ia_graph_options relaxed = {.durability = IA_RELAXED, .for_writing = true};

#define EACH_STORE(x)                                                                              \
    for (int kind_ = 0; kind_ < GX_KINDS && (gx_open(&(x), (gx_kind)kind_), true);                 \
         kind_++, gx_close(&(x)))

static ia_status create(gx *x, const char *name, const char *from)
{
    ia_branch *b = NULL;
    ia_commit *at = NULL;
    ia_status st;

    IA_GO(ia_resolve(&x->e.cx, x->g, from, &at));
    IA_GO(ia_branch_create(&x->e.cx, x->g, name, at, &b));
done:
    ia_commit_free(at);
    ia_branch_free(b);
    return st;
}

static void expect_branches(gx *x, const char *want)
{
    ia_strlist l;
    char got[256] = "";

    assert_ok(ia_branch_list(&x->e.cx, x->g, &l));
    for (size_t i = 0; i < l.n; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", i ? " " : "", l.items[i]);
    ia_strlist_dispose(&l);
    assert_string_equal(got, want);
}

static void a_new_graph_has_main_and_an_empty_table_per_type(void **state)
{
    gx x;
    (void)state;
    EACH_STORE(x)
    {
        char *path = NULL;
        expect_branches(&x, "main");
        gx_expect(&x.e.cx, x.g, "main", " | ");
        assert_ok(ia_graph_path(&x.e.cx, x.g, &path, "dirs", "Knows.lance", NULL));
        assert_true(ia_objstore_exists(&x.e.cx, x.os, path));
        ia_free(path);
        assert_fails(ia_graph_init(&x.e.cx, x.os, x.root, GX_SCHEMA, "t.pg", "me", &relaxed),
                     IA_ERR_EXISTS);
    }
}

static void a_missing_graph_is_named(void **state)
{
    gx x;
    ia_graph *g;
    (void)state;
    gx_open(&x, GX_MEMORY);
    assert_fails(ia_graph_open(&x.e.cx, x.os, "/mem/other.graph", &relaxed, &g), IA_ERR_NOT_FOUND);
    assert_non_null(strstr(x.e.cx.err.text, "/mem/other.graph"));
    assert_null(g);
    gx_close(&x);
}

static void another_format_number_is_refused(void **state)
{
    static const char text[] = "{\"format\":9,\"future\":true}";
    gx x;
    ia_graph *g;
    (void)state;
    gx_open(&x, GX_MEMORY);
    assert_ok(
        ia_objstore_put(&x.e.cx, x.os, "/mem/my.graph/_graph/format.json", text, strlen(text), 0));
    assert_fails(ia_graph_open(&x.e.cx, x.os, x.root, &relaxed, &g), IA_ERR_UNSUPPORTED);
    assert_non_null(strstr(x.e.cx.err.text, "format 9"));
    gx_close(&x);
}

static void a_node_and_an_edge_may_share_a_name(void **state)
{
    static const char schema[] =
        "node Link { a: String }\nedge Link: Link -> Link { b: String? }\n";
    gx x;
    ia_graph *g;
    ia_commit *c;
    (void)state;
    gx_open(&x, GX_MEMORY);
    assert_ok(ia_graph_init(&x.e.cx, x.os, "/mem/two.graph", schema, "t.pg", "me", &relaxed));
    assert_ok(ia_graph_open(&x.e.cx, x.os, "/mem/two.graph", &relaxed, &g));
    assert_ok(ia_resolve(&x.e.cx, g, "main", &c));
    assert_int_equal(c->n_entries, 2);
    assert_string_not_equal(c->entries[0].dir, c->entries[1].dir);
    assert_true(strcmp(c->entries[0].dir, "Link.1.lance") == 0 ||
                strcmp(c->entries[1].dir, "Link.1.lance") == 0);
    ia_commit_free(c);
    ia_graph_close(g);
    gx_close(&x);
}

static void a_foreign_dataset_in_the_way_is_refused(void **state)
{
    gx x;
    ia_dataset *ds;
    ia_snapshot *s;
    ia_commit *c;
    (void)state;
    gx_open(&x, GX_MEMORY);
    assert_ok(ia_resolve(&x.e.cx, x.g, "main", &c));
    assert_ok(ia_snapshot_open(&x.e.cx, x.g, c, &s));
    assert_ok(ia_table_create(&x.e.cx, x.os, "/mem/other.graph/Person.lance",
                              s->cat->types[GX_PERSON]->arrow_schema, IA_RELAXED, &ds));
    ia_dataset_release(ds);
    ia_snapshot_close(s);
    assert_fails(
        ia_graph_init(&x.e.cx, x.os, "/mem/other.graph", GX_SCHEMA, "t.pg", "me", &relaxed),
        IA_ERR_EXISTS);
    assert_non_null(strstr(x.e.cx.err.text, "/mem/other.graph/Person.lance"));
    gx_close(&x);
}

static void a_dataset_of_a_graph_is_claimed(void **state)
{
    gx x;
    char *root;
    (void)state;
    gx_open(&x, GX_MEMORY);
    assert_ok(ia_graph_claims(&x.e.cx, x.os, "/mem/my.graph/Person.lance/data/x.lance", &root));
    assert_string_equal(root, "/mem/my.graph");
    ia_free(root);
    assert_ok(ia_graph_claims(&x.e.cx, x.os, "/mem/my.graph/Person.lance", &root));
    assert_string_equal(root, "/mem/my.graph");
    ia_free(root);
    assert_ok(ia_graph_claims(&x.e.cx, x.os, "/mem/my.graph/Other.lance", &root));
    assert_null(root);
    assert_ok(ia_graph_claims(&x.e.cx, x.os, "/mem", &root));
    assert_null(root);
    gx_close(&x);
}

static void bad_names_are_refused_before_anything_is_written(void **state)
{
    static const char *const bad[] = {"",       "/a",         "a/",   "a//b", "a..b",       "a\\b",
                                      "x.lock", "bad branch", "main", "a%b",  "caf\xc3\xa9"};
    gx x;
    (void)state;
    gx_open(&x, GX_MEMORY);
    const size_t before = gx_count(&x.e.cx, x.os, x.root);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_fails(create(&x, bad[i], "main"), IA_ERR_INVALID);
    assert_int_equal(gx_count(&x.e.cx, x.os, x.root), before);
    assert_fails(ia_branch_delete(&x.e.cx, x.g, "main", "me"), IA_ERR_INVALID);
    assert_fails(ia_branch_delete(&x.e.cx, x.g, "nope", "me"), IA_ERR_NOT_FOUND);
    assert_non_null(strstr(x.e.cx.err.text, "main"));
    gx_close(&x);
}

static void creating_a_branch_writes_one_file(void **state)
{
    gx x;
    (void)state;
    EACH_STORE(x)
    {
        const size_t before = gx_count(&x.e.cx, x.os, x.root);
        assert_ok(create(&x, "team/feature", "main"));
        assert_int_equal(gx_count(&x.e.cx, x.os, x.root), before + 1);
        expect_branches(&x, "main team/feature");
        assert_fails(create(&x, "team/feature", "main"), IA_ERR_EXISTS);
        gx_expect(&x.e.cx, x.g, "team/feature", " | ");
    }
}

static void names_are_path_prefix_disjoint_both_ways(void **state)
{
    gx x;
    (void)state;
    gx_open(&x, GX_MEMORY);
    assert_ok(create(&x, "review", "main"));
    assert_fails(create(&x, "review/x", "main"), IA_ERR_INVALID);
    assert_fails(create(&x, "main/x", "main"), IA_ERR_INVALID);
    assert_ok(create(&x, "reviews", "main"));
    assert_ok(ia_branch_delete(&x.e.cx, x.g, "review", "me"));
    assert_ok(create(&x, "review/x", "main"));
    assert_fails(create(&x, "review", "main"), IA_ERR_INVALID);
    expect_branches(&x, "main review/x reviews");
    gx_close(&x);
}

static void a_deleted_branch_is_gone_and_may_be_made_again(void **state)
{
    gx x;
    (void)state;
    EACH_STORE(x)
    {
        ia_branch_all lives;
        ia_branch *b;
        char old[27];
        assert_ok(create(&x, "b", "main"));
        assert_ok(ia_branch_open(&x.e.cx, x.g, "b", &b));
        memcpy(old, b->incarnation, sizeof old);
        assert_ok(ia_branch_delete(&x.e.cx, x.g, "b", "me"));
        ia_branch_free(b);
        assert_fails(ia_branch_open(&x.e.cx, x.g, "b", &b), IA_ERR_NOT_FOUND);
        assert_fails(ia_branch_delete(&x.e.cx, x.g, "b", "me"), IA_ERR_NOT_FOUND);
        expect_branches(&x, "main");
        assert_ok(create(&x, "b", "main"));
        assert_ok(ia_branch_open(&x.e.cx, x.g, "b", &b));
        assert_int_equal(b->life, 1);
        assert_string_not_equal(b->incarnation, old);
        ia_branch_free(b);
        assert_ok(ia_branch_lives(&x.e.cx, x.g, &lives));
        assert_int_equal(lives.n, 3);
        ia_branch_all_dispose(&lives);
    }
}

static void a_writer_that_holds_a_deleted_branch_is_fenced(void **state)
{
    gx x;
    ia_write *w;
    ia_commit *c;
    (void)state;
    gx_open(&x, GX_MEMORY);
    assert_ok(create(&x, "b", "main"));
    ia_graph *other = gx_handle(&x);
    assert_ok(ia_write_begin(&x.e.cx, other, "b", NULL, "me", NULL, &w));
    assert_ok(gx_add_person(&x.e.cx, w, "a", 1));
    assert_ok(ia_branch_delete(&x.e.cx, x.g, "b", "me"));
    assert_ok(create(&x, "b", "main"));
    assert_fails(ia_write_publish(&x.e.cx, w, &c), IA_ERR_NOT_FOUND);
    assert_null(c);
    gx_expect(&x.e.cx, x.g, "b", " | ");
    ia_write_free(w);
    ia_graph_close(other);
    gx_close(&x);
}

static void commits_are_found_by_id_and_by_prefix(void **state)
{
    gx x;
    char one[27], two[27], prefix[27], lower[27];
    ia_commit *c;
    (void)state;
    EACH_STORE(x)
    {
        assert_ok(gx_insert(&x.e.cx, x.g, "main", "a", 1, one));
        assert_ok(create(&x, "b", "main"));
        assert_ok(gx_insert(&x.e.cx, x.g, "b", "b", 2, two));
        assert_ok(ia_branch_delete(&x.e.cx, x.g, "b", "me"));
        gx_expect(&x.e.cx, x.g, one, "a=1 | ");
        gx_expect(&x.e.cx, x.g, two, "a=1 b=2 | "); /* of an ended branch */
        for (int i = 0; i < 27; i++)
            lower[i] = (char)(two[i] >= 'A' && two[i] <= 'Z' ? two[i] + 32 : two[i]);
        gx_expect(&x.e.cx, x.g, lower, "a=1 b=2 | ");
        size_t same = 0;
        while (one[same] == two[same])
            same++;
        snprintf(prefix, sizeof prefix, "%.*s", (int)same + 1, two);
        gx_expect(&x.e.cx, x.g, prefix, "a=1 b=2 | ");
        snprintf(prefix, sizeof prefix, "%.6s", two);
        assert_fails(ia_resolve(&x.e.cx, x.g, prefix, &c), IA_ERR_INVALID);
        assert_non_null(strstr(x.e.cx.err.text, "ambiguous"));
        assert_fails(ia_resolve(&x.e.cx, x.g, "01ARZ3NDEKTSV4RRFFQ69G5FAV", &c), IA_ERR_NOT_FOUND);
        assert_fails(ia_resolve(&x.e.cx, x.g, "b", &c), IA_ERR_NOT_FOUND);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_graph_has_main_and_an_empty_table_per_type),
        cmocka_unit_test(a_missing_graph_is_named),
        cmocka_unit_test(another_format_number_is_refused),
        cmocka_unit_test(a_node_and_an_edge_may_share_a_name),
        cmocka_unit_test(a_foreign_dataset_in_the_way_is_refused),
        cmocka_unit_test(a_dataset_of_a_graph_is_claimed),
        cmocka_unit_test(bad_names_are_refused_before_anything_is_written),
        cmocka_unit_test(creating_a_branch_writes_one_file),
        cmocka_unit_test(names_are_path_prefix_disjoint_both_ways),
        cmocka_unit_test(a_deleted_branch_is_gone_and_may_be_made_again),
        cmocka_unit_test(a_writer_that_holds_a_deleted_branch_is_fenced),
        cmocka_unit_test(commits_are_found_by_id_and_by_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
