/* leaf_const.c - rows of constant pages: all null, or one value, with or without levels. */
#include <inttypes.h>

#include "file/leaf_priv.h"

/* The Arrow buffers of a one-element array: u32 count, u32 lengths, bytes (file format 3.6). */
static ia_status decode_value_buffer(ia_ctx *cx, ia_leaf *l, const uint8_t *p, uint64_t size)
{
    size_t word = l->phys.bits / 8, n = l->phys.kind == IA_PHYS_VAR ? 2 : 1;
    uint64_t head = 4 + 4 * (uint64_t)n, len0, len1 = 0, from, to;
    const uint8_t *data = p + head;

    if (size < head || ia_le32(p) != n)
        return ia_fail(cx, IA_ERR_CORRUPT, "constant value buffer of %" PRIu64 " bytes", size);
    len0 = ia_le32(p + 4);
    if (n == 2)
        len1 = ia_le32(p + 8);
    if (len0 + len1 != size - head)
        return ia_fail(cx, IA_ERR_CORRUPT, "constant value buffer of %" PRIu64 " bytes", size);
    if (n == 1) {
        uint8_t *o;

        if (!l->phys.width || l->phys.n_dims || len0 != l->phys.width)
            return ia_fail(cx, IA_ERR_UNSUPPORTED, "constant value of %" PRIu64 " bytes", len0);
        o = ia_vals_extend(cx, &l->vals, 1);
        if (o)
            memcpy(o, data, (size_t)len0);
        return ia_vals_status(cx, &l->vals);
    }
    if (len0 < 2 * word)
        return ia_fail(cx, IA_ERR_CORRUPT, "constant string without offsets");
    from = word == 4 ? ia_le32(data) : ia_le64(data);
    to = word == 4 ? ia_le32(data + 4) : ia_le64(data + 8);
    if (from > to || to > len1)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "constant string from %" PRIu64 " to %" PRIu64 " of %" PRIu64, from, to,
                       len1);
    return ia_vals_put_var(cx, &l->vals, data + len0 + from, (size_t)(to - from));
}

ia_status ia_leaf_const_inline(ia_ctx *cx, ia_leaf *l)
{
    ia_view v = l->lay.inline_value;
    uint8_t *o;

    if (l->phys.kind != IA_PHYS_FIXED || l->phys.n_dims)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "inline constant of %zu bytes for this type", v.len);
    if (l->phys.bits == 1) {
        if (v.len != 1)
            return ia_fail(cx, IA_ERR_CORRUPT, "inline constant bool of %zu bytes", v.len);
        ia_vals_put_bits(cx, &l->vals, (const uint8_t *)v.data, 0, 1);
        return ia_vals_status(cx, &l->vals);
    }
    if (v.len != l->phys.width)
        return ia_fail(cx, IA_ERR_CORRUPT, "inline constant of %zu bytes, %zu expected", v.len,
                       l->phys.width);
    o = ia_vals_extend(cx, &l->vals, 1);
    if (o)
        memcpy(o, v.data, v.len);
    return ia_vals_status(cx, &l->vals);
}

/* One level stream: raw u16, or a block of `n` levels. */
static ia_status read_stream(ia_ctx *cx, ia_leaf *l, size_t number, const ia_enc *e, uint64_t n,
                             uint32_t max, uint16_t **v, size_t *cap, size_t *count)
{
    const ia_page *p = ia_leaf_page(l);
    ia_enc raw = {.kind = IA_ENC_FLAT, .bits = 16};
    uint8_t *owned = NULL;
    ia_view view;
    const uint8_t *data;
    ia_status st;

    if (!e) {
        e = &raw;
        n = p->sizes[number] / 2;
    }
    /* A run length byte stands for at most 255 levels, a packed byte for 8. */
    if (n / 256 > p->sizes[number] * 256 + 1)
        return ia_fail(cx, IA_ERR_CORRUPT, "%" PRIu64 " levels in %" PRIu64 " bytes", n,
                       p->sizes[number]);
    IA_GO(ia_leaf_buffer(cx, l, number, &owned, &data));
    IA_GO(ia_leaf_level_room(cx, v, cap, (size_t)n));
    view.data = (const char *)data;
    view.len = (size_t)p->sizes[number];
    IA_GO(ia_block_levels(cx, &l->dec, e, view, (size_t)n, max, *v));
    *count = (size_t)n;
done:
    ia_free(owned);
    return st;
}

static ia_status read_levels(ia_ctx *cx, ia_leaf *l, size_t first)
{
    const ia_page *p = ia_leaf_page(l);
    size_t reps = 0, defs = 0;
    uint64_t starts = 0;

    if (p->sizes[first])
        IA_TRY(read_stream(cx, l, first, l->lay.rep, l->lay.num_rep_values, l->lay.max_rep, &l->rep,
                           &l->rep_cap, &reps));
    if (p->sizes[first + 1])
        IA_TRY(read_stream(cx, l, first + 1, l->lay.def, l->lay.num_def_values, l->lay.max_def,
                           &l->def, &l->def_cap, &defs));
    if (!reps != !l->lay.max_rep || (reps && defs && reps != defs))
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "constant page with %zu repetition and %zu definition levels", reps, defs);
    l->has_def = defs != 0;
    l->n_levels = reps ? reps : defs ? defs : (size_t)p->rows;
    for (size_t i = 0; i < reps; i++)
        starts += l->rep[i] == l->lay.max_rep;
    if ((reps ? starts : l->n_levels) != p->rows || (reps && l->rep[0] != l->lay.max_rep))
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "constant page whose levels do not hold %" PRIu64 " rows", p->rows);
    return IA_OK;
}

ia_status ia_leaf_const_open(ia_ctx *cx, ia_leaf *l)
{
    const ia_page *p = ia_leaf_page(l);
    size_t first = 0; /* buffer of the repetition levels */
    uint8_t *owned = NULL;
    const uint8_t *data;
    ia_status st = IA_OK;

    l->vals.phys = l->phys;
    ia_vals_clear(&l->vals);
    l->has_def = false;
    l->has_value = false;
    l->n_levels = 0;
    if (l->lay.has_inline) {
        IA_GO(ia_leaf_const_inline(cx, l));
        l->has_value = true;
    } else if (p->n_buffers == 1 || p->n_buffers == 3) {
        IA_GO(ia_leaf_buffer(cx, l, 0, &owned, &data));
        IA_GO(decode_value_buffer(cx, l, data, p->sizes[0]));
        l->has_value = true;
        first = 1;
    }
    if (p->n_buffers == first + 2)
        IA_GO(read_levels(cx, l, first));
    else if (p->n_buffers != first || l->lay.max_rep)
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "constant page with %zu buffers", p->n_buffers));
    l->cur_row = 0;
    l->entry = 0;
done:
    ia_free(owned);
    return st;
}

/* Values of the visible entries [from, to): the constant where def is 0, else a null's filler. */
static ia_status put_values(ia_ctx *cx, ia_leaf *l, size_t from, size_t to, ia_vals *out)
{
    const uint16_t *def = l->has_def ? l->def : NULL;

    if (!l->has_value) {
        ia_vals_zeros(cx, out, ia_leaf_visible(l, def ? def + from : NULL, to - from));
        return ia_vals_status(cx, out);
    }
    if (!def)
        return ia_vals_repeat(cx, out, &l->vals, 0, to - from);
    for (size_t i = from; i < to; i++) {
        if (def[i] == 0)
            IA_TRY(ia_vals_append(cx, out, &l->vals, 0, 1));
        else if (def[i] <= l->lay.max_visible)
            ia_vals_zeros(cx, out, 1);
    }
    return ia_vals_status(cx, out);
}

/* No level buffers: every row is the constant, or null at the leaf. */
static ia_status read_uniform(ia_ctx *cx, ia_leaf *l, uint64_t n, ia_leafacc *acc)
{
    for (size_t i = 0; i < l->n_layers; i++) {
        ia_layer_acc *layer = &acc->layers[i];
        uint64_t mult = l->mult[i], upto = layer->part + n;
        uint64_t slots = (upto + mult - 1) / mult - (layer->part != 0);

        layer->part = upto % mult;
        if (i == 0 && !l->has_value)
            ia_valid_zeros(cx, &layer->valid, slots);
        else
            ia_valid_ones(cx, &layer->valid, slots);
        IA_TRY(ia_buf_status(&acc->layers[i].valid.bits));
    }
    return put_values(cx, l, 0, (size_t)n, &acc->vals);
}

static size_t next_row(const ia_leaf *l, size_t e)
{
    for (e++; e < l->n_levels && l->rep[e] != l->lay.max_rep; e++)
        ;
    return e;
}

ia_status ia_leaf_const_read(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b, ia_leafacc *acc)
{
    size_t from, to;

    if (!l->n_levels)
        return read_uniform(cx, l, b - a, acc);
    if (!l->lay.max_rep) {
        from = (size_t)a;
        to = (size_t)b;
    } else {
        if (l->cur_row > a) {
            l->cur_row = 0;
            l->entry = 0;
        }
        while (l->cur_row < a) {
            l->entry = next_row(l, l->entry);
            l->cur_row++;
        }
        from = l->entry;
        while (l->cur_row < b) {
            l->entry = next_row(l, l->entry);
            l->cur_row++;
        }
        to = l->entry;
    }
    IA_TRY(put_values(cx, l, from, to, &acc->vals));
    return ia_leaf_levels(cx, l, acc, l->lay.max_rep ? l->rep + from : NULL,
                          l->has_def ? l->def + from : NULL, to - from);
}
