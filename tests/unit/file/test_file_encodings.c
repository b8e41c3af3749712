/* test_file_encodings.c - encodings and layouts on hand-made bytes, whole and damaged. */
#include "../base/test_env.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/ids.h"
#include "file_io.h"

enum { MAX_BUFFERS = 6 };

typedef struct vector {
    const char *name, *type;
    uint64_t rows;
    uint32_t minor;
    const char *layout;
    const char *buffers[MAX_BUFFERS];
    const char *want; /* one line per row */
    bool shorter;     /* fewer bytes may be right as well */
} vector;

/* clang-format off */
static const vector vectors[] = {
    {"planar values with nulls", "int32", 3, RAW_PLANAR,
     "0a050a030a010312140a120a040a020820120612040a02081028013003",
     {"30000000",
      "030006000c000000000001000000fefe010000000000000003000000fefefefe"},
     "01000000\n"
     "null\n"
     "03000000\n", false},
    {"planar lists", "list<int32>", 4, RAW_PLANAR,
     "0a060a040a020306121c0a1a0a040a020820120e0a040a02081012040a020810180128013004",
     {"70000000",
      "06000c000c0010000000fefefefefefe010000000100010001000000fefefefe0000000002000300"
      "00000100fefefefe01000000020000000300000000000000",
      "04000000000000000000000000000000"},
     "[01000000,02000000]\n"
     "null\n"
     "[]\n"
     "[03000000,null]\n", false},
    {"planar zipped strings", "string", 3, RAW_PLANAR,
     "0a050a030a0103121612140a0812060a040a02082012021001202028033003",
     {"00020000006162010000000000",
      "0007080d"},
     "x6162\n"
     "null\n"
     "x\n", false},
    {"planar constant", "int32", 3, RAW_PLANAR,
     "0a050a030a010112081a060a0407000000",
     {0},
     "07000000\n"
     "07000000\n"
     "07000000\n", false},
    {"runs of 16 bit lengths", "int64", 5, RAW_PLANAR,
     "0a050a030a010112180a160a0e420c0a040a02084012040a020810120028023005",
     {"40000000",
      "00001000000004000000fefefefefefe0500000000000000090000000000000003000200fefefefe"},
     "0500000000000000\n"
     "0500000000000000\n"
     "0500000000000000\n"
     "0900000000000000\n"
     "0900000000000000\n", false},
    {"runs of 32 bit lengths, the last too long", "int32", 5, RAW_PLANAR,
     "0a050a030a010112180a160a0e420c0a040a02082012040a020820120028023005",
     {"30000000",
      "00000800000008000000fefefefefefe05000000090000000300000004000000"},
     "05000000\n"
     "05000000\n"
     "05000000\n"
     "09000000\n"
     "09000000\n", false},
    {"runs of packed values", "int64", 4, RAW_PLANAR,
     "0a050a030a0101121e0a1c0a1442120a0a220808401a040a02080b12040a020808120028023004",
     {"40000000",
      "00001000000002000000fefefefefefe0500000000000000d0070000000000000301fefefefefefe"},
     "0500000000000000\n"
     "0500000000000000\n"
     "0500000000000000\n"
     "d007000000000000\n", false},
    {"runs of packed lengths", "int32", 4, RAW_PLANAR,
     "0a050a030a0101121e0a1c0a1442120a040a020820120a220808081a040a020803120028023004",
     {"30000000",
      "00000800000002000000fefefefefefe05000000060000000301fefefefefefe"},
     "05000000\n"
     "05000000\n"
     "05000000\n"
     "06000000\n", false},
    {"runs of compressed values and lengths", "int32", 4, RAW_PLANAR,
     "0a050a030a010112280a260a1e421c0a0c520a0a0208011a040a020820120c520a0a0208011a040a"
     "020808120028023004",
     {"40000000",
      "00000d00000007000000fefefefefefe08000000800500000006000000fefefe02000000200301fe"},
     "05000000\n"
     "05000000\n"
     "05000000\n"
     "06000000\n", false},
    {"runs all of one length", "int32", 5, RAW_PLANAR,
     "0a050a030a010112190a170a0f420d0a040a02082012051a030a0102120028013005",
     {"20000000",
      "00000c000000fefe040000000500000006000000fefefefe"},
     "04000000\n"
     "04000000\n"
     "05000000\n"
     "05000000\n"
     "06000000\n", false},
    {"offsets from a range", "string", 3, RAW_PLANAR,
     "0a050a030a010112140a120a0a12080a06720408201802120028013003",
     {"10000000",
      "000006000000fefe616263646566fefe"},
     "x6162\n"
     "x6364\n"
     "x6566\n", false},
    {"offsets from deltas", "string", 3, RAW_PLANAR,
     "0a050a030a010112180a160a0e120c0a0a7a0808201a040a020820120028023003",
     {"40000000",
      "00000c00000003000000fefefefefefe010000000000000002000000fefefefe616263fefefefefe"},
     "x61\n"
     "x\n"
     "x6263\n", false},
    {"offsets of equal strings but one", "string", 4, RAW_PLANAR,
     "0a050a030a010112220a200a1812160a1442120a0672040820180312087206082010021801120028"
     "013004",
     {"10000000",
      "000003000000fefe616263fefefefefe"},
     "x\n"
     "x616263\n"
     "x\n"
     "x\n", false},
    {"64 bit offsets from deltas", "large_string", 3, RAW_PLANAR,
     "0a050a030a010112180a160a0e120c0a0a7a0808401a040a020840120028023003",
     {"50000000",
      "00001800000003000000fefefefefefe010000000000000000000000000000000200000000000000"
      "616263fefefefefe"},
     "x61\n"
     "x\n"
     "x6263\n", false},
    {"levels in runs of 16 bit lengths", "int32", 4, RAW_PLANAR,
     "0a050a030a0103121e0a1c0a040a0208201210120e420c0a040a02081012040a02081028013004",
     {"40000000",
      "04001000100000000400000000000000000001000200020001000000020000000000000000000000"},
     "01000000\n"
     "02000000\n"
     "null\n"
     "null\n", false},
    {"dictionary of fixed-size lists", "fsl<int32,2>", 4, RAW_PLANAR,
     "0a050a030a010112260a240a040a02082012001a1452120a0208011a0c5a0a080212040a02082018"
     "01200228013004",
     {"20000000",
      "000010000000fefe01000000000000000000000001000000",
      "12000000f003010500000000000000030700000008000000"},
     "[07000000,08000000]\n"
     "[05000000,null]\n"
     "[05000000,null]\n"
     "[07000000,08000000]\n", false},
    {"one null", "int32", 4, RAW_PLANAR,
     "0a1812160a140a120801120c1a0a0a0802000000000000001801120a0a080a040a0208202801",
     {"20000000",
      "000010000000fefe01000000020000000000000004000000"},
     "01000000\n"
     "02000000\n"
     "null\n"
     "04000000\n", false},
    {"one valid", "int64", 4, RAW_PLANAR,
     "0a1812160a140a120802120c1a0a0a0802000000000000001801120c1a0a0a080900000000000000",
     {0},
     "null\n"
     "null\n"
     "0900000000000000\n"
     "null\n", false},
    {"every third null", "int32", 7, RAW_PLANAR,
     "0a1212100a0e0a0c08011206720408401803180312081a060a0406000000",
     {0},
     "null\n"
     "06000000\n"
     "06000000\n"
     "null\n"
     "06000000\n"
     "06000000\n"
     "null\n", false},
    {"listed nulls", "int32", 6, RAW_PLANAR,
     "0a10120e0a0c0a0a080112040a0208401803120a0a080a040a0208202801",
     {"30000000",
      "000018000000fefe000000000100000002000000030000000400000005000000",
      "000000000000000001000000000000000400000000000000"},
     "null\n"
     "null\n"
     "02000000\n"
     "03000000\n"
     "null\n"
     "05000000\n", false},
    {"listed valid slots", "int32", 6, RAW_PLANAR,
     "0a10120e0a0c0a0a080212040a0208401803120a0a080a040a0208202801",
     {"30000000",
      "000018000000fefe000000000100000002000000030000000400000005000000",
      "000000000000000001000000000000000400000000000000"},
     "00000000\n"
     "01000000\n"
     "null\n"
     "null\n"
     "04000000\n"
     "null\n", false},
    {"nulls by deltas", "int32", 6, RAW_PLANAR,
     "0a1812160a140a120801120c7a0a084010011a040a0208401803120a0a080a040a0208202801",
     {"30000000",
      "000018000000fefe000000000100000002000000030000000400000005000000",
      "01000000000000000300000000000000"},
     "00000000\n"
     "null\n"
     "null\n"
     "03000000\n"
     "04000000\n"
     "null\n", false},
    {"nothing but nulls", "string", 3, RAW_PLANAR,
     "0a0c120a0a080a06080212021a0012022200",
     {0},
     "null\n"
     "null\n"
     "null\n", false},
    {"zipped strings between nulls", "string", 5, RAW_PLANAR,
     "0a1212100a0e0a0c080112067204084018021803121212100a0812060a040a020820202028023002",
     {"02000000616200000000",
      "00060a"},
     "null\n"
     "x6162\n"
     "null\n"
     "x\n"
     "null\n", false},
    {"zipped numbers between nulls", "int64", 4, RAW_PLANAR,
     "0a1412120a100a0e0802120872060840100118021802120e120c0a040a020840184028023002",
     {"07000000000000000800000000000000"},
     "null\n"
     "0700000000000000\n"
     "null\n"
     "0800000000000000\n", false},
    {"lists of equal length", "list<int32>", 5, RAW_PLANAR,
     "0a4a12480a30122e080412067204084018031802220c1a0a0a0802000000000000002a120801120c"
     "1a0a0a08010000000000000018010a140a120801120c1a0a0a0803000000000000001801120a0a08"
     "0a040a0208202801",
     {"20000000",
      "000010000000fefe01000000020000000300000000000000"},
     "[01000000,02000000]\n"
     "null\n"
     "[]\n"
     "[03000000,null]\n"
     "[]\n", false},
    {"lists of listed lengths", "list<int32>", 4, RAW_PLANAR,
     "0a2812260a1a1218080412040a020840180222040a0208402a06080112021a000a080a0608011202"
     "1a00120a0a080a040a0208202801",
     {"20000000",
      "000010000000fefe01000000020000000300000004000000",
      "00000000000000000300000000000000",
      "01000000000000000300000000000000"},
     "[01000000]\n"
     "[]\n"
     "[]\n"
     "[02000000,03000000,04000000]\n", false},
    {"lists of lengths from a dictionary", "list<int32>", 3, RAW_PLANAR,
     "0a3a12380a2c122a08051206720408401801180322143a120a040a02082012087206084010011801"
     "18022a06080112021a000a080a06080112021a00120a0a080a040a0208202801",
     {"30000000",
      "000014000000fefe0100000002000000030000000400000005000000fefefefe",
      "0c000000000000000000000000000000010000000000000001000000"},
     "[01000000,02000000]\n"
     "[03000000]\n"
     "[04000000,05000000]\n", false},
    {"lists of lengths from a listed dictionary", "list<int32>", 3, RAW_PLANAR,
     "0a3612340a28122608091206720408401801180322103a0e0a040a02082012040a02084018022a06"
     "080112021a000a080a06080112021a00120a0a080a040a0208202801",
     {"50000000",
      "000024000000fefe0000000001000000020000000300000004000000050000000600000007000000"
      "08000000fefefefe",
      "0c000000000000001000000000000000010000000000000001000000010000000000000004000000"
      "00000000"},
     "[00000000,01000000,02000000,03000000]\n"
     "[04000000]\n"
     "[05000000,06000000,07000000,08000000]\n", false},
    {"lists without an item", "list<int32>", 3, RAW_PLANAR,
     "0a2c122a0a1e121c12021a0022021a002a120802120c1a0a0a08010000000000000018010a080a06"
     "080112021a0012022200",
     {0},
     "null\n"
     "[]\n"
     "null\n", false},
    {"sparse structs of lists", "struct<list<int32>>", 4, RAW_PLANAR,
     "0a4e124c0a140a120801120c1a0a0a08000000000000000018010a2a122808031208720608401001"
     "1802180222040a0208402a120801120c1a0a0a08000000000000000018010a080a06080112021a00"
     "120a0a080a040a0208202801",
     {"20000000",
      "00000c000000fefe010000000200000003000000fefefefe",
      "01000000000000000200000000000000"},
     "null\n"
     "{[01000000]}\n"
     "{[]}\n"
     "{[02000000,03000000]}\n", false},
    {"sparse lists of lists", "list<list<int32>>", 3, RAW_PLANAR,
     "0a5412520a28122608031206720408401802180222040a0208402a120801120c1a0a0a0801000000"
     "0000000018010a1c121a08031206720408401802180222040a0208402a06080112021a000a080a06"
     "080112021a00120a0a080a040a0208202801",
     {"20000000",
      "00000c000000fefe010000000200000003000000fefefefe",
      "02000000000000000100000000000000",
      "01000000000000000200000000000000"},
     "[[01000000],[]]\n"
     "null\n"
     "[[02000000,03000000]]\n", false},
    {"byte streams of 16 bits", "int16", 3, 1,
     "0a111a084a060a040a02081032010138014803",
     {"1000",
      "00000600fefefefe010203000100fefe"},
     "0100\n"
     "0201\n"
     "0300\n", false},
    {"byte streams under ZSTD without a size", "int32", 2, 1,
     "0a191a10520e0a0208021a084a060a040a02082032010138014802",
     {"3000",
      "00001100fefefefe28b52ffd20084100000102000000000001fefefefefefefe"},
     "01000000\n"
     "02000001\n", false},
    {"a dictionary with its count, as older writers had it", "string", 3, 1,
     "0a191a040a020808220812060a040a020820280232010138014803",
     {"1000",
      "00000300fefefefe010001fefefefefe",
      "200200000015000000000000000100000003000000616263"},
     "x6263\n"
     "x61\n"
     "x6263\n", false},
    {"a dictionary of 64 bit offsets", "large_string", 3, 2,
     "0a191a040a020808220812060a040a020840280232010138014803",
     {"1000",
      "00000300fefefefe010001fefefefefe",
      "40000000000000002800000000000000000000000000000001000000000000000300000000000000"
      "616263"},
     "x6263\n"
     "x61\n"
     "x6263\n", false},
    {"a dictionary of packed numbers", "int64", 3, 2,
     "0a151a040a02080822042a020840280232010138014803",
     {"1000",
      "00000300fefefefe010001fefefefefe",
      "02000000000000000200000000000000010000000000000000000000000000000000000000000000"
      "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
      "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
      "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
      "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
      "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
      "000000000000000000000000000000000000000000000000"},
     "0100000000000000\n"
     "0200000000000000\n"
     "0100000000000000\n", false},
    {"one control byte although there are no levels", "fsl<int32,2>", 2, 1,
     "1a151840280230023a0a5a08080212040a020820420101",
     {"000100000002000000000300000004000000"},
     "[01000000,02000000]\n"
     "[03000000,04000000]\n", true},
    {"lists of nothing but nulls", "fsl<int32,3>", 2, 1,
     "1a1710011808280230023a0a5a08080312021a001801420103",
     {"00000100"},
     "[null,null,null]\n"
     "null\n", false},
    {"lists of zeros, told by the encoding", "fsl<int32,3>", 2, 1,
     "1a131001280230023a085a06080312021a00420103",
     {"0001"},
     "[00000000,00000000,00000000]\n"
     "null\n", false},
    {"a sparse page of the older form", "int32", 6, 3,
     "2a220a040a020820100118062006280132120a100806120c080112080a040a0208402803",
     {"0300000006000000",
      "000018000000fefe000000000100000002000000030000000400000005000000",
      "010000000000000001000000000000000300000000000000"},
     "00000000\n"
     "null\n"
     "null\n"
     "03000000\n"
     "04000000\n"
     "null\n", false},
    {"sparse lists of the older form", "list<int32>", 4, 3,
     "2a400a040a02082010011806200428013220121e080410041a08120408011002280222060a040a02"
     "08402a06080112022200320e0a0c08041208080212041a002804",
     {"0200000004000000",
      "000010000000fefe01000000020000000300000004000000",
      "01000000000000000300000000000000"},
     "[]\n"
     "[01000000]\n"
     "[02000000,03000000,04000000]\n"
     "[]\n", false},};
/* clang-format on */
enum { N_VECTORS = sizeof vectors / sizeof *vectors };

/* ---- whole ---------------------------------------------------------------------------------- */

/* The lines of rows [begin, end) of the text. */
static void lines(const char *text, uint64_t begin, uint64_t end, ia_ctx *cx, ia_buf *out)
{
    for (uint64_t i = 0; i < end; i++) {
        const char *stop = strchr(text, '\n') + 1;

        if (i >= begin)
            ia_buf_put(cx, out, text, (size_t)(stop - text));
        text = stop;
    }
    ia_buf_putc(cx, out, 0);
}

static void check_text(const vector *v, const char *what, const char *want, const ia_buf *have)
{
    if (strcmp(want, (const char *)have->data) != 0)
        fail_msg("%s, %s: read %s instead of %s", v->name, what, (const char *)have->data, want);
}

/* Every range of rows, and every row alone. */
static void read_parts(env *e, opened *o, const vector *v)
{
    for (uint64_t a = 0; a < v->rows; a++) {
        uint32_t row = (uint32_t)a;
        ia_buf have = {0}, want = {0};

        for (uint64_t b = a + 1; b <= v->rows; b++) {
            ia_buf_clear(&have);
            ia_buf_clear(&want);
            if (opened_scan(&e->cx, o, a, b, 2, &have) != IA_OK)
                fail_msg("%s: %s", v->name, e->cx.err.text);
            lines(v->want, a, b, &e->cx, &want);
            check_text(v, "range", (char *)want.data, &have);
        }
        ia_buf_clear(&have);
        ia_buf_clear(&want);
        if (opened_take(&e->cx, o, &row, 1, &have) != IA_OK)
            fail_msg("%s: %s", v->name, e->cx.err.text);
        lines(v->want, a, a + 1, &e->cx, &want);
        check_text(v, "take", (char *)want.data, &have);
        ia_buf_dispose(&have);
        ia_buf_dispose(&want);
    }
}

static void read_vector(const vector *v)
{
    env e = env_new(0);
    ia_type *t = gen_type(&e.cx, v->type);
    ia_field field = {.name = (char *)"c", .type = t, .nullable = true};
    ia_objstore *os = NULL;
    opened o;

    if (!t)
        fail_msg("%s: type %s", v->name, v->type);
    assert_ok(ia_objstore_memory(&e.cx, true, &os));
    assert_ok(write_raw(&e.cx, os, "/v.lance", &field, v->rows, v->minor, v->layout, v->buffers));
    if (opened_init(&e.cx, os, "/v.lance", &o) != IA_OK)
        fail_msg("%s: %s", v->name, e.cx.err.text);
    read_parts(&e, &o, v);
    opened_dispose(&o);
    ia_objstore_close(os);
    ia_type_release(t);
    env_end(&e);
}

static void every_encoding_reads_as_its_bytes_say(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_VECTORS; i++)
        read_vector(&vectors[i]);
}

/* ---- damaged -------------------------------------------------------------------------------- */

typedef struct parts {
    ia_buf layout, buffers[MAX_BUFFERS];
    size_t n;
} parts;

static void put_hex(ia_ctx *cx, ia_buf *out, const ia_buf *b)
{
    for (size_t i = 0; i < b->len; i++)
        ia_buf_printf(cx, out, "%02x", b->data[i]);
    ia_buf_putc(cx, out, 0);
}

/* Reads the vector with these bytes instead; it must end in a status. */
static ia_status read_changed(env *e, const vector *v, const ia_type *t, const parts *p)
{
    ia_field field = {.name = (char *)"c", .type = (ia_type *)(uintptr_t)t, .nullable = true};
    ia_budget *limit = ia_budget_new(e->budget, 64u << 20);
    const char *hex[MAX_BUFFERS + 1] = {0};
    ia_buf layout = {0}, text[MAX_BUFFERS] = {0}, out = {0};
    ia_objstore *os = NULL;
    uint32_t last = (uint32_t)v->rows - 1;
    ia_status st;
    ia_ctx cx;
    opened o;

    put_hex(&e->cx, &layout, &p->layout);
    for (size_t i = 0; i < p->n; i++) {
        put_hex(&e->cx, &text[i], &p->buffers[i]);
        hex[i] = (char *)text[i].data;
    }
    assert_ok(ia_objstore_memory(&e->cx, true, &os));
    assert_ok(
        write_raw(&e->cx, os, "/d.lance", &field, v->rows, v->minor, (char *)layout.data, hex));
    ia_ctx_init(&cx, limit);
    st = opened_init(&cx, os, "/d.lance", &o);
    if (st == IA_OK)
        st = opened_scan(&cx, &o, 0, v->rows, 0, &out);
    if (st == IA_OK)
        st = opened_take(&cx, &o, &last, 1, &out);
    assert_true(st == IA_OK || st == IA_ERR_CORRUPT || st == IA_ERR_UNSUPPORTED ||
                st == IA_ERR_OVER_BUDGET);
    opened_dispose(&o);
    ia_buf_dispose(&out);
    ia_buf_dispose(&layout);
    for (size_t i = 0; i < p->n; i++)
        ia_buf_dispose(&text[i]);
    ia_objstore_close(os);
    ia_budget_drop(limit);
    return st;
}

/* Every byte of `b` in turn. */
static void change_bytes(env *e, const vector *v, const ia_type *t, parts *p, ia_buf *b)
{
    static const uint8_t flips[] = {0x01, 0x02, 0x80, 0xff};

    for (size_t i = 0; i < b->len; i++) {
        uint8_t keep = b->data[i];

        for (size_t k = 0; k < sizeof flips; k++) {
            b->data[i] = (uint8_t)(keep ^ flips[k]);
            (void)read_changed(e, v, t, p);
        }
        b->data[i] = keep;
    }
}

static void damage(const vector *v)
{
    env e = env_new(0);
    ia_type *t = gen_type(&e.cx, v->type);
    parts p = {0};

    put_hexes(&e.cx, &p.layout, v->layout);
    for (; p.n < MAX_BUFFERS && v->buffers[p.n]; p.n++)
        put_hexes(&e.cx, &p.buffers[p.n], v->buffers[p.n]);
    change_bytes(&e, v, t, &p, &p.layout);
    for (size_t i = 0; i < p.n; i++) {
        size_t len = p.buffers[i].len;

        change_bytes(&e, v, t, &p, &p.buffers[i]);
        for (p.buffers[i].len = 0; p.buffers[i].len < len; p.buffers[i].len++) {
            if (read_changed(&e, v, t, &p) == IA_OK && !v->shorter)
                fail_msg("%s: reads with %zu of %zu bytes of buffer %zu", v->name, p.buffers[i].len,
                         len, i);
        }
    }
    if (p.n) {
        p.n--;
        if (read_changed(&e, v, t, &p) == IA_OK)
            fail_msg("%s: reads without its last buffer", v->name);
        p.n++;
    }
    ia_buf_dispose(&p.layout);
    for (size_t i = 0; i < p.n; i++)
        ia_buf_dispose(&p.buffers[i]);
    ia_type_release(t);
    env_end(&e);
}

static void damaged_bytes_end_in_a_status_and_short_ones_in_an_error(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_VECTORS; i++)
        damage(&vectors[i]);
}

/* ---- refusals ------------------------------------------------------------------------------- */

typedef struct refusal {
    const char *why, *type;
    uint64_t rows;
    uint32_t minor;
    const char *layout;
    const char *buffers[MAX_BUFFERS];
    ia_status want;
    const char *says;
} refusal;

/* clang-format off */
static const refusal refusals[] = {
    {"positions fall", "int32", 6, RAW_PLANAR,
     "0a10120e0a0c0a0a080112040a0208401803120a0a080a040a0208202801",
     {"30000000",
      "000018000000fefe000000000100000002000000030000000400000005000000",
      "000000000000000004000000000000000100000000000000"},
     IA_ERR_CORRUPT, "sparse position 2 is 1"},
    {"positions repeat", "int32", 6, RAW_PLANAR,
     "0a10120e0a0c0a0a080112040a0208401803120a0a080a040a0208202801",
     {"30000000",
      "000018000000fefe000000000100000002000000030000000400000005000000",
      "000000000000000001000000000000000100000000000000"},
     IA_ERR_CORRUPT, "sparse position 2 is 1"},
    {"a position is outside", "int32", 6, RAW_PLANAR,
     "0a10120e0a0c0a0a080112040a0208401803120a0a080a040a0208202801",
     {"30000000",
      "000018000000fefe000000000100000002000000030000000400000005000000",
      "000000000000000001000000000000000600000000000000"},
     IA_ERR_CORRUPT, "of 6 slots"},
    {"a range leaves the slots", "int32", 6, RAW_PLANAR,
     "0a1412120a100a0e0801120872060840100218021803120a0a080a040a0208202801",
     {"30000000",
      "000018000000fefe000000000100000002000000030000000400000005000000"},
     IA_ERR_CORRUPT, "do not fit 6 slots"},
    {"more positions than slots", "int32", 6, RAW_PLANAR,
     "0a10120e0a0c0a0a080112040a0208401807120a0a080a040a0208202801",
     {"30000000",
      "000018000000fefe000000000100000002000000030000000400000005000000",
      "00000000000000000100000000000000020000000000000003000000000000000400000000000000"
      "05000000000000000600000000000000"},
     IA_ERR_CORRUPT, "do not fit 6 slots"},
    {"a list is null and has items", "list<int32>", 2, RAW_PLANAR,
     "0a3e123c0a30122e080212067204084018011802220c1a0a0a0801000000000000002a120801120c"
     "1a0a0a08010000000000000018010a080a06080112021a00120a0a080a040a0208202801",
     {"10000000",
      "000008000000fefe0100000002000000"},
     IA_ERR_CORRUPT, "is null and has items"},
    {"a list counts no items", "list<int32>", 2, RAW_PLANAR,
     "0a2a12280a1c121a08021206720408401801180222040a0208402a06080112021a000a080a060801"
     "12021a00120a0a080a040a0208202801",
     {"10000000",
      "000008000000fefe0100000002000000",
      "00000000000000000200000000000000"},
     IA_ERR_CORRUPT, "has 0 items"},
    {"lists count too many items", "list<int32>", 2, RAW_PLANAR,
     "0a2a12280a1c121a08021206720408401801180222040a0208402a06080112021a000a080a060801"
     "12021a00120a0a080a040a0208202801",
     {"10000000",
      "000008000000fefe0100000002000000",
      "01000000000000000200000000000000"},
     IA_ERR_CORRUPT, "sparse lists of 3 items"},
    {"no values for valid slots", "int32", 3, RAW_PLANAR,
     "0a1812160a140a120801120c1a0a0a080100000000000000180112022200",
     {0},
     IA_ERR_CORRUPT, "without values for valid slots"},
    {"too few zipped values", "int64", 4, RAW_PLANAR,
     "0a1812160a140a120801120c1a0a0a0801000000000000001801120e120c0a040a02084018402802"
     "3002",
     {"07000000000000000800000000000000"},
     IA_ERR_CORRUPT, "2 values for 4 slots"},
    {"an unknown layer", "int32", 3, RAW_PLANAR,
     "0a0612040a02220012022200",
     {0},
     IA_ERR_UNSUPPORTED, "layer number 4"},
    {"an unknown kind of values", "int32", 3, RAW_PLANAR,
     "0a050a030a010112022a00",
     {0},
     IA_ERR_UNSUPPORTED, "values number 5"},
    {"an unknown structure", "int32", 3, RAW_PLANAR,
     "0a021a0012022200",
     {0},
     IA_ERR_UNSUPPORTED, "structure number 3"},
    {"an unknown member", "int32", 3, RAW_PLANAR,
     "0a050a030a010112081a060a04010000001a00",
     {0},
     IA_ERR_UNSUPPORTED, "member number 3"},
    {"an unknown encoding", "int32", 3, RAW_PLANAR,
     "0a050a030a0101120d0a0b0a03820100120028013003",
     {"20000000",
      "00000c000000fefe010000000200000003000000fefefefe"},
     IA_ERR_UNSUPPORTED, "encoding number 16"},
    {"an unknown layout", "int32", 3, 2,
     "3200",
     {0},
     IA_ERR_UNSUPPORTED, "page layout number 6"},
    {"levels beside a sparse structure", "int32", 3, RAW_PLANAR,
     "0a0c120a0a080a06080112021a0012140a120a040a020820120612040a02081028013003",
     {"30000000",
      "030006000c000000000000000000fefe010000000200000003000000fefefefe"},
     IA_ERR_CORRUPT, "levels beside"},
    {"a range of 16 bits", "string", 3, RAW_PLANAR,
     "0a050a030a010112140a120a0a12080a06720408101802120028013003",
     {"10000000",
      "000006000000fefe616263646566fefe"},
     IA_ERR_CORRUPT, "range has missing or bad"},
    {"offsets leave the data", "string", 3, RAW_PLANAR,
     "0a050a030a010112140a120a0a12080a06720408201803120028013003",
     {"10000000",
      "000006000000fefe616263646566fefe"},
     IA_ERR_CORRUPT, "does not fit 3 values"},
    {"deltas overflow", "string", 2, RAW_PLANAR,
     "0a050a030a010112180a160a0e120c0a0a7a0808201a040a020820120028023002",
     {"30000000",
      "00000800000003000000fefefefefefeffffffff02000000616263fefefefefe"},
     IA_ERR_CORRUPT, "delta 2 overflows"},
    {"runs are too short", "int64", 5, RAW_PLANAR,
     "0a050a030a010112180a160a0e420c0a040a02084012040a020810120028023005",
     {"40000000",
      "00001000000004000000fefefefefefe0500000000000000090000000000000003000100fefefefe"},
     IA_ERR_CORRUPT, "hold 4 of 5"},
    {"runs whose number nothing shows", "int64", 4, RAW_PLANAR,
     "0a050a030a010112240a220a1a42180a0a220808401a040a02080b120a220808081a040a02080312"
     "0028023004",
     {"40000000",
      "00001000000002000000fefefefefefe050000000000000006000000000000000301fefefefefefe"},
     IA_ERR_UNSUPPORTED, "rle of out_of_line"},
    {"packed numbers of 128 bits", "fixed16", 1, RAW_PLANAR,
     "0a050a030a0101120f0a0d0a052a03088001120028013001",
     {"20000000",
      "000010000000fefe00000000000000000000000000000000"},
     IA_ERR_UNSUPPORTED, "128 bit"},
};
/* clang-format on */

static void what_is_wrong_or_unknown_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const refusal *r = &refusals[i];
        env e = env_new(0);
        ia_type *t = gen_type(&e.cx, r->type);
        ia_field field = {.name = (char *)"c", .type = t, .nullable = true};
        ia_objstore *os = NULL;
        ia_buf have = {0};
        ia_status st;
        opened o;

        assert_ok(ia_objstore_memory(&e.cx, true, &os));
        assert_ok(
            write_raw(&e.cx, os, "/v.lance", &field, r->rows, r->minor, r->layout, r->buffers));
        assert_ok(opened_init(&e.cx, os, "/v.lance", &o));
        st = opened_scan(&e.cx, &o, 0, r->rows, 0, &have);
        if (st != r->want || !strstr(e.cx.err.text, r->says))
            fail_msg("%s: status %d, %s", r->why, (int)st, e.cx.err.text);
        opened_dispose(&o);
        ia_buf_dispose(&have);
        ia_objstore_close(os);
        ia_type_release(t);
        env_end(&e);
    }
}

/* ---- large chunks --------------------------------------------------------------------------- */

/* 65537 empty lists and one of one item in one chunk, whose count of entries says 2. */
static void a_chunk_may_hold_more_entries_than_its_count_can_say(void **state)
{
    static const char layout[] =
        "0a060a040a02010512300a2e0a040a02082012220a0e420c0a040a02081012040a020810120e420c"
        "0a040a02081012040a020810180128013001";
    static const char *const buffers[] = {
        "70000000",
        "02001000140004000000fefefefefefe040000000000000001000100ffff03000600000000000000"
        "010001000000ffff02000100fefefefe07000000fefefefe",
        "02000100000000000000000000000000", NULL};
    enum { ROWS = 65538 };
    env e = env_new(0);
    ia_type *t = gen_type(&e.cx, "list<int32>");
    ia_field field = {.name = (char *)"c", .type = t, .nullable = true};
    ia_objstore *os = NULL;
    ia_buf have = {0};
    opened o;

    (void)state;
    assert_ok(ia_objstore_memory(&e.cx, true, &os));
    assert_ok(write_raw(&e.cx, os, "/v.lance", &field, ROWS, RAW_PLANAR, layout, buffers));
    assert_ok(opened_init(&e.cx, os, "/v.lance", &o));
    assert_ok(opened_scan(&e.cx, &o, 0, ROWS, ROWS, &have));
    assert_int_equal(strlen((char *)have.data), (ROWS - 1) * 3 + strlen("[07000000]\n"));
    ia_buf_clear(&have);
    assert_ok(opened_take(&e.cx, &o, (uint32_t[]){0, ROWS - 1}, 2, &have));
    assert_string_equal((char *)have.data, "[]\n[07000000]\n");
    opened_dispose(&o);
    ia_buf_dispose(&have);
    ia_objstore_close(os);
    ia_type_release(t);
    env_end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_encoding_reads_as_its_bytes_say),
        cmocka_unit_test(damaged_bytes_end_in_a_status_and_short_ones_in_an_error),
        cmocka_unit_test(what_is_wrong_or_unknown_is_named),
        cmocka_unit_test(a_chunk_may_hold_more_entries_than_its_count_can_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
