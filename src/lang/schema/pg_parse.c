/* pg_parse.c - parser of the schema language. */
#include "lang/schema/schema_priv.h"

#include "base/ids.h"

bool pg_constraint_kind_of(const char *name, pg_constraint_kind *out)
{
    static const char *const names[] = {"key", "unique", "index", "range", "check"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (pg_constraint_kind)i;
            return true;
        }
    }
    return false;
}

static ia_status fail_at(ia_cursor *c, ia_span span, const char *text)
{
    return ia_diag(c->cx, IA_ERR_INVALID, c->src, span, "parse error: %s", text);
}

static ia_status parse_literal(ia_cursor *c, bool allow_ident, const char *what, pg_literal *out)
{
    ia_token t = c->tok;

    memset(out, 0, sizeof *out);
    switch (t.kind) {
    case IA_TOK_STRING:
        out->kind = PG_LIT_STRING;
        break;
    case IA_TOK_INT:
        out->kind = PG_LIT_INT;
        break;
    case IA_TOK_FLOAT:
        out->kind = PG_LIT_FLOAT;
        break;
    case IA_TOK_IDENT:
        if (ia_cursor_is_word(c, "true") || ia_cursor_is_word(c, "false"))
            out->kind = PG_LIT_BOOL;
        else if (allow_ident)
            out->kind = PG_LIT_IDENT;
        break;
    case IA_TOK_END:
    case IA_TOK_BAD:
    case IA_TOK_TYPE:
    case IA_TOK_VAR:
    case IA_TOK_OP:
        break;
    }
    if (out->kind == PG_LIT_NONE)
        return ia_cursor_expected(c, what);
    out->span = t.span;
    ia_cursor_advance(c);
    return ia_cursor_text(c, &t, &out->text);
}

static ia_status parse_annotation_args(ia_cursor *c, pg_annotation *a)
{
    a->has_args = true;
    IA_TRY(parse_literal(c, true, "a value", &a->value));
    while (ia_cursor_take_op(c, ',')) {
        pg_kwarg *k = NULL;
        IA_TRY(ia_cursor_room(c, a->kwargs.n, IA_LANG_MEMBERS, "arguments"));
        IA_TRY(IA_PUSH(c->cx, c->arena, &a->kwargs, k));
        IA_TRY(ia_cursor_expect(c, IA_TOK_IDENT, "an argument name", &k->name, NULL));
        IA_TRY(ia_cursor_expect_op(c, '=', "`=`"));
        IA_TRY(parse_literal(c, false, "a string, number or boolean", &k->value));
    }
    return ia_cursor_expect_op(c, ')', "`)`");
}

/* True when the cursor stands at `@name (` with a constraint name: a member of the body. */
static bool at_constraint(const ia_cursor *c)
{
    ia_cursor ahead = *c;
    char name[8];
    pg_constraint_kind kind;

    if (!ia_cursor_is_op(c, '@'))
        return false;
    ia_cursor_advance(&ahead);
    if (ahead.tok.kind != IA_TOK_IDENT || ahead.tok.span.length >= sizeof name)
        return false;
    memcpy(name, c->src->text + ahead.tok.span.offset, ahead.tok.span.length);
    name[ahead.tok.span.length] = 0;
    if (!pg_constraint_kind_of(name, &kind))
        return false;
    ia_cursor_advance(&ahead);
    return ia_cursor_is_op(&ahead, '(');
}

static ia_status parse_annotations(ia_cursor *c, pg_annotations *list)
{
    while (ia_cursor_is_op(c, '@') && !at_constraint(c)) {
        pg_annotation *a = NULL;
        ia_span at = c->tok.span;
        pg_constraint_kind kind;

        IA_TRY(ia_cursor_room(c, list->n, IA_LANG_MEMBERS, "annotations"));
        IA_TRY(IA_PUSH(c->cx, c->arena, list, a));
        ia_cursor_advance(c);
        IA_TRY(ia_cursor_expect(c, IA_TOK_IDENT, "an annotation name", &a->name, NULL));
        a->span = ia_span_join(at, c->prev);
        if (strcmp(a->name, "card") == 0)
            return fail_at(c, a->span,
                           "@card is written once, directly after the end-points of an edge, "
                           "as @card(lo..hi) or @card(lo..)");
        if (pg_constraint_kind_of(a->name, &kind) && (kind == PG_RANGE || kind == PG_CHECK))
            return ia_diag(c->cx, IA_ERR_INVALID, c->src, a->span,
                           "parse error: @%s is a member of the body: @%s(property, ...)", a->name,
                           a->name);
        if (ia_cursor_take_op(c, '('))
            IA_TRY(parse_annotation_args(c, a));
    }
    return IA_OK;
}

static const struct {
    const char *name;
    ia_pkind scalar;
} base_types[] = {
    {"String", IA_PK_STRING}, {"Bool", IA_PK_BOOL},         {"I32", IA_PK_I32}, {"I64", IA_PK_I64},
    {"U32", IA_PK_U32},       {"U64", IA_PK_U64},           {"F32", IA_PK_F32}, {"F64", IA_PK_F64},
    {"Date", IA_PK_DATE},     {"DateTime", IA_PK_DATETIME},
};

static bool take_base_type(ia_cursor *c, ia_pkind *out)
{
    size_t i;

    for (i = 0; i < sizeof base_types / sizeof *base_types; i++) {
        if (ia_cursor_take_word(c, base_types[i].name)) {
            *out = base_types[i].scalar;
            return true;
        }
    }
    return false;
}

static ia_status parse_enum(ia_cursor *c, pg_property *p)
{
    p->type.scalar = IA_PK_ENUM;
    ia_cursor_advance(c);
    if (!ia_cursor_is_op(c, '('))
        return ia_cursor_expected(c, "`(`");
    do {
        const char **slot = NULL;
        const char *text;
        ia_token t;
        size_t i;

        /* The token ahead may be cut differently as an enum value: `2d`, `ex-yc`. */
        ia_cursor_advance(c);
        ia_lexer_rewind(&c->lx, &c->tok);
        t = ia_lexer_enum_value(&c->lx);
        c->tok = t;
        if (t.kind != IA_TOK_IDENT)
            return ia_cursor_expected(c, "an enum value (letters, digits, `_`, `-`)");
        IA_TRY(ia_cursor_text(c, &t, &text));
        for (i = 0; i < p->enum_values.n; i++)
            if (strcmp(p->enum_values.items[i], text) == 0)
                return ia_diag(c->cx, IA_ERR_INVALID, c->src, t.span,
                               "parse error: duplicate enum value `%s` of `%s`", text, p->name);
        IA_TRY(ia_cursor_room(c, p->enum_values.n, IA_LANG_ENUM, "enum values"));
        IA_TRY(IA_PUSH(c->cx, c->arena, &p->enum_values, slot));
        *slot = text;
        ia_cursor_advance(c);
    } while (ia_cursor_is_op(c, ','));
    return ia_cursor_expect_op(c, ')', "`,` or `)`");
}

static ia_status parse_vector(ia_cursor *c, pg_property *p)
{
    uint64_t dim = 0;
    ia_span at;

    p->type.scalar = IA_PK_VECTOR;
    ia_cursor_advance(c);
    IA_TRY(ia_cursor_expect_op(c, '(', "`(`"));
    at = c->tok.span;
    IA_TRY(ia_cursor_u64(c, INT32_MAX, "the vector dimension", &dim));
    if (dim == 0)
        return fail_at(c, at, "the vector dimension must be at least 1");
    p->type.dim = (int32_t)dim;
    return ia_cursor_expect_op(c, ')', "`)`");
}

static ia_status parse_type(ia_cursor *c, pg_property *p)
{
    ia_span at = c->tok.span;

    if (ia_cursor_take_op(c, '[')) {
        p->type.is_list = true;
        if (ia_cursor_is_word(c, "Blob"))
            return fail_at(c, c->tok.span, "a list of Blob is not a type");
        if (!take_base_type(c, &p->type.scalar))
            return ia_cursor_expected(
                c, "the base type of list items (String, Bool, I32, ..., DateTime)");
        IA_TRY(ia_cursor_expect_op(c, ']', "`]`"));
    } else if (ia_cursor_is_word(c, "enum")) {
        IA_TRY(parse_enum(c, p));
    } else if (ia_cursor_is_word(c, "Vector")) {
        IA_TRY(parse_vector(c, p));
    } else if (ia_cursor_take_word(c, "Blob")) {
        p->is_blob = true;
    } else if (!take_base_type(c, &p->type.scalar)) {
        return ia_cursor_expected(
            c, "a property type (String, Bool, I32, I64, U32, U64, F32, F64, Date, DateTime, "
               "enum(...), Vector(n), [T])");
    }
    p->type.nullable = ia_cursor_take_op(c, '?');
    p->type_span = ia_span_join(at, c->prev);
    return IA_OK;
}

static ia_status parse_property(ia_cursor *c, pg_properties *list)
{
    pg_property *p = NULL;

    IA_TRY(ia_cursor_room(c, list->n, IA_LANG_MEMBERS, "properties"));
    IA_TRY(IA_PUSH(c->cx, c->arena, list, p));
    IA_TRY(ia_cursor_expect(c, IA_TOK_IDENT, "a property name (lower-case first letter) or `}`",
                            &p->name, &p->span));
    IA_TRY(ia_cursor_expect_op(c, ':', "`:`"));
    IA_TRY(parse_type(c, p));
    return parse_annotations(c, &p->annotations);
}

/* Canonical number text: no leading zeros before the point, none after the last digit behind it. */
static ia_status parse_bound(ia_cursor *c, ia_bound *out)
{
    bool minus = ia_cursor_take_op(c, '-');
    ia_token t = c->tok;
    uint64_t v = 0;
    char real[32];

    if (t.kind == IA_TOK_INT) {
        IA_TRY(ia_cursor_u64(c, minus ? (uint64_t)INT64_MAX + 1 : UINT64_MAX, "the bound", &v));
        if (minus || v <= (uint64_t)INT64_MAX) {
            out->kind = IA_BOUND_I64;
            out->i = minus ? (int64_t)(0 - v) : (int64_t)v;
            return IA_SET(c->cx, out->text,
                          ia_arena_sprintf(c->cx, c->arena, "%lld", (long long)out->i));
        }
        out->kind = IA_BOUND_U64;
        out->u = v;
        return IA_SET(c->cx, out->text,
                      ia_arena_sprintf(c->cx, c->arena, "%llu", (unsigned long long)v));
    }
    if (t.kind != IA_TOK_FLOAT)
        return ia_cursor_expected(c, "a number");
    ia_cursor_advance(c);
    out->kind = IA_BOUND_F64;
    IA_TRY(ia_cursor_double(c, &t, &out->f));
    if (minus)
        out->f = -out->f;
    ia_double_format(out->f, real);
    return IA_SET(c->cx, out->text, ia_arena_strdup(c->cx, c->arena, real));
}

static ia_status parse_arg(ia_cursor *c, pg_arg *arg)
{
    ia_span at = c->tok.span;
    ia_token next = ia_cursor_peek(c);
    bool number =
        ia_cursor_is_op(c, '-') || c->tok.kind == IA_TOK_INT || c->tok.kind == IA_TOK_FLOAT;

    if (ia_cursor_is_op(c, '-') || ia_cursor_is_op(c, IA_OP_DOTDOT) ||
        (number && ia_token_is_op(&next, IA_OP_DOTDOT))) {
        arg->is_range = true;
        if (number)
            IA_TRY(parse_bound(c, &arg->lo));
        IA_TRY(ia_cursor_expect_op(c, IA_OP_DOTDOT, "`..`"));
        if (!number || ia_cursor_is_op(c, '-') || c->tok.kind == IA_TOK_INT ||
            c->tok.kind == IA_TOK_FLOAT)
            IA_TRY(parse_bound(c, &arg->hi));
    } else {
        IA_TRY(parse_literal(c, true, "a property name, a value or a range", &arg->value));
    }
    arg->span = ia_span_join(at, c->prev);
    return IA_OK;
}

static ia_status parse_constraint(ia_cursor *c, pg_decl *d)
{
    pg_constraint *k = NULL;
    const char *name;
    ia_span at = c->tok.span;

    IA_TRY(ia_cursor_room(c, d->constraints.n, IA_LANG_MEMBERS, "constraints"));
    IA_TRY(IA_PUSH(c->cx, c->arena, &d->constraints, k));
    ia_cursor_advance(c);
    IA_TRY(ia_cursor_expect(c, IA_TOK_IDENT, "a constraint name", &name, NULL));
    k->span = ia_span_join(at, c->prev);
    if (!pg_constraint_kind_of(name, &k->kind)) {
        if (strcmp(name, "card") == 0)
            return fail_at(c, k->span,
                           "@card is written once, directly after the end-points of an edge, "
                           "as @card(lo..hi) or @card(lo..)");
        return ia_diag(c->cx, IA_ERR_INVALID, c->src, k->span,
                       "parse error: `@%s` is no constraint (key, unique, index, range, check)",
                       name);
    }
    IA_TRY(ia_cursor_expect_op(c, '(', "`(`"));
    do {
        pg_arg *arg = NULL;
        IA_TRY(ia_cursor_room(c, k->args.n, IA_LANG_MEMBERS, "arguments"));
        IA_TRY(IA_PUSH(c->cx, c->arena, &k->args, arg));
        IA_TRY(parse_arg(c, arg));
    } while (ia_cursor_take_op(c, ','));
    IA_TRY(ia_cursor_expect_op(c, ')', "`,` or `)`"));
    k->span = ia_span_join(at, c->prev);
    return IA_OK;
}

static ia_status parse_body(ia_cursor *c, pg_decl *d)
{
    IA_TRY(ia_cursor_expect_op(c, '{', "`{`"));
    while (!ia_cursor_take_op(c, '}')) {
        if (ia_cursor_is_op(c, '@') && d->kind != IA_KIND_INTERFACE)
            IA_TRY(parse_constraint(c, d));
        else if (ia_cursor_is_op(c, '@'))
            return fail_at(
                c, c->tok.span,
                "an interface holds properties only; write the constraint as an annotation "
                "of the property");
        else
            IA_TRY(parse_property(c, &d->properties));
    }
    return IA_OK;
}

static ia_status parse_card(ia_cursor *c, pg_decl *d)
{
    ia_span at = c->tok.span;

    ia_cursor_advance(c);
    ia_cursor_advance(c);
    IA_TRY(ia_cursor_expect_op(c, '(', "`(` (@card is written @card(lo..hi) or @card(lo..))"));
    IA_TRY(ia_cursor_u64(c, UINT64_MAX - 1, "the lower bound of @card", &d->card_min));
    IA_TRY(ia_cursor_expect_op(c, IA_OP_DOTDOT,
                               "`..` (@card is written @card(lo..hi) or @card(lo..))"));
    if (c->tok.kind == IA_TOK_INT)
        IA_TRY(ia_cursor_u64(c, UINT64_MAX - 1, "the upper bound of @card", &d->card_max));
    IA_TRY(ia_cursor_expect_op(c, ')', "`)`"));
    if (d->card_min > d->card_max)
        return fail_at(c, ia_span_join(at, c->prev),
                       "the lower bound of @card is above the upper one");
    return IA_OK;
}

static ia_status parse_edge(ia_cursor *c, pg_decl *d)
{
    ia_token next;

    d->card_max = UINT64_MAX;
    IA_TRY(ia_cursor_expect_op(c, ':', "`:` and the end-points (`edge E: A -> B`)"));
    IA_TRY(ia_cursor_expect(c, IA_TOK_TYPE, "the source node type", &d->from.text, &d->from.span));
    IA_TRY(ia_cursor_expect_op(c, IA_OP_ARROW, "`->`"));
    IA_TRY(ia_cursor_expect(c, IA_TOK_TYPE, "the destination node type", &d->to.text, &d->to.span));
    next = ia_cursor_peek(c);
    if (ia_cursor_is_op(c, '@') && ia_token_is_word(c, &next, "card"))
        IA_TRY(parse_card(c, d));
    IA_TRY(parse_annotations(c, &d->annotations));
    if (ia_cursor_is_op(c, '@'))
        return fail_at(c, c->tok.span, "a constraint belongs into the body: { @unique(src, dst) }");
    return ia_cursor_is_op(c, '{') ? parse_body(c, d) : IA_OK;
}

static ia_status parse_node(ia_cursor *c, pg_decl *d)
{
    IA_TRY(parse_annotations(c, &d->annotations));
    if (ia_cursor_is_op(c, '@'))
        return fail_at(c, c->tok.span, "a constraint belongs into the body: { @key(a, b) }");
    if (ia_cursor_take_word(c, "implements")) {
        do {
            pg_name *n = NULL;
            IA_TRY(ia_cursor_room(c, d->implements.n, IA_LANG_MEMBERS, "interfaces"));
            IA_TRY(IA_PUSH(c->cx, c->arena, &d->implements, n));
            IA_TRY(ia_cursor_expect(c, IA_TOK_TYPE, "an interface name", &n->text, &n->span));
        } while (ia_cursor_take_op(c, ','));
    }
    return parse_body(c, d);
}

static ia_status parse_decl(ia_cursor *c, pg_schema *s)
{
    pg_decl *d = NULL;
    ia_type_kind kind;

    if (ia_cursor_take_word(c, "node"))
        kind = IA_KIND_NODE;
    else if (ia_cursor_take_word(c, "edge"))
        kind = IA_KIND_EDGE;
    else if (ia_cursor_take_word(c, "interface"))
        kind = IA_KIND_INTERFACE;
    else
        return ia_cursor_expected(c, "`node`, `edge` or `interface`");
    IA_TRY(ia_cursor_room(c, s->decls.n, IA_LANG_TYPES, "declarations"));
    IA_TRY(IA_PUSH(c->cx, c->arena, &s->decls, d));
    d->kind = kind;
    IA_TRY(ia_cursor_expect(c, IA_TOK_TYPE, "a type name (upper-case first letter)", &d->name.text,
                            &d->name.span));
    if (kind == IA_KIND_EDGE)
        return parse_edge(c, d);
    if (kind == IA_KIND_NODE)
        return parse_node(c, d);
    return parse_body(c, d);
}

ia_status pg_parse(ia_ctx *cx, ia_arena *a, const ia_source *src, pg_schema *out)
{
    ia_cursor c;

    memset(out, 0, sizeof *out);
    IA_TRY(ia_source_check(cx, src));
    ia_cursor_init(&c, cx, a, src);
    while (c.tok.kind != IA_TOK_END)
        IA_TRY(parse_decl(&c, out));
    return IA_OK;
}
