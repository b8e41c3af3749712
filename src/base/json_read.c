/* json_read.c - the JSON reader: one pass over the text into a tree that owns all its bytes. */
#include "base/json.h"

/* The tree is one block (root, string bytes) plus an arena of item arrays. A string takes no more
 * bytes than its spelling, so all of them fit into a pool as long as the text; numbers that need
 * strtod() borrow its free end. While an array or object is open its items wait on a stack; when it
 * closes they are copied to the arena. Objects of more than SMALL members also get an index of
 * pointers sorted by name, right after the members, for duplicates and look-ups. */

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/number_priv.h"

#define MAX_DEPTH 64
#define SMALL 12

#define ONES UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

struct ia_json {
    const char *name; /* member name, 0-terminated; NULL for array items and the root */
    union {
        int64_t i;            /* IA_JSON_INT */
        uint64_t u;           /* IA_JSON_REAL with is_u64 */
        double f;             /* IA_JSON_REAL */
        const char *s;        /* IA_JSON_STRING, 0-terminated */
        const ia_json *items; /* IA_JSON_ARRAY, IA_JSON_OBJECT */
    } v;
    size_t len; /* string bytes, items or members */
    uint32_t name_len;
    uint8_t kind; /* ia_json_kind */
    bool is_u64;  /* an integer above INT64_MAX */
};

typedef struct tree {
    ia_json root; /* first, so that the root is the tree */
    ia_arena arena;
    char pool[];
} tree;

typedef struct parser {
    ia_ctx *cx;
    const char *text, *at, *end;
    tree *t;
    char *out;      /* next free byte of the pool */
    ia_json *stack; /* items of all open arrays and objects */
    size_t n, cap;
    int depth;
} parser;

/* Fails at position `where`, told as line and column (characters, from 1). */
static ia_status bad(const parser *p, const char *where, const char *what)
{
    size_t line = 1, column = 1;
    for (const char *c = p->text; c < where; c++) {
        if (*c == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)*c & 0xC0) != 0x80) {
            column++;
        }
    }
    return ia_fail(p->cx, IA_ERR_INVALID, "JSON line %zu column %zu: %s", line, column, what);
}

static void skip_space(parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\r' || *p->at == '\t'))
        p->at++;
}

static uint64_t zero_bytes(uint64_t w)
{
    return (w - ONES) & ~w & HIGHS; /* the lowest marked byte is exact */
}

/* Copies bytes up to the next quote, backslash or control byte; *high gathers the top bits. */
static void copy_plain(parser *p, uint64_t *high)
{
    const char *at = p->at;
    char *out = p->out;

    while (p->end - at >= 8) {
        const uint64_t w = ia_le64((const uint8_t *)at);
        const uint64_t stop = zero_bytes(w ^ ONES * '"') | zero_bytes(w ^ ONES * '\\') |
                              ((w - ONES * 0x20) & ~w & HIGHS);
        memcpy(out, at, 8);
        if (stop != 0) {
            const unsigned k = (unsigned)__builtin_ctzll(stop) / 8;
            if (k > 0)
                *high |= w << (64 - 8 * k);
            p->at = at + k;
            p->out = out + k;
            return;
        }
        *high |= w;
        at += 8;
        out += 8;
    }
    while (at < p->end && *at != '"' && *at != '\\' && (unsigned char)*at >= 0x20) {
        *high |= (uint64_t)((unsigned char)*at & 0x80);
        *out++ = *at++;
    }
    p->at = at;
    p->out = out;
}

static bool hex4(parser *p, uint32_t *out)
{
    uint32_t v = 0;
    if (p->end - p->at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        const char c = p->at[i];
        if (c >= '0' && c <= '9')
            v = v << 4 | (uint32_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            v = v << 4 | (uint32_t)(c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            v = v << 4 | (uint32_t)(c - 'A' + 10);
        else
            return false;
    }
    p->at += 4;
    *out = v;
    return true;
}

static void put_utf8(parser *p, uint32_t c)
{
    char *o = p->out;
    if (c < 0x80) {
        *o++ = (char)c;
    } else if (c < 0x800) {
        *o++ = (char)(0xC0 | c >> 6);
        *o++ = (char)(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        *o++ = (char)(0xE0 | c >> 12);
        *o++ = (char)(0x80 | (c >> 6 & 0x3F));
        *o++ = (char)(0x80 | (c & 0x3F));
    } else {
        *o++ = (char)(0xF0 | c >> 18);
        *o++ = (char)(0x80 | (c >> 12 & 0x3F));
        *o++ = (char)(0x80 | (c >> 6 & 0x3F));
        *o++ = (char)(0x80 | (c & 0x3F));
    }
    p->out = o;
}

/* \uXXXX, after the u. */
static ia_status unicode_escape(parser *p, const char *start)
{
    uint32_t c, low;
    if (!hex4(p, &c))
        return bad(p, start, "\\u needs four hex digits");
    if (c >= 0xDC00 && c <= 0xDFFF)
        return bad(p, start, "a low surrogate stands alone");
    if (c >= 0xD800 && c <= 0xDBFF) {
        if (p->end - p->at < 2 || p->at[0] != '\\' || p->at[1] != 'u')
            return bad(p, start, "a high surrogate stands alone");
        p->at += 2;
        if (!hex4(p, &low) || low < 0xDC00 || low > 0xDFFF)
            return bad(p, start, "a high surrogate stands alone");
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    }
    put_utf8(p, c);
    return IA_OK;
}

static ia_status escape(parser *p)
{
    const char *start = p->at++;
    if (p->at == p->end)
        return bad(p, start, "the text ends inside a string");
    const char c = *p->at++;
    switch (c) {
    case '"':
    case '\\':
    case '/':
        *p->out++ = c;
        return IA_OK;
    case 'b':
        *p->out++ = '\b';
        return IA_OK;
    case 'f':
        *p->out++ = '\f';
        return IA_OK;
    case 'n':
        *p->out++ = '\n';
        return IA_OK;
    case 'r':
        *p->out++ = '\r';
        return IA_OK;
    case 't':
        *p->out++ = '\t';
        return IA_OK;
    case 'u':
        return unicode_escape(p, start);
    default:
        return bad(p, start, "unknown escape in a string");
    }
}

/* At the opening quote. */
static ia_status parse_string(parser *p, const char **out, size_t *len)
{
    const char *open = p->at++;
    char *start = p->out;
    uint64_t high = 0;

    for (;;) {
        copy_plain(p, &high);
        if (p->at == p->end)
            return bad(p, open, "a string is not closed");
        if (*p->at == '"')
            break;
        if (*p->at != '\\')
            return bad(p, p->at, "a control character stands in a string");
        IA_TRY(escape(p));
    }
    *len = (size_t)(p->out - start);
    if ((high & HIGHS) != 0 && !ia_utf8_valid(start, *len, NULL)) {
        size_t at = 0; /* escapes are always well-formed, so the spelling has the bad byte */
        ia_utf8_valid(open, (size_t)(p->at - open), &at);
        return bad(p, open + at, "a string is not UTF-8");
    }
    *out = start;
    *p->out++ = 0;
    p->at++;
    return IA_OK;
}

/* A number as read: mantissa x 10^exp10 when `exact`, else only the spelling counts. */
typedef struct number {
    const char *start;
    uint64_t mantissa;
    int64_t exp10;
    bool minus, exact, integer;
} number;

static bool is_digit(const parser *p)
{
    return p->at < p->end && *p->at >= '0' && *p->at <= '9';
}

static void mantissa_digit(number *n, char c)
{
    if (__builtin_mul_overflow(n->mantissa, 10u, &n->mantissa) ||
        __builtin_add_overflow(n->mantissa, (uint64_t)(c - '0'), &n->mantissa))
        n->exact = false;
}

static ia_status scan_exponent(parser *p, number *n)
{
    int64_t e = 0;
    bool minus = false;

    p->at++;
    n->integer = false;
    if (p->at < p->end && (*p->at == '+' || *p->at == '-'))
        minus = *p->at++ == '-';
    if (!is_digit(p))
        return bad(p, n->start, "a number has an exponent without digits");
    for (; is_digit(p); p->at++)
        if (e < 100000)
            e = e * 10 + (*p->at - '0');
    n->exp10 += minus ? -e : e;
    return IA_OK;
}

static ia_status scan_number(parser *p, number *n)
{
    *n = (number){.start = p->at, .exact = true, .integer = true};
    if (*p->at == '-') {
        n->minus = true;
        p->at++;
    }
    if (!is_digit(p))
        return bad(p, n->start, "a number has no digits");
    if (*p->at == '0') {
        p->at++;
        if (is_digit(p))
            return bad(p, n->start, "a number has a leading zero");
    }
    for (; is_digit(p); p->at++)
        mantissa_digit(n, *p->at);
    if (p->at < p->end && *p->at == '.') {
        p->at++;
        n->integer = false;
        if (!is_digit(p))
            return bad(p, n->start, "a number ends in a point");
        for (; is_digit(p); p->at++, n->exp10--)
            mantissa_digit(n, *p->at);
    }
    if (p->at < p->end && (*p->at == 'e' || *p->at == 'E'))
        return scan_exponent(p, n);
    return IA_OK;
}

/* Mantissa and power of ten below are exact doubles, so one operation rounds correctly; everything
 * else goes through strtod(). */
static ia_status real_value(parser *p, const number *n, double *out)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (n->exact && n->mantissa <= UINT64_C(1) << 53 && n->exp10 >= -22 && n->exp10 <= 22) {
        double v = (double)n->mantissa;
        v = n->exp10 < 0 ? v / tens[-n->exp10] : v * tens[n->exp10];
        *out = n->minus ? -v : v;
        return IA_OK;
    }
    const size_t len = (size_t)(p->at - n->start);
    memcpy(p->out, n->start, len);
    p->out[len] = 0;
    *out = ia_text_to_double(p->out, NULL);
    if (!isfinite(*out))
        return bad(p, n->start, "a number is too large for a double");
    return IA_OK;
}

static ia_status parse_number(parser *p, ia_json *v)
{
    number n;

    IA_TRY(scan_number(p, &n));
    if (n.integer && n.exact) {
        const uint64_t most = (uint64_t)INT64_MAX + n.minus;
        if (n.mantissa <= most) {
            v->kind = IA_JSON_INT;
            v->v.i = n.minus ? (int64_t)(0 - n.mantissa) : (int64_t)n.mantissa;
            return IA_OK;
        }
        if (!n.minus) {
            v->kind = IA_JSON_REAL;
            v->is_u64 = true;
            v->v.u = n.mantissa;
            return IA_OK;
        }
    }
    v->kind = IA_JSON_REAL;
    return real_value(p, &n, &v->v.f);
}

static ia_status parse_word(parser *p, const char *word, ia_json_kind kind, ia_json *v)
{
    const size_t len = strlen(word);
    if ((size_t)(p->end - p->at) < len || memcmp(p->at, word, len) != 0)
        return bad(p, p->at, "expected a JSON value");
    p->at += len;
    v->kind = (uint8_t)kind;
    return IA_OK;
}

static int name_cmp(const char *a, size_t a_len, const char *b, size_t b_len)
{
    if (a_len != b_len)
        return a_len < b_len ? -1 : 1;
    return memcmp(a, b, a_len);
}

static int by_name(const void *a, const void *b)
{
    const ia_json *x = *(const ia_json *const *)a, *y = *(const ia_json *const *)b;
    return name_cmp(x->name, x->name_len, y->name, y->name_len);
}

static const ia_json **index_of(const ia_json *items, size_t n)
{
    return (const ia_json **)(uintptr_t)(items + n);
}

static ia_status duplicate(const parser *p, const char *open, const ia_json *member)
{
    char text[120];
    const size_t n = member->name_len < 60 ? member->name_len : 60;
    memcpy(text, "an object has a member twice: \"", 31);
    memcpy(text + 31, member->name, n);
    memcpy(text + 31 + n, "\"", 2);
    return bad(p, open, text);
}

static ia_status check_members(const parser *p, const char *open, ia_json *items, size_t n)
{
    if (n <= SMALL) {
        for (size_t i = 1; i < n; i++)
            for (size_t k = 0; k < i; k++)
                if (items[i].name_len == items[k].name_len &&
                    memcmp(items[i].name, items[k].name, items[i].name_len) == 0)
                    return duplicate(p, open, &items[i]);
        return IA_OK;
    }
    const ia_json **index = index_of(items, n);
    for (size_t i = 0; i < n; i++)
        index[i] = &items[i];
    qsort(index, n, sizeof *index, by_name);
    for (size_t i = 1; i < n; i++)
        if (by_name(&index[i - 1], &index[i]) == 0)
            return duplicate(p, open, index[i]);
    return IA_OK;
}

/* Moves the items from `base` on from the stack into the tree. */
static ia_status close_items(parser *p, size_t base, const char *open, ia_json_kind kind,
                             ia_json *v)
{
    const size_t n = p->n - base;
    const bool object = kind == IA_JSON_OBJECT;
    size_t size = sizeof(ia_json);
    ia_json *items = NULL;

    if (object && n > SMALL)
        size += sizeof(ia_json *);
    if (n > 0) {
        items = ia_arena_calloc(p->cx, &p->t->arena, n, size);
        if (!items)
            return p->cx->err.code;
        memcpy(items, p->stack + base, n * sizeof *items);
        if (object)
            IA_TRY(check_members(p, open, items, n));
    }
    p->n = base;
    p->depth--;
    p->at++;
    v->kind = (uint8_t)kind;
    v->v.items = items;
    v->len = n;
    return IA_OK;
}

static ia_status parse_value(parser *p, ia_json *v); /* recursion, bounded by MAX_DEPTH */

static ia_status open_items(parser *p)
{
    if (++p->depth > MAX_DEPTH)
        return bad(p, p->at, "arrays and objects are nested more than 64 deep");
    p->at++;
    skip_space(p);
    return IA_OK;
}

static ia_status push(parser *p, const ia_json *v)
{
    if (p->n == p->cap)
        IA_TRY(IA_GROW(p->cx, p->stack, p->cap, p->cap == 0 ? 32 : p->n + 1));
    p->stack[p->n++] = *v;
    return IA_OK;
}

/* After an item: true when a comma leads to another one. */
static ia_status more_items(parser *p, char close, bool *more)
{
    skip_space(p);
    *more = p->at < p->end && *p->at == ',';
    if (*more) {
        p->at++;
        skip_space(p);
        return IA_OK;
    }
    if (p->at < p->end && *p->at == close)
        return IA_OK;
    return bad(p, p->at,
               close == ']' ? "expected ',' or ']' in an array"
                            : "expected ',' or '}' in an object");
}

static ia_status parse_array(parser *p, ia_json *v)
{
    const char *open = p->at;
    const size_t base = p->n;

    IA_TRY(open_items(p));
    bool more = !(p->at < p->end && *p->at == ']');
    while (more) {
        ia_json item = {0};
        IA_TRY(parse_value(p, &item));
        IA_TRY(push(p, &item));
        IA_TRY(more_items(p, ']', &more));
    }
    return close_items(p, base, open, IA_JSON_ARRAY, v);
}

static ia_status parse_name(parser *p, ia_json *member)
{
    const char *start = p->at;
    size_t len;

    if (p->at == p->end || *p->at != '"')
        return bad(p, p->at, "expected a member name in quotes");
    IA_TRY(parse_string(p, &member->name, &len));
    if (len > UINT32_MAX || memchr(member->name, 0, len))
        return bad(p, start, "a member name is too long or holds a 0 character");
    member->name_len = (uint32_t)len;
    skip_space(p);
    if (p->at == p->end || *p->at != ':')
        return bad(p, p->at, "expected ':' after a member name");
    p->at++;
    skip_space(p);
    return IA_OK;
}

static ia_status parse_object(parser *p, ia_json *v)
{
    const char *open = p->at;
    const size_t base = p->n;

    IA_TRY(open_items(p));
    bool more = !(p->at < p->end && *p->at == '}');
    while (more) {
        ia_json member = {0};
        IA_TRY(parse_name(p, &member));
        IA_TRY(parse_value(p, &member));
        IA_TRY(push(p, &member));
        IA_TRY(more_items(p, '}', &more));
    }
    return close_items(p, base, open, IA_JSON_OBJECT, v);
}

static ia_status parse_value(parser *p, ia_json *v)
{
    if (p->at == p->end)
        return bad(p, p->at, "the text ends where a JSON value is expected");
    switch (*p->at) {
    case '{':
        return parse_object(p, v);
    case '[':
        return parse_array(p, v);
    case '"':
        v->kind = IA_JSON_STRING;
        return parse_string(p, &v->v.s, &v->len);
    case 't':
        return parse_word(p, "true", IA_JSON_TRUE, v);
    case 'f':
        return parse_word(p, "false", IA_JSON_FALSE, v);
    case 'n':
        return parse_word(p, "null", IA_JSON_NULL, v);
    default:
        break;
    }
    if (*p->at == '-' || is_digit(p))
        return parse_number(p, v);
    return bad(p, p->at, "expected a JSON value");
}

ia_status ia_json_parse(ia_ctx *cx, const char *text, size_t len, ia_json **out)
{
    parser p = {.cx = cx, .text = text, .at = text, .end = text + len};
    size_t size;
    ia_status st;

    *out = NULL;
    if (!ia_add_size(&size, len, sizeof(tree) + 1))
        return ia_fail(cx, IA_ERR_NO_MEMORY, "a JSON text of %zu bytes is too large", len);
    p.t = ia_alloc(cx, size);
    if (!p.t)
        return cx->err.code;
    memset(p.t, 0, sizeof *p.t);
    p.out = p.t->pool;
    if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        IA_GO(bad(&p, text, "the text starts with a byte order mark; remove it"));
    skip_space(&p);
    IA_GO(parse_value(&p, &p.t->root));
    skip_space(&p);
    if (p.at != p.end)
        IA_GO(bad(&p, p.at, "text follows the JSON value"));
    *out = &p.t->root;
    p.t = NULL;
done:
    ia_free(p.stack);
    if (p.t)
        ia_json_free(&p.t->root);
    return st;
}

void ia_json_free(ia_json *root)
{
    if (!root)
        return;
    tree *t = (tree *)root;
    ia_arena_dispose(&t->arena);
    ia_free(t);
}

ia_json_kind ia_json_type(const ia_json *v)
{
    return v ? (ia_json_kind)v->kind : IA_JSON_NULL;
}

bool ia_json_i64(const ia_json *v, int64_t *out)
{
    if (!v || v->kind != IA_JSON_INT)
        return false;
    *out = v->v.i;
    return true;
}

bool ia_json_u64(const ia_json *v, uint64_t *out)
{
    if (!v)
        return false;
    if (v->kind == IA_JSON_INT && v->v.i >= 0) {
        *out = (uint64_t)v->v.i;
        return true;
    }
    if (v->kind == IA_JSON_REAL && v->is_u64) {
        *out = v->v.u;
        return true;
    }
    return false;
}

bool ia_json_f64(const ia_json *v, double *out)
{
    if (!v || (v->kind != IA_JSON_INT && v->kind != IA_JSON_REAL))
        return false;
    if (v->kind == IA_JSON_INT)
        *out = (double)v->v.i;
    else
        *out = v->is_u64 ? (double)v->v.u : v->v.f;
    return true;
}

bool ia_json_bool(const ia_json *v, bool *out)
{
    if (!v || (v->kind != IA_JSON_TRUE && v->kind != IA_JSON_FALSE))
        return false;
    *out = v->kind == IA_JSON_TRUE;
    return true;
}

const char *ia_json_str(const ia_json *v, size_t *len)
{
    if (!v || v->kind != IA_JSON_STRING) {
        if (len)
            *len = 0;
        return NULL;
    }
    if (len)
        *len = v->len;
    return v->v.s;
}

size_t ia_json_len(const ia_json *v)
{
    return v && (v->kind == IA_JSON_ARRAY || v->kind == IA_JSON_OBJECT) ? v->len : 0;
}

const ia_json *ia_json_at(const ia_json *v, size_t i)
{
    return v && v->kind == IA_JSON_ARRAY && i < v->len ? &v->v.items[i] : NULL;
}

const ia_json *ia_json_get(const ia_json *v, const char *name)
{
    if (!v || v->kind != IA_JSON_OBJECT)
        return NULL;
    const size_t len = strlen(name);
    if (v->len <= SMALL) {
        for (size_t i = 0; i < v->len; i++)
            if (name_cmp(v->v.items[i].name, v->v.items[i].name_len, name, len) == 0)
                return &v->v.items[i];
        return NULL;
    }
    const ia_json **index = index_of(v->v.items, v->len);
    size_t lo = 0, hi = v->len;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        const int c = name_cmp(index[mid]->name, index[mid]->name_len, name, len);
        if (c == 0)
            return index[mid];
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

bool ia_json_next(const ia_json *v, size_t *it, const char **name, const ia_json **value)
{
    if (!v || v->kind != IA_JSON_OBJECT || *it >= v->len)
        return false;
    const ia_json *member = &v->v.items[(*it)++];
    if (name)
        *name = member->name;
    if (value)
        *value = member;
    return true;
}
