/* source.c - bytes in order from a callback or from memory. */
#include "arrow/source.h"

ia_source ia_source_of(const void *data, size_t len)
{
    const ia_source s = {.data = data, .len = len};

    return s;
}

ia_status ia_source_read(ia_ctx *cx, ia_source *s, void *p, size_t n, size_t *got)
{
    *got = 0;
    if (!s->read) {
        const size_t k = n < s->len ? n : s->len;

        if (k == 0) /* also without data */
            return IA_OK;
        memcpy(p, s->data, k);
        s->data += k;
        s->len -= k;
        *got = k;
        return IA_OK;
    }
    while (*got < n) {
        size_t k = 0;

        IA_TRY(s->read(cx, s, (uint8_t *)p + *got, n - *got, &k));
        if (k > n - *got)
            return ia_fail(cx, IA_ERR_INTERNAL, "a source gave more bytes than asked for");
        if (k == 0)
            return IA_OK;
        *got += k;
    }
    return IA_OK;
}

void ia_source_close(ia_source *s)
{
    if (s->close)
        s->close(s);
    memset(s, 0, sizeof *s);
}
