/* leaf_v20.c - rows of a column of format 2.0: the chain of its ancestors, pages, lists. */
#include "file/leaf_v20.h"

#include <inttypes.h>

#include "file/lschema_wire.h"

/* Pages up to this size are read at once where a scan goes through them. */
enum { WHOLE_PAGE = 1 << 20 };

/* ---- columns of the schema ------------------------------------------------------------------ */

static bool is_packed(const ia_lfield *f)
{
    for (size_t i = 0; i < f->n_metadata; i++) {
        const ia_kv *kv = &f->metadata[i];

        if ((ia_str_eq(kv->key, "lance-encoding:packed") || ia_str_eq(kv->key, "packed")) &&
            ia_str_eq_nocase(kv->value, "true"))
            return true;
    }
    return false;
}

/* One column for the field and all below it. */
static bool is_closed(const ia_lfield *f)
{
    return ia_view_starts_with(ia_view_of(f->logical_type), "fixed_size_list:") ||
           (ia_str_eq(f->logical_type, "struct") && is_packed(f));
}

static bool is_list_field(const ia_lfield *f)
{
    ia_view t = ia_view_of(f->logical_type);

    return ia_view_eq_str(t, "list") || ia_view_eq_str(t, "list.struct") ||
           ia_view_eq_str(t, "large_list") || ia_view_eq_str(t, "large_list.struct");
}

/* Every field has a column, in pre-order. *field = number of the one that owns `column`. */
static bool field_of_column(const ia_lschema *ls, uint32_t column, size_t *field)
{
    size_t i = 0;

    for (uint32_t at = 0; i < ls->n && at < column; at++)
        i = is_closed(&ls->fields[i]) ? ia_lschema_subtree_end(ls, i, true) : i + 1;
    *field = i;
    return i < ls->n;
}

/* Column of a field; as above. */
static uint32_t column_of_field(const ia_lschema *ls, size_t field)
{
    uint32_t at = 0;

    for (size_t i = 0; i < field; at++)
        i = is_closed(&ls->fields[i]) ? ia_lschema_subtree_end(ls, i, true) : i + 1;
    return at;
}

static ia_status mismatch(ia_ctx *cx, const ia_leaf *l)
{
    return ia_fail(cx, IA_ERR_CORRUPT,
                   "file %s, column %" PRIu32 ": the file's schema does not fit the field",
                   l->f->io->path, l->column);
}

/* The columns of the leaf and of the fields around it, from the leaf outwards. */
static ia_status find_chain(ia_ctx *cx, ia_leaf *l)
{
    const ia_lschema *ls = &l->f->schema;
    size_t at;

    if (!field_of_column(ls, l->column, &at))
        return mismatch(cx, l);
    for (size_t i = 0; i < l->n_layers; i++) {
        const ia_lfield *f = &ls->fields[at];
        ia_v20_col *c = &l->v20->cols[i];
        size_t up = at;

        c->l = l;
        c->column = column_of_field(ls, at);
        c->is_dict = ia_view_starts_with(ia_view_of(f->logical_type), "dict:");
        c->is_blob = i == 0 && ia_lfield_is_blob(f);
        if (ia_view_starts_with(ia_view_of(f->logical_type), "fixed_size_list:struct"))
            return ia_fail(cx, IA_ERR_UNSUPPORTED,
                           "file %s, field '%s': a fixed-size list of structs in format 2.0",
                           l->f->io->path, f->name);
        if (is_list_field(f) != l->is_list[i] ||
            (i > 0 && !l->is_list[i] && !ia_str_eq(f->logical_type, "struct")))
            return mismatch(cx, l);
        while (up > 0 && ls->fields[up].id != f->parent_id)
            up--;
        if ((f->parent_id == -1) != (i + 1 == l->n_layers) ||
            (f->parent_id != -1 && (ls->fields[up].id != f->parent_id || up == at)))
            return mismatch(cx, l);
        at = up;
    }
    return IA_OK;
}

/* ---- pages ---------------------------------------------------------------------------------- */

static void window_dispose(ia_window *w)
{
    ia_buffer_release(w->buf);
    memset(w, 0, sizeof *w);
}

static void close_page(ia_v20_col *c)
{
    for (size_t i = 0; c->nodes && i < c->n_nodes; i++) {
        ia_buf_dispose(&c->nodes[i].plain);
        ia_vals_dispose(&c->nodes[i].items);
        ia_valid_dispose(&c->nodes[i].items_valid);
        ia_fsst_free(c->nodes[i].fsst);
    }
    ia_free(c->nodes);
    c->nodes = NULL;
    c->n_nodes = 0;
    for (size_t i = 0; c->wins && i < c->n_wins; i++)
        window_dispose(&c->wins[i]);
    ia_free(c->wins);
    c->wins = NULL;
    c->n_wins = 0;
    c->span = NULL;
    c->root = NULL;
    ia_arena_dispose(&c->arena);
    c->page = c->col ? c->col->n_pages : 0;
}

/* A scan that goes to the end of a small page reads all of its buffers at once. */
static ia_status read_whole(ia_ctx *cx, ia_v20_col *c, uint64_t a, uint64_t b)
{
    const ia_page *p = &c->col->pages[c->page];
    uint64_t from = UINT64_MAX, to = 0, sum = 0, end = UINT64_MAX;

    for (size_t i = 0; i < p->n_buffers; i++) {
        if (!p->sizes[i])
            continue;
        from = p->offsets[i] < from ? p->offsets[i] : from;
        to = p->offsets[i] + p->sizes[i] > to ? p->offsets[i] + p->sizes[i] : to;
        sum += p->sizes[i] < WHOLE_PAGE ? p->sizes[i] : WHOLE_PAGE + 1;
    }
    if (!c->l->scan_end || sum > WHOLE_PAGE || to < from ||
        !ia_mul_u64(&end, b - a, c->ahead_num / c->ahead_den + 1) || end / 2 < p->rows / 4 ||
        to - from > sum + 64 * (uint64_t)p->n_buffers)
        return IA_OK;
    IA_TRY(ia_leaf_bytes(cx, c->l, &c->whole, from, to - from, 0, &c->span));
    c->span_off = from;
    return IA_OK;
}

static ia_status decode_root(ia_ctx *cx, ia_v20_col *c, size_t page, ia_arena *arena, ia_aenc **out,
                             size_t *n_nodes)
{
    const ia_page *p = &c->col->pages[page];

    IA_TRY(ia_aenc_decode(cx, arena, p->desc, p->desc_len, p->n_buffers, out, n_nodes));
    while (c->item_base && (*out)->kind == IA_AENC_NULLABLE && (*out)->nulls == IA_NULLS_NONE)
        *out = (*out)->child;
    if (c->item_base && (*out)->kind != IA_AENC_LIST)
        return ia_fail(cx, IA_ERR_CORRUPT, "list column with %s encoding",
                       ia_aenc_name((*out)->kind));
    return IA_OK;
}

static ia_status open_page(ia_ctx *cx, ia_v20_col *c, size_t page, uint64_t a, uint64_t b)
{
    size_t n_nodes;
    ia_status st;

    close_page(c);
    c->page = page;
    IA_GO(decode_root(cx, c, page, &c->arena, &c->root, &n_nodes));
    IA_GO(IA_NEW_ARRAY(cx, c->nodes, n_nodes));
    c->n_nodes = n_nodes;
    c->n_wins = c->col->pages[page].n_buffers;
    IA_GO(IA_NEW_ARRAY(cx, c->wins, c->n_wins ? c->n_wins : 1));
    IA_GO(read_whole(cx, c, a, b));
done:
    if (st != IA_OK)
        close_page(c);
    return st;
}

static size_t find_page(const ia_v20_col *c, uint64_t entry)
{
    const ia_page *p = c->col->pages;
    size_t lo = 0, hi = c->col->n_pages;

    for (size_t k = c->page; k < hi && k <= c->page + 1; k++) {
        if (entry >= p[k].first && entry - p[k].first < p[k].rows)
            return k;
    }
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;

        if (p[mid].first <= entry)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* ---- set up --------------------------------------------------------------------------------- */

/* Items before each page of a list column. */
static ia_status count_items(ia_ctx *cx, ia_v20_col *c)
{
    uint64_t sum = 0;

    IA_TRY(IA_NEW_ARRAY(cx, c->item_base, c->col->n_pages + 1));
    for (size_t k = 0; k < c->col->n_pages; k++) {
        ia_arena arena = {0};
        ia_aenc *root;
        size_t n;
        ia_status st = decode_root(cx, c, k, &arena, &root, &n);

        if (st == IA_OK && !ia_add_u64(&sum, sum, root->n_items))
            st = ia_fail(cx, IA_ERR_CORRUPT, "impossible number of list items");
        ia_arena_dispose(&arena);
        if (st != IA_OK)
            return ia_fail_prefix(cx, st, "file %s, column %" PRIu32 ", page %zu",
                                  c->l->f->io->path, c->column, k);
        c->item_base[k + 1] = sum;
    }
    return IA_OK;
}

/* Page table of a column, which must hold `entries`. */
static ia_status open_column(ia_ctx *cx, ia_v20_col *c, uint64_t entries)
{
    const ia_page *last;
    uint64_t have;

    IA_TRY(ia_file_column_load(cx, c->l->f, c->column, 0, &c->col));
    c->page = c->col->n_pages;
    last = c->col->n_pages ? &c->col->pages[c->col->n_pages - 1] : NULL;
    have = last ? last->first + last->rows : 0;
    if (have != entries)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "file %s, column %" PRIu32 ": pages hold %" PRIu64 " entries, %" PRIu64
                       " belong there",
                       c->l->f->io->path, c->column, have, entries);
    return IA_OK;
}

ia_status ia_v20_init(ia_ctx *cx, ia_leaf *l)
{
    uint64_t entries = l->f->rows;
    bool flat = true;

    IA_TRY(IA_NEW(cx, l->v20));
    IA_TRY(IA_NEW_ARRAY(cx, l->v20->cols, l->n_layers));
    l->v20->n = l->n_layers;
    IA_TRY(find_chain(cx, l));
    for (size_t i = l->n_layers; i-- > 0;) {
        ia_v20_col *c = &l->v20->cols[i];

        c->flat = flat;
        if (i > 0 && !l->is_list[i])
            continue;
        IA_TRY(open_column(cx, c, entries));
        if (i == 0)
            break;
        IA_TRY(count_items(cx, c));
        entries = c->item_base[c->col->n_pages];
        flat = false;
    }
    l->col = l->v20->cols[0].col;
    l->page = l->col->n_pages;
    return IA_OK;
}

void ia_v20_dispose(ia_leaf *l)
{
    struct ia_v20 *v = l->v20;

    if (!v)
        return;
    for (size_t i = 0; v->cols && i < v->n; i++) {
        close_page(&v->cols[i]);
        window_dispose(&v->cols[i].whole);
        ia_free(v->cols[i].item_base);
    }
    ia_vals_dispose(&v->rows);
    ia_free(v->cols);
    ia_free(v->ints);
    ia_free(v);
    l->v20 = NULL;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Entries [a, b) of the open page of a list column: one slot each. Their items are [*from, *to) of
 * the page. */
static ia_status read_lists(ia_ctx *cx, ia_v20_col *c, uint64_t a, uint64_t b, uint64_t base,
                            ia_layer_acc *acc, uint64_t *from, uint64_t *to)
{
    const ia_aenc *e = c->root;
    const uint64_t *v;
    size_t word = acc->offset_bits / 8;
    uint64_t end = 0, n = b - a;
    uint8_t *offs;

    IA_TRY(ia_v20_ints(cx, c, e->child, a ? a - 1 : a, b, &v));
    if (a) {
        end = e->adjustment && *v >= e->adjustment ? *v - e->adjustment : *v;
        v++;
    }
    *from = end;
    offs = ia_buf_extend(cx, &acc->offs, (size_t)n * word);
    for (uint64_t i = 0; offs && i < n; i++) {
        bool null = e->adjustment && v[i] >= e->adjustment;
        uint64_t next = null ? v[i] - e->adjustment : v[i];

        if (next < end || next > e->n_items)
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "list %" PRIu64 " ends at item %" PRIu64 " of %" PRIu64
                           ", the one before at %" PRIu64,
                           a + i, next, e->n_items, end);
        if (word == 4)
            ia_put_le32(offs + 4 * i, (uint32_t)(base + (end - *from)));
        else
            ia_put_le64(offs + 8 * i, base + (end - *from));
        ia_valid_push(cx, &acc->valid, !null);
        end = next;
    }
    *to = end;
    if (word == 4 && base + (end - *from) > INT32_MAX)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "more than 2^31 list items in one batch; read fewer rows at once");
    IA_TRY(ia_buf_status(&acc->offs));
    return ia_buf_status(&acc->valid.bits);
}

/* Entries [a, b) of the open page of the leaf. */
static ia_status read_leaf(ia_ctx *cx, ia_v20_col *c, uint64_t a, uint64_t b, ia_leafacc *acc)
{
    static const ia_phys descriptor = {
        .kind = IA_PHYS_FIXED, .bits = 128, .items = 1, .value_bits = 128, .width = 16};
    ia_leaf *l = c->l;
    ia_vals *rows = &l->v20->rows;

    if (!c->is_blob && l->kind != IA_LEAF_PACKED)
        return ia_v20_values(cx, c, a, b, &acc->layers[0].valid, &acc->vals);
    rows->phys = c->is_blob ? descriptor : l->phys;
    ia_vals_clear(rows);
    if (c->is_blob && (l->kind == IA_LEAF_PACKED ? l->phys.width != descriptor.width
                                                 : l->phys.kind != IA_PHYS_VAR))
        return ia_fail(cx, IA_ERR_CORRUPT, "blobs do not fit the type");
    IA_TRY(ia_v20_values(cx, c, a, b, &acc->layers[0].valid, rows));
    if (l->kind == IA_LEAF_PACKED)
        return ia_packed_put_fixed(cx, &acc->packed, rows->data.data, rows->n);
    return ia_blob_fetch(cx, l, rows->data.data, rows->n, &acc->vals);
}

/* Entries [a, b) of page k; for lists *from, *to become the items' range in the child column. */
static ia_status read_segment(ia_ctx *cx, ia_leafacc *acc, size_t layer, ia_v20_col *c, size_t k,
                              uint64_t a, uint64_t b, uint64_t *from, uint64_t *to)
{
    uint64_t base, done = *to - *from, x = 0, y = 0;

    if (k != c->page)
        IA_TRY(open_page(cx, c, k, a, b));
    if (c->flat && layer == 0)
        c->l->page = k;
    if (layer == 0)
        return read_leaf(cx, c, a, b, acc);
    if (!ia_add_u64(&base, acc->layers[layer - 1].valid.n, done))
        return ia_fail(cx, IA_ERR_CORRUPT, "impossible number of list items");
    IA_TRY(read_lists(cx, c, a, b, base, &acc->layers[layer], &x, &y));
    if (b == c->col->pages[k].rows && y != c->root->n_items)
        return ia_fail(cx, IA_ERR_CORRUPT, "lists end at item %" PRIu64 " of %" PRIu64, y,
                       c->root->n_items);
    if (!done)
        *from = c->item_base[k] + x;
    *to = c->item_base[k] + y;
    return IA_OK;
}

/* Entries [*from, *to) of a column; then the range of their items. */
static ia_status read_entries(ia_ctx *cx, ia_v20_col *c, size_t layer, ia_leafacc *acc,
                              uint64_t *from, uint64_t *to)
{
    uint64_t at = *from, end = *to, x = 0, y = 0;

    while (at < end) {
        size_t k = find_page(c, at);
        const ia_page *p = &c->col->pages[k];
        uint64_t a, b;
        ia_status st;

        if (k >= c->col->n_pages || at < p->first || at - p->first >= p->rows)
            return ia_fail(cx, IA_ERR_INTERNAL,
                           "file %s, column %" PRIu32 ": entry %" PRIu64 " is past the end",
                           c->l->f->io->path, c->column, at);
        a = at - p->first;
        b = p->rows - a < end - at ? p->rows : a + (end - at);
        st = read_segment(cx, acc, layer, c, k, a, b, &x, &y);
        if (st != IA_OK)
            return ia_fail_prefix(cx, st, "file %s, column %" PRIu32 ", page %zu",
                                  c->l->f->io->path, c->column, k);
        at += b - a;
    }
    *from = x;
    *to = y;
    return IA_OK;
}

ia_status ia_v20_read(ia_ctx *cx, ia_leaf *l, uint64_t row, uint64_t n, ia_leafacc *acc)
{
    uint64_t from = row, to = row + n;

    if (!n)
        return IA_OK;
    for (size_t i = l->n_layers; i-- > 0;) {
        ia_v20_col *c = &l->v20->cols[i];

        c->ahead_num = l->scan_end > row + n ? l->scan_end - (row + n) : 0;
        c->ahead_den = n;
        if (i == 0 || l->is_list[i]) {
            IA_TRY(read_entries(cx, c, i, acc, &from, &to));
        } else {
            ia_valid_ones(cx, &acc->layers[i].valid, to - from);
            IA_TRY(ia_buf_status(&acc->layers[i].valid.bits));
        }
    }
    return IA_OK;
}
