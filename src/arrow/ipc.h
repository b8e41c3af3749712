/* ipc.h - Arrow IPC: streams and files, all types of types.h, LZ4 and ZSTD bodies. */
#ifndef IA_ARROW_IPC_H
#define IA_ARROW_IPC_H

#include "arrow/source.h"

/* ---- reading ------------------------------------------------------------------------------- */

/* Opens an IPC stream, or a file (it begins with "ARROW1") read front to back like one. Dictionary
 * batches, delta ones and replacements included, are resolved; bodies may be compressed. Every
 * batch is fully validated. Takes over *src (also on failure). `name` is used in messages. Errors:
 * CORRUPT and UNSUPPORTED (big-endian data, unions, run-end encoding, views, intervals, tensors; by
 * name). */
ia_status ia_ipc_stream_open(ia_ctx *cx, ia_source *src, const char *name,
                             ia_stream *out) IA_MUST_CHECK;
/* An IPC file in memory (mapped, say), through its footer: blocks in the footer's order. `data`
 * must outlive the stream, not the batches. */
ia_status ia_ipc_file_open(ia_ctx *cx, const void *data, size_t len, const char *name,
                           ia_stream *out) IA_MUST_CHECK;
/* The first bytes (8 are enough) of a file, or of a stream: 'f', 's'; 0 = neither. */
char ia_ipc_sniff(const void *data, size_t len);

/* ---- writing ------------------------------------------------------------------------------- */

typedef enum ia_ipc_codec { IA_IPC_PLAIN = -1, IA_IPC_LZ4 = 0, IA_IPC_ZSTD = 1 } ia_ipc_codec;

typedef struct ia_ipc_writer ia_ipc_writer;
typedef ia_status (*ia_ipc_sink)(ia_ctx *cx, void *self, const void *p, size_t n);

/* `file`: the container with a footer, else a stream. Bytes go to `sink` in order. */
ia_status ia_ipc_writer_open(ia_ctx *cx, const ia_schema *s, bool file, ia_ipc_codec codec,
                             ia_ipc_sink sink, void *self, ia_ipc_writer **out) IA_MUST_CHECK;
/* The batch's columns have the types of the writer's schema. A dictionary is written again when it
 * is another array than before; a file takes one dictionary per field, so that there the values are
 * extended by what is new. */
ia_status ia_ipc_writer_write(ia_ctx *cx, ia_ipc_writer *w, const ia_batch *b) IA_MUST_CHECK;
ia_status ia_ipc_writer_finish(ia_ctx *cx, ia_ipc_writer *w) IA_MUST_CHECK; /* end mark, footer */
void ia_ipc_writer_free(ia_ipc_writer *w);                                  /* accepts NULL */

/* ---- row ids ------------------------------------------------------------------------------- */

/* A Lance deletion file in ARROW_ARRAY form: one non-nullable UInt32 column "row_id"
 * (table format, deletion files). Values come back in stored order. Errors: CORRUPT. */
ia_status ia_ipc_read_row_ids(ia_ctx *cx, const uint8_t *p, size_t n, uint32_t **values,
                              size_t *count) IA_MUST_CHECK;
ia_status ia_ipc_write_row_ids(ia_ctx *cx, const uint32_t *values, size_t count,
                               ia_bytes *out) IA_MUST_CHECK;

#endif
