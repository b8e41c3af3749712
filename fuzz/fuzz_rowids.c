/* fuzz_rowids.c - sequences of row ids ('r') and of row versions ('v'), by the first byte. */
#include "fuzz.h"

#include "table/rowids.h"

enum { SOME = 2000 };

static void look(fuzz_run *r, const ia_rowids *ids)
{
    const uint64_t n = ids->count < SOME ? ids->count : SOME, from = ids->count - n;
    uint64_t head[SOME / 8], *all = NULL, min, max;
    uint32_t offsets[SOME / 8];
    const size_t k = n < SOME / 8 ? (size_t)n : SOME / 8;

    if (!fuzz_ok(r, IA_NEW_ARRAY(&r->cx, all, n + 1)))
        return;
    ia_rowids_slice(ids, 0, k, head);
    ia_rowids_slice(ids, from, n, all);
    FUZZ_CHECK(ia_rowids_bounds(ids, &min, &max) == (ids->count > 0));
    for (size_t i = 0; i < k; i++) {
        uint64_t at;
        offsets[i] = (uint32_t)i;
        FUZZ_CHECK(head[i] == ia_rowids_get(ids, i));
        FUZZ_CHECK(all[i] == ia_rowids_get(ids, from + i));
        FUZZ_CHECK(head[i] >= min && head[i] <= max && all[i] >= min && all[i] <= max);
        FUZZ_CHECK(ia_rowids_find(ids, head[i], &at) && at <= i);
    }
    ia_rowids_pick(ids, offsets, k, all);
    FUZZ_CHECK(memcmp(all, head, k * sizeof *head) == 0);
    ia_free(all);
}

static void try_ids(fuzz_run *r, const uint8_t *data, size_t size)
{
    ia_rowids ids = {0}, again = {0}, grown = {0};
    ia_bytes first = {0}, second = {0};

    if (fuzz_ok(r, ia_rowids_decode(&r->cx, data, size, &ids))) {
        look(r, &ids);
        if (fuzz_must(r, ia_rowids_encode(&r->cx, &ids, &first), "ids are written:") &&
            fuzz_must(r, ia_rowids_decode(&r->cx, first.data, first.len, &again), "and read:") &&
            fuzz_must(r, ia_rowids_encode(&r->cx, &again, &second), "and written again:")) {
            FUZZ_CHECK(again.count == ids.count);
            FUZZ_CHECK(fuzz_same(&first, &second));
        }
        if (fuzz_ok(r, ia_rowids_copy(&r->cx, &ids, &grown)) &&
            fuzz_ok(r, ia_rowids_extend(&r->cx, &grown, &ids)))
            look(r, &grown);
    }
    ia_bytes_dispose(&first);
    ia_bytes_dispose(&second);
    ia_rowids_dispose(&ids);
    ia_rowids_dispose(&again);
    ia_rowids_dispose(&grown);
}

static void try_versions(fuzz_run *r, const uint8_t *data, size_t size)
{
    ia_versions v = {0}, again = {0};
    ia_bytes first = {0}, second = {0};
    uint64_t some[100];

    if (fuzz_ok(r, ia_versions_decode(&r->cx, data, size, &v)) &&
        fuzz_must(r, ia_versions_encode(&r->cx, &v, &first), "versions are written:") &&
        fuzz_must(r, ia_versions_decode(&r->cx, first.data, first.len, &again), "and read:") &&
        fuzz_must(r, ia_versions_encode(&r->cx, &again, &second), "and written again:")) {
        FUZZ_CHECK(ia_versions_count(&v) == ia_versions_count(&again));
        FUZZ_CHECK(fuzz_same(&first, &second));
        ia_versions_slice(&v, 0, 100, 9, some);
        for (uint64_t i = 0; i < 100; i++)
            FUZZ_CHECK(some[i] == ia_versions_get(&v, i, 9));
        (void)ia_versions_get(&v, UINT64_MAX, 9);
    }
    ia_bytes_dispose(&first);
    ia_bytes_dispose(&second);
    ia_versions_dispose(&v);
    ia_versions_dispose(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;

    fuzz_begin(&r);
    if (size > 0 && data[0] == 'v')
        try_versions(&r, data + 1, size - 1);
    else if (size > 0)
        try_ids(&r, data + 1, size - 1);
    fuzz_end(&r);
    return 0;
}
