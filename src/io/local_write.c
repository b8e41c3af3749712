/* local_write.c - the local store: atomic puts and streams through temporary names. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io_priv.h"
#include "io/local_priv.h"

#define WRITE_BUFFER ((size_t)256 * 1024)

/* An open temporary file beside the object it will become. */
typedef struct temp {
    char *path;
    int fd;      /* -1 when closed */
    bool exists; /* the name is still to be removed */
} temp;

static void temp_dispose(temp *t)
{
    if (t->fd >= 0)
        close(t->fd);
    if (t->exists)
        unlink(t->path);
    ia_free(t->path);
    *t = (temp){.fd = -1};
}

static ia_status temp_open(ia_ctx *cx, local_store *ls, const char *path, temp *t)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;

    *t = (temp){.fd = -1};
    IA_TRY(ia_path_temporary(cx, path, &t->path));
    t->fd = open(t->path, flags, 0644);
    /* more than once: another process may be removing empty directories */
    for (int tries = 0; t->fd < 0 && errno == ENOENT && tries < 8; tries++) {
        IA_TRY(ia_local_make_parents(cx, ls, path));
        t->fd = open(t->path, flags, 0644);
    }
    if (t->fd < 0)
        return ia_fail(cx, IA_ERR_IO, "cannot create %s: %s", t->path, strerror(errno));
    t->exists = true;
    return IA_OK;
}

static ia_status write_all(ia_ctx *cx, int fd, const char *path, const void *data, size_t len)
{
    const uint8_t *at = data;
    while (len > 0) {
        const ssize_t n = write(fd, at, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return ia_fail(cx, IA_ERR_IO, "cannot write %s: %s", path, strerror(errno));
        at += n;
        len -= (size_t)n;
    }
    return IA_OK;
}

/* Syncs when asked and closes; network file systems report late write errors here. */
static ia_status temp_close(ia_ctx *cx, temp *t, const char *path, uint32_t flags)
{
    if ((flags & IA_PUT_SYNC) != 0 && fsync(t->fd) != 0)
        return ia_fail(cx, IA_ERR_IO, "cannot sync %s: %s", path, strerror(errno));
    const int fd = t->fd;
    t->fd = -1;
    if (close(fd) != 0 && errno != EINTR)
        return ia_fail(cx, IA_ERR_IO, "cannot close %s: %s", path, strerror(errno));
    return IA_OK;
}

/* On network file systems a link() may work and still report failure. */
static bool was_linked(const char *temp_path)
{
    struct stat s;
    return stat(temp_path, &s) == 0 && s.st_nlink > 1;
}

static ia_status publish_new(ia_ctx *cx, temp *t, const char *path)
{
    int err = link(t->path, path) == 0 ? 0 : errno;

    if (err == 0 || was_linked(t->path)) {
        unlink(t->path); /* a leftover temporary name is harmless */
        t->exists = false;
        return IA_OK;
    }
    if (err == EPERM || err == EOPNOTSUPP || err == ENOSYS || err == EMLINK || err == EXDEV) {
        if (renameat2(AT_FDCWD, t->path, AT_FDCWD, path, RENAME_NOREPLACE) == 0) {
            t->exists = false;
            return IA_OK;
        }
        err = errno;
        if (err == EINVAL || err == ENOSYS || err == EOPNOTSUPP || err == EPERM)
            return ia_fail(cx, IA_ERR_UNSUPPORTED,
                           "the file system of %s has neither hard links nor renames that keep an "
                           "existing file; use another directory",
                           path);
    }
    if (err == EEXIST)
        return ia_fail(cx, IA_ERR_EXISTS, "%s is taken", path);
    return ia_fail(cx, IA_ERR_IO, "cannot publish %s: %s", path, strerror(err));
}

static ia_status publish(ia_ctx *cx, local_store *ls, temp *t, const char *path, uint32_t flags)
{
    if ((flags & IA_PUT_IF_ABSENT) != 0) {
        IA_TRY(publish_new(cx, t, path));
    } else {
        if (rename(t->path, path) != 0)
            return ia_fail(cx, IA_ERR_IO, "cannot publish %s: %s", path, strerror(errno));
        t->exists = false;
    }
    return (flags & IA_PUT_SYNC) != 0 ? ia_local_sync_dirs(cx, ls, path) : IA_OK;
}

ia_status ia_local_put(ia_ctx *cx, ia_objstore *os, const char *path, const void *data, size_t len,
                       uint32_t flags)
{
    local_store *ls = (local_store *)os;
    temp t = {.fd = -1};
    ia_status st;

    IA_GO(temp_open(cx, ls, path, &t));
    IA_GO(write_all(cx, t.fd, path, data, len));
    IA_GO(temp_close(cx, &t, path, flags));
    IA_GO(publish(cx, ls, &t, path, flags));
done:
    temp_dispose(&t);
    return st;
}

/* ---- streaming ----------------------------------------------------------------------------- */

typedef struct local_writer {
    ia_objwriter base;
    local_store *store;
    temp t;
    uint8_t *buffer; /* WRITE_BUFFER bytes */
    size_t held;     /* bytes in buffer not yet written */
    bool broken;     /* a write failed: the object must not be published */
} local_writer;

static ia_status write_through(ia_ctx *cx, local_writer *w, const void *data, size_t len)
{
    const ia_status st = write_all(cx, w->t.fd, w->base.path, data, len);
    w->broken = st != IA_OK;
    return st;
}

static ia_status flush(ia_ctx *cx, local_writer *w)
{
    const size_t n = w->held;
    w->held = 0;
    return write_through(cx, w, w->buffer, n);
}

static ia_status check_open(ia_ctx *cx, const local_writer *w)
{
    if (w->t.fd < 0)
        return ia_fail(cx, IA_ERR_INTERNAL, "%s was used after it was finished", w->base.path);
    if (w->broken)
        return ia_fail(cx, IA_ERR_IO, "%s was not written in full", w->base.path);
    return IA_OK;
}

static ia_status writer_write(ia_ctx *cx, ia_objwriter *base, const void *data, size_t len,
                              ia_io_class cls)
{
    local_writer *w = (local_writer *)base;

    (void)cls;
    IA_TRY(check_open(cx, w));
    if (len > WRITE_BUFFER - w->held)
        IA_TRY(flush(cx, w));
    if (len >= WRITE_BUFFER)
        return write_through(cx, w, data, len);
    memcpy(w->buffer + w->held, data, len);
    w->held += len;
    return IA_OK;
}

static ia_status writer_finish(ia_ctx *cx, ia_objwriter *base, uint32_t flags)
{
    local_writer *w = (local_writer *)base;

    IA_TRY(check_open(cx, w));
    IA_TRY(flush(cx, w));
    IA_TRY(temp_close(cx, &w->t, base->path, flags));
    return publish(cx, w->store, &w->t, base->path, flags | IA_PUT_IF_ABSENT);
}

static void writer_close(ia_objwriter *base)
{
    local_writer *w = (local_writer *)base;
    temp_dispose(&w->t);
    ia_free(w->buffer);
    ia_free(base->path);
    ia_free(w);
}

static const ia_objwriter_ops writer_ops = {writer_write, writer_finish, writer_close};

ia_status ia_local_create(ia_ctx *cx, ia_objstore *os, const char *path, ia_objwriter **out)
{
    local_writer *w = NULL;
    ia_status st;

    IA_GO(IA_NEW(cx, w));
    w->base.ops = &writer_ops;
    w->store = (local_store *)os;
    w->t.fd = -1;
    IA_GO(IA_SET(cx, w->base.path, ia_strdup(cx, path)));
    IA_GO(IA_SET(cx, w->buffer, ia_alloc(cx, WRITE_BUFFER)));
    IA_GO(temp_open(cx, w->store, path, &w->t));
    *out = &w->base;
    w = NULL;
done:
    if (w)
        writer_close(&w->base);
    return st;
}
