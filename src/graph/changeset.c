/* changeset.c - keeps what a write does to each type, in type-key order. */
#include "graph/changeset.h"

#include <stdio.h>

#include "arrow/compute.h"

static void tchange_dispose(ia_tchange *t)
{
    for (size_t i = 0; i < t->n_images; i++) {
        ia_batch_release(t->images[i]);
        ia_free(t->lines[i]);
    }
    ia_free(t->images);
    ia_free(t->lines);
    ia_bytemap_dispose(&t->deleted);
    ia_bytemap_dispose(&t->overwrite_removed);
}

void ia_changeset_dispose(ia_changeset *cs)
{
    if (!cs)
        return;
    for (size_t i = 0; i < cs->n; i++)
        tchange_dispose(&cs->types[i]);
    ia_free(cs->types);
    memset(cs, 0, sizeof *cs);
}

/* Type keys ascending: "edge:..." before "node:...", each by name. The catalog keeps nodes, then
 * edges, each by name already. */
static int type_order(const ia_catalog *cat, size_t a, size_t b)
{
    const bool edge_a = cat->types[a]->kind == IA_KIND_EDGE;
    const bool edge_b = cat->types[b]->kind == IA_KIND_EDGE;

    if (edge_a != edge_b)
        return edge_a ? -1 : 1;
    return a < b ? -1 : a > b;
}

ia_status ia_changeset_type(ia_ctx *cx, ia_changeset *cs, size_t type, ia_tchange **out)
{
    size_t at = 0;

    *out = NULL;
    IA_ASSERT(type < cs->cat->n_types);
    while (at < cs->n && type_order(cs->cat, cs->types[at].type, type) < 0)
        at++;
    if (at == cs->n || cs->types[at].type != type) {
        IA_TRY(IA_GROW(cx, cs->types, cs->cap, cs->n + 1));
        memmove(cs->types + at + 1, cs->types + at, (cs->n - at) * sizeof *cs->types);
        memset(&cs->types[at], 0, sizeof cs->types[at]);
        cs->types[at].type = type;
        cs->n++;
    }
    *out = &cs->types[at];
    return IA_OK;
}

const ia_tchange *ia_changeset_find(const ia_changeset *cs, size_t type)
{
    for (size_t i = 0; cs && i < cs->n; i++)
        if (cs->types[i].type == type)
            return &cs->types[i];
    return NULL;
}

ia_status ia_tchange_add_lines(ia_ctx *cx, ia_tchange *t, const ia_batch *images, uint64_t *lines)
{
    ia_status st;

    IA_GO(IA_GROW(cx, t->images, t->cap_images, t->n_images + 1));
    IA_GO(IA_GROW(cx, t->lines, t->cap_lines, t->n_images + 1));
    t->images[t->n_images] = ia_batch_retain(images);
    t->lines[t->n_images++] = lines;
    lines = NULL;
done:
    ia_free(lines);
    return st;
}

ia_status ia_tchange_add(ia_ctx *cx, ia_tchange *t, const ia_batch *images)
{
    return ia_tchange_add_lines(cx, t, images, NULL);
}

bool ia_changeset_empty(const ia_changeset *cs)
{
    for (size_t i = 0; i < cs->n; i++) {
        const ia_tchange *t = &cs->types[i];
        if (t->overwritten || t->deleted.n > 0 || t->overwrite_removed.n > 0)
            return false;
        for (size_t k = 0; k < t->n_images; k++)
            if (t->images[k]->rows > 0)
                return false;
    }
    return true;
}

const char *ia_type_key(const ia_type_def *t, char *out, size_t n)
{
    snprintf(out, n, "%s:%s", t->kind == IA_KIND_EDGE ? "edge" : "node", t->name);
    return out;
}

ia_status ia_narrow_image(ia_ctx *cx, const ia_type_def *def, const ia_batch *b, ia_batch **out)
{
    const char **names = NULL;
    int *cols = NULL;
    size_t n = 0;
    ia_status st;

    *out = NULL;
    IA_GO(ia_type_narrow(cx, def, &names, &n));
    IA_GO(IA_NEW_ARRAY(cx, cols, n + 1));
    for (size_t k = 0; k < n; k++)
        cols[k] = ia_schema_find(b->schema, names[k]);
    IA_GO(ia_project_batch(cx, b, cols, n, out));
done:
    ia_free(names);
    ia_free(cols);
    return st;
}
