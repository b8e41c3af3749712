/* kernels.h - inner loops in several variants, and the picker of the one for this processor. */
#ifndef IA_FILE_ENCODINGS_KERNELS_KERNELS_H
#define IA_FILE_ENCODINGS_KERNELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* One set of inner loops. The scalar set defines what every set does. Inputs may be unaligned to
 * vectors, of any length; nothing is read or written beyond what is said. */
typedef struct ia_kernels {
    const char *name;
    /* FastLanes block of 1024 values in 128 * w bytes, 0 <= w <= T (file format 4.5). */
    void (*unpack16)(const uint8_t *packed, unsigned w, uint16_t *out);
    void (*unpack32)(const uint8_t *packed, unsigned w, uint32_t *out);
    void (*unpack64)(const uint8_t *packed, unsigned w, uint64_t *out);
    uint16_t (*levels_max)(const uint16_t *level, size_t n);                 /* 0 for none */
    size_t (*levels_below)(const uint16_t *level, size_t n, unsigned limit); /* how many */
    /* Bit i of out = level[i] < limit; (n + 7) / 8 bytes, the last one filled with 0. Returns how
     * many are 1. */
    size_t (*levels_bits)(const uint16_t *level, size_t n, unsigned limit, uint8_t *out);
    /* Lists that start among n entries: rep != 0 starts one, def < visible makes an item (def NULL
     * = all). offs[k] = items before list k, counted from *items on, which is moved on; lists[k] =
     * definition level of its first entry (NULL = not wanted). Both have room for n. */
    size_t (*list_starts)(const uint16_t *rep, const uint16_t *def, size_t n, unsigned visible,
                          uint32_t *items, uint32_t *offs, uint16_t *lists);
    /* dst[i] = src[i] + delta. */
    void (*shift32)(uint32_t *dst, const uint8_t *src, size_t n, uint32_t delta);
} ia_kernels;

extern const ia_kernels ia_kernels_scalar;
#if defined(__x86_64__)
extern const ia_kernels ia_kernels_avx2; /* only on a processor that has it */
#endif
#if defined(__aarch64__)
extern const ia_kernels ia_kernels_neon;
#endif

const ia_kernels *ia_kernels_pick(void);

#endif
