/* fuzz_ipc.c - Arrow IPC streams and files: what is read is written and read again, the same. */
#include "fuzz.h"

#include "arrow/ipc.h"
#include "arrow/json_rows.h"

enum { MOST_BATCHES = 16, MOST_ROWS = 4096 };

static ia_status keep(ia_ctx *cx, void *self, const void *p, size_t n)
{
    ia_buf *b = self;

    ia_buf_put(cx, b, p, n);
    return ia_buf_status(b);
}

/* Everything of the stream as text and, with a writer, in IPC again; false when it ended early. */
static bool copy(fuzz_run *r, ia_stream *s, ia_ipc_writer *w, ia_buf *text)
{
    ia_batch *b = NULL;

    for (int i = 0; i < MOST_BATCHES; i++) {
        bool ok;

        if (!fuzz_ok(r, ia_stream_next(&r->cx, s, &b)))
            return false;
        if (!b)
            return true;
        ok = b->rows <= MOST_ROWS;
        fuzz_touch_batch(r, b);
        if (ok)
            ia_jsonl_write_batch(&r->cx, text, b);
        if (ok && w)
            ok = fuzz_ok(r, ia_ipc_writer_write(&r->cx, w, b));
        ia_batch_release(b);
        if (!ok || !fuzz_ok(r, ia_buf_status(text)))
            return false;
    }
    return false;
}

static void read_again(fuzz_run *r, const ia_buf *ipc, const ia_buf *before)
{
    ia_source src = ia_source_of(ipc->data, ipc->len);
    ia_stream s = {0};
    ia_buf text = {0};

    if (fuzz_must(r, ia_ipc_stream_open(&r->cx, &src, "again", &s), "what was written opens:") &&
        copy(r, &s, NULL, &text)) {
        FUZZ_CHECK(text.len == before->len);
        FUZZ_CHECK(!text.len || memcmp(text.data, before->data, text.len) == 0);
    }
    ia_buf_dispose(&text);
    ia_stream_dispose(&s);
}

static void write_again(fuzz_run *r, ia_stream *s, bool file, ia_ipc_codec codec)
{
    ia_buf ipc = {0}, text = {0};
    ia_ipc_writer *w = NULL;

    if (fuzz_ok(r, ia_ipc_writer_open(&r->cx, s->schema, file, codec, keep, &ipc, &w)) &&
        copy(r, s, w, &text) && fuzz_ok(r, ia_ipc_writer_finish(&r->cx, w)))
        read_again(r, &ipc, &text);
    ia_ipc_writer_free(w);
    ia_buf_dispose(&ipc);
    ia_buf_dispose(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    ia_source src = ia_source_of(data, size);
    ia_stream s = {0};

    fuzz_begin(&r);
    fuzz_cancel_after(&r, 0.4);
    if (fuzz_ok(&r, ia_ipc_stream_open(&r.cx, &src, "fuzz", &s)))
        write_again(&r, &s, false, size % 2 ? IA_IPC_LZ4 : IA_IPC_PLAIN);
    ia_stream_dispose(&s);
    if (ia_ipc_sniff(data, size) == 'f') {
        if (fuzz_ok(&r, ia_ipc_file_open(&r.cx, data, size, "fuzz", &s)))
            write_again(&r, &s, true, size % 2 ? IA_IPC_PLAIN : IA_IPC_ZSTD);
        ia_stream_dispose(&s);
    }
    fuzz_end(&r);
    return 0;
}
