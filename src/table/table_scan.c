/* table_scan.c - scans: filter columns first, the others only for rows that pass. */
/* Without a filter a fragment's columns are read in order and deleted rows dropped. With one, the
 * filter's columns are read in order; offsets that pass are gathered until a batch is full, then
 * the remaining columns are fetched for them: by take when they are sparse, else by reading on in
 * order. */
#include "arrow/compute.h"
#include "table/colscan.h"

#define BATCH_ROWS 8192u
#define BATCH_BYTES (8u << 20)
#define SPARSE 4u       /* take when fewer than one row in SPARSE of the span passed */
#define MAX_SKIP 65536u /* rows passed over rather than reopening */

typedef struct scan {
    ia_dataset *ds; /* retained */
    ia_columns out_cols, filter_cols, rest_cols;
    size_t *from_filter; /* per out column: index in filter_cols, or SIZE_MAX */
    size_t *from_rest;   /* per out column: index in rest_cols, or SIZE_MAX */
    ia_schema *schema, *filter_schema;
    ia_arena arena;        /* holds the bound filter */
    const ia_expr *filter; /* bound; NULL = none */
    uint64_t *fragments;   /* ids to visit; NULL = all */
    size_t n_fragments, next_wanted, next_fragment;
    bool with_deleted, limited;
    uint64_t left; /* rows still allowed when limited */
    uint32_t batch_rows;
    const ia_fragment *frag; /* current; borrowed from ds->m */
    const ia_bitmap *dv;     /* of frag; NULL = none or with_deleted */
    ia_colscan main;         /* filter columns, or all when there is no filter */
    ia_colscan rest;
    uint32_t *offsets; /* passed, not yet emitted; batch_rows */
    size_t n_offsets;
    ia_array ***kept; /* per gathered part: filter_cols.n arrays of rows that passed */
    size_t n_kept, cap_kept;
    ia_array **held; /* filter batch that did not fit, with its selection */
    int64_t *held_idx;
    int64_t held_n;
    uint64_t held_from;
} scan;

static void release_all(ia_array **a, size_t n)
{
    for (size_t i = 0; a && i < n; i++) {
        ia_array_release(a[i]);
        a[i] = NULL;
    }
}

static void drop_kept(scan *s)
{
    for (size_t i = 0; i < s->n_kept; i++) {
        release_all(s->kept[i], s->filter_cols.n);
        ia_free(s->kept[i]);
    }
    s->n_kept = 0;
    s->n_offsets = 0;
}

static void scan_free(scan *s)
{
    if (!s)
        return;
    drop_kept(s);
    ia_free(s->kept);
    release_all(s->held, s->filter_cols.n);
    ia_free(s->held);
    ia_free(s->held_idx);
    ia_colscan_close(&s->main);
    ia_colscan_close(&s->rest);
    ia_columns_dispose(&s->out_cols);
    ia_columns_dispose(&s->filter_cols);
    ia_columns_dispose(&s->rest_cols);
    ia_schema_release(s->schema);
    ia_schema_release(s->filter_schema);
    ia_arena_dispose(&s->arena);
    ia_free(s->from_filter);
    ia_free(s->from_rest);
    ia_free(s->fragments);
    ia_free(s->offsets);
    ia_dataset_release(s->ds);
    ia_free(s);
}

/* ---- opening --------------------------------------------------------------------------------- */

static const char *const no_columns[1];

static const char *column_name(const ia_schema *s, size_t i)
{
    return s->fields[i].name;
}

static ia_status split_columns(ia_ctx *cx, scan *s, const ia_expr *filter)
{
    ia_strlist names = {0};
    const char **rest = NULL;
    size_t n_rest = 0;
    ia_expr *bound;
    ia_status st;

    IA_GO(ia_expr_columns(cx, filter, &names));
    IA_GO(ia_columns_resolve(cx, s->ds, names.n ? (const char *const *)names.items : no_columns,
                             names.n, &s->filter_cols));
    IA_GO(ia_columns_schema(cx, &s->filter_cols, &s->filter_schema));
    IA_GO(ia_expr_bind(cx, &s->arena, filter, s->filter_schema, &bound));
    s->filter = bound;
    IA_GO(IA_NEW_ARRAY(cx, rest, s->out_cols.n + 1));
    IA_GO(IA_NEW_ARRAY(cx, s->from_filter, s->out_cols.n));
    IA_GO(IA_NEW_ARRAY(cx, s->from_rest, s->out_cols.n));
    for (size_t i = 0; i < s->out_cols.n; i++) {
        const int at = ia_schema_find(s->filter_schema, column_name(s->schema, i));
        s->from_filter[i] = at >= 0 ? (size_t)at : SIZE_MAX;
        s->from_rest[i] = at >= 0 ? SIZE_MAX : n_rest;
        if (at < 0)
            rest[n_rest++] = column_name(s->schema, i);
    }
    IA_GO(ia_columns_resolve(cx, s->ds, rest, n_rest, &s->rest_cols));
done:
    ia_free(rest);
    ia_strlist_dispose(&names);
    return st;
}

/* Rows of a batch: as asked, fewer when the columns are wide. */
static uint32_t batch_limit(const scan *s, uint32_t asked)
{
    uint64_t bytes = 1;
    uint32_t rows = asked ? asked : BATCH_ROWS;
    for (size_t i = 0; i < s->schema->n_fields; i++) {
        const uint32_t bits = ia_type_bits(s->schema->fields[i].type);
        bytes += bits ? bits / 8 : 32;
    }
    if (rows > BATCH_BYTES / bytes)
        rows = (uint32_t)(BATCH_BYTES / bytes);
    return rows ? rows : 1;
}

static ia_status scan_init(ia_ctx *cx, scan *s, const ia_scan_options *opt)
{
    IA_TRY(ia_columns_resolve(cx, s->ds, opt->columns, opt->n_columns, &s->out_cols));
    IA_TRY(ia_columns_schema(cx, &s->out_cols, &s->schema));
    if (opt->filter)
        IA_TRY(split_columns(cx, s, opt->filter));
    if (opt->fragments) {
        IA_TRY(IA_NEW_ARRAY(cx, s->fragments, opt->n_fragments));
        if (opt->n_fragments)
            memcpy(s->fragments, opt->fragments, opt->n_fragments * sizeof *s->fragments);
        s->n_fragments = opt->n_fragments;
    }
    s->with_deleted = opt->with_deleted;
    s->limited = opt->limit > 0;
    s->left = opt->limit;
    s->batch_rows = batch_limit(s, opt->batch_rows);
    return IA_NEW_ARRAY(cx, s->offsets, s->batch_rows);
}

/* ---- moving over fragments --------------------------------------------------------------------
 */

static bool wanted(scan *s, uint64_t id)
{
    if (!s->fragments)
        return true;
    while (s->next_wanted < s->n_fragments && s->fragments[s->next_wanted] < id)
        s->next_wanted++;
    return s->next_wanted < s->n_fragments && s->fragments[s->next_wanted] == id;
}

/* Opens the next fragment to visit; s->frag NULL at the end. */
static ia_status next_fragment(ia_ctx *cx, scan *s)
{
    const ia_manifest *m = s->ds->m;
    const ia_columns *c = s->filter ? &s->filter_cols : &s->out_cols;
    ia_colscan_close(&s->main);
    ia_colscan_close(&s->rest);
    s->frag = NULL;
    s->dv = NULL;
    while (s->next_fragment < m->n_fragments && !wanted(s, m->fragments[s->next_fragment].id))
        s->next_fragment++;
    if (s->next_fragment == m->n_fragments)
        return IA_OK;
    s->frag = &m->fragments[s->next_fragment++];
    if (!s->with_deleted)
        IA_TRY(ia_dataset_deletions(cx, s->ds, s->frag, &s->dv));
    return ia_colscan_open(cx, s->ds, s->frag, c, 0, s->frag->physical_rows, s->batch_rows,
                           &s->main);
}

static ia_status emit(ia_ctx *cx, scan *s, ia_array **cols, int64_t rows, ia_batch **out)
{
    ia_batch *b;
    IA_TRY(ia_batch_make(cx, s->schema, rows, cols, &b));
    if (s->limited && (uint64_t)rows > s->left) {
        const ia_status st = ia_batch_slice(cx, b, 0, (int64_t)s->left, out);
        ia_batch_release(b);
        s->left = 0;
        return st;
    }
    s->left -= s->limited ? (uint64_t)rows : 0;
    *out = b;
    return IA_OK;
}

/* ---- without a filter -------------------------------------------------------------------------
 */

/* Positions of live rows among [from, from + n); *idx NULL when all are. */
static ia_status live_rows(ia_ctx *cx, const ia_bitmap *dv, uint64_t from, uint64_t n,
                           int64_t **idx, int64_t *n_idx)
{
    uint32_t dead[256];
    uint64_t at = from;
    size_t got = 0, k = 0;
    int64_t *live;

    *idx = NULL;
    *n_idx = (int64_t)n;
    if (!dv || ia_bitmap_next(dv, from, dead, 1) == 0 || dead[0] >= from + n)
        return IA_OK;
    IA_TRY(IA_NEW_ARRAY(cx, live, (size_t)n));
    *n_idx = 0;
    for (uint64_t r = from; r < from + n; r++) {
        if (k == got && at != UINT64_MAX) {
            got = ia_bitmap_next(dv, at, dead, 256);
            k = 0;
            at = got ? (uint64_t)dead[got - 1] + 1 : UINT64_MAX;
        }
        if (k < got && dead[k] == r)
            k++;
        else
            live[(*n_idx)++] = (int64_t)(r - from);
    }
    *idx = live;
    return IA_OK;
}

static ia_status select_columns(ia_ctx *cx, ia_array **cols, size_t n, const int64_t *idx,
                                int64_t n_idx)
{
    for (size_t i = 0; i < n; i++) {
        ia_array *taken;
        IA_TRY(ia_take_array(cx, cols[i], idx, n_idx, &taken));
        ia_array_release(cols[i]);
        cols[i] = taken;
    }
    return IA_OK;
}

static ia_status plain_batch(ia_ctx *cx, scan *s, ia_batch **out)
{
    ia_array **cols = NULL;
    int64_t *idx = NULL, n = 0;
    uint64_t rows;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, cols, s->out_cols.n));
    IA_GO(ia_colscan_next(cx, &s->main, s->batch_rows, cols, &rows));
    if (rows == 0) {
        IA_GO(next_fragment(cx, s));
        goto done;
    }
    IA_GO(live_rows(cx, s->dv, s->main.pos - rows, rows, &idx, &n));
    if (idx)
        IA_GO(select_columns(cx, cols, s->out_cols.n, idx, n));
    if (n > 0) {
        st = emit(cx, s, cols, n, out);
        memset(cols, 0, s->out_cols.n * sizeof *cols);
    }
done:
    release_all(cols, s->out_cols.n);
    ia_free(cols);
    ia_free(idx);
    return st;
}

/* ---- with a filter ----------------------------------------------------------------------------
 */

/* Whether the remaining columns are better fetched row by row. */
static bool sparse(const scan *s)
{
    const uint64_t span = (uint64_t)s->offsets[s->n_offsets - 1] - s->offsets[0] + 1;
    return s->n_offsets * (uint64_t)SPARSE < span || s->n_offsets < 16;
}

static ia_status read_in_order(ia_ctx *cx, scan *s, ia_array **out)
{
    const uint64_t first = s->offsets[0], end = (uint64_t)s->offsets[s->n_offsets - 1] + 1;
    int64_t *idx = NULL;
    ia_array ***chunks = NULL, **parts = NULL;
    size_t n_chunks = 0, cap = 0;
    ia_status st;

    if (!s->rest.open || s->rest.pos > first || first - s->rest.pos > MAX_SKIP) {
        ia_colscan_close(&s->rest);
        IA_GO(ia_colscan_open(cx, s->ds, s->frag, &s->rest_cols, first, s->frag->physical_rows,
                              s->batch_rows, &s->rest));
    }
    IA_GO(ia_colscan_skip(cx, &s->rest, first - s->rest.pos));
    while (s->rest.pos < end) {
        uint64_t rows;
        IA_GO(IA_GROW(cx, chunks, cap, n_chunks + 1));
        IA_GO(IA_NEW_ARRAY(cx, chunks[n_chunks], s->rest_cols.n));
        n_chunks++;
        IA_GO(ia_colscan_next(cx, &s->rest, end - s->rest.pos, chunks[n_chunks - 1], &rows));
    }
    IA_GO(IA_NEW_ARRAY(cx, idx, s->n_offsets));
    IA_GO(IA_NEW_ARRAY(cx, parts, n_chunks));
    for (size_t i = 0; i < s->n_offsets; i++)
        idx[i] = (int64_t)(s->offsets[i] - first);
    for (size_t k = 0; k < s->rest_cols.n; k++) {
        ia_array *joined;
        for (size_t i = 0; i < n_chunks; i++)
            parts[i] = chunks[i][k];
        IA_GO(ia_concat_arrays(cx, parts, n_chunks, &joined));
        st = ia_take_array(cx, joined, idx, (int64_t)s->n_offsets, &out[k]);
        ia_array_release(joined);
        IA_GO(st);
    }
done:
    for (size_t i = 0; i < n_chunks; i++) {
        release_all(chunks[i], s->rest_cols.n);
        ia_free(chunks[i]);
    }
    ia_free(chunks);
    ia_free(parts);
    ia_free(idx);
    return st;
}

static ia_status fetch_rest(ia_ctx *cx, scan *s, ia_array **out)
{
    ia_fragcols fc;
    ia_status st;
    if (s->rest_cols.n == 0)
        return IA_OK;
    if (!sparse(s))
        return read_in_order(cx, s, out);
    IA_TRY(ia_fragcols_open(cx, s->ds, s->frag, &s->rest_cols, &fc));
    st = ia_fragcols_take(cx, s->ds, &fc, s->offsets, s->n_offsets, out);
    ia_fragcols_close(s->ds, &fc);
    return st;
}

static ia_status join_kept(ia_ctx *cx, const scan *s, size_t col, ia_array **parts, ia_array **out)
{
    for (size_t i = 0; i < s->n_kept; i++)
        parts[i] = s->kept[i][col];
    return ia_concat_arrays(cx, parts, s->n_kept, out);
}

/* Emits what was gathered. */
static ia_status flush(ia_ctx *cx, scan *s, ia_batch **out)
{
    ia_array **rest = NULL, **cols = NULL, **parts = NULL;
    const size_t n = s->out_cols.n;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, rest, s->rest_cols.n));
    IA_GO(IA_NEW_ARRAY(cx, cols, n));
    IA_GO(IA_NEW_ARRAY(cx, parts, s->n_kept));
    if (s->limited && s->n_offsets > s->left)
        s->n_offsets = (size_t)s->left;
    IA_GO(fetch_rest(cx, s, rest));
    for (size_t i = 0; i < n; i++) {
        if (s->from_filter[i] == SIZE_MAX) {
            cols[i] = ia_array_retain(rest[s->from_rest[i]]);
        } else {
            IA_GO(join_kept(cx, s, s->from_filter[i], parts, &cols[i]));
            if (cols[i]->length > (int64_t)s->n_offsets) {
                ia_array *cut;
                IA_GO(ia_array_slice(cx, cols[i], 0, (int64_t)s->n_offsets, &cut));
                ia_array_release(cols[i]);
                cols[i] = cut;
            }
        }
    }
    st = emit(cx, s, cols, (int64_t)s->n_offsets, out);
    memset(cols, 0, n * sizeof *cols);
    drop_kept(s);
done:
    release_all(rest, s->rest_cols.n);
    ia_free(rest);
    if (cols)
        release_all(cols, n);
    ia_free(cols);
    ia_free(parts);
    return st;
}

/* Drops positions of deleted rows. */
static int64_t drop_deleted(const ia_bitmap *dv, uint64_t from, int64_t *idx, int64_t n)
{
    int64_t k = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!dv || !ia_bitmap_has(dv, (uint32_t)(from + (uint64_t)idx[i])))
            idx[k++] = idx[i];
    }
    return k;
}

/* Reads the next filter batch and selects; s->held is set when rows passed. */
static ia_status hold_next(ia_ctx *cx, scan *s, bool *end)
{
    ia_array **cols = NULL, **given = NULL;
    ia_batch *b = NULL;
    uint64_t rows;
    ia_status st;

    *end = false;
    IA_GO(IA_NEW_ARRAY(cx, cols, s->filter_cols.n));
    IA_GO(IA_NEW_ARRAY(cx, given, s->filter_cols.n));
    IA_GO(ia_colscan_next(cx, &s->main, s->batch_rows, cols, &rows));
    *end = rows == 0;
    if (*end)
        goto done;
    for (size_t i = 0; i < s->filter_cols.n; i++)
        given[i] = ia_array_retain(cols[i]);
    IA_GO(ia_batch_make(cx, s->filter_schema, (int64_t)rows, given, &b));
    IA_GO(ia_expr_select(cx, s->filter, b, &s->held_idx, &s->held_n));
    s->held_from = s->main.pos - rows;
    s->held_n = drop_deleted(s->dv, s->held_from, s->held_idx, s->held_n);
    if (s->held_n == 0) {
        ia_free(s->held_idx);
        s->held_idx = NULL;
    } else {
        s->held = cols;
        cols = NULL;
    }
done:
    ia_batch_release(b);
    release_all(cols, s->filter_cols.n);
    ia_free(cols);
    ia_free(given);
    return st;
}

/* Moves the held selection into what is gathered. */
static ia_status gather(ia_ctx *cx, scan *s)
{
    IA_TRY(IA_GROW(cx, s->kept, s->cap_kept, s->n_kept + 1));
    IA_TRY(select_columns(cx, s->held, s->filter_cols.n, s->held_idx, s->held_n));
    for (int64_t i = 0; i < s->held_n; i++)
        s->offsets[s->n_offsets++] = (uint32_t)(s->held_from + (uint64_t)s->held_idx[i]);
    s->kept[s->n_kept++] = s->held;
    s->held = NULL;
    ia_free(s->held_idx);
    s->held_idx = NULL;
    s->held_n = 0;
    return IA_OK;
}

static ia_status filtered_batch(ia_ctx *cx, scan *s, ia_batch **out)
{
    bool end = false;
    if (!s->held)
        IA_TRY(hold_next(cx, s, &end));
    if (end) {
        if (s->n_offsets)
            return flush(cx, s, out);
        return next_fragment(cx, s);
    }
    if (!s->held)
        return IA_OK;
    if (s->n_offsets + (uint64_t)s->held_n > s->batch_rows)
        return flush(cx, s, out);
    IA_TRY(gather(cx, s));
    if (s->limited && s->n_offsets >= s->left)
        return flush(cx, s, out);
    return IA_OK;
}

/* ---- the stream -------------------------------------------------------------------------------
 */

static ia_status scan_next(ia_ctx *cx, ia_stream *stream, ia_batch **out)
{
    scan *s = stream->self;
    *out = NULL;
    while (!*out) {
        if (!s->frag || (s->limited && s->left == 0))
            return IA_OK;
        IA_TRY(ia_check(cx, s->next_fragment, s->ds->m->n_fragments));
        if (s->filter)
            IA_TRY(filtered_batch(cx, s, out));
        else
            IA_TRY(plain_batch(cx, s, out));
    }
    return IA_OK;
}

static void scan_close(ia_stream *stream)
{
    scan_free(stream->self);
    ia_schema_release(stream->schema);
    stream->self = NULL;
    stream->schema = NULL;
}

ia_status ia_dataset_scan(ia_ctx *cx, ia_dataset *ds, const ia_scan_options *opt, ia_stream *out)
{
    static const ia_scan_options none;
    scan *s = NULL;
    ia_status st;

    memset(out, 0, sizeof *out);
    IA_GO(IA_NEW(cx, s));
    s->ds = ia_dataset_retain(ds);
    IA_GO(scan_init(cx, s, opt ? opt : &none));
    IA_GO(next_fragment(cx, s));
    out->schema = ia_schema_retain(s->schema);
    out->next = scan_next;
    out->close = scan_close;
    out->self = s;
    s = NULL;
done:
    scan_free(s);
    return st;
}

static ia_status count_rows(ia_ctx *cx, void *arg, const ia_batch *b)
{
    (void)cx;
    *(uint64_t *)arg += (uint64_t)b->rows;
    return IA_OK;
}

ia_status ia_dataset_count(ia_ctx *cx, ia_dataset *ds, const ia_expr *filter, uint64_t *out)
{
    const ia_scan_options opt = {.columns = no_columns, .filter = filter};
    uint64_t n = 0;

    *out = 0;
    if (!filter) {
        *out = ia_manifest_live_rows(ds->m);
        return IA_OK;
    }
    IA_TRY(ia_scan_each(cx, ds, &opt, count_rows, &n));
    *out = n;
    return IA_OK;
}
