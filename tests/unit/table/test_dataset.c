/* test_dataset.c - creating, appending, scanning, taking, deleting, updating, on both stores. */
#include <pthread.h>

#include "table_env.h"
#include "table_kit.h"

#define FIELDS                                                                                     \
    "[{\"name\":\"id\",\"type\":\"int64\",\"nullable\":false},{\"name\":\"s\",\"type\":"           \
    "\"string\"},"                                                                                 \
    "{\"name\":\"v\",\"type\":\"fsl:4\"},{\"name\":\"l\",\"type\":\"list:int64\"}]"

static ia_dataset *create(env *t)
{
    ia_schema *s;
    ia_dataset *ds;
    assert_ok(kit_schema_text(&t->cx, FIELDS, &s));
    assert_ok(ia_table_create(&t->cx, t->os, t->root, s, IA_RELAXED, &ds));
    ia_schema_release(s);
    return ds;
}

/* Rows first..first+n-1: s is null for ids divisible by 5, v is [id, id+1, id+2, id+3], l has id %
 * 3 items. */
static ia_json *rows_json(env *t, int64_t first, int64_t n)
{
    ia_buf b = {0};
    ia_json *doc;
    ia_buf_putc(&t->cx, &b, '[');
    for (int64_t i = first; i < first + n; i++) {
        const long long k = i;
        ia_buf_printf(&t->cx, &b, "%s{\"id\":%lld,", i > first ? "," : "", k);
        if (i % 5)
            ia_buf_printf(&t->cx, &b, "\"s\":\"row %lld\",", k);
        ia_buf_printf(&t->cx, &b, "\"v\":[%lld,%lld,%lld,%lld],\"l\":[", k, k + 1, k + 2, k + 3);
        for (int64_t m = 0; m < i % 3; m++)
            ia_buf_printf(&t->cx, &b, "%s%lld", m ? "," : "", (long long)m);
        ia_buf_puts(&t->cx, &b, "]}");
    }
    ia_buf_putc(&t->cx, &b, ']');
    assert_ok(ia_buf_status(&b));
    assert_ok(ia_json_parse(&t->cx, (const char *)b.data, b.len, &doc));
    ia_buf_dispose(&b);
    return doc;
}

static void step(ia_dataset **ds, ia_dataset *next)
{
    ia_dataset_release(*ds);
    *ds = next;
}

static void append(env *t, ia_dataset **ds, int64_t first, int64_t n)
{
    ia_json *doc = rows_json(t, first, n);
    ia_dataset *next;
    assert_ok(kit_append(&t->cx, *ds, doc, IA_RELAXED, &next));
    ia_json_free(doc);
    step(ds, next);
}

static void delete_where(env *t, ia_dataset **ds, const char *where)
{
    ia_dataset *next;
    assert_ok(kit_delete(&t->cx, *ds, where, &next));
    step(ds, next);
}

static void update_where(env *t, ia_dataset **ds, const char *where, const char *set)
{
    ia_dataset *next;
    ia_json *doc;
    assert_ok(ia_json_parse(&t->cx, set, strlen(set), &doc));
    assert_ok(kit_update(&t->cx, *ds, where, doc, &next));
    ia_json_free(doc);
    step(ds, next);
}

/* Result of a scan as JSON text. */
static char *scan_text(env *t, ia_dataset *ds, const char *const *columns, size_t n,
                       const char *where, ia_scan_options opt)
{
    ia_arena arena = {0};
    ia_expr *filter = NULL;
    ia_stream s;
    ia_jsonw w;
    ia_bytes out;
    char *text;
    if (where)
        assert_ok(ia_sql_filter_parse(&t->cx, &arena, where, strlen(where), &filter));
    opt.columns = columns;
    opt.n_columns = n;
    opt.filter = filter;
    assert_ok(ia_dataset_scan(&t->cx, ds, &opt, &s));
    ia_jsonw_init(&w, &t->cx, 0);
    assert_ok(kit_rows(&t->cx, &s, &w));
    assert_ok(ia_jsonw_finish(&w, &out));
    ia_jsonw_dispose(&w);
    ia_stream_dispose(&s);
    ia_arena_dispose(&arena);
    text = calloc(out.len + 1, 1);
    memcpy(text, out.data, out.len);
    ia_bytes_dispose(&out);
    return text;
}

static void assert_scan(env *t, ia_dataset *ds, const char *const *columns, size_t n,
                        const char *where, const char *want)
{
    char *text = scan_text(t, ds, columns, n, where, (ia_scan_options){0});
    assert_string_equal(text, want);
    free(text);
}

static const char *const id_only[] = {"id"};
static const char *const id_and_s[] = {"id", "s"};

static void rows_come_back(bool local)
{
    env e, *t = &e;
    ia_dataset *ds, *again;
    uint64_t n, *versions;
    size_t n_versions;
    env_start(t, local);
    ds = create(t);
    append(t, &ds, 0, 3);
    append(t, &ds, 3, 2);
    assert_scan(
        t, ds, NULL, 0, NULL,
        "[{\"id\":0,\"s\":null,\"v\":[0.0,1.0,2.0,3.0],\"l\":[]},{\"id\":1,\"s\":\"row "
        "1\",\"v\":[1.0,2.0,3.0,4.0],\"l\":[0]},"
        "{\"id\":2,\"s\":\"row 2\",\"v\":[2.0,3.0,4.0,5.0],\"l\":[0,1]},{\"id\":3,\"s\":\"row "
        "3\",\"v\":[3.0,4.0,5.0,6.0],\"l\":[]},"
        "{\"id\":4,\"s\":\"row 4\",\"v\":[4.0,5.0,6.0,7.0],\"l\":[0]}]");
    assert_ok(ia_dataset_open(&t->cx, t->os, t->root, NULL, 0, &again));
    assert_int_equal(again->m->version, 3);
    assert_scan(t, again, id_and_s, 2, "id > 2 AND s IS NOT NULL",
                "[{\"id\":3,\"s\":\"row 3\"},{\"id\":4,\"s\":\"row 4\"}]");
    assert_ok(ia_dataset_count(&t->cx, again, NULL, &n));
    assert_int_equal(n, 5);
    ia_dataset_release(again);
    assert_ok(ia_dataset_open(&t->cx, t->os, t->root, NULL, 2, &again));
    assert_scan(t, again, id_only, 1, NULL, "[{\"id\":0},{\"id\":1},{\"id\":2}]");
    ia_dataset_release(again);
    assert_status(IA_ERR_NOT_FOUND, ia_dataset_open(&t->cx, t->os, t->root, NULL, 9, &again));
    assert_status(IA_ERR_NOT_FOUND, ia_dataset_open(&t->cx, t->os, t->root, "nowhere", 0, &again));
    assert_ok(ia_dataset_versions(&t->cx, t->os, t->root, NULL, &versions, &n_versions));
    assert_int_equal(n_versions, 3);
    assert_int_equal(versions[2], 3);
    ia_free(versions);
    ia_dataset_release(ds);
    env_end(t);
}

static void rows_come_back_from_memory(void **state)
{
    (void)state;
    rows_come_back(false);
}
static void rows_come_back_from_local_files(void **state)
{
    (void)state;
    rows_come_back(true);
}

static void a_second_create_is_refused(void **state)
{
    env e, *t = &e;
    ia_dataset *ds, *again;
    ia_schema *s;
    (void)state;
    env_start(t, false);
    ds = create(t);
    assert_ok(kit_schema_text(&t->cx, FIELDS, &s));
    assert_status(IA_ERR_EXISTS, ia_table_create(&t->cx, t->os, t->root, s, IA_RELAXED, &again));
    ia_schema_release(s);
    ia_dataset_release(ds);
    env_end(t);
}

static void updates_keep_row_ids_and_created_versions(void **state)
{
    static const char *const cols[] = {
        "id", "s", "_rowid", "_rowaddr", "_row_created_at_version", "_row_last_updated_at_version"};
    env e, *t = &e;
    ia_dataset *ds;
    (void)state;
    env_start(t, false);
    ds = create(t);
    append(t, &ds, 0, 3);
    delete_where(t, &ds, "id = 0");
    update_where(t, &ds, "id = 2", "{\"s\":\"new\"}");
    assert_scan(t, ds, cols, 6, NULL,
                "[{\"id\":1,\"s\":\"row "
                "1\",\"_rowid\":1,\"_rowaddr\":1,\"_row_created_at_version\":2,\"_row_last_updated_"
                "at_version\":2},"
                "{\"id\":2,\"s\":\"new\",\"_rowid\":2,\"_rowaddr\":4294967296,\"_row_created_at_"
                "version\":2,\"_row_last_updated_at_version\":4}]");
    update_where(t, &ds, "id = 2", "{\"s\":\"again\"}"); /* its fragment is emptied and goes */
    assert_int_equal(ds->m->n_fragments, 2);
    assert_scan(t, ds, cols, 6, "_rowid = 2",
                "[{\"id\":2,\"s\":\"again\",\"_rowid\":2,\"_rowaddr\":8589934592,\"_row_created_at_"
                "version\":2,\"_row_last_updated_at_version\":5}]");
    delete_where(t, &ds, NULL);
    assert_int_equal(ds->m->n_fragments, 0);
    assert_scan(t, ds, cols, 6, NULL, "[]");
    ia_dataset_release(ds);
    env_end(t);
}

typedef struct filter_case {
    const char *where;
    int64_t mod, rest, from; /* ids >= from with id % mod == rest; mod 0: three ids */
} filter_case;

/* The next id >= `id` that should come out of the scan. */
static int64_t next_passing(const filter_case *f, int64_t id)
{
    for (;; id++) {
        const bool in = f->mod ? id >= f->from && id % f->mod == f->rest
                               : id == 7 || id == 8000 || id == 19999;
        if (in && id != 100 && id != 8000 && id != 13000)
            return id;
    }
}

static void check_row(const ia_batch *b, int64_t i, int64_t id)
{
    int64_t start, len;
    assert_int_equal(ia_array_i64(b->cols[0], i), id);
    assert_int_equal(ia_array_valid(b->cols[1], i), id % 5 != 0);
    ia_array_list(b->cols[2], i, &start, &len);
    assert_int_equal((int64_t)ia_array_f64(b->cols[2]->children[0], start + 3), id + 3);
    ia_array_list(b->cols[3], i, &start, &len);
    assert_int_equal(len, id % 3);
}

static void check_filter(env *t, ia_dataset *ds, const filter_case *f, uint32_t batch_rows)
{
    ia_arena arena = {0};
    ia_expr *filter;
    ia_stream s;
    ia_batch *batch;
    ia_scan_options opt = {.batch_rows = batch_rows};
    int64_t next = 0;
    uint64_t got = 0, counted;
    assert_ok(ia_sql_filter_parse(&t->cx, &arena, f->where, strlen(f->where), &filter));
    opt.filter = filter;
    assert_ok(ia_dataset_scan(&t->cx, ds, &opt, &s));
    for (;;) {
        assert_ok(ia_stream_next(&t->cx, &s, &batch));
        if (!batch)
            break;
        assert_true(batch->rows > 0 && batch->rows <= (batch_rows ? batch_rows : 8192));
        for (int64_t i = 0; i < batch->rows; i++) {
            next = next_passing(f, next);
            check_row(batch, i, next++);
            got++;
        }
        ia_batch_release(batch);
    }
    ia_stream_dispose(&s);
    assert_ok(ia_dataset_count(&t->cx, ds, filter, &counted));
    assert_int_equal(counted, got);
    if (f->mod)
        assert_true(next_passing(f, next) >= 20000);
    else
        assert_int_equal(got, 2);
    ia_arena_dispose(&arena);
}

/* Every filter shape and batch size gives what a plain loop over the rows gives. */
static void filtered_scans_agree_with_a_plain_loop(void **state)
{
    static const filter_case filters[] = {{"id >= 0", 1, 0, 0},
                                          {"id >= 15000", 1, 0, 15000},
                                          {"s IS NULL", 5, 0, 0},
                                          {"id IN (7, 8000, 19999)", 0, 0, 0}};
    static const uint32_t batches[] = {0, 100, 999};
    env e, *t = &e;
    ia_dataset *ds;
    (void)state;
    env_start(t, false);
    ds = create(t);
    append(t, &ds, 0, 12000);
    append(t, &ds, 12000, 8000);
    delete_where(t, &ds, "id = 100 OR id = 8000 OR id = 13000");
    for (size_t f = 0; f < 4; f++) {
        for (size_t b = 0; b < 3; b++)
            check_filter(t, ds, &filters[f], batches[b]);
    }
    ia_dataset_release(ds);
    env_end(t);
}

static void a_limit_a_fragment_list_and_deleted_rows_are_honoured(void **state)
{
    static const uint64_t second[] = {1};
    env e, *t = &e;
    ia_dataset *ds;
    char *text;
    (void)state;
    env_start(t, false);
    ds = create(t);
    append(t, &ds, 0, 4);
    append(t, &ds, 4, 4);
    delete_where(t, &ds, "id = 5");
    text = scan_text(t, ds, id_only, 1, NULL, (ia_scan_options){.limit = 5});
    assert_string_equal(text, "[{\"id\":0},{\"id\":1},{\"id\":2},{\"id\":3},{\"id\":4}]");
    free(text);
    text = scan_text(t, ds, id_only, 1, "id >= 2", (ia_scan_options){.limit = 3});
    assert_string_equal(text, "[{\"id\":2},{\"id\":3},{\"id\":4}]");
    free(text);
    text = scan_text(t, ds, id_only, 1, NULL,
                     (ia_scan_options){.fragments = second, .n_fragments = 1});
    assert_string_equal(text, "[{\"id\":4},{\"id\":6},{\"id\":7}]");
    free(text);
    text = scan_text(t, ds, id_only, 1, "id > 4", (ia_scan_options){.with_deleted = true});
    assert_string_equal(text, "[{\"id\":5},{\"id\":6},{\"id\":7}]");
    free(text);
    ia_dataset_release(ds);
    env_end(t);
}

static void taking_keeps_the_asked_order_and_repeats(void **state)
{
    const uint64_t addrs[] = {ia_addr(1, 1), 2, ia_addr(1, 1), 0, ia_addr(1, 0), 1};
    static const int64_t want[] = {5, 2, 5, 0, 4, 1};
    const uint64_t outside = ia_addr(1, 4);
    env e, *t = &e;
    ia_dataset *ds;
    ia_batch *b;
    (void)state;
    env_start(t, false);
    ds = create(t);
    append(t, &ds, 0, 4);
    append(t, &ds, 4, 4);
    delete_where(t, &ds, "id = 1"); /* deleted rows are returned too */
    assert_ok(ia_dataset_take(&t->cx, ds, addrs, 6, id_and_s, 2, &b));
    assert_int_equal(b->rows, 6);
    for (int64_t i = 0; i < 6; i++)
        assert_int_equal(ia_array_i64(b->cols[0], i), want[i]);
    ia_batch_release(b);
    assert_ok(ia_dataset_take(&t->cx, ds, addrs, 0, NULL, 0, &b));
    assert_int_equal(b->rows, 0);
    assert_int_equal(b->schema->n_fields, 4);
    ia_batch_release(b);
    assert_status(IA_ERR_NOT_FOUND, ia_dataset_take(&t->cx, ds, &outside, 1, NULL, 0, &b));
    ia_dataset_release(ds);
    env_end(t);
}

static void row_ids_lead_to_live_addresses(void **state)
{
    static const char *const cols[] = {"_rowid", "_rowaddr"};
    env e, *t = &e;
    ia_dataset *ds;
    uint64_t addr, live = 0;
    bool found;
    (void)state;
    env_start(t, false);
    ds = create(t);
    append(t, &ds, 0, 50);
    append(t, &ds, 50, 50);
    update_where(t, &ds, "id IN (90, 3, 20, 55)", "{\"s\":\"moved\"}");
    update_where(t, &ds, "id IN (3, 60)", "{\"s\":\"again\"}");
    delete_where(t, &ds, "id = 20 OR id = 70");
    for (uint64_t id = 0; id < 102; id++) {
        ia_batch *b;
        assert_ok(ia_dataset_find_rowid(&t->cx, ds, id, &found, &addr));
        assert_int_equal(found, id != 20 && id != 70 && id < 100);
        if (!found)
            continue;
        live++;
        assert_ok(ia_dataset_take(&t->cx, ds, &addr, 1, cols, 2, &b));
        assert_int_equal(ia_array_u64(b->cols[0], 0), id);
        assert_int_equal(ia_array_u64(b->cols[1], 0), addr);
        ia_batch_release(b);
    }
    assert_int_equal(live, ia_manifest_live_rows(ds->m));
    ia_dataset_release(ds);
    env_end(t);
}

static void a_file_of_many_rows_is_split_and_kept_ids_start_a_file(void **state)
{
    env e, *t = &e;
    ia_dataset *ds;
    ia_json *doc;
    ia_batch *b;
    ia_fragwriter *w;
    ia_fragment *frags;
    size_t n;
    const ia_fragwriter_options opt = {.max_rows = 8};
    uint64_t ids[20];
    (void)state;
    env_start(t, false);
    ds = create(t);
    doc = rows_json(t, 0, 20);
    assert_ok(kit_batch(&t->cx, ds->m->arrow, doc, &b));
    for (uint64_t i = 0; i < 20; i++)
        ids[i] = 100 + i;
    assert_ok(ia_fragwriter_open(&t->cx, t->os, ds->dir, &ds->m->schema, ds->m->arrow, &opt, &w));
    assert_ok(ia_fragwriter_write(&t->cx, w, b, ids));  /* 8 + 8 + 4 with ids */
    assert_ok(ia_fragwriter_write(&t->cx, w, b, NULL)); /* 4 join the last, then 8 + 8 */
    assert_ok(ia_fragwriter_write(&t->cx, w, b, ids));  /* ids after new rows: a new file */
    assert_ok(ia_fragwriter_finish(&t->cx, w, &frags, &n));
    assert_int_equal(n, 8);
    assert_int_equal(frags[2].physical_rows, 8);
    assert_int_equal(frags[2].row_ids.count, 4);
    assert_int_equal(frags[4].row_ids.count, 0);
    assert_int_equal(frags[5].row_ids.count, 8);
    assert_int_equal(strlen(frags[0].files[0].path), 56);
    ia_fragments_free(frags, n);
    ia_fragwriter_close(w);
    ia_batch_release(b);
    ia_json_free(doc);
    ia_dataset_release(ds);
    env_end(t);
}

static void unknown_columns_are_named(void **state)
{
    static const char *const cols[] = {"id", "weight"};
    const ia_scan_options opt = {.columns = cols, .n_columns = 2};
    env e, *t = &e;
    ia_dataset *ds;
    ia_stream s;
    (void)state;
    env_start(t, false);
    ds = create(t);
    if (ia_dataset_scan(&t->cx, ds, &opt, &s) != IA_ERR_NOT_FOUND)
        fail();
    assert_non_null(strstr(t->cx.err.text, "'weight'"));
    ia_dataset_release(ds);
    env_end(t);
}

/* A moved graph: the base recorded as /old/place/People.lance/tree/x is read below the root it has
 * now. */
static void base_paths_follow_a_moved_dataset(void **state)
{
    env e, *t = &e;
    ia_dataset *ds, *bound;
    ia_manifest *m;
    char *dir;
    (void)state;
    env_start(t, false);
    ds = create(t);
    assert_ok(ia_manifest_copy(&t->cx, ds->m, &m));
    m->bases = ia_calloc(&t->cx, 3, sizeof *m->bases);
    m->n_bases = 3;
    m->bases[0] = (ia_basepath){0, NULL, true, ia_strdup(&t->cx, "/old/place/People.lance/tree/x")};
    m->bases[1] = (ia_basepath){1, NULL, true, ia_strdup(&t->cx, "/old/place/People.lance")};
    m->bases[2] = (ia_basepath){2, NULL, true, ia_strdup(&t->cx, "/old/place/Others.lance/")};
    assert_ok(ia_dataset_bind(&t->cx, t->os, t->root, NULL, m, &bound));
    assert_ok(ia_dataset_tree(&t->cx, bound, true, 0, &dir));
    assert_string_equal(dir, "/old/place/People.lance/tree/x");
    ia_free(dir);
    bound->relocate = true;
    assert_ok(ia_dataset_tree(&t->cx, bound, true, 0, &dir));
    assert_string_equal(dir, "/data/People.lance/tree/x");
    ia_free(dir);
    assert_ok(ia_dataset_tree(&t->cx, bound, true, 1, &dir));
    assert_string_equal(dir, "/data/People.lance");
    ia_free(dir);
    assert_ok(ia_dataset_tree(&t->cx, bound, true, 2, &dir));
    assert_string_equal(dir, "/old/place/Others.lance");
    ia_free(dir);
    assert_status(IA_ERR_CORRUPT, ia_dataset_tree(&t->cx, bound, true, 3, &dir));
    ia_manifest_release(m);
    ia_dataset_release(bound);
    ia_dataset_release(ds);
    env_end(t);
}

/* Reading columns that a filter rejects costs little: the wide column is taken for the rows that
 * passed. */
static void a_sparse_filter_reads_little_of_the_other_columns(void **state)
{
    static const char *const cols[] = {"v"};
    static const char *const keys[] = {"id"};
    env e, *t = &e;
    ia_objstore *counting;
    ia_io_counts before, after;
    ia_dataset *ds, *counted;
    char *text;
    (void)state;
    env_start(t, false);
    ds = create(t);
    append(t, &ds, 0, 40000);
    assert_ok(ia_objstore_counting(&t->cx, t->os, &counting));
    assert_ok(ia_dataset_open(&t->cx, counting, t->root, NULL, 0, &counted));
    assert_ok(ia_dataset_set_keys(&t->cx, counted, keys, 1));
    ia_objstore_counts(counting, &before);
    text = scan_text(t, counted, cols, 1, "id = 23456", (ia_scan_options){0});
    ia_objstore_counts(counting, &after);
    assert_string_equal(text, "[{\"v\":[23456.0,23457.0,23458.0,23459.0]}]");
    free(text);
    assert_true(after.read_bytes[IA_IO_KEY] - before.read_bytes[IA_IO_KEY] > 40000);
    assert_true(after.read_bytes[IA_IO_PAYLOAD] - before.read_bytes[IA_IO_PAYLOAD] <
                40000 * 16 / 8);
    ia_dataset_release(counted);
    ia_objstore_close(counting);
    ia_dataset_release(ds);
    env_end(t);
}

/* Reads the whole table filtered, takes rows and finds one: everything that may allocate. */
static ia_status read_all(ia_ctx *cx, ia_objstore *os, const char *root, uint64_t *rows)
{
    static const char where[] = "id > 3 AND s IS NOT NULL";
    const uint64_t addrs[] = {ia_addr(1, 1), 0};
    ia_scan_options opt = {.batch_rows = 7};
    ia_arena arena = {0};
    ia_dataset *ds = NULL;
    ia_expr *filter = NULL;
    ia_stream s = {0};
    ia_batch *b = NULL;
    uint64_t addr;
    bool found;
    ia_status st;

    *rows = 0;
    IA_GO(ia_dataset_open(cx, os, root, NULL, 0, &ds));
    IA_GO(ia_sql_filter_parse(cx, &arena, where, strlen(where), &filter));
    opt.filter = filter;
    IA_GO(ia_dataset_scan(cx, ds, &opt, &s));
    for (;;) {
        IA_GO(ia_stream_next(cx, &s, &b));
        if (!b)
            break;
        *rows += (uint64_t)b->rows;
        ia_batch_release(b);
        b = NULL;
    }
    IA_GO(ia_dataset_take(cx, ds, addrs, 2, NULL, 0, &b));
    IA_GO(ia_dataset_find_rowid(cx, ds, 9, &found, &addr));
done:
    ia_batch_release(b);
    ia_stream_dispose(&s);
    ia_arena_dispose(&arena);
    ia_dataset_release(ds);
    return st;
}

static void reading_survives_every_failed_allocation(void **state)
{
    env e, *t = &e;
    ia_dataset *ds;
    uint64_t rows, want;
    ia_status st = IA_ERR_NO_MEMORY;
    int64_t k;
    (void)state;
    env_start(t, false);
    ds = create(t);
    append(t, &ds, 0, 30);
    append(t, &ds, 30, 30);
    delete_where(t, &ds, "id = 8 OR id = 31");
    update_where(t, &ds, "id = 9", "{\"s\":\"nine\"}");
    assert_ok(read_all(&t->cx, t->os, t->root, &want));
    for (k = 0; st != IA_OK; k++) {
        ia_mem_fail_after(k);
        st = read_all(&t->cx, t->os, t->root, &rows);
        ia_mem_fail_after(-1);
        if (st != IA_OK)
            assert_int_equal(st, IA_ERR_NO_MEMORY);
        ia_ctx_clear(&t->cx);
    }
    assert_true(k > 100);
    assert_int_equal(rows, want);
    ia_dataset_release(ds);
    env_end(t);
}

static void appending_survives_every_failed_allocation(void **state)
{
    env e, *t = &e;
    ia_dataset *ds, *next = NULL;
    ia_json *doc;
    ia_status st = IA_ERR_NO_MEMORY;
    uint64_t before;
    int64_t k;
    (void)state;
    env_start(t, false);
    ds = create(t);
    append(t, &ds, 0, 3);
    doc = rows_json(t, 3, 3);
    before = ds->m->version;
    for (k = 0; st != IA_OK; k++) {
        uint64_t latest;
        ia_mem_fail_after(k);
        st = kit_append(&t->cx, ds, doc, IA_RELAXED, &next);
        ia_mem_fail_after(-1);
        ia_ctx_clear(&t->cx);
        assert_ok(ia_dataset_latest(&t->cx, t->os, t->root, NULL, &latest));
        if (st == IA_OK || latest > before)
            break; /* committed: at most the new version was not bound */
    }
    assert_true(k > 100);
    ia_dataset_release(next);
    assert_ok(ia_dataset_open(&t->cx, t->os, t->root, NULL, 0, &next));
    assert_int_equal(next->m->version, before + 1);
    assert_int_equal(ia_manifest_live_rows(next->m), 6);
    ia_dataset_release(next);
    ia_json_free(doc);
    ia_dataset_release(ds);
    env_end(t);
}

typedef struct reader {
    ia_dataset *ds;
    ia_budget *budget;
    uint64_t want;
    int bad;
} reader;

static void *read_often(void *arg)
{
    reader *r = arg;
    ia_ctx cx;
    ia_ctx_init(&cx, r->budget);
    for (int i = 0; i < 20 && !r->bad; i++) {
        ia_stream s;
        ia_batch *b;
        uint64_t rows = 0, addr;
        bool found;
        r->bad |= ia_dataset_scan(&cx, r->ds, NULL, &s) != IA_OK;
        while (!r->bad) {
            r->bad |= ia_stream_next(&cx, &s, &b) != IA_OK;
            if (!b)
                break;
            rows += (uint64_t)b->rows;
            ia_batch_release(b);
        }
        ia_stream_dispose(&s);
        r->bad |= rows != r->want;
        r->bad |= ia_dataset_find_rowid(&cx, r->ds, 20, &found, &addr) != IA_OK || !found;
    }
    return NULL;
}

static void one_dataset_serves_several_threads(void **state)
{
    env e, *t = &e;
    ia_dataset *ds;
    reader readers[4];
    pthread_t threads[4];
    (void)state;
    env_start(t, true);
    ds = create(t);
    append(t, &ds, 0, 2000);
    append(t, &ds, 2000, 2000);
    delete_where(t, &ds, "s IS NULL AND id <> 20");
    for (int i = 0; i < 4; i++) {
        readers[i] = (reader){ds, t->budget, ia_manifest_live_rows(ds->m), 0};
        assert_int_equal(pthread_create(&threads[i], NULL, read_often, &readers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(readers[i].bad, 0);
    }
    ia_dataset_release(ds);
    env_end(t);
}

/* The older naming scheme is read; names that are neither are passed over. */
static void old_manifest_names_and_foreign_names_are_understood(void **state)
{
    env e, *t = &e;
    ia_dataset *ds, *again;
    (void)state;
    env_start(t, true);
    ds = create(t);
    append(t, &ds, 0, 3);
    for (uint64_t v = 1; v <= 2; v++) {
        char name[40], from[400], to[400];
        ia_manifest_name(v, name);
        snprintf(from, sizeof from, "%s/_versions/%s", t->root, name);
        snprintf(to, sizeof to, "%s/_versions/%d.manifest", t->root, (int)v);
        assert_int_equal(rename(from, to), 0);
    }
    {
        char junk[400];
        snprintf(junk, sizeof junk, "%s/_versions/00000000000000000000.manifest#1", t->root);
        assert_ok(ia_objstore_put(&t->cx, t->os, junk, "x", 1, 0));
        snprintf(junk, sizeof junk, "%s/_versions/.tmpAbc", t->root);
        assert_ok(ia_objstore_put(&t->cx, t->os, junk, "x", 1, 0));
    }
    assert_ok(ia_dataset_open(&t->cx, t->os, t->root, NULL, 0, &again));
    assert_int_equal(again->m->version, 2);
    assert_scan(t, again, id_only, 1, NULL, "[{\"id\":0},{\"id\":1},{\"id\":2}]");
    { /* a second scheme beside the first would hide commits: such a table is not written */
        ia_dataset *next;
        assert_status(IA_ERR_UNSUPPORTED, kit_delete(&t->cx, again, "id = 1", &next));
    }
    ia_dataset_release(again);
    ia_dataset_release(ds);
    env_end(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_back_from_memory),
        cmocka_unit_test(rows_come_back_from_local_files),
        cmocka_unit_test(a_second_create_is_refused),
        cmocka_unit_test(updates_keep_row_ids_and_created_versions),
        cmocka_unit_test(filtered_scans_agree_with_a_plain_loop),
        cmocka_unit_test(a_limit_a_fragment_list_and_deleted_rows_are_honoured),
        cmocka_unit_test(taking_keeps_the_asked_order_and_repeats),
        cmocka_unit_test(row_ids_lead_to_live_addresses),
        cmocka_unit_test(a_file_of_many_rows_is_split_and_kept_ids_start_a_file),
        cmocka_unit_test(unknown_columns_are_named),
        cmocka_unit_test(base_paths_follow_a_moved_dataset),
        cmocka_unit_test(a_sparse_filter_reads_little_of_the_other_columns),
        cmocka_unit_test(reading_survives_every_failed_allocation),
        cmocka_unit_test(appending_survives_every_failed_allocation),
        cmocka_unit_test(one_dataset_serves_several_threads),
        cmocka_unit_test(old_manifest_names_and_foreign_names_are_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
