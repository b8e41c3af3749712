/* data.h - rows in the formats of files and pipes: Arrow IPC, JSON lines, CSV. */
#ifndef INARCH_DATA_H
#define INARCH_DATA_H

#include "inarch/arrow_abi.h"
#include "inarch/graph.h"
#include "inarch/query.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct inarch_data_options {
    size_t struct_size;
    const char *format; /* "arrow" (IPC stream or file), "jsonl", "csv"; NULL = by its start */
    const char *name;   /* for messages; NULL = "data" */
    struct ArrowSchema
        *schema;         /* types of JSON lines and CSV (moved in); NULL = by the first rows */
    uint32_t batch_rows; /* 0 = 8192; Arrow batches stay as they are */
} inarch_data_options;
#define INARCH_DATA_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(inarch_data_options), 0, 0, 0, 0                                                    \
    }
/* Rows as a stream, read while it is pulled; `payload` must outlive it. JSON lines: one object a
 * line, null or absent members are null. CSV: RFC 4180 with a header line, an empty field that is
 * not quoted is null. Errors, here or of the stream: INVALID "{name}:{line}: ...", CORRUPT,
 * UNSUPPORTED (by name). */
INARCH_API inarch_status inarch_data_open(inarch_read_fn read, void *payload,
                                          const inarch_data_options *opt,
                                          const inarch_options *iopt, struct ArrowArrayStream *out);
/* Writes a stream (taken over), batch by batch, as what inarch_data_open reads back: "arrow" (an
 * IPC stream), "arrow-file", "jsonl" or "csv". */
INARCH_API inarch_status inarch_data_write(struct ArrowArrayStream *rows, const char *format,
                                           const inarch_options *iopt, inarch_write_fn write,
                                           void *payload);

#ifdef __cplusplus
}
#endif
#endif
