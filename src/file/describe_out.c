/* describe_out.c - the description of a file as JSON and as a tree of text. */
#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "file/describe.h"

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_u64(ia_jsonw *w, const char *name, uint64_t v)
{
    ia_jsonw_key(w, name);
    ia_jsonw_u64(w, v);
}

static void json_text(ia_jsonw *w, const char *name, const char *v)
{
    ia_jsonw_key(w, name);
    ia_jsonw_str(w, v);
}

static void json_some(ia_jsonw *w, const char *name, const char *v)
{
    if (v)
        json_text(w, name, v);
}

static void json_ranges(ia_jsonw *w, const char *name, const uint64_t *pos, const uint64_t *size,
                        size_t n, size_t step)
{
    ia_jsonw_key(w, name);
    ia_jsonw_array(w);
    for (size_t i = 0; i < n; i++) {
        ia_jsonw_object(w);
        json_u64(w, "position", pos[i * step]);
        json_u64(w, "size", size[i * step]);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
}

static void json_field(ia_jsonw *w, const ia_lfield *f)
{
    ia_jsonw_object(w);
    ia_jsonw_key(w, "id");
    ia_jsonw_i64(w, f->id);
    ia_jsonw_key(w, "parent_id");
    ia_jsonw_i64(w, f->parent_id);
    json_text(w, "name", f->name);
    json_text(w, "type", f->logical_type);
    ia_jsonw_key(w, "nullable");
    ia_jsonw_bool(w, f->nullable);
    if (f->n_metadata) {
        ia_jsonw_key(w, "metadata");
        ia_jsonw_object(w);
        for (size_t i = 0; i < f->n_metadata; i++)
            json_text(w, f->metadata[i].key, f->metadata[i].value);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_object(w);
}

static void json_page(ia_jsonw *w, const ia_pagedesc *p)
{
    ia_jsonw_object(w);
    json_u64(w, "row", p->row);
    json_u64(w, "rows", p->rows);
    json_u64(w, "bytes", p->bytes);
    json_some(w, "layout", p->layout);
    json_some(w, "layers", p->layers);
    json_some(w, "values", p->values);
    json_some(w, "rep", p->rep);
    json_some(w, "def", p->def);
    json_some(w, "dictionary", p->dict);
    if (p->dict_items)
        json_u64(w, "dictionary_items", p->dict_items);
    if (p->items)
        json_u64(w, "items", p->items);
    if (p->chunks)
        json_u64(w, "chunks", p->chunks);
    if (p->refused)
        json_text(w, "refused", p->refused);
    else
        json_text(w, "text", p->text);
    json_ranges(w, "buffers", p->offsets, p->sizes, p->n_buffers, 1);
    ia_jsonw_end_object(w);
}

static void json_column(ia_jsonw *w, const ia_columndesc *c)
{
    ia_jsonw_object(w);
    json_text(w, "path", c->path);
    json_text(w, "type", *c->type ? c->type : NULL);
    json_u64(w, "bytes", c->bytes);
    ia_jsonw_key(w, "arrow_bytes");
    if (c->has_arrow)
        ia_jsonw_u64(w, c->arrow_bytes);
    else
        ia_jsonw_null(w);
    json_u64(w, "metadata_position", c->meta_pos);
    json_u64(w, "metadata_bytes", c->meta_len);
    ia_jsonw_key(w, "pages");
    ia_jsonw_array(w);
    for (size_t i = 0; i < c->n_pages; i++)
        json_page(w, &c->pages[i]);
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
}

static void json_container(ia_jsonw *w, const ia_filedesc *d)
{
    char version[32];

    snprintf(version, sizeof version, "%" PRIu32 ".%" PRIu32, d->major, d->minor);
    json_text(w, "path", d->path);
    json_text(w, "version", version);
    json_u64(w, "rows", d->rows);
    json_u64(w, "bytes", d->size);
    json_u64(w, "footer_position", d->size - 40);
    json_u64(w, "metadata_position", d->meta_pos);
    json_u64(w, "column_table_position", d->column_table);
    json_u64(w, "global_table_position", d->global_table);
    json_ranges(w, "global_buffers", d->global, d->global + 1, d->n_global, 2);
    ia_jsonw_key(w, "fields");
    ia_jsonw_array(w);
    for (size_t i = 0; i < d->schema->n; i++)
        json_field(w, &d->schema->fields[i]);
    ia_jsonw_end_array(w);
    ia_jsonw_key(w, "metadata");
    ia_jsonw_object(w);
    for (size_t i = 0; i < d->schema->n_metadata; i++)
        json_text(w, d->schema->metadata[i].key, d->schema->metadata[i].value);
    ia_jsonw_end_object(w);
}

ia_status ia_filedesc_json(ia_ctx *cx, const ia_filedesc *d, ia_bytes *out)
{
    ia_jsonw w;
    ia_status st;

    ia_jsonw_init(&w, cx, 2);
    ia_jsonw_object(&w);
    json_container(&w, d);
    ia_jsonw_key(&w, "columns");
    ia_jsonw_array(&w);
    for (uint32_t i = 0; i < d->n_columns; i++)
        json_column(&w, &d->columns[i]);
    ia_jsonw_end_array(&w);
    ia_jsonw_end_object(&w);
    st = ia_jsonw_finish(&w, out);
    ia_jsonw_dispose(&w);
    return st;
}

/* ---- text ----------------------------------------------------------------------------------- */

/* "812 B", "33.9 KiB" */
static const char *human(uint64_t n, char out[24])
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double v = (double)n / 1024;
    size_t u = 0;

    if (n < 1024) {
        snprintf(out, 24, "%" PRIu64 " B", n);
        return out;
    }
    for (; v >= 1023.95 && u + 1 < sizeof units / sizeof *units; u++)
        v /= 1024;
    snprintf(out, 24, "%.1f %s", v, units[u]);
    return out;
}

static uint64_t column_bytes(const ia_filedesc *d)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < d->n_columns; i++)
        sum += d->columns[i].bytes;
    return sum;
}

static void text_container(ia_ctx *cx, ia_buf *b, const ia_filedesc *d)
{
    char size[24], data[24], meta[24];

    ia_buf_printf(cx, b, "%s\n  version: %" PRIu32 ".%" PRIu32 "\n  rows: %" PRIu64 "\n", d->path,
                  d->major, d->minor, d->rows);
    ia_buf_printf(cx, b, "  size: %s (%" PRIu64 " bytes), data %s, metadata %s\n",
                  human(d->size, size), d->size, human(column_bytes(d), data),
                  human(d->size - d->meta_pos, meta));
    ia_buf_printf(cx, b,
                  "  positions: column metadata %" PRIu64 ", column table %" PRIu64
                  ", global buffers %" PRIu64 ", footer %" PRIu64 "\n",
                  d->meta_pos, d->column_table, d->global_table, d->size - 40);
    ia_buf_printf(cx, b, "  global buffers: %" PRIu32 " (", d->n_global);
    for (uint32_t i = 0; i < d->n_global; i++)
        ia_buf_printf(cx, b, "%s%" PRIu64 "+%" PRIu64, i ? ", " : "", d->global[2 * i],
                      d->global[2 * i + 1]);
    ia_buf_puts(cx, b, ")\n");
}

static int depth_of(const ia_lschema *s, size_t k)
{
    int depth = 0;
    int32_t parent = s->fields[k].parent_id;

    for (size_t i = k; i > 0 && parent >= 0; i--) {
        if (s->fields[i - 1].id == parent) { /* parents come first */
            parent = s->fields[i - 1].parent_id;
            depth++;
        }
    }
    return depth;
}

static void text_schema(ia_ctx *cx, ia_buf *b, const ia_lschema *s)
{
    ia_buf_printf(cx, b, "  fields: %zu\n", s->n);
    for (size_t k = 0; k < s->n; k++) {
        const ia_lfield *f = &s->fields[k];

        ia_buf_fill(cx, b, ' ', 4 + 2 * (size_t)depth_of(s, k));
        ia_buf_printf(cx, b, "%" PRId32 " %s: %s%s", f->id, f->name, f->logical_type,
                      f->nullable ? "?" : "");
        for (size_t i = 0; i < f->n_metadata; i++)
            ia_buf_printf(cx, b, "%s%s=%s", i ? ", " : "  {", f->metadata[i].key,
                          f->metadata[i].value);
        ia_buf_puts(cx, b, f->n_metadata ? "}\n" : "\n");
    }
    for (size_t i = 0; i < s->n_metadata; i++)
        ia_buf_printf(cx, b, "  metadata: %s=%s\n", s->metadata[i].key, s->metadata[i].value);
}

static void text_pages(ia_ctx *cx, ia_buf *b, const ia_pagedesc *p, size_t first, size_t n)
{
    uint64_t rows = 0, bytes = 0, chunks = 0, items = 0, dict = 0;
    char size[24];

    for (size_t i = 0; i < n; i++) {
        rows += p[i].rows;
        bytes += p[i].bytes;
        chunks += p[i].chunks;
        items += p[i].items;
        dict += p[i].dict_items;
    }
    if (n == 1)
        ia_buf_printf(cx, b, "      page %zu: ", first);
    else
        ia_buf_printf(cx, b, "      pages %zu to %zu: ", first, first + n - 1);
    ia_buf_printf(cx, b, "%" PRIu64 " row%s, %s, %s%s", rows, rows == 1 ? "" : "s",
                  human(bytes, size), p->refused ? "refused: " : "", p->text);
    if (items && items != rows)
        ia_buf_printf(cx, b, ", %" PRIu64 " items", items);
    if (chunks)
        ia_buf_printf(cx, b, ", %" PRIu64 " chunk%s", chunks, chunks == 1 ? "" : "s");
    if (dict)
        ia_buf_printf(cx, b, ", %" PRIu64 " dictionary items", dict);
    ia_buf_putc(cx, b, '\n');
}

static void text_column(ia_ctx *cx, ia_buf *b, const ia_columndesc *c, uint32_t number, bool all)
{
    char size[24], arrow[24];

    ia_buf_printf(cx, b, "    %" PRIu32 " %s%s%s: %s in %zu page%s", number, c->path,
                  *c->type ? ": " : "", c->type, human(c->bytes, size), c->n_pages,
                  c->n_pages == 1 ? "" : "s");
    if (c->has_arrow && c->bytes)
        ia_buf_printf(cx, b, ", %s in memory, ratio %.2f", human(c->arrow_bytes, arrow),
                      (double)c->arrow_bytes / (double)c->bytes);
    ia_buf_putc(cx, b, '\n');
    for (size_t i = 0; i < c->n_pages;) {
        size_t k = i + 1;

        while (!all && k < c->n_pages && strcmp(c->pages[k].text, c->pages[i].text) == 0)
            k++;
        text_pages(cx, b, &c->pages[i], i, k - i);
        for (size_t j = 0; all && j < c->pages[i].n_buffers; j++)
            ia_buf_printf(cx, b, "        buffer %zu: %" PRIu64 " bytes at %" PRIu64 "\n", j,
                          c->pages[i].sizes[j], c->pages[i].offsets[j]);
        i = k;
    }
}

ia_status ia_filedesc_text(ia_ctx *cx, const ia_filedesc *d, bool all_pages, ia_bytes *out)
{
    ia_buf b = {0};
    ia_status st;

    text_container(cx, &b, d);
    text_schema(cx, &b, d->schema);
    ia_buf_printf(cx, &b, "  columns: %" PRIu32 "\n", d->n_columns);
    for (uint32_t i = 0; i < d->n_columns; i++)
        text_column(cx, &b, &d->columns[i], i, all_pages);
    IA_GO(ia_buf_finish(&b, out));
done:
    ia_buf_dispose(&b);
    return st;
}
