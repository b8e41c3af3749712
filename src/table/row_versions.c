/* row_versions.c - runs of row versions: created at, last updated at. */
#include "table/table_priv.h"

void ia_versions_dispose(ia_versions *v)
{
    ia_free(v->runs);
    memset(v, 0, sizeof *v);
}

ia_status ia_versions_copy(ia_ctx *cx, const ia_versions *in, ia_versions *out)
{
    memset(out, 0, sizeof *out);
    if (in->n_runs == 0)
        return IA_OK;
    size_t cap = 1; /* append() counts on a power of two */
    while (cap < in->n_runs)
        cap *= 2;
    IA_TRY(IA_NEW_ARRAY(cx, out->runs, cap));
    memcpy(out->runs, in->runs, in->n_runs * sizeof *in->runs);
    out->n_runs = in->n_runs;
    return IA_OK;
}

ia_status ia_versions_uniform(ia_ctx *cx, uint64_t version, uint64_t n, ia_versions *out)
{
    memset(out, 0, sizeof *out);
    return ia_versions_append(cx, out, version, n);
}

ia_status ia_versions_append(ia_ctx *cx, ia_versions *v, uint64_t version, uint64_t n)
{
    if (n == 0)
        return IA_OK;
    if (v->n_runs && v->runs[v->n_runs - 1].version == version) {
        v->runs[v->n_runs - 1].count += n;
        return IA_OK;
    }
    /* capacity is the next power of two of n_runs: grow when n_runs is one */
    if ((v->n_runs & (v->n_runs - 1)) == 0) {
        const size_t cap = v->n_runs ? 2 * v->n_runs : 1;
        ia_verrun *grown = ia_realloc(cx, v->runs, cap * sizeof *grown);
        if (!grown)
            return cx->err.code;
        v->runs = grown;
    }
    v->runs[v->n_runs++] = (ia_verrun){n, version};
    return IA_OK;
}

uint64_t ia_versions_get(const ia_versions *v, uint64_t offset, uint64_t missing)
{
    for (size_t i = 0; i < v->n_runs; i++) {
        if (offset < v->runs[i].count)
            return v->runs[i].version;
        offset -= v->runs[i].count;
    }
    return missing;
}

void ia_versions_slice(const ia_versions *v, uint64_t from, uint64_t n, uint64_t missing,
                       uint64_t *out)
{
    uint64_t k = 0;
    for (size_t i = 0; i < v->n_runs && k < n; i++) {
        if (from >= v->runs[i].count) {
            from -= v->runs[i].count;
            continue;
        }
        for (uint64_t left = v->runs[i].count - from; left > 0 && k < n; left--)
            out[k++] = v->runs[i].version;
        from = 0;
    }
    while (k < n)
        out[k++] = missing;
}

void ia_versions_pick(const ia_versions *v, const uint32_t *offsets, size_t n, uint64_t missing,
                      uint64_t *out)
{
    uint64_t begin = 0;
    size_t run = 0;
    for (size_t k = 0; k < n; k++) {
        while (run < v->n_runs && offsets[k] - begin >= v->runs[run].count)
            begin += v->runs[run++].count;
        out[k] = run < v->n_runs ? v->runs[run].version : missing;
    }
}

uint64_t ia_versions_count(const ia_versions *v)
{
    uint64_t n = 0;
    for (size_t i = 0; i < v->n_runs; i++)
        n += v->runs[i].count;
    return n;
}

static ia_status decode_run(ia_ctx *cx, ia_wire *w, ia_versions *v)
{
    ia_wire sub;
    uint64_t version = 0, count = 0;
    ia_wire_sub(w, &sub);
    while (ia_wire_next(&sub)) {
        if (sub.number == 1) {
            const ia_view span = ia_wire_view(&sub);
            ia_segment s;
            IA_TRY(ia_segment_decode(cx, (const uint8_t *)span.data, span.len, &s));
            count = s.count; /* only the cardinality matters (6.6) */
            ia_segment_dispose(&s);
        } else if (sub.number == 2) {
            version = ia_wire_u64(&sub);
        }
    }
    IA_TRY(ia_wire_done(cx, &sub, "row-version run"));
    return ia_versions_append(cx, v, version, count);
}

ia_status ia_versions_decode(ia_ctx *cx, const uint8_t *p, size_t n, ia_versions *out)
{
    ia_versions v = {0};
    ia_wire w;
    ia_status st = IA_OK;
    uint64_t rows = 0;

    memset(out, 0, sizeof *out);
    ia_wire_init(&w, p, n);
    while (ia_wire_next(&w)) {
        if (w.number == 1)
            IA_GO(decode_run(cx, &w, &v));
    }
    IA_GO(ia_wire_done(cx, &w, "row-version sequence"));
    for (size_t i = 0; i < v.n_runs; i++) {
        if (!ia_add_u64(&rows, rows, v.runs[i].count))
            IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "row-version sequence: too many rows"));
    }
    *out = v;
    memset(&v, 0, sizeof v);
done:
    ia_versions_dispose(&v);
    return st;
}

ia_status ia_versions_encode(ia_ctx *cx, const ia_versions *v, ia_bytes *out)
{
    ia_buf b = {0};
    ia_status st;
    uint64_t pos = 0;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < v->n_runs; i++) {
        const ia_segment s = {
            .start = pos, .end = pos + v->runs[i].count, .count = v->runs[i].count};
        const size_t run = ia_wire_begin(cx, &b, 1);
        const size_t span = ia_wire_begin(cx, &b, 1);
        ia_segment_encode(cx, &b, &s);
        ia_wire_end(cx, &b, span);
        ia_wire_put_u64(cx, &b, 2, v->runs[i].version);
        ia_wire_end(cx, &b, run);
        pos += v->runs[i].count;
    }
    st = ia_buf_finish(&b, out);
    ia_buf_dispose(&b);
    return st;
}
