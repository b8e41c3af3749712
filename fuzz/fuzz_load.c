/* fuzz_load.c - JSON lines loaded into a small graph, which is then verified and exported. */
#include "fuzz.h"

static ia_status put(ia_ctx *cx, void *arg, const void *data, size_t n)
{
    ia_buf_put(cx, arg, data, n);
    return ia_buf_status(arg);
}

static bool export_main(fuzz_run *r, fuzz_graph *fg, ia_buf *out)
{
    ia_commit *head = NULL;
    ia_snapshot *s = NULL;
    bool ok = false;

    if (!fuzz_must(r, ia_resolve(&r->cx, fg->g, "main", &head), "main has a head:"))
        return false;
    if (fuzz_must(r, ia_snapshot_open(&r->cx, fg->g, head, &s), "the head opens:"))
        ok = fuzz_must(r, ia_export(&r->cx, s, NULL, 0, put, out), "the head is exported:");
    ia_snapshot_close(s);
    return ok;
}

static void check_loaded(fuzz_run *r, fuzz_graph *fg)
{
    ia_verify_report report = {0};
    ia_buf text = {0}, again = {0};
    fuzz_graph fresh;

    if (fuzz_must(r, ia_verify(&r->cx, fg->g, "main", false, false, &report), "verify runs:") &&
        report.problems.n > 0)
        fuzz_abort(__FILE__, __LINE__, "a load leaves a sound graph:", report.problems.items[0]);
    ia_verify_report_dispose(&report);
    fuzz_graph_open(r, &fresh);
    if (export_main(r, fg, &text) &&
        fuzz_must(r, fuzz_load(&r->cx, fresh.g, IA_LOAD_OVERWRITE, text.data, text.len),
                  "an export is loaded:") &&
        export_main(r, &fresh, &again)) {
        const ia_bytes a = {text.data, text.len}, b = {again.data, again.len};
        FUZZ_CHECK(fuzz_same(&a, &b));
    }
    fuzz_graph_close(&fresh);
    ia_buf_dispose(&text);
    ia_buf_dispose(&again);
}

/* First byte 'm' merges, 'o' overwrites; it is cut off. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    fuzz_graph fg;
    ia_load_mode mode = IA_LOAD_APPEND;

    if (size > 0 && (data[0] == 'm' || data[0] == 'o')) {
        mode = data[0] == 'm' ? IA_LOAD_MERGE : IA_LOAD_OVERWRITE;
        data++;
        size--;
    }
    fuzz_begin(&r);
    fuzz_cancel_after(&r, 0.4);
    fuzz_graph_open(&r, &fg);
    if (fuzz_ok(&r, fuzz_load(&r.cx, fg.g, mode, data, size)))
        check_loaded(&r, &fg);
    fuzz_graph_close(&fg);
    fuzz_end(&r);
    return 0;
}
