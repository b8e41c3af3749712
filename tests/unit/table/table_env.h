/* table_env.h - set-up shared by the table tests: a context, a checked budget, stores. */
#ifndef TABLE_ENV_H
#define TABLE_ENV_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "table/write.h"

typedef struct env {
    ia_budget *budget;
    ia_ctx cx;
    ia_objstore *os;
    char root[160];  /* dataset directory */
    char place[128]; /* temporary directory; "" for the memory store */
} env;

#define assert_ok(e)                                                                               \
    do {                                                                                           \
        const ia_status ok_ = (e);                                                                 \
        if (ok_ != IA_OK)                                                                          \
            fail_msg("%s: %s", ia_status_name(ok_), t->cx.err.text);                               \
    } while (0)
#define assert_status(want, e)                                                                     \
    do {                                                                                           \
        const ia_status got_ = (e);                                                                \
        if (got_ != (want))                                                                        \
            fail_msg("wanted %s, got %s: %s", ia_status_name(want), ia_status_name(got_),          \
                     t->cx.err.text);                                                              \
        ia_ctx_clear(&t->cx);                                                                      \
    } while (0)

static inline void env_start(env *t, bool local)
{
    memset(t, 0, sizeof *t);
    t->budget = ia_budget_new(NULL, 0);
    ia_ctx_init(&t->cx, t->budget);
    if (local) {
        snprintf(t->place, sizeof t->place, "/tmp/ia-table-XXXXXX");
        assert_non_null(mkdtemp(t->place));
        assert_ok(ia_objstore_local(&t->cx, &t->os));
        snprintf(t->root, sizeof t->root, "%s/People.lance", t->place);
    } else {
        assert_ok(ia_objstore_memory(&t->cx, true, &t->os));
        snprintf(t->root, sizeof t->root, "/data/People.lance");
    }
}

static inline void env_end(env *t)
{
    ia_objstore_close(t->os);
    assert_int_equal(ia_budget_used(t->budget), 0);
    ia_budget_drop(t->budget);
    if (t->place[0]) {
        char cmd[200];
        snprintf(cmd, sizeof cmd, "rm -rf '%s'", t->place);
        assert_int_equal(system(cmd), 0);
    }
}

/* A small reproducible generator. */
static inline uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

#endif
