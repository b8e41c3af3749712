/* test_params.c - parameter values from JSON, evaluation and coercion. */
#include "lang_fixture.h"

static const char *const query_text =
    "query q($s: String, $i: I32, $l: I64, $u: U32, $w: U64, $f: F64, $b: Bool, $d: Date, $t: "
    "DateTime, $ls: [I32], "
    "$v: Vector(2), $o: String?) { match { $p: Person { name: $s } } return { $s, $i, $l, $u, $w, "
    "$f, $b, $d, $t, $ls, $v, $o } }";

/* Every value given, with one member replaced. */
static ia_status parse(lang_test *t, const char *json, ia_params **out)
{
    ia_catalog *c = lang_schema(t, PEOPLE);
    ia_gq_query *q = lang_query(t, c, query_text);
    ia_status st = ia_params_parse(&t->cx, q, json, json ? strlen(json) : 0, out);

    ia_gq_query_free(q);
    ia_catalog_release(c);
    return st;
}

static void refused(const char *json, const char *part)
{
    lang_test t;
    ia_params *p;

    lang_test_begin(&t);
    assert_int_equal(parse(&t, json, &p), IA_ERR_INVALID);
    assert_null(p);
    if (!strstr(t.cx.err.text, part))
        print_error("%s: %s\n", json, t.cx.err.text);
    assert_non_null(strstr(t.cx.err.text, part));
    lang_test_end(&t);
}

static void values_take_their_declared_type(void **state)
{
    lang_test t;
    ia_params *p;
    (void)state;

    lang_test_begin(&t);
    assert_int_equal(parse(&t,
                           "{\"s\":\"a\\u0000b\",\"i\":\"25\",\"l\":9007199254740993,\"u\":"
                           "4294967295,\"w\":9223372036854775807,\"f\":3,"
                           "\"b\":true,\"d\":\"2024-02-29\",\"t\":\"2024-01-01T01:00:00+01:00\","
                           "\"ls\":[1,\"-2\"],\"v\":[1,0.5],\"o\":null}",
                           &p),
                     IA_OK);
    assert_int_equal(p->values[0].s.len, 3);
    assert_int_equal(p->values[1].i, 25);
    assert_true(p->values[2].i == 9007199254740993);
    assert_true(p->values[3].i == 4294967295);
    assert_true(p->values[4].i == INT64_MAX);
    assert_int_equal(p->values[5].kind, IA_GQ_FLOAT);
    assert_true(p->values[6].b);
    assert_int_equal(p->values[7].i, 19782);
    assert_true(p->values[8].i == 1704067200000);
    assert_int_equal(p->values[9].n, 2);
    assert_int_equal(p->values[9].items[1].i, -2);
    assert_int_equal(p->values[10].items[0].kind, IA_GQ_FLOAT);
    assert_int_equal(p->values[11].kind, IA_GQ_NULL);
    assert_true(p->given[11]);
    ia_params_free(p);
    lang_test_end(&t);
}

static void wrong_values_name_the_parameter(void **state)
{
    (void)state;
    refused("[]", "params must be a JSON object");
    refused("{", "params: ");
    refused("{\"s\":3}", "param 's': expected string, got a number");
    refused("{\"i\":3000000000}", "param 'i': value 3000000000 exceeds I32");
    refused("{\"i\":1.5}", "param 'i': expected an integer");
    refused("{\"i\":\"1.5\"}", "param 'i': expected an integer");
    refused("{\"i\":\"\"}", "param 'i': expected an integer");
    refused("{\"i\":\"-\"}", "param 'i': expected an integer");
    refused("{\"l\":\"9223372036854775808\"}", "param 'l': expected an integer");
    refused("{\"u\":-1}", "param 'u': value -1 exceeds U32");
    refused("{\"w\":9223372036854775808}", "param 'w': value 9223372036854775808 exceeds I64");
    refused("{\"f\":\"3\"}", "param 'f': expected float, got a string");
    refused("{\"b\":1}", "param 'b': expected boolean");
    refused("{\"d\":\"2023-02-29\"}", "param 'd': expected a date string");
    refused("{\"d\":19000}", "param 'd': expected a date string");
    refused("{\"t\":\"noon\"}", "param 't': expected a date-time string");
    refused("{\"ls\":3}", "param 'ls': expected an array");
    refused("{\"ls\":[null]}", "param 'ls': expected an integer, got null");
    refused("{\"v\":[1]}", "param 'v': expected 2 values, got 1");
    refused("{\"s\":null}", "param 's': null for a parameter that is not nullable");
    refused("{\"extra\":{}}", "param 'extra': expected a string");
}

static void omitted_values_are_an_error_only_when_used(void **state)
{
    lang_test t;
    ia_catalog *c;
    ia_gq_query *q;
    ia_params *p;
    ia_gq_value v;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, PEOPLE);
    q = lang_query(&t, c, query_text);
    assert_int_equal(ia_params_parse(&t.cx, q, "{\"extra\":1,\"i\":7}", 17, &p), IA_OK);
    assert_int_equal(ia_gq_eval(&t.cx, p, &q->projections[0].expr, &v), IA_ERR_INVALID);
    assert_string_equal(t.cx.err.text, "parameter 's' not provided");
    assert_int_equal(ia_gq_eval(&t.cx, p, &q->projections[1].expr, &v), IA_OK);
    assert_int_equal(v.i, 7);
    assert_int_equal(ia_gq_eval(&t.cx, p, &q->projections[11].expr, &v), IA_OK);
    assert_int_equal(v.kind, IA_GQ_NULL);
    ia_params_free(p);
    assert_int_equal(ia_params_parse(&t.cx, q, NULL, 0, &p), IA_OK);
    ia_params_free(p);
    assert_int_equal(ia_params_parse(&t.cx, q, "null", 4, &p), IA_OK);
    ia_params_free(p);
    ia_gq_query_free(q);
    ia_catalog_release(c);
    lang_test_end(&t);
}

static void now_is_one_instant(void **state)
{
    lang_test t;
    ia_catalog *c;
    ia_gq_query *q;
    ia_params *p;
    ia_gq_value a, b;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, "node N { at: DateTime }");
    q = lang_query(
        &t, c, "query q() { match { $n: N { at: now() } $n.at <= now() } return { now() as t } }");
    assert_true(q->uses_now);
    assert_int_equal(ia_params_parse(&t.cx, q, NULL, 0, &p), IA_OK);
    assert_int_equal(ia_gq_eval(&t.cx, p, &q->clauses[0].binding.matches[0].rhs, &a), IA_OK);
    assert_int_equal(ia_gq_eval(&t.cx, p, &q->projections[0].expr, &b), IA_OK);
    assert_int_equal(a.kind, IA_GQ_DATETIME);
    assert_true(a.i == b.i);
    assert_true(a.i > 1600000000000);
    ia_params_free(p);
    ia_gq_query_free(q);
    ia_catalog_release(c);
    lang_test_end(&t);
}

static void coercion_follows_the_column(void **state)
{
    lang_test t;
    ia_catalog *c;
    ia_arena a = {NULL};
    const ia_property *p;
    ia_gq_value in, out, items[2];
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(
        &t, "node N { a_int: I32 b_float: F32? c_enum: enum(x, y) d_list: [I64]? e_u: U64 }");
    p = c->types[0]->properties;
    memset(&in, 0, sizeof in);
    assert_int_equal(ia_gq_coerce(&t.cx, &a, &p[0], "N.a", &in, &out), IA_ERR_INVALID);
    assert_int_equal(ia_gq_coerce(&t.cx, &a, &p[1], "N.b", &in, &out), IA_OK);
    assert_int_equal(out.kind, IA_GQ_NULL);
    in.kind = IA_GQ_INT;
    in.i = -1;
    assert_int_equal(ia_gq_coerce(&t.cx, &a, &p[0], "N.a", &in, &out), IA_OK);
    assert_int_equal(ia_gq_coerce(&t.cx, &a, &p[4], "N.e", &in, &out), IA_ERR_INVALID);
    assert_string_equal(t.cx.err.text, "N.e: value -1 exceeds U64");
    assert_int_equal(ia_gq_coerce(&t.cx, &a, &p[1], "N.b", &in, &out), IA_OK);
    assert_int_equal(out.kind, IA_GQ_FLOAT);
    in.kind = IA_GQ_FLOAT;
    in.f = 1e39;
    assert_int_equal(ia_gq_coerce(&t.cx, &a, &p[1], "N.b", &in, &out), IA_ERR_INVALID);
    assert_int_equal(ia_gq_coerce(&t.cx, &a, &p[0], "N.a", &in, &out), IA_ERR_INVALID);
    in.kind = IA_GQ_STRING;
    in.s = ia_view_of("z");
    assert_int_equal(ia_gq_coerce(&t.cx, &a, &p[2], "N.c", &in, &out), IA_ERR_INVALID);
    assert_string_equal(t.cx.err.text, "invalid enum value 'z' for N.c (expected: x, y)");
    memset(items, 0, sizeof items);
    items[0].kind = IA_GQ_INT;
    in.kind = IA_GQ_LIST;
    in.items = items;
    in.n = 2;
    assert_int_equal(ia_gq_coerce(&t.cx, &a, &p[3], "N.d", &in, &out), IA_ERR_INVALID);
    assert_string_equal(t.cx.err.text, "N.d: list items cannot be null");
    in.n = 1;
    assert_int_equal(ia_gq_coerce(&t.cx, &a, &p[3], "N.d", &in, &out), IA_OK);
    assert_int_equal(out.n, 1);
    ia_arena_dispose(&a);
    ia_catalog_release(c);
    lang_test_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_take_their_declared_type),
        cmocka_unit_test(wrong_values_name_the_parameter),
        cmocka_unit_test(omitted_values_are_an_error_only_when_used),
        cmocka_unit_test(now_is_one_instant),
        cmocka_unit_test(coercion_follows_the_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
