/* scan.c - sequential reading of rows of top-level columns in batches. */
#include <inttypes.h>

#include "file/scan_priv.h"

enum { DEFAULT_ROWS = 8192 };
#define BATCH_BYTES ((uint64_t)8 << 20)

/* Stored bytes of a row, for the size of batches. */
static uint64_t row_bytes(const ia_file *f, const ia_colread *c)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < c->n_leaves; i++) {
        const ia_leafread *r = &c->leaves[i];

        if (r->present && r->leaf.phys.kind == IA_PHYS_FIXED && r->leaf.n_layers == 1)
            sum += r->leaf.phys.value_bits / 8;
        else if (r->present && f->rows)
            sum += r->leaf.col->bytes / f->rows;
    }
    return sum;
}

void ia_file_scan_range(ia_file_scan *s, uint64_t row, uint64_t end)
{
    s->row = row;
    s->end = end;
    for (size_t i = 0; i < s->n_cols; i++) {
        for (size_t k = 0; k < s->cols[i].n_leaves; k++)
            s->cols[i].leaves[k].leaf.scan_end = end;
    }
}

ia_status ia_file_scan_open(ia_ctx *cx, ia_file *f, const ia_file_column *cols, size_t n_cols,
                            uint64_t begin, uint64_t end, uint32_t batch_rows, ia_file_scan **out)
{
    ia_file_scan *s = NULL;
    uint64_t wide = 1;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW(cx, s));
    s->f = f;
    s->cols_in = cols;
    if (begin > end || end > f->rows)
        IA_GO(ia_fail(cx, IA_ERR_INTERNAL, "file %s: rows %" PRIu64 " to %" PRIu64 " of %" PRIu64,
                      f->io->path, begin, end, f->rows));
    IA_GO(IA_NEW_ARRAY(cx, s->cols, n_cols ? n_cols : 1));
    s->n_cols = n_cols;
    for (size_t i = 0; i < n_cols; i++) {
        IA_GO(ia_colread_open(cx, f, &cols[i], &s->cols[i]));
        wide += row_bytes(f, &s->cols[i]);
    }
    ia_file_scan_range(s, begin, end);
    s->row_bytes = wide;
    s->batch = batch_rows ? batch_rows : DEFAULT_ROWS;
    if (s->batch > BATCH_BYTES / wide)
        s->batch = BATCH_BYTES / wide ? BATCH_BYTES / wide : 1;
    *out = s;
    s = NULL;
done:
    ia_file_scan_close(s);
    return st;
}

static ia_status read_batch(ia_ctx *cx, ia_file_scan *s, uint64_t n, ia_array **out)
{
    for (size_t i = 0; i < s->n_cols; i++) {
        ia_colread *c = &s->cols[i];

        IA_TRY(ia_colread_start(cx, c));
        for (size_t k = 0; k < c->n_leaves; k++) {
            if (c->leaves[k].present)
                IA_TRY(ia_leaf_read(cx, &c->leaves[k].leaf, s->row, n, &c->leaves[k].acc));
        }
        IA_TRY(ia_colread_finish(cx, s->f, c, n, &out[i]));
    }
    return IA_OK;
}

ia_status ia_file_scan_next(ia_ctx *cx, ia_file_scan *s, ia_array **out, uint64_t *rows)
{
    uint64_t n = s->end - s->row < s->batch ? s->end - s->row : s->batch;
    ia_status st;

    *rows = 0;
    for (size_t i = 0; i < s->n_cols; i++)
        out[i] = NULL;
    if (!n)
        return IA_OK;
    if (s->team)
        return ia_scan_team_next(cx, s, out, rows);
    IA_TRY(ia_check(cx, s->row, s->end));
    st = read_batch(cx, s, n, out);
    if (st != IA_OK) {
        ia_colread_drop(out, s->n_cols);
        return st;
    }
    s->row += n;
    *rows = n;
    return IA_OK;
}

void ia_file_scan_close(ia_file_scan *s)
{
    if (!s)
        return;
    ia_scan_team_close(s->team, s->n_cols);
    for (size_t i = 0; s->cols && i < s->n_cols; i++)
        ia_colread_close(&s->cols[i]);
    ia_free(s->cols);
    ia_free(s);
}
