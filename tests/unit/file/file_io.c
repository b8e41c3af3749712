/* file_io.c - opening, scanning and taking all columns of a file; building raw files by hand. */
#include "file_io.h"

#include "file/lschema_wire.h"

ia_status opened_init(ia_ctx *cx, ia_objstore *os, const char *path, opened *o)
{
    ia_schema *all = NULL;
    ia_status st;

    memset(o, 0, sizeof *o);
    IA_GO(ia_file_open(cx, os, path, 0, &o->f));
    IA_GO(ia_lschema_to_arrow(cx, ia_file_lschema(o->f), &all));
    IA_GO(ia_projection_of(cx, o->f, all, NULL, 0, &o->p));
    o->s = o->p.schema;
    o->cols = o->p.cols;
done:
    ia_schema_release(all);
    return st;
}

void opened_dispose(opened *o)
{
    ia_projection_dispose(&o->p);
    ia_file_close(o->f);
    memset(o, 0, sizeof *o);
}

static void rows_text(ia_ctx *cx, ia_array **cols, size_t n, uint64_t rows, ia_buf *out)
{
    for (uint64_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < n; k++) {
            if (k)
                ia_buf_putc(cx, out, ' ');
            gen_text(cx, out, cols[k], (int64_t)i);
        }
        ia_buf_putc(cx, out, '\n');
    }
}

void batch_text(ia_ctx *cx, const ia_batch *b, ia_buf *out)
{
    rows_text(cx, b->cols, b->schema->n_fields, (uint64_t)b->rows, out);
}

static ia_status validate(ia_ctx *cx, ia_array **cols, size_t n)
{
    for (size_t i = 0; i < n; i++)
        IA_TRY(ia_array_validate(cx, cols[i], IA_VALIDATE_SIZES));
    return IA_OK;
}

ia_status opened_scan(ia_ctx *cx, opened *o, uint64_t begin, uint64_t end, uint32_t batch,
                      ia_buf *out)
{
    ia_file_scan *s = NULL;
    ia_array **cols = NULL;
    uint64_t rows = 0;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, cols, o->s->n_fields + 1));
    IA_GO(ia_file_scan_open(cx, o->f, o->cols, o->s->n_fields, begin, end, batch, &s));
    do {
        IA_GO(ia_file_scan_next(cx, s, cols, &rows));
        if (rows)
            st = validate(cx, cols, o->s->n_fields);
        if (st == IA_OK)
            rows_text(cx, cols, o->s->n_fields, rows, out);
        for (size_t k = 0; k < o->s->n_fields; k++)
            ia_array_release(cols[k]);
        IA_GO(st);
    } while (rows);
done:
    ia_file_scan_close(s);
    ia_free(cols);
    return st;
}

ia_status opened_take(ia_ctx *cx, opened *o, const uint32_t *rows, size_t n, ia_buf *out)
{
    ia_array **cols = NULL;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, cols, o->s->n_fields + 1));
    IA_GO(ia_file_take(cx, o->f, o->cols, o->s->n_fields, rows, n, cols));
    st = validate(cx, cols, o->s->n_fields);
    if (st == IA_OK)
        rows_text(cx, cols, o->s->n_fields, n, out);
    for (size_t k = 0; k < o->s->n_fields; k++)
        ia_array_release(cols[k]);
done:
    ia_free(cols);
    return st;
}

ia_status write_batch(ia_ctx *cx, ia_objstore *os, const char *path, const ia_batch *b,
                      const ia_file_writer_options *opt, ia_file_info *info)
{
    ia_lschema ls = {0};
    ia_file_writer *w = NULL;
    ia_status st;

    IA_GO(ia_lschema_from_arrow(cx, b->schema, 0, &ls));
    IA_GO(ia_file_writer_open(cx, os, path, b->schema, &ls, opt, &w));
    IA_GO(ia_file_writer_write(cx, w, b));
    IA_GO(ia_file_writer_finish(cx, w, 0, info));
done:
    ia_file_writer_close(w);
    ia_lschema_dispose(&ls);
    return st;
}

/* ---- raw files ------------------------------------------------------------------------------ */

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

void put_hexes(ia_ctx *cx, ia_buf *out, const char *hex)
{
    int high = -1;

    for (; *hex; hex++) {
        int d = digit(*hex);

        if (d < 0)
            continue;
        if (high >= 0)
            ia_buf_putc(cx, out, (char)(high << 4 | d));
        high = high >= 0 ? -1 : d;
    }
}

static void align(ia_ctx *cx, ia_buf *b)
{
    ia_buf_fill(cx, b, 0x48, -b->len & 63);
}

static void put_pair(ia_ctx *cx, ia_buf *b, uint64_t x, uint64_t y)
{
    uint8_t p[16];

    ia_put_le64(p, x);
    ia_put_le64(p + 8, y);
    ia_buf_put(cx, b, p, 16);
}

static void put_any(ia_ctx *cx, ia_buf *b, uint32_t number, const char *url, const ia_buf *value)
{
    size_t enc = ia_wire_begin(cx, b, number), direct = ia_wire_begin(cx, b, 2),
           any = ia_wire_begin(cx, b, 1);

    ia_wire_put_str(cx, b, 1, url);
    ia_wire_add_bytes(cx, b, 2, value->data, value->len);
    ia_wire_end(cx, b, any);
    ia_wire_end(cx, b, direct);
    ia_wire_end(cx, b, enc);
}

static ia_status put_descriptor(ia_ctx *cx, ia_buf *b, const ia_field *field, uint64_t rows)
{
    ia_lschema ls = {0};
    ia_schema *s = NULL;
    ia_status st;
    size_t m;

    IA_GO(ia_schema_new(cx, field, 1, &s));
    IA_GO(ia_lschema_from_arrow(cx, s, 0, &ls));
    m = ia_wire_begin(cx, b, 1);
    for (size_t i = 0; i < ls.n; i++) {
        size_t f = ia_wire_begin(cx, b, 1);

        IA_GO(ia_lfield_encode(cx, &ls.fields[i], b));
        ia_wire_end(cx, b, f);
    }
    ia_wire_end(cx, b, m);
    ia_wire_put_u64(cx, b, 2, rows);
done:
    ia_lschema_dispose(&ls);
    ia_schema_release(s);
    return st;
}

ia_status write_raw(ia_ctx *cx, ia_objstore *os, const char *path, const ia_field *field,
                    uint64_t rows, uint32_t minor, const char *layout, const char *const *buffers)
{
    ia_buf b = {0}, lay = {0};
    uint64_t offs[8], sizes[8], desc, meta, cmo, gbo;
    size_t n = 0, page;
    uint8_t foot[16] = {1, 0, 0, 0, 1, 0, 0, 0, 2, 0, (uint8_t)minor, 0, 'L', 'A', 'N', 'C'};
    ia_status st;

    for (; buffers[n]; n++) {
        align(cx, &b);
        offs[n] = b.len;
        put_hexes(cx, &b, buffers[n]);
        sizes[n] = b.len - offs[n];
    }
    align(cx, &b);
    desc = b.len;
    IA_GO(put_descriptor(cx, &b, field, rows));
    meta = b.len;
    page = ia_wire_begin(cx, &b, 2);
    ia_wire_put_u64s(cx, &b, 1, offs, n);
    ia_wire_put_u64s(cx, &b, 2, sizes, n);
    ia_wire_put_u64(cx, &b, 3, rows);
    put_hexes(cx, &lay, layout);
    put_any(cx, &b, 4,
            minor == RAW_PLANAR ? "/lance.encodings23.PlanarLayout"
            : minor             ? "/lance.encodings21.PageLayout"
                                : "/lance.encodings.ArrayEncoding",
            &lay);
    ia_wire_end(cx, &b, page);
    cmo = b.len;
    put_pair(cx, &b, meta, cmo - meta);
    gbo = b.len;
    put_pair(cx, &b, desc, meta - desc);
    put_pair(cx, &b, meta, cmo);
    put_pair(cx, &b, gbo, ia_le64(foot));
    ia_buf_put(cx, &b, foot + 8, 8);
    IA_GO(ia_buf_status(&b));
    st = ia_objstore_put(cx, os, path, b.data, b.len, 0);
done:
    ia_buf_dispose(&b);
    ia_buf_dispose(&lay);
    return st;
}
