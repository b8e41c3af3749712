/* layout_sparse.c - descriptions of sparse pages: layers with their position sets (3.8). */
#include <inttypes.h>

#include "file/layout_priv.h"

/* ---- sets ----------------------------------------------------------------------------------- */

static ia_status bad_set(ia_ctx *cx, const char *what)
{
    return ia_fail(cx, IA_ERR_CORRUPT, "sparse layer: %s", what);
}

/* SparsePositionSet {explicit 1 | range 2 {start 1, length 2} | all 3 | empty 4, n 5}. */
static ia_status read_positions(ia_ctx *cx, ia_arena *a, ia_wire *w, ia_pos_set *s)
{
    ia_wire m, r;

    if (s->kind)
        return bad_set(cx, "a position set is given twice");
    ia_wire_sub(w, &m);
    while (ia_wire_next(&m)) {
        if (m.number >= IA_POS_EXPLICIT && m.number <= IA_POS_EMPTY) {
            if (s->kind)
                return bad_set(cx, "a position set has two kinds");
            s->kind = (ia_pos_kind)m.number;
        } else if (m.number == 5) {
            s->n = ia_wire_u64(&m);
            continue;
        } else {
            continue;
        }
        if (s->kind == IA_POS_EXPLICIT) {
            s->deltas = true;
            IA_TRY(ia_enc_read(cx, a, &m, &s->positions));
            continue;
        }
        ia_wire_sub(&m, &r);
        while (ia_wire_next(&r)) {
            if (s->kind == IA_POS_RANGE && r.number == 1)
                s->start = ia_wire_u64(&r);
            else if (s->kind == IA_POS_RANGE && r.number == 2)
                s->length = ia_wire_u64(&r);
        }
        m.bad = m.bad || r.bad;
    }
    if (m.bad)
        w->bad = true;
    else if (!s->kind)
        return bad_set(cx, "a position set has no kind");
    return IA_OK;
}

/* Inside [0, slots), and as many as it says. */
static ia_status check_positions(ia_ctx *cx, ia_pos_set *s, uint64_t slots)
{
    bool ok = false;
    uint64_t last;

    if (!s->step)
        s->step = 1;
    switch (s->kind) {
    case IA_POS_EXPLICIT:
        ok = s->n >= 1 && s->n <= slots;
        break;
    case IA_POS_RANGE:
        ok = s->length >= 1 && s->n == s->length && ia_mul_u64(&last, s->n - 1, s->step) &&
             ia_add_u64(&last, last, s->start) && last < slots;
        break;
    case IA_POS_ALL:
        ok = s->n == slots;
        break;
    case IA_POS_EMPTY:
        ok = s->n == 0;
        break;
    }
    if (!ok)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "sparse layer: %" PRIu64 " positions do not fit %" PRIu64 " slots", s->n,
                       slots);
    return IA_OK;
}

/* SparseValiditySet {meaning 1, positions 2}. */
static ia_status read_validity(ia_ctx *cx, ia_arena *a, ia_wire *w, ia_sparse_layer *s)
{
    uint32_t meaning = 0;
    ia_wire m;

    if (s->has_validity)
        return bad_set(cx, "validity is given twice");
    s->has_validity = true;
    ia_wire_sub(w, &m);
    while (ia_wire_next(&m)) {
        if (m.number == 1)
            meaning = ia_wire_u32(&m);
        else if (m.number == 2)
            IA_TRY(read_positions(cx, a, &m, &s->validity));
    }
    if (m.bad) {
        w->bad = true;
        return IA_OK;
    }
    if (meaning != 1 && meaning != 2)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "sparse layer: validity meaning %" PRIu32 " is not known", meaning);
    s->valid_positions = meaning == 2;
    return IA_OK;
}

/* SparseCountSet {explicit 1 | constant 2 {value 1} | empty 3}. */
static ia_status read_counts(ia_ctx *cx, ia_arena *a, ia_wire *w, ia_sparse_layer *s, bool *seen)
{
    ia_wire m, v;

    ia_wire_sub(w, &m);
    while (ia_wire_next(&m)) {
        if (m.number < 1 || m.number > 3)
            continue;
        if (*seen)
            return bad_set(cx, "counts are given twice");
        *seen = true;
        if (m.number == 1) {
            s->counts_kind = IA_COUNTS_EXPLICIT;
            IA_TRY(ia_enc_read(cx, a, &m, &s->counts));
            continue;
        }
        ia_wire_sub(&m, &v);
        while (ia_wire_next(&v)) {
            if (m.number == 2 && v.number == 1)
                s->constant_count = ia_wire_u64(&v);
        }
        s->counts_kind = m.number == 2 ? IA_COUNTS_CONSTANT : IA_COUNTS_EMPTY;
        m.bad = m.bad || v.bad;
    }
    if (m.bad)
        w->bad = true;
    return IA_OK;
}

/* ---- layers --------------------------------------------------------------------------------- */

/* The three kinds: validity {slots 1, validity 2}, list {slots 1, children 2, non-empty 3, counts
 * 4, validity 5}, fixed-size list {slots 1, dimension 2, validity 3}. */
static ia_status read_layer_members(ia_ctx *cx, ia_arena *a, ia_wire *m, ia_sparse_layer *s)
{
    uint32_t validity = s->kind == IA_SPARSE_LIST ? 5 : s->kind == IA_SPARSE_FSL ? 3 : 2;
    bool counted = false;

    while (ia_wire_next(m)) {
        if (m->number == 1)
            s->n_slots = ia_wire_u64(m);
        else if (m->number == validity)
            IA_TRY(read_validity(cx, a, m, s));
        else if (s->kind == IA_SPARSE_FSL && m->number == 2)
            s->dimension = ia_wire_u64(m);
        else if (s->kind == IA_SPARSE_LIST && m->number == 2)
            s->n_children = ia_wire_u64(m);
        else if (s->kind == IA_SPARSE_LIST && m->number == 3)
            IA_TRY(read_positions(cx, a, m, &s->non_empty));
        else if (s->kind == IA_SPARSE_LIST && m->number == 4)
            IA_TRY(read_counts(cx, a, m, s, &counted));
    }
    if (!m->bad && s->kind == IA_SPARSE_LIST && !counted)
        return bad_set(cx, "a list layer has no counts");
    return IA_OK;
}

static ia_status read_layer(ia_ctx *cx, ia_arena *a, ia_wire *w, ia_layout *l)
{
    ia_sparse_layer *s;
    ia_wire layer, m;

    if (l->n_sparse == IA_MAX_LAYERS)
        return bad_set(cx, "too many layers");
    if (!l->sparse)
        IA_TRY(IA_ARENA_ARRAY(cx, a, l->sparse, IA_MAX_LAYERS));
    s = &l->sparse[l->n_sparse++];
    ia_wire_sub(w, &layer);
    while (ia_wire_next(&layer)) {
        if (layer.number < IA_SPARSE_VALIDITY || layer.number > IA_SPARSE_FSL)
            return ia_fail(cx, IA_ERR_UNSUPPORTED, "sparse layer number %" PRIu32 " is not known",
                           layer.number);
        if (s->n_slots || s->has_validity)
            return bad_set(cx, "a layer has two kinds");
        s->kind = layer.number == 1   ? IA_SPARSE_VALIDITY
                  : layer.number == 2 ? IA_SPARSE_LIST
                                      : IA_SPARSE_FSL;
        ia_wire_sub(&layer, &m);
        IA_TRY(read_layer_members(cx, a, &m, s));
        layer.bad = layer.bad || m.bad;
    }
    if (layer.bad)
        w->bad = true;
    else if (!s->has_validity)
        return bad_set(cx, "a layer has no kind");
    return IA_OK;
}

/* ---- checks --------------------------------------------------------------------------------- */

static ia_status check_list(ia_ctx *cx, ia_sparse_layer *s)
{
    uint64_t children;
    bool ok;

    if (!s->non_empty.kind)
        return bad_set(cx, "a list layer has no positions");
    IA_TRY(check_positions(cx, &s->non_empty, s->n_slots));
    switch (s->counts_kind) {
    case IA_COUNTS_EMPTY:
        ok = s->non_empty.n == 0 && s->n_children == 0;
        break;
    case IA_COUNTS_CONSTANT:
        ok = s->constant_count && ia_mul_u64(&children, s->non_empty.n, s->constant_count) &&
             children == s->n_children;
        break;
    default: /* each counts one child at least */
        ok = s->non_empty.n && s->n_children >= s->non_empty.n;
        break;
    }
    return ok ? IA_OK : bad_set(cx, "counts do not make up the child slots");
}

static ia_status check_layer(ia_ctx *cx, ia_sparse_layer *s)
{
    if (!s->has_validity || !s->validity.kind)
        return bad_set(cx, "a layer has no validity");
    IA_TRY(check_positions(cx, &s->validity, s->n_slots));
    if (s->kind == IA_SPARSE_VALIDITY) {
        s->n_children = s->n_slots;
        return IA_OK;
    }
    if (s->kind == IA_SPARSE_LIST)
        return check_list(cx, s);
    if (!s->dimension || !ia_mul_u64(&s->n_children, s->n_slots, s->dimension))
        return bad_set(cx, "a fixed-size list has a bad dimension");
    return IA_OK;
}

/* Each layer's slots are the children of the one outside; the entries are the visible items and
 * one for each list without items. */
ia_status ia_layout_sparse_check(ia_ctx *cx, ia_layout *l)
{
    uint64_t items = 0, slots = 0;

    for (size_t i = 0; i < l->n_sparse; i++) {
        ia_sparse_layer *s = &l->sparse[i];

        if (i && s->n_slots != slots)
            return bad_set(cx, "the slots of a layer are not the children of the one outside");
        IA_TRY(check_layer(cx, s));
        slots = s->n_children;
        if (s->kind == IA_SPARSE_LIST && !ia_add_u64(&items, items, s->n_slots - s->non_empty.n))
            return bad_set(cx, "too many entries");
        l->layers[l->n_sparse - 1 - i] =
            s->kind == IA_SPARSE_LIST ? IA_LAYER_NULL_EMPTY_LIST : IA_LAYER_NULL_ITEM;
    }
    l->n_layers = l->n_sparse;
    if (!l->n_sparse) { /* items alone, all valid */
        l->layers[0] = IA_LAYER_ITEM;
        l->n_layers = 1;
        slots = l->num_visible;
    }
    if (!ia_add_u64(&items, items, slots))
        return bad_set(cx, "too many entries");
    if (l->planar) {
        l->num_items = items;
        l->num_visible = slots;
    }
    if (slots != l->num_visible || items != l->num_items)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "sparse page of %" PRIu64 " entries with %" PRIu64 " values: its layers "
                       "make %" PRIu64 " and %" PRIu64,
                       l->num_items, l->num_visible, items, slots);
    return IA_OK;
}

ia_status ia_layout_sparse(ia_ctx *cx, ia_arena *a, ia_wire *m, ia_layout *l)
{
    while (ia_wire_next(m)) {
        switch (m->number) {
        case 1:
            IA_TRY(ia_enc_read(cx, a, m, &l->values));
            break;
        case 2:
            l->num_buffers = ia_wire_u32(m);
            break;
        case 3:
            l->num_items = ia_wire_u64(m);
            break;
        case 4:
            l->num_visible = ia_wire_u64(m);
            break;
        case 5:
            l->large_chunk = ia_wire_bool(m);
            break;
        case 6:
            IA_TRY(read_layer(cx, a, m, l));
            break;
        default:
            break;
        }
    }
    if (m->bad)
        return IA_OK;
    if (!l->values || l->num_buffers > IA_ENC_MAX_DEPTH)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "sparse layout without values or with %" PRIu32 " buffers", l->num_buffers);
    l->plane = IA_LAYOUT_MINI;
    return ia_layout_sparse_check(cx, l);
}
