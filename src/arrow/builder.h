/* builder.h - builds one column value by value; failures are remembered and reported by finish. */
#ifndef IA_ARROW_BUILDER_H
#define IA_ARROW_BUILDER_H

#include "arrow/array.h"

/* All-zero is empty; init retains the type. Lists and structs have child builders.
 * For LIST: append items to child 0, then ia_builder_end_list(); MAP likewise (its items are
 * structs). For FIXED_LIST: append exactly
 * `size` items to child 0, then ia_builder_end_list(). For STRUCT: one value to each child, then
 * ia_builder_end_struct(). Nulls fill children as the layout needs. */
typedef struct ia_builder {
    ia_type *type;
    int64_t length, nulls;
    ia_buf validity;  /* bits; empty while there is no null */
    ia_buf b1, b2;
    struct ia_builder *children;
    size_t n_children;
    ia_array *dict_src;  /* DICTIONARY: values last appended to child 0, starting at dict_base */
    int64_t dict_base;
    ia_status failed;
} ia_builder;

ia_status ia_builder_init(ia_ctx *cx, ia_builder *b, const ia_type *type) IA_MUST_CHECK;
void ia_builder_dispose(ia_builder *b);
void ia_builder_null(ia_ctx *cx, ia_builder *b);
void ia_builder_bool(ia_ctx *cx, ia_builder *b, bool v);
/* Any int, date or time type; the caller checked the range. */
void ia_builder_i64(ia_ctx *cx, ia_builder *b, int64_t v);
void ia_builder_u64(ia_ctx *cx, ia_builder *b, uint64_t v);
void ia_builder_f64(ia_ctx *cx, ia_builder *b, double v);   /* F32 and F64 */
/* String, binary, fixed binary. */
void ia_builder_str(ia_ctx *cx, ia_builder *b, const char *s, size_t n);
/* n valid values of a fixed-width type (not BOOL, not nested) from memory in Arrow layout. */
void ia_builder_fixed(ia_ctx *cx, ia_builder *b, const void *values, int64_t n);
void ia_builder_nulls(ia_ctx *cx, ia_builder *b, int64_t n);
void ia_builder_end_list(ia_ctx *cx, ia_builder *b);
void ia_builder_end_struct(ia_ctx *cx, ia_builder *b);
/* Element i of an array of the same type. */
void ia_builder_copy(ia_ctx *cx, ia_builder *b, const ia_array *a, int64_t i);
/* Elements [start, start+len), in bulk. */
void ia_builder_copy_range(ia_ctx *cx, ia_builder *b, const ia_array *a, int64_t start,
                           int64_t len);
uint64_t ia_builder_bytes(const ia_builder *b);
/* Gives the column and empties the builder (type kept, ready for more). */
ia_status ia_builder_finish(ia_ctx *cx, ia_builder *b, ia_array **out) IA_MUST_CHECK;

/* One builder per field of a schema. */
typedef struct ia_batch_builder {
    ia_schema *schema;
    ia_builder *cols;
} ia_batch_builder;
ia_status ia_batch_builder_init(ia_ctx *cx, ia_batch_builder *b,
                                const ia_schema *schema) IA_MUST_CHECK;
void ia_batch_builder_dispose(ia_batch_builder *b);
int64_t ia_batch_builder_rows(const ia_batch_builder *b); /* length of column 0 */
ia_status ia_batch_builder_finish(ia_ctx *cx, ia_batch_builder *b, ia_batch **out) IA_MUST_CHECK;

#endif
