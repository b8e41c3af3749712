/* fuzz_encoding.c - decodes arbitrary buffers by an arbitrary encoding tree, in each of its
 * contexts. */
#include "fuzz.h"

#include "file/encodings/decode.h"
#include "file/wire.h"

enum { MOST_BUFFERS = 8, MOST_VALUES = 8192 };
enum { MINI, LEVELS, BLOCK, VALUE, MODES };

/* An input is u8 mode, u8 type, u16 values, u8 buffers, u16 size of each, u16 size of the page
 * description, then that description and the buffers. */
typedef struct input {
    uint32_t mode, type, n, n_bufs;
    ia_view desc, bufs[MOST_BUFFERS];
} input;

static bool parse(const uint8_t *p, size_t size, input *in)
{
    const uint8_t *end = p + size;
    size_t sizes[MOST_BUFFERS], desc;

    memset(in, 0, sizeof *in);
    if (size < 5)
        return false;
    in->mode = p[0] % MODES;
    in->type = p[1];
    in->n = ia_le16(p + 2) % (MOST_VALUES + 1);
    in->n_bufs = p[4];
    p += 5;
    if (in->n_bufs > MOST_BUFFERS || (size_t)(end - p) < 2 * (size_t)in->n_bufs + 2)
        return false;
    for (uint32_t i = 0; i < in->n_bufs; i++, p += 2)
        sizes[i] = ia_le16(p);
    desc = ia_le16(p);
    p += 2;
    desc = desc < (size_t)(end - p) ? desc : (size_t)(end - p);
    in->desc = (ia_view){(const char *)p, desc};
    p += desc;
    for (uint32_t i = 0; i < in->n_bufs; i++) {
        size_t n = sizes[i] < (size_t)(end - p) ? sizes[i] : (size_t)(end - p);

        in->bufs[i] = (ia_view){(const char *)p, n};
        p += n;
    }
    return true;
}

static ia_type *list_of(fuzz_run *r, ia_type *item, int32_t n)
{
    ia_type *t = NULL;

    fuzz_must(r, ia_type_list(&r->cx, IA_TYPE_FIXED_LIST, n, "item", item, true, &t), "a type:");
    ia_type_release(item);
    return t;
}

static ia_type *type_of(fuzz_run *r, uint32_t k)
{
    static const ia_type_id plain[] = {IA_TYPE_BOOL,   IA_TYPE_I8,           IA_TYPE_I16,
                                       IA_TYPE_I32,    IA_TYPE_I64,          IA_TYPE_F32,
                                       IA_TYPE_F64,    IA_TYPE_STRING,       IA_TYPE_LARGE_STRING,
                                       IA_TYPE_BINARY, IA_TYPE_LARGE_BINARY, IA_TYPE_U16};
    const uint32_t n = sizeof plain / sizeof *plain;
    ia_type *t = NULL;

    k %= n + 5;
    if (k < n)
        return ia_type_basic(plain[k]);
    if (k == n) {
        fuzz_must(r, ia_type_fixed_binary(&r->cx, 16, &t), "a type:");
        return t;
    }
    if (k == n + 1)
        return list_of(r, ia_type_basic(IA_TYPE_F32), 4);
    if (k == n + 2)
        return list_of(r, ia_type_basic(IA_TYPE_BOOL), 10);
    if (k == n + 3)
        return list_of(r, list_of(r, ia_type_basic(IA_TYPE_F32), 2), 3);
    return list_of(r, ia_type_basic(IA_TYPE_I8), 5);
}

static void decode(fuzz_run *r, const input *in, const ia_layout *l, ia_decoder *d, ia_vals *out)
{
    static uint16_t levels[MOST_VALUES];
    const ia_view first = in->n_bufs ? in->bufs[0] : (ia_view){"", 0};

    switch (in->mode) {
    case MINI:
        if (l->values &&
            fuzz_ok(r, ia_mini_decode(&r->cx, d, l->values, in->bufs, in->n_bufs, in->n, out)))
            FUZZ_CHECK(out->n == in->n);
        break;
    case LEVELS:
        if (l->rep)
            (void)fuzz_ok(r, ia_block_levels(&r->cx, d, l->rep, first, in->n, 3, levels));
        if (l->def)
            (void)fuzz_ok(r, ia_block_levels(&r->cx, d, l->def, first, in->n, 3, levels));
        break;
    case BLOCK:
        if (l->dict && fuzz_ok(r, ia_block_values(&r->cx, d, l->dict, first, in->n, out)))
            FUZZ_CHECK(out->n == in->n);
        break;
    default:
        for (uint32_t i = 0; l->values && out->phys.kind == IA_PHYS_VAR && i < in->n_bufs; i++)
            (void)fuzz_ok(r, ia_value_decode_var(&r->cx, d, l->values, in->bufs[i], out));
        break;
    }
}

/* The description stands for the value of an Any. */
static bool describe(fuzz_run *r, ia_arena *a, ia_view desc, ia_buf *any, ia_layout *out)
{
    ia_wire_put_str(&r->cx, any, 1, "/lance.encodings21.PageLayout");
    ia_wire_add_bytes(&r->cx, any, 2, desc.data, desc.len);
    fuzz_must(r, ia_buf_status(any), "the description:");
    return fuzz_ok(r, ia_layout_decode(&r->cx, a, any->data, any->len, out));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    input in;
    ia_arena arena = {0};
    ia_layout l;
    ia_decoder d = {0};
    ia_vals out;
    ia_phys phys;
    ia_buf any = {0};
    ia_type *t;

    if (!parse(data, size, &in))
        return 0;
    fuzz_begin(&r);
    t = type_of(&r, in.type);
    fuzz_must(&r, ia_phys_of(&r.cx, t, &phys), "a shape:");
    ia_vals_init(&out, &phys);
    if (describe(&r, &arena, in.desc, &any, &l))
        decode(&r, &in, &l, &d, &out);
    ia_vals_dispose(&out);
    ia_decoder_dispose(&d);
    ia_arena_dispose(&arena);
    ia_buf_dispose(&any);
    ia_type_release(t);
    fuzz_end(&r);
    return 0;
}
