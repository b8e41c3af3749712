/* lschema_wire.h - lance.file.Field and metadata map entries on the wire. */
#ifndef IA_FILE_LSCHEMA_WIRE_H
#define IA_FILE_LSCHEMA_WIRE_H

#include "file/lschema.h"
#include "file/wire.h"

/* One Field message. Members we do not interpret are kept in out->extra. Errors: CORRUPT. */
ia_status ia_lfield_decode(ia_ctx *cx, const uint8_t *p, size_t n, ia_lfield *out) IA_MUST_CHECK;
/* Appends the members of one Field message (no tag, no length) to out. */
ia_status ia_lfield_encode(ia_ctx *cx, const ia_lfield *f, ia_buf *out) IA_MUST_CHECK;
void ia_lfield_dispose(ia_lfield *f);

/* map<string, bytes> / map<string, string>: the current BYTES field of `w` is one entry; a later
 * entry replaces an earlier one of equal key. Values must be UTF-8 without 0 bytes (CORRUPT
 * otherwise). */
ia_status ia_wire_kv(ia_ctx *cx, ia_wire *w, ia_kv **kv, size_t *n) IA_MUST_CHECK;
void ia_wire_put_kv(ia_ctx *cx, ia_buf *b, uint32_t number, const ia_kv *kv, size_t n);
/* Copies of n entries (caller's, ia_kv_free); *out is NULL when there are none. */
ia_status ia_kv_copy(ia_ctx *cx, const ia_kv *in, size_t n, ia_kv **out,
                     size_t *n_out) IA_MUST_CHECK;
void ia_kv_free(ia_kv *kv, size_t n);

/* Appends a decoded field to a schema (moves *f). */
ia_status ia_lschema_add(ia_ctx *cx, ia_lschema *ls, ia_lfield *f) IA_MUST_CHECK;

/* Types without parameters by their name in a schema. */
bool ia_lschema_basic_id(ia_view name, ia_type_id *out);
/* A blob field: v1 is large_binary, v2 a struct. A data file lists the descriptor of v2 after it as
 * fields without ids (`parts`). */
bool ia_lfield_is_blob(const ia_lfield *f);
bool ia_lfield_is_blob_part(const ia_lschema *ls, size_t i);
/* Number of the first field after the descendants of field i (and, with `parts`, its parts). */
size_t ia_lschema_subtree_end(const ia_lschema *ls, size_t i, bool parts);

#endif
