/* ipc_columns_write.c - columns as the nodes, buffers and body of an Arrow IPC record batch. */
#include "arrow/ipc_priv.h"

void ia_ipc_out_clear(ia_ipc_out *o)
{
    o->n_nodes = o->n_bufs = 0;
    ia_buf_clear(&o->body);
}

void ia_ipc_out_dispose(ia_ipc_out *o)
{
    ia_free(o->nodes);
    ia_free(o->bufs);
    ia_buf_dispose(&o->body);
    memset(o, 0, sizeof *o);
}

/* Plain buffers start at multiples of 64, which lets readers use them in place. */
static ia_status put_buffer(ia_ctx *cx, ia_ipc_out *o, const void *p, size_t n)
{
    const size_t start = o->body.len, unit = o->codec == IA_IPC_PLAIN ? 64 : 8;

    IA_TRY(IA_GROW(cx, o->bufs, o->cap_bufs, o->n_bufs + 2));
    if (n > 0) {
        if (o->codec == IA_IPC_PLAIN)
            ia_buf_put(cx, &o->body, p, n);
        else
            IA_TRY(ia_ipc_deflate(cx, o->codec, p, n, &o->body));
    }
    o->bufs[o->n_bufs++] = start;
    o->bufs[o->n_bufs++] = o->body.len - start;
    ia_buf_fill(cx, &o->body, 0, (unit - o->body.len % unit) % unit);
    return ia_buf_status(&o->body);
}

/* Bits [from, from + n) of p; NULL p = all ones. */
static ia_status put_bits(ia_ctx *cx, ia_ipc_out *o, const uint8_t *p, int64_t from, int64_t n)
{
    const size_t bytes = ia_bits_bytes(n);
    uint8_t *copy;
    ia_status st;

    IA_TRY(IA_SET(cx, copy, ia_calloc(cx, 1, bytes)));
    if (p)
        ia_bits_copy(copy, 0, p, from, n);
    else
        ia_bits_fill(copy, 0, n, true);
    st = put_buffer(cx, o, copy, bytes);
    ia_free(copy);
    return st;
}

/* n + 1 offsets, moved so that the first is 0. */
static ia_status put_offsets(ia_ctx *cx, ia_ipc_out *o, const ia_array *a, int64_t first, int64_t n,
                             int64_t *lo, int64_t *hi)
{
    const size_t ow = ia_type_offset_width(a->type), bytes = ((size_t)n + 1) * ow;
    uint8_t *copy;
    ia_status st;
    int64_t k;

    *lo = *hi = 0;
    IA_TRY(IA_SET(cx, copy, ia_calloc(cx, 1, bytes)));
    if (n > 0) {
        *lo = ia_offset_at(a, ow, first);
        *hi = ia_offset_at(a, ow, first + n);
    }
    for (k = 1; k <= n; k++) {
        const int64_t v = ia_offset_at(a, ow, first + k) - *lo;

        memcpy(copy + (size_t)k * ow, &v, ow); /* little-endian */
    }
    st = put_buffer(cx, o, copy, bytes);
    ia_free(copy);
    return st;
}

static ia_status put_indices(ia_ctx *cx, ia_ipc_out *o, const ia_array *a, int64_t start, int64_t n,
                             const int64_t *to)
{
    const size_t w = ia_type_width(a->type);
    uint8_t *copy;
    ia_status st;
    int64_t k;

    IA_TRY(IA_SET(cx, copy, ia_calloc(cx, (size_t)n, w)));
    for (k = 0; k < n; k++)
        if (ia_array_valid(a, start + k)) {
            const int64_t i = ia_dict_index(a, start + k), v = to ? to[i] : i;

            memcpy(copy + (size_t)k * w, &v, w);
        }
    st = put_buffer(cx, o, copy, (size_t)n * w);
    ia_free(copy);
    return st;
}

static ia_status put_head(ia_ctx *cx, ia_ipc_out *o, const ia_array *a, int64_t start, int64_t n)
{
    int64_t nulls = 0;

    if (a->type->id == IA_TYPE_NULL)
        nulls = n;
    else if (a->null_count > 0 && a->bufs[0])
        nulls = n - ia_bits_count(a->bufs[0]->data, a->offset + start, n);
    IA_TRY(IA_GROW(cx, o->nodes, o->cap_nodes, o->n_nodes + 2));
    o->nodes[o->n_nodes++] = (uint64_t)n;
    o->nodes[o->n_nodes++] = (uint64_t)nulls;
    if (a->type->id == IA_TYPE_NULL)
        return IA_OK;
    if (nulls == 0 && !o->all_validity)
        return put_buffer(cx, o, NULL, 0);
    return put_bits(cx, o, nulls ? a->bufs[0]->data : NULL, a->offset + start, n);
}

ia_status ia_ipc_put_array(ia_ctx *cx, ia_ipc_out *o, const ia_array *a, int64_t start, int64_t n,
                           const ia_ipc_remap *remap, size_t *place)
{
    const ia_type *t = a->type;
    const size_t w = ia_type_width(t);
    int64_t lo, hi;
    size_t i;

    IA_TRY(put_head(cx, o, a, start, n));
    if (t->id == IA_TYPE_NULL)
        return IA_OK;
    if (t->id == IA_TYPE_DICTIONARY) {
        IA_TRY(put_indices(cx, o, a, start, n, remap[*place].to));
        *place += ia_ipc_dict_places(t);
        return IA_OK;
    }
    if (t->id == IA_TYPE_BOOL)
        return put_bits(cx, o, a->bufs[1]->data, a->offset + start, n);
    if (w > 0 || t->id == IA_TYPE_FIXED_BINARY)
        return put_buffer(cx, o, (const uint8_t *)ia_array_values(a) + (size_t)start * w,
                          (size_t)n * w);
    if (ia_type_offset_width(t) > 0) {
        IA_TRY(put_offsets(cx, o, a, a->offset + start, n, &lo, &hi));
        if (ia_type_is_var(t))
            return put_buffer(cx, o, hi > lo ? a->bufs[2]->data + lo : NULL, (size_t)(hi - lo));
        return ia_ipc_put_array(cx, o, a->children[0], lo, hi - lo, remap, place);
    }
    if (t->id == IA_TYPE_FIXED_LIST)
        return ia_ipc_put_array(cx, o, a->children[0], (a->offset + start) * t->size, n * t->size,
                                remap, place);
    for (i = 0; i < a->n_children; i++)
        IA_TRY(ia_ipc_put_array(cx, o, a->children[i], a->offset + start, n, remap, place));
    return IA_OK;
}
