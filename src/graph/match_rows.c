/* match_rows.c - finds rows of the values, edges of the ids that a constraint view asks for. */
#include "graph/match_rows.h"

/* A stored value that cannot be keyed (a foreign NaN) equals no value of the change. */
ia_status ia_match_tuples(ia_ctx *cx, void *arg, const ia_batch *b)
{
    ia_tuple_match *m = arg;
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

ia_status ia_match_edges(ia_ctx *cx, void *arg, const ia_batch *b)
{
    const ia_edge_match *m = arg;
    const ia_array *ids = ia_batch_col(b, "id"), *src = ia_batch_col(b, "src"),
                   *dst = ia_batch_col(b, "dst");
    const ia_array *probe = ia_batch_col(b, m->by);

    for (int64_t i = 0; i < b->rows; i++) {
        const ia_view key = ia_array_str(probe, i);
        if (ia_bytemap_find(m->keys, key.data, key.len, NULL))
            IA_TRY(m->sink(cx, m->arg, ia_array_str(ids, i), ia_array_str(src, i),
                           ia_array_str(dst, i)));
    }
    return IA_OK;
}
