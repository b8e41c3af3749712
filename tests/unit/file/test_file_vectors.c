/* test_file_vectors.c - examples of the format, files of the real engine, damaged files. */
#include "../base/test_env.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/ids.h"
#include "file_io.h"

typedef struct vector {
    const char *name, *type;
    uint64_t rows;
    uint32_t minor;
    const char *layout;
    const char *buffers[5];
    const char *want; /* one line per row */
} vector;

static const vector vectors[] = {
    {"int32 with a null",
     "int32",
     3,
     1,
     "0A 13 12 04 0A 02 08 10 1A 04 0A 02 08 20 32 01 03 38 01 48 03",
     {"30 00", "03 00 06 00 0C 00 FE FE 00 00 01 00 00 00 FE FE 01 00 00 00 00 00 00 00 03 00 00 "
               "00 FE FE FE FE"},
     "01000000\nnull\n03000000\n"},
    {"strings",
     "string",
     3,
     1,
     "0A 11 1A 08 12 06 0A 04 0A 02 08 20 32 01 01 38 01 48 03",
     {"30 00",
      "00 00 14 00 FE FE FE FE 10000000 11000000 11000000 14000000 61 62 63 64 FE FE FE FE"},
     "x61\nx\nx626364\n"},
    {"strings with a null",
     "string",
     4,
     1,
     "0A 17 12 04 0A 02 08 10 1A 08 12 06 0A 04 0A 02 08 20 32 01 03 38 01 48 04",
     {"40 00", "04 00 08 00 18 00 FE FE 00 00 01 00 00 00 00 00 14000000 15000000 15000000 "
               "18000000 18000000 61626364"},
     "x61\nnull\nx626364\nx\n"},
    {"lists",
     "list<int32>",
     4,
     1,
     "0A 1C 0A 04 0A 02 08 10 12 04 0A 02 08 10 1A 04 0A 02 08 20 32 02 03 06 38 01 40 01 48 04",
     {"60 00",
      "06 00 0C 00 0C 00 10 00 01 00 00 00 01 00 01 00 01 00 00 00 FE FE FE FE"
      "00 00 00 00 02 00 03 00 00 00 01 00 FE FE FE FE 01000000 02000000 03000000 00000000",
      "0400000000000000 0000000000000000"},
     "[01000000,02000000]\nnull\n[]\n[03000000,null]\n"},
    {"lists in the 2.2 form",
     "list<int32>",
     4,
     2,
     "0A 1E 0A 04 0A 02 08 10 12 04 0A 02 08 10 1A 04 0A 02 08 20 32 02 03 06 38 01 40 01 48 04 50 "
     "01",
     {"70 00 00 00",
      "06 00 0C 00 0C 00 10 00 00 00 FE FE FE FE FE FE 01 00 00 00 01 00 01 00 01 00 00 00 FE FE "
      "FE FE"
      "00 00 00 00 02 00 03 00 00 00 01 00 FE FE FE FE 01000000 02000000 03000000 00000000",
      "0400000000000000 0000000000000000"},
     "[01000000,02000000]\nnull\n[]\n[03000000,null]\n"},
    {"structs four deep",
     "struct<struct<struct<int32>>>",
     6,
     1,
     "0A 20 12 04 0A 02 08 10 1A 0E 42 0C 0A 04 0A 02 08 20 12 04 0A 02 08 08 32 04 03 03 03 03 38 "
     "02 48 06",
     {"50 00", "06 00 0C 00 0C 00 03 00 00 00 04 00 03 00 02 00 01 00 00 00 FE FE FE FE"
               "01000000 00000000 06000000 FEFEFEFE 01 04 01 FEFEFEFEFE"},
     "{{{01000000}}}\nnull\n{null}\n{{null}}\n{{{null}}}\n{{{06000000}}}\n"},
    {"lists three deep",
     "list<list<list<int32>>>",
     3,
     1,
     "0A 1E 0A 04 0A 02 08 10 12 04 0A 02 08 10 1A 04 0A 02 08 20 32 04 01 05 05 05 38 01 40 01 48 "
     "05",
     {"70 00",
      "08 00 10 00 10 00 14 00 0300 0000 0100 0100 0200 0200 0300 0300 0000 0000 0100 0000 0000 "
      "0200 0300 0000"
      "00000000 01000000 02000000 03000000 04000000 FEFEFEFE",
      "0300000000000000 0000000000000000"},
     "[[[00000000,01000000],[],[02000000]],[[03000000]],[]]\n[]\n[[[04000000]]]\n"},
    {"lists without a value",
     "list<int32>",
     3,
     1,
     "12 04 2A 02 03 05",
     {"0100 0100 0000 0100", "0100 0100 0100 0200"},
     "[null]\n[null,null]\n[]\n"},
    {"a constant row of 2.2",
     "int32",
     1,
     2,
     "12 09 2A 01 01 32 04 2A 00 00 00",
     {NULL},
     "2a000000\n"},
    {"all null", "int32", 3, 1, "12 03 2A 01 03", {NULL}, "null\nnull\nnull\n"},
    {"a constant string of 2.2",
     "string",
     2,
     2,
     "12 03 2A 01 01",
     {"02000000 08000000 03000000 00000000 03000000 616263"},
     "x616263\nx616263\n"},
    {"a dictionary",
     "string",
     4,
     1,
     "0A 19 1A 04 0A 02 08 20 22 08 12 06 0A 04 0A 02 08 20 28 03 32 01 01 38 01 48 04",
     {"20 00", "00 00 10 00 FE FE FE FE 02000000 00000000 01000000 00000000",
      "20000000 18000000 00000000 03000000 07000000 0C000000 726564 626C7565 677265656E"},
     "x677265656e\nx726564\nx626c7565\nx726564\n"},
    {"a control byte that nobody announced",
     "int32",
     2,
     1,
     "1A 0F 18 20 28 02 30 02 3A 04 0A 02 08 20 42 01 01",
     {"00 01000000 00 02000000"},
     "01000000\n02000000\n"},
    {"a run that overshoots",
     "int32",
     3,
     1,
     "0A 17 1A 0E 42 0C 0A 04 0A 02 08 20 12 04 0A 02 08 08 32 01 01 38 02 48 03",
     {"20 00", "00 00 04 00 01 00 FE FE 07000000 FEFEFEFE 09 FEFEFEFEFEFEFE"},
     "07000000\n07000000\n07000000\n"},
    {"full-zip lists of strings",
     "list<string>",
     4,
     1,
     "1A 18 08 01 10 02 20 20 28 05 30 03 3A 08 12 06 0A 04 0A 02 08 20 42 02 03 06",
     {"04 02000000 6162 06 07 04 01000000 63 01", "00 07 08 09 10"},
     "[x6162]\nnull\n[]\n[x63,null]\n"},
};

static void read_vector(const vector *v)
{
    env e = env_new(0);
    ia_type *t = gen_type(&e.cx, v->type);
    ia_field field = {.name = (char *)"c", .type = t, .nullable = true};
    ia_objstore *os = NULL;
    ia_buf have = {0};
    opened o;

    assert_non_null(t);
    assert_ok(ia_objstore_memory(&e.cx, true, &os));
    assert_ok(write_raw(&e.cx, os, "/v.lance", &field, v->rows, v->minor, v->layout, v->buffers));
    assert_ok(opened_init(&e.cx, os, "/v.lance", &o));
    if (opened_scan(&e.cx, &o, 0, v->rows, 0, &have) != IA_OK)
        fail_msg("%s: %s", v->name, e.cx.err.text);
    if (strcmp(v->want, (char *)have.data) != 0)
        fail_msg("%s: read %s", v->name, (char *)have.data);
    opened_dispose(&o);
    ia_buf_dispose(&have);
    ia_objstore_close(os);
    ia_type_release(t);
    env_end(&e);
}

static void worked_examples_of_the_format_read_as_stated(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        read_vector(&vectors[i]);
}

/* ---- files of the real engine -----------------------------------------------------------------
 */

static void check_file(const char *folder, const char *name, long rows, const char *digest)
{
    env e = env_new(0);
    char path[512], hex[65];
    uint8_t sum[32];
    ia_objstore *os = NULL;
    ia_buf have = {0};
    opened o;

    snprintf(path, sizeof path, "%s/%s/%s", TEST_DATA, folder, name);
    assert_ok(ia_objstore_local(&e.cx, &os));
    if (opened_init(&e.cx, os, path, &o) != IA_OK ||
        opened_scan(&e.cx, &o, 0, ia_file_rows(o.f), 100, &have) != IA_OK)
        fail_msg("%s: %s", name, e.cx.err.text);
    assert_int_equal(ia_file_rows(o.f), rows);
    ia_sha256(have.data, have.len, sum);
    ia_hex(sum, 32, hex);
    if (strcmp(hex, digest) != 0)
        fail_msg("%s: other values", name);
    opened_dispose(&o);
    ia_buf_dispose(&have);
    ia_objstore_close(os);
    env_end(&e);
}

static int check_folder(const char *folder)
{
    char path[512], name[128], second[64], third[128];
    FILE *f;
    int n = 0;

    snprintf(path, sizeof path, "%s/%s/expected.txt", TEST_DATA, folder);
    f = fopen(path, "r");
    assert_non_null(f);
    while (fscanf(f, "%127s %63s %127s", name, second, third) == 3) {
        check_file(folder, name, strtol(second, NULL, 10), third);
        n++;
    }
    fclose(f);
    return n;
}

static void files_of_the_real_engine_read_as_it_reads_them(void **state)
{
    (void)state;
    assert_in_range(check_folder("lance"), 100, 1000);
    assert_int_equal(check_folder("files23"), 25);
}

/* ---- damage -----------------------------------------------------------------------------------
 */

/* Reading must end in a status, whatever the bytes; a budget stands for the memory of the machine.
 */
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

static void damage(const char *name, unsigned rounds)
{
    env e = env_new(0);
    char path[512];
    ia_objstore *os = NULL;
    ia_bytes raw = {0};
    uint64_t rng = 99;

    snprintf(path, sizeof path, "%s/%s", TEST_DATA, name);
    assert_ok(ia_objstore_local(&e.cx, &os));
    assert_ok(ia_objstore_get(&e.cx, os, path, &raw));
    for (unsigned r = 0; r < rounds; r++) {
        uint8_t keep[4];
        size_t at[4];

        for (int k = 0; k < 4; k++) {
            rng = rng * UINT64_C(6364136223846793005) + 1442695040888963407u;
            at[k] = (size_t)(rng >> 20) % raw.len;
            if (k && r % 2) /* half of the time in the metadata */
                at[k] = raw.len - 1 - at[k] % (raw.len < 400 ? raw.len : 400);
            keep[k] = raw.data[at[k]];
            raw.data[at[k]] = (uint8_t)(rng >> 50);
        }
        read_damaged(raw.data, raw.len);
        for (int k = 4; k-- > 0;)
            raw.data[at[k]] = keep[k];
    }
    for (size_t n = 0; n < raw.len; n += 1 + raw.len / 40)
        read_damaged(raw.data, n);
    ia_bytes_dispose(&raw);
    ia_objstore_close(os);
    env_end(&e);
}

static void damaged_files_end_in_a_status(void **state)
{
    static const char *const names[] = {
        "lance/list_nulls.2.1.lance",         "lance/list_nulls.2.2.lance",
        "lance/string_fsst.2.2.lance",        "lance/string_dict.2.2.lance",
        "lance/list_struct.2.2.lance",        "lance/int32_runs.2.1.lance",
        "lance/list_long_string.2.1.lance",   "lance/float_bss.2.2.lance",
        "lance/fsl4_item_nulls.2.1.lance",    "lance/list_all_null.2.2.lance",
        "lance/string_equal_nulls.2.2.lance", "lance/list_fsl.2.1.lance",
        "lance/string_long_zstd.2.2.lance",   "lance/int64_1500.2.2.lance",
    };
    static const char *const planar[] = {
        "files23/runs_u16.lance",          "files23/runs_packed.lance",
        "files23/offsets_delta.lance",     "files23/offsets_runs.lance",
        "files23/dict_fsl.lance",          "files23/sparse_every.lance",
        "files23/sparse_zip.lance",        "files23/sparse_lists.lance",
        "files23/sparse_deep.lance",       "files23/equal_nulls.lance",
        "files23/sparse_struct.lance",     "files23/no_values.lance",
        "files23/sparse_below_null.lance",
    };
    static const char *const structure[] = {
        "files/map_list.2.2.lance",        "files/map_list.2.3.lance",
        "files/fsl_fsl.2.2.lance",         "files/fsl_fsl.2.3.lance",
        "files/struct_fsl.2.3.lance",      "files/packed.2.1.lance",
        "files/packed_var_list.2.2.lance", "files/packed_var_list.2.3.lance",
        "files/packed_fsst.2.2.lance",     "files/packed_deep.2.2.lance",
        "files/packed_vector.2.2.lance",   "files/blob.2.1.lance",
        "files/blob_struct.2.2.lance",     "files/blob_v2.2.2.lance",
        "files/struct_empty.2.3.lance",    "files/nulls.2.3.lance",
        "files/dict_list.2.3.lance",
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        damage(names[i], 120);
    for (size_t i = 0; i < sizeof planar / sizeof *planar; i++)
        damage(planar[i], 120);
    for (size_t i = 0; i < sizeof structure / sizeof *structure; i++)
        damage(structure[i], 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_examples_of_the_format_read_as_stated),
        cmocka_unit_test(files_of_the_real_engine_read_as_it_reads_them),
        cmocka_unit_test(damaged_files_end_in_a_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
