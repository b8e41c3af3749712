/* colscan.c - reads a set of columns of one fragment in row order, across its files. */
#include "table/colscan.h"

static void drop_chunk(ia_colpart *p, size_t n)
{
    for (size_t i = 0; p->chunk && i < n; i++) {
        ia_array_release(p->chunk[i]);
        p->chunk[i] = NULL;
    }
    p->rows = p->used = 0;
}

void ia_colscan_close(ia_colscan *s)
{
    for (size_t i = 0; s->parts && i < s->fc.n_sources; i++) {
        drop_chunk(&s->parts[i], s->fc.sources[i].n_cols);
        ia_free(s->parts[i].chunk);
        ia_file_scan_close(s->parts[i].scan);
    }
    ia_free(s->parts);
    if (s->ds)
        ia_fragcols_close(s->ds, &s->fc);
    memset(s, 0, sizeof *s);
}

ia_status ia_colscan_open(ia_ctx *cx, ia_dataset *ds, const ia_fragment *f, const ia_columns *c,
                          uint64_t begin, uint64_t end, uint32_t batch_rows, ia_colscan *out)
{
    ia_colscan s = {.ds = ds, .pos = begin, .end = end};
    ia_status st;

    memset(out, 0, sizeof *out);
    IA_GO(ia_fragcols_open(cx, ds, f, c, &s.fc));
    IA_GO(IA_NEW_ARRAY(cx, s.parts, s.fc.n_sources));
    for (size_t i = 0; i < s.fc.n_sources; i++) {
        const ia_fragsource *src = &s.fc.sources[i];
        IA_GO(IA_NEW_ARRAY(cx, s.parts[i].chunk, src->n_cols));
        IA_GO(ia_file_scan_open(cx, src->file, src->cols, src->n_cols, begin, end, batch_rows,
                                &s.parts[i].scan));
    }
    s.open = true;
    *out = s;
    memset(&s, 0, sizeof s);
done:
    ia_colscan_close(&s);
    return st;
}

/* Makes every file's chunk hold a row and lowers *rows to what all have. */
static ia_status refill(ia_ctx *cx, ia_colscan *s, uint64_t *rows)
{
    for (size_t i = 0; i < s->fc.n_sources; i++) {
        ia_colpart *p = &s->parts[i];
        if (p->used == p->rows) {
            uint64_t got = 0;
            drop_chunk(p, s->fc.sources[i].n_cols);
            IA_TRY(ia_file_scan_next(cx, p->scan, p->chunk, &got));
            if (got == 0)
                return ia_fail(cx, IA_ERR_CORRUPT, "file %s ends at row %llu",
                               s->fc.sources[i].path, (unsigned long long)s->pos);
            p->rows = got;
        }
        if (p->rows - p->used < *rows)
            *rows = p->rows - p->used;
    }
    return IA_OK;
}

static ia_status hand_out(ia_ctx *cx, const ia_fragsource *src, const ia_colpart *p, uint64_t rows,
                          ia_array **out)
{
    for (size_t i = 0; i < src->n_cols; i++) {
        if (p->used == 0 && rows == p->rows)
            out[src->slots[i]] = ia_array_retain(p->chunk[i]);
        else
            IA_TRY(ia_array_slice(cx, p->chunk[i], (int64_t)p->used, (int64_t)rows,
                                  &out[src->slots[i]]));
    }
    return IA_OK;
}

ia_status ia_colscan_next(ia_ctx *cx, ia_colscan *s, uint64_t max, ia_array **out, uint64_t *rows)
{
    const ia_columns *c = s->fc.columns;
    uint64_t n = s->end - s->pos < max ? s->end - s->pos : max;
    ia_status st = IA_OK;

    memset(out, 0, c->n * sizeof *out);
    *rows = 0;
    if (n == 0)
        return IA_OK;
    IA_GO(refill(cx, s, &n));
    for (size_t i = 0; i < s->fc.n_sources; i++)
        IA_GO(hand_out(cx, &s->fc.sources[i], &s->parts[i], n, out));
    for (size_t i = 0; i < c->n; i++) {
        if (out[i])
            continue;
        if (c->items[i].virt)
            IA_GO(ia_virtual_column(cx, s->ds, s->fc.frag, c->items[i].virt, s->pos, NULL,
                                    (size_t)n, &out[i]));
        else
            IA_GO(ia_array_nulls(cx, c->items[i].afield->type, (int64_t)n, &out[i]));
    }
    for (size_t i = 0; i < s->fc.n_sources; i++)
        s->parts[i].used += n;
    s->pos += n;
    *rows = n;
done:
    for (size_t i = 0; st != IA_OK && i < c->n; i++) {
        ia_array_release(out[i]);
        out[i] = NULL;
    }
    return st;
}

ia_status ia_colscan_skip(ia_ctx *cx, ia_colscan *s, uint64_t n)
{
    while (n > 0) {
        uint64_t part = n < s->end - s->pos ? n : s->end - s->pos;
        if (part == 0)
            return ia_fail(cx, IA_ERR_INTERNAL, "skip past the end of a fragment");
        IA_TRY(refill(cx, s, &part));
        for (size_t i = 0; i < s->fc.n_sources; i++)
            s->parts[i].used += part;
        s->pos += part;
        n -= part;
    }
    return IA_OK;
}
