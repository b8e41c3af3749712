/* leaf_packed.h - rows of a packed struct (one physical column) taken apart into its fields. */
#ifndef IA_FILE_LEAF_PACKED_H
#define IA_FILE_LEAF_PACKED_H

#include "file/encodings/decode.h"

/* Values of the fields so far. All-zero is empty; a field that is a struct has fields itself. */
typedef struct ia_packed {
    struct ia_packed_field *fields;
    size_t n;
} ia_packed;

struct ia_packed_field {
    ia_vals vals;
    ia_packed sub; /* of a struct field; then vals is unused */
    ia_decoder dec;
};

/* Bytes of a row of fixed-width fields, one after the other without padding; 0 = some field is not
 * of a fixed number of bytes. */
size_t ia_packed_width(const ia_type *st);
/* Errors: UNSUPPORTED naming a field's type. */
ia_status ia_packed_init(ia_ctx *cx, ia_packed *p, const ia_type *st) IA_MUST_CHECK;
void ia_packed_dispose(ia_packed *p);
void ia_packed_clear(ia_packed *p); /* of values; what decoders learnt stays */
void ia_packed_new_page(ia_packed *p);
/* n rows of ia_packed_width() bytes each. */
ia_status ia_packed_put_fixed(ia_ctx *cx, ia_packed *p, const uint8_t *rows,
                              uint64_t n) IA_MUST_CHECK;
/* One row whose fields are stored as `e` (a packed struct, fixed or variable) says; an empty row is
 * a null's. Errors: CORRUPT, UNSUPPORTED. */
ia_status ia_packed_put_row(ia_ctx *cx, ia_packed *p, const ia_enc *e, ia_view row) IA_MUST_CHECK;
/* CORRUPT when the encoding does not fit the fields of the struct. */
ia_status ia_packed_check(ia_ctx *cx, const ia_type *st, const ia_enc *e) IA_MUST_CHECK;
/* The struct of n rows, emptying *p; `valid` is moved. Its fields have no nulls. */
ia_status ia_packed_finish(ia_ctx *cx, ia_packed *p, ia_valid *valid, uint64_t n, const ia_type *st,
                           ia_array **out) IA_MUST_CHECK;

#endif
