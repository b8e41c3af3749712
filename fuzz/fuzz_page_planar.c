/* fuzz_page_planar.c - reads planar pages, which format 2.3 has, of arbitrary descriptions and
 * buffers. */
#include "fuzz_pages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_pages_run(3, 0, data, size);
}
