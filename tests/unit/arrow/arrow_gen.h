/* arrow_gen.h - random types and columns, and a plain text form to compare them by. */
#ifndef ARROW_GEN_H
#define ARROW_GEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "arrow/builder.h"
#include "arrow/compute.h"
#include "arrow/render.h"

typedef struct gen {
    ia_budget *budget;
    ia_ctx cx;
    uint64_t state;
} gen;

void gen_open(gen *g, uint64_t seed);
void gen_close(gen *g); /* fails the test when bytes are still charged */
uint64_t gen_next(gen *g);
int64_t gen_below(gen *g, int64_t n);

enum { GEN_TYPES = 37 };
ia_type *gen_type(gen *g,
                  int k); /* k-th type of a fixed list, k < GEN_TYPES; the caller releases */
void gen_append(gen *g, ia_builder *b, int null_percent);
ia_array *gen_array(gen *g, const ia_type *t, int64_t n, int null_percent);
/* The same with a random slice cut out, so that offsets are odd. */
ia_array *gen_slice(gen *g, const ia_type *t, int64_t n, int null_percent);
/* JSON of element i in a static ring of buffers. */
const char *gen_text(gen *g, const ia_array *a, int64_t i);
void gen_assert_same(gen *g, const ia_array *a, int64_t i, const ia_array *b, int64_t j);

#define GEN_OK(g, e)                                                                  \
    do {                                                                              \
        if ((e) != IA_OK)                                                             \
            fail_msg("%s: %s", #e, (g)->cx.err.text);                                 \
    } while (0)

#endif
