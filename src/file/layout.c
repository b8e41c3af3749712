/* layout.c - page descriptions: layouts and the encoding tree, decoded and checked. */
#include "file/layout.h"

#include <inttypes.h>

#include "file/wire.h"

const char *ia_enc_name(ia_enc_kind k)
{
    static const char *const names[] = {
        "none",
        "flat",
        "variable",
        "constant",
        "out_of_line_bitpacking",
        "inline_bitpacking",
        "fsst",
        "dictionary",
        "rle",
        "byte_stream_split",
        "general",
        "fixed_size_list",
        "packed_struct",
        "variable_packed_struct",
        "range",
        "delta",
    };

    return (unsigned)k < sizeof names / sizeof *names ? names[k] : "unknown";
}

bool ia_layer_is_list(uint8_t layer)
{
    return layer == IA_LAYER_LIST || layer >= IA_LAYER_NULL_LIST;
}

/* ---- encodings ------------------------------------------------------------------------------ */

static ia_status read_enc(ia_ctx *cx, ia_arena *a, ia_wire *w, int depth, ia_enc **out);

/* BufferCompression {scheme 1, level 2}. */
static uint32_t read_scheme(ia_wire *w)
{
    ia_wire m;
    uint32_t scheme = 0;

    ia_wire_sub(w, &m);
    while (ia_wire_next(&m)) {
        if (m.number == 1)
            scheme = ia_wire_u32(&m);
    }
    if (m.bad)
        w->bad = true;
    return scheme;
}

/* Which member of each kind's message is what; 0 = has none. */
static const struct {
    uint8_t bits, child, child2, compressed, bytes;
} members[IA_ENC_DELTA + 1] = {
    [IA_ENC_FLAT] = {.bits = 1, .compressed = 2},
    [IA_ENC_VARIABLE] = {.child = 1, .compressed = 2},
    [IA_ENC_CONSTANT] = {.bytes = 1},
    [IA_ENC_OOL_BITPACK] = {.bits = 1, .child = 3},
    [IA_ENC_INLINE_BITPACK] = {.bits = 1, .compressed = 2},
    [IA_ENC_FSST] = {.bytes = 1, .child = 2},
    [IA_ENC_RLE] = {.child = 1, .child2 = 2},
    [IA_ENC_BSS] = {.child = 1},
    [IA_ENC_GENERAL] = {.child = 3},
    [IA_ENC_FSL] = {.child = 2},
};

static ia_status read_enc_member(ia_ctx *cx, ia_arena *a, ia_wire *m, int depth, ia_enc *e)
{
    uint32_t number = m->number;

    if (number == members[e->kind].child)
        return read_enc(cx, a, m, depth + 1, &e->child);
    if (number == members[e->kind].child2)
        return read_enc(cx, a, m, depth + 1, &e->child2);
    if (number == members[e->kind].compressed && read_scheme(m))
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "encoding %s with compressed buffers is not supported",
                       ia_enc_name(e->kind));
    if (number == members[e->kind].bits)
        e->bits = ia_wire_u32(m);
    else if (number == members[e->kind].bytes)
        e->bytes = ia_wire_view(m);
    else if (e->kind == IA_ENC_GENERAL && number == 1)
        e->scheme = read_scheme(m);
    else if (e->kind == IA_ENC_FSL && number == 1)
        e->items = ia_wire_u32(m);
    else if (e->kind == IA_ENC_FSL && number == 3)
        e->has_validity = ia_wire_bool(m);
    return IA_OK;
}

static ia_status check_enc(ia_ctx *cx, const ia_enc *e)
{
    bool ok = true;

    switch (e->kind) {
    case IA_ENC_FLAT: /* 0 bits below out_of_line_bitpacking: all zero */
        break;
    case IA_ENC_VARIABLE:
    case IA_ENC_FSST:
    case IA_ENC_BSS:
        ok = e->child != NULL;
        break;
    case IA_ENC_OOL_BITPACK:
        ok = e->child && e->child->kind == IA_ENC_FLAT && e->child->bits < e->bits;
        ok = ok && (e->bits == 8 || e->bits == 16 || e->bits == 32 || e->bits == 64);
        break;
    case IA_ENC_INLINE_BITPACK:
        if (e->bits == 128)
            return ia_fail(cx, IA_ERR_UNSUPPORTED,
                           "inline_bitpacking of 128 bit values is not supported");
        ok = e->bits == 8 || e->bits == 16 || e->bits == 32 || e->bits == 64;
        break;
    case IA_ENC_RLE:
        ok = e->child && e->child2;
        break;
    case IA_ENC_GENERAL:
        if (e->scheme != IA_SCHEME_LZ4 && e->scheme != IA_SCHEME_ZSTD)
            return ia_fail(cx, IA_ERR_UNSUPPORTED,
                           "compression scheme %" PRIu32 " is not supported", e->scheme);
        ok = e->child != NULL;
        break;
    case IA_ENC_FSL:
        ok = e->child && e->items >= 1 && e->items <= INT32_MAX;
        break;
    case IA_ENC_CONSTANT:
    case IA_ENC_DICTIONARY:
    case IA_ENC_PACKED_STRUCT:
    case IA_ENC_VAR_PACKED_STRUCT:
    case IA_ENC_RANGE:
    case IA_ENC_DELTA:
        break;
    }
    if (!ok)
        return ia_fail(cx, IA_ERR_CORRUPT, "encoding %s has missing or bad members",
                       ia_enc_name(e->kind));
    return IA_OK;
}

static ia_status read_enc(ia_ctx *cx, ia_arena *a, ia_wire *w, int depth, ia_enc **out)
{
    ia_wire ce, m;
    ia_enc *e;

    if (depth > IA_ENC_MAX_DEPTH)
        return ia_fail(cx, IA_ERR_CORRUPT, "encodings nested deeper than %d", IA_ENC_MAX_DEPTH);
    if (*out)
        return ia_fail(cx, IA_ERR_CORRUPT, "an encoding is given twice");
    IA_TRY(IA_ARENA_NEW(cx, a, e));
    ia_wire_sub(w, &ce);
    while (ia_wire_next(&ce)) {
        if (ce.number > IA_ENC_DELTA)
            return ia_fail(cx, IA_ERR_UNSUPPORTED, "encoding number %" PRIu32 " is not known",
                           ce.number);
        if (e->kind)
            return ia_fail(cx, IA_ERR_CORRUPT, "an encoding has two kinds");
        e->kind = (ia_enc_kind)ce.number;
        ia_wire_sub(&ce, &m);
        while (ia_wire_next(&m))
            IA_TRY(read_enc_member(cx, a, &m, depth, e));
        if (m.bad)
            ce.bad = true;
    }
    if (ce.bad)
        w->bad = true;
    else if (!e->kind)
        return ia_fail(cx, IA_ERR_CORRUPT, "an encoding is empty");
    else
        IA_TRY(check_enc(cx, e));
    *out = e;
    return IA_OK;
}

/* ---- layouts -------------------------------------------------------------------------------- */

static void add_layer(ia_wire *w, ia_layout *l, uint64_t v)
{
    if (v < IA_LAYER_ITEM || v > IA_LAYER_NULL_EMPTY_LIST || l->n_layers == IA_MAX_LAYERS)
        w->bad = true;
    else
        l->layers[l->n_layers++] = (uint8_t)v;
}

static ia_status read_layers(ia_ctx *cx, ia_wire *w, ia_layout *l)
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
            IA_TRY(read_enc(cx, a, m, 0, &l->rep));
            break;
        case 2:
            IA_TRY(read_enc(cx, a, m, 0, &l->def));
            break;
        case 3:
            IA_TRY(read_enc(cx, a, m, 0, &l->values));
            break;
        case 4:
            IA_TRY(read_enc(cx, a, m, 0, &l->dict));
            break;
        case 5:
            l->dict_items = ia_wire_u64(m);
            break;
        case 6:
            IA_TRY(read_layers(cx, m, l));
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
            IA_TRY(read_enc(cx, a, m, 0, &l->values));
            break;
        case 8:
            IA_TRY(read_layers(cx, m, l));
            break;
        default:
            break;
        }
    }
    if (m->bad)
        return IA_OK;
    if (!l->values || l->bits_rep > 16 || l->bits_def > 16)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "full-zip layout with bad level widths or without values");
    if (!l->bits_per_value == !l->bits_per_offset || l->bits_per_value % 8 ||
        (l->bits_per_offset && l->bits_per_offset != 32 && l->bits_per_offset != 64))
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "full-zip layout with %" PRIu32 " bits per value and %" PRIu32 " per offset",
                       l->bits_per_value, l->bits_per_offset);
    return IA_OK;
}

static ia_status read_constant(ia_ctx *cx, ia_arena *a, ia_wire *m, ia_layout *l)
{
    while (ia_wire_next(m)) {
        switch (m->number) {
        case 5:
            IA_TRY(read_layers(cx, m, l));
            break;
        case 6:
            l->has_inline = true;
            l->inline_value = ia_wire_view(m);
            break;
        case 7:
            IA_TRY(read_enc(cx, a, m, 0, &l->rep));
            break;
        case 8:
            IA_TRY(read_enc(cx, a, m, 0, &l->def));
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

static ia_status read_layout(ia_ctx *cx, ia_arena *a, ia_wire *w, ia_layout *l)
{
    ia_wire m;

    while (ia_wire_next(w)) {
        if (l->kind)
            return ia_fail(cx, IA_ERR_CORRUPT, "page has two layouts");
        ia_wire_sub(w, &m);
        switch (w->number) {
        case 1:
            l->kind = IA_LAYOUT_MINI;
            IA_TRY(read_mini(cx, a, &m, l));
            break;
        case 2:
            l->kind = IA_LAYOUT_CONSTANT;
            IA_TRY(read_constant(cx, a, &m, l));
            break;
        case 3:
            l->kind = IA_LAYOUT_ZIP;
            IA_TRY(read_zip(cx, a, &m, l));
            break;
        case 4:
            return ia_fail(cx, IA_ERR_UNSUPPORTED, "blob page layout is not supported");
        case 5:
            return ia_fail(cx, IA_ERR_UNSUPPORTED,
                           "sparse page layout (format 2.3) is not supported");
        default:
            return ia_fail(cx, IA_ERR_UNSUPPORTED, "page layout number %" PRIu32 " is not known",
                           w->number);
        }
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
    if (!ia_view_eq_str(url, "/lance.encodings21.PageLayout"))
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "page description '%.*s' is not known",
                       (int)(url.len < 80 ? url.len : 80), url.data);
    ia_wire_init(&w, (const uint8_t *)value.data, value.len);
    return read_layout(cx, a, &w, out);
}
