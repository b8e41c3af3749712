/* fuzz_page_mini.c - reads mini-block pages of arbitrary descriptions and buffers. */
#include "fuzz_pages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_pages_run(2, 1, data, size);
}
