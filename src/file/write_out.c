/* write_out.c - the bytes of the file being written: small files in one piece, alignment. */
#include "file/write_priv.h"

enum { PENDING = 1 << 20, DIRECT = 256 << 10, FILL = 0x48 };

static ia_status flush(ia_ctx *cx, ia_fout *o)
{
    if (!o->pend.len)
        return IA_OK;
    if (!o->w)
        IA_TRY(ia_objstore_create(cx, o->os, o->path, &o->w));
    IA_TRY(ia_objwriter_write(cx, o->w, o->pend.data, o->pend.len, o->cls));
    ia_buf_clear(&o->pend);
    return IA_OK;
}

/* Pending bytes count under the heaviest class among them. */
ia_status ia_fout_write(ia_ctx *cx, ia_fout *o, const void *data, size_t len, ia_io_class cls)
{
    if (!len)
        return IA_OK;
    if (o->pend.len + len > PENDING)
        IA_TRY(flush(cx, o));
    o->pos += len;
    if (len >= DIRECT) {
        IA_TRY(flush(cx, o));
        if (!o->w)
            IA_TRY(ia_objstore_create(cx, o->os, o->path, &o->w));
        return ia_objwriter_write(cx, o->w, data, len, cls);
    }
    o->cls = !o->pend.len || cls > o->cls ? cls : o->cls;
    ia_buf_put(cx, &o->pend, data, len);
    return ia_buf_status(&o->pend);
}

ia_status ia_fout_align(ia_ctx *cx, ia_fout *o, ia_io_class cls)
{
    uint8_t fill[64];
    size_t n = (size_t)(-o->pos & 63);

    memset(fill, FILL, sizeof fill);
    return ia_fout_write(cx, o, fill, n, cls);
}

ia_status ia_fout_finish(ia_ctx *cx, ia_fout *o, uint32_t put_flags)
{
    IA_TRY(flush(cx, o));
    return ia_objwriter_finish(cx, o->w, put_flags);
}

void ia_fout_dispose(ia_fout *o)
{
    ia_objwriter_close(o->w);
    ia_buf_dispose(&o->pend);
    ia_free(o->path);
    memset(o, 0, sizeof *o);
}
