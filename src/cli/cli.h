/* cli.h - one command line: its table of commands, parsed arguments, output helpers. */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "inarch/inarch.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_PRECONDITION = 4 };

#define CLI_MAX_ARGS 16
#define CLI_MAX_REPEAT 64

typedef struct cli_option {
    const char *name; /* long name without dashes */
    char letter;      /* 0 = none */
    const char *arg;  /* NULL = a flag; else how help shows its value */
    const char *help;
    bool repeat;
} cli_option;

struct cli;
typedef struct cli_command {
    const char *group; /* "branch", or NULL */
    const char *name;
    const char *usage;         /* arguments after the name */
    const char *summary;       /* one line */
    const char *text;          /* help below the usage; NULL = none */
    const cli_option *options; /* ends with name NULL */
    int (*run)(struct cli *c);
} cli_command;

typedef struct cli {
    const cli_command *command;
    const char *args[CLI_MAX_ARGS]; /* positional */
    size_t n_args;
    struct {
        const cli_option *option;
        const char *value; /* "" for flags */
    } given[CLI_MAX_REPEAT];
    size_t n_given;
    bool json, quiet;
    inarch_options options;
    bool bar_shown;
} cli;

/* Value of an option, NULL when absent; flags give "". */
const char *cli_get(const cli *c, const char *name);
bool cli_has(const cli *c, const char *name);
/* k-th value of a repeated option, NULL past the last. */
const char *cli_nth(const cli *c, const char *name, size_t k);

/* Prints "inarch: ..." on stderr; returns the exit status. */
int cli_usage_error(const cli *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int cli_failed(const cli *c, inarch_status st); /* the library's last error */
int cli_complain(const cli *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Graph directory from --store, INARCH_STORE or positional number `at` (SIZE_MAX = never
 * positional). The positional one is removed from args. NULL when there is none (a message was
 * printed). */
const char *cli_store(cli *c, size_t at);
/* Opens the graph; EXIT_OK or an exit status with the message printed. */
int cli_open(cli *c, size_t at, inarch_graph **out);
/* Opens argument number k as a Lance data file; EXIT_OK or an exit status with the message printed.
 */
int cli_open_file(cli *c, size_t k, inarch_file **out);
int cli_one_argument(const cli *c); /* a message and EXIT_USAGE when there are more */
/* "inarch load -> my.graph" on stderr unless quiet. */
void cli_echo(const cli *c, const char *verb, const char *store);
void cli_write_options(const cli *c, inarch_write_options *w);
/* Whole file ("-" = stdin), 0-terminated, malloc'd; NULL with a message printed. */
char *cli_read_file(const cli *c, const char *path, size_t *len);
/* inarch_write_fn to stdout. */
int cli_stdout(const void *data, size_t n, void *payload);
/* Ends a progress bar line, if one was drawn. */
void cli_bar_end(cli *c);

/* ---- JSON on stdout ------------------------------------------------------------------------- */
typedef struct json_out {
    int depth;
    bool comma[32];
} json_out;
void json_begin(json_out *j);                         /* { */
void json_end(json_out *j);                           /* } and a line end at depth 0 */
void json_open_object(json_out *j, const char *name); /* name NULL inside arrays */
void json_close_object(json_out *j);
void json_open_array(json_out *j, const char *name);
void json_close_array(json_out *j);
void json_text(json_out *j, const char *name,
               const char *value); /* NULL and, with or_null, "" write null */
void json_text_or_null(json_out *j, const char *name, const char *value);
void json_u64(json_out *j, const char *name, uint64_t v);
void json_i64(json_out *j, const char *name, int64_t v);
void json_bool(json_out *j, const char *name, bool v);
void json_raw(json_out *j, const char *name, const char *json); /* "" or NULL write null */

/* "2026-11-30 20:19:30" UTC. */
const char *cli_time(int64_t us, char out[32]);

extern const cli_command cli_commands[];
extern const size_t cli_n_commands;

int cmd_init(cli *c);
int cmd_status(cli *c);
int cmd_snapshot(cli *c);
int cmd_schema_show(cli *c);
int cmd_verify(cli *c);
int cmd_export(cli *c);
int cmd_load(cli *c);
int cmd_query(cli *c);
int cmd_mutate(cli *c);
int cmd_branch_create(cli *c);
int cmd_branch_list(cli *c);
int cmd_branch_delete(cli *c);
int cmd_branch_merge(cli *c);
int cmd_commit_list(cli *c);
int cmd_commit_show(cli *c);
int cmd_commit_changes(cli *c);
int cmd_diff(cli *c);
int cmd_table_info(cli *c);
int cmd_table_versions(cli *c);
int cmd_table_scan(cli *c);
int cmd_table_count(cli *c);
int cmd_table_take(cli *c);
int cmd_table_append(cli *c);
int cmd_file_info(cli *c);
int cmd_file_cat(cli *c);
int cmd_file_write(cli *c);
int cmd_file_verify(cli *c);
int cmd_version(cli *c);

#endif
