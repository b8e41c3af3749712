/* sql_filter.c - the filter text that Lance users write, into an expression tree. */
#include <errno.h>
#include <stdlib.h>

#include "base/ids.h"
#include "expr/expr_priv.h"

/*   or    = and { OR and }            and = not { AND not }          not = [ NOT ] test
 *   test  = "(" or ")" | value [ comparison | IS [NOT] NULL | [NOT] IN (...) | [NOT] BETWEEN | [NOT] LIKE ]
 *   value = column | literal | call    Keywords in any case. */

#define MAX_NESTING 100

typedef enum tok_kind { T_END, T_WORD, T_QUOTED, T_NUMBER, T_STRING, T_SYMBOL } tok_kind;

typedef struct tok {
    tok_kind kind;
    const char *at;
    size_t len;
} tok;

typedef struct parser {
    ia_ctx *cx;
    ia_arena *arena;
    const char *start, *p, *end;
    tok t;       /* current token */
    int depth;
} parser;

static ia_status parse_or(parser *p, ia_expr **out);

static ia_status wrong(const parser *p, const char *what)
{
    const int n = p->t.len > 40 ? 40 : (int)p->t.len;

    if (p->t.kind == T_END)
        return ia_fail(p->cx, IA_ERR_INVALID, "filter: column %zu: %s, but the text ends", (size_t)(p->t.at - p->start) + 1,
                       what);
    return ia_fail(p->cx, IA_ERR_INVALID, "filter: column %zu: %s, not '%.*s'", (size_t)(p->t.at - p->start) + 1, what, n,
                   p->t.at);
}

/* ---- tokens -------------------------------------------------------------------------------- */

static bool word_char(char c, bool first)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80 ||
           (!first && ((c >= '0' && c <= '9') || c == '.'));
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *number_end(const parser *p)
{
    const char *q = p->p;

    while (q < p->end && (digit(*q) || *q == '.'))
        q++;
    if (q < p->end && (*q == 'e' || *q == 'E')) {
        q++;
        if (q < p->end && (*q == '+' || *q == '-'))
            q++;
        while (q < p->end && digit(*q))
            q++;
    }
    return q;
}

/* Past the closing quote; a doubled quote stands for itself. NULL when it never closes. */
static const char *quoted_end(const parser *p)
{
    const char quote = *p->p;

    for (const char *q = p->p + 1; q < p->end; q++) {
        if (*q != quote)
            continue;
        if (q + 1 < p->end && q[1] == quote)
            q++;
        else
            return q + 1;
    }
    return NULL;
}

static ia_status next(parser *p)
{
    while (p->p < p->end && (*p->p == ' ' || *p->p == '\t' || *p->p == '\n' || *p->p == '\r'))
        p->p++;
    p->t = (tok){T_END, p->p, 0};
    if (p->p == p->end)
        return IA_OK;
    const char c = *p->p;
    const char *q = p->p + 1;
    if (word_char(c, true)) {
        p->t.kind = T_WORD;
        while (q < p->end && word_char(*q, false))
            q++;
    } else if (digit(c) || (c == '.' && q < p->end && digit(*q))) {
        p->t.kind = T_NUMBER;
        q = number_end(p);
    } else if (c == '\'' || c == '"' || c == '`') {
        p->t.kind = c == '\'' ? T_STRING : T_QUOTED;
        q = quoted_end(p);
        if (!q)
            return ia_fail(p->cx, IA_ERR_INVALID, "filter: column %zu: the quote %c is never closed",
                           (size_t)(p->p - p->start) + 1, c);
    } else {
        p->t.kind = T_SYMBOL;
        if (q < p->end && ((strchr("<>!=", c) && *q == '=') || (c == '<' && *q == '>')))
            q++;
    }
    p->t.len = (size_t)(q - p->p);
    p->p = q;
    return IA_OK;
}

static bool is_word(const parser *p, const char *word)
{
    const size_t n = strlen(word);

    if (p->t.kind != T_WORD || p->t.len != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((p->t.at[i] | 0x20) != (word[i] | 0x20))
            return false;
    return true;
}

static bool is_symbol(const parser *p, const char *s)
{
    return p->t.kind == T_SYMBOL && p->t.len == strlen(s) && memcmp(p->t.at, s, p->t.len) == 0;
}

static ia_status expect(parser *p, const char *symbol)
{
    char what[32] = "expected '";

    if (is_symbol(p, symbol))
        return next(p);
    strncat(what, symbol, 8);
    strcat(what, "'");
    return wrong(p, what);
}

static ia_status accept_word(parser *p, const char *word, bool *yes)
{
    *yes = is_word(p, word);
    return *yes ? next(p) : IA_OK;
}

/* Content of a quoted token, doubled quotes undone. */
static ia_status unquote(parser *p, char **out, size_t *n)
{
    const char quote = p->t.at[0];

    IA_TRY(IA_SET(p->cx, *out, ia_arena_alloc(p->cx, p->arena, p->t.len)));
    *n = 0;
    for (size_t i = 1; i + 1 < p->t.len; i++) {
        (*out)[(*n)++] = p->t.at[i];
        if (p->t.at[i] == quote)
            i++;
    }
    (*out)[*n] = 0;
    return IA_OK;
}

/* ---- literals ------------------------------------------------------------------------------ */

static ia_status number(parser *p, bool negative, ia_scalar *out)
{
    char text[64], *end;

    if (p->t.len >= sizeof text)
        return wrong(p, "a number is too long");
    memcpy(text, p->t.at, p->t.len);
    text[p->t.len] = 0;
    if (!strpbrk(text, ".eE")) {
        errno = 0;
        const unsigned long long u = strtoull(text, &end, 10);
        if (!errno && !*end) {
            if (negative && u <= (1ull << 63))
                *out = ia_scalar_i64((int64_t)(0 - u));
            else if (!negative)
                *out = u <= INT64_MAX ? ia_scalar_i64((int64_t)u) : ia_scalar_u64(u);
            else
                return wrong(p, "the number is out of range");
            return next(p);
        }
    }
    const double d = strtod(text, &end);
    if (*end)
        return wrong(p, "expected a number");
    *out = ia_scalar_f64(negative ? -d : d);
    return next(p);
}

/* date '...' and timestamp '...' after their word. */
static ia_status temporal(parser *p, bool date, ia_scalar *out)
{
    char *s;
    size_t n;
    int32_t days;
    int64_t v;
    ia_time_unit unit;

    if (p->t.kind != T_STRING)
        return wrong(p, date ? "expected a quoted date" : "expected a quoted date and time");
    IA_TRY(unquote(p, &s, &n));
    if (date && ia_date_parse(s, n, &days))
        *out = ia_scalar_date32(days);
    else if (!date && ia_timestamp_parse(s, n, &v, &unit))
        *out = ia_scalar_timestamp(v, unit);
    else
        return wrong(p, date ? "expected a date as '2026-01-31'" : "expected a time as '2026-01-31T12:00:00Z'");
    return next(p);
}

/* *found false: no literal stands here. */
static ia_status literal(parser *p, ia_scalar *out, bool *found)
{
    char *s;
    size_t n;

    *found = true;
    if (is_symbol(p, "-")) {
        IA_TRY(next(p));
        return p->t.kind == T_NUMBER ? number(p, true, out) : wrong(p, "expected a number");
    }
    if (p->t.kind == T_NUMBER)
        return number(p, false, out);
    if (p->t.kind == T_STRING) {
        IA_TRY(unquote(p, &s, &n));
        *out = ia_scalar_str(s, n);
        return next(p);
    }
    if (is_word(p, "true") || is_word(p, "false")) {
        *out = ia_scalar_bool(is_word(p, "true"));
        return next(p);
    }
    if (is_word(p, "null")) {
        *out = ia_scalar_null();
        return next(p);
    }
    const bool date = is_word(p, "date");
    if (date || is_word(p, "timestamp")) {
        const tok word = p->t;
        const char *after = p->p;
        IA_TRY(next(p));
        if (p->t.kind == T_STRING)
            return temporal(p, date, out);
        p->t = word; /* a column of that name */
        p->p = after;
    }
    *found = false;
    return IA_OK;
}

/* ---- values, tests ------------------------------------------------------------------------- */

static ia_status call(parser *p, ia_expr_op op, ia_expr **out);

static ia_status value(parser *p, ia_expr **out)
{
    static const struct { const char *name; ia_expr_op op; } calls[] = {
        {"array_has", IA_EXPR_HAS}, {"array_contains", IA_EXPR_HAS}, {"starts_with", IA_EXPR_STARTS_WITH},
        {"contains", IA_EXPR_CONTAINS}};
    ia_scalar lit;
    char *name;
    size_t n;
    bool found;

    IA_TRY(literal(p, &lit, &found));
    if (found)
        return ia_expr_literal(p->cx, p->arena, &lit, out);
    if (p->t.kind == T_QUOTED) {
        IA_TRY(unquote(p, &name, &n));
    } else if (p->t.kind == T_WORD) {
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
            if (is_word(p, calls[i].name) && p->p < p->end && *p->p == '(')
                return call(p, calls[i].op, out);
        IA_TRY(IA_SET(p->cx, name, ia_arena_strndup(p->cx, p->arena, p->t.at, p->t.len)));
    } else {
        return wrong(p, "expected a column or a value");
    }
    IA_TRY(next(p));
    return ia_expr_column(p->cx, p->arena, name, out);
}

static ia_status call(parser *p, ia_expr_op op, ia_expr **out)
{
    ia_expr *a, *b;

    IA_TRY(next(p));
    IA_TRY(expect(p, "("));
    IA_TRY(value(p, &a));
    IA_TRY(expect(p, ","));
    IA_TRY(value(p, &b));
    IA_TRY(expect(p, ")"));
    return ia_expr_binary(p->cx, p->arena, op, a, b, out);
}

static ia_status in_list(parser *p, ia_expr *x, ia_expr **out)
{
    ia_scalar *items = NULL;
    size_t n = 0, cap = 0;
    bool found;
    ia_status st;

    IA_GO(expect(p, "("));
    for (;;) {
        IA_GO(IA_GROW(p->cx, items, cap, n + 1));
        IA_GO(literal(p, &items[n], &found));
        if (!found)
            IA_GO(wrong(p, "expected a value"));
        n++;
        if (!is_symbol(p, ","))
            break;
        IA_GO(next(p));
    }
    IA_GO(expect(p, ")"));
    IA_GO(ia_expr_in(p->cx, p->arena, x, items, n, out));
done:
    ia_free(items);
    return st;
}

static ia_status between(parser *p, ia_expr *x, ia_expr **out)
{
    ia_expr *lo, *hi, *a, *b;
    bool yes;

    IA_TRY(value(p, &lo));
    IA_TRY(accept_word(p, "and", &yes));
    if (!yes)
        return wrong(p, "expected AND");
    IA_TRY(value(p, &hi));
    IA_TRY(ia_expr_binary(p->cx, p->arena, IA_EXPR_GE, x, lo, &a));
    IA_TRY(ia_expr_binary(p->cx, p->arena, IA_EXPR_LE, x, hi, &b));
    return ia_expr_binary(p->cx, p->arena, IA_EXPR_AND, a, b, out);
}

static ia_status like(parser *p, ia_expr *x, ia_expr **out)
{
    char *s;
    size_t n;

    if (p->t.kind != T_STRING)
        return wrong(p, "expected a quoted pattern");
    IA_TRY(unquote(p, &s, &n));
    IA_TRY(next(p));
    return ia_expr_like(p->cx, p->arena, x, s, n, out);
}

static ia_status is_null(parser *p, ia_expr *x, ia_expr **out)
{
    bool negative, yes;

    IA_TRY(accept_word(p, "not", &negative));
    IA_TRY(accept_word(p, "null", &yes));
    if (!yes)
        return wrong(p, "expected NULL");
    return ia_expr_unary(p->cx, p->arena, negative ? IA_EXPR_IS_NOT_NULL : IA_EXPR_IS_NULL, x, out);
}

static bool comparison(const parser *p, ia_expr_op *op)
{
    static const struct { const char *text; ia_expr_op op; } ops[] = {
        {"=", IA_EXPR_EQ}, {"==", IA_EXPR_EQ}, {"!=", IA_EXPR_NE}, {"<>", IA_EXPR_NE}, {"<", IA_EXPR_LT},
        {"<=", IA_EXPR_LE}, {">", IA_EXPR_GT}, {">=", IA_EXPR_GE}};

    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (is_symbol(p, ops[i].text)) {
            *op = ops[i].op;
            return true;
        }
    return false;
}

/* IN, BETWEEN, LIKE after an optional NOT. */
static ia_status word_test(parser *p, ia_expr *x, ia_expr **out)
{
    bool negative, yes;

    IA_TRY(accept_word(p, "not", &negative));
    IA_TRY(accept_word(p, "in", &yes));
    if (yes) {
        IA_TRY(in_list(p, x, out));
    } else {
        IA_TRY(accept_word(p, "between", &yes));
        if (yes) {
            IA_TRY(between(p, x, out));
        } else {
            IA_TRY(accept_word(p, "like", &yes));
            if (!yes)
                return wrong(p, "expected IN, BETWEEN or LIKE");
            IA_TRY(like(p, x, out));
        }
    }
    return negative ? ia_expr_unary(p->cx, p->arena, IA_EXPR_NOT, *out, out) : IA_OK;
}

static ia_status parse_test(parser *p, ia_expr **out)
{
    ia_expr *x, *y;
    ia_expr_op op;
    bool yes;

    if (is_symbol(p, "(")) {
        IA_TRY(next(p));
        IA_TRY(parse_or(p, out));
        return expect(p, ")");
    }
    IA_TRY(value(p, &x));
    if (comparison(p, &op)) {
        IA_TRY(next(p));
        IA_TRY(value(p, &y));
        return ia_expr_binary(p->cx, p->arena, op, x, y, out);
    }
    IA_TRY(accept_word(p, "is", &yes));
    if (yes)
        return is_null(p, x, out);
    if (is_word(p, "not") || is_word(p, "in") || is_word(p, "between") || is_word(p, "like"))
        return word_test(p, x, out);
    *out = x;
    return IA_OK;
}

static ia_status parse_not(parser *p, ia_expr **out)
{
    bool negative;

    if (++p->depth > MAX_NESTING)
        return wrong(p, "the filter is nested too deep");
    IA_TRY(accept_word(p, "not", &negative));
    if (negative) {
        IA_TRY(parse_not(p, out));
        IA_TRY(ia_expr_unary(p->cx, p->arena, IA_EXPR_NOT, *out, out));
    } else {
        IA_TRY(parse_test(p, out));
    }
    p->depth--;
    return IA_OK;
}

static ia_status parse_and(parser *p, ia_expr **out)
{
    ia_expr *r;
    bool more;

    IA_TRY(parse_not(p, out));
    for (;;) {
        IA_TRY(accept_word(p, "and", &more));
        if (!more)
            return IA_OK;
        IA_TRY(parse_not(p, &r));
        IA_TRY(ia_expr_binary(p->cx, p->arena, IA_EXPR_AND, *out, r, out));
    }
}

static ia_status parse_or(parser *p, ia_expr **out)
{
    ia_expr *r;
    bool more;

    IA_TRY(parse_and(p, out));
    for (;;) {
        IA_TRY(accept_word(p, "or", &more));
        if (!more)
            return IA_OK;
        IA_TRY(parse_and(p, &r));
        IA_TRY(ia_expr_binary(p->cx, p->arena, IA_EXPR_OR, *out, r, out));
    }
}

ia_status ia_sql_filter_parse(ia_ctx *cx, ia_arena *a, const char *text, size_t len, ia_expr **out)
{
    parser p = {.cx = cx, .arena = a, .start = text, .p = text, .end = text + len};
    ia_expr *e = NULL;

    *out = NULL;
    IA_TRY(next(&p));
    if (p.t.kind == T_END)
        return wrong(&p, "expected a condition");
    IA_TRY(parse_or(&p, &e));
    if (p.t.kind != T_END)
        return wrong(&p, "expected AND, OR or the end");
    *out = e;
    return IA_OK;
}
