/* objstore.c - the calls in front of the store tables, and what is the same for every store. */
#include "io/objstore.h"

#include <errno.h>
#include <inttypes.h>

#include "base/ids.h"
#include "io/io_priv.h"

#define COPY_CHUNK ((size_t)256 * 1024)

/* Refuses what would leave the tree or name one object in two ways. */
static ia_status check_name(ia_ctx *cx, const char *path, bool may_be_dir)
{
    if (path[0] != '/' || path[1] == 0)
        return ia_fail(cx, IA_ERR_INVALID, "object path '%s' is not absolute", path);
    for (const char *part = path + 1;;) {
        const size_t n = strcspn(part, "/");
        if (part[0] == 0 && part > path + 1 && may_be_dir)
            return IA_OK;
        if (n == 0 || (n == 1 && part[0] == '.') || (n == 2 && part[0] == '.' && part[1] == '.'))
            return ia_fail(cx, IA_ERR_INVALID, "object path '%s' is not normalised", path);
        if (part[n] == 0)
            return IA_OK;
        part += n + 1;
    }
}

static ia_status check_path(ia_ctx *cx, const char *path)
{
    return check_name(cx, path, false);
}

ia_status ia_objstore_open(ia_ctx *cx, ia_objstore *os, const char *path, ia_objfile **out)
{
    *out = NULL;
    IA_TRY(check_path(cx, path));
    return os->ops->open(cx, os, path, out);
}

ia_status ia_objstore_get(ia_ctx *cx, ia_objstore *os, const char *path, ia_bytes *out)
{
    ia_objfile *f = NULL;
    uint8_t *data = NULL;
    ia_status st;

    *out = (ia_bytes){0};
    IA_GO(ia_objstore_open(cx, os, path, &f));
    if (f->size > SIZE_MAX / 2)
        IA_GO(ia_fail(cx, IA_ERR_NO_MEMORY, "%s has %" PRIu64 " bytes", path, f->size));
    const size_t n = (size_t)f->size;
    data = ia_alloc(cx, n);
    if (!data)
        IA_GO(cx->err.code);
    IA_GO(ia_objfile_read(cx, f, 0, n, data, IA_IO_META));
    *out = (ia_bytes){data, n};
    data = NULL;
done:
    ia_free(data);
    ia_objfile_close(f);
    return st;
}

ia_status ia_objstore_head(ia_ctx *cx, ia_objstore *os, const char *path, ia_objmeta *out)
{
    *out = (ia_objmeta){0};
    IA_TRY(check_path(cx, path));
    return os->ops->head(cx, os, path, out);
}

bool ia_objstore_exists(ia_ctx *cx, ia_objstore *os, const char *path)
{
    const ia_error before = cx->err;
    ia_objmeta meta;
    const bool there = ia_objstore_head(cx, os, path, &meta) == IA_OK;
    cx->err = before; /* "no" is an answer, not an error */
    return there;
}

ia_status ia_objstore_put(ia_ctx *cx, ia_objstore *os, const char *path, const void *data,
                          size_t len, uint32_t flags)
{
    IA_TRY(check_path(cx, path));
    return os->ops->put(cx, os, path, data, len, flags);
}

ia_status ia_objstore_create(ia_ctx *cx, ia_objstore *os, const char *path, ia_objwriter **out)
{
    *out = NULL;
    IA_TRY(check_path(cx, path));
    return os->ops->create(cx, os, path, out);
}

ia_status ia_objstore_list(ia_ctx *cx, ia_objstore *os, const char *dir, const char *after,
                           size_t limit, ia_objlist *out)
{
    *out = (ia_objlist){0};
    if (strcmp(dir, "/") != 0)
        IA_TRY(check_path(cx, dir));
    return os->ops->list(cx, os, dir, after, limit, out);
}

ia_status ia_objstore_remove(ia_ctx *cx, ia_objstore *os, const char *path)
{
    IA_TRY(check_name(cx, path, true));
    return os->ops->remove(cx, os, path);
}

ia_status ia_objstore_link(ia_ctx *cx, ia_objstore *os, const char *from, const char *to)
{
    IA_TRY(check_path(cx, from));
    IA_TRY(check_path(cx, to));
    return os->ops->link(cx, os, from, to);
}

ia_status ia_objstore_touch(ia_ctx *cx, ia_objstore *os, const char *path)
{
    IA_TRY(check_path(cx, path));
    return os->ops->touch(cx, os, path);
}

ia_status ia_objstore_sync(ia_ctx *cx, ia_objstore *os, const char *path)
{
    IA_TRY(check_path(cx, path));
    return os->ops->sync(cx, os, path);
}

ia_status ia_objstore_copy(ia_ctx *cx, ia_objstore *os, const char *from, const char *to,
                           ia_io_class cls, uint32_t flags)
{
    ia_objfile *f = NULL;
    ia_objwriter *w = NULL;
    uint8_t *chunk = NULL;
    ia_status st;

    IA_GO(ia_objstore_open(cx, os, from, &f));
    const size_t size = f->size < COPY_CHUNK ? (size_t)f->size : COPY_CHUNK;
    chunk = ia_alloc(cx, size);
    if (!chunk)
        IA_GO(cx->err.code);
    IA_GO(ia_objstore_create(cx, os, to, &w));
    for (uint64_t at = 0; at < f->size;) {
        const size_t n = f->size - at < size ? (size_t)(f->size - at) : size;
        IA_GO(ia_check(cx, at, f->size));
        IA_GO(ia_objfile_read(cx, f, at, n, chunk, cls));
        IA_GO(ia_objwriter_write(cx, w, chunk, n, cls));
        at += n;
    }
    IA_GO(ia_objwriter_finish(cx, w, flags));
done:
    ia_objwriter_close(w);
    ia_objfile_close(f);
    ia_free(chunk);
    return st;
}

void ia_objstore_close(ia_objstore *os)
{
    if (os)
        os->ops->close(os);
}

ia_status ia_objstore_probe(ia_ctx *cx, ia_objstore *os, const char *dir)
{
    char *probe = NULL, *inside = NULL;
    bool made = false;
    ia_status st;

    IA_GO(ia_path_join(cx, &inside, dir, "x", (char *)NULL));
    IA_GO(ia_path_temporary(cx, inside, &probe));
    IA_GO(ia_objstore_put(cx, os, probe, "", 0, IA_PUT_IF_ABSENT));
    made = true;
    st = ia_objstore_put(cx, os, probe, "", 0, IA_PUT_IF_ABSENT);
    if (st == IA_OK)
        IA_GO(ia_fail(cx, IA_ERR_UNSUPPORTED,
                      "the file system of %s replaced a file that put-if-absent had to keep; use "
                      "another directory",
                      dir));
    if (st == IA_ERR_EXISTS) {
        ia_ctx_clear(cx);
        st = IA_OK;
    }
done:
    if (made) {
        const ia_error first = cx->err;
        const ia_status removed = ia_objstore_remove(cx, os, probe);
        if (st == IA_OK)
            st = removed;
        else
            cx->err = first;
    }
    ia_free(probe);
    ia_free(inside);
    return st;
}

void ia_objlist_dispose(ia_objlist *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->n; i++)
        ia_free(l->names[i]);
    ia_free(l->names);
    *l = (ia_objlist){0};
}

ia_status ia_objlist_add(ia_ctx *cx, ia_objlist *l, const char *name, size_t len,
                         const char *suffix)
{
    const size_t more = strlen(suffix);

    IA_TRY(IA_GROW(cx, l->names, l->cap, l->n + 1));
    char *copy = ia_alloc(cx, len + more + 1);
    if (!copy)
        return cx->err.code;
    memcpy(copy, name, len);
    memcpy(copy + len, suffix, more + 1);
    l->names[l->n++] = copy;
    return IA_OK;
}

ia_status ia_objfile_read(ia_ctx *cx, ia_objfile *f, uint64_t off, size_t len, void *dst,
                          ia_io_class cls)
{
    if (off > f->size || len > f->size - off)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "%s ends at %" PRIu64 ", but %zu bytes at %" PRIu64 " are needed", f->path,
                       f->size, len, off);
    if (len == 0)
        return IA_OK;
    return f->ops->read(cx, f, off, len, dst, cls);
}

void ia_objfile_close(ia_objfile *f)
{
    if (f)
        f->ops->close(f);
}

ia_status ia_objwriter_write(ia_ctx *cx, ia_objwriter *w, const void *data, size_t len,
                             ia_io_class cls)
{
    if (len == 0)
        return IA_OK;
    IA_TRY(w->ops->write(cx, w, data, len, cls));
    w->pos += len;
    return IA_OK;
}

ia_status ia_objwriter_finish(ia_ctx *cx, ia_objwriter *w, uint32_t flags)
{
    return w->ops->finish(cx, w, flags);
}

void ia_objwriter_close(ia_objwriter *w)
{
    if (w)
        w->ops->close(w);
}

ia_status ia_link_fail(ia_ctx *cx, const char *from, const char *to, int err)
{
    if (err == EEXIST)
        return ia_fail(cx, IA_ERR_EXISTS, "%s is taken", to);
    if (err == ENOENT || err == ENOTDIR)
        return ia_fail(cx, IA_ERR_NOT_FOUND, "%s is not there to be linked", from);
    const bool refused =
        err == EPERM || err == EXDEV || err == EMLINK || err == EOPNOTSUPP || err == ENOSYS;
    return ia_fail(cx, refused ? IA_ERR_UNSUPPORTED : IA_ERR_IO, "cannot link %s to %s: %s", from,
                   to, strerror(err));
}

ia_status ia_fail_from(ia_ctx *cx, const ia_ctx *other)
{
    return ia_fail(cx, other->err.code, "%s", other->err.text);
}
