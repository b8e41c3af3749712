/* describe.c - collects what a file is made of. */
#include "file/describe.h"

#include <inttypes.h>

#include "file/file_priv.h"
#include "file/projection.h"

enum { FOOTER = 40, MAX_DEPTH = IA_TYPE_MAX_DEPTH };

void ia_filedesc_dispose(ia_filedesc *d)
{
    ia_arena_dispose(&d->arena);
    memset(d, 0, sizeof *d);
}

/* ---- container ------------------------------------------------------------------------------ */

static ia_status read_container(ia_ctx *cx, ia_file *f, ia_filedesc *d)
{
    const uint8_t *p = ia_file_tail(f, f->size - FOOTER, FOOTER); /* checked by open */
    uint8_t *table = NULL;
    size_t n;
    ia_status st = IA_OK;

    d->size = f->size;
    d->rows = f->rows;
    d->major = f->major;
    d->minor = f->minor;
    d->schema = &f->schema;
    d->meta_pos = ia_le64(p);
    d->column_table = ia_le64(p + 8);
    d->global_table = ia_le64(p + 16);
    d->n_global = ia_le32(p + 24);
    n = (size_t)d->n_global * 16;
    IA_GO(IA_SET(cx, d->path, ia_arena_strdup(cx, &d->arena, f->io->path)));
    IA_GO(IA_ARENA_ARRAY(cx, &d->arena, d->global, (size_t)d->n_global * 2));
    p = ia_file_tail(f, d->global_table, n);
    if (!p) {
        IA_GO(IA_SET(cx, table, ia_alloc(cx, n)));
        IA_GO(ia_objfile_read(cx, f->io, d->global_table, n, table, IA_IO_META));
        p = table;
    }
    for (size_t i = 0; i < 2 * (size_t)d->n_global; i++)
        d->global[i] = ia_le64(p + 8 * i);
done:
    ia_free(table);
    return st;
}

/* ---- columns -------------------------------------------------------------------------------- */

typedef struct col_walk {
    ia_file *f;
    ia_filedesc *d;
    uint32_t next;
    uint64_t entries; /* of a column's pages for each row: the lengths of fixed-size lists */
    bool in_list;     /* then each row has values as it likes */
    ia_buf path;
} col_walk;

static ia_status describe_page(ia_ctx *cx, ia_filedesc *d, const ia_page *p, ia_pagedesc *out)
{
    ia_status st;

    *out = (ia_pagedesc){.row = p->first,
                         .rows = p->rows,
                         .offsets = p->offsets,
                         .sizes = p->sizes,
                         .n_buffers = p->n_buffers};
    for (size_t i = 0; i < p->n_buffers; i++)
        out->bytes += p->sizes[i];
    st = ia_pagedesc_layout(cx, &d->arena, p->desc, p->desc_len, d->minor, out);
    if (st != IA_ERR_UNSUPPORTED)
        return st;
    out->layout = out->layers = out->values = out->rep = out->def = out->dict = NULL;
    st = IA_SET(cx, out->refused, ia_arena_strdup(cx, &d->arena, cx->err.text));
    if (st == IA_OK)
        ia_ctx_clear(cx);
    out->text = out->refused;
    return st;
}

static ia_status describe_column(ia_ctx *cx, col_walk *w, const char *type, uint64_t per_row)
{
    ia_columndesc *c = &w->d->columns[w->next];
    ia_filecol *col;
    ia_status st = IA_OK;

    IA_GO(ia_file_column_load(cx, w->f, w->next, per_row, &col));
    c->meta_pos = col->meta_pos;
    c->meta_len = col->meta_len;
    c->bytes = col->bytes;
    IA_GO(IA_SET(cx, c->type, ia_arena_strdup(cx, &w->d->arena, type)));
    IA_GO(IA_SET(cx, c->path,
                 ia_arena_strndup(cx, &w->d->arena, w->path.len ? (const char *)w->path.data : "",
                                  w->path.len)));
    IA_GO(IA_ARENA_ARRAY(cx, &w->d->arena, c->pages, col->n_pages + 1));
    for (; c->n_pages < col->n_pages; c->n_pages++) {
        st = describe_page(cx, w->d, &col->pages[c->n_pages], &c->pages[c->n_pages]);
        IA_GO(ia_fail_prefix(cx, st, "file %s, column %" PRIu32 ", page %zu", w->d->path, w->next,
                             c->n_pages));
    }
    w->next++;
done:
    return st;
}

/* Bytes of the values in memory, where every row has as many. */
static void expect_bytes(ia_columndesc *c, const ia_type *t, uint64_t rows, uint64_t per_row)
{
    uint64_t n = 0;

    c->has_arrow = ia_type_bits(t) && per_row && ia_mul_u64(&n, rows, per_row) &&
                   ia_mul_u64(&n, n, ia_type_bits(t));
    c->arrow_bytes = c->has_arrow ? n / 8 + (n % 8 != 0) : 0;
}

static ia_status walk_field(ia_ctx *cx, col_walk *w, const ia_field *f, int depth)
{
    const size_t len = w->path.len;
    const uint64_t entries = w->entries;
    const bool in_list = w->in_list;
    const bool leaf = ia_field_is_leaf(f) || depth > MAX_DEPTH ||
                      (w->d->minor == 0 && f->type->id == IA_TYPE_FIXED_LIST);
    char type[256];

    if (len)
        ia_buf_putc(cx, &w->path, '.');
    ia_buf_puts(cx, &w->path, f->name);
    IA_TRY(ia_buf_status(&w->path));
    if ((leaf || w->d->minor == 0) && w->next < w->d->n_columns) {
        IA_TRY(describe_column(cx, w, ia_type_text(f->type, type, sizeof type),
                               w->d->minor || !in_list ? entries : 0));
        if (leaf)
            expect_bytes(&w->d->columns[w->next - 1], f->type, w->d->rows, in_list ? 0 : entries);
    }
    if (!leaf && f->type->id == IA_TYPE_FIXED_LIST)
        w->entries = ia_mul_u64(&w->entries, entries, (uint64_t)f->type->size) ? w->entries : 0;
    w->in_list = in_list || ia_type_is_list(f->type);
    for (size_t i = 0; !leaf && i < f->type->n_children; i++)
        IA_TRY(walk_field(cx, w, &f->type->children[i], depth + 1));
    w->entries = entries;
    w->in_list = in_list;
    w->path.len = len;
    return IA_OK;
}

static ia_status walk_columns(ia_ctx *cx, ia_file *f, const ia_schema *exact, ia_filedesc *d)
{
    col_walk w = {.f = f, .d = d};
    ia_status st;

    IA_GO(IA_ARENA_ARRAY(cx, &d->arena, d->columns, (size_t)f->n_cols + 1));
    d->n_columns = f->n_cols;
    for (size_t i = 0; i < exact->n_fields; i++) {
        w.entries = 1;
        IA_GO(walk_field(cx, &w, &exact->fields[i], 0));
    }
    while (w.next < d->n_columns)
        IA_GO(describe_column(cx, &w, "", 0));
done:
    ia_buf_dispose(&w.path);
    return st;
}

/* ---- measuring ------------------------------------------------------------------------------ */

static uint64_t own_bytes(const ia_array *a)
{
    uint64_t n = ia_array_bytes(a);

    for (size_t i = 0; i < a->n_children; i++) {
        const uint64_t child = ia_array_bytes(a->children[i]);

        n = n > child ? n - child : 0;
    }
    return n;
}

/* Adds the bytes of an array to its columns; those of structure go to the column that follows. */
static void add_bytes(ia_filedesc *d, const ia_field *f, const ia_array *a, uint32_t *column,
                      uint64_t outer, int depth)
{
    const bool leaf = ia_field_is_leaf(f) || depth > MAX_DEPTH;

    if (leaf || d->minor == 0) {
        if (*column < d->n_columns)
            d->columns[*column].arrow_bytes += outer + (leaf ? ia_array_bytes(a) : own_bytes(a));
        (*column)++;
        outer = 0;
    } else {
        outer += own_bytes(a);
    }
    for (size_t i = 0; !leaf && i < a->n_children; i++) {
        add_bytes(d, &f->type->children[i], a->children[i], column, outer, depth + 1);
        outer = 0;
    }
}

static ia_status measure(ia_ctx *cx, ia_file *f, const ia_schema *exact, ia_filedesc *d)
{
    ia_projection proj = {0};
    ia_file_scan *scan = NULL;
    ia_array **cols = NULL;
    uint64_t rows = 1;
    ia_status st;

    for (uint32_t i = 0; i < d->n_columns; i++) {
        d->columns[i].has_arrow = true;
        d->columns[i].arrow_bytes = 0;
    }
    IA_GO(ia_projection_of(cx, f, exact, NULL, 0, &proj));
    IA_GO(IA_NEW_ARRAY(cx, cols, proj.n + 1));
    IA_GO(ia_file_scan_open(cx, f, proj.cols, proj.n, 0, d->rows, 0, &scan));
    while (rows) {
        uint32_t column = 0;

        IA_GO(ia_file_scan_next(cx, scan, cols, &rows));
        for (size_t i = 0; rows && i < exact->n_fields; i++) {
            add_bytes(d, &exact->fields[i], cols[i], &column, 0, 0);
            ia_array_release(cols[i]);
        }
    }
done:
    ia_file_scan_close(scan);
    ia_projection_dispose(&proj);
    ia_free(cols);
    return st;
}

ia_status ia_filedesc_read(ia_ctx *cx, ia_file *f, const ia_schema *exact, bool measured,
                           ia_filedesc *out)
{
    ia_status st;

    memset(out, 0, sizeof *out);
    IA_GO(read_container(cx, f, out));
    IA_GO(walk_columns(cx, f, exact, out));
    if (measured)
        IA_GO(measure(cx, f, exact, out));
done:
    if (st != IA_OK)
        ia_filedesc_dispose(out);
    return st;
}
