/* test_commit.c - commits as JSON, the log, history and best common ancestors. */
#include "graph_fixture.h"

#include <stdio.h>

static const char text[] =
    "{\"format\":1,\"id\":\"01ARZ3NDEKTSV4RRFFQ69G5FAV\",\"incarnation\":"
    "\"01ARZ3NDEKTSV4RRFFQ69G5FAA\",\"n\":7,"
    "\"kind\":\"merge\",\"branch\":\"a/"
    "b\",\"parents\":[{\"id\":\"01ARZ3NDEKTSV4RRFFQ69G5FAB\",\"incarnation\":"
    "\"01ARZ3NDEKTSV4RRFFQ69G5FAA\",\"n\":6},{\"id\":\"01ARZ3NDEKTSV4RRFFQ69G5FAC\","
    "\"incarnation\":"
    "\"01ARZ3NDEKTSV4RRFFQ69G5FAD\",\"n\":0}],\"actor\":\"me\",\"message\":null,\"time_us\":"
    "1796069970000000,"
    "\"schema\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\"evaluator\":"
    "1,\"entries\":["
    "{\"type\":3,\"incarnation\":9,\"dir\":\"Person.lance\",\"lance_branch\":\"a-b.0123abcd\","
    "\"owner\":"
    "\"01ARZ3NDEKTSV4RRFFQ69G5FAA\",\"first_version\":4,\"last_version\":5,\"transaction\":"
    "\"df43e5e3-b365-4503-9ebf-3b7e136e30da\",\"staged\":\"01ARZ3NDEKTSV4RRFFQ69G5FAE\",\"rows\":"
    "18446744073709551615,"
    "\"fork\":{\"parent\":null,\"manifest_size\":482,\"created_s\":1796069970}}],\"routes\":[{"
    "\"type\":3,\"type_key\":"
    "\"node:Person\",\"route\":\"graft\",\"reason\":null,\"fragments_adopted\":1,\"files_linked\":"
    "2,"
    "\"files_referenced\":3,\"files_copied\":4,\"rows_inserted\":5,\"rows_updated\":6,\"rows_"
    "deleted\":7,"
    "\"rows_masked\":8,\"rows_copied\":9,\"rows_compared\":10}]}";

static void a_commit_reads_back_as_it_was_written(void **state)
{
    env e = env_new(0);
    ia_commit *c, *copy;
    ia_bytes out;
    (void)state;

    assert_ok(ia_commit_decode(&e.cx, text, strlen(text), "x.json", &c));
    assert_int_equal(c->kind, IA_COMMIT_MERGE);
    assert_int_equal(c->entries[0].rows, UINT64_MAX);
    assert_int_equal(c->routes[0].rows_compared, 10);
    assert_true(c->entries[0].fork.set);
    assert_ok(ia_commit_copy(&e.cx, c, &copy));
    ia_commit_free(c);
    assert_ok(ia_commit_encode(&e.cx, copy, &out));
    assert_int_equal(out.len, strlen(text));
    assert_memory_equal(out.data, text, out.len);
    ia_bytes_dispose(&out);
    ia_commit_free(copy);
    env_end(&e);
}

/* Replaces `from` once and expects the reader to refuse. */
static void expect_refused(ia_ctx *cx, const char *from, const char *to, ia_status code)
{
    char changed[4096];
    const char *at = strstr(text, from);
    ia_commit *c;

    assert_non_null(at);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    assert_fails(ia_commit_decode(cx, changed, strlen(changed), "x.json", &c), code);
    assert_null(c);
    assert_non_null(strstr(cx->err.text, "x.json"));
}

static void a_damaged_commit_is_refused(void **state)
{
    env e = env_new(0);
    ia_commit *c;
    (void)state;

    expect_refused(&e.cx, "\"format\":1", "\"format\":2", IA_ERR_UNSUPPORTED);
    expect_refused(&e.cx, "\"merge\"", "\"squash\"", IA_ERR_UNSUPPORTED);
    expect_refused(&e.cx, "\"n\":7", "\"n\":-7", IA_ERR_CORRUPT);
    expect_refused(&e.cx, "\"n\":7,", "", IA_ERR_CORRUPT);
    expect_refused(&e.cx, "\"n\":7,", "\"n\":7,\"m\":8,", IA_ERR_CORRUPT);
    expect_refused(&e.cx, "Person.lance", "../x.lance", IA_ERR_CORRUPT);
    expect_refused(&e.cx, "Person.lance", "a/Person.lance", IA_ERR_CORRUPT);
    expect_refused(&e.cx, "a-b.0123abcd", "a..b", IA_ERR_CORRUPT);
    expect_refused(&e.cx, "FAE", "/..", IA_ERR_CORRUPT);
    expect_refused(&e.cx, "\"first_version\":4", "\"first_version\":6", IA_ERR_CORRUPT);
    expect_refused(&e.cx, "df43e5e3-", "df43e5e3_", IA_ERR_CORRUPT);
    expect_refused(&e.cx, "\"actor\":\"me\"", "\"actor\":null", IA_ERR_CORRUPT);
    expect_refused(&e.cx, "aaaaaaaa", "AAAAAAAA", IA_ERR_CORRUPT);
    for (size_t n = 0; n < strlen(text); n++) {
        assert_int_not_equal(ia_commit_decode(&e.cx, text, n, "x.json", &c), IA_OK);
        assert_null(c);
    }
    env_end(&e);
}

/* ---- a DAG of commits without tables --------------------------------------------------------- */
typedef struct dag {
    gx x;
    char incarnation[27];
    uint64_t n;
} dag;

static void dag_open(dag *d)
{
    gx_open(&d->x, GX_MEMORY);
    assert_ok(ia_ulid_new(&d->x.e.cx, d->incarnation));
    d->n = 0;
}

/* Commit at time `t` with up to two parents. */
static ia_commit *put(dag *d, int64_t t, const ia_commit *p, const ia_commit *q)
{
    ia_ctx *cx = &d->x.e.cx;
    ia_commit *c;

    assert_ok(IA_NEW(cx, c));
    assert_ok(ia_ulid_new(cx, c->ref.id));
    memcpy(c->ref.incarnation, d->incarnation, sizeof c->ref.incarnation);
    c->ref.n = d->n++;
    c->time_us = t;
    c->evaluator = 1;
    c->kind = IA_COMMIT_WRITE;
    memset(c->schema_hash, 'a', 64);
    assert_ok(IA_SET(cx, c->branch, ia_strdup(cx, "x")));
    assert_ok(IA_SET(cx, c->actor, ia_strdup(cx, "")));
    if (p)
        c->parents[c->n_parents++] = p->ref;
    if (q)
        c->parents[c->n_parents++] = q->ref;
    assert_ok(ia_commit_put(cx, d->x.g, c));
    return c;
}

static void expect_bases(dag *d, const ia_commit *a, const ia_commit *b, const ia_commit *x,
                         const ia_commit *y)
{
    for (int i = 0; i < 2; i++) {
        ia_commit_list l;
        assert_ok(ia_merge_bases(&d->x.e.cx, d->x.g, i ? b : a, i ? a : b, &l));
        assert_int_equal(l.n, y ? 2 : 1);
        assert_string_equal(l.items[0]->ref.id, x->ref.id);
        if (y)
            assert_string_equal(l.items[1]->ref.id, y->ref.id);
        ia_commit_list_dispose(&l);
    }
}

static void the_fork_point_is_the_base_however_clocks_run(void **state)
{
    (void)state;
    for (int skew = 0; skew < 3; skew++) {
        dag d;
        dag_open(&d);
        ia_commit *root = put(&d, skew == 1 ? 900 : 1, NULL, NULL);
        ia_commit *mid = put(&d, skew == 2 ? 0 : 2, root, NULL);
        ia_commit *fork = put(&d, skew == 1 ? 1 : 3, mid, NULL);
        ia_commit *a = put(&d, skew == 2 ? -5 : 4, fork, NULL);
        ia_commit *b1 = put(&d, 5, fork, NULL);
        ia_commit *b2 = put(&d, skew == 2 ? -9 : 6, b1, NULL);
        expect_bases(&d, a, b2, fork, NULL);
        expect_bases(&d, fork, b2, fork, NULL);
        expect_bases(&d, a, a, a, NULL);
        ia_commit *all[] = {root, mid, fork, a, b1, b2};
        for (size_t i = 0; i < 6; i++)
            ia_commit_free(all[i]);
        gx_close(&d.x);
    }
}

/* Two side branches cut before the fork are nearer by sum of distances than the fork, and still not
 * the base. */
static void an_ancestor_of_a_common_ancestor_is_no_base(void **state)
{
    dag d;
    (void)state;
    dag_open(&d);
    ia_commit *old = put(&d, 1, NULL, NULL);
    ia_commit *c = old, *chain[8];
    for (int i = 0; i < 8; i++)
        chain[i] = c = put(&d, 2 + i, c, NULL);
    ia_commit *fork = chain[7];
    ia_commit *a1 = put(&d, 20, fork, NULL), *a2 = put(&d, 21, a1, NULL), *a = put(&d, 22, a2, old);
    ia_commit *b1 = put(&d, 23, fork, NULL), *b2 = put(&d, 24, b1, NULL), *b = put(&d, 25, b2, old);
    expect_bases(&d, a, b, fork, NULL);
    ia_commit *all[] = {a1, a2, a, b1, b2, b, old};
    for (size_t i = 0; i < 7; i++)
        ia_commit_free(all[i]);
    for (int i = 0; i < 8; i++)
        ia_commit_free(chain[i]);
    gx_close(&d.x);
}

static void a_criss_cross_has_two_bases_in_one_order(void **state)
{
    dag d;
    (void)state;
    dag_open(&d);
    ia_commit *root = put(&d, 1, NULL, NULL);
    ia_commit *a = put(&d, 2, root, NULL), *b = put(&d, 3, root, NULL);
    ia_commit *ab = put(&d, 4, a, b), *ba = put(&d, 5, b, a);
    expect_bases(&d, ab, ba, b, a); /* equal distance: the newer first */
    ia_commit *longer = put(&d, 6, ab, NULL);
    expect_bases(&d, longer, ba, b, a);
    ia_commit *all[] = {root, a, b, ab, ba, longer};
    for (size_t i = 0; i < 6; i++)
        ia_commit_free(all[i]);
    gx_close(&d.x);
}

static void strangers_have_no_base(void **state)
{
    dag d;
    ia_commit_list l;
    (void)state;
    dag_open(&d);
    ia_commit *a = put(&d, 1, NULL, NULL), *b = put(&d, 2, NULL, NULL);
    assert_fails(ia_merge_bases(&d.x.e.cx, d.x.g, a, b, &l), IA_ERR_NOT_FOUND);
    assert_int_equal(l.n, 0);
    ia_commit_free(a);
    ia_commit_free(b);
    gx_close(&d.x);
}

/* Best common ancestors by definition, on random DAGs of up to 24 commits with unreliable times. */
static void bases_agree_with_the_definition(void **state)
{
    uint64_t seed = 0x9e3779b97f4a7c15u;
    (void)state;
    for (int round = 0; round < 60; round++) {
        enum { N = 24 };
        ia_commit *c[N];
        uint32_t anc[N];
        dag d;
        dag_open(&d);
        for (int i = 0; i < N; i++) {
            const int p = i ? (int)(next_random(&seed) % (uint64_t)i) : -1;
            const int q =
                i > 2 && next_random(&seed) % 3 == 0 ? (int)(next_random(&seed) % (uint64_t)i) : -1;
            c[i] = put(&d, (int64_t)(next_random(&seed) % 12), p < 0 ? NULL : c[p],
                       q < 0 || q == p ? NULL : c[q]);
            anc[i] = 1u << i | (p < 0 ? 0 : anc[p]) | (q < 0 ? 0 : anc[q]);
        }
        for (int k = 0; k < 12; k++) {
            const int a = (int)(next_random(&seed) % N), b = (int)(next_random(&seed) % N);
            uint32_t common = anc[a] & anc[b], best = common;
            ia_commit_list l;
            for (int i = 0; i < N; i++)
                if (common & 1u << i)
                    best &= ~(anc[i] & ~(1u << i));
            assert_ok(ia_merge_bases(&d.x.e.cx, d.x.g, c[a], c[b], &l));
            assert_int_equal(l.n, __builtin_popcount(best));
            for (size_t i = 0; i < l.n; i++)
                assert_true(best & 1u << l.items[i]->ref.n);
            ia_commit_list_dispose(&l);
        }
        for (int i = 0; i < N; i++)
            ia_commit_free(c[i]);
        gx_close(&d.x);
    }
}

static void history_is_newest_first_and_complete(void **state)
{
    dag d;
    ia_commit_list l;
    (void)state;
    dag_open(&d);
    ia_commit *root = put(&d, 1, NULL, NULL);
    ia_commit *a = put(&d, 2, root, NULL), *b = put(&d, 3, root, NULL), *m = put(&d, 4, a, b);
    assert_ok(ia_history(&d.x.e.cx, d.x.g, m, false, 0, &l));
    assert_int_equal(l.n, 4);
    assert_string_equal(l.items[0]->ref.id, m->ref.id);
    assert_string_equal(l.items[1]->ref.id, b->ref.id);
    assert_string_equal(l.items[3]->ref.id, root->ref.id);
    ia_commit_list_dispose(&l);
    assert_ok(ia_history(&d.x.e.cx, d.x.g, m, true, 2, &l));
    assert_int_equal(l.n, 2);
    assert_string_equal(l.items[1]->ref.id, a->ref.id);
    ia_commit_list_dispose(&l);
    ia_commit_free(root);
    ia_commit_free(a);
    ia_commit_free(b);
    ia_commit_free(m);
    gx_close(&d.x);
}

static void a_log_number_is_given_once(void **state)
{
    dag d;
    (void)state;
    dag_open(&d);
    ia_commit *a = put(&d, 1, NULL, NULL);
    assert_fails(ia_commit_put(&d.x.e.cx, d.x.g, a), IA_ERR_EXISTS);
    ia_commit_free(a);
    gx_close(&d.x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_commit_reads_back_as_it_was_written),
        cmocka_unit_test(a_damaged_commit_is_refused),
        cmocka_unit_test(the_fork_point_is_the_base_however_clocks_run),
        cmocka_unit_test(an_ancestor_of_a_common_ancestor_is_no_base),
        cmocka_unit_test(a_criss_cross_has_two_bases_in_one_order),
        cmocka_unit_test(strangers_have_no_base),
        cmocka_unit_test(bases_agree_with_the_definition),
        cmocka_unit_test(history_is_newest_first_and_complete),
        cmocka_unit_test(a_log_number_is_given_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
