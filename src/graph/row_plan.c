/* row_plan.c - coalesces rows by id, finds what they replace, writes them as new fragments. */
#include "graph/row_plan.h"

#include <stdlib.h>

#include "arrow/compute.h"

void ia_row_plan_dispose(ia_row_plan *p)
{
    for (size_t i = 0; i < p->n; i++)
        ia_batch_release(p->batches[i]);
    ia_free(p->batches);
    ia_bytemap_dispose(&p->ids);
    ia_free(p->at);
    memset(p, 0, sizeof *p);
}

ia_status ia_row_plan_add(ia_ctx *cx, ia_row_plan *p, const ia_batch *rows)
{
    const ia_array *ids = ia_batch_col(rows, "id");

    if (rows->rows > (int64_t)UINT32_MAX)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "a batch of %lld rows", (long long)rows->rows);
    IA_TRY(IA_GROW(cx, p->batches, p->cap, p->n + 1));
    IA_TRY(IA_GROW(cx, p->at, p->cap_at, p->ids.n + (size_t)rows->rows));
    for (int64_t r = 0; r < rows->rows; r++) {
        const ia_view id = ia_array_str(ids, r);
        bool added;
        size_t k;
        IA_TRY(ia_bytemap_put(cx, &p->ids, id.data, id.len, &k, &added));
        if (added)
            p->at[k] = (struct ia_row_at){IA_NO_ROW, IA_NO_ROW};
        *ia_bytemap_value(&p->ids, k) = (uint64_t)p->n << 32 | (uint64_t)r;
    }
    p->batches[p->n++] = ia_batch_retain(rows);
    return IA_OK;
}

/* ---- what is there already
 * ----------------------------------------------------------------------- */

static ia_status note_rows(ia_ctx *cx, void *arg, const ia_batch *b)
{
    ia_row_plan *p = arg;
    const ia_array *ids = ia_batch_col(b, "id");
    const ia_array *row_ids = ia_batch_col(b, IA_COL_ROWID),
                   *addrs = ia_batch_col(b, IA_COL_ROWADDR);

    (void)cx;
    for (int64_t i = 0; i < b->rows; i++) {
        const ia_view id = ia_array_str(ids, i);
        size_t k;
        if (ia_bytemap_find(&p->ids, id.data, id.len, &k))
            p->at[k] = (struct ia_row_at){ia_array_u64(row_ids, i), ia_array_u64(addrs, i)};
    }
    return IA_OK;
}

ia_status ia_row_plan_locate(ia_ctx *cx, ia_row_plan *p, ia_snapshot *s, size_t type)
{
    static const char *const cols[] = {"id", IA_COL_ROWID, IA_COL_ROWADDR};
    const ia_scan_options opt = {.columns = cols, .n_columns = 3};
    const ia_entry *e = ia_snapshot_entry(s, type);
    ia_dataset *ds;

    if (!e || e->rows == 0 || p->ids.n == 0)
        return IA_OK;
    IA_TRY(ia_snapshot_table(cx, s, type, &ds));
    return ia_scan_each(cx, ds, &opt, note_rows, p);
}

/* ---- writing
 * --------------------------------------------------------------------------------------- */

typedef struct row_out {
    const ia_row_plan *p;
    ia_fragwriter *w;
    const ia_schema *schema; /* of the table */
    bool overwrite;
    int64_t *idx; /* chosen rows of the batch at work, and the row id each keeps */
    uint64_t *keep;
    size_t cap_idx, cap_keep;
} row_out;

static bool find_row(const ia_row_plan *p, size_t batch, int64_t row, size_t *k)
{
    const ia_view id = ia_array_str(ia_batch_col(p->batches[batch], "id"), row);

    return ia_bytemap_find(&p->ids, id.data, id.len, k) &&
           ia_bytemap_get(&p->ids, *k) == ((uint64_t)batch << 32 | (uint64_t)row);
}

bool ia_row_plan_is_last(const ia_row_plan *p, size_t batch, int64_t row)
{
    size_t k;
    return find_row(p, batch, row, &k);
}

/* Columns in the table's order, by name. */
static ia_status align(ia_ctx *cx, const ia_batch *b, const ia_schema *s, ia_batch **out)
{
    int *cols = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW_ARRAY(cx, cols, s->n_fields));
    for (size_t i = 0; i < s->n_fields; i++) {
        cols[i] = ia_schema_find(b->schema, s->fields[i].name);
        if (cols[i] < 0 || !ia_type_equal(b->cols[cols[i]]->type, s->fields[i].type))
            IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "column %s of the table is not what the schema says",
                          s->fields[i].name));
    }
    IA_GO(ia_project_batch(cx, b, cols, s->n_fields, out));
done:
    ia_free(cols);
    return st;
}

static ia_status write_chosen(ia_ctx *cx, const row_out *o, const ia_batch *b, int64_t n, bool kept)
{
    ia_batch *rows = NULL, *aligned = NULL;
    ia_status st;

    if (n == b->rows)
        rows = ia_batch_retain(b);
    else
        IA_GO(ia_take_batch(cx, b, o->idx, n, &rows));
    IA_GO(align(cx, rows, o->schema, &aligned));
    IA_GO(ia_fragwriter_write(cx, o->w, aligned, kept ? o->keep : NULL));
done:
    ia_batch_release(rows);
    ia_batch_release(aligned);
    return st;
}

/* The rows of batch i that are last of their id and replace a committed row (kept) or do not. */
static ia_status write_batch(ia_ctx *cx, row_out *o, size_t i, bool kept)
{
    const ia_row_plan *p = o->p;
    const ia_batch *b = p->batches[i];
    int64_t n = 0;

    IA_TRY(IA_GROW(cx, o->idx, o->cap_idx, (size_t)b->rows));
    IA_TRY(IA_GROW(cx, o->keep, o->cap_keep, (size_t)b->rows));
    for (int64_t r = 0; r < b->rows; r++) {
        size_t k;
        if (!find_row(p, i, r, &k))
            continue;
        const bool replaces = !o->overwrite && p->at[k].addr != IA_NO_ROW;
        if (replaces != kept)
            continue;
        o->keep[n] = p->at[k].row_id;
        o->idx[n++] = r;
    }
    IA_TRY(ia_check(cx, 0, 0));
    return n > 0 ? write_chosen(cx, o, b, n, kept) : IA_OK;
}

static size_t count_replaced(const ia_row_plan *p)
{
    size_t n = 0;
    for (size_t k = 0; k < p->ids.n; k++)
        n += p->at[k].addr != IA_NO_ROW;
    return n;
}

static ia_status remove_replaced(ia_ctx *cx, const ia_row_plan *p, size_t n, ia_twrite *t)
{
    uint64_t *addrs = NULL;
    size_t used = 0;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, addrs, n));
    for (size_t k = 0; k < p->ids.n; k++)
        if (p->at[k].addr != IA_NO_ROW)
            addrs[used++] = p->at[k].addr;
    IA_GO(ia_twrite_remove(cx, t, addrs, used));
done:
    ia_free(addrs);
    return st;
}

static ia_status open_writer(ia_ctx *cx, ia_write *w, size_t type, row_out *o, const char **dir)
{
    const char **narrow = NULL;
    size_t n_narrow;
    ia_dataset *ds;
    uint32_t minor;
    ia_status st;

    IA_GO(ia_snapshot_table(cx, w->head, type, &ds));
    IA_GO(ia_manifest_minor(cx, ds->m, &minor));
    IA_GO(ia_write_tree(cx, w, type, dir));
    IA_GO(ia_type_narrow(cx, w->head->cat->types[type], &narrow, &n_narrow));
    const ia_fragwriter_options opt = {.put_flags = ia_graph_put_flags(w->g),
                                       .minor = minor,
                                       .key_columns = narrow,
                                       .n_key_columns = n_narrow};
    o->schema = ds->m->arrow;
    IA_GO(ia_fragwriter_open(cx, w->g->os, *dir, &ds->m->schema, ds->m->arrow, &opt, &o->w));
done:
    ia_free(narrow);
    return st;
}

ia_status ia_row_plan_write(ia_ctx *cx, ia_row_plan *p, ia_write *w, size_t type, bool overwrite)
{
    row_out o = {.p = p, .overwrite = overwrite};
    const size_t replaced = overwrite ? 0 : count_replaced(p);
    const char *dir;
    ia_twrite *t;
    ia_status st;

    IA_GO(open_writer(cx, w, type, &o, &dir));
    for (size_t i = 0; i < p->n && replaced > 0; i++)
        IA_GO(write_batch(cx, &o, i, true));
    for (size_t i = 0; i < p->n; i++) {
        if (replaced < p->ids.n)
            IA_GO(write_batch(cx, &o, i, false));
        ia_batch_release(p->batches[i]);
        p->batches[i] = NULL;
    }
    p->n = 0;
    IA_GO(ia_write_table(cx, w, type, &t));
    t->overwrite = overwrite;
    t->form = overwrite ? IA_TXN_OVERWRITE : replaced > 0 ? IA_TXN_UPDATE : IA_TXN_APPEND;
    IA_GO(IA_SET(cx, t->added_dir, ia_strdup(cx, dir)));
    IA_GO(ia_fragwriter_finish(cx, o.w, &t->added, &t->n_added));
    if (replaced > 0)
        IA_GO(remove_replaced(cx, p, replaced, t));
done:
    ia_fragwriter_close(o.w);
    ia_free(o.idx);
    ia_free(o.keep);
    return st;
}

/* ---- removals
 * ---------------------------------------------------------------------------------------- */

static int u64_order(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

ia_status ia_twrite_remove(ia_ctx *cx, ia_twrite *t, uint64_t *addrs, size_t n)
{
    size_t fragments = 0;

    if (n == 0)
        return IA_OK;
    IA_ASSERT(t->n_removed == 0);
    qsort(addrs, n, sizeof *addrs, u64_order);
    for (size_t i = 0; i < n; i++)
        fragments += i == 0 || ia_addr_fragment(addrs[i]) != ia_addr_fragment(addrs[i - 1]);
    IA_TRY(IA_NEW_ARRAY(cx, t->removed, fragments));
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || ia_addr_fragment(addrs[i]) != ia_addr_fragment(addrs[i - 1])) {
            IA_TRY(ia_bitmap_new(cx, &t->removed[t->n_removed].offsets));
            t->removed[t->n_removed++].fragment = ia_addr_fragment(addrs[i]);
        }
        ia_bitmap_add(t->removed[t->n_removed - 1].offsets, ia_addr_offset(addrs[i]));
    }
    return IA_OK;
}
