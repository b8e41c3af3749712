/* merge_api.c - the public merge call: runs it, counts its bytes, hands out the report. */
#include "api/api_priv.h"

static ia_status fill_routes(ia_ctx *cx, api_own *own, const ia_merge_result *r,
                             inarch_merge_result *out)
{
    inarch_route *routes;

    IA_TRY(IA_ARENA_ARRAY(cx, &own->arena, routes, r->n_routes + 1));
    for (size_t i = 0; i < r->n_routes; i++) {
        const ia_route *in = &r->routes[i];
        inarch_route *o = &routes[i];
        IA_TRY(api_text(cx, own, in->type_key, &o->type_key));
        IA_TRY(api_text(cx, own, in->route, &o->route));
        IA_TRY(api_text(cx, own, in->reason, &o->reason));
        o->fragments_adopted = in->fragments_adopted;
        o->files_linked = in->files_linked;
        o->files_referenced = in->files_referenced;
        o->files_copied = in->files_copied;
        o->rows_inserted = in->rows_inserted;
        o->rows_updated = in->rows_updated;
        o->rows_deleted = in->rows_deleted;
        o->rows_masked = in->rows_masked;
        o->rows_copied = in->rows_copied;
        o->rows_compared = in->rows_compared;
    }
    out->routes = routes;
    out->n_routes = r->n_routes;
    return IA_OK;
}

static ia_status fill_conflicts(ia_ctx *cx, api_own *own, const ia_catalog *cat,
                                const ia_merge_result *r, inarch_merge_result *out)
{
    inarch_conflict *items;

    IA_TRY(IA_ARENA_ARRAY(cx, &own->arena, items, r->conflicts.n + 1));
    for (size_t i = 0; i < r->conflicts.n; i++) {
        const ia_conflict *in = &r->conflicts.items[i];
        const ia_type_def *type = cat->types[in->type];
        items[i].kind = ia_conflict_kind_name(in->kind);
        items[i].entity = type->kind == IA_KIND_NODE ? "node" : "edge";
        IA_TRY(api_text(cx, own, type->name, &items[i].type));
        IA_TRY(api_text(cx, own, in->id, &items[i].id));
        IA_TRY(api_text(cx, own, in->message, &items[i].message));
        IA_TRY(api_text(cx, own, in->base, &items[i].base));
        IA_TRY(api_text(cx, own, in->source, &items[i].source));
        IA_TRY(api_text(cx, own, in->target, &items[i].target));
    }
    out->conflicts = items;
    out->n_conflicts = r->conflicts.n;
    return IA_OK;
}

static void fill_counts(const inarch_graph *g, const ia_io_counts *before, inarch_merge_result *out)
{
    ia_io_counts now;

    ia_objstore_counts(g->counting, &now);
    out->meta_read = now.read_bytes[IA_IO_META] - before->read_bytes[IA_IO_META];
    out->meta_written = now.write_bytes[IA_IO_META] - before->write_bytes[IA_IO_META];
    out->key_read = now.read_bytes[IA_IO_KEY] - before->read_bytes[IA_IO_KEY];
    out->key_written = now.write_bytes[IA_IO_KEY] - before->write_bytes[IA_IO_KEY];
    out->payload_read = now.read_bytes[IA_IO_PAYLOAD] - before->read_bytes[IA_IO_PAYLOAD];
    out->payload_written = now.write_bytes[IA_IO_PAYLOAD] - before->write_bytes[IA_IO_PAYLOAD];
}

static ia_status fill_result(ia_ctx *cx, inarch_graph *g, const ia_merge_result *r,
                             inarch_merge_result *out)
{
    static const char *const outcomes[] = {"already_up_to_date", "fast_forward", "merged",
                                           "conflicts"};
    ia_commit *target = NULL;
    const ia_catalog *cat = NULL;
    api_own *own = NULL;
    ia_status st;

    IA_GO(ia_commit_read(cx, g->g, &r->target, &target));
    IA_GO(ia_graph_catalog(cx, g->g, target->schema_hash, &cat));
    IA_GO(api_own_new(cx, &own));
    out->outcome = outcomes[r->outcome];
    IA_GO(api_text(cx, own, r->commit ? r->commit->ref.id : "", &out->commit));
    IA_GO(api_text(cx, own, r->base.id, &out->base));
    IA_GO(api_text(cx, own, r->source.id, &out->source));
    IA_GO(api_text(cx, own, r->target.id, &out->target));
    IA_GO(fill_routes(cx, own, r, out));
    IA_GO(fill_conflicts(cx, own, cat, r, out));
    out->rows_both_sides = r->rows_both_sides;
    out->elapsed_us = r->elapsed_us;
    out->peak_memory = ia_budget_peak(cx->budget);
    out->owner = own;
    own = NULL;
done:
    api_own_free(own);
    ia_commit_free(target);
    return st;
}

inarch_status inarch_merge(inarch_graph *g, const char *source, const char *into,
                           const inarch_merge_options *opt, inarch_merge_result *out)
{
    api_call c;
    inarch_merge_options def = INARCH_MERGE_OPTIONS_INIT;
    ia_merge_result res = {0};
    ia_io_counts before;
    char user[128];
    ia_status st;

    if (!g || !source || !out)
        return api_invalid("inarch_merge: graph, source and out are required");
    *out = (inarch_merge_result){0};
    if (opt && opt->struct_size != sizeof *opt)
        return api_invalid("inarch_merge_options: struct_size is not that of this library version");
    if (!opt)
        opt = &def;
    if ((st = api_begin_graph(&c, g)) != IA_OK)
        goto done;
    IA_GO(api_user_name(&c.cx, user));
    ia_objstore_counts(g->counting, &before);
    IA_GO(ia_merge(&c.cx, g->g, source, into ? into : "main",
                   &(ia_merge_options){.adopt = (ia_adopt)opt->adopt,
                                       .dry_run = opt->dry_run,
                                       .full_probe = opt->full_probe,
                                       .actor = opt->actor ? opt->actor : user,
                                       .message = opt->message,
                                       .if_commit = opt->if_commit},
                   &res));
    fill_counts(g, &before, out);
    IA_GO(fill_result(&c.cx, g, &res, out));
done:
    ia_merge_result_dispose(&res);
    return api_end(&c, st);
}

void inarch_merge_result_dispose(inarch_merge_result *r)
{
    if (!r)
        return;
    api_own_free(r->owner);
    *r = (inarch_merge_result){0};
}
