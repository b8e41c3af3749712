/* query.h - queries, mutations and bulk load. */
#ifndef INARCH_QUERY_H
#define INARCH_QUERY_H

#include "inarch/arrow_abi.h"
#include "inarch/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct inarch_query_options {
    size_t struct_size;
    const char *name;   /* query of a text with several; NULL when there is one */
    const char *path;   /* names the text in messages; NULL = "query" */
    const char *params; /* JSON object; NULL = none */
    const char *at;     /* branch or commit to read; NULL = main. Not for mutations */
} inarch_query_options;
#define INARCH_QUERY_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(inarch_query_options), 0, 0, 0, 0                                                   \
    }

/* A finished read: schema, batches, the commit it saw. */
typedef struct inarch_result inarch_result;
/* Errors: INVALID (text with line and column, parameters), NOT_FOUND, OVER_BUDGET. Out:
 * inarch_result_close(). */
INARCH_API inarch_status inarch_query(inarch_graph *g, const char *text,
                                      const inarch_query_options *opt, inarch_result **out);
INARCH_API void inarch_result_close(inarch_result *r);
INARCH_API uint64_t inarch_result_rows(const inarch_result *r);
INARCH_API const char *inarch_result_commit(const inarch_result *r); /* borrowed */
/* Moves the rows out as an Arrow stream; the caller releases it. Once per result. */
INARCH_API inarch_status inarch_result_stream(inarch_result *r, struct ArrowArrayStream *out);
/* Renders in "table", "json", "jsonl", "csv" or "kv" (languages page 2.8). INVALID for another
 * format. */
INARCH_API inarch_status inarch_result_render(inarch_result *r, const char *format,
                                              inarch_write_fn write, void *payload);

typedef struct inarch_mutate_result {
    char commit[27]; /* "" when nothing matched */
    char query_name[64];
    uint64_t nodes, edges; /* inserted + updated, or deleted */
} inarch_mutate_result;
/* All statements of one mutation as one commit. Errors: INVALID, CONSTRAINT, CONFLICT,
 * PRECONDITION, DRIFT. */
INARCH_API inarch_status inarch_mutate(inarch_graph *g, const char *text,
                                       const inarch_query_options *opt,
                                       const inarch_write_options *wopt, inarch_mutate_result *out);

typedef enum inarch_load_mode {
    INARCH_LOAD_APPEND = 0,
    INARCH_LOAD_MERGE,
    INARCH_LOAD_OVERWRITE
} inarch_load_mode;
typedef struct inarch_load_count {
    const char *kind, *type;
    uint64_t rows;
} inarch_load_count;
typedef struct inarch_load_result {
    char commit[27]; /* "" when the input had no rows */
    uint64_t total;
    size_t n;
    const inarch_load_count *counts; /* nodes then edges, by name */
    void *owner;
} inarch_load_result;
/* Fills dst with up to cap bytes; returns the number, 0 at the end, < 0 on failure. */
typedef int64_t (*inarch_read_fn)(void *dst, size_t cap, void *payload);
/* Loads JSON lines as one commit or nothing. total_bytes (0 = unknown) is for progress; `name` for
 * messages. */
INARCH_API inarch_status inarch_load(inarch_graph *g, inarch_load_mode mode, inarch_read_fn read,
                                     void *payload, uint64_t total_bytes, const char *name,
                                     const inarch_write_options *wopt, inarch_load_result *out);
/* Loads an Arrow stream (taken over) into one type; kind is "node" or "edge". Columns by name; id
 * may be left out where a key makes it or a fresh one will do, nullable columns may be left out. */
INARCH_API inarch_status inarch_load_rows(inarch_graph *g, const char *kind, const char *type,
                                          inarch_load_mode mode, struct ArrowArrayStream *rows,
                                          const inarch_write_options *wopt,
                                          inarch_load_result *out);
INARCH_API void inarch_load_result_dispose(inarch_load_result *r);

#ifdef __cplusplus
}
#endif
#endif
