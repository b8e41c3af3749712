/* test_file_structure.c - maps, packed structs, blobs, dictionaries, parts of columns. */
#include "../base/test_env.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/ids.h"
#include "file/lschema_wire.h"
#include "file_io.h"

/* ---- files of the real engine ---------------------------------------------------------------- */

/* The same type with bytes where a descriptor of a blob of v1 stands. */
static ia_status bytes_type(ia_ctx *cx, const ia_field *f, ia_type **out)
{
    const ia_type *t = f->type;
    ia_field *kids = NULL;
    ia_status st;

    if (ia_field_meta(f, "lance-encoding:blob") && !ia_field_is_packed(f)) {
        *out = ia_type_basic(IA_TYPE_LARGE_BINARY);
        return IA_OK;
    }
    if (t->id != IA_TYPE_STRUCT || ia_field_is_leaf(f)) {
        *out = ia_type_retain(t);
        return IA_OK;
    }
    IA_GO(IA_NEW_ARRAY(cx, kids, t->n_children));
    for (size_t i = 0; i < t->n_children; i++) {
        kids[i] = t->children[i];
        kids[i].type = NULL;
        IA_GO(bytes_type(cx, &t->children[i], &kids[i].type));
    }
    IA_GO(ia_type_struct(cx, kids, t->n_children, out));
done:
    for (size_t i = 0; kids && i < t->n_children; i++)
        ia_type_release(kids[i].type);
    ia_free(kids);
    return st;
}

typedef struct fixture {
    env e;
    ia_objstore *os;
    ia_file *f;
    ia_schema *all;
    ia_projection p;
    ia_type *bytes; /* of column 0 */
    ia_field field;
} fixture;

static void open_file(fixture *x, const char *name)
{
    char path[512];

    memset(x, 0, sizeof *x);
    x->e = env_new(0);
    snprintf(path, sizeof path, "%s/files/%s", TEST_DATA, name);
    assert_ok(ia_objstore_local(&x->e.cx, &x->os));
    if (ia_file_open(&x->e.cx, x->os, path, 0, &x->f) != IA_OK ||
        ia_lschema_to_arrow_exact(&x->e.cx, ia_file_lschema(x->f), &x->all) != IA_OK ||
        ia_projection_of(&x->e.cx, x->f, x->all, NULL, 0, &x->p) != IA_OK)
        fail_msg("%s: %s", name, x->e.cx.err.text);
}

/* Column 0 with bytes instead of descriptors. */
static void ask_bytes(fixture *x)
{
    assert_ok(bytes_type(&x->e.cx, x->p.cols[0].field, &x->bytes));
    x->field = *x->p.cols[0].field;
    x->field.type = x->bytes;
    x->p.cols[0].field = &x->field;
}

static void close_file(fixture *x)
{
    ia_type_release(x->bytes);
    ia_projection_dispose(&x->p);
    ia_schema_release(x->all);
    ia_file_close(x->f);
    ia_objstore_close(x->os);
    env_end(&x->e);
}

static void put_rows(fixture *x, ia_array **cols, uint64_t rows, const char *name, ia_buf *out)
{
    for (size_t k = 0; k < x->p.n; k++) {
        if (ia_array_validate(&x->e.cx, cols[k], IA_VALIDATE_FULL) != IA_OK)
            fail_msg("%s: %s", name, x->e.cx.err.text);
        assert_int_equal(cols[k]->length, rows);
    }
    for (uint64_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < x->p.n; k++) {
            if (k)
                ia_buf_putc(&x->e.cx, out, ' ');
            gen_text(&x->e.cx, out, cols[k], (int64_t)i);
        }
        ia_buf_putc(&x->e.cx, out, '\n');
    }
    for (size_t k = 0; k < x->p.n; k++)
        ia_array_release(cols[k]);
}

static void read_all(fixture *x, uint32_t batch, const char *name, ia_buf *out)
{
    ia_ctx *cx = &x->e.cx;
    ia_file_scan *s = NULL;
    ia_array *cols[4];
    uint64_t rows = 0;

    assert_in_range(x->p.n, 1, 4);
    if (ia_file_scan_open(cx, x->f, x->p.cols, x->p.n, 0, ia_file_rows(x->f), batch, &s) != IA_OK)
        fail_msg("%s: %s", name, cx->err.text);
    do {
        if (ia_file_scan_next(cx, s, cols, &rows) != IA_OK)
            fail_msg("%s: %s", name, cx->err.text);
        if (rows)
            put_rows(x, cols, rows, name, out);
    } while (rows);
    ia_file_scan_close(s);
}

/* Lines number 0, step, 2 * step, ... of a text. */
static void some_lines(ia_ctx *cx, const ia_buf *all, size_t step, ia_buf *out)
{
    const char *p = (const char *)all->data, *end = p + all->len;

    for (size_t i = 0; p < end; i++) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));

        if (i % step == 0)
            ia_buf_put(cx, out, p, (size_t)(nl + 1 - p));
        p = nl + 1;
    }
}

static void take_some(fixture *x, uint32_t step, const char *name, const ia_buf *all)
{
    ia_ctx *cx = &x->e.cx;
    uint32_t rows[1000];
    ia_array *cols[4];
    ia_buf want = {0}, have = {0};
    size_t n = 0;

    for (uint64_t r = 0; r < ia_file_rows(x->f); r += step)
        rows[n++] = (uint32_t)r;
    assert_in_range(n, 1, 1000);
    if (ia_file_take(cx, x->f, x->p.cols, x->p.n, rows, n, cols) != IA_OK)
        fail_msg("%s: take: %s", name, cx->err.text);
    put_rows(x, cols, n, name, &have);
    some_lines(cx, all, step, &want);
    if (want.len != have.len || memcmp(want.data, have.data, want.len) != 0)
        fail_msg("%s: rows 0, %u, ... are others when taken", name, (unsigned)step);
    ia_buf_dispose(&want);
    ia_buf_dispose(&have);
}

static void check_file(const char *name, long rows, const char *digest)
{
    static const uint32_t batches[] = {0, 7, 100};
    fixture x;
    char hex[65];
    uint8_t sum[32];

    open_file(&x, name);
    assert_int_equal(ia_file_rows(x.f), rows);
    ask_bytes(&x);
    for (size_t i = 0; i < 3; i++) {
        ia_buf have = {0};

        read_all(&x, batches[i], name, &have);
        ia_sha256(have.data, have.len, sum);
        ia_hex(sum, 32, hex);
        if (strcmp(hex, digest) != 0)
            fail_msg("%s: other values in batches of %u:\n%.400s", name, (unsigned)batches[i],
                     (char *)have.data);
        take_some(&x, (uint32_t)(i * i + 1), name, &have);
        ia_buf_dispose(&have);
    }
    close_file(&x);
}

static void structure_of_the_real_engine_reads_as_it_reads_it(void **state)
{
    FILE *f = fopen(TEST_DATA "/files/expected.txt", "r");
    char name[128], digest[128];
    long rows;
    int n = 0;

    (void)state;
    assert_non_null(f);
    while (fscanf(f, "%127s %ld %127s", name, &rows, digest) == 3) {
        check_file(name, rows, digest);
        n++;
    }
    fclose(f);
    assert_in_range(n, 40, 1000);
}

/* ---- blobs ---------------------------------------------------------------------------------- */

static void a_descriptor_leads_to_the_bytes_of_its_blob(void **state)
{
    fixture x;
    ia_array *blobs[1], *bytes[1];
    uint32_t rows[] = {0, 1, 2, 3, 20, 59};
    uint8_t have[128];

    (void)state;
    open_file(&x, "blob.2.1.lance");
    assert_ok(ia_file_take(&x.e.cx, x.f, x.p.cols, 1, rows, 6, blobs));
    assert_string_equal(blobs[0]->type->children[0].name, "position");
    ask_bytes(&x);
    assert_ok(ia_file_take(&x.e.cx, x.f, x.p.cols, 1, rows, 6, bytes));
    for (int64_t i = 0; i < 6; i++) {
        uint64_t pos = ia_array_u64(blobs[0]->children[0], i);
        uint64_t size = ia_array_u64(blobs[0]->children[1], i);
        ia_view want;

        assert_int_equal(ia_array_valid(blobs[0], i), ia_array_valid(bytes[0], i));
        if (!ia_array_valid(blobs[0], i))
            continue;
        want = ia_array_str(bytes[0], i);
        assert_int_equal(size, want.len);
        assert_in_range(size, 0, sizeof have);
        assert_ok(ia_file_read_blob(&x.e.cx, x.f, pos, size, have));
        assert_memory_equal(have, want.data, size);
    }
    assert_fails(ia_file_read_blob(&x.e.cx, x.f, 1 << 20, 1, have), IA_ERR_CORRUPT);
    ia_array_release(blobs[0]);
    ia_array_release(bytes[0]);
    close_file(&x);
}

/* A page of one row of type t written by hand: it must fail with this message, or read when it is
 * NULL. */
static void refuse_page(const ia_type *t, const char *key, const char *layout,
                        const char *const *buffers, const char *message)
{
    env e = env_new(0);
    ia_kv kv = {(char *)(uintptr_t)key, (char *)(uintptr_t) "true"};
    ia_field field = {.name = (char *)(uintptr_t) "c",
                      .type = (ia_type *)(uintptr_t)t,
                      .nullable = true,
                      .metadata = &kv,
                      .n_metadata = 1};
    int32_t leaf = 0;
    ia_file_column col = {&field, &leaf, 1, IA_IO_PAYLOAD};
    ia_field plain = {.name = field.name, .type = ia_type_basic(IA_TYPE_I32), .nullable = true};
    ia_objstore *os = NULL;
    ia_file *f = NULL;
    ia_array *out[1] = {0};
    uint32_t row = 0;
    ia_status st;

    assert_ok(ia_objstore_memory(&e.cx, true, &os));
    assert_ok(write_raw(&e.cx, os, "/v.lance", &plain, 1, 2, layout, buffers));
    assert_ok(ia_file_open(&e.cx, os, "/v.lance", 0, &f));
    st = ia_file_take(&e.cx, f, &col, 1, &row, 1, out);
    if (!message && st != IA_OK)
        fail_msg("%s", e.cx.err.text);
    if (message && (st != IA_ERR_CORRUPT || !strstr(e.cx.err.text, message)))
        fail_msg("status %d: '%s', expected '%s'", (int)st, e.cx.err.text, message);
    ia_array_release(out[0]);
    ia_file_close(f);
    ia_objstore_close(os);
    env_end(&e);
}

static void a_blob_outside_of_the_file_is_refused(void **state)
{
    /* blob {mini-block of packed_struct [64, 64] over flat(128), layers [I]} */
    static const char layout[] =
        "22 1D 0A 18 0A 16 1A 0D 62 0B 0A 02 40 40 12 05 0A 03 08 80 01 32 01 01 38 01 48 01"
        "12 01 03";

    (void)state;
    refuse_page(
        ia_type_basic(IA_TYPE_LARGE_BINARY), "lance-encoding:blob", layout,
        (const char *[]){"20 00", "00 00 10 00 FEFEFEFE 0100000000000000 0200000000000000", NULL},
        NULL);
    refuse_page(
        ia_type_basic(IA_TYPE_LARGE_BINARY), "lance-encoding:blob", layout,
        (const char *[]){"20 00", "00 00 10 00 FEFEFEFE 0100000000000000 0000010000000000", NULL},
        "leaves the file");
    refuse_page(
        ia_type_basic(IA_TYPE_LARGE_BINARY), "lance-encoding:blob", layout,
        (const char *[]){"20 00", "00 00 10 00 FEFEFEFE FFFFFFFFFFFFFFFF 0200000000000000", NULL},
        "leaves the file");
    refuse_page(
        ia_type_basic(IA_TYPE_LARGE_BINARY), "lance-encoding:blob", layout,
        (const char *[]){"20 00", "00 00 10 00 FEFEFEFE 0000020000000000 0000000000000000", NULL},
        "definition levels");
    refuse_page(
        ia_type_basic(IA_TYPE_I64), "x", layout,
        (const char *[]){"20 00", "00 00 10 00 FEFEFEFE 0100000000000000 0200000000000000", NULL},
        "blobs in a column of fixed-width values");
}

/* ---- packed structs ------------------------------------------------------------------------- */

static ia_type *pair_type(ia_ctx *cx, ia_type_id a, ia_type_id b)
{
    ia_field f[2] = {{.name = (char *)(uintptr_t) "a", .type = ia_type_basic(a)},
                     {.name = (char *)(uintptr_t) "b", .type = ia_type_basic(b)}};
    ia_type *t = NULL;

    assert_ok(ia_type_struct(cx, f, 2, &t));
    return t;
}

static void damaged_rows_of_packed_structs_are_refused(void **state)
{
    /* full-zip of variable_packed_struct {flat(32): 32 bits, variable(flat 32): lengths of 32} */
    static const char layout[] = "1A 25 20 20 28 01 30 01 3A 1A 6A 18 0A 08 0A 04 0A 02 08 20 10 20"
                                 "0A 0C 0A 08 12 06 0A 04 0A 02 08 20 18 20 42 01 01";
    env e = env_new(0);
    ia_type *var = pair_type(&e.cx, IA_TYPE_I32, IA_TYPE_STRING);
    ia_type *other = pair_type(&e.cx, IA_TYPE_I64, IA_TYPE_STRING);
    const char *key = "lance-encoding:packed";

    (void)state;
    refuse_page(var, key, layout,
                (const char *[]){"0A000000 01000000 02000000 6161", "00 0E", NULL}, NULL);
    refuse_page(var, key, layout,
                (const char *[]){"0A000000 01000000 03000000 6161", "00 0E", NULL},
                "ends inside of its field 1");
    refuse_page(var, key, layout,
                (const char *[]){"0A000000 01000000 01000000 6161", "00 0E", NULL},
                "has 1 bytes too many");
    refuse_page(var, key, layout, (const char *[]){"02000000 0100", "00 06", NULL},
                "ends inside of its field 0");
    refuse_page(other, key, layout,
                (const char *[]){"0A000000 01000000 02000000 6161", "00 0E", NULL},
                "does not fit its field 0");
    ia_type_release(var);
    ia_type_release(other);
    env_end(&e);
}

/* ---- dictionaries --------------------------------------------------------------------------- */

static void a_dictionary_column_keeps_its_values_once(void **state)
{
    fixture x;
    ia_array *out[1];
    ia_file_scan *s = NULL;
    uint64_t rows;

    (void)state;
    open_file(&x, "dict.2.1.lance");
    assert_int_equal(x.p.cols[0].field->type->id, IA_TYPE_DICTIONARY);
    assert_int_equal(x.p.cols[0].field->type->children[0].type->id, IA_TYPE_I8);
    assert_ok(ia_file_scan_open(&x.e.cx, x.f, x.p.cols, 1, 0, 400, 400, &s));
    assert_ok(ia_file_scan_next(&x.e.cx, s, out, &rows));
    assert_int_equal(rows, 400);
    assert_int_equal(out[0]->children[0]->length, 7);
    assert_int_equal(out[0]->children[0]->null_count, 0);
    assert_in_range(out[0]->null_count, 1, 399);
    ia_array_release(out[0]);
    ia_file_scan_close(s);
    close_file(&x);
}

static void indices_that_do_not_reach_are_an_error(void **state)
{
    env e = env_new(0);
    ia_type *t = NULL;
    ia_batch *b = NULL;
    ia_file_info info;
    ia_objstore *os = NULL;
    ia_file *f = NULL;
    ia_field field = {.name = (char *)(uintptr_t) "c", .nullable = true};
    int32_t leaf = 0;
    ia_file_column col = {&field, &leaf, 1, IA_IO_PAYLOAD};
    ia_file_scan *s = NULL;
    ia_array *out[1];
    uint64_t rows;

    (void)state;
    assert_ok(ia_objstore_memory(&e.cx, true, &os));
    assert_ok(gen_batch(&e.cx, ia_type_basic(IA_TYPE_I64), 1000, 1, NULLS_NONE, GEN_WIDE, &b));
    assert_ok(write_batch(&e.cx, os, "/d.lance", b, NULL, &info));
    assert_ok(ia_type_dictionary(&e.cx, ia_type_basic(IA_TYPE_I8), ia_type_basic(IA_TYPE_I64), &t));
    field.type = t;
    assert_ok(ia_file_open(&e.cx, os, "/d.lance", 0, &f));
    assert_ok(ia_file_scan_open(&e.cx, f, &col, 1, 0, 1000, 1000, &s));
    assert_fails(ia_file_scan_next(&e.cx, s, out, &rows), IA_ERR_UNSUPPORTED);
    assert_non_null(strstr(e.cx.err.text, "128 distinct values"));
    ia_file_scan_close(s);
    assert_ok(ia_file_scan_open(&e.cx, f, &col, 1, 0, 1000, 100, &s));
    assert_ok(ia_file_scan_next(&e.cx, s, out, &rows));
    assert_int_equal(rows, 100);
    ia_array_release(out[0]);
    ia_file_scan_close(s);
    ia_file_close(f);
    ia_type_release(t);
    ia_batch_release(b);
    ia_objstore_close(os);
    env_end(&e);
}

/* ---- parts of columns ----------------------------------------------------------------------- */

/* Bytes that reading one path of a column of three leaves needs, in all or for two rows. */
static uint64_t bytes_for(ia_ctx *cx, ia_objstore *os, const char *path)
{
    ia_objstore *counting = NULL;
    ia_io_counts before, after;
    opened o = {0};
    ia_schema *all = NULL;
    ia_buf out = {0};

    assert_ok(ia_objstore_counting(cx, os, &counting));
    assert_ok(ia_file_open(cx, counting, "/p.lance", 0, &o.f));
    assert_ok(ia_lschema_to_arrow_exact(cx, ia_file_lschema(o.f), &all));
    assert_ok(ia_projection_of(cx, o.f, all, path ? &path : NULL, 1, &o.p));
    o.s = o.p.schema;
    o.cols = o.p.cols;
    ia_objstore_counts(counting, &before);
    assert_ok(opened_scan(cx, &o, 0, ia_file_rows(o.f), 0, &out));
    ia_objstore_counts(counting, &after);
    ia_buf_dispose(&out);
    ia_schema_release(all);
    opened_dispose(&o);
    ia_objstore_close(counting);
    return after.read_bytes[IA_IO_PAYLOAD] - before.read_bytes[IA_IO_PAYLOAD];
}

static void only_the_pages_of_the_asked_leaves_are_read(void **state)
{
    env e = env_new(0);
    ia_type *t = gen_type(&e.cx, "list<struct<int64,fsl<float,64>,int64>>");
    ia_batch *b = NULL;
    ia_file_info info;
    ia_objstore *os = NULL;
    uint64_t part[3], whole;

    (void)state;
    assert_ok(ia_objstore_memory(&e.cx, true, &os));
    assert_ok(gen_batch(&e.cx, t, 4000, 1, NULLS_SOME, GEN_WIDE, &b));
    assert_ok(write_batch(&e.cx, os, "/p.lance", b, NULL, &info));
    assert_int_equal(info.columns, 3);
    for (size_t i = 0; i < 3; i++) {
        char path[64];
        const ia_type *item = b->schema->fields[0].type->children[0].type;

        snprintf(path, sizeof path, "%s.%s", b->schema->fields[0].name, item->children[i].name);
        part[i] = bytes_for(&e.cx, os, path);
    }
    whole = bytes_for(&e.cx, os, NULL);
    assert_in_range(part[0], 1, whole / 8);
    assert_in_range(part[1], whole / 2, whole);
    assert_in_range(part[0] + part[1] + part[2], whole - 200000, whole + 200000);
    ia_batch_release(b);
    ia_type_release(t);
    ia_objstore_close(os);
    env_end(&e);
}

/* Two columns of lists of structs of one field, read as if they were one of two fields. */
static void leaves_of_one_column_that_disagree_are_an_error(void **state)
{
    env e = env_new(0);
    ia_type *t = gen_type(&e.cx, "list<struct<int32>>");
    ia_type *two = gen_type(&e.cx, "list<struct<int32,int32>>");
    ia_batch *a = NULL, *b = NULL, *both = NULL;
    ia_field fields[2], want = {.name = (char *)(uintptr_t) "c", .type = two, .nullable = true};
    ia_array *cols[2], *out[1];
    ia_schema *s = NULL;
    ia_objstore *os = NULL;
    ia_file *f = NULL;
    ia_file_info info;
    int32_t leaves[] = {0, 1};
    ia_file_column col = {&want, leaves, 2, IA_IO_PAYLOAD};
    uint64_t rows;
    ia_file_scan *scan = NULL;

    (void)state;
    assert_ok(ia_objstore_memory(&e.cx, true, &os));
    assert_ok(gen_batch(&e.cx, t, 500, 1, NULLS_SOME, GEN_WIDE, &a));
    assert_ok(gen_batch(&e.cx, t, 500, 2, NULLS_SOME, GEN_WIDE, &b));
    fields[0] = a->schema->fields[0];
    fields[1] = b->schema->fields[0];
    fields[1].name = (char *)(uintptr_t) "d";
    cols[0] = ia_array_retain(a->cols[0]);
    cols[1] = ia_array_retain(b->cols[0]);
    assert_ok(ia_schema_new(&e.cx, fields, 2, &s));
    assert_ok(ia_batch_make(&e.cx, s, 500, cols, &both));
    assert_ok(write_batch(&e.cx, os, "/x.lance", both, NULL, &info));
    assert_ok(ia_file_open(&e.cx, os, "/x.lance", 0, &f));
    assert_ok(ia_file_scan_open(&e.cx, f, &col, 1, 0, 500, 0, &scan));
    assert_fails(ia_file_scan_next(&e.cx, scan, out, &rows), IA_ERR_CORRUPT);
    assert_non_null(strstr(e.cx.err.text, "where"));
    ia_file_scan_close(scan);
    ia_file_close(f);
    ia_batch_release(a);
    ia_batch_release(b);
    ia_batch_release(both);
    ia_schema_release(s);
    ia_type_release(t);
    ia_type_release(two);
    ia_objstore_close(os);
    env_end(&e);
}

/* ---- names of types ------------------------------------------------------------------------- */

static ia_status type_of(ia_ctx *cx, const char *logical, ia_schema **out)
{
    ia_lfield f = {.name = (char *)(uintptr_t) "c",
                   .parent_id = -1,
                   .logical_type = (char *)(uintptr_t)logical,
                   .nullable = true};
    ia_lschema ls = {.fields = &f, .n = 1};

    return ia_lschema_to_arrow_exact(cx, &ls, out);
}

static void logical_types_have_their_arrow_types(void **state)
{
    static const char *const names[][2] = {
        {"timestamp:us:+05:30", "timestamp[us, +05:30]"},
        {"dict:timestamp:ms:UTC:int16:false", "dictionary"},
        {"dict:decimal:128:20:2:uint8:false", "dictionary"},
        {"fixed_size_list:fixed_size_list:float:2:3", "fixed_size_list"},
        {"fixed_size_list:lance.bfloat16:4", "fixed_size_list"},
        {"json", "large_binary"},
        {"decimal:256:50:3", "decimal256"},
    };
    env e = env_new(0);

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[96];
        ia_schema *s = NULL;

        if (type_of(&e.cx, names[i][0], &s) != IA_OK)
            fail_msg("%s: %s", names[i][0], e.cx.err.text);
        ia_type_text(s->fields[0].type, text, sizeof text);
        if (strncmp(text, names[i][1], strlen(names[i][1])) != 0)
            fail_msg("%s is %s", names[i][0], text);
        ia_schema_release(s);
    }
    env_end(&e);
}

static void logical_types_that_are_not_known_are_refused_by_name(void **state)
{
    static const char *const names[] = {
        "int128",          "",      "fixed_size_list:int32:0", "dict:string:float:false",
        "timestamp:ps:-",  "union", "fixed_size_list:list:3",  "decimal:512:3:3",
        "list.fixed:int8",
    };
    env e = env_new(0);

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char want[96];
        ia_schema *s = NULL;

        snprintf(want, sizeof want, "'%s'", names[i]);
        if (type_of(&e.cx, names[i], &s) != IA_ERR_UNSUPPORTED || !strstr(e.cx.err.text, want) ||
            !strstr(e.cx.err.text, "field 'c'"))
            fail_msg("%s: %s", names[i], e.cx.err.text);
    }
    env_end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structure_of_the_real_engine_reads_as_it_reads_it),
        cmocka_unit_test(a_descriptor_leads_to_the_bytes_of_its_blob),
        cmocka_unit_test(a_blob_outside_of_the_file_is_refused),
        cmocka_unit_test(damaged_rows_of_packed_structs_are_refused),
        cmocka_unit_test(a_dictionary_column_keeps_its_values_once),
        cmocka_unit_test(indices_that_do_not_reach_are_an_error),
        cmocka_unit_test(only_the_pages_of_the_asked_leaves_are_read),
        cmocka_unit_test(leaves_of_one_column_that_disagree_are_an_error),
        cmocka_unit_test(logical_types_have_their_arrow_types),
        cmocka_unit_test(logical_types_that_are_not_known_are_refused_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
