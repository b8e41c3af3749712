/* wire.c - reading and writing protobuf wire bytes. */
#include "file/wire.h"

/* At most ten bytes; the tenth may only carry the top bit. */
static bool read_varint(const uint8_t **pos, const uint8_t *end, uint64_t *out)
{
    const uint8_t *p = *pos;
    uint64_t v = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t c;

        if (p == end)
            return false;
        c = *p++;
        if (shift == 63 && c > 1)
            return false;
        v |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80) {
            *pos = p;
            *out = v;
            return true;
        }
    }
    return false;
}

void ia_wire_init(ia_wire *w, const uint8_t *data, size_t len)
{
    static const uint8_t nothing[1];

    memset(w, 0, sizeof *w);
    w->begin = w->pos = len ? data : nothing;
    w->end = w->begin + len;
}

static bool read_content(ia_wire *w)
{
    size_t left = (size_t)(w->end - w->pos);

    switch (w->type) {
    case IA_WIRE_VARINT:
        return read_varint(&w->pos, w->end, &w->value);
    case IA_WIRE_FIXED64:
        if (left < 8)
            return false;
        w->value = ia_le64(w->pos);
        w->pos += 8;
        return true;
    case IA_WIRE_FIXED32:
        if (left < 4)
            return false;
        w->value = ia_le32(w->pos);
        w->pos += 4;
        return true;
    case IA_WIRE_BYTES: {
        uint64_t n;

        if (!read_varint(&w->pos, w->end, &n) || n > (uint64_t)(w->end - w->pos))
            return false;
        w->data = w->pos;
        w->len = (size_t)n;
        w->pos += n;
        return true;
    }
    }
    return false;
}

bool ia_wire_next(ia_wire *w)
{
    const uint8_t *start = w->pos;
    uint64_t tag;

    if (w->bad || w->pos == w->end)
        return false;
    w->value = 0;
    w->data = w->pos;
    w->len = 0;
    if (!read_varint(&w->pos, w->end, &tag) || tag > UINT32_MAX || (tag >> 3) == 0) {
        w->pos = start;
        w->bad = true;
        return false;
    }
    w->number = (uint32_t)(tag >> 3);
    w->type = (ia_wire_type)(tag & 7);
    if (!read_content(w)) {
        w->pos = start;
        w->bad = true;
        return false;
    }
    w->raw = start;
    w->raw_len = (size_t)(w->pos - start);
    return true;
}

static bool want(ia_wire *w, ia_wire_type t)
{
    if (w->type == t)
        return true;
    w->bad = true;
    return false;
}

uint64_t ia_wire_u64(ia_wire *w)
{
    return want(w, IA_WIRE_VARINT) ? w->value : 0;
}

uint32_t ia_wire_u32(ia_wire *w)
{
    if (!want(w, IA_WIRE_VARINT))
        return 0;
    if (w->value > UINT32_MAX) {
        w->bad = true;
        return 0;
    }
    return (uint32_t)w->value;
}

int32_t ia_wire_i32(ia_wire *w)
{
    return want(w, IA_WIRE_VARINT) ? (int32_t)(uint32_t)(w->value & 0xffffffffu) : 0;
}

bool ia_wire_bool(ia_wire *w)
{
    return want(w, IA_WIRE_VARINT) && w->value != 0;
}

ia_view ia_wire_view(ia_wire *w)
{
    ia_view v = {"", 0};

    if (want(w, IA_WIRE_BYTES)) {
        v.data = (const char *)w->data;
        v.len = w->len;
    }
    return v;
}

void ia_wire_sub(ia_wire *w, ia_wire *sub)
{
    if (want(w, IA_WIRE_BYTES))
        ia_wire_init(sub, w->data, w->len);
    else
        ia_wire_init(sub, NULL, 0);
}

ia_status ia_wire_str(ia_ctx *cx, ia_wire *w, char **out)
{
    ia_view v = ia_wire_view(w);
    size_t bad_at;
    char *s;

    if (memchr(v.data, 0, v.len) || !ia_utf8_valid(v.data, v.len, &bad_at)) {
        w->bad = true;
        return IA_OK;
    }
    s = ia_strndup(cx, v.data, v.len);
    if (!s)
        return cx->err.code;
    ia_free(*out);
    *out = s;
    return IA_OK;
}

ia_status ia_wire_u64s(ia_ctx *cx, ia_wire *w, uint64_t **v, size_t *n, size_t *cap)
{
    const uint8_t *p, *end;

    if (w->type == IA_WIRE_VARINT) {
        IA_TRY(ia_grow(cx, v, cap, *n + 1, sizeof **v));
        (*v)[(*n)++] = w->value;
        return IA_OK;
    }
    if (!want(w, IA_WIRE_BYTES))
        return IA_OK;
    p = w->data;
    end = p + w->len;
    while (p < end) {
        uint64_t x;

        if (!read_varint(&p, end, &x)) {
            w->bad = true;
            return IA_OK;
        }
        IA_TRY(ia_grow(cx, v, cap, *n + 1, sizeof **v));
        (*v)[(*n)++] = x;
    }
    return IA_OK;
}

/* Both 32-bit forms: `any` accepts the sign-extended spelling of negative numbers. */
static ia_status read_u32s(ia_ctx *cx, ia_wire *w, uint32_t **v, size_t *n, size_t *cap, bool any)
{
    const uint8_t *p = w->raw, *end = w->raw + w->raw_len;
    uint64_t tag = 0;

    if (w->type == IA_WIRE_BYTES) {
        p = w->data;
        end = p + w->len;
    } else if (!want(w, IA_WIRE_VARINT) || !read_varint(&p, end, &tag)) {
        return IA_OK;
    }
    while (p < end) {
        uint64_t x;

        if (!read_varint(&p, end, &x) || (!any && x > UINT32_MAX)) {
            w->bad = true;
            return IA_OK;
        }
        IA_TRY(ia_grow(cx, v, cap, *n + 1, sizeof **v));
        (*v)[(*n)++] = (uint32_t)(x & 0xffffffffu);
    }
    return IA_OK;
}

ia_status ia_wire_i32s(ia_ctx *cx, ia_wire *w, int32_t **v, size_t *n, size_t *cap)
{
    uint32_t *u = (uint32_t *)(void *)*v;
    ia_status st = read_u32s(cx, w, &u, n, cap, true);

    *v = (int32_t *)(void *)u;
    return st;
}

ia_status ia_wire_done(ia_ctx *cx, const ia_wire *w, const char *what)
{
    if (!w->bad)
        return IA_OK;
    return ia_fail(cx, IA_ERR_CORRUPT, "%s: malformed message at byte %zu of %zu", what,
                   (size_t)(w->pos - w->begin), (size_t)(w->end - w->begin));
}

/* ---- writing ------------------------------------------------------------------------------- */

static size_t varint_bytes(uint8_t out[10], uint64_t v)
{
    size_t n = 0;

    while (v >= 0x80) {
        out[n++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    out[n++] = (uint8_t)v;
    return n;
}

void ia_wire_raw_varint(ia_ctx *cx, ia_buf *b, uint64_t v)
{
    uint8_t tmp[10];

    ia_buf_put(cx, b, tmp, varint_bytes(tmp, v));
}

void ia_wire_add_varint(ia_ctx *cx, ia_buf *b, uint32_t number, uint64_t v)
{
    ia_wire_raw_varint(cx, b, (uint64_t)number << 3 | IA_WIRE_VARINT);
    ia_wire_raw_varint(cx, b, v);
}

void ia_wire_add_bytes(ia_ctx *cx, ia_buf *b, uint32_t number, const void *data, size_t len)
{
    ia_wire_raw_varint(cx, b, (uint64_t)number << 3 | IA_WIRE_BYTES);
    ia_wire_raw_varint(cx, b, len);
    if (len)
        ia_buf_put(cx, b, data, len);
}

void ia_wire_put_u64(ia_ctx *cx, ia_buf *b, uint32_t number, uint64_t v)
{
    if (v)
        ia_wire_add_varint(cx, b, number, v);
}

void ia_wire_put_i32(ia_ctx *cx, ia_buf *b, uint32_t number, int32_t v)
{
    if (v)
        ia_wire_add_varint(cx, b, number, (uint64_t)(int64_t)v);
}

void ia_wire_put_bool(ia_ctx *cx, ia_buf *b, uint32_t number, bool v)
{
    if (v)
        ia_wire_add_varint(cx, b, number, 1);
}

void ia_wire_put_f64(ia_ctx *cx, ia_buf *b, uint32_t number, double v)
{
    uint8_t tmp[8];
    uint64_t bits;

    memcpy(&bits, &v, 8);
    if (!bits)
        return;
    ia_put_le64(tmp, bits);
    ia_wire_raw_varint(cx, b, (uint64_t)number << 3 | IA_WIRE_FIXED64);
    ia_buf_put(cx, b, tmp, 8);
}

void ia_wire_put_str(ia_ctx *cx, ia_buf *b, uint32_t number, const char *s)
{
    if (s && *s)
        ia_wire_add_bytes(cx, b, number, s, strlen(s));
}

void ia_wire_put_bytes(ia_ctx *cx, ia_buf *b, uint32_t number, const void *data, size_t len)
{
    if (len)
        ia_wire_add_bytes(cx, b, number, data, len);
}

void ia_wire_put_u64s(ia_ctx *cx, ia_buf *b, uint32_t number, const uint64_t *v, size_t n)
{
    size_t mark;

    if (!n)
        return;
    mark = ia_wire_begin(cx, b, number);
    for (size_t i = 0; i < n; i++)
        ia_wire_raw_varint(cx, b, v[i]);
    ia_wire_end(cx, b, mark);
}

void ia_wire_put_u32s(ia_ctx *cx, ia_buf *b, uint32_t number, const uint32_t *v, size_t n)
{
    size_t mark;

    if (!n)
        return;
    mark = ia_wire_begin(cx, b, number);
    for (size_t i = 0; i < n; i++)
        ia_wire_raw_varint(cx, b, v[i]);
    ia_wire_end(cx, b, mark);
}

void ia_wire_put_i32s(ia_ctx *cx, ia_buf *b, uint32_t number, const int32_t *v, size_t n)
{
    size_t mark;

    if (!n)
        return;
    mark = ia_wire_begin(cx, b, number);
    for (size_t i = 0; i < n; i++)
        ia_wire_raw_varint(cx, b, (uint64_t)(int64_t)v[i]);
    ia_wire_end(cx, b, mark);
}

size_t ia_wire_begin(ia_ctx *cx, ia_buf *b, uint32_t number)
{
    ia_wire_raw_varint(cx, b, (uint64_t)number << 3 | IA_WIRE_BYTES);
    return b->len;
}

/* The length is put in front of the content afterwards; messages are small. */
void ia_wire_end(ia_ctx *cx, ia_buf *b, size_t mark)
{
    uint8_t tmp[10];
    size_t len, n;

    if (b->failed)
        return;
    len = b->len - mark;
    n = varint_bytes(tmp, len);
    if (!ia_buf_extend(cx, b, n))
        return;
    memmove(b->data + mark + n, b->data + mark, len);
    memcpy(b->data + mark, tmp, n);
}
