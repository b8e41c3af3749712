/* call.c - the frame of every public call: context, budget, last error, owned text. */
#include "api/api_priv.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static _Thread_local char last_error[480];

const char *inarch_last_error(void)
{
    return last_error;
}

const char *inarch_status_name(inarch_status st)
{
    return ia_status_name(st);
}

const char *inarch_version(void)
{
    return INARCH_VERSION;
}

void inarch_free(void *p)
{
    ia_free(p);
}

inarch_status api_invalid(const char *text)
{
    snprintf(last_error, sizeof last_error, "%s", text);
    return INARCH_ERR_INVALID;
}

ia_status api_settings_read(api_settings *out, const inarch_options *opt)
{
    *out = (api_settings){.memory_limit = API_DEFAULT_MEMORY};
    if (!opt)
        return IA_OK;
    if (opt->struct_size != sizeof *opt)
        return api_invalid("inarch_options: struct_size is not that of this library version");
    if (opt->memory_limit)
        out->memory_limit = opt->memory_limit;
    out->durability = opt->durability == INARCH_RELAXED ? IA_RELAXED : IA_FULL;
    out->progress = opt->progress;
    out->payload = opt->payload;
    out->cancel = opt->cancel;
    return IA_OK;
}

/* The context's one callback serves both the caller's progress and its cancel word. */
static int on_progress(uint64_t done, uint64_t total, void *payload)
{
    const api_settings *set = payload;

    if (set->cancel && *set->cancel)
        return 1;
    return set->progress ? set->progress(done, total, set->payload) : 0;
}

ia_status api_begin(api_call *c, const api_settings *set, ia_budget *parent)
{
    last_error[0] = 0;
    c->set = *set;
    ia_budget *budget = ia_budget_new(parent, set->memory_limit);

    ia_ctx_init(&c->cx, budget);
    if (!budget)
        return ia_fail(&c->cx, IA_ERR_NO_MEMORY, "no memory for the operation's budget");
    if (set->progress || set->cancel) {
        c->cx.progress = on_progress;
        c->cx.payload = &c->set;
    }
    return IA_OK;
}

ia_status api_begin_graph(api_call *c, inarch_graph *g)
{
    if (ia_budget_used(g->budget) > g->set.memory_limit / 2)
        ia_graph_trim(g->g);
    return api_begin(c, &g->set, g->budget);
}

inarch_status api_end(api_call *c, ia_status st)
{
    if (st != IA_OK)
        snprintf(last_error, sizeof last_error, "%s",
                 c->cx.err.text[0] ? c->cx.err.text : ia_status_name(st));
    ia_budget_drop(c->cx.budget);
    c->cx.budget = NULL;
    return st;
}

ia_status api_own_new(ia_ctx *cx, api_own **out)
{
    *out = NULL;
    return IA_NEW(cx, *out);
}

void api_own_free(void *owner)
{
    api_own *own = owner;

    if (!own)
        return;
    ia_arena_dispose(&own->arena);
    ia_free(own);
}

ia_status api_text(ia_ctx *cx, api_own *own, const char *s, const char **out)
{
    return IA_SET(cx, *out, ia_arena_strdup(cx, &own->arena, s ? s : ""));
}

ia_status api_user_name(ia_ctx *cx, char out[128])
{
    const struct passwd *pw = getpwuid(getuid());
    const char *name = getenv("INARCH_ACTOR");

    (void)cx;
    if (!name || !*name)
        name = pw && pw->pw_name ? pw->pw_name : getenv("USER");
    snprintf(out, 128, "%s", name && *name ? name : "unknown");
    return IA_OK;
}

/* ---- rows ---------------------------------------------------------------------------------- */

void api_rows_dispose(api_rows *r)
{
    for (size_t i = 0; i < r->n; i++)
        ia_batch_release(r->batches[i]);
    ia_free(r->batches);
    ia_schema_release(r->schema);
    *r = (api_rows){0};
}

ia_status api_rows_collect(ia_ctx *cx, ia_stream *s, api_rows *out)
{
    ia_batch *b = NULL;
    ia_status st;

    *out = (api_rows){.schema = ia_schema_retain(s->schema)};
    for (;;) {
        IA_GO(ia_stream_next(cx, s, &b));
        if (!b)
            break;
        IA_GO(IA_GROW(cx, out->batches, out->cap, out->n + 1));
        out->rows += (uint64_t)b->rows;
        out->batches[out->n++] = b;
        b = NULL;
    }
done:
    ia_batch_release(b);
    if (st != IA_OK)
        api_rows_dispose(out);
    return st;
}

typedef struct rows_stream {
    api_rows rows;
    size_t at;
} rows_stream;

static ia_status rows_next(ia_ctx *cx, ia_stream *s, ia_batch **out)
{
    rows_stream *r = s->self;

    (void)cx;
    *out = r->at < r->rows.n ? ia_batch_retain(r->rows.batches[r->at]) : NULL;
    r->at++;
    return IA_OK;
}

static void rows_close(ia_stream *s)
{
    rows_stream *r = s->self;

    api_rows_dispose(&r->rows);
    ia_free(r);
}

ia_status api_rows_stream(ia_ctx *cx, api_rows *r, ia_stream *out)
{
    rows_stream *self;

    *out = (ia_stream){0};
    IA_TRY(IA_NEW(cx, self));
    self->rows = *r;
    *r = (api_rows){0};
    *out = (ia_stream){.schema = ia_schema_retain(self->rows.schema),
                       .next = rows_next,
                       .close = rows_close,
                       .self = self};
    return IA_OK;
}
