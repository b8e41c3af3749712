/* text_priv.h - shared by the readers of row formats: text buffers, values from text. */
#ifndef IA_ARROW_TEXT_PRIV_H
#define IA_ARROW_TEXT_PRIV_H

#include "arrow/arrow_priv.h"
#include "arrow/source.h"
#include "base/json.h"

/* A window over a source: bytes [at, buf.len) are not used up yet. */
typedef struct ia_text {
    ia_source src;
    ia_buf buf;
    size_t at;
    bool eof;  /* the source has no more */
    bool keep; /* used bytes stay in the buffer, so that `at` may go back */
} ia_text;

/* More bytes behind the window, or eof. The first call skips a UTF-8 mark. */
ia_status ia_text_more(ia_ctx *cx, ia_text *t) IA_MUST_CHECK;
void ia_text_dispose(ia_text *t);
/* The next line without its LF; *end at the end. Borrowed until the next call. */
ia_status ia_text_line(ia_ctx *cx, ia_text *t, ia_view *line, bool *end) IA_MUST_CHECK;

/* A value of a type that is not nested, as ia_value_text writes it (binary: base64). False when the
 * text is no such value; failures of memory are remembered by the builder. */
bool ia_text_append(ia_ctx *cx, ia_builder *b, ia_view v);
/* RFC 3339 text with up to nine digits of a second, exactly in `unit`. */
bool ia_text_instant(ia_view v, ia_time_unit unit, int64_t *out);

/* The type with every dictionary replaced by its values. */
ia_status ia_type_plain(ia_ctx *cx, const ia_type *t, ia_type **out) IA_MUST_CHECK;
bool ia_type_has_dictionary(const ia_type *t);
/* The schema that rows are built with before ia_batch_encode brings them to `s`. */
ia_status ia_schema_plain(ia_ctx *cx, const ia_schema *s, ia_schema **out) IA_MUST_CHECK;
/* Takes over *b (also on failure): the same rows with the types of `s`. */
ia_status ia_batch_encode(ia_ctx *cx, ia_batch **b, const ia_schema *s) IA_MUST_CHECK;
/* Plain values as a dictionary array of type `to`. Errors: INVALID when the index type is too
 * small. */
ia_status ia_dictionary_encode(ia_ctx *cx, const ia_array *a, const ia_type *to,
                               ia_array **out) IA_MUST_CHECK;

#endif
