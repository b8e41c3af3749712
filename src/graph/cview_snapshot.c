/* cview_snapshot.c - answers the evaluator's probes by scans of a snapshot. */
#include "graph/match_rows.h"
#include "graph/validate_priv.h"

/* Each probe is one scan of the columns it needs; what is kept is sized by what was asked, not by
 * the table. */
static ia_status scan(ia_ctx *cx, const ia_cview *v, size_t type, bool raw, const char *const *cols,
                      size_t n, ia_batch_fn fn, void *arg)
{
    ia_snapshot *s = v->self;
    const ia_tchange *t = ia_changeset_find(v->emptied, type);
    const ia_entry *e = ia_snapshot_entry(s, type);
    const ia_scan_options opt = {.columns = cols, .n_columns = n};
    ia_dataset *ds;

    if (!e || e->rows == 0 || (!raw && t && t->overwritten))
        return IA_OK;
    IA_TRY(ia_snapshot_table(cx, s, type, &ds));
    return ia_scan_each(cx, ds, &opt, fn, arg);
}

typedef struct ia_vids {
    const ia_bytemap *ids;
    ia_bitmap *present;
} ia_vids;

static ia_status match_ids(ia_ctx *cx, void *arg, const ia_batch *b)
{
    const ia_vids *m = arg;
    const ia_array *a = ia_batch_col(b, "id");

    (void)cx;
    for (int64_t i = 0; i < b->rows; i++) {
        const ia_view id = ia_array_str(a, i);
        size_t at;
        if (ia_bytemap_find(m->ids, id.data, id.len, &at))
            ia_bitmap_add(m->present, (uint32_t)at);
    }
    return IA_OK;
}

static ia_status has_ids(ia_ctx *cx, ia_cview *v, size_t type, const ia_bytemap *ids,
                         ia_bitmap *present)
{
    static const char *const cols[] = {"id"};
    ia_vids m = {ids, present};

    return scan(cx, v, type, false, cols, 1, match_ids, &m);
}

static ia_status by_tuple(ia_ctx *cx, ia_cview *v, size_t type, const int *cols, size_t n_cols,
                          const ia_bytemap *tuples,
                          ia_status (*sink)(ia_ctx *, void *, ia_view, size_t), void *arg)
{
    const ia_type_def *def = ((ia_snapshot *)v->self)->cat->types[type];
    ia_tuple_match m = {def, cols, n_cols, tuples, sink, arg, {0}};
    const char **names = NULL;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, names, n_cols + 1));
    names[0] = "id";
    for (size_t i = 0; i < n_cols; i++)
        names[i + 1] = ia_prop_name(def, cols[i]);
    IA_GO(scan(cx, v, type, false, names, n_cols + 1, ia_match_tuples, &m));
done:
    ia_buf_dispose(&m.key);
    ia_free(names);
    return st;
}

static ia_status edges_at(ia_ctx *cx, ia_cview *v, size_t type, int end, const ia_bytemap *node_ids,
                          ia_status (*sink)(ia_ctx *, void *, ia_view, ia_view, ia_view), void *arg)
{
    static const char *const cols[] = {"id", "src", "dst"};
    ia_edge_match m = {end == 0 ? "src" : "dst", node_ids, sink, arg};

    return scan(cx, v, type, false, cols, 3, ia_match_edges, &m);
}

static ia_status edges_by_id(ia_ctx *cx, ia_cview *v, size_t type, const ia_bytemap *edge_ids,
                             ia_status (*sink)(ia_ctx *, void *, ia_view, ia_view, ia_view),
                             void *arg)
{
    static const char *const cols[] = {"id", "src", "dst"};
    ia_edge_match m = {"id", edge_ids, sink, arg};

    return scan(cx, v, type, true, cols, 3, ia_match_edges, &m);
}

void ia_cview_snapshot(ia_cview *out, ia_snapshot *s, const ia_changeset *emptied)
{
    memset(out, 0, sizeof *out);
    out->self = s;
    out->emptied = emptied;
    out->has_ids = has_ids;
    out->by_tuple = by_tuple;
    out->edges_at = edges_at;
    out->edges_by_id = edges_by_id;
}
