/* dataset_take.c - rows by address, in any order, grouped by fragment and file. */
#include "arrow/compute.h"
#include "table/table_priv.h"

#include <stdlib.h>

typedef struct wanted {
    uint64_t addr;
    size_t at; /* position in the request */
} wanted;

static int cmp_wanted(const void *a, const void *b)
{
    const wanted *x = a, *y = b;
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

typedef struct taker {
    ia_dataset *ds;
    ia_columns columns;
    wanted *want;      /* ascending by address */
    uint32_t *offsets; /* distinct offsets of the current fragment */
    int64_t *where;    /* request position -> row of the joined parts */
    ia_array ***parts; /* per fragment group: columns.n arrays */
    size_t n, n_parts, cap_parts;
    int64_t rows; /* distinct rows so far */
} taker;

static void taker_dispose(taker *t)
{
    for (size_t i = 0; i < t->n_parts; i++) {
        for (size_t k = 0; k < t->columns.n; k++)
            ia_array_release(t->parts[i][k]);
        ia_free(t->parts[i]);
    }
    ia_free(t->parts);
    ia_free(t->want);
    ia_free(t->offsets);
    ia_free(t->where);
    ia_columns_dispose(&t->columns);
}

static ia_status fragment_of(ia_ctx *cx, const ia_dataset *ds, uint64_t addr,
                             const ia_fragment **out)
{
    *out = ia_manifest_fragment(ds->m, ia_addr_fragment(addr));
    if (!*out || ia_addr_offset(addr) >= (*out)->physical_rows)
        return ia_fail(cx, IA_ERR_NOT_FOUND,
                       "version %llu of %s has no row at fragment %u, offset %u",
                       (unsigned long long)ds->m->version, ds->dir, ia_addr_fragment(addr),
                       ia_addr_offset(addr));
    return IA_OK;
}

/* Takes the run of wanted rows [from, *to) that lie in one fragment. */
static ia_status take_group(ia_ctx *cx, taker *t, size_t from, size_t *to)
{
    const uint32_t id = ia_addr_fragment(t->want[from].addr);
    const ia_fragment *f = NULL;
    ia_fragcols fc = {0};
    size_t n = 0, i;
    ia_status st;

    IA_GO(IA_GROW(cx, t->parts, t->cap_parts, t->n_parts + 1));
    IA_GO(IA_NEW_ARRAY(cx, t->parts[t->n_parts], t->columns.n));
    t->n_parts++;
    for (i = from; i < t->n && ia_addr_fragment(t->want[i].addr) == id; i++) {
        if (i == from || t->want[i].addr != t->want[i - 1].addr) {
            IA_GO(fragment_of(cx, t->ds, t->want[i].addr, &f));
            t->offsets[n++] = ia_addr_offset(t->want[i].addr);
        }
        t->where[t->want[i].at] = t->rows + (int64_t)n - 1;
    }
    *to = i;
    t->rows += (int64_t)n;
    IA_GO(ia_fragcols_open(cx, t->ds, f, &t->columns, &fc));
    IA_GO(ia_fragcols_take(cx, t->ds, &fc, t->offsets, n, t->parts[t->n_parts - 1]));
done:
    ia_fragcols_close(t->ds, &fc);
    return st;
}

/* Column k of all parts, in request order. */
static ia_status join_column(ia_ctx *cx, taker *t, size_t k, bool in_order, ia_array **out)
{
    ia_array **parts = NULL, *joined = NULL;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, parts, t->n_parts));
    for (size_t i = 0; i < t->n_parts; i++)
        parts[i] = t->parts[i][k];
    IA_GO(ia_concat_arrays(cx, parts, t->n_parts, &joined));
    if (in_order) {
        *out = joined;
        joined = NULL;
    } else {
        IA_GO(ia_take_array(cx, joined, t->where, (int64_t)t->n, out));
    }
done:
    ia_array_release(joined);
    ia_free(parts);
    return st;
}

static ia_status finish(ia_ctx *cx, taker *t, ia_batch **out)
{
    ia_schema *schema = NULL;
    ia_array **cols = NULL;
    bool in_order = t->rows == (int64_t)t->n;
    ia_status st;

    for (size_t i = 0; i < t->n && in_order; i++)
        in_order = t->where[i] == (int64_t)i;
    IA_GO(ia_columns_schema(cx, &t->columns, &schema));
    IA_GO(IA_NEW_ARRAY(cx, cols, t->columns.n));
    for (size_t k = 0; k < t->columns.n; k++) {
        if (t->n == 0)
            IA_GO(ia_array_nulls(cx, schema->fields[k].type, 0, &cols[k]));
        else
            IA_GO(join_column(cx, t, k, in_order, &cols[k]));
    }
    st = ia_batch_make(cx, schema, (int64_t)t->n, cols, out);
    ia_free(cols);
    cols = NULL;
done:
    for (size_t k = 0; cols && k < t->columns.n; k++)
        ia_array_release(cols[k]);
    ia_free(cols);
    ia_schema_release(schema);
    return st;
}

ia_status ia_dataset_take(ia_ctx *cx, ia_dataset *ds, const uint64_t *addrs, size_t n,
                          const char *const *columns, size_t n_columns, ia_batch **out)
{
    taker t = {.ds = ds, .n = n};
    ia_status st;

    *out = NULL;
    IA_GO(ia_columns_resolve(cx, ds, columns, n_columns, &t.columns));
    IA_GO(IA_NEW_ARRAY(cx, t.want, n));
    IA_GO(IA_NEW_ARRAY(cx, t.offsets, n));
    IA_GO(IA_NEW_ARRAY(cx, t.where, n));
    for (size_t i = 0; i < n; i++)
        t.want[i] = (wanted){addrs[i], i};
    if (n > 1)
        qsort(t.want, n, sizeof *t.want, cmp_wanted);
    for (size_t i = 0; i < n;) {
        IA_GO(ia_check(cx, i, n));
        IA_GO(take_group(cx, &t, i, &i));
    }
    IA_GO(finish(cx, &t, out));
done:
    taker_dispose(&t);
    return st;
}
