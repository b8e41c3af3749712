/* status.h - internal spelling of the result codes. */
#ifndef IA_BASE_STATUS_H
#define IA_BASE_STATUS_H

#include "inarch/status.h"

typedef inarch_status ia_status;

#define IA_OK INARCH_OK
#define IA_ERR_INVALID INARCH_ERR_INVALID
#define IA_ERR_NOT_FOUND INARCH_ERR_NOT_FOUND
#define IA_ERR_EXISTS INARCH_ERR_EXISTS
#define IA_ERR_CONFLICT INARCH_ERR_CONFLICT
#define IA_ERR_PRECONDITION INARCH_ERR_PRECONDITION
#define IA_ERR_CONSTRAINT INARCH_ERR_CONSTRAINT
#define IA_ERR_CORRUPT INARCH_ERR_CORRUPT
#define IA_ERR_UNSUPPORTED INARCH_ERR_UNSUPPORTED
#define IA_ERR_IO INARCH_ERR_IO
#define IA_ERR_NO_MEMORY INARCH_ERR_NO_MEMORY
#define IA_ERR_OVER_BUDGET INARCH_ERR_OVER_BUDGET
#define IA_ERR_CANCELLED INARCH_ERR_CANCELLED
#define IA_ERR_DRIFT INARCH_ERR_DRIFT
#define IA_ERR_INTERNAL INARCH_ERR_INTERNAL

/* Short lower-case name of a code ("not_found"); "unknown" for others. Static text. */
const char *ia_status_name(ia_status st);

#define IA_MUST_CHECK INARCH_MUST_CHECK
#define IA_PRINTF(f, a) __attribute__((format(printf, f, a)))

#endif
