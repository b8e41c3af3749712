/* write_vals.c - slots of a leaf's array as values of the page that is being filled. */
#include <stdio.h>

#include "base/map.h"
#include "file/shred_priv.h"

/* ---- runs of valid slots -------------------------------------------------------------------- */

static void put_fixed(ia_ctx *cx, ia_vals *v, const ia_array *a, uint64_t slot, uint64_t n)
{
    uint64_t at = (uint64_t)a->offset + slot, count = n;

    for (size_t k = 0; k < v->phys.n_dims; k++) {
        a = a->children[0];
        at = at * v->phys.dims[k] + (uint64_t)a->offset;
        count *= v->phys.dims[k];
        if (a->bufs[0])
            ia_valid_bits(cx, &v->inner[k], a->bufs[0]->data, at, count);
        else
            ia_valid_ones(cx, &v->inner[k], count);
    }
    if (v->phys.width) {
        uint8_t *p = ia_vals_extend(cx, v, n);

        if (p)
            memcpy(p, a->bufs[1]->data + at * v->phys.bits / 8, (size_t)n * v->phys.width);
    } else {
        /* one bit each: `at` counts items */
        ia_vals_put_bits(cx, v, a->bufs[1]->data, at * v->phys.bits, n);
    }
}

static const uint8_t *offset_place(const ia_array *a, uint32_t bits, uint64_t slot)
{
    return a->bufs[1]->data + ((uint64_t)a->offset + slot) * (bits / 8);
}

static inline uint64_t offset_at(const uint8_t *p, uint32_t bits, uint64_t i)
{
    return bits == 32 ? ia_le32(p + i * 4) : ia_le64(p + i * 8);
}

static uint64_t longest_of(const uint8_t *p, uint32_t bits, uint64_t n, uint64_t longest)
{
    if (bits == 32) {
        uint32_t most = 0, from = ia_le32(p);

        for (uint64_t i = 1; i <= n; i++) {
            uint32_t to = ia_le32(p + i * 4);

            most = to - from > most ? to - from : most;
            from = to;
        }
        return most > longest ? most : longest;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t len = ia_le64(p + i * 8 + 8) - ia_le64(p + i * 8);

        longest = len > longest ? len : longest;
    }
    return longest;
}

static ia_status put_valid(ia_ctx *cx, ia_vals *v, uint64_t *longest, const ia_array *a,
                           uint64_t slot, uint64_t n)
{
    const uint8_t *offs;

    if (!n)
        return IA_OK;
    if (v->phys.kind == IA_PHYS_NULL) {
        v->n += n;
        return IA_OK;
    }
    if (v->phys.kind == IA_PHYS_FIXED) {
        put_fixed(cx, v, a, slot, n);
        return ia_vals_status(cx, v);
    }
    offs = offset_place(a, v->phys.bits, slot);
    *longest = longest_of(offs, v->phys.bits, n, *longest);
    return ia_vals_put_vars(cx, v, offs, v->phys.bits, a->bufs[2] ? a->bufs[2]->data : NULL, n);
}

/* ---- slots with nulls among them ------------------------------------------------------------- */

static void zero_dead(uint8_t *p, size_t width, const uint8_t *ev, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++, p += width) {
        if (!ev[i])
            continue;
        if (width == 4)
            ia_put_le32(p, 0);
        else if (width == 8)
            ia_put_le64(p, 0);
        else
            memset(p, 0, width);
    }
}

/* Null slots that hold bytes, as Arrow allows. */
static bool dead_are_empty(const uint8_t *offs, uint32_t bits, const uint8_t *ev, uint64_t n)
{
    uint64_t bytes = 0;

    for (uint64_t i = 0; i < n; i++)
        bytes |= ev[i] ? offset_at(offs, bits, i + 1) - offset_at(offs, bits, i) : 0;
    return !bytes;
}

static ia_status put_by_runs(ia_ctx *cx, ia_wleaf *l, const ia_array *a, uint64_t slot, uint64_t n,
                             const uint8_t *ev)
{
    for (uint64_t i = 0; i < n;) {
        uint64_t k = i + 1;

        while (k < n && !ev[k] == !ev[i])
            k++;
        if (ev[i])
            ia_vals_zeros(cx, &l->vals, k - i);
        else
            IA_TRY(put_valid(cx, &l->vals, &l->longest, a, slot + i, k - i));
        i = k;
    }
    return ia_vals_status(cx, &l->vals);
}

static ia_status put_plain(ia_ctx *cx, ia_wleaf *l, const ia_array *a, uint64_t slot, uint64_t n,
                           const uint8_t *ev)
{
    const ia_phys *ph = &l->phys;

    if (!ev)
        return put_valid(cx, &l->vals, &l->longest, a, slot, n);
    if (ph->kind == IA_PHYS_FIXED && ph->width && !ph->n_dims) {
        put_fixed(cx, &l->vals, a, slot, n);
        IA_TRY(ia_vals_status(cx, &l->vals));
        zero_dead(l->vals.data.data + l->vals.data.len - n * ph->width, ph->width, ev, n);
        return IA_OK;
    }
    if (ph->kind == IA_PHYS_NULL ||
        (ph->kind == IA_PHYS_VAR && a->bufs[1] &&
         dead_are_empty(offset_place(a, ph->bits, slot), ph->bits, ev, n)))
        return put_valid(cx, &l->vals, &l->longest, a, slot, n);
    return put_by_runs(cx, l, a, slot, n, ev);
}

ia_status ia_wleaf_borrow(ia_ctx *cx, ia_wleaf *l, const ia_array *a, const ia_wrun *run,
                          bool *done)
{
    uint64_t at = (uint64_t)a->offset + run->slot, count = run->n;
    const ia_phys *ph = &l->phys;

    *done = false;
    if (l->kind != IA_WKIND_PLAIN || ph->kind != IA_PHYS_FIXED || !ph->width || l->vals.n)
        return IA_OK;
    for (size_t k = 0; k < ph->n_dims; k++) {
        a = a->children[0];
        at = at * ph->dims[k] + (uint64_t)a->offset;
        if (a->null_count)
            return IA_OK;
    }
    IA_TRY(ia_buffer_part(cx, a->bufs[1], a->bufs[1]->data + at * ph->bits / 8,
                          (size_t)(run->n * ph->width), &l->vals.slice));
    for (size_t k = 0; k < ph->n_dims; k++) {
        count *= ph->dims[k];
        ia_valid_ones(cx, &l->vals.inner[k], count);
    }
    ia_buf_dispose(&l->vals.data);
    l->vals.data.data = (uint8_t *)(uintptr_t)l->vals.slice->data;
    l->vals.data.len = l->vals.slice->size;
    l->vals.n = run->n;
    *done = true;
    return IA_OK;
}

/* ---- dictionaries --------------------------------------------------------------------------- */

struct ia_wintern {
    ia_array *values; /* of the batch at hand; retained */
    uint32_t *codes;  /* per value: 1 + its number in the page, 0 = not met */
    ia_bytemap map;   /* values of the page */
};

void ia_wintern_clear(ia_wintern *d)
{
    if (!d)
        return;
    ia_bytemap_dispose(&d->map);
    ia_array_release(d->values);
    d->values = NULL;
    ia_free(d->codes);
    d->codes = NULL;
}

void ia_wintern_free(ia_wintern *d)
{
    ia_wintern_clear(d);
    ia_free(d);
}

ia_status ia_wintern_new(ia_ctx *cx, ia_wintern **out)
{
    return IA_NEW(cx, *out);
}

uint64_t ia_wintern_index(const ia_array *a, int64_t i)
{
    const uint8_t *p = a->bufs[1]->data;
    uint64_t at = (uint64_t)(a->offset + i);

    switch (a->type->children[0].type->id) {
    case IA_TYPE_I8:
        return (uint64_t)(int64_t)(int8_t)p[at];
    case IA_TYPE_U8:
        return p[at];
    case IA_TYPE_I16:
        return (uint64_t)(int64_t)(int16_t)ia_le16(p + at * 2);
    case IA_TYPE_U16:
        return ia_le16(p + at * 2);
    case IA_TYPE_I32:
        return (uint64_t)(int64_t)(int32_t)ia_le32(p + at * 4);
    case IA_TYPE_U32:
        return ia_le32(p + at * 4);
    default:
        return ia_le64(p + at * 8);
    }
}

/* The bytes of value i of a dictionary; *bit holds those of a boolean. */
static ia_view value_bytes(const ia_phys *ph, const ia_array *v, uint64_t i, char *bit)
{
    ia_view out;

    if (ph->kind == IA_PHYS_VAR) {
        const uint8_t *offs = offset_place(v, ph->bits, i);
        uint64_t from = offset_at(offs, ph->bits, 0);

        out.data = v->bufs[2] ? (const char *)v->bufs[2]->data + from : "";
        out.len = (size_t)(offset_at(offs, ph->bits, 1) - from);
    } else if (ph->width) {
        out.data = (const char *)v->bufs[1]->data + ((uint64_t)v->offset + i) * ph->width;
        out.len = ph->width;
    } else {
        *bit = (char)ia_bit_get(v->bufs[1]->data, v->offset + (int64_t)i);
        out.data = bit;
        out.len = 1;
    }
    return out;
}

static ia_status intern(ia_ctx *cx, ia_wleaf *l, uint64_t i)
{
    ia_wintern *d = l->intern;
    uint64_t longest = 0;
    char bit;
    ia_view key = value_bytes(&l->dict.phys, d->values, i, &bit);
    size_t number;
    bool added;

    IA_TRY(ia_bytemap_put(cx, &d->map, key.data, key.len, &number, &added));
    if (added)
        IA_TRY(put_valid(cx, &l->dict, &longest, d->values, i, 1));
    d->codes[i] = (uint32_t)number + 1;
    return IA_OK;
}

static ia_status use_values(ia_ctx *cx, ia_wintern *d, ia_array *values)
{
    if (d->values == values)
        return IA_OK;
    ia_array_release(d->values);
    d->values = NULL;
    ia_free(d->codes);
    IA_TRY(IA_NEW_ARRAY(cx, d->codes, (size_t)values->length + 1));
    d->values = ia_array_retain(values);
    return IA_OK;
}

/* Values that the index type can number. */
static uint64_t index_range(const ia_wleaf *l)
{
    const ia_type *k = l->node[l->depth - 1]->type->children[0].type;
    bool is_signed = k->id >= IA_TYPE_I8 && k->id <= IA_TYPE_I64;
    unsigned bits = l->phys.bits - is_signed;

    return bits >= 31 ? INT32_MAX : UINT64_C(1) << bits;
}

bool ia_wintern_is_full(const ia_wleaf *l, const ia_array *a)
{
    uint64_t max, fresh;
    const ia_array *v;

    if (l->kind != IA_WKIND_DICTIONARY || !l->rows || a->children[0] == l->intern->values)
        return false;
    v = a->children[0];
    max = index_range(l);
    fresh = l->dict.n;
    for (int64_t i = 0; i < v->length && (uint64_t)i < max && fresh <= max; i++) {
        char bit;
        ia_view key;

        if (!ia_array_valid(v, i))
            continue;
        key = value_bytes(&l->dict.phys, v, (uint64_t)i, &bit);
        fresh += !ia_bytemap_find(&l->intern->map, key.data, key.len, NULL);
    }
    return fresh > max;
}

static ia_status put_indices(ia_ctx *cx, ia_wleaf *l, const ia_shred *s, const ia_array *a,
                             const ia_wrun *run, const uint8_t *ev)
{
    size_t width = l->phys.width;
    uint8_t *p;

    IA_TRY(use_values(cx, l->intern, a->children[0]));
    p = ia_vals_extend(cx, &l->vals, run->n);
    if (!p)
        return ia_vals_status(cx, &l->vals);
    memset(p, 0, (size_t)run->n * width);
    for (uint64_t k = 0; k < run->n; k++, p += width) {
        uint64_t index;
        uint8_t word[8];

        if (ev && ev[k])
            continue;
        index = ia_wintern_index(a, (int64_t)(run->slot + k));
        if (index >= (uint64_t)a->children[0]->length)
            return ia_shred_refuse(cx, l, s, l->depth - 1, run->entry + k,
                                   "an index past the end of its dictionary");
        if (!l->intern->codes[index])
            IA_TRY(intern(cx, l, index));
        ia_put_le64(word, l->intern->codes[index] - 1);
        memcpy(p, word, width);
    }
    return IA_OK;
}

/* ---- packed structs ------------------------------------------------------------------------- */

/* Where the bytes of a fixed part lie, and whether an item inside is null. */
static const uint8_t *part_place(const ia_wpart *p, const ia_array *a, uint64_t slot, bool *null)
{
    uint64_t at = (uint64_t)a->offset + slot, count = 1;

    *null = !ia_array_valid(a, (int64_t)slot);
    for (size_t k = 0; k < p->phys.n_dims; k++) {
        a = a->children[0];
        at = at * p->phys.dims[k] + (uint64_t)a->offset;
        count *= p->phys.dims[k];
        if (a->bufs[0] && !*null)
            *null = (uint64_t)ia_bits_count(a->bufs[0]->data, (int64_t)at, (int64_t)count) != count;
    }
    return a->bufs[1]->data + at * p->phys.bits / 8;
}

static ia_status refuse_part(ia_ctx *cx, const ia_wleaf *l, const ia_shred *s, const ia_wpart *p,
                             uint64_t entry)
{
    char why[160];

    snprintf(why, sizeof why, "null in '%.60s': fields of a packed struct cannot be null",
             p->field->name);
    return ia_shred_refuse(cx, l, s, l->depth - 1, entry, why);
}

static ia_status put_packed(ia_ctx *cx, ia_wleaf *l, const ia_shred *s, const ia_array *a,
                            const ia_wrun *run, const uint8_t *ev)
{
    uint64_t slot = run->slot + (uint64_t)a->offset;
    uint8_t *rows = ia_vals_extend(cx, &l->vals, run->n);
    size_t at = 0;

    if (!rows)
        return ia_vals_status(cx, &l->vals);
    memset(rows, 0, (size_t)run->n * l->phys.width);
    for (size_t i = 0; i < l->n_parts; i++) {
        const ia_wpart *p = &l->parts[i];
        size_t width = p->bits / 8;

        for (uint64_t k = 0; k < run->n; k++) {
            const uint8_t *from;
            bool null;

            if (ev && ev[k])
                continue;
            from = part_place(p, a->children[i], slot + k, &null);
            if (null)
                return refuse_part(cx, l, s, p, run->entry + k);
            memcpy(rows + k * l->phys.width + at, from, width);
        }
        at += width;
    }
    return IA_OK;
}

static ia_status put_row(ia_ctx *cx, ia_wleaf *l, const ia_shred *s, const ia_array *a,
                         uint64_t slot, uint64_t entry)
{
    for (size_t i = 0; i < l->n_parts; i++) {
        const ia_wpart *p = &l->parts[i];
        const ia_array *c = a->children[i];
        uint8_t word[8];
        ia_view v;
        bool null = !ia_array_valid(c, (int64_t)slot);

        if (!p->len_bits) {
            const uint8_t *from = part_place(p, c, slot, &null);

            if (!null)
                ia_buf_put(cx, &l->vals.data, from, p->bits / 8);
        } else if (!null) {
            v = ia_array_str(c, (int64_t)slot);
            ia_put_le64(word, v.len);
            ia_buf_put(cx, &l->vals.data, word, p->len_bits / 8);
            if (v.len)
                ia_buf_put(cx, &l->vals.data, v.data, v.len);
        }
        if (null)
            return refuse_part(cx, l, s, p, entry);
    }
    return ia_buf_status(&l->vals.data);
}

static ia_status put_packed_var(ia_ctx *cx, ia_wleaf *l, const ia_shred *s, const ia_array *a,
                                const ia_wrun *run, const uint8_t *ev)
{
    for (uint64_t k = 0; k < run->n; k++) {
        size_t from = l->vals.data.len;

        if (ev && ev[k]) {
            ia_vals_zeros(cx, &l->vals, 1);
            continue;
        }
        IA_TRY(ia_vals_begin_var(cx, &l->vals));
        IA_TRY(put_row(cx, l, s, a, run->slot + k + (uint64_t)a->offset, run->entry + k));
        IA_TRY(ia_vals_end_var(cx, &l->vals));
        if (l->vals.data.len - from > l->longest)
            l->longest = l->vals.data.len - from;
    }
    return ia_vals_status(cx, &l->vals);
}

ia_status ia_wleaf_put(ia_ctx *cx, ia_wleaf *l, const ia_shred *s, const ia_array *a,
                       const ia_wrun *run, const uint8_t *ev)
{
    switch (l->kind) {
    case IA_WKIND_DICTIONARY:
        return put_indices(cx, l, s, a, run, ev);
    case IA_WKIND_PACKED:
        return put_packed(cx, l, s, a, run, ev);
    case IA_WKIND_PACKED_VAR:
        return put_packed_var(cx, l, s, a, run, ev);
    case IA_WKIND_EMPTY_STRUCT:
        l->vals.n += run->n;
        return IA_OK;
    default:
        return put_plain(cx, l, a, run->slot, run->n, ev);
    }
}
