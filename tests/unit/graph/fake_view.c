/* fake_view.c - fake tables from JSON, and the probes they answer. */
#include "fake_view.h"

#include <stdlib.h>

#include "arrow/builder.h"
#include "base/json.h"

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != IA_OK)                                                                       \
            fail_msg("%s: %s", #call, f->e.cx.err.text);                                           \
    } while (0)

static void append_value(fake *f, ia_builder *b, const ia_json *v)
{
    double d = 0;
    int64_t i = 0;
    size_t n;
    bool t = false;

    switch (ia_json_type(v)) {
    case IA_JSON_STRING: {
        const char *s = ia_json_str(v, &n);
        if (ia_type_is_float(b->type)) /* "NaN", "inf" */
            ia_builder_f64(&f->e.cx, b, strtod(s, NULL));
        else
            ia_builder_str(&f->e.cx, b, s, n);
        break;
    }
    case IA_JSON_INT:
    case IA_JSON_REAL:
        if (ia_type_is_float(b->type)) {
            assert_true(ia_json_f64(v, &d));
            ia_builder_f64(&f->e.cx, b, d);
        } else {
            assert_true(ia_json_i64(v, &i));
            ia_builder_i64(&f->e.cx, b, i);
        }
        break;
    case IA_JSON_TRUE:
    case IA_JSON_FALSE:
        assert_true(ia_json_bool(v, &t));
        ia_builder_bool(&f->e.cx, b, t);
        break;
    case IA_JSON_ARRAY:
        for (size_t k = 0; k < ia_json_len(v); k++)
            append_value(f, &b->children[0], ia_json_at(v, k));
        ia_builder_end_list(&f->e.cx, b);
        break;
    case IA_JSON_NULL:
    case IA_JSON_OBJECT:
        ia_builder_null(&f->e.cx, b);
        break;
    }
}

size_t fake_type(const fake *f, const char *name)
{
    for (size_t i = 0; i < f->cat->n_types; i++)
        if (strcmp(f->cat->types[i]->name, name) == 0)
            return i;
    fail_msg("no type %s", name);
    return 0;
}

ia_batch *fake_rows(fake *f, const char *type, const char *json)
{
    const ia_schema *s = f->cat->types[fake_type(f, type)]->arrow_schema;
    ia_batch_builder b = {0};
    ia_batch *out = NULL;
    ia_json *rows = NULL;

    OK(ia_json_parse(&f->e.cx, json, strlen(json), &rows));
    OK(ia_batch_builder_init(&f->e.cx, &b, s));
    for (size_t r = 0; r < ia_json_len(rows); r++)
        for (size_t c = 0; c < s->n_fields; c++)
            append_value(f, &b.cols[c], ia_json_get(ia_json_at(rows, r), s->fields[c].name));
    OK(ia_batch_builder_finish(&f->e.cx, &b, &out));
    ia_batch_builder_dispose(&b);
    ia_json_free(rows);
    return out;
}

void fake_store(fake *f, const char *type, const char *json)
{
    const size_t t = fake_type(f, type);
    ia_batch_release(f->tables[t]);
    f->tables[t] = fake_rows(f, type, json);
}

ia_tchange *fake_change(fake *f, const char *type)
{
    ia_tchange *t;
    OK(ia_changeset_type(&f->e.cx, &f->cs, fake_type(f, type), &t));
    return t;
}

void fake_write(fake *f, const char *type, const char *json)
{
    ia_batch *b = fake_rows(f, type, json);
    OK(ia_tchange_add(&f->e.cx, fake_change(f, type), b));
    ia_batch_release(b);
}

void fake_delete(fake *f, const char *type, const char *id)
{
    OK(ia_bytemap_put(&f->e.cx, &fake_change(f, type)->deleted, id, strlen(id), NULL, NULL));
}

static bool holds_id(const ia_batch *b, ia_view id)
{
    for (int64_t i = 0; b && i < b->rows; i++)
        if (ia_view_eq(ia_array_str(ia_batch_col(b, "id"), i), id))
            return true;
    return false;
}

void fake_overwrite(fake *f, const char *type, const char *json)
{
    const ia_batch *old = f->tables[fake_type(f, type)];
    ia_batch *b = fake_rows(f, type, json);
    ia_tchange *t = fake_change(f, type);

    OK(ia_tchange_add(&f->e.cx, t, b));
    t->overwritten = t->one_batch = true;
    for (int64_t i = 0; old && i < old->rows; i++) {
        const ia_view id = ia_array_str(ia_batch_col(old, "id"), i);
        if (!holds_id(b, id))
            OK(ia_bytemap_put(&f->e.cx, &t->overwrite_removed, id.data, id.len, NULL, NULL));
    }
    ia_batch_release(b);
}

/* ---- the view
 * ------------------------------------------------------------------------------------ */

static const ia_batch *committed(fake *f, size_t type, bool raw)
{
    const ia_tchange *t = ia_changeset_find(&f->cs, type);
    f->asked[type]++;
    return !raw && t && t->overwritten ? NULL : f->tables[type];
}

/* Row number k of a walk in stored order, or in an order made from f->shuffle. */
static int64_t walk(const fake *f, const ia_batch *b, int64_t k)
{
    if (f->shuffle == 0)
        return k;
    const int64_t at = (k + (int64_t)(f->shuffle % (uint64_t)b->rows)) % b->rows;
    return f->shuffle & 1 ? b->rows - 1 - at : at;
}

static ia_status has_ids(ia_ctx *cx, ia_cview *v, size_t type, const ia_bytemap *ids,
                         ia_bitmap *present)
{
    fake *f = v->self;
    const ia_batch *b = committed(f, type, false);

    (void)cx;
    f->has_calls++;
    for (size_t i = 0; i < ids->n; i++)
        if (holds_id(b, ia_bytemap_key(ids, i)))
            ia_bitmap_add(present, (uint32_t)i);
    return IA_OK;
}

static ia_status by_tuple(ia_ctx *cx, ia_cview *v, size_t type, const int *cols, size_t n_cols,
                          const ia_bytemap *tuples,
                          ia_status (*sink)(ia_ctx *, void *, ia_view, size_t), void *arg)
{
    fake *f = v->self;
    const ia_batch *b = committed(f, type, false);
    ia_buf key = {0};
    ia_status st = IA_OK;

    f->tuple_calls++;
    for (int64_t k = 0; b && k < b->rows && st == IA_OK; k++) {
        const int64_t i = walk(f, b, k);
        bool has_null;
        size_t at;
        st = ia_tuple_key(cx, b, i, f->cat->types[type], cols, n_cols, &key, &has_null);
        if (st == IA_OK && !has_null && ia_bytemap_find(tuples, key.data, key.len, &at))
            st = sink(cx, arg, ia_array_str(ia_batch_col(b, "id"), i), at);
    }
    ia_buf_dispose(&key);
    return st;
}

static ia_status edges(ia_ctx *cx, fake *f, size_t type, bool raw, const char *by,
                       const ia_bytemap *keys,
                       ia_status (*sink)(ia_ctx *, void *, ia_view, ia_view, ia_view), void *arg)
{
    const ia_batch *b = committed(f, type, raw);
    ia_status st = IA_OK;

    for (int64_t k = 0; b && k < b->rows && st == IA_OK; k++) {
        const int64_t i = walk(f, b, k);
        const ia_view key = ia_array_str(ia_batch_col(b, by), i);
        if (ia_bytemap_find(keys, key.data, key.len, NULL))
            st = sink(cx, arg, ia_array_str(ia_batch_col(b, "id"), i),
                      ia_array_str(ia_batch_col(b, "src"), i),
                      ia_array_str(ia_batch_col(b, "dst"), i));
    }
    return st;
}

static ia_status edges_at(ia_ctx *cx, ia_cview *v, size_t type, int end, const ia_bytemap *ids,
                          ia_status (*sink)(ia_ctx *, void *, ia_view, ia_view, ia_view), void *arg)
{
    fake *f = v->self;
    f->edge_calls++;
    return edges(cx, f, type, false, end == 0 ? "src" : "dst", ids, sink, arg);
}

static ia_status edges_by_id(ia_ctx *cx, ia_cview *v, size_t type, const ia_bytemap *ids,
                             ia_status (*sink)(ia_ctx *, void *, ia_view, ia_view, ia_view),
                             void *arg)
{
    fake *f = v->self;
    f->id_calls++;
    return edges(cx, f, type, true, "id", ids, sink, arg);
}

void fake_open(fake *f, const char *schema)
{
    memset(f, 0, sizeof *f);
    f->e = env_new(0);
    OK(ia_catalog_from_source(&f->e.cx, schema, strlen(schema), "test.pg", &f->cat));
    assert_true(f->cat->n_types <= FAKE_TYPES);
    f->cs.cat = f->cat;
    f->view = (ia_cview){.self = f,
                         .has_ids = has_ids,
                         .by_tuple = by_tuple,
                         .edges_at = edges_at,
                         .edges_by_id = edges_by_id};
}

void fake_close(fake *f)
{
    fake_reset(f);
    for (size_t i = 0; i < FAKE_TYPES; i++)
        ia_batch_release(f->tables[i]);
    ia_catalog_release(f->cat);
    env_end(&f->e);
}

void fake_judge(fake *f, bool all)
{
    const ia_validate_options opt = {.all = all, .value_rules = true};
    ia_violations_dispose(&f->found);
    OK(ia_validate(&f->e.cx, &f->cs, &f->view, &opt, &f->found));
}

void fake_reset(fake *f)
{
    const ia_catalog *cat = f->cat;
    ia_changeset_dispose(&f->cs);
    f->cs.cat = cat;
    ia_violations_dispose(&f->found);
}

void fake_expect(fake *f, const char *anchor)
{
    fake_judge(f, true);
    if (!anchor && f->found.n > 0)
        fail_msg("unexpected violation: %s", f->found.items[0].message);
    if (anchor) {
        if (f->found.n != 1)
            fail_msg("%zu violations instead of one with \"%s\"; the last: %s", f->found.n, anchor,
                     f->found.n ? f->found.items[f->found.n - 1].message : "-");
        if (!strstr(f->found.items[0].message, anchor))
            fail_msg("\"%s\" lacks \"%s\"", f->found.items[0].message, anchor);
        assert_int_equal(ia_violations_fail(&f->e.cx, f->cat, &f->found), IA_ERR_CONSTRAINT);
        assert_non_null(strstr(f->e.cx.err.text, anchor));
        ia_ctx_clear(&f->e.cx);
    }
    fake_reset(f);
}
