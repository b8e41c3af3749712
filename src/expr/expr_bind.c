/* expr_bind.c - checks a tree against a schema and makes its bound copy. */
#include <stdio.h>

#include "base/ids.h"
#include "expr/expr_priv.h"

typedef struct binder {
    ia_ctx *cx;
    ia_arena *arena;
    const ia_schema *schema;
} binder;

static ia_status bind(const binder *b, const ia_expr *e, int depth, ia_expr **out);

static const char *op_text(ia_expr_op op)
{
    static const char *const names[] = {
        [IA_EXPR_COLUMN] = "column", [IA_EXPR_LITERAL] = "literal", [IA_EXPR_EQ] = "=",
        [IA_EXPR_NE] = "!=", [IA_EXPR_LT] = "<", [IA_EXPR_LE] = "<=", [IA_EXPR_GT] = ">",
        [IA_EXPR_GE] = ">=", [IA_EXPR_AND] = "AND", [IA_EXPR_OR] = "OR", [IA_EXPR_NOT] = "NOT",
        [IA_EXPR_IS_NULL] = "IS NULL", [IA_EXPR_IS_NOT_NULL] = "IS NOT NULL", [IA_EXPR_IN] = "IN",
        [IA_EXPR_CONTAINS] = "contains", [IA_EXPR_STARTS_WITH] = "starts_with",
        [IA_EXPR_LIKE] = "LIKE", [IA_EXPR_HAS] = "array_has"};

    return names[op];
}

/* "column 'x' of type int64", "value 'abc'"; to a fixed buffer. */
static const char *describe(ia_ctx *cx, const ia_expr *e, char *out, size_t n)
{
    char type[96];
    ia_buf text = {0};

    if (e->op == IA_EXPR_COLUMN) {
        snprintf(out, n, "column '%.60s' of type %s", e->name,
                 ia_type_text(e->type, type, sizeof type));
    } else if (e->op == IA_EXPR_LITERAL) {
        ia_scalar_text(cx, &text, &e->lit);
        snprintf(out, n, "value %.60s", text.data ? (const char *)text.data : "");
        ia_buf_dispose(&text);
    } else {
        snprintf(out, n, "a condition");
    }
    return out;
}

static ia_status incomparable(ia_ctx *cx, const ia_expr *l, const char *op, const ia_expr *r)
{
    char a[192], b[192];

    return ia_fail(cx, IA_ERR_INVALID, "%s cannot be compared (%s) with %s",
                   describe(cx, l, a, sizeof a), op, describe(cx, r, b, sizeof b));
}

/* ---- literals ------------------------------------------------------------------------------ */

bool ia_timestamp_parse(const char *s, size_t n, int64_t *v, ia_time_unit *unit)
{
    const char *dot = memchr(s, '.', n);
    size_t digits = 0;
    int64_t ms, extra = 0;

    if (!ia_datetime_parse(s, n, &ms))
        return false;
    while (dot && (size_t)(dot + 1 - s) + digits < n && dot[1 + digits] >= '0' &&
           dot[1 + digits] <= '9')
        digits++;
    *v = ms;
    *unit = IA_UNIT_MS;
    if (digits <= 3)
        return true;
    if (digits > 9)
        return false;
    for (size_t k = 3; k < 9; k++)
        extra = extra * 10 + (k < digits ? dot[1 + k] - '0' : 0);
    *unit = digits <= 6 ? IA_UNIT_US : IA_UNIT_NS;
    if (*unit == IA_UNIT_US)
        extra /= 1000;
    return !__builtin_mul_overflow(ms, *unit == IA_UNIT_US ? 1000 : 1000000, v) &&
           !__builtin_add_overflow(*v, extra, v);
}

bool ia_time_parse(const char *s, size_t n, int64_t *ns)
{
    char whole[40] = "1970-01-01T";
    ia_time_unit unit;
    int64_t v;

    if (n < 8 || n > 18 || s[n - 1] < '0' || s[n - 1] > '9' || memchr(s, '+', n) ||
        memchr(s, '-', n))
        return false;
    memcpy(whole + 11, s, n);
    if (!ia_timestamp_parse(whole, 11 + n, &v, &unit))
        return false;
    *ns = v * (unit == IA_UNIT_MS ? 1000000 : unit == IA_UNIT_US ? 1000 : 1);
    return true;
}

/* A string beside a date, timestamp or time of day is read as one. */
static ia_status adopt(ia_ctx *cx, const ia_expr *col, ia_scalar *lit)
{
    const ia_type *t = ia_scalar_type(col->type);
    ia_time_unit unit;
    int32_t days;
    int64_t v;
    char type[96];

    if (!t || ia_scalar_is_null(lit) || ia_scalar_kind_of(lit->type) != IA_KIND_STRING)
        return IA_OK;
    if (ia_scalar_kind_of(t) == IA_KIND_TIME && ia_time_parse(lit->str.data, lit->str.len, &v)) {
        *lit = ia_scalar_i64(v);
        lit->type = ia_type_time_basic(IA_TYPE_TIME64, IA_UNIT_NS);
        return IA_OK;
    }
    if (ia_scalar_kind_of(t) != IA_KIND_INSTANT)
        return IA_OK;
    if (ia_date_parse(lit->str.data, lit->str.len, &days)) {
        *lit = ia_scalar_date32(days);
        return IA_OK;
    }
    if (ia_timestamp_parse(lit->str.data, lit->str.len, &v, &unit)) {
        *lit = ia_scalar_timestamp(v, unit);
        return IA_OK;
    }
    return ia_fail(cx, IA_ERR_INVALID,
                   "column '%s' of type %s cannot be compared with '%.*s', which is "
                   "neither a date (YYYY-MM-DD) nor a date and time (RFC 3339)",
                   col->op == IA_EXPR_COLUMN ? col->name : "",
                   ia_type_text(col->type, type, sizeof type),
                   (int)(lit->str.len < 60 ? lit->str.len : 60), lit->str.data);
}

/* Literals of both sides adopt the other side's kind; then the types must be comparable. */
static ia_status settle(const binder *b, ia_expr *l, const char *op, ia_expr *r)
{
    if (r->op == IA_EXPR_LITERAL && l->op == IA_EXPR_COLUMN)
        IA_TRY(adopt(b->cx, l, &r->lit));
    if (l->op == IA_EXPR_LITERAL && r->op == IA_EXPR_COLUMN)
        IA_TRY(adopt(b->cx, r, &l->lit));
    if (l->op == IA_EXPR_LITERAL)
        l->type = l->lit.type;
    if (r->op == IA_EXPR_LITERAL)
        r->type = r->lit.type;
    return ia_scalar_comparable(l->type, r->type) ? IA_OK : incomparable(b->cx, l, op, r);
}

/* ---- nodes --------------------------------------------------------------------------------- */

static ia_status bind_column(const binder *b, ia_expr *e)
{
    e->col = ia_schema_find(b->schema, e->name);
    if (e->col < 0)
        return ia_fail(b->cx, IA_ERR_NOT_FOUND, "there is no column '%s' to filter on", e->name);
    e->type = b->schema->fields[e->col].type;
    return IA_OK;
}

/* A place that wants a truth value. */
static ia_status want_bool(const binder *b, const ia_expr *e)
{
    const ia_type *t = ia_scalar_type(e->type);
    char text[192];

    if (t && (t->id == IA_TYPE_BOOL || (t->id == IA_TYPE_NULL && e->op == IA_EXPR_LITERAL)))
        return IA_OK;
    return ia_fail(b->cx, IA_ERR_INVALID, "%s stands where a condition is wanted",
                   describe(b->cx, e, text, sizeof text));
}

static bool is_list(const ia_type *t)
{
    return t->id == IA_TYPE_LIST || t->id == IA_TYPE_LARGE_LIST || t->id == IA_TYPE_FIXED_LIST;
}

static ia_status bind_has(const binder *b, ia_expr *e)
{
    ia_expr item = {.op = IA_EXPR_COLUMN, .name = e->args[0]->name};
    char text[192];

    if (e->args[0]->op != IA_EXPR_COLUMN || !is_list(e->args[0]->type))
        return ia_fail(b->cx, IA_ERR_INVALID, "%s is no list column; %s needs one",
                       describe(b->cx, e->args[0], text, sizeof text), op_text(e->op));
    if (e->args[1]->op != IA_EXPR_LITERAL)
        return ia_fail(b->cx, IA_ERR_INVALID, "%s takes a value as its second argument",
                       op_text(e->op));
    item.type = e->args[0]->type->children[0].type;
    return settle(b, &item, op_text(e->op), e->args[1]);
}

static ia_status want_text(const binder *b, const ia_expr *e, ia_expr_op op)
{
    const ia_type *t = ia_scalar_type(e->type);
    char text[192];

    if (t && (t->id == IA_TYPE_STRING || t->id == IA_TYPE_NULL))
        return IA_OK;
    return ia_fail(b->cx, IA_ERR_INVALID, "%s is no string; %s needs one",
                   describe(b->cx, e, text, sizeof text), op_text(op));
}

static ia_status bind_in(const binder *b, const ia_expr *from, ia_expr *e)
{
    ia_expr item = {.op = IA_EXPR_LITERAL};
    size_t i;

    IA_TRY(IA_ARENA_ARRAY(b->cx, b->arena, e->items, from->n_items ? from->n_items : 1));
    for (i = 0; i < from->n_items; i++) {
        item.lit = from->items[i];
        if (!item.lit.type)
            item.lit = ia_scalar_null();
        IA_TRY(settle(b, e->args[0], "IN", &item));
        e->items[i] = item.lit;
    }
    e->n_items = from->n_items;
    return IA_OK;
}

/* Arguments are bound; `from` is the unbound node. */
static ia_status check_node(const binder *b, const ia_expr *from, ia_expr *e)
{
    size_t i;

    switch (e->op) {
    case IA_EXPR_COLUMN:
        return bind_column(b, e);
    case IA_EXPR_LITERAL:
        if (!e->lit.type)
            e->lit = ia_scalar_null();
        e->type = e->lit.type;
        return IA_OK;
    case IA_EXPR_EQ: case IA_EXPR_NE: case IA_EXPR_LT: case IA_EXPR_LE: case IA_EXPR_GT:
    case IA_EXPR_GE:
        return settle(b, e->args[0], op_text(e->op), e->args[1]);
    case IA_EXPR_AND: case IA_EXPR_OR: case IA_EXPR_NOT:
        for (i = 0; i < e->n_args; i++)
            IA_TRY(want_bool(b, e->args[i]));
        return IA_OK;
    case IA_EXPR_IS_NULL: case IA_EXPR_IS_NOT_NULL:
        return IA_OK;
    case IA_EXPR_IN:
        return bind_in(b, from, e);
    case IA_EXPR_CONTAINS:
        if (is_list(e->args[0]->type)) {
            e->op = IA_EXPR_HAS;
            return bind_has(b, e);
        }
        IA_TRY(want_text(b, e->args[0], e->op));
        return want_text(b, e->args[1], e->op);
    case IA_EXPR_STARTS_WITH:
        IA_TRY(want_text(b, e->args[0], e->op));
        return want_text(b, e->args[1], e->op);
    case IA_EXPR_LIKE:
        return want_text(b, e->args[0], e->op);
    case IA_EXPR_HAS:
        return bind_has(b, e);
    }
    return IA_OK;
}

static ia_status bind(const binder *b, const ia_expr *e, int depth, ia_expr **out)
{
    ia_expr *c;
    size_t i;

    *out = NULL;
    if (depth > IA_EXPR_MAX_DEPTH)
        return ia_fail(b->cx, IA_ERR_INVALID, "a filter is nested more than %d deep",
                       IA_EXPR_MAX_DEPTH);
    IA_TRY(IA_ARENA_NEW(b->cx, b->arena, c));
    *c = *e;
    c->bound = true;
    c->col = -1;
    c->type = ia_type_basic(IA_TYPE_BOOL);
    if (e->n_args > 0)
        IA_TRY(IA_ARENA_ARRAY(b->cx, b->arena, c->args, e->n_args));
    for (i = 0; i < e->n_args; i++)
        IA_TRY(bind(b, e->args[i], depth + 1, &c->args[i]));
    IA_TRY(check_node(b, e, c));
    *out = c;
    return IA_OK;
}

ia_status ia_expr_bind(ia_ctx *cx, ia_arena *a, const ia_expr *e, const ia_schema *s, ia_expr **out)
{
    const binder b = {cx, a, s};
    ia_expr *c = NULL;

    *out = NULL;
    IA_TRY(bind(&b, e, 0, &c));
    IA_TRY(want_bool(&b, c));
    *out = c;
    return IA_OK;
}

/* ---- text ---------------------------------------------------------------------------------- */

static void put_name(ia_ctx *cx, ia_buf *out, const char *name)
{
    const char *p;

    ia_buf_putc(cx, out, '`');
    for (p = name; *p; p++) {
        if (*p == '`')
            ia_buf_putc(cx, out, '`');
        ia_buf_putc(cx, out, *p);
    }
    ia_buf_putc(cx, out, '`');
}

static void put_list(ia_ctx *cx, ia_buf *out, const ia_expr *e)
{
    size_t i;

    ia_buf_puts(cx, out, " IN (");
    for (i = 0; i < e->n_items; i++) {
        ia_buf_puts(cx, out, i ? ", " : "");
        ia_scalar_text(cx, out, &e->items[i]);
    }
    ia_buf_putc(cx, out, ')');
}

static void put_expr(ia_ctx *cx, ia_buf *out, const ia_expr *e, int depth);

/* An operand; conditions in parentheses. */
static void put_arg(ia_ctx *cx, ia_buf *out, const ia_expr *e, int depth)
{
    const bool leaf = e->op == IA_EXPR_COLUMN || e->op == IA_EXPR_LITERAL;

    ia_buf_puts(cx, out, leaf ? "" : "(");
    put_expr(cx, out, e, depth + 1);
    ia_buf_puts(cx, out, leaf ? "" : ")");
}

static void put_call(ia_ctx *cx, ia_buf *out, const ia_expr *e, int depth)
{
    ia_buf_printf(cx, out, "%s(", op_text(e->op));
    put_arg(cx, out, e->args[0], depth);
    ia_buf_puts(cx, out, ", ");
    put_arg(cx, out, e->args[1], depth);
    ia_buf_putc(cx, out, ')');
}

static void put_expr(ia_ctx *cx, ia_buf *out, const ia_expr *e, int depth)
{
    size_t i;

    if (depth > IA_EXPR_MAX_DEPTH) {
        ia_buf_puts(cx, out, "...");
        return;
    }
    switch (e->op) {
    case IA_EXPR_COLUMN:
        put_name(cx, out, e->name);
        return;
    case IA_EXPR_LITERAL:
        ia_scalar_text(cx, out, &e->lit);
        return;
    case IA_EXPR_NOT:
        ia_buf_puts(cx, out, "NOT ");
        put_arg(cx, out, e->args[0], depth);
        return;
    case IA_EXPR_IS_NULL: case IA_EXPR_IS_NOT_NULL:
        put_arg(cx, out, e->args[0], depth);
        ia_buf_printf(cx, out, " %s", op_text(e->op));
        return;
    case IA_EXPR_IN:
        put_arg(cx, out, e->args[0], depth);
        put_list(cx, out, e);
        return;
    case IA_EXPR_LIKE:
        put_arg(cx, out, e->args[0], depth);
        ia_buf_puts(cx, out, " LIKE ");
        ia_scalar_text(cx, out, &e->lit);
        return;
    case IA_EXPR_CONTAINS: case IA_EXPR_STARTS_WITH: case IA_EXPR_HAS:
        put_call(cx, out, e, depth);
        return;
    case IA_EXPR_EQ: case IA_EXPR_NE: case IA_EXPR_LT: case IA_EXPR_LE: case IA_EXPR_GT:
    case IA_EXPR_GE: case IA_EXPR_AND: case IA_EXPR_OR:
        for (i = 0; i < e->n_args; i++) {
            if (i > 0)
                ia_buf_printf(cx, out, " %s ", op_text(e->op));
            put_arg(cx, out, e->args[i], depth);
        }
        return;
    }
}

void ia_expr_text(ia_ctx *cx, ia_buf *out, const ia_expr *e)
{
    if (e)
        put_expr(cx, out, e, 0);
}
