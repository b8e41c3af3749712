/* fuzz_txn.c - an encoded transaction: its id and operation. */
#include "fuzz.h"

#include "table/txn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    char uuid[IA_UUID_LEN + 1];
    uint32_t operation = 0;

    fuzz_begin(&r);
    memset(uuid, 'x', sizeof uuid);
    if (fuzz_ok(&r, ia_txn_peek(&r.cx, data, size, uuid, &operation)))
        FUZZ_CHECK(memchr(uuid, 0, sizeof uuid) != NULL);
    fuzz_end(&r);
    return 0;
}
