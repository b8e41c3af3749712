/* gq_check.c - entry of the checker: parameters, names in sight, operands. */
#include "lang/query/query_priv.h"

#include <stdarg.h>
#include <stdio.h>

ia_status gq_type_error(gq_check *k, ia_span span, const char *code, const char *fmt, ...)
{
    char text[400];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (code)
        return ia_diag(k->cx, IA_ERR_INVALID, k->src, span, "type error: %s: %s", code, text);
    return ia_diag(k->cx, IA_ERR_INVALID, k->src, span, "type error: %s", text);
}

char *gq_dup(gq_check *k, const char *s)
{
    return ia_arena_strdup(k->cx, k->arena, s);
}

int gq_find_var(gq_check *k, const char *name)
{
    size_t i;

    for (i = k->scope.n; i > 0; i--) {
        if (strcmp(k->scope.items[i - 1].name, name) == 0) {
            if (i - 1 < k->lowest)
                k->lowest = i - 1;
            return k->scope.items[i - 1].var;
        }
    }
    return -1;
}

int gq_find_param(const gq_check *k, const char *name)
{
    size_t i;

    for (i = 0; i < k->out->n_params; i++)
        if (strcmp(k->out->params[i].name, name) == 0)
            return (int)i;
    return -1;
}

ia_status gq_refuse_search(gq_check *k, const gq_expr *e)
{
    return ia_diag(k->cx, IA_ERR_UNSUPPORTED, k->src, e->span,
                   "unsupported: `%s`: full-text and vector search are not part of this version",
                   e->name);
}

/* ---- operands ---------------------------------------------------------------------------------
 */

static ia_status copy_value(gq_check *k, const ia_gq_value *in, ia_gq_value *out)
{
    ia_gq_value *items;
    char *text;
    size_t i;

    *out = *in;
    if (in->kind == IA_GQ_STRING) {
        IA_TRY(IA_SET(k->cx, text, ia_arena_strndup(k->cx, k->arena, in->s.data, in->s.len)));
        out->s.data = text;
    } else if (in->kind == IA_GQ_LIST && in->n) {
        IA_TRY(IA_ARENA_ARRAY(k->cx, k->arena, items, in->n));
        for (i = 0; i < in->n; i++)
            IA_TRY(copy_value(k, &in->items[i], &items[i]));
        out->items = items;
    }
    return IA_OK;
}

static ia_status resolve_literal(gq_check *k, const gq_expr *in, ia_gq_expr *out)
{
    if (in->mixed)
        return gq_type_error(k, in->span, NULL, "a list holds values of one type and no lists");
    out->kind = IA_GQ_LITERAL;
    out->type = in->type;
    return copy_value(k, &in->value, &out->value);
}

static void use_param(gq_check *k, int param, ia_gq_expr *out)
{
    out->kind = IA_GQ_PARAM;
    out->param = param;
    out->type = k->out->params[param].type;
}

static void use_now(gq_check *k, ia_gq_expr *out)
{
    out->kind = IA_GQ_NOW;
    out->type.scalar = IA_PK_DATETIME;
    k->out->uses_now = true;
}

static ia_status resolve_variable(gq_check *k, const gq_expr *in, bool operand, ia_gq_expr *out)
{
    int param = gq_find_param(k, in->name);
    int var;

    if (param >= 0) {
        use_param(k, param, out);
        return IA_OK;
    }
    var = gq_find_var(k, in->name);
    if (var < 0)
        return gq_type_error(k, in->span, NULL,
                             "variable `$%s` is not bound and is not a declared parameter",
                             in->name);
    if (k->vars.items[var].is_edge)
        return gq_type_error(k, in->span, "T23",
                             "edge binding `$%s` is used bare; name one of its properties",
                             in->name);
    if (operand)
        return gq_type_error(k, in->span, "T7",
                             "filter comparisons require scalar operands; `$%s` is a node",
                             in->name);
    out->kind = IA_GQ_VAR;
    out->var = var;
    out->type.scalar = IA_PK_STRING;
    return IA_OK;
}

static ia_status resolve_property(gq_check *k, const gq_expr *in, ia_gq_expr *out)
{
    int var = gq_find_var(k, in->name);
    const ia_type_def *t;
    int at;

    if (var < 0 && gq_find_param(k, in->name) >= 0)
        return gq_type_error(k, in->span, "T6", "parameter `$%s` has no properties", in->name);
    if (var < 0)
        return gq_type_error(k, in->span, "T6", "variable `$%s` is not bound before this place",
                             in->name);
    t = k->vars.items[var].type;
    at = ia_type_def_find(t, in->prop);
    if (at < 0)
        return gq_type_error(k, in->prop_span, "T6", "%s `%s` has no property `%s`",
                             k->vars.items[var].is_edge ? "edge" : "type", t->name, in->prop);
    out->kind = IA_GQ_PROP;
    out->var = var;
    out->prop = at;
    out->type = t->properties[at].type;
    return IA_OK;
}

ia_status gq_resolve(gq_check *k, const gq_expr *in, bool operand, ia_gq_expr *out)
{
    memset(out, 0, sizeof *out);
    out->span = in->span;
    switch (in->kind) {
    case GQ_LITERAL:
        return resolve_literal(k, in, out);
    case GQ_VAR:
        return resolve_variable(k, in, operand, out);
    case GQ_PROP:
        return resolve_property(k, in, out);
    case GQ_NOW:
        use_now(k, out);
        return IA_OK;
    case GQ_SEARCH:
        return gq_refuse_search(k, in);
    case GQ_AGG:
        return gq_type_error(k, in->span, "T7", "an aggregate stands in `return` or `order` only");
    case GQ_ALIAS:
        return gq_type_error(k, in->span, NULL,
                             "`%s` is a bare name; write $variable.property, $parameter or a value",
                             in->name);
    }
    return IA_OK;
}

ia_status gq_resolve_value(gq_check *k, const gq_expr *in, ia_gq_expr *out)
{
    memset(out, 0, sizeof *out);
    out->span = in->span;
    if (in->kind == GQ_VAR) {
        int param = gq_find_param(k, in->name);
        if (param < 0)
            return gq_type_error(k, in->span, "T14", "`$%s` is not a declared parameter", in->name);
        use_param(k, param, out);
        return IA_OK;
    }
    if (in->kind == GQ_NOW) {
        use_now(k, out);
        return IA_OK;
    }
    return resolve_literal(k, in, out);
}

/* ---- parameters -------------------------------------------------------------------------------
 */

static ia_status check_param(gq_check *k, const gq_param *p, ia_gq_param *out)
{
    if (strcmp(p->name.text, "__nanograph_now") == 0)
        return gq_type_error(k, p->name.span, NULL, "parameter name `$%s` is reserved",
                             p->name.text);
    if (gq_find_param(k, p->name.text) >= 0)
        return gq_type_error(k, p->name.span, NULL, "parameter `$%s` is declared twice",
                             p->name.text);
    if (p->unknown && strcmp(p->unknown, "Blob") == 0 && !p->type.is_list)
        return ia_diag(
            k->cx, IA_ERR_UNSUPPORTED, k->src, p->type_span,
            "unsupported: parameter `$%s` has type Blob, which is not part of this version",
            p->name.text);
    if (p->unknown)
        return gq_type_error(k, p->type_span, NULL, "unknown parameter type `%s`", p->unknown);
    out->type = p->type;
    out->span = p->name.span;
    return IA_SET(k->cx, out->name, gq_dup(k, p->name.text));
}

static ia_status check_params(gq_check *k)
{
    size_t n = k->ast->params.n;
    ia_gq_param *list;

    if (n == 0)
        return IA_OK;
    IA_TRY(IA_ARENA_ARRAY(k->cx, k->arena, list, n));
    k->out->params = list;
    while (k->out->n_params < n) {
        IA_TRY(check_param(k, &k->ast->params.items[k->out->n_params], &list[k->out->n_params]));
        k->out->n_params++;
    }
    return IA_OK;
}

/* ---- entry ------------------------------------------------------------------------------------
 */

static ia_status check_read(gq_check *k)
{
    IA_TRY(gq_check_clauses(k, &k->ast->clauses, &k->out->clauses, &k->out->n_clauses));
    k->out->vars = k->vars.items;
    k->out->n_vars = k->vars.n;
    IA_TRY(gq_check_returns(k));
    k->out->has_limit = k->ast->has_limit;
    k->out->limit = k->ast->limit;
    return IA_OK;
}

static ia_status check_head(gq_check *k)
{
    ia_gq_query *q = k->out;

    q->span = k->ast->name.span;
    q->is_mutation = k->ast->is_mutation;
    IA_TRY(IA_SET(k->cx, q->name, gq_dup(k, k->ast->name.text)));
    if (k->ast->description)
        IA_TRY(IA_SET(k->cx, q->description, gq_dup(k, k->ast->description)));
    if (k->ast->instruction)
        IA_TRY(IA_SET(k->cx, q->instruction, gq_dup(k, k->ast->instruction)));
    return check_params(k);
}

ia_status ia_gq_check(ia_ctx *cx, const ia_gq_file *f, size_t i, const ia_catalog *catalog,
                      ia_gq_query **out)
{
    ia_gq_query *q = NULL;
    gq_check k;
    ia_status st;

    *out = NULL;
    if (i >= f->queries.n)
        return ia_fail(cx, IA_ERR_NOT_FOUND, "query number %zu does not exist in %.120s", i,
                       f->src.path);
    IA_GO(IA_NEW(cx, q));
    q->catalog = ia_catalog_retain(catalog);
    memset(&k, 0, sizeof k);
    k.cx = cx;
    k.arena = &q->arena;
    k.src = &f->src;
    k.ast = &f->queries.items[i];
    k.catalog = catalog;
    k.out = q;
    IA_GO(check_head(&k));
    IA_GO(q->is_mutation ? gq_check_mutation(&k) : check_read(&k));
    *out = q;
    q = NULL;
done:
    ia_gq_query_free(q);
    return st;
}

ia_status ia_gq_compile(ia_ctx *cx, const ia_catalog *catalog, const char *text, size_t len,
                        const char *path, const char *name, ia_gq_query **out)
{
    ia_gq_file *f = NULL;
    size_t index;
    ia_status st;

    *out = NULL;
    IA_GO(ia_gq_file_parse(cx, text, len, path, &f));
    IA_GO(ia_gq_file_find(cx, f, name, &index));
    IA_GO(ia_gq_check(cx, f, index, catalog, out));
done:
    ia_gq_file_free(f);
    return st;
}

void ia_gq_query_free(ia_gq_query *q)
{
    if (!q)
        return;
    ia_catalog_release((ia_catalog *)(uintptr_t)q->catalog);
    ia_arena_dispose(&q->arena);
    ia_free(q);
}
