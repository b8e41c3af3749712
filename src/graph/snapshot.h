/* snapshot.h - one commit with its catalog and its tables, opened on demand. */
#ifndef IA_GRAPH_SNAPSHOT_H
#define IA_GRAPH_SNAPSHOT_H

#include "graph/branch.h"

/* Immutable view; one thread at a time. Borrowed from the graph: close before it. */
typedef struct ia_snapshot {
    ia_graph *g;
    ia_commit *commit;     /* owned */
    const ia_catalog *cat; /* g's */
    ia_dataset **open;     /* per catalog type, NULL until asked for */
} ia_snapshot;

/* Takes over `c` (also on failure). */
ia_status ia_snapshot_open(ia_ctx *cx, ia_graph *g, ia_commit *c, ia_snapshot **out) IA_MUST_CHECK;
void ia_snapshot_close(ia_snapshot *s);
/* Table of catalog type `type`: the revealed manifest if its transaction is the entry's, else the
 * staged copy. Borrowed from s. Key columns (id, src, dst, constrained) are set for counting.
 * CORRUPT when neither is there. */
ia_status ia_snapshot_table(ia_ctx *cx, ia_snapshot *s, size_t type,
                            ia_dataset **out) IA_MUST_CHECK;
/* The same for an entry of any commit; retained result (ia_dataset_release). */
ia_status ia_entry_open(ia_ctx *cx, ia_graph *g, const ia_type_def *type, const ia_entry *e,
                        ia_dataset **out) IA_MUST_CHECK;
const ia_entry *ia_snapshot_entry(const ia_snapshot *s, size_t type);
/* Names of the narrow columns of a type: id, src, dst and every column a constraint names. Caller
 * frees the array, not the strings. */
ia_status ia_type_narrow(ia_ctx *cx, const ia_type_def *type, const char ***names,
                         size_t *n) IA_MUST_CHECK;

#endif
