/* faulty.c - the decorator that cuts the k-th operation and is dead from then on. */
#include <pthread.h>

#include "io/io_priv.h"

typedef struct faulty_store {
    ia_objstore base;
    ia_objstore *inner;   /* not owned */
    pthread_mutex_t lock; /* protects the fields below */
    int64_t cut_at;       /* operation number; < 0 = off */
    int64_t seen;
    ia_fault_mode mode;
    bool count_reads;
    bool fired;
    int link_errno; /* 0 = links work */
} faulty_store;

typedef struct faulty_file {
    ia_objfile base;
    ia_objfile *inner; /* owned */
    faulty_store *store;
} faulty_file;

typedef struct faulty_writer {
    ia_objwriter base;
    ia_objwriter *inner; /* owned */
    faulty_store *store;
} faulty_writer;

/* What an operation has to do. */
typedef enum verdict {
    PASS,   /* go through */
    REFUSE, /* fail without effect: cut before, or already dead */
    TEAR,   /* leave half of it and fail */
    LOSE    /* take effect and fail */
} verdict;

static verdict step(faulty_store *fs, bool is_read)
{
    verdict v = PASS;

    pthread_mutex_lock(&fs->lock);
    if (fs->fired) {
        v = REFUSE;
    } else if (!is_read || fs->count_reads) {
        if (fs->cut_at >= 0 && fs->seen == fs->cut_at) {
            fs->fired = true;
            v = fs->mode == IA_CUT_BEFORE ? REFUSE : fs->mode == IA_CUT_TORN ? TEAR : LOSE;
        }
        fs->seen++;
    }
    pthread_mutex_unlock(&fs->lock);
    return v;
}

static ia_status cut(ia_ctx *cx, const char *op, const char *path)
{
    return ia_fail(cx, IA_ERR_IO, "cut: %s %s", op, path);
}

/* The result of an operation that was let through with verdict v and gave st. */
static ia_status settle(ia_ctx *cx, verdict v, const char *op, const char *path, ia_status st)
{
    return v == LOSE ? cut(cx, op, path) : st;
}

/* For operations that take effect as a whole or not at all: true when they must not run. */
static bool blocked(verdict v)
{
    return v == REFUSE || v == TEAR;
}

/* What a writer leaves that died in the middle: half of the bytes under a temporary name. */
static ia_status tear(ia_ctx *cx, faulty_store *fs, const char *op, const char *path,
                      const void *data, size_t len)
{
    char *temp = NULL;
    /* its own failure does not matter, the operation fails anyway */
    if (ia_path_temporary(cx, path, &temp) == IA_OK &&
        ia_objstore_put(cx, fs->inner, temp, data, len / 2, 0) != IA_OK)
        ia_ctx_clear(cx);
    ia_free(temp);
    return cut(cx, op, path);
}

/* ---- files --------------------------------------------------------------------------------- */

static ia_status file_read(ia_ctx *cx, ia_objfile *f, uint64_t off, size_t len, void *dst,
                           ia_io_class cls)
{
    faulty_file *ff = (faulty_file *)f;
    const verdict v = step(ff->store, true);

    if (blocked(v))
        return cut(cx, "read", f->path);
    return settle(cx, v, "read", f->path, ia_objfile_read(cx, ff->inner, off, len, dst, cls));
}

static void file_close(ia_objfile *f)
{
    ia_objfile_close(((faulty_file *)f)->inner);
    ia_free(f);
}

static const ia_objfile_ops file_ops = {file_read, file_close};

static ia_status faulty_open(ia_ctx *cx, ia_objstore *os, const char *path, ia_objfile **out)
{
    faulty_store *fs = (faulty_store *)os;
    faulty_file *f = NULL;
    ia_status st;

    if (step(fs, true) != PASS)
        return cut(cx, "open", path);
    IA_GO(IA_NEW(cx, f));
    IA_GO(ia_objstore_open(cx, fs->inner, path, &f->inner));
    f->base = (ia_objfile){&file_ops, f->inner->path, f->inner->size};
    f->store = fs;
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
    faulty_writer *fw = (faulty_writer *)w;
    const verdict v = step(fw->store, false);

    if (v == REFUSE)
        return cut(cx, "write", w->path);
    if (v == TEAR)
        return tear(cx, fw->store, "write", w->path, data, len);
    return settle(cx, v, "write", w->path, ia_objwriter_write(cx, fw->inner, data, len, cls));
}

static ia_status writer_finish(ia_ctx *cx, ia_objwriter *w, uint32_t flags)
{
    faulty_writer *fw = (faulty_writer *)w;
    const verdict v = step(fw->store, false);

    if (v == REFUSE)
        return cut(cx, "finish", w->path);
    if (v == TEAR)
        return tear(cx, fw->store, "finish", w->path, "", 0);
    return settle(cx, v, "finish", w->path, ia_objwriter_finish(cx, fw->inner, flags));
}

static void writer_close(ia_objwriter *w)
{
    ia_objwriter_close(((faulty_writer *)w)->inner);
    ia_free(w);
}

static const ia_objwriter_ops writer_ops = {writer_write, writer_finish, writer_close};

static ia_status faulty_create(ia_ctx *cx, ia_objstore *os, const char *path, ia_objwriter **out)
{
    faulty_store *fs = (faulty_store *)os;
    faulty_writer *w = NULL;
    const verdict v = step(fs, false);
    ia_status st;

    if (v == REFUSE)
        return cut(cx, "create", path);
    if (v != PASS) /* an object just begun is an empty temporary file */
        return tear(cx, fs, "create", path, "", 0);
    IA_GO(IA_NEW(cx, w));
    IA_GO(ia_objstore_create(cx, fs->inner, path, &w->inner));
    w->base = (ia_objwriter){&writer_ops, w->inner->path, 0};
    w->store = fs;
    *out = &w->base;
    w = NULL;
done:
    ia_free(w);
    return st;
}

/* ---- the rest ------------------------------------------------------------------------------ */

static ia_status faulty_head(ia_ctx *cx, ia_objstore *os, const char *path, ia_objmeta *out)
{
    faulty_store *fs = (faulty_store *)os;
    const verdict v = step(fs, true);

    if (blocked(v))
        return cut(cx, "head", path);
    return settle(cx, v, "head", path, ia_objstore_head(cx, fs->inner, path, out));
}

static ia_status faulty_put(ia_ctx *cx, ia_objstore *os, const char *path, const void *data,
                            size_t len, uint32_t flags)
{
    faulty_store *fs = (faulty_store *)os;
    const verdict v = step(fs, false);

    if (v == REFUSE)
        return cut(cx, "put", path);
    if (v == TEAR)
        return tear(cx, fs, "put", path, data, len);
    return settle(cx, v, "put", path, ia_objstore_put(cx, fs->inner, path, data, len, flags));
}

static ia_status faulty_list(ia_ctx *cx, ia_objstore *os, const char *dir, const char *after,
                             size_t limit, ia_objlist *out)
{
    faulty_store *fs = (faulty_store *)os;

    if (step(fs, true) != PASS)
        return cut(cx, "list", dir);
    return ia_objstore_list(cx, fs->inner, dir, after, limit, out);
}

static ia_status faulty_remove(ia_ctx *cx, ia_objstore *os, const char *path)
{
    faulty_store *fs = (faulty_store *)os;
    const verdict v = step(fs, false);

    if (blocked(v))
        return cut(cx, "remove", path);
    return settle(cx, v, "remove", path, ia_objstore_remove(cx, fs->inner, path));
}

static ia_status faulty_link(ia_ctx *cx, ia_objstore *os, const char *from, const char *to)
{
    faulty_store *fs = (faulty_store *)os;

    pthread_mutex_lock(&fs->lock);
    const int err = fs->fired ? 0 : fs->link_errno;
    pthread_mutex_unlock(&fs->lock);
    if (err != 0)
        return ia_link_fail(cx, from, to, err);
    const verdict v = step(fs, false);

    if (blocked(v))
        return cut(cx, "link", to);
    return settle(cx, v, "link", to, ia_objstore_link(cx, fs->inner, from, to));
}

static ia_status faulty_touch(ia_ctx *cx, ia_objstore *os, const char *path)
{
    faulty_store *fs = (faulty_store *)os;
    const verdict v = step(fs, false);

    if (blocked(v))
        return cut(cx, "touch", path);
    return settle(cx, v, "touch", path, ia_objstore_touch(cx, fs->inner, path));
}

static ia_status faulty_sync(ia_ctx *cx, ia_objstore *os, const char *path)
{
    faulty_store *fs = (faulty_store *)os;
    const verdict v = step(fs, false);

    if (blocked(v))
        return cut(cx, "sync", path);
    return settle(cx, v, "sync", path, ia_objstore_sync(cx, fs->inner, path));
}

static void faulty_close(ia_objstore *os)
{
    pthread_mutex_destroy(&((faulty_store *)os)->lock);
    ia_free(os);
}

static const ia_objstore_ops faulty_ops = {
    .open = faulty_open,
    .head = faulty_head,
    .put = faulty_put,
    .create = faulty_create,
    .list = faulty_list,
    .remove = faulty_remove,
    .link = faulty_link,
    .touch = faulty_touch,
    .sync = faulty_sync,
    .close = faulty_close,
};

ia_status ia_objstore_faulty(ia_ctx *cx, ia_objstore *inner, ia_objstore **out)
{
    faulty_store *fs = NULL;

    *out = NULL;
    IA_TRY(IA_NEW(cx, fs));
    fs->base = (ia_objstore){&faulty_ops, "faulty"};
    fs->inner = inner;
    fs->cut_at = -1;
    pthread_mutex_init(&fs->lock, NULL);
    *out = &fs->base;
    return IA_OK;
}

void ia_fault_set(ia_objstore *faulty, int64_t k, ia_fault_mode mode, bool count_reads)
{
    faulty_store *fs = (faulty_store *)faulty;

    pthread_mutex_lock(&fs->lock);
    fs->cut_at = k;
    fs->mode = mode;
    fs->count_reads = count_reads;
    fs->seen = 0;
    fs->fired = false;
    pthread_mutex_unlock(&fs->lock);
}

int64_t ia_fault_seen(const ia_objstore *faulty)
{
    faulty_store *fs = (faulty_store *)(uintptr_t)faulty;

    pthread_mutex_lock(&fs->lock);
    const int64_t seen = fs->seen;
    pthread_mutex_unlock(&fs->lock);
    return seen;
}

bool ia_fault_fired(const ia_objstore *faulty)
{
    faulty_store *fs = (faulty_store *)(uintptr_t)faulty;

    pthread_mutex_lock(&fs->lock);
    const bool fired = fs->fired;
    pthread_mutex_unlock(&fs->lock);
    return fired;
}

void ia_fault_links(ia_objstore *faulty, int err)
{
    faulty_store *fs = (faulty_store *)faulty;

    pthread_mutex_lock(&fs->lock);
    fs->link_errno = err;
    pthread_mutex_unlock(&fs->lock);
}
