/* fuzz_file.c - reads arbitrary bytes as a Lance file: whole scan, part of it, scattered rows. */
#include "fuzz.h"

#include "file/file.h"

enum { MOST_LEAVES = 64, MOST_ROWS = 50000 };

static size_t count_leaves(const ia_type *t)
{
    size_t n = 0;

    if (t->id != IA_TYPE_STRUCT && t->id != IA_TYPE_LIST && t->id != IA_TYPE_LARGE_LIST)
        return 1;
    for (size_t i = 0; i < t->n_children; i++)
        n += count_leaves(t->children[i].type);
    return n;
}

static void check_array(fuzz_run *r, ia_array *a, uint64_t rows)
{
    FUZZ_CHECK((uint64_t)a->length == rows);
    fuzz_must(r, ia_array_validate(&r->cx, a, IA_VALIDATE_SIZES), "what was read is sound:");
    fuzz_touch(r, a, 64);
    ia_array_release(a);
}

static void scan(fuzz_run *r, ia_file *f, const ia_file_column *col, uint64_t begin, uint32_t batch)
{
    uint64_t n = 0, seen = 0;
    ia_file_scan *s = NULL;
    ia_array *a = NULL;

    if (!fuzz_ok(r, ia_file_scan_open(&r->cx, f, col, 1, begin, ia_file_rows(f), batch, &s)))
        return;
    while (seen < MOST_ROWS && fuzz_ok(r, ia_file_scan_next(&r->cx, s, &a, &n)) && n > 0) {
        check_array(r, a, n);
        seen += n;
    }
    ia_file_scan_close(s);
}

static void take(fuzz_run *r, ia_file *f, const ia_file_column *col)
{
    const uint64_t rows = ia_file_rows(f) > UINT32_MAX ? UINT32_MAX : ia_file_rows(f);
    const uint32_t offsets[] = {0, (uint32_t)(rows / 2), (uint32_t)(rows - 1)};
    ia_array *a = NULL;

    if (rows >= 3 && fuzz_ok(r, ia_file_take(&r->cx, f, col, 1, offsets, 3, &a)))
        check_array(r, a, 3);
}

static void read_columns(fuzz_run *r, ia_file *f, const ia_schema *s)
{
    int32_t leaves[MOST_LEAVES];
    int32_t next = 0;

    for (size_t i = 0; i < s->n_fields; i++) {
        ia_file_column col = {.field = &s->fields[i], .n_leaves = count_leaves(s->fields[i].type)};
        const uint64_t third = ia_file_rows(f) / 3;

        if (col.n_leaves > MOST_LEAVES)
            return;
        for (size_t k = 0; k < col.n_leaves; k++)
            leaves[k] = next++;
        col.leaf_columns = leaves;
        scan(r, f, &col, 0, 0);
        if (third > 0)
            scan(r, f, &col, third + 1, 77);
        take(r, f, &col);
    }
}

/* Files may claim any number of rows, so long reads are cancelled. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    ia_objstore *os = NULL;
    ia_schema *s = NULL;
    ia_file *f = NULL;

    fuzz_begin(&r);
    fuzz_cancel_after(&r, 0.4);
    fuzz_must(&r, ia_objstore_memory(&r.cx, true, &os), "a store:");
    fuzz_must(&r, ia_objstore_put(&r.cx, os, "/f.lance", data, size, 0), "the file:");
    if (fuzz_ok(&r, ia_file_open(&r.cx, os, "/f.lance", 0, &f)) &&
        fuzz_ok(&r, ia_lschema_to_arrow(&r.cx, ia_file_lschema(f), &s)))
        read_columns(&r, f, s);
    ia_schema_release(s);
    ia_file_close(f);
    ia_objstore_close(os);
    fuzz_end(&r);
    return 0;
}
