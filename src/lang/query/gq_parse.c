/* gq_parse.c - parser of .gq files: queries, clauses, statements. */
#include "lang/query/query_priv.h"

static ia_status take_name(ia_cursor *c, ia_token_kind kind, const char *what, gq_name *out)
{
    return ia_cursor_expect(c, kind, what, &out->text, &out->span);
}

/* ---- match ------------------------------------------------------------------------------------
 */

static ia_status parse_pair(ia_cursor *c, gq_matches *list, const char *what)
{
    gq_match *m = NULL;

    IA_TRY(ia_cursor_room(c, list->n, IA_LANG_MEMBERS, "members"));
    IA_TRY(IA_PUSH(c->cx, c->arena, list, m));
    IA_TRY(ia_cursor_expect(c, IA_TOK_IDENT, what, &m->name, &m->name_span));
    IA_TRY(ia_cursor_expect_op(c, ':', "`:`"));
    IA_TRY(gq_parse_value(c, &m->value));
    m->span = ia_span_join(m->name_span, c->prev);
    return IA_OK;
}

static ia_status parse_binding(ia_cursor *c, gq_clause *out)
{
    out->kind = IA_GQ_BINDING;
    IA_TRY(take_name(c, IA_TOK_VAR, "a variable", &out->var));
    IA_TRY(ia_cursor_expect_op(c, ':', "`:`"));
    IA_TRY(take_name(c, IA_TOK_TYPE, "a node type (upper-case first letter)", &out->type));
    if (!ia_cursor_take_op(c, '{'))
        return IA_OK;
    do {
        IA_TRY(parse_pair(c, &out->matches, "a property name"));
    } while (ia_cursor_take_op(c, ',') && !ia_cursor_is_op(c, '}'));
    return ia_cursor_expect_op(c, '}', "`,` or `}`");
}

static ia_status parse_bounds(ia_cursor *c, gq_clause *out)
{
    ia_span at = c->tok.span;
    uint64_t v = 0;

    out->min_hops = 1;
    out->max_hops = 1;
    if (!ia_cursor_take_op(c, '{'))
        return IA_OK;
    out->has_bounds = true;
    IA_TRY(ia_cursor_u64(c, UINT32_MAX, "the lowest number of hops", &v));
    out->min_hops = (uint32_t)v;
    IA_TRY(ia_cursor_expect_op(c, ',', "`,` (bounds are written {min,max})"));
    if (c->tok.kind == IA_TOK_INT) {
        IA_TRY(ia_cursor_u64(c, UINT32_MAX, "the highest number of hops", &v));
        out->max_hops = (uint32_t)v;
        out->has_max = true;
    }
    IA_TRY(ia_cursor_expect_op(c, '}', "`}`"));
    out->bounds_span = ia_span_join(at, c->prev);
    return IA_OK;
}

static ia_status parse_edge_word(ia_cursor *c, gq_clause *out)
{
    if (ia_cursor_is_word(c, "not"))
        return ia_cursor_expected(c, "an edge word other than `not`");
    return take_name(c, IA_TOK_IDENT, "an edge word (lower-case first letter)", &out->type);
}

static ia_status parse_traversal(ia_cursor *c, gq_clause *out)
{
    out->kind = IA_GQ_TRAVERSAL;
    IA_TRY(take_name(c, IA_TOK_VAR, "a variable", &out->var));
    if (c->tok.kind == IA_TOK_VAR) {
        IA_TRY(take_name(c, IA_TOK_VAR, "a variable", &out->edge_var));
        IA_TRY(ia_cursor_expect_op(c, ':', "`:` and the edge word (`$a $w: knows $b`)"));
    }
    out->undirected = ia_cursor_take_op(c, '<');
    IA_TRY(parse_edge_word(c, out));
    if (out->undirected)
        IA_TRY(ia_cursor_expect_op(c, '>', "`>`"));
    IA_TRY(parse_bounds(c, out));
    return take_name(c, IA_TOK_VAR, "a variable (the other end of the traversal)", &out->right);
}

/* search(...), fuzzy(...) and match_text(...) stand alone for "... = true". */
static ia_status parse_filter(ia_cursor *c, gq_clause *out)
{
    bool alone =
        gq_is_search_word(c) && (ia_cursor_is_word(c, "search") || ia_cursor_is_word(c, "fuzzy") ||
                                 ia_cursor_is_word(c, "match_text"));

    out->kind = IA_GQ_FILTER;
    IA_TRY(gq_parse_expr(c, &out->lhs));
    if (gq_take_op(c, true, &out->op))
        return gq_parse_expr(c, &out->rhs);
    if (!alone)
        return ia_cursor_expected(c, "a comparison (=, !=, <, <=, >, >=, contains, starts_with)");
    out->rhs.kind = GQ_LITERAL;
    out->rhs.span = out->lhs.span;
    out->rhs.value.kind = IA_GQ_BOOL;
    out->rhs.value.b = true;
    out->rhs.type.scalar = IA_PK_BOOL;
    return IA_OK;
}

/* What a clause that starts with a variable is. `$a contains $b` is a traversal, as the language
 * says; `$a contains "x"` and `$a contains $b.p` are filters. */
static ia_gq_clause_kind variable_clause(const ia_cursor *c)
{
    ia_cursor ahead = *c;

    ia_cursor_advance(&ahead);
    if (ia_cursor_is_op(&ahead, ':'))
        return IA_GQ_BINDING;
    if (ahead.tok.kind == IA_TOK_VAR)
        return IA_GQ_TRAVERSAL;
    if (ia_cursor_is_op(&ahead, '<')) {
        ia_cursor_advance(&ahead);
        if (ahead.tok.kind != IA_TOK_IDENT)
            return IA_GQ_FILTER;
        ia_cursor_advance(&ahead);
        return ia_cursor_is_op(&ahead, '(') ? IA_GQ_FILTER : IA_GQ_TRAVERSAL;
    }
    if (ia_cursor_is_word(&ahead, "contains") || ia_cursor_is_word(&ahead, "starts_with")) {
        ia_cursor_advance(&ahead);
        if (ia_cursor_is_op(&ahead, '{'))
            return IA_GQ_TRAVERSAL;
        if (ahead.tok.kind != IA_TOK_VAR)
            return IA_GQ_FILTER;
        ia_cursor_advance(&ahead);
        return ia_cursor_is_op(&ahead, '.') ? IA_GQ_FILTER : IA_GQ_TRAVERSAL;
    }
    return ahead.tok.kind == IA_TOK_IDENT || ahead.tok.kind == IA_TOK_TYPE ? IA_GQ_TRAVERSAL
                                                                           : IA_GQ_FILTER;
}

static ia_status parse_clause(ia_cursor *c, gq_clause *out)
{
    ia_token next = ia_cursor_peek(c);

    if (ia_cursor_is_word(c, "not") && ia_token_is_op(&next, '{')) {
        out->kind = IA_GQ_NOT;
        ia_cursor_advance(c);
        ia_cursor_advance(c);
        IA_TRY(ia_cursor_enter(c));
        IA_TRY(gq_parse_clauses(c, &out->inner));
        c->depth--;
        return IA_OK;
    }
    if (c->tok.kind == IA_TOK_VAR) {
        ia_gq_clause_kind kind = variable_clause(c);
        if (kind == IA_GQ_BINDING)
            return parse_binding(c, out);
        if (kind == IA_GQ_TRAVERSAL)
            return parse_traversal(c, out);
    }
    return parse_filter(c, out);
}

ia_status gq_parse_clauses(ia_cursor *c, gq_clauses *out)
{
    do {
        gq_clause *clause = NULL;
        ia_span at = c->tok.span;
        IA_TRY(ia_cursor_room(c, out->n, IA_LANG_MEMBERS, "clauses"));
        IA_TRY(IA_PUSH(c->cx, c->arena, out, clause));
        IA_TRY(parse_clause(c, clause));
        clause->span = ia_span_join(at, c->prev);
    } while (!ia_cursor_take_op(c, '}'));
    return IA_OK;
}

/* ---- return, order, limit ---------------------------------------------------------------------
 */

static ia_status parse_return(ia_cursor *c, gq_query *q)
{
    IA_TRY(ia_cursor_expect_word(c, "return"));
    IA_TRY(ia_cursor_expect_op(c, '{', "`{`"));
    do {
        gq_projection *p = NULL;
        IA_TRY(ia_cursor_room(c, q->projections.n, IA_LANG_MEMBERS, "columns"));
        IA_TRY(IA_PUSH(c->cx, c->arena, &q->projections, p));
        IA_TRY(gq_parse_expr(c, &p->expr));
        if (ia_cursor_take_word(c, "as"))
            IA_TRY(
                take_name(c, IA_TOK_IDENT, "a column name (lower-case first letter)", &p->alias));
        ia_cursor_take_op(c, ',');
    } while (!ia_cursor_take_op(c, '}'));
    return IA_OK;
}

static ia_status parse_order(ia_cursor *c, gq_query *q)
{
    IA_TRY(ia_cursor_expect_op(c, '{', "`{`"));
    do {
        gq_order *o = NULL;
        bool nearest = gq_is_search_word(c) && ia_cursor_is_word(c, "nearest");
        IA_TRY(ia_cursor_room(c, q->orders.n, IA_LANG_MEMBERS, "orderings"));
        IA_TRY(IA_PUSH(c->cx, c->arena, &q->orders, o));
        IA_TRY(gq_parse_expr(c, &o->expr));
        if (nearest && (ia_cursor_is_word(c, "asc") || ia_cursor_is_word(c, "desc")))
            return ia_cursor_expected(c, "no direction: nearest is always ascending");
        o->desc = ia_cursor_take_word(c, "desc");
        if (!o->desc)
            (void)ia_cursor_take_word(c, "asc");
    } while (ia_cursor_take_op(c, ','));
    return ia_cursor_expect_op(c, '}', "`,` or `}`");
}

static ia_status parse_read(ia_cursor *c, gq_query *q)
{
    ia_cursor_advance(c);
    IA_TRY(ia_cursor_expect_op(c, '{', "`{`"));
    IA_TRY(gq_parse_clauses(c, &q->clauses));
    IA_TRY(parse_return(c, q));
    if (ia_cursor_take_word(c, "order"))
        IA_TRY(parse_order(c, q));
    if (ia_cursor_take_word(c, "limit")) {
        q->has_limit = true;
        IA_TRY(ia_cursor_u64(c, UINT64_MAX, "the limit", &q->limit));
    }
    return ia_cursor_expect_op(c, '}', q->has_limit ? "`}`" : "`order`, `limit` or `}`");
}

/* ---- mutations --------------------------------------------------------------------------------
 */

static ia_status parse_assigns(ia_cursor *c, gq_statement *s)
{
    IA_TRY(ia_cursor_expect_op(c, '{', "`{`"));
    do {
        IA_TRY(parse_pair(c, &s->assigns, "a property name"));
        ia_cursor_take_op(c, ',');
    } while (!ia_cursor_take_op(c, '}'));
    return IA_OK;
}

static ia_status parse_where(ia_cursor *c, gq_statement *s)
{
    IA_TRY(ia_cursor_expect_word(c, "where"));
    IA_TRY(take_name(c, IA_TOK_IDENT, "a property name", &s->where));
    if (!gq_take_op(c, false, &s->op))
        return ia_cursor_expected(c, "=, !=, <, <=, > or >=");
    IA_TRY(gq_parse_value(c, &s->where_value));
    s->where_span = ia_span_join(s->where.span, c->prev);
    return IA_OK;
}

static ia_status parse_statement(ia_cursor *c, gq_query *q)
{
    gq_statement *s = NULL;

    IA_TRY(ia_cursor_room(c, q->statements.n, IA_LANG_MEMBERS, "statements"));
    IA_TRY(IA_PUSH(c->cx, c->arena, &q->statements, s));
    s->span = c->tok.span;
    s->kind = ia_cursor_is_word(c, "insert")   ? IA_GQ_INSERT
              : ia_cursor_is_word(c, "update") ? IA_GQ_UPDATE
                                               : IA_GQ_DELETE;
    ia_cursor_advance(c);
    IA_TRY(take_name(c, IA_TOK_TYPE, "a type name (upper-case first letter)", &s->type));
    if (s->kind == IA_GQ_INSERT)
        return parse_assigns(c, s);
    if (s->kind == IA_GQ_UPDATE) {
        IA_TRY(ia_cursor_expect_word(c, "set"));
        IA_TRY(parse_assigns(c, s));
    }
    return parse_where(c, s);
}

static bool at_statement(const ia_cursor *c)
{
    return ia_cursor_is_word(c, "insert") || ia_cursor_is_word(c, "update") ||
           ia_cursor_is_word(c, "delete");
}

static ia_status parse_mutation(ia_cursor *c, gq_query *q)
{
    q->is_mutation = true;
    while (at_statement(c))
        IA_TRY(parse_statement(c, q));
    if (ia_cursor_is_word(c, "match"))
        return ia_cursor_expected(
            c, "`}`: a query either reads (match ... return) or changes (insert, update, delete)");
    return ia_cursor_expect_op(c, '}', "`insert`, `update`, `delete` or `}`");
}

/* ---- query ------------------------------------------------------------------------------------
 */

static ia_status parse_param_type(ia_cursor *c, gq_param *p)
{
    ia_token t;
    uint64_t dim = 0;

    p->type.is_list = ia_cursor_take_op(c, '[');
    t = c->tok;
    if (t.kind != IA_TOK_TYPE)
        return ia_cursor_expected(
            c, "a parameter type (String, Bool, I32, ..., DateTime, Vector(n), [T])");
    ia_cursor_advance(c);
    if (!p->type.is_list && ia_token_is_word(c, &t, "Vector")) {
        p->type.scalar = IA_PK_VECTOR;
        IA_TRY(ia_cursor_expect_op(c, '(', "`(`"));
        IA_TRY(ia_cursor_u64(c, INT32_MAX, "the vector dimension", &dim));
        if (dim == 0)
            return ia_diag(c->cx, IA_ERR_INVALID, c->src, c->prev,
                           "parse error: the vector dimension must be at least 1");
        p->type.dim = (int32_t)dim;
        IA_TRY(ia_cursor_expect_op(c, ')', "`)`"));
    } else if (!gq_base_type(c, &t, &p->type.scalar)) {
        IA_TRY(ia_cursor_text(c, &t, &p->unknown));
    }
    if (p->type.is_list)
        IA_TRY(ia_cursor_expect_op(c, ']', "`]`"));
    p->type.nullable = ia_cursor_take_op(c, '?');
    return IA_OK;
}

static ia_status parse_params(ia_cursor *c, gq_query *q)
{
    IA_TRY(ia_cursor_expect_op(c, '(', "`(`"));
    if (ia_cursor_take_op(c, ')'))
        return IA_OK;
    do {
        gq_param *p = NULL;
        ia_span at;
        IA_TRY(ia_cursor_room(c, q->params.n, IA_LANG_MEMBERS, "parameters"));
        IA_TRY(IA_PUSH(c->cx, c->arena, &q->params, p));
        IA_TRY(take_name(c, IA_TOK_VAR, "a parameter ($name: Type)", &p->name));
        IA_TRY(ia_cursor_expect_op(c, ':', "`:`"));
        at = c->tok.span;
        IA_TRY(parse_param_type(c, p));
        p->type_span = ia_span_join(at, c->prev);
    } while (ia_cursor_take_op(c, ','));
    return ia_cursor_expect_op(c, ')', "`,` or `)`");
}

static ia_status parse_notes(ia_cursor *c, gq_query *q)
{
    while (ia_cursor_is_op(c, '@')) {
        const char **slot;
        ia_token name;
        ia_cursor_advance(c);
        name = c->tok;
        slot = ia_cursor_is_word(c, "description")   ? &q->description
               : ia_cursor_is_word(c, "instruction") ? &q->instruction
                                                     : NULL;
        if (!slot)
            return ia_cursor_expected(c, "`description` or `instruction`");
        if (*slot)
            return ia_diag(c->cx, IA_ERR_INVALID, c->src, name.span,
                           "parse error: this annotation is written twice");
        ia_cursor_advance(c);
        IA_TRY(ia_cursor_expect_op(c, '(', "`(`"));
        IA_TRY(ia_cursor_expect(c, IA_TOK_STRING, "a text in quotes", slot, NULL));
        IA_TRY(ia_cursor_expect_op(c, ')', "`)`"));
    }
    return IA_OK;
}

static ia_status parse_query(ia_cursor *c, ia_gq_file *f)
{
    gq_query *q = NULL;
    size_t i;

    IA_TRY(ia_cursor_expect_word(c, "query"));
    IA_TRY(ia_cursor_room(c, f->queries.n, IA_LANG_TYPES, "queries"));
    IA_TRY(IA_PUSH(c->cx, c->arena, &f->queries, q));
    IA_TRY(take_name(c, IA_TOK_IDENT, "a query name (lower-case first letter)", &q->name));
    for (i = 0; i + 1 < f->queries.n; i++)
        if (strcmp(f->queries.items[i].name.text, q->name.text) == 0)
            return ia_diag(c->cx, IA_ERR_INVALID, c->src, q->name.span,
                           "parse error: query `%s` is defined twice", q->name.text);
    IA_TRY(parse_params(c, q));
    IA_TRY(parse_notes(c, q));
    IA_TRY(ia_cursor_expect_op(c, '{', "`{`"));
    if (ia_cursor_is_word(c, "match"))
        return parse_read(c, q);
    if (at_statement(c))
        return parse_mutation(c, q);
    return ia_cursor_expected(c, "`match`, `insert`, `update` or `delete`");
}

static ia_status parse_file(ia_ctx *cx, ia_gq_file *f)
{
    ia_cursor c;

    IA_TRY(ia_source_check(cx, &f->src));
    ia_cursor_init(&c, cx, &f->arena, &f->src);
    while (c.tok.kind != IA_TOK_END)
        IA_TRY(parse_query(&c, f));
    return IA_OK;
}

ia_status ia_gq_file_parse(ia_ctx *cx, const char *text, size_t len, const char *path,
                           ia_gq_file **out)
{
    ia_gq_file *f = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW(cx, f));
    IA_GO(IA_SET(cx, f->src.text, ia_arena_strndup(cx, &f->arena, text ? text : "", len)));
    IA_GO(IA_SET(cx, f->src.path, ia_arena_strdup(cx, &f->arena, path ? path : "<text>")));
    f->src.len = len;
    IA_GO(parse_file(cx, f));
    *out = f;
    f = NULL;
done:
    ia_gq_file_free(f);
    return st;
}

void ia_gq_file_free(ia_gq_file *f)
{
    if (!f)
        return;
    ia_arena_dispose(&f->arena);
    ia_free(f);
}

size_t ia_gq_file_count(const ia_gq_file *f)
{
    return f->queries.n;
}
const char *ia_gq_file_name(const ia_gq_file *f, size_t i)
{
    return f->queries.items[i].name.text;
}
bool ia_gq_file_is_mutation(const ia_gq_file *f, size_t i)
{
    return f->queries.items[i].is_mutation;
}

ia_status ia_gq_file_find(ia_ctx *cx, const ia_gq_file *f, const char *name, size_t *index)
{
    size_t i;

    *index = 0;
    if (!name) {
        if (f->queries.n == 1)
            return IA_OK;
        if (f->queries.n == 0)
            return ia_fail(cx, IA_ERR_INVALID, "%.120s holds no query", f->src.path);
        return ia_fail(cx, IA_ERR_INVALID,
                       "%.120s holds %zu queries; name one of them (the first is '%.80s')",
                       f->src.path, f->queries.n, f->queries.items[0].name.text);
    }
    for (i = 0; i < f->queries.n; i++) {
        if (strcmp(f->queries.items[i].name.text, name) == 0) {
            *index = i;
            return IA_OK;
        }
    }
    return ia_fail(cx, IA_ERR_NOT_FOUND, "query '%.100s' not found in %.120s", name, f->src.path);
}
