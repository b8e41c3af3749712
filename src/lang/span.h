/* span.h - where a piece of schema or query text stands. */
#ifndef IA_LANG_SPAN_H
#define IA_LANG_SPAN_H

#include <stdint.h>

/* All-zero = unknown. */
typedef struct ia_span {
    uint32_t line;   /* from 1 */
    uint32_t column; /* from 1, in characters */
    uint32_t offset; /* bytes from the start of the text */
    uint32_t length; /* bytes */
} ia_span;

#endif
