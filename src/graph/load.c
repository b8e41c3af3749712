/* load.c - loads JSON lines as one write: append, merge, overwrite. */
#include "graph/load_priv.h"

void ia_load_result_dispose(ia_load_result *r)
{
    if (!r)
        return;
    ia_commit_free(r->commit);
    ia_free(r->counts);
    memset(r, 0, sizeof *r);
}

ia_status ia_loader_init(ia_ctx *cx, ia_loader *l, const ia_catalog *cat, ia_load_mode mode)
{
    l->cat = cat;
    l->mode = mode;
    IA_TRY(IA_NEW_ARRAY(cx, l->types, cat->n_types));
    for (size_t i = 0; i < cat->n_types; i++) {
        l->types[i].def = cat->types[i];
        l->types[i].type = i;
    }
    return IA_OK;
}

void ia_loader_dispose(ia_loader *l)
{
    for (size_t i = 0; l->types && i < l->cat->n_types; i++)
        ia_load_type_dispose(&l->types[i]);
    ia_free(l->types);
    l->types = NULL;
    ia_lines_dispose(&l->lines);
}

/* ---- the change set
 * --------------------------------------------------------------------------------- */

static ia_status add_images(ia_ctx *cx, ia_load_type *t, ia_tchange *change)
{
    for (size_t i = 0; i < t->plan.n; i++) {
        uint64_t *lines = t->plan_lines[i];
        ia_batch *narrow;
        IA_TRY(ia_narrow_image(cx, t->def, t->plan.batches[i], &narrow));
        t->plan_lines[i] = NULL;
        ia_status st = ia_tchange_add_lines(cx, change, narrow, lines);
        ia_batch_release(narrow);
        if (st != IA_OK)
            return st;
    }
    return IA_OK;
}

typedef struct removals {
    const ia_bytemap *kept;
    ia_bytemap *removed;
} removals;

static ia_status note_removed(ia_ctx *cx, void *arg, const ia_batch *b)
{
    const removals *r = arg;
    const ia_array *ids = ia_batch_col(b, "id");

    for (int64_t i = 0; i < b->rows; i++) {
        const ia_view id = ia_array_str(ids, i);
        if (!ia_bytemap_find(r->kept, id.data, id.len, NULL))
            IA_TRY(ia_bytemap_put(cx, r->removed, id.data, id.len, NULL, NULL));
    }
    return IA_OK;
}

/* Committed ids that the new content lacks. */
static ia_status find_removed(ia_ctx *cx, ia_write *w, const ia_load_type *t, ia_tchange *change)
{
    static const char *const cols[] = {"id"};
    const ia_scan_options opt = {.columns = cols, .n_columns = 1};
    const ia_entry *e = ia_snapshot_entry(w->head, t->type);
    removals r = {&t->plan.ids, &change->overwrite_removed};
    ia_dataset *ds;

    if (!e || e->rows == 0)
        return IA_OK;
    IA_TRY(ia_snapshot_table(cx, w->head, t->type, &ds));
    return ia_scan_each(cx, ds, &opt, note_removed, &r);
}

/* Append takes no id that is stored; the smallest line is named, whatever the order of the scan. */
static ia_status check_absent(ia_ctx *cx, const ia_load_type *t)
{
    size_t first = SIZE_MAX;

    for (size_t k = 0; k < t->plan.ids.n; k++)
        if (t->plan.at[k].addr != IA_NO_ROW &&
            (first == SIZE_MAX ||
             ia_bytemap_get(&t->plan.ids, k) < ia_bytemap_get(&t->plan.ids, first)))
            first = k;
    if (first == SIZE_MAX)
        return IA_OK;
    const uint64_t place = ia_bytemap_get(&t->plan.ids, first);
    const ia_view id = ia_bytemap_key(&t->plan.ids, first);
    return ia_fail(cx, IA_ERR_CONSTRAINT,
                   "line %llu: key_conflict: %s '%.*s' is stored already (append only adds; --mode "
                   "merge replaces)",
                   (unsigned long long)t->plan_lines[place >> 32][place & UINT32_MAX], t->def->name,
                   (int)id.len, id.data);
}

static ia_status plan_type(ia_ctx *cx, ia_loader *l, ia_write *w, ia_load_type *t)
{
    ia_tchange *change;

    IA_TRY(ia_changeset_type(cx, &w->changes, t->type, &change));
    change->one_batch = true;
    change->overwritten = l->mode == IA_LOAD_OVERWRITE;
    if (l->mode == IA_LOAD_OVERWRITE)
        IA_TRY(find_removed(cx, w, t, change));
    else if (t->given_ids) /* ids made here are in no table */
        IA_TRY(ia_row_plan_locate(cx, &t->plan, w->head, t->type));
    if (l->mode == IA_LOAD_APPEND)
        IA_TRY(check_absent(cx, t));
    return add_images(cx, t, change);
}

/* ---- the load
 * ---------------------------------------------------------------------------------------- */

static ia_status count_rows(ia_ctx *cx, const ia_loader *l, ia_load_result *out)
{
    IA_TRY(IA_NEW_ARRAY(cx, out->counts, l->cat->n_types));
    for (size_t i = 0; i < l->cat->n_types; i++)
        if (l->types[i].rows > 0) {
            out->counts[out->n++] = (ia_load_count){i, l->types[i].rows};
            out->total += l->types[i].rows;
        }
    return IA_OK;
}

ia_status ia_load_finish(ia_ctx *cx, ia_loader *l, ia_write *w, ia_load_result *out)
{
    IA_TRY(count_rows(cx, l, out));
    for (size_t i = 0; i < l->cat->n_types; i++)
        if (l->types[i].rows > 0)
            IA_TRY(plan_type(cx, l, w, &l->types[i]));
    IA_TRY(ia_write_validate(cx, w));
    for (size_t i = 0; i < l->cat->n_types; i++)
        if (l->types[i].rows > 0)
            IA_TRY(ia_row_plan_write(cx, &l->types[i].plan, w, i, l->mode == IA_LOAD_OVERWRITE));
    return ia_write_publish(cx, w, &out->commit);
}

static ia_status name_failure(ia_ctx *cx, ia_status st, const char *name)
{
    if (st == IA_ERR_OVER_BUDGET)
        return ia_fail_prefix(
            cx, st,
            "%s does not fit in memory (split the file into several loads, or raise --memory)",
            name);
    if (st == IA_ERR_INVALID || st == IA_ERR_CONSTRAINT)
        return ia_fail_prefix(cx, st, "%s", name);
    return st;
}

ia_status ia_load(ia_ctx *cx, ia_graph *g, ia_load_mode mode, ia_read_fn read, void *arg,
                  uint64_t total_bytes, const char *name, const ia_write_options *opt,
                  ia_load_result *out)
{
    ia_loader l = {.lines = {.read = read, .arg = arg, .total = total_bytes}};
    ia_write *w = NULL;
    ia_status st;

    memset(out, 0, sizeof *out);
    IA_GO(ia_write_begin(cx, g, opt->branch, opt->if_commit, opt->actor, opt->message, &w));
    IA_GO(ia_loader_init(cx, &l, w->head->cat, mode));
    st = ia_load_parse(cx, &l);
    if (st == IA_OK)
        st = ia_load_finish(cx, &l, w, out);
    if (st != IA_OK)
        IA_GO(name_failure(cx, st, name));
done:
    ia_loader_dispose(&l);
    ia_write_free(w);
    if (st != IA_OK)
        ia_load_result_dispose(out);
    return st;
}
