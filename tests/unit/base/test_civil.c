/* test_civil.c - dates and times of day. */
#include "base/ids.h"

#include <time.h>

#include "test_env.h"

static void every_day_of_900_years_agrees_with_the_c_library(void **state)
{
    (void)state;
    for (int64_t days = -200000; days < 130000; days += 1) {
        const time_t t = (time_t)(days * 86400);
        struct tm tm;
        int64_t y;
        unsigned m, d;
        gmtime_r(&t, &tm);
        ia_civil_from_days(days, &y, &m, &d);
        assert_int_equal(y, tm.tm_year + 1900);
        assert_int_equal(m, tm.tm_mon + 1);
        assert_int_equal(d, tm.tm_mday);
        assert_int_equal(ia_days_from_civil(y, m, d), days);
    }
}

static void days_far_away_round_trip(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (int i = 0; i < 100000; i++) {
        const int64_t days = (int64_t)(next_random(&seed) % 200000000000) - 100000000000;
        int64_t y;
        unsigned m, d;
        ia_civil_from_days(days, &y, &m, &d);
        assert_true(m >= 1 && m <= 12 && d >= 1 && d <= 31);
        assert_int_equal(ia_days_from_civil(y, m, d), days);
    }
}

static void dates_are_read_and_written(void **state)
{
    static const struct {
        const char *text;
        int32_t days;
    } cases[] = {
        {"1970-01-01", 0},
        {"1969-12-31", -1},
        {"2000-02-29", 11016},
        {"2024-02-29", 19782},
        {"0001-01-01", -719162},
        {"0000-01-01", -719528},
        {"9999-12-31", 2932896},
        {"+10000-01-01", 2932897},
        {"-0001-12-31", -719529},
        {"1600-02-29", -135081},
        {"+5881580-07-11", INT32_MAX},
        {"-5877641-06-23", INT32_MIN},
    };
    static const char *const bad[] = {
        "",           "2024",       "2024-1-01",  "2024-01-1",      "2023-02-29",     "1900-02-29",
        "2024-13-01", "2024-00-01", "2024-04-31", "2024-01-00",     "2024-01-01 ",    "02024-01-01",
        "2024/01/01", "20240101",   "a024-01-01", "+5881580-07-12", "-5877641-06-22", "+224-01-01",
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[16];
        int32_t days = 123;
        assert_true(ia_date_parse(cases[i].text, strlen(cases[i].text), &days));
        assert_int_equal(days, cases[i].days);
        ia_date_format(days, text);
        assert_string_equal(text, cases[i].text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int32_t days;
        assert_false(ia_date_parse(bad[i], strlen(bad[i]), &days));
    }
}

static void datetimes_are_read(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } cases[] = {
        {"1970-01-01", 0},
        {"1970-01-01T00:00:00Z", 0},
        {"1970-01-01T00:00", 0},
        {"1970-01-01 00:00:01", 1000},
        {"1970-01-01t00:00:00.5z", 500},
        {"1970-01-01T00:00:00.123456789Z", 123},
        {"1969-12-31T23:59:59.999Z", -1},
        {"1970-01-01T01:00:00+01:00", 0},
        {"1970-01-01T00:00:00-0130", 5400000},
        {"1969-12-31T22:00-02", 0},
        {"2024-02-29T12:34:56.789Z", 1709210096789},
        {"+292278994-08-17T07:12:55.807Z", INT64_MAX},
    };
    static const char *const bad[] = {
        "",
        "1970-01-01T",
        "1970-01-01T00",
        "1970-01-01T24:00:00Z",
        "1970-01-01T00:60:00Z",
        "1970-01-01T00:00:60Z",
        "1970-01-01T00:00:00.Z",
        "1970-01-01T00:00:00ZZ",
        "1970-01-01T00:00:00+",
        "1970-01-01T00:00:00+1",
        "1970-01-01T00:00:00+01:",
        "1970-01-01T00:00:00+24:00",
        "1970-01-01X00:00:00",
        "1970-01-01Z",
        "+292278994-08-17T07:12:55.808Z",
        "+999999999-01-01",
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t ms = 77;
        assert_true(ia_datetime_parse(cases[i].text, strlen(cases[i].text), &ms));
        assert_true(ms == cases[i].ms);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t ms;
        assert_false(ia_datetime_parse(bad[i], strlen(bad[i]), &ms));
    }
}

static void datetimes_round_trip(void **state)
{
    uint64_t seed = 11;
    char text[32];
    int64_t back;
    const int64_t edges[] = {0, -1, 1, INT64_MAX, INT64_MIN, -86400000, 86399999};
    (void)state;
    ia_datetime_format(1709210096789, text);
    assert_string_equal(text, "2024-02-29T12:34:56.789Z");
    ia_datetime_format(-1, text);
    assert_string_equal(text, "1969-12-31T23:59:59.999Z");
    for (int i = 0; i < 50000; i++) {
        const int64_t ms = i < 7 ? edges[i] : (int64_t)next_random(&seed) >> (i % 40);
        ia_datetime_format(ms, text);
        assert_true(ia_datetime_parse(text, strlen(text), &back));
        assert_true(back == ms);
    }
}

static void texts_need_no_closing_zero(void **state)
{
    const char text[] = {'1', '9', '7', '0', '-', '0', '1', '-', '0', '2'};
    int32_t days;
    int64_t ms;
    (void)state;
    assert_true(ia_date_parse(text, 10, &days));
    assert_int_equal(days, 1);
    assert_true(ia_datetime_parse(text, 10, &ms));
    assert_false(ia_date_parse(text, 9, &days));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_day_of_900_years_agrees_with_the_c_library),
        cmocka_unit_test(days_far_away_round_trip),
        cmocka_unit_test(dates_are_read_and_written),
        cmocka_unit_test(datetimes_are_read),
        cmocka_unit_test(datetimes_round_trip),
        cmocka_unit_test(texts_need_no_closing_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
