/* shred_priv.h - rows of a batch as entries and slots of one leaf, on their way into a page. */
#ifndef IA_FILE_SHRED_PRIV_H
#define IA_FILE_SHRED_PRIV_H

#include "file/write_priv.h"

/* Entries [entry, entry + n) own slots [slot, slot + n) of the array at hand. */
typedef struct ia_wrun {
    uint64_t entry, slot, n;
} ia_wrun;

/* Entries of some rows. Those in a run are visible; the others are null or empty lists. Each layer
 * is made from the one above it, so there are two of everything. */
typedef struct ia_shred {
    ia_buf rep[2];  /* u16 per entry, below lists */
    ia_buf ev[2];   /* u8 per entry: IA_EVENT_... */
    ia_buf runs[2]; /* ia_wrun, ascending */
    int at;
    bool has_rep, has_events;
    uint64_t n, rows;
    uint64_t first_row; /* of the file */
} ia_shred;

void ia_shred_dispose(ia_shred *s);
/* Rows [start, start + n) of the top-level array `a`. *leaf = the leaf's array, borrowed. Errors:
 * INVALID naming column, field and row of a null that is not allowed. */
ia_status ia_shred_rows(ia_ctx *cx, const ia_wleaf *l, ia_shred *s, const ia_array *a,
                        int64_t start, int64_t n, const ia_array **leaf) IA_MUST_CHECK;
const uint8_t *ia_shred_events(const ia_shred *s); /* NULL = no event */
const uint16_t *ia_shred_rep(const ia_shred *s);   /* NULL = no lists */
size_t ia_shred_runs(const ia_shred *s, const ia_wrun **out);
/* INVALID: column, path to the node, row of the entry, and why. */
ia_status ia_shred_refuse(ia_ctx *cx, const ia_wleaf *l, const ia_shred *s, size_t node,
                          uint64_t entry, const char *why);
/* How many of `left` rows add at most `room` bytes; all of them when that is at most slack more. */
int64_t ia_shred_fit(const ia_wleaf *l, const ia_array *a, int64_t start, int64_t left,
                     uint64_t room, uint64_t slack);

/* ---- write_vals.c --------------------------------------------------------------------------- */

/* Index number i of a dictionary array; a negative one becomes huge. */
uint64_t ia_wintern_index(const ia_array *a, int64_t i);
/* Appends the values of the run to l->vals. `ev`: events of the run's entries, NULL = none; where
 * there is one the value becomes zero or empty. `s` serves messages. */
ia_status ia_wleaf_put(ia_ctx *cx, ia_wleaf *l, const ia_shred *s, const ia_array *a,
                       const ia_wrun *run, const uint8_t *ev) IA_MUST_CHECK;
/* Shows the values of the run instead of copying them, when that is possible. */
ia_status ia_wleaf_borrow(ia_ctx *cx, ia_wleaf *l, const ia_array *a, const ia_wrun *run,
                          bool *done) IA_MUST_CHECK;
/* True when the page's dictionary may not have room for `a` brings. */
bool ia_wintern_is_full(const ia_wleaf *l, const ia_array *a);
ia_status ia_wintern_new(ia_ctx *cx, ia_wintern **out) IA_MUST_CHECK;
void ia_wintern_clear(ia_wintern *d); /* for the next page */
void ia_wintern_free(ia_wintern *d);

#endif
