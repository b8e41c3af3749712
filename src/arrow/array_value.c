/* array_value.c - equality, order and hash of single values of one type. */
#include "arrow/arrow_priv.h"
#include "arrow/compute.h"
#include "base/map.h"

/* How values of a type are compared. */
typedef enum value_kind {
    KIND_NULL, KIND_BOOL, KIND_SIGNED, KIND_UNSIGNED, KIND_FLOAT, KIND_BYTES, KIND_DECIMAL,
    KIND_LIST, KIND_STRUCT
} value_kind;

static value_kind kind_of(const ia_type *t)
{
    switch (t->id) {
    case IA_TYPE_NULL:
        return KIND_NULL;
    case IA_TYPE_BOOL:
        return KIND_BOOL;
    case IA_TYPE_U8: case IA_TYPE_U16: case IA_TYPE_U32: case IA_TYPE_U64:
        return KIND_UNSIGNED;
    case IA_TYPE_I8: case IA_TYPE_I16: case IA_TYPE_I32: case IA_TYPE_I64: case IA_TYPE_DATE32:
    case IA_TYPE_DATE64: case IA_TYPE_TIME32: case IA_TYPE_TIME64: case IA_TYPE_TIMESTAMP:
    case IA_TYPE_DURATION:
        return KIND_SIGNED;
    case IA_TYPE_F16: case IA_TYPE_F32: case IA_TYPE_F64:
        return KIND_FLOAT;
    case IA_TYPE_STRING: case IA_TYPE_LARGE_STRING: case IA_TYPE_BINARY: case IA_TYPE_LARGE_BINARY:
    case IA_TYPE_FIXED_BINARY:
        return KIND_BYTES;
    case IA_TYPE_DECIMAL128: case IA_TYPE_DECIMAL256:
        return KIND_DECIMAL;
    case IA_TYPE_LIST: case IA_TYPE_LARGE_LIST: case IA_TYPE_FIXED_LIST: case IA_TYPE_MAP:
        return KIND_LIST;
    case IA_TYPE_STRUCT: case IA_TYPE_DICTIONARY:
        return KIND_STRUCT;
    }
    return KIND_NULL;
}

/* Raw bytes of one fixed-width value. */
static const uint8_t *raw_at(const ia_array *a, int64_t i)
{
    return (const uint8_t *)ia_array_values(a) + (size_t)i * ia_type_width(a->type);
}

static bool list_equal(const ia_array *a, int64_t i, const ia_array *b, int64_t j)
{
    const ia_array *x = a->children[0], *y = b->children[0];
    const size_t w = ia_type_width(x->type);
    int64_t s, n, t, m, k;

    ia_array_list(a, i, &s, &n);
    ia_array_list(b, j, &t, &m);
    if (n != m)
        return false;
    if (w > 0 && x->null_count == 0 && y->null_count == 0 && x->type->id != IA_TYPE_DICTIONARY)
        return n == 0 || memcmp(raw_at(x, s), raw_at(y, t), (size_t)n * w) == 0;
    for (k = 0; k < n; k++)
        if (!ia_value_equal(x, s + k, y, t + k))
            return false;
    return true;
}

bool ia_value_equal(const ia_array *a, int64_t i, const ia_array *b, int64_t j)
{
    const bool va = ia_array_resolve(&a, &i), vb = ia_array_resolve(&b, &j);
    size_t k;

    if (!va || !vb)
        return va == vb;
    switch (kind_of(a->type)) {
    case KIND_NULL:
        return true;
    case KIND_BOOL:
        return ia_array_bool(a, i) == ia_array_bool(b, j);
    case KIND_BYTES:
        return ia_view_eq(ia_array_str(a, i), ia_array_str(b, j));
    case KIND_SIGNED: case KIND_UNSIGNED: case KIND_FLOAT: case KIND_DECIMAL:
        return memcmp(raw_at(a, i), raw_at(b, j), ia_type_width(a->type)) == 0;
    case KIND_LIST:
        return list_equal(a, i, b, j);
    case KIND_STRUCT:
        for (k = 0; k < a->n_children; k++)
            if (!ia_value_equal(a->children[k], a->offset + i, b->children[k], b->offset + j))
                return false;
        return true;
    }
    return false;
}

static int cmp_f64(double x, double y)
{
    if (x != x || y != y)
        return (x != x) - (y != y); /* NaN last */
    return (x > y) - (x < y);
}

/* Little-endian two's complement of w bytes. */
static int cmp_decimal(const uint8_t *x, const uint8_t *y, size_t w)
{
    const int sx = (int8_t)x[w - 1] < 0, sy = (int8_t)y[w - 1] < 0;
    size_t k;

    if (sx != sy)
        return sy - sx;
    for (k = w; k-- > 0;)
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    return 0;
}

static int cmp_list(const ia_array *a, int64_t i, const ia_array *b, int64_t j)
{
    int64_t s, n, t, m, k;

    ia_array_list(a, i, &s, &n);
    ia_array_list(b, j, &t, &m);
    for (k = 0; k < n && k < m; k++) {
        const int c = ia_value_cmp(a->children[0], s + k, b->children[0], t + k);

        if (c != 0)
            return c;
    }
    return (n > m) - (n < m);
}

int ia_value_cmp(const ia_array *a, int64_t i, const ia_array *b, int64_t j)
{
    const bool va = ia_array_resolve(&a, &i), vb = ia_array_resolve(&b, &j);
    size_t k;

    if (!va || !vb)
        return va - vb;
    switch (kind_of(a->type)) {
    case KIND_NULL:
        return 0;
    case KIND_BOOL:
        return ia_array_bool(a, i) - ia_array_bool(b, j);
    case KIND_SIGNED: {
        const int64_t x = ia_array_i64(a, i), y = ia_array_i64(b, j);

        return (x > y) - (x < y);
    }
    case KIND_UNSIGNED: {
        const uint64_t x = ia_array_u64(a, i), y = ia_array_u64(b, j);

        return (x > y) - (x < y);
    }
    case KIND_FLOAT:
        return cmp_f64(ia_array_f64(a, i), ia_array_f64(b, j));
    case KIND_BYTES:
        return ia_view_cmp(ia_array_str(a, i), ia_array_str(b, j));
    case KIND_DECIMAL:
        return cmp_decimal(raw_at(a, i), raw_at(b, j), ia_type_width(a->type));
    case KIND_LIST:
        return cmp_list(a, i, b, j);
    case KIND_STRUCT:
        for (k = 0; k < a->n_children; k++) {
            const int c =
                ia_value_cmp(a->children[k], a->offset + i, b->children[k], b->offset + j);

            if (c != 0)
                return c;
        }
        return 0;
    }
    return 0;
}

static uint64_t mix(uint64_t seed, uint64_t h)
{
    return ia_hash_u64(seed ^ (h + 0x9e3779b97f4a7c15u + (seed << 6) + (seed >> 2)));
}

uint64_t ia_value_hash(const ia_array *a, int64_t i, uint64_t seed)
{
    int64_t s, n, k;
    size_t c;

    if (!ia_array_resolve(&a, &i))
        return mix(seed, 0x6e756c6c);
    switch (kind_of(a->type)) {
    case KIND_NULL:
        return mix(seed, 0x6e756c6c);
    case KIND_BOOL:
        return mix(seed, ia_array_bool(a, i) ? 1 : 2);
    case KIND_SIGNED: case KIND_UNSIGNED:
        return mix(seed, ia_hash_u64(ia_array_u64(a, i)));
    case KIND_FLOAT: case KIND_DECIMAL:
        return mix(seed, ia_hash_bytes(raw_at(a, i), ia_type_width(a->type)));
    case KIND_BYTES: {
        const ia_view v = ia_array_str(a, i);

        return mix(seed, ia_hash_bytes(v.data, v.len));
    }
    case KIND_LIST:
        ia_array_list(a, i, &s, &n);
        seed = mix(seed, (uint64_t)n);
        for (k = 0; k < n; k++)
            seed = ia_value_hash(a->children[0], s + k, seed);
        return seed;
    case KIND_STRUCT:
        for (c = 0; c < a->n_children; c++)
            seed = ia_value_hash(a->children[c], a->offset + i, seed);
        return seed;
    }
    return seed;
}
