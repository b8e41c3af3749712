/* test_file_choice.c - encodings the writer picks or is told to use; that they read back. */
#include "../base/test_env.h"

#include <stdio.h>

#include "file/describe.h"
#include "file/encodings/decode.h"
#include "file/encodings/encode.h"
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

/* All rows, and some of them picked, are those of the batch; `have` becomes the description. */
static void check_rows(fixture *f, const ia_batch *b, const char *what)
{
    ia_ctx *cx = &f->e.cx;
    ia_buf want = {0}, have = {0};
    opened o;

    batch_text(cx, b, &want);
    if (opened_init(cx, f->os, "/f.lance", &o) != IA_OK)
        fail_msg("%s: %s", what, cx->err.text);
    if (opened_scan(cx, &o, 0, (uint64_t)b->rows, 0, &have) != IA_OK)
        fail_msg("%s: %s", what, cx->err.text);
    if (have.len != want.len || (want.len && memcmp(have.data, want.data, want.len) != 0))
        fail_msg("%s: other rows came back", what);
    ia_buf_clear(&have);
    for (uint32_t i = 0; i < b->rows; i += 1 + i / 3) {
        if (opened_take(cx, &o, &i, 1, &have) != IA_OK)
            fail_msg("%s: row %u: %s", what, i, cx->err.text);
        if (!strstr((char *)want.data, (char *)have.data))
            fail_msg("%s: row %u is %s", what, i, (char *)have.data);
        ia_buf_clear(&have);
    }
    opened_dispose(&o);
    ia_buf_dispose(&want);
    ia_buf_dispose(&have);
}

/* Description of the first page of the only column, as one line. */
static void page_text(fixture *f, char *out, size_t cap)
{
    ia_ctx *cx = &f->e.cx;
    ia_filedesc d = {0};
    ia_file *file = NULL;
    ia_schema *s = NULL;

    assert_ok(ia_file_open(cx, f->os, "/f.lance", 0, &file));
    assert_ok(ia_lschema_to_arrow(cx, ia_file_lschema(file), &s));
    assert_ok(ia_filedesc_read(cx, file, s, false, &d));
    snprintf(out, cap, "%s", d.n_columns && d.columns[0].n_pages ? d.columns[0].pages[0].text : "");
    ia_filedesc_dispose(&d);
    ia_schema_release(s);
    ia_file_close(file);
}

typedef struct wish {
    const char *type;
    gen_flavour flavour;
    const char *encoding, *compression;
    uint32_t minor;
    const char *seen; /* in the page's description */
} wish;

static void one_wish(fixture *f, const wish *w, int64_t rows, gen_nulls nulls, bool look)
{
    ia_ctx *cx = &f->e.cx;
    ia_file_writer_options opt = {
        .minor = w->minor, .encoding = w->encoding, .compression = w->compression};
    ia_type *t = gen_type(cx, w->type);
    ia_file_info info;
    ia_batch *b = NULL;
    char what[128], text[512];

    snprintf(what, sizeof what, "%s %s %s 2.%u rows=%d nulls=%d", w->type,
             w->encoding ? w->encoding : "-", w->compression ? w->compression : "-", w->minor,
             (int)rows, (int)nulls);
    assert_ok(gen_batch(cx, t, rows, 5, nulls, w->flavour, &b));
    if (write_batch(cx, f->os, "/f.lance", b, &opt, &info) != IA_OK)
        fail_msg("%s: %s", what, cx->err.text);
    check_rows(f, b, what);
    page_text(f, text, sizeof text);
    if (look && !strstr(text, w->seen))
        fail_msg("%s: the page is %s, not %s", what, text, w->seen);
    assert_ok(ia_objstore_remove(cx, f->os, "/f.lance"));
    ia_batch_release(b);
    ia_type_release(t);
}

static const wish wishes[] = {
    {"int32", GEN_SMALL, "flat", NULL, 1, "] flat32"},
    {"int8", GEN_WIDE, "bitpack", NULL, 1, "inlinebp8"},
    {"uint16", GEN_WIDE, "bitpack", NULL, 2, "inlinebp16"},
    {"float", GEN_SMALL, "bitpack", NULL, 1, "inlinebp32"},
    {"double", GEN_WIDE, "rle", NULL, 1, "rle(flat64"},
    {"int8", GEN_RUNS, "rle", NULL, 2, "rle(flat8"},
    {"halffloat", GEN_SMALL, "rle", NULL, 1, "rle(flat16"},
    {"int64", GEN_WIDE, "dictionary", NULL, 1, "dict=flat64"},
    {"int32", GEN_SMALL, "dictionary", NULL, 2, "dict="},
    {"fixed16", GEN_SMALL, "dictionary", NULL, 1, "dict=flat128"},
    {"string", GEN_WIDE, "dictionary", NULL, 1, "dict=variable(flat32)"},
    {"large_binary", GEN_SMALL, "dictionary", NULL, 2, "dict="},
    {"string", GEN_SMALL, "fsst", NULL, 1, "fsst(variable(flat32))"},
    {"large_string", GEN_WIDE, "fsst", NULL, 2, "fsst(variable(flat64))"},
    {"string", GEN_LONG, "fsst", NULL, 1, "fsst(variable(flat32))"},
    {"binary", GEN_WIDE, "variable", NULL, 1, "] variable(flat32)"},
    {"float", GEN_WIDE, "bss", NULL, 1, "bss(flat32)"},
    {"double", GEN_SMALL, "bss", "zstd", 1, "zstd(bss(flat64))"},
    {"int64", GEN_SMALL, "bss", "lz4", 2, "lz4(bss(flat64))"},
    {"string", GEN_SMALL, "variable", "lz4", 1, "lz4(variable(flat32))"},
    {"string", GEN_LONG, NULL, "zstd", 2, "zstd(variable(flat32))"},
    {"fsl<float,4>", GEN_SMALL, "flat", "none", 1, "fsl4"},
    {"int32", GEN_WIDE, "fullzip", NULL, 1, "zip["},
    {"string", GEN_WIDE, "fullzip", NULL, 2, "zip["},
    {"fsl<float,128>", GEN_WIDE, "miniblock", NULL, 1, "mini["},
    {"list<int32>", GEN_RUNS, "rle", NULL, 2, "rle(flat32"},
    {"struct<int32,string>", GEN_SMALL, "dictionary", NULL, 1, "dict="},
};

static void an_encoding_that_is_asked_for_is_written(void **state)
{
    static const int64_t sizes[] = {1, 2, 100, 1023, 1025, 4096, 4097};
    fixture f = fix_new();

    (void)state;
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        one_wish(&f, &wishes[i], 3000, NULLS_NONE, true);
        one_wish(&f, &wishes[i], 3000, NULLS_SOME, true);
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            one_wish(&f, &wishes[i], sizes[k], (gen_nulls)((i + k) % 4), false);
    }
    fix_end(&f);
}

static void statistics_pick_the_encoding(void **state)
{
    static const wish by_data[] = {
        {"int32", GEN_SMALL, NULL, NULL, 1, "inlinebp32"},
        {"int64", GEN_RUNS, NULL, NULL, 1, "rle("},
        {"int64", GEN_WIDE, NULL, NULL, 1, "flat64"},
        {"string", GEN_SMALL, NULL, NULL, 1, "dict=variable(flat32)"},
        {"string", GEN_SMALL, NULL, NULL, 2, "dict=lz4(variable(flat32))"},
        {"string", GEN_LONG, NULL, NULL, 1, "zip["},
        {"int32", GEN_SMALL, NULL, "none", 1, "] flat32"},
    };
    fixture f = fix_new();

    (void)state;
    for (size_t i = 0; i < sizeof by_data / sizeof *by_data; i++)
        one_wish(&f, &by_data[i], 5000, NULLS_NONE, true);
    fix_end(&f);
}

/* ---- FSST ----------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *s)
{
    *s = *s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *s >> 33;
}

/* Strings of `kind`: 0 words, 1 random bytes, 2 one byte over and over, 3 zero bytes. */
static size_t make_text(int kind, uint8_t *text, uint32_t *offs, size_t n)
{
    static const char *const words[] = {"http://", "www.", "example", ".org/", "index", ".html"};
    uint64_t s = 7;
    size_t len = 0;

    for (size_t i = 0; i < n; i++) {
        size_t parts = draw(&s) % 9;

        offs[i] = (uint32_t)len;
        for (size_t k = 0; k < parts; k++) {
            const char *w = words[draw(&s) % 6];

            if (kind == 0) {
                memcpy(text + len, w, strlen(w));
                len += strlen(w);
            } else {
                text[len++] = kind == 1 ? (uint8_t)draw(&s) : kind == 2 ? 'x' : 0;
            }
        }
    }
    offs[n] = (uint32_t)len;
    return len;
}

static void check_codes(env *e, const ia_fsst_coder *c, const uint8_t *text, const uint32_t *offs,
                        size_t n, size_t *coded)
{
    uint8_t table[IA_FSST_TABLE_BYTES], codes[256], more[256];
    ia_fsst *t = NULL;
    ia_buf out = {0};

    ia_fsst_table(c, table);
    assert_ok(ia_fsst_parse(&e->cx, (ia_view){(char *)table, sizeof table}, &t));
    for (size_t i = 0; i + 1 < n; i++) {
        size_t len = offs[i + 1] - offs[i], next = offs[i + 2] - offs[i + 1], got[2];
        size_t k = ia_fsst_code(c, text + offs[i], len, false, codes);

        *coded += k;
        assert_true(k <= 2 * len);
        ia_buf_clear(&out);
        assert_ok(ia_fsst_expand(&e->cx, t, codes, k, &out));
        assert_int_equal(out.len, len);
        if (len)
            assert_memory_equal(out.data, text + offs[i], len);
        ia_fsst_code2(c, (const uint8_t *const[2]){text + offs[i], text + offs[i + 1]},
                      (const size_t[2]){len, next}, (const bool[2]){false, false},
                      (uint8_t *const[2]){codes, more}, got);
        ia_buf_clear(&out);
        assert_ok(ia_fsst_expand(&e->cx, t, codes, got[0], &out));
        assert_ok(ia_fsst_expand(&e->cx, t, more, got[1], &out));
        assert_int_equal(out.len, len + next);
        if (out.len)
            assert_memory_equal(out.data, text + offs[i], out.len);
    }
    ia_buf_dispose(&out);
    ia_fsst_free(t);
}

static void fsst_codes_expand_to_the_text(void **state)
{
    enum { N = 4000 };
    env e = env_new(0);
    uint32_t *offs = ia_calloc(&e.cx, N + 1, sizeof *offs);
    uint8_t *text = ia_calloc(&e.cx, N * 80, 1);

    (void)state;
    assert_non_null(offs);
    assert_non_null(text);
    for (int kind = 0; kind < 4; kind++) {
        size_t len = make_text(kind, text, offs, N), coded = 0;
        ia_fsst_coder *c = NULL;
        double ratio;

        assert_ok(ia_fsst_train(&e.cx, text, (const uint8_t *)offs, 32, N, &c, &ratio));
        check_codes(&e, c, text, offs, N, &coded);
        if (kind == 0)
            assert_true(coded * 3 < len);
        assert_true(kind == 1 || ratio < 0.5);
        ia_free(c);
    }
    ia_free(offs);
    ia_free(text);
    env_end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_encoding_that_is_asked_for_is_written),
        cmocka_unit_test(statistics_pick_the_encoding),
        cmocka_unit_test(fsst_codes_expand_to_the_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
