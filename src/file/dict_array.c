/* dict_array.c - plain arrays into dictionary arrays: distinct values and indices. */
#include <inttypes.h>

#include "arrow/compute.h"
#include "file/leaf_priv.h"

/* Distinct values seen so far, by hash; open addressing, at most half full. */
typedef struct distinct {
    int64_t *slots; /* number of the value in `first`, -1 = free */
    size_t mask;
    int64_t *first; /* element that first had it */
    int64_t n;
} distinct;

static int64_t find_or_add(distinct *d, const ia_array *a, int64_t i)
{
    size_t at = (size_t)ia_value_hash(a, i, 0) & d->mask;

    for (; d->slots[at] >= 0; at = (at + 1) & d->mask) {
        if (ia_value_equal(a, i, a, d->first[d->slots[at]]))
            return d->slots[at];
    }
    d->slots[at] = d->n;
    d->first[d->n] = i;
    return d->n++;
}

static void store_index(uint8_t *p, size_t width, int64_t i, int64_t v)
{
    uint64_t u = (uint64_t)v;

    switch (width) {
    case 1:
        p[i] = (uint8_t)u;
        break;
    case 2:
        ia_put_le16(p + 2 * i, (uint16_t)u);
        break;
    case 4:
        ia_put_le32(p + 4 * i, (uint32_t)u);
        break;
    default:
        ia_put_le64(p + 8 * i, u);
        break;
    }
}

static bool is_signed(const ia_type *t)
{
    return t->id >= IA_TYPE_I8 && t->id <= IA_TYPE_I64;
}

static ia_status encode(ia_ctx *cx, const ia_array *a, const ia_type *index, distinct *d,
                        uint8_t *out)
{
    uint32_t bits = ia_type_bits(index);
    int64_t limit = bits >= 32 ? INT64_MAX : (int64_t)1 << (is_signed(index) ? bits - 1 : bits);

    for (int64_t i = 0; i < a->length; i++) {
        int64_t v = 0;

        if (ia_array_valid(a, i))
            v = find_or_add(d, a, i);
        if (v >= limit)
            return ia_fail(cx, IA_ERR_UNSUPPORTED,
                           "more than %" PRId64 " distinct values in %" PRId64
                           " rows of a dictionary column; read fewer rows at once",
                           limit, a->length);
        store_index(out, bits / 8, i, v);
    }
    return IA_OK;
}

ia_status ia_dict_array(ia_ctx *cx, ia_array *a, const ia_type *t, ia_array **out)
{
    const ia_type *index = t->children[0].type;
    size_t n = (size_t)a->length, cap = 16;
    ia_buffer *valid = NULL, *keys = NULL;
    ia_array *values = NULL;
    uint8_t *bytes = NULL;
    distinct d = {0};
    ia_status st;

    *out = NULL;
    while (cap < 2 * n)
        cap *= 2;
    d.mask = cap - 1;
    IA_GO(IA_NEW_ARRAY(cx, d.slots, cap));
    memset(d.slots, 0xff, cap * sizeof *d.slots);
    IA_GO(IA_NEW_ARRAY(cx, d.first, n ? n : 1));
    IA_GO(IA_NEW_ARRAY(cx, bytes, n * 8 + 8));
    IA_GO(encode(cx, a, index, &d, bytes));
    IA_GO(ia_take_array(cx, a, d.first, d.n, &values));
    st = ia_buffer_own(cx, bytes, n * (ia_type_bits(index) / 8), &keys);
    bytes = NULL;
    IA_GO(st);
    valid = a->null_count ? ia_buffer_retain(a->bufs[0]) : NULL;
    st = ia_array_make(cx, t, a->length, a->null_count, valid, keys, NULL, &values, 1, out);
    valid = keys = NULL;
    values = NULL;
done:
    ia_free(d.slots);
    ia_free(d.first);
    ia_free(bytes);
    ia_buffer_release(valid);
    ia_buffer_release(keys);
    ia_array_release(values);
    ia_array_release(a);
    return st;
}
