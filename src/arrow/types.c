/* types.c - logical types, fields and schemas: immutable, counted. */
#include "arrow/types.h"

#include <stdarg.h>
#include <stdio.h>

#include "arrow/arrow_priv.h"

#define BASIC(t) [t] = {.refs = -1, .id = (t)}
#define TIMES(k, t)                                        \
    [k] = {{.refs = -1, .id = (t), .unit = IA_UNIT_S},     \
           {.refs = -1, .id = (t), .unit = IA_UNIT_MS},    \
           {.refs = -1, .id = (t), .unit = IA_UNIT_US},    \
           {.refs = -1, .id = (t), .unit = IA_UNIT_NS}}

/* Never written: a negative count makes retain and release do nothing. */
static ia_type basic_types[IA_TYPE_MAP + 1] = {
    BASIC(IA_TYPE_NULL),   BASIC(IA_TYPE_BOOL),   BASIC(IA_TYPE_I8),
    BASIC(IA_TYPE_I16),    BASIC(IA_TYPE_I32),    BASIC(IA_TYPE_I64),
    BASIC(IA_TYPE_U8),     BASIC(IA_TYPE_U16),    BASIC(IA_TYPE_U32),
    BASIC(IA_TYPE_U64),    BASIC(IA_TYPE_F16),    BASIC(IA_TYPE_F32),
    BASIC(IA_TYPE_F64),    BASIC(IA_TYPE_STRING), BASIC(IA_TYPE_LARGE_STRING),
    BASIC(IA_TYPE_BINARY), BASIC(IA_TYPE_LARGE_BINARY),
    BASIC(IA_TYPE_DATE32), BASIC(IA_TYPE_DATE64),
};
static ia_type time_types[4][4] = {
    TIMES(0, IA_TYPE_TIME32),
    TIMES(1, IA_TYPE_TIME64),
    TIMES(2, IA_TYPE_TIMESTAMP),
    TIMES(3, IA_TYPE_DURATION),
};

ia_type *ia_type_basic(ia_type_id id)
{
    IA_ASSERT(basic_types[id].refs == -1);
    return &basic_types[id];
}

ia_type *ia_type_time_basic(ia_type_id id, ia_time_unit unit)
{
    IA_ASSERT(id >= IA_TYPE_TIME32 && id <= IA_TYPE_DURATION);
    return &time_types[id - IA_TYPE_TIME32][unit];
}

ia_type *ia_type_retain(const ia_type *t)
{
    ia_type *m = (ia_type *)(uintptr_t)t;

    if (m && atomic_load_explicit(&m->refs, memory_order_relaxed) >= 0)
        atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
    return m;
}

void ia_type_release(ia_type *t)
{
    size_t i;

    if (!t || atomic_load_explicit(&t->refs, memory_order_relaxed) < 0)
        return;
    if (atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (i = 0; i < t->n_children; i++)
        ia_field_dispose(&t->children[i]);
    ia_free(t->children);
    ia_free(t->tz);
    ia_free(t);
}

static ia_status type_new(ia_ctx *cx, ia_type_id id, size_t n_children, ia_type **out)
{
    ia_type *t = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW(cx, t));
    atomic_init(&t->refs, 1);
    t->id = id;
    if (n_children > 0)
        IA_GO(IA_NEW_ARRAY(cx, t->children, n_children));
    *out = t;
    t = NULL;
done:
    ia_type_release(t);
    return st;
}

ia_status ia_type_fixed_binary(ia_ctx *cx, int32_t size, ia_type **out)
{
    *out = NULL;
    if (size < 0)
        return ia_fail(cx, IA_ERR_INVALID, "fixed binary width %d is negative", size);
    IA_TRY(type_new(cx, IA_TYPE_FIXED_BINARY, 0, out));
    (*out)->size = size;
    return IA_OK;
}

ia_status ia_type_time(ia_ctx *cx, ia_type_id id, ia_time_unit unit, const char *tz, ia_type **out)
{
    ia_type *t = NULL;
    ia_status st = IA_OK;

    *out = NULL;
    if (id < IA_TYPE_TIME32 || id > IA_TYPE_DURATION)
        return ia_fail(cx, IA_ERR_INVALID, "type %d takes no time unit", (int)id);
    if ((id == IA_TYPE_TIME32 && unit > IA_UNIT_MS) || (id == IA_TYPE_TIME64 && unit < IA_UNIT_US))
        return ia_fail(cx, IA_ERR_INVALID, "time of day has no such unit at this width");
    if (!tz || !*tz || id != IA_TYPE_TIMESTAMP) {
        *out = ia_type_time_basic(id, unit);
        return IA_OK;
    }
    IA_GO(type_new(cx, id, 0, &t));
    t->unit = unit;
    IA_GO(IA_SET(cx, t->tz, ia_strdup(cx, tz)));
    *out = t;
    t = NULL;
done:
    ia_type_release(t);
    return st;
}

ia_status ia_type_decimal(ia_ctx *cx, ia_type_id id, int32_t precision, int32_t scale,
                          ia_type **out)
{
    const int32_t max = id == IA_TYPE_DECIMAL256 ? 76 : 38;

    *out = NULL;
    if (precision < 1 || precision > max)
        return ia_fail(cx, IA_ERR_INVALID, "decimal precision %d is outside 1..%d", precision, max);
    IA_TRY(type_new(cx, id, 0, out));
    (*out)->precision = precision;
    (*out)->scale = scale;
    return IA_OK;
}

/* Fills child slot k with a bare field. */
static ia_status set_child(ia_ctx *cx, ia_type *t, const char *name, const ia_type *type,
                           bool nullable)
{
    ia_field *f = &t->children[t->n_children];

    IA_TRY(IA_SET(cx, f->name, ia_strdup(cx, name)));
    f->type = ia_type_retain(type);
    f->nullable = nullable;
    t->n_children++;
    return IA_OK;
}

ia_status ia_type_list(ia_ctx *cx, ia_type_id id, int32_t size, const char *child_name,
                       const ia_type *item, bool item_nullable, ia_type **out)
{
    ia_type *t = NULL;
    ia_status st;

    *out = NULL;
    if (id == IA_TYPE_FIXED_LIST && size < 0)
        return ia_fail(cx, IA_ERR_INVALID, "fixed list size %d is negative", size);
    IA_GO(type_new(cx, id, 1, &t));
    t->size = id == IA_TYPE_FIXED_LIST ? size : 0;
    IA_GO(set_child(cx, t, child_name, item, item_nullable));
    *out = t;
    t = NULL;
done:
    ia_type_release(t);
    return st;
}

ia_status ia_type_list_of(ia_ctx *cx, ia_type_id id, int32_t size, const ia_field *item,
                          ia_type **out)
{
    ia_field copy;
    ia_status st;

    *out = NULL;
    IA_TRY(ia_field_copy(cx, item, &copy));
    st = ia_type_list(cx, id, size, item->name, item->type, item->nullable, out);
    if (st == IA_OK) { /* nobody else has it yet */
        ia_field_dispose(&(*out)->children[0]);
        (*out)->children[0] = copy;
        return IA_OK;
    }
    ia_field_dispose(&copy);
    return st;
}

ia_status ia_type_struct(ia_ctx *cx, const ia_field *fields, size_t n, ia_type **out)
{
    ia_type *t = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(type_new(cx, IA_TYPE_STRUCT, n, &t));
    for (; t->n_children < n; t->n_children++)
        IA_GO(ia_field_copy(cx, &fields[t->n_children], &t->children[t->n_children]));
    *out = t;
    t = NULL;
done:
    ia_type_release(t);
    return st;
}

ia_status ia_type_dictionary(ia_ctx *cx, const ia_type *index, const ia_type *value, ia_type **out)
{
    ia_type *t = NULL;
    ia_status st;

    *out = NULL;
    if (!ia_type_is_int(index))
        return ia_fail(cx, IA_ERR_INVALID, "a dictionary index must be an integer type");
    IA_GO(type_new(cx, IA_TYPE_DICTIONARY, 2, &t));
    IA_GO(set_child(cx, t, "index", index, true));
    IA_GO(set_child(cx, t, "value", value, true));
    *out = t;
    t = NULL;
done:
    ia_type_release(t);
    return st;
}

ia_status ia_type_map(ia_ctx *cx, const char *entries_name, const ia_field *key,
                      const ia_field *value, bool keys_sorted, ia_type **out)
{
    ia_type *entries = NULL, *t = NULL;
    ia_field f[2] = {*key, *value};
    ia_status st;

    *out = NULL;
    f[0].nullable = false;
    IA_GO(ia_type_struct(cx, f, 2, &entries));
    IA_GO(type_new(cx, IA_TYPE_MAP, 1, &t));
    t->keys_sorted = keys_sorted;
    IA_GO(set_child(cx, t, entries_name ? entries_name : "entries", entries, false));
    *out = t;
    t = NULL;
done:
    ia_type_release(entries);
    ia_type_release(t);
    return st;
}

/* `named`: the names of struct fields count; those of a map's key and value do not. */
static bool type_equal(const ia_type *a, const ia_type *b, bool named)
{
    size_t i;

    if (a == b)
        return true;
    if (a->id != b->id || a->size != b->size || a->precision != b->precision ||
        a->scale != b->scale || a->unit != b->unit || a->n_children != b->n_children ||
        a->keys_sorted != b->keys_sorted || !ia_str_eq(a->tz, b->tz))
        return false;
    named = named && a->id == IA_TYPE_STRUCT;
    for (i = 0; i < a->n_children; i++) {
        const ia_field *x = &a->children[i], *y = &b->children[i];

        if (x->nullable != y->nullable || (named && !ia_str_eq(x->name, y->name)) ||
            !type_equal(x->type, y->type, a->id != IA_TYPE_MAP))
            return false;
    }
    return true;
}

bool ia_type_equal(const ia_type *a, const ia_type *b)
{
    return type_equal(a, b, true);
}

uint32_t ia_type_bits(const ia_type *t)
{
    uint64_t n;

    switch (t->id) {
    case IA_TYPE_BOOL:
        return 1;
    case IA_TYPE_I8: case IA_TYPE_U8:
        return 8;
    case IA_TYPE_I16: case IA_TYPE_U16: case IA_TYPE_F16:
        return 16;
    case IA_TYPE_I32: case IA_TYPE_U32: case IA_TYPE_F32: case IA_TYPE_DATE32: case IA_TYPE_TIME32:
        return 32;
    case IA_TYPE_I64: case IA_TYPE_U64: case IA_TYPE_F64: case IA_TYPE_DATE64:
    case IA_TYPE_TIME64: case IA_TYPE_TIMESTAMP: case IA_TYPE_DURATION:
        return 64;
    case IA_TYPE_DECIMAL128:
        return 128;
    case IA_TYPE_DECIMAL256:
        return 256;
    case IA_TYPE_FIXED_BINARY:
        n = (uint64_t)t->size * 8;
        return n > UINT32_MAX ? 0 : (uint32_t)n;
    case IA_TYPE_FIXED_LIST:
        n = (uint64_t)t->size * ia_type_bits(t->children[0].type);
        return n > UINT32_MAX ? 0 : (uint32_t)n;
    case IA_TYPE_NULL: case IA_TYPE_STRING: case IA_TYPE_LARGE_STRING: case IA_TYPE_BINARY:
    case IA_TYPE_LARGE_BINARY: case IA_TYPE_LIST: case IA_TYPE_LARGE_LIST: case IA_TYPE_STRUCT:
    case IA_TYPE_DICTIONARY: case IA_TYPE_MAP:
        return 0;
    }
    return 0;
}

size_t ia_type_width(const ia_type *t)
{
    if (t->id == IA_TYPE_DICTIONARY)
        return ia_type_bits(t->children[0].type) / 8;
    if (t->id == IA_TYPE_FIXED_BINARY)
        return (size_t)t->size;
    if (t->id == IA_TYPE_FIXED_LIST)
        return 0;
    return ia_type_bits(t) / 8;
}

size_t ia_type_offset_width(const ia_type *t)
{
    if (t->id == IA_TYPE_STRING || t->id == IA_TYPE_BINARY || t->id == IA_TYPE_LIST ||
        t->id == IA_TYPE_MAP)
        return 4;
    if (t->id == IA_TYPE_LARGE_STRING || t->id == IA_TYPE_LARGE_BINARY ||
        t->id == IA_TYPE_LARGE_LIST)
        return 8;
    return 0;
}

size_t ia_type_array_children(const ia_type *t)
{
    return t->id == IA_TYPE_DICTIONARY ? 1 : t->n_children;
}

bool ia_type_is_var(const ia_type *t)
{
    return t->id >= IA_TYPE_STRING && t->id <= IA_TYPE_LARGE_BINARY;
}

bool ia_type_is_int(const ia_type *t)
{
    return t->id >= IA_TYPE_I8 && t->id <= IA_TYPE_U64;
}

bool ia_type_is_float(const ia_type *t)
{
    return t->id >= IA_TYPE_F16 && t->id <= IA_TYPE_F64;
}

/* ---- text ---------------------------------------------------------------------------------- */

typedef struct text_out {
    char *p;
    size_t n, len; /* room, used */
} text_out;

static void put(text_out *o, const char *fmt, ...) IA_PRINTF(2, 3);
static void put(text_out *o, const char *fmt, ...)
{
    va_list ap;
    int k;

    if (o->len + 1 >= o->n)
        return;
    va_start(ap, fmt);
    k = vsnprintf(o->p + o->len, o->n - o->len, fmt, ap);
    va_end(ap);
    if (k > 0)
        o->len = o->len + (size_t)k < o->n ? o->len + (size_t)k : o->n - 1;
}

static void put_type(text_out *o, const ia_type *t);

/* map<string, int32 not null, keys sorted> */
static void put_map(text_out *o, const ia_type *t)
{
    const ia_field *kv = t->children[0].type->children;

    put(o, "<");
    put_type(o, kv[0].type);
    put(o, ", ");
    put_type(o, kv[1].type);
    put(o, "%s%s>", kv[1].nullable ? "" : " not null", t->keys_sorted ? ", keys sorted" : "");
}

static void put_type(text_out *o, const ia_type *t)
{
    static const char *const names[] = {
        [IA_TYPE_NULL] = "null", [IA_TYPE_BOOL] = "bool", [IA_TYPE_I8] = "int8",
        [IA_TYPE_I16] = "int16", [IA_TYPE_I32] = "int32", [IA_TYPE_I64] = "int64",
        [IA_TYPE_U8] = "uint8", [IA_TYPE_U16] = "uint16", [IA_TYPE_U32] = "uint32",
        [IA_TYPE_U64] = "uint64", [IA_TYPE_F16] = "float16", [IA_TYPE_F32] = "float32",
        [IA_TYPE_F64] = "float64", [IA_TYPE_STRING] = "string",
        [IA_TYPE_LARGE_STRING] = "large_string", [IA_TYPE_BINARY] = "binary",
        [IA_TYPE_LARGE_BINARY] = "large_binary", [IA_TYPE_FIXED_BINARY] = "fixed_size_binary",
        [IA_TYPE_DATE32] = "date32", [IA_TYPE_DATE64] = "date64", [IA_TYPE_TIME32] = "time32",
        [IA_TYPE_TIME64] = "time64", [IA_TYPE_TIMESTAMP] = "timestamp",
        [IA_TYPE_DURATION] = "duration", [IA_TYPE_DECIMAL128] = "decimal128",
        [IA_TYPE_DECIMAL256] = "decimal256", [IA_TYPE_LIST] = "list",
        [IA_TYPE_LARGE_LIST] = "large_list", [IA_TYPE_FIXED_LIST] = "fixed_size_list",
        [IA_TYPE_STRUCT] = "struct", [IA_TYPE_DICTIONARY] = "dictionary", [IA_TYPE_MAP] = "map"};
    static const char *const units[] = {"s", "ms", "us", "ns"};
    size_t i;

    put(o, "%s", names[t->id]);
    if (t->id >= IA_TYPE_TIME32 && t->id <= IA_TYPE_DURATION)
        put(o, "[%s%s%s]", units[t->unit], t->tz ? ", " : "", t->tz ? t->tz : "");
    if (t->id == IA_TYPE_DECIMAL128 || t->id == IA_TYPE_DECIMAL256)
        put(o, "(%d, %d)", t->precision, t->scale);
    if (t->id == IA_TYPE_FIXED_BINARY)
        put(o, "[%d]", t->size);
    if (t->n_children == 0)
        return;
    if (t->id == IA_TYPE_MAP) {
        put_map(o, t);
        return;
    }
    put(o, "<");
    for (i = 0; i < t->n_children; i++) {
        put(o, "%s%s: ", i ? ", " : "", t->children[i].name);
        put_type(o, t->children[i].type);
        put(o, "%s", t->children[i].nullable || t->id == IA_TYPE_DICTIONARY ? "" : " not null");
    }
    put(o, ">");
    if (t->id == IA_TYPE_FIXED_LIST)
        put(o, "[%d]", t->size);
}

const char *ia_type_text(const ia_type *t, char *out, size_t n)
{
    text_out o = {out, n, 0};

    if (n > 0)
        out[0] = 0;
    put_type(&o, t);
    return out;
}

/* ---- fields and schemas -------------------------------------------------------------------- */

void ia_field_dispose(ia_field *f)
{
    size_t i;

    if (!f)
        return;
    for (i = 0; i < f->n_metadata; i++) {
        ia_free(f->metadata[i].key);
        ia_free(f->metadata[i].value);
    }
    ia_free(f->metadata);
    ia_free(f->name);
    ia_type_release(f->type);
    memset(f, 0, sizeof *f);
}

ia_status ia_field_copy(ia_ctx *cx, const ia_field *f, ia_field *out)
{
    ia_field c = {0};
    ia_status st;

    memset(out, 0, sizeof *out);
    IA_GO(IA_SET(cx, c.name, ia_strdup(cx, f->name ? f->name : "")));
    c.type = ia_type_retain(f->type);
    c.nullable = f->nullable;
    if (f->n_metadata > 0)
        IA_GO(IA_NEW_ARRAY(cx, c.metadata, f->n_metadata));
    for (; c.n_metadata < f->n_metadata; c.n_metadata++) {
        const ia_kv *kv = &f->metadata[c.n_metadata];
        ia_kv *to = &c.metadata[c.n_metadata];

        IA_GO(IA_SET(cx, to->key, ia_strdup(cx, kv->key)));
        to->value = ia_strdup(cx, kv->value ? kv->value : "");
        if (!to->value) {
            c.n_metadata++; /* so that dispose frees the key */
            IA_GO(cx->err.code);
        }
    }
    *out = c;
    memset(&c, 0, sizeof c);
done:
    ia_field_dispose(&c);
    return st;
}

const char *ia_field_meta(const ia_field *f, const char *key)
{
    size_t i;

    for (i = 0; i < f->n_metadata; i++)
        if (strcmp(f->metadata[i].key, key) == 0)
            return f->metadata[i].value;
    return NULL;
}

ia_status ia_schema_new(ia_ctx *cx, const ia_field *fields, size_t n, ia_schema **out)
{
    ia_schema *s = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW(cx, s));
    atomic_init(&s->refs, 1);
    if (n > 0)
        IA_GO(IA_NEW_ARRAY(cx, s->fields, n));
    for (; s->n_fields < n; s->n_fields++)
        IA_GO(ia_field_copy(cx, &fields[s->n_fields], &s->fields[s->n_fields]));
    *out = s;
    s = NULL;
done:
    ia_schema_release(s);
    return st;
}

ia_schema *ia_schema_retain(const ia_schema *s)
{
    ia_schema *m = (ia_schema *)(uintptr_t)s;

    if (m)
        atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
    return m;
}

void ia_schema_release(ia_schema *s)
{
    size_t i;

    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (i = 0; i < s->n_fields; i++)
        ia_field_dispose(&s->fields[i]);
    ia_free(s->fields);
    for (i = 0; i < s->n_metadata; i++) {
        ia_free(s->metadata[i].key);
        ia_free(s->metadata[i].value);
    }
    ia_free(s->metadata);
    ia_free(s);
}

int ia_schema_find(const ia_schema *s, const char *name)
{
    size_t i;

    for (i = 0; i < s->n_fields; i++)
        if (strcmp(s->fields[i].name, name) == 0)
            return (int)i;
    return -1;
}

bool ia_schema_equal(const ia_schema *a, const ia_schema *b)
{
    size_t i;

    if (a == b)
        return true;
    if (a->n_fields != b->n_fields)
        return false;
    for (i = 0; i < a->n_fields; i++) {
        const ia_field *x = &a->fields[i], *y = &b->fields[i];

        if (x->nullable != y->nullable || !ia_str_eq(x->name, y->name) ||
            !ia_type_equal(x->type, y->type))
            return false;
    }
    return true;
}
