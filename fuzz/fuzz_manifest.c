/* fuzz_manifest.c - a manifest file: read, written, bound to real data files, scanned, changed. */

/* An input that ends like a manifest file is one; any other is the message inside, framed here. */
#include "fuzz_table.h"

#include "table/txn.h"

static void check_wire(fuzz_run *r, const ia_manifest *m)
{
    ia_manifest *again = NULL, *copy = NULL;
    ia_bytes first = {0}, second = {0}, third = {0};

    if (fuzz_must(r, ia_manifest_encode(&r->cx, m, m->transaction.data, m->transaction.len, &first),
                  "a manifest is written:") &&
        fuzz_must(r, ia_manifest_decode(&r->cx, first.data, first.len, "m", &again), "and read:") &&
        fuzz_must(r,
                  ia_manifest_encode(&r->cx, again, again->transaction.data, again->transaction.len,
                                     &second),
                  "and written again:") &&
        fuzz_must(r, ia_manifest_copy(&r->cx, m, &copy), "a manifest is copied:") &&
        fuzz_must(r,
                  ia_manifest_encode(&r->cx, copy, m->transaction.data, m->transaction.len, &third),
                  "and the copy written:")) {
        FUZZ_CHECK(fuzz_same(&first, &second));
        FUZZ_CHECK(fuzz_same(&first, &third));
    }
    ia_manifest_release(again);
    ia_manifest_release(copy);
    ia_bytes_dispose(&first);
    ia_bytes_dispose(&second);
    ia_bytes_dispose(&third);
}

static void take_some(fuzz_run *r, ia_dataset *ds)
{
    const ia_manifest *m = ds->m;
    static const char *const columns[] = {IA_COL_ROWID, IA_COL_ROWADDR, IA_COL_CREATED,
                                          IA_COL_UPDATED};
    uint64_t addrs[8];
    size_t n = 0;
    ia_batch *b = NULL;
    bool found;

    for (size_t i = 0; i < m->n_fragments && n < 8; i++) {
        if (m->fragments[i].physical_rows > 0)
            addrs[n++] = m->fragments[i].id << 32;
    }
    if (fuzz_ok(r, ia_dataset_take(&r->cx, ds, addrs, n, NULL, 0, &b)))
        fuzz_touch_batch(r, b);
    ia_batch_release(b);
    b = NULL;
    if (fuzz_ok(r, ia_dataset_take(&r->cx, ds, addrs, n, columns, 4, &b)))
        fuzz_touch_batch(r, b);
    ia_batch_release(b);
    for (uint64_t id = 0; id < 4; id++)
        (void)fuzz_ok(r, ia_dataset_find_rowid(&r->cx, ds, id, &found, &addrs[0]));
}

static void read_rows(fuzz_run *r, ia_dataset *ds)
{
    static const char *const columns[] = {"i", IA_COL_ROWID, IA_COL_ROWADDR, IA_COL_CREATED,
                                          IA_COL_UPDATED};
    const ia_scan_options whole = {.batch_rows = 3}, some = {.columns = columns, .n_columns = 5},
                          dead = {.with_deleted = true, .limit = 9};
    const ia_scan_options *const ways[] = {&whole, &some, &dead};
    uint64_t count = 0;

    (void)fuzz_ok(r, ia_dataset_count(&r->cx, ds, NULL, &count));
    for (size_t i = 0; i < 3; i++) {
        ia_stream rows = {0};
        if (fuzz_ok(r, ia_dataset_scan(&r->cx, ds, ways[i], &rows)))
            (void)fuzz_ok(r, fuzz_drain(r, &rows));
    }
    take_some(r, ds);
}

/* Deletes row 0 of every fragment, as the next version. */
static void change(fuzz_run *r, ia_dataset *ds)
{
    const ia_apply_options opt = {.now_us = 1700000000000000};
    ia_txn t = {0};
    ia_manifest *next = NULL;
    ia_bytes file = {0}, txn = {0};
    ia_action *a;
    bool ok = fuzz_ok(r, ia_txn_init(&r->cx, &t, IA_TXN_DELETE, ds->m->version));

    for (size_t i = 0; ok && i < ds->m->n_fragments && i < 50; i++) {
        if (ds->m->fragments[i].physical_rows == 0)
            continue;
        ok = fuzz_ok(r, ia_txn_add(&r->cx, &t, IA_ACT_DELETE_ROWS, &a)) &&
             fuzz_ok(r, ia_bitmap_new(&r->cx, &a->rows));
        if (ok) {
            a->fragment_id = ds->m->fragments[i].id;
            ia_bitmap_add(a->rows, 0);
        }
    }
    if (ok && fuzz_ok(r, ia_txn_build(&r->cx, ds, &t, &opt, &next, &file, &txn))) {
        ia_manifest *back = NULL;
        FUZZ_CHECK(next->version == ds->m->version + 1);
        fuzz_must(r, ia_manifest_decode(&r->cx, file.data, file.len, "next", &back),
                  "the next version can be read:");
        ia_manifest_release(back);
    }
    ia_manifest_release(next);
    ia_bytes_dispose(&file);
    ia_bytes_dispose(&txn);
    ia_txn_dispose(&t);
}

/* Length, message, position of the length, format version, magic. */
static ia_status frame(ia_ctx *cx, const uint8_t *data, size_t size, ia_bytes *out)
{
    static const uint8_t end[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 'L', 'A', 'N', 'C'};
    uint8_t len[4];
    ia_buf b = {0};
    ia_status st;

    if (size >= sizeof end && memcmp(data + size - 4, end + 12, 4) == 0)
        return ia_bytes_copy(cx, data, size, out);
    ia_put_le32(len, (uint32_t)size);
    ia_buf_put(cx, &b, len, sizeof len);
    ia_buf_put(cx, &b, data, size);
    ia_buf_put(cx, &b, end, sizeof end);
    st = ia_buf_finish(&b, out);
    ia_buf_dispose(&b);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    ia_objstore *os = NULL;
    ia_manifest *m = NULL;
    ia_dataset *ds = NULL;
    ia_bytes file = {0};

    (void)fuzz_table_manifest();
    fuzz_begin(&r);
    fuzz_cancel_after(&r, 0.4);
    if (fuzz_must(&r, frame(&r.cx, data, size, &file), "a frame:") &&
        fuzz_ok(&r, ia_manifest_decode(&r.cx, file.data, file.len, "m", &m))) {
        check_wire(&r, m);
        fuzz_table_store(&r, &os);
        if (fuzz_ok(&r, ia_dataset_bind(&r.cx, os, FUZZ_TABLE, m->branch, m, &ds))) {
            read_rows(&r, ds);
            change(&r, ds);
        }
        ia_dataset_release(ds);
        ia_objstore_close(os);
    }
    ia_manifest_release(m);
    ia_bytes_dispose(&file);
    fuzz_end(&r);
    return 0;
}
