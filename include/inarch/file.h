/* file.h - single Lance data files (format 2.0 to 2.3): read, take, check, describe, write. */
#ifndef INARCH_FILE_H
#define INARCH_FILE_H

#include "inarch/arrow_abi.h"
#include "inarch/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An open file. Immutable; one thread at a time (its own scans may use several threads). */
typedef struct inarch_file inarch_file;

/* Opens one `.lance` data file. Errors: NOT_FOUND, CORRUPT (file, byte), UNSUPPORTED (version by
 * number; the legacy format by name). */
INARCH_API inarch_status inarch_file_open(const char *path, const inarch_options *opt,
                                          inarch_file **out);
INARCH_API void inarch_file_close(inarch_file *f);
INARCH_API uint64_t inarch_file_rows(const inarch_file *f);
INARCH_API uint32_t inarch_file_minor(const inarch_file *f); /* of format version 2.minor */
/* Dictionary types stay dictionary types, blob columns are their descriptors (position, size). */
INARCH_API inarch_status inarch_file_schema(inarch_file *f, struct ArrowSchema *out);

typedef struct inarch_file_scan_options {
    size_t struct_size;
    const char *const *columns; /* NULL = all. "a.b.c" names a nested field: the result keeps the
                                   structs and lists around it and drops their other fields */
    size_t n_columns;
    uint64_t begin, end; /* rows [begin, end); end 0 = to the last */
    uint32_t batch_rows; /* 0 = 8192 */
    uint32_t threads;    /* 0 or 1 = none besides the caller's */
} inarch_file_scan_options;
#define INARCH_FILE_SCAN_OPTIONS_INIT                                                              \
    {                                                                                              \
        sizeof(inarch_file_scan_options), 0, 0, 0, 0, 0, 0                                         \
    }
/* Rows in order. The stream holds the file open. Errors: NOT_FOUND (column), CORRUPT naming file,
 * column, page and byte. */
INARCH_API inarch_status inarch_file_scan(inarch_file *f, const inarch_file_scan_options *opt,
                                          struct ArrowArrayStream *out);
/* Rows by position, in the given order, repeats allowed; reads only the chunks that hold them.
 * INVALID names a position past the end. Of the options columns and threads count. */
INARCH_API inarch_status inarch_file_take(inarch_file *f, const uint64_t *rows, size_t n,
                                          const inarch_file_scan_options *opt,
                                          struct ArrowArrayStream *out);
/* Payload of a blob descriptor: `out` has room for `size` bytes. */
INARCH_API inarch_status inarch_file_read_blob(inarch_file *f, uint64_t position, uint64_t size,
                                               void *out);
typedef struct inarch_file_describe_options {
    size_t struct_size;
    bool text;    /* a tree to read instead of JSON */
    bool pages;   /* text: neighbours with the same description are not folded, buffers are shown */
    bool measure; /* decodes everything, to know what each column takes in memory */
} inarch_file_describe_options;
#define INARCH_FILE_DESCRIBE_OPTIONS_INIT                                                          \
    {                                                                                              \
        sizeof(inarch_file_describe_options), 0, 0, 0                                              \
    }
/* Container, schema, columns, pages, layouts and encodings. *out: inarch_free(). */
INARCH_API inarch_status inarch_file_describe(inarch_file *f,
                                              const inarch_file_describe_options *opt, char **out);
/* Decodes everything and checks every bound; *rows = rows checked. */
INARCH_API inarch_status inarch_file_verify(inarch_file *f, uint64_t *rows);
/* Requests and bytes read so far, metadata included. */
INARCH_API void inarch_file_io(const inarch_file *f, uint64_t *requests, uint64_t *bytes);

typedef struct inarch_file_write_options {
    size_t struct_size;
    uint32_t minor;          /* 1 (0 means this) or 2 */
    uint32_t chunk_bytes;    /* mini-block chunks; 0 = default */
    uint64_t page_bytes;     /* 0 = 8 MiB */
    const char *encoding;    /* default of columns without metadata, see the command's manual */
    const char *compression; /* "none", "lz4", "zstd"; NULL = none but where values are large */
    int32_t compression_level;
    uint32_t threads;
} inarch_file_write_options;
#define INARCH_FILE_WRITE_OPTIONS_INIT                                                             \
    {                                                                                              \
        sizeof(inarch_file_write_options), 0, 0, 0, 0, 0, 0, 0                                     \
    }
typedef struct inarch_file_written {
    uint64_t rows, bytes;
    uint32_t columns;
} inarch_file_written;
/* Writes the stream (released in any case) to a new file, making missing directories; EXISTS. Field
 * metadata `lance-encoding:...` is honoured per column. A failed write leaves nothing. */
INARCH_API inarch_status inarch_file_write(const char *path, struct ArrowArrayStream *data,
                                           const inarch_file_write_options *opt,
                                           const inarch_options *iopt, inarch_file_written *out);

#ifdef __cplusplus
}
#endif
#endif
