/* fuzz_seeds.c - writes the files of the template graph and table, for make_seeds.py. */
#include "fuzz_table.h"

#include <stdio.h>

static void save(const char *dir, const char *name, const ia_bytes *b)
{
    char path[1024];
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    f = fopen(path, "wb");
    FUZZ_CHECK(f != NULL);
    FUZZ_CHECK(fwrite(b->data, 1, b->len, f) == b->len);
    fclose(f);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *part, *name;
    } wanted[] = {
        {"/log/", "commit.json"},
        {"/refs/side/", "branch.json"},
        {"/format.json", "format.json"},
        {"/schemas/", "catalog.json"},
        {"Person.lance/data/", "person.lance"},
    };
    fuzz_run r;
    ia_objstore *os = NULL;

    if (argc != 2) {
        fprintf(stderr, "usage: fuzz_seeds DIR\n");
        return 2;
    }
    fuzz_begin(&r);
    fuzz_store_open(&r, &os);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const char *path = fuzz_store_path(wanted[i].part);
        ia_bytes b = {0};
        FUZZ_CHECK(path != NULL);
        fuzz_must(&r, ia_objstore_get(&r.cx, os, path, &b), "a file:");
        save(argv[1], wanted[i].name, &b);
        ia_bytes_dispose(&b);
    }
    save(argv[1], "table.manifest", fuzz_table_manifest());
    ia_objstore_close(os);
    fuzz_end(&r);
    return 0;
}
