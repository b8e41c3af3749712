/* fuzz_records.c - a graph with one of its JSON files changed: everything that reads is asked. */

/* First byte: 'c' the newest commit of main, 'b' the record of branch "side", 'f'
 * format.json. The rest is a patch of that file's JSON: an object changes members (of an array by
 * index), null removes, anything else replaces. A patch that is no JSON becomes the whole file.
 * Thus inputs need not know the ids of the graph. */
#include "fuzz.h"

#include <stdio.h>

static void merged(ia_jsonw *w, const ia_json *old, const ia_json *patch, bool in_patch);

static void copied(ia_jsonw *w, const ia_json *v)
{
    merged(w, v, NULL, false);
}

static void merged_array(ia_jsonw *w, const ia_json *old, const ia_json *patch)
{
    ia_jsonw_array(w);
    for (size_t i = 0; i < ia_json_len(old); i++) {
        char name[24];
        const ia_json *p;
        (void)snprintf(name, sizeof name, "%zu", i);
        p = ia_json_get(patch, name);
        if (!p || ia_json_type(p) != IA_JSON_NULL)
            merged(w, ia_json_at(old, i), p, p != NULL);
    }
    ia_jsonw_end_array(w);
}

static void merged_object(ia_jsonw *w, const ia_json *old, const ia_json *patch)
{
    size_t it = 0;
    const char *name;
    const ia_json *v, *p;

    ia_jsonw_object(w);
    while (ia_json_next(old, &it, &name, &v)) {
        p = ia_json_get(patch, name);
        if (!p || ia_json_type(p) != IA_JSON_NULL) {
            ia_jsonw_key(w, name);
            merged(w, v, p, p != NULL);
        }
    }
    for (it = 0; ia_json_next(patch, &it, &name, &v);) {
        if (!ia_json_get(old, name)) {
            ia_jsonw_key(w, name);
            copied(w, v);
        }
    }
    ia_jsonw_end_object(w);
}

static void scalar(ia_jsonw *w, const ia_json *v)
{
    int64_t i;
    uint64_t u;
    double f;
    bool b;
    size_t len;
    const char *s = ia_json_str(v, &len);

    if (s)
        ia_jsonw_strn(w, s, len);
    else if (ia_json_bool(v, &b))
        ia_jsonw_bool(w, b);
    else if (ia_json_i64(v, &i))
        ia_jsonw_i64(w, i);
    else if (ia_json_u64(v, &u))
        ia_jsonw_u64(w, u);
    else if (ia_json_f64(v, &f))
        ia_jsonw_f64(w, f);
    else
        ia_jsonw_null(w);
}

/* Depth is bounded by the parser. */
static void merged(ia_jsonw *w, const ia_json *old, const ia_json *patch, bool in_patch)
{
    const bool patched = in_patch && ia_json_type(patch) == IA_JSON_OBJECT;
    const ia_json *v = in_patch && !patched ? patch : old;
    const ia_json *p = patched ? patch : NULL;

    switch (ia_json_type(v)) {
    case IA_JSON_ARRAY:
        merged_array(w, v, p);
        break;
    case IA_JSON_OBJECT:
        merged_object(w, v, p);
        break;
    case IA_JSON_NULL:
    case IA_JSON_FALSE:
    case IA_JSON_TRUE:
    case IA_JSON_INT:
    case IA_JSON_REAL:
    case IA_JSON_STRING:
        if (patched)
            copied(w, patch);
        else
            scalar(w, v);
        break;
    }
}

static void change(fuzz_run *r, ia_objstore *os, const char *path, const uint8_t *data, size_t size)
{
    ia_bytes raw = {0}, text = {0};
    ia_json *old = NULL, *patch = NULL;
    ia_jsonw w;

    ia_jsonw_init(&w, &r->cx, 0);
    if (fuzz_ok(r, ia_json_parse(&r->cx, (const char *)data, size, &patch))) {
        fuzz_must(r, ia_objstore_get(&r->cx, os, path, &raw), "the record is there:");
        fuzz_must(r, ia_json_parse(&r->cx, (const char *)raw.data, raw.len, &old), "it is JSON:");
        merged(&w, old, patch, true);
        if (fuzz_must(r, ia_jsonw_finish(&w, &text), "it is written:"))
            fuzz_must(r, ia_objstore_put(&r->cx, os, path, text.data, text.len, 0), "and put:");
    } else {
        fuzz_must(r, ia_objstore_put(&r->cx, os, path, data, size, 0), "raw bytes are put:");
    }
    ia_jsonw_dispose(&w);
    ia_json_free(old);
    ia_json_free(patch);
    ia_bytes_dispose(&raw);
    ia_bytes_dispose(&text);
}

static ia_status put(ia_ctx *cx, void *arg, const void *data, size_t n)
{
    (void)cx;
    (void)arg;
    FUZZ_CHECK(n == 0 || data != NULL);
    return IA_OK;
}

static void read_commit(fuzz_run *r, ia_graph *g, ia_commit *c)
{
    ia_snapshot *s = NULL;
    ia_commit_list history = {0};

    if (fuzz_ok(r, ia_history(&r->cx, g, c, false, 100, &history)))
        FUZZ_CHECK(history.n > 0);
    ia_commit_list_dispose(&history);
    if (fuzz_ok(r, ia_snapshot_open(&r->cx, g, c, &s))) {
        for (size_t i = 0; i < s->cat->n_types; i++) {
            ia_dataset *ds = NULL;
            uint64_t n;
            if (fuzz_ok(r, ia_snapshot_table(&r->cx, s, i, &ds)))
                (void)fuzz_ok(r, ia_dataset_count(&r->cx, ds, NULL, &n));
        }
        (void)fuzz_ok(r, ia_export(&r->cx, s, NULL, 0, put, NULL));
    }
    ia_snapshot_close(s);
}

static void read_all(fuzz_run *r, ia_graph *g)
{
    static const char line[] = "{\"type\":\"Company\",\"data\":{\"name\":\"New\"}}\n";
    ia_verify_report report = {0};
    ia_strlist names = {0};
    ia_commit *main_head = NULL, *side_head = NULL, *copy = NULL;
    ia_commit_list bases = {0};

    (void)fuzz_ok(r, ia_branch_list(&r->cx, g, &names));
    ia_strlist_dispose(&names);
    if (fuzz_ok(r, ia_resolve(&r->cx, g, "main", &main_head)) &&
        fuzz_ok(r, ia_commit_copy(&r->cx, main_head, &copy)))
        read_commit(r, g, copy);
    if (fuzz_ok(r, ia_resolve(&r->cx, g, "side", &side_head)) && main_head)
        (void)fuzz_ok(r, ia_merge_bases(&r->cx, g, main_head, side_head, &bases));
    ia_commit_list_dispose(&bases);
    (void)fuzz_ok(r, ia_verify(&r->cx, g, NULL, true, true, &report));
    ia_verify_report_dispose(&report);
    (void)fuzz_ok(r, fuzz_load(&r->cx, g, IA_LOAD_APPEND, line, sizeof line - 1));
    ia_commit_free(main_head);
    ia_commit_free(side_head);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const ia_graph_options options = {.durability = IA_RELAXED, .for_writing = true};
    const char kind = size > 0 ? (char)data[0] : 'c';
    const char *path = fuzz_store_path(kind == 'b'   ? "/refs/side/"
                                       : kind == 'f' ? "/format.json"
                                                     : "/log/");
    fuzz_run r;
    ia_objstore *os = NULL;
    ia_graph *g = NULL;

    FUZZ_CHECK(path != NULL);
    fuzz_begin(&r);
    fuzz_cancel_after(&r, 0.4);
    fuzz_store_open(&r, &os);
    change(&r, os, path, data + (size > 0), size - (size > 0));
    if (fuzz_ok(&r, ia_graph_open(&r.cx, os, FUZZ_ROOT, &options, &g)))
        read_all(&r, g);
    ia_graph_close(g);
    ia_objstore_close(os);
    fuzz_end(&r);
    return 0;
}
