/* dataset_cache.c - what an open dataset keeps: deletion vectors, the row-id index. */
#include "table/table_priv.h"

ia_status ia_dataset_cache_new(ia_ctx *cx, ia_dataset_cache **out)
{
    ia_dataset_cache *c;
    *out = NULL;
    IA_TRY(IA_NEW(cx, c));
    if (pthread_mutex_init(&c->lock, NULL) != 0) {
        ia_free(c);
        return ia_fail(cx, IA_ERR_NO_MEMORY, "no room for the cache of a dataset");
    }
    *out = c;
    return IA_OK;
}

void ia_dataset_cache_free(ia_dataset_cache *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n_dvs; i++)
        ia_bitmap_free(c->dvs[i].bits);
    ia_free(c->dvs);
    ia_rowid_index_free(c->index);
    pthread_mutex_destroy(&c->lock);
    ia_free(c);
}

/* Index of the first entry with fragment >= id. Lock held. */
static size_t dv_slot(const ia_dataset_cache *c, uint64_t id)
{
    size_t lo = 0, hi = c->n_dvs;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (c->dvs[mid].fragment < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static const ia_bitmap *dv_find(ia_dataset_cache *c, uint64_t id)
{
    const ia_bitmap *found = NULL;
    size_t at;
    pthread_mutex_lock(&c->lock);
    at = dv_slot(c, id);
    if (at < c->n_dvs && c->dvs[at].fragment == id)
        found = c->dvs[at].bits;
    pthread_mutex_unlock(&c->lock);
    return found;
}

/* Adds *bits unless another thread did; *out is what the cache holds. Takes over bits. */
static ia_status dv_add(ia_ctx *cx, ia_dataset_cache *c, uint64_t id, ia_bitmap *bits,
                        const ia_bitmap **out)
{
    ia_status st = IA_OK;
    size_t at;
    pthread_mutex_lock(&c->lock);
    at = dv_slot(c, id);
    if (at < c->n_dvs && c->dvs[at].fragment == id) {
        *out = c->dvs[at].bits;
        ia_bitmap_free(bits);
    } else if ((st = IA_GROW(cx, c->dvs, c->cap_dvs, c->n_dvs + 1)) != IA_OK) {
        ia_bitmap_free(bits);
    } else {
        memmove(c->dvs + at + 1, c->dvs + at, (c->n_dvs - at) * sizeof *c->dvs);
        c->dvs[at] = (ia_dv_entry){id, bits};
        c->n_dvs++;
        *out = bits;
    }
    pthread_mutex_unlock(&c->lock);
    return st;
}

ia_status ia_dataset_deletions(ia_ctx *cx, ia_dataset *ds, const ia_fragment *f,
                               const ia_bitmap **out)
{
    ia_bitmap *bits;
    *out = NULL;
    if (!f->has_deletion)
        return IA_OK;
    *out = dv_find(ds->cache, f->id);
    if (*out)
        return IA_OK;
    IA_TRY(ia_deletions_read(cx, ds, f, &bits));
    return dv_add(cx, ds->cache, f->id, bits, out);
}

ia_status ia_dataset_file_get(ia_ctx *cx, ia_dataset *ds, const ia_datafile *f, ia_file **out,
                              char **path)
{
    ia_status st;

    *out = NULL;
    *path = NULL;
    IA_GO(ia_dataset_data_path(cx, ds, f, path));
    *out = ia_file_pool_take(ds->files, *path, f->size);
    if (!*out)
        IA_GO(ia_file_open(cx, ds->os, *path, f->size, out));
done:
    if (st != IA_OK) {
        ia_free(*path);
        *path = NULL;
    }
    return st;
}

void ia_dataset_file_put(ia_dataset *ds, ia_file *f, char *path, uint64_t size)
{
    if (f && path) {
        ia_file_pool_put(ds->files, f, path, size);
        return;
    }
    ia_file_close(f);
    ia_free(path);
}

static ia_status index_get(ia_ctx *cx, ia_dataset *ds, const ia_rowid_index **out)
{
    ia_dataset_cache *c = ds->cache;
    ia_rowid_index *built = NULL;
    ia_status st = IA_OK;

    pthread_mutex_lock(&c->lock);
    *out = c->index;
    pthread_mutex_unlock(&c->lock);
    if (*out)
        return IA_OK;
    st = ia_rowid_index_new(cx, ds->m, &built);
    if (st != IA_OK)
        return st;
    pthread_mutex_lock(&c->lock);
    if (!c->index) {
        c->index = built;
        built = NULL;
    }
    *out = c->index;
    pthread_mutex_unlock(&c->lock);
    ia_rowid_index_free(built);
    return IA_OK;
}

static ia_status find_address(ia_ctx *cx, ia_dataset *ds, uint64_t row_id, bool *found,
                              uint64_t *addr)
{
    const ia_fragment *f = ia_manifest_fragment(ds->m, ia_addr_fragment(row_id));
    const ia_bitmap *dv;
    if (!f || ia_addr_offset(row_id) >= f->physical_rows)
        return IA_OK;
    IA_TRY(ia_dataset_deletions(cx, ds, f, &dv));
    *found = !ia_bitmap_has(dv, ia_addr_offset(row_id));
    *addr = row_id;
    return IA_OK;
}

ia_status ia_dataset_find_rowid(ia_ctx *cx, ia_dataset *ds, uint64_t row_id, bool *found,
                                uint64_t *addr)
{
    const ia_rowid_index *x;
    *found = false;
    *addr = 0;
    if (!ds->m->stable_row_ids)
        return find_address(cx, ds, row_id, found, addr);
    IA_TRY(index_get(cx, ds, &x));
    return ia_rowid_index_find(cx, x, ds, row_id, found, addr);
}
