/* table_api.c - public calls on any Lance dataset directory. */
#include "api/api_priv.h"

#include "arrow/json_rows.h"

#include <stdatomic.h>

/* The store of a table and of the scans that are read after it was closed. Safe to share. */
typedef struct table_store {
    atomic_size_t refs;
    ia_objstore *os; /* owned */
} table_store;

struct inarch_table {
    ia_budget *budget;
    api_settings set;
    table_store *store; /* retained */
    ia_objstore *os;    /* store->os */
    char *root;
    ia_dataset *ds;
};

static ia_status store_new(ia_ctx *cx, table_store **out)
{
    table_store *s;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW(cx, s));
    atomic_init(&s->refs, 1);
    IA_GO(ia_objstore_local(cx, &s->os));
    *out = s;
    s = NULL;
done:
    ia_free(s);
    return st;
}

static table_store *store_retain(table_store *s)
{
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

static void store_release(table_store *s)
{
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
        return;
    ia_objstore_close(s->os);
    ia_free(s);
}

static ia_status table_new(ia_ctx *cx, const char *path, const api_settings *set,
                           inarch_table **out)
{
    inarch_table *t;

    *out = NULL;
    IA_TRY(IA_NEW(cx, t));
    *out = t;
    t->set = *set;
    if (!(t->budget = ia_budget_new(NULL, 0)))
        return ia_fail(cx, IA_ERR_NO_MEMORY, "no memory for the table's budget");
    IA_TRY(store_new(cx, &t->store));
    t->os = t->store->os;
    return ia_path_absolute(cx, path, &t->root);
}

void inarch_table_close(inarch_table *t)
{
    if (!t)
        return;
    ia_dataset_release(t->ds);
    store_release(t->store);
    ia_free(t->root);
    ia_budget_drop(t->budget);
    ia_free(t);
}

inarch_status inarch_table_open(const char *path, const inarch_table_at *at,
                                const inarch_options *opt, inarch_table **out)
{
    api_settings set;
    api_call c;
    inarch_table *t = NULL;
    ia_status st;

    if (!path || !out)
        return api_invalid("inarch_table_open: path and out are required");
    *out = NULL;
    if ((st = api_settings_read(&set, opt)) != IA_OK)
        return st;
    if (at && at->struct_size != sizeof *at)
        return api_invalid("inarch_table_at: struct_size is not that of this library version");
    if ((st = api_begin(&c, &set, NULL)) != IA_OK)
        goto done;
    IA_GO(table_new(&c.cx, path, &set, &t));
    IA_GO(ia_dataset_open(&c.cx, t->os, t->root, at ? at->branch : NULL, at ? at->version : 0,
                          &t->ds));
    *out = t;
    t = NULL;
done:
    inarch_table_close(t);
    return api_end(&c, st);
}

static ia_status refuse_claimed(ia_ctx *cx, inarch_table *t)
{
    char *graph = NULL;
    ia_status st;

    IA_GO(ia_graph_claims(cx, t->os, t->root, &graph));
    if (graph)
        IA_GO(ia_fail(cx, IA_ERR_INVALID,
                      "%s belongs to the graph %s: write it with `inarch load` or `inarch mutate`",
                      t->root, graph));
done:
    ia_free(graph);
    return st;
}

inarch_status inarch_table_create(const char *path, struct ArrowSchema *schema,
                                  const inarch_options *opt, inarch_table **out)
{
    api_settings set;
    api_call c;
    inarch_table *t = NULL;
    ia_schema *s = NULL;
    ia_status st;

    if (!path || !schema || !out)
        return api_invalid("inarch_table_create: path, schema and out are required");
    *out = NULL;
    if ((st = api_settings_read(&set, opt)) != IA_OK)
        return st;
    if ((st = api_begin(&c, &set, NULL)) != IA_OK)
        goto done;
    IA_GO(ia_import_schema(&c.cx, schema, &s));
    IA_GO(table_new(&c.cx, path, &set, &t));
    IA_GO(refuse_claimed(&c.cx, t));
    IA_GO(ia_table_create(&c.cx, t->os, t->root, s, set.durability, &t->ds));
    *out = t;
    t = NULL;
done:
    if (schema->release)
        schema->release(schema);
    ia_schema_release(s);
    inarch_table_close(t);
    return api_end(&c, st);
}

uint64_t inarch_table_version(const inarch_table *t)
{
    return t ? t->ds->m->version : 0;
}

inarch_status inarch_table_schema(inarch_table *t, struct ArrowSchema *out)
{
    api_call c;
    ia_status st;

    if (!t || !out)
        return api_invalid("inarch_table_schema: table and out are required");
    if ((st = api_begin(&c, &t->set, t->budget)) != IA_OK)
        goto done;
    IA_GO(ia_export_schema(&c.cx, t->ds->m->arrow, out));
done:
    return api_end(&c, st);
}

/* ---- details ------------------------------------------------------------------------------- */

static ia_status fill_fields(ia_ctx *cx, api_own *own, const ia_schema *s,
                             inarch_table_details *out)
{
    const char **names, **types;
    bool *nullable;
    char text[256];

    IA_TRY(IA_ARENA_ARRAY(cx, &own->arena, names, s->n_fields + 1));
    IA_TRY(IA_ARENA_ARRAY(cx, &own->arena, types, s->n_fields + 1));
    IA_TRY(IA_ARENA_ARRAY(cx, &own->arena, nullable, s->n_fields + 1));
    for (size_t k = 0; k < s->n_fields; k++) {
        IA_TRY(api_text(cx, own, s->fields[k].name, &names[k]));
        IA_TRY(api_text(cx, own, ia_type_text(s->fields[k].type, text, sizeof text), &types[k]));
        nullable[k] = s->fields[k].nullable;
    }
    out->n_fields = s->n_fields;
    out->field_names = names;
    out->field_types = types;
    out->field_nullable = nullable;
    return IA_OK;
}

static ia_status fill_fragments(ia_ctx *cx, api_own *own, const ia_manifest *m,
                                inarch_table_details *out)
{
    inarch_fragment_info *frags;

    IA_TRY(IA_ARENA_ARRAY(cx, &own->arena, frags, m->n_fragments + 1));
    for (size_t i = 0; i < m->n_fragments; i++) {
        const ia_fragment *f = &m->fragments[i];
        frags[i] = (inarch_fragment_info){f->id, f->physical_rows,
                                          f->physical_rows - ia_fragment_live(f), f->n_files};
    }
    out->n_fragments = m->n_fragments;
    out->fragments = frags;
    return IA_OK;
}

static ia_status fill_versions(ia_ctx *cx, api_own *own, const inarch_table *t,
                               inarch_table_details *out)
{
    uint64_t *versions = NULL, *copy;
    int64_t *times;
    ia_dataset *ds = NULL;
    size_t n = 0;
    ia_status st;

    IA_GO(ia_dataset_versions(cx, t->os, t->root, t->ds->branch, &versions, &n));
    IA_GO(IA_ARENA_ARRAY(cx, &own->arena, copy, n + 1));
    IA_GO(IA_ARENA_ARRAY(cx, &own->arena, times, n + 1));
    for (size_t i = 0; i < n; i++) {
        IA_GO(ia_dataset_open(cx, t->os, t->root, t->ds->branch, versions[i], &ds));
        copy[i] = versions[i];
        times[i] = ds->m->timestamp_us;
        ia_dataset_release(ds);
        ds = NULL;
    }
    out->n_versions = n;
    out->versions = copy;
    out->version_times_us = times;
done:
    ia_dataset_release(ds);
    ia_free(versions);
    return st;
}

static ia_status fill_details(ia_ctx *cx, const inarch_table *t, api_own *own,
                              inarch_table_details *out)
{
    const ia_manifest *m = t->ds->m;

    IA_TRY(api_text(cx, own, t->ds->dir, &out->path));
    IA_TRY(api_text(cx, own, t->ds->branch, &out->branch));
    IA_TRY(api_text(cx, own, m->data_version, &out->data_version));
    const char *writer = ia_arena_sprintf(cx, &own->arena, "%s %s",
                                          m->writer_library ? m->writer_library : "unknown",
                                          m->writer_version ? m->writer_version : "");
    IA_TRY(IA_SET(cx, out->writer, writer));
    out->version = m->version;
    out->rows = ia_manifest_live_rows(m);
    out->next_row_id = m->next_row_id;
    out->timestamp_us = m->timestamp_us;
    out->stable_row_ids = m->stable_row_ids;
    IA_TRY(fill_fields(cx, own, m->arrow, out));
    IA_TRY(fill_fragments(cx, own, m, out));
    return fill_versions(cx, own, t, out);
}

inarch_status inarch_table_info_read(inarch_table *t, inarch_table_details *out)
{
    api_call c;
    api_own *own = NULL;
    ia_status st;

    if (!t || !out)
        return api_invalid("inarch_table_info_read: table and out are required");
    *out = (inarch_table_details){0};
    if ((st = api_begin(&c, &t->set, t->budget)) != IA_OK)
        goto done;
    IA_GO(api_own_new(&c.cx, &own));
    IA_GO(fill_details(&c.cx, t, own, out));
    out->owner = own;
    own = NULL;
done:
    if (st != IA_OK)
        *out = (inarch_table_details){0};
    api_own_free(own);
    return api_end(&c, st);
}

void inarch_table_details_dispose(inarch_table_details *d)
{
    if (!d)
        return;
    api_own_free(d->owner);
    *d = (inarch_table_details){0};
}

/* ---- reading ------------------------------------------------------------------------------- */

static ia_status bind_filter(ia_ctx *cx, ia_arena *a, const ia_dataset *ds, const char *text,
                             ia_expr **out)
{
    ia_expr *parsed = NULL;

    *out = NULL;
    if (!text)
        return IA_OK;
    IA_TRY(ia_sql_filter_parse(cx, a, text, strlen(text), &parsed));
    return ia_expr_bind(cx, a, parsed, ds->m->arrow, out);
}

/* A scan whose filter lives in its own arena; the table may be closed before it. */
typedef struct owned_scan {
    ia_arena arena;
    table_store *store; /* retained */
    ia_stream scan;
} owned_scan;

static ia_status owned_next(ia_ctx *cx, ia_stream *s, ia_batch **out)
{
    owned_scan *o = s->self;

    return ia_stream_next(cx, &o->scan, out);
}

static void owned_close(ia_stream *s)
{
    owned_scan *o = s->self;

    ia_stream_dispose(&o->scan);
    ia_arena_dispose(&o->arena);
    store_release(o->store);
    ia_free(o);
}

inarch_status inarch_table_scan(inarch_table *t, const inarch_scan_options *opt,
                                struct ArrowArrayStream *out)
{
    inarch_scan_options def = INARCH_SCAN_OPTIONS_INIT;
    api_call c;
    ia_stream s = {0};
    owned_scan *o;
    ia_expr *filter = NULL;
    ia_status st;

    if (!t || !out)
        return api_invalid("inarch_table_scan: table and out are required");
    *out = (struct ArrowArrayStream){0};
    if (opt && opt->struct_size != sizeof *opt)
        return api_invalid("inarch_scan_options: struct_size is not that of this library version");
    if (!opt)
        opt = &def;
    if ((st = api_begin(&c, &t->set, t->budget)) != IA_OK)
        goto done;
    IA_GO(IA_NEW(&c.cx, o));
    o->store = store_retain(t->store);
    s = (ia_stream){.next = owned_next, .close = owned_close, .self = o};
    IA_GO(bind_filter(&c.cx, &o->arena, t->ds, opt->filter, &filter));
    IA_GO(ia_dataset_scan(&c.cx, t->ds,
                          &(ia_scan_options){.columns = opt->columns,
                                             .n_columns = opt->n_columns,
                                             .filter = filter,
                                             .batch_rows = opt->batch_rows,
                                             .limit = opt->limit},
                          &o->scan));
    s.schema = ia_schema_retain(o->scan.schema);
    IA_GO(ia_export_stream(&c.cx, &s, out));
done:
    ia_stream_dispose(&s);
    return api_end(&c, st);
}

inarch_status inarch_table_count(inarch_table *t, const char *filter, uint64_t *out)
{
    api_call c;
    ia_arena arena = {0};
    ia_expr *e = NULL;
    ia_status st;

    if (!t || !out)
        return api_invalid("inarch_table_count: table and out are required");
    *out = 0;
    if ((st = api_begin(&c, &t->set, t->budget)) != IA_OK)
        goto done;
    IA_GO(bind_filter(&c.cx, &arena, t->ds, filter, &e));
    IA_GO(ia_dataset_count(&c.cx, t->ds, e, out));
done:
    ia_arena_dispose(&arena);
    return api_end(&c, st);
}

static ia_status ids_to_addresses(ia_ctx *cx, ia_dataset *ds, const uint64_t *ids, size_t n,
                                  uint64_t *addrs)
{
    for (size_t i = 0; i < n; i++) {
        bool found = true;
        addrs[i] = ids[i];
        if (ds->m->stable_row_ids)
            IA_TRY(ia_dataset_find_rowid(cx, ds, ids[i], &found, &addrs[i]));
        if (!found)
            return ia_fail(cx, IA_ERR_NOT_FOUND, "%s: no live row has row id %llu", ds->dir,
                           (unsigned long long)ids[i]);
    }
    return IA_OK;
}

inarch_status inarch_table_take(inarch_table *t, const uint64_t *row_ids, size_t n,
                                const char *const *columns, size_t n_columns,
                                struct ArrowArrayStream *out)
{
    api_call c;
    uint64_t *addrs = NULL;
    ia_batch *b = NULL;
    api_rows rows = {0};
    ia_stream s = {0};
    ia_status st;

    if (!t || !out || (n && !row_ids))
        return api_invalid("inarch_table_take: table, row ids and out are required");
    *out = (struct ArrowArrayStream){0};
    if ((st = api_begin(&c, &t->set, t->budget)) != IA_OK)
        goto done;
    IA_GO(IA_NEW_ARRAY(&c.cx, addrs, n + 1));
    IA_GO(ids_to_addresses(&c.cx, t->ds, row_ids, n, addrs));
    IA_GO(ia_dataset_take(&c.cx, t->ds, addrs, n, columns, n_columns, &b));
    rows.schema = ia_schema_retain(b->schema);
    IA_GO(IA_GROW(&c.cx, rows.batches, rows.cap, 1));
    rows.rows = (uint64_t)b->rows;
    rows.batches[rows.n++] = b;
    b = NULL;
    IA_GO(api_rows_stream(&c.cx, &rows, &s));
    IA_GO(ia_export_stream(&c.cx, &s, out));
done:
    ia_stream_dispose(&s);
    api_rows_dispose(&rows);
    ia_batch_release(b);
    ia_free(addrs);
    return api_end(&c, st);
}

/* ---- writing ------------------------------------------------------------------------------- */

inarch_status inarch_table_append(inarch_table *t, struct ArrowArrayStream *rows)
{
    api_call c;
    ia_stream s = {0};
    ia_dataset *next = NULL;
    ia_status st;

    if (!t || !rows)
        return api_invalid("inarch_table_append: table and rows are required");
    if ((st = api_begin(&c, &t->set, t->budget)) != IA_OK)
        goto done;
    IA_GO(ia_import_stream(&c.cx, rows, &s));
    IA_GO(refuse_claimed(&c.cx, t));
    IA_GO(ia_table_append(&c.cx, t->ds, &s, t->set.durability, &next));
    ia_dataset_release(t->ds);
    t->ds = next;
done:
    if (rows->release)
        rows->release(rows);
    ia_stream_dispose(&s);
    return api_end(&c, st);
}

inarch_status inarch_table_delete(inarch_table *t, const char *filter, uint64_t *deleted)
{
    api_call c;
    ia_arena arena = {0};
    ia_expr *e = NULL;
    ia_dataset *next = NULL;
    uint64_t n = 0;
    ia_status st;

    if (!t || !filter)
        return api_invalid("inarch_table_delete: table and filter are required");
    if (deleted)
        *deleted = 0;
    if ((st = api_begin(&c, &t->set, t->budget)) != IA_OK)
        goto done;
    IA_GO(refuse_claimed(&c.cx, t));
    IA_GO(bind_filter(&c.cx, &arena, t->ds, filter, &e));
    IA_GO(ia_table_delete(&c.cx, t->ds, e, filter, t->set.durability, &n, &next));
    ia_dataset_release(t->ds);
    t->ds = next;
    if (deleted)
        *deleted = n;
done:
    ia_arena_dispose(&arena);
    return api_end(&c, st);
}

inarch_status inarch_table_jsonl(inarch_table *t, const char *text, size_t len, const char *name,
                                 struct ArrowArrayStream *out)
{
    api_call c;
    ia_stream s = {0};
    ia_status st;

    if (!t || !text || !out)
        return api_invalid("inarch_table_jsonl: table, text and out are required");
    *out = (struct ArrowArrayStream){0};
    if ((st = api_begin(&c, &t->set, t->budget)) != IA_OK)
        goto done;
    IA_GO(ia_json_rows(&c.cx, t->ds->m->arrow, text, len, name ? name : "data", &s));
    IA_GO(ia_export_stream(&c.cx, &s, out));
done:
    ia_stream_dispose(&s);
    return api_end(&c, st);
}

inarch_status inarch_stream_render(struct ArrowArrayStream *rows, const char *format,
                                   inarch_write_fn write, void *payload)
{
    const api_settings set = {.memory_limit = API_DEFAULT_MEMORY};
    const api_label label = {0};
    api_call c;
    ia_stream s = {0};
    api_rows all = {0};
    ia_status st;

    if (!rows || !format || !write)
        return api_invalid("inarch_stream_render: rows, format and write are required");
    if ((st = api_begin(&c, &set, NULL)) != IA_OK)
        goto done;
    IA_GO(ia_import_stream(&c.cx, rows, &s));
    IA_GO(api_rows_collect(&c.cx, &s, &all));
    IA_GO(api_render(&c.cx, &all, format, &label, write, payload));
done:
    if (rows->release)
        rows->release(rows);
    api_rows_dispose(&all);
    ia_stream_dispose(&s);
    return api_end(&c, st);
}
