/* fuzz_file.c - reads arbitrary bytes as a Lance file: whole scan, part of it, scattered rows. */
#include <stdio.h>
#include <stdlib.h>

#include "file/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t count_leaves(const ia_type *t)
{
    size_t n = 0;

    if (t->id != IA_TYPE_STRUCT && t->id != IA_TYPE_LIST && t->id != IA_TYPE_LARGE_LIST)
        return 1;
    for (size_t i = 0; i < t->n_children; i++)
        n += count_leaves(t->children[i].type);
    return n;
}

static void check_array(ia_ctx *cx, ia_array *a)
{
    if (a && ia_array_validate(cx, a, IA_VALIDATE_SIZES) != IA_OK) {
        fprintf(stderr, "bad array: %s\n", cx->err.text);
        abort();
    }
    ia_array_release(a);
}

static void read_column(ia_ctx *cx, ia_file *f, const ia_file_column *col)
{
    uint64_t rows = ia_file_rows(f), n = 0;
    ia_file_scan *s = NULL;
    ia_array *a = NULL;
    uint32_t take[3] = {0, (uint32_t)(rows / 2), (uint32_t)(rows - 1)};

    for (uint64_t begin = 0; begin <= rows / 3; begin += rows / 3 + 1) {
        if (ia_file_scan_open(cx, f, col, 1, begin, rows, begin ? 77 : 0, &s) != IA_OK)
            continue;
        do {
            if (ia_file_scan_next(cx, s, &a, &n) != IA_OK)
                break;
            check_array(cx, a);
        } while (n);
        ia_file_scan_close(s);
    }
    if (rows >= 3 && ia_file_take(cx, f, col, 1, take, 3, &a) == IA_OK)
        check_array(cx, a);
}

static void read_columns(ia_ctx *cx, ia_file *f, const ia_schema *s)
{
    int32_t leaves[64];
    int32_t next = 0;

    for (size_t i = 0; i < s->n_fields; i++) {
        ia_file_column col = {.field = &s->fields[i], .n_leaves = count_leaves(s->fields[i].type)};

        if (col.n_leaves > 64)
            return;
        for (size_t k = 0; k < col.n_leaves; k++)
            leaves[k] = next++;
        col.leaf_columns = leaves;
        read_column(cx, f, &col);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ia_budget *budget = ia_budget_new(NULL, 96u << 20);
    ia_objstore *os = NULL;
    ia_schema *s = NULL;
    ia_file *f = NULL;
    ia_ctx cx;

    ia_ctx_init(&cx, budget);
    if (ia_objstore_memory(&cx, true, &os) == IA_OK &&
        ia_objstore_put(&cx, os, "/f.lance", data, size, 0) == IA_OK &&
        ia_file_open(&cx, os, "/f.lance", 0, &f) == IA_OK && ia_file_rows(f) < 50000 &&
        ia_lschema_to_arrow(&cx, ia_file_lschema(f), &s) == IA_OK)
        read_columns(&cx, f, s);
    ia_schema_release(s);
    ia_file_close(f);
    ia_objstore_close(os);
    if (ia_budget_used(budget) != 0)
        abort();
    ia_budget_drop(budget);
    return 0;
}
