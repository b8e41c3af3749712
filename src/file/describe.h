/* describe.h - what a file is made of: container, schema, columns, pages; as JSON and as text. */
#ifndef IA_FILE_DESCRIBE_H
#define IA_FILE_DESCRIBE_H

#include "base/arena.h"
#include "file/file.h"

/* One page. Texts live in the description's arena; NULL = the page has no such thing. */
typedef struct ia_pagedesc {
    uint64_t row, rows; /* from the start of its column; items in list children of format 2.0 */
    const uint64_t *offsets, *sizes; /* of n_buffers; borrowed from the file */
    size_t n_buffers;
    uint64_t bytes;
    const char *layout;           /* "mini", "zip", "constant", "blob", "sparse", "array" (2.0) */
    const char *layers;           /* leaf outwards: "I?,L" */
    const char *values;           /* encoding tree: "fsst(variable(flat32))" */
    const char *rep, *def, *dict; /* encodings of levels and dictionary */
    const char *text;             /* all of that in one line */
    const char *refused;          /* why the page cannot be read; the rest is then empty */
    uint64_t items, chunks, dict_items;
} ia_pagedesc;

typedef struct ia_columndesc {
    const char *path; /* "a.item.b"; "" when the schema does not account for the column */
    const char *type;
    uint64_t meta_pos, meta_len, bytes; /* bytes of all buffers */
    bool has_arrow;
    uint64_t arrow_bytes; /* of the values in memory, when known */
    ia_pagedesc *pages;
    size_t n_pages;
} ia_columndesc;

typedef struct ia_filedesc {
    ia_arena arena;
    const char *path;
    uint64_t size, rows, meta_pos, column_table, global_table;
    uint32_t major, minor;
    uint64_t *global; /* position, size of each global buffer */
    uint32_t n_global;
    const ia_lschema *schema; /* borrowed from the file */
    ia_columndesc *columns;
    uint32_t n_columns;
} ia_filedesc;

/* `exact` is the file's exact schema. measured: decodes everything to know arrow_bytes of every
 * column; else it is known for values of fixed width outside of lists. Pages in encodings we do not
 * read are described as refused. Errors: CORRUPT. Dispose *out after success. */
ia_status ia_filedesc_read(ia_ctx *cx, ia_file *f, const ia_schema *exact, bool measured,
                           ia_filedesc *out) IA_MUST_CHECK;
void ia_filedesc_dispose(ia_filedesc *d);
ia_status ia_filedesc_json(ia_ctx *cx, const ia_filedesc *d, ia_bytes *out) IA_MUST_CHECK;
/* A tree. all_pages: no folding of neighbours with the same description; their buffers too. */
ia_status ia_filedesc_text(ia_ctx *cx, const ia_filedesc *d, bool all_pages,
                           ia_bytes *out) IA_MUST_CHECK;

/* ---- in this folder ---- */

/* Fills layout ... dict_items from the description at p. */
ia_status ia_pagedesc_layout(ia_ctx *cx, ia_arena *a, const uint8_t *p, size_t n, uint32_t minor,
                             ia_pagedesc *out) IA_MUST_CHECK;

#endif
