/* leaf_dict.c - values of dictionary pages: items gathered by the indices of a chunk. */
#include <inttypes.h>

#include "file/leaf_priv.h"

static ia_status bad_index(ia_ctx *cx, const ia_leaf *l, uint64_t index)
{
    return ia_fail(cx, IA_ERR_CORRUPT, "dictionary index %" PRIu64 " of %" PRIu64 " items", index,
                   l->dict.n);
}

static inline uint64_t index_at(const uint8_t *p, size_t width, uint64_t i)
{
    switch (width) {
    case 1:
        return p[i];
    case 2:
        return ia_le16(p + i * 2);
    case 4:
        return ia_le32(p + i * 4);
    default:
        return ia_le64(p + i * 8);
    }
}

static inline uint64_t dict_offset(const ia_leaf *l, uint64_t i)
{
    return l->phys.bits == 32 ? ia_le32(l->dict.offs.data + i * 4)
                              : ia_le64(l->dict.offs.data + i * 8);
}

/* Bytes of the n strings. Null slots may hold any index: vdef = definition level of each value,
 * NULL = all valid. */
static ia_status gathered_bytes(ia_ctx *cx, const ia_leaf *l, const uint8_t *idx, uint64_t n,
                                const uint16_t *vdef, size_t *total)
{
    size_t sum = 0;

    for (uint64_t i = 0; i < n; i++) {
        uint64_t x = index_at(idx, l->vals.phys.width, i);

        if (x < l->dict.n)
            sum += (size_t)(dict_offset(l, x + 1) - dict_offset(l, x));
        else if (!vdef || !vdef[i])
            return bad_index(cx, l, x);
    }
    *total = sum;
    return IA_OK;
}

enum { COPY_STEP = 16 }; /* short strings are copied by this many bytes; the buffers have room */

static ia_status gather_vars(ia_ctx *cx, ia_leaf *l, const uint8_t *idx, uint64_t n,
                             const uint16_t *vdef, ia_vals *out)
{
    const uint8_t *bytes = l->dict.data.data;
    size_t pos, total = 0, word = out->phys.bits / 8;
    uint8_t *p, *o;

    IA_TRY(gathered_bytes(cx, l, idx, n, vdef, &total));
    IA_TRY(ia_vals_begin_var(cx, out));
    pos = out->data.len;
    if (word == 4 && total > (size_t)INT32_MAX - pos)
        return ia_vals_too_long(cx);
    p = ia_buf_extend(cx, &out->data, total + COPY_STEP);
    o = ia_buf_extend(cx, &out->offs, (size_t)n * word);
    if (!p || !o)
        return ia_vals_status(cx, out);
    for (uint64_t i = 0; i < n; i++, o += word) {
        uint64_t x = index_at(idx, l->vals.phys.width, i);

        if (x < l->dict.n) {
            uint64_t from = dict_offset(l, x);
            size_t len = (size_t)(dict_offset(l, x + 1) - from);

            if (len <= COPY_STEP)
                memcpy(p, bytes + from, COPY_STEP);
            else
                memcpy(p, bytes + from, len);
            p += len;
            pos += len;
        }
        if (word == 4)
            ia_put_le32(o, (uint32_t)pos);
        else
            ia_put_le64(o, pos);
    }
    out->data.len = pos;
    out->n += n;
    return IA_OK;
}

/* Fixed-size lists, whose items have validity too. */
static ia_status gather_lists(ia_ctx *cx, ia_leaf *l, const uint8_t *idx, uint64_t n,
                              const uint16_t *vdef, ia_vals *out)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t x = index_at(idx, l->vals.phys.width, i);

        if (x < l->dict.n)
            IA_TRY(ia_vals_append(cx, out, &l->dict, x, 1));
        else if (!vdef || !vdef[i])
            return bad_index(cx, l, x);
        else
            ia_vals_zeros(cx, out, 1);
    }
    return ia_vals_status(cx, out);
}

/* dst[i] = items[idx[i]], zero for indices past the n_items; how many of those there are. */
#define GATHER(IDX, T)                                                                             \
    do {                                                                                           \
        const IDX *x_ = (const IDX *)(const void *)idx;                                            \
        const T *items_ = (const T *)(const void *)items;                                          \
        T *o_ = (T *)(void *)p;                                                                    \
        for (size_t i = 0; i < n; i++) {                                                           \
            const size_t at_ = x_[i] < n_items ? (size_t)x_[i] : n_items;                          \
            bad += at_ == n_items;                                                                 \
            o_[i] = items_[at_];                                                                   \
        }                                                                                          \
    } while (0)

#define GATHER_FOR(IDX)                                                                            \
    do {                                                                                           \
        if (width == 8)                                                                            \
            GATHER(IDX, uint64_t);                                                                 \
        else                                                                                       \
            GATHER(IDX, uint32_t);                                                                 \
    } while (0)

/* Items of 4 or 8 bytes; one more item, of zeros, lies behind the last one. */
static size_t gather_words(const uint8_t *items, size_t n_items, size_t width, const uint8_t *idx,
                           size_t idx_width, size_t n, uint8_t *p)
{
    size_t bad = 0;

    if (idx_width == 1)
        GATHER_FOR(uint8_t);
    else if (idx_width == 2)
        GATHER_FOR(uint16_t);
    else if (idx_width == 4)
        GATHER_FOR(uint32_t);
    else
        GATHER_FOR(uint64_t);
    return bad;
}

ia_status ia_leaf_gather(ia_ctx *cx, ia_leaf *l, uint64_t start, uint64_t n, const uint16_t *vdef,
                         ia_vals *out)
{
    const size_t idx_width = l->vals.phys.width, width = l->phys.width;
    const uint8_t *idx = l->vals.data.data + start * idx_width;
    uint8_t *p;

    if (!n)
        return IA_OK;
    if (l->phys.kind == IA_PHYS_VAR)
        return gather_vars(cx, l, idx, n, vdef, out);
    if (l->phys.n_dims || !width)
        return gather_lists(cx, l, idx, n, vdef, out);
    p = ia_vals_extend(cx, out, n);
    if (!p)
        return ia_vals_status(cx, out);
    if ((width == 4 || width == 8) && gather_words(l->dict.data.data, (size_t)l->dict.n, width, idx,
                                                   idx_width, (size_t)n, p) == 0)
        return IA_OK;
    for (uint64_t i = 0; i < n; i++, p += width) {
        uint64_t x = index_at(idx, idx_width, i);

        if (x < l->dict.n)
            memcpy(p, l->dict.data.data + x * width, width);
        else if (!vdef || !vdef[i])
            return bad_index(cx, l, x);
        else
            memset(p, 0, width);
    }
    return IA_OK;
}
