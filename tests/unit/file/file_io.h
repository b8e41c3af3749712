/* file_io.h - opening, scanning and taking all columns of a file; building raw files by hand. */
#ifndef IA_TEST_FILE_IO_H
#define IA_TEST_FILE_IO_H

#include "file/projection.h"
#include "file_gen.h"

typedef struct opened {
    ia_file *f;
    ia_projection p;
    ia_schema *s;         /* p's */
    ia_file_column *cols; /* p's: every top-level column */
} opened;

ia_status opened_init(ia_ctx *cx, ia_objstore *os, const char *path, opened *o);
void opened_dispose(opened *o);
/* Appends one line per row, the columns' texts with a space between. */
ia_status opened_scan(ia_ctx *cx, opened *o, uint64_t begin, uint64_t end, uint32_t batch,
                      ia_buf *out);
ia_status opened_take(ia_ctx *cx, opened *o, const uint32_t *rows, size_t n, ia_buf *out);
void batch_text(ia_ctx *cx, const ia_batch *b, ia_buf *out);

/* Writes b as a file; opt may be NULL. */
ia_status write_batch(ia_ctx *cx, ia_objstore *os, const char *path, const ia_batch *b,
                      const ia_file_writer_options *opt, ia_file_info *info);

/* A file of one column "c" with one page made of the given layout message (minor 0: ArrayEncoding,
 * RAW_PLANAR: PlanarLayout of format 2.3) and buffers (hex, spaces allowed; NULL ends). */
enum { RAW_PLANAR = 0x100 | 3 };
ia_status write_raw(ia_ctx *cx, ia_objstore *os, const char *path, const ia_field *field,
                    uint64_t rows, uint32_t minor, const char *layout, const char *const *buffers);
void put_hexes(ia_ctx *cx, ia_buf *out, const char *hex);

#endif
