/* pool.h - worker threads for jobs that the caller waits for. */
#ifndef IA_BASE_POOL_H
#define IA_BASE_POOL_H

#include "base/mem.h"

/* A pool for `threads` threads in all: it starts threads - 1 workers, and whoever waits for a job
 * works too. Threads: any may submit and wait. */
typedef struct ia_pool ia_pool;

/* Runs with a context of its own: budget and cancel flag of the submitter, no progress. */
typedef ia_status (*ia_job_fn)(ia_ctx *cx, void *arg);

typedef enum ia_job_state {
    IA_JOB_IDLE = 0,
    IA_JOB_QUEUED,
    IA_JOB_RUNNING,
    IA_JOB_DONE
} ia_job_state;

/* Lies with its owner, all-zero at first, and must stay until it was waited for. The owner bounds
 * how many there are: that is the bound of the queue. */
typedef struct ia_job {
    ia_job_fn fn;
    void *arg;
    ia_job_state state; /* under the pool's lock */
    ia_budget *budget;
    const atomic_bool *cancel;
    ia_error err;
    struct ia_job *next;
} ia_job;

/* threads 0 counts as 1. A thread that the system refuses is done without. */
ia_status ia_pool_new(ia_ctx *cx, uint32_t threads, ia_pool **out) IA_MUST_CHECK;
/* Every job must have been waited for. Accepts NULL. */
void ia_pool_free(ia_pool *p);
uint32_t ia_pool_threads(const ia_pool *p); /* the caller's included; 1 for NULL */
uint32_t ia_pool_processors(void);          /* that this process may use, at least 1 */

/* Puts j at the end of the queue; never blocks, never fails. */
void ia_pool_submit(ia_ctx *cx, ia_pool *p, ia_job *j);
/* Until j is done, running queued jobs meanwhile; an idle job is done. Returns the job's status and
 * copies its error text. Afterwards j is idle and may be submitted again. */
ia_status ia_pool_wait(ia_ctx *cx, ia_pool *p, ia_job *j) IA_MUST_CHECK;
/* Like wait, but nobody wants the result: takes j off the queue, or waits for its end. */
void ia_pool_drop(ia_pool *p, ia_job *j);

/* fn(cx, arg + i * size) for each of n arguments, side by side; the error of the first that failed.
 * After a failure those that did not start are left out. */
ia_status ia_pool_each(ia_ctx *cx, ia_pool *p, ia_job_fn fn, void *args, size_t n,
                       size_t size) IA_MUST_CHECK;

#endif
