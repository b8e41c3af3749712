/* deletions.c - deletion files: the Arrow and the Roaring form. */
#include "arrow/ipc.h"
#include "table/table_priv.h"

#include <stdio.h>

#define ARROW_LIMIT 5000u /* larger sets are written as bitmaps, as the engine does */

static ia_status decode_arrow(ia_ctx *cx, const ia_bytes *raw, ia_bitmap **out)
{
    uint32_t *values = NULL;
    size_t n = 0;
    ia_bitmap *b = NULL;
    ia_status st;

    IA_GO(ia_ipc_read_row_ids(cx, raw->data, raw->len, &values, &n));
    IA_GO(ia_bitmap_new(cx, &b));
    for (size_t i = 0; i < n; i++)
        ia_bitmap_add(b, values[i]);
    *out = b;
    b = NULL;
done:
    ia_bitmap_free(b);
    ia_free(values);
    return st;
}

static ia_status check_bits(ia_ctx *cx, const char *path, const ia_fragment *f,
                            const ia_bitmap *bits)
{
    uint32_t max;
    if (ia_bitmap_max(bits, &max) && max >= f->physical_rows)
        return ia_fail(cx, IA_ERR_CORRUPT, "deletion file %s names row %u of %llu", path, max,
                       (unsigned long long)f->physical_rows);
    if (f->deletion.num_deleted && ia_bitmap_count(bits) != f->deletion.num_deleted)
        return ia_fail(
            cx, IA_ERR_CORRUPT, "deletion file %s holds %llu rows, the manifest says %llu", path,
            (unsigned long long)ia_bitmap_count(bits), (unsigned long long)f->deletion.num_deleted);
    return IA_OK;
}

ia_status ia_deletions_read(ia_ctx *cx, const ia_dataset *ds, const ia_fragment *f, ia_bitmap **out)
{
    ia_bytes raw = {0};
    ia_bitmap *b = NULL;
    char *path = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(ia_dataset_deletion_path(cx, ds, f, &path));
    IA_GO(ia_objstore_get(cx, ds->os, path, &raw));
    st = f->deletion.file_type == 1 ? ia_bitmap_decode(cx, raw.data, raw.len, &b)
                                    : decode_arrow(cx, &raw, &b);
    IA_GO(ia_fail_prefix(cx, st, "deletion file %s", path));
    IA_GO(check_bits(cx, path, f, b));
    *out = b;
    b = NULL;
done:
    ia_bitmap_free(b);
    ia_bytes_dispose(&raw);
    ia_free(path);
    return st;
}

static ia_status encode_arrow(ia_ctx *cx, const ia_bitmap *bits, size_t n, ia_bytes *out)
{
    uint32_t *values;
    ia_status st;
    IA_TRY(IA_NEW_ARRAY(cx, values, n));
    ia_bitmap_to_array(bits, values);
    st = ia_ipc_write_row_ids(cx, values, n, out);
    ia_free(values);
    return st;
}

ia_status ia_deletions_write(ia_ctx *cx, ia_objstore *os, const char *dir, uint64_t id,
                             uint64_t read_version, const ia_bitmap *bits, uint32_t put_flags,
                             ia_delfile *out)
{
    ia_delfile d = {.read_version = read_version, .num_deleted = ia_bitmap_count(bits)};
    ia_bytes raw = {0};
    char *path = NULL, name[80];
    ia_status st;

    memset(out, 0, sizeof *out);
    d.file_type = d.num_deleted > ARROW_LIMIT;
    IA_GO(ia_random(cx, &d.id, sizeof d.id));
    if (d.file_type)
        IA_GO(ia_bitmap_encode(cx, bits, &raw));
    else
        IA_GO(encode_arrow(cx, bits, (size_t)d.num_deleted, &raw));
    snprintf(name, sizeof name, "%llu-%llu-%llu.%s", (unsigned long long)id,
             (unsigned long long)read_version, (unsigned long long)d.id,
             d.file_type ? "bin" : "arrow");
    IA_GO(ia_path_join(cx, &path, dir, "_deletions", name, NULL));
    IA_GO(ia_objstore_put(cx, os, path, raw.data, raw.len, put_flags & IA_PUT_SYNC));
    *out = d;
done:
    ia_bytes_dispose(&raw);
    ia_free(path);
    return st;
}
