/* graph_fixture.c - a small graph of people who know people, written row by row for tests. */
#include "graph_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "arrow/builder.h"

/* ---- stores ---------------------------------------------------------------------------------- */
static const ia_graph_options relaxed = {.durability = IA_RELAXED, .for_writing = true};

void gx_open(gx *x, gx_kind kind)
{
    *x = (gx){.e = env_new(0), .kind = kind};
    snprintf(x->root, sizeof x->root, "/mem/my.graph");
    if (kind == GX_LOCAL) {
        snprintf(x->base, sizeof x->base, "/tmp/inarch-gx-XXXXXX");
        assert_non_null(mkdtemp(x->base));
        snprintf(x->root, sizeof x->root, "%.40s/my.graph", x->base);
        assert_ok(ia_objstore_local(&x->e.cx, &x->inner));
    } else {
        assert_ok(ia_objstore_memory(&x->e.cx, true, &x->inner));
    }
    assert_ok(ia_objstore_faulty(&x->e.cx, x->inner, &x->os));
    ia_fault_set(x->os, -1, IA_CUT_BEFORE, false);
    if (ia_graph_init(&x->e.cx, x->os, x->root, GX_SCHEMA, "test.pg", "tester", &relaxed) != IA_OK)
        fail_msg("init: %s", x->e.cx.err.text);
    x->g = gx_handle(x);
}

ia_graph *gx_handle(gx *x)
{
    ia_graph *g;

    if (ia_graph_open(&x->e.cx, x->os, x->root, &relaxed, &g) != IA_OK)
        fail_msg("open: %s", x->e.cx.err.text);
    return g;
}

void gx_close(gx *x)
{
    char command[128];

    ia_graph_close(x->g);
    ia_objstore_close(x->os);
    ia_objstore_close(x->inner);
    if (x->kind == GX_LOCAL) {
        snprintf(command, sizeof command, "rm -rf '%s'", x->base);
        assert_int_equal(system(command), 0);
    }
    env_end(&x->e);
}

/* ---- finding rows ---------------------------------------------------------------------------- */
static ia_status find_person(ia_ctx *cx, ia_dataset *ds, const char *id, uint64_t *row_id,
                             uint64_t *addr)
{
    static const char *const columns[] = {"id", IA_COL_ROWID, IA_COL_ROWADDR};
    const ia_scan_options opt = {.columns = columns, .n_columns = 3};
    ia_stream s = {0};
    ia_batch *b = NULL;
    bool found = false;
    ia_status st;

    IA_GO(ia_dataset_scan(cx, ds, &opt, &s));
    for (;;) {
        ia_batch_release(b);
        IA_GO(ia_stream_next(cx, &s, &b));
        if (!b)
            break;
        for (int64_t i = 0; i < b->rows; i++)
            if (ia_view_eq_str(ia_array_str(b->cols[0], i), id)) {
                *row_id = ia_array_u64(b->cols[1], i);
                *addr = ia_array_u64(b->cols[2], i);
                found = true;
            }
    }
    if (!found)
        IA_GO(ia_fail(cx, IA_ERR_NOT_FOUND, "no person %s", id));
done:
    ia_batch_release(b);
    ia_stream_dispose(&s);
    return st;
}

/* ---- one row --------------------------------------------------------------------------------- */
static ia_status one_row(ia_ctx *cx, const ia_type_def *t, const char *const *texts, size_t n,
                         int32_t number, ia_batch **out)
{
    ia_batch_builder b = {0};
    size_t k = 0;
    ia_status st;

    *out = NULL;
    IA_GO(ia_batch_builder_init(cx, &b, t->arrow_schema));
    for (size_t i = 0; i < t->arrow_schema->n_fields; i++) {
        if (b.cols[i].type->id == IA_TYPE_I32) {
            ia_builder_i64(cx, &b.cols[i], number);
            continue;
        }
        const char *text = texts[k < n ? k : n - 1];
        k++;
        ia_builder_str(cx, &b.cols[i], text, strlen(text));
    }
    IA_GO(ia_batch_builder_finish(cx, &b, out));
done:
    ia_batch_builder_dispose(&b);
    return st;
}

static ia_status add_fragments(ia_ctx *cx, ia_twrite *t, ia_fragment *frags, size_t n)
{
    ia_fragment *all;
    ia_status st = IA_NEW_ARRAY(cx, all, t->n_added + n);

    if (st != IA_OK) {
        ia_fragments_free(frags, n);
        return st;
    }
    if (t->n_added > 0)
        memcpy(all, t->added, t->n_added * sizeof *all);
    memcpy(all + t->n_added, frags, n * sizeof *all);
    ia_free(t->added);
    ia_free(frags);
    t->added = all;
    t->n_added += n;
    return IA_OK;
}

static ia_status write_row(ia_ctx *cx, ia_write *w, size_t type, const ia_batch *row,
                           const uint64_t *row_id)
{
    const ia_fragwriter_options opt = {.put_flags = ia_graph_put_flags(w->g)};
    ia_fragwriter *fw = NULL;
    ia_fragment *frags = NULL;
    ia_dataset *ds;
    const char *dir;
    ia_twrite *t;
    size_t n;
    ia_status st;

    IA_GO(ia_write_tree(cx, w, type, &dir));
    IA_GO(ia_write_dataset(cx, w, type, &ds));
    IA_GO(ia_fragwriter_open(cx, w->g->os, dir, &ds->m->schema, ds->m->arrow, &opt, &fw));
    IA_GO(ia_fragwriter_write(cx, fw, row, row_id));
    IA_GO(ia_fragwriter_finish(cx, fw, &frags, &n));
    IA_GO(ia_write_table(cx, w, type, &t));
    IA_GO(add_fragments(cx, t, frags, n));
    if (!t->added_dir)
        IA_GO(IA_SET(cx, t->added_dir, ia_strdup(cx, dir)));
done:
    ia_fragwriter_close(fw);
    return st;
}

static ia_status remove_row(ia_ctx *cx, ia_write *w, size_t type, uint64_t addr)
{
    struct ia_rowset *sets;
    ia_twrite *t;

    IA_TRY(ia_write_table(cx, w, type, &t));
    for (size_t i = 0; i < t->n_removed; i++)
        if (t->removed[i].fragment == ia_addr_fragment(addr)) {
            ia_bitmap_add(t->removed[i].offsets, ia_addr_offset(addr));
            return IA_OK;
        }
    sets = ia_realloc(cx, t->removed, (t->n_removed + 1) * sizeof *sets);
    if (!sets)
        return cx->err.code;
    t->removed = sets;
    sets[t->n_removed] = (struct ia_rowset){.fragment = ia_addr_fragment(addr)};
    IA_TRY(ia_bitmap_new(cx, &sets[t->n_removed].offsets));
    ia_bitmap_add(sets[t->n_removed++].offsets, ia_addr_offset(addr));
    return IA_OK;
}

static ia_status add_image(ia_ctx *cx, ia_write *w, size_t type, const ia_batch *row)
{
    ia_tchange *c;

    IA_TRY(ia_changeset_type(cx, &w->changes, type, &c));
    return ia_tchange_add(cx, c, row);
}

static ia_status new_row(ia_ctx *cx, ia_write *w, size_t type, const char *const *texts, size_t n,
                         int32_t number)
{
    ia_batch *row = NULL;
    ia_status st;

    IA_GO(one_row(cx, w->head->cat->types[type], texts, n, number, &row));
    IA_GO(write_row(cx, w, type, row, NULL));
    IA_GO(add_image(cx, w, type, row));
done:
    ia_batch_release(row);
    return st;
}

ia_status gx_add_person(ia_ctx *cx, ia_write *w, const char *id, int32_t age)
{
    const char *const texts[] = {id};
    return new_row(cx, w, GX_PERSON, texts, 1, age);
}

ia_status gx_add_knows(ia_ctx *cx, ia_write *w, const char *id, const char *src, const char *dst)
{
    const char *const texts[] = {id, src, dst};
    return new_row(cx, w, GX_KNOWS, texts, 3, 2000);
}

ia_status gx_change_person(ia_ctx *cx, ia_write *w, const char *id, int32_t age)
{
    const char *const texts[] = {id};
    uint64_t row_id, addr;
    ia_dataset *ds;
    ia_batch *row = NULL;
    ia_status st;

    IA_GO(ia_write_dataset(cx, w, GX_PERSON, &ds));
    IA_GO(find_person(cx, ds, id, &row_id, &addr));
    IA_GO(one_row(cx, w->head->cat->types[GX_PERSON], texts, 1, age, &row));
    IA_GO(write_row(cx, w, GX_PERSON, row, &row_id));
    IA_GO(remove_row(cx, w, GX_PERSON, addr));
    IA_GO(add_image(cx, w, GX_PERSON, row));
done:
    ia_batch_release(row);
    return st;
}

ia_status gx_drop_person(ia_ctx *cx, ia_write *w, const char *id)
{
    uint64_t row_id, addr;
    ia_dataset *ds;
    ia_tchange *c;

    IA_TRY(ia_write_dataset(cx, w, GX_PERSON, &ds));
    IA_TRY(find_person(cx, ds, id, &row_id, &addr));
    IA_TRY(remove_row(cx, w, GX_PERSON, addr));
    IA_TRY(ia_changeset_type(cx, &w->changes, GX_PERSON, &c));
    return ia_bytemap_put(cx, &c->deleted, id, strlen(id), NULL, NULL);
}

/* ---- whole writes ---------------------------------------------------------------------------- */
typedef enum step { INSERT, UPDATE, DELETE, KNOWS } step;

static ia_status do_step(ia_ctx *cx, ia_write *w, step s, const char *const *texts, int32_t age)
{
    switch (s) {
    case INSERT:
        return gx_add_person(cx, w, texts[0], age);
    case UPDATE:
        return gx_change_person(cx, w, texts[0], age);
    case DELETE:
        return gx_drop_person(cx, w, texts[0]);
    case KNOWS:
        return gx_add_knows(cx, w, texts[0], texts[1], texts[2]);
    }
    return IA_ERR_INTERNAL;
}

static ia_status whole(ia_ctx *cx, ia_graph *g, const char *branch, step s,
                       const char *const *texts, int32_t age, char commit[27])
{
    ia_write *w = NULL;
    ia_commit *c = NULL;
    ia_status st;

    IA_GO(ia_write_begin(cx, g, branch, NULL, "tester", "a test", &w));
    IA_GO(do_step(cx, w, s, texts, age));
    IA_GO(ia_write_publish(cx, w, &c));
    if (commit)
        memcpy(commit, c->ref.id, 27);
done:
    ia_commit_free(c);
    ia_write_free(w);
    return st;
}

ia_status gx_insert(ia_ctx *cx, ia_graph *g, const char *branch, const char *id, int32_t age,
                    char commit[27])
{
    return whole(cx, g, branch, INSERT, &id, age, commit);
}

ia_status gx_update(ia_ctx *cx, ia_graph *g, const char *branch, const char *id, int32_t age,
                    char commit[27])
{
    return whole(cx, g, branch, UPDATE, &id, age, commit);
}

ia_status gx_delete(ia_ctx *cx, ia_graph *g, const char *branch, const char *id, char commit[27])
{
    return whole(cx, g, branch, DELETE, &id, 0, commit);
}

ia_status gx_knows(ia_ctx *cx, ia_graph *g, const char *branch, const char *id, const char *src,
                   const char *dst)
{
    const char *const texts[] = {id, src, dst};
    return whole(cx, g, branch, KNOWS, texts, 0, NULL);
}

static ia_status age_of(ia_ctx *cx, ia_dataset *ds, const char *id, int32_t *age)
{
    static const char *const columns[] = {"age"};
    uint64_t row_id, addr;
    ia_batch *b;

    IA_TRY(find_person(cx, ds, id, &row_id, &addr));
    IA_TRY(ia_dataset_take(cx, ds, &addr, 1, columns, 1, &b));
    *age = (int32_t)ia_array_i64(b->cols[0], 0);
    ia_batch_release(b);
    return IA_OK;
}

ia_status gx_bump(ia_ctx *cx, ia_graph *g, const char *branch, const char *id)
{
    ia_write *w = NULL;
    ia_commit *c = NULL;
    ia_dataset *ds;
    int32_t age;
    ia_status st;

    IA_GO(ia_write_begin(cx, g, branch, NULL, "tester", "one more", &w));
    IA_GO(ia_write_dataset(cx, w, GX_PERSON, &ds));
    IA_GO(age_of(cx, ds, id, &age));
    IA_GO(gx_change_person(cx, w, id, age + 1));
    IA_GO(ia_write_publish(cx, w, &c));
done:
    ia_commit_free(c);
    ia_write_free(w);
    return st;
}

/* ---- reading --------------------------------------------------------------------------------- */
static ia_status dump_row(ia_ctx *cx, const ia_batch *b, int64_t i, size_t type, ia_strlist *lines)
{
    const ia_view id = ia_array_str(b->cols[0], i);
    const ia_view x = ia_array_str(b->cols[1], i);
    char *line;
    ia_status st;

    if (type == GX_PERSON) {
        line = ia_sprintf(cx, "%.*s=%lld", (int)id.len, id.data,
                          (long long)ia_array_i64(ia_batch_col(b, "age"), i));
    } else {
        const ia_view y = ia_array_str(b->cols[2], i);
        line = ia_sprintf(cx, "%.*s:%.*s>%.*s", (int)id.len, id.data, (int)x.len, x.data,
                          (int)y.len, y.data);
    }
    if (!line)
        return cx->err.code;
    st = ia_strlist_add(cx, lines, line);
    ia_free(line);
    return st;
}

static ia_status dump_table(ia_ctx *cx, ia_snapshot *s, size_t type, ia_buf *out)
{
    const ia_scan_options opt = {.columns = NULL};
    ia_stream stream = {0};
    ia_strlist lines = {0};
    ia_batch *b = NULL;
    ia_dataset *ds;
    ia_status st;

    IA_GO(ia_snapshot_table(cx, s, type, &ds));
    IA_GO(ia_dataset_scan(cx, ds, &opt, &stream));
    for (;;) {
        ia_batch_release(b);
        IA_GO(ia_stream_next(cx, &stream, &b));
        if (!b)
            break;
        for (int64_t i = 0; i < b->rows; i++)
            IA_GO(dump_row(cx, b, i, type, &lines));
    }
    ia_strlist_sort(&lines);
    for (size_t i = 0; i < lines.n; i++)
        ia_buf_printf(cx, out, "%s%s", i ? " " : "", lines.items[i]);
    if (ia_snapshot_entry(s, type)->rows != lines.n)
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "entry says %llu rows, there are %zu",
                      (unsigned long long)ia_snapshot_entry(s, type)->rows, lines.n));
done:
    ia_batch_release(b);
    ia_strlist_dispose(&lines);
    ia_stream_dispose(&stream);
    return st;
}

ia_status gx_dump(ia_ctx *cx, ia_graph *g, const char *branch_or_commit, char **out)
{
    ia_snapshot *s = NULL;
    ia_commit *c;
    ia_buf b = {0};
    ia_status st;

    *out = NULL;
    IA_GO(ia_resolve(cx, g, branch_or_commit, &c));
    IA_GO(ia_snapshot_open(cx, g, c, &s));
    IA_GO(dump_table(cx, s, GX_PERSON, &b));
    ia_buf_puts(cx, &b, " | ");
    IA_GO(dump_table(cx, s, GX_KNOWS, &b));
    IA_GO(ia_buf_finish_str(cx, &b, out));
done:
    ia_buf_dispose(&b);
    ia_snapshot_close(s);
    return st;
}

void gx_expect(ia_ctx *cx, ia_graph *g, const char *branch_or_commit, const char *want)
{
    char *got = NULL;
    const ia_status st = gx_dump(cx, g, branch_or_commit, &got);

    if (st != IA_OK)
        fail_msg("%s: %s", branch_or_commit, cx->err.text);
    assert_string_equal(got, want);
    ia_free(got);
}

size_t gx_count(ia_ctx *cx, ia_objstore *os, const char *dir)
{
    ia_objlist l = {0};
    size_t n = 0;

    assert_ok(ia_objstore_list(cx, os, dir, NULL, 0, &l));
    for (size_t i = 0; i < l.n; i++) {
        const size_t len = strlen(l.names[i]);
        if (l.names[i][len - 1] != '/') {
            n++;
            continue;
        }
        char *path = ia_sprintf(cx, "%s/%.*s", dir, (int)len - 1, l.names[i]);
        assert_non_null(path);
        n += gx_count(cx, os, path);
        ia_free(path);
    }
    ia_objlist_dispose(&l);
    return n;
}
