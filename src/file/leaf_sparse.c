/* leaf_sparse.c - rows of sparse pages: positions of nulls and lists into layers, then values. */
#include <inttypes.h>

#include "file/leaf_priv.h"

/* Sets of this many positions are believed whatever bytes say them; longer ones by their bytes. */
#define FREE_POSITIONS ((uint64_t)1 << 22)
/* Slots that are looked at one by one. */
#define MOST_SLOTS ((uint64_t)1 << 24)

/* Rising positions: by rule, or listed. */
typedef struct set {
    uint64_t n, start, step;
    uint64_t *at; /* NULL = start + i * step */
} set;

typedef struct layer {
    const ia_sparse_layer *desc;
    set validity, non_empty;
    uint64_t *ends; /* list: children of the non-empty slots up to each; NULL = constant count */
} layer;

typedef struct ia_sparse {
    layer *layers; /* outermost first */
    size_t n_layers;
    uint64_t n_values; /* stored: one a slot, or the valid ones only */
    bool compact;
    set stored; /* compact: slots of the stored values where the innermost layer does not tell */
    size_t value_bytes;         /* zip: of a fixed-width value */
    size_t buffer, index_width; /* zip: next buffer, bytes of an entry of the index */
    ia_arena *arena;
} ia_sparse;

/* ---- sets ----------------------------------------------------------------------------------- */

/* Positions below x. */
static uint64_t rank(const set *s, uint64_t x)
{
    uint64_t lo = 0, hi = s->n;

    if (!s->at) {
        if (x <= s->start || !s->n)
            return 0;
        lo = (x - s->start - 1) / s->step + 1;
        return lo < s->n ? lo : s->n;
    }
    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;

        if (s->at[mid] < x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static inline uint64_t position(const set *s, uint64_t i)
{
    return s->at ? s->at[i] : s->start + i * s->step;
}

/* The numbers of an encoding: n of them, from the page's next buffer when it has a payload. */
static ia_status load_numbers(ia_ctx *cx, ia_leaf *l, ia_sparse *s, const ia_enc *e, uint64_t n,
                              uint64_t **out)
{
    const ia_page *p = ia_leaf_page(l);
    uint8_t *owned = NULL;
    const uint8_t *data = (const uint8_t *)"";
    ia_view v = {"", 0};
    uint64_t bytes = 0;
    ia_status st;

    if (ia_enc_has_payload(e)) {
        if (s->buffer >= p->n_buffers)
            return ia_fail(cx, IA_ERR_CORRUPT, "sparse page with only %zu buffers", p->n_buffers);
        bytes = p->sizes[s->buffer];
        IA_GO(ia_leaf_buffer(cx, l, s->buffer++, &owned, &data));
    }
    if (n > FREE_POSITIONS && n / 4096 > bytes)
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "%" PRIu64 " positions in %" PRIu64 " bytes", n, bytes));
    v = (ia_view){(const char *)data, (size_t)bytes};
    IA_GO(IA_ARENA_ARRAY(cx, s->arena, *out, (size_t)n));
    IA_GO(ia_block_u64s(cx, &l->dec, e, v, n, *out));
done:
    ia_free(owned);
    return st;
}

static ia_status load_set(ia_ctx *cx, ia_leaf *l, ia_sparse *s, const ia_pos_set *d, uint64_t slots,
                          set *out)
{
    *out = (set){.n = d->n, .start = 0, .step = 1};
    if (d->kind == IA_POS_RANGE) {
        out->start = d->start;
        out->step = d->step;
    }
    if (d->kind != IA_POS_EXPLICIT)
        return IA_OK;
    IA_TRY(load_numbers(cx, l, s, d->positions, d->n, &out->at));
    for (uint64_t i = 0; i < d->n; i++) {
        uint64_t before = i ? out->at[i - 1] : 0;

        if (d->deltas && i && !ia_add_u64(&out->at[i], out->at[i], before))
            return ia_fail(cx, IA_ERR_CORRUPT, "sparse position %" PRIu64 " overflows", i);
        if (out->at[i] >= slots || (i && out->at[i] <= before))
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "sparse position %" PRIu64 " is %" PRIu64 " of %" PRIu64 " slots", i,
                           out->at[i], slots);
    }
    return IA_OK;
}

static ia_status load_counts(ia_ctx *cx, ia_leaf *l, ia_sparse *s, layer *y)
{
    uint64_t sum = 0, n = y->non_empty.n;

    if (y->desc->counts_kind != IA_COUNTS_EXPLICIT)
        return IA_OK;
    IA_TRY(load_numbers(cx, l, s, y->desc->counts, n, &y->ends));
    for (uint64_t i = 0; i < n; i++) {
        if (!y->ends[i] || !ia_add_u64(&sum, sum, y->ends[i]))
            return ia_fail(cx, IA_ERR_CORRUPT, "sparse list %" PRIu64 " has %" PRIu64 " items", i,
                           y->ends[i]);
        y->ends[i] = sum;
    }
    if (sum != y->desc->n_children)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "sparse lists of %" PRIu64 " items, %" PRIu64 " expected", sum,
                       y->desc->n_children);
    return IA_OK;
}

/* Lists with items are valid. */
static ia_status check_lists(ia_ctx *cx, const layer *y)
{
    for (uint64_t i = 0; i < y->non_empty.n; i++) {
        uint64_t x = position(&y->non_empty, i), r = rank(&y->validity, x);
        bool listed = r < y->validity.n && position(&y->validity, r) == x;

        if (listed != y->desc->valid_positions)
            return ia_fail(cx, IA_ERR_CORRUPT, "sparse list %" PRIu64 " is null and has items", x);
        if (!y->validity.n)
            break;
    }
    return IA_OK;
}

/* Children of the layer's slots before `slot`. */
static uint64_t children_before(const layer *y, uint64_t slot)
{
    uint64_t r;

    if (y->desc->kind == IA_SPARSE_VALIDITY)
        return slot;
    if (y->desc->kind == IA_SPARSE_FSL)
        return slot * y->desc->dimension;
    r = rank(&y->non_empty, slot);
    if (!r)
        return 0;
    return y->ends ? y->ends[r - 1] : r * y->desc->constant_count;
}

/* Valid slots before `slot`. */
static uint64_t valid_before(const layer *y, uint64_t slot)
{
    uint64_t r = rank(&y->validity, slot);

    return y->desc->valid_positions ? r : slot - r;
}

/* ---- opening a page ------------------------------------------------------------------------- */

static ia_status open_layers(ia_ctx *cx, ia_leaf *l, ia_sparse *s)
{
    s->n_layers = l->lay.n_sparse;
    IA_TRY(IA_ARENA_ARRAY(cx, s->arena, s->layers, s->n_layers + 1));
    for (size_t i = 0; i < s->n_layers; i++) {
        layer *y = &s->layers[i];
        size_t at = s->n_layers - 1 - i;

        y->desc = &l->lay.sparse[i];
        if (y->desc->kind == IA_SPARSE_LIST) {
            IA_TRY(load_set(cx, l, s, &y->desc->non_empty, y->desc->n_slots, &y->non_empty));
            IA_TRY(load_counts(cx, l, s, y));
        }
        IA_TRY(load_set(cx, l, s, &y->desc->validity, y->desc->n_slots, &y->validity));
        if (y->desc->kind == IA_SPARSE_LIST)
            IA_TRY(check_lists(cx, y));
        if (y->desc->kind == IA_SPARSE_FSL
                ? !at || l->mult[at] != y->desc->dimension * l->mult[at - 1]
                : at && !l->is_list[at] && l->mult[at] != l->mult[at - 1])
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "sparse layer %zu does not fit the fixed-size lists of the schema", i);
    }
    return IA_OK;
}

static ia_status open_zip(ia_ctx *cx, ia_leaf *l, ia_sparse *s)
{
    const ia_page *p = ia_leaf_page(l);
    bool var = l->phys.kind == IA_PHYS_VAR;
    uint64_t size;

    s->n_values = l->lay.num_values;
    s->buffer = var ? 2 : 1;
    if (p->n_buffers < s->buffer || var != (l->lay.bits_per_offset != 0))
        return ia_fail(cx, IA_ERR_CORRUPT, "zipped values in %zu buffers", p->n_buffers);
    if (!var) {
        IA_TRY(ia_fixed_value_bytes(cx, l->lay.values, &l->phys, &s->value_bytes));
        if (!s->value_bytes || (uint64_t)s->value_bytes * 8 != l->lay.bits_per_value ||
            !ia_mul_u64(&size, s->n_values, s->value_bytes) || size != p->sizes[0])
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "%" PRIu64 " zipped values of %zu bytes in a buffer of %" PRIu64,
                           s->n_values, s->value_bytes, p->sizes[0]);
        return IA_OK;
    }
    if (s->n_values == UINT64_MAX || p->sizes[1] % (s->n_values + 1))
        return ia_fail(cx, IA_ERR_CORRUPT, "%" PRIu64 " zipped values with an index of %" PRIu64,
                       s->n_values, p->sizes[1]);
    size = p->sizes[1] / (s->n_values + 1);
    if (size != 1 && size != 2 && size != 4 && size != 8)
        return ia_fail(cx, IA_ERR_CORRUPT, "index with entries of %" PRIu64 " bytes", size);
    s->index_width = (size_t)size;
    return IA_OK;
}

static ia_status open_values(ia_ctx *cx, ia_leaf *l, ia_sparse *s)
{
    l->vals.phys = l->phys;
    ia_vals_clear(&l->vals);
    s->n_values = l->lay.num_visible;
    switch (l->lay.plane) {
    case IA_LAYOUT_MINI:
        l->lay.num_items = l->lay.num_visible;
        s->buffer = l->lay.dict ? 3 : 2;
        return ia_leaf_mini_open(cx, l);
    case IA_LAYOUT_ZIP:
        return open_zip(cx, l, s);
    case IA_LAYOUT_CONSTANT:
        return ia_leaf_const_inline(cx, l);
    default:
        return IA_OK;
    }
}

static bool slot_is_valid(const layer *y, uint64_t slot)
{
    return valid_before(y, slot + 1) != valid_before(y, slot);
}

/* What lies in a null fixed-size list may be valid by itself and yet has no value: the slots that
 * are valid up to the next list. */
static ia_status list_stored(ia_ctx *cx, const ia_leaf *l, ia_sparse *s)
{
    uint64_t n = 0;

    if (l->lay.num_visible > MOST_SLOTS || s->n_values > l->lay.num_visible)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "sparse page of %" PRIu64 " slots below null fixed-size lists",
                       l->lay.num_visible);
    IA_TRY(IA_ARENA_ARRAY(cx, s->arena, s->stored.at, s->n_values + 1));
    for (uint64_t i = 0; i < l->lay.num_visible && n <= s->n_values; i++) {
        size_t k = 0;

        while (k < l->n_layers && !l->is_list[k] &&
               slot_is_valid(&s->layers[s->n_layers - 1 - k], i / l->mult[k]))
            k++;
        if (k < l->n_layers && !l->is_list[k])
            continue;
        if (n < s->n_values)
            s->stored.at[n] = i;
        n++;
    }
    if (n != s->n_values)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "sparse page with %" PRIu64 " values for %" PRIu64 " slots, not one for each"
                       " valid one",
                       s->n_values, l->lay.num_visible);
    s->stored.n = n;
    return IA_OK;
}

/* Values stored for the valid slots alone? */
static ia_status check_values(ia_ctx *cx, const ia_leaf *l, ia_sparse *s)
{
    uint64_t slots = l->lay.num_visible, valid = slots;

    if (s->n_layers && s->layers[s->n_layers - 1].desc->kind != IA_SPARSE_LIST)
        valid = valid_before(&s->layers[s->n_layers - 1], slots);
    s->compact = l->lay.plane && s->n_values != slots;
    return s->compact && s->n_values != valid ? list_stored(cx, l, s) : IA_OK;
}

ia_status ia_leaf_sparse_open(ia_ctx *cx, ia_leaf *l)
{
    const ia_page *p = ia_leaf_page(l);
    ia_sparse *s;

    IA_TRY(IA_ARENA_NEW(cx, &l->arena, s));
    s->arena = &l->arena;
    l->sparse = s;
    if (p->rows % l->row_entries)
        return ia_fail(cx, IA_ERR_CORRUPT, "sparse page of %" PRIu64 " entries ends inside a row",
                       p->rows);
    IA_TRY(ia_layout_set_rows(cx, &l->lay, p->rows / l->row_entries));
    if (l->lay.n_sparse ? l->lay.sparse[0].n_slots != p->rows / l->row_entries
                        : l->lay.num_visible != p->rows)
        return ia_fail(cx, IA_ERR_CORRUPT, "sparse page whose layers do not hold %" PRIu64 " rows",
                       p->rows);
    /* What follows knows values only. */
    l->lay.max_rep = l->lay.max_def = l->lay.max_visible = 0;
    IA_TRY(open_values(cx, l, s));
    IA_TRY(open_layers(cx, l, s));
    if (s->buffer != p->n_buffers)
        return ia_fail(cx, IA_ERR_CORRUPT, "sparse page with %zu buffers, %zu expected",
                       p->n_buffers, s->buffer);
    return check_values(cx, l, s);
}

/* ---- layers --------------------------------------------------------------------------------- */

static void put_validity(ia_ctx *cx, const layer *y, uint64_t a, uint64_t b, ia_valid *v)
{
    bool listed = y->desc->valid_positions;
    uint64_t to = rank(&y->validity, b);

    for (uint64_t i = rank(&y->validity, a); i < to; i++) {
        uint64_t x = position(&y->validity, i);

        if (listed)
            ia_valid_zeros(cx, v, x - a);
        else
            ia_valid_ones(cx, v, x - a);
        ia_valid_push(cx, v, listed);
        a = x + 1;
    }
    if (listed)
        ia_valid_zeros(cx, v, b - a);
    else
        ia_valid_ones(cx, v, b - a);
}

static void put_offset(ia_layer_acc *a, uint8_t *p, uint64_t i, uint64_t v)
{
    if (a->offset_bits == 32)
        ia_put_le32(p + 4 * i, (uint32_t)v);
    else
        ia_put_le64(p + 8 * i, v);
}

/* Starts of the lists [a, b), the first child being number `base` of the batch. */
static ia_status put_offsets(ia_ctx *cx, const layer *y, uint64_t a, uint64_t b, uint64_t base,
                             ia_layer_acc *acc)
{
    uint64_t r = rank(&y->non_empty, a), first = children_before(y, a);
    uint8_t *p = ia_buf_extend(cx, &acc->offs, (size_t)(b - a) * (acc->offset_bits / 8));

    if (!p)
        return ia_buf_status(&acc->offs);
    for (uint64_t i = a; i < b; i++) {
        uint64_t begin = !r ? 0 : y->ends ? y->ends[r - 1] : r * y->desc->constant_count;

        put_offset(acc, p, i - a, base + begin - first);
        r += r < y->non_empty.n && position(&y->non_empty, r) == i;
    }
    return IA_OK;
}

/* ---- values --------------------------------------------------------------------------------- */

static uint64_t load_index(const uint8_t *p, size_t w)
{
    return w == 1 ? *p : w == 2 ? ia_le16(p) : w == 4 ? ia_le32(p) : ia_le64(p);
}

static ia_status zip_fixed(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b, ia_vals *out)
{
    const ia_page *p = ia_leaf_page(l);
    size_t width = l->sparse->value_bytes;
    uint64_t limit = l->scan_end ? p->offsets[0] + p->sizes[0] : 0;

    for (; a < b; a++) {
        const uint8_t *bytes;

        IA_TRY(ia_leaf_bytes(cx, l, &l->win, p->offsets[0] + a * width, width,
                             limit ? limit : p->offsets[0] + b * width, &bytes));
        ia_fixed_value_put(cx, l->lay.values, bytes, out);
    }
    return ia_vals_status(cx, out);
}

/* Each value is its length and its bytes, as the index bounds them. */
static ia_status zip_var(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b, ia_vals *out)
{
    const ia_page *p = ia_leaf_page(l);
    size_t w = l->sparse->index_width, obytes = l->lay.bits_per_offset / 8;
    uint64_t limit = l->scan_end ? p->offsets[0] + p->sizes[0] : 0;

    for (; a < b; a++) {
        const uint8_t *bytes;
        uint64_t from, to, len;
        ia_view v;

        IA_TRY(ia_leaf_bytes(cx, l, &l->index_win, p->offsets[1] + a * w, 2 * w,
                             p->offsets[1] + (b + 1) * w, &bytes));
        from = load_index(bytes, w);
        to = load_index(bytes + w, w);
        if (from > to || to > p->sizes[0] || to - from < obytes)
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "zipped value %" PRIu64 " from %" PRIu64 " to %" PRIu64, a, from, to);
        IA_TRY(ia_leaf_bytes(cx, l, &l->win, p->offsets[0] + from, to - from, limit, &bytes));
        len = obytes == 4 ? ia_le32(bytes) : ia_le64(bytes);
        if (len != to - from - obytes)
            return ia_fail(cx, IA_ERR_CORRUPT, "zipped value %" PRIu64 " of %" PRIu64 " bytes", a,
                           len);
        v = (ia_view){(const char *)bytes + obytes, (size_t)len};
        IA_TRY(ia_value_decode_var(cx, &l->dec, l->lay.values, v, out));
    }
    return IA_OK;
}

/* Stored values [a, b); the slots they belong to are all valid, or null as null[] says. */
static ia_status stored_values(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b, const uint16_t *null,
                               ia_vals *out)
{
    if (a == b)
        return IA_OK;
    if (l->lay.plane == IA_LAYOUT_MINI)
        return ia_leaf_mini_values(cx, l, a, b, null, out);
    if (l->lay.plane == IA_LAYOUT_CONSTANT)
        return ia_vals_repeat(cx, out, &l->vals, 0, b - a);
    return l->phys.kind == IA_PHYS_VAR ? zip_var(cx, l, a, b, out) : zip_fixed(cx, l, a, b, out);
}

/* Runs of valid slots have stored values, the nulls between them none. */
static ia_status spread_values(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b, ia_vals *out)
{
    const layer *y = &l->sparse->layers[l->sparse->n_layers - 1];
    const bool told = l->sparse->stored.at == NULL, listed = !told || y->desc->valid_positions;
    const set *s = told ? &y->validity : &l->sparse->stored;
    uint64_t to = rank(s, b), from = rank(s, a), v = listed ? from : a - from;

    for (uint64_t i = from; i <= to; i++) {
        uint64_t x = i < to ? position(s, i) : b, n = x - a;

        if (listed) { /* nulls up to the next valid slot */
            ia_vals_zeros(cx, out, n);
            n = i < to;
        }
        IA_TRY(stored_values(cx, l, v, v + n, NULL, out));
        v += n;
        if (!listed && i < to)
            ia_vals_zeros(cx, out, 1);
        a = x + 1;
    }
    return ia_vals_status(cx, out);
}

/* The last n slots of a page without values: each is null, or what it lies in is. */
static ia_status put_nulls(ia_ctx *cx, const ia_leaf *l, ia_leafacc *acc, uint64_t n)
{
    for (uint64_t i = acc->layers[0].valid.n - n; i < acc->layers[0].valid.n; i++) {
        size_t k = 0;

        while (k < l->n_layers && !l->is_list[k] &&
               ia_valid_at(&acc->layers[k].valid, i / l->mult[k]))
            k++;
        if ((k == l->n_layers || l->is_list[k]) && l->kind != IA_LEAF_EMPTY)
            return ia_fail(cx, IA_ERR_CORRUPT, "sparse page without values for valid slots");
    }
    ia_vals_zeros(cx, &acc->vals, n);
    return ia_vals_status(cx, &acc->vals);
}

static ia_status put_values(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b, const ia_valid *valid,
                            ia_vals *out)
{
    uint16_t *null = NULL;
    ia_status st;

    if (l->sparse->compact)
        return spread_values(cx, l, a, b, out);
    if (l->has_dict && valid->zeros) { /* null slots may hold any index */
        IA_GO(IA_NEW_ARRAY(cx, null, (size_t)(b - a) + 1));
        for (uint64_t i = 0; i < b - a; i++)
            null[i] = !ia_valid_at(valid, valid->n - (b - a) + i);
    }
    IA_GO(stored_values(cx, l, a, b, null, out));
done:
    ia_free(null);
    return st;
}

/* ---- rows ----------------------------------------------------------------------------------- */

ia_status ia_leaf_sparse_read(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b, ia_leafacc *acc)
{
    const ia_sparse *s = l->sparse;

    if (a % l->row_entries || b % l->row_entries)
        return ia_fail(cx, IA_ERR_INTERNAL, "entries %" PRIu64 " to %" PRIu64 " are no whole rows",
                       a, b);
    a /= l->row_entries;
    b /= l->row_entries;
    if (!s->n_layers)
        ia_valid_ones(cx, &acc->layers[0].valid, b - a);
    for (size_t i = 0; i < s->n_layers; i++) {
        const layer *y = &s->layers[i];
        size_t at = s->n_layers - 1 - i;

        put_validity(cx, y, a, b, &acc->layers[at].valid);
        IA_TRY(ia_buf_status(&acc->layers[at].valid.bits));
        if (y->desc->kind == IA_SPARSE_LIST) {
            uint64_t base = acc->layers[at - 1].valid.n, end;

            end = base + children_before(y, b) - children_before(y, a);
            if (acc->layers[at].offset_bits == 32 && end > INT32_MAX)
                return ia_fail(cx, IA_ERR_UNSUPPORTED,
                               "more than 2^31 list items in one batch; read fewer rows at once");
            IA_TRY(put_offsets(cx, y, a, b, base, &acc->layers[at]));
        }
        a = children_before(y, a);
        b = children_before(y, b);
    }
    if (!l->lay.plane)
        return put_nulls(cx, l, acc, b - a);
    return put_values(cx, l, a, b, &acc->layers[0].valid, &acc->vals);
}
