/* test_load.c - loads: strict lines, modes, ids, rules on every line, export and back. */
#include "ops_fixture.h"

#include <stdio.h>

#define RICH                                                                                       \
    "node Doc { slug: String @key  title: String  day: Date?  at: DateTime?  n: U64?  f: F32?  "   \
    "ok: Bool?\n"                                                                                  \
    "  tags: [String]?  v: Vector(3)?  kind: enum(note, post)?  mail: String? @unique\n"           \
    "  @range(n, 1..10) @check(title, \"[a-z]\") }\n"                                              \
    "node Log { text: String? }\n"                                                                 \
    "node Slot { tenant: String  slot: I32  @key(tenant, slot) }\n"                                \
    "edge Next: Doc -> Doc @card(0..1) { w: F64? }\n"                                              \
    "edge Owns: Slot -> Log\n"

static void people_load_and_export_in_order(void **state)
{
    ox x;
    (void)state;
    ox_open(&x, OX_PEOPLE);
    for (x.piece = 1; x.piece < 400; x.piece += 133) {
        ox_loads(&x, IA_LOAD_OVERWRITE, ox_people_rows);
        assert_int_equal(x.total, 11);
        assert_true(x.committed);
    }
    ox_expect_export(&x, "Knows",
                     "{\"edge\":\"Knows\",\"from\":\"Alice\",\"to\":\"Bob\",\"data\":{\"id\":"
                     "\"k1\",\"since\":null}}\n"
                     "{\"edge\":\"Knows\",\"from\":\"Alice\",\"to\":\"Charlie\",\"data\":{\"id\":"
                     "\"k2\",\"since\":null}}\n"
                     "{\"edge\":\"Knows\",\"from\":\"Bob\",\"to\":\"Diana\",\"data\":{\"id\":"
                     "\"k3\",\"since\":null}}\n");
    ox_expect_export(&x, "Company",
                     "{\"type\":\"Company\",\"data\":{\"id\":\"Acme\",\"name\":\"Acme\"}}\n"
                     "{\"type\":\"Company\",\"data\":{\"id\":\"Globex\",\"name\":\"Globex\"}}\n");
    char *all = ox_export(&x, NULL);
    assert_int_equal(strncmp(all, "{\"edge\":\"Knows\"", 15), 0); /* edges come first */
    ox_loads(&x, IA_LOAD_OVERWRITE, all);
    ox_expect_export(&x, NULL, all);
    ia_free(all);
    ox_close(&x);
}

static void an_empty_file_makes_no_commit(void **state)
{
    ox x;
    (void)state;
    ox_open(&x, OX_PEOPLE);
    ox_loads(&x, IA_LOAD_APPEND, "");
    assert_false(x.committed);
    ox_loads(&x, IA_LOAD_OVERWRITE, "\n  \n\t\r\n");
    assert_false(x.committed);
    ox_close(&x);
}

static void edges_may_come_before_their_nodes_and_blank_lines_between(void **state)
{
    ox x;
    (void)state;
    ox_open(&x, OX_PEOPLE);
    ox_loads(&x, IA_LOAD_APPEND,
             "{\"to\":\"B\",\"from\":\"A\",\"edge\":\"knows\"}\r\n\n"
             "{\"data\":{\"name\":\"A\"},\"type\":\"Person\"}\n   \n"
             "{\"type\":\"Person\",\"data\":{\"name\":\"B\"}}");
    assert_int_equal(x.total, 3);
    char *text = ox_export(&x, "Knows");
    const char *id = strstr(text, "\"id\":\"");
    assert_non_null(id);
    assert_int_equal(strcspn(id + 6, "\""), 26); /* a ULID */
    ia_free(text);
    ox_close(&x);
}

static void bad_lines_are_named_by_physical_number(void **state)
{
    static const char good[] = "{\"type\":\"Person\",\"data\":{\"name\":\"A\"}}\n\n";
    static const struct {
        const char *line, *anchor;
    } cases[] = {
        {"{\"type\":\"Person\"", "line 3"},
        {"[1]", "object"},
        {"{\"type\":\"Person\",\"edge\":\"Knows\",\"data\":{\"name\":\"B\"}}", "both"},
        {"{\"data\":{\"name\":\"B\"}}", "neither"},
        {"{\"type\":\"Person\",\"data\":{\"name\":\"B\"},\"extra\":1}", "'extra'"},
        {"{\"type\":\"Person\",\"data\":{\"name\":\"B\"},\"id\":\"B\"}", "'id'"},
        {"{\"type\":\"Person\",\"data\":{\"name\":\"B\",\"name\":\"C\"}}", "name"},
        {"{\"type\":\"Person\",\"type\":\"Person\",\"data\":{\"name\":\"B\"}}", "type"},
        {"{\"type\":\"Nobody\",\"data\":{}}", "unknown node type 'Nobody'"},
        {"{\"edge\":\"Hates\",\"from\":\"A\",\"to\":\"A\"}", "unknown edge type 'Hates'"},
        {"{\"edge\":\"Knows\",\"from\":\"A\"}", "'to'"},
        {"{\"edge\":\"Knows\",\"from\":1,\"to\":\"A\"}", "'from'"},
        {"{\"edge\":\"Knows\",\"from\":\"A\",\"to\":\"A\",\"data\":{\"src\":\"A\"}}",
         "unknown input field 'src'"},
        {"{\"type\":\"Person\",\"data\":[]}", "'data'"},
        {"{\"type\":\"Person\",\"data\":{\"name\":\"B\",\"nick\":\"b\"}}",
         "unknown input field 'nick' for 'node:Person'"},
        {"{\"type\":\"Person\",\"data\":{\"name\":\"B\",\"id\":7}}", "id"},
        {"{\"type\":\"Person\",\"data\":{\"age\":7}}", "name"},
        {"{\"type\":\"Person\"}", "name"},
        {"{\"type\":\"Person\",\"data\":{\"name\":null}}", "name"},
        {"{\"type\":\"Person\",\"data\":{\"name\":\"B\",\"age\":2147483648}}", "Person.age"},
        {"{\"type\":\"Person\",\"data\":{\"name\":\"B\",\"age\":\"7\"}}", "Person.age"},
        {"{\"type\":\"Person\",\"data\":{\"name\":\"B\",\"age\":7.0}}", "Person.age"},
        {"{\"type\":\"Person\",\"data\":{\"name\":\"B\"}}\x80", "line 3"},
    };
    ox x;
    (void)state;
    ox_open(&x, OX_PEOPLE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, "%s%s\n%s", good, cases[i].line,
                 "{\"type\":\"Person\",\"data\":{\"name\":\"Z\"}}\n");
        ox_load_fails(&x, IA_LOAD_APPEND, text, IA_ERR_INVALID, "line 3", cases[i].anchor);
    }
    ox_expect_export(&x, NULL, "");
    ox_close(&x);
}

static const struct {
    const char *member, *stored;
} good_values[] = {
    {"\"day\":\"2024-02-29\"", "\"day\":19782"},
    {"\"day\":19782", "\"day\":19782"},
    {"\"at\":\"2024-01-01T01:00:00+01:00\"", "\"at\":1704067200000"},
    {"\"at\":\"2024-01-01T00:00:00Z\"", "\"at\":1704067200000"},
    {"\"at\":\"2024-01-01\"", "\"at\":1704067200000"},
    {"\"at\":1704067200000", "\"at\":1704067200000"},
    {"\"n\":10", "\"n\":10"},
    {"\"f\":1", "\"f\":1"},
    {"\"f\":0.1", "\"f\":0.1"},
    {"\"ok\":true", "\"ok\":true"},
    {"\"tags\":[\"b\",\"a\"]", "\"tags\":[\"b\",\"a\"]"},
    {"\"tags\":[]", "\"tags\":[]"},
    {"\"tags\":null", "\"tags\":null"},
    {"\"v\":[1,2.5,-3]", "\"v\":["},
    {"\"kind\":\"post\"", "\"kind\":\"post\""},
    {"\"id\":\"d\"", "\"id\":\"d\""},
};
static const struct {
    const char *member, *anchor;
} bad_values[] = {
    {"\"day\":\"2023-02-29\"", "Doc.day"},
    {"\"day\":true", "Doc.day"},
    {"\"at\":\"noon\"", "Doc.at"},
    {"\"n\":-1", "Doc.n"},
    {"\"n\":18446744073709551616", "Doc.n"},
    {"\"f\":1e39", "Doc.f"},
    {"\"f\":\"1\"", "Doc.f"},
    {"\"ok\":1", "Doc.ok"},
    {"\"tags\":[\"a\",null]", "Doc.tags"},
    {"\"tags\":\"a\"", "Doc.tags"},
    {"\"v\":[1,2]", "Doc.v"},
    {"\"v\":[1,2,null]", "Doc.v"},
    {"\"v\":[1,2,\"3\"]", "Doc.v"},
    {"\"id\":\"other\"", "'other'"},
};

static void values_follow_the_table_of_types(void **state)
{
    ox x;
    (void)state;
    ox_open(&x, RICH);
    for (size_t i = 0; i < sizeof good_values / sizeof *good_values; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "{\"type\":\"Doc\",\"data\":{\"slug\":\"d\",\"title\":\"t\",%s}}",
                 good_values[i].member);
        ox_loads(&x, IA_LOAD_MERGE, text);
        char *got = ox_export(&x, "Doc");
        if (!strstr(got, good_values[i].stored))
            fail_msg("%s is stored as %s", good_values[i].member, got);
        ia_free(got);
    }
    for (size_t i = 0; i < sizeof bad_values / sizeof *bad_values; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "\n{\"type\":\"Doc\",\"data\":{\"slug\":\"d\",\"title\":\"t\",%s}}",
                 bad_values[i].member);
        ox_load_fails(&x, IA_LOAD_MERGE, text, IA_ERR_INVALID, "line 2", bad_values[i].anchor);
    }
    ox_close(&x);
}

static void broken_rules_name_the_line(void **state)
{
    static const struct {
        const char *lines, *line, *anchor;
    } cases[] = {
        {"{\"type\":\"Doc\",\"data\":{\"slug\":\"a\",\"title\":\"t\",\"n\":11}}", "line 2",
         "@range violation on Doc.n"},
        {"{\"type\":\"Doc\",\"data\":{\"slug\":\"a\",\"title\":\"T\"}}", "line 2",
         "@check violation on Doc.title"},
        {"{\"type\":\"Doc\",\"data\":{\"slug\":\"a\",\"title\":\"t\",\"kind\":\"x\"}}", "line 2",
         "invalid enum value 'x' for Doc.kind"},
        {"{\"type\":\"Doc\",\"data\":{\"slug\":\"a\",\"title\":\"t\",\"mail\":\"m\"}}\n"
         "{\"type\":\"Doc\",\"data\":{\"slug\":\"b\",\"title\":\"t\",\"mail\":\"m\"}}",
         "line 3", "@unique violation on Doc.mail"},
        {"{\"type\":\"Doc\",\"data\":{\"slug\":\"a\",\"title\":\"t\"}}\n"
         "{\"type\":\"Doc\",\"data\":{\"slug\":\"a\",\"title\":\"u\"}}",
         "line 3", "@unique violation on Doc.slug"},
        {"{\"edge\":\"Next\",\"from\":\"nobody\",\"to\":\"nobody\"}", "line 2",
         "src 'nobody' not found in Doc"},
    };
    const ia_load_mode modes[] = {IA_LOAD_APPEND, IA_LOAD_MERGE, IA_LOAD_OVERWRITE};
    ox x;
    (void)state;
    ox_open(&x, RICH);
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            char text[400];
            snprintf(text, sizeof text, "\n%s\n", cases[i].lines);
            ox_load_fails(&x, modes[k], text, IA_ERR_CONSTRAINT, cases[i].line, cases[i].anchor);
        }
    ox_loads(
        &x, IA_LOAD_APPEND,
        "{\"type\":\"Doc\",\"data\":{\"slug\":\"a\",\"title\":\"t\"}}"); /* nothing is blocked */
    ox_close(&x);
}

static void append_refuses_what_is_stored_and_merge_replaces_it(void **state)
{
    ox x;
    (void)state;
    ox_open(&x, OX_PEOPLE);
    ox_loads(&x, IA_LOAD_OVERWRITE, ox_people_rows);
    ox_load_fails(&x, IA_LOAD_APPEND,
                  "{\"type\":\"Person\",\"data\":{\"name\":\"New\"}}\n{\"type\":\"Person\","
                  "\"data\":{\"name\":\"Bob\"}}\n"
                  "{\"type\":\"Person\",\"data\":{\"name\":\"Alice\"}}\n",
                  IA_ERR_CONSTRAINT, "key_conflict", "line 2: key_conflict: Person 'Bob'");
    ox_loads(&x, IA_LOAD_MERGE,
             "{\"type\":\"Person\",\"data\":{\"name\":\"New\",\"age\":1}}\n"
             "{\"type\":\"Person\",\"data\":{\"name\":\"Bob\"}}\n");
    ox_expect_export(
        &x, "Person",
        "{\"type\":\"Person\",\"data\":{\"id\":\"Alice\",\"age\":30,\"name\":\"Alice\"}}\n"
        "{\"type\":\"Person\",\"data\":{\"id\":\"Bob\",\"age\":null,\"name\":\"Bob\"}}\n"
        "{\"type\":\"Person\",\"data\":{\"id\":\"Charlie\",\"age\":35,\"name\":\"Charlie\"}}\n"
        "{\"type\":\"Person\",\"data\":{\"id\":\"Diana\",\"age\":28,\"name\":\"Diana\"}}\n"
        "{\"type\":\"Person\",\"data\":{\"id\":\"New\",\"age\":1,\"name\":\"New\"}}\n");
    ox_loads(&x, IA_LOAD_MERGE,
             "{\"edge\":\"Knows\",\"from\":\"Diana\",\"to\":\"Bob\",\"data\":{\"id\":\"k1\"}}\n"
             "{\"edge\":\"Knows\",\"from\":\"Diana\",\"to\":\"Alice\",\"data\":{\"id\":\"k1\"}}\n"
             "{\"edge\":\"Knows\",\"from\":\"Diana\",\"to\":\"New\",\"data\":{\"id\":\"k9\"}}\n");
    char *text = ox_export(&x, "Knows");
    assert_non_null(strstr(
        text,
        "\"from\":\"Diana\",\"to\":\"Alice\",\"data\":{\"id\":\"k1\"")); /* the last one wins */
    assert_null(strstr(text, "\"from\":\"Diana\",\"to\":\"Bob\""));
    ia_free(text);
    ox_close(&x);
}

static void repeated_ids_are_a_key_conflict_but_in_merge(void **state)
{
    static const char twice[] = "{\"type\":\"Log\",\"data\":{\"id\":\"l\",\"text\":\"1\"}}\n"
                                "{\"type\":\"Log\",\"data\":{\"id\":\"m\",\"text\":\"1\"}}\n"
                                "{\"type\":\"Log\",\"data\":{\"id\":\"l\",\"text\":\"2\"}}\n";
    ox x;
    (void)state;
    ox_open(&x, RICH);
    ox_load_fails(&x, IA_LOAD_APPEND, twice, IA_ERR_CONSTRAINT, "line 3: key_conflict: Log 'l'",
                  "line 1");
    ox_load_fails(&x, IA_LOAD_OVERWRITE, twice, IA_ERR_CONSTRAINT, "line 3: key_conflict: Log 'l'",
                  "line 1");
    ox_loads(&x, IA_LOAD_MERGE, twice);
    ox_expect_export(&x, "Log",
                     "{\"type\":\"Log\",\"data\":{\"id\":\"l\",\"text\":\"2\"}}\n"
                     "{\"type\":\"Log\",\"data\":{\"id\":\"m\",\"text\":\"1\"}}\n");
    ox_loads(&x, IA_LOAD_MERGE, twice); /* once more, over what is stored */
    ox_load_fails(&x, IA_LOAD_APPEND, "{\"type\":\"Log\",\"data\":{\"id\":\"m\"}}\n",
                  IA_ERR_CONSTRAINT, "key_conflict", "'m'");
    ox_close(&x);
}

static void overwrite_replaces_the_types_that_occur(void **state)
{
    ox x;
    (void)state;
    ox_open(&x, OX_PEOPLE);
    ox_loads(&x, IA_LOAD_OVERWRITE, ox_people_rows);
    ox_load_fails(&x, IA_LOAD_OVERWRITE, "{\"type\":\"Person\",\"data\":{\"name\":\"Alice\"}}\n",
                  IA_ERR_CONSTRAINT, "not found in Person", NULL);
    ox_loads(&x, IA_LOAD_OVERWRITE,
             "{\"edge\":\"Knows\",\"from\":\"Diana\",\"to\":\"Alice\",\"data\":{\"id\":\"z\"}}\n");
    ox_expect_export(&x, "Knows",
                     "{\"edge\":\"Knows\",\"from\":\"Diana\",\"to\":\"Alice\",\"data\":{\"id\":"
                     "\"z\",\"since\":null}}\n");
    ox_loads(&x, IA_LOAD_OVERWRITE,
             "{\"type\":\"Person\",\"data\":{\"name\":\"Carol\"}}\n{\"edge\":\"Knows\",\"from\":"
             "\"Carol\",\"to\":\"Carol\"}\n"
             "{\"edge\":\"WorksAt\",\"from\":\"Carol\",\"to\":\"Acme\"}\n");
    ox_expect_export(
        &x, "Person",
        "{\"type\":\"Person\",\"data\":{\"id\":\"Carol\",\"age\":null,\"name\":\"Carol\"}}\n");
    char *text = ox_export(&x, "Company"); /* kept */
    assert_non_null(strstr(text, "Globex"));
    ia_free(text);
    ox_close(&x);
}

static void composite_keys_make_json_ids(void **state)
{
    ox x;
    (void)state;
    ox_open(&x, RICH);
    ox_loads(&x, IA_LOAD_APPEND,
             "{\"type\":\"Slot\",\"data\":{\"tenant\":\"acme\",\"slot\":7}}\n{\"type\":\"Log\","
             "\"data\":{\"id\":\"l\"}}\n"
             "{\"edge\":\"Owns\",\"from\":\"[\\\"7\\\",\\\"acme\\\"]\",\"to\":\"l\"}\n");
    ox_expect_export(&x, "Slot",
                     "{\"type\":\"Slot\",\"data\":{\"id\":\"[\\\"7\\\",\\\"acme\\\"]\",\"slot\":7,"
                     "\"tenant\":\"acme\"}}\n");
    ox_close(&x);
}

static void cardinality_holds_over_stored_edges(void **state)
{
    ox x;
    (void)state;
    ox_open(&x, RICH);
    ox_loads(&x, IA_LOAD_APPEND,
             "{\"type\":\"Doc\",\"data\":{\"slug\":\"a\",\"title\":\"t\"}}\n{\"type\":\"Doc\","
             "\"data\":{\"slug\":\"b\",\"title\":\"t\"}}\n"
             "{\"edge\":\"Next\",\"from\":\"a\",\"to\":\"b\",\"data\":{\"id\":\"n1\"}}\n");
    ox_load_fails(&x, IA_LOAD_APPEND, "{\"edge\":\"Next\",\"from\":\"a\",\"to\":\"a\"}",
                  IA_ERR_CONSTRAINT, "@card violation on edge Next: source 'a' has 2 edges (max 1)",
                  NULL);
    ox_loads(
        &x, IA_LOAD_MERGE,
        "{\"edge\":\"Next\",\"from\":\"a\",\"to\":\"a\",\"data\":{\"id\":\"n1\"}}"); /* itself */
    ox_loads(
        &x, IA_LOAD_MERGE,
        "{\"edge\":\"Next\",\"from\":\"b\",\"to\":\"a\",\"data\":{\"id\":\"n1\"}}"); /* moved */
    ox_loads(&x, IA_LOAD_APPEND, "{\"edge\":\"Next\",\"from\":\"a\",\"to\":\"a\"}");
    ox_close(&x);
}

static void unknown_export_types_are_refused(void **state)
{
    static const char *const nope[] = {"Nope"};
    ox x;
    ia_commit *head = NULL;
    ia_snapshot *s = NULL;
    (void)state;
    ox_open(&x, OX_PEOPLE);
    assert_ok(ia_resolve(&x.e.cx, x.g, "main", &head));
    assert_ok(ia_snapshot_open(&x.e.cx, x.g, head, &s));
    assert_true(ia_export(&x.e.cx, s, nope, 1, NULL, NULL) != IA_OK);
    assert_non_null(strstr(x.e.cx.err.text, "Nope"));
    ia_snapshot_close(s);
    ox_close(&x);
}

/* Many rows pass through several chunks, updates among inserts, and come back the same. */
static void large_loads_cross_chunks(void **state)
{
    enum { ROWS = 70000 };
    ox x;
    ia_buf text = {0};
    (void)state;
    ox_open(&x, OX_PEOPLE);
    for (int i = 0; i < ROWS; i++)
        ia_buf_printf(&x.e.cx, &text,
                      "{\"type\":\"Person\",\"data\":{\"name\":\"p%06d\",\"age\":%d}}\n", i, i);
    ox_loads(&x, IA_LOAD_APPEND, (const char *)text.data);
    ia_buf_clear(&text);
    for (int i = 0; i < ROWS; i += 2) /* every second one again, and as many new ones */
        ia_buf_printf(&x.e.cx, &text,
                      "{\"type\":\"Person\",\"data\":{\"name\":\"p%06d\"}}\n{\"type\":\"Person\","
                      "\"data\":{\"name\":"
                      "\"q%06d\",\"age\":1}}\n",
                      i, i);
    ox_loads(&x, IA_LOAD_MERGE, (const char *)text.data);
    assert_int_equal(x.total, ROWS);
    ia_buf_clear(&text);
    for (int i = 0; i < ROWS; i++) {
        char age[16] = "null";
        if (i % 2)
            snprintf(age, sizeof age, "%d", i);
        ia_buf_printf(
            &x.e.cx, &text,
            "{\"type\":\"Person\",\"data\":{\"id\":\"p%06d\",\"age\":%s,\"name\":\"p%06d\"}}\n", i,
            age, i);
    }
    for (int i = 0; i < ROWS; i += 2)
        ia_buf_printf(
            &x.e.cx, &text,
            "{\"type\":\"Person\",\"data\":{\"id\":\"q%06d\",\"age\":1,\"name\":\"q%06d\"}}\n", i,
            i);
    ox_expect_export(&x, "Person", (const char *)text.data);
    ia_buf_clear(&text);
    ia_buf_puts(&x.e.cx, &text, "{\"type\":\"Person\",\"data\":{\"name\":\"");
    ia_buf_fill(&x.e.cx, &text, 'x', (size_t)33 << 20);
    ia_buf_puts(&x.e.cx, &text, "\"}}\n");
    ox_load_fails(&x, IA_LOAD_APPEND, (const char *)text.data, IA_ERR_INVALID, "line 1",
                  "graph_batch_line_bytes");
    ia_buf_dispose(&text);
    ox_close(&x);
}

static void too_little_memory_says_what_to_do(void **state)
{
    ox x;
    ia_buf text = {0};
    (void)state;
    ox_open(&x, OX_PEOPLE);
    for (int i = 0; i < 20000; i++)
        ia_buf_printf(&x.e.cx, &text,
                      "{\"type\":\"Person\",\"data\":{\"name\":\"p%06d\",\"age\":%d}}\n", i, i);
    ia_budget *whole = x.e.cx.budget, *tight = ia_budget_new(whole, 600000);
    assert_non_null(tight);
    x.e.cx.budget = tight;
    const ia_status st = ox_load(&x, IA_LOAD_APPEND, (const char *)text.data);
    assert_int_equal(st, IA_ERR_OVER_BUDGET);
    assert_non_null(strstr(x.e.cx.err.text, "--memory"));
    x.e.cx.budget = whole;
    ia_budget_drop(tight);
    ox_loads(&x, IA_LOAD_APPEND, (const char *)text.data);
    ia_buf_dispose(&text);
    ox_close(&x);
}

/* Runs `act` with the k-th allocation failing until it succeeds; each time the graph is as before.
 */
static void cut_every_allocation(ox *x, ia_status (*act)(ox *x))
{
    char *before = ox_export(x, NULL);
    ia_status st = IA_ERR_NO_MEMORY;

    for (int64_t k = 0; st != IA_OK; k++) {
        ia_mem_fail_after(k);
        st = act(x);
        ia_mem_fail_after(-1);
        if (st == IA_OK)
            break;
        assert_int_equal(st, IA_ERR_NO_MEMORY);
        assert_int_equal(x->e.cx.err.code, IA_ERR_NO_MEMORY);
        if (k % 16 == 0)
            ox_expect_export(x, NULL, before);
        assert_true(k < 100000);
    }
    ia_free(before);
}

static ia_status merge_some(ox *x)
{
    return ox_load(
        x, IA_LOAD_MERGE,
        "{\"type\":\"Person\",\"data\":{\"name\":\"Bob\",\"age\":1}}\n"
        "{\"type\":\"Person\",\"data\":{\"name\":\"New\"}}\n"
        "{\"edge\":\"Knows\",\"from\":\"New\",\"to\":\"Bob\",\"data\":{\"id\":\"k1\"}}\n");
}

static ia_status overwrite_some(ox *x)
{
    return ox_load(
        x, IA_LOAD_OVERWRITE,
        "{\"edge\":\"Knows\",\"from\":\"New\",\"to\":\"Bob\",\"data\":{\"id\":\"k1\"}}\n");
}

static ia_status mutate_some(ox *x)
{
    return ox_mutate(x,
                     "query q() { update Person set { age: 5 } where age < 30 "
                     "insert Person { name: \"Bob\" } insert Knows { from: \"Bob\" to: \"Bob\" } }",
                     NULL);
}

static ia_status delete_some(ox *x)
{
    return ox_mutate(x, "query q() { delete Person where name = \"Alice\" }", NULL);
}

static void a_write_without_memory_changes_nothing_and_leaks_nothing(void **state)
{
    ox x;
    (void)state;
    ox_open(&x, OX_PEOPLE);
    ox_loads(&x, IA_LOAD_OVERWRITE, ox_people_rows);
    cut_every_allocation(&x, merge_some);
    cut_every_allocation(&x, overwrite_some);
    cut_every_allocation(&x, mutate_some);
    cut_every_allocation(&x, delete_some);
    ox_close(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(people_load_and_export_in_order),
        cmocka_unit_test(an_empty_file_makes_no_commit),
        cmocka_unit_test(edges_may_come_before_their_nodes_and_blank_lines_between),
        cmocka_unit_test(bad_lines_are_named_by_physical_number),
        cmocka_unit_test(values_follow_the_table_of_types),
        cmocka_unit_test(broken_rules_name_the_line),
        cmocka_unit_test(append_refuses_what_is_stored_and_merge_replaces_it),
        cmocka_unit_test(repeated_ids_are_a_key_conflict_but_in_merge),
        cmocka_unit_test(overwrite_replaces_the_types_that_occur),
        cmocka_unit_test(composite_keys_make_json_ids),
        cmocka_unit_test(cardinality_holds_over_stored_edges),
        cmocka_unit_test(unknown_export_types_are_refused),
        cmocka_unit_test(large_loads_cross_chunks),
        cmocka_unit_test(too_little_memory_says_what_to_do),
        cmocka_unit_test(a_write_without_memory_changes_nothing_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
