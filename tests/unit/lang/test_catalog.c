/* test_catalog.c - ids, lookups, the stored form, the shape hash and id-keeping changes. */
#include "lang_fixture.h"

static void people_gets_ids_in_the_fixed_order(void **state)
{
    lang_test t;
    ia_catalog *c;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, PEOPLE);
    assert_int_equal(c->n_types, 4);
    assert_int_equal(c->n_nodes, 2);
    assert_string_equal(c->types[0]->name, "Company");
    assert_string_equal(c->types[1]->name, "Person");
    assert_string_equal(c->types[2]->name, "Knows");
    assert_string_equal(c->types[3]->name, "WorksAt");
    assert_int_equal(c->types[0]->type_id, 1);
    assert_int_equal(c->types[1]->type_id, 2);
    assert_int_equal(c->types[2]->type_id, 3);
    assert_int_equal(c->types[3]->type_id, 4);
    assert_int_equal(c->types[0]->properties[0].id, 5); /* Company.name */
    assert_int_equal(c->types[1]->properties[0].id, 6); /* Person.age */
    assert_int_equal(c->types[1]->properties[1].id, 7); /* Person.name */
    assert_int_equal(c->types[2]->properties[0].id, 8); /* Knows.since */
    assert_int_equal(c->types[0]->incarnation, 9);
    assert_int_equal(c->types[3]->incarnation, 12);
    assert_int_equal(c->next_id, 13);
    assert_int_equal(c->types[1]->n_key, 1);
    assert_int_equal(c->types[1]->key[0], 1);
    assert_true(ia_type_def_is_key(c->types[1], 1));
    assert_false(ia_type_def_is_key(c->types[1], 0));
    ia_catalog_release(c);
    lang_test_end(&t);
}

static void interfaces_take_the_first_ids(void **state)
{
    lang_test t;
    ia_catalog *c;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, "interface I { b: I32 a: I32 } node N implements I { }");
    assert_int_equal(c->interfaces[0]->type_id, 1);
    assert_int_equal(c->types[0]->type_id, 2);
    assert_int_equal(c->interfaces[0]->properties[0].id, 3);
    assert_int_equal(c->types[0]->properties[0].id, 5);
    assert_int_equal(c->interfaces[0]->incarnation, 0);
    assert_int_equal(c->types[0]->incarnation, 7);
    ia_catalog_release(c);
    lang_test_end(&t);
}

static void lookups_find_by_name_word_and_id(void **state)
{
    lang_test t;
    ia_catalog *c;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, PEOPLE);
    assert_ptr_equal(ia_catalog_node(c, "Person"), c->types[1]);
    assert_null(ia_catalog_node(c, "person"));
    assert_null(ia_catalog_node(c, "Knows"));
    assert_ptr_equal(ia_catalog_edge(c, "Knows"), c->types[2]);
    assert_null(ia_catalog_edge(c, "Person"));
    assert_null(ia_catalog_edge(c, "knows"));
    assert_ptr_equal(ia_catalog_edge_word(c, "worksat"), c->types[3]);
    assert_ptr_equal(ia_catalog_edge_word(c, "worksAt"), c->types[3]);
    assert_null(ia_catalog_edge_word(c, "company"));
    assert_ptr_equal(ia_catalog_by_id(c, 4), c->types[3]);
    assert_null(ia_catalog_by_id(c, 99));
    assert_int_equal(ia_type_def_find(c->types[1], "name"), 1);
    assert_int_equal(ia_type_def_find(c->types[1], "nam"), -1);
    ia_catalog_release(c);
    lang_test_end(&t);
}

static const char *const rich =
    "interface Named { name: String @index }\n"
    "node Slot @description(\"a \\\"slot\\\"\") @owner(\"t\", level=2) implements Named {\n"
    "  tenant: String\n  slot: I64\n  kind: enum(b, a)?\n  v: Vector(3)? @embed(\"name\")\n  tags: "
    "[String]?\n"
    "  @key(tenant, slot)\n  @unique(name, kind)\n  @range(slot, 0..99)\n  @check(tenant, "
    "\"^[a-z]+$\")\n}\n"
    "edge Next: Slot -> Slot @card(0..1) { at: DateTime @unique(src, dst) }\n";

static void stored_form_round_trips(void **state)
{
    lang_test t;
    ia_catalog *c, *d = NULL;
    ia_bytes a = {NULL, 0}, b = {NULL, 0};
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, rich);
    assert_int_equal(ia_catalog_to_json(&t.cx, c, &a), IA_OK);
    assert_int_equal(ia_catalog_from_json(&t.cx, (const char *)a.data, a.len, &d), IA_OK);
    assert_int_equal(ia_catalog_to_json(&t.cx, d, &b), IA_OK);
    assert_int_equal(a.len, b.len);
    assert_memory_equal(a.data, b.data, a.len);
    assert_string_equal(c->shape_hash, d->shape_hash);
    assert_int_equal(c->next_id, d->next_id);
    assert_string_equal(d->source, rich);
    assert_int_equal(ia_catalog_node(d, "Slot")->n_key, 2);
    assert_string_equal(
        ia_catalog_node(d, "Slot")->properties[ia_catalog_node(d, "Slot")->key[0]].name, "slot");
    assert_non_null(strstr((const char *)a.data, "\"format\": 1"));
    ia_bytes_dispose(&a);
    ia_bytes_dispose(&b);
    ia_catalog_release(c);
    ia_catalog_release(d);
    lang_test_end(&t);
}

/* Replaces the first `from` in the stored form and reads it back. */
static ia_status read_changed(lang_test *t, const char *from, const char *to)
{
    ia_catalog *c = lang_schema(t, rich), *d = NULL;
    ia_bytes a = {NULL, 0};
    ia_buf changed = {0};
    char *at;
    ia_status st;

    assert_int_equal(ia_catalog_to_json(&t->cx, c, &a), IA_OK);
    at = strstr((char *)a.data, from);
    assert_non_null(at);
    ia_buf_put(&t->cx, &changed, a.data, (size_t)(at - (char *)a.data));
    ia_buf_puts(&t->cx, &changed, to);
    ia_buf_puts(&t->cx, &changed, at + strlen(from));
    st = ia_catalog_from_json(&t->cx, (const char *)changed.data, changed.len, &d);
    assert_true(st == IA_OK || !d);
    ia_catalog_release(d);
    ia_buf_dispose(&changed);
    ia_bytes_dispose(&a);
    ia_catalog_release(c);
    return st;
}

static void damaged_stored_forms_are_refused(void **state)
{
    lang_test t;
    (void)state;

    lang_test_begin(&t);
    assert_int_equal(read_changed(&t, "\"format\": 1", "\"format\": 1"), IA_OK);
    assert_int_equal(read_changed(&t, "\"format\": 1", "\"format\": 2"), IA_ERR_UNSUPPORTED);
    assert_int_equal(read_changed(&t, "\"format\": 1", "\"farmat\": 1"), IA_ERR_CORRUPT);
    assert_int_equal(read_changed(&t, "I64", "I32"), IA_ERR_CORRUPT);
    assert_non_null(strstr(t.cx.err.text, "shape hash"));
    assert_int_equal(read_changed(&t, "slot: I64", "slot: Int"), IA_ERR_CORRUPT);
    assert_int_equal(read_changed(&t, "\"type_id\": 2", "\"type_id\": 0"), IA_ERR_CORRUPT);
    assert_int_equal(read_changed(&t, "\"type_id\": 2", "\"type_id\": 99999"), IA_ERR_CORRUPT);
    assert_int_equal(read_changed(&t, "\"type_id\": 2", "\"type_id\": 3"), IA_ERR_CORRUPT);
    assert_int_equal(read_changed(&t, "\"types\"", "\"kinds\""), IA_ERR_CORRUPT);
    assert_int_equal(read_changed(&t, "{", "["), IA_ERR_CORRUPT);
    lang_test_end(&t);
}

static void shape_ignores_order_comments_and_layout(void **state)
{
    lang_test t;
    ia_catalog *a, *b;
    (void)state;

    lang_test_begin(&t);
    a = lang_schema(&t, PEOPLE);
    b = lang_schema(
        &t, "/* people */ edge WorksAt: Person -> Company edge Knows: Person -> Person { since: "
            "Date? }\n"
            "node Company { name: String @key(name) }\n"
            "node Person @rename_from(\"Human\") { age: I32? // years\n name: String @key }");
    assert_string_equal(a->shape_hash, b->shape_hash);
    assert_int_equal(strlen(a->shape_hash), 64);
    ia_catalog_release(a);
    ia_catalog_release(b);
    lang_test_end(&t);
}

static bool same_shape(lang_test *t, const char *x, const char *y)
{
    ia_catalog *a = lang_schema(t, x), *b = lang_schema(t, y);
    bool same = strcmp(a->shape_hash, b->shape_hash) == 0;

    ia_catalog_release(a);
    ia_catalog_release(b);
    return same;
}

static void shape_sees_every_change_of_meaning(void **state)
{
    lang_test t;
    (void)state;

    lang_test_begin(&t);
    assert_true(same_shape(
        &t, "node A { k: enum(a, b) n: I32 @x(1) @y(2) @unique(k, n) @range(n, 01..2.50) }",
        "node A { n: I32 @y(2) @x(1) k: enum(b, a) @range(n, 1..2.5) @unique(n, k) }"));
    assert_false(same_shape(&t, "node A { n: I32 }", "node A { n: I64 }"));
    assert_false(same_shape(&t, "node A { n: I32 }", "node A { n: I32? }"));
    assert_false(same_shape(&t, "node A { n: I32 }", "node A { n: [I32] }"));
    assert_false(same_shape(&t, "node A { n: I32 }", "node A { n: I32 @index }"));
    assert_false(same_shape(&t, "node A { n: I32 }", "node A { n: I32 @unique }"));
    assert_false(
        same_shape(&t, "node A { n: I32 @range(n, 1..) }", "node A { n: I32 @range(n, ..1) }"));
    assert_false(same_shape(&t, "node A { n: enum(a) }", "node A { n: enum(a, b) }"));
    assert_false(same_shape(&t, "node A { v: Vector(2) }", "node A { v: Vector(3) }"));
    assert_false(same_shape(&t, "node A { }", "node A @description(\"x\") { }"));
    assert_false(
        same_shape(&t, "node A { } edge E: A -> A", "node A { } edge E: A -> A @card(0..1)"));
    assert_false(same_shape(&t, "node A { } node B { } edge E: A -> B",
                            "node A { } node B { } edge E: B -> A"));
    assert_false(same_shape(&t, "interface I { n: I32 } node A implements I { }",
                            "interface I { n: I32 } node A { n: I32 }"));
    lang_test_end(&t);
}

static ia_status evolve(lang_test *t, const char *before, const char *after, ia_catalog **a,
                        ia_catalog **b)
{
    *a = lang_schema(t, before);
    return ia_catalog_evolve(&t->cx, *a, after, strlen(after), "next.pg", b);
}

static void a_change_keeps_ids_by_name_and_by_hint(void **state)
{
    lang_test t;
    ia_catalog *a, *b;
    const ia_type_def *human, *person;
    (void)state;

    lang_test_begin(&t);
    assert_int_equal(evolve(&t, PEOPLE,
                            "node Human @rename_from(\"Person\") { title: String @key "
                            "@rename_from(\"name\") age: I32? born: Date? }\n"
                            "edge Knows: Human -> Human { since: Date? }\nnode Pet { }",
                            &a, &b),
                     IA_OK);
    person = ia_catalog_node(a, "Person");
    human = ia_catalog_node(b, "Human");
    assert_int_equal(human->type_id, person->type_id);
    assert_int_equal(human->incarnation, person->incarnation);
    assert_int_equal(human->properties[ia_type_def_find(human, "title")].id,
                     person->properties[1].id);
    assert_int_equal(human->properties[0].id, person->properties[0].id);
    assert_true(human->properties[ia_type_def_find(human, "born")].id >= a->next_id);
    assert_true(ia_catalog_node(b, "Pet")->type_id >= a->next_id);
    assert_int_equal(ia_catalog_edge(b, "Knows")->type_id, ia_catalog_edge(a, "Knows")->type_id);
    ia_catalog_release(a);
    ia_catalog_release(b);
    lang_test_end(&t);
}

static void a_used_up_hint_is_ignored(void **state)
{
    lang_test t;
    ia_catalog *a, *b;
    (void)state;

    lang_test_begin(&t);
    assert_int_equal(evolve(&t, "node B { y: I32 }",
                            "node B @rename_from(\"A\") { y: I32 @rename_from(\"x\") }", &a, &b),
                     IA_OK);
    assert_string_equal(a->shape_hash, b->shape_hash);
    assert_int_equal(a->next_id, b->next_id);
    ia_catalog_release(a);
    ia_catalog_release(b);
    lang_test_end(&t);
}

static void wrong_hints_are_refused(void **state)
{
    static const char *const wrong[][3] = {
        {"node A { }", "node B @rename_from(\"X\") { }", "no such type"},
        {"node A { }", "node A { } node B @rename_from(\"A\") { }", "still exists"},
        {"node A { }", "node B @rename_from(\"A\") { } node C @rename_from(\"A\") { }",
         "two types claim it"},
        {"node A { x: I32 }", "node A { y: I32 @rename_from(\"z\") }", "no such property"},
        {"node A { x: I32 }", "node A { x: I32 y: I32 @rename_from(\"x\") }", "still exists"},
        {"node A { x: I32 }", "node A { z: I32 @rename_from(\"x\") y: I32 @rename_from(\"x\") }",
         "two properties claim it"},
        {"node A { x: I32 }", "node A { x: I32 } node B { y: I32 @rename_from(\"x\") }",
         "its type is new"},
        {"node A { }", "node A { } edge B: A -> A @rename_from(\"A\")", "no such type"},
    };
    size_t i;
    (void)state;

    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        lang_test t;
        ia_catalog *a, *b;
        lang_test_begin(&t);
        assert_int_equal(evolve(&t, wrong[i][0], wrong[i][1], &a, &b), IA_ERR_INVALID);
        assert_null(b);
        assert_non_null(strstr(t.cx.err.text, wrong[i][2]));
        assert_memory_equal(t.cx.err.text, "catalog error: @rename_from", 27);
        ia_catalog_release(a);
        lang_test_end(&t);
    }
}

static void a_dropped_type_comes_back_as_a_new_one(void **state)
{
    lang_test t;
    ia_catalog *a, *b, *c = NULL;
    (void)state;

    lang_test_begin(&t);
    assert_int_equal(evolve(&t, "node A { x: I32 } node B { }", "node B { }", &a, &b), IA_OK);
    assert_int_equal(ia_catalog_evolve(&t.cx, b, "node A { x: I32 } node B { }", 28, NULL, &c),
                     IA_OK);
    assert_true(ia_catalog_node(c, "A")->type_id >= a->next_id);
    assert_int_equal(ia_catalog_node(c, "B")->type_id, ia_catalog_node(a, "B")->type_id);
    ia_catalog_release(a);
    ia_catalog_release(b);
    ia_catalog_release(c);
    lang_test_end(&t);
}

static void composite_keys_keep_id_order_through_renames(void **state)
{
    lang_test t;
    ia_catalog *a, *b;
    const ia_type_def *s;
    (void)state;

    lang_test_begin(&t);
    assert_int_equal(
        evolve(&t, "node S { tenant: String slot: I64 @key(tenant, slot) }",
               "node S { account: String @rename_from(\"tenant\") slot: I64 @key(account, slot) }",
               &a, &b),
        IA_OK);
    s = ia_catalog_node(b, "S");
    assert_string_equal(s->properties[s->key[0]].name, "slot");
    assert_string_equal(s->properties[s->key[1]].name, "account");
    ia_catalog_release(a);
    ia_catalog_release(b);
    lang_test_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(people_gets_ids_in_the_fixed_order),
        cmocka_unit_test(interfaces_take_the_first_ids),
        cmocka_unit_test(lookups_find_by_name_word_and_id),
        cmocka_unit_test(stored_form_round_trips),
        cmocka_unit_test(damaged_stored_forms_are_refused),
        cmocka_unit_test(shape_ignores_order_comments_and_layout),
        cmocka_unit_test(shape_sees_every_change_of_meaning),
        cmocka_unit_test(a_change_keeps_ids_by_name_and_by_hint),
        cmocka_unit_test(a_used_up_hint_is_ignored),
        cmocka_unit_test(wrong_hints_are_refused),
        cmocka_unit_test(a_dropped_type_comes_back_as_a_new_one),
        cmocka_unit_test(composite_keys_keep_id_order_through_renames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
