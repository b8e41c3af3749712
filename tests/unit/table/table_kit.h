/* table_kit.h - shared by table tests and table_tool: schemas and rows from JSON, changes. */
#ifndef TABLE_KIT_H
#define TABLE_KIT_H

#include "arrow/builder.h"
#include "base/json.h"
#include "table/write.h"

/* [{"name": "id", "type": "int64", "nullable": false}, ...]; types: string bool int32 int64 uint32
 * uint64 float32 float64 date32 date64 fsl:N list:<scalar>. */
ia_status kit_schema(ia_ctx *cx, const ia_json *fields, ia_schema **out) IA_MUST_CHECK;
ia_status kit_schema_text(ia_ctx *cx, const char *json, ia_schema **out) IA_MUST_CHECK;
/* Array of row objects; absent members are null. */
ia_status kit_batch(ia_ctx *cx, const ia_schema *s, const ia_json *rows,
                    ia_batch **out) IA_MUST_CHECK;
/* A stream of one batch (takes over b). */
ia_status kit_stream(ia_ctx *cx, ia_batch *b, ia_stream *out) IA_MUST_CHECK;
void kit_value(ia_jsonw *w, const ia_array *a, int64_t i);
/* All rows of a stream as a JSON array of objects. */
ia_status kit_rows(ia_ctx *cx, ia_stream *s, ia_jsonw *w) IA_MUST_CHECK;

ia_status kit_append(ia_ctx *cx, ia_dataset *ds, const ia_json *rows, ia_durability d,
                     ia_dataset **out) IA_MUST_CHECK;
/* `where` in SQL; NULL = all. */
ia_status kit_plan_delete(ia_ctx *cx, ia_dataset *ds, const char *where, ia_txn *t) IA_MUST_CHECK;
ia_status kit_delete(ia_ctx *cx, ia_dataset *ds, const char *where, ia_dataset **out) IA_MUST_CHECK;
/* Sets members of `set` on matching rows; kept row ids, new files. */
ia_status kit_plan_update(ia_ctx *cx, ia_dataset *ds, const char *where, const ia_json *set,
                          ia_txn *t) IA_MUST_CHECK;
ia_status kit_update(ia_ctx *cx, ia_dataset *ds, const char *where, const ia_json *set,
                     ia_dataset **out) IA_MUST_CHECK;
/* Publishes a fork of ds: manifest, transaction, branch file. */
ia_status kit_fork(ia_ctx *cx, ia_dataset *ds, const char *name, uint64_t row_id_base,
                   ia_dataset **out) IA_MUST_CHECK;
/* Brings the fragments of src that dst lacks into dst, with src's deletions as masks. */
ia_status kit_graft(ia_ctx *cx, ia_dataset *src, ia_dataset *dst, ia_adopt how,
                    ia_graft_stats *stats, ia_dataset **out) IA_MUST_CHECK;

#endif
