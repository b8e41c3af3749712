/* write_dict.c - decides for and builds the dictionary of a page (file format 3.4). */
#include "file/write_enc.h"

enum { MIN_VALUES = 100, SAMPLE = 2048, MAX_ITEMS = 100000, STEP = 65536 };
#define MAX_BYTES ((uint64_t)4 << 20)
#define MIX UINT64_C(0x9E3779B97F4A7C15)

/* Distinct values, numbered as they come. An item is known by the value that brought it. */
typedef struct builder {
    const ia_vals *v;
    const uint8_t *base;
    uint32_t *slots; /* item + 1, 0 = free */
    size_t n_slots;
    uint32_t *first; /* value number, per item */
    uint32_t *tags;  /* hash bits, per item */
    size_t n, cap;
    uint64_t bytes; /* of the items */
} builder;

static void builder_dispose(builder *b)
{
    ia_free(b->slots);
    ia_free(b->first);
    ia_free(b->tags);
}

/* ---- hashing -------------------------------------------------------------------------------- */

static inline uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ (b << 32 | b >> 32)) * MIX;

    return (h ^ h >> 29) * MIX;
}

static inline uint64_t hash_bytes(const uint8_t *p, size_t n)
{
    uint64_t h = n * MIX;

    for (; n > 16; p += 8, n -= 8)
        h = mix(h, ia_le64(p));
    if (n >= 8)
        return mix(h ^ ia_le64(p), ia_le64(p + n - 8) * MIX);
    if (n >= 4)
        return mix(h ^ ia_le32(p), ia_le32(p + n - 4) * MIX);
    for (size_t i = 0; i < n; i++)
        h = h << 8 ^ p[i] ^ h >> 56;
    return mix(h, n);
}

static inline bool same_bytes(const uint8_t *a, const uint8_t *b, size_t n)
{
    if (n >= 8) {
        for (; n > 8; a += 8, b += 8, n -= 8) {
            if (ia_le64(a) != ia_le64(b))
                return false;
            if (n < 16)
                return ia_le64(a + n - 8) == ia_le64(b + n - 8);
        }
        return ia_le64(a) == ia_le64(b);
    }
    if (n >= 4)
        return ia_le32(a) == ia_le32(b) && ia_le32(a + n - 4) == ia_le32(b + n - 4);
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i])
            return false;
    }
    return true;
}

/* ---- interning ------------------------------------------------------------------------------ */

static ia_status grow_items(ia_ctx *cx, builder *b)
{
    size_t cap = b->cap;

    IA_TRY(IA_GROW(cx, b->first, cap, b->n + 1));
    return IA_GROW(cx, b->tags, b->cap, b->n + 1);
}

static ia_status grow_slots(ia_ctx *cx, builder *b)
{
    size_t n = b->n_slots ? b->n_slots * 4 : 4096;
    uint32_t *slots = ia_calloc(cx, n, sizeof *slots);

    if (!slots)
        return cx->err.code;
    for (size_t i = 0; i < b->n; i++) {
        size_t at = b->tags[i] & (n - 1);

        while (slots[at])
            at = (at + 1) & (n - 1);
        slots[at] = (uint32_t)i + 1;
    }
    ia_free(b->slots);
    b->slots = slots;
    b->n_slots = n;
    return IA_OK;
}

static inline void value_at(const builder *b, uint64_t i, const uint8_t **p, size_t *n)
{
    if (b->v->phys.kind == IA_PHYS_FIXED) {
        *n = b->v->phys.width;
        *p = b->base + i * *n;
    } else if (b->v->phys.bits == 32) {
        uint32_t from = ia_le32(b->v->offs.data + i * 4);

        *p = b->base + from;
        *n = ia_le32(b->v->offs.data + i * 4 + 4) - from;
    } else {
        uint64_t from = ia_le64(b->v->offs.data + i * 8);

        *p = b->base + from;
        *n = (size_t)(ia_le64(b->v->offs.data + i * 8 + 8) - from);
    }
}

/* Interns values [from, to) with a stride; `out` (may be NULL) gets their items. Stops after the
 * item that goes beyond `limit`. */
static inline ia_status intern(ia_ctx *cx, builder *b, uint64_t from, uint64_t to, uint64_t stride,
                               size_t limit, uint8_t *out)
{
    for (uint64_t i = from; i < to; i += stride) {
        const uint8_t *p, *q;
        size_t n, m, at;
        uint32_t tag, s;

        value_at(b, i, &p, &n);
        tag = (uint32_t)(hash_bytes(p, n) >> 32);
        for (at = tag & (b->n_slots - 1); (s = b->slots[at]) != 0;
             at = (at + 1) & (b->n_slots - 1)) {
            if (b->tags[s - 1] != tag)
                continue;
            value_at(b, b->first[s - 1], &q, &m);
            if (m == n && same_bytes(p, q, n))
                break;
        }
        if (!s) {
            if (b->n == limit)
                return ++b->n, IA_OK;
            if (b->n == b->cap)
                IA_TRY(grow_items(cx, b));
            b->first[b->n] = (uint32_t)i;
            b->tags[b->n] = tag;
            b->bytes += n;
            s = (uint32_t)++b->n;
            b->slots[at] = s;
            if (b->n * 2 > b->n_slots)
                IA_TRY(grow_slots(cx, b));
        }
        if (out) {
            ia_put_le32(out, s - 1);
            out += 4;
        }
    }
    return IA_OK;
}

/* ---- deciding ------------------------------------------------------------------------------- */

static unsigned index_bits(uint64_t n)
{
    return n <= 1 ? 0 : 64u - (unsigned)__builtin_clzll(n - 1);
}

static uint64_t coded_size(const builder *b, size_t n, uint64_t bytes)
{
    uint64_t offs = b->v->phys.kind == IA_PHYS_VAR ? (n + 3) * (b->v->phys.bits / 8) : 0;

    return bytes + offs + (b->v->n * index_bits(n) + 7) / 8 + b->v->n / 64;
}

/* Few values of a sample are distinct, and even those alone would pay. */
static ia_status sample_agrees(ia_ctx *cx, builder *b, uint64_t rival, bool *yes)
{
    uint64_t stride = b->v->n / SAMPLE;

    *yes = true;
    if (stride < 2)
        return IA_OK;
    IA_TRY(intern(cx, b, 0, b->v->n, stride, SIZE_MAX, NULL));
    *yes = b->n < SAMPLE / 100 * 98 && coded_size(b, b->n, b->bytes) < rival;
    memset(b->slots, 0, b->n_slots * sizeof *b->slots);
    b->n = 0;
    b->bytes = 0;
    return IA_OK;
}

static ia_status intern_all(ia_ctx *cx, builder *b, const ia_hints *h, uint64_t rival, uint8_t *out,
                            bool *pays)
{
    bool forced = h->encoding == IA_HINT_DICTIONARY;
    uint64_t n = b->v->n, limit = n / (h->dict_divisor ? h->dict_divisor : 2);

    limit = forced ? n : limit < MAX_ITEMS ? limit : MAX_ITEMS;
    *pays = false;
    for (uint64_t at = 0; at < n; at += STEP) {
        uint64_t to = n - at < STEP ? n : at + STEP;

        IA_TRY(intern(cx, b, at, to, 1, (size_t)limit, out + at * 4));
        if (b->n > limit || (!forced && (b->bytes > MAX_BYTES || b->bytes > rival)))
            return IA_OK;
    }
    *pays = forced || coded_size(b, b->n, b->bytes) < rival;
    return IA_OK;
}

/* Types that readers accept as items. */
static bool may_have_dictionary(const ia_wleaf *l)
{
    const ia_phys *p = &l->phys; /* the engine itself makes them of 64 and 128 bits, or strings */

    if (p->kind == IA_PHYS_VAR)
        return !ia_wleaf_is_packed(l);
    return p->kind == IA_PHYS_FIXED && !p->n_dims && !ia_wleaf_is_packed(l) &&
           (p->bits == 16 || p->bits == 32 || p->bits == 64 || p->bits == 128);
}

/* ---- items ---------------------------------------------------------------------------------- */

/* Block form: offset width, position of the data, offsets from 0, data (file format 4.3). */
static void put_head(ia_ctx *cx, uint32_t bits, size_t n, ia_buf *out)
{
    size_t word = bits / 8;
    uint8_t *p = ia_buf_extend(cx, out, 2 * word);

    if (p && word == 4) {
        ia_put_le32(p, bits);
        ia_put_le32(p + 4, (uint32_t)((n + 3) * 4));
    } else if (p) {
        ia_put_le64(p, bits);
        ia_put_le64(p + 8, (n + 3) * 8);
    }
}

static void put_items(ia_ctx *cx, const builder *b, ia_buf *out)
{
    size_t word = b->v->phys.bits / 8, n;
    uint64_t off = 0;
    const uint8_t *p;

    if (b->v->phys.kind == IA_PHYS_VAR) {
        uint8_t *o;

        put_head(cx, b->v->phys.bits, b->n, out);
        o = ia_buf_extend(cx, out, (b->n + 1) * word);
        for (size_t i = 0; o && i <= b->n; i++) {
            if (word == 4)
                ia_put_le32(o + i * 4, (uint32_t)off);
            else
                ia_put_le64(o + i * 8, off);
            if (i < b->n) {
                value_at(b, b->first[i], &p, &n);
                off += n;
            }
        }
    }
    for (size_t i = 0; i < b->n; i++) {
        value_at(b, b->first[i], &p, &n);
        if (n)
            ia_buf_put(cx, out, p, n);
    }
}

/* All values of an accumulator as a block. */
static void put_block(ia_ctx *cx, const ia_vals *v, ia_buf *out)
{
    size_t word = v->phys.bits / 8;

    if (v->phys.kind == IA_PHYS_VAR) {
        put_head(cx, v->phys.bits, (size_t)v->n, out);
        if (v->offs.len)
            ia_buf_put(cx, out, v->offs.data, v->offs.len);
        else
            ia_buf_fill(cx, out, 0, word);
        if (v->data.len)
            ia_buf_put(cx, out, v->data.data, v->data.len);
    } else if (v->n) {
        ia_buf_put(cx, out, ia_vals_base(v), (size_t)((v->n * v->phys.value_bits + 7) / 8));
    }
}

/* From 2.2 on the items are compressed when that makes them smaller. */
static ia_status compress_items(ia_ctx *cx, const ia_wleaf *l, ia_wdict *d)
{
    ia_hint_compression how = l->hints.dict_values;
    ia_compressor comp = {0};
    ia_buf small = {0};
    uint32_t scheme = how == IA_HINT_ZSTD ? IA_SCHEME_ZSTD : IA_SCHEME_LZ4;
    ia_status st;

    if (l->minor < 2 || how == IA_HINT_NONE || !d->items.len)
        return IA_OK;
    IA_GO(ia_general_encode(cx, &comp, scheme, l->hints.dict_values_level,
                            (ia_view){(const char *)d->items.data, d->items.len}, &small));
    if (small.len < d->items.len) {
        ia_buf_dispose(&d->items);
        d->items = small;
        memset(&small, 0, sizeof small);
        d->scheme = scheme;
    }
done:
    ia_compressor_dispose(&comp);
    ia_buf_dispose(&small);
    return st;
}

/* ---- page ----------------------------------------------------------------------------------- */

static ia_status finish(ia_ctx *cx, const ia_wleaf *l, ia_wdict *d, uint64_t n)
{
    IA_TRY(ia_buf_status(&d->items));
    IA_TRY(compress_items(cx, l, d));
    d->n = n;
    return IA_OK;
}

static ia_status build(ia_ctx *cx, const ia_wleaf *l, uint64_t rival, builder *b, ia_wdict *out)
{
    const ia_phys index = {
        .kind = IA_PHYS_FIXED, .bits = 32, .items = 1, .value_bits = 32, .width = 4};
    uint8_t *p;
    bool go = true;

    IA_TRY(grow_slots(cx, b));
    if (l->hints.encoding != IA_HINT_DICTIONARY)
        IA_TRY(sample_agrees(cx, b, rival, &go));
    if (!go)
        return IA_OK;
    ia_vals_init(&out->own, &index);
    p = ia_vals_extend(cx, &out->own, l->vals.n);
    if (!p)
        return ia_vals_status(cx, &out->own);
    IA_TRY(intern_all(cx, b, &l->hints, rival, p, &go));
    if (!go)
        return IA_OK;
    put_items(cx, b, &out->items);
    out->indices = &out->own;
    return finish(cx, l, out, b->n);
}

ia_status ia_wdict_make(ia_ctx *cx, const ia_wleaf *l, uint64_t rival, ia_wdict *out)
{
    const ia_hints *h = &l->hints;
    builder b = {.v = &l->vals};
    bool forced = h->encoding == IA_HINT_DICTIONARY;
    double ratio = h->dict_size_ratio > 0 ? h->dict_size_ratio : 0.8;
    uint64_t raw = l->vals.data.len + l->vals.offs.len, most = (uint64_t)((double)raw * ratio);
    ia_status st;

    memset(out, 0, sizeof *out);
    out->phys = ia_wleaf_is_dict(l) ? l->dict.phys : l->phys;
    if (ia_wleaf_is_dict(l)) {
        out->indices = &l->vals;
        put_block(cx, &l->dict, &out->items);
        return finish(cx, l, out, l->dict.n);
    }
    if (!may_have_dictionary(l) || !l->vals.n || l->vals.n > UINT32_MAX)
        return IA_OK;
    if (!forced && (h->encoding != IA_HINT_ENCODING_AUTO || l->vals.n < MIN_VALUES ||
                    h->compression == IA_HINT_COMPRESSION_FSST))
        return IA_OK;
    if (!forced && l->phys.kind == IA_PHYS_FIXED && rival < raw / 16)
        return IA_OK; /* not worth the search */
    b.base = l->phys.kind == IA_PHYS_VAR ? l->vals.data.data : ia_vals_base(&l->vals);
    if (!b.base)
        b.base = (const uint8_t *)"";
    st = build(cx, l, rival < most ? rival : most, &b, out);
    builder_dispose(&b);
    return st;
}

void ia_wdict_dispose(ia_wdict *d)
{
    ia_vals_dispose(&d->own);
    ia_buf_dispose(&d->items);
}

void ia_wdict_describe(ia_ctx *cx, ia_buf *b, uint32_t member, const ia_wdict *d)
{
    size_t marks[2] = {0, 0};
    uint32_t at = d->scheme ? 3 : member;

    if (d->scheme)
        ia_begin_general(cx, b, member, d->scheme, marks);
    if (d->phys.kind == IA_PHYS_VAR)
        ia_put_variable(cx, b, at, d->phys.bits, NULL);
    else
        ia_put_flat(cx, b, at, (uint32_t)d->phys.value_bits);
    if (d->scheme) {
        ia_wire_end(cx, b, marks[1]);
        ia_wire_end(cx, b, marks[0]);
    }
}
