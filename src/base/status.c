/* status.c - the names of the result codes. */
#include "base/status.h"

const char *ia_status_name(ia_status st)
{
    switch (st) {
    case IA_OK:
        return "ok";
    case IA_ERR_INVALID:
        return "invalid";
    case IA_ERR_NOT_FOUND:
        return "not_found";
    case IA_ERR_EXISTS:
        return "exists";
    case IA_ERR_CONFLICT:
        return "conflict";
    case IA_ERR_PRECONDITION:
        return "precondition";
    case IA_ERR_CONSTRAINT:
        return "constraint";
    case IA_ERR_CORRUPT:
        return "corrupt";
    case IA_ERR_UNSUPPORTED:
        return "unsupported";
    case IA_ERR_IO:
        return "io";
    case IA_ERR_NO_MEMORY:
        return "no_memory";
    case IA_ERR_OVER_BUDGET:
        return "over_budget";
    case IA_ERR_CANCELLED:
        return "cancelled";
    case IA_ERR_DRIFT:
        return "drift";
    case IA_ERR_INTERNAL:
        return "internal";
    }
    return "unknown";
}
