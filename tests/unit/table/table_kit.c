/* table_kit.c - shared by table tests and table_tool: schemas and rows from JSON, changes. */
#include "table_kit.h"

#include "arrow/compute.h"
#include "arrow/json_rows.h"

#include <stdio.h>
#include <stdlib.h>

static ia_type_id scalar_id(const char *t)
{
    static const struct {
        const char *name;
        ia_type_id id;
    } names[] = {{"string", IA_TYPE_STRING}, {"bool", IA_TYPE_BOOL},   {"int32", IA_TYPE_I32},
                 {"int64", IA_TYPE_I64},     {"uint32", IA_TYPE_U32},  {"uint64", IA_TYPE_U64},
                 {"float32", IA_TYPE_F32},   {"float64", IA_TYPE_F64}, {"date32", IA_TYPE_DATE32},
                 {"date64", IA_TYPE_DATE64}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].name, t) == 0)
            return names[i].id;
    }
    return IA_TYPE_NULL;
}

static ia_status type_of(ia_ctx *cx, const char *t, ia_type **out)
{
    if (strncmp(t, "fsl:", 4) == 0)
        return ia_type_list(cx, IA_TYPE_FIXED_LIST, atoi(t + 4), "item", ia_type_basic(IA_TYPE_F32),
                            true, out);
    if (strncmp(t, "list:", 5) == 0)
        return ia_type_list(cx, IA_TYPE_LIST, 0, "item", ia_type_basic(scalar_id(t + 5)), true,
                            out);
    *out = ia_type_basic(scalar_id(t));
    return scalar_id(t) == IA_TYPE_NULL ? ia_fail(cx, IA_ERR_INVALID, "type '%s'?", t) : IA_OK;
}

ia_status kit_schema(ia_ctx *cx, const ia_json *fields, ia_schema **out)
{
    const size_t n = ia_json_len(fields);
    ia_field *f = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW_ARRAY(cx, f, n));
    for (size_t i = 0; i < n; i++) {
        const ia_json *item = ia_json_at(fields, i);
        f[i].nullable = true;
        (void)ia_json_bool(ia_json_get(item, "nullable"), &f[i].nullable);
        f[i].name = (char *)(uintptr_t)ia_json_str(ia_json_get(item, "name"), NULL);
        IA_GO(type_of(cx, ia_json_str(ia_json_get(item, "type"), NULL), &f[i].type));
    }
    IA_GO(ia_schema_new(cx, f, n, out));
done:
    for (size_t i = 0; f && i < n; i++)
        ia_type_release(f[i].type);
    ia_free(f);
    return st;
}

ia_status kit_schema_text(ia_ctx *cx, const char *json, ia_schema **out)
{
    ia_json *doc;
    ia_status st;
    IA_TRY(ia_json_parse(cx, json, strlen(json), &doc));
    st = kit_schema(cx, doc, out);
    ia_json_free(doc);
    return st;
}

ia_status kit_batch(ia_ctx *cx, const ia_schema *s, const ia_json *rows, ia_batch **out)
{
    ia_batch_builder b;
    ia_status st;

    *out = NULL;
    memset(&b, 0, sizeof b);
    IA_GO(ia_batch_builder_init(cx, &b, s));
    for (size_t r = 0; r < ia_json_len(rows); r++) {
        for (size_t i = 0; i < s->n_fields; i++)
            IA_GO(ia_json_append(cx, &b.cols[i],
                                 ia_json_get(ia_json_at(rows, r), s->fields[i].name), true,
                                 s->fields[i].name));
    }
    IA_GO(ia_batch_builder_finish(cx, &b, out));
done:
    ia_batch_builder_dispose(&b);
    return st;
}

static ia_status one_next(ia_ctx *cx, ia_stream *s, ia_batch **out)
{
    (void)cx;
    *out = s->self;
    s->self = NULL;
    return IA_OK;
}

static void one_close(ia_stream *s)
{
    ia_batch_release(s->self);
    ia_schema_release(s->schema);
    s->self = NULL;
    s->schema = NULL;
}

ia_status kit_stream(ia_ctx *cx, ia_batch *b, ia_stream *out)
{
    (void)cx;
    *out = (ia_stream){
        .schema = ia_schema_retain(b->schema), .next = one_next, .close = one_close, .self = b};
    return IA_OK;
}

void kit_value(ia_jsonw *w, const ia_array *a, int64_t i)
{
    int64_t start, len;
    ia_view v;
    if (!ia_array_valid(a, i)) {
        ia_jsonw_null(w);
        return;
    }
    switch (a->type->id) {
    case IA_TYPE_BOOL: ia_jsonw_bool(w, ia_array_bool(a, i)); return;
    case IA_TYPE_U32:
    case IA_TYPE_U64: ia_jsonw_u64(w, ia_array_u64(a, i)); return;
    case IA_TYPE_F32:
    case IA_TYPE_F64: ia_jsonw_f64(w, ia_array_f64(a, i)); return;
    case IA_TYPE_STRING:
    case IA_TYPE_LARGE_STRING:
        v = ia_array_str(a, i);
        ia_jsonw_strn(w, v.data, v.len);
        return;
    case IA_TYPE_LIST:
    case IA_TYPE_FIXED_LIST:
        ia_array_list(a, i, &start, &len);
        ia_jsonw_array(w);
        for (int64_t k = 0; k < len; k++)
            kit_value(w, a->children[0], start + k);
        ia_jsonw_end_array(w);
        return;
    default: ia_jsonw_i64(w, ia_array_i64(a, i)); return;
    }
}

ia_status kit_rows(ia_ctx *cx, ia_stream *s, ia_jsonw *w)
{
    ia_jsonw_array(w);
    for (;;) {
        ia_batch *b;
        IA_TRY(ia_stream_next(cx, s, &b));
        if (!b)
            break;
        for (int64_t r = 0; r < b->rows; r++) {
            ia_jsonw_object(w);
            for (size_t i = 0; i < b->schema->n_fields; i++) {
                ia_jsonw_key(w, b->schema->fields[i].name);
                kit_value(w, b->cols[i], r);
            }
            ia_jsonw_end_object(w);
        }
        ia_batch_release(b);
    }
    ia_jsonw_end_array(w);
    return IA_OK;
}

ia_status kit_append(ia_ctx *cx, ia_dataset *ds, const ia_json *rows, ia_durability d,
                     ia_dataset **out)
{
    ia_batch *b;
    ia_stream s;
    ia_status st;
    *out = NULL;
    IA_TRY(kit_batch(cx, ds->m->arrow, rows, &b));
    IA_TRY(kit_stream(cx, b, &s));
    st = ia_table_append(cx, ds, &s, d, out);
    ia_stream_dispose(&s);
    return st;
}

/* ---- planning deletes and updates --------------------------------------------------------------
 */

static ia_status rows_of(ia_ctx *cx, ia_txn *t, uint64_t fragment, ia_bitmap **rows)
{
    ia_action *a;
    for (size_t i = 0; i < t->n_actions; i++) {
        if (t->actions[i].kind == IA_ACT_DELETE_ROWS && t->actions[i].fragment_id == fragment) {
            *rows = t->actions[i].rows;
            return IA_OK;
        }
    }
    IA_TRY(ia_txn_add(cx, t, IA_ACT_DELETE_ROWS, &a));
    a->fragment_id = fragment;
    IA_TRY(ia_bitmap_new(cx, &a->rows));
    *rows = a->rows;
    return IA_OK;
}

static ia_status mark(ia_ctx *cx, ia_txn *t, const ia_array *addrs)
{
    for (int64_t i = 0; i < addrs->length; i++) {
        const uint64_t at = ia_array_u64(addrs, i);
        ia_bitmap *rows;
        IA_TRY(rows_of(cx, t, ia_addr_fragment(at), &rows));
        ia_bitmap_add(rows, ia_addr_offset(at));
    }
    return IA_OK;
}

ia_status kit_plan_delete(ia_ctx *cx, ia_dataset *ds, const char *where, ia_txn *t)
{
    static const char *const columns[] = {IA_COL_ROWADDR};
    ia_scan_options opt = {.columns = columns, .n_columns = 1};
    ia_arena arena = {0};
    ia_expr *filter = NULL;
    ia_stream s = {0};
    ia_batch *b = NULL;
    ia_status st;

    IA_GO(ia_txn_init(cx, t, IA_TXN_DELETE, ds->m->version));
    if (where)
        IA_GO(ia_sql_filter_parse(cx, &arena, where, strlen(where), &filter));
    IA_GO(IA_SET(cx, t->predicate, ia_strdup(cx, where ? where : "true")));
    opt.filter = filter;
    IA_GO(ia_dataset_scan(cx, ds, &opt, &s));
    for (;;) {
        IA_GO(ia_stream_next(cx, &s, &b));
        if (!b)
            break;
        IA_GO(mark(cx, t, b->cols[0]));
        ia_batch_release(b);
        b = NULL;
    }
done:
    ia_batch_release(b);
    ia_stream_dispose(&s);
    ia_arena_dispose(&arena);
    return st;
}

ia_status kit_delete(ia_ctx *cx, ia_dataset *ds, const char *where, ia_dataset **out)
{
    ia_txn t = {0};
    ia_status st;
    *out = NULL;
    IA_GO(kit_plan_delete(cx, ds, where, &t));
    IA_GO(ia_table_commit(cx, ds, &t, IA_RELAXED, out));
done:
    ia_txn_dispose(&t);
    return st;
}

/* The table's columns of b, with members of `set` in their place. */
static ia_status changed_batch(ia_ctx *cx, const ia_schema *s, const ia_batch *b,
                               const ia_json *set, ia_batch **out)
{
    ia_array **cols = NULL;
    ia_status st;
    *out = NULL;
    IA_GO(IA_NEW_ARRAY(cx, cols, s->n_fields));
    for (size_t i = 0; i < s->n_fields; i++) {
        const char *name = s->fields[i].name;
        bool has = false;
        size_t it = 0;
        const char *member;
        const ia_json *value;
        ia_builder builder;
        while (ia_json_next(set, &it, &member, &value) && !has)
            has = strcmp(member, name) == 0;
        if (!has) {
            cols[i] = ia_array_retain(ia_batch_col(b, name));
            continue;
        }
        IA_GO(ia_builder_init(cx, &builder, s->fields[i].type));
        for (int64_t r = 0; r < b->rows && st == IA_OK; r++)
            st = ia_json_append(cx, &builder, ia_json_get(set, name), true, name);
        if (st == IA_OK)
            st = ia_builder_finish(cx, &builder, &cols[i]);
        ia_builder_dispose(&builder);
        IA_GO(st);
    }
    st = ia_batch_make(cx, s, b->rows, cols, out);
    ia_free(cols);
    return st;
done:
    for (size_t i = 0; cols && i < s->n_fields; i++)
        ia_array_release(cols[i]);
    ia_free(cols);
    return st;
}

static ia_status rewrite(ia_ctx *cx, ia_dataset *ds, const ia_expr *filter, const ia_json *set,
                         ia_fragwriter *w, ia_txn *t)
{
    const ia_schema *s = ds->m->arrow;
    const char **names = NULL;
    ia_scan_options opt = {.filter = filter};
    ia_stream stream = {0};
    ia_batch *b = NULL, *changed = NULL;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, names, s->n_fields + 2));
    for (size_t i = 0; i < s->n_fields; i++)
        names[i] = s->fields[i].name;
    names[s->n_fields] = IA_COL_ROWID;
    names[s->n_fields + 1] = IA_COL_ROWADDR;
    opt.columns = names;
    opt.n_columns = s->n_fields + 2;
    IA_GO(ia_dataset_scan(cx, ds, &opt, &stream));
    for (;;) {
        IA_GO(ia_stream_next(cx, &stream, &b));
        if (!b)
            break;
        IA_GO(changed_batch(cx, s, b, set, &changed));
        IA_GO(ia_fragwriter_write(
            cx, w, changed, ds->m->stable_row_ids ? ia_array_values(b->cols[s->n_fields]) : NULL));
        IA_GO(mark(cx, t, b->cols[s->n_fields + 1]));
        ia_batch_release(b);
        ia_batch_release(changed);
        b = changed = NULL;
    }
done:
    ia_batch_release(b);
    ia_batch_release(changed);
    ia_stream_dispose(&stream);
    ia_free(names);
    return st;
}

ia_status kit_plan_update(ia_ctx *cx, ia_dataset *ds, const char *where, const ia_json *set,
                          ia_txn *t)
{
    ia_fragwriter_options opt = {0};
    ia_arena arena = {0};
    ia_expr *filter = NULL;
    ia_fragwriter *w = NULL;
    ia_fragment *frags = NULL;
    size_t n = 0;
    ia_status st;

    IA_GO(ia_txn_init(cx, t, IA_TXN_UPDATE, ds->m->version));
    if (where)
        IA_GO(ia_sql_filter_parse(cx, &arena, where, strlen(where), &filter));
    IA_GO(ia_manifest_minor(cx, ds->m, &opt.minor));
    IA_GO(ia_fragwriter_open(cx, ds->os, ds->dir, &ds->m->schema, ds->m->arrow, &opt, &w));
    IA_GO(rewrite(cx, ds, filter, set, w, t));
    IA_GO(ia_fragwriter_finish(cx, w, &frags, &n));
    for (size_t i = 0; i < n; i++) {
        ia_action *a;
        IA_GO(ia_txn_add(cx, t, IA_ACT_ADD_FRAGMENT, &a));
        a->fragment = frags[i];
        a->copy_created = true;
        memset(&frags[i], 0, sizeof frags[i]);
    }
done:
    ia_fragments_free(frags, n);
    ia_fragwriter_close(w);
    ia_arena_dispose(&arena);
    return st;
}

ia_status kit_update(ia_ctx *cx, ia_dataset *ds, const char *where, const ia_json *set,
                     ia_dataset **out)
{
    ia_txn t = {0};
    ia_status st;
    *out = NULL;
    IA_GO(kit_plan_update(cx, ds, where, set, &t));
    IA_GO(ia_table_commit(cx, ds, &t, IA_RELAXED, out));
done:
    ia_txn_dispose(&t);
    return st;
}

ia_status kit_fork(ia_ctx *cx, ia_dataset *ds, const char *name, uint64_t row_id_base,
                   ia_dataset **out)
{
    ia_manifest *m = NULL;
    ia_txn t = {0};
    ia_bytes pb = {0}, file = {0};
    char *dir = NULL, *path = NULL, manifest[40];
    ia_status st;

    *out = NULL;
    IA_GO(ia_manifest_fork(cx, ds, name, row_id_base, ia_now_us(), &t, &m));
    IA_GO(ia_txn_encode(cx, &t, ds->m, m, &pb));
    IA_GO(ia_manifest_encode(cx, m, pb.data, pb.len, &file));
    IA_GO(ia_path_join(cx, &dir, ds->root, "tree", name, NULL));
    ia_manifest_name(m->version, manifest);
    IA_GO(ia_path_join(cx, &path, dir, "_versions", manifest, NULL));
    IA_GO(ia_txn_file_put(cx, ds->os, dir, m, &pb, 0));
    IA_GO(ia_objstore_put(cx, ds->os, path, file.data, file.len, IA_PUT_IF_ABSENT));
    IA_GO(ia_hint_put(cx, ds->os, dir, m->version));
    IA_GO(ia_branchref_put(cx, ds->os, ds->root, name, ds->branch, ds->m->version, file.len,
                           1700000000, 0));
    IA_GO(ia_dataset_bind(cx, ds->os, ds->root, name, m, out));
done:
    ia_manifest_release(m);
    ia_txn_dispose(&t);
    ia_bytes_dispose(&pb);
    ia_bytes_dispose(&file);
    ia_free(dir);
    ia_free(path);
    return st;
}

static const ia_fragment *with_files(const ia_manifest *m, const ia_fragment *f)
{
    for (size_t i = 0; i < m->n_fragments; i++) {
        if (ia_fragment_same_files(&m->fragments[i], f))
            return &m->fragments[i];
    }
    return NULL;
}

/* Rows that src deleted in a fragment both have are deleted in dst. */
static ia_status carry_deletions(ia_ctx *cx, ia_dataset *src, const ia_fragment *f, ia_dataset *dst,
                                 const ia_fragment *have, ia_txn *t)
{
    const ia_bitmap *theirs, *ours;
    ia_bitmap *rows = NULL;
    ia_action *a;
    ia_status st;
    IA_GO(ia_dataset_deletions(cx, src, f, &theirs));
    IA_GO(ia_dataset_deletions(cx, dst, have, &ours));
    IA_GO(ia_bitmap_copy(cx, theirs, &rows));
    ia_bitmap_andnot(rows, ours);
    if (ia_bitmap_count(rows) == 0)
        goto done;
    IA_GO(ia_txn_add(cx, t, IA_ACT_DELETE_ROWS, &a));
    a->fragment_id = have->id;
    a->rows = rows;
    rows = NULL;
done:
    ia_bitmap_free(rows);
    return st;
}

static ia_status bring(ia_ctx *cx, ia_dataset *src, const ia_fragment *f, ia_dataset *dst,
                       ia_adopt how, ia_txn *t, ia_graft_stats *stats)
{
    const ia_bitmap *dv;
    ia_fragment made;
    ia_action *a;
    IA_TRY(ia_graft_fragment(cx, src, f, dst, t, how, 0, &made, stats));
    IA_TRY(ia_txn_add(cx, t, IA_ACT_ADD_FRAGMENT, &a));
    a->fragment = made;
    a->copy_created = true;
    IA_TRY(ia_dataset_deletions(cx, src, f, &dv));
    return dv ? ia_bitmap_copy(cx, dv, &a->rows) : IA_OK;
}

/* Fragments of the fork point that src has emptied go from dst, unless dst has emptied them too. */
static ia_status carry_removals(ia_ctx *cx, ia_dataset *src, ia_dataset *dst, ia_txn *t)
{
    uint64_t *versions;
    size_t n;
    ia_dataset *base;
    ia_status st = IA_OK;
    IA_TRY(ia_dataset_versions(cx, src->os, src->root, src->branch, &versions, &n));
    st = ia_dataset_open(cx, src->os, src->root, src->branch, versions[0], &base);
    ia_free(versions);
    if (st != IA_OK)
        return st;
    for (size_t i = 0; i < base->m->n_fragments && st == IA_OK; i++) {
        const ia_fragment *have = with_files(dst->m, &base->m->fragments[i]);
        ia_action *a;
        if (!have || with_files(src->m, &base->m->fragments[i]))
            continue;
        st = ia_txn_add(cx, t, IA_ACT_REMOVE_FRAGMENT, &a);
        if (st == IA_OK)
            a->fragment_id = have->id;
    }
    ia_dataset_release(base);
    return st;
}

ia_status kit_graft(ia_ctx *cx, ia_dataset *src, ia_dataset *dst, ia_adopt how,
                    ia_graft_stats *stats, ia_dataset **out)
{
    ia_txn t = {0};
    ia_status st;
    *out = NULL;
    memset(stats, 0, sizeof *stats);
    IA_GO(ia_txn_init(cx, &t, IA_TXN_UPDATE, dst->m->version));
    IA_GO(carry_removals(cx, src, dst, &t));
    for (size_t i = 0; i < src->m->n_fragments; i++) {
        const ia_fragment *f = &src->m->fragments[i], *have = with_files(dst->m, f);
        if (have)
            IA_GO(carry_deletions(cx, src, f, dst, have, &t));
        else
            IA_GO(bring(cx, src, f, dst, how, &t, stats));
    }
    IA_GO(ia_table_commit(cx, dst, &t, IA_RELAXED, out));
done:
    ia_txn_dispose(&t);
    return st;
}
