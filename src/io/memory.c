/* memory.c - the store that keeps all objects in memory. */
#include <errno.h>
#include <pthread.h>

#include "base/ids.h"
#include "io/io_priv.h"

/* Bytes of an object: never changed once made, shared by names and open files. Counted. */
typedef struct blob {
    atomic_size_t refs;
    size_t len;
    uint8_t data[];
} blob;

typedef struct object {
    char *path;
    blob *bytes; /* holds a reference */
    int64_t mtime_us;
} object;

typedef struct memory_store {
    ia_objstore base;
    ia_budget *budget; /* of the context that made the store; pays for all objects */
    bool can_link;
    pthread_mutex_t lock; /* protects the three fields below */
    object *objects;      /* ascending by path */
    size_t n, cap;
} memory_store;

typedef struct memory_file {
    ia_objfile base;
    blob *bytes;
} memory_file;

typedef struct memory_writer {
    ia_objwriter base;
    memory_store *store;
    ia_buf buf; /* on the store's budget */
    bool done;
} memory_writer;

/* ---- blobs and the sorted array ------------------------------------------------------------ */

static void blob_release(blob *b)
{
    if (b && atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) == 1)
        ia_free(b);
}

static blob *blob_retain(blob *b)
{
    atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
    return b;
}

static ia_status blob_new(ia_ctx *own, const void *data, size_t len, blob **out)
{
    size_t size;

    *out = NULL;
    if (!ia_add_size(&size, sizeof(blob), len))
        return ia_fail(own, IA_ERR_NO_MEMORY, "an object of %zu bytes is too large", len);
    blob *b = ia_alloc(own, size);
    if (!b)
        return own->err.code;
    atomic_init(&b->refs, 1);
    b->len = len;
    if (len > 0)
        memcpy(b->data, data, len);
    *out = b;
    return IA_OK;
}

/* Place of the first object whose path is not below `path`; with the lock held. */
static size_t lower_bound(const memory_store *ms, const char *path)
{
    size_t lo = 0, hi = ms->n;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (strcmp(ms->objects[mid].path, path) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static object *find(memory_store *ms, const char *path)
{
    const size_t at = lower_bound(ms, path);
    return at < ms->n && strcmp(ms->objects[at].path, path) == 0 ? &ms->objects[at] : NULL;
}

static ia_status missing(ia_ctx *cx, const char *path)
{
    return ia_fail(cx, IA_ERR_NOT_FOUND, "%s is not in the memory store", path);
}

/* Puts b (whose reference is taken over on success) under the path. */
static ia_status insert(ia_ctx *own, memory_store *ms, const char *path, blob *b, uint32_t flags)
{
    char *name = NULL;
    blob *replaced = NULL;
    ia_status st = IA_OK;

    name = ia_strdup(own, path);
    if (!name)
        return own->err.code;
    pthread_mutex_lock(&ms->lock);
    object *have = find(ms, path);
    if (have && (flags & IA_PUT_IF_ABSENT) != 0)
        IA_GO(ia_fail(own, IA_ERR_EXISTS, "%s is taken", path));
    if (have) {
        replaced = have->bytes;
    } else {
        IA_GO(IA_GROW(own, ms->objects, ms->cap, ms->n + 1));
        const size_t at = lower_bound(ms, path);
        memmove(ms->objects + at + 1, ms->objects + at, (ms->n - at) * sizeof *ms->objects);
        ms->n++;
        have = &ms->objects[at];
        have->path = name;
        name = NULL;
    }
    have->bytes = b;
    have->mtime_us = ia_now_us();
done:
    pthread_mutex_unlock(&ms->lock);
    blob_release(replaced);
    ia_free(name);
    return st;
}

/* ---- reading ------------------------------------------------------------------------------- */

static ia_status file_read(ia_ctx *cx, ia_objfile *f, uint64_t off, size_t len, void *dst,
                           ia_io_class cls)
{
    (void)cx;
    (void)cls;
    memcpy(dst, ((memory_file *)f)->bytes->data + off, len); /* the range was checked in front */
    return IA_OK;
}

static void file_close(ia_objfile *f)
{
    blob_release(((memory_file *)f)->bytes);
    ia_free(f->path);
    ia_free(f);
}

static const ia_objfile_ops file_ops = {file_read, file_close};

static ia_status memory_open(ia_ctx *cx, ia_objstore *os, const char *path, ia_objfile **out)
{
    memory_store *ms = (memory_store *)os;
    memory_file *f = NULL;
    ia_status st;

    IA_GO(IA_NEW(cx, f));
    f->base.ops = &file_ops;
    IA_GO(IA_SET(cx, f->base.path, ia_strdup(cx, path)));
    pthread_mutex_lock(&ms->lock);
    const object *have = find(ms, path);
    if (have)
        f->bytes = blob_retain(have->bytes);
    pthread_mutex_unlock(&ms->lock);
    if (!f->bytes)
        IA_GO(missing(cx, path));
    f->base.size = f->bytes->len;
    *out = &f->base;
    f = NULL;
done:
    if (f)
        file_close(&f->base);
    return st;
}

static ia_status memory_head(ia_ctx *cx, ia_objstore *os, const char *path, ia_objmeta *out)
{
    memory_store *ms = (memory_store *)os;

    pthread_mutex_lock(&ms->lock);
    const object *have = find(ms, path);
    if (have)
        *out = (ia_objmeta){have->bytes->len, have->mtime_us};
    pthread_mutex_unlock(&ms->lock);
    return have ? IA_OK : missing(cx, path);
}

/* Adds the child of the directory (whose path and slash take `skip` bytes) that `path` lies in. */
static ia_status list_one(ia_ctx *cx, const char *path, size_t skip, const char *after,
                          ia_objlist *out)
{
    const char *name = path + skip;
    const size_t n = strcspn(name, "/");
    const char *suffix = name[n] == '/' ? "/" : "";

    if (ia_name_is_temporary(name))
        return IA_OK;
    if (out->n > 0 && *suffix) { /* objects of one sub-directory are neighbours */
        const char *last = out->names[out->n - 1];
        if (strncmp(last, name, n + 1) == 0 && last[n + 1] == 0)
            return IA_OK;
    }
    IA_TRY(ia_objlist_add(cx, out, name, n, suffix));
    if (after && strcmp(out->names[out->n - 1], after) <= 0)
        ia_free(out->names[--out->n]);
    return IA_OK;
}

static ia_status memory_list(ia_ctx *cx, ia_objstore *os, const char *dir, const char *after,
                             size_t limit, ia_objlist *out)
{
    memory_store *ms = (memory_store *)os;
    ia_objlist names = {0};
    char *prefix = NULL;
    ia_status st = IA_OK;

    prefix = ia_sprintf(cx, "%s/", strcmp(dir, "/") == 0 ? "" : dir);
    if (!prefix)
        return cx->err.code;
    const size_t skip = strlen(prefix);
    pthread_mutex_lock(&ms->lock);
    for (size_t i = lower_bound(ms, prefix); i < ms->n; i++) {
        if (strncmp(ms->objects[i].path, prefix, skip) != 0 || (limit > 0 && names.n == limit))
            break;
        IA_GO(list_one(cx, ms->objects[i].path, skip, after, &names));
    }
    *out = names;
    names = (ia_objlist){0};
done:
    pthread_mutex_unlock(&ms->lock);
    ia_objlist_dispose(&names);
    ia_free(prefix);
    return st;
}

/* ---- changing ------------------------------------------------------------------------------ */

static ia_status memory_put(ia_ctx *cx, ia_objstore *os, const char *path, const void *data,
                            size_t len, uint32_t flags)
{
    memory_store *ms = (memory_store *)os;
    blob *b = NULL;
    ia_ctx own;
    ia_status st;

    ia_ctx_init(&own, ms->budget);
    IA_GO(blob_new(&own, data, len, &b));
    IA_GO(insert(&own, ms, path, b, flags));
    b = NULL;
done:
    blob_release(b);
    return st == IA_OK ? IA_OK : ia_fail_from(cx, &own);
}

static ia_status memory_remove(ia_ctx *cx, ia_objstore *os, const char *path)
{
    memory_store *ms = (memory_store *)os;
    object gone = {0};

    pthread_mutex_lock(&ms->lock);
    object *have = find(ms, path);
    if (have) {
        gone = *have;
        ms->n--;
        memmove(have, have + 1, (size_t)(ms->objects + ms->n - have) * sizeof *have);
    }
    pthread_mutex_unlock(&ms->lock);
    if (!gone.path)
        return missing(cx, path);
    blob_release(gone.bytes);
    ia_free(gone.path);
    return IA_OK;
}

static ia_status memory_link(ia_ctx *cx, ia_objstore *os, const char *from, const char *to)
{
    memory_store *ms = (memory_store *)os;
    blob *b = NULL;
    ia_ctx own;
    ia_status st;

    ia_ctx_init(&own, ms->budget);
    if (!ms->can_link)
        return ia_link_fail(cx, from, to, EOPNOTSUPP);
    pthread_mutex_lock(&ms->lock);
    const object *have = find(ms, from);
    if (have)
        b = blob_retain(have->bytes);
    pthread_mutex_unlock(&ms->lock);
    if (!b)
        return ia_link_fail(cx, from, to, ENOENT);
    st = insert(&own, ms, to, b, IA_PUT_IF_ABSENT);
    if (st == IA_OK)
        return IA_OK;
    blob_release(b);
    return ia_fail_from(cx, &own);
}

static ia_status memory_touch(ia_ctx *cx, ia_objstore *os, const char *path)
{
    memory_store *ms = (memory_store *)os;

    pthread_mutex_lock(&ms->lock);
    object *have = find(ms, path);
    if (have)
        have->mtime_us = ia_now_us();
    pthread_mutex_unlock(&ms->lock);
    return have ? IA_OK : missing(cx, path);
}

static ia_status memory_sync(ia_ctx *cx, ia_objstore *os, const char *path)
{
    ia_objmeta meta;
    return memory_head(cx, os, path, &meta);
}

/* ---- streaming ----------------------------------------------------------------------------- */

static ia_status writer_write(ia_ctx *cx, ia_objwriter *base, const void *data, size_t len,
                              ia_io_class cls)
{
    memory_writer *w = (memory_writer *)base;
    ia_ctx own;

    (void)cls;
    if (w->done)
        return ia_fail(cx, IA_ERR_INTERNAL, "%s was used after it was finished", base->path);
    ia_ctx_init(&own, w->store->budget);
    if (w->buf.failed != IA_OK)
        return ia_fail(cx, IA_ERR_IO, "%s was not written in full", base->path);
    ia_buf_put(&own, &w->buf, data, len);
    return ia_buf_status(&w->buf) == IA_OK ? IA_OK : ia_fail_from(cx, &own);
}

static ia_status writer_finish(ia_ctx *cx, ia_objwriter *base, uint32_t flags)
{
    memory_writer *w = (memory_writer *)base;

    if (w->done)
        return ia_fail(cx, IA_ERR_INTERNAL, "%s was used after it was finished", base->path);
    if (ia_buf_status(&w->buf) != IA_OK)
        return ia_fail(cx, IA_ERR_IO, "%s was not written in full", base->path);
    w->done = true;
    return memory_put(cx, &w->store->base, base->path, w->buf.data, w->buf.len,
                      flags | IA_PUT_IF_ABSENT);
}

static void writer_close(ia_objwriter *base)
{
    memory_writer *w = (memory_writer *)base;
    ia_buf_dispose(&w->buf);
    ia_free(base->path);
    ia_free(w);
}

static const ia_objwriter_ops writer_ops = {writer_write, writer_finish, writer_close};

static ia_status memory_create(ia_ctx *cx, ia_objstore *os, const char *path, ia_objwriter **out)
{
    memory_writer *w = NULL;
    ia_status st;

    IA_GO(IA_NEW(cx, w));
    w->base.ops = &writer_ops;
    w->store = (memory_store *)os;
    IA_GO(IA_SET(cx, w->base.path, ia_strdup(cx, path)));
    *out = &w->base;
    w = NULL;
done:
    if (w)
        writer_close(&w->base);
    return st;
}

static void memory_close(ia_objstore *os)
{
    memory_store *ms = (memory_store *)os;
    for (size_t i = 0; i < ms->n; i++) {
        ia_free(ms->objects[i].path);
        blob_release(ms->objects[i].bytes);
    }
    ia_free(ms->objects);
    pthread_mutex_destroy(&ms->lock);
    ia_free(ms);
}

static const ia_objstore_ops memory_ops = {
    .open = memory_open,
    .head = memory_head,
    .put = memory_put,
    .create = memory_create,
    .list = memory_list,
    .remove = memory_remove,
    .link = memory_link,
    .touch = memory_touch,
    .sync = memory_sync,
    .close = memory_close,
};

ia_status ia_objstore_memory(ia_ctx *cx, bool can_link, ia_objstore **out)
{
    memory_store *ms = NULL;

    *out = NULL;
    IA_TRY(IA_NEW(cx, ms));
    ms->base = (ia_objstore){&memory_ops, "memory"};
    ms->budget = cx->budget;
    ms->can_link = can_link;
    pthread_mutex_init(&ms->lock, NULL);
    *out = &ms->base;
    return IA_OK;
}
