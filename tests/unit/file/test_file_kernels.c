/* test_file_kernels.c - every variant of the inner loops against the scalar one. */
#include "../base/test_env.h"

#include <stdlib.h>

#include "base/cpu.h"
#include "file/encodings/bitpack.h"
#include "file/encodings/kernels/fsst_kernel.h"
#include "file/encodings/kernels/kernels.h"

static uint64_t state_of = 88172645463325252u;

static uint64_t rnd(void)
{
    state_of ^= state_of << 13;
    state_of ^= state_of >> 7;
    state_of ^= state_of << 17;
    return state_of;
}

/* The sets that this processor can run. */
static size_t variants(const ia_kernels **out)
{
    size_t n = 0;

    out[n++] = &ia_kernels_scalar;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi"))
        out[n++] = &ia_kernels_avx2;
#endif
#if defined(__aarch64__)
    out[n++] = &ia_kernels_neon;
#endif
    return n;
}

static void unpack_width(const ia_kernels *k, unsigned bits, unsigned w)
{
    static uint8_t packed[8192 + 3], want[8192];
    uint8_t *got = malloc(8192); /* exact, for the sanitizer */

    assert_non_null(got);
    for (size_t i = 0; i < sizeof packed; i++)
        packed[i] = (uint8_t)rnd();
    ia_unpack(bits, packed + 3, w, want);
    if (bits == 16)
        k->unpack16(packed + 3, w, (uint16_t *)(void *)got);
    else if (bits == 32)
        k->unpack32(packed + 3, w, (uint32_t *)(void *)got);
    else
        k->unpack64(packed + 3, w, (uint64_t *)(void *)got);
    assert_memory_equal(got, want, 1024 * bits / 8);
    free(got);
}

static void every_variant_unpacks_every_width(void **state)
{
    const ia_kernels *k[4];
    size_t n = variants(k);

    (void)state;
    for (size_t i = 0; i < n; i++) {
        for (unsigned bits = 16; bits <= 64; bits *= 2) {
            for (unsigned w = 0; w <= bits; w++)
                unpack_width(k[i], bits, w);
        }
    }
}

enum { MOST = 700 };

static void check_levels(const ia_kernels *k, const uint16_t *level, size_t n, unsigned limit)
{
    const ia_kernels *s = &ia_kernels_scalar;
    uint8_t want[MOST / 8 + 1] = {0}, *got = malloc((n + 7) / 8 + 1);

    assert_non_null(got);
    assert_int_equal(k->levels_max(level, n), s->levels_max(level, n));
    assert_int_equal(k->levels_below(level, n, limit), s->levels_below(level, n, limit));
    assert_int_equal(k->levels_bits(level, n, limit, got), s->levels_bits(level, n, limit, want));
    assert_memory_equal(got, want, (n + 7) / 8);
    assert_int_equal(s->levels_below(level, n, limit), s->levels_bits(level, n, limit, want));
    free(got);
}

static void check_lists(const ia_kernels *k, const uint16_t *rep, const uint16_t *def, size_t n,
                        unsigned visible)
{
    uint32_t a = 7, b = 7, want[MOST], *got = malloc((n + 1) * 4);
    uint16_t want_def[MOST], *got_def = malloc((n + 1) * 2);
    size_t found;

    assert_true(got && got_def);
    found = ia_kernels_scalar.list_starts(rep, def, n, visible, &a, want, want_def);
    assert_int_equal(k->list_starts(rep, def, n, visible, &b, got, got_def), found);
    assert_int_equal(a, b);
    assert_memory_equal(got, want, found * 4);
    assert_memory_equal(got_def, want_def, found * 2);
    b = 7;
    assert_int_equal(k->list_starts(rep, def, n, visible, &b, got, NULL), found);
    assert_memory_equal(got, want, found * 4);
    free(got);
    free(got_def);
}

static void every_variant_reads_levels_alike(void **state)
{
    static uint16_t rep[MOST + 1], def[MOST + 1];
    const ia_kernels *k[4];
    size_t n = variants(k);

    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        size_t len = round < 100 ? round : rnd() % MOST, at = round & 1;
        unsigned top = 1 + (unsigned)(rnd() % 4), limit = (unsigned)(rnd() % (top + 2));

        if (round % 16 == 15)
            limit = UINT32_MAX;
        for (size_t i = 0; i <= MOST; i++) {
            rep[i] = (uint16_t)(rnd() % 3 == 0);
            def[i] = (uint16_t)(round % 32 == 31 ? rnd() : rnd() % top);
        }
        for (size_t i = 0; i < n; i++) {
            check_levels(k[i], def + at, len, limit);
            check_lists(k[i], rep + at, def + at, len, limit);
            check_lists(k[i], rep + at, NULL, len, 1);
        }
    }
}

static void every_variant_shifts_offsets(void **state)
{
    static uint8_t src[MOST * 4 + 1];
    const ia_kernels *k[4];
    size_t n = variants(k);

    (void)state;
    for (size_t i = 0; i < sizeof src; i++)
        src[i] = (uint8_t)rnd();
    for (size_t len = 0; len < 70; len++) {
        for (size_t i = 0; i < n; i++) {
            uint32_t *got = malloc(len * 4 + 1);

            assert_non_null(got);
            k[i]->shift32(got, src + 1, len, 0x80000001u);
            for (size_t j = 0; j < len; j++) {
                uint32_t v;

                memcpy(&v, src + 1 + j * 4, 4);
                assert_int_equal(got[j], v + 0x80000001u);
            }
            free(got);
        }
    }
}

/* One code at a time. */
static int64_t slow_fsst(const uint64_t *symbol, const uint8_t *length, const uint8_t *codes,
                         size_t n, uint8_t *out)
{
    size_t at = 0;

    for (size_t i = 0; i < n; i++) {
        if (codes[i] == IA_FSST_ESCAPE) {
            if (++i == n)
                return -1;
            out[at++] = codes[i];
        } else {
            if (!length[codes[i]])
                return -1;
            memcpy(out + at, &symbol[codes[i]], length[codes[i]]);
            at += length[codes[i]];
        }
    }
    return (int64_t)at;
}

static void fsst_runs_are_what_single_codes_say(void **state)
{
    static uint64_t symbol[256];
    static uint8_t length[256], codes[300], want[2500];

    (void)state;
    for (unsigned i = 0; i < 256; i++) {
        symbol[i] = rnd();
        length[i] = (uint8_t)(i < 250 ? 1 + rnd() % 8 : 0);
    }
    for (unsigned round = 0; round < 3000; round++) {
        size_t n = rnd() % 300;
        uint8_t *got = malloc(n * 8 + IA_FSST_SLACK);
        uint32_t *place = malloc((n + 1) * 4);
        int64_t len;

        assert_true(got && place);
        for (size_t i = 0; i < n; i++)
            codes[i] = (uint8_t)(rnd() % (round % 4 == 0 ? 256u : 250u));
        if (n && round % 2)
            codes[rnd() % n] = IA_FSST_ESCAPE;
        len = slow_fsst(symbol, length, codes, n, want);
        assert_int_equal(ia_fsst_run(symbol, length, codes, n, place, got), len);
        if (len >= 0) {
            assert_memory_equal(got, want, (size_t)len);
            assert_int_equal(place[n], len);
        }
        for (size_t i = 0; len >= 0 && i < n; i++) {
            if (place[i] != IA_FSST_BAD)
                assert_int_equal(slow_fsst(symbol, length, codes, i, want), place[i]);
            else
                assert_int_equal(codes[i - 1], IA_FSST_ESCAPE);
        }
        free(got);
        free(place);
    }
}

static void the_environment_switches_vectors_off(void **state)
{
    (void)state;
    /* main() set INARCH_SIMD=off before anything asked */
    assert_false(ia_cpu_avx2());
    assert_false(ia_cpu_neon());
    assert_string_equal(ia_kernels_pick()->name, "scalar");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variant_unpacks_every_width),
        cmocka_unit_test(every_variant_reads_levels_alike),
        cmocka_unit_test(every_variant_shifts_offsets),
        cmocka_unit_test(fsst_runs_are_what_single_codes_say),
        cmocka_unit_test(the_environment_switches_vectors_off),
    };

    setenv("INARCH_SIMD", "off", 1);
    return cmocka_run_group_tests_name("kernels", tests, NULL, NULL);
}
