/* load_ids.c - ids of loaded rows: derived, checked, made, unrepeated. */
#include "graph/load_priv.h"

static ia_status key_id(ia_ctx *cx, const ia_load_type *t, const ia_batch *b, int64_t row,
                        const ia_array *given, ia_builder *ids, ia_buf *text)
{
    ia_status st = ia_node_key_id(cx, b, row, t->def, text);

    if (st == IA_OK && ia_array_valid(given, row)) {
        const ia_view id = ia_array_str(given, row);
        if (!ia_view_eq(id, (ia_view){(const char *)text->data, text->len}))
            st = ia_fail(cx, IA_ERR_INVALID,
                         "the id '%.*s' of a %s is not the one its key makes: '%.*s'", (int)id.len,
                         id.data, t->def->name, (int)text->len, (const char *)text->data);
    }
    if (st != IA_OK)
        return ia_fail_prefix(cx, st, "line %llu", (unsigned long long)t->lines[row]);
    ia_builder_str(cx, ids, (const char *)text->data, text->len);
    return IA_OK;
}

static ia_status free_id(ia_ctx *cx, int64_t row, const ia_array *given, ia_builder *ids)
{
    char fresh[IA_ULID_LEN + 1];

    if (ia_array_valid(given, row)) {
        const ia_view id = ia_array_str(given, row);
        ia_builder_str(cx, ids, id.data, id.len);
        return IA_OK;
    }
    IA_TRY(ia_ulid_new(cx, fresh));
    ia_builder_str(cx, ids, fresh, IA_ULID_LEN);
    return IA_OK;
}

/* *ids = the id column of b, whose column 0 holds the ids the input gave. */
static ia_status make_ids(ia_ctx *cx, const ia_load_type *t, const ia_batch *b, ia_array **ids)
{
    ia_builder out = {0};
    ia_buf text = {0};
    ia_status st;

    *ids = NULL;
    IA_GO(ia_builder_init(cx, &out, b->schema->fields[0].type));
    for (int64_t r = 0; r < b->rows; r++) {
        if (t->def->n_key > 0)
            IA_GO(key_id(cx, t, b, r, b->cols[0], &out, &text));
        else
            IA_GO(free_id(cx, r, b->cols[0], &out));
    }
    IA_GO(ia_builder_finish(cx, &out, ids));
done:
    ia_builder_dispose(&out);
    ia_buf_dispose(&text);
    return st;
}

static ia_status finish_columns(ia_ctx *cx, ia_load_type *t, ia_batch **out)
{
    const ia_schema *s = t->def->arrow_schema;
    ia_array **cols = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW_ARRAY(cx, cols, s->n_fields));
    for (size_t i = 0; i < s->n_fields; i++)
        IA_GO(ia_builder_finish(cx, &t->cols[i], &cols[i]));
    st = ia_batch_make(cx, s, (int64_t)t->n_lines, cols, out);
    memset(cols, 0, s->n_fields * sizeof *cols); /* taken over, also on failure */
done:
    for (size_t i = 0; cols && i < s->n_fields; i++)
        ia_array_release(cols[i]);
    ia_free(cols);
    return st;
}

static ia_status replace_ids(ia_ctx *cx, const ia_batch *b, ia_array *ids, ia_batch **out)
{
    ia_array **cols = NULL;

    *out = NULL;
    if (IA_NEW_ARRAY(cx, cols, b->schema->n_fields) != IA_OK) {
        ia_array_release(ids);
        return cx->err.code;
    }
    cols[0] = ids;
    for (size_t i = 1; i < b->schema->n_fields; i++)
        cols[i] = ia_array_retain(b->cols[i]);
    ia_status st = ia_batch_make(cx, b->schema, b->rows, cols, out);
    ia_free(cols);
    return st;
}

static ia_status repeated(ia_ctx *cx, const ia_load_type *t, ia_view id, uint64_t line,
                          uint64_t other)
{
    return ia_fail(
        cx, IA_ERR_CONSTRAINT, "line %llu: key_conflict: %s '%.*s' is on line %llu already",
        (unsigned long long)line, t->def->name, (int)id.len, id.data, (unsigned long long)other);
}

/* Append and overwrite take an id once. Where it comes from a key, the evaluator says so as @key.
 * Called before (in_chunk false) and after the chunk entered the plan. */
static ia_status check_repeated(ia_ctx *cx, const ia_loader *l, const ia_load_type *t,
                                const ia_batch *b, bool in_chunk)
{
    if (l->mode == IA_LOAD_MERGE || t->def->n_key > 0 || !t->given_ids)
        return IA_OK;
    const ia_array *ids = ia_batch_col(b, "id");
    for (int64_t r = 0; r < b->rows; r++) {
        const ia_view id = ia_array_str(ids, r);
        size_t k;
        if (!ia_bytemap_find(&t->plan.ids, id.data, id.len, &k))
            continue;
        const uint64_t place = ia_bytemap_get(&t->plan.ids, k);
        if (!in_chunk)
            return repeated(cx, t, id, t->lines[r], t->plan_lines[place >> 32][place & UINT32_MAX]);
        if ((int64_t)(place & UINT32_MAX) != r)
            return repeated(cx, t, id, t->lines[place & UINT32_MAX], t->lines[r]);
    }
    return IA_OK;
}

ia_status ia_load_flush(ia_ctx *cx, ia_loader *l, ia_load_type *t)
{
    ia_batch *raw = NULL, *b = NULL;
    ia_array *ids = NULL;
    ia_status st;

    IA_GO(finish_columns(cx, t, &raw));
    IA_GO(make_ids(cx, t, raw, &ids));
    IA_GO(replace_ids(cx, raw, ids, &b));
    IA_GO(check_repeated(cx, l, t, b, false));
    IA_GO(IA_GROW(cx, t->plan_lines, t->cap_plan_lines, t->n_plan_lines + 1));
    IA_GO(ia_row_plan_add(cx, &t->plan, b));
    IA_GO(check_repeated(cx, l, t, b, true));
    t->plan_lines[t->n_plan_lines++] = t->lines;
    t->lines = NULL;
    t->n_lines = t->cap_lines = 0;
    t->bytes = 0;
done:
    ia_batch_release(raw);
    ia_batch_release(b);
    return st;
}
