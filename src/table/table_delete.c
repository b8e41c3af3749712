/* table_delete.c - deletes the rows of a plain dataset that pass a filter. */
#include "table/table_priv.h"

#define REPLANS 10u /* plans anew when another writer touched the same rows */

/* Adds row `addr` to the txn; rows come in address order, so each fragment's are together. */
static ia_status add_row(ia_ctx *cx, ia_txn *t, uint64_t addr)
{
    ia_action *a = t->n_actions ? &t->actions[t->n_actions - 1] : NULL;

    if (!a || a->fragment_id != ia_addr_fragment(addr)) {
        IA_TRY(ia_txn_add(cx, t, IA_ACT_DELETE_ROWS, &a));
        a->fragment_id = ia_addr_fragment(addr);
        IA_TRY(ia_bitmap_new(cx, &a->rows));
    }
    ia_bitmap_add(a->rows, ia_addr_offset(addr));
    return IA_OK;
}

typedef struct planning {
    ia_txn *txn;
    uint64_t *n;
} planning;

static ia_status add_batch(ia_ctx *cx, void *arg, const ia_batch *b)
{
    const planning *p = arg;

    for (int64_t i = 0; i < b->rows; i++)
        IA_TRY(add_row(cx, p->txn, ia_array_u64(b->cols[0], i)));
    *p->n += (uint64_t)b->rows;
    return IA_OK;
}

static ia_status plan(ia_ctx *cx, ia_dataset *ds, const ia_expr *filter, ia_txn *t, uint64_t *n)
{
    static const char *const columns[] = {IA_COL_ROWADDR};
    const ia_scan_options opt = {.columns = columns, .n_columns = 1, .filter = filter};

    *n = 0;
    return ia_scan_each(cx, ds, &opt, add_batch, &(planning){t, n});
}

static ia_status delete_once(ia_ctx *cx, ia_dataset *ds, const ia_expr *filter, const char *text,
                             ia_durability d, uint64_t *deleted, ia_dataset **out)
{
    ia_txn t;
    ia_status st;

    if ((st = ia_txn_init(cx, &t, IA_TXN_DELETE, ds->m->version)) != IA_OK)
        return st;
    if (text)
        IA_GO(IA_SET(cx, t.predicate, ia_strdup(cx, text)));
    IA_GO(plan(cx, ds, filter, &t, deleted));
    IA_GO(ia_table_commit(cx, ds, &t, d, out));
done:
    ia_txn_dispose(&t);
    return st;
}

ia_status ia_table_delete(ia_ctx *cx, ia_dataset *ds, const ia_expr *filter, const char *text,
                          ia_durability d, uint64_t *deleted, ia_dataset **out)
{
    ia_dataset *on = ia_dataset_retain(ds);
    ia_status st = IA_OK;

    *out = NULL;
    for (unsigned i = 0; i < REPLANS; i++) {
        st = delete_once(cx, on, filter, text, d, deleted, out);
        if (st != IA_ERR_CONFLICT || i + 1 == REPLANS)
            break;
        ia_ctx_clear(cx);
        ia_dataset_release(on);
        on = NULL;
        st = ia_dataset_open(cx, ds->os, ds->root, ds->branch, 0, &on);
        if (st != IA_OK)
            break;
    }
    ia_dataset_release(on);
    return st;
}
