/* objstore.h - object stores behind one vtable: local files, memory, decorators. */
#ifndef IA_IO_OBJSTORE_H
#define IA_IO_OBJSTORE_H

#include "base/str.h"

/* Paths are absolute and normalised ("/data/my.graph/Person.lance/data/x.lance"): no "." or "..",
 * no doubled or trailing slash. Directories appear with the first object in them.
 * Objects are immutable once written, but for the few named in put(). Threads: stores are safe to
 * share, and so is reading from an ia_objfile; an ia_objwriter is used by one thread at a time. */
typedef struct ia_objstore ia_objstore;
typedef struct ia_objfile ia_objfile;     /* an object open for ranged reads */
typedef struct ia_objwriter ia_objwriter; /* a new object being streamed */

/* What a byte range is for; the counting store adds up bytes per class. */
typedef enum ia_io_class {
    IA_IO_META,    /* manifests, transactions, JSON, file footers, page tables, deletion files */
    IA_IO_KEY,     /* pages of id, src, dst and of columns that a constraint names */
    IA_IO_PAYLOAD, /* pages of every other column */
    IA_IO_CLASSES
} ia_io_class;

typedef struct ia_objmeta {
    uint64_t size;
    int64_t mtime_us; /* later of mtime and ctime, microseconds since 1970 */
} ia_objmeta;

typedef struct ia_objlist {  /* names in one directory, ascending by bytes; owned */
    char **names;            /* without the directory; sub-directories end in "/" */
    size_t n, cap;
} ia_objlist;

enum {
    IA_PUT_IF_ABSENT = 1u << 0, /* EXISTS when the name is taken; else replaced atomically */
    IA_PUT_SYNC = 1u << 1       /* file and directory are durable when the call returns */
};

/* Backend table. Use the ia_objstore_* calls below. */
typedef struct ia_objstore_ops {
    ia_status (*open)(ia_ctx *cx, ia_objstore *os, const char *path, ia_objfile **out);
    ia_status (*head)(ia_ctx *cx, ia_objstore *os, const char *path, ia_objmeta *out);
    ia_status (*put)(ia_ctx *cx, ia_objstore *os, const char *path, const void *data, size_t len,
                     uint32_t flags);
    ia_status (*create)(ia_ctx *cx, ia_objstore *os, const char *path, ia_objwriter **out);
    ia_status (*list)(ia_ctx *cx, ia_objstore *os, const char *dir, const char *after, size_t limit,
                      ia_objlist *out);
    ia_status (*remove)(ia_ctx *cx, ia_objstore *os, const char *path);
    ia_status (*link)(ia_ctx *cx, ia_objstore *os, const char *from, const char *to);
    ia_status (*touch)(ia_ctx *cx, ia_objstore *os, const char *path);
    ia_status (*sync)(ia_ctx *cx, ia_objstore *os, const char *path);
    void (*close)(ia_objstore *os);
} ia_objstore_ops;

struct ia_objstore {
    const ia_objstore_ops *ops;
    const char *name; /* "local", "memory", ... for messages; static */
};

/* Opens for reading. Errors: NOT_FOUND, IO. */
ia_status ia_objstore_open(ia_ctx *cx, ia_objstore *os, const char *path,
                           ia_objfile **out) IA_MUST_CHECK;
/* Whole object, charged to the budget. Errors: NOT_FOUND, IO. */
ia_status ia_objstore_get(ia_ctx *cx, ia_objstore *os, const char *path,
                          ia_bytes *out) IA_MUST_CHECK;
ia_status ia_objstore_head(ia_ctx *cx, ia_objstore *os, const char *path,
                           ia_objmeta *out) IA_MUST_CHECK;
bool ia_objstore_exists(ia_ctx *cx, ia_objstore *os, const char *path); /* false on any error */
/* Atomic: readers see nothing or all. With IF_ABSENT exactly one of many callers wins.
 * Errors: EXISTS, IO, UNSUPPORTED (the file system has neither link nor rename-without-replace). */
ia_status ia_objstore_put(ia_ctx *cx, ia_objstore *os, const char *path, const void *data,
                          size_t len, uint32_t flags) IA_MUST_CHECK;
/* Streams a new object under a name that the caller made unique; visible after finish. */
ia_status ia_objstore_create(ia_ctx *cx, ia_objstore *os, const char *path,
                             ia_objwriter **out) IA_MUST_CHECK;
/* Names in directory `dir` greater than `after` (NULL = all), at most `limit` (0 = all).
 * A missing directory gives an empty list. Temporary names of put() are left out. */
ia_status ia_objstore_list(ia_ctx *cx, ia_objstore *os, const char *dir, const char *after,
                           size_t limit, ia_objlist *out) IA_MUST_CHECK;
/* A path ending in "/" names a directory: it goes when it is empty (else IO); stores that keep no
 * directories answer NOT_FOUND. Errors: NOT_FOUND, IO. */
ia_status ia_objstore_remove(ia_ctx *cx, ia_objstore *os, const char *path) IA_MUST_CHECK;
/* A second name of the same bytes (hard link), never replacing: EXISTS when `to` is taken,
 * UNSUPPORTED when this store or file system cannot link (EPERM, EXDEV, EMLINK, EOPNOTSUPP). */
ia_status ia_objstore_link(ia_ctx *cx, ia_objstore *os, const char *from,
                           const char *to) IA_MUST_CHECK;
/* Sets the modification time to now. Errors: NOT_FOUND, UNSUPPORTED (not permitted), IO. */
ia_status ia_objstore_touch(ia_ctx *cx, ia_objstore *os, const char *path) IA_MUST_CHECK;
/* Copies through put(); never replaces (EXISTS). Bytes are counted under `cls`. */
ia_status ia_objstore_copy(ia_ctx *cx, ia_objstore *os, const char *from, const char *to,
                           ia_io_class cls, uint32_t flags) IA_MUST_CHECK;
/* Makes an existing object and its directory durable. */
ia_status ia_objstore_sync(ia_ctx *cx, ia_objstore *os, const char *path) IA_MUST_CHECK;
void ia_objstore_close(ia_objstore *os); /* accepts NULL */
void ia_objlist_dispose(ia_objlist *l);

/* Ranged read; exactly len bytes or CORRUPT ("... ends at N"). Path of the file for messages. */
typedef struct ia_objfile_ops {
    ia_status (*read)(ia_ctx *cx, ia_objfile *f, uint64_t off, size_t len, void *dst,
                      ia_io_class cls);
    void (*close)(ia_objfile *f);
} ia_objfile_ops;
struct ia_objfile {
    const ia_objfile_ops *ops;
    char *path;
    uint64_t size;
};
ia_status ia_objfile_read(ia_ctx *cx, ia_objfile *f, uint64_t off, size_t len, void *dst,
                          ia_io_class cls) IA_MUST_CHECK;
void ia_objfile_close(ia_objfile *f);

typedef struct ia_objwriter_ops {
    ia_status (*write)(ia_ctx *cx, ia_objwriter *w, const void *data, size_t len, ia_io_class cls);
    ia_status (*finish)(ia_ctx *cx, ia_objwriter *w, uint32_t flags);
    void (*close)(ia_objwriter *w);
} ia_objwriter_ops;
struct ia_objwriter {
    const ia_objwriter_ops *ops;
    char *path;
    uint64_t pos; /* bytes written so far */
};
ia_status ia_objwriter_write(ia_ctx *cx, ia_objwriter *w, const void *data, size_t len,
                             ia_io_class cls) IA_MUST_CHECK;
/* Publishes the object (IA_PUT_SYNC honoured). EXISTS when the name was taken. */
ia_status ia_objwriter_finish(ia_ctx *cx, ia_objwriter *w, uint32_t flags) IA_MUST_CHECK;
/* Frees; an unfinished object leaves nothing under its name. Accepts NULL. */
void ia_objwriter_close(ia_objwriter *w);

/* ---- stores -------------------------------------------------------------------------------- */

/* Local files. Put-if-absent by link(2) from a temporary name in the same directory, or
 * renameat2(RENAME_NOREPLACE). Files are created 0644 & ~umask. */
ia_status ia_objstore_local(ia_ctx *cx, ia_objstore **out) IA_MUST_CHECK;
/* Proves that directory `dir` (created if missing) can put-if-absent; leaves nothing behind.
 * Errors: UNSUPPORTED naming the directory. */
ia_status ia_objstore_probe(ia_ctx *cx, ia_objstore *os, const char *dir) IA_MUST_CHECK;
/* In memory; can_link as asked. */
ia_status ia_objstore_memory(ia_ctx *cx, bool can_link, ia_objstore **out) IA_MUST_CHECK;

/* Counters of one counting store. Atomic; read any time. */
typedef struct ia_io_counts {
    uint64_t read_bytes[IA_IO_CLASSES];
    uint64_t write_bytes[IA_IO_CLASSES];
    uint64_t reads, writes, lists, links, heads, removes;
} ia_io_counts;
/* Decorates `inner` (not owned). */
ia_status ia_objstore_counting(ia_ctx *cx, ia_objstore *inner, ia_objstore **out) IA_MUST_CHECK;
void ia_objstore_counts(const ia_objstore *counting, ia_io_counts *out);

/* Fault injection over `inner` (not owned). Operation number k (0-based, counted over all calls
 * that change the store and, if count_reads, all reads) is cut: CUT_BEFORE fails without effect,
 * CUT_TORN leaves a half-written temporary or half-streamed file and fails, CUT_AFTER takes effect
 * and then fails. From then on every operation fails with IO ("cut"), as after a power loss, until
 * reset. */
typedef enum ia_fault_mode { IA_CUT_BEFORE, IA_CUT_TORN, IA_CUT_AFTER } ia_fault_mode;
ia_status ia_objstore_faulty(ia_ctx *cx, ia_objstore *inner, ia_objstore **out) IA_MUST_CHECK;
/* k < 0: off */
void ia_fault_set(ia_objstore *faulty, int64_t k, ia_fault_mode mode, bool count_reads);
int64_t ia_fault_seen(const ia_objstore *faulty); /* operations counted since the last set */
bool ia_fault_fired(const ia_objstore *faulty);
/* Every link from now on fails as the errno says (EPERM, EXDEV, EMLINK); 0 = works. */
void ia_fault_links(ia_objstore *faulty, int err);

/* ---- paths --------------------------------------------------------------------------------- */
/* dir + "/" + name (any number of parts; NULL ends). Owner: the caller. */
ia_status ia_path_join(ia_ctx *cx, char **out, ...) IA_MUST_CHECK;
/* Absolute, normalised form of a user's path or file:// URI (symlinks of existing parents
 * resolved). Other schemes: UNSUPPORTED by name. */
ia_status ia_path_absolute(ia_ctx *cx, const char *user, char **out) IA_MUST_CHECK;
const char *ia_path_base(const char *path); /* part after the last slash; borrowed */

#endif
