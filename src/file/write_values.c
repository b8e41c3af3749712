/* write_values.c - puts the values of chunks: flat, packed, runs, strings, compressed. */
#include "file/encodings/bitpack.h"
#include "file/write_enc.h"

enum { MAX_RUN = 255, MAX_VALUES = 4096, MAX_STRINGS = 1024, TARGET = 8186, FILL = 0x48 };

void ia_wputter_dispose(ia_wputter *p)
{
    ia_buf_dispose(&p->scratch);
    ia_buf_dispose(&p->plain);
    ia_buf_dispose(&p->run_values);
    ia_buf_dispose(&p->run_lengths);
    ia_compressor_dispose(&p->comp);
}

/* ---- runs ----------------------------------------------------------------------------------- */

#define DEFINE_RUNS(NAME, T)                                                                       \
    static size_t NAME(const uint8_t *base, uint64_t at, size_t n, uint8_t *values,                \
                       uint8_t *lengths)                                                           \
    {                                                                                              \
        const T *v = (const T *)(const void *)base + at;                                           \
        T *o = (T *)(void *)values;                                                                \
        size_t runs = 0;                                                                           \
        for (size_t i = 0; i < n; runs++) {                                                        \
            size_t end = n - i > MAX_RUN ? i + MAX_RUN : n, k = i + 1;                             \
            while (k < end && v[k] == v[i])                                                        \
                k++;                                                                               \
            o[runs] = v[i];                                                                        \
            lengths[runs] = (uint8_t)(k - i);                                                      \
            i = k;                                                                                 \
        }                                                                                          \
        return runs;                                                                               \
    }
DEFINE_RUNS(runs8, uint8_t)
DEFINE_RUNS(runs16, uint16_t)
DEFINE_RUNS(runs32, uint32_t)
DEFINE_RUNS(runs64, uint64_t)

/* No runs when their buffers could not be had: ia_wputter_put says so. */
static size_t make_runs(ia_wputter *p, uint64_t at, size_t n)
{
    const uint8_t *base = ia_vals_base(p->v);
    size_t runs;

    if (p->run_values.failed || p->run_lengths.failed)
        return 0;
    switch (p->v->phys.bits) {
    case 8:
        runs = runs8(base, at, n, p->run_values.data, p->run_lengths.data);
        break;
    case 16:
        runs = runs16(base, at, n, p->run_values.data, p->run_lengths.data);
        break;
    case 32:
        runs = runs32(base, at, n, p->run_values.data, p->run_lengths.data);
        break;
    default:
        runs = runs64(base, at, n, p->run_values.data, p->run_lengths.data);
        break;
    }
    p->run_values.len = runs * p->v->phys.width;
    p->run_lengths.len = runs;
    return runs;
}

/* Runs of the next chunk: as many values as fit the target. */
static size_t count_runs(ia_ctx *cx, ia_wputter *p, uint64_t at)
{
    uint64_t left = p->v->n - at;
    size_t n = MAX_VALUES;

    if (!p->run_values.cap) {
        if (!ia_buf_extend(cx, &p->run_values, MAX_VALUES * p->v->phys.width) ||
            !ia_buf_extend(cx, &p->run_lengths, MAX_VALUES))
            return (size_t)(left < n ? left : n);
    }
    for (;; n /= 2) {
        size_t have = left < n ? (size_t)left : n;

        if (make_runs(p, at, have) * (p->v->phys.width + 1) <= TARGET || n == 2) {
            p->run_at = at;
            return have;
        }
    }
}

/* ---- counting ------------------------------------------------------------------------------- */

/* Values doubled while offsets and data stay within the target. */
static size_t count_strings(const ia_wputter *p, uint64_t at)
{
    const ia_vals *v = p->v;
    uint64_t left = v->n - at, from = ia_vals_offset(v, at), target = p->c->chunk_bytes;
    size_t word = v->phys.bits / 8, n = 2;

    if (left <= n ||
        (left <= MAX_STRINGS && (left + 1) * word + ia_vals_offset(v, v->n) - from <= target))
        return (size_t)left;
    while (n < MAX_STRINGS && n * 2 <= left &&
           (n * 2 + 1) * word + (ia_vals_offset(v, at + n * 2) - from) <= target)
        n *= 2;
    return n;
}

size_t ia_wputter_count(ia_ctx *cx, ia_wputter *p, uint64_t at)
{
    uint64_t left = p->v->n - at;

    if (p->c->kind == IA_CODEC_VAR)
        return count_strings(p, at);
    if (p->c->kind == IA_CODEC_RLE)
        return count_runs(cx, p, at);
    return left < p->c->per_chunk ? (size_t)left : p->c->per_chunk;
}

/* ---- values --------------------------------------------------------------------------------- */

static void put_strings(ia_ctx *cx, const ia_vals *v, uint64_t at, size_t n, ia_buf *out)
{
    size_t word = v->phys.bits / 8, head = (n + 1) * word;
    uint64_t from = ia_vals_offset(v, at), len = ia_vals_offset(v, at + n) - from;
    size_t rest = (size_t)(head + len) % word;
    uint8_t *p = ia_buf_extend(cx, out, head + (size_t)len + (rest ? word - rest : 0));
    const uint8_t *offs = v->offs.data + at * word;

    if (!p)
        return;
    if (word == 4) {
        const uint32_t add = (uint32_t)(head - from);

        for (size_t i = 0; i <= n; i++)
            ia_put_le32(p + i * 4, ia_le32(offs + i * 4) + add);
    } else {
        for (size_t i = 0; i <= n; i++)
            ia_put_le64(p + i * 8, ia_le64(offs + i * 8) - from + head);
    }
    if (len)
        memcpy(p + head, v->data.data + from, (size_t)len);
    if (rest)
        memset(p + head + len, FILL, word - rest);
}

static void put_packed(ia_ctx *cx, ia_wputter *p, uint64_t at, size_t n, ia_buf *out)
{
    const ia_phys *ph = &p->v->phys;
    const uint8_t *src = ia_vals_base(p->v) + at * ph->width;
    unsigned w = ia_pack_width(ph->bits, src, n);
    uint8_t head[8];
    uint8_t *to;

    ia_put_le64(head, w);
    ia_buf_put(cx, out, head, ph->width);
    if (n < IA_PACK_BLOCK) {
        ia_buf_clear(&p->scratch);
        ia_buf_put(cx, &p->scratch, src, n * ph->width);
        ia_buf_fill(cx, &p->scratch, 0, (IA_PACK_BLOCK - n) * ph->width);
        src = p->scratch.data;
    }
    to = ia_buf_extend(cx, out, 128 * (size_t)w);
    if (to && src && !p->scratch.failed)
        ia_pack(ph->bits, src, w, to);
}

static void put_bits(ia_ctx *cx, const uint8_t *src, uint64_t from, uint64_t n, ia_buf *out)
{
    size_t bytes = (size_t)((n + 7) / 8);
    uint8_t *p = ia_buf_extend(cx, out, bytes);

    if (!p)
        return;
    memset(p, 0, bytes);
    ia_bits_copy(p, 0, src, (int64_t)from, (int64_t)n);
}

/* Byte j of value i goes to j * n + i. */
static void put_split(ia_ctx *cx, const ia_vals *v, uint64_t at, size_t n, ia_buf *out)
{
    size_t w = v->phys.width;
    const uint8_t *src = ia_vals_base(v) + at * w;
    uint8_t *p = ia_buf_extend(cx, out, n * w);

    for (size_t j = 0; p && j < w; j++) {
        for (size_t i = 0; i < n; i++)
            p[j * n + i] = src[i * w + j];
    }
}

static void put_plain(ia_ctx *cx, ia_wputter *p, uint64_t at, size_t n, ia_buf *out)
{
    const ia_vals *v = p->v;

    if (p->c->kind == IA_CODEC_VAR)
        put_strings(cx, v, at, n, out);
    else if (p->c->kind == IA_CODEC_PACKED)
        put_packed(cx, p, at, n, out);
    else if (p->c->bss)
        put_split(cx, v, at, n, out);
    else if (v->phys.width)
        ia_buf_put(cx, out, ia_vals_base(v) + at * v->phys.width, n * v->phys.width);
    else
        put_bits(cx, ia_vals_base(v), at * v->phys.value_bits, n * v->phys.value_bits, out);
}

static void put_run_part(ia_ctx *cx, ia_wputter *p, bool lengths, uint64_t at, size_t n,
                         ia_buf *out)
{
    const ia_buf *b = lengths ? &p->run_lengths : &p->run_values;

    if (p->run_at != at)
        make_runs(p, at, n);
    ia_buf_put(cx, out, b->data, b->len);
}

/* Validity of fixed-size list level number `which` among those that have any; false: values. */
static bool put_validity(ia_ctx *cx, const ia_vals *v, size_t which, uint64_t at, size_t n,
                         ia_buf *out)
{
    uint64_t items = 1;

    for (size_t k = 0; k < v->phys.n_dims; k++) {
        items *= v->phys.dims[k];
        if (!ia_vals_has_inner_nulls(v, k) || which--)
            continue;
        put_bits(cx, v->inner[k].bits.data, at * items, n * items, out);
        return true;
    }
    return false;
}

ia_status ia_wputter_put(ia_ctx *cx, ia_wputter *p, size_t which, uint64_t at, size_t n,
                         ia_buf *out)
{
    ia_buf *to = p->c->scheme && which == 0 ? &p->plain : out;

    ia_buf_clear(&p->plain);
    if (p->c->kind == IA_CODEC_RLE)
        put_run_part(cx, p, which == 1, at, n, to);
    else if (!put_validity(cx, p->v, which, at, n, to))
        put_plain(cx, p, at, n, to);
    IA_TRY(ia_buf_status(&p->run_values));
    IA_TRY(ia_buf_status(&p->run_lengths));
    IA_TRY(ia_buf_status(&p->scratch));
    IA_TRY(ia_buf_status(to));
    if (to == out)
        return IA_OK;
    return ia_general_encode(cx, &p->comp, p->c->scheme, p->c->level,
                             (ia_view){(const char *)p->plain.data, p->plain.len}, out);
}
