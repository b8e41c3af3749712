/* test_file_api.c - single data files over the public calls: rows in, rows out, parts of rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inarch/inarch.h"

static char place[64], path[96];

typedef struct text_in {
    const char *text;
    size_t at;
} text_in;

static int64_t read_text(void *dst, size_t cap, void *payload)
{
    text_in *t = payload;
    size_t n = strlen(t->text + t->at);

    n = n < cap ? n : cap;
    n = n < 7 ? n : 7; /* short reads */
    memcpy(dst, t->text + t->at, n);
    t->at += n;
    return (int64_t)n;
}

typedef struct text_out {
    char data[8192];
    size_t n;
} text_out;

static int write_text(const void *data, size_t n, void *payload)
{
    text_out *t = payload;

    if (n >= sizeof t->data - t->n)
        return 1;
    memcpy(t->data + t->n, data, n);
    t->n += n;
    t->data[t->n] = 0;
    return 0;
}

static void ok(inarch_status st)
{
    if (st != INARCH_OK)
        fail_msg("%s: %s", inarch_status_name(st), inarch_last_error());
}

static void refused(inarch_status want, const char *text, inarch_status st)
{
    assert_string_equal(inarch_status_name(st), inarch_status_name(want));
    if (!strstr(inarch_last_error(), text))
        fail_msg("'%s' is not in: %s", text, inarch_last_error());
}

static int setup(void **state)
{
    (void)state;
    snprintf(place, sizeof place, "/tmp/inarch-file-api-XXXXXX");
    if (!mkdtemp(place))
        return -1;
    snprintf(path, sizeof path, "%s/rows.lance", place);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(place);
}

static void write_rows(const char *jsonl)
{
    text_in in = {jsonl, 0};
    struct ArrowArrayStream rows;
    inarch_file_written w;

    unlink(path);
    ok(inarch_data_open(read_text, &in, NULL, NULL, &rows));
    ok(inarch_file_write(path, &rows, NULL, NULL, &w));
    assert_true(w.rows > 0 && w.bytes > 0 && w.columns > 0);
    assert_null(rows.release);
}

static inarch_file *open_rows(void)
{
    inarch_file *f;

    ok(inarch_file_open(path, NULL, &f));
    return f;
}

/* Rows of columns (up to `n`) as JSON lines; take: NULL = all. */
static void expect(inarch_file *f, const char *const *columns, size_t n, const uint64_t *take,
                   size_t n_take, const char *want)
{
    inarch_file_scan_options o = INARCH_FILE_SCAN_OPTIONS_INIT;
    struct ArrowArrayStream rows;
    text_out out = {{0}, 0};

    o.columns = columns;
    o.n_columns = n;
    o.batch_rows = 2;
    ok(take ? inarch_file_take(f, take, n_take, &o, &rows) : inarch_file_scan(f, &o, &rows));
    ok(inarch_data_write(&rows, "jsonl", NULL, write_text, &out));
    assert_string_equal(out.data, want);
}

static const char nested[] =
    "{\"id\":1,\"s\":{\"x\":1,\"t\":{\"y\":\"a\",\"z\":1.5}},\"l\":[{\"u\":1,\"v\":"
    "\"p\"},{\"u\":2,\"v\":null}]}\n"
    "{\"id\":2,\"s\":null,\"l\":[]}\n"
    "{\"id\":3,\"s\":{\"x\":null,\"t\":null},\"l\":null}\n";

static void all_columns_come_back(void **state)
{
    inarch_file *f;

    (void)state;
    write_rows(nested);
    f = open_rows();
    assert_int_equal(inarch_file_rows(f), 3);
    assert_int_equal(inarch_file_minor(f), 1);
    expect(f, NULL, 0, NULL, 0,
           "{\"id\":1,\"s\":{\"x\":1,\"t\":{\"y\":\"a\",\"z\":1.5}},\"l\":[{\"u\":1,\"v\":\"p\"},{"
           "\"u\":2,"
           "\"v\":null}]}\n"
           "{\"id\":2,\"s\":null,\"l\":[]}\n"
           "{\"id\":3,\"s\":{\"x\":null,\"t\":null},\"l\":null}\n");
    inarch_file_close(f);
}

static void nested_fields_keep_what_is_around_them(void **state)
{
    static const char *const one[] = {"s.t.z", "id"}, *const list[] = {"l.v"},
                             *const item[] = {"l.item.u", "s.x", "s.t.y"};
    inarch_file *f;

    (void)state;
    write_rows(nested);
    f = open_rows();
    expect(f, one, 2, NULL, 0,
           "{\"s\":{\"t\":{\"z\":1.5}},\"id\":1}\n{\"s\":null,\"id\":2}\n{\"s\":{\"t\":null},"
           "\"id\":3}\n");
    expect(f, list, 1, NULL, 0, "{\"l\":[{\"v\":\"p\"},{\"v\":null}]}\n{\"l\":[]}\n{\"l\":null}\n");
    expect(f, item, 3, NULL, 0,
           "{\"l\":[{\"u\":1},{\"u\":2}],\"s\":{\"x\":1,\"t\":{\"y\":\"a\"}}}\n"
           "{\"l\":[],\"s\":null}\n{\"l\":null,\"s\":{\"x\":null,\"t\":null}}\n");
    inarch_file_close(f);
}

static void rows_are_taken_in_any_order_and_twice(void **state)
{
    static const char *const id[] = {"id"};
    static const uint64_t some[] = {2, 0, 2, 1, 0}, none[] = {0};
    inarch_file *f;

    (void)state;
    write_rows(nested);
    f = open_rows();
    expect(f, id, 1, some, 5, "{\"id\":3}\n{\"id\":1}\n{\"id\":3}\n{\"id\":2}\n{\"id\":1}\n");
    expect(f, id, 1, none, 0, "");
    inarch_file_close(f);
}

static void a_scan_outlives_its_handle(void **state)
{
    static const char want[] = "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n";
    inarch_file_scan_options o = INARCH_FILE_SCAN_OPTIONS_INIT;
    const char *id = "id";
    struct ArrowArrayStream rows;
    text_out out = {{0}, 0};
    inarch_file *f;

    (void)state;
    write_rows(nested);
    f = open_rows();
    o.columns = &id;
    o.n_columns = 1;
    ok(inarch_file_scan(f, &o, &rows));
    inarch_file_close(f);
    ok(inarch_data_write(&rows, "jsonl", NULL, write_text, &out));
    assert_string_equal(out.data, want);
}

static void wrong_requests_are_refused_with_their_reason(void **state)
{
    static const char *const columns[] = {"nope", "s.nope", "id.x"};
    inarch_file_scan_options o = INARCH_FILE_SCAN_OPTIONS_INIT;
    const uint64_t row = 3;
    struct ArrowArrayStream rows;
    uint8_t byte;
    inarch_file *f, *g;

    (void)state;
    write_rows(nested);
    f = open_rows();
    for (size_t i = 0; i < 3; i++) {
        o.columns = &columns[i];
        o.n_columns = 1;
        refused(INARCH_ERR_NOT_FOUND, columns[i], inarch_file_scan(f, &o, &rows));
        assert_null(rows.release);
    }
    o = (inarch_file_scan_options)INARCH_FILE_SCAN_OPTIONS_INIT;
    refused(INARCH_ERR_INVALID, "row 3", inarch_file_take(f, &row, 1, NULL, &rows));
    o.begin = 2;
    o.end = 1;
    refused(INARCH_ERR_INVALID, "2 to 1", inarch_file_scan(f, &o, &rows));
    o.end = 4;
    refused(INARCH_ERR_INVALID, "3 rows", inarch_file_scan(f, &o, &rows));
    o.struct_size = 1;
    refused(INARCH_ERR_INVALID, "struct_size", inarch_file_scan(f, &o, &rows));
    refused(INARCH_ERR_CORRUPT, "blob", inarch_file_read_blob(f, UINT64_MAX, 1, &byte));
    refused(INARCH_ERR_NOT_FOUND, "none.lance", inarch_file_open("/tmp/none.lance", NULL, &g));
    assert_null(g);
    inarch_file_close(f);
}

static void a_file_is_never_replaced_and_a_failed_write_leaves_nothing(void **state)
{
    text_in good = {"{\"a\":1}\n", 0}, bad = {"{\"a\":1}\n{\"a\":\"x\"}\n", 0};
    inarch_file_write_options o = INARCH_FILE_WRITE_OPTIONS_INIT;
    inarch_data_options few = INARCH_DATA_OPTIONS_INIT;
    struct ArrowArrayStream rows;

    (void)state;
    write_rows(nested);
    ok(inarch_data_open(read_text, &good, NULL, NULL, &rows));
    refused(INARCH_ERR_EXISTS, "rows.lance", inarch_file_write(path, &rows, NULL, NULL, NULL));
    assert_null(rows.release);
    unlink(path);
    few.format = "jsonl";
    refused(INARCH_ERR_INVALID, "data:2", inarch_data_open(read_text, &bad, &few, NULL, &rows));
    good.at = 0;
    ok(inarch_data_open(read_text, &good, NULL, NULL, &rows));
    o.encoding = "rot13";
    refused(INARCH_ERR_INVALID, "rot13", inarch_file_write(path, &rows, &o, NULL, NULL));
    assert_null(rows.release);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void a_description_tells_what_is_stored_and_measures_it(void **state)
{
    inarch_file_describe_options o = INARCH_FILE_DESCRIBE_OPTIONS_INIT;
    inarch_file *f;
    char *text;

    (void)state;
    write_rows(nested);
    f = open_rows();
    ok(inarch_file_describe(f, NULL, &text));
    assert_non_null(strstr(text, "\"path\": \"l.item.u\""));
    assert_non_null(strstr(text, "\"layers\": \"I?"));
    inarch_free(text);
    o.text = true;
    o.measure = true;
    o.pages = true;
    ok(inarch_file_describe(f, &o, &text));
    assert_non_null(strstr(text, "rows: 3"));
    assert_non_null(strstr(text, "s.t.y: string: "));
    assert_non_null(strstr(text, "in memory, ratio"));
    assert_non_null(strstr(text, "buffer 0: "));
    inarch_free(text);
    inarch_file_close(f);
}

static void reads_are_counted(void **state)
{
    uint64_t requests = 0, bytes = 0, rows = 0;
    inarch_file *f;

    (void)state;
    write_rows(nested);
    f = open_rows();
    inarch_file_io(f, &requests, &bytes);
    assert_true(requests >= 1 && bytes >= 40);
    ok(inarch_file_verify(f, &rows));
    assert_int_equal(rows, 3);
    inarch_file_close(f);
}

static void formats_are_told_by_their_start(void **state)
{
    text_in csv = {"id,name\n1,x\n2,\n3,\"\"\n", 0};
    static const char want[] =
        "{\"id\":1,\"name\":\"x\"}\n{\"id\":2,\"name\":null}\n{\"id\":3,\"name\":\"\"}\n";
    struct ArrowArrayStream rows;
    text_out arrow = {{0}, 0}, out = {{0}, 0};

    (void)state;
    ok(inarch_data_open(read_text, &csv, NULL, NULL, &rows));
    ok(inarch_data_write(&rows, "jsonl", NULL, write_text, &out));
    assert_string_equal(out.data, want);
    csv.at = 0;
    ok(inarch_data_open(read_text, &csv, NULL, NULL, &rows));
    ok(inarch_data_write(&rows, "arrow", NULL, write_text, &arrow));
    assert_true(arrow.n > 100);
    csv.at = 0;
    ok(inarch_data_open(read_text, &csv, NULL, NULL, &rows));
    refused(INARCH_ERR_INVALID, "papyrus",
            inarch_data_write(&rows, "papyrus", NULL, write_text, &out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_columns_come_back),
        cmocka_unit_test(nested_fields_keep_what_is_around_them),
        cmocka_unit_test(rows_are_taken_in_any_order_and_twice),
        cmocka_unit_test(a_scan_outlives_its_handle),
        cmocka_unit_test(wrong_requests_are_refused_with_their_reason),
        cmocka_unit_test(a_file_is_never_replaced_and_a_failed_write_leaves_nothing),
        cmocka_unit_test(a_description_tells_what_is_stored_and_measures_it),
        cmocka_unit_test(reads_are_counted),
        cmocka_unit_test(formats_are_told_by_their_start),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
