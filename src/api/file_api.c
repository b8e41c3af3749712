/* file_api.c - public calls on single Lance data files. */
#include "api/api_priv.h"

#include "arrow/compute.h"
#include "file/describe.h"
#include "file/file_check.h"
#include "file/projection.h"
#include "io/objstore.h"

#include <stdatomic.h>
#include <stdlib.h>

/* An open file and the streams that read it; the last one closes it. */
typedef struct shared_file {
    atomic_size_t refs;
    ia_objstore *local, *counting; /* counting is over local */
    ia_file *file;
    ia_schema *schema; /* exact */
    char *path;        /* absolute */
} shared_file;

struct inarch_file {
    ia_budget *budget;
    api_settings set;
    shared_file *shared; /* retained */
};

static shared_file *shared_retain(shared_file *s)
{
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

static void shared_release(shared_file *s)
{
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
        return;
    ia_file_close(s->file);
    ia_schema_release(s->schema);
    ia_objstore_close(s->counting);
    ia_objstore_close(s->local);
    ia_free(s->path);
    ia_free(s);
}

static ia_status shared_open(ia_ctx *cx, const char *path, shared_file **out)
{
    shared_file *s;
    ia_status st;

    *out = NULL;
    if ((st = IA_NEW(cx, s)) != IA_OK)
        return st;
    atomic_init(&s->refs, 1);
    IA_GO(ia_path_absolute(cx, path, &s->path));
    IA_GO(ia_objstore_local(cx, &s->local));
    IA_GO(ia_objstore_counting(cx, s->local, &s->counting));
    IA_GO(ia_file_open(cx, s->counting, s->path, 0, &s->file));
    st = ia_lschema_to_arrow_exact(cx, ia_file_lschema(s->file), &s->schema);
    IA_GO(ia_fail_prefix(cx, st, "file %s", s->path));
    *out = s;
    s = NULL;
done:
    shared_release(s);
    return st;
}

inarch_status inarch_file_open(const char *path, const inarch_options *opt, inarch_file **out)
{
    api_settings set;
    api_call c;
    inarch_file *f = NULL;
    ia_status st;

    if (!path || !out)
        return api_invalid("inarch_file_open: path and out are required");
    *out = NULL;
    if ((st = api_settings_read(&set, opt)) != IA_OK)
        return st;
    if ((st = api_begin(&c, &set, NULL)) != IA_OK)
        goto done;
    IA_GO(IA_NEW(&c.cx, f));
    f->set = set;
    if (!(f->budget = ia_budget_new(NULL, 0)))
        IA_GO(ia_fail(&c.cx, IA_ERR_NO_MEMORY, "no memory for the file's budget"));
    IA_GO(shared_open(&c.cx, path, &f->shared));
    *out = f;
    f = NULL;
done:
    inarch_file_close(f);
    return api_end(&c, st);
}

void inarch_file_close(inarch_file *f)
{
    if (!f)
        return;
    shared_release(f->shared);
    ia_budget_drop(f->budget);
    ia_free(f);
}

uint64_t inarch_file_rows(const inarch_file *f)
{
    return f ? ia_file_rows(f->shared->file) : 0;
}

uint32_t inarch_file_minor(const inarch_file *f)
{
    return f ? ia_file_minor(f->shared->file) : 0;
}

void inarch_file_io(const inarch_file *f, uint64_t *requests, uint64_t *bytes)
{
    ia_io_counts n = {0};

    if (f)
        ia_objstore_counts(f->shared->counting, &n);
    if (requests)
        *requests = n.reads;
    if (bytes) {
        *bytes = 0;
        for (int i = 0; i < IA_IO_CLASSES; i++)
            *bytes += n.read_bytes[i];
    }
}

inarch_status inarch_file_schema(inarch_file *f, struct ArrowSchema *out)
{
    api_call c;
    ia_status st;

    if (!f || !out)
        return api_invalid("inarch_file_schema: file and out are required");
    *out = (struct ArrowSchema){0};
    if ((st = api_begin(&c, &f->set, f->budget)) == IA_OK)
        st = ia_export_schema(&c.cx, f->shared->schema, out);
    return api_end(&c, st);
}

/* ---- scan ----------------------------------------------------------------------------------- */

typedef struct file_stream {
    shared_file *shared; /* retained */
    ia_projection proj;
    ia_file_scan *scan;
    ia_array **cols; /* of one batch */
} file_stream;

static ia_status stream_next(ia_ctx *cx, ia_stream *s, ia_batch **out)
{
    file_stream *fs = s->self;
    uint64_t rows = 0;

    *out = NULL;
    IA_TRY(ia_file_scan_next(cx, fs->scan, fs->cols, &rows));
    return rows ? ia_batch_make(cx, s->schema, (int64_t)rows, fs->cols, out) : IA_OK;
}

static void stream_close(ia_stream *s)
{
    file_stream *fs = s->self;

    ia_file_scan_close(fs->scan);
    ia_projection_dispose(&fs->proj);
    ia_free(fs->cols);
    shared_release(fs->shared);
    ia_free(fs);
}

static ia_status range_of(ia_ctx *cx, const shared_file *s, const inarch_file_scan_options *opt,
                          uint64_t *begin, uint64_t *end)
{
    const uint64_t rows = ia_file_rows(s->file);

    *begin = opt->begin;
    *end = opt->end ? opt->end : rows;
    if (*begin <= *end && *end <= rows)
        return IA_OK;
    return ia_fail(cx, IA_ERR_INVALID, "file %s has %llu rows; rows %llu to %llu are asked for",
                   s->path, (unsigned long long)rows, (unsigned long long)*begin,
                   (unsigned long long)*end);
}

static ia_status open_stream(ia_ctx *cx, shared_file *shared, const inarch_file_scan_options *opt,
                             ia_stream *out)
{
    file_stream *fs;
    uint64_t begin, end;

    *out = (ia_stream){0};
    IA_TRY(range_of(cx, shared, opt, &begin, &end));
    IA_TRY(IA_NEW(cx, fs));
    fs->shared = shared_retain(shared);
    *out = (ia_stream){.next = stream_next, .close = stream_close, .self = fs};
    IA_TRY(ia_projection_of(cx, shared->file, shared->schema, opt->columns, opt->n_columns,
                            &fs->proj));
    IA_TRY(IA_NEW_ARRAY(cx, fs->cols, fs->proj.n + 1));
    out->schema = ia_schema_retain(fs->proj.schema);
    IA_TRY(ia_file_scan_open(cx, shared->file, fs->proj.cols, fs->proj.n, begin, end,
                             opt->batch_rows, &fs->scan));
    return ia_file_scan_threads(cx, fs->scan, opt->threads);
}

static inarch_status check_scan_options(const inarch_file_scan_options *opt)
{
    if (opt && opt->struct_size != sizeof *opt)
        return api_invalid("inarch_file_scan_options: struct_size is not that of this library "
                           "version");
    return INARCH_OK;
}

inarch_status inarch_file_scan(inarch_file *f, const inarch_file_scan_options *opt,
                               struct ArrowArrayStream *out)
{
    const inarch_file_scan_options def = INARCH_FILE_SCAN_OPTIONS_INIT;
    api_call c;
    ia_stream s = {0};
    ia_status st;

    if (!f || !out)
        return api_invalid("inarch_file_scan: file and out are required");
    *out = (struct ArrowArrayStream){0};
    if ((st = check_scan_options(opt)) != IA_OK)
        return st;
    if ((st = api_begin(&c, &f->set, f->budget)) != IA_OK)
        goto done;
    IA_GO(open_stream(&c.cx, f->shared, opt ? opt : &def, &s));
    IA_GO(ia_export_stream(&c.cx, &s, out));
done:
    ia_stream_dispose(&s);
    return api_end(&c, st);
}

/* ---- take ----------------------------------------------------------------------------------- */

/* Rows to take: as asked, and as the file layer wants them (ascending, without repeats). */
typedef struct take_plan {
    uint32_t *offsets;
    size_t n;
    int64_t *place; /* of each asked row among the offsets; NULL = as they are */
} take_plan;

static int order_u32(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static int64_t find_u32(const uint32_t *v, size_t n, uint32_t x)
{
    size_t lo = 0;

    while (n > 1) { /* v[lo + n) holds x */
        const size_t half = n / 2;

        if (v[lo + half] <= x)
            lo += half;
        n -= half;
    }
    return (int64_t)lo;
}

static ia_status plan_take(ia_ctx *cx, const shared_file *s, const uint64_t *rows, size_t n,
                           take_plan *p)
{
    const uint64_t limit = ia_file_rows(s->file);
    bool ascending = true;

    IA_TRY(IA_NEW_ARRAY(cx, p->offsets, n + 1));
    for (size_t i = 0; i < n; i++) {
        if (rows[i] >= limit)
            return ia_fail(cx, IA_ERR_INVALID, "file %s has %llu rows; row %llu is asked for",
                           s->path, (unsigned long long)limit, (unsigned long long)rows[i]);
        if (rows[i] > UINT32_MAX)
            return ia_fail(cx, IA_ERR_UNSUPPORTED,
                           "file %s: rows from %llu on are only reached by a scan", s->path,
                           (unsigned long long)UINT32_MAX + 1);
        p->offsets[i] = (uint32_t)rows[i];
        ascending = ascending && (!i || rows[i] > rows[i - 1]);
    }
    p->n = n;
    if (ascending)
        return IA_OK;
    qsort(p->offsets, n, sizeof *p->offsets, order_u32);
    p->n = 1;
    for (size_t i = 1; i < n; i++)
        if (p->offsets[i] != p->offsets[p->n - 1])
            p->offsets[p->n++] = p->offsets[i];
    IA_TRY(IA_NEW_ARRAY(cx, p->place, n));
    for (size_t i = 0; i < n; i++)
        p->place[i] = find_u32(p->offsets, p->n, (uint32_t)rows[i]);
    return IA_OK;
}

/* Makes batches of the parts; moves their columns. */
static ia_status add_parts(ia_ctx *cx, const ia_projection *proj, ia_array **cols,
                           const size_t *sizes, size_t parts, api_rows *out)
{
    IA_TRY(IA_GROW(cx, out->batches, out->cap, parts));
    for (size_t p = 0; p < parts; p++) {
        ia_status st = ia_batch_make(cx, proj->schema, (int64_t)sizes[p], cols + p * proj->n,
                                     &out->batches[out->n]);

        memset(cols + p * proj->n, 0, proj->n * sizeof *cols); /* taken over in any case */
        if (st != IA_OK)
            return st;
        out->n++;
        out->rows += sizes[p];
    }
    return IA_OK;
}

/* The one batch of out with its rows at their places. */
static ia_status place_rows(ia_ctx *cx, const int64_t *place, size_t n, api_rows *out)
{
    ia_batch *placed = NULL;

    IA_TRY(ia_take_batch(cx, out->batches[0], place, (int64_t)n, &placed));
    ia_batch_release(out->batches[0]);
    out->batches[0] = placed;
    out->rows = n;
    return IA_OK;
}

/* Rows in another order than the file's come in one batch, so that they can be put there. */
static ia_status take_rows(ia_ctx *cx, shared_file *s, const uint64_t *rows, size_t n,
                           const inarch_file_scan_options *opt, api_rows *out)
{
    take_plan plan = {0};
    ia_projection proj = {0};
    ia_array **cols = NULL;
    size_t sizes[IA_TAKE_PARTS], parts = 0;
    ia_status st;

    IA_GO(plan_take(cx, s, rows, n, &plan));
    IA_GO(ia_projection_of(cx, s->file, s->schema, opt->columns, opt->n_columns, &proj));
    IA_GO(IA_NEW_ARRAY(cx, cols, IA_TAKE_PARTS * proj.n + 1));
    IA_GO(ia_file_take_parts(cx, s->file, proj.cols, proj.n, plan.offsets, plan.n,
                             plan.place ? 1 : opt->threads, cols, sizes, &parts));
    out->schema = ia_schema_retain(proj.schema);
    IA_GO(add_parts(cx, &proj, cols, sizes, parts, out));
    if (plan.place)
        IA_GO(place_rows(cx, plan.place, n, out));
done:
    for (size_t i = 0; cols && i < parts * proj.n; i++)
        ia_array_release(cols[i]);
    ia_free(cols);
    ia_projection_dispose(&proj);
    ia_free(plan.offsets);
    ia_free(plan.place);
    return st;
}

inarch_status inarch_file_take(inarch_file *f, const uint64_t *rows, size_t n,
                               const inarch_file_scan_options *opt, struct ArrowArrayStream *out)
{
    const inarch_file_scan_options def = INARCH_FILE_SCAN_OPTIONS_INIT;
    api_call c;
    api_rows all = {0};
    ia_stream s = {0};
    ia_status st;

    if (!f || !out || (n && !rows))
        return api_invalid("inarch_file_take: file, rows and out are required");
    *out = (struct ArrowArrayStream){0};
    if ((st = check_scan_options(opt)) != IA_OK)
        return st;
    if ((st = api_begin(&c, &f->set, f->budget)) != IA_OK)
        goto done;
    IA_GO(take_rows(&c.cx, f->shared, rows, n, opt ? opt : &def, &all));
    IA_GO(api_rows_stream(&c.cx, &all, &s));
    IA_GO(ia_export_stream(&c.cx, &s, out));
done:
    ia_stream_dispose(&s);
    api_rows_dispose(&all);
    return api_end(&c, st);
}

inarch_status inarch_file_read_blob(inarch_file *f, uint64_t position, uint64_t size, void *out)
{
    api_call c;
    ia_status st;

    if (!f || (size && !out))
        return api_invalid("inarch_file_read_blob: file and out are required");
    if ((st = api_begin(&c, &f->set, f->budget)) == IA_OK)
        st = ia_file_read_blob(&c.cx, f->shared->file, position, size, out);
    return api_end(&c, st);
}

inarch_status inarch_file_describe(inarch_file *f, const inarch_file_describe_options *opt,
                                   char **out)
{
    const inarch_file_describe_options def = INARCH_FILE_DESCRIBE_OPTIONS_INIT;
    api_call c;
    ia_filedesc d = {0};
    ia_bytes text = {0};
    ia_status st;

    if (!f || !out)
        return api_invalid("inarch_file_describe: file and out are required");
    *out = NULL;
    if (opt && opt->struct_size != sizeof *opt)
        return api_invalid("inarch_file_describe_options: struct_size is not that of this library "
                           "version");
    if (!opt)
        opt = &def;
    if ((st = api_begin(&c, &f->set, f->budget)) != IA_OK)
        goto done;
    IA_GO(ia_filedesc_read(&c.cx, f->shared->file, f->shared->schema, opt->measure, &d));
    if (opt->text)
        IA_GO(ia_filedesc_text(&c.cx, &d, opt->pages, &text));
    else
        IA_GO(ia_filedesc_json(&c.cx, &d, &text));
    st = IA_SET(&c.cx, *out, ia_strndup(&c.cx, (const char *)text.data, text.len));
done:
    ia_bytes_dispose(&text);
    ia_filedesc_dispose(&d);
    return api_end(&c, st);
}

/* ---- verify --------------------------------------------------------------------------------- */

inarch_status inarch_file_verify(inarch_file *f, uint64_t *rows)
{
    uint64_t n = 0;
    api_call c;
    ia_status st;

    if (!f)
        return api_invalid("inarch_file_verify: the file is required");
    if ((st = api_begin(&c, &f->set, f->budget)) == IA_OK)
        st = ia_file_check(&c.cx, f->shared->file, f->shared->schema, &n);
    if (rows)
        *rows = n;
    return api_end(&c, st);
}

/* ---- write ---------------------------------------------------------------------------------- */

static ia_status write_stream(ia_ctx *cx, ia_objstore *os, const char *path, ia_stream *s,
                              const ia_file_writer_options *opt, uint32_t put_flags,
                              ia_file_info *info)
{
    ia_lschema ls = {0};
    ia_file_writer *w = NULL;
    ia_batch *b = NULL;
    uint64_t rows = 0;
    ia_status st;

    IA_GO(ia_lschema_from_arrow(cx, s->schema, 0, &ls));
    IA_GO(ia_file_writer_open(cx, os, path, s->schema, &ls, opt, &w));
    for (;;) {
        IA_GO(ia_stream_next(cx, s, &b));
        if (!b)
            break;
        IA_GO(ia_file_writer_write(cx, w, b));
        rows += (uint64_t)b->rows;
        ia_batch_release(b);
        b = NULL;
        IA_GO(ia_check(cx, rows, 0));
    }
    IA_GO(ia_file_writer_finish(cx, w, put_flags, info));
done:
    ia_batch_release(b);
    ia_file_writer_close(w);
    ia_lschema_dispose(&ls);
    return st;
}

static ia_status write_file(ia_ctx *cx, const char *user_path, struct ArrowArrayStream *data,
                            const ia_file_writer_options *opt, uint32_t put_flags,
                            ia_file_info *info)
{
    ia_objstore *os = NULL;
    ia_stream s = {0};
    char *path = NULL;
    ia_status st;

    IA_GO(ia_import_stream(cx, data, &s));
    IA_GO(ia_path_absolute(cx, user_path, &path));
    IA_GO(ia_objstore_local(cx, &os));
    if (ia_objstore_exists(cx, os, path))
        IA_GO(
            ia_fail(cx, IA_ERR_EXISTS, "file %s is already there; files are never replaced", path));
    IA_GO(write_stream(cx, os, path, &s, opt, put_flags, info));
done:
    ia_stream_dispose(&s);
    ia_objstore_close(os);
    ia_free(path);
    return st;
}

static ia_status writer_options(ia_ctx *cx, const inarch_file_write_options *o,
                                ia_file_writer_options *out)
{
    static const char *const encodings[] = {"miniblock",  "fullzip", "flat", "bitpack",  "rle",
                                            "dictionary", "fsst",    "bss",  "variable", NULL};
    static const char *const compressions[] = {"none", "lz4", "zstd", NULL};
    size_t i = 0, k = 0;

    if (o->minor > 2)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "files are written in format 2.1 or 2.2, not 2.%u",
                       (unsigned)o->minor);
    while (o->encoding && encodings[i] && !ia_str_eq(encodings[i], o->encoding))
        i++;
    while (o->compression && compressions[k] && !ia_str_eq(compressions[k], o->compression))
        k++;
    if (!encodings[i])
        return ia_fail(cx, IA_ERR_INVALID,
                       "unknown encoding '%s': use miniblock, fullzip, flat, bitpack, rle, "
                       "dictionary, fsst, bss or variable",
                       o->encoding);
    if (!compressions[k])
        return ia_fail(cx, IA_ERR_INVALID, "unknown compression '%s': use none, lz4 or zstd",
                       o->compression);
    *out = (ia_file_writer_options){.minor = o->minor,
                                    .page_bytes = o->page_bytes,
                                    .chunk_bytes = o->chunk_bytes,
                                    .encoding = o->encoding,
                                    .compression = o->compression,
                                    .compression_level = o->compression_level,
                                    .threads = o->threads};
    return IA_OK;
}

inarch_status inarch_file_write(const char *path, struct ArrowArrayStream *data,
                                const inarch_file_write_options *opt, const inarch_options *iopt,
                                inarch_file_written *out)
{
    const inarch_file_write_options def = INARCH_FILE_WRITE_OPTIONS_INIT;
    ia_file_writer_options wopt;
    ia_file_info info = {0};
    api_settings set;
    api_call c;
    ia_status st;

    if (out)
        *out = (inarch_file_written){0};
    if (!path || !data)
        return api_invalid("inarch_file_write: path and data are required");
    if (opt && opt->struct_size != sizeof *opt)
        st = api_invalid("inarch_file_write_options: struct_size is not that of this library "
                         "version");
    else
        st = api_settings_read(&set, iopt);
    if (st != IA_OK) {
        if (data->release)
            data->release(data);
        return st;
    }
    if ((st = api_begin(&c, &set, NULL)) != IA_OK)
        goto done;
    IA_GO(writer_options(&c.cx, opt ? opt : &def, &wopt));
    IA_GO(write_file(&c.cx, path, data, &wopt, set.durability == IA_FULL ? IA_PUT_SYNC : 0, &info));
    if (out)
        *out = (inarch_file_written){info.rows, info.size, info.columns};
done:
    if (data->release)
        data->release(data);
    return api_end(&c, st);
}
