/* fuzz_catalog_json.c - the stored form of a compiled schema: read, written back. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    ia_catalog *c = NULL, *again = NULL;
    ia_bytes first = {0}, second = {0};

    fuzz_begin(&r);
    if (fuzz_ok(&r, ia_catalog_from_json(&r.cx, (const char *)data, size, &c)) &&
        fuzz_must(&r, ia_catalog_to_json(&r.cx, c, &first), "what was read is written:") &&
        fuzz_must(&r, ia_catalog_from_json(&r.cx, (const char *)first.data, first.len, &again),
                  "what was written is read:") &&
        fuzz_must(&r, ia_catalog_to_json(&r.cx, again, &second), "and written again:"))
        FUZZ_CHECK(fuzz_same(&first, &second));
    ia_bytes_dispose(&first);
    ia_bytes_dispose(&second);
    ia_catalog_release(c);
    ia_catalog_release(again);
    fuzz_end(&r);
    return 0;
}
