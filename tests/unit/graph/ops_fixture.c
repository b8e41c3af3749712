/* ops_fixture.c - loads, mutates and exports a graph in memory. */
#include "ops_fixture.h"

const char ox_people_rows[] =
    "{\"type\":\"Person\",\"data\":{\"name\":\"Alice\",\"age\":30}}\n"
    "{\"type\":\"Person\",\"data\":{\"name\":\"Bob\",\"age\":25}}\n"
    "{\"type\":\"Person\",\"data\":{\"name\":\"Charlie\",\"age\":35}}\n"
    "{\"type\":\"Person\",\"data\":{\"name\":\"Diana\",\"age\":28}}\n"
    "{\"type\":\"Company\",\"data\":{\"name\":\"Acme\"}}\n"
    "{\"type\":\"Company\",\"data\":{\"name\":\"Globex\"}}\n"
    "{\"edge\":\"Knows\",\"from\":\"Alice\",\"to\":\"Bob\",\"data\":{\"id\":\"k1\"}}\n"
    "{\"edge\":\"Knows\",\"from\":\"Alice\",\"to\":\"Charlie\",\"data\":{\"id\":\"k2\"}}\n"
    "{\"edge\":\"Knows\",\"from\":\"Bob\",\"to\":\"Diana\",\"data\":{\"id\":\"k3\"}}\n"
    "{\"edge\":\"WorksAt\",\"from\":\"Alice\",\"to\":\"Acme\",\"data\":{\"id\":\"w1\"}}\n"
    "{\"edge\":\"WorksAt\",\"from\":\"Bob\",\"to\":\"Globex\",\"data\":{\"id\":\"w2\"}}\n";

static const char root[] = "/mem/ops.graph";
static const ia_write_options on_main = {.branch = "main", .actor = "tester"};

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != IA_OK)                                                                       \
            fail_msg("%s: %s", #call, x->e.cx.err.text);                                           \
    } while (0)

void ox_open(ox *x, const char *schema)
{
    const ia_graph_options opt = {.durability = IA_RELAXED, .for_writing = true};

    memset(x, 0, sizeof *x);
    x->e = env_new(0);
    OK(ia_objstore_memory(&x->e.cx, true, &x->os));
    OK(ia_graph_init(&x->e.cx, x->os, root, schema, "test.pg", "tester", &opt));
    OK(ia_graph_open(&x->e.cx, x->os, root, &opt, &x->g));
}

void ox_close(ox *x)
{
    ia_graph_close(x->g);
    ia_objstore_close(x->os);
    env_end(&x->e);
}

typedef struct source {
    const char *at;
    size_t left, piece;
} source;

static ia_status read_text(ia_ctx *cx, void *arg, void *dst, size_t cap, size_t *got)
{
    source *s = arg;
    size_t n = s->left < cap ? s->left : cap;

    (void)cx;
    if (s->piece > 0 && n > s->piece)
        n = s->piece;
    memcpy(dst, s->at, n);
    s->at += n;
    s->left -= n;
    *got = n;
    return IA_OK;
}

ia_status ox_load(ox *x, ia_load_mode mode, const char *text)
{
    source s = {text, strlen(text), x->piece};
    ia_load_result r;

    ia_ctx_clear(&x->e.cx);
    const ia_status st =
        ia_load(&x->e.cx, x->g, mode, read_text, &s, s.left, "test.jsonl", &on_main, &r);
    x->committed = r.commit != NULL;
    x->total = r.total;
    ia_load_result_dispose(&r);
    return st;
}

ia_status ox_mutate(ox *x, const char *gq, const char *params)
{
    const ia_catalog *cat;
    ia_commit *head = NULL;
    ia_gq_query *q = NULL;
    ia_params *p = NULL;
    ia_mutate_result r = {0};
    ia_status st;

    ia_ctx_clear(&x->e.cx);
    x->committed = false;
    IA_GO(ia_resolve(&x->e.cx, x->g, "main", &head));
    IA_GO(ia_graph_catalog(&x->e.cx, x->g, head->schema_hash, &cat));
    IA_GO(ia_gq_compile(&x->e.cx, cat, gq, strlen(gq), "test.gq", NULL, &q));
    IA_GO(ia_params_parse(&x->e.cx, q, params, params ? strlen(params) : 0, &p));
    IA_GO(ia_mutate(&x->e.cx, x->g, q, p, &on_main, &r));
    x->committed = r.commit != NULL;
    x->nodes = r.nodes;
    x->edges = r.edges;
done:
    ia_commit_free(r.commit);
    ia_params_free(p);
    ia_gq_query_free(q);
    ia_commit_free(head);
    return st;
}

void ox_loads(ox *x, ia_load_mode mode, const char *text)
{
    OK(ox_load(x, mode, text));
}

void ox_mutates(ox *x, const char *gq, const char *params, uint64_t nodes, uint64_t edges)
{
    OK(ox_mutate(x, gq, params));
    assert_int_equal(x->nodes, nodes);
    assert_int_equal(x->edges, edges);
    assert_int_equal(x->committed, nodes + edges > 0);
}

char *ox_head(ox *x)
{
    ia_commit *c = NULL;
    char *id;

    OK(ia_resolve(&x->e.cx, x->g, "main", &c));
    id = ia_strdup(&x->e.cx, c->ref.id);
    assert_non_null(id);
    ia_commit_free(c);
    return id;
}

static void check_failure(ox *x, ia_status st, ia_status want, const char *anchor,
                          const char *anchor2, const char *head)
{
    if (st != want)
        fail_msg("status %s instead of %s: %s", ia_status_name(st), ia_status_name(want),
                 x->e.cx.err.text);
    if (anchor && !strstr(x->e.cx.err.text, anchor))
        fail_msg("\"%s\" lacks \"%s\"", x->e.cx.err.text, anchor);
    if (anchor2 && !strstr(x->e.cx.err.text, anchor2))
        fail_msg("\"%s\" lacks \"%s\"", x->e.cx.err.text, anchor2);
    char *now = ox_head(x);
    assert_string_equal(now, head);
    ia_free(now);
}

void ox_load_fails(ox *x, ia_load_mode mode, const char *text, ia_status want, const char *anchor,
                   const char *anchor2)
{
    const size_t files = ox_data_files(x);
    char *head = ox_head(x);
    const ia_status st = ox_load(x, mode, text);

    check_failure(x, st, want, anchor, anchor2, head);
    assert_int_equal(ox_data_files(x), files); /* nothing is written for a load that is refused */
    ia_free(head);
}

void ox_mutate_fails(ox *x, const char *gq, const char *params, ia_status want, const char *anchor)
{
    const size_t files = ox_data_files(x);
    char *head = ox_head(x);
    const ia_status st = ox_mutate(x, gq, params);

    check_failure(x, st, want, anchor, NULL, head);
    assert_int_equal(ox_data_files(x), files);
    ia_free(head);
}

static ia_status write_text(ia_ctx *cx, void *arg, const void *data, size_t n)
{
    ia_buf_put(cx, arg, data, n);
    return ia_buf_status(arg);
}

char *ox_export(ox *x, const char *type)
{
    ia_commit *head = NULL;
    ia_snapshot *s = NULL;
    ia_buf text = {0};
    char *out = NULL;

    OK(ia_resolve(&x->e.cx, x->g, "main", &head));
    OK(ia_snapshot_open(&x->e.cx, x->g, head, &s));
    OK(ia_export(&x->e.cx, s, type ? &type : NULL, type ? 1 : 0, write_text, &text));
    ia_snapshot_close(s);
    OK(ia_buf_finish_str(&x->e.cx, &text, &out));
    return out;
}

void ox_expect_export(ox *x, const char *type, const char *want)
{
    char *got = ox_export(x, type);

    assert_string_equal(got ? got : "", want);
    ia_free(got);
}

size_t ox_data_files(ox *x)
{
    ia_commit *head = NULL;
    size_t n = 0;

    OK(ia_resolve(&x->e.cx, x->g, "main", &head));
    for (size_t i = 0; i < head->n_entries; i++) {
        ia_objlist l = {0};
        char *dir = ia_sprintf(&x->e.cx, "%s/%s/data", root, head->entries[i].dir);
        assert_non_null(dir);
        OK(ia_objstore_list(&x->e.cx, x->os, dir, NULL, 0, &l));
        n += l.n;
        ia_objlist_dispose(&l);
        ia_free(dir);
    }
    ia_commit_free(head);
    return n;
}
