/* gq_parse_expr.c - parser of literals and expressions of the query language. */
#include "lang/query/query_priv.h"

#include "base/ids.h"

bool gq_base_type(const ia_cursor *c, const ia_token *t, ia_pkind *out)
{
    static const struct {
        const char *name;
        ia_pkind kind;
    } types[] = {
        {"String", IA_PK_STRING},     {"Bool", IA_PK_BOOL}, {"I32", IA_PK_I32},
        {"I64", IA_PK_I64},           {"U32", IA_PK_U32},   {"U64", IA_PK_U64},
        {"F32", IA_PK_F32},           {"F64", IA_PK_F64},   {"Date", IA_PK_DATE},
        {"DateTime", IA_PK_DATETIME},
    };
    size_t i;

    for (i = 0; i < sizeof types / sizeof *types; i++) {
        if (ia_token_is_word(c, t, types[i].name)) {
            *out = types[i].kind;
            return true;
        }
    }
    return false;
}

bool gq_is_search_word(const ia_cursor *c)
{
    static const char *const words[] = {"search", "fuzzy", "match_text", "nearest", "bm25", "rrf"};
    ia_token next;
    size_t i;

    if (c->tok.kind != IA_TOK_IDENT)
        return false;
    for (i = 0; i < sizeof words / sizeof *words; i++) {
        if (!ia_cursor_is_word(c, words[i]))
            continue;
        next = ia_cursor_peek(c);
        return ia_token_is_op(&next, '(');
    }
    return false;
}

bool gq_take_op(ia_cursor *c, bool words, ia_gq_op *out)
{
    if (words && ia_cursor_is_word(c, "contains")) {
        *out = IA_GQ_CONTAINS;
    } else if (words && ia_cursor_is_word(c, "starts_with")) {
        *out = IA_GQ_STARTS_WITH;
    } else if (c->tok.kind != IA_TOK_OP) {
        return false;
    } else {
        switch (c->tok.op) {
        case '=':
            *out = IA_GQ_EQ;
            break;
        case '<':
            *out = IA_GQ_LT;
            break;
        case '>':
            *out = IA_GQ_GT;
            break;
        case IA_OP_NE:
            *out = IA_GQ_NE;
            break;
        case IA_OP_LE:
            *out = IA_GQ_LE;
            break;
        case IA_OP_GE:
            *out = IA_GQ_GE;
            break;
        default:
            return false;
        }
    }
    ia_cursor_advance(c);
    return true;
}

/* ---- literals ---------------------------------------------------------------------------------
 */

static ia_status parse_literal(ia_cursor *c, gq_expr *out);

/* date("...") or datetime("..."), the cursor on the word. */
static ia_status parse_time(ia_cursor *c, bool with_time, gq_expr *out)
{
    const char *text;
    ia_span at;
    int32_t days = 0;
    int64_t ms = 0;

    ia_cursor_advance(c);
    IA_TRY(ia_cursor_expect_op(c, '(', "`(`"));
    IA_TRY(ia_cursor_expect(c, IA_TOK_STRING,
                            with_time ? "a date-time in quotes" : "a date in quotes", &text, &at));
    if (with_time ? !ia_datetime_parse(text, strlen(text), &ms)
                  : !ia_date_parse(text, strlen(text), &days))
        return ia_diag(c->cx, IA_ERR_INVALID, c->src, at, "parse error: \"%.60s\" is no %s", text,
                       with_time ? "date-time (YYYY-MM-DDTHH:MM:SSZ)" : "date (YYYY-MM-DD)");
    out->value.kind = with_time ? IA_GQ_DATETIME : IA_GQ_DATE;
    out->value.i = with_time ? ms : days;
    out->type.scalar = with_time ? IA_PK_DATETIME : IA_PK_DATE;
    return ia_cursor_expect_op(c, ')', "`)`");
}

static bool same_family(const gq_expr *a, const gq_expr *b)
{
    bool num = ia_pkind_is_number(a->type.scalar) && ia_pkind_is_number(b->type.scalar);

    return !b->type.is_list && (num || a->type.scalar == b->type.scalar);
}

static ia_status parse_list(ia_cursor *c, gq_expr *out)
{
    struct {
        gq_expr *items;
        size_t n, cap;
    } list = {NULL, 0, 0};
    ia_gq_value *values = NULL;
    size_t i;

    IA_TRY(ia_cursor_enter(c));
    ia_cursor_advance(c);
    while (!ia_cursor_is_op(c, ']')) {
        gq_expr *item = NULL;
        IA_TRY(ia_cursor_room(c, list.n, IA_LANG_ITEMS, "list items"));
        IA_TRY(IA_PUSH(c->cx, c->arena, &list, item));
        IA_TRY(parse_literal(c, item));
        if (!ia_cursor_take_op(c, ','))
            break;
        if (ia_cursor_is_op(c, ']'))
            return ia_cursor_expected(c, "a list item");
    }
    IA_TRY(ia_cursor_expect_op(c, ']', "`,` or `]`"));
    c->depth--;
    if (list.n)
        IA_TRY(IA_ARENA_ARRAY(c->cx, c->arena, values, list.n));
    for (i = 0; i < list.n; i++) {
        values[i] = list.items[i].value;
        if (list.items[i].type.is_list || !same_family(&list.items[0], &list.items[i]))
            out->mixed = true;
        if (list.items[i].type.scalar == IA_PK_F64)
            list.items[0].type.scalar = IA_PK_F64; /* integers and floats mixed are floats */
    }
    out->value.kind = IA_GQ_LIST;
    out->value.items = values;
    out->value.n = list.n;
    out->type.scalar = list.n ? list.items[0].type.scalar : IA_PK_STRING;
    out->type.is_list = true;
    return IA_OK;
}

static ia_status parse_number(ia_cursor *c, gq_expr *out)
{
    ia_token t = c->tok;
    uint64_t v = 0;

    if (t.kind == IA_TOK_INT) {
        IA_TRY(ia_cursor_u64(c, INT64_MAX, "the integer", &v));
        out->value.kind = IA_GQ_INT;
        out->value.i = (int64_t)v;
        out->type.scalar = IA_PK_I64;
        return IA_OK;
    }
    out->value.kind = IA_GQ_FLOAT;
    out->type.scalar = IA_PK_F64;
    IA_TRY(ia_cursor_double(c, &t, &out->value.f));
    ia_cursor_advance(c);
    return IA_OK;
}

static ia_status parse_literal_at(ia_cursor *c, gq_expr *out)
{
    ia_token t = c->tok;
    ia_token next = ia_cursor_peek(c);
    const char *text;

    if (ia_cursor_is_op(c, '['))
        return parse_list(c, out);
    if (t.kind == IA_TOK_INT || t.kind == IA_TOK_FLOAT)
        return parse_number(c, out);
    if (t.kind == IA_TOK_STRING) {
        ia_cursor_advance(c);
        IA_TRY(ia_cursor_text(c, &t, &text));
        out->value.kind = IA_GQ_STRING;
        out->value.s = ia_view_of(text);
        out->type.scalar = IA_PK_STRING;
        return IA_OK;
    }
    if (ia_cursor_is_word(c, "true") || ia_cursor_is_word(c, "false")) {
        out->value.kind = IA_GQ_BOOL;
        out->value.b = ia_cursor_is_word(c, "true");
        out->type.scalar = IA_PK_BOOL;
        ia_cursor_advance(c);
        return IA_OK;
    }
    if (ia_token_is_op(&next, '(') &&
        (ia_cursor_is_word(c, "date") || ia_cursor_is_word(c, "datetime")))
        return parse_time(c, ia_cursor_is_word(c, "datetime"), out);
    return ia_cursor_expected(c, "a value");
}

static ia_status parse_literal(ia_cursor *c, gq_expr *out)
{
    ia_span at = c->tok.span;

    memset(out, 0, sizeof *out);
    out->kind = GQ_LITERAL;
    IA_TRY(parse_literal_at(c, out));
    out->span = ia_span_join(at, c->prev);
    return IA_OK;
}

/* ---- expressions ------------------------------------------------------------------------------
 */

static ia_status parse_now(ia_cursor *c, gq_expr *out)
{
    out->kind = GQ_NOW;
    ia_cursor_advance(c);
    ia_cursor_advance(c);
    return ia_cursor_expect_op(c, ')', "`)`");
}

static bool at_now(const ia_cursor *c)
{
    ia_token next;

    if (!ia_cursor_is_word(c, "now"))
        return false;
    next = ia_cursor_peek(c);
    return ia_token_is_op(&next, '(');
}

ia_status gq_parse_value(ia_cursor *c, gq_expr *out)
{
    ia_span at = c->tok.span;

    memset(out, 0, sizeof *out);
    if (c->tok.kind == IA_TOK_VAR) {
        out->kind = GQ_VAR;
        return ia_cursor_expect(c, IA_TOK_VAR, "a variable", &out->name, &out->span);
    }
    if (!at_now(c))
        return parse_literal(c, out);
    IA_TRY(parse_now(c, out));
    out->span = ia_span_join(at, c->prev);
    return IA_OK;
}

static ia_status parse_args(ia_cursor *c, size_t min, size_t max, gq_expr *out)
{
    IA_TRY(ia_cursor_enter(c));
    IA_TRY(ia_cursor_expect_op(c, '(', "`(`"));
    do {
        if (out->n_args == max)
            return ia_cursor_expected(c, "`)`: too many arguments");
        IA_TRY(IA_ARENA_NEW(c->cx, c->arena, out->args[out->n_args]));
        IA_TRY(gq_parse_expr(c, out->args[out->n_args]));
        out->n_args++;
    } while (ia_cursor_take_op(c, ','));
    if (out->n_args < min)
        return ia_cursor_expected(c, "`,` and one more argument");
    IA_TRY(ia_cursor_expect_op(c, ')', "`)`"));
    c->depth--;
    return IA_OK;
}

static bool aggregate_of(const ia_cursor *c, ia_gq_agg *out)
{
    static const char *const names[] = {"count", "sum", "avg", "min", "max"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (ia_cursor_is_word(c, names[i])) {
            *out = (ia_gq_agg)i;
            return true;
        }
    }
    return false;
}

static ia_status parse_search(ia_cursor *c, gq_expr *out)
{
    bool three = ia_cursor_is_word(c, "fuzzy") || ia_cursor_is_word(c, "rrf");
    bool rank = ia_cursor_is_word(c, "rrf");
    bool vector = ia_cursor_is_word(c, "nearest");
    size_t i;

    out->kind = GQ_SEARCH;
    IA_TRY(ia_cursor_expect(c, IA_TOK_IDENT, "a function", &out->name, NULL));
    IA_TRY(parse_args(c, 2, three ? 3 : 2, out));
    if (vector && out->args[0]->kind != GQ_PROP)
        return ia_diag(
            c->cx, IA_ERR_INVALID, c->src, out->args[0]->span,
            "parse error: the first argument of nearest must be a property: $v.embedding");
    for (i = 0; rank && i < 2; i++)
        if (out->args[i]->kind != GQ_SEARCH ||
            (strcmp(out->args[i]->name, "nearest") != 0 && strcmp(out->args[i]->name, "bm25") != 0))
            return ia_diag(c->cx, IA_ERR_INVALID, c->src, out->args[i]->span,
                           "parse error: rrf combines nearest(...) and bm25(...)");
    return IA_OK;
}

static ia_status parse_variable(ia_cursor *c, gq_expr *out)
{
    out->kind = GQ_VAR;
    IA_TRY(ia_cursor_expect(c, IA_TOK_VAR, "a variable", &out->name, NULL));
    if (!ia_cursor_take_op(c, '.'))
        return IA_OK;
    out->kind = GQ_PROP;
    return ia_cursor_expect(c, IA_TOK_IDENT, "a property name", &out->prop, &out->prop_span);
}

static ia_status parse_expr_at(ia_cursor *c, gq_expr *out)
{
    ia_token next = ia_cursor_peek(c);
    bool call = ia_token_is_op(&next, '(');

    if (c->tok.kind == IA_TOK_VAR)
        return parse_variable(c, out);
    if (c->tok.kind != IA_TOK_IDENT || ia_cursor_is_word(c, "true") ||
        ia_cursor_is_word(c, "false"))
        return parse_literal(c, out);
    if (!call) {
        out->kind = GQ_ALIAS;
        return ia_cursor_expect(c, IA_TOK_IDENT, "a name", &out->name, NULL);
    }
    if (at_now(c))
        return parse_now(c, out);
    if (gq_is_search_word(c))
        return parse_search(c, out);
    if (aggregate_of(c, &out->agg)) {
        out->kind = GQ_AGG;
        ia_cursor_advance(c);
        return parse_args(c, 1, 1, out);
    }
    if (ia_cursor_is_word(c, "date") || ia_cursor_is_word(c, "datetime"))
        return parse_literal(c, out);
    return ia_cursor_expected(c, "a function (now, date, datetime, count, sum, avg, min, max)");
}

ia_status gq_parse_expr(ia_cursor *c, gq_expr *out)
{
    ia_span at = c->tok.span;

    memset(out, 0, sizeof *out);
    IA_TRY(parse_expr_at(c, out));
    out->span = ia_span_join(at, c->prev);
    return IA_OK;
}
