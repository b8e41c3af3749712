/* query_api.c - public calls for reads, mutations and bulk load. */
#include "api/api_priv.h"

#include <stdio.h>

struct inarch_result {
    api_rows rows;
    char *query, *branch, *snapshot, *commit;
};

static ia_status options_check(const inarch_query_options **opt, const inarch_query_options *def)
{
    if (!*opt)
        *opt = def;
    if ((*opt)->struct_size != sizeof **opt)
        return api_invalid("inarch_query_options: struct_size is not that of this library version");
    return IA_OK;
}

static ia_status compile(ia_ctx *cx, const ia_catalog *cat, const char *text,
                         const inarch_query_options *opt, bool want_mutation, ia_gq_query **q,
                         ia_params **params)
{
    IA_TRY(
        ia_gq_compile(cx, cat, text, strlen(text), opt->path ? opt->path : "query", opt->name, q));
    if ((*q)->is_mutation != want_mutation)
        return ia_fail(cx, IA_ERR_INVALID,
                       want_mutation ? "query '%s' is a read: run it with `query`"
                                     : "query '%s' is a mutation: run it with `mutate`",
                       (*q)->name);
    return ia_params_parse(cx, *q, opt->params, opt->params ? strlen(opt->params) : 0, params);
}

static ia_status run_read(ia_ctx *cx, inarch_graph *g, const char *text,
                          const inarch_query_options *opt, inarch_result *r)
{
    const char *at = opt->at ? opt->at : "main";
    ia_commit *commit = NULL;
    ia_snapshot *snap = NULL;
    ia_gq_query *q = NULL;
    ia_params *params = NULL;
    ia_stream stream = {0};
    ia_status st;

    IA_GO(ia_resolve(cx, g->g, at, &commit));
    IA_GO(IA_SET(cx, r->commit, ia_strdup(cx, commit->ref.id)));
    const bool is_id = strncmp(at, commit->ref.id, strlen(at)) == 0;
    if (is_id)
        IA_GO(IA_SET(cx, r->snapshot, ia_strdup(cx, commit->ref.id)));
    else
        IA_GO(IA_SET(cx, r->branch, ia_strdup(cx, at)));
    st = ia_snapshot_open(cx, g->g, commit, &snap);
    commit = NULL; /* taken over, also on failure */
    IA_GO(st);
    IA_GO(compile(cx, snap->cat, text, opt, false, &q, &params));
    IA_GO(IA_SET(cx, r->query, ia_strdup(cx, q->name)));
    IA_GO(ia_query_run(cx, snap, q, params, &stream));
    IA_GO(api_rows_collect(cx, &stream, &r->rows));
done:
    ia_stream_dispose(&stream);
    ia_params_free(params);
    ia_gq_query_free(q);
    ia_snapshot_close(snap);
    ia_commit_free(commit);
    return st;
}

inarch_status inarch_query(inarch_graph *g, const char *text, const inarch_query_options *opt,
                           inarch_result **out)
{
    const inarch_query_options def = INARCH_QUERY_OPTIONS_INIT;
    api_call c;
    inarch_result *r = NULL;
    ia_status st;

    if (!g || !text || !out)
        return api_invalid("inarch_query: graph, text and out are required");
    *out = NULL;
    if ((st = options_check(&opt, &def)) != IA_OK)
        return st;
    if ((st = api_begin_graph(&c, g)) != IA_OK)
        goto done;
    IA_GO(IA_NEW(&c.cx, r));
    IA_GO(run_read(&c.cx, g, text, opt, r));
    *out = r;
    r = NULL;
done:
    inarch_result_close(r);
    return api_end(&c, st);
}

void inarch_result_close(inarch_result *r)
{
    if (!r)
        return;
    api_rows_dispose(&r->rows);
    ia_free(r->query);
    ia_free(r->branch);
    ia_free(r->snapshot);
    ia_free(r->commit);
    ia_free(r);
}

uint64_t inarch_result_rows(const inarch_result *r)
{
    return r ? r->rows.rows : 0;
}

const char *inarch_result_commit(const inarch_result *r)
{
    return r && r->commit ? r->commit : "";
}

inarch_status inarch_result_stream(inarch_result *r, struct ArrowArrayStream *out)
{
    const api_settings set = {0};
    api_call c;
    ia_stream s = {0};
    ia_status st;

    if (!r || !out || !r->rows.schema)
        return api_invalid("inarch_result_stream: no result, or its rows were moved out before");
    if ((st = api_begin(&c, &set, NULL)) != IA_OK)
        goto done;
    IA_GO(api_rows_stream(&c.cx, &r->rows, &s));
    IA_GO(ia_export_stream(&c.cx, &s, out));
done:
    ia_stream_dispose(&s);
    return api_end(&c, st);
}

inarch_status inarch_result_render(inarch_result *r, const char *format, inarch_write_fn write,
                                   void *payload)
{
    const api_settings set = {0};
    api_call c;
    ia_status st;

    if (!r || !format || !write || !r->rows.schema)
        return api_invalid("inarch_result_render: result, format and write are required");
    if ((st = api_begin(&c, &set, NULL)) != IA_OK)
        goto done;
    IA_GO(api_render(&c.cx, &r->rows, format,
                     &(api_label){r->query, r->branch, r->snapshot, r->commit}, write, payload));
done:
    return api_end(&c, st);
}

/* ---- writes -------------------------------------------------------------------------------- */

static ia_status write_options(ia_ctx *cx, const inarch_write_options *in, char user[128],
                               ia_write_options *out)
{
    IA_TRY(api_user_name(cx, user));
    *out = (ia_write_options){.branch = "main", .actor = user};
    if (!in)
        return IA_OK;
    if (in->struct_size != sizeof *in)
        return ia_fail(cx, IA_ERR_INVALID,
                       "inarch_write_options: struct_size is not that of this library version");
    if (in->branch)
        out->branch = in->branch;
    if (in->actor)
        out->actor = in->actor;
    out->message = in->message;
    out->if_commit = in->if_commit;
    return IA_OK;
}

static ia_status run_mutation(ia_ctx *cx, inarch_graph *g, const char *text,
                              const inarch_query_options *opt, const ia_write_options *wopt,
                              inarch_mutate_result *out)
{
    ia_branch *b = NULL;
    ia_commit *head = NULL;
    const ia_catalog *cat;
    ia_gq_query *q = NULL;
    ia_params *params = NULL;
    ia_mutate_result res = {0};
    ia_status st;

    IA_GO(ia_branch_open(cx, g->g, wopt->branch, &b));
    IA_GO(ia_branch_head(cx, g->g, b, &head));
    IA_GO(ia_graph_catalog(cx, g->g, head->schema_hash, &cat));
    IA_GO(compile(cx, cat, text, opt, true, &q, &params));
    snprintf(out->query_name, sizeof out->query_name, "%s", q->name);
    IA_GO(ia_mutate(cx, g->g, q, params, wopt, &res));
    if (res.commit)
        memcpy(out->commit, res.commit->ref.id, sizeof out->commit);
    out->nodes = res.nodes;
    out->edges = res.edges;
done:
    ia_commit_free(res.commit);
    ia_params_free(params);
    ia_gq_query_free(q);
    ia_commit_free(head);
    ia_branch_free(b);
    return st;
}

inarch_status inarch_mutate(inarch_graph *g, const char *text, const inarch_query_options *opt,
                            const inarch_write_options *wopt, inarch_mutate_result *out)
{
    const inarch_query_options def = INARCH_QUERY_OPTIONS_INIT;
    ia_write_options w;
    char user[128];
    api_call c;
    ia_status st;

    if (!g || !text || !out)
        return api_invalid("inarch_mutate: graph, text and out are required");
    *out = (inarch_mutate_result){0};
    if ((st = options_check(&opt, &def)) != IA_OK)
        return st;
    if ((st = api_begin_graph(&c, g)) != IA_OK)
        goto done;
    if (opt->at)
        IA_GO(ia_fail(&c.cx, IA_ERR_INVALID,
                      "a mutation writes a branch: name it in the write options"));
    IA_GO(write_options(&c.cx, wopt, user, &w));
    IA_GO(run_mutation(&c.cx, g, text, opt, &w, out));
done:
    return api_end(&c, st);
}

typedef struct load_source {
    inarch_read_fn read;
    void *payload;
    const char *name;
} load_source;

static ia_status load_read(ia_ctx *cx, void *arg, void *dst, size_t cap, size_t *got)
{
    const load_source *s = arg;
    const int64_t n = s->read(dst, cap, s->payload);

    *got = 0;
    if (n < 0 || (uint64_t)n > cap)
        return ia_fail(cx, IA_ERR_IO, "%s: reading the data failed", s->name);
    *got = (size_t)n;
    return IA_OK;
}

static ia_status fill_counts(ia_ctx *cx, ia_graph *g, const ia_load_result *res,
                             inarch_load_result *out)
{
    const ia_catalog *cat;
    api_own *own = NULL;
    inarch_load_count *counts = NULL;
    ia_status st;

    if (!res->commit)
        return IA_OK;
    IA_GO(ia_graph_catalog(cx, g, res->commit->schema_hash, &cat));
    IA_GO(api_own_new(cx, &own));
    IA_GO(IA_ARENA_ARRAY(cx, &own->arena, counts, res->n + 1));
    for (size_t i = 0; i < res->n; i++) {
        const ia_type_def *type = cat->types[res->counts[i].type];
        counts[i].kind = type->kind == IA_KIND_NODE ? "node" : "edge";
        counts[i].rows = res->counts[i].rows;
        IA_GO(api_text(cx, own, type->name, &counts[i].type));
    }
    out->n = res->n;
    out->counts = counts;
    out->owner = own;
    own = NULL;
done:
    api_own_free(own);
    return st;
}

inarch_status inarch_load(inarch_graph *g, inarch_load_mode mode, inarch_read_fn read,
                          void *payload, uint64_t total_bytes, const char *name,
                          const inarch_write_options *wopt, inarch_load_result *out)
{
    load_source src = {read, payload, name ? name : "data"};
    ia_load_result res = {0};
    ia_write_options w;
    char user[128];
    api_call c;
    ia_status st;

    if (!g || !read || !out)
        return api_invalid("inarch_load: graph, read and out are required");
    *out = (inarch_load_result){0};
    if ((st = api_begin_graph(&c, g)) != IA_OK)
        goto done;
    IA_GO(write_options(&c.cx, wopt, user, &w));
    IA_GO(
        ia_load(&c.cx, g->g, (ia_load_mode)mode, load_read, &src, total_bytes, src.name, &w, &res));
    if (res.commit)
        memcpy(out->commit, res.commit->ref.id, sizeof out->commit);
    out->total = res.total;
    IA_GO(fill_counts(&c.cx, g->g, &res, out));
done:
    ia_load_result_dispose(&res);
    return api_end(&c, st);
}

static ia_status read_kind(ia_ctx *cx, const char *kind, ia_type_kind *out)
{
    *out = ia_str_eq(kind, "edge") ? IA_KIND_EDGE : IA_KIND_NODE;
    if (ia_str_eq(kind, "edge") || ia_str_eq(kind, "node"))
        return IA_OK;
    return ia_fail(cx, IA_ERR_INVALID, "kind must be node or edge, not '%s'", kind ? kind : "");
}

inarch_status inarch_load_rows(inarch_graph *g, const char *kind, const char *type,
                               inarch_load_mode mode, struct ArrowArrayStream *rows,
                               const inarch_write_options *wopt, inarch_load_result *out)
{
    ia_load_result res = {0};
    ia_write_options w;
    ia_stream s = {0};
    ia_type_kind k;
    char user[128];
    api_call c;
    ia_status st;

    if (!g || !type || !rows || !out)
        return api_invalid("inarch_load_rows: graph, type, rows and out are required");
    *out = (inarch_load_result){0};
    if ((st = api_begin_graph(&c, g)) != IA_OK)
        goto done;
    IA_GO(read_kind(&c.cx, kind, &k));
    IA_GO(write_options(&c.cx, wopt, user, &w));
    IA_GO(ia_import_stream(&c.cx, rows, &s));
    IA_GO(ia_load_rows(&c.cx, g->g, k, type, (ia_load_mode)mode, &s, &w, &res));
    if (res.commit)
        memcpy(out->commit, res.commit->ref.id, sizeof out->commit);
    out->total = res.total;
    IA_GO(fill_counts(&c.cx, g->g, &res, out));
done:
    if (rows && rows->release)
        rows->release(rows);
    ia_stream_dispose(&s);
    ia_load_result_dispose(&res);
    return api_end(&c, st);
}

void inarch_load_result_dispose(inarch_load_result *r)
{
    if (!r)
        return;
    api_own_free(r->owner);
    *r = (inarch_load_result){0};
}
