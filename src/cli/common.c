/* common.c - what several commands share: the store, files, options, times. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"

const char *cli_store(cli *c, size_t at)
{
    const char *store = cli_get(c, "store");

    if (!store && at < c->n_args) {
        store = c->args[at];
        c->n_args--;
        memmove(&c->args[at], &c->args[at + 1], (c->n_args - at) * sizeof *c->args);
    }
    if (!store)
        store = getenv("INARCH_STORE");
    if (!store || !*store) {
        cli_usage_error(c, "which graph? name its directory with --store DIR");
        return NULL;
    }
    return store;
}

int cli_open(cli *c, size_t at, inarch_graph **out)
{
    const char *store = cli_store(c, at);

    *out = NULL;
    if (!store)
        return EXIT_USAGE;
    if (c->n_args > (at == SIZE_MAX ? CLI_MAX_ARGS : at))
        return cli_usage_error(c, "unexpected argument '%s'", c->args[at]);
    const inarch_status st = inarch_graph_open(store, &c->options, out);
    return st == INARCH_OK ? EXIT_OK : cli_failed(c, st);
}

void cli_echo(const cli *c, const char *verb, const char *store)
{
    if (!c->quiet)
        fprintf(stderr, "inarch %s -> %s\n", verb, store);
}

void cli_write_options(const cli *c, inarch_write_options *w)
{
    *w = (inarch_write_options)INARCH_WRITE_OPTIONS_INIT;
    w->branch = cli_get(c, "branch");
    w->actor = cli_get(c, "as");
    w->message = cli_get(c, "message");
    w->if_commit = cli_get(c, "if-commit");
}

char *cli_read_file(const cli *c, const char *path, size_t *len)
{
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    char *data = NULL;
    size_t cap = 0, n = 0;

    if (!f) {
        cli_complain(c, "cannot open %s", path);
        return NULL;
    }
    do {
        if (cap - n < 65536) {
            char *grown = realloc(data, cap = cap * 2 + 65536 + 1);
            if (!grown) {
                cli_complain(c, "%s: out of memory", path);
                free(data);
                data = NULL;
                break;
            }
            data = grown;
        }
        n += fread(data + n, 1, cap - n - 1, f);
    } while (!feof(f) && !ferror(f));
    if (data && ferror(f)) {
        cli_complain(c, "cannot read %s", path);
        free(data);
        data = NULL;
    }
    if (f != stdin)
        fclose(f);
    if (data) {
        data[n] = 0;
        *len = n;
    }
    return data;
}

int cli_stdout(const void *data, size_t n, void *payload)
{
    (void)payload;
    return fwrite(data, 1, n, stdout) == n ? 0 : 1;
}

const char *cli_time(int64_t us, char out[32])
{
    const time_t s = (time_t)(us / 1000000);
    struct tm tm;

    gmtime_r(&s, &tm);
    strftime(out, 32, "%Y-%m-%d %H:%M:%S", &tm);
    return out;
}
