/* validate_run.c - runs the evaluator: final images, order of the passes. */
#include "graph/validate.h"

#include <stdlib.h>

#include "graph/validate_priv.h"

void ia_violations_dispose(ia_violations *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < v->n; i++) {
        ia_free(v->items[i].id);
        ia_free(v->items[i].message);
    }
    ia_free(v->items);
    memset(v, 0, sizeof *v);
}

ia_status ia_violations_fail(ia_ctx *cx, const ia_catalog *cat, const ia_violations *v)
{
    if (v->n == 0)
        return IA_OK;
    const ia_violation *first = &v->items[0];
    IA_ASSERT(first->type < cat->n_types);
    (void)cat;
    if (first->line > 0)
        return ia_fail(cx, IA_ERR_CONSTRAINT, "line %llu: %s", (unsigned long long)first->line,
                       first->message);
    return ia_fail(cx, IA_ERR_CONSTRAINT, "%s", first->message);
}

ia_status ia_vrun_add(ia_ctx *cx, ia_vrun *run, ia_violation_kind kind, const ia_vtype *vt,
                      ia_view id, uint64_t line, ia_buf *text)
{
    ia_violations *out = run->out;
    ia_violation v = {.kind = kind, .line = line};
    ia_status st;

    IA_GO(ia_buf_finish_str(cx, text, &v.message));
    if (id.data)
        IA_GO(IA_SET(cx, v.id, ia_strndup(cx, id.data, id.len)));
    IA_GO(IA_GROW(cx, out->items, out->cap, out->n + 1));
    v.type = (size_t)(vt - run->types);
    out->items[out->n++] = v;
    memset(&v, 0, sizeof v);
    run->done = !run->opt->all;
done:
    ia_free(v.id);
    ia_free(v.message);
    return st;
}

const char *ia_prop_name(const ia_type_def *t, int prop)
{
    if (prop == IA_PROP_SRC)
        return "src";
    if (prop == IA_PROP_DST)
        return "dst";
    return t->properties[prop].name;
}

const ia_array *ia_vtype_col(const ia_vtype *vt, size_t image, int prop)
{
    return ia_batch_col(vt->t->images[image], ia_prop_name(vt->def, prop));
}

ia_view ia_vtype_id(const ia_vtype *vt, uint64_t place)
{
    return ia_array_str(ia_batch_col(vt->t->images[ia_place_image(place)], "id"),
                        ia_place_row(place));
}

ia_view ia_vtype_end(const ia_vtype *vt, uint64_t place, int end)
{
    const ia_array *a =
        ia_vtype_col(vt, ia_place_image(place), end == 0 ? IA_PROP_SRC : IA_PROP_DST);
    return ia_array_str(a, ia_place_row(place));
}

uint64_t ia_vtype_line(const ia_vtype *vt, uint64_t place)
{
    const uint64_t *lines = vt->t->lines[ia_place_image(place)];
    return lines ? lines[ia_place_row(place)] : 0;
}

/* Every column a pass reads must be in the images; its absence is a bug of who built the change. */
static ia_status check_image(ia_ctx *cx, const ia_vtype *vt, const ia_batch *b)
{
    const bool edge = vt->def->kind == IA_KIND_EDGE;

    if (!ia_batch_col(b, "id") || (edge && (!ia_batch_col(b, "src") || !ia_batch_col(b, "dst"))))
        return ia_fail(cx, IA_ERR_INTERNAL, "a change of %s without its id, src or dst column",
                       vt->def->name);
    if (b->rows > (int64_t)UINT32_MAX)
        return ia_fail(cx, IA_ERR_INTERNAL, "a change of %s with %lld rows in one batch",
                       vt->def->name, (long long)b->rows);
    return IA_OK;
}

static ia_status add_gone(ia_ctx *cx, ia_vtype *vt, const ia_bytemap *removed)
{
    for (size_t i = 0; i < removed->n; i++) {
        const ia_view id = ia_bytemap_key(removed, i);
        if (!ia_vtype_has(vt, id))
            IA_TRY(ia_bytemap_put(cx, &vt->gone, id.data, id.len, NULL, NULL));
    }
    return IA_OK;
}

ia_status ia_vtype_build(ia_ctx *cx, ia_vtype *vt)
{
    if (vt->built || !vt->t)
        return IA_OK;
    for (size_t i = 0; i < vt->t->n_images; i++) {
        const ia_batch *b = vt->t->images[i];
        IA_TRY(check_image(cx, vt, b));
        const ia_array *ids = ia_batch_col(b, "id");
        for (int64_t r = 0; r < b->rows; r++) {
            const ia_view id = ia_array_str(ids, r);
            size_t at;
            IA_TRY(ia_bytemap_put(cx, &vt->final, id.data, id.len, &at, NULL));
            *ia_bytemap_value(&vt->final, at) = ia_place(i, r);
        }
        IA_TRY(ia_check(cx, 0, 0));
    }
    IA_TRY(ia_bytemap_sorted(cx, &vt->final, &vt->by_id));
    IA_TRY(add_gone(cx, vt, &vt->t->deleted));
    IA_TRY(add_gone(cx, vt, &vt->t->overwrite_removed));
    vt->built = true;
    return IA_OK;
}

static void run_dispose(ia_vrun *run)
{
    for (size_t i = 0; run->types && i < run->cs->cat->n_types; i++) {
        ia_vtype *vt = &run->types[i];
        ia_bytemap_dispose(&vt->final);
        ia_bytemap_dispose(&vt->gone);
        ia_bytemap_dispose(&vt->probe);
        ia_bitmap_free(vt->present);
        ia_free(vt->by_id);
    }
    ia_free(run->types);
}

static ia_status run_nodes(ia_ctx *cx, ia_vrun *run)
{
    for (size_t i = 0; i < run->cs->cat->n_nodes && !run->done; i++)
        if (run->types[i].t)
            IA_TRY(ia_validate_unique(cx, run, &run->types[i]));
    return IA_OK;
}

static ia_status run_edges(ia_ctx *cx, ia_vrun *run)
{
    const ia_catalog *cat = run->cs->cat;

    if (!run->done)
        IA_TRY(ia_validate_probe(cx, run));
    for (size_t i = cat->n_nodes; i < cat->n_types && !run->done; i++) {
        ia_vtype *vt = &run->types[i];
        if (vt->t)
            IA_TRY(ia_validate_unique(cx, run, vt));
        if (!run->done)
            IA_TRY(ia_validate_ends(cx, run, vt));
        if (!run->done && vt->t)
            IA_TRY(ia_validate_card(cx, run, vt));
    }
    return IA_OK;
}

ia_status ia_validate(ia_ctx *cx, const ia_changeset *cs, ia_cview *committed,
                      const ia_validate_options *opt, ia_violations *out)
{
    ia_vrun run = {.cs = cs, .view = committed, .opt = opt, .out = out};
    ia_status st = IA_OK;

    if (cs->n == 0)
        return IA_OK;
    IA_GO(IA_NEW_ARRAY(cx, run.types, cs->cat->n_types));
    for (size_t i = 0; i < cs->cat->n_types; i++) {
        run.types[i].def = cs->cat->types[i];
        run.types[i].t = ia_changeset_find(cs, i);
    }
    for (size_t i = 0; i < cs->n && opt->value_rules && !run.done; i++)
        IA_GO(ia_validate_values(cx, &run, &run.types[cs->types[i].type]));
    IA_GO(run_nodes(cx, &run));
    IA_GO(run_edges(cx, &run));
done:
    run_dispose(&run);
    return st;
}
