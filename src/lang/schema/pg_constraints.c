/* pg_constraints.c - keys, uniques, indexes, ranges and checks of one type. */
#include "lang/schema/schema_priv.h"

#include <stdlib.h>

typedef struct propsets {
    ia_propset *items;
    size_t n, cap;
} propsets;
typedef struct ranges {
    ia_range_def *items;
    size_t n, cap;
} ranges;
typedef struct checks {
    ia_check_def *items;
    size_t n, cap;
} checks;

typedef struct sets {
    propsets uniques, indexes;
    ranges ranges;
    checks checks;
    int *key;
    size_t n_key;
    bool has_key;
} sets;

static const char *const kind_names[] = {"key", "unique", "index", "range", "check"};

/* End-points first, then properties by position. */
static int position(int prop)
{
    return prop < 0 ? prop == IA_PROP_SRC ? -2 : -1 : prop;
}

static int by_position(const void *a, const void *b)
{
    int x = position(*(const int *)a), y = position(*(const int *)b);

    return (x > y) - (x < y);
}

static int set_cmp(const ia_propset *a, const ia_propset *b)
{
    size_t i;

    for (i = 0; i < a->n && i < b->n; i++) {
        int d = by_position(&a->props[i], &b->props[i]);
        if (d)
            return d;
    }
    return (a->n > b->n) - (a->n < b->n);
}

static int by_set(const void *a, const void *b)
{
    return set_cmp(a, b);
}

/* Sorts props and adds the set unless it is there already. Takes over props. */
static ia_status add_set(pg_build *b, propsets *list, int *props, size_t n)
{
    ia_propset set, *slot = NULL;
    size_t i;

    qsort(props, n, sizeof *props, by_position);
    set.props = props;
    set.n = n;
    for (i = 0; i < list->n; i++)
        if (set_cmp(&list->items[i], &set) == 0)
            return IA_OK;
    IA_TRY(IA_PUSH(b->cx, b->arena, list, slot));
    *slot = set;
    return IA_OK;
}

static ia_status copy_props(pg_build *b, const int *props, size_t n, int **out)
{
    IA_TRY(IA_ARENA_ARRAY(b->cx, b->arena, *out, n));
    memcpy(*out, props, n * sizeof *props);
    return IA_OK;
}

static ia_status set_key(pg_build *b, ia_span span, const ia_type_def *d, sets *s, int *props,
                         size_t n)
{
    int *copy;

    if (s->has_key)
        return ia_diag(b->cx, IA_ERR_INVALID, b->src, span,
                       "parse error: node `%s` has more than one @key", d->name);
    s->has_key = true;
    qsort(props, n, sizeof *props, by_position);
    s->key = props;
    s->n_key = n;
    IA_TRY(copy_props(b, props, n, &copy));
    return add_set(b, &s->indexes, copy, n);
}

static ia_status resolve(pg_build *b, const ia_type_def *d, const pg_constraint *k,
                         const pg_arg *arg, int *out)
{
    const char *name = arg->value.text;

    if (arg->is_range || arg->value.kind != PG_LIT_IDENT)
        return ia_diag(b->cx, IA_ERR_INVALID, b->src, arg->span,
                       "parse error: @%s takes property names here", kind_names[k->kind]);
    if (d->kind == IA_KIND_EDGE && (k->kind == PG_UNIQUE || k->kind == PG_INDEX)) {
        *out = strcmp(name, "src") == 0 ? IA_PROP_SRC : strcmp(name, "dst") == 0 ? IA_PROP_DST : 0;
        if (*out < 0)
            return IA_OK;
    }
    *out = ia_type_def_find(d, name);
    if (*out < 0)
        return ia_diag(b->cx, IA_ERR_INVALID, b->src, arg->span,
                       "parse error: @%s names `%s`, which is no property of `%s`",
                       kind_names[k->kind], name, d->name);
    return IA_OK;
}

static ia_status check_member(pg_build *b, const ia_type_def *d, const pg_constraint *k,
                              const pg_arg *arg, int prop)
{
    const ia_proptype *t;
    const char *why = NULL;

    if (prop < 0)
        return IA_OK;
    t = &d->properties[prop].type;
    if (t->is_list)
        why = "is a list";
    else if (t->scalar == IA_PK_VECTOR && k->kind != PG_INDEX)
        why = "is a Vector";
    else if (k->kind == PG_KEY && t->nullable)
        why = "is nullable";
    if (!why)
        return IA_OK;
    return ia_diag(b->cx, IA_ERR_INVALID, b->src, arg->span,
                   "parse error: @%s is not available for `%s.%s`, which %s", kind_names[k->kind],
                   d->name, d->properties[prop].name, why);
}

static ia_status build_set(pg_build *b, const ia_type_def *d, const pg_constraint *k, sets *s)
{
    int *props;
    size_t i, j;

    if (k->kind == PG_KEY && d->kind == IA_KIND_EDGE)
        return ia_diag(b->cx, IA_ERR_INVALID, b->src, k->span,
                       "parse error: @key is not available on edges");
    IA_TRY(IA_ARENA_ARRAY(b->cx, b->arena, props, k->args.n));
    for (i = 0; i < k->args.n; i++) {
        IA_TRY(resolve(b, d, k, &k->args.items[i], &props[i]));
        IA_TRY(check_member(b, d, k, &k->args.items[i], props[i]));
        for (j = 0; j < i; j++)
            if (props[j] == props[i])
                return ia_diag(b->cx, IA_ERR_INVALID, b->src, k->args.items[i].span,
                               "parse error: @%s names `%s` twice", kind_names[k->kind],
                               k->args.items[i].value.text);
    }
    if (k->kind == PG_KEY)
        return set_key(b, k->span, d, s, props, k->args.n);
    return add_set(b, k->kind == PG_UNIQUE ? &s->uniques : &s->indexes, props, k->args.n);
}

static int bound_cmp(const ia_bound *a, const ia_bound *b)
{
    long double x = a->kind == IA_BOUND_F64   ? a->f
                    : a->kind == IA_BOUND_U64 ? (long double)a->u
                                              : (long double)a->i;
    long double y = b->kind == IA_BOUND_F64   ? b->f
                    : b->kind == IA_BOUND_U64 ? (long double)b->u
                                              : (long double)b->i;

    return (x > y) - (x < y);
}

static ia_status node_only(pg_build *b, const ia_type_def *d, const pg_constraint *k, size_t n_args,
                           const char *form)
{
    if (d->kind != IA_KIND_NODE)
        return ia_diag(b->cx, IA_ERR_INVALID, b->src, k->span,
                       "parse error: @%s is available on nodes only", kind_names[k->kind]);
    if (k->args.n != n_args)
        return ia_diag(b->cx, IA_ERR_INVALID, b->src, k->span, "parse error: @%s is written %s",
                       kind_names[k->kind], form);
    return IA_OK;
}

static ia_status build_range(pg_build *b, const ia_type_def *d, const pg_constraint *k, sets *s)
{
    ia_range_def *r = NULL;
    const pg_arg *arg;
    int prop;

    IA_TRY(node_only(b, d, k, 2, "@range(property, lo..hi)"));
    arg = &k->args.items[1];
    IA_TRY(resolve(b, d, k, &k->args.items[0], &prop));
    if (!ia_pkind_is_number(d->properties[prop].type.scalar) || d->properties[prop].type.is_list)
        return ia_diag(b->cx, IA_ERR_INVALID, b->src, k->args.items[0].span,
                       "parse error: @range needs a numeric property, `%s.%s` is none", d->name,
                       d->properties[prop].name);
    if (!arg->is_range)
        return ia_diag(b->cx, IA_ERR_INVALID, b->src, arg->span,
                       "parse error: @range takes bounds: lo..hi, lo.. or ..hi");
    if (arg->lo.kind != IA_BOUND_NONE && arg->hi.kind != IA_BOUND_NONE &&
        bound_cmp(&arg->lo, &arg->hi) > 0)
        return ia_diag(b->cx, IA_ERR_INVALID, b->src, arg->span,
                       "parse error: the lower bound of @range is above the upper one");
    IA_TRY(IA_PUSH(b->cx, b->arena, &s->ranges, r));
    r->prop = prop;
    r->lo = arg->lo;
    r->hi = arg->hi;
    return IA_OK;
}

static ia_status build_check(pg_build *b, const ia_type_def *d, const pg_constraint *k, sets *s)
{
    ia_check_def *c = NULL;
    const pg_arg *arg;
    char why[160];
    ia_status st;
    int prop;

    IA_TRY(node_only(b, d, k, 2, "@check(property, \"pattern\")"));
    arg = &k->args.items[1];
    IA_TRY(resolve(b, d, k, &k->args.items[0], &prop));
    if (d->properties[prop].type.scalar != IA_PK_STRING || d->properties[prop].type.is_list)
        return ia_diag(b->cx, IA_ERR_INVALID, b->src, k->args.items[0].span,
                       "parse error: @check needs a String property, `%s.%s` is none", d->name,
                       d->properties[prop].name);
    if (arg->is_range || arg->value.kind != PG_LIT_STRING)
        return ia_diag(b->cx, IA_ERR_INVALID, b->src, arg->span,
                       "parse error: @check takes a pattern in quotes");
    IA_TRY(IA_PUSH(b->cx, b->arena, &s->checks, c));
    c->prop = prop;
    c->pattern = arg->value.text;
    st = ia_pattern_compile(b->cx, c->pattern, &c->code, why, sizeof why);
    if (st == IA_ERR_INVALID)
        return ia_diag(b->cx, st, b->src, arg->span, "parse error: @check pattern of `%s.%s`: %s",
                       d->name, d->properties[prop].name, why);
    return st;
}

static ia_status desugar(pg_build *b, const ia_type_def *d, const pg_property *const *asts, sets *s)
{
    size_t i, k;

    for (i = 0; i < d->n_properties; i++) {
        for (k = 0; k < asts[i]->annotations.n; k++) {
            const pg_annotation *a = &asts[i]->annotations.items[k];
            pg_constraint_kind kind;
            int prop = (int)i;
            int *props;
            if (!pg_constraint_kind_of(a->name, &kind))
                continue;
            IA_TRY(copy_props(b, &prop, 1, &props));
            if (kind == PG_KEY)
                IA_TRY(set_key(b, a->span, d, s, props, 1));
            else
                IA_TRY(add_set(b, kind == PG_UNIQUE ? &s->uniques : &s->indexes, props, 1));
        }
    }
    return IA_OK;
}

static int by_range(const void *a, const void *b)
{
    const ia_range_def *x = a, *y = b;
    int d = (x->prop > y->prop) - (x->prop < y->prop);

    if (d == 0)
        d = strcmp(x->lo.text ? x->lo.text : "", y->lo.text ? y->lo.text : "");
    return d ? d : strcmp(x->hi.text ? x->hi.text : "", y->hi.text ? y->hi.text : "");
}

static int by_check(const void *a, const void *b)
{
    const ia_check_def *x = a, *y = b;
    int d = (x->prop > y->prop) - (x->prop < y->prop);

    return d ? d : strcmp(x->pattern, y->pattern);
}

static void sort_and_hand_over(sets *s, ia_type_def *d)
{
    if (s->uniques.n > 1)
        qsort(s->uniques.items, s->uniques.n, sizeof *s->uniques.items, by_set);
    if (s->indexes.n > 1)
        qsort(s->indexes.items, s->indexes.n, sizeof *s->indexes.items, by_set);
    if (s->ranges.n > 1)
        qsort(s->ranges.items, s->ranges.n, sizeof *s->ranges.items, by_range);
    if (s->checks.n > 1)
        qsort(s->checks.items, s->checks.n, sizeof *s->checks.items, by_check);
    d->key = s->key;
    d->n_key = s->n_key;
    d->uniques = s->uniques.items;
    d->n_uniques = s->uniques.n;
    d->indexes = s->indexes.items;
    d->n_indexes = s->indexes.n;
    d->ranges = s->ranges.items;
    d->n_ranges = s->ranges.n;
    d->checks = s->checks.items;
    d->n_checks = s->checks.n;
}

ia_status pg_build_constraints(pg_build *b, const pg_decl *decl, ia_type_def *d,
                               const pg_property *const *asts)
{
    sets s;
    ia_status st;
    size_t i;

    memset(&s, 0, sizeof s);
    st = desugar(b, d, asts, &s);
    for (i = 0; st == IA_OK && i < decl->constraints.n; i++) {
        const pg_constraint *k = &decl->constraints.items[i];
        if (k->kind == PG_RANGE)
            st = build_range(b, d, k, &s);
        else if (k->kind == PG_CHECK)
            st = build_check(b, d, k, &s);
        else
            st = build_set(b, d, k, &s);
    }
    /* Also after a failure: the catalog frees the compiled patterns. */
    sort_and_hand_over(&s, d);
    return st;
}
