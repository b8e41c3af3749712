/* write_const.c - pages whose values are all null or all equal (file format 3.6). */
#include "file/write_enc.h"

enum { MAX_INLINE = 32 };

/* ---- all null ------------------------------------------------------------------------------- */

/* From 2.2 on the levels may be compressed; raw levels stay legal. */
static ia_level_codec pick(const uint16_t *v, uint64_t n, uint32_t minor)
{
    ia_level_codec c = {.present = v != NULL};

    return minor >= 2 ? ia_levels_pick(v, n, n, minor) : c;
}

ia_status ia_write_constant(ia_ctx *cx, const ia_wleaf *l, const ia_wlevels *lv, ia_wpage *out)
{
    size_t m = ia_wire_begin(cx, &out->layout, IA_LAYOUT_CONSTANT);
    ia_level_codec rep = pick(lv->rep, lv->n, l->minor), def = pick(lv->def, lv->n, l->minor);
    bool plain = lv->n_layers == 1;

    ia_put_layers(cx, &out->layout, 5, lv);
    if (!plain && rep.kind != IA_LEVELS_FLAT) {
        ia_levels_describe(cx, &out->layout, 7, rep);
        ia_wire_put_u64(cx, &out->layout, 9, lv->n);
    }
    if (!plain && def.kind != IA_LEVELS_FLAT) {
        ia_levels_describe(cx, &out->layout, 8, def);
        ia_wire_put_u64(cx, &out->layout, 10, lv->n);
    }
    ia_wire_end(cx, &out->layout, m);
    if (!plain) {
        if (lv->rep)
            ia_levels_put(cx, &out->bufs[0], rep, lv->rep, (size_t)lv->n);
        if (lv->def)
            ia_levels_put(cx, &out->bufs[1], def, lv->def, (size_t)lv->n);
        ia_wpage_show(out, 2);
    }
    IA_TRY(ia_buf_status(&out->bufs[0]));
    IA_TRY(ia_buf_status(&out->bufs[1]));
    return ia_buf_status(&out->layout);
}

/* ---- one value ------------------------------------------------------------------------------ */

static ia_view value_of(const ia_vals *v, uint64_t i)
{
    uint64_t from, to;

    if (v->phys.kind == IA_PHYS_FIXED)
        return (ia_view){(const char *)ia_vals_base(v) + i * v->phys.width, v->phys.width};
    from = ia_vals_offset(v, i);
    to = ia_vals_offset(v, i + 1);
    return (ia_view){v->data.len ? (const char *)v->data.data + from : "", (size_t)(to - from)};
}

/* Value number of the first entry that is neither null nor empty; the page has one. */
static uint64_t first_valid(const ia_wlevels *lv)
{
    uint64_t value = 0;

    for (uint64_t i = 0; lv->def && lv->def[i] != 0; i++)
        value += lv->def[i] <= lv->max_visible;
    return value;
}

static bool all_equal_bits(const ia_vals *v, const ia_wlevels *lv, uint64_t at)
{
    const uint8_t *p = ia_vals_base(v);
    bool one = ia_bit_get(p, (int64_t)at);
    uint64_t value = at;

    if (!lv->def) {
        for (uint64_t i = 0; i < v->n; i++) {
            if (ia_bit_get(p, (int64_t)i) != one)
                return false;
        }
        return true;
    }
    for (uint64_t i = 0, k = 0; i < lv->n; i++) {
        if (lv->def[i] > lv->max_visible)
            continue;
        value = k++;
        if (!lv->def[i] && ia_bit_get(p, (int64_t)value) != one)
            return false;
    }
    return true;
}

static bool all_equal(const ia_vals *v, const ia_wlevels *lv, uint64_t at)
{
    ia_view one = value_of(v, at);

    if (!lv->def && v->phys.kind == IA_PHYS_FIXED) /* each value equals the one before it */
        return v->n < 2 || memcmp(one.data, one.data + one.len, (size_t)(v->n - 1) * one.len) == 0;
    for (uint64_t i = 0, k = 0; i < lv->n; i++) {
        uint32_t def = lv->def ? lv->def[i] : 0;
        ia_view x;

        if (def > lv->max_visible)
            continue;
        if (!def) {
            x = value_of(v, k);
            if (x.len != one.len || (one.len && memcmp(x.data, one.data, one.len) != 0))
                return false;
        }
        k++;
    }
    return true;
}

/* The Arrow buffers of an array of one element: their number, their lengths, their bytes. */
static void put_value_buffer(ia_ctx *cx, const ia_phys *p, ia_view x, ia_buf *out)
{
    bool var = p->kind == IA_PHYS_VAR;
    size_t word = p->bits / 8;
    uint8_t head[12], offs[16] = {0};

    ia_put_le32(head, var ? 2 : 1);
    ia_put_le32(head + 4, (uint32_t)(var ? 2 * word : x.len));
    ia_put_le32(head + 8, (uint32_t)x.len);
    ia_buf_put(cx, out, head, var ? 12 : 8);
    if (var) {
        ia_put_le64(offs + word, x.len);
        ia_buf_put(cx, out, offs, 2 * word);
    }
    if (x.len)
        ia_buf_put(cx, out, x.data, x.len);
}

static void put_inline(ia_ctx *cx, const ia_wleaf *l, uint64_t at, ia_buf *layout)
{
    ia_view x;
    uint8_t bit;

    if (l->phys.value_bits == 1) {
        bit = ia_bit_get(ia_vals_base(&l->vals), (int64_t)at);
        ia_wire_add_bytes(cx, layout, 6, &bit, 1);
        return;
    }
    x = value_of(&l->vals, at);
    ia_wire_add_bytes(cx, layout, 6, x.data, x.len);
}

static bool may_be_constant(const ia_wleaf *l, const ia_wlevels *lv)
{
    uint64_t levels = (lv->def ? lv->n * 2 : 0) + (lv->rep ? lv->n * 2 : 0);
    const ia_hints *h = &l->hints;

    if (l->minor < 2 || l->phys.n_dims || ia_wleaf_is_packed(l) || ia_wleaf_is_dict(l) ||
        l->phys.kind == IA_PHYS_NULL)
        return false;
    if (h->encoding != IA_HINT_ENCODING_AUTO || h->structural != IA_HINT_STRUCTURAL_AUTO)
        return false;
    /* Levels are raw here: beyond some hundred values ordinary pages with packed levels win. */
    return !levels ||
           (l->phys.kind == IA_PHYS_VAR ? levels <= l->vals.data.len / 8 : levels <= 1024);
}

ia_status ia_write_one_value(ia_ctx *cx, const ia_wleaf *l, const ia_wlevels *lv, ia_wpage *out,
                             bool *made)
{
    bool bits = l->phys.kind == IA_PHYS_FIXED && l->phys.value_bits == 1, inlined;
    bool levels = lv->def || lv->rep;
    size_t n = 0, m;
    uint64_t at;

    *made = false;
    if (!may_be_constant(l, lv))
        return IA_OK;
    at = first_valid(lv);
    if (bits ? !all_equal_bits(&l->vals, lv, at) : !all_equal(&l->vals, lv, at))
        return IA_OK;
    inlined = bits || (l->phys.kind == IA_PHYS_FIXED && l->phys.width <= MAX_INLINE);
    m = ia_wire_begin(cx, &out->layout, IA_LAYOUT_CONSTANT);
    ia_put_layers(cx, &out->layout, 5, lv);
    if (inlined)
        put_inline(cx, l, at, &out->layout);
    else
        put_value_buffer(cx, &l->phys, value_of(&l->vals, at), &out->bufs[n++]);
    ia_wire_end(cx, &out->layout, m);
    if (levels && lv->rep)
        ia_buf_put(cx, &out->bufs[n], lv->rep, (size_t)lv->n * 2);
    n += levels;
    if (levels && lv->def)
        ia_buf_put(cx, &out->bufs[n], lv->def, (size_t)lv->n * 2);
    n += levels;
    for (size_t i = 0; i < n; i++)
        IA_TRY(ia_buf_status(&out->bufs[i]));
    ia_wpage_show(out, n);
    *made = true;
    return ia_buf_status(&out->layout);
}
