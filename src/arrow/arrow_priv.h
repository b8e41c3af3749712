/* arrow_priv.h - helpers shared by the files of this folder. */
#ifndef IA_ARROW_PRIV_H
#define IA_ARROW_PRIV_H

#include "arrow/array.h"
#include "arrow/bits.h"
#include "arrow/builder.h"

/* Bytes per element of bufs[1] where that is a run of fixed-width values (DICTIONARY: its index
 * type); 0 for BOOL, variable, nested and null types. */
size_t ia_type_width(const ia_type *t);
/* Offsets of 4 or 8 bytes; 0 for types without offsets. */
size_t ia_type_offset_width(const ia_type *t);
/* Child arrays that an array of the type has (DICTIONARY: 1, its values). */
size_t ia_type_array_children(const ia_type *t);

/* Offset number k of bufs[1] of a string, binary or list array; k includes a->offset. */
static inline int64_t ia_offset_at(const ia_array *a, size_t width, int64_t k)
{
    if (width == 4) {
        int32_t v;

        memcpy(&v, a->bufs[1]->data + (size_t)k * 4, 4);
        return v;
    }
    int64_t w;

    memcpy(&w, a->bufs[1]->data + (size_t)k * 8, 8);
    return w;
}

/* Follows a dictionary to its value: *a and *i become the value's array and place.
 * False when the element is null. */
bool ia_array_resolve(const ia_array **a, int64_t *i);
/* Index of dictionary element i (not null). */
int64_t ia_dict_index(const ia_array *a, int64_t i);

/* As IA_VALIDATE_FULL, but the values of dictionaries were checked before. */
ia_status ia_array_validate_own(ia_ctx *cx, const ia_array *a) IA_MUST_CHECK;

double ia_half_to_double(uint16_t h);
uint16_t ia_double_to_half(double v);

/* Room for len more elements like those of the parts, so that copying does not regrow. */
void ia_builder_reserve(ia_ctx *cx, ia_builder *b, ia_array *const *parts, size_t n);

#endif
