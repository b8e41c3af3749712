/* data_api.c - public calls that read and write rows as Arrow IPC, JSON lines and CSV. */
#include "api/api_priv.h"

#include "arrow/csv.h"
#include "arrow/ipc.h"
#include "arrow/json_rows.h"

enum { PEEK = 512 };

/* ---- reading -------------------------------------------------------------------------------- */

/* The caller's bytes, of which the first were looked at to tell the format. */
typedef struct data_source {
    inarch_read_fn read;
    void *payload;
    char *name;
    size_t at, n; /* of start, still to be given */
    uint8_t start[PEEK];
} data_source;

static ia_status pull(ia_ctx *cx, data_source *d, void *p, size_t n, size_t *got)
{
    const int64_t r = d->read(p, n, d->payload);

    *got = 0;
    if (r < 0 || (uint64_t)r > n)
        return ia_fail(cx, IA_ERR_IO, "%s: reading failed", d->name);
    *got = (size_t)r;
    return IA_OK;
}

static ia_status source_read(ia_ctx *cx, ia_source *s, void *p, size_t n, size_t *got)
{
    data_source *d = s->self;

    if (d->at == d->n)
        return pull(cx, d, p, n, got);
    *got = n < d->n - d->at ? n : d->n - d->at;
    memcpy(p, d->start + d->at, *got);
    d->at += *got;
    return IA_OK;
}

static void source_close(ia_source *s)
{
    data_source *d = s->self;

    ia_free(d->name);
    ia_free(d);
    s->self = NULL;
}

static ia_status source_open(ia_ctx *cx, inarch_read_fn read, void *payload, const char *name,
                             ia_source *out)
{
    data_source *d;
    size_t got = 1;

    *out = (ia_source){0};
    IA_TRY(IA_NEW(cx, d));
    d->read = read;
    d->payload = payload;
    *out = (ia_source){.read = source_read, .close = source_close, .self = d};
    IA_TRY(IA_SET(cx, d->name, ia_strdup(cx, name)));
    while (got && d->n < PEEK) {
        IA_TRY(pull(cx, d, d->start + d->n, PEEK - d->n, &got));
        d->n += got;
    }
    return IA_OK;
}

static const char *guess_format(const ia_source *s)
{
    const data_source *d = s->self;
    size_t i = 0;

    if (ia_ipc_sniff(d->start, d->n))
        return "arrow";
    while (i < d->n && (d->start[i] == ' ' || d->start[i] == '\t' || d->start[i] == '\r' ||
                        d->start[i] == '\n'))
        i++;
    return i < d->n && d->start[i] == '{' ? "jsonl" : "csv";
}

static ia_status open_data(ia_ctx *cx, ia_source *src, const inarch_data_options *o,
                           const ia_schema *schema, ia_stream *out)
{
    const char *name = o->name ? o->name : "data";
    const char *format = o->format ? o->format : guess_format(src);

    if (ia_str_eq(format, "arrow") && schema)
        return ia_fail(cx, IA_ERR_INVALID, "%s: an Arrow stream has its own schema", name);
    if (ia_str_eq(format, "arrow"))
        return ia_ipc_stream_open(cx, src, name, out);
    if (ia_str_eq(format, "jsonl"))
        return ia_jsonl_stream_open(cx, src, schema, name,
                                    &(ia_jsonl_options){.batch_rows = o->batch_rows}, out);
    if (ia_str_eq(format, "csv"))
        return ia_csv_stream_open(cx, src, schema, name,
                                  &(ia_csv_options){.batch_rows = o->batch_rows}, out);
    return ia_fail(cx, IA_ERR_INVALID, "unknown format '%s': use arrow, jsonl or csv", format);
}

inarch_status inarch_data_open(inarch_read_fn read, void *payload, const inarch_data_options *opt,
                               const inarch_options *iopt, struct ArrowArrayStream *out)
{
    const inarch_data_options def = INARCH_DATA_OPTIONS_INIT;
    api_settings set;
    api_call c;
    ia_source src = {0};
    ia_stream s = {0};
    ia_schema *schema = NULL;
    ia_status st;

    if (!read || !out)
        return api_invalid("inarch_data_open: read and out are required");
    *out = (struct ArrowArrayStream){0};
    if (opt && opt->struct_size != sizeof *opt)
        return api_invalid("inarch_data_options: struct_size is not that of this library version");
    if ((st = api_settings_read(&set, iopt)) != IA_OK)
        return st;
    if (!opt)
        opt = &def;
    if ((st = api_begin(&c, &set, NULL)) != IA_OK)
        goto done;
    if (opt->schema)
        IA_GO(ia_import_schema(&c.cx, opt->schema, &schema));
    IA_GO(source_open(&c.cx, read, payload, opt->name ? opt->name : "data", &src));
    IA_GO(open_data(&c.cx, &src, opt, schema, &s));
    IA_GO(ia_export_stream(&c.cx, &s, out));
done:
    if (opt->schema && opt->schema->release)
        opt->schema->release(opt->schema);
    ia_source_close(&src);
    ia_schema_release(schema);
    ia_stream_dispose(&s);
    return api_end(&c, st);
}

/* ---- writing -------------------------------------------------------------------------------- */

typedef struct data_sink {
    inarch_write_fn write;
    void *payload;
} data_sink;

static ia_status sink_put(ia_ctx *cx, void *self, const void *p, size_t n)
{
    const data_sink *d = self;

    if (n && d->write(p, n, d->payload))
        return ia_fail(cx, IA_ERR_IO, "output: the receiver refused %zu bytes", n);
    return IA_OK;
}

static ia_status write_arrow(ia_ctx *cx, ia_stream *s, data_sink *sink, bool file)
{
    ia_ipc_writer *w = NULL;
    ia_batch *b = NULL;
    ia_status st;

    IA_GO(ia_ipc_writer_open(cx, s->schema, file, IA_IPC_PLAIN, sink_put, sink, &w));
    for (;;) {
        IA_GO(ia_stream_next(cx, s, &b));
        if (!b)
            break;
        IA_GO(ia_check(cx, 0, 0));
        IA_GO(ia_ipc_writer_write(cx, w, b));
        ia_batch_release(b);
        b = NULL;
    }
    IA_GO(ia_ipc_writer_finish(cx, w));
done:
    ia_batch_release(b);
    ia_ipc_writer_free(w);
    return st;
}

static ia_status write_text(ia_ctx *cx, ia_stream *s, data_sink *sink, bool csv)
{
    ia_buf out = {0};
    ia_batch *b = NULL;
    ia_status st = IA_OK;

    if (csv)
        ia_csv_write_header(cx, &out, s->schema);
    for (;;) {
        IA_GO(ia_buf_status(&out));
        IA_GO(sink_put(cx, sink, out.data, out.len));
        ia_buf_clear(&out);
        IA_GO(ia_stream_next(cx, s, &b));
        if (!b)
            break;
        IA_GO(ia_check(cx, 0, 0));
        if (csv)
            ia_csv_write_batch(cx, &out, b);
        else
            ia_jsonl_write_batch(cx, &out, b);
        ia_batch_release(b);
        b = NULL;
    }
done:
    ia_batch_release(b);
    ia_buf_dispose(&out);
    return st;
}

static ia_status write_data(ia_ctx *cx, ia_stream *s, const char *format, data_sink *sink)
{
    if (ia_str_eq(format, "arrow") || ia_str_eq(format, "arrow-file"))
        return write_arrow(cx, s, sink, format[5] != 0);
    if (ia_str_eq(format, "jsonl") || ia_str_eq(format, "csv"))
        return write_text(cx, s, sink, format[0] == 'c');
    return ia_fail(cx, IA_ERR_INVALID, "unknown format '%s': use arrow, arrow-file, jsonl or csv",
                   format);
}

inarch_status inarch_data_write(struct ArrowArrayStream *rows, const char *format,
                                const inarch_options *iopt, inarch_write_fn write, void *payload)
{
    data_sink sink = {write, payload};
    api_settings set;
    api_call c;
    ia_stream s = {0};
    ia_status st;

    if (!rows || !format || !write)
        return api_invalid("inarch_data_write: rows, format and write are required");
    if ((st = api_settings_read(&set, iopt)) != IA_OK) {
        if (rows->release)
            rows->release(rows);
        return st;
    }
    if ((st = api_begin(&c, &set, NULL)) != IA_OK)
        goto done;
    IA_GO(ia_import_stream(&c.cx, rows, &s));
    IA_GO(write_data(&c.cx, &s, format, &sink));
done:
    if (rows->release)
        rows->release(rows);
    ia_stream_dispose(&s);
    return api_end(&c, st);
}
