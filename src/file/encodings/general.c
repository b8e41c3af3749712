/* general.c - LZ4 and ZSTD buffers with their size prefixes (file format 4.13). */
#include <inttypes.h>
#include <lz4.h>
#include <zstd.h>

#include "file/encodings/decode_priv.h"

/* A chunk is a few KiB; what it expands to is not many times more. */
#define MAX_CHUNK_BYTES ((uint64_t)64 << 20)

static ia_status lz4_decode(ia_ctx *cx, ia_view in, uint64_t max_size, ia_buf *out)
{
    uint64_t raw;
    uint8_t *p;
    int got;

    if (in.len < 4)
        return ia_fail(cx, IA_ERR_CORRUPT, "LZ4 buffer of %zu bytes has no size", in.len);
    raw = ia_le32((const uint8_t *)in.data);
    if (raw > max_size || raw > INT32_MAX || in.len - 4 > INT32_MAX || raw / 255 > in.len)
        return ia_fail(cx, IA_ERR_CORRUPT, "LZ4 buffer of %zu bytes claims to hold %" PRIu64,
                       in.len, raw);
    p = ia_buf_extend(cx, out, (size_t)raw);
    if (!p)
        return ia_buf_status(out);
    got = LZ4_decompress_safe(in.data + 4, (char *)p, (int)(in.len - 4), (int)raw);
    if (got < 0 || (uint64_t)got != raw)
        return ia_fail(cx, IA_ERR_CORRUPT, "LZ4 buffer of %zu bytes does not decode", in.len);
    return IA_OK;
}

/* Older writers left out the u64 size; a frame begins with its magic number. */
static ia_status zstd_decode(ia_ctx *cx, ia_view in, uint64_t max_size, ia_buf *out)
{
    uint64_t raw;
    uint8_t *p;
    size_t got;

    if (in.len >= 4 && ia_le32((const uint8_t *)in.data) == 0xFD2FB528u) {
        raw = ZSTD_getFrameContentSize(in.data, in.len);
    } else {
        if (in.len < 8)
            return ia_fail(cx, IA_ERR_CORRUPT, "ZSTD buffer of %zu bytes has no size", in.len);
        raw = ia_le64((const uint8_t *)in.data);
        in.data += 8;
        in.len -= 8;
    }
    if (raw > max_size)
        return ia_fail(cx, IA_ERR_CORRUPT, "ZSTD buffer of %zu bytes claims to hold %" PRIu64,
                       in.len, raw);
    p = ia_buf_extend(cx, out, (size_t)raw);
    if (!p)
        return ia_buf_status(out);
    got = ZSTD_decompress(p, (size_t)raw, in.data, in.len);
    if (ZSTD_isError(got) || got != raw)
        return ia_fail(cx, IA_ERR_CORRUPT, "ZSTD buffer of %zu bytes does not decode", in.len);
    return IA_OK;
}

ia_status ia_general_decode(ia_ctx *cx, uint32_t scheme, ia_view in, uint64_t max_size, ia_buf *out)
{
    ia_buf_clear(out);
    return scheme == IA_SCHEME_LZ4 ? lz4_decode(cx, in, max_size, out)
                                   : zstd_decode(cx, in, max_size, out);
}

ia_status ia_chunk_unpack(ia_ctx *cx, ia_chunk *c, const ia_enc *e)
{
    ia_view in;
    ia_buf *out;

    if (c->d->plain_used == IA_PLAIN_BUFS)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "general compression of more than %d buffers at once", IA_PLAIN_BUFS);
    IA_TRY(ia_chunk_take(cx, c, &in));
    out = &c->d->plain[c->d->plain_used++];
    IA_TRY(ia_general_decode(cx, e->scheme, in, MAX_CHUNK_BYTES, out));
    c->pushed.data = out->data ? (const char *)out->data : "";
    c->pushed.len = out->len;
    c->has_pushed = true;
    return IA_OK;
}

ia_status ia_block_unpack(ia_ctx *cx, ia_decoder *d, const ia_enc *e, ia_view in, ia_view *out)
{
    ia_buf *b;

    if (d->plain_used == IA_PLAIN_BUFS)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "general compression of more than %d buffers at once", IA_PLAIN_BUFS);
    b = &d->plain[d->plain_used++];
    IA_TRY(ia_general_decode(cx, e->scheme, in, (uint64_t)1 << 30, b));
    out->data = b->data ? (const char *)b->data : "";
    out->len = b->len;
    return IA_OK;
}
