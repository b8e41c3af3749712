/* ipc_schema_write.c - the schema message of Arrow IPC from fields and types. */
#include "arrow/ipc_priv.h"

size_t ia_ipc_put_metadata(ia_fbw *w, const ia_kv *kv, size_t n)
{
    size_t *items = NULL, i, at = 0;

    if (w->failed != IA_OK)
        return 0;
    items = ia_alloc(w->cx, (n + 1) * sizeof *items);
    if (!items) {
        w->failed = w->cx->err.code;
        return 0;
    }
    for (i = 0; i < n; i++) {
        const char *v = kv[i].value ? kv[i].value : "";
        const size_t value = ia_fbw_str(w, v, strlen(v));
        const size_t key = ia_fbw_str(w, kv[i].key, strlen(kv[i].key));

        ia_fbw_begin(w);
        ia_fbw_ref(w, 0, key);
        ia_fbw_ref(w, 1, value);
        items[i] = ia_fbw_end(w);
    }
    at = ia_fbw_refs(w, items, n);
    ia_free(items);
    return at;
}

static unsigned kind_of(const ia_type *t)
{
    static const uint8_t kinds[] = {[IA_TYPE_NULL] = IA_IPC_T_NULL,
                                    [IA_TYPE_BOOL] = IA_IPC_T_BOOL,
                                    [IA_TYPE_I8] = IA_IPC_T_INT,
                                    [IA_TYPE_I16] = IA_IPC_T_INT,
                                    [IA_TYPE_I32] = IA_IPC_T_INT,
                                    [IA_TYPE_I64] = IA_IPC_T_INT,
                                    [IA_TYPE_U8] = IA_IPC_T_INT,
                                    [IA_TYPE_U16] = IA_IPC_T_INT,
                                    [IA_TYPE_U32] = IA_IPC_T_INT,
                                    [IA_TYPE_U64] = IA_IPC_T_INT,
                                    [IA_TYPE_F16] = IA_IPC_T_FLOAT,
                                    [IA_TYPE_F32] = IA_IPC_T_FLOAT,
                                    [IA_TYPE_F64] = IA_IPC_T_FLOAT,
                                    [IA_TYPE_STRING] = IA_IPC_T_UTF8,
                                    [IA_TYPE_LARGE_STRING] = IA_IPC_T_LARGE_UTF8,
                                    [IA_TYPE_BINARY] = IA_IPC_T_BINARY,
                                    [IA_TYPE_LARGE_BINARY] = IA_IPC_T_LARGE_BINARY,
                                    [IA_TYPE_FIXED_BINARY] = IA_IPC_T_FIXED_BINARY,
                                    [IA_TYPE_DATE32] = IA_IPC_T_DATE,
                                    [IA_TYPE_DATE64] = IA_IPC_T_DATE,
                                    [IA_TYPE_TIME32] = IA_IPC_T_TIME,
                                    [IA_TYPE_TIME64] = IA_IPC_T_TIME,
                                    [IA_TYPE_TIMESTAMP] = IA_IPC_T_TIMESTAMP,
                                    [IA_TYPE_DURATION] = IA_IPC_T_DURATION,
                                    [IA_TYPE_DECIMAL128] = IA_IPC_T_DECIMAL,
                                    [IA_TYPE_DECIMAL256] = IA_IPC_T_DECIMAL,
                                    [IA_TYPE_LIST] = IA_IPC_T_LIST,
                                    [IA_TYPE_LARGE_LIST] = IA_IPC_T_LARGE_LIST,
                                    [IA_TYPE_FIXED_LIST] = IA_IPC_T_FIXED_LIST,
                                    [IA_TYPE_STRUCT] = IA_IPC_T_STRUCT,
                                    [IA_TYPE_MAP] = IA_IPC_T_MAP};

    return kinds[t->id];
}

static size_t put_int(ia_fbw *w, const ia_type *t)
{
    ia_fbw_begin(w);
    ia_fbw_num(w, 0, ia_type_bits(t), 4);
    ia_fbw_num(w, 1, t->id <= IA_TYPE_I64, 1);
    return ia_fbw_end(w);
}

/* The table of a type's parameters. */
static size_t put_type(ia_fbw *w, const ia_type *t)
{
    size_t tz = 0;

    if (ia_type_is_int(t))
        return put_int(w, t);
    if (t->tz)
        tz = ia_fbw_str(w, t->tz, strlen(t->tz));
    ia_fbw_begin(w);
    switch (kind_of(t)) {
    case IA_IPC_T_FLOAT:
        ia_fbw_num(w, 0, (uint64_t)(t->id - IA_TYPE_F16), 2);
        break;
    case IA_IPC_T_DECIMAL:
        ia_fbw_num(w, 0, (uint32_t)t->precision, 4);
        ia_fbw_num(w, 1, (uint32_t)t->scale, 4);
        ia_fbw_num(w, 2, ia_type_bits(t), 4);
        break;
    case IA_IPC_T_DATE:
        ia_fbw_num(w, 0, t->id == IA_TYPE_DATE64, 2);
        break;
    case IA_IPC_T_TIME:
        ia_fbw_num(w, 1, ia_type_bits(t), 4);
        ia_fbw_num(w, 0, t->unit, 2);
        break;
    case IA_IPC_T_TIMESTAMP:
        if (tz)
            ia_fbw_ref(w, 1, tz);
        ia_fbw_num(w, 0, t->unit, 2);
        break;
    case IA_IPC_T_DURATION:
        ia_fbw_num(w, 0, t->unit, 2);
        break;
    case IA_IPC_T_FIXED_BINARY:
    case IA_IPC_T_FIXED_LIST:
        ia_fbw_num(w, 0, (uint32_t)t->size, 4);
        break;
    case IA_IPC_T_MAP:
        ia_fbw_num(w, 0, t->keys_sorted, 1);
        break;
    default: /* style: the other types have no parameters */
        break;
    }
    return ia_fbw_end(w);
}

static size_t put_fields(ia_fbw *w, const ia_field *fields, size_t n, size_t *place);

static size_t put_field(ia_fbw *w, const ia_field *f, size_t *place)
{
    const bool coded = f->type->id == IA_TYPE_DICTIONARY;
    const ia_type *t = coded ? f->type->children[1].type : f->type;
    size_t dict = 0, type, kids, name, meta = 0, index;

    if (coded) {
        index = put_int(w, f->type->children[0].type);
        ia_fbw_begin(w);
        ia_fbw_num(w, 0, (*place)++, 8);
        ia_fbw_ref(w, 1, index);
        dict = ia_fbw_end(w);
        if (t->id == IA_TYPE_DICTIONARY && w->failed == IA_OK)
            w->failed = ia_fail(w->cx, IA_ERR_UNSUPPORTED,
                                "field '%s': Arrow IPC has no dictionary of dictionaries", f->name);
    }
    if (w->failed != IA_OK)
        return 0;
    if (f->n_metadata > 0)
        meta = ia_ipc_put_metadata(w, f->metadata, f->n_metadata);
    kids = put_fields(w, t->children, t->n_children, place);
    type = put_type(w, t);
    name = ia_fbw_str(w, f->name, strlen(f->name));
    ia_fbw_begin(w);
    ia_fbw_ref(w, 0, name);
    ia_fbw_ref(w, 3, type);
    if (coded)
        ia_fbw_ref(w, 4, dict);
    ia_fbw_ref(w, 5, kids);
    if (meta)
        ia_fbw_ref(w, 6, meta);
    ia_fbw_num(w, 1, f->nullable, 1);
    ia_fbw_num(w, 2, kind_of(t), 1);
    return ia_fbw_end(w);
}

static size_t put_fields(ia_fbw *w, const ia_field *fields, size_t n, size_t *place)
{
    size_t *items, i, at = 0;

    if (w->failed != IA_OK)
        return 0;
    items = ia_alloc(w->cx, (n + 1) * sizeof *items);
    if (!items) {
        w->failed = w->cx->err.code;
        return 0;
    }
    for (i = 0; i < n; i++)
        items[i] = put_field(w, &fields[i], place);
    at = ia_fbw_refs(w, items, n);
    ia_free(items);
    return at;
}

size_t ia_ipc_put_schema(ia_fbw *w, const ia_schema *s)
{
    size_t meta = 0, fields, place = 0;

    if (s->n_metadata > 0)
        meta = ia_ipc_put_metadata(w, s->metadata, s->n_metadata);
    fields = put_fields(w, s->fields, s->n_fields, &place);
    ia_fbw_begin(w);
    ia_fbw_ref(w, 1, fields);
    if (meta)
        ia_fbw_ref(w, 2, meta);
    ia_fbw_num(w, 0, 0, 2); /* little-endian */
    return ia_fbw_end(w);
}
