/* fuzz_schema.c - .pg text: compiled, written as JSON, read back, evolved from and into. */
#include "fuzz.h"

static void check_patterns(fuzz_run *r, const ia_catalog *c)
{
    static const char text[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaa@b.c\xC3\xA9";

    for (size_t i = 0; i < c->n_types; i++) {
        for (size_t k = 0; k < c->types[i]->n_checks; k++) {
            bool yes;
            (void)fuzz_ok(
                r, ia_check_matches(&r->cx, &c->types[i]->checks[k], ia_view_of(text), &yes));
        }
    }
}

static void check_json(fuzz_run *r, const ia_catalog *c)
{
    ia_bytes first = {0}, second = {0};
    ia_catalog *again = NULL;

    if (fuzz_must(r, ia_catalog_to_json(&r->cx, c, &first), "a catalog is written:") &&
        fuzz_must(r, ia_catalog_from_json(&r->cx, (const char *)first.data, first.len, &again),
                  "a catalog is read back:") &&
        fuzz_must(r, ia_catalog_to_json(&r->cx, again, &second), "a catalog is written twice:")) {
        FUZZ_CHECK(fuzz_same(&first, &second));
        FUZZ_CHECK(strcmp(c->shape_hash, again->shape_hash) == 0);
    }
    ia_bytes_dispose(&first);
    ia_bytes_dispose(&second);
    ia_catalog_release(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    const char *text = (const char *)data;
    ia_catalog *c = NULL, *evolved = NULL, *from = NULL;

    (void)fuzz_catalog();
    fuzz_begin(&r);
    if (fuzz_ok(&r, ia_catalog_from_source(&r.cx, text, size, "fuzz.pg", &c))) {
        check_patterns(&r, c);
        check_json(&r, c);
        if (fuzz_ok(&r, ia_catalog_evolve(&r.cx, fuzz_catalog(), text, size, "fuzz.pg", &evolved)))
            check_json(&r, evolved);
        (void)fuzz_ok(&r,
                      ia_catalog_evolve(&r.cx, c, fuzz_schema, strlen(fuzz_schema), "f.pg", &from));
    }
    ia_catalog_release(c);
    ia_catalog_release(evolved);
    ia_catalog_release(from);
    fuzz_end(&r);
    return 0;
}
