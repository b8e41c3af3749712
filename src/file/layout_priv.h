/* layout_priv.h - between the files that decode page descriptions. */
#ifndef IA_FILE_LAYOUT_PRIV_H
#define IA_FILE_LAYOUT_PRIV_H

#include "file/layout.h"
#include "file/wire.h"

/* layout_enc.c: the current field as a CompressiveEncoding, checked. A second one is CORRUPT. */
ia_status ia_enc_read(ia_ctx *cx, ia_arena *a, ia_wire *w, ia_enc **out) IA_MUST_CHECK;
/* layout_sparse.c: the members of a SparseLayout. */
ia_status ia_layout_sparse(ia_ctx *cx, ia_arena *a, ia_wire *m, ia_layout *l) IA_MUST_CHECK;

#endif
