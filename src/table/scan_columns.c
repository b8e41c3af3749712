/* scan_columns.c - columns of a read: names, virtual columns, and the files of a fragment. */
#include "arrow/compute.h"
#include "table/table_priv.h"

static ia_virtual virtual_of(const char *name)
{
    if (strcmp(name, IA_COL_ROWID) == 0)
        return IA_VIRT_ROWID;
    if (strcmp(name, IA_COL_ROWADDR) == 0)
        return IA_VIRT_ROWADDR;
    if (strcmp(name, IA_COL_CREATED) == 0)
        return IA_VIRT_CREATED;
    if (strcmp(name, IA_COL_UPDATED) == 0)
        return IA_VIRT_UPDATED;
    return IA_VIRT_NONE;
}

static const char *virtual_name(ia_virtual v)
{
    switch (v) {
    case IA_VIRT_NONE:
        return "";
    case IA_VIRT_ROWID:
        return IA_COL_ROWID;
    case IA_VIRT_ROWADDR:
        return IA_COL_ROWADDR;
    case IA_VIRT_CREATED:
        return IA_COL_CREATED;
    case IA_VIRT_UPDATED:
        return IA_COL_UPDATED;
    }
    return "";
}

void ia_columns_dispose(ia_columns *c)
{
    for (size_t i = 0; i < c->n; i++)
        ia_free(c->items[i].leaves);
    ia_free(c->items);
    memset(c, 0, sizeof *c);
}

static ia_status resolve_field(ia_ctx *cx, const ia_dataset *ds, size_t field, ia_column *out)
{
    out->field = field;
    out->afield = &ds->m->arrow->fields[field];
    out->cls = IA_IO_PAYLOAD;
    for (size_t i = 0; i < ds->n_key_columns; i++) {
        if (strcmp(ds->key_columns[i], out->afield->name) == 0)
            out->cls = IA_IO_KEY;
    }
    return ia_lschema_leaves(cx, &ds->m->schema, field, &out->leaves, &out->n_leaves);
}

static ia_status resolve_one(ia_ctx *cx, const ia_dataset *ds, const char *name, ia_column *out)
{
    const int at = ia_schema_find(ds->m->arrow, name);
    if (at >= 0)
        return resolve_field(cx, ds, (size_t)at, out);
    out->virt = virtual_of(name);
    if (out->virt == IA_VIRT_NONE)
        return ia_fail(cx, IA_ERR_NOT_FOUND, "%s has no column '%s'", ds->root, name);
    return IA_OK;
}

ia_status ia_columns_resolve(ia_ctx *cx, const ia_dataset *ds, const char *const *names, size_t n,
                             ia_columns *out)
{
    ia_columns c = {0};
    ia_status st;

    memset(out, 0, sizeof *out);
    if (!names)
        n = ds->m->arrow->n_fields;
    IA_GO(IA_NEW_ARRAY(cx, c.items, n));
    for (; c.n < n; c.n++) {
        if (names)
            IA_GO(resolve_one(cx, ds, names[c.n], &c.items[c.n]));
        else
            IA_GO(resolve_field(cx, ds, c.n, &c.items[c.n]));
    }
    *out = c;
    memset(&c, 0, sizeof c);
done:
    ia_columns_dispose(&c);
    return st;
}

ia_status ia_columns_schema(ia_ctx *cx, const ia_columns *c, ia_schema **out)
{
    ia_field *fields;
    ia_status st;

    *out = NULL;
    IA_TRY(IA_NEW_ARRAY(cx, fields, c->n));
    for (size_t i = 0; i < c->n; i++) {
        if (c->items[i].afield) {
            fields[i] = *c->items[i].afield; /* borrowed; schema_new copies */
        } else {
            fields[i].name = (char *)(uintptr_t)virtual_name(c->items[i].virt);
            fields[i].type = ia_type_basic(IA_TYPE_U64);
        }
    }
    st = ia_schema_new(cx, fields, c->n, out);
    ia_free(fields);
    return st;
}

/* Values of a virtual column for rows at `offsets`, or from, from + 1, ... when that is NULL. */
static ia_status fill(ia_ctx *cx, const ia_dataset *ds, const ia_fragment *f, ia_virtual v,
                      uint64_t from, const uint32_t *offsets, size_t n, uint64_t *out)
{
    const bool updated = v == IA_VIRT_UPDATED && f->updated.n_runs;
    const ia_versions *stamps = updated ? &f->updated : &f->created;
    if (v == IA_VIRT_ROWADDR || (v == IA_VIRT_ROWID && !ds->m->stable_row_ids)) {
        for (size_t i = 0; i < n; i++)
            out[i] = ia_addr(f->id, offsets ? offsets[i] : (uint32_t)(from + i));
        return IA_OK;
    }
    if (v == IA_VIRT_ROWID && f->row_ids.count != f->physical_rows)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "fragment %llu of %s keeps its row ids in a separate file",
                       (unsigned long long)f->id, ds->dir);
    if (v == IA_VIRT_ROWID && offsets)
        ia_rowids_pick(&f->row_ids, offsets, n, out);
    else if (v == IA_VIRT_ROWID)
        ia_rowids_slice(&f->row_ids, from, n, out);
    else if (offsets)
        ia_versions_pick(stamps, offsets, n, 1, out);
    else
        ia_versions_slice(stamps, from, n, 1, out);
    return IA_OK;
}

ia_status ia_virtual_column(ia_ctx *cx, const ia_dataset *ds, const ia_fragment *f, ia_virtual v,
                            uint64_t from, const uint32_t *offsets, size_t n, ia_array **out)
{
    uint64_t *values = NULL;
    ia_buffer *buf = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW_ARRAY(cx, values, n));
    IA_GO(fill(cx, ds, f, v, from, offsets, n, values));
    st = ia_buffer_own(cx, values, n * sizeof *values, &buf);
    values = NULL;
    IA_GO(st);
    IA_GO(ia_array_make(cx, ia_type_basic(IA_TYPE_U64), (int64_t)n, 0, NULL, buf, NULL, NULL, 0,
                        out));
done:
    ia_free(values);
    return st;
}

/* ---- files of one fragment ------------------------------------------------------------------- */

/* Physical column of a live leaf in a file; false when the file does not have it. */
static bool leaf_in(const ia_datafile *f, int32_t leaf, int32_t *column)
{
    for (size_t i = 0; i < f->n_fields; i++) {
        if (f->fields[i] == leaf) {
            *column = f->column_indices ? f->column_indices[i] : -1;
            return true;
        }
    }
    return false;
}

/* File of the fragment that holds the column; *file = n_files when none does (all null). */
static ia_status column_file(ia_ctx *cx, const ia_fragment *f, const ia_column *c, size_t *file)
{
    int32_t at;
    *file = f->n_files;
    for (size_t k = 0; k < f->n_files; k++) {
        for (size_t i = 0; i < c->n_leaves; i++) {
            if (!leaf_in(&f->files[k], c->leaves[i], &at))
                continue;
            if (*file != f->n_files && *file != k)
                return ia_fail(cx, IA_ERR_UNSUPPORTED,
                               "column '%s' of fragment %llu is spread over two files",
                               c->afield->name, (unsigned long long)f->id);
            *file = k;
        }
    }
    return IA_OK;
}

static ia_status source_open(ia_ctx *cx, ia_dataset *ds, const ia_fragment *f, const ia_columns *c,
                             const size_t *file_of, size_t file, ia_fragsource *s)
{
    size_t n_leaves = 0, used = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (file_of[i] == file) {
            s->n_cols++;
            n_leaves += c->items[i].n_leaves;
        }
    }
    IA_TRY(IA_NEW_ARRAY(cx, s->cols, s->n_cols));
    IA_TRY(IA_NEW_ARRAY(cx, s->slots, s->n_cols));
    IA_TRY(IA_NEW_ARRAY(cx, s->leaf_pool, n_leaves));
    s->n_cols = 0;
    for (size_t i = 0; i < c->n; i++) {
        const ia_column *col = &c->items[i];
        if (file_of[i] != file)
            continue;
        s->cols[s->n_cols] =
            (ia_file_column){col->afield, s->leaf_pool + used, col->n_leaves, col->cls};
        s->slots[s->n_cols++] = i;
        for (size_t k = 0; k < col->n_leaves; k++) {
            s->leaf_pool[used] = -1;
            (void)leaf_in(&f->files[file], col->leaves[k], &s->leaf_pool[used]);
            used++;
        }
    }
    s->size = f->files[file].size;
    IA_TRY(ia_dataset_file_get(cx, ds, &f->files[file], &s->file, &s->path));
    if (ia_file_rows(s->file) != f->physical_rows)
        return ia_fail(cx, IA_ERR_CORRUPT, "file %s has %llu rows, fragment %llu has %llu", s->path,
                       (unsigned long long)ia_file_rows(s->file), (unsigned long long)f->id,
                       (unsigned long long)f->physical_rows);
    return IA_OK;
}

void ia_fragcols_close(ia_dataset *ds, ia_fragcols *fc)
{
    for (size_t i = 0; i < fc->n_sources; i++) {
        ia_fragsource *s = &fc->sources[i];
        ia_dataset_file_put(ds, s->file, s->path, s->size);
        ia_free(s->cols);
        ia_free(s->slots);
        ia_free(s->leaf_pool);
    }
    ia_free(fc->sources);
    memset(fc, 0, sizeof *fc);
}

ia_status ia_fragcols_open(ia_ctx *cx, ia_dataset *ds, const ia_fragment *f, const ia_columns *c,
                           ia_fragcols *out)
{
    ia_fragcols fc = {.columns = c, .frag = f};
    size_t *file_of = NULL;
    ia_status st;

    memset(out, 0, sizeof *out);
    IA_GO(IA_NEW_ARRAY(cx, file_of, c->n));
    IA_GO(IA_NEW_ARRAY(cx, fc.sources, f->n_files));
    for (size_t i = 0; i < c->n; i++) {
        file_of[i] = f->n_files;
        if (!c->items[i].virt)
            IA_GO(column_file(cx, f, &c->items[i], &file_of[i]));
    }
    for (size_t k = 0; k < f->n_files; k++) {
        bool used = false;
        for (size_t i = 0; i < c->n; i++)
            used = used || file_of[i] == k;
        if (used)
            IA_GO(source_open(cx, ds, f, c, file_of, k, &fc.sources[fc.n_sources++]));
    }
    *out = fc;
    memset(&fc, 0, sizeof fc);
done:
    ia_free(file_of);
    ia_fragcols_close(ds, &fc);
    return st;
}

static ia_status take_source(ia_ctx *cx, const ia_fragsource *s, const uint32_t *offsets, size_t n,
                             ia_array **out)
{
    ia_array **got = NULL;
    ia_status st;
    IA_GO(IA_NEW_ARRAY(cx, got, s->n_cols));
    IA_GO(ia_file_take(cx, s->file, s->cols, s->n_cols, offsets, n, got));
    for (size_t i = 0; i < s->n_cols; i++)
        out[s->slots[i]] = got[i];
done:
    ia_free(got);
    return st;
}

ia_status ia_fragcols_take(ia_ctx *cx, ia_dataset *ds, ia_fragcols *fc, const uint32_t *offsets,
                           size_t n, ia_array **out)
{
    const ia_columns *c = fc->columns;
    ia_status st = IA_OK;

    memset(out, 0, c->n * sizeof *out);
    for (size_t i = 0; i < fc->n_sources; i++)
        IA_GO(take_source(cx, &fc->sources[i], offsets, n, out));
    for (size_t i = 0; i < c->n; i++) {
        if (out[i])
            continue;
        if (c->items[i].virt)
            IA_GO(ia_virtual_column(cx, ds, fc->frag, c->items[i].virt, 0, offsets, n, &out[i]));
        else
            IA_GO(ia_array_nulls(cx, c->items[i].afield->type, (int64_t)n, &out[i]));
    }
done:
    for (size_t i = 0; st != IA_OK && i < c->n; i++) {
        ia_array_release(out[i]);
        out[i] = NULL;
    }
    return st;
}
