/* layout_enc.c - the encoding trees of page descriptions, decoded and checked (file format 3.1). */
#include <inttypes.h>

#include "file/layout_priv.h"

const char *ia_enc_name(ia_enc_kind k)
{
    static const char *const names[] = {
        "none",
        "flat",
        "variable",
        "constant",
        "out_of_line_bitpacking",
        "inline_bitpacking",
        "fsst",
        "dictionary",
        "rle",
        "byte_stream_split",
        "general",
        "fixed_size_list",
        "packed_struct",
        "variable_packed_struct",
        "range",
        "delta",
    };

    return (unsigned)k < sizeof names / sizeof *names ? names[k] : "unknown";
}

bool ia_enc_has_payload(const ia_enc *e)
{
    switch (e->kind) {
    case IA_ENC_CONSTANT:
    case IA_ENC_RANGE:
        return false;
    case IA_ENC_DELTA:
        return ia_enc_has_payload(e->child);
    case IA_ENC_RLE:
    case IA_ENC_DICTIONARY:
        return ia_enc_has_payload(e->child) || ia_enc_has_payload(e->child2);
    default:
        return true;
    }
}

static ia_status read_enc(ia_ctx *cx, ia_arena *a, ia_wire *w, int depth, ia_enc **out);

/* BufferCompression {scheme 1, level 2}. */
static uint32_t read_scheme(ia_wire *w)
{
    ia_wire m;
    uint32_t scheme = 0;

    ia_wire_sub(w, &m);
    while (ia_wire_next(&m)) {
        if (m.number == 1)
            scheme = ia_wire_u32(&m);
    }
    if (m.bad)
        w->bad = true;
    return scheme;
}

/* ---- members -------------------------------------------------------------------------------- */

/* Which member of each kind's message is what; 0 = has none. */
static const struct {
    uint8_t bits, child, child2, compressed, bytes, items, start, step, validity;
} members[IA_ENC_DELTA + 1] = {
    [IA_ENC_FLAT] = {.bits = 1, .compressed = 2},
    [IA_ENC_VARIABLE] = {.child = 1, .compressed = 2},
    [IA_ENC_CONSTANT] = {.bytes = 1},
    [IA_ENC_OOL_BITPACK] = {.bits = 1, .child = 3},
    [IA_ENC_INLINE_BITPACK] = {.bits = 1, .compressed = 2},
    [IA_ENC_FSST] = {.bytes = 1, .child = 2},
    [IA_ENC_DICTIONARY] = {.child = 1, .child2 = 2, .items = 3},
    [IA_ENC_RLE] = {.child = 1, .child2 = 2},
    [IA_ENC_BSS] = {.child = 1},
    [IA_ENC_GENERAL] = {.child = 3},
    [IA_ENC_FSL] = {.items = 1, .child = 2, .validity = 3},
    [IA_ENC_PACKED_STRUCT] = {.child = 2},
    [IA_ENC_RANGE] = {.bits = 1, .start = 2, .step = 3},
    [IA_ENC_DELTA] = {.bits = 1, .start = 2, .child = 3},
};

/* Room for `more` parts; the arena keeps the old ones until the page is closed. */
static ia_status grow_parts(ia_ctx *cx, ia_arena *a, ia_enc *e, size_t more)
{
    ia_enc_part *parts;
    size_t cap = 4;

    while (cap < e->n_parts)
        cap *= 2;
    if (e->parts && e->n_parts + more <= cap)
        return IA_OK;
    while (cap < e->n_parts + more)
        cap *= 2;
    IA_TRY(IA_ARENA_ARRAY(cx, a, parts, cap));
    if (e->n_parts)
        memcpy(parts, e->parts, e->n_parts * sizeof *parts);
    e->parts = parts;
    return IA_OK;
}

/* PackedStruct.bits_per_value, packed or not. */
static ia_status read_widths(ia_ctx *cx, ia_arena *a, ia_wire *m, ia_enc *e)
{
    uint64_t *v = NULL;
    size_t n = 0, cap = 0;
    ia_status st;

    IA_GO(ia_wire_u64s(cx, m, &v, &n, &cap));
    if (n)
        IA_GO(grow_parts(cx, a, e, n));
    for (size_t i = 0; i < n; i++)
        e->parts[e->n_parts++].bits = v[i];
done:
    ia_free(v);
    return st;
}

/* VariablePackedStruct.FieldEncoding {value 1, bits_per_value 2 or bits_per_length 3}. */
static ia_status read_part(ia_ctx *cx, ia_arena *a, ia_wire *w, int depth, ia_enc *e)
{
    ia_enc_part part = {0};
    ia_wire m;

    ia_wire_sub(w, &m);
    while (ia_wire_next(&m)) {
        if (m.number == 1)
            IA_TRY(read_enc(cx, a, &m, depth + 1, &part.value));
        else if (m.number == 2)
            part.bits = ia_wire_u64(&m);
        else if (m.number == 3)
            part.len_bits = ia_wire_u32(&m);
    }
    if (m.bad)
        w->bad = true;
    IA_TRY(grow_parts(cx, a, e, 1));
    e->parts[e->n_parts++] = part;
    return IA_OK;
}

static ia_status read_enc_member(ia_ctx *cx, ia_arena *a, ia_wire *m, int depth, ia_enc *e)
{
    uint32_t number = m->number;

    if (number == members[e->kind].child)
        return read_enc(cx, a, m, depth + 1, &e->child);
    if (number == members[e->kind].child2)
        return read_enc(cx, a, m, depth + 1, &e->child2);
    if (e->kind == IA_ENC_PACKED_STRUCT && number == 1)
        return read_widths(cx, a, m, e);
    if (e->kind == IA_ENC_VAR_PACKED_STRUCT && number == 1)
        return read_part(cx, a, m, depth, e);
    if (number == members[e->kind].compressed && read_scheme(m))
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "encoding %s with compressed buffers is not supported",
                       ia_enc_name(e->kind));
    if (number == members[e->kind].bits)
        e->bits = ia_wire_u32(m);
    else if (number == members[e->kind].bytes)
        e->bytes = ia_wire_view(m);
    else if (number == members[e->kind].items)
        e->items = ia_wire_u32(m);
    else if (number == members[e->kind].start)
        e->start = ia_wire_u64(m);
    else if (number == members[e->kind].step)
        e->step = ia_wire_u64(m);
    else if (number == members[e->kind].validity)
        e->has_validity = ia_wire_bool(m);
    else if (e->kind == IA_ENC_GENERAL && number == 1)
        e->scheme = read_scheme(m);
    return IA_OK;
}

/* ---- checks --------------------------------------------------------------------------------- */

static bool is_word(uint32_t bits)
{
    return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

static bool packed_ok(const ia_enc *e)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < e->n_parts; i++) {
        if (!e->parts[i].bits || e->parts[i].bits % 8 || !ia_add_u64(&sum, sum, e->parts[i].bits) ||
            sum > UINT32_MAX)
            return false;
    }
    return e->n_parts && e->child;
}

static bool var_packed_ok(const ia_enc *e)
{
    for (size_t i = 0; i < e->n_parts; i++) {
        const ia_enc_part *p = &e->parts[i];

        if (!p->value || !p->bits == !p->len_bits || p->bits > UINT32_MAX || p->bits % 8)
            return false;
        if (p->len_bits && !is_word(p->len_bits))
            return false;
    }
    return e->n_parts != 0;
}

/* A range or delta holds integers of 32 or 64 bits that never grow beyond their width. */
static bool sequence_ok(const ia_enc *e)
{
    uint64_t max = e->bits == 32 ? UINT32_MAX : UINT64_MAX;

    if ((e->bits != 32 && e->bits != 64) || e->start > max)
        return false;
    return e->kind == IA_ENC_RANGE ? e->step >= 1 && e->step <= max : e->child != NULL;
}

/* Values of no bits are all zero; only out_of_line_bitpacking has such. */
static bool is_void(const ia_enc *e)
{
    return e && e->kind == IA_ENC_FLAT && !e->bits;
}

static ia_status check_enc(ia_ctx *cx, const ia_enc *e)
{
    bool ok = true;

    if (e->bits == 128 && (e->kind == IA_ENC_OOL_BITPACK || e->kind == IA_ENC_INLINE_BITPACK))
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "%s of 128 bit values is not supported",
                       ia_enc_name(e->kind));
    switch (e->kind) {
    case IA_ENC_FLAT:
    case IA_ENC_CONSTANT:
        break;
    case IA_ENC_VARIABLE:
    case IA_ENC_FSST:
    case IA_ENC_BSS:
        ok = e->child != NULL;
        break;
    case IA_ENC_OOL_BITPACK:
        ok = e->child && e->child->kind == IA_ENC_FLAT && e->child->bits < e->bits;
        ok = ok && is_word(e->bits);
        break;
    case IA_ENC_INLINE_BITPACK:
        ok = is_word(e->bits);
        break;
    case IA_ENC_RLE:
    case IA_ENC_DICTIONARY:
        ok = e->child && e->child2;
        break;
    case IA_ENC_GENERAL:
        if (e->scheme != IA_SCHEME_LZ4 && e->scheme != IA_SCHEME_ZSTD)
            return ia_fail(cx, IA_ERR_UNSUPPORTED,
                           "compression scheme %" PRIu32 " is not supported", e->scheme);
        ok = e->child != NULL;
        break;
    case IA_ENC_FSL:
        ok = e->child && e->items >= 1 && e->items <= INT32_MAX;
        break;
    case IA_ENC_PACKED_STRUCT:
        ok = packed_ok(e);
        break;
    case IA_ENC_VAR_PACKED_STRUCT:
        ok = var_packed_ok(e);
        break;
    case IA_ENC_RANGE:
    case IA_ENC_DELTA:
        ok = sequence_ok(e);
        break;
    }
    if (e->kind != IA_ENC_OOL_BITPACK)
        ok = ok && !is_void(e->child) && !is_void(e->child2);
    if (!ok)
        return ia_fail(cx, IA_ERR_CORRUPT, "encoding %s has missing or bad members",
                       ia_enc_name(e->kind));
    return IA_OK;
}

/* ---- trees ---------------------------------------------------------------------------------- */

static ia_status read_enc(ia_ctx *cx, ia_arena *a, ia_wire *w, int depth, ia_enc **out)
{
    ia_wire ce, m;
    ia_enc *e;

    if (depth > IA_ENC_MAX_DEPTH)
        return ia_fail(cx, IA_ERR_CORRUPT, "encodings nested deeper than %d", IA_ENC_MAX_DEPTH);
    if (*out)
        return ia_fail(cx, IA_ERR_CORRUPT, "an encoding is given twice");
    IA_TRY(IA_ARENA_NEW(cx, a, e));
    ia_wire_sub(w, &ce);
    while (ia_wire_next(&ce)) {
        if (ce.number > IA_ENC_DELTA)
            return ia_fail(cx, IA_ERR_UNSUPPORTED, "encoding number %" PRIu32 " is not known",
                           ce.number);
        if (e->kind)
            return ia_fail(cx, IA_ERR_CORRUPT, "an encoding has two kinds");
        e->kind = (ia_enc_kind)ce.number;
        ia_wire_sub(&ce, &m);
        while (ia_wire_next(&m))
            IA_TRY(read_enc_member(cx, a, &m, depth, e));
        if (m.bad)
            ce.bad = true;
    }
    if (ce.bad)
        w->bad = true;
    else if (!e->kind)
        return ia_fail(cx, IA_ERR_CORRUPT, "an encoding is empty");
    else
        IA_TRY(check_enc(cx, e));
    *out = e;
    return IA_OK;
}

ia_status ia_enc_read(ia_ctx *cx, ia_arena *a, ia_wire *w, ia_enc **out)
{
    IA_TRY(read_enc(cx, a, w, 0, out));
    if (is_void(*out))
        return ia_fail(cx, IA_ERR_CORRUPT, "encoding flat of 0 bits");
    return IA_OK;
}
