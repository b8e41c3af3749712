/* test_txn_apply.c - actions applied to a manifest: ids, stamps, deletions, bases; rebasing. */
#include "table_env.h"
#include "table_kit.h"

#define FIELDS "[{\"name\":\"id\",\"type\":\"int64\"},{\"name\":\"s\",\"type\":\"string\"}]"

/* A table whose files do not exist: applying looks at metadata only. */
static ia_dataset *table_of(env *t, const uint64_t *rows, size_t n)
{
    ia_schema *s;
    ia_manifest *m, *next;
    ia_txn made, add;
    ia_dataset *ds, *with;
    ia_bytes file, pb;
    const ia_apply_options opt = {.now_us = 1000};
    assert_ok(kit_schema_text(&t->cx, FIELDS, &s));
    assert_ok(ia_manifest_create(&t->cx, s, "2.1", 1000, &made, &m));
    ia_schema_release(s);
    assert_ok(ia_dataset_bind(&t->cx, t->os, t->root, NULL, m, &ds));
    ia_manifest_release(m);
    ia_txn_dispose(&made);
    assert_ok(ia_txn_init(&t->cx, &add, IA_TXN_APPEND, 1));
    for (size_t i = 0; i < n; i++) {
        ia_action *a;
        assert_ok(ia_txn_add(&t->cx, &add, IA_ACT_ADD_FRAGMENT, &a));
        a->fragment.physical_rows = rows[i];
        a->fragment.files = ia_calloc(&t->cx, 1, sizeof *a->fragment.files);
        a->fragment.n_files = 1;
        a->fragment.files[0].path = ia_sprintf(&t->cx, "file%zu.lance", i);
        a->fragment.files[0].major = 2;
        a->fragment.files[0].minor = 1;
    }
    assert_ok(ia_txn_build(&t->cx, ds, &add, &opt, &next, &file, &pb));
    ia_bytes_dispose(&file);
    ia_bytes_dispose(&pb);
    ia_txn_dispose(&add);
    assert_ok(ia_dataset_bind(&t->cx, t->os, t->root, NULL, next, &with));
    ia_manifest_release(next);
    ia_dataset_release(ds);
    return with;
}

static void delete_rows(env *t, ia_txn *x, uint64_t fragment, uint32_t from, uint32_t to)
{
    ia_action *a;
    assert_ok(ia_txn_add(&t->cx, x, IA_ACT_DELETE_ROWS, &a));
    a->fragment_id = fragment;
    assert_ok(ia_bitmap_new(&t->cx, &a->rows));
    ia_bitmap_add_range(a->rows, from, to);
}

static ia_action *add_fragment(env *t, ia_txn *x, const char *name, uint64_t rows,
                               const uint64_t *ids, size_t n_ids)
{
    ia_action *a;
    assert_ok(ia_txn_add(&t->cx, x, IA_ACT_ADD_FRAGMENT, &a));
    a->fragment.physical_rows = rows;
    a->fragment.files = ia_calloc(&t->cx, 1, sizeof *a->fragment.files);
    a->fragment.n_files = 1;
    a->fragment.files[0].path = ia_strdup(&t->cx, name);
    a->fragment.files[0].major = 2;
    a->fragment.files[0].minor = 1;
    assert_ok(ia_rowids_from(&t->cx, ids, n_ids, &a->fragment.row_ids));
    return a;
}

static ia_dataset *apply(env *t, ia_dataset *ds, ia_txn *x)
{
    const ia_apply_options opt = {.now_us = 2000};
    ia_manifest *m, *back;
    ia_dataset *out;
    ia_bytes file, pb;
    assert_ok(ia_txn_build(&t->cx, ds, x, &opt, &m, &file, &pb));
    assert_ok(ia_manifest_decode(&t->cx, file.data, file.len, "built",
                                 &back)); /* what was built can be read */
    assert_int_equal(back->n_fragments, m->n_fragments);
    ia_manifest_release(back);
    assert_ok(ia_dataset_bind(&t->cx, t->os, t->root, NULL, m, &out));
    ia_manifest_release(m);
    ia_bytes_dispose(&file);
    ia_bytes_dispose(&pb);
    return out;
}

static void appended_fragments_get_ids_row_ids_and_stamps(void **state)
{
    static const uint64_t rows[] = {10, 5};
    env e, *t = &e;
    ia_dataset *ds;
    (void)state;
    env_start(t, false);
    ds = table_of(t, rows, 2);
    assert_int_equal(ds->m->version, 2);
    assert_int_equal(ds->m->fragments[1].id, 1);
    assert_int_equal(ds->m->max_fragment_id, 1);
    assert_int_equal(ds->m->next_row_id, 15);
    assert_int_equal(ia_rowids_get(&ds->m->fragments[1].row_ids, 0), 10);
    assert_int_equal(ia_versions_get(&ds->m->fragments[1].created, 4, 0), 2);
    assert_int_equal(ds->m->reader_flags, 2);
    ia_dataset_release(ds);
    env_end(t);
}

static void deletions_unite_and_an_emptied_fragment_goes(void **state)
{
    static const uint64_t rows[] = {10, 5};
    env e, *t = &e;
    ia_dataset *a, *b, *c;
    const ia_bitmap *dv;
    ia_txn x;
    (void)state;
    env_start(t, false);
    a = table_of(t, rows, 2);
    assert_ok(ia_txn_init(&t->cx, &x, IA_TXN_DELETE, 2));
    delete_rows(t, &x, 0, 2, 4);
    delete_rows(t, &x, 0, 7, 8);
    b = apply(t, a, &x);
    ia_txn_dispose(&x);
    assert_int_equal(b->m->fragments[0].deletion.num_deleted, 3);
    assert_int_equal(b->m->reader_flags, 3);
    assert_int_equal(b->m->fragments[0].deletion.read_version, 2);
    assert_ok(ia_txn_init(&t->cx, &x, IA_TXN_DELETE, 3));
    delete_rows(t, &x, 0, 3, 6);
    delete_rows(t, &x, 1, 0, 5);
    c = apply(t, b, &x);
    ia_txn_dispose(&x);
    assert_int_equal(c->m->n_fragments, 1);
    assert_int_equal(c->m->max_fragment_id, 1);
    assert_ok(ia_dataset_deletions(&t->cx, c, &c->m->fragments[0], &dv));
    assert_int_equal(ia_bitmap_count(dv), 5);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(ia_bitmap_has(dv, i), (i >= 2 && i < 6) || i == 7);
    ia_dataset_release(a);
    ia_dataset_release(b);
    ia_dataset_release(c);
    env_end(t);
}

static void moved_rows_keep_created_and_new_rows_do_not(void **state)
{
    static const uint64_t rows[] = {10, 5};
    static const uint64_t kept[] = {3, 12};
    env e, *t = &e;
    ia_dataset *a, *b;
    const ia_fragment *f;
    ia_txn x;
    (void)state;
    env_start(t, false);
    a = table_of(t, rows, 2);
    assert_ok(ia_txn_init(&t->cx, &x, IA_TXN_UPDATE, 2));
    delete_rows(t, &x, 0, 3, 4);
    delete_rows(t, &x, 1, 2, 3);
    add_fragment(t, &x, "new.lance", 4, kept, 2)->copy_created = true;
    b = apply(t, a, &x);
    f = &b->m->fragments[2];
    assert_int_equal(f->id, 2);
    assert_int_equal(f->row_ids.count, 4);
    assert_int_equal(ia_rowids_get(&f->row_ids, 1), 12);
    assert_int_equal(ia_rowids_get(&f->row_ids, 2), 15);
    assert_int_equal(b->m->next_row_id, 17);
    assert_int_equal(ia_versions_get(&f->created, 1, 0), 2);
    assert_int_equal(ia_versions_get(&f->created, 2, 0), 3);
    assert_int_equal(ia_versions_get(&f->updated, 0, 0), 3);
    assert_int_equal(x.actions[2].fragment_id, 2);
    ia_txn_dispose(&x);
    ia_dataset_release(a);
    ia_dataset_release(b);
    env_end(t);
}

/* Both ways of finding created versions, the lookup of few ids and the walk over all, agree. */
static void created_of_a_large_fragment_is_found_without_walking_it(void **state)
{
    static const uint64_t rows[] = {1000};
    env e, *t = &e;
    ia_dataset *a, *b;
    uint64_t *ids = calloc(1000, sizeof *ids);
    ia_txn x;
    (void)state;
    env_start(t, false);
    a = table_of(t, rows, 1);
    for (uint64_t i = 0; i < 1000; i++)
        ids[i] = 5000 + i;
    ids[0] = 17; /* two of the thousand are moved rows */
    ids[999] = 7000;
    assert_ok(ia_txn_init(&t->cx, &x, IA_TXN_UPDATE, 2));
    delete_rows(t, &x, 0, 17, 18);
    add_fragment(t, &x, "new.lance", 1000, ids, 1000)->copy_created = true;
    b = apply(t, a, &x);
    assert_int_equal(b->m->fragments[1].created.n_runs, 2);
    assert_int_equal(ia_versions_get(&b->m->fragments[1].created, 0, 0), 2);
    assert_int_equal(ia_versions_get(&b->m->fragments[1].created, 1, 0), 3);
    assert_int_equal(ia_versions_count(&b->m->fragments[1].created), 1000);
    free(ids);
    ia_txn_dispose(&x);
    ia_dataset_release(a);
    ia_dataset_release(b);
    env_end(t);
}

static void the_same_list_applied_to_a_newer_version_is_the_rebase(void **state)
{
    static const uint64_t rows[] = {10};
    env e, *t = &e;
    ia_dataset *a, *theirs, *one, *two;
    const ia_bitmap *dv;
    ia_txn x, y;
    (void)state;
    env_start(t, false);
    a = table_of(t, rows, 1);
    assert_ok(ia_txn_init(&t->cx, &x, IA_TXN_UPDATE, 2));
    delete_rows(t, &x, 0, 1, 2);
    (void)add_fragment(t, &x, "ours.lance", 3, NULL, 0);
    one = apply(t, a, &x);
    assert_int_equal(one->m->fragments[1].id, 1);
    assert_int_equal(one->m->next_row_id, 13);
    assert_ok(ia_txn_init(&t->cx, &y, IA_TXN_UPDATE, 2));
    delete_rows(t, &y, 0, 5, 6);
    (void)add_fragment(t, &y, "theirs.lance", 4, NULL, 0);
    theirs = apply(t, a, &y);
    two = apply(t, theirs, &x);
    assert_int_equal(two->m->n_fragments, 3);
    assert_int_equal(x.actions[1].fragment_id, 2);
    assert_string_equal(two->m->fragments[2].files[0].path, "ours.lance");
    assert_int_equal(ia_rowids_get(&two->m->fragments[2].row_ids, 0), 14);
    assert_int_equal(ia_versions_get(&two->m->fragments[2].updated, 0, 0), 4);
    assert_ok(ia_dataset_deletions(&t->cx, two, &two->m->fragments[0], &dv));
    assert_true(ia_bitmap_has(dv, 1) && ia_bitmap_has(dv, 5) && ia_bitmap_count(dv) == 2);
    ia_txn_dispose(&x);
    ia_txn_dispose(&y);
    ia_dataset_release(a);
    ia_dataset_release(theirs);
    ia_dataset_release(one);
    ia_dataset_release(two);
    env_end(t);
}

static void masked_rows_become_a_deletion_file_and_all_masked_is_nothing(void **state)
{
    static const uint64_t rows[] = {10};
    env e, *t = &e;
    ia_dataset *a, *b;
    ia_action *act;
    ia_txn x;
    (void)state;
    env_start(t, false);
    a = table_of(t, rows, 1);
    assert_ok(ia_txn_init(&t->cx, &x, IA_TXN_UPDATE, 2));
    act = add_fragment(t, &x, "half.lance", 4, NULL, 0);
    assert_ok(ia_bitmap_new(&t->cx, &act->rows));
    ia_bitmap_add_range(act->rows, 1, 3);
    act = add_fragment(t, &x, "none.lance", 2, NULL, 0);
    assert_ok(ia_bitmap_new(&t->cx, &act->rows));
    ia_bitmap_add_range(act->rows, 0, 2);
    b = apply(t, a, &x);
    assert_int_equal(b->m->n_fragments, 2);
    assert_int_equal(b->m->fragments[1].deletion.num_deleted, 2);
    assert_int_equal(x.actions[1].fragment_id, IA_FRAGMENT_UNASSIGNED);
    ia_txn_dispose(&x);
    ia_dataset_release(a);
    ia_dataset_release(b);
    env_end(t);
}

static void a_base_of_equal_path_is_used_again_and_files_follow(void **state)
{
    static const uint64_t rows[] = {10};
    env e, *t = &e;
    ia_dataset *a, *b, *c;
    ia_action *act;
    ia_txn x, y;
    (void)state;
    env_start(t, false);
    a = table_of(t, rows, 1);
    assert_ok(ia_txn_init(&t->cx, &x, IA_TXN_UPDATE_BASES, 2));
    for (int i = 0; i < 2; i++) {
        assert_ok(ia_txn_add(&t->cx, &x, IA_ACT_ADD_BASE, &act));
        act->base.path = ia_sprintf(&t->cx, "/data/tree%d", i);
        act->base.is_dataset_root = true;
    }
    b = apply(t, a, &x);
    assert_int_equal(b->m->n_bases, 2);
    assert_int_equal(b->m->bases[1].id, 1);
    assert_int_equal(b->m->reader_flags & 16, 16);
    /* planned as base 7, which the manifest has under id 1 */
    assert_ok(ia_txn_init(&t->cx, &y, IA_TXN_UPDATE, 3));
    act = add_fragment(t, &y, "borrowed.lance", 4, NULL, 0);
    act->fragment.files[0].has_base = true;
    act->fragment.files[0].base_id = 7;
    assert_ok(ia_txn_add(&t->cx, &y, IA_ACT_ADD_BASE, &act));
    act->base.id = 7;
    act->base.path = ia_strdup(&t->cx, "/data/tree1/");
    act->base.is_dataset_root = true;
    c = apply(t, b, &y);
    assert_int_equal(c->m->n_bases, 2);
    assert_int_equal(c->m->fragments[1].files[0].base_id, 1);
    ia_txn_dispose(&x);
    ia_txn_dispose(&y);
    ia_dataset_release(a);
    ia_dataset_release(b);
    ia_dataset_release(c);
    env_end(t);
}

static void a_reset_drops_rows_and_keeps_counters(void **state)
{
    static const uint64_t rows[] = {10};
    env e, *t = &e;
    ia_dataset *a, *b;
    ia_action *act;
    ia_txn x;
    (void)state;
    env_start(t, false);
    a = table_of(t, rows, 1);
    assert_ok(ia_txn_init(&t->cx, &x, IA_TXN_OVERWRITE, 2));
    assert_ok(ia_txn_add(&t->cx, &x, IA_ACT_RESET_TABLE, &act));
    (void)add_fragment(t, &x, "fresh.lance", 2, NULL, 0);
    b = apply(t, a, &x);
    assert_int_equal(b->m->n_fragments, 1);
    assert_int_equal(b->m->fragments[0].id, 1);
    assert_int_equal(b->m->next_row_id, 12);
    ia_txn_dispose(&x);
    ia_dataset_release(a);
    ia_dataset_release(b);
    env_end(t);
}

static void what_does_not_fit_the_manifest_is_refused(void **state)
{
    static const uint64_t rows[] = {10};
    const ia_apply_options opt = {.now_us = 1};
    env e, *t = &e;
    ia_dataset *a;
    ia_manifest *m;
    ia_action *act;
    ia_txn x;
    (void)state;
    env_start(t, false);
    a = table_of(t, rows, 1);
    assert_ok(ia_txn_init(&t->cx, &x, IA_TXN_DELETE, 2));
    delete_rows(t, &x, 9, 0, 1);
    assert_status(IA_ERR_CONFLICT, ia_txn_apply(&t->cx, a, &x, &opt, &m));
    ia_txn_dispose(&x);
    assert_ok(ia_txn_init(&t->cx, &x, IA_TXN_DELETE, 2));
    delete_rows(t, &x, 0, 0, 11);
    assert_status(IA_ERR_INTERNAL, ia_txn_apply(&t->cx, a, &x, &opt, &m));
    ia_txn_dispose(&x);
    assert_ok(ia_txn_init(&t->cx, &x, IA_TXN_APPEND, 2));
    act = add_fragment(t, &x, "other.lance", 1, NULL, 0);
    act->fragment.files[0].minor = 2;
    assert_status(IA_ERR_UNSUPPORTED, ia_txn_apply(&t->cx, a, &x, &opt, &m));
    ia_txn_dispose(&x);
    ia_dataset_release(a);
    env_end(t);
}

static void a_commit_survives_every_failed_allocation(void **state)
{
    static const uint64_t rows[] = {10, 5};
    static const uint64_t kept[] = {3};
    const ia_apply_options opt = {.now_us = 1};
    env e, *t = &e;
    ia_dataset *a;
    ia_manifest *m;
    ia_bytes file, pb;
    ia_status st = IA_ERR_NO_MEMORY;
    int64_t k;
    ia_txn x;
    (void)state;
    env_start(t, false);
    a = table_of(t, rows, 2);
    assert_ok(ia_txn_init(&t->cx, &x, IA_TXN_UPDATE, 2));
    delete_rows(t, &x, 0, 3, 4);
    add_fragment(t, &x, "new.lance", 2, kept, 1)->copy_created = true;
    for (k = 0; st != IA_OK; k++) {
        ia_mem_fail_after(k);
        st = ia_txn_build(&t->cx, a, &x, &opt, &m, &file, &pb);
        ia_mem_fail_after(-1);
        if (st != IA_OK)
            assert_int_equal(st, IA_ERR_NO_MEMORY);
        ia_ctx_clear(&t->cx);
    }
    assert_true(k > 20);
    assert_int_equal(m->n_fragments, 3);
    ia_manifest_release(m);
    ia_bytes_dispose(&file);
    ia_bytes_dispose(&pb);
    ia_txn_dispose(&x);
    ia_dataset_release(a);
    env_end(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appended_fragments_get_ids_row_ids_and_stamps),
        cmocka_unit_test(deletions_unite_and_an_emptied_fragment_goes),
        cmocka_unit_test(moved_rows_keep_created_and_new_rows_do_not),
        cmocka_unit_test(created_of_a_large_fragment_is_found_without_walking_it),
        cmocka_unit_test(the_same_list_applied_to_a_newer_version_is_the_rebase),
        cmocka_unit_test(masked_rows_become_a_deletion_file_and_all_masked_is_nothing),
        cmocka_unit_test(a_base_of_equal_path_is_used_again_and_files_follow),
        cmocka_unit_test(a_reset_drops_rows_and_keeps_counters),
        cmocka_unit_test(what_does_not_fit_the_manifest_is_refused),
        cmocka_unit_test(a_commit_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
