/* file_tool.c - writes generated Lance files and prints files, for the interop tests. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "file_io.h"

static int die(ia_ctx *cx, const char *what)
{
    fprintf(stderr, "%s: error %d: %s\n", what, (int)cx->err.code, cx->err.text);
    return 1;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cpu(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- writing -------------------------------------------------------------------------------- */

static int cmd_gen(ia_ctx *cx, ia_objstore *os, char **argv, bool show)
{
    ia_type *t = gen_type(cx, argv[0]);
    ia_batch *b = NULL;
    ia_file_writer_options opt = {0};
    ia_file_info info;
    ia_status st;
    ia_buf line = {0};

    if (!show) {
        opt.minor = (uint32_t)atoi(argv[5]);
        opt.page_bytes = strtoull(argv[6], NULL, 10);
    }
    if (!t) {
        fprintf(stderr, "bad type %s\n", argv[0]);
        return 2;
    }
    st = gen_batch(cx, t, strtoll(argv[1], NULL, 10), strtoull(argv[2], NULL, 10),
                   (gen_nulls)atoi(argv[3]), (gen_flavour)atoi(argv[4]), &b);
    if (st == IA_OK && !show)
        st = write_batch(cx, os, argv[7], b, &opt, &info);
    for (int64_t i = 0; st == IA_OK && show && i < b->rows; i++) {
        ia_buf_clear(&line);
        gen_text(cx, &line, b->cols[0], i);
        printf("%s\n", (char *)line.data);
    }
    ia_buf_dispose(&line);
    ia_batch_release(b);
    ia_type_release(t);
    return st == IA_OK ? 0 : die(cx, argv[0]);
}

/* ---- reading -------------------------------------------------------------------------------- */

static void print_rows(ia_ctx *cx, ia_array **cols, size_t n, uint64_t rows, ia_buf *line)
{
    for (uint64_t i = 0; i < rows; i++) {
        ia_buf_clear(line);
        for (size_t k = 0; k < n; k++) {
            if (k)
                ia_buf_putc(cx, line, ' ');
            gen_text(cx, line, cols[k], (int64_t)i);
        }
        printf("%s\n", (char *)line->data);
    }
}

static ia_status scan(ia_ctx *cx, opened *o, uint64_t begin, uint64_t end, uint32_t batch,
                      uint32_t threads, bool print)
{
    ia_file_scan *s = NULL;
    ia_array **cols = NULL;
    ia_buf line = {0};
    uint64_t rows = 0;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, cols, o->s->n_fields + 1));
    IA_GO(ia_file_scan_open(cx, o->f, o->cols, o->s->n_fields, begin, end, batch, &s));
    IA_GO(ia_file_scan_threads(cx, s, threads));
    do {
        IA_GO(ia_file_scan_next(cx, s, cols, &rows));
        if (print)
            print_rows(cx, cols, o->s->n_fields, rows, &line);
        for (size_t k = 0; k < o->s->n_fields; k++)
            ia_array_release(cols[k]);
    } while (rows);
done:
    ia_buf_dispose(&line);
    ia_file_scan_close(s);
    ia_free(cols);
    return st;
}

static ia_status take(ia_ctx *cx, opened *o, int n, char **text, bool print)
{
    ia_array **cols = NULL;
    uint32_t *rows = NULL;
    ia_buf line = {0};
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, cols, o->s->n_fields + 1));
    IA_GO(IA_NEW_ARRAY(cx, rows, (size_t)n + 1));
    for (int i = 0; i < n; i++)
        rows[i] = (uint32_t)strtoul(text[i], NULL, 10);
    IA_GO(ia_file_take(cx, o->f, o->cols, o->s->n_fields, rows, (size_t)n, cols));
    if (print)
        print_rows(cx, cols, o->s->n_fields, (uint64_t)n, &line);
    for (size_t k = 0; k < o->s->n_fields; k++)
        ia_array_release(cols[k]);
done:
    ia_buf_dispose(&line);
    ia_free(cols);
    ia_free(rows);
    return st;
}

/* Copies the file through batches: scan plus write. */
static ia_status copy(ia_ctx *cx, ia_objstore *os, opened *o, const char *path)
{
    ia_file_scan *s = NULL;
    ia_file_writer *w = NULL;
    ia_file_info info;
    ia_array **cols = NULL;
    ia_batch *b = NULL;
    uint64_t rows = 0;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, cols, o->s->n_fields + 1));
    IA_GO(ia_file_writer_open(cx, os, path, o->s, ia_file_lschema(o->f), NULL, &w));
    IA_GO(ia_file_scan_open(cx, o->f, o->cols, o->s->n_fields, 0, ia_file_rows(o->f), 0, &s));
    for (;;) {
        IA_GO(ia_file_scan_next(cx, s, cols, &rows));
        if (!rows)
            break;
        IA_GO(ia_batch_make(cx, o->s, (int64_t)rows, cols, &b));
        IA_GO(ia_file_writer_write(cx, w, b));
        ia_batch_release(b);
        b = NULL;
    }
    IA_GO(ia_file_writer_finish(cx, w, 0, &info));
done:
    ia_batch_release(b);
    ia_file_scan_close(s);
    ia_file_writer_close(w);
    ia_free(cols);
    return st;
}

static ia_status bench_takes(ia_ctx *cx, opened *o, size_t n, int rounds)
{
    ia_array **cols = NULL;
    uint32_t *rows = NULL;
    double t;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, cols, o->s->n_fields + 1));
    IA_GO(IA_NEW_ARRAY(cx, rows, n));
    t = now();
    for (int r = 0; r < rounds; r++) {
        uint64_t step = ia_file_rows(o->f) / n;

        for (size_t i = 0; i < n; i++)
            rows[i] = (uint32_t)(i * step + (uint64_t)(r * 7919 + (int)i * 31) % step);
        IA_GO(ia_file_take(cx, o->f, o->cols, o->s->n_fields, rows, n, cols));
        for (size_t k = 0; k < o->s->n_fields; k++)
            ia_array_release(cols[k]);
    }
    printf("take of %zu rows: %.3f ms\n", n, (now() - t) * 1e3 / rounds);
done:
    ia_free(cols);
    ia_free(rows);
    return st;
}

static ia_status bench(ia_ctx *cx, ia_objstore *os, opened *o, const char *target)
{
    double t;

    for (int i = 0; i < 5; i++) {
        t = now();
        IA_TRY(scan(cx, o, 0, ia_file_rows(o->f), 0, 1, false));
        printf("scan of %" PRIu64 " rows: %.1f ms\n", ia_file_rows(o->f), (now() - t) * 1e3);
    }
    for (size_t i = 0, n = o->s->n_fields; i < n && n > 1; i++) {
        opened one = *o;
        ia_schema s = *o->s;

        s.n_fields = 1;
        one.s = &s;
        one.cols = o->cols + i;
        t = cpu();
        IA_TRY(scan(cx, &one, 0, ia_file_rows(o->f), 0, 1, false));
        printf("  column %s: %.1f ms of CPU\n", o->s->fields[i].name, (cpu() - t) * 1e3);
    }
    IA_TRY(bench_takes(cx, o, 1, 200));
    IA_TRY(bench_takes(cx, o, 100, 20));
    IA_TRY(bench_takes(cx, o, 10000, 3));
    if (!target)
        return IA_OK;
    t = now();
    IA_TRY(copy(cx, os, o, target));
    printf("copy: %.1f ms\n", (now() - t) * 1e3);
    return IA_OK;
}

static int by_time(const void *a, const void *b)
{
    return *(const double *)a < *(const double *)b ? -1 : *(const double *)a > *(const double *)b;
}

static double median(double *v, size_t n)
{
    qsort(v, n, sizeof *v, by_time);
    return v[n / 2] * 1e3;
}

enum { TIMES = 11, RANDOM_ROWS = 10000 };

/* Ascending, no repeats: one row from each stretch of rows / n. */
static ia_status random_rows(ia_ctx *cx, uint64_t rows, size_t n, uint32_t **out)
{
    uint64_t x = 88172645463325252u, step = rows / n;

    IA_TRY(IA_NEW_ARRAY(cx, *out, n));
    for (size_t i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        (*out)[i] = (uint32_t)(i * step + x % (step ? step : 1));
    }
    return IA_OK;
}

static ia_status timed_takes(ia_ctx *cx, ia_objstore *counted, opened *o, size_t n, size_t each)
{
    ia_array *got[8] = {0};
    static double t[RANDOM_ROWS];
    uint32_t *rows = NULL;
    ia_io_counts a, b;
    size_t done = 0;
    ia_status st;

    IA_GO(random_rows(cx, ia_file_rows(o->f), n, &rows));
    ia_objstore_counts(counted, &a);
    for (size_t i = 0; i < n; i += each, done++) {
        t[done] = now();
        IA_GO(ia_file_take(cx, o->f, o->cols, o->s->n_fields, rows + i, each, got));
        t[done] = now() - t[done];
        for (size_t k = 0; k < o->s->n_fields; k++)
            ia_array_release(got[k]);
    }
    ia_objstore_counts(counted, &b);
    printf("  take %zu: %.3f ms, %.2f reads and %.0f bytes a row\n", each, median(t, done),
           (double)(b.reads - a.reads) / (double)n,
           (double)(b.read_bytes[IA_IO_PAYLOAD] - a.read_bytes[IA_IO_PAYLOAD]) / (double)n);
done:
    ia_free(rows);
    return st;
}

/* Medians of scans and random takes with what they read. */
static int cmd_time(ia_ctx *cx, ia_objstore *os, const char *path, uint32_t batch, uint32_t threads)
{
    ia_objstore *counted = NULL;
    opened o = {0};
    double t[TIMES];
    ia_status st;

    IA_GO(ia_objstore_counting(cx, os, &counted));
    IA_GO(opened_init(cx, counted, path, &o));
    for (int i = 0; i < TIMES; i++) {
        t[i] = now();
        IA_GO(scan(cx, &o, 0, ia_file_rows(o.f), batch, threads, false));
        t[i] = now() - t[i];
    }
    printf("%s\n  scan: %.3f ms\n", path, median(t, TIMES));
    for (int i = 0; i < 3; i++)
        IA_GO(timed_takes(cx, counted, &o, RANDOM_ROWS, RANDOM_ROWS));
    IA_GO(timed_takes(cx, counted, &o, RANDOM_ROWS, 1));
done:
    opened_dispose(&o);
    ia_objstore_close(counted);
    return st == IA_OK ? 0 : die(cx, path);
}

static int cmd_read(ia_ctx *cx, ia_objstore *os, int argc, char **argv)
{
    opened o = {0};
    ia_status st = opened_init(cx, os, argv[1], &o);

    if (st == IA_OK && strcmp(argv[0], "read") == 0)
        st = scan(cx, &o, argc > 3 ? strtoull(argv[3], NULL, 10) : 0,
                  argc > 4 ? strtoull(argv[4], NULL, 10) : ia_file_rows(o.f),
                  argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0, 1, true);
    else if (st == IA_OK && strcmp(argv[0], "take") == 0)
        st = take(cx, &o, argc - 2, argv + 2, true);
    else if (st == IA_OK)
        st = bench(cx, os, &o, argc > 2 ? argv[2] : NULL);
    opened_dispose(&o);
    return st == IA_OK ? 0 : die(cx, argv[1]);
}

static int cmd_copy(ia_ctx *cx, ia_objstore *os, const char *from, const char *to)
{
    opened o = {0};
    double t = now();
    ia_status st = opened_init(cx, os, from, &o);

    if (st == IA_OK)
        st = copy(cx, os, &o, to);
    opened_dispose(&o);
    printf("copy: %.1f ms, peak memory %" PRIu64 " bytes\n", (now() - t) * 1e3,
           ia_budget_peak(cx->budget));
    return st == IA_OK ? 0 : die(cx, from);
}

int main(int argc, char **argv)
{
    ia_budget *budget = ia_budget_new(NULL, 0);
    ia_ctx cx;
    ia_objstore *os = NULL;
    int rc = 2;

    ia_ctx_init(&cx, budget);
    if (ia_objstore_local(&cx, &os) != IA_OK)
        rc = die(&cx, "store");
    else if (argc == 10 && strcmp(argv[1], "gen") == 0)
        rc = cmd_gen(&cx, os, argv + 2, false);
    else if (argc == 7 && strcmp(argv[1], "show") == 0)
        rc = cmd_gen(&cx, os, argv + 2, true);
    else if (argc == 4 && strcmp(argv[1], "copy") == 0)
        rc = cmd_copy(&cx, os, argv[2], argv[3]);
    else if (argc >= 3 && strcmp(argv[1], "time") == 0)
        rc = cmd_time(&cx, os, argv[2], argc > 3 ? (uint32_t)atoi(argv[3]) : 0,
                      argc > 4 ? (uint32_t)atoi(argv[4]) : 1);
    else if (argc >= 3 && (strcmp(argv[1], "read") == 0 || strcmp(argv[1], "take") == 0 ||
                           strcmp(argv[1], "bench") == 0))
        rc = cmd_read(&cx, os, argc - 1, argv + 1);
    else
        fprintf(stderr, "file_tool gen TYPE ROWS SEED NULLS FLAVOUR MINOR PAGE_BYTES PATH\n"
                        "file_tool show TYPE ROWS SEED NULLS FLAVOUR\n"
                        "file_tool read PATH [BATCH [BEGIN END]] | take PATH ROW... | bench PATH "
                        "[COPY] | copy FROM TO | time PATH [BATCH [THREADS]]\n");
    ia_objstore_close(os);
    ia_budget_drop(budget);
    return rc;
}
