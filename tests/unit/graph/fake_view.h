/* fake_view.h - a fake graph of small tables, for the evaluator. */
#ifndef FAKE_VIEW_H
#define FAKE_VIEW_H

#include "../base/test_env.h"
#include "graph/validate.h"

enum { FAKE_TYPES = 8 };

typedef struct fake {
    env e;
    ia_catalog *cat;
    ia_batch *tables[FAKE_TYPES]; /* committed rows; NULL = none */
    ia_changeset cs;              /* the change under test */
    ia_cview view;
    ia_violations found;
    size_t has_calls, tuple_calls, edge_calls, id_calls;
    size_t asked[FAKE_TYPES]; /* probes per type */
    uint64_t shuffle;         /* not 0: probes answer in an order made from it */
} fake;

void fake_open(fake *f, const char *schema);
void fake_close(fake *f);
size_t fake_type(const fake *f, const char *name); /* edges by name too */
/* Rows as a JSON array of objects: {"id":..., ["src","dst",] properties...}; absent = null. The
 * caller releases. */
ia_batch *fake_rows(fake *f, const char *type, const char *json);
/* Committed rows of a type. */
void fake_store(fake *f, const char *type, const char *json);
ia_tchange *fake_change(fake *f, const char *type);
/* One batch of new images. */
void fake_write(fake *f, const char *type, const char *json);
void fake_delete(fake *f, const char *type, const char *id);
/* Replaces the type: images as given, what they lack is removed. */
void fake_overwrite(fake *f, const char *type, const char *json);
/* Judges; violations in f->found. */
void fake_judge(fake *f, bool all);
/* Forgets the change and what was found; the stored rows stay. */
void fake_reset(fake *f);
/* Judges and expects exactly one violation whose message holds `anchor`, or none when NULL; then
 * resets. */
void fake_expect(fake *f, const char *anchor);

#endif
