/* test_file_wire.c - the wire cursor, Field messages and schema mapping. */
#include "../base/test_env.h"

#include "file/lschema_wire.h"

static void numbers_come_back_in_every_length(void **state)
{
    env e = env_new(0);
    static const uint64_t values[] = {0,     1,          127,       128,       16383,
                                      16384, UINT32_MAX, INT64_MAX, UINT64_MAX};
    ia_buf b = {0};
    ia_wire w;
    size_t i = 0;

    (void)state;
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        ia_wire_add_varint(&e.cx, &b, 7, values[k]);
    ia_wire_init(&w, b.data, b.len);
    while (ia_wire_next(&w)) {
        assert_int_equal(w.number, 7);
        assert_true(ia_wire_u64(&w) == values[i]);
        i++;
    }
    assert_int_equal(i, sizeof values / sizeof *values);
    assert_ok(ia_wire_done(&e.cx, &w, "test"));
    ia_buf_dispose(&b);
    env_end(&e);
}

static void a_cut_message_is_corrupt_at_every_length_but_field_borders(void **state)
{
    env e = env_new(0);
    ia_buf b = {0};
    ia_wire w;
    size_t good = 0;

    (void)state;
    ia_wire_add_varint(&e.cx, &b, 1, 300);
    ia_wire_put_f64(&e.cx, &b, 2, 1.5);
    ia_wire_put_str(&e.cx, &b, 3, "hello");
    for (size_t n = 0; n <= b.len; n++) {
        ia_wire_init(&w, b.data, n);
        while (ia_wire_next(&w))
            ;
        good += !w.bad;
        if (w.bad)
            assert_fails(ia_wire_done(&e.cx, &w, "test"), IA_ERR_CORRUPT);
    }
    assert_int_equal(good, 4);
    ia_buf_dispose(&b);
    env_end(&e);
}

static void a_wrong_wire_type_is_corrupt(void **state)
{
    env e = env_new(0);
    static const uint8_t text[] = {0x0A, 0x01, 0x61}, group[] = {0x0B},
                         long_varint[] = {0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2};
    ia_wire w;

    (void)state;
    ia_wire_init(&w, text, sizeof text);
    assert_true(ia_wire_next(&w));
    assert_int_equal(ia_wire_u64(&w), 0);
    assert_fails(ia_wire_done(&e.cx, &w, "test"), IA_ERR_CORRUPT);
    ia_wire_init(&w, group, sizeof group);
    assert_false(ia_wire_next(&w));
    assert_true(w.bad);
    ia_wire_init(&w, long_varint, sizeof long_varint);
    assert_false(ia_wire_next(&w));
    assert_true(w.bad);
    env_end(&e);
}

static void packed_and_single_numbers_are_read_alike(void **state)
{
    env e = env_new(0);
    static const int32_t values[] = {0, -1, 5, INT32_MIN, INT32_MAX};
    ia_buf b = {0};
    int32_t *v = NULL;
    size_t n = 0, cap = 0;
    ia_wire w;

    (void)state;
    ia_wire_put_i32s(&e.cx, &b, 4, values, 5);
    for (size_t i = 0; i < 5; i++)
        ia_wire_add_varint(&e.cx, &b, 4, (uint64_t)(int64_t)values[i]);
    ia_wire_init(&w, b.data, b.len);
    while (ia_wire_next(&w))
        assert_ok(ia_wire_i32s(&e.cx, &w, &v, &n, &cap));
    assert_int_equal(n, 10);
    assert_memory_equal(v, values, sizeof values);
    assert_memory_equal(v + 5, values, sizeof values);
    ia_free(v);
    ia_buf_dispose(&b);
    env_end(&e);
}

static void a_field_keeps_members_that_are_not_known(void **state)
{
    env e = env_new(0);
    ia_buf b = {0}, again = {0};
    ia_lfield f = {0};

    (void)state;
    ia_wire_put_str(&e.cx, &b, 2, "name");
    ia_wire_put_i32(&e.cx, &b, 3, 7);
    ia_wire_put_i32(&e.cx, &b, 4, -1);
    ia_wire_put_str(&e.cx, &b, 5, "int64");
    ia_wire_put_bool(&e.cx, &b, 6, true);
    ia_wire_put_u64(&e.cx, &b, 7, 1);
    ia_wire_put_str(&e.cx, &b, 99, "from the future");
    ia_wire_put_kv(&e.cx, &b, 10, &(ia_kv){(char *)"k", (char *)"v"}, 1);
    assert_ok(ia_lfield_decode(&e.cx, b.data, b.len, &f));
    assert_string_equal(f.name, "name");
    assert_int_equal(f.id, 7);
    assert_int_equal(f.parent_id, -1);
    assert_true(f.nullable);
    assert_string_equal(f.metadata[0].value, "v");
    assert_ok(ia_lfield_encode(&e.cx, &f, &again));
    assert_int_equal(again.len, b.len);
    assert_memory_equal(again.data, b.data, b.len);
    ia_lfield_dispose(&f);
    ia_buf_dispose(&b);
    ia_buf_dispose(&again);
    env_end(&e);
}

static ia_lschema schema_of(env *e, const char *const *logical, const int32_t *parents, size_t n)
{
    ia_lschema ls = {0};

    for (size_t i = 0; i < n; i++) {
        ia_lfield f = {.id = (int32_t)i, .parent_id = parents[i], .nullable = true};

        f.name = ia_sprintf(&e->cx, "f%zu", i);
        f.logical_type = ia_strdup(&e->cx, logical[i]);
        assert_ok(ia_lschema_add(&e->cx, &ls, &f));
    }
    return ls;
}

static const char *const all_logical[] = {
    "bool",
    "int8",
    "uint64",
    "halffloat",
    "float",
    "double",
    "string",
    "large_string",
    "binary",
    "large_binary",
    "fixed_size_binary:7",
    "date32:day",
    "date64:ms",
    "time32:s",
    "time32:ms",
    "time64:us",
    "time64:ns",
    "timestamp:us:-",
    "timestamp:ms:UTC",
    "duration:ns",
    "decimal:128:10:2",
    "decimal:256:40:-3",
    "fixed_size_list:float:768",
    "fixed_size_list:fixed_size_list:float:2:3",
    "list",
    "int32",
    "large_list",
    "string",
    "list.struct",
    "struct",
    "int32",
    "string",
    "null",
};
static const int32_t all_parents[] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                      -1, -1, -1, 24, -1, 26, -1, 28, 29, 29, -1};

static void logical_types_survive_the_way_to_arrow_and_back(void **state)
{
    env e = env_new(0);
    size_t n = sizeof all_logical / sizeof *all_logical;
    ia_lschema ls = schema_of(&e, all_logical, all_parents, n), back = {0};
    ia_schema *s = NULL;

    (void)state;
    assert_ok(ia_lschema_to_arrow(&e.cx, &ls, &s));
    assert_ok(ia_lschema_from_arrow(&e.cx, s, 0, &back));
    assert_int_equal(back.n, n);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(back.fields[i].logical_type, all_logical[i]);
        assert_int_equal(back.fields[i].parent_id, all_parents[i]);
        assert_string_equal(back.fields[i].name, ls.fields[i].name);
    }
    assert_int_equal(ia_lschema_max_id(&ls), n - 1);
    ia_schema_release(s);
    ia_lschema_dispose(&ls);
    ia_lschema_dispose(&back);
    env_end(&e);
}

static void leaves_are_the_fields_that_own_columns(void **state)
{
    env e = env_new(0);
    static const char *const logical[] = {"int32", "list.struct", "struct",
                                          "int32", "string",      "double"};
    static const int32_t parents[] = {-1, -1, 1, 2, 2, -1};
    ia_lschema ls = schema_of(&e, logical, parents, 6);
    int32_t *ids;
    size_t n;

    (void)state;
    assert_ok(ia_lschema_leaves(&e.cx, &ls, SIZE_MAX, &ids, &n));
    assert_int_equal(n, 4);
    assert_memory_equal(ids, ((int32_t[]){0, 3, 4, 5}), 16);
    ia_free(ids);
    assert_ok(ia_lschema_leaves(&e.cx, &ls, 1, &ids, &n));
    assert_int_equal(n, 2);
    assert_memory_equal(ids, ((int32_t[]){3, 4}), 8);
    ia_free(ids);
    assert_int_equal(ia_lschema_find(&ls, "f5"), 5);
    assert_true(ia_lschema_find(&ls, "f3") == SIZE_MAX);
    ia_lschema_dispose(&ls);
    env_end(&e);
}

static void bad_schemas_are_refused_by_name(void **state)
{
    env e = env_new(0);
    static const char *const types[] = {"union",
                                        "fixed_size_list:float:0",
                                        "fixed_size_list:string:2",
                                        "decimal:12:1:1",
                                        "timestamp:xx:-",
                                        "interval",
                                        "fixed_size_binary:-3",
                                        ""};
    ia_schema *s;

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        ia_lschema ls = schema_of(&e, types + i, (int32_t[]){-1}, 1);

        assert_fails(ia_lschema_to_arrow(&e.cx, &ls, &s), IA_ERR_UNSUPPORTED);
        assert_non_null(strstr(e.cx.err.text, "f0"));
        ia_lschema_dispose(&ls);
    }
    for (int32_t parent = 0; parent < 3;
         parent += 2) { /* its own parent, and one that comes later */
        ia_lschema ls =
            schema_of(&e, (const char *const[]){"int32", "int32"}, (int32_t[]){parent, -1}, 2);

        assert_fails(ia_lschema_to_arrow(&e.cx, &ls, &s), IA_ERR_CORRUPT);
        ia_lschema_dispose(&ls);
    }
    env_end(&e);
}

static void a_deep_schema_is_refused_not_followed(void **state)
{
    env e = env_new(0);
    const char *logical[200];
    int32_t parents[200];
    ia_schema *s;

    (void)state;
    for (int i = 0; i < 200; i++) {
        logical[i] = i == 199 ? "int32" : "list";
        parents[i] = i - 1;
    }
    ia_lschema ls = schema_of(&e, logical, parents, 200);
    assert_fails(ia_lschema_to_arrow(&e.cx, &ls, &s), IA_ERR_CORRUPT);
    ia_lschema_dispose(&ls);
    env_end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back_in_every_length),
        cmocka_unit_test(a_cut_message_is_corrupt_at_every_length_but_field_borders),
        cmocka_unit_test(a_wrong_wire_type_is_corrupt),
        cmocka_unit_test(packed_and_single_numbers_are_read_alike),
        cmocka_unit_test(a_field_keeps_members_that_are_not_known),
        cmocka_unit_test(logical_types_survive_the_way_to_arrow_and_back),
        cmocka_unit_test(leaves_are_the_fields_that_own_columns),
        cmocka_unit_test(bad_schemas_are_refused_by_name),
        cmocka_unit_test(a_deep_schema_is_refused_not_followed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
