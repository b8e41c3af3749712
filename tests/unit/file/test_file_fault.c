/* test_file_fault.c - failing allocations and stores: a status, no leak, no half-written file. */
#include "../base/test_env.h"

#include "file_io.h"

/* Several columns in one file, so that every kind of page is met. */
static ia_batch *mixed(ia_ctx *cx)
{
    static const char *const types[] = {"int64",
                                        "string",
                                        "bool",
                                        "fsl<float,64>",
                                        "list<string>",
                                        "struct<int32,string>",
                                        "list<list<int32>>",
                                        "string"};
    enum { N = sizeof types / sizeof *types };
    ia_field fields[N] = {{0}};
    ia_array *cols[N] = {0};
    ia_schema *s = NULL;
    ia_batch *out = NULL;
    char names[N][2] = {{0}};

    for (size_t i = 0; i < N; i++) {
        ia_type *t = gen_type(cx, types[i]);
        ia_batch *b = NULL;

        assert_int_equal(gen_batch(cx, t, 300, i, i % 2 ? NULLS_SOME : NULLS_NONE,
                                   i == 7 ? GEN_LONG : GEN_SMALL, &b),
                         IA_OK);
        names[i][0] = (char)('a' + (int)i);
        fields[i].name = names[i];
        fields[i].type = t;
        fields[i].nullable = true;
        cols[i] = ia_array_retain(b->cols[0]);
        ia_batch_release(b);
    }
    assert_int_equal(ia_schema_new(cx, fields, N, &s), IA_OK);
    assert_int_equal(ia_batch_make(cx, s, 300, cols, &out), IA_OK);
    for (size_t i = 0; i < N; i++)
        ia_type_release(fields[i].type);
    ia_schema_release(s);
    return out;
}

static ia_status write_again(ia_ctx *cx, ia_objstore *os, const ia_batch *b)
{
    ia_file_info info;
    ia_status st =
        write_batch(cx, os, "/f.lance", b, &(ia_file_writer_options){.page_bytes = 9000}, &info);

    return st;
}

static ia_status read_all(ia_ctx *cx, ia_objstore *os, ia_buf *out)
{
    static const uint32_t rows[] = {0, 7, 8, 150, 299};
    opened o;
    ia_status st;

    ia_buf_clear(out);
    st = opened_init(cx, os, "/f.lance", &o);
    if (st == IA_OK)
        st = opened_scan(cx, &o, 0, 300, 64, out);
    if (st == IA_OK)
        st = opened_take(cx, &o, rows, 5, out);
    opened_dispose(&o);
    return st;
}

static void a_failed_allocation_while_writing_leaves_no_file(void **state)
{
    env e = env_new(0);
    ia_objstore *os = NULL;
    ia_batch *b = mixed(&e.cx);
    int64_t k = 0;
    ia_status st = IA_ERR_NO_MEMORY;

    (void)state;
    assert_ok(ia_objstore_memory(&e.cx, true, &os));
    for (; st != IA_OK; k += 1 + k / 50) {
        ia_mem_fail_after(k);
        st = write_again(&e.cx, os, b);
        ia_mem_fail_after(-1);
        assert_true(st == IA_OK || st == IA_ERR_NO_MEMORY);
        assert_true(ia_objstore_exists(&e.cx, os, "/f.lance") == (st == IA_OK));
    }
    assert_in_range(k, 20, 100000);
    ia_batch_release(b);
    ia_objstore_close(os);
    env_end(&e);
}

/* What only 2.2 has, and columns that are more than values. */
static ia_batch *special(ia_ctx *cx)
{
    static const char *const types[] = {"map<string,int32>", "fsl<struct<int32,string>,3>",
                                        "struct<int32,double>", "struct<int32,string>",
                                        "large_binary"};
    enum { N = sizeof types / sizeof *types };
    ia_kv packed = {.key = (char *)"lance-encoding:packed", .value = (char *)"true"};
    ia_kv blob = {.key = (char *)"lance-encoding:blob", .value = (char *)"true"};
    ia_field fields[N] = {{0}};
    ia_array *cols[N] = {0};
    char names[N][2] = {{0}};
    ia_schema *s = NULL;
    ia_batch *out = NULL;

    for (size_t i = 0; i < N; i++) {
        ia_type *t = gen_type(cx, types[i]);
        ia_batch *b = NULL;

        assert_ok(
            gen_batch(cx, t, 80, i, i < 2 || i == 4 ? NULLS_SOME : NULLS_NONE, GEN_SMALL, &b));
        names[i][0] = (char)('a' + (int)i);
        fields[i] = (ia_field){.name = names[i], .type = t, .nullable = true};
        fields[i].metadata = i == 4 ? &blob : &packed;
        fields[i].n_metadata = i >= 2;
        cols[i] = ia_array_retain(b->cols[0]);
        ia_batch_release(b);
    }
    assert_ok(ia_schema_new(cx, fields, N, &s));
    assert_ok(ia_batch_make(cx, s, 80, cols, &out));
    for (size_t i = 0; i < N; i++)
        ia_type_release(fields[i].type);
    ia_schema_release(s);
    return out;
}

static void a_failed_allocation_while_writing_special_columns_leaves_no_file(void **state)
{
    env e = env_new(0);
    ia_objstore *os = NULL;
    ia_batch *b = special(&e.cx);
    ia_file_writer_options o = {.minor = 2, .page_bytes = 600};
    ia_file_info info;
    int64_t k = 0;
    ia_status st = IA_ERR_NO_MEMORY;

    (void)state;
    assert_ok(ia_objstore_memory(&e.cx, true, &os));
    for (; st != IA_OK; k += 1 + k / 50) {
        ia_mem_fail_after(k);
        st = write_batch(&e.cx, os, "/f.lance", b, &o, &info);
        ia_mem_fail_after(-1);
        assert_true(st == IA_OK || st == IA_ERR_NO_MEMORY);
        assert_true(ia_objstore_exists(&e.cx, os, "/f.lance") == (st == IA_OK));
    }
    assert_in_range(k, 20, 100000);
    ia_batch_release(b);
    ia_objstore_close(os);
    env_end(&e);
}

static void a_failed_allocation_while_reading_gives_no_rows(void **state)
{
    env e = env_new(0);
    ia_objstore *os = NULL;
    ia_batch *b = mixed(&e.cx);
    ia_buf out = {0};
    int64_t k = 0;
    ia_status st = IA_ERR_NO_MEMORY;

    (void)state;
    assert_ok(ia_objstore_memory(&e.cx, true, &os));
    assert_ok(write_again(&e.cx, os, b));
    for (; st != IA_OK; k += 1 + k / 100) {
        ia_buf_dispose(&out);
        ia_mem_fail_after(k);
        st = read_all(&e.cx, os, &out);
        ia_mem_fail_after(-1);
        if (out.failed) /* the text of the test itself */
            continue;
        assert_true(st == IA_OK || st == IA_ERR_NO_MEMORY);
    }
    assert_in_range(k, 50, 100000);
    ia_buf_dispose(&out);
    ia_batch_release(b);
    ia_objstore_close(os);
    env_end(&e);
}

static void a_store_that_fails_at_any_call_is_reported(void **state)
{
    env e = env_new(0);
    ia_objstore *os = NULL, *faulty = NULL;
    ia_batch *b = mixed(&e.cx);
    ia_buf out = {0};
    ia_status st = IA_ERR_IO;
    int64_t k = 0;

    (void)state;
    assert_ok(ia_objstore_memory(&e.cx, true, &os));
    assert_ok(ia_objstore_faulty(&e.cx, os, &faulty));
    for (; st != IA_OK; k++) {
        ia_fault_set(faulty, k, IA_CUT_BEFORE, false);
        st = write_again(&e.cx, faulty, b);
        assert_true(st == IA_OK || st == IA_ERR_IO);
        assert_true(ia_objstore_exists(&e.cx, os, "/f.lance") == (st == IA_OK));
    }
    st = IA_ERR_IO;
    for (k = 0; st != IA_OK; k++) {
        ia_fault_set(faulty, k, IA_CUT_BEFORE, true);
        st = read_all(&e.cx, faulty, &out);
        assert_true(st == IA_OK || st == IA_ERR_IO);
    }
    assert_in_range(k, 2, 1000);
    ia_buf_dispose(&out);
    ia_batch_release(b);
    ia_objstore_close(faulty);
    ia_objstore_close(os);
    env_end(&e);
}

static void a_small_budget_refuses_and_gives_everything_back(void **state)
{
    env e = env_new(0);
    ia_objstore *os = NULL;
    ia_batch *b = mixed(&e.cx);
    ia_buf out = {0};
    bool refused = false, worked = false;

    (void)state;
    assert_ok(ia_objstore_memory(&e.cx, true, &os));
    assert_ok(write_again(&e.cx, os, b));
    for (uint64_t limit = 1000; !worked; limit *= 2) {
        ia_budget *small = ia_budget_new(NULL, limit);
        ia_ctx cx;
        ia_status st;

        ia_ctx_init(&cx, small);
        st = read_all(&cx, os, &out);
        assert_true(st == IA_OK || st == IA_ERR_OVER_BUDGET);
        refused = refused || st != IA_OK;
        worked = st == IA_OK && !out.failed;
        ia_buf_dispose(&out);
        assert_int_equal(ia_budget_used(small), 0);
        ia_budget_drop(small);
    }
    assert_true(refused);
    ia_batch_release(b);
    ia_objstore_close(os);
    env_end(&e);
}

static void a_cancelled_scan_says_so(void **state)
{
    env e = env_new(0);
    ia_objstore *os = NULL;
    ia_batch *b = mixed(&e.cx);
    atomic_bool cancel;
    ia_buf out = {0};
    ia_ctx cx;

    (void)state;
    assert_ok(ia_objstore_memory(&e.cx, true, &os));
    assert_ok(write_again(&e.cx, os, b));
    atomic_init(&cancel, true);
    ia_ctx_init(&cx, e.budget);
    cx.cancel = &cancel;
    assert_fails(read_all(&cx, os, &out), IA_ERR_CANCELLED);
    ia_buf_dispose(&out);
    ia_batch_release(b);
    ia_objstore_close(os);
    env_end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_allocation_while_writing_leaves_no_file),
        cmocka_unit_test(a_failed_allocation_while_writing_special_columns_leaves_no_file),
        cmocka_unit_test(a_failed_allocation_while_reading_gives_no_rows),
        cmocka_unit_test(a_store_that_fails_at_any_call_is_reported),
        cmocka_unit_test(a_small_budget_refuses_and_gives_everything_back),
        cmocka_unit_test(a_cancelled_scan_says_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
