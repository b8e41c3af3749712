/* shred.c - Arrow columns into entries and values of a leaf (file format 2.6). */
#include <inttypes.h>

#include "file/write_priv.h"

/* ---- entries -------------------------------------------------------------------------------- */

static void put_rep(ia_ctx *cx, ia_wleaf *l, size_t rep, size_t n)
{
    uint8_t *p;

    if (!l->n_lists)
        return;
    p = ia_buf_extend(cx, &l->rep, 2 * n);
    for (size_t i = 0; p && i < n; i++)
        ia_put_le16(p + 2 * i, (uint16_t)rep);
}

/* n entries of one event. The event stream begins with the first event. */
static void put_entries(ia_ctx *cx, ia_wleaf *l, size_t rep, uint8_t event, size_t n)
{
    put_rep(cx, l, rep, n);
    if (event && !l->events.len && l->entries)
        ia_buf_fill(cx, &l->events, 0, (size_t)l->entries);
    if (event || l->events.len)
        ia_buf_fill(cx, &l->events, event, n);
    l->entries += n;
    if (event)
        l->used[event] = true;
    else
        l->valid += n;
}

/* Validity of whole runs for columns without structure around them. */
static void put_flat_events(ia_ctx *cx, ia_wleaf *l, const ia_array *a, int64_t start, int64_t n)
{
    uint8_t *p;

    if (!l->events.len && l->entries)
        ia_buf_fill(cx, &l->events, 0, (size_t)l->entries);
    p = ia_buf_extend(cx, &l->events, (size_t)n);
    if (!p)
        return;
    for (int64_t i = 0; i < n; i++) {
        bool ok = ia_array_valid(a, start + i);

        p[i] = ok ? 0 : IA_EVENT_NULL(0);
        l->valid += ok;
    }
    l->used[IA_EVENT_NULL(0)] = true;
    l->entries += (uint64_t)n;
}

/* ---- values --------------------------------------------------------------------------------- */

/* Values [start, start + n) of a fixed-width array, all valid at the top. */
static void put_fixed(ia_ctx *cx, ia_wleaf *l, const ia_array *a, int64_t start, int64_t n)
{
    uint64_t at = (uint64_t)(a->offset + start), count = (uint64_t)n;

    for (size_t k = 0; k < l->phys.n_dims; k++) {
        a = a->children[0];
        at = at * l->phys.dims[k] + (uint64_t)a->offset;
        count *= l->phys.dims[k];
        if (a->bufs[0])
            ia_valid_bits(cx, &l->vals.inner[k], a->bufs[0]->data, at, count);
        else
            ia_valid_ones(cx, &l->vals.inner[k], count);
    }
    if (l->phys.width) {
        uint8_t *p = ia_vals_extend(cx, &l->vals, (uint64_t)n);

        if (p)
            memcpy(p, a->bufs[1]->data + at * (l->phys.bits / 8), (size_t)n * l->phys.width);
    } else {
        ia_vals_put_bits(cx, &l->vals, a->bufs[1]->data, at, (uint64_t)n);
    }
}

static uint64_t offset_at(const ia_array *a, uint32_t bits, int64_t i)
{
    const uint8_t *p = a->bufs[1]->data + (size_t)(a->offset + i) * (bits / 8);

    return bits == 32 ? ia_le32(p) : ia_le64(p);
}

static ia_status put_vars(ia_ctx *cx, ia_wleaf *l, const ia_array *a, int64_t start, int64_t n)
{
    uint32_t bits = l->phys.bits;
    uint64_t prev = offset_at(a, bits, start), longest = l->longest;

    for (int64_t i = 1; i <= n; i++) {
        uint64_t x = offset_at(a, bits, start + i);

        longest = x - prev > longest ? x - prev : longest;
        prev = x;
    }
    l->longest = longest;
    return ia_vals_put_vars(cx, &l->vals,
                            a->bufs[1]->data + (size_t)(a->offset + start) * (bits / 8), bits,
                            a->bufs[2] ? a->bufs[2]->data : NULL, (uint64_t)n);
}

static ia_status put_valid_run(ia_ctx *cx, ia_wleaf *l, const ia_array *a, int64_t start, int64_t n)
{
    if (l->phys.kind == IA_PHYS_VAR)
        return put_vars(cx, l, a, start, n);
    if (l->phys.kind == IA_PHYS_FIXED)
        put_fixed(cx, l, a, start, n);
    else
        l->vals.n += (uint64_t)n;
    return ia_vals_status(cx, &l->vals);
}

/* Values of [start, start + n); null slots become zero or empty. */
static ia_status put_values(ia_ctx *cx, ia_wleaf *l, const ia_array *a, int64_t start, int64_t n)
{
    if (!a->null_count)
        return put_valid_run(cx, l, a, start, n);
    for (int64_t i = 0; i < n;) {
        int64_t k = i + 1;
        bool ok = ia_array_valid(a, start + i);

        while (k < n && ia_array_valid(a, start + k) == ok)
            k++;
        if (ok)
            IA_TRY(put_valid_run(cx, l, a, start + i, k - i));
        else
            ia_vals_zeros(cx, &l->vals, (uint64_t)(k - i));
        i = k;
    }
    return ia_vals_status(cx, &l->vals);
}

/* ---- walking -------------------------------------------------------------------------------- */

static ia_status refuse_null(ia_ctx *cx, const ia_wleaf *l, size_t node, uint64_t row)
{
    if (node == 0)
        return ia_fail(cx, IA_ERR_INVALID,
                       "column '%s', row %" PRIu64 ": null in a field that does not allow it",
                       l->top->name, row);
    return ia_fail(cx, IA_ERR_INVALID,
                   "column '%s', field '%s', row %" PRIu64
                   ": null in a field that does not allow it",
                   l->top->name, l->node[node]->name, row);
}

static bool is_list(const ia_field *f)
{
    return f->type->id == IA_TYPE_LIST || f->type->id == IA_TYPE_LARGE_LIST;
}

static ia_status walk(ia_ctx *cx, ia_wleaf *l, size_t i, const ia_array *a, int64_t at, size_t rep,
                      uint64_t row);

/* Items of one list; primitive items without nulls go in bulk. */
static ia_status walk_items(ia_ctx *cx, ia_wleaf *l, size_t i, const ia_array *a, int64_t at,
                            size_t rep, uint64_t row)
{
    const ia_array *items = a->children[0];
    int64_t start, len;
    size_t next = l->lists_below[i] - 1;

    ia_array_list(a, at, &start, &len);
    if (!len) {
        put_entries(cx, l, rep, IA_EVENT_EMPTY(l->depth - 1 - i), 1);
        l->invisible++;
        return IA_OK;
    }
    if (i + 2 == l->depth && !items->null_count && l->phys.kind != IA_PHYS_NULL) {
        put_entries(cx, l, rep, 0, 1);
        put_entries(cx, l, next, 0, (size_t)len - 1);
        return put_valid_run(cx, l, items, start, len);
    }
    for (int64_t j = 0; j < len; j++)
        IA_TRY(walk(cx, l, i + 1, items, start + j, j == 0 ? rep : next, row));
    return IA_OK;
}

static ia_status walk(ia_ctx *cx, ia_wleaf *l, size_t i, const ia_array *a, int64_t at, size_t rep,
                      uint64_t row)
{
    for (;;) {
        if (!ia_array_valid(a, at)) {
            if (!l->node[i]->nullable)
                return refuse_null(cx, l, i, row);
            put_entries(cx, l, rep, IA_EVENT_NULL(l->depth - 1 - i), 1);
            if (l->lists_below[i] == 0)
                ia_vals_zeros(cx, &l->vals, 1);
            else
                l->invisible++;
            return IA_OK;
        }
        if (i + 1 == l->depth) {
            put_entries(cx, l, rep, 0, 1);
            return put_valid_run(cx, l, a, at, 1);
        }
        if (is_list(l->node[i]))
            return walk_items(cx, l, i, a, at, rep, row);
        at += a->offset;
        a = a->children[l->child[i]];
        i++;
    }
}

static ia_status append_flat(ia_ctx *cx, ia_wleaf *l, const ia_array *a, int64_t start, int64_t n)
{
    bool null_type = a->type->id == IA_TYPE_NULL;

    if ((a->null_count || null_type) && !l->node[0]->nullable) {
        for (int64_t i = 0; i < n; i++) {
            if (!ia_array_valid(a, start + i))
                return refuse_null(cx, l, 0, l->first_row + l->rows + (uint64_t)i);
        }
    }
    if (null_type) {
        put_entries(cx, l, 0, IA_EVENT_NULL(0), (size_t)n);
        l->vals.n += (uint64_t)n;
        return ia_buf_status(&l->events);
    }
    if (a->null_count)
        put_flat_events(cx, l, a, start, n);
    else
        put_entries(cx, l, 0, 0, (size_t)n);
    return put_values(cx, l, a, start, n);
}

ia_status ia_wleaf_append(ia_ctx *cx, ia_wleaf *l, const ia_array *a, int64_t start, int64_t n)
{
    if (l->depth == 1) {
        IA_TRY(append_flat(cx, l, a, start, n));
        l->rows += (uint64_t)n;
    } else {
        for (int64_t i = 0; i < n; i++) {
            IA_TRY(walk(cx, l, 0, a, start + i, l->n_lists, l->first_row + l->rows));
            l->rows++;
        }
    }
    IA_TRY(ia_buf_status(&l->rep));
    IA_TRY(ia_buf_status(&l->events));
    return ia_vals_status(cx, &l->vals);
}

uint64_t ia_wleaf_bytes(const ia_wleaf *l)
{
    return l->vals.data.len + l->vals.offs.len + l->rep.len + l->events.len;
}

void ia_wleaf_clear(ia_wleaf *l)
{
    l->first_row += l->rows;
    l->rows = l->entries = l->invisible = l->valid = l->longest = 0;
    ia_buf_clear(&l->rep);
    ia_buf_clear(&l->events);
    ia_vals_clear(&l->vals);
    memset(l->used, 0, sizeof l->used);
}

void ia_wleaf_dispose(ia_wleaf *l)
{
    ia_buf_dispose(&l->rep);
    ia_buf_dispose(&l->events);
    ia_vals_dispose(&l->vals);
    ia_buf_dispose(&l->pages);
}

/* ---- levels --------------------------------------------------------------------------------- */

/* The engine miscounts where pages of a list below a struct differ in their layers; such columns
 * declare what their fields allow instead of what a page has. */
static bool struct_around_list(const ia_wleaf *l)
{
    for (size_t i = 0; i < l->depth; i++) {
        if (!is_list(l->node[i]) && l->lists_below[i])
            return true;
    }
    return false;
}

/* Picks each layer's kind from the events that occurred and numbers them, inner first. */
ia_status ia_wlevels_make(ia_ctx *cx, const ia_wleaf *l, ia_wlevels *out)
{
    uint16_t number[2 * IA_MAX_LAYERS + 1] = {0};
    bool in_list = false, fixed = struct_around_list(l);

    memset(out, 0, sizeof *out);
    out->n_layers = l->depth;
    out->n = l->entries;
    out->max_rep = (uint32_t)l->n_lists;
    for (size_t i = 0; i < l->depth; i++) {
        bool list = is_list(l->node[l->depth - 1 - i]);
        bool null = l->used[IA_EVENT_NULL(i)] || (fixed && l->node[l->depth - 1 - i]->nullable);
        bool empty = l->used[IA_EVENT_EMPTY(i)] || (fixed && list);

        if (list && !in_list) {
            out->max_visible = out->max_def;
            in_list = true;
        }
        if (list)
            out->layers[i] = null && empty ? IA_LAYER_NULL_EMPTY_LIST
                             : null        ? IA_LAYER_NULL_LIST
                             : empty       ? IA_LAYER_EMPTY_LIST
                                           : IA_LAYER_LIST;
        else
            out->layers[i] = null ? IA_LAYER_NULL_ITEM : IA_LAYER_ITEM;
        if (null)
            number[IA_EVENT_NULL(i)] = (uint16_t)++out->max_def;
        if (empty)
            number[IA_EVENT_EMPTY(i)] = (uint16_t)++out->max_def;
    }
    if (!in_list)
        out->max_visible = out->max_def;
    if (l->n_lists)
        out->rep = (const uint16_t *)(const void *)l->rep.data;
    if (!out->max_def)
        return IA_OK;
    IA_TRY(IA_NEW_ARRAY(cx, out->def, l->entries));
    for (uint64_t i = 0; l->events.len && i < l->entries; i++)
        out->def[i] = number[l->events.data[i]];
    return IA_OK;
}
