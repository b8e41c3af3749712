/* load_rows.c - a stream of Arrow batches into one type, by the rules of a load. */
#include "graph/load_priv.h"

static ia_status refuse_nulls(ia_ctx *cx, const ia_load_type *t, const ia_field *f,
                              const ia_array *a)
{
    for (int64_t i = 0; i < a->length; i++)
        if (!ia_array_valid(a, i))
            return ia_fail(cx, IA_ERR_INVALID,
                           "row %llu: non-nullable property '%s.%s' has a null or no value",
                           (unsigned long long)(t->rows + (uint64_t)i + 1), t->def->name, f->name);
    return IA_OK;
}

/* Column `k` of the type out of the batch: cast, checked, or nulls where it may be left out. */
static ia_status column(ia_ctx *cx, const ia_load_type *t, const ia_batch *b, size_t k,
                        ia_array **out)
{
    const ia_field *f = &t->def->arrow_schema->fields[k];
    const ia_array *a = ia_batch_col(b, f->name);
    const bool is_id = k == 0;

    *out = NULL;
    if (!a) {
        if (!f->nullable && !is_id)
            return ia_fail(cx, IA_ERR_INVALID, "the rows have no column '%s', which %s needs",
                           f->name, t->def->name);
        return ia_array_nulls(cx, f->type, b->rows, out);
    }
    IA_TRY(ia_fail_prefix(cx, ia_cast_array(cx, a, f->type, out), "%s.%s", t->def->name, f->name));
    if (!f->nullable && !is_id && (*out)->null_count > 0)
        return refuse_nulls(cx, t, f, *out);
    if ((*out)->n_children > 0 && (*out)->children[0]->null_count > 0)
        return ia_fail(cx, IA_ERR_INVALID, "%s.%s: a list holds no nulls", t->def->name, f->name);
    return IA_OK;
}

static ia_status check_columns(ia_ctx *cx, const ia_load_type *t, const ia_schema *s)
{
    for (size_t i = 0; i < s->n_fields; i++)
        if (ia_schema_find(t->def->arrow_schema, s->fields[i].name) < 0)
            return ia_fail(cx, IA_ERR_INVALID, "unknown input field '%s' for %s", s->fields[i].name,
                           t->def->name);
    return IA_OK;
}

static ia_status add_batch(ia_ctx *cx, ia_loader *l, ia_load_type *t, const ia_batch *b)
{
    ia_array *a = NULL;
    ia_status st;

    for (size_t k = 0; k < t->def->arrow_schema->n_fields; k++) {
        IA_GO(column(cx, t, b, k, &a));
        if (k == 0 && a->null_count < a->length)
            t->given_ids = true;
        ia_builder_copy_range(cx, &t->cols[k], a, 0, a->length);
        ia_array_release(a);
        a = NULL;
    }
    IA_GO(IA_GROW(cx, t->lines, t->cap_lines, t->n_lines + (size_t)b->rows));
    for (int64_t i = 0; i < b->rows; i++)
        t->lines[t->n_lines++] = ++t->rows;
    t->bytes += ia_batch_bytes(b);
    if (t->n_lines >= IA_LOAD_CHUNK_ROWS || t->bytes >= IA_LOAD_CHUNK_BYTES)
        st = ia_load_flush(cx, l, t);
done:
    ia_array_release(a);
    return st;
}

static ia_status find(ia_ctx *cx, ia_loader *l, ia_type_kind kind, const char *name,
                      ia_load_type **out)
{
    for (size_t i = 0; i < l->cat->n_types; i++)
        if (l->cat->types[i]->kind == kind && strcmp(l->cat->types[i]->name, name) == 0) {
            *out = &l->types[i];
            return ia_load_type_prepare(cx, *out);
        }
    return ia_fail(cx, IA_ERR_INVALID, "unknown %s type '%s'",
                   kind == IA_KIND_EDGE ? "edge" : "node", name);
}

static ia_status read_all(ia_ctx *cx, ia_loader *l, ia_load_type *t, ia_stream *rows)
{
    ia_batch *b = NULL;
    ia_status st;

    IA_GO(check_columns(cx, t, rows->schema));
    for (;;) {
        IA_GO(ia_stream_next(cx, rows, &b));
        if (!b)
            break;
        if (b->rows > 0)
            IA_GO(add_batch(cx, l, t, b));
        ia_batch_release(b);
        b = NULL;
        IA_GO(ia_check(cx, t->rows, 0));
    }
    if (t->n_lines > 0)
        st = ia_load_flush(cx, l, t);
done:
    ia_batch_release(b);
    return st;
}

ia_status ia_load_rows(ia_ctx *cx, ia_graph *g, ia_type_kind kind, const char *type,
                       ia_load_mode mode, ia_stream *rows, const ia_write_options *opt,
                       ia_load_result *out)
{
    ia_loader l = {0};
    ia_load_type *t = NULL;
    ia_write *w = NULL;
    ia_status st;

    memset(out, 0, sizeof *out);
    IA_GO(ia_write_begin(cx, g, opt->branch, opt->if_commit, opt->actor, opt->message, &w));
    IA_GO(ia_loader_init(cx, &l, w->head->cat, mode));
    IA_GO(find(cx, &l, kind, type, &t));
    IA_GO(read_all(cx, &l, t, rows));
    IA_GO(ia_load_finish(cx, &l, w, out));
done:
    ia_loader_dispose(&l);
    ia_write_free(w);
    if (st != IA_OK)
        ia_load_result_dispose(out);
    return st;
}
