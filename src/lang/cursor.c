/* cursor.c - token steps, expectations and literals shared by both parsers. */
#include "lang/cursor.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

void ia_cursor_init(ia_cursor *c, ia_ctx *cx, ia_arena *arena, const ia_source *src)
{
    memset(c, 0, sizeof *c);
    c->cx = cx;
    c->arena = arena;
    c->src = src;
    ia_lexer_init(&c->lx, src);
    c->tok = ia_lexer_next(&c->lx);
}

void ia_cursor_advance(ia_cursor *c)
{
    c->prev = c->tok.span;
    c->tok = ia_lexer_next(&c->lx);
}

ia_token ia_cursor_peek(const ia_cursor *c)
{
    ia_lexer copy = c->lx;

    return ia_lexer_next(&copy);
}

bool ia_token_is_op(const ia_token *t, int op)
{
    return t->kind == IA_TOK_OP && t->op == op;
}
bool ia_cursor_is_op(const ia_cursor *c, int op)
{
    return ia_token_is_op(&c->tok, op);
}

bool ia_token_is_word(const ia_cursor *c, const ia_token *t, const char *word)
{
    if (t->kind != IA_TOK_IDENT && t->kind != IA_TOK_TYPE)
        return false;
    return strlen(word) == t->span.length &&
           memcmp(c->src->text + t->span.offset, word, t->span.length) == 0;
}

bool ia_cursor_is_word(const ia_cursor *c, const char *word)
{
    return ia_token_is_word(c, &c->tok, word);
}

bool ia_cursor_take_op(ia_cursor *c, int op)
{
    if (!ia_cursor_is_op(c, op))
        return false;
    ia_cursor_advance(c);
    return true;
}

bool ia_cursor_take_word(ia_cursor *c, const char *word)
{
    if (!ia_cursor_is_word(c, word))
        return false;
    ia_cursor_advance(c);
    return true;
}

ia_status ia_cursor_expected(ia_cursor *c, const char *what)
{
    const ia_token *t = &c->tok;
    size_t n = t->span.length;

    if (t->kind == IA_TOK_BAD)
        return ia_diag(c->cx, IA_ERR_INVALID, c->src, t->span, "parse error: %s", t->bad);
    if (t->kind == IA_TOK_END)
        return ia_diag(c->cx, IA_ERR_INVALID, c->src, t->span,
                       "parse error: expected %s, found the end of the text", what);
    if (ia_token_is_op(t, '-'))
        return ia_diag(
            c->cx, IA_ERR_INVALID, c->src, t->span,
            "parse error: expected %s, found `-` (negative numbers are passed as parameters)",
            what);
    if (n > 40)
        return ia_diag(c->cx, IA_ERR_INVALID, c->src, t->span, "parse error: expected %s", what);
    return ia_diag(c->cx, IA_ERR_INVALID, c->src, t->span, "parse error: expected %s, found `%.*s`",
                   what, (int)n, c->src->text + t->span.offset);
}

ia_status ia_cursor_expect_op(ia_cursor *c, int op, const char *what)
{
    if (!ia_cursor_take_op(c, op))
        return ia_cursor_expected(c, what);
    return IA_OK;
}

ia_status ia_cursor_expect_word(ia_cursor *c, const char *word)
{
    char what[64];

    if (ia_cursor_take_word(c, word))
        return IA_OK;
    snprintf(what, sizeof what, "`%s`", word);
    return ia_cursor_expected(c, what);
}

static ia_status unescape(ia_cursor *c, const char *s, size_t n, const char **out)
{
    char *buf = ia_arena_strndup(c->cx, c->arena, s, n);
    size_t i, k = 0;

    if (!buf)
        return c->cx->err.code;
    for (i = 0; i < n; i++) {
        char ch = s[i];
        if (ch == '\\' && i + 1 < n) {
            i++;
            ch = s[i] == 'n' ? '\n' : s[i] == 'r' ? '\r' : s[i] == 't' ? '\t' : s[i];
        }
        buf[k++] = ch;
    }
    buf[k] = 0;
    *out = buf;
    return IA_OK;
}

ia_status ia_cursor_text(ia_cursor *c, const ia_token *t, const char **out)
{
    const char *s = c->src->text + t->span.offset;
    size_t n = t->span.length;

    *out = NULL;
    if (t->kind == IA_TOK_STRING)
        return unescape(c, s + 1, n - 2, out);
    if (t->kind == IA_TOK_VAR) {
        s++;
        n--;
    }
    return IA_SET(c->cx, *out, ia_arena_strndup(c->cx, c->arena, s, n));
}

ia_status ia_cursor_expect(ia_cursor *c, ia_token_kind kind, const char *what, const char **out,
                           ia_span *span)
{
    ia_token t = c->tok;

    *out = NULL;
    if (t.kind != kind)
        return ia_cursor_expected(c, what);
    if (span)
        *span = t.span;
    ia_cursor_advance(c);
    return ia_cursor_text(c, &t, out);
}

ia_status ia_cursor_u64(ia_cursor *c, uint64_t max, const char *what, uint64_t *out)
{
    const char *s = c->src->text + c->tok.span.offset;
    uint64_t v = 0;
    size_t i;

    *out = 0;
    if (c->tok.kind != IA_TOK_INT)
        return ia_cursor_expected(c, what);
    for (i = 0; i < c->tok.span.length; i++) {
        uint64_t next;
        if (!ia_mul_u64(&next, v, 10) || !ia_add_u64(&next, next, (uint64_t)(s[i] - '0')) ||
            next > max)
            return ia_diag(c->cx, IA_ERR_INVALID, c->src, c->tok.span,
                           "parse error: %s is above %llu", what, (unsigned long long)max);
        v = next;
    }
    ia_cursor_advance(c);
    *out = v;
    return IA_OK;
}

ia_status ia_cursor_double(ia_cursor *c, const ia_token *t, double *out)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char *copy;

    *out = 0;
    if (!plain)
        return ia_fail(c->cx, IA_ERR_NO_MEMORY, "no memory for the number locale");
    copy = ia_arena_strndup(c->cx, c->arena, c->src->text + t->span.offset, t->span.length);
    if (copy)
        *out = strtod_l(copy, NULL, plain);
    freelocale(plain);
    if (!copy)
        return c->cx->err.code;
    if (*out > 1.7976931348623157e308)
        return ia_diag(c->cx, IA_ERR_INVALID, c->src, t->span,
                       "parse error: this number is too large");
    return IA_OK;
}

ia_status ia_cursor_enter(ia_cursor *c)
{
    if (c->depth >= IA_LANG_DEPTH)
        return ia_diag(c->cx, IA_ERR_INVALID, c->src, c->tok.span,
                       "parse error: nested deeper than %d levels", IA_LANG_DEPTH);
    c->depth++;
    return IA_OK;
}

ia_status ia_cursor_room(ia_cursor *c, size_t n, size_t max, const char *what)
{
    if (n < max)
        return IA_OK;
    return ia_diag(c->cx, IA_ERR_INVALID, c->src, c->tok.span, "parse error: more than %zu %s", max,
                   what);
}

ia_span ia_span_join(ia_span a, ia_span b)
{
    if (b.offset + b.length > a.offset)
        a.length = b.offset + b.length - a.offset;
    return a;
}
