/* layout_v20.c - page descriptions of format 2.0: the ArrayEncoding tree, decoded and checked. */
#include "file/layout_v20.h"

#include <inttypes.h>

#include "file/layout.h"
#include "file/wire.h"

typedef struct reader {
    ia_arena *arena;
    size_t n_buffers;
    size_t n_nodes;
} reader;

const char *ia_aenc_name(uint32_t kind)
{
    static const char *const names[] = {
        "none",
        "flat",
        "nullable",
        "fixed_size_list",
        "list",
        "struct",
        "binary",
        "dictionary",
        "fsst",
        "packed_struct",
        "bitpacked",
        "fixed_size_binary",
        "bitpacked_for_non_neg",
        "constant",
        "inline_bitpacking",
        "out_of_line_bitpacking",
        "variable",
        "packed_struct_fixed_width_mini_block",
        "block",
        "rle",
        "general_mini_block",
        "byte_stream_split",
    };

    return kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

static ia_status read_node(ia_ctx *cx, reader *r, ia_wire *w, int depth, ia_aenc **out);

/* Buffer {buffer_index 1, buffer_type 2}. */
static ia_status read_buffer(ia_ctx *cx, const reader *r, ia_wire *w, ia_aenc *e)
{
    uint32_t type = 0;
    ia_wire m;

    e->buffer = 0;
    ia_wire_sub(w, &m);
    while (ia_wire_next(&m)) {
        if (m.number == 1)
            e->buffer = ia_wire_u32(&m);
        else if (m.number == 2)
            type = ia_wire_u32(&m);
    }
    if (m.bad)
        w->bad = true;
    if (type != 0)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "%s encoding with a %s buffer",
                       ia_aenc_name(e->kind),
                       type == 1   ? "column"
                       : type == 2 ? "file"
                                   : "strange");
    if (e->buffer >= r->n_buffers)
        return ia_fail(cx, IA_ERR_CORRUPT, "%s encoding in buffer %" PRIu32 " of %zu",
                       ia_aenc_name(e->kind), e->buffer, r->n_buffers);
    return IA_OK;
}

/* Compression {scheme 1, level 2}. */
static ia_status read_compression(ia_ctx *cx, ia_wire *w, ia_aenc *e)
{
    ia_view s = {"", 0};
    ia_wire m;

    ia_wire_sub(w, &m);
    while (ia_wire_next(&m)) {
        if (m.number == 1)
            s = ia_wire_view(&m);
    }
    if (m.bad)
        w->bad = true;
    if (ia_view_eq_str(s, "lz4"))
        e->scheme = IA_SCHEME_LZ4;
    else if (ia_view_eq_str(s, "zstd"))
        e->scheme = IA_SCHEME_ZSTD;
    else if (s.len && !ia_view_eq_str(s, "none"))
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "compression scheme '%.*s'",
                       (int)(s.len < 40 ? s.len : 40), s.data);
    return IA_OK;
}

static ia_status read_flat(ia_ctx *cx, reader *r, ia_wire *m, ia_aenc *e)
{
    bool buffer = false;

    while (ia_wire_next(m)) {
        if (m->number == 1)
            e->bits = ia_wire_u64(m);
        else if (m->number == 2)
            IA_TRY(read_buffer(cx, r, m, e));
        else if (m->number == 3)
            IA_TRY(read_compression(cx, m, e));
        buffer |= m->number == 2;
    }
    if (!m->bad && (!buffer || !e->bits || e->bits > UINT32_MAX || (e->bits != 1 && e->bits % 8)))
        return ia_fail(cx, IA_ERR_CORRUPT, "flat encoding of %" PRIu64 " bits%s", e->bits,
                       buffer ? "" : " without a buffer");
    return IA_OK;
}

/* The oneof of nullable: the message of its member holds validity and values. */
static ia_status read_nullable(ia_ctx *cx, reader *r, ia_wire *m, int depth, ia_aenc *e)
{
    while (ia_wire_next(m)) {
        ia_wire s;

        if (m->number < 1 || m->number > 3)
            continue;
        if (e->nulls)
            return ia_fail(cx, IA_ERR_CORRUPT, "nullable encoding given twice");
        e->nulls = (ia_aenc_nulls)m->number;
        ia_wire_sub(m, &s);
        while (ia_wire_next(&s)) {
            if (e->nulls == IA_NULLS_SOME && s.number == 1)
                IA_TRY(read_node(cx, r, &s, depth, &e->extra));
            else if (s.number == (e->nulls == IA_NULLS_SOME ? 2u : 1u))
                IA_TRY(read_node(cx, r, &s, depth, &e->child));
        }
        if (s.bad)
            m->bad = true;
    }
    if (!m->bad && (!e->nulls || (e->nulls != IA_NULLS_ALL && !e->child) ||
                    (e->nulls == IA_NULLS_SOME && !e->extra)))
        return ia_fail(cx, IA_ERR_CORRUPT, "nullable encoding without its parts");
    return IA_OK;
}

static ia_status read_packed_struct(ia_ctx *cx, reader *r, ia_wire *m, int depth, ia_aenc *e)
{
    bool buffer = false;

    while (ia_wire_next(m)) {
        ia_aenc *part = NULL, *leaf;
        uint64_t bits, n = 1;

        if (m->number == 2) {
            IA_TRY(read_buffer(cx, r, m, e));
            buffer = true;
        }
        if (m->number != 1)
            continue;
        IA_TRY(read_node(cx, r, m, depth, &part));
        for (leaf = part; leaf->kind == IA_AENC_NULLABLE || leaf->kind == IA_AENC_FSL;
             leaf = leaf->child) {
            if (leaf->kind == IA_AENC_NULLABLE && leaf->nulls != IA_NULLS_NONE)
                return ia_fail(cx, IA_ERR_UNSUPPORTED, "packed struct with nulls in its fields");
            if (leaf->kind == IA_AENC_FSL && !ia_mul_u64(&n, n, leaf->dimension))
                return ia_fail(cx, IA_ERR_CORRUPT, "packed struct that is too wide");
        }
        if ((leaf->kind != IA_AENC_FLAT && leaf->kind != IA_AENC_PACKED_STRUCT) || leaf->scheme)
            return ia_fail(cx, IA_ERR_UNSUPPORTED, "packed struct with a field of encoding %s",
                           ia_aenc_name(leaf->kind));
        if (!ia_mul_u64(&bits, leaf->bits, n) || !ia_add_u64(&e->bits, e->bits, bits) ||
            e->bits > UINT32_MAX || bits % 8)
            return ia_fail(cx, IA_ERR_CORRUPT, "packed struct with a field of %" PRIu64 " bits",
                           bits);
    }
    if (!m->bad && (!buffer || !e->bits))
        return ia_fail(cx, IA_ERR_CORRUPT, "packed struct without its parts");
    return IA_OK;
}

/* bitpacked and bitpacked_for_non_neg {compressed 1, uncompressed 2, buffer 3, signed 4}. */
static ia_status read_bitpacked(ia_ctx *cx, reader *r, ia_wire *m, ia_aenc *e)
{
    bool buffer = false;

    while (ia_wire_next(m)) {
        if (m->number == 1)
            e->packed_bits = ia_wire_u32(m);
        else if (m->number == 2)
            e->bits = ia_wire_u64(m);
        else if (m->number == 3)
            IA_TRY(read_buffer(cx, r, m, e));
        else if (m->number == 4)
            e->is_signed = ia_wire_bool(m);
        buffer |= m->number == 3;
    }
    if (!m->bad && (!buffer || e->packed_bits > e->bits ||
                    (e->bits != 8 && e->bits != 16 && e->bits != 32 && e->bits != 64)))
        return ia_fail(cx, IA_ERR_CORRUPT, "%s encoding of %" PRIu32 " bits for %" PRIu64 "%s",
                       ia_aenc_name(e->kind), e->packed_bits, e->bits,
                       buffer ? "" : " without a buffer");
    return IA_OK;
}

/* Members 1 and 2 are encodings, or numbers, as each message has them. */
static ia_status read_members(ia_ctx *cx, reader *r, ia_wire *m, int depth, ia_aenc *e)
{
    while (ia_wire_next(m)) {
        if (m->number > 15)
            continue;
        switch ((uint32_t)e->kind << 4 | m->number) {
        case IA_AENC_LIST << 4 | 1:
        case IA_AENC_BINARY << 4 | 1:
        case IA_AENC_DICTIONARY << 4 | 1:
        case IA_AENC_FSST << 4 | 1:
        case IA_AENC_FIXED_BINARY << 4 | 1:
        case IA_AENC_FSL << 4 | 2:
            IA_TRY(read_node(cx, r, m, depth, &e->child));
            break;
        case IA_AENC_BINARY << 4 | 2:
        case IA_AENC_DICTIONARY << 4 | 2:
            IA_TRY(read_node(cx, r, m, depth, &e->extra));
            break;
        case IA_AENC_FSL << 4 | 1:
        case IA_AENC_FIXED_BINARY << 4 | 2:
            e->dimension = ia_wire_u32(m);
            break;
        case IA_AENC_LIST << 4 | 2:
        case IA_AENC_BINARY << 4 | 3:
            e->adjustment = ia_wire_u64(m);
            break;
        case IA_AENC_LIST << 4 | 3:
        case IA_AENC_DICTIONARY << 4 | 3:
            e->n_items = ia_wire_u64(m);
            break;
        case IA_AENC_FSST << 4 | 2:
        case IA_AENC_CONSTANT << 4 | 1:
            e->bytes = ia_wire_view(m);
            break;
        default:
            break;
        }
    }
    if (m->bad || e->kind == IA_AENC_STRUCT)
        return IA_OK;
    if ((e->kind != IA_AENC_CONSTANT && !e->child) ||
        ((e->kind == IA_AENC_BINARY || e->kind == IA_AENC_DICTIONARY) && !e->extra))
        return ia_fail(cx, IA_ERR_CORRUPT, "%s encoding without its parts", ia_aenc_name(e->kind));
    if ((e->kind == IA_AENC_FSL || e->kind == IA_AENC_FIXED_BINARY) &&
        (!e->dimension || e->dimension > INT32_MAX))
        return ia_fail(cx, IA_ERR_CORRUPT, "%s encoding of size %" PRIu32, ia_aenc_name(e->kind),
                       e->dimension);
    if (e->kind == IA_AENC_FSST && e->child->kind != IA_AENC_BINARY)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "fsst encoding over %s",
                       ia_aenc_name(e->child->kind));
    return IA_OK;
}

static ia_status read_kind(ia_ctx *cx, reader *r, ia_wire *m, int depth, ia_aenc *e)
{
    switch (e->kind) {
    case IA_AENC_FLAT:
        return read_flat(cx, r, m, e);
    case IA_AENC_NULLABLE:
        return read_nullable(cx, r, m, depth, e);
    case IA_AENC_PACKED_STRUCT:
        return read_packed_struct(cx, r, m, depth, e);
    case IA_AENC_BITPACKED:
    case IA_AENC_BITPACKED_NON_NEG:
        return read_bitpacked(cx, r, m, e);
    case IA_AENC_FSL:
    case IA_AENC_LIST:
    case IA_AENC_STRUCT:
    case IA_AENC_BINARY:
    case IA_AENC_DICTIONARY:
    case IA_AENC_FSST:
    case IA_AENC_FIXED_BINARY:
    case IA_AENC_CONSTANT:
        break;
    }
    return read_members(cx, r, m, depth, e);
}

/* The members of the ArrayEncoding message under the cursor `e`. */
static ia_status read_oneof(ia_ctx *cx, reader *r, ia_wire *e, int depth, ia_aenc **out)
{
    ia_aenc *n = NULL;
    ia_wire m;

    if (depth > IA_ENC_MAX_DEPTH)
        return ia_fail(cx, IA_ERR_CORRUPT, "encodings nested deeper than %d", IA_ENC_MAX_DEPTH);
    while (ia_wire_next(e)) {
        if (n)
            return ia_fail(cx, IA_ERR_CORRUPT, "array has two encodings");
        if (e->number > IA_AENC_CONSTANT)
            return ia_fail(cx, IA_ERR_UNSUPPORTED,
                           "encoding %" PRIu32 " (%s) was never released for format 2.0", e->number,
                           ia_aenc_name(e->number));
        IA_TRY(IA_ARENA_NEW(cx, r->arena, n));
        n->kind = (ia_aenc_kind)e->number;
        n->number = r->n_nodes++;
        ia_wire_sub(e, &m);
        IA_TRY(read_kind(cx, r, &m, depth + 1, n));
        if (m.bad)
            e->bad = true;
    }
    if (!n || e->bad)
        return ia_fail(cx, IA_ERR_CORRUPT,
                       n ? "malformed array encoding" : "array without an encoding");
    *out = n;
    return IA_OK;
}

static ia_status read_node(ia_ctx *cx, reader *r, ia_wire *w, int depth, ia_aenc **out)
{
    ia_wire e;

    ia_wire_sub(w, &e);
    return read_oneof(cx, r, &e, depth, out);
}

ia_status ia_aenc_decode(ia_ctx *cx, ia_arena *a, const uint8_t *p, size_t n, size_t n_buffers,
                         ia_aenc **out, size_t *n_nodes)
{
    reader r = {.arena = a, .n_buffers = n_buffers};
    ia_view url = {"", 0}, value = {"", 0};
    ia_wire any, w;

    *out = NULL;
    *n_nodes = 0;
    ia_wire_init(&any, p, n);
    while (ia_wire_next(&any)) {
        if (any.number == 1)
            url = ia_wire_view(&any);
        else if (any.number == 2)
            value = ia_wire_view(&any);
    }
    IA_TRY(ia_wire_done(cx, &any, "page encoding"));
    if (!ia_view_eq_str(url, "/lance.encodings.ArrayEncoding"))
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "page description '%.*s' in a file of format 2.0",
                       (int)(url.len < 80 ? url.len : 80), url.data);
    ia_wire_init(&w, (const uint8_t *)value.data, value.len);
    IA_TRY(read_oneof(cx, &r, &w, 0, out));
    *n_nodes = r.n_nodes;
    return IA_OK;
}
