/* test_reveal.c - between a commit and its names in the datasets: crashes, copies, strangers. */
#include "graph_fixture.h"

#include <errno.h>
#include <stdio.h>

#define EACH_STORE(x)                                                                              \
    for (int kind_ = 0; kind_ < GX_KINDS && (gx_open(&(x), (gx_kind)kind_), true);                 \
         kind_++, gx_close(&(x)))
#define OK(x, call)                                                                                \
    do {                                                                                           \
        if ((call) != IA_OK)                                                                       \
            fail_msg("%s:%d: %s", __FILE__, __LINE__, (x).e.cx.err.text);                          \
    } while (0)

static size_t unrevealed(gx *x, const char *branch)
{
    ia_strlist l;
    ia_commit *c;

    OK(*x, ia_resolve(&x->e.cx, x->g, branch, &c));
    OK(*x, ia_unrevealed(&x->e.cx, x->g, c, &l));
    const size_t n = l.n;
    ia_strlist_dispose(&l);
    ia_commit_free(c);
    return n;
}

static size_t staged(gx *x)
{
    char *dir = ia_sprintf(&x->e.cx, "%s/_graph/staged", x->root);
    const size_t n = gx_count(&x->e.cx, x->os, dir);

    ia_free(dir);
    return n;
}

/* Inserts a row and dies as late as possible without having placed the manifest. */
static void insert_and_die_before_reveal(gx *x, const char *branch, const char *id)
{
    ia_graph *h;
    int64_t last;

    for (int64_t k = 0;; k++) { /* the first cut after which the row is there */
        char *dump;
        h = gx_handle(x);
        ia_fault_set(x->os, k, IA_CUT_BEFORE, false);
        if (gx_insert(&x->e.cx, h, branch, id, 1, NULL) != IA_OK)
            ia_ctx_clear(&x->e.cx);
        ia_fault_set(x->os, -1, IA_CUT_BEFORE, false);
        ia_graph_close(h);
        OK(*x, gx_dump(&x->e.cx, x->g, branch, &dump));
        last = strstr(dump, id) ? k : -1;
        ia_free(dump);
        if (last >= 0)
            return;
    }
}

static void a_commit_is_readable_before_it_is_revealed(void **state)
{
    gx x;
    (void)state;
    EACH_STORE(x)
    {
        OK(x, gx_insert(&x.e.cx, x.g, "main", "a", 1, NULL));
        assert_int_equal(unrevealed(&x, "main"), 0);
        assert_int_equal(staged(&x), 0);
        insert_and_die_before_reveal(&x, "main", "b");
        assert_int_equal(unrevealed(&x, "main"), 1);
        gx_expect(&x.e.cx, x.g, "main", "a=1 b=1 | ");
        OK(x, gx_insert(&x.e.cx, x.g, "main", "c", 1, NULL)); /* finishes it first */
        assert_int_equal(unrevealed(&x, "main"), 0);
        gx_expect(&x.e.cx, x.g, "main", "a=1 b=1 c=1 | ");
    }
}

static void revealing_twice_changes_nothing(void **state)
{
    gx x;
    ia_commit *c;
    (void)state;
    EACH_STORE(x)
    {
        insert_and_die_before_reveal(&x, "main", "a");
        OK(x, ia_resolve(&x.e.cx, x.g, "main", &c));
        OK(x, ia_reveal(&x.e.cx, x.g, c));
        const size_t n = gx_count(&x.e.cx, x.os, x.root);
        OK(x, ia_reveal(&x.e.cx, x.g, c));
        assert_int_equal(gx_count(&x.e.cx, x.os, x.root), n);
        assert_int_equal(unrevealed(&x, "main"), 0);
        ia_commit_free(c);
        gx_expect(&x.e.cx, x.g, "main", "a=1 | ");
    }
}

static void a_store_without_links_reveals_by_copy(void **state)
{
    static const int reasons[] = {EPERM, EXDEV, EMLINK};
    gx x;
    (void)state;
    for (size_t i = 0; i < 3; i++)
        EACH_STORE(x)
        {
            ia_branch *b;
            ia_commit *c;
            ia_fault_links(x.os, reasons[i]);
            OK(x, gx_insert(&x.e.cx, x.g, "main", "a", 1, NULL));
            OK(x, ia_resolve(&x.e.cx, x.g, "main", &c));
            OK(x, ia_branch_create(&x.e.cx, x.g, "f", c, &b));
            OK(x, gx_insert(&x.e.cx, x.g, "f", "b", 2, NULL));
            assert_int_equal(unrevealed(&x, "f"), 0);
            gx_expect(&x.e.cx, x.g, "f", "a=1 b=2 | ");
            ia_branch_free(b);
            ia_commit_free(c);
        }
}

/* ---- strangers ------------------------------------------------------------------------------- */
static void foreign_append(gx *x, const char *id)
{
    char *root = ia_sprintf(&x->e.cx, "%s/Person.lance", x->root);
    ia_dataset *ds, *next = NULL;
    ia_txn t;
    ia_action *a;

    OK(*x, ia_dataset_open(&x->e.cx, x->os, root, NULL, 0, &ds));
    OK(*x, ia_txn_init(&x->e.cx, &t, IA_TXN_CONFIG, ds->m->version));
    OK(*x, ia_txn_add(&x->e.cx, &t, IA_ACT_CONFIG, &a));
    assert_ok(IA_SET(&x->e.cx, a->key, ia_strdup(&x->e.cx, id)));
    assert_ok(IA_SET(&x->e.cx, a->value, ia_strdup(&x->e.cx, "1")));
    OK(*x, ia_table_commit(&x->e.cx, ds, &t, IA_RELAXED, &next));
    ia_txn_dispose(&t);
    ia_dataset_release(ds);
    ia_dataset_release(next);
    ia_free(root);
}

static void expect_drift(gx *x, uint64_t version, const char *operation)
{
    ia_drifts d;
    ia_branch *b;
    ia_commit *c;
    const ia_catalog *cat;

    OK(*x, ia_branch_open(&x->e.cx, x->g, "main", &b));
    OK(*x, ia_branch_head(&x->e.cx, x->g, b, &c));
    OK(*x, ia_graph_catalog(&x->e.cx, x->g, c->schema_hash, &cat));
    OK(*x, ia_drift_find(&x->e.cx, x->g, b, c, cat, &d));
    assert_int_equal(d.n, operation ? 1 : 0);
    if (operation) {
        assert_string_equal(d.items[0].dir, "Person.lance");
        assert_int_equal(d.items[0].version, version);
        assert_string_equal(d.items[0].operation, operation);
    }
    ia_drifts_dispose(&d);
    ia_commit_free(c);
    ia_branch_free(b);
}

static void a_foreign_version_stops_writes_of_that_table_only(void **state)
{
    gx x;
    (void)state;
    EACH_STORE(x)
    {
        OK(x, gx_insert(&x.e.cx, x.g, "main", "a", 1, NULL));
        OK(x, gx_insert(&x.e.cx, x.g, "main", "b", 1, NULL));
        expect_drift(&x, 0, NULL);
        foreign_append(&x, "stranger");
        assert_fails(gx_insert(&x.e.cx, x.g, "main", "c", 1, NULL), IA_ERR_DRIFT);
        assert_non_null(strstr(x.e.cx.err.text, "Person.lance"));
        assert_non_null(strstr(x.e.cx.err.text, "version 4"));
        OK(x, gx_knows(&x.e.cx, x.g, "main", "k", "a", "b"));
        gx_expect(&x.e.cx, x.g, "main", "a=1 b=1 | k:a>b");
        expect_drift(&x, 4, "update_config");
    }
}

/* The stranger took the very name that our published manifest was to get. */
static void a_foreign_version_in_place_of_ours_hides_nothing(void **state)
{
    gx x;
    ia_commit *c;
    (void)state;
    EACH_STORE(x)
    {
        OK(x, gx_insert(&x.e.cx, x.g, "main", "a", 1, NULL));
        insert_and_die_before_reveal(&x, "main", "b");
        foreign_append(&x, "stranger");
        gx_expect(&x.e.cx, x.g, "main", "a=1 b=1 | ");
        OK(x, ia_resolve(&x.e.cx, x.g, "main", &c));
        assert_fails(ia_reveal(&x.e.cx, x.g, c), IA_ERR_DRIFT);
        ia_commit_free(c);
        assert_int_equal(unrevealed(&x, "main"), 1);
        assert_fails(gx_insert(&x.e.cx, x.g, "main", "c", 1, NULL), IA_ERR_DRIFT);
        OK(x, ia_resolve(&x.e.cx, x.g, "main", &c));
        ia_branch *f;
        OK(x, ia_branch_create(&x.e.cx, x.g, "f", c, &f));
        OK(x, gx_insert(&x.e.cx, x.g, "f", "c", 1,
                        NULL)); /* branches go on from the staged manifest */
        gx_expect(&x.e.cx, x.g, "f", "a=1 b=1 c=1 | ");
        gx_expect(&x.e.cx, x.g, "main", "a=1 b=1 | ");
        expect_drift(&x, 3, "update_config");
        ia_branch_free(f);
        ia_commit_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_commit_is_readable_before_it_is_revealed),
        cmocka_unit_test(revealing_twice_changes_nothing),
        cmocka_unit_test(a_store_without_links_reveals_by_copy),
        cmocka_unit_test(a_foreign_version_stops_writes_of_that_table_only),
        cmocka_unit_test(a_foreign_version_in_place_of_ours_hides_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
