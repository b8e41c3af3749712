/* fuzz_page_blob.c - reads blob pages of arbitrary descriptions and buffers. */
#include "fuzz_pages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_pages_run(1, 4, data, size);
}
