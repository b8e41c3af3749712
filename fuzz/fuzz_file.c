/* fuzz_file.c - reads arbitrary bytes as a Lance file: footer, metadata, every column. */
#include "fuzz_pages.h"

/* Files may claim any number of rows, so long reads are cancelled. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    ia_objstore *os = NULL;
    ia_file *f = NULL;

    fuzz_begin(&r);
    fuzz_cancel_after(&r, 0.4);
    fuzz_must(&r, ia_objstore_memory(&r.cx, true, &os), "a store:");
    fuzz_must(&r, ia_objstore_put(&r.cx, os, "/f.lance", data, size, 0), "the file:");
    if (fuzz_ok(&r, ia_file_open(&r.cx, os, "/f.lance", 0, &f)))
        fuzz_pages_read(&r, f);
    ia_file_close(f);
    ia_objstore_close(os);
    fuzz_end(&r);
    return 0;
}
