/* query_run.c - a read query on one snapshot: its tables handed to the executor. */
#include "exec/exec.h"
#include "graph/ops.h"

static ia_status snapshot_table(ia_ctx *cx, ia_exec_source *src, const ia_type_def *type,
                                ia_dataset **out)
{
    ia_snapshot *s = src->self;

    for (size_t i = 0; i < s->cat->n_types; i++)
        if (s->cat->types[i]->type_id == type->type_id)
            return ia_snapshot_table(cx, s, i, out);
    return ia_fail(cx, IA_ERR_NOT_FOUND, "type %s does not exist at commit %s", type->name,
                   s->commit->ref.id);
}

ia_status ia_query_run(ia_ctx *cx, ia_snapshot *s, const ia_gq_query *q, const ia_params *params,
                       ia_stream *out)
{
    ia_exec_source src = {.self = s, .table = snapshot_table};

    return ia_exec_run(cx, q, params, &src, out);
}
