/* manifest_read.c - reads and checks manifest files: envelope, sections, members, references. */
#include "table/table_priv.h"

#define TAIL_BYTES 65536u /* one read is enough for most manifests */
#define FOOTER_BYTES 16u  /* i64 position, u16 major, u16 minor, magic */

typedef struct sections {
    bool has_index, has_txn;
    uint64_t index_at, txn_at;
} sections;

static ia_status corrupt(ia_ctx *cx, const char *name, const char *what)
{
    return ia_fail(cx, IA_ERR_CORRUPT, "manifest %s: %s", name, what);
}

/* A u32 length and its bytes at `at`, all before `end`. */
static ia_status block_at(ia_ctx *cx, const char *name, const uint8_t *p, size_t end, uint64_t at,
                          ia_view *out)
{
    uint32_t len;
    if (at > end || end - at < 4)
        return corrupt(cx, name, "a section lies outside the file");
    len = ia_le32(p + at);
    if (len > end - at - 4)
        return corrupt(cx, name, "a section is longer than the file");
    out->data = (const char *)p + at + 4;
    out->len = len;
    return IA_OK;
}

static ia_status add_fragment(ia_ctx *cx, ia_wire *w, ia_manifest *m, size_t *cap)
{
    const ia_view v = ia_wire_view(w);
    ia_fragment f;
    ia_status st;
    IA_TRY(ia_fragment_decode(cx, (const uint8_t *)v.data, v.len, &f));
    st = IA_GROW(cx, m->fragments, *cap, m->n_fragments + 1);
    if (st != IA_OK) {
        ia_fragment_dispose(&f);
        return st;
    }
    m->fragments[m->n_fragments++] = f;
    return IA_OK;
}

static ia_status add_base(ia_ctx *cx, ia_wire *w, ia_manifest *m)
{
    const ia_view v = ia_wire_view(w);
    ia_basepath b, *grown;
    IA_TRY(ia_basepath_decode(cx, (const uint8_t *)v.data, v.len, &b));
    grown = ia_realloc(cx, m->bases, (m->n_bases + 1) * sizeof *grown);
    if (!grown) {
        ia_basepath_dispose(&b);
        return cx->err.code;
    }
    m->bases = grown;
    m->bases[m->n_bases++] = b;
    return IA_OK;
}

static ia_status add_field(ia_ctx *cx, ia_wire *w, ia_lschema *ls)
{
    const ia_view v = ia_wire_view(w);
    ia_lfield f;
    ia_status st;
    IA_TRY(ia_lfield_decode(cx, (const uint8_t *)v.data, v.len, &f));
    st = ia_lschema_add(cx, ls, &f);
    ia_lfield_dispose(&f);
    return st;
}

static ia_status decode_timestamp(ia_ctx *cx, ia_wire *w, int64_t *us)
{
    ia_wire sub;
    int64_t seconds = 0, nanos = 0;
    ia_wire_sub(w, &sub);
    while (ia_wire_next(&sub)) {
        if (sub.number == 1)
            seconds = (int64_t)ia_wire_u64(&sub);
        else if (sub.number == 2)
            nanos = ia_wire_i32(&sub);
    }
    IA_TRY(ia_wire_done(cx, &sub, "manifest timestamp"));
    if (seconds > INT64_MAX / 2000000 || seconds < INT64_MIN / 2000000)
        return ia_fail(cx, IA_ERR_CORRUPT, "manifest timestamp is out of range");
    *us = seconds * 1000000 + nanos / 1000;
    return IA_OK;
}

/* WriterVersion or DataStorageFormat: members 1 and 2 are strings. */
static ia_status decode_pair(ia_ctx *cx, ia_wire *w, char **first, char **second)
{
    ia_wire sub;
    ia_wire_sub(w, &sub);
    while (ia_wire_next(&sub)) {
        if (sub.number == 1 && first)
            IA_TRY(ia_wire_str(cx, &sub, first));
        else if (sub.number == 2)
            IA_TRY(ia_wire_str(cx, &sub, second));
    }
    return ia_wire_done(cx, &sub, "manifest");
}

static ia_status decode_member(ia_ctx *cx, ia_wire *w, ia_manifest *m, ia_lschema *ls, sections *s,
                               size_t *cap, ia_buf *extra)
{
    switch (w->number) {
    case 1: return add_field(cx, w, ls);
    case 2: return add_fragment(cx, w, m, cap);
    case 3: m->version = ia_wire_u64(w); return IA_OK;
    case 5: return ia_wire_kv(cx, w, &ls->metadata, &ls->n_metadata);
    case 6:
        s->has_index = true;
        s->index_at = ia_wire_u64(w);
        return IA_OK;
    case 7: return decode_timestamp(cx, w, &m->timestamp_us);
    case 9: m->reader_flags = ia_wire_u64(w); return IA_OK;
    case 10: m->writer_flags = ia_wire_u64(w); return IA_OK;
    case 11:
        m->has_max_fragment_id = true;
        m->max_fragment_id = ia_wire_u32(w);
        return IA_OK;
    case 12: return ia_wire_str(cx, w, &m->transaction_file);
    case 13: return decode_pair(cx, w, &m->writer_library, &m->writer_version);
    case 14: m->next_row_id = ia_wire_u64(w); return IA_OK;
    case 15: return decode_pair(cx, w, NULL, &m->data_version);
    case 16: return ia_wire_kv(cx, w, &m->config, &m->n_config);
    case 18: return add_base(cx, w, m);
    case 19: return ia_wire_kv(cx, w, &m->table_metadata, &m->n_table_metadata);
    case 20: return ia_wire_str(cx, w, &m->branch);
    case 21: /* position of the inline transaction: 21 up to engine version 10, 23 later */
    case 23:
        s->has_txn = true;
        s->txn_at = ia_wire_u64(w);
        return IA_OK;
    default: ia_buf_put(cx, extra, w->raw, w->raw_len); return IA_OK;
    }
}

static bool base_known(const ia_manifest *m, bool has, uint32_t id)
{
    return !has || ia_manifest_base(m, id) != NULL;
}

static ia_status check_manifest(ia_ctx *cx, const char *name, const ia_manifest *m)
{
    const uint64_t unknown = m->reader_flags & ~(uint64_t)IA_KNOWN_FLAGS;
    if (unknown)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "manifest %s needs table feature bit %llu, which this version does not read",
                       name, (unsigned long long)(unknown & (~unknown + 1)));
    if (m->version == 0)
        return corrupt(cx, name, "it has version 0");
    for (size_t i = 0; i < m->n_fragments; i++) {
        const ia_fragment *f = &m->fragments[i];
        const unsigned long long id = f->id;
        if (i > 0 && f->id <= m->fragments[i - 1].id)
            return corrupt(cx, name, "fragment ids are not ascending");
        if (f->physical_rows == 0 && f->n_files > 0)
            return ia_fail(cx, IA_ERR_UNSUPPORTED,
                           "manifest %s: fragment %llu does not say how many rows it has", name,
                           id);
        if (m->stable_row_ids && f->row_ids.count != f->physical_rows && f->extra.len == 0)
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "manifest %s: fragment %llu has %llu row ids for %llu rows", name, id,
                           (unsigned long long)f->row_ids.count,
                           (unsigned long long)f->physical_rows);
        if (f->has_deletion && !base_known(m, f->deletion.has_base, f->deletion.base_id))
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "manifest %s: deletions of fragment %llu lie in unknown base %u", name,
                           id, f->deletion.base_id);
        for (size_t k = 0; k < f->n_files; k++) {
            if (!base_known(m, f->files[k].has_base, f->files[k].base_id))
                return ia_fail(cx, IA_ERR_CORRUPT, "manifest %s: file %s lies in unknown base %u",
                               name, f->files[k].path, f->files[k].base_id);
        }
    }
    return IA_OK;
}

static ia_status decode_body(ia_ctx *cx, const char *name, ia_view body, ia_manifest *m,
                             sections *s)
{
    ia_lschema ls = {0};
    ia_buf extra = {0};
    ia_wire w;
    ia_status st;
    size_t cap = 0;

    ia_wire_init(&w, (const uint8_t *)body.data, body.len);
    while (ia_wire_next(&w))
        IA_GO(decode_member(cx, &w, m, &ls, s, &cap, &extra));
    IA_GO(ia_wire_done(cx, &w, name));
    IA_GO(ia_manifest_set_schema(cx, m, &ls));
    IA_GO(ia_buf_status(&extra));
    if (extra.len)
        IA_GO(ia_buf_finish(&extra, &m->extra));
    m->stable_row_ids = (m->reader_flags & 2u) != 0;
    if (!m->data_version)
        IA_GO(IA_SET(cx, m->data_version, ia_strdup(cx, "0.1")));
done:
    ia_buf_dispose(&extra);
    ia_lschema_dispose(&ls);
    return st;
}

ia_status ia_manifest_decode(ia_ctx *cx, const uint8_t *p, size_t n, const char *name,
                             ia_manifest **out)
{
    ia_manifest *m = NULL;
    sections s = {0};
    ia_view body = {0}, part = {0};
    uint64_t at;
    ia_status st;

    *out = NULL;
    if (n < FOOTER_BYTES || memcmp(p + n - 4, "LANC", 4) != 0)
        return corrupt(cx, name, "it does not end like a manifest");
    at = ia_le64(p + n - FOOTER_BYTES);
    IA_GO(block_at(cx, name, p, n - FOOTER_BYTES, at, &body));
    if (body.len != n - FOOTER_BYTES - at - 4)
        IA_GO(corrupt(cx, name, "its length does not match"));
    IA_GO(IA_NEW(cx, m));
    atomic_init(&m->refs, 1);
    IA_GO(decode_body(cx, name, body, m, &s));
    IA_GO(check_manifest(cx, name, m));
    if (s.has_index) {
        IA_GO(block_at(cx, name, p, (size_t)at, s.index_at, &part));
        if (part.len)
            IA_GO(ia_bytes_copy(cx, part.data, part.len, &m->indices));
    }
    if (s.has_txn) {
        IA_GO(block_at(cx, name, p, (size_t)at, s.txn_at, &part));
        IA_GO(ia_bytes_copy(cx, part.data, part.len, &m->transaction));
    }
    *out = m;
    m = NULL;
done:
    ia_manifest_release(m);
    return st;
}

ia_status ia_manifest_read(ia_ctx *cx, ia_objstore *os, const char *path, ia_manifest **out)
{
    ia_objfile *f = NULL;
    uint8_t *raw = NULL;
    size_t tail;
    ia_status st;

    *out = NULL;
    IA_GO(ia_objstore_open(cx, os, path, &f));
    if (f->size > SIZE_MAX / 2)
        IA_GO(corrupt(cx, path, "it is too large"));
    tail = f->size < TAIL_BYTES ? (size_t)f->size : TAIL_BYTES;
    IA_GO(IA_SET(cx, raw, ia_alloc(cx, (size_t)f->size)));
    IA_GO(ia_objfile_read(cx, f, f->size - tail, tail, raw + f->size - tail, IA_IO_META));
    if (f->size > tail)
        IA_GO(ia_objfile_read(cx, f, 0, (size_t)f->size - tail, raw, IA_IO_META));
    IA_GO(ia_manifest_decode(cx, raw, (size_t)f->size, path, out));
done:
    ia_free(raw);
    ia_objfile_close(f);
    return st;
}
