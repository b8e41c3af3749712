/* cut_graph.c - crash scenarios of making a graph, writing rows, and making and ending branches. */
#include "cut.h"

typedef ia_status (*step_fn)(ia_ctx *cx, ia_graph *g);

/* One step on a handle of its own. */
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

/* ---- states before --------------------------------------------------------------------------- */
static ia_status nothing(ia_ctx *cx, const cut_place *at)
{
    (void)cx;
    (void)at;
    return IA_OK;
}

static ia_status two_people(ia_ctx *cx, ia_graph *g)
{
    IA_TRY(gx_insert(cx, g, "main", "a", 1, NULL));
    IA_TRY(gx_insert(cx, g, "main", "b", 2, NULL));
    return gx_knows(cx, g, "main", "k", "a", "b");
}

static ia_status graph_of_two(ia_ctx *cx, const cut_place *at)
{
    IA_TRY(cut_init(cx, at));
    return with_graph(cx, at, two_people);
}

static ia_status graph_with_branch(ia_ctx *cx, const cut_place *at)
{
    IA_TRY(graph_of_two(cx, at));
    return cut_branch(cx, at, "team/f", "main");
}

static ia_status own_fork(ia_ctx *cx, ia_graph *g)
{
    return gx_insert(cx, g, "team/f", "c", 3, NULL);
}

static ia_status graph_with_fork(ia_ctx *cx, const cut_place *at)
{
    IA_TRY(graph_with_branch(cx, at));
    return with_graph(cx, at, own_fork);
}

static ia_status graph_with_fork_of_fork(ia_ctx *cx, const cut_place *at)
{
    IA_TRY(graph_with_fork(cx, at));
    return cut_branch(cx, at, "deep", "team/f");
}

/* ---- operations ------------------------------------------------------------------------------ */
static ia_status insert_row(ia_ctx *cx, ia_graph *g)
{
    return gx_insert(cx, g, "main", "new", 5, NULL);
}

static ia_status run_insert(ia_ctx *cx, const cut_place *at)
{
    return with_graph(cx, at, insert_row);
}

static ia_status change_several(ia_ctx *cx, ia_graph *g)
{
    ia_write *w = NULL;
    ia_commit *c = NULL;
    ia_status st;

    IA_GO(ia_write_begin(cx, g, "main", NULL, "tester", NULL, &w));
    IA_GO(gx_change_person(cx, w, "a", 10));
    IA_GO(gx_add_person(cx, w, "d", 4));
    IA_GO(gx_add_knows(cx, w, "l", "d", "a"));
    IA_GO(ia_write_publish(cx, w, &c));
done:
    ia_commit_free(c);
    ia_write_free(w);
    return st;
}

static ia_status run_several_tables(ia_ctx *cx, const cut_place *at)
{
    return with_graph(cx, at, change_several);
}

static ia_status first_write(ia_ctx *cx, ia_graph *g)
{
    return gx_update(cx, g, "team/f", "a", 10, NULL);
}

static ia_status run_branch_write(ia_ctx *cx, const cut_place *at)
{
    return with_graph(cx, at, first_write);
}

static ia_status deep_write(ia_ctx *cx, ia_graph *g)
{
    return gx_update(cx, g, "deep", "c", 30, NULL);
}

static ia_status run_deep_write(ia_ctx *cx, const cut_place *at)
{
    return with_graph(cx, at, deep_write);
}

static ia_status run_create(ia_ctx *cx, const cut_place *at)
{
    return cut_branch(cx, at, "made", "main");
}

static ia_status end_branch(ia_ctx *cx, ia_graph *g)
{
    return ia_branch_delete(cx, g, "team/f", "tester");
}

static ia_status run_delete(ia_ctx *cx, const cut_place *at)
{
    return with_graph(cx, at, end_branch);
}

/* ---- further writes -------------------------------------------------------------------------- */
static ia_status write_main(ia_ctx *cx, ia_graph *g)
{
    return gx_insert(cx, g, "main", "again", 77, NULL);
}

static ia_status init_if_missing(ia_ctx *cx, const cut_place *at)
{
    const ia_status st = cut_init(cx, at);

    if (st != IA_OK && st != IA_ERR_EXISTS)
        return st;
    ia_ctx_clear(cx);
    return with_graph(cx, at, write_main);
}

static ia_status write_branch(ia_ctx *cx, ia_graph *g)
{
    return gx_insert(cx, g, "team/f", "again", 77, NULL);
}

static ia_status again_on_branch(ia_ctx *cx, const cut_place *at)
{
    return with_graph(cx, at, write_branch);
}

static ia_status write_deep(ia_ctx *cx, ia_graph *g)
{
    return gx_insert(cx, g, "deep", "again", 77, NULL);
}

static ia_status again_on_deep(ia_ctx *cx, const cut_place *at)
{
    return with_graph(cx, at, write_deep);
}

static ia_status write_made(ia_ctx *cx, ia_graph *g)
{
    return gx_insert(cx, g, "made", "again", 77, NULL);
}

static ia_status create_if_missing(ia_ctx *cx, const cut_place *at)
{
    const ia_status st = cut_branch(cx, at, "made", "main");

    if (st != IA_OK && st != IA_ERR_EXISTS)
        return st;
    ia_ctx_clear(cx);
    return with_graph(cx, at, write_made);
}

const cut_scenario cut_graph[] = {
    {"init", nothing, cut_init, init_if_missing, true},
    {"first-row", NULL, run_insert, NULL, false},
    {"several-tables", graph_of_two, run_several_tables, NULL, false},
    {"branch-create", graph_of_two, run_create, create_if_missing, true},
    {"branch-first-write", graph_with_branch, run_branch_write, again_on_branch, false},
    {"branch-write", graph_with_fork, run_branch_write, again_on_branch, false},
    {"deep-first-write", graph_with_fork_of_fork, run_deep_write, again_on_deep, false},
    {"branch-delete", graph_with_fork, run_delete, NULL, false},
};
const size_t cut_graph_n = sizeof cut_graph / sizeof cut_graph[0];
