/* fuzz_commit.c - the JSON of a commit: read, written, read again. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    ia_commit *c = NULL, *again = NULL, *copy = NULL;
    ia_bytes first = {0}, second = {0}, third = {0};

    fuzz_begin(&r);
    if (fuzz_ok(&r, ia_commit_decode(&r.cx, (const char *)data, size, "c.json", &c)) &&
        fuzz_must(&r, ia_commit_encode(&r.cx, c, &first), "what was read is written:") &&
        fuzz_must(&r,
                  ia_commit_decode(&r.cx, (const char *)first.data, first.len, "c.json", &again),
                  "what was written is read:") &&
        fuzz_must(&r, ia_commit_encode(&r.cx, again, &second), "and written again:") &&
        fuzz_must(&r, ia_commit_copy(&r.cx, c, &copy), "a commit is copied:") &&
        fuzz_must(&r, ia_commit_encode(&r.cx, copy, &third), "the copy is written:")) {
        FUZZ_CHECK(fuzz_same(&first, &second));
        FUZZ_CHECK(fuzz_same(&first, &third));
        for (size_t i = 0; i < c->n_entries; i++)
            FUZZ_CHECK(ia_commit_entry(c, c->entries[i].type_id) == &c->entries[i]);
    }
    ia_bytes_dispose(&first);
    ia_bytes_dispose(&second);
    ia_bytes_dispose(&third);
    ia_commit_free(c);
    ia_commit_free(again);
    ia_commit_free(copy);
    fuzz_end(&r);
    return 0;
}
