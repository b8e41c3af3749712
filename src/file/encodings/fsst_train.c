/* fsst_train.c - learns an FSST symbol table from a sample (Boncz, Neumann, Leis, VLDB 2020). */
#include <stdlib.h>

#include "file/encodings/encode.h"

/* Codes while learning: 0..254 symbols of the current table, 256 + b an escaped byte b. */
enum { SAMPLE = 16384, CHUNK = 512, ROUNDS = 5, CODES = 512, LITERAL = 256, MAX_PAIRS = SAMPLE };

typedef struct sample {
    uint8_t text[SAMPLE + CHUNK + 8];
    uint32_t starts[SAMPLE + 2]; /* of the pieces, and the end */
    size_t n;                    /* pieces */
} sample;

typedef struct candidate {
    ia_fsst_symbol s;
    uint64_t gain;
} candidate;

typedef struct trainer {
    sample smp;
    uint32_t count1[CODES];
    uint16_t count2[CODES * CODES];
    uint32_t pairs[MAX_PAIRS]; /* places of count2 that were touched */
    size_t n_pairs;
    candidate list[MAX_PAIRS + CODES];
    uint32_t slots[65536]; /* candidate number + 1 by hash of the symbol */
    size_t n_list;
    ia_fsst_symbol best[2 * IA_FSST_MAX_SYMBOLS];
} trainer;

/* ---- sample --------------------------------------------------------------------------------- */

static uint64_t offset_at(const uint8_t *offs, uint32_t bits, uint64_t i)
{
    return bits == 32 ? ia_le32(offs + i * 4) : ia_le64(offs + i * 8);
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* Pieces of at most CHUNK bytes from strings all over the page; everything when that is small. */
static void take_sample(const uint8_t *data, const uint8_t *offs, uint32_t bits, uint64_t n,
                        sample *out)
{
    uint64_t state = 4637947, total = offset_at(offs, bits, n) - offset_at(offs, bits, 0), at = 0;
    bool whole = total <= SAMPLE;
    size_t len = 0;

    out->n = 0;
    for (uint64_t tries = 0; len < SAMPLE && out->n < SAMPLE && tries < 4 * SAMPLE; tries++) {
        uint64_t i, from, have;

        if (whole && at == n)
            break;
        i = whole ? at++ : next_random(&state) % n;
        from = offset_at(offs, bits, i);
        have = offset_at(offs, bits, i + 1) - from;
        if (!whole && have > CHUNK) {
            from += next_random(&state) % (have / CHUNK) * CHUNK;
            have = CHUNK;
        }
        if (!have)
            continue;
        have = have > sizeof out->text - 8 - len ? sizeof out->text - 8 - len : have;
        out->starts[out->n++] = (uint32_t)len;
        memcpy(out->text + len, data + from, (size_t)have);
        len += (size_t)have;
    }
    out->starts[out->n] = (uint32_t)len;
}

/* ---- counting ------------------------------------------------------------------------------- */

static uint32_t find(const ia_fsst_coder *c, uint64_t word, size_t left, size_t *len)
{
    const ia_fsst_slot *h = &c->hash[ia_fsst_hash(word)];
    uint16_t s;

    if (h->len <= left && (word ^ h->text) << h->shift == 0) {
        *len = h->len;
        return h->code;
    }
    s = left >= 2 ? c->two[word & 0xffff] : c->one[word & 0xff];
    *len = s & IA_FSST_TWO ? 2 : 1;
    return s & IA_FSST_ESCAPE ? LITERAL + (uint32_t)(word & 0xff) : s & 0xffu;
}

static void count_pair(trainer *t, uint32_t a, uint32_t b)
{
    uint32_t at = a * CODES + b;

    if (!t->count2[at]++)
        t->pairs[t->n_pairs++] = at;
}

/* Codes the share of the sample; returns the coded size. */
static size_t count_codes(trainer *t, const ia_fsst_coder *c, size_t pieces, bool pairs)
{
    size_t coded = 0;

    memset(t->count1, 0, sizeof t->count1);
    t->n_pairs = 0;
    for (size_t i = 0; i < pieces; i++) {
        const uint8_t *p = t->smp.text + t->smp.starts[i];
        size_t left = t->smp.starts[i + 1] - t->smp.starts[i];
        uint32_t prev = CODES;

        while (left) {
            size_t len;
            uint32_t code = find(c, ia_le64(p), left, &len);

            t->count1[code]++;
            coded += code >= LITERAL ? 2 : 1;
            /* A symbol may also grow by a single byte, which other symbols hide. */
            if (pairs && prev != CODES && t->n_pairs + 2 < MAX_PAIRS) {
                count_pair(t, prev, code);
                if (len > 1)
                    count_pair(t, prev, LITERAL + p[0]);
            }
            prev = code;
            p += len;
            left -= len;
        }
    }
    return coded;
}

/* ---- choosing ------------------------------------------------------------------------------- */

static ia_fsst_symbol symbol_of(const ia_fsst_coder *c, uint32_t code)
{
    ia_fsst_symbol s = {code - LITERAL, 1};

    return code >= LITERAL ? s : c->symbols[code];
}

/* The same text can come from several pairs: gains add up. */
static void propose(trainer *t, ia_fsst_symbol s, uint64_t gain)
{
    uint64_t h = (s.text ^ (uint64_t)s.len << 59) * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = (uint32_t)(h >> 48);

    for (; t->slots[at]; at = (at + 1) & 0xffff) {
        candidate *c = &t->list[t->slots[at] - 1];

        if (c->s.text == s.text && c->s.len == s.len) {
            c->gain += gain;
            return;
        }
    }
    t->list[t->n_list].s = s;
    t->list[t->n_list].gain = gain;
    t->slots[at] = (uint32_t)++t->n_list;
}

static int by_gain(const void *a, const void *b)
{
    const candidate *x = a, *y = b;

    if (x->gain != y->gain)
        return x->gain < y->gain ? 1 : -1;
    if (x->s.len != y->s.len)
        return x->s.len < y->s.len ? 1 : -1;
    return x->s.text < y->s.text ? -1 : x->s.text > y->s.text;
}

static void gather(trainer *t, const ia_fsst_coder *c, bool pairs, uint32_t least)
{
    t->n_list = 0;
    memset(t->slots, 0, sizeof t->slots);
    for (uint32_t code = 0; code < CODES; code++) {
        ia_fsst_symbol s;

        if (!t->count1[code])
            continue;
        s = symbol_of(c, code);
        /* A single byte that is no symbol costs two codes, so it is worth more than its length. */
        propose(t, s, (uint64_t)t->count1[code] * s.len * (s.len == 1 ? 8 : 1));
    }
    for (size_t i = 0; i < t->n_pairs; i++) {
        uint32_t at = t->pairs[i], n = t->count2[at];
        ia_fsst_symbol a = symbol_of(c, at / CODES), b = symbol_of(c, at % CODES);

        t->count2[at] = 0;
        if (!pairs || n < least || a.len == 8)
            continue;
        if (a.len + b.len > 8) {
            b.len = 8 - a.len;
            b.text &= (UINT64_C(1) << (8 * b.len)) - 1;
        }
        a.text |= b.text << (8 * a.len);
        a.len += b.len;
        propose(t, a, (uint64_t)n * a.len);
    }
    qsort(t->list, t->n_list, sizeof *t->list, by_gain);
}

static void train(trainer *t, ia_fsst_coder *c, double *ratio)
{
    static const unsigned share[ROUNDS] = {8, 38, 68, 98, 128}; /* of 128 */
    size_t coded = 0, bytes;

    ia_fsst_coder_build(c, NULL, 0);
    for (size_t r = 0; r < ROUNDS; r++) {
        size_t pieces = (t->smp.n * share[r] + 127) / 128, n = 0;
        bool last = r + 1 == ROUNDS;

        count_codes(t, c, pieces, !last);
        gather(t, c, !last, 1 + share[r] / 32);
        for (; n < t->n_list && n < 2 * IA_FSST_MAX_SYMBOLS; n++)
            t->best[n] = t->list[n].s;
        ia_fsst_coder_build(c, t->best, n);
    }
    bytes = t->smp.starts[t->smp.n];
    coded = count_codes(t, c, t->smp.n, false);
    *ratio = bytes ? (double)coded / (double)bytes : 1;
}

ia_status ia_fsst_train(ia_ctx *cx, const uint8_t *data, const uint8_t *offs, uint32_t bits,
                        uint64_t n, ia_fsst_coder **out, double *ratio)
{
    trainer *t = NULL;
    ia_fsst_coder *c = NULL;
    ia_status st;

    *out = NULL;
    *ratio = 1;
    IA_GO(IA_NEW(cx, t));
    IA_GO(IA_NEW(cx, c));
    take_sample(data, offs, bits, n, &t->smp);
    train(t, c, ratio);
    *out = c;
    c = NULL;
done:
    ia_free(t);
    ia_free(c);
    return st;
}
