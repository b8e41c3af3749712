/* cmd_data.c - load, query, mutate. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"

static int64_t read_more(void *dst, size_t cap, void *payload)
{
    FILE *f = payload;
    const size_t n = fread(dst, 1, cap, f);

    return n == 0 && ferror(f) ? -1 : (int64_t)n;
}

static int parse_mode(const cli *c, inarch_load_mode *out)
{
    static const char *const names[] = {"append", "merge", "overwrite"};
    const char *mode = cli_get(c, "mode");

    for (int i = 0; mode && i < 3; i++)
        if (strcmp(mode, names[i]) == 0) {
            *out = (inarch_load_mode)i;
            return EXIT_OK;
        }
    return cli_usage_error(
        c, mode ? "--mode %s: use append, merge or overwrite" : "--mode is required%s",
        mode ? mode : "");
}

static void json_loaded(const inarch_load_result *r, json_out *j, const char *kind,
                        const char *member)
{
    json_open_array(j, member);
    for (size_t i = 0; i < r->n; i++) {
        if (strcmp(r->counts[i].kind, kind) != 0)
            continue;
        json_open_object(j, NULL);
        json_text(j, "name", r->counts[i].type);
        json_u64(j, "entities_loaded", r->counts[i].rows);
        json_close_object(j);
    }
    json_close_array(j);
}

static void print_loaded(const cli *c, const char *store, const inarch_load_result *r, bool created)
{
    const char *branch = cli_get(c, "branch") ? cli_get(c, "branch") : "main";
    size_t nodes = 0, edges = 0;

    for (size_t i = 0; i < r->n; i++)
        *(r->counts[i].kind[0] == 'n' ? &nodes : &edges) += 1;
    if (c->json) {
        json_out j;
        json_begin(&j);
        json_text(&j, "uri", store);
        json_text(&j, "branch", branch);
        json_text(&j, "base_branch", created ? cli_get(c, "from") : NULL);
        json_bool(&j, "branch_created", created);
        json_text(&j, "mode", cli_get(c, "mode"));
        json_loaded(r, &j, "node", "nodes");
        json_loaded(r, &j, "edge", "edges");
        json_u64(&j, "total_entities", r->total);
        json_text(&j, "actor_id", cli_get(c, "as"));
        json_text_or_null(&j, "commit", r->commit);
        json_end(&j);
        return;
    }
    printf(
        "loaded %s on branch %s with %s: %llu entities across %zu node types and %zu edge types\n",
        store, branch, cli_get(c, "mode"), (unsigned long long)r->total, nodes, edges);
    if (created)
        printf("branch %s created from %s\n", branch, cli_get(c, "from"));
}

/* Cuts the branch of `load --branch B --from BASE` when it does not exist yet. */
static int branch_if_missing(const cli *c, inarch_graph *g, bool *created)
{
    const char *from = cli_get(c, "from"), *branch = cli_get(c, "branch");

    *created = false;
    if (!from)
        return EXIT_OK;
    if (!branch)
        return cli_usage_error(c, "--from needs --branch");
    const inarch_status st = inarch_branch_create(g, branch, from, NULL);
    if (st == INARCH_ERR_EXISTS)
        return EXIT_OK;
    *created = st == INARCH_OK;
    return *created ? EXIT_OK : cli_failed(c, st);
}

int cmd_load(cli *c)
{
    const char *data = cli_get(c, "data");
    inarch_load_mode mode = INARCH_LOAD_APPEND;
    inarch_write_options w;
    inarch_load_result r = {0};
    inarch_graph *g = NULL;
    struct stat sb;
    bool created = false;
    int rc = parse_mode(c, &mode);

    if (rc != EXIT_OK)
        return rc;
    if (!data)
        return cli_usage_error(c, "--data FILE is required (\"-\" = stdin)");
    const char *store = cli_get(c, "store") ? cli_get(c, "store")
                        : c->n_args         ? c->args[0]
                                            : getenv("INARCH_STORE");
    if ((rc = cli_open(c, 0, &g)) != EXIT_OK)
        return rc;
    FILE *f = strcmp(data, "-") == 0 ? stdin : fopen(data, "rb");
    if (!f) {
        rc = cli_complain(c, "cannot open %s", data);
    } else if ((rc = branch_if_missing(c, g, &created)) == EXIT_OK) {
        cli_write_options(c, &w);
        cli_echo(c, "load", store);
        const uint64_t total =
            fstat(fileno(f), &sb) == 0 && S_ISREG(sb.st_mode) ? (uint64_t)sb.st_size : 0;
        const inarch_status st = inarch_load(g, mode, read_more, f, total, data, &w, &r);
        cli_bar_end(c);
        if (st != INARCH_OK)
            rc = cli_failed(c, st);
        else
            print_loaded(c, store, &r, created);
    }
    if (f && f != stdin)
        fclose(f);
    inarch_load_result_dispose(&r);
    inarch_graph_close(g);
    return rc;
}

/* Query text and the parameters; the caller frees both. */
static int read_query(cli *c, char **text, char **params, inarch_query_options *q)
{
    const char *inline_text = cli_get(c, "expression"), *file = cli_get(c, "query"),
               *pf = cli_get(c, "params-file");
    size_t len = 0;

    *q = (inarch_query_options)INARCH_QUERY_OPTIONS_INIT;
    *text = *params = NULL;
    if (!inline_text == !file)
        return cli_usage_error(c, "give the query with -e TEXT or --query FILE");
    if (cli_has(c, "params") && pf)
        return cli_usage_error(c, "--params and --params-file exclude each other");
    if (c->n_args > 1)
        return cli_usage_error(c, "unexpected argument '%s'", c->args[1]);
    q->name = c->n_args ? c->args[0] : NULL;
    q->path = file ? file : "-e";
    *text = file ? cli_read_file(c, file, &len) : strdup(inline_text);
    if (!*text)
        return EXIT_FAILED;
    if (pf && !(*params = cli_read_file(c, pf, &len)))
        return EXIT_FAILED;
    q->params = pf ? *params : cli_get(c, "params");
    return EXIT_OK;
}

int cmd_query(cli *c)
{
    const char *format = c->json ? "json" : cli_get(c, "format") ? cli_get(c, "format") : "table";
    inarch_query_options q;
    char *text = NULL, *params = NULL;
    inarch_graph *g = NULL;
    inarch_result *r = NULL;

    if (cli_has(c, "branch") && cli_has(c, "snapshot"))
        return cli_usage_error(c, "--branch and --snapshot exclude each other");
    if (c->json && cli_has(c, "format"))
        return cli_usage_error(c, "--json and --format exclude each other");
    int rc = read_query(c, &text, &params, &q);
    if (rc == EXIT_OK)
        rc = cli_open(c, SIZE_MAX, &g);
    if (rc == EXIT_OK) {
        q.at = cli_get(c, "branch") ? cli_get(c, "branch") : cli_get(c, "snapshot");
        inarch_status st = inarch_query(g, text, &q, &r);
        cli_bar_end(c);
        if (st == INARCH_OK)
            st = inarch_result_render(r, format, cli_stdout, NULL);
        if (st != INARCH_OK)
            rc = cli_failed(c, st);
    }
    inarch_result_close(r);
    inarch_graph_close(g);
    free(text);
    free(params);
    return rc;
}

static void print_mutated(const cli *c, const inarch_mutate_result *r)
{
    const char *branch = cli_get(c, "branch") ? cli_get(c, "branch") : "main";

    if (c->json) {
        json_out j;
        json_begin(&j);
        json_text(&j, "branch", branch);
        json_text(&j, "query_name", r->query_name);
        json_u64(&j, "affected_nodes", r->nodes);
        json_u64(&j, "affected_edges", r->edges);
        json_text(&j, "actor_id", cli_get(c, "as"));
        json_text_or_null(&j, "commit", r->commit);
        json_end(&j);
        return;
    }
    printf("changed %s via %s: %llu nodes, %llu edges\n", branch, r->query_name,
           (unsigned long long)r->nodes, (unsigned long long)r->edges);
}

int cmd_mutate(cli *c)
{
    inarch_query_options q;
    inarch_write_options w;
    inarch_mutate_result r;
    char *text = NULL, *params = NULL;
    inarch_graph *g = NULL;
    int rc = read_query(c, &text, &params, &q);

    if (rc == EXIT_OK)
        rc = cli_open(c, SIZE_MAX, &g);
    if (rc == EXIT_OK) {
        cli_write_options(c, &w);
        const inarch_status st = inarch_mutate(g, text, &q, &w, &r);
        cli_bar_end(c);
        if (st != INARCH_OK)
            rc = cli_failed(c, st);
        else
            print_mutated(c, &r);
    }
    inarch_graph_close(g);
    free(text);
    free(params);
    return rc;
}
