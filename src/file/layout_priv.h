/* layout_priv.h - between the files that decode page descriptions. */
#ifndef IA_FILE_LAYOUT_PRIV_H
#define IA_FILE_LAYOUT_PRIV_H

#include "file/layout.h"
#include "file/wire.h"

/* layout_enc.c: the current field as a CompressiveEncoding, checked. A second one is CORRUPT. */
ia_status ia_enc_read(ia_ctx *cx, ia_arena *a, ia_wire *w, ia_enc **out) IA_MUST_CHECK;
/* layout_sparse.c: the members of a SparseLayout. */
ia_status ia_layout_sparse(ia_ctx *cx, ia_arena *a, ia_wire *m, ia_layout *l) IA_MUST_CHECK;
/* Layers with their slots, positions and counts set: CORRUPT unless they fit together. Fills
 * l->layers. */
ia_status ia_layout_sparse_check(ia_ctx *cx, ia_layout *l) IA_MUST_CHECK;
/* layout_planar.c: a PlanarLayout of format 2.3. */
ia_status ia_layout_planar(ia_ctx *cx, ia_arena *a, ia_wire *w, ia_layout *l) IA_MUST_CHECK;
ia_status ia_layout_zip_check(ia_ctx *cx, const ia_layout *l) IA_MUST_CHECK;
/* layout.c: the members of MiniBlockLayout.layers and the like. */
ia_status ia_layout_layers(ia_ctx *cx, ia_wire *w, ia_layout *l) IA_MUST_CHECK;

#endif
