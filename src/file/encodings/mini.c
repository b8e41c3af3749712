/* mini.c - value buffers of mini-block chunks. */
#include <inttypes.h>

#include "file/encodings/bitpack.h"
#include "file/encodings/decode.h"

/* A chunk is a few KiB; what it expands to is not many times more. */
#define MAX_CHUNK_BYTES ((uint64_t)64 << 20)

void ia_decoder_dispose(ia_decoder *d)
{
    ia_buf_dispose(&d->plain[0]);
    ia_buf_dispose(&d->plain[1]);
    ia_free(d->block);
    ia_vals_dispose(&d->codes);
    ia_fsst_free(d->fsst);
    memset(d, 0, sizeof *d);
}

void ia_decoder_new_page(ia_decoder *d)
{
    ia_fsst_free(d->fsst);
    d->fsst = NULL;
    d->fsst_key = NULL;
}

uint32_t ia_mini_buffers(const ia_enc *e)
{
    switch (e->kind) {
    case IA_ENC_RLE:
        return 2;
    case IA_ENC_FSL:
        return ia_mini_buffers(e->child) + (e->has_validity ? 1 : 0);
    case IA_ENC_FSST:
    case IA_ENC_GENERAL:
        return ia_mini_buffers(e->child);
    case IA_ENC_CONSTANT:
        return 0;
    case IA_ENC_FLAT:
    case IA_ENC_VARIABLE:
    case IA_ENC_OOL_BITPACK:
    case IA_ENC_INLINE_BITPACK:
    case IA_ENC_DICTIONARY:
    case IA_ENC_BSS:
    case IA_ENC_PACKED_STRUCT:
    case IA_ENC_VAR_PACKED_STRUCT:
    case IA_ENC_RANGE:
    case IA_ENC_DELTA:
        return 1;
    }
    return 1;
}

uint32_t ia_enc_bits(const ia_enc *e)
{
    switch (e->kind) {
    case IA_ENC_FLAT:
    case IA_ENC_INLINE_BITPACK:
    case IA_ENC_OOL_BITPACK:
        return e->bits;
    case IA_ENC_RLE:
    case IA_ENC_BSS:
    case IA_ENC_GENERAL:
        return ia_enc_bits(e->child);
    case IA_ENC_VARIABLE:
    case IA_ENC_CONSTANT:
    case IA_ENC_FSST:
    case IA_ENC_DICTIONARY:
    case IA_ENC_FSL:
    case IA_ENC_PACKED_STRUCT:
    case IA_ENC_VAR_PACKED_STRUCT:
    case IA_ENC_RANGE:
    case IA_ENC_DELTA:
        return 0;
    }
    return 0;
}

/* The buffers of one chunk, taken in order. */
typedef struct chunk {
    ia_decoder *d;
    const ia_view *bufs;
    size_t n_bufs, next;
    ia_view pushed; /* a decompressed buffer that stands for the next one */
    bool has_pushed;
} chunk;

static ia_status take_buffer(ia_ctx *cx, chunk *c, ia_view *out)
{
    if (c->has_pushed) {
        c->has_pushed = false;
        *out = c->pushed;
        return IA_OK;
    }
    if (c->next == c->n_bufs)
        return ia_fail(cx, IA_ERR_CORRUPT, "chunk has only %zu buffers", c->n_bufs);
    *out = c->bufs[c->next++];
    return IA_OK;
}

static ia_status bad_size(ia_ctx *cx, const ia_enc *e, size_t len, uint64_t n)
{
    return ia_fail(cx, IA_ERR_CORRUPT, "%s buffer of %zu bytes does not fit %" PRIu64 " values",
                   ia_enc_name(e->kind), len, n);
}

static ia_status unpack_general(ia_ctx *cx, chunk *c, const ia_enc *e)
{
    ia_view in;
    ia_buf *out;

    if (c->d->plain_used == 2)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "general compression nested three times");
    IA_TRY(take_buffer(cx, c, &in));
    out = &c->d->plain[c->d->plain_used++];
    IA_TRY(ia_general_decode(cx, e->scheme, in, MAX_CHUNK_BYTES, out));
    c->pushed.data = out->data ? (const char *)out->data : "";
    c->pushed.len = out->len;
    c->has_pushed = true;
    return IA_OK;
}

/* ---- fixed width ---------------------------------------------------------------------------- */

static ia_status decode_flat(ia_ctx *cx, const ia_enc *e, ia_view b, uint64_t n, uint64_t count,
                             ia_vals *out)
{
    uint64_t bits;

    if (!ia_mul_u64(&bits, count, e->bits) || (bits + 7) / 8 > b.len)
        return bad_size(cx, e, b.len, count);
    if (out->phys.width) {
        uint8_t *p = ia_vals_extend(cx, out, n);

        if (p)
            memcpy(p, b.data, (size_t)(bits / 8));
    } else {
        ia_vals_put_bits(cx, out, (const uint8_t *)b.data, 0, n);
    }
    return ia_vals_status(cx, out);
}

static ia_status decode_inline(ia_ctx *cx, chunk *c, const ia_enc *e, ia_view b, uint64_t n,
                               uint64_t count, ia_vals *out)
{
    const uint8_t *p = (const uint8_t *)b.data;
    size_t word = e->bits / 8;
    uint64_t w;
    uint8_t *o;

    if (b.len < word || count > IA_PACK_BLOCK)
        return bad_size(cx, e, b.len, count);
    w = ia_pack_load(e->bits, p);
    if (w > e->bits || b.len != word + 128 * w)
        return bad_size(cx, e, b.len, count);
    o = ia_vals_extend(cx, out, n);
    if (!o)
        return ia_vals_status(cx, out);
    if (count == IA_PACK_BLOCK && ((uintptr_t)o & (word - 1)) == 0) {
        ia_unpack(e->bits, p + word, (unsigned)w, o);
        return IA_OK;
    }
    if (!c->d->block)
        IA_TRY(IA_NEW_ARRAY(cx, c->d->block, IA_PACK_BLOCK));
    ia_unpack(e->bits, p + word, (unsigned)w, c->d->block);
    memcpy(o, c->d->block, (size_t)count * word);
    return IA_OK;
}

#define FILL_RUNS(T)                                                                               \
    do {                                                                                           \
        T *o_ = (T *)(void *)o;                                                                    \
        for (size_t r = 0; r < runs && done < count; r++) {                                        \
            uint64_t len = lengths[r];                                                             \
            T v;                                                                                   \
            memcpy(&v, values + r * sizeof(T), sizeof(T));                                         \
            if (!len)                                                                              \
                return ia_fail(cx, IA_ERR_CORRUPT, "rle run %zu is empty", r);                     \
            len = len > count - done ? count - done : len;                                         \
            for (uint64_t i = 0; i < len; i++)                                                     \
                o_[done + i] = v;                                                                  \
            done += len;                                                                           \
        }                                                                                          \
    } while (0)

/* Some writers let the last run overshoot; it is cut. `o` is aligned to the value. */
static ia_status fill_runs(ia_ctx *cx, uint32_t bits, const uint8_t *values, const uint8_t *lengths,
                           size_t runs, uint64_t count, uint8_t *o)
{
    uint64_t done = 0;

    if (bits == 8)
        FILL_RUNS(uint8_t);
    else if (bits == 16)
        FILL_RUNS(uint16_t);
    else if (bits == 32)
        FILL_RUNS(uint32_t);
    else
        FILL_RUNS(uint64_t);
    if (done != count)
        return ia_fail(cx, IA_ERR_CORRUPT, "rle runs hold %" PRIu64 " of %" PRIu64 " values", done,
                       count);
    return IA_OK;
}

static bool rle_is_plain(const ia_enc *e)
{
    uint32_t b = e->child->bits;

    return e->child->kind == IA_ENC_FLAT && (b == 8 || b == 16 || b == 32 || b == 64) &&
           e->child2->kind == IA_ENC_FLAT && e->child2->bits == 8;
}

static ia_status refuse_rle(ia_ctx *cx, const ia_enc *e)
{
    return ia_fail(cx, IA_ERR_UNSUPPORTED,
                   "rle of %s values with %s lengths (format 2.3) is not supported",
                   ia_enc_name(e->child->kind), ia_enc_name(e->child2->kind));
}

static ia_status decode_rle(ia_ctx *cx, const ia_enc *e, ia_view values, ia_view lengths,
                            uint64_t n, uint64_t count, ia_vals *out)
{
    uint8_t *o;

    if (!rle_is_plain(e))
        return refuse_rle(cx, e);
    if (values.len / (e->child->bits / 8) < lengths.len || lengths.len < count / 255)
        return bad_size(cx, e, values.len, count);
    o = ia_vals_extend(cx, out, n);
    if (!o)
        return ia_vals_status(cx, out);
    return fill_runs(cx, e->child->bits, (const uint8_t *)values.data,
                     (const uint8_t *)lengths.data, lengths.len, count, o);
}

static ia_status decode_bss(ia_ctx *cx, const ia_enc *e, ia_view b, uint64_t n, uint64_t count,
                            ia_vals *out)
{
    size_t width = e->child->bits / 8;
    uint8_t *o;

    if (e->child->kind != IA_ENC_FLAT || (width != 2 && width != 4 && width != 8))
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "byte_stream_split of %s values",
                       ia_enc_name(e->child->kind));
    if (b.len / width != count || b.len % width)
        return bad_size(cx, e, b.len, count);
    o = ia_vals_extend(cx, out, n);
    for (size_t j = 0; o && j < width; j++) {
        const uint8_t *s = (const uint8_t *)b.data + j * (size_t)count;

        for (size_t i = 0; i < (size_t)count; i++)
            o[i * width + j] = s[i];
    }
    return ia_vals_status(cx, out);
}

static ia_status decode_constant(ia_ctx *cx, const ia_enc *e, uint64_t n, uint64_t count,
                                 ia_vals *out)
{
    size_t width = out->phys.bits / 8;
    uint8_t *o;

    if (!e->bytes.len) {
        ia_vals_zeros(cx, out, n);
        return ia_vals_status(cx, out);
    }
    if (!width || e->bytes.len != width || !out->phys.width)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "constant of %zu bytes for %" PRIu32 " bit values",
                       e->bytes.len, out->phys.bits);
    o = ia_vals_extend(cx, out, n);
    for (uint64_t i = 0; o && i < count; i++)
        memcpy(o + i * width, e->bytes.data, width);
    return ia_vals_status(cx, out);
}

/* n values of fixed-size list level `level` and beyond = count items of that level. */
static ia_status mini_fixed(ia_ctx *cx, chunk *c, const ia_enc *e, uint64_t n, uint64_t count,
                            size_t level, ia_vals *out)
{
    ia_view b = {0}, b2 = {0};

    if (e->kind == IA_ENC_FSL) {
        if (level == out->phys.n_dims || e->items != out->phys.dims[level])
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "fixed_size_list of %" PRIu32 " items does not fit the type", e->items);
        if (!ia_mul_u64(&count, count, e->items))
            return ia_fail(cx, IA_ERR_CORRUPT, "fixed_size_list has too many items");
        if (e->has_validity) {
            IA_TRY(take_buffer(cx, c, &b));
            if (b.len < (count + 7) / 8)
                return bad_size(cx, e, b.len, count);
            ia_valid_bits(cx, &out->inner[level], (const uint8_t *)b.data, 0, count);
        } else {
            ia_valid_ones(cx, &out->inner[level], count);
        }
        return mini_fixed(cx, c, e->child, n, count, level + 1, out);
    }
    if (e->kind == IA_ENC_GENERAL) {
        IA_TRY(unpack_general(cx, c, e));
        return mini_fixed(cx, c, e->child, n, count, level, out);
    }
    if (level != out->phys.n_dims)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "encoding %s for a fixed-size list",
                       ia_enc_name(e->kind));
    if (e->kind == IA_ENC_CONSTANT)
        return decode_constant(cx, e, n, count, out);
    if (ia_enc_bits(e) && ia_enc_bits(e) != out->phys.bits)
        return ia_fail(cx, IA_ERR_CORRUPT, "%s of %" PRIu32 " bits for a type of %" PRIu32 " bits",
                       ia_enc_name(e->kind), ia_enc_bits(e), out->phys.bits);
    if (e->kind != IA_ENC_FLAT && e->kind != IA_ENC_INLINE_BITPACK && e->kind != IA_ENC_RLE &&
        e->kind != IA_ENC_BSS)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "encoding %s of fixed-width values in a mini-block page",
                       ia_enc_name(e->kind));
    IA_TRY(take_buffer(cx, c, &b));
    if (e->kind == IA_ENC_FLAT)
        return decode_flat(cx, e, b, n, count, out);
    if (!out->phys.width)
        return ia_fail(cx, IA_ERR_CORRUPT, "%s of single bits", ia_enc_name(e->kind));
    if (e->kind == IA_ENC_INLINE_BITPACK)
        return decode_inline(cx, c, e, b, n, count, out);
    if (e->kind == IA_ENC_BSS)
        return decode_bss(cx, e, b, n, count, out);
    IA_TRY(take_buffer(cx, c, &b2));
    return decode_rle(cx, e, b, b2, n, count, out);
}

/* ---- variable width ------------------------------------------------------------------------- */

/* n + 1 offsets of `obits` at p: non-decreasing, from `first`, the last at most `end`. */
static bool offsets_ok(const uint8_t *p, uint32_t obits, uint64_t n, uint64_t first, uint64_t end)
{
    unsigned bad = 0;

    if (obits == 32) {
        uint32_t prev = ia_le32(p);

        if (prev != first)
            return false;
        for (uint64_t i = 1; i <= n; i++) {
            uint32_t x = ia_le32(p + i * 4);

            bad |= x < prev;
            prev = x;
        }
        return !bad && prev <= end;
    }
    uint64_t prev = ia_le64(p);

    if (prev != first)
        return false;
    for (uint64_t i = 1; i <= n; i++) {
        uint64_t x = ia_le64(p + i * 8);

        bad |= x < prev;
        prev = x;
    }
    return !bad && prev <= end;
}

static ia_status offset_bits(ia_ctx *cx, const ia_enc *e, uint32_t *bits)
{
    if (e->child->kind != IA_ENC_FLAT || (e->child->bits != 32 && e->child->bits != 64))
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "variable with %s offsets of %" PRIu32 " bits",
                       ia_enc_name(e->child->kind), e->child->bits);
    *bits = e->child->bits;
    return IA_OK;
}

static ia_status decode_variable(ia_ctx *cx, const ia_enc *e, ia_view b, uint64_t n, ia_vals *out)
{
    const uint8_t *p = (const uint8_t *)b.data;
    uint32_t obits = 0;
    uint64_t head;

    IA_TRY(offset_bits(cx, e, &obits));
    head = (n + 1) * (obits / 8);
    if (n > b.len || head > b.len || !offsets_ok(p, obits, n, head, b.len))
        return bad_size(cx, e, b.len, n);
    return ia_vals_put_vars(cx, out, p, obits, p, n);
}

static ia_status page_table(ia_ctx *cx, ia_decoder *d, const ia_enc *e)
{
    if (d->fsst && d->fsst_key == e->bytes.data)
        return IA_OK;
    ia_decoder_new_page(d);
    IA_TRY(ia_fsst_parse(cx, e->bytes, &d->fsst));
    d->fsst_key = e->bytes.data;
    return IA_OK;
}

static ia_status expand_all(ia_ctx *cx, ia_decoder *d, ia_vals *out)
{
    const ia_vals *c = &d->codes;
    size_t grow = c->data.len * (ia_fsst_is_raw(d->fsst) ? 1 : 3);

    if (out->data.cap - out->data.len < grow)
        IA_TRY(ia_vals_reserve(cx, out, c->n, out->data.len / 2 + grow));
    IA_TRY(ia_vals_begin_var(cx, out));
    for (uint64_t i = 0; i < c->n; i++) {
        uint64_t from = ia_vals_offset(c, i), to = ia_vals_offset(c, i + 1);

        IA_TRY(ia_fsst_expand(cx, d->fsst, c->data.data + from, (size_t)(to - from), &out->data));
        IA_TRY(ia_vals_end_var(cx, out));
    }
    return IA_OK;
}

static ia_status mini_var(ia_ctx *cx, chunk *c, const ia_enc *e, uint64_t n, ia_vals *out)
{
    ia_view b = {0};
    ia_phys phys = {.kind = IA_PHYS_VAR, .bits = 64, .items = 1};

    if (e->kind == IA_ENC_GENERAL) {
        IA_TRY(unpack_general(cx, c, e));
        return mini_var(cx, c, e->child, n, out);
    }
    if (e->kind == IA_ENC_VARIABLE) {
        IA_TRY(take_buffer(cx, c, &b));
        return decode_variable(cx, e, b, n, out);
    }
    if (e->kind != IA_ENC_FSST || e->child->kind == IA_ENC_FSST)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "encoding %s of variable-width values in a mini-block page",
                       ia_enc_name(e->kind));
    IA_TRY(page_table(cx, c->d, e));
    c->d->codes.phys = phys;
    ia_vals_clear(&c->d->codes);
    IA_TRY(mini_var(cx, c, e->child, n, &c->d->codes));
    return expand_all(cx, c->d, out);
}

ia_status ia_mini_decode(ia_ctx *cx, ia_decoder *d, const ia_enc *e, const ia_view *bufs,
                         size_t n_bufs, uint64_t n, ia_vals *out)
{
    chunk c = {.d = d, .bufs = bufs, .n_bufs = n_bufs};

    d->plain_used = 0;
    if (!n)
        return IA_OK;
    if (out->phys.kind == IA_PHYS_VAR)
        return mini_var(cx, &c, e, n, out);
    if (out->phys.kind == IA_PHYS_FIXED)
        return mini_fixed(cx, &c, e, n, n, 0, out);
    return ia_fail(cx, IA_ERR_CORRUPT, "values in a column of type null");
}

/* ---- blocks --------------------------------------------------------------------------------- */

static ia_status unpack_block_general(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view in,
                                      ia_view *out)
{
    ia_buf *b;

    if (d->plain_used == 2)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "general compression nested three times");
    b = &d->plain[d->plain_used++];
    IA_TRY(ia_general_decode(cx, e->scheme, in, (uint64_t)1 << 30, b));
    out->data = b->data ? (const char *)b->data : "";
    out->len = b->len;
    return IA_OK;
}

/* Full blocks of `bits` wide values, then a raw or a padded tail (file format 4.7). */
static ia_status block_ool(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                           uint8_t *out)
{
    const uint8_t *p = (const uint8_t *)buf.data;
    unsigned w = e->child->bits;
    size_t word = e->bits / 8, block = 128 * (size_t)w;
    uint64_t full = n / IA_PACK_BLOCK, rest = n % IA_PACK_BLOCK;

    if (!w && !buf.len) {
        memset(out, 0, (size_t)n * word);
        return IA_OK;
    }
    if (!w || buf.len / block < full)
        return bad_size(cx, e, buf.len, n);
    for (uint64_t i = 0; i < full; i++)
        ia_unpack(e->bits, p + i * block, w, out + i * IA_PACK_BLOCK * word);
    p += full * block;
    out += full * IA_PACK_BLOCK * word;
    buf.len -= (size_t)full * block;
    if (buf.len == rest * word) {
        memcpy(out, p, (size_t)rest * word);
        return IA_OK;
    }
    if (!rest || buf.len != block)
        return bad_size(cx, e, buf.len, n);
    if (!d->block)
        IA_TRY(IA_NEW_ARRAY(cx, d->block, IA_PACK_BLOCK));
    ia_unpack(e->bits, p, w, d->block);
    memcpy(out, d->block, (size_t)rest * word);
    return IA_OK;
}

static ia_status block_rle(ia_ctx *cx, const ia_enc *e, ia_view buf, uint64_t n, uint8_t *out)
{
    const uint8_t *p = (const uint8_t *)buf.data;
    uint64_t values, runs;

    if (!rle_is_plain(e))
        return refuse_rle(cx, e);
    if (buf.len < 8 || (values = ia_le64(p)) > buf.len - 8 || values % (e->child->bits / 8))
        return bad_size(cx, e, buf.len, n);
    runs = buf.len - 8 - values;
    if (values / (e->child->bits / 8) != runs)
        return bad_size(cx, e, buf.len, n);
    return fill_runs(cx, e->child->bits, p + 8, p + 8 + values, (size_t)runs, n, out);
}

/* n integers of `bits` into out (aligned). */
static ia_status block_ints(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                            uint32_t bits, uint8_t *out)
{
    size_t word = bits / 8;

    if (e->kind == IA_ENC_GENERAL) {
        IA_TRY(unpack_block_general(cx, d, e, buf, &buf));
        return block_ints(cx, d, e->child, buf, n, bits, out);
    }
    if (e->kind != IA_ENC_FLAT && e->kind != IA_ENC_INLINE_BITPACK &&
        e->kind != IA_ENC_OOL_BITPACK && e->kind != IA_ENC_RLE)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "encoding %s of a block of integers",
                       ia_enc_name(e->kind));
    if (ia_enc_bits(e) != bits)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "block of %" PRIu32 " bit values where %" PRIu32 " bits belong",
                       ia_enc_bits(e), bits);
    if (e->kind == IA_ENC_OOL_BITPACK)
        return block_ool(cx, d, e, buf, n, out);
    if (e->kind == IA_ENC_RLE)
        return block_rle(cx, e, buf, n, out);
    if (e->kind == IA_ENC_FLAT) {
        if (buf.len != n * word)
            return bad_size(cx, e, buf.len, n);
        memcpy(out, buf.data, buf.len);
        return IA_OK;
    }
    const uint8_t *p = (const uint8_t *)buf.data;
    uint64_t w = buf.len < word ? UINT64_MAX : ia_pack_load(bits, p);

    if (n > IA_PACK_BLOCK || w > bits || buf.len != word + 128 * w)
        return bad_size(cx, e, buf.len, n);
    if (!d->block)
        IA_TRY(IA_NEW_ARRAY(cx, d->block, IA_PACK_BLOCK));
    ia_unpack(bits, p + word, (unsigned)w, d->block);
    memcpy(out, d->block, (size_t)n * word);
    return IA_OK;
}

ia_status ia_block_levels(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, size_t n,
                          uint32_t max, uint16_t *out)
{
    unsigned top = 0;

    d->plain_used = 0;
    IA_TRY(block_ints(cx, d, e, buf, n, 16, (uint8_t *)out));
    for (size_t i = 0; i < n; i++)
        top = out[i] > top ? out[i] : top;
    if (top > max)
        return ia_fail(cx, IA_ERR_CORRUPT, "level %u where the page has only %" PRIu32, top, max);
    return IA_OK;
}

static ia_status block_var(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                           ia_vals *out)
{
    const uint8_t *p;
    uint32_t obits = 0;
    size_t word;
    uint64_t head, data;

    if (e->kind == IA_ENC_GENERAL) {
        IA_TRY(unpack_block_general(cx, d, e, buf, &buf));
        return block_var(cx, d, e->child, buf, n, out);
    }
    if (e->kind != IA_ENC_VARIABLE)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "encoding %s of a block of strings",
                       ia_enc_name(e->kind));
    IA_TRY(offset_bits(cx, e, &obits));
    p = (const uint8_t *)buf.data;
    word = obits / 8;
    head = (n + 3) * word;
    if (n > buf.len || head > buf.len || ia_pack_load(obits, p) != obits)
        return bad_size(cx, e, buf.len, n);
    data = ia_pack_load(obits, p + word);
    if (data != head || !offsets_ok(p + 2 * word, obits, n, 0, buf.len - data))
        return bad_size(cx, e, buf.len, n);
    return ia_vals_put_vars(cx, out, p + 2 * word, obits, p + data, n);
}

ia_status ia_block_values(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view buf, uint64_t n,
                          ia_vals *out)
{
    const ia_enc *inner = e;
    uint8_t *o;
    uint64_t bytes;

    d->plain_used = 0;
    if (out->phys.kind == IA_PHYS_VAR)
        return block_var(cx, d, e, buf, n, out);
    while (inner->kind == IA_ENC_GENERAL)
        inner = inner->child;
    if (out->phys.kind != IA_PHYS_FIXED || !out->phys.width || out->phys.n_dims)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "dictionary of %" PRIu32 " bit values",
                       out->phys.bits);
    /* Items cannot outnumber what the buffer's bytes can say: 1024 packed values need one byte at
     * least. */
    if (!ia_mul_u64(&bytes, n, out->phys.width) || bytes > (uint64_t)1 << 30)
        return ia_fail(cx, IA_ERR_CORRUPT, "dictionary of %" PRIu64 " items", n);
    if (inner->kind == IA_ENC_FLAT) {
        for (; e->kind == IA_ENC_GENERAL; e = e->child)
            IA_TRY(unpack_block_general(cx, d, e, buf, &buf));
        if (e->bits != out->phys.bits || buf.len != bytes)
            return bad_size(cx, e, buf.len, n);
        return decode_flat(cx, e, buf, n, n, out);
    }
    o = ia_vals_extend(cx, out, n);
    if (!o)
        return ia_vals_status(cx, out);
    return block_ints(cx, d, e, buf, n, out->phys.bits, o);
}

/* ---- single values -------------------------------------------------------------------------- */

ia_status ia_value_decode_var(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view v, ia_vals *out)
{
    d->plain_used = 0;
    for (;;) {
        if (e->kind == IA_ENC_VARIABLE)
            return ia_vals_put_var(cx, out, (const uint8_t *)v.data, v.len);
        if (e->kind == IA_ENC_GENERAL) {
            if (v.len)
                IA_TRY(unpack_block_general(cx, d, e, v, &v));
        } else if (e->kind == IA_ENC_FSST && e->child->kind == IA_ENC_VARIABLE) {
            IA_TRY(page_table(cx, d, e));
            IA_TRY(ia_vals_begin_var(cx, out));
            IA_TRY(ia_fsst_expand(cx, d->fsst, (const uint8_t *)v.data, v.len, &out->data));
            return ia_vals_end_var(cx, out);
        } else {
            return ia_fail(cx, IA_ERR_UNSUPPORTED,
                           "encoding %s of variable-width values in a full-zip page",
                           ia_enc_name(e->kind));
        }
        e = e->child;
    }
}
