/* test_mutate.c - mutations: upserts, updates, cascades, all or nothing. */
#include "ops_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#define Q(body) "query q() { " body " }"

static void open_people(ox *x)
{
    ox_open(x, OX_PEOPLE);
    ox_loads(x, IA_LOAD_OVERWRITE, ox_people_rows);
}

static void expect_line(ox *x, const char *type, const char *line, bool there)
{
    char *text = ox_export(x, type);
    if ((strstr(text ? text : "", line) != NULL) != there)
        fail_msg("%s is %s: %s", line, there ? "missing" : "there", text);
    ia_free(text);
}

static void insert_of_a_key_replaces_the_whole_row(void **state)
{
    ox x;
    (void)state;
    open_people(&x);
    ox_mutates(&x, Q("insert Person { name: \"Eve\" age: 22 }"), NULL, 1, 0);
    expect_line(&x, "Person", "{\"id\":\"Eve\",\"age\":22,\"name\":\"Eve\"}", true);
    ox_mutates(&x, Q("insert Person { name: \"Eve\" }"), NULL, 1, 0);
    expect_line(&x, "Person", "{\"id\":\"Eve\",\"age\":null,\"name\":\"Eve\"}", true);
    expect_line(&x, "Person", "\"age\":22", false);
    ox_close(&x);
}

static void edge_inserts_are_new_rows_with_known_ends(void **state)
{
    ox x;
    (void)state;
    open_people(&x);
    const char *again =
        Q("insert Knows { from: \"Diana\" to: \"Alice\" since: date(\"2024-02-29\") }");
    ox_mutates(&x, again, NULL, 0, 1);
    ox_mutates(&x, again, NULL, 0, 1);
    char *text = ox_export(&x, "Knows");
    const char *first = strstr(text, "\"from\":\"Diana\"");
    assert_non_null(first);
    assert_non_null(strstr(first + 1, "\"from\":\"Diana\""));
    assert_non_null(strstr(text, "\"since\":19782"));
    ia_free(text);
    ox_mutate_fails(&x, Q("insert Knows { from: \"Diana\" to: \"Nobody\" }"), NULL,
                    IA_ERR_CONSTRAINT, "dst 'Nobody' not found in Person");
    ox_close(&x);
}

static void updates_keep_what_they_do_not_assign(void **state)
{
    ox x;
    (void)state;
    open_people(&x);
    ox_mutates(&x, Q("update Person set { age: 26 } where name = \"Bob\""), NULL, 1, 0);
    expect_line(&x, "Person", "{\"id\":\"Bob\",\"age\":26,\"name\":\"Bob\"}", true);
    ox_mutates(&x, Q("update Person set { age: 1 } where name = \"Nobody\""), NULL, 0, 0);
    ox_mutates(&x, Q("update Person set { age: 40 } where age >= 28"), NULL, 3, 0);
    ox_mutates(&x, "query q($a: I32?) { update Person set { age: $a } where name = \"Bob\" }",
               "{\"a\":null}", 1, 0);
    expect_line(&x, "Person", "{\"id\":\"Bob\",\"age\":null,\"name\":\"Bob\"}", true);
    ox_mutates(&x, Q("update Person set { age: 3 } where age < 1000"), NULL, 3,
               0); /* null does not match */
    ox_mutates(&x, "query q($a: I32?) { update Person set { age: 9 } where age = $a }", "{}", 0, 0);
    ox_mutate_fails(&x, Q("update Person set { name: \"Bob\" } where name = \"Bob\""), NULL,
                    IA_ERR_INVALID, "cannot update @key property 'name'");
    ox_close(&x);
}

static void deletes_take_their_edges_and_count_each_once(void **state)
{
    ox x;
    (void)state;
    open_people(&x);
    ox_mutates(&x, Q("delete Person where name = \"Alice\""), NULL, 1, 3);
    expect_line(&x, NULL, "Alice", false);
    ox_mutates(&x,
               Q("delete Person where name = \"Bob\" delete Person where age < 30 delete Knows "
                 "where from = \"Bob\""),
               NULL, 2, 2);
    expect_line(&x, NULL, "\"edge\"", false);
    ox_mutates(&x, Q("delete Company where name = \"Nobody\""), NULL, 0, 0);
    ox_close(&x);
}

static void edges_are_deleted_by_end_or_property(void **state)
{
    ox x;
    (void)state;
    open_people(&x);
    ox_mutates(&x, Q("delete Knows where since > date(\"2020-01-01\")"), NULL, 0, 0);
    ox_mutates(&x, Q("delete Knows where from = \"Alice\""), NULL, 0, 2);
    ox_mutates(&x, "query q($t: String) { delete Knows where to = $t }", "{\"t\":\"Diana\"}", 0, 1);
    ox_expect_export(&x, "Knows", "");
    ox_close(&x);
}

static void statements_see_what_came_before(void **state)
{
    ox x;
    (void)state;
    open_people(&x);
    ox_mutates(&x, Q("insert Person { name: \"X\" } insert Knows { from: \"Alice\" to: \"X\" }"),
               NULL, 1, 1);
    ox_mutates(
        &x,
        Q("insert Person { name: \"Y\" age: 1 } update Person set { age: 2 } where name = \"Y\""),
        NULL, 2, 0);
    expect_line(&x, "Person", "{\"id\":\"Y\",\"age\":2,\"name\":\"Y\"}", true);
    /* an upsert hides the stored row from a later predicate, and a moved row matches by its new
     * value only */
    ox_mutates(
        &x,
        Q("insert Person { name: \"Bob\" age: 99 } update Person set { age: 7 } where age = 25"),
        NULL, 1, 0);
    expect_line(&x, "Person", "{\"id\":\"Bob\",\"age\":99,\"name\":\"Bob\"}", true);
    ox_mutates(&x,
               Q("update Person set { age: 50 } where name = \"Bob\" update Person set { age: 51 } "
                 "where age = 99 "
                 "update Person set { age: 52 } where age = 50"),
               NULL, 2, 0);
    expect_line(&x, "Person", "{\"id\":\"Bob\",\"age\":52,\"name\":\"Bob\"}", true);
    ox_close(&x);
}

#define RULES                                                                                      \
    "node P { name: String @key  mail: String? @unique  n: F64?  at: DateTime?  u: DateTime?  "    \
    "v: Vector(2)?  tags: [String]?  role: enum(a, b)? }\n"                                        \
    "node Slot { tenant: String  slot: I32  @key(tenant, slot) }\n"                                \
    "edge Has: P -> Slot @card(1..1)\n"

static void all_statements_stand_or_fall_together(void **state)
{
    ox x;
    (void)state;
    ox_open(&x, RULES);
    ox_mutates(&x, Q("insert P { name: \"a\" mail: \"m\" }"), NULL, 1, 0);
    ox_mutate_fails(&x, Q("insert P { name: \"b\" } insert P { name: \"c\" mail: \"m\" }"), NULL,
                    IA_ERR_CONSTRAINT,
                    "@unique violation on P.mail: value 'm' held by 'a' and 'c'");
    expect_line(&x, "P", "\"name\":\"b\"", false);
    /* a value freed by an earlier statement may be taken by a later one */
    ox_mutates(&x,
               Q("update P set { mail: \"t\" } where name = \"a\" update P set { mail: \"z\" } "
                 "where name = \"a\" "
                 "insert P { name: \"c\" mail: \"t\" } insert P { name: \"d\" mail: \"m\" }"),
               NULL, 4, 0);
    ox_mutate_fails(&x, Q("update P set { mail: \"same\" } where name != \"a\""), NULL,
                    IA_ERR_CONSTRAINT, "@unique");
    ox_mutate_fails(&x, Q("insert P { name: \"a\" } delete P where name = \"a\""), NULL,
                    IA_ERR_INVALID, "mix");
    ox_close(&x);
}

static void values_are_stored_in_their_columns_types(void **state)
{
    ox x;
    (void)state;
    ox_open(&x, RULES);
    ox_mutates(&x,
               "query q($v: Vector(2), $n: F64) { insert P { name: \"a\" n: 3 v: [1, 2.5] tags: "
               "[\"x\", \"y\"] role: \"a\" } "
               "insert P { name: \"b\" n: $n v: $v at: datetime(\"2024-01-01T01:00:00+01:00\") } }",
               "{\"v\":[0.5,1],\"n\":2}", 2, 0);
    expect_line(&x, "P", "\"at\":1704067200000", true);
    expect_line(&x, "P", "\"tags\":[\"x\",\"y\"]", true);
    expect_line(&x, "P", "\"role\":\"a\"", true);
    ox_mutates(&x, Q("update P set { n: 4 } where n = 3"), NULL, 1, 0);
    ox_mutates(&x, Q("update P set { n: 5 } where at = datetime(\"2024-01-01\")"), NULL, 1, 0);
    ox_mutates(&x, Q("update P set { n: 6 } where role = \"a\""), NULL, 1, 0);
    ox_mutate_fails(&x, Q("insert P { name: \"c\" v: [1, 2, 3] }"), NULL, IA_ERR_INVALID, "P.v");
    ox_mutate_fails(&x, "query q($r: String) { insert P { name: \"c\" role: $r } }",
                    "{\"r\":\"z\"}", IA_ERR_INVALID, "P.role");
    ox_close(&x);
}

static void now_is_one_instant_per_request(void **state)
{
    ox x;
    (void)state;
    ox_open(&x, RULES);
    ox_mutates(&x, Q("insert P { name: \"a\" at: now() u: now() }"), NULL, 1, 0);
    char *text = ox_export(&x, "P");
    const char *at = strstr(text, "\"at\":"), *u = strstr(text, "\"u\":");
    assert_true(at && u);
    assert_true(strtoll(at + 5, NULL, 10) > 1704067200000);
    assert_int_equal(strtoll(at + 5, NULL, 10), strtoll(u + 4, NULL, 10));
    ia_free(text);
    ox_close(&x);
}

static void integers_out_of_range_are_refused(void **state)
{
    ox x;
    (void)state;
    ox_open(&x, OX_PEOPLE);
    ox_mutate_fails(&x, Q("insert Person { name: \"a\" age: 2147483648 }"), NULL, IA_ERR_INVALID,
                    "I32");
    ox_mutates(&x, Q("insert Person { name: \"a\" age: 2147483647 }"), NULL, 1, 0);
    ox_close(&x);
}

static void cardinality_holds_in_both_directions(void **state)
{
    ox x;
    (void)state;
    ox_open(&x, RULES);
    ox_mutates(&x,
               Q("insert P { name: \"a\" } insert Slot { tenant: \"acme\" slot: 7 } "
                 "insert Has { from: \"a\" to: \"[\\\"7\\\",\\\"acme\\\"]\" }"),
               NULL, 2, 1);
    expect_line(&x, "Slot", "{\"id\":\"[\\\"7\\\",\\\"acme\\\"]\",\"slot\":7,\"tenant\":\"acme\"}",
                true);
    ox_mutate_fails(&x, Q("delete Has where from = \"a\""), NULL, IA_ERR_CONSTRAINT,
                    "source 'a' has 0 edges (min 1)");
    ox_mutate_fails(&x, Q("insert Has { from: \"a\" to: \"[\\\"7\\\",\\\"acme\\\"]\" }"), NULL,
                    IA_ERR_CONSTRAINT, "source 'a' has 2 edges (max 1)");
    ox_mutate_fails(&x, Q("delete Slot where slot = 7"), NULL, IA_ERR_CONSTRAINT,
                    "min 1"); /* a cascade empties a source */
    ox_mutates(&x, Q("delete P where name = \"a\""), NULL, 1, 1);
    ox_close(&x);
}

/* ---- random mutations against a model
 * -------------------------------------------------------------- */

enum { PEOPLE = 8, STEPS = 120, ABSENT = -2, NOAGE = -1 };

typedef struct model {
    int age[PEOPLE];           /* ABSENT, NOAGE or the age */
    int knows[PEOPLE][PEOPLE]; /* number of edges */
} model;

static void check_model(ox *x, const model *m, int n_step)
{
    ia_buf want = {0};

    for (int i = 0; i < PEOPLE; i++) {
        char age[16] = "null";
        if (m->age[i] == ABSENT)
            continue;
        if (m->age[i] != NOAGE)
            snprintf(age, sizeof age, "%d", m->age[i]);
        ia_buf_printf(
            &x->e.cx, &want,
            "{\"type\":\"Person\",\"data\":{\"id\":\"p%d\",\"age\":%s,\"name\":\"p%d\"}}\n", i, age,
            i);
    }
    char *got = ox_export(x, "Person"), *edges = ox_export(x, "Knows");
    if (strcmp(got ? got : "", want.data ? (const char *)want.data : "") != 0)
        fail_msg("step %d: wanted\n%s\ngot\n%s", n_step, (const char *)want.data, got);
    for (int i = 0; i < PEOPLE; i++)
        for (int k = 0; k < PEOPLE; k++) {
            char line[64];
            int n = 0;
            snprintf(line, sizeof line, "\"from\":\"p%d\",\"to\":\"p%d\"", i, k);
            for (const char *at = edges; at && (at = strstr(at, line)); at++)
                n++;
            if (n != m->knows[i][k])
                fail_msg("step %d: p%d knows p%d %d times instead of %d", n_step, i, k, n,
                         m->knows[i][k]);
        }
    ia_free(got);
    ia_free(edges);
    ia_buf_dispose(&want);
}

static void drop_person(model *m, int i, uint64_t *edges)
{
    for (int k = 0; k < PEOPLE; k++) {
        *edges += (uint64_t)m->knows[i][k];
        m->knows[i][k] = 0;
        *edges += (uint64_t)m->knows[k][i];
        m->knows[k][i] = 0;
    }
    m->age[i] = ABSENT;
}

/* The steps: each builds a query, changes the model alike, and runs it with the counts it expects.
 */
typedef struct step {
    ox *x;
    model *m;
    int a, b, v; /* two people and an age */
    char text[300];
    uint64_t nodes, edges; /* affected */
} step;

/* Everybody of an age gets another. */
static void change_ages(step *s, int from, int to)
{
    for (int i = 0; i < PEOPLE; i++)
        if (s->m->age[i] == from) {
            s->m->age[i] = to;
            s->nodes++;
        }
}

static void upsert_then_update(step *s)
{
    snprintf(s->text, sizeof s->text,
             "query q() { insert Person { name: \"p%d\" age: %d } "
             "update Person set { age: %d } where age = %d }",
             s->a, s->v, s->b, s->v);
    s->m->age[s->a] = s->v;
    s->nodes = 1;
    change_ages(s, s->v, s->b);
}

static void connect(step *s)
{
    if (s->m->age[s->a] == ABSENT || s->m->age[s->b] == ABSENT)
        return;
    snprintf(
        s->text, sizeof s->text,
        "query q() { insert Knows { from: \"p%d\" to: \"p%d\" } insert Person { name: \"p%d\" } }",
        s->a, s->b, s->a);
    s->m->knows[s->a][s->b]++;
    s->m->age[s->a] = NOAGE;
    s->nodes = s->edges = 1;
}

static void delete_an_age_and_the_edges_to_one(step *s)
{
    snprintf(s->text, sizeof s->text,
             "query q() { delete Person where age = %d delete Knows where to = \"p%d\" }", s->v,
             s->b);
    for (int i = 0; i < PEOPLE; i++)
        if (s->m->age[i] == s->v) {
            drop_person(s->m, i, &s->edges);
            s->nodes++;
        }
    for (int k = 0; k < PEOPLE; k++) {
        s->edges += (uint64_t)s->m->knows[k][s->b];
        s->m->knows[k][s->b] = 0;
    }
}

static void delete_one(step *s)
{
    snprintf(s->text, sizeof s->text, "query q() { delete Person where name = \"p%d\" }", s->a);
    s->nodes = s->m->age[s->a] != ABSENT;
    drop_person(s->m, s->a, &s->edges);
}

static void update_older_then_one(step *s)
{
    snprintf(s->text, sizeof s->text,
             "query q() { update Person set { age: %d } where age > %d "
             "update Person set { age: 1 } where name = \"p%d\" }",
             s->v, s->b, s->a);
    for (int i = 0; i < PEOPLE; i++)
        if (s->m->age[i] > s->b) {
            s->m->age[i] = s->v;
            s->nodes++;
        }
    if (s->m->age[s->a] != ABSENT) {
        s->m->age[s->a] = 1;
        s->nodes++;
    }
}

static void random_step(ox *x, model *m, uint64_t *seed)
{
    static void (*const steps[])(step *) = {upsert_then_update, connect,
                                            delete_an_age_and_the_edges_to_one, delete_one,
                                            update_older_then_one};
    step s = {.x = x, .m = m};

    s.a = (int)(next_random(seed) % PEOPLE);
    s.b = (int)(next_random(seed) % PEOPLE);
    s.v = (int)(next_random(seed) % 5);
    steps[next_random(seed) % 5](&s);
    if (s.text[0])
        ox_mutates(x, s.text, NULL, s.nodes, s.edges);
}

static void random_mutations_agree_with_a_model(void **state)
{
    uint64_t seed = UINT64_C(0x9E3779B97F4A7C15);
    model m = {{0}, {{0}}};
    ox x;
    (void)state;
    ox_open(&x, OX_PEOPLE);
    for (int i = 0; i < PEOPLE; i++)
        m.age[i] = ABSENT;
    for (int n = 0; n < STEPS; n++) {
        random_step(&x, &m, &seed);
        check_model(&x, &m, n);
    }
    ox_close(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(insert_of_a_key_replaces_the_whole_row),
        cmocka_unit_test(edge_inserts_are_new_rows_with_known_ends),
        cmocka_unit_test(updates_keep_what_they_do_not_assign),
        cmocka_unit_test(deletes_take_their_edges_and_count_each_once),
        cmocka_unit_test(edges_are_deleted_by_end_or_property),
        cmocka_unit_test(statements_see_what_came_before),
        cmocka_unit_test(all_statements_stand_or_fall_together),
        cmocka_unit_test(values_are_stored_in_their_columns_types),
        cmocka_unit_test(now_is_one_instant_per_request),
        cmocka_unit_test(integers_out_of_range_are_refused),
        cmocka_unit_test(cardinality_holds_in_both_directions),
        cmocka_unit_test(random_mutations_agree_with_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
