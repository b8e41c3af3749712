/* test_ipc.c - row-id files: those of the reference engine, our own, and damaged ones. */
#include "arrow_gen.h"

#include <stdio.h>
#include <stdlib.h>

#include "arrow/ipc.h"

static uint8_t *load(gen *g, const char *name, size_t *n)
{
    char path[512];
    uint8_t *p;
    FILE *f;

    snprintf(path, sizeof path, "%s/arrow/%s", TEST_DATA, name);
    f = fopen(path, "rb");
    assert_non_null(f);
    p = ia_alloc(&g->cx, 100000);
    assert_non_null(p);
    *n = fread(p, 1, 100000, f);
    fclose(f);
    return p;
}

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Reads a stored file and expects first, first + step, ... below end, in any order. */
static void expect_run(gen *g, const char *name, uint32_t first, uint32_t step, uint32_t end)
{
    uint32_t *v = NULL, want = first;
    size_t n, len, i;
    uint8_t *p = load(g, name, &len);

    GEN_OK(g, ia_ipc_read_row_ids(&g->cx, p, len, &v, &n));
    qsort(v, n, sizeof *v, by_value);
    for (i = 0; i < n; i++, want += step)
        assert_int_equal(v[i], want);
    assert_true(want >= end && want - step < end);
    ia_free(v);
    ia_free(p);
}

static void files_of_the_reference_engine_are_read(void **state)
{
    gen g;

    (void)state;
    gen_open(&g, 21);
    expect_run(&g, "lance_one.arrow", 42, 1, 43);
    expect_run(&g, "lance_ninth.arrow", 0, 9, 1000);
    expect_run(&g, "lance_many.arrow", 3, 11, 9000);
    gen_close(&g);
}

static void plain_lz4_and_old_files_are_read_in_stored_order(void **state)
{
    static const uint32_t want[4] = {7, 3, 4294967295u, 5};
    gen g;
    uint32_t *v = NULL;
    size_t n, len;
    uint8_t *p;

    (void)state;
    gen_open(&g, 22);
    p = load(&g, "plain.arrow", &len);
    GEN_OK(&g, ia_ipc_read_row_ids(&g.cx, p, len, &v, &n));
    assert_int_equal(n, 4);
    assert_memory_equal(v, want, sizeof want);
    ia_free(v);
    ia_free(p);
    expect_run(&g, "lz4.arrow", 0, 2, 2000);
    expect_run(&g, "legacy.arrow", 1, 1, 4);
    gen_close(&g);
}

static void what_we_write_we_read(void **state)
{
    static const size_t counts[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 1000, 70000};
    gen g;
    size_t k, i, n;

    (void)state;
    gen_open(&g, 23);
    for (k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        uint32_t *v = ia_alloc(&g.cx, counts[k] * 4 + 4), *back = NULL;
        ia_bytes file = {0};

        for (i = 0; i < counts[k]; i++)
            v[i] = k % 2 ? (uint32_t)i * 3 : (uint32_t)gen_next(&g);
        GEN_OK(&g, ia_ipc_write_row_ids(&g.cx, v, counts[k], &file));
        GEN_OK(&g, ia_ipc_read_row_ids(&g.cx, file.data, file.len, &back, &n));
        assert_int_equal(n, counts[k]);
        assert_memory_equal(v, back, n * 4);
        ia_bytes_dispose(&file);
        ia_free(back);
        ia_free(v);
    }
    gen_close(&g);
}

/* Every cut and every flipped byte gives a status, never a wild read (sanitizers watch). */
static void damage_of(gen *g, const char *name)
{
    size_t len, i, n;
    uint8_t *p = load(g, name, &len), *copy;
    uint32_t *v = NULL;
    int bad = 0;

    for (i = 0; i < len; i++) {
        copy = ia_alloc(&g->cx, i);
        memcpy(copy, p, i);
        ia_ctx_clear(&g->cx);
        assert_int_equal(ia_ipc_read_row_ids(&g->cx, copy, i, &v, &n), IA_ERR_CORRUPT);
        ia_free(copy);
    }
    copy = ia_alloc(&g->cx, len);
    for (i = 0; i < len * 3; i++) {
        ia_status st;

        memcpy(copy, p, len);
        copy[i / 3] = (uint8_t)(copy[i / 3] ^ (i % 3 == 0 ? 0xff : i % 3 == 1 ? 1 : gen_next(g)));
        ia_ctx_clear(&g->cx);
        st = ia_ipc_read_row_ids(&g->cx, copy, len, &v, &n);
        bad += st != IA_OK;
        if (st == IA_OK)
            ia_free(v);
        else
            assert_true(st == IA_ERR_CORRUPT || st == IA_ERR_UNSUPPORTED);
    }
    assert_true(bad > 50);
    ia_free(copy);
    ia_free(p);
}

static void damaged_files_are_refused(void **state)
{
    gen g;

    (void)state;
    gen_open(&g, 24);
    damage_of(&g, "lance_one.arrow");
    damage_of(&g, "lance_ninth.arrow");
    damage_of(&g, "plain.arrow");
    damage_of(&g, "lz4.arrow");
    gen_close(&g);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_the_reference_engine_are_read),
        cmocka_unit_test(plain_lz4_and_old_files_are_read_in_stored_order),
        cmocka_unit_test(what_we_write_we_read),
        cmocka_unit_test(damaged_files_are_refused),
    };

    /* test_ipc FILE N writes the row ids 0, 3, ... of N values for another reader to check. */
    if (argc == 3) {
        gen g;
        ia_bytes file = {0};
        const size_t n = (size_t)strtoul(argv[2], NULL, 10);
        uint32_t *v;
        size_t i;
        FILE *f = fopen(argv[1], "wb");

        gen_open(&g, 1);
        v = ia_alloc(&g.cx, n * 4);
        for (i = 0; v && i < n; i++)
            v[i] = (uint32_t)i * 3;
        if (!f || !v || ia_ipc_write_row_ids(&g.cx, v, n, &file) != IA_OK)
            return 1;
        fwrite(file.data, 1, file.len, f);
        fclose(f);
        ia_bytes_dispose(&file);
        ia_free(v);
        gen_close(&g);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
