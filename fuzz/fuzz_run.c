/* fuzz_run.c - the budget, the clock and the checks around one input. */
#include "fuzz.h"
#include "fuzz_fixed.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "arrow/render.h"

/* Inputs are small: whatever needs a second of processor time does something it should not.
 * Instrumented builds run several times slower, hence the factor. */
#define SECONDS_PER_INPUT 1.0
#if defined(__SANITIZE_ADDRESS__)
#define SLOWDOWN 2.0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLOWDOWN 3.0
#endif
#endif
#ifndef SLOWDOWN
#define SLOWDOWN 1.0
#endif

static double processor_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

_Noreturn void fuzz_abort(const char *file, int line, const char *what, const char *detail)
{
    fprintf(stderr, "%s:%d: check failed: %s %s\n", file, line, what, detail);
    fflush(stderr);
    abort();
}

static int watch(uint64_t done, uint64_t total, void *payload)
{
    const fuzz_run *r = payload;

    (void)done;
    (void)total;
    return processor_seconds() - r->started > r->patience;
}

void fuzz_begin(fuzz_run *r)
{
    memset(r, 0, sizeof *r);
    r->budget = ia_budget_new(NULL, FUZZ_BUDGET);
    FUZZ_CHECK(r->budget != NULL);
    ia_ctx_init(&r->cx, r->budget);
    fuzz_fixed_reset(2);
    r->started = processor_seconds();
}

void fuzz_cancel_after(fuzz_run *r, double seconds)
{
    r->patience = seconds;
    r->cx.progress = watch;
    r->cx.payload = r;
}

void fuzz_end(fuzz_run *r)
{
    const double took = processor_seconds() - r->started;
    const uint64_t held = ia_budget_used(r->budget);
    char detail[80];

    if (held != 0) {
        (void)snprintf(detail, sizeof detail, "%llu bytes leaked", (unsigned long long)held);
        fuzz_abort(__FILE__, __LINE__, "ia_budget_used(budget) == 0:", detail);
    }
    if (took > SECONDS_PER_INPUT * SLOWDOWN) {
        (void)snprintf(detail, sizeof detail, "took %.1f s", took);
        fuzz_abort(__FILE__, __LINE__, "an input is done within a second:", detail);
    }
    ia_budget_drop(r->budget);
}

bool fuzz_ok(fuzz_run *r, ia_status st)
{
    if (st == IA_OK)
        return true;
    if ((int)st < 0 || st > IA_ERR_INTERNAL)
        fuzz_abort(__FILE__, __LINE__, "a listed status", "");
    if (st == IA_ERR_INTERNAL)
        fuzz_abort(__FILE__, __LINE__, "no internal error:", r->cx.err.text);
    if (r->cx.err.code != st || r->cx.err.text[0] == 0)
        fuzz_abort(__FILE__, __LINE__, "the failure is recorded:", ia_status_name(st));
    return false;
}

bool fuzz_must(fuzz_run *r, ia_status st, const char *what)
{
    if (fuzz_ok(r, st))
        return true;
    if (st != IA_ERR_OVER_BUDGET && st != IA_ERR_CANCELLED)
        fuzz_abort(__FILE__, __LINE__, what, r->cx.err.text);
    return false;
}

bool fuzz_same(const ia_bytes *a, const ia_bytes *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

void fuzz_touch(fuzz_run *r, const ia_array *a, int64_t rows)
{
    ia_bytes text = {0};
    ia_jsonw w;

    ia_jsonw_init(&w, &r->cx, 0);
    ia_jsonw_array(&w);
    for (int64_t i = 0; i < rows && i < a->length && w.out.len < ((size_t)1 << 20); i++)
        ia_value_json(&r->cx, &w, a, i, 0);
    ia_jsonw_end_array(&w);
    if (!fuzz_ok(r, ia_jsonw_finish(&w, &text)))
        ia_ctx_clear(&r->cx);
    ia_jsonw_dispose(&w);
    ia_bytes_dispose(&text);
}

void fuzz_touch_batch(fuzz_run *r, const ia_batch *b)
{
    for (size_t k = 0; k < b->schema->n_fields; k++) {
        FUZZ_CHECK(b->cols[k]->length == b->rows);
        fuzz_must(r, ia_array_validate(&r->cx, b->cols[k], IA_VALIDATE_SIZES),
                  "a column that was given out is sound:");
        fuzz_touch(r, b->cols[k], 512);
    }
}

ia_status fuzz_drain(fuzz_run *r, ia_stream *s)
{
    ia_status st;

    for (int batches = 0; batches < 64; batches++) {
        ia_batch *b = NULL;
        IA_GO(ia_stream_next(&r->cx, s, &b));
        if (!b)
            break;
        fuzz_touch_batch(r, b);
        ia_batch_release(b);
    }
    st = IA_OK;
done:
    ia_stream_dispose(s);
    return st;
}
