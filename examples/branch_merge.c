/* branch_merge.c - opens a graph, branches, writes on both sides, merges, prints. */
#include <inarch/inarch.h>
#include <stdio.h>
#include <stdlib.h>

#define SCHEMA "node Person { name: String @key age: I32? }"
#define ADD "query add($name: String, $age: I32) { insert Person { name: $name age: $age } }"
#define ALL "query all() { match { $p: Person } return { $p.name $p.age } order { $p.name } }"

static void check(inarch_status st, const char *what)
{
    if (st == INARCH_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, inarch_last_error());
    exit(1);
}

static void insert(inarch_graph *g, const char *branch, const char *name, int age)
{
    inarch_query_options q = INARCH_QUERY_OPTIONS_INIT;
    inarch_write_options w = INARCH_WRITE_OPTIONS_INIT;
    inarch_mutate_result r;
    char params[128];

    snprintf(params, sizeof params, "{\"name\": \"%s\", \"age\": %d}", name, age);
    q.params = params;
    w.branch = branch;
    check(inarch_mutate(g, ADD, &q, &w, &r), "insert");
}

static int print(const void *data, size_t n, void *to)
{
    return fwrite(data, 1, n, to) != n;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "people.graph";
    inarch_graph *g;
    inarch_merge_result m;
    inarch_result *rows;

    check(inarch_graph_create(path, SCHEMA, "people.pg", "example", NULL), "create");
    check(inarch_graph_open(path, NULL, &g), "open");
    insert(g, "main", "Ada", 36);
    check(inarch_branch_create(g, "draft", "main", NULL), "branch");
    insert(g, "draft", "Grace", 45);
    insert(g, "main", "Alan", 41);
    check(inarch_merge(g, "draft", "main", NULL, &m), "merge");
    printf("merge: %s, payload bytes read and written: %llu\n", m.outcome,
           (unsigned long long)(m.payload_read + m.payload_written));
    inarch_merge_result_dispose(&m);
    check(inarch_query(g, ALL, NULL, &rows), "query");
    check(inarch_result_render(rows, "table", print, stdout), "print");
    inarch_result_close(rows);
    inarch_graph_close(g);
    return 0;
}
