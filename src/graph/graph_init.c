/* graph_init.c - makes a graph: schema, claims, first versions, main, genesis, format file. */
/* Nothing exists until format.json does, and it names main's incarnation: whatever a crashed or
 * losing attempt left below _graph is inert. Claims and empty first versions that such an attempt
 * left are taken over when they fit. */
#include "graph/graph_priv.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct maker {
    ia_graph *g; /* not open yet: root, store and durability only */
    ia_catalog *cat;
    char hash[65];
    const char *actor;
    ia_commit *genesis;
} maker;

static ia_status put_schema(ia_ctx *cx, maker *k)
{
    ia_bytes json = {0};
    uint8_t digest[32];
    char *file = NULL, *path = NULL;
    ia_status st;

    IA_GO(ia_catalog_to_json(cx, k->cat, &json));
    ia_sha256(json.data, json.len, digest);
    ia_hex(digest, sizeof digest, k->hash);
    IA_GO(IA_SET(cx, file, ia_sprintf(cx, "%s.json", k->hash)));
    IA_GO(ia_graph_path(cx, k->g, &path, "schemas", file, NULL));
    st = ia_rec_put(cx, k->g, path, json.data, json.len);
    if (st == IA_ERR_EXISTS) { /* addressed by content: equal */
        ia_ctx_clear(cx);
        st = IA_OK;
    }
done:
    ia_bytes_dispose(&json);
    ia_free(file);
    ia_free(path);
    return st;
}

/* ---- directories ----------------------------------------------------------------------------- */
static const char *kind_name(const ia_type_def *t)
{
    return t->kind == IA_KIND_EDGE ? "edge" : "node";
}

/* Kind and name only: ids change when the schema is mended between a crashed init and the next. */
static ia_status claim_text(ia_ctx *cx, const ia_type_def *t, ia_bytes *out)
{
    ia_jsonw w;
    ia_status st;

    ia_jsonw_init(&w, cx, 0);
    ia_jsonw_object(&w);
    ia_jsonw_key(&w, "kind");
    ia_jsonw_str(&w, kind_name(t));
    ia_jsonw_key(&w, "name");
    ia_jsonw_str(&w, t->name);
    ia_jsonw_end_object(&w);
    st = ia_jsonw_finish(&w, out);
    ia_jsonw_dispose(&w);
    return st;
}

/* Version 1 of an empty table with this schema and nothing after it: what another attempt made. */
static ia_status fits(ia_ctx *cx, maker *k, const char *root, const ia_type_def *t,
                      ia_dataset **out)
{
    ia_dataset *ds = NULL;
    uint64_t latest;
    ia_status st;

    *out = NULL;
    IA_GO(ia_dataset_latest(cx, k->g->os, root, NULL, &latest));
    if (latest != 1)
        goto done;
    IA_GO(ia_dataset_open(cx, k->g->os, root, NULL, 1, &ds));
    if (ds->m->n_fragments == 0 && ds->m->stable_row_ids &&
        ia_schema_equal(ds->m->arrow, t->arrow_schema)) {
        *out = ds;
        ds = NULL;
    }
done:
    ia_dataset_release(ds);
    return st;
}

static ia_status has_dataset(ia_ctx *cx, maker *k, const char *root, bool *out)
{
    uint64_t latest;
    const ia_status st = ia_dataset_latest(cx, k->g->os, root, NULL, &latest);

    *out = st == IA_OK;
    if (st != IA_ERR_NOT_FOUND)
        return st;
    ia_ctx_clear(cx);
    return IA_OK;
}

/* Takes the name; *taken false when it belongs to another type. A dataset in the way that nobody
 * claimed is somebody's data: refused before anything is written there. */
static ia_status claim(ia_ctx *cx, maker *k, const ia_type_def *t, const char *dir,
                       const char *root, bool *taken)
{
    ia_bytes text = {0}, there = {0};
    char *path = NULL;
    bool claimed, foreign;
    ia_status st;

    *taken = false;
    IA_GO(ia_graph_path(cx, k->g, &path, "dirs", dir, NULL));
    IA_GO(claim_text(cx, t, &text));
    IA_GO(ia_path_there(cx, k->g->os, path, &claimed));
    IA_GO(has_dataset(cx, k, root, &foreign));
    if (!claimed && foreign)
        IA_GO(
            ia_fail(cx, IA_ERR_EXISTS,
                    "%s holds a Lance dataset that is not part of a graph; move it away or choose "
                    "another directory for the graph",
                    root));
    st = ia_rec_put(cx, k->g, path, text.data, text.len);
    if (st == IA_OK) {
        *taken = true;
    } else if (st == IA_ERR_EXISTS) {
        ia_ctx_clear(cx);
        IA_GO(ia_objstore_get(cx, k->g->os, path, &there));
        *taken = there.len == text.len && memcmp(there.data, text.data, text.len) == 0;
    }
done:
    ia_bytes_dispose(&text);
    ia_bytes_dispose(&there);
    ia_free(path);
    return st;
}

static ia_status open_or_create(ia_ctx *cx, maker *k, const ia_type_def *t, const char *root,
                                ia_dataset **out)
{
    ia_status st = ia_table_create(cx, k->g->os, root, t->arrow_schema, k->g->durability, out);

    if (st == IA_ERR_EXISTS) {
        ia_ctx_clear(cx);
        st = fits(cx, k, root, t, out);
    }
    return st;
}

/* One name of a type: "Person.lance", "Person.1.lance", ... *out NULL when it cannot be had. */
static ia_status try_dir(ia_ctx *cx, maker *k, const ia_type_def *t, unsigned number, char **dir,
                         ia_dataset **out)
{
    char *root = NULL;
    bool taken;
    ia_status st;

    *out = NULL;
    *dir = number == 0 ? ia_sprintf(cx, "%s.lance", t->name)
                       : ia_sprintf(cx, "%s.%u.lance", t->name, number);
    IA_GO(*dir ? IA_OK : cx->err.code);
    if (!ia_dataset_dir_ok(*dir))
        IA_GO(ia_fail(cx, IA_ERR_UNSUPPORTED, "type name '%s' cannot name a directory", t->name));
    IA_GO(ia_graph_dataset_root(cx, k->g, *dir, &root));
    IA_GO(claim(cx, k, t, *dir, root, &taken));
    if (taken)
        IA_GO(open_or_create(cx, k, t, root, out));
done:
    ia_free(root);
    return st;
}

/* ---- tables ---------------------------------------------------------------------------------- */
static ia_status hold(ia_ctx *cx, maker *k, const char *dir)
{
    char *root = NULL, *path = NULL;
    ia_objmeta meta;
    ia_status st;

    IA_GO(ia_graph_dataset_root(cx, k->g, dir, &root));
    IA_GO(ia_revealed_path(cx, k->g, dir, NULL, 1, &path));
    IA_GO(ia_objstore_head(cx, k->g->os, path, &meta));
    IA_GO(ia_tag_put(cx, k->g->os, root, "inarch-hold-main", NULL, 1, meta.size, ia_now_us(),
                     ia_graph_put_flags(k->g)));
done:
    ia_free(root);
    ia_free(path);
    return st;
}

static ia_status make_table(ia_ctx *cx, maker *k, const ia_type_def *t, ia_entry *e)
{
    ia_dataset *ds = NULL;
    uint32_t operation;
    ia_status st = IA_OK;

    for (unsigned i = 0; !ds && i < 1000; i++) {
        ia_free(e->dir);
        e->dir = NULL;
        IA_GO(try_dir(cx, k, t, i, &e->dir, &ds));
    }
    if (!ds)
        IA_GO(ia_fail(cx, IA_ERR_EXISTS, "%s: a thousand directories for type %s are taken",
                      k->g->root, t->name));
    e->type_id = t->type_id;
    e->incarnation = t->incarnation;
    e->first_version = e->last_version = 1;
    memcpy(e->owner, k->g->main_incarnation, sizeof e->owner);
    IA_GO(ia_manifest_txn(cx, ds->m, e->txn_uuid, &operation));
    if (e->txn_uuid[0] == 0)
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "%s: version 1 does not name its transaction", ds->root));
    IA_GO(hold(cx, k, e->dir));
done:
    ia_dataset_release(ds);
    return st;
}

static int entry_cmp(const void *a, const void *b)
{
    const ia_entry *x = a, *y = b;
    return x->type_id < y->type_id ? -1 : x->type_id > y->type_id;
}

/* ---- main ------------------------------------------------------------------------------------ */
static ia_status put_genesis(ia_ctx *cx, maker *k)
{
    ia_commit *c = k->genesis;

    IA_TRY(ia_ulid_new(cx, c->ref.id));
    memcpy(c->ref.incarnation, k->g->main_incarnation, sizeof c->ref.incarnation);
    c->kind = IA_COMMIT_GENESIS;
    c->time_us = k->g->created_us;
    c->evaluator = IA_EVALUATOR_VERSION;
    memcpy(c->schema_hash, k->hash, sizeof c->schema_hash);
    IA_TRY(IA_SET(cx, c->branch, ia_strdup(cx, "main")));
    IA_TRY(IA_SET(cx, c->actor, ia_strdup(cx, k->actor ? k->actor : "")));
    return ia_commit_put(cx, k->g, c);
}

/* Free life of main's name: a crashed attempt's file stays behind and means nothing. */
static ia_status put_main_ref(ia_ctx *cx, maker *k)
{
    char *dir = NULL, *path = NULL, *text = NULL, file[32];
    uint64_t life;
    bool found;
    ia_status st;

    IA_GO(ia_graph_path(cx, k->g, &dir, "refs", "main", NULL));
    IA_GO(ia_rev_newest(cx, k->g->os, dir, &found, &life));
    for (life = found ? life + 1 : 0;; life++) {
        ia_free(path);
        ia_free(text);
        path = text = NULL;
        ia_rev_name(life, file);
        IA_GO(ia_path_join(cx, &path, dir, file, NULL));
        IA_GO(IA_SET(
            cx, text,
            ia_sprintf(cx,
                       "{\"format\":1,\"name\":\"main\",\"life\":%llu,\"incarnation\":\"%s\","
                       "\"fork\":{\"id\":\"\",\"incarnation\":\"\",\"n\":0},\"created_us\":%lld}",
                       (unsigned long long)life, k->g->main_incarnation,
                       (long long)k->g->created_us)));
        st = ia_rec_put(cx, k->g, path, text, strlen(text));
        if (st != IA_ERR_EXISTS)
            break;
        ia_ctx_clear(cx);
    }
done:
    ia_free(dir);
    ia_free(path);
    ia_free(text);
    return st;
}

static ia_status format_exists(ia_ctx *cx, const ia_graph *g)
{
    return ia_fail(cx, IA_ERR_EXISTS, "there is a graph at %s already", g->root);
}

static ia_status put_format(ia_ctx *cx, maker *k)
{
    const ia_graph *g = k->g;
    ia_bytes text = {0};
    char *path = NULL;
    ia_jsonw w;
    ia_status st;

    ia_jsonw_init(&w, cx, 0);
    IA_GO(ia_graph_path(cx, g, &path, "format.json", NULL));
    ia_jsonw_object(&w);
    ia_jsonw_key(&w, "format");
    ia_jsonw_u64(&w, IA_GRAPH_FORMAT);
    ia_jsonw_key(&w, "graph_id");
    ia_jsonw_str(&w, g->graph_id);
    ia_jsonw_key(&w, "main");
    ia_jsonw_str(&w, g->main_incarnation);
    ia_jsonw_key(&w, "root");
    ia_jsonw_str(&w, g->root);
    ia_jsonw_key(&w, "created_us");
    ia_jsonw_i64(&w, g->created_us);
    ia_jsonw_end_object(&w);
    IA_GO(ia_jsonw_finish(&w, &text));
    st = ia_rec_put(cx, g, path, text.data, text.len); /* commit point */
    if (st == IA_ERR_EXISTS)
        st = format_exists(cx, g);
done:
    ia_jsonw_dispose(&w);
    ia_bytes_dispose(&text);
    ia_free(path);
    return st;
}

static ia_status make_graph(ia_ctx *cx, maker *k)
{
    ia_commit *c;

    IA_TRY(put_schema(cx, k));
    IA_TRY(IA_NEW(cx, k->genesis));
    c = k->genesis;
    IA_TRY(IA_NEW_ARRAY(cx, c->entries, k->cat->n_types));
    c->n_entries = k->cat->n_types;
    for (size_t i = 0; i < c->n_entries; i++) {
        IA_TRY(ia_check(cx, i, c->n_entries));
        IA_TRY(make_table(cx, k, k->cat->types[i], &c->entries[i]));
    }
    qsort(c->entries, c->n_entries, sizeof *c->entries, entry_cmp);
    IA_TRY(put_main_ref(cx, k));
    IA_TRY(put_genesis(cx, k));
    return put_format(cx, k);
}

static ia_status check_free(ia_ctx *cx, const ia_graph *g)
{
    char *format = NULL, *dir = NULL;
    bool there;
    ia_status st;

    IA_GO(ia_graph_path(cx, g, &format, "format.json", NULL));
    IA_GO(ia_graph_path(cx, g, &dir, NULL));
    IA_GO(ia_path_there(cx, g->os, format, &there));
    if (there)
        IA_GO(format_exists(cx, g));
    IA_GO(ia_objstore_probe(cx, g->os, dir));
done:
    ia_free(format);
    ia_free(dir);
    return st;
}

ia_status ia_graph_init(ia_ctx *cx, ia_objstore *os, const char *root, const char *pg_source,
                        const char *pg_path, const char *actor, const ia_graph_options *opt)
{
    ia_graph *g = NULL;
    maker k = {.actor = actor};
    ia_status st;

    IA_GO(ia_graph_shell(cx, os, root, opt, &g));
    k.g = g;
    g->created_us = ia_now_us();
    IA_GO(ia_ulid_new(cx, g->graph_id));
    IA_GO(ia_ulid_new(cx, g->main_incarnation));
    IA_GO(ia_catalog_from_source(cx, pg_source, strlen(pg_source), pg_path, &k.cat));
    IA_GO(check_free(cx, g));
    IA_GO(make_graph(cx, &k));
done:
    ia_commit_free(k.genesis);
    ia_catalog_release(k.cat);
    ia_graph_close(g);
    return st;
}
