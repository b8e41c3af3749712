/* fuzz_csv.c - comma-separated text: types told from the rows, written and read with them again. */
#include "fuzz.h"

#include "arrow/csv.h"

enum { MOST_BATCHES = 64 };

static bool copy(fuzz_run *r, ia_stream *s, ia_buf *out)
{
    ia_batch *b = NULL;

    ia_csv_write_header(&r->cx, out, s->schema);
    for (int i = 0; i < MOST_BATCHES; i++) {
        if (!fuzz_ok(r, ia_stream_next(&r->cx, s, &b)))
            return false;
        if (!b)
            return fuzz_ok(r, ia_buf_status(out));
        fuzz_touch_batch(r, b);
        ia_csv_write_batch(&r->cx, out, b);
        ia_batch_release(b);
    }
    return false;
}

/* What was read has unique names and values of its types, so that its text reads the same. */
static void read_again(fuzz_run *r, const ia_schema *schema, const ia_buf *text)
{
    ia_source src = ia_source_of(text->data, text->len);
    ia_stream s = {0};
    ia_buf again = {0};

    if (fuzz_ok(r, ia_csv_stream_open(&r->cx, &src, schema, "again", NULL, &s)) &&
        copy(r, &s, &again)) {
        FUZZ_CHECK(again.len == text->len);
        FUZZ_CHECK(memcmp(again.data, text->data, text->len) == 0);
    }
    ia_buf_dispose(&again);
    ia_stream_dispose(&s);
}

/* The first byte chooses the options. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    ia_source src;
    ia_stream s = {0};
    ia_buf text = {0};
    ia_csv_options opt = {0};

    if (!size)
        return 0;
    opt.delimiter = data[0] & 1 ? ';' : 0;
    opt.no_header = data[0] & 2;
    opt.infer_rows = data[0] & 4 ? 1 : 0;
    opt.batch_rows = data[0] & 8 ? 3 : 0;
    src = ia_source_of(data + 1, size - 1);
    fuzz_begin(&r);
    fuzz_cancel_after(&r, 0.4);
    if (fuzz_ok(&r, ia_csv_stream_open(&r.cx, &src, NULL, "fuzz.csv", &opt, &s)) &&
        copy(&r, &s, &text))
        read_again(&r, s.schema, &text);
    ia_stream_dispose(&s);
    ia_buf_dispose(&text);
    fuzz_end(&r);
    return 0;
}
