/* rowid_index.c - row id to address over one manifest. */
/* The fragments' sequences are the index: they stay compressed. What is added is the interval of
 * ids of each fragment, sorted by its start, with the running maximum of the ends (so a lookup
 * visits only fragments whose interval holds the id), and a sorted order for the segments that are
 * plain arrays. An id may stand in several fragments; the one whose row is not deleted is the
 * answer. */
#include "table/table_priv.h"

#include <stdlib.h>

typedef struct sorted_array {
    const ia_segment *seg; /* borrowed from the manifest */
    uint32_t *order;       /* positions by ascending value */
} sorted_array;

typedef struct entry {
    uint64_t min, max;
    uint64_t reach;          /* largest max of this and all earlier entries */
    const ia_fragment *frag; /* borrowed from the manifest */
    size_t first_array;      /* sorted orders of its ARRAY segments start here */
} entry;

struct ia_rowid_index {
    ia_manifest *m; /* retained */
    entry *entries;
    size_t n;
    sorted_array *arrays;
    size_t n_arrays, cap_arrays;
};

void ia_rowid_index_free(ia_rowid_index *x)
{
    if (!x)
        return;
    for (size_t i = 0; i < x->n_arrays; i++)
        ia_free(x->arrays[i].order);
    ia_free(x->arrays);
    ia_free(x->entries);
    ia_manifest_release(x->m);
    ia_free(x);
}

static int cmp_entry(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->min != y->min)
        return x->min < y->min ? -1 : 1;
    return x->frag->id < y->frag->id ? -1 : x->frag->id > y->frag->id;
}

typedef struct id_at {
    uint64_t id;
    uint32_t at;
} id_at;

static int cmp_id_at(const void *a, const void *b)
{
    const id_at *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static ia_status add_array(ia_ctx *cx, ia_rowid_index *x, const ia_segment *s)
{
    id_at *pairs = NULL;
    uint32_t *order = NULL;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, pairs, s->n_values));
    IA_GO(IA_NEW_ARRAY(cx, order, s->n_values));
    for (size_t i = 0; i < s->n_values; i++)
        pairs[i] = (id_at){s->values[i], (uint32_t)i};
    qsort(pairs, s->n_values, sizeof *pairs, cmp_id_at);
    for (size_t i = 0; i < s->n_values; i++)
        order[i] = pairs[i].at;
    IA_GO(IA_GROW(cx, x->arrays, x->cap_arrays, x->n_arrays + 1));
    x->arrays[x->n_arrays++] = (sorted_array){s, order};
    order = NULL;
done:
    ia_free(order);
    ia_free(pairs);
    return st;
}

static ia_status add_fragment(ia_ctx *cx, ia_rowid_index *x, const ia_fragment *f)
{
    entry *e = &x->entries[x->n];
    if (f->row_ids.count != f->physical_rows)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "fragment %llu keeps its row ids in a separate file",
                       (unsigned long long)f->id);
    if (!ia_rowids_bounds(&f->row_ids, &e->min, &e->max))
        return IA_OK;
    e->frag = f;
    e->first_array = x->n_arrays;
    for (size_t i = 0; i < f->row_ids.n_segs; i++) {
        if (f->row_ids.segs[i].kind == IA_SEG_ARRAY)
            IA_TRY(add_array(cx, x, &f->row_ids.segs[i]));
    }
    x->n++;
    return IA_OK;
}

ia_status ia_rowid_index_new(ia_ctx *cx, const ia_manifest *m, ia_rowid_index **out)
{
    ia_rowid_index *x = NULL;
    uint64_t reach = 0;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW(cx, x));
    x->m = ia_manifest_retain(m);
    IA_GO(IA_NEW_ARRAY(cx, x->entries, m->n_fragments));
    for (size_t i = 0; i < m->n_fragments; i++)
        IA_GO(add_fragment(cx, x, &m->fragments[i]));
    if (x->n > 1)
        qsort(x->entries, x->n, sizeof *x->entries, cmp_entry);
    for (size_t i = 0; i < x->n; i++) {
        reach = x->entries[i].max > reach ? x->entries[i].max : reach;
        x->entries[i].reach = reach;
    }
    *out = x;
    x = NULL;
done:
    ia_rowid_index_free(x);
    return st;
}

static bool find_in_array(const sorted_array *a, uint64_t id, uint64_t *k)
{
    size_t lo = 0, hi = a->seg->n_values;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (a->seg->values[a->order[mid]] < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == a->seg->n_values || a->seg->values[a->order[lo]] != id)
        return false;
    *k = a->order[lo];
    return true;
}

/* The live occurrence of id in one fragment. */
static ia_status find_in_fragment(ia_ctx *cx, const ia_rowid_index *x, ia_dataset *ds,
                                  const entry *e, uint64_t id, bool *found, uint64_t *addr)
{
    const ia_rowids *r = &e->frag->row_ids;
    size_t array = e->first_array;
    uint64_t before = 0, k;
    for (size_t i = 0; i < r->n_segs; i++) {
        const bool is_array = r->segs[i].kind == IA_SEG_ARRAY;
        const bool hit = is_array ? find_in_array(&x->arrays[array], id, &k)
                                  : ia_segment_find(&r->segs[i], id, &k);
        array += is_array;
        if (hit) {
            const ia_bitmap *dv;
            IA_TRY(ia_dataset_deletions(cx, ds, e->frag, &dv));
            if (!ia_bitmap_has(dv, (uint32_t)(before + k))) {
                *found = true;
                *addr = ia_addr(e->frag->id, (uint32_t)(before + k));
                return IA_OK;
            }
        }
        before += r->segs[i].count;
    }
    return IA_OK;
}

ia_status ia_rowid_index_find(ia_ctx *cx, const ia_rowid_index *x, ia_dataset *ds, uint64_t id,
                              bool *found, uint64_t *addr)
{
    size_t lo = 0, hi = x->n;
    *found = false;
    while (lo < hi) { /* first entry that starts after id */
        const size_t mid = lo + (hi - lo) / 2;
        if (x->entries[mid].min <= id)
            lo = mid + 1;
        else
            hi = mid;
    }
    while (lo-- > 0 && x->entries[lo].reach >= id && !*found) {
        if (x->entries[lo].max >= id)
            IA_TRY(find_in_fragment(cx, x, ds, &x->entries[lo], id, found, addr));
    }
    return IA_OK;
}
