/* jsonl_stream.c - JSON lines as a stream of batches, and batches as JSON lines. */
#include "arrow/json_infer_priv.h"
#include "arrow/render.h"
#include "arrow/text_priv.h"

typedef struct jsonl {
    ia_text text;
    char *name;
    uint64_t line;
    int64_t batch_rows;
    ia_batch_builder rows;
    int64_t n;              /* in rows */
    const ia_json **values; /* of the line at work, per field */
    ia_schema *schema;      /* of the batches; the builder's has no dictionaries */
} jsonl;

/* The next line that is not blank, parsed; NULL at the end. */
static ia_status next_value(ia_ctx *cx, jsonl *j, ia_json **out)
{
    ia_view v = {0};
    bool end = false;

    *out = NULL;
    for (;;) {
        IA_TRY(ia_text_line(cx, &j->text, &v, &end));
        if (end)
            return IA_OK;
        j->line++;
        while (v.len > 0 && (v.data[0] == ' ' || v.data[0] == '\t' || v.data[0] == '\r')) {
            v.data++;
            v.len--;
        }
        if (v.len == 0)
            continue;
        IA_TRY(ia_json_parse(cx, v.data, v.len, out));
        if (ia_json_type(*out) == IA_JSON_OBJECT)
            return IA_OK;
        ia_json_free(*out);
        *out = NULL;
        return ia_fail(cx, IA_ERR_INVALID, "a line must be a JSON object");
    }
}

static ia_status infer(ia_ctx *cx, jsonl *j, int64_t most, ia_schema **out)
{
    const size_t start = j->text.at;
    ia_shape shape = {.kind = IA_SHAPE_STRUCT};
    ia_field *f = NULL;
    ia_json *v = NULL;
    size_t n = 0, i;
    ia_status st = IA_OK;

    j->text.keep = true;
    for (; most > 0; most--) {
        IA_GO(next_value(cx, j, &v));
        if (!v)
            break;
        IA_GO(ia_shape_add(cx, &shape, v));
        ia_json_free(v);
        v = NULL;
    }
    IA_GO(ia_shape_fields(cx, &shape, &f, &n));
    IA_GO(ia_schema_new(cx, f, n, out));
    j->text.keep = false;
    j->text.at = start;
    if (start == 0 && j->text.buf.len >= 3 && memcmp(j->text.buf.data, "\xef\xbb\xbf", 3) == 0)
        j->text.at = 3;
    j->line = 0;
done:
    ia_json_free(v);
    for (i = 0; f && i < shape.n; i++)
        ia_field_dispose(&f[i]);
    ia_free(f);
    ia_shape_dispose(&shape);
    return st;
}

static ia_status put_line(ia_ctx *cx, jsonl *j, const ia_json *v)
{
    const ia_schema *s = j->rows.schema;
    const ia_json *value;
    const char *member;
    size_t it = 0;

    memset(j->values, 0, s->n_fields * sizeof *j->values);
    while (ia_json_next(v, &it, &member, &value)) {
        const int k = ia_schema_find(s, member);

        if (k < 0)
            return ia_fail(cx, IA_ERR_INVALID, "there is no column '%.60s'", member);
        j->values[k] = value;
    }
    for (size_t k = 0; k < s->n_fields; k++)
        IA_TRY(ia_json_append_any(cx, &j->rows.cols[k], j->values[k], s->fields[k].nullable,
                                  s->fields[k].name));
    j->n++;
    return IA_OK;
}

static ia_status fill(ia_ctx *cx, jsonl *j)
{
    ia_json *v = NULL;
    ia_status st = IA_OK;

    while (j->n < j->batch_rows) {
        IA_GO(next_value(cx, j, &v));
        if (!v)
            break;
        IA_GO(put_line(cx, j, v));
        ia_json_free(v);
        v = NULL;
    }
done:
    ia_json_free(v);
    return ia_fail_prefix(cx, st, "%s:%llu", j->name, (unsigned long long)j->line);
}

static ia_status jsonl_next(ia_ctx *cx, ia_stream *s, ia_batch **out)
{
    jsonl *j = s->self;

    *out = NULL;
    IA_TRY(ia_check(cx, 0, 0));
    IA_TRY(fill(cx, j));
    if (j->n == 0)
        return IA_OK;
    if (j->rows.schema->n_fields == 0)
        IA_TRY(ia_batch_make(cx, j->rows.schema, j->n, NULL, out));
    else
        IA_TRY(ia_batch_builder_finish(cx, &j->rows, out));
    j->n = 0;
    return ia_batch_encode(cx, out, j->schema);
}

static void jsonl_free(jsonl *j)
{
    if (!j)
        return;
    ia_batch_builder_dispose(&j->rows);
    ia_text_dispose(&j->text);
    ia_schema_release(j->schema);
    ia_free(j->values);
    ia_free(j->name);
    ia_free(j);
}

static void jsonl_close(ia_stream *s)
{
    jsonl_free(s->self);
    s->self = NULL;
}

ia_status ia_jsonl_stream_open(ia_ctx *cx, ia_source *src, const ia_schema *schema,
                               const char *name, const ia_jsonl_options *opt, ia_stream *out)
{
    const ia_jsonl_options none = {0};
    ia_schema *plain = NULL;
    jsonl *j = NULL;
    ia_status st;

    memset(out, 0, sizeof *out);
    opt = opt ? opt : &none;
    st = IA_NEW(cx, j);
    if (st != IA_OK) {
        ia_source_close(src);
        return st;
    }
    j->text.src = *src;
    memset(src, 0, sizeof *src);
    j->batch_rows = opt->batch_rows > 0 ? opt->batch_rows : 8192;
    IA_GO(IA_SET(cx, j->name, ia_strdup(cx, name)));
    if (schema) {
        j->schema = ia_schema_retain(schema);
    } else {
        st = infer(cx, j, opt->infer_rows > 0 ? opt->infer_rows : 1000, &j->schema);
        IA_GO(ia_fail_prefix(cx, st, "%s:%llu", name, (unsigned long long)j->line));
    }
    IA_GO(ia_schema_plain(cx, j->schema, &plain));
    IA_GO(IA_NEW_ARRAY(cx, j->values, plain->n_fields + 1));
    IA_GO(ia_batch_builder_init(cx, &j->rows, plain));
    *out = (ia_stream){
        .schema = ia_schema_retain(j->schema), .next = jsonl_next, .close = jsonl_close, .self = j};
    j = NULL;
done:
    ia_schema_release(plain);
    jsonl_free(j);
    return st;
}

void ia_jsonl_write_batch(ia_ctx *cx, ia_buf *out, const ia_batch *b)
{
    int64_t r;

    for (r = 0; r < b->rows && out->failed == IA_OK; r++) {
        ia_bytes line = {0};
        ia_jsonw w;

        ia_jsonw_init(&w, cx, 0);
        ia_jsonw_object(&w);
        for (size_t k = 0; k < b->schema->n_fields; k++) {
            ia_jsonw_key(&w, b->schema->fields[k].name);
            ia_value_json(cx, &w, b->cols[k], r, 0);
        }
        ia_jsonw_end_object(&w);
        if (ia_jsonw_finish(&w, &line) == IA_OK) {
            ia_buf_put(cx, out, line.data, line.len);
            ia_buf_putc(cx, out, '\n');
        } else {
            out->failed = cx->err.code;
        }
        ia_bytes_dispose(&line);
        ia_jsonw_dispose(&w);
    }
}
