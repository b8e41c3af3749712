/* json_out.c - pretty JSON on stdout for --json. */
#include <string.h>

#include "cli/cli.h"

static void indent(const json_out *j)
{
    for (int i = 0; i < j->depth; i++)
        fputs("  ", stdout);
}

static void quoted(const char *s)
{
    putchar('"');
    for (const unsigned char *p = (const unsigned char *)s; *p; p++) {
        if (*p == '"' || *p == '\\')
            printf("\\%c", *p);
        else if (*p == '\n')
            fputs("\\n", stdout);
        else if (*p < 0x20)
            printf("\\u%04x", *p);
        else
            putchar(*p);
    }
    putchar('"');
}

static void item(json_out *j, const char *name)
{
    if (j->comma[j->depth])
        putchar(',');
    if (j->depth)
        putchar('\n');
    j->comma[j->depth] = true;
    indent(j);
    if (name) {
        quoted(name);
        fputs(": ", stdout);
    }
}

static void open_with(json_out *j, const char *name, char bracket)
{
    item(j, name);
    putchar(bracket);
    if (j->depth < 31)
        j->depth++;
    j->comma[j->depth] = false;
}

static void close_with(json_out *j, char bracket)
{
    const bool any = j->comma[j->depth];

    j->depth--;
    if (any) {
        putchar('\n');
        indent(j);
    }
    putchar(bracket);
}

void json_begin(json_out *j)
{
    memset(j, 0, sizeof *j);
    open_with(j, NULL, '{');
}

void json_end(json_out *j)
{
    close_with(j, '}');
    putchar('\n');
}

void json_open_object(json_out *j, const char *name)
{
    open_with(j, name, '{');
}

void json_close_object(json_out *j)
{
    close_with(j, '}');
}

void json_open_array(json_out *j, const char *name)
{
    open_with(j, name, '[');
}

void json_close_array(json_out *j)
{
    close_with(j, ']');
}

void json_text(json_out *j, const char *name, const char *value)
{
    item(j, name);
    if (value)
        quoted(value);
    else
        fputs("null", stdout);
}

void json_text_or_null(json_out *j, const char *name, const char *value)
{
    json_text(j, name, value && *value ? value : NULL);
}

void json_u64(json_out *j, const char *name, uint64_t v)
{
    item(j, name);
    printf("%llu", (unsigned long long)v);
}

void json_i64(json_out *j, const char *name, int64_t v)
{
    item(j, name);
    printf("%lld", (long long)v);
}

void json_bool(json_out *j, const char *name, bool v)
{
    item(j, name);
    fputs(v ? "true" : "false", stdout);
}

void json_raw(json_out *j, const char *name, const char *json)
{
    item(j, name);
    fputs(json && *json ? json : "null", stdout);
}
