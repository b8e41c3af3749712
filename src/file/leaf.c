/* leaf.c - cursor over one physical column: pages, windows of the file, levels into layers. */
#include <inttypes.h>

#include "file/encodings/kernels/kernels.h"
#include "file/leaf_priv.h"

/* Reads are made at least this long where more is known to follow. */
enum { READ_AHEAD = 1 << 20 };

/* ---- set up --------------------------------------------------------------------------------- */

/* What the leaf's type asks for, and the shape of its values. */
static ia_status init_kind(ia_ctx *cx, ia_leaf *l, const ia_type *t)
{
    size_t width;

    l->leaf_type = t;
    if (t->id == IA_TYPE_DICTIONARY) {
        l->kind = IA_LEAF_DICTIONARY;
        return ia_phys_of(cx, t->children[1].type, &l->phys);
    }
    if (t->id != IA_TYPE_STRUCT)
        return ia_phys_of(cx, t, &l->phys);
    l->kind = t->n_children ? IA_LEAF_PACKED : IA_LEAF_EMPTY;
    width = ia_packed_width(t);
    if (t->n_children)
        ia_leaf_row_phys(l, width);
    return IA_OK;
}

void ia_leaf_row_phys(ia_leaf *l, size_t width)
{
    ia_phys fixed = {.kind = IA_PHYS_FIXED, .items = 1}, var = {.kind = IA_PHYS_VAR, .bits = 64};

    fixed.bits = (uint32_t)(8 * width);
    fixed.value_bits = fixed.bits;
    fixed.width = width;
    var.items = 1;
    l->phys = width ? fixed : var;
}

/* Entries of a slot of each layer; *all = entries of a row as pages count them. */
static ia_status init_entries(ia_ctx *cx, ia_leaf *l, const uint64_t *dims, uint64_t *all)
{
    *all = 1;
    for (size_t i = 0; i < l->n_layers; i++) {
        uint64_t inner = i && !l->is_list[i - 1] ? l->mult[i - 1] : 1;

        l->mult[i] = l->is_list[i] ? 1 : inner * dims[i];
        *all *= dims[i];
        if (*all > INT32_MAX)
            return ia_fail(cx, IA_ERR_UNSUPPORTED,
                           "file %s, column %" PRIu32 ": fixed-size lists of too many structs",
                           l->f->io->path, l->column);
    }
    l->row_entries = l->mult[l->n_layers - 1];
    return IA_OK;
}

/* Pages count the entries of fixed-size lists inside of lists too: a page table that does not. */
static ia_status scale_pages(ia_ctx *cx, ia_leaf *l, uint64_t all)
{
    const ia_filecol *from = l->col;
    uint64_t first = 0;

    IA_TRY(IA_NEW(cx, l->own_col));
    *l->own_col = *from;
    l->col = l->own_col;
    l->col->meta = NULL;
    l->col->numbers = NULL;
    IA_TRY(IA_SET(cx, l->col->pages, ia_calloc(cx, from->n_pages + 1, sizeof *from->pages)));
    for (size_t i = 0; i < from->n_pages; i++) {
        ia_page *p = &l->col->pages[i];

        *p = from->pages[i];
        if (p->rows % all)
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "file %s, column %" PRIu32 ", page %zu: %" PRIu64
                           " entries are no whole rows",
                           l->f->io->path, l->column, i, p->rows);
        p->rows = p->rows / all * l->row_entries;
        p->first = first;
        first += p->rows;
    }
    return IA_OK;
}

ia_status ia_leaf_init(ia_ctx *cx, ia_leaf *l, ia_file *f, uint32_t column, const ia_type *type,
                       const size_t *path, size_t path_len, ia_io_class cls)
{
    const ia_type *t = type;
    uint64_t dims[IA_MAX_LAYERS], all;

    memset(l, 0, sizeof *l);
    l->f = f;
    l->column = column;
    l->cls = cls;
    l->n_layers = path_len + 1;
    if (l->n_layers > IA_MAX_LAYERS)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "file %s, column %" PRIu32 ": nested too deeply",
                       f->io->path, column);
    for (size_t i = 0;; i++) {
        size_t layer = path_len - i;

        l->is_list[layer] = ia_type_is_list(t);
        dims[layer] = t->id == IA_TYPE_FIXED_LIST && i < path_len ? (uint64_t)t->size : 1;
        l->offset_bits[layer] = t->id == IA_TYPE_LARGE_LIST ? 64 : 32;
        if (i == path_len)
            break;
        t = t->children[path[i]].type;
    }
    IA_TRY(init_kind(cx, l, t));
    IA_TRY(init_entries(cx, l, dims, &all));
    ia_vals_init(&l->vals, &l->phys);
    ia_vals_init(&l->dict, &l->phys);
    l->cur_row = UINT64_MAX;
    if (f->minor == 0)
        return ia_v20_init(cx, l);
    IA_TRY(ia_file_column_load(cx, f, column, all, &l->col));
    if (all != l->row_entries)
        IA_TRY(scale_pages(cx, l, all));
    l->page = l->col->n_pages;
    return IA_OK;
}

void ia_leaf_window_dispose(ia_window *w)
{
    ia_buffer_release(w->buf);
    memset(w, 0, sizeof *w);
}

static void close_page(ia_leaf *l)
{
    ia_leaf_blob_close(l);
    l->row_enc = NULL;
    ia_arena_dispose(&l->arena);
    ia_decoder_new_page(&l->dec);
    ia_free(l->chunk_off);
    ia_free(l->chunk_val);
    ia_free(l->chunk_row);
    ia_free(l->chunk_rest);
    l->chunk_off = l->chunk_val = l->chunk_row = NULL;
    l->chunk_rest = NULL;
    ia_vals_clear(&l->dict);
    l->dict.phys = l->phys;
    l->has_dict = false;
    l->n_chunks = l->chunk = l->hint = 0;
    l->cur_row = UINT64_MAX;
    l->page = l->col ? l->col->n_pages : 0;
}

void ia_leaf_dispose(ia_leaf *l)
{
    ia_v20_dispose(l);
    close_page(l);
    ia_leaf_window_dispose(&l->win);
    ia_leaf_window_dispose(&l->index_win);
    ia_decoder_dispose(&l->dec);
    if (l->own_col)
        ia_free(l->own_col->pages);
    ia_free(l->own_col);
    ia_vals_dispose(&l->dict);
    ia_vals_dispose(&l->vals);
    ia_free(l->rep);
    ia_free(l->def);
    memset(l, 0, sizeof *l);
}

ia_status ia_leafacc_init(ia_ctx *cx, ia_leafacc *a, const ia_leaf *l)
{
    memset(a, 0, sizeof *a);
    ia_vals_init(&a->vals, &l->phys);
    if (l->kind == IA_LEAF_PACKED)
        IA_TRY(ia_packed_init(cx, &a->packed, l->leaf_type));
    IA_TRY(IA_NEW_ARRAY(cx, a->layers, l->n_layers));
    a->n_layers = l->n_layers;
    for (size_t i = 0; i < l->n_layers; i++) {
        a->layers[i].list = l->is_list[i];
        a->layers[i].offset_bits = l->offset_bits[i];
    }
    return IA_OK;
}

void ia_leafacc_dispose(ia_leafacc *a)
{
    for (size_t i = 0; a->layers && i < a->n_layers; i++) {
        ia_valid_dispose(&a->layers[i].valid);
        ia_buf_dispose(&a->layers[i].offs);
    }
    ia_free(a->layers);
    ia_vals_dispose(&a->vals);
    ia_packed_dispose(&a->packed);
    a->layers = NULL;
    a->n_layers = 0;
}

/* ---- bytes ---------------------------------------------------------------------------------- */

/* A buffer of `cap` bytes for the window: the old one when nobody else holds it. */
static ia_status window_room(ia_ctx *cx, ia_window *w, size_t cap)
{
    uint8_t *p;

    if (w->buf && w->buf->size >= cap && atomic_load(&w->buf->refs) == 1)
        return IA_OK;
    ia_buffer_release(w->buf);
    w->buf = NULL;
    w->len = 0;
    p = ia_alloc(cx, cap);
    if (!p)
        return cx->err.code;
    return ia_buffer_own(cx, p, cap, &w->buf);
}

ia_status ia_leaf_bytes(ia_ctx *cx, ia_leaf *l, ia_window *w, uint64_t off, uint64_t len,
                        uint64_t upto, const uint8_t **out)
{
    uint64_t want = len;

    *out = ia_file_tail(l->f, off, len);
    if (*out)
        return IA_OK;
    if (w->buf && off >= w->off && off - w->off <= w->len && len <= w->len - (off - w->off)) {
        *out = w->buf->data + (off - w->off);
        return IA_OK;
    }
    if (off > l->f->size || len > l->f->size - off)
        return ia_fail(cx, IA_ERR_CORRUPT, "bytes %" PRIu64 "+%" PRIu64 " leave the file", off,
                       len);
    if (upto > off && upto - off > want)
        want = upto - off < READ_AHEAD ? upto - off : want > READ_AHEAD ? want : READ_AHEAD;
    if (want > l->f->size - off)
        want = l->f->size - off;
    IA_TRY(window_room(cx, w, (size_t)want));
    w->len = 0;
    IA_TRY(
        ia_objfile_read(cx, l->f->io, off, (size_t)want, (void *)(uintptr_t)w->buf->data, l->cls));
    w->off = off;
    w->len = (size_t)want;
    *out = w->buf->data;
    return IA_OK;
}

ia_status ia_leaf_buffer(ia_ctx *cx, ia_leaf *l, size_t number, uint8_t **owned,
                         const uint8_t **data)
{
    const ia_page *p = ia_leaf_page(l);

    *owned = NULL;
    *data = ia_file_tail(l->f, p->offsets[number], p->sizes[number]);
    if (*data)
        return IA_OK;
    IA_TRY(IA_SET(cx, *owned, ia_alloc(cx, (size_t)p->sizes[number])));
    *data = *owned;
    return ia_objfile_read(cx, l->f->io, p->offsets[number], (size_t)p->sizes[number], *owned,
                           l->cls);
}

uint64_t ia_leaf_ahead(const ia_leaf *l, uint64_t end, uint64_t gap)
{
    const ia_page *p = ia_leaf_page(l);

    if (l->scan_end) {
        uint64_t last = l->scan_end * l->row_entries - p->first;

        return last > p->rows ? p->rows : last > end ? last : end;
    }
    for (size_t i = 0; i < l->n_take; i++) {
        uint64_t row = l->take[i] * l->row_entries;

        if (row < p->first)
            continue;
        row -= p->first;
        if (row < end)
            continue;
        if (row >= p->rows || row - end > gap)
            break;
        end = row + l->row_entries;
    }
    return end;
}

/* ---- levels --------------------------------------------------------------------------------- */

ia_status ia_leaf_level_room(ia_ctx *cx, uint16_t **v, size_t *cap, size_t n)
{
    return ia_grow(cx, v, cap, n ? n : 1, sizeof **v);
}

uint64_t ia_leaf_visible(const ia_leaf *l, const uint16_t *def, size_t n)
{
    unsigned max = l->lay.max_visible;

    return def && max < l->lay.max_def ? ia_kernels_pick()->levels_below(def, n, max + 1) : n;
}

static void push_offset(ia_ctx *cx, ia_layer_acc *a, uint64_t v)
{
    uint8_t *p = ia_buf_extend(cx, &a->offs, a->offset_bits / 8);

    if (!p)
        return;
    if (a->offset_bits == 32)
        ia_put_le32(p, (uint32_t)v);
    else
        ia_put_le64(p, v);
}

/* One slot of the layer is `mult` entries, of which the first tells whether it is null. */
static void strided_levels(ia_ctx *cx, ia_layer_acc *a, uint64_t mult, const uint16_t *def,
                           size_t n, unsigned first)
{
    for (size_t k = 0; k < n; k++) {
        if (!a->part)
            ia_valid_push(cx, &a->valid, !def || def[k] < first);
        a->part = a->part + 1 == mult ? 0 : a->part + 1;
    }
}

/* Without lists a layer is null where the level is that of this layer or of one further out. */
static ia_status flat_levels(ia_ctx *cx, const ia_leaf *l, ia_leafacc *acc, const uint16_t *def,
                             size_t n)
{
    for (size_t i = 0; i < l->n_layers; i++) {
        unsigned first = 1;

        while (first <= l->lay.max_def && l->lay.meaning[first].layer < i)
            first++;
        if (l->mult[i] > 1) {
            strided_levels(cx, &acc->layers[i], l->mult[i], def, n, first);
        } else if (!def || first > l->lay.max_def) {
            ia_valid_ones(cx, &acc->layers[i].valid, n);
        } else {
            ia_valid_levels(cx, &acc->layers[i].valid, def, n, first);
        }
        IA_TRY(ia_buf_status(&acc->layers[i].valid.bits));
    }
    return IA_OK;
}

static ia_status check_layers(ia_ctx *cx, const ia_leafacc *acc)
{
    for (size_t i = 0; i < acc->n_layers; i++) {
        IA_TRY(ia_buf_status(&acc->layers[i].valid.bits));
        IA_TRY(ia_buf_status(&acc->layers[i].offs));
        if (acc->layers[i].list && acc->layers[i].offset_bits == 32 &&
            acc->layers[i - 1].valid.n > INT32_MAX)
            return ia_fail(cx, IA_ERR_UNSUPPORTED,
                           "more than 2^31 list items in one batch; read fewer rows at once");
    }
    return IA_OK;
}

/* A slot of layer i begins (or, of a fixed-size list, goes on). */
static ia_status begin_slot(ia_ctx *cx, const ia_leaf *l, ia_leafacc *acc, size_t i, bool valid)
{
    ia_layer_acc *a = &acc->layers[i];

    if (!a->list && a->part) {
        a->part = a->part + 1 == l->mult[i] ? 0 : a->part + 1;
        return IA_OK;
    }
    if (a->list && acc->layers[i - 1].part)
        return ia_fail(cx, IA_ERR_CORRUPT, "a list ends inside of a fixed-size list");
    if (a->list)
        push_offset(cx, a, acc->layers[i - 1].valid.n);
    ia_valid_push(cx, &a->valid, valid);
    a->part = l->mult[i] > 1;
    return IA_OK;
}

enum { LIST_BLOCK = 512 };

/* Offsets of the lists that start among n <= LIST_BLOCK entries, and the levels of their first
 * entries. */
static size_t list_block(const ia_layer_acc *list, uint64_t items, const uint16_t *rep,
                         const uint16_t *def, size_t n, unsigned max_visible, uint8_t *offs,
                         uint16_t *list_def)
{
    uint32_t narrow[LIST_BLOCK], at = 0;
    size_t lists;

    if (list->offset_bits == 32) {
        at = (uint32_t)items;
        return ia_kernels_pick()->list_starts(rep, def, n, max_visible + 1, &at,
                                              (uint32_t *)(void *)offs, list_def);
    }
    lists = ia_kernels_pick()->list_starts(rep, def, n, max_visible + 1, &at, narrow, list_def);
    for (size_t k = 0; k < lists; k++)
        ia_put_le64(offs + 8 * k, items + narrow[k]);
    return lists;
}

/* Validity of the items among the entries; what a block writes beyond them is overwritten. */
static void item_levels(ia_ctx *cx, const ia_leaf *l, ia_valid *valid, const uint16_t *def,
                        size_t n)
{
    uint16_t visible[LIST_BLOCK];
    size_t items = 0;

    if (!def || !l->lay.max_visible) {
        ia_valid_ones(cx, valid, ia_leaf_visible(l, def, n));
        return;
    }
    for (size_t k = 0; k < n; k++) {
        visible[items] = def[k];
        items += def[k] <= l->lay.max_visible;
    }
    ia_valid_levels(cx, valid, visible, items, 1);
}

/* list<primitive>, the common case: one entry is one item or one empty or null list. */
static ia_status list_levels(ia_ctx *cx, const ia_leaf *l, ia_leafacc *acc, const uint16_t *rep,
                             const uint16_t *def, size_t n)
{
    ia_layer_acc *item = &acc->layers[0], *list = &acc->layers[1];
    uint16_t list_def[LIST_BLOCK];
    unsigned null_list = 0;

    for (unsigned d = 1; d <= l->lay.max_def; d++) {
        if (l->lay.meaning[d].layer == 1 && l->lay.meaning[d].null)
            null_list = d;
    }
    for (size_t at = 0, step; at < n; at += step) {
        size_t word = list->offset_bits / 8, lists;
        uint8_t *offs;
        const uint16_t *d = def ? def + at : NULL;

        step = n - at < LIST_BLOCK ? n - at : LIST_BLOCK;
        offs = ia_buf_extend(cx, &list->offs, step * word);
        if (!offs)
            return ia_buf_status(&list->offs);
        lists = list_block(list, item->valid.n, rep + at, d, step, l->lay.max_visible, offs,
                           null_list ? list_def : NULL);
        list->offs.len -= (step - lists) * word;
        for (size_t k = 0; null_list && k < lists; k++)
            list_def[k] = list_def[k] == null_list;
        if (null_list)
            ia_valid_levels(cx, &list->valid, list_def, lists, 1);
        else
            ia_valid_ones(cx, &list->valid, lists);
        item_levels(cx, l, &item->valid, d, step);
    }
    return check_layers(cx, acc);
}

/* The general rule of file format 2.7. */
ia_status ia_leaf_levels(ia_ctx *cx, const ia_leaf *l, ia_leafacc *acc, const uint16_t *rep,
                         const uint16_t *def, size_t n)
{
    size_t need[IA_MAX_LAYERS];
    size_t lists = 0;

    if (!l->lay.max_rep)
        return flat_levels(cx, l, acc, def, n);
    if (l->n_layers == 2 && l->is_list[1] && rep)
        return list_levels(cx, l, acc, rep, def, n);
    for (size_t i = 0; i < l->n_layers; i++) {
        lists += l->is_list[i];
        need[i] = lists;
    }
    for (size_t k = 0; k < n; k++) {
        unsigned r = rep ? rep[k] : 0, d = def ? def[k] : 0;
        int m = d ? (int)l->lay.meaning[d].layer : -1;
        bool null = d && l->lay.meaning[d].null;

        for (int i = (int)l->n_layers - 1; i >= 0; i--) {
            ia_layer_acc *a = &acc->layers[i];

            if (r >= need[i])
                IA_TRY(begin_slot(cx, l, acc, (size_t)i, !(m > i || (m == i && null))));
            if (a->list && m >= i)
                break;
        }
    }
    return check_layers(cx, acc);
}

/* ---- pages ---------------------------------------------------------------------------------- */

static ia_status check_layout(ia_ctx *cx, const ia_leaf *l)
{
    if (l->lay.n_layers != l->n_layers)
        return ia_fail(cx, IA_ERR_CORRUPT, "page has %zu layers, the schema %zu", l->lay.n_layers,
                       l->n_layers);
    for (size_t i = 0; i < l->n_layers; i++) {
        if (ia_layer_is_list(l->lay.layers[i]) != l->is_list[i])
            return ia_fail(cx, IA_ERR_CORRUPT, "layer %zu of the page does not fit the schema", i);
    }
    if (l->phys.kind == IA_PHYS_NULL &&
        (l->lay.kind == IA_LAYOUT_MINI || l->lay.kind == IA_LAYOUT_ZIP))
        return ia_fail(cx, IA_ERR_CORRUPT, "values in a column of type null");
    return IA_OK;
}

/* A packed struct's rows are read as mere bytes: of fixed width, or with a length each. */
static ia_status plain_rows(ia_ctx *cx, ia_leaf *l)
{
    ia_enc **e = &l->lay.values;
    size_t width = 0;

    while (*e && (*e)->kind == IA_ENC_GENERAL)
        e = &(*e)->child;
    if (*e) {
        IA_TRY(ia_packed_check(cx, l->leaf_type, *e));
        if (l->lay.bits_per_offset) {
            l->row_bytes[1] = (ia_enc){.kind = IA_ENC_FLAT, .bits = l->lay.bits_per_offset};
            l->row_bytes[0] = (ia_enc){.kind = IA_ENC_VARIABLE, .child = &l->row_bytes[1]};
            l->row_enc = *e;
            *e = &l->row_bytes[0];
        } else if ((*e)->kind == IA_ENC_PACKED_STRUCT && (*e)->child) {
            width = ia_packed_width(l->leaf_type);
            *e = (*e)->child;
        } else {
            return ia_fail(cx, IA_ERR_CORRUPT, "%s in a page of fixed-width values",
                           ia_enc_name((*e)->kind));
        }
    }
    ia_leaf_row_phys(l, width);
    l->vals.phys = l->dict.phys = l->phys;
    return IA_OK;
}

ia_status ia_leaf_open_layout(ia_ctx *cx, ia_leaf *l)
{
    IA_TRY(check_layout(cx, l));
    if (l->kind == IA_LEAF_PACKED && l->lay.kind != IA_LAYOUT_BLOB)
        IA_TRY(plain_rows(cx, l));
    switch (l->lay.kind) {
    case IA_LAYOUT_MINI:
        return ia_leaf_mini_open(cx, l);
    case IA_LAYOUT_ZIP:
        return ia_leaf_zip_open(cx, l);
    case IA_LAYOUT_CONSTANT:
        return ia_leaf_const_open(cx, l);
    case IA_LAYOUT_BLOB:
        return ia_leaf_blob_open(cx, l);
    case IA_LAYOUT_SPARSE:
        return ia_leaf_sparse_open(cx, l);
    }
    return ia_fail(cx, IA_ERR_INTERNAL, "page layout %d", (int)l->lay.kind);
}

ia_status ia_leaf_open_page(ia_ctx *cx, ia_leaf *l, size_t number)
{
    ia_status st;

    close_page(l);
    l->page = number;
    st = ia_layout_decode(cx, &l->arena, ia_leaf_page(l)->desc, ia_leaf_page(l)->desc_len, &l->lay);
    if (st == IA_OK)
        st = ia_leaf_open_layout(cx, l);
    if (st != IA_OK)
        close_page(l);
    return st;
}

ia_status ia_leaf_read_layout(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b, ia_leafacc *acc)
{
    switch (l->lay.kind) {
    case IA_LAYOUT_MINI:
        return ia_leaf_mini_read(cx, l, a, b, acc);
    case IA_LAYOUT_ZIP:
        return ia_leaf_zip_read(cx, l, a, b, acc);
    case IA_LAYOUT_CONSTANT:
        return ia_leaf_const_read(cx, l, a, b, acc);
    case IA_LAYOUT_BLOB:
        return ia_leaf_blob_read(cx, l, a, b, acc);
    case IA_LAYOUT_SPARSE:
        return ia_leaf_sparse_read(cx, l, a, b, acc);
    }
    return ia_fail(cx, IA_ERR_INTERNAL, "page layout %d", (int)l->lay.kind);
}

/* Page that holds `row`: the current one, the next one, or by bisection. */
static size_t find_page(const ia_leaf *l, uint64_t row)
{
    const ia_page *p = l->col->pages;
    size_t lo = 0, hi = l->col->n_pages;

    for (size_t k = l->page; k < hi && k <= l->page + 1; k++) {
        if (row >= p[k].first && row - p[k].first < p[k].rows)
            return k;
    }
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;

        if (p[mid].first <= row)
            lo = mid;
        else
            hi = mid;
    }
    while (lo < l->col->n_pages && row - p[lo].first >= p[lo].rows) /* empty pages */
        lo++;
    return lo;
}

/* Later pages of a batch: the slice becomes owned bytes again. */
static ia_status unslice(ia_ctx *cx, ia_vals *v)
{
    ia_buffer *s = v->slice;

    if (!s)
        return IA_OK;
    v->slice = NULL;
    ia_buf_put(cx, &v->data, s->data, s->size);
    ia_buffer_release(s);
    return ia_buf_status(&v->data);
}

/* Moves rows of a packed struct on to its fields. */
static ia_status settle_rows(ia_ctx *cx, const ia_leaf *l, ia_leafacc *acc)
{
    ia_vals *v = &acc->vals;
    const char *bytes = v->data.len ? (const char *)v->data.data : ""; /* all rows may be empty */
    ia_view row;

    IA_TRY(ia_vals_status(cx, v));
    if (v->phys.kind == IA_PHYS_FIXED) {
        IA_TRY(
            ia_packed_put_fixed(cx, &acc->packed, v->slice ? v->slice->data : v->data.data, v->n));
    } else {
        for (uint64_t i = 0; i < v->n; i++) {
            uint64_t from = ia_vals_offset(v, i);

            row.data = bytes + from;
            row.len = (size_t)(ia_vals_offset(v, i + 1) - from);
            IA_TRY(ia_packed_put_row(cx, &acc->packed, l->row_enc, row));
        }
    }
    ia_vals_clear(v);
    return IA_OK;
}

/* Page rows [a, b) of page k. */
static ia_status read_page(ia_ctx *cx, ia_leaf *l, size_t k, uint64_t a, uint64_t b,
                           ia_leafacc *acc)
{
    if (k != l->page) {
        IA_TRY(ia_leaf_open_page(cx, l, k));
        ia_packed_new_page(&acc->packed);
    }
    if (l->kind != IA_LEAF_PACKED) {
        IA_TRY(unslice(cx, &acc->vals));
        return ia_leaf_read_layout(cx, l, a, b, acc);
    }
    acc->vals.phys = l->phys;
    IA_TRY(ia_leaf_read_layout(cx, l, a, b, acc));
    return settle_rows(cx, l, acc);
}

ia_status ia_leaf_read(ia_ctx *cx, ia_leaf *l, uint64_t row, uint64_t n, ia_leafacc *acc)
{
    if (l->v20) {
        IA_TRY(ia_v20_read(cx, l, row, n, acc));
        return l->kind == IA_LEAF_PACKED ? settle_rows(cx, l, acc) : IA_OK;
    }
    row *= l->row_entries;
    n *= l->row_entries;
    while (n) {
        size_t k = find_page(l, row);
        const ia_page *p;
        uint64_t a, b;
        ia_status st;

        if (k >= l->col->n_pages)
            return ia_fail(cx, IA_ERR_INTERNAL,
                           "file %s, column %" PRIu32 ": row %" PRIu64 " is past the end",
                           l->f->io->path, l->column, row);
        p = &l->col->pages[k];
        a = row - p->first;
        b = p->rows - a < n ? p->rows : a + n;
        st = read_page(cx, l, k, a, b, acc);
        if (st != IA_OK)
            return ia_fail_prefix(cx, st, "file %s, column %" PRIu32 ", page %zu", l->f->io->path,
                                  l->column, k);
        row += b - a;
        n -= b - a;
    }
    return IA_OK;
}
