/* path.c - joining paths, and the absolute form of what a user typed. */
#include "io/objstore.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/ids.h"
#include "io/io_priv.h"

#define TEMPORARY ".tmp-"

ia_status ia_path_join(ia_ctx *cx, char **out, ...)
{
    ia_buf b = {0};
    va_list ap;
    const char *part;

    va_start(ap, out);
    while ((part = va_arg(ap, const char *)) != NULL) {
        if (part[0] == 0)
            continue;
        if (b.len > 0 && b.data[b.len - 1] != '/')
            ia_buf_putc(cx, &b, '/');
        ia_buf_puts(cx, &b, b.len > 0 && part[0] == '/' ? part + 1 : part);
    }
    va_end(ap);
    return ia_buf_finish_str(cx, &b, out);
}

const char *ia_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool ia_name_is_temporary(const char *name)
{
    if (strncmp(name, TEMPORARY, sizeof TEMPORARY - 1) == 0)
        return true;
    const char *mark = strrchr(name, '#');
    return mark && mark[1] != 0 && strspn(mark + 1, "0123456789") == strlen(mark + 1);
}

ia_status ia_path_temporary(ia_ctx *cx, const char *path, char **out)
{
    uint8_t random[12];
    char hex[2 * sizeof random + 1];

    *out = NULL;
    IA_TRY(ia_random(cx, random, sizeof random));
    ia_hex(random, sizeof random, hex);
    *out = ia_sprintf(cx, "%.*s" TEMPORARY "%s", (int)(ia_path_base(path) - path), path, hex);
    return *out ? IA_OK : cx->err.code;
}

/* Length of "scheme" when the text starts with scheme://, else 0. */
static size_t scheme_len(const char *s)
{
    size_t n = 0;
    if (!isalpha((unsigned char)s[0]))
        return 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '+' || s[n] == '-' || s[n] == '.')
        n++;
    return strncmp(s + n, "://", 3) == 0 ? n : 0;
}

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef";
    const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* The path of a file:// URI, percent escapes undone. */
static ia_status file_uri(ia_ctx *cx, const char *uri, const char *rest, ia_buf *out)
{
    if (strncmp(rest, "localhost/", 10) == 0)
        rest += 9;
    if (rest[0] != '/')
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "'%s' names another host; write file:///path", uri);
    for (; *rest; rest++) {
        if (*rest != '%') {
            ia_buf_putc(cx, out, *rest);
            continue;
        }
        const int hi = hex_digit(rest[1]), lo = hi < 0 ? -1 : hex_digit(rest[2]);
        if (lo < 0 || (hi == 0 && lo == 0))
            return ia_fail(cx, IA_ERR_INVALID, "'%s' has a bad percent escape", uri);
        ia_buf_putc(cx, out, (char)(hi << 4 | lo));
        rest += 2;
    }
    return ia_buf_status(out);
}

/* An absolute spelling, not yet normalised. */
static ia_status make_absolute(ia_ctx *cx, const char *user, char *scratch, ia_buf *out)
{
    const size_t scheme = scheme_len(user);

    if (user[0] == 0)
        return ia_fail(cx, IA_ERR_INVALID, "a path is empty");
    if (scheme == 4 && strncmp(user, "file", 4) == 0)
        return file_uri(cx, user, user + 7, out);
    if (scheme > 0)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "'%s': stores of the scheme '%.*s' are not supported; use a local path",
                       user, (int)scheme, user);
    if (user[0] != '/') {
        if (!getcwd(scratch, PATH_MAX))
            return ia_fail(cx, IA_ERR_IO, "the working directory cannot be read: %s",
                           strerror(errno));
        ia_buf_puts(cx, out, scratch);
        ia_buf_putc(cx, out, '/');
    }
    ia_buf_puts(cx, out, user);
    return ia_buf_status(out);
}

/* Appends the parts of `rest` to the normalised path in b, undoing "." and "..". */
static void append_parts(ia_ctx *cx, ia_buf *b, const char *rest)
{
    while (*rest) {
        const size_t n = strcspn(rest, "/");
        if (n == 2 && rest[0] == '.' && rest[1] == '.') {
            while (b->len > 0 && b->data[b->len - 1] != '/')
                b->len--;
            if (b->len > 0)
                b->len--;
        } else if (n > 0 && !(n == 1 && rest[0] == '.')) {
            ia_buf_putc(cx, b, '/');
            ia_buf_put(cx, b, rest, n);
        }
        rest += n + (rest[n] == '/');
    }
}

/* Resolves the longest existing part of `full` and adds the rest to it by name only. */
static ia_status resolve(ia_ctx *cx, char *full, char *scratch, ia_buf *out)
{
    size_t cut = strlen(full);

    for (;;) {
        const char kept = full[cut];
        full[cut] = 0;
        const char *real = realpath(cut > 0 ? full : "/", scratch);
        const int err = errno;
        full[cut] = kept;
        if (real)
            break;
        if (cut == 0 || (err != ENOENT && err != ENOTDIR && err != EACCES))
            return ia_fail(cx, IA_ERR_IO, "%s cannot be resolved: %s", full, strerror(err));
        while (cut > 0 && full[cut - 1] == '/')
            cut--;
        while (cut > 0 && full[cut - 1] != '/')
            cut--;
        while (cut > 0 && full[cut - 1] == '/')
            cut--;
    }
    if (strcmp(scratch, "/") != 0)
        ia_buf_puts(cx, out, scratch);
    append_parts(cx, out, full + cut);
    if (out->len == 0)
        ia_buf_putc(cx, out, '/');
    return ia_buf_status(out);
}

ia_status ia_path_absolute(ia_ctx *cx, const char *user, char **out)
{
    ia_buf full = {0}, result = {0};
    char *scratch = NULL;
    ia_status st;

    *out = NULL;
    scratch = ia_alloc(cx, PATH_MAX);
    if (!scratch)
        IA_GO(cx->err.code);
    IA_GO(make_absolute(cx, user, scratch, &full));
    IA_GO(resolve(cx, (char *)full.data, scratch, &result));
    result.data[result.len] = 0; /* ".." may have shortened it */
    IA_GO(ia_buf_finish_str(cx, &result, out));
done:
    ia_free(scratch);
    ia_buf_dispose(&full);
    ia_buf_dispose(&result);
    return st;
}
