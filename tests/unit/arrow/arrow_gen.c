/* arrow_gen.c - random types and columns, and a plain text form to compare them by. */
#include "arrow_gen.h"

void gen_open(gen *g, uint64_t seed)
{
    g->budget = ia_budget_new(NULL, 0);
    assert_non_null(g->budget);
    ia_ctx_init(&g->cx, g->budget);
    g->state = seed * 2 + 1;
}

void gen_close(gen *g)
{
    assert_int_equal(ia_budget_used(g->budget), 0);
    ia_budget_drop(g->budget);
}

uint64_t gen_next(gen *g)
{
    uint64_t z = (g->state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int64_t gen_below(gen *g, int64_t n)
{
    return (int64_t)(gen_next(g) % (uint64_t)n);
}

static ia_type *list_of(gen *g, ia_type_id id, int32_t size, ia_type *item)
{
    ia_type *t = NULL;

    GEN_OK(g, ia_type_list(&g->cx, id, size, "item", item, true, &t));
    ia_type_release(item);
    return t;
}

static ia_type *struct_of(gen *g, ia_type *a, ia_type *b)
{
    char x[] = "x", y[] = "y";
    ia_field f[2] = {{.name = x, .type = a, .nullable = true},
                     {.name = y, .type = b, .nullable = true}};
    ia_type *t = NULL;

    GEN_OK(g, ia_type_struct(&g->cx, f, 2, &t));
    ia_type_release(a);
    ia_type_release(b);
    return t;
}

static ia_type *map_of(gen *g, ia_type *k, ia_type *v, bool sorted)
{
    char x[] = "key", y[] = "value";
    const ia_field key = {.name = x, .type = k}, value = {.name = y, .type = v, .nullable = true};
    ia_type *t = NULL;

    GEN_OK(g, ia_type_map(&g->cx, NULL, &key, &value, sorted, &t));
    ia_type_release(k);
    ia_type_release(v);
    return t;
}

static ia_type *dict_of(gen *g, ia_type_id index, ia_type *value)
{
    ia_type *t = NULL;

    GEN_OK(g, ia_type_dictionary(&g->cx, ia_type_basic(index), value, &t));
    ia_type_release(value);
    return t;
}

/* The types from 26 on that hold others. */
static ia_type *nested_type(gen *g, int k)
{
    switch (k) {
    case 26:
        return struct_of(g, ia_type_basic(IA_TYPE_I16), ia_type_basic(IA_TYPE_STRING));
    case 27:
        return list_of(g, IA_TYPE_LIST, 0, struct_of(g, ia_type_basic(IA_TYPE_BOOL),
                       list_of(g, IA_TYPE_FIXED_LIST, 2, ia_type_basic(IA_TYPE_U8))));
    case 28:
        return list_of(g, IA_TYPE_FIXED_LIST, 2,
                       list_of(g, IA_TYPE_LIST, 0, ia_type_basic(IA_TYPE_I64)));
    case 29:
        return struct_of(g, list_of(g, IA_TYPE_LIST, 0, ia_type_basic(IA_TYPE_BINARY)),
                         struct_of(g, ia_type_basic(IA_TYPE_DATE32), ia_type_basic(IA_TYPE_F64)));
    case 30:
        return list_of(g, IA_TYPE_FIXED_LIST, 9, ia_type_basic(IA_TYPE_BOOL));
    case 32:
        return map_of(g, ia_type_basic(IA_TYPE_STRING), ia_type_basic(IA_TYPE_I32), false);
    case 33:
        return list_of(g, IA_TYPE_LARGE_LIST, 0,
                       map_of(g, ia_type_basic(IA_TYPE_I16),
                              list_of(g, IA_TYPE_LIST, 0, ia_type_basic(IA_TYPE_BINARY)), true));
    case 34:
        return dict_of(g, IA_TYPE_I16, ia_type_basic(IA_TYPE_STRING));
    case 35:
        return struct_of(g, dict_of(g, IA_TYPE_U32, ia_type_basic(IA_TYPE_F64)),
                         map_of(g, ia_type_basic(IA_TYPE_DATE32),
                                struct_of(g, ia_type_basic(IA_TYPE_BOOL),
                                          ia_type_basic(IA_TYPE_LARGE_STRING)), false));
    default:
        return ia_type_time_basic(IA_TYPE_DURATION, IA_UNIT_S);
    }
}

ia_type *gen_type(gen *g, int k)
{
    static const ia_type_id basic[] = {
        IA_TYPE_BOOL, IA_TYPE_I8, IA_TYPE_I16, IA_TYPE_I32, IA_TYPE_I64, IA_TYPE_U8, IA_TYPE_U16,
        IA_TYPE_U32, IA_TYPE_U64, IA_TYPE_F16, IA_TYPE_F32, IA_TYPE_F64, IA_TYPE_STRING,
        IA_TYPE_LARGE_STRING, IA_TYPE_BINARY, IA_TYPE_LARGE_BINARY, IA_TYPE_DATE32, IA_TYPE_DATE64,
        IA_TYPE_NULL};
    ia_type *t = NULL;

    if (k < 19)
        return ia_type_basic(basic[k]);
    switch (k) {
    case 19:
        GEN_OK(g, ia_type_fixed_binary(&g->cx, 5, &t));
        return t;
    case 20:
        GEN_OK(g, ia_type_time(&g->cx, IA_TYPE_TIMESTAMP, IA_UNIT_US, "UTC", &t));
        return t;
    case 21:
        return ia_type_time_basic(IA_TYPE_TIME64, IA_UNIT_NS);
    case 22:
        GEN_OK(g, ia_type_decimal(&g->cx, IA_TYPE_DECIMAL128, 20, 3, &t));
        return t;
    case 23:
        return list_of(g, IA_TYPE_LIST, 0, ia_type_basic(IA_TYPE_I32));
    case 24:
        return list_of(g, IA_TYPE_LARGE_LIST, 0, ia_type_basic(IA_TYPE_STRING));
    case 25:
        return list_of(g, IA_TYPE_FIXED_LIST, 3, ia_type_basic(IA_TYPE_F32));
    case 31:
        GEN_OK(g, ia_type_decimal(&g->cx, IA_TYPE_DECIMAL256, 60, 7, &t));
        return t;
    default:
        return nested_type(g, k);
    }
}

void gen_append(gen *g, ia_builder *b, int null_percent)
{
    const ia_type *t = b->type;
    char text[24];
    uint64_t raw[4];
    int64_t n, i;

    if (gen_below(g, 100) < null_percent || t->id == IA_TYPE_NULL) {
        ia_builder_null(&g->cx, b);
        return;
    }
    if (ia_type_is_var(t) || t->id == IA_TYPE_FIXED_BINARY) {
        n = t->id == IA_TYPE_FIXED_BINARY ? t->size : gen_below(g, 12);
        for (i = 0; i < n; i++)
            text[i] = (char)('a' + gen_below(g, 3));
        ia_builder_str(&g->cx, b, text, (size_t)n);
    } else if (ia_type_is_float(t)) {
        ia_builder_f64(&g->cx, b, (double)(gen_below(g, 64) - 32) / 8);
    } else if (t->id == IA_TYPE_BOOL) {
        ia_builder_bool(&g->cx, b, gen_below(g, 2) == 1);
    } else if (t->id == IA_TYPE_DECIMAL128 || t->id == IA_TYPE_DECIMAL256) {
        raw[0] = gen_next(g) % 1000;
        raw[1] = raw[2] = raw[3] = 0;
        ia_builder_fixed(&g->cx, b, raw, 1);
    } else if (t->id == IA_TYPE_STRUCT) {
        for (i = 0; i < (int64_t)b->n_children; i++)
            gen_append(g, &b->children[i], null_percent);
        ia_builder_end_struct(&g->cx, b);
    } else if (t->id == IA_TYPE_DICTIONARY) {
        gen_append(g, &b->children[0], null_percent);
        ia_put_le64((uint8_t *)raw, (uint64_t)gen_below(g, b->children[0].length));
        ia_builder_fixed(&g->cx, b, raw, 1);
    } else if (t->id == IA_TYPE_MAP) {
        for (n = gen_below(g, 4); n > 0; n--) {
            gen_append(g, &b->children[0].children[0], 0);
            gen_append(g, &b->children[0].children[1], null_percent);
            ia_builder_end_struct(&g->cx, &b->children[0]);
        }
        ia_builder_end_list(&g->cx, b);
    } else if (b->n_children == 1) {
        n = t->id == IA_TYPE_FIXED_LIST ? t->size : gen_below(g, 4);
        for (i = 0; i < n; i++)
            gen_append(g, &b->children[0], null_percent);
        ia_builder_end_list(&g->cx, b);
    } else {
        ia_builder_i64(&g->cx, b, gen_below(g, 100));
    }
}

ia_array *gen_array(gen *g, const ia_type *t, int64_t n, int null_percent)
{
    ia_builder b;
    ia_array *a = NULL;

    GEN_OK(g, ia_builder_init(&g->cx, &b, t));
    while (n-- > 0)
        gen_append(g, &b, null_percent);
    GEN_OK(g, ia_builder_finish(&g->cx, &b, &a));
    ia_builder_dispose(&b);
    GEN_OK(g, ia_array_validate(&g->cx, a, IA_VALIDATE_FULL));
    return a;
}

ia_array *gen_slice(gen *g, const ia_type *t, int64_t n, int null_percent)
{
    const int64_t before = gen_below(g, 20), after = gen_below(g, 5);
    ia_array *whole = gen_array(g, t, before + n + after, null_percent), *part = NULL;

    GEN_OK(g, ia_array_slice(&g->cx, whole, before, n, &part));
    ia_array_release(whole);
    return part;
}

const char *gen_text(gen *g, const ia_array *a, int64_t i)
{
    static char ring[4][4096];
    static int at;
    ia_jsonw w;
    ia_bytes out = {0};

    at = (at + 1) % 4;
    ia_jsonw_init(&w, &g->cx, 0);
    ia_value_json(&g->cx, &w, a, i, 0);
    GEN_OK(g, ia_jsonw_finish(&w, &out));
    assert_true(out.len < sizeof ring[0]);
    memcpy(ring[at], out.data, out.len);
    ring[at][out.len] = 0;
    ia_bytes_dispose(&out);
    ia_jsonw_dispose(&w);
    return ring[at];
}

void gen_assert_same(gen *g, const ia_array *a, int64_t i, const ia_array *b, int64_t j)
{
    assert_string_equal(gen_text(g, a, i), gen_text(g, b, j));
    assert_true(ia_value_equal(a, i, b, j));
    assert_int_equal(ia_value_cmp(a, i, b, j), 0);
    assert_true(ia_value_hash(a, i, 7) == ia_value_hash(b, j, 7));
}
