/* number.c - the shortest text of doubles and floats. */
#include "base/ids.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number_priv.h"

/* Decimal exponents from here up to the other are written without an exponent. */
#define POSITIONAL_MIN (-4)
#define POSITIONAL_MAX 15

static locale_t c_locale; /* set once */

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static locale_t plain_locale(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_c_locale);
    return c_locale;
}

double ia_text_to_double(const char *s, char **end)
{
    return strtod_l(s, end, plain_locale());
}

float ia_text_to_float(const char *s, char **end)
{
    return strtof_l(s, end, plain_locale());
}

/* d.ddd x 10^exp10, as digits without the point. */
typedef struct decimal {
    char digits[20];
    int n;
    int exp10;
    bool minus;
} decimal;

static decimal decimal_of(double v, int precision)
{
    decimal d = {.minus = signbit(v) != 0};
    char text[48];
    const char *p = text;

    snprintf(text, sizeof text, "%.*e", precision - 1, fabs(v));
    for (; *p != 'e'; p++)
        if (*p >= '0' && *p <= '9') /* the point is the locale's */
            d.digits[d.n++] = *p;
    d.exp10 = atoi(p + 1);
    while (d.n > 1 && d.digits[d.n - 1] == '0')
        d.n--;
    return d;
}

static void put_positional(const decimal *d, char *out)
{
    int at = 0;
    if (d->exp10 < 0) {
        *out++ = '0';
        *out++ = '.';
        for (int i = -1; i > d->exp10; i--)
            *out++ = '0';
        while (at < d->n)
            *out++ = d->digits[at++];
    } else {
        for (int i = 0; i <= d->exp10; i++)
            *out++ = at < d->n ? d->digits[at++] : '0';
        *out++ = '.';
        do
            *out++ = at < d->n ? d->digits[at++] : '0';
        while (at < d->n);
    }
    *out = 0;
}

static void put_decimal(const decimal *d, char out[32])
{
    char *at = out;
    if (d->minus)
        *at++ = '-';
    if (d->exp10 >= POSITIONAL_MIN && d->exp10 <= POSITIONAL_MAX) {
        put_positional(d, at);
        return;
    }
    *at++ = d->digits[0];
    if (d->n > 1) {
        *at++ = '.';
        memcpy(at, d->digits + 1, (size_t)d->n - 1);
        at += d->n - 1;
    }
    snprintf(at, 32 - (size_t)(at - out), "e%+03d", d->exp10);
}

static bool special(double v, char out[32])
{
    if (isfinite(v))
        return false;
    strcpy(out, isnan(v) ? "NaN" : v > 0 ? "Infinity" : "-Infinity");
    return true;
}

/* Whether the text reads back as v, which was a float when `narrow`. */
static bool reads_back(const char *text, double v, bool narrow)
{
    if (narrow)
        return ia_text_to_float(text, NULL) == (float)v;
    return ia_text_to_double(text, NULL) == v;
}

/* Adds one to the last digit; false when it would carry. */
static bool next_up(decimal *d)
{
    if (d->digits[d->n - 1] == '9')
        return false;
    d->digits[d->n - 1]++;
    return true;
}

/* Tries every precision from `least` on. The values next to a power of two are closer below it
 * than above, so there the nearest decimal may fail where the next one up reads back. */
static void shortest(double v, int least, int most, bool narrow, char out[32])
{
    int exp2;
    const bool uneven = frexp(fabs(v), &exp2) == 0.5;

    for (int precision = least; precision < most; precision++) {
        decimal d = decimal_of(v, precision);
        put_decimal(&d, out);
        if (reads_back(out, v, narrow))
            return;
        if (uneven && d.n == precision && next_up(&d)) {
            put_decimal(&d, out);
            if (reads_back(out, v, narrow))
                return;
        }
    }
    const decimal d = decimal_of(v, most);
    put_decimal(&d, out);
}

/* Exact powers of ten. */
static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static double scale(double v, int k)
{
    return k >= 0 ? v * powers[k] : v / powers[-k];
}

/* Whether a double's rounding to float could go the other way for a value half a unit off. */
static bool near_float_tie(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    bits &= (UINT64_C(1) << 29) - 1;
    return bits >= (UINT64_C(1) << 28) - 1 && bits <= (UINT64_C(1) << 28) + 1;
}

/* Doubles hold the decimals of a float with bits to spare, so that almost always plain arithmetic
 * finds what shortest() would; false when it could err. v is positive, from 1e-4 to below 1e15. */
static bool shortest_float(double v, bool minus, char out[32])
{
    decimal d = {.minus = minus};
    int exp2;

    while (v >= powers[d.exp10 + 1])
        d.exp10++;
    while (v < 1.0 && v * powers[-d.exp10] < 1.0)
        d.exp10--;
    if (frexp(v, &exp2) == 0.5)
        return false;
    for (int precision = FLT_DIG; precision <= FLT_DECIMAL_DIG; precision++) {
        const int k = precision - 1 - d.exp10;
        const double scaled = scale(v, k), whole = floor(scaled), rest = scaled - whole;
        const double digits = rest > 0.5 ? whole + 1 : whole;
        const double back = scale(digits, -k);
        if (fabs(rest - 0.5) < 1e-5 || near_float_tie(back) || digits >= powers[precision] ||
            digits < powers[precision - 1])
            return false;
        if ((float)back != (float)v)
            continue;
        uint64_t n = (uint64_t)digits;
        for (int i = precision - 1; i >= 0; i--, n /= 10)
            d.digits[i] = (char)('0' + n % 10);
        for (d.n = precision; d.n > 1 && d.digits[d.n - 1] == '0';)
            d.n--;
        put_decimal(&d, out);
        return true;
    }
    return false;
}

void ia_double_format(double v, char out[32])
{
    if (special(v, out))
        return;
    if (v == trunc(v) && fabs(v) < 1e15) {
        snprintf(out, 32, "%s%lld.0", signbit(v) ? "-" : "", (long long)fabs(v));
        return;
    }
    /* below the normal range fewer digits may do */
    shortest(v, fabs(v) < DBL_MIN ? 1 : DBL_DIG, DBL_DECIMAL_DIG, false, out);
}

void ia_float_format(float v, char out[32])
{
    if (special(v, out))
        return;
    if (v == truncf(v) && fabsf(v) < 1e6f) {
        snprintf(out, 32, "%s%lld.0", signbit(v) ? "-" : "", (long long)fabsf(v));
        return;
    }
    if (fabsf(v) >= 1e-4f && fabsf(v) < 1e15f &&
        shortest_float(fabs((double)v), signbit(v) != 0, out))
        return;
    shortest((double)v, fabsf(v) < FLT_MIN ? 1 : FLT_DIG, FLT_DECIMAL_DIG, true, out);
}

bool ia_double_parse(const char *s, size_t n, double *out)
{
    char text[808], *end;

    if (n == 0 || n > 800)
        return false;
    memcpy(text, s, n);
    text[n] = 0;
    if (strspn(text, "+-.0123456789eE") < n) /* no spaces, hex or names */
        return false;
    *out = ia_text_to_double(text, &end);
    return end == text + n;
}
