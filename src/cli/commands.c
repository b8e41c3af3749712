/* commands.c - the table of commands: names, options, help, functions. */
#include "cli/cli.h"

#define END                                                                                        \
    {                                                                                              \
        NULL, 0, NULL, NULL, false                                                                 \
    }
#define BRANCH                                                                                     \
    {                                                                                              \
        "branch", 'b', "NAME", "branch to use (default main)", false                               \
    }
#define SNAPSHOT                                                                                   \
    {                                                                                              \
        "snapshot", 0, "COMMIT", "commit to read (id or unique prefix)", false                     \
    }
#define MESSAGE                                                                                    \
    {                                                                                              \
        "message", 'm', "TEXT", "message of the commit", false                                     \
    }
#define IF_COMMIT                                                                                  \
    {                                                                                              \
        "if-commit", 0, "COMMIT", "only if the branch's head is this commit, else exit 4", false   \
    }
#define QUERY_TEXT                                                                                 \
    {                                                                                              \
        "expression", 'e', "TEXT", "the query itself", false                                       \
    }
#define QUERY_FILE                                                                                 \
    {                                                                                              \
        "query", 0, "FILE", "file of queries; NAME picks one", false                               \
    }
#define PARAMS                                                                                     \
    {                                                                                              \
        "params", 0, "JSON", "parameters as a JSON object", false                                  \
    }
#define PARAMS_FILE                                                                                \
    {                                                                                              \
        "params-file", 0, "FILE", "the same from a file", false                                    \
    }
#define FORMAT                                                                                     \
    {                                                                                              \
        "format", 0, "FORMAT", "table (default), json, jsonl, csv or kv", false                    \
    }
#define COLUMNS                                                                                    \
    {                                                                                              \
        "columns", 0, "A,B", "columns to read; also _rowid, _rowaddr", false                       \
    }
#define FILTER                                                                                     \
    {                                                                                              \
        "filter", 0, "SQL", "rows to read: \"id = 42 AND x IS NOT NULL\"", false                   \
    }
#define TABLE_BRANCH                                                                               \
    {                                                                                              \
        "branch", 'b', "NAME", "Lance branch (default main)", false                                \
    }
#define THREADS                                                                                    \
    {                                                                                              \
        "threads", 0, "N", "threads to use (default 1)", false                                     \
    }
#define TABLE_VERSION                                                                              \
    {                                                                                              \
        "version", 0, "N", "version (default newest)", false                                       \
    }

static const cli_option none[] = {END};
static const cli_option o_init[] = {{"schema", 0, "FILE", "the schema, a .pg file", false}, END};
static const cli_option o_branch[] = {BRANCH, END};
static const cli_option o_read[] = {BRANCH, SNAPSHOT, END};
static const cli_option o_load[] = {
    {"data", 0, "FILE", "JSON lines, \"-\" for stdin", false},
    {"mode", 0, "MODE",
     "append (ids must be new), merge (upsert) or overwrite (replace the types that occur)", false},
    BRANCH,
    {"from", 0, "BASE", "create the branch from BASE when it does not exist", false},
    MESSAGE,
    IF_COMMIT,
    END};
static const cli_option o_query[] = {QUERY_TEXT, QUERY_FILE, PARAMS, PARAMS_FILE,
                                     BRANCH,     SNAPSHOT,   FORMAT, END};
static const cli_option o_mutate[] = {QUERY_TEXT, QUERY_FILE, PARAMS,    PARAMS_FILE,
                                      BRANCH,     MESSAGE,    IF_COMMIT, END};
static const cli_option o_create[] = {
    {"from", 0, "BRANCH|COMMIT", "where to cut it (default main)", false}, END};
static const cli_option o_list[] = {
    {"tables", 0, NULL, "each Lance branch and version, with the Python line that opens it", false},
    END};
static const cli_option o_merge[] = {
    {"into", 0, "BRANCH", "target branch (default main)", false},
    {"explain", 0, NULL, "route per type, rows, bytes and time", false},
    {"dry-run", 0, NULL, "plan and validate, change nothing", false},
    {"adopt", 0, "HOW", "link (default), reference or copy", false},
    {"full-probe", 0, NULL, "validate against the whole target, not only where the changes meet",
     false},
    {"delete-branch", 0, NULL, "delete the source after success", false},
    MESSAGE,
    IF_COMMIT,
    END};
static const cli_option o_commits[] = {BRANCH, {"limit", 0, "N", "at most N commits", false}, END};
static const cli_option o_changes[] = {{"rows", 0, NULL, "the rows before and after", false},
                                       {"stat", 0, NULL, "only the counts", false},
                                       END};
static const cli_option o_export[] = {
    BRANCH, SNAPSHOT, {"type", 0, "TYPE", "only this type (may be repeated)", true}, END};
static const cli_option o_verify[] = {
    {"branch", 'b', "NAME", "only this branch (default: every live branch)", false},
    {"all", 0, NULL, "every reachable commit, not only heads", false},
    {"strict", 0, NULL, "also @card minima of nodes without edges", false},
    END};
static const cli_option o_table[] = {TABLE_BRANCH, TABLE_VERSION, END};
static const cli_option o_scan[] = {
    COLUMNS,       FILTER, {"limit", 0, "N", "at most N rows", false}, FORMAT, TABLE_BRANCH,
    TABLE_VERSION, END};
static const cli_option o_count[] = {FILTER, TABLE_BRANCH, TABLE_VERSION, END};
static const cli_option o_take[] = {COLUMNS, FORMAT, TABLE_BRANCH, TABLE_VERSION, END};
static const cli_option o_append[] = {
    {"data", 0, "FILE", "JSON lines, one object a row; \"-\" for stdin", false}, TABLE_BRANCH, END};
static const cli_option o_file_info[] = {
    {"pages", 0, NULL, "every page on its own line, with its buffers", false},
    {"measure", 0, NULL, "decode everything, to know every column's bytes in memory", false},
    END};
static const cli_option o_file_cat[] = {
    {"format", 0, "FORMAT", "jsonl (default), csv, arrow (IPC stream) or arrow-file", false},
    {"columns", 0, "A,B.C", "columns to read, fields of structs and lists by their path", false},
    {"rows", 0, "BEGIN:END", "only these rows, END not included", false},
    {"take", 0, "N,N", "rows by position, in this order", false},
    {"batch", 0, "N", "rows of a batch (default 8192)", false},
    THREADS,
    END};
static const cli_option o_file_write[] = {
    {"data", 0, "FILE", "rows to write; \"-\" for stdin", false},
    {"from", 0, "FORMAT", "arrow, jsonl or csv (default: by the first bytes)", false},
    {"schema", 0, "FILE", "Arrow stream or file with the types for jsonl and csv", false},
    {"version", 0, "V", "format 2.1 (default) or 2.2", false},
    {"encoding", 0, "E", "of pages to which it applies", false},
    {"compression", 0, "C", "none, lz4 or zstd (default: where values are large)", false},
    {"compression-level", 0, "N", "1 to 22 for zstd", false},
    {"page-bytes", 0, "N", "values of a page (default 8 MiB)", false},
    {"chunk-bytes", 0, "N", "values of a chunk (default 4 KiB)", false},
    THREADS,
    END};

const cli_command cli_commands[] = {
    {NULL, "init", "--schema FILE DIR", "create a graph", NULL, o_init, cmd_init},
    {NULL, "status", "[DIR]", "tables of a branch, foreign versions, unfinished reveals", NULL,
     o_branch, cmd_status},
    {NULL, "load", "[DIR] --data FILE --mode MODE", "load JSON lines as one commit",
     "A line is {\"type\": T, \"data\": {...}} or {\"edge\": E, \"from\": ID, \"to\": ID, "
     "\"data\": {...}}.",
     o_load, cmd_load},
    {NULL, "query", "[NAME] -e TEXT | --query FILE", "run a read (.gq)", NULL, o_query, cmd_query},
    {NULL, "mutate", "[NAME] -e TEXT | --query FILE", "run a mutation (.gq) as one commit", NULL,
     o_mutate, cmd_mutate},
    {"branch", "create", "NAME", "cut a branch: one small file", NULL, o_create, cmd_branch_create},
    {"branch", "list", "[DIR]", "live branches", NULL, o_list, cmd_branch_list},
    {"branch", "delete", "NAME", "end a branch", "Branches that were cut from it stay whole.", none,
     cmd_branch_delete},
    {"branch", "merge", "SOURCE", "merge a branch or commit into a branch",
     "Files are adopted by hard link: no payload is read or written. Conflicts change nothing and "
     "exit 1.",
     o_merge, cmd_branch_merge},
    {"commit", "list", "[DIR]", "history of a branch, newest first", NULL, o_commits,
     cmd_commit_list},
    {"commit", "show", "COMMIT", "one commit", NULL, none, cmd_commit_show},
    {"commit", "changes", "COMMIT", "rows a commit changed against its first parent", NULL,
     o_changes, cmd_commit_changes},
    {NULL, "diff", "FROM TO", "net row changes between two branches or commits", NULL, o_changes,
     cmd_diff},
    {NULL, "snapshot", "[DIR]", "tables and versions of a branch or commit", NULL, o_read,
     cmd_snapshot},
    {"schema", "show", "[DIR]", "the schema text", NULL, o_read, cmd_schema_show},
    {NULL, "export", "[DIR]", "rows as JSON lines that load reads back", NULL, o_export,
     cmd_export},
    {NULL, "verify", "[DIR]", "check every reference, count, id and constraint", NULL, o_verify,
     cmd_verify},
    {"table", "info", "DATASET", "a Lance dataset: fields, fragments", NULL, o_table,
     cmd_table_info},
    {"table", "versions", "DATASET", "its versions", NULL, o_table, cmd_table_versions},
    {"table", "scan", "DATASET", "its rows", NULL, o_scan, cmd_table_scan},
    {"table", "count", "DATASET", "how many rows", NULL, o_count, cmd_table_count},
    {"table", "take", "DATASET ROWID...", "rows by row id", NULL, o_take, cmd_table_take},
    {"table", "append", "DATASET --data FILE", "append rows as one version",
     "Refused for a dataset that belongs to a graph.", o_append, cmd_table_append},
    {"file", "info", "FILE", "a Lance data file: columns, pages, encodings", NULL, o_file_info,
     cmd_file_info},
    {"file", "cat", "FILE", "its rows", NULL, o_file_cat, cmd_file_cat},
    {"file", "verify", "FILE...", "decode everything, check every bound", NULL, none,
     cmd_file_verify},
    {"file", "write", "OUT --data FILE", "write rows as a new data file",
     "Encodings: miniblock, fullzip, flat, bitpack, rle, dictionary, fsst, bss, variable; the\n"
     "metadata `lance-encoding:...` of an Arrow field goes before. Without, statistics choose.",
     o_file_write, cmd_file_write},
    {NULL, "version", "", "the version", NULL, none, cmd_version},
};
const size_t cli_n_commands = sizeof cli_commands / sizeof *cli_commands;
