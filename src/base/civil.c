/* civil.c - proleptic Gregorian dates and times of day, read and written as text. */
#include "base/ids.h"

#include <inttypes.h>
#include <stdio.h>

#define DAYS_400Y 146097
#define DAYS_1970 719162 /* from 0001-01-01 to 1970-01-01 */
#define MS_PER_DAY 86400000

/* Days before the first of each month in a common year. */
static const uint16_t month_start[13] = {0,   31,  59,  90,  120, 151, 181,
                                         212, 243, 273, 304, 334, 365};

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static bool is_leap(int64_t y)
{
    return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
}

int64_t ia_days_from_civil(int64_t y, unsigned m, unsigned d)
{
    const int64_t era = floor_div(y - 1, 400);
    const int64_t past = y - 1 - era * 400; /* whole years since the era began, 0..399 */
    int64_t days = past * 365 + past / 4 - past / 100 + month_start[m - 1] + (int64_t)d - 1;
    if (m > 2 && is_leap(y))
        days++;
    return era * DAYS_400Y + days - DAYS_1970;
}

void ia_civil_from_days(int64_t days, int64_t *y, unsigned *m, unsigned *d)
{
    days += DAYS_1970;
    const int64_t era = floor_div(days, DAYS_400Y);
    int64_t left = days - era * DAYS_400Y;
    /* the last day of each 400, and of each 4 years, would start a period too many */
    const int64_t centuries = left / 36524 < 4 ? left / 36524 : 3;
    left -= centuries * 36524;
    const int64_t fours = left / 1461;
    left -= fours * 1461;
    const int64_t ones = left / 365 < 4 ? left / 365 : 3;
    left -= ones * 365;
    const int64_t year = era * 400 + centuries * 100 + fours * 4 + ones + 1;
    const bool leap = is_leap(year);
    unsigned month = 1;
    while (left >= month_start[month] + (leap && month >= 2))
        month++;
    *y = year;
    *m = month;
    *d = (unsigned)(left - month_start[month - 1] - (leap && month > 2)) + 1;
}

/* Reads exactly `width` digits at *at. */
static bool digits(const char *s, size_t n, size_t *at, size_t width, unsigned *out)
{
    unsigned v = 0;
    if (n - *at < width)
        return false;
    for (size_t i = 0; i < width; i++) {
        const char c = s[*at + i];
        if (c < '0' || c > '9')
            return false;
        v = v * 10 + (unsigned)(c - '0');
    }
    *at += width;
    *out = v;
    return true;
}

static bool literal(const char *s, size_t n, size_t *at, char c)
{
    if (*at >= n || s[*at] != c)
        return false;
    ++*at;
    return true;
}

/* Four digits, or a sign and four to nine digits (years outside 0..9999). */
static bool year(const char *s, size_t n, size_t *at, int64_t *out)
{
    const bool minus = literal(s, n, at, '-');
    const bool sign = minus || literal(s, n, at, '+');
    size_t width = 0;
    unsigned v;

    while (*at + width < n && s[*at + width] >= '0' && s[*at + width] <= '9')
        width++;
    if (width < 4 || width > (sign ? 9u : 4u) || !digits(s, n, at, width, &v))
        return false;
    *out = minus ? -(int64_t)v : (int64_t)v;
    return true;
}

static bool date(const char *s, size_t n, size_t *at, int64_t *days)
{
    int64_t y;
    unsigned m, d;

    if (!year(s, n, at, &y) || !literal(s, n, at, '-') || !digits(s, n, at, 2, &m) ||
        !literal(s, n, at, '-') || !digits(s, n, at, 2, &d))
        return false;
    if (m < 1 || m > 12 || d < 1)
        return false;
    const unsigned longest =
        (unsigned)(month_start[m] - month_start[m - 1]) + (m == 2 && is_leap(y));
    if (d > longest)
        return false;
    *days = ia_days_from_civil(y, m, d);
    return true;
}

bool ia_date_parse(const char *s, size_t n, int32_t *days)
{
    size_t at = 0;
    int64_t v;

    if (!date(s, n, &at, &v) || at != n || v < INT32_MIN || v > INT32_MAX)
        return false;
    *days = (int32_t)v;
    return true;
}

/* HH:MM[:SS[.fraction]]; digits of the fraction beyond milliseconds are dropped. */
static bool time_of_day(const char *s, size_t n, size_t *at, int64_t *ms)
{
    unsigned h, m, sec = 0, milli = 0;

    if (!digits(s, n, at, 2, &h) || !literal(s, n, at, ':') || !digits(s, n, at, 2, &m))
        return false;
    if (literal(s, n, at, ':')) {
        if (!digits(s, n, at, 2, &sec))
            return false;
        if (literal(s, n, at, '.')) {
            unsigned scale = 100, d;
            if (!digits(s, n, at, 1, &d))
                return false;
            do {
                milli += d * scale;
                scale /= 10;
            } while (digits(s, n, at, 1, &d));
        }
    }
    if (h > 23 || m > 59 || sec > 59)
        return false;
    *ms = ((int64_t)h * 3600 + m * 60 + sec) * 1000 + milli;
    return true;
}

/* Z, +HH, +HHMM or +HH:MM; nothing means UTC. */
static bool offset(const char *s, size_t n, size_t *at, int64_t *ms)
{
    unsigned h, m = 0;

    *ms = 0;
    if (*at == n || literal(s, n, at, 'Z') || literal(s, n, at, 'z'))
        return true;
    const bool minus = literal(s, n, at, '-');
    if (!minus && !literal(s, n, at, '+'))
        return false;
    if (!digits(s, n, at, 2, &h))
        return false;
    if (*at < n) {
        (void)literal(s, n, at, ':');
        if (!digits(s, n, at, 2, &m))
            return false;
    }
    if (h > 23 || m > 59)
        return false;
    *ms = ((int64_t)h * 60 + m) * (minus ? -60000 : 60000);
    return true;
}

bool ia_datetime_parse(const char *s, size_t n, int64_t *ms)
{
    size_t at = 0;
    int64_t days, day_ms = 0, away = 0, v;

    if (!date(s, n, &at, &days))
        return false;
    if (at < n) {
        if (s[at] != 'T' && s[at] != 't' && s[at] != ' ')
            return false;
        at++;
        if (!time_of_day(s, n, &at, &day_ms) || !offset(s, n, &at, &away))
            return false;
    }
    /* towards zero first: the day that INT64_MIN falls into begins before it */
    const int64_t whole = days < 0 ? days + 1 : days;
    const int64_t rest = day_ms - away - (days < 0 ? MS_PER_DAY : 0);
    if (at != n || __builtin_mul_overflow(whole, (int64_t)MS_PER_DAY, &v) ||
        __builtin_add_overflow(v, rest, &v))
        return false;
    *ms = v;
    return true;
}

static int put_date(int64_t days, char *out, size_t size)
{
    int64_t y;
    unsigned m, d;

    ia_civil_from_days(days, &y, &m, &d);
    if (y >= 0 && y <= 9999)
        return snprintf(out, size, "%04" PRId64 "-%02u-%02u", y, m, d);
    return snprintf(out, size, "%+05" PRId64 "-%02u-%02u", y, m, d);
}

void ia_date_format(int32_t days, char out[16])
{
    put_date(days, out, 16);
}

void ia_datetime_format(int64_t ms, char out[32])
{
    const int64_t days = floor_div(ms, MS_PER_DAY);
    const unsigned left = (unsigned)(ms - days * MS_PER_DAY);
    const int n = put_date(days, out, 32);

    snprintf(out + n, 32 - (size_t)n, "T%02u:%02u:%02u.%03uZ", left / 3600000, left / 60000 % 60,
             left / 1000 % 60, left % 1000);
}
