/* writer.c - writes a Lance file: rows to columns, columns to pages, closes with metadata. */
#include <inttypes.h>

#include "file/lschema_wire.h"
#include "file/write_queue.h"

#define PAGE_BYTES ((uint64_t)8 << 20)
#define MIN_PAGE_BYTES ((uint64_t)32 << 10)
#define FIXED_BYTES ((uint64_t)1 << 20) /* of the output; tables of a page in work */
#define COLUMN_URL "/lance.encodings.ColumnEncoding"

struct ia_file_writer {
    ia_wqueue queue;
    ia_schema *schema;
    ia_lschema ls;
    ia_wleaf *leaves;
    size_t n_leaves;
    uint64_t rows, page_bytes;
    uint32_t minor;
    bool broken; /* a write failed half way; the file cannot be finished */
};

/* ---- rows ----------------------------------------------------------------------------------- */

static ia_status check_batch(ia_ctx *cx, const ia_file_writer *w, const ia_batch *b)
{
    if (b->schema->n_fields != w->schema->n_fields)
        return ia_fail(cx, IA_ERR_INVALID, "file %s: batch of %zu columns for a schema of %zu",
                       w->queue.out.path, b->schema->n_fields, w->schema->n_fields);
    for (size_t i = 0; i < w->schema->n_fields; i++) {
        char want[96], have[96];

        if (b->cols[i]->length != b->rows)
            return ia_fail(
                cx, IA_ERR_INVALID, "file %s: column '%s' has %" PRId64 " of %" PRId64 " rows",
                w->queue.out.path, w->schema->fields[i].name, b->cols[i]->length, b->rows);
        if (!ia_type_equal(b->cols[i]->type, w->schema->fields[i].type))
            return ia_fail(cx, IA_ERR_INVALID,
                           "file %s: column '%s' has type %s, the schema says %s",
                           w->queue.out.path, w->schema->fields[i].name,
                           ia_type_text(b->cols[i]->type, have, sizeof have),
                           ia_type_text(w->schema->fields[i].type, want, sizeof want));
    }
    return IA_OK;
}

ia_status ia_file_writer_write(ia_ctx *cx, ia_file_writer *w, const ia_batch *b)
{
    if (w->broken)
        return ia_fail(cx, IA_ERR_INVALID, "file %s: an earlier write failed", w->queue.out.path);
    IA_TRY(ia_check(cx, w->rows, 0));
    IA_TRY(check_batch(cx, w, b));
    w->broken = true;
    for (size_t i = 0; i < w->n_leaves; i++)
        IA_TRY(ia_wleaf_append(cx, &w->leaves[i], &w->queue, b->cols[w->leaves[i].top_index],
                               w->page_bytes));
    w->broken = false;
    w->rows += (uint64_t)b->rows;
    return IA_OK;
}

/* ---- opening -------------------------------------------------------------------------------- */

static ia_status add_leaf(ia_ctx *cx, ia_file_writer *w, const ia_wleaf *path,
                          const ia_file_writer_options *opt)
{
    ia_wleaf *grown = ia_realloc(cx, w->leaves, (w->n_leaves + 1) * sizeof *grown);

    if (!grown)
        return cx->err.code;
    w->leaves = grown;
    grown[w->n_leaves] = *path;
    return ia_wleaf_init(cx, &grown[w->n_leaves++], opt);
}

/* `path` is the way down so far, with `f` as its last node. */
static ia_status add_leaves(ia_ctx *cx, ia_file_writer *w, ia_wleaf *path, const ia_field *f,
                            const ia_file_writer_options *opt)
{
    ia_status st = IA_OK;

    if (path->depth == IA_MAX_LAYERS - 2)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "column '%s' is nested too deeply", path->top->name);
    path->node[path->depth++] = f;
    if (ia_field_is_leaf(f))
        st = ia_fail_prefix(cx, add_leaf(cx, w, path, opt), "column '%s'", path->top->name);
    for (size_t i = 0; st == IA_OK && !ia_field_is_leaf(f) && i < f->type->n_children; i++) {
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
        ia_wleaf path = {
            .top = &w->schema->fields[i], .top_index = i, .minor = w->minor, .cls = IA_IO_PAYLOAD};

        if (opt && opt->classes)
            path.cls = opt->classes[i];
        IA_TRY(add_leaves(cx, w, &path, &w->schema->fields[i], opt));
    }
    return IA_OK;
}

/* A column buffers a page, and each page in work is there twice: raw and encoded; buffers grow by
 * doubling. Where that would take much of what is left, pages are smaller. */
static uint64_t pick_page_bytes(ia_ctx *cx, const ia_file_writer *w,
                                const ia_file_writer_options *opt)
{
    uint64_t holders = w->n_leaves + 2 * (1 + w->queue.cap), left = ia_budget_left(cx->budget);
    uint64_t fixed = ((uint64_t)w->queue.threads + 2) * FIXED_BYTES;
    uint64_t share = (left - (left / 2 < fixed ? left / 2 : fixed)) / 3 / holders;

    if (opt && opt->page_bytes)
        return opt->page_bytes;
    if (share >= PAGE_BYTES)
        return PAGE_BYTES;
    return share > MIN_PAGE_BYTES ? share : MIN_PAGE_BYTES;
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
    if (w->minor > 2)
        IA_GO(ia_fail(cx, IA_ERR_UNSUPPORTED, "writing Lance file version 2.%" PRIu32, w->minor));
    w->queue.out.os = os;
    IA_GO(IA_SET(cx, w->queue.out.path, ia_strdup(cx, path)));
    IA_GO(check_lschema(cx, s, ls));
    IA_GO(ia_lschema_copy(cx, ls, &w->ls));
    w->schema = ia_schema_retain((ia_schema *)(uintptr_t)s);
    IA_GO(set_up(cx, w, opt));
    ia_wqueue_init(&w->queue, opt ? opt->threads : 1);
    w->page_bytes = pick_page_bytes(cx, w, opt);
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
    ia_wqueue_dispose(&w->queue);
    for (size_t i = 0; i < w->n_leaves; i++)
        ia_wleaf_dispose(&w->leaves[i]);
    ia_free(w->leaves);
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
    uint64_t base = w->queue.out.pos, desc_len, meta, cmo, gbo;
    ia_buf table = {0};
    uint8_t foot[16] = {0};
    ia_status st;

    IA_GO(descriptor(cx, w, b));
    desc_len = b->len;
    meta = base + b->len;
    for (size_t i = 0; i < w->n_leaves; i++) {
        size_t start = b->len;

        ia_put_any(cx, b, 1, COLUMN_URL, values, sizeof values);
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
    ia_fout *o = &w->queue.out;
    ia_buf meta = {0};
    ia_status st = IA_OK;

    memset(out, 0, sizeof *out);
    if (w->broken)
        IA_GO(ia_fail(cx, IA_ERR_INVALID, "file %s: an earlier write failed", o->path));
    w->broken = true;
    for (size_t i = 0; i < w->n_leaves; i++)
        IA_GO(ia_wqueue_put(cx, &w->queue, &w->leaves[i]));
    IA_GO(ia_wqueue_drain(cx, &w->queue));
    IA_GO(ia_fout_align(cx, o, IA_IO_META));
    IA_GO(metadata(cx, w, &meta));
    IA_GO(ia_fout_write(cx, o, meta.data, meta.len, IA_IO_META));
    IA_GO(ia_fout_finish(cx, o, put_flags));
    out->size = o->pos;
    out->rows = w->rows;
    out->columns = (uint32_t)w->n_leaves;
done:
    ia_buf_dispose(&meta);
    return st;
}
