/* ctx.c - error recording, cancel checks and progress reports. */
#include "base/ctx.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ids.h"

#define PROGRESS_NS UINT64_C(100000000)

/* When this thread last reported progress, and for which context. */
static _Thread_local struct {
    const ia_ctx *cx;
    uint64_t at_ns;
} last_report;

void ia_ctx_init(ia_ctx *cx, ia_budget *budget)
{
    memset(cx, 0, sizeof *cx);
    cx->budget = budget;
    if (last_report.cx == cx)
        last_report.cx = NULL;
}

/* Cuts a UTF-8 sequence that snprintf() left half-written at the end of a full buffer. */
static void trim_partial(char *text, size_t size)
{
    size_t n = strlen(text);
    if (n + 1 < size)
        return;
    size_t start = n;
    while (start > 0 && n - start < 4 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
        start--;
    if (start == 0)
        return;
    const unsigned char lead = (unsigned char)text[start - 1];
    const size_t want = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (n - (start - 1) < want)
        text[start - 1] = 0;
}

static void set_text(ia_ctx *cx, const char *text)
{
    size_t n = strlen(text);
    if (n >= sizeof cx->err.text)
        n = sizeof cx->err.text - 1;
    memcpy(cx->err.text, text, n);
    cx->err.text[n] = 0;
    trim_partial(cx->err.text, sizeof cx->err.text);
}

ia_status ia_fail(ia_ctx *cx, ia_status code, const char *fmt, ...)
{
    char text[sizeof cx->err.text]; /* an argument may point into the old text */
    va_list ap;

    IA_ASSERT(code != IA_OK);
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    cx->err.code = code;
    set_text(cx, text);
    return code;
}

ia_status ia_fail_prefix(ia_ctx *cx, ia_status st, const char *fmt, ...)
{
    char text[2 * sizeof cx->err.text + 2];
    va_list ap;

    if (st == IA_OK)
        return st;
    va_start(ap, fmt);
    vsnprintf(text, sizeof cx->err.text, fmt, ap);
    va_end(ap);
    const size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, ": %s", cx->err.text);
    cx->err.code = st;
    set_text(cx, text);
    return st;
}

void ia_ctx_clear(ia_ctx *cx)
{
    cx->err.code = IA_OK;
    cx->err.text[0] = 0;
}

ia_status ia_check(ia_ctx *cx, uint64_t done, uint64_t total)
{
    if (cx->cancel && atomic_load_explicit(cx->cancel, memory_order_relaxed))
        return ia_fail(cx, IA_ERR_CANCELLED, "cancelled by the caller");
    if (!cx->progress)
        return IA_OK;
    const uint64_t now = ia_mono_ns();
    if (last_report.cx == cx && now - last_report.at_ns < PROGRESS_NS)
        return IA_OK;
    last_report.cx = cx;
    last_report.at_ns = now;
    if (cx->progress(done, total, cx->payload) != 0)
        return ia_fail(cx, IA_ERR_CANCELLED, "cancelled by the progress callback");
    return IA_OK;
}

#if defined(IA_DEBUG)
void ia_assert_failed(const char *expr, const char *file, int line)
{
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, expr);
    abort();
}
#endif
