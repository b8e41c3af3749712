/* projection.c - names of fields into physical columns and pruned types. */
#include "file/projection.h"

#include "file/file_priv.h"

enum { MAX_DEPTH = IA_TYPE_MAX_DEPTH };

static size_t count_leaves(const ia_field *f, int depth)
{
    size_t n = 0;

    if (ia_field_is_leaf(f) || depth > MAX_DEPTH)
        return 1;
    for (size_t i = 0; i < f->type->n_children; i++)
        n += count_leaves(&f->type->children[i], depth + 1);
    return n;
}

/* All leaves of the file in pre-order. */
typedef struct leaf_map {
    const ia_file *f;
    const ia_schema *all;
    size_t n;
    int32_t *column; /* physical column of each leaf */
    bool *chosen;
    size_t *order; /* chosen top-level fields */
    size_t n_order;
    bool *ordered; /* by top-level field */
} leaf_map;

static void map_dispose(leaf_map *m)
{
    ia_free(m->column);
    ia_free(m->chosen);
    ia_free(m->order);
    ia_free(m->ordered);
}

/* Format 2.0 gives structs and lists a column of their own, before those of their children, but one
 * column to a fixed-size list of structs with all that is in it. */
static void number_leaves(leaf_map *m, const ia_field *f, int depth, size_t *leaf, int32_t *column)
{
    if (ia_field_is_leaf(f) || depth > MAX_DEPTH) {
        m->column[(*leaf)++] = (*column)++;
        return;
    }
    if (m->f->minor == 0 && f->type->id == IA_TYPE_FIXED_LIST) {
        for (size_t n = count_leaves(f, depth); n > 0; n--)
            m->column[(*leaf)++] = *column;
        (*column)++;
        return;
    }
    if (m->f->minor == 0)
        (*column)++;
    for (size_t i = 0; i < f->type->n_children; i++)
        number_leaves(m, &f->type->children[i], depth + 1, leaf, column);
}

static ia_status map_init(ia_ctx *cx, leaf_map *m, const ia_file *f, const ia_schema *all)
{
    size_t leaf = 0;
    int32_t column = 0;

    m->f = f;
    m->all = all;
    for (size_t i = 0; i < all->n_fields; i++)
        m->n += count_leaves(&all->fields[i], 0);
    IA_TRY(IA_NEW_ARRAY(cx, m->column, m->n + 1));
    IA_TRY(IA_NEW_ARRAY(cx, m->chosen, m->n + 1));
    IA_TRY(IA_NEW_ARRAY(cx, m->order, all->n_fields + 1));
    IA_TRY(IA_NEW_ARRAY(cx, m->ordered, all->n_fields + 1));
    for (size_t i = 0; i < all->n_fields; i++)
        number_leaves(m, &all->fields[i], 0, &leaf, &column);
    return IA_OK;
}

/* ---- paths ---------------------------------------------------------------------------------- */

/* Length of the longest name among fields that begins the path and ends at a dot or at its end;
 * *at is its field. Names may have dots themselves. 0 = none. */
static size_t match_name(const ia_field *fields, size_t n, const char *path, size_t *at)
{
    size_t best = 0;

    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(fields[i].name);

        if (len > best && strncmp(path, fields[i].name, len) == 0 &&
            (path[len] == '.' || path[len] == 0)) {
            best = len;
            *at = i;
        }
    }
    return best;
}

static bool is_any_list(const ia_type *t)
{
    return t->id == IA_TYPE_LIST || t->id == IA_TYPE_LARGE_LIST || t->id == IA_TYPE_FIXED_LIST;
}

/* One step down from *f along the rest of the path; *leaf is the first leaf of *f. The items of a
 * fixed-size list that is a leaf are that leaf. */
static ia_status step(ia_ctx *cx, const ia_file *file, const char *path, const char **rest,
                      const ia_field **f, size_t *leaf)
{
    const ia_type *t = (*f)->type;
    const bool list = is_any_list(t) && t->n_children == 1;
    size_t at = 0, len;

    if (t->id == IA_TYPE_MAP || (ia_field_is_leaf(*f) && t->n_children && !list))
        return ia_fail(cx, IA_ERR_INVALID, "file %s: '%s': field '%s' is read whole",
                       file->io->path, path, (*f)->name);
    len = match_name(t->children, t->n_children, *rest, &at);
    if (!len && list) {
        *f = &t->children[0]; /* the item, unnamed in the path */
        return IA_OK;
    }
    if (!len || ((*rest)[len] && !(*rest)[len + 1])) /* nothing after the dot */
        return ia_fail(cx, IA_ERR_NOT_FOUND, "file %s has no column '%s' ('%s' has no field '%s')",
                       file->io->path, path, (*f)->name, *rest);
    for (size_t i = 0; i < at; i++)
        *leaf += count_leaves(&t->children[i], 0);
    *f = &t->children[at];
    *rest += len + ((*rest)[len] == '.');
    return IA_OK;
}

static ia_status choose(ia_ctx *cx, leaf_map *m, const char *path)
{
    size_t top = 0, leaf = 0, len = match_name(m->all->fields, m->all->n_fields, path, &top), n;
    const char *rest = path + len + (len && path[len] == '.');
    const ia_field *f;

    if (!len || (path[len] && !path[len + 1]))
        return ia_fail(cx, IA_ERR_NOT_FOUND, "file %s has no column '%s'", m->f->io->path, path);
    for (size_t i = 0; i < top; i++)
        leaf += count_leaves(&m->all->fields[i], 0);
    f = &m->all->fields[top];
    for (int depth = 0; *rest; depth++)
        IA_TRY(step(cx, m->f, path, &rest, &f, &leaf));
    n = count_leaves(f, 0);
    memset(m->chosen + leaf, 1, n);
    if (!m->ordered[top])
        m->order[m->n_order++] = top;
    m->ordered[top] = true;
    return IA_OK;
}

/* ---- types ---------------------------------------------------------------------------------- */

static size_t chosen_in(const leaf_map *m, size_t leaf, size_t n)
{
    size_t k = 0;

    for (size_t i = leaf; i < leaf + n; i++)
        k += m->chosen[i];
    return k;
}

static ia_status prune(ia_ctx *cx, const leaf_map *m, const ia_field *f, size_t leaf,
                       ia_type **out);

/* The children that have a chosen leaf. kids[0..*n) hold references to types. */
static ia_status prune_children(ia_ctx *cx, const leaf_map *m, const ia_type *t, size_t leaf,
                                ia_field *kids, size_t *n)
{
    for (size_t i = 0; i < t->n_children; i++) {
        size_t leaves = count_leaves(&t->children[i], 0);

        if (chosen_in(m, leaf, leaves)) {
            kids[*n] = t->children[i];
            kids[*n].type = NULL;
            IA_TRY(prune(cx, m, &t->children[i], leaf, &kids[*n].type));
            (*n)++;
        }
        leaf += leaves;
    }
    return IA_OK;
}

static ia_status prune(ia_ctx *cx, const leaf_map *m, const ia_field *f, size_t leaf, ia_type **out)
{
    const ia_type *t = f->type;
    size_t leaves = count_leaves(f, 0), n = 0;
    ia_field *kids = NULL;
    ia_status st;

    *out = NULL;
    if (chosen_in(m, leaf, leaves) == leaves) {
        *out = ia_type_retain(t);
        return IA_OK;
    }
    IA_GO(IA_NEW_ARRAY(cx, kids, t->n_children));
    IA_GO(prune_children(cx, m, t, leaf, kids, &n));
    if (t->id == IA_TYPE_STRUCT)
        st = ia_type_struct(cx, kids, n, out);
    else
        st = ia_type_list(cx, t->id, t->size, kids[0].name, kids[0].type, kids[0].nullable, out);
done:
    for (size_t i = 0; kids && i < t->n_children; i++) /* one that failed has a NULL type */
        ia_type_release(i < n ? kids[i].type : NULL);
    ia_free(kids);
    return st;
}

static ia_status build_columns(ia_ctx *cx, const leaf_map *m, ia_projection *p)
{
    ia_field *fields = NULL;
    size_t used = 0, made = 0;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, fields, m->n_order + 1));
    IA_GO(IA_NEW_ARRAY(cx, p->cols, m->n_order + 1));
    IA_GO(IA_NEW_ARRAY(cx, p->leaves, m->n + 1));
    for (; made < m->n_order; made++) {
        size_t leaf = 0, leaves;

        for (size_t i = 0; i < m->order[made]; i++)
            leaf += count_leaves(&m->all->fields[i], 0);
        leaves = count_leaves(&m->all->fields[m->order[made]], 0);
        fields[made] = m->all->fields[m->order[made]];
        fields[made].type = NULL;
        p->cols[made] = (ia_file_column){.leaf_columns = p->leaves + used, .cls = IA_IO_PAYLOAD};
        IA_GO(prune(cx, m, &m->all->fields[m->order[made]], leaf, &fields[made].type));
        for (size_t i = leaf; i < leaf + leaves; i++) {
            if (m->chosen[i]) {
                p->leaves[used++] = m->column[i];
                p->cols[made].n_leaves++;
            }
        }
    }
    IA_GO(ia_schema_new(cx, fields, m->n_order, &p->schema));
    p->n = m->n_order;
    for (size_t i = 0; i < p->n; i++)
        p->cols[i].field = &p->schema->fields[i];
done:
    for (size_t i = 0; fields && i < m->n_order; i++)
        ia_type_release(i < made ? fields[i].type : NULL);
    ia_free(fields);
    return st;
}

ia_status ia_projection_of(ia_ctx *cx, const ia_file *f, const ia_schema *all,
                           const char *const *paths, size_t n_paths, ia_projection *out)
{
    ia_projection p = {0};
    leaf_map m = {0};
    ia_status st;

    memset(out, 0, sizeof *out);
    IA_GO(map_init(cx, &m, f, all));
    if (!paths) {
        memset(m.chosen, 1, m.n);
        for (; m.n_order < all->n_fields; m.n_order++)
            m.order[m.n_order] = m.n_order;
    }
    for (size_t i = 0; paths && i < n_paths; i++)
        IA_GO(choose(cx, &m, paths[i]));
    IA_GO(build_columns(cx, &m, &p));
    *out = p;
    memset(&p, 0, sizeof p);
done:
    map_dispose(&m);
    ia_projection_dispose(&p);
    return st;
}

void ia_projection_dispose(ia_projection *p)
{
    ia_schema_release(p->schema);
    ia_free(p->cols);
    ia_free(p->leaves);
    memset(p, 0, sizeof *p);
}
