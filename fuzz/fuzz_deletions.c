/* fuzz_deletions.c - deletion files: Arrow ('a') and Roaring ('b'), by the first byte. */
#include "fuzz.h"

#include "arrow/ipc.h"
#include "base/bitmap.h"

static void try_arrow(fuzz_run *r, const uint8_t *data, size_t size)
{
    uint32_t *values = NULL, *again = NULL;
    size_t n = 0, m = 0;
    ia_bytes text = {0};

    if (fuzz_ok(r, ia_ipc_read_row_ids(&r->cx, data, size, &values, &n)) &&
        fuzz_must(r, ia_ipc_write_row_ids(&r->cx, values, n, &text), "row ids are written:") &&
        fuzz_must(r, ia_ipc_read_row_ids(&r->cx, text.data, text.len, &again, &m), "and read:")) {
        FUZZ_CHECK(n == m);
        FUZZ_CHECK(n == 0 || memcmp(values, again, n * sizeof *values) == 0);
    }
    ia_free(values);
    ia_free(again);
    ia_bytes_dispose(&text);
}

static void try_bitmap(fuzz_run *r, const uint8_t *data, size_t size)
{
    ia_bitmap *b = NULL, *again = NULL;
    ia_bytes text = {0};
    uint32_t max = 0, some[64];

    if (fuzz_ok(r, ia_bitmap_decode(&r->cx, data, size, &b)) &&
        fuzz_must(r, ia_bitmap_encode(&r->cx, b, &text), "a bitmap is written:") &&
        fuzz_must(r, ia_bitmap_decode(&r->cx, text.data, text.len, &again), "and read:")) {
        const uint64_t count = ia_bitmap_count(b);
        const size_t n = ia_bitmap_next(b, 0, some, 64);
        FUZZ_CHECK(ia_bitmap_equal(b, again));
        FUZZ_CHECK(ia_bitmap_max(b, &max) == (count > 0));
        FUZZ_CHECK(n == (count < 64 ? count : 64));
        for (size_t i = 0; i < n; i++) {
            FUZZ_CHECK(ia_bitmap_has(b, some[i]) && some[i] <= max);
            FUZZ_CHECK(ia_bitmap_rank(b, some[i]) == i);
        }
        ia_bitmap_andnot(again, b);
        FUZZ_CHECK(ia_bitmap_count(again) == 0);
    }
    ia_bitmap_free(b);
    ia_bitmap_free(again);
    ia_bytes_dispose(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;

    fuzz_begin(&r);
    if (size > 0 && data[0] == 'a')
        try_arrow(&r, data + 1, size - 1);
    else if (size > 0)
        try_bitmap(&r, data + 1, size - 1);
    fuzz_end(&r);
    return 0;
}
