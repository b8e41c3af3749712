/* merge_fixture.c - a graph with branches that tests change by text, merge, and look into. */
#include "merge_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "arrow/compute.h"

/* ---- stores ---------------------------------------------------------------------------------- */
static const ia_graph_options relaxed = {.durability = IA_RELAXED, .for_writing = true};

void mx_open(mx *x, mx_kind kind)
{
    memset(x, 0, sizeof *x);
    x->e = env_new(0);
    x->kind = kind;
    snprintf(x->root, sizeof x->root, "/mem/my.graph");
    if (kind == MX_LOCAL) {
        snprintf(x->base, sizeof x->base, "/tmp/inarch-mx-XXXXXX");
        assert_non_null(mkdtemp(x->base));
        snprintf(x->root, sizeof x->root, "%.40s/my.graph", x->base);
        MX_OK(x, ia_objstore_local(&x->e.cx, &x->inner));
    } else {
        MX_OK(x, ia_objstore_memory(&x->e.cx, kind == MX_MEMORY, &x->inner));
    }
    MX_OK(x, ia_objstore_faulty(&x->e.cx, x->inner, &x->faulty));
    ia_fault_set(x->faulty, -1, IA_CUT_BEFORE, false);
    MX_OK(x, ia_objstore_counting(&x->e.cx, x->faulty, &x->os));
    MX_OK(x, ia_graph_init(&x->e.cx, x->os, x->root, MX_SCHEMA, "test.pg", "tester", &relaxed));
    x->g = mx_handle(x);
    x->opt.actor = "tester";
}

ia_graph *mx_handle(mx *x)
{
    ia_graph *g;

    MX_OK(x, ia_graph_open(&x->e.cx, x->os, x->root, &relaxed, &g));
    return g;
}

void mx_close(mx *x)
{
    char command[128];

    ia_merge_result_dispose(&x->r);
    ia_graph_close(x->g);
    ia_objstore_close(x->os);
    ia_objstore_close(x->faulty);
    ia_objstore_close(x->inner);
    if (x->kind == MX_LOCAL) {
        snprintf(command, sizeof command, "rm -rf '%s'", x->base);
        assert_int_equal(system(command), 0);
    }
    env_end(&x->e);
}

/* ---- writes ---------------------------------------------------------------------------------- */
typedef struct text_left {
    const char *at;
    size_t left;
} text_left;

static ia_status read_text(ia_ctx *cx, void *arg, void *dst, size_t cap, size_t *got)
{
    text_left *s = arg;

    (void)cx;
    *got = s->left < cap ? s->left : cap;
    memcpy(dst, s->at, *got);
    s->at += *got;
    s->left -= *got;
    return IA_OK;
}

void mx_mode(mx *x, const char *branch, ia_load_mode mode, const char *lines)
{
    const ia_write_options to = {.branch = branch, .actor = "tester"};
    text_left s = {lines, strlen(lines)};
    ia_load_result r;

    MX_OK(x, ia_load(&x->e.cx, x->g, mode, read_text, &s, s.left, "test.jsonl", &to, &r));
    ia_load_result_dispose(&r);
}

void mx_load(mx *x, const char *branch, const char *lines)
{
    mx_mode(x, branch, IA_LOAD_MERGE, lines);
}

void mx_run(mx *x, const char *branch, const char *statement)
{
    const ia_write_options to = {.branch = branch, .actor = "tester"};
    const ia_catalog *cat;
    char text[512];
    ia_commit *head = NULL;
    ia_gq_query *q = NULL;
    ia_params *p = NULL;
    ia_mutate_result r = {0};

    snprintf(text, sizeof text, "query q() { %s }", statement);
    MX_OK(x, ia_resolve(&x->e.cx, x->g, branch, &head));
    MX_OK(x, ia_graph_catalog(&x->e.cx, x->g, head->schema_hash, &cat));
    MX_OK(x, ia_gq_compile(&x->e.cx, cat, text, strlen(text), "test.gq", NULL, &q));
    MX_OK(x, ia_params_parse(&x->e.cx, q, NULL, 0, &p));
    MX_OK(x, ia_mutate(&x->e.cx, x->g, q, p, &to, &r));
    ia_commit_free(r.commit);
    ia_params_free(p);
    ia_gq_query_free(q);
    ia_commit_free(head);
}

void mx_person(mx *x, const char *branch, const char *name, int age)
{
    char line[200];

    snprintf(line, sizeof line,
             "{\"type\":\"Person\",\"data\":{\"name\":\"%s\",\"age\":%d,\"note\":\"of %s\"}}\n",
             name, age, name);
    mx_load(x, branch, line);
}

void mx_edge(mx *x, const char *branch, const char *type, const char *id, const char *from,
             const char *to)
{
    char line[300];

    snprintf(line, sizeof line,
             "{\"edge\":\"%s\",\"from\":\"%s\",\"to\":\"%s\",\"data\":{\"id\":\"%s\",\"tag\":"
             "\"%s\"}}\n",
             type, from, to, id, id);
    mx_load(x, branch, line);
}

void mx_drop_person(mx *x, const char *branch, const char *name)
{
    char text[200];

    snprintf(text, sizeof text, "delete Person where name = \"%s\"", name);
    mx_run(x, branch, text);
}

void mx_drop_edge(mx *x, const char *branch, const char *type, const char *tag)
{
    char text[200];

    snprintf(text, sizeof text, "delete %s where tag = \"%s\"", type, tag);
    mx_run(x, branch, text);
}

void mx_people(mx *x, const char *branch, int from, int to, int age)
{
    const size_t each = 80, cap = (size_t)(to - from) * each + 1;
    char *text = ia_alloc(&x->e.cx, cap);
    size_t n = 0;

    assert_non_null(text);
    for (int i = from; i < to; i++)
        n += (size_t)snprintf(text + n, cap - n,
                              "{\"type\":\"Person\",\"data\":{\"name\":\"p%03d\",\"age\":%d,"
                              "\"note\":\"n%d\"}}\n",
                              i, age, i);
    mx_load(x, branch, text);
    ia_free(text);
}

void mx_branch(mx *x, const char *name, const char *from)
{
    ia_commit *at = NULL;
    ia_branch *b = NULL;

    MX_OK(x, ia_resolve(&x->e.cx, x->g, from, &at));
    MX_OK(x, ia_branch_create(&x->e.cx, x->g, name, at, &b));
    ia_branch_free(b);
    ia_commit_free(at);
}

void mx_head(mx *x, const char *branch, char id[27])
{
    ia_commit *c = NULL;

    MX_OK(x, ia_resolve(&x->e.cx, x->g, branch, &c));
    memcpy(id, c->ref.id, 27);
    ia_commit_free(c);
}

/* ---- merges ---------------------------------------------------------------------------------- */
ia_status mx_try_merge(mx *x, const char *source, const char *into)
{
    ia_io_counts before, now;

    ia_merge_result_dispose(&x->r);
    ia_ctx_clear(&x->e.cx);
    ia_objstore_counts(x->os, &before);
    const ia_status st = ia_merge(&x->e.cx, x->g, source, into, &x->opt, &x->r);
    ia_objstore_counts(x->os, &now);
    x->io = now;
    for (int k = 0; k < IA_IO_CLASSES; k++) {
        x->io.read_bytes[k] -= before.read_bytes[k];
        x->io.write_bytes[k] -= before.write_bytes[k];
    }
    x->io.writes -= before.writes;
    x->io.links -= before.links;
    return st;
}

void mx_merge(mx *x, const char *source, const char *into, ia_merge_outcome want)
{
    char s[27], t[27], now[27];
    char *all_s = mx_dump_all(x, source), *all_t = mx_dump_all(x, into);

    mx_head(x, source, s);
    mx_head(x, into, t);
    MX_OK(x, mx_try_merge(x, source, into));
    if (x->r.outcome != want)
        fail_msg("%s into %s: outcome %d instead of %d; %zu conflicts, first: %s", source, into,
                 (int)x->r.outcome, (int)want, x->r.conflicts.n,
                 x->r.conflicts.n ? x->r.conflicts.items[0].message : "");
    mx_head(x, source, now);
    assert_string_equal(now, s);
    mx_head(x, into, now);
    const bool moves = !x->opt.dry_run && (want == IA_MERGED || want == IA_FAST_FORWARD);
    assert_int_equal(strcmp(now, t) != 0, moves);
    assert_int_equal(x->r.commit != NULL, moves);
    if (moves) {
        assert_int_equal(x->r.commit->n_parents, 2);
        assert_string_equal(x->r.commit->parents[0].id, t);
        assert_string_equal(x->r.commit->parents[1].id, s);
        assert_string_equal(x->r.commit->ref.id, now);
    } else {
        char *again = mx_dump_all(x, into);
        assert_string_equal(again, all_t);
        ia_free(again);
    }
    char *again = mx_dump_all(x, source);
    assert_string_equal(again, all_s);
    ia_free(again);
    ia_free(all_s);
    ia_free(all_t);
}

const ia_route *mx_route(const mx *x, const char *type_key)
{
    for (size_t i = 0; i < x->r.n_routes; i++)
        if (strcmp(x->r.routes[i].type_key, type_key) == 0)
            return &x->r.routes[i];
    fail_msg("no route for %s", type_key);
    return NULL;
}

void mx_expect_route(const mx *x, const char *type_key, const char *route)
{
    const ia_route *r = mx_route(x, type_key);

    if (strcmp(r->route, route) != 0)
        fail_msg("%s went by %s (%s) instead of %s", type_key, r->route, r->reason, route);
}

void mx_expect_conflicts(const mx *x, const char *want)
{
    static const char *const types[] = {"Item", "Person", "Knows", "Lives", "Owns"};
    char got[4096];
    size_t n = 0;

    got[0] = 0;
    for (size_t i = 0; i < x->r.conflicts.n && n < sizeof got; i++) {
        const ia_conflict *c = &x->r.conflicts.items[i];
        n += (size_t)snprintf(got + n, sizeof got - n, "%s%s %s %s", i ? "; " : "",
                              ia_conflict_kind_name(c->kind), types[c->type],
                              c->id ? c->id : "-");
    }
    assert_string_equal(got, want);
}

/* ---- looking --------------------------------------------------------------------------------- */
typedef struct dumping {
    ia_strlist lines;
    size_t type;
} dumping;

static ia_status dump_rows(ia_ctx *cx, void *arg, const ia_batch *b)
{
    dumping *d = arg;
    ia_buf out = {0};
    ia_status st = IA_OK;

    for (int64_t i = 0; i < b->rows; i++) {
        const char *comma = "";
        char *line = NULL;
        ia_value_text(cx, &out, b->cols[0], i);
        ia_buf_putc(cx, &out, '(');
        for (size_t k = 1; k < b->schema->n_fields; k++) {
            if (strcmp(b->schema->fields[k].name, "name") == 0)
                continue;
            ia_buf_puts(cx, &out, comma);
            if (!ia_array_valid(b->cols[k], i))
                ia_buf_putc(cx, &out, '-');
            else
                ia_value_text(cx, &out, b->cols[k], i);
            comma = ",";
        }
        ia_buf_putc(cx, &out, ')');
        IA_GO(ia_buf_finish_str(cx, &out, &line));
        st = ia_strlist_add(cx, &d->lines, line);
        ia_free(line);
        IA_GO(st);
    }
done:
    ia_buf_dispose(&out);
    return st;
}

static ia_snapshot *open_ref(mx *x, const char *ref)
{
    ia_commit *c = NULL;
    ia_snapshot *s = NULL;

    MX_OK(x, ia_resolve(&x->e.cx, x->g, ref, &c));
    MX_OK(x, ia_snapshot_open(&x->e.cx, x->g, c, &s));
    return s;
}

char *mx_dump(mx *x, const char *ref, size_t type)
{
    const ia_scan_options all = {0};
    ia_snapshot *s = open_ref(x, ref);
    dumping d = {.type = type};
    ia_dataset *ds;
    ia_buf out = {0};
    char *text = NULL;

    MX_OK(x, ia_snapshot_table(&x->e.cx, s, type, &ds));
    MX_OK(x, ia_scan_each(&x->e.cx, ds, &all, dump_rows, &d));
    assert_int_equal(ia_snapshot_entry(s, type)->rows, d.lines.n);
    ia_strlist_sort(&d.lines);
    for (size_t i = 0; i < d.lines.n; i++)
        ia_buf_printf(&x->e.cx, &out, "%s%s", i ? " " : "", d.lines.items[i]);
    ia_buf_puts(&x->e.cx, &out, "");
    MX_OK(x, ia_buf_finish_str(&x->e.cx, &out, &text));
    ia_strlist_dispose(&d.lines);
    ia_snapshot_close(s);
    return text;
}

char *mx_dump_all(mx *x, const char *ref)
{
    ia_buf out = {0};
    char *text = NULL;

    for (size_t t = MX_ITEM; t <= MX_OWNS; t++) {
        char *one = mx_dump(x, ref, t);
        ia_buf_printf(&x->e.cx, &out, "%s%s", t ? " | " : "", one);
        ia_free(one);
    }
    MX_OK(x, ia_buf_finish_str(&x->e.cx, &out, &text));
    return text;
}

void mx_expect(mx *x, const char *ref, size_t type, const char *want)
{
    char *got = mx_dump(x, ref, type);

    assert_string_equal(got, want);
    ia_free(got);
}

void mx_expect_same(mx *x, const char *ref, const char *other)
{
    char *a = mx_dump_all(x, ref), *b = mx_dump_all(x, other);

    assert_string_equal(a, b);
    ia_free(a);
    ia_free(b);
}

typedef struct finding {
    const char *id;
    bool found;
    mx_row row;
} finding;

static ia_status find_row(ia_ctx *cx, void *arg, const ia_batch *b)
{
    finding *f = arg;

    (void)cx;
    for (int64_t i = 0; i < b->rows; i++) {
        if (!ia_view_eq_str(ia_array_str(b->cols[0], i), f->id))
            continue;
        assert_false(f->found);
        f->found = true;
        f->row = (mx_row){ia_array_u64(b->cols[1], i), ia_array_u64(b->cols[2], i),
                          ia_array_u64(b->cols[3], i), ia_array_u64(b->cols[4], i)};
    }
    return IA_OK;
}

bool mx_find(mx *x, const char *ref, size_t type, const char *id, mx_row *out)
{
    static const char *const cols[] = {"id", IA_COL_ROWID, IA_COL_CREATED, IA_COL_UPDATED,
                                       IA_COL_ROWADDR};
    const ia_scan_options opt = {.columns = cols, .n_columns = 5};
    ia_snapshot *s = open_ref(x, ref);
    finding f = {.id = id};
    ia_dataset *ds;

    MX_OK(x, ia_snapshot_table(&x->e.cx, s, type, &ds));
    MX_OK(x, ia_scan_each(&x->e.cx, ds, &opt, find_row, &f));
    ia_snapshot_close(s);
    *out = f.row;
    return f.found;
}

uint64_t mx_version(mx *x, const char *ref, size_t type)
{
    ia_snapshot *s = open_ref(x, ref);
    const uint64_t v = ia_snapshot_entry(s, type)->last_version;

    ia_snapshot_close(s);
    return v;
}

void mx_verify(mx *x)
{
    ia_verify_report r;

    MX_OK(x, ia_verify(&x->e.cx, x->g, NULL, true, false, &r));
    if (r.problems.n > 0)
        fail_msg("verify: %s (+%zu more)", r.problems.items[0], r.problems.n - 1);
    ia_verify_report_dispose(&r);
}

static size_t count_below(mx *x, const char *dir)
{
    ia_objlist l = {0};
    size_t n = 0;

    MX_OK(x, ia_objstore_list(&x->e.cx, x->os, dir, NULL, 0, &l));
    for (size_t i = 0; i < l.n; i++) {
        const size_t len = strlen(l.names[i]);
        if (l.names[i][len - 1] != '/') {
            n++;
            continue;
        }
        char *path = ia_sprintf(&x->e.cx, "%s/%.*s", dir, (int)len - 1, l.names[i]);
        assert_non_null(path);
        n += count_below(x, path);
        ia_free(path);
    }
    ia_objlist_dispose(&l);
    return n;
}

size_t mx_objects(mx *x)
{
    return count_below(x, x->root);
}
