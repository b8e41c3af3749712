/* io_priv.h - helpers that several stores share. */
#ifndef IA_IO_IO_PRIV_H
#define IA_IO_IO_PRIV_H

#include "io/objstore.h"

/* Names that list() leaves out: our own ".tmp-*" and the "*#<digits>" of other engines' writers. */
bool ia_name_is_temporary(const char *name);
/* A fresh ".tmp-<random>" path in the directory of `path`. */
ia_status ia_path_temporary(ia_ctx *cx, const char *path, char **out) IA_MUST_CHECK;
/* Adds a copy of name[0..len) with `suffix` to the list. */
ia_status ia_objlist_add(ia_ctx *cx, ia_objlist *l, const char *name, size_t len,
                         const char *suffix) IA_MUST_CHECK;
/* The error of a link() that failed with `err`; see ia_objstore_link(). */
ia_status ia_link_fail(ia_ctx *cx, const char *from, const char *to, int err);
/* Copies a failure recorded in another context into cx. */
ia_status ia_fail_from(ia_ctx *cx, const ia_ctx *other);

#endif
