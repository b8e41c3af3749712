/* verify.c - checks a graph: references, files, counts, row ids, logical ids, constraints. */
#include <stdarg.h>
#include <stdio.h>

#include "file/file.h"
#include "graph/ops.h"

typedef struct verifying {
    ia_graph *g;
    ia_verify_report *rep;
    ia_bytemap seen_tables; /* "dir|branch|version|uuid" already checked */
    ia_bytemap seen_commits;
    bool strict;
} verifying;

void ia_verify_report_dispose(ia_verify_report *r)
{
    ia_strlist_dispose(&r->problems);
    *r = (ia_verify_report){0};
}

static ia_status problem(ia_ctx *cx, verifying *v, const char *where, const char *fmt, ...)
    IA_PRINTF(4, 5);
static ia_status problem(ia_ctx *cx, verifying *v, const char *where, const char *fmt, ...)
{
    char text[600], line[800];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    snprintf(line, sizeof line, "%s: %s", where, text);
    return ia_strlist_add(cx, &v->rep->problems, line);
}

/* A failed check is a finding; what stops the whole run is passed on. */
static bool is_finding(ia_status st)
{
    return st == IA_ERR_NOT_FOUND || st == IA_ERR_CORRUPT || st == IA_ERR_UNSUPPORTED ||
           st == IA_ERR_IO;
}

static ia_status note(ia_ctx *cx, verifying *v, const char *where, ia_status st)
{
    char text[480];

    if (st == IA_OK || !is_finding(st))
        return st;
    snprintf(text, sizeof text, "%s", cx->err.text);
    ia_ctx_clear(cx);
    return problem(cx, v, where, "%s", text);
}

/* ---- files --------------------------------------------------------------------------------- */

static ia_status check_file(ia_ctx *cx, verifying *v, const ia_dataset *ds, const ia_fragment *f,
                            const ia_datafile *df)
{
    char *path = NULL;
    ia_file *file = NULL;
    ia_objmeta meta;
    ia_status st;

    IA_GO(ia_dataset_data_path(cx, ds, df, &path));
    IA_GO(ia_objstore_head(cx, ds->os, path, &meta));
    if (df->size && meta.size != df->size)
        IA_GO(problem(cx, v, path, "has %llu bytes, the manifest says %llu",
                      (unsigned long long)meta.size, (unsigned long long)df->size));
    IA_GO(ia_file_open(cx, ds->os, path, meta.size, &file));
    if (ia_file_rows(file) != f->physical_rows)
        IA_GO(problem(cx, v, path, "holds %llu rows, the manifest says %llu",
                      (unsigned long long)ia_file_rows(file),
                      (unsigned long long)f->physical_rows));
    for (size_t k = 0; k < df->n_fields; k++)
        if (df->column_indices[k] >= 0 && (uint32_t)df->column_indices[k] >= ia_file_columns(file))
            IA_GO(problem(cx, v, path, "has no column %d", df->column_indices[k]));
done:
    ia_file_close(file);
    ia_free(path);
    return st;
}

static ia_status check_fragment(ia_ctx *cx, verifying *v, ia_dataset *ds, const ia_fragment *f,
                                const char *where)
{
    const ia_bitmap *dv = NULL;
    uint64_t low, high;
    uint32_t max;

    v->rep->fragments++;
    for (size_t k = 0; k < f->n_files; k++)
        IA_TRY(note(cx, v, where, check_file(cx, v, ds, f, &f->files[k])));
    IA_TRY(note(cx, v, where, ia_dataset_deletions(cx, ds, f, &dv)));
    if (f->has_deletion && dv && ia_bitmap_count(dv) != f->deletion.num_deleted)
        IA_TRY(problem(cx, v, where,
                       "fragment %llu: deletion file has %llu rows, the manifest says %llu",
                       (unsigned long long)f->id, (unsigned long long)ia_bitmap_count(dv),
                       (unsigned long long)f->deletion.num_deleted));
    if (dv && ia_bitmap_max(dv, &max) && max >= f->physical_rows)
        IA_TRY(problem(cx, v, where, "fragment %llu: deletes row %u of %llu",
                       (unsigned long long)f->id, max, (unsigned long long)f->physical_rows));
    if (ds->m->stable_row_ids && f->row_ids.count != f->physical_rows)
        IA_TRY(problem(cx, v, where, "fragment %llu: %llu row ids for %llu rows",
                       (unsigned long long)f->id, (unsigned long long)f->row_ids.count,
                       (unsigned long long)f->physical_rows));
    if (ia_rowids_bounds(&f->row_ids, &low, &high) && high >= ds->m->next_row_id)
        IA_TRY(problem(cx, v, where, "fragment %llu: row id %llu is not below next_row_id %llu",
                       (unsigned long long)f->id, (unsigned long long)high,
                       (unsigned long long)ds->m->next_row_id));
    return IA_OK;
}

/* ---- ids ----------------------------------------------------------------------------------- */

typedef struct id_sets {
    verifying *v;
    const char *where;
    ia_bytemap ids;
    ia_u64map row_ids;
} id_sets;

static ia_status check_batch_ids(ia_ctx *cx, void *arg, const ia_batch *b)
{
    id_sets *sets = arg;

    for (int64_t i = 0; i < b->rows; i++) {
        const ia_view id = ia_array_str(b->cols[0], i);
        const uint64_t row_id = ia_array_u64(b->cols[1], i);
        bool added;
        IA_TRY(ia_bytemap_put(cx, &sets->ids, id.data, id.len, NULL, &added));
        if (!added)
            IA_TRY(problem(cx, sets->v, sets->where, "id '%.*s' is live twice",
                           (int)(id.len > 200 ? 200 : id.len), id.data));
        if (ia_u64map_find(&sets->row_ids, row_id, NULL))
            IA_TRY(problem(cx, sets->v, sets->where, "row id %llu is live twice",
                           (unsigned long long)row_id));
        else
            IA_TRY(ia_u64map_put(cx, &sets->row_ids, row_id, 1));
    }
    return IA_OK;
}

static ia_status check_ids(ia_ctx *cx, verifying *v, ia_dataset *ds, const char *where)
{
    static const char *const columns[] = {"id", IA_COL_ROWID};
    id_sets sets = {.v = v, .where = where};
    const ia_status st = ia_scan_each(
        cx, ds, &(ia_scan_options){.columns = columns, .n_columns = 2}, check_batch_ids, &sets);

    ia_bytemap_dispose(&sets.ids);
    ia_u64map_dispose(&sets.row_ids);
    return st;
}

/* ---- tables, commits ----------------------------------------------------------------------- */

static ia_status check_table(ia_ctx *cx, verifying *v, const ia_type_def *def, const ia_entry *e)
{
    ia_dataset *ds = NULL;
    char where[300];
    bool added;
    ia_status st;

    snprintf(where, sizeof where, "%s|%s|%llu|%s", e->dir,
             e->lance_branch ? e->lance_branch : "main", (unsigned long long)e->last_version,
             e->txn_uuid);
    IA_GO(ia_bytemap_put(cx, &v->seen_tables, where, strlen(where), NULL, &added));
    if (!added)
        goto done;
    snprintf(where, sizeof where, "%s (%s version %llu)", e->dir,
             e->lance_branch ? e->lance_branch : "main", (unsigned long long)e->last_version);
    v->rep->tables++;
    IA_GO(note(cx, v, where, ia_entry_open(cx, v->g, def, e, &ds)));
    if (!ds)
        goto done;
    if (ia_manifest_live_rows(ds->m) != e->rows)
        IA_GO(problem(cx, v, where, "has %llu rows, the commit says %llu",
                      (unsigned long long)ia_manifest_live_rows(ds->m),
                      (unsigned long long)e->rows));
    for (size_t i = 0; i < ds->m->n_fragments; i++)
        IA_GO(check_fragment(cx, v, ds, &ds->m->fragments[i], where));
    IA_GO(note(cx, v, where, check_ids(cx, v, ds, where)));
    v->rep->rows += e->rows;
    if (def->kind == IA_KIND_EDGE)
        v->rep->edges += e->rows;
done:
    ia_dataset_release(ds);
    return st;
}

static ia_status add_batch(ia_ctx *cx, void *arg, const ia_batch *b)
{
    return ia_tchange_add(cx, arg, b);
}

static ia_status add_images(ia_ctx *cx, ia_snapshot *s, size_t type, ia_tchange *t)
{
    ia_dataset *ds;
    const char **columns = NULL;
    size_t n = 0;
    ia_status st;

    IA_GO(ia_snapshot_table(cx, s, type, &ds));
    IA_GO(ia_type_narrow(cx, s->cat->types[type], &columns, &n));
    IA_GO(
        ia_scan_each(cx, ds, &(ia_scan_options){.columns = columns, .n_columns = n}, add_batch, t));
done:
    ia_free(columns);
    return st;
}

typedef struct minima {
    verifying *v;
    const ia_type_def *def;
    const char *branch;
    ia_bytemap sources;
} minima;

static ia_status note_sources(ia_ctx *cx, void *arg, const ia_batch *b)
{
    minima *m = arg;

    for (int64_t i = 0; i < b->rows; i++) {
        const ia_view id = ia_array_str(b->cols[0], i);
        IA_TRY(ia_bytemap_put(cx, &m->sources, id.data, id.len, NULL, NULL));
    }
    return IA_OK;
}

static ia_status check_sources(ia_ctx *cx, void *arg, const ia_batch *b)
{
    const minima *m = arg;

    for (int64_t i = 0; i < b->rows; i++) {
        const ia_view id = ia_array_str(b->cols[0], i);
        if (!ia_bytemap_find(&m->sources, id.data, id.len, NULL))
            IA_TRY(problem(cx, m->v, m->branch,
                           "@card violation on edge %s: source '%.*s' has 0 edges (min %llu)",
                           m->def->name, (int)(id.len > 200 ? 200 : id.len), id.data,
                           (unsigned long long)m->def->card_min));
    }
    return IA_OK;
}

/* @card minima of nodes that have no edge at all: what writes accept and strict does not. */
static ia_status check_minima(ia_ctx *cx, verifying *v, ia_snapshot *s, size_t type)
{
    static const char *const src_column[] = {"src"}, *const id_column[] = {"id"};
    minima m = {.v = v, .def = s->cat->types[type], .branch = s->commit->branch};
    ia_dataset *edges, *nodes;
    size_t from = 0;
    ia_status st;

    while (s->cat->types[from] != m.def->from)
        from++;
    IA_GO(ia_snapshot_table(cx, s, type, &edges));
    IA_GO(ia_snapshot_table(cx, s, from, &nodes));
    IA_GO(ia_scan_each(cx, edges, &(ia_scan_options){.columns = src_column, .n_columns = 1},
                       note_sources, &m));
    IA_GO(ia_scan_each(cx, nodes, &(ia_scan_options){.columns = id_column, .n_columns = 1},
                       check_sources, &m));
done:
    ia_bytemap_dispose(&m.sources);
    return st;
}

static ia_status no_ids(ia_ctx *cx, ia_cview *v, size_t type, const ia_bytemap *ids,
                        ia_bitmap *present)
{
    (void)cx, (void)v, (void)type, (void)ids, (void)present;
    return IA_OK;
}

static ia_status no_tuples(ia_ctx *cx, ia_cview *v, size_t type, const int *cols, size_t n_cols,
                           const ia_bytemap *tuples,
                           ia_status (*sink)(ia_ctx *, void *, ia_view, size_t), void *arg)
{
    (void)cx, (void)v, (void)type, (void)cols, (void)n_cols, (void)tuples, (void)sink, (void)arg;
    return IA_OK;
}

static ia_status no_edges_at(ia_ctx *cx, ia_cview *v, size_t type, int end, const ia_bytemap *nodes,
                             ia_status (*sink)(ia_ctx *, void *, ia_view, ia_view, ia_view),
                             void *arg)
{
    (void)cx, (void)v, (void)type, (void)end, (void)nodes, (void)sink, (void)arg;
    return IA_OK;
}

static ia_status no_edges(ia_ctx *cx, ia_cview *v, size_t type, const ia_bytemap *ids,
                          ia_status (*sink)(ia_ctx *, void *, ia_view, ia_view, ia_view), void *arg)
{
    (void)cx, (void)v, (void)type, (void)ids, (void)sink, (void)arg;
    return IA_OK;
}

/* The whole image as one change onto nothing: the one evaluator judges it. */
static ia_status check_constraints(ia_ctx *cx, verifying *v, ia_snapshot *s)
{
    ia_changeset cs = {.cat = s->cat};
    ia_cview empty = {
        .has_ids = no_ids, .by_tuple = no_tuples, .edges_at = no_edges_at, .edges_by_id = no_edges};
    ia_violations found = {0};
    ia_tchange *t;
    ia_status st = IA_OK;

    for (size_t i = 0; i < s->cat->n_types; i++) {
        IA_GO(ia_changeset_type(cx, &cs, i, &t));
        IA_GO(add_images(cx, s, i, t));
        IA_GO(ia_check(cx, i, s->cat->n_types));
    }
    IA_GO(ia_validate(cx, &cs, &empty, &(ia_validate_options){.all = true, .value_rules = true},
                      &found));
    for (size_t i = 0; i < found.n; i++)
        IA_GO(problem(cx, v, s->commit->branch, "%s", found.items[i].message));
    for (size_t i = s->cat->n_nodes; v->strict && i < s->cat->n_types; i++)
        if (s->cat->types[i]->card_min > 0)
            IA_GO(check_minima(cx, v, s, i));
done:
    ia_violations_dispose(&found);
    ia_changeset_dispose(&cs);
    return st;
}

static ia_status check_commit(ia_ctx *cx, verifying *v, const ia_commit *c, bool constraints)
{
    const size_t before = v->rep->problems.n;
    const ia_catalog *cat;
    ia_commit *copy = NULL;
    ia_snapshot *s = NULL;
    bool added;
    ia_status st;

    IA_GO(ia_bytemap_put(cx, &v->seen_commits, c->ref.id, strlen(c->ref.id), NULL, &added));
    if (!added)
        goto done;
    v->rep->commits++;
    IA_GO(ia_graph_catalog(cx, v->g, c->schema_hash, &cat));
    for (size_t i = 0; i < cat->n_types; i++) {
        const ia_entry *e = ia_commit_entry(c, cat->types[i]->type_id);
        IA_GO(e ? check_table(cx, v, cat->types[i], e)
                : problem(cx, v, c->ref.id, "type %s has no table", cat->types[i]->name));
    }
    if (!constraints || v->rep->problems.n != before)
        goto done; /* rows of damaged tables cannot be judged */
    IA_GO(ia_commit_copy(cx, c, &copy));
    IA_GO(ia_snapshot_open(cx, v->g, copy, &s)); /* takes the copy over */
    IA_GO(check_constraints(cx, v, s));
done:
    ia_snapshot_close(s);
    return st;
}

static ia_status check_branch(ia_ctx *cx, verifying *v, const char *name, bool all_commits)
{
    ia_branch *b = NULL;
    ia_commit *head = NULL;
    ia_commit_list history = {0};
    ia_status st;

    IA_GO(ia_branch_open(cx, v->g, name, &b));
    IA_GO(ia_branch_head(cx, v->g, b, &head));
    IA_GO(check_commit(cx, v, head, true));
    if (all_commits)
        IA_GO(ia_history(cx, v->g, head, false, 0, &history));
    for (size_t i = 0; i < history.n; i++)
        IA_GO(check_commit(cx, v, history.items[i], true));
done:
    ia_commit_list_dispose(&history);
    ia_commit_free(head);
    ia_branch_free(b);
    return st;
}

ia_status ia_verify(ia_ctx *cx, ia_graph *g, const char *branch, bool all_commits, bool strict,
                    ia_verify_report *out)
{
    verifying v = {.g = g, .rep = out, .strict = strict};
    ia_strlist names = {0};
    ia_status st;

    *out = (ia_verify_report){0};
    if (branch)
        IA_GO(ia_strlist_add(cx, &names, branch));
    else
        IA_GO(ia_branch_list(cx, g, &names));
    for (size_t i = 0; i < names.n; i++)
        IA_GO(check_branch(cx, &v, names.items[i], all_commits));
done:
    ia_strlist_dispose(&names);
    ia_bytemap_dispose(&v.seen_tables);
    ia_bytemap_dispose(&v.seen_commits);
    if (st != IA_OK)
        ia_verify_report_dispose(out);
    return st;
}
