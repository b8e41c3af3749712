/* branch.h - branch names and their lives; heads. */
#ifndef IA_GRAPH_BRANCH_H
#define IA_GRAPH_BRANCH_H

#include "graph/commit.h"

/* One life of a branch name. */
typedef struct ia_branch {
    char *name;
    uint64_t life; /* k: 0, 1, ... */
    char incarnation[IA_ULID_LEN + 1];
    ia_commit_ref fork; /* commit it was cut at; id "" for main */
    int64_t created_us;
} ia_branch;
void ia_branch_free(ia_branch *b);

/* INVALID naming the rule broken. "main" is legal here. */
ia_status ia_branch_name_check(ia_ctx *cx, const char *name) IA_MUST_CHECK;
/* The live branch of that name; NOT_FOUND lists what there is. */
ia_status ia_branch_open(ia_ctx *cx, ia_graph *g, const char *name, ia_branch **out) IA_MUST_CHECK;
/* Its newest commit (the fork commit while it has none). NOT_FOUND when ended meanwhile. */
ia_status ia_branch_head(ia_ctx *cx, ia_graph *g, const ia_branch *b,
                         ia_commit **out) IA_MUST_CHECK;
/* Sequence number the next commit of this incarnation takes, given its head. */
uint64_t ia_branch_next_n(const ia_branch *b, const ia_commit *head);
/* Cuts `name` at a commit: one small file. EXISTS; INVALID for path-prefix overlap with a live
 * name. */
ia_status ia_branch_create(ia_ctx *cx, ia_graph *g, const char *name, const ia_commit *at,
                           ia_branch **out) IA_MUST_CHECK;
/* Terminal log entry: fences writers. INVALID for main; CONFLICT when a writer won (retried
 * inside). */
ia_status ia_branch_delete(ia_ctx *cx, ia_graph *g, const char *name,
                           const char *actor) IA_MUST_CHECK;
/* Live names, sorted. */
ia_status ia_branch_list(ia_ctx *cx, ia_graph *g, ia_strlist *out) IA_MUST_CHECK;
/* Every life ever, live or ended (for commit lookup, verify). */
typedef struct ia_branch_all {
    ia_branch **items;
    size_t n, cap;
} ia_branch_all;
ia_status ia_branch_lives(ia_ctx *cx, ia_graph *g, ia_branch_all *out) IA_MUST_CHECK;
void ia_branch_all_dispose(ia_branch_all *l);
/* "main", a branch name, a commit id or prefix -> commit. NOT_FOUND / INVALID when ambiguous. */
ia_status ia_resolve(ia_ctx *cx, ia_graph *g, const char *branch_or_commit,
                     ia_commit **out) IA_MUST_CHECK;

#endif
