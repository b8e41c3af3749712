/* file_check.c - verifies a whole file. */
#include "file/file_check.h"

#include <inttypes.h>

#include "file/file_priv.h"
#include "file/projection.h"

/* ---- blobs ---------------------------------------------------------------------------------- */

static const ia_array *member(const ia_field *f, const ia_array *a, const char *name)
{
    for (size_t i = 0; i < f->type->n_children && i < a->n_children; i++)
        if (strcmp(f->type->children[i].name, name) == 0)
            return a->children[i];
    return NULL;
}

/* Descriptors name bytes of this file, unless their kind says that they are elsewhere. */
static ia_status check_descriptors(ia_ctx *cx, const ia_file *f, const ia_field *field,
                                   const ia_array *a)
{
    const ia_array *position = member(field, a, "position"), *size = member(field, a, "size"),
                   *kind = member(field, a, "kind");

    for (int64_t i = 0; position && size && i < a->length; i++) {
        const int64_t k = a->offset + i;
        uint64_t at, n;

        if (!ia_array_valid(a, i) || (kind && ia_array_u64(kind, k) != 0) ||
            !ia_array_valid(position, k) || !ia_array_valid(size, k))
            continue;
        at = ia_array_u64(position, k);
        n = ia_array_u64(size, k);
        if (n && (at > f->size || n > f->size - at))
            return ia_fail(cx, IA_ERR_CORRUPT,
                           "a blob of %" PRIu64 " bytes at byte %" PRIu64
                           " leaves the file of %" PRIu64 " bytes",
                           n, at, f->size);
    }
    return IA_OK;
}

static ia_status check_blobs(ia_ctx *cx, const ia_file *f, const ia_field *field, const ia_array *a,
                             int depth)
{
    const char *blob = ia_field_meta(field, "lance-encoding:blob");

    if (blob && ia_str_eq_nocase(blob, "true") && field->type->id == IA_TYPE_STRUCT)
        return check_descriptors(cx, f, field, a);
    if (field->type->id == IA_TYPE_DICTIONARY || depth > IA_TYPE_MAX_DEPTH)
        return IA_OK;
    for (size_t i = 0; i < field->type->n_children && i < a->n_children; i++)
        IA_TRY(check_blobs(cx, f, &field->type->children[i], a->children[i], depth + 1));
    return IA_OK;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static ia_status check_array(ia_ctx *cx, const ia_file *f, const ia_field *field, const ia_array *a,
                             uint64_t row)
{
    ia_status st = ia_array_validate(cx, a, IA_VALIDATE_FULL);

    if (st == IA_ERR_INVALID)
        st = cx->err.code = IA_ERR_CORRUPT;
    if (st == IA_OK)
        st = check_blobs(cx, f, field, a, 0);
    return ia_fail_prefix(cx, st, "file %s, column '%s', rows %" PRIu64 " to %" PRIu64, f->io->path,
                          field->name, row, row + (uint64_t)a->length);
}

static ia_status check_rows(ia_ctx *cx, ia_file *f, const ia_projection *p, uint64_t *rows)
{
    ia_file_scan *scan = NULL;
    ia_array **cols = NULL;
    uint64_t got = 1;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, cols, p->n + 1));
    IA_GO(ia_file_scan_open(cx, f, p->cols, p->n, 0, f->rows, 0, &scan));
    while (got) {
        IA_GO(ia_file_scan_next(cx, scan, cols, &got));
        for (size_t i = 0; got && i < p->n; i++) {
            if (st == IA_OK)
                st = check_array(cx, f, &p->schema->fields[i], cols[i], *rows);
            ia_array_release(cols[i]);
        }
        IA_GO(st);
        *rows += got;
    }
    if (*rows != f->rows)
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "file %s has %" PRIu64 " rows, its pages give %" PRIu64,
                      f->io->path, f->rows, *rows));
done:
    ia_file_scan_close(scan);
    ia_free(cols);
    return st;
}

ia_status ia_file_check(ia_ctx *cx, ia_file *f, const ia_schema *exact, uint64_t *rows)
{
    ia_projection p = {0};
    ia_filecol *col;
    ia_status st;

    *rows = 0;
    IA_GO(ia_projection_of(cx, f, exact, NULL, 0, &p));
    IA_GO(check_rows(cx, f, &p, rows));
    for (uint32_t i = 0; i < f->n_cols; i++) /* those that were read are loaded already */
        IA_GO(ia_file_column_load(cx, f, i, 0, &col));
done:
    ia_projection_dispose(&p);
    return st;
}
