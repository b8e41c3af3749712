/* leaf_blob.c - pages of blob columns: descriptors, and the payloads that they name. */
#include <inttypes.h>

#include "file/leaf_priv.h"

enum { DESCRIPTOR = 16, GAP = 64 << 10, RANGE = 8 << 20 };

/* The descriptors are values of a page inside the page: a leaf without structure of its own. */
struct ia_blob_page {
    ia_leaf leaf;
    ia_leafacc acc;
    ia_buf payload;
};

ia_status ia_leaf_blob_open(ia_ctx *cx, ia_leaf *l)
{
    ia_leaf *in;

    if (l->kind != IA_LEAF_PACKED && l->phys.kind != IA_PHYS_VAR)
        return ia_fail(cx, IA_ERR_CORRUPT, "blobs in a column of fixed-width values");
    if (l->kind == IA_LEAF_PACKED && ia_packed_width(l->leaf_type) != DESCRIPTOR)
        return ia_fail(cx, IA_ERR_CORRUPT, "blob descriptors do not fit the type");
    if (l->lay.max_rep)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "blobs in lists: the page does not keep where lists begin");
    if (!l->lay.inner)
        return ia_fail(cx, IA_ERR_CORRUPT, "blob page without descriptors");
    IA_TRY(IA_NEW(cx, l->blob));
    in = &l->blob->leaf;
    in->f = l->f;
    in->column = l->column;
    in->cls = l->cls;
    in->n_layers = 1;
    in->mult[0] = in->row_entries = 1;
    in->cur_row = UINT64_MAX;
    in->col = l->col;
    in->page = l->page;
    in->lay = *l->lay.inner;
    ia_leaf_row_phys(in, DESCRIPTOR);
    ia_vals_init(&in->vals, &in->phys);
    ia_vals_init(&in->dict, &in->phys);
    while (in->lay.values && (in->lay.values->kind == IA_ENC_GENERAL ||
                              in->lay.values->kind == IA_ENC_PACKED_STRUCT)) {
        if (!in->lay.values->child)
            return ia_fail(cx, IA_ERR_CORRUPT, "blob page without descriptors");
        if (in->lay.values->kind == IA_ENC_GENERAL)
            break;
        in->lay.values = in->lay.values->child;
    }
    if (in->lay.kind == IA_LAYOUT_BLOB)
        return ia_fail(cx, IA_ERR_CORRUPT, "a blob page inside of a blob page");
    IA_TRY(ia_leafacc_init(cx, &l->blob->acc, in));
    return ia_leaf_open_layout(cx, in);
}

void ia_leaf_blob_close(ia_leaf *l)
{
    if (!l->blob)
        return;
    l->blob->leaf.col = NULL; /* is l's */
    ia_leafacc_dispose(&l->blob->acc);
    ia_leaf_dispose(&l->blob->leaf);
    ia_buf_dispose(&l->blob->payload);
    ia_free(l->blob);
    l->blob = NULL;
}

/* ---- payloads ------------------------------------------------------------------------------- */

static ia_status check_payloads(ia_ctx *cx, const ia_leaf *l, const uint8_t *d, uint64_t n)
{
    uint64_t total = 0;

    for (uint64_t i = 0; i < n; i++) {
        uint64_t pos = ia_le64(d + DESCRIPTOR * i), size = ia_le64(d + DESCRIPTOR * i + 8);

        if (!size)
            continue;
        if (pos > l->f->size || size > l->f->size - pos)
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "blob of %" PRIu64 " bytes at byte %" PRIu64 " leaves the file", size,
                           pos);
        total += size; /* cannot overflow: each is below the file's size, and so is the sum */
        if (total > l->f->size)
            return ia_fail(cx, IA_ERR_CORRUPT, "blobs at byte %" PRIu64 " overlap", pos);
    }
    return IA_OK;
}

/* Blobs from i on that one read may fetch; *end = where it ends. */
static uint64_t run_of(const uint8_t *d, uint64_t i, uint64_t n, uint64_t *end)
{
    uint64_t start = ia_le64(d + DESCRIPTOR * i), k = i + 1;

    *end = start + ia_le64(d + DESCRIPTOR * i + 8);
    for (; k < n; k++) {
        uint64_t pos = ia_le64(d + DESCRIPTOR * k), size = ia_le64(d + DESCRIPTOR * k + 8);

        if (!size)
            continue;
        if (pos < *end || pos - *end > GAP || pos + size - start > RANGE)
            break;
        *end = pos + size;
    }
    return k;
}

static ia_status put_run(ia_ctx *cx, const uint8_t *d, uint64_t n, const uint8_t *bytes,
                         uint64_t start, ia_vals *out)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t pos = ia_le64(d + DESCRIPTOR * i), size = ia_le64(d + DESCRIPTOR * i + 8);

        IA_TRY(ia_vals_put_var(cx, out, size ? bytes + (pos - start) : bytes, (size_t)size));
    }
    return IA_OK;
}

static ia_status fetch_run(ia_ctx *cx, ia_leaf *l, const uint8_t *d, uint64_t n, uint64_t end,
                           ia_buf *scratch, ia_vals *out)
{
    uint64_t start = ia_le64(d);
    const uint8_t *bytes = ia_file_tail(l->f, start, end - start);
    uint8_t *room;

    if (!bytes) {
        ia_buf_clear(scratch);
        room = ia_buf_extend(cx, scratch, (size_t)(end - start));
        if (!room)
            return ia_buf_status(scratch);
        IA_TRY(ia_objfile_read(cx, l->f->io, start, (size_t)(end - start), room, l->cls));
        bytes = room;
    }
    return put_run(cx, d, n, bytes, start, out);
}

ia_status ia_blob_fetch(ia_ctx *cx, ia_leaf *l, const uint8_t *descriptors, uint64_t n,
                        ia_vals *out)
{
    ia_buf own = {0};
    ia_buf *scratch = l->blob ? &l->blob->payload : &own;
    ia_status st;

    IA_GO(check_payloads(cx, l, descriptors, n));
    for (uint64_t i = 0; i < n;) {
        const uint8_t *d = descriptors + DESCRIPTOR * i;
        uint64_t end, k;

        if (!ia_le64(d + 8)) {
            ia_vals_zeros(cx, out, 1);
            i++;
            continue;
        }
        k = run_of(descriptors, i, n, &end);
        IA_GO(fetch_run(cx, l, d, k - i, end, scratch, out));
        i = k;
    }
    st = ia_vals_status(cx, out);
done:
    ia_buf_dispose(&own);
    return st;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* An entry without payload keeps its levels in the position: (definition << 16) | repetition. */
static ia_status levels_of(ia_ctx *cx, ia_leaf *l, uint8_t *d, uint64_t n)
{
    IA_TRY(ia_leaf_level_room(cx, &l->def, &l->def_cap, (size_t)n));
    for (uint64_t i = 0; i < n; i++) {
        uint64_t pos = ia_le64(d + DESCRIPTOR * i), size = ia_le64(d + DESCRIPTOR * i + 8);

        l->def[i] = 0;
        if (size || !pos)
            continue;
        if (pos >> 16 > l->lay.max_def || (pos & 0xffff))
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "blob descriptor (%" PRIu64 ", 0) with %" PRIu32 " definition levels",
                           pos, l->lay.max_def);
        l->def[i] = (uint16_t)(pos >> 16);
        memset(d + DESCRIPTOR * i, 0, 8);
    }
    return IA_OK;
}

ia_status ia_leaf_blob_read(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b, ia_leafacc *acc)
{
    ia_leafacc *in = &l->blob->acc;
    ia_vals *v = &in->vals;
    uint8_t *d;

    l->blob->leaf.scan_end = 0;
    ia_vals_clear(v);
    ia_valid_clear(&in->layers[0].valid);
    IA_TRY(ia_leaf_read_layout(cx, &l->blob->leaf, a, b, in));
    IA_TRY(ia_vals_status(cx, v));
    if (v->n != b - a)
        return ia_fail(cx, IA_ERR_CORRUPT, "%" PRIu64 " blob descriptors for %" PRIu64 " rows",
                       v->n, b - a);
    d = v->data.data; /* no slice: this is no scan */
    IA_TRY(levels_of(cx, l, d, v->n));
    IA_TRY(ia_leaf_levels(cx, l, acc, NULL, l->def, (size_t)v->n));
    if (l->kind == IA_LEAF_PACKED)
        return ia_packed_put_fixed(cx, &acc->packed, d, v->n);
    return ia_blob_fetch(cx, l, d, v->n, &acc->vals);
}
