/* abi_priv.h - helpers shared by the Arrow C interface files. */
#ifndef IA_ARROW_ABI_PRIV_H
#define IA_ARROW_ABI_PRIV_H

#include "arrow/arrow_priv.h"

/* Format string of a type that is not a dictionary. */
ia_status ia_abi_format(ia_ctx *cx, const ia_type *t, char out[128]) IA_MUST_CHECK;
/* Buffers of an array of the type in the C interface. */
int64_t ia_abi_buffers(const ia_type *t);

#endif
