/* take_rows.c - rows by position: only the chunks that hold them are read. */
#include <inttypes.h>

#include "base/pool.h"
#include "file/colread.h"

/* Runs of adjacent rows; what follows lets reads be joined. */
static ia_status take_runs(ia_ctx *cx, ia_leaf *l, const uint32_t *rows, size_t n, ia_leafacc *acc)
{
    ia_status st = IA_OK;

    for (size_t i = 0, k; st == IA_OK && i < n; i = k) {
        for (k = i + 1; k < n && rows[k] == rows[k - 1] + 1;)
            k++;
        l->take = rows + k;
        l->n_take = n - k;
        st = ia_leaf_read(cx, l, rows[i], k - i, acc);
    }
    l->take = NULL;
    l->n_take = 0;
    return st;
}

/* Rows that all lie in page `page`. */
static ia_status take_page(ia_ctx *cx, ia_leaf *l, size_t page, const uint32_t *rows, size_t n,
                           ia_leafacc *acc)
{
    ia_status st = IA_OK;

    if (l->page != page)
        st = ia_leaf_open_page(cx, l, page);
    if (st == IA_OK && !ia_leaf_is_plain(l))
        return take_runs(cx, l, rows, n, acc);
    if (st == IA_OK && l->lay.kind == IA_LAYOUT_MINI && !l->lay.max_rep)
        st = ia_leaf_mini_take(cx, l, rows, n, acc);
    else if (st == IA_OK && l->lay.kind == IA_LAYOUT_ZIP && ia_leaf_zip_takes(l))
        st = ia_leaf_zip_take(cx, l, rows, n, acc);
    else if (st == IA_OK)
        return take_runs(cx, l, rows, n, acc);
    return st == IA_OK ? st
                       : ia_fail_prefix(cx, st, "file %s, column %" PRIu32 ", page %zu",
                                        l->f->io->path, l->column, page);
}

/* Pages count the file's rows: so not in format 2.0, nor below fixed-size lists of structs. */
static bool pages_are_rows(const ia_file *f, const ia_filecol *c)
{
    const ia_page *last = c->n_pages ? &c->pages[c->n_pages - 1] : NULL;

    return f->minor > 0 && last && last->first + last->rows == f->rows;
}

static ia_status take_leaf(ia_ctx *cx, ia_leafread *r, const uint32_t *rows, size_t n)
{
    const ia_filecol *c = r->leaf.col;
    ia_file *f = r->leaf.f;
    size_t page = 0;

    if (r->leaf.phys.kind != IA_PHYS_NULL && r->leaf.n_layers == 1)
        IA_TRY(ia_vals_reserve(cx, &r->acc.vals, n, 0));
    if (!pages_are_rows(f, c))
        return take_runs(cx, &r->leaf, rows, n, &r->acc);
    for (size_t i = 0, k; i < n; i = k) {
        ia_leafhold *h;
        ia_status st;

        while (rows[i] - c->pages[page].first >= c->pages[page].rows)
            page++;
        for (k = i + 1; k < n && rows[k] - c->pages[page].first < c->pages[page].rows;)
            k++;
        IA_TRY(ia_check(cx, 0, 0));
        IA_TRY(ia_leaf_take_out(cx, f, &r->spec, page, &h));
        st = take_page(cx, &h->leaf, page, rows + i, k - i, &r->acc);
        ia_leaf_give_back(cx, f, h, st == IA_OK);
        if (st != IA_OK)
            return st;
    }
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
            IA_GO(take_leaf(cx, &c.leaves[k], offsets, n));
    }
    st = ia_colread_finish(cx, f, &c, n, out);
done:
    ia_colread_close(&c);
    return st;
}

/* A run of the rows, all columns. */
typedef struct take_part {
    ia_file *f;
    const ia_file_column *cols;
    size_t n_cols;
    const uint32_t *offsets;
    size_t n;
    ia_array **out;
} take_part;

static ia_status read_part(ia_ctx *cx, void *arg)
{
    const take_part *p = arg;

    for (size_t i = 0; i < p->n_cols; i++)
        IA_TRY(take_column(cx, p->f, &p->cols[i], p->offsets, p->n, &p->out[i]));
    return IA_OK;
}

ia_status ia_file_take(ia_ctx *cx, ia_file *f, const ia_file_column *cols, size_t n_cols,
                       const uint32_t *offsets, size_t n, ia_array **out)
{
    take_part all = {f, cols, n_cols, offsets, n, out};
    ia_status st;

    for (size_t i = 0; i < n_cols; i++)
        out[i] = NULL;
    st = check_offsets(cx, f, offsets, n);
    if (st == IA_OK)
        st = ia_check(cx, 0, 0);
    if (st == IA_OK)
        st = read_part(cx, &all);
    if (st != IA_OK)
        ia_colread_drop(out, n_cols);
    return st;
}

/* ---- several threads ------------------------------------------------------------------------ */

/* Few rows are read faster than threads are woken. */
enum { ROWS_PER_THREAD = 512 };

/* Everything that opens lazily is opened here, before threads share it. */
static ia_status prepare(ia_ctx *cx, ia_file *f, const ia_file_column *cols, size_t n_cols,
                         uint32_t threads)
{
    for (size_t i = 0; i < n_cols; i++) {
        ia_colread c = {0};
        ia_status st = ia_colread_open(cx, f, &cols[i], &c);

        ia_colread_close(&c);
        if (st != IA_OK)
            return st;
    }
    if (f->pool && ia_pool_threads(f->pool) == threads)
        return IA_OK;
    ia_pool_free(f->pool);
    return ia_pool_new(cx, threads, &f->pool);
}

ia_status ia_file_take_parts(ia_ctx *cx, ia_file *f, const ia_file_column *cols, size_t n_cols,
                             const uint32_t *offsets, size_t n, uint32_t threads, ia_array **out,
                             size_t *sizes, size_t *parts)
{
    take_part part[IA_TAKE_PARTS];
    size_t k = threads < IA_TAKE_PARTS ? threads : IA_TAKE_PARTS;
    ia_status st;

    k = k < n / ROWS_PER_THREAD ? k : n / ROWS_PER_THREAD;
    *parts = 1;
    sizes[0] = n;
    if (k < 2)
        return ia_file_take(cx, f, cols, n_cols, offsets, n, out);
    memset(out, 0, k * n_cols * sizeof *out);
    IA_TRY(check_offsets(cx, f, offsets, n));
    IA_TRY(prepare(cx, f, cols, n_cols, (uint32_t)k));
    for (size_t i = 0, at = 0; i < k; at += sizes[i++]) {
        sizes[i] = (n - at) / (k - i);
        part[i] = (take_part){f, cols, n_cols, offsets + at, sizes[i], out + i * n_cols};
    }
    st = ia_pool_each(cx, f->pool, read_part, part, k, sizeof part[0]);
    if (st != IA_OK)
        ia_colread_drop(out, k * n_cols);
    *parts = k;
    return st;
}
