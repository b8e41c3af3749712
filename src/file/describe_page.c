/* describe_page.c - page layouts and encoding trees in compact notation. */
#include <inttypes.h>
#include <stdio.h>

#include "file/describe.h"
#include "file/layout.h"
#include "file/layout_v20.h"

static void put_enc(ia_ctx *cx, ia_buf *b, const ia_enc *e);

static const char *scheme_name(uint32_t scheme)
{
    return scheme == IA_SCHEME_LZ4 ? "lz4" : scheme == IA_SCHEME_ZSTD ? "zstd" : "none";
}

/* name(child,child2) */
static void put_call(ia_ctx *cx, ia_buf *b, const char *name, const ia_enc *e)
{
    ia_buf_puts(cx, b, name);
    if (!e->child)
        return;
    ia_buf_putc(cx, b, '(');
    put_enc(cx, b, e->child);
    if (e->child2) {
        ia_buf_putc(cx, b, ',');
        put_enc(cx, b, e->child2);
    }
    ia_buf_putc(cx, b, ')');
}

static void put_packed(ia_ctx *cx, ia_buf *b, const ia_enc *e)
{
    const bool fixed = e->kind == IA_ENC_PACKED_STRUCT;

    ia_buf_puts(cx, b, fixed ? "packed(" : "varpacked(");
    for (size_t i = 0; i < e->n_parts; i++) {
        if (i)
            ia_buf_putc(cx, b, ',');
        if (fixed)
            ia_buf_printf(cx, b, "%" PRIu64, e->parts[i].bits);
        else
            put_enc(cx, b, e->parts[i].value);
    }
    if (fixed) {
        ia_buf_putc(cx, b, ';');
        put_enc(cx, b, e->child);
    }
    ia_buf_putc(cx, b, ')');
}

static void put_enc(ia_ctx *cx, ia_buf *b, const ia_enc *e)
{
    char name[32];

    if (!e) {
        ia_buf_putc(cx, b, '-');
        return;
    }
    switch (e->kind) {
    case IA_ENC_FLAT:
        ia_buf_printf(cx, b, "flat%" PRIu32, e->bits);
        return;
    case IA_ENC_INLINE_BITPACK:
        ia_buf_printf(cx, b, "inlinebp%" PRIu32, e->bits);
        return;
    case IA_ENC_OOL_BITPACK:
        snprintf(name, sizeof name, "oolbp%" PRIu32, e->bits);
        break;
    case IA_ENC_GENERAL:
        snprintf(name, sizeof name, "%s", scheme_name(e->scheme));
        break;
    case IA_ENC_FSL:
        snprintf(name, sizeof name, "fsl%" PRIu32 "%s", e->items, e->has_validity ? "v" : "");
        break;
    case IA_ENC_RANGE:
        snprintf(name, sizeof name, "range%" PRIu32, e->bits);
        break;
    case IA_ENC_DELTA:
        snprintf(name, sizeof name, "delta%" PRIu32, e->bits);
        break;
    case IA_ENC_PACKED_STRUCT:
    case IA_ENC_VAR_PACKED_STRUCT:
        put_packed(cx, b, e);
        return;
    case IA_ENC_VARIABLE:
    case IA_ENC_CONSTANT:
    case IA_ENC_FSST:
    case IA_ENC_DICTIONARY:
    case IA_ENC_RLE:
    case IA_ENC_BSS:
        snprintf(name, sizeof name, "%s",
                 e->kind == IA_ENC_VARIABLE     ? "variable"
                 : e->kind == IA_ENC_CONSTANT   ? "constant"
                 : e->kind == IA_ENC_FSST       ? "fsst"
                 : e->kind == IA_ENC_DICTIONARY ? "dictionary"
                 : e->kind == IA_ENC_RLE        ? "rle"
                                                : "bss");
        break;
    }
    put_call(cx, b, name, e);
}

static void put_aenc(ia_ctx *cx, ia_buf *b, const ia_aenc *e)
{
    static const char *const nulls[] = {"", "nn", "sn", "an"};

    if (!e) {
        ia_buf_putc(cx, b, '-');
        return;
    }
    if (e->kind == IA_AENC_FLAT)
        ia_buf_printf(cx, b, "flat%" PRIu64 "%s%s", e->bits, e->scheme ? ":" : "",
                      e->scheme ? scheme_name(e->scheme) : "");
    else if (e->kind == IA_AENC_NULLABLE)
        ia_buf_puts(cx, b, nulls[e->nulls]);
    else if (e->kind == IA_AENC_FSL)
        ia_buf_printf(cx, b, "fsl%" PRIu32, e->dimension);
    else if (e->kind == IA_AENC_FIXED_BINARY)
        ia_buf_printf(cx, b, "fixed_binary%" PRIu32, e->dimension);
    else if (e->kind == IA_AENC_PACKED_STRUCT)
        ia_buf_printf(cx, b, "packed%" PRIu64, e->bits);
    else if (e->packed_bits)
        ia_buf_printf(cx, b, "%s%" PRIu32 "/%" PRIu64,
                      e->kind == IA_AENC_BITPACKED ? "bitpacked" : "bitpacked_non_neg",
                      e->packed_bits, e->bits);
    else
        ia_buf_puts(cx, b, ia_aenc_name(e->kind));
    if (!e->child)
        return;
    ia_buf_putc(cx, b, '(');
    if (e->kind == IA_AENC_NULLABLE && e->extra) {
        put_aenc(cx, b, e->extra);
        ia_buf_putc(cx, b, ',');
    }
    put_aenc(cx, b, e->child);
    if (e->kind != IA_AENC_NULLABLE && e->extra) {
        ia_buf_putc(cx, b, ',');
        put_aenc(cx, b, e->extra);
    }
    ia_buf_putc(cx, b, ')');
}

/* ---- layouts -------------------------------------------------------------------------------- */

static ia_status keep(ia_ctx *cx, ia_arena *a, ia_buf *b, const char **out)
{
    IA_TRY(ia_buf_status(b));
    IA_TRY(IA_SET(cx, *out, ia_arena_strndup(cx, a, b->len ? (const char *)b->data : "", b->len)));
    ia_buf_clear(b);
    return IA_OK;
}

static ia_status keep_enc(ia_ctx *cx, ia_arena *a, ia_buf *b, const ia_enc *e, const char **out)
{
    if (!e)
        return IA_OK;
    put_enc(cx, b, e);
    return keep(cx, a, b, out);
}

static void put_layers(ia_ctx *cx, ia_buf *b, const ia_layout *l)
{
    static const char *const names[] = {"", "I", "L", "I?", "L?", "L0", "L?0"};

    for (size_t i = 0; i < l->n_layers; i++)
        ia_buf_printf(cx, b, "%s%s", i ? "," : "", l->layers[i] <= 6 ? names[l->layers[i]] : "?");
}

/* Format 2.3 codes every set as an encoding, format 2.2 names its kind. */
static void put_positions(ia_ctx *cx, ia_buf *b, const ia_pos_set *s, bool planar)
{
    static const char *const kinds[] = {"none", "explicit:", "range", "all", "empty"},
                             *const planars[] = {"none", "", "range64", "all", "none"};

    ia_buf_puts(cx, b, (planar ? planars : kinds)[s->kind <= IA_POS_EMPTY ? s->kind : 0]);
    if (s->kind == IA_POS_EXPLICIT)
        put_enc(cx, b, s->positions);
}

static void put_counts(ia_ctx *cx, ia_buf *b, const ia_sparse_layer *s, bool planar)
{
    if (s->counts_kind == IA_COUNTS_EXPLICIT) {
        ia_buf_puts(cx, b, planar ? "" : "explicit:");
        put_enc(cx, b, s->counts);
    } else {
        ia_buf_puts(cx, b, planar || s->counts_kind == IA_COUNTS_CONSTANT ? "constant" : "empty");
    }
}

/* The structure of a sparse page, outermost first. */
static void put_sparse(ia_ctx *cx, ia_buf *b, const ia_layout *l)
{
    for (size_t i = 0; i < l->n_sparse; i++) {
        const ia_sparse_layer *s = &l->sparse[i];
        const ia_pos_set none = {0};

        if (i)
            ia_buf_putc(cx, b, ' ');
        if (s->kind == IA_SPARSE_LIST) {
            ia_buf_puts(cx, b, "list(");
            put_positions(cx, b, &s->non_empty, l->planar);
            ia_buf_putc(cx, b, ';');
            put_counts(cx, b, s, l->planar);
            ia_buf_putc(cx, b, ';');
        } else if (s->kind == IA_SPARSE_FSL) {
            ia_buf_printf(cx, b, "fsl%" PRIu64 "(", s->dimension);
        } else {
            ia_buf_puts(cx, b, "validity(");
        }
        put_positions(cx, b, s->has_validity ? &s->validity : &none, l->planar);
        ia_buf_putc(cx, b, ')');
    }
}

/* Format 2.3: structure and values apart. */
static void put_planar(ia_ctx *cx, ia_buf *b, const ia_layout *l, const ia_pagedesc *d)
{
    const bool sparse = l->kind == IA_LAYOUT_SPARSE;
    const ia_layout_kind plane = sparse ? l->plane : l->kind;

    if (sparse)
        ia_buf_printf(cx, b, "sparse %s", d->layers);
    else
        ia_buf_printf(cx, b, "dense[%s]", d->layers);
    if (plane == IA_LAYOUT_MINI || plane == IA_LAYOUT_ZIP)
        ia_buf_printf(cx, b, " %s %s", plane == IA_LAYOUT_ZIP ? "zip" : "mini",
                      d->values ? d->values : "-");
    else
        ia_buf_puts(cx, b, plane == IA_LAYOUT_CONSTANT ? " constant" : " none");
    if (plane == IA_LAYOUT_ZIP)
        ia_buf_printf(cx, b, " %s%" PRIu32, l->bits_per_value ? "value" : "offset",
                      l->bits_per_value ? l->bits_per_value : l->bits_per_offset);
}

/* One line, in the notation of the independent dump of the tests. */
static void put_line(ia_ctx *cx, ia_buf *b, const ia_layout *l, const ia_pagedesc *d)
{
    const char *kind = l->has_inline                            ? "inline"
                       : d->n_buffers == 1 || d->n_buffers == 3 ? "value"
                                                                : "null";

    if (l->planar)
        put_planar(cx, b, l, d);
    else if (l->kind == IA_LAYOUT_SPARSE)
        ia_buf_printf(cx, b, "sparse %s %s", d->values ? d->values : "-", d->layers);
    else
        ia_buf_printf(cx, b, "%s[%s] %s", d->layout, d->layers,
                      l->kind == IA_LAYOUT_CONSTANT ? kind
                      : d->values                   ? d->values
                                                    : "-");
    if (l->kind == IA_LAYOUT_ZIP && !l->planar)
        ia_buf_printf(cx, b, " %s%" PRIu32 " rep%" PRIu32 " def%" PRIu32,
                      l->bits_per_value ? "value" : "offset",
                      l->bits_per_value ? l->bits_per_value : l->bits_per_offset, l->bits_rep,
                      l->bits_def);
    if (d->dict)
        ia_buf_printf(cx, b, " dict=%s", d->dict);
    if (d->rep)
        ia_buf_printf(cx, b, " rep=%s", d->rep);
    if (d->def)
        ia_buf_printf(cx, b, " def=%s", d->def);
    if (l->planar)
        return;
    if (l->kind == IA_LAYOUT_MINI && l->large_chunk)
        ia_buf_puts(cx, b, " large");
    if (l->kind == IA_LAYOUT_CONSTANT && d->n_buffers >= 2)
        ia_buf_puts(cx, b, " levels");
}

static ia_status fill(ia_ctx *cx, ia_arena *a, ia_buf *b, const ia_layout *l, ia_pagedesc *d)
{
    static const char *const names[] = {"", "mini", "constant", "zip", "blob", "sparse"};
    ia_pagedesc inner;

    d->layout = names[l->kind];
    if (l->kind == IA_LAYOUT_SPARSE)
        put_sparse(cx, b, l);
    else
        put_layers(cx, b, l);
    IA_TRY(keep(cx, a, b, &d->layers));
    d->items = l->num_items;
    if (l->inner) {
        inner = *d;
        IA_TRY(fill(cx, a, b, l->inner, &inner));
        d->values = inner.text;
        d->items = inner.items;
        d->chunks = inner.chunks;
    } else {
        IA_TRY(keep_enc(cx, a, b, l->values, &d->values));
    }
    IA_TRY(keep_enc(cx, a, b, l->rep, &d->rep));
    IA_TRY(keep_enc(cx, a, b, l->def, &d->def));
    IA_TRY(keep_enc(cx, a, b, l->dict, &d->dict));
    d->dict_items = l->dict_items;
    if (l->kind == IA_LAYOUT_MINI && d->n_buffers)
        d->chunks = d->sizes[0] / (l->large_chunk ? 4 : 2);
    if (l->kind == IA_LAYOUT_SPARSE && d->n_buffers && (!l->planar || l->plane == IA_LAYOUT_MINI))
        d->chunks = d->sizes[0] / (!l->planar ? 8 : l->large_chunk ? 4 : 2);
    put_line(cx, b, l, d);
    return keep(cx, a, b, &d->text);
}

static ia_status fill_array(ia_ctx *cx, ia_arena *a, ia_buf *b, const ia_aenc *e, ia_pagedesc *d)
{
    d->layout = "array";
    put_aenc(cx, b, e);
    IA_TRY(keep(cx, a, b, &d->values));
    d->text = d->values;
    if (e->kind == IA_AENC_NULLABLE && e->child)
        e = e->child;
    if (e->kind == IA_AENC_LIST)
        d->items = e->n_items;
    if (e->kind == IA_AENC_DICTIONARY)
        d->dict_items = e->n_items;
    return IA_OK;
}

ia_status ia_pagedesc_layout(ia_ctx *cx, ia_arena *a, const uint8_t *p, size_t n, uint32_t minor,
                             ia_pagedesc *out)
{
    ia_buf b = {0};
    ia_layout l = {0};
    ia_aenc *e = NULL;
    size_t n_nodes = 0;
    ia_status st;

    if (minor == 0) {
        IA_GO(ia_aenc_decode(cx, a, p, n, out->n_buffers, &e, &n_nodes));
        IA_GO(fill_array(cx, a, &b, e, out));
    } else {
        IA_GO(ia_layout_decode(cx, a, p, n, &l));
        IA_GO(fill(cx, a, &b, &l, out));
    }
done:
    ia_buf_dispose(&b);
    return st;
}
