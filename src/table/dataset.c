/* dataset.c - opens versions of a dataset and says where its files lie. */
#include "table/table_priv.h"

#include <stdio.h>
#include <stdlib.h>

#define OWN_IDLE_FILES 32u
#define V2_NAME_LEN 29u /* 20 digits and ".manifest" */

/* ---- names ---------------------------------------------------------------------------------- */

static bool parse_digits(const char *s, size_t n, uint64_t *out)
{
    uint64_t v = 0;
    if (n == 0 || n > 20)
        return false;
    for (size_t i = 0; i < n; i++) {
        const uint64_t d = (uint64_t)(s[i] - '0');
        if (s[i] < '0' || s[i] > '9' || v > (UINT64_MAX - d) / 10)
            return false;
        v = v * 10 + d;
    }
    *out = v;
    return true;
}

/* Either naming scheme; false for every other name (table format 1.4). */
static bool parse_manifest_name(const char *name, uint64_t *version)
{
    const size_t n = strlen(name);
    uint64_t v;
    if (n < 10 || strcmp(name + n - 9, ".manifest") != 0 || !parse_digits(name, n - 9, &v))
        return false;
    *version = n == V2_NAME_LEN ? UINT64_MAX - v : v;
    return *version != 0;
}

ia_status ia_manifest_path(ia_ctx *cx, const char *dir, uint64_t version, char **out)
{
    char name[40];
    ia_manifest_name(version, name);
    return ia_path_join(cx, out, dir, "_versions", name, NULL);
}

static ia_status branch_dir(ia_ctx *cx, const char *root, const char *branch, char **out)
{
    return branch ? ia_path_join(cx, out, root, "tree", branch, NULL)
                  : IA_SET(cx, *out, ia_strdup(cx, root));
}

static int cmp_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static ia_status list_versions(ia_ctx *cx, ia_objstore *os, const char *dir, uint64_t **out,
                               size_t *n)
{
    ia_objlist names = {0};
    char *versions_dir = NULL;
    uint64_t *v = NULL;
    size_t count = 0;
    ia_status st;

    *out = NULL;
    *n = 0;
    IA_GO(ia_path_join(cx, &versions_dir, dir, "_versions", NULL));
    IA_GO(ia_objstore_list(cx, os, versions_dir, NULL, 0, &names));
    IA_GO(IA_NEW_ARRAY(cx, v, names.n));
    for (size_t i = 0; i < names.n; i++) {
        if (parse_manifest_name(names.names[i], &v[count]))
            count++;
    }
    if (count > 1)
        qsort(v, count, sizeof *v, cmp_u64);
    *out = v;
    *n = count;
    v = NULL;
done:
    ia_free(v);
    ia_objlist_dispose(&names);
    ia_free(versions_dir);
    return st;
}

static ia_status latest_in(ia_ctx *cx, ia_objstore *os, const char *dir, uint64_t *version)
{
    ia_objlist names = {0};
    char *versions_dir = NULL;
    uint64_t *all = NULL;
    size_t n = 0;
    ia_status st;

    *version = 0;
    IA_GO(ia_path_join(cx, &versions_dir, dir, "_versions", NULL));
    /* V2 names list newest first; "/" sorts right before the digits and after dot names */
    IA_GO(ia_objstore_list(cx, os, versions_dir, "/", 1, &names));
    if (names.n == 1 && strlen(names.names[0]) == V2_NAME_LEN &&
        parse_manifest_name(names.names[0], version))
        goto done;
    IA_GO(list_versions(cx, os, dir, &all, &n));
    if (n == 0)
        IA_GO(ia_fail(cx, IA_ERR_NOT_FOUND, "no dataset version in %s", versions_dir));
    *version = all[n - 1];
done:
    ia_free(all);
    ia_objlist_dispose(&names);
    ia_free(versions_dir);
    return st;
}

ia_status ia_dataset_latest(ia_ctx *cx, ia_objstore *os, const char *root, const char *branch,
                            uint64_t *version)
{
    char *dir = NULL;
    ia_status st;
    *version = 0;
    IA_GO(branch_dir(cx, root, branch, &dir));
    IA_GO(latest_in(cx, os, dir, version));
done:
    ia_free(dir);
    return st;
}

ia_status ia_dataset_versions(ia_ctx *cx, ia_objstore *os, const char *root, const char *branch,
                              uint64_t **out, size_t *n)
{
    char *dir = NULL;
    ia_status st;
    *out = NULL;
    *n = 0;
    IA_GO(branch_dir(cx, root, branch, &dir));
    IA_GO(list_versions(cx, os, dir, out, n));
done:
    ia_free(dir);
    return st;
}

/* ---- life ----------------------------------------------------------------------------------- */

ia_dataset *ia_dataset_retain(const ia_dataset *ds)
{
    ia_dataset *w = (ia_dataset *)(uintptr_t)ds;
    if (w)
        atomic_fetch_add_explicit(&w->refs, 1, memory_order_relaxed);
    return w;
}

static void free_keys(ia_dataset *ds)
{
    for (size_t i = 0; i < ds->n_key_columns; i++)
        ia_free(ds->key_columns[i]);
    ia_free(ds->key_columns);
    ds->key_columns = NULL;
    ds->n_key_columns = 0;
}

void ia_dataset_release(ia_dataset *ds)
{
    if (!ds || atomic_fetch_sub_explicit(&ds->refs, 1, memory_order_acq_rel) != 1)
        return;
    ia_dataset_cache_free(ds->cache);
    ia_file_pool_release(ds->files);
    ia_manifest_release(ds->m);
    free_keys(ds);
    ia_free(ds->root);
    ia_free(ds->dir);
    ia_free(ds->branch);
    ia_free(ds);
}

ia_status ia_dataset_bind(ia_ctx *cx, ia_objstore *os, const char *root, const char *branch,
                          ia_manifest *m, ia_dataset **out)
{
    ia_dataset *ds = NULL;
    ia_status st;

    *out = NULL;
    IA_GO(IA_NEW(cx, ds));
    atomic_init(&ds->refs, 1);
    ds->os = os;
    ds->m = ia_manifest_retain(m);
    IA_GO(IA_SET(cx, ds->root, ia_strdup(cx, root)));
    if (branch)
        IA_GO(IA_SET(cx, ds->branch, ia_strdup(cx, branch)));
    IA_GO(branch_dir(cx, root, branch, &ds->dir));
    IA_GO(ia_dataset_cache_new(cx, &ds->cache));
    IA_GO(ia_file_pool_new(cx, OWN_IDLE_FILES, &ds->files));
    *out = ds;
    ds = NULL;
done:
    ia_dataset_release(ds);
    return st;
}

void ia_dataset_share_files(ia_dataset *ds, ia_file_pool *files)
{
    ia_file_pool_release(ds->files);
    ds->files = ia_file_pool_retain(files);
}

/* V2 name first, then V1 (*old). */
static ia_status read_version(ia_ctx *cx, ia_objstore *os, const char *dir, uint64_t version,
                              ia_manifest **out, bool *old)
{
    char *path = NULL, name[40];
    ia_status st;

    *out = NULL;
    *old = false;
    IA_GO(ia_manifest_path(cx, dir, version, &path));
    st = ia_manifest_read(cx, os, path, out);
    if (st == IA_ERR_NOT_FOUND) {
        *old = true;
        snprintf(name, sizeof name, "%llu.manifest", (unsigned long long)version);
        ia_free(path);
        path = NULL;
        IA_GO(ia_path_join(cx, &path, dir, "_versions", name, NULL));
        st = ia_manifest_read(cx, os, path, out);
        if (st == IA_ERR_NOT_FOUND)
            IA_GO(ia_fail(cx, IA_ERR_NOT_FOUND, "dataset %s has no version %llu", dir,
                          (unsigned long long)version));
        ia_ctx_clear(cx);
    }
    IA_GO(st);
    if ((*out)->version != version) {
        st = ia_fail(cx, IA_ERR_CORRUPT, "manifest %s says it is version %llu", path,
                     (unsigned long long)(*out)->version);
        ia_manifest_release(*out);
        *out = NULL;
    }
done:
    ia_free(path);
    return st;
}

ia_status ia_dataset_open(ia_ctx *cx, ia_objstore *os, const char *root, const char *branch,
                          uint64_t version, ia_dataset **out)
{
    ia_manifest *m = NULL;
    char *dir = NULL;
    bool old;
    ia_status st;

    *out = NULL;
    IA_GO(branch_dir(cx, root, branch, &dir));
    if (version == 0)
        IA_GO(latest_in(cx, os, dir, &version));
    IA_GO(read_version(cx, os, dir, version, &m, &old));
    IA_GO(ia_dataset_bind(cx, os, root, branch, m, out));
    (*out)->old_names = old;
done:
    ia_manifest_release(m);
    ia_free(dir);
    return st;
}

ia_status ia_dataset_set_keys(ia_ctx *cx, ia_dataset *ds, const char *const *columns, size_t n)
{
    char **keys = NULL;
    size_t done_n = 0;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, keys, n));
    for (; done_n < n; done_n++)
        IA_GO(IA_SET(cx, keys[done_n], ia_strdup(cx, columns[done_n])));
    free_keys(ds);
    ds->key_columns = keys;
    ds->n_key_columns = n;
    return IA_OK;
done:
    for (size_t i = 0; keys && i < done_n; i++)
        ia_free(keys[i]);
    ia_free(keys);
    return st;
}

/* ---- where files lie ------------------------------------------------------------------------ */

/* Place after the last "/<name of root>" in path that ends there or goes on with "/tree/"; NULL if
 * none. */
static const char *after_own_name(const char *path, const char *root)
{
    const char *name = ia_path_base(root), *found = NULL;
    const size_t n = strlen(name);
    for (const char *p = strchr(path, '/'); p; p = strchr(p + 1, '/')) {
        if (strncmp(p + 1, name, n) == 0 && (p[1 + n] == 0 || strncmp(p + 1 + n, "/tree/", 6) == 0))
            found = p + 1 + n;
    }
    return found;
}

static ia_status base_dir(ia_ctx *cx, const ia_dataset *ds, const ia_basepath *b, char **dir)
{
    const char *path = b->path, *rest;
    size_t n;
    if (strncmp(path, "file://", 7) == 0)
        path += 7;
    else if (strstr(path, "://"))
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "base path '%s' of %s lies in a store this version cannot read", path,
                       ds->root);
    rest = ds->relocate && b->is_dataset_root ? after_own_name(path, ds->root) : NULL;
    if (rest)
        return IA_SET(cx, *dir, ia_sprintf(cx, "%s%s", ds->root, rest));
    n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    return IA_SET(cx, *dir, ia_strndup(cx, path, n));
}

static ia_status find_base(ia_ctx *cx, const ia_dataset *ds, uint32_t id, const ia_basepath **out)
{
    *out = ia_manifest_base(ds->m, id);
    return *out ? IA_OK
                : ia_fail(cx, IA_ERR_CORRUPT, "version %llu of %s names unknown base path %u",
                          (unsigned long long)ds->m->version, ds->dir, id);
}

ia_status ia_dataset_tree(ia_ctx *cx, const ia_dataset *ds, bool has_base, uint32_t base_id,
                          char **dir)
{
    const ia_basepath *b;
    *dir = NULL;
    if (!has_base)
        return IA_SET(cx, *dir, ia_strdup(cx, ds->dir));
    IA_TRY(find_base(cx, ds, base_id, &b));
    return base_dir(cx, ds, b, dir);
}

ia_status ia_dataset_data_path(ia_ctx *cx, const ia_dataset *ds, const ia_datafile *f, char **path)
{
    const ia_basepath *b = NULL;
    char *tree = NULL;
    ia_status st;

    *path = NULL;
    if (f->has_base)
        IA_GO(find_base(cx, ds, f->base_id, &b));
    IA_GO(ia_dataset_tree(cx, ds, f->has_base, f->base_id, &tree));
    if (b && !b->is_dataset_root)
        IA_GO(ia_path_join(cx, path, tree, f->path, NULL));
    else
        IA_GO(ia_path_join(cx, path, tree, "data", f->path, NULL));
done:
    ia_free(tree);
    return st;
}

ia_status ia_dataset_deletion_path(ia_ctx *cx, const ia_dataset *ds, const ia_fragment *f,
                                   char **path)
{
    const ia_delfile *d = &f->deletion;
    char *tree = NULL, name[80];
    ia_status st;

    *path = NULL;
    if (!f->has_deletion)
        return ia_fail(cx, IA_ERR_INTERNAL, "fragment %llu has no deletion file",
                       (unsigned long long)f->id);
    IA_GO(ia_dataset_tree(cx, ds, d->has_base, d->base_id, &tree));
    snprintf(name, sizeof name, "%llu-%llu-%llu.%s", (unsigned long long)f->id,
             (unsigned long long)d->read_version, (unsigned long long)d->id,
             d->file_type == 1 ? "bin" : "arrow");
    IA_GO(ia_path_join(cx, path, tree, "_deletions", name, NULL));
done:
    ia_free(tree);
    return st;
}
