/* fuzz_query.c - .gq text: parsed, checked against a schema, run on a small graph. */
#include "fuzz.h"

static void run_read(fuzz_run *r, fuzz_graph *fg, const ia_gq_query *q, const ia_params *p)
{
    ia_commit *head = NULL;
    ia_snapshot *s = NULL;
    ia_stream rows = {0};

    if (!fuzz_must(r, ia_resolve(&r->cx, fg->g, "main", &head), "main has a head:"))
        return;
    if (fuzz_must(r, ia_snapshot_open(&r->cx, fg->g, head, &s), "the head opens:") &&
        fuzz_ok(r, ia_query_run(&r->cx, s, q, p, &rows)))
        (void)fuzz_ok(r, fuzz_drain(r, &rows));
    ia_snapshot_close(s);
}

static void run_write(fuzz_run *r, fuzz_graph *fg, const ia_gq_query *q, const ia_params *p)
{
    static const ia_write_options on_main = {.branch = "main", .actor = "fuzz"};
    ia_mutate_result m = {0};
    ia_verify_report report = {0};

    if (fuzz_ok(r, ia_mutate(&r->cx, fg->g, q, p, &on_main, &m)) && m.commit &&
        fuzz_must(r, ia_verify(&r->cx, fg->g, "main", false, false, &report), "verify runs:") &&
        report.problems.n > 0)
        fuzz_abort(__FILE__, __LINE__,
                   "a mutation leaves a sound graph:", report.problems.items[0]);
    ia_verify_report_dispose(&report);
    ia_commit_free(m.commit);
}

/* The graph is the catalog's own copy: a query keeps the catalog it was checked against. */
static void run(fuzz_run *r, const ia_gq_file *f, size_t i)
{
    fuzz_graph fg;
    const ia_catalog *cat;
    ia_commit *head = NULL;
    ia_gq_query *q = NULL;
    ia_params *p = NULL;

    fuzz_graph_open(r, &fg);
    if (fuzz_must(r, ia_resolve(&r->cx, fg.g, "main", &head), "main has a head:") &&
        fuzz_must(r, ia_graph_catalog(&r->cx, fg.g, head->schema_hash, &cat), "its schema:") &&
        fuzz_must(r, ia_gq_check(&r->cx, f, i, cat, &q),
                  "the same schema gives the same verdict:") &&
        fuzz_must(r, ia_params_parse(&r->cx, q, NULL, 0, &p), "no parameters:")) {
        if (q->is_mutation)
            run_write(r, &fg, q, p);
        else
            run_read(r, &fg, q, p);
    }
    ia_params_free(p);
    ia_gq_query_free(q);
    ia_commit_free(head);
    fuzz_graph_close(&fg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    ia_gq_file *f = NULL;

    (void)fuzz_catalog();
    fuzz_begin(&r);
    fuzz_cancel_after(&r, 0.4);
    if (fuzz_ok(&r, ia_gq_file_parse(&r.cx, (const char *)data, size, "fuzz.gq", &f))) {
        int runs = 0;
        for (size_t i = 0; i < ia_gq_file_count(f); i++) {
            ia_gq_query *q = NULL;
            const bool good = fuzz_ok(&r, ia_gq_check(&r.cx, f, i, fuzz_catalog(), &q));
            ia_gq_query_free(q);
            if (good && runs++ < 2)
                run(&r, f, i);
        }
    }
    ia_gq_file_free(f);
    fuzz_end(&r);
    return 0;
}
