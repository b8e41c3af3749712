/* test_expr_eval.c - binding and evaluation in three-valued logic. */
#include "../arrow/arrow_gen.h"

#include <math.h>

#include "expr/expr.h"

typedef struct fixture {
    gen g;
    ia_arena arena;
    ia_schema *schema;
    ia_batch *batch;
} fixture;

/* All types that filters know as columns c0.. of one batch, some rows null. */
static void open_wide(fixture *f, uint64_t seed, int64_t rows)
{
    ia_field fields[GEN_TYPES] = {{0}};
    char names[GEN_TYPES][16];
    ia_array *cols[GEN_TYPES];
    int k;

    memset(f, 0, sizeof *f);
    gen_open(&f->g, seed);
    for (k = 0; k < GEN_TYPES; k++) {
        snprintf(names[k], sizeof names[k], "c%d", k);
        fields[k].name = names[k];
        fields[k].nullable = true;
        fields[k].type = gen_type(&f->g, k);
        cols[k] = gen_slice(&f->g, fields[k].type, rows, 20);
    }
    GEN_OK(&f->g, ia_schema_new(&f->g.cx, fields, GEN_TYPES, &f->schema));
    GEN_OK(&f->g, ia_batch_make(&f->g.cx, f->schema, rows, cols, &f->batch));
    for (k = 0; k < GEN_TYPES; k++)
        ia_type_release(fields[k].type);
}

static void shut(fixture *f)
{
    ia_arena_dispose(&f->arena);
    ia_batch_release(f->batch);
    ia_schema_release(f->schema);
    gen_close(&f->g);
}

static ia_expr *column(fixture *f, const char *name)
{
    ia_expr *e = NULL;

    GEN_OK(&f->g, ia_expr_column(&f->g.cx, &f->arena, name, &e));
    return e;
}

static ia_expr *literal(fixture *f, ia_scalar s)
{
    ia_expr *e = NULL;

    GEN_OK(&f->g, ia_expr_literal(&f->g.cx, &f->arena, &s, &e));
    return e;
}

static ia_expr *binary(fixture *f, ia_expr_op op, ia_expr *l, ia_expr *r)
{
    ia_expr *e = NULL;

    GEN_OK(&f->g, ia_expr_binary(&f->g.cx, &f->arena, op, l, r, &e));
    return e;
}

/* '0', '1' or 'n' per row. */
static const char *run(fixture *f, ia_expr *e)
{
    static char out[512];
    ia_expr *bound = NULL;
    ia_array *a = NULL;
    int64_t i, *idx = NULL, n = 0, k = 0;

    GEN_OK(&f->g, ia_expr_bind(&f->g.cx, &f->arena, e, f->schema, &bound));
    GEN_OK(&f->g, ia_expr_eval(&f->g.cx, bound, f->batch, &a));
    GEN_OK(&f->g, ia_expr_select(&f->g.cx, bound, f->batch, &idx, &n));
    GEN_OK(&f->g, ia_array_validate(&f->g.cx, a, IA_VALIDATE_FULL));
    assert_true(a->length < (int64_t)sizeof out);
    for (i = 0; i < a->length; i++) {
        out[i] = !ia_array_valid(a, i) ? 'n' : ia_array_bool(a, i) ? '1' : '0';
        if (out[i] == '1')
            assert_int_equal(idx[k++], i);
    }
    assert_int_equal(k, n);
    out[i] = 0;
    ia_array_release(a);
    ia_free(idx);
    return out;
}

/* What op says of two scalars, by its definition. */
static char naive(ia_expr_op op, const ia_scalar *a, const ia_scalar *b)
{
    const int c = ia_scalar_cmp(a, b);

    if (ia_scalar_is_null(a) || ia_scalar_is_null(b))
        return 'n';
    if (op == IA_EXPR_EQ)
        return c == 0 ? '1' : '0';
    if (op == IA_EXPR_NE)
        return c != 0 ? '1' : '0';
    if (op == IA_EXPR_LT)
        return c == -1 ? '1' : '0';
    if (op == IA_EXPR_LE)
        return c == -1 || c == 0 ? '1' : '0';
    if (op == IA_EXPR_GT)
        return c == 1 ? '1' : '0';
    return c == 1 || c == 0 ? '1' : '0';
}

/* ---- comparisons --------------------------------------------------------------------------- */

static ia_scalar number_literal(gen *g, int k)
{
    static const double floats[] = {0.0,  -0.0,  0.5,  -0.5,   3.25,   -128,  127.5, 65535,
                                    1e10, -1e10, 1e19, 0x1p64, 0x1p63, 1e300, -1e300};

    if (k < 15)
        return ia_scalar_f64(floats[k]);
    switch (k) {
    case 15: return ia_scalar_f64((double)NAN);
    case 16: return ia_scalar_f64((double)INFINITY);
    case 17: return ia_scalar_f64(-(double)INFINITY);
    case 18: return ia_scalar_u64(UINT64_MAX);
    case 19: return ia_scalar_i64(INT64_MIN);
    case 20: return ia_scalar_i64(INT64_MAX);
    case 21: return ia_scalar_i64(9007199254740993);
    case 22: return ia_scalar_i64(128);
    case 23: return ia_scalar_i64(-1);
    case 24: return ia_scalar_null();
    default: return ia_scalar_i64(gen_below(g, 100));
    }
}

/* A number column with the ends of its type among random values. */
static ia_array *edgy_column(gen *g, const ia_type *t, int64_t n)
{
    const unsigned bits = ia_type_bits(t);
    ia_builder b;
    ia_array *a = NULL;
    int64_t i;

    GEN_OK(g, ia_builder_init(&g->cx, &b, t));
    if (ia_type_is_float(t)) {
        const double v[] = {(double)NAN,       -0.0, 0.0, (double)INFINITY, -(double)INFINITY,
                            9007199254740992.0};

        for (i = 0; i < 6; i++)
            ia_builder_f64(&g->cx, &b, t->id == IA_TYPE_F16 && i == 5 ? 65504 : v[i]);
    } else {
        ia_builder_u64(&g->cx, &b, UINT64_MAX >> (64 - bits));
        ia_builder_u64(&g->cx, &b, (uint64_t)1 << (bits - 1));
        ia_builder_u64(&g->cx, &b, ((uint64_t)1 << (bits - 1)) - 1);
        ia_builder_u64(&g->cx, &b, bits == 64 ? 9007199254740993u : 0);
    }
    while (b.length < n)
        gen_append(g, &b, 20);
    GEN_OK(g, ia_builder_finish(&g->cx, &b, &a));
    ia_builder_dispose(&b);
    return a;
}

static void kernels_agree_with_single_comparisons(void **state)
{
    int k, v, op, side;

    (void)state;
    for (k = 1; k <= 11; k++) { /* int8 .. float64 */
        fixture f = {0};
        char name[] = "c";
        ia_field field = {.name = name, .nullable = true};
        ia_array *col;

        gen_open(&f.g, 80 + (uint64_t)k);
        field.type = gen_type(&f.g, k);
        col = edgy_column(&f.g, field.type, 40);
        GEN_OK(&f.g, ia_schema_new(&f.g.cx, &field, 1, &f.schema));
        GEN_OK(&f.g, ia_batch_make(&f.g.cx, f.schema, 40, &col, &f.batch));
        for (v = 0; v < 30; v++)
            for (op = IA_EXPR_EQ; op <= IA_EXPR_GE; op++)
                for (side = 0; side < 2; side++) {
                    const ia_scalar lit = number_literal(&f.g, v);
                    ia_expr *c = column(&f, "c"), *l = literal(&f, lit);
                    const char *got =
                        run(&f, binary(&f, (ia_expr_op)op, side ? l : c, side ? c : l));
                    int64_t i;

                    for (i = 0; i < 40; i++) {
                        ia_scalar x;

                        GEN_OK(&f.g, ia_scalar_get(&f.g.cx, f.batch->cols[0], i, &x));
                        assert_int_equal(got[i],
                                         naive((ia_expr_op)op, side ? &lit : &x, side ? &x : &lit));
                    }
                }
        shut(&f);
    }
}

static void columns_and_values_of_each_kind_compare(void **state)
{
    fixture f;
    int a, b, op;

    (void)state;
    open_wide(&f, 91, 30);
    for (a = 0; a < 22; a++)
        for (b = 0; b < 22; b++) {
            const ia_type *x = f.schema->fields[a].type, *y = f.schema->fields[b].type;
            char n1[16], n2[16];
            ia_expr *bound = NULL;

            snprintf(n1, sizeof n1, "c%d", a);
            snprintf(n2, sizeof n2, "c%d", b);
            for (op = IA_EXPR_EQ; op <= IA_EXPR_GE; op++) {
                ia_expr *e = binary(&f, (ia_expr_op)op, column(&f, n1), column(&f, n2));
                ia_scalar p, q;
                const char *got;
                int64_t i, j;

                if (!ia_scalar_comparable(x, y)) {
                    assert_int_equal(ia_expr_bind(&f.g.cx, &f.arena, e, f.schema, &bound),
                                     IA_ERR_INVALID);
                    assert_non_null(strstr(f.g.cx.err.text, n1));
                    continue;
                }
                got = run(&f, e);
                for (i = 0; i < 30; i++) {
                    GEN_OK(&f.g, ia_scalar_get(&f.g.cx, f.batch->cols[a], i, &p));
                    GEN_OK(&f.g, ia_scalar_get(&f.g.cx, f.batch->cols[b], i, &q));
                    assert_int_equal(got[i], naive((ia_expr_op)op, &p, &q));
                }
                j = gen_below(&f.g, 30); /* the same against one value of b */
                GEN_OK(&f.g, ia_scalar_get(&f.g.cx, f.batch->cols[b], j, &q));
                got = run(&f, binary(&f, (ia_expr_op)op, column(&f, n1), literal(&f, q)));
                for (i = 0; i < 30; i++) {
                    GEN_OK(&f.g, ia_scalar_get(&f.g.cx, f.batch->cols[a], i, &p));
                    assert_int_equal(got[i], naive((ia_expr_op)op, &p, &q));
                }
            }
        }
    shut(&f);
}

static void in_agrees_with_a_chain_of_equalities(void **state)
{
    static const int counts[] = {0, 1, 3, 9, 40};
    fixture f;
    int a, c, nulls;

    (void)state;
    open_wide(&f, 92, 30);
    for (a = 0; a < 22; a++)
        for (c = 0; c < 5; c++)
            for (nulls = 0; nulls < 2; nulls++) {
                ia_scalar items[41], x;
                ia_expr *e = NULL;
                char name[16], want;
                const char *got;
                int64_t i;
                int k, n = 0;

                snprintf(name, sizeof name, "c%d", a);
                for (k = 0; k < counts[c]; k++) {
                    GEN_OK(&f.g, ia_scalar_get(&f.g.cx, f.batch->cols[a], gen_below(&f.g, 30), &x));
                    if (!ia_scalar_is_null(&x))
                        items[n++] = x;
                }
                if (nulls)
                    items[n++] = ia_scalar_null();
                GEN_OK(&f.g, ia_expr_in(&f.g.cx, &f.arena, column(&f, name), items, (size_t)n, &e));
                got = run(&f, e);
                for (i = 0; i < 30; i++) {
                    GEN_OK(&f.g, ia_scalar_get(&f.g.cx, f.batch->cols[a], i, &x));
                    want = '0';
                    for (k = 0; k < n; k++) {
                        const char one = naive(IA_EXPR_EQ, &x, &items[k]);

                        want = one == '1' || want == '1' ? '1' : one == 'n' ? 'n' : want;
                    }
                    assert_int_equal(got[i], ia_scalar_is_null(&x) ? 'n' : want);
                }
            }
    shut(&f);
}

/* ---- logic --------------------------------------------------------------------------------- */

/* p: 0 0 0 n n n 1 1 1, q: 0 n 1 0 n 1 0 n 1 */
static void open_logic(fixture *f)
{
    char p[] = "p", q[] = "q";
    ia_field fields[2] = {{.name = p, .type = ia_type_basic(IA_TYPE_BOOL), .nullable = true},
                          {.name = q, .type = ia_type_basic(IA_TYPE_BOOL), .nullable = true}};
    ia_array *cols[2] = {0};
    int c, i;

    memset(f, 0, sizeof *f);
    gen_open(&f->g, 93);
    GEN_OK(&f->g, ia_schema_new(&f->g.cx, fields, 2, &f->schema));
    for (c = 0; c < 2; c++) {
        ia_builder b;

        GEN_OK(&f->g, ia_builder_init(&f->g.cx, &b, fields[c].type));
        for (i = 0; i < 9; i++) {
            const int v = c ? i % 3 : i / 3;

            if (v == 1)
                ia_builder_null(&f->g.cx, &b);
            else
                ia_builder_bool(&f->g.cx, &b, v == 2);
        }
        GEN_OK(&f->g, ia_builder_finish(&f->g.cx, &b, &cols[c]));
        ia_builder_dispose(&b);
    }
    GEN_OK(&f->g, ia_batch_make(&f->g.cx, f->schema, 9, cols, &f->batch));
}

static void logic_has_three_values(void **state)
{
    static const struct {
        const char *filter, *rows;
    } cases[] = {
        {"p AND q", "0000nn0n1"},
        {"p OR q", "0n1nn1111"},
        {"NOT p", "111nnn000"},
        {"p IS NULL", "000111000"},
        {"p IS NOT NULL", "111000111"},
        {"p = q", "1n0nnn0n1"},
        {"p != q", "0n1nnn1n0"},
        {"p < q", "0n1nnn0n0"},
        {"p AND null", "000nnnnnn"},
        {"p OR null", "nnnnnn111"},
        {"null", "nnnnnnnnn"},
        {"true", "111111111"},
        {"p = null", "nnnnnnnnn"},
        {"p IS TRUE", "000000111"},
        {"p IS NOT TRUE", "111111000"},
        {"p IS FALSE", "111000000"},
        {"p IN (true)", "000nnn111"},
        {"p IN (true, null)", "nnnnnn111"},
        {"p NOT IN (true, null)", "nnnnnn000"},
        {"(p AND q) = false", "1111nn1n0"},
        {"(p OR q) IS NULL", "010110000"},
        {"NOT (p AND q) OR q", "1111n11n1"},
        {"1 = 1", "111111111"},
        {"1 > 2 OR p", "000nnn111"},
        {"null IS NULL", "111111111"},
        {"null IN (1)", "nnnnnnnnn"},
        {"2 IN (1, 2)", "111111111"},
        {"'a' LIKE 'a%'", "111111111"},
    };
    fixture f;
    size_t i;

    (void)state;
    open_logic(&f);
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ia_expr *e = NULL;

        GEN_OK(&f.g, ia_sql_filter_parse(&f.g.cx, &f.arena, cases[i].filter,
                                         strlen(cases[i].filter), &e));
        if (strcmp(run(&f, e), cases[i].rows) != 0)
            fail_msg("%s gives %s, not %s", cases[i].filter, run(&f, e), cases[i].rows);
    }
    shut(&f);
}

static void filters_keep_the_true_rows(void **state)
{
    fixture f;
    ia_expr *e = NULL, *bound = NULL;
    ia_batch *out = NULL;

    (void)state;
    open_logic(&f);
    GEN_OK(&f.g, ia_sql_filter_parse(&f.g.cx, &f.arena, "p OR q", 6, &e));
    GEN_OK(&f.g, ia_expr_bind(&f.g.cx, &f.arena, e, f.schema, &bound));
    GEN_OK(&f.g, ia_expr_filter(&f.g.cx, bound, f.batch, &out));
    assert_int_equal(out->rows, 5);
    ia_batch_release(out);
    GEN_OK(&f.g, ia_expr_filter(&f.g.cx, NULL, f.batch, &out));
    assert_ptr_equal(out, f.batch);
    ia_batch_release(out);
    shut(&f);
}

/* ---- text and lists ------------------------------------------------------------------------ */

static void open_text(fixture *f)
{
    static const char *const texts[] = {"abc",    "",   "a%c", "\xc3\xa9t\xc3\xa9",
                                        "abcabc", NULL, "a_c", "ABC"};
    char s[] = "s", tags[] = "tags";
    ia_field fields[2] = {{.name = s, .type = ia_type_basic(IA_TYPE_STRING), .nullable = true},
                          {.name = tags, .nullable = true}};
    ia_array *cols[2] = {0};
    ia_builder b, l;
    int i;

    memset(f, 0, sizeof *f);
    gen_open(&f->g, 94);
    GEN_OK(&f->g,
           ia_type_list(&f->g.cx, IA_TYPE_LIST, 0, "item", fields[0].type, true, &fields[1].type));
    GEN_OK(&f->g, ia_schema_new(&f->g.cx, fields, 2, &f->schema));
    GEN_OK(&f->g, ia_builder_init(&f->g.cx, &b, fields[0].type));
    GEN_OK(&f->g, ia_builder_init(&f->g.cx, &l, fields[1].type));
    for (i = 0; i < 8; i++) {
        if (texts[i])
            ia_builder_str(&f->g.cx, &b, texts[i], strlen(texts[i]));
        else
            ia_builder_null(&f->g.cx, &b);
        if (i == 2) {
            ia_builder_null(&f->g.cx, &l);
            continue;
        }
        if (i % 2)
            ia_builder_str(&f->g.cx, &l.children[0], "odd", 3);
        if (i == 4)
            ia_builder_null(&f->g.cx, &l.children[0]);
        if (i > 4)
            ia_builder_str(&f->g.cx, &l.children[0], "high", 4);
        ia_builder_end_list(&f->g.cx, &l);
    }
    GEN_OK(&f->g, ia_builder_finish(&f->g.cx, &b, &cols[0]));
    GEN_OK(&f->g, ia_builder_finish(&f->g.cx, &l, &cols[1]));
    GEN_OK(&f->g, ia_batch_make(&f->g.cx, f->schema, 8, cols, &f->batch));
    ia_builder_dispose(&b);
    ia_builder_dispose(&l);
    ia_type_release(fields[1].type);
}

static void text_and_list_tests_see_bytes_and_items(void **state)
{
    static const struct {
        const char *filter, *rows;
    } cases[] = {
        {"s LIKE 'a%'", "10101n10"},
        {"s LIKE 'abc'", "10000n00"},
        {"s LIKE '%c'", "10101n10"},
        {"s LIKE '%b%'", "10001n00"},
        {"s LIKE 'a_c'", "10100n10"},
        {"s LIKE 'a\\_c'", "00000n10"},
        {"s LIKE 'a\\%c'", "00100n00"},
        {"s LIKE '_t_'", "00010n00"},
        {"s LIKE ''", "01000n00"},
        {"s LIKE '%'", "11111n11"},
        {"s LIKE '%bc%bc'", "00001n00"},
        {"s NOT LIKE 'a%'", "01010n01"},
        {"s LIKE 'a%c%'", "10101n10"},
        {"contains(s, 'bc')", "10001n00"},
        {"contains(s, '')", "11111n11"},
        {"starts_with(s, 'abc')", "10001n00"},
        {"contains(s, '%')", "00100n00"},
        {"contains(s, s)", "11111n11"},
        {"contains('abcabc', s)", "11001n00"},
        {"starts_with(s, null)", "nnnnnnnn"},
        {"array_has(tags, 'odd')", "01n10101"},
        {"contains(tags, 'high')", "00n00111"},
        {"array_has(tags, null)", "nnnnnnnn"},
        {"tags IS NULL", "00100000"},
        {"s >= 'abc'", "10011n00"},
        {"s = 'abc'", "10000n00"},
        {"'abc' < s", "00011n00"},
        {"s IN ('abc', 'x', '')", "11000n00"},
    };
    fixture f;
    size_t i;

    (void)state;
    open_text(&f);
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ia_expr *e = NULL;

        GEN_OK(&f.g, ia_sql_filter_parse(&f.g.cx, &f.arena, cases[i].filter,
                                         strlen(cases[i].filter), &e));
        if (strcmp(run(&f, e), cases[i].rows) != 0)
            fail_msg("%s gives %s, not %s", cases[i].filter, run(&f, e), cases[i].rows);
    }
    shut(&f);
}

/* The plainest possible LIKE. */
static bool naive_like(const char *s, const char *p)
{
    if (!*p)
        return !*s;
    if (*p == '%')
        return naive_like(s, p + 1) || (*s && naive_like(s + 1, p));
    return *s && (*p == '_' || *p == *s) && naive_like(s + 1, p + 1);
}

static void like_agrees_with_plain_backtracking(void **state)
{
    fixture f;
    int round;

    (void)state;
    memset(&f, 0, sizeof f);
    gen_open(&f.g, 95);
    for (round = 0; round < 3000; round++) {
        char s[12] = {0}, p[8] = {0};
        ia_expr *e = NULL, *bound = NULL;
        ia_scalar v;
        ia_array *a = NULL;
        ia_batch *b = NULL;
        int i, n = (int)gen_below(&f.g, 10), m = (int)gen_below(&f.g, 7);

        for (i = 0; i < n; i++)
            s[i] = (char)('a' + gen_below(&f.g, 2));
        for (i = 0; i < m; i++)
            p[i] = "ab%_"[gen_below(&f.g, 4)];
        v = ia_scalar_str(s, (size_t)n);
        if (!f.schema)
            GEN_OK(&f.g, ia_schema_new(&f.g.cx, NULL, 0, &f.schema));
        GEN_OK(&f.g, ia_batch_make(&f.g.cx, f.schema, 1, NULL, &b));
        GEN_OK(&f.g, ia_expr_like(&f.g.cx, &f.arena, literal(&f, v), p, (size_t)m, &e));
        GEN_OK(&f.g, ia_expr_bind(&f.g.cx, &f.arena, e, f.schema, &bound));
        GEN_OK(&f.g, ia_expr_eval(&f.g.cx, bound, b, &a));
        if (ia_array_bool(a, 0) != naive_like(s, p))
            fail_msg("'%s' LIKE '%s'", s, p);
        ia_array_release(a);
        ia_batch_release(b);
    }
    shut(&f);
}

/* ---- binding ------------------------------------------------------------------------------- */

static void binding_names_what_is_wrong(void **state)
{
    static const struct {
        const char *filter;
        ia_status st;
        const char *text;
    } cases[] = {
        {"nope = 1", IA_ERR_NOT_FOUND, "'nope'"},
        {"c4 = 'x'", IA_ERR_INVALID,
         "column 'c4' of type int64 cannot be compared (=) with value 'x'"},
        {"c12 = 1", IA_ERR_INVALID, "column 'c12' of type string"},
        {"c12 IN ('a', 1)", IA_ERR_INVALID, "(IN) with value 1"},
        {"c0 = 1", IA_ERR_INVALID, "bool"},
        {"c16 = 'tomorrow'", IA_ERR_INVALID,
         "column 'c16' of type date32 cannot be compared with 'tomorrow'"},
        {"c16 = 5", IA_ERR_INVALID, "date32"},
        {"c23 = 1", IA_ERR_INVALID, "list"},
        {"c22 = 1", IA_ERR_INVALID, "decimal128"},
        {"c4", IA_ERR_INVALID, "column 'c4' of type int64 stands where a condition is wanted"},
        {"c4 AND true", IA_ERR_INVALID, "condition"},
        {"NOT c12", IA_ERR_INVALID, "condition"},
        {"5", IA_ERR_INVALID, "condition"},
        {"c4 LIKE 'x'", IA_ERR_INVALID, "no string"},
        {"contains(c4, 'x')", IA_ERR_INVALID, "no string"},
        {"array_has(c4, 1)", IA_ERR_INVALID, "no list column"},
        {"array_has(c23, 'x')", IA_ERR_INVALID, "cannot be compared"},
    };
    fixture f;
    size_t i;

    (void)state;
    open_wide(&f, 96, 3);
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ia_expr *e = NULL, *bound = NULL;

        GEN_OK(&f.g, ia_sql_filter_parse(&f.g.cx, &f.arena, cases[i].filter,
                                         strlen(cases[i].filter), &e));
        ia_ctx_clear(&f.g.cx);
        assert_int_equal(ia_expr_bind(&f.g.cx, &f.arena, e, f.schema, &bound), cases[i].st);
        assert_null(bound);
        if (!strstr(f.g.cx.err.text, cases[i].text))
            fail_msg("%s: %s", cases[i].filter, f.g.cx.err.text);
    }
    shut(&f);
}

static void strings_beside_dates_are_read_as_dates(void **state)
{
    static const char *const same[][2] = {
        {"c16 < '1970-02-01'", "c16 < date '1970-02-01'"},
        {"c17 >= '1970-01-01T00:00:00.050Z'", "c17 >= timestamp '1970-01-01T00:00:00.050Z'"},
        {"c20 > '1970-01-01'", "c20 > date '1970-01-01'"},
        {"c20 = '1970-01-01T00:00:00.000050Z'", "c20 = timestamp '1970-01-01 00:00:00.000050'"},
        {"c16 IN ('1970-01-02', '1970-01-09')",
         "c16 = date '1970-01-02' OR c16 = date '1970-01-09'"},
        {"c21 < '00:00:00.000000050'", "c21 < time '00:00:00.000000050'"},
        {"c16 < '1970-01-31T12:00:00Z'", "c16 <= date '1970-01-31'"},
    };
    fixture f;
    size_t i;

    (void)state;
    open_wide(&f, 97, 60);
    for (i = 0; i < sizeof same / sizeof same[0]; i++) {
        ia_expr *a = NULL, *b = NULL;
        char want[128];

        GEN_OK(&f.g, ia_sql_filter_parse(&f.g.cx, &f.arena, same[i][0], strlen(same[i][0]), &a));
        GEN_OK(&f.g, ia_sql_filter_parse(&f.g.cx, &f.arena, same[i][1], strlen(same[i][1]), &b));
        snprintf(want, sizeof want, "%s", run(&f, b));
        assert_string_equal(run(&f, a), want);
        assert_non_null(strchr(want, '0'));
    }
    shut(&f);
}

static void columns_and_point_values_are_found(void **state)
{
    const char *filter = "a = 1 AND (b IN ('x', 'y') AND `c d` < 2) AND a != 3";
    fixture f;
    ia_expr *e = NULL;
    ia_strlist names = {0};
    const ia_scalar *v = NULL;
    size_t n = 0;

    (void)state;
    open_logic(&f);
    GEN_OK(&f.g, ia_sql_filter_parse(&f.g.cx, &f.arena, filter, strlen(filter), &e));
    GEN_OK(&f.g, ia_expr_columns(&f.g.cx, e, &names));
    assert_int_equal(names.n, 3);
    assert_string_equal(names.items[2], "c d");
    assert_true(ia_expr_point_values(e, "a", &v, &n));
    assert_int_equal(n, 1);
    assert_int_equal(v->v.i64, 1);
    assert_true(ia_expr_point_values(e, "b", &v, &n));
    assert_int_equal(n, 2);
    assert_false(ia_expr_point_values(e, "c d", &v, &n));
    assert_false(ia_expr_point_values(NULL, "a", &v, &n));
    ia_strlist_dispose(&names);
    shut(&f);
}

static void every_failing_allocation_of_a_filter_is_survived(void **state)
{
    const char *filter =
        "NOT (c4 IN (1, 2) OR c12 = 'a') AND c16 < '1970-02-01' AND contains(c12, 'b')";
    fixture f;
    ia_status st = IA_ERR_NO_MEMORY;
    uint64_t used;
    int64_t n;

    (void)state;
    open_wide(&f, 98, 10);
    used = ia_budget_used(f.g.budget);
    for (n = 0; st != IA_OK; n++) {
        ia_arena arena = {0};
        ia_expr *e = NULL, *bound = NULL;
        ia_batch *out = NULL;
        ia_array *a = NULL;

        ia_ctx_clear(&f.g.cx);
        ia_mem_fail_after(n);
        st = ia_sql_filter_parse(&f.g.cx, &arena, filter, strlen(filter), &e);
        if (st == IA_OK)
            st = ia_expr_bind(&f.g.cx, &arena, e, f.schema, &bound);
        if (st == IA_OK)
            st = ia_expr_eval(&f.g.cx, bound, f.batch, &a);
        if (st == IA_OK)
            st = ia_expr_filter(&f.g.cx, bound, f.batch, &out);
        ia_mem_fail_after(-1);
        assert_true(st == IA_OK || st == IA_ERR_NO_MEMORY);
        ia_array_release(a);
        ia_batch_release(out);
        ia_arena_dispose(&arena);
        assert_int_equal(ia_budget_used(f.g.budget), used);
        assert_true(n < 2000);
    }
    shut(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_agree_with_single_comparisons),
        cmocka_unit_test(columns_and_values_of_each_kind_compare),
        cmocka_unit_test(in_agrees_with_a_chain_of_equalities),
        cmocka_unit_test(logic_has_three_values),
        cmocka_unit_test(filters_keep_the_true_rows),
        cmocka_unit_test(text_and_list_tests_see_bytes_and_items),
        cmocka_unit_test(like_agrees_with_plain_backtracking),
        cmocka_unit_test(binding_names_what_is_wrong),
        cmocka_unit_test(strings_beside_dates_are_read_as_dates),
        cmocka_unit_test(columns_and_point_values_are_found),
        cmocka_unit_test(every_failing_allocation_of_a_filter_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
