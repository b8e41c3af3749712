/* test_merge_routes.c - how a merge moves its rows: routes, counters, stamps, row ids, stores. */
#include "merge_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void no_payload(const mx *x)
{
    assert_int_equal(x->io.read_bytes[IA_IO_PAYLOAD], 0);
    assert_int_equal(x->io.write_bytes[IA_IO_PAYLOAD], 0);
}

static ia_dataset *open_table(mx *x, const char *ref, size_t type, ia_snapshot **s)
{
    ia_commit *c = NULL;
    ia_dataset *ds;

    MX_OK(x, ia_resolve(&x->e.cx, x->g, ref, &c));
    MX_OK(x, ia_snapshot_open(&x->e.cx, x->g, c, s));
    MX_OK(x, ia_snapshot_table(&x->e.cx, *s, type, &ds));
    return ds;
}

static void expect_counts(const mx *x, const char *key, uint64_t inserted, uint64_t updated,
                          uint64_t deleted, uint64_t adopted, uint64_t masked, uint64_t copied)
{
    const ia_route *r = mx_route(x, key);

    assert_int_equal(r->rows_inserted, inserted);
    assert_int_equal(r->rows_updated, updated);
    assert_int_equal(r->rows_deleted, deleted);
    assert_int_equal(r->fragments_adopted, adopted);
    assert_int_equal(r->rows_masked, masked);
    assert_int_equal(r->rows_copied, copied);
}

/* ---- which route ----------------------------------------------------------------------------- */

static void a_branch_takes_the_table_by_pointer(void **state) /* RT-01..RT-03, RT-05 */
{
    (void)state;
    for (int kind = 0; kind < MX_KINDS; kind++) {
        mx x;
        ia_snapshot *a, *b;
        mx_open(&x, (mx_kind)kind);
        mx_people(&x, "main", 0, 20, 1);
        mx_branch(&x, "s", "main");
        mx_branch(&x, "t", "main");
        mx_person(&x, "main", "later", 9);
        mx_people(&x, "s", 0, 5, 2);
        mx_merge(&x, "s", "t", IA_FAST_FORWARD);
        no_payload(&x);
        mx_expect_route(&x, "node:Person", "pointer");
        mx_expect_route(&x, "node:Item", "unchanged");
        open_table(&x, "s", MX_PERSON, &a);
        open_table(&x, "t", MX_PERSON, &b);
        assert_true(
            ia_entry_same(ia_snapshot_entry(a, MX_PERSON), ia_snapshot_entry(b, MX_PERSON)));
        ia_snapshot_close(a);
        ia_snapshot_close(b);
        mx_row r;
        assert_false(mx_find(&x, "t", MX_PERSON, "later", &r));
        mx_person(&x, "t", "own", 3); /* forks from the adopted version */
        open_table(&x, "s", MX_PERSON, &a);
        open_table(&x, "t", MX_PERSON, &b);
        assert_string_not_equal(ia_snapshot_entry(a, MX_PERSON)->lance_branch,
                                ia_snapshot_entry(b, MX_PERSON)->lance_branch);
        ia_snapshot_close(a);
        ia_snapshot_close(b);
        assert_false(mx_find(&x, "s", MX_PERSON, "own", &r));
        mx_merge(&x, "t", "main", IA_MERGED); /* through a fork of a fork */
        mx_merge(&x, "main", "s", IA_FAST_FORWARD);
        assert_true(mx_find(&x, "s", MX_PERSON, "own", &r));
        mx_verify(&x);
        mx_close(&x);
    }
}

static void main_grafts_what_only_the_source_changed(void **state)
{
    static const char *const routes[] = {"link", "reference", "copy"};
    (void)state;
    for (int kind = 0; kind < MX_KINDS; kind++)
        for (int adopt = 0; adopt < 3; adopt++) {
            mx x;
            mx_open(&x, (mx_kind)kind);
            x.opt.adopt = (ia_adopt)adopt;
            mx_people(&x, "main", 0, 20, 1);
            mx_branch(&x, "s", "main");
            mx_people(&x, "s", 10, 25, 2); /* 10 updates, 5 inserts, one file */
            mx_drop_person(&x, "s", "p003");
            mx_merge(&x, "s", "main", IA_FAST_FORWARD);
            const ia_route *r = mx_route(&x, "node:Person");
            mx_expect_route(&x, "node:Person", "graft");
            expect_counts(&x, "node:Person", 5, 10, 1, 1, 0, 0);
            const char *how = kind == MX_NO_LINK && adopt == IA_ADOPT_LINK ? "reference"
                                                                           : routes[adopt];
            assert_int_equal(r->files_linked, strcmp(how, "link") == 0);
            assert_int_equal(r->files_referenced, strcmp(how, "reference") == 0);
            assert_int_equal(r->files_copied, strcmp(how, "copy") == 0);
            if (strcmp(how, "copy") != 0)
                no_payload(&x);
            mx_expect_same(&x, "main", "s");
            mx_verify(&x);
            mx_person(&x, "main", "after", 4); /* both go on from there */
            mx_person(&x, "s", "p024", 5);
            mx_merge(&x, "s", "main", IA_MERGED);
            mx_verify(&x);
            mx_close(&x);
        }
}

static void a_store_that_stops_linking_gets_references(void **state)
{
    mx x;
    (void)state;
    mx_open(&x, MX_LOCAL);
    mx_people(&x, "main", 0, 20, 1);
    mx_branch(&x, "s", "main");
    mx_people(&x, "s", 10, 25, 2);
    mx_people(&x, "main", 0, 5, 3);
    ia_fault_links(x.faulty, EMLINK);
    mx_merge(&x, "s", "main", IA_MERGED);
    ia_fault_links(x.faulty, 0);
    assert_int_equal(mx_route(&x, "node:Person")->files_referenced, 1);
    assert_int_equal(mx_route(&x, "node:Person")->files_linked, 0);
    no_payload(&x);
    mx_verify(&x);
    mx_close(&x);
}

static void two_changed_sides_make_a_three_way_graft(void **state) /* TR-01..TR-03, TR-08 */
{
    (void)state;
    for (int into_main = 0; into_main < 2; into_main++)
        for (int adopt = 0; adopt < 3; adopt++) {
            mx x;
            const char *into = into_main ? "main" : "t";
            mx_open(&x, adopt == 0 ? MX_LOCAL : MX_MEMORY);
            x.opt.adopt = (ia_adopt)adopt;
            mx_people(&x, "main", 0, 20, 1);
            mx_branch(&x, "s", "main");
            mx_branch(&x, "want", "main");
            if (!into_main)
                mx_branch(&x, "t", "main");
            mx_people(&x, "s", 10, 25, 2);
            mx_drop_person(&x, "s", "p001");
            mx_people(&x, into, 5, 10, 3);
            mx_drop_person(&x, into, "p002");
            mx_people(&x, "want", 10, 25, 2);
            mx_people(&x, "want", 5, 10, 3);
            mx_drop_person(&x, "want", "p001");
            mx_drop_person(&x, "want", "p002");
            mx_merge(&x, "s", into, IA_MERGED);
            mx_expect_route(&x, "node:Person", "three_way_graft");
            expect_counts(&x, "node:Person", 5, 10, 1, 1, 0, 0);
            assert_int_equal(x.r.rows_both_sides, 0);
            if (adopt != IA_ADOPT_COPY)
                no_payload(&x);
            mx_expect_same(&x, into, "want");
            mx_verify(&x);
            mx_close(&x);
        }
}

/* The source's file holds 20 rows, 5 of which the target changed in the same way. */
static void rows_that_lost_are_masked(void **state) /* TR-05, TR-14 */
{
    mx x;
    mx_row kept, now;
    (void)state;
    mx_open(&x, MX_MEMORY);
    mx_people(&x, "main", 0, 40, 1);
    mx_branch(&x, "s", "main");
    mx_people(&x, "s", 0, 20, 2);
    mx_people(&x, "main", 0, 5, 2);
    assert_true(mx_find(&x, "main", MX_PERSON, "p003", &kept));
    mx_merge(&x, "s", "main", IA_MERGED);
    mx_expect_route(&x, "node:Person", "three_way_graft");
    expect_counts(&x, "node:Person", 0, 15, 0, 1, 5, 0);
    assert_int_equal(mx_route(&x, "node:Person")->rows_compared, 5);
    assert_int_equal(x.r.rows_both_sides, 5);
    assert_true(mx_find(&x, "main", MX_PERSON, "p003", &now));
    assert_memory_equal(&kept, &now, sizeof kept);
    mx_verify(&x);
    mx_people(&x, "s", 0, 20, 2); /* all equal now: nothing is adopted */
    mx_people(&x, "main", 30, 31, 5);
    mx_people(&x, "s", 30, 31, 5);
    const uint64_t version = mx_version(&x, "main", MX_PERSON);
    mx_people(&x, "main", 0, 20, 2);
    mx_merge(&x, "s", "main", IA_MERGED);
    mx_expect_route(&x, "node:Person", "unchanged");
    assert_int_equal(mx_version(&x, "main", MX_PERSON), version + 1); /* the target's own write */
    mx_close(&x);
}

static void few_rows_of_a_fragment_are_copied(void **state) /* TR-15 */
{
    (void)state;
    for (int into_main = 0; into_main < 2; into_main++) {
        mx x;
        mx_row base, now;
        const char *into = into_main ? "main" : "t";
        mx_open(&x, MX_MEMORY);
        mx_people(&x, "main", 0, 60, 1);
        mx_branch(&x, "s", "main");
        if (!into_main)
            mx_branch(&x, "t", "main");
        mx_people(&x, "s", 0, 41, 2);
        mx_people(&x, into, 0, 40, 2); /* one of 41 is news */
        assert_true(mx_find(&x, into, MX_PERSON, "p040", &base));
        mx_merge(&x, "s", into, IA_MERGED);
        mx_expect_route(&x, "node:Person", "row_merge");
        assert_non_null(strstr(mx_route(&x, "node:Person")->reason, "too few rows"));
        expect_counts(&x, "node:Person", 0, 1, 0, 0, 0, 1);
        assert_true(mx_find(&x, into, MX_PERSON, "p040", &now));
        assert_int_equal(now.row_id, base.row_id);
        assert_int_equal(now.created, base.created);
        assert_int_equal(now.updated, mx_version(&x, into, MX_PERSON));
        mx_verify(&x);
        mx_close(&x);
        mx_open(&x, MX_MEMORY); /* the same rows with a smaller threshold */
        x.opt.min_density = 0.001;
        mx_people(&x, "main", 0, 60, 1);
        mx_branch(&x, "s", "main");
        mx_people(&x, "s", 0, 41, 2);
        mx_people(&x, "main", 0, 40, 2);
        mx_merge(&x, "s", "main", IA_MERGED);
        mx_expect_route(&x, "node:Person", "three_way_graft");
        expect_counts(&x, "node:Person", 0, 1, 0, 1, 40, 0);
        mx_verify(&x);
        mx_close(&x);
    }
}

static void images_without_a_common_fragment_are_walked(void **state)
{
    mx x;
    (void)state;
    mx_open(&x, MX_MEMORY);
    mx_people(&x, "main", 0, 20, 1);
    mx_branch(&x, "s", "main");
    mx_mode(&x, "s", IA_LOAD_OVERWRITE,
            "{\"type\":\"Person\",\"data\":{\"name\":\"p000\",\"age\":1,\"note\":\"n0\"}}\n"
            "{\"type\":\"Person\",\"data\":{\"name\":\"p001\",\"age\":7,\"note\":\"n1\"}}\n"
            "{\"type\":\"Person\",\"data\":{\"name\":\"q\"}}\n");
    mx_person(&x, "main", "m", 3);
    mx_person(&x, "main", "p000", 9); /* the overwrite left it as it was: this change stands */
    mx_merge(&x, "s", "main", IA_MERGED);
    mx_expect_route(&x, "node:Person", "walk");
    mx_expect(&x, "main", MX_PERSON, "m(3,-,of m) p000(9,-,of p000) p001(7,-,n1) q(-,-,-)");
    mx_verify(&x);
    mx_close(&x);
}

static void only_deletions_need_no_fragment(void **state) /* TR-03, TR-04 */
{
    mx x;
    (void)state;
    mx_open(&x, MX_MEMORY);
    mx_people(&x, "main", 0, 20, 1);
    mx_branch(&x, "s", "main");
    mx_drop_person(&x, "s", "p001");
    mx_drop_person(&x, "s", "p002");
    mx_drop_person(&x, "main", "p002");
    mx_drop_person(&x, "main", "p003");
    mx_merge(&x, "s", "main", IA_MERGED);
    mx_expect_route(&x, "node:Person", "three_way_graft");
    expect_counts(&x, "node:Person", 0, 0, 1, 0, 0, 0);
    no_payload(&x);
    ia_snapshot *s;
    ia_dataset *ds = open_table(&x, "main", MX_PERSON, &s);
    assert_int_equal(ds->m->n_fragments, 1);
    assert_int_equal(ds->m->fragments[0].deletion.num_deleted, 3);
    ia_snapshot_close(s);
    mx_verify(&x);
    mx_close(&x);
}

static void a_fragment_whose_rows_all_go_is_dropped(void **state)
{
    mx x;
    (void)state;
    mx_open(&x, MX_MEMORY);
    mx_people(&x, "main", 0, 4, 1);
    mx_people(&x, "main", 4, 8, 1);
    mx_branch(&x, "s", "main");
    mx_people(&x, "s", 0, 2, 2);
    mx_people(&x, "main", 2, 4, 3);
    mx_merge(&x, "s", "main", IA_MERGED);
    ia_snapshot *s;
    ia_dataset *ds = open_table(&x, "main", MX_PERSON, &s);
    assert_int_equal(ds->m->n_fragments, 3); /* p004..p007, and one of each side */
    for (size_t i = 0; i < ds->m->n_fragments; i++)
        assert_false(ds->m->fragments[i].has_deletion);
    ia_snapshot_close(s);
    mx_verify(&x);
    mx_close(&x);
}

/* ---- stamps and row ids ---------------------------------------------------------------------- */

static void stamps_and_row_ids_follow_the_rows(void **state) /* RT-33, TR-13 */
{
    (void)state;
    for (int three_way = 0; three_way < 2; three_way++)
        for (int adopt = 0; adopt < 3; adopt++) {
            mx x;
            mx_row same, changed, now;
            mx_open(&x, MX_MEMORY);
            x.opt.adopt = (ia_adopt)adopt;
            mx_people(&x, "main", 0, 10, 1);
            mx_people(&x, "main", 10, 20, 1);
            mx_branch(&x, "s", "main");
            for (int i = 0; i < 3; i++)
                mx_person(&x, "s", "p012", 40 + i); /* the fork's versions run ahead */
            mx_people(&x, "s", 18, 22, 2);
            if (three_way)
                mx_people(&x, "main", 0, 2, 3);
            assert_true(mx_find(&x, "main", MX_PERSON, "p005", &same));
            assert_true(mx_find(&x, "main", MX_PERSON, "p019", &changed));
            mx_merge(&x, "s", "main", three_way ? IA_MERGED : IA_FAST_FORWARD);
            const uint64_t v = mx_version(&x, "main", MX_PERSON);
            assert_true(mx_find(&x, "main", MX_PERSON, "p005", &now));
            assert_memory_equal(&now, &same, sizeof now);
            assert_true(mx_find(&x, "main", MX_PERSON, "p019", &now));
            assert_int_equal(now.row_id, changed.row_id);
            assert_int_equal(now.created, changed.created);
            assert_int_equal(now.updated, v);
            assert_true(mx_find(&x, "main", MX_PERSON, "p021", &now));
            assert_int_equal(now.created, v);
            assert_int_equal(now.updated, v);
            assert_true(now.row_id >> 40 != 0); /* born on the fork */
            ia_snapshot *s;
            ia_dataset *ds = open_table(&x, "main", MX_PERSON, &s);
            for (size_t i = 0; i < ds->m->n_fragments; i++) {
                const ia_fragment *f = &ds->m->fragments[i];
                assert_int_equal(ia_versions_count(&f->created), f->physical_rows);
                assert_int_equal(ia_versions_count(&f->updated), f->physical_rows);
                uint64_t low, high; /* the real engine checks that */
                assert_true(ia_rowids_bounds(&f->row_ids, &low, &high));
                assert_true(high < ds->m->next_row_id);
                for (uint64_t k = 0; k < f->physical_rows; k++)
                    assert_true(ia_versions_get(&f->created, k, 0) <= v &&
                                ia_versions_get(&f->updated, k, 0) <= v);
            }
            ia_snapshot_close(s);
            mx_verify(&x);
            mx_close(&x);
        }
}

/* Rewrites the row ids of the newest fragment of a branch's Person table, as a foreign writer that
 * hands out the ids of another Lance branch would. */
static void publish_with_ids(mx *x, const char *branch, const char *lines, uint64_t first_id)
{
    ia_write *w = NULL;
    ia_commit *c = NULL;
    ia_batch *rows = NULL;
    ia_fragwriter *fw = NULL;
    ia_stream stream = {0};
    ia_dataset *ds, *tmp;
    ia_twrite *t;
    const char *dir;
    uint64_t *ids;
    ia_snapshot *s;
    const ia_scan_options all = {0};

    /* the rows are made by a load on a scratch branch, then written again with the ids asked for */
    mx_branch(x, "scratch", branch);
    mx_mode(x, "scratch", IA_LOAD_OVERWRITE, lines);
    tmp = open_table(x, "scratch", MX_PERSON, &s);
    MX_OK(x, ia_dataset_scan(&x->e.cx, tmp, &all, &stream));
    MX_OK(x, ia_stream_next(&x->e.cx, &stream, &rows));
    MX_OK(x, ia_write_begin(&x->e.cx, x->g, branch, NULL, "tester", NULL, &w));
    MX_OK(x, ia_write_tree(&x->e.cx, w, MX_PERSON, &dir));
    MX_OK(x, ia_write_dataset(&x->e.cx, w, MX_PERSON, &ds));
    MX_OK(x, ia_fragwriter_open(&x->e.cx, x->os, dir, &ds->m->schema, ds->m->arrow,
                                &(ia_fragwriter_options){0}, &fw));
    ids = ia_calloc(&x->e.cx, (size_t)rows->rows, sizeof *ids);
    assert_non_null(ids);
    for (int64_t i = 0; i < rows->rows; i++)
        ids[i] = first_id + (uint64_t)i;
    MX_OK(x, ia_fragwriter_write(&x->e.cx, fw, rows, ids));
    MX_OK(x, ia_write_table(&x->e.cx, w, MX_PERSON, &t));
    MX_OK(x, ia_fragwriter_finish(&x->e.cx, fw, &t->added, &t->n_added));
    t->added_dir = ia_strdup(&x->e.cx, dir);
    MX_OK(x, ia_write_publish(&x->e.cx, w, &c));
    ia_free(ids);
    ia_commit_free(c);
    ia_fragwriter_close(fw);
    ia_write_free(w);
    ia_batch_release(rows);
    ia_stream_dispose(&stream);
    ia_snapshot_close(s);
    MX_OK(x, ia_branch_delete(&x->e.cx, x->g, "scratch", "tester"));
}

static const char four_people[] = "{\"type\":\"Person\",\"data\":{\"name\":\"x1\",\"age\":1}}\n"
                                  "{\"type\":\"Person\",\"data\":{\"name\":\"x2\",\"age\":2}}\n"
                                  "{\"type\":\"Person\",\"data\":{\"name\":\"x3\",\"age\":3}}\n"
                                  "{\"type\":\"Person\",\"data\":{\"name\":\"x4\",\"age\":4}}\n";

/* x1..x4 come with the ids 20..23, which the target gave to rows of its own meanwhile. */
static void row_ids_that_are_live_in_the_target_are_given_anew(void **state) /* TR-11 */
{
    (void)state;
    for (int copied = 0; copied < 2; copied++) {
        mx x;
        mx_row r, fresh[4];
        char name[24];
        mx_open(&x, MX_MEMORY);
        x.opt.min_density = copied ? 2 : 0; /* above one: always too few */
        mx_people(&x, "main", 0, 20, 1);
        mx_branch(&x, "s", "main");
        publish_with_ids(&x, "s", four_people, 20);
        mx_people(&x, "main", 20, 22, 1); /* ids 20 and 21 */
        assert_true(mx_find(&x, "main", MX_PERSON, "p020", &r));
        assert_int_equal(r.row_id, 20);
        mx_merge(&x, "s", "main", IA_MERGED);
        assert_int_equal(mx_route(&x, "node:Person")->rows_copied, copied ? 4 : 0);
        assert_true(mx_find(&x, "main", MX_PERSON, "p021", &r));
        assert_int_equal(r.row_id, 21);
        for (int i = 0; i < 4; i++) {
            snprintf(name, sizeof name, "x%d", i + 1);
            assert_true(mx_find(&x, "main", MX_PERSON, name, &fresh[i]));
        }
        assert_true(fresh[0].row_id >= 22 && fresh[1].row_id >= 22);
        assert_int_equal(fresh[2].row_id, 22); /* nobody else had them */
        assert_int_equal(fresh[3].row_id, 23);
        mx_verify(&x);
        mx_people(&x, "main", 22, 30, 1); /* ids handed out later are new as well */
        mx_verify(&x);
        mx_close(&x);
    }
}

static void a_graft_gives_ids_anew_as_well(void **state)
{
    mx x;
    mx_row r;
    (void)state;
    mx_open(&x, MX_MEMORY);
    mx_people(&x, "main", 0, 20, 1);
    mx_branch(&x, "s", "main");
    publish_with_ids(&x, "s", four_people, 18); /* 18 and 19 are main's p018 and p019 */
    mx_merge(&x, "s", "main", IA_FAST_FORWARD);
    expect_counts(&x, "node:Person", 4, 0, 0, 1, 0, 0);
    assert_true(mx_find(&x, "main", MX_PERSON, "p018", &r));
    assert_int_equal(r.row_id, 18);
    assert_true(mx_find(&x, "main", MX_PERSON, "x1", &r));
    assert_true(r.row_id > 21);
    ia_snapshot *s;
    ia_dataset *ds = open_table(&x, "main", MX_PERSON, &s);
    assert_true(ds->m->next_row_id > r.row_id);
    ia_snapshot_close(s);
    mx_people(&x, "main", 20, 30, 1);
    ia_verify_report rep; /* the source itself is what the foreign writer made of it */
    MX_OK(&x, ia_verify(&x.e.cx, x.g, "main", false, false, &rep));
    assert_int_equal(rep.problems.n, 0);
    ia_verify_report_dispose(&rep);
    mx_close(&x);
}

/* ---- a source that gives rows back ----------------------------------------------------------- */

/* Drops the deletion vector of the only fragment, as a restore by another program would. */
static void undelete(mx *x, const char *branch)
{
    ia_write *w = NULL;
    ia_commit *c = NULL;
    ia_dataset *ds;
    ia_twrite *t;
    ia_action *a;

    MX_OK(x, ia_write_begin(&x->e.cx, x->g, branch, NULL, "tester", NULL, &w));
    MX_OK(x, ia_write_dataset(&x->e.cx, w, MX_PERSON, &ds));
    MX_OK(x, ia_write_table(&x->e.cx, w, MX_PERSON, &t));
    MX_OK(x, IA_NEW(&x->e.cx, t->actions));
    MX_OK(x, ia_txn_init(&x->e.cx, t->actions, IA_TXN_UPDATE, ds->m->version));
    MX_OK(x, ia_txn_add(&x->e.cx, t->actions, IA_ACT_REPLACE_FRAGMENT, &a));
    MX_OK(x, ia_fragment_copy(&x->e.cx, &ds->m->fragments[0], &a->fragment));
    a->fragment.has_deletion = false;
    w->kind = IA_COMMIT_MERGE;
    w->no_rebase = true;
    MX_OK(x, ia_write_publish(&x->e.cx, w, &c));
    ia_commit_free(c);
    ia_write_free(w);
}

static void rows_that_came_back_are_copied(void **state)
{
    (void)state;
    for (int three_way = 0; three_way < 2; three_way++) {
        mx x;
        mx_open(&x, MX_MEMORY);
        mx_people(&x, "main", 0, 6, 1);
        mx_drop_person(&x, "main", "p001");
        mx_drop_person(&x, "main", "p002");
        mx_branch(&x, "s", "main");
        undelete(&x, "s");
        if (three_way)
            mx_person(&x, "main", "m", 3);
        mx_merge(&x, "s", "main", three_way ? IA_MERGED : IA_FAST_FORWARD);
        mx_expect_route(&x, "node:Person", "row_merge");
        expect_counts(&x, "node:Person", 2, 0, 0, 0, 0, 2);
        assert_non_null(strstr(mx_route(&x, "node:Person")->reason, "same file"));
        mx_row r;
        assert_true(mx_find(&x, "main", MX_PERSON, "p001", &r));
        assert_true(mx_find(&x, "main", MX_PERSON, "p002", &r));
        mx_verify(&x);
        mx_person(&x, "s", "p001", 9); /* and later merges find them */
        mx_person(&x, "main", "p003", 9);
        mx_merge(&x, "s", "main", IA_MERGED);
        char *text = mx_dump(&x, "main", MX_PERSON);
        assert_non_null(strstr(text, "p001(9,-,of p001)"));
        ia_free(text);
        mx_verify(&x);
        mx_close(&x);
    }
}

/* ---- what is read ---------------------------------------------------------------------------- */

static void a_merge_of_disjoint_rows_reads_no_payload(void **state)
{
    (void)state;
    for (int kind = 0; kind < MX_KINDS; kind++) {
        mx x;
        mx_open(&x, (mx_kind)kind);
        mx_people(&x, "main", 0, 200, 1);
        mx_load(&x, "main", "{\"type\":\"Item\",\"data\":{\"name\":\"i0\",\"title\":\"t\"}}\n");
        mx_branch(&x, "s", "main");
        mx_people(&x, "s", 0, 60, 2);
        mx_people(&x, "main", 100, 160, 3);
        for (int side = 0; side < 2; side++) {
            const char *b = side ? "s" : "main", *id = side ? "ks" : "km";
            mx_edge(&x, b, "Knows", id, side ? "p010" : "p011", "p012");
            mx_edge(&x, b, "Owns", side ? "os" : "om", side ? "p010" : "p011", "i0");
            mx_edge(&x, b, "Lives", side ? "ls" : "lm", side ? "p010" : "p011", "i0");
        }
        mx_merge(&x, "s", "main", IA_MERGED);
        assert_int_equal(x.r.rows_both_sides, 0);
        no_payload(&x);
        mx_verify(&x);
        mx_close(&x);
    }
}

/* Tables that nothing of the other side can meet are not even asked for their ids. */
static void tables_that_cannot_meet_are_not_read(void **state)
{
    mx x;
    (void)state;
    mx_open(&x, MX_MEMORY);
    mx_people(&x, "main", 0, 200, 1);
    mx_branch(&x, "s", "main");
    mx_people(&x, "s", 0, 150, 2);
    mx_load(&x, "main", "{\"type\":\"Item\",\"data\":{\"name\":\"i0\",\"title\":\"t\"}}\n");
    mx_merge(&x, "s", "main", IA_MERGED);
    mx_expect_route(&x, "node:Person", "graft");
    expect_counts(&x, "node:Person", 0, 150, 0, 1, 0, 0);
    assert_int_equal(x.io.read_bytes[IA_IO_KEY], 0);
    no_payload(&x);
    mx_verify(&x);
    mx_close(&x);
}

static void routes_say_why(void **state)
{
    mx x;
    (void)state;
    mx_open(&x, MX_MEMORY);
    mx_people(&x, "main", 0, 4, 1);
    mx_branch(&x, "s", "main");
    mx_branch(&x, "t", "main");
    mx_people(&x, "s", 0, 4, 2);
    mx_merge(&x, "s", "t", IA_FAST_FORWARD);
    assert_string_equal(mx_route(&x, "node:Person")->reason, "the target has the base's table");
    assert_string_equal(mx_route(&x, "node:Item")->reason, "the source has the base's table");
    mx_load(&x, "s", "{\"type\":\"Item\",\"data\":{\"name\":\"i0\"}}\n");
    mx_load(&x, "t", "{\"type\":\"Item\",\"data\":{\"name\":\"i1\"}}\n");
    mx_merge(&x, "s", "t", IA_MERGED);
    mx_expect_route(&x, "node:Person", "unchanged");
    assert_int_equal(x.r.commit->n_routes, x.r.n_routes); /* kept with the commit */
    mx_close(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_branch_takes_the_table_by_pointer),
        cmocka_unit_test(main_grafts_what_only_the_source_changed),
        cmocka_unit_test(a_store_that_stops_linking_gets_references),
        cmocka_unit_test(two_changed_sides_make_a_three_way_graft),
        cmocka_unit_test(rows_that_lost_are_masked),
        cmocka_unit_test(few_rows_of_a_fragment_are_copied),
        cmocka_unit_test(images_without_a_common_fragment_are_walked),
        cmocka_unit_test(only_deletions_need_no_fragment),
        cmocka_unit_test(a_fragment_whose_rows_all_go_is_dropped),
        cmocka_unit_test(stamps_and_row_ids_follow_the_rows),
        cmocka_unit_test(row_ids_that_are_live_in_the_target_are_given_anew),
        cmocka_unit_test(a_graft_gives_ids_anew_as_well),
        cmocka_unit_test(rows_that_came_back_are_copied),
        cmocka_unit_test(a_merge_of_disjoint_rows_reads_no_payload),
        cmocka_unit_test(tables_that_cannot_meet_are_not_read),
        cmocka_unit_test(routes_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
