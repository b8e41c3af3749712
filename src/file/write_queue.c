/* write_queue.c - encodes finished pages, on several threads if asked, and writes them in order. */
#include "file/shred_priv.h"
#include "file/write_queue.h"

/* Small files start no threads. */
#define WORTH_A_THREAD ((uint64_t)256 << 10)
#define PAGE_URL "/lance.encodings21.PageLayout"

struct ia_wjob {
    ia_wleaf *live; /* the column, for its table of pages */
    ia_wleaf leaf;  /* the rows, moved here */
    ia_wpage page;
    ia_job job;
    uint64_t rows, first_row;
};

void ia_put_any(ia_ctx *cx, ia_buf *b, uint32_t number, const char *url, const void *value,
                size_t len)
{
    size_t enc = ia_wire_begin(cx, b, number), direct = ia_wire_begin(cx, b, 2),
           any = ia_wire_begin(cx, b, 1);

    ia_wire_put_str(cx, b, 1, url);
    ia_wire_add_bytes(cx, b, 2, value, len);
    ia_wire_end(cx, b, any);
    ia_wire_end(cx, b, direct);
    ia_wire_end(cx, b, enc);
}

/* ---- encoding ------------------------------------------------------------------------------- */

/* A struct without fields: all rows valid, whatever structs are around it. */
static ia_status empty_struct_page(ia_ctx *cx, ia_wpage *out)
{
    static const uint8_t layers[] = {IA_LAYER_NULL_ITEM};
    size_t m = ia_wire_begin(cx, &out->layout, IA_LAYOUT_CONSTANT);

    ia_wire_add_bytes(cx, &out->layout, 5, layers, sizeof layers);
    ia_wire_end(cx, &out->layout, m);
    return ia_buf_status(&out->layout);
}

static ia_status encode(ia_ctx *cx, ia_wleaf *l, ia_wpage *out)
{
    ia_wlevels lv = {0};
    ia_status st;

    IA_GO(ia_wlevels_make(cx, l, &lv));
    if (l->kind == IA_WKIND_EMPTY_STRUCT)
        IA_GO(empty_struct_page(cx, out));
    else if (l->kind == IA_WKIND_BLOB)
        IA_GO(ia_wblob_page(cx, l, &lv, out));
    else
        IA_GO(ia_write_page(cx, l, &lv, out));
done:
    ia_free(lv.def);
    return st;
}

static ia_status encode_job(ia_ctx *cx, void *arg)
{
    ia_wjob *j = arg;

    return encode(cx, &j->leaf, &j->page);
}

/* ---- writing -------------------------------------------------------------------------------- */

/* The page's message joins the table of pages of `l`. */
static ia_status write_page(ia_ctx *cx, ia_fout *out, ia_wleaf *l, const ia_wpage *page,
                            uint64_t rows, uint64_t first_row)
{
    uint64_t offs[4], sizes[4];
    size_t m;

    for (size_t i = 0; i < page->n; i++) {
        IA_TRY(ia_fout_align(cx, out, l->cls));
        offs[i] = out->pos;
        sizes[i] = page->views[i].len;
        IA_TRY(ia_fout_write(cx, out, page->views[i].data, page->views[i].len, l->cls));
    }
    m = ia_wire_begin(cx, &l->pages, 2);
    ia_wire_put_u64s(cx, &l->pages, 1, offs, page->n);
    ia_wire_put_u64s(cx, &l->pages, 2, sizes, page->n);
    ia_wire_put_u64(cx, &l->pages, 3, rows * l->per_row);
    ia_put_any(cx, &l->pages, 4, PAGE_URL, page->layout.data, page->layout.len);
    ia_wire_put_u64(cx, &l->pages, 5, first_row);
    ia_wire_end(cx, &l->pages, m);
    return ia_buf_status(&l->pages);
}

static ia_status put_now(ia_ctx *cx, ia_wqueue *q, ia_wleaf *l)
{
    ia_wpage page = {0};
    ia_status st;

    IA_GO(encode(cx, l, &page));
    IA_GO(write_page(cx, &q->out, l, &page, l->rows, l->first_row));
    ia_wleaf_clear(l);
done:
    ia_wpage_dispose(&page);
    return st;
}

/* ---- the ring ------------------------------------------------------------------------------- */

void ia_wqueue_init(ia_wqueue *q, uint32_t threads)
{
    q->threads = threads ? threads : 1;
    q->cap = threads > 1 ? 2 * (size_t)threads : 0;
}

static void job_dispose(ia_wjob *j)
{
    ia_wpage_dispose(&j->page);
    memset(&j->page, 0, sizeof j->page);
    ia_wleaf_dispose(&j->leaf);
}

/* Waits for the oldest page and writes it. */
static ia_status write_first(ia_ctx *cx, ia_wqueue *q)
{
    ia_wjob *j = &q->jobs[q->first];
    ia_status st;

    IA_GO(ia_pool_wait(cx, q->pool, &j->job));
    st = write_page(cx, &q->out, j->live, &j->page, j->rows, j->first_row);
done:
    job_dispose(j);
    q->first = (q->first + 1) % q->cap;
    q->n--;
    return st;
}

/* The page's rows, without what stays with the column. */
static void move_rows(ia_wleaf *from, ia_wleaf *to)
{
    *to = *from;
    memset(&to->pages, 0, sizeof to->pages);
    to->intern = NULL;
    to->parts_owned = false;
    memset(&from->rep, 0, sizeof from->rep);
    memset(&from->events, 0, sizeof from->events);
    ia_vals_init(&from->vals, &to->vals.phys);
    ia_vals_init(&from->dict, &to->dict.phys);
    ia_wleaf_clear(from);
}

ia_status ia_wqueue_put(ia_ctx *cx, ia_wqueue *q, ia_wleaf *l)
{
    ia_wjob *j;

    if (!l->rows)
        return IA_OK;
    if (!q->pool && q->threads > 1 && ia_wleaf_bytes(l) >= WORTH_A_THREAD) {
        if (!q->jobs)
            IA_TRY(IA_NEW_ARRAY(cx, q->jobs, q->cap));
        IA_TRY(ia_pool_new(cx, q->threads, &q->pool));
    }
    if (!q->pool)
        return put_now(cx, q, l);
    if (q->n == q->cap)
        IA_TRY(write_first(cx, q));
    j = &q->jobs[(q->first + q->n) % q->cap];
    j->live = l;
    j->rows = l->rows;
    j->first_row = l->first_row;
    move_rows(l, &j->leaf);
    j->job.fn = encode_job;
    j->job.arg = j;
    q->n++;
    ia_pool_submit(cx, q->pool, &j->job);
    return IA_OK;
}

ia_status ia_wqueue_drain(ia_ctx *cx, ia_wqueue *q)
{
    while (q->n)
        IA_TRY(write_first(cx, q));
    return IA_OK;
}

void ia_wqueue_dispose(ia_wqueue *q)
{
    for (; q->n; q->n--, q->first = (q->first + 1) % q->cap) {
        ia_pool_drop(q->pool, &q->jobs[q->first].job);
        job_dispose(&q->jobs[q->first]);
    }
    ia_pool_free(q->pool);
    ia_free(q->jobs);
    ia_fout_dispose(&q->out);
    memset(q, 0, sizeof *q);
}
