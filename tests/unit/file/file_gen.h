/* file_gen.h - seeded tables of every type for file tests, and an exact text of values. */
#ifndef IA_TEST_FILE_GEN_H
#define IA_TEST_FILE_GEN_H

#include "arrow/builder.h"
#include "file/file.h"

/* How values look: GEN_SMALL few bits and few distinct, GEN_WIDE full range and unique strings,
 * GEN_RUNS long runs, GEN_LONG strings of 256 to 3000 bytes. */
typedef enum gen_flavour { GEN_SMALL = 0, GEN_WIDE, GEN_RUNS, GEN_LONG } gen_flavour;
/* Which values are null (and which lists empty): none, a tenth, nearly all, all. */
typedef enum gen_nulls { NULLS_NONE = 0, NULLS_SOME, NULLS_MOST, NULLS_ALL } gen_nulls;

/* "int64", "string", "list<string>", "fsl<float,128>", "struct<int32,string>", ... Returns NULL on
 * a bad name. */
ia_type *gen_type(ia_ctx *cx, const char *text);
/* One column "c" of that type. */
ia_status gen_batch(ia_ctx *cx, const ia_type *type, int64_t rows, uint64_t seed, gen_nulls nulls,
                    gen_flavour f, ia_batch **out);
/* Names of all types that round trips cover; NULL ends. */
extern const char *const gen_types[];

/* Appends element i exactly: numbers as the hex of their little-endian bytes, strings as hex, t/f,
 * [..], {..}, null. */
void gen_text(ia_ctx *cx, ia_buf *out, const ia_array *a, int64_t i);

#endif
