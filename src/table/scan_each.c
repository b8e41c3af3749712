/* scan_each.c - drives a scan to its end, one call per batch. */
#include "table/dataset.h"

ia_status ia_scan_each(ia_ctx *cx, ia_dataset *ds, const ia_scan_options *opt, ia_batch_fn fn,
                       void *arg)
{
    ia_stream s = {0};
    ia_batch *b = NULL;
    ia_status st;

    IA_GO(ia_dataset_scan(cx, ds, opt, &s));
    for (;;) {
        IA_GO(ia_check(cx, 0, 0));
        IA_GO(ia_stream_next(cx, &s, &b));
        if (!b)
            break;
        IA_GO(fn(cx, arg, b));
        ia_batch_release(b);
        b = NULL;
    }
done:
    ia_batch_release(b);
    ia_stream_dispose(&s);
    return st;
}
