/* test_cview.c - the snapshot's view answers as brute force does. */
#include "arrow/compute.h"
#include "fake_view.h"
#include "ops_fixture.h"

#include <stdio.h>

static const char schema[] =
    "node P { name: String @key  mail: String? @unique  f: F64?  day: Date?  @unique(f, day) }\n"
    "edge E: P -> P @card(0..50) { tag: String? @unique }\n";

enum { NAMES = 60, EDGES = 80, MAX_BATCHES = 64 };

/* The rows of a table, one batch. */
static ia_batch *all_rows(ox *x, ia_snapshot *s, size_t type)
{
    ia_batch *parts[MAX_BATCHES], *out = NULL;
    const ia_scan_options opt = {.batch_rows = 16};
    ia_stream scan = {0};
    ia_dataset *ds;
    size_t n = 0;

    assert_ok(ia_snapshot_table(&x->e.cx, s, type, &ds));
    assert_ok(ia_dataset_scan(&x->e.cx, ds, &opt, &scan));
    for (;;) {
        assert_true(n < MAX_BATCHES);
        assert_ok(ia_stream_next(&x->e.cx, &scan, &parts[n]));
        if (!parts[n])
            break;
        n++;
    }
    if (n > 0)
        assert_ok(ia_concat_batches(&x->e.cx, scan.schema, parts, n, &out));
    for (size_t i = 0; i < n; i++)
        ia_batch_release(parts[i]);
    ia_stream_dispose(&scan);
    return out;
}

/* Rounds of upserts, edges, moves and deletes: several fragments with holes. */
static void fill_graph(ox *x, uint64_t *seed)
{
    for (int round = 0; round < 6; round++) {
        ia_buf text = {0};
        for (int i = round == 0 ? 0 : (int)(next_random(seed) % NAMES); i < NAMES;
             i += round == 0 ? 1 : 7) {
            ia_buf_printf(&x->e.cx, &text, "{\"type\":\"P\",\"data\":{\"name\":\"p%d\",\"f\":%d.5",
                          i, i % 5);
            if (i % 3)
                ia_buf_printf(&x->e.cx, &text, ",\"mail\":\"m%d-%d\"", i, round);
            if (i % 4)
                ia_buf_printf(&x->e.cx, &text, ",\"day\":%d", 100 * i + round);
            ia_buf_puts(&x->e.cx, &text, "}}\n");
        }
        for (int i = 0; i < 20; i++)
            ia_buf_printf(
                &x->e.cx, &text,
                "{\"edge\":\"E\",\"from\":\"p%d\",\"to\":\"p%d\",\"data\":{\"id\":\"e%d\"}}\n",
                (int)(next_random(seed) % NAMES), (int)(next_random(seed) % NAMES),
                (int)(next_random(seed) % EDGES));
        ox_loads(x, IA_LOAD_MERGE, (const char *)text.data);
        ia_buf_dispose(&text);
    }
    assert_ok(ox_mutate(x,
                        "query q() { delete E where from = \"p3\" delete P where name = \"p5\" "
                        "delete P where f = 1.5 }",
                        NULL));
}

typedef struct answers {
    ia_ctx *cx;
    ia_strlist lines;
} answers;

static ia_status note_tuple(ia_ctx *cx, void *arg, ia_view id, size_t tuple)
{
    answers *a = arg;
    char line[128];

    snprintf(line, sizeof line, "%.*s has %zu", (int)id.len, id.data, tuple);
    return ia_strlist_add(cx, &a->lines, line);
}

static ia_status note_edge(ia_ctx *cx, void *arg, ia_view edge, ia_view src, ia_view dst)
{
    answers *a = arg;
    char line[200];

    snprintf(line, sizeof line, "%.*s: %.*s > %.*s", (int)edge.len, edge.data, (int)src.len,
             src.data, (int)dst.len, dst.data);
    return ia_strlist_add(cx, &a->lines, line);
}

/* Asks one view everything; the answers are sorted, because a view promises no order. */
static void ask(ox *x, ia_cview *v, const ia_catalog *cat, const ia_bytemap *names,
                const ia_bytemap *edges, const ia_bytemap tuples[2], answers *out)
{
    static const int mail[] = {2}, pair[] = {0, 1}; /* day, f, mail, name */
    ia_bitmap *present = NULL;

    assert_string_equal(cat->types[0]->properties[2].name, "mail");
    assert_ok(ia_bitmap_new(&x->e.cx, &present));
    assert_ok(v->has_ids(&x->e.cx, v, 0, names, present));
    for (size_t i = 0; i < names->n; i++) {
        const ia_view id = ia_bytemap_key(names, i);
        if (ia_bitmap_has(present, (uint32_t)i))
            assert_ok(ia_strlist_addn(&x->e.cx, &out->lines, id.data, id.len));
    }
    ia_bitmap_free(present);
    assert_ok(v->by_tuple(&x->e.cx, v, 0, mail, 1, &tuples[0], note_tuple, out));
    assert_ok(v->by_tuple(&x->e.cx, v, 0, pair, 2, &tuples[1], note_tuple, out));
    assert_ok(v->edges_at(&x->e.cx, v, 1, 0, names, note_edge, out));
    assert_ok(v->edges_at(&x->e.cx, v, 1, 1, names, note_edge, out));
    assert_ok(v->edges_by_id(&x->e.cx, v, 1, edges, note_edge, out));
    ia_strlist_sort(&out->lines);
}

static void put_name(ox *x, ia_bytemap *m, char c, uint64_t k)
{
    char id[24];
    const int n = snprintf(id, sizeof id, "%c%llu", c, (unsigned long long)k);
    assert_ok(ia_bytemap_put(&x->e.cx, m, id, (size_t)n, NULL, NULL));
}

/* Tuples out of rows of the table and some that are nowhere. */
static void choose(ox *x, const ia_catalog *cat, const ia_batch *people, uint64_t *seed,
                   ia_bytemap *names, ia_bytemap *edges, ia_bytemap tuples[2])
{
    static const int mail[] = {2}, pair[] = {0, 1};
    ia_buf key = {0};
    bool has_null;

    for (int i = 0; i < 12; i++) {
        put_name(x, names, 'p', next_random(seed) % (NAMES + 10));
        put_name(x, edges, 'e', next_random(seed) % (EDGES + 10));
        const int64_t row = (int64_t)(next_random(seed) % (uint64_t)people->rows);
        assert_ok(ia_tuple_key(&x->e.cx, people, row, cat->types[0], mail, 1, &key, &has_null));
        if (!has_null)
            assert_ok(ia_bytemap_put(&x->e.cx, &tuples[0], key.data, key.len, NULL, NULL));
        assert_ok(ia_tuple_key(&x->e.cx, people, row, cat->types[0], pair, 2, &key, &has_null));
        if (!has_null)
            assert_ok(ia_bytemap_put(&x->e.cx, &tuples[1], key.data, key.len, NULL, NULL));
    }
    put_name(x, &tuples[0], 'm', 1);
    put_name(x, &tuples[1], 'm', 1);
    ia_buf_dispose(&key);
}

static void compare_views(ox *x, fake *f, ia_snapshot *s, uint64_t *seed, size_t *answered)
{
    ia_bytemap names = {0}, edges = {0}, tuples[2] = {{0}, {0}};
    answers got = {&x->e.cx, {0}}, want = {&x->e.cx, {0}};
    ia_cview real;

    choose(x, s->cat, f->tables[0], seed, &names, &edges, tuples);
    ia_cview_snapshot(&real, s, &f->cs);
    ask(x, &real, s->cat, &names, &edges, tuples, &got);
    ask(x, &f->view, s->cat, &names, &edges, tuples, &want);
    assert_int_equal(got.lines.n, want.lines.n);
    for (size_t i = 0; i < got.lines.n; i++)
        assert_string_equal(got.lines.items[i], want.lines.items[i]);
    *answered += got.lines.n;
    ia_strlist_dispose(&got.lines);
    ia_strlist_dispose(&want.lines);
    ia_bytemap_dispose(&names);
    ia_bytemap_dispose(&edges);
    ia_bytemap_dispose(&tuples[0]);
    ia_bytemap_dispose(&tuples[1]);
}

static void a_snapshot_answers_as_brute_force_does(void **state)
{
    uint64_t seed = UINT64_C(0x2545F4914F6CDD1D);
    size_t answered = 0;
    (void)state;
    for (int run = 0; run < 5; run++) {
        ox x;
        fake f;
        ia_commit *head = NULL;
        ia_snapshot *s = NULL;
        ox_open(&x, schema);
        fake_open(&f, schema);
        fill_graph(&x, &seed);
        assert_ok(ia_resolve(&x.e.cx, x.g, "main", &head));
        assert_ok(ia_snapshot_open(&x.e.cx, x.g, head, &s));
        for (size_t t = 0; t < 2; t++)
            f.tables[t] = all_rows(&x, s, t);
        for (int k = 0; k < 20; k++)
            compare_views(&x, &f, s, &seed, &answered);
        for (size_t t = 0; t < 2; t++) { /* overwritten types read as empty, but for pre-images */
            fake_change(&f, t == 0 ? "P" : "E")->overwritten = true;
            compare_views(&x, &f, s, &seed, &answered);
        }
        for (size_t t = 0; t < 2; t++) {
            ia_batch_release(f.tables[t]);
            f.tables[t] = NULL;
        }
        ia_snapshot_close(s);
        fake_close(&f);
        ox_close(&x);
    }
    assert_true(answered > 1000);
}

static void an_empty_graph_answers_nothing(void **state)
{
    ox x;
    ia_commit *head = NULL;
    ia_snapshot *s = NULL;
    ia_cview v;
    ia_bytemap names = {0};
    ia_bitmap *present = NULL;
    answers a = {0};
    (void)state;
    ox_open(&x, schema);
    assert_ok(ia_resolve(&x.e.cx, x.g, "main", &head));
    assert_ok(ia_snapshot_open(&x.e.cx, x.g, head, &s));
    ia_cview_snapshot(&v, s, NULL);
    put_name(&x, &names, 'p', 1);
    assert_ok(ia_bitmap_new(&x.e.cx, &present));
    assert_ok(v.has_ids(&x.e.cx, &v, 0, &names, present));
    assert_int_equal(ia_bitmap_count(present), 0);
    assert_ok(v.edges_at(&x.e.cx, &v, 1, 0, &names, note_edge, &a));
    assert_int_equal(a.lines.n, 0);
    ia_bitmap_free(present);
    ia_bytemap_dispose(&names);
    ia_snapshot_close(s);
    ox_close(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_snapshot_answers_as_brute_force_does),
        cmocka_unit_test(an_empty_graph_answers_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
