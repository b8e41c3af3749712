/* fsst_kernel.c - the inner loop of FSST: codes into text. */
#include "file/encodings/kernels/fsst_kernel.h"

#include <stdbool.h>
#include <string.h>

/* Whether one of the eight bytes is the escape. */
static inline bool has_escape(uint64_t w)
{
    const uint64_t x = ~w;

    return ((x - UINT64_C(0x0101010101010101)) & ~x & UINT64_C(0x8080808080808080)) != 0;
}

int64_t ia_fsst_run(const uint64_t *symbol, const uint8_t *length, const uint8_t *codes, size_t n,
                    uint32_t *place, uint8_t *out)
{
    uint8_t *o = out;
    size_t i = 0;
    unsigned bad = 0;

    while (i < n) {
        uint64_t w;

        for (; n - i >= 8; i += 8) {
            memcpy(&w, codes + i, 8);
            if (has_escape(w))
                break;
            for (unsigned k = 0; k < 8; k++) {
                const unsigned c = codes[i + k];

                place[i + k] = (uint32_t)(o - out);
                memcpy(o, &symbol[c], 8);
                o += length[c];
                bad |= !length[c];
            }
        }
        for (size_t end = n - i >= 8 ? i + 8 : n; i < end; i++) {
            const unsigned c = codes[i];

            place[i] = (uint32_t)(o - out);
            if (c != IA_FSST_ESCAPE) {
                memcpy(o, &symbol[c], 8);
                o += length[c];
                bad |= !length[c];
            } else if (i + 1 < n) {
                *o++ = codes[++i];
                place[i] = IA_FSST_BAD;
            } else {
                return -1;
            }
        }
    }
    place[n] = (uint32_t)(o - out);
    return bad ? -1 : o - out;
}
