/* test_graft.c - forks and grafts: what is linked, referenced, copied, and who owns the files. */
#include "table_env.h"
#include "table_kit.h"

#define FIELDS "[{\"name\":\"id\",\"type\":\"int64\"},{\"name\":\"s\",\"type\":\"string\"}]"

static void step(ia_dataset **ds, ia_dataset *next)
{
    ia_dataset_release(*ds);
    *ds = next;
}

static void append(env *t, ia_dataset **ds, const char *json)
{
    ia_json *doc;
    ia_dataset *next;
    assert_ok(ia_json_parse(&t->cx, json, strlen(json), &doc));
    assert_ok(kit_append(&t->cx, *ds, doc, IA_RELAXED, &next));
    ia_json_free(doc);
    step(ds, next);
}

static void delete_where(env *t, ia_dataset **ds, const char *where)
{
    ia_dataset *next;
    assert_ok(kit_delete(&t->cx, *ds, where, &next));
    step(ds, next);
}

static void update_where(env *t, ia_dataset **ds, const char *where, const char *set)
{
    ia_dataset *next;
    ia_json *doc;
    assert_ok(ia_json_parse(&t->cx, set, strlen(set), &doc));
    assert_ok(kit_update(&t->cx, *ds, where, doc, &next));
    ia_json_free(doc);
    step(ds, next);
}

static void assert_ids(env *t, ia_dataset *ds, const char *want)
{
    static const char *const cols[] = {"id"};
    const ia_scan_options opt = {.columns = cols, .n_columns = 1};
    ia_stream s;
    ia_batch *b;
    char text[400] = "";
    assert_ok(ia_dataset_scan(&t->cx, ds, &opt, &s));
    for (;;) {
        assert_ok(ia_stream_next(&t->cx, &s, &b));
        if (!b)
            break;
        for (int64_t i = 0; i < b->rows; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%lld", *text ? " " : "",
                     (long long)ia_array_i64(b->cols[0], i));
        ia_batch_release(b);
    }
    ia_stream_dispose(&s);
    assert_string_equal(text, want);
}

/* main: 1 2 3 | 4 5, row 2 deleted; fork "side.a" of it. */
static void make_fork(env *t, ia_dataset **trunk, ia_dataset **side)
{
    ia_schema *s;
    assert_ok(kit_schema_text(&t->cx, FIELDS, &s));
    assert_ok(ia_table_create(&t->cx, t->os, t->root, s, IA_RELAXED, trunk));
    ia_schema_release(s);
    append(t, trunk, "[{\"id\":1},{\"id\":2},{\"id\":3}]");
    append(t, trunk, "[{\"id\":4},{\"id\":5}]");
    delete_where(t, trunk, "id = 2");
    assert_ok(kit_fork(&t->cx, *trunk, "side.a", 1ull << 40, side));
}

static void a_fork_borrows_every_file_and_writes_its_own(void **state)
{
    env e, *t = &e;
    ia_dataset *trunk, *side, *again;
    ia_objlist names;
    char *dir;
    (void)state;
    env_start(t, false);
    make_fork(t, &trunk, &side);
    assert_int_equal(side->m->version, trunk->m->version);
    assert_int_equal(side->m->next_row_id, 1ull << 40);
    assert_string_equal(side->m->branch, "side.a");
    assert_true(side->m->fragments[0].files[0].has_base && side->m->fragments[0].deletion.has_base);
    assert_int_equal(side->m->reader_flags, 19);
    assert_string_equal(side->m->bases[0].path, t->root);
    append(t, &side, "[{\"id\":6}]");
    delete_where(t, &side, "id = 3");
    assert_false(side->m->fragments[0].deletion.has_base);
    assert_true(side->m->fragments[0].files[0].has_base);
    assert_int_equal(ia_rowids_get(&side->m->fragments[2].row_ids, 0), 1ull << 40);
    assert_ids(t, side, "1 4 5 6");
    assert_ids(t, trunk, "1 3 4 5");
    assert_ok(ia_dataset_open(&t->cx, t->os, t->root, "side.a", 0, &again));
    assert_ids(t, again, "1 4 5 6");
    ia_dataset_release(again);
    assert_ok(ia_path_join(&t->cx, &dir, t->root, "tree", "side.a", "data", NULL));
    assert_ok(ia_objstore_list(&t->cx, t->os, dir, NULL, 0, &names));
    assert_int_equal(names.n, 1);
    ia_objlist_dispose(&names);
    ia_free(dir);
    ia_dataset_release(trunk);
    ia_dataset_release(side);
    env_end(t);
}

static void a_fork_of_a_fork_keeps_the_bases_it_inherits(void **state)
{
    env e, *t = &e;
    ia_dataset *trunk, *side, *leaf;
    (void)state;
    env_start(t, false);
    make_fork(t, &trunk, &side);
    append(t, &side, "[{\"id\":6}]");
    assert_ok(kit_fork(&t->cx, side, "leaf.b", 2ull << 40, &leaf));
    assert_int_equal(leaf->m->n_bases, 2);
    assert_int_equal(leaf->m->fragments[0].files[0].base_id, 0);
    assert_int_equal(leaf->m->fragments[2].files[0].base_id, 1);
    assert_string_equal(leaf->m->bases[1].path, side->dir);
    assert_string_equal(leaf->m->bases[1].name, "side.a");
    append(t, &leaf, "[{\"id\":7}]");
    assert_ids(t, leaf, "1 3 4 5 6 7");
    ia_dataset_release(trunk);
    ia_dataset_release(side);
    ia_dataset_release(leaf);
    env_end(t);
}

static void graft_back(env *t, ia_adopt how, ia_graft_stats *stats, ia_dataset **out)
{
    ia_dataset *trunk, *side;
    make_fork(t, &trunk, &side);
    append(t, &side, "[{\"id\":6},{\"id\":7}]");
    update_where(t, &side, "id = 4", "{\"s\":\"four\"}");
    delete_where(t, &side, "id = 6");
    append(t, &trunk, "[{\"id\":8}]"); /* the trunk went on */
    assert_ok(kit_graft(&t->cx, side, trunk, how, stats, out));
    assert_ids(t, *out, "1 3 5 8 7 4");
    assert_int_equal(ia_versions_get(&(*out)->m->fragments[4].created, 0, 0),
                     3); /* row 4 was born in version 3 */
    assert_int_equal(ia_versions_get(&(*out)->m->fragments[3].created, 1, 0), (*out)->m->version);
    ia_dataset_release(trunk);
    ia_dataset_release(side);
}

static void drop_tree(env *t)
{
    static const char *const kinds[] = {"data", "_deletions", "_versions"};
    for (size_t k = 0; k < 3; k++) {
        ia_objlist names;
        char *dir, *path;
        assert_ok(ia_path_join(&t->cx, &dir, t->root, "tree", "side.a", kinds[k], NULL));
        assert_ok(ia_objstore_list(&t->cx, t->os, dir, NULL, 0, &names));
        for (size_t i = 0; i < names.n; i++) {
            assert_ok(ia_path_join(&t->cx, &path, dir, names.names[i], NULL));
            assert_ok(ia_objstore_remove(&t->cx, t->os, path));
            ia_free(path);
        }
        ia_objlist_dispose(&names);
        ia_free(dir);
    }
}

static void a_linked_graft_survives_the_source_tree(bool local)
{
    env e, *t = &e;
    ia_graft_stats stats;
    ia_dataset *out, *again;
    env_start(t, local);
    graft_back(t, IA_ADOPT_LINK, &stats, &out);
    assert_int_equal(stats.files_linked, 2);
    assert_int_equal(stats.bytes_copied, 0);
    assert_int_equal(out->m->n_bases, 0);
    drop_tree(t);
    assert_ok(ia_dataset_open(&t->cx, t->os, t->root, NULL, 0, &again));
    assert_ids(t, again, "1 3 5 8 7 4");
    ia_dataset_release(again);
    ia_dataset_release(out);
    env_end(t);
}

static void a_linked_graft_survives_in_memory(void **state)
{
    (void)state;
    a_linked_graft_survives_the_source_tree(false);
}
static void a_linked_graft_survives_on_local_files(void **state)
{
    (void)state;
    a_linked_graft_survives_the_source_tree(true);
}

static void a_reference_registers_the_source_tree_once(void **state)
{
    env e, *t = &e;
    ia_graft_stats stats;
    ia_dataset *out;
    (void)state;
    env_start(t, false);
    graft_back(t, IA_ADOPT_REFERENCE, &stats, &out);
    assert_int_equal(stats.files_linked + stats.files_copied, 0);
    assert_int_equal(out->m->n_bases, 1);
    assert_string_equal(out->m->bases[0].name, "side.a");
    assert_true(out->m->fragments[4].files[0].has_base);
    assert_int_equal(out->m->reader_flags & 16, 16);
    ia_dataset_release(out);
    env_end(t);
}

static void a_copy_moves_the_bytes(void **state)
{
    env e, *t = &e;
    ia_graft_stats stats;
    ia_dataset *out;
    (void)state;
    env_start(t, false);
    graft_back(t, IA_ADOPT_COPY, &stats, &out);
    assert_int_equal(stats.files_copied, 2);
    assert_true(stats.bytes_copied > 500);
    assert_int_equal(out->m->n_bases, 0);
    drop_tree(t);
    ia_dataset_release(out);
    env_end(t);
}

static void without_links_a_graft_refers(void **state)
{
    env e, *t = &e;
    ia_graft_stats stats;
    ia_dataset *out;
    (void)state;
    env_start(t, false);
    ia_objstore_close(t->os);
    assert_ok(ia_objstore_memory(&t->cx, false, &t->os));
    graft_back(t, IA_ADOPT_LINK, &stats, &out);
    assert_int_equal(stats.files_linked, 0);
    assert_int_equal(stats.files_referenced,
                     1); /* the second file lies in the base added for the first */
    ia_dataset_release(out);
    env_end(t);
}

static void grafting_again_finds_its_links_there(void **state)
{
    env e, *t = &e;
    ia_dataset *trunk, *side;
    ia_fragment made;
    ia_graft_stats stats = {0};
    ia_txn x;
    (void)state;
    env_start(t, true);
    make_fork(t, &trunk, &side);
    append(t, &side, "[{\"id\":6}]");
    assert_ok(ia_txn_init(&t->cx, &x, IA_TXN_UPDATE, trunk->m->version));
    for (int i = 0; i < 2; i++) {
        assert_ok(ia_graft_fragment(&t->cx, side, &side->m->fragments[2], trunk, &x, IA_ADOPT_LINK,
                                    IA_PUT_SYNC, &made, &stats));
        assert_false(made.files[0].has_base);
        ia_fragment_dispose(&made);
    }
    assert_int_equal(stats.files_linked, 2);
    /* a fragment that the fork borrows from the trunk is the trunk's own */
    assert_ok(ia_graft_fragment(&t->cx, side, &side->m->fragments[0], trunk, &x, IA_ADOPT_LINK, 0,
                                &made, &stats));
    assert_false(made.files[0].has_base);
    assert_int_equal(stats.files_linked, 2);
    ia_fragment_dispose(&made);
    ia_txn_dispose(&x);
    ia_dataset_release(trunk);
    ia_dataset_release(side);
    env_end(t);
}

static void branch_files_hold_every_key_and_tags_replace(void **state)
{
    env e, *t = &e;
    ia_dataset *trunk, *side, *leaf;
    ia_bytes raw;
    ia_json *doc;
    const ia_json *map;
    char *path, *branch;
    uint64_t version;
    (void)state;
    env_start(t, false);
    make_fork(t, &trunk, &side);
    append(t, &side, "[{\"id\":6}]");
    assert_ok(kit_fork(&t->cx, side, "leaf/b", 0, &leaf));
    assert_ok(ia_path_join(&t->cx, &path, t->root, "_refs/branches/leaf%2Fb.json", NULL));
    assert_ok(ia_objstore_get(&t->cx, t->os, path, &raw));
    assert_ok(ia_json_parse(&t->cx, (const char *)raw.data, raw.len, &doc));
    assert_string_equal(ia_json_str(ia_json_get(doc, "parentBranch"), NULL), "side.a");
    map = ia_json_get(ia_json_get(doc, "identifier"), "version_mapping");
    assert_int_equal(ia_json_len(map), 2);
    assert_int_equal(strlen(ia_json_str(ia_json_at(ia_json_at(map, 1), 1), NULL)), 32);
    assert_true(ia_json_u64(ia_json_get(doc, "parentVersion"), &version) && version == 5);
    assert_non_null(ia_json_get(doc, "createAt"));
    assert_non_null(ia_json_get(doc, "manifestSize"));
    assert_non_null(ia_json_get(doc, "metadata"));
    ia_json_free(doc);
    ia_bytes_dispose(&raw);
    ia_free(path);
    /* putting the same branch again is success, another of the name is not */
    assert_ok(ia_branchref_put(&t->cx, t->os, t->root, "leaf/b", "side.a", 5, 77, 1800000000, 0));
    assert_status(IA_ERR_EXISTS,
                  ia_branchref_put(&t->cx, t->os, t->root, "leaf/b", NULL, 4, 77, 1700000000, 0));
    assert_ok(ia_tag_put(&t->cx, t->os, t->root, "hold", NULL, 2, 100, 1700000000123456, 0));
    assert_ok(ia_tag_put(&t->cx, t->os, t->root, "hold", "side.a", 5, 100, 1800000000000000, 0));
    assert_ok(ia_tag_get(&t->cx, t->os, t->root, "hold", &branch, &version));
    assert_string_equal(branch, "side.a");
    assert_int_equal(version, 5);
    ia_free(branch);
    assert_ok(ia_path_join(&t->cx, &path, t->root, "_refs/tags/hold.json", NULL));
    assert_ok(ia_objstore_get(&t->cx, t->os, path, &raw));
    assert_ok(ia_json_parse(&t->cx, (const char *)raw.data, raw.len, &doc));
    assert_string_equal(ia_json_str(ia_json_get(doc, "createdAt"), NULL),
                        "2023-11-14T22:13:20.123456000Z");
    ia_json_free(doc);
    ia_bytes_dispose(&raw);
    ia_free(path);
    assert_status(IA_ERR_NOT_FOUND, ia_tag_get(&t->cx, t->os, t->root, "none", &branch, &version));
    ia_dataset_release(trunk);
    ia_dataset_release(side);
    ia_dataset_release(leaf);
    env_end(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fork_borrows_every_file_and_writes_its_own),
        cmocka_unit_test(a_fork_of_a_fork_keeps_the_bases_it_inherits),
        cmocka_unit_test(a_linked_graft_survives_in_memory),
        cmocka_unit_test(a_linked_graft_survives_on_local_files),
        cmocka_unit_test(a_reference_registers_the_source_tree_once),
        cmocka_unit_test(a_copy_moves_the_bytes),
        cmocka_unit_test(without_links_a_graft_refers),
        cmocka_unit_test(grafting_again_finds_its_links_there),
        cmocka_unit_test(branch_files_hold_every_key_and_tags_replace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
