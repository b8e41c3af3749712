/* colread.c - top-level columns: their leaves opened together, rows of leaves made into arrays. */
#include "arrow/compute.h"
#include "file/colread.h"

#include <inttypes.h>

enum { MAX_PATH = IA_MAX_LAYERS };

/* ---- leaves of a type ----------------------------------------------------------------------- */

static size_t count_leaves(const ia_field *f, int depth)
{
    size_t n = 0;

    if (ia_field_is_leaf(f) || depth > MAX_PATH)
        return 1;
    for (size_t i = 0; i < f->type->n_children; i++)
        n += count_leaves(&f->type->children[i], depth + 1);
    return n;
}

typedef struct walk_state {
    ia_file *f;
    ia_colread *c;
    size_t path[MAX_PATH];
    size_t depth, next;
} walk_state;

static ia_status open_leaves(ia_ctx *cx, walk_state *w, const ia_field *f)
{
    ia_leafread *r;

    if (!ia_field_is_leaf(f)) {
        if (w->depth == MAX_PATH)
            return ia_fail(cx, IA_ERR_UNSUPPORTED, "column '%s' is nested too deeply",
                           w->c->col->field->name);
        for (size_t i = 0; i < f->type->n_children; i++) {
            w->path[w->depth++] = i;
            IA_TRY(open_leaves(cx, w, &f->type->children[i]));
            w->depth--;
        }
        return IA_OK;
    }
    r = &w->c->leaves[w->next];
    if (w->c->col->leaf_columns[w->next] >= 0) {
        r->present = true;
        r->spec = (ia_leafspec){.column = (uint32_t)w->c->col->leaf_columns[w->next],
                                .type = w->c->col->field->type,
                                .path_len = w->depth,
                                .cls = w->c->col->cls};
        memcpy(r->spec.path, w->path, w->depth * sizeof w->path[0]);
        IA_TRY(ia_leaf_init(cx, &r->leaf, w->f, r->spec.column, r->spec.type, r->spec.path,
                            r->spec.path_len, r->spec.cls));
    }
    w->next++;
    return IA_OK;
}

void ia_colread_close(ia_colread *c)
{
    for (size_t i = 0; c->leaves && i < c->n_leaves; i++) {
        ia_leafacc_dispose(&c->leaves[i].acc);
        ia_leaf_dispose(&c->leaves[i].leaf);
    }
    ia_free(c->leaves);
    c->leaves = NULL;
}

ia_status ia_colread_open(ia_ctx *cx, ia_file *f, const ia_file_column *col, ia_colread *c)
{
    walk_state w = {.f = f, .c = c};
    size_t n = count_leaves(col->field, 0);

    c->col = col;
    if (n != col->n_leaves)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "file %s: column '%s' has %zu leaves, its table names %zu", f->io->path,
                       col->field->name, n, col->n_leaves);
    IA_TRY(IA_NEW_ARRAY(cx, c->leaves, n ? n : 1));
    c->n_leaves = n;
    return ia_fail_prefix(cx, open_leaves(cx, &w, col->field), "column '%s'", col->field->name);
}

/* ---- arrays --------------------------------------------------------------------------------- */

typedef struct build_state {
    ia_colread *c;
    size_t next;  /* leaf */
    size_t depth; /* of the node in its column */
} build_state;

static ia_leafread *first_present(const build_state *b, size_t n)
{
    for (size_t i = b->next; i < b->next + n; i++) {
        if (b->c->leaves[i].present)
            return &b->c->leaves[i];
    }
    return NULL;
}

static ia_status build(ia_ctx *cx, build_state *b, const ia_field *f, uint64_t n, ia_array **out);

static ia_status build_children(ia_ctx *cx, build_state *b, const ia_type *t, uint64_t n,
                                ia_array **kids)
{
    b->depth++;
    for (size_t i = 0; i < t->n_children; i++)
        IA_TRY(build(cx, b, &t->children[i], n, &kids[i]));
    b->depth--;
    return IA_OK;
}

static ia_status offsets_of(ia_ctx *cx, ia_layer_acc *layer, uint64_t items, ia_buffer **out)
{
    uint8_t *p = ia_buf_extend(cx, &layer->offs, layer->offset_bits / 8);
    ia_bytes bytes = {0};

    if (p && layer->offset_bits == 32)
        ia_put_le32(p, (uint32_t)items);
    else if (p)
        ia_put_le64(p, items);
    IA_TRY(ia_buf_finish(&layer->offs, &bytes));
    return ia_buffer_own(cx, bytes.data, bytes.len, out);
}

static ia_status build_nested(ia_ctx *cx, build_state *b, const ia_type *t, ia_leafread *r,
                              uint64_t n, ia_array **out)
{
    size_t at = r->acc.n_layers - 1 - b->depth;
    ia_layer_acc *layer = &r->acc.layers[at];
    uint64_t items = n;
    int64_t nulls = (int64_t)layer->valid.zeros;
    ia_buffer *valid = NULL, *offs = NULL;
    ia_array **kids = NULL;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, kids, t->n_children));
    if (layer->list)
        items = r->acc.layers[at - 1].valid.n;
    else if (t->id == IA_TYPE_FIXED_LIST)
        items = n * (uint64_t)t->size; /* the leaf's pages have them */
    if (layer->valid.n != n || layer->part || (layer->list && t->n_children != 1))
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT,
                      "leaves of one column disagree: %" PRIu64 " and %" PRIu64 " values",
                      layer->valid.n, n));
    IA_GO(build_children(cx, b, t, items, kids));
    IA_GO(ia_valid_finish(cx, &layer->valid, &valid));
    if (layer->list)
        IA_GO(offsets_of(cx, layer, (uint64_t)kids[0]->length, &offs));
    st = ia_array_make(cx, t, (int64_t)n, nulls, valid, offs, NULL, kids, t->n_children, out);
    valid = offs = NULL;
    ia_free(kids);
    kids = NULL;
done:
    for (size_t i = 0; kids && i < t->n_children; i++)
        ia_array_release(kids[i]);
    ia_free(kids);
    ia_buffer_release(valid);
    ia_buffer_release(offs);
    return st;
}

static ia_status build_leaf(ia_ctx *cx, ia_leafread *r, const ia_type *t, uint64_t n,
                            ia_array **out)
{
    ia_leafacc *a = &r->acc;
    ia_array *plain = NULL;
    ia_status st;

    if (a->layers[0].valid.n != n || (r->leaf.kind != IA_LEAF_PACKED && a->vals.n != n))
        return ia_fail(cx, IA_ERR_CORRUPT,
                       "column %" PRIu32 " gives %" PRIu64 " values where %" PRIu64 " belong",
                       r->leaf.column, a->layers[0].valid.n, n);
    switch (r->leaf.kind) {
    case IA_LEAF_PLAIN:
        break;
    case IA_LEAF_EMPTY: /* the engine writes its pages as if all were null */
        return ia_array_make(cx, t, (int64_t)n, 0, NULL, NULL, NULL, NULL, 0, out);
    case IA_LEAF_DICTIONARY:
        IA_TRY(ia_vals_finish(cx, &a->vals, &a->layers[0].valid, t->children[1].type, &plain));
        st = ia_cast_array(cx, plain, t, out);
        ia_array_release(plain);
        if (st == IA_ERR_INVALID) /* the file's own type is too narrow for so many rows at once */
            st = cx->err.code = IA_ERR_UNSUPPORTED;
        return st;
    case IA_LEAF_PACKED:
        return ia_packed_finish(cx, &a->packed, &a->layers[0].valid, n, t, out);
    }
    return ia_vals_finish(cx, &a->vals, &a->layers[0].valid, t, out);
}

/* The array of field `f` from the leaves at b->next on; n is what the parents expect. */
static ia_status build(ia_ctx *cx, build_state *b, const ia_field *f, uint64_t n, ia_array **out)
{
    const ia_type *t = f->type;
    size_t leaves = count_leaves(f, 0);
    ia_leafread *r = first_present(b, leaves);

    if (!r) {
        b->next += leaves;
        return ia_array_nulls(cx, t, (int64_t)n, out);
    }
    if (!ia_field_is_leaf(f))
        return build_nested(cx, b, t, r, n, out);
    b->next++;
    return build_leaf(cx, r, t, n, out);
}

ia_status ia_colread_start(ia_ctx *cx, ia_colread *c)
{
    for (size_t i = 0; i < c->n_leaves; i++) {
        ia_leafread *r = &c->leaves[i];

        if (!r->present)
            continue;
        ia_leafacc_dispose(&r->acc);
        IA_TRY(ia_leafacc_init(cx, &r->acc, &r->leaf));
    }
    return IA_OK;
}

ia_status ia_colread_finish(ia_ctx *cx, ia_file *f, ia_colread *c, uint64_t n, ia_array **out)
{
    build_state b = {.c = c};
    ia_status st = build(cx, &b, c->col->field, n, out);

    return st == IA_OK
               ? st
               : ia_fail_prefix(cx, st, "file %s, column '%s'", f->io->path, c->col->field->name);
}

void ia_colread_drop(ia_array **out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ia_array_release(out[i]);
        out[i] = NULL;
    }
}
