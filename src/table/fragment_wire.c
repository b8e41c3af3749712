/* fragment_wire.c - fragments, data and deletion files, base paths, schema fields on the wire. */
#include "table/table_priv.h"

#define MAX_ROWS (1ull << 32) /* offsets are 32 bits */

static void keep_raw(ia_ctx *cx, ia_buf *extra, const ia_wire *w)
{
    ia_buf_put(cx, extra, w->raw, w->raw_len);
}

static ia_status finish_extra(ia_buf *extra, ia_bytes *out)
{
    ia_status st = ia_buf_status(extra);
    if (st == IA_OK && extra->len)
        st = ia_buf_finish(extra, out);
    ia_buf_dispose(extra);
    return st;
}

static ia_status decode_file_fields(ia_ctx *cx, ia_wire *w, ia_datafile *f, ia_buf *extra,
                                    size_t *n_columns)
{
    size_t cap_fields = 0, cap_columns = 0;
    while (ia_wire_next(w)) {
        switch (w->number) {
        case 1: IA_TRY(ia_wire_str(cx, w, &f->path)); break;
        case 2: IA_TRY(ia_wire_i32s(cx, w, &f->fields, &f->n_fields, &cap_fields)); break;
        case 3: IA_TRY(ia_wire_i32s(cx, w, &f->column_indices, n_columns, &cap_columns)); break;
        case 4: f->major = ia_wire_u32(w); break;
        case 5: f->minor = ia_wire_u32(w); break;
        case 6: f->size = ia_wire_u64(w); break;
        case 7:
            f->has_base = true;
            f->base_id = ia_wire_u32(w);
            break;
        default: keep_raw(cx, extra, w); break;
        }
    }
    return ia_wire_done(cx, w, "data file entry");
}

static ia_status decode_file(ia_ctx *cx, ia_wire *parent, ia_datafile *out)
{
    ia_datafile f = {0};
    ia_buf extra = {0};
    ia_wire w;
    ia_status st;
    size_t n_columns = 0;

    memset(out, 0, sizeof *out);
    ia_wire_sub(parent, &w);
    IA_GO(decode_file_fields(cx, &w, &f, &extra, &n_columns));
    if (!f.path || !f.path[0])
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "a data file entry has no path"));
    if (f.path[0] == '/' || strstr(f.path, ".."))
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "data file path '%s' leaves its directory", f.path));
    if (n_columns != f.n_fields && !(n_columns == 0 && f.major < 2))
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "data file %s names %zu fields but %zu columns", f.path,
                      f.n_fields, n_columns));
    IA_GO(finish_extra(&extra, &f.extra));
    *out = f;
    memset(&f, 0, sizeof f);
done:
    ia_buf_dispose(&extra);
    ia_datafile_dispose(&f);
    return st;
}

static ia_status decode_deletion(ia_ctx *cx, ia_wire *parent, ia_delfile *d)
{
    ia_wire w;
    ia_wire_sub(parent, &w);
    memset(d, 0, sizeof *d);
    while (ia_wire_next(&w)) {
        switch (w.number) {
        case 1: d->file_type = ia_wire_u32(&w); break;
        case 2: d->read_version = ia_wire_u64(&w); break;
        case 3: d->id = ia_wire_u64(&w); break;
        case 4: d->num_deleted = ia_wire_u64(&w); break;
        case 7:
            d->has_base = true;
            d->base_id = ia_wire_u32(&w);
            break;
        default: break;
        }
    }
    IA_TRY(ia_wire_done(cx, &w, "deletion file entry"));
    if (d->file_type > 1)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "deletion file type %u is unknown", d->file_type);
    return IA_OK;
}

static ia_status add_file(ia_ctx *cx, ia_wire *w, ia_fragment *f, size_t *cap)
{
    ia_datafile file;
    ia_status st;
    IA_TRY(decode_file(cx, w, &file));
    st = IA_GROW(cx, f->files, *cap, f->n_files + 1);
    if (st != IA_OK) {
        ia_datafile_dispose(&file);
        return st;
    }
    f->files[f->n_files++] = file;
    return IA_OK;
}

static ia_status decode_members(ia_ctx *cx, ia_wire *w, ia_fragment *f, ia_buf *extra)
{
    size_t cap = 0;
    ia_view v;
    while (ia_wire_next(w)) {
        switch (w->number) {
        case 1: f->id = ia_wire_u64(w); break;
        case 2: IA_TRY(add_file(cx, w, f, &cap)); break;
        case 3:
            f->has_deletion = true;
            IA_TRY(decode_deletion(cx, w, &f->deletion));
            break;
        case 4: f->physical_rows = ia_wire_u64(w); break;
        case 5:
            v = ia_wire_view(w);
            ia_rowids_dispose(&f->row_ids);
            IA_TRY(ia_rowids_decode(cx, (const uint8_t *)v.data, v.len, &f->row_ids));
            break;
        case 7:
            v = ia_wire_view(w);
            ia_versions_dispose(&f->updated);
            IA_TRY(ia_versions_decode(cx, (const uint8_t *)v.data, v.len, &f->updated));
            break;
        case 9:
            v = ia_wire_view(w);
            ia_versions_dispose(&f->created);
            IA_TRY(ia_versions_decode(cx, (const uint8_t *)v.data, v.len, &f->created));
            break;
        default: keep_raw(cx, extra, w); break; /* external sequences, overlays, newer members */
        }
    }
    return ia_wire_done(cx, w, "fragment");
}

static ia_status check_fragment(ia_ctx *cx, const ia_fragment *f)
{
    const unsigned long long id = f->id, rows = f->physical_rows;
    if (f->id > UINT32_MAX)
        return ia_fail(cx, IA_ERR_CORRUPT, "fragment id %llu passes 32 bits", id);
    if (f->physical_rows > MAX_ROWS)
        return ia_fail(cx, IA_ERR_CORRUPT, "fragment %llu has %llu rows, more than 2^32", id, rows);
    if (f->has_deletion && f->deletion.num_deleted > f->physical_rows)
        return ia_fail(cx, IA_ERR_CORRUPT, "fragment %llu deletes %llu of %llu rows", id,
                       (unsigned long long)f->deletion.num_deleted, rows);
    if (f->row_ids.count > f->physical_rows)
        return ia_fail(cx, IA_ERR_CORRUPT, "fragment %llu has %llu row ids for %llu rows", id,
                       (unsigned long long)f->row_ids.count, rows);
    return IA_OK;
}

ia_status ia_fragment_decode(ia_ctx *cx, const uint8_t *p, size_t n, ia_fragment *out)
{
    ia_fragment f = {0};
    ia_buf extra = {0};
    ia_wire w;
    ia_status st;

    memset(out, 0, sizeof *out);
    ia_wire_init(&w, p, n);
    IA_GO(decode_members(cx, &w, &f, &extra));
    IA_GO(check_fragment(cx, &f));
    IA_GO(finish_extra(&extra, &f.extra));
    *out = f;
    memset(&f, 0, sizeof f);
done:
    ia_buf_dispose(&extra);
    ia_fragment_dispose(&f);
    return st;
}

static void encode_file(ia_ctx *cx, ia_buf *b, const ia_datafile *f)
{
    const size_t mark = ia_wire_begin(cx, b, 2);
    ia_wire_put_str(cx, b, 1, f->path);
    ia_wire_put_i32s(cx, b, 2, f->fields, f->n_fields);
    if (f->column_indices)
        ia_wire_put_i32s(cx, b, 3, f->column_indices, f->n_fields);
    ia_wire_put_u64(cx, b, 4, f->major);
    ia_wire_put_u64(cx, b, 5, f->minor);
    ia_wire_put_u64(cx, b, 6, f->size);
    if (f->has_base)
        ia_wire_add_varint(cx, b, 7, f->base_id);
    ia_buf_put(cx, b, f->extra.data, f->extra.len);
    ia_wire_end(cx, b, mark);
}

static void encode_deletion(ia_ctx *cx, ia_buf *b, const ia_delfile *d)
{
    const size_t mark = ia_wire_begin(cx, b, 3);
    ia_wire_put_u64(cx, b, 1, d->file_type);
    ia_wire_put_u64(cx, b, 2, d->read_version);
    ia_wire_put_u64(cx, b, 3, d->id);
    ia_wire_put_u64(cx, b, 4, d->num_deleted);
    if (d->has_base)
        ia_wire_add_varint(cx, b, 7, d->base_id);
    ia_wire_end(cx, b, mark);
}

static ia_status put_versions(ia_ctx *cx, ia_buf *b, uint32_t number, const ia_versions *v)
{
    ia_bytes bytes;
    if (v->n_runs == 0)
        return IA_OK;
    IA_TRY(ia_versions_encode(cx, v, &bytes));
    ia_wire_add_bytes(cx, b, number, bytes.data, bytes.len);
    ia_bytes_dispose(&bytes);
    return IA_OK;
}

ia_status ia_fragment_encode(ia_ctx *cx, ia_buf *b, const ia_fragment *f, uint64_t id)
{
    ia_wire_put_u64(cx, b, 1, id);
    for (size_t i = 0; i < f->n_files; i++)
        encode_file(cx, b, &f->files[i]);
    if (f->has_deletion)
        encode_deletion(cx, b, &f->deletion);
    ia_wire_put_u64(cx, b, 4, f->physical_rows);
    if (f->row_ids.count) {
        ia_bytes ids;
        IA_TRY(ia_rowids_encode(cx, &f->row_ids, &ids));
        ia_wire_add_bytes(cx, b, 5, ids.data, ids.len);
        ia_bytes_dispose(&ids);
    }
    IA_TRY(put_versions(cx, b, 7, &f->updated));
    IA_TRY(put_versions(cx, b, 9, &f->created));
    ia_buf_put(cx, b, f->extra.data, f->extra.len);
    return ia_buf_status(b);
}

ia_status ia_fragment_put(ia_ctx *cx, ia_buf *b, uint32_t number, const ia_fragment *f, uint64_t id)
{
    const size_t mark = ia_wire_begin(cx, b, number);
    IA_TRY(ia_fragment_encode(cx, b, f, id));
    ia_wire_end(cx, b, mark);
    return ia_buf_status(b);
}

static ia_status decode_base(ia_ctx *cx, ia_wire *w, ia_basepath *b)
{
    while (ia_wire_next(w)) {
        switch (w->number) {
        case 1: b->id = ia_wire_u32(w); break;
        case 2: IA_TRY(ia_wire_str(cx, w, &b->name)); break;
        case 3: b->is_dataset_root = ia_wire_bool(w); break;
        case 4: IA_TRY(ia_wire_str(cx, w, &b->path)); break;
        default: break;
        }
    }
    IA_TRY(ia_wire_done(cx, w, "base path"));
    if (!b->path || !b->path[0])
        return ia_fail(cx, IA_ERR_CORRUPT, "base path %u is empty", b->id);
    return IA_OK;
}

ia_status ia_basepath_decode(ia_ctx *cx, const uint8_t *p, size_t n, ia_basepath *out)
{
    ia_wire w;
    ia_status st;
    memset(out, 0, sizeof *out);
    ia_wire_init(&w, p, n);
    st = decode_base(cx, &w, out);
    if (st != IA_OK)
        ia_basepath_dispose(out);
    return st;
}

void ia_basepath_put(ia_ctx *cx, ia_buf *b, uint32_t number, const ia_basepath *bp)
{
    const size_t mark = ia_wire_begin(cx, b, number);
    ia_wire_put_u64(cx, b, 1, bp->id);
    if (bp->name)
        ia_wire_add_bytes(cx, b, 2, bp->name, strlen(bp->name));
    ia_wire_put_bool(cx, b, 3, bp->is_dataset_root);
    ia_wire_put_str(cx, b, 4, bp->path);
    ia_wire_end(cx, b, mark);
}

ia_status ia_lschema_put(ia_ctx *cx, ia_buf *b, uint32_t number, const ia_lschema *ls)
{
    for (size_t i = 0; i < ls->n; i++) {
        const size_t mark = ia_wire_begin(cx, b, number);
        IA_TRY(ia_lfield_encode(cx, &ls->fields[i], b));
        ia_wire_end(cx, b, mark);
    }
    return ia_buf_status(b);
}
