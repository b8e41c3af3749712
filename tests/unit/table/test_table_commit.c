/* test_table_commit.c - the plain commit loop: who may follow whom, and many processes at once. */
#include <sys/wait.h>

#include "table_env.h"
#include "table_kit.h"

#define FIELDS "[{\"name\":\"id\",\"type\":\"int64\"},{\"name\":\"s\",\"type\":\"string\"}]"

static ia_dataset *people(env *t)
{
    ia_schema *s;
    ia_dataset *empty, *ds;
    ia_json *doc;
    static const char rows[] =
        "[{\"id\":0},{\"id\":1},{\"id\":2},{\"id\":3},{\"id\":4},{\"id\":5},{\"id\":6},{\"id\":7}]";
    assert_ok(kit_schema_text(&t->cx, FIELDS, &s));
    assert_ok(ia_table_create(&t->cx, t->os, t->root, s, IA_RELAXED, &empty));
    ia_schema_release(s);
    assert_ok(ia_json_parse(&t->cx, rows, sizeof rows - 1, &doc));
    assert_ok(kit_append(&t->cx, empty, doc, IA_RELAXED, &ds));
    ia_json_free(doc);
    ia_dataset_release(empty);
    return ds;
}

static void plan(env *t, ia_dataset *ds, const char *what, const char *where, ia_txn *x)
{
    ia_json *set;
    memset(x, 0, sizeof *x);
    if (strcmp(what, "delete") == 0) {
        assert_ok(kit_plan_delete(&t->cx, ds, where, x));
    } else if (strcmp(what, "update") == 0) {
        assert_ok(ia_json_parse(&t->cx, "{\"s\":\"u\"}", 9, &set));
        assert_ok(kit_plan_update(&t->cx, ds, where, set, x));
        ia_json_free(set);
    } else if (strcmp(what, "append") == 0) {
        ia_json *rows;
        ia_batch *b;
        ia_fragwriter *w;
        ia_fragment *frags;
        ia_action *a;
        size_t n;
        assert_ok(ia_json_parse(&t->cx, "[{\"id\":100}]", 12, &rows));
        assert_ok(kit_batch(&t->cx, ds->m->arrow, rows, &b));
        ia_json_free(rows);
        assert_ok(
            ia_fragwriter_open(&t->cx, t->os, ds->dir, &ds->m->schema, ds->m->arrow, NULL, &w));
        assert_ok(ia_fragwriter_write(&t->cx, w, b, NULL));
        assert_ok(ia_fragwriter_finish(&t->cx, w, &frags, &n));
        ia_fragwriter_close(w);
        ia_batch_release(b);
        assert_ok(ia_txn_init(&t->cx, x, IA_TXN_APPEND, ds->m->version));
        assert_ok(ia_txn_add(&t->cx, x, IA_ACT_ADD_FRAGMENT, &a));
        a->fragment = frags[0];
        ia_free(frags);
    } else {
        ia_action *a;
        assert_ok(ia_txn_init(&t->cx, x, IA_TXN_OVERWRITE, ds->m->version));
        assert_ok(ia_txn_add(&t->cx, x, IA_ACT_RESET_TABLE, &a));
        assert_ok(ia_txn_add(&t->cx, x, IA_ACT_SET_SCHEMA, &a));
        assert_ok(ia_lschema_copy(&t->cx, &ds->m->schema, &a->schema));
    }
}

/* First commits, then second, both planned on the same version. */
static ia_status both(env *t, const char *first, const char *first_where, const char *second,
                      const char *second_where, uint64_t *rows)
{
    ia_dataset *ds = people(t), *one, *two = NULL;
    ia_txn a, b;
    ia_status st;
    plan(t, ds, first, first_where, &a);
    plan(t, ds, second, second_where, &b);
    assert_ok(ia_table_commit(&t->cx, ds, &a, IA_RELAXED, &one));
    st = ia_table_commit(&t->cx, ds, &b, IA_RELAXED, &two);
    *rows = 0;
    if (st == IA_OK) {
        assert_int_equal(two->m->version, 4);
        *rows = ia_manifest_live_rows(two->m);
    } else {
        assert_null(two);
        ia_ctx_clear(&t->cx);
    }
    ia_txn_dispose(&a);
    ia_txn_dispose(&b);
    ia_dataset_release(ds);
    ia_dataset_release(one);
    ia_dataset_release(two);
    return st;
}

static void two_writers_follow_the_grid(void **state)
{
    static const struct {
        const char *first, *fw, *second, *sw;
        ia_status want;
        uint64_t rows;
    } cases[] = {
        {"append", NULL, "append", NULL, IA_OK, 10},
        {"delete", "id = 1", "append", NULL, IA_OK, 8},
        {"append", NULL, "delete", "id = 1", IA_OK, 8},
        {"delete", "id = 1", "delete", "id = 2", IA_OK, 6},
        {"delete", "id = 1", "delete", "id = 1 OR id = 2", IA_ERR_CONFLICT, 0},
        {"update", "id = 1", "delete", "id = 2", IA_OK, 7},
        {"update", "id = 1", "delete", "id = 1", IA_ERR_CONFLICT, 0},
        {"delete", "id = 1", "update", "id = 1", IA_ERR_CONFLICT, 0},
        {"update", "id = 1", "update", "id = 2", IA_OK, 8},
        {"delete", "id < 4", "delete", "id >= 4", IA_OK, 0}, /* together they empty the fragment */
        {"delete", NULL, "delete", "id = 1", IA_ERR_CONFLICT, 0},
        {"overwrite", NULL, "append", NULL, IA_ERR_CONFLICT, 0},
        {"overwrite", NULL, "delete", "id = 1", IA_ERR_CONFLICT, 0},
        {"append", NULL, "overwrite", NULL, IA_OK, 0},
        {"overwrite", NULL, "overwrite", NULL, IA_ERR_CONFLICT, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        env e, *t = &e;
        uint64_t rows;
        ia_status st;
        env_start(t, false);
        st = both(t, cases[i].first, cases[i].fw, cases[i].second, cases[i].sw, &rows);
        if (st != cases[i].want || rows != cases[i].rows)
            fail_msg("%s %s, then %s %s: %s, %llu rows", cases[i].first, cases[i].fw,
                     cases[i].second, cases[i].sw, ia_status_name(st), (unsigned long long)rows);
        env_end(t);
    }
}

static void a_rebased_delete_names_the_version_it_landed_on(void **state)
{
    env e, *t = &e;
    ia_dataset *ds, *one, *two;
    const ia_bitmap *dv;
    ia_txn a, b;
    (void)state;
    env_start(t, false);
    ds = people(t);
    plan(t, ds, "delete", "id = 1", &a);
    plan(t, ds, "delete", "id = 5", &b);
    assert_ok(ia_table_commit(&t->cx, ds, &a, IA_RELAXED, &one));
    assert_ok(ia_table_commit(&t->cx, ds, &b, IA_RELAXED, &two));
    assert_int_equal(b.read_version, 3);
    assert_int_equal(two->m->fragments[0].deletion.read_version, 3);
    assert_int_equal(strncmp(two->m->transaction_file, "3-", 2), 0);
    assert_ok(ia_dataset_deletions(&t->cx, two, &two->m->fragments[0], &dv));
    assert_true(ia_bitmap_has(dv, 1) && ia_bitmap_has(dv, 5) && ia_bitmap_count(dv) == 2);
    ia_txn_dispose(&a);
    ia_txn_dispose(&b);
    ia_dataset_release(ds);
    ia_dataset_release(one);
    ia_dataset_release(two);
    env_end(t);
}

/* Cut at every operation: afterwards there is the old version or the new one, whole. */
static void a_cut_leaves_the_old_version_or_the_new_one(void **state)
{
    env e, *t = &e;
    ia_dataset *ds, *out;
    ia_objstore *cut;
    bool committed_once = false;
    (void)state;
    env_start(t, false);
    ds = people(t);
    for (int64_t k = 0; k < 40; k++) {
        ia_dataset *on, *after;
        ia_txn x;
        ia_status st;
        assert_ok(ia_objstore_faulty(&t->cx, t->os, &cut));
        assert_ok(ia_dataset_open(&t->cx, cut, t->root, NULL, 0, &on));
        plan(t, on, "append", NULL, &x);
        ia_fault_set(cut, k, IA_CUT_AFTER, false);
        st = ia_table_commit(&t->cx, on, &x, IA_RELAXED, &out);
        ia_ctx_clear(&t->cx);
        ia_fault_set(cut, -1, IA_CUT_AFTER, false);
        assert_ok(
            ia_dataset_open(&t->cx, t->os, t->root, NULL, 0, &after)); /* old or new, never a mix */
        assert_true(after->m->version == on->m->version || after->m->version == on->m->version + 1);
        assert_int_equal(ia_manifest_live_rows(after->m), after->m->version + 6);
        committed_once = committed_once || (st != IA_OK && after->m->version > on->m->version);
        if (st == IA_OK)
            assert_int_equal(after->m->version, on->m->version + 1);
        ia_dataset_release(after);
        if (st == IA_OK)
            ia_dataset_release(out);
        ia_txn_dispose(&x);
        ia_dataset_release(on);
        ia_objstore_close(cut);
    }
    assert_true(committed_once);
    ia_dataset_release(ds);
    env_end(t);
}

#define WRITERS 4
#define ROUNDS 12

/* One process: appends rows of its own and deletes some of them again. */
static int writer(const char *root, int me)
{
    ia_budget *budget = ia_budget_new(NULL, 0);
    ia_ctx cx;
    ia_objstore *os;
    int bad = 0;
    ia_ctx_init(&cx, budget);
    if (ia_objstore_local(&cx, &os) != IA_OK)
        return 1;
    for (int i = 0; i < ROUNDS && !bad; i++) {
        ia_dataset *ds, *next = NULL;
        ia_json *doc = NULL;
        char rows[200], where[80];
        ia_status st;
        snprintf(rows, sizeof rows, "[{\"id\":%d},{\"id\":%d}]", 1000 * (me + 1) + 2 * i,
                 1000 * (me + 1) + 2 * i + 1);
        snprintf(where, sizeof where, "id = %d", 1000 * (me + 1) + 2 * i);
        do {
            ia_ctx_clear(&cx);
            bad |= ia_dataset_open(&cx, os, root, NULL, 0, &ds) != IA_OK;
            bad |= ia_json_parse(&cx, rows, strlen(rows), &doc) != IA_OK;
            st = kit_append(&cx, ds, doc, IA_RELAXED, &next);
            ia_json_free(doc);
            ia_dataset_release(ds);
        } while (st == IA_ERR_CONFLICT && !bad);
        bad |= st != IA_OK;
        while (!bad) {
            st = kit_delete(&cx, next, where, &ds);
            ia_dataset_release(next);
            next = ds;
            if (st == IA_OK)
                break;
            bad |= st != IA_ERR_CONFLICT;
            ia_ctx_clear(&cx);
            bad |= ia_dataset_open(&cx, os, root, NULL, 0, &next) != IA_OK;
        }
        ia_dataset_release(next);
    }
    if (bad)
        fprintf(stderr, "writer %d: %s\n", me, cx.err.text);
    ia_objstore_close(os);
    ia_budget_drop(budget);
    return bad;
}

static void four_processes_lose_nothing(void **state)
{
    env e, *t = &e;
    ia_dataset *ds, *end;
    ia_stream s;
    ia_batch *b;
    pid_t pids[WRITERS];
    uint64_t *versions;
    size_t n_versions;
    bool seen[1000 * (WRITERS + 1) + 2 * ROUNDS] = {false};
    uint64_t count = 0;
    (void)state;
    env_start(t, true);
    ds = people(t);
    for (int i = 0; i < WRITERS; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            _exit(writer(t->root, i));
    }
    for (int i = 0; i < WRITERS; i++) {
        int status;
        waitpid(pids[i], &status, 0);
        assert_int_equal(status, 0);
    }
    assert_ok(ia_dataset_versions(&t->cx, t->os, t->root, NULL, &versions, &n_versions));
    assert_int_equal(n_versions, 2 + 2 * WRITERS * ROUNDS);
    ia_free(versions);
    assert_ok(ia_dataset_open(&t->cx, t->os, t->root, NULL, 0, &end));
    assert_int_equal(end->m->version, n_versions);
    assert_ok(ia_dataset_scan(&t->cx, end, NULL, &s));
    for (;;) {
        assert_ok(ia_stream_next(&t->cx, &s, &b));
        if (!b)
            break;
        for (int64_t i = 0; i < b->rows; i++) {
            const int64_t id = ia_array_i64(b->cols[0], i);
            assert_false(seen[id]);
            seen[id] = true;
            count++;
        }
        ia_batch_release(b);
    }
    ia_stream_dispose(&s);
    assert_int_equal(count, 8 + WRITERS * ROUNDS);
    for (int me = 1; me <= WRITERS; me++) {
        for (int i = 0; i < ROUNDS; i++)
            assert_true(seen[1000 * me + 2 * i + 1] && !seen[1000 * me + 2 * i]);
    }
    ia_dataset_release(end);
    ia_dataset_release(ds);
    env_end(t);
}

static void missing_columns_become_null_and_unknown_ones_are_refused(void **state)
{
    env e, *t = &e;
    ia_dataset *ds, *out = NULL;
    ia_schema *s;
    ia_json *doc;
    ia_batch *b;
    ia_stream stream;
    (void)state;
    env_start(t, false);
    ds = people(t);
    assert_ok(
        kit_schema_text(&t->cx, "[{\"name\":\"id\",\"type\":\"int32\"}]", &s)); /* cast to int64 */
    assert_ok(ia_json_parse(&t->cx, "[{\"id\":9}]", 10, &doc));
    assert_ok(kit_batch(&t->cx, s, doc, &b));
    assert_ok(kit_stream(&t->cx, b, &stream));
    assert_ok(ia_table_append(&t->cx, ds, &stream, IA_FULL, &out));
    ia_stream_dispose(&stream);
    ia_schema_release(s);
    assert_int_equal(ia_manifest_live_rows(out->m), 9);
    ia_dataset_release(out);
    out = NULL;
    assert_ok(kit_schema_text(&t->cx, "[{\"name\":\"idd\",\"type\":\"int64\"}]", &s));
    assert_ok(kit_batch(&t->cx, s, doc, &b));
    assert_ok(kit_stream(&t->cx, b, &stream));
    assert_status(IA_ERR_INVALID, ia_table_append(&t->cx, ds, &stream, IA_FULL, &out));
    ia_stream_dispose(&stream);
    ia_schema_release(s);
    ia_json_free(doc);
    ia_dataset_release(ds);
    env_end(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_writers_follow_the_grid),
        cmocka_unit_test(a_rebased_delete_names_the_version_it_landed_on),
        cmocka_unit_test(a_cut_leaves_the_old_version_or_the_new_one),
        cmocka_unit_test(four_processes_lose_nothing),
        cmocka_unit_test(missing_columns_become_null_and_unknown_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
