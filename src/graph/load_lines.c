/* load_lines.c - cuts the input of a load into lines. */
#include "graph/load_priv.h"

#define WINDOW ((size_t)1 << 18)

void ia_lines_dispose(ia_lines *l)
{
    ia_free(l->data);
    l->data = NULL;
}

/* Reads more behind the unread part; moves that part to the front first. */
static ia_status fill(ia_ctx *cx, ia_lines *l)
{
    size_t got = 0;

    if (l->start > 0) {
        memmove(l->data, l->data + l->start, l->end - l->start);
        l->end -= l->start;
        l->scanned -= l->start;
        l->start = 0;
    }
    if (l->end > IA_LOAD_LINE_MAX)
        return ia_fail(cx, IA_ERR_INVALID,
                       "line %llu: longer than %zu bytes (graph_batch_line_bytes)",
                       (unsigned long long)l->line + 1, IA_LOAD_LINE_MAX);
    if (l->cap - l->end < WINDOW)
        IA_TRY(IA_GROW(cx, l->data, l->cap, l->end + WINDOW));
    IA_TRY(l->read(cx, l->arg, l->data + l->end, l->cap - l->end, &got));
    l->end += got;
    l->done += got;
    l->eof = got == 0;
    return ia_check(cx, l->done, l->total);
}

static bool is_blank(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != ' ' && p[i] != '\t' && p[i] != '\r' && p[i] != '\f' && p[i] != '\v')
            return false;
    return true;
}

ia_status ia_lines_next(ia_ctx *cx, ia_lines *l, ia_view *text)
{
    *text = (ia_view){0};
    for (;;) {
        const char *from = l->data ? l->data + l->scanned : NULL;
        const char *lf = l->end > l->scanned ? memchr(from, '\n', l->end - l->scanned) : NULL;
        if (!lf && !l->eof) {
            l->scanned = l->end;
            IA_TRY(fill(cx, l));
            continue;
        }
        if (!lf && l->start == l->end)
            return IA_OK;
        const char *line = l->data + l->start;
        const size_t n = lf ? (size_t)(lf - line) : l->end - l->start;
        l->start += n + (lf ? 1 : 0);
        l->scanned = l->start;
        l->line++;
        if (n > IA_LOAD_LINE_MAX)
            return ia_fail(cx, IA_ERR_INVALID,
                           "line %llu: %zu bytes, the limit is %zu (graph_batch_line_bytes)",
                           (unsigned long long)l->line, n, IA_LOAD_LINE_MAX);
        if (!is_blank(line, n)) {
            *text = (ia_view){line, n};
            return IA_OK;
        }
    }
}
