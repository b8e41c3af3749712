/* table_commit.c - a plain Lance dataset without a graph: create, append, the commit loop. */
#include "arrow/compute.h"
#include "base/json.h"
#include "table/table_priv.h"

#include <time.h>

#define MAX_ATTEMPTS 20u
#define MAX_SLOT_NS 200000000ull /* one sleep at most */

static uint32_t flags_of(ia_durability d)
{
    return d == IA_FULL ? IA_PUT_SYNC : 0;
}

/* Whether the hint names a version above ours. Only a speed-up: a stale hint costs a failed put. */
static bool hint_is_newer(ia_ctx *cx, ia_dataset *ds)
{
    char *path = NULL;
    ia_bytes raw = {0};
    ia_json *doc = NULL;
    uint64_t version = 0;
    ia_status st;

    IA_GO(ia_path_join(cx, &path, ds->dir, "_versions", "latest_version_hint.json", NULL));
    IA_GO(ia_objstore_get(cx, ds->os, path, &raw));
    IA_GO(ia_json_parse(cx, (const char *)raw.data, raw.len, &doc));
    (void)ia_json_u64(ia_json_get(doc, "version"), &version);
done:
    if (st != IA_OK)
        ia_ctx_clear(cx);
    ia_json_free(doc);
    ia_bytes_dispose(&raw);
    ia_free(path);
    return version > ds->m->version;
}

ia_status ia_manifest_is_ours(ia_ctx *cx, ia_objstore *os, const char *path, const char *uuid,
                              bool *ours)
{
    ia_manifest *m;
    char found[IA_UUID_LEN + 1] = "";
    uint32_t op;
    ia_status st = IA_OK;

    *ours = false;
    IA_TRY(ia_manifest_read(cx, os, path, &m));
    if (m->transaction.len)
        st = ia_txn_peek(cx, m->transaction.data, m->transaction.len, found, &op);
    *ours = st == IA_OK && strcmp(found, uuid) == 0;
    ia_manifest_release(m);
    return st;
}

static void back_off(ia_ctx *cx, unsigned attempt, uint64_t unit_ns)
{
    const unsigned shift = attempt + 2 < 8 ? attempt + 2 : 8;
    uint64_t slot = 0, ns;
    struct timespec ts;
    if (ia_random(cx, &slot, sizeof slot) != IA_OK)
        ia_ctx_clear(cx);
    ns = (slot % (1ull << shift)) * (unit_ns + unit_ns / 10);
    ns = ns > MAX_SLOT_NS ? MAX_SLOT_NS : ns;
    ts.tv_sec = (time_t)(ns / 1000000000u);
    ts.tv_nsec = (long)(ns % 1000000000u);
    nanosleep(&ts, NULL);
}

/* A transaction file of an attempt that lost; nothing names it. */
static void drop_txn_file(ia_ctx *cx, const ia_dataset *ds, const ia_manifest *m)
{
    char *path;
    if (ia_path_join(cx, &path, ds->dir, "_transactions", m->transaction_file, NULL) != IA_OK ||
        ia_objstore_remove(cx, ds->os, path) != IA_OK)
        ia_ctx_clear(cx);
    ia_free(path);
}

/* After a put that did not succeed: the name may hold our own manifest (an answer that was lost),
 * another writer's, or nothing (then the put's own failure stands). */
static ia_status who_won(ia_ctx *cx, const ia_dataset *on, const char *path, const ia_txn *t,
                         ia_status put, bool *ours)
{
    const ia_error why = cx->err;
    ia_status st;
    ia_ctx_clear(cx);
    st = ia_manifest_is_ours(cx, on->os, path, t->uuid, ours);
    if (put != IA_ERR_EXISTS && (st != IA_OK || !*ours)) {
        cx->err = why;
        return put;
    }
    return st;
}

/* One attempt on top of `on`: *next set when it became the version after it. */
static ia_status attempt(ia_ctx *cx, ia_dataset *on, ia_txn *t, ia_durability d, ia_manifest **next)
{
    const ia_apply_options opt = {.now_us = ia_now_us(), .put_flags = flags_of(d)};
    ia_bytes file = {0}, pb = {0};
    ia_manifest *m = NULL;
    char *path = NULL;
    bool ours = true;
    ia_status st;

    *next = NULL;
    IA_GO(ia_txn_build(cx, on, t, &opt, &m, &file, &pb));
    IA_GO(ia_manifest_path(cx, on->dir, m->version, &path));
    IA_GO(ia_txn_file_put(cx, on->os, on->dir, m, &pb, flags_of(d)));
    st = ia_objstore_put(cx, on->os, path, file.data, file.len,
                         flags_of(d) | IA_PUT_IF_ABSENT); /* commit point */
    if (st != IA_OK)
        IA_GO(who_won(cx, on, path, t, st, &ours));
    if (!ours)
        drop_txn_file(cx, on, m);
    if (ours) {
        *next = m;
        m = NULL;
    }
done:
    ia_manifest_release(m);
    ia_bytes_dispose(&file);
    ia_bytes_dispose(&pb);
    ia_free(path);
    return st;
}

/* Moves *on to the newest version after checking what came between. */
static ia_status rebase(ia_ctx *cx, ia_dataset **on, ia_txn *t)
{
    ia_dataset *latest;
    ia_status st;
    IA_TRY(ia_dataset_open(cx, (*on)->os, (*on)->root, (*on)->branch, 0, &latest));
    if (latest->m->version <= (*on)->m->version) {
        ia_dataset_release(latest);
        return IA_OK;
    }
    latest->relocate = (*on)->relocate;
    st = ia_txn_check(cx, t, *on, latest);
    if (st != IA_OK) {
        ia_dataset_release(latest);
        return st;
    }
    if (t->form == IA_TXN_DELETE || t->form == IA_TXN_UPDATE)
        t->read_version = latest->m->version; /* its post-images are of this version */
    ia_dataset_release(*on);
    *on = latest;
    return IA_OK;
}

static ia_status finish(ia_ctx *cx, ia_dataset *ds, ia_manifest *m, ia_dataset **out)
{
    if (ia_hint_put(cx, ds->os, ds->dir, m->version) != IA_OK)
        ia_ctx_clear(cx); /* committed all the same */
    IA_TRY(ia_dataset_bind(cx, ds->os, ds->root, ds->branch, m, out));
    (*out)->relocate = ds->relocate;
    ia_dataset_share_files(*out, ds->files);
    return ia_dataset_set_keys(cx, *out, (const char *const *)ds->key_columns, ds->n_key_columns);
}

ia_status ia_table_commit(ia_ctx *cx, ia_dataset *ds, ia_txn *t, ia_durability d, ia_dataset **out)
{
    ia_dataset *on = ia_dataset_retain(ds);
    ia_manifest *m = NULL;
    uint64_t unit = 0;
    ia_status st = IA_OK;

    *out = NULL;
    if (ds->old_names)
        IA_GO(ia_fail(cx, IA_ERR_UNSUPPORTED,
                      "%s uses the older manifest names; migrate them before writing", ds->dir));
    if (hint_is_newer(cx, on))
        IA_GO(rebase(cx, &on, t));
    for (unsigned i = 0; i < MAX_ATTEMPTS && !m; i++) {
        const uint64_t begin = ia_mono_ns();
        IA_GO(ia_check(cx, i, MAX_ATTEMPTS));
        if (i > 0) {
            back_off(cx, i - 1, unit);
            IA_GO(rebase(cx, &on, t));
        }
        IA_GO(attempt(cx, on, t, d, &m));
        unit = unit ? unit : ia_mono_ns() - begin;
    }
    if (!m)
        IA_GO(ia_fail(cx, IA_ERR_CONFLICT, "%s: other writers won %u times in a row; try again",
                      ds->dir, MAX_ATTEMPTS));
    IA_GO(finish(cx, ds, m, out));
done:
    ia_manifest_release(m);
    ia_dataset_release(on);
    return st;
}

ia_status ia_table_create(ia_ctx *cx, ia_objstore *os, const char *root, const ia_schema *s,
                          ia_durability d, ia_dataset **out)
{
    ia_manifest *m = NULL;
    ia_txn t = {0};
    ia_bytes file = {0}, pb = {0};
    char *path = NULL;
    uint64_t version;
    ia_status st;

    *out = NULL;
    st = ia_dataset_latest(cx, os, root, NULL, &version);
    if (st == IA_OK)
        IA_GO(ia_fail(cx, IA_ERR_EXISTS, "there is a dataset at %s already", root));
    if (st != IA_ERR_NOT_FOUND)
        IA_GO(st);
    ia_ctx_clear(cx);
    IA_GO(ia_manifest_create(cx, s, "2.1", ia_now_us(), &t, &m));
    IA_GO(ia_txn_encode(cx, &t, NULL, m, &pb));
    IA_GO(ia_manifest_encode(cx, m, pb.data, pb.len, &file));
    IA_GO(ia_manifest_path(cx, root, 1, &path));
    IA_GO(ia_txn_file_put(cx, os, root, m, &pb, flags_of(d)));
    IA_GO(ia_objstore_put(cx, os, path, file.data, file.len,
                          flags_of(d) | IA_PUT_IF_ABSENT)); /* commit point */
    if (ia_hint_put(cx, os, root, 1) != IA_OK)
        ia_ctx_clear(cx);
    IA_GO(ia_bytes_copy(cx, pb.data, pb.len, &m->transaction));
    IA_GO(ia_dataset_bind(cx, os, root, NULL, m, out));
done:
    ia_txn_dispose(&t);
    ia_manifest_release(m);
    ia_bytes_dispose(&file);
    ia_bytes_dispose(&pb);
    ia_free(path);
    return st;
}

/* Columns of b in the table's order and types; missing nullable ones become null. */
static ia_status align_batch(ia_ctx *cx, const ia_schema *s, const ia_batch *b, ia_batch **out)
{
    ia_array **cols;
    ia_status st = IA_OK;
    *out = NULL;
    for (size_t i = 0; i < b->schema->n_fields; i++) {
        if (ia_schema_find(s, b->schema->fields[i].name) < 0)
            return ia_fail(cx, IA_ERR_INVALID, "the table has no column '%s'",
                           b->schema->fields[i].name);
    }
    IA_TRY(IA_NEW_ARRAY(cx, cols, s->n_fields));
    for (size_t i = 0; i < s->n_fields && st == IA_OK; i++) {
        const ia_array *have = ia_batch_col(b, s->fields[i].name);
        if (!have && !s->fields[i].nullable)
            st = ia_fail(cx, IA_ERR_INVALID, "the rows lack column '%s', which may not be null",
                         s->fields[i].name);
        else if (!have)
            st = ia_array_nulls(cx, s->fields[i].type, b->rows, &cols[i]);
        else if (ia_type_equal(have->type, s->fields[i].type))
            cols[i] = ia_array_retain(have);
        else
            st = ia_fail_prefix(cx, ia_cast_array(cx, have, s->fields[i].type, &cols[i]),
                                "column '%s'", s->fields[i].name);
    }
    if (st == IA_OK) {
        st = ia_batch_make(cx, s, b->rows, cols, out);
        ia_free(cols);
        return st;
    }
    for (size_t i = 0; i < s->n_fields; i++)
        ia_array_release(cols[i]);
    ia_free(cols);
    return st;
}

static ia_status write_rows(ia_ctx *cx, ia_dataset *ds, ia_stream *rows, ia_durability d,
                            ia_fragment **frags, size_t *n)
{
    ia_fragwriter_options opt = {.put_flags = flags_of(d)};
    ia_fragwriter *w = NULL;
    ia_batch *b = NULL, *aligned = NULL;
    ia_status st;

    *frags = NULL;
    *n = 0;
    opt.key_columns = (const char *const *)ds->key_columns;
    opt.n_key_columns = ds->n_key_columns;
    IA_GO(ia_manifest_minor(cx, ds->m, &opt.minor));
    IA_GO(ia_fragwriter_open(cx, ds->os, ds->dir, &ds->m->schema, ds->m->arrow, &opt, &w));
    for (;;) {
        IA_GO(ia_check(cx, 0, 0));
        IA_GO(ia_stream_next(cx, rows, &b));
        if (!b)
            break;
        IA_GO(align_batch(cx, ds->m->arrow, b, &aligned));
        IA_GO(ia_fragwriter_write(cx, w, aligned, NULL));
        ia_batch_release(b);
        ia_batch_release(aligned);
        b = aligned = NULL;
    }
    IA_GO(ia_fragwriter_finish(cx, w, frags, n));
done:
    ia_batch_release(b);
    ia_batch_release(aligned);
    ia_fragwriter_close(w);
    return st;
}

ia_status ia_table_append(ia_ctx *cx, ia_dataset *ds, ia_stream *rows, ia_durability d,
                          ia_dataset **out)
{
    ia_fragment *frags = NULL;
    size_t n = 0;
    ia_txn t = {0};
    ia_status st;

    *out = NULL;
    IA_GO(write_rows(cx, ds, rows, d, &frags, &n));
    IA_GO(ia_txn_init(cx, &t, IA_TXN_APPEND, ds->m->version));
    for (size_t i = 0; i < n; i++) {
        ia_action *a;
        IA_GO(ia_txn_add(cx, &t, IA_ACT_ADD_FRAGMENT, &a));
        a->fragment = frags[i];
        memset(&frags[i], 0, sizeof frags[i]);
    }
    IA_GO(ia_table_commit(cx, ds, &t, d, out));
done:
    ia_txn_dispose(&t);
    ia_fragments_free(frags, n);
    return st;
}
