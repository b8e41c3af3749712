/* test_file_roundtrip.c - what is written comes back: types, nulls, sizes; scans, ranges, takes. */
#include "../base/test_env.h"

#include <stdio.h>

#include "file_io.h"

typedef struct fixture {
    env e;
    ia_objstore *os;
} fixture;

static fixture fix_new(void)
{
    fixture f = {.e = env_new(0)};

    assert_ok(ia_objstore_memory(&f.e.cx, true, &f.os));
    return f;
}

static void fix_end(fixture *f)
{
    ia_objstore_close(f->os);
    env_end(&f->e);
}

#define OK(f, call)                                                                                \
    do {                                                                                           \
        ia_status ok_ = (call);                                                                    \
        if (ok_ != IA_OK)                                                                          \
            fail_msg("%s: %s", #call, (f)->e.cx.err.text);                                         \
    } while (0)

/* Start of row i in a text of one line per row. */
static void index_lines(const ia_buf *text, size_t *starts, size_t rows)
{
    size_t n = 0;

    starts[n++] = 0;
    for (size_t i = 0; i < text->len; i++) {
        if (text->data[i] == '\n')
            starts[n++] = i + 1;
    }
    assert_int_equal(n, rows + 1);
}

static void expect(const char *what, const ia_buf *want, size_t from, size_t to, const ia_buf *have)
{
    if (have->len != to - from ||
        (have->len && memcmp(have->data, want->data + from, have->len) != 0))
        fail_msg("%s: %zu bytes of text instead of %zu, or others", what, have->len, to - from);
}

static void read_back(fixture *f, const char *path, const ia_batch *b, const char *what)
{
    ia_ctx *cx = &f->e.cx;
    size_t rows = (size_t)b->rows, n = 0;
    size_t *starts = ia_calloc(cx, rows + 2, sizeof *starts);
    uint32_t *take = ia_calloc(cx, rows + 1, sizeof *take);
    ia_buf want = {0}, have = {0}, part = {0};
    opened o;

    assert_non_null(starts);
    assert_non_null(take);
    batch_text(cx, b, &want);
    index_lines(&want, starts, rows);
    OK(f, opened_init(cx, f->os, path, &o));
    assert_int_equal(ia_file_rows(o.f), rows);
    OK(f, opened_scan(cx, &o, 0, rows, 0, &have));
    expect(what, &want, 0, want.len, &have);
    ia_buf_clear(&have);
    OK(f, opened_scan(cx, &o, rows / 3, rows - rows / 5, 97, &have));
    expect(what, &want, starts[rows / 3], starts[rows - rows / 5], &have);
    for (size_t step = 1; step < rows + 100; step = step * 5 + 1) {
        n = 0;
        ia_buf_clear(&have);
        ia_buf_clear(&part);
        for (size_t i = step / 3; i < rows; i += 1 + (i * 7919) % step) {
            take[n++] = (uint32_t)i;
            ia_buf_put(cx, &part, want.data + starts[i], starts[i + 1] - starts[i]);
        }
        OK(f, opened_take(cx, &o, take, n, &have));
        expect(what, &part, 0, part.len, &have);
    }
    opened_dispose(&o);
    ia_buf_dispose(&want);
    ia_buf_dispose(&have);
    ia_buf_dispose(&part);
    ia_free(starts);
    ia_free(take);
}

static void one_case(fixture *f, const char *type, int64_t rows, gen_nulls nulls,
                     gen_flavour flavour, uint64_t page)
{
    ia_type *t = gen_type(&f->e.cx, type);
    ia_file_writer_options opt = {.page_bytes = page, .minor = 1 + (uint32_t)rows % 2};
    ia_file_info info;
    ia_batch *b = NULL;
    char what[128];

    snprintf(what, sizeof what, "%s rows=%d nulls=%d flavour=%d page=%d", type, (int)rows,
             (int)nulls, (int)flavour, (int)page);
    assert_non_null(t);
    OK(f, gen_batch(&f->e.cx, t, rows, 11, nulls, flavour, &b));
    OK(f, write_batch(&f->e.cx, f->os, "/f.lance", b, &opt, &info));
    assert_int_equal(info.rows, rows);
    read_back(f, "/f.lance", b, what);
    OK(f, ia_objstore_remove(&f->e.cx, f->os, "/f.lance"));
    ia_batch_release(b);
    ia_type_release(t);
}

static void all_types(int64_t rows, uint64_t page)
{
    fixture f = fix_new();

    for (size_t t = 0; gen_types[t]; t++) {
        for (int nulls = 0; nulls < 4; nulls++)
            one_case(&f, gen_types[t], rows, (gen_nulls)nulls,
                     (gen_flavour)((t + (size_t)nulls + (size_t)rows) % 4), page);
    }
    fix_end(&f);
}

static void no_rows_come_back(void **state)
{
    (void)state;
    all_types(0, 0);
}
static void one_row_comes_back(void **state)
{
    (void)state;
    all_types(1, 0);
}
static void two_rows_come_back(void **state)
{
    (void)state;
    all_types(2, 0);
}
static void a_chunk_less_one_comes_back(void **state)
{
    (void)state;
    all_types(1023, 0);
}
static void a_whole_chunk_comes_back(void **state)
{
    (void)state;
    all_types(1024, 0);
}
static void a_chunk_and_one_come_back(void **state)
{
    (void)state;
    all_types(1025, 0);
}
static void five_thousand_rows_come_back(void **state)
{
    (void)state;
    all_types(5000, 0);
}
static void many_small_pages_come_back(void **state)
{
    (void)state;
    all_types(700, 600);
}

static void seventy_thousand_rows_come_back(void **state)
{
    static const char *const types[] = {
        "bool",   "int32",        "int64",       "double",
        "string", "fsl<float,4>", "list<int32>", "struct<int32,string>"};
    fixture f = fix_new();

    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        one_case(&f, types[t], 70000, (gen_nulls)(t % 2), (gen_flavour)(t % 3), t % 2 ? 50000 : 0);
    fix_end(&f);
}

/* ---- slices, several batches and columns ----------------------------------------------------- */

static void sliced_batches_append_to_one_file(void **state)
{
    fixture f = fix_new();
    ia_ctx *cx = &f.e.cx;

    (void)state;
    for (size_t t = 0; gen_types[t]; t++) {
        ia_type *type = gen_type(cx, gen_types[t]);
        ia_file_writer *w = NULL;
        ia_file_info info;
        ia_lschema ls = {0};
        ia_batch *b = NULL;

        OK(&f, gen_batch(cx, type, 400, 3, NULLS_SOME, (gen_flavour)(t % 4), &b));
        OK(&f, ia_lschema_from_arrow(cx, b->schema, 5, &ls));
        OK(&f, ia_file_writer_open(cx, f.os, "/s.lance", b->schema, &ls, NULL, &w));
        for (int64_t at = 0; at < 400;) {
            int64_t n = at % 7 * 20 + 13;
            ia_batch *part = NULL;

            n = n < 400 - at ? n : 400 - at;
            OK(&f, ia_batch_slice(cx, b, at, n, &part));
            OK(&f, ia_file_writer_write(cx, w, part));
            ia_batch_release(part);
            at += n;
        }
        OK(&f, ia_file_writer_finish(cx, w, 0, &info));
        ia_file_writer_close(w);
        read_back(&f, "/s.lance", b, gen_types[t]);
        OK(&f, ia_objstore_remove(cx, f.os, "/s.lance"));
        ia_lschema_dispose(&ls);
        ia_batch_release(b);
        ia_type_release(type);
    }
    fix_end(&f);
}

/* Two columns; only what a reader asks for is read, and under the class it names. */
static void a_column_that_is_not_asked_for_is_not_read(void **state)
{
    fixture f = fix_new();
    ia_ctx *cx = &f.e.cx;
    ia_objstore *counting = NULL;
    ia_type *wide = gen_type(cx, "fsl<float,128>");
    ia_batch *a = NULL, *b = NULL, *both = NULL;
    ia_schema *s = NULL;
    ia_field fields[2];
    ia_array *cols[2];
    ia_io_counts c;
    ia_file_info info;
    ia_buf out = {0};
    opened o;

    (void)state;
    OK(&f, ia_objstore_counting(cx, f.os, &counting));
    OK(&f, gen_batch(cx, ia_type_basic(IA_TYPE_I64), 3000, 1, NULLS_NONE, GEN_WIDE, &a));
    OK(&f, gen_batch(cx, wide, 3000, 1, NULLS_NONE, GEN_WIDE, &b));
    fields[0] = a->schema->fields[0];
    fields[0].name = (char *)"id";
    fields[1] = b->schema->fields[0];
    cols[0] = ia_array_retain(a->cols[0]);
    cols[1] = ia_array_retain(b->cols[0]);
    OK(&f, ia_schema_new(cx, fields, 2, &s));
    OK(&f, ia_batch_make(cx, s, 3000, cols, &both));
    OK(&f, write_batch(cx, f.os, "/w.lance", both, NULL, &info));
    assert_int_equal(info.columns, 2);
    OK(&f, opened_init(cx, counting, "/w.lance", &o));
    o.cols[0].cls = IA_IO_KEY;
    o.s->n_fields = 1;
    OK(&f, opened_scan(cx, &o, 0, 3000, 0, &out));
    ia_objstore_counts(counting, &c);
    assert_int_equal(c.read_bytes[IA_IO_PAYLOAD], 0);
    assert_in_range(c.read_bytes[IA_IO_KEY], 1, 3000 * 8 + 4096);
    o.s->n_fields = 2;
    OK(&f, opened_take(cx, &o, ((uint32_t[]){5, 2900}), 2, &out));
    ia_objstore_counts(counting, &c);
    assert_in_range(c.read_bytes[IA_IO_PAYLOAD], 512, 2 * 512); /* the last row lies in the tail */
    opened_dispose(&o);
    ia_buf_dispose(&out);
    ia_batch_release(a);
    ia_batch_release(b);
    ia_batch_release(both);
    ia_schema_release(s);
    ia_type_release(wide);
    ia_objstore_close(counting);
    fix_end(&f);
}

static void a_missing_column_reads_as_null(void **state)
{
    fixture f = fix_new();
    ia_ctx *cx = &f.e.cx;
    ia_type *t = gen_type(cx, "struct<int32,string>");
    int32_t leaves[] = {0, -1}, none[] = {-1, -1};
    ia_file_column cols[2];
    ia_array *out[2];
    ia_batch *b = NULL;
    ia_file_info info;
    opened o;

    (void)state;
    OK(&f, gen_batch(cx, t, 50, 1, NULLS_NONE, GEN_WIDE, &b));
    OK(&f, write_batch(cx, f.os, "/m.lance", b, NULL, &info));
    OK(&f, opened_init(cx, f.os, "/m.lance", &o));
    cols[0] = o.cols[0];
    cols[0].leaf_columns = leaves;
    cols[1] = o.cols[0];
    cols[1].leaf_columns = none;
    OK(&f, ia_file_take(cx, o.f, cols, 2, ((uint32_t[]){0, 49}), 2, out));
    assert_int_equal(out[0]->null_count, 0);
    assert_int_equal(out[0]->children[0]->null_count, 0);
    assert_int_equal(out[0]->children[1]->null_count, 2);
    assert_int_equal(out[1]->null_count, 2);
    ia_array_release(out[0]);
    ia_array_release(out[1]);
    opened_dispose(&o);
    ia_batch_release(b);
    ia_type_release(t);
    fix_end(&f);
}

/* ---- refusals ---------------------------------------------------------------------------------
 */

static void a_null_where_none_is_allowed_names_column_and_row(void **state)
{
    fixture f = fix_new();
    ia_ctx *cx = &f.e.cx;
    ia_field field = {.name = (char *)"age", .type = ia_type_basic(IA_TYPE_I32)};
    ia_builder bu = {0};
    ia_schema *s = NULL;
    ia_array *col = NULL;
    ia_batch *b = NULL;
    ia_file_info info;

    (void)state;
    OK(&f, ia_builder_init(cx, &bu, field.type));
    for (int i = 0; i < 20; i++) {
        if (i == 17)
            ia_builder_null(cx, &bu);
        else
            ia_builder_i64(cx, &bu, i);
    }
    OK(&f, ia_builder_finish(cx, &bu, &col));
    ia_builder_dispose(&bu);
    OK(&f, ia_schema_new(cx, &field, 1, &s));
    OK(&f, ia_batch_make(cx, s, 20, &col, &b));
    assert_fails(write_batch(cx, f.os, "/n.lance", b, NULL, &info), IA_ERR_INVALID);
    assert_non_null(strstr(cx->err.text, "'age'"));
    assert_non_null(strstr(cx->err.text, "row 17"));
    assert_false(ia_objstore_exists(cx, f.os, "/n.lance"));
    ia_batch_release(b);
    ia_schema_release(s);
    fix_end(&f);
}

static void a_wrong_size_is_corrupt_and_names_the_file(void **state)
{
    fixture f = fix_new();
    ia_ctx *cx = &f.e.cx;
    ia_batch *b = NULL;
    ia_file_info info;
    ia_file *file;

    (void)state;
    OK(&f, gen_batch(cx, ia_type_basic(IA_TYPE_I32), 10, 1, NULLS_NONE, GEN_WIDE, &b));
    OK(&f, write_batch(cx, f.os, "/z.lance", b, NULL, &info));
    assert_fails(ia_file_open(cx, f.os, "/z.lance", info.size + 1, &file), IA_ERR_CORRUPT);
    assert_non_null(strstr(cx->err.text, "/z.lance"));
    OK(&f, ia_file_open(cx, f.os, "/z.lance", info.size, &file));
    ia_file_close(file);
    assert_fails(ia_file_open(cx, f.os, "/none.lance", 0, &file), IA_ERR_NOT_FOUND);
    ia_batch_release(b);
    fix_end(&f);
}

static void an_unfinished_file_leaves_nothing(void **state)
{
    fixture f = fix_new();
    ia_ctx *cx = &f.e.cx;
    ia_type *t = gen_type(cx, "fsl<float,128>");
    ia_lschema ls = {0};
    ia_file_writer *w = NULL;
    ia_batch *b = NULL;

    (void)state;
    OK(&f, gen_batch(cx, t, 6000, 1, NULLS_NONE, GEN_SMALL, &b)); /* more than is kept pending */
    OK(&f, ia_lschema_from_arrow(cx, b->schema, 0, &ls));
    OK(&f, ia_file_writer_open(cx, f.os, "/u.lance", b->schema, &ls,
                               &(ia_file_writer_options){.page_bytes = 100000}, &w));
    OK(&f, ia_file_writer_write(cx, w, b));
    ia_file_writer_close(w);
    assert_false(ia_objstore_exists(cx, f.os, "/u.lance"));
    ia_lschema_dispose(&ls);
    ia_batch_release(b);
    ia_type_release(t);
    fix_end(&f);
}

static void a_small_file_is_one_write(void **state)
{
    fixture f = fix_new();
    ia_ctx *cx = &f.e.cx;
    ia_objstore *counting = NULL;
    ia_batch *b = NULL;
    ia_file_info info;
    ia_io_counts c;

    (void)state;
    OK(&f, ia_objstore_counting(cx, f.os, &counting));
    OK(&f, gen_batch(cx, ia_type_basic(IA_TYPE_STRING), 1, 1, NULLS_NONE, GEN_WIDE, &b));
    OK(&f, write_batch(cx, counting, "/one.lance", b, NULL, &info));
    ia_objstore_counts(counting, &c);
    assert_int_equal(c.writes, 1);
    assert_in_range(info.size, 100, 600);
    ia_batch_release(b);
    ia_objstore_close(counting);
    fix_end(&f);
}

/* A page of many wide rows is read by ranges: memory stays far below the page. */
static void a_wide_page_is_not_read_whole(void **state)
{
    fixture f = fix_new();
    ia_ctx *cx = &f.e.cx;
    ia_type *t = gen_type(cx, "fsl<float,128>");
    ia_budget *small = NULL;
    ia_batch *b = NULL;
    ia_file_info info;
    ia_file_scan *s = NULL;
    ia_array *out[1];
    uint64_t rows, total = 0;
    ia_ctx tight;
    opened o;

    (void)state;
    OK(&f, gen_batch(cx, t, 30000, 1, NULLS_NONE, GEN_SMALL, &b));
    OK(&f, write_batch(cx, f.os, "/p.lance", b, &(ia_file_writer_options){.page_bytes = 1u << 30},
                       &info));
    OK(&f, opened_init(cx, f.os, "/p.lance", &o));
    small = ia_budget_new(NULL, 4u << 20);
    ia_ctx_init(&tight, small);
    OK(&f, ia_file_scan_open(&tight, o.f, o.cols, 1, 0, 30000, 1000, &s));
    do {
        OK(&f, ia_file_scan_next(&tight, s, out, &rows));
        total += rows;
        ia_array_release(out[0]);
    } while (rows);
    assert_int_equal(total, 30000);
    ia_file_scan_close(s);
    opened_dispose(&o);
    assert_int_equal(ia_budget_used(small), 0);
    ia_budget_drop(small);
    ia_batch_release(b);
    ia_type_release(t);
    fix_end(&f);
}

/* A row whose list alone has more empty lists than a chunk may name. */
static void a_row_of_many_empty_lists_comes_back(void **state)
{
    fixture f = fix_new();
    ia_ctx *cx = &f.e.cx;
    ia_type *t = gen_type(cx, "list<list<int32>>");
    ia_field field = {.name = (char *)"c", .type = t, .nullable = true};
    ia_builder bu = {0};
    ia_schema *s = NULL;
    ia_array *col = NULL;
    ia_batch *b = NULL;
    ia_file_info info;

    (void)state;
    OK(&f, ia_builder_init(cx, &bu, t));
    for (int row = 0; row < 5; row++) {
        for (int i = 0; row == 2 && i < 100000; i++)
            ia_builder_end_list(cx, &bu.children[0]);
        ia_builder_i64(cx, &bu.children[0].children[0], row);
        ia_builder_end_list(cx, &bu.children[0]);
        ia_builder_end_list(cx, &bu);
    }
    OK(&f, ia_builder_finish(cx, &bu, &col));
    ia_builder_dispose(&bu);
    OK(&f, ia_schema_new(cx, &field, 1, &s));
    OK(&f, ia_batch_make(cx, s, 5, &col, &b));
    OK(&f, write_batch(cx, f.os, "/e.lance", b, NULL, &info));
    read_back(&f, "/e.lance", b, "empty lists");
    ia_batch_release(b);
    ia_schema_release(s);
    ia_type_release(t);
    fix_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_rows_come_back),
        cmocka_unit_test(one_row_comes_back),
        cmocka_unit_test(two_rows_come_back),
        cmocka_unit_test(a_chunk_less_one_comes_back),
        cmocka_unit_test(a_whole_chunk_comes_back),
        cmocka_unit_test(a_chunk_and_one_come_back),
        cmocka_unit_test(five_thousand_rows_come_back),
        cmocka_unit_test(many_small_pages_come_back),
        cmocka_unit_test(seventy_thousand_rows_come_back),
        cmocka_unit_test(sliced_batches_append_to_one_file),
        cmocka_unit_test(a_column_that_is_not_asked_for_is_not_read),
        cmocka_unit_test(a_missing_column_reads_as_null),
        cmocka_unit_test(a_null_where_none_is_allowed_names_column_and_row),
        cmocka_unit_test(a_wrong_size_is_corrupt_and_names_the_file),
        cmocka_unit_test(an_unfinished_file_leaves_nothing),
        cmocka_unit_test(a_small_file_is_one_write),
        cmocka_unit_test(a_wide_page_is_not_read_whole),
        cmocka_unit_test(a_row_of_many_empty_lists_comes_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
