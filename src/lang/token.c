/* token.c - cuts schema and query text into tokens. */
#include "lang/token.h"

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}
static bool is_lower(int c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}
static bool is_upper(int c)
{
    return c >= 'A' && c <= 'Z';
}
static bool is_word(int c)
{
    return is_lower(c) || is_upper(c) || is_digit(c);
}

void ia_lexer_init(ia_lexer *lx, const ia_source *src)
{
    memset(lx, 0, sizeof *lx);
    lx->src = src;
    lx->line = 1;
    lx->column = 1;
    lx->last.line = 1;
    lx->last.column = 1;
}

void ia_lexer_rewind(ia_lexer *lx, const ia_token *to)
{
    lx->pos = to->span.offset;
    lx->line = to->span.line;
    lx->column = to->span.column;
}

static int peek(const ia_lexer *lx, size_t ahead)
{
    return ahead < lx->src->len - lx->pos ? (unsigned char)lx->src->text[lx->pos + ahead] : -1;
}

static void step(ia_lexer *lx)
{
    int c = (unsigned char)lx->src->text[lx->pos++];

    if (c == '\n') {
        lx->line++;
        lx->column = 1;
    } else if ((c & 0xC0) != 0x80) {
        lx->column++;
    }
}

static void skip(ia_lexer *lx, size_t n)
{
    while (n--)
        step(lx);
}

static ia_token begin(const ia_lexer *lx)
{
    ia_token t;

    memset(&t, 0, sizeof t);
    t.span.line = lx->line;
    t.span.column = lx->column;
    t.span.offset = (uint32_t)lx->pos;
    return t;
}

static ia_token end(ia_lexer *lx, ia_token t, ia_token_kind kind)
{
    t.kind = kind;
    t.span.length = (uint32_t)(lx->pos - t.span.offset);
    if (t.span.length == 0)
        t.span.length = 1;
    lx->last.line = lx->line;
    lx->last.column = lx->column;
    lx->last.offset = (uint32_t)lx->pos;
    lx->last.length = 1;
    return t;
}

static ia_token bad(ia_lexer *lx, ia_token t, const char *why)
{
    t = end(lx, t, IA_TOK_BAD);
    t.bad = why;
    return t;
}

/* False when a block comment is not closed: *t then spans its opening. */
static bool skip_blank(ia_lexer *lx, ia_token *t)
{
    for (;;) {
        int c = peek(lx, 0);
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            step(lx);
        } else if (c == '/' && peek(lx, 1) == '/') {
            while (peek(lx, 0) != -1 && peek(lx, 0) != '\n')
                step(lx);
        } else if (c == '/' && peek(lx, 1) == '*') {
            *t = begin(lx);
            t->span.length = 2;
            skip(lx, 2);
            while (peek(lx, 0) != -1 && !(peek(lx, 0) == '*' && peek(lx, 1) == '/'))
                step(lx);
            if (peek(lx, 0) == -1)
                return false;
            skip(lx, 2);
        } else {
            return true;
        }
    }
}

static ia_token lex_number(ia_lexer *lx, ia_token t)
{
    ia_token_kind kind = IA_TOK_INT;

    while (is_digit(peek(lx, 0)))
        step(lx);
    if (peek(lx, 0) == '.' && is_digit(peek(lx, 1))) {
        kind = IA_TOK_FLOAT;
        step(lx);
        while (is_digit(peek(lx, 0)))
            step(lx);
    }
    if (is_word(peek(lx, 0))) {
        while (is_word(peek(lx, 0)))
            step(lx);
        return bad(lx, t, "a number cannot be followed directly by letters");
    }
    return end(lx, t, kind);
}

static ia_token lex_string(ia_lexer *lx, ia_token t)
{
    ia_token escape;

    step(lx);
    for (;;) {
        int c = peek(lx, 0);
        if (c == -1) {
            t.span.length = 1;
            t.kind = IA_TOK_BAD;
            t.bad = "this string is not closed";
            return t;
        }
        if (c == '"') {
            step(lx);
            return end(lx, t, IA_TOK_STRING);
        }
        if (c == '\\') {
            int e = peek(lx, 1);
            escape = begin(lx);
            step(lx);
            if (e != '"' && e != '\\' && e != 'n' && e != 'r' && e != 't') {
                if (e != -1)
                    step(lx);
                return bad(lx, escape, "unsupported escape sequence (use \\\" \\\\ \\n \\r \\t)");
            }
        }
        step(lx);
    }
}

static ia_token lex_op(ia_lexer *lx, ia_token t)
{
    static const struct {
        char text[3];
        int op;
    } pairs[] = {{"..", IA_OP_DOTDOT},
                 {"->", IA_OP_ARROW},
                 {"<=", IA_OP_LE},
                 {">=", IA_OP_GE},
                 {"!=", IA_OP_NE}};
    int c = peek(lx, 0);
    size_t i;

    for (i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (c == pairs[i].text[0] && peek(lx, 1) == pairs[i].text[1]) {
            skip(lx, 2);
            t.op = pairs[i].op;
            return end(lx, t, IA_TOK_OP);
        }
    }
    step(lx);
    while (peek(lx, 0) != -1 && (peek(lx, 0) & 0xC0) == 0x80)
        step(lx);
    if (c < 0x80 && strchr("{}()[]:,.@?<>=-", c)) {
        t.op = c;
        return end(lx, t, IA_TOK_OP);
    }
    return bad(lx, t,
               c == '#' ? "`#` does not start a comment; write `//`" : "unexpected character");
}

ia_token ia_lexer_next(ia_lexer *lx)
{
    ia_token t;
    int c;

    if (!skip_blank(lx, &t)) {
        t.kind = IA_TOK_BAD;
        t.bad = "this comment is not closed";
        return t;
    }
    t = begin(lx);
    c = peek(lx, 0);
    if (c == -1) {
        t.span = lx->last;
        if (t.span.length == 0)
            t.span.length = 1;
        t.kind = IA_TOK_END;
        return t;
    }
    if (is_digit(c))
        return lex_number(lx, t);
    if (c == '"')
        return lex_string(lx, t);
    if (c == '$') {
        step(lx);
        if (!is_lower(peek(lx, 0)))
            return bad(
                lx, t,
                "`$` must be followed by a name that starts with a lower-case letter or `_`");
    } else if (!is_lower(c) && !is_upper(c)) {
        return lex_op(lx, t);
    }
    while (is_word(peek(lx, 0)))
        step(lx);
    return end(lx, t, c == '$' ? IA_TOK_VAR : is_upper(c) ? IA_TOK_TYPE : IA_TOK_IDENT);
}

ia_token ia_lexer_enum_value(ia_lexer *lx)
{
    ia_token t = begin(lx);

    while (is_word(peek(lx, 0)) || peek(lx, 0) == '-')
        step(lx);
    if (lx->pos == t.span.offset)
        return ia_lexer_next(lx);
    return end(lx, t, IA_TOK_IDENT);
}
