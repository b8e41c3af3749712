/* write_dict.c - decides for and builds the dictionary of a page of strings. */
#include "base/map.h"
#include "file/write_priv.h"

enum { MIN_VALUES = 100, SAMPLE = 1024, MAX_ITEMS = 100000, MAX_BYTES = 1 << 20 };

typedef struct builder {
    ia_bytemap map;
    const ia_vals *v;
    uint64_t bytes; /* of distinct values */
} builder;

/* Index of value i; null slots are empty strings and are interned like them. */
static ia_status intern(ia_ctx *cx, builder *b, uint64_t i, uint32_t *out)
{
    uint64_t from = ia_vals_offset(b->v, i), len = ia_vals_offset(b->v, i + 1) - from;
    const uint8_t *p = b->v->data.data ? b->v->data.data + from : (const uint8_t *)"";
    size_t index;
    bool added;

    IA_TRY(ia_bytemap_put(cx, &b->map, p, (size_t)len, &index, &added));
    if (added)
        b->bytes += len;
    *out = (uint32_t)index;
    return IA_OK;
}

static ia_status intern_all(ia_ctx *cx, builder *b, ia_vals *indices, bool *pays)
{
    uint64_t n = b->v->n, limit = n / 2 < MAX_ITEMS ? n / 2 : MAX_ITEMS;
    uint8_t *p = ia_vals_extend(cx, indices, n);

    *pays = false;
    if (!p)
        return ia_vals_status(cx, indices);
    for (uint64_t i = 0; i < n; i++, p += 4) {
        uint32_t index;

        if (i == SAMPLE && b->map.n > SAMPLE / 2)
            return IA_OK;
        IA_TRY(intern(cx, b, i, &index));
        ia_put_le32(p, index);
        if (b->map.n > limit || b->bytes > MAX_BYTES)
            return IA_OK;
    }
    *pays = true;
    return IA_OK;
}

/* Block form: offset width, position of the data, offsets from 0, data (file format 4.3). */
static void put_items(ia_ctx *cx, const builder *b, ia_buf *out)
{
    size_t word = b->v->phys.bits / 8, n = b->map.n;
    uint8_t *p = ia_buf_extend(cx, out, (n + 3) * word);
    uint64_t off = 0;

    for (size_t i = 0; p && i < n + 3; i++) {
        uint64_t x = i == 0 ? b->v->phys.bits : i == 1 ? (n + 3) * word : off;

        if (word == 4)
            ia_put_le32(p + i * 4, (uint32_t)x);
        else
            ia_put_le64(p + i * 8, x);
        if (i >= 2 && i - 2 < n)
            off += ia_bytemap_key(&b->map, i - 2).len;
    }
    for (size_t i = 0; i < n; i++) {
        ia_view k = ia_bytemap_key(&b->map, i);

        if (k.len)
            ia_buf_put(cx, out, k.data, k.len);
    }
}

static unsigned index_bits(size_t n)
{
    return n <= 1 ? 0 : 64u - (unsigned)__builtin_clzll(n - 1);
}

ia_status ia_write_dict(ia_ctx *cx, const ia_wleaf *l, ia_vals *indices, ia_buf *items,
                        uint64_t *n_items, bool *made)
{
    ia_phys phys = {.kind = IA_PHYS_FIXED, .bits = 32, .items = 1, .value_bits = 32, .width = 4};
    builder b = {.v = &l->vals};
    uint64_t raw = l->vals.data.len + l->vals.offs.len, coded;
    bool pays = false;
    ia_status st = IA_OK;

    *made = false;
    ia_vals_init(indices, &phys);
    if (l->vals.n < MIN_VALUES)
        return IA_OK;
    IA_GO(intern_all(cx, &b, indices, &pays));
    coded = b.bytes + (b.map.n + 3) * (l->vals.phys.bits / 8) +
            (l->vals.n * index_bits(b.map.n) + 7) / 8;
    if (!pays || coded > raw / 10 * 8)
        goto done;
    put_items(cx, &b, items);
    IA_GO(ia_buf_status(items));
    *n_items = b.map.n;
    *made = true;
done:
    ia_bytemap_dispose(&b.map);
    return st;
}
