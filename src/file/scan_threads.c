/* scan_threads.c - a scan on several threads: stripes of rows side by side, handed out in order. */
#include "base/pool.h"
#include "file/scan_priv.h"

/* What one stripe reads, about; it is a whole number of batches. */
#define STRIPE_BYTES ((uint64_t)2 << 20)
enum { STRIPE_BATCHES = 16, MAX_THREADS = 64 };

/* One stripe being read or handed out, with a reader of its own. */
typedef struct scan_slot {
    ia_job job;
    ia_file_scan *reader;
    ia_array **arrays; /* of STRIPE_BATCHES batches */
    uint64_t rows[STRIPE_BATCHES];
    size_t n, at;    /* batches read, handed out */
    bool used, done; /* it has a stripe; the job was waited for */
} scan_slot;

struct ia_scan_team {
    ia_pool *pool;
    ia_budget *budget;
    atomic_bool stop; /* cancels the jobs */
    scan_slot *slots; /* a ring; stripe k lies in slot k % n_slots */
    size_t n_slots, head;
    uint64_t next, end, stripe; /* rows */
    ia_error err;               /* of a stripe that failed: the scan ends there */
};

/* Runs on any thread; the slot is its alone until the job is done. */
static ia_status read_stripe(ia_ctx *cx, void *arg)
{
    scan_slot *slot = arg;
    const size_t n_cols = slot->reader->n_cols;

    while (slot->n < STRIPE_BATCHES) {
        uint64_t rows;

        IA_TRY(ia_file_scan_next(cx, slot->reader, slot->arrays + slot->n * n_cols, &rows));
        if (!rows)
            break;
        slot->rows[slot->n++] = rows;
    }
    return IA_OK;
}

/* Gives the slot the next stripe, if there is one. */
static void start_stripe(ia_scan_team *t, scan_slot *slot)
{
    const uint64_t end = t->end - t->next < t->stripe ? t->end : t->next + t->stripe;
    ia_ctx cx;

    slot->n = slot->at = 0;
    slot->done = false;
    slot->used = t->next < t->end;
    if (!slot->used)
        return;
    ia_file_scan_range(slot->reader, t->next, end);
    t->next = end;
    ia_ctx_init(&cx, t->budget);
    cx.cancel = &t->stop;
    slot->job.fn = read_stripe;
    slot->job.arg = slot;
    ia_pool_submit(&cx, t->pool, &slot->job);
}

ia_status ia_scan_team_next(ia_ctx *cx, ia_file_scan *s, ia_array **out, uint64_t *rows)
{
    ia_scan_team *t = s->team;
    scan_slot *slot = &t->slots[t->head];

    if (t->err.code != IA_OK) {
        cx->err = t->err;
        return t->err.code;
    }
    IA_TRY(ia_check(cx, s->row, s->end));
    if (!slot->used)
        return IA_OK;
    if (!slot->done && ia_pool_wait(cx, t->pool, &slot->job) != IA_OK) {
        t->err = cx->err;
        return t->err.code;
    }
    slot->done = true;
    memcpy(out, slot->arrays + slot->at * s->n_cols, s->n_cols * sizeof *out);
    memset(slot->arrays + slot->at * s->n_cols, 0, s->n_cols * sizeof *out);
    *rows = slot->rows[slot->at++];
    s->row += *rows;
    if (slot->at == slot->n) {
        start_stripe(t, slot);
        t->head = (t->head + 1) % t->n_slots;
    }
    return IA_OK;
}

void ia_scan_team_close(ia_scan_team *t, size_t n_cols)
{
    if (!t)
        return;
    atomic_store(&t->stop, true);
    for (size_t i = 0; t->slots && i < t->n_slots; i++) {
        scan_slot *slot = &t->slots[i];

        if (t->pool)
            ia_pool_drop(t->pool, &slot->job);
        if (slot->arrays)
            ia_colread_drop(slot->arrays, STRIPE_BATCHES * n_cols);
        ia_free(slot->arrays);
        ia_file_scan_close(slot->reader);
    }
    ia_pool_free(t->pool);
    ia_free(t->slots);
    ia_free(t);
}

/* Rows of a stripe: so many that each thread gets several of them. */
static uint64_t stripe_rows(const ia_file_scan *s, uint32_t threads)
{
    const uint64_t batch_bytes = s->batch * s->row_bytes;
    const uint64_t batches = (s->end - s->row + s->batch - 1) / s->batch;
    uint64_t n = batch_bytes ? STRIPE_BYTES / batch_bytes : STRIPE_BATCHES;

    n = n < batches / (4 * (uint64_t)threads) ? n : batches / (4 * (uint64_t)threads);
    n = n < STRIPE_BATCHES ? n : STRIPE_BATCHES;
    return (n ? n : 1) * s->batch;
}

ia_status ia_file_scan_threads(ia_ctx *cx, ia_file_scan *s, uint32_t threads)
{
    ia_scan_team *t = NULL;
    ia_status st;

    threads = threads < MAX_THREADS ? threads : MAX_THREADS;
    if (threads < 2 || s->end - s->row <= s->batch)
        return IA_OK;
    IA_GO(IA_NEW(cx, t));
    t->budget = cx->budget;
    t->next = s->row;
    t->end = s->end;
    t->stripe = stripe_rows(s, threads);
    t->n_slots = 2 * (size_t)threads + 2;
    if (ia_budget_left(cx->budget) / 4 < t->n_slots * t->stripe * s->row_bytes)
        goto done; /* memory for one stripe after the other only */
    IA_GO(IA_NEW_ARRAY(cx, t->slots, t->n_slots));
    for (size_t i = 0; i < t->n_slots; i++) {
        scan_slot *slot = &t->slots[i];

        IA_GO(IA_NEW_ARRAY(cx, slot->arrays, STRIPE_BATCHES * s->n_cols + 1));
        IA_GO(ia_file_scan_open(cx, s->f, s->cols_in, s->n_cols, s->row, s->end, (uint32_t)s->batch,
                                &slot->reader));
    }
    IA_GO(ia_pool_new(cx, threads, &t->pool));
    for (size_t i = 0; i < t->n_slots; i++)
        start_stripe(t, &t->slots[i]);
    s->team = t;
    t = NULL;
done:
    ia_scan_team_close(t, s->n_cols);
    return st;
}
