/* api_priv.h - one public call: its context, its budget, and the thread's last error. */
#ifndef IA_API_PRIV_H
#define IA_API_PRIV_H

#include "graph/ops.h"
#include "inarch/inarch.h"

#define API_DEFAULT_MEMORY (512ull << 20)

/* A handle's settings, copied from inarch_options. */
typedef struct api_settings {
    uint64_t memory_limit;
    ia_durability durability;
    inarch_progress_fn progress;
    void *payload;
    const volatile int *cancel;
} api_settings;

struct inarch_graph {
    ia_budget *budget; /* root of every call on the handle */
    api_settings set;
    ia_objstore *local;    /* owned */
    ia_objstore *counting; /* over local; owned */
    ia_graph *g;           /* over counting */
};

/* One call in progress. Lives on the caller's stack. */
typedef struct api_call {
    ia_ctx cx;
    api_settings set;
} api_call;

ia_status api_settings_read(api_settings *out, const inarch_options *opt);
/* Clears the last error and opens a budget of the call's limit below `parent` (NULL = root). */
ia_status api_begin(api_call *c, const api_settings *set, ia_budget *parent);
/* The same for a call on a graph; caches are emptied first when half of its memory is in use. */
ia_status api_begin_graph(api_call *c, inarch_graph *g);
/* Publishes the error text, drops the budget and returns st. */
inarch_status api_end(api_call *c, ia_status st);
/* Records an error without a context. */
inarch_status api_invalid(const char *text);

/* Text that lives as long as the result that owns it. */
typedef struct api_own {
    ia_arena arena;
} api_own;
void api_own_free(void *owner);
ia_status api_own_new(ia_ctx *cx, api_own **out) IA_MUST_CHECK;
/* Copy into the arena; NULL becomes "". */
ia_status api_text(ia_ctx *cx, api_own *own, const char *s, const char **out) IA_MUST_CHECK;

/* A materialised set of rows. */
typedef struct api_rows {
    ia_schema *schema;
    ia_batch **batches;
    size_t n, cap;
    uint64_t rows;
} api_rows;
ia_status api_rows_collect(ia_ctx *cx, ia_stream *s, api_rows *out) IA_MUST_CHECK;
void api_rows_dispose(api_rows *r);
/* Moves the rows into a stream that owns them. */
ia_status api_rows_stream(ia_ctx *cx, api_rows *r, ia_stream *out) IA_MUST_CHECK;

typedef struct api_label { /* what the rendered text says about the rows */
    const char *query, *branch, *snapshot, *commit;
} api_label;
ia_status api_render(ia_ctx *cx, const api_rows *r, const char *format, const api_label *label,
                     inarch_write_fn write, void *payload) IA_MUST_CHECK;
ia_status api_user_name(ia_ctx *cx, char out[128]);

#endif
