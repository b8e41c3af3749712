/* test_merge.c - merges by rows: the truth table and all pairs of operations. */
#include "merge_fixture.h"

#include <stdio.h>

/* ---- the truth table (3.A), for nodes and for edges ------------------------------------------ */

/* 0 = absent, else the version of the row's value. */
typedef struct truth {
    int base, source, target;
    int want;             /* -1 = conflict */
    const char *conflict; /* kind */
} truth;

static const truth table[] = {
    {0, 1, 0, 1, NULL},                 /* TT-01 */
    {0, 0, 1, 1, NULL},                 /* TT-02 */
    {0, 1, 1, 1, NULL},                 /* TT-03 */
    {0, 1, 2, -1, "divergent_insert"},  /* TT-04 */
    {1, 0, 0, 0, NULL},                 /* TT-05 */
    {1, 0, 1, 0, NULL},                 /* TT-06 */
    {1, 1, 0, 0, NULL},                 /* TT-06 */
    {1, 0, 2, -1, "delete_vs_update"},  /* TT-07 */
    {1, 2, 0, -1, "delete_vs_update"},  /* TT-07 */
    {1, 1, 1, 1, NULL},                 /* TT-08 */
    {1, 2, 1, 2, NULL},                 /* TT-09 */
    {1, 1, 2, 2, NULL},                 /* TT-10 */
    {1, 2, 2, 2, NULL},                 /* TT-11 */
    {1, 2, 3, -1, "divergent_update"},  /* TT-12 */
};

static void put_node(mx *x, const char *branch, int from, int to)
{
    if (to == from)
        return;
    if (to == 0)
        mx_drop_person(x, branch, "row");
    else
        mx_person(x, branch, "row", to);
}

static void put_edge(mx *x, const char *branch, int from, int to)
{
    char line[200];

    if (to == from)
        return;
    if (to == 0) {
        mx_run(x, branch, "delete Knows where from = \"a\"");
        return;
    }
    snprintf(line, sizeof line,
             "{\"edge\":\"Knows\",\"from\":\"a\",\"to\":\"b\",\"data\":{\"id\":\"row\",\"tag\":"
             "\"%d\"}}\n",
             to);
    mx_load(x, branch, line);
}

static void want_text(size_t type, int value, char out[64])
{
    if (value == 0)
        out[0] = 0;
    else if (type == MX_PERSON)
        snprintf(out, 64, "(%d,-,of row)", value);
    else
        snprintf(out, 64, "(a,b,%d)", value);
}

static void expect_row(mx *x, const char *ref, size_t type, int value)
{
    char want[64], full[80];
    char *got = mx_dump(x, ref, type);

    want_text(type, value, want);
    snprintf(full, sizeof full, "row%s", want);
    if (value == 0)
        assert_null(strstr(got, "row("));
    else if (!strstr(got, full))
        fail_msg("%s: no %s in %s", ref, full, got);
    ia_free(got);
}

/* Each side also changes another row, so that every case is a merge of two moved sides. */
static void run_truth(const truth *t, size_t type, bool into_main)
{
    void (*put)(mx *, const char *, int, int) = type == MX_PERSON ? put_node : put_edge;
    const char *into = into_main ? "main" : "t";
    mx x;

    mx_open(&x, MX_MEMORY);
    mx_people(&x, "main", 0, 12, 1);
    mx_person(&x, "main", "a", 1);
    mx_person(&x, "main", "b", 1);
    put(&x, "main", 0, t->base);
    mx_branch(&x, "s", "main");
    if (!into_main)
        mx_branch(&x, "t", "main");
    mx_edge(&x, "s", "Knows", "ks", "p001", "p002");
    mx_edge(&x, into, "Knows", "kt", "p003", "p004");
    mx_person(&x, "s", "p005", 50);
    mx_person(&x, into, "p006", 60);
    put(&x, "s", t->base, t->source);
    put(&x, into, t->base, t->target);
    if (t->want < 0) {
        char want[80];
        snprintf(want, sizeof want, "%s %s row", t->conflict,
                 type == MX_PERSON ? "Person" : "Knows");
        mx_merge(&x, "s", into, IA_CONFLICTED);
        mx_expect_conflicts(&x, want);
        const ia_conflict *c = &x.r.conflicts.items[0];
        assert_int_equal(c->base != NULL, t->base != 0);
        assert_int_equal(c->source != NULL, t->source != 0);
        assert_int_equal(c->target != NULL, t->target != 0);
        assert_true(c->message && c->message[0]);
    } else {
        mx_merge(&x, "s", into, IA_MERGED);
        expect_row(&x, into, type, t->want);
        mx_merge(&x, "s", into, IA_UP_TO_DATE);
        mx_merge(&x, into, "s", IA_FAST_FORWARD);
        mx_expect_same(&x, "s", into);
    }
    mx_verify(&x);
    mx_close(&x);
}

static void the_truth_table_holds_for_nodes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int into_main = 0; into_main < 2; into_main++)
            run_truth(&table[i], MX_PERSON, into_main);
}

static void the_truth_table_holds_for_edges(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int into_main = 0; into_main < 2; into_main++)
            run_truth(&table[i], MX_KNOWS, into_main);
}

static void a_row_that_both_sides_insert_alike_keeps_the_targets_stamps(void **state)
{
    mx x;
    mx_row before, after;
    (void)state;
    mx_open(&x, MX_MEMORY);
    mx_people(&x, "main", 0, 12, 1);
    mx_branch(&x, "s", "main");
    mx_person(&x, "s", "new", 7);
    mx_person(&x, "s", "more", 8);
    mx_person(&x, "main", "new", 7);
    assert_true(mx_find(&x, "main", MX_PERSON, "new", &before));
    mx_merge(&x, "s", "main", IA_MERGED);
    assert_true(mx_find(&x, "main", MX_PERSON, "new", &after));
    assert_memory_equal(&before, &after, sizeof before);
    mx_close(&x);
}

static void different_columns_of_one_row_conflict(void **state) /* TT-21 */
{
    mx x;
    (void)state;
    mx_open(&x, MX_MEMORY);
    mx_people(&x, "main", 0, 3, 1);
    mx_branch(&x, "s", "main");
    mx_run(&x, "s", "update Person set { age: 9 } where name = \"p001\"");
    mx_run(&x, "main", "update Person set { note: \"other\" } where name = \"p001\"");
    mx_merge(&x, "s", "main", IA_CONFLICTED);
    mx_expect_conflicts(&x, "divergent_update Person p001");
    const ia_conflict *c = &x.r.conflicts.items[0];
    assert_string_equal(c->message, "changed on both sides to different values");
    assert_non_null(strstr(c->base, "\"age\":1"));
    assert_non_null(strstr(c->source, "\"age\":9"));
    assert_non_null(strstr(c->target, "\"note\":\"other\""));
    mx_close(&x);
}

static void null_and_empty_text_differ(void **state) /* TT-14 */
{
    mx x;
    (void)state;
    mx_open(&x, MX_MEMORY);
    mx_load(&x, "main", "{\"type\":\"Person\",\"data\":{\"name\":\"a\"}}\n"
                        "{\"type\":\"Person\",\"data\":{\"name\":\"b\"}}\n");
    mx_branch(&x, "s", "main");
    mx_load(&x, "s", "{\"type\":\"Person\",\"data\":{\"name\":\"a\",\"note\":\"\"}}\n");
    mx_person(&x, "main", "c", 1);
    mx_merge(&x, "s", "main", IA_MERGED);
    mx_expect(&x, "main", MX_PERSON, "a(-,-,) b(-,-,-) c(1,-,of c)");
    mx_close(&x);
}

/* ---- operation pairs (3.B) ------------------------------------------------------------------- */

typedef enum op {
    NOOP = 0,
    ADD_NODE,
    REMOVE_NODE,
    ADD_EDGE,
    REMOVE_EDGE,
    SET_PROPERTY,
    NET_ZERO_EDGE,
    OPS
} op;

typedef struct cell {
    ia_merge_outcome outcome;
    const char *conflicts;
} cell;

#define AU                                                                                         \
    {                                                                                              \
        IA_UP_TO_DATE, ""                                                                          \
    }
#define FF                                                                                         \
    {                                                                                              \
        IA_FAST_FORWARD, ""                                                                        \
    }
#define M                                                                                          \
    {                                                                                              \
        IA_MERGED, ""                                                                              \
    }
#define C(text)                                                                                    \
    {                                                                                              \
        IA_CONFLICTED, text                                                                        \
    }

/* [source][target]; a new operation does not compile until its row and column are decided. */
static const cell pairs[OPS][OPS] = {
    {AU, AU, AU, AU, AU, AU, AU},
    {FF, C("divergent_insert Person Eve"), M, M, M, M, M},
    {FF, M, M, C("orphan_edge Knows target"), M, C("delete_vs_update Person Alice"), M},
    {FF, M, C("orphan_edge Knows source"), M, M, M, M},
    {FF, M, M, M, M, M, M},
    {FF, M, C("delete_vs_update Person Alice"), M, M, C("divergent_update Person Alice"), M},
    {FF, M, M, M, M, M, M},
};

static void do_op(mx *x, const char *branch, op o, bool source)
{
    switch (o) {
    case NOOP:
        break;
    case ADD_NODE:
        mx_person(x, branch, "Eve", source ? 20 : 21);
        break;
    case REMOVE_NODE:
        mx_drop_person(x, branch, "Alice");
        break;
    case ADD_EDGE:
        mx_edge(x, branch, "Knows", source ? "source" : "target", "Alice", "Carol");
        break;
    case REMOVE_EDGE:
        mx_drop_edge(x, branch, "Knows", "bc");
        break;
    case SET_PROPERTY:
        mx_person(x, branch, "Alice", source ? 31 : 32);
        break;
    case NET_ZERO_EDGE:
        mx_edge(x, branch, "Knows", "zero", "Carol", "Dan");
        mx_drop_edge(x, branch, "Knows", "zero");
        break;
    case OPS:
        break;
    }
}

static void people_of_the_pairs(mx *x)
{
    mx_load(x, "main",
            "{\"type\":\"Person\",\"data\":{\"name\":\"Alice\",\"age\":30}}\n"
            "{\"type\":\"Person\",\"data\":{\"name\":\"Bob\",\"age\":25}}\n"
            "{\"type\":\"Person\",\"data\":{\"name\":\"Carol\",\"age\":35}}\n"
            "{\"type\":\"Person\",\"data\":{\"name\":\"Dan\",\"age\":28}}\n"
            "{\"edge\":\"Knows\",\"from\":\"Bob\",\"to\":\"Carol\",\"data\":{\"id\":\"bc\","
            "\"tag\":\"bc\"}}\n");
}

/* The branch "want" sees the target's operation, then the source's. */
static void run_pair(mx *x, const char *base, const char *s, const char *t, const char *want,
                     op source, op target)
{
    const cell *c = &pairs[source][target];

    mx_branch(x, s, base);
    mx_branch(x, want, base);
    if (strcmp(t, "main") != 0)
        mx_branch(x, t, base);
    do_op(x, s, source, true);
    do_op(x, t, target, false);
    do_op(x, want, target, false);
    mx_merge(x, s, t, c->outcome);
    mx_expect_conflicts(x, c->conflicts);
    if (c->outcome == IA_CONFLICTED)
        return;
    if (c->outcome == IA_FAST_FORWARD || c->outcome == IA_MERGED)
        do_op(x, want, source, true);
    mx_expect_same(x, t, want);
    mx_merge(x, s, t, IA_UP_TO_DATE);
}

static void the_49_pairs_of_operations_merge_into_branches(void **state)
{
    (void)state;
    for (int kind = MX_MEMORY; kind <= MX_LOCAL; kind++) {
        mx x;
        mx_open(&x, (mx_kind)kind);
        people_of_the_pairs(&x);
        for (int s = 0; s < OPS; s++)
            for (int t = 0; t < OPS; t++) {
                char a[32], b[32], c[32];
                snprintf(a, sizeof a, "s%d-%d", s, t);
                snprintf(b, sizeof b, "t%d-%d", s, t);
                snprintf(c, sizeof c, "w%d-%d", s, t);
                run_pair(&x, "main", a, b, c, (op)s, (op)t);
            }
        if (kind == MX_MEMORY)
            mx_verify(&x);
        mx_close(&x);
    }
}

static void the_49_pairs_of_operations_merge_into_main(void **state)
{
    (void)state;
    for (int s = 0; s < OPS; s++)
        for (int t = 0; t < OPS; t++) {
            mx x;
            mx_open(&x, MX_MEMORY);
            people_of_the_pairs(&x);
            run_pair(&x, "main", "s", "main", "want", (op)s, (op)t);
            mx_verify(&x);
            mx_close(&x);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_truth_table_holds_for_nodes),
        cmocka_unit_test(the_truth_table_holds_for_edges),
        cmocka_unit_test(a_row_that_both_sides_insert_alike_keeps_the_targets_stamps),
        cmocka_unit_test(different_columns_of_one_row_conflict),
        cmocka_unit_test(null_and_empty_text_differ),
        cmocka_unit_test(the_49_pairs_of_operations_merge_into_branches),
        cmocka_unit_test(the_49_pairs_of_operations_merge_into_main),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
