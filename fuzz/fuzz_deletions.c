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

/* A few hundred members, some in runs that touch the ends of containers. */
static bool make_other(fuzz_run *r, ia_bitmap **out)
{
    if (!fuzz_ok(r, ia_bitmap_new(&r->cx, out)))
        return false;
    ia_bitmap_add(*out, 5);
    ia_bitmap_add_range(*out, 65400, 65536);
    ia_bitmap_add_range(*out, 131071, 131080);
    ia_bitmap_add_range(*out, 0xFFFFFFF0u, (uint64_t)1 << 32);
    return true;
}

static void combine(fuzz_run *r, const ia_bitmap *b)
{
    ia_bitmap *other = NULL, *both = NULL, *less = NULL, *rest = NULL;
    ia_bytes text = {0};
    uint32_t values[256];
    uint64_t common = 0;

    if (make_other(r, &other) && fuzz_ok(r, ia_bitmap_copy(&r->cx, b, &both)) &&
        fuzz_ok(r, ia_bitmap_copy(&r->cx, b, &less)) &&
        fuzz_ok(r, ia_bitmap_copy(&r->cx, other, &rest))) {
        const uint64_t n = ia_bitmap_count(b);
        const size_t m = ia_bitmap_next(other, 0, values, 256);
        FUZZ_CHECK(m == ia_bitmap_count(other));
        for (size_t i = 0; i < m; i++)
            common += ia_bitmap_has(b, values[i]);
        ia_bitmap_or(both, other);
        ia_bitmap_andnot(less, other);
        ia_bitmap_andnot(rest, b);
        FUZZ_CHECK(ia_bitmap_count(both) == n + m - common);
        FUZZ_CHECK(ia_bitmap_count(less) == n - common);
        FUZZ_CHECK(ia_bitmap_count(rest) == m - common);
        FUZZ_CHECK(ia_bitmap_intersects(b, other) == (common > 0));
        (void)fuzz_ok(r, ia_bitmap_encode(&r->cx, both, &text));
    }
    ia_bytes_dispose(&text);
    ia_bitmap_free(other);
    ia_bitmap_free(both);
    ia_bitmap_free(less);
    ia_bitmap_free(rest);
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
        combine(r, b);
        combine(r, again);
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
