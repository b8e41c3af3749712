/* test_stores.c - what every object store must do; local, memory and both decorators take turns. */
#include "io/objstore.h"

#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../base/test_env.h"

typedef struct fixture {
    env e;
    ia_objstore *inner; /* NULL when os is not a decorator */
    ia_objstore *os;
    char dir[64]; /* absolute; real for the local stores */
    bool on_disk;
} fixture;

typedef enum kind { LOCAL, MEMORY, COUNTING, FAULTY, KINDS } kind;

static int remove_entry(const char *path, const struct stat *s, int type, struct FTW *ftw)
{
    (void)s;
    (void)type;
    (void)ftw;
    return remove(path);
}

static void fixture_open(fixture *f, kind k)
{
    *f = (fixture){.e = env_new(0)};
    f->on_disk = k == LOCAL || k == COUNTING;
    strcpy(f->dir, "/tmp/ia-test-XXXXXX");
    if (f->on_disk) {
        assert_non_null(mkdtemp(f->dir));
        assert_ok(ia_objstore_local(&f->e.cx, &f->os));
    } else {
        assert_ok(ia_objstore_memory(&f->e.cx, true, &f->os));
    }
    if (k == COUNTING || k == FAULTY)
        f->inner = f->os;
    if (k == COUNTING)
        assert_ok(ia_objstore_counting(&f->e.cx, f->inner, &f->os));
    if (k == FAULTY)
        assert_ok(ia_objstore_faulty(&f->e.cx, f->inner, &f->os));
}

static void fixture_close(fixture *f)
{
    ia_objstore_close(f->os);
    ia_objstore_close(f->inner);
    if (f->on_disk)
        nftw(f->dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    env_end(&f->e);
}

/* dir + "/" + name; good until the next eight calls. */
static const char *at(const fixture *f, const char *name)
{
    static char ring[8][256];
    static unsigned next;
    char *p = ring[next++ % 8];
    snprintf(p, sizeof ring[0], "%s/%s", f->dir, name);
    return p;
}

static void put(fixture *f, const char *name, const char *text)
{
    assert_ok(ia_objstore_put(&f->e.cx, f->os, at(f, name), text, strlen(text), 0));
}

static void expect(fixture *f, const char *name, const char *text)
{
    ia_bytes b;
    assert_ok(ia_objstore_get(&f->e.cx, f->os, at(f, name), &b));
    assert_int_equal(b.len, strlen(text));
    assert_memory_equal(b.data, text, b.len);
    ia_bytes_dispose(&b);
}

/* The names in a directory, joined by spaces. */
static void expect_list(fixture *f, const char *dir, const char *after, size_t limit,
                        const char *want)
{
    ia_objlist l;
    char got[512] = "";
    assert_ok(ia_objstore_list(&f->e.cx, f->os, dir, after, limit, &l));
    for (size_t i = 0; i < l.n; i++) {
        strcat(got, i ? " " : "");
        strcat(got, l.names[i]);
    }
    ia_objlist_dispose(&l);
    assert_string_equal(got, want);
}

static void what_was_put_is_read(fixture *f)
{
    ia_objfile *file;
    char part[4];
    put(f, "a/b/c.bin", "0123456789");
    expect(f, "a/b/c.bin", "0123456789");
    put(f, "empty", "");
    expect(f, "empty", "");
    assert_ok(ia_objstore_open(&f->e.cx, f->os, at(f, "a/b/c.bin"), &file));
    assert_int_equal(file->size, 10);
    assert_string_equal(file->path, at(f, "a/b/c.bin"));
    assert_ok(ia_objfile_read(&f->e.cx, file, 3, 4, part, IA_IO_KEY));
    assert_memory_equal(part, "3456", 4);
    assert_ok(ia_objfile_read(&f->e.cx, file, 10, 0, part, IA_IO_KEY));
    assert_fails(ia_objfile_read(&f->e.cx, file, 8, 3, part, IA_IO_KEY), IA_ERR_CORRUPT);
    assert_non_null(strstr(f->e.cx.err.text, "ends at 10"));
    assert_fails(ia_objfile_read(&f->e.cx, file, UINT64_MAX, 4, part, IA_IO_KEY), IA_ERR_CORRUPT);
    assert_fails(ia_objfile_read(&f->e.cx, file, 11, 0, part, IA_IO_KEY), IA_ERR_CORRUPT);
    ia_objfile_close(file);
}

static void an_open_file_survives_replacing_and_removing(fixture *f)
{
    ia_objfile *file;
    char text[3];
    put(f, "x", "old");
    assert_ok(ia_objstore_open(&f->e.cx, f->os, at(f, "x"), &file));
    put(f, "x", "newer");
    assert_ok(ia_objfile_read(&f->e.cx, file, 0, 3, text, IA_IO_META));
    assert_memory_equal(text, "old", 3);
    expect(f, "x", "newer");
    assert_ok(ia_objstore_remove(&f->e.cx, f->os, at(f, "x")));
    assert_ok(ia_objfile_read(&f->e.cx, file, 0, 3, text, IA_IO_META));
    assert_memory_equal(text, "old", 3);
    ia_objfile_close(file);
}

static void missing_objects_are_not_found(fixture *f)
{
    ia_bytes b;
    ia_objfile *file;
    ia_objmeta meta;
    ia_ctx *cx = &f->e.cx;
    put(f, "dir/x", "1");
    static const char *const names[] = {"none", "none/none", "dir/none", "dir"};
    for (size_t i = 0; i < 4; i++) {
        assert_fails(ia_objstore_get(cx, f->os, at(f, names[i]), &b), IA_ERR_NOT_FOUND);
        assert_null(b.data);
        assert_fails(ia_objstore_open(cx, f->os, at(f, names[i]), &file), IA_ERR_NOT_FOUND);
        assert_null(file);
        assert_fails(ia_objstore_head(cx, f->os, at(f, names[i]), &meta), IA_ERR_NOT_FOUND);
        assert_non_null(strstr(cx->err.text, at(f, names[i])));
        assert_fails(ia_objstore_remove(cx, f->os, at(f, names[i])), IA_ERR_NOT_FOUND);
        ia_ctx_clear(cx);
        assert_false(ia_objstore_exists(cx, f->os, at(f, names[i])));
        assert_int_equal(cx->err.code, IA_OK);
    }
    assert_fails(ia_objstore_touch(cx, f->os, at(f, "none")), IA_ERR_NOT_FOUND);
    assert_fails(ia_objstore_sync(cx, f->os, at(f, "none")), IA_ERR_NOT_FOUND);
    assert_fails(ia_objstore_copy(cx, f->os, at(f, "none"), at(f, "y"), IA_IO_META, 0),
                 IA_ERR_NOT_FOUND);
    assert_true(ia_objstore_exists(cx, f->os, at(f, "dir/x")));
}

static void put_if_absent_never_replaces(fixture *f)
{
    ia_ctx *cx = &f->e.cx;
    const uint32_t flags[] = {IA_PUT_IF_ABSENT, IA_PUT_IF_ABSENT | IA_PUT_SYNC};
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "s/y" : "s/x";
        assert_ok(ia_objstore_put(cx, f->os, at(f, name), "one", 3, flags[i]));
        assert_fails(ia_objstore_put(cx, f->os, at(f, name), "two", 3, flags[i]), IA_ERR_EXISTS);
        expect(f, name, "one");
        assert_ok(ia_objstore_put(cx, f->os, at(f, name), "three", 5, i ? IA_PUT_SYNC : 0));
        expect(f, name, "three");
    }
    expect_list(f, at(f, "s"), NULL, 0, "x y"); /* no temporaries left */
}

static void lists_are_sorted_and_page(fixture *f)
{
    static const char *const names[] = {"b", "a.x",       "a/1", "a/2", "a-",
                                        "Z", "z/deep/er", "10",  "9"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        put(f, names[i], "");
    expect_list(f, f->dir, NULL, 0, "10 9 Z a- a.x a/ b z/");
    expect_list(f, f->dir, NULL, 3, "10 9 Z");
    expect_list(f, f->dir, "Z", 2, "a- a.x");
    expect_list(f, f->dir, "a.x", 0, "a/ b z/");
    expect_list(f, f->dir, "a/", 1, "b");
    expect_list(f, f->dir, "z/", 0, "");
    expect_list(f, at(f, "a"), NULL, 0, "1 2");
    expect_list(f, at(f, "z"), NULL, 0, "deep/");
    expect_list(f, at(f, "none"), NULL, 0, "");
    expect_list(f, at(f, "b"), NULL, 0, "");
}

static void lists_leave_temporaries_out(fixture *f)
{
    put(f, "d/.tmp-abc", "");
    put(f, "d/data.lance#1", "");
    put(f, "d/data.lance#", "");
    put(f, "d/data#x", "");
    put(f, "d/plain", "");
    expect_list(f, at(f, "d"), NULL, 0, "data#x data.lance# plain");
}

static void objects_can_be_streamed(fixture *f)
{
    enum { CHUNK = 1000, CHUNKS = 700 }; /* over two write buffers */
    ia_objwriter *w;
    ia_bytes b;
    uint8_t chunk[CHUNK];
    ia_ctx *cx = &f->e.cx;
    assert_ok(ia_objstore_create(cx, f->os, at(f, "deep/er/stream"), &w));
    for (int i = 0; i < CHUNKS; i++) {
        memset(chunk, i % 256, CHUNK);
        assert_int_equal(w->pos, i * CHUNK);
        assert_ok(ia_objwriter_write(cx, w, chunk, CHUNK, IA_IO_PAYLOAD));
    }
    assert_false(ia_objstore_exists(cx, f->os, at(f, "deep/er/stream")));
    expect_list(f, at(f, "deep/er"), NULL, 0, "");
    assert_ok(ia_objwriter_finish(cx, w, IA_PUT_SYNC));
    assert_fails(ia_objwriter_write(cx, w, "x", 1, IA_IO_META), IA_ERR_INTERNAL);
    assert_fails(ia_objwriter_finish(cx, w, 0), IA_ERR_INTERNAL);
    ia_objwriter_close(w);
    ia_objwriter_close(NULL);
    assert_ok(ia_objstore_get(cx, f->os, at(f, "deep/er/stream"), &b));
    assert_int_equal(b.len, CHUNK * CHUNKS);
    for (size_t i = 0; i < b.len; i++)
        if (b.data[i] != i / CHUNK % 256)
            fail_msg("byte %zu", i);
    ia_bytes_dispose(&b);
}

static void large_and_small_writes_keep_their_order(fixture *f)
{
    ia_ctx *cx = &f->e.cx;
    const size_t big = 300 * 1000;
    ia_objwriter *w;
    ia_bytes b;
    char *block = ia_alloc(cx, big);
    memset(block, 'B', big);
    assert_ok(ia_objstore_create(cx, f->os, at(f, "mixed"), &w));
    for (int i = 0; i < 3; i++) {
        assert_ok(ia_objwriter_write(cx, w, "s", 1, IA_IO_META));
        assert_ok(ia_objwriter_write(cx, w, block, big, IA_IO_PAYLOAD));
        assert_ok(ia_objwriter_write(cx, w, NULL, 0, IA_IO_META));
    }
    assert_ok(ia_objwriter_finish(cx, w, 0));
    ia_objwriter_close(w);
    ia_free(block);
    assert_ok(ia_objstore_get(cx, f->os, at(f, "mixed"), &b));
    assert_int_equal(b.len, 3 * (big + 1));
    for (size_t i = 0; i < b.len; i++)
        assert_true(b.data[i] == (i % (big + 1) == 0 ? 's' : 'B'));
    ia_bytes_dispose(&b);
}

static void an_unfinished_stream_leaves_nothing(fixture *f)
{
    ia_objwriter *w;
    ia_ctx *cx = &f->e.cx;
    put(f, "d/other", "");
    assert_ok(ia_objstore_create(cx, f->os, at(f, "d/gone"), &w));
    assert_ok(ia_objwriter_write(cx, w, "abc", 3, IA_IO_META));
    ia_objwriter_close(w);
    assert_false(ia_objstore_exists(cx, f->os, at(f, "d/gone")));
    expect_list(f, at(f, "d"), NULL, 0, "other");
}

static void a_stream_does_not_replace(fixture *f)
{
    ia_objwriter *w;
    ia_ctx *cx = &f->e.cx;
    assert_ok(ia_objstore_create(cx, f->os, at(f, "d/name"), &w));
    assert_ok(ia_objwriter_write(cx, w, "late", 4, IA_IO_META));
    put(f, "d/name", "first");
    assert_fails(ia_objwriter_finish(cx, w, 0), IA_ERR_EXISTS);
    ia_objwriter_close(w);
    expect(f, "d/name", "first");
    expect_list(f, at(f, "d"), NULL, 0, "name");
}

static void links_share_bytes_and_never_replace(fixture *f)
{
    ia_ctx *cx = &f->e.cx;
    put(f, "a", "bytes");
    assert_ok(ia_objstore_link(cx, f->os, at(f, "a"), at(f, "new/dir/b")));
    expect(f, "new/dir/b", "bytes");
    put(f, "a", "other");
    expect(f, "new/dir/b", "bytes");
    assert_fails(ia_objstore_link(cx, f->os, at(f, "a"), at(f, "new/dir/b")), IA_ERR_EXISTS);
    assert_fails(ia_objstore_link(cx, f->os, at(f, "none"), at(f, "c")), IA_ERR_NOT_FOUND);
    assert_fails(ia_objstore_link(cx, f->os, at(f, "none"), at(f, "n/c")), IA_ERR_NOT_FOUND);
    assert_ok(ia_objstore_remove(cx, f->os, at(f, "a")));
    expect(f, "new/dir/b", "bytes");
}

static void copies_are_equal_and_never_replace(fixture *f)
{
    ia_ctx *cx = &f->e.cx;
    put(f, "a", "bytes");
    put(f, "none", "");
    assert_ok(ia_objstore_copy(cx, f->os, at(f, "a"), at(f, "d/b"), IA_IO_KEY, IA_PUT_SYNC));
    assert_ok(ia_objstore_copy(cx, f->os, at(f, "none"), at(f, "d/c"), IA_IO_KEY, 0));
    expect(f, "d/b", "bytes");
    expect(f, "d/c", "");
    assert_fails(ia_objstore_copy(cx, f->os, at(f, "none"), at(f, "d/b"), IA_IO_KEY, 0),
                 IA_ERR_EXISTS);
    expect(f, "d/b", "bytes");
}

static void head_tells_size_and_time_and_touch_moves_it(fixture *f)
{
    ia_ctx *cx = &f->e.cx;
    ia_objmeta before, after;
    put(f, "x", "12345");
    assert_ok(ia_objstore_head(cx, f->os, at(f, "x"), &before));
    assert_int_equal(before.size, 5);
    assert_true(before.mtime_us > INT64_C(1600000000000000));
    usleep(20000); /* file systems stamp with the timer tick */
    assert_ok(ia_objstore_touch(cx, f->os, at(f, "x")));
    assert_ok(ia_objstore_head(cx, f->os, at(f, "x"), &after));
    assert_true(after.mtime_us > before.mtime_us);
    assert_ok(ia_objstore_sync(cx, f->os, at(f, "x")));
}

static void paths_that_are_not_normalised_are_refused(fixture *f)
{
    static const char *const bad[] = {"",      "/",     "a",          "/a/",  "//a",    "/a//b",
                                      "/../a", "/a/..", "/a/../../b", "/./a", "/a/./b", "/a/."};
    ia_ctx *cx = &f->e.cx;
    ia_bytes b;
    ia_objlist l;
    ia_objwriter *w;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_fails(ia_objstore_get(cx, f->os, bad[i], &b), IA_ERR_INVALID);
        assert_fails(ia_objstore_put(cx, f->os, bad[i], "", 0, 0), IA_ERR_INVALID);
        assert_fails(ia_objstore_create(cx, f->os, bad[i], &w), IA_ERR_INVALID);
        if (strcmp(bad[i], "/a/") != 0) /* that is how to remove a directory */
            assert_fails(ia_objstore_remove(cx, f->os, bad[i]), IA_ERR_INVALID);
        assert_fails(ia_objstore_link(cx, f->os, at(f, "a"), bad[i]), IA_ERR_INVALID);
        assert_fails(ia_objstore_link(cx, f->os, bad[i], at(f, "a")), IA_ERR_INVALID);
        if (strcmp(bad[i], "/") != 0)
            assert_fails(ia_objstore_list(cx, f->os, bad[i], NULL, 0, &l), IA_ERR_INVALID);
    }
    put(f, "..a", ""); /* only whole parts count */
    put(f, "a..", "");
    put(f, "...", "");
    assert_ok(ia_objstore_list(cx, f->os, "/", NULL, 0, &l));
    assert_true(l.n > 0);
    ia_objlist_dispose(&l);
}

static void only_empty_directories_are_removed(fixture *f)
{
    ia_ctx *cx = &f->e.cx;
    put(f, "d/x", "1");
    assert_fails(ia_objstore_remove(cx, f->os, at(f, "d/")),
                 f->on_disk ? IA_ERR_IO : IA_ERR_NOT_FOUND);
    assert_fails(ia_objstore_remove(cx, f->os, at(f, "d/x/")), IA_ERR_NOT_FOUND);
    assert_fails(ia_objstore_remove(cx, f->os, at(f, "none/")), IA_ERR_NOT_FOUND);
    expect(f, "d/x", "1");
    assert_ok(ia_objstore_remove(cx, f->os, at(f, "d/x")));
    assert_fails(ia_objstore_remove(cx, f->os, at(f, "d/")), f->on_disk ? IA_OK : IA_ERR_NOT_FOUND);
    expect_list(f, f->dir, NULL, 0, "");
    put(f, "d/x", "2"); /* and it comes back with the next object */
    expect(f, "d/x", "2");
}

static void a_probe_leaves_nothing_behind(fixture *f)
{
    ia_ctx *cx = &f->e.cx;
    assert_ok(ia_objstore_probe(cx, f->os, at(f, "fresh")));
    assert_int_equal(cx->err.code, IA_OK);
    expect_list(f, at(f, "fresh"), NULL, 0, "");
}

/* ---- threads ------------------------------------------------------------------------------- */

enum { THREADS = 6, NAMES = 40 };

typedef struct racer {
    const fixture *f;
    char mark;
    int won;
} racer;

static void *race(void *arg)
{
    racer *r = arg;
    ia_budget *budget = ia_budget_new(NULL, 0);
    ia_ctx cx;
    ia_ctx_init(&cx, budget);
    for (int i = 0; i < NAMES; i++) {
        char path[256], text[64];
        snprintf(path, sizeof path, "%s/race/%d/name", r->f->dir, i);
        memset(text, r->mark, sizeof text);
        const ia_status st =
            ia_objstore_put(&cx, r->f->os, path, text, sizeof text, IA_PUT_IF_ABSENT);
        if (st == IA_OK)
            r->won++;
        else if (st != IA_ERR_EXISTS)
            r->won = -1000000;
    }
    ia_budget_drop(budget);
    return NULL;
}

static void of_many_threads_exactly_one_wins_a_name(fixture *f)
{
    pthread_t t[THREADS];
    racer r[THREADS];
    int won = 0;
    for (int i = 0; i < THREADS; i++) {
        r[i] = (racer){f, (char)('a' + i), 0};
        assert_int_equal(pthread_create(&t[i], NULL, race, &r[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        won += r[i].won;
    }
    assert_int_equal(won, NAMES);
    int seen[THREADS] = {0};
    for (int i = 0; i < NAMES; i++) {
        char name[32];
        ia_bytes b;
        snprintf(name, sizeof name, "race/%d", i);
        expect_list(f, at(f, name), NULL, 0, "name");
        strcat(name, "/name");
        assert_ok(ia_objstore_get(&f->e.cx, f->os, at(f, name), &b));
        assert_int_equal(b.len, 64);
        for (size_t k = 1; k < b.len; k++) /* one writer's bytes, not a mix */
            assert_int_equal(b.data[k], b.data[0]);
        seen[b.data[0] - 'a']++;
        ia_bytes_dispose(&b);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(seen[i], r[i].won);
}

/* ---- failing allocations ------------------------------------------------------------------- */

static ia_status use_everything(fixture *f)
{
    ia_ctx *cx = &f->e.cx;
    ia_objwriter *w = NULL;
    ia_objlist l = {0};
    ia_bytes b = {0};
    ia_status st;

    IA_GO(ia_objstore_put(cx, f->os, at(f, "m/a"), "abc", 3, IA_PUT_SYNC));
    IA_GO(ia_objstore_get(cx, f->os, at(f, "m/a"), &b));
    st = ia_objstore_link(cx, f->os, at(f, "m/a"), at(f, "m/n/link"));
    if (st != IA_ERR_EXISTS)
        IA_GO(st);
    st = ia_objstore_create(cx, f->os, at(f, "m/o/stream"), &w);
    if (st == IA_OK)
        st = ia_objwriter_write(cx, w, "abc", 3, IA_IO_META);
    if (st == IA_OK)
        st = ia_objwriter_finish(cx, w, 0);
    if (st != IA_ERR_EXISTS)
        IA_GO(st);
    IA_GO(ia_objstore_list(cx, f->os, at(f, "m"), NULL, 0, &l));
    st = l.n == 3 ? IA_OK : IA_ERR_INTERNAL;
done:
    ia_objwriter_close(w);
    ia_objlist_dispose(&l);
    ia_bytes_dispose(&b);
    return st;
}

static void failing_allocations_leave_the_store_whole(fixture *f)
{
    FAIL_EVERY_ALLOCATION(&f->e.cx, use_everything(f), (void)0);
    expect(f, "m/a", "abc");
    expect(f, "m/n/link", "abc");
    expect(f, "m/o/stream", "abc");
    expect_list(f, at(f, "m"), NULL, 0, "a n/ o/");
}

/* ---- every test over every store ----------------------------------------------------------- */

typedef struct run {
    void (*test)(fixture *f);
    kind k;
} run;

static void run_one(void **state)
{
    const run *r = *state;
    fixture f;
    fixture_open(&f, r->k);
    r->test(&f);
    fixture_close(&f);
}

#define TEST(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }

int main(void)
{
    static const struct {
        const char *name;
        void (*test)(fixture *f);
    } tests[] = {
        TEST(what_was_put_is_read),
        TEST(an_open_file_survives_replacing_and_removing),
        TEST(missing_objects_are_not_found),
        TEST(put_if_absent_never_replaces),
        TEST(lists_are_sorted_and_page),
        TEST(lists_leave_temporaries_out),
        TEST(objects_can_be_streamed),
        TEST(large_and_small_writes_keep_their_order),
        TEST(an_unfinished_stream_leaves_nothing),
        TEST(a_stream_does_not_replace),
        TEST(links_share_bytes_and_never_replace),
        TEST(copies_are_equal_and_never_replace),
        TEST(head_tells_size_and_time_and_touch_moves_it),
        TEST(paths_that_are_not_normalised_are_refused),
        TEST(only_empty_directories_are_removed),
        TEST(a_probe_leaves_nothing_behind),
        TEST(of_many_threads_exactly_one_wins_a_name),
        TEST(failing_allocations_leave_the_store_whole),
    };
    enum { N = sizeof tests / sizeof tests[0] };
    static const char *const kinds[] = {"local", "memory", "counting", "faulty"};
    static char names[N * KINDS][96];
    static run runs[N * KINDS];
    static struct CMUnitTest all[N * KINDS];
    for (size_t i = 0; i < N * KINDS; i++) {
        snprintf(names[i], sizeof names[i], "%s: %s", kinds[i % KINDS], tests[i / KINDS].name);
        runs[i] = (run){tests[i / KINDS].test, (kind)(i % KINDS)};
        all[i] = (struct CMUnitTest){names[i], run_one, NULL, NULL, &runs[i]};
    }
    return cmocka_run_group_tests(all, NULL, NULL);
}
