/* write_stats.c - one pass over the integers of a page: what packing and runs would cost. */
#include "file/encodings/bitpack.h"
#include "file/write_enc.h"

enum { SAMPLES = 8, MAX_RUN = 255, RLE_CHUNK = 4096 };

bool ia_phys_is_word(const ia_phys *p)
{
    return p->kind == IA_PHYS_FIXED && !p->n_dims &&
           (p->bits == 8 || p->bits == 16 || p->bits == 32 || p->bits == 64);
}

/* Values that differ from their predecessor, the first one not counted. */
#define DEFINE_CHANGES(NAME, T)                                                                    \
    static uint64_t NAME(const uint8_t *base, uint64_t from, uint64_t n)                           \
    {                                                                                              \
        const T *v = (const T *)(const void *)base + from;                                         \
        T count = 0;                                                                               \
        uint64_t all = 0;                                                                          \
        for (uint64_t i = 1; i < n;) {                                                             \
            uint64_t end = n - i > 255 ? i + 255 : n;                                              \
            count = 0;                                                                             \
            for (; i < end; i++)                                                                   \
                count = (T)(count + (T)(v[i] != v[i - 1]));                                        \
            all += count;                                                                          \
        }                                                                                          \
        return all;                                                                                \
    }
DEFINE_CHANGES(changes8, uint8_t)
DEFINE_CHANGES(changes16, uint16_t)
DEFINE_CHANGES(changes32, uint32_t)
DEFINE_CHANGES(changes64, uint64_t)

static uint64_t changes(const ia_vals *v, uint64_t from, uint64_t n)
{
    const uint8_t *base = ia_vals_base(v);

    switch (v->phys.bits) {
    case 8:
        return changes8(base, from, n);
    case 16:
        return changes16(base, from, n);
    case 32:
        return changes32(base, from, n);
    default:
        return changes64(base, from, n);
    }
}

static bool runs_are_rare(const ia_vals *v)
{
    uint64_t step = v->n / SAMPLES, seen = 0;

    if (step < IA_PACK_BLOCK)
        return false;
    for (uint64_t k = 0; k < SAMPLES; k++)
        seen += changes(v, k * step, IA_PACK_BLOCK);
    return seen > (uint64_t)SAMPLES * IA_PACK_BLOCK / 8 * 7;
}

void ia_wstats_of(const ia_vals *v, ia_wstats *out)
{
    const uint8_t *base = ia_vals_base(v);
    uint64_t width = v->phys.width;

    memset(out, 0, sizeof *out);
    out->raw = v->n * width;
    for (uint64_t i = 0; i < v->n; i += IA_PACK_BLOCK) {
        size_t n = v->n - i < IA_PACK_BLOCK ? (size_t)(v->n - i) : IA_PACK_BLOCK;

        out->packed += width + 128 * (uint64_t)ia_pack_width(v->phys.bits, base + i * width, n);
    }
    out->rle = UINT64_MAX;
    if (!v->n || runs_are_rare(v))
        return;
    out->runs = changes(v, 0, v->n) + 1;
    out->rle = (out->runs + v->n / MAX_RUN + v->n / RLE_CHUNK) * (width + 1);
}
