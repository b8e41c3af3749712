/* store.c - an open graph: paths, format file, catalogs, claims on dataset directories. */
#include "graph/graph_priv.h"

#include <stdarg.h>

void ia_cache_ctx(const ia_graph *g, const ia_ctx *cx, ia_ctx *sub)
{
    ia_ctx_init(sub, g->cache->budget);
    sub->cancel = cx->cancel;
}

/* ---- paths ----------------------------------------------------------------------------------- */
ia_status ia_graph_path(ia_ctx *cx, const ia_graph *g, char **out, ...)
{
    ia_buf b = {0};
    const char *part;
    va_list ap;

    *out = NULL;
    ia_buf_puts(cx, &b, g->root);
    ia_buf_puts(cx, &b, "/_graph");
    va_start(ap, out);
    while ((part = va_arg(ap, const char *)) != NULL) {
        ia_buf_putc(cx, &b, '/');
        ia_buf_puts(cx, &b, part);
    }
    va_end(ap);
    return ia_buf_finish_str(cx, &b, out);
}

ia_status ia_graph_dataset_root(ia_ctx *cx, const ia_graph *g, const char *dir, char **out)
{
    return ia_path_join(cx, out, g->root, dir, NULL);
}

/* ---- open and close -------------------------------------------------------------------------- */
static ia_status read_format(ia_ctx *cx, ia_rec *r, ia_graph *g)
{
    uint64_t format;

    IA_TRY(ia_rec_u64(r, "format", &format));
    if (format != IA_GRAPH_FORMAT)
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "the graph at %s has format %llu, this version reads format %u", g->root,
                       (unsigned long long)format, IA_GRAPH_FORMAT);
    IA_TRY(ia_rec_ulid(r, "graph_id", false, g->graph_id));
    IA_TRY(ia_rec_ulid(r, "main", false, g->main_incarnation));
    IA_TRY(ia_rec_dup(r, "root", false, &g->recorded_root));
    IA_TRY(ia_rec_i64(r, "created_us", &g->created_us));
    return ia_rec_end(r);
}

static ia_status load_format(ia_ctx *cx, ia_graph *g)
{
    ia_json *root = NULL;
    char *path = NULL;
    ia_rec r;
    ia_status st;

    IA_GO(ia_graph_path(cx, g, &path, "format.json", NULL));
    st = ia_rec_load(cx, g->os, path, &root);
    if (st == IA_ERR_NOT_FOUND)
        st = ia_fail(cx, IA_ERR_NOT_FOUND,
                     "no graph at %s (there is no _graph/format.json); create one with "
                     "\"inarch init\" and a .pg schema, or check the path",
                     g->root);
    IA_GO(st);
    IA_GO(ia_rec_begin(cx, root, path, &r));
    IA_GO(read_format(cx, &r, g));
done:
    ia_json_free(root);
    ia_free(path);
    return st;
}

/* An idle file holds some 64 KiB: all of them at most a sixteenth of the memory. */
static size_t idle_files(const ia_ctx *cx)
{
    const uint64_t n = ia_budget_left(cx->budget) >> 20;

    return n > IA_IDLE_FILES ? IA_IDLE_FILES : n < 4 ? 4 : (size_t)n;
}

static ia_status new_cache(ia_ctx *cx, struct ia_graph_cache **out)
{
    struct ia_graph_cache *c;

    *out = NULL;
    IA_TRY(IA_NEW(cx, c));
    c->budget = ia_budget_new(cx->budget, 0);
    if (!c->budget) {
        ia_free(c);
        return ia_fail(cx, IA_ERR_NO_MEMORY, "no memory for a budget");
    }
    if (ia_file_pool_new(cx, idle_files(cx), &c->files) != IA_OK) {
        ia_budget_drop(c->budget);
        ia_free(c);
        return cx->err.code;
    }
    *out = c;
    return IA_OK;
}

static ia_status probe(ia_ctx *cx, const ia_graph *g)
{
    char *dir = NULL;
    ia_status st;

    IA_GO(ia_graph_path(cx, g, &dir, NULL));
    IA_GO(ia_objstore_probe(cx, g->os, dir));
done:
    ia_free(dir);
    return st;
}

ia_status ia_graph_shell(ia_ctx *cx, ia_objstore *os, const char *root, const ia_graph_options *opt,
                         ia_graph **out)
{
    ia_graph *g = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW(cx, g));
    g->os = os;
    g->durability = opt ? opt->durability : IA_FULL;
    IA_GO(IA_SET(cx, g->root, ia_strdup(cx, root)));
    IA_GO(new_cache(cx, &g->cache));
    *out = g;
    g = NULL;
done:
    ia_graph_close(g);
    return st;
}

ia_status ia_graph_open(ia_ctx *cx, ia_objstore *os, const char *root, const ia_graph_options *opt,
                        ia_graph **out)
{
    ia_graph *g = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(ia_graph_shell(cx, os, root, opt, &g));
    IA_GO(load_format(cx, g));
    if (opt && opt->for_writing)
        IA_GO(probe(cx, g));
    *out = g;
    g = NULL;
done:
    ia_graph_close(g);
    return st;
}

/* Everything that can be read again; catalogs stay, callers borrow them. */
static void cache_empty(struct ia_graph_cache *c)
{
    for (size_t i = 0; i < IA_COMMIT_SLOTS; i++) {
        ia_commit_free(c->commits[i]);
        c->commits[i] = NULL;
    }
    for (size_t i = 0; i < IA_DATASET_SLOTS; i++) {
        ia_free(c->datasets[i].key);
        ia_dataset_release(c->datasets[i].ds);
        c->datasets[i] = (ia_dataset_slot){0};
    }
    ia_file_pool_empty(c->files);
}

void ia_graph_trim(ia_graph *g)
{
    cache_empty(g->cache);
}

static void cache_free(struct ia_graph_cache *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n_catalogs; i++)
        ia_catalog_release(c->catalogs[i].cat);
    ia_free(c->catalogs);
    cache_empty(c);
    ia_file_pool_release(c->files);
    ia_budget_drop(c->budget);
    ia_free(c);
}

void ia_graph_close(ia_graph *g)
{
    if (!g)
        return;
    cache_free(g->cache);
    if (g->owns_os)
        ia_objstore_close(g->os);
    ia_free(g->root);
    ia_free(g->recorded_root);
    ia_free(g);
}

/* ---- catalogs -------------------------------------------------------------------------------- */
static ia_status read_catalog(ia_ctx *cx, ia_graph *g, const char *hash, ia_catalog **out)
{
    ia_bytes raw = {0};
    uint8_t digest[32];
    char hex[65], *path = NULL, *file = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(IA_SET(cx, file, ia_sprintf(cx, "%s.json", hash)));
    IA_GO(ia_graph_path(cx, g, &path, "schemas", file, NULL));
    IA_GO(ia_objstore_get(cx, g->os, path, &raw));
    ia_sha256(raw.data, raw.len, digest);
    ia_hex(digest, sizeof digest, hex);
    if (strcmp(hex, hash) != 0)
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "%s: the content does not have the hash in its name",
                      path));
    IA_GO(ia_catalog_from_json(cx, (const char *)raw.data, raw.len, out));
done:
    if (st != IA_OK)
        st = ia_fail_prefix(cx, st == IA_ERR_NOT_FOUND ? IA_ERR_CORRUPT : st,
                            "schema of the graph at %s", g->root);
    ia_bytes_dispose(&raw);
    ia_free(path);
    ia_free(file);
    return st;
}

ia_status ia_graph_catalog(ia_ctx *cx, ia_graph *g, const char *schema_hash, const ia_catalog **out)
{
    struct ia_graph_cache *c = g->cache;
    ia_catalog *cat;
    ia_ctx sub;
    ia_status st;

    *out = NULL;
    for (size_t i = 0; i < c->n_catalogs; i++)
        if (strcmp(c->catalogs[i].hash, schema_hash) == 0) {
            *out = c->catalogs[i].cat;
            return IA_OK;
        }
    ia_cache_ctx(g, cx, &sub);
    st = IA_GROW(&sub, c->catalogs, c->cap_catalogs, c->n_catalogs + 1);
    if (st == IA_OK)
        st = read_catalog(&sub, g, schema_hash, &cat);
    if (st != IA_OK) {
        cx->err = sub.err;
        return st;
    }
    memcpy(c->catalogs[c->n_catalogs].hash, schema_hash, sizeof c->catalogs[0].hash);
    c->catalogs[c->n_catalogs++].cat = cat;
    *out = cat;
    return IA_OK;
}

/* ---- claims ---------------------------------------------------------------------------------- */
static ia_status claimed_below(ia_ctx *cx, ia_objstore *os, const char *root, const char *name,
                               size_t name_len, bool *out)
{
    char *format = NULL, *claim = NULL;
    bool there;
    ia_status st;

    *out = false;
    IA_GO(IA_SET(cx, format, ia_sprintf(cx, "%s/_graph/format.json", root)));
    IA_GO(IA_SET(cx, claim, ia_sprintf(cx, "%s/_graph/dirs/%.*s", root, (int)name_len, name)));
    IA_GO(ia_path_there(cx, os, format, &there));
    if (there)
        IA_GO(ia_path_there(cx, os, claim, out));
done:
    ia_free(format);
    ia_free(claim);
    return st;
}

ia_status ia_graph_claims(ia_ctx *cx, ia_objstore *os, const char *path, char **graph_root)
{
    char *root = NULL;
    ia_status st;

    *graph_root = NULL;
    IA_GO(IA_SET(cx, root, ia_strdup(cx, path)));
    for (size_t n = strlen(root); n > 0;) {
        size_t cut = n;
        bool claimed;
        while (cut > 0 && root[cut - 1] != '/')
            cut--;
        if (cut < 2 || n == cut || n - cut > 255)
            break;
        root[cut - 1] = 0;
        IA_GO(claimed_below(cx, os, root, path + cut, n - cut, &claimed));
        if (claimed) {
            *graph_root = root;
            root = NULL;
            break;
        }
        n = cut - 1;
    }
done:
    ia_free(root);
    return st;
}
