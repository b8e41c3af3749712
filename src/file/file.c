/* file.c - opens a Lance file: footer, descriptor, page tables of columns. */
#include "file/file.h"

#include <inttypes.h>

#include "base/pool.h"
#include "file/file_priv.h"
#include "file/leaf_cache.h"
#include "file/lschema_wire.h"

enum { FOOTER = 40, TAIL = 64 * 1024 };

typedef struct footer {
    uint64_t meta, cmo, gbo;
    uint32_t n_global, n_cols;
} footer;

static ia_status corrupt_at(ia_ctx *cx, const ia_file *f, uint64_t off, const char *what)
{
    return ia_fail(cx, IA_ERR_CORRUPT, "file %s of %" PRIu64 " bytes: %s at byte %" PRIu64,
                   f->io->path, f->size, what, off);
}

const uint8_t *ia_file_tail(const ia_file *f, uint64_t off, uint64_t len)
{
    if (off < f->tail_pos || off > f->size || len > f->size - off)
        return NULL;
    return f->tail->data + (off - f->tail_pos);
}

/* Bytes of the metadata area: from the tail, or read into *owned. */
static ia_status meta_bytes(ia_ctx *cx, ia_file *f, uint64_t off, uint64_t len, const char *what,
                            uint8_t **owned, const uint8_t **out)
{
    *owned = NULL;
    if (off > f->size || len > f->size - off)
        return corrupt_at(cx, f, off, what);
    *out = ia_file_tail(f, off, len);
    if (*out)
        return IA_OK;
    IA_TRY(IA_SET(cx, *owned, ia_alloc(cx, (size_t)len)));
    *out = *owned;
    return ia_objfile_read(cx, f->io, off, (size_t)len, *owned, IA_IO_META);
}

static ia_status read_tail(ia_ctx *cx, ia_file *f)
{
    uint8_t *p;
    size_t n;
    ia_status st;

    f->tail_pos = f->size > TAIL ? (f->size - TAIL) & ~(uint64_t)63 : 0;
    n = (size_t)(f->size - f->tail_pos);
    p = ia_alloc(cx, n);
    if (!p)
        return cx->err.code;
    st = ia_objfile_read(cx, f->io, f->tail_pos, n, p, IA_IO_META);
    if (st != IA_OK) {
        ia_free(p);
        return st;
    }
    return ia_buffer_own(cx, p, n, &f->tail);
}

static ia_status version_of(ia_ctx *cx, ia_file *f, uint32_t major, uint32_t minor)
{
    if ((major == 0 && minor == 3) || (major == 2 && minor == 0)) {
        f->major = 2;
        f->minor = 0;
        return IA_OK;
    }
    f->major = major;
    f->minor = minor;
    if (major == 2 && minor <= 3)
        return IA_OK;
    if (major == 0 && minor < 3)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "file %s is of the legacy format 0.1; versions 2.0 to 2.3 are read, so "
                       "rewrite it with an engine that still reads 0.1",
                       f->io->path);
    return ia_fail(cx, IA_ERR_UNSUPPORTED,
                   "file %s has Lance file version %" PRIu32 ".%" PRIu32
                   "; versions 2.0 to 2.3 are read",
                   f->io->path, major, minor);
}

static ia_status read_footer(ia_ctx *cx, ia_file *f, footer *ft)
{
    const uint8_t *p;

    if (f->size < FOOTER)
        return corrupt_at(cx, f, f->size, "no room for a footer");
    IA_TRY(read_tail(cx, f));
    p = f->tail->data + f->tail->size - FOOTER;
    if (memcmp(p + 36, "LANC", 4) != 0)
        return corrupt_at(cx, f, f->size - 4, "no Lance magic");
    IA_TRY(version_of(cx, f, ia_le16(p + 32), ia_le16(p + 34)));
    ft->meta = ia_le64(p);
    ft->cmo = ia_le64(p + 8);
    ft->gbo = ia_le64(p + 16);
    ft->n_global = ia_le32(p + 24);
    ft->n_cols = ia_le32(p + 28);
    if (!ft->n_global || ft->gbo > f->size - FOOTER ||
        (f->size - FOOTER - ft->gbo) / 16 < ft->n_global)
        return corrupt_at(cx, f, f->size - FOOTER, "bad global buffer table");
    if (ft->cmo > f->size - FOOTER || (f->size - FOOTER - ft->cmo) / 16 < ft->n_cols ||
        ft->meta > ft->cmo)
        return corrupt_at(cx, f, f->size - FOOTER, "bad column table");
    return IA_OK;
}

static ia_status decode_schema(ia_ctx *cx, ia_file *f, ia_wire *w)
{
    ia_lfield field = {0};
    ia_wire m;
    ia_status st = IA_OK;

    ia_wire_sub(w, &m);
    while (ia_wire_next(&m)) {
        if (m.number == 1) {
            ia_view v = ia_wire_view(&m);

            IA_GO(ia_lfield_decode(cx, (const uint8_t *)v.data, v.len, &field));
            IA_GO(ia_lschema_add(cx, &f->schema, &field));
        } else if (m.number == 5) {
            IA_GO(ia_wire_kv(cx, &m, &f->schema.metadata, &f->schema.n_metadata));
        }
    }
    if (m.bad)
        w->bad = true;
done:
    ia_lfield_dispose(&field);
    return st;
}

static ia_status read_descriptor(ia_ctx *cx, ia_file *f, const footer *ft)
{
    uint8_t *owned = NULL, *owned_table = NULL;
    const uint8_t *p;
    uint64_t off, len;
    ia_wire w;
    ia_status st;

    IA_GO(meta_bytes(cx, f, ft->gbo, 16, "bad global buffer table", &owned_table, &p));
    off = ia_le64(p);
    len = ia_le64(p + 8);
    IA_GO(meta_bytes(cx, f, off, len, "bad file descriptor", &owned, &p));
    ia_wire_init(&w, p, (size_t)len);
    while (ia_wire_next(&w)) {
        if (w.number == 1)
            IA_GO(decode_schema(cx, f, &w));
        else if (w.number == 2)
            f->rows = ia_wire_u64(&w);
    }
    IA_GO(ia_wire_done(cx, &w, "file descriptor"));
    if (f->rows > INT64_MAX / 2)
        IA_GO(corrupt_at(cx, f, off, "impossible number of rows"));
done:
    ia_free(owned);
    ia_free(owned_table);
    return st == IA_OK ? st : ia_fail_prefix(cx, st, "file %s", f->name);
}

static ia_status read_column_table(ia_ctx *cx, ia_file *f, const footer *ft)
{
    uint8_t *owned = NULL;
    const uint8_t *p;
    ia_status st;

    IA_GO(meta_bytes(cx, f, ft->cmo, (uint64_t)ft->n_cols * 16, "bad column table", &owned, &p));
    IA_GO(IA_NEW_ARRAY(cx, f->cols, ft->n_cols ? ft->n_cols : 1));
    f->n_cols = ft->n_cols;
    for (uint32_t i = 0; i < ft->n_cols; i++) {
        f->cols[i].meta_pos = ia_le64(p + (size_t)i * 16);
        f->cols[i].meta_len = ia_le64(p + (size_t)i * 16 + 8);
        if (f->cols[i].meta_pos > f->size || f->cols[i].meta_len > f->size - f->cols[i].meta_pos)
            IA_GO(corrupt_at(cx, f, ft->cmo + (uint64_t)i * 16, "bad column metadata position"));
    }
done:
    ia_free(owned);
    return st;
}

ia_status ia_file_open(ia_ctx *cx, ia_objstore *os, const char *path, uint64_t known_size,
                       ia_file **out)
{
    ia_file *f = NULL;
    footer ft = {0};
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW(cx, f));
    pthread_mutex_init(&f->idle.lock, NULL);
    IA_GO(ia_objstore_open(cx, os, path, &f->io));
    IA_GO(IA_SET(cx, f->name, ia_strdup(cx, ia_path_base(path))));
    f->size = f->io->size;
    if (known_size && known_size != f->size)
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "file %s has %" PRIu64 " bytes, its table says %" PRIu64,
                      path, f->size, known_size));
    IA_GO(read_footer(cx, f, &ft));
    IA_GO(read_descriptor(cx, f, &ft));
    IA_GO(read_column_table(cx, f, &ft));
    *out = f;
    f = NULL;
done:
    ia_file_close(f);
    return st;
}

void ia_file_close(ia_file *f)
{
    if (!f)
        return;
    ia_pool_free(f->pool);
    ia_leaf_cache_empty(f);
    pthread_mutex_destroy(&f->idle.lock);
    for (uint32_t i = 0; f->cols && i < f->n_cols; i++) {
        ia_free(f->cols[i].meta);
        ia_free(f->cols[i].pages);
        ia_free(f->cols[i].numbers);
    }
    ia_free(f->cols);
    ia_buffer_release(f->tail);
    ia_lschema_dispose(&f->schema);
    ia_objfile_close(f->io);
    ia_free(f->name);
    ia_free(f);
}

uint64_t ia_file_rows(const ia_file *f)
{
    return f->rows;
}

uint32_t ia_file_minor(const ia_file *f)
{
    return f->minor;
}

ia_status ia_file_read_blob(ia_ctx *cx, ia_file *f, uint64_t position, uint64_t size, uint8_t *out)
{
    if (position > f->size || size > f->size - position)
        return corrupt_at(cx, f, position, "a blob leaves the file");
    return size ? ia_objfile_read(cx, f->io, position, (size_t)size, out, IA_IO_PAYLOAD) : IA_OK;
}

uint32_t ia_file_columns(const ia_file *f)
{
    return f->n_cols;
}

const ia_lschema *ia_file_lschema(const ia_file *f)
{
    return &f->schema;
}

/* ---- page tables ---------------------------------------------------------------------------- */

typedef struct numbers {
    uint64_t *v;
    size_t n, cap;
} numbers;

/* Encoding {indirect 1, direct 2 {bytes 1}, none 3}. */
static ia_status read_encoding(ia_ctx *cx, ia_wire *w, ia_page *p)
{
    ia_wire e, d;

    ia_wire_sub(w, &e);
    while (ia_wire_next(&e)) {
        if (e.number == 1)
            return ia_fail(cx, IA_ERR_UNSUPPORTED, "page description stored indirectly");
        if (e.number != 2)
            continue;
        ia_wire_sub(&e, &d);
        while (ia_wire_next(&d)) {
            if (d.number == 1) {
                ia_view v = ia_wire_view(&d);

                p->desc = (const uint8_t *)v.data;
                p->desc_len = v.len;
            }
        }
        if (d.bad)
            e.bad = true;
    }
    if (e.bad)
        w->bad = true;
    return IA_OK;
}

/* The page's offsets go to numbers[start, start + n), its sizes behind them. */
static ia_status read_page(ia_ctx *cx, const ia_file *f, ia_wire *w, numbers *nums, ia_page *p)
{
    numbers sizes = {0};
    size_t start = nums->n;
    ia_wire m;
    ia_status st = IA_OK;

    ia_wire_sub(w, &m);
    while (ia_wire_next(&m)) {
        if (m.number == 1)
            IA_GO(ia_wire_u64s(cx, &m, &nums->v, &nums->n, &nums->cap));
        else if (m.number == 2)
            IA_GO(ia_wire_u64s(cx, &m, &sizes.v, &sizes.n, &sizes.cap));
        else if (m.number == 3)
            p->rows = ia_wire_u64(&m);
        else if (m.number == 4)
            IA_GO(read_encoding(cx, &m, p));
    }
    IA_GO(ia_wire_done(cx, &m, "page"));
    p->n_buffers = nums->n - start;
    if (sizes.n != p->n_buffers || !p->desc)
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "page with %zu buffer positions, %zu sizes%s",
                      p->n_buffers, sizes.n, p->desc ? "" : " and no description"));
    IA_GO(IA_GROW(cx, nums->v, nums->cap, nums->n + sizes.n));
    for (size_t i = 0; i < sizes.n; i++) {
        uint64_t off = nums->v[start + i];

        if (off > f->size || sizes.v[i] > f->size - off)
            IA_GO(ia_fail(cx, IA_ERR_CORRUPT,
                          "buffer %zu at byte %" PRIu64 " of %" PRIu64 " bytes leaves the file", i,
                          off, sizes.v[i]));
        nums->v[nums->n++] = sizes.v[i];
    }
done:
    ia_free(sizes.v);
    return st;
}

static ia_status read_pages(ia_ctx *cx, ia_file *f, ia_filecol *c, const uint8_t *meta)
{
    numbers nums = {0};
    size_t cap = 0, at = 0;
    uint64_t row = 0;
    ia_wire w;
    ia_status st = IA_OK;

    ia_wire_init(&w, meta, (size_t)c->meta_len);
    while (ia_wire_next(&w)) {
        ia_page *p;

        if (w.number != 2)
            continue;
        IA_GO(IA_GROW(cx, c->pages, cap, c->n_pages + 1));
        p = &c->pages[c->n_pages++];
        memset(p, 0, sizeof *p);
        IA_GO(read_page(cx, f, &w, &nums, p));
        p->first = row;
        if (!ia_add_u64(&row, row, p->rows))
            IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "impossible number of rows"));
    }
    IA_GO(ia_wire_done(cx, &w, "column metadata"));
    for (size_t i = 0; i < c->n_pages; i++) { /* the array no longer moves */
        ia_page *p = &c->pages[i];

        if (!p->n_buffers)
            continue;
        p->offsets = nums.v + at;
        p->sizes = p->offsets + p->n_buffers;
        at += 2 * p->n_buffers;
        for (size_t k = 0; k < p->n_buffers; k++)
            c->bytes = ia_add_u64(&c->bytes, c->bytes, p->sizes[k]) ? c->bytes : UINT64_MAX;
    }
    c->numbers = nums.v;
    nums.v = NULL;
done:
    ia_free(nums.v);
    return st;
}

/* At every load: another reader of the column may not have known what belongs there. */
static ia_status check_rows(ia_ctx *cx, const ia_file *f, const ia_filecol *c, uint32_t column,
                            uint64_t per_row)
{
    const ia_page *last = c->n_pages ? &c->pages[c->n_pages - 1] : NULL;
    const uint64_t rows = last ? last->first + last->rows : 0;

    if (!per_row || (rows % per_row == 0 && rows / per_row == f->rows))
        return IA_OK;
    return ia_fail(cx, IA_ERR_CORRUPT,
                   "file %s, column %" PRIu32 ": pages hold %" PRIu64
                   " rows, the file has %" PRIu64,
                   f->io->path, column, rows / per_row, f->rows);
}

ia_status ia_file_column_load(ia_ctx *cx, ia_file *f, uint32_t column, uint64_t per_row,
                              ia_filecol **out)
{
    ia_filecol *c;
    const uint8_t *meta;
    ia_status st;

    *out = NULL;
    if (column >= f->n_cols)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "file %s has %" PRIu32 " columns, column %" PRIu32 " is asked for",
                       f->io->path, f->n_cols, column);
    c = &f->cols[column];
    if (!c->loaded) {
        st = meta_bytes(cx, f, c->meta_pos, c->meta_len, "bad column metadata", &c->meta, &meta);
        if (st == IA_OK)
            st = read_pages(cx, f, c, meta);
        if (st != IA_OK) {
            ia_free(c->meta);
            ia_free(c->pages);
            c->meta = NULL;
            c->pages = NULL;
            c->n_pages = 0;
            c->bytes = 0;
            return ia_fail_prefix(cx, st, "file %s, column %" PRIu32, f->io->path, column);
        }
        c->loaded = true;
    }
    IA_TRY(check_rows(cx, f, c, column, per_row));
    *out = c;
    return IA_OK;
}
