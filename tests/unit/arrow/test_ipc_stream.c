/* test_ipc_stream.c - Arrow IPC streams and files of every type: golden, our own, damaged. */
#include "arrow_gen.h"

#include <stdlib.h>

#include "arrow/ipc.h"

static ia_status into_buf(ia_ctx *cx, void *self, const void *p, size_t n)
{
    ia_buf_put(cx, self, p, n);
    return ia_buf_status(self);
}

static ia_bytes load(gen *g, const char *path)
{
    ia_buf b = {0};
    ia_bytes out = {0};
    char block[4096];
    FILE *f = fopen(path, "rb");
    size_t n;

    if (!f)
        fail_msg("%s is missing", path);
    while ((n = fread(block, 1, sizeof block, f)) > 0)
        ia_buf_put(&g->cx, &b, block, n);
    fclose(f);
    GEN_OK(g, ia_buf_finish(&b, &out));
    return out;
}

static ia_bytes golden(gen *g, const char *name)
{
    char path[512];

    snprintf(path, sizeof path, "%s/arrow/%s", TEST_DATA, name);
    return load(g, path);
}

/* A source that gives few bytes at a time. */
static ia_status dribble(ia_ctx *cx, ia_source *s, void *p, size_t n, size_t *got)
{
    const size_t most = (size_t)(uintptr_t)s->self;

    (void)cx;
    *got = n < s->len ? n : s->len;
    if (*got > most)
        *got = most;
    if (*got > 0)
        memcpy(p, s->data, *got);
    s->data += *got;
    s->len -= *got;
    return IA_OK;
}

static ia_source dribbling(const ia_bytes *b, size_t most)
{
    ia_source s = ia_source_of(b->data, b->len);

    s.read = dribble;
    s.self = (void *)(uintptr_t)most;
    return s;
}

static ia_status write_all(ia_ctx *cx, const ia_schema *s, ia_batch *const *b, size_t n, bool file,
                           ia_ipc_codec codec, ia_bytes *out)
{
    ia_ipc_writer *w = NULL;
    ia_buf buf = {0};
    ia_status st;

    IA_GO(ia_ipc_writer_open(cx, s, file, codec, into_buf, &buf, &w));
    for (size_t i = 0; i < n; i++)
        IA_GO(ia_ipc_writer_write(cx, w, b[i]));
    IA_GO(ia_ipc_writer_finish(cx, w));
    IA_GO(ia_buf_finish(&buf, out));
done:
    ia_ipc_writer_free(w);
    ia_buf_dispose(&buf);
    return st;
}

/* Every type of the generator as a column c0, c1, ...; the caller releases. */
static ia_schema *all_types(gen *g)
{
    char names[GEN_TYPES][16], key[] = "k", value[] = "v";
    ia_kv kv = {key, value};
    ia_field f[GEN_TYPES];
    ia_schema *s = NULL;

    memset(f, 0, sizeof f);
    for (int k = 0; k < GEN_TYPES; k++) {
        snprintf(names[k], sizeof names[k], "c%d", k);
        f[k].name = names[k];
        f[k].type = gen_type(g, k);
        f[k].nullable = true;
    }
    f[3].metadata = &kv;
    f[3].n_metadata = 1;
    GEN_OK(g, ia_schema_new(&g->cx, f, GEN_TYPES, &s));
    for (int k = 0; k < GEN_TYPES; k++)
        ia_type_release(f[k].type);
    return s;
}

static ia_batch *random_batch(gen *g, const ia_schema *s, int64_t rows)
{
    ia_array *cols[GEN_TYPES];
    ia_batch *b = NULL;

    for (int k = 0; k < GEN_TYPES; k++)
        cols[k] = gen_slice(g, s->fields[k].type, rows, k % 3 == 0 ? 0 : 30);
    GEN_OK(g, ia_batch_make(&g->cx, s, rows, cols, &b));
    return b;
}

static void expect_batches(gen *g, ia_stream *s, ia_batch *const *want, size_t n)
{
    ia_batch *b = NULL;

    for (size_t i = 0; i < n; i++) {
        GEN_OK(g, ia_stream_next(&g->cx, s, &b));
        assert_non_null(b);
        assert_int_equal(b->rows, want[i]->rows);
        for (size_t c = 0; c < b->schema->n_fields; c++)
            for (int64_t r = 0; r < b->rows; r++)
                gen_assert_same(g, want[i]->cols[c], r, b->cols[c], r);
        ia_batch_release(b);
    }
    GEN_OK(g, ia_stream_next(&g->cx, s, &b));
    assert_null(b);
}

static void what_we_write_we_read(void **state)
{
    gen g;

    (void)state;
    gen_open(&g, 51);
    ia_schema *s = all_types(&g);
    ia_batch *b[3] = {random_batch(&g, s, 37), random_batch(&g, s, 0), random_batch(&g, s, 9)};

    for (int mode = 0; mode < 6; mode++) {
        const bool file = mode >= 3;
        ia_bytes out = {0};
        ia_source src;
        ia_stream in = {0};

        GEN_OK(&g, write_all(&g.cx, s, b, 3, file, (ia_ipc_codec)(mode % 3 - 1), &out));
        assert_int_equal(ia_ipc_sniff(out.data, out.len), file ? 'f' : 's');
        src = ia_source_of(out.data, out.len);
        GEN_OK(&g, ia_ipc_stream_open(&g.cx, &src, "t", &in));
        assert_true(ia_schema_equal(s, in.schema));
        assert_string_equal(ia_field_meta(&in.schema->fields[3], "k"), "v");
        expect_batches(&g, &in, b, 3);
        ia_stream_dispose(&in);
        src = dribbling(&out, 7); /* a file too is read front to back */
        GEN_OK(&g, ia_ipc_stream_open(&g.cx, &src, "t", &in));
        expect_batches(&g, &in, b, 3);
        ia_stream_dispose(&in);
        ia_bytes_dispose(&out);
    }
    for (int i = 0; i < 3; i++)
        ia_batch_release(b[i]);
    ia_schema_release(s);
    gen_close(&g);
}

static ia_buf rows_of(gen *g, const ia_bytes *file, const char *name)
{
    ia_source src = ia_source_of(file->data, file->len);
    ia_stream in = {0};
    ia_buf rows = {0};
    ia_batch *b = NULL;

    GEN_OK(g, ia_ipc_stream_open(&g->cx, &src, name, &in));
    do {
        GEN_OK(g, ia_stream_next(&g->cx, &in, &b));
        for (int64_t r = 0; b && r < b->rows; r++) {
            char *row = NULL;

            GEN_OK(g, ia_row_json(&g->cx, b, r, &row));
            ia_buf_puts(&g->cx, &rows, row);
            ia_buf_putc(&g->cx, &rows, '\n');
            ia_free(row);
        }
        ia_batch_release(b);
    } while (b);
    ia_stream_dispose(&in);
    return rows;
}

/* Rows of a golden file as JSON, compared with the text beside it. */
static void expect_golden(gen *g, const char *name, const char *text)
{
    ia_bytes file = golden(g, name), want = golden(g, text);
    ia_buf rows = rows_of(g, &file, name);

    assert_int_equal(rows.len, want.len);
    assert_memory_equal(rows.data, want.data, want.len);
    ia_buf_dispose(&rows);
    ia_bytes_dispose(&want);
    ia_bytes_dispose(&file);
}

static void files_and_streams_of_the_reference_are_read(void **state)
{
    static const char *const names[][2] = {{"ipc_types.arrow", "ipc_types.jsonl"},
                                           {"ipc_types_lz4.arrows", "ipc_types.jsonl"},
                                           {"ipc_types_zstd.arrow", "ipc_types.jsonl"},
                                           {"ipc_delta.arrows", "ipc_delta.jsonl"},
                                           {"ipc_replace.arrows", "ipc_replace.jsonl"},
                                           {"ipc_nested_dict.arrow", "ipc_nested_dict.jsonl"}};
    gen g;

    (void)state;
    gen_open(&g, 52);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        expect_golden(&g, names[i][0], names[i][1]);
    gen_close(&g);
}

static void types_that_are_not_read_are_refused_by_name(void **state)
{
    static const char *const cases[][2] = {{"ipc_no_view.arrows", "views"},
                                           {"ipc_no_union.arrows", "unions"},
                                           {"ipc_no_interval.arrows", "intervals"},
                                           {"ipc_no_ree.arrows", "run-end"},
                                           {"ipc_no_list_view.arrows", "list views"}};
    gen g;

    (void)state;
    gen_open(&g, 53);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ia_bytes file = golden(&g, cases[i][0]);
        ia_source src = ia_source_of(file.data, file.len);
        ia_stream in;

        assert_int_equal(ia_ipc_stream_open(&g.cx, &src, "x", &in), IA_ERR_UNSUPPORTED);
        assert_non_null(strstr(g.cx.err.text, cases[i][1]));
        assert_non_null(strstr(g.cx.err.text, "field 'a'"));
        ia_ctx_clear(&g.cx);
        ia_bytes_dispose(&file);
    }
    gen_close(&g);
}

/* Reads to the end or to an error; true when all went well. */
static ia_status drain(ia_ctx *cx, ia_source *src)
{
    ia_stream in = {0};
    ia_batch *b = NULL;
    ia_status st = ia_ipc_stream_open(cx, src, "t", &in);

    while (st == IA_OK) {
        st = ia_stream_next(cx, &in, &b);
        if (!b)
            break;
        ia_batch_release(b);
    }
    ia_stream_dispose(&in);
    return st;
}

static void damage_gives_an_error_never_a_wild_read(void **state)
{
    static const char *const names[] = {"ipc_types_lz4.arrows", "ipc_types_zstd.arrow",
                                        "ipc_delta.arrows", "ipc_nested_dict.arrow"};
    gen g;

    (void)state;
    gen_open(&g, 54);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        ia_bytes file = golden(&g, names[k]);
        int bad = 0;

        for (size_t i = 0; i < file.len; i += 1 + file.len / 400) {
            const uint8_t old = file.data[i];
            ia_source src = ia_source_of(file.data, file.len);

            file.data[i] = (uint8_t)(i % 2 ? old ^ 0xff : gen_next(&g));
            ia_ctx_clear(&g.cx);
            bad += drain(&g.cx, &src) != IA_OK;
            file.data[i] = old;
            src = ia_source_of(file.data, i); /* a cut; a stream may end between messages */
            ia_ctx_clear(&g.cx);
            bad += drain(&g.cx, &src) != IA_OK;
        }
        assert_true(bad > 40);
        ia_bytes_dispose(&file);
    }
    gen_close(&g);
}

static void every_failing_allocation_is_survived(void **state)
{
    gen g;

    (void)state;
    gen_open(&g, 55);
    ia_schema *s = all_types(&g);
    ia_batch *b[2] = {random_batch(&g, s, 5), random_batch(&g, s, 3)};

    for (int file = 0; file < 2; file++)
        for (int64_t k = 0;; k += 1 + k / 8) {
            ia_bytes out = {0};
            ia_source src;
            ia_status st;

            ia_ctx_clear(&g.cx);
            ia_mem_fail_after(k);
            st = write_all(&g.cx, s, b, 2, file, IA_IPC_ZSTD, &out);
            src = ia_source_of(out.data, out.len);
            if (st == IA_OK)
                st = drain(&g.cx, &src);
            ia_mem_fail_after(-1);
            ia_bytes_dispose(&out);
            if (st == IA_OK)
                break;
            assert_int_equal(st, IA_ERR_NO_MEMORY);
        }
    ia_batch_release(b[0]);
    ia_batch_release(b[1]);
    ia_schema_release(s);
    gen_close(&g);
}

/* test_ipc_stream IN OUT file|stream none|lz4|zstd: copies, for another reader to check. */
static int copy(char **argv)
{
    const ia_ipc_codec codec = argv[4][0] == 'n'   ? IA_IPC_PLAIN
                               : argv[4][0] == 'l' ? IA_IPC_LZ4
                                                   : IA_IPC_ZSTD;
    gen g;
    ia_ipc_writer *w = NULL;
    ia_stream in = {0};
    ia_batch *b = NULL;
    ia_buf out = {0};
    FILE *f;

    gen_open(&g, 1);
    ia_bytes file = load(&g, argv[1]);
    ia_source src = dribbling(&file, 1000);

    if (argv[3][0] == 'f')
        src = ia_source_of(file.data, file.len);
    GEN_OK(&g, ia_ipc_stream_open(&g.cx, &src, argv[1], &in));
    GEN_OK(&g, ia_ipc_writer_open(&g.cx, in.schema, argv[3][0] == 'f', codec, into_buf, &out, &w));
    do {
        GEN_OK(&g, ia_stream_next(&g.cx, &in, &b));
        if (b)
            GEN_OK(&g, ia_ipc_writer_write(&g.cx, w, b));
        ia_batch_release(b);
    } while (b);
    GEN_OK(&g, ia_ipc_writer_finish(&g.cx, w));
    f = fopen(argv[2], "wb");
    if (!f || fwrite(out.data, 1, out.len, f) != out.len || fclose(f) != 0)
        return 1;
    ia_ipc_writer_free(w);
    ia_stream_dispose(&in);
    ia_buf_dispose(&out);
    ia_bytes_dispose(&file);
    gen_close(&g);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_we_write_we_read),
        cmocka_unit_test(files_and_streams_of_the_reference_are_read),
        cmocka_unit_test(types_that_are_not_read_are_refused_by_name),
        cmocka_unit_test(damage_gives_an_error_never_a_wild_read),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };

    if (argc == 5)
        return copy(argv);
    if (argc == 2) { /* the rows as JSON lines, as the .jsonl files hold them */
        gen g;

        gen_open(&g, 1);
        ia_bytes file = load(&g, argv[1]);
        ia_buf rows = rows_of(&g, &file, argv[1]);

        fwrite(rows.data, 1, rows.len, stdout);
        ia_buf_dispose(&rows);
        ia_bytes_dispose(&file);
        gen_close(&g);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
