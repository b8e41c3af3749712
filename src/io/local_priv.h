/* local_priv.h - the local store's state, shared by local.c and local_write.c. */
#ifndef IA_IO_LOCAL_PRIV_H
#define IA_IO_LOCAL_PRIV_H

#include <pthread.h>

#include "base/map.h"
#include "io/objstore.h"

typedef struct local_store {
    ia_objstore base;
    ia_budget *budget;    /* of the context that made the store; pays for new_dirs */
    pthread_mutex_t lock; /* protects new_dirs */
    ia_bytemap new_dirs;  /* directories made here; value 1 until their entry is durable */
} local_store;

/* Makes the directory of `path` and its missing parents. */
ia_status ia_local_make_parents(ia_ctx *cx, local_store *ls, const char *path) IA_MUST_CHECK;
/* Makes the directory entry of `path` durable, and those of directories this store made above. */
ia_status ia_local_sync_dirs(ia_ctx *cx, local_store *ls, const char *path) IA_MUST_CHECK;
/* IA_ERR_NOT_FOUND for a missing object, else IA_ERR_IO, with path and reason. */
ia_status ia_local_fail(ia_ctx *cx, const char *doing, const char *path, int err);

ia_status ia_local_put(ia_ctx *cx, ia_objstore *os, const char *path, const void *data, size_t len,
                       uint32_t flags) IA_MUST_CHECK;
ia_status ia_local_create(ia_ctx *cx, ia_objstore *os, const char *path,
                          ia_objwriter **out) IA_MUST_CHECK;

#endif
