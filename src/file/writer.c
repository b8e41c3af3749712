/* writer.c - writes a Lance file: buffers rows per column, flushes pages, closes with metadata. */
#include <inttypes.h>

#include "file/lschema_wire.h"
#include "file/write_priv.h"

enum {
    PENDING = 1 << 20,
    DIRECT = 256 << 10,
    SLICE_ROWS = 16384,
    MAX_INVISIBLE_ENTRIES = 16384,
    FILL = 0x48
};
#define PAGE_BYTES ((uint64_t)8 << 20)
#define COLUMN_URL "/lance.encodings.ColumnEncoding"
#define PAGE_URL "/lance.encodings21.PageLayout"

struct ia_file_writer {
    ia_fout out;
    ia_schema *schema;
    ia_lschema ls;
    ia_wleaf *leaves;
    size_t n_leaves;
    uint64_t rows, page_bytes;
    uint32_t minor;
    bool broken; /* a write failed half way; the file cannot be finished */
};

/* ---- output --------------------------------------------------------------------------------- */

static ia_status flush(ia_ctx *cx, ia_fout *o)
{
    if (!o->pend.len)
        return IA_OK;
    if (!o->w)
        IA_TRY(ia_objstore_create(cx, o->os, o->path, &o->w));
    IA_TRY(ia_objwriter_write(cx, o->w, o->pend.data, o->pend.len, o->cls));
    ia_buf_clear(&o->pend);
    return IA_OK;
}

/* Pending bytes count under the heaviest class among them. */
ia_status ia_fout_write(ia_ctx *cx, ia_fout *o, const void *data, size_t len, ia_io_class cls)
{
    if (!len)
        return IA_OK;
    if (o->pend.len + len > PENDING)
        IA_TRY(flush(cx, o));
    o->pos += len;
    if (len >= DIRECT) {
        IA_TRY(flush(cx, o));
        if (!o->w)
            IA_TRY(ia_objstore_create(cx, o->os, o->path, &o->w));
        return ia_objwriter_write(cx, o->w, data, len, cls);
    }
    o->cls = !o->pend.len || cls > o->cls ? cls : o->cls;
    ia_buf_put(cx, &o->pend, data, len);
    return ia_buf_status(&o->pend);
}

ia_status ia_fout_align(ia_ctx *cx, ia_fout *o, ia_io_class cls)
{
    uint8_t fill[64];
    size_t n = (size_t)(-o->pos & 63);

    memset(fill, FILL, sizeof fill);
    return ia_fout_write(cx, o, fill, n, cls);
}

ia_status ia_fout_finish(ia_ctx *cx, ia_fout *o, uint32_t put_flags)
{
    IA_TRY(flush(cx, o));
    return ia_objwriter_finish(cx, o->w, put_flags);
}

void ia_fout_dispose(ia_fout *o)
{
    ia_objwriter_close(o->w);
    ia_buf_dispose(&o->pend);
    ia_free(o->path);
    memset(o, 0, sizeof *o);
}

/* ---- pages ---------------------------------------------------------------------------------- */

/* Encoding {direct {Any {url, value}}} as member `number`. */
static void put_any(ia_ctx *cx, ia_buf *b, uint32_t number, const char *url, const void *value,
                    size_t len)
{
    size_t enc = ia_wire_begin(cx, b, number), direct = ia_wire_begin(cx, b, 2),
           any = ia_wire_begin(cx, b, 1);

    ia_wire_put_str(cx, b, 1, url);
    ia_wire_add_bytes(cx, b, 2, value, len);
    ia_wire_end(cx, b, any);
    ia_wire_end(cx, b, direct);
    ia_wire_end(cx, b, enc);
}

static ia_status write_page(ia_ctx *cx, ia_fout *out, ia_wleaf *l, const ia_wpage *page)
{
    uint64_t offs[4], sizes[4];
    size_t m;

    for (size_t i = 0; i < page->n; i++) {
        IA_TRY(ia_fout_align(cx, out, l->cls));
        offs[i] = out->pos;
        sizes[i] = page->views[i].len;
        IA_TRY(ia_fout_write(cx, out, page->views[i].data, page->views[i].len, l->cls));
    }
    m = ia_wire_begin(cx, &l->pages, 2);
    ia_wire_put_u64s(cx, &l->pages, 1, offs, page->n);
    ia_wire_put_u64s(cx, &l->pages, 2, sizes, page->n);
    ia_wire_put_u64(cx, &l->pages, 3, l->rows);
    put_any(cx, &l->pages, 4, PAGE_URL, page->layout.data, page->layout.len);
    ia_wire_put_u64(cx, &l->pages, 5, l->first_row);
    ia_wire_end(cx, &l->pages, m);
    return ia_buf_status(&l->pages);
}

static ia_status flush_page(ia_ctx *cx, ia_fout *out, ia_wleaf *l)
{
    ia_wpage page = {0};
    ia_wlevels lv = {0};
    ia_status st = IA_OK;

    if (!l->rows)
        return IA_OK;
    IA_GO(ia_wlevels_make(cx, l, &lv));
    IA_GO(ia_write_page(cx, l, &lv, &page));
    IA_GO(write_page(cx, out, l, &page));
    ia_wleaf_clear(l);
done:
    ia_free(lv.def);
    ia_wpage_dispose(&page);
    return st;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Rows that fit the page: by width, else in small steps. */
static int64_t step_rows(const ia_file_writer *w, const ia_wleaf *l, int64_t left)
{
    uint64_t have = ia_wleaf_bytes(l), width = (l->phys.value_bits + 7) / 8;
    uint64_t n = SLICE_ROWS;

    if (l->depth == 1 && l->phys.kind == IA_PHYS_FIXED && have < w->page_bytes)
        n = (w->page_bytes - have + width - 1) / (width ? width : 1);
    if (l->depth == 1 && n > UINT64_C(1) << 20)
        n = UINT64_C(1) << 20;
    return (uint64_t)left < n ? left : (int64_t)(n ? n : 1);
}

/* Lists go row by row: a page with invisible entries must stay small (file format 7.4). Whether the
 * next row would break that is known from a bound on its entries. */
static ia_status append_lists(ia_ctx *cx, ia_file_writer *w, ia_wleaf *l, const ia_array *a)
{
    for (int64_t i = 0; i < a->length; i++) {
        uint64_t before = l->entries;

        IA_TRY(ia_wleaf_append(cx, l, a, i, 1));
        if ((l->invisible && l->entries + (l->entries - before) > MAX_INVISIBLE_ENTRIES) ||
            ia_wleaf_bytes(l) >= w->page_bytes)
            IA_TRY(flush_page(cx, &w->out, l));
    }
    return IA_OK;
}

static ia_status append_leaf(ia_ctx *cx, ia_file_writer *w, ia_wleaf *l, const ia_array *a)
{
    if (l->n_lists)
        return append_lists(cx, w, l, a);
    for (int64_t at = 0; at < a->length;) {
        int64_t n = step_rows(w, l, a->length - at);

        IA_TRY(ia_wleaf_append(cx, l, a, at, n));
        at += n;
        if (ia_wleaf_bytes(l) >= w->page_bytes)
            IA_TRY(flush_page(cx, &w->out, l));
    }
    return IA_OK;
}

static ia_status check_batch(ia_ctx *cx, const ia_file_writer *w, const ia_batch *b)
{
    if (b->schema->n_fields != w->schema->n_fields)
        return ia_fail(cx, IA_ERR_INVALID, "file %s: batch of %zu columns for a schema of %zu",
                       w->out.path, b->schema->n_fields, w->schema->n_fields);
    for (size_t i = 0; i < w->schema->n_fields; i++) {
        char want[96], have[96];

        if (b->cols[i]->length != b->rows)
            return ia_fail(cx, IA_ERR_INVALID,
                           "file %s: column '%s' has %" PRId64 " of %" PRId64 " rows", w->out.path,
                           w->schema->fields[i].name, b->cols[i]->length, b->rows);
        if (!ia_type_equal(b->cols[i]->type, w->schema->fields[i].type))
            return ia_fail(cx, IA_ERR_INVALID,
                           "file %s: column '%s' has type %s, the schema says %s", w->out.path,
                           w->schema->fields[i].name,
                           ia_type_text(b->cols[i]->type, have, sizeof have),
                           ia_type_text(w->schema->fields[i].type, want, sizeof want));
    }
    return IA_OK;
}

ia_status ia_file_writer_write(ia_ctx *cx, ia_file_writer *w, const ia_batch *b)
{
    if (w->broken)
        return ia_fail(cx, IA_ERR_INVALID, "file %s: an earlier write failed", w->out.path);
    IA_TRY(ia_check(cx, w->rows, 0));
    IA_TRY(check_batch(cx, w, b));
    w->broken = true;
    for (size_t i = 0; i < w->n_leaves; i++)
        IA_TRY(append_leaf(cx, w, &w->leaves[i], b->cols[w->leaves[i].top_index]));
    w->broken = false;
    w->rows += (uint64_t)b->rows;
    return IA_OK;
}

/* ---- opening -------------------------------------------------------------------------------- */

static bool is_list(const ia_type *t)
{
    return t->id == IA_TYPE_LIST || t->id == IA_TYPE_LARGE_LIST;
}

static bool packs(const ia_phys *p, const ia_type *t)
{
    return p->kind == IA_PHYS_FIXED && !p->n_dims && !ia_type_is_float(t) &&
           t->id != IA_TYPE_FIXED_BINARY &&
           (p->bits == 8 || p->bits == 16 || p->bits == 32 || p->bits == 64);
}

static ia_status add_leaf(ia_ctx *cx, ia_file_writer *w, const ia_wleaf *path,
                          const ia_file_writer_options *opt)
{
    ia_wleaf *grown = ia_realloc(cx, w->leaves, (w->n_leaves + 1) * sizeof *grown);
    const ia_type *t = path->node[path->depth - 1]->type;
    ia_wleaf *l;

    if (!grown)
        return cx->err.code;
    w->leaves = grown;
    l = &grown[w->n_leaves++];
    *l = *path;
    IA_TRY(ia_phys_of(cx, t, &l->phys));
    ia_vals_init(&l->vals, &l->phys);
    l->bitpack = packs(&l->phys, t);
    l->minor = w->minor;
    l->large_chunks = w->minor >= 2;
    IA_TRY(ia_hints_of(cx, l->node[l->depth - 1], opt, &l->hints));
    l->first_list = SIZE_MAX;
    for (size_t i = l->depth; i-- > 0;) {
        bool list = is_list(l->node[i]->type);

        l->lists_below[i] = l->lists_below[i + 1] + list;
        if (list && l->first_list == SIZE_MAX)
            l->first_list = l->depth - 1 - i;
    }
    l->n_lists = l->lists_below[0];
    return IA_OK;
}

/* `path` is the way down so far, with `f` as its last node. */
static ia_status add_leaves(ia_ctx *cx, ia_file_writer *w, ia_wleaf *path, const ia_field *f,
                            const ia_file_writer_options *opt)
{
    ia_status st = IA_OK;

    if (path->depth == IA_MAX_LAYERS - 2)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "column '%s' is nested too deeply", path->top->name);
    path->node[path->depth++] = f;
    if (!is_list(f->type) && f->type->id != IA_TYPE_STRUCT)
        st = ia_fail_prefix(cx, add_leaf(cx, w, path, opt), "column '%s'", path->top->name);
    for (size_t i = 0; st == IA_OK && (is_list(f->type) || f->type->id == IA_TYPE_STRUCT) &&
                       i < f->type->n_children;
         i++) {
        path->child[path->depth - 1] = i;
        st = add_leaves(cx, w, path, &f->type->children[i], opt);
    }
    path->depth--;
    return st;
}

static bool same_logical(const char *a, const char *b)
{
    size_t n = strcspn(a, "."), m = strcspn(b, ".");

    if (ia_str_eq(a, b))
        return true;
    return n == m && strncmp(a, b, n) == 0 && (!a[n] || ia_str_eq(a + n, ".struct")) &&
           (!b[m] || ia_str_eq(b + m, ".struct"));
}

/* The stored types must be what we would store for the Arrow schema. */
static ia_status check_lschema(ia_ctx *cx, const ia_schema *s, const ia_lschema *ls)
{
    ia_lschema own = {0};
    ia_status st;

    IA_GO(ia_lschema_from_arrow(cx, s, 0, &own));
    if (own.n != ls->n)
        IA_GO(ia_fail(cx, IA_ERR_INVALID, "schema of %zu fields for a table of %zu", own.n, ls->n));
    for (size_t i = 0; i < ls->n; i++) {
        if (!ia_str_eq(own.fields[i].name, ls->fields[i].name))
            IA_GO(ia_fail(cx, IA_ERR_INVALID, "field %zu is '%s', the table says '%s'", i,
                          own.fields[i].name, ls->fields[i].name));
        if (!same_logical(own.fields[i].logical_type, ls->fields[i].logical_type))
            IA_GO(ia_fail(
                cx, IA_ERR_UNSUPPORTED, "field '%s' is stored as %s; it cannot be written as %s",
                ls->fields[i].name, ls->fields[i].logical_type, own.fields[i].logical_type));
    }
done:
    ia_lschema_dispose(&own);
    return st;
}

static ia_status set_up(ia_ctx *cx, ia_file_writer *w, const ia_file_writer_options *opt)
{
    for (size_t i = 0; i < w->schema->n_fields; i++) {
        ia_wleaf path = {.top = &w->schema->fields[i], .top_index = i, .cls = IA_IO_PAYLOAD};

        if (opt && opt->classes)
            path.cls = opt->classes[i];
        IA_TRY(add_leaves(cx, w, &path, &w->schema->fields[i], opt));
    }
    return IA_OK;
}

ia_status ia_file_writer_open(ia_ctx *cx, ia_objstore *os, const char *path, const ia_schema *s,
                              const ia_lschema *ls, const ia_file_writer_options *opt,
                              ia_file_writer **out)
{
    ia_file_writer *w = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW(cx, w));
    w->minor = opt && opt->minor ? opt->minor : 1;
    w->page_bytes = opt && opt->page_bytes ? opt->page_bytes : PAGE_BYTES;
    if (w->minor > 2)
        IA_GO(ia_fail(cx, IA_ERR_UNSUPPORTED, "writing Lance file version 2.%" PRIu32, w->minor));
    w->out.os = os;
    IA_GO(IA_SET(cx, w->out.path, ia_strdup(cx, path)));
    IA_GO(check_lschema(cx, s, ls));
    IA_GO(ia_lschema_copy(cx, ls, &w->ls));
    w->schema = ia_schema_retain((ia_schema *)(uintptr_t)s);
    IA_GO(set_up(cx, w, opt));
    *out = w;
    w = NULL;
done:
    ia_file_writer_close(w);
    return st == IA_OK ? st : ia_fail_prefix(cx, st, "file %s", path);
}

void ia_file_writer_close(ia_file_writer *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->n_leaves; i++)
        ia_wleaf_dispose(&w->leaves[i]);
    ia_free(w->leaves);
    ia_fout_dispose(&w->out);
    ia_lschema_dispose(&w->ls);
    ia_schema_release(w->schema);
    ia_free(w);
}

/* ---- closing -------------------------------------------------------------------------------- */

static ia_status descriptor(ia_ctx *cx, const ia_file_writer *w, ia_buf *b)
{
    size_t schema = ia_wire_begin(cx, b, 1);

    for (size_t i = 0; i < w->ls.n; i++) {
        size_t field = ia_wire_begin(cx, b, 1);

        IA_TRY(ia_lfield_encode(cx, &w->ls.fields[i], b));
        ia_wire_end(cx, b, field);
    }
    ia_wire_put_kv(cx, b, 5, w->ls.metadata, w->ls.n_metadata);
    ia_wire_end(cx, b, schema);
    ia_wire_put_u64(cx, b, 2, w->rows);
    return ia_buf_status(b);
}

static void put_pair(ia_ctx *cx, ia_buf *b, uint64_t pos, uint64_t len)
{
    uint8_t p[16];

    ia_put_le64(p, pos);
    ia_put_le64(p + 8, len);
    ia_buf_put(cx, b, p, sizeof p);
}

/* Descriptor, column metadata, both tables and the footer; they follow each other without gaps. */
static ia_status metadata(ia_ctx *cx, ia_file_writer *w, ia_buf *b)
{
    static const uint8_t values[] = {0x0A, 0x00};
    uint64_t base = w->out.pos, desc_len, meta, cmo, gbo;
    ia_buf table = {0};
    uint8_t foot[16] = {0};
    ia_status st;

    IA_GO(descriptor(cx, w, b));
    desc_len = b->len;
    meta = base + b->len;
    for (size_t i = 0; i < w->n_leaves; i++) {
        size_t start = b->len;

        put_any(cx, b, 1, COLUMN_URL, values, sizeof values);
        if (w->leaves[i].pages.len)
            ia_buf_put(cx, b, w->leaves[i].pages.data, w->leaves[i].pages.len);
        put_pair(cx, &table, base + start, b->len - start);
    }
    cmo = base + b->len;
    if (table.len)
        ia_buf_put(cx, b, table.data, table.len);
    gbo = base + b->len;
    put_pair(cx, b, base, desc_len);
    put_pair(cx, b, meta, cmo);
    ia_put_le32(foot, 1);
    ia_put_le32(foot + 4, (uint32_t)w->n_leaves);
    ia_put_le16(foot + 8, 2);
    ia_put_le16(foot + 10, (uint16_t)w->minor);
    memcpy(foot + 12, "LANC", 4);
    /* The footer's third position stands between the pair and the counts. */
    put_pair(cx, b, gbo, ia_le64(foot));
    ia_buf_put(cx, b, foot + 8, 8);
    IA_GO(ia_buf_status(&table));
    st = ia_buf_status(b);
done:
    ia_buf_dispose(&table);
    return st;
}

ia_status ia_file_writer_finish(ia_ctx *cx, ia_file_writer *w, uint32_t put_flags,
                                ia_file_info *out)
{
    ia_buf meta = {0};
    ia_status st = IA_OK;

    memset(out, 0, sizeof *out);
    if (w->broken)
        IA_GO(ia_fail(cx, IA_ERR_INVALID, "file %s: an earlier write failed", w->out.path));
    w->broken = true;
    for (size_t i = 0; i < w->n_leaves; i++)
        IA_GO(flush_page(cx, &w->out, &w->leaves[i]));
    IA_GO(ia_fout_align(cx, &w->out, IA_IO_META));
    IA_GO(metadata(cx, w, &meta));
    IA_GO(ia_fout_write(cx, &w->out, meta.data, meta.len, IA_IO_META));
    IA_GO(ia_fout_finish(cx, &w->out, put_flags));
    out->size = w->out.pos;
    out->rows = w->rows;
    out->columns = (uint32_t)w->n_leaves;
done:
    ia_buf_dispose(&meta);
    return st;
}
