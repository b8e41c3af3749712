/* json_write.c - the JSON writer over a byte builder. */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/ids.h"

void ia_jsonw_init(ia_jsonw *w, ia_ctx *cx, int indent)
{
    *w = (ia_jsonw){.cx = cx, .indent = indent};
}

static void newline(ia_jsonw *w)
{
    if (w->indent == 0)
        return;
    ia_buf_putc(w->cx, &w->out, '\n');
    ia_buf_fill(w->cx, &w->out, ' ', (size_t)w->indent * (size_t)w->depth);
}

/* What stands between the previous item and the next value or member name. */
static void separate(ia_jsonw *w)
{
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (w->need_comma)
        ia_buf_putc(w->cx, &w->out, ',');
    if (w->depth > 0)
        newline(w);
}

static void open(ia_jsonw *w, char c)
{
    separate(w);
    ia_buf_putc(w->cx, &w->out, c);
    w->depth++;
    w->need_comma = false;
}

static void close(ia_jsonw *w, char c)
{
    const bool empty = !w->need_comma;
    IA_ASSERT(w->depth > 0 && !w->after_key);
    w->depth--;
    if (!empty)
        newline(w);
    ia_buf_putc(w->cx, &w->out, c);
    w->need_comma = true;
}

void ia_jsonw_object(ia_jsonw *w)
{
    open(w, '{');
}

void ia_jsonw_end_object(ia_jsonw *w)
{
    close(w, '}');
}

void ia_jsonw_array(ia_jsonw *w)
{
    open(w, '[');
}

void ia_jsonw_end_array(ia_jsonw *w)
{
    close(w, ']');
}

/* Bytes that may be copied as they are: printable ASCII but quote and backslash. */
static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

static void put_control(ia_jsonw *w, unsigned char c)
{
    static const char named[] = "\"\"\\\\\bb\ff\nn\rr\tt"; /* pairs: byte, letter */
    for (size_t i = 0; i + 1 < sizeof named; i += 2)
        if ((unsigned char)named[i] == c) {
            ia_buf_putc(w->cx, &w->out, '\\');
            ia_buf_putc(w->cx, &w->out, named[i + 1]);
            return;
        }
    ia_buf_printf(w->cx, &w->out, "\\u%04x", c);
}

static void put_string(ia_jsonw *w, const char *s, size_t n)
{
    size_t at = 0;

    ia_buf_putc(w->cx, &w->out, '"');
    while (at < n) {
        size_t end = at, bad = 0;
        while (end < n && is_plain((unsigned char)s[end]))
            end++;
        ia_buf_put(w->cx, &w->out, s + at, end - at);
        at = end;
        if (at == n)
            break;
        if ((unsigned char)s[at] < 0x80) {
            put_control(w, (unsigned char)s[at++]);
            continue;
        }
        while (end < n && (unsigned char)s[end] >= 0x80)
            end++;
        if (ia_utf8_valid(s + at, end - at, &bad))
            bad = end - at;
        ia_buf_put(w->cx, &w->out, s + at, bad);
        at += bad;
        if (at < end) { /* JSON is UTF-8: a stray byte becomes U+FFFD */
            ia_buf_puts(w->cx, &w->out, "\xEF\xBF\xBD");
            at++;
        }
    }
    ia_buf_putc(w->cx, &w->out, '"');
}

void ia_jsonw_key(ia_jsonw *w, const char *name)
{
    IA_ASSERT(!w->after_key);
    separate(w);
    put_string(w, name, strlen(name));
    ia_buf_puts(w->cx, &w->out, w->indent > 0 ? ": " : ":");
    w->after_key = true;
}

void ia_jsonw_strn(ia_jsonw *w, const char *s, size_t n)
{
    separate(w);
    put_string(w, s, n);
    w->need_comma = true;
}

static void put_word(ia_jsonw *w, const char *word)
{
    separate(w);
    ia_buf_puts(w->cx, &w->out, word);
    w->need_comma = true;
}

void ia_jsonw_str(ia_jsonw *w, const char *s)
{
    if (s)
        ia_jsonw_strn(w, s, strlen(s));
    else
        put_word(w, "null");
}

void ia_jsonw_i64(ia_jsonw *w, int64_t v)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, v);
    put_word(w, text);
}

void ia_jsonw_u64(ia_jsonw *w, uint64_t v)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, v);
    put_word(w, text);
}

static void put_number(ia_jsonw *w, const char *text, bool finite)
{
    if (finite)
        put_word(w, text);
    else
        ia_jsonw_str(w, text);
}

void ia_jsonw_f32(ia_jsonw *w, float v)
{
    char text[32];
    ia_float_format(v, text);
    put_number(w, text, isfinite(v));
}

void ia_jsonw_f64(ia_jsonw *w, double v)
{
    char text[32];
    ia_double_format(v, text);
    put_number(w, text, isfinite(v));
}

void ia_jsonw_bool(ia_jsonw *w, bool v)
{
    put_word(w, v ? "true" : "false");
}

void ia_jsonw_null(ia_jsonw *w)
{
    put_word(w, "null");
}

ia_status ia_jsonw_finish(ia_jsonw *w, ia_bytes *out)
{
    *out = (ia_bytes){0};
    if (w->out.failed == IA_OK && (w->depth != 0 || w->after_key)) {
        ia_jsonw_dispose(w);
        return ia_fail(w->cx, IA_ERR_INTERNAL, "JSON was finished with %d open levels", w->depth);
    }
    const ia_status st = ia_buf_finish(&w->out, out);
    w->need_comma = false;
    return st;
}

void ia_jsonw_dispose(ia_jsonw *w)
{
    if (w)
        ia_buf_dispose(&w->out);
}
