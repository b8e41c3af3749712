/* validate_key.c - canonical texts of key values, ids of keyed nodes, keys of tuples. */
#include <stdlib.h>

#include "base/ids.h"
#include "base/json.h"
#include "graph/validate_priv.h"

/* Digits without exponent: "1e-7" -> 0.0000001, "1.5e+3" -> 1500. */
static void put_positional(ia_ctx *cx, ia_buf *out, const char *text)
{
    char digits[32];
    int n = 0, point = -1;
    const char *p = text;

    if (*p == '-') {
        ia_buf_putc(cx, out, '-');
        p++;
    }
    for (; *p && *p != 'e' && *p != 'E'; p++) {
        if (*p == '.')
            point = n;
        else if (n < (int)sizeof digits)
            digits[n++] = *p;
    }
    if (point < 0)
        point = n;
    if (*p)
        point += (int)strtol(p + 1, NULL, 10); /* at most 3 digits: the text of a double */
    int from = 0;
    while (n > from + 1 && n > point && digits[n - 1] == '0')
        n--; /* 1.0 is 1 */
    while (from < n && from < point - 1 && digits[from] == '0')
        from++;
    if (point <= 0)
        ia_buf_puts(cx, out, "0");
    for (int i = from; i < point; i++)
        ia_buf_putc(cx, out, i < n ? digits[i] : '0');
    if (n > point)
        ia_buf_putc(cx, out, '.');
    for (int i = point; i < n; i++)
        ia_buf_putc(cx, out, i < 0 ? '0' : digits[i]);
}

static ia_status put_float(ia_ctx *cx, ia_buf *out, const ia_array *a, int64_t row, bool narrow)
{
    const double v = ia_array_f64(a, row);
    char text[32];

    if (!(v - v == 0.0)) /* NaN and both infinities */
        return ia_fail(cx, IA_ERR_CONSTRAINT,
                       "a key or unique value must be a finite number, not %s",
                       v != v  ? "NaN"
                       : v > 0 ? "infinity"
                               : "-infinity");
    if (v == 0.0) {
        ia_buf_putc(cx, out, '0'); /* -0 is the same value */
        return IA_OK;
    }
    if (narrow)
        ia_float_format((float)v, text);
    else
        ia_double_format(v, text);
    put_positional(cx, out, text);
    return IA_OK;
}

ia_status ia_canonical_text(ia_ctx *cx, const ia_array *a, int64_t row, ia_buf *out)
{
    const ia_type *t = a->type->id == IA_TYPE_DICTIONARY ? a->type->children[1].type : a->type;
    char name[64];
    ia_view s;

    switch ((int)t->id) {
    case IA_TYPE_STRING:
    case IA_TYPE_LARGE_STRING:
        s = ia_array_str(a, row);
        ia_buf_put(cx, out, s.data, s.len);
        break;
    case IA_TYPE_BOOL:
        ia_buf_puts(cx, out, ia_array_bool(a, row) ? "true" : "false");
        break;
    case IA_TYPE_I8:
    case IA_TYPE_I16:
    case IA_TYPE_I32:
    case IA_TYPE_I64:
    case IA_TYPE_DATE32:
    case IA_TYPE_DATE64:
    case IA_TYPE_TIMESTAMP:
        ia_buf_printf(cx, out, "%lld", (long long)ia_array_i64(a, row));
        break;
    case IA_TYPE_U8:
    case IA_TYPE_U16:
    case IA_TYPE_U32:
    case IA_TYPE_U64:
        ia_buf_printf(cx, out, "%llu", (unsigned long long)ia_array_u64(a, row));
        break;
    case IA_TYPE_F16:
    case IA_TYPE_F32:
        IA_TRY(put_float(cx, out, a, row, true));
        break;
    case IA_TYPE_F64:
        IA_TRY(put_float(cx, out, a, row, false));
        break;
    default:
        return ia_fail(cx, IA_ERR_CONSTRAINT,
                       "a value of type %s cannot be part of a key or @unique",
                       ia_type_text(t, name, sizeof name));
    }
    return ia_buf_status(out);
}

ia_status ia_tuple_key(ia_ctx *cx, const ia_batch *b, int64_t row, const ia_type_def *type,
                       const int *cols, size_t n_cols, ia_buf *key, bool *has_null)
{
    *has_null = false;
    ia_buf_clear(key);
    for (size_t i = 0; i < n_cols; i++) {
        const ia_array *a = ia_batch_col(b, ia_prop_name(type, cols[i]));
        if (!a)
            return ia_fail(cx, IA_ERR_INTERNAL, "a batch of %s lacks the column %s of a constraint",
                           type->name, ia_prop_name(type, cols[i]));
        if (!ia_array_valid(a, row)) {
            *has_null = true;
            return IA_OK;
        }
        /* Several members: each text after its length, so that no text can pose as another split.
         */
        const size_t at = key->len;
        if (n_cols > 1)
            ia_buf_fill(cx, key, 0, 4);
        ia_status st = ia_canonical_text(cx, a, row, key);
        if (st != IA_OK)
            return ia_fail_prefix(cx, st, "%s.%s", type->name, ia_prop_name(type, cols[i]));
        if (n_cols > 1)
            ia_put_le32(key->data + at, (uint32_t)(key->len - at - 4));
    }
    return ia_buf_status(key);
}

ia_status ia_node_key_id(ia_ctx *cx, const ia_batch *b, int64_t row, const ia_type_def *type,
                         ia_buf *out)
{
    ia_jsonw w;
    ia_buf text = {0};
    ia_status st = IA_OK;

    ia_jsonw_init(&w, cx, 0);
    ia_buf_clear(out);
    ia_jsonw_array(&w);
    for (size_t i = 0; i < type->n_key; i++) {
        const char *name = type->properties[type->key[i]].name;
        const ia_array *a = ia_batch_col(b, name);
        if (!a || !ia_array_valid(a, row))
            IA_GO(ia_fail(cx, IA_ERR_CONSTRAINT, "the key property %s.%s has no value", type->name,
                          name));
        ia_buf_clear(&text);
        st = ia_canonical_text(cx, a, row, type->n_key == 1 ? out : &text);
        if (st != IA_OK)
            IA_GO(ia_fail_prefix(cx, st, "%s.%s", type->name, name));
        ia_jsonw_strn(&w, (const char *)text.data, text.len);
    }
    if (type->n_key > 1) {
        ia_bytes json = {0};
        ia_jsonw_end_array(&w);
        IA_GO(ia_jsonw_finish(&w, &json));
        ia_buf_put(cx, out, json.data, json.len);
        ia_bytes_dispose(&json);
    }
    IA_GO(ia_buf_status(out));
done:
    ia_jsonw_dispose(&w);
    ia_buf_dispose(&text);
    return st;
}
