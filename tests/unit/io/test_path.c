/* test_path.c - joining paths and the absolute form of users' paths. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/test_env.h"
#include "io/objstore.h"

static void parts_are_joined_by_one_slash(void **state)
{
    static const struct {
        const char *a, *b, *c, *want;
    } cases[] = {
        {"/a", "b", "c", "/a/b/c"}, {"/", "b", "c", "/b/c"},  {"/a/", "b", NULL, "/a/b"},
        {"/a", "", "c", "/a/c"},    {"a", "/b", NULL, "a/b"}, {"/a", NULL, NULL, "/a"},
    };
    env e = env_new(0);
    char *got;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_ok(ia_path_join(&e.cx, &got, cases[i].a, cases[i].b, cases[i].c, (char *)NULL));
        assert_string_equal(got, cases[i].want);
        ia_free(got);
    }
    assert_ok(ia_path_join(&e.cx, &got, (char *)NULL));
    assert_string_equal(got, "");
    ia_free(got);
    env_end(&e);
}

static void the_base_is_after_the_last_slash(void **state)
{
    (void)state;
    assert_string_equal(ia_path_base("/a/b.lance"), "b.lance");
    assert_string_equal(ia_path_base("b"), "b");
    assert_string_equal(ia_path_base("/"), "");
}

static void expect(env *e, const char *user, const char *want)
{
    char *got;
    ia_ctx_clear(&e->cx);
    const ia_status st = ia_path_absolute(&e->cx, user, &got);
    if (st != IA_OK)
        fail_msg("%s: %s", user, e->cx.err.text);
    assert_string_equal(got, want);
    ia_free(got);
}

static void names_that_do_not_exist_are_normalised(void **state)
{
    env e = env_new(0);
    (void)state;
    expect(&e, "/no-such/a", "/no-such/a");
    expect(&e, "//no-such///a//", "/no-such/a");
    expect(&e, "/no-such/./a/../b/.", "/no-such/b");
    expect(&e, "/no-such/../../..", "/");
    expect(&e, "/no-such/../../../x", "/x");
    expect(&e, "/", "/");
    expect(&e, "///", "/");
    expect(&e, "/..", "/");
    expect(&e, "/no-such/...", "/no-such/...");
    env_end(&e);
}

static void file_uris_are_paths(void **state)
{
    env e = env_new(0);
    (void)state;
    expect(&e, "file:///no-such/a", "/no-such/a");
    expect(&e, "file://localhost/no-such/a", "/no-such/a");
    expect(&e, "file:///no-such/a%20b%2fc", "/no-such/a b/c");
    env_end(&e);
}

static void other_schemes_and_bad_texts_are_refused(void **state)
{
    static const struct {
        const char *user;
        ia_status want;
        const char *named;
    } cases[] = {
        {"s3://bucket/x", IA_ERR_UNSUPPORTED, "'s3'"},
        {"gs://bucket/x", IA_ERR_UNSUPPORTED, "'gs'"},
        {"az+x://b", IA_ERR_UNSUPPORTED, "'az+x'"},
        {"file://host/x", IA_ERR_UNSUPPORTED, "another host"},
        {"file:///a%2", IA_ERR_INVALID, "percent"},
        {"file:///a%zz", IA_ERR_INVALID, "percent"},
        {"file:///a%00b", IA_ERR_INVALID, "percent"},
        {"", IA_ERR_INVALID, "empty"},
    };
    env e = env_new(0);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *got;
        assert_fails(ia_path_absolute(&e.cx, cases[i].user, &got), cases[i].want);
        assert_null(got);
        assert_non_null(strstr(e.cx.err.text, cases[i].named));
    }
    env_end(&e);
}

static void relative_paths_and_links_are_resolved(void **state)
{
    env e = env_new(0);
    char dir[] = "/tmp/ia-test-XXXXXX", old[PATH_MAX], text[PATH_MAX + 64], want[PATH_MAX + 64];
    (void)state;
    assert_non_null(getcwd(old, sizeof old));
    assert_non_null(mkdtemp(dir));
    assert_int_equal(chdir(dir), 0);
    assert_int_equal(mkdir("real", 0700), 0);
    assert_int_equal(mkdir("real/inner", 0700), 0);
    assert_int_equal(symlink("real/inner", "soft"), 0);
    snprintf(want, sizeof want, "%s/g.graph", dir);
    expect(&e, "g.graph", want);
    expect(&e, "./x/../g.graph", want);
    snprintf(want, sizeof want, "%s", dir);
    expect(&e, ".", want);
    expect(&e, "real/..", want);
    snprintf(want, sizeof want, "%s/real/inner/new/g", dir);
    expect(&e, "soft/new/g", want);
    snprintf(want, sizeof want, "%s/real/x", dir);
    expect(&e, "soft/../x", want); /* ".." of the link's target, as the system does */
    snprintf(text, sizeof text, "file://%s/soft", dir);
    snprintf(want, sizeof want, "%s/real/inner", dir);
    expect(&e, text, want);
    unlink("soft");
    rmdir("real/inner");
    rmdir("real");
    assert_int_equal(chdir(old), 0);
    rmdir(dir);
    env_end(&e);
}

static ia_status absolute(ia_ctx *cx, const char *user)
{
    char *got;
    IA_TRY(ia_path_absolute(cx, user, &got));
    ia_free(got);
    return IA_OK;
}

static void failing_allocations_are_reported(void **state)
{
    env e = env_new(0);
    (void)state;
    FAIL_EVERY_ALLOCATION(&e.cx, absolute(&e.cx, "some/relative/../path"), (void)0);
    FAIL_EVERY_ALLOCATION(&e.cx, absolute(&e.cx, "file:///tmp/%20x"), (void)0);
    env_end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_joined_by_one_slash),
        cmocka_unit_test(the_base_is_after_the_last_slash),
        cmocka_unit_test(names_that_do_not_exist_are_normalised),
        cmocka_unit_test(file_uris_are_paths),
        cmocka_unit_test(other_schemes_and_bad_texts_are_refused),
        cmocka_unit_test(relative_paths_and_links_are_resolved),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
