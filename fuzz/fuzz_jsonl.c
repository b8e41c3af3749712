/* fuzz_jsonl.c - JSON lines: types told from the rows, written and read with them again. */
#include "fuzz.h"

#include "arrow/json_rows.h"

enum { MOST_BATCHES = 64 };

static bool copy(fuzz_run *r, ia_stream *s, ia_buf *out)
{
    ia_batch *b = NULL;

    for (int i = 0; i < MOST_BATCHES; i++) {
        if (!fuzz_ok(r, ia_stream_next(&r->cx, s, &b)))
            return false;
        if (!b)
            return fuzz_ok(r, ia_buf_status(out));
        fuzz_touch_batch(r, b);
        ia_jsonl_write_batch(&r->cx, out, b);
        ia_batch_release(b);
    }
    return false;
}

static void read_again(fuzz_run *r, const ia_schema *schema, const ia_buf *text)
{
    ia_source src = ia_source_of(text->data, text->len);
    ia_stream s = {0};
    ia_buf again = {0};

    if (fuzz_must(r, ia_jsonl_stream_open(&r->cx, &src, schema, "again", NULL, &s), "rows:") &&
        copy(r, &s, &again)) {
        FUZZ_CHECK(again.len == text->len);
        FUZZ_CHECK(!text->len || memcmp(again.data, text->data, text->len) == 0);
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
    ia_jsonl_options opt = {0};

    if (!size)
        return 0;
    opt.infer_rows = data[0] & 4 ? 1 : 0;
    opt.batch_rows = data[0] & 8 ? 3 : 0;
    src = ia_source_of(data + 1, size - 1);
    fuzz_begin(&r);
    fuzz_cancel_after(&r, 0.4);
    if (fuzz_ok(&r, ia_jsonl_stream_open(&r.cx, &src, NULL, "fuzz.jsonl", &opt, &s)) &&
        copy(&r, &s, &text))
        read_again(&r, s.schema, &text);
    ia_stream_dispose(&s);
    ia_buf_dispose(&text);
    fuzz_end(&r);
    return 0;
}
