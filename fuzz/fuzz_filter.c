/* fuzz_filter.c - SQL filters: parsed, bound, evaluated on a batch, written and read again. */
#include "fuzz.h"

#include "arrow/builder.h"
#include "expr/expr.h"

static const struct {
    const char *name;
    ia_type_id id;
} plain[] = {
    {"b", IA_TYPE_BOOL},     {"i8", IA_TYPE_I8},      {"i", IA_TYPE_I32},     {"l", IA_TYPE_I64},
    {"u", IA_TYPE_U64},      {"f", IA_TYPE_F32},      {"d", IA_TYPE_F64},     {"s", IA_TYPE_STRING},
    {"bin", IA_TYPE_BINARY}, {"day", IA_TYPE_DATE32}, {"ms", IA_TYPE_DATE64}, {"h", IA_TYPE_F16},
};
enum { N_PLAIN = sizeof plain / sizeof plain[0], ROWS = 9 };

static void put_value(ia_ctx *cx, ia_builder *b, ia_type_id id, int64_t i)
{
    static const char *const words[] = {"",    "a",        "ab",  "a%b", "it's",
                                        "x_y", "\xC3\xA9", "abc", "b"};

    if (i % 4 == 3)
        ia_builder_null(cx, b);
    else if (id == IA_TYPE_BOOL)
        ia_builder_bool(cx, b, i & 1);
    else if (id == IA_TYPE_U64)
        ia_builder_u64(cx, b, UINT64_MAX - (uint64_t)i);
    else if (id == IA_TYPE_F32 || id == IA_TYPE_F64)
        ia_builder_f64(cx, b, (double)(i - 2) * 0.5);
    else if (id == IA_TYPE_STRING || id == IA_TYPE_BINARY)
        ia_builder_str(cx, b, words[i], strlen(words[i]));
    else
        ia_builder_i64(cx, b, (i - 2) * (id == IA_TYPE_I8 ? 9 : 1));
}

static void put_list(ia_ctx *cx, ia_builder *b, int64_t i)
{
    for (int64_t k = 0; k < i % 3; k++)
        ia_builder_str(cx, &b->children[0], k ? "a" : "b", 1);
    ia_builder_end_list(cx, b);
}

static void add_times(fuzz_run *r, ia_field *fields)
{
    fields[N_PLAIN] = (ia_field){(char *)(uintptr_t) "ts", NULL, true, NULL, 0};
    fields[N_PLAIN].type = ia_type_time_basic(IA_TYPE_TIMESTAMP, IA_UNIT_US);
    fields[N_PLAIN + 1] = (ia_field){(char *)(uintptr_t) "t64", NULL, true, NULL, 0};
    fields[N_PLAIN + 1].type = ia_type_time_basic(IA_TYPE_TIME64, IA_UNIT_NS);
    fields[N_PLAIN + 2] = (ia_field){(char *)(uintptr_t) "tags", NULL, true, NULL, 0};
    fuzz_must(r,
              ia_type_list(&r->cx, IA_TYPE_LIST, 0, "item", ia_type_basic(IA_TYPE_STRING), true,
                           &fields[N_PLAIN + 2].type),
              "a list type:");
}

static void make_batch(fuzz_run *r, ia_batch **out)
{
    ia_field fields[N_PLAIN + 3];
    ia_schema *s = NULL;
    ia_batch_builder b = {0};

    for (size_t k = 0; k < N_PLAIN; k++)
        fields[k] =
            (ia_field){(char *)(uintptr_t)plain[k].name, ia_type_basic(plain[k].id), true, NULL, 0};
    add_times(r, fields);
    fuzz_must(r, ia_schema_new(&r->cx, fields, N_PLAIN + 3, &s), "a schema:");
    ia_type_release(fields[N_PLAIN + 2].type);
    fuzz_must(r, ia_batch_builder_init(&r->cx, &b, s), "builders:");
    for (int64_t i = 0; i < ROWS; i++) {
        for (size_t k = 0; k < N_PLAIN + 2; k++)
            put_value(&r->cx, &b.cols[k], fields[k].type->id, i);
        put_list(&r->cx, &b.cols[N_PLAIN + 2], i);
    }
    fuzz_must(r, ia_batch_builder_finish(&r->cx, &b, out), "a batch:");
    ia_batch_builder_dispose(&b);
    ia_schema_release(s);
}

/* The text of e, read again, selects the same rows. */
static void check_text(fuzz_run *r, ia_arena *a, const ia_expr *e, const ia_batch *b,
                       const int64_t *idx, int64_t n)
{
    ia_buf text = {0};
    ia_expr *parsed, *bound;
    int64_t *again = NULL, m = 0;

    ia_expr_text(&r->cx, &text, e);
    if (fuzz_must(r, ia_buf_status(&text), "a filter is written:")) {
        if (!fuzz_ok(r, ia_sql_filter_parse(&r->cx, a, (const char *)text.data, text.len, &parsed)))
            fuzz_abort(__FILE__, __LINE__, (const char *)text.data, r->cx.err.text);
        if (!fuzz_ok(r, ia_expr_bind(&r->cx, a, parsed, b->schema, &bound)))
            fuzz_abort(__FILE__, __LINE__, (const char *)text.data, r->cx.err.text);
        if (fuzz_must(r, ia_expr_select(&r->cx, bound, b, &again, &m), "it selects:"))
            FUZZ_CHECK(m == n && (n == 0 || memcmp(idx, again, (size_t)n * sizeof *idx) == 0));
    }
    ia_free(again);
    ia_buf_dispose(&text);
}

static void use(fuzz_run *r, ia_arena *a, const ia_expr *e, const ia_batch *b)
{
    ia_expr *bound;
    ia_array *truth = NULL;
    int64_t *idx = NULL, n = 0, yes = 0;
    const ia_scalar *points;
    size_t n_points;

    if (!fuzz_ok(r, ia_expr_bind(&r->cx, a, e, b->schema, &bound)))
        return;
    if (fuzz_ok(r, ia_expr_eval(&r->cx, bound, b, &truth)) &&
        fuzz_must(r, ia_expr_select(&r->cx, bound, b, &idx, &n), "what evaluates also selects:")) {
        FUZZ_CHECK(truth->length == b->rows && truth->type->id == IA_TYPE_BOOL);
        for (int64_t i = 0; i < b->rows; i++)
            yes += ia_array_valid(truth, i) && ia_array_bool(truth, i);
        FUZZ_CHECK(yes == n);
        check_text(r, a, bound, b, idx, n);
    }
    (void)ia_expr_point_values(bound, "i", &points, &n_points);
    ia_free(idx);
    ia_array_release(truth);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    ia_arena arena = {0};
    ia_strlist names = {0};
    ia_batch *b = NULL;
    ia_expr *e = NULL;

    fuzz_begin(&r);
    make_batch(&r, &b);
    if (fuzz_ok(&r, ia_sql_filter_parse(&r.cx, &arena, (const char *)data, size, &e)) &&
        fuzz_ok(&r, ia_expr_columns(&r.cx, e, &names)))
        use(&r, &arena, e, b);
    ia_strlist_dispose(&names);
    ia_arena_dispose(&arena);
    ia_batch_release(b);
    fuzz_end(&r);
    return 0;
}
