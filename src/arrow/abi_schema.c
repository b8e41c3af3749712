/* abi_schema.c - schemas taken in through the Arrow C data interface. */
#include <stdlib.h>

#include "arrow/abi_priv.h"

static ia_status import_type(ia_ctx *cx, const struct ArrowSchema *in, int depth, ia_type **out);

static ia_status unsupported(ia_ctx *cx, const struct ArrowSchema *in)
{
    return ia_fail(cx, IA_ERR_UNSUPPORTED, "field '%s': Arrow format '%s' is not supported",
                   in->name ? in->name : "", in->format);
}

/* Owned copies of the metadata block; see the layout in the C data interface. */
static ia_status import_metadata(ia_ctx *cx, const char *p, ia_kv **out, size_t *n)
{
    ia_kv *kv = NULL;
    int32_t count, len;
    int32_t i = 0;
    ia_status st = IA_OK;

    *out = NULL;
    *n = 0;
    if (!p)
        return IA_OK;
    memcpy(&count, p, 4);
    p += 4;
    if (count <= 0)
        return count == 0 ? IA_OK
                          : ia_fail(cx, IA_ERR_INVALID, "negative count of schema metadata");
    IA_GO(IA_NEW_ARRAY(cx, kv, (size_t)count));
    for (i = 0; i < count; i++) {
        char **const part[2] = {&kv[i].key, &kv[i].value};
        int k;

        for (k = 0; k < 2; k++) {
            memcpy(&len, p, 4);
            p += 4;
            if (len < 0)
                IA_GO(ia_fail(cx, IA_ERR_INVALID, "negative length in schema metadata"));
            IA_GO(IA_SET(cx, *part[k], ia_strndup(cx, p, (size_t)len)));
            p += len;
        }
    }
    *out = kv;
    *n = (size_t)count;
    kv = NULL;
done:
    for (; kv && i >= 0; i--) {
        ia_free(kv[i].key);
        ia_free(kv[i].value);
    }
    ia_free(kv);
    return st;
}

static ia_status import_field(ia_ctx *cx, const struct ArrowSchema *in, int depth, ia_field *out)
{
    ia_field f = {0};
    ia_status st;

    memset(out, 0, sizeof *out);
    if (!in || !in->release || !in->format)
        return ia_fail(cx, IA_ERR_INVALID, "a released Arrow schema was passed");
    IA_GO(IA_SET(cx, f.name, ia_strdup(cx, in->name ? in->name : "")));
    f.nullable = (in->flags & ARROW_FLAG_NULLABLE) != 0;
    IA_GO(import_metadata(cx, in->metadata, &f.metadata, &f.n_metadata));
    IA_GO(import_type(cx, in, depth, &f.type));
    *out = f;
    memset(&f, 0, sizeof f);
done:
    ia_field_dispose(&f);
    return st;
}

/* A number that must run to `stop`; false when it does not. */
static bool number(const char **p, char stop, int32_t *out)
{
    char *end;
    const long v = strtol(*p, &end, 10);

    if (end == *p || *end != stop || v < INT32_MIN || v > INT32_MAX)
        return false;
    *out = (int32_t)v;
    *p = stop ? end + 1 : end;
    return true;
}

static ia_status import_map(ia_ctx *cx, const struct ArrowSchema *in, const ia_field *entries,
                            ia_type **out)
{
    const ia_type *t = entries->type;

    if (t->id != IA_TYPE_STRUCT || t->n_children != 2)
        return ia_fail(cx, IA_ERR_INVALID, "field '%s': a map must have a struct of key and value",
                       in->name ? in->name : "");
    return ia_type_map(cx, entries->name, &t->children[0], &t->children[1],
                       (in->flags & ARROW_FLAG_MAP_KEYS_SORTED) != 0, out);
}

static ia_status import_nested(ia_ctx *cx, const struct ArrowSchema *in, int depth, ia_type **out)
{
    const char *p = in->format + 3;
    ia_field *f = NULL;
    int32_t size = 0;
    ia_status st = IA_OK;
    int64_t i, n = in->n_children;
    ia_type_id id = IA_TYPE_STRUCT;

    if (strcmp(in->format, "+l") == 0)
        id = IA_TYPE_LIST;
    else if (strcmp(in->format, "+L") == 0)
        id = IA_TYPE_LARGE_LIST;
    else if (strcmp(in->format, "+m") == 0)
        id = IA_TYPE_MAP;
    else if (strncmp(in->format, "+w:", 3) == 0 && number(&p, 0, &size))
        id = IA_TYPE_FIXED_LIST;
    else if (strcmp(in->format, "+s") != 0)
        return unsupported(cx, in);
    if (n < 0 || (id != IA_TYPE_STRUCT && n != 1))
        return ia_fail(cx, IA_ERR_INVALID, "field '%s': %lld children of format '%s'",
                       in->name ? in->name : "", (long long)n, in->format);
    IA_GO(IA_NEW_ARRAY(cx, f, (size_t)n));
    for (i = 0; i < n; i++)
        IA_GO(import_field(cx, in->children[i], depth + 1, &f[i]));
    if (id == IA_TYPE_STRUCT)
        IA_GO(ia_type_struct(cx, f, (size_t)n, out));
    else if (id == IA_TYPE_MAP)
        IA_GO(import_map(cx, in, &f[0], out));
    else
        IA_GO(ia_type_list_of(cx, id, size, &f[0], out));
done:
    for (i = 0; f && i < n; i++)
        ia_field_dispose(&f[i]);
    ia_free(f);
    return st;
}

static bool unit_of(char c, ia_time_unit *out)
{
    static const char units[] = "smun";
    const char *at = c ? strchr(units, c) : NULL;

    if (at)
        *out = (ia_time_unit)(at - units);
    return at != NULL;
}

static ia_status import_temporal(ia_ctx *cx, const struct ArrowSchema *in, ia_type **out)
{
    const char *f = in->format;
    ia_time_unit u;

    if (strcmp(f, "tdD") == 0 || strcmp(f, "tdm") == 0) {
        *out = ia_type_basic(f[2] == 'D' ? IA_TYPE_DATE32 : IA_TYPE_DATE64);
        return IA_OK;
    }
    if (!f[1] || !unit_of(f[2], &u))
        return unsupported(cx, in);
    if (f[1] == 't' && !f[3])
        return ia_type_time(cx, u <= IA_UNIT_MS ? IA_TYPE_TIME32 : IA_TYPE_TIME64, u, NULL, out);
    if (f[1] == 'D' && !f[3])
        return ia_type_time(cx, IA_TYPE_DURATION, u, NULL, out);
    if (f[1] == 's' && f[3] == ':')
        return ia_type_time(cx, IA_TYPE_TIMESTAMP, u, f + 4, out);
    return unsupported(cx, in);
}

static ia_status import_decimal(ia_ctx *cx, const struct ArrowSchema *in, ia_type **out)
{
    const char *p = in->format + 2;
    int32_t precision, scale, bits = 128;

    if (!number(&p, ',', &precision))
        return unsupported(cx, in);
    if (strchr(p, ',')) {
        if (!number(&p, ',', &scale) || !number(&p, 0, &bits))
            return unsupported(cx, in);
    } else if (!number(&p, 0, &scale)) {
        return unsupported(cx, in);
    }
    if (bits != 128 && bits != 256)
        return unsupported(cx, in);
    return ia_type_decimal(cx, bits == 256 ? IA_TYPE_DECIMAL256 : IA_TYPE_DECIMAL128, precision,
                           scale, out);
}

static ia_status import_plain(ia_ctx *cx, const struct ArrowSchema *in, int depth, ia_type **out)
{
    static const struct {
        char c;
        ia_type_id id;
    } plain[] = {
        {'n', IA_TYPE_NULL}, {'b', IA_TYPE_BOOL}, {'c', IA_TYPE_I8}, {'C', IA_TYPE_U8},
        {'s', IA_TYPE_I16}, {'S', IA_TYPE_U16}, {'i', IA_TYPE_I32}, {'I', IA_TYPE_U32},
        {'l', IA_TYPE_I64}, {'L', IA_TYPE_U64}, {'e', IA_TYPE_F16}, {'f', IA_TYPE_F32},
        {'g', IA_TYPE_F64}, {'u', IA_TYPE_STRING}, {'U', IA_TYPE_LARGE_STRING},
        {'z', IA_TYPE_BINARY}, {'Z', IA_TYPE_LARGE_BINARY}};
    const char *f = in->format, *p = f + 2;
    int32_t size;
    size_t i;

    if (f[0] == '+')
        return import_nested(cx, in, depth, out);
    if (f[0] == 't')
        return import_temporal(cx, in, out);
    if (f[0] == 'd' && f[1] == ':')
        return import_decimal(cx, in, out);
    if (f[0] == 'w' && f[1] == ':')
        return number(&p, 0, &size) ? ia_type_fixed_binary(cx, size, out) : unsupported(cx, in);
    for (i = 0; f[0] && !f[1] && i < sizeof plain / sizeof plain[0]; i++)
        if (plain[i].c == f[0]) {
            *out = ia_type_basic(plain[i].id);
            return IA_OK;
        }
    return unsupported(cx, in);
}

static ia_status import_type(ia_ctx *cx, const struct ArrowSchema *in, int depth, ia_type **out)
{
    ia_type *index = NULL, *value = NULL;
    ia_status st;

    *out = NULL;
    if (depth > IA_TYPE_MAX_DEPTH)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "an Arrow type is nested more than %d deep",
                       IA_TYPE_MAX_DEPTH);
    if (!in->dictionary)
        return import_plain(cx, in, depth, out);
    IA_GO(import_plain(cx, in, depth, &index));
    if (!in->dictionary->release || !in->dictionary->format)
        IA_GO(ia_fail(cx, IA_ERR_INVALID, "a released Arrow dictionary schema was passed"));
    IA_GO(import_type(cx, in->dictionary, depth + 1, &value));
    IA_GO(ia_type_dictionary(cx, index, value, out));
done:
    ia_type_release(index);
    ia_type_release(value);
    return st;
}

ia_status ia_import_schema(ia_ctx *cx, const struct ArrowSchema *in, ia_schema **out)
{
    ia_schema *s = NULL;
    ia_field top = {0};
    ia_status st;

    *out = NULL;
    IA_GO(import_field(cx, in, 0, &top));
    if (top.type->id != IA_TYPE_STRUCT)
        IA_GO(ia_fail(cx, IA_ERR_INVALID, "the Arrow schema of a batch must be a struct, not '%s'",
                      in->format));
    IA_GO(ia_schema_new(cx, top.type->children, top.type->n_children, &s));
    s->metadata = top.metadata;
    s->n_metadata = top.n_metadata;
    top.metadata = NULL;
    top.n_metadata = 0;
    *out = s;
done:
    ia_field_dispose(&top);
    return st;
}
