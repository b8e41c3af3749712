/* layout.c - page descriptions: the layouts, decoded and checked (file format 3.1). */
#include <inttypes.h>

#include "file/layout_priv.h"

bool ia_layer_is_list(uint8_t layer)
{
    return layer == IA_LAYER_LIST || layer >= IA_LAYER_NULL_LIST;
}

/* ---- layouts -------------------------------------------------------------------------------- */

static void add_layer(ia_wire *w, ia_layout *l, uint64_t v)
{
    if (v < IA_LAYER_ITEM || v > IA_LAYER_NULL_EMPTY_LIST || l->n_layers == IA_MAX_LAYERS)
        w->bad = true;
    else
        l->layers[l->n_layers++] = (uint8_t)v;
}

ia_status ia_layout_layers(ia_ctx *cx, ia_wire *w, ia_layout *l)
{
    uint64_t *v = NULL;
    size_t n = 0, cap = 0;
    ia_status st = ia_wire_u64s(cx, w, &v, &n, &cap);

    for (size_t i = 0; st == IA_OK && i < n; i++)
        add_layer(w, l, v[i]);
    ia_free(v);
    return st;
}

static ia_status read_mini(ia_ctx *cx, ia_arena *a, ia_wire *m, ia_layout *l)
{
    while (ia_wire_next(m)) {
        switch (m->number) {
        case 1:
            IA_TRY(ia_enc_read(cx, a, m, &l->rep));
            break;
        case 2:
            IA_TRY(ia_enc_read(cx, a, m, &l->def));
            break;
        case 3:
            IA_TRY(ia_enc_read(cx, a, m, &l->values));
            break;
        case 4:
            IA_TRY(ia_enc_read(cx, a, m, &l->dict));
            break;
        case 5:
            l->dict_items = ia_wire_u64(m);
            break;
        case 6:
            IA_TRY(ia_layout_layers(cx, m, l));
            break;
        case 7:
            l->num_buffers = ia_wire_u32(m);
            break;
        case 8:
            l->rep_depth = ia_wire_u32(m);
            break;
        case 9:
            l->num_items = ia_wire_u64(m);
            break;
        case 10:
            l->large_chunk = ia_wire_bool(m);
            break;
        default:
            break;
        }
    }
    if (!m->bad && (!l->values || l->num_buffers < 1 || l->num_buffers > IA_ENC_MAX_DEPTH))
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "mini-block layout without values or with %" PRIu32 " buffers",
                       l->num_buffers);
    return IA_OK;
}

ia_status ia_layout_zip_check(ia_ctx *cx, const ia_layout *l)
{
    if (!l->values || l->bits_rep > 16 || l->bits_def > 16)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "full-zip layout with bad level widths or without values");
    /* Lists of nothing but nulls may have no bits at all. */
    if ((!l->bits_per_value == !l->bits_per_offset &&
         (l->bits_per_offset || l->values->kind != IA_ENC_FSL)) ||
        l->bits_per_value % 8 ||
        (l->bits_per_offset && l->bits_per_offset != 32 && l->bits_per_offset != 64))
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "full-zip layout with %" PRIu32 " bits per value and %" PRIu32 " per offset",
                       l->bits_per_value, l->bits_per_offset);
    return IA_OK;
}

static ia_status read_zip(ia_ctx *cx, ia_arena *a, ia_wire *m, ia_layout *l)
{
    while (ia_wire_next(m)) {
        switch (m->number) {
        case 1:
            l->bits_rep = ia_wire_u32(m);
            break;
        case 2:
            l->bits_def = ia_wire_u32(m);
            break;
        case 3:
            l->bits_per_value = ia_wire_u32(m);
            break;
        case 4:
            l->bits_per_offset = ia_wire_u32(m);
            break;
        case 5:
            l->num_items = ia_wire_u64(m);
            break;
        case 6:
            l->num_visible = ia_wire_u64(m);
            break;
        case 7:
            IA_TRY(ia_enc_read(cx, a, m, &l->values));
            break;
        case 8:
            IA_TRY(ia_layout_layers(cx, m, l));
            break;
        default:
            break;
        }
    }
    return m->bad ? IA_OK : ia_layout_zip_check(cx, l);
}

static ia_status read_constant(ia_ctx *cx, ia_arena *a, ia_wire *m, ia_layout *l)
{
    while (ia_wire_next(m)) {
        switch (m->number) {
        case 5:
            IA_TRY(ia_layout_layers(cx, m, l));
            break;
        case 6:
            l->has_inline = true;
            l->inline_value = ia_wire_view(m);
            break;
        case 7:
            IA_TRY(ia_enc_read(cx, a, m, &l->rep));
            break;
        case 8:
            IA_TRY(ia_enc_read(cx, a, m, &l->def));
            break;
        case 9:
            l->num_rep_values = ia_wire_u64(m);
            break;
        case 10:
            l->num_def_values = ia_wire_u64(m);
            break;
        default:
            break;
        }
    }
    return IA_OK;
}

/* Numbers the definition levels (file format 2.2) and counts list layers. */
static ia_status derive_levels(ia_ctx *cx, ia_layout *l)
{
    bool in_list = false;

    if (!l->n_layers)
        return ia_fail(cx, IA_ERR_CORRUPT, "page layout without layers");
    for (size_t i = 0; i < l->n_layers; i++) {
        uint8_t layer = l->layers[i];

        if (ia_layer_is_list(layer)) {
            if (!in_list)
                l->max_visible = l->max_def;
            in_list = true;
            l->max_rep++;
        }
        if (layer == IA_LAYER_NULL_ITEM || layer == IA_LAYER_NULL_LIST ||
            layer == IA_LAYER_NULL_EMPTY_LIST) {
            l->meaning[++l->max_def].layer = (uint8_t)i;
            l->meaning[l->max_def].null = true;
        }
        if (layer == IA_LAYER_EMPTY_LIST || layer == IA_LAYER_NULL_EMPTY_LIST) {
            l->meaning[++l->max_def].layer = (uint8_t)i;
            l->meaning[l->max_def].null = false;
        }
    }
    if (!in_list)
        l->max_visible = l->max_def;
    return IA_OK;
}

static ia_status read_layout(ia_ctx *cx, ia_arena *a, ia_wire *w, int depth, ia_layout *l);

/* BlobLayout {inner_layout 1, layers 2}: the page of the descriptions, and what their levels say.
 */
static ia_status read_blob(ia_ctx *cx, ia_arena *a, ia_wire *m, int depth, ia_layout *l)
{
    ia_wire inner;

    if (depth)
        return ia_fail(cx, IA_ERR_CORRUPT, "blob page layout inside a blob page layout");
    while (ia_wire_next(m)) {
        if (m->number == 1) {
            if (l->inner)
                return ia_fail(cx, IA_ERR_CORRUPT, "blob page layout with two inner layouts");
            IA_TRY(IA_ARENA_NEW(cx, a, l->inner));
            ia_wire_sub(m, &inner);
            IA_TRY(read_layout(cx, a, &inner, depth + 1, l->inner));
        } else if (m->number == 2) {
            IA_TRY(ia_layout_layers(cx, m, l));
        }
    }
    if (!m->bad && !l->inner)
        return ia_fail(cx, IA_ERR_CORRUPT, "blob page layout without an inner layout");
    return IA_OK;
}

static ia_status read_kind(ia_ctx *cx, ia_arena *a, uint32_t number, ia_wire *m, int depth,
                           ia_layout *l)
{
    l->kind = (ia_layout_kind)number;
    switch (number) {
    case IA_LAYOUT_MINI:
        return read_mini(cx, a, m, l);
    case IA_LAYOUT_CONSTANT:
        return read_constant(cx, a, m, l);
    case IA_LAYOUT_ZIP:
        return read_zip(cx, a, m, l);
    case IA_LAYOUT_BLOB:
        return read_blob(cx, a, m, depth, l);
    case IA_LAYOUT_SPARSE:
        return ia_layout_sparse(cx, a, m, l);
    default:
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "page layout number %" PRIu32 " is not known",
                       number);
    }
}

static ia_status read_layout(ia_ctx *cx, ia_arena *a, ia_wire *w, int depth, ia_layout *l)
{
    ia_wire m;

    while (ia_wire_next(w)) {
        if (l->kind)
            return ia_fail(cx, IA_ERR_CORRUPT, "page has two layouts");
        ia_wire_sub(w, &m);
        IA_TRY(read_kind(cx, a, w->number, &m, depth, l));
        if (m.bad)
            w->bad = true;
    }
    IA_TRY(ia_wire_done(cx, w, "page layout"));
    if (!l->kind)
        return ia_fail(cx, IA_ERR_CORRUPT, "page without a layout");
    return derive_levels(cx, l);
}

ia_status ia_layout_decode(ia_ctx *cx, ia_arena *a, const uint8_t *p, size_t n, ia_layout *out)
{
    ia_wire any, w;
    ia_view url = {"", 0}, value = {"", 0};

    memset(out, 0, sizeof *out);
    ia_wire_init(&any, p, n);
    while (ia_wire_next(&any)) {
        if (any.number == 1)
            url = ia_wire_view(&any);
        else if (any.number == 2)
            value = ia_wire_view(&any);
    }
    IA_TRY(ia_wire_done(cx, &any, "page encoding"));
    if (ia_view_eq_str(url, "/lance.encodings.ArrayEncoding"))
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "a page of format 2.0 in a file of a newer one");
    if (ia_view_eq_str(url, "/lance.encodings23.PlanarLayout")) {
        ia_wire_init(&w, (const uint8_t *)value.data, value.len);
        IA_TRY(ia_layout_planar(cx, a, &w, out));
        return derive_levels(cx, out);
    }
    if (!ia_view_eq_str(url, "/lance.encodings21.PageLayout"))
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "page description '%.*s' is not known",
                       (int)(url.len < 80 ? url.len : 80), url.data);
    ia_wire_init(&w, (const uint8_t *)value.data, value.len);
    return read_layout(cx, a, &w, 0, out);
}
