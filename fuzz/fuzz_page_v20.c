/* fuzz_page_v20.c - reads pages of format 2.0 of arbitrary descriptions and buffers. */
#include "fuzz_pages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_pages_run(0, 0, data, size);
}
