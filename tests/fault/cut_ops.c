/* cut_ops.c - crash scenarios of loads, mutations and merges. */
#include "cut.h"

#include "graph/ops.h"

typedef ia_status (*step_fn)(ia_ctx *cx, ia_graph *g);

static ia_status with_graph(ia_ctx *cx, const cut_place *at, step_fn step)
{
    ia_graph *g = NULL;
    ia_status st;

    IA_GO(cut_open(cx, at, &g));
    IA_GO(step(cx, g));
done:
    ia_graph_close(g);
    return st;
}

/* ---- loads ----------------------------------------------------------------------------------- */
static const char people[] =
    "{\"type\":\"Person\",\"data\":{\"id\":\"a\",\"name\":\"Ada\",\"age\":1}}\n"
    "{\"type\":\"Person\",\"data\":{\"id\":\"b\",\"name\":\"Ben\",\"age\":2}}\n"
    "{\"type\":\"Person\",\"data\":{\"id\":\"c\",\"name\":\"Cy\",\"age\":3}}\n"
    "{\"edge\":\"Knows\",\"from\":\"a\",\"to\":\"b\",\"data\":{\"id\":\"k\"}}\n";
static const char newer_people[] =
    "{\"type\":\"Person\",\"data\":{\"id\":\"b\",\"name\":\"Ben\",\"age\":20}}\n"
    "{\"type\":\"Person\",\"data\":{\"id\":\"d\",\"name\":\"Di\",\"age\":4}}\n"
    "{\"edge\":\"Knows\",\"from\":\"d\",\"to\":\"b\",\"data\":{\"id\":\"l\"}}\n";
static const char other_people[] =
    "{\"type\":\"Person\",\"data\":{\"id\":\"x\",\"name\":\"Xi\",\"age\":9}}\n"
    "{\"type\":\"Person\",\"data\":{\"id\":\"y\",\"name\":\"Yo\",\"age\":8}}\n"
    "{\"edge\":\"Knows\",\"from\":\"x\",\"to\":\"y\",\"data\":{\"id\":\"m\"}}\n";

typedef struct source {
    const char *at;
    size_t left;
} source;

static ia_status read_source(ia_ctx *cx, void *arg, void *dst, size_t cap, size_t *got)
{
    source *s = arg;
    const size_t n = s->left < cap ? s->left : cap;

    (void)cx;
    memcpy(dst, s->at, n);
    s->at += n;
    s->left -= n;
    *got = n;
    return IA_OK;
}

static ia_status load(ia_ctx *cx, ia_graph *g, const char *branch, ia_load_mode mode,
                      const char *text)
{
    const ia_write_options opt = {.branch = branch, .actor = "tester"};
    source s = {text, strlen(text)};
    ia_load_result r;
    const ia_status st = ia_load(cx, g, mode, read_source, &s, s.left, "people.jsonl", &opt, &r);

    ia_load_result_dispose(&r);
    return st;
}

static ia_status load_people(ia_ctx *cx, ia_graph *g)
{
    return load(cx, g, "main", IA_LOAD_APPEND, people);
}

static ia_status graph_of_people(ia_ctx *cx, const cut_place *at)
{
    IA_TRY(cut_init(cx, at));
    return with_graph(cx, at, load_people);
}

static ia_status run_append(ia_ctx *cx, const cut_place *at)
{
    return with_graph(cx, at, load_people);
}

static ia_status merge_people(ia_ctx *cx, ia_graph *g)
{
    return load(cx, g, "main", IA_LOAD_MERGE, newer_people);
}

static ia_status run_load_merge(ia_ctx *cx, const cut_place *at)
{
    return with_graph(cx, at, merge_people);
}

static ia_status replace_people(ia_ctx *cx, ia_graph *g)
{
    return load(cx, g, "main", IA_LOAD_OVERWRITE, other_people);
}

static ia_status run_overwrite(ia_ctx *cx, const cut_place *at)
{
    return with_graph(cx, at, replace_people);
}

/* ---- mutations ------------------------------------------------------------------------------- */
static ia_status mutate(ia_ctx *cx, ia_graph *g, const char *branch, const char *text)
{
    const ia_write_options opt = {.branch = branch, .actor = "tester"};
    const ia_catalog *cat;
    ia_commit *head = NULL;
    ia_gq_query *q = NULL;
    ia_params *p = NULL;
    ia_mutate_result r = {0};
    ia_status st;

    IA_GO(ia_resolve(cx, g, branch, &head));
    IA_GO(ia_graph_catalog(cx, g, head->schema_hash, &cat));
    IA_GO(ia_gq_compile(cx, cat, text, strlen(text), "test.gq", NULL, &q));
    IA_GO(ia_params_parse(cx, q, NULL, 0, &p));
    IA_GO(ia_mutate(cx, g, q, p, &opt, &r));
done:
    ia_commit_free(r.commit);
    ia_params_free(p);
    ia_gq_query_free(q);
    ia_commit_free(head);
    return st;
}

static ia_status delete_with_edges(ia_ctx *cx, ia_graph *g)
{
    return mutate(cx, g, "main", "query q() { delete Person where name = \"Ben\" }");
}

static ia_status run_mutate_delete(ia_ctx *cx, const cut_place *at)
{
    return with_graph(cx, at, delete_with_edges);
}

static ia_status update_some(ia_ctx *cx, ia_graph *g)
{
    return mutate(cx, g, "main", "query q() { update Person set { age: 50 } where age > 1 }");
}

static ia_status run_mutate_update(ia_ctx *cx, const cut_place *at)
{
    return with_graph(cx, at, update_some);
}

/* ---- merges ---------------------------------------------------------------------------------- */
static ia_status change_branch(ia_ctx *cx, ia_graph *g)
{
    return load(cx, g, "team/f", IA_LOAD_MERGE, newer_people);
}

static ia_status changed_branch(ia_ctx *cx, const cut_place *at)
{
    IA_TRY(graph_of_people(cx, at));
    IA_TRY(cut_branch(cx, at, "team/f", "main"));
    return with_graph(cx, at, change_branch);
}

static ia_status change_main(ia_ctx *cx, ia_graph *g)
{
    IA_TRY(gx_update(cx, g, "main", "c", 33, NULL));
    return gx_insert(cx, g, "main", "e", 5, NULL);
}

static ia_status diverged(ia_ctx *cx, const cut_place *at)
{
    IA_TRY(changed_branch(cx, at));
    return with_graph(cx, at, change_main);
}

static ia_status changed_branch_and_another(ia_ctx *cx, const cut_place *at)
{
    IA_TRY(changed_branch(cx, at));
    return cut_branch(cx, at, "other", "main");
}

static ia_status merge(ia_ctx *cx, const cut_place *at, const char *into, ia_adopt adopt)
{
    const ia_merge_options opt = {.adopt = adopt, .actor = "tester"};
    ia_merge_result r = {0};
    ia_graph *g = NULL;
    ia_status st;

    IA_GO(cut_open(cx, at, &g));
    IA_GO(ia_merge(cx, g, "team/f", into, &opt, &r));
    if (r.outcome == IA_CONFLICTED)
        IA_GO(ia_fail(cx, IA_ERR_CONFLICT, "the merge of a crash scenario conflicts"));
done:
    ia_merge_result_dispose(&r);
    ia_graph_close(g);
    return st;
}

static ia_status run_merge(ia_ctx *cx, const cut_place *at)
{
    return merge(cx, at, "main", IA_ADOPT_LINK);
}

static ia_status run_merge_by_reference(ia_ctx *cx, const cut_place *at)
{
    return merge(cx, at, "main", IA_ADOPT_REFERENCE);
}

static ia_status run_merge_by_copy(ia_ctx *cx, const cut_place *at)
{
    return merge(cx, at, "main", IA_ADOPT_COPY);
}

static ia_status run_merge_into_branch(ia_ctx *cx, const cut_place *at)
{
    return merge(cx, at, "other", IA_ADOPT_LINK);
}

static ia_status write_other(ia_ctx *cx, ia_graph *g)
{
    return gx_insert(cx, g, "other", "again", 77, NULL);
}

static ia_status again_on_other(ia_ctx *cx, const cut_place *at)
{
    return with_graph(cx, at, write_other);
}

const cut_scenario cut_ops[] = {
    {"load-append", NULL, run_append, NULL, false},
    {"load-merge", graph_of_people, run_load_merge, NULL, false},
    {"load-overwrite", graph_of_people, run_overwrite, NULL, false},
    {"mutate-delete", graph_of_people, run_mutate_delete, NULL, false},
    {"mutate-update", graph_of_people, run_mutate_update, NULL, false},
    {"merge-fast-forward", changed_branch, run_merge, NULL, false},
    {"merge-three-way", diverged, run_merge, NULL, false},
    {"merge-by-reference", diverged, run_merge_by_reference, NULL, false},
    {"merge-by-copy", diverged, run_merge_by_copy, NULL, false},
    {"merge-into-branch", changed_branch_and_another, run_merge_into_branch, again_on_other, false},
};
const size_t cut_ops_n = sizeof cut_ops / sizeof cut_ops[0];
