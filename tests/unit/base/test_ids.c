/* test_ids.c - random bytes, UUIDs, ULIDs, hex, SHA-256, clocks. */
#include "base/ids.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_env.h"

static void sha256_matches_the_standard_vectors(void **state)
{
    static const struct {
        const char *text, *hex;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    uint8_t sum[32];
    char hex[65];
    env e = env_new(0);
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        ia_sha256(cases[i].text, strlen(cases[i].text), sum);
        ia_hex(sum, 32, hex);
        assert_string_equal(hex, cases[i].hex);
    }
    char *million = ia_alloc(&e.cx, 1000000);
    memset(million, 'a', 1000000);
    ia_sha256(million, 1000000, sum);
    ia_hex(sum, 32, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    ia_free(million);
    env_end(&e);
}

/* Lengths around the block borders, each against the sum of all sums. */
static void sha256_pads_every_length(void **state)
{
    uint8_t text[200], sums[32 * 200], sum[32];
    char hex[65];
    (void)state;
    memset(text, 'x', sizeof text);
    for (size_t n = 0; n < 200; n++)
        ia_sha256(text, n, sums + 32 * n);
    ia_sha256(sums, sizeof sums, sum);
    ia_hex(sum, 32, hex);
    assert_string_equal(hex, "f5e61141898898cdabae3590cb32e1901b40bdc59952302926213a44c105c129");
}

static void uuids_are_version_4_and_round_trip(void **state)
{
    env e = env_new(0);
    ia_uuid a, b;
    char text[IA_UUID_LEN + 1];
    (void)state;
    for (int i = 0; i < 100; i++) {
        assert_ok(ia_uuid_new(&e.cx, &a));
        ia_uuid_format(&a, text);
        assert_int_equal(strlen(text), 36);
        assert_int_equal(text[14], '4');
        assert_non_null(strchr("89ab", text[19]));
        assert_true(ia_uuid_parse(text, &b));
        assert_memory_equal(&a, &b, sizeof a);
    }
    assert_true(ia_uuid_parse("00112233-4455-6677-8899-AABBCCDDEEFF", &a));
    ia_uuid_format(&a, text);
    assert_string_equal(text, "00112233-4455-6677-8899-aabbccddeeff");
    static const char *const bad[] = {
        "", "00112233-4455-6677-8899-aabbccddeef", "00112233-4455-6677-8899-aabbccddeeff0",
        "001122334455-6677-8899-aabbccddeeff-", "0011223g-4455-6677-8899-aabbccddeeff"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(ia_uuid_parse(bad[i], &a));
    env_end(&e);
}

static void ulids_increase_and_carry_the_time(void **state)
{
    env e = env_new(0);
    char last[IA_ULID_LEN + 1] = "", next[IA_ULID_LEN + 1];
    static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    (void)state;
    const int64_t before = ia_now_us() / 1000;
    for (int i = 0; i < 5000; i++) {
        assert_ok(ia_ulid_new(&e.cx, next));
        assert_true(ia_ulid_valid(next));
        assert_true(strcmp(next, last) > 0);
        strcpy(last, next);
    }
    int64_t ms = 0;
    for (int i = 0; i < 10; i++)
        ms = ms * 32 + (strchr(digits, last[i]) - digits);
    assert_true(ms >= before && ms <= ia_now_us() / 1000 + 1);
    assert_false(ia_ulid_valid(""));
    assert_false(ia_ulid_valid("81BX5ZZKBKACTAV9WEVGEMMVRZ")); /* over 128 bits */
    assert_true(ia_ulid_valid("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"));
    assert_false(ia_ulid_valid("01BX5ZZKBKACTAV9WEVGEMMVRI")); /* I is no digit */
    assert_false(ia_ulid_valid("01BX5ZZKBKACTAV9WEVGEMMVR"));
    assert_false(ia_ulid_valid("01BX5ZZKBKACTAV9WEVGEMMVRZZ"));
    assert_false(ia_ulid_valid("../../etc/passwd/01BX5ZZKB"));
    env_end(&e);
}

enum { THREADS = 4, EACH = 500 };

static void *make_ulids(void *arg)
{
    env e = env_new(0);
    char(*out)[IA_ULID_LEN + 1] = arg;
    for (int i = 0; i < EACH; i++)
        assert_ok(ia_ulid_new(&e.cx, out[i]));
    env_end(&e);
    return NULL;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void threads_never_get_the_same_ulid(void **state)
{
    static char all[THREADS * EACH][IA_ULID_LEN + 1];
    pthread_t t[THREADS];
    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, make_ulids, all + i * EACH), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    qsort(all, THREADS * EACH, sizeof all[0], by_text);
    for (int i = 1; i < THREADS * EACH; i++)
        assert_string_not_equal(all[i - 1], all[i]);
}

static void a_forked_child_starts_its_own_series(void **state)
{
    env e = env_new(0);
    char first[IA_ULID_LEN + 1], mine[IA_ULID_LEN + 1], theirs[IA_ULID_LEN + 1];
    int pipes[2];
    (void)state;
    assert_int_equal(pipe(pipes), 0);
    assert_ok(ia_ulid_new(&e.cx, first));
    const pid_t pid = fork();
    if (pid == 0) {
        if (ia_ulid_new(&e.cx, theirs) != IA_OK ||
            write(pipes[1], theirs, sizeof theirs) != sizeof theirs)
            _exit(1);
        _exit(0);
    }
    assert_ok(ia_ulid_new(&e.cx, mine));
    assert_int_equal(read(pipes[0], theirs, sizeof theirs), sizeof theirs);
    int status;
    waitpid(pid, &status, 0);
    /* had both counted on from `first`, the last 16 digits would be equal */
    assert_string_not_equal(mine + 10, theirs + 10);
    close(pipes[0]);
    close(pipes[1]);
    env_end(&e);
}

static void clocks_go_forward(void **state)
{
    (void)state;
    const uint64_t a = ia_mono_ns();
    assert_true(ia_mono_ns() >= a);
    assert_true(ia_now_us() > INT64_C(1600000000000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_matches_the_standard_vectors),
        cmocka_unit_test(sha256_pads_every_length),
        cmocka_unit_test(uuids_are_version_4_and_round_trip),
        cmocka_unit_test(ulids_increase_and_carry_the_time),
        cmocka_unit_test(threads_never_get_the_same_ulid),
        cmocka_unit_test(a_forked_child_starts_its_own_series),
        cmocka_unit_test(clocks_go_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
