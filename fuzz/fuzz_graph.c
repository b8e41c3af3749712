/* fuzz_graph.c - the schema and the small graph in memory that inputs meet. */
#include "fuzz.h"
#include "fuzz_fixed.h"

const char fuzz_schema[] =
    "interface Named { name: String @index }\n"
    "node Person implements Named {\n"
    "    age: I32?\n    born: Date?\n    seen: DateTime?\n    score: F64?\n    small: F32?\n"
    "    big: U64?\n    count: U32?\n    long: I64?\n    ok: Bool?\n    kind: enum(a, b, c)?\n"
    "    v: Vector(3)?\n    tags: [String]?\n    nums: [I32]?\n    mail: String?\n"
    "    @key(name)\n    @unique(mail)\n    @range(age, 0..150)\n    @check(mail, "
    "\"^[^@]+@[^@]+$\")\n"
    "}\n"
    "node Company { name: String @key }\n"
    "edge Knows: Person -> Person { since: Date? @unique(src, dst) }\n"
    "edge WorksAt: Person -> Company @card(0..2) { title: String? }\n";

static const char rows[] =
    "{\"type\":\"Person\",\"data\":{\"name\":\"Alice\",\"age\":30,\"kind\":\"a\",\"v\":[1,2,3],"
    "\"tags\":[\"x\",\"y\"],\"mail\":\"a@x\",\"born\":\"2000-02-29\"}}\n"
    "{\"type\":\"Person\",\"data\":{\"name\":\"Bob\",\"age\":25,\"score\":1.5,\"nums\":[1,2]}}\n"
    "{\"type\":\"Person\",\"data\":{\"name\":\"Carol\",\"big\":18446744073709551615,\"ok\":true}}\n"
    "{\"type\":\"Person\",\"data\":{\"name\":\"Dan\",\"seen\":\"2024-01-01T00:00:00Z\"}}\n"
    "{\"type\":\"Company\",\"data\":{\"name\":\"Acme\"}}\n"
    "{\"edge\":\"Knows\",\"from\":\"Alice\",\"to\":\"Bob\",\"data\":{\"id\":\"k1\"}}\n"
    "{\"edge\":\"Knows\",\"from\":\"Bob\",\"to\":\"Carol\",\"data\":{\"id\":\"k2\"}}\n"
    "{\"edge\":\"Knows\",\"from\":\"Carol\",\"to\":\"Alice\",\"data\":{\"since\":\"2020-01-01\"}}\n"
    "{\"edge\":\"WorksAt\",\"from\":\"Alice\",\"to\":\"Acme\",\"data\":{\"title\":\"t\"}}\n";

static const ia_graph_options options = {.durability = IA_RELAXED, .for_writing = true};

/* What lives as long as the process: made by the first input, left to the leak checker as
 * reachable. */
static struct {
    ia_budget *budget;
    ia_ctx cx;
    ia_catalog *catalog;
    ia_objstore *os;
    ia_strlist paths; /* of every object of the template graph */
} shared;

static void shared_open(void)
{
    if (shared.budget)
        return;
    shared.budget = ia_budget_new(NULL, 0);
    FUZZ_CHECK(shared.budget != NULL);
    ia_ctx_init(&shared.cx, shared.budget);
}

static void shared_must(ia_status st)
{
    if (st != IA_OK)
        fuzz_abort(__FILE__, __LINE__, "the template is made:", shared.cx.err.text);
}

const ia_catalog *fuzz_catalog(void)
{
    shared_open();
    if (!shared.catalog)
        shared_must(ia_catalog_from_source(&shared.cx, fuzz_schema, strlen(fuzz_schema), "fuzz.pg",
                                           &shared.catalog));
    return shared.catalog;
}

/* ---- loading ----------------------------------------------------------------------------------
 */

typedef struct text_source {
    const char *at;
    size_t left;
} text_source;

static ia_status read_text(ia_ctx *cx, void *arg, void *dst, size_t cap, size_t *got)
{
    text_source *s = arg;
    const size_t n = s->left < cap ? s->left : cap;

    (void)cx;
    if (n > 0)
        memcpy(dst, s->at, n);
    s->at += n;
    s->left -= n;
    *got = n;
    return IA_OK;
}

ia_status fuzz_load(ia_ctx *cx, ia_graph *g, ia_load_mode mode, const void *text, size_t len)
{
    static const ia_write_options on_main = {.branch = "main", .actor = "fuzz"};
    text_source s = {text ? text : "", len};
    ia_load_result result = {0};
    const ia_status st = ia_load(cx, g, mode, read_text, &s, len, "fuzz.jsonl", &on_main, &result);

    FUZZ_CHECK(st == IA_OK || !result.commit);
    ia_load_result_dispose(&result);
    return st;
}

/* ---- the template and its copies ---------------------------------------------------------------
 */

static void list_tree(const char *dir)
{
    ia_objlist names = {0};

    shared_must(ia_objstore_list(&shared.cx, shared.os, dir, NULL, 0, &names));
    for (size_t i = 0; i < names.n; i++) {
        const size_t len = strlen(names.names[i]);
        char *path = NULL;
        shared_must(ia_path_join(&shared.cx, &path, dir, names.names[i], NULL));
        if (len > 0 && names.names[i][len - 1] == '/') {
            path[strlen(path) - 1] = 0;
            list_tree(path);
        } else {
            shared_must(ia_strlist_add(&shared.cx, &shared.paths, path));
        }
        ia_free(path);
    }
    ia_objlist_dispose(&names);
}

static void template_open(void)
{
    ia_graph *g = NULL;
    ia_commit *head = NULL;
    ia_branch *side = NULL;

    if (shared.os)
        return;
    shared_open();
    fuzz_fixed_reset(1);
    shared_must(ia_objstore_memory(&shared.cx, true, &shared.os));
    shared_must(
        ia_graph_init(&shared.cx, shared.os, FUZZ_ROOT, fuzz_schema, "fuzz.pg", "fuzz", &options));
    shared_must(ia_graph_open(&shared.cx, shared.os, FUZZ_ROOT, &options, &g));
    shared_must(fuzz_load(&shared.cx, g, IA_LOAD_APPEND, rows, strlen(rows)));
    shared_must(ia_resolve(&shared.cx, g, "main", &head));
    shared_must(ia_branch_create(&shared.cx, g, "side", head, &side));
    ia_branch_free(side);
    ia_commit_free(head);
    ia_graph_close(g);
    list_tree("/mem");
    fuzz_fixed_reset(2);
}

const char *fuzz_store_path(const char *part)
{
    template_open();
    for (size_t i = 0; i < shared.paths.n; i++) {
        if (strstr(shared.paths.items[i], part))
            return shared.paths.items[i];
    }
    return NULL;
}

void fuzz_store_open(fuzz_run *r, ia_objstore **out)
{
    template_open();
    fuzz_must(r, ia_objstore_memory(&r->cx, true, out), "a store:");
    for (size_t i = 0; i < shared.paths.n; i++) {
        ia_bytes raw = {0};
        shared_must(ia_objstore_get(&shared.cx, shared.os, shared.paths.items[i], &raw));
        fuzz_must(r, ia_objstore_put(&r->cx, *out, shared.paths.items[i], raw.data, raw.len, 0),
                  "a copied object:");
        ia_bytes_dispose(&raw);
    }
}

void fuzz_graph_open(fuzz_run *r, fuzz_graph *fg)
{
    fg->g = NULL;
    fuzz_store_open(r, &fg->os);
    fuzz_must(r, ia_graph_open(&r->cx, fg->os, FUZZ_ROOT, &options, &fg->g), "the graph opens:");
}

void fuzz_graph_close(fuzz_graph *fg)
{
    ia_graph_close(fg->g);
    ia_objstore_close(fg->os);
}
