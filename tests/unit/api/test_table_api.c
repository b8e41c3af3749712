/* test_table_api.c - tables through the public interface: who owns what, and for how long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inarch/inarch.h"

enum { BATCHES = 3, ROWS = 100 };

static char place[64], path[96];

/* ---- one required int64 column, handed over by hand ------------------------------------------ */

static void schema_release(struct ArrowSchema *s)
{
    s->release = NULL;
}

static struct ArrowSchema id_field = {
    .format = "l", .name = "id", .release = schema_release};
static struct ArrowSchema *id_children[] = {&id_field};

static void id_schema(struct ArrowSchema *out)
{
    id_field.release = schema_release;
    *out = (struct ArrowSchema){.format = "+s",
                                .name = "",
                                .n_children = 1,
                                .children = id_children,
                                .release = schema_release};
}

static int64_t values[ROWS];
static const void *value_buffers[] = {NULL, values};
static const void *no_buffers[] = {NULL};

static void array_release(struct ArrowArray *a)
{
    a->release = NULL;
}

static struct ArrowArray id_values;
static struct ArrowArray *id_arrays[] = {&id_values};

typedef struct source {
    bool given;
} source;

static int source_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    (void)s;
    id_schema(out);
    return 0;
}

static int source_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    source *src = s->private_data;

    *out = (struct ArrowArray){0};
    if (src->given)
        return 0;
    src->given = true;
    id_values = (struct ArrowArray){
        .length = ROWS, .n_buffers = 2, .buffers = value_buffers, .release = array_release};
    *out = (struct ArrowArray){.length = ROWS,
                               .n_buffers = 1,
                               .n_children = 1,
                               .buffers = no_buffers,
                               .children = id_arrays,
                               .release = array_release};
    return 0;
}

static const char *source_error(struct ArrowArrayStream *s)
{
    (void)s;
    return NULL;
}

static void source_release(struct ArrowArrayStream *s)
{
    s->release = NULL;
}

static void append(inarch_table *t, int64_t first)
{
    source src = {0};
    struct ArrowArrayStream s = {.get_schema = source_schema,
                                 .get_next = source_next,
                                 .get_last_error = source_error,
                                 .release = source_release,
                                 .private_data = &src};

    for (int64_t i = 0; i < ROWS; i++)
        values[i] = first + i;
    assert_int_equal(inarch_table_append(t, &s), INARCH_OK);
}

/* ---- fixture --------------------------------------------------------------------------------- */

static int setup(void **state)
{
    struct ArrowSchema schema;
    inarch_table *t = NULL;

    (void)state;
    snprintf(place, sizeof place, "/tmp/inarch-api-XXXXXX");
    if (!mkdtemp(place))
        return 1;
    snprintf(path, sizeof path, "%s/t.lance", place);
    id_schema(&schema);
    if (inarch_table_create(path, &schema, NULL, &t) != INARCH_OK)
        return 1;
    for (int64_t k = 0; k < BATCHES; k++)
        append(t, k * ROWS);
    inarch_table_close(t);
    return 0;
}

static int teardown(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return system(command);
}

/* Reads to the end; the number of rows, whose ids must count from 0. */
static int64_t drain(struct ArrowArrayStream *s)
{
    int64_t n = 0;

    for (;;) {
        struct ArrowArray a;
        assert_int_equal(s->get_next(s, &a), 0);
        if (!a.release)
            return n;
        const int64_t *ids = a.children[0]->buffers[1];
        for (int64_t i = 0; i < a.length; i++)
            assert_int_equal(ids[a.children[0]->offset + i], n++);
        a.release(&a);
    }
}

static void open_scan(const char *filter, bool open_another, struct ArrowArrayStream *out)
{
    inarch_scan_options opt = INARCH_SCAN_OPTIONS_INIT;
    inarch_table *t = NULL;

    opt.filter = filter;
    assert_int_equal(inarch_table_open(path, NULL, NULL, &t), INARCH_OK);
    assert_int_equal(inarch_table_scan(t, &opt, out), INARCH_OK);
    inarch_table_close(t);
    if (open_another) { /* and uses the memory again */
        assert_int_equal(inarch_table_open(path, NULL, NULL, &t), INARCH_OK);
        inarch_table_close(t);
    }
}

static void a_scan_outlives_its_table(void **state)
{
    struct ArrowArrayStream s;

    (void)state;
    open_scan(NULL, true, &s);
    assert_int_equal(drain(&s), BATCHES * ROWS);
    s.release(&s);
}

static void a_filtered_scan_outlives_its_table(void **state)
{
    struct ArrowArrayStream s;

    (void)state;
    open_scan("id >= 0 AND id < 250", false, &s);
    assert_int_equal(drain(&s), 250);
    s.release(&s);
}

static void a_scan_may_be_dropped_unread_or_half_read(void **state)
{
    struct ArrowArrayStream s;
    struct ArrowArray a;

    (void)state;
    open_scan(NULL, false, &s);
    s.release(&s);
    open_scan(NULL, false, &s);
    assert_int_equal(s.get_next(&s, &a), 0);
    s.release(&s);
    assert_int_equal(*(const int64_t *)a.children[0]->buffers[1], 0); /* batches outlive it, too */
    a.release(&a);
}

static void taken_rows_outlive_their_table(void **state)
{
    const uint64_t ids[] = {0, 1, 2};
    struct ArrowArrayStream s;
    inarch_table *t = NULL;

    (void)state;
    assert_int_equal(inarch_table_open(path, NULL, NULL, &t), INARCH_OK);
    assert_int_equal(inarch_table_take(t, ids, 3, NULL, 0, &s), INARCH_OK);
    inarch_table_close(t);
    assert_int_equal(drain(&s), 3);
    s.release(&s);
}

static void two_scans_of_one_table_do_not_meet(void **state)
{
    inarch_table *t = NULL;
    struct ArrowArrayStream a, b;

    (void)state;
    assert_int_equal(inarch_table_open(path, NULL, NULL, &t), INARCH_OK);
    assert_int_equal(inarch_table_scan(t, NULL, &a), INARCH_OK);
    assert_int_equal(inarch_table_scan(t, NULL, &b), INARCH_OK);
    inarch_table_close(t);
    assert_int_equal(drain(&a), BATCHES * ROWS);
    a.release(&a);
    assert_int_equal(drain(&b), BATCHES * ROWS);
    b.release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scan_outlives_its_table),
        cmocka_unit_test(a_filtered_scan_outlives_its_table),
        cmocka_unit_test(a_scan_may_be_dropped_unread_or_half_read),
        cmocka_unit_test(taken_rows_outlive_their_table),
        cmocka_unit_test(two_scans_of_one_table_do_not_meet),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
