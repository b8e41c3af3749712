/* main.c - the inarch command: parses the line, finds the command, runs it. */
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

static volatile int cancelled;

static const cli_option global_options[] = {
    {"store", 0, "DIR", "the graph's directory (or the variable INARCH_STORE)", false},
    {"as", 0, "ACTOR", "who makes this change (default: the user's name)", false},
    {"memory", 0, "SIZE", "bytes an operation may hold, as 512M or 2G (default 512M)", false},
    {"durability", 0, "LEVEL", "full (default: synced before a commit is visible) or relaxed",
     false},
    {"json", 0, NULL, "machine-readable output", false},
    {"quiet", 'q', NULL, "no echo and no progress on stderr", false},
    {"help", 'h', NULL, "this help", false},
    {NULL, 0, NULL, NULL, false},
};

const char *cli_nth(const cli *c, const char *name, size_t k)
{
    for (size_t i = 0; i < c->n_given; i++)
        if (strcmp(c->given[i].option->name, name) == 0 && k-- == 0)
            return c->given[i].value;
    return NULL;
}

const char *cli_get(const cli *c, const char *name)
{
    return cli_nth(c, name, 0);
}

bool cli_has(const cli *c, const char *name)
{
    return cli_get(c, name) != NULL;
}

static void name_of(const cli_command *cmd, char out[64])
{
    snprintf(out, 64, "%s%s%s", cmd->group ? cmd->group : "", cmd->group ? " " : "", cmd->name);
}

int cli_usage_error(const cli *c, const char *fmt, ...)
{
    va_list ap;
    char name[64] = "";

    fputs("inarch: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    if (c && c->command)
        name_of(c->command, name);
    fprintf(stderr, "\ntry: inarch %s%s--help\n", name, *name ? " " : "");
    return EXIT_USAGE;
}

int cli_complain(const cli *c, const char *fmt, ...)
{
    va_list ap;

    (void)c;
    fputs("inarch: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    return EXIT_FAILED;
}

int cli_failed(const cli *c, inarch_status st)
{
    const char *text = inarch_last_error();

    cli_complain(c, "%s", *text ? text : inarch_status_name(st));
    return st == INARCH_ERR_PRECONDITION ? EXIT_PRECONDITION : EXIT_FAILED;
}

void cli_bar_end(cli *c)
{
    if (c->bar_shown)
        fputs("\r\033[K", stderr);
    c->bar_shown = false;
}

static int draw_bar(uint64_t done, uint64_t total, void *payload)
{
    cli *c = payload;
    const int width = 30;

    c->bar_shown = true;
    if (total == 0 || done > total) {
        fprintf(stderr, "\r  %llu ...", (unsigned long long)done);
    } else {
        const int full = (int)((double)done / (double)total * width);
        fprintf(stderr, "\r  [%.*s%*s] %3d %%", full, "##############################",
                width - full, "", (int)((double)done / (double)total * 100));
    }
    fflush(stderr);
    return 0;
}

static void on_interrupt(int sig)
{
    (void)sig;
    if (cancelled)
        _exit(130);
    cancelled = 1;
}

/* ---- help ---------------------------------------------------------------------------------- */

static void print_options(const cli_option *o)
{
    for (; o->name; o++) {
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
        if (o->letter)
            printf("  -%c, %-24s %s\n", o->letter, left, o->help);
        else
            printf("      %-24s %s\n", left, o->help);
    }
}

static void print_help(void)
{
    puts("inarch "
         "- a branchable, versioned property graph whose tables are Lance datasets\n\n"
         "usage: inarch COMMAND [ARGUMENTS] [OPTIONS]\n\ncommands:");
    for (size_t i = 0; i < cli_n_commands; i++) {
        char name[64];
        name_of(&cli_commands[i], name);
        printf("  %-16s %s\n", name, cli_commands[i].summary);
    }
    puts("\noptions of every command:");
    print_options(global_options);
    puts(
        "\n`inarch COMMAND --help` explains one. Results go to stdout, everything else to stderr.\n"
        "exit status: 0 success, 1 failure, 2 wrong usage, 4 --if-commit was lost");
}

static void print_command_help(const cli_command *cmd)
{
    char name[64];

    name_of(cmd, name);
    printf("inarch %s - %s\n\nusage: inarch %s %s\n", name, cmd->summary, name, cmd->usage);
    if (cmd->text)
        printf("\n%s\n", cmd->text);
    if (cmd->options->name) {
        puts("\noptions:");
        print_options(cmd->options);
    }
    puts("\noptions of every command:");
    print_options(global_options);
}

/* ---- parsing ------------------------------------------------------------------------------- */

static const cli_option *find_option(const cli_option *o, const char *name, size_t len, char letter)
{
    for (; o->name; o++) {
        if (letter ? o->letter == letter
                   : strlen(o->name) == len && strncmp(o->name, name, len) == 0)
            return o;
    }
    return NULL;
}

static int add_option(cli *c, const cli_option *o, const char *value)
{
    if (!o->repeat && cli_has(c, o->name))
        return cli_usage_error(c, "--%s is given twice", o->name);
    if (c->n_given == CLI_MAX_REPEAT)
        return cli_usage_error(c, "more than %d options", CLI_MAX_REPEAT);
    c->given[c->n_given].option = o;
    c->given[c->n_given++].value = value;
    return EXIT_OK;
}

static int parse_option(cli *c, int argc, char **argv, int *i)
{
    const char *arg = argv[*i];
    const bool is_long = arg[1] == '-';
    const char *name = arg + (is_long ? 2 : 1);
    const char *eq = is_long ? strchr(name, '=') : NULL;
    const size_t len = eq ? (size_t)(eq - name) : strlen(name);
    const char letter = is_long ? 0 : name[0];

    if (!is_long && name[1])
        return cli_usage_error(c, "unknown option %s", arg);
    const cli_option *o = find_option(c->command->options, name, len, letter);
    if (!o)
        o = find_option(global_options, name, len, letter);
    if (!o)
        return cli_usage_error(c, "unknown option %s", arg);
    if (!o->arg)
        return eq ? cli_usage_error(c, "--%s takes no value", o->name) : add_option(c, o, "");
    if (eq)
        return add_option(c, o, eq + 1);
    if (*i + 1 >= argc)
        return cli_usage_error(c, "--%s needs a value: %s", o->name, o->arg);
    return add_option(c, o, argv[++*i]);
}

static int parse_args(cli *c, int argc, char **argv, int first)
{
    bool only_args = false;

    for (int i = first; i < argc; i++) {
        if (!only_args && strcmp(argv[i], "--") == 0) {
            only_args = true;
        } else if (!only_args && argv[i][0] == '-' && argv[i][1]) {
            const int rc = parse_option(c, argc, argv, &i);
            if (rc != EXIT_OK)
                return rc;
        } else if (c->n_args == CLI_MAX_ARGS) {
            return cli_usage_error(c, "more than %d arguments", CLI_MAX_ARGS);
        } else {
            c->args[c->n_args++] = argv[i];
        }
    }
    return EXIT_OK;
}

static int parse_size(const cli *c, const char *text, uint64_t *out)
{
    char *end;
    const unsigned long long v = strtoull(text, &end, 10);
    unsigned shift = 0;

    switch (*end) {
    case 'k':
    case 'K':
        shift = 10;
        break;
    case 'm':
    case 'M':
        shift = 20;
        break;
    case 'g':
    case 'G':
        shift = 30;
        break;
    case 0:
        break;
    default:
        return cli_usage_error(c, "--memory %s: write a number with K, M or G", text);
    }
    if (end == text || v == 0 || (*end && end[1]) || (shift && v >> (64 - shift)))
        return cli_usage_error(c, "--memory %s: write a number with K, M or G", text);
    *out = (uint64_t)v << shift;
    return EXIT_OK;
}

static int apply_globals(cli *c)
{
    const char *level = cli_get(c, "durability"), *memory = cli_get(c, "memory");

    c->json = cli_has(c, "json");
    c->quiet = cli_has(c, "quiet");
    c->options = (inarch_options)INARCH_OPTIONS_INIT;
    c->options.cancel = &cancelled;
    if (!c->quiet && isatty(STDERR_FILENO)) {
        c->options.progress = draw_bar;
        c->options.payload = c;
    }
    if (level && strcmp(level, "relaxed") == 0)
        c->options.durability = INARCH_RELAXED;
    else if (level && strcmp(level, "full") != 0)
        return cli_usage_error(c, "--durability %s: use full or relaxed", level);
    return memory ? parse_size(c, memory, &c->options.memory_limit) : EXIT_OK;
}

static const cli_command *find_command(int argc, char **argv, int *first)
{
    for (size_t i = 0; i < cli_n_commands; i++) {
        const cli_command *cmd = &cli_commands[i];
        if (!cmd->group && strcmp(argv[1], cmd->name) == 0) {
            *first = 2;
            return cmd;
        }
        if (cmd->group && argc > 2 && strcmp(argv[1], cmd->group) == 0 &&
            strcmp(argv[2], cmd->name) == 0) {
            *first = 3;
            return cmd;
        }
    }
    return NULL;
}

static int print_group(const char *group)
{
    bool any = false;

    for (size_t i = 0; i < cli_n_commands; i++) {
        if (!cli_commands[i].group || strcmp(cli_commands[i].group, group) != 0)
            continue;
        if (!any)
            printf("usage: inarch %s COMMAND\n\n", group);
        any = true;
        printf("  %-10s %s\n", cli_commands[i].name, cli_commands[i].summary);
    }
    return any ? EXIT_OK : EXIT_USAGE;
}

int main(int argc, char **argv)
{
    cli c = {0};
    int first = 0;

    if (argc < 2) {
        print_help();
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_help();
        return EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-v") == 0)
        return cmd_version(&c);
    c.command = find_command(argc, argv, &first);
    if (!c.command) {
        const bool help =
            argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0);
        if ((argc == 2 || help) && print_group(argv[1]) == EXIT_OK)
            return help ? EXIT_OK : EXIT_USAGE;
        return cli_usage_error(&c, "unknown command '%s%s%s'", argv[1], argc > 2 ? " " : "",
                               argc > 2 ? argv[2] : "");
    }
    int rc = parse_args(&c, argc, argv, first);
    if (rc == EXIT_OK && cli_has(&c, "help")) {
        print_command_help(c.command);
        return EXIT_OK;
    }
    if (rc == EXIT_OK)
        rc = apply_globals(&c);
    if (rc != EXIT_OK)
        return rc;
    signal(SIGINT, on_interrupt);
    signal(SIGPIPE, SIG_DFL);
    rc = c.command->run(&c);
    cli_bar_end(&c);
    if (fflush(stdout) != 0 && rc == EXIT_OK)
        return cli_complain(&c, "writing to stdout failed");
    return rc;
}
