/* pattern.c - the regular expressions of @check: compiled once, searched on every write. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "lang/schema/schema_priv.h"

#include <stdio.h>

#define STEP_LIMIT 1000000u /* matching steps for one value */
#define HEAP_LIMIT_KIB 8192u

static void *take(PCRE2_SIZE n, void *cx)
{
    return ia_alloc(cx, n);
}
static void give(void *p, void *cx)
{
    (void)cx;
    ia_free(p);
}

/* Constructs whose cost or meaning differs between engines are refused, so that a schema means the
 * same everywhere: back-references and look-around. */
static const char *refused_construct(const char *p)
{
    bool in_class = false;

    for (; *p; p++) {
        if (*p == '\\') {
            if (!in_class && ((p[1] >= '1' && p[1] <= '9') || p[1] == 'k' || p[1] == 'g'))
                return "back-references are not supported";
            if (p[1])
                p++;
        } else if (in_class) {
            in_class = *p != ']';
        } else if (*p == '[') {
            in_class = true;
            if (p[1] == '^')
                p++;
            if (p[1] == ']')
                p++;
        } else if (*p == '(' && p[1] == '*') {
            return "verbs `(*...)` are not supported";
        } else if (*p == '(' && p[1] == '?') {
            if (p[2] == '=' || p[2] == '!' || (p[2] == '<' && (p[3] == '=' || p[3] == '!')))
                return "look-around is not supported";
            if (p[2] == 'R' || p[2] == '&' || p[2] == '(' || p[2] == 'C' || p[2] == '|' ||
                p[2] == '+' || (p[2] == 'P' && p[3] != '<') || (p[2] >= '0' && p[2] <= '9') ||
                (p[2] == '-' && p[3] >= '0' && p[3] <= '9'))
                return "recursion, conditions and callouts are not supported";
        }
    }
    return NULL;
}

static ia_status compile_in(ia_ctx *cx, pcre2_compile_context *cc, const char *pattern, void **code,
                            char *why, size_t n_why)
{
    int number = 0;
    PCRE2_SIZE at = 0;
    PCRE2_UCHAR text[120];

    pcre2_set_parens_nest_limit(cc, 60);
    pcre2_set_max_pattern_length(cc, 1u << 16);
    *code = pcre2_compile((PCRE2_SPTR)pattern, strlen(pattern),
                          PCRE2_UTF | PCRE2_UCP | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C,
                          &number, &at, cc);
    if (*code)
        return IA_OK;
    if (number == PCRE2_ERROR_HEAP_FAILED) /* our allocator has recorded why */
        return cx->err.code != IA_OK ? cx->err.code
                                     : ia_fail(cx, IA_ERR_NO_MEMORY, "no memory for a pattern");
    if (pcre2_get_error_message(number, text, sizeof text) < 0)
        snprintf((char *)text, sizeof text, "not a regular expression");
    snprintf(why, n_why, "%s (at character %zu)", (const char *)text, (size_t)at + 1);
    return IA_ERR_INVALID;
}

ia_status ia_pattern_compile(ia_ctx *cx, const char *pattern, void **code, char *why, size_t n_why)
{
    pcre2_general_context *gc = NULL;
    pcre2_compile_context *cc = NULL;
    const char *refused = refused_construct(pattern);
    ia_status st;

    *code = NULL;
    why[0] = 0;
    if (refused) {
        snprintf(why, n_why, "%s", refused);
        return IA_ERR_INVALID;
    }
    IA_GO(IA_SET(cx, gc, pcre2_general_context_create(take, give, cx)));
    IA_GO(IA_SET(cx, cc, pcre2_compile_context_create(gc)));
    IA_GO(compile_in(cx, cc, pattern, code, why, n_why));
done:
    pcre2_compile_context_free(cc);
    pcre2_general_context_free(gc);
    return st;
}

void ia_pattern_free(void *code)
{
    pcre2_code_free(code);
}

static ia_status search(ia_ctx *cx, const ia_check_def *check, ia_view value, pcre2_match_data *md,
                        pcre2_match_context *mc, bool *out)
{
    int rc;

    pcre2_set_match_limit(mc, STEP_LIMIT);
    pcre2_set_heap_limit(mc, HEAP_LIMIT_KIB);
    rc = pcre2_match(check->code, (PCRE2_SPTR)(value.data ? value.data : ""), value.len, 0, 0, md,
                     mc);
    if (rc >= 0 || rc == PCRE2_ERROR_NOMATCH) {
        *out = rc >= 0;
        return IA_OK;
    }
    if (rc == PCRE2_ERROR_NOMEMORY)
        return cx->err.code != IA_OK
                   ? cx->err.code
                   : ia_fail(cx, IA_ERR_NO_MEMORY, "no memory for matching a pattern");
    if (rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_DEPTHLIMIT || rc == PCRE2_ERROR_HEAPLIMIT)
        return ia_fail(cx, IA_ERR_INVALID,
                       "pattern '%.100s' takes too many steps on a value of %zu bytes; simplify it",
                       check->pattern, value.len);
    return ia_fail(cx, IA_ERR_INVALID,
                   "pattern '%.100s' cannot be searched in this value (it is not UTF-8)",
                   check->pattern);
}

ia_status ia_check_matches(ia_ctx *cx, const ia_check_def *check, ia_view value, bool *out)
{
    pcre2_general_context *gc = NULL;
    pcre2_match_data *md = NULL;
    pcre2_match_context *mc = NULL;
    ia_status st;

    *out = false;
    IA_GO(IA_SET(cx, gc, pcre2_general_context_create(take, give, cx)));
    IA_GO(IA_SET(cx, md, pcre2_match_data_create(1, gc)));
    IA_GO(IA_SET(cx, mc, pcre2_match_context_create(gc)));
    IA_GO(search(cx, check, value, md, mc, out));
done:
    pcre2_match_context_free(mc);
    pcre2_match_data_free(md);
    pcre2_general_context_free(gc);
    return st;
}
