/* csv_priv.h - records of CSV text and the types their cells allow. */
#ifndef IA_ARROW_CSV_PRIV_H
#define IA_ARROW_CSV_PRIV_H

#include "arrow/csv.h"
#include "arrow/text_priv.h"

typedef struct ia_csv_cell {
    size_t at, len; /* in `bytes` */
    bool quoted;
    uint64_t line, col; /* where it begins; from 1, columns in bytes */
} ia_csv_cell;

/* One record at a time. */
typedef struct ia_csv_records {
    ia_text text;
    char delimiter;
    const char *name; /* for messages; borrowed */
    uint64_t line;    /* of the next record */
    ia_csv_cell *cells;
    size_t n, cap;
    ia_buf bytes; /* the cells without quotes */
} ia_csv_records;

/* The next record into cells; *end at the end. Errors: INVALID with line and column. */
ia_status ia_csv_next(ia_ctx *cx, ia_csv_records *r, bool *end) IA_MUST_CHECK;
void ia_csv_records_dispose(ia_csv_records *r);
static inline bool ia_csv_blank(const ia_csv_records *r)
{
    return r->n == 1 && r->cells[0].len == 0 && !r->cells[0].quoted;
}
static inline ia_view ia_csv_text(const ia_csv_records *r, size_t k)
{
    const ia_view v = {r->bytes.data ? (const char *)r->bytes.data + r->cells[k].at : "",
                       r->cells[k].len};

    return v;
}

/* Types that a column's cells so far allow; start with IA_CSV_ANY. */
enum { IA_CSV_ANY = 63 };
unsigned ia_csv_narrow(unsigned allowed, ia_view v, bool quoted);
/* The first of bool, int64, float64, date32, timestamp that is allowed, else string. */
ia_status ia_csv_type(ia_ctx *cx, unsigned allowed, bool seen, ia_type **out) IA_MUST_CHECK;

#endif
