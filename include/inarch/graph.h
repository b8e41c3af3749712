/* graph.h - open graphs: create, open, status, schema, verify, export. */
#ifndef INARCH_GRAPH_H
#define INARCH_GRAPH_H

#include <stdbool.h>

#include "inarch/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An open graph. One thread at a time; any number of handles, threads and processes may work on one
 * graph, readers never block. */
typedef struct inarch_graph inarch_graph;

typedef enum inarch_durability {
    INARCH_FULL = 0,   /* files and directories are synced before a commit becomes visible */
    INARCH_RELAXED = 1 /* no sync: atomic for other processes, not across a power loss */
} inarch_durability;

/* Options of every call that takes them; NULL means all defaults. */
typedef struct inarch_options {
    size_t struct_size;
    uint64_t memory_limit; /* bytes an operation may hold; 0 = 512 MiB */
    inarch_durability durability;
    inarch_progress_fn progress; /* NULL = none */
    void *payload;               /* handed to progress */
    const volatile int *cancel;  /* non-zero cancels; NULL = never */
} inarch_options;
#define INARCH_OPTIONS_INIT                                                                        \
    {                                                                                              \
        sizeof(inarch_options), 0, INARCH_FULL, 0, 0, 0                                            \
    }

/* Options of one write; strings are borrowed for the call. */
typedef struct inarch_write_options {
    size_t struct_size;
    const char *branch;    /* NULL = "main" */
    const char *actor;     /* NULL = the user's name */
    const char *message;   /* NULL = none */
    const char *if_commit; /* head must be this commit, else PRECONDITION; NULL = any */
} inarch_write_options;
#define INARCH_WRITE_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(inarch_write_options), 0, 0, 0, 0                                                   \
    }

/* Creates a graph in directory `path` with the schema text (.pg); `schema_path` names it in
 * messages. Errors: EXISTS, INVALID (schema, with line and column), UNSUPPORTED (type; file
 * system), IO. */
INARCH_API inarch_status inarch_graph_create(const char *path, const char *schema,
                                             const char *schema_path, const char *actor,
                                             const inarch_options *opt);
/* Opens for reading and writing; the options hold for every call on the handle.
 * Out: *out is the caller's, inarch_graph_close(). Errors: NOT_FOUND, UNSUPPORTED, CORRUPT, IO. */
INARCH_API inarch_status inarch_graph_open(const char *path, const inarch_options *opt,
                                           inarch_graph **out);
INARCH_API void inarch_graph_close(inarch_graph *g); /* accepts NULL */
/* Changes the callbacks and the memory limit of an open handle. */
INARCH_API inarch_status inarch_graph_set_options(inarch_graph *g, const inarch_options *opt);

/* Bytes that the handle read and wrote since it was opened, by what they are for. */
typedef struct inarch_io_counts {
    uint64_t meta_read,
        meta_written; /* manifests, transactions, JSON, file footers, deletion files */
    uint64_t key_read, key_written;         /* id, src, dst and columns that a constraint names */
    uint64_t payload_read, payload_written; /* every other column */
} inarch_io_counts;
INARCH_API void inarch_graph_io_counts(const inarch_graph *g, inarch_io_counts *out);

/* Text owned by the caller; inarch_free(). */
INARCH_API void inarch_free(void *p); /* accepts NULL */

/* The .pg text at a branch or commit (NULL = main). Out: *text, inarch_free(). */
INARCH_API inarch_status inarch_graph_schema(inarch_graph *g, const char *at, char **text);

/* ---- tables of a commit ---------------------------------------------------------------------- */

typedef struct inarch_table_info {
    const char *kind;         /* "node" or "edge" */
    const char *type;         /* type name */
    const char *dir;          /* dataset directory below the graph */
    const char *path;         /* the same, absolute */
    const char *lance_branch; /* "" = main */
    uint64_t lance_version;
    uint64_t rows;
    bool drifted;             /* a foreign version sits on top; only set by inarch_graph_status() */
    uint64_t foreign_version; /* that version */
    const char *foreign_operation;
    bool unrevealed; /* published, the manifest still has to be linked to its final name */
} inarch_table_info;

typedef struct inarch_snapshot_info {
    const char *branch; /* as asked; "" for a commit id */
    const char *commit; /* id */
    const char *schema_hash;
    size_t n_tables;
    const inarch_table_info *tables; /* sorted by kind (node first), then type */
    void *owner;
} inarch_snapshot_info;
/* Tables at a branch head or commit (NULL = main). Out: inarch_snapshot_info_dispose(). */
INARCH_API inarch_status inarch_snapshot_read(inarch_graph *g, const char *at,
                                              inarch_snapshot_info *out);
/* The same for a branch head, with drift and unrevealed manifests looked for. */
INARCH_API inarch_status inarch_graph_status(inarch_graph *g, const char *branch,
                                             inarch_snapshot_info *out);
INARCH_API void inarch_snapshot_info_dispose(inarch_snapshot_info *s);

/* ---- verify, export -------------------------------------------------------------------------- */

typedef struct inarch_verify_report {
    uint64_t commits, tables, fragments, rows, edges;
    size_t n_problems;
    const char *const *problems; /* one line each */
    void *owner;
} inarch_verify_report;
/* Checks references, files, counts, ids and constraints of a branch (NULL = every live branch);
 * all_commits: of every reachable commit. Problems are a result, not an error. Out:
 * inarch_verify_report_dispose(). */
INARCH_API inarch_status inarch_verify(inarch_graph *g, const char *branch, bool all_commits,
                                       bool strict, inarch_verify_report *out);
INARCH_API void inarch_verify_report_dispose(inarch_verify_report *r);

/* Receives bytes; non-zero stops with IO. */
typedef int (*inarch_write_fn)(const void *data, size_t n, void *payload);
/* Writes a commit's rows as JSON lines (edges first, types by name, rows by id). types: names, NULL
 * = all. */
INARCH_API inarch_status inarch_export(inarch_graph *g, const char *at, const char *const *types,
                                       size_t n_types, inarch_write_fn write, void *payload);

#ifdef __cplusplus
}
#endif
#endif
