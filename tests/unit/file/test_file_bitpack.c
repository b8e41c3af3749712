/* test_file_bitpack.c - packing of blocks: the order of the format, every width, round trips. */
#include "../base/test_env.h"

#include "file/encodings/bitpack.h"

static uint64_t state_of = 88172645463325252u;

static uint64_t rnd(void)
{
    state_of ^= state_of << 13;
    state_of ^= state_of >> 7;
    state_of ^= state_of << 17;
    return state_of;
}

/* The rule of file format 4.5, one bit at a time. */
static void slow_unpack(unsigned bits, const uint8_t *packed, unsigned w, uint64_t *out)
{
    static const unsigned order[] = {0, 4, 2, 6, 1, 5, 3, 7};
    unsigned lanes = 1024 / bits;

    for (unsigned lane = 0; lane < lanes; lane++) {
        for (unsigned row = 0; row < bits; row++) {
            uint64_t v = 0;

            for (unsigned b = 0; b < w; b++) {
                unsigned at = row * w + b, word = at / bits * lanes + lane,
                         bit = word * bits + at % bits;

                v |= (uint64_t)(packed[bit / 8] >> (bit % 8) & 1) << b;
            }
            out[order[row / 8] * 16 + row % 8 * 128 + lane] = v;
        }
    }
}

static void check(unsigned bits, unsigned w)
{
    static uint64_t plain[1024], want[1024];
    static uint8_t in[8192], out[8192], packed[8192 + 1];
    size_t word = bits / 8;

    for (size_t i = 0; i < 1024; i++) {
        plain[i] = w == 64 ? rnd() : rnd() & ((UINT64_C(1) << w) - 1);
        memcpy(in + i * word, &plain[i], word);
    }
    ia_pack(bits, in, w, packed + 1); /* unaligned on purpose */
    slow_unpack(bits, packed + 1, w, want);
    assert_memory_equal(want, plain, sizeof plain);
    memset(out, 0xAA, sizeof out);
    ia_unpack(bits, packed + 1, w, out);
    assert_memory_equal(out, in, 1024 * word);
    for (unsigned i = 0; i < 1024; i++)
        assert_true(ia_unpack_one(bits, packed + 1, w, i) == plain[i]);
    assert_true(ia_pack_width(bits, in, 1024) <= w);
}

static void every_width_of_every_type_follows_the_format(void **state)
{
    (void)state;
    for (unsigned bits = 8; bits <= 64; bits *= 2) {
        for (unsigned w = 0; w <= bits; w++)
            check(bits, w);
    }
}

static void worked_examples_have_their_bytes(void **state)
{
    static uint32_t counting[1024];
    static uint16_t levels[1024];
    static uint8_t small[1024], packed[8192];

    (void)state;
    for (unsigned i = 0; i < 1024; i++) {
        counting[i] = i;
        small[i] = (uint8_t)(i % 8);
    }
    ia_pack32(counting, 10, packed);
    assert_memory_equal(packed, ((uint8_t[]){0x00, 0x00, 0x02, 0x10, 0x01, 0x04, 0x12, 0x50}), 8);
    ia_pack8(small, 3, packed);
    assert_memory_equal(packed, ((uint8_t[]){0x00, 0x49, 0x92}), 3);
    levels[64] = 1;
    ia_pack16(levels, 1, packed);
    assert_int_equal(packed[1], 1);
    levels[64] = 0;
    levels[128] = 1;
    ia_pack16(levels, 1, packed);
    assert_int_equal(packed[0], 2);
    levels[128] = 0;
    levels[1023] = 1;
    ia_pack16(levels, 1, packed);
    assert_int_equal(packed[127], 0x80);
}

static void width_is_that_of_the_largest_value(void **state)
{
    static uint64_t v[4];

    (void)state;
    assert_int_equal(ia_pack_width(64, v, 4), 0);
    v[2] = 1;
    assert_int_equal(ia_pack_width(64, v, 4), 1);
    v[3] = UINT64_MAX;
    assert_int_equal(ia_pack_width(64, v, 4), 64);
    assert_int_equal(ia_pack_width(64, v, 3), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_width_of_every_type_follows_the_format),
        cmocka_unit_test(worked_examples_have_their_bytes),
        cmocka_unit_test(width_is_that_of_the_largest_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
