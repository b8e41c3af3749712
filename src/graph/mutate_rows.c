/* mutate_rows.c - insert and update statements: rows built, found, changed. */
#include <stdio.h>

#include "arrow/compute.h"
#include "graph/mutate_priv.h"
#include "lang/query/gq_build.h"

/* ---- values
 * -------------------------------------------------------------------------------------- */

/* The assigned value in the property's stored form; *found false when the statement does not assign
 * it. */
static ia_status assigned(ia_ctx *cx, ia_mutation *m, const ia_gq_statement *s, size_t prop,
                          ia_gq_value *out, bool *found)
{
    const ia_property *p = &s->type->properties[prop];
    ia_gq_value raw;
    char what[200];

    *found = false;
    for (size_t i = 0; i < s->n_assigns; i++) {
        if (s->assigns[i].prop != (int)prop)
            continue;
        *found = true;
        snprintf(what, sizeof what, "%s.%s", s->type->name, p->name);
        IA_TRY(ia_gq_eval(cx, m->params, &s->assigns[i].value, &raw));
        return ia_gq_coerce(cx, &m->arena, p, what, &raw, out);
    }
    return IA_OK;
}

static ia_status append_property(ia_ctx *cx, ia_mutation *m, const ia_gq_statement *s, size_t prop,
                                 ia_builder *b)
{
    ia_gq_value v;
    bool found;

    IA_TRY(assigned(cx, m, s, prop, &v, &found));
    if (found) {
        ia_gq_append(cx, b, &v);
        return IA_OK;
    }
    if (!s->type->properties[prop].type.nullable)
        return ia_fail(cx, IA_ERR_INVALID, "insert of %s: required property '%s' has no value",
                       s->type->name, s->type->properties[prop].name);
    ia_builder_null(cx, b);
    return IA_OK;
}

static ia_status append_end(ia_ctx *cx, ia_mutation *m, const ia_gq_statement *s,
                            const ia_gq_expr *e, const char *which, ia_builder *b)
{
    ia_gq_value v;

    IA_TRY(ia_gq_eval(cx, m->params, e, &v));
    if (v.kind != IA_GQ_STRING)
        return ia_fail(cx, IA_ERR_INVALID, "insert of %s: '%s' must be the id of a node",
                       s->type->name, which);
    ia_gq_append(cx, b, &v);
    return IA_OK;
}

/* ---- insert
 * -------------------------------------------------------------------------------------- */

/* Puts the id into a finished row whose id column still is empty. */
static ia_status with_id(ia_ctx *cx, const ia_type_def *def, const ia_batch *raw, ia_batch **out)
{
    char fresh[IA_ULID_LEN + 1];
    ia_buf text = {0};
    ia_builder b = {0};
    ia_array **cols = NULL;
    ia_status st;

    IA_GO(ia_builder_init(cx, &b, raw->schema->fields[0].type));
    if (def->n_key > 0) {
        IA_GO(ia_node_key_id(cx, raw, 0, def, &text));
        ia_builder_str(cx, &b, (const char *)text.data, text.len);
    } else {
        IA_GO(ia_ulid_new(cx, fresh));
        ia_builder_str(cx, &b, fresh, IA_ULID_LEN);
    }
    IA_GO(IA_NEW_ARRAY(cx, cols, raw->schema->n_fields));
    IA_GO(ia_builder_finish(cx, &b, &cols[0]));
    for (size_t k = 1; k < raw->schema->n_fields; k++)
        cols[k] = ia_array_retain(raw->cols[k]);
    st = ia_batch_make(cx, raw->schema, 1, cols, out); /* takes the columns over, also on failure */
    ia_free(cols);
    cols = NULL;
done:
    ia_free(cols);
    ia_builder_dispose(&b);
    ia_buf_dispose(&text);
    return st;
}

static ia_status build_row(ia_ctx *cx, ia_mutation *m, const ia_gq_statement *s, ia_batch **out)
{
    const ia_type_def *def = s->type;
    ia_batch_builder b = {0};
    ia_batch *raw = NULL;
    ia_status st;

    IA_GO(ia_batch_builder_init(cx, &b, def->arrow_schema));
    ia_builder_str(cx, &b.cols[0], "", 0);
    if (def->kind == IA_KIND_EDGE) {
        IA_GO(append_end(cx, m, s, s->from, "from", &b.cols[1]));
        IA_GO(append_end(cx, m, s, s->to, "to", &b.cols[2]));
    }
    for (size_t p = 0; p < def->n_properties; p++)
        IA_GO(append_property(cx, m, s, p, &b.cols[def->first_column + p]));
    IA_GO(ia_batch_builder_finish(cx, &b, &raw));
    IA_GO(with_id(cx, def, raw, out));
done:
    ia_batch_release(raw);
    ia_batch_builder_dispose(&b);
    return st;
}

ia_status ia_mut_insert(ia_ctx *cx, ia_mutation *m, const ia_gq_statement *s)
{
    ia_mut_type *t = &m->types[ia_mut_type_index(m, s->type)];
    ia_batch *row = NULL;
    ia_status st;

    IA_GO(build_row(cx, m, s, &row));
    IA_GO(ia_row_plan_add(cx, &t->plan, row));
    t->given_ids = t->given_ids || s->type->n_key > 0;
    *(s->type->kind == IA_KIND_NODE ? &m->nodes : &m->edges) += 1;
done:
    ia_batch_release(row);
    return st;
}

/* ---- predicates
 * ---------------------------------------------------------------------------------- */

ia_status ia_mut_predicate(ia_ctx *cx, ia_mutation *m, const ia_gq_statement *s,
                           const ia_schema *schema, ia_expr **out, bool *never)
{
    static const ia_expr_op ops[] = {
        [IA_GQ_EQ] = IA_EXPR_EQ, [IA_GQ_NE] = IA_EXPR_NE, [IA_GQ_LT] = IA_EXPR_LT,
        [IA_GQ_LE] = IA_EXPR_LE, [IA_GQ_GT] = IA_EXPR_GT, [IA_GQ_GE] = IA_EXPR_GE};
    const char *column = s->where_prop == IA_GQ_FIELD_FROM ? "src"
                         : s->where_prop == IA_GQ_FIELD_TO
                             ? "dst"
                             : s->type->properties[s->where_prop].name;
    ia_gq_value v;
    ia_expr *e;

    *out = NULL;
    IA_TRY(ia_gq_eval(cx, m->params, &s->where_value, &v));
    *never = v.kind == IA_GQ_NULL;
    if (*never)
        return IA_OK;
    if (s->where_op > IA_GQ_GE)
        return ia_fail(cx, IA_ERR_INTERNAL, "a mutation's predicate must be a comparison");
    const ia_scalar value = ia_gq_scalar(&v);
    IA_TRY(ia_expr_cmp(cx, &m->arena, ops[s->where_op], column, &value, &e));
    return ia_expr_bind(cx, &m->arena, e, schema, out);
}

/* ---- update
 * -------------------------------------------------------------------------------------- */

/* Rows with the assigned properties replaced, the others as they are. */
static ia_status replace_columns(ia_ctx *cx, ia_mutation *m, const ia_gq_statement *s,
                                 const ia_batch *rows, ia_batch **out)
{
    const ia_type_def *def = s->type;
    ia_array **cols = NULL;
    ia_builder b = {0};
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, cols, rows->schema->n_fields));
    for (size_t k = 0; k < rows->schema->n_fields; k++)
        cols[k] = ia_array_retain(rows->cols[k]);
    for (size_t p = 0; p < def->n_properties; p++) {
        ia_gq_value v;
        bool found;
        IA_GO(assigned(cx, m, s, p, &v, &found));
        if (!found)
            continue;
        const size_t k = def->first_column + p;
        IA_GO(ia_builder_init(cx, &b, rows->schema->fields[k].type));
        for (int64_t i = 0; i < rows->rows; i++)
            ia_gq_append(cx, &b, &v);
        ia_array_release(cols[k]);
        cols[k] = NULL;
        IA_GO(ia_builder_finish(cx, &b, &cols[k]));
        ia_builder_dispose(&b);
        b = (ia_builder){0};
    }
    st = ia_batch_make(cx, rows->schema, rows->rows, cols, out);
    ia_free(cols);
    cols = NULL;
done:
    for (size_t k = 0; cols && k < rows->schema->n_fields; k++)
        ia_array_release(cols[k]);
    ia_free(cols);
    ia_builder_dispose(&b);
    return st;
}

typedef struct updating {
    ia_mutation *m;
    const ia_gq_statement *s;
    ia_mut_type *t;
    ia_batch **found; /* changed rows, added to the plan once all are known */
    size_t n, cap;
} updating;

/* Keeps rows idx[] of b, changed. */
static ia_status keep(ia_ctx *cx, updating *u, const ia_batch *b, const int64_t *idx, int64_t n)
{
    ia_batch *rows = NULL;
    ia_status st = IA_OK;

    if (n == 0)
        return IA_OK;
    IA_GO(ia_take_batch(cx, b, idx, n, &rows));
    IA_GO(IA_GROW(cx, u->found, u->cap, u->n + 1));
    u->found[u->n] = NULL;
    IA_GO(replace_columns(cx, u->m, u->s, rows, &u->found[u->n]));
    u->n++;
    u->m->nodes += (uint64_t)n;
done:
    ia_batch_release(rows);
    return st;
}

/* Committed rows that match, but for those this mutation replaced already. */
static ia_status match_committed(ia_ctx *cx, void *arg, const ia_batch *b)
{
    updating *u = arg;
    const ia_array *ids = ia_batch_col(b, "id");
    int64_t *idx, n = 0;

    IA_TRY(IA_NEW_ARRAY(cx, idx, (size_t)b->rows + 1));
    for (int64_t i = 0; i < b->rows; i++) {
        const ia_view id = ia_array_str(ids, i);
        idx[n] = i;
        n += !ia_bytemap_find(&u->t->plan.ids, id.data, id.len, NULL);
    }
    const ia_status st = keep(cx, u, b, idx, n);
    ia_free(idx);
    return st;
}

static ia_status match_pending(ia_ctx *cx, updating *u, const ia_expr *where, size_t batch)
{
    const ia_batch *b = u->t->plan.batches[batch];
    int64_t *idx = NULL, n = 0, last = 0;
    ia_status st;

    IA_GO(ia_expr_select(cx, where, b, &idx, &n));
    for (int64_t i = 0; i < n; i++)
        if (ia_row_plan_is_last(&u->t->plan, batch, idx[i]))
            idx[last++] = idx[i];
    IA_GO(keep(cx, u, b, idx, last));
done:
    ia_free(idx);
    return st;
}

static ia_status match_all(ia_ctx *cx, updating *u, size_t type)
{
    const ia_entry *e = ia_snapshot_entry(u->m->w->head, type);
    const size_t pending = u->t->plan.n;
    ia_expr *where;
    ia_dataset *ds;
    bool never;

    IA_TRY(ia_mut_predicate(cx, u->m, u->s, u->s->type->arrow_schema, &where, &never));
    if (never)
        return IA_OK;
    for (size_t i = 0; i < pending; i++)
        IA_TRY(match_pending(cx, u, where, i));
    if (!e || e->rows == 0)
        return IA_OK;
    IA_TRY(ia_snapshot_table(cx, u->m->w->head, type, &ds));
    IA_TRY(ia_mut_predicate(cx, u->m, u->s, ds->m->arrow, &where, &never));
    return ia_scan_each(cx, ds, &(ia_scan_options){.filter = where}, match_committed, u);
}

ia_status ia_mut_update(ia_ctx *cx, ia_mutation *m, const ia_gq_statement *s)
{
    const size_t type = ia_mut_type_index(m, s->type);
    updating u = {.m = m, .s = s, .t = &m->types[type]};
    ia_status st;

    for (size_t i = 0; i < s->n_assigns; i++)
        if (ia_type_def_is_key(s->type, s->assigns[i].prop))
            return ia_fail(cx, IA_ERR_INVALID,
                           "cannot update @key property '%s' - delete and re-insert instead",
                           s->type->properties[s->assigns[i].prop].name);
    IA_GO(match_all(cx, &u, type));
    for (size_t i = 0; i < u.n; i++)
        IA_GO(ia_row_plan_add(cx, &u.t->plan, u.found[i]));
    u.t->given_ids = u.t->given_ids || u.n > 0;
done:
    for (size_t i = 0; i < u.n; i++)
        ia_batch_release(u.found[i]);
    ia_free(u.found);
    return st;
}
