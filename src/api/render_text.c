/* render_text.c - rows as json, jsonl, csv, kv or an aligned table (languages page 2.8). */
#include "api/api_priv.h"

#include "arrow/render.h"

#define CELL_WIDTH_MAX 80u /* characters of a table cell before it is cut */

typedef struct out_sink {
    ia_ctx *cx;
    inarch_write_fn write;
    void *payload;
    const api_rows *rows;
    const api_label *label;
} out_sink;

static ia_status put(const out_sink *o, const void *data, size_t n)
{
    if (n && o->write(data, n, o->payload))
        return ia_fail(o->cx, IA_ERR_IO, "output: the receiver refused %zu bytes", n);
    return IA_OK;
}

static ia_status put_buf(const out_sink *o, ia_buf *b)
{
    IA_TRY(ia_buf_status(b));
    IA_TRY(put(o, b->data, b->len));
    ia_buf_clear(b);
    return IA_OK;
}

static void json_row(ia_jsonw *w, const ia_batch *b, int64_t row)
{
    ia_jsonw_object(w);
    for (size_t k = 0; k < b->schema->n_fields; k++) {
        ia_jsonw_key(w, b->schema->fields[k].name);
        ia_value_json(w->cx, w, b->cols[k], row, 0);
    }
    ia_jsonw_end_object(w);
}

static void json_target(ia_jsonw *w, const api_label *l)
{
    ia_jsonw_key(w, "target");
    ia_jsonw_object(w);
    ia_jsonw_key(w, "branch");
    ia_jsonw_str(w, l->branch);
    ia_jsonw_key(w, "snapshot");
    ia_jsonw_str(w, l->snapshot);
    ia_jsonw_end_object(w);
}

static void json_head(ia_jsonw *w, const api_rows *rows, const api_label *l)
{
    if (l->query) {
        ia_jsonw_key(w, "query_name");
        ia_jsonw_str(w, l->query);
        json_target(w, l);
    }
    ia_jsonw_key(w, "row_count");
    ia_jsonw_u64(w, rows->rows);
}

static ia_status render_json(const out_sink *o)
{
    ia_jsonw w;
    ia_bytes bytes = {0};
    ia_status st;

    ia_jsonw_init(&w, o->cx, 2);
    ia_jsonw_object(&w);
    json_head(&w, o->rows, o->label);
    ia_jsonw_key(&w, "columns");
    ia_jsonw_array(&w);
    for (size_t k = 0; k < o->rows->schema->n_fields; k++)
        ia_jsonw_str(&w, o->rows->schema->fields[k].name);
    ia_jsonw_end_array(&w);
    ia_jsonw_key(&w, "rows");
    ia_jsonw_array(&w);
    for (size_t i = 0; i < o->rows->n; i++)
        for (int64_t r = 0; r < o->rows->batches[i]->rows; r++)
            json_row(&w, o->rows->batches[i], r);
    ia_jsonw_end_array(&w);
    if (o->label->commit) {
        ia_jsonw_key(&w, "graph_commit_id");
        ia_jsonw_str(&w, o->label->commit);
    }
    ia_jsonw_end_object(&w);
    IA_GO(ia_jsonw_finish(&w, &bytes));
    IA_GO(put(o, bytes.data, bytes.len));
    IA_GO(put(o, "\n", 1));
done:
    ia_bytes_dispose(&bytes);
    ia_jsonw_dispose(&w);
    return st;
}

/* One compact object and a line end. */
static ia_status jsonl_line(const out_sink *o, const ia_batch *b, int64_t row)
{
    ia_jsonw w;
    ia_bytes bytes = {0};
    ia_status st;

    ia_jsonw_init(&w, o->cx, 0);
    if (b) {
        json_row(&w, b, row);
    } else {
        ia_jsonw_object(&w);
        ia_jsonw_key(&w, "kind");
        ia_jsonw_str(&w, "metadata");
        json_head(&w, o->rows, o->label);
        ia_jsonw_end_object(&w);
    }
    IA_GO(ia_jsonw_finish(&w, &bytes));
    IA_GO(put(o, bytes.data, bytes.len));
    IA_GO(put(o, "\n", 1));
done:
    ia_bytes_dispose(&bytes);
    ia_jsonw_dispose(&w);
    return st;
}

static ia_status render_jsonl(const out_sink *o)
{
    if (o->label->query)
        IA_TRY(jsonl_line(o, NULL, 0));
    for (size_t i = 0; i < o->rows->n; i++)
        for (int64_t r = 0; r < o->rows->batches[i]->rows; r++)
            IA_TRY(jsonl_line(o, o->rows->batches[i], r));
    return IA_OK;
}

/* Text of a cell: strings raw, null as "null", nested values as compact JSON. */
static ia_status cell_text(ia_ctx *cx, const ia_array *a, int64_t i, ia_buf *out)
{
    ia_jsonw w;
    ia_bytes bytes = {0};
    ia_status st;

    ia_buf_clear(out);
    if (ia_array_valid(a, i) &&
        (a->type->id == IA_TYPE_STRING || a->type->id == IA_TYPE_LARGE_STRING)) {
        const ia_view v = ia_array_str(a, i);
        ia_buf_put(cx, out, v.data, v.len);
        return ia_buf_status(out);
    }
    ia_jsonw_init(&w, cx, 0);
    ia_value_json(cx, &w, a, i, 0);
    IA_GO(ia_jsonw_finish(&w, &bytes));
    const size_t quoted = bytes.len >= 2 && bytes.data[0] == '"' ? 1 : 0;
    ia_buf_put(cx, out, bytes.data + quoted, bytes.len - 2 * quoted);
    st = ia_buf_status(out);
done:
    ia_bytes_dispose(&bytes);
    ia_jsonw_dispose(&w);
    return st;
}

static void csv_cell(ia_ctx *cx, ia_buf *line, const char *s, size_t n)
{
    bool quote = false;

    for (size_t i = 0; i < n; i++)
        quote = quote || s[i] == ',' || s[i] == '"' || s[i] == '\n' || s[i] == '\r';
    if (!quote) {
        ia_buf_put(cx, line, s, n);
        return;
    }
    ia_buf_putc(cx, line, '"');
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '"')
            ia_buf_putc(cx, line, '"');
        ia_buf_putc(cx, line, s[i]);
    }
    ia_buf_putc(cx, line, '"');
}

static ia_status render_csv(const out_sink *o)
{
    const ia_schema *s = o->rows->schema;
    ia_buf line = {0}, cell = {0};
    ia_status st = IA_OK;

    for (size_t k = 0; k < s->n_fields; k++) {
        if (k)
            ia_buf_putc(o->cx, &line, ',');
        csv_cell(o->cx, &line, s->fields[k].name, strlen(s->fields[k].name));
    }
    ia_buf_putc(o->cx, &line, '\n');
    for (size_t i = 0; i < o->rows->n; i++) {
        const ia_batch *b = o->rows->batches[i];
        for (int64_t r = 0; r < b->rows; r++) {
            for (size_t k = 0; k < s->n_fields; k++) {
                IA_GO(cell_text(o->cx, b->cols[k], r, &cell));
                if (k)
                    ia_buf_putc(o->cx, &line, ',');
                csv_cell(o->cx, &line, (const char *)cell.data, cell.len);
            }
            ia_buf_putc(o->cx, &line, '\n');
        }
        IA_GO(put_buf(o, &line));
    }
    IA_GO(put_buf(o, &line));
done:
    ia_buf_dispose(&line);
    ia_buf_dispose(&cell);
    return st;
}

static void title(const out_sink *o, ia_buf *line)
{
    const api_label *l = o->label;

    if (!l->query)
        return;
    ia_buf_printf(o->cx, line, "%llu row%s from %s %s via %s\n", (unsigned long long)o->rows->rows,
                  o->rows->rows == 1 ? "" : "s", l->snapshot ? "snapshot" : "branch",
                  l->snapshot ? l->snapshot : l->branch, l->query);
}

static ia_status render_kv(const out_sink *o)
{
    ia_buf line = {0}, cell = {0};
    uint64_t number = 0;
    ia_status st = IA_OK;

    title(o, &line);
    if (o->rows->rows == 0)
        ia_buf_puts(o->cx, &line, "(no rows)\n");
    for (size_t i = 0; i < o->rows->n; i++) {
        const ia_batch *b = o->rows->batches[i];
        for (int64_t r = 0; r < b->rows; r++) {
            ia_buf_printf(o->cx, &line, "%srow %llu\n", number ? "\n" : "",
                          (unsigned long long)number + 1);
            number++;
            for (size_t k = 0; k < b->schema->n_fields; k++) {
                IA_GO(cell_text(o->cx, b->cols[k], r, &cell));
                ia_buf_printf(o->cx, &line, "%s: ", b->schema->fields[k].name);
                ia_buf_put(o->cx, &line, cell.data, cell.len);
                ia_buf_putc(o->cx, &line, '\n');
            }
        }
        IA_GO(put_buf(o, &line));
    }
    IA_GO(put_buf(o, &line));
done:
    ia_buf_dispose(&line);
    ia_buf_dispose(&cell);
    return st;
}

/* ---- aligned table ------------------------------------------------------------------------- */

/* Characters (code points) in UTF-8 text, a line end counting as the two of "\n". */
static size_t text_width(const uint8_t *s, size_t n)
{
    size_t w = 0;

    for (size_t i = 0; i < n; i++)
        w += s[i] == '\n' ? 2 : (s[i] & 0xC0) != 0x80;
    return w;
}

/* Appends the cell cut to `width` characters and, unless last, padded to it. */
static void put_cell(ia_ctx *cx, ia_buf *line, const uint8_t *s, size_t n, size_t width, bool last)
{
    const size_t full = text_width(s, n);
    const size_t room = full > width ? width - 1 : width;
    size_t used = 0, i = 0;

    while (i < n) {
        const size_t w = s[i] == '\n' ? 2 : 1;
        if (used + w > room)
            break;
        used += w;
        if (s[i] == '\n') {
            ia_buf_puts(cx, line, "\\n");
            i++;
            continue;
        }
        size_t e = i + 1;
        while (e < n && (s[e] & 0xC0) == 0x80)
            e++;
        ia_buf_put(cx, line, s + i, e - i);
        i = e;
    }
    if (full > width) {
        ia_buf_puts(cx, line, "\xE2\x80\xA6");
        used++;
    }
    if (!last && used < width)
        ia_buf_fill(cx, line, ' ', width - used);
}

static ia_status table_widths(const out_sink *o, size_t *width)
{
    const ia_schema *s = o->rows->schema;
    ia_buf cell = {0};
    ia_status st = IA_OK;

    for (size_t k = 0; k < s->n_fields; k++)
        width[k] = text_width((const uint8_t *)s->fields[k].name, strlen(s->fields[k].name));
    for (size_t i = 0; i < o->rows->n; i++) {
        const ia_batch *b = o->rows->batches[i];
        for (int64_t r = 0; r < b->rows; r++)
            for (size_t k = 0; k < s->n_fields; k++) {
                IA_GO(cell_text(o->cx, b->cols[k], r, &cell));
                const size_t w = text_width(cell.data, cell.len);
                width[k] = w > width[k] ? w : width[k];
            }
    }
    for (size_t k = 0; k < s->n_fields; k++)
        width[k] = width[k] > CELL_WIDTH_MAX ? CELL_WIDTH_MAX : width[k] ? width[k] : 1;
done:
    ia_buf_dispose(&cell);
    return st;
}

static void table_head(const out_sink *o, const size_t *width, ia_buf *line)
{
    const ia_schema *s = o->rows->schema;

    for (size_t k = 0; k < s->n_fields; k++) {
        const char *name = s->fields[k].name;
        if (k)
            ia_buf_puts(o->cx, line, " | ");
        put_cell(o->cx, line, (const uint8_t *)name, strlen(name), width[k], k + 1 == s->n_fields);
    }
    ia_buf_putc(o->cx, line, '\n');
    for (size_t k = 0; k < s->n_fields; k++) {
        if (k)
            ia_buf_puts(o->cx, line, "-+-");
        ia_buf_fill(o->cx, line, '-', width[k]);
    }
    ia_buf_putc(o->cx, line, '\n');
}

static ia_status render_table(const out_sink *o)
{
    const ia_schema *s = o->rows->schema;
    size_t *width = NULL;
    ia_buf line = {0}, cell = {0};
    ia_status st;

    IA_GO(IA_NEW_ARRAY(o->cx, width, s->n_fields + 1));
    title(o, &line);
    if (s->n_fields == 0)
        ia_buf_puts(o->cx, &line, "(no rows)\n");
    IA_GO(table_widths(o, width));
    if (s->n_fields)
        table_head(o, width, &line);
    for (size_t i = 0; i < o->rows->n; i++) {
        const ia_batch *b = o->rows->batches[i];
        for (int64_t r = 0; r < b->rows; r++) {
            for (size_t k = 0; k < s->n_fields; k++) {
                IA_GO(cell_text(o->cx, b->cols[k], r, &cell));
                if (k)
                    ia_buf_puts(o->cx, &line, " | ");
                put_cell(o->cx, &line, cell.data, cell.len, width[k], k + 1 == s->n_fields);
            }
            ia_buf_putc(o->cx, &line, '\n');
        }
        IA_GO(put_buf(o, &line));
    }
    IA_GO(put_buf(o, &line));
done:
    ia_free(width);
    ia_buf_dispose(&line);
    ia_buf_dispose(&cell);
    return st;
}

ia_status api_render(ia_ctx *cx, const api_rows *r, const char *format, const api_label *label,
                     inarch_write_fn write, void *payload)
{
    static const struct {
        const char *name;
        ia_status (*render)(const out_sink *o);
    } formats[] = {{"table", render_table},
                   {"json", render_json},
                   {"jsonl", render_jsonl},
                   {"csv", render_csv},
                   {"kv", render_kv}};
    const out_sink o = {cx, write, payload, r, label};

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (ia_str_eq(format, formats[i].name))
            return formats[i].render(&o);
    return ia_fail(cx, IA_ERR_INVALID, "unknown format '%s': use table, json, jsonl, csv or kv",
                   format);
}
