/* buf.c - the growing byte builder. */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>

void ia_buf_dispose(ia_buf *b)
{
    if (!b)
        return;
    ia_free(b->data);
    *b = (ia_buf){0};
}

void ia_buf_clear(ia_buf *b)
{
    b->len = 0;
    if (b->data)
        b->data[0] = 0;
}

/* Makes room for n more bytes and the closing 0. */
static bool room(ia_ctx *cx, ia_buf *b, size_t n)
{
    size_t need;
    if (b->failed != IA_OK)
        return false;
    if (n < b->cap && b->len < b->cap - n)
        return true;
    if (!ia_add_size(&need, b->len, n) || !ia_add_size(&need, need, 1))
        b->failed = ia_fail(cx, IA_ERR_NO_MEMORY, "a buffer of more than 2^64 bytes is too large");
    else
        b->failed = ia_grow(cx, &b->data, &b->cap, need < 64 ? 64 : need, 1);
    return b->failed == IA_OK;
}

uint8_t *ia_buf_extend(ia_ctx *cx, ia_buf *b, size_t n)
{
    if (!room(cx, b, n))
        return NULL;
    uint8_t *at = b->data + b->len;
    b->len += n;
    b->data[b->len] = 0;
    return at;
}

void ia_buf_put(ia_ctx *cx, ia_buf *b, const void *data, size_t n)
{
    uint8_t *at = ia_buf_extend(cx, b, n);
    if (at && n > 0)
        memcpy(at, data, n);
}

void ia_buf_puts(ia_ctx *cx, ia_buf *b, const char *s)
{
    ia_buf_put(cx, b, s, strlen(s));
}

void ia_buf_putc(ia_ctx *cx, ia_buf *b, char c)
{
    ia_buf_put(cx, b, &c, 1);
}

void ia_buf_fill(ia_ctx *cx, ia_buf *b, uint8_t byte, size_t n)
{
    uint8_t *at = ia_buf_extend(cx, b, n);
    if (at && n > 0)
        memset(at, byte, n);
}

void ia_buf_printf(ia_ctx *cx, ia_buf *b, const char *fmt, ...)
{
    va_list ap;

    if (!room(cx, b, 64))
        return;
    va_start(ap, fmt);
    const int n = vsnprintf((char *)b->data + b->len, b->cap - b->len, fmt, ap);
    va_end(ap);
    if (n < 0) {
        b->failed = ia_fail(cx, IA_ERR_INTERNAL, "text format \"%s\" failed", fmt);
        b->data[b->len] = 0;
        return;
    }
    if ((size_t)n >= b->cap - b->len) {
        b->data[b->len] = 0;
        if (!room(cx, b, (size_t)n))
            return;
        va_start(ap, fmt);
        vsnprintf((char *)b->data + b->len, b->cap - b->len, fmt, ap);
        va_end(ap);
    }
    b->len += (size_t)n;
}

ia_status ia_buf_status(const ia_buf *b)
{
    return b->failed;
}

ia_status ia_buf_finish(ia_buf *b, ia_bytes *out)
{
    const ia_status st = b->failed;
    *out = (ia_bytes){0};
    if (st != IA_OK)
        ia_free(b->data);
    else
        *out = (ia_bytes){b->data, b->len};
    *b = (ia_buf){0};
    return st;
}

ia_status ia_buf_finish_str(ia_ctx *cx, ia_buf *b, char **out)
{
    ia_bytes bytes;

    *out = NULL;
    ia_buf_put(cx, b, "", 0); /* an empty builder still gives "" */
    IA_TRY(ia_buf_finish(b, &bytes));
    *out = (char *)bytes.data;
    return IA_OK;
}
