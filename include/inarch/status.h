/* status.h - result codes and the text of the last error. */
#ifndef INARCH_STATUS_H
#define INARCH_STATUS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define INARCH_API __attribute__((visibility("default")))
#define INARCH_MUST_CHECK __attribute__((warn_unused_result))
#else
#define INARCH_API
#define INARCH_MUST_CHECK
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* One closed list: a code exists only where a caller would act differently. */
typedef enum inarch_status {
    INARCH_OK = 0,
    INARCH_ERR_INVALID = 1,      /* bad argument, name, option, query or input text */
    INARCH_ERR_NOT_FOUND = 2,    /* no such graph, branch, commit, type, file */
    INARCH_ERR_EXISTS = 3,       /* the name is taken */
    INARCH_ERR_CONFLICT = 4,     /* another writer or a merge conflict; nothing was changed */
    INARCH_ERR_PRECONDITION = 5, /* --if-commit: the head is another commit */
    INARCH_ERR_CONSTRAINT = 6,   /* the data breaks a rule of the schema; nothing was changed */
    INARCH_ERR_CORRUPT = 7,      /* stored bytes are damaged */
    INARCH_ERR_UNSUPPORTED = 8,  /* a format feature or type this version does not handle */
    INARCH_ERR_IO = 9,           /* the store failed */
    INARCH_ERR_NO_MEMORY = 10,   /* the system refused memory */
    INARCH_ERR_OVER_BUDGET = 11, /* the operation's memory limit is reached */
    INARCH_ERR_CANCELLED = 12,   /* the cancel flag or a progress callback stopped it */
    INARCH_ERR_DRIFT = 13,       /* a foreign writer changed a table; repair first */
    INARCH_ERR_INTERNAL = 14     /* a bug of ours */
} inarch_status;

/* Short lower-case name of a code ("not_found"); "unknown" for others. Static text. Threads: any.
 */
INARCH_API const char *inarch_status_name(inarch_status st);

/* Text of this thread's last failed call, "" when the last call succeeded. Valid until this
 * thread's next call into the library. */
INARCH_API const char *inarch_last_error(void);

/* Called on the caller's thread; total is 0 when unknown. Non-zero cancels the operation. */
typedef int (*inarch_progress_fn)(uint64_t done, uint64_t total, void *payload);

#ifdef __cplusplus
}
#endif
#endif
