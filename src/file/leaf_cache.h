/* leaf_cache.h - open pages that takes leave behind, so that the next take need not open them. */
#ifndef IA_FILE_LEAF_CACHE_H
#define IA_FILE_LEAF_CACHE_H

#include "file/leaf_priv.h"

/* How a leaf is opened: what ia_leaf_init wants. `type` is borrowed. */
typedef struct ia_leafspec {
    uint32_t column;
    const ia_type *type;
    size_t path[IA_MAX_LAYERS];
    size_t path_len;
    ia_io_class cls;
} ia_leafspec;

/* A leaf that reads one page; whoever took it out has it alone. */
typedef struct ia_leafhold {
    ia_leaf leaf;
    ia_leafspec spec; /* its type is retained */
    size_t page;
    uint64_t bytes; /* about what it keeps in memory */
    struct ia_leafhold *next;
} ia_leafhold;

/* From the cache of f, or fresh. Threads: safe. Errors: those of ia_leaf_init. */
ia_status ia_leaf_take_out(ia_ctx *cx, ia_file *f, const ia_leafspec *spec, size_t page,
                           ia_leafhold **out) IA_MUST_CHECK;
/* Keeps h for the next take as long as memory is not short; `ok` false: it only goes. */
void ia_leaf_give_back(ia_ctx *cx, ia_file *f, ia_leafhold *h, bool ok);
/* Closes all that lie idle. */
void ia_leaf_cache_empty(ia_file *f);

#endif
