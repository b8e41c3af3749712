/* file_pool.c - idle open data files of one owner; the longest idle is closed first. */
#include "table/table_priv.h"

typedef struct idle_file {
    ia_file *file;
    char *path;
    uint64_t size; /* as the manifest had it when the file was opened */
} idle_file;

struct ia_file_pool {
    _Atomic int32_t refs;
    pthread_mutex_t lock; /* protects all members below */
    idle_file *idle;      /* the longest idle first */
    size_t n, max;
};

ia_status ia_file_pool_new(ia_ctx *cx, size_t max, ia_file_pool **out)
{
    ia_file_pool *p;

    *out = NULL;
    IA_TRY(IA_NEW(cx, p));
    atomic_init(&p->refs, 1);
    p->max = max;
    p->idle = ia_calloc(cx, max, sizeof *p->idle);
    if (!p->idle || pthread_mutex_init(&p->lock, NULL) != 0) {
        ia_free(p->idle);
        ia_free(p);
        return ia_fail(cx, IA_ERR_NO_MEMORY, "no room for a pool of %zu open files", max);
    }
    *out = p;
    return IA_OK;
}

ia_file_pool *ia_file_pool_retain(ia_file_pool *p)
{
    atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
    return p;
}

void ia_file_pool_empty(ia_file_pool *p)
{
    pthread_mutex_lock(&p->lock);
    while (p->n > 0) {
        const idle_file e = p->idle[--p->n];
        ia_file_close(e.file);
        ia_free(e.path);
    }
    pthread_mutex_unlock(&p->lock);
}

void ia_file_pool_release(ia_file_pool *p)
{
    if (!p || atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) != 1)
        return;
    ia_file_pool_empty(p);
    pthread_mutex_destroy(&p->lock);
    ia_free(p->idle);
    ia_free(p);
}

/* Takes entry i out. Lock held. */
static idle_file take_at(ia_file_pool *p, size_t i)
{
    const idle_file e = p->idle[i];

    p->n--;
    memmove(p->idle + i, p->idle + i + 1, (p->n - i) * sizeof *p->idle);
    return e;
}

ia_file *ia_file_pool_take(ia_file_pool *p, const char *path, uint64_t size)
{
    idle_file e = {0};

    pthread_mutex_lock(&p->lock);
    for (size_t i = p->n; i-- > 0 && !e.file;)
        if (p->idle[i].size == size && strcmp(p->idle[i].path, path) == 0)
            e = take_at(p, i);
    pthread_mutex_unlock(&p->lock);
    ia_free(e.path);
    return e.file;
}

void ia_file_pool_put(ia_file_pool *p, ia_file *f, char *path, uint64_t size)
{
    idle_file out = {0};

    pthread_mutex_lock(&p->lock);
    if (p->n == p->max)
        out = take_at(p, 0);
    p->idle[p->n++] = (idle_file){f, path, size};
    pthread_mutex_unlock(&p->lock);
    ia_file_close(out.file);
    ia_free(out.path);
}
