/* validate_unique.c - @key and @unique: in a batch, at last, and committed. */
#include <stdlib.h>

#include "graph/validate_priv.h"

typedef struct ia_vgroup {
    ia_vrun *run;
    ia_vtype *vt;
    const int *cols;
    size_t n_cols;
    bool is_key;
    ia_bytemap tuples; /* tuple -> place of the first row that has it */
    ia_buf key;        /* scratch */
    char **holders;    /* per tuple: smallest id of a committed row outside the change that has it;
                          NULL = none */
} ia_vgroup;

static void group_dispose(ia_vgroup *g)
{
    ia_buf_dispose(&g->key);
    for (size_t i = 0; g->holders && i < g->tuples.n; i++)
        ia_free(g->holders[i]);
    ia_free(g->holders);
    ia_bytemap_dispose(&g->tuples);
}

static void put_columns(ia_ctx *cx, ia_buf *text, const ia_vgroup *g)
{
    if (g->n_cols > 1)
        ia_buf_putc(cx, text, '(');
    for (size_t i = 0; i < g->n_cols; i++)
        ia_buf_printf(cx, text, "%s%s", i ? ", " : "", ia_prop_name(g->vt->def, g->cols[i]));
    if (g->n_cols > 1)
        ia_buf_putc(cx, text, ')');
}

static ia_status put_values(ia_ctx *cx, ia_buf *text, const ia_vgroup *g, uint64_t place)
{
    if (g->n_cols > 1)
        ia_buf_putc(cx, text, '(');
    for (size_t i = 0; i < g->n_cols; i++) {
        if (i > 0)
            ia_buf_puts(cx, text, ", ");
        const ia_array *a = ia_vtype_col(g->vt, ia_place_image(place), g->cols[i]);
        IA_TRY(ia_canonical_text(cx, a, ia_place_row(place), text));
    }
    if (g->n_cols > 1)
        ia_buf_putc(cx, text, ')');
    return IA_OK;
}

/* The row at `place` collides with the row `held_by`; `where` says where the two met. */
static ia_status report(ia_ctx *cx, ia_vgroup *g, uint64_t place, ia_view held_by,
                        const char *where)
{
    const ia_view id = ia_vtype_id(g->vt, place);
    ia_buf text = {0};
    ia_status st;

    ia_buf_printf(cx, &text, "@unique violation on %s.", g->vt->def->name);
    put_columns(cx, &text, g);
    ia_buf_puts(cx, &text, ": value '");
    IA_GO(put_values(cx, &text, g, place));
    ia_buf_puts(cx, &text, "' held by '");
    ia_buf_put(cx, &text, held_by.data, held_by.len);
    ia_buf_puts(cx, &text, "' and '");
    ia_buf_put(cx, &text, id.data, id.len);
    ia_buf_printf(cx, &text, "'%s%s", where, g->is_key ? " (it is the @key)" : "");
    IA_GO(ia_vrun_add(cx, g->run, IA_VIOLATION_UNIQUE, g->vt, id, ia_vtype_line(g->vt, place),
                      &text));
done:
    ia_buf_dispose(&text);
    return st;
}

/* Enters the tuple of a row; *other = the row that has it already, or the row itself. */
static ia_status enter(ia_ctx *cx, ia_vgroup *g, uint64_t place, uint64_t *other)
{
    const ia_batch *b = g->vt->t->images[ia_place_image(place)];
    bool has_null, added;
    size_t at;

    *other = place;
    IA_TRY(ia_tuple_key(cx, b, ia_place_row(place), g->vt->def, g->cols, g->n_cols, &g->key,
                        &has_null));
    if (has_null)
        return IA_OK;
    IA_TRY(ia_bytemap_put(cx, &g->tuples, g->key.data, g->key.len, &at, &added));
    if (added)
        *ia_bytemap_value(&g->tuples, at) = place;
    *other = ia_bytemap_get(&g->tuples, at);
    return IA_OK;
}

/* Pass 1: two rows of one batch, even with one id, because a batch has no order. */
static ia_status pass_batch(ia_ctx *cx, ia_vgroup *g, size_t from, size_t to)
{
    ia_bytemap_dispose(&g->tuples);
    for (size_t i = from; i < to; i++) {
        for (int64_t r = 0; r < g->vt->t->images[i]->rows && !g->run->done; r++) {
            uint64_t other;
            IA_TRY(enter(cx, g, ia_place(i, r), &other));
            if (other != ia_place(i, r))
                IA_TRY(report(cx, g, ia_place(i, r), ia_vtype_id(g->vt, other), " in one batch"));
        }
        IA_TRY(ia_check(cx, 0, 0));
    }
    return IA_OK;
}

/* Pass 2: two ids of the final image. */
static ia_status pass_final(ia_ctx *cx, ia_vgroup *g)
{
    ia_bytemap_dispose(&g->tuples);
    for (size_t k = 0; k < g->vt->final.n && !g->run->done; k++) {
        const uint64_t place = ia_bytemap_get(&g->vt->final, g->vt->by_id[k]);
        uint64_t other;
        IA_TRY(enter(cx, g, place, &other));
        if (other != place)
            IA_TRY(report(cx, g, place, ia_vtype_id(g->vt, other), ""));
    }
    return IA_OK;
}

static ia_status holder_found(ia_ctx *cx, void *arg, ia_view id, size_t tuple)
{
    ia_vgroup *g = arg;

    if (tuple >= g->tuples.n)
        return ia_fail(cx, IA_ERR_INTERNAL, "a probe answered tuple %zu of %zu", tuple,
                       g->tuples.n);
    if (ia_vtype_has(g->vt, id) || ia_vtype_gone(g->vt, id))
        return IA_OK;
    if (!g->holders)
        IA_TRY(IA_NEW_ARRAY(cx, g->holders, g->tuples.n));
    if (g->holders[tuple] && ia_view_cmp(ia_view_of(g->holders[tuple]), id) <= 0)
        return IA_OK;
    ia_free(g->holders[tuple]);
    return IA_SET(cx, g->holders[tuple], ia_strndup(cx, id.data, id.len));
}

/* The holder of the tuple of one row of the final image, or NULL. */
static ia_status find_holder(ia_ctx *cx, ia_vgroup *g, uint64_t place, const char **holder)
{
    const ia_batch *b = g->vt->t->images[ia_place_image(place)];
    bool has_null;
    size_t at;

    *holder = NULL;
    IA_TRY(ia_tuple_key(cx, b, ia_place_row(place), g->vt->def, g->cols, g->n_cols, &g->key,
                        &has_null));
    if (!has_null && ia_bytemap_find(&g->tuples, g->key.data, g->key.len, &at))
        *holder = g->holders[at];
    return IA_OK;
}

/* Pass 3: committed rows outside the change, one of them per row of the change. */
static ia_status pass_committed(ia_ctx *cx, ia_vgroup *g)
{
    const size_t type = (size_t)(g->vt - g->run->types);

    if (g->tuples.n == 0 || g->vt->t->overwritten)
        return IA_OK;
    IA_TRY(g->run->view->by_tuple(cx, g->run->view, type, g->cols, g->n_cols, &g->tuples,
                                  holder_found, g));
    for (size_t k = 0; g->holders && k < g->vt->final.n && !g->run->done; k++) {
        const uint64_t place = ia_bytemap_get(&g->vt->final, g->vt->by_id[k]);
        const char *holder;
        IA_TRY(find_holder(cx, g, place, &holder));
        if (holder)
            IA_TRY(report(cx, g, place, ia_view_of(holder), ""));
    }
    return IA_OK;
}

static ia_status judge_group(ia_ctx *cx, ia_vgroup *g)
{
    const size_t n = g->vt->t->n_images;
    const size_t step = g->vt->t->one_batch && n > 0 ? n : 1;
    const size_t before = g->run->out->n;

    for (size_t i = 0; i < n && !g->run->done; i += step)
        IA_TRY(pass_batch(cx, g, i, i + step));
    if (g->run->out->n > before)
        return IA_OK;
    /* One clean batch has no equal tuples left for pass 2, and its map serves pass 3. */
    if (step < n)
        IA_TRY(pass_final(cx, g));
    if (!g->is_key && !g->run->done)
        IA_TRY(pass_committed(cx, g));
    return IA_OK;
}

static int int_order(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

/* A @unique group over exactly the key's properties says nothing new. */
static bool covered_by_key(const ia_type_def *t, const ia_propset *u)
{
    size_t same = 0;

    for (size_t i = 0; i < u->n; i++)
        for (size_t k = 0; k < t->n_key; k++)
            if (u->props[i] == t->key[k])
                same++;
    return t->n_key > 0 && same == t->n_key && u->n == t->n_key;
}

/* Columns of the key in catalog order, as the messages name them. */
static ia_status judge_key(ia_ctx *cx, ia_vrun *run, ia_vtype *vt)
{
    ia_vgroup g = {.run = run, .vt = vt, .n_cols = vt->def->n_key, .is_key = true};
    int *cols = NULL;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, cols, g.n_cols));
    memcpy(cols, vt->def->key, g.n_cols * sizeof *cols);
    qsort(cols, g.n_cols, sizeof *cols, int_order);
    g.cols = cols;
    IA_GO(judge_group(cx, &g));
done:
    group_dispose(&g);
    ia_free(cols);
    return st;
}

ia_status ia_validate_unique(ia_ctx *cx, ia_vrun *run, ia_vtype *vt)
{
    if (vt->def->n_key == 0 && vt->def->n_uniques == 0)
        return IA_OK;
    IA_TRY(ia_vtype_build(cx, vt));
    if (vt->def->n_key > 0)
        IA_TRY(judge_key(cx, run, vt));
    for (size_t i = 0; i < vt->def->n_uniques && !run->done; i++) {
        const ia_propset *u = &vt->def->uniques[i];
        if (covered_by_key(vt->def, u))
            continue;
        ia_vgroup g = {.run = run, .vt = vt, .cols = u->props, .n_cols = u->n};
        ia_status st = judge_group(cx, &g);
        group_dispose(&g);
        if (st != IA_OK)
            return st;
    }
    return IA_OK;
}
