/* fuzz_table.c - the table that manifests are bound to, and the store that gives its files. */
#include "fuzz_table.h"

#include "arrow/json_rows.h"
#include "fuzz_fixed.h"
#include "table/write.h"

static const char lines[] =
    "{\"i\":1,\"s\":\"one\",\"l\":[1]}\n{\"i\":2,\"s\":null,\"l\":[]}\n{\"i\":3,\"s\":\"three\"}\n"
    "{\"i\":4,\"s\":\"four\",\"l\":[1,2,3]}\n{\"i\":5,\"s\":\"five\",\"l\":null}\n{\"i\":6}\n";

enum { DATA, ARROW, ROARING, MANIFEST, N_FILES };

static struct {
    ia_budget *budget;
    ia_ctx cx;
    ia_bytes files[N_FILES];
} shared;

static void must(ia_status st)
{
    if (st != IA_OK)
        fuzz_abort(__FILE__, __LINE__, "the template table is made:", shared.cx.err.text);
}

static void make_schema(ia_schema **out)
{
    ia_type *list = NULL;
    static char i[] = "i", s[] = "s", l[] = "l";

    must(
        ia_type_list(&shared.cx, IA_TYPE_LIST, 0, "item", ia_type_basic(IA_TYPE_I32), true, &list));
    {
        const ia_field fields[] = {{i, ia_type_basic(IA_TYPE_I64), true, NULL, 0},
                                   {s, ia_type_basic(IA_TYPE_STRING), true, NULL, 0},
                                   {l, list, true, NULL, 0}};
        must(ia_schema_new(&shared.cx, fields, 3, out));
    }
    ia_type_release(list);
}

static void take_file(ia_objstore *os, const char *dir, int slot)
{
    ia_objlist names = {0};
    char *path = NULL;

    must(ia_objstore_list(&shared.cx, os, dir, NULL, 1, &names));
    FUZZ_CHECK(names.n == 1);
    must(ia_path_join(&shared.cx, &path, dir, names.names[0], NULL));
    must(ia_objstore_get(&shared.cx, os, path, &shared.files[slot]));
    ia_free(path);
    ia_objlist_dispose(&names);
}

static void make_bitmap(void)
{
    ia_bitmap *b = NULL;

    must(ia_bitmap_new(&shared.cx, &b));
    ia_bitmap_add(b, 1);
    must(ia_bitmap_encode(&shared.cx, b, &shared.files[ROARING]));
    ia_bitmap_free(b);
}

static void delete_second(ia_dataset *ds)
{
    ia_arena arena = {0};
    ia_expr *e, *bound;
    ia_dataset *next = NULL;
    uint64_t deleted;
    static const char filter[] = "i = 2";

    must(ia_sql_filter_parse(&shared.cx, &arena, filter, strlen(filter), &e));
    must(ia_expr_bind(&shared.cx, &arena, e, ds->m->arrow, &bound));
    must(ia_table_delete(&shared.cx, ds, bound, filter, IA_RELAXED, &deleted, &next));
    FUZZ_CHECK(deleted == 1);
    ia_dataset_release(next);
    ia_arena_dispose(&arena);
}

static void make_table(void)
{
    ia_objstore *os = NULL;
    ia_schema *s = NULL;
    ia_dataset *empty = NULL, *full = NULL;
    ia_stream rows = {0};

    if (shared.budget)
        return;
    shared.budget = ia_budget_new(NULL, 0);
    FUZZ_CHECK(shared.budget != NULL);
    ia_ctx_init(&shared.cx, shared.budget);
    fuzz_fixed_reset(1);
    must(ia_objstore_memory(&shared.cx, true, &os));
    make_schema(&s);
    must(ia_table_create(&shared.cx, os, FUZZ_TABLE, s, IA_RELAXED, &empty));
    must(ia_json_rows(&shared.cx, s, lines, strlen(lines), "t", &rows));
    must(ia_table_append(&shared.cx, empty, &rows, IA_RELAXED, &full));
    ia_stream_dispose(&rows);
    delete_second(full);
    take_file(os, FUZZ_TABLE "/data", DATA);
    take_file(os, FUZZ_TABLE "/_deletions", ARROW);
    take_file(os, FUZZ_TABLE "/_versions", MANIFEST);
    make_bitmap();
    ia_dataset_release(full);
    ia_dataset_release(empty);
    ia_schema_release(s);
    ia_objstore_close(os);
    fuzz_fixed_reset(2);
}

const ia_bytes *fuzz_table_manifest(void)
{
    make_table();
    return &shared.files[MANIFEST];
}

/* ---- the store --------------------------------------------------------------------------------
 */

typedef struct any_store {
    ia_objstore base;
    ia_objstore *inner;
} any_store;

/* The name below which the inner store keeps what `path` stands for. */
static const char *stand_in(const char *path)
{
    static const char *const ends[] = {".lance", ".arrow", ".bin"};
    static const char *const names[] = {"/any.lance", "/any.arrow", "/any.bin"};

    for (size_t i = 0; i < 3; i++) {
        if (ia_view_ends_with(ia_view_of(path), ends[i]))
            return names[i];
    }
    return path;
}

static ia_objstore *inner(ia_objstore *os)
{
    return ((any_store *)os)->inner;
}

static ia_status any_open(ia_ctx *cx, ia_objstore *os, const char *path, ia_objfile **out)
{
    return ia_objstore_open(cx, inner(os), stand_in(path), out);
}

static ia_status any_head(ia_ctx *cx, ia_objstore *os, const char *path, ia_objmeta *out)
{
    return ia_objstore_head(cx, inner(os), stand_in(path), out);
}

static ia_status any_put(ia_ctx *cx, ia_objstore *os, const char *path, const void *data,
                         size_t len, uint32_t flags)
{
    return ia_objstore_put(cx, inner(os), path, data, len, flags);
}

static ia_status any_create(ia_ctx *cx, ia_objstore *os, const char *path, ia_objwriter **out)
{
    return ia_objstore_create(cx, inner(os), path, out);
}

static ia_status any_list(ia_ctx *cx, ia_objstore *os, const char *dir, const char *after,
                          size_t limit, ia_objlist *out)
{
    return ia_objstore_list(cx, inner(os), dir, after, limit, out);
}

static ia_status any_remove(ia_ctx *cx, ia_objstore *os, const char *path)
{
    return ia_objstore_remove(cx, inner(os), path);
}

static ia_status any_link(ia_ctx *cx, ia_objstore *os, const char *from, const char *to)
{
    return ia_objstore_link(cx, inner(os), stand_in(from), to);
}

static ia_status any_touch(ia_ctx *cx, ia_objstore *os, const char *path)
{
    return ia_objstore_touch(cx, inner(os), stand_in(path));
}

static ia_status any_sync(ia_ctx *cx, ia_objstore *os, const char *path)
{
    return ia_objstore_sync(cx, inner(os), path);
}

static void any_close(ia_objstore *os)
{
    ia_objstore_close(inner(os));
    ia_free(os);
}

static const ia_objstore_ops any_ops = {any_open,   any_head, any_put,   any_create, any_list,
                                        any_remove, any_link, any_touch, any_sync,   any_close};

void fuzz_table_store(fuzz_run *r, ia_objstore **out)
{
    static const char *const names[] = {"/any.lance", "/any.arrow", "/any.bin"};
    any_store *s = NULL;

    make_table();
    fuzz_must(r, IA_NEW(&r->cx, s), "a store:");
    s->base = (ia_objstore){&any_ops, "any"};
    fuzz_must(r, ia_objstore_memory(&r->cx, true, &s->inner), "its inner store:");
    for (int i = 0; i < 3; i++)
        fuzz_must(r,
                  ia_objstore_put(&r->cx, s->inner, names[i], shared.files[i].data,
                                  shared.files[i].len, 0),
                  "a file:");
    *out = &s->base;
}
