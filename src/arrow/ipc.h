/* ipc.h - the Arrow IPC subset: files of one UInt32 column, ZSTD and LZ4 buffers. */
#ifndef IA_ARROW_IPC_H
#define IA_ARROW_IPC_H

#include "arrow/array.h"

/* A Lance deletion file in ARROW_ARRAY form: one non-nullable UInt32 column "row_id"
 * (table format, deletion files). Values come back in stored order. Errors: CORRUPT. */
ia_status ia_ipc_read_row_ids(ia_ctx *cx, const uint8_t *p, size_t n, uint32_t **values,
                              size_t *count) IA_MUST_CHECK;
ia_status ia_ipc_write_row_ids(ia_ctx *cx, const uint32_t *values, size_t count,
                               ia_bytes *out) IA_MUST_CHECK;

#endif
