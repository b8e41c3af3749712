/* merge_fixture.h - a graph with branches that tests change by text, merge, and look into. */
#ifndef MERGE_FIXTURE_H
#define MERGE_FIXTURE_H

#include "../base/test_env.h"
#include "graph/ops.h"

/* id, ends and constrained properties are key columns; note, tag and title are payload. */
#define MX_SCHEMA                                                                                  \
    "node Item { name: String @key  title: String? }\n"                                            \
    "node Person {\n  name: String @key\n  age: I32?\n  email: String? @unique\n  note: String?\n" \
    "  @range(age, 0..150)\n}\n"                                                                   \
    "edge Knows: Person -> Person { tag: String? }\n"                                              \
    "edge Lives: Person -> Item @card(1..2) { tag: String? }\n"                                    \
    "edge Owns: Person -> Item @card(0..2) { tag: String? }\n"

enum { MX_ITEM = 0, MX_PERSON, MX_KNOWS, MX_LIVES, MX_OWNS }; /* catalog order */

typedef enum mx_kind { MX_MEMORY = 0, MX_LOCAL, MX_NO_LINK, MX_KINDS } mx_kind;

typedef struct mx {
    env e;
    mx_kind kind;
    ia_objstore *inner, *faulty, *os; /* os counts over faulty over inner */
    char base[64];                    /* LOCAL: temporary directory */
    char root[80];
    ia_graph *g;
    ia_merge_options opt; /* of mx_merge() */
    ia_merge_result r;    /* of the last merge */
    ia_io_counts io;      /* of the last merge */
} mx;

void mx_open(mx *x, mx_kind kind);
void mx_close(mx *x);
ia_graph *mx_handle(mx *x); /* a second handle */

/* Each is one write that must succeed. */
void mx_load(mx *x, const char *branch, const char *lines);
void mx_mode(mx *x, const char *branch, ia_load_mode mode, const char *lines);
void mx_run(mx *x, const char *branch, const char *statement);
void mx_person(mx *x, const char *branch, const char *name, int age);
void mx_edge(mx *x, const char *branch, const char *type, const char *id, const char *from,
             const char *to); /* tag = id */
void mx_drop_person(mx *x, const char *branch, const char *name);
void mx_drop_edge(mx *x, const char *branch, const char *type, const char *tag);
/* People "p000".."p{n-1}" with that age in one load. */
void mx_people(mx *x, const char *branch, int from, int to, int age);
void mx_branch(mx *x, const char *name, const char *from);
void mx_head(mx *x, const char *branch, char id[27]);

/* Merges and expects the outcome; a conflicting merge must leave both sides as they were. */
void mx_merge(mx *x, const char *source, const char *into, ia_merge_outcome want);
ia_status mx_try_merge(mx *x, const char *source, const char *into);
const ia_route *mx_route(const mx *x, const char *type_key);
void mx_expect_route(const mx *x, const char *type_key, const char *route);
/* Expects exactly these conflicts: "kind type id; ..." in order. */
void mx_expect_conflicts(const mx *x, const char *want);

/* "Alice(30,a@x,-) Bob(...)": rows of a type by id with their other columns, key left out. */
char *mx_dump(mx *x, const char *ref, size_t type);
void mx_expect(mx *x, const char *ref, size_t type, const char *want);
void mx_expect_same(mx *x, const char *ref, const char *other); /* all types */
char *mx_dump_all(mx *x, const char *ref);

typedef struct mx_row {
    uint64_t row_id, created, updated, addr;
} mx_row;
bool mx_find(mx *x, const char *ref, size_t type, const char *id, mx_row *out);
uint64_t mx_version(mx *x, const char *ref, size_t type);
/* The graph passes every check of ia_verify(). */
void mx_verify(mx *x);
/* Objects in the whole store. */
size_t mx_objects(mx *x);

#define MX_OK(x, call)                                                                             \
    do {                                                                                           \
        if ((call) != IA_OK)                                                                       \
            fail_msg("%s: %s", #call, (x)->e.cx.err.text);                                         \
    } while (0)

#endif
