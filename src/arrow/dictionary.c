/* dictionary.c - plain values to dictionary arrays, and types without dictionaries. */
#include <inttypes.h>

#include "arrow/compute.h"
#include "arrow/text_priv.h"

bool ia_type_has_dictionary(const ia_type *t)
{
    size_t i;

    for (i = 0; i < t->n_children; i++)
        if (ia_type_has_dictionary(t->children[i].type))
            return true;
    return t->id == IA_TYPE_DICTIONARY;
}

static ia_status plain_nested(ia_ctx *cx, const ia_type *t, const ia_field *kids, ia_type **out)
{
    if (t->id == IA_TYPE_STRUCT)
        return ia_type_struct(cx, kids, t->n_children, out);
    if (t->id == IA_TYPE_MAP)
        return ia_type_map(cx, kids->name, &kids->type->children[0], &kids->type->children[1],
                           t->keys_sorted, out);
    return ia_type_list_of(cx, t->id, t->size, kids, out);
}

ia_status ia_type_plain(ia_ctx *cx, const ia_type *t, ia_type **out)
{
    ia_field *kids = NULL;
    ia_type *type;
    ia_status st;
    size_t i;

    *out = NULL;
    if (!ia_type_has_dictionary(t)) {
        *out = ia_type_retain(t);
        return IA_OK;
    }
    if (t->id == IA_TYPE_DICTIONARY)
        return ia_type_plain(cx, t->children[1].type, out);
    IA_GO(IA_NEW_ARRAY(cx, kids, t->n_children));
    for (i = 0; i < t->n_children; i++) {
        IA_GO(ia_field_copy(cx, &t->children[i], &kids[i]));
        IA_GO(ia_type_plain(cx, kids[i].type, &type));
        ia_type_release(kids[i].type);
        kids[i].type = type;
    }
    IA_GO(plain_nested(cx, t, kids, out));
done:
    for (i = 0; kids && i < t->n_children; i++)
        ia_field_dispose(&kids[i]);
    ia_free(kids);
    return st;
}

ia_status ia_schema_plain(ia_ctx *cx, const ia_schema *s, ia_schema **out)
{
    const ia_type top = {
        .refs = -1, .id = IA_TYPE_STRUCT, .children = s->fields, .n_children = s->n_fields};
    ia_type *plain;
    ia_status st;

    *out = NULL;
    if (!ia_type_has_dictionary(&top)) {
        *out = ia_schema_retain(s);
        return IA_OK;
    }
    IA_TRY(ia_type_plain(cx, &top, &plain));
    st = ia_schema_new(cx, plain->children, plain->n_children, out);
    ia_type_release(plain);
    return st;
}

ia_status ia_batch_encode(ia_ctx *cx, ia_batch **b, const ia_schema *s)
{
    ia_batch *in = *b;
    ia_array **cols = NULL;
    ia_status st = IA_OK;
    size_t i;

    if (!in || in->schema == s)
        return IA_OK;
    *b = NULL;
    IA_GO(IA_NEW_ARRAY(cx, cols, s->n_fields));
    for (i = 0; i < s->n_fields; i++) {
        st = ia_cast_array(cx, in->cols[i], s->fields[i].type, &cols[i]);
        IA_GO(ia_fail_prefix(cx, st, "column '%s'", s->fields[i].name));
    }
    st = ia_batch_make(cx, s, in->rows, cols, b);
    ia_free(cols);
    ia_batch_release(in);
    return st;
done:
    for (i = 0; cols && i < s->n_fields; i++)
        ia_array_release(cols[i]);
    ia_free(cols);
    ia_batch_release(in);
    return st;
}

/* Distinct values in order of first appearance. */
typedef struct encoder {
    const ia_array *a;
    int64_t *first; /* places of the distinct values in a */
    int64_t n;
    uint32_t *slots; /* open addressing: number of a distinct value + 1 */
    size_t n_slots;
} encoder;

static int64_t number_of(encoder *e, int64_t i)
{
    size_t k = (size_t)ia_value_hash(e->a, i, 0) & (e->n_slots - 1);

    while (e->slots[k] && !ia_value_equal(e->a, e->first[e->slots[k] - 1], e->a, i))
        k = (k + 1) & (e->n_slots - 1);
    if (!e->slots[k]) {
        e->first[e->n++] = i;
        e->slots[k] = (uint32_t)e->n;
    }
    return e->slots[k] - 1;
}

static ia_status fill(ia_ctx *cx, encoder *e, const ia_type *to, ia_builder *index)
{
    const ia_type *it = to->children[0].type;
    const uint32_t bits = ia_type_bits(it) - (it->id <= IA_TYPE_I64 ? 1 : 0);
    int64_t i;

    for (i = 0; i < e->a->length; i++) {
        int64_t k;

        if (!ia_array_valid(e->a, i)) {
            ia_builder_null(cx, index);
            continue;
        }
        k = number_of(e, i);
        if (bits < 63 && k >= (int64_t)1 << bits)
            return ia_fail(cx, IA_ERR_INVALID,
                           "more than %" PRId64 " distinct values in %" PRId64
                           " rows of a dictionary column; use fewer rows at once",
                           (int64_t)1 << bits, e->a->length);
        ia_builder_i64(cx, index, k);
    }
    return IA_OK;
}

ia_status ia_dictionary_encode(ia_ctx *cx, const ia_array *a, const ia_type *to, ia_array **out)
{
    encoder e = {.a = a, .n_slots = 16};
    ia_array *index = NULL, *values = NULL, *typed = NULL;
    ia_builder b = {0};
    ia_status st;

    *out = NULL;
    while (e.n_slots < 2 * (size_t)a->length)
        e.n_slots *= 2;
    if (a->length > INT32_MAX)
        return ia_fail(cx, IA_ERR_INVALID, "a batch is too long for a dictionary");
    IA_GO(IA_NEW_ARRAY(cx, e.slots, e.n_slots));
    IA_GO(IA_NEW_ARRAY(cx, e.first, (size_t)a->length));
    IA_GO(ia_builder_init(cx, &b, to->children[0].type));
    IA_GO(fill(cx, &e, to, &b));
    IA_GO(ia_builder_finish(cx, &b, &index));
    IA_GO(ia_take_array(cx, a, e.first, e.n, &values));
    IA_GO(ia_cast_array(cx, values, to->children[1].type, &typed));
    st = ia_array_make(cx, to, a->length, -1, ia_buffer_retain(index->bufs[0]),
                       ia_buffer_retain(index->bufs[1]), NULL, &typed, 1, out);
    typed = NULL;
done:
    ia_array_release(typed);
    ia_array_release(values);
    ia_array_release(index);
    ia_builder_dispose(&b);
    ia_free(e.first);
    ia_free(e.slots);
    return st;
}
