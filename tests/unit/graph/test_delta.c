/* test_delta.c - rows that differ between two images, and what is read to find them. */
#include "merge_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "graph/delta.h"

typedef struct images {
    ia_snapshot *s[2];
    ia_dataset *ds[2]; /* old, new */
} images;

static ia_dataset *open_one(mx *x, const char *ref, size_t type, ia_snapshot **s)
{
    ia_commit *c = NULL;
    ia_dataset *ds;

    MX_OK(x, ia_resolve(&x->e.cx, x->g, ref, &c));
    MX_OK(x, ia_snapshot_open(&x->e.cx, x->g, c, s));
    MX_OK(x, ia_snapshot_table(&x->e.cx, *s, type, &ds));
    return ds;
}

static void open_images(mx *x, const char *old_ref, const char *new_ref, size_t type, images *im)
{
    im->ds[0] = open_one(x, old_ref, type, &im->s[0]);
    im->ds[1] = open_one(x, new_ref, type, &im->s[1]);
}

static void close_images(images *im)
{
    ia_snapshot_close(im->s[0]);
    ia_snapshot_close(im->s[1]);
}

/* "~a -b +c": what the delta says, by id; dropped rows are left out. */
static char *describe(mx *x, const ia_delta *d)
{
    size_t *order = NULL;
    ia_buf out = {0};
    char *text = NULL;

    MX_OK(x, ia_bytemap_sorted(&x->e.cx, &d->ids, &order));
    for (size_t i = 0; i < d->ids.n; i++) {
        const ia_delta_row r = d->rows[order[i]];
        const ia_view id = ia_bytemap_key(&d->ids, order[i]);
        if (r.old_addr == IA_NO_ROW && r.new_addr == IA_NO_ROW)
            continue;
        ia_buf_printf(&x->e.cx, &out, "%s%c%.*s", out.len ? " " : "",
                      r.old_addr == IA_NO_ROW   ? '+'
                      : r.new_addr == IA_NO_ROW ? '-'
                                                : '~',
                      (int)id.len, id.data);
    }
    MX_OK(x, ia_buf_finish_str(&x->e.cx, &out, &text));
    ia_free(order);
    return text;
}

static void expect_delta(mx *x, const char *old_ref, const char *new_ref, const char *all,
                         const char *by_value, bool walked)
{
    images im;
    ia_delta d;

    open_images(x, old_ref, new_ref, MX_PERSON, &im);
    MX_OK(x, ia_delta_compute(&x->e.cx, im.ds[0], im.ds[1], &d));
    char *got = describe(x, &d);
    assert_string_equal(got, all);
    ia_free(got);
    assert_int_equal(d.walked, walked);
    MX_OK(x, ia_delta_drop_equal(&x->e.cx, &d, im.ds[0], im.ds[1]));
    got = describe(x, &d);
    assert_string_equal(got, by_value);
    ia_free(got);
    ia_delta_dispose(&d);
    close_images(&im);
}

static void physical_identity_proves_equality(void **state)
{
    mx x;
    char old[27];
    (void)state;
    for (int kind = MX_MEMORY; kind <= MX_LOCAL; kind++) {
        mx_open(&x, (mx_kind)kind);
        mx_people(&x, "main", 0, 6, 1);
        mx_people(&x, "main", 6, 10, 1);
        mx_head(&x, "main", old);
        expect_delta(&x, old, "main", "", "", false);
        mx_person(&x, "main", "p001", 2);
        mx_drop_person(&x, "main", "p002");
        mx_person(&x, "main", "q", 3);
        mx_load(&x, "main", /* rewritten as it was */
                "{\"type\":\"Person\",\"data\":{\"name\":\"p003\",\"age\":1,\"note\":\"n3\"}}\n");
        expect_delta(&x, old, "main", "~p001 -p002 ~p003 +q", "~p001 -p002 +q", false);
        expect_delta(&x, "main", old, "~p001 +p002 ~p003 -q", "~p001 +p002 -q", false);
        mx_branch(&x, "s", old); /* across forks, whose files keep their names */
        mx_person(&x, "s", "p007", 9);
        expect_delta(&x, old, "s", "~p007", "~p007", false);
        expect_delta(&x, "s", "main", "~p001 -p002 ~p003 ~p007 +q", "~p001 -p002 ~p007 +q", false);
        mx_close(&x);
    }
}

static void images_without_a_common_fragment_are_paired_by_id(void **state)
{
    mx x;
    char old[27];
    (void)state;
    mx_open(&x, MX_MEMORY);
    mx_people(&x, "main", 0, 4, 1);
    mx_head(&x, "main", old);
    mx_mode(&x, "main", IA_LOAD_OVERWRITE,
            "{\"type\":\"Person\",\"data\":{\"name\":\"p001\",\"age\":1,\"note\":\"n1\"}}\n"
            "{\"type\":\"Person\",\"data\":{\"name\":\"p002\",\"age\":5,\"note\":\"n2\"}}\n"
            "{\"type\":\"Person\",\"data\":{\"name\":\"z\"}}\n");
    expect_delta(&x, old, "main", "-p000 ~p001 ~p002 -p003 +z", "-p000 ~p002 -p003 +z", true);
    mx_close(&x);
}

static void only_ids_are_read_and_only_of_what_changed(void **state)
{
    mx x;
    images im;
    ia_delta d;
    ia_io_counts a, b;
    char old[27];
    (void)state;
    mx_open(&x, MX_MEMORY);
    mx_people(&x, "main", 0, 2000, 1);
    mx_head(&x, "main", old);
    mx_people(&x, "main", 2000, 2010, 1);
    for (int k = 0; k < 2; k++) { /* a second fragment's deletions are the same file in both */
        ia_objstore_counts(x.os, &a);
        open_images(&x, old, "main", MX_PERSON, &im);
        MX_OK(&x, ia_delta_compute(&x.e.cx, im.ds[0], im.ds[1], &d));
        ia_objstore_counts(x.os, &b);
        assert_int_equal(b.read_bytes[IA_IO_PAYLOAD], a.read_bytes[IA_IO_PAYLOAD]);
        assert_true(b.read_bytes[IA_IO_KEY] - a.read_bytes[IA_IO_KEY] < 1000);
        assert_int_equal(d.ids.n, 10);
        ia_delta_dispose(&d);
        close_images(&im);
        mx_drop_person(&x, "main", "p100");
        mx_head(&x, "main", old);
        mx_people(&x, "main", 2010, 2020, 1);
    }
    mx_close(&x);
}

/* A common deletion file is not opened. */
static void equal_deletions_are_known_by_name(void **state)
{
    ia_fragment a = {.id = 3}, b = {.id = 3};
    (void)state;
    assert_true(ia_fragment_same_deletions(&a, &b));
    a.has_deletion = true;
    a.deletion = (ia_delfile){.id = 77, .read_version = 2, .num_deleted = 5};
    assert_false(ia_fragment_same_deletions(&a, &b));
    assert_false(ia_fragment_same_deletions(&b, &a));
    b.has_deletion = true;
    b.deletion = a.deletion;
    assert_true(ia_fragment_same_deletions(&a, &b));
    b.deletion.id = 78;
    assert_false(ia_fragment_same_deletions(&a, &b));
    b.deletion = a.deletion;
    b.id = 4; /* the fragment's number is part of the file's name */
    assert_false(ia_fragment_same_deletions(&a, &b));
}

/* ---- damage ---------------------------------------------------------------------------------- */

static void publish_copy_of_first_fragment(mx *x)
{
    ia_write *w = NULL;
    ia_commit *c = NULL;
    ia_dataset *ds;
    ia_twrite *t;
    ia_action *a;

    MX_OK(x, ia_write_begin(&x->e.cx, x->g, "main", NULL, "tester", NULL, &w));
    MX_OK(x, ia_write_dataset(&x->e.cx, w, MX_PERSON, &ds));
    MX_OK(x, ia_write_table(&x->e.cx, w, MX_PERSON, &t));
    MX_OK(x, IA_NEW(&x->e.cx, t->actions));
    MX_OK(x, ia_txn_init(&x->e.cx, t->actions, IA_TXN_UPDATE, ds->m->version));
    MX_OK(x, ia_txn_add(&x->e.cx, t->actions, IA_ACT_ADD_FRAGMENT, &a));
    MX_OK(x, ia_fragment_copy(&x->e.cx, &ds->m->fragments[0], &a->fragment));
    a->fragment.id = IA_FRAGMENT_UNASSIGNED;
    ia_rowids_dispose(&a->fragment.row_ids);
    ia_versions_dispose(&a->fragment.created);
    ia_versions_dispose(&a->fragment.updated);
    w->kind = IA_COMMIT_MERGE;
    w->no_rebase = true;
    MX_OK(x, ia_write_publish(&x->e.cx, w, &c));
    ia_commit_free(c);
    ia_write_free(w);
}

static void a_file_that_backs_two_fragments_is_refused(void **state)
{
    mx x;
    images im;
    ia_delta d;
    char old[27];
    (void)state;
    mx_open(&x, MX_MEMORY);
    mx_people(&x, "main", 0, 4, 1);
    mx_head(&x, "main", old);
    mx_branch(&x, "s", "main");
    mx_person(&x, "s", "other", 1);
    publish_copy_of_first_fragment(&x);
    open_images(&x, old, "main", MX_PERSON, &im);
    assert_fails(ia_delta_compute(&x.e.cx, im.ds[0], im.ds[1], &d), IA_ERR_CORRUPT);
    assert_non_null(strstr(x.e.cx.err.text, "share the data file"));
    assert_int_equal(d.ids.n, 0);
    close_images(&im);
    assert_fails(mx_try_merge(&x, "s", "main"), IA_ERR_CORRUPT);
    ia_ctx_clear(&x.e.cx);
    ia_verify_report r;
    MX_OK(&x, ia_verify(&x.e.cx, x.g, "main", false, false, &r));
    assert_true(r.problems.n > 0);
    ia_verify_report_dispose(&r);
    mx_close(&x);
}

static void every_allocation_of_a_delta_may_fail(void **state)
{
    mx x;
    images im;
    ia_delta d;
    char old[27];
    (void)state;
    mx_open(&x, MX_MEMORY);
    mx_people(&x, "main", 0, 40, 1);
    mx_head(&x, "main", old);
    mx_people(&x, "main", 10, 20, 1);
    mx_people(&x, "main", 20, 30, 2);
    mx_drop_person(&x, "main", "p001");
    open_images(&x, old, "main", MX_PERSON, &im);
    FAIL_EVERY_ALLOCATION(&x.e.cx, ia_delta_compute(&x.e.cx, im.ds[0], im.ds[1], &d),
                          assert_int_equal(d.ids.n, 21));
    FAIL_EVERY_ALLOCATION(&x.e.cx, ia_delta_drop_equal(&x.e.cx, &d, im.ds[0], im.ds[1]), );
    char *got = describe(&x, &d);
    assert_string_equal(got, "-p001 ~p020 ~p021 ~p022 ~p023 ~p024 ~p025 ~p026 ~p027 ~p028 ~p029");
    ia_free(got);
    ia_delta_dispose(&d);
    close_images(&im);
    mx_close(&x);
}

static void chunks_follow_the_width_of_the_rows(void **state)
{
    mx x;
    ia_snapshot *s;
    ia_dataset *ds;
    (void)state;
    mx_open(&x, MX_MEMORY);
    mx_people(&x, "main", 0, 200, 1);
    ds = open_one(&x, "main", MX_PERSON, &s);
    const size_t narrow = ia_rows_chunk(ds->m);
    assert_true(narrow > 1000 && narrow <= 8192);
    ia_manifest *wide;
    MX_OK(&x, ia_manifest_copy(&x.e.cx, ds->m, &wide));
    wide->fragments[0].files[0].size = 200 * (1u << 20); /* one MiB a row */
    assert_int_equal(ia_rows_chunk(wide), 16);
    wide->fragments[0].files[0].size = UINT64_MAX; /* a manifest may say anything */
    assert_int_equal(ia_rows_chunk(wide), 16);
    ia_manifest_release(wide);
    ia_snapshot_close(s);
    mx_close(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(physical_identity_proves_equality),
        cmocka_unit_test(images_without_a_common_fragment_are_paired_by_id),
        cmocka_unit_test(only_ids_are_read_and_only_of_what_changed),
        cmocka_unit_test(equal_deletions_are_known_by_name),
        cmocka_unit_test(a_file_that_backs_two_fragments_is_refused),
        cmocka_unit_test(every_allocation_of_a_delta_may_fail),
        cmocka_unit_test(chunks_follow_the_width_of_the_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
