/* pool.c - worker threads for jobs that the caller waits for. */
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

struct ia_pool {
    pthread_mutex_t lock;
    pthread_cond_t work; /* a job was queued, or the pool closes */
    pthread_cond_t done; /* a job ended, or was queued while somebody waits */
    ia_job *first, *last;
    bool closing;
    uint32_t waiters; /* threads in ia_pool_wait with nothing to do */
    uint32_t n_workers;
    pthread_t workers[];
};

enum { MAX_THREADS = 256 };

/* ---- the queue, under the lock -------------------------------------------------------------- */

static ia_job *pop(ia_pool *p)
{
    ia_job *j = p->first;

    if (j) {
        p->first = j->next;
        if (!p->first)
            p->last = NULL;
        j->next = NULL;
    }
    return j;
}

static void unlink_job(ia_pool *p, ia_job *j)
{
    ia_job *before = NULL;

    for (ia_job *at = p->first; at && at != j; at = at->next)
        before = at;
    if (before)
        before->next = j->next;
    else
        p->first = j->next;
    if (p->last == j)
        p->last = before;
    j->next = NULL;
}

/* Gives the lock up while the job runs. */
static void run(ia_pool *p, ia_job *j)
{
    ia_ctx cx;
    ia_status st;

    j->state = IA_JOB_RUNNING;
    pthread_mutex_unlock(&p->lock);
    ia_ctx_init(&cx, j->budget);
    cx.cancel = j->cancel;
    st = ia_check(&cx, 0, 0);
    if (st == IA_OK)
        st = j->fn(&cx, j->arg);
    j->err.code = st;
    if (st != IA_OK)
        j->err = cx.err;
    pthread_mutex_lock(&p->lock);
    j->state = IA_JOB_DONE;
    if (p->waiters)
        pthread_cond_broadcast(&p->done);
}

static void *worker(void *arg)
{
    ia_pool *p = arg;

    pthread_mutex_lock(&p->lock);
    for (;;) {
        ia_job *j = pop(p);

        if (j)
            run(p, j);
        else if (p->closing)
            break;
        else
            pthread_cond_wait(&p->work, &p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- life ----------------------------------------------------------------------------------- */

/* Signals stay with the threads of the program. */
static void start_workers(ia_pool *p, uint32_t want)
{
    sigset_t all, old;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (p->n_workers < want && pthread_create(&p->workers[p->n_workers], NULL, worker, p) == 0)
        p->n_workers++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

ia_status ia_pool_new(ia_ctx *cx, uint32_t threads, ia_pool **out)
{
    uint32_t n = threads > MAX_THREADS ? MAX_THREADS : threads ? threads : 1;
    ia_pool *p;

    *out = NULL;
    p = ia_calloc(cx, 1, sizeof *p + (n - 1) * sizeof p->workers[0]);
    if (!p)
        return cx->err.code;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->done, NULL);
    start_workers(p, n - 1);
    *out = p;
    return IA_OK;
}

void ia_pool_free(ia_pool *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    IA_ASSERT(!p->first);
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (uint32_t i = 0; i < p->n_workers; i++)
        pthread_join(p->workers[i], NULL);
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->lock);
    ia_free(p);
}

uint32_t ia_pool_threads(const ia_pool *p)
{
    return p ? p->n_workers + 1 : 1;
}

uint32_t ia_pool_processors(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return CPU_COUNT(&set) > 1 ? (uint32_t)CPU_COUNT(&set) : 1;
}

/* ---- jobs ----------------------------------------------------------------------------------- */

void ia_pool_submit(ia_ctx *cx, ia_pool *p, ia_job *j)
{
    j->budget = cx->budget;
    j->cancel = cx->cancel;
    j->next = NULL;
    pthread_mutex_lock(&p->lock);
    IA_ASSERT(j->state == IA_JOB_IDLE);
    j->state = IA_JOB_QUEUED;
    if (p->last)
        p->last->next = j;
    else
        p->first = j;
    p->last = j;
    pthread_cond_signal(&p->work);
    if (p->waiters)
        pthread_cond_broadcast(&p->done);
    pthread_mutex_unlock(&p->lock);
}

/* The job itself when it still waits, else the oldest one. */
static ia_job *next_for(ia_pool *p, ia_job *j)
{
    if (j->state != IA_JOB_QUEUED)
        return pop(p);
    unlink_job(p, j);
    return j;
}

ia_status ia_pool_wait(ia_ctx *cx, ia_pool *p, ia_job *j)
{
    ia_status st;

    pthread_mutex_lock(&p->lock);
    if (j->state == IA_JOB_IDLE) {
        pthread_mutex_unlock(&p->lock);
        return IA_OK;
    }
    while (j->state != IA_JOB_DONE) {
        ia_job *other = next_for(p, j);

        if (other) {
            run(p, other);
        } else {
            p->waiters++;
            pthread_cond_wait(&p->done, &p->lock);
            p->waiters--;
        }
    }
    j->state = IA_JOB_IDLE;
    pthread_mutex_unlock(&p->lock);
    st = j->err.code;
    if (st != IA_OK)
        cx->err = j->err;
    return st;
}

void ia_pool_drop(ia_pool *p, ia_job *j)
{
    pthread_mutex_lock(&p->lock);
    if (j->state == IA_JOB_QUEUED)
        unlink_job(p, j);
    while (j->state == IA_JOB_RUNNING) {
        p->waiters++;
        pthread_cond_wait(&p->done, &p->lock);
        p->waiters--;
    }
    j->state = IA_JOB_IDLE;
    pthread_mutex_unlock(&p->lock);
}

/* ---- many at once --------------------------------------------------------------------------- */

/* Every thread takes the next number until none is left. */
typedef struct each {
    ia_job_fn fn;
    uint8_t *args;
    size_t n, size;
    atomic_size_t next;
    atomic_size_t failed; /* lowest number that failed, n = none */
    pthread_mutex_t lock;
    ia_error err; /* of `failed`; under the lock */
} each;

static void each_failed(ia_ctx *cx, each *e, size_t i)
{
    pthread_mutex_lock(&e->lock);
    if (i < atomic_load(&e->failed)) {
        atomic_store(&e->failed, i);
        e->err = cx->err;
    }
    pthread_mutex_unlock(&e->lock);
}

static ia_status each_run(ia_ctx *cx, void *arg)
{
    each *e = arg;

    for (;;) {
        size_t i = atomic_fetch_add(&e->next, 1);

        if (i >= e->n || i > atomic_load(&e->failed))
            return IA_OK;
        if (ia_check(cx, i, e->n) != IA_OK || e->fn(cx, e->args + i * e->size) != IA_OK)
            each_failed(cx, e, i);
    }
}

ia_status ia_pool_each(ia_ctx *cx, ia_pool *p, ia_job_fn fn, void *args, size_t n, size_t size)
{
    each e = {.fn = fn, .args = args, .n = n, .size = size};
    size_t helpers = ia_pool_threads(p) - 1;
    ia_job *jobs = NULL;
    ia_status st = IA_OK;

    atomic_init(&e.next, 0);
    atomic_init(&e.failed, n);
    pthread_mutex_init(&e.lock, NULL);
    helpers = helpers < n ? helpers : n ? n - 1 : 0;
    if (helpers)
        IA_GO(IA_NEW_ARRAY(cx, jobs, helpers));
    for (size_t i = 0; i < helpers; i++) {
        jobs[i].fn = each_run;
        jobs[i].arg = &e;
        ia_pool_submit(cx, p, &jobs[i]);
    }
    (void)each_run(cx, &e);
    for (size_t i = 0; i < helpers; i++)
        ia_pool_drop(p, &jobs[i]); /* what still waits in the queue has nothing left to do */
    if (atomic_load(&e.failed) < n) {
        cx->err = e.err;
        st = e.err.code;
    }
done:
    ia_free(jobs);
    pthread_mutex_destroy(&e.lock);
    return st;
}
