/* bitmap.c - sets of u32 over CRoaring, with a full check of foreign bytes before they are used. */
#include "base/bitmap.h"

#include <roaring/roaring.h>

#include "base/mem_priv.h"

/* Portable format: cookie, then per container key and cardinality - 1, then byte offsets (always
 * without runs, else from four containers on), then the containers. */
#define COOKIE_PLAIN 12346u
#define COOKIE_RUNS 12347u
#define OFFSETS_FROM 4u
#define ARRAY_MAX 4096u
#define BITSET_BYTES 8192u
#define MOST_CONTAINERS 65536u

struct ia_bitmap {
    roaring_bitmap_t *r;
    ia_budget *budget; /* charged with `charged` */
    uint64_t charged;  /* estimate of the size of r at creation, bytes */
};

static ia_status no_memory(ia_ctx *cx)
{
    return ia_fail(cx, IA_ERR_NO_MEMORY, "the system refused memory for a bitmap");
}

/* Takes over r, also on failure. */
static ia_status wrap(ia_ctx *cx, roaring_bitmap_t *r, ia_bitmap **out)
{
    ia_bitmap *b = NULL;
    const ia_budget *full;
    ia_status st;

    *out = NULL;
    if (!r)
        IA_GO(no_memory(cx));
    IA_GO(IA_NEW(cx, b));
    const uint64_t size = 64 + roaring_bitmap_size_in_bytes(r);
    full = ia_budget_charge(cx->budget, size);
    if (full)
        IA_GO(ia_budget_fail(cx, full, size));
    b->budget = cx->budget;
    b->charged = size;
    b->r = r;
    r = NULL;
    *out = b;
    b = NULL;
done:
    ia_free(b);
    if (r)
        roaring_bitmap_free(r);
    return st;
}

ia_status ia_bitmap_new(ia_ctx *cx, ia_bitmap **out)
{
    return wrap(cx, roaring_bitmap_create(), out);
}

ia_status ia_bitmap_copy(ia_ctx *cx, const ia_bitmap *b, ia_bitmap **out)
{
    return wrap(cx, b ? roaring_bitmap_copy(b->r) : roaring_bitmap_create(), out);
}

void ia_bitmap_free(ia_bitmap *b)
{
    if (!b)
        return;
    roaring_bitmap_free(b->r);
    ia_budget_uncharge(b->budget, b->charged);
    ia_free(b);
}

void ia_bitmap_add(ia_bitmap *b, uint32_t v)
{
    roaring_bitmap_add(b->r, v);
}

void ia_bitmap_add_range(ia_bitmap *b, uint64_t begin, uint64_t end)
{
    if (end > UINT64_C(1) << 32)
        end = UINT64_C(1) << 32;
    if (begin < end)
        roaring_bitmap_add_range_closed(b->r, (uint32_t)begin, (uint32_t)(end - 1));
}

void ia_bitmap_remove(ia_bitmap *b, uint32_t v)
{
    roaring_bitmap_remove(b->r, v);
}

bool ia_bitmap_has(const ia_bitmap *b, uint32_t v)
{
    return b && roaring_bitmap_contains(b->r, v);
}

uint64_t ia_bitmap_count(const ia_bitmap *b)
{
    return b ? roaring_bitmap_get_cardinality(b->r) : 0;
}

uint64_t ia_bitmap_rank(const ia_bitmap *b, uint32_t v)
{
    return b && v > 0 ? roaring_bitmap_rank(b->r, v - 1) : 0;
}

bool ia_bitmap_equal(const ia_bitmap *a, const ia_bitmap *b)
{
    if (!a || !b)
        return ia_bitmap_count(a) == ia_bitmap_count(b);
    return roaring_bitmap_equals(a->r, b->r);
}

bool ia_bitmap_intersects(const ia_bitmap *a, const ia_bitmap *b)
{
    return a && b && roaring_bitmap_intersect(a->r, b->r);
}

void ia_bitmap_or(ia_bitmap *dst, const ia_bitmap *src)
{
    if (src && src != dst)
        roaring_bitmap_or_inplace(dst->r, src->r);
}

void ia_bitmap_andnot(ia_bitmap *dst, const ia_bitmap *src)
{
    if (src == dst)
        roaring_bitmap_clear(dst->r);
    else if (src)
        roaring_bitmap_andnot_inplace(dst->r, src->r);
}

bool ia_bitmap_max(const ia_bitmap *b, uint32_t *v)
{
    if (!b || roaring_bitmap_is_empty(b->r))
        return false;
    *v = roaring_bitmap_maximum(b->r);
    return true;
}

void ia_bitmap_to_array(const ia_bitmap *b, uint32_t *out)
{
    if (b)
        roaring_bitmap_to_uint32_array(b->r, out);
}

size_t ia_bitmap_next(const ia_bitmap *b, uint64_t from, uint32_t *out, size_t cap)
{
    roaring_uint32_iterator_t it;
    size_t n = 0;

    if (!b || from > UINT32_MAX || cap == 0)
        return 0;
    roaring_init_iterator(b->r, &it);
    if (!roaring_move_uint32_iterator_equalorlarger(&it, (uint32_t)from))
        return 0;
    while (n < cap) {
        const size_t step = cap - n < UINT32_MAX ? cap - n : UINT32_MAX;
        const uint32_t got = roaring_read_uint32_iterator(&it, out + n, (uint32_t)step);
        n += got;
        if (got < step)
            break;
    }
    return n;
}

static bool is_run(const roaring_bitmap_t *r, int32_t i)
{
    return get_container_type(r->high_low_container.containers[i],
                              r->high_low_container.typecodes[i]) == RUN_CONTAINER_TYPE_CODE;
}

static bool has_runs(const roaring_bitmap_t *r)
{
    for (int32_t i = 0; i < r->high_low_container.size; i++)
        if (is_run(r, i))
            return true;
    return false;
}

/* Older libraries count in 16 bits while they unfold a run and never end when the run holds 65535,
 * so that value is taken out of runs meanwhile. */
static ia_status drop_runs(ia_ctx *cx, roaring_bitmap_t *r)
{
    const int32_t n = r->high_low_container.size;
    uint32_t *ends;
    size_t n_ends = 0;

    IA_TRY(IA_NEW_ARRAY(cx, ends, (size_t)n));
    for (int32_t i = n; i-- > 0;) {
        const uint32_t last = (uint32_t)r->high_low_container.keys[i] << 16 | UINT16_MAX;
        if (is_run(r, i) && roaring_bitmap_contains(r, last)) {
            roaring_bitmap_remove(r, last);
            ends[n_ends++] = last;
        }
    }
    roaring_bitmap_remove_run_compression(r);
    while (n_ends > 0)
        roaring_bitmap_add(r, ends[--n_ends]);
    ia_free(ends);
    return IA_OK;
}

ia_status ia_bitmap_encode(ia_ctx *cx, const ia_bitmap *b, ia_bytes *out)
{
    ia_bitmap *plain = NULL;
    uint64_t held = 0;
    ia_status st;

    *out = (ia_bytes){0};
    if (!b || has_runs(b->r)) {
        /* without runs a container takes at most one bitset */
        const uint64_t most = b ? (uint64_t)b->r->high_low_container.size * BITSET_BYTES : 0;
        IA_GO(ia_budget_reserve(cx, most));
        held = most;
        IA_GO(ia_bitmap_copy(cx, b, &plain));
        IA_GO(drop_runs(cx, plain->r));
        b = plain;
    }
    const size_t n = roaring_bitmap_portable_size_in_bytes(b->r);
    uint8_t *bytes = ia_alloc(cx, n);
    if (!bytes)
        IA_GO(cx->err.code);
    roaring_bitmap_portable_serialize(b->r, (char *)bytes);
    *out = (ia_bytes){bytes, n};
    st = IA_OK;
done:
    ia_bitmap_free(plain);
    ia_budget_release(cx, held);
    return st;
}

/* Cursor over the bytes being checked. */
typedef struct reader {
    const uint8_t *p;
    size_t n, at;
} reader;

static bool take(reader *r, size_t len, const uint8_t **p)
{
    if (len > r->n - r->at)
        return false;
    *p = r->p + r->at;
    r->at += len;
    return true;
}

static const char *check_array(reader *r, uint32_t card)
{
    const uint8_t *p;
    if (!take(r, 2 * (size_t)card, &p))
        return "ends inside an array container";
    for (uint32_t i = 1; i < card; i++)
        if (ia_le16(p + 2 * i) <= ia_le16(p + 2 * (i - 1)))
            return "has an array container out of order";
    return NULL;
}

static const char *check_bitset(reader *r, uint32_t card)
{
    const uint8_t *p;
    uint32_t bits = 0;
    if (!take(r, BITSET_BYTES, &p))
        return "ends inside a bitset container";
    for (size_t i = 0; i < BITSET_BYTES; i += 8)
        bits += (uint32_t)__builtin_popcountll(ia_le64(p + i));
    return bits == card ? NULL : "has a bitset container with a wrong count";
}

static const char *check_run(reader *r, uint32_t card)
{
    const uint8_t *p;
    uint32_t covered = 0, free_from = 0; /* lowest value the next run may start at */
    if (!take(r, 2, &p))
        return "ends before a run container";
    const uint32_t nruns = ia_le16(p);
    if (!take(r, 4 * (size_t)nruns, &p))
        return "ends inside a run container";
    for (uint32_t i = 0; i < nruns; i++) {
        const uint32_t start = ia_le16(p + 4 * i), len = ia_le16(p + 4 * i + 2);
        if (start < free_from || start + len > UINT16_MAX)
            return "has a run container out of order";
        covered += len + 1;
        free_from = start + len + 2; /* touching runs would have been one run */
    }
    return covered == card ? NULL : "has a run container with a wrong count";
}

/* What the header of a serialised bitmap says. */
typedef struct layout {
    uint32_t n;             /* containers */
    const uint8_t *runs;    /* bit per container, NULL when there are none */
    const uint8_t *keys;    /* n pairs of u16: key, cardinality - 1 */
    const uint8_t *offsets; /* n u32, NULL when left out */
} layout;

static const char *check_header(reader *r, layout *l)
{
    const uint8_t *p;

    *l = (layout){0};
    if (!take(r, 4, &p))
        return "is shorter than its header";
    const uint32_t cookie = ia_le32(p);
    if ((cookie & 0xFFFF) == COOKIE_RUNS) {
        l->n = (cookie >> 16) + 1;
        if (!take(r, (l->n + 7) / 8, &l->runs))
            return "is shorter than its header";
    } else if (cookie == COOKIE_PLAIN) {
        if (!take(r, 4, &p))
            return "is shorter than its header";
        l->n = ia_le32(p);
        if (l->n > MOST_CONTAINERS)
            return "claims more than 65536 containers";
    } else {
        return "does not start with a known cookie";
    }
    if (!take(r, 4 * (size_t)l->n, &l->keys))
        return "is shorter than its header";
    if ((!l->runs || l->n >= OFFSETS_FROM) && !take(r, 4 * (size_t)l->n, &l->offsets))
        return "is shorter than its header";
    return NULL;
}

/* NULL when every byte is as the format demands, else what is wrong. */
static const char *check_bytes(const uint8_t *bytes, size_t n)
{
    reader r = {bytes, n, 0};
    layout l;
    const char *wrong = check_header(&r, &l);

    for (uint32_t i = 0; !wrong && i < l.n; i++) {
        const uint32_t card = (uint32_t)ia_le16(l.keys + 4 * i + 2) + 1;
        if (i > 0 && ia_le16(l.keys + 4 * i) <= ia_le16(l.keys + 4 * (i - 1)))
            return "has container keys out of order";
        if (l.offsets && ia_le32(l.offsets + 4 * i) != r.at)
            return "has a wrong container offset";
        if (l.runs && (l.runs[i / 8] >> (i % 8) & 1))
            wrong = check_run(&r, card);
        else if (card <= ARRAY_MAX)
            wrong = check_array(&r, card);
        else
            wrong = check_bitset(&r, card);
    }
    if (!wrong && r.at != n)
        wrong = "has bytes after its end";
    return wrong;
}

ia_status ia_bitmap_decode(ia_ctx *cx, const uint8_t *p, size_t n, ia_bitmap **out)
{
    *out = NULL;
    const char *wrong = check_bytes(p, n);
    if (wrong)
        return ia_fail(cx, IA_ERR_CORRUPT, "a bitmap of %zu bytes %s", n, wrong);
    return wrap(cx, roaring_bitmap_portable_deserialize_safe((const char *)p, n), out);
}
