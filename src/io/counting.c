/* counting.c - the decorator that counts requests, and bytes per class. */
#include "io/objstore.h"

typedef struct counting_store {
    ia_objstore base;
    ia_objstore *inner; /* not owned */
    _Atomic uint64_t read_bytes[IA_IO_CLASSES], write_bytes[IA_IO_CLASSES];
    _Atomic uint64_t reads, writes, lists, links, heads, removes;
} counting_store;

typedef struct counting_file {
    ia_objfile base;
    ia_objfile *inner; /* owned */
    counting_store *store;
} counting_file;

typedef struct counting_writer {
    ia_objwriter base;
    ia_objwriter *inner; /* owned */
    counting_store *store;
} counting_writer;

static void count(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static ia_objstore *inner_of(ia_objstore *os)
{
    return ((counting_store *)os)->inner;
}

/* ---- files --------------------------------------------------------------------------------- */

static ia_status file_read(ia_ctx *cx, ia_objfile *f, uint64_t off, size_t len, void *dst,
                           ia_io_class cls)
{
    counting_file *cf = (counting_file *)f;
    IA_TRY(ia_objfile_read(cx, cf->inner, off, len, dst, cls));
    count(&cf->store->reads, 1);
    count(&cf->store->read_bytes[cls], len);
    return IA_OK;
}

static void file_close(ia_objfile *f)
{
    ia_objfile_close(((counting_file *)f)->inner);
    ia_free(f);
}

static const ia_objfile_ops file_ops = {file_read, file_close};

static ia_status counting_open(ia_ctx *cx, ia_objstore *os, const char *path, ia_objfile **out)
{
    counting_file *f = NULL;
    ia_status st;

    IA_GO(IA_NEW(cx, f));
    IA_GO(ia_objstore_open(cx, inner_of(os), path, &f->inner));
    f->base = (ia_objfile){&file_ops, f->inner->path, f->inner->size};
    f->store = (counting_store *)os;
    *out = &f->base;
    f = NULL;
done:
    ia_free(f);
    return st;
}

/* ---- writers ------------------------------------------------------------------------------- */

static ia_status writer_write(ia_ctx *cx, ia_objwriter *w, const void *data, size_t len,
                              ia_io_class cls)
{
    counting_writer *cw = (counting_writer *)w;
    IA_TRY(ia_objwriter_write(cx, cw->inner, data, len, cls));
    count(&cw->store->write_bytes[cls], len);
    return IA_OK;
}

static ia_status writer_finish(ia_ctx *cx, ia_objwriter *w, uint32_t flags)
{
    counting_writer *cw = (counting_writer *)w;
    IA_TRY(ia_objwriter_finish(cx, cw->inner, flags));
    count(&cw->store->writes, 1);
    return IA_OK;
}

static void writer_close(ia_objwriter *w)
{
    ia_objwriter_close(((counting_writer *)w)->inner);
    ia_free(w);
}

static const ia_objwriter_ops writer_ops = {writer_write, writer_finish, writer_close};

static ia_status counting_create(ia_ctx *cx, ia_objstore *os, const char *path, ia_objwriter **out)
{
    counting_writer *w = NULL;
    ia_status st;

    IA_GO(IA_NEW(cx, w));
    IA_GO(ia_objstore_create(cx, inner_of(os), path, &w->inner));
    w->base = (ia_objwriter){&writer_ops, w->inner->path, 0};
    w->store = (counting_store *)os;
    *out = &w->base;
    w = NULL;
done:
    ia_free(w);
    return st;
}

/* ---- the rest ------------------------------------------------------------------------------ */

static ia_status counting_head(ia_ctx *cx, ia_objstore *os, const char *path, ia_objmeta *out)
{
    count(&((counting_store *)os)->heads, 1);
    return ia_objstore_head(cx, inner_of(os), path, out);
}

static ia_status counting_put(ia_ctx *cx, ia_objstore *os, const char *path, const void *data,
                              size_t len, uint32_t flags)
{
    counting_store *cs = (counting_store *)os;
    IA_TRY(ia_objstore_put(cx, cs->inner, path, data, len, flags));
    count(&cs->writes, 1);
    count(&cs->write_bytes[IA_IO_META], len);
    return IA_OK;
}

static ia_status counting_list(ia_ctx *cx, ia_objstore *os, const char *dir, const char *after,
                               size_t limit, ia_objlist *out)
{
    count(&((counting_store *)os)->lists, 1);
    return ia_objstore_list(cx, inner_of(os), dir, after, limit, out);
}

static ia_status counting_remove(ia_ctx *cx, ia_objstore *os, const char *path)
{
    IA_TRY(ia_objstore_remove(cx, inner_of(os), path));
    count(&((counting_store *)os)->removes, 1);
    return IA_OK;
}

static ia_status counting_link(ia_ctx *cx, ia_objstore *os, const char *from, const char *to)
{
    IA_TRY(ia_objstore_link(cx, inner_of(os), from, to));
    count(&((counting_store *)os)->links, 1);
    return IA_OK;
}

static ia_status counting_touch(ia_ctx *cx, ia_objstore *os, const char *path)
{
    return ia_objstore_touch(cx, inner_of(os), path);
}

static ia_status counting_sync(ia_ctx *cx, ia_objstore *os, const char *path)
{
    return ia_objstore_sync(cx, inner_of(os), path);
}

static void counting_close(ia_objstore *os)
{
    ia_free(os);
}

static const ia_objstore_ops counting_ops = {
    .open = counting_open,
    .head = counting_head,
    .put = counting_put,
    .create = counting_create,
    .list = counting_list,
    .remove = counting_remove,
    .link = counting_link,
    .touch = counting_touch,
    .sync = counting_sync,
    .close = counting_close,
};

ia_status ia_objstore_counting(ia_ctx *cx, ia_objstore *inner, ia_objstore **out)
{
    counting_store *cs = NULL;

    *out = NULL;
    IA_TRY(IA_NEW(cx, cs));
    cs->base = (ia_objstore){&counting_ops, "counting"};
    cs->inner = inner;
    *out = &cs->base;
    return IA_OK;
}

void ia_objstore_counts(const ia_objstore *counting, ia_io_counts *out)
{
    const counting_store *cs = (const counting_store *)counting;

    for (int i = 0; i < IA_IO_CLASSES; i++) {
        out->read_bytes[i] = atomic_load(&cs->read_bytes[i]);
        out->write_bytes[i] = atomic_load(&cs->write_bytes[i]);
    }
    out->reads = atomic_load(&cs->reads);
    out->writes = atomic_load(&cs->writes);
    out->lists = atomic_load(&cs->lists);
    out->links = atomic_load(&cs->links);
    out->heads = atomic_load(&cs->heads);
    out->removes = atomic_load(&cs->removes);
}
