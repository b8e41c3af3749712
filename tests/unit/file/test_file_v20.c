/* test_file_v20.c - files of format 2.0: of the real engine, by hand, damaged. */
#include "../base/test_env.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/ids.h"
#include "file/layout_v20.h"
#include "file_io.h"

/* ---- by hand ----------------------------------------------------------------------------------
 */

typedef struct vector {
    const char *name, *type;
    uint64_t rows;
    const char *layout; /* ArrayEncoding */
    const char *buffers[4];
    const char *want; /* one line per row, or part of the message */
} vector;

/* What the engine writes is in files20; these are the encodings that it only reads. */
static const vector vectors[] = {
    {"flat", "int32", 2, "0A 04 08 20 12 00", {"01000000 02000000"}, "01000000\n02000000\n"},
    {"strings with nulls",
     "string",
     4,
     "32 16 0A 08 0A 06 08 40 12 02 08 00 12 08 0A 06 08 08 12 02 08 01 18 05",
     {"0100000000000000 0600000000000000 0400000000000000 0400000000000000", "61626364"},
     "x61\nnull\nx626364\nx\n"},
    {"strings with offsets of 32 bits and no adjustment",
     "string",
     2,
     "32 12 0A 06 0A 04 08 20 12 00 12 08 0A 06 08 08 12 02 08 01",
     {"01000000 03000000", "616263"},
     "x61\nx6263\n"},
    {"bit packing of 3 bits",
     "uint8",
     5,
     "52 06 08 03 10 08 1A 00",
     {"D1 58"}, /* 1 2 3 4 5 from the lowest bit on: 001 010 011 100 101 */
     "01\n02\n03\n04\n05\n"},
    {"bit packing with a sign",
     "int16",
     4,
     "52 08 08 03 10 10 1A 00 20 01",
     {"07 0A"}, /* 7 = -1, 0, 0, 5 = -3 */
     "ffff\n0000\n0000\nfdff\n"},
    {"bit packing below nulls",
     "uint8",
     3,
     "12 16 12 14 0A 06 0A 04 08 01 12 00 12 0A 52 08 08 03 10 08 1A 02 08 01",
     {"05", "D1 00"},
     "01\nnull\n03\n"},
    {"bit packing of no bits",
     "uint32",
     2,
     "52 06 08 00 10 20 1A 00",
     {""},
     "00000000\n00000000\n"},
    {"constants", "int32", 3, "6A 06 0A 04 07000000", {NULL}, "07000000\n07000000\n07000000\n"},
    {"constant strings", "string", 2, "6A 05 0A 03 616263", {NULL}, "x616263\nx616263\n"},
    {"strings of equal length",
     "string",
     2,
     "5A 0A 0A 06 0A 04 08 08 12 00 10 03",
     {"616263 646566"},
     "x616263\nx646566\n"},
    {"fixed binary of equal length",
     "fixed3",
     2,
     "5A 0A 0A 06 0A 04 08 08 12 00 10 03",
     {"616263 646566"},
     "x616263\nx646566\n"},
    {"codes of strings",
     "string",
     3,
     "3A 24 0A 06 0A 04 08 08 12 00 12 18 32 16 0A 08 0A 06 08 40 12 02 08 01 12 08 0A 06 08 08 12 "
     "02 08 02 18 04 18 02",
     {"02 00 01", "0100000000000000 0300000000000000", "616263"},
     "x6263\nnull\nx61\n"},
    {"a fixed-size list in one piece",
     "fsl<int16,2>",
     2,
     "0A 04 08 20 12 00",
     {"0100 0200 0300 0400"},
     "[0100,0200]\n[0300,0400]\n"},
};

static ia_status read_raw(env *e, const vector *v, ia_buf *have)
{
    ia_type *t = gen_type(&e->cx, v->type);
    ia_field field = {.name = (char *)"c", .type = t, .nullable = true};
    ia_objstore *os = NULL;
    opened o = {0};
    ia_status st;

    if (!t)
        fail_msg("%s: bad type", v->name);
    assert_ok(ia_objstore_memory(&e->cx, true, &os));
    assert_ok(write_raw(&e->cx, os, "/v.lance", &field, v->rows, 0, v->layout, v->buffers));
    st = opened_init(&e->cx, os, "/v.lance", &o);
    if (st == IA_OK)
        st = opened_scan(&e->cx, &o, 0, v->rows, 0, have);
    for (uint32_t i = 0; st == IA_OK && i < v->rows; i++) { /* row by row, the other way round */
        uint32_t row = (uint32_t)v->rows - 1 - i;
        ia_buf one = {0};

        st = opened_take(&e->cx, &o, &row, 1, &one);
        if (st == IA_OK)
            assert_non_null(strstr((char *)have->data, (char *)one.data));
        ia_buf_dispose(&one);
    }
    opened_dispose(&o);
    ia_objstore_close(os);
    ia_type_release(t);
    return st;
}

static void encodings_that_are_only_read_give_the_values_of_the_format(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        env e = env_new(0);
        ia_buf have = {0};

        if (read_raw(&e, &vectors[i], &have) != IA_OK)
            fail_msg("%s: %s", vectors[i].name, e.cx.err.text);
        if (strcmp(vectors[i].want, (char *)have.data) != 0)
            fail_msg("%s: read %s", vectors[i].name, (char *)have.data);
        ia_buf_dispose(&have);
        env_end(&e);
    }
}

/* ---- files of the real engine -----------------------------------------------------------------
 */

static ia_bytes file_bytes(env *e, const char *name)
{
    ia_objstore *os = NULL;
    ia_bytes raw = {0};
    char path[512];

    snprintf(path, sizeof path, "%s/files20/%s", TEST_DATA, name);
    assert_ok(ia_objstore_local(&e->cx, &os));
    assert_ok(ia_objstore_get(&e->cx, os, path, &raw));
    ia_objstore_close(os);
    return raw;
}

/* Rows one by one by take, and the same in runs with gaps. */
static void check_takes(env *e, opened *o, const char *name, const char *all)
{
    uint32_t rows = (uint32_t)ia_file_rows(o->f), pick[2000];
    const char *line = all;
    ia_buf want = {0}, have = {0};
    size_t n = 0;

    for (uint32_t i = 0; i < rows; i++) {
        const char *end = strchr(line, '\n') + 1;

        if (i % 3 != 1 && i % 20 < 15) {
            pick[n++] = i;
            ia_buf_put(&e->cx, &want, line, (size_t)(end - line));
        }
        line = end;
    }
    ia_buf_putc(&e->cx, &want, '\0');
    if (opened_take(&e->cx, o, pick, n, &have) != IA_OK)
        fail_msg("%s: %s", name, e->cx.err.text);
    ia_buf_putc(&e->cx, &have, '\0');
    if (strcmp((char *)want.data, (char *)have.data) != 0)
        fail_msg("%s: take gives other values", name);
    ia_buf_dispose(&want);
    ia_buf_dispose(&have);
}

static void check_file(const char *name, long rows, const char *digest)
{
    static const uint32_t batches[] = {0, 1, 7};
    env e = env_new(0);
    ia_objstore *os = NULL;
    char path[512], hex[65];
    uint8_t sum[32];
    opened o;

    snprintf(path, sizeof path, "%s/files20/%s", TEST_DATA, name);
    assert_ok(ia_objstore_local(&e.cx, &os));
    if (opened_init(&e.cx, os, path, &o) != IA_OK)
        fail_msg("%s: %s", name, e.cx.err.text);
    assert_int_equal(ia_file_rows(o.f), rows);
    for (size_t i = 0; i < 3; i++) {
        ia_buf have = {0};

        if (opened_scan(&e.cx, &o, 0, ia_file_rows(o.f), batches[i], &have) != IA_OK)
            fail_msg("%s: %s", name, e.cx.err.text);
        ia_sha256(have.data, have.len, sum);
        ia_hex(sum, 32, hex);
        if (strcmp(hex, digest) != 0)
            fail_msg("%s: other values in batches of %u", name, (unsigned)batches[i]);
        ia_buf_putc(&e.cx, &have, '\0');
        if (!i)
            check_takes(&e, &o, name, (char *)have.data);
        ia_buf_dispose(&have);
    }
    opened_dispose(&o);
    ia_objstore_close(os);
    env_end(&e);
}

/* Calls `each` for the files of the folder. */
static int for_files(void (*each)(const char *name, long rows, const char *digest))
{
    FILE *f = fopen(TEST_DATA "/files20/expected.txt", "r");
    char name[128], digest[128];
    long rows;
    int n = 0;

    assert_non_null(f);
    while (fscanf(f, "%127s %ld %127s", name, &rows, digest) == 3) {
        each(name, rows, digest);
        n++;
    }
    fclose(f);
    return n;
}

static void files_of_the_real_engine_read_as_it_reads_them(void **state)
{
    (void)state;
    assert_int_equal(for_files(check_file), 31);
}

static void blobs_are_descriptors_of_bytes_in_the_file(void **state)
{
    static const char *const want[] = {"abc", NULL, "", "xxxx"};
    static const uint64_t sizes[] = {3, 0, 0, 100};
    static const uint32_t rows[] = {0, 1, 2, 3};
    env e = env_new(0);
    ia_objstore *os = NULL;
    ia_array *a = NULL;
    uint8_t bytes[100];
    opened o;

    (void)state;
    assert_ok(ia_objstore_local(&e.cx, &os));
    assert_ok(opened_init(&e.cx, os, TEST_DATA "/files20/blob.lance", &o));
    assert_int_equal(o.s->n_fields, 1);
    assert_ok(ia_file_take(&e.cx, o.f, o.cols, 1, rows, 4, &a));
    assert_int_equal(a->type->id, IA_TYPE_STRUCT);
    for (int64_t i = 0; i < 4; i++) {
        const uint64_t *pos = ia_array_values(a->children[0]), *n = ia_array_values(a->children[1]);

        assert_int_equal(ia_array_valid(a, i), want[i] != NULL);
        assert_int_equal(n[i], sizes[i]);
        assert_ok(ia_file_read_blob(&e.cx, o.f, pos[i], n[i], bytes));
        if (want[i])
            assert_memory_equal(bytes, want[i], strlen(want[i]));
    }
    assert_int_equal(ia_file_read_blob(&e.cx, o.f, 5, UINT64_MAX - 2, bytes), IA_ERR_CORRUPT);
    ia_array_release(a);
    opened_dispose(&o);
    ia_objstore_close(os);
    env_end(&e);
}

static void a_failed_allocation_while_reading_gives_no_rows(void **state)
{
    static const char *const names[] = {"pages.lance", "string_fsst.lance", "string_zstd.lance",
                                        "packed.lance", "blob.lance"};
    env e = env_new(0);
    ia_objstore *os = NULL;

    (void)state;
    assert_ok(ia_objstore_local(&e.cx, &os));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ia_status st = IA_ERR_NO_MEMORY;
        char path[512];
        int64_t k = 0;

        snprintf(path, sizeof path, "%s/files20/%s", TEST_DATA, names[i]);
        for (; st != IA_OK; k += 1 + k / 50) {
            ia_array *cols[8];
            opened o;

            ia_mem_fail_after(k);
            st = opened_init(&e.cx, os, path, &o);
            if (st == IA_OK)
                st =
                    ia_file_take(&e.cx, o.f, o.cols, o.s->n_fields, (uint32_t[]){0, 1, 3}, 3, cols);
            ia_mem_fail_after(-1);
            assert_true(st == IA_OK || st == IA_ERR_NO_MEMORY);
            for (size_t c = 0; st == IA_OK && c < o.s->n_fields; c++)
                ia_array_release(cols[c]);
            opened_dispose(&o);
        }
        assert_in_range(k, 20, 100000);
    }
    ia_objstore_close(os);
    env_end(&e);
}

/* ---- refusals ---------------------------------------------------------------------------------
 */

static void drafts_of_encodings_are_refused_by_name(void **state)
{
    static const char *const names[] = {
        "inline_bitpacking",
        "out_of_line_bitpacking",
        "variable",
        "packed_struct_fixed_width_mini_block",
        "block",
        "rle",
        "general_mini_block",
        "byte_stream_split",
    };
    static const char *const tags[] = {"72", "7A", "8201", "8A01", "9201", "9A01", "A201", "AA01"};

    (void)state;
    for (size_t i = 0; i < 8; i++) {
        vector v = {"draft", "int32", 2, NULL, {"0000000000000000"}, NULL};
        env e = env_new(0);
        ia_buf have = {0};
        char hex[16], want[80];

        snprintf(hex, sizeof hex, "%s00", tags[i]);
        snprintf(want, sizeof want, "encoding %zu (%s)", i + 14, names[i]);
        v.layout = hex;
        assert_int_equal(read_raw(&e, &v, &have), IA_ERR_UNSUPPORTED);
        assert_non_null(strstr(e.cx.err.text, want));
        ia_buf_dispose(&have);
        env_end(&e);
    }
}

static void versions_are_told_apart_by_the_footer(void **state)
{
    static const struct {
        uint8_t major, minor;
        ia_status st;
        const char *text;
    } versions[] = {
        {0, 0, IA_ERR_UNSUPPORTED, "legacy format 0.1"},
        {0, 1, IA_ERR_UNSUPPORTED, "legacy format 0.1"},
        {0, 2, IA_ERR_UNSUPPORTED, "legacy format 0.1"},
        {0, 3, IA_OK, NULL},
        {2, 0, IA_OK, NULL},
        {2, 4, IA_ERR_UNSUPPORTED, "version 2.4"},
        {3, 0, IA_ERR_UNSUPPORTED, "version 3.0"},
        {1, 0, IA_ERR_UNSUPPORTED, "version 1.0"},
        {0, 4, IA_ERR_UNSUPPORTED, "version 0.4"},
        /* pages of 2.0 in a file that says otherwise */
        {2, 1, IA_ERR_UNSUPPORTED, "page of format 2.0"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        env e = env_new(0);
        ia_bytes raw = file_bytes(&e, "int32.lance");
        ia_objstore *os = NULL;
        ia_buf have = {0};
        opened o;
        ia_status st;

        raw.data[raw.len - 8] = versions[i].major;
        raw.data[raw.len - 6] = versions[i].minor;
        assert_ok(ia_objstore_memory(&e.cx, true, &os));
        assert_ok(ia_objstore_put(&e.cx, os, "/v.lance", raw.data, raw.len, 0));
        st = opened_init(&e.cx, os, "/v.lance", &o);
        if (st == IA_OK)
            st = opened_scan(&e.cx, &o, 0, ia_file_rows(o.f), 0, &have);
        assert_int_equal(st, versions[i].st);
        if (versions[i].text && !strstr(e.cx.err.text, versions[i].text))
            fail_msg("%s, not %s", e.cx.err.text, versions[i].text);
        opened_dispose(&o);
        ia_buf_dispose(&have);
        ia_bytes_dispose(&raw);
        ia_objstore_close(os);
        env_end(&e);
    }
}

static void a_decimal_of_too_many_digits_in_the_schema_is_refused(void **state)
{
    env e = env_new(0);
    ia_bytes raw = file_bytes(&e, "decimal.lance");
    ia_objstore *os = NULL;
    opened o;
    size_t at = 0;

    (void)state;
    while (at + 14 < raw.len && memcmp(raw.data + at, "decimal:256:40", 14) != 0)
        at++;
    memcpy(raw.data + at, "decimal:256:77", 14);
    assert_ok(ia_objstore_memory(&e.cx, true, &os));
    assert_ok(ia_objstore_put(&e.cx, os, "/v.lance", raw.data, raw.len, 0));
    assert_int_equal(opened_init(&e.cx, os, "/v.lance", &o), IA_ERR_UNSUPPORTED);
    assert_non_null(strstr(e.cx.err.text, "decimal:256:77"));
    opened_dispose(&o);
    ia_bytes_dispose(&raw);
    ia_objstore_close(os);
    env_end(&e);
}

/* ---- damage -----------------------------------------------------------------------------------
 */

static const vector broken[] = {
    {"a short buffer", "int32", 2, "0A 04 08 20 12 00", {"01000000"}, "8 are needed"},
    {"another width", "int32", 2, "0A 04 08 40 12 00", {"01000000 02000000"}, "64 bits for values"},
    {"a missing buffer", "int32", 1, "0A 06 08 20 12 02 08 05", {"01000000"}, "buffer 5 of 1"},
    {"a column buffer", "int32", 1, "0A 06 08 20 12 02 10 01", {"01000000"}, "column buffer"},
    {"values without an encoding", "int32", 1, "12 02 0A 00", {"00"}, "without its parts"},
    {"two encodings", "int32", 1, "0A 04 08 20 12 00 0A 04 08 20 12 00", {"00"}, "two encodings"},
    {"nulls below nulls",
     "int32",
     1,
     "12 12 12 10 0A 06 0A 04 08 01 12 00 12 06 12 04 1A 00 1A 00",
     {"01"},
     ""},
    {"strings for numbers",
     "int32",
     1,
     "32 12 0A 06 0A 04 08 40 12 00 12 06 0A 04 08 08 12 00 18 05",
     {"0100000000000000"},
     "binary encoding"},
    {"offsets that go back",
     "string",
     2,
     "32 12 0A 06 0A 04 08 40 12 00 12 06 0A 04 08 08 12 00 18 20",
     {"0300000000000000 0200000000000000"},
     "ends at byte 2"},
    {"a string longer than its bytes",
     "string",
     1,
     "32 14 0A 06 0A 04 08 40 12 00 12 08 0A 06 08 08 12 02 08 01 18 20",
     {"0300000000000000", "61"},
     "3 are needed"},
    {"a code without an item",
     "string",
     1,
     "3A 24 0A 06 0A 04 08 08 12 00 12 18 32 16 0A 08 0A 06 08 40 12 02 08 01 12 08 0A 06 08 08 12 "
     "02 08 02 18 04 18 02",
     {"03", "0100000000000000 0300000000000000", "616263"},
     "code 3"},
    {"more bits than a value has", "uint8", 1, "52 06 08 09 10 08 1A 00", {"00"}, "9 bits for 8"},
    {"bits that are not there", "uint8", 9, "52 06 08 07 10 08 1A 00", {"00"}, "7 bits in 1"},
    {"a list where values belong",
     "int32",
     1,
     "22 0C 0A 06 0A 04 08 40 12 00 10 05 18 04",
     {"0100000000000000"},
     "list encoding"},
    {"a list of another size",
     "fsl<int16,2>",
     1,
     "1A 0A 08 03 12 06 0A 04 08 10 12 00",
     {"0100 0200 0300"},
     "does not fit"},
    {"an unknown compression",
     "int32",
     1,
     "0A 0B 08 20 12 00 1A 05 0A 03 62 72 6F",
     {"00"},
     "'bro'"},
    {"a compressed buffer that is not",
     "int32",
     1,
     "0A 0C 08 20 12 00 1A 06 0A 04 7A 73 74 64",
     {"0400000000000000 AABB"},
     "ZSTD"},
    {"fsst without a table",
     "string",
     1,
     "42 1A 0A 16 32 14 0A 06 0A 04 08 40 12 00 12 08 0A 06 08 08 12 02 08 01 18 05 12 00",
     {"0100000000000000", "61"},
     "symbol table"},
};

static void broken_pages_are_refused_with_the_reason(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        env e = env_new(0);
        ia_buf have = {0};
        ia_status st = read_raw(&e, &broken[i], &have);

        if (st != IA_ERR_CORRUPT && st != IA_ERR_UNSUPPORTED)
            fail_msg("%s: status %d", broken[i].name, (int)st);
        if (!strstr(e.cx.err.text, broken[i].want) || !strstr(e.cx.err.text, "column 0, page 0"))
            fail_msg("%s: %s", broken[i].name, e.cx.err.text);
        ia_buf_dispose(&have);
        env_end(&e);
    }
}

static void encodings_nested_too_deeply_are_refused(void **state)
{
    char hex[4000] = "12 00";
    vector v = {"deep", "int32", 1, hex, {"00"}, NULL};
    env e = env_new(0);
    ia_buf deep = {0}, have = {0};

    (void)state;
    for (int i = 0; i < 100; i++) { /* nullable {no_nulls {values ...}}, from the inside */
        ia_buf outer = {0};
        uint8_t head[12];
        size_t n = 0, len[3] = {deep.len, 0, 0};

        for (int k = 1; k < 3; k++)
            len[k] = len[k - 1] + 1 + (len[k - 1] < 128 ? 1 : 2);
        for (int k = 3; k-- > 0;) {
            head[n++] = k == 2 ? 0x12 : 0x0A;
            head[n++] = (uint8_t)(len[k] < 128 ? len[k] : (len[k] & 127) | 128);
            if (len[k] >= 128)
                head[n++] = (uint8_t)(len[k] >> 7);
        }
        ia_buf_put(&e.cx, &outer, head, n);
        if (deep.len)
            ia_buf_put(&e.cx, &outer, deep.data, deep.len);
        ia_buf_dispose(&deep);
        deep = outer;
    }
    for (size_t i = 0; i < deep.len; i++)
        snprintf(hex + 2 * i, 3, "%02X", deep.data[i]);
    assert_int_equal(read_raw(&e, &v, &have), IA_ERR_CORRUPT);
    assert_non_null(strstr(e.cx.err.text, "nested deeper"));
    ia_buf_dispose(&deep);
    ia_buf_dispose(&have);
    env_end(&e);
}

static void read_damaged(const uint8_t *data, size_t n)
{
    env e = env_new(0);
    ia_budget *limit = ia_budget_new(e.budget, 64u << 20);
    ia_objstore *os = NULL;
    ia_buf out = {0};
    ia_ctx cx;
    ia_status st;
    opened o;

    assert_ok(ia_objstore_memory(&e.cx, true, &os));
    assert_ok(ia_objstore_put(&e.cx, os, "/d.lance", data, n, 0));
    ia_ctx_init(&cx, limit);
    st = opened_init(&cx, os, "/d.lance", &o);
    if (st == IA_OK && ia_file_rows(o.f) < 100000)
        st = opened_scan(&cx, &o, 0, ia_file_rows(o.f), 0, &out);
    if (st == IA_OK && ia_file_rows(o.f) > 2)
        st = opened_take(&cx, &o, ((uint32_t[]){1, (uint32_t)(ia_file_rows(o.f) - 1) & 0xffff}), 1,
                         &out);
    assert_true(st == IA_OK || st == IA_ERR_CORRUPT || st == IA_ERR_UNSUPPORTED ||
                st == IA_ERR_OVER_BUDGET);
    opened_dispose(&o);
    ia_buf_dispose(&out);
    ia_objstore_close(os);
    ia_budget_drop(limit);
    env_end(&e);
}

static void damage(const char *name, long rows, const char *digest)
{
    env e = env_new(0);
    ia_bytes raw = file_bytes(&e, name);
    uint64_t rng = 2020;

    (void)rows;
    (void)digest;
    for (unsigned r = 0; r < 60; r++) {
        uint8_t keep[3];
        size_t at[3];

        for (int k = 0; k < 3; k++) {
            rng = rng * UINT64_C(6364136223846793005) + 1442695040888963407u;
            at[k] = (size_t)(rng >> 20) % raw.len;
            if (k && r % 2) /* half of the time in the metadata */
                at[k] = raw.len - 1 - at[k] % (raw.len < 500 ? raw.len : 500);
            keep[k] = raw.data[at[k]];
            raw.data[at[k]] = (uint8_t)(rng >> 50);
        }
        read_damaged(raw.data, raw.len);
        for (int k = 3; k-- > 0;)
            raw.data[at[k]] = keep[k];
    }
    for (size_t n = 0; n < raw.len; n += 1 + raw.len / 20)
        read_damaged(raw.data, n);
    ia_bytes_dispose(&raw);
    env_end(&e);
}

static void damaged_files_end_in_a_status(void **state)
{
    (void)state;
    for_files(damage);
}

/* ---- reading little ---------------------------------------------------------------------------
 */

static void a_take_reads_only_what_it_needs(void **state)
{
    enum { ROWS = 200000 };
    vector v = {"long", "string", ROWS, NULL, {NULL}, NULL};
    env e = env_new(0);
    ia_objstore *os = NULL, *counting = NULL;
    ia_buf ends = {0}, have = {0};
    ia_io_counts before, after;
    uint32_t row = ROWS / 2;
    char *hex;
    opened o;

    (void)state;
    hex = malloc(ROWS * 32 + 1);
    assert_non_null(hex);
    for (size_t i = 0; i < ROWS; i++) { /* 8 bytes each: offsets and bytes are of one size */
        uint64_t end = 8 * (i + 1);

        for (size_t k = 0; k < 8; k++)
            snprintf(hex + 16 * i + 2 * k, 3, "%02X", (unsigned)(end >> 8 * k) & 255);
    }
    v.layout = "32 16 0A 08 0A 06 08 40 12 02 08 00 12 08 0A 06 08 08 12 02 08 01 18 00";
    v.buffers[0] = v.buffers[1] = hex;
    {
        ia_field field = {
            .name = (char *)"c", .type = ia_type_basic(IA_TYPE_STRING), .nullable = true};

        assert_ok(ia_objstore_memory(&e.cx, true, &os));
        assert_ok(write_raw(&e.cx, os, "/v.lance", &field, ROWS, 0, v.layout, v.buffers));
    }
    assert_ok(ia_objstore_counting(&e.cx, os, &counting));
    assert_ok(opened_init(&e.cx, counting, "/v.lance", &o));
    ia_objstore_counts(counting, &before);
    assert_ok(opened_take(&e.cx, &o, &row, 1, &have));
    ia_objstore_counts(counting, &after);
    assert_string_equal((char *)have.data, "x08350c0000000000\n");
    assert_int_equal(after.reads - before.reads, 2);
    assert_int_equal(after.read_bytes[IA_IO_PAYLOAD] - before.read_bytes[IA_IO_PAYLOAD], 24);
    ia_buf_clear(&have);
    ia_objstore_counts(counting, &before);
    assert_ok(opened_scan(&e.cx, &o, 0, ROWS, 0, &have));
    ia_objstore_counts(counting, &after);
    /* 3.2 MB in two buffers, a megabyte at a time */
    assert_in_range(after.reads - before.reads, 4, 8);
    opened_dispose(&o);
    ia_buf_dispose(&ends);
    ia_buf_dispose(&have);
    ia_objstore_close(counting);
    ia_objstore_close(os);
    free(hex);
    env_end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodings_that_are_only_read_give_the_values_of_the_format),
        cmocka_unit_test(files_of_the_real_engine_read_as_it_reads_them),
        cmocka_unit_test(blobs_are_descriptors_of_bytes_in_the_file),
        cmocka_unit_test(a_failed_allocation_while_reading_gives_no_rows),
        cmocka_unit_test(drafts_of_encodings_are_refused_by_name),
        cmocka_unit_test(versions_are_told_apart_by_the_footer),
        cmocka_unit_test(a_decimal_of_too_many_digits_in_the_schema_is_refused),
        cmocka_unit_test(broken_pages_are_refused_with_the_reason),
        cmocka_unit_test(encodings_nested_too_deeply_are_refused),
        cmocka_unit_test(damaged_files_end_in_a_status),
        cmocka_unit_test(a_take_reads_only_what_it_needs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
