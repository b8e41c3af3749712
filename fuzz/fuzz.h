/* fuzz.h - what every fuzzer shares: a bounded run per input, checks, a small graph in memory. */
#ifndef IA_FUZZ_FUZZ_H
#define IA_FUZZ_FUZZ_H

#include "arrow/array.h"
#include "graph/ops.h"

/* The entry point that libFuzzer and replay_main.c call; each fuzz_*.c defines one. Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_BUDGET ((uint64_t)256 << 20)

/* One input at work: a context over a budget of its own. */
typedef struct fuzz_run {
    ia_ctx cx;
    ia_budget *budget;
    double started;  /* processor seconds */
    double patience; /* cancel after that many processor seconds; 0 = never */
} fuzz_run;

void fuzz_begin(fuzz_run *r);
/* The progress callback cancels after `seconds`: for work that may rightly take long, so that what
 * is tested is that it answers a cancel in time. */
void fuzz_cancel_after(fuzz_run *r, double seconds);
/* Aborts when bytes are still charged or when the input took too long. */
void fuzz_end(fuzz_run *r);

/* A result is IA_OK or a listed failure with a text, never INTERNAL. True when it is IA_OK. */
bool fuzz_ok(fuzz_run *r, ia_status st);
/* For what must not fail on this input but for memory: aborts with the text. */
bool fuzz_must(fuzz_run *r, ia_status st, const char *what);

_Noreturn void fuzz_abort(const char *file, int line, const char *what, const char *detail);
#define FUZZ_CHECK(e) ((e) ? (void)0 : fuzz_abort(__FILE__, __LINE__, #e, ""))

bool fuzz_same(const ia_bytes *a, const ia_bytes *b);
/* Reads every value of the first `rows` rows through the accessors. */
void fuzz_touch(fuzz_run *r, const ia_array *a, int64_t rows);
void fuzz_touch_batch(fuzz_run *r, const ia_batch *b);
/* Takes everything out of a stream, touching it; disposes it. */
ia_status fuzz_drain(fuzz_run *r, ia_stream *s);

/* ---- a schema and a graph that inputs meet ----------------------------------------------------
 */
extern const char fuzz_schema[];
/* Compiled once for the process, on a budget of its own. */
const ia_catalog *fuzz_catalog(void);

#define FUZZ_ROOT "/mem/f.graph"
typedef struct fuzz_graph {
    ia_objstore *os;
    ia_graph *g;
} fuzz_graph;
/* A fresh copy, charged to the run, of a graph of fuzz_schema with a few rows and a branch "side".
 */
void fuzz_graph_open(fuzz_run *r, fuzz_graph *fg);
/* The same files in a store, not opened. */
void fuzz_store_open(fuzz_run *r, ia_objstore **out);
/* First path of that store, by bytes, that holds `part`; NULL when none does. */
const char *fuzz_store_path(const char *part);
void fuzz_graph_close(fuzz_graph *fg);
/* Loads JSON lines into main. */
ia_status fuzz_load(ia_ctx *cx, ia_graph *g, ia_load_mode mode, const void *text, size_t len);

#endif
