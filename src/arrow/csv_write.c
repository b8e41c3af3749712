/* csv_write.c - batches as RFC 4180 text. */
#include "arrow/arrow_priv.h"
#include "arrow/compute.h"
#include "arrow/csv.h"

/* A value that is not null; quoted where it would not read back as it is. */
static void put_text(ia_ctx *cx, ia_buf *out, const char *p, size_t n)
{
    size_t i, from = 0;
    /* Unquoted at the start of a text this would be taken for its mark. */
    bool plain = n > 0 && !(n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0);

    for (i = 0; i < n && plain; i++)
        plain = p[i] != ',' && p[i] != '"' && p[i] != '\n' && p[i] != '\r';
    if (plain) {
        ia_buf_put(cx, out, p, n);
        return;
    }
    ia_buf_putc(cx, out, '"');
    for (i = 0; i < n; i++)
        if (p[i] == '"') {
            ia_buf_put(cx, out, p + from, i + 1 - from);
            from = i;
        }
    ia_buf_put(cx, out, p + from, n - from);
    ia_buf_putc(cx, out, '"');
}

void ia_csv_write_header(ia_ctx *cx, ia_buf *out, const ia_schema *s)
{
    size_t k;

    for (k = 0; k < s->n_fields; k++) {
        if (k > 0)
            ia_buf_putc(cx, out, ',');
        put_text(cx, out, s->fields[k].name, strlen(s->fields[k].name));
    }
    ia_buf_putc(cx, out, '\n');
}

void ia_csv_write_batch(ia_ctx *cx, ia_buf *out, const ia_batch *b)
{
    ia_buf text = {0};
    int64_t r;
    size_t k;

    for (r = 0; r < b->rows && out->failed == IA_OK; r++) {
        for (k = 0; k < b->schema->n_fields; k++) {
            const ia_array *a = b->cols[k];
            int64_t i = r;

            if (k > 0)
                ia_buf_putc(cx, out, ',');
            if (!ia_array_resolve(&a, &i))
                continue;
            ia_buf_clear(&text);
            ia_value_text(cx, &text, a, i);
            if (text.failed != IA_OK && out->failed == IA_OK)
                out->failed = text.failed;
            put_text(cx, out, (const char *)text.data, text.len);
        }
        ia_buf_putc(cx, out, '\n');
    }
    ia_buf_dispose(&text);
}
