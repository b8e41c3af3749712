/* expr_kernel.c - comparisons of whole columns, in three-valued logic. */
#include <math.h>

#include "base/map.h"
#include "expr/expr_priv.h"

/* A literal is first brought into the column's own type (plan_int, plan_float), exactly: where it
 * has no place there (2.5 or 300 beside an int8) the operator changes, or the answer is the same
 * for every value. What is left is one plain loop per machine type. */

ia_tri ia_tri_cmp(ia_expr_op op, const ia_scalar *a, const ia_scalar *b)
{
    bool yes = false;
    int c;

    if (ia_scalar_is_null(a) || ia_scalar_is_null(b))
        return IA_NULL3;
    c = ia_scalar_cmp(a, b);
    switch ((int)op) {
    case IA_EXPR_EQ:
        yes = c == 0;
        break;
    case IA_EXPR_NE:
        yes = c != 0;
        break;
    case IA_EXPR_LT:
        yes = c == -1;
        break;
    case IA_EXPR_LE:
        yes = c == -1 || c == 0;
        break;
    case IA_EXPR_GT:
        yes = c == 1;
        break;
    case IA_EXPR_GE:
        yes = c == 1 || c == 0;
        break;
    default: /* style: no comparison */
        break;
    }
    return yes ? IA_TRUE3 : IA_FALSE3;
}

void ia_kernel_mask(const ia_array *col, ia_tri *t)
{
    int64_t i;

    if (col->null_count == 0 && col->type->id != IA_TYPE_NULL)
        return;
    for (i = 0; i < col->length; i++)
        if (!ia_array_valid(col, i))
            t[i] = IA_NULL3;
}

/* ---- plans --------------------------------------------------------------------------------- */

typedef enum plan_kind { PLAN_NEVER, PLAN_ALWAYS, PLAN_LOOP } plan_kind;

typedef struct plan {
    plan_kind kind;
    ia_expr_op op;
    __int128 i; /* integer and temporal columns: the bound, within the column's type */
    double f;   /* float columns */
} plan;

static plan constant(bool always)
{
    const plan p = {.kind = always ? PLAN_ALWAYS : PLAN_NEVER};

    return p;
}

/* The largest count of the column that is not above the literal; *exact when it equals it. */
static __int128 floor_of(const ia_type *col, const ia_scalar *v, bool *exact)
{
    const ia_scalar_kind k = ia_scalar_kind_of(v->type);
    __int128 ns, tick, q;

    *exact = true;
    if (k == IA_KIND_SIGNED)
        return v->v.i64;
    if (k == IA_KIND_UNSIGNED)
        return v->v.u64;
    if (k == IA_KIND_FLOAT) {
        if (v->v.f64 >= 0x1p65 || v->v.f64 <= -0x1p65) /* beyond every integer type */
            return (__int128)(v->v.f64 > 0 ? 0x1p65 : -0x1p65);
        *exact = v->v.f64 == floor(v->v.f64);
        return (__int128)floor(v->v.f64);
    }
    ns = (__int128)v->v.i64 * ia_scalar_tick(v->type);
    tick = ia_scalar_tick(col);
    q = ns / tick;
    *exact = ns % tick == 0;
    return !*exact && ns < 0 ? q - 1 : q;
}

static void int_range(const ia_type *t, __int128 *lo, __int128 *hi)
{
    const unsigned bits = ia_type_bits(t);
    const bool u = t->id >= IA_TYPE_U8 && t->id <= IA_TYPE_U64;

    *lo = u ? 0 : -((__int128)1 << (bits - 1));
    *hi = u ? ((__int128)1 << bits) - 1 : ((__int128)1 << (bits - 1)) - 1;
}

static plan plan_int(const ia_type *col, ia_expr_op op, const ia_scalar *v)
{
    plan p = {.kind = PLAN_LOOP, .op = op};
    __int128 lo, hi;
    bool exact;

    if (ia_scalar_kind_of(v->type) == IA_KIND_FLOAT && isnan(v->v.f64))
        return constant(op == IA_EXPR_NE);
    p.i = floor_of(col, v, &exact);
    if (!exact && (op == IA_EXPR_EQ || op == IA_EXPR_NE))
        return constant(op == IA_EXPR_NE);
    if (!exact)
        p.op = op == IA_EXPR_LT || op == IA_EXPR_LE ? IA_EXPR_LE : IA_EXPR_GT;
    int_range(col, &lo, &hi);
    if (p.i > hi)
        return constant(p.op == IA_EXPR_NE || p.op == IA_EXPR_LT || p.op == IA_EXPR_LE);
    if (p.i < lo)
        return constant(p.op == IA_EXPR_NE || p.op == IA_EXPR_GT || p.op == IA_EXPR_GE);
    return p;
}

/* An integer that no double equals lies between two; the nearer one bounds the same values. */
static plan plan_float(ia_expr_op op, const ia_scalar *v)
{
    const ia_scalar_kind k = ia_scalar_kind_of(v->type);
    plan p = {.kind = PLAN_LOOP, .op = op};
    ia_scalar near;
    int c;

    if (k == IA_KIND_FLOAT) {
        p.f = v->v.f64;
        return p;
    }
    p.f = k == IA_KIND_UNSIGNED ? (double)v->v.u64 : (double)v->v.i64;
    near = ia_scalar_f64(p.f);
    c = ia_scalar_cmp(v, &near);
    if (c == 0)
        return p;
    if (op == IA_EXPR_EQ || op == IA_EXPR_NE)
        return constant(op == IA_EXPR_NE);
    if (op == IA_EXPR_LT || op == IA_EXPR_LE)
        p.op = c > 0 ? IA_EXPR_LE : IA_EXPR_LT;
    else
        p.op = c > 0 ? IA_EXPR_GT : IA_EXPR_GE;
    return p;
}

/* ---- loops --------------------------------------------------------------------------------- */

#define EACH(cond)                                     \
    for (i = 0; i < n; i++)                            \
        t[i] = (ia_tri)((cond) ? IA_TRUE3 : IA_FALSE3)

/* t[i] = p[i] op c for values of type T and a bound of type C. */
#define DEFINE_LOOP(name, T, C)                                                        \
    static void name(const void *values, int64_t n, ia_expr_op op, C c, ia_tri *t)     \
    {                                                                                  \
        const T *p = values;                                                           \
        int64_t i;                                                                     \
                                                                                       \
        if (op == IA_EXPR_EQ) {                                                        \
            EACH(p[i] == c);                                                           \
        } else if (op == IA_EXPR_NE) {                                                 \
            EACH(p[i] != c);                                                           \
        } else if (op == IA_EXPR_LT) {                                                 \
            EACH(p[i] < c);                                                            \
        } else if (op == IA_EXPR_LE) {                                                 \
            EACH(p[i] <= c);                                                           \
        } else if (op == IA_EXPR_GT) {                                                 \
            EACH(p[i] > c);                                                            \
        } else {                                                                       \
            EACH(p[i] >= c);                                                           \
        }                                                                              \
    }

DEFINE_LOOP(loop_i8, int8_t, int8_t)
DEFINE_LOOP(loop_i16, int16_t, int16_t)
DEFINE_LOOP(loop_i32, int32_t, int32_t)
DEFINE_LOOP(loop_i64, int64_t, int64_t)
DEFINE_LOOP(loop_u8, uint8_t, uint8_t)
DEFINE_LOOP(loop_u16, uint16_t, uint16_t)
DEFINE_LOOP(loop_u32, uint32_t, uint32_t)
DEFINE_LOOP(loop_u64, uint64_t, uint64_t)
DEFINE_LOOP(loop_f32, float, double)
DEFINE_LOOP(loop_f64, double, double)

static void run_int(const ia_array *col, const plan *p, ia_tri *t)
{
    const void *v = ia_array_values(col);
    const int64_t n = col->length;
    const bool u = ia_scalar_kind_of(col->type) == IA_KIND_UNSIGNED;

    switch (ia_type_bits(col->type)) {
    case 8:
        if (u)
            loop_u8(v, n, p->op, (uint8_t)p->i, t);
        else
            loop_i8(v, n, p->op, (int8_t)p->i, t);
        return;
    case 16:
        if (u)
            loop_u16(v, n, p->op, (uint16_t)p->i, t);
        else
            loop_i16(v, n, p->op, (int16_t)p->i, t);
        return;
    case 32:
        if (u)
            loop_u32(v, n, p->op, (uint32_t)p->i, t);
        else
            loop_i32(v, n, p->op, (int32_t)p->i, t);
        return;
    default: /* style: 64 bits */
        if (u)
            loop_u64(v, n, p->op, (uint64_t)p->i, t);
        else
            loop_i64(v, n, p->op, (int64_t)p->i, t);
    }
}

static void run_float(const ia_array *col, const plan *p, ia_tri *t)
{
    int64_t i;

    if (col->type->id == IA_TYPE_F64) {
        loop_f64(ia_array_values(col), col->length, p->op, p->f, t);
    } else if (col->type->id == IA_TYPE_F32) {
        loop_f32(ia_array_values(col), col->length, p->op, p->f, t);
    } else {
        for (i = 0; i < col->length; i++) {
            const double h = ia_array_f64(col, i);

            loop_f64(&h, 1, p->op, p->f, &t[i]);
        }
    }
}

static void run_bool(const ia_array *col, ia_expr_op op, const ia_scalar *v, ia_tri *t)
{
    const ia_scalar f = ia_scalar_bool(false), y = ia_scalar_bool(true);
    const ia_tri of[2] = {ia_tri_cmp(op, &f, v), ia_tri_cmp(op, &y, v)};
    const uint8_t *bits = col->bufs[1]->data;
    int64_t i;

    for (i = 0; i < col->length; i++)
        t[i] = of[ia_bit_get(bits, col->offset + i)];
}

static void run_bytes(const ia_array *col, ia_expr_op op, const ia_scalar *v, ia_tri *t)
{
    const ia_tri same = op == IA_EXPR_EQ ? IA_TRUE3 : IA_FALSE3;
    int64_t i;

    for (i = 0; i < col->length; i++) {
        const ia_view s = ia_array_str(col, i);

        if (op == IA_EXPR_EQ || op == IA_EXPR_NE) {
            t[i] = ia_view_eq(s, v->str) ? same : (ia_tri)(2 - same);
        } else {
            const int64_t c = ia_view_cmp(s, v->str);

            loop_i64(&c, 1, op, 0, &t[i]);
        }
    }
}

ia_status ia_kernel_cmp(ia_ctx *cx, const ia_array *col, ia_expr_op op, const ia_scalar *v,
                        ia_tri *t)
{
    const ia_type *type = ia_scalar_type(col->type);
    plan p;

    if (!type)
        return ia_fail(cx, IA_ERR_INTERNAL, "comparison of a column that has no order");
    if (ia_scalar_is_null(v)) {
        memset(t, IA_NULL3, (size_t)col->length);
        return IA_OK;
    }
    switch (ia_scalar_kind_of(type)) {
    case IA_KIND_NULL:
        break;
    case IA_KIND_BOOL:
        run_bool(col, op, v, t);
        break;
    case IA_KIND_STRING: case IA_KIND_BINARY:
        run_bytes(col, op, v, t);
        break;
    case IA_KIND_FLOAT:
        p = plan_float(op, v);
        if (p.kind == PLAN_LOOP)
            run_float(col, &p, t);
        else
            memset(t, p.kind == PLAN_ALWAYS ? IA_TRUE3 : IA_FALSE3, (size_t)col->length);
        break;
    case IA_KIND_SIGNED: case IA_KIND_UNSIGNED: case IA_KIND_INSTANT: case IA_KIND_TIME:
    case IA_KIND_DURATION:
        p = plan_int(type, op, v);
        if (p.kind == PLAN_LOOP)
            run_int(col, &p, t);
        else
            memset(t, p.kind == PLAN_ALWAYS ? IA_TRUE3 : IA_FALSE3, (size_t)col->length);
        break;
    }
    ia_kernel_mask(col, t);
    return IA_OK;
}

ia_status ia_kernel_cmp_columns(ia_ctx *cx, const ia_array *a, ia_expr_op op, const ia_array *b,
                                ia_tri *t)
{
    ia_scalar x, y;
    int64_t i;

    for (i = 0; i < a->length; i++) {
        IA_TRY(ia_scalar_get(cx, a, i, &x));
        IA_TRY(ia_scalar_get(cx, b, i, &y));
        t[i] = ia_tri_cmp(op, &x, &y);
    }
    return IA_OK;
}

/* ---- IN ------------------------------------------------------------------------------------ */

/* Integer and temporal columns: items in the column's own counts; those it cannot hold are left
 * out. */
static ia_status in_ints(ia_ctx *cx, const ia_array *col, const ia_scalar *items, size_t n,
                         ia_tri miss, ia_tri *t)
{
    const ia_type *type = ia_scalar_type(col->type);
    ia_u64map set = {0};
    uint64_t unused;
    ia_status st = IA_OK;
    int64_t i;
    size_t k;

    for (k = 0; k < n; k++) {
        plan p;

        if (ia_scalar_is_null(&items[k]))
            continue;
        p = plan_int(type, IA_EXPR_EQ, &items[k]);
        if (p.kind == PLAN_LOOP)
            IA_GO(ia_u64map_put(cx, &set, (uint64_t)p.i, 0));
    }
    for (i = 0; i < col->length; i++)
        t[i] = ia_u64map_find(&set, ia_array_u64(col, i), &unused) ? IA_TRUE3 : miss;
done:
    ia_u64map_dispose(&set);
    return st;
}

static ia_status in_bytes(ia_ctx *cx, const ia_array *col, const ia_scalar *items, size_t n,
                          ia_tri miss, ia_tri *t)
{
    ia_bytemap set = {0};
    ia_status st = IA_OK;
    int64_t i;
    size_t k;

    for (k = 0; k < n; k++)
        if (!ia_scalar_is_null(&items[k]))
            IA_GO(ia_bytemap_put(cx, &set, items[k].str.data, items[k].str.len, NULL, NULL));
    for (i = 0; i < col->length; i++) {
        const ia_view s = ia_array_str(col, i);

        t[i] = ia_bytemap_find(&set, s.data, s.len, NULL) ? IA_TRUE3 : miss;
    }
done:
    ia_bytemap_dispose(&set);
    return st;
}

/* Floats and bools: one comparison per item. */
static ia_status in_loops(ia_ctx *cx, const ia_array *col, const ia_scalar *items, size_t n,
                          ia_tri miss, ia_tri *t)
{
    const size_t rows = (size_t)col->length;
    ia_tri *one;
    ia_status st = IA_OK;
    size_t i, k;

    IA_TRY(IA_SET(cx, one, ia_alloc(cx, rows)));
    memset(t, miss, rows);
    for (k = 0; k < n && st == IA_OK; k++) {
        st = ia_kernel_cmp(cx, col, IA_EXPR_EQ, &items[k], one);
        for (i = 0; i < rows; i++)
            t[i] = one[i] > t[i] ? one[i] : t[i];
    }
    ia_free(one);
    return st;
}

/* SQL: where nothing matches, a null item leaves the answer open. */
ia_status ia_kernel_in(ia_ctx *cx, const ia_array *col, const ia_scalar *items, size_t n, ia_tri *t)
{
    const ia_type *type = ia_scalar_type(col->type);
    const ia_scalar_kind kind = type ? ia_scalar_kind_of(type) : IA_KIND_NULL;
    ia_tri miss = IA_FALSE3;
    size_t k;

    for (k = 0; k < n; k++)
        if (ia_scalar_is_null(&items[k]))
            miss = IA_NULL3;
    if (kind == IA_KIND_NULL)
        memset(t, IA_NULL3, (size_t)col->length);
    else if (kind == IA_KIND_STRING || kind == IA_KIND_BINARY)
        IA_TRY(in_bytes(cx, col, items, n, miss, t));
    else if (kind == IA_KIND_FLOAT || kind == IA_KIND_BOOL)
        IA_TRY(in_loops(cx, col, items, n, miss, t));
    else
        IA_TRY(in_ints(cx, col, items, n, miss, t));
    ia_kernel_mask(col, t);
    return IA_OK;
}

/* ---- lists --------------------------------------------------------------------------------- */

/* Places in children[0] between which all items of the lists lie. */
static void item_range(const ia_array *lists, int64_t *lo, int64_t *hi)
{
    int64_t start, len;

    *lo = *hi = 0;
    if (lists->length == 0)
        return;
    ia_array_list(lists, 0, lo, &len);
    ia_array_list(lists, lists->length - 1, &start, &len);
    *hi = start + len;
}

ia_status ia_kernel_has(ia_ctx *cx, const ia_array *lists, const ia_scalar *v, ia_tri *t)
{
    ia_array *items = NULL, *plain = NULL;
    ia_tri *hit = NULL;
    int64_t lo, hi, i, start, len;
    ia_status st;

    item_range(lists, &lo, &hi);
    IA_GO(ia_array_slice(cx, lists->children[0], lo, hi - lo, &items));
    IA_GO(ia_column_plain(cx, items, &plain));
    IA_GO(IA_SET(cx, hit, ia_alloc(cx, (size_t)(hi - lo))));
    IA_GO(ia_kernel_cmp(cx, plain, IA_EXPR_EQ, v, hit));
    for (i = 0; i < lists->length; i++) {
        t[i] = ia_scalar_is_null(v) || !ia_array_valid(lists, i) ? IA_NULL3 : IA_FALSE3;
        if (t[i] == IA_NULL3)
            continue;
        ia_array_list(lists, i, &start, &len);
        if (len > 0 && memchr(hit + (start - lo), IA_TRUE3, (size_t)len))
            t[i] = IA_TRUE3;
    }
done:
    ia_free(hit);
    ia_array_release(plain);
    ia_array_release(items);
    return st;
}
