/* graph_api.c - public calls on graphs: create, open, status, schema, verify, export. */
#include "api/api_priv.h"

inarch_status inarch_graph_create(const char *path, const char *schema, const char *schema_path,
                                  const char *actor, const inarch_options *opt)
{
    api_settings set;
    api_call c;
    ia_objstore *os = NULL;
    char *root = NULL, user[128];
    ia_status st;

    if ((st = api_settings_read(&set, opt)) != IA_OK)
        return st;
    if (!path || !schema)
        return api_invalid("inarch_graph_create: path and schema are required");
    if ((st = api_begin(&c, &set, NULL)) != IA_OK)
        goto done;
    IA_GO(api_user_name(&c.cx, user));
    IA_GO(ia_objstore_local(&c.cx, &os));
    IA_GO(ia_path_absolute(&c.cx, path, &root));
    IA_GO(ia_graph_init(&c.cx, os, root, schema, schema_path ? schema_path : "schema",
                        actor ? actor : user,
                        &(ia_graph_options){.durability = set.durability, .for_writing = true}));
done:
    ia_free(root);
    ia_objstore_close(os);
    return api_end(&c, st);
}

inarch_status inarch_graph_open(const char *path, const inarch_options *opt, inarch_graph **out)
{
    api_settings set;
    api_call c;
    inarch_graph *g = NULL;
    char *root = NULL;
    ia_status st;

    if (!out)
        return api_invalid("inarch_graph_open: out is required");
    *out = NULL;
    if ((st = api_settings_read(&set, opt)) != IA_OK)
        return st;
    if (!path)
        return api_invalid("inarch_graph_open: path is required");
    if ((st = api_begin(&c, &set, NULL)) != IA_OK)
        goto done;
    IA_GO(IA_NEW(&c.cx, g));
    g->set = set;
    if (!(g->budget = ia_budget_new(NULL, 0)))
        IA_GO(ia_fail(&c.cx, IA_ERR_NO_MEMORY, "no memory for the graph's budget"));
    IA_GO(ia_objstore_local(&c.cx, &g->local));
    IA_GO(ia_objstore_counting(&c.cx, g->local, &g->counting));
    IA_GO(ia_path_absolute(&c.cx, path, &root));
    IA_GO(ia_graph_open(&c.cx, g->counting, root, &(ia_graph_options){.durability = set.durability},
                        &g->g));
    *out = g;
    g = NULL;
done:
    ia_free(root);
    inarch_graph_close(g);
    return api_end(&c, st);
}

void inarch_graph_close(inarch_graph *g)
{
    if (!g)
        return;
    ia_graph_close(g->g);
    ia_objstore_close(g->counting);
    ia_objstore_close(g->local);
    ia_budget_drop(g->budget);
    ia_free(g);
}

inarch_status inarch_graph_set_options(inarch_graph *g, const inarch_options *opt)
{
    api_settings set;
    ia_status st;

    if (!g)
        return api_invalid("inarch_graph_set_options: no graph");
    if ((st = api_settings_read(&set, opt)) != IA_OK)
        return st;
    g->set = set;
    g->g->durability = set.durability;
    return INARCH_OK;
}

void inarch_graph_io_counts(const inarch_graph *g, inarch_io_counts *out)
{
    ia_io_counts n;

    *out = (inarch_io_counts){0};
    if (!g)
        return;
    ia_objstore_counts(g->counting, &n);
    *out = (inarch_io_counts){n.read_bytes[IA_IO_META],    n.write_bytes[IA_IO_META],
                              n.read_bytes[IA_IO_KEY],     n.write_bytes[IA_IO_KEY],
                              n.read_bytes[IA_IO_PAYLOAD], n.write_bytes[IA_IO_PAYLOAD]};
}

inarch_status inarch_graph_schema(inarch_graph *g, const char *at, char **text)
{
    api_call c;
    ia_commit *commit = NULL;
    const ia_catalog *cat;
    ia_status st;

    if (!g || !text)
        return api_invalid("inarch_graph_schema: graph and text are required");
    *text = NULL;
    if ((st = api_begin_graph(&c, g)) != IA_OK)
        goto done;
    IA_GO(ia_resolve(&c.cx, g->g, at ? at : "main", &commit));
    IA_GO(ia_graph_catalog(&c.cx, g->g, commit->schema_hash, &cat));
    IA_GO(IA_SET(&c.cx, *text, ia_strndup(&c.cx, cat->source, cat->source_len)));
done:
    ia_commit_free(commit);
    return api_end(&c, st);
}

/* ---- tables of a commit -------------------------------------------------------------------- */

static ia_status fill_table(ia_ctx *cx, api_own *own, const ia_graph *g, const ia_type_def *type,
                            const ia_entry *e, inarch_table_info *out)
{
    char *path = NULL;
    ia_status st;

    out->kind = type->kind == IA_KIND_NODE ? "node" : "edge";
    IA_GO(api_text(cx, own, type->name, &out->type));
    IA_GO(api_text(cx, own, e->dir, &out->dir));
    IA_GO(ia_graph_dataset_root(cx, g, e->dir, &path));
    IA_GO(api_text(cx, own, path, &out->path));
    IA_GO(api_text(cx, own, e->lance_branch, &out->lance_branch));
    out->lance_version = e->last_version;
    out->rows = e->rows;
    out->foreign_operation = "";
done:
    ia_free(path);
    return st;
}

static ia_status fill_snapshot(ia_ctx *cx, ia_graph *g, const char *at, const ia_commit *commit,
                               const ia_catalog *cat, inarch_snapshot_info *out)
{
    api_own *own = NULL;
    inarch_table_info *tables = NULL;
    ia_status st;

    IA_GO(api_own_new(cx, &own));
    IA_GO(IA_ARENA_ARRAY(cx, &own->arena, tables, cat->n_types ? cat->n_types : 1));
    size_t n = 0;
    for (size_t i = 0; i < cat->n_types; i++) {
        const ia_entry *e = ia_commit_entry(commit, cat->types[i]->type_id);
        if (e)
            IA_GO(fill_table(cx, own, g, cat->types[i], e, &tables[n++]));
    }
    IA_GO(api_text(cx, own, ia_str_eq(at, commit->ref.id) ? "" : at, &out->branch));
    IA_GO(api_text(cx, own, commit->ref.id, &out->commit));
    IA_GO(api_text(cx, own, commit->schema_hash, &out->schema_hash));
    out->n_tables = n;
    out->tables = tables;
    out->owner = own;
    own = NULL;
done:
    api_own_free(own);
    return st;
}

inarch_status inarch_snapshot_read(inarch_graph *g, const char *at, inarch_snapshot_info *out)
{
    api_call c;
    ia_commit *commit = NULL;
    const ia_catalog *cat;
    ia_status st;

    if (!g || !out)
        return api_invalid("inarch_snapshot_read: graph and out are required");
    *out = (inarch_snapshot_info){0};
    if ((st = api_begin_graph(&c, g)) != IA_OK)
        goto done;
    IA_GO(ia_resolve(&c.cx, g->g, at ? at : "main", &commit));
    IA_GO(ia_graph_catalog(&c.cx, g->g, commit->schema_hash, &cat));
    IA_GO(fill_snapshot(&c.cx, g->g, at ? at : "main", commit, cat, out));
done:
    ia_commit_free(commit);
    return api_end(&c, st);
}

static ia_status mark_drift(ia_ctx *cx, ia_graph *g, const ia_branch *b, const ia_commit *head,
                            const ia_catalog *cat, inarch_snapshot_info *out)
{
    inarch_table_info *tables = (inarch_table_info *)(uintptr_t)out->tables;
    ia_drifts drifts = {0};
    ia_status st;

    IA_GO(ia_drift_find(cx, g, b, head, cat, &drifts));
    for (size_t i = 0; i < drifts.n; i++) {
        const ia_type_def *type = cat->types[drifts.items[i].type];
        const char *kind = type->kind == IA_KIND_NODE ? "node" : "edge";
        for (size_t k = 0; k < out->n_tables; k++) {
            if (!ia_str_eq(tables[k].type, type->name) || !ia_str_eq(tables[k].kind, kind))
                continue;
            tables[k].drifted = true;
            tables[k].foreign_version = drifts.items[i].version;
            IA_GO(
                api_text(cx, out->owner, drifts.items[i].operation, &tables[k].foreign_operation));
        }
    }
    for (size_t i = 0, k = 0; i < cat->n_types; i++) {
        const ia_entry *e = ia_commit_entry(head, cat->types[i]->type_id);
        bool pending = false;
        if (!e)
            continue;
        IA_GO(ia_entry_pending(cx, g, e, &pending));
        tables[k++].unrevealed = pending;
    }
done:
    ia_drifts_dispose(&drifts);
    return st;
}

inarch_status inarch_graph_status(inarch_graph *g, const char *branch, inarch_snapshot_info *out)
{
    api_call c;
    ia_branch *b = NULL;
    ia_commit *commit = NULL;
    const ia_catalog *cat;
    ia_status st;

    if (!g || !out)
        return api_invalid("inarch_graph_status: graph and out are required");
    *out = (inarch_snapshot_info){0};
    if ((st = api_begin_graph(&c, g)) != IA_OK)
        goto done;
    IA_GO(ia_branch_open(&c.cx, g->g, branch ? branch : "main", &b));
    IA_GO(ia_branch_head(&c.cx, g->g, b, &commit));
    IA_GO(ia_graph_catalog(&c.cx, g->g, commit->schema_hash, &cat));
    IA_GO(fill_snapshot(&c.cx, g->g, b->name, commit, cat, out));
    IA_GO(mark_drift(&c.cx, g->g, b, commit, cat, out));
done:
    if (st != IA_OK)
        inarch_snapshot_info_dispose(out);
    ia_branch_free(b);
    ia_commit_free(commit);
    return api_end(&c, st);
}

void inarch_snapshot_info_dispose(inarch_snapshot_info *s)
{
    if (!s)
        return;
    api_own_free(s->owner);
    *s = (inarch_snapshot_info){0};
}

/* ---- verify, export ------------------------------------------------------------------------ */

inarch_status inarch_verify(inarch_graph *g, const char *branch, bool all_commits, bool strict,
                            inarch_verify_report *out)
{
    api_call c;
    ia_verify_report rep = {0};
    api_own *own = NULL;
    const char **problems = NULL;
    ia_status st;

    if (!g || !out)
        return api_invalid("inarch_verify: graph and out are required");
    *out = (inarch_verify_report){0};
    if ((st = api_begin_graph(&c, g)) != IA_OK)
        goto done;
    IA_GO(ia_verify(&c.cx, g->g, branch, all_commits, strict, &rep));
    IA_GO(api_own_new(&c.cx, &own));
    IA_GO(IA_ARENA_ARRAY(&c.cx, &own->arena, problems, rep.problems.n + 1));
    for (size_t i = 0; i < rep.problems.n; i++)
        IA_GO(api_text(&c.cx, own, rep.problems.items[i], &problems[i]));
    *out = (inarch_verify_report){rep.commits, rep.tables,     rep.fragments, rep.rows,
                                  rep.edges,   rep.problems.n, problems,      own};
    own = NULL;
done:
    api_own_free(own);
    ia_verify_report_dispose(&rep);
    return api_end(&c, st);
}

void inarch_verify_report_dispose(inarch_verify_report *r)
{
    if (!r)
        return;
    api_own_free(r->owner);
    *r = (inarch_verify_report){0};
}

typedef struct export_sink {
    inarch_write_fn write;
    void *payload;
} export_sink;

static ia_status export_write(ia_ctx *cx, void *arg, const void *data, size_t n)
{
    const export_sink *s = arg;

    if (s->write(data, n, s->payload))
        return ia_fail(cx, IA_ERR_IO, "export: the receiver refused %zu bytes", n);
    return IA_OK;
}

inarch_status inarch_export(inarch_graph *g, const char *at, const char *const *types,
                            size_t n_types, inarch_write_fn write, void *payload)
{
    api_call c;
    ia_commit *commit = NULL;
    ia_snapshot *snap = NULL;
    export_sink sink = {write, payload};
    ia_status st;

    if (!g || !write)
        return api_invalid("inarch_export: graph and write are required");
    if ((st = api_begin_graph(&c, g)) != IA_OK)
        goto done;
    IA_GO(ia_resolve(&c.cx, g->g, at ? at : "main", &commit));
    st = ia_snapshot_open(&c.cx, g->g, commit, &snap);
    commit = NULL; /* taken over, also on failure */
    IA_GO(st);
    IA_GO(ia_export(&c.cx, snap, types, n_types, export_write, &sink));
done:
    ia_snapshot_close(snap);
    ia_commit_free(commit);
    return api_end(&c, st);
}
