/* test_local.c - what only the local store does: temporaries, syncs, refused links, odd files. */
#include "io/objstore.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/test_env.h"

/* ---- system calls under the test's control (the program's own definitions win) ------------- */

static int link_error, rename_error, fsync_error;
static char synced[64][256]; /* what was synced, in order */
static size_t nsynced;

int fsync(int fd)
{
    char name[32];
    if (fsync_error) {
        errno = fsync_error;
        return -1;
    }
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    if (nsynced < 64) {
        const ssize_t n = readlink(name, synced[nsynced], 255);
        synced[nsynced++][n > 0 ? n : 0] = 0;
    }
    return (int)syscall(SYS_fsync, fd);
}

int link(const char *from, const char *to)
{
    if (link_error) {
        errno = link_error;
        return -1;
    }
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat2(int fromdir, const char *from, int todir, const char *to, unsigned flags)
{
    if (rename_error) {
        errno = rename_error;
        return -1;
    }
    return (int)syscall(SYS_renameat2, fromdir, from, todir, to, flags);
}

/* ---- fixture ------------------------------------------------------------------------------- */

typedef struct fixture {
    env e;
    ia_objstore *os;
    char dir[64];
} fixture;

static int open_store(void **state)
{
    static fixture f;
    f = (fixture){.e = env_new(0)};
    link_error = rename_error = fsync_error = 0;
    strcpy(f.dir, "/tmp/ia-test-XXXXXX");
    assert_non_null(mkdtemp(f.dir));
    assert_ok(ia_objstore_local(&f.e.cx, &f.os));
    nsynced = 0;
    *state = &f;
    return 0;
}

static int remove_entry(const char *path, const struct stat *s, int type, struct FTW *ftw)
{
    (void)s;
    (void)type;
    (void)ftw;
    return remove(path);
}

static int close_store(void **state)
{
    fixture *f = *state;
    ia_objstore_close(f->os);
    nftw(f->dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    env_end(&f->e);
    return 0;
}

static const char *at(const fixture *f, const char *name)
{
    static char ring[8][256];
    static unsigned next;
    char *p = ring[next++ % 8];
    snprintf(p, sizeof ring[0], name[0] ? "%s/%s" : "%s", f->dir, name);
    return p;
}

static int files_seen;
static int count_entry(const char *path, const struct stat *s, int type, struct FTW *ftw)
{
    (void)path;
    (void)s;
    (void)ftw;
    files_seen += type == FTW_F;
    return 0;
}

/* Files below the directory, hidden ones too. */
static int files_below(const fixture *f)
{
    files_seen = 0;
    nftw(f->dir, count_entry, 8, FTW_PHYS);
    return files_seen;
}

static void expect_synced(const fixture *f, const char *const *names, size_t n)
{
    assert_int_equal(nsynced, n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(names[i], "*") == 0) /* a temporary name */
            assert_non_null(strstr(synced[i], "/.tmp-"));
        else
            assert_string_equal(synced[i], at(f, names[i]));
    }
    nsynced = 0;
}

/* ---- durability ---------------------------------------------------------------------------- */

static void relaxed_writes_sync_nothing(void **state)
{
    fixture *f = *state;
    ia_objwriter *w;
    assert_ok(ia_objstore_put(&f->e.cx, f->os, at(f, "a/b/x"), "1", 1, 0));
    assert_ok(ia_objstore_put(&f->e.cx, f->os, at(f, "a/b/y"), "1", 1, IA_PUT_IF_ABSENT));
    assert_ok(ia_objstore_create(&f->e.cx, f->os, at(f, "a/c/z"), &w));
    assert_ok(ia_objwriter_finish(&f->e.cx, w, 0));
    ia_objwriter_close(w);
    assert_int_equal(nsynced, 0);
}

static void a_durable_put_syncs_file_then_directory(void **state)
{
    fixture *f = *state;
    static const char *const want[] = {"*", ""};
    const uint32_t flags[] = {IA_PUT_SYNC, IA_PUT_SYNC | IA_PUT_IF_ABSENT};
    for (int i = 0; i < 2; i++) {
        assert_ok(ia_objstore_put(&f->e.cx, f->os, at(f, i ? "x" : "y"), "1", 1, flags[i]));
        expect_synced(f, want, 2);
    }
}

static void new_directories_are_synced_into_their_parents_once(void **state)
{
    fixture *f = *state;
    static const char *const first[] = {"*", "a/b", "a", ""};
    static const char *const later[] = {"*", "a/b"};
    assert_ok(ia_objstore_put(&f->e.cx, f->os, at(f, "a/b/x"), "1", 1, IA_PUT_SYNC));
    expect_synced(f, first, 4);
    assert_ok(ia_objstore_put(&f->e.cx, f->os, at(f, "a/b/y"), "1", 1, IA_PUT_SYNC));
    expect_synced(f, later, 2);
}

static void directories_of_relaxed_writes_are_synced_by_the_next_durable_one(void **state)
{
    fixture *f = *state;
    static const char *const streamed[] = {"*", "a/b/c", "a/b", "a", ""};
    static const char *const synced_later[] = {"d/y", "d", ""};
    ia_objwriter *w;
    assert_ok(ia_objstore_put(&f->e.cx, f->os, at(f, "a/b/x"), "1", 1, 0));
    assert_ok(ia_objstore_create(&f->e.cx, f->os, at(f, "a/b/c/z"), &w));
    assert_ok(ia_objwriter_finish(&f->e.cx, w, IA_PUT_SYNC));
    ia_objwriter_close(w);
    expect_synced(f, streamed, 5);
    assert_ok(ia_objstore_link(&f->e.cx, f->os, at(f, "a/b/x"), at(f, "d/y")));
    assert_int_equal(nsynced, 0);
    assert_ok(ia_objstore_sync(&f->e.cx, f->os, at(f, "d/y")));
    expect_synced(f, synced_later, 3);
}

static void a_failed_sync_publishes_nothing(void **state)
{
    fixture *f = *state;
    ia_objwriter *w;
    fsync_error = EIO;
    assert_fails(ia_objstore_put(&f->e.cx, f->os, at(f, "x"), "1", 1, IA_PUT_SYNC), IA_ERR_IO);
    assert_non_null(strstr(f->e.cx.err.text, at(f, "x")));
    assert_ok(ia_objstore_create(&f->e.cx, f->os, at(f, "y"), &w));
    assert_fails(ia_objwriter_finish(&f->e.cx, w, IA_PUT_SYNC), IA_ERR_IO);
    ia_objwriter_close(w);
    assert_int_equal(files_below(f), 0);
}

/* ---- links refused ------------------------------------------------------------------------- */

static void put_if_absent_works_without_hard_links(void **state)
{
    fixture *f = *state;
    const int errors[] = {EPERM, EOPNOTSUPP, ENOSYS, EMLINK, EXDEV};
    ia_bytes b;
    for (size_t i = 0; i < 5; i++) {
        link_error = errors[i];
        assert_ok(ia_objstore_put(&f->e.cx, f->os, at(f, "x"), "one", 3, IA_PUT_IF_ABSENT));
        assert_fails(ia_objstore_put(&f->e.cx, f->os, at(f, "x"), "two", 3, IA_PUT_IF_ABSENT),
                     IA_ERR_EXISTS);
        assert_ok(ia_objstore_get(&f->e.cx, f->os, at(f, "x"), &b));
        assert_memory_equal(b.data, "one", 3);
        ia_bytes_dispose(&b);
        assert_int_equal(files_below(f), 1);
        assert_ok(ia_objstore_probe(&f->e.cx, f->os, f->dir));
        assert_ok(ia_objstore_remove(&f->e.cx, f->os, at(f, "x")));
    }
}

static void a_file_system_with_neither_is_refused_by_name(void **state)
{
    fixture *f = *state;
    link_error = EPERM;
    rename_error = EINVAL;
    assert_fails(ia_objstore_put(&f->e.cx, f->os, at(f, "d/x"), "1", 1, IA_PUT_IF_ABSENT),
                 IA_ERR_UNSUPPORTED);
    assert_non_null(strstr(f->e.cx.err.text, at(f, "d/x")));
    assert_fails(ia_objstore_probe(&f->e.cx, f->os, at(f, "d")), IA_ERR_UNSUPPORTED);
    assert_non_null(strstr(f->e.cx.err.text, at(f, "d")));
    assert_int_equal(files_below(f), 0);
    assert_ok(
        ia_objstore_put(&f->e.cx, f->os, at(f, "d/x"), "1", 1, 0)); /* replacing is possible */
}

static void refused_links_are_unsupported_and_others_fail(void **state)
{
    fixture *f = *state;
    const int errors[] = {EPERM, EXDEV, EMLINK, EOPNOTSUPP, EIO, ENOSPC};
    assert_ok(ia_objstore_put(&f->e.cx, f->os, at(f, "x"), "1", 1, 0));
    for (size_t i = 0; i < 6; i++) {
        link_error = errors[i];
        assert_fails(ia_objstore_link(&f->e.cx, f->os, at(f, "x"), at(f, "y")),
                     i < 4 ? IA_ERR_UNSUPPORTED : IA_ERR_IO);
    }
}

static void other_link_failures_do_not_publish(void **state)
{
    fixture *f = *state;
    link_error = ENOSPC;
    assert_fails(ia_objstore_put(&f->e.cx, f->os, at(f, "x"), "1", 1, IA_PUT_IF_ABSENT), IA_ERR_IO);
    assert_non_null(strstr(f->e.cx.err.text, "No space left"));
    assert_int_equal(files_below(f), 0);
}

/* ---- odd files and full disks -------------------------------------------------------------- */

static void a_full_disk_is_an_io_error_that_leaves_nothing(void **state)
{
    fixture *f = *state;
    struct rlimit old, tight;
    ia_objwriter *w;
    char block[3000] = {0};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    tight = (struct rlimit){2000, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    const ia_status put = ia_objstore_put(&f->e.cx, f->os, at(f, "x"), block, 3000, 0);
    const bool named = strstr(f->e.cx.err.text, at(f, "x")) != NULL;
    const ia_status made = ia_objstore_create(&f->e.cx, f->os, at(f, "y"), &w);
    ia_status wrote = IA_OK, finished = IA_OK;
    if (made == IA_OK) {
        for (int i = 0; i < 200 && wrote == IA_OK; i++)
            wrote = ia_objwriter_write(&f->e.cx, w, block, 3000, IA_IO_PAYLOAD);
        finished = ia_objwriter_finish(&f->e.cx, w, 0); /* must not publish the part */
        ia_objwriter_close(w);
    }
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(put, IA_ERR_IO);
    assert_true(named);
    assert_int_equal(wrote, IA_ERR_IO);
    assert_int_equal(finished, IA_ERR_IO);
    assert_int_equal(files_below(f), 0);
}

static void pipes_and_directories_are_no_objects(void **state)
{
    fixture *f = *state;
    ia_objfile *file;
    ia_objmeta meta;
    assert_int_equal(mkfifo(at(f, "pipe"), 0600), 0);
    assert_fails(ia_objstore_open(&f->e.cx, f->os, at(f, "pipe"), &file), IA_ERR_IO);
    assert_fails(ia_objstore_head(&f->e.cx, f->os, at(f, "pipe"), &meta), IA_ERR_IO);
    assert_int_equal(mkdir(at(f, "dir"), 0700), 0);
    assert_fails(ia_objstore_open(&f->e.cx, f->os, at(f, "dir"), &file), IA_ERR_NOT_FOUND);
    assert_fails(ia_objstore_remove(&f->e.cx, f->os, at(f, "dir")), IA_ERR_NOT_FOUND);
    assert_fails(ia_objstore_put(&f->e.cx, f->os, at(f, "pipe/x"), "", 0, 0), IA_ERR_IO);
}

static void a_file_cut_while_open_is_corrupt(void **state)
{
    fixture *f = *state;
    ia_objfile *file;
    char text[10];
    assert_ok(ia_objstore_put(&f->e.cx, f->os, at(f, "x"), "0123456789", 10, 0));
    assert_ok(ia_objstore_open(&f->e.cx, f->os, at(f, "x"), &file));
    assert_int_equal(truncate(at(f, "x"), 4), 0);
    assert_fails(ia_objfile_read(&f->e.cx, file, 0, 10, text, IA_IO_META), IA_ERR_CORRUPT);
    assert_non_null(strstr(f->e.cx.err.text, "ends at 4"));
    ia_objfile_close(file);
}

static void linked_directories_are_listed_as_directories(void **state)
{
    fixture *f = *state;
    ia_objlist l;
    assert_ok(ia_objstore_put(&f->e.cx, f->os, at(f, "real/x"), "1", 1, 0));
    assert_int_equal(symlink(at(f, "real"), at(f, "soft")), 0);
    assert_ok(ia_objstore_list(&f->e.cx, f->os, f->dir, NULL, 0, &l));
    assert_int_equal(l.n, 2);
    assert_string_equal(l.names[0], "real/");
    assert_string_equal(l.names[1], "soft/");
    ia_objlist_dispose(&l);
}

static void files_get_the_usual_mode(void **state)
{
    fixture *f = *state;
    struct stat s;
    const mode_t old = umask(027);
    assert_ok(ia_objstore_put(&f->e.cx, f->os, at(f, "d/x"), "1", 1, 0));
    umask(old);
    assert_int_equal(stat(at(f, "d/x"), &s), 0);
    assert_int_equal(s.st_mode & 0777, 0640);
    assert_int_equal(stat(at(f, "d"), &s), 0);
    assert_int_equal(s.st_mode & 0777, 0750);
}

static void the_time_is_the_later_of_write_and_change(void **state)
{
    fixture *f = *state;
    ia_objmeta meta;
    const struct timespec old[2] = {{1000, 0}, {1000, 0}};
    assert_ok(ia_objstore_put(&f->e.cx, f->os, at(f, "x"), "1", 1, 0));
    assert_int_equal(utimensat(AT_FDCWD, at(f, "x"), old, 0), 0);
    assert_ok(ia_objstore_head(&f->e.cx, f->os, at(f, "x"), &meta));
    assert_true(meta.mtime_us > INT64_C(1600000000000000)); /* the change of inode counts */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_store, close_store)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(relaxed_writes_sync_nothing),
        TEST(a_durable_put_syncs_file_then_directory),
        TEST(new_directories_are_synced_into_their_parents_once),
        TEST(directories_of_relaxed_writes_are_synced_by_the_next_durable_one),
        TEST(a_failed_sync_publishes_nothing),
        TEST(put_if_absent_works_without_hard_links),
        TEST(a_file_system_with_neither_is_refused_by_name),
        TEST(refused_links_are_unsupported_and_others_fail),
        TEST(other_link_failures_do_not_publish),
        TEST(a_full_disk_is_an_io_error_that_leaves_nothing),
        TEST(pipes_and_directories_are_no_objects),
        TEST(a_file_cut_while_open_is_corrupt),
        TEST(linked_directories_are_listed_as_directories),
        TEST(files_get_the_usual_mode),
        TEST(the_time_is_the_later_of_write_and_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
