/* test_text_rows.c - CSV and JSON lines: types found, every type both ways, errors by place. */
#include "arrow_gen.h"

#include "arrow/csv.h"
#include "arrow/json_rows.h"

/* Gives `most` bytes at a time. */
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

typedef enum text_format { CSV, JSONL } text_format;

static ia_status open_text(ia_ctx *cx, text_format f, const char *p, size_t n, const ia_schema *s,
                           int64_t infer, ia_stream *out)
{
    const ia_csv_options csv = {.infer_rows = infer, .batch_rows = 7};
    const ia_jsonl_options jsonl = {.infer_rows = infer, .batch_rows = 7};
    ia_source src = ia_source_of(p, n);

    src.read = dribble;
    src.self = (void *)(uintptr_t)3;
    return f == CSV ? ia_csv_stream_open(cx, &src, s, "t", &csv, out)
                    : ia_jsonl_stream_open(cx, &src, s, "t", &jsonl, out);
}

static ia_status read_text(ia_ctx *cx, text_format f, const char *text, const ia_schema *s,
                           int64_t infer, ia_schema **schema, ia_batch **out)
{
    ia_stream in = {0};
    ia_batch *parts[64] = {0};
    size_t n = 0;
    ia_status st;

    *out = NULL;
    IA_GO(open_text(cx, f, text, strlen(text), s, infer, &in));
    do
        IA_GO(ia_stream_next(cx, &in, &parts[n]));
    while (parts[n] && ++n < 64);
    IA_GO(ia_concat_batches(cx, in.schema, parts, n, out));
    if (schema)
        *schema = ia_schema_retain(in.schema);
done:
    for (size_t i = 0; i < n; i++)
        ia_batch_release(parts[i]);
    ia_stream_dispose(&in);
    return st;
}

static void expect_rows(text_format f, const char *text, const char *types, const char *want)
{
    ia_schema *s = NULL;
    ia_batch *b = NULL;
    ia_buf rows = {0}, names = {0};
    char t[128];
    gen g;

    gen_open(&g, 61);
    GEN_OK(&g, read_text(&g.cx, f, text, NULL, 0, &s, &b));
    for (size_t i = 0; i < s->n_fields; i++)
        ia_buf_printf(&g.cx, &names, "%s%s: %s", i ? ", " : "", s->fields[i].name,
                      ia_type_text(s->fields[i].type, t, sizeof t));
    assert_string_equal(names.data ? (const char *)names.data : "", types);
    ia_jsonl_write_batch(&g.cx, &rows, b);
    assert_string_equal(rows.data ? (const char *)rows.data : "", want);
    ia_buf_dispose(&names);
    ia_buf_dispose(&rows);
    ia_batch_release(b);
    ia_schema_release(s);
    gen_close(&g);
}

static void expect_error(text_format f, const char *text, int64_t infer, const char *want)
{
    ia_batch *b = NULL;
    gen g;

    gen_open(&g, 62);
    assert_int_equal(read_text(&g.cx, f, text, NULL, infer, NULL, &b), IA_ERR_INVALID);
    assert_string_equal(g.cx.err.text, want);
    gen_close(&g);
}

static void csv_types_come_from_the_first_rows(void **state)
{
    (void)state;
    expect_rows(
        CSV,
        "\xef\xbb\xbf"
        "i,f,b,d,z,l,s,code\r\n"
        "1,1.5,true,2026-01-31,2026-01-31T12:00:00Z,2026-01-31 12:00:00.25,x,007\r\n"
        ",,,,,,,\r\n"
        "-2,3,False,1970-01-01,2026-01-31T12:00:00+01:00,1970-01-01T00:00:00,\"\",1",
        "i: int64, f: float64, b: bool, d: date32, z: timestamp[us, UTC], "
        "l: timestamp[us], s: string, code: string",
        "{\"i\":1,\"f\":1.5,\"b\":true,\"d\":\"2026-01-31\",\"z\":\"2026-01-31T12:00:00.000Z\","
        "\"l\":\"2026-01-31T12:00:00.250Z\",\"s\":\"x\",\"code\":\"007\"}\n"
        "{\"i\":null,\"f\":null,\"b\":null,\"d\":null,\"z\":null,\"l\":null,\"s\":null,"
        "\"code\":null}\n"
        "{\"i\":-2,\"f\":3.0,\"b\":false,\"d\":\"1970-01-01\","
        "\"z\":\"2026-01-31T11:00:00.000Z\",\"l\":\"1970-01-01T00:00:00.000Z\",\"s\":\"\","
        "\"code\":\"1\"}\n");
}

static void csv_quotes_hold_delimiters_quotes_and_line_ends(void **state)
{
    (void)state;
    expect_rows(CSV, "\"a \"\"x\"\"\",b\n\"1,\n2\r\n\"\"3\"\"\",\"q\"\n\nz\"z,\"\"\"\"\n",
                "a \"x\": string, b: string",
                "{\"a \\\"x\\\"\":\"1,\\n2\\r\\n\\\"3\\\"\",\"b\":\"q\"}\n"
                "{\"a \\\"x\\\"\":\"z\\\"z\",\"b\":\"\\\"\"}\n");
    expect_rows(CSV, "a\n1\n\n3\n", "a: int64", "{\"a\":1}\n{\"a\":null}\n{\"a\":3}\n");
    expect_rows(CSV, "a,b\n", "a: string, b: string", "");
    expect_rows(CSV, "n\n9223372036854775808\n1\n", "n: float64",
                "{\"n\":9.223372036854776e+18}\n{\"n\":1.0}\n");
}

static void csv_errors_name_line_and_column(void **state)
{
    (void)state;
    expect_error(CSV, "", 0, "t: there is no header line");
    expect_error(CSV, "a,b\n1,2\n3\n", 0, "t:3:1: 1 fields where 2 are wanted");
    expect_error(CSV, "a,b\n1,\"x\ny\n", 0, "t:2:3: a quoted field does not end");
    expect_error(CSV, "a,b\n\"x\ny\",\"z\"z\n", 0,
                 "t:3:4: text follows the closing quote of a field");
    expect_error(CSV, "a,a\n", 0, "t:1:3: column 'a': the name comes twice");
    expect_error(CSV, "a,b\n1,2\n1,x\n", 1,
                 "t:3:3: column 'b': 'x' is no int64, the type that the first rows have; give a "
                 "schema");
}

static void json_types_come_from_the_first_rows(void **state)
{
    (void)state;
    expect_rows(JSONL,
                "\xef\xbb\xbf{\"i\":1,\"f\":1,\"s\":\"x\",\"l\":[1,null],\"o\":{\"p\":true}}\r\n\n"
                "{\"f\":2.5,\"n\":null,\"o\":{\"q\":[{\"r\":1}]},\"e\":[]}",
                "i: int64, f: float64, s: string, l: list<item: int64>, "
                "o: struct<p: bool, q: list<item: struct<r: int64>>>, n: null, e: list<item: null>",
                "{\"i\":1,\"f\":1.0,\"s\":\"x\",\"l\":[1,null],\"o\":{\"p\":true,\"q\":null},"
                "\"n\":null,\"e\":null}\n"
                "{\"i\":null,\"f\":2.5,\"s\":null,\"l\":null,\"o\":{\"p\":null,\"q\":[{\"r\":1}]},"
                "\"n\":null,\"e\":[]}\n");
    expect_rows(JSONL, "{}\n{}\n", "", "{}\n{}\n");
}

static void json_errors_name_the_line(void **state)
{
    (void)state;
    expect_error(JSONL, "{\"a\":1}\n{\"a\":\"x\"}\n", 0,
                 "t:2: 'a' is a string here and integer before");
    expect_error(JSONL, "{\"a\":1}\n{\"b\":1}\n", 1, "t:2: there is no column 'b'");
    expect_error(JSONL, "{\"a\":1}\n[]\n", 1, "t:2: a line must be a JSON object");
}

/* Every type of the generator, written as text and read back with the schema. */
static void every_type_goes_out_and_comes_back(text_format f)
{
    gen g;

    gen_open(&g, 63);
    for (int k = 0; k < GEN_TYPES; k++) {
        char x[] = "x", y[] = "y, \"z\"";
        ia_field fields[2] = {{.name = x, .type = gen_type(&g, k), .nullable = true},
                              {.name = y, .type = ia_type_basic(IA_TYPE_I64), .nullable = true}};
        ia_schema *s = NULL;
        ia_array *cols[2];
        ia_batch *b = NULL, *back = NULL;
        ia_buf text = {0};

        GEN_OK(&g, ia_schema_new(&g.cx, fields, 2, &s));
        cols[0] = gen_slice(&g, fields[0].type, 20, 25);
        cols[1] = gen_slice(&g, fields[1].type, 20, 25);
        GEN_OK(&g, ia_batch_make(&g.cx, s, 20, cols, &b));
        if (f == CSV)
            ia_csv_write_header(&g.cx, &text, s);
        if (f == CSV)
            ia_csv_write_batch(&g.cx, &text, b);
        else
            ia_jsonl_write_batch(&g.cx, &text, b);
        GEN_OK(&g, read_text(&g.cx, f, (const char *)text.data, s, 0, NULL, &back));
        assert_int_equal(back->rows, 20);
        for (int64_t r = 0; r < 20; r++) {
            gen_assert_same(&g, b->cols[0], r, back->cols[0], r);
            gen_assert_same(&g, b->cols[1], r, back->cols[1], r);
        }
        ia_buf_dispose(&text);
        ia_batch_release(b);
        ia_batch_release(back);
        ia_schema_release(s);
        ia_type_release(fields[0].type);
    }
    gen_close(&g);
}

static void every_type_goes_through_csv(void **state)
{
    (void)state;
    every_type_goes_out_and_comes_back(CSV);
}

static void every_type_goes_through_json_lines(void **state)
{
    (void)state;
    every_type_goes_out_and_comes_back(JSONL);
}

static void expect_form(gen *g, ia_type *t, const char *json, const char *want)
{
    ia_json *v = NULL;
    ia_array *a = NULL;
    ia_builder b;
    ia_status st;

    GEN_OK(g, ia_json_parse(&g->cx, json, strlen(json), &v));
    GEN_OK(g, ia_builder_init(&g->cx, &b, t));
    st = ia_json_append_any(&g->cx, &b, v, true, "x");
    if (!want) {
        assert_int_equal(st, IA_ERR_INVALID);
        ia_ctx_clear(&g->cx);
    } else {
        GEN_OK(g, st);
        GEN_OK(g, ia_builder_finish(&g->cx, &b, &a));
        assert_string_equal(gen_text(g, a, 0), want);
        ia_array_release(a);
    }
    ia_builder_dispose(&b);
    ia_json_free(v);
}

static void values_are_exact_or_refused(void **state)
{
    ia_type *dec = NULL, *fb = NULL, *ts = ia_type_time_basic(IA_TYPE_TIMESTAMP, IA_UNIT_NS);
    gen g;

    (void)state;
    gen_open(&g, 64);
    GEN_OK(&g, ia_type_decimal(&g.cx, IA_TYPE_DECIMAL128, 5, 2, &dec));
    GEN_OK(&g, ia_type_fixed_binary(&g.cx, 2, &fb));
    expect_form(&g, dec, "\"-1.5\"", "\"-1.50\"");
    expect_form(&g, dec, "12", "\"12.00\"");
    expect_form(&g, dec, "0.25", "\"0.25\"");
    expect_form(&g, dec, "\"1e2\"", "\"100.00\"");
    expect_form(&g, dec, "\"1.230\"", "\"1.23\"");
    expect_form(&g, dec, "\"1.234\"", NULL);
    expect_form(&g, dec, "\"1000\"", NULL);
    expect_form(&g, dec, "\"0000999.99\"", "\"999.99\"");
    expect_form(&g, dec, "\".\"", NULL);
    expect_form(&g, dec, "true", NULL);
    expect_form(&g, fb, "\"AAE=\"", "\"AAE=\"");
    expect_form(&g, fb, "\"AAEC\"", NULL);
    expect_form(&g, fb, "\"A*E=\"", NULL);
    expect_form(&g, ts, "\"1969-12-31T23:59:59.999999999Z\"", "\"1969-12-31T23:59:59.999999999Z\"");
    expect_form(&g, ts, "\"2026-01-31T12:00:00.1234567891Z\"", NULL);
    expect_form(&g, ia_type_time_basic(IA_TYPE_TIME32, IA_UNIT_S), "\"23:59:59\"", "\"23:59:59\"");
    expect_form(&g, ia_type_time_basic(IA_TYPE_TIME32, IA_UNIT_S), "\"24:00:00\"", NULL);
    expect_form(&g, ia_type_basic(IA_TYPE_F16), "65520", NULL);
    expect_form(&g, ia_type_basic(IA_TYPE_F32), "\"-Infinity\"", "\"-Infinity\"");
    expect_form(&g, ia_type_basic(IA_TYPE_I8), "128", NULL);
    ia_type_release(dec);
    ia_type_release(fb);
    dec = gen_type(&g, 32); /* map<string, int32> */
    expect_form(&g, dec, "{\"a\":1,\"b\":null}",
                "[{\"key\":\"a\",\"value\":1},{\"key\":\"b\",\"value\":null}]");
    expect_form(&g, dec, "[[\"a\",1]]", "[{\"key\":\"a\",\"value\":1}]");
    expect_form(&g, dec, "[{\"key\":null,\"value\":1}]", NULL);
    expect_form(&g, dec, "[1]", NULL);
    ia_type_release(dec);
    gen_close(&g);
}

static void every_failing_allocation_is_survived(void **state)
{
    static const char *const text[] = {"a,b,c\n1,\"x\"\"y\",2026-01-31\n2,,\n",
                                       "{\"a\":[1,2],\"b\":{\"c\":\"x\"}}\n"};
    gen g;

    (void)state;
    gen_open(&g, 65);
    for (int f = 0; f < 2; f++)
        for (int64_t k = 0;; k++) {
            ia_batch *b = NULL;
            ia_status st;

            ia_ctx_clear(&g.cx);
            ia_mem_fail_after(k);
            st = read_text(&g.cx, (text_format)f, text[f], NULL, 0, NULL, &b);
            ia_mem_fail_after(-1);
            ia_batch_release(b);
            if (st == IA_OK)
                break;
            assert_int_equal(st, IA_ERR_NO_MEMORY);
        }
    gen_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_types_come_from_the_first_rows),
        cmocka_unit_test(csv_quotes_hold_delimiters_quotes_and_line_ends),
        cmocka_unit_test(csv_errors_name_line_and_column),
        cmocka_unit_test(json_types_come_from_the_first_rows),
        cmocka_unit_test(json_errors_name_the_line),
        cmocka_unit_test(every_type_goes_through_csv),
        cmocka_unit_test(every_type_goes_through_json_lines),
        cmocka_unit_test(values_are_exact_or_refused),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
