/* test_file_threads.c - scans and takes on several threads: the same rows in the same order. */
#include <pthread.h>

#include "../base/test_env.h"

#include "file_io.h"

static const char *const types[] = {"int64", "string", "list<int32>", "struct<int32,string>"};

typedef struct fix {
    env e;
    ia_objstore *os;
    opened o;
} fix;

static void fix_open(fix *f, const char *type, int64_t rows, uint64_t page_bytes)
{
    ia_file_writer_options opt = {.minor = 1, .page_bytes = page_bytes};
    ia_file_info info;
    ia_type *t;
    ia_batch *b = NULL;

    memset(f, 0, sizeof *f);
    f->e = env_new(0);
    assert_int_equal(ia_objstore_memory(&f->e.cx, true, &f->os), IA_OK);
    t = gen_type(&f->e.cx, type);
    assert_non_null(t);
    assert_int_equal(gen_batch(&f->e.cx, t, rows, 7, NULLS_SOME, GEN_WIDE, &b), IA_OK);
    assert_int_equal(write_batch(&f->e.cx, f->os, "/f.lance", b, &opt, &info), IA_OK);
    ia_batch_release(b);
    ia_type_release(t);
    assert_int_equal(opened_init(&f->e.cx, f->os, "/f.lance", &f->o), IA_OK);
}

static void fix_close(fix *f)
{
    opened_dispose(&f->o);
    ia_objstore_close(f->os);
    env_end(&f->e);
}

static void scan_text(fix *f, uint32_t batch, uint32_t threads, size_t most, ia_buf *out)
{
    ia_ctx *cx = &f->e.cx;
    ia_file_scan *s = NULL;
    ia_array *cols[4];
    uint64_t rows = 1;

    assert_int_equal(ia_file_scan_open(cx, f->o.f, f->o.cols, f->o.s->n_fields, 3,
                                       ia_file_rows(f->o.f) - 2, batch, &s),
                     IA_OK);
    assert_int_equal(ia_file_scan_threads(cx, s, threads), IA_OK);
    for (size_t i = 0; rows && i < most; i++) {
        assert_int_equal(ia_file_scan_next(cx, s, cols, &rows), IA_OK);
        ia_buf_printf(cx, out, "batch of %u\n", (unsigned)rows);
        for (size_t k = 0; rows && k < f->o.s->n_fields; k++) {
            for (uint64_t r = 0; r < rows; r++) {
                gen_text(cx, out, cols[k], (int64_t)r);
                ia_buf_putc(cx, out, '\n');
            }
            ia_array_release(cols[k]);
        }
    }
    ia_file_scan_close(s);
    assert_int_equal(ia_buf_status(out), IA_OK);
}

static void threads_read_the_same_batches_in_the_same_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        fix f;
        ia_buf want = {0};

        fix_open(&f, types[i], 20000, 30000);
        scan_text(&f, 700, 1, SIZE_MAX, &want);
        for (uint32_t threads = 2; threads <= 4; threads++) {
            ia_buf got = {0};

            scan_text(&f, 700, threads, SIZE_MAX, &got);
            assert_int_equal(got.len, want.len);
            assert_memory_equal(got.data, want.data, want.len);
            ia_buf_dispose(&got);
        }
        ia_buf_dispose(&want);
        fix_close(&f);
    }
}

static void a_scan_may_end_early(void **state)
{
    fix f;

    (void)state;
    fix_open(&f, "string", 20000, 30000);
    for (size_t most = 0; most < 4; most++) {
        ia_buf got = {0};

        scan_text(&f, 100, 3, most, &got);
        ia_buf_dispose(&got);
    }
    fix_close(&f);
}

static void cancelling_ends_a_scan_on_threads(void **state)
{
    atomic_bool stop = false;
    ia_file_scan *s = NULL;
    ia_array *cols[4];
    uint64_t rows;
    fix f;

    (void)state;
    fix_open(&f, "int64", 20000, 30000);
    f.e.cx.cancel = &stop;
    assert_int_equal(ia_file_scan_open(&f.e.cx, f.o.f, f.o.cols, 1, 0, 20000, 100, &s), IA_OK);
    assert_int_equal(ia_file_scan_threads(&f.e.cx, s, 2), IA_OK);
    assert_int_equal(ia_file_scan_next(&f.e.cx, s, cols, &rows), IA_OK);
    ia_array_release(cols[0]);
    stop = true;
    assert_int_equal(ia_file_scan_next(&f.e.cx, s, cols, &rows), IA_ERR_CANCELLED);
    ia_file_scan_close(s);
    f.e.cx.cancel = NULL;
    fix_close(&f);
}

static void take_all(fix *f, const uint32_t *rows, size_t n, uint32_t threads, ia_buf *out)
{
    ia_ctx *cx = &f->e.cx;
    ia_array *cols[IA_TAKE_PARTS * 4];
    size_t sizes[IA_TAKE_PARTS], parts, n_cols = f->o.s->n_fields;

    assert_int_equal(
        ia_file_take_parts(cx, f->o.f, f->o.cols, n_cols, rows, n, threads, cols, sizes, &parts),
        IA_OK);
    assert_true(parts >= 1 && parts <= threads);
    for (size_t p = 0; p < parts; p++) {
        for (size_t r = 0; r < sizes[p]; r++) {
            gen_text(cx, out, cols[p * n_cols], (int64_t)r);
            ia_buf_putc(cx, out, '\n');
        }
        for (size_t k = 0; k < n_cols; k++)
            ia_array_release(cols[p * n_cols + k]);
    }
    assert_int_equal(ia_buf_status(out), IA_OK);
}

static void threads_take_the_same_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        static uint32_t rows[5000];
        ia_buf want = {0};
        fix f;

        fix_open(&f, types[i], 20000, 30000);
        for (size_t k = 0; k < 5000; k++)
            rows[k] = (uint32_t)(k * 4 + k % 3);
        take_all(&f, rows, 5000, 1, &want);
        for (uint32_t threads = 2; threads <= 4; threads++) {
            for (int again = 0; again < 2; again++) { /* opened, then from the cache */
                ia_buf got = {0};

                take_all(&f, rows, 5000, threads, &got);
                assert_int_equal(got.len, want.len);
                assert_memory_equal(got.data, want.data, want.len);
                ia_buf_dispose(&got);
            }
        }
        ia_buf_dispose(&want);
        fix_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_read_the_same_batches_in_the_same_order),
        cmocka_unit_test(a_scan_may_end_early),
        cmocka_unit_test(cancelling_ends_a_scan_on_threads),
        cmocka_unit_test(threads_take_the_same_rows),
    };

    return cmocka_run_group_tests_name("file threads", tests, NULL, NULL);
}
