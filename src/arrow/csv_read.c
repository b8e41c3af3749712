/* csv_read.c - CSV text as a stream of batches. */
#include <stdio.h>

#include "arrow/csv_priv.h"
#include "arrow/json_rows.h"

typedef struct csv {
    ia_csv_records rec;
    char *name;
    ia_strlist head; /* column names of the text */
    int *field;      /* per column of the text: its field */
    bool *have;      /* per field: it has a column */
    bool guessed;    /* the types were inferred */
    int64_t batch_rows, n;
    ia_batch_builder rows;
    ia_schema *schema; /* of the batches; the builder's has no dictionaries */
} csv;

static ia_status bad_cell(ia_ctx *cx, const csv *c, size_t k, const char *what)
{
    const ia_csv_cell *cell = &c->rec.cells[k];

    return ia_fail(cx, IA_ERR_INVALID, "%s:%llu:%llu: column '%s': %s", c->name,
                   (unsigned long long)cell->line, (unsigned long long)cell->col, c->head.items[k],
                   what);
}

static ia_status bad_value(ia_ctx *cx, const csv *c, size_t k, const ia_type *t)
{
    const ia_view v = ia_csv_text(&c->rec, k);
    char type[96], text[256];

    snprintf(text, sizeof text, "'%.*s' is no %s%s", (int)(v.len > 60 ? 60 : v.len), v.data,
             ia_type_text(t, type, sizeof type),
             c->guessed ? ", the type that the first rows have; give a schema" : "");
    return bad_cell(cx, c, k, text);
}

/* ---- columns ------------------------------------------------------------------------------- */

static ia_status read_head(ia_ctx *cx, csv *c, bool no_header)
{
    const size_t at = c->rec.text.at;
    char name[32];
    bool end;
    size_t k, i;

    do
        IA_TRY(ia_csv_next(cx, &c->rec, &end));
    while (!end && ia_csv_blank(&c->rec) && !no_header);
    if (end)
        return no_header ? IA_OK
                         : ia_fail(cx, IA_ERR_INVALID, "%s: there is no header line", c->name);
    for (k = 0; k < c->rec.n; k++) {
        const ia_view v = ia_csv_text(&c->rec, k);
        size_t bad;

        if (no_header) {
            snprintf(name, sizeof name, "column_%zu", k + 1);
            IA_TRY(ia_strlist_add(cx, &c->head, name));
            continue;
        }
        IA_TRY(ia_strlist_addn(cx, &c->head, v.data, v.len));
        if (!ia_utf8_valid(v.data, v.len, &bad) || memchr(v.data, 0, v.len))
            return bad_cell(cx, c, k, "the name is not UTF-8 text");
        for (i = 0; i < k; i++)
            if (strcmp(c->head.items[i], c->head.items[k]) == 0)
                return bad_cell(cx, c, k, "the name comes twice");
    }
    if (no_header) { /* it is data too */
        c->rec.text.at = at;
        if (at == 0 && c->rec.text.buf.len >= 3 &&
            memcmp(c->rec.text.buf.data, "\xef\xbb\xbf", 3) == 0)
            c->rec.text.at = 3;
        c->rec.line = 1;
    }
    return IA_OK;
}

/* The next record that is data, with as many cells as the head. */
static ia_status next_row(ia_ctx *cx, csv *c, bool *end)
{
    do
        IA_TRY(ia_csv_next(cx, &c->rec, end));
    while (!*end && c->head.n != 1 && ia_csv_blank(&c->rec));
    if (!*end && c->rec.n != c->head.n)
        return ia_fail(cx, IA_ERR_INVALID, "%s:%llu:%llu: %zu fields where %zu are wanted", c->name,
                       (unsigned long long)c->rec.cells[0].line,
                       (unsigned long long)c->rec.cells[0].col, c->rec.n, c->head.n);
    return IA_OK;
}

static ia_status guess_types(ia_ctx *cx, csv *c, int64_t most, unsigned *allowed, bool *seen)
{
    bool end = false;
    size_t k;

    for (k = 0; k < c->head.n; k++)
        allowed[k] = IA_CSV_ANY;
    for (; most > 0; most--) {
        IA_TRY(next_row(cx, c, &end));
        if (end)
            break;
        for (k = 0; k < c->head.n; k++) {
            const ia_view v = ia_csv_text(&c->rec, k);

            seen[k] = seen[k] || v.len > 0 || c->rec.cells[k].quoted;
            allowed[k] = ia_csv_narrow(allowed[k], v, c->rec.cells[k].quoted);
        }
    }
    return IA_OK;
}

static ia_status guess_schema(ia_ctx *cx, csv *c, int64_t most)
{
    const size_t at = c->rec.text.at, n = c->head.n;
    const uint64_t line = c->rec.line;
    unsigned *allowed = NULL;
    bool *seen = NULL;
    ia_field *f = NULL;
    ia_status st;
    size_t k;

    IA_GO(IA_NEW_ARRAY(cx, allowed, n + 1));
    IA_GO(IA_NEW_ARRAY(cx, seen, n + 1));
    IA_GO(IA_NEW_ARRAY(cx, f, n + 1));
    IA_GO(guess_types(cx, c, most, allowed, seen));
    for (k = 0; k < n; k++) {
        f[k].name = c->head.items[k];
        f[k].nullable = true;
        IA_GO(ia_csv_type(cx, allowed[k], seen[k], &f[k].type));
    }
    IA_GO(ia_schema_new(cx, f, n, &c->schema));
    c->guessed = true;
    c->rec.text.at = at;
    c->rec.line = line;
done:
    for (k = 0; f && k < n; k++)
        ia_type_release(f[k].type);
    ia_free(f);
    ia_free(seen);
    ia_free(allowed);
    return st;
}

/* Which column is which field; by name, or by place where there is no header. */
static ia_status match_columns(ia_ctx *cx, csv *c, bool no_header)
{
    const ia_schema *s = c->schema;
    size_t k;

    IA_TRY(IA_NEW_ARRAY(cx, c->field, c->head.n + 1));
    IA_TRY(IA_NEW_ARRAY(cx, c->have, s->n_fields + 1));
    if (no_header && c->head.n > 0 && c->head.n != s->n_fields)
        return ia_fail(cx, IA_ERR_INVALID, "%s: %zu columns where the schema has %zu", c->name,
                       c->head.n, s->n_fields);
    for (k = 0; k < c->head.n; k++) {
        c->field[k] = no_header ? (int)k : ia_schema_find(s, c->head.items[k]);
        if (c->field[k] < 0)
            return ia_fail(cx, IA_ERR_INVALID, "%s: the schema has no column '%.60s'", c->name,
                           c->head.items[k]);
        c->have[c->field[k]] = true;
    }
    for (k = 0; k < s->n_fields; k++)
        if (!c->have[k] && !s->fields[k].nullable && c->head.n > 0)
            return ia_fail(cx, IA_ERR_INVALID, "%s: column '%s' is missing and may not be null",
                           c->name, s->fields[k].name);
    return IA_OK;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static ia_status put_nested(ia_ctx *cx, csv *c, size_t k, ia_builder *b, const ia_field *f)
{
    const ia_view v = ia_csv_text(&c->rec, k);
    ia_json *json = NULL;
    ia_status st;

    st = ia_json_parse(cx, v.data, v.len, &json);
    if (st == IA_OK)
        st = ia_json_append_any(cx, b, json, f->nullable, f->name);
    ia_json_free(json);
    return ia_fail_prefix(cx, st, "%s:%llu:%llu", c->name, (unsigned long long)c->rec.cells[k].line,
                          (unsigned long long)c->rec.cells[k].col);
}

static ia_status put_cell(ia_ctx *cx, csv *c, size_t k)
{
    const ia_field *f = &c->rows.schema->fields[c->field[k]];
    ia_builder *b = &c->rows.cols[c->field[k]];
    const ia_view v = ia_csv_text(&c->rec, k);
    const bool text = f->type->id == IA_TYPE_STRING || f->type->id == IA_TYPE_LARGE_STRING;

    if (v.len == 0 && !c->rec.cells[k].quoted && (f->nullable || !text)) {
        if (!f->nullable)
            return bad_cell(cx, c, k, "an empty field in a column that may not be null");
        ia_builder_null(cx, b);
        return IA_OK;
    }
    if (f->type->n_children > 0)
        return put_nested(cx, c, k, b, f);
    return ia_text_append(cx, b, v) ? IA_OK : bad_value(cx, c, k, f->type);
}

static ia_status put_row(ia_ctx *cx, csv *c)
{
    size_t k;

    for (k = 0; k < c->head.n; k++)
        IA_TRY(put_cell(cx, c, k));
    for (k = 0; k < c->rows.schema->n_fields; k++)
        if (!c->have[k])
            ia_builder_null(cx, &c->rows.cols[k]);
    c->n++;
    return IA_OK;
}

static ia_status csv_next(ia_ctx *cx, ia_stream *s, ia_batch **out)
{
    csv *c = s->self;
    bool end = false;

    *out = NULL;
    IA_TRY(ia_check(cx, 0, 0));
    while (c->n < c->batch_rows) {
        IA_TRY(next_row(cx, c, &end));
        if (end)
            break;
        IA_TRY(put_row(cx, c));
    }
    if (c->n == 0)
        return IA_OK;
    IA_TRY(ia_batch_builder_finish(cx, &c->rows, out));
    c->n = 0;
    return ia_batch_encode(cx, out, c->schema);
}

static void csv_free(csv *c)
{
    if (!c)
        return;
    ia_csv_records_dispose(&c->rec);
    ia_batch_builder_dispose(&c->rows);
    ia_schema_release(c->schema);
    ia_strlist_dispose(&c->head);
    ia_free(c->field);
    ia_free(c->have);
    ia_free(c->name);
    ia_free(c);
}

static void csv_close(ia_stream *s)
{
    csv_free(s->self);
    s->self = NULL;
}

/* Head, schema and builders. */
static ia_status begin(ia_ctx *cx, csv *c, const ia_schema *schema, const ia_csv_options *opt)
{
    ia_schema *plain = NULL;
    ia_status st;

    c->rec.text.keep = true; /* the first rows are looked at twice */
    IA_GO(read_head(cx, c, opt->no_header));
    if (schema)
        c->schema = ia_schema_retain(schema);
    else
        IA_GO(guess_schema(cx, c, opt->infer_rows > 0 ? opt->infer_rows : 1000));
    c->rec.text.keep = false;
    IA_GO(match_columns(cx, c, opt->no_header));
    IA_GO(ia_schema_plain(cx, c->schema, &plain));
    IA_GO(ia_batch_builder_init(cx, &c->rows, plain));
done:
    ia_schema_release(plain);
    return st;
}

ia_status ia_csv_stream_open(ia_ctx *cx, ia_source *src, const ia_schema *schema, const char *name,
                             const ia_csv_options *opt, ia_stream *out)
{
    const ia_csv_options none = {0};
    csv *c = NULL;
    ia_status st;

    memset(out, 0, sizeof *out);
    opt = opt ? opt : &none;
    st = IA_NEW(cx, c);
    if (st != IA_OK) {
        ia_source_close(src);
        return st;
    }
    c->rec.text.src = *src;
    memset(src, 0, sizeof *src);
    c->rec.delimiter = opt->delimiter ? opt->delimiter : ',';
    c->rec.line = 1;
    c->batch_rows = opt->batch_rows > 0 ? opt->batch_rows : 8192;
    IA_GO(IA_SET(cx, c->name, ia_strdup(cx, name)));
    c->rec.name = c->name;
    IA_GO(begin(cx, c, schema, opt));
    *out = (ia_stream){
        .schema = ia_schema_retain(c->schema), .next = csv_next, .close = csv_close, .self = c};
    c = NULL;
done:
    csv_free(c);
    return st;
}
