/* changeset.h - what a write does to each type; one evaluator judges it. */
#ifndef IA_GRAPH_CHANGESET_H
#define IA_GRAPH_CHANGESET_H

#include "base/map.h"
#include "graph/snapshot.h"

/* Change of one type. Row images are narrow or full batches (columns by name: id, [src, dst], and
 * at least every column a constraint names), in application order: per id the last image wins. */
typedef struct ia_tchange {
    size_t type; /* index in the catalog */
    ia_batch **images;
    size_t n_images, cap_images; /* retained */
    uint64_t **lines;
    size_t cap_lines; /* per image: input line of each row (load), or NULL; owned */
    bool one_batch;   /* all images are one input batch (load): equal keys inside it are an error */
    ia_bytemap deleted;           /* ids removed by deletes, cascades, merge deletes */
    ia_bytemap overwrite_removed; /* committed ids that an overwrite drops */
    bool overwritten;             /* the whole type is replaced */
} ia_tchange;

typedef struct ia_changeset {
    const ia_catalog *cat;
    ia_tchange *types;
    size_t n, cap; /* ascending type key: edges before nodes, by name */
} ia_changeset;

void ia_changeset_dispose(ia_changeset *cs);
/* Finds or adds the change of a type (pointer valid until the next add). */
ia_status ia_changeset_type(ia_ctx *cx, ia_changeset *cs, size_t type,
                            ia_tchange **out) IA_MUST_CHECK;
const ia_tchange *ia_changeset_find(const ia_changeset *cs, size_t type);
ia_status ia_tchange_add(ia_ctx *cx, ia_tchange *t,
                         const ia_batch *images) IA_MUST_CHECK; /* retains */
/* The same with the input line of each row, for messages; takes over `lines` (ia_alloc), also on
 * failure. */
ia_status ia_tchange_add_lines(ia_ctx *cx, ia_tchange *t, const ia_batch *images,
                               uint64_t *lines) IA_MUST_CHECK;
/* "node:Person", "edge:Knows" into out (truncated to n); returns out. */
const char *ia_type_key(const ia_type_def *t, char *out, size_t n);
bool ia_changeset_empty(const ia_changeset *cs);
/* The narrow columns of full rows: what a change-set keeps of them. */
ia_status ia_narrow_image(ia_ctx *cx, const ia_type_def *def, const ia_batch *b,
                          ia_batch **out) IA_MUST_CHECK;

#endif
