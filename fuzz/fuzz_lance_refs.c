/* fuzz_lance_refs.c - tag and branch files of a dataset: read, extended, put again. */
#include "fuzz.h"

#include "table/write.h"

static const char *const names[] = {"/d/_refs/tags/t.json", "/d/_refs/branches/p.json",
                                    "/d/_refs/branches/q.json"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    ia_objstore *os = NULL;
    char *branch = NULL;
    uint64_t version;

    fuzz_begin(&r);
    fuzz_must(&r, ia_objstore_memory(&r.cx, true, &os), "a store:");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        fuzz_must(&r, ia_objstore_put(&r.cx, os, names[i], data, size, 0), "an object:");
    (void)fuzz_ok(&r, ia_tag_get(&r.cx, os, "/d", "t", &branch, &version));
    ia_free(branch);
    if (fuzz_must(&r, ia_tag_put(&r.cx, os, "/d", "t", "b", 7, 100, 1700000000000000, 0),
                  "any tag file can be replaced:") &&
        fuzz_must(&r, ia_tag_get(&r.cx, os, "/d", "t", &branch, &version), "and read:")) {
        FUZZ_CHECK(version == 7 && strcmp(branch, "b") == 0);
        ia_free(branch);
    }
    (void)fuzz_ok(&r, ia_branchref_put(&r.cx, os, "/d", "q", NULL, 1, 100, 1700000000, 0));
    if (fuzz_ok(&r, ia_branchref_put(&r.cx, os, "/d", "new", "p", 3, 100, 1700000000, 0)))
        fuzz_must(&r, ia_branchref_put(&r.cx, os, "/d", "new", "p", 3, 100, 1700000001, 0),
                  "putting a branch again is no change:");
    ia_objstore_close(os);
    fuzz_end(&r);
    return 0;
}
