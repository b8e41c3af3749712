/* layout_planar.c - page descriptions of format 2.3: structure and values apart. */
#include <inttypes.h>

#include "file/layout_priv.h"

static ia_status bad(ia_ctx *cx, const char *what)
{
    return ia_fail(cx, IA_ERR_CORRUPT, "planar page: %s", what);
}

static ia_status unknown(ia_ctx *cx, const char *what, uint32_t number)
{
    return ia_fail(cx, IA_ERR_UNSUPPORTED, "planar page: %s number %" PRIu32 " is not known", what,
                   number);
}

/* ---- structure ------------------------------------------------------------------------------ */

/* Sets are arithmetic where the encoding is. */
static ia_status set_kind(ia_ctx *cx, ia_pos_set *s, const ia_enc *e)
{
    if (!s->n) {
        s->kind = IA_POS_EMPTY;
    } else if (e->kind == IA_ENC_RANGE && e->bits == 64) {
        s->kind = IA_POS_RANGE;
        s->start = e->start;
        s->step = e->step;
        s->length = s->n;
    } else if (e->kind == IA_ENC_CONSTANT) {
        if (e->bytes.len != 8 || s->n != 1)
            return bad(cx, "a constant is not a set of positions");
        s->kind = IA_POS_RANGE;
        s->start = ia_le64((const uint8_t *)e->bytes.data);
        s->length = s->step = 1;
    } else {
        s->kind = IA_POS_EXPLICIT;
    }
    return IA_OK;
}

/* {meaning 1, positions 2, how many 3}. */
static ia_status read_validity(ia_ctx *cx, ia_arena *a, ia_wire *w, ia_sparse_layer *s)
{
    uint32_t meaning = 0;
    ia_wire m;

    if (s->has_validity)
        return bad(cx, "validity is given twice");
    s->has_validity = true;
    ia_wire_sub(w, &m);
    while (ia_wire_next(&m)) {
        if (m.number == 1)
            meaning = ia_wire_u32(&m);
        else if (m.number == 2)
            IA_TRY(ia_enc_read(cx, a, &m, &s->validity.positions));
        else if (m.number == 3)
            s->validity.n = ia_wire_u64(&m);
    }
    if (m.bad) {
        w->bad = true;
        return IA_OK;
    }
    if (meaning != 1 && meaning != 2)
        return unknown(cx, "validity meaning", meaning);
    if (!s->validity.positions)
        return bad(cx, "validity without positions");
    s->valid_positions = meaning == 2;
    return set_kind(cx, &s->validity, s->validity.positions);
}

static ia_status counts_kind(ia_ctx *cx, ia_sparse_layer *s)
{
    if (!s->non_empty.n) {
        s->counts_kind = IA_COUNTS_EMPTY;
    } else if (s->counts->kind == IA_ENC_CONSTANT) {
        if (s->counts->bytes.len != 8)
            return bad(cx, "a constant count is not a number");
        s->counts_kind = IA_COUNTS_CONSTANT;
        s->constant_count = ia_le64((const uint8_t *)s->counts->bytes.data);
    } else {
        s->counts_kind = IA_COUNTS_EXPLICIT;
    }
    return IA_OK;
}

/* {children 1, not empty 2, how many 3, counts 4, validity 5}. */
static ia_status read_list(ia_ctx *cx, ia_arena *a, ia_wire *m, ia_sparse_layer *s)
{
    while (ia_wire_next(m)) {
        if (m->number == 1)
            s->n_children = ia_wire_u64(m);
        else if (m->number == 2)
            IA_TRY(ia_enc_read(cx, a, m, &s->non_empty.positions));
        else if (m->number == 3)
            s->non_empty.n = ia_wire_u64(m);
        else if (m->number == 4)
            IA_TRY(ia_enc_read(cx, a, m, &s->counts));
        else if (m->number == 5)
            IA_TRY(read_validity(cx, a, m, s));
    }
    if (m->bad)
        return IA_OK;
    if (!s->non_empty.positions || !s->counts)
        return bad(cx, "a list without positions or counts");
    IA_TRY(set_kind(cx, &s->non_empty, s->non_empty.positions));
    return counts_kind(cx, s);
}

/* A layer: its validity 1, list 2 or fixed-size list 3 {dimension 1, validity 2}. */
static ia_status read_layer(ia_ctx *cx, ia_arena *a, ia_wire *w, ia_layout *l)
{
    ia_sparse_layer *s;
    ia_wire layer, m;

    if (l->n_sparse == IA_MAX_LAYERS)
        return bad(cx, "too many layers");
    if (!l->sparse)
        IA_TRY(IA_ARENA_ARRAY(cx, a, l->sparse, IA_MAX_LAYERS));
    s = &l->sparse[l->n_sparse++];
    ia_wire_sub(w, &layer);
    while (ia_wire_next(&layer)) {
        if (s->has_validity || s->n_children)
            return bad(cx, "a layer has two kinds");
        if (layer.number == 1) {
            s->kind = IA_SPARSE_VALIDITY;
            IA_TRY(read_validity(cx, a, &layer, s));
            continue;
        }
        if (layer.number != 2 && layer.number != 3)
            return unknown(cx, "layer", layer.number);
        ia_wire_sub(&layer, &m);
        s->kind = layer.number == 2 ? IA_SPARSE_LIST : IA_SPARSE_FSL;
        if (layer.number == 2)
            IA_TRY(read_list(cx, a, &m, s));
        while (layer.number == 3 && ia_wire_next(&m)) {
            if (m.number == 1)
                s->dimension = ia_wire_u64(&m);
            else if (m.number == 2)
                IA_TRY(read_validity(cx, a, &m, s));
        }
        layer.bad = layer.bad || m.bad;
    }
    if (layer.bad)
        w->bad = true;
    else if (!s->has_validity)
        return bad(cx, "a layer without validity");
    return IA_OK;
}

/* dense 1 {layers 1} or sparse 2 {layers 1, outermost first}. */
static ia_status read_structure(ia_ctx *cx, ia_arena *a, ia_wire *w, ia_layout *l, bool *sparse)
{
    bool seen = false;
    ia_wire m, k;

    ia_wire_sub(w, &m);
    while (ia_wire_next(&m)) {
        if (m.number != 1 && m.number != 2)
            return unknown(cx, "structure", m.number);
        if (seen)
            return bad(cx, "two structures");
        seen = true;
        *sparse = m.number == 2;
        ia_wire_sub(&m, &k);
        while (ia_wire_next(&k)) {
            if (k.number == 1 && !*sparse)
                IA_TRY(ia_layout_layers(cx, &k, l));
            else if (k.number == 1)
                IA_TRY(read_layer(cx, a, &k, l));
        }
        m.bad = m.bad || k.bad;
    }
    if (m.bad)
        w->bad = true;
    else if (!seen)
        return bad(cx, "no structure");
    return IA_OK;
}

/* ---- values --------------------------------------------------------------------------------- */

/* {repetition 1, definition 2, depth of the repetition index 3}. */
static ia_status read_levels(ia_ctx *cx, ia_arena *a, ia_wire *w, ia_layout *l)
{
    ia_wire m;

    ia_wire_sub(w, &m);
    while (ia_wire_next(&m)) {
        if (m.number == 1)
            IA_TRY(ia_enc_read(cx, a, &m, &l->rep));
        else if (m.number == 2)
            IA_TRY(ia_enc_read(cx, a, &m, &l->def));
        else if (m.number == 3)
            l->rep_depth = ia_wire_u32(&m);
    }
    if (m.bad)
        w->bad = true;
    return IA_OK;
}

/* {values 1, levels 2, dictionary 3, its items 4, buffers of a chunk 5, values 6}. */
static ia_status read_chunked(ia_ctx *cx, ia_arena *a, ia_wire *m, ia_layout *l)
{
    l->kind = IA_LAYOUT_MINI;
    l->large_chunk = true;
    while (ia_wire_next(m)) {
        if (m->number == 1)
            IA_TRY(ia_enc_read(cx, a, m, &l->values));
        else if (m->number == 2)
            IA_TRY(read_levels(cx, a, m, l));
        else if (m->number == 3)
            IA_TRY(ia_enc_read(cx, a, m, &l->dict));
        else if (m->number == 4)
            l->dict_items = ia_wire_u64(m);
        else if (m->number == 5)
            l->num_buffers = ia_wire_u32(m);
        else if (m->number == 6)
            l->num_items = ia_wire_u64(m);
    }
    if (!m->bad && (!l->values || l->num_buffers > IA_ENC_MAX_DEPTH))
        return ia_fail(cx, IA_ERR_CORRUPT, "planar page: chunks with %" PRIu32 " buffers",
                       l->num_buffers);
    return IA_OK;
}

/* {values 1, levels 2 {bits of repetition 1, of definition 2}, bits per value 3 or per offset 4,
 * entries 5, values 6}. */
static ia_status read_zipped(ia_ctx *cx, ia_arena *a, ia_wire *m, ia_layout *l)
{
    ia_wire k;

    l->kind = IA_LAYOUT_ZIP;
    while (ia_wire_next(m)) {
        if (m->number == 1) {
            IA_TRY(ia_enc_read(cx, a, m, &l->values));
        } else if (m->number == 2) {
            ia_wire_sub(m, &k);
            while (ia_wire_next(&k)) {
                if (k.number == 1)
                    l->bits_rep = ia_wire_u32(&k);
                else if (k.number == 2)
                    l->bits_def = ia_wire_u32(&k);
            }
            m->bad = m->bad || k.bad;
        } else if (m->number == 3) {
            l->bits_per_value = ia_wire_u32(m);
        } else if (m->number == 4) {
            l->bits_per_offset = ia_wire_u32(m);
        } else if (m->number == 5) {
            l->num_items = ia_wire_u64(m);
        } else if (m->number == 6) {
            l->num_visible = ia_wire_u64(m);
        }
    }
    return m->bad ? IA_OK : ia_layout_zip_check(cx, l);
}

static ia_status read_values(ia_ctx *cx, ia_arena *a, ia_wire *w, ia_layout *l)
{
    ia_wire m, k;

    ia_wire_sub(w, &m);
    while (ia_wire_next(&m)) {
        if (l->kind)
            return bad(cx, "two kinds of values");
        ia_wire_sub(&m, &k);
        if (m.number == 1) {
            IA_TRY(read_chunked(cx, a, &k, l));
        } else if (m.number == 2) {
            IA_TRY(read_zipped(cx, a, &k, l));
        } else if (m.number == 3 || m.number == 4) { /* one value, none at all */
            l->kind = IA_LAYOUT_CONSTANT;
            while (ia_wire_next(&k)) {
                if (k.number == 1 && m.number == 3) {
                    l->has_inline = true;
                    l->inline_value = ia_wire_view(&k);
                }
            }
            if (!k.bad && m.number == 3 && !l->has_inline)
                return bad(cx, "a constant without its value");
        } else {
            return unknown(cx, "values", m.number);
        }
        m.bad = m.bad || k.bad;
    }
    if (m.bad)
        w->bad = true;
    else if (!l->kind)
        return bad(cx, "no values");
    return IA_OK;
}

/* ---- together ------------------------------------------------------------------------------- */

/* The slots of the outermost layer are the page's rows, which only the caller knows: they follow
 * from the page's length, the others from the layer outside. */
static ia_status sparse_page(ia_ctx *cx, ia_layout *l)
{
    if (!l->n_sparse)
        return bad(cx, "sparse structure without layers");
    if (l->rep || l->def || l->rep_depth || l->bits_rep || l->bits_def)
        return bad(cx, "levels beside a sparse structure");
    l->plane = l->kind;
    if (l->kind == IA_LAYOUT_CONSTANT && !l->has_inline)
        l->plane = 0;
    if (l->kind == IA_LAYOUT_ZIP)
        l->num_values = l->num_visible;
    l->kind = IA_LAYOUT_SPARSE;
    for (size_t i = 0; i < l->n_sparse; i++)
        l->layers[l->n_sparse - 1 - i] =
            l->sparse[i].kind == IA_SPARSE_LIST ? IA_LAYER_NULL_EMPTY_LIST : IA_LAYER_NULL_ITEM;
    l->n_layers = l->n_sparse;
    return IA_OK;
}

ia_status ia_layout_planar(ia_ctx *cx, ia_arena *a, ia_wire *w, ia_layout *l)
{
    bool structure = false, values = false, sparse = false;

    l->planar = true;
    while (ia_wire_next(w)) {
        if ((w->number == 1 && structure) || (w->number == 2 && values))
            return bad(cx, "structure or values are given twice");
        if (w->number == 1) {
            structure = true;
            IA_TRY(read_structure(cx, a, w, l, &sparse));
        } else if (w->number == 2) {
            values = true;
            IA_TRY(read_values(cx, a, w, l));
        } else {
            return unknown(cx, "member", w->number);
        }
    }
    IA_TRY(ia_wire_done(cx, w, "planar page"));
    if (!structure || !values)
        return bad(cx, "structure or values are missing");
    if (sparse)
        return sparse_page(cx, l);
    if (l->kind == IA_LAYOUT_MINI && l->num_buffers < 1)
        return bad(cx, "chunks without buffers");
    return IA_OK;
}

ia_status ia_layout_set_rows(ia_ctx *cx, ia_layout *l, uint64_t slots)
{
    if (!l->planar || l->kind != IA_LAYOUT_SPARSE)
        return IA_OK;
    for (size_t i = 0; i < l->n_sparse; i++) {
        ia_sparse_layer *s = &l->sparse[i];

        s->n_slots = slots;
        slots = s->kind == IA_SPARSE_LIST ? s->n_children : slots;
        if (s->kind == IA_SPARSE_FSL && !ia_mul_u64(&slots, slots, s->dimension))
            return bad(cx, "a fixed-size list has a bad dimension");
    }
    return ia_layout_sparse_check(cx, l);
}
