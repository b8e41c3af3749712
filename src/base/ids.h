/* ids.h - ULIDs, UUIDs, hex, SHA-256, clock, random bytes. */
#ifndef IA_BASE_IDS_H
#define IA_BASE_IDS_H

#include "base/str.h"

#define IA_ULID_LEN 26 /* Crockford base 32, without the closing 0 */
#define IA_UUID_LEN 36 /* hyphenated lower case */

typedef struct ia_uuid {
    uint8_t bytes[16]; /* RFC 4122 order */
} ia_uuid;

ia_status ia_random(ia_ctx *cx, void *out, size_t n) IA_MUST_CHECK; /* getrandom(2) */
ia_status ia_uuid_new(ia_ctx *cx, ia_uuid *out) IA_MUST_CHECK;      /* version 4 */
void ia_uuid_format(const ia_uuid *u, char out[IA_UUID_LEN + 1]);
bool ia_uuid_parse(const char *s, ia_uuid *out);
/* Increasing within a process for equal milliseconds (monotonic ULID). Threads: any. */
ia_status ia_ulid_new(ia_ctx *cx, char out[IA_ULID_LEN + 1]) IA_MUST_CHECK;
bool ia_ulid_valid(const char *s);
void ia_hex(const uint8_t *p, size_t n, char *out); /* 2n chars and a 0 */
void ia_sha256(const void *p, size_t n, uint8_t out[32]);

int64_t ia_now_us(void);    /* microseconds since 1970 UTC */
uint64_t ia_mono_ns(void);  /* monotonic clock, for durations */

/* Civil dates (proleptic Gregorian). */
int64_t ia_days_from_civil(int64_t y, unsigned m, unsigned d);
void ia_civil_from_days(int64_t days, int64_t *y, unsigned *m, unsigned *d);
/* "YYYY-MM-DD" -> days since 1970; false when malformed or no such day. */
bool ia_date_parse(const char *s, size_t n, int32_t *days);
/* ISO 8601 / RFC 3339 -> ms since 1970 UTC (no offset = UTC, date alone = midnight). */
bool ia_datetime_parse(const char *s, size_t n, int64_t *ms);
void ia_date_format(int32_t days, char out[16]);     /* YYYY-MM-DD */
void ia_datetime_format(int64_t ms, char out[32]);   /* YYYY-MM-DDTHH:MM:SS.mmmZ */
/* Shortest text that reads back as the same double / float ("0.1", "1e+300", "NaN"). */
void ia_double_format(double v, char out[32]);
void ia_float_format(float v, char out[32]);
/* A decimal number that takes all n bytes (no spaces, hex, "inf" or "nan"), nearest double,
 * whatever the locale. False when malformed or longer than 800 bytes; too large gives infinity. */
bool ia_double_parse(const char *s, size_t n, double *out);

#endif
