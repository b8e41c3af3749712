/* diag.h - error texts that name the place and show the offending piece of source. */
#ifndef IA_LANG_DIAG_H
#define IA_LANG_DIAG_H

#include "base/arena.h"
#include "lang/span.h"

/* A text being read. Borrowed; valid UTF-8 without NUL once ia_source_check() accepted it. */
typedef struct ia_source {
    const char *path; /* for messages only; NULL = "<text>" */
    const char *text;
    size_t len;
} ia_source;

/* Refuses text that is too long for 32-bit spans, is not UTF-8, or holds a NUL byte.
 * Errors: INVALID "parse error: ...". */
ia_status ia_source_check(ia_ctx *cx, const ia_source *src) IA_MUST_CHECK;

/* Records `code` with the text
 *     <message>
 *       at <path>:<line>:<column>
 *         <source line, clipped around the span>
 *              ^~~~
 * and returns the code. Always fits the fixed error text: message, path and excerpt are clipped. */
ia_status ia_diag(ia_ctx *cx, ia_status code, const ia_source *src, ia_span span, const char *fmt,
                  ...) IA_PRINTF(5, 6);

/* Appends one zeroed item to an array held in an arena; *items may move. NULL with cx->err set. */
void *ia_arena_push(ia_ctx *cx, ia_arena *a, void *items, size_t *n, size_t *cap,
                    size_t size) IA_MUST_CHECK;
#define IA_PUSH(cx, a, list, item)                                                                 \
    IA_SET(                                                                                        \
        cx, item,                                                                                  \
        ia_arena_push((cx), (a), &(list)->items, &(list)->n, &(list)->cap, sizeof *(list)->items))

#endif
