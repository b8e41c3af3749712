/* decoder.c - scratch of a column reader, the buffers of a chunk. */
#include <inttypes.h>

#include "file/encodings/decode_priv.h"

void ia_decoder_dispose(ia_decoder *d)
{
    for (size_t i = 0; i < IA_PLAIN_BUFS; i++)
        ia_buf_dispose(&d->plain[i]);
    ia_free(d->block);
    ia_vals_dispose(&d->codes);
    ia_buf_dispose(&d->place);
    ia_fsst_free(d->fsst);
    memset(d, 0, sizeof *d);
}

void ia_decoder_new_page(ia_decoder *d)
{
    ia_fsst_free(d->fsst);
    d->fsst = NULL;
    d->fsst_key = NULL;
}

uint32_t ia_mini_buffers(const ia_enc *e)
{
    switch (e->kind) {
    case IA_ENC_RLE:
        return (ia_enc_has_payload(e->child) ? 1u : 0u) + (ia_enc_has_payload(e->child2) ? 1u : 0u);
    case IA_ENC_VARIABLE: /* offsets inside the data's buffer, in one of their own, or in none */
        return e->child->kind != IA_ENC_FLAT && ia_enc_has_payload(e->child) ? 2 : 1;
    case IA_ENC_FSL:
        return ia_mini_buffers(e->child) + (e->has_validity ? 1 : 0);
    case IA_ENC_FSST:
    case IA_ENC_GENERAL:
        return ia_mini_buffers(e->child);
    case IA_ENC_CONSTANT:
        return 0;
    case IA_ENC_FLAT:
    case IA_ENC_OOL_BITPACK:
    case IA_ENC_INLINE_BITPACK:
    case IA_ENC_DICTIONARY:
    case IA_ENC_BSS:
    case IA_ENC_PACKED_STRUCT:
    case IA_ENC_VAR_PACKED_STRUCT:
    case IA_ENC_RANGE:
    case IA_ENC_DELTA:
        return 1;
    }
    return 1;
}

uint32_t ia_enc_bits(const ia_enc *e)
{
    switch (e->kind) {
    case IA_ENC_FLAT:
    case IA_ENC_INLINE_BITPACK:
    case IA_ENC_OOL_BITPACK:
    case IA_ENC_RANGE:
    case IA_ENC_DELTA:
        return e->bits;
    case IA_ENC_CONSTANT:
        return (uint32_t)(e->bytes.len < 64 ? e->bytes.len * 8 : 0);
    case IA_ENC_DICTIONARY:
        return ia_enc_bits(e->child2);
    case IA_ENC_RLE:
    case IA_ENC_BSS:
    case IA_ENC_GENERAL:
        return ia_enc_bits(e->child);
    case IA_ENC_VARIABLE:
    case IA_ENC_FSST:
    case IA_ENC_FSL:
    case IA_ENC_PACKED_STRUCT:
    case IA_ENC_VAR_PACKED_STRUCT:
        return 0;
    }
    return 0;
}

ia_status ia_chunk_take(ia_ctx *cx, ia_chunk *c, ia_view *out)
{
    if (c->has_pushed) {
        c->has_pushed = false;
        *out = c->pushed;
        return IA_OK;
    }
    if (c->next == c->n_bufs)
        return ia_fail(cx, IA_ERR_CORRUPT, "chunk has only %zu buffers", c->n_bufs);
    *out = c->bufs[c->next++];
    return IA_OK;
}

ia_status ia_enc_bad_size(ia_ctx *cx, const ia_enc *e, size_t len, uint64_t n)
{
    return ia_fail(cx, IA_ERR_CORRUPT, "%s buffer of %zu bytes does not fit %" PRIu64 " values",
                   ia_enc_name(e->kind), len, n);
}
