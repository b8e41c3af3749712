/* values_v20.c - values of pages of format 2.0: each node of the ArrayEncoding tree. */
#include <inttypes.h>

#include "file/encodings/bitpack.h"
#include "file/leaf_v20.h"

enum { TAKE_GAP = 4096, STRING_GAP = 64 * 1024, STRING_ROWS = 64 };
/* Entries that no byte of the file stands for (all null, constant), in one read. */
#define MAX_FREE ((uint64_t)1 << 26)

/* Entries [a, b) are wanted; up to `up` may be read along. */
typedef struct range {
    uint64_t a, b, up;
} range;

static ia_status read_node(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, range r, size_t level,
                           ia_valid *valid, ia_vals *out);

static ia_status misfit(ia_ctx *cx, const ia_aenc *e, const ia_phys *p)
{
    return ia_fail(
        cx, IA_ERR_CORRUPT, "%s encoding of %" PRIu64 " bits for values of %" PRIu64 " bits%s",
        ia_aenc_name(e->kind), e->bits, p->value_bits, p->kind == IA_PHYS_VAR ? " (strings)" : "");
}

/* ---- bytes ---------------------------------------------------------------------------------- */

/* The decompressed buffer of a flat node. */
static ia_status plain_buffer(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, ia_buf **out)
{
    const ia_page *p = &c->col->pages[c->page];
    ia_v20_node *n = &c->nodes[e->number];
    uint64_t size = p->sizes[e->buffer];
    const uint8_t *data;
    ia_view v;

    *out = &n->plain;
    if (n->has_plain || !size)
        return IA_OK;
    IA_TRY(ia_leaf_bytes(cx, c->l, &c->wins[e->buffer], p->offsets[e->buffer], size, 0, &data));
    v.data = (const char *)data;
    v.len = (size_t)size;
    /* what either scheme can make of that many bytes */
    IA_TRY(ia_general_decode(cx, e->scheme, v, size < UINT64_MAX >> 17 ? size << 16 : UINT64_MAX,
                             &n->plain));
    n->has_plain = true;
    return IA_OK;
}

/* Bytes [from, to) of the node's buffer; `up` as in range. */
static ia_status node_bytes(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, uint64_t from, uint64_t to,
                            uint64_t up, const uint8_t **out)
{
    const ia_page *p = &c->col->pages[c->page];
    uint64_t off = p->offsets[e->buffer], size = p->sizes[e->buffer];
    ia_buf *plain = NULL;

    if (e->scheme) {
        IA_TRY(plain_buffer(cx, c, e, &plain));
        size = plain->len;
    }
    if (from > to || to > size)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "buffer %" PRIu32 " at byte %" PRIu64 " has %" PRIu64 " bytes%s, %" PRIu64
                       " are needed",
                       e->buffer, off, size, plain ? " decompressed" : "", to);
    if (from == to)
        *out = (const uint8_t *)"";
    else if (plain)
        *out = plain->data + from;
    else if (c->span)
        *out = c->span + (off - c->span_off) + from;
    else
        return ia_leaf_bytes(cx, c->l, &c->wins[e->buffer], off + from, to - from,
                             off + (up > size ? size : up), out);
    return IA_OK;
}

/* Entries of `bits` each; *shift = bit of the first byte at which they start. */
static ia_status entry_bytes(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, uint64_t bits, range r,
                             const uint8_t **out, unsigned *shift)
{
    uint64_t from, to, up;

    *shift = 0;
    if (!ia_mul_u64(&from, r.a, bits) || !ia_mul_u64(&to, r.b, bits) || to > UINT64_MAX - 7)
        return ia_fail(cx, IA_ERR_CORRUPT, "impossible number of entries");
    *shift = (unsigned)(from % 8);
    if (!ia_mul_u64(&up, r.up, bits) || up > UINT64_MAX - 7)
        up = UINT64_MAX - 7;
    up = (up + 7) / 8;
    return node_bytes(cx, c, e, from / 8, (to + 7) / 8, up, out);
}

/* ---- integers ------------------------------------------------------------------------------- */

static uint64_t load_bits(const uint8_t *p, uint64_t bit, unsigned n)
{
    uint64_t v = 0;
    unsigned got = 0;

    while (got < n) {
        unsigned shift = (unsigned)((bit + got) % 8), take = 8 - shift;

        if (take > n - got)
            take = n - got;
        v |= (uint64_t)(((unsigned)p[(bit + got) / 8] >> shift) & ((1u << take) - 1u)) << got;
        got += take;
    }
    return v;
}

static void put_word(uint8_t *o, uint64_t bits, uint64_t v)
{
    for (unsigned k = 0; k < bits / 8; k++)
        o[k] = (uint8_t)(v >> 8 * k);
}

/* A stream of packed_bits each, from the lowest bit on. */
static ia_status unpack_stream(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, range r, uint8_t *out)
{
    unsigned w = e->packed_bits, shift;
    const uint8_t *p;

    IA_TRY(entry_bytes(cx, c, e, w, r, &p, &shift));
    for (uint64_t i = 0; i < r.b - r.a; i++) {
        uint64_t v = load_bits(p, shift + i * w, w);

        if (e->is_signed && w && w < 64 && v >> (w - 1))
            v |= UINT64_MAX << w;
        put_word(out + i * (e->bits / 8), e->bits, v);
    }
    return IA_OK;
}

/* Blocks of 1024 values in the FastLanes order. */
static ia_status unpack_blocks(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, range r, uint8_t *out)
{
    uint64_t bytes = (uint64_t)e->packed_bits * (IA_PACK_BLOCK / 8);
    size_t width = (size_t)(e->bits / 8);
    const uint8_t *p;
    uint64_t *block = NULL;
    ia_status st;

    IA_GO(IA_SET(cx, block, ia_alloc(cx, IA_PACK_BLOCK * sizeof *block)));
    for (uint64_t at = r.a; at < r.b;) {
        uint64_t k = at / IA_PACK_BLOCK, first = k * IA_PACK_BLOCK;
        uint64_t end = r.b - first < IA_PACK_BLOCK ? r.b : first + IA_PACK_BLOCK;

        IA_GO(node_bytes(cx, c, e, k * bytes, (k + 1) * bytes, r.up / IA_PACK_BLOCK * bytes + bytes,
                         &p));
        ia_unpack((unsigned)e->bits, p, e->packed_bits, block);
        memcpy(out + (at - r.a) * width, (uint8_t *)block + (at - first) * width,
               (size_t)(end - at) * width);
        at = end;
    }
done:
    ia_free(block);
    return st;
}

/* Before there is room for the values: that the buffer has them. */
static ia_status check_packed(ia_ctx *cx, const ia_v20_col *c, const ia_aenc *e, range r)
{
    uint64_t size = c->col->pages[c->page].sizes[e->buffer];

    if (r.b > UINT64_MAX / 128 || (r.b * e->packed_bits + 7) / 8 > size ||
        (!e->packed_bits && r.b - r.a > MAX_FREE))
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "%" PRIu64 " entries of %" PRIu32 " bits in %" PRIu64 " bytes", r.b,
                       e->packed_bits, size);
    return IA_OK;
}

static ia_status unpack(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, range r, uint8_t *out)
{
    return e->kind == IA_AENC_BITPACKED ? unpack_stream(cx, c, e, r, out)
                                        : unpack_blocks(cx, c, e, r, out);
}

static ia_status read_ints(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, range r,
                           const uint64_t **out)
{
    struct ia_v20 *v = c->l->v20;
    uint64_t n = r.b - r.a, *o;
    const uint8_t *p = NULL;
    unsigned shift;

    while (e->kind == IA_AENC_NULLABLE && e->nulls == IA_NULLS_NONE)
        e = e->child;
    if (e->kind == IA_AENC_BITPACKED || e->kind == IA_AENC_BITPACKED_NON_NEG) {
        IA_TRY(check_packed(cx, c, e, r));
    } else if (e->kind != IA_AENC_FLAT ||
               (e->bits != 8 && e->bits != 16 && e->bits != 32 && e->bits != 64)) {
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "%s encoding of %" PRIu64 " bits for offsets",
                       ia_aenc_name(e->kind), e->bits);
    } else {
        IA_TRY(entry_bytes(cx, c, e, e->bits, r, &p, &shift));
    }
    if (n > SIZE_MAX / 16)
        return ia_fail(cx, IA_ERR_CORRUPT, "impossible number of entries");
    IA_TRY(IA_GROW(cx, v->ints, v->ints_cap, (size_t)n + 1));
    o = v->ints;
    *out = o;
    if (!p) {
        uint8_t *end = (uint8_t *)o + n * (8 - e->bits / 8);

        /* unpacked to the end of the room, then widened from the front */
        IA_TRY(unpack(cx, c, e, r, end));
        p = end;
    }
    for (uint64_t i = 0; i < n; i++)
        o[i] = e->bits == 64   ? ia_le64(p + i * 8)
               : e->bits == 32 ? ia_le32(p + i * 4)
               : e->bits == 16 ? ia_le16(p + i * 2)
                               : p[i];
    return IA_OK;
}

ia_status ia_v20_ints(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, uint64_t a, uint64_t b,
                      const uint64_t **out)
{
    range r = {.a = a, .b = b, .up = b};

    if (c->l->scan_end && c->ahead_den) {
        uint64_t more;

        if (!ia_mul_u64(&more, b - a, c->ahead_num / c->ahead_den + 1) ||
            !ia_add_u64(&r.up, b, more))
            r.up = UINT64_MAX;
    }
    return read_ints(cx, c, e, r, out);
}

/* ---- fixed width ---------------------------------------------------------------------------- */

/* Top-level values that `items` entries of this level make. */
static uint64_t values_of(const ia_phys *p, size_t level, uint64_t items)
{
    for (size_t k = 0; k < level; k++)
        items /= p->dims[k];
    return items;
}

/* Validity of n entries at a level and of all below. */
static void put_ones(ia_ctx *cx, ia_vals *out, size_t level, uint64_t n)
{
    for (size_t k = level; k < out->phys.n_dims; k++) {
        n *= out->phys.dims[k];
        ia_valid_ones(cx, &out->inner[k], n);
    }
}

static uint64_t bits_at(const ia_phys *p, size_t level)
{
    uint64_t bits = p->bits;

    for (size_t k = level; k < p->n_dims; k++)
        bits *= p->dims[k];
    return bits;
}

static ia_status put_fixed(ia_ctx *cx, ia_vals *out, const uint8_t *p, unsigned shift, uint64_t n)
{
    if (out->phys.width) {
        uint8_t *o = ia_vals_extend(cx, out, n);

        if (o && n)
            memcpy(o, p, (size_t)n * out->phys.width);
    } else {
        ia_vals_put_bits(cx, out, p, shift, n);
    }
    return ia_vals_status(cx, out);
}

/* flat, and the rows of a packed struct. */
static ia_status read_flat(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, range r, size_t level,
                           ia_vals *out)
{
    const uint8_t *p;
    unsigned shift;

    if (out->phys.kind != IA_PHYS_FIXED || e->bits != bits_at(&out->phys, level))
        return misfit(cx, e, &out->phys);
    IA_TRY(entry_bytes(cx, c, e, e->bits, r, &p, &shift));
    put_ones(cx, out, level, r.b - r.a);
    return put_fixed(cx, out, p, shift, values_of(&out->phys, level, r.b - r.a));
}

static ia_status read_bitpacked(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, range r, size_t level,
                                ia_vals *out)
{
    uint8_t *o;

    if (out->phys.kind != IA_PHYS_FIXED || level != out->phys.n_dims || e->bits != out->phys.bits)
        return misfit(cx, e, &out->phys);
    IA_TRY(check_packed(cx, c, e, r));
    o = ia_vals_extend(cx, out, values_of(&out->phys, level, r.b - r.a));
    return o ? unpack(cx, c, e, r, o) : ia_vals_status(cx, out);
}

/* Descriptors of blobs; (1, 0) is a null. */
static ia_status read_descriptors(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, range r,
                                  ia_valid *valid, ia_vals *out)
{
    size_t at = out->data.len;

    IA_TRY(read_flat(cx, c, e, r, 0, out));
    for (uint64_t i = 0; i < r.b - r.a; i++) {
        uint8_t *p = out->data.data + at + 16 * i;
        bool null = ia_le64(p) == 1 && ia_le64(p + 8) == 0;

        ia_valid_push(cx, valid, !null);
        if (null)
            ia_put_le64(p, 0);
    }
    return ia_buf_status(&valid->bits);
}

/* ---- nulls and constants -------------------------------------------------------------------- */

static ia_status check_free(ia_ctx *cx, uint64_t n)
{
    if (n > MAX_FREE)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "%" PRIu64 " entries without bytes in one batch; read fewer rows at once",
                       n);
    return IA_OK;
}

/* Null slots hold zeros; validity of the levels above is the caller's. */
static ia_status put_nulls(ia_ctx *cx, uint64_t n, size_t level, ia_vals *out)
{
    uint64_t values = values_of(&out->phys, level, n), bytes;

    IA_TRY(check_free(cx, n));
    if (out->phys.kind != IA_PHYS_FIXED) {
        ia_vals_zeros(cx, out, values);
        return ia_vals_status(cx, out);
    }
    bytes = ((out->n + values) * out->phys.value_bits + 7) / 8;
    if (bytes > out->data.len)
        ia_buf_fill(cx, &out->data, 0, (size_t)(bytes - out->data.len));
    out->n += values;
    put_ones(cx, out, level, n);
    return ia_vals_status(cx, out);
}

static ia_status read_nullable(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, range r, size_t level,
                               ia_valid *valid, ia_vals *out)
{
    const ia_aenc *v = e->extra;
    const uint8_t *p;
    unsigned shift;

    if (e->nulls == IA_NULLS_NONE)
        return read_node(cx, c, e->child, r, level, valid, out);
    if (!valid)
        return ia_fail(cx, IA_ERR_CORRUPT, "nullable encoding where nulls are already known");
    if (e->nulls == IA_NULLS_ALL) {
        IA_TRY(put_nulls(cx, r.b - r.a, level, out));
        ia_valid_zeros(cx, valid, r.b - r.a);
        return ia_buf_status(&valid->bits);
    }
    while (v->kind == IA_AENC_NULLABLE && v->nulls == IA_NULLS_NONE)
        v = v->child;
    if (v->kind != IA_AENC_FLAT || v->bits != 1)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "validity with %s encoding of %" PRIu64 " bits",
                       ia_aenc_name(v->kind), v->bits);
    IA_TRY(entry_bytes(cx, c, v, 1, r, &p, &shift));
    ia_valid_bits(cx, valid, p, shift, r.b - r.a);
    IA_TRY(ia_buf_status(&valid->bits));
    return read_node(cx, c, e->child, r, level, NULL, out);
}

static ia_status read_constant(ia_ctx *cx, const ia_aenc *e, range r, size_t level, ia_vals *out)
{
    const uint8_t *p = (const uint8_t *)e->bytes.data;
    uint64_t n = values_of(&out->phys, level, r.b - r.a);

    IA_TRY(check_free(cx, r.b - r.a));
    if (out->phys.kind == IA_PHYS_FIXED &&
        (level || out->phys.n_dims || e->bytes.len != (out->phys.value_bits + 7) / 8))
        return misfit(cx, e, &out->phys);
    if (out->phys.kind == IA_PHYS_VAR && e->bytes.len > 1024 && n > MAX_FREE / e->bytes.len)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "constant of %zu bytes for %" PRIu64 " rows",
                       e->bytes.len, n);
    for (uint64_t i = 0; i < n; i++) {
        if (out->phys.kind == IA_PHYS_VAR)
            IA_TRY(ia_vals_put_var(cx, out, p, e->bytes.len));
        else if (out->phys.kind == IA_PHYS_FIXED)
            IA_TRY(put_fixed(cx, out, p, 0, 1));
    }
    out->n += out->phys.kind == IA_PHYS_NULL ? n : 0;
    return ia_vals_status(cx, out);
}

/* ---- strings -------------------------------------------------------------------------------- */

/* End offsets in *ends (r.b - r.a of them, nulls taken out) and the start of the first. */
static ia_status string_ends(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, range r, ia_valid *valid,
                             uint64_t *start, const uint64_t **ends)
{
    range w = {.a = r.a ? r.a - 1 : 0, .b = r.b, .up = r.up};
    const uint64_t *got;
    uint64_t *v, end = 0;

    IA_TRY(read_ints(cx, c, e->child, w, &got));
    v = c->l->v20->ints;
    for (uint64_t i = 0; i < w.b - w.a; i++) {
        bool null = e->adjustment && v[i] >= e->adjustment;

        if (null)
            v[i] -= e->adjustment;
        if ((i && v[i] < end) || (e->adjustment && v[i] >= e->adjustment))
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "string %" PRIu64 " ends at byte %" PRIu64 ", the one before at %" PRIu64
                           ", all before %" PRIu64,
                           w.a + i, v[i], end, e->adjustment);
        end = v[i];
        if (valid && (i || w.a == r.a))
            ia_valid_push(cx, valid, !null);
    }
    *start = r.a ? *got++ : 0;
    *ends = got;
    return valid ? ia_buf_status(&valid->bits) : IA_OK;
}

/* Where reading the bytes may go on to; the offsets up to r.up are at hand. */
static ia_status string_ahead(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, range r, uint64_t from,
                              uint64_t *up)
{
    range last = {.a = r.up - 1, .b = r.up, .up = r.up};
    const ia_page *p = &c->col->pages[c->page];
    const uint64_t *v;

    if (c->l->scan_end && r.up >= p->rows)
        *up = UINT64_MAX;
    if (c->l->scan_end || r.up <= r.b)
        return IA_OK;
    if (r.up > r.b + STRING_ROWS)
        last.a = (last.b = r.b + STRING_ROWS) - 1;
    IA_TRY(read_ints(cx, c, e->child, last, &v));
    *up = e->adjustment && *v >= e->adjustment ? *v - e->adjustment : *v;
    if (*up < from || *up - from > STRING_GAP)
        *up = 0;
    return IA_OK;
}

static ia_status put_strings(ia_ctx *cx, ia_vals *out, const uint8_t *bytes, uint64_t start,
                             const uint64_t *ends, uint64_t n)
{
    uint64_t base = out->data.len, len = n ? ends[n - 1] - start : 0;
    size_t word = out->phys.bits / 8;
    uint8_t *o;

    if (out->phys.bits == 32 && len > (uint64_t)INT32_MAX - base)
        return ia_vals_too_long(cx);
    IA_TRY(ia_vals_begin_var(cx, out));
    o = ia_buf_extend(cx, &out->offs, (size_t)n * word);
    for (uint64_t i = 0; o && i < n; i++) {
        if (word == 4)
            ia_put_le32(o + 4 * i, (uint32_t)(base + (ends[i] - start)));
        else
            ia_put_le64(o + 8 * i, base + (ends[i] - start));
    }
    if (len)
        ia_buf_put(cx, &out->data, bytes, (size_t)len);
    out->n += n;
    return ia_vals_status(cx, out);
}

static ia_status read_binary(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, range r, ia_valid *valid,
                             ia_vals *out)
{
    const ia_aenc *b = e->extra;
    uint64_t start, end, up = 0, n = r.b - r.a;
    const uint64_t *ends;
    const uint8_t *bytes = NULL;

    if (out->phys.kind != IA_PHYS_VAR)
        return misfit(cx, e, &out->phys);
    while (b->kind == IA_AENC_NULLABLE && b->nulls == IA_NULLS_NONE)
        b = b->child;
    if (b->kind != IA_AENC_FLAT || b->bits != 8)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "bytes of strings with %s encoding of %" PRIu64 " bits",
                       ia_aenc_name(b->kind), b->bits);
    if (!n)
        return IA_OK;
    IA_TRY(string_ends(cx, c, e, r, valid, &start, &ends));
    end = ends[n - 1];
    if (!b->scheme && !c->span && r.up > r.b) {
        IA_TRY(string_ahead(cx, c, e, r, start, &up));
        if (!c->l->scan_end) /* the scratch was used */
            IA_TRY(string_ends(cx, c, e, r, NULL, &start, &ends));
    }
    if (end > start)
        IA_TRY(node_bytes(cx, c, b, start, end, up, &bytes));
    return put_strings(cx, out, bytes, start, ends, n);
}

static ia_status read_fsst(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, range r, ia_valid *valid,
                           ia_vals *out)
{
    ia_v20_node *n = &c->nodes[e->number];
    ia_phys codes = {.kind = IA_PHYS_VAR, .bits = 64, .items = 1};

    if (out->phys.kind != IA_PHYS_VAR)
        return misfit(cx, e, &out->phys);
    if (!n->fsst)
        IA_TRY(ia_fsst_parse(cx, e->bytes, &n->fsst));
    n->items.phys = codes;
    ia_vals_clear(&n->items);
    IA_TRY(read_binary(cx, c, e->child, r, valid, &n->items));
    for (uint64_t i = 0; i < n->items.n; i++) {
        uint64_t from = ia_vals_offset(&n->items, i), to = ia_vals_offset(&n->items, i + 1);

        IA_TRY(ia_vals_begin_var(cx, out));
        IA_TRY(ia_fsst_expand(cx, n->fsst, n->items.data.data + from, (size_t)(to - from),
                              &out->data));
        IA_TRY(ia_vals_end_var(cx, out));
    }
    return IA_OK;
}

/* Values of equal width: fixed ones, or strings that happen to be. */
static ia_status read_fixed_binary(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, range r,
                                   ia_vals *out)
{
    const ia_aenc *b = e->child;
    const uint8_t *p;
    unsigned shift;
    range w = r;

    while (b->kind == IA_AENC_NULLABLE && b->nulls == IA_NULLS_NONE)
        b = b->child;
    if (b->kind != IA_AENC_FLAT || b->bits != 8)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "bytes of strings with %s encoding of %" PRIu64 " bits",
                       ia_aenc_name(b->kind), b->bits);
    if (out->phys.kind != IA_PHYS_VAR &&
        (out->phys.n_dims || out->phys.value_bits != 8 * (uint64_t)e->dimension))
        return misfit(cx, e, &out->phys);
    if (!ia_mul_u64(&w.a, r.a, e->dimension) || !ia_mul_u64(&w.b, r.b, e->dimension))
        return ia_fail(cx, IA_ERR_CORRUPT, "impossible number of entries");
    if (!ia_mul_u64(&w.up, r.up, e->dimension))
        w.up = UINT64_MAX;
    IA_TRY(entry_bytes(cx, c, b, 8, w, &p, &shift));
    if (out->phys.kind != IA_PHYS_VAR)
        return put_fixed(cx, out, p, 0, r.b - r.a);
    for (uint64_t i = 0; i < r.b - r.a; i++)
        IA_TRY(ia_vals_put_var(cx, out, p + i * e->dimension, e->dimension));
    return IA_OK;
}

/* ---- dictionaries --------------------------------------------------------------------------- */

static ia_status load_items(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, const ia_phys *phys)
{
    ia_v20_node *n = &c->nodes[e->number];
    range all = {.a = 0, .b = e->n_items, .up = e->n_items};

    if (n->has_items)
        return IA_OK;
    n->items.phys = *phys;
    ia_vals_clear(&n->items);
    ia_valid_clear(&n->items_valid);
    if (all.b)
        IA_TRY(read_node(cx, c, e->extra, all, 0, &n->items_valid, &n->items));
    if (n->items.n != e->n_items)
        return ia_fail(cx, IA_ERR_CORRUPT, "dictionary of %" PRIu64 " items with %" PRIu64,
                       e->n_items, n->items.n);
    n->has_items = true;
    return IA_OK;
}

/* Codes of strings: 0 is a null and k item k - 1. Of dictionary types: k is item k, nulls are
 * items. */
static ia_status read_dictionary(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, range r,
                                 ia_valid *valid, ia_vals *out)
{
    ia_v20_node *n = &c->nodes[e->number];
    uint64_t shift = c->is_dict ? 0 : 1;
    const uint64_t *codes;

    IA_TRY(load_items(cx, c, e, &out->phys));
    IA_TRY(read_ints(cx, c, e->child, r, &codes));
    IA_TRY(ia_vals_reserve(cx, out, r.b - r.a, 0));
    for (uint64_t i = 0; i < r.b - r.a; i++) {
        uint64_t k = codes[i] - shift;
        bool null = shift && !codes[i];

        if (!null && k >= n->items.n)
            return ia_fail(cx, IA_ERR_CORRUPT, "row %" PRIu64 " has code %" PRIu64 " of %" PRIu64,
                           r.a + i, codes[i], n->items.n + shift);
        if (null)
            ia_vals_zeros(cx, out, 1);
        else
            IA_TRY(ia_vals_append(cx, out, &n->items, k, 1));
        if (valid)
            ia_valid_push(cx, valid, !null && ia_valid_at(&n->items_valid, k));
    }
    if (valid)
        IA_TRY(ia_buf_status(&valid->bits));
    return ia_vals_status(cx, out);
}

/* ---- the tree ------------------------------------------------------------------------------- */

static ia_status read_items(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, range r, size_t level,
                            ia_vals *out)
{
    range w = r;

    if (out->phys.kind != IA_PHYS_FIXED || level >= out->phys.n_dims ||
        out->phys.dims[level] != e->dimension)
        return ia_fail(cx, IA_ERR_CORRUPT, "fixed-size list of %" PRIu32 " does not fit the type",
                       e->dimension);
    if (!ia_mul_u64(&w.a, r.a, e->dimension) || !ia_mul_u64(&w.b, r.b, e->dimension))
        return ia_fail(cx, IA_ERR_CORRUPT, "impossible number of entries");
    if (!ia_mul_u64(&w.up, r.up, e->dimension))
        w.up = UINT64_MAX;
    return read_node(cx, c, e->child, w, level + 1, &out->inner[level], out);
}

static ia_status read_kind(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, range r, size_t level,
                           ia_valid *valid, ia_vals *out)
{
    switch (e->kind) {
    case IA_AENC_FLAT:
    case IA_AENC_PACKED_STRUCT:
        return read_flat(cx, c, e, r, level, out);
    case IA_AENC_NULLABLE:
        return read_nullable(cx, c, e, r, level, valid, out);
    case IA_AENC_FSL:
        return read_items(cx, c, e, r, level, out);
    case IA_AENC_BINARY:
        return read_binary(cx, c, e, r, valid, out);
    case IA_AENC_DICTIONARY:
        return read_dictionary(cx, c, e, r, valid, out);
    case IA_AENC_FSST:
        return read_fsst(cx, c, e, r, valid, out);
    case IA_AENC_BITPACKED:
    case IA_AENC_BITPACKED_NON_NEG:
        return read_bitpacked(cx, c, e, r, level, out);
    case IA_AENC_FIXED_BINARY:
        return read_fixed_binary(cx, c, e, r, out);
    case IA_AENC_CONSTANT:
        return read_constant(cx, e, r, level, out);
    case IA_AENC_STRUCT: /* without fields */
        if (out->phys.kind != IA_PHYS_NULL)
            break;
        IA_TRY(check_free(cx, r.b - r.a));
        out->n += r.b - r.a;
        return IA_OK;
    case IA_AENC_LIST:
        break;
    }
    return misfit(cx, e, &out->phys);
}

/* Encodings that know their nulls themselves take `valid`; below the others nothing is null. */
static ia_status read_node(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, range r, size_t level,
                           ia_valid *valid, ia_vals *out)
{
    bool strings =
        e->kind == IA_AENC_BINARY || e->kind == IA_AENC_FSST || e->kind == IA_AENC_DICTIONARY;

    if (strings && level)
        return misfit(cx, e, &out->phys);
    if (e->kind == IA_AENC_PACKED_STRUCT && c->is_blob && valid && e->bits == 128)
        return read_descriptors(cx, c, e, r, valid, out);
    IA_TRY(read_kind(cx, c, e, r, level, valid, out));
    if (valid && !strings && e->kind != IA_AENC_NULLABLE)
        ia_valid_ones(cx, valid, r.b - r.a);
    return valid ? ia_buf_status(&valid->bits) : IA_OK;
}

ia_status ia_v20_values(ia_ctx *cx, ia_v20_col *c, uint64_t a, uint64_t b, ia_valid *valid,
                        ia_vals *out)
{
    const ia_page *p = &c->col->pages[c->page];
    uint64_t bits = out->phys.value_bits ? out->phys.value_bits : 64, more;
    range r = {.a = a, .b = b, .up = b};

    if (c->l->scan_end) {
        if (!ia_mul_u64(&more, b - a, c->ahead_num / c->ahead_den + 1))
            more = UINT64_MAX - b;
        if (c->ahead_num && !ia_add_u64(&r.up, b, more))
            r.up = UINT64_MAX;
        r.up = r.up > p->rows ? p->rows : r.up;
    } else if (c->flat) {
        r.up = ia_leaf_ahead(c->l, b, TAKE_GAP * 8 / bits);
    }
    return read_node(cx, c, c->root, r, 0, valid, out);
}
