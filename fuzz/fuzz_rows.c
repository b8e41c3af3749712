/* fuzz_rows.c - JSON lines of a plain table: every type of column a row can fill. */
#include "fuzz.h"

#include "arrow/json_rows.h"

static void make_schema(fuzz_run *r, ia_schema **out)
{
    static const ia_type_id ids[] = {
        IA_TYPE_BOOL, IA_TYPE_I8,     IA_TYPE_I16,    IA_TYPE_I32,    IA_TYPE_I64,
        IA_TYPE_U8,   IA_TYPE_U16,    IA_TYPE_U32,    IA_TYPE_U64,    IA_TYPE_F32,
        IA_TYPE_F64,  IA_TYPE_STRING, IA_TYPE_DATE32, IA_TYPE_DATE64, IA_TYPE_LARGE_STRING,
    };
    enum { N = sizeof ids / sizeof ids[0] };
    static char names[N + 3][8];
    ia_field fields[N + 3];

    for (size_t k = 0; k < N + 3; k++) {
        names[k][0] = (char)('a' + k);
        fields[k] = (ia_field){names[k], k < N ? ia_type_basic(ids[k]) : NULL, true, NULL, 0};
    }
    fields[N].type = ia_type_time_basic(IA_TYPE_TIMESTAMP, IA_UNIT_US);
    fuzz_must(r,
              ia_type_list(&r->cx, IA_TYPE_LIST, 0, "item", ia_type_basic(IA_TYPE_I64), true,
                           &fields[N + 1].type),
              "a list:");
    fuzz_must(r,
              ia_type_list(&r->cx, IA_TYPE_FIXED_LIST, 2, "item", ia_type_basic(IA_TYPE_F32), true,
                           &fields[N + 2].type),
              "a vector:");
    fuzz_must(r, ia_schema_new(&r->cx, fields, N + 3, out), "a schema:");
    ia_type_release(fields[N + 1].type);
    ia_type_release(fields[N + 2].type);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    ia_schema *s = NULL;
    ia_stream rows = {0};

    fuzz_begin(&r);
    make_schema(&r, &s);
    if (fuzz_ok(&r, ia_json_rows(&r.cx, s, (const char *)data, size, "fuzz.jsonl", &rows))) {
        ia_batch *b = NULL;
        ia_status st;
        while ((st = ia_stream_next(&r.cx, &rows, &b)) == IA_OK && b) {
            for (size_t k = 0; k < b->schema->n_fields; k++)
                fuzz_must(&r, ia_array_validate(&r.cx, b->cols[k], IA_VALIDATE_FULL),
                          "a column that was built is sound:");
            fuzz_touch_batch(&r, b);
            ia_batch_release(b);
        }
        (void)fuzz_ok(&r, st);
    }
    ia_stream_dispose(&rows);
    ia_schema_release(s);
    fuzz_end(&r);
    return 0;
}
