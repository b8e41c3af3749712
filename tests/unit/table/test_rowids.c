/* test_rowids.c - row-id segments, their wire form, and row-version runs. */
#include "table_env.h"

static void assert_hex(const ia_bytes *b, const char *hex)
{
    char got[512];
    assert_true(b->len * 2 < sizeof got);
    ia_hex(b->data, b->len, got);
    assert_string_equal(got, hex);
}

static void assert_ids(const ia_rowids *r, const uint64_t *ids, size_t n)
{
    uint64_t *all = calloc(n + 1, sizeof *all), at;
    assert_int_equal(r->count, n);
    ia_rowids_expand(r, all);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(all[i], ids[i]);
        assert_int_equal(ia_rowids_get(r, i), ids[i]);
        assert_true(ia_rowids_find(r, ids[i], &at));
        assert_int_equal(ids[at], ids[i]);
    }
    free(all);
}

static void sequences_encode_as_the_engine_does(void **state)
{
    static const struct {
        uint64_t ids[8];
        size_t n;
        const char *hex;
    } cases[] = {
        {{43}, 1, "0a060a04082b102c"},
        {{5, 1000}, 2, "0a0c220a0a080805120400 00e303"},
        {{3, 11, 12, 14, 15}, 5, "0a0c1a0a080310101a02011b"},
    };
    env e, *t = &e;
    (void)state;
    env_start(t, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ia_rowids r, back;
        ia_bytes b;
        char want[64];
        size_t k = 0;
        for (const char *p = cases[i].hex; *p; p++) {
            if (*p != ' ')
                want[k++] = *p;
        }
        want[k] = 0;
        assert_ok(ia_rowids_from(&t->cx, cases[i].ids, cases[i].n, &r));
        assert_ok(ia_rowids_encode(&t->cx, &r, &b));
        if (i != 2) { /* the page leaves out a length byte of this one */
            assert_hex(&b, want);
        } else {
            assert_int_equal(r.segs[0].kind, IA_SEG_BITMAP);
            assert_int_equal(r.segs[0].bits[0], 0x01);
            assert_int_equal(r.segs[0].bits[1], 0x1b);
        }
        assert_ok(ia_rowids_decode(&t->cx, b.data, b.len, &back));
        assert_ids(&back, cases[i].ids, cases[i].n);
        ia_bytes_dispose(&b);
        ia_rowids_dispose(&r);
        ia_rowids_dispose(&back);
    }
    env_end(t);
}

static void a_compacted_sequence_keeps_its_three_segments(void **state)
{
    env e, *t = &e;
    ia_rowids r, part;
    ia_bytes b;
    uint64_t ids[1000], at;
    size_t n = 0;
    const uint64_t tail[] = {5, 1000};
    (void)state;
    env_start(t, false);
    for (uint64_t v = 0; v < 1000; v++) {
        if (v != 5 && v != 42 && v != 43)
            ids[n++] = v;
    }
    assert_ok(ia_rowids_from(&t->cx, ids, n, &r));
    assert_int_equal(r.segs[0].kind, IA_SEG_HOLES);
    assert_ok(ia_rowids_range(&t->cx, 43, 1, &part));
    assert_ok(ia_rowids_extend(&t->cx, &r, &part));
    ia_rowids_dispose(&part);
    assert_ok(ia_rowids_from(&t->cx, tail, 2, &part));
    assert_ok(ia_rowids_extend(&t->cx, &r, &part));
    ia_rowids_dispose(&part);
    assert_int_equal(r.n_segs, 3);
    assert_ok(ia_rowids_encode(&t->cx, &r, &b));
    assert_hex(&b, "0a13121110e8071a0c0a0a08051206000025002600"
                   "0a060a04082b102c0a0c220a0a08080512040000e303");
    assert_true(ia_rowids_find(&r, 6, &at));
    assert_int_equal(at, 5);
    assert_true(ia_rowids_find(&r, 999, &at));
    assert_int_equal(at, 996);
    assert_true(ia_rowids_find(&r, 5, &at));
    assert_int_equal(at, 998);
    assert_false(ia_rowids_find(&r, 42, &at));
    ia_bytes_dispose(&b);
    ia_rowids_dispose(&r);
    env_end(t);
}

static void touching_ranges_fuse_and_others_do_not(void **state)
{
    env e, *t = &e;
    ia_rowids r, part;
    (void)state;
    env_start(t, false);
    assert_ok(ia_rowids_range(&t->cx, 10, 5, &r));
    assert_ok(ia_rowids_range(&t->cx, 15, 5, &part));
    assert_ok(ia_rowids_extend(&t->cx, &r, &part));
    assert_int_equal(r.n_segs, 1);
    assert_ok(ia_rowids_extend(&t->cx, &r, &part));
    assert_int_equal(r.n_segs, 2);
    assert_int_equal(r.count, 15);
    ia_rowids_dispose(&r);
    ia_rowids_dispose(&part);
    env_end(t);
}

static size_t random_ids(uint64_t *seed, uint64_t *ids, size_t cap)
{
    const uint64_t shape = next_random(seed) % 5;
    const size_t n = 1 + next_random(seed) % cap;
    uint64_t v = next_random(seed) % 100000;
    for (size_t i = 0; i < n; i++) {
        const uint64_t step = shape == 0   ? 1
                              : shape == 1 ? 1 + (next_random(seed) % 50 == 0)
                              : shape == 2 ? 1 + next_random(seed) % 3
                                           : 1 + next_random(seed) % 5000000000ull;
        v += step;
        ids[i] = v;
    }
    if (shape == 4) {
        for (size_t i = n; i > 1; i--) {
            const size_t k = next_random(seed) % i;
            const uint64_t swap = ids[i - 1];
            ids[i - 1] = ids[k];
            ids[k] = swap;
        }
    }
    return n;
}

static void random_sequences_survive_the_wire(void **state)
{
    static uint64_t ids[3000], got[3000];
    env e, *t = &e;
    uint64_t seed = 0x1234567;
    bool seen[5] = {false};
    (void)state;
    env_start(t, false);
    for (int round = 0; round < 300; round++) {
        ia_rowids r = {0}, back, copy;
        ia_bytes b;
        size_t n = 0;
        for (int parts = 0; parts < 3; parts++) {
            ia_rowids part;
            const size_t k = random_ids(&seed, ids + n, 1000);
            assert_ok(ia_rowids_from(&t->cx, ids + n, k, &part));
            seen[part.segs[0].kind] = true;
            assert_ok(ia_rowids_extend(&t->cx, &r, &part));
            ia_rowids_dispose(&part);
            n += k;
        }
        assert_ok(ia_rowids_encode(&t->cx, &r, &b));
        assert_ok(ia_rowids_decode(&t->cx, b.data, b.len, &back));
        assert_ok(ia_rowids_copy(&t->cx, &back, &copy));
        assert_int_equal(copy.count, n);
        for (int probe = 0; probe < 20; probe++) {
            const uint64_t from = next_random(&seed) % n, len = next_random(&seed) % (n - from + 1);
            uint64_t at;
            static uint32_t offsets[3000];
            size_t picked = 0;
            ia_rowids_slice(&copy, from, len, got);
            assert_memory_equal(got, ids + from, len * sizeof *got);
            for (uint64_t k = from; k < n; k += 1 + next_random(&seed) % 40)
                offsets[picked++] = (uint32_t)k;
            ia_rowids_pick(&copy, offsets, picked, got);
            for (size_t k = 0; k < picked; k++)
                assert_int_equal(got[k], ids[offsets[k]]);
            assert_int_equal(ia_rowids_get(&copy, from), ids[from]);
            assert_true(ia_rowids_find(&copy, ids[from], &at));
            assert_int_equal(ids[at], ids[from]);
        }
        ia_bytes_dispose(&b);
        ia_rowids_dispose(&r);
        ia_rowids_dispose(&back);
        ia_rowids_dispose(&copy);
    }
    for (int k = 0; k < 5; k++)
        assert_true(seen[k]);
    env_end(t);
}

static void damaged_sequences_are_refused_or_read_but_never_crash(void **state)
{
    static uint64_t ids[300];
    env e, *t = &e;
    uint64_t seed = 99;
    (void)state;
    env_start(t, false);
    for (int round = 0; round < 3000; round++) {
        ia_rowids r, back;
        ia_bytes b;
        const size_t n = random_ids(&seed, ids, 300);
        assert_ok(ia_rowids_from(&t->cx, ids, n, &r));
        assert_ok(ia_rowids_encode(&t->cx, &r, &b));
        b.data[next_random(&seed) % b.len] ^= (uint8_t)(1u << (next_random(&seed) % 8));
        if (ia_rowids_decode(&t->cx, b.data,
                             next_random(&seed) % 4 ? b.len : next_random(&seed) % b.len,
                             &back) == IA_OK &&
            back.count)
            (void)ia_rowids_get(&back, back.count - 1);
        ia_ctx_clear(&t->cx);
        ia_rowids_dispose(&back);
        ia_rowids_dispose(&r);
        ia_bytes_dispose(&b);
    }
    env_end(t);
}

static void version_runs_encode_as_the_engine_does(void **state)
{
    env e, *t = &e;
    ia_versions v, back, copy;
    ia_bytes b;
    uint64_t got[4];
    (void)state;
    env_start(t, false);
    assert_ok(ia_versions_uniform(&t->cx, 1, 1, &v));
    assert_ok(ia_versions_append(&t->cx, &v, 4, 1));
    assert_ok(ia_versions_encode(&t->cx, &v, &b));
    assert_hex(&b, "0a080a040a02100110010a0a0a060a04080110021004");
    assert_ok(ia_versions_decode(&t->cx, b.data, b.len, &back));
    assert_int_equal(ia_versions_count(&back), 2);
    assert_int_equal(ia_versions_get(&back, 1, 9), 4);
    assert_int_equal(ia_versions_get(&back, 2, 9), 9);
    ia_versions_slice(&back, 1, 3, 7, got);
    assert_int_equal(got[0], 4);
    assert_int_equal(got[1], 7);
    assert_int_equal(got[2], 7);
    assert_ok(ia_versions_append(&t->cx, &back, 5, 2));
    assert_ok(ia_versions_append(&t->cx, &back, 5, 2));
    assert_int_equal(back.n_runs, 3);
    {
        static const uint32_t offsets[] = {0, 1, 4, 5, 9};
        uint64_t picked[5];
        ia_versions_pick(&back, offsets, 5, 9, picked);
        assert_int_equal(picked[0], 1);
        assert_int_equal(picked[1], 4);
        assert_int_equal(picked[3], 5);
        assert_int_equal(picked[4], 9);
    }
    assert_ok(ia_versions_copy(&t->cx, &back, &copy)); /* a copy has room to grow */
    for (uint64_t k = 10; k < 20; k++)
        assert_ok(ia_versions_append(&t->cx, &copy, k, 1));
    assert_int_equal(copy.n_runs, 13);
    ia_bytes_dispose(&b);
    ia_versions_dispose(&v);
    ia_versions_dispose(&back);
    ia_versions_dispose(&copy);
    env_end(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_encode_as_the_engine_does),
        cmocka_unit_test(a_compacted_sequence_keeps_its_three_segments),
        cmocka_unit_test(touching_ranges_fuse_and_others_do_not),
        cmocka_unit_test(random_sequences_survive_the_wire),
        cmocka_unit_test(damaged_sequences_are_refused_or_read_but_never_crash),
        cmocka_unit_test(version_runs_encode_as_the_engine_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
