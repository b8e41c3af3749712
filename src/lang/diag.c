/* diag.c - builds error texts with place and excerpt inside the fixed error buffer. */
#include "lang/diag.h"

#include <stdarg.h>
#include <stdio.h>

#define MESSAGE_MAX 208 /* bytes of message kept */
#define PATH_MAX_SHOWN 48
#define WINDOW 76 /* bytes of source line shown */
#define BEFORE 36 /* of these, at most so many before the span when the line is long */

ia_status ia_source_check(ia_ctx *cx, const ia_source *src)
{
    size_t bad = 0;
    size_t i;
    uint32_t line = 1;
    const char *path = src->path ? src->path : "<text>";

    if (src->len > (8u << 20))
        return ia_fail(cx, IA_ERR_INVALID, "parse error: %.80s is longer than 8 MiB", path);
    if (ia_utf8_valid(src->text, src->len, &bad)) {
        const char *nul = src->len ? memchr(src->text, 0, src->len) : NULL;
        if (!nul)
            return IA_OK;
        bad = (size_t)(nul - src->text);
    }
    for (i = 0; i < bad; i++)
        if (src->text[i] == '\n')
            line++;
    return ia_fail(cx, IA_ERR_INVALID,
                   "parse error: byte 0x%02x at offset %zu is not UTF-8 text\n  at %.80s:%u",
                   (unsigned)(unsigned char)src->text[bad], bad, path, line);
}

/* Fixed text builder: what does not fit is dropped. */
typedef struct out_text {
    char buf[480];
    size_t len;
} out_text;

static void put(out_text *o, const char *s, size_t n)
{
    if (n > sizeof o->buf - 1 - o->len)
        n = sizeof o->buf - 1 - o->len;
    memcpy(o->buf + o->len, s, n);
    o->len += n;
    o->buf[o->len] = 0;
}

static bool is_cont(char c)
{
    return ((unsigned char)c & 0xC0u) == 0x80u;
}

static size_t clip(const char *s, size_t n, size_t max)
{
    if (n <= max)
        return n;
    n = max;
    while (n > 0 && is_cont(s[n]))
        n--;
    return n;
}

static void put_path(out_text *o, const char *path, ia_span span)
{
    char tail[48];
    size_t n = strlen(path);
    size_t skip = 0;
    int k;

    put(o, "\n  at ", 6);
    if (n > PATH_MAX_SHOWN) {
        skip = n - PATH_MAX_SHOWN;
        while (skip < n && is_cont(path[skip]))
            skip++;
        put(o, "...", 3);
    }
    put(o, path + skip, n - skip);
    k = snprintf(tail, sizeof tail, ":%u:%u", span.line, span.column);
    put(o, tail, k > 0 ? (size_t)k : 0);
}

/* The part [begin, end) of the line that is shown, always holding the span's start; true when
 * something before it is left out. */
static bool choose_window(const ia_source *src, size_t at, size_t *begin, size_t *end)
{
    bool cut = false;
    size_t lo = at, hi = at;

    while (lo > 0 && src->text[lo - 1] != '\n')
        lo--;
    while (hi < src->len && src->text[hi] != '\n' && src->text[hi] != '\r')
        hi++;
    while (lo < at && (src->text[lo] == ' ' || src->text[lo] == '\t'))
        lo++;
    if (hi - lo > WINDOW) {
        if (at - lo > BEFORE) {
            cut = true;
            lo = at - BEFORE;
            while (lo < at && is_cont(src->text[lo]))
                lo++;
        }
        if (hi - lo > WINDOW) {
            hi = lo + WINDOW;
            while (hi > at && is_cont(src->text[hi]))
                hi--;
        }
    }
    *begin = lo;
    *end = hi;
    return cut;
}

static void put_excerpt(out_text *o, const ia_source *src, ia_span span)
{
    size_t at = span.offset <= src->len ? span.offset : src->len;
    size_t stop = at + span.length;
    size_t lo, hi, i;
    bool cut;
    char marks[WINDOW + 8];
    size_t n = 0;

    cut = choose_window(src, at, &lo, &hi);
    put(o, "\n    ", 5);
    if (cut) {
        put(o, "...", 3);
        memset(marks, ' ', 3);
        n = 3;
    }
    for (i = lo; i < hi; i++) {
        unsigned char c = (unsigned char)src->text[i];
        char shown = c == '\t' ? ' ' : c < 0x20 || c == 0x7F ? '?' : (char)c;
        put(o, &shown, 1);
        if (!is_cont((char)c))
            marks[n++] = i < at ? ' ' : i == at ? '^' : i < stop ? '~' : ' ';
    }
    if (at >= hi)
        marks[n++] = '^';
    if (hi < src->len && src->text[hi] != '\n' && src->text[hi] != '\r')
        put(o, "...", 3);
    while (n > 0 && marks[n - 1] == ' ')
        n--;
    put(o, "\n    ", 5);
    put(o, marks, n);
}

ia_status ia_diag(ia_ctx *cx, ia_status code, const ia_source *src, ia_span span, const char *fmt,
                  ...)
{
    char message[600];
    out_text o = {{0}, 0};
    va_list ap;
    size_t n, kept;

    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    n = strlen(message);
    kept = clip(message, n, MESSAGE_MAX);
    put(&o, message, kept);
    if (kept < n)
        put(&o, "...", 3);
    if (span.line) {
        put_path(&o, src->path ? src->path : "<text>", span);
        put_excerpt(&o, src, span);
    }
    return ia_fail(cx, code, "%s", o.buf);
}

void *ia_arena_push(ia_ctx *cx, ia_arena *a, void *items, size_t *n, size_t *cap, size_t size)
{
    void *base;
    unsigned char *slot;

    memcpy(&base, items, sizeof base);
    if (*n == *cap) {
        size_t want = *cap ? *cap * 2 : 4;
        void *bigger = ia_arena_calloc(cx, a, want, size);
        if (!bigger)
            return NULL;
        if (*n)
            memcpy(bigger, base, *n * size);
        memcpy(items, &bigger, sizeof bigger);
        base = bigger;
        *cap = want;
    }
    slot = (unsigned char *)base + *n * size;
    (*n)++;
    return slot;
}
