/* leaf_packed.c - rows of a packed struct (one physical column) taken apart into its fields. */
#include "file/leaf_packed.h"

#include <inttypes.h>

static size_t field_width(const ia_packed *p, size_t i);

size_t ia_packed_width(const ia_type *st)
{
    size_t sum = 0;

    for (size_t i = 0; i < st->n_children; i++) {
        const ia_type *t = st->children[i].type;
        size_t width = t->id == IA_TYPE_STRUCT ? ia_packed_width(t) : (size_t)(ia_type_bits(t) / 8);

        if (!width || ia_type_bits(t) % 8 || width > UINT32_MAX / 8 - sum)
            return 0;
        sum += width;
    }
    return sum;
}

static ia_status packed_init(ia_ctx *cx, ia_packed *p, const ia_type *st, int depth)
{
    ia_phys phys;

    if (depth > IA_ENC_MAX_DEPTH)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "a packed struct nested deeper than %d",
                       IA_ENC_MAX_DEPTH);
    IA_TRY(IA_NEW_ARRAY(cx, p->fields, st->n_children));
    p->n = st->n_children;
    for (size_t i = 0; i < p->n; i++) {
        const ia_field *f = &st->children[i];

        if (f->type->id == IA_TYPE_STRUCT) {
            IA_TRY(packed_init(cx, &p->fields[i].sub, f->type, depth + 1));
            continue;
        }
        IA_TRY(ia_fail_prefix(cx, ia_phys_of(cx, f->type, &phys), "field '%s' of a packed struct",
                              f->name));
        if (phys.kind == IA_PHYS_NULL || (phys.kind == IA_PHYS_FIXED && !phys.width))
            return ia_fail(cx, IA_ERR_UNSUPPORTED,
                           "field '%s' of a packed struct is not of whole bytes", f->name);
        ia_vals_init(&p->fields[i].vals, &phys);
    }
    return IA_OK;
}

ia_status ia_packed_init(ia_ctx *cx, ia_packed *p, const ia_type *st)
{
    memset(p, 0, sizeof *p);
    return packed_init(cx, p, st, 0);
}

void ia_packed_dispose(ia_packed *p)
{
    for (size_t i = 0; p->fields && i < p->n; i++) {
        ia_vals_dispose(&p->fields[i].vals);
        ia_packed_dispose(&p->fields[i].sub);
        ia_decoder_dispose(&p->fields[i].dec);
    }
    ia_free(p->fields);
    memset(p, 0, sizeof *p);
}

void ia_packed_clear(ia_packed *p)
{
    for (size_t i = 0; i < p->n; i++) {
        ia_vals_clear(&p->fields[i].vals);
        ia_packed_clear(&p->fields[i].sub);
    }
}

void ia_packed_new_page(ia_packed *p)
{
    for (size_t i = 0; i < p->n; i++) {
        ia_decoder_new_page(&p->fields[i].dec);
        ia_packed_new_page(&p->fields[i].sub);
    }
}

/* ---- rows of fixed width -------------------------------------------------------------------- */

static size_t fields_width(const ia_packed *p)
{
    size_t sum = 0;

    for (size_t i = 0; i < p->n; i++)
        sum += field_width(p, i);
    return sum;
}

static size_t field_width(const ia_packed *p, size_t i)
{
    return p->fields[i].sub.n ? fields_width(&p->fields[i].sub) : p->fields[i].vals.phys.width;
}

/* The values of one field, `stride` bytes apart. */
static ia_status put_column(ia_ctx *cx, ia_vals *v, const uint8_t *from, size_t stride, uint64_t n)
{
    size_t width = v->phys.width;
    uint8_t *to = ia_vals_extend(cx, v, n);

    if (!to)
        return ia_vals_status(cx, v);
    ia_vals_inner_ones(cx, v, n);
    switch (width) {
    case 4:
        for (uint64_t k = 0; k < n; k++)
            memcpy(to + 4 * k, from + k * stride, 4);
        break;
    case 8:
        for (uint64_t k = 0; k < n; k++)
            memcpy(to + 8 * k, from + k * stride, 8);
        break;
    default:
        for (uint64_t k = 0; k < n; k++)
            memcpy(to + width * k, from + k * stride, width);
        break;
    }
    return ia_vals_status(cx, v);
}

static ia_status put_columns(ia_ctx *cx, ia_packed *p, const uint8_t *rows, size_t stride,
                             uint64_t n)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->fields[i].sub.n)
            IA_TRY(put_columns(cx, &p->fields[i].sub, rows, stride, n));
        else if (p->fields[i].vals.phys.kind == IA_PHYS_FIXED)
            IA_TRY(put_column(cx, &p->fields[i].vals, rows, stride, n));
        else
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "a packed struct of fixed width has a field that is not");
        rows += field_width(p, i);
    }
    return IA_OK;
}

ia_status ia_packed_put_fixed(ia_ctx *cx, ia_packed *p, const uint8_t *rows, uint64_t n)
{
    return n ? put_columns(cx, p, rows, fields_width(p), n) : IA_OK;
}

/* ---- rows of variable width ----------------------------------------------------------------- */

/* Bytes of a fixed field: per list level its validity bitmap, then the items. False = does not fit.
 */
static bool fixed_size(const ia_phys *phys, const ia_enc *e, uint64_t *out)
{
    uint64_t items = 1, bytes = 0;
    size_t level = 0;

    for (; e->kind == IA_ENC_FSL && e->child; e = e->child, level++) {
        if (level == phys->n_dims || e->items != phys->dims[level])
            return false;
        items *= e->items;
        if (e->has_validity)
            bytes += (items + 7) / 8;
    }
    if (phys->kind != IA_PHYS_FIXED || e->kind != IA_ENC_FLAT || level != phys->n_dims ||
        e->bits != phys->bits)
        return false;
    *out = bytes + (items * e->bits + 7) / 8;
    return true;
}

static ia_status misfit(ia_ctx *cx, size_t i)
{
    return ia_fail(cx, IA_ERR_CORRUPT, "the encoding of a packed struct does not fit its field %zu",
                   i);
}

static ia_status check_part(ia_ctx *cx, const ia_type *t, const ia_enc_part *part, size_t i)
{
    uint32_t len = part->len_bits;
    ia_phys phys;
    uint64_t bytes;

    if (!part->value || (len && len != 8 && len != 16 && len != 32 && len != 64))
        return misfit(cx, i);
    if (t->id == IA_TYPE_STRUCT)
        return part->bits % 8 ? misfit(cx, i) : ia_packed_check(cx, t, part->value);
    IA_TRY(ia_phys_of(cx, t, &phys));
    if (phys.kind == IA_PHYS_VAR)
        return len ? IA_OK : misfit(cx, i);
    if (len || !fixed_size(&phys, part->value, &bytes) || part->bits != bytes * 8)
        return misfit(cx, i);
    return IA_OK;
}

static uint64_t type_width(const ia_type *t)
{
    return t->id == IA_TYPE_STRUCT ? ia_packed_width(t) : ia_type_bits(t) / 8;
}

ia_status ia_packed_check(ia_ctx *cx, const ia_type *st, const ia_enc *e)
{
    if (e->n_parts != st->n_children ||
        (e->kind != IA_ENC_PACKED_STRUCT && e->kind != IA_ENC_VAR_PACKED_STRUCT))
        return ia_fail(cx, IA_ERR_CORRUPT, "%s of %zu fields for a packed struct of %zu",
                       ia_enc_name(e->kind), e->n_parts, st->n_children);
    if (e->kind == IA_ENC_PACKED_STRUCT && !ia_packed_width(st))
        return ia_fail(cx, IA_ERR_CORRUPT, "packed_struct for fields that are not of fixed width");
    for (size_t i = 0; i < e->n_parts; i++) {
        const ia_type *t = st->children[i].type;

        if (e->kind == IA_ENC_VAR_PACKED_STRUCT)
            IA_TRY(check_part(cx, t, &e->parts[i], i));
        else if (e->parts[i].len_bits || e->parts[i].bits != type_width(t) * 8)
            return misfit(cx, i);
    }
    return IA_OK;
}

static ia_status put_fixed_part(ia_ctx *cx, ia_vals *v, const ia_enc *e, const uint8_t *p)
{
    uint64_t items = 1;
    uint8_t *to;

    for (size_t k = 0; e->kind == IA_ENC_FSL; e = e->child, k++) {
        items *= e->items;
        if (e->has_validity) {
            ia_valid_bits(cx, &v->inner[k], p, 0, items);
            p += (items + 7) / 8;
        } else {
            ia_valid_ones(cx, &v->inner[k], items);
        }
    }
    to = ia_vals_extend(cx, v, 1);
    if (to)
        memcpy(to, p, v->phys.width);
    return ia_vals_status(cx, v);
}

static void put_zero_row(ia_ctx *cx, ia_packed *p)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->fields[i].sub.n)
            put_zero_row(cx, &p->fields[i].sub);
        else
            ia_vals_zeros(cx, &p->fields[i].vals, 1);
    }
}

static ia_status short_row(ia_ctx *cx, size_t i)
{
    return ia_fail(cx, IA_ERR_CORRUPT, "a row of a packed struct ends inside of its field %zu", i);
}

static uint64_t load_length(const uint8_t *p, uint32_t bits)
{
    return bits == 8 ? *p : bits == 16 ? ia_le16(p) : bits == 32 ? ia_le32(p) : ia_le64(p);
}

/* Cuts the bytes of one field from the row. */
static ia_status cut_part(ia_ctx *cx, const ia_enc_part *part, size_t i, ia_view *row, ia_view *out)
{
    uint64_t len = part->bits / 8;

    if (part->len_bits) {
        if (row->len < part->len_bits / 8)
            return short_row(cx, i);
        len = load_length((const uint8_t *)row->data, part->len_bits);
        row->data += part->len_bits / 8;
        row->len -= part->len_bits / 8;
    }
    if (row->len < len)
        return short_row(cx, i);
    out->data = row->data;
    out->len = (size_t)len;
    row->data += len;
    row->len -= (size_t)len;
    return IA_OK;
}

ia_status ia_packed_put_row(ia_ctx *cx, ia_packed *p, const ia_enc *e, ia_view row)
{
    ia_view v;

    if (!row.len) {
        put_zero_row(cx, p);
        return IA_OK;
    }
    if (e->kind == IA_ENC_PACKED_STRUCT) {
        if (row.len != fields_width(p))
            return short_row(cx, 0);
        return ia_packed_put_fixed(cx, p, (const uint8_t *)row.data, 1);
    }
    for (size_t i = 0; i < p->n; i++) {
        struct ia_packed_field *f = &p->fields[i];

        IA_TRY(cut_part(cx, &e->parts[i], i, &row, &v));
        if (f->sub.n)
            IA_TRY(ia_packed_put_row(cx, &f->sub, e->parts[i].value, v));
        else if (f->vals.phys.kind == IA_PHYS_VAR)
            IA_TRY(ia_value_decode_var(cx, &f->dec, e->parts[i].value, v, &f->vals));
        else
            IA_TRY(put_fixed_part(cx, &f->vals, e->parts[i].value, (const uint8_t *)v.data));
    }
    if (row.len)
        return ia_fail(cx, IA_ERR_CORRUPT, "a row of a packed struct has %zu bytes too many",
                       row.len);
    return IA_OK;
}

/* ---- arrays --------------------------------------------------------------------------------- */

ia_status ia_packed_finish(ia_ctx *cx, ia_packed *p, ia_valid *valid, uint64_t n,
                           const ia_type *st_type, ia_array **out)
{
    int64_t nulls = (int64_t)valid->zeros;
    ia_buffer *bits = NULL;
    ia_array **kids = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW_ARRAY(cx, kids, p->n ? p->n : 1));
    for (size_t i = 0; i < p->n; i++) {
        const ia_type *t = st_type->children[i].type;
        ia_valid all = {.n = n};

        if (p->fields[i].sub.n) {
            IA_GO(ia_packed_finish(cx, &p->fields[i].sub, &all, n, t, &kids[i]));
            continue;
        }
        if (p->fields[i].vals.n != n)
            IA_GO(ia_fail(cx, IA_ERR_CORRUPT,
                          "field %zu of a packed struct has %" PRIu64 " of %" PRIu64 " values", i,
                          p->fields[i].vals.n, n));
        IA_GO(ia_vals_finish(cx, &p->fields[i].vals, &all, t, &kids[i]));
    }
    IA_GO(ia_valid_finish(cx, valid, &bits));
    st = ia_array_make(cx, st_type, (int64_t)n, nulls, bits, NULL, NULL, kids, p->n, out);
    bits = NULL;
    ia_free(kids);
    kids = NULL;
done:
    for (size_t i = 0; kids && i < p->n; i++)
        ia_array_release(kids[i]);
    ia_free(kids);
    ia_buffer_release(bits);
    return st;
}
