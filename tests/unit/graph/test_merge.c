/* test_merge.c - merges by rows: the truth table, operation pairs, conflicts, net-zero changes. */
#include "merge_fixture.h"

#include <stdio.h>

/* ---- the truth table (3.A), for nodes and for edges -------------------------------------------- */

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

/* ---- operation pairs (3.B) --------------------------------------------------------------------- */

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

/* ---- conflicts --------------------------------------------------------------------------------- */

static void open_pair(mx *x)
{
    mx_open(x, MX_MEMORY);
    mx_people(x, "main", 0, 6, 1);
    mx_load(x, "main",
            "{\"type\":\"Item\",\"data\":{\"name\":\"i0\"}}\n"
            "{\"type\":\"Item\",\"data\":{\"name\":\"i1\"}}\n"
            "{\"type\":\"Item\",\"data\":{\"name\":\"i2\"}}\n"
            "{\"edge\":\"Lives\",\"from\":\"p000\",\"to\":\"i0\",\"data\":{\"id\":\"l0\","
            "\"tag\":\"l0\"}}\n"
            "{\"edge\":\"Owns\",\"from\":\"p000\",\"to\":\"i0\",\"data\":{\"id\":\"o0\",\"tag\":"
            "\"o0\"}}\n"
            "{\"edge\":\"Knows\",\"from\":\"p000\",\"to\":\"p001\",\"data\":{\"id\":\"k0\","
            "\"tag\":\"k0\"}}\n");
    mx_branch(x, "s", "main");
}

static void set_email(mx *x, const char *branch, const char *name, const char *email)
{
    char line[200];

    snprintf(line, sizeof line,
             "{\"type\":\"Person\",\"data\":{\"name\":\"%s\",\"email\":\"%s\"}}\n", name, email);
    mx_load(x, branch, line);
}

static void conflicts_are_complete_and_sorted(void **state) /* CF-01, CF-02 */
{
    mx x;
    (void)state;
    open_pair(&x);
    mx_people(&x, "s", 1, 6, 2);
    mx_people(&x, "main", 1, 6, 3);
    mx_load(&x, "s", "{\"type\":\"Item\",\"data\":{\"name\":\"i9\",\"title\":\"s\"}}\n"
                     "{\"type\":\"Item\",\"data\":{\"name\":\"i1\",\"title\":\"s\"}}\n");
    mx_load(&x, "main", "{\"type\":\"Item\",\"data\":{\"name\":\"i1\",\"title\":\"t\"}}\n"
                        "{\"type\":\"Item\",\"data\":{\"name\":\"i9\",\"title\":\"t\"}}\n");
    mx_drop_edge(&x, "s", "Knows", "k0");
    mx_load(&x, "main", "{\"edge\":\"Knows\",\"from\":\"p000\",\"to\":\"p002\",\"data\":{\"id\":"
                        "\"k0\"}}\n");
    set_email(&x, "s", "u1", "e@x"); /* a broken rule is not reported beside broken rows */
    set_email(&x, "main", "u2", "e@x");
    mx_merge(&x, "s", "main", IA_CONFLICTED);
    mx_expect_conflicts(&x, "delete_vs_update Knows k0; divergent_update Item i1; "
                            "divergent_insert Item i9; divergent_update Person p001; "
                            "divergent_update Person p002; divergent_update Person p003; "
                            "divergent_update Person p004; divergent_update Person p005");
    mx_close(&x);
}

static void one_unique_value_on_both_sides_conflicts(void **state) /* CF-04 */
{
    mx x;
    (void)state;
    open_pair(&x);
    set_email(&x, "s", "u1", "e@x");
    set_email(&x, "s", "u3", "f@x");
    set_email(&x, "main", "u2", "e@x");
    mx_merge(&x, "s", "main", IA_CONFLICTED);
    mx_expect_conflicts(&x, "unique_violation Person u1");
    const ia_conflict *c = &x.r.conflicts.items[0];
    assert_non_null(strstr(c->message, "@unique violation on Person.email"));
    assert_non_null(strstr(c->message, "'u2'"));
    mx_close(&x);
}

static void a_value_that_moved_on_is_free(void **state)
{
    mx x;
    (void)state;
    mx_open(&x, MX_MEMORY);
    set_email(&x, "main", "u1", "e@x");
    mx_branch(&x, "s", "main");
    set_email(&x, "main", "u1", "other@x"); /* the target lets go of it, the source takes nothing */
    mx_person(&x, "s", "u2", 1);
    mx_merge(&x, "s", "main", IA_MERGED);
    mx_branch(&x, "s2", "main");
    set_email(&x, "s2", "u1", "third@x"); /* the source lets go, the target may not take it */
    set_email(&x, "s2", "u3", "other@x");
    mx_person(&x, "main", "u4", 1);
    mx_merge(&x, "s2", "main", IA_MERGED);
    mx_expect(&x, "main", MX_PERSON,
              "u1(-,third@x,-) u2(1,-,of u2) u3(-,other@x,-) u4(1,-,of u4)");
    mx_verify(&x);
    mx_close(&x);
}

static void orphans_are_found_in_both_directions(void **state) /* CF-08 */
{
    mx x;
    (void)state;
    open_pair(&x);
    mx_edge(&x, "s", "Knows", "new", "p002", "p003");
    mx_drop_person(&x, "main", "p003");
    mx_merge(&x, "s", "main", IA_CONFLICTED);
    mx_expect_conflicts(&x, "orphan_edge Knows new");
    assert_string_equal(x.r.conflicts.items[0].message,
                        "dst 'p003' not found in Person (edge Knows 'new')");
    mx_close(&x);
    open_pair(&x);
    mx_drop_person(&x, "s", "p003");
    mx_edge(&x, "main", "Knows", "new", "p003", "p002");
    mx_merge(&x, "s", "main", IA_CONFLICTED);
    mx_expect_conflicts(&x, "orphan_edge Knows new");
    assert_string_equal(x.r.conflicts.items[0].message,
                        "src 'p003' not found in Person (edge Knows 'new')");
    mx_close(&x);
}

/* The source moves an edge away from a node that it removes; the target rewrote the edge without
 * changing it. The edge's place in the target's delta must not look like an edge left behind. */
static void an_edge_moved_away_from_a_removed_node_is_no_orphan(void **state)
{
    mx x;
    (void)state;
    open_pair(&x);
    mx_load(&x, "s", "{\"edge\":\"Knows\",\"from\":\"p002\",\"to\":\"p001\",\"data\":{\"id\":"
                     "\"k0\",\"tag\":\"k0\"}}\n");
    mx_load(&x, "s", "{\"edge\":\"Lives\",\"from\":\"p000\",\"to\":\"i1\",\"data\":{\"id\":\"l0\","
                     "\"tag\":\"l0\"}}\n");
    mx_drop_person(&x, "s", "p000");
    mx_load(&x, "main", "{\"edge\":\"Knows\",\"from\":\"p000\",\"to\":\"p001\",\"data\":{\"id\":"
                        "\"k0\",\"tag\":\"other\"}}\n");
    mx_load(&x, "main", "{\"edge\":\"Knows\",\"from\":\"p000\",\"to\":\"p001\",\"data\":{\"id\":"
                        "\"k0\",\"tag\":\"k0\"}}\n");
    mx_merge(&x, "s", "main", IA_MERGED);
    mx_expect(&x, "main", MX_KNOWS, "k0(p002,p001,k0)");
    mx_verify(&x);
    mx_close(&x);
}

static void moved_edges_take_their_ends_along(void **state)
{
    mx x;
    (void)state;
    open_pair(&x);
    mx_load(&x, "s", "{\"edge\":\"Knows\",\"from\":\"p003\",\"to\":\"p004\",\"data\":{\"id\":"
                     "\"k0\"}}\n");
    mx_edge(&x, "main", "Knows", "k1", "p000", "p001");
    mx_merge(&x, "s", "main", IA_MERGED);
    mx_expect(&x, "main", MX_KNOWS, "k0(p003,p004,-) k1(p000,p001,k1)");
    mx_verify(&x);
    mx_close(&x);
}

static void a_maximum_broken_by_both_sides_together_conflicts(void **state) /* CF-06 */
{
    mx x;
    (void)state;
    open_pair(&x);
    mx_edge(&x, "s", "Owns", "o1", "p000", "i1");
    mx_edge(&x, "main", "Owns", "o2", "p000", "i2");
    mx_edge(&x, "main", "Owns", "o3", "p001", "i2");
    mx_merge(&x, "s", "main", IA_CONFLICTED);
    mx_expect_conflicts(&x, "cardinality_violation Owns -");
    assert_string_equal(x.r.conflicts.items[0].message,
                        "@card violation on edge Owns: source 'p000' has 3 edges (max 2)");
    mx_close(&x);
}

static void an_edge_for_an_edge_keeps_within_the_maximum(void **state)
{
    mx x;
    (void)state;
    open_pair(&x);
    mx_edge(&x, "main", "Owns", "o1", "p000", "i1");
    mx_branch(&x, "s2", "main");
    mx_drop_edge(&x, "s2", "Owns", "o0");
    mx_edge(&x, "s2", "Owns", "o4", "p000", "i2");
    mx_load(&x, "main", "{\"edge\":\"Owns\",\"from\":\"p000\",\"to\":\"i2\",\"data\":{\"id\":"
                        "\"o1\",\"tag\":\"o1\"}}\n");
    mx_merge(&x, "s2", "main", IA_MERGED);
    mx_expect(&x, "main", MX_OWNS, "o1(p000,i2,o1) o4(p000,i2,o4)");
    mx_verify(&x);
    mx_close(&x);
}

/* Two edges, at least one: each side may drop one, both together may not. */
static void a_minimum_broken_by_both_sides_together_conflicts(void **state)
{
    mx x;
    (void)state;
    for (int full = 0; full < 2; full++) {
        open_pair(&x);
        x.opt.full_probe = full;
        mx_edge(&x, "main", "Lives", "l1", "p000", "i1");
        mx_branch(&x, "s2", "main");
        mx_drop_edge(&x, "s2", "Lives", "l0");
        mx_drop_edge(&x, "main", "Lives", "l1");
        mx_merge(&x, "s2", "main", IA_CONFLICTED);
        mx_expect_conflicts(&x, "cardinality_violation Lives -");
        assert_string_equal(x.r.conflicts.items[0].message,
                            "@card violation on edge Lives: source 'p000' has 0 edges (min 1)");
        mx_close(&x);
    }
}

static void a_minimum_is_met_by_what_the_other_side_added(void **state)
{
    mx x;
    (void)state;
    for (int full = 0; full < 2; full++) {
        open_pair(&x);
        x.opt.full_probe = full;
        mx_edge(&x, "s", "Lives", "l1", "p000", "i1");
        mx_drop_edge(&x, "s", "Lives", "l0");
        mx_edge(&x, "main", "Lives", "l2", "p000", "i2");
        mx_edge(&x, "main", "Lives", "l3", "p001", "i2");
        mx_merge(&x, "s", "main", IA_MERGED);
        mx_expect(&x, "main", MX_LIVES, "l1(p000,i1,l1) l2(p000,i2,l2) l3(p001,i2,l3)");
        mx_verify(&x);
        mx_close(&x);
    }
}

static void an_edge_moved_by_the_source_counts_at_its_new_source(void **state)
{
    mx x;
    (void)state;
    open_pair(&x);
    mx_edge(&x, "main", "Owns", "o1", "p001", "i1");
    mx_edge(&x, "main", "Owns", "o2", "p002", "i1");
    mx_branch(&x, "s2", "main");
    mx_load(&x, "s2", "{\"edge\":\"Owns\",\"from\":\"p001\",\"to\":\"i1\",\"data\":{\"id\":"
                      "\"o2\"}}\n");
    mx_edge(&x, "main", "Owns", "o3", "p001", "i2");
    mx_merge(&x, "s2", "main", IA_CONFLICTED);
    mx_expect_conflicts(&x, "cardinality_violation Owns -");
    mx_close(&x);
}

static void the_same_conflicts_with_full_probes(void **state)
{
    mx x;
    (void)state;
    for (int full = 0; full < 2; full++) {
        open_pair(&x);
        x.opt.full_probe = full;
        mx_edge(&x, "s", "Owns", "o1", "p000", "i1");
        mx_edge(&x, "main", "Owns", "o2", "p000", "i2");
        mx_edge(&x, "s", "Knows", "ks", "p002", "p003");
        mx_drop_person(&x, "main", "p003");
        set_email(&x, "s", "u1", "e@x");
        set_email(&x, "main", "u2", "e@x");
        mx_merge(&x, "s", "main", IA_CONFLICTED);
        mx_expect_conflicts(&x, "unique_violation Person u1; orphan_edge Knows ks; "
                                "cardinality_violation Owns -");
        mx_close(&x);
    }
}

/* ---- net-zero changes -------------------------------------------------------------------------- */

static void an_edge_inserted_and_deleted_moves_no_table(void **state) /* NZ-01..NZ-03, NZ-07 */
{
    mx x;
    (void)state;
    open_pair(&x);
    char *before = mx_dump_all(&x, "main");
    const uint64_t version = mx_version(&x, "main", MX_KNOWS);
    do_op(&x, "main", NOOP, true);
    mx_edge(&x, "s", "Knows", "zero", "p002", "p003");
    mx_drop_edge(&x, "s", "Knows", "zero");
    mx_merge(&x, "s", "main", IA_FAST_FORWARD);
    mx_expect_route(&x, "edge:Knows", "unchanged");
    assert_string_equal(mx_route(&x, "edge:Knows")->reason, "no net change");
    assert_int_equal(mx_version(&x, "main", MX_KNOWS), version);
    char *after = mx_dump_all(&x, "main");
    assert_string_equal(before, after);
    ia_free(before);
    ia_free(after);
    mx_merge(&x, "s", "main", IA_UP_TO_DATE);
    mx_merge(&x, "s", "main", IA_UP_TO_DATE);
    mx_close(&x);
}

static void a_net_zero_table_does_not_hold_back_its_sibling(void **state) /* NZ-04, NZ-05 */
{
    mx x;
    (void)state;
    open_pair(&x);
    const uint64_t version = mx_version(&x, "main", MX_KNOWS);
    mx_edge(&x, "s", "Knows", "zero", "p002", "p003");
    mx_drop_edge(&x, "s", "Knows", "zero");
    mx_person(&x, "s", "new", 4);
    mx_person(&x, "main", "other", 5);
    mx_merge(&x, "s", "main", IA_MERGED);
    assert_int_equal(mx_version(&x, "main", MX_KNOWS), version);
    mx_row r;
    assert_true(mx_find(&x, "main", MX_PERSON, "new", &r));
    assert_true(mx_find(&x, "main", MX_PERSON, "other", &r));
    mx_close(&x);
}

static void net_zero_on_both_sides_changes_nothing(void **state) /* NZ-09 */
{
    mx x;
    (void)state;
    open_pair(&x);
    char *before = mx_dump_all(&x, "main");
    for (int side = 0; side < 2; side++) {
        const char *branch = side ? "s" : "main";
        mx_person(&x, branch, "p001", 90 + side);
        mx_load(&x, branch, "{\"type\":\"Person\",\"data\":{\"name\":\"p001\",\"age\":1,\"note\":"
                            "\"n1\"}}\n");
        mx_edge(&x, branch, "Knows", "zero", "p002", "p003");
        mx_drop_edge(&x, branch, "Knows", "zero");
    }
    mx_merge(&x, "s", "main", IA_MERGED);
    char *after = mx_dump_all(&x, "main");
    assert_string_equal(before, after);
    ia_free(before);
    ia_free(after);
    mx_expect_route(&x, "node:Person", "unchanged");
    mx_close(&x);
}

/* The target rewrote the row and put the old value back: the source's update lands on it. */
static void an_update_lands_on_a_row_that_the_target_put_back(void **state)
{
    mx x;
    mx_row base, after;
    (void)state;
    open_pair(&x);
    assert_true(mx_find(&x, "main", MX_PERSON, "p001", &base));
    mx_person(&x, "s", "p001", 70);
    mx_drop_person(&x, "main", "p001");
    mx_load(&x, "main", "{\"type\":\"Person\",\"data\":{\"name\":\"p001\",\"age\":1,\"note\":"
                        "\"n1\"}}\n");
    mx_drop_edge(&x, "s", "Knows", "k0"); /* the cascade did so on the other side */
    mx_row target;
    assert_true(mx_find(&x, "main", MX_PERSON, "p001", &target));
    assert_true(target.row_id != base.row_id);
    mx_merge(&x, "s", "main", IA_MERGED);
    assert_true(mx_find(&x, "main", MX_PERSON, "p001", &after));
    assert_int_equal(after.row_id, target.row_id); /* of the row it replaces */
    assert_int_equal(after.created, target.created);
    assert_int_equal(after.updated, mx_version(&x, "main", MX_PERSON));
    mx_verify(&x);
    mx_close(&x);
}

/* ---- topology ---------------------------------------------------------------------------------- */

static void a_branch_does_not_merge_into_itself_or_nowhere(void **state) /* MB-01, MB-02 */
{
    mx x;
    (void)state;
    open_pair(&x);
    assert_fails(mx_try_merge(&x, "main", "main"), IA_ERR_INVALID);
    assert_fails(mx_try_merge(&x, "nobody", "main"), IA_ERR_NOT_FOUND);
    assert_fails(mx_try_merge(&x, "s", "nobody"), IA_ERR_NOT_FOUND);
    mx_merge(&x, "s", "main", IA_UP_TO_DATE); /* MB-03 */
    mx_close(&x);
}

static void later_merges_take_only_what_is_new(void **state) /* MB-06, MB-07 */
{
    mx x;
    char first[27];
    (void)state;
    open_pair(&x);
    mx_person(&x, "s", "a", 1);
    mx_person(&x, "main", "m", 1);
    mx_merge(&x, "s", "main", IA_MERGED);
    mx_head(&x, "s", first);
    mx_person(&x, "s", "b", 2);
    mx_person(&x, "s", "p001", 77);
    mx_merge(&x, "s", "main", IA_MERGED);
    assert_string_equal(x.r.base.id, first);
    assert_int_equal(mx_route(&x, "node:Person")->rows_inserted, 1);
    assert_int_equal(mx_route(&x, "node:Person")->rows_updated, 1);
    mx_verify(&x);
    mx_close(&x);
}

static void what_the_target_deleted_stays_deleted(void **state) /* MB-11 */
{
    mx x;
    (void)state;
    open_pair(&x);
    mx_branch(&x, "o1", "main");
    mx_branch(&x, "o2", "main");
    mx_person(&x, "o1", "of1", 1);
    mx_person(&x, "o2", "of2", 1);
    mx_person(&x, "main", "r", 9);
    mx_branch(&x, "feature", "main");
    for (int i = 0; i < 3; i++) {
        mx_person(&x, "feature", "p002", 10 + i);
        mx_person(&x, "main", "p003", 20 + i);
    }
    mx_merge(&x, "o1", "feature", IA_MERGED);
    mx_merge(&x, "o2", "main", IA_MERGED);
    mx_drop_person(&x, "main", "r");
    mx_merge(&x, "feature", "main", IA_MERGED);
    mx_row row;
    assert_false(mx_find(&x, "main", MX_PERSON, "r", &row));
    assert_true(mx_find(&x, "main", MX_PERSON, "of1", &row));
    assert_true(mx_find(&x, "main", MX_PERSON, "of2", &row));
    mx_verify(&x);
    mx_close(&x);
}

/* a and b merge each other's earlier head, so that both are best ancestors afterwards. */
static void make_criss_cross(mx *x)
{
    char a1[27], b1[27];

    open_pair(x);
    mx_branch(x, "a", "main");
    mx_branch(x, "b", "main");
    mx_person(x, "a", "p001", 11);
    mx_person(x, "b", "p002", 22);
    mx_head(x, "a", a1);
    mx_head(x, "b", b1);
    mx_merge(x, b1, "a", IA_MERGED);
    mx_merge(x, a1, "b", IA_MERGED);
}

static void criss_cross_loses_no_row(void **state) /* MB-10 */
{
    mx x;
    (void)state;
    make_criss_cross(&x);
    mx_person(&x, "a", "na", 1);
    mx_person(&x, "b", "nb", 2);
    mx_merge(&x, "a", "b", IA_MERGED);
    mx_expect(&x, "b", MX_PERSON,
              "na(1,-,of na) nb(2,-,of nb) p000(1,-,n0) p001(11,-,of p001) p002(22,-,of p002) "
              "p003(1,-,n3) p004(1,-,n4) p005(1,-,n5)");
    mx_verify(&x);
    mx_close(&x);
}

static void a_row_on_which_the_bases_disagree_has_no_base(void **state)
{
    mx x;
    char base[27];
    (void)state;
    make_criss_cross(&x);
    mx_person(&x, "a", "p001", 33); /* the bases have 1 and 11 */
    mx_person(&x, "b", "nb", 2);
    mx_merge(&x, "a", "b", IA_CONFLICTED);
    mx_expect_conflicts(&x, "divergent_update Person p001");
    assert_string_equal(x.r.conflicts.items[0].message,
                        "the merge bases disagree on this row, and the two sides differ");
    assert_null(x.r.conflicts.items[0].base);
    memcpy(base, x.r.base.id, sizeof base);
    mx_merge(&x, "a", "b", IA_CONFLICTED);
    assert_string_equal(x.r.base.id, base); /* the same every run */
    mx_close(&x);
    make_criss_cross(&x);
    mx_person(&x, "b", "p001", 33); /* only the target changed it: no silent winner either */
    mx_person(&x, "a", "na", 2);
    mx_merge(&x, "a", "b", IA_CONFLICTED);
    mx_expect_conflicts(&x, "divergent_update Person p001");
    mx_close(&x);
}

static void nested_and_sibling_branches_merge(void **state) /* MB-09, MB-12, MB-13 */
{
    mx x;
    (void)state;
    open_pair(&x);
    mx_branch(&x, "f", "main");
    mx_person(&x, "f", "f", 1);
    mx_branch(&x, "e", "f");
    mx_person(&x, "e", "e", 2);
    mx_branch(&x, "g", "e");
    mx_person(&x, "g", "g", 3);
    mx_person(&x, "s", "s", 4);
    mx_merge(&x, "g", "main", IA_FAST_FORWARD);
    mx_merge(&x, "s", "main", IA_MERGED);
    mx_person(&x, "f", "f", 5);
    mx_merge(&x, "f", "main", IA_MERGED);
    mx_merge(&x, "main", "e", IA_FAST_FORWARD);
    mx_expect_same(&x, "main", "e");
    mx_expect(&x, "main", MX_PERSON,
              "e(2,-,of e) f(5,-,of f) g(3,-,of g) p000(1,-,n0) p001(1,-,n1) p002(1,-,n2) "
              "p003(1,-,n3) p004(1,-,n4) p005(1,-,n5) s(4,-,of s)");
    mx_verify(&x);
    mx_close(&x);
}

static void a_commit_merges_like_a_branch(void **state)
{
    mx x;
    char at[27];
    (void)state;
    open_pair(&x);
    mx_person(&x, "s", "early", 1);
    mx_head(&x, "s", at);
    mx_person(&x, "s", "late", 2);
    mx_person(&x, "main", "m", 3);
    mx_merge(&x, at, "main", IA_MERGED);
    mx_row r;
    assert_true(mx_find(&x, "main", MX_PERSON, "early", &r));
    assert_false(mx_find(&x, "main", MX_PERSON, "late", &r));
    mx_merge(&x, at, "main", IA_UP_TO_DATE);
    mx_merge(&x, "s", "main", IA_MERGED);
    assert_true(mx_find(&x, "main", MX_PERSON, "late", &r));
    mx_head(&x, "main", at);
    mx_merge(&x, at, "main", IA_UP_TO_DATE);
    mx_verify(&x);
    mx_close(&x);
}

static void a_recreated_branch_merges_from_where_it_was_cut(void **state)
{
    mx x;
    (void)state;
    open_pair(&x);
    mx_person(&x, "s", "old", 1);
    mx_merge(&x, "s", "main", IA_FAST_FORWARD);
    MX_OK(&x, ia_branch_delete(&x.e.cx, x.g, "s", "tester"));
    mx_branch(&x, "s", "main");
    mx_person(&x, "s", "new", 2);
    mx_drop_person(&x, "s", "old");
    mx_person(&x, "main", "m", 3);
    mx_merge(&x, "s", "main", IA_MERGED);
    mx_row r;
    assert_true(mx_find(&x, "main", MX_PERSON, "new", &r));
    assert_false(mx_find(&x, "main", MX_PERSON, "old", &r));
    mx_verify(&x);
    mx_close(&x);
}

static void a_precondition_holds_back_the_merge(void **state)
{
    mx x;
    char head[27];
    (void)state;
    open_pair(&x);
    mx_head(&x, "main", head);
    mx_person(&x, "s", "a", 1);
    mx_person(&x, "main", "m", 1);
    x.opt.if_commit = head;
    for (int dry = 0; dry < 2; dry++) {
        x.opt.dry_run = dry;
        assert_fails(mx_try_merge(&x, "s", "main"), IA_ERR_PRECONDITION);
    }
    x.opt.dry_run = false;
    mx_head(&x, "main", head);
    mx_merge(&x, "s", "main", IA_MERGED);
    mx_close(&x);
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
        cmocka_unit_test(conflicts_are_complete_and_sorted),
        cmocka_unit_test(one_unique_value_on_both_sides_conflicts),
        cmocka_unit_test(a_value_that_moved_on_is_free),
        cmocka_unit_test(orphans_are_found_in_both_directions),
        cmocka_unit_test(an_edge_moved_away_from_a_removed_node_is_no_orphan),
        cmocka_unit_test(moved_edges_take_their_ends_along),
        cmocka_unit_test(a_maximum_broken_by_both_sides_together_conflicts),
        cmocka_unit_test(an_edge_for_an_edge_keeps_within_the_maximum),
        cmocka_unit_test(a_minimum_broken_by_both_sides_together_conflicts),
        cmocka_unit_test(a_minimum_is_met_by_what_the_other_side_added),
        cmocka_unit_test(an_edge_moved_by_the_source_counts_at_its_new_source),
        cmocka_unit_test(the_same_conflicts_with_full_probes),
        cmocka_unit_test(an_edge_inserted_and_deleted_moves_no_table),
        cmocka_unit_test(a_net_zero_table_does_not_hold_back_its_sibling),
        cmocka_unit_test(net_zero_on_both_sides_changes_nothing),
        cmocka_unit_test(an_update_lands_on_a_row_that_the_target_put_back),
        cmocka_unit_test(a_branch_does_not_merge_into_itself_or_nowhere),
        cmocka_unit_test(later_merges_take_only_what_is_new),
        cmocka_unit_test(what_the_target_deleted_stays_deleted),
        cmocka_unit_test(criss_cross_loses_no_row),
        cmocka_unit_test(a_row_on_which_the_bases_disagree_has_no_base),
        cmocka_unit_test(nested_and_sibling_branches_merge),
        cmocka_unit_test(a_commit_merges_like_a_branch),
        cmocka_unit_test(a_recreated_branch_merges_from_where_it_was_cut),
        cmocka_unit_test(a_precondition_holds_back_the_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
