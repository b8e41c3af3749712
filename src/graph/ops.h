/* ops.h - the other operations on a graph: load, mutate, query, diff, export, verify. */
#ifndef IA_GRAPH_OPS_H
#define IA_GRAPH_OPS_H

#include "graph/merge.h"
#include "lang/query/query.h"

typedef enum ia_load_mode { IA_LOAD_APPEND = 0, IA_LOAD_MERGE, IA_LOAD_OVERWRITE } ia_load_mode;

typedef struct ia_load_count {
    size_t type;
    uint64_t rows;
} ia_load_count;
typedef struct ia_load_result {
    ia_commit *commit; /* NULL when the file had no rows */
    ia_load_count *counts;
    size_t n; /* types that occurred, ascending */
    uint64_t total;
} ia_load_result;
void ia_load_result_dispose(ia_load_result *r);

typedef struct ia_write_options {
    const char *branch, *actor, *message, *if_commit;
} ia_write_options;

/* JSON lines in the strict form (languages page 3.1) from `read` (0 bytes = end); name is for
 * messages. */
typedef ia_status (*ia_read_fn)(ia_ctx *cx, void *arg, void *dst, size_t cap, size_t *got);
ia_status ia_load(ia_ctx *cx, ia_graph *g, ia_load_mode mode, ia_read_fn read, void *arg,
                  uint64_t total_bytes, const char *name, const ia_write_options *opt,
                  ia_load_result *out) IA_MUST_CHECK;

/* Rows of one type from a stream with its columns by name: id may be left out where a key makes it
 * or a fresh one will do, nullable columns may be left out; numbers are cast where they fit. */
ia_status ia_load_rows(ia_ctx *cx, ia_graph *g, ia_type_kind kind, const char *type,
                       ia_load_mode mode, ia_stream *rows, const ia_write_options *opt,
                       ia_load_result *out) IA_MUST_CHECK;

typedef struct ia_mutate_result {
    ia_commit *commit;
    uint64_t nodes, edges;
} ia_mutate_result;
/* All statements of a checked mutation as one write. */
ia_status ia_mutate(ia_ctx *cx, ia_graph *g, const ia_gq_query *q, const ia_params *params,
                    const ia_write_options *opt, ia_mutate_result *out) IA_MUST_CHECK;

/* Executes a read on a snapshot; the stream keeps what it needs of s (s must outlive it). */
ia_status ia_query_run(ia_ctx *cx, ia_snapshot *s, const ia_gq_query *q, const ia_params *params,
                       ia_stream *out) IA_MUST_CHECK;

/* ---- differences ---------------------------------------------------------------------------- */
typedef enum ia_change_op { IA_OP_INSERT = 0, IA_OP_UPDATE, IA_OP_DELETE } ia_change_op;
typedef struct ia_change {
    size_t type;
    const char *id;
    ia_change_op op;
    const ia_batch *before, *after; /* one row each, or NULL; borrowed for the call */
} ia_change;
/* Net row changes from one commit to another, nodes before edges, then type name, then id;
 * value-equal rewrites are left out. images false: ids and ops only are exact for one-sided rows,
 * updates are still compared. */
ia_status ia_diff(ia_ctx *cx, ia_graph *g, ia_commit *from, ia_commit *to, bool images,
                  ia_status (*sink)(ia_ctx *, void *, const ia_catalog *, const ia_change *),
                  void *arg) IA_MUST_CHECK;

/* ---- export and verify ---------------------------------------------------------------------- */
typedef ia_status (*ia_write_fn)(ia_ctx *cx, void *arg, const void *data, size_t n);
/* JSON lines of the languages page 3.6: type keys as text (edges first), rows by id. Spills
 * nothing: sorts ids in memory, takes rows in chunks. */
ia_status ia_export(ia_ctx *cx, ia_snapshot *s, const char *const *types, size_t n_types,
                    ia_write_fn write, void *arg) IA_MUST_CHECK;

typedef struct ia_verify_report {
    uint64_t commits, tables, fragments, rows, edges;
    ia_strlist problems;
} ia_verify_report;
void ia_verify_report_dispose(ia_verify_report *r);
/* Every reference, footer, row count, row-id uniqueness, logical-id uniqueness and constraint of
 * the heads of all live branches (all_commits: of every reachable commit). strict: @card minima of
 * nodes without edges, too. */
ia_status ia_verify(ia_ctx *cx, ia_graph *g, const char *branch, bool all_commits, bool strict,
                    ia_verify_report *out) IA_MUST_CHECK;

#endif
