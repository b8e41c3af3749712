/* source.h - where the readers of row formats get their bytes: a callback or memory. */
#ifndef IA_ARROW_SOURCE_H
#define IA_ARROW_SOURCE_H

#include "arrow/array.h"

/* Bytes in order. read gives up to n bytes at p and *got = their number; 0 only at the end.
 * All-zero is an empty source. */
typedef struct ia_source {
    ia_status (*read)(ia_ctx *cx, struct ia_source *s, void *p, size_t n, size_t *got);
    void (*close)(struct ia_source *s); /* frees private part; NULL allowed */
    void *self;
    const uint8_t *data; /* memory sources: what is left; must outlive the source */
    size_t len;
} ia_source;

ia_source ia_source_of(const void *data, size_t len); /* borrowed memory */
/* Fewer than n bytes only at the end. */
ia_status ia_source_read(ia_ctx *cx, ia_source *s, void *p, size_t n, size_t *got) IA_MUST_CHECK;
void ia_source_close(ia_source *s); /* accepts a closed one */

#endif
