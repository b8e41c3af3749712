/* write_codec.c - picks how the values of a mini-block page are stored, and says so. */
#include "file/encodings/bitpack.h"
#include "file/write_enc.h"

enum {
    MAX_VALUES = 4096,
    TARGET_VAR = 4096,
    TARGET_FIXED = 8186,
    MAX_TARGET = 24576, /* a chunk with its levels stays below 32 KiB */
    SAMPLES = 8
};

/* ---- chunks --------------------------------------------------------------------------------- */

/* The largest power of two of values below the target. */
static size_t fixed_chunk(const ia_phys *p, size_t target)
{
    size_t n = MAX_VALUES;
    uint64_t bits = p->value_bits;

    for (size_t k = 0; k < p->n_dims; k++) /* room for the items' validity */
        bits += p->items;
    while (n > 2 && n * bits / 8 >= target)
        n /= 2;
    return n;
}

static void set_chunks(ia_wcodec *c, const ia_hints *h, const ia_phys *p)
{
    size_t asked = h->chunk_bytes;

    if (asked > MAX_TARGET)
        asked = MAX_TARGET;
    c->chunk_bytes = asked ? asked : p->kind == IA_PHYS_VAR ? TARGET_VAR : TARGET_FIXED;
    if (p->kind == IA_PHYS_VAR)
        return;
    c->per_chunk = c->kind == IA_CODEC_PACKED
                       ? (size_t)IA_PACK_BLOCK
                       : fixed_chunk(p, asked ? asked + 1 : (size_t)TARGET_FIXED);
}

/* ---- general compression -------------------------------------------------------------------- */

/* Size of the first buffers when some chunks are tried. */
static ia_status measure(ia_ctx *cx, const ia_vals *v, const ia_wcodec *c, uint64_t *size)
{
    ia_wputter p = {.c = c, .v = v, .run_at = UINT64_MAX};
    ia_buf out = {0};
    uint64_t seen = 0, step = v->n / SAMPLES;
    ia_status st = IA_OK;

    for (uint64_t k = 0; k < SAMPLES && k * step < v->n; k++) {
        size_t n = ia_wputter_count(cx, &p, k * step);

        IA_GO(ia_wputter_put(cx, &p, 0, k * step, n, &out));
        seen += n;
        if (!step)
            break;
    }
    *size = (uint64_t)((double)out.len * ((double)v->n / (double)(seen ? seen : 1)));
done:
    ia_wputter_dispose(&p);
    ia_buf_dispose(&out);
    return st;
}

static ia_status try_general(ia_ctx *cx, const ia_hints *h, const ia_vals *v, bool bss, bool wanted,
                             ia_wcodec *best)
{
    ia_wcodec c = {.kind = v->phys.kind == IA_PHYS_VAR ? IA_CODEC_VAR : IA_CODEC_FLAT,
                   .bss = bss,
                   .fsst = best->fsst,
                   .level = h->level};

    c.scheme = h->compression == IA_HINT_LZ4    ? IA_SCHEME_LZ4
               : h->compression == IA_HINT_ZSTD ? IA_SCHEME_ZSTD
                                                : 0;
    set_chunks(&c, h, &v->phys);
    if (!c.scheme && !bss)
        return IA_OK;
    IA_TRY(measure(cx, v, &c, &c.size));
    if (wanted || c.size < best->size - best->size / 64)
        *best = c;
    return IA_OK;
}

static bool splits(const ia_wleaf *l, const ia_vals *v)
{
    return ia_phys_is_word(&v->phys) && !ia_wleaf_is_packed(l) && v->phys.width >= 4;
}

static ia_status general(ia_ctx *cx, const ia_wleaf *l, const ia_vals *v, ia_wcodec *best)
{
    const ia_hints *h = &l->hints;
    bool lz = h->compression == IA_HINT_LZ4 || h->compression == IA_HINT_ZSTD;
    bool split = splits(l, v), wanted = split && h->encoding == IA_HINT_BSS;

    for (size_t k = 0; k < v->phys.n_dims; k++) {
        if (ia_vals_has_inner_nulls(v, k)) /* the first buffer is a bitmap */
            return IA_OK;
    }
    if (lz && !wanted)
        IA_TRY(try_general(cx, h, v, false, false, best));
    if (wanted || (split && lz && h->bss != IA_HINT_BSS_OFF))
        IA_TRY(try_general(cx, h, v, true, wanted || (best->scheme && h->bss == IA_HINT_BSS_ON),
                           best));
    return IA_OK;
}

/* ---- choice --------------------------------------------------------------------------------- */

static void pick_words(const ia_hints *h, const ia_vals *v, ia_wcodec *out)
{
    ia_wstats s;
    double limit = h->rle_threshold > 0 ? h->rle_threshold * (double)v->n : (double)v->n;

    if (h->encoding == IA_HINT_FLAT || h->compression == IA_HINT_NONE)
        return;
    ia_wstats_of(v, &s);
    if (h->encoding == IA_HINT_BITPACK || (h->encoding != IA_HINT_RLE && s.packed < out->size)) {
        out->kind = IA_CODEC_PACKED;
        out->size = s.packed;
    }
    if (h->encoding == IA_HINT_RLE || (h->encoding != IA_HINT_BITPACK && s.rle < out->size &&
                                       s.runs && (double)s.runs <= limit)) {
        out->kind = IA_CODEC_RLE;
        out->size = s.rle;
    }
}

ia_status ia_wcodec_pick(ia_ctx *cx, const ia_wleaf *l, const ia_vals *v, const uint8_t *fsst,
                         ia_wcodec *out)
{
    const ia_hints *h = &l->hints;
    bool var = v->phys.kind == IA_PHYS_VAR, parts = ia_wleaf_is_packed(l);

    memset(out, 0, sizeof *out);
    out->kind = var ? IA_CODEC_VAR : IA_CODEC_FLAT;
    out->fsst = fsst;
    out->size = var ? v->data.len + v->offs.len : (v->n * v->phys.value_bits + 7) / 8;
    if (ia_phys_is_word(&v->phys) && !parts)
        pick_words(h, v, out);
    set_chunks(out, h, &v->phys);
    if (h->encoding == IA_HINT_FLAT || h->encoding == IA_HINT_BITPACK || h->encoding == IA_HINT_RLE)
        return IA_OK;
    return general(cx, l, v, out);
}

/* ---- description ---------------------------------------------------------------------------- */

size_t ia_wcodec_buffers(const ia_wcodec *c, const ia_vals *v)
{
    size_t n = c->kind == IA_CODEC_RLE ? 2 : 1;

    for (size_t k = 0; k < v->phys.n_dims; k++)
        n += ia_vals_has_inner_nulls(v, k);
    return n;
}

void ia_put_variable(ia_ctx *cx, ia_buf *b, uint32_t member, uint32_t bits, const uint8_t *fsst)
{
    size_t ce = ia_wire_begin(cx, b, member), in;

    if (fsst) {
        in = ia_wire_begin(cx, b, IA_ENC_FSST);
        ia_wire_add_bytes(cx, b, 1, fsst, IA_FSST_TABLE_BYTES);
        ia_put_variable(cx, b, 2, bits, NULL);
    } else {
        in = ia_wire_begin(cx, b, IA_ENC_VARIABLE);
        ia_put_flat(cx, b, 1, bits);
    }
    ia_wire_end(cx, b, in);
    ia_wire_end(cx, b, ce);
}

void ia_begin_general(ia_ctx *cx, ia_buf *b, uint32_t member, uint32_t scheme, size_t marks[2])
{
    size_t compression;

    marks[0] = ia_wire_begin(cx, b, member);
    marks[1] = ia_wire_begin(cx, b, IA_ENC_GENERAL);
    compression = ia_wire_begin(cx, b, 1);
    ia_wire_put_u64(cx, b, 1, scheme);
    ia_wire_end(cx, b, compression);
}

static void describe_parts(ia_ctx *cx, ia_buf *b, uint32_t member, const ia_wleaf *l)
{
    size_t ce = ia_wire_begin(cx, b, member), in = ia_wire_begin(cx, b, IA_ENC_PACKED_STRUCT), list;

    list = ia_wire_begin(cx, b, 1);
    for (size_t i = 0; i < l->n_parts; i++)
        ia_wire_raw_varint(cx, b, l->parts[i].bits);
    for (size_t i = 0; i < 2 && l->kind == IA_WKIND_BLOB; i++)
        ia_wire_raw_varint(cx, b, 64);
    ia_wire_end(cx, b, list);
    ia_put_flat(cx, b, 2, (uint32_t)l->phys.value_bits);
    ia_wire_end(cx, b, in);
    ia_wire_end(cx, b, ce);
}

static void describe_plain(ia_ctx *cx, ia_buf *b, uint32_t member, const ia_wleaf *l,
                           const ia_vals *v, const ia_wcodec *c)
{
    size_t ce, in;

    if (c->kind == IA_CODEC_VAR) {
        ia_put_variable(cx, b, member, v->phys.bits, c->fsst);
    } else if (c->kind == IA_CODEC_FLAT && !c->bss) {
        if (ia_wleaf_is_packed(l))
            describe_parts(cx, b, member, l);
        else
            ia_put_value_enc(cx, b, member, v);
    } else {
        ce = ia_wire_begin(cx, b, member);
        in = ia_wire_begin(cx, b,
                           c->kind == IA_CODEC_PACKED ? IA_ENC_INLINE_BITPACK
                           : c->kind == IA_CODEC_RLE  ? IA_ENC_RLE
                                                      : IA_ENC_BSS);
        if (c->kind == IA_CODEC_PACKED)
            ia_wire_put_u64(cx, b, 1, v->phys.bits);
        else
            ia_put_flat(cx, b, 1, v->phys.bits);
        if (c->kind == IA_CODEC_RLE)
            ia_put_flat(cx, b, 2, 8);
        ia_wire_end(cx, b, in);
        ia_wire_end(cx, b, ce);
    }
}

void ia_wcodec_describe(ia_ctx *cx, ia_buf *b, uint32_t member, const ia_wleaf *l, const ia_vals *v,
                        const ia_wcodec *c)
{
    size_t marks[2];

    if (!c->scheme) {
        describe_plain(cx, b, member, l, v, c);
        return;
    }
    ia_begin_general(cx, b, member, c->scheme, marks);
    describe_plain(cx, b, 3, l, v, c);
    ia_wire_end(cx, b, marks[1]);
    ia_wire_end(cx, b, marks[0]);
}
