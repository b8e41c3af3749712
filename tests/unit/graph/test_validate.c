/* test_validate.c - the evaluator's scenarios on a fake graph. */
#include "fake_view.h"

#include <stdio.h>

#include "arrow/builder.h"

static const char people[] =
    "node Person { name: String @key  email: String? @unique  age: I32?  score: F32?  big: I64?\n"
    "  code: String?  role: enum(admin, guest)?  channel: String?  handle: String?\n"
    "  @range(age, 0..120) @range(score, 0.5..0.9) @range(big, ..9007199254740992)\n"
    "  @check(code, \"ab+\") @unique(channel, handle) }\n"
    "node Company { name: String @key }\n"
    "edge Knows: Person -> Person { since: Date?  tag: String? @unique }\n"
    "edge WorksAt: Person -> Company @card(1..2)\n";

static void values_are_judged_row_by_row(void **state)
{
    fake f;
    (void)state;
    fake_open(&f, people);
    fake_write(&f, "Person",
               "[{\"id\":\"a\",\"name\":\"a\",\"age\":0},{\"id\":\"b\",\"name\":\"b\",\"age\":120},"
               "{\"id\":\"c\",\"name\":\"c\"}]");
    fake_expect(&f, NULL);
    fake_write(&f, "Person", "[{\"id\":\"a\",\"name\":\"a\",\"age\":121}]");
    fake_expect(&f, "@range violation on Person.age: value 121 is above the maximum 120");
    fake_write(&f, "Person", "[{\"id\":\"a\",\"name\":\"a\",\"age\":-1}]");
    fake_expect(&f, "@range violation on Person.age: value -1 is below the minimum 0");
    fake_write(&f, "Person", "[{\"id\":\"a\",\"name\":\"a\",\"role\":\"root\"}]");
    fake_expect(&f, "invalid enum value 'root' for Person.role (expected: admin, guest)");
    fake_close(&f);
}

static void ranges_are_exact_for_large_integers_and_in_float_width(void **state)
{
    fake f;
    (void)state;
    fake_open(&f, people);
    fake_write(&f, "Person", "[{\"id\":\"a\",\"name\":\"a\",\"big\":9007199254740992}]");
    fake_expect(&f, NULL);
    fake_write(&f, "Person", "[{\"id\":\"a\",\"name\":\"a\",\"big\":9007199254740993}]");
    fake_expect(&f, "@range violation on Person.big");
    fake_write(&f, "Person",
               "[{\"id\":\"a\",\"name\":\"a\",\"score\":0.9},{\"id\":\"b\",\"name\":\"b\","
               "\"score\":0.5}]");
    fake_expect(&f, NULL);
    fake_write(&f, "Person", "[{\"id\":\"a\",\"name\":\"a\",\"score\":\"nan\"}]");
    fake_expect(&f, "value NaN");
    fake_write(&f, "Person", "[{\"id\":\"a\",\"name\":\"a\",\"score\":\"-inf\"}]");
    fake_expect(&f, "below the minimum");
    fake_close(&f);
}

static void checks_search_anywhere_in_the_value(void **state)
{
    fake f;
    (void)state;
    fake_open(&f, people);
    fake_write(&f, "Person",
               "[{\"id\":\"a\",\"name\":\"a\",\"code\":\"xabbx\"},{\"id\":\"b\",\"name\":\"b\"}]");
    fake_expect(&f, NULL);
    fake_write(&f, "Person", "[{\"id\":\"a\",\"name\":\"a\",\"code\":\"xa\"}]");
    fake_expect(&f, "@check violation on Person.code: value 'xa' does not match 'ab+'");
    fake_close(&f);
}

static void superseded_rows_are_value_checked_too(void **state)
{
    fake f;
    (void)state;
    fake_open(&f, people);
    fake_write(&f, "Person", "[{\"id\":\"a\",\"name\":\"a\",\"role\":\"root\"}]");
    fake_write(&f, "Person", "[{\"id\":\"a\",\"name\":\"a\",\"role\":\"guest\"}]");
    fake_expect(&f, "invalid enum value 'root'");
    fake_close(&f);
}

static void equal_keys_in_one_batch_are_refused_even_with_one_id(void **state)
{
    fake f;
    (void)state;
    fake_open(&f, people);
    fake_write(&f, "Person", "[{\"id\":\"a\",\"name\":\"a\"},{\"id\":\"a\",\"name\":\"a\"}]");
    fake_expect(&f, "@unique violation on Person.name: value 'a' held by 'a' and 'a'");
    fake_write(&f, "Person", "[{\"id\":\"a\",\"name\":\"a\"}]");
    fake_write(&f, "Person", "[{\"id\":\"a\",\"name\":\"a\"}]");
    fake_change(&f, "Person")->one_batch = true;
    fake_expect(&f, "@unique violation on Person.name");
    fake_write(&f, "Person",
               "[{\"id\":\"a\",\"name\":\"a\",\"email\":\"x\"},{\"id\":\"b\",\"name\":\"b\","
               "\"email\":\"x\"}]");
    fake_expect(&f, "@unique violation on Person.email: value 'x' held by 'a' and 'b'");
    fake_close(&f);
}

static void a_later_batch_supersedes_and_frees_values(void **state)
{
    fake f;
    (void)state;
    fake_open(&f, people);
    fake_store(&f, "Person", "[{\"id\":\"Alice\",\"name\":\"Alice\",\"email\":\"orig\"}]");
    fake_write(&f, "Person", "[{\"id\":\"Alice\",\"name\":\"Alice\",\"email\":\"temp\"}]");
    fake_write(&f, "Person", "[{\"id\":\"Alice\",\"name\":\"Alice\",\"email\":\"final\"}]");
    fake_write(&f, "Person", "[{\"id\":\"Carol\",\"name\":\"Carol\",\"email\":\"temp\"}]");
    fake_expect(&f, NULL);
    fake_write(&f, "Person", "[{\"id\":\"Alice\",\"name\":\"Alice\"}]");
    fake_write(&f, "Person", "[{\"id\":\"Carol\",\"name\":\"Carol\",\"email\":\"orig\"}]");
    fake_expect(&f, NULL);
    fake_write(&f, "Person", "[{\"id\":\"Carol\",\"name\":\"Carol\",\"email\":\"temp\"}]");
    fake_write(&f, "Person", "[{\"id\":\"Dave\",\"name\":\"Dave\",\"email\":\"temp\"}]");
    fake_expect(&f, "@unique violation on Person.email: value 'temp' held by 'Carol' and 'Dave'");
    fake_close(&f);
}

static void committed_values_are_probed_outside_the_change(void **state)
{
    fake f;
    (void)state;
    fake_open(&f, people);
    fake_store(
        &f, "Person",
        "[{\"id\":\"Bob\",\"name\":\"Bob\",\"email\":\"dup\"},{\"id\":\"Eve\",\"name\":\"Eve\"}]");
    fake_write(&f, "Person",
               "[{\"id\":\"Carol\",\"name\":\"Carol\",\"email\":\"dup\"},"
               "{\"id\":\"Dave\",\"name\":\"Dave\",\"email\":\"ok\"}]");
    fake_expect(&f, "@unique violation on Person.email: value 'dup' held by 'Bob' and 'Carol'");
    fake_write(&f, "Person",
               "[{\"id\":\"Bob\",\"name\":\"Bob\",\"email\":\"dup\"}]"); /* again the same row */
    fake_expect(&f, NULL);
    fake_write(&f, "Person", "[{\"id\":\"Carol\",\"name\":\"Carol\",\"email\":\"dup\"}]");
    fake_delete(&f, "Person", "Bob");
    fake_expect(&f, NULL);
    fake_overwrite(&f, "Person", "[{\"id\":\"Carol\",\"name\":\"Carol\",\"email\":\"dup\"}]");
    fake_expect(&f, NULL);
    fake_close(&f);
}

static void typed_values_collide_by_value(void **state)
{
    static const struct {
        const char *type, *a, *same, *other;
    } cases[] = {
        {"Bool", "true", "true", "false"},
        {"I32", "-7", "-7", "7"},
        {"U64", "7", "7", "8"},
        {"I64", "9007199254740993", "9007199254740993", "9007199254740992"},
        {"F32", "0.1", "0.1", "0.2"},
        {"F64", "0.1", "0.1", "0.10000000000000002"},
        {"F64", "-0.0", "0.0", "1.0"},
        {"Date", "19782", "19782", "19783"},
        {"DateTime", "1704067200000", "1704067200000", "1704067200001"},
        {"String", "\"1\"", "\"1\"", "\"01\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        fake f;
        snprintf(text, sizeof text, "node T { v: %s? @unique }", cases[i].type);
        fake_open(&f, text);
        snprintf(text, sizeof text, "[{\"id\":\"1\",\"v\":%s},{\"id\":\"9\"}]", cases[i].a);
        fake_store(&f, "T", text);
        snprintf(text, sizeof text, "[{\"id\":\"2\",\"v\":%s},{\"id\":\"8\"}]", cases[i].same);
        fake_write(&f, "T", text);
        fake_expect(&f, "@unique violation on T.v");
        snprintf(text, sizeof text, "[{\"id\":\"2\",\"v\":%s},{\"id\":\"8\"}]", cases[i].other);
        fake_write(&f, "T", text);
        fake_expect(&f, NULL);
        fake_close(&f);
    }
}

static void composite_groups_compare_tuples(void **state)
{
    fake f;
    (void)state;
    fake_open(&f, people);
    fake_store(&f, "Person",
               "[{\"id\":\"a\",\"name\":\"a\",\"channel\":\"x|y\",\"handle\":\"z\"},"
               "{\"id\":\"b\",\"name\":\"b\",\"channel\":\"a1\",\"handle\":\"b2\"}]");
    fake_write(&f, "Person",
               "[{\"id\":\"c\",\"name\":\"c\",\"channel\":\"x\",\"handle\":\"y|z\"},"
               "{\"id\":\"d\",\"name\":\"d\",\"channel\":\"a1\",\"handle\":\"b1\"},"
               "{\"id\":\"e\",\"name\":\"e\",\"channel\":\"a2\",\"handle\":\"b2\"},"
               "{\"id\":\"f\",\"name\":\"f\",\"channel\":\"a1\\u001f\",\"handle\":\"b1\"},"
               "{\"id\":\"g\",\"name\":\"g\",\"channel\":\"a1\",\"handle\":\"\\u001fb1\"},"
               "{\"id\":\"h\",\"name\":\"h\",\"channel\":\"a1\"}]");
    fake_expect(&f, NULL);
    fake_write(&f, "Person",
               "[{\"id\":\"c\",\"name\":\"c\",\"channel\":\"a1\",\"handle\":\"b2\"}]");
    fake_expect(
        &f, "@unique violation on Person.(channel, handle): value '(a1, b2)' held by 'b' and 'c'");
    fake_close(&f);
}

static void canonical_float_texts_have_no_exponent(void **state)
{
    static const struct {
        double v;
        const char *text;
    } cases[] = {
        {0.0, "0"},
        {-0.0, "0"},
        {1.0, "1"},
        {-2.5, "-2.5"},
        {1e-7, "0.0000001"},
        {1.5e20, "150000000000000000000"},
        {123456.75, "123456.75"},
        {100.0, "100"},
        {0.1, "0.1"},
        {-1e21, "-1000000000000000000000"},
    };
    env e = env_new(0);
    ia_builder b = {0};
    ia_array *a = NULL;
    ia_buf text = {0};
    (void)state;
    assert_ok(ia_builder_init(&e.cx, &b, ia_type_basic(IA_TYPE_F64)));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ia_builder_f64(&e.cx, &b, cases[i].v);
    ia_builder_f64(&e.cx, &b, __builtin_nan(""));
    ia_builder_f64(&e.cx, &b, __builtin_inf());
    assert_ok(ia_builder_finish(&e.cx, &b, &a));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ia_buf_clear(&text);
        assert_ok(ia_canonical_text(&e.cx, a, (int64_t)i, &text));
        assert_string_equal((const char *)text.data, cases[i].text);
    }
    assert_fails(ia_canonical_text(&e.cx, a, a->length - 2, &text), IA_ERR_CONSTRAINT);
    assert_fails(ia_canonical_text(&e.cx, a, a->length - 1, &text), IA_ERR_CONSTRAINT);
    ia_array_release(a);
    ia_builder_dispose(&b);
    ia_buf_dispose(&text);
    env_end(&e);
}

static void ids_of_composite_keys_are_json_in_property_id_order(void **state)
{
    fake f;
    ia_buf id = {0};
    (void)state;
    fake_open(&f, "node Slot { tenant: String  slot: I32  @key(tenant, slot) }");
    ia_batch *b = fake_rows(&f, "Slot", "[{\"id\":\"\",\"tenant\":\"ac\\\"me\",\"slot\":7}]");
    assert_ok(ia_node_key_id(&f.e.cx, b, 0, f.cat->types[0], &id));
    assert_string_equal((const char *)id.data, "[\"7\",\"ac\\\"me\"]");
    ia_buf_dispose(&id);
    ia_batch_release(b);
    fake_close(&f);
}

static void a_value_without_identity_is_an_error_not_an_exemption(void **state)
{
    const ia_validate_options opt = {.all = true, .value_rules = true};
    fake f;
    (void)state;
    fake_open(&f, "node T { v: F64? @unique }");
    fake_write(&f, "T", "[{\"id\":\"1\",\"v\":\"nan\"}]");
    assert_fails(ia_validate(&f.e.cx, &f.cs, &f.view, &opt, &f.found), IA_ERR_CONSTRAINT);
    assert_non_null(strstr(f.e.cx.err.text, "T.v"));
    fake_close(&f);
}

static void edges_need_their_nodes_in_the_final_image(void **state)
{
    fake f;
    (void)state;
    fake_open(&f, people);
    fake_store(&f, "Person",
               "[{\"id\":\"Alice\",\"name\":\"Alice\"},{\"id\":\"Bob\",\"name\":\"Bob\"}]");
    fake_write(&f, "Knows", "[{\"id\":\"e1\",\"src\":\"Alice\",\"dst\":\"Ghost\"}]");
    fake_expect(&f, "dst 'Ghost' not found in Person");
    fake_write(&f, "Knows", "[{\"id\":\"e1\",\"src\":\"Ghost\",\"dst\":\"Alice\"}]");
    fake_expect(&f, "src 'Ghost' not found in Person");
    fake_write(&f, "Knows", "[{\"id\":\"e1\",\"src\":\"Alice\",\"dst\":\"Eve\"}]");
    fake_write(&f, "Person", "[{\"id\":\"Eve\",\"name\":\"Eve\"}]");
    fake_expect(&f, NULL);
    fake_write(&f, "Knows", "[{\"id\":\"e9\",\"src\":\"Alice\",\"dst\":\"Ghost\"}]");
    fake_write(&f, "Knows", "[{\"id\":\"e9\",\"src\":\"Alice\",\"dst\":\"Bob\"}]"); /* supersedes */
    fake_expect(&f, NULL);
    fake_write(&f, "Knows", "[{\"id\":\"e1\",\"src\":\"Alice\",\"dst\":\"Bob\"}]");
    fake_delete(&f, "Person", "Bob");
    fake_expect(&f, "dst 'Bob' not found in Person");
    fake_close(&f);
}

static void removed_nodes_strand_committed_edges(void **state)
{
    fake f;
    (void)state;
    fake_open(&f, people);
    fake_store(&f, "Person",
               "[{\"id\":\"Alice\",\"name\":\"Alice\"},{\"id\":\"Bob\",\"name\":\"Bob\"}]");
    fake_store(&f, "Knows", "[{\"id\":\"e1\",\"src\":\"Alice\",\"dst\":\"Bob\"}]");
    fake_delete(&f, "Person", "Bob");
    fake_judge(&f, true);
    assert_int_equal(f.found.n, 1);
    assert_int_equal(f.found.items[0].kind, IA_VIOLATION_ORPHAN);
    assert_string_equal(f.found.items[0].id, "e1");
    fake_expect(&f, "dst 'Bob' not found in Person");
    fake_delete(&f, "Person", "Bob");
    fake_delete(&f, "Knows", "e1");
    fake_expect(&f, NULL);
    fake_overwrite(&f, "Person", "[{\"id\":\"Alice\",\"name\":\"Alice\"}]");
    fake_expect(&f, "dst 'Bob' not found in Person");
    fake_overwrite(&f, "Person", "[{\"id\":\"Alice\",\"name\":\"Alice\"}]");
    fake_overwrite(&f, "Knows", "[]");
    fake_expect(&f, NULL);
    fake_overwrite(&f, "Person", "[{\"id\":\"Carol\",\"name\":\"Carol\"}]");
    fake_overwrite(&f, "Knows", "[{\"id\":\"e2\",\"src\":\"Carol\",\"dst\":\"Carol\"}]");
    fake_expect(&f, NULL);
    fake_overwrite(&f, "Knows", "[{\"id\":\"e2\",\"src\":\"Bob\",\"dst\":\"Alice\"}]");
    fake_expect(&f, NULL);
    fake_close(&f);
}

static void both_ends_of_an_edge_can_be_stranded(void **state)
{
    fake f;
    (void)state;
    fake_open(&f, people);
    fake_store(&f, "Person", "[{\"id\":\"A\",\"name\":\"A\"}]");
    fake_store(&f, "Knows",
               "[{\"id\":\"e2\",\"src\":\"A\",\"dst\":\"A\"},{\"id\":\"e1\",\"src\":\"A\",\"dst\":"
               "\"A\"}]");
    fake_delete(&f, "Person", "A");
    fake_judge(&f, true);
    assert_int_equal(f.found.n, 4);
    assert_non_null(
        strstr(f.found.items[0].message, "src 'A' not found in Person (edge Knows 'e1')"));
    assert_non_null(
        strstr(f.found.items[1].message, "dst 'A' not found in Person (edge Knows 'e1')"));
    assert_non_null(
        strstr(f.found.items[3].message, "dst 'A' not found in Person (edge Knows 'e2')"));
    fake_close(&f);
}

static void store_workers(fake *f)
{
    fake_store(f, "Person",
               "[{\"id\":\"Alice\",\"name\":\"Alice\"},{\"id\":\"Bob\",\"name\":\"Bob\"}]");
    fake_store(f, "Company",
               "[{\"id\":\"Acme\",\"name\":\"Acme\"},{\"id\":\"Beta\",\"name\":\"Beta\"}]");
    fake_store(f, "WorksAt", "[{\"id\":\"E1\",\"src\":\"Alice\",\"dst\":\"Acme\"}]");
}

static void cardinality_counts_the_final_image(void **state)
{
    fake f;
    (void)state;
    fake_open(&f, people);
    store_workers(&f);
    fake_write(&f, "WorksAt", "[{\"id\":\"E2\",\"src\":\"Alice\",\"dst\":\"Beta\"}]");
    fake_expect(&f, NULL);
    fake_write(&f, "WorksAt",
               "[{\"id\":\"E2\",\"src\":\"Alice\",\"dst\":\"Beta\"},"
               "{\"id\":\"E3\",\"src\":\"Alice\",\"dst\":\"Beta\"}]");
    fake_expect(&f, "@card violation on edge WorksAt: source 'Alice' has 3 edges (max 2)");
    fake_write(&f, "WorksAt",
               "[{\"id\":\"E1\",\"src\":\"Alice\",\"dst\":\"Beta\"},"
               "{\"id\":\"E2\",\"src\":\"Alice\",\"dst\":\"Beta\"}]"); /* E1 counts once */
    fake_expect(&f, NULL);
    fake_write(&f, "WorksAt",
               "[{\"id\":\"E4\",\"src\":\"Alice\",\"dst\":\"Beta\"},{\"id\":\"E5\",\"src\":"
               "\"Alice\",\"dst\":\"Beta\"},"
               "{\"id\":\"E5\",\"src\":\"Bob\",\"dst\":\"Beta\"}]"); /* E5 at its last source */
    fake_expect(&f, NULL);
    fake_close(&f);
}

static void sources_that_lost_an_edge_are_counted_again(void **state)
{
    fake f;
    (void)state;
    fake_open(&f, people);
    store_workers(&f);
    fake_delete(&f, "WorksAt", "E1");
    fake_expect(&f, "@card violation on edge WorksAt: source 'Alice' has 0 edges (min 1)");
    fake_write(&f, "WorksAt", "[{\"id\":\"E1\",\"src\":\"Bob\",\"dst\":\"Acme\"}]"); /* moved */
    fake_expect(&f, "source 'Alice' has 0 edges (min 1)");
    fake_delete(&f, "WorksAt", "E1");
    fake_delete(&f, "Person", "Alice"); /* the source goes too */
    fake_expect(&f, NULL);
    fake_delete(&f, "WorksAt", "E1");
    fake_delete(&f, "Company", "Acme");
    fake_expect(&f, "source 'Alice' has 0 edges (min 1)");
    fake_overwrite(&f, "WorksAt", "[{\"id\":\"E7\",\"src\":\"Bob\",\"dst\":\"Acme\"}]");
    fake_expect(&f, "source 'Alice' has 0 edges (min 1)");
    fake_write(&f, "Person",
               "[{\"id\":\"New\",\"name\":\"New\"}]"); /* a fresh node has no edges yet */
    fake_expect(&f, NULL);
    fake_close(&f);
}

static void untouched_tables_and_unbounded_edges_are_not_probed(void **state)
{
    fake f;
    (void)state;
    fake_open(&f, people);
    store_workers(&f);
    fake_judge(&f, true); /* empty change */
    for (size_t i = 0; i < f.cat->n_types; i++)
        assert_int_equal(f.asked[i], 0);
    fake_write(&f, "Knows", "[{\"id\":\"k\",\"src\":\"Alice\",\"dst\":\"Bob\"}]");
    fake_judge(&f, true);
    assert_int_equal(f.found.n, 0);
    assert_int_equal(f.has_calls, 1);
    assert_int_equal(f.edge_calls + f.id_calls + f.tuple_calls, 0);
    assert_int_equal(f.asked[fake_type(&f, "Company")] + f.asked[fake_type(&f, "WorksAt")], 0);
    fake_reset(&f);
    fake_write(&f, "Person", "[{\"id\":\"k\",\"name\":\"k\",\"email\":\"m\"}]");
    fake_judge(&f, true);
    assert_int_equal(f.tuple_calls, 1); /* the key is not probed, nor is the group of nulls */
    fake_close(&f);
}

static void the_first_violation_is_enough_for_a_write(void **state)
{
    fake f;
    (void)state;
    fake_open(&f, people);
    fake_write(&f, "Person",
               "[{\"id\":\"a\",\"name\":\"a\",\"age\":500,\"role\":\"root\",\"email\":\"x\"},"
               "{\"id\":\"b\",\"name\":\"b\",\"email\":\"x\"}]");
    fake_judge(&f, false);
    assert_int_equal(f.found.n, 1);
    assert_non_null(strstr(f.found.items[0].message, "@range"));
    fake_judge(&f, true);
    assert_int_equal(f.found.n, 3);
    assert_non_null(strstr(f.found.items[1].message, "invalid enum"));
    assert_non_null(strstr(f.found.items[2].message, "@unique"));
    fake_close(&f);
}

static void input_lines_are_named(void **state)
{
    fake f;
    uint64_t *lines;
    (void)state;
    fake_open(&f, people);
    ia_batch *b = fake_rows(
        &f, "Person", "[{\"id\":\"a\",\"name\":\"a\"},{\"id\":\"b\",\"name\":\"b\",\"age\":999}]");
    lines = ia_calloc(&f.e.cx, 2, sizeof *lines);
    assert_non_null(lines);
    lines[0] = 3;
    lines[1] = 9;
    assert_ok(ia_tchange_add_lines(&f.e.cx, fake_change(&f, "Person"), b, lines));
    ia_batch_release(b);
    fake_judge(&f, false);
    assert_fails(ia_violations_fail(&f.e.cx, f.cat, &f.found), IA_ERR_CONSTRAINT);
    assert_non_null(strstr(f.e.cx.err.text, "line 9: @range violation on Person.age"));
    fake_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_judged_row_by_row),
        cmocka_unit_test(ranges_are_exact_for_large_integers_and_in_float_width),
        cmocka_unit_test(checks_search_anywhere_in_the_value),
        cmocka_unit_test(superseded_rows_are_value_checked_too),
        cmocka_unit_test(equal_keys_in_one_batch_are_refused_even_with_one_id),
        cmocka_unit_test(a_later_batch_supersedes_and_frees_values),
        cmocka_unit_test(committed_values_are_probed_outside_the_change),
        cmocka_unit_test(typed_values_collide_by_value),
        cmocka_unit_test(composite_groups_compare_tuples),
        cmocka_unit_test(canonical_float_texts_have_no_exponent),
        cmocka_unit_test(ids_of_composite_keys_are_json_in_property_id_order),
        cmocka_unit_test(a_value_without_identity_is_an_error_not_an_exemption),
        cmocka_unit_test(edges_need_their_nodes_in_the_final_image),
        cmocka_unit_test(removed_nodes_strand_committed_edges),
        cmocka_unit_test(both_ends_of_an_edge_can_be_stranded),
        cmocka_unit_test(cardinality_counts_the_final_image),
        cmocka_unit_test(sources_that_lost_an_edge_are_counted_again),
        cmocka_unit_test(untouched_tables_and_unbounded_edges_are_not_probed),
        cmocka_unit_test(the_first_violation_is_enough_for_a_write),
        cmocka_unit_test(input_lines_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
