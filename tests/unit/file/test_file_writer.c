/* test_file_writer.c - the writer beyond round trips: hints, refusals, threads, memory. */
#include "../base/test_env.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "file/write_priv.h"
#include "file_io.h"

typedef struct fixture {
    env e;
    ia_objstore *os;
} fixture;

static fixture fix_new(uint64_t limit)
{
    fixture f = {.e = env_new(limit)};

    assert_ok(ia_objstore_memory(&f.e.cx, true, &f.os));
    return f;
}

static void fix_end(fixture *f)
{
    ia_objstore_close(f->os);
    env_end(&f->e);
}

/* One column "c" of generated values with field metadata (NULL = none). */
static ia_batch *column(ia_ctx *cx, const char *type, int64_t rows, uint64_t seed, gen_nulls nulls,
                        gen_flavour flavour, const char *key, const char *value)
{
    ia_type *t = gen_type(cx, type);
    ia_kv kv = {.key = (char *)(uintptr_t)key, .value = (char *)(uintptr_t)value};
    ia_field field = {.name = (char *)"c",
                      .type = t,
                      .nullable = true,
                      .metadata = &kv,
                      .n_metadata = key ? 1 : 0};
    ia_batch *b = NULL, *out = NULL;
    ia_schema *s = NULL;
    ia_array *col;

    assert_non_null(t);
    assert_ok(gen_batch(cx, t, rows, seed, nulls, flavour, &b));
    assert_ok(ia_schema_new(cx, &field, 1, &s));
    col = ia_array_retain(b->cols[0]);
    assert_ok(ia_batch_make(cx, s, rows, &col, &out));
    ia_batch_release(b);
    ia_schema_release(s);
    ia_type_release(t);
    return out;
}

/* ---- hints ---------------------------------------------------------------------------------- */

static void refused_hint(const char *key, const char *value)
{
    env e = env_new(0);
    ia_kv kv = {.key = (char *)(uintptr_t)key, .value = (char *)(uintptr_t)value};
    ia_field f = {.name = (char *)"price",
                  .type = ia_type_basic(IA_TYPE_I32),
                  .metadata = &kv,
                  .n_metadata = 1};
    ia_hints h;

    assert_fails(ia_hints_of(&e.cx, &f, NULL, &h), IA_ERR_INVALID);
    assert_non_null(strstr(e.cx.err.text, "'price'"));
    assert_non_null(strstr(e.cx.err.text, key));
    assert_non_null(strstr(e.cx.err.text, value));
    env_end(&e);
}

static void a_bad_hint_names_column_key_and_value(void **state)
{
    (void)state;
    refused_hint("lance-encoding:compression", "ZSTD");
    refused_hint("lance-encoding:compression-level", "x");
    refused_hint("lance-encoding:rle-threshold", "1.5");
    refused_hint("lance-encoding:rle-threshold", "-1");
    refused_hint("lance-encoding:bss", "maybe");
    refused_hint("lance-encoding:structural-encoding", "foo");
    refused_hint("lance-encoding:minichunk-size", "0");
    refused_hint("lance-encoding:dict-divisor", "2x");
    refused_hint("lance-encoding:dict-size-ratio", "much");
    refused_hint("lance-encoding:dict-values-compression", "fsst");
}

static void field_metadata_wins_over_the_options(void **state)
{
    env e = env_new(0);
    ia_kv kv[] = {{.key = (char *)"lance-encoding:compression", .value = (char *)"zstd"},
                  {.key = (char *)"lance-encoding:compression-level", .value = (char *)"3"},
                  {.key = (char *)"lance-encoding:dict-size-ratio", .value = (char *)"0.25"},
                  {.key = (char *)"other", .value = (char *)"anything"}};
    ia_field f = {
        .name = (char *)"c", .type = ia_type_basic(IA_TYPE_I32), .metadata = kv, .n_metadata = 4};
    ia_file_writer_options o = {.encoding = "fullzip", .compression = "lz4", .chunk_bytes = 512};
    ia_hints h;

    (void)state;
    assert_ok(ia_hints_of(&e.cx, &f, &o, &h));
    assert_int_equal(h.compression, IA_HINT_ZSTD);
    assert_int_equal(h.level, 3);
    assert_int_equal(h.structural, IA_HINT_FULLZIP);
    assert_int_equal(h.chunk_bytes, 512);
    assert_true(h.dict_size_ratio > 0.2499 && h.dict_size_ratio < 0.2501);
    o.encoding = "quick";
    assert_fails(ia_hints_of(&e.cx, &f, &o, &h), IA_ERR_INVALID);
    assert_non_null(strstr(e.cx.err.text, "'quick'"));
    env_end(&e);
}

/* ---- types ---------------------------------------------------------------------------------- */

static void differ(const char *what, const ia_buf *want, const ia_buf *have)
{
    size_t i = 0, line = 0;

    for (; i < want->len && i < have->len && want->data[i] == have->data[i]; i++)
        line += want->data[i] == '\n';
    fail_msg("%s: row %zu comes back otherwise: ...%.60s, not ...%.60s", what, line,
             (const char *)have->data + (i > 20 ? i - 20 : 0),
             (const char *)want->data + (i > 20 ? i - 20 : 0));
}

static void expect_back(fixture *f, const char *path, const ia_batch *b, const char *what)
{
    ia_ctx *cx = &f->e.cx;
    ia_buf want = {0}, have = {0};
    opened o;

    if (opened_init(cx, f->os, path, &o) != IA_OK ||
        opened_scan(cx, &o, 0, (uint64_t)b->rows, 333, &have) != IA_OK)
        fail_msg("%s: %s", what, cx->err.text);
    batch_text(cx, b, &want);
    if (want.len != have.len || memcmp(want.data, have.data, want.len) != 0)
        differ(what, &want, &have);
    opened_dispose(&o);
    ia_buf_dispose(&want);
    ia_buf_dispose(&have);
}

static void write_and_expect(fixture *f, const ia_batch *b, uint32_t minor, uint64_t page_bytes,
                             const char *what)
{
    ia_file_writer_options o = {.minor = minor, .page_bytes = page_bytes};
    ia_file_info info;

    if (ia_objstore_exists(&f->e.cx, f->os, "/t.lance"))
        assert_ok(ia_objstore_remove(&f->e.cx, f->os, "/t.lance"));
    if (write_batch(&f->e.cx, f->os, "/t.lance", b, &o, &info) != IA_OK)
        fail_msg("%s: %s", what, f->e.cx.err.text);
    expect_back(f, "/t.lance", b, what);
}

static void maps_and_lists_of_structs_of_2_2_come_back(void **state)
{
    static const char *const types[] = {
        "map<string,int32>",           "map<int32,list<string>>",
        "list<map<int32,double>>",     "struct<map<string,bool>,int8>",
        "fsl<struct<int32,string>,3>", "fsl<struct<fsl<float,2>,fsl<struct<bool>,2>>,3>"};
    fixture f = fix_new(0);

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        for (int nulls = NULLS_NONE; nulls <= NULLS_ALL; nulls++) {
            for (int flavour = GEN_SMALL; flavour <= GEN_LONG; flavour++) { /* full-zip, too */
                ia_batch *b = column(&f.e.cx, types[i], flavour == GEN_LONG ? 90 : 500, i,
                                     (gen_nulls)nulls, (gen_flavour)flavour, NULL, NULL);

                write_and_expect(&f, b, 2, 0, types[i]);
                write_and_expect(&f, b, 2, 900, types[i]);
                ia_batch_release(b);
            }
        }
    }
    fix_end(&f);
}

static void packed_structs_come_back(void **state)
{
    static const struct {
        const char *type, *key;
        uint32_t minor;
    } cases[] = {{"struct<int32,double,int8>", "lance-encoding:packed", 1},
                 {"struct<int32,double,int8>", "lance-encoding:packed", 2},
                 {"struct<int32,string,fsl<float,3>>", "lance-encoding:packed", 2}};
    fixture f = fix_new(0);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ia_batch *b =
            column(&f.e.cx, cases[i].type, 500, i, NULLS_NONE, GEN_WIDE, cases[i].key, "true");

        write_and_expect(&f, b, cases[i].minor, 0, cases[i].type);
        write_and_expect(&f, b, cases[i].minor, 700, cases[i].type);
        ia_batch_release(b);
    }
    fix_end(&f);
}

/* The scan gives descriptors; what they name must be the value. */
static void expect_blobs(fixture *f, const char *path, const ia_array *want)
{
    ia_ctx *cx = &f->e.cx;
    ia_file_scan *s = NULL;
    ia_array *have = NULL;
    uint64_t rows = 0;
    uint8_t bytes[4096];
    opened o;

    assert_ok(opened_init(cx, f->os, path, &o));
    assert_ok(ia_file_scan_open(cx, o.f, o.cols, 1, 0, (uint64_t)want->length,
                                (uint32_t)want->length, &s));
    assert_ok(ia_file_scan_next(cx, s, &have, &rows));
    assert_int_equal(rows, want->length);
    for (int64_t i = 0; i < want->length; i++) {
        ia_view v;
        uint64_t pos, size;

        assert_int_equal(ia_array_valid(have, i), ia_array_valid(want, i));
        if (!ia_array_valid(want, i))
            continue;
        v = ia_array_str(want, i);
        pos = ia_array_u64(have->children[0], have->offset + i);
        size = ia_array_u64(have->children[1], have->offset + i);
        assert_int_equal(size, v.len);
        assert_true(!size || pos % 64 == 0);
        assert_ok(ia_file_read_blob(cx, o.f, pos, size, bytes));
        assert_memory_equal(bytes, v.data, v.len);
    }
    ia_array_release(have);
    ia_file_scan_close(s);
    opened_dispose(&o);
}

static void blobs_are_found_through_their_descriptors(void **state)
{
    fixture f = fix_new(0);

    (void)state;
    for (uint32_t minor = 1; minor <= 2; minor++) {
        for (int nulls = NULLS_NONE; nulls <= NULLS_ALL; nulls++) {
            ia_batch *b = column(&f.e.cx, "large_binary", 300, minor, (gen_nulls)nulls, GEN_LONG,
                                 "lance-encoding:blob", "true");
            ia_file_writer_options o = {.minor = minor, .page_bytes = minor == 1 ? 0 : 700};
            ia_file_info info;

            assert_ok(write_batch(&f.e.cx, f.os, "/b.lance", b, &o, &info));
            expect_blobs(&f, "/b.lance", b->cols[0]);
            assert_ok(ia_objstore_remove(&f.e.cx, f.os, "/b.lance"));
            ia_batch_release(b);
        }
    }
    fix_end(&f);
}

static void refused(const char *type, gen_nulls nulls, const char *key, uint32_t minor,
                    ia_status code, const char *word)
{
    fixture f = fix_new(0);
    ia_batch *b = column(&f.e.cx, type, 60, 3, nulls, GEN_SMALL, key, "true");
    ia_file_writer_options o = {.minor = minor};
    ia_file_info info;

    assert_fails(write_batch(&f.e.cx, f.os, "/t.lance", b, &o, &info), code);
    if (!strstr(f.e.cx.err.text, word) || !strstr(f.e.cx.err.text, "'c'"))
        fail_msg("'%s' does not say '%s'", f.e.cx.err.text, word);
    assert_false(ia_objstore_exists(&f.e.cx, f.os, "/t.lance"));
    ia_batch_release(b);
    fix_end(&f);
}

static void what_a_version_does_not_have_is_refused_by_name(void **state)
{
    (void)state;
    refused("map<string,int32>", NULLS_NONE, NULL, 1, IA_ERR_UNSUPPORTED, "2.2");
    refused("fsl<struct<int32>,2>", NULLS_NONE, NULL, 1, IA_ERR_UNSUPPORTED, "2.2");
    refused("struct<int32,string>", NULLS_NONE, "lance-encoding:packed", 1, IA_ERR_UNSUPPORTED,
            "2.2");
    refused("struct<int32,list<int32>>", NULLS_NONE, "lance-encoding:packed", 2, IA_ERR_UNSUPPORTED,
            "packed struct");
    refused("struct<int32,bool>", NULLS_NONE, "lance-encoding:packed", 2, IA_ERR_UNSUPPORTED,
            "whole bytes");
    refused("list<fsl<struct<int32>,2>>", NULLS_NONE, NULL, 2, IA_ERR_UNSUPPORTED, "lists");
    refused("string", NULLS_NONE, "lance-encoding:blob", 1, IA_ERR_UNSUPPORTED, "large_binary");
    refused("struct<int32,int8>", NULLS_SOME, "lance-encoding:packed", 1, IA_ERR_INVALID,
            "cannot be null");
}

/* ---- nulls that are not allowed -------------------------------------------------------------- */

static void a_null_deep_inside_names_column_path_and_row(void **state)
{
    fixture f = fix_new(0);
    ia_ctx *cx = &f.e.cx;
    ia_field leaf = {.name = (char *)"size", .type = ia_type_basic(IA_TYPE_I32)};
    ia_field top = {.name = (char *)"parts", .nullable = true};
    ia_type *item = NULL;
    ia_builder bu = {0};
    ia_schema *s = NULL;
    ia_array *col = NULL;
    ia_batch *b = NULL;
    ia_file_info info;

    (void)state;
    assert_ok(ia_type_struct(cx, &leaf, 1, &item));
    assert_ok(ia_type_list(cx, IA_TYPE_LIST, 0, "item", item, true, &top.type));
    assert_ok(ia_builder_init(cx, &bu, top.type));
    for (int row = 0; row < 40; row++) {
        for (int k = 0; k < row % 4; k++) {
            if (row == 31 && k == 2)
                ia_builder_null(cx, &bu.children[0].children[0]);
            else
                ia_builder_i64(cx, &bu.children[0].children[0], row);
            ia_builder_end_struct(cx, &bu.children[0]);
        }
        ia_builder_end_list(cx, &bu);
    }
    assert_ok(ia_builder_finish(cx, &bu, &col));
    assert_ok(ia_schema_new(cx, &top, 1, &s));
    assert_ok(ia_batch_make(cx, s, 40, &col, &b));
    assert_fails(write_batch(cx, f.os, "/n.lance", b, NULL, &info), IA_ERR_INVALID);
    assert_non_null(strstr(cx->err.text, "'parts'"));
    assert_non_null(strstr(cx->err.text, "'item.size'"));
    assert_non_null(strstr(cx->err.text, "row 31"));
    ia_builder_dispose(&bu);
    ia_batch_release(b);
    ia_schema_release(s);
    ia_type_release(item);
    ia_type_release(top.type);
    fix_end(&f);
}

/* ---- dictionaries --------------------------------------------------------------------------- */

/* Rows start..start+n of a column of `first` + row % `distinct`, by a dictionary of its own. */
static ia_array *dictionary(ia_ctx *cx, const ia_type *t, int64_t n, int first, int distinct)
{
    ia_builder values = {0}, index = {0};
    ia_array *v = NULL, *i = NULL, *out = NULL;
    char text[24];

    assert_ok(ia_builder_init(cx, &values, t->children[1].type));
    assert_ok(ia_builder_init(cx, &index, t->children[0].type));
    for (int k = 0; k < distinct; k++) {
        snprintf(text, sizeof text, "value %d", first + k);
        ia_builder_str(cx, &values, text, strlen(text));
    }
    ia_builder_null(cx, &values);
    for (int64_t k = 0; k < n; k++) {
        if (k % 11 == 5)
            ia_builder_null(cx, &index);
        else
            ia_builder_i64(cx, &index, k % 13 == 7 ? distinct : k % distinct);
    }
    assert_ok(ia_builder_finish(cx, &values, &v));
    assert_ok(ia_builder_finish(cx, &index, &i));
    assert_ok(ia_array_make(cx, t, n, i->null_count, ia_buffer_retain(i->bufs[0]),
                            ia_buffer_retain(i->bufs[1]), NULL, &v, 1, &out));
    ia_array_release(i);
    ia_builder_dispose(&values);
    ia_builder_dispose(&index);
    return out;
}

static void batches_of_other_dictionaries_share_pages_as_far_as_indices_reach(void **state)
{
    fixture f = fix_new(0);
    ia_ctx *cx = &f.e.cx;
    ia_type *t = gen_type(cx, "dict<int8,string>");
    ia_field field = {.name = (char *)"c", .type = t, .nullable = true};
    ia_schema *s = NULL;
    ia_lschema ls = {0};
    ia_file_writer *w = NULL;
    ia_file_info info;
    ia_buf want = {0}, have = {0};
    opened o;

    (void)state;
    assert_ok(ia_schema_new(cx, &field, 1, &s));
    assert_ok(ia_lschema_from_arrow(cx, s, 0, &ls));
    assert_string_equal(ls.fields[0].logical_type, "dict:string:int8:false");
    assert_ok(ia_file_writer_open(cx, f.os, "/d.lance", s, &ls, NULL, &w));
    for (int k = 0; k < 6; k++) { /* 50 new values each: int8 numbers 128 */
        ia_array *col = dictionary(cx, t, 300, k * 50, 60);
        ia_batch *b = NULL;

        assert_ok(ia_batch_make(cx, s, 300, &col, &b));
        assert_ok(ia_file_writer_write(cx, w, b));
        for (int64_t i = 0; i < 300; i++) {
            if (i % 11 != 5 && i % 13 == 7)
                ia_buf_puts(cx, &want, "null\n");
            else {
                gen_text(cx, &want, b->cols[0], i);
                ia_buf_putc(cx, &want, '\n');
            }
        }
        ia_batch_release(b);
    }
    assert_ok(ia_file_writer_finish(cx, w, 0, &info));
    ia_file_writer_close(w);
    assert_ok(opened_init(cx, f.os, "/d.lance", &o));
    assert_ok(opened_scan(cx, &o, 0, 1800, 500, &have));
    assert_int_equal(want.len, have.len);
    assert_memory_equal(want.data, have.data, want.len);
    opened_dispose(&o);
    ia_buf_dispose(&want);
    ia_buf_dispose(&have);
    ia_lschema_dispose(&ls);
    ia_schema_release(s);
    ia_type_release(t);
    fix_end(&f);
}

/* ---- threads and memory --------------------------------------------------------------------- */

/* The first n of several columns; one has blobs, the last has rows of many thousand items. */
static ia_batch *many_columns(ia_ctx *cx, int64_t rows, size_t n)
{
    static const char *const types[] = {"int64",         "string",           "large_binary",
                                        "fsl<float,64>", "list<string>",     "struct<int32,string>",
                                        "bool",          "list<list<int32>>"};
    enum { N = sizeof types / sizeof *types };
    ia_kv blob = {.key = (char *)"lance-encoding:blob", .value = (char *)"true"};
    ia_field fields[N] = {{0}};
    ia_array *cols[N] = {0};
    char names[N][2] = {{0}};
    ia_schema *s = NULL;
    ia_batch *out = NULL;

    for (size_t i = 0; i < n; i++) {
        ia_batch *b =
            column(cx, types[i], rows, i, i % 2 ? NULLS_SOME : NULLS_NONE, GEN_WIDE, NULL, NULL);

        names[i][0] = (char)('a' + (int)i);
        fields[i] = (ia_field){.name = names[i],
                               .type = b->schema->fields[0].type,
                               .nullable = true,
                               .metadata = &blob,
                               .n_metadata = i == 2};
        ia_type_retain(fields[i].type);
        cols[i] = ia_array_retain(b->cols[0]);
        ia_batch_release(b);
    }
    assert_ok(ia_schema_new(cx, fields, n, &s));
    assert_ok(ia_batch_make(cx, s, rows, cols, &out));
    for (size_t i = 0; i < n; i++)
        ia_type_release(fields[i].type);
    ia_schema_release(s);
    return out;
}

static void the_bytes_do_not_depend_on_the_threads(void **state)
{
    fixture f = fix_new(0);
    ia_ctx *cx = &f.e.cx;
    ia_batch *b = many_columns(cx, 1500, 8);
    ia_bytes want = {0}, have = {0};
    ia_file_info info;

    (void)state;
    for (uint32_t minor = 1; minor <= 2; minor++) {
        ia_file_writer_options one = {.minor = minor, .page_bytes = 4000};

        assert_ok(write_batch(cx, f.os, "/t.lance", b, &one, &info));
        assert_ok(ia_objstore_get(cx, f.os, "/t.lance", &want));
        for (uint32_t threads = 2; threads <= 5; threads += 3) {
            ia_file_writer_options o = {.minor = minor, .page_bytes = 4000, .threads = threads};

            assert_ok(ia_objstore_remove(cx, f.os, "/t.lance"));
            assert_ok(write_batch(cx, f.os, "/t.lance", b, &o, &info));
            assert_ok(ia_objstore_get(cx, f.os, "/t.lance", &have));
            assert_int_equal(have.len, want.len);
            assert_memory_equal(have.data, want.data, want.len);
            ia_bytes_dispose(&have);
        }
        ia_bytes_dispose(&want);
        assert_ok(ia_objstore_remove(cx, f.os, "/t.lance"));
    }
    ia_batch_release(b);
    fix_end(&f);
}

static void a_cancelled_write_with_threads_ends(void **state)
{
    fixture f = fix_new(0);
    ia_ctx *cx = &f.e.cx;
    ia_batch *b = many_columns(cx, 800, 8);
    ia_file_writer_options o = {.page_bytes = 2000, .threads = 3};
    ia_file_info info;
    atomic_bool stop = true;

    (void)state;
    cx->cancel = &stop;
    assert_fails(write_batch(cx, f.os, "/t.lance", b, &o, &info), IA_ERR_CANCELLED);
    cx->cancel = NULL;
    assert_false(ia_objstore_exists(cx, f.os, "/t.lance"));
    ia_batch_release(b);
    fix_end(&f);
}

/* A directory on disk: files in memory would count. */
static void place(fixture *f, char *path, size_t n)
{
    char dir[] = "/tmp/inarch-file-writer-XXXXXX";

    assert_non_null(mkdtemp(dir));
    snprintf(path, n, "%s/m.lance", dir);
    ia_objstore_close(f->os);
    assert_ok(ia_objstore_local(&f->e.cx, &f->os));
}

static void leave(fixture *f, char *path)
{
    assert_ok(ia_objstore_remove(&f->e.cx, f->os, path));
    *strrchr(path, '/') = 0;
    assert_int_equal(rmdir(path), 0);
}

/* Writes `times` the same batch under a budget of its own; returns the most it held. */
static uint64_t write_many(fixture *f, const char *path, const ia_batch *b, int times,
                           uint64_t limit, const ia_file_writer_options *o, uint64_t *size)
{
    ia_budget *budget = ia_budget_new(f->e.budget, limit);
    ia_file_writer *w = NULL;
    ia_lschema ls = {0};
    ia_file_info info;
    uint64_t peak;
    ia_ctx cx;

    ia_ctx_init(&cx, budget);
    assert_ok(ia_lschema_from_arrow(&f->e.cx, b->schema, 0, &ls));
    assert_ok(ia_file_writer_open(&cx, f->os, path, b->schema, &ls, o, &w));
    for (int i = 0; i < times; i++) {
        if (ia_file_writer_write(&cx, w, b) != IA_OK)
            fail_msg("%s", cx.err.text);
    }
    assert_ok(ia_file_writer_finish(&cx, w, 0, &info));
    ia_file_writer_close(w);
    ia_lschema_dispose(&ls);
    peak = ia_budget_peak(budget);
    ia_budget_drop(budget);
    *size = info.size;
    return peak;
}

static void a_file_larger_than_the_budget_is_written_within_it(void **state)
{
    fixture f = fix_new(0);
    ia_batch *b = many_columns(&f.e.cx, 3000, 7);
    uint64_t size = 0, limit = (uint64_t)6 << 20;
    char path[80];

    (void)state;
    place(&f, path, sizeof path);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        ia_file_writer_options o = {.threads = threads};
        uint64_t peak = write_many(&f, path, b, 18, limit, &o, &size);

        assert_true(size > 2 * limit);
        assert_true(peak <= limit);
        if (threads == 1)
            assert_ok(ia_objstore_remove(&f.e.cx, f.os, path));
    }
    leave(&f, path);
    ia_batch_release(b);
    fix_end(&f);
}

static void whole_pages_of_a_batch_are_not_copied(void **state)
{
    fixture f = fix_new(0);
    ia_batch *b = column(&f.e.cx, "fsl<int8,100>", 40000, 1, NULLS_NONE, GEN_WIDE, NULL, NULL);
    ia_file_writer_options o = {.page_bytes = 1 << 20};
    uint64_t size = 0, peak;
    char path[80];

    (void)state;
    place(&f, path, sizeof path);
    peak = write_many(&f, path, b, 1, 0, &o, &size);
    assert_true(size > UINT64_C(3) << 20);
    assert_true(peak < UINT64_C(3) << 20);
    expect_back(&f, path, b, "borrowed");
    leave(&f, path);
    ia_batch_release(b);
    fix_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_hint_names_column_key_and_value),
        cmocka_unit_test(field_metadata_wins_over_the_options),
        cmocka_unit_test(maps_and_lists_of_structs_of_2_2_come_back),
        cmocka_unit_test(packed_structs_come_back),
        cmocka_unit_test(blobs_are_found_through_their_descriptors),
        cmocka_unit_test(what_a_version_does_not_have_is_refused_by_name),
        cmocka_unit_test(a_null_deep_inside_names_column_path_and_row),
        cmocka_unit_test(batches_of_other_dictionaries_share_pages_as_far_as_indices_reach),
        cmocka_unit_test(the_bytes_do_not_depend_on_the_threads),
        cmocka_unit_test(a_cancelled_write_with_threads_ends),
        cmocka_unit_test(a_file_larger_than_the_budget_is_written_within_it),
        cmocka_unit_test(whole_pages_of_a_batch_are_not_copied),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
