/* test_publish.c - publish, forks, races between handles and processes, conflicts. */
#include "graph_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define EACH_STORE(x)                                                                              \
    for (int kind_ = 0; kind_ < GX_KINDS && (gx_open(&(x), (gx_kind)kind_), true);                 \
         kind_++, gx_close(&(x)))
#define OK(x, call)                                                                                \
    do {                                                                                           \
        if ((call) != IA_OK)                                                                       \
            fail_msg("%s:%d: %s", __FILE__, __LINE__, (x).e.cx.err.text);                          \
    } while (0)

static void create(gx *x, const char *name, const char *from)
{
    ia_branch *b;
    ia_commit *at;

    OK(*x, ia_resolve(&x->e.cx, x->g, from, &at));
    OK(*x, ia_branch_create(&x->e.cx, x->g, name, at, &b));
    ia_commit_free(at);
    ia_branch_free(b);
}

static ia_write *begin(gx *x, ia_graph *g, const char *branch)
{
    ia_write *w;

    OK(*x, ia_write_begin(&x->e.cx, g, branch, NULL, "tester", NULL, &w));
    return w;
}

/* Publishes, frees, and gives the status. */
static ia_status finish(gx *x, ia_write *w)
{
    ia_commit *c = NULL;
    const ia_status st = ia_write_publish(&x->e.cx, w, &c);

    if (st == IA_OK)
        assert_non_null(c);
    ia_commit_free(c);
    ia_write_free(w);
    return st;
}

static ia_entry *entry(gx *x, const char *at, size_t type)
{
    ia_snapshot *s;
    ia_commit *c;
    ia_entry *e;

    OK(*x, ia_resolve(&x->e.cx, x->g, at, &c));
    OK(*x, ia_snapshot_open(&x->e.cx, x->g, c, &s));
    assert_ok(IA_NEW(&x->e.cx, e));
    assert_ok(ia_entry_copy(&x->e.cx, ia_snapshot_entry(s, type), e));
    ia_snapshot_close(s);
    return e;
}

static void entry_end(ia_entry *e)
{
    ia_entry_dispose(e);
    ia_free(e);
}

static void every_commit_stays_readable(void **state)
{
    gx x;
    char one[27], two[27], three[27];
    (void)state;
    EACH_STORE(x)
    {
        OK(x, gx_insert(&x.e.cx, x.g, "main", "a", 1, one));
        OK(x, gx_update(&x.e.cx, x.g, "main", "a", 2, two));
        OK(x, gx_delete(&x.e.cx, x.g, "main", "a", three));
        gx_expect(&x.e.cx, x.g, one, "a=1 | ");
        gx_expect(&x.e.cx, x.g, two, "a=2 | ");
        gx_expect(&x.e.cx, x.g, three, " | ");
        gx_expect(&x.e.cx, x.g, "main", " | ");
    }
}

static void an_update_keeps_the_row_id(void **state)
{
    gx x;
    (void)state;
    gx_open(&x, GX_MEMORY);
    OK(x, gx_insert(&x.e.cx, x.g, "main", "a", 1, NULL));
    OK(x, gx_update(&x.e.cx, x.g, "main", "a", 2, NULL));
    ia_entry *e = entry(&x, "main", GX_PERSON);
    ia_snapshot *s;
    ia_commit *c;
    ia_dataset *ds;
    uint64_t addr;
    bool found;
    OK(x, ia_resolve(&x.e.cx, x.g, "main", &c));
    OK(x, ia_snapshot_open(&x.e.cx, x.g, c, &s));
    OK(x, ia_snapshot_table(&x.e.cx, s, GX_PERSON, &ds));
    OK(x, ia_dataset_find_rowid(&x.e.cx, ds, 0, &found, &addr));
    assert_true(found);
    assert_int_equal(ia_addr_fragment(addr), 1);
    ia_snapshot_close(s);
    entry_end(e);
    gx_close(&x);
}

static void the_first_write_on_a_branch_forks_that_table_only(void **state)
{
    gx x;
    (void)state;
    EACH_STORE(x)
    {
        OK(x, gx_insert(&x.e.cx, x.g, "main", "a", 1, NULL));
        create(&x, "team/f", "main");
        OK(x, gx_insert(&x.e.cx, x.g, "main", "late", 9, NULL));
        OK(x, gx_insert(&x.e.cx, x.g, "team/f", "b", 2, NULL));
        gx_expect(&x.e.cx, x.g, "team/f", "a=1 b=2 | "); /* the pin, not main's newer head */
        gx_expect(&x.e.cx, x.g, "main", "a=1 late=9 | ");
        ia_entry *p = entry(&x, "team/f", GX_PERSON), *k = entry(&x, "team/f", GX_KNOWS);
        assert_non_null(p->lance_branch);
        assert_memory_equal(p->lance_branch, "team-f.", 7);
        assert_int_equal(strlen(p->lance_branch), 15);
        assert_int_equal(p->first_version + 1, p->last_version);
        assert_null(k->lance_branch);
        char *ref =
            ia_sprintf(&x.e.cx, "%s/Person.lance/_refs/branches/%s.json", x.root, p->lance_branch);
        assert_true(ia_objstore_exists(&x.e.cx, x.os, ref));
        ia_free(ref);
        entry_end(p);
        entry_end(k);
        OK(x, gx_update(&x.e.cx, x.g, "team/f", "a", 7, NULL));
        OK(x, gx_knows(&x.e.cx, x.g, "team/f", "k", "a", "b"));
        gx_expect(&x.e.cx, x.g, "team/f", "a=7 b=2 | k:a>b");
        create(&x, "deep", "team/f");
        OK(x, gx_delete(&x.e.cx, x.g, "main", "a", NULL));
        OK(x, gx_update(&x.e.cx, x.g, "deep", "a", 8, NULL)); /* a fork of a fork */
        gx_expect(&x.e.cx, x.g, "deep", "a=8 b=2 | k:a>b");
        gx_expect(&x.e.cx, x.g, "team/f", "a=7 b=2 | k:a>b");
        gx_expect(&x.e.cx, x.g, "main", "late=9 | ");
    }
}

static void forks_take_row_ids_from_spaces_of_their_own(void **state)
{
    gx x;
    ia_commit *c;
    ia_snapshot *s;
    ia_dataset *ds;
    (void)state;
    gx_open(&x, GX_MEMORY);
    create(&x, "f", "main");
    create(&x, "g", "main");
    OK(x, gx_insert(&x.e.cx, x.g, "f", "a", 1, NULL));
    OK(x, gx_insert(&x.e.cx, x.g, "g", "a", 1, NULL));
    for (uint64_t n = 1; n <= 2; n++) {
        OK(x, ia_resolve(&x.e.cx, x.g, n == 1 ? "f" : "g", &c));
        OK(x, ia_snapshot_open(&x.e.cx, x.g, c, &s));
        OK(x, ia_snapshot_table(&x.e.cx, s, GX_PERSON, &ds));
        assert_int_equal(ds->m->next_row_id, (n << 40) + 1);
        ia_snapshot_close(s);
    }
    gx_close(&x);
}

static void two_handles_insert_and_both_rows_stay(void **state)
{
    gx x;
    (void)state;
    EACH_STORE(x)
    {
        ia_graph *h = gx_handle(&x);
        OK(x, gx_insert(&x.e.cx, x.g, "main", "z", 0, NULL));
        ia_write *a = begin(&x, x.g, "main"), *b = begin(&x, h, "main");
        OK(x, gx_add_person(&x.e.cx, a, "a", 1));
        OK(x, gx_add_person(&x.e.cx, b, "b", 2));
        OK(x, finish(&x, a));
        OK(x, finish(&x, b));
        gx_expect(&x.e.cx, x.g, "main", "a=1 b=2 z=0 | ");
        gx_expect(&x.e.cx, h, "main", "a=1 b=2 z=0 | ");
        ia_graph_close(h);
    }
}

/* Rows of one fragment, changed by two writers: both deletion vectors count. */
static void writers_of_different_rows_of_one_fragment_do_not_meet(void **state)
{
    gx x;
    (void)state;
    EACH_STORE(x)
    {
        ia_graph *h = gx_handle(&x);
        ia_write *w = begin(&x, x.g, "main");
        OK(x, gx_add_person(&x.e.cx, w, "a", 1));
        OK(x, gx_add_person(&x.e.cx, w, "b", 2));
        OK(x, gx_add_person(&x.e.cx, w, "c", 3));
        OK(x, finish(&x, w));
        ia_write *p = begin(&x, x.g, "main"), *q = begin(&x, h, "main");
        OK(x, gx_change_person(&x.e.cx, p, "a", 10));
        OK(x, gx_drop_person(&x.e.cx, q, "b"));
        OK(x, gx_change_person(&x.e.cx, q, "c", 30));
        OK(x, finish(&x, p));
        OK(x, finish(&x, q));
        gx_expect(&x.e.cx, x.g, "main", "a=10 c=30 | ");
        ia_graph_close(h);
    }
}

static void the_same_row_is_a_conflict_that_names_it(void **state)
{
    gx x;
    char winner[27], other[27];
    (void)state;
    EACH_STORE(x)
    {
        ia_graph *h = gx_handle(&x);
        OK(x, gx_insert(&x.e.cx, x.g, "main", "a", 1, NULL));
        ia_write *q = begin(&x, h, "main");
        OK(x, gx_change_person(&x.e.cx, q, "a", 20));
        OK(x, gx_insert(&x.e.cx, x.g, "main", "b", 1, other));
        OK(x, gx_update(&x.e.cx, x.g, "main", "a", 10, winner));
        OK(x, gx_insert(&x.e.cx, x.g, "main", "c", 1, other));
        assert_fails(finish(&x, q), IA_ERR_CONFLICT);
        assert_non_null(strstr(x.e.cx.err.text, "row 'a' of Person"));
        assert_non_null(strstr(x.e.cx.err.text, winner));
        gx_expect(&x.e.cx, x.g, "main", "a=10 b=1 c=1 | ");
        q = begin(&x, h, "main");
        OK(x, gx_drop_person(&x.e.cx, q, "a"));
        OK(x, gx_update(&x.e.cx, x.g, "main", "a", 11, winner));
        assert_fails(finish(&x, q), IA_ERR_CONFLICT);
        q = begin(&x, h, "main");
        OK(x, gx_add_person(&x.e.cx, q, "new", 1));
        OK(x, gx_insert(&x.e.cx, x.g, "main", "new", 2, NULL));
        assert_fails(finish(&x, q), IA_ERR_CONFLICT);
        gx_expect(&x.e.cx, h, "main", "a=11 b=1 c=1 new=2 | ");
        ia_graph_close(h);
    }
}

/* Nothing staged by a lost attempt stays; nothing of the winner is touched. */
static void two_first_writers_of_a_branch_end_on_one_fork(void **state)
{
    gx x;
    (void)state;
    for (int links = 0; links < 2; links++)
        EACH_STORE(x)
        {
            ia_graph *h = gx_handle(&x);
            OK(x, gx_insert(&x.e.cx, x.g, "main", "z", 0, NULL));
            OK(x, gx_insert(&x.e.cx, x.g, "main", "y", 0, NULL));
            create(&x, "f", "main");
            ia_fault_links(x.os, links ? 0 : EPERM);
            ia_write *a = begin(&x, x.g, "f"), *b = begin(&x, h, "f");
            OK(x, gx_add_person(&x.e.cx, a, "a", 1));
            OK(x, gx_change_person(&x.e.cx, b, "z", 5));
            OK(x, gx_add_person(&x.e.cx, b, "b", 2));
            OK(x, finish(&x, a));
            ia_entry *won = entry(&x, "f", GX_PERSON);
            OK(x, finish(&x, b));
            ia_entry *now = entry(&x, "f", GX_PERSON);
            assert_string_equal(won->lance_branch, now->lance_branch);
            assert_int_equal(now->last_version, won->last_version + 1);
            gx_expect(&x.e.cx, x.g, "f", "a=1 b=2 y=0 z=5 | ");
            gx_expect(&x.e.cx, x.g, "main", "y=0 z=0 | ");
            char *staged = ia_sprintf(&x.e.cx, "%s/_graph/staged", x.root);
            assert_int_equal(gx_count(&x.e.cx, x.os, staged), 0);
            ia_free(staged);
            entry_end(won);
            entry_end(now);
            ia_graph_close(h);
        }
}

static void an_edge_to_a_node_deleted_meanwhile_is_not_published(void **state)
{
    gx x;
    (void)state;
    gx_open(&x, GX_MEMORY);
    ia_graph *h = gx_handle(&x);
    OK(x, gx_insert(&x.e.cx, x.g, "main", "a", 1, NULL));
    OK(x, gx_insert(&x.e.cx, x.g, "main", "b", 2, NULL));
    ia_write *w = begin(&x, h, "main");
    OK(x, gx_add_knows(&x.e.cx, w, "k", "a", "b"));
    OK(x, gx_delete(&x.e.cx, x.g, "main", "b", NULL));
    assert_fails(finish(&x, w), IA_ERR_CONFLICT);
    assert_non_null(strstr(x.e.cx.err.text, "b"));
    gx_expect(&x.e.cx, x.g, "main", "a=1 | ");
    assert_fails(gx_knows(&x.e.cx, x.g, "main", "k", "a", "b"), IA_ERR_CONSTRAINT);
    gx_expect(&x.e.cx, x.g, "main", "a=1 | ");
    ia_graph_close(h);
    gx_close(&x);
}

static void a_stale_precondition_changes_nothing(void **state)
{
    gx x;
    char one[27], two[27];
    ia_write *w;
    ia_commit *c;
    (void)state;
    gx_open(&x, GX_MEMORY);
    OK(x, gx_insert(&x.e.cx, x.g, "main", "a", 1, one));
    OK(x, gx_insert(&x.e.cx, x.g, "main", "b", 1, two));
    assert_fails(ia_write_begin(&x.e.cx, x.g, "main", one, "me", NULL, &w), IA_ERR_PRECONDITION);
    assert_null(w);
    assert_fails(ia_write_begin(&x.e.cx, x.g, "main", "abc", "me", NULL, &w), IA_ERR_INVALID);
    OK(x, ia_write_begin(&x.e.cx, x.g, "main", two, "me", NULL, &w));
    OK(x, gx_add_person(&x.e.cx, w, "c", 1));
    OK(x, gx_insert(&x.e.cx, x.g, "main", "d", 1, NULL)); /* other rows, still a precondition */
    assert_fails(ia_write_publish(&x.e.cx, w, &c), IA_ERR_PRECONDITION);
    ia_write_free(w);
    OK(x, ia_write_begin(&x.e.cx, x.g, "main", NULL, "me", NULL, &w));
    OK(x, ia_write_publish(&x.e.cx, w, &c));
    assert_null(c); /* nothing to do, no commit */
    ia_write_free(w);
    gx_expect(&x.e.cx, x.g, "main", "a=1 b=1 d=1 | ");
    gx_close(&x);
}

static void a_write_that_must_not_rebase_says_so(void **state)
{
    gx x;
    (void)state;
    gx_open(&x, GX_MEMORY);
    ia_write *w = begin(&x, x.g, "main");
    w->no_rebase = true;
    OK(x, gx_add_person(&x.e.cx, w, "c", 1));
    OK(x, gx_insert(&x.e.cx, x.g, "main", "d", 1, NULL));
    assert_fails(finish(&x, w), IA_ERR_CONFLICT);
    gx_expect(&x.e.cx, x.g, "main", "d=1 | ");
    gx_close(&x);
}

static void a_moved_graph_reads_and_writes_on(void **state)
{
    gx x;
    char moved[80];
    (void)state;
    gx_open(&x, GX_LOCAL);
    OK(x, gx_insert(&x.e.cx, x.g, "main", "a", 1, NULL));
    create(&x, "f", "main");
    OK(x, gx_insert(&x.e.cx, x.g, "f", "b", 2,
                    NULL)); /* its manifest names main's tree by its old path */
    create(&x, "deep", "f");
    ia_graph_close(x.g);
    snprintf(moved, sizeof moved, "%.40s/moved.graph", x.base);
    assert_int_equal(rename(x.root, moved), 0);
    snprintf(x.root, sizeof x.root, "%.60s", moved);
    x.g = gx_handle(&x);
    gx_expect(&x.e.cx, x.g, "f", "a=1 b=2 | ");
    OK(x, gx_update(&x.e.cx, x.g, "f", "a", 5, NULL));
    OK(x, gx_update(&x.e.cx, x.g, "deep", "b", 6, NULL));
    gx_expect(&x.e.cx, x.g, "f", "a=5 b=2 | ");
    gx_expect(&x.e.cx, x.g, "deep", "a=1 b=6 | ");
    gx_expect(&x.e.cx, x.g, "main", "a=1 | ");
    gx_close(&x);
}

/* Each allocation of a write fails in turn: nothing leaks, and the row is there exactly when the
 * write said so. */
static void a_write_without_memory_changes_nothing(void **state)
{
    gx x;
    ia_status st = IA_ERR_NO_MEMORY;
    (void)state;
    gx_open(&x, GX_MEMORY);
    OK(x, gx_insert(&x.e.cx, x.g, "main", "a", 1, NULL));
    create(&x, "f", "main");
    for (int64_t k = 0; st != IA_OK; k += 1 + k / 200) {
        ia_graph *h = gx_handle(&x);
        ia_mem_fail_after(k);
        st = gx_update(&x.e.cx, h, "f", "a", 2, NULL);
        ia_mem_fail_after(-1);
        ia_graph_close(h);
        if (st != IA_OK) {
            assert_int_equal(st, IA_ERR_NO_MEMORY);
            assert_int_equal(x.e.cx.err.code, IA_ERR_NO_MEMORY);
            ia_ctx_clear(&x.e.cx);
        }
        gx_expect(&x.e.cx, x.g, "f", st == IA_OK ? "a=2 | " : "a=1 | ");
    }
    gx_expect(&x.e.cx, x.g, "main", "a=1 | ");
    gx_close(&x);
}

/* A cancel before the commit point has no effect. */
static void a_cancelled_write_changes_nothing(void **state)
{
    gx x;
    atomic_bool stop = false;
    ia_commit *c;
    (void)state;
    gx_open(&x, GX_MEMORY);
    ia_write *w = begin(&x, x.g, "main");
    OK(x, gx_add_person(&x.e.cx, w, "a", 1));
    stop = true;
    x.e.cx.cancel = &stop;
    assert_fails(ia_write_publish(&x.e.cx, w, &c), IA_ERR_CANCELLED);
    x.e.cx.cancel = NULL;
    ia_ctx_clear(&x.e.cx);
    gx_expect(&x.e.cx, x.g, "main", " | ");
    OK(x, ia_write_publish(&x.e.cx, w, &c)); /* and may be published after all */
    ia_commit_free(c);
    ia_write_free(w);
    gx_expect(&x.e.cx, x.g, "main", "a=1 | ");
    gx_close(&x);
}

/* One process; its own handle and context. Exit code 0 = all its rows are in. */
static int inserter(const char *root, int who, int rows)
{
    const ia_graph_options opt = {.durability = IA_RELAXED};
    env e = env_new(0);
    ia_objstore *os = NULL;
    ia_graph *g = NULL;
    ia_status st;

    IA_GO(ia_objstore_local(&e.cx, &os));
    IA_GO(ia_graph_open(&e.cx, os, root, &opt, &g));
    for (int i = 0; i < rows; i++) {
        char id[32];
        snprintf(id, sizeof id, "p%d-%d", who, i);
        IA_GO(gx_insert(&e.cx, g, "main", id, who, NULL));
    }
    for (int i = 0; i < 2; i++) { /* a shared counter: conflicts are retried from the start */
        do {
            st = gx_bump(&e.cx, g, "main", "counter");
        } while (st == IA_ERR_CONFLICT);
        IA_GO(st);
    }
done:
    if (st != IA_OK)
        fprintf(stderr, "process %d: %s\n", who, e.cx.err.text);
    ia_graph_close(g);
    ia_objstore_close(os);
    ia_budget_drop(e.budget);
    return st == IA_OK ? 0 : 1;
}

static void many_processes_on_one_branch_all_get_through(void **state)
{
    enum { N = 8, ROWS = 4 };
    gx x;
    pid_t pids[N];
    ia_commit_list l;
    ia_commit *head;
    (void)state;
    gx_open(&x, GX_LOCAL);
    OK(x, gx_insert(&x.e.cx, x.g, "main", "counter", 0, NULL));
    for (int i = 0; i < N; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0)
            _exit(inserter(x.root, i, ROWS));
    }
    for (int i = 0; i < N; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    ia_entry *e = entry(&x, "main", GX_PERSON);
    assert_int_equal(e->rows, N * ROWS + 1);
    entry_end(e);
    char *dump, want[32];
    OK(x, gx_dump(&x.e.cx, x.g, "main", &dump));
    snprintf(want, sizeof want, "counter=%d ", N * 2);
    assert_memory_equal(dump, want, strlen(want)); /* no increment is lost */
    ia_free(dump);
    OK(x, ia_resolve(&x.e.cx, x.g, "main", &head));
    OK(x, ia_history(&x.e.cx, x.g, head, false, 0, &l));
    assert_int_equal(
        l.n, 2 + N * (ROWS + 2)); /* genesis, counter, and one commit per acknowledged write */
    ia_commit_list_dispose(&l);
    ia_commit_free(head);
    gx_close(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_commit_stays_readable),
        cmocka_unit_test(an_update_keeps_the_row_id),
        cmocka_unit_test(the_first_write_on_a_branch_forks_that_table_only),
        cmocka_unit_test(forks_take_row_ids_from_spaces_of_their_own),
        cmocka_unit_test(two_handles_insert_and_both_rows_stay),
        cmocka_unit_test(writers_of_different_rows_of_one_fragment_do_not_meet),
        cmocka_unit_test(the_same_row_is_a_conflict_that_names_it),
        cmocka_unit_test(two_first_writers_of_a_branch_end_on_one_fork),
        cmocka_unit_test(an_edge_to_a_node_deleted_meanwhile_is_not_published),
        cmocka_unit_test(a_stale_precondition_changes_nothing),
        cmocka_unit_test(a_write_that_must_not_rebase_says_so),
        cmocka_unit_test(a_moved_graph_reads_and_writes_on),
        cmocka_unit_test(a_write_without_memory_changes_nothing),
        cmocka_unit_test(a_cancelled_write_changes_nothing),
        cmocka_unit_test(many_processes_on_one_branch_all_get_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
