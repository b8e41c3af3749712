/* write_blob.c - blob columns: payloads among the data, pages of descriptors (file format 3.7). */
#include "file/write_queue.h"

enum { DESCRIPTOR = 16 };

/* Pages in work are written first, so that the file does not depend on the threads. */
static ia_status put_payload(ia_ctx *cx, ia_wleaf *l, ia_wqueue *q, ia_view v, uint64_t *pos)
{
    IA_TRY(ia_wqueue_drain(cx, q));
    IA_TRY(ia_fout_align(cx, &q->out, l->cls));
    *pos = q->out.pos;
    return ia_fout_write(cx, &q->out, v.data, v.len, l->cls);
}

ia_status ia_wblob_put(ia_ctx *cx, ia_wleaf *l, ia_wqueue *q, const ia_array *a, uint64_t slot,
                       uint64_t n, const uint8_t *ev)
{
    for (uint64_t i = 0; i < n; i++) {
        uint8_t d[DESCRIPTOR] = {0};
        uint64_t pos = 0;
        uint8_t *p;

        if (!ev || !ev[i]) {
            ia_view v = ia_array_str(a, (int64_t)(slot + i));

            if (v.len)
                IA_TRY(put_payload(cx, l, q, v, &pos));
            ia_put_le64(d, pos);
            ia_put_le64(d + 8, v.len);
        }
        p = ia_vals_extend(cx, &l->vals, 1);
        if (!p)
            return ia_vals_status(cx, &l->vals);
        memcpy(p, d, sizeof d);
    }
    return IA_OK;
}

ia_status ia_wblob_page(ia_ctx *cx, ia_wleaf *l, const ia_wlevels *lv, ia_wpage *out)
{
    ia_wlevels flat = {.layers = {IA_LAYER_ITEM}, .n_layers = 1, .n = lv->n};
    ia_buf inner = {0};
    size_t blob, layout;
    bool fits;

    for (uint64_t i = 0; lv->def && i < lv->n; i++) {
        if (lv->def[i])
            ia_put_le64(l->vals.data.data + i * DESCRIPTOR, (uint64_t)lv->def[i] << 16);
    }
    IA_TRY(ia_write_mini(cx, l, &flat, out, &fits));
    if (!fits)
        return ia_fail(cx, IA_ERR_INTERNAL, "column '%s': descriptors do not fit their chunks",
                       l->top->name);
    inner = out->layout;
    memset(&out->layout, 0, sizeof out->layout);
    blob = ia_wire_begin(cx, &out->layout, IA_LAYOUT_BLOB);
    layout = ia_wire_begin(cx, &out->layout, 1);
    if (inner.len)
        ia_buf_put(cx, &out->layout, inner.data, inner.len);
    ia_wire_end(cx, &out->layout, layout);
    ia_put_layers(cx, &out->layout, 2, lv);
    ia_wire_end(cx, &out->layout, blob);
    ia_buf_dispose(&inner);
    return ia_buf_status(&out->layout);
}
