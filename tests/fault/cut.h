/* cut.h - crash scenarios: an operation is cut at each step; then the state is before or after. */
/* A scenario is three functions over a store and a root. cut_run() finds out what the graph shows
 * before and after the whole operation, then, for each kind of cut and each k, prepares a fresh
 * store, cuts step k, "restarts" (a new handle on the bare store) and expects one of the two; then
 * a further write must work and leave nothing undone. The restarted process is cut once more in its
 * own first write, too. On memory stores with and without links; unless
 * INARCH_LONG is 1 in the environment, a part of the second deaths and of the cuts without links is
 * left out. */
#ifndef TESTS_FAULT_CUT_H
#define TESTS_FAULT_CUT_H

#include "../unit/graph/graph_fixture.h"

typedef struct cut_place {
    ia_objstore *os;
    const char *root;
    ia_durability durability;
} cut_place;

typedef struct cut_scenario {
    const char *name;
    /* The state before; NULL = a new graph. */
    ia_status (*prepare)(ia_ctx *cx, const cut_place *at);
    /* The operation that is cut. */
    ia_status (*run)(ia_ctx *cx, const cut_place *at);
    /* A write that works before as well as after; NULL = insert a person on main. */
    ia_status (*again)(ia_ctx *cx, const cut_place *at);
    bool single; /* `again` is several writes: not cut itself */
} cut_scenario;

/* For scenarios: a handle for one step. */
ia_status cut_open(ia_ctx *cx, const cut_place *at, ia_graph **out) IA_MUST_CHECK;
ia_status cut_init(ia_ctx *cx, const cut_place *at) IA_MUST_CHECK; /* the fixture's schema */
ia_status cut_branch(ia_ctx *cx, const cut_place *at, const char *name,
                     const char *from) IA_MUST_CHECK;

/* Groups, one per file; add yours to test_cut.c. */
extern const cut_scenario cut_graph[];
extern const size_t cut_graph_n;
extern const cut_scenario cut_ops[];
extern const size_t cut_ops_n;

/* Runs one scenario. dir NULL: on memory stores. Else on real directories
 * {dir}/{scenario}-{cut}-{k}/my.graph, which stay behind for the real engine to open. Returns the
 * number of cuts tried; fails the test on any breach. */
size_t cut_run(const cut_scenario *s, const char *dir);

#endif
