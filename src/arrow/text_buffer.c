/* text_buffer.c - a window of text over a source. */
#include "arrow/text_priv.h"

ia_status ia_text_more(ia_ctx *cx, ia_text *t)
{
    const bool first = t->buf.len == 0 && t->at == 0;
    size_t left = t->buf.len - t->at, step, got;
    uint8_t *p;

    if (!t->keep && t->at > 0) {
        memmove(t->buf.data, t->buf.data + t->at, left);
        t->buf.len = left;
        t->at = 0;
    }
    step = left < (64u << 10) ? 64u << 10 : left;
    p = ia_buf_extend(cx, &t->buf, step);
    if (!p)
        return ia_buf_status(&t->buf);
    IA_TRY(ia_source_read(cx, &t->src, p, step, &got));
    t->buf.len -= step - got;
    t->eof = got < step;
    if (first && got >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        t->at = 3;
    return ia_check(cx, 0, 0);
}

void ia_text_dispose(ia_text *t)
{
    ia_source_close(&t->src);
    ia_buf_dispose(&t->buf);
}

ia_status ia_text_line(ia_ctx *cx, ia_text *t, ia_view *line, bool *end)
{
    size_t seen = 0;

    *end = false;
    for (;;) {
        const size_t left = t->buf.len - t->at;
        const uint8_t *p = left > 0 ? t->buf.data + t->at : NULL;
        const uint8_t *nl = left > seen ? memchr(p + seen, '\n', left - seen) : NULL;

        if (nl || (t->eof && left > 0)) {
            line->data = (const char *)p;
            line->len = nl ? (size_t)(nl - p) : left;
            t->at += line->len + (nl ? 1 : 0);
            return IA_OK;
        }
        if (t->eof) {
            *end = true;
            return IA_OK;
        }
        seen = t->buf.len == 0 ? 0 : left; /* before the first bytes there may be a mark */
        IA_TRY(ia_text_more(cx, t));
    }
}
