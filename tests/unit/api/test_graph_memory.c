/* test_graph_memory.c - a handle with little memory goes on: its caches give way to the work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inarch/inarch.h"

/* Fragments of more than 64 KiB, so that an idle file holds that much of each. */
enum { FRAGMENTS = 120, ROWS = 500, WRITES = 70, WIDTH = 200, MEMORY = 6 << 20 };

static char place[64], path[96];

typedef struct lines {
    int fragment, row;
    uint32_t seed;
    char text[WIDTH + 100];
    size_t at, len;
} lines;

static void next_line(lines *l)
{
    char noise[WIDTH + 1];

    for (int i = 0; i < WIDTH; i++) {
        l->seed = l->seed * 1664525u + 1013904223u;
        noise[i] = (char)('a' + (l->seed >> 24) % 26);
    }
    noise[WIDTH] = 0;
    l->len = (size_t)snprintf(l->text, sizeof l->text,
                              "{\"type\":\"P\",\"data\":{\"name\":\"%d-%d\",\"t\":\"%s\"}}\n",
                              l->fragment, l->row++, noise);
    l->at = 0;
}

static int64_t read_lines(void *dst, size_t cap, void *payload)
{
    lines *l = payload;

    if (l->at == l->len && l->row < ROWS)
        next_line(l);
    const size_t n = cap < l->len - l->at ? cap : l->len - l->at;
    memcpy(dst, l->text + l->at, n);
    l->at += n;
    return (int64_t)n;
}

static void ok(inarch_status st)
{
    if (st != INARCH_OK)
        fail_msg("%s: %s", inarch_status_name(st), inarch_last_error());
}

static int setup(void **state)
{
    inarch_options opt = INARCH_OPTIONS_INIT;
    inarch_graph *g = NULL;

    (void)state;
    opt.durability = INARCH_RELAXED;
    snprintf(place, sizeof place, "/tmp/inarch-api-XXXXXX");
    if (!mkdtemp(place))
        return 1;
    snprintf(path, sizeof path, "%s/graph", place);
    ok(inarch_graph_create(path, "node P { name: String @key  t: String }", NULL, NULL, &opt));
    ok(inarch_graph_open(path, &opt, &g));
    for (int i = 0; i < FRAGMENTS; i++) {
        lines l = {.fragment = i, .seed = (uint32_t)i};
        inarch_load_result r;

        ok(inarch_load(g, INARCH_LOAD_APPEND, read_lines, &l, 0, "rows", NULL, &r));
        assert_int_equal(r.total, ROWS);
        inarch_load_result_dispose(&r);
    }
    inarch_graph_close(g);
    return 0;
}

static int teardown(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return system(command);
}

static uint64_t rows_named(inarch_graph *g, const char *name)
{
    inarch_query_options q = INARCH_QUERY_OPTIONS_INIT;
    inarch_result *r = NULL;
    char params[64];

    snprintf(params, sizeof params, "{\"n\":\"%s\"}", name);
    q.params = params;
    ok(inarch_query(g, "query q($n: String) { match { $p: P { name: $n } } return { $p.t } }", &q,
                    &r));
    const uint64_t n = inarch_result_rows(r);
    inarch_result_close(r);
    return n;
}

static void insert(inarch_graph *g, int i)
{
    inarch_query_options q = INARCH_QUERY_OPTIONS_INIT;
    inarch_mutate_result done;
    char params[64];

    snprintf(params, sizeof params, "{\"n\":\"new %d\"}", i);
    q.params = params;
    ok(inarch_mutate(g, "query q($n: String) { insert P { name: $n t: \"x\" } }", &q, NULL, &done));
    assert_int_equal(done.nodes, 1);
}

static void many_fragments_and_versions_fit_little_memory(void **state)
{
    inarch_options opt = INARCH_OPTIONS_INIT;
    inarch_graph *g = NULL;
    char name[32];

    (void)state;
    opt.durability = INARCH_RELAXED;
    opt.memory_limit = MEMORY;
    ok(inarch_graph_open(path, &opt, &g));
    for (int i = 0; i < FRAGMENTS; i += 40) {
        snprintf(name, sizeof name, "%d-%d", i, ROWS - 1);
        assert_int_equal(rows_named(g, name), 1);
    }
    for (int i = 0; i < WRITES; i++)
        insert(g, i);
    snprintf(name, sizeof name, "new %d", WRITES - 1);
    assert_int_equal(rows_named(g, name), 1);
    inarch_graph_close(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_fragments_and_versions_fit_little_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
