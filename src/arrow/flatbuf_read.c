/* flatbuf_read.c - reads flatbuffers; every offset is checked before use. */
#include "arrow/flatbuf_priv.h"

bool ia_fb_inside(ia_fb *f, size_t at, size_t len)
{
    if (at > f->n || len > f->n - at)
        f->bad = true;
    return !f->bad;
}

ia_fbt ia_fb_table_at(ia_fb *f, size_t at)
{
    ia_fbt t = {0};
    int64_t vt;

    if (!ia_fb_inside(f, at, 4))
        return t;
    vt = (int64_t)at - (int32_t)ia_le32(f->p + at);
    if (vt < 0) {
        f->bad = true;
        return t;
    }
    if (!ia_fb_inside(f, (size_t)vt, 4))
        return t;
    t.at = at;
    t.vt = (size_t)vt;
    t.vt_size = ia_le16(f->p + vt);
    t.size = ia_le16(f->p + vt + 2);
    if (t.vt_size < 4 || !ia_fb_inside(f, t.vt, t.vt_size) || !ia_fb_inside(f, at, t.size)) {
        f->bad = true;
        memset(&t, 0, sizeof t);
    }
    return t;
}

/* Place of field k with `width` bytes; 0 when absent. */
size_t ia_fb_field(ia_fb *f, const ia_fbt *t, size_t k, size_t width)
{
    const size_t slot = 4 + 2 * k;
    size_t off;

    if (f->bad || slot + 2 > t->vt_size)
        return 0;
    off = ia_le16(f->p + t->vt + slot);
    if (off == 0)
        return 0;
    if (off + width > t->size) {
        f->bad = true;
        return 0;
    }
    return t->at + off;
}

int64_t ia_fb_int(ia_fb *f, const ia_fbt *t, size_t k, size_t width, int64_t absent)
{
    const size_t at = ia_fb_field(f, t, k, width);
    uint8_t raw[8] = {0};

    if (at == 0)
        return absent;
    memcpy(raw, f->p + at, width);
    switch (width) {
    case 1:
        return raw[0];
    case 2:
        return (int16_t)ia_le16(raw);
    case 4:
        return (int32_t)ia_le32(raw);
    default:
        return (int64_t)ia_le64(raw);
    }
}

/* Target of reference k; 0 when absent. */
size_t ia_fb_ref(ia_fb *f, const ia_fbt *t, size_t k)
{
    const size_t at = ia_fb_field(f, t, k, 4);
    size_t to;

    if (at == 0)
        return 0;
    to = at + ia_le32(f->p + at);
    return ia_fb_inside(f, to, 4) ? to : 0;
}

ia_fbt ia_fb_table(ia_fb *f, const ia_fbt *t, size_t k)
{
    const size_t at = ia_fb_ref(f, t, k);
    const ia_fbt none = {0};

    return at ? ia_fb_table_at(f, at) : none;
}

/* First item of vector k (0 when absent or empty) and their number. */
size_t ia_fb_vector(ia_fb *f, const ia_fbt *t, size_t k, size_t item, size_t *count)
{
    const size_t at = ia_fb_ref(f, t, k);

    *count = 0;
    if (at == 0)
        return 0;
    *count = ia_le32(f->p + at);
    if (*count > f->n / item || !ia_fb_inside(f, at + 4, *count * item)) {
        f->bad = true;
        *count = 0;
    }
    return at + 4;
}

ia_fbt ia_fb_root(ia_fb *f)
{
    const ia_fbt none = {0};

    return ia_fb_inside(f, 0, 4) ? ia_fb_table_at(f, ia_le32(f->p)) : none;
}

ia_fbt ia_fb_item(ia_fb *f, size_t vector, size_t i)
{
    const size_t at = vector + 4 * i;
    const ia_fbt none = {0};

    return ia_fb_inside(f, at, 4) ? ia_fb_table_at(f, at + ia_le32(f->p + at)) : none;
}

ia_view ia_fb_str(ia_fb *f, const ia_fbt *t, size_t k)
{
    ia_view v = {"", 0};
    size_t n;
    const size_t at = ia_fb_vector(f, t, k, 1, &n);

    if (at == 0 || f->bad)
        return v;
    v.data = (const char *)f->p + at;
    v.len = n;
    return v;
}
