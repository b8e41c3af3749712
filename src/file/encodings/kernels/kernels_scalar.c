/* kernels_scalar.c - the inner loops in plain C: what the others must agree with. */
#include "file/encodings/kernels/kernels.h"
#include "file/encodings/kernels/unpack_body.h"

IA_DEFINE_UNPACK(unpack16, uint16_t, 16)
IA_DEFINE_UNPACK(unpack32, uint32_t, 32)
IA_DEFINE_UNPACK(unpack64, uint64_t, 64)

static size_t levels_below(const uint16_t *level, size_t n, unsigned limit)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += level[i] < limit;
    return count;
}

static size_t levels_bits(const uint16_t *level, size_t n, unsigned limit, uint8_t *out)
{
    size_t ones = 0;

    for (size_t i = 0; i < n; i += 8, out++) {
        const size_t m = n - i < 8 ? n - i : 8;
        unsigned byte = 0;

        for (size_t k = 0; k < m; k++) {
            const unsigned bit = level[i + k] < limit;

            byte |= bit << k;
            ones += bit;
        }
        *out = (uint8_t)byte;
    }
    return ones;
}

/* What is written beyond the lists found is overwritten by the next one. */
static size_t list_starts(const uint16_t *rep, const uint16_t *def, size_t n, unsigned visible,
                          uint32_t *items, uint32_t *offs, uint16_t *lists)
{
    size_t found = 0;
    uint32_t item = *items;

    for (size_t k = 0; k < n; k++) {
        const uint16_t d = def ? def[k] : 0;

        offs[found] = item;
        if (lists)
            lists[found] = d;
        found += rep[k] != 0;
        item += d < visible;
    }
    *items = item;
    return found;
}

const ia_kernels ia_kernels_scalar = {
    .name = "scalar",
    .unpack16 = unpack16,
    .unpack32 = unpack32,
    .unpack64 = unpack64,
    .levels_max = ia_levels_max_body,
    .levels_below = levels_below,
    .levels_bits = levels_bits,
    .list_starts = list_starts,
    .shift32 = ia_shift32_body,
};
