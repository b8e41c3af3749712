/* ids.c - random bytes, UUIDs, monotonic ULIDs, hex, clocks. */
#include "base/ids.h"

#include <errno.h>
#include <pthread.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static const char crockford[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
static const char hex_digits[] = "0123456789abcdef";

ia_status ia_random(ia_ctx *cx, void *out, size_t n)
{
    uint8_t *p = out;
    while (n > 0) {
        const ssize_t got = getrandom(p, n, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ia_fail(cx, IA_ERR_IO, "the system gave no random bytes: %s", strerror(errno));
        p += got;
        n -= (size_t)got;
    }
    return IA_OK;
}

ia_status ia_uuid_new(ia_ctx *cx, ia_uuid *out)
{
    *out = (ia_uuid){0};
    IA_TRY(ia_random(cx, out->bytes, sizeof out->bytes));
    out->bytes[6] = (uint8_t)((out->bytes[6] & 0x0F) | 0x40);
    out->bytes[8] = (uint8_t)((out->bytes[8] & 0x3F) | 0x80);
    return IA_OK;
}

void ia_hex(const uint8_t *p, size_t n, char *out)
{
    for (size_t i = 0; i < n; i++) {
        *out++ = hex_digits[p[i] >> 4];
        *out++ = hex_digits[p[i] & 15];
    }
    *out = 0;
}

/* Hyphens stand before bytes 4, 6, 8 and 10. */
static bool hyphen_before(size_t byte)
{
    return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

void ia_uuid_format(const ia_uuid *u, char out[IA_UUID_LEN + 1])
{
    for (size_t i = 0; i < 16; i++) {
        if (hyphen_before(i))
            *out++ = '-';
        ia_hex(u->bytes + i, 1, out);
        out += 2;
    }
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool ia_uuid_parse(const char *s, ia_uuid *out)
{
    ia_uuid u;

    *out = (ia_uuid){0};
    for (size_t i = 0; i < 16; i++) {
        if (hyphen_before(i) && *s++ != '-')
            return false;
        const int hi = hex_value(s[0]);
        const int lo = hi < 0 ? -1 : hex_value(s[1]);
        if (lo < 0)
            return false;
        u.bytes[i] = (uint8_t)(hi << 4 | lo);
        s += 2;
    }
    if (*s != 0)
        return false;
    *out = u;
    return true;
}

/* The last ULID of this process. */
static struct {
    pthread_mutex_t lock; /* protects all fields */
    pid_t pid;            /* a forked child must not continue its parent's series */
    uint64_t ms;
    uint8_t random[10]; /* big-endian */
} last_ulid = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Adds one; false when all 80 bits overflowed. */
static bool increment(uint8_t random[10])
{
    for (int i = 9; i >= 0; i--)
        if (++random[i] != 0)
            return true;
    return false;
}

static void ulid_text(uint64_t ms, const uint8_t random[10], char out[IA_ULID_LEN + 1])
{
    for (int i = 9; i >= 0; i--, ms >>= 5)
        out[i] = crockford[ms & 31];
    unsigned acc = 0, bits = 0;
    char *at = out + 10;
    for (size_t i = 0; i < 10; i++) {
        acc = acc << 8 | random[i];
        for (bits += 8; bits >= 5; bits -= 5)
            *at++ = crockford[acc >> (bits - 5) & 31];
    }
    out[IA_ULID_LEN] = 0;
}

ia_status ia_ulid_new(ia_ctx *cx, char out[IA_ULID_LEN + 1])
{
    uint8_t fresh[10];

    out[0] = 0;
    IA_TRY(ia_random(cx, fresh, sizeof fresh));
    const uint64_t now = (uint64_t)(ia_now_us() / 1000);
    const pid_t pid = getpid();
    pthread_mutex_lock(&last_ulid.lock);
    if (pid != last_ulid.pid || now > last_ulid.ms) {
        last_ulid.pid = pid;
        last_ulid.ms = now;
        memcpy(last_ulid.random, fresh, sizeof fresh);
    } else if (!increment(last_ulid.random)) {
        last_ulid.ms++;
        memcpy(last_ulid.random, fresh, sizeof fresh);
    }
    ulid_text(last_ulid.ms, last_ulid.random, out);
    pthread_mutex_unlock(&last_ulid.lock);
    return IA_OK;
}

bool ia_ulid_valid(const char *s)
{
    for (size_t i = 0; i < IA_ULID_LEN; i++)
        if (s[i] == 0 || !strchr(crockford, s[i]))
            return false;
    return s[IA_ULID_LEN] == 0 && s[0] <= '7'; /* 128 bits in 130 */
}

int64_t ia_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

uint64_t ia_mono_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}
