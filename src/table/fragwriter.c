/* fragwriter.c - streams rows into new data files, one fragment a file. */
#include "base/pool.h"
#include "table/table_priv.h"

#define MAX_ROWS (1u << 20)
#define MOST_THREADS 4u /* that encode pages of one file */
#define NAME_LEN 56u    /* 24 binary digits, 26 hex digits, ".lance" */

struct ia_fragwriter {
    ia_objstore *os; /* borrowed */
    char *dir;
    const ia_lschema *ls; /* borrowed from the caller for the writer's life */
    ia_schema *schema;    /* retained */
    ia_io_class *classes;
    uint64_t max_rows;
    uint32_t put_flags, minor;
    int32_t *leaves;
    size_t n_leaves;
    ia_file_writer *file; /* current; NULL between files */
    char name[NAME_LEN + 1];
    uint64_t rows, new_rows; /* in the current file; new_rows of them have no id */
    uint64_t *ids;           /* kept ids of the current file, in row order */
    size_t n_ids, cap_ids;
    ia_fragment *frags;
    size_t n_frags, cap_frags;
};

void ia_fragments_free(ia_fragment *frags, size_t n)
{
    for (size_t i = 0; frags && i < n; i++)
        ia_fragment_dispose(&frags[i]);
    ia_free(frags);
}

void ia_fragwriter_close(ia_fragwriter *w)
{
    if (!w)
        return;
    ia_file_writer_close(w->file);
    ia_fragments_free(w->frags, w->n_frags);
    ia_schema_release(w->schema);
    ia_free(w->classes);
    ia_free(w->leaves);
    ia_free(w->ids);
    ia_free(w->dir);
    ia_free(w);
}

static void set_classes(ia_fragwriter *w, const ia_fragwriter_options *opt)
{
    for (size_t i = 0; i < w->schema->n_fields; i++) {
        w->classes[i] = IA_IO_PAYLOAD;
        for (size_t k = 0; k < opt->n_key_columns; k++) {
            if (strcmp(opt->key_columns[k], w->schema->fields[i].name) == 0)
                w->classes[i] = IA_IO_KEY;
        }
    }
}

ia_status ia_fragwriter_open(ia_ctx *cx, ia_objstore *os, const char *dir, const ia_lschema *ls,
                             const ia_schema *s, const ia_fragwriter_options *opt,
                             ia_fragwriter **out)
{
    static const ia_fragwriter_options none;
    ia_fragwriter *w = NULL;
    ia_status st;

    *out = NULL;
    if (!opt)
        opt = &none;
    IA_GO(IA_NEW(cx, w));
    w->os = os;
    w->ls = ls;
    w->schema = ia_schema_retain(s);
    w->max_rows = opt->max_rows ? opt->max_rows : MAX_ROWS;
    w->put_flags = opt->put_flags;
    w->minor = opt->minor ? opt->minor : 1;
    IA_GO(IA_SET(cx, w->dir, ia_strdup(cx, dir)));
    IA_GO(IA_NEW_ARRAY(cx, w->classes, s->n_fields));
    set_classes(w, opt);
    IA_GO(ia_lschema_leaves(cx, ls, SIZE_MAX, &w->leaves, &w->n_leaves));
    *out = w;
    w = NULL;
done:
    ia_fragwriter_close(w);
    return st;
}

/* Table format 1.1: the binary prefix spreads object-store key prefixes. */
static ia_status new_name(ia_ctx *cx, char out[NAME_LEN + 1])
{
    ia_uuid u;
    IA_TRY(ia_uuid_new(cx, &u));
    for (size_t i = 0; i < 24; i++)
        out[i] = (char)('0' + ((u.bytes[i / 8] >> (7 - i % 8)) & 1));
    ia_hex(u.bytes + 3, 13, out + 24);
    memcpy(out + 50, ".lance", 7);
    return IA_OK;
}

static ia_status start_file(ia_ctx *cx, ia_fragwriter *w)
{
    const uint32_t processors = ia_pool_processors();
    const ia_file_writer_options opt = {.minor = w->minor,
                                        .classes = w->classes,
                                        .threads =
                                            processors < MOST_THREADS ? processors : MOST_THREADS};
    char *path = NULL;
    ia_status st;

    IA_GO(new_name(cx, w->name));
    IA_GO(ia_path_join(cx, &path, w->dir, "data", w->name, NULL));
    IA_GO(ia_file_writer_open(cx, w->os, path, w->schema, w->ls, &opt, &w->file));
    w->rows = w->new_rows = 0;
    w->n_ids = 0;
done:
    ia_free(path);
    return st;
}

static ia_status describe(ia_ctx *cx, const ia_fragwriter *w, const ia_file_info *info,
                          ia_fragment *out)
{
    ia_fragment f = {.id = IA_FRAGMENT_UNASSIGNED, .physical_rows = info->rows};
    ia_datafile *file;
    ia_status st;

    memset(out, 0, sizeof *out);
    IA_GO(IA_NEW(cx, f.files));
    f.n_files = 1;
    file = f.files;
    file->major = 2;
    file->minor = w->minor;
    file->size = info->size;
    IA_GO(IA_SET(cx, file->path, ia_strdup(cx, w->name)));
    IA_GO(IA_NEW_ARRAY(cx, file->fields, w->n_leaves));
    IA_GO(IA_NEW_ARRAY(cx, file->column_indices, w->n_leaves));
    for (size_t i = 0; i < w->n_leaves; i++) {
        file->fields[i] = w->leaves[i];
        file->column_indices[i] = (int32_t)i;
    }
    file->n_fields = w->n_leaves;
    IA_GO(ia_rowids_from(cx, w->ids, w->n_ids, &f.row_ids));
    *out = f;
    memset(&f, 0, sizeof f);
done:
    ia_fragment_dispose(&f);
    return st;
}

static ia_status end_file(ia_ctx *cx, ia_fragwriter *w)
{
    ia_file_info info;
    if (!w->file)
        return IA_OK;
    IA_TRY(ia_file_writer_finish(cx, w->file, w->put_flags & IA_PUT_SYNC, &info));
    ia_file_writer_close(w->file);
    w->file = NULL;
    IA_TRY(IA_GROW(cx, w->frags, w->cap_frags, w->n_frags + 1));
    IA_TRY(describe(cx, w, &info, &w->frags[w->n_frags]));
    w->n_frags++;
    return IA_OK;
}

static ia_status write_part(ia_ctx *cx, ia_fragwriter *w, const ia_batch *b, int64_t at, int64_t n)
{
    ia_batch *part;
    ia_status st;
    if (at == 0 && n == b->rows)
        return ia_file_writer_write(cx, w->file, b);
    IA_TRY(ia_batch_slice(cx, b, at, n, &part));
    st = ia_file_writer_write(cx, w->file, part);
    ia_batch_release(part);
    return st;
}

ia_status ia_fragwriter_write(ia_ctx *cx, ia_fragwriter *w, const ia_batch *b,
                              const uint64_t *row_ids)
{
    for (int64_t at = 0; at < b->rows;) {
        int64_t n = b->rows - at;
        if (w->file && (w->rows >= w->max_rows || (row_ids && w->new_rows)))
            IA_TRY(end_file(cx, w));
        if (!w->file)
            IA_TRY(start_file(cx, w));
        if ((uint64_t)n > w->max_rows - w->rows)
            n = (int64_t)(w->max_rows - w->rows);
        IA_TRY(write_part(cx, w, b, at, n));
        if (row_ids) {
            IA_TRY(IA_GROW(cx, w->ids, w->cap_ids, w->n_ids + (size_t)n));
            memcpy(w->ids + w->n_ids, row_ids + at, (size_t)n * sizeof *row_ids);
            w->n_ids += (size_t)n;
        } else {
            w->new_rows += (uint64_t)n;
        }
        w->rows += (uint64_t)n;
        at += n;
    }
    return IA_OK;
}

ia_status ia_fragwriter_finish(ia_ctx *cx, ia_fragwriter *w, ia_fragment **frags, size_t *n)
{
    *frags = NULL;
    *n = 0;
    IA_TRY(end_file(cx, w));
    *frags = w->frags;
    *n = w->n_frags;
    w->frags = NULL;
    w->n_frags = w->cap_frags = 0;
    return IA_OK;
}
