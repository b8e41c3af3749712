/* test_manifest.c - manifest files: those of the real engine, our own, and damaged ones. */
#include "table_env.h"

static ia_bytes read_data(env *t, const char *name)
{
    char path[400];
    ia_bytes raw = {0};
    FILE *f;
    snprintf(path, sizeof path, "%s/table/%s", TEST_DATA, name);
    f = fopen(path, "rb");
    assert_non_null(f);
    raw.data = ia_alloc(&t->cx, 100000);
    assert_non_null(raw.data);
    raw.len = fread(raw.data, 1, 100000, f);
    fclose(f);
    return raw;
}

static void the_engines_manifests_are_understood(void **state)
{
    env e, *t = &e;
    ia_bytes raw;
    ia_manifest *m;
    char uuid[IA_UUID_LEN + 1];
    uint32_t op;
    (void)state;
    env_start(t, false);
    raw = read_data(t, "main-4.manifest");
    assert_ok(ia_manifest_decode(&t->cx, raw.data, raw.len, "main-4", &m));
    assert_int_equal(m->version, 4);
    assert_true(m->stable_row_ids);
    assert_int_equal(m->n_fragments, 2);
    assert_int_equal(m->arrow->n_fields, 4);
    assert_string_equal(m->arrow->fields[1].name, "s");
    assert_string_equal(m->data_version, "2.1");
    assert_int_equal(m->fragments[0].deletion.num_deleted, 11);
    assert_int_equal(m->fragments[1].physical_rows, 10);
    assert_int_equal(ia_manifest_live_rows(m), 99);
    assert_int_equal(ia_rowids_get(&m->fragments[1].row_ids, 9), 93);
    assert_int_equal(ia_versions_get(&m->fragments[1].created, 0, 0), 1);
    assert_int_equal(ia_versions_get(&m->fragments[1].updated, 0, 0), 3);
    assert_int_equal(m->fragments[0].files[0].n_fields,
                     4); /* leaves: the list's item, not the list */
    assert_true(m->indices.len > 0);
    assert_ok(ia_txn_peek(&t->cx, m->transaction.data, m->transaction.len, uuid, &op));
    assert_int_equal(op, 101);
    assert_non_null(strstr(m->transaction_file, uuid));
    ia_manifest_release(m);
    ia_bytes_dispose(&raw);
    raw = read_data(t, "side-5.manifest");
    assert_ok(ia_manifest_decode(&t->cx, raw.data, raw.len, "side-5", &m));
    assert_string_equal(m->branch, "side");
    assert_int_equal(m->n_bases, 1);
    assert_true(m->bases[0].is_dataset_root);
    assert_true(m->fragments[0].files[0].has_base);
    assert_false(m->fragments[0].deletion.has_base); /* the branch deleted one more row */
    assert_int_equal(m->fragments[0].deletion.num_deleted, 12);
    ia_manifest_release(m);
    ia_bytes_dispose(&raw);
    env_end(t);
}

static void assert_same_manifest(const ia_manifest *a, const ia_manifest *b)
{
    assert_int_equal(a->version, b->version);
    assert_int_equal(a->timestamp_us, b->timestamp_us);
    assert_int_equal(a->reader_flags, b->reader_flags);
    assert_int_equal(a->writer_flags, b->writer_flags);
    assert_int_equal(a->max_fragment_id, b->max_fragment_id);
    assert_int_equal(a->next_row_id, b->next_row_id);
    assert_string_equal(a->transaction_file, b->transaction_file);
    assert_true(ia_schema_equal(a->arrow, b->arrow));
    assert_int_equal(a->indices.len, b->indices.len);
    assert_memory_equal(a->indices.data, b->indices.data, a->indices.len);
    assert_int_equal(a->n_bases, b->n_bases);
    assert_int_equal(a->n_fragments, b->n_fragments);
    for (size_t i = 0; i < a->n_fragments; i++) {
        assert_true(ia_fragment_same_files(&a->fragments[i], &b->fragments[i]));
        assert_int_equal(a->fragments[i].row_ids.count, b->fragments[i].row_ids.count);
        assert_int_equal(a->fragments[i].deletion.id, b->fragments[i].deletion.id);
    }
}

static void a_manifest_written_again_reads_the_same(void **state)
{
    static const char *const names[] = {"main-4.manifest", "side-5.manifest"};
    env e, *t = &e;
    (void)state;
    env_start(t, false);
    for (size_t i = 0; i < 2; i++) {
        ia_bytes raw = read_data(t, names[i]), again;
        ia_manifest *m, *back, *copy;
        assert_ok(ia_manifest_decode(&t->cx, raw.data, raw.len, names[i], &m));
        assert_ok(ia_manifest_copy(&t->cx, m, &copy));
        assert_ok(
            ia_manifest_encode(&t->cx, copy, m->transaction.data, m->transaction.len, &again));
        assert_ok(ia_manifest_decode(&t->cx, again.data, again.len, "again", &back));
        assert_same_manifest(m, back);
        assert_int_equal(back->transaction.len, m->transaction.len);
        assert_memory_equal(back->transaction.data, m->transaction.data, m->transaction.len);
        ia_manifest_release(m);
        ia_manifest_release(copy);
        ia_manifest_release(back);
        ia_bytes_dispose(&raw);
        ia_bytes_dispose(&again);
    }
    env_end(t);
}

static void cut_manifests_are_corrupt_at_every_length(void **state)
{
    env e, *t = &e;
    ia_bytes raw;
    ia_manifest *m;
    (void)state;
    env_start(t, false);
    raw = read_data(t, "main-4.manifest");
    for (size_t n = 0; n < raw.len; n++)
        assert_status(IA_ERR_CORRUPT, ia_manifest_decode(&t->cx, raw.data, n, "cut", &m));
    ia_bytes_dispose(&raw);
    env_end(t);
}

static void flipped_bits_never_crash_the_reader(void **state)
{
    env e, *t = &e;
    ia_bytes raw;
    ia_manifest *m;
    (void)state;
    env_start(t, false);
    raw = read_data(t, "side-5.manifest");
    for (size_t i = 0; i < raw.len * 8; i++) {
        raw.data[i / 8] ^= (uint8_t)(1u << (i % 8));
        if (ia_manifest_decode(&t->cx, raw.data, raw.len, "flipped", &m) == IA_OK)
            ia_manifest_release(m);
        ia_ctx_clear(&t->cx);
        raw.data[i / 8] ^= (uint8_t)(1u << (i % 8));
    }
    ia_bytes_dispose(&raw);
    env_end(t);
}

static void an_unknown_reader_flag_is_refused_by_number(void **state)
{
    env e, *t = &e;
    ia_bytes raw, again;
    ia_manifest *m, *copy, *back;
    (void)state;
    env_start(t, false);
    raw = read_data(t, "main-4.manifest");
    assert_ok(ia_manifest_decode(&t->cx, raw.data, raw.len, "main-4", &m));
    assert_ok(ia_manifest_copy(&t->cx, m, &copy));
    copy->reader_flags |= 64u;
    assert_ok(ia_manifest_encode(&t->cx, copy, NULL, 0, &again));
    if (ia_manifest_decode(&t->cx, again.data, again.len, "x", &back) != IA_ERR_UNSUPPORTED)
        fail();
    assert_non_null(strstr(t->cx.err.text, "64"));
    ia_manifest_release(m);
    ia_manifest_release(copy);
    ia_bytes_dispose(&raw);
    ia_bytes_dispose(&again);
    env_end(t);
}

static void unknown_members_are_carried_along(void **state)
{
    env e, *t = &e;
    ia_bytes raw, again;
    ia_manifest *m, *copy, *back;
    static const uint8_t member[] = {0xc2, 0x3e, 3, 'a', 'b', 'c'}; /* field 1000 */
    (void)state;
    env_start(t, false);
    raw = read_data(t, "main-4.manifest");
    assert_ok(ia_manifest_decode(&t->cx, raw.data, raw.len, "main-4", &m));
    assert_ok(ia_manifest_copy(&t->cx, m, &copy));
    ia_bytes_dispose(&copy->extra);
    assert_ok(ia_bytes_copy(&t->cx, member, sizeof member, &copy->extra));
    ia_bytes_dispose(&copy->fragments[0].extra);
    assert_ok(ia_bytes_copy(&t->cx, member, sizeof member, &copy->fragments[0].extra));
    assert_ok(ia_manifest_encode(&t->cx, copy, NULL, 0, &again));
    assert_ok(ia_manifest_decode(&t->cx, again.data, again.len, "x", &back));
    assert_int_equal(back->extra.len, sizeof member);
    assert_memory_equal(back->extra.data, member, sizeof member);
    assert_int_equal(back->fragments[0].extra.len, sizeof member);
    ia_manifest_release(m);
    ia_manifest_release(copy);
    ia_manifest_release(back);
    ia_bytes_dispose(&raw);
    ia_bytes_dispose(&again);
    env_end(t);
}

static void names_count_down(void **state)
{
    char name[40];
    (void)state;
    ia_manifest_name(1, name);
    assert_string_equal(name, "18446744073709551614.manifest");
    ia_manifest_name(UINT64_MAX, name);
    assert_string_equal(name, "00000000000000000000.manifest");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_engines_manifests_are_understood),
        cmocka_unit_test(a_manifest_written_again_reads_the_same),
        cmocka_unit_test(cut_manifests_are_corrupt_at_every_length),
        cmocka_unit_test(flipped_bits_never_crash_the_reader),
        cmocka_unit_test(an_unknown_reader_flag_is_refused_by_number),
        cmocka_unit_test(unknown_members_are_carried_along),
        cmocka_unit_test(names_count_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
