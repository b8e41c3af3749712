/* projection.h - which physical columns of a file a read needs, and what its rows look like. */
#ifndef IA_FILE_PROJECTION_H
#define IA_FILE_PROJECTION_H

#include "file/file.h"

/* Columns of a read. Owned by whoever holds it; ia_projection_dispose. */
typedef struct ia_projection {
    ia_schema *schema;    /* of the rows */
    ia_file_column *cols; /* one per field of schema, for ia_file_scan_open and ia_file_take */
    size_t n;
    int32_t *leaves; /* storage of cols[k].leaf_columns */
} ia_projection;

/* `all` is the file's exact schema (ia_lschema_to_arrow_exact). A path is a column, or "a.b.c" for
 * a field below structs and lists; lists may be skipped or named by their child ("a.item.b"). The
 * fields around it stay, their other fields go. Columns come in the order of their first mention,
 * fields below them in the file's order. paths NULL = everything. Errors: NOT_FOUND naming the
 * path, INVALID for a part of a map or of a packed struct. */
ia_status ia_projection_of(ia_ctx *cx, const ia_file *f, const ia_schema *all,
                           const char *const *paths, size_t n_paths,
                           ia_projection *out) IA_MUST_CHECK;
void ia_projection_dispose(ia_projection *p);

#endif
