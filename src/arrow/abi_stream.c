/* abi_stream.c - pull streams of batches and the Arrow C stream interface. */
#include <errno.h>

#include "arrow/abi_priv.h"

ia_status ia_stream_next(ia_ctx *cx, ia_stream *s, ia_batch **out)
{
    *out = NULL;
    return s->next ? s->next(cx, s, out) : IA_OK;
}

void ia_stream_dispose(ia_stream *s)
{
    if (!s)
        return;
    if (s->close)
        s->close(s);
    ia_schema_release(s->schema);
    memset(s, 0, sizeof *s);
}

/* ---- import -------------------------------------------------------------------------------- */

static ia_status status_of_errno(int e)
{
    switch (e) {
    case ENOMEM:    return IA_ERR_NO_MEMORY;
    case EINVAL:    return IA_ERR_INVALID;
    case ENOSYS: case ENOTSUP: return IA_ERR_UNSUPPORTED;
    case ECANCELED: return IA_ERR_CANCELLED;
    default:        return IA_ERR_IO; /* style: errno is open-ended */
    }
}

static ia_status stream_failed(ia_ctx *cx, struct ArrowArrayStream *in, int e)
{
    const char *text = in->get_last_error ? in->get_last_error(in) : NULL;

    return ia_fail(cx, status_of_errno(e), "the Arrow stream failed: %s",
                   text && *text ? text : "no reason given");
}

static ia_status import_next(ia_ctx *cx, ia_stream *s, ia_batch **out)
{
    struct ArrowArrayStream *in = s->self;
    struct ArrowArray a = {0};
    int e;

    IA_TRY(ia_check(cx, 0, 0));
    e = in->get_next(in, &a);
    if (e != 0)
        return stream_failed(cx, in, e);
    if (!a.release)
        return IA_OK;
    return ia_import_batch(cx, &a, s->schema, out);
}

static void import_close(ia_stream *s)
{
    struct ArrowArrayStream *in = s->self;

    if (in && in->release)
        in->release(in);
    ia_free(in);
    s->self = NULL;
}

ia_status ia_import_stream(ia_ctx *cx, struct ArrowArrayStream *in, ia_stream *out)
{
    struct ArrowArrayStream *own = NULL;
    struct ArrowSchema schema = {0};
    ia_status st;
    int e;

    memset(out, 0, sizeof *out);
    if (!in->release)
        return ia_fail(cx, IA_ERR_INVALID, "a released Arrow stream was passed");
    IA_GO(IA_NEW(cx, own));
    *own = *in;
    in->release = NULL;
    e = own->get_schema(own, &schema);
    if (e != 0)
        IA_GO(stream_failed(cx, own, e));
    IA_GO(ia_import_schema(cx, &schema, &out->schema));
    out->self = own;
    out->next = import_next;
    out->close = import_close;
    own = NULL;
done:
    if (schema.release)
        schema.release(&schema);
    if (in->release) { /* memory was out before the move */
        in->release(in);
        in->release = NULL;
    }
    if (own && own->release)
        own->release(own);
    ia_free(own);
    return st;
}

/* ---- export -------------------------------------------------------------------------------- */

/* Charged to the budget that cx works with, which therefore outlives the stream. */
typedef struct stream_node {
    ia_ctx cx;
    ia_stream stream;
} stream_node;

static int errno_of(ia_status st)
{
    switch (st) {
    case IA_OK:             return 0;
    case IA_ERR_NO_MEMORY: case IA_ERR_OVER_BUDGET: return ENOMEM;
    case IA_ERR_INVALID:    return EINVAL;
    case IA_ERR_UNSUPPORTED: return ENOTSUP;
    case IA_ERR_CANCELLED:  return ECANCELED;
    default:                return EIO; /* style: the rest has no closer errno */
    }
}

static int export_get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    stream_node *n = s->private_data;

    ia_ctx_clear(&n->cx);
    return errno_of(ia_export_schema(&n->cx, n->stream.schema, out));
}

static int export_get_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    stream_node *n = s->private_data;
    ia_batch *b = NULL;
    ia_status st;

    memset(out, 0, sizeof *out);
    ia_ctx_clear(&n->cx);
    st = ia_stream_next(&n->cx, &n->stream, &b);
    if (st == IA_OK && b)
        st = ia_export_batch(&n->cx, b, out);
    ia_batch_release(b);
    return errno_of(st);
}

static const char *export_last_error(struct ArrowArrayStream *s)
{
    stream_node *n = s->private_data;

    return n->cx.err.code == IA_OK ? NULL : n->cx.err.text;
}

static void export_release(struct ArrowArrayStream *s)
{
    stream_node *n = s->private_data;

    ia_stream_dispose(&n->stream);
    ia_free(n);
    s->release = NULL;
}

ia_status ia_export_stream(ia_ctx *cx, ia_stream *s, struct ArrowArrayStream *out)
{
    stream_node *n;

    memset(out, 0, sizeof *out);
    IA_TRY(IA_NEW(cx, n));
    ia_ctx_init(&n->cx, cx->budget);
    n->stream = *s;
    memset(s, 0, sizeof *s);
    out->get_schema = export_get_schema;
    out->get_next = export_get_next;
    out->get_last_error = export_last_error;
    out->release = export_release;
    out->private_data = n;
    return IA_OK;
}
