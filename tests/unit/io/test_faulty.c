/* test_faulty.c - cuts before, in and after operations; refused links. */
#include "io/objstore.h"

#include <errno.h>

#include "../base/test_env.h"

typedef struct fixture {
    env e;
    ia_objstore *inner, *os;
} fixture;

static fixture fixture_open(void)
{
    fixture f = {.e = env_new(0)};
    assert_ok(ia_objstore_memory(&f.e.cx, true, &f.inner));
    assert_ok(ia_objstore_faulty(&f.e.cx, f.inner, &f.os));
    return f;
}

static void fixture_close(fixture *f)
{
    ia_objstore_close(f->os);
    ia_objstore_close(f->inner);
    env_end(&f->e);
}

static bool there(fixture *f, const char *path)
{
    return ia_objstore_exists(&f->e.cx, f->inner, path);
}

static ia_status put(fixture *f, const char *path, const char *text)
{
    return ia_objstore_put(&f->e.cx, f->os, path, text, strlen(text), IA_PUT_IF_ABSENT);
}

static void the_cut_operation_is_counted_from_zero(void **state)
{
    fixture f = fixture_open();
    (void)state;
    ia_fault_set(f.os, 2, IA_CUT_BEFORE, false);
    assert_ok(put(&f, "/a", "1"));
    assert_ok(put(&f, "/b", "1"));
    assert_false(ia_fault_fired(f.os));
    assert_fails(put(&f, "/c", "1"), IA_ERR_IO);
    assert_non_null(strstr(f.e.cx.err.text, "cut"));
    assert_true(ia_fault_fired(f.os));
    assert_int_equal(ia_fault_seen(f.os), 3);
    assert_true(there(&f, "/b"));
    assert_false(there(&f, "/c"));
    fixture_close(&f);
}

static void after_the_cut_everything_fails_until_reset(void **state)
{
    fixture f = fixture_open();
    ia_ctx *cx = &f.e.cx;
    ia_bytes b;
    ia_objlist l;
    ia_objmeta m;
    ia_objwriter *w, *open;
    ia_objfile *file;
    char c;
    (void)state;
    assert_ok(put(&f, "/a", "1"));
    assert_ok(ia_objstore_open(cx, f.os, "/a", &file));
    assert_ok(ia_objstore_create(cx, f.os, "/open", &open));
    ia_fault_set(f.os, 0, IA_CUT_BEFORE, false);
    assert_fails(put(&f, "/b", "1"), IA_ERR_IO);
    assert_fails(put(&f, "/c", "1"), IA_ERR_IO);
    assert_fails(ia_objstore_get(cx, f.os, "/a", &b), IA_ERR_IO);
    assert_fails(ia_objstore_head(cx, f.os, "/a", &m), IA_ERR_IO);
    assert_fails(ia_objstore_list(cx, f.os, "/", NULL, 0, &l), IA_ERR_IO);
    assert_fails(ia_objstore_remove(cx, f.os, "/a"), IA_ERR_IO);
    assert_fails(ia_objstore_link(cx, f.os, "/a", "/z"), IA_ERR_IO);
    assert_fails(ia_objstore_touch(cx, f.os, "/a"), IA_ERR_IO);
    assert_fails(ia_objstore_sync(cx, f.os, "/a"), IA_ERR_IO);
    assert_fails(ia_objstore_create(cx, f.os, "/d", &w), IA_ERR_IO);
    assert_fails(ia_objfile_read(cx, file, 0, 1, &c, IA_IO_META), IA_ERR_IO);
    assert_fails(ia_objwriter_write(cx, open, "x", 1, IA_IO_META), IA_ERR_IO);
    assert_fails(ia_objwriter_finish(cx, open, 0), IA_ERR_IO);
    ia_objwriter_close(open);
    ia_objfile_close(file);
    assert_true(there(&f, "/a"));
    assert_false(there(&f, "/open"));
    ia_fault_set(f.os, -1, IA_CUT_BEFORE, false);
    assert_false(ia_fault_fired(f.os));
    assert_ok(ia_objstore_get(cx, f.os, "/a", &b));
    ia_bytes_dispose(&b);
    assert_ok(put(&f, "/c", "1"));
    fixture_close(&f);
}

/* Every operation that changes the store, each on fresh names; returns its status. */
typedef ia_status (*change)(fixture *f);

static ia_status do_put(fixture *f)
{
    return put(f, "/new", "12345678");
}
static ia_status do_link(fixture *f)
{
    return ia_objstore_link(&f->e.cx, f->os, "/old", "/new");
}
static ia_status do_remove(fixture *f)
{
    return ia_objstore_remove(&f->e.cx, f->os, "/old");
}
static ia_status do_touch(fixture *f)
{
    return ia_objstore_touch(&f->e.cx, f->os, "/old");
}
static ia_status do_sync(fixture *f)
{
    return ia_objstore_sync(&f->e.cx, f->os, "/old");
}
static ia_status do_stream(fixture *f)
{
    ia_ctx *cx = &f->e.cx;
    ia_objwriter *w = NULL;
    ia_status st;
    IA_GO(ia_objstore_create(cx, f->os, "/new", &w));
    IA_GO(ia_objwriter_write(cx, w, "1234", 4, IA_IO_META));
    IA_GO(ia_objwriter_write(cx, w, "5678", 4, IA_IO_META));
    IA_GO(ia_objwriter_finish(cx, w, 0));
done:
    ia_objwriter_close(w);
    return st;
}

/* Tells whether the operation took effect, given how the store looks now. */
static bool has_new(fixture *f)
{
    return there(f, "/new");
}
static bool lost_old(fixture *f)
{
    return !there(f, "/old");
}

static void cuts_take_effect_only_afterwards(void **state)
{
    static const struct {
        change run;
        bool (*done)(fixture *f); /* NULL when nothing is to be seen */
        int steps;
    } cases[] = {
        {do_put, has_new, 1},    {do_link, has_new, 1}, {do_remove, lost_old, 1},
        {do_stream, has_new, 4}, {do_touch, NULL, 1},   {do_sync, NULL, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int mode = IA_CUT_BEFORE; mode <= IA_CUT_AFTER; mode++)
            for (int k = 0; k <= cases[i].steps; k++) {
                fixture f = fixture_open();
                assert_ok(put(&f, "/old", "x"));
                ia_fault_set(f.os, k, (ia_fault_mode)mode, false);
                assert_fails(cases[i].run(&f), k < cases[i].steps ? IA_ERR_IO : IA_OK);
                assert_int_equal(ia_fault_fired(f.os), k < cases[i].steps);
                assert_int_equal(ia_fault_seen(f.os), k < cases[i].steps ? k + 1 : k);
                const bool last = k == cases[i].steps - 1;
                if (cases[i].done)
                    assert_int_equal(cases[i].done(&f),
                                     k == cases[i].steps || (last && mode == IA_CUT_AFTER));
                if (has_new(&f)) { /* whole or not at all */
                    ia_objmeta m;
                    assert_ok(ia_objstore_head(&f.e.cx, f.inner, "/new", &m));
                    assert_int_equal(m.size, cases[i].run == do_link ? 1 : 8);
                }
                fixture_close(&f);
            }
}

static void a_torn_put_leaves_half_under_a_temporary_name(void **state)
{
    fixture f = fixture_open();
    ia_objlist l;
    (void)state;
    const uint64_t before = ia_budget_used(f.e.budget);
    ia_fault_set(f.os, 0, IA_CUT_TORN, false);
    assert_fails(put(&f, "/dir/name", "a text of some length"), IA_ERR_IO);
    assert_false(there(&f, "/dir/name"));
    assert_ok(ia_objstore_list(&f.e.cx, f.inner, "/dir", NULL, 0, &l));
    assert_int_equal(l.n, 0); /* hidden, but there: */
    assert_true(ia_budget_used(f.e.budget) > before);
    ia_objlist_dispose(&l);
    fixture_close(&f);
}

static void reads_count_only_when_asked(void **state)
{
    fixture f = fixture_open();
    ia_bytes b;
    ia_objmeta m;
    ia_objlist l;
    (void)state;
    assert_ok(put(&f, "/a", "1"));
    ia_fault_set(f.os, 100, IA_CUT_BEFORE, false);
    assert_ok(ia_objstore_get(&f.e.cx, f.os, "/a", &b));
    ia_bytes_dispose(&b);
    assert_int_equal(ia_fault_seen(f.os), 0);
    for (int k = 0; k < 4; k++) {
        ia_fault_set(f.os, k, IA_CUT_AFTER, true);
        const ia_status got = ia_objstore_get(&f.e.cx, f.os, "/a", &b); /* open and read */
        assert_fails(got, k < 2 ? IA_ERR_IO : IA_OK);
        ia_bytes_dispose(&b);
        assert_fails(ia_objstore_head(&f.e.cx, f.os, "/a", &m), k < 3 ? IA_ERR_IO : IA_OK);
        assert_fails(ia_objstore_list(&f.e.cx, f.os, "/", NULL, 0, &l), IA_ERR_IO);
        assert_null(l.names);
    }
    fixture_close(&f);
}

static void links_can_be_refused(void **state)
{
    fixture f = fixture_open();
    const int errors[] = {EPERM, EXDEV, EMLINK};
    (void)state;
    assert_ok(put(&f, "/old", "x"));
    ia_fault_set(f.os, 0, IA_CUT_BEFORE, false);
    for (size_t i = 0; i < 3; i++) {
        ia_fault_links(f.os, errors[i]);
        assert_fails(do_link(&f), IA_ERR_UNSUPPORTED);
    }
    assert_int_equal(ia_fault_seen(f.os), 0); /* a refused link changes nothing */
    ia_fault_links(f.os, 0);
    ia_fault_set(f.os, -1, IA_CUT_BEFORE, false);
    assert_ok(do_link(&f));
    fixture_close(&f);
}

static void a_memory_store_without_links_refuses_them(void **state)
{
    env e = env_new(0);
    ia_objstore *os;
    (void)state;
    assert_ok(ia_objstore_memory(&e.cx, false, &os));
    assert_ok(ia_objstore_put(&e.cx, os, "/a", "1", 1, 0));
    assert_fails(ia_objstore_link(&e.cx, os, "/a", "/b"), IA_ERR_UNSUPPORTED);
    ia_objstore_close(os);
    ia_objstore_close(NULL);
    env_end(&e);
}

static void the_memory_store_keeps_within_its_budget(void **state)
{
    env e = env_new(100000), op = env_new(0);
    ia_objstore *os;
    ia_objwriter *w;
    char block[4096] = {0};
    (void)state;
    assert_ok(ia_objstore_memory(&e.cx, true, &os));
    ia_status st = IA_OK;
    int n = 0;
    for (; st == IA_OK; n++) {
        char path[16] = "/x0000";
        path[2] = (char)('0' + n / 10);
        path[3] = (char)('0' + n % 10);
        st = ia_objstore_put(&op.cx, os, path, block, sizeof block, 0);
    }
    assert_int_equal(st, IA_ERR_OVER_BUDGET);
    assert_int_equal(op.cx.err.code, IA_ERR_OVER_BUDGET);
    assert_true(n > 10);
    assert_int_equal(ia_budget_used(op.budget), 0); /* objects outlive the operation */
    assert_ok(ia_objstore_create(&op.cx, os, "/stream", &w));
    for (st = IA_OK; st == IA_OK;)
        st = ia_objwriter_write(&op.cx, w, block, sizeof block, IA_IO_META);
    assert_int_equal(st, IA_ERR_OVER_BUDGET);
    assert_fails(ia_objwriter_finish(&op.cx, w, 0), IA_ERR_IO);
    ia_objwriter_close(w);
    assert_false(ia_objstore_exists(&op.cx, os, "/stream"));
    ia_objstore_close(os);
    env_end(&op);
    env_end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cut_operation_is_counted_from_zero),
        cmocka_unit_test(after_the_cut_everything_fails_until_reset),
        cmocka_unit_test(cuts_take_effect_only_afterwards),
        cmocka_unit_test(a_torn_put_leaves_half_under_a_temporary_name),
        cmocka_unit_test(reads_count_only_when_asked),
        cmocka_unit_test(links_can_be_refused),
        cmocka_unit_test(a_memory_store_without_links_refuses_them),
        cmocka_unit_test(the_memory_store_keeps_within_its_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
