/* store.h - an open graph: its directory, format file, recorded root, caches. */
#ifndef IA_GRAPH_STORE_H
#define IA_GRAPH_STORE_H

#include "base/ids.h"
#include "base/json.h"
#include "io/objstore.h"
#include "lang/catalog.h"
#include "table/write.h"

/* On disk (the design page, section 3), below {root}/_graph:
 *   format.json                      written once, put-if-absent: the graph exists
 *   schemas/{sha256}.json            catalog + .pg source
 *   dirs/{name}                      dataset directory `name` belongs to a type
 *   refs/{branch, / as %2F}/{2^64-1-k}.json   k-th life of a branch name
 *   log/{incarnation}/{2^64-1-n}.json         commit n of that incarnation
 *   staged/{attempt}/{dir}/{lance branch or "main"}/{v}.manifest
 *   slots/{dir}/{n}                  row-id space n is taken
 * Threads: one graph handle by one thread at a time; any number of handles and processes. */
typedef struct ia_graph {
    ia_objstore *os; /* borrowed or owned, see owns_os */
    bool owns_os;
    char *root; /* absolute, normalised */
    char graph_id[IA_ULID_LEN + 1];
    char main_incarnation[IA_ULID_LEN + 1]; /* named by format.json: the only life of main */
    char *recorded_root;                    /* where the graph was made */
    int64_t created_us;
    ia_durability durability;
    struct ia_graph_cache
        *cache; /* parsed catalogs by hash, commits, datasets by (dir, branch, version, uuid) */
} ia_graph;

typedef struct ia_graph_options {
    ia_durability durability;
    bool for_writing; /* probes put-if-absent support first */
} ia_graph_options;

/* Creates a graph: datasets of every type, genesis commit, branch main. A crash before format.json
 * leaves garbage only; EXISTS when there is a graph. `now` fields come from the clock. */
ia_status ia_graph_init(ia_ctx *cx, ia_objstore *os, const char *root, const char *pg_source,
                        const char *pg_path, const char *actor,
                        const ia_graph_options *opt) IA_MUST_CHECK;
ia_status ia_graph_open(ia_ctx *cx, ia_objstore *os, const char *root, const ia_graph_options *opt,
                        ia_graph **out) IA_MUST_CHECK;
void ia_graph_close(ia_graph *g);
/* Gives back the memory and files of all caches; what callers hold stays valid. */
void ia_graph_trim(ia_graph *g);
static inline uint32_t ia_graph_put_flags(const ia_graph *g)
{
    return g->durability == IA_FULL ? IA_PUT_SYNC : 0u;
}
/* {root}/_graph/{parts...}; NULL ends. */
ia_status ia_graph_path(ia_ctx *cx, const ia_graph *g, char **out, ...) IA_MUST_CHECK;
/* Directory of a dataset: {root}/{dir}. */
ia_status ia_graph_dataset_root(ia_ctx *cx, const ia_graph *g, const char *dir,
                                char **out) IA_MUST_CHECK;
ia_status ia_graph_catalog(ia_ctx *cx, ia_graph *g, const char *schema_hash,
                           const ia_catalog **out) IA_MUST_CHECK; /* cached, g's */
/* If `path` is or lies in a dataset directory that a graph claims, its root (caller's), else NULL.
 */
ia_status ia_graph_claims(ia_ctx *cx, ia_objstore *os, const char *path,
                          char **graph_root) IA_MUST_CHECK;

#endif
