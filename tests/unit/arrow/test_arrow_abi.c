/* test_arrow_abi.c - the Arrow C data and stream interfaces, out and in again. */
#include "arrow_gen.h"

#include <errno.h>

/* All types in one schema; the caller releases. */
static ia_schema *wide_schema(gen *g)
{
    ia_field f[GEN_TYPES + 1] = {{0}};
    char names[GEN_TYPES + 1][16], key[] = "k", value[] = "v=1";
    ia_kv kv[1] = {{key, value}};
    ia_schema *s = NULL;
    int k;

    for (k = 0; k <= GEN_TYPES; k++) {
        snprintf(names[k], sizeof names[k], "c%d", k);
        f[k].name = names[k];
        f[k].nullable = k != 4;
        if (k < GEN_TYPES)
            f[k].type = gen_type(g, k);
    }
    GEN_OK(g, ia_type_dictionary(&g->cx, ia_type_basic(IA_TYPE_U16), ia_type_basic(IA_TYPE_STRING),
                                 &f[GEN_TYPES].type));
    f[3].metadata = kv;
    f[3].n_metadata = 1;
    GEN_OK(g, ia_schema_new(&g->cx, f, GEN_TYPES + 1, &s));
    for (k = 0; k <= GEN_TYPES; k++)
        ia_type_release(f[k].type);
    return s;
}

static ia_array *dictionary(gen *g, const ia_type *t, int64_t n)
{
    ia_array *values = gen_array(g, t->children[1].type, 5, 0), *out = NULL;
    uint16_t *idx = ia_alloc(&g->cx, (size_t)n * 2 + 2);
    ia_buffer *b = NULL;
    int64_t i;

    for (i = 0; i < n; i++)
        idx[i] = (uint16_t)gen_below(g, 5);
    GEN_OK(g, ia_buffer_own(&g->cx, idx, (size_t)n * 2, &b));
    GEN_OK(g, ia_array_make(&g->cx, t, n, 0, NULL, b, NULL, &values, 1, &out));
    return out;
}

static ia_batch *wide_batch(gen *g, const ia_schema *s, int64_t rows)
{
    ia_array *cols[GEN_TYPES + 1];
    ia_batch *b = NULL;
    int k;

    for (k = 0; k < GEN_TYPES; k++)
        cols[k] = gen_slice(g, s->fields[k].type, rows, k == 4 ? 0 : 25);
    cols[GEN_TYPES] = dictionary(g, s->fields[GEN_TYPES].type, rows);
    GEN_OK(g, ia_batch_make(&g->cx, s, rows, cols, &b));
    return b;
}

static void assert_batches_equal(gen *g, const ia_batch *x, const ia_batch *y)
{
    size_t c;
    int64_t i;

    assert_int_equal(x->rows, y->rows);
    assert_true(ia_schema_equal(x->schema, y->schema));
    for (c = 0; c < x->schema->n_fields; c++)
        for (i = 0; i < x->rows; i++)
            gen_assert_same(g, x->cols[c], i, y->cols[c], i);
}

static void schemas_go_out_and_come_back(void **state)
{
    gen g;
    ia_schema *s, *back = NULL;
    struct ArrowSchema out;

    (void)state;
    gen_open(&g, 51);
    s = wide_schema(&g);
    GEN_OK(&g, ia_export_schema(&g.cx, s, &out));
    assert_string_equal(out.children[20]->format, "tsu:UTC");
    assert_string_equal(out.children[22]->format, "d:20,3");
    assert_string_equal(out.children[31]->format, "d:60,7,256");
    assert_string_equal(out.children[21]->format, "ttn");
    assert_string_equal(out.children[25]->format, "+w:3");
    assert_string_equal(out.children[GEN_TYPES]->format, "S");
    assert_string_equal(out.children[GEN_TYPES]->dictionary->format, "u");
    GEN_OK(&g, ia_import_schema(&g.cx, &out, &back));
    out.release(&out);
    assert_null(out.release);
    assert_true(ia_schema_equal(s, back));
    assert_string_equal(ia_field_meta(&back->fields[3], "k"), "v=1");
    ia_schema_release(back);
    ia_schema_release(s);
    gen_close(&g);
}

static void unknown_formats_are_refused_by_name(void **state)
{
    static const char *const formats[] = {
        "vu", "+m", "tiM", "tsx:", "w:", "w:5x", "d:1", "d:5,2,64", "", "+w:-1"};
    gen g;
    ia_schema *s = NULL;
    size_t i;

    (void)state;
    gen_open(&g, 52);
    for (i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        char name[] = "col";
        ia_field f = {.name = name, .type = ia_type_basic(IA_TYPE_I32)};
        struct ArrowSchema out;
        const char *format;

        GEN_OK(&g, ia_schema_new(&g.cx, &f, 1, &s));
        GEN_OK(&g, ia_export_schema(&g.cx, s, &out));
        ia_schema_release(s);
        format = out.children[0]->format;
        out.children[0]->format = formats[i];
        s = NULL;
        assert_int_not_equal(ia_import_schema(&g.cx, &out, &s), IA_OK);
        assert_null(s);
        if (i < 9)
            assert_non_null(strstr(g.cx.err.text, "'col'"));
        out.children[0]->format = format;
        out.release(&out);
    }
    gen_close(&g);
}

static void batches_share_memory_and_outlive_their_source(void **state)
{
    gen g;
    ia_schema *s;
    ia_batch *b, *back = NULL, *part = NULL;
    struct ArrowArray out;

    (void)state;
    gen_open(&g, 53);
    s = wide_schema(&g);
    b = wide_batch(&g, s, 21);
    GEN_OK(&g, ia_export_batch(&g.cx, b, &out));
    GEN_OK(&g, ia_import_batch(&g.cx, &out, s, &back));
    assert_null(out.release);
    assert_ptr_equal(back->cols[4]->bufs[1]->data, b->cols[4]->bufs[1]->data);
    assert_batches_equal(&g, b, back);
    GEN_OK(&g, ia_batch_slice(&g.cx, back, 5, 9, &part));
    ia_batch_release(back); /* the slice keeps the foreign tree, the tree keeps the source */
    ia_batch_release(b);
    b = part;
    GEN_OK(&g, ia_export_batch(&g.cx, b, &out));
    GEN_OK(&g, ia_import_batch(&g.cx, &out, s, &back));
    assert_batches_equal(&g, b, back);
    ia_batch_release(b);
    ia_batch_release(back);
    ia_schema_release(s);
    gen_close(&g);
}

/* The consumer sets what other producers may send: an offset on the struct, uncounted nulls. */
static void struct_offsets_and_uncounted_nulls_are_understood(void **state)
{
    gen g;
    ia_schema *s;
    ia_batch *b, *back = NULL, *want = NULL;
    struct ArrowArray out;
    int64_t i;

    (void)state;
    gen_open(&g, 54);
    s = wide_schema(&g);
    b = wide_batch(&g, s, 30);
    GEN_OK(&g, ia_export_batch(&g.cx, b, &out));
    out.offset = 4;
    out.length = 20;
    for (i = 0; i < out.n_children; i++)
        out.children[i]->null_count = -1;
    GEN_OK(&g, ia_import_batch(&g.cx, &out, s, &back));
    GEN_OK(&g, ia_batch_slice(&g.cx, b, 4, 20, &want));
    assert_batches_equal(&g, want, back);
    for (i = 0; i < GEN_TYPES; i++)
        assert_int_equal(want->cols[i]->null_count, back->cols[i]->null_count);
    ia_batch_release(want);
    ia_batch_release(back);
    ia_batch_release(b);
    ia_schema_release(s);
    gen_close(&g);
}

static void broken_arrays_are_refused_and_released(void **state)
{
    gen g;
    ia_schema *s;
    ia_batch *b, *back = NULL;
    struct ArrowArray out;
    int round;

    (void)state;
    gen_open(&g, 55);
    s = wide_schema(&g);
    b = wide_batch(&g, s, 10);
    for (round = 0; round < 6; round++) {
        GEN_OK(&g, ia_export_batch(&g.cx, b, &out));
        if (round == 0)
            out.length = 11;
        else if (round == 1)
            out.children[4]->length = -1;
        else if (round == 2)
            out.children[12]->buffers[1] = NULL;
        else if (round == 3)
            out.children[25]->children[0]->length = 3;
        else if (round == 4)
            out.children[3]->n_buffers = 1;
        else
            out.children[GEN_TYPES]->dictionary = NULL;
        assert_int_equal(ia_import_batch(&g.cx, &out, s, &back), IA_ERR_INVALID);
        assert_null(back);
        assert_null(out.release);
    }
    ia_batch_release(b);
    ia_schema_release(s);
    gen_close(&g);
}

static void misaligned_values_are_copied(void **state)
{
    gen g;
    char name[] = "x";
    ia_field f = {.name = name, .type = ia_type_basic(IA_TYPE_I64)};
    ia_schema *s = NULL;
    ia_array *col;
    ia_batch *b = NULL, *back = NULL;
    struct ArrowArray out;
    uint8_t raw[8 * 3 + 1];

    (void)state;
    gen_open(&g, 56);
    GEN_OK(&g, ia_schema_new(&g.cx, &f, 1, &s));
    col = gen_array(&g, f.type, 3, 0);
    GEN_OK(&g, ia_batch_make(&g.cx, s, 3, &col, &b));
    GEN_OK(&g, ia_export_batch(&g.cx, b, &out));
    memcpy(raw + ((uintptr_t)raw % 2 == 0), col->bufs[1]->data, 24);
    out.children[0]->buffers[1] = raw + ((uintptr_t)raw % 2 == 0);
    GEN_OK(&g, ia_import_batch(&g.cx, &out, s, &back));
    assert_batches_equal(&g, b, back);
    ia_batch_release(back);
    ia_batch_release(b);
    ia_schema_release(s);
    gen_close(&g);
}

/* ---- streams ------------------------------------------------------------------------------- */

typedef struct source {
    gen *g;
    ia_batch *batch;
    int left, fail_at;
    bool closed;
} source;

static ia_status source_next(ia_ctx *cx, ia_stream *s, ia_batch **out)
{
    source *src = s->self;

    *out = NULL;
    if (src->left == src->fail_at)
        return ia_fail(cx, IA_ERR_INVALID, "the source broke at %d", src->left);
    if (src->left > 0) {
        src->left--;
        *out = ia_batch_retain(src->batch);
    }
    return IA_OK;
}

static void source_close(ia_stream *s)
{
    ((source *)s->self)->closed = true;
}

static void streams_run_to_their_end_and_report_failures(void **state)
{
    gen g;
    int fail_at;

    (void)state;
    gen_open(&g, 57);
    for (fail_at = -1; fail_at < 3; fail_at++) {
        ia_schema *s = wide_schema(&g);
        source src = {&g, wide_batch(&g, s, 6), 3, fail_at, false};
        ia_stream st = {.schema = s, .next = source_next, .close = source_close, .self = &src}, in;
        struct ArrowArrayStream out;
        ia_batch *b = NULL;
        ia_status status;
        int n = 0;

        GEN_OK(&g, ia_export_stream(&g.cx, &st, &out));
        assert_null(st.schema);
        GEN_OK(&g, ia_import_stream(&g.cx, &out, &in));
        assert_null(out.release);
        while ((status = ia_stream_next(&g.cx, &in, &b)) == IA_OK && b) {
            assert_batches_equal(&g, b, src.batch);
            ia_batch_release(b);
            n++;
        }
        assert_int_equal(status, fail_at < 0 ? IA_OK : IA_ERR_INVALID);
        assert_int_equal(n, fail_at < 0 ? 3 : 3 - fail_at);
        if (fail_at > 0)
            assert_non_null(strstr(g.cx.err.text, "the source broke"));
        ia_ctx_clear(&g.cx);
        assert_false(src.closed);
        ia_stream_dispose(&in);
        assert_true(src.closed);
        ia_batch_release(src.batch);
    }
    gen_close(&g);
}

static void exported_values_no_longer_count(void **state)
{
    gen g;
    ia_schema *s;
    ia_batch *b;
    struct ArrowArray array;
    uint64_t used;

    (void)state;
    gen_open(&g, 59);
    s = wide_schema(&g);
    b = wide_batch(&g, s, 5000);
    used = ia_budget_used(g.budget);
    assert_int_equal(ia_export_batch(&g.cx, b, &array), IA_OK);
    ia_batch_release(b);
    assert_true(ia_budget_used(g.budget) < used / 4); /* the frame around the values still does */
    array.release(&array);
    ia_schema_release(s);
    gen_close(&g);
}

static void every_failing_allocation_of_the_interface_is_survived(void **state)
{
    gen g;
    ia_schema *s;
    ia_batch *b;
    struct ArrowArray array;
    ia_status st = IA_ERR_NO_MEMORY;
    uint64_t used;
    int64_t n;

    (void)state;
    gen_open(&g, 58);
    s = wide_schema(&g);
    b = wide_batch(&g, s, 4);
    /* takes the values off the budget */
    assert_int_equal(ia_export_batch(&g.cx, b, &array), IA_OK);
    array.release(&array);
    used = ia_budget_used(g.budget);
    for (n = 0; st != IA_OK; n++) {
        struct ArrowSchema schema = {0};
        ia_schema *s2 = NULL;
        ia_batch *b2 = NULL;

        array = (struct ArrowArray){0};
        ia_ctx_clear(&g.cx);
        ia_mem_fail_after(n);
        st = ia_export_schema(&g.cx, s, &schema);
        if (st == IA_OK)
            st = ia_import_schema(&g.cx, &schema, &s2);
        if (st == IA_OK)
            st = ia_export_batch(&g.cx, b, &array);
        if (st == IA_OK)
            st = ia_import_batch(&g.cx, &array, s2, &b2);
        ia_mem_fail_after(-1);
        assert_true(st == IA_OK || st == IA_ERR_NO_MEMORY);
        if (schema.release)
            schema.release(&schema);
        if (array.release)
            array.release(&array);
        ia_batch_release(b2);
        ia_schema_release(s2);
        assert_int_equal(ia_budget_used(g.budget), used);
        assert_true(n < 3000);
    }
    ia_batch_release(b);
    ia_schema_release(s);
    gen_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemas_go_out_and_come_back),
        cmocka_unit_test(unknown_formats_are_refused_by_name),
        cmocka_unit_test(batches_share_memory_and_outlive_their_source),
        cmocka_unit_test(struct_offsets_and_uncounted_nulls_are_understood),
        cmocka_unit_test(broken_arrays_are_refused_and_released),
        cmocka_unit_test(misaligned_values_are_copied),
        cmocka_unit_test(streams_run_to_their_end_and_report_failures),
        cmocka_unit_test(exported_values_no_longer_count),
        cmocka_unit_test(every_failing_allocation_of_the_interface_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
