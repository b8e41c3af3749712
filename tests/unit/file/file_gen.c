/* file_gen.c - seeded tables of every type for file tests, and an exact text of values. */
#include "file_gen.h"

#include <stdio.h>
#include <stdlib.h>

#include "arrow/compute.h"
#include "file/shred_priv.h"

const char *const gen_types[] = {
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "halffloat",
    "float",
    "double",
    "string",
    "large_string",
    "binary",
    "large_binary",
    "fixed16",
    "fixed300",
    "date32",
    "date64",
    "time32",
    "time64",
    "timestamp",
    "duration",
    "fsl<float,4>",
    "fsl<float,63>",
    "fsl<float,64>",
    "fsl<float,128>",
    "fsl<int8,10>",
    "fsl<bool,10>",
    "fsl<double,40>",
    "fsl<fsl<float,2>,3>",
    "list<int32>",
    "list<string>",
    "list<bool>",
    "list<fsl<float,4>>",
    "list<fsl<float,128>>",
    "large_list<int64>",
    "list<list<int32>>",
    "struct<int32,string>",
    "struct<struct<int64,bool>,double>",
    "list<struct<int32,string>>",
    "struct<list<int32>,string>",
    "null",
    NULL,
};

/* ---- types ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    ia_type_id id;
} basics[] = {
    {"null", IA_TYPE_NULL},
    {"bool", IA_TYPE_BOOL},
    {"int8", IA_TYPE_I8},
    {"int16", IA_TYPE_I16},
    {"int32", IA_TYPE_I32},
    {"int64", IA_TYPE_I64},
    {"uint8", IA_TYPE_U8},
    {"uint16", IA_TYPE_U16},
    {"uint32", IA_TYPE_U32},
    {"uint64", IA_TYPE_U64},
    {"halffloat", IA_TYPE_F16},
    {"float", IA_TYPE_F32},
    {"double", IA_TYPE_F64},
    {"string", IA_TYPE_STRING},
    {"large_string", IA_TYPE_LARGE_STRING},
    {"binary", IA_TYPE_BINARY},
    {"large_binary", IA_TYPE_LARGE_BINARY},
    {"date32", IA_TYPE_DATE32},
    {"date64", IA_TYPE_DATE64},
};

static bool eat(const char **p, const char *word)
{
    size_t n = strlen(word);

    if (strncmp(*p, word, n) != 0)
        return false;
    *p += n;
    return true;
}

static ia_type *parse(ia_ctx *cx, const char **p);

static ia_type *parse_list(ia_ctx *cx, const char **p, ia_type_id id)
{
    ia_type *item = parse(cx, p), *out = NULL;
    int32_t size = 0;

    if (item && id == IA_TYPE_FIXED_LIST && eat(p, ","))
        size = (int32_t)strtol(*p, (char **)(uintptr_t)p, 10);
    if (item && eat(p, ">") && ia_type_list(cx, id, size, "item", item, true, &out) != IA_OK)
        out = NULL;
    ia_type_release(item);
    return out;
}

static ia_type *parse_struct(ia_ctx *cx, const char **p)
{
    static char *names[] = {(char *)"a", (char *)"b", (char *)"c", (char *)"d"};
    ia_field f[4] = {{0}};
    size_t n = 0;
    ia_type *out = NULL;

    do {
        f[n].name = names[n];
        f[n].nullable = true;
        f[n].type = parse(cx, p);
    } while (f[n++].type && n < 4 && eat(p, ","));
    if (f[n - 1].type && eat(p, ">") && ia_type_struct(cx, f, n, &out) != IA_OK)
        out = NULL;
    for (size_t i = 0; i < n; i++)
        ia_type_release(f[i].type);
    return out;
}

static ia_type *parse_map(ia_ctx *cx, const char **p)
{
    ia_field key = {.name = (char *)"key"}, value = {.name = (char *)"value", .nullable = true};
    ia_type *out = NULL;

    key.type = parse(cx, p);
    if (key.type && eat(p, ","))
        value.type = parse(cx, p);
    if (value.type && eat(p, ">") && ia_type_map(cx, "entries", &key, &value, false, &out) != IA_OK)
        out = NULL;
    ia_type_release(key.type);
    ia_type_release(value.type);
    return out;
}

static ia_type *parse_dict(ia_ctx *cx, const char **p)
{
    ia_type *index = parse(cx, p), *value = NULL, *out = NULL;

    if (index && eat(p, ","))
        value = parse(cx, p);
    if (value && eat(p, ">") && ia_type_dictionary(cx, index, value, &out) != IA_OK)
        out = NULL;
    ia_type_release(index);
    ia_type_release(value);
    return out;
}

static ia_type *parse(ia_ctx *cx, const char **p)
{
    ia_type *out = NULL;
    size_t best = 0, at = 0;

    if (eat(p, "list<"))
        return parse_list(cx, p, IA_TYPE_LIST);
    if (eat(p, "large_list<"))
        return parse_list(cx, p, IA_TYPE_LARGE_LIST);
    if (eat(p, "fsl<"))
        return parse_list(cx, p, IA_TYPE_FIXED_LIST);
    if (eat(p, "struct<"))
        return parse_struct(cx, p);
    if (eat(p, "map<"))
        return parse_map(cx, p);
    if (eat(p, "dict<"))
        return parse_dict(cx, p);
    if (eat(p, "fixed"))
        return ia_type_fixed_binary(cx, (int32_t)strtol(*p, (char **)(uintptr_t)p, 10), &out) ==
                       IA_OK
                   ? out
                   : NULL;
    if (eat(p, "time32"))
        return ia_type_time(cx, IA_TYPE_TIME32, IA_UNIT_MS, NULL, &out) == IA_OK ? out : NULL;
    if (eat(p, "time64"))
        return ia_type_time(cx, IA_TYPE_TIME64, IA_UNIT_US, NULL, &out) == IA_OK ? out : NULL;
    if (eat(p, "timestamp"))
        return ia_type_time(cx, IA_TYPE_TIMESTAMP, IA_UNIT_US, "UTC", &out) == IA_OK ? out : NULL;
    if (eat(p, "duration"))
        return ia_type_time(cx, IA_TYPE_DURATION, IA_UNIT_NS, NULL, &out) == IA_OK ? out : NULL;
    for (size_t i = 0; i < sizeof basics / sizeof *basics; i++) {
        size_t n = strlen(basics[i].name);

        if (n > best && strncmp(*p, basics[i].name, n) == 0) {
            best = n;
            at = i;
        }
    }
    *p += best;
    return best ? ia_type_retain(ia_type_basic(basics[at].id)) : NULL;
}

ia_type *gen_type(ia_ctx *cx, const char *text)
{
    const char *p = text;
    ia_type *t = parse(cx, &p);

    if (t && !*p)
        return t;
    ia_type_release(t);
    return NULL;
}

/* ---- values --------------------------------------------------------------------------------- */

typedef struct gen {
    ia_ctx *cx;
    uint64_t state;
    gen_nulls nulls;
    gen_flavour f;
    int64_t row;
} gen;

static uint64_t next(gen *g)
{
    uint64_t z = g->state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static bool is_null(gen *g)
{
    switch (g->nulls) {
    case NULLS_NONE:
        return false;
    case NULLS_SOME:
        return next(g) % 10 == 0;
    case NULLS_MOST:
        return next(g) % 50 != 0;
    case NULLS_ALL:
        return true;
    }
    return false;
}

static uint64_t number(gen *g)
{
    switch (g->f) {
    case GEN_SMALL:
        return next(g) % 100;
    case GEN_RUNS:
        return (uint64_t)g->row / 70;
    case GEN_WIDE:
    case GEN_LONG:
        return next(g);
    }
    return 0;
}

static int64_t in_range(ia_type_id id, uint64_t v)
{
    switch (id) {
    case IA_TYPE_I8:
        return (int8_t)v;
    case IA_TYPE_I16:
        return (int16_t)v;
    case IA_TYPE_I32:
    case IA_TYPE_DATE32:
        return (int32_t)v;
    case IA_TYPE_TIME32:
        return (int64_t)(v % 86400000);
    case IA_TYPE_TIME64:
        return (int64_t)(v % UINT64_C(86400000000));
    default:
        return (int64_t)v;
    }
}

static uint64_t unsigned_range(ia_type_id id, uint64_t v)
{
    return id == IA_TYPE_U8    ? v & 0xff
           : id == IA_TYPE_U16 ? v & 0xffff
           : id == IA_TYPE_U32 ? v & 0xffffffffu
                               : v;
}

static void put_string(gen *g, ia_builder *b, bool fixed, size_t width)
{
    char text[4096];
    size_t n;

    if (fixed) {
        uint64_t x = number(g);

        for (size_t i = 0; i < width; i++)
            text[i] = (char)('a' + (x + i * 7) % 26);
        n = width;
    } else if (g->f == GEN_SMALL) {
        n = (size_t)snprintf(text, sizeof text, "tag%d", (int)(next(g) % 20));
        n = next(g) % 15 ? n : 0;
    } else if (g->f == GEN_LONG && next(g) % 4) {
        n = 256 + next(g) % 2700;
        for (size_t i = 0; i < n; i++)
            text[i] = (char)('A' + (i * 31 + (size_t)g->row) % 57);
    } else {
        n = (size_t)snprintf(text, sizeof text, "row-%lld-%llx", (long long)g->row,
                             (unsigned long long)number(g));
    }
    ia_builder_str(g->cx, b, text, n);
}

static void put(gen *g, ia_builder *b);

/* Keys are never null. */
static void put_entry(gen *g, ia_builder *b)
{
    gen_nulls keep = g->nulls;

    g->nulls = NULLS_NONE;
    put(g, &b->children[0]);
    g->nulls = keep;
    put(g, &b->children[1]);
    ia_builder_end_struct(g->cx, b);
}

static void put_nested(gen *g, ia_builder *b)
{
    size_t n;

    switch (b->type->id) {
    case IA_TYPE_STRUCT:
        for (size_t i = 0; i < b->n_children; i++)
            put(g, &b->children[i]);
        ia_builder_end_struct(g->cx, b);
        return;
    case IA_TYPE_FIXED_LIST:
        for (int32_t i = 0; i < b->type->size; i++) {
            gen_nulls keep = g->nulls;

            g->nulls = g->nulls == NULLS_SOME && g->row % 3 == 0 ? NULLS_SOME : NULLS_NONE;
            put(g, &b->children[0]);
            g->nulls = keep;
        }
        ia_builder_end_list(g->cx, b);
        return;
    default:
        n = next(g) % 5;
        if (g->nulls == NULLS_NONE && g->f == GEN_WIDE)
            n++;
        if (g->row % 997 == 3)
            n += next(g) % (b->children[0].n_children ? 60 : 3000);
        for (size_t i = 0; i < n && b->type->id == IA_TYPE_MAP; i++)
            put_entry(g, &b->children[0]);
        for (size_t i = 0; i < n && b->type->id != IA_TYPE_MAP; i++)
            put(g, &b->children[0]);
        ia_builder_end_list(g->cx, b);
    }
}

static void put(gen *g, ia_builder *b)
{
    ia_type_id id = b->type->id;

    if (id == IA_TYPE_NULL || is_null(g))
        ia_builder_null(g->cx, b);
    else if (id == IA_TYPE_BOOL)
        ia_builder_bool(g->cx, b, number(g) & 1);
    else if (id == IA_TYPE_F16 || id == IA_TYPE_F32 || id == IA_TYPE_F64)
        ia_builder_f64(g->cx, b, (double)(number(g) % 5000) / 8);
    else if (ia_type_is_var(b->type) || id == IA_TYPE_FIXED_BINARY)
        put_string(g, b, id == IA_TYPE_FIXED_BINARY, (size_t)b->type->size);
    else if (id == IA_TYPE_U8 || id == IA_TYPE_U16 || id == IA_TYPE_U32 || id == IA_TYPE_U64)
        ia_builder_u64(g->cx, b, unsigned_range(id, number(g)));
    else if (b->n_children)
        put_nested(g, b);
    else
        ia_builder_i64(g->cx, b, in_range(id, number(g)));
}

ia_status gen_batch(ia_ctx *cx, const ia_type *type, int64_t rows, uint64_t seed, gen_nulls nulls,
                    gen_flavour f, ia_batch **out)
{
    gen g = {.cx = cx, .state = seed, .nulls = nulls, .f = f};
    ia_field field = {.name = (char *)"c", .type = (ia_type *)(uintptr_t)type, .nullable = true};
    ia_builder b = {0};
    ia_schema *s = NULL;
    ia_array *col = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(ia_builder_init(cx, &b, type));
    for (g.row = 0; g.row < rows; g.row++)
        put(&g, &b);
    IA_GO(ia_builder_finish(cx, &b, &col));
    IA_GO(ia_schema_new(cx, &field, 1, &s));
    st = ia_batch_make(cx, s, rows, &col, out);
    col = NULL;
done:
    ia_builder_dispose(&b);
    ia_schema_release(s);
    ia_array_release(col);
    return st;
}

/* ---- text ----------------------------------------------------------------------------------- */

static void put_hex(ia_ctx *cx, ia_buf *out, const uint8_t *p, size_t n)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        ia_buf_putc(cx, out, digits[p[i] >> 4]);
        ia_buf_putc(cx, out, digits[p[i] & 15]);
    }
}

static void list_text(ia_ctx *cx, ia_buf *out, const ia_array *a, int64_t i)
{
    int64_t start, len;

    ia_array_list(a, i, &start, &len);
    ia_buf_putc(cx, out, '[');
    for (int64_t k = 0; k < len; k++) {
        if (k)
            ia_buf_putc(cx, out, ',');
        gen_text(cx, out, a->children[0], start + k);
    }
    ia_buf_putc(cx, out, ']');
}

static int64_t dict_key(const ia_array *a, int64_t i)
{
    const uint8_t *p = a->bufs[1]->data;
    int64_t at = a->offset + i;

    switch (ia_type_bits(a->type->children[0].type)) {
    case 8:
        return p[at];
    case 16:
        return ia_le16(p + 2 * at);
    case 32:
        return ia_le32(p + 4 * at);
    default:
        return (int64_t)ia_le64(p + 8 * at);
    }
}

void gen_text(ia_ctx *cx, ia_buf *out, const ia_array *a, int64_t i)
{
    ia_type_id id = a->type->id;

    if (!ia_array_valid(a, i)) {
        ia_buf_puts(cx, out, "null");
    } else if (id == IA_TYPE_DICTIONARY) {
        gen_text(cx, out, a->children[0], (int64_t)ia_wintern_index(a, i));
    } else if (id == IA_TYPE_BOOL) {
        ia_buf_putc(cx, out, ia_array_bool(a, i) ? 't' : 'f');
    } else if (ia_type_is_var(a->type) || id == IA_TYPE_FIXED_BINARY) {
        ia_view v = ia_array_str(a, i);

        ia_buf_putc(cx, out, 'x');
        put_hex(cx, out, (const uint8_t *)v.data, v.len);
    } else if (ia_type_is_list(a->type) || id == IA_TYPE_FIXED_LIST) {
        list_text(cx, out, a, i);
    } else if (id == IA_TYPE_DICTIONARY) {
        gen_text(cx, out, a->children[0], dict_key(a, i));
    } else if (id == IA_TYPE_STRUCT) {
        ia_buf_putc(cx, out, '{');
        for (size_t k = 0; k < a->n_children; k++) {
            if (k)
                ia_buf_putc(cx, out, ',');
            gen_text(cx, out, a->children[k], a->offset + i);
        }
        ia_buf_putc(cx, out, '}');
    } else {
        size_t w = ia_type_bits(a->type) / 8;

        put_hex(cx, out, (const uint8_t *)ia_array_values(a) + (size_t)i * w, w);
    }
}
