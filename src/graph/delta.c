/* delta.c - rows that differ between two images of one table, without reading payload. */
#include "graph/delta.h"

/* A row of a common fragment (same files) is the same row in both images unless a deletion vector
 * says otherwise: physical identity proves equality. What remains are rows deleted in one image and
 * rows of fragments that only one image has; their ids, one narrow column, are read and paired. */

#define ID_CHUNK 16384u /* addresses a take */

void ia_delta_dispose(ia_delta *d)
{
    ia_bytemap_dispose(&d->ids);
    ia_free(d->rows);
    *d = (ia_delta){0};
}

/* ---- pairing by id ------------------------------------------------------------------------- */

typedef struct pairing {
    ia_delta *d;
    bool is_new; /* rows now being noted belong to the new image */
    const char *dir;
} pairing;

static ia_status note_row(ia_ctx *cx, const pairing *p, ia_view id, uint64_t addr)
{
    bool added;
    size_t at;

    IA_TRY(ia_bytemap_put(cx, &p->d->ids, id.data, id.len, &at, &added));
    if (added) {
        IA_TRY(IA_GROW(cx, p->d->rows, p->d->cap, at + 1));
        p->d->rows[at] = (ia_delta_row){IA_NO_ROW, IA_NO_ROW};
    }
    uint64_t *slot = p->is_new ? &p->d->rows[at].new_addr : &p->d->rows[at].old_addr;
    if (*slot != IA_NO_ROW)
        return ia_fail(cx, IA_ERR_CORRUPT, "%s: id '%.*s' is live twice", p->dir,
                       (int)(id.len > 200 ? 200 : id.len), id.data);
    *slot = addr;
    return IA_OK;
}

static ia_status note_batch(ia_ctx *cx, const pairing *p, const ia_batch *b, const uint64_t *addrs)
{
    const ia_array *id = ia_batch_col(b, "id"), *at = ia_batch_col(b, IA_COL_ROWADDR);

    for (int64_t i = 0; i < b->rows; i++)
        IA_TRY(note_row(cx, p, ia_array_str(id, i), addrs ? addrs[i] : ia_array_u64(at, i)));
    return IA_OK;
}

static ia_status note_scanned(ia_ctx *cx, void *arg, const ia_batch *b)
{
    return note_batch(cx, arg, b, NULL);
}

/* Live rows of whole fragments: one narrow scan. */
static ia_status note_fragments(ia_ctx *cx, pairing *p, ia_dataset *ds, const uint64_t *frags,
                                size_t n)
{
    static const char *const columns[] = {"id", IA_COL_ROWADDR};
    const ia_scan_options opt = {
        .columns = columns, .n_columns = 2, .fragments = frags, .n_fragments = n};

    return n ? ia_scan_each(cx, ds, &opt, note_scanned, p) : IA_OK;
}

/* Single offsets of one fragment. */
static ia_status note_offsets(ia_ctx *cx, const pairing *p, ia_dataset *ds, uint64_t frag,
                              const ia_bitmap *offsets)
{
    static const char *const columns[] = {"id"};
    uint32_t *off = NULL;
    uint64_t *addrs = NULL, from = 0;
    ia_batch *b = NULL;
    size_t n;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, off, ID_CHUNK));
    IA_GO(IA_NEW_ARRAY(cx, addrs, ID_CHUNK));
    while ((n = ia_bitmap_next(offsets, from, off, ID_CHUNK)) > 0) {
        for (size_t i = 0; i < n; i++)
            addrs[i] = ia_addr(frag, off[i]);
        IA_GO(ia_dataset_take(cx, ds, addrs, n, columns, 1, &b));
        IA_GO(note_batch(cx, p, b, addrs));
        ia_batch_release(b);
        b = NULL;
        from = (uint64_t)off[n - 1] + 1;
        IA_GO(ia_check(cx, 0, 0));
    }
done:
    ia_batch_release(b);
    ia_free(off);
    ia_free(addrs);
    return st;
}

/* ---- physical comparison ------------------------------------------------------------------- */

ia_status ia_fragmap_build(ia_ctx *cx, const ia_manifest *m, ia_bytemap *out)
{
    for (size_t i = 0; i < m->n_fragments; i++) {
        const ia_fragment *f = &m->fragments[i];
        bool added;
        size_t at;
        if (f->n_files == 0)
            continue;
        IA_TRY(ia_bytemap_put(cx, out, f->files[0].path, strlen(f->files[0].path), &at, &added));
        if (!added)
            return ia_fail(cx, IA_ERR_CORRUPT, "fragments %llu and %llu share the data file %s",
                           (unsigned long long)m->fragments[ia_bytemap_get(out, at)].id,
                           (unsigned long long)f->id, f->files[0].path);
        *ia_bytemap_value(out, at) = i;
    }
    return IA_OK;
}

const ia_fragment *ia_fragmap_find(const ia_bytemap *map, const ia_manifest *m,
                                   const ia_fragment *like)
{
    size_t at;

    if (like->n_files == 0 ||
        !ia_bytemap_find(map, like->files[0].path, strlen(like->files[0].path), &at))
        return NULL;
    const ia_fragment *f = &m->fragments[ia_bytemap_get(map, at)];
    return ia_fragment_same_files(f, like) ? f : NULL;
}

/* Deletion files are named after the fragment and a random number, and never change. */
bool ia_fragment_same_deletions(const ia_fragment *a, const ia_fragment *b)
{
    if (!a->has_deletion || !b->has_deletion)
        return a->has_deletion == b->has_deletion;
    return a->id == b->id && a->deletion.id == b->deletion.id &&
           a->deletion.read_version == b->deletion.read_version &&
           a->deletion.file_type == b->deletion.file_type &&
           a->deletion.num_deleted == b->deletion.num_deleted;
}

/* a - b of two deletion vectors, NULL reading as empty. */
static ia_status minus(ia_ctx *cx, const ia_bitmap *a, const ia_bitmap *b, ia_bitmap **out)
{
    *out = NULL;
    IA_TRY(ia_bitmap_copy(cx, a, out));
    if (b)
        ia_bitmap_andnot(*out, b);
    return IA_OK;
}

/* Rows of `ds` that `other` does not have physically. */
static ia_status one_side(ia_ctx *cx, pairing *p, ia_dataset *ds, ia_dataset *other,
                          size_t *n_common)
{
    ia_bytemap map = {0};
    ia_bitmap *only = NULL;
    const ia_bitmap *here, *there;
    uint64_t *whole = NULL;
    size_t n_whole = 0;
    ia_status st;

    IA_GO(ia_fragmap_build(cx, other->m, &map));
    IA_GO(IA_NEW_ARRAY(cx, whole, ds->m->n_fragments + 1));
    for (size_t i = 0; i < ds->m->n_fragments; i++) {
        const ia_fragment *f = &ds->m->fragments[i], *same = ia_fragmap_find(&map, other->m, f);
        if (!same) {
            whole[n_whole++] = f->id;
            continue;
        }
        ++*n_common;
        if (!same->has_deletion || ia_fragment_same_deletions(f, same))
            continue;
        IA_GO(ia_dataset_deletions(cx, ds, f, &here));
        IA_GO(ia_dataset_deletions(cx, other, same, &there));
        IA_GO(minus(cx, there, here, &only));
        if (ia_bitmap_count(only) > 0)
            IA_GO(note_offsets(cx, p, ds, f->id, only));
        ia_bitmap_free(only);
        only = NULL;
    }
    IA_GO(note_fragments(cx, p, ds, whole, n_whole));
done:
    ia_bitmap_free(only);
    ia_bytemap_dispose(&map);
    ia_free(whole);
    return st;
}

ia_status ia_delta_compute(ia_ctx *cx, ia_dataset *old_image, ia_dataset *new_image, ia_delta *out)
{
    pairing p = {.d = out, .dir = old_image->dir};
    size_t common = 0;
    ia_status st;

    *out = (ia_delta){0};
    IA_GO(one_side(cx, &p, old_image, new_image, &common));
    out->walked = common == 0 && old_image->m->n_fragments > 0 && new_image->m->n_fragments > 0;
    p.is_new = true;
    p.dir = new_image->dir;
    IA_GO(one_side(cx, &p, new_image, old_image, &common));
done:
    if (st != IA_OK)
        ia_delta_dispose(out);
    return st;
}

/* ---- equality by value --------------------------------------------------------------------- */

ia_status ia_rows_equal(ia_ctx *cx, const ia_batch *a, int64_t i, const ia_batch *b, int64_t j,
                        bool *equal)
{
    *equal = false;
    if (a->schema->n_fields != b->schema->n_fields)
        return ia_fail(cx, IA_ERR_INVALID,
                       "the two images have %zu and %zu columns: their schemas must agree",
                       a->schema->n_fields, b->schema->n_fields);
    for (size_t k = 0; k < a->schema->n_fields; k++) {
        const ia_array *other = ia_batch_col(b, a->schema->fields[k].name);
        if (!other || !ia_type_equal(a->cols[k]->type, other->type))
            return ia_fail(cx, IA_ERR_INVALID,
                           "column '%s' differs between the two images: their schemas must agree",
                           a->schema->fields[k].name);
        if (!ia_value_equal(a->cols[k], i, other, j))
            return IA_OK;
    }
    *equal = true;
    return IA_OK;
}

#define CHUNK_BYTES (4u << 20)

/* Bytes that a row of the fragment takes on disk; tiny files say more about themselves. */
static uint64_t row_on_disk(const ia_fragment *f)
{
    uint64_t width = 0;

    for (size_t k = 0; k < f->n_files && f->physical_rows >= 64 && width < CHUNK_BYTES; k++) {
        const uint64_t bytes = f->files[k].size / f->physical_rows;
        width += bytes < CHUNK_BYTES ? bytes : CHUNK_BYTES;
    }
    return width;
}

/* The width of a row: what the types say, or what the widest fragment takes on disk. */
size_t ia_rows_chunk(const ia_manifest *m)
{
    uint64_t width = 1;

    for (size_t k = 0; k < m->arrow->n_fields; k++) {
        const uint32_t bits = ia_type_bits(m->arrow->fields[k].type);
        width += bits ? bits / 8 + 1 : 64;
    }
    for (size_t i = 0; i < m->n_fragments; i++) {
        const uint64_t on_disk = row_on_disk(&m->fragments[i]);
        width = on_disk > width ? on_disk : width;
    }
    const uint64_t rows = CHUNK_BYTES / width;
    return rows < 16 ? 16 : rows > 8192 ? 8192 : (size_t)rows;
}

ia_status ia_rows_take(ia_ctx *cx, ia_dataset *ds, const uint64_t *addrs, size_t *n,
                       const char *const *columns, size_t n_columns, ia_batch **out)
{
    for (;; *n = (*n + 1) / 2) {
        const ia_status st = ia_dataset_take(cx, ds, addrs, *n, columns, n_columns, out);
        if (st != IA_ERR_OVER_BUDGET || *n <= 1)
            return st;
        ia_ctx_clear(cx);
    }
}

typedef struct equal_chunk {
    size_t *entry; /* numbers of the rows gathered */
    uint64_t *old_addr, *new_addr;
    size_t n;
} equal_chunk;

/* Compares the first rows of the chunk, as many as there is room for; *n = how many. */
static ia_status drop_some(ia_ctx *cx, ia_delta *d, ia_dataset *old_image, ia_dataset *new_image,
                           const equal_chunk *c, size_t from, size_t *n)
{
    ia_batch *a = NULL, *b = NULL;
    ia_status st;

    IA_GO(ia_rows_take(cx, old_image, c->old_addr + from, n, NULL, 0, &a));
    IA_GO(ia_rows_take(cx, new_image, c->new_addr + from, n, NULL, 0, &b));
    for (size_t i = 0; i < *n; i++) {
        bool equal;
        IA_GO(ia_rows_equal(cx, a, (int64_t)i, b, (int64_t)i, &equal));
        if (equal)
            d->rows[c->entry[from + i]] = (ia_delta_row){IA_NO_ROW, IA_NO_ROW};
    }
    st = ia_check(cx, 0, 0);
done:
    ia_batch_release(a);
    ia_batch_release(b);
    return st;
}

static ia_status drop_chunk(ia_ctx *cx, ia_delta *d, ia_dataset *old_image, ia_dataset *new_image,
                            equal_chunk *c)
{
    for (size_t from = 0; from < c->n;) {
        size_t n = c->n - from;
        IA_TRY(drop_some(cx, d, old_image, new_image, c, from, &n));
        from += n;
    }
    c->n = 0;
    return IA_OK;
}

ia_status ia_delta_drop_equal(ia_ctx *cx, ia_delta *d, ia_dataset *old_image, ia_dataset *new_image)
{
    const size_t cap = ia_rows_chunk(new_image->m);
    equal_chunk c = {0};
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, c.entry, cap));
    IA_GO(IA_NEW_ARRAY(cx, c.old_addr, cap));
    IA_GO(IA_NEW_ARRAY(cx, c.new_addr, cap));
    for (size_t i = 0; i < d->ids.n; i++) {
        if (d->rows[i].old_addr == IA_NO_ROW || d->rows[i].new_addr == IA_NO_ROW)
            continue;
        c.entry[c.n] = i;
        c.old_addr[c.n] = d->rows[i].old_addr;
        c.new_addr[c.n++] = d->rows[i].new_addr;
        if (c.n == cap)
            IA_GO(drop_chunk(cx, d, old_image, new_image, &c));
    }
    IA_GO(drop_chunk(cx, d, old_image, new_image, &c));
done:
    ia_free(c.entry);
    ia_free(c.old_addr);
    ia_free(c.new_addr);
    return st;
}
