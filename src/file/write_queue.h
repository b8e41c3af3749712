/* write_queue.h - finished pages on their way into the file, in order, whoever encodes them. */
#ifndef IA_FILE_WRITE_QUEUE_H
#define IA_FILE_WRITE_QUEUE_H

#include "base/pool.h"
#include "file/write_priv.h"

typedef struct ia_wjob ia_wjob;

/* With a pool, pages are encoded by its threads and written in the order in which they were put:
 * the file's bytes do not depend on the number of threads. At most `cap` pages wait. */
typedef struct ia_wqueue {
    ia_fout out;
    uint32_t threads;
    ia_pool *pool; /* NULL until a page is worth it: pages are encoded at once */
    ia_wjob *jobs; /* a ring; comes with the pool */
    size_t cap, first, n;
} ia_wqueue;

/* The output is the caller's to fill. threads 0 counts as 1. */
void ia_wqueue_init(ia_wqueue *q, uint32_t threads);
/* The rows of the leaf become a page; the leaf is empty afterwards. Nothing without rows. */
ia_status ia_wqueue_put(ia_ctx *cx, ia_wqueue *q, ia_wleaf *l) IA_MUST_CHECK;
/* Until every page is in the file. */
ia_status ia_wqueue_drain(ia_ctx *cx, ia_wqueue *q) IA_MUST_CHECK;
void ia_wqueue_dispose(ia_wqueue *q);

/* Encoding {direct {Any {url, value}}} as member `number`. */
void ia_put_any(ia_ctx *cx, ia_buf *b, uint32_t number, const char *url, const void *value,
                size_t len);

/* write_blob.c */
/* Writes the payloads of the run and keeps their descriptors as values. */
ia_status ia_wblob_put(ia_ctx *cx, ia_wleaf *l, ia_wqueue *q, const ia_array *a, uint64_t slot,
                       uint64_t n, const uint8_t *ev) IA_MUST_CHECK;
/* The page of descriptors; puts the levels of nulls into them. */
ia_status ia_wblob_page(ia_ctx *cx, ia_wleaf *l, const ia_wlevels *lv, ia_wpage *out) IA_MUST_CHECK;

#endif
