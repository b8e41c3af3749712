/* match.c - joins the clauses of a match into one relation, cheapest step first. */
#include "exec/exec_priv.h"

/* The order in which clauses are taken does not change the rows: conditions as soon as their
 * variables are bound, then traversals that close a cycle, then those with one end bound, then a
 * new component, negations last. */

#define NOT_CHUNK 4096u /* outer rows a negation looks at together */

typedef struct matching {
    ia_xq *x;
    ia_xrel *r;
    const ia_gq_clause *clauses;
    bool *done;
    size_t n, left;
} matching;

static bool bound(const matching *m, int var)
{
    return m->r->col[var] != NULL;
}

static bool expr_ready(const matching *m, const ia_gq_expr *e)
{
    return (e->kind != IA_GQ_PROP && e->kind != IA_GQ_VAR) || bound(m, e->var);
}

static void finish(matching *m, size_t i)
{
    m->done[i] = true;
    m->left--;
}

/* ---- conditions ---------------------------------------------------------------------------- */

static ia_status apply_ready(ia_ctx *cx, matching *m)
{
    for (size_t i = 0; i < m->n; i++) {
        const ia_gq_clause *c = &m->clauses[i];
        if (m->done[i])
            continue;
        if (c->kind == IA_GQ_FILTER && expr_ready(m, &c->filter.lhs) &&
            expr_ready(m, &c->filter.rhs)) {
            finish(m, i);
            IA_TRY(ia_xfilter(cx, m->x, m->r, &c->filter));
        } else if (c->kind == IA_GQ_BINDING && bound(m, c->binding.var)) {
            finish(m, i);
            for (size_t k = 0; k < c->binding.n_matches; k++)
                IA_TRY(ia_xfilter(cx, m->x, m->r, &c->binding.matches[k]));
        }
    }
    return IA_OK;
}

/* ---- a new component ----------------------------------------------------------------------- */

typedef struct local_filter {
    ia_arena arena;
    ia_expr *expr;
    bool never;
} local_filter;

static ia_status add_local(ia_ctx *cx, matching *m, local_filter *f, const ia_gq_pred *p)
{
    ia_expr *e;
    bool never;

    IA_TRY(ia_xpred_expr(cx, m->x, &f->arena, p, &e, &never));
    f->never = f->never || never;
    return e ? ia_expr_and(cx, &f->arena, f->expr, e, &f->expr) : IA_OK;
}

/* Takes every condition on `var` alone into the scan. */
static ia_status gather_local(ia_ctx *cx, matching *m, int var, local_filter *f)
{
    for (size_t i = 0; i < m->n; i++) {
        const ia_gq_clause *c = &m->clauses[i];
        if (m->done[i])
            continue;
        if (c->kind == IA_GQ_BINDING && c->binding.var == var) {
            finish(m, i);
            for (size_t k = 0; k < c->binding.n_matches; k++)
                IA_TRY(add_local(cx, m, f, &c->binding.matches[k]));
        } else if (c->kind == IA_GQ_FILTER && ia_xpred_is_local(&c->filter, var)) {
            finish(m, i);
            IA_TRY(add_local(cx, m, f, &c->filter));
        }
    }
    return IA_OK;
}

/* Addresses of a full type ascend: its number by binary search. */
static uint32_t find_number(const ia_xtype *t, uint64_t addr)
{
    size_t lo = 0, hi = t->n;

    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (t->addrs[mid] < addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < t->n && t->addrs[lo] == addr ? (uint32_t)lo : IA_XNONE;
}

typedef struct numbers {
    uint32_t *items;
    size_t n, cap;
} numbers;

typedef struct numbering {
    ia_xtype *t;
    numbers *out;
} numbering;

static ia_status add_batch(ia_ctx *cx, void *arg, const ia_batch *b)
{
    ia_xtype *t = ((const numbering *)arg)->t;
    numbers *out = ((const numbering *)arg)->out;

    IA_TRY(IA_GROW(cx, out->items, out->cap, out->n + (size_t)b->rows));
    for (int64_t i = 0; i < b->rows; i++) {
        const uint64_t addr = ia_array_u64(b->cols[0], i);
        uint32_t number;
        if (t->full)
            number = find_number(t, addr);
        else
            IA_TRY(ia_xtype_number(cx, t, addr, &number));
        if (number == IA_XNONE)
            return ia_fail(cx, IA_ERR_INTERNAL,
                           "query: a row of %s appeared between two scans of one version",
                           t->def->name);
        out->items[out->n++] = number;
    }
    return IA_OK;
}

static ia_status scan_numbers(ia_ctx *cx, ia_xtype *t, local_filter *f, numbers *out)
{
    static const char *const columns[] = {IA_COL_ROWADDR};
    ia_expr *e = NULL;

    if (f->never)
        return IA_OK;
    if (f->expr)
        IA_TRY(ia_expr_bind(cx, &f->arena, f->expr, t->ds->m->arrow, &e));
    return ia_scan_each(cx, t->ds,
                        &(ia_scan_options){.columns = columns, .n_columns = 1, .filter = e},
                        add_batch, &(numbering){t, out});
}

static ia_status start_component(ia_ctx *cx, matching *m, int var)
{
    local_filter f = {0};
    numbers found = {0};
    ia_xrows rows = {0};
    ia_xtype *t;
    ia_status st;

    IA_GO(gather_local(cx, m, var, &f));
    IA_GO(ia_xtype_get(cx, m->x, m->x->q->vars[var].type, false, &t));
    IA_GO(scan_numbers(cx, t, &f, &found));
    for (size_t i = 0; i < m->r->n; i++)
        for (size_t k = 0; k < found.n; k++)
            IA_GO(ia_xrows_add(cx, &rows, (uint32_t)i, found.items[k], 0));
    IA_GO(ia_xrel_take(cx, m->r, &rows, var, -1));
done:
    ia_xrows_dispose(&rows);
    ia_free(found.items);
    ia_arena_dispose(&f.arena);
    return st;
}

/* ---- choosing the next step ---------------------------------------------------------------- */

/* Equality says most, any condition something. */
static int promise(const matching *m, int var)
{
    int best = 0;

    for (size_t i = 0; i < m->n; i++) {
        const ia_gq_clause *c = &m->clauses[i];
        if (m->done[i])
            continue;
        if (c->kind == IA_GQ_BINDING && c->binding.var == var && c->binding.n_matches > 0)
            best = 2;
        if (c->kind == IA_GQ_FILTER && ia_xpred_is_local(&c->filter, var)) {
            const int v = c->filter.op == IA_GQ_EQ ? 2 : 1;
            best = v > best ? v : best;
        }
    }
    return best;
}

static bool find_traversal(const matching *m, int want_bound, size_t *out)
{
    for (size_t i = 0; i < m->n; i++) {
        const ia_gq_clause *c = &m->clauses[i];
        if (m->done[i] || c->kind != IA_GQ_TRAVERSAL)
            continue;
        if (bound(m, c->traversal.left) + bound(m, c->traversal.right) == want_bound) {
            *out = i;
            return true;
        }
    }
    return false;
}

/* Variable to begin a component with: of a binding, or an end of a traversal that no binding names.
 */
static int pick_start(const matching *m)
{
    int best = -1, best_promise = -1;
    size_t at;

    for (size_t i = 0; i < m->n; i++) {
        const ia_gq_clause *c = &m->clauses[i];
        if (m->done[i] || c->kind != IA_GQ_BINDING)
            continue;
        const int p = promise(m, c->binding.var);
        if (p > best_promise) {
            best = c->binding.var;
            best_promise = p;
        }
    }
    if (best < 0 && find_traversal(m, 0, &at))
        best = m->clauses[at].traversal.left;
    return best;
}

/* ---- negation ------------------------------------------------------------------------------ */

static ia_status sub_relation(ia_ctx *cx, const ia_xrel *r, size_t from, size_t n, ia_xrel *out)
{
    IA_TRY(ia_xrel_init(cx, out, r->n_vars));
    out->n = n;
    IA_TRY(IA_NEW_ARRAY(cx, out->origin, n + 1));
    for (size_t i = 0; i < n; i++)
        out->origin[i] = (uint32_t)(from + i);
    for (size_t v = 0; v < r->n_vars; v++) {
        if (!r->col[v])
            continue;
        IA_TRY(IA_NEW_ARRAY(cx, out->col[v], n + 1));
        memcpy(out->col[v], r->col[v] + from, n * sizeof *out->col[v]);
    }
    return IA_OK;
}

static ia_status mark_matched(ia_ctx *cx, matching *m, const ia_gq_clause *c, size_t from, size_t n,
                              bool *hit)
{
    ia_xrel sub = {0};
    ia_status st;

    IA_GO(sub_relation(cx, m->r, from, n, &sub));
    IA_GO(ia_xmatch(cx, m->x, &sub, c->negation.clauses, c->negation.n_clauses));
    for (size_t i = 0; i < sub.n; i++)
        hit[sub.origin[i]] = true;
done:
    ia_xrel_dispose(&sub);
    return st;
}

static ia_status negate(ia_ctx *cx, matching *m, const ia_gq_clause *c)
{
    uint32_t *keep = NULL;
    bool *hit = NULL;
    size_t n = 0;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, hit, m->r->n + 1));
    IA_GO(IA_NEW_ARRAY(cx, keep, m->r->n + 1));
    for (size_t from = 0; from < m->r->n; from += NOT_CHUNK) {
        const size_t room = m->r->n - from;
        IA_GO(mark_matched(cx, m, c, from, room < NOT_CHUNK ? room : NOT_CHUNK, hit));
    }
    for (size_t i = 0; i < m->r->n; i++)
        if (!hit[i])
            keep[n++] = (uint32_t)i;
    IA_GO(ia_xrel_gather(cx, m->r, keep, n));
done:
    ia_free(hit);
    ia_free(keep);
    return st;
}

/* ---- all clauses --------------------------------------------------------------------------- */

static ia_status step(ia_ctx *cx, matching *m)
{
    size_t at;

    if (find_traversal(m, 2, &at) || find_traversal(m, 1, &at)) {
        finish(m, at);
        return ia_xexpand(cx, m->x, m->r, &m->clauses[at]);
    }
    const int var = pick_start(m);
    if (var >= 0)
        return start_component(cx, m, var);
    for (size_t i = 0; i < m->n; i++)
        if (!m->done[i] && m->clauses[i].kind == IA_GQ_NOT) {
            finish(m, i);
            return negate(cx, m, &m->clauses[i]);
        }
    return ia_fail(cx, IA_ERR_INTERNAL, "query: a condition uses a variable that no clause binds");
}

/* Rows ran out: what is still unbound gets an empty column, so that later steps find it. */
static ia_status bind_rest(ia_ctx *cx, matching *m)
{
    for (size_t i = 0; i < m->n; i++) {
        const ia_gq_clause *c = &m->clauses[i];
        const int vars[3] = {c->kind == IA_GQ_BINDING     ? c->binding.var
                             : c->kind == IA_GQ_TRAVERSAL ? c->traversal.left
                                                          : -1,
                             c->kind == IA_GQ_TRAVERSAL ? c->traversal.right : -1,
                             c->kind == IA_GQ_TRAVERSAL ? c->traversal.edge_var : -1};
        for (int k = 0; k < 3; k++)
            if (vars[k] >= 0 && !m->r->col[vars[k]])
                IA_TRY(IA_NEW_ARRAY(cx, m->r->col[vars[k]], 1));
    }
    return IA_OK;
}

ia_status ia_xmatch(ia_ctx *cx, ia_xq *x, ia_xrel *r, const ia_gq_clause *clauses, size_t n)
{
    matching m = {.x = x, .r = r, .clauses = clauses, .n = n, .left = n};
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, m.done, n + 1));
    while (m.left > 0) {
        if (r->n == 0) {
            IA_GO(bind_rest(cx, &m));
            break;
        }
        IA_GO(apply_ready(cx, &m));
        if (m.left > 0 && r->n > 0)
            IA_GO(step(cx, &m));
    }
    st = IA_OK;
done:
    ia_free(m.done);
    return st;
}
