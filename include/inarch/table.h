/* table.h - any Lance dataset directory, with or without a graph around it. */
#ifndef INARCH_TABLE_H
#define INARCH_TABLE_H

#include "inarch/arrow_abi.h"
#include "inarch/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One version of a dataset, open. One thread at a time. */
typedef struct inarch_table inarch_table;

typedef struct inarch_table_at {
    size_t struct_size;
    const char *branch; /* Lance branch; NULL = main */
    uint64_t version;   /* 0 = newest */
} inarch_table_at;
#define INARCH_TABLE_AT_INIT                                                                       \
    {                                                                                              \
        sizeof(inarch_table_at), 0, 0                                                              \
    }

/* Errors: NOT_FOUND, CORRUPT, UNSUPPORTED (unknown feature flag or file version, by name). */
INARCH_API inarch_status inarch_table_open(const char *path, const inarch_table_at *at,
                                           const inarch_options *opt, inarch_table **out);
/* Creates an empty dataset of that schema (moved from *schema). EXISTS. */
INARCH_API inarch_status inarch_table_create(const char *path, struct ArrowSchema *schema,
                                             const inarch_options *opt, inarch_table **out);
INARCH_API void inarch_table_close(inarch_table *t);
INARCH_API uint64_t inarch_table_version(const inarch_table *t);
INARCH_API inarch_status inarch_table_schema(inarch_table *t, struct ArrowSchema *out);

typedef struct inarch_fragment_info {
    uint64_t id, physical_rows, deleted_rows;
    size_t files;
} inarch_fragment_info;
typedef struct inarch_table_details {
    const char *path, *branch, *data_version, *writer;
    uint64_t version, rows, next_row_id;
    int64_t timestamp_us;
    bool stable_row_ids;
    size_t n_fields;
    const char *const *field_names;
    const char *const *field_types;
    const bool *field_nullable;
    size_t n_fragments;
    const inarch_fragment_info *fragments;
    size_t n_versions;
    const uint64_t *versions;
    const int64_t *version_times_us; /* ascending */
    void *owner;
} inarch_table_details;
INARCH_API inarch_status inarch_table_info_read(inarch_table *t, inarch_table_details *out);
INARCH_API void inarch_table_details_dispose(inarch_table_details *d);

typedef struct inarch_scan_options {
    size_t struct_size;
    const char *const *columns;
    size_t n_columns;    /* NULL = all; _rowid, _rowaddr, _row_created_at_version,
                            _row_last_updated_at_version may be named */
    const char *filter;  /* SQL-like: "id = 42 AND x IS NOT NULL"; NULL = none */
    uint64_t limit;      /* 0 = none */
    uint32_t batch_rows; /* 0 = 8192 */
} inarch_scan_options;
#define INARCH_SCAN_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(inarch_scan_options), 0, 0, 0, 0, 0                                                 \
    }
/* The stream holds what it needs of the table. */
INARCH_API inarch_status inarch_table_scan(inarch_table *t, const inarch_scan_options *opt,
                                           struct ArrowArrayStream *out);
INARCH_API inarch_status inarch_table_count(inarch_table *t, const char *filter, uint64_t *out);
/* Rows by stable row id (or row address on tables without), in the given order; NOT_FOUND names a
 * missing one. */
INARCH_API inarch_status inarch_table_take(inarch_table *t, const uint64_t *row_ids, size_t n,
                                           const char *const *columns, size_t n_columns,
                                           struct ArrowArrayStream *out);

/* Appends every batch of `rows` (taken over) as one version; *t then shows it. Refused (INVALID
 * naming the graph) when a graph claims the directory. Errors: CONFLICT, CONSTRAINT (null in a
 * required column), UNSUPPORTED. */
INARCH_API inarch_status inarch_table_append(inarch_table *t, struct ArrowArrayStream *rows);
/* Deletes the rows that pass the filter; *deleted (may be NULL) counts them. One version. */
INARCH_API inarch_status inarch_table_delete(inarch_table *t, const char *filter,
                                             uint64_t *deleted);
/* Converts JSON lines (objects with the table's columns) to an Arrow stream of its schema. `text`
 * must outlive it. */
INARCH_API inarch_status inarch_table_jsonl(inarch_table *t, const char *text, size_t len,
                                            const char *name, struct ArrowArrayStream *out);
/* Renders an Arrow stream (taken over) in "table", "json", "jsonl" or "csv". */
INARCH_API inarch_status inarch_stream_render(struct ArrowArrayStream *rows, const char *format,
                                              inarch_write_fn write, void *payload);

#ifdef __cplusplus
}
#endif
#endif
