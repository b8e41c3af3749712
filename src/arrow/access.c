/* access.c - element access over all types, and 16-bit floats. */
#include <math.h>

#include "arrow/arrow_priv.h"

double ia_half_to_double(uint16_t h)
{
    const int exp = (h >> 10) & 31;
    const int frac = h & 1023;
    double v;

    if (exp == 31)
        v = frac ? (double)NAN : (double)INFINITY;
    else if (exp == 0)
        v = ldexp((double)frac, -24);
    else
        v = ldexp((double)(frac | 1024), exp - 25);
    return h & 0x8000 ? -v : v;
}

/* Round to nearest, ties to even. */
uint16_t ia_double_to_half(double v)
{
    const unsigned sign = signbit(v) ? 0x8000u : 0;
    double a = fabs(v);
    int e;
    double m;

    if (isnan(v))
        return (uint16_t)(sign | 0x7e00u);
    if (a >= 65520.0)
        return (uint16_t)(sign | 0x7c00u);
    if (a < 0x1p-14)
        return (uint16_t)(sign | (unsigned)nearbyint(ldexp(a, 24)));
    m = frexp(a, &e);                       /* a = m * 2^e, 0.5 <= m < 1 */
    a = nearbyint(ldexp(m, 11));            /* 1024..2048; 2048 carries into the exponent */
    return (uint16_t)(sign | (((unsigned)(e + 14) << 10) + (unsigned)a - 1024u));
}

const void *ia_array_values(const ia_array *a)
{
    return a->bufs[1]->data + (size_t)a->offset * ia_type_width(a->type);
}

/* Index of dictionary element i, which is not null. */
int64_t ia_dict_index(const ia_array *a, int64_t i)
{
    const uint8_t *p = ia_array_values(a);

    switch (ia_type_width(a->type)) {
    case 1:
        return a->type->children[0].type->id == IA_TYPE_I8 ? (int64_t)((const int8_t *)p)[i]
                                                           : (int64_t)p[i];
    case 2:
        return a->type->children[0].type->id == IA_TYPE_I16
                   ? (int64_t)((const int16_t *)(const void *)p)[i]
                   : (int64_t)((const uint16_t *)(const void *)p)[i];
    case 4:
        return a->type->children[0].type->id == IA_TYPE_I32
                   ? (int64_t)((const int32_t *)(const void *)p)[i]
                   : (int64_t)((const uint32_t *)(const void *)p)[i];
    default:
        return ((const int64_t *)(const void *)p)[i];
    }
}

bool ia_array_resolve(const ia_array **a, int64_t *i)
{
    while ((*a)->type->id == IA_TYPE_DICTIONARY) {
        if (!ia_array_valid(*a, *i))
            return false;
        *i = ia_dict_index(*a, *i);
        *a = (*a)->children[0];
    }
    return ia_array_valid(*a, *i);
}

bool ia_array_bool(const ia_array *a, int64_t i)
{
    if (a->type->id == IA_TYPE_DICTIONARY && !ia_array_resolve(&a, &i))
        return false;
    return ia_bit_get(a->bufs[1]->data, a->offset + i);
}

int64_t ia_array_i64(const ia_array *a, int64_t i)
{
    const void *p;

    if (a->type->id == IA_TYPE_DICTIONARY && !ia_array_resolve(&a, &i))
        return 0;
    p = ia_array_values(a);
    switch (ia_type_bits(a->type)) {
    case 8:
        return a->type->id == IA_TYPE_U8 ? (int64_t)((const uint8_t *)p)[i]
                                         : (int64_t)((const int8_t *)p)[i];
    case 16:
        return a->type->id == IA_TYPE_U16 ? (int64_t)((const uint16_t *)p)[i]
                                          : (int64_t)((const int16_t *)p)[i];
    case 32:
        return a->type->id == IA_TYPE_U32 ? (int64_t)((const uint32_t *)p)[i]
                                          : (int64_t)((const int32_t *)p)[i];
    case 64:
        return ((const int64_t *)p)[i];
    default:
        return 0;
    }
}

uint64_t ia_array_u64(const ia_array *a, int64_t i)
{
    return (uint64_t)ia_array_i64(a, i);
}

double ia_array_f64(const ia_array *a, int64_t i)
{
    const void *p;

    if (a->type->id == IA_TYPE_DICTIONARY && !ia_array_resolve(&a, &i))
        return 0;
    p = ia_array_values(a);
    switch (a->type->id) {
    case IA_TYPE_F16:
        return ia_half_to_double(((const uint16_t *)p)[i]);
    case IA_TYPE_F32:
        return (double)((const float *)p)[i];
    case IA_TYPE_F64:
        return ((const double *)p)[i];
    case IA_TYPE_U64:
        return (double)((const uint64_t *)p)[i];
    default: /* style: every other type that fits here is an integer */
        return (double)ia_array_i64(a, i);
    }
}

ia_view ia_array_str(const ia_array *a, int64_t i)
{
    ia_view v = {"", 0};
    size_t ow;

    if (a->type->id == IA_TYPE_DICTIONARY && !ia_array_resolve(&a, &i))
        return v;
    ow = ia_type_offset_width(a->type);
    if (ow > 0) {
        const int64_t lo = ia_offset_at(a, ow, a->offset + i);
        const int64_t hi = ia_offset_at(a, ow, a->offset + i + 1);

        v.data = (const char *)a->bufs[2]->data + lo;
        v.len = (size_t)(hi - lo);
        if (!a->bufs[2]->data)
            v.data = "";
        return v;
    }
    v.len = ia_type_width(a->type);
    v.data = (const char *)ia_array_values(a) + (size_t)i * v.len;
    return v;
}

void ia_array_list(const ia_array *a, int64_t i, int64_t *start, int64_t *len)
{
    const size_t ow = ia_type_offset_width(a->type);

    if (ow > 0) {
        *start = ia_offset_at(a, ow, a->offset + i);
        *len = ia_offset_at(a, ow, a->offset + i + 1) - *start;
        return;
    }
    *start = (a->offset + i) * a->type->size;
    *len = a->type->size;
}
