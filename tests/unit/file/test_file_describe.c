/* test_file_describe.c - descriptions, checks and projections of files; failures of them. */
#include "../base/test_env.h"

#include "file/describe.h"
#include "file/file_check.h"
#include "file/file_priv.h"
#include "file_io.h"

/* Columns a: int64, b: struct<int32,string>, c: list<string>, d: fsl<float,64>. */
static void write_mixed(env *e, ia_objstore *os)
{
    static const char *const types[] = {"int64", "struct<int32,string>", "list<string>",
                                        "fsl<float,64>"};
    ia_field fields[4] = {{0}};
    ia_array *cols[4] = {0};
    ia_schema *s = NULL;
    ia_batch *b = NULL, *one = NULL;
    char names[4][2] = {{0}};

    for (size_t i = 0; i < 4; i++) {
        names[i][0] = (char)('a' + (int)i);
        fields[i] =
            (ia_field){.name = names[i], .type = gen_type(&e->cx, types[i]), .nullable = true};
        assert_ok(gen_batch(&e->cx, fields[i].type, 300, i, NULLS_SOME, GEN_SMALL, &one));
        cols[i] = ia_array_retain(one->cols[0]);
        ia_batch_release(one);
    }
    assert_ok(ia_schema_new(&e->cx, fields, 4, &s));
    assert_ok(ia_batch_make(&e->cx, s, 300, cols, &b));
    assert_ok(write_batch(&e->cx, os, "/f.lance", b, NULL, &(ia_file_info){0}));
    for (size_t i = 0; i < 4; i++)
        ia_type_release(fields[i].type);
    ia_schema_release(s);
    ia_batch_release(b);
}

/* Everything that looks at a whole file, with part of its columns projected. */
static ia_status look(ia_ctx *cx, ia_objstore *os)
{
    static const char *const paths[] = {"c.item", "b.b", "d.item", "b.a", "a"};
    ia_file *f = NULL;
    ia_schema *exact = NULL;
    ia_filedesc d = {0};
    ia_projection p = {0};
    ia_bytes text = {0}, json = {0};
    uint64_t rows;
    ia_status st;

    IA_GO(ia_file_open(cx, os, "/f.lance", 0, &f));
    IA_GO(ia_lschema_to_arrow_exact(cx, ia_file_lschema(f), &exact));
    IA_GO(ia_filedesc_read(cx, f, exact, true, &d));
    IA_GO(ia_filedesc_text(cx, &d, true, &text));
    IA_GO(ia_filedesc_json(cx, &d, &json));
    IA_GO(ia_projection_of(cx, f, exact, paths, 3, &p));
    assert_int_equal(p.n, 3);
    assert_string_equal(p.schema->fields[1].name, "b");
    assert_int_equal(p.schema->fields[1].type->n_children, 1);
    IA_GO(ia_file_check(cx, f, exact, &rows));
    assert_int_equal(rows, 300);
done:
    ia_projection_dispose(&p);
    ia_bytes_dispose(&text);
    ia_bytes_dispose(&json);
    ia_filedesc_dispose(&d);
    ia_schema_release(exact);
    ia_file_close(f);
    return st;
}

static void a_failed_allocation_while_looking_at_a_file_leaks_nothing(void **state)
{
    env e = env_new(0);
    ia_objstore *os = NULL;
    ia_status st = IA_ERR_NO_MEMORY;
    int64_t k = 0;

    (void)state;
    assert_ok(ia_objstore_memory(&e.cx, true, &os));
    write_mixed(&e, os);
    for (; st != IA_OK; k += 1 + k / 100) {
        ia_mem_fail_after(k);
        st = look(&e.cx, os);
        ia_mem_fail_after(-1);
        assert_true(st == IA_OK || st == IA_ERR_NO_MEMORY);
    }
    assert_in_range(k, 50, 100000);
    ia_objstore_close(os);
    env_end(&e);
}

/* The description of a file of one int32 column with one page made by hand. */
static ia_status describe_raw(env *e, const char *layout, uint32_t minor, uint64_t rows,
                              const char *const *buffers, ia_filedesc *d, ia_file **f,
                              ia_objstore **os)
{
    const ia_field field = {
        .name = (char[]){"c"}, .type = ia_type_basic(IA_TYPE_I32), .nullable = true};
    ia_schema *exact = NULL;
    ia_status st;

    assert_ok(ia_objstore_memory(&e->cx, true, os));
    assert_ok(write_raw(&e->cx, *os, "/raw.lance", &field, rows, minor, layout, buffers));
    assert_ok(ia_file_open(&e->cx, *os, "/raw.lance", 0, f));
    assert_ok(ia_lschema_to_arrow_exact(&e->cx, ia_file_lschema(*f), &exact));
    st = ia_filedesc_read(&e->cx, *f, exact, false, d);
    ia_schema_release(exact);
    return st;
}

static void a_page_in_an_unknown_encoding_is_shown_as_refused(void **state)
{
    static const char *const buffers[] = {"00 00", NULL};
    env e = env_new(0);
    ia_filedesc d = {0};
    ia_file *f = NULL;
    ia_objstore *os = NULL;
    ia_bytes text = {0};

    (void)state;
    /* mini { values { encoding 99 {} } layers [I] buffers 1 items 3 } */
    assert_ok(
        describe_raw(&e, "0A 0C 1A 03 9A 06 00 32 01 01 38 01 48 03", 1, 3, buffers, &d, &f, &os));
    assert_int_equal(d.columns[0].n_pages, 1);
    assert_non_null(d.columns[0].pages[0].refused);
    assert_null(d.columns[0].pages[0].layout);
    assert_ok(ia_filedesc_text(&e.cx, &d, false, &text));
    assert_non_null(strstr((const char *)text.data, "refused: "));
    ia_bytes_dispose(&text);
    ia_filedesc_dispose(&d);
    ia_file_close(f);
    ia_objstore_close(os);
    env_end(&e);
}

static void a_damaged_page_description_is_an_error_that_says_where(void **state)
{
    static const char *const buffers[] = {"00 00", NULL};
    env e = env_new(0);
    ia_filedesc d = {0};
    ia_file *f = NULL;
    ia_objstore *os = NULL;

    (void)state;
    assert_int_equal(describe_raw(&e, "0A 7F 1A", 1, 3, buffers, &d, &f, &os), IA_ERR_CORRUPT);
    assert_non_null(strstr(e.cx.err.text, "column 0, page 0"));
    ia_file_close(f);
    ia_objstore_close(os);
    env_end(&e);
}

static void names_with_dots_and_list_items_are_found(void **state)
{
    static const char *const good[][2] = {
        {"c", "c"}, {"c.item", "c"}, {"b.a", "b"}, {"d.item", "d"}};
    static const char *const bad[] = {"",     ".",        "a.", "a.item", "b.",
                                      "b.f9", "c.item.x", "e",  "b..a"};
    env e = env_new(0);
    ia_objstore *os = NULL;
    ia_file *f = NULL;
    ia_schema *exact = NULL;
    ia_projection p;

    (void)state;
    assert_ok(ia_objstore_memory(&e.cx, true, &os));
    write_mixed(&e, os);
    assert_ok(ia_file_open(&e.cx, os, "/f.lance", 0, &f));
    assert_ok(ia_lschema_to_arrow_exact(&e.cx, ia_file_lschema(f), &exact));
    for (size_t i = 0; i < 4; i++) {
        assert_ok(ia_projection_of(&e.cx, f, exact, good[i], 1, &p));
        assert_int_equal(p.n, 1);
        assert_string_equal(p.schema->fields[0].name, good[i][1]);
        ia_projection_dispose(&p);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(ia_projection_of(&e.cx, f, exact, &bad[i], 1, &p), IA_ERR_NOT_FOUND);
    ia_schema_release(exact);
    ia_file_close(f);
    ia_objstore_close(os);
    env_end(&e);
}

static void rows_of_a_page_table_are_checked_whoever_loaded_it(void **state)
{
    env e = env_new(0);
    ia_objstore *os = NULL;
    ia_file *f = NULL;
    ia_filecol *c = NULL;

    (void)state;
    assert_ok(ia_objstore_memory(&e.cx, true, &os));
    write_mixed(&e, os);
    assert_ok(ia_file_open(&e.cx, os, "/f.lance", 0, &f));
    assert_ok(ia_file_column_load(&e.cx, f, 3, 0, &c));
    assert_ok(ia_file_column_load(&e.cx, f, 3, 1, &c));
    assert_int_equal(ia_file_column_load(&e.cx, f, 3, 2, &c), IA_ERR_CORRUPT);
    assert_non_null(strstr(e.cx.err.text, "column 3: pages hold 150 rows, the file has 300"));
    ia_file_close(f);
    ia_objstore_close(os);
    env_end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_allocation_while_looking_at_a_file_leaks_nothing),
        cmocka_unit_test(a_page_in_an_unknown_encoding_is_shown_as_refused),
        cmocka_unit_test(a_damaged_page_description_is_an_error_that_says_where),
        cmocka_unit_test(names_with_dots_and_list_items_are_found),
        cmocka_unit_test(rows_of_a_page_table_are_checked_whoever_loaded_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
