/* mutate_delete.c - delete statements: rows found by predicate, incident edges with their nodes. */
#include "graph/mutate_priv.h"

typedef struct deleting {
    ia_mutation *m;
    ia_mut_type *t;          /* whose rows go */
    const ia_bytemap *nodes; /* cascade: removed node ids; NULL = every row that the scan gives */
    bool by_src, by_dst;
    uint64_t *count;
} deleting;

static bool incident(const deleting *d, const ia_batch *b, int64_t i)
{
    if (!d->nodes)
        return true;
    const ia_view src = ia_array_str(ia_batch_col(b, "src"), i),
                  dst = ia_array_str(ia_batch_col(b, "dst"), i);
    return (d->by_src && ia_bytemap_find(d->nodes, src.data, src.len, NULL)) ||
           (d->by_dst && ia_bytemap_find(d->nodes, dst.data, dst.len, NULL));
}

/* Each row counts once, however often it is reached. */
static ia_status note(ia_ctx *cx, void *arg, const ia_batch *b)
{
    deleting *d = arg;
    const ia_array *ids = ia_batch_col(b, "id"), *addrs = ia_batch_col(b, IA_COL_ROWADDR);

    for (int64_t i = 0; i < b->rows; i++) {
        const ia_view id = ia_array_str(ids, i);
        size_t at;
        bool added;
        if (!incident(d, b, i))
            continue;
        IA_TRY(ia_bytemap_put(cx, &d->t->deleted, id.data, id.len, &at, &added));
        *ia_bytemap_value(&d->t->deleted, at) = ia_array_u64(addrs, i);
        *d->count += added;
    }
    return IA_OK;
}

static ia_status cascade(ia_ctx *cx, ia_mutation *m, const ia_type_def *node, const ia_bytemap *ids)
{
    static const char *const columns[] = {"id", "src", "dst", IA_COL_ROWADDR};
    const ia_catalog *cat = m->w->head->cat;

    for (size_t i = cat->n_nodes; i < cat->n_types; i++) {
        const ia_type_def *edge = cat->types[i];
        const ia_entry *e = ia_snapshot_entry(m->w->head, i);
        deleting d = {.m = m,
                      .t = &m->types[i],
                      .nodes = ids,
                      .by_src = edge->from->type_id == node->type_id,
                      .by_dst = edge->to->type_id == node->type_id,
                      .count = &m->edges};
        ia_dataset *ds;
        if ((!d.by_src && !d.by_dst) || !e || e->rows == 0)
            continue;
        IA_TRY(ia_snapshot_table(cx, m->w->head, i, &ds));
        IA_TRY(
            ia_scan_each(cx, ds, &(ia_scan_options){.columns = columns, .n_columns = 4}, note, &d));
    }
    return IA_OK;
}

ia_status ia_mut_delete(ia_ctx *cx, ia_mutation *m, const ia_gq_statement *s)
{
    static const char *const columns[] = {"id", IA_COL_ROWADDR};
    const size_t type = ia_mut_type_index(m, s->type);
    const ia_entry *e = ia_snapshot_entry(m->w->head, type);
    const bool is_node = s->type->kind == IA_KIND_NODE;
    deleting d = {.m = m, .t = &m->types[type], .count = is_node ? &m->nodes : &m->edges};
    const size_t before = d.t->deleted.n;
    ia_expr *where;
    ia_dataset *ds;
    bool never;

    if (!e || e->rows == 0)
        return IA_OK;
    IA_TRY(ia_snapshot_table(cx, m->w->head, type, &ds));
    IA_TRY(ia_mut_predicate(cx, m, s, ds->m->arrow, &where, &never));
    if (never)
        return IA_OK;
    IA_TRY(ia_scan_each(
        cx, ds, &(ia_scan_options){.columns = columns, .n_columns = 2, .filter = where}, note, &d));
    return is_node && d.t->deleted.n > before ? cascade(cx, m, s->type, &d.t->deleted) : IA_OK;
}
