/* local.c - the local file store: reading, listing, linking, directories. */
#include "io/local_priv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io_priv.h"

typedef struct local_file {
    ia_objfile base;
    int fd;
} local_file;

ia_status ia_local_fail(ia_ctx *cx, const char *doing, const char *path, int err)
{
    const bool missing = err == ENOENT || err == ENOTDIR;
    return ia_fail(cx, missing ? IA_ERR_NOT_FOUND : IA_ERR_IO, "cannot %s %s: %s", doing, path,
                   strerror(err));
}

/* ---- directories --------------------------------------------------------------------------- */

/* Notes, before it is made, that this store makes a directory: from then on a durable write below
 * it has to sync its entry first, whichever thread made it. */
static ia_status note_new_dir(ia_ctx *cx, local_store *ls, const char *dir, size_t len)
{
    ia_ctx own;
    size_t index;
    ia_status st;

    ia_ctx_init(&own, ls->budget);
    pthread_mutex_lock(&ls->lock);
    st = ia_bytemap_put(&own, &ls->new_dirs, dir, len, &index, NULL);
    if (st == IA_OK)
        *ia_bytemap_value(&ls->new_dirs, index) = 1;
    pthread_mutex_unlock(&ls->lock);
    return st == IA_OK ? IA_OK : ia_fail_from(cx, &own);
}

/* Makes path[0..len), whose slash is cut out for the call. */
static int make_dir(char *path, size_t len)
{
    const char kept = path[len];
    path[len] = 0;
    const int err = mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : errno;
    path[len] = kept;
    return err;
}

static size_t parent_len(const char *path, size_t len)
{
    while (len > 0 && path[len - 1] != '/')
        len--;
    return len > 0 ? len - 1 : 0;
}

ia_status ia_local_make_parents(ia_ctx *cx, local_store *ls, const char *path)
{
    char *work = NULL;
    ia_status st = IA_OK;

    const size_t whole = parent_len(path, strlen(path));
    if (whole == 0)
        return IA_OK;
    work = ia_strndup(cx, path, whole);
    if (!work)
        return cx->err.code;
    /* up to the first directory that can be made, then down again */
    for (size_t len = whole;;) {
        struct stat have;
        const char kept = work[len];
        work[len] = 0;
        const bool there = stat(work, &have) == 0;
        work[len] = kept;
        if (!there)
            IA_GO(note_new_dir(cx, ls, work, len));
        const int err = there ? 0 : make_dir(work, len);
        if (err == ENOENT && parent_len(work, len) > 0) {
            len = parent_len(work, len);
            continue;
        }
        if (err != 0)
            IA_GO(ia_fail(cx, IA_ERR_IO, "cannot make directory %s: %s", work, strerror(err)));
        if (len == whole)
            break;
        len += 1 + strcspn(work + len + 1, "/");
    }
done:
    ia_free(work);
    return st;
}

static ia_status sync_dir(ia_ctx *cx, char *path, size_t len)
{
    const char kept = path[len];
    path[len] = 0;
    const char *dir = len > 0 ? path : "/";
    const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ia_status st = IA_OK;
    /* EINVAL: a file system without directory syncs has nothing to make durable */
    if (fd < 0 || (fsync(fd) != 0 && errno != EINVAL))
        st = ia_fail(cx, IA_ERR_IO, "cannot sync directory %s: %s", dir, strerror(errno));
    if (fd >= 0)
        close(fd);
    path[len] = kept;
    return st;
}

/* Reads or clears the mark of a directory whose own entry may not be durable yet. */
static bool is_new_dir(local_store *ls, const char *dir, size_t len, bool clear)
{
    size_t index;
    pthread_mutex_lock(&ls->lock);
    const bool found = ia_bytemap_find(&ls->new_dirs, dir, len, &index) &&
                       ia_bytemap_get(&ls->new_dirs, index) != 0;
    if (found && clear)
        *ia_bytemap_value(&ls->new_dirs, index) = 0;
    pthread_mutex_unlock(&ls->lock);
    return found;
}

ia_status ia_local_sync_dirs(ia_ctx *cx, local_store *ls, const char *path)
{
    char *work = ia_strdup(cx, path);
    ia_status st;

    if (!work)
        return cx->err.code;
    size_t len = parent_len(work, strlen(work));
    IA_GO(sync_dir(cx, work, len));
    while (len > 0) {
        const size_t up = parent_len(work, len);
        if (is_new_dir(ls, work, len, false)) {
            IA_GO(sync_dir(cx, work, up));
            (void)is_new_dir(ls, work, len, true);
        }
        len = up;
    }
done:
    ia_free(work);
    return st;
}

/* ---- reading ------------------------------------------------------------------------------- */

static ia_status file_read(ia_ctx *cx, ia_objfile *f, uint64_t off, size_t len, void *dst,
                           ia_io_class cls)
{
    const int fd = ((local_file *)f)->fd;
    uint8_t *at = dst;

    (void)cls;
    while (len > 0) {
        const ssize_t got = pread(fd, at, len, (off_t)off);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ia_fail(cx, IA_ERR_IO, "cannot read %s: %s", f->path, strerror(errno));
        if (got == 0)
            return ia_fail(cx, IA_ERR_CORRUPT, "%s ends at %llu, it was cut while it was open",
                           f->path, (unsigned long long)off);
        at += got;
        off += (uint64_t)got;
        len -= (size_t)got;
    }
    return IA_OK;
}

static void file_close(ia_objfile *f)
{
    local_file *lf = (local_file *)f;
    if (lf->fd >= 0)
        close(lf->fd);
    ia_free(f->path);
    ia_free(lf);
}

static const ia_objfile_ops file_ops = {file_read, file_close};

/* NOT_FOUND for a directory: it is not an object. */
static ia_status check_regular(ia_ctx *cx, const char *path, const struct stat *s)
{
    if (S_ISREG(s->st_mode))
        return IA_OK;
    if (S_ISDIR(s->st_mode))
        return ia_fail(cx, IA_ERR_NOT_FOUND, "%s is a directory", path);
    return ia_fail(cx, IA_ERR_IO, "%s is not a regular file", path);
}

static ia_status local_open(ia_ctx *cx, ia_objstore *os, const char *path, ia_objfile **out)
{
    local_file *f = NULL;
    struct stat s;
    ia_status st;

    (void)os;
    IA_GO(IA_NEW(cx, f));
    f->base.ops = &file_ops;
    f->fd = -1;
    IA_GO(IA_SET(cx, f->base.path, ia_strdup(cx, path)));
    /* non-blocking, so that a pipe of that name is refused below instead of waited for */
    f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (f->fd < 0)
        IA_GO(ia_local_fail(cx, "open", path, errno));
    if (fstat(f->fd, &s) != 0)
        IA_GO(ia_local_fail(cx, "examine", path, errno));
    IA_GO(check_regular(cx, path, &s));
    f->base.size = (uint64_t)s.st_size;
    *out = &f->base;
    f = NULL;
done:
    if (f)
        file_close(&f->base);
    return st;
}

static int64_t microseconds(const struct timespec *t)
{
    return (int64_t)t->tv_sec * 1000000 + t->tv_nsec / 1000;
}

static ia_status local_head(ia_ctx *cx, ia_objstore *os, const char *path, ia_objmeta *out)
{
    struct stat s;

    (void)os;
    if (stat(path, &s) != 0)
        return ia_local_fail(cx, "examine", path, errno);
    IA_TRY(check_regular(cx, path, &s));
    const int64_t written = microseconds(&s.st_mtim), changed = microseconds(&s.st_ctim);
    out->size = (uint64_t)s.st_size;
    out->mtime_us = written > changed ? written : changed;
    return IA_OK;
}

/* ---- listing ------------------------------------------------------------------------------- */

static bool entry_is_dir(DIR *d, const struct dirent *e)
{
    struct stat s;
    if (e->d_type == DT_DIR)
        return true;
    if (e->d_type != DT_UNKNOWN && e->d_type != DT_LNK)
        return false;
    return fstatat(dirfd(d), e->d_name, &s, 0) == 0 && S_ISDIR(s.st_mode);
}

static ia_status list_entries(ia_ctx *cx, DIR *d, const char *dir, const char *after,
                              ia_objlist *out)
{
    for (;;) {
        errno = 0;
        const struct dirent *e = readdir(d);
        if (!e && errno != 0)
            return ia_fail(cx, IA_ERR_IO, "cannot list %s: %s", dir, strerror(errno));
        if (!e)
            return IA_OK;
        const char *name = e->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || ia_name_is_temporary(name))
            continue;
        IA_TRY(ia_objlist_add(cx, out, name, strlen(name), entry_is_dir(d, e) ? "/" : ""));
        if (after && strcmp(out->names[out->n - 1], after) <= 0)
            ia_free(out->names[--out->n]);
    }
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static ia_status local_list(ia_ctx *cx, ia_objstore *os, const char *dir, const char *after,
                            size_t limit, ia_objlist *out)
{
    ia_objlist names = {0};
    ia_status st = IA_OK;
    DIR *d = opendir(dir);

    (void)os;
    if (!d && (errno == ENOENT || errno == ENOTDIR))
        return IA_OK;
    if (!d)
        return ia_fail(cx, IA_ERR_IO, "cannot list %s: %s", dir, strerror(errno));
    IA_GO(list_entries(cx, d, dir, after, &names));
    if (names.n > 1)
        qsort(names.names, names.n, sizeof *names.names, by_bytes);
    while (limit > 0 && names.n > limit)
        ia_free(names.names[--names.n]);
    *out = names;
    names = (ia_objlist){0};
done:
    closedir(d);
    ia_objlist_dispose(&names);
    return st;
}

/* ---- changing ------------------------------------------------------------------------------ */

static ia_status local_remove(ia_ctx *cx, ia_objstore *os, const char *path)
{
    const bool dir = path[strlen(path) - 1] == '/';
    struct stat s;

    (void)os;
    if ((dir ? rmdir(path) : unlink(path)) == 0)
        return IA_OK;
    const int err = errno;
    if (!dir && lstat(path, &s) == 0 && S_ISDIR(s.st_mode))
        return ia_fail(cx, IA_ERR_NOT_FOUND, "%s is a directory", path);
    return ia_local_fail(cx, "remove", path, err);
}

static ia_status local_link(ia_ctx *cx, ia_objstore *os, const char *from, const char *to)
{
    if (link(from, to) == 0)
        return IA_OK;
    if (errno == ENOENT && access(from, F_OK) == 0) {
        IA_TRY(ia_local_make_parents(cx, (local_store *)os, to));
        if (link(from, to) == 0)
            return IA_OK;
    }
    return ia_link_fail(cx, from, to, errno);
}

static ia_status local_touch(ia_ctx *cx, ia_objstore *os, const char *path)
{
    (void)os;
    if (utimensat(AT_FDCWD, path, NULL, 0) == 0)
        return IA_OK;
    if (errno == EPERM || errno == EACCES || errno == EROFS)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "cannot touch %s: %s", path, strerror(errno));
    return ia_local_fail(cx, "touch", path, errno);
}

static ia_status local_sync(ia_ctx *cx, ia_objstore *os, const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return ia_local_fail(cx, "open", path, errno);
    const int err = fsync(fd) == 0 ? 0 : errno;
    close(fd);
    if (err != 0)
        return ia_local_fail(cx, "sync", path, err);
    return ia_local_sync_dirs(cx, (local_store *)os, path);
}

static void local_close(ia_objstore *os)
{
    local_store *ls = (local_store *)os;
    ia_bytemap_dispose(&ls->new_dirs);
    pthread_mutex_destroy(&ls->lock);
    ia_free(ls);
}

static const ia_objstore_ops local_ops = {
    .open = local_open,
    .head = local_head,
    .put = ia_local_put,
    .create = ia_local_create,
    .list = local_list,
    .remove = local_remove,
    .link = local_link,
    .touch = local_touch,
    .sync = local_sync,
    .close = local_close,
};

ia_status ia_objstore_local(ia_ctx *cx, ia_objstore **out)
{
    local_store *ls = NULL;

    *out = NULL;
    IA_TRY(IA_NEW(cx, ls));
    ls->base = (ia_objstore){&local_ops, "local"};
    ls->budget = cx->budget;
    pthread_mutex_init(&ls->lock, NULL);
    *out = &ls->base;
    return IA_OK;
}
