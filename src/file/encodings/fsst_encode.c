/* fsst_encode.c - strings into FSST codes; the table of a page (file format 4.8). */
#include "file/encodings/encode.h"

void ia_fsst_coder_build(ia_fsst_coder *c, const ia_fsst_symbol *symbols, size_t n)
{
    memset(c->hash, 0, sizeof c->hash);
    /* free places must not match: a symbol that is longer than any text */
    for (size_t i = 0; i < IA_FSST_HASH_SIZE; i++)
        c->hash[i].len = UINT16_MAX;
    for (size_t b = 0; b < 256; b++)
        c->one[b] = IA_FSST_ESCAPE;
    c->n = 0;
    for (size_t i = 0; i < n && c->n < IA_FSST_MAX_SYMBOLS; i++) {
        const ia_fsst_symbol *s = &symbols[i];

        if (s->len >= 3) {
            uint32_t h = ia_fsst_hash(s->text);

            if (c->hash[h].len != UINT16_MAX)
                continue;
            c->hash[h].text = s->text;
            c->hash[h].shift = 64 - 8 * s->len;
            c->hash[h].code = (uint16_t)c->n;
            c->hash[h].len = (uint16_t)s->len;
        } else if (s->len == 1) {
            c->one[s->text] = (uint16_t)c->n;
        }
        c->symbols[c->n++] = *s;
    }
    for (size_t w = 0; w < 65536; w++)
        c->two[w] = c->one[w & 0xff];
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->symbols[i].len == 2)
            c->two[c->symbols[i].text] = (uint16_t)(i | IA_FSST_TWO);
    }
}

/* Writes the code of the next symbol at o[0], an escaped byte at o[1]; returns the bytes of text it
 * stands for, and in *codes how many codes count. */
static inline size_t step(const ia_fsst_coder *c, uint64_t word, size_t left, size_t *codes,
                          uint8_t *o)
{
    const ia_fsst_slot *h = &c->hash[ia_fsst_hash(word)];
    uint32_t s = left >= 2 ? c->two[word & 0xffff] : c->one[word & 0xff], len = 1 + (s >> 9 & 1);
    bool hit = (word ^ h->text) << h->shift == 0 && h->len <= left;

    s = s & IA_FSST_ESCAPE ? s | 255 : s;
    s = hit ? h->code : s;
    len = hit ? h->len : len;
    o[0] = (uint8_t)s;
    o[1] = (uint8_t)word;
    *codes = 1 + (s >> 8 & 1);
    return len;
}

static uint8_t *code_tail(const ia_fsst_coder *c, const uint8_t *p, size_t n, uint8_t *o)
{
    uint8_t tail[16] = {0};

    memcpy(tail, p, n);
    for (size_t at = 0, codes; at < n; o += codes)
        at += step(c, ia_le64(tail + at), n - at, &codes, o);
    return o;
}

size_t ia_fsst_code(const ia_fsst_coder *c, const uint8_t *p, size_t n, bool slack, uint8_t *out)
{
    const uint8_t *end = p + n;
    uint8_t *o = out;
    size_t codes;

    for (; end - p >= 8; o += codes)
        p += step(c, ia_le64(p), 8, &codes, o);
    if (slack) {
        for (; p < end; o += codes)
            p += step(c, ia_le64(p), (size_t)(end - p), &codes, o);
    } else if (p < end) {
        o = code_tail(c, p, (size_t)(end - p), o);
    }
    return (size_t)(o - out);
}

/* Two texts at once, because each step waits for the one before it. */
void ia_fsst_code2(const ia_fsst_coder *c, const uint8_t *const text[2], const size_t n[2],
                   const bool slack[2], uint8_t *const out[2], size_t got[2])
{
    const uint8_t *p = text[0], *q = text[1], *p_end = p + n[0], *q_end = q + n[1];
    uint8_t *o = out[0], *u = out[1];
    size_t a, b;

    while (p_end - p >= 8 && q_end - q >= 8) {
        p += step(c, ia_le64(p), 8, &a, o);
        q += step(c, ia_le64(q), 8, &b, u);
        o += a;
        u += b;
    }
    got[0] = (size_t)(o - out[0]) + ia_fsst_code(c, p, (size_t)(p_end - p), slack[0], o);
    got[1] = (size_t)(u - out[1]) + ia_fsst_code(c, q, (size_t)(q_end - q), slack[1], u);
}

void ia_fsst_table(const ia_fsst_coder *c, uint8_t table[IA_FSST_TABLE_BYTES])
{
    static const uint8_t magic[4] = {0x54, 0x53, 0x53, 0x46};

    memset(table, 0, IA_FSST_TABLE_BYTES);
    table[0] = (uint8_t)c->n;
    table[3] = 1;
    memcpy(table + 4, magic, sizeof magic);
    for (uint32_t i = 0; i < c->n; i++) {
        ia_put_le64(table + 8 + 8 * i, c->symbols[i].text);
        table[8 + 8 * c->n + i] = (uint8_t)c->symbols[i].len;
    }
}
