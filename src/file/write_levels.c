/* write_levels.c - repetition and definition levels as blocks (file format 7.4, 8). */
#include "file/encodings/bitpack.h"
#include "file/write_enc.h"

enum { MAX_RUN = 255, FEW = 128 };

static uint64_t count_runs(const uint16_t *v, uint64_t n)
{
    uint64_t runs = 1;

    for (uint64_t i = 1; i < n;) {
        uint64_t end = n - i > 32768 ? i + 32768 : n;
        uint16_t some = 0;

        for (; i < end; i++)
            some = (uint16_t)(some + (v[i] != v[i - 1]));
        runs += some;
    }
    return runs;
}

/* Levels beyond the first 255 of a run begin another. */
static uint64_t count_cuts(const uint16_t *v, uint64_t n)
{
    uint64_t cuts = 0;

    for (uint64_t i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && v[k] == v[i]; k++)
            continue;
        cuts += (k - i - 1) / MAX_RUN;
    }
    return cuts;
}

static double packed_size(double n, uint64_t per, unsigned w)
{
    uint64_t rest = per % IA_PACK_BLOCK;

    if (!w)
        return n * 2;
    rest = rest * 2 < 128 * (uint64_t)w ? rest * 2 : 128 * (uint64_t)w;
    return n / (double)per * (double)(per / IA_PACK_BLOCK * 128 * w + rest);
}

ia_level_codec ia_levels_pick(const uint16_t *v, uint64_t n, uint64_t per, uint32_t minor)
{
    ia_level_codec c = {.present = v != NULL};
    double packed, runs;

    if (!v || n < FEW || !per)
        return c;
    c.w = ia_pack_width(16, v, (size_t)n);
    if (!c.w || c.w >= 15)
        c.w = 0;
    else
        c.kind = IA_LEVELS_PACKED;
    if (minor < 2)
        return c;
    /* Each chunk begins a run, and has a size. */
    packed = packed_size((double)n, per, c.w);
    runs = (double)count_runs(v, n) * 3 + (double)n / (double)per * 11;
    if (runs < packed && runs + (double)count_cuts(v, n) * 3 < packed)
        c.kind = IA_LEVELS_RLE;
    return c;
}

static void put_runs(ia_ctx *cx, ia_buf *b, const uint16_t *v, size_t n)
{
    uint8_t *values, *lengths, *p;
    size_t runs = 0, start = b->len;

    for (size_t i = 0, k; i < n; i += k, runs++) {
        for (k = 1; i + k < n && k < MAX_RUN && v[i + k] == v[i]; k++)
            continue;
    }
    p = ia_buf_extend(cx, b, 8 + runs * 3);
    if (!p)
        return;
    ia_put_le64(p, runs * 2);
    values = b->data + start + 8;
    lengths = values + runs * 2;
    for (size_t i = 0, k; i < n; i += k, values += 2) {
        for (k = 1; i + k < n && k < MAX_RUN && v[i + k] == v[i]; k++)
            continue;
        ia_put_le16(values, v[i]);
        *lengths++ = (uint8_t)k;
    }
}

/* Full blocks, then the rest raw when that is not longer than a padded block. */
static void put_packed(ia_ctx *cx, ia_buf *b, unsigned w, const uint16_t *v, size_t n)
{
    uint16_t pad[IA_PACK_BLOCK];
    uint8_t *p;

    for (; n >= IA_PACK_BLOCK; n -= IA_PACK_BLOCK, v += IA_PACK_BLOCK) {
        p = ia_buf_extend(cx, b, 128 * (size_t)w);
        if (p)
            ia_pack16(v, w, p);
    }
    if (n <= 64 * (size_t)w) {
        if (n)
            ia_buf_put(cx, b, v, n * 2);
        return;
    }
    memset(pad, 0, sizeof pad);
    memcpy(pad, v, n * 2);
    p = ia_buf_extend(cx, b, 128 * (size_t)w);
    if (p)
        ia_pack16(pad, w, p);
}

void ia_levels_put(ia_ctx *cx, ia_buf *b, ia_level_codec c, const uint16_t *v, size_t n)
{
    if (c.kind == IA_LEVELS_RLE)
        put_runs(cx, b, v, n);
    else if (c.kind == IA_LEVELS_PACKED)
        put_packed(cx, b, c.w, v, n);
    else if (n)
        ia_buf_put(cx, b, v, n * 2);
}

void ia_levels_describe(ia_ctx *cx, ia_buf *b, uint32_t member, ia_level_codec c)
{
    size_t ce, in;

    if (!c.present)
        return;
    if (c.kind == IA_LEVELS_FLAT) {
        ia_put_flat(cx, b, member, 16);
        return;
    }
    ce = ia_wire_begin(cx, b, member);
    if (c.kind == IA_LEVELS_RLE) {
        in = ia_wire_begin(cx, b, IA_ENC_RLE);
        ia_put_flat(cx, b, 1, 16);
        ia_put_flat(cx, b, 2, 8);
    } else {
        in = ia_wire_begin(cx, b, IA_ENC_OOL_BITPACK);
        ia_wire_put_u64(cx, b, 1, 16);
        ia_put_flat(cx, b, 3, c.w);
    }
    ia_wire_end(cx, b, in);
    ia_wire_end(cx, b, ce);
}
