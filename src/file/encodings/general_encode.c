/* general_encode.c - LZ4 and ZSTD with their size prefixes (file format 4.13). */
#include <lz4.h>
#include <lz4hc.h>
#include <zstd.h>

#include "file/encodings/encode.h"
#include "file/layout.h"

void ia_compressor_dispose(ia_compressor *c)
{
    ZSTD_freeCCtx(c->zstd);
    ia_free(c->lz4);
    memset(c, 0, sizeof *c);
}

static ia_status lz4_encode(ia_ctx *cx, ia_compressor *c, int32_t level, ia_view in, ia_buf *out)
{
    int bound = LZ4_compressBound((int)in.len), got;
    size_t start = out->len;
    uint8_t *p = ia_buf_extend(cx, out, 4 + (size_t)bound);

    if (!p)
        return ia_buf_status(out);
    if (!c->lz4)
        IA_TRY(IA_SET(cx, c->lz4, ia_alloc(cx, (size_t)LZ4_sizeofState())));
    ia_put_le32(p, (uint32_t)in.len);
    if (level >= LZ4HC_CLEVEL_MIN)
        got = LZ4_compress_HC(in.data, (char *)p + 4, (int)in.len, bound, level);
    else
        got = LZ4_compress_fast_extState(c->lz4, in.data, (char *)p + 4, (int)in.len, bound, 1);
    if (got <= 0)
        return ia_fail(cx, IA_ERR_INTERNAL, "LZ4 does not compress %zu bytes", in.len);
    out->len = start + 4 + (size_t)got;
    return IA_OK;
}

static ia_status zstd_encode(ia_ctx *cx, ia_compressor *c, int32_t level, ia_view in, ia_buf *out)
{
    size_t bound = ZSTD_compressBound(in.len), start = out->len, got;
    uint8_t *p = ia_buf_extend(cx, out, 8 + bound);

    if (!p)
        return ia_buf_status(out);
    if (!c->zstd)
        c->zstd = ZSTD_createCCtx();
    if (!c->zstd)
        return ia_fail(cx, IA_ERR_NO_MEMORY, "no memory for ZSTD");
    ia_put_le64(p, in.len);
    got = ZSTD_compressCCtx(c->zstd, p + 8, bound, in.data, in.len,
                            level ? level : ZSTD_CLEVEL_DEFAULT);
    if (ZSTD_isError(got))
        return ia_fail(cx, IA_ERR_INTERNAL, "ZSTD: %s", ZSTD_getErrorName(got));
    out->len = start + 8 + got;
    return IA_OK;
}

ia_status ia_general_encode(ia_ctx *cx, ia_compressor *c, uint32_t scheme, int32_t level,
                            ia_view in, ia_buf *out)
{
    if (in.len > LZ4_MAX_INPUT_SIZE)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "compressing a buffer of %zu bytes", in.len);
    return scheme == IA_SCHEME_LZ4 ? lz4_encode(cx, c, level, in, out)
                                   : zstd_encode(cx, c, level, in, out);
}
