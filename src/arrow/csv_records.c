/* csv_records.c - records of RFC 4180 text, and the types that cells allow. */
#include "arrow/csv_priv.h"
#include "base/ids.h"

typedef enum scan_result { SCAN_DONE, SCAN_MORE, SCAN_OPEN_QUOTE, SCAN_AFTER_QUOTE } scan_result;

/* One scan over the window: everything starts anew when more bytes are needed. */
typedef struct scan {
    ia_ctx *cx;
    ia_csv_records *r;
    const uint8_t *p;
    size_t n, i;
    bool eof;
    uint64_t line;
    size_t line_start;
} scan;

static void put_run(scan *s, size_t from)
{
    ia_buf_put(s->cx, &s->r->bytes, s->p + from, s->i - from);
}

static scan_result quoted_cell(scan *s)
{
    size_t from = ++s->i;

    for (; s->i < s->n; s->i++) {
        if (s->p[s->i] == '\n') {
            s->line++;
            s->line_start = s->i + 1;
        }
        if (s->p[s->i] != '"')
            continue;
        if (s->i + 1 == s->n && !s->eof)
            return SCAN_MORE;
        put_run(s, from);
        if (s->i + 1 == s->n || s->p[s->i + 1] != '"') {
            s->i++;
            return SCAN_DONE;
        }
        from = ++s->i; /* the second quote is part of the text */
    }
    return s->eof ? SCAN_OPEN_QUOTE : SCAN_MORE;
}

/* LF, CRLF, or a CR that ends the text; 0 = no line end here. */
static size_t line_end(const scan *s)
{
    if (s->p[s->i] == '\n')
        return 1;
    if (s->p[s->i] != '\r')
        return 0;
    if (s->i + 1 == s->n)
        return 1;
    return s->p[s->i + 1] == '\n' ? 2 : 0;
}

static void plain_cell(scan *s)
{
    const size_t from = s->i;

    while (s->i < s->n && s->p[s->i] != (uint8_t)s->r->delimiter && line_end(s) == 0)
        s->i++;
    put_run(s, from);
}

static scan_result scan_record(scan *s)
{
    ia_csv_records *r = s->r;

    for (;;) {
        scan_result got = SCAN_DONE;
        ia_csv_cell *c;

        r->bytes.failed = IA_GROW(s->cx, r->cells, r->cap, r->n + 1);
        if (r->bytes.failed != IA_OK)
            return SCAN_DONE;
        c = &r->cells[r->n++];
        *c = (ia_csv_cell){.at = r->bytes.len, .line = s->line, .col = s->i - s->line_start + 1};
        c->quoted = s->i < s->n && s->p[s->i] == '"';
        if (c->quoted)
            got = quoted_cell(s);
        else
            plain_cell(s);
        c->len = r->bytes.len - c->at;
        if (got != SCAN_DONE)
            return got;
        if (s->i == s->n || (s->p[s->i] == '\r' && s->i + 1 == s->n && !s->eof))
            return s->eof ? SCAN_DONE : SCAN_MORE;
        if (line_end(s) > 0) {
            s->i += line_end(s);
            s->line++;
            return SCAN_DONE;
        }
        if (s->p[s->i] != (uint8_t)r->delimiter)
            return SCAN_AFTER_QUOTE;
        s->i++;
    }
}

ia_status ia_csv_next(ia_ctx *cx, ia_csv_records *r, bool *end)
{
    ia_text *t = &r->text;

    *end = false;
    for (;;) {
        scan s = {.cx = cx, .r = r, .line = r->line, .eof = t->eof};
        scan_result got = SCAN_MORE;

        s.p = t->buf.data ? t->buf.data + t->at : NULL;
        s.n = t->buf.len - t->at;
        r->n = 0;
        ia_buf_clear(&r->bytes);
        *end = s.n == 0 && t->eof;
        if (*end)
            return IA_OK;
        if (s.n > 0)
            got = scan_record(&s);
        IA_TRY(ia_buf_status(&r->bytes));
        if (got == SCAN_DONE) {
            t->at += s.i;
            r->line = s.line;
            return IA_OK;
        }
        if (got != SCAN_MORE)
            return ia_fail(cx, IA_ERR_INVALID, "%s:%llu:%llu: %s", r->name,
                           (unsigned long long)r->cells[r->n - 1].line,
                           (unsigned long long)r->cells[r->n - 1].col,
                           got == SCAN_OPEN_QUOTE ? "a quoted field does not end"
                                                  : "text follows the closing quote of a field");
        IA_TRY(ia_text_more(cx, t));
    }
}

void ia_csv_records_dispose(ia_csv_records *r)
{
    ia_text_dispose(&r->text);
    ia_buf_dispose(&r->bytes);
    ia_free(r->cells);
    r->cells = NULL;
}

/* ---- types --------------------------------------------------------------------------------- */

enum {
    ALLOW_BOOL = 1,
    ALLOW_INT = 2,
    ALLOW_FLOAT = 4,
    ALLOW_DATE = 8,
    ALLOW_ZONED = 16,
    ALLOW_LOCAL = 32
};

/* Numbers do not start with a needless 0: those are codes. */
static bool is_number(ia_view v, bool *whole)
{
    const size_t sign = v.len > 0 && v.data[0] == '-' ? 1 : 0;
    double d;
    size_t i;

    if (v.len > sign + 1 && v.data[sign] == '0' && v.data[sign + 1] >= '0' &&
        v.data[sign + 1] <= '9')
        return false;
    *whole = v.len > sign;
    for (i = sign; i < v.len; i++)
        *whole = *whole && v.data[i] >= '0' && v.data[i] <= '9';
    if (ia_view_eq_str(v, "NaN") || ia_view_eq_str(v, "Infinity") || ia_view_eq_str(v, "-Infinity"))
        return true;
    return ia_double_parse(v.data, v.len, &d) && d - d == 0;
}

static bool fits_i64(ia_view v)
{
    const size_t sign = v.data[0] == '-' ? 1 : 0, n = v.len - sign;

    return n < 19 ||
           (n == 19 &&
            memcmp(v.data + sign, sign ? "9223372036854775808" : "9223372036854775807", 19) <= 0);
}

static bool has_offset(ia_view v)
{
    size_t i;

    for (i = 11; i < v.len; i++)
        if (v.data[i] == 'Z' || v.data[i] == 'z' || v.data[i] == '+' || v.data[i] == '-')
            return true;
    return false;
}

unsigned ia_csv_narrow(unsigned allowed, ia_view v, bool quoted)
{
    bool whole = false;
    unsigned fits = 0;
    int32_t days;
    int64_t us;

    if (v.len == 0)
        return quoted ? 0 : allowed;
    if (ia_view_eq_str(v, "true") || ia_view_eq_str(v, "false") || ia_view_eq_str(v, "True") ||
        ia_view_eq_str(v, "False") || ia_view_eq_str(v, "TRUE") || ia_view_eq_str(v, "FALSE"))
        fits = ALLOW_BOOL;
    else if ((allowed & (ALLOW_INT | ALLOW_FLOAT)) && is_number(v, &whole))
        fits = ALLOW_FLOAT | (whole && fits_i64(v) ? ALLOW_INT : 0);
    else if ((allowed & ALLOW_DATE) && ia_date_parse(v.data, v.len, &days))
        fits = ALLOW_DATE;
    else if (v.len > 10 && (allowed & (ALLOW_ZONED | ALLOW_LOCAL)) &&
             ia_text_instant(v, IA_UNIT_US, &us))
        fits = has_offset(v) ? ALLOW_ZONED : ALLOW_LOCAL;
    return allowed & fits;
}

ia_status ia_csv_type(ia_ctx *cx, unsigned allowed, bool seen, ia_type **out)
{
    if (!seen)
        allowed = 0;
    if (allowed & ALLOW_ZONED)
        return ia_type_time(cx, IA_TYPE_TIMESTAMP, IA_UNIT_US, "UTC", out);
    *out = allowed & ALLOW_BOOL    ? ia_type_basic(IA_TYPE_BOOL)
           : allowed & ALLOW_INT   ? ia_type_basic(IA_TYPE_I64)
           : allowed & ALLOW_FLOAT ? ia_type_basic(IA_TYPE_F64)
           : allowed & ALLOW_DATE  ? ia_type_basic(IA_TYPE_DATE32)
           : allowed & ALLOW_LOCAL ? ia_type_time_basic(IA_TYPE_TIMESTAMP, IA_UNIT_US)
                                   : ia_type_basic(IA_TYPE_STRING);
    return IA_OK;
}
