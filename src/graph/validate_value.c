/* validate_value.c - row-local rules: @range, @check, enum membership. */
#include "expr/scalar.h"
#include "graph/validate_priv.h"

/* One rule at work: judges element i (not null) and puts the message into `text` when it fails. */
typedef struct ia_vrule {
    ia_vrun *run;
    const ia_vtype *vt;
    int prop;
    const ia_range_def *range; /* one of range, check; both NULL = enum */
    const ia_check_def *check;
} ia_vrule;

static ia_scalar bound_scalar(const ia_bound *b, bool narrow)
{
    if (b->kind == IA_BOUND_I64)
        return ia_scalar_i64(b->i);
    if (b->kind == IA_BOUND_U64)
        return ia_scalar_u64(b->u);
    return ia_scalar_f64(narrow ? (double)(float)b->f : b->f); /* in the width of the column */
}

static void put_name(ia_ctx *cx, ia_buf *text, const ia_vrule *r)
{
    ia_buf_printf(cx, text, "%s.%s", r->vt->def->name, r->vt->def->properties[r->prop].name);
}

static ia_status judge_range(ia_ctx *cx, const ia_vrule *r, const ia_array *a, int64_t i,
                             ia_buf *text)
{
    const bool narrow = a->type->id == IA_TYPE_F32;
    const ia_bound *broken = NULL;
    const char *how = NULL;
    ia_scalar v;

    IA_TRY(ia_scalar_get(cx, a, i, &v));
    if (ia_type_is_float(a->type) && v.v.f64 != v.v.f64) {
        ia_buf_puts(cx, text, "@range violation on ");
        put_name(cx, text, r);
        ia_buf_puts(cx, text, ": value NaN is not a number");
        return IA_OK;
    }
    if (r->range->lo.kind != IA_BOUND_NONE) {
        const ia_scalar lo = bound_scalar(&r->range->lo, narrow);
        if (ia_scalar_cmp(&v, &lo) < 0)
            broken = &r->range->lo, how = "below the minimum";
    }
    if (!broken && r->range->hi.kind != IA_BOUND_NONE) {
        const ia_scalar hi = bound_scalar(&r->range->hi, narrow);
        if (ia_scalar_cmp(&v, &hi) > 0)
            broken = &r->range->hi, how = "above the maximum";
    }
    if (broken) {
        ia_buf_puts(cx, text, "@range violation on ");
        put_name(cx, text, r);
        ia_buf_puts(cx, text, ": value ");
        ia_scalar_text(cx, text, &v);
        ia_buf_printf(cx, text, " is %s %s", how, broken->text);
    }
    return IA_OK;
}

static ia_status judge_check(ia_ctx *cx, const ia_vrule *r, const ia_array *a, int64_t i,
                             ia_buf *text)
{
    const ia_view v = ia_array_str(a, i);
    bool found;

    ia_status st = ia_check_matches(cx, r->check, v, &found);
    if (st != IA_OK)
        return ia_fail_prefix(cx, st, "@check on %s.%s", r->vt->def->name,
                              r->vt->def->properties[r->prop].name);
    if (!found) {
        ia_buf_puts(cx, text, "@check violation on ");
        put_name(cx, text, r);
        ia_buf_puts(cx, text, ": value '");
        ia_buf_put(cx, text, v.data, v.len);
        ia_buf_printf(cx, text, "' does not match '%s'", r->check->pattern);
    }
    return IA_OK;
}

static void judge_enum(ia_ctx *cx, const ia_vrule *r, const ia_array *a, int64_t i, ia_buf *text)
{
    const ia_property *p = &r->vt->def->properties[r->prop];
    const ia_view v = ia_array_str(a, i);

    if (ia_property_has_enum(p, v.data, v.len))
        return;
    ia_buf_puts(cx, text, "invalid enum value '");
    ia_buf_put(cx, text, v.data, v.len);
    ia_buf_puts(cx, text, "' for ");
    put_name(cx, text, r);
    ia_buf_puts(cx, text, " (expected: ");
    for (size_t k = 0; k < p->n_enum; k++)
        ia_buf_printf(cx, text, "%s%s", k ? ", " : "", p->enum_values[k]);
    ia_buf_puts(cx, text, ")");
}

static ia_status judge(ia_ctx *cx, const ia_vrule *r, const ia_array *a, int64_t i, ia_buf *text)
{
    if (r->range)
        return judge_range(cx, r, a, i, text);
    if (r->check)
        return judge_check(cx, r, a, i, text);
    judge_enum(cx, r, a, i, text);
    return IA_OK;
}

/* The first failing row of one column; *row = -1 when all pass. */
static ia_status judge_column(ia_ctx *cx, const ia_vrule *r, const ia_array *a, ia_buf *text,
                              int64_t *row)
{
    *row = -1;
    for (int64_t i = 0; i < a->length; i++) {
        if (!ia_array_valid(a, i))
            continue;
        if (ia_type_is_list(a->type)) {
            int64_t start, n;
            ia_array_list(a, i, &start, &n);
            for (int64_t k = start; k < start + n && text->len == 0; k++)
                if (ia_array_valid(a->children[0], k))
                    IA_TRY(judge(cx, r, a->children[0], k, text));
        } else {
            IA_TRY(judge(cx, r, a, i, text));
        }
        if (text->len > 0 || text->failed != IA_OK) {
            *row = i;
            return ia_buf_status(text);
        }
    }
    return IA_OK;
}

/* One rule over images [from, to), which are one batch: reports at most one violation. */
static ia_status apply(ia_ctx *cx, const ia_vrule *r, size_t from, size_t to)
{
    const ia_view none = {0};
    ia_buf text = {0};
    ia_status st = IA_OK;

    for (size_t i = from; i < to; i++) {
        const ia_array *a = ia_vtype_col(r->vt, i, r->prop);
        int64_t row;
        if (!a)
            IA_GO(ia_fail(cx, IA_ERR_INTERNAL, "a change of %s lacks the column %s of a constraint",
                          r->vt->def->name, ia_prop_name(r->vt->def, r->prop)));
        IA_GO(judge_column(cx, r, a, &text, &row));
        if (row >= 0) {
            IA_GO(ia_vrun_add(cx, r->run, IA_VIOLATION_VALUE, r->vt, none,
                              ia_vtype_line(r->vt, ia_place(i, row)), &text));
            break;
        }
    }
done:
    ia_buf_dispose(&text);
    return st;
}

/* Leaf order range, check, enum; within each by property name (properties are sorted by name). */
static ia_status apply_all(ia_ctx *cx, ia_vrun *run, const ia_vtype *vt, size_t from, size_t to)
{
    const ia_type_def *def = vt->def;

    for (size_t p = 0; p < def->n_properties; p++)
        for (size_t k = 0; k < def->n_ranges && !run->done; k++)
            if (def->ranges[k].prop == (int)p) {
                const ia_vrule r = {run, vt, (int)p, &def->ranges[k], NULL};
                IA_TRY(apply(cx, &r, from, to));
            }
    for (size_t p = 0; p < def->n_properties; p++)
        for (size_t k = 0; k < def->n_checks && !run->done; k++)
            if (def->checks[k].prop == (int)p) {
                const ia_vrule r = {run, vt, (int)p, NULL, &def->checks[k]};
                IA_TRY(apply(cx, &r, from, to));
            }
    for (size_t p = 0; p < def->n_properties && !run->done; p++)
        if (def->properties[p].type.scalar == IA_PK_ENUM) {
            const ia_vrule r = {run, vt, (int)p, NULL, NULL};
            IA_TRY(apply(cx, &r, from, to));
        }
    return IA_OK;
}

ia_status ia_validate_values(ia_ctx *cx, ia_vrun *run, const ia_vtype *vt)
{
    const size_t n = vt->t->n_images;
    const size_t step = vt->t->one_batch && n > 0 ? n : 1;

    for (size_t i = 0; i < n && !run->done; i += step) {
        IA_TRY(ia_check(cx, 0, 0));
        IA_TRY(apply_all(cx, run, vt, i, i + step));
    }
    return IA_OK;
}
