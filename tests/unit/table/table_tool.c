/* table_tool.c - drives the table layer by JSON lines on stdin; used by tests/interop. */
#include "table_kit.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct request {
    const ia_json *doc;
    const char *root, *branch, *where;
    uint64_t version;
} request;

static const char *text(const request *r, const char *name)
{
    return ia_json_str(ia_json_get(r->doc, name), NULL);
}

static uint64_t number(const request *r, const char *name)
{
    uint64_t v = 0;
    (void)ia_json_u64(ia_json_get(r->doc, name), &v);
    return v;
}

static void put_number(ia_jsonw *w, const char *name, uint64_t v)
{
    ia_jsonw_key(w, name);
    ia_jsonw_u64(w, v);
}

static ia_status names_of(ia_ctx *cx, const ia_json *list, const char ***out, size_t *n)
{
    *n = ia_json_len(list);
    IA_TRY(IA_NEW_ARRAY(cx, *out, *n));
    for (size_t i = 0; i < *n; i++)
        (*out)[i] = ia_json_str(ia_json_at(list, i), NULL);
    return IA_OK;
}

static ia_status cmd_scan(ia_ctx *cx, const request *r, ia_dataset *ds, ia_jsonw *w)
{
    ia_scan_options opt = {.limit = number(r, "limit"),
                           .batch_rows = (uint32_t)number(r, "batch_rows")};
    ia_arena arena = {0};
    ia_expr *filter = NULL;
    ia_stream s = {0};
    const char **names = NULL;
    ia_status st = IA_OK;

    if (ia_json_get(r->doc, "columns")) {
        IA_GO(names_of(cx, ia_json_get(r->doc, "columns"), &names, &opt.n_columns));
        opt.columns = names;
    }
    if (r->where)
        IA_GO(ia_sql_filter_parse(cx, &arena, r->where, strlen(r->where), &filter));
    opt.filter = filter;
    IA_GO(ia_dataset_scan(cx, ds, &opt, &s));
    ia_jsonw_key(w, "rows");
    IA_GO(kit_rows(cx, &s, w));
done:
    ia_stream_dispose(&s);
    ia_arena_dispose(&arena);
    ia_free(names);
    return st;
}

static ia_status cmd_take(ia_ctx *cx, const request *r, ia_dataset *ds, ia_jsonw *w)
{
    const ia_json *list = ia_json_get(r->doc, "addrs");
    const size_t n = ia_json_len(list);
    const char **names = NULL;
    size_t n_names = 0;
    uint64_t *addrs = NULL;
    ia_batch *b = NULL;
    ia_stream s;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, addrs, n));
    for (size_t i = 0; i < n; i++)
        (void)ia_json_u64(ia_json_at(list, i), &addrs[i]);
    if (ia_json_get(r->doc, "columns"))
        IA_GO(names_of(cx, ia_json_get(r->doc, "columns"), &names, &n_names));
    IA_GO(ia_dataset_take(cx, ds, addrs, n, names, n_names, &b));
    IA_GO(kit_stream(cx, b, &s));
    ia_jsonw_key(w, "rows");
    st = kit_rows(cx, &s, w);
    ia_stream_dispose(&s);
done:
    ia_free(addrs);
    ia_free(names);
    return st;
}

static ia_status cmd_find(ia_ctx *cx, const request *r, ia_dataset *ds, ia_jsonw *w)
{
    const ia_json *list = ia_json_get(r->doc, "ids");
    ia_jsonw_key(w, "addrs");
    ia_jsonw_array(w);
    for (size_t i = 0; i < ia_json_len(list); i++) {
        uint64_t id = 0, addr;
        bool found;
        (void)ia_json_u64(ia_json_at(list, i), &id);
        IA_TRY(ia_dataset_find_rowid(cx, ds, id, &found, &addr));
        if (found)
            ia_jsonw_u64(w, addr);
        else
            ia_jsonw_null(w);
    }
    ia_jsonw_end_array(w);
    return IA_OK;
}

static ia_status cmd_count(ia_ctx *cx, const request *r, ia_dataset *ds, ia_jsonw *w)
{
    ia_arena arena = {0};
    ia_expr *filter = NULL;
    uint64_t n;
    ia_status st = IA_OK;
    if (r->where)
        IA_GO(ia_sql_filter_parse(cx, &arena, r->where, strlen(r->where), &filter));
    IA_GO(ia_dataset_count(cx, ds, filter, &n));
    put_number(w, "count", n);
done:
    ia_arena_dispose(&arena);
    return st;
}

static ia_status cmd_overwrite(ia_ctx *cx, const request *r, ia_dataset *ds, ia_dataset **out)
{
    ia_fragwriter_options opt = {0};
    ia_schema *s = NULL;
    ia_batch *b = NULL;
    ia_fragwriter *w = NULL;
    ia_fragment *frags = NULL;
    ia_lschema ls = {0};
    ia_txn t = {0};
    ia_action *a;
    size_t n = 0;
    ia_status st;

    IA_GO(kit_schema(cx, ia_json_get(r->doc, "schema"), &s));
    IA_GO(ia_lschema_from_arrow(cx, s, 0, &ls));
    IA_GO(kit_batch(cx, s, ia_json_get(r->doc, "rows"), &b));
    IA_GO(ia_manifest_minor(cx, ds->m, &opt.minor));
    IA_GO(ia_fragwriter_open(cx, ds->os, ds->dir, &ls, s, &opt, &w));
    IA_GO(ia_fragwriter_write(cx, w, b, NULL));
    IA_GO(ia_fragwriter_finish(cx, w, &frags, &n));
    IA_GO(ia_txn_init(cx, &t, IA_TXN_OVERWRITE, ds->m->version));
    IA_GO(ia_txn_add(cx, &t, IA_ACT_RESET_TABLE, &a));
    IA_GO(ia_txn_add(cx, &t, IA_ACT_SET_SCHEMA, &a));
    IA_GO(ia_lschema_copy(cx, &ls, &a->schema));
    for (size_t i = 0; i < n; i++) {
        IA_GO(ia_txn_add(cx, &t, IA_ACT_ADD_FRAGMENT, &a));
        a->fragment = frags[i];
        memset(&frags[i], 0, sizeof frags[i]);
    }
    IA_GO(ia_table_commit(cx, ds, &t, IA_RELAXED, out));
done:
    ia_fragments_free(frags, n);
    ia_fragwriter_close(w);
    ia_txn_dispose(&t);
    ia_lschema_dispose(&ls);
    ia_batch_release(b);
    ia_schema_release(s);
    return st;
}

static ia_status cmd_graft(ia_ctx *cx, const request *r, ia_objstore *os, ia_dataset *dst,
                           ia_dataset **out, ia_jsonw *w)
{
    const char *how = text(r, "how");
    const ia_adopt adopt = how && strcmp(how, "reference") == 0 ? IA_ADOPT_REFERENCE
                           : how && strcmp(how, "copy") == 0    ? IA_ADOPT_COPY
                                                                : IA_ADOPT_LINK;
    ia_graft_stats stats;
    ia_dataset *src;
    ia_status st;
    IA_TRY(ia_dataset_open(cx, os, r->root, text(r, "from"), 0, &src));
    st = kit_graft(cx, src, dst, adopt, &stats, out);
    ia_dataset_release(src);
    put_number(w, "linked", stats.files_linked);
    put_number(w, "referenced", stats.files_referenced);
    put_number(w, "copied", stats.files_copied);
    return st;
}

/* {"op":"config","key":..,"value":..} or {"op":"base","path":..}: versions of their own. */
static ia_status cmd_meta(ia_ctx *cx, const request *r, const char *op, ia_dataset *ds,
                          ia_dataset **out)
{
    const bool config = strcmp(op, "config") == 0;
    ia_txn t = {0};
    ia_action *a;
    ia_status st;
    IA_GO(ia_txn_init(cx, &t, config ? IA_TXN_CONFIG : IA_TXN_UPDATE_BASES, ds->m->version));
    IA_GO(ia_txn_add(cx, &t, config ? IA_ACT_CONFIG : IA_ACT_ADD_BASE, &a));
    if (config) {
        IA_GO(IA_SET(cx, a->key, ia_strdup(cx, text(r, "key"))));
        if (text(r, "value"))
            IA_GO(IA_SET(cx, a->value, ia_strdup(cx, text(r, "value"))));
    } else {
        a->base.is_dataset_root = true;
        IA_GO(IA_SET(cx, a->base.name, ia_strdup(cx, text(r, "name"))));
        IA_GO(IA_SET(cx, a->base.path, ia_strdup(cx, text(r, "path"))));
    }
    IA_GO(IA_SET(cx, t.message, ia_strdup(cx, "by hand")));
    IA_GO(ia_table_commit(cx, ds, &t, IA_RELAXED, out));
done:
    ia_txn_dispose(&t);
    return st;
}

static ia_status with_dataset(ia_ctx *cx, const request *r, ia_objstore *os, const char *op,
                              ia_dataset *ds, ia_dataset **out, ia_jsonw *w)
{
    const ia_durability d = text(r, "durability") ? IA_FULL : IA_RELAXED;
    if (strcmp(op, "append") == 0)
        return kit_append(cx, ds, ia_json_get(r->doc, "rows"), d, out);
    if (strcmp(op, "delete") == 0)
        return kit_delete(cx, ds, r->where, out);
    if (strcmp(op, "update") == 0)
        return kit_update(cx, ds, r->where, ia_json_get(r->doc, "set"), out);
    if (strcmp(op, "overwrite") == 0)
        return cmd_overwrite(cx, r, ds, out);
    if (strcmp(op, "fork") == 0)
        return kit_fork(cx, ds, text(r, "name"), number(r, "row_id_base"), out);
    if (strcmp(op, "graft") == 0)
        return cmd_graft(cx, r, os, ds, out, w);
    if (strcmp(op, "config") == 0 || strcmp(op, "base") == 0)
        return cmd_meta(cx, r, op, ds, out);
    if (strcmp(op, "tag") == 0)
        return ia_tag_put(cx, os, r->root, text(r, "name"), r->branch, ds->m->version, 1,
                          ia_now_us(), 0);
    if (strcmp(op, "scan") == 0)
        return cmd_scan(cx, r, ds, w);
    if (strcmp(op, "count") == 0)
        return cmd_count(cx, r, ds, w);
    if (strcmp(op, "take") == 0)
        return cmd_take(cx, r, ds, w);
    if (strcmp(op, "find") == 0)
        return cmd_find(cx, r, ds, w);
    return ia_fail(cx, IA_ERR_INVALID, "operation '%s'?", op);
}

static ia_status run(ia_ctx *cx, ia_objstore *os, const request *r, ia_jsonw *w)
{
    const char *op = text(r, "op");
    ia_dataset *ds = NULL, *next = NULL;
    ia_schema *s = NULL;
    ia_status st;

    if (!op || !r->root)
        IA_GO(ia_fail(cx, IA_ERR_INVALID, "op and root are needed"));
    if (strcmp(op, "create") == 0) {
        IA_GO(kit_schema(cx, ia_json_get(r->doc, "schema"), &s));
        IA_GO(ia_table_create(cx, os, r->root, s, IA_RELAXED, &next));
    } else {
        IA_GO(ia_dataset_open(cx, os, r->root, r->branch, r->version, &ds));
        IA_GO(with_dataset(cx, r, os, op, ds, &next, w));
    }
    put_number(w, "version", next ? next->m->version : ds->m->version);
done:
    ia_schema_release(s);
    ia_dataset_release(ds);
    ia_dataset_release(next);
    return st;
}

static void answer(ia_ctx *cx, ia_objstore *os, const char *line, size_t n)
{
    ia_json *doc = NULL;
    ia_jsonw w;
    ia_bytes out = {0};
    ia_status st;

    ia_ctx_clear(cx);
    ia_jsonw_init(&w, cx, 0);
    ia_jsonw_object(&w);
    st = ia_json_parse(cx, line, n, &doc);
    if (st == IA_OK) {
        request r = {.doc = doc};
        r.root = text(&r, "root");
        r.branch = text(&r, "branch");
        r.where = text(&r, "where");
        r.version = number(&r, "version");
        st = run(cx, os, &r, &w);
    }
    if (st != IA_OK) { /* drop what was written so far */
        ia_jsonw_dispose(&w);
        ia_jsonw_init(&w, cx, 0);
        ia_jsonw_object(&w);
        ia_jsonw_key(&w, "error");
        ia_jsonw_str(&w, ia_status_name(st));
        ia_jsonw_key(&w, "text");
        ia_jsonw_str(&w, cx->err.text);
    }
    ia_jsonw_end_object(&w);
    if (ia_jsonw_finish(&w, &out) == IA_OK)
        fwrite(out.data, 1, out.len, stdout);
    putchar('\n');
    fflush(stdout);
    ia_bytes_dispose(&out);
    ia_jsonw_dispose(&w);
    ia_json_free(doc);
}

int main(void)
{
    ia_budget *budget = ia_budget_new(NULL, 0);
    ia_ctx cx;
    ia_objstore *os;
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;

    ia_ctx_init(&cx, budget);
    if (ia_objstore_local(&cx, &os) != IA_OK) {
        fprintf(stderr, "%s\n", cx.err.text);
        return 1;
    }
    while ((n = getline(&line, &cap, stdin)) > 0)
        answer(&cx, os, line, (size_t)n);
    free(line);
    ia_objstore_close(os);
    ia_budget_drop(budget);
    return 0;
}
