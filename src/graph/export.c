/* export.c - a snapshot as JSON lines: edges first, types by name, rows by id. */
#include "arrow/render.h"
#include "graph/delta.h"
#include "graph/ops.h"

/* Rows are wanted in id order. A table that fits a share of the budget is read once and permuted in
 * memory; a larger one has its ids sorted and its rows taken in chunks. */

#define WHOLE_TABLE_MAX ((uint64_t)256 << 20)
#define FLUSH_BYTES ((size_t)1 << 20)

typedef struct exporting {
    ia_snapshot *s;
    ia_write_fn write;
    void *arg;
    ia_buf out;
} exporting;

static ia_status flush(ia_ctx *cx, exporting *x, size_t at_least)
{
    IA_TRY(ia_buf_status(&x->out));
    if (x->out.len < at_least || x->out.len == 0)
        return IA_OK;
    IA_TRY(x->write(cx, x->arg, x->out.data, x->out.len));
    ia_buf_clear(&x->out);
    return IA_OK;
}

/* ---- lines --------------------------------------------------------------------------------- */

static void put_text(ia_jsonw *w, const char *key, ia_view v)
{
    ia_jsonw_key(w, key);
    ia_jsonw_strn(w, v.data, v.len);
}

static ia_status put_line(ia_ctx *cx, exporting *x, const ia_type_def *def, const ia_batch *b,
                          int64_t row)
{
    ia_jsonw w;
    ia_bytes line = {0};
    ia_status st;

    ia_jsonw_init(&w, cx, 0);
    ia_jsonw_object(&w);
    put_text(&w, def->kind == IA_KIND_EDGE ? "edge" : "type", ia_view_of(def->name));
    if (def->kind == IA_KIND_EDGE) {
        put_text(&w, "from", ia_array_str(b->cols[1], row));
        put_text(&w, "to", ia_array_str(b->cols[2], row));
    }
    ia_jsonw_key(&w, "data");
    ia_jsonw_object(&w);
    put_text(&w, "id", ia_array_str(b->cols[0], row));
    for (size_t k = 0; k < def->n_properties; k++) {
        ia_jsonw_key(&w, def->properties[k].name);
        ia_value_json(cx, &w, b->cols[def->first_column + k], row, IA_RENDER_EXPORT);
    }
    ia_jsonw_end_object(&w);
    ia_jsonw_end_object(&w);
    IA_GO(ia_jsonw_finish(&w, &line));
    ia_buf_put(cx, &x->out, line.data, line.len);
    ia_buf_putc(cx, &x->out, '\n');
    IA_GO(flush(cx, x, FLUSH_BYTES));
done:
    ia_bytes_dispose(&line);
    ia_jsonw_dispose(&w);
    return st;
}

/* ---- rows in id order ---------------------------------------------------------------------- */

typedef struct id_list {
    ia_bytemap ids; /* id -> place (batch << 32 | row), or address */
    ia_batch **batches;
    size_t n, cap;
    uint64_t bytes;
    bool whole; /* batches hold every column */
} id_list;

static void id_list_dispose(id_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        ia_batch_release(l->batches[i]);
    ia_free(l->batches);
    ia_bytemap_dispose(&l->ids);
    *l = (id_list){0};
}

static ia_status note_rows(ia_ctx *cx, void *arg, const ia_batch *b)
{
    id_list *l = arg;
    const ia_array *addrs = l->whole ? NULL : b->cols[1];

    for (int64_t i = 0; i < b->rows; i++) {
        const ia_view id = ia_array_str(b->cols[0], i);
        size_t at;
        IA_TRY(ia_bytemap_put(cx, &l->ids, id.data, id.len, &at, NULL));
        *ia_bytemap_value(&l->ids, at) =
            addrs ? ia_array_u64(addrs, i) : (uint64_t)l->n << 32 | (uint64_t)i;
    }
    if (!l->whole)
        return IA_OK;
    IA_TRY(IA_GROW(cx, l->batches, l->cap, l->n + 1));
    l->batches[l->n++] = ia_batch_retain(b);
    l->bytes += ia_batch_bytes(b);
    return l->bytes > WHOLE_TABLE_MAX
               ? ia_fail(cx, IA_ERR_OVER_BUDGET, "the table is too large to permute")
               : IA_OK;
}

static ia_status export_whole(ia_ctx *cx, exporting *x, const ia_type_def *def, const id_list *l,
                              const size_t *order)
{
    for (size_t k = 0; k < l->ids.n; k++) {
        const uint64_t place = ia_bytemap_get(&l->ids, order[k]);
        IA_TRY(put_line(cx, x, def, l->batches[place >> 32], (int64_t)(place & UINT32_MAX)));
        if (k % 8192 == 0)
            IA_TRY(ia_check(cx, k, l->ids.n));
    }
    return IA_OK;
}

static ia_status export_taken(ia_ctx *cx, exporting *x, const ia_type_def *def, ia_dataset *ds,
                              const id_list *l, const size_t *order)
{
    const size_t chunk = ia_rows_chunk(ds->m);
    uint64_t *addrs = NULL;
    ia_batch *b = NULL;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, addrs, chunk));
    for (size_t k = 0; k < l->ids.n;) {
        size_t n = 0;
        for (; n < chunk && k < l->ids.n; n++, k++)
            addrs[n] = ia_bytemap_get(&l->ids, order[k]);
        IA_GO(ia_dataset_take(cx, ds, addrs, n, NULL, 0, &b));
        for (size_t i = 0; i < n; i++)
            IA_GO(put_line(cx, x, def, b, (int64_t)i));
        ia_batch_release(b);
        b = NULL;
        IA_GO(ia_check(cx, k, l->ids.n));
    }
done:
    ia_batch_release(b);
    ia_free(addrs);
    return st;
}

/* Rows with all columns when they fit, else ids and addresses. */
static ia_status collect(ia_ctx *cx, ia_dataset *ds, id_list *l)
{
    static const char *const narrow[] = {"id", IA_COL_ROWADDR};

    l->whole = true;
    const ia_status st = ia_scan_each(cx, ds, &(ia_scan_options){0}, note_rows, l);
    if (st != IA_ERR_OVER_BUDGET)
        return st;
    ia_ctx_clear(cx);
    id_list_dispose(l);
    return ia_scan_each(cx, ds, &(ia_scan_options){.columns = narrow, .n_columns = 2}, note_rows,
                        l);
}

static ia_status export_type(ia_ctx *cx, exporting *x, size_t type)
{
    const ia_type_def *def = x->s->cat->types[type];
    ia_dataset *ds;
    id_list l = {0};
    size_t *order = NULL;
    ia_status st;

    IA_GO(ia_snapshot_table(cx, x->s, type, &ds));
    IA_GO(collect(cx, ds, &l));
    IA_GO(ia_bytemap_sorted(cx, &l.ids, &order));
    IA_GO(l.whole ? export_whole(cx, x, def, &l, order) : export_taken(cx, x, def, ds, &l, order));
done:
    ia_free(order);
    id_list_dispose(&l);
    return st;
}

/* ---- which types --------------------------------------------------------------------------- */

static bool wanted(const char *name, const char *const *types, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ia_str_eq(name, types[i]))
            return true;
    return n == 0;
}

static ia_status check_names(ia_ctx *cx, const ia_catalog *cat, const char *const *types, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!ia_catalog_node(cat, types[i]) && !ia_catalog_edge(cat, types[i]))
            return ia_fail(cx, IA_ERR_INVALID, "unknown export type '%s'", types[i]);
    return IA_OK;
}

ia_status ia_export(ia_ctx *cx, ia_snapshot *s, const char *const *types, size_t n_types,
                    ia_write_fn write, void *arg)
{
    exporting x = {.s = s, .write = write, .arg = arg};
    const ia_catalog *cat = s->cat;
    ia_status st;

    IA_GO(check_names(cx, cat, types, n_types));
    /* catalog order is nodes, then edges; the export's is the order of the type keys: edge:* before
     * node:* */
    for (size_t k = 0; k < cat->n_types; k++) {
        const size_t n_edges = cat->n_types - cat->n_nodes;
        const size_t type = k < n_edges ? cat->n_nodes + k : k - n_edges;
        if (wanted(cat->types[type]->name, types, n_types))
            IA_GO(export_type(cx, &x, type));
    }
    IA_GO(flush(cx, &x, 0));
done:
    ia_buf_dispose(&x.out);
    return st;
}
