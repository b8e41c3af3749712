/* cmd_file.c - file info, verify: single Lance data files. */
#include "cli/cli.h"

int cli_open_file(cli *c, size_t k, inarch_file **out)
{
    *out = NULL;
    if (k >= c->n_args)
        return cli_usage_error(c, "FILE (a Lance data file) is required");
    const inarch_status st = inarch_file_open(c->args[k], &c->options, out);
    return st == INARCH_OK ? EXIT_OK : cli_failed(c, st);
}

int cli_one_argument(const cli *c)
{
    return c->n_args > 1 ? cli_usage_error(c, "unexpected argument '%s'", c->args[1]) : EXIT_OK;
}

int cmd_file_info(cli *c)
{
    inarch_file_describe_options o = INARCH_FILE_DESCRIBE_OPTIONS_INIT;
    inarch_file *f = NULL;
    char *text = NULL;
    int rc = cli_one_argument(c);

    if (rc == EXIT_OK)
        rc = cli_open_file(c, 0, &f);
    if (rc == EXIT_OK) {
        o.text = !c->json;
        o.pages = cli_has(c, "pages");
        o.measure = cli_has(c, "measure");
        const inarch_status st = inarch_file_describe(f, &o, &text);
        cli_bar_end(c);
        if (st != INARCH_OK)
            rc = cli_failed(c, st);
        else
            printf("%s%s", text, c->json ? "\n" : "");
    }
    inarch_free(text);
    inarch_file_close(f);
    return rc;
}

/* ---- verify --------------------------------------------------------------------------------- */

static int verify_one(cli *c, size_t k, json_out *j)
{
    inarch_file *f = NULL;
    uint64_t rows = 0;
    inarch_status st = inarch_file_open(c->args[k], &c->options, &f);

    if (st == INARCH_OK)
        st = inarch_file_verify(f, &rows);
    cli_bar_end(c);
    if (c->json) {
        json_open_object(j, NULL);
        json_text(j, "path", c->args[k]);
        json_text(j, "status", st == INARCH_OK ? "ok" : inarch_status_name(st));
        json_u64(j, "rows", rows);
        json_text(j, "error", st == INARCH_OK ? NULL : inarch_last_error());
        json_close_object(j);
    } else if (st == INARCH_OK) {
        printf("%s: ok, %llu row%s\n", c->args[k], (unsigned long long)rows, rows == 1 ? "" : "s");
    }
    inarch_file_close(f);
    return st == INARCH_OK ? EXIT_OK : c->json ? EXIT_FAILED : cli_failed(c, st);
}

int cmd_file_verify(cli *c)
{
    json_out j;
    int rc = EXIT_OK;

    if (c->n_args == 0)
        return cli_usage_error(c, "FILE (a Lance data file) is required");
    if (c->json) {
        json_begin(&j);
        json_open_array(&j, "files");
    }
    for (size_t k = 0; k < c->n_args; k++)
        if (verify_one(c, k, &j) != EXIT_OK)
            rc = EXIT_FAILED;
    if (c->json) {
        json_close_array(&j);
        json_end(&j);
    }
    return rc;
}
