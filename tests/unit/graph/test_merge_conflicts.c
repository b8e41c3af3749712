/* test_merge_conflicts.c - rules that both sides break together, net-zero changes, topologies. */
#include "merge_fixture.h"

#include <stdio.h>

/* ---- conflicts ------------------------------------------------------------------------------- */

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

/* ---- net-zero changes ------------------------------------------------------------------------ */

static void an_edge_inserted_and_deleted_moves_no_table(void **state) /* NZ-01..NZ-03, NZ-07 */
{
    mx x;
    (void)state;
    open_pair(&x);
    char *before = mx_dump_all(&x, "main");
    const uint64_t version = mx_version(&x, "main", MX_KNOWS);
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

/* ---- topology -------------------------------------------------------------------------------- */

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
    /* only the target changed it, or only the source: no silent winner, whichever base is picked */
    for (int k = 0; k < 4; k++) {
        const char *who = k % 2 ? "p002" : "p001";
        char want[64];
        make_criss_cross(&x);
        mx_person(&x, k / 2 ? "a" : "b", who, 33);
        mx_person(&x, k / 2 ? "b" : "a", "other", 2);
        mx_merge(&x, "a", "b", IA_CONFLICTED);
        snprintf(want, sizeof want, "divergent_update Person %s", who);
        mx_expect_conflicts(&x, want);
        mx_close(&x);
    }
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
