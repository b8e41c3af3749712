/* test_schema.c - which schemas compile and which are refused, scenario by scenario. */
#include "lang_fixture.h"

static void key_and_edge_are_accepted(void **state)
{
    lang_test t;
    ia_catalog *c;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, "node A { x: String @key }\nedge E: A -> A");
    assert_int_equal(c->n_types, 2);
    assert_int_equal(c->types[0]->arrow_schema->n_fields, 2);
    assert_string_equal(c->types[0]->arrow_schema->fields[0].name, "id");
    assert_string_equal(c->types[0]->arrow_schema->fields[1].name, "x");
    assert_false(c->types[0]->arrow_schema->fields[1].nullable);
    assert_int_equal(c->types[1]->arrow_schema->n_fields, 3);
    assert_string_equal(c->types[1]->arrow_schema->fields[1].name, "src");
    assert_string_equal(c->types[1]->arrow_schema->fields[2].name, "dst");
    assert_ptr_equal(c->types[1]->from, c->types[0]);
    ia_catalog_release(c);
    lang_test_end(&t);
}

static void an_empty_text_is_an_empty_graph(void **state)
{
    (void)state;
    lang_schema_accepted("");
    lang_schema_accepted("  // nothing\n /* at all */ ");
    lang_schema_accepted("node A { } interface I { } edge E: A -> A { } edge F: A -> A");
}

static void hash_is_no_comment_but_slashes_are(void **state)
{
    (void)state;
    lang_schema_refused("# people\nnode A { }",
                        "parse error: `#` does not start a comment; write `//`");
    lang_schema_accepted("node A { x: String // the key\n @key /* yes */ }");
    lang_schema_refused("node A { /* x: String }", "parse error: this comment is not closed");
}

static void the_case_of_names_is_fixed(void **state)
{
    (void)state;
    lang_schema_refused("node person { }", "parse error: expected a type name");
    lang_schema_refused("node P { Name: String }", "parse error: expected a property name");
    lang_schema_refused("nodePerson { }", "parse error: expected `node`, `edge` or `interface`");
    lang_schema_refused("node P { x: Stringy }", "parse error: expected a property type");
}

static void words_of_the_language_are_property_names(void **state)
{
    (void)state;
    lang_schema_accepted("node A { type: String when: String node: String context: String enum: "
                         "String edge: I32 _row_id: I64 from: String }");
    lang_schema_refused("node A { _rowid: I64 }",
                        "parse error: property name `_rowid` is reserved");
    lang_schema_refused("node A { id: String }", "parse error: property name `id` is reserved");
    lang_schema_refused("node A { src: String }", "parse error: property name `src` is reserved");
    lang_schema_refused("node A { } edge E: A -> A { from: String }",
                        "parse error: property name `from` is reserved");
}

static void enum_values_are_sorted_and_distinct(void **state)
{
    lang_test t;
    ia_catalog *c;
    const ia_property *p;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, "node A { k: enum(b, a, 2d, x-y) }");
    p = &c->types[0]->properties[0];
    assert_int_equal(p->n_enum, 4);
    assert_string_equal(p->enum_values[0], "2d");
    assert_string_equal(p->enum_values[1], "a");
    assert_string_equal(p->enum_values[2], "b");
    assert_string_equal(p->enum_values[3], "x-y");
    assert_true(ia_property_has_enum(p, "x-y", 3));
    assert_false(ia_property_has_enum(p, "x", 1));
    ia_catalog_release(c);
    lang_test_end(&t);
    lang_schema_accepted(
        "node A { k: enum(\n  ex-yc, // one\n  true,\n  Upper,\n  123,\n  -x\n)? }");
    lang_schema_refused("node A { k: enum(a, a) }", "parse error: duplicate enum value `a`");
    lang_schema_refused("node A { k: enum() }", "parse error: expected an enum value");
    lang_schema_refused("node A { k: enum(a,) }", "parse error: expected an enum value");
}

static void vectors_and_lists_become_arrow_types(void **state)
{
    lang_test t;
    ia_catalog *c;
    const ia_field *f;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t,
                    "node A { v: Vector(3) w: [Date]? d: DateTime b: Bool u: U64? e: enum(x) }");
    f = c->types[0]->arrow_schema->fields;
    assert_int_equal(f[1].type->id, IA_TYPE_BOOL);
    assert_int_equal(f[2].type->id, IA_TYPE_DATE64);
    assert_int_equal(f[3].type->id, IA_TYPE_STRING);
    assert_int_equal(f[4].type->id, IA_TYPE_U64);
    assert_true(f[4].nullable);
    assert_int_equal(f[5].type->id, IA_TYPE_FIXED_LIST);
    assert_int_equal(f[5].type->size, 3);
    assert_int_equal(f[5].type->children[0].type->id, IA_TYPE_F32);
    assert_true(f[5].type->children[0].nullable);
    assert_string_equal(f[5].type->children[0].name, "item");
    assert_int_equal(f[6].type->id, IA_TYPE_LIST);
    assert_int_equal(f[6].type->children[0].type->id, IA_TYPE_DATE32);
    assert_true(f[6].nullable);
    ia_catalog_release(c);
    lang_test_end(&t);
    lang_schema_refused("node A { v: Vector(0) }", "parse error: the vector dimension");
    lang_schema_refused("node A { v: Vector(2147483648) }",
                        "parse error: the vector dimension is above 2147483647");
    lang_schema_refused("node A { v: [Blob] }", "parse error: a list of Blob");
    lang_schema_refused("node A { v: [[I32]] }", "parse error: expected the base type");
    lang_schema_refused("node A { v: [enum(a)] }", "parse error: expected the base type");
    lang_schema_refused("node A { v: [String?] }", "parse error: expected `]`");
}

static void blob_is_refused_by_name(void **state)
{
    (void)state;
    lang_schema_refused_as(
        "node A { photo: Blob? }", IA_ERR_UNSUPPORTED,
        "unsupported: property `A.photo` has type Blob, which is not part of this version");
}

static void keys_must_be_plain_and_required(void **state)
{
    (void)state;
    lang_schema_refused("node A { k: String? @key }", "parse error: @key cannot be nullable");
    lang_schema_refused("node A { k: [String] @key }",
                        "parse error: @key is not available on a list");
    lang_schema_refused("node A { k: Vector(2) @key }",
                        "parse error: @key is not available on a Vector");
    lang_schema_refused("node A { k: String? @key(k) }",
                        "parse error: @key is not available for `A.k`, which is nullable");
    lang_schema_refused("node A { k: [I32] @key(k) }", "which is a list");
    lang_schema_refused("node A { k: String @key(k) j: String @key }",
                        "parse error: node `A` has more than one @key");
    lang_schema_refused("node A { a: String @key(a, nope) }",
                        "parse error: @key names `nope`, which is no property of `A`");
    lang_schema_refused("node A { a: String @key(a, a) }", "parse error: @key names `a` twice");
    lang_schema_refused("node A { } edge E: A -> A { a: String @key }",
                        "parse error: @key is not available on edges");
    lang_schema_refused("node A { } edge E: A -> A { a: String @key(a) }",
                        "parse error: @key is not available on edges");
    lang_schema_refused("node A { k: String @key @key }", "parse error: @key is written twice");
}

static void uniques_may_name_end_points_on_edges_only(void **state)
{
    lang_test t;
    ia_catalog *c;
    const ia_type_def *e;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, "node A { } edge E: A -> A { n: I32 @unique(dst, n, src) @unique(n) }");
    e = ia_catalog_edge(c, "E");
    assert_int_equal(e->n_uniques, 2);
    assert_int_equal(e->uniques[0].n, 3);
    assert_int_equal(e->uniques[0].props[0], IA_PROP_SRC);
    assert_int_equal(e->uniques[0].props[1], IA_PROP_DST);
    assert_int_equal(e->uniques[0].props[2], 0);
    assert_int_equal(e->uniques[1].n, 1);
    ia_catalog_release(c);
    lang_test_end(&t);
    lang_schema_refused("node A { @unique(src, dst) }", "parse error: @unique names `src`");
    lang_schema_refused("node A { t: [String] @unique(t) }",
                        "parse error: @unique is not available for `A.t`, which is a list");
    lang_schema_refused("node A { t: Vector(2) @unique(t) }", "which is a Vector");
    lang_schema_refused("node A { t: Vector(2) @unique }",
                        "parse error: @unique is not available on a Vector");
    lang_schema_accepted("node A { t: Vector(2) @index }");
    lang_schema_refused("node A { t: [String] @index }",
                        "parse error: @index is not available on a list");
}

static void ranges_need_numbers_on_nodes(void **state)
{
    (void)state;
    lang_schema_accepted("node A { age: I32 @range(age, 0..150) }");
    lang_schema_accepted(
        "node A { age: F64? @range(age, -1.5..) @range(age, ..2) @range(age, 0.5..1.5) }");
    lang_schema_refused("node A { s: String @range(s, 0..1) }",
                        "parse error: @range needs a numeric property");
    lang_schema_refused("node A { } edge E: A -> A { n: I32 @range(n, 0..1) }",
                        "parse error: @range is available on nodes only");
    lang_schema_refused("node A { n: I32 @range(n, 5..1) }",
                        "parse error: the lower bound of @range is above");
    lang_schema_refused("node A { n: I32 @range(n, ..) }", "parse error: expected a number");
    lang_schema_refused("node A { n: I32 @range(n) }",
                        "parse error: @range is written @range(property, lo..hi)");
    lang_schema_refused("node A { n: I32 @range(n, 5) }", "parse error: @range takes bounds");
    lang_schema_refused("node A { n: I32 @range }", "parse error: @range is a member of the body");
}

static void an_upper_bound_alone_is_a_maximum(void **state)
{
    lang_test t;
    ia_catalog *c;
    const ia_range_def *r;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, "node A { x: I32 @range(x, ..5) }");
    r = c->types[0]->ranges;
    assert_int_equal(r->lo.kind, IA_BOUND_NONE);
    assert_int_equal(r->hi.kind, IA_BOUND_I64);
    assert_int_equal(r->hi.i, 5);
    ia_catalog_release(c);
    c = lang_schema(&t, "node A { x: U64 @range(x, -9223372036854775808..18446744073709551615) }");
    r = c->types[0]->ranges;
    assert_true(r->lo.i == INT64_MIN);
    assert_int_equal(r->hi.kind, IA_BOUND_U64);
    assert_true(r->hi.u == UINT64_MAX);
    ia_catalog_release(c);
    lang_test_end(&t);
    lang_schema_refused("node A { x: I64 @range(x, -9223372036854775809..0) }",
                        "parse error: the bound is above");
}

static bool matches(lang_test *t, const ia_catalog *c, const char *value)
{
    bool yes = false;

    assert_int_equal(ia_check_matches(&t->cx, c->types[0]->checks, ia_view_of(value), &yes), IA_OK);
    return yes;
}

static void checks_search_the_value(void **state)
{
    lang_test t;
    ia_catalog *c;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, "node A { code: String? @check(code, \"^[A-Z]{3}$\") }");
    assert_true(matches(&t, c, "ABC"));
    assert_false(matches(&t, c, "AB"));
    assert_false(matches(&t, c, "ABC\n"));
    ia_catalog_release(c);
    c = lang_schema(&t, "node A { code: String @check(code, \"B\") }");
    assert_true(matches(&t, c, "ABC"));
    assert_false(matches(&t, c, ""));
    ia_catalog_release(c);
    c = lang_schema(&t, "node A { code: String @check(code, \"^\\\\d+\\\\bé?\") }");
    assert_true(matches(&t, c, "12 x"));
    ia_catalog_release(c);
    lang_test_end(&t);
}

static void a_check_that_explodes_is_stopped(void **state)
{
    lang_test t;
    ia_catalog *c;
    bool yes = true;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, "node A { code: String @check(code, \"^(a|aa|aaa)+$\") }");
    assert_int_equal(
        ia_check_matches(&t.cx, c->types[0]->checks,
                         ia_view_of("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"), &yes),
        IA_ERR_INVALID);
    assert_non_null(strstr(t.cx.err.text, "too many steps"));
    ia_catalog_release(c);
    lang_test_end(&t);
}

static void bad_patterns_are_found_at_schema_time(void **state)
{
    (void)state;
    lang_schema_refused("node A { s: String @check(s, \"(\") }",
                        "parse error: @check pattern of `A.s`: ");
    lang_schema_refused("node A { s: String @check(s, \"(a)\\\\1\") }",
                        "back-references are not supported");
    lang_schema_refused("node A { s: String @check(s, \"(?=a)\") }",
                        "look-around is not supported");
    lang_schema_refused("node A { s: String @check(s, \"(?R)\") }",
                        "recursion, conditions and callouts");
    lang_schema_accepted(
        "node A { s: String @check(s, \"[(?=\\\\1]x(?:a|b)(?i)\\\\\\\\1(?<y>c)\") }");
    lang_schema_refused("node A { n: I32 @check(n, \"a\") }",
                        "parse error: @check needs a String property");
    lang_schema_refused("node A { s: String } edge E: A -> A { s: String @check(s, \"a\") }",
                        "parse error: @check is available on nodes only");
}

static void cardinality_has_one_place_and_one_form(void **state)
{
    lang_test t;
    ia_catalog *c;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, "node A { } edge E: A -> A @card(1..2) @owner(\"x\") edge F: A -> A "
                        "@card(3..) edge G: A -> A");
    assert_int_equal(c->types[1]->card_min, 1);
    assert_int_equal(c->types[1]->card_max, 2);
    assert_int_equal(c->types[2]->card_min, 3);
    assert_true(c->types[2]->card_max == UINT64_MAX);
    assert_int_equal(c->types[3]->card_min, 0);
    assert_true(c->types[3]->card_max == UINT64_MAX);
    ia_catalog_release(c);
    lang_test_end(&t);
    lang_schema_refused("node A { } edge E: A -> A @card(2..1)",
                        "parse error: the lower bound of @card is above");
    lang_schema_refused("node A { } edge E: A -> A @card(1)", "parse error: expected `..`");
    lang_schema_refused("node A { } edge E: A -> A @card", "parse error: expected `(`");
    lang_schema_refused("node A { } edge E: A -> A @owner(\"x\") @card(0..1)",
                        "parse error: @card is written once");
    lang_schema_refused("node A { } edge E: A -> A { @card(0..1) }",
                        "parse error: @card is written once");
    lang_schema_refused("node A { x: I32 @card(0..1) }", "parse error: @card is written once");
    lang_schema_refused("node A @card(0..1) { }", "parse error: @card is written once");
}

static void end_points_are_node_types(void **state)
{
    (void)state;
    lang_schema_refused("node A { } edge E: A -> B",
                        "catalog error: unknown endpoint `B` of edge `E`");
    lang_schema_refused("node A { } interface I { } edge E: A -> I",
                        "catalog error: unknown endpoint `I` of edge `E`: an interface");
    lang_schema_accepted("edge E: A -> B node B { } node A { }");
}

static void names_are_unique_within_their_kind(void **state)
{
    (void)state;
    lang_schema_refused("node A { } node A { }", "catalog error: node type `A` is declared twice");
    lang_schema_refused("interface A { } interface A { }",
                        "catalog error: interface type `A` is declared twice");
    lang_schema_refused("node A { } edge E: A -> A edge E: A -> A",
                        "catalog error: edge type `E` is declared twice");
    lang_schema_refused("node A { } edge Knows: A -> A edge Other: A -> A edge KNOWS: A -> A",
                        "catalog error: edge name collision after case folding");
    lang_schema_accepted("node X { } edge X: X -> X interface X { }");
    lang_schema_refused("node A { a: I32 a: I64 }",
                        "catalog error: node `A` declares property `a` twice");
}

static void interfaces_give_properties_and_constraints(void **state)
{
    lang_test t;
    ia_catalog *c;
    const ia_type_def *p;
    int name;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, "node P implements N, M { k: String @key }\n"
                        "interface N { name: String @index @description(\"d\") }\n"
                        "interface M { name: String @description(\"d\") @index  z: I32? }");
    p = ia_catalog_node(c, "P");
    assert_int_equal(p->n_properties, 3);
    name = ia_type_def_find(p, "name");
    assert_int_equal(name, 1);
    assert_string_equal(p->properties[name].from_interface, "N");
    assert_string_equal(p->properties[name].description, "d");
    assert_null(p->properties[0].from_interface);
    assert_int_equal(p->n_indexes, 2);
    assert_int_equal(p->indexes[1].props[0], name);
    assert_int_equal(p->n_implements, 2);
    assert_string_equal(p->implements[0], "M");
    assert_int_equal(c->n_interfaces, 2);
    assert_null(ia_catalog_node(c, "N"));
    ia_catalog_release(c);
    c = lang_schema(&t, "interface N { name: String @key } node P implements N { name: String }");
    assert_int_equal(ia_catalog_node(c, "P")->n_key, 0);
    ia_catalog_release(c);
    c = lang_schema(&t, "interface N { name: String @key } node P implements N { }");
    assert_int_equal(ia_catalog_node(c, "P")->n_key, 1);
    ia_catalog_release(c);
    lang_test_end(&t);
}

static void interfaces_must_agree(void **state)
{
    (void)state;
    lang_schema_refused("interface N { name: String } node P implements N { name: String? }",
                        "parse error: node `P` property `name` has type String? but interface `N` "
                        "declares it as String");
    lang_schema_refused("interface N { k: enum(a, b) } node P implements N { k: enum(a) }",
                        "but interface `N` declares it as enum");
    lang_schema_accepted("interface N { k: enum(a, b) } node P implements N { k: enum(b, a) }");
    lang_schema_refused("node P implements Nope { }",
                        "parse error: node `P` implements unknown interface `Nope`");
    lang_schema_refused("interface A { x: I32 } interface B { x: I64 } node P implements A, B { }",
                        "catalog error: node `P` property `x`");
    lang_schema_refused(
        "interface A { x: I32 @index } interface B { x: I32 } node P implements A, B { }",
        "catalog error: node `P` property `x` has different annotations");
    lang_schema_refused("interface A { @key(x) }",
                        "parse error: an interface holds properties only");
    lang_schema_refused("interface A { x: String @key } node P implements A { y: String @key }",
                        "more than one @key");
}

static void embed_names_a_string_of_the_same_type(void **state)
{
    lang_test t;
    ia_catalog *c;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, "node A { v: Vector(4) @embed(\"text\", model=\"m\") text: String w: "
                        "Vector(2)? @embed(text) }");
    assert_string_equal(c->types[0]->properties[1].embed_source, "text");
    assert_string_equal(c->types[0]->properties[1].embed_model, "m");
    assert_string_equal(c->types[0]->properties[2].embed_source, "text");
    ia_catalog_release(c);
    lang_test_end(&t);
    lang_schema_refused("node A { v: Vector(4) @embed(\"nope\") }",
                        "parse error: @embed source `nope` is no property");
    lang_schema_refused("node A { v: Vector(4) @embed(\"n\") n: I32 }",
                        "parse error: @embed source `A.n` must be a String");
    lang_schema_refused("node A { v: Vector(4) @embed(\"t\", dim=4) t: String }",
                        "parse error: @embed takes only one more argument");
    lang_schema_refused("node A { v: Vector(4) @embed t: String }",
                        "parse error: @embed names its source");
    lang_schema_refused("node A { v: String @embed(\"t\") t: String }",
                        "parse error: @embed needs a Vector");
}

static void annotations_have_their_places(void **state)
{
    (void)state;
    lang_schema_refused("node A { x: I32 @instruction(\"x\") }",
                        "parse error: @instruction belongs to a node or edge");
    lang_schema_accepted("node A @instruction(\"x\") @description(\"y\") { }");
    lang_schema_refused("node A @description(\"\") { }",
                        "parse error: @description must not be empty");
    lang_schema_refused("node A @description(\"a\") @description(\"b\") { }",
                        "parse error: @description is written twice");
    lang_schema_refused("node A @description(5) { }",
                        "parse error: @description takes exactly one text");
    lang_schema_refused("node A @key { }", "parse error: @key belongs to a property");
    lang_schema_refused("node A @index { }", "parse error: @index belongs to a property");
    lang_schema_refused("node A @unique(x) { x: I32 }",
                        "parse error: a constraint belongs into the body");
    lang_schema_refused("node A { x: I32 @index @index }", "parse error: @index is written twice");
    lang_schema_refused("node A @rename_from(\"\") { }",
                        "parse error: @rename_from must not be empty");
    lang_schema_refused("node A @rename_from(\"B\", x=1) { }",
                        "parse error: @rename_from takes exactly one text");
    lang_schema_accepted("node A @rename_from(\"B\") { x: I32 @rename_from(y) }");
}

static void unknown_annotations_are_kept(void **state)
{
    lang_test t;
    ia_catalog *c;
    const ia_annotation *a;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, "node A @owner(\"team\", level=3) { x: I32 @pii @owner(team) } edge E: A "
                        "-> A @owner(true)");
    a = c->types[0]->annotations;
    assert_int_equal(c->types[0]->n_annotations, 1);
    assert_string_equal(a->name, "owner");
    assert_string_equal(a->value, "team");
    assert_int_equal(a->n_args, 1);
    assert_string_equal(a->arg_names[0], "level");
    assert_string_equal(a->arg_values[0], "3");
    assert_int_equal(c->types[0]->properties[0].n_annotations, 2);
    assert_null(c->types[0]->properties[0].annotations[1].value);
    assert_string_equal(c->types[1]->annotations[0].value, "true");
    ia_catalog_release(c);
    lang_test_end(&t);
}

static void escapes_are_a_closed_list(void **state)
{
    lang_test t;
    ia_catalog *c;
    (void)state;

    lang_schema_refused("node A @description(\"a\\qb\") { }",
                        "parse error: unsupported escape sequence");
    lang_schema_refused("node A @description(\"a", "parse error: this string is not closed");
    lang_test_begin(&t);
    c = lang_schema(&t, "node A @description(\"\\\"q\\\" \\\\ \\n\\r\\t\nline\") { }");
    assert_string_equal(c->types[0]->description, "\"q\" \\ \n\r\t\nline");
    ia_catalog_release(c);
    lang_test_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_and_edge_are_accepted),
        cmocka_unit_test(an_empty_text_is_an_empty_graph),
        cmocka_unit_test(hash_is_no_comment_but_slashes_are),
        cmocka_unit_test(the_case_of_names_is_fixed),
        cmocka_unit_test(words_of_the_language_are_property_names),
        cmocka_unit_test(enum_values_are_sorted_and_distinct),
        cmocka_unit_test(vectors_and_lists_become_arrow_types),
        cmocka_unit_test(blob_is_refused_by_name),
        cmocka_unit_test(keys_must_be_plain_and_required),
        cmocka_unit_test(uniques_may_name_end_points_on_edges_only),
        cmocka_unit_test(ranges_need_numbers_on_nodes),
        cmocka_unit_test(an_upper_bound_alone_is_a_maximum),
        cmocka_unit_test(checks_search_the_value),
        cmocka_unit_test(a_check_that_explodes_is_stopped),
        cmocka_unit_test(bad_patterns_are_found_at_schema_time),
        cmocka_unit_test(cardinality_has_one_place_and_one_form),
        cmocka_unit_test(end_points_are_node_types),
        cmocka_unit_test(names_are_unique_within_their_kind),
        cmocka_unit_test(interfaces_give_properties_and_constraints),
        cmocka_unit_test(interfaces_must_agree),
        cmocka_unit_test(embed_names_a_string_of_the_same_type),
        cmocka_unit_test(annotations_have_their_places),
        cmocka_unit_test(unknown_annotations_are_kept),
        cmocka_unit_test(escapes_are_a_closed_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
