/* lschema_wire.c - lance.file.Field and metadata map entries on the wire. */
#include "file/lschema_wire.h"

void ia_kv_free(ia_kv *kv, size_t n)
{
    for (size_t i = 0; kv && i < n; i++) {
        ia_free(kv[i].key);
        ia_free(kv[i].value);
    }
    ia_free(kv);
}

ia_status ia_kv_copy(ia_ctx *cx, const ia_kv *in, size_t n, ia_kv **out, size_t *n_out)
{
    if (!n)
        return IA_OK;
    IA_TRY(IA_NEW_ARRAY(cx, *out, n));
    *n_out = n;
    for (size_t i = 0; i < n; i++) {
        IA_TRY(IA_SET(cx, (*out)[i].key, ia_strdup(cx, in[i].key ? in[i].key : "")));
        IA_TRY(IA_SET(cx, (*out)[i].value, ia_strdup(cx, in[i].value ? in[i].value : "")));
    }
    return IA_OK;
}

static ia_status read_entry(ia_ctx *cx, ia_wire *w, ia_kv *out)
{
    ia_wire e;

    ia_wire_sub(w, &e);
    while (ia_wire_next(&e)) {
        if (e.number == 1)
            IA_TRY(ia_wire_str(cx, &e, &out->key));
        else if (e.number == 2)
            IA_TRY(ia_wire_str(cx, &e, &out->value));
    }
    if (e.bad)
        w->bad = true;
    if (!out->key)
        IA_TRY(IA_SET(cx, out->key, ia_strdup(cx, "")));
    if (!out->value)
        IA_TRY(IA_SET(cx, out->value, ia_strdup(cx, "")));
    return IA_OK;
}

ia_status ia_wire_kv(ia_ctx *cx, ia_wire *w, ia_kv **kv, size_t *n)
{
    ia_kv e = {0};
    ia_kv *grown;
    ia_status st;

    IA_GO(read_entry(cx, w, &e));
    for (size_t i = 0; i < *n; i++) {
        if (ia_str_eq((*kv)[i].key, e.key)) {
            ia_free((*kv)[i].value);
            (*kv)[i].value = e.value;
            e.value = NULL;
            goto done;
        }
    }
    IA_GO(IA_SET(cx, grown, ia_realloc(cx, *kv, (*n + 1) * sizeof **kv)));
    *kv = grown;
    (*kv)[(*n)++] = e;
    memset(&e, 0, sizeof e);
done:
    ia_free(e.key);
    ia_free(e.value);
    return st;
}

void ia_wire_put_kv(ia_ctx *cx, ia_buf *b, uint32_t number, const ia_kv *kv, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t mark = ia_wire_begin(cx, b, number);

        ia_wire_add_bytes(cx, b, 1, kv[i].key, strlen(kv[i].key));
        ia_wire_add_bytes(cx, b, 2, kv[i].value, strlen(kv[i].value));
        ia_wire_end(cx, b, mark);
    }
}

void ia_lfield_dispose(ia_lfield *f)
{
    if (!f)
        return;
    ia_free(f->name);
    ia_free(f->logical_type);
    ia_kv_free(f->metadata, f->n_metadata);
    ia_bytes_dispose(&f->extra);
    memset(f, 0, sizeof *f);
}

static ia_status decode_members(ia_ctx *cx, ia_wire *w, ia_lfield *f, ia_buf *extra)
{
    while (ia_wire_next(w)) {
        switch (w->number) {
        case 2:
            IA_TRY(ia_wire_str(cx, w, &f->name));
            break;
        case 3:
            f->id = ia_wire_i32(w);
            break;
        case 4:
            f->parent_id = ia_wire_i32(w);
            break;
        case 5:
            IA_TRY(ia_wire_str(cx, w, &f->logical_type));
            break;
        case 6:
            f->nullable = ia_wire_bool(w);
            break;
        case 10:
            IA_TRY(ia_wire_kv(cx, w, &f->metadata, &f->n_metadata));
            break;
        default:
            ia_buf_put(cx, extra, w->raw, w->raw_len);
            break;
        }
    }
    if (!f->name)
        IA_TRY(IA_SET(cx, f->name, ia_strdup(cx, "")));
    if (!f->logical_type)
        IA_TRY(IA_SET(cx, f->logical_type, ia_strdup(cx, "")));
    return ia_wire_done(cx, w, "schema field");
}

ia_status ia_lfield_decode(ia_ctx *cx, const uint8_t *p, size_t n, ia_lfield *out)
{
    ia_lfield f = {0};
    ia_buf extra = {0};
    ia_wire w;
    ia_status st;

    memset(out, 0, sizeof *out);
    ia_wire_init(&w, p, n);
    IA_GO(decode_members(cx, &w, &f, &extra));
    if (extra.len || extra.failed)
        IA_GO(ia_buf_finish(&extra, &f.extra));
    *out = f;
    memset(&f, 0, sizeof f);
done:
    ia_lfield_dispose(&f);
    ia_buf_dispose(&extra);
    return st;
}

ia_status ia_lfield_encode(ia_ctx *cx, const ia_lfield *f, ia_buf *out)
{
    ia_wire_put_str(cx, out, 2, f->name);
    ia_wire_put_i32(cx, out, 3, f->id);
    ia_wire_put_i32(cx, out, 4, f->parent_id);
    ia_wire_put_str(cx, out, 5, f->logical_type);
    ia_wire_put_bool(cx, out, 6, f->nullable);
    if (f->extra.len)
        ia_buf_put(cx, out, f->extra.data, f->extra.len);
    ia_wire_put_kv(cx, out, 10, f->metadata, f->n_metadata);
    return ia_buf_status(out);
}

ia_status ia_lschema_add(ia_ctx *cx, ia_lschema *ls, ia_lfield *f)
{
    ia_lfield *grown = ia_realloc(cx, ls->fields, (ls->n + 1) * sizeof *grown);

    if (!grown)
        return cx->err.code;
    ls->fields = grown;
    ls->fields[ls->n++] = *f;
    memset(f, 0, sizeof *f);
    return IA_OK;
}
