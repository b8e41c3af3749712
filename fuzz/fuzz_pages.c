/* fuzz_pages.c - data files made of the parts of an input, so that a mutant keeps its container. */
#include "fuzz_pages.h"

#include "file/lschema.h"
#include "file/wire.h"

enum { MOST_LEAVES = 64, MOST_ROWS = 50000, MOST_COLUMNS = 8, MOST_PAGES = 4, MOST_BUFFERS = 8 };

/* ---- taking an input apart ------------------------------------------------------------------ */

typedef struct input {
    const uint8_t *p, *end;
    bool bad;
} input;

typedef struct page_part {
    uint32_t rows, desc_len, n_buffers;
    uint32_t sizes[MOST_BUFFERS];
} page_part;

typedef struct column_part {
    uint32_t n_pages;
    page_part pages[MOST_PAGES];
} column_part;

static uint32_t take_number(input *in, size_t bytes)
{
    uint32_t v = 0;

    if ((size_t)(in->end - in->p) < bytes) {
        in->bad = true;
        return 0;
    }
    for (size_t i = 0; i < bytes; i++)
        v |= (uint32_t)in->p[i] << (8 * i);
    in->p += bytes;
    return v;
}

static ia_view take_bytes(input *in, size_t n)
{
    ia_view v = {(const char *)in->p,
                 (size_t)(in->end - in->p) < n ? (size_t)(in->end - in->p) : n};

    in->p += v.len;
    return v;
}

static void take_column(input *in, column_part *c)
{
    c->n_pages = take_number(in, 1);
    in->bad |= c->n_pages > MOST_PAGES;
    for (uint32_t i = 0; !in->bad && i < c->n_pages; i++) {
        page_part *p = &c->pages[i];

        p->rows = take_number(in, 2);
        p->desc_len = take_number(in, 2);
        p->n_buffers = take_number(in, 1);
        in->bad |= p->n_buffers > MOST_BUFFERS;
        for (uint32_t k = 0; !in->bad && k < p->n_buffers; k++)
            p->sizes[k] = take_number(in, 2);
    }
}

/* ---- the container -------------------------------------------------------------------------- */

static void put_any(fuzz_run *r, ia_buf *b, uint32_t number, const char *url, ia_view value)
{
    size_t enc = ia_wire_begin(&r->cx, b, number), direct = ia_wire_begin(&r->cx, b, 2),
           any = ia_wire_begin(&r->cx, b, 1);

    ia_wire_put_str(&r->cx, b, 1, url);
    ia_wire_add_bytes(&r->cx, b, 2, value.data, value.len);
    ia_wire_end(&r->cx, b, any);
    ia_wire_end(&r->cx, b, direct);
    ia_wire_end(&r->cx, b, enc);
}

static void align(fuzz_run *r, ia_buf *b)
{
    if (b->len % 64)
        ia_buf_fill(&r->cx, b, 0x48, 64 - b->len % 64);
}

/* The page's buffers go to `file`, its message to `meta`. */
static void put_page(fuzz_run *r, input *in, const page_part *p, uint32_t minor, ia_buf *file,
                     ia_buf *meta)
{
    uint64_t offs[MOST_BUFFERS], sizes[MOST_BUFFERS];
    ia_view desc = take_bytes(in, p->desc_len);
    size_t m = ia_wire_begin(&r->cx, meta, 2);

    for (uint32_t k = 0; k < p->n_buffers; k++) {
        ia_view v = take_bytes(in, p->sizes[k]);

        align(r, file);
        offs[k] = file->len;
        sizes[k] = v.len;
        if (v.len)
            ia_buf_put(&r->cx, file, v.data, v.len);
    }
    ia_wire_put_u64s(&r->cx, meta, 1, offs, p->n_buffers);
    ia_wire_put_u64s(&r->cx, meta, 2, sizes, p->n_buffers);
    ia_wire_put_u64(&r->cx, meta, 3, p->rows);
    put_any(r, meta, 4,
            minor == 0   ? "/lance.encodings.ArrayEncoding"
            : minor <= 2 ? "/lance.encodings21.PageLayout"
                         : "/lance.encodings23.PlanarLayout",
            desc);
    ia_wire_end(&r->cx, meta, m);
}

static void put_pair(fuzz_run *r, ia_buf *b, uint64_t x, uint64_t y)
{
    uint8_t p[16];

    ia_put_le64(p, x);
    ia_put_le64(p + 8, y);
    ia_buf_put(&r->cx, b, p, sizeof p);
}

static void put_end(fuzz_run *r, uint32_t minor, ia_view descriptor, const ia_buf *meta,
                    uint32_t n_columns, ia_buf *file)
{
    uint64_t at, cmo, gbo, first;
    uint8_t foot[24];

    align(r, file);
    at = file->len;
    ia_buf_put(&r->cx, file, descriptor.data, descriptor.len);
    first = file->len;
    for (uint32_t i = 0; i < n_columns; i++)
        ia_buf_put(&r->cx, file, meta[i].data, meta[i].len);
    cmo = file->len;
    for (uint64_t i = 0, pos = first; i < n_columns; pos += meta[i].len, i++)
        put_pair(r, file, pos, meta[i].len);
    gbo = file->len;
    put_pair(r, file, at, descriptor.len);
    put_pair(r, file, first, cmo);
    ia_put_le64(foot, gbo);
    ia_put_le32(foot + 8, 1);
    ia_put_le32(foot + 12, n_columns);
    ia_put_le16(foot + 16, minor ? 2 : 0);
    ia_put_le16(foot + 18, (uint16_t)(minor ? minor : 3));
    memcpy(foot + 20, "LANC", 4);
    ia_buf_put(&r->cx, file, foot, sizeof foot);
}

bool fuzz_pages_put(fuzz_run *r, ia_objstore *os, uint32_t minor, const uint8_t *data, size_t size)
{
    static const uint8_t plain[] = {0x0A, 0x00};
    const ia_view values = {(const char *)plain, sizeof plain};
    input in = {data, data + size, false};
    ia_view descriptor = take_bytes(&in, take_number(&in, 2));
    column_part cols[MOST_COLUMNS] = {{0}};
    ia_buf file = {0}, meta[MOST_COLUMNS] = {{0}};
    uint32_t n = take_number(&in, 1);

    if (in.bad || n > MOST_COLUMNS || !descriptor.len)
        return false;
    for (uint32_t i = 0; i < n; i++)
        take_column(&in, &cols[i]);
    if (in.bad)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        put_any(r, &meta[i], 1, "/lance.encodings.ColumnEncoding", values);
        for (uint32_t k = 0; k < cols[i].n_pages; k++)
            put_page(r, &in, &cols[i].pages[k], minor, &file, &meta[i]);
    }
    put_end(r, minor, descriptor, meta, n, &file);
    fuzz_must(r, ia_buf_status(&file), "the file:");
    fuzz_must(r, ia_objstore_put(&r->cx, os, "/f.lance", file.data, file.len, 0), "the file:");
    ia_buf_dispose(&file);
    for (uint32_t i = 0; i < n; i++)
        ia_buf_dispose(&meta[i]);
    return true;
}

/* ---- reading -------------------------------------------------------------------------------- */

static size_t count_leaves(const ia_field *f)
{
    size_t n = 0;

    if (ia_field_is_leaf(f))
        return 1;
    for (size_t i = 0; i < f->type->n_children; i++)
        n += count_leaves(&f->type->children[i]);
    return n;
}

static void check_array(fuzz_run *r, ia_array *a, uint64_t rows)
{
    FUZZ_CHECK((uint64_t)a->length == rows);
    fuzz_must(r, ia_array_validate(&r->cx, a, IA_VALIDATE_SIZES), "what was read is sound:");
    fuzz_touch(r, a, 64);
    ia_array_release(a);
}

static void scan(fuzz_run *r, ia_file *f, const ia_file_column *col, uint64_t begin, uint32_t batch)
{
    uint64_t n = 0, seen = 0;
    ia_file_scan *s = NULL;
    ia_array *a = NULL;

    if (!fuzz_ok(r, ia_file_scan_open(&r->cx, f, col, 1, begin, ia_file_rows(f), batch, &s)))
        return;
    while (seen < MOST_ROWS && fuzz_ok(r, ia_file_scan_next(&r->cx, s, &a, &n)) && n > 0) {
        check_array(r, a, n);
        seen += n;
    }
    ia_file_scan_close(s);
}

static void take(fuzz_run *r, ia_file *f, const ia_file_column *col)
{
    const uint64_t rows = ia_file_rows(f) > UINT32_MAX ? UINT32_MAX : ia_file_rows(f);
    const uint32_t offsets[] = {0, (uint32_t)(rows / 2), (uint32_t)(rows - 1)};
    ia_array *a = NULL;

    for (int again = 0; again < 2; again++) { /* the second one meets open pages */
        if (rows >= 3 && fuzz_ok(r, ia_file_take(&r->cx, f, col, 1, offsets, 3, &a)))
            check_array(r, a, 3);
    }
}

static void read_columns(fuzz_run *r, ia_file *f, const ia_schema *s)
{
    int32_t leaves[MOST_LEAVES];
    int32_t next = 0;

    for (size_t i = 0; i < s->n_fields; i++) {
        ia_file_column col = {.field = &s->fields[i], .n_leaves = count_leaves(&s->fields[i])};
        const uint64_t third = ia_file_rows(f) / 3;

        if (col.n_leaves > MOST_LEAVES)
            return;
        for (size_t k = 0; k < col.n_leaves; k++)
            leaves[k] = next++;
        col.leaf_columns = leaves;
        scan(r, f, &col, 0, 0);
        if (third > 0)
            scan(r, f, &col, third + 1, 77);
        take(r, f, &col);
    }
}

void fuzz_pages_read(fuzz_run *r, ia_file *f)
{
    ia_schema *s = NULL;

    if (fuzz_ok(r, ia_lschema_to_arrow(&r->cx, ia_file_lschema(f), &s)))
        read_columns(r, f, s);
    ia_schema_release(s);
    if (fuzz_ok(r, ia_lschema_to_arrow_exact(&r->cx, ia_file_lschema(f), &s)))
        read_columns(r, f, s);
    ia_schema_release(s);
}

/* The first description's member number, which is the layout's kind. */
static bool is_kind(const uint8_t *data, size_t size, uint32_t kind)
{
    input in = {data, data + size, false};
    column_part cols[MOST_COLUMNS] = {{0}};
    uint32_t n;
    ia_view desc;

    (void)take_bytes(&in, take_number(&in, 2));
    n = take_number(&in, 1);
    for (uint32_t i = 0; !in.bad && i < n && n <= MOST_COLUMNS; i++)
        take_column(&in, &cols[i]);
    desc = take_bytes(&in, 1);
    return !in.bad && desc.len && (uint32_t)(uint8_t)desc.data[0] == (kind << 3 | 2);
}

int fuzz_pages_run(uint32_t minor, uint32_t kind, const uint8_t *data, size_t size)
{
    fuzz_run r;
    ia_objstore *os = NULL;
    ia_file *f = NULL;

    if (kind && !is_kind(data, size, kind))
        return 0;
    fuzz_begin(&r);
    fuzz_cancel_after(&r, 0.4);
    fuzz_must(&r, ia_objstore_memory(&r.cx, true, &os), "a store:");
    if (fuzz_pages_put(&r, os, minor, data, size) &&
        fuzz_ok(&r, ia_file_open(&r.cx, os, "/f.lance", 0, &f)))
        fuzz_pages_read(&r, f);
    ia_file_close(f);
    ia_objstore_close(os);
    fuzz_end(&r);
    return 0;
}
