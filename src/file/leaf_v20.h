/* leaf_v20.h - a physical column of format 2.0 and the columns of the fields around it. */
#ifndef IA_FILE_LEAF_V20_H
#define IA_FILE_LEAF_V20_H

#include "file/layout_v20.h"
#include "file/leaf_priv.h"

/* What a node of the open page keeps. */
typedef struct ia_v20_node {
    ia_buf plain; /* flat: the decompressed buffer */
    bool has_plain;
    ia_vals items; /* dictionary: its items; fsst: codes of the last read */
    ia_valid items_valid;
    bool has_items;
    ia_fsst *fsst;
} ia_v20_node;

/* A column of the file and its open page. */
typedef struct ia_v20_col {
    ia_leaf *l;
    uint32_t column;
    bool is_dict; /* the schema says dictionary: codes count from 0, nulls are items */
    bool is_blob; /* position and size; a null is (1, 0) */
    bool flat;    /* its entries are the file's rows: no list around it */
    ia_filecol *col;
    uint64_t *item_base; /* lists: n_pages + 1 items before the page */

    size_t page; /* col->n_pages = none */
    ia_arena arena;
    ia_aenc *root;
    ia_v20_node *nodes;
    size_t n_nodes;
    ia_window *wins; /* by buffer */
    size_t n_wins;
    ia_window whole;     /* all buffers of a small page */
    const uint8_t *span; /* byte span_off of the file, when the page was read whole */
    uint64_t span_off;

    uint64_t ahead_num, ahead_den; /* a scan goes on for num / den times what is read now */
} ia_v20_col;

struct ia_v20 {
    ia_v20_col *cols; /* by layer; structs have no pages that matter */
    size_t n;
    ia_vals rows;   /* scratch: rows of packed structs, descriptors of blobs */
    uint64_t *ints; /* scratch: offsets and codes */
    size_t ints_cap;
};

/* values_v20.c: entries [a, b) of the open page. */
ia_status ia_v20_values(ia_ctx *cx, ia_v20_col *c, uint64_t a, uint64_t b, ia_valid *valid,
                        ia_vals *out) IA_MUST_CHECK;
/* Unsigned integers [a, b) of a node into the column's scratch. */
ia_status ia_v20_ints(ia_ctx *cx, ia_v20_col *c, const ia_aenc *e, uint64_t a, uint64_t b,
                      const uint64_t **out) IA_MUST_CHECK;

#endif
