/* write_zip.c - full-zip and all-null pages (file format 7.2, 7.6). */
#include "file/write_priv.h"

void ia_wpage_dispose(ia_wpage *p)
{
    for (size_t i = 0; i < 4; i++)
        ia_buf_dispose(&p->bufs[i]);
    ia_buf_dispose(&p->layout);
}

void ia_put_flat(ia_ctx *cx, ia_buf *b, uint32_t member, uint32_t bits)
{
    size_t ce = ia_wire_begin(cx, b, member), flat = ia_wire_begin(cx, b, IA_ENC_FLAT);

    ia_wire_put_u64(cx, b, 1, bits);
    ia_wire_end(cx, b, flat);
    ia_wire_end(cx, b, ce);
}

bool ia_vals_has_inner_nulls(const ia_vals *v, size_t level)
{
    return v->inner[level].zeros != 0;
}

static void put_fsl(ia_ctx *cx, ia_buf *b, uint32_t member, const ia_vals *v, size_t level)
{
    size_t ce, fsl;

    if (level == v->phys.n_dims) {
        ia_put_flat(cx, b, member, v->phys.bits);
        return;
    }
    ce = ia_wire_begin(cx, b, member);
    fsl = ia_wire_begin(cx, b, IA_ENC_FSL);
    ia_wire_put_u64(cx, b, 1, v->phys.dims[level]);
    put_fsl(cx, b, 2, v, level + 1);
    ia_wire_put_bool(cx, b, 3, ia_vals_has_inner_nulls(v, level));
    ia_wire_end(cx, b, fsl);
    ia_wire_end(cx, b, ce);
}

void ia_put_value_enc(ia_ctx *cx, ia_buf *b, uint32_t member, const ia_vals *v)
{
    size_t ce, var;

    if (v->phys.kind != IA_PHYS_VAR) {
        put_fsl(cx, b, member, v, 0);
        return;
    }
    ce = ia_wire_begin(cx, b, member);
    var = ia_wire_begin(cx, b, IA_ENC_VARIABLE);
    ia_put_flat(cx, b, 1, v->phys.bits);
    ia_wire_end(cx, b, var);
    ia_wire_end(cx, b, ce);
}

void ia_put_layers(ia_ctx *cx, ia_buf *b, uint32_t member, const ia_wlevels *lv)
{
    ia_wire_add_bytes(cx, b, member, lv->layers, lv->n_layers);
}

static unsigned bit_length(uint32_t v)
{
    return v ? 32u - (unsigned)__builtin_clz(v) : 0;
}

/* ---- full-zip ------------------------------------------------------------------------------- */

typedef struct zip {
    ia_ctx *cx;
    const ia_wleaf *l;
    const ia_wlevels *lv;
    unsigned bits_rep, bits_def;
    size_t cw;
    uint64_t *starts; /* rows + 1 */
    ia_buf *out;
} zip;

static void put_value(zip *z, uint64_t i, bool valid)
{
    const ia_vals *v = &z->l->vals;
    uint64_t from, items = 1;

    if (v->phys.kind == IA_PHYS_VAR) {
        uint8_t head[8];
        uint64_t len;

        if (!valid)
            return;
        from = ia_vals_offset(v, i);
        len = ia_vals_offset(v, i + 1) - from;
        ia_put_le64(head, len);
        ia_buf_put(z->cx, z->out, head, v->phys.bits / 8);
        if (len)
            ia_buf_put(z->cx, z->out, v->data.data + from, (size_t)len);
        return;
    }
    for (size_t k = 0; k < v->phys.n_dims; k++) {
        uint8_t *p;

        items *= v->phys.dims[k];
        if (!ia_vals_has_inner_nulls(v, k))
            continue;
        p = ia_buf_extend(z->cx, z->out, (size_t)((items + 7) / 8));
        if (!p)
            return;
        memset(p, 0, (size_t)((items + 7) / 8));
        ia_bits_copy(p, 0, v->inner[k].bits.data, (int64_t)(i * items), (int64_t)items);
    }
    if (v->phys.width) {
        ia_buf_put(z->cx, z->out, v->data.data + i * v->phys.width, v->phys.width);
    } else {
        size_t n = (size_t)((v->phys.value_bits + 7) / 8);
        uint8_t *p = ia_buf_extend(z->cx, z->out, n);

        if (!p)
            return;
        memset(p, 0, n);
        ia_bits_copy(p, 0, v->data.data, (int64_t)(i * v->phys.value_bits),
                     (int64_t)v->phys.value_bits);
    }
}

static ia_status put_entries(zip *z)
{
    uint64_t value = 0, row = 0;

    for (uint64_t i = 0; i < z->lv->n; i++) {
        uint32_t rep = z->lv->rep ? z->lv->rep[i] : 0, def = z->lv->def ? z->lv->def[i] : 0;
        uint8_t word[4];

        if (rep == z->lv->max_rep)
            z->starts[row++] = z->out->len;
        ia_put_le32(word, rep << z->bits_def | def);
        ia_buf_put(z->cx, z->out, word, z->cw);
        if (def <= z->lv->max_visible)
            put_value(z, value++, def == 0);
    }
    z->starts[row] = z->out->len;
    IA_ASSERT(row == z->l->rows && value == z->l->vals.n);
    return ia_buf_status(z->out);
}

/* The narrowest entry that holds the size of the data. */
static void put_index(zip *z, ia_buf *out)
{
    uint64_t size = z->out->len;
    size_t w = size <= 0xff ? 1 : size <= 0xffff ? 2 : size <= 0xffffffffu ? 4 : 8;

    for (uint64_t r = 0; r <= z->l->rows; r++) {
        uint8_t e[8];

        ia_put_le64(e, z->starts[r]);
        ia_buf_put(z->cx, out, e, w);
    }
}

static bool is_plain(const ia_wleaf *l, const ia_wlevels *lv)
{
    for (size_t k = 0; k < l->phys.n_dims; k++) {
        if (ia_vals_has_inner_nulls(&l->vals, k))
            return false;
    }
    return l->phys.width && !lv->rep && !lv->def;
}

static void describe_zip(zip *z, ia_buf *b)
{
    const ia_vals *v = &z->l->vals;
    size_t m = ia_wire_begin(z->cx, b, IA_LAYOUT_ZIP);
    uint64_t bytes = (v->phys.value_bits + 7) / 8, items = 1;

    for (size_t k = 0; k < v->phys.n_dims; k++) {
        items *= v->phys.dims[k];
        if (ia_vals_has_inner_nulls(v, k))
            bytes += (items + 7) / 8;
    }
    ia_wire_put_u64(z->cx, b, 1, z->bits_rep);
    ia_wire_put_u64(z->cx, b, 2, z->bits_def);
    if (v->phys.kind == IA_PHYS_VAR)
        ia_wire_add_varint(z->cx, b, 4, v->phys.bits);
    else
        ia_wire_add_varint(z->cx, b, 3, bytes * 8);
    ia_wire_put_u64(z->cx, b, 5, z->lv->n);
    ia_wire_put_u64(z->cx, b, 6, v->n);
    ia_put_value_enc(z->cx, b, 7, v);
    ia_put_layers(z->cx, b, 8, z->lv);
    ia_wire_end(z->cx, b, m);
}

static void show(ia_wpage *out, size_t n)
{
    out->n = n;
    for (size_t i = 0; i < n; i++) {
        out->views[i].data = out->bufs[i].data ? (const char *)out->bufs[i].data : "";
        out->views[i].len = out->bufs[i].len;
    }
}

static uint32_t max_of(const uint16_t *v, uint64_t n)
{
    uint32_t m = 0;

    for (uint64_t i = 0; v && i < n; i++)
        m = v[i] > m ? v[i] : m;
    return m;
}

ia_status ia_write_zip(ia_ctx *cx, const ia_wleaf *l, const ia_wlevels *lv, ia_wpage *out)
{
    zip z = {.cx = cx, .l = l, .lv = lv, .out = &out->bufs[0]};
    bool index = l->phys.kind == IA_PHYS_VAR || lv->rep;
    unsigned bits;
    ia_status st;

    if (lv->n > UINT32_MAX || l->vals.n > UINT32_MAX)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "column '%s': a page of more than 2^32 entries",
                       l->top->name);
    z.bits_rep = bit_length(max_of(lv->rep, lv->n));
    z.bits_def = bit_length(max_of(lv->def, lv->n));
    bits = z.bits_rep + z.bits_def;
    z.cw = bits == 0 ? 0 : bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
    describe_zip(&z, &out->layout);
    if (is_plain(l, lv)) {
        out->n = 1;
        out->views[0].data = (const char *)l->vals.data.data;
        out->views[0].len = l->vals.data.len;
        return ia_buf_status(&out->layout);
    }
    IA_GO(IA_NEW_ARRAY(cx, z.starts, l->rows + 1));
    IA_GO(put_entries(&z));
    if (index)
        put_index(&z, &out->bufs[1]);
    IA_GO(ia_buf_status(&out->bufs[1]));
    show(out, index ? 2 : 1);
    st = ia_buf_status(&out->layout);
done:
    ia_free(z.starts);
    return st;
}

/* ---- all null ------------------------------------------------------------------------------- */

ia_status ia_write_constant(ia_ctx *cx, const ia_wleaf *l, const ia_wlevels *lv, ia_wpage *out)
{
    size_t m = ia_wire_begin(cx, &out->layout, IA_LAYOUT_CONSTANT);

    (void)l;
    ia_put_layers(cx, &out->layout, 5, lv);
    ia_wire_end(cx, &out->layout, m);
    if (lv->n_layers > 1) {
        if (lv->rep)
            ia_buf_put(cx, &out->bufs[0], lv->rep, (size_t)lv->n * 2);
        if (lv->def)
            ia_buf_put(cx, &out->bufs[1], lv->def, (size_t)lv->n * 2);
        show(out, 2);
    }
    IA_TRY(ia_buf_status(&out->bufs[0]));
    IA_TRY(ia_buf_status(&out->bufs[1]));
    return ia_buf_status(&out->layout);
}
