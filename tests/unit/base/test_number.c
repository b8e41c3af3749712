/* test_number.c - the shortest text of doubles and floats. */
#include "base/ids.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "test_env.h"

static void known_doubles_have_known_texts(void **state)
{
    static const struct {
        double v;
        const char *text;
    } cases[] = {
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {1.0, "1.0"},
        {-2.5, "-2.5"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3.0, "0.3333333333333333"},
        {100.0, "100.0"},
        {1e15, "1000000000000000.0"},
        {1e16, "1e+16"},
        {123456789012345680.0, "1.2345678901234568e+17"},
        {1e22, "1e+22"},
        {1e23, "1e+23"},
        {1e300, "1e+300"},
        {0.0001, "0.0001"},
        {0.00001, "1e-05"},
        {1.5e-10, "1.5e-10"},
        {5e-324, "5e-324"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {9007199254740993.0, "9007199254740992.0"},
        {5.684341886080802e-14, "5.684341886080802e-14"}, /* 2^-44: the interval is uneven */
        {9.5367431640625e-07, "9.5367431640625e-07"},
        {4503599627370495.5, "4503599627370495.5"},
        {NAN, "NaN"},
        {INFINITY, "Infinity"},
        {-INFINITY, "-Infinity"},
    };
    char text[32];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ia_double_format(cases[i].v, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void known_floats_have_known_texts(void **state)
{
    static const struct {
        float v;
        const char *text;
    } cases[] = {
        {0.1f, "0.1"},
        {-0.0f, "-0.0"},
        {16777216.0f, "16777216.0"},
        {3.14159f, "3.14159"},
        {1e-45f, "1e-45"},
        {FLT_MAX, "3.4028235e+38"},
        {1e10f, "10000000000.0"},
        {1.0f / 3.0f, "0.33333334"},
        {FLT_MIN, "1.1754944e-38"},
        {-INFINITY, "-Infinity"},
    };
    char text[32];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ia_float_format(cases[i].v, text);
        assert_string_equal(text, cases[i].text);
    }
}

/* Significant digits of a text. */
static int digits_of(const char *text)
{
    char digits[32];
    int n = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (n > 0 || *text != '0'))
            digits[n++] = *text;
    while (n > 1 && digits[n - 1] == '0')
        n--;
    return n;
}

static void random_doubles_read_back_and_no_shorter_text_does(void **state)
{
    uint64_t seed = 1234567;
    char text[32], shorter[40];
    (void)state;
    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = next_random(&seed);
        double v;
        memcpy(&v, &bits, 8);
        if (!isfinite(v))
            continue;
        if (i % 2)
            v = (double)(int64_t)(bits >> 40) / 1000.0; /* what people write */
        ia_double_format(v, text);
        assert_true(strtod(text, NULL) == v);
        const int n = digits_of(text);
        if (n > 1) {
            snprintf(shorter, sizeof shorter, "%.*e", n - 2, v);
            assert_true(strtod(shorter, NULL) != v);
        }
    }
}

static void powers_of_two_and_floats_read_back(void **state)
{
    uint64_t seed = 5;
    char text[32];
    (void)state;
    for (int e = -1074; e < 1024; e++) {
        ia_double_format(ldexp(1.0, e), text);
        assert_true(strtod(text, NULL) == ldexp(1.0, e));
    }
    for (int i = 0; i < 20000; i++) {
        const uint32_t bits = (uint32_t)next_random(&seed);
        float v;
        memcpy(&v, &bits, 4);
        if (!isfinite(v))
            continue;
        ia_float_format(v, text);
        assert_true(strtof(text, NULL) == v);
        assert_true(digits_of(text) <= 9);
    }
}

/* No text of fewer digits reads back, over the ranges that plain arithmetic covers and around them.
 */
static void floats_have_the_fewest_digits(void **state)
{
    uint64_t seed = 11;
    char text[32], shorter[48];
    (void)state;
    for (int i = 0; i < 40000; i++) {
        const uint32_t bits = (uint32_t)next_random(&seed);
        float v = (float)((double)(int32_t)bits / (i % 2 ? 1e6 : 1e3));
        if (i % 4 > 1) {
            const uint32_t spread = (bits & 0x807fffffu) | (uint32_t)(105 + next_random(&seed) % 80)
                                                               << 23;
            memcpy(&v, &spread, 4);
        }
        ia_float_format(v, text);
        assert_true(strtof(text, NULL) == v);
        const int n = digits_of(text);
        if (n < 2 || strchr(text, 'e') || v == truncf(v))
            continue;
        snprintf(shorter, sizeof shorter, "%.*e", n - 2, (double)v);
        const bool still = strtof(shorter, NULL) == v;
        int exp2;
        if (still && frexpf(fabsf(v), &exp2) != 0.5f && strtod(shorter, NULL) != strtod(text, NULL))
            fail_msg("%s where %s is enough", text, shorter);
    }
}

/* A locale with a decimal comma, made for the test: machines rarely have one. */
static void the_locale_does_not_matter(void **state)
{
    char home[] = "/tmp/inarch-locale-XXXXXX", command[200], text[32];
    double v = 0;

    (void)state;
    assert_non_null(mkdtemp(home));
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8", home);
    assert_int_equal(system(command), 0);
    setenv("LOCPATH", home, 1);
    assert_non_null(setlocale(LC_NUMERIC, "de_DE.UTF-8"));
    assert_string_equal(localeconv()->decimal_point, ",");
    ia_double_format(2.5e-7, text);
    const bool read = ia_double_parse("1.5", 3, &v);
    setlocale(LC_NUMERIC, "C");
    unsetenv("LOCPATH");
    snprintf(command, sizeof command, "rm -r %s", home);
    assert_int_equal(system(command), 0);
    assert_string_equal(text, "2.5e-07");
    assert_true(read && v == 1.5);
}

/* The bytes need not be followed by a 0. */
static void numbers_are_read_whole_or_not_at_all(void **state)
{
    static const char *const bad[] = {"",    " 1", "1 ",    "0x10", "inf",
                                      "nan", "1e", "1.2.3", "--1",  "1,5"};
    char *exact = malloc(3);
    double v = 0;

    (void)state;
    assert_non_null(exact);
    memcpy(exact, "1e3", 3);
    assert_true(ia_double_parse(exact, 3, &v) && v == 1000);
    assert_true(ia_double_parse(exact, 1, &v) && v == 1);
    free(exact);
    assert_true(ia_double_parse("-.5", 3, &v) && v == -0.5);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(ia_double_parse(bad[i], strlen(bad[i]), &v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_doubles_have_known_texts),
        cmocka_unit_test(known_floats_have_known_texts),
        cmocka_unit_test(random_doubles_read_back_and_no_shorter_text_does),
        cmocka_unit_test(powers_of_two_and_floats_read_back),
        cmocka_unit_test(floats_have_the_fewest_digits),
        cmocka_unit_test(the_locale_does_not_matter),
        cmocka_unit_test(numbers_are_read_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
