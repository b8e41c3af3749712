/* sql_filter.c - the filter text that Lance users write, into an expression tree. */
#include "base/ids.h"
#include "expr/expr_priv.h"

#include <math.h>

/*   or    = and { OR and }      and = not { AND not }      not = NOT not | test
 *   test  = value [ comparison value | IS [NOT] NULL | IS [NOT] TRUE | IS [NOT] FALSE
 *                 | [NOT] IN (...) | [NOT] BETWEEN value AND value | [NOT] LIKE string ]
 *   value = "(" or ")" | column | literal | call           Keywords in any case. */

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

    const size_t column = (size_t)(p->t.at - p->start) + 1;

    if (p->t.kind == T_END)
        return ia_fail(p->cx, IA_ERR_INVALID, "filter: column %zu: %s, but the text ends", column,
                       what);
    return ia_fail(p->cx, IA_ERR_INVALID, "filter: column %zu: %s, not '%.*s'", column, what, n,
                   p->t.at);
}

/* ---- tokens -------------------------------------------------------------------------------- */

static bool word_char(char c, bool first)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c >= 0x80 || (!first && ((c >= '0' && c <= '9') || c == '.'));
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
            return ia_fail(p->cx, IA_ERR_INVALID,
                           "filter: column %zu: the quote %c is never closed",
                           (size_t)(p->p - p->start) + 1, c);
    } else {
        p->t.kind = T_SYMBOL;
        if (q < p->end && ((c && strchr("<>!=", c) && *q == '=') || (c == '<' && *q == '>')))
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

/* Digits alone as an integer; false when they are more than 64 bits hold. */
static bool whole(const tok *t, uint64_t *out)
{
    size_t i;

    *out = 0;
    for (i = 0; i < t->len; i++)
        if (!digit(t->at[i]) || !ia_mul_u64(out, *out, 10) ||
            !ia_add_u64(out, *out, (uint64_t)(t->at[i] - '0')))
            return false;
    return true;
}

/* Integers stay exact up to 64 bits; what is larger or has a point or exponent is a double. */
static ia_status number(parser *p, bool negative, ia_scalar *out)
{
    uint64_t u;
    double d;

    if (whole(&p->t, &u) && (!negative || u <= (uint64_t)1 << 63)) {
        if (negative)
            *out = ia_scalar_i64((int64_t)(0 - u));
        else
            *out = u <= INT64_MAX ? ia_scalar_i64((int64_t)u) : ia_scalar_u64(u);
        return next(p);
    }
    if (!ia_double_parse(p->t.at, p->t.len, &d))
        return wrong(p, "expected a number");
    if (!isfinite(d))
        return wrong(p, "expected a number that fits a double");
    *out = ia_scalar_f64(negative ? -d : d);
    return next(p);
}

static int hex_digit(char c)
{
    if (digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* x'0aff' after the x. */
static ia_status hex(parser *p, ia_scalar *out)
{
    size_t n, i;
    char *s;

    IA_TRY(unquote(p, &s, &n));
    for (i = 0; i < n; i += 2) {
        const int hi = hex_digit(s[i]), lo = i + 1 < n ? hex_digit(s[i + 1]) : -1;

        if (hi < 0 || lo < 0)
            return wrong(p, "expected pairs of hex digits");
        s[i / 2] = (char)(hi * 16 + lo);
    }
    *out = ia_scalar_str(s, n / 2);
    out->type = ia_type_basic(IA_TYPE_BINARY);
    return next(p);
}

/* The quoted part of date '...', timestamp '...' and time '...'. */
static ia_status temporal(parser *p, const char *word, ia_scalar *out)
{
    ia_time_unit unit;
    int32_t days;
    int64_t v;
    size_t n;
    char *s;

    IA_TRY(unquote(p, &s, &n));
    if (strcmp(word, "date") == 0) {
        if (!ia_date_parse(s, n, &days))
            return wrong(p, "expected a date as '2026-01-31'");
        *out = ia_scalar_date32(days);
    } else if (strcmp(word, "timestamp") == 0) {
        if (!ia_timestamp_parse(s, n, &v, &unit))
            return wrong(p, "expected a time as '2026-01-31T12:00:00Z'");
        *out = ia_scalar_timestamp(v, unit);
    } else {
        if (!ia_time_parse(s, n, &v))
            return wrong(p, "expected a time of day as '12:30:00'");
        *out = ia_scalar_i64(v);
        out->type = ia_type_time_basic(IA_TYPE_TIME64, IA_UNIT_NS);
    }
    return next(p);
}

/* A word right before a string: date, timestamp, time, x. Elsewhere those are column names. */
static ia_status prefixed(parser *p, ia_scalar *out, bool *found)
{
    static const char *const words[] = {"date", "timestamp", "time", "x"};
    const tok word = p->t;
    const char *after = p->p;
    size_t i;

    *found = false;
    for (i = 0; i < 4 && !is_word(p, words[i]); i++)
        continue;
    if (i == 4)
        return IA_OK;
    IA_TRY(next(p));
    *found = p->t.kind == T_STRING;
    if (*found)
        return i < 3 ? temporal(p, words[i], out) : hex(p, out);
    p->t = word;
    p->p = after;
    return IA_OK;
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
    return prefixed(p, out, found);
}

/* ---- values, tests ------------------------------------------------------------------------- */

static ia_status call(parser *p, ia_expr_op op, ia_expr **out);

static ia_status value(parser *p, ia_expr **out)
{
    static const struct { const char *name; ia_expr_op op;
    } calls[] = {{"array_has", IA_EXPR_HAS},
                 {"array_contains", IA_EXPR_HAS},
                 {"starts_with", IA_EXPR_STARTS_WITH},
                 {"contains", IA_EXPR_CONTAINS}};
    ia_scalar lit;
    char *name;
    size_t n;
    bool found;

    if (is_symbol(p, "(")) {
        IA_TRY(next(p));
        IA_TRY(parse_or(p, out));
        return expect(p, ")");
    }
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

/* IS TRUE and IS FALSE are never null: x = true AND x IS NOT NULL. */
static ia_status is_truth(parser *p, ia_expr *x, bool negative, ia_expr **out)
{
    const ia_scalar v = ia_scalar_bool(is_word(p, "true"));
    ia_expr *lit, *same, *known;

    IA_TRY(next(p));
    IA_TRY(ia_expr_literal(p->cx, p->arena, &v, &lit));
    IA_TRY(ia_expr_binary(p->cx, p->arena, IA_EXPR_EQ, x, lit, &same));
    IA_TRY(ia_expr_unary(p->cx, p->arena, IA_EXPR_IS_NOT_NULL, x, &known));
    IA_TRY(ia_expr_binary(p->cx, p->arena, IA_EXPR_AND, same, known, out));
    return negative ? ia_expr_unary(p->cx, p->arena, IA_EXPR_NOT, *out, out) : IA_OK;
}

static ia_status is_test(parser *p, ia_expr *x, ia_expr **out)
{
    bool negative, yes;

    IA_TRY(accept_word(p, "not", &negative));
    if (is_word(p, "true") || is_word(p, "false"))
        return is_truth(p, x, negative, out);
    IA_TRY(accept_word(p, "null", &yes));
    if (!yes)
        return wrong(p, "expected NULL, TRUE or FALSE");
    return ia_expr_unary(p->cx, p->arena, negative ? IA_EXPR_IS_NOT_NULL : IA_EXPR_IS_NULL, x, out);
}

static bool comparison(const parser *p, ia_expr_op *op)
{
    static const struct { const char *text; ia_expr_op op;
    } ops[] = {{"=", IA_EXPR_EQ}, {"==", IA_EXPR_EQ}, {"!=", IA_EXPR_NE}, {"<>", IA_EXPR_NE},
               {"<", IA_EXPR_LT}, {"<=", IA_EXPR_LE}, {">", IA_EXPR_GT},  {">=", IA_EXPR_GE}};

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

    IA_TRY(value(p, &x));
    if (comparison(p, &op)) {
        IA_TRY(next(p));
        IA_TRY(value(p, &y));
        return ia_expr_binary(p->cx, p->arena, op, x, y, out);
    }
    IA_TRY(accept_word(p, "is", &yes));
    if (yes)
        return is_test(p, x, out);
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

/* Conditions joined by one word, as one node: a long chain must not nest. */
static ia_status parse_chain(parser *p, const char *word, ia_expr_op op,
                             ia_status (*part)(parser *, ia_expr **), ia_expr **out)
{
    ia_expr **args = NULL, *e = NULL;
    size_t n = 0, cap = 0;
    bool more = true;
    ia_status st = IA_OK;

    while (more) {
        IA_GO(IA_GROW(p->cx, args, cap, n + 1));
        IA_GO(part(p, &args[n]));
        n++;
        IA_GO(accept_word(p, word, &more));
    }
    e = args[0];
    if (n > 1) {
        IA_GO(ia_expr_binary(p->cx, p->arena, op, args[0], args[1], &e));
        IA_GO(IA_ARENA_ARRAY(p->cx, p->arena, e->args, n));
        memcpy(e->args, args, n * sizeof *args);
        e->n_args = n;
    }
    *out = e;
done:
    ia_free(args);
    return st;
}

static ia_status parse_and(parser *p, ia_expr **out)
{
    return parse_chain(p, "and", IA_EXPR_AND, parse_not, out);
}

static ia_status parse_or(parser *p, ia_expr **out)
{
    return parse_chain(p, "or", IA_EXPR_OR, parse_and, out);
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
