/* graph_fixture.h - a small graph of people who know people, written row by row for tests. */
#ifndef GRAPH_FIXTURE_H
#define GRAPH_FIXTURE_H

#include "../base/test_env.h"
#include "graph/publish.h"

#define GX_SCHEMA                                                                                  \
    "node Person {\n  name: String\n  age: I32?\n}\n"                                              \
    "edge Knows: Person -> Person {\n  since: I32?\n}\n"

enum { GX_PERSON = 0, GX_KNOWS = 1 }; /* catalog order: nodes, then edges */

/* A store with a fresh graph in it. */
typedef enum gx_kind { GX_MEMORY = 0, GX_LOCAL, GX_KINDS } gx_kind;
typedef struct gx {
    env e;
    gx_kind kind;
    ia_objstore *inner, *os; /* os: fault decorator over inner */
    char root[64];
    char base[64]; /* LOCAL: temporary directory, removed at the end */
    ia_graph *g;
} gx;
void gx_open(gx *x, gx_kind kind);
void gx_close(gx *x);
/* A second handle on the same graph. */
ia_graph *gx_handle(gx *x);

/* Each is one whole write; *commit (may be NULL) gets its id. */
ia_status gx_insert(ia_ctx *cx, ia_graph *g, const char *branch, const char *id, int32_t age,
                    char commit[27]) IA_MUST_CHECK;
ia_status gx_update(ia_ctx *cx, ia_graph *g, const char *branch, const char *id, int32_t age,
                    char commit[27]) IA_MUST_CHECK;
ia_status gx_delete(ia_ctx *cx, ia_graph *g, const char *branch, const char *id,
                    char commit[27]) IA_MUST_CHECK;
ia_status gx_knows(ia_ctx *cx, ia_graph *g, const char *branch, const char *id, const char *src,
                   const char *dst) IA_MUST_CHECK;

/* Adds one to the age that the head shows. */
ia_status gx_bump(ia_ctx *cx, ia_graph *g, const char *branch, const char *id) IA_MUST_CHECK;

/* The steps of a write, for tests that interleave two. */
ia_status gx_add_person(ia_ctx *cx, ia_write *w, const char *id, int32_t age) IA_MUST_CHECK;
ia_status gx_change_person(ia_ctx *cx, ia_write *w, const char *id, int32_t age) IA_MUST_CHECK;
ia_status gx_drop_person(ia_ctx *cx, ia_write *w, const char *id) IA_MUST_CHECK;
ia_status gx_add_knows(ia_ctx *cx, ia_write *w, const char *id, const char *src,
                       const char *dst) IA_MUST_CHECK;

/* "a=1 b=2 | k:a>b": people by id with age, then edges by id. The caller frees. */
ia_status gx_dump(ia_ctx *cx, ia_graph *g, const char *branch_or_commit, char **out) IA_MUST_CHECK;
/* Expects gx_dump() to give `want`. */
void gx_expect(ia_ctx *cx, ia_graph *g, const char *branch_or_commit, const char *want);
/* Number of objects below a directory. */
size_t gx_count(ia_ctx *cx, ia_objstore *os, const char *dir);

#endif
