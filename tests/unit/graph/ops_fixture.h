/* ops_fixture.h - a graph in memory that is loaded, mutated and exported as text. */
#ifndef OPS_FIXTURE_H
#define OPS_FIXTURE_H

#include "../base/test_env.h"
#include "graph/ops.h"

/* PEOPLE, the running example of the languages page, and a few types that reach the other rules. */
#define OX_PEOPLE                                                                                  \
    "node Person { name: String @key  age: I32? }\n"                                               \
    "node Company { name: String @key }\n"                                                         \
    "edge Knows: Person -> Person { since: Date? }\n"                                              \
    "edge WorksAt: Person -> Company\n"
extern const char ox_people_rows[]; /* its 6 nodes and 5 edges */

typedef struct ox {
    env e;
    ia_objstore *os;
    ia_graph *g;
    uint64_t nodes, edges; /* of the last mutation */
    bool committed;        /* the last operation made a commit */
    uint64_t total;        /* of the last load */
    size_t piece;          /* bytes the reader gives at once; 0 = all */
} ox;

void ox_open(ox *x, const char *schema);
void ox_close(ox *x);
/* Each is one write on main; the status is returned, the text is in x->e.cx.err. */
ia_status ox_load(ox *x, ia_load_mode mode, const char *text);
ia_status ox_mutate(ox *x, const char *gq, const char *params);
/* Succeeds or fails the test with the message. */
void ox_loads(ox *x, ia_load_mode mode, const char *text);
void ox_mutates(ox *x, const char *gq, const char *params, uint64_t nodes, uint64_t edges);
/* Expects the failure, every anchor (NULL ends) in its text, and that nothing was committed. */
void ox_load_fails(ox *x, ia_load_mode mode, const char *text, ia_status want, const char *anchor,
                   const char *anchor2);
void ox_mutate_fails(ox *x, const char *gq, const char *params, ia_status want, const char *anchor);
/* Export of main (types: NULL = all, else one name). The caller frees. */
char *ox_export(ox *x, const char *type);
void ox_expect_export(ox *x, const char *type, const char *want);
/* Number of data files of all types. */
size_t ox_data_files(ox *x);
char *ox_head(ox *x); /* commit id of main; the caller frees */

#endif
