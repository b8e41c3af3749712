/* manifest.c - fragments and manifests in memory: copy, dispose, look up, compare. */
#include "table/table_priv.h"

#include <stdio.h>

void ia_datafile_dispose(ia_datafile *f)
{
    ia_free(f->path);
    ia_free(f->fields);
    ia_free(f->column_indices);
    ia_bytes_dispose(&f->extra);
    memset(f, 0, sizeof *f);
}

static ia_status copy_i32(ia_ctx *cx, const int32_t *in, size_t n, int32_t **out)
{
    *out = NULL;
    if (n == 0 || !in)
        return IA_OK;
    IA_TRY(IA_NEW_ARRAY(cx, *out, n));
    memcpy(*out, in, n * sizeof *in);
    return IA_OK;
}

ia_status ia_datafile_copy(ia_ctx *cx, const ia_datafile *in, ia_datafile *out)
{
    ia_datafile f = *in;
    ia_status st;
    memset(out, 0, sizeof *out);
    f.path = NULL;
    f.fields = f.column_indices = NULL;
    memset(&f.extra, 0, sizeof f.extra);
    IA_GO(IA_SET(cx, f.path, ia_strdup(cx, in->path)));
    IA_GO(copy_i32(cx, in->fields, in->n_fields, &f.fields));
    IA_GO(copy_i32(cx, in->column_indices, in->n_fields, &f.column_indices));
    if (in->extra.len)
        IA_GO(ia_bytes_copy(cx, in->extra.data, in->extra.len, &f.extra));
    *out = f;
    return IA_OK;
done:
    ia_datafile_dispose(&f);
    return st;
}

void ia_fragment_dispose(ia_fragment *f)
{
    for (size_t i = 0; i < f->n_files; i++)
        ia_datafile_dispose(&f->files[i]);
    ia_free(f->files);
    ia_rowids_dispose(&f->row_ids);
    ia_versions_dispose(&f->created);
    ia_versions_dispose(&f->updated);
    ia_bytes_dispose(&f->extra);
    memset(f, 0, sizeof *f);
}

ia_status ia_fragment_copy(ia_ctx *cx, const ia_fragment *in, ia_fragment *out)
{
    ia_fragment f = {0};
    ia_status st;
    memset(out, 0, sizeof *out);
    f.id = in->id;
    f.has_deletion = in->has_deletion;
    f.deletion = in->deletion;
    f.physical_rows = in->physical_rows;
    if (in->n_files)
        IA_GO(IA_NEW_ARRAY(cx, f.files, in->n_files));
    for (size_t i = 0; i < in->n_files; i++) {
        IA_GO(ia_datafile_copy(cx, &in->files[i], &f.files[i]));
        f.n_files = i + 1;
    }
    IA_GO(ia_rowids_copy(cx, &in->row_ids, &f.row_ids));
    IA_GO(ia_versions_copy(cx, &in->created, &f.created));
    IA_GO(ia_versions_copy(cx, &in->updated, &f.updated));
    if (in->extra.len)
        IA_GO(ia_bytes_copy(cx, in->extra.data, in->extra.len, &f.extra));
    *out = f;
    return IA_OK;
done:
    ia_fragment_dispose(&f);
    return st;
}

static bool same_file(const ia_datafile *a, const ia_datafile *b)
{
    if (a->n_fields != b->n_fields || !ia_str_eq(a->path, b->path))
        return false;
    for (size_t i = 0; i < a->n_fields; i++) {
        if (a->fields[i] != b->fields[i])
            return false;
        if ((a->column_indices ? a->column_indices[i] : 0) !=
            (b->column_indices ? b->column_indices[i] : 0))
            return false;
    }
    return true;
}

bool ia_fragment_same_files(const ia_fragment *a, const ia_fragment *b)
{
    if (a->n_files != b->n_files)
        return false;
    for (size_t i = 0; i < a->n_files; i++) {
        if (!same_file(&a->files[i], &b->files[i]))
            return false;
    }
    return true;
}

static bool same_base(bool ha, uint32_t a, bool hb, uint32_t b)
{
    return ha == hb && (!ha || a == b);
}

static bool rowids_equal(const ia_rowids *a, const ia_rowids *b)
{
    if (a->count != b->count || a->n_segs != b->n_segs)
        return false;
    for (size_t i = 0; i < a->n_segs; i++) {
        const ia_segment *x = &a->segs[i], *y = &b->segs[i];
        if (x->kind != y->kind || x->start != y->start || x->end != y->end ||
            x->n_values != y->n_values)
            return false;
        if (x->n_values && memcmp(x->values, y->values, x->n_values * sizeof *x->values) != 0)
            return false;
        if (x->bits && memcmp(x->bits, y->bits, (size_t)((x->end - x->start + 7) / 8)) != 0)
            return false;
    }
    return true;
}

static bool versions_equal(const ia_versions *a, const ia_versions *b)
{
    return a->n_runs == b->n_runs &&
           (a->n_runs == 0 || memcmp(a->runs, b->runs, a->n_runs * sizeof *a->runs) == 0);
}

bool ia_fragment_equal(const ia_fragment *a, const ia_fragment *b)
{
    if (!ia_fragment_same_files(a, b) || a->has_deletion != b->has_deletion ||
        a->physical_rows != b->physical_rows)
        return false;
    if (a->has_deletion) {
        const ia_delfile *x = &a->deletion, *y = &b->deletion;
        if (x->file_type != y->file_type || x->read_version != y->read_version || x->id != y->id ||
            x->num_deleted != y->num_deleted ||
            !same_base(x->has_base, x->base_id, y->has_base, y->base_id))
            return false;
    }
    for (size_t i = 0; i < a->n_files; i++) {
        if (!same_base(a->files[i].has_base, a->files[i].base_id, b->files[i].has_base,
                       b->files[i].base_id))
            return false;
    }
    return rowids_equal(&a->row_ids, &b->row_ids) && versions_equal(&a->created, &b->created) &&
           versions_equal(&a->updated, &b->updated);
}

void ia_basepath_dispose(ia_basepath *b)
{
    ia_free(b->name);
    ia_free(b->path);
    memset(b, 0, sizeof *b);
}

ia_status ia_basepath_copy(ia_ctx *cx, const ia_basepath *in, ia_basepath *out)
{
    ia_basepath b = {.id = in->id, .is_dataset_root = in->is_dataset_root};
    ia_status st;
    memset(out, 0, sizeof *out);
    if (in->name)
        IA_GO(IA_SET(cx, b.name, ia_strdup(cx, in->name)));
    IA_GO(IA_SET(cx, b.path, ia_strdup(cx, in->path ? in->path : "")));
    *out = b;
    return IA_OK;
done:
    ia_basepath_dispose(&b);
    return st;
}

ia_status ia_config_copy(ia_ctx *cx, const ia_kv *in, size_t n, ia_kv **out)
{
    ia_kv *kv = NULL;
    ia_status st;
    *out = NULL;
    if (n == 0)
        return IA_OK;
    IA_GO(IA_NEW_ARRAY(cx, kv, n));
    for (size_t i = 0; i < n; i++) {
        IA_GO(IA_SET(cx, kv[i].key, ia_strdup(cx, in[i].key)));
        IA_GO(IA_SET(cx, kv[i].value, ia_strdup(cx, in[i].value)));
    }
    *out = kv;
    return IA_OK;
done:
    if (kv)
        ia_kv_free(kv, n);
    return st;
}

ia_status ia_kv_set(ia_ctx *cx, ia_kv **kv, size_t *n, const char *key, const char *value)
{
    size_t at = 0;
    ia_kv fresh = {0}, *grown;
    while (at < *n && strcmp((*kv)[at].key, key) != 0)
        at++;
    if (!value) {
        if (at == *n)
            return IA_OK;
        ia_free((*kv)[at].key);
        ia_free((*kv)[at].value);
        memmove(*kv + at, *kv + at + 1, (*n - at - 1) * sizeof **kv);
        (*n)--;
        return IA_OK;
    }
    fresh.value = ia_strdup(cx, value);
    if (!fresh.value)
        return cx->err.code;
    if (at < *n) {
        ia_free((*kv)[at].value);
        (*kv)[at].value = fresh.value;
        return IA_OK;
    }
    fresh.key = ia_strdup(cx, key);
    grown = fresh.key ? ia_realloc(cx, *kv, (*n + 1) * sizeof *grown) : NULL;
    if (!grown) {
        ia_free(fresh.key);
        ia_free(fresh.value);
        return cx->err.code;
    }
    grown[(*n)++] = fresh;
    *kv = grown;
    return IA_OK;
}

ia_manifest *ia_manifest_retain(const ia_manifest *m)
{
    ia_manifest *w = (ia_manifest *)(uintptr_t)m;
    if (w)
        atomic_fetch_add_explicit(&w->refs, 1, memory_order_relaxed);
    return w;
}

void ia_manifest_release(ia_manifest *m)
{
    if (!m || atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) != 1)
        return;
    ia_lschema_dispose(&m->schema);
    ia_schema_release(m->arrow);
    for (size_t i = 0; i < m->n_fragments; i++)
        ia_fragment_dispose(&m->fragments[i]);
    ia_free(m->fragments);
    for (size_t i = 0; i < m->n_bases; i++)
        ia_basepath_dispose(&m->bases[i]);
    ia_free(m->bases);
    ia_kv_free(m->config, m->n_config);
    ia_kv_free(m->table_metadata, m->n_table_metadata);
    ia_free(m->transaction_file);
    ia_free(m->writer_library);
    ia_free(m->writer_version);
    ia_free(m->data_version);
    ia_free(m->branch);
    ia_bytes_dispose(&m->indices);
    ia_bytes_dispose(&m->extra);
    ia_bytes_dispose(&m->transaction);
    ia_free(m);
}

static ia_status copy_strings(ia_ctx *cx, const ia_manifest *m, ia_manifest *c)
{
    const char *const from[] = {m->transaction_file, m->writer_library, m->writer_version,
                                m->data_version, m->branch};
    char **const to[] = {&c->transaction_file, &c->writer_library, &c->writer_version,
                         &c->data_version, &c->branch};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        if (from[i])
            IA_TRY(IA_SET(cx, *to[i], ia_strdup(cx, from[i])));
    }
    return IA_OK;
}

static ia_status copy_bytes(ia_ctx *cx, const ia_bytes *in, ia_bytes *out)
{
    return in->len ? ia_bytes_copy(cx, in->data, in->len, out) : IA_OK;
}

ia_status ia_manifest_copy(ia_ctx *cx, const ia_manifest *m, ia_manifest **out)
{
    ia_manifest *c = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW(cx, c));
    atomic_init(&c->refs, 1);
    IA_GO(ia_lschema_copy(cx, &m->schema, &c->schema));
    c->arrow = ia_schema_retain(m->arrow);
    if (m->n_fragments)
        IA_GO(IA_NEW_ARRAY(cx, c->fragments, m->n_fragments));
    for (size_t i = 0; i < m->n_fragments; i++) {
        IA_GO(ia_fragment_copy(cx, &m->fragments[i], &c->fragments[i]));
        c->n_fragments = i + 1;
    }
    c->version = m->version;
    c->timestamp_us = m->timestamp_us;
    c->reader_flags = m->reader_flags;
    c->writer_flags = m->writer_flags;
    c->has_max_fragment_id = m->has_max_fragment_id;
    c->max_fragment_id = m->max_fragment_id;
    c->next_row_id = m->next_row_id;
    c->stable_row_ids = m->stable_row_ids;
    IA_GO(copy_strings(cx, m, c));
    IA_GO(ia_config_copy(cx, m->config, m->n_config, &c->config));
    c->n_config = m->n_config;
    IA_GO(ia_config_copy(cx, m->table_metadata, m->n_table_metadata, &c->table_metadata));
    c->n_table_metadata = m->n_table_metadata;
    if (m->n_bases)
        IA_GO(IA_NEW_ARRAY(cx, c->bases, m->n_bases));
    for (size_t i = 0; i < m->n_bases; i++) {
        IA_GO(ia_basepath_copy(cx, &m->bases[i], &c->bases[i]));
        c->n_bases = i + 1;
    }
    IA_GO(copy_bytes(cx, &m->indices, &c->indices));
    IA_GO(copy_bytes(cx, &m->extra, &c->extra));
    *out = c;
    c = NULL;
done:
    ia_manifest_release(c);
    return st;
}

const ia_fragment *ia_manifest_fragment(const ia_manifest *m, uint64_t id)
{
    size_t lo = 0, hi = m->n_fragments;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (m->fragments[mid].id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < m->n_fragments && m->fragments[lo].id == id ? &m->fragments[lo] : NULL;
}

uint64_t ia_manifest_live_rows(const ia_manifest *m)
{
    uint64_t n = 0;
    for (size_t i = 0; i < m->n_fragments; i++)
        n += ia_fragment_live(&m->fragments[i]);
    return n;
}

const ia_basepath *ia_manifest_base(const ia_manifest *m, uint32_t id)
{
    for (size_t i = 0; i < m->n_bases; i++) {
        if (m->bases[i].id == id)
            return &m->bases[i];
    }
    return NULL;
}

void ia_manifest_name(uint64_t version, char out[40])
{
    snprintf(out, 40, "%020llu.manifest", (unsigned long long)(UINT64_MAX - version));
}

ia_status ia_manifest_set_schema(ia_ctx *cx, ia_manifest *m, ia_lschema *ls)
{
    ia_schema *arrow;
    IA_TRY(ia_lschema_to_arrow(cx, ls, &arrow));
    ia_schema_release(m->arrow);
    m->arrow = arrow;
    ia_lschema_dispose(&m->schema);
    m->schema = *ls;
    memset(ls, 0, sizeof *ls);
    return IA_OK;
}

/* Table format 2.4: flags follow from the content. */
void ia_manifest_derive_flags(ia_manifest *m)
{
    uint64_t r = 0;
    for (size_t i = 0; i < m->n_fragments; i++)
        r |= m->fragments[i].has_deletion ? 1u : 0u;
    r |= m->stable_row_ids ? 2u : 0u;
    r |= m->n_bases ? 16u : 0u;
    m->reader_flags = r;
    m->writer_flags = r | (m->n_config ? 8u : 0u);
}
