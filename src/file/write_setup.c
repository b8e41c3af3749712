/* write_setup.c - what a physical column will hold, from the fields on the way to it. */
#include <inttypes.h>

#include "file/shred_priv.h"

static ia_status refuse(ia_ctx *cx, const ia_field *f, const char *why)
{
    char text[96];

    return ia_fail(cx, IA_ERR_UNSUPPORTED, "field '%s' (%s): %s", f->name,
                   ia_type_text(f->type, text, sizeof text), why);
}

static bool packs(const ia_phys *p, const ia_type *t)
{
    return p->kind == IA_PHYS_FIXED && !p->n_dims && !ia_type_is_float(t) &&
           t->id != IA_TYPE_FIXED_BINARY &&
           (p->bits == 8 || p->bits == 16 || p->bits == 32 || p->bits == 64);
}

static void phys_bytes(ia_phys *p, uint64_t bytes)
{
    memset(p, 0, sizeof *p);
    p->kind = IA_PHYS_FIXED;
    p->items = 1;
    p->bits = (uint32_t)bytes * 8;
    p->value_bits = bytes * 8;
    p->width = (size_t)bytes;
}

/* ---- structure around the leaf -------------------------------------------------------------- */

static ia_status check_node(ia_ctx *cx, const ia_wleaf *l, size_t i, bool *spread)
{
    const ia_field *f = l->node[i];

    if (f->type->id == IA_TYPE_MAP && l->minor < 2)
        return refuse(cx, f, "maps need file version 2.2; write with that version");
    if (f->type->id == IA_TYPE_FIXED_LIST && i + 1 < l->depth) {
        if (l->minor < 2)
            return refuse(cx, f,
                          "fixed-size lists of structs need file version 2.2; write with that "
                          "version");
        *spread = true;
    }
    return IA_OK;
}

static ia_status init_structure(ia_ctx *cx, ia_wleaf *l)
{
    bool spread = false;

    l->first_list = SIZE_MAX;
    l->per_row = 1;
    for (size_t i = l->depth; i-- > 0;) {
        const ia_type *t = l->node[i]->type;
        bool list = ia_type_is_list(t);

        IA_TRY(check_node(cx, l, i, &spread));
        if (t->id == IA_TYPE_FIXED_LIST && i + 1 < l->depth &&
            (t->size < 1 || __builtin_mul_overflow(l->per_row, (uint64_t)t->size, &l->per_row) ||
             l->per_row > INT32_MAX))
            return refuse(cx, l->node[i], "items of a row are too many");
        l->lists_below[i] = l->lists_below[i + 1] + list;
        if (list && l->first_list == SIZE_MAX)
            l->first_list = l->depth - 1 - i;
    }
    l->n_lists = l->lists_below[0];
    if (spread && l->n_lists)
        return refuse(cx, l->node[l->depth - 1],
                      "lists together with fixed-size lists of structs cannot be stored");
    return IA_OK;
}

/* ---- leaves --------------------------------------------------------------------------------- */

static ia_status init_part(ia_ctx *cx, const ia_field *f, ia_wpart *out)
{
    out->field = f;
    if (f->type->id == IA_TYPE_STRUCT || f->type->id == IA_TYPE_DICTIONARY ||
        f->type->id == IA_TYPE_NULL || ia_type_is_list(f->type))
        return refuse(cx, f, "cannot be part of a packed struct");
    IA_TRY(ia_phys_of(cx, f->type, &out->phys));
    if (out->phys.kind == IA_PHYS_VAR)
        out->len_bits = out->phys.bits;
    else if (!out->phys.width)
        return refuse(cx, f, "a packed struct has only fields of whole bytes");
    else
        out->bits = (uint32_t)out->phys.value_bits;
    return IA_OK;
}

static ia_status init_packed(ia_ctx *cx, ia_wleaf *l, const ia_field *f)
{
    const ia_phys var = {.kind = IA_PHYS_VAR, .bits = 32};
    uint64_t bytes = 0;
    bool variable = false;

    l->n_parts = f->type->n_children;
    IA_TRY(IA_NEW_ARRAY(cx, l->parts, l->n_parts));
    l->parts_owned = true;
    for (size_t i = 0; i < l->n_parts; i++) {
        ia_wpart *p = &l->parts[i];

        IA_TRY(init_part(cx, &f->type->children[i], p));
        variable = variable || p->len_bits || p->phys.n_dims;
        bytes += p->bits / 8;
    }
    if (variable && l->minor < 2)
        return refuse(cx, f,
                      "packed structs with strings or lists need file version 2.2; write with that "
                      "version");
    l->kind = variable ? IA_WKIND_PACKED_VAR : IA_WKIND_PACKED;
    if (variable)
        l->phys = var;
    else if (bytes > 15000)
        return refuse(cx, f, "a packed struct of more than 15000 bytes");
    else
        phys_bytes(&l->phys, bytes);
    return IA_OK;
}

static ia_status init_dictionary(ia_ctx *cx, ia_wleaf *l, const ia_field *f)
{
    ia_phys values;

    IA_TRY(ia_phys_of(cx, f->type->children[0].type, &l->phys));
    IA_TRY(ia_phys_of(cx, f->type->children[1].type, &values));
    if (values.n_dims || values.kind == IA_PHYS_NULL)
        return refuse(cx, f, "dictionaries of such values cannot be stored");
    l->kind = IA_WKIND_DICTIONARY;
    ia_vals_init(&l->dict, &values);
    return ia_wintern_new(cx, &l->intern);
}

static bool is_blob(const ia_field *f)
{
    const char *v = ia_field_meta(f, "lance-encoding:blob");

    return v && ia_str_eq_nocase(v, "true");
}

static ia_status init_blob(ia_ctx *cx, ia_wleaf *l, const ia_field *f)
{
    if (f->type->id != IA_TYPE_LARGE_BINARY)
        return refuse(cx, f, "a blob column must be of type large_binary");
    if (l->n_lists)
        return refuse(cx, f, "blobs in lists cannot be stored");
    l->kind = IA_WKIND_BLOB;
    phys_bytes(&l->phys, 16);
    memset(&l->hints, 0, sizeof l->hints);
    return IA_OK;
}

static ia_status init_empty(ia_ctx *cx, ia_wleaf *l, const ia_field *f)
{
    if (l->n_lists || l->per_row > 1)
        return refuse(cx, f, "structs without fields in lists cannot be stored");
    l->kind = IA_WKIND_EMPTY_STRUCT;
    return IA_OK;
}

ia_status ia_wleaf_init(ia_ctx *cx, ia_wleaf *l, const ia_file_writer_options *opt)
{
    const ia_field *f = l->node[l->depth - 1];

    IA_TRY(init_structure(cx, l));
    IA_TRY(ia_hints_of(cx, f, opt, &l->hints));
    if (f->type->id == IA_TYPE_STRUCT && !f->type->n_children)
        IA_TRY(init_empty(cx, l, f));
    else if (f->type->id == IA_TYPE_STRUCT)
        IA_TRY(init_packed(cx, l, f));
    else if (f->type->id == IA_TYPE_DICTIONARY)
        IA_TRY(init_dictionary(cx, l, f));
    else if (is_blob(f))
        IA_TRY(init_blob(cx, l, f));
    else
        IA_TRY(ia_phys_of(cx, f->type, &l->phys));
    ia_vals_init(&l->vals, &l->phys);
    l->bitpack =
        l->kind == IA_WKIND_DICTIONARY || (l->kind == IA_WKIND_PLAIN && packs(&l->phys, f->type));
    l->large_chunks = l->minor >= 2;
    return IA_OK;
}
