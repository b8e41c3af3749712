/* test_query_tree.c - what the checked tree says about a query. */
#include "lang_fixture.h"

/* style: long - one query, every member of its tree */
static void a_read_is_resolved(void **state)
{
    static const char *const text =
        "query friends($who: String) @description(\"d\") @instruction(\"i\") {\n"
        "  match { $p: Person { name: $who } $p $w: knows $f $f worksAt $c $f.age >= 18 }\n"
        "  return { $p, $f.name, $f.age as years, $w.since, $who, 3 }\n"
        "  order { years desc, $c.name }\n"
        "  limit 10\n}";
    lang_test t;
    ia_catalog *c;
    ia_gq_query *q;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, PEOPLE);
    q = lang_query(&t, c, text);
    assert_string_equal(q->name, "friends");
    assert_string_equal(q->description, "d");
    assert_string_equal(q->instruction, "i");
    assert_false(q->is_mutation);
    assert_false(q->uses_now);
    assert_int_equal(q->n_vars, 4);
    assert_string_equal(q->vars[0].name, "p");
    assert_true(q->vars[0].bound_explicitly);
    assert_string_equal(q->vars[1].name, "f");
    assert_false(q->vars[1].bound_explicitly);
    assert_string_equal(q->vars[2].name, "w");
    assert_true(q->vars[2].is_edge);
    assert_string_equal(q->vars[2].type->name, "Knows");
    assert_string_equal(q->vars[3].type->name, "Company");
    assert_int_equal(q->n_clauses, 4);
    assert_int_equal(q->clauses[0].binding.n_matches, 1);
    assert_int_equal(q->clauses[0].binding.matches[0].lhs.prop, 1);
    assert_int_equal(q->clauses[0].binding.matches[0].op, IA_GQ_EQ);
    assert_int_equal(q->clauses[0].binding.matches[0].rhs.kind, IA_GQ_PARAM);
    assert_int_equal(q->clauses[1].traversal.left, 0);
    assert_int_equal(q->clauses[1].traversal.right, 1);
    assert_int_equal(q->clauses[1].traversal.edge_var, 2);
    assert_int_equal(q->clauses[1].traversal.min_hops, 1);
    assert_int_equal(q->clauses[1].traversal.max_hops, 1);
    assert_int_equal(q->clauses[3].kind, IA_GQ_FILTER);
    assert_int_equal(q->clauses[3].filter.op, IA_GQ_GE);
    assert_int_equal(q->clauses[3].filter.rhs.value.i, 18);
    assert_int_equal(q->n_projections, 6);
    assert_string_equal(q->projections[0].name, "p");
    assert_int_equal(q->projections[0].type.scalar, IA_PK_STRING);
    assert_string_equal(q->projections[1].name, "f.name");
    assert_string_equal(q->projections[2].name, "years");
    assert_true(q->projections[2].type.nullable);
    assert_string_equal(q->projections[3].name, "w.since");
    assert_string_equal(q->projections[4].name, "who");
    assert_string_equal(q->projections[5].name, "literal");
    assert_int_equal(q->n_orders, 2);
    assert_int_equal(q->orders[0].projection, 2);
    assert_true(q->orders[0].desc);
    assert_int_equal(q->orders[1].projection, -1);
    assert_int_equal(q->orders[1].expr.var, 3);
    assert_true(q->has_limit);
    assert_int_equal(q->limit, 10);
    ia_gq_query_free(q);
    ia_catalog_release(c);
    lang_test_end(&t);
}

static ia_gq_direction direction_of(const char *match)
{
    lang_test t;
    ia_catalog *c;
    ia_gq_query *q;
    ia_gq_direction d = IA_GQ_FORWARD;
    char text[300];
    size_t i;

    lang_test_begin(&t);
    c = lang_schema(&t, PEOPLE);
    snprintf(text, sizeof text, "query q() { match { %s } return { 1 } }", match);
    q = lang_query(&t, c, text);
    for (i = 0; i < q->n_clauses; i++)
        if (q->clauses[i].kind == IA_GQ_TRAVERSAL)
            d = q->clauses[i].traversal.direction;
    ia_gq_query_free(q);
    ia_catalog_release(c);
    lang_test_end(&t);
    return d;
}

static void bound_types_decide_the_direction(void **state)
{
    (void)state;
    assert_int_equal(direction_of("$p: Person $p worksAt $c"), IA_GQ_FORWARD);
    assert_int_equal(direction_of("$c: Company $c worksAt $p"), IA_GQ_REVERSE);
    assert_int_equal(direction_of("$c: Company $p worksAt $c"), IA_GQ_FORWARD);
    assert_int_equal(direction_of("$p: Person $c worksAt $p"), IA_GQ_REVERSE);
    assert_int_equal(direction_of("$c: Company $c worksAt $_"), IA_GQ_REVERSE);
    assert_int_equal(direction_of("$p worksAt $c"), IA_GQ_FORWARD);
    assert_int_equal(direction_of("$a knows $b"), IA_GQ_FORWARD);
    assert_int_equal(direction_of("$b: Person $a knows $b"), IA_GQ_FORWARD);
    assert_int_equal(direction_of("$a <knows> $b"), IA_GQ_UNDIRECTED);
}

static void anonymous_and_inner_variables_are_separate(void **state)
{
    static const char *const text =
        "query q() { match { $p: Person $p knows $_ $p knows $_ "
        "not { $p worksAt $c not { $p.age > 3 } } not { $p worksAt $c } } return { $p } }";
    lang_test t;
    ia_catalog *c;
    ia_gq_query *q;
    const ia_gq_clause *no;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, PEOPLE);
    q = lang_query(&t, c, text);
    assert_int_equal(q->n_vars, 5);
    assert_true(q->vars[1].anonymous);
    assert_true(q->vars[2].anonymous);
    assert_string_equal(q->vars[3].name, "c");
    assert_int_equal(q->vars[3].depth, 1);
    assert_string_equal(q->vars[4].name, "c");
    no = &q->clauses[3];
    assert_int_equal(no->kind, IA_GQ_NOT);
    assert_int_equal(no->negation.n_clauses, 2);
    assert_int_equal(no->negation.clauses[0].traversal.right, 3);
    assert_int_equal(no->negation.clauses[1].negation.clauses[0].filter.lhs.var, 0);
    assert_int_equal(q->clauses[4].negation.clauses[0].traversal.right, 4);
    ia_gq_query_free(q);
    ia_catalog_release(c);
    lang_test_end(&t);
}

static void aggregates_have_names_and_types(void **state)
{
    static const char *const text =
        "query q() { match { $p: Person $p worksAt $c } return { $c.name, sum($p.age) as s, "
        "avg($p.age) as a, "
        "min($p.age), max($p.name) as m, count($p) } order { count($p) desc, $c.name } }";
    lang_test t;
    ia_catalog *c;
    ia_gq_query *q;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, PEOPLE);
    q = lang_query(&t, c, text);
    assert_true(q->is_aggregate);
    assert_int_equal(q->projections[1].type.scalar, IA_PK_F64);
    assert_true(q->projections[1].type.nullable);
    assert_string_equal(q->projections[3].name, "p.age");
    assert_int_equal(q->projections[3].type.scalar, IA_PK_I32);
    assert_int_equal(q->projections[4].type.scalar, IA_PK_STRING);
    assert_true(q->projections[4].type.nullable);
    assert_string_equal(q->projections[5].name, "p");
    assert_int_equal(q->projections[5].type.scalar, IA_PK_I64);
    assert_false(q->projections[5].type.nullable);
    assert_int_equal(q->orders[0].projection, 5);
    assert_int_equal(q->orders[1].projection, 0);
    ia_gq_query_free(q);
    ia_catalog_release(c);
    lang_test_end(&t);
}

static void a_repeated_column_is_returned_once(void **state)
{
    lang_test t;
    ia_catalog *c;
    ia_gq_query *q;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, PEOPLE);
    q = lang_query(&t, c, "query q() { match { $p: Person } return { $p.name, $p.age, $p.name } }");
    assert_int_equal(q->n_projections, 2);
    ia_gq_query_free(q);
    ia_catalog_release(c);
    lang_test_end(&t);
}

static void list_matches_ask_for_membership(void **state)
{
    lang_test t;
    ia_catalog *c;
    ia_gq_query *q;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, "node D { tags: [String]? k: enum(b, a) }");
    q = lang_query(
        &t, c,
        "query q() { match { $d: D { tags: \"x\" } $d.tags contains \"y\" } return { $d.k } }");
    assert_int_equal(q->clauses[0].binding.matches[0].op, IA_GQ_HAS);
    assert_int_equal(q->clauses[1].filter.op, IA_GQ_CONTAINS);
    assert_int_equal(q->projections[0].type.scalar, IA_PK_ENUM);
    assert_int_equal(q->projections[0].n_enum, 2);
    assert_string_equal(q->projections[0].enum_values[0], "a");
    ia_gq_query_free(q);
    ia_catalog_release(c);
    lang_test_end(&t);
}

static void a_mutation_is_resolved(void **state)
{
    static const char *const text =
        "query add($n: String, $a: I32?) {\n"
        "  insert Person { name: $n, age: $a }\n"
        "  insert Knows { from: \"Alice\", to: $n, since: date(\"2024-01-02\") }\n"
        "  update Person set { age: 31 } where name = $n\n}";
    lang_test t;
    ia_catalog *c;
    ia_gq_query *q;
    const ia_gq_statement *s;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, PEOPLE);
    q = lang_query(&t, c, text);
    s = q->statements;
    assert_true(q->is_mutation);
    assert_int_equal(q->n_statements, 3);
    assert_int_equal(s[0].kind, IA_GQ_INSERT);
    assert_int_equal(s[0].n_assigns, 2);
    assert_int_equal(s[0].assigns[0].prop, 1);
    assert_int_equal(s[0].assigns[0].value.param, 0);
    assert_string_equal(s[1].type->name, "Knows");
    assert_int_equal(s[1].n_assigns, 1);
    assert_int_equal(s[1].assigns[0].value.value.kind, IA_GQ_DATE);
    assert_int_equal(s[1].assigns[0].value.value.i, 19724);
    assert_true(ia_view_eq_str(s[1].from->value.s, "Alice"));
    assert_int_equal(s[1].to->kind, IA_GQ_PARAM);
    assert_int_equal(s[2].kind, IA_GQ_UPDATE);
    assert_int_equal(s[2].where_prop, 1);
    assert_int_equal(s[2].where_op, IA_GQ_EQ);
    assert_int_equal(s[2].assigns[0].value.value.i, 31);
    ia_gq_query_free(q);
    q = lang_query(&t, c, "query q() { delete Knows where to != \"Bob\" }");
    assert_int_equal(q->statements[0].where_prop, IA_GQ_FIELD_TO);
    assert_int_equal(q->statements[0].where_op, IA_GQ_NE);
    ia_gq_query_free(q);
    ia_catalog_release(c);
    lang_test_end(&t);
}

static void literals_take_the_type_of_their_property(void **state)
{
    lang_test t;
    ia_catalog *c;
    ia_gq_query *q;
    const ia_gq_value *v;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, "node D { f: F64 v: Vector(2) n: [F32]? }");
    q = lang_query(&t, c, "query q() { insert D { f: 3, v: [1, 2.5], n: [1] } }");
    assert_int_equal(q->statements[0].assigns[0].value.value.kind, IA_GQ_FLOAT);
    assert_true(q->statements[0].assigns[0].value.value.f > 2.9);
    v = &q->statements[0].assigns[1].value.value;
    assert_int_equal(v->n, 2);
    assert_int_equal(v->items[0].kind, IA_GQ_FLOAT);
    assert_int_equal(q->statements[0].assigns[2].value.value.items[0].kind, IA_GQ_FLOAT);
    ia_gq_query_free(q);
    ia_catalog_release(c);
    lang_test_end(&t);
}

static void spans_point_into_the_text(void **state)
{
    static const char *const text =
        "query q() {\n  match { $p: Person\n    $p knows $f }\n  return { $f.name } }";
    lang_test t;
    ia_catalog *c;
    ia_gq_query *q;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, PEOPLE);
    q = lang_query(&t, c, text);
    assert_int_equal(q->clauses[1].span.line, 3);
    assert_int_equal(q->clauses[1].span.column, 5);
    assert_int_equal(q->clauses[1].span.length, 11);
    assert_memory_equal(text + q->clauses[1].span.offset, "$p knows $f", 11);
    assert_memory_equal(text + q->projections[0].span.offset, "$f.name", 7);
    assert_int_equal(q->projections[0].span.length, 7);
    assert_int_equal(q->span.line, 1);
    assert_int_equal(q->span.column, 7);
    ia_gq_query_free(q);
    ia_catalog_release(c);
    lang_test_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_is_resolved),
        cmocka_unit_test(bound_types_decide_the_direction),
        cmocka_unit_test(anonymous_and_inner_variables_are_separate),
        cmocka_unit_test(aggregates_have_names_and_types),
        cmocka_unit_test(a_repeated_column_is_returned_once),
        cmocka_unit_test(list_matches_ask_for_membership),
        cmocka_unit_test(a_mutation_is_resolved),
        cmocka_unit_test(literals_take_the_type_of_their_property),
        cmocka_unit_test(spans_point_into_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
