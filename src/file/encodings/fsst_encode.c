/* fsst_encode.c - strings into FSST codes, and the table of a page description (file format 4.8).
 */
#include "file/encodings/encode.h"

static uint64_t mask_of(uint32_t len)
{
    return len >= 8 ? ~UINT64_C(0) : (UINT64_C(1) << (8 * len)) - 1;
}

void ia_fsst_coder_build(ia_fsst_coder *c, const ia_fsst_symbol *symbols, size_t n)
{
    memset(c->hash, 0, sizeof c->hash);
    for (size_t i = 0; i < IA_FSST_HASH_SIZE; i++)
        c->hash[i].text = 1; /* word & 0 is never 1 */
    for (size_t b = 0; b < 256; b++)
        c->one[b] = IA_FSST_ESCAPE;
    c->n = 0;
    for (size_t i = 0; i < n && c->n < IA_FSST_MAX_SYMBOLS; i++) {
        const ia_fsst_symbol *s = &symbols[i];

        if (s->len >= 3) {
            uint32_t h = ia_fsst_hash(s->text);

            if (c->hash[h].mask)
                continue;
            c->hash[h].text = s->text;
            c->hash[h].mask = mask_of(s->len);
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

/* One step at a place where 8 bytes may be read and `left` of them belong to the string. */
static inline size_t step(const ia_fsst_coder *c, uint64_t word, size_t left, uint8_t **out)
{
    uint32_t h = ia_fsst_hash(word);
    uint8_t *o = *out;
    uint16_t s;

    if ((word & c->hash[h].mask) == c->hash[h].text && c->hash[h].len <= left) {
        *o = (uint8_t)c->hash[h].code;
        *out = o + 1;
        return c->hash[h].len;
    }
    s = left >= 2 ? c->two[word & 0xffff] : c->one[word & 0xff];
    /* Both bytes are written; only an escape keeps the second. */
    o[0] = s & IA_FSST_ESCAPE ? 255 : (uint8_t)s;
    o[1] = (uint8_t)word;
    *out = o + 1 + (s >> 8 & 1);
    return 1 + (size_t)(s >> 9 & 1);
}

size_t ia_fsst_code(const ia_fsst_coder *c, const uint8_t *p, size_t n, bool slack, uint8_t *out)
{
    uint8_t *o = out;
    uint8_t tail[16];

    while (n >= 8 || (slack && n)) {
        size_t k = step(c, ia_le64(p), n, &o);

        p += k;
        n -= k;
    }
    if (!n)
        return (size_t)(o - out);
    memset(tail, 0, sizeof tail);
    memcpy(tail, p, n);
    p = tail;
    while (n) {
        size_t k = step(c, ia_le64(p), n, &o);

        p += k;
        n -= k;
    }
    return (size_t)(o - out);
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
