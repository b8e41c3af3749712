/* graft_fragment.c - a fragment's files from another Lance branch: link, reference or copy. */
#include "table/table_priv.h"

typedef struct graft {
    ia_dataset *src, *dst;
    ia_txn *t;
    ia_adopt how;
    uint32_t put_flags;
    ia_graft_stats stats;
} graft;

static bool same_text(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* A base of dst (or one this txn adds) whose files lie in `tree`. */
static ia_status find_base(ia_ctx *cx, const graft *g, const char *tree, bool root, bool *found,
                           uint32_t *id)
{
    *found = false;
    for (size_t i = 0; i < g->dst->m->n_bases && !*found; i++) {
        const ia_basepath *b = &g->dst->m->bases[i];
        char *dir;
        if (b->is_dataset_root != root)
            continue;
        IA_TRY(ia_dataset_tree(cx, g->dst, true, b->id, &dir));
        *found = same_text(dir, tree);
        *id = b->id;
        ia_free(dir);
    }
    for (size_t i = 0; i < g->t->n_actions && !*found; i++) {
        const ia_action *a = &g->t->actions[i];
        if (a->kind != IA_ACT_ADD_BASE || a->base.is_dataset_root != root ||
            !same_text(a->base.path, tree))
            continue;
        *found = true;
        *id = a->base.id;
    }
    return IA_OK;
}

static uint32_t free_base_id(const graft *g)
{
    uint32_t id = 0;
    for (size_t i = 0; i < g->dst->m->n_bases; i++) {
        if (g->dst->m->bases[i].id >= id)
            id = g->dst->m->bases[i].id + 1;
    }
    for (size_t i = 0; i < g->t->n_actions; i++) {
        if (g->t->actions[i].kind == IA_ACT_ADD_BASE && g->t->actions[i].base.id >= id)
            id = g->t->actions[i].base.id + 1;
    }
    return id;
}

static ia_status refer(ia_ctx *cx, graft *g, const char *tree, const ia_basepath *from,
                       ia_datafile *out)
{
    const ia_basepath wanted = {
        .id = free_base_id(g),
        .name = from ? from->name : g->src->branch,
        .is_dataset_root = from ? from->is_dataset_root : true,
        .path = (char *)(uintptr_t)tree,
    };
    ia_action *a;
    IA_TRY(ia_txn_add(cx, g->t, IA_ACT_ADD_BASE, &a));
    IA_TRY(ia_basepath_copy(cx, &wanted, &a->base));
    out->has_base = true;
    out->base_id = wanted.id;
    g->stats.files_referenced++;
    return IA_OK;
}

/* A name that is there with equal size is the same immutable file. */
static ia_status check_same(ia_ctx *cx, const graft *g, const char *from, const char *to)
{
    ia_objmeta a, b;
    IA_TRY(ia_objstore_head(cx, g->src->os, from, &a));
    IA_TRY(ia_objstore_head(cx, g->dst->os, to, &b));
    if (a.size != b.size)
        return ia_fail(cx, IA_ERR_CORRUPT, "%s has %llu bytes, its copy %s has %llu", from,
                       (unsigned long long)a.size, to, (unsigned long long)b.size);
    ia_ctx_clear(cx);
    return IA_OK;
}

static ia_status copy_file(ia_ctx *cx, graft *g, const char *from, const char *to)
{
    ia_status st =
        ia_objstore_copy(cx, g->dst->os, from, to, IA_IO_PAYLOAD, g->put_flags & IA_PUT_SYNC);
    ia_objmeta meta;
    if (st == IA_ERR_EXISTS)
        return check_same(cx, g, from, to);
    if (st != IA_OK)
        return st;
    IA_TRY(ia_objstore_head(cx, g->dst->os, to, &meta));
    g->stats.files_copied++;
    g->stats.bytes_copied += meta.size;
    return IA_OK;
}

/* Linked, or *next says what to do instead. Sweepers go by age, so the source is touched first. */
static ia_status link_file(ia_ctx *cx, graft *g, const char *from, const char *to, ia_adopt *next)
{
    ia_status st = ia_objstore_touch(cx, g->src->os, from);
    *next = IA_ADOPT_LINK;
    if (st == IA_ERR_UNSUPPORTED) {
        ia_ctx_clear(cx);
        *next = IA_ADOPT_COPY;
        return IA_OK;
    }
    if (st != IA_OK)
        return st;
    st = ia_objstore_link(cx, g->dst->os, from, to);
    if (st == IA_ERR_UNSUPPORTED) {
        ia_ctx_clear(cx);
        *next = IA_ADOPT_REFERENCE;
        return IA_OK;
    }
    if (st == IA_ERR_EXISTS)
        IA_TRY(check_same(cx, g, from, to));
    else if (st != IA_OK)
        return st;
    g->stats.files_linked++;
    return g->put_flags & IA_PUT_SYNC ? ia_objstore_sync(cx, g->dst->os, to) : IA_OK;
}

static ia_status adopt_file(ia_ctx *cx, graft *g, const char *tree, const ia_basepath *from_base,
                            const char *from, ia_datafile *out)
{
    ia_adopt how = g->how;
    char *to = NULL;
    ia_status st;

    IA_GO(ia_path_join(cx, &to, g->dst->dir, "data", out->path, NULL));
    if (how == IA_ADOPT_LINK)
        IA_GO(link_file(cx, g, from, to, &how));
    if (how == IA_ADOPT_REFERENCE)
        IA_GO(refer(cx, g, tree, from_base, out));
    else if (how == IA_ADOPT_COPY)
        IA_GO(copy_file(cx, g, from, to));
    if (how != IA_ADOPT_REFERENCE) {
        out->has_base = false;
        out->base_id = 0;
    }
done:
    ia_free(to);
    return st;
}

static ia_status graft_file(ia_ctx *cx, graft *g, const ia_datafile *f, ia_datafile *out)
{
    const ia_basepath *base = f->has_base ? ia_manifest_base(g->src->m, f->base_id) : NULL;
    const bool root = base ? base->is_dataset_root : true;
    char *tree = NULL, *from = NULL;
    bool known;
    uint32_t id = 0;
    ia_status st;

    IA_GO(ia_datafile_copy(cx, f, out));
    IA_GO(ia_dataset_tree(cx, g->src, f->has_base, f->base_id, &tree));
    if (root && same_text(tree, g->dst->dir)) { /* already dst's own */
        out->has_base = false;
        out->base_id = 0;
        goto done;
    }
    IA_GO(find_base(cx, g, tree, root, &known, &id));
    if (known) {
        out->has_base = true;
        out->base_id = id;
        goto done;
    }
    IA_GO(ia_dataset_data_path(cx, g->src, f, &from));
    IA_GO(adopt_file(cx, g, tree, base, from, out));
done:
    ia_free(tree);
    ia_free(from);
    return st;
}

ia_status ia_graft_fragment(ia_ctx *cx, ia_dataset *src, const ia_fragment *f, ia_dataset *dst,
                            ia_txn *t, ia_adopt how, uint32_t put_flags, ia_fragment *out,
                            ia_graft_stats *stats)
{
    graft g = {.src = src, .dst = dst, .t = t, .how = how, .put_flags = put_flags};
    ia_fragment made = {.id = IA_FRAGMENT_UNASSIGNED, .physical_rows = f->physical_rows};
    ia_status st;

    memset(out, 0, sizeof *out);
    if (f->extra.len)
        return ia_fail(
            cx, IA_ERR_UNSUPPORTED,
            "fragment %llu of %s has parts this version cannot move (outside row ids or overlays)",
            (unsigned long long)f->id, src->dir);
    IA_GO(IA_NEW_ARRAY(cx, made.files, f->n_files));
    for (size_t i = 0; i < f->n_files; i++) {
        made.n_files = i + 1;
        IA_GO(graft_file(cx, &g, &f->files[i], &made.files[i]));
    }
    IA_GO(ia_rowids_copy(cx, &f->row_ids, &made.row_ids));
    *out = made;
    memset(&made, 0, sizeof made);
    if (stats) {
        stats->files_linked += g.stats.files_linked;
        stats->files_referenced += g.stats.files_referenced;
        stats->files_copied += g.stats.files_copied;
        stats->bytes_copied += g.stats.bytes_copied;
    }
done:
    ia_fragment_dispose(&made);
    return st;
}
