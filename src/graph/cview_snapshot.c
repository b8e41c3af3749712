/* cview_snapshot.c - the committed state as the evaluator asks for it: scans of narrow columns of a snapshot. */
#include "graph/validate_priv.h"

/* Each probe is one scan of the columns it needs; what is kept is sized by what was asked, not by the table. */
typedef struct ia_vscan {
    ia_stream stream;
    bool empty;      /* nothing is stored; the stream is not open */
} ia_vscan;

static ia_status scan_open(ia_ctx *cx, const ia_cview *v, size_t type, bool raw, const char *const *cols, size_t n,
                           ia_vscan *out)
{
    ia_snapshot *s = v->self;
    const ia_tchange *t = ia_changeset_find(v->emptied, type);
    const ia_entry *e = ia_snapshot_entry(s, type);
    ia_dataset *ds;

    memset(out, 0, sizeof *out);
    out->empty = !e || e->rows == 0 || (!raw && t && t->overwritten);
    if (out->empty)
        return IA_OK;
    IA_TRY(ia_snapshot_table(cx, s, type, &ds));
    const ia_scan_options opt = {.columns = cols, .n_columns = n};
    return ia_dataset_scan(cx, ds, &opt, &out->stream);
}

/* The next batch; *out NULL at the end. */
static ia_status scan_next(ia_ctx *cx, ia_vscan *s, ia_batch **out)
{
    *out = NULL;
    if (s->empty)
        return IA_OK;
    IA_TRY(ia_check(cx, 0, 0));
    return ia_stream_next(cx, &s->stream, out);
}

static void scan_close(ia_vscan *s)
{
    if (!s->empty)
        ia_stream_dispose(&s->stream);
}

static ia_status has_ids(ia_ctx *cx, ia_cview *v, size_t type, const ia_bytemap *ids, ia_bitmap *present)
{
    static const char *const cols[] = {"id"};
    ia_vscan s;
    ia_batch *b = NULL;
    ia_status st;

    IA_GO(scan_open(cx, v, type, false, cols, 1, &s));
    for (;;) {
        IA_GO(scan_next(cx, &s, &b));
        if (!b)
            break;
        const ia_array *a = ia_batch_col(b, "id");
        for (int64_t i = 0; i < b->rows; i++) {
            const ia_view id = ia_array_str(a, i);
            size_t at;
            if (ia_bytemap_find(ids, id.data, id.len, &at))
                ia_bitmap_add(present, (uint32_t)at);
        }
        ia_batch_release(b);
        b = NULL;
    }
done:
    ia_batch_release(b);
    scan_close(&s);
    return st;
}

typedef struct ia_vtuples {
    const ia_type_def *type;
    const int *cols;
    size_t n_cols;
    const ia_bytemap *tuples;
    ia_status (*sink)(ia_ctx *, void *, ia_view, size_t);
    void *arg;
    ia_buf key;
} ia_vtuples;

/* A stored value that cannot be keyed (a foreign NaN) equals no value of the change. */
static ia_status match_tuples(ia_ctx *cx, ia_vtuples *m, const ia_batch *b)
{
    const ia_array *ids = ia_batch_col(b, "id");

    for (int64_t i = 0; i < b->rows; i++) {
        bool has_null;
        size_t at;
        ia_status st = ia_tuple_key(cx, b, i, m->type, m->cols, m->n_cols, &m->key, &has_null);
        if (st == IA_ERR_CONSTRAINT) {
            ia_ctx_clear(cx);
            continue;
        }
        if (st != IA_OK)
            return st;
        if (!has_null && ia_bytemap_find(m->tuples, m->key.data, m->key.len, &at))
            IA_TRY(m->sink(cx, m->arg, ia_array_str(ids, i), at));
    }
    return IA_OK;
}

static ia_status by_tuple(ia_ctx *cx, ia_cview *v, size_t type, const int *cols, size_t n_cols,
                          const ia_bytemap *tuples, ia_status (*sink)(ia_ctx *, void *, ia_view, size_t), void *arg)
{
    const ia_type_def *def = ((ia_snapshot *)v->self)->cat->types[type];
    ia_vtuples m = {def, cols, n_cols, tuples, sink, arg, {0}};
    const char **names = NULL;
    ia_vscan s = {.empty = true};
    ia_batch *b = NULL;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, names, n_cols + 1));
    names[0] = "id";
    for (size_t i = 0; i < n_cols; i++)
        names[i + 1] = ia_prop_name(def, cols[i]);
    IA_GO(scan_open(cx, v, type, false, names, n_cols + 1, &s));
    for (;;) {
        IA_GO(scan_next(cx, &s, &b));
        if (!b)
            break;
        IA_GO(match_tuples(cx, &m, b));
        ia_batch_release(b);
        b = NULL;
    }
done:
    ia_batch_release(b);
    scan_close(&s);
    ia_buf_dispose(&m.key);
    ia_free(names);
    return st;
}

/* Edges whose column `by` ("id", "src", "dst") is among `keys`. */
static ia_status edges_by(ia_ctx *cx, const ia_cview *v, size_t type, bool raw, const char *by, const ia_bytemap *keys,
                          ia_status (*sink)(ia_ctx *, void *, ia_view, ia_view, ia_view), void *arg)
{
    static const char *const cols[] = {"id", "src", "dst"};
    ia_vscan s;
    ia_batch *b = NULL;
    ia_status st;

    IA_GO(scan_open(cx, v, type, raw, cols, 3, &s));
    for (;;) {
        IA_GO(scan_next(cx, &s, &b));
        if (!b)
            break;
        const ia_array *ids = ia_batch_col(b, "id"), *src = ia_batch_col(b, "src"), *dst = ia_batch_col(b, "dst");
        const ia_array *probe = ia_batch_col(b, by);
        for (int64_t i = 0; i < b->rows; i++) {
            const ia_view key = ia_array_str(probe, i);
            if (ia_bytemap_find(keys, key.data, key.len, NULL))
                IA_GO(sink(cx, arg, ia_array_str(ids, i), ia_array_str(src, i), ia_array_str(dst, i)));
        }
        ia_batch_release(b);
        b = NULL;
    }
done:
    ia_batch_release(b);
    scan_close(&s);
    return st;
}

static ia_status edges_at(ia_ctx *cx, ia_cview *v, size_t type, int end, const ia_bytemap *node_ids,
                          ia_status (*sink)(ia_ctx *, void *, ia_view, ia_view, ia_view), void *arg)
{
    return edges_by(cx, v, type, false, end == 0 ? "src" : "dst", node_ids, sink, arg);
}

static ia_status edges_by_id(ia_ctx *cx, ia_cview *v, size_t type, const ia_bytemap *edge_ids,
                             ia_status (*sink)(ia_ctx *, void *, ia_view, ia_view, ia_view), void *arg)
{
    return edges_by(cx, v, type, true, "id", edge_ids, sink, arg);
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
