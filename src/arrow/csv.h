/* csv.h - comma-separated values: read as a stream of batches, written from batches. */
#ifndef IA_ARROW_CSV_H
#define IA_ARROW_CSV_H

#include "arrow/source.h"

typedef struct ia_csv_options { /* all-zero: comma, header line, types from the first rows */
    char delimiter;             /* 0 = ',' */
    bool no_header;             /* columns are called "column_1", ... or come from the schema */
    int64_t infer_rows;         /* rows looked at for the types; 0 = 1000 */
    int64_t batch_rows;         /* 0 = 8192 */
} ia_csv_options;

/* RFC 4180 text: quoted fields may hold delimiters, line ends and doubled quotes; lines end in LF
 * or CRLF; a UTF-8 mark at the start is skipped. An empty field that is not quoted is null. Without
 * a schema a column is int64, float64, bool, date32, timestamp[us] (RFC 3339 with a time; UTC zone
 * when every value names its offset) or string, as all of its first rows allow; a later value that
 * does not fit is an error that says so. With a schema the header's names must be columns of it
 * (absent ones are null); values of every type read as ia_value_text writes them, nested ones as
 * JSON. Takes over *src (also on failure). `name` is used in messages. Errors: INVALID
 * "{name}:{line}:{column}: ...", at the first call of next or here. */
ia_status ia_csv_stream_open(ia_ctx *cx, ia_source *src, const ia_schema *schema, const char *name,
                             const ia_csv_options *opt, ia_stream *out) IA_MUST_CHECK;

/* Header line of the field names. */
void ia_csv_write_header(ia_ctx *cx, ia_buf *out, const ia_schema *s);
/* Rows: fields are quoted where RFC 4180 asks for it, nested values are JSON text, null is an empty
 * field and an empty string "". Lines end in LF. Failures are remembered by `out`. */
void ia_csv_write_batch(ia_ctx *cx, ia_buf *out, const ia_batch *b);

#endif
