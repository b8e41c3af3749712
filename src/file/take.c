/* take.c - rows by position: only the chunks that hold them are read. */
#include <inttypes.h>

#include "file/colread.h"

static ia_status take_leaf(ia_ctx *cx, ia_leaf *l, const uint32_t *offsets, size_t n,
                           ia_leafacc *acc)
{
    if (l->phys.kind != IA_PHYS_NULL && l->n_layers == 1)
        IA_TRY(ia_vals_reserve(cx, &acc->vals, n, 0));
    for (size_t i = 0; i < n;) {
        size_t k = i + 1;

        while (k < n && offsets[k] == offsets[k - 1] + 1)
            k++;
        l->take = offsets + k;
        l->n_take = n - k;
        IA_TRY(ia_leaf_read(cx, l, offsets[i], k - i, acc));
        i = k;
    }
    l->take = NULL;
    l->n_take = 0;
    return IA_OK;
}

static ia_status check_offsets(ia_ctx *cx, const ia_file *f, const uint32_t *offsets, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (offsets[i] >= f->rows || (i && offsets[i] <= offsets[i - 1]))
            return ia_fail(cx, IA_ERR_INTERNAL,
                           "file %s: offset %" PRIu32
                           " at place %zu is out of order or past row %" PRIu64,
                           f->io->path, offsets[i], i, f->rows);
    }
    return IA_OK;
}

static ia_status take_column(ia_ctx *cx, ia_file *f, const ia_file_column *col,
                             const uint32_t *offsets, size_t n, ia_array **out)
{
    ia_colread c = {0};
    ia_status st;

    IA_GO(ia_colread_open(cx, f, col, &c));
    IA_GO(ia_colread_start(cx, &c));
    for (size_t k = 0; k < c.n_leaves; k++) {
        if (c.leaves[k].present)
            IA_GO(take_leaf(cx, &c.leaves[k].leaf, offsets, n, &c.leaves[k].acc));
    }
    st = ia_colread_finish(cx, f, &c, n, out);
done:
    ia_colread_close(&c);
    return st;
}

ia_status ia_file_take(ia_ctx *cx, ia_file *f, const ia_file_column *cols, size_t n_cols,
                       const uint32_t *offsets, size_t n, ia_array **out)
{
    ia_status st;

    for (size_t i = 0; i < n_cols; i++)
        out[i] = NULL;
    st = check_offsets(cx, f, offsets, n);
    if (st == IA_OK)
        st = ia_check(cx, 0, 0);
    for (size_t i = 0; st == IA_OK && i < n_cols; i++)
        st = take_column(cx, f, &cols[i], offsets, n, &out[i]);
    if (st != IA_OK)
        ia_colread_drop(out, n_cols);
    return st;
}
