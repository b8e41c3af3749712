/* write_zip.c - full-zip pages (file format 3.5, 7.6), and messages that all layouts share. */
#include "file/write_enc.h"

void ia_wpage_dispose(ia_wpage *p)
{
    for (size_t i = 0; i < 4; i++)
        ia_buf_dispose(&p->bufs[i]);
    ia_buf_dispose(&p->layout);
}

void ia_wpage_show(ia_wpage *p, size_t n)
{
    p->n = n;
    for (size_t i = 0; i < n; i++) {
        p->views[i].data = p->bufs[i].data ? (const char *)p->bufs[i].data : "";
        p->views[i].len = p->bufs[i].len;
    }
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

enum { LONG_VALUE = 32768, TRIED = 1 << 20 };

typedef struct zip {
    ia_ctx *cx;
    const ia_wleaf *l;
    const ia_wlevels *lv;
    const ia_vals *v; /* values, or their codes */
    ia_wfsst fsst;
    uint32_t scheme; /* general compression of each value; 0 = none */
    int32_t level;
    ia_compressor comp;
    unsigned bits_rep, bits_def;
    size_t cw;
    uint64_t value_bytes; /* fixed: of a value with the validity of its items */
    uint64_t *starts;     /* rows + 1 */
    ia_buf *out;
} zip;

static void put_var(zip *z, uint64_t i)
{
    const ia_vals *v = z->v;
    uint64_t from = ia_vals_offset(v, i), len = ia_vals_offset(v, i + 1) - from;
    size_t word = v->phys.bits / 8, start = z->out->len;
    ia_view x = {(const char *)v->data.data + from, (size_t)len};
    bool pack = z->scheme && len;
    uint8_t *p = ia_buf_extend(z->cx, z->out, word + (pack ? 0 : (size_t)len));

    if (!p)
        return;
    if (pack) {
        ia_status st = ia_general_encode(z->cx, &z->comp, z->scheme, z->level, x, z->out);

        if (st != IA_OK && !z->out->failed)
            z->out->failed = st;
        if (st != IA_OK)
            return;
        p = z->out->data + start;
        len = z->out->len - start - word;
    } else if (len) {
        memcpy(p + word, x.data, x.len);
    }
    if (word == 4)
        ia_put_le32(p, (uint32_t)len);
    else
        ia_put_le64(p, len);
}

static void put_fixed(zip *z, uint64_t i)
{
    const ia_vals *v = z->v;
    uint64_t items = 1;
    uint8_t *p = ia_buf_extend(z->cx, z->out, (size_t)z->value_bytes);

    if (!p)
        return;
    for (size_t k = 0; k < v->phys.n_dims; k++) {
        items *= v->phys.dims[k];
        if (!ia_vals_has_inner_nulls(v, k))
            continue;
        memset(p, 0, (size_t)((items + 7) / 8));
        ia_bits_copy(p, 0, v->inner[k].bits.data, (int64_t)(i * items), (int64_t)items);
        p += (items + 7) / 8;
    }
    if (v->phys.width) {
        memcpy(p, ia_vals_base(v) + i * v->phys.width, v->phys.width);
    } else {
        memset(p, 0, (size_t)((v->phys.value_bits + 7) / 8));
        ia_bits_copy(p, 0, ia_vals_base(v), (int64_t)(i * v->phys.value_bits),
                     (int64_t)v->phys.value_bits);
    }
}

/* What the page counts as its length: below fixed-size lists of structs each entry is a row. */
static uint64_t page_rows(const zip *z)
{
    return z->l->rows * z->l->per_row;
}

static ia_status put_entries(zip *z)
{
    const ia_wlevels *lv = z->lv;
    bool var = z->v->phys.kind == IA_PHYS_VAR;
    uint64_t value = 0, row = 0;

    for (uint64_t i = 0; i < lv->n; i++) {
        uint32_t rep = lv->rep ? lv->rep[i] : 0, def = lv->def ? lv->def[i] : 0;
        uint8_t word[4];

        if (rep == lv->max_rep)
            z->starts[row++] = z->out->len;
        if (z->cw) {
            ia_put_le32(word, rep << z->bits_def | def);
            ia_buf_put(z->cx, z->out, word, z->cw);
        }
        if (def > lv->max_visible)
            continue;
        if (!var)
            put_fixed(z, value);
        else if (!def)
            put_var(z, value);
        value++;
    }
    z->starts[row] = z->out->len;
    IA_ASSERT(z->out->failed || (row == page_rows(z) && value == z->v->n));
    return ia_buf_status(z->out);
}

/* The narrowest entry that holds the size of the data. */
static void put_index(zip *z, ia_buf *out)
{
    uint64_t size = z->out->len;
    size_t w = size <= 0xff ? 1 : size <= 0xffff ? 2 : size <= 0xffffffffu ? 4 : 8;
    uint8_t *p = ia_buf_extend(z->cx, out, (size_t)(page_rows(z) + 1) * w);

    for (uint64_t r = 0; p && r <= page_rows(z); r++) {
        uint8_t e[8];

        ia_put_le64(e, z->starts[r]);
        memcpy(p + r * w, e, w);
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

/* ---- value encoding ------------------------------------------------------------------------- */

/* What compressing some of the values would leave of the page. */
static ia_status measure(zip *z, uint64_t *size)
{
    const ia_vals *v = z->v;
    ia_buf out = {0};
    uint64_t seen = 0, step = v->n / 64 + 1;
    ia_status st = IA_OK;

    for (uint64_t i = 0; i < v->n && seen < TRIED; i += step) {
        uint64_t from = ia_vals_offset(v, i), len = ia_vals_offset(v, i + 1) - from;

        if (!len)
            continue;
        IA_GO(ia_general_encode(z->cx, &z->comp, z->scheme, z->level,
                                (ia_view){(const char *)v->data.data + from, (size_t)len}, &out));
        seen += len;
    }
    *size = seen ? (uint64_t)((double)out.len / (double)seen * (double)v->data.len) : v->data.len;
done:
    ia_buf_dispose(&out);
    return st;
}

/* Nulls or empty values: the engine's reader gives them to LZ4 too, which refuses them. */
static bool has_nothing(const zip *z)
{
    const ia_vals *v = z->v;

    if (z->lv->def)
        return true;
    for (uint64_t i = 0; i < v->n; i++) {
        if (ia_vals_offset(v, i) == ia_vals_offset(v, i + 1))
            return true;
    }
    return false;
}

/* Compression as asked; by itself ZSTD for pages with very long values, and FSST, where they pay.
 */
static ia_status pick_encoding(zip *z)
{
    const ia_wleaf *l = z->l;
    const ia_hints *h = &l->hints;
    uint64_t size;

    if (l->phys.kind != IA_PHYS_VAR || !l->vals.data.len || ia_wleaf_is_packed(l))
        return IA_OK;
    if (h->compression == IA_HINT_LZ4 || h->compression == IA_HINT_ZSTD)
        z->scheme = h->compression == IA_HINT_LZ4 ? IA_SCHEME_LZ4 : IA_SCHEME_ZSTD;
    else if (h->compression == IA_HINT_COMPRESSION_AUTO && l->longest > LONG_VALUE &&
             h->encoding == IA_HINT_ENCODING_AUTO)
        z->scheme = IA_SCHEME_ZSTD;
    z->level = h->level;
    if (z->scheme == IA_SCHEME_LZ4 && has_nothing(z)) {
        z->scheme = IA_SCHEME_ZSTD;
        z->level = 0;
    }
    IA_TRY(ia_wfsst_train(z->cx, l, &z->fsst));
    if (z->scheme) {
        IA_TRY(measure(z, &size));
        if (size + l->vals.offs.len > z->fsst.size || size > l->vals.data.len / 100 * 98)
            z->scheme = 0;
    }
    if (z->scheme || !z->fsst.coder)
        return IA_OK;
    IA_TRY(ia_wfsst_encode(z->cx, l, &z->fsst));
    z->v = &z->fsst.codes;
    return IA_OK;
}

static void describe_parts(zip *z, ia_buf *b, uint32_t member)
{
    ia_ctx *cx = z->cx;
    size_t ce = ia_wire_begin(cx, b, member), in = ia_wire_begin(cx, b, IA_ENC_VAR_PACKED_STRUCT);

    for (size_t i = 0; i < z->l->n_parts; i++) {
        const ia_wpart *part = &z->l->parts[i];
        size_t f = ia_wire_begin(cx, b, 1);

        if (part->len_bits) {
            ia_put_variable(cx, b, 1, part->len_bits, NULL);
            ia_wire_add_varint(cx, b, 3, part->len_bits);
        } else {
            ia_put_value_enc(cx, b, 1, &(ia_vals){.phys = part->phys});
            ia_wire_add_varint(cx, b, 2, part->bits);
        }
        ia_wire_end(cx, b, f);
    }
    ia_wire_end(cx, b, in);
    ia_wire_end(cx, b, ce);
}

static void describe_values(zip *z, ia_buf *b, uint32_t member)
{
    size_t marks[2];

    if (z->v->phys.kind != IA_PHYS_VAR) {
        ia_put_value_enc(z->cx, b, member, z->v);
    } else if (ia_wleaf_is_packed(z->l)) {
        describe_parts(z, b, member);
    } else if (z->scheme) {
        ia_begin_general(z->cx, b, member, z->scheme, marks);
        ia_put_variable(z->cx, b, 3, z->v->phys.bits, NULL);
        ia_wire_end(z->cx, b, marks[1]);
        ia_wire_end(z->cx, b, marks[0]);
    } else {
        ia_put_variable(z->cx, b, member, z->v->phys.bits,
                        z->v == &z->fsst.codes ? z->fsst.table : NULL);
    }
}

static void describe_zip(zip *z, ia_buf *b)
{
    size_t m = ia_wire_begin(z->cx, b, IA_LAYOUT_ZIP);

    ia_wire_put_u64(z->cx, b, 1, z->bits_rep);
    ia_wire_put_u64(z->cx, b, 2, z->bits_def);
    if (z->v->phys.kind == IA_PHYS_VAR)
        ia_wire_add_varint(z->cx, b, 4, z->v->phys.bits);
    else
        ia_wire_add_varint(z->cx, b, 3, z->value_bytes * 8);
    ia_wire_put_u64(z->cx, b, 5, z->lv->n);
    ia_wire_put_u64(z->cx, b, 6, z->v->n);
    describe_values(z, b, 7);
    ia_put_layers(z->cx, b, 8, z->lv);
    ia_wire_end(z->cx, b, m);
}

/* ---- page ----------------------------------------------------------------------------------- */

static uint32_t max_of(const uint16_t *v, uint64_t n)
{
    uint32_t m = 0;

    for (uint64_t i = 0; v && i < n; i++)
        m = v[i] > m ? v[i] : m;
    return m;
}

static void set_sizes(zip *z)
{
    const ia_phys *p = &z->l->phys;
    uint64_t items = 1;
    unsigned bits;

    z->bits_rep = bit_length(max_of(z->lv->rep, z->lv->n));
    z->bits_def = bit_length(max_of(z->lv->def, z->lv->n));
    bits = z->bits_rep + z->bits_def;
    z->cw = bits == 0 ? 0 : bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
    z->value_bytes = (p->value_bits + 7) / 8;
    for (size_t k = 0; k < p->n_dims; k++) {
        items *= p->dims[k];
        if (ia_vals_has_inner_nulls(&z->l->vals, k))
            z->value_bytes += (items + 7) / 8;
    }
}

/* Room for everything at once. */
static ia_status reserve(zip *z)
{
    bool var = z->v->phys.kind == IA_PHYS_VAR;
    uint64_t size =
        z->lv->n * z->cw + (var ? z->v->data.len + z->v->offs.len : z->v->n * z->value_bytes);

    if (z->scheme || size > SIZE_MAX / 2)
        return IA_OK;
    if (!ia_buf_extend(z->cx, z->out, (size_t)size))
        return ia_buf_status(z->out);
    ia_buf_clear(z->out);
    return IA_OK;
}

static ia_status make_page(zip *z, ia_wpage *out)
{
    bool index = z->l->phys.kind == IA_PHYS_VAR || z->lv->rep;

    set_sizes(z);
    IA_TRY(pick_encoding(z));
    describe_zip(z, &out->layout);
    IA_TRY(ia_buf_status(&out->layout));
    if (is_plain(z->l, z->lv)) {
        out->n = 1;
        out->views[0].data = (const char *)ia_vals_base(&z->l->vals);
        out->views[0].len = (size_t)(z->l->vals.n * z->l->phys.width);
        return IA_OK;
    }
    IA_TRY(reserve(z));
    IA_TRY(IA_NEW_ARRAY(z->cx, z->starts, page_rows(z) + 1));
    IA_TRY(put_entries(z));
    if (index)
        put_index(z, &out->bufs[1]);
    ia_wpage_show(out, index ? 2 : 1);
    return ia_buf_status(&out->bufs[1]);
}

ia_status ia_write_zip(ia_ctx *cx, const ia_wleaf *l, const ia_wlevels *lv, ia_wpage *out)
{
    zip *z = NULL;
    ia_status st;

    if (lv->n > UINT32_MAX || l->vals.n > UINT32_MAX)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "column '%s': a page of more than 2^32 entries",
                       l->top->name);
    IA_GO(IA_NEW(cx, z));
    z->cx = cx;
    z->l = l;
    z->lv = lv;
    z->v = &l->vals;
    z->out = &out->bufs[0];
    st = make_page(z, out);
done:
    if (z) {
        ia_free(z->starts);
        ia_compressor_dispose(&z->comp);
        ia_wfsst_dispose(&z->fsst);
    }
    ia_free(z);
    return st;
}
