/* ipc_codec.c - compressed buffers in the bodies of Arrow IPC messages. */
#include <lz4frame.h>
#include <zstd.h>

#include "arrow/ipc_priv.h"

static ia_status damaged(ia_ctx *cx)
{
    return ia_fail(cx, IA_ERR_CORRUPT, "a compressed Arrow buffer does not inflate to its length");
}

static ia_status inflate_lz4(ia_ctx *cx, const uint8_t *src, size_t n, uint8_t *dst, size_t want)
{
    LZ4F_dctx *d = NULL;
    size_t got = 0, used = 0, hint = 1;

    if (LZ4F_isError(LZ4F_createDecompressionContext(&d, LZ4F_VERSION)))
        return ia_fail(cx, IA_ERR_NO_MEMORY, "no memory for LZ4 decompression");
    while (hint != 0 && used < n) {
        size_t out = want - got, in = n - used;

        hint = LZ4F_decompress(d, dst + got, &out, src + used, &in, NULL);
        if (LZ4F_isError(hint) || (in == 0 && out == 0))
            break;
        got += out;
        used += in;
    }
    LZ4F_freeDecompressionContext(d);
    return hint == 0 && got == want ? IA_OK : damaged(cx);
}

static ia_status inflate_zstd(ia_ctx *cx, const uint8_t *src, size_t n, uint8_t *dst, size_t want)
{
    const size_t got = ZSTD_decompress(dst, want, src, n);

    return !ZSTD_isError(got) && got == want ? IA_OK : damaged(cx);
}

/* Neither format can say more than this many bytes in n: an LZ4 sequence repeats 255 a byte, a ZSTD
 * block gives at most 128 KiB and has four bytes. */
static bool possible(int codec, size_t n, uint64_t plain)
{
    if (codec == IA_IPC_LZ4)
        return plain / 255 <= n;
    return plain / (128 << 10) <= n / 4 + 1;
}

static bool told(int codec, const uint8_t *src, size_t n, uint64_t plain)
{
    unsigned long long size;

    if (codec != IA_IPC_ZSTD)
        return true;
    size = ZSTD_getFrameContentSize(src, n);
    return size == ZSTD_CONTENTSIZE_UNKNOWN || size == plain;
}

ia_status ia_ipc_inflate(ia_ctx *cx, int codec, const uint8_t *src, size_t n, ia_buffer **out)
{
    uint64_t plain;
    uint8_t *p = NULL;
    ia_status st;

    *out = NULL;
    if (n < 8)
        return ia_fail(cx, IA_ERR_CORRUPT, "a compressed Arrow buffer of %zu bytes", n);
    plain = ia_le64(src);
    src += 8;
    n -= 8;
    if (plain == 0)
        return IA_OK;
    if (plain == UINT64_MAX) { /* stored as it is */
        IA_TRY(IA_SET(cx, p, ia_alloc(cx, n)));
        memcpy(p, src, n);
        return ia_buffer_own(cx, p, n, out);
    }
    if (plain > INT64_MAX || !possible(codec, n, plain) || !told(codec, src, n, plain))
        return damaged(cx);
    IA_TRY(IA_SET(cx, p, ia_alloc(cx, (size_t)plain)));
    st = codec == IA_IPC_ZSTD ? inflate_zstd(cx, src, n, p, (size_t)plain)
                              : inflate_lz4(cx, src, n, p, (size_t)plain);
    if (st != IA_OK) {
        ia_free(p);
        return st;
    }
    return ia_buffer_own(cx, p, (size_t)plain, out);
}

static size_t compress(int codec, uint8_t *dst, size_t room, const void *p, size_t n)
{
    size_t len;

    if (codec == IA_IPC_ZSTD) {
        len = ZSTD_compress(dst, room, p, n, 3);
        return ZSTD_isError(len) ? SIZE_MAX : len;
    }
    len = LZ4F_compressFrame(dst, room, p, n, NULL);
    return LZ4F_isError(len) ? SIZE_MAX : len;
}

ia_status ia_ipc_deflate(ia_ctx *cx, int codec, const void *p, size_t n, ia_buf *out)
{
    const size_t start = out->len;
    const size_t bound =
        codec == IA_IPC_ZSTD ? ZSTD_compressBound(n) : LZ4F_compressFrameBound(n, NULL);
    uint8_t *d = ia_buf_extend(cx, out, 8 + bound);
    size_t len;

    if (!d)
        return ia_buf_status(out);
    len = compress(codec, d + 8, bound, p, n);
    if (len >= n) {
        ia_put_le64(d, UINT64_MAX);
        memcpy(d + 8, p, n);
        len = n;
    } else {
        ia_put_le64(d, n);
    }
    out->len = start + 8 + len;
    return ia_buf_status(out);
}
