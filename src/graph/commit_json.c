/* commit_json.c - commits as JSON, written in one form and read strictly. */
#include "graph/graph_priv.h"

static const char *const kinds[] = {"write", "genesis", "merge", "delete"};
#define N_KINDS (sizeof kinds / sizeof kinds[0])

/* ---- writing --------------------------------------------------------------------------------- */
static void put_str(ia_jsonw *w, const char *name, const char *s)
{
    ia_jsonw_key(w, name);
    ia_jsonw_str(w, s);
}

static void put_u64(ia_jsonw *w, const char *name, uint64_t v)
{
    ia_jsonw_key(w, name);
    ia_jsonw_u64(w, v);
}

static void put_entry(ia_jsonw *w, const ia_entry *e)
{
    ia_jsonw_object(w);
    put_u64(w, "type", e->type_id);
    put_u64(w, "incarnation", e->incarnation);
    put_str(w, "dir", e->dir);
    put_str(w, "lance_branch", e->lance_branch);
    put_str(w, "owner", e->owner);
    put_u64(w, "first_version", e->first_version);
    put_u64(w, "last_version", e->last_version);
    put_str(w, "transaction", e->txn_uuid);
    put_str(w, "staged", e->staged);
    put_u64(w, "rows", e->rows);
    ia_jsonw_key(w, "fork");
    if (e->fork.set) {
        ia_jsonw_object(w);
        put_str(w, "parent", e->fork.parent);
        put_u64(w, "manifest_size", e->fork.parent_size);
        ia_jsonw_key(w, "created_s");
        ia_jsonw_i64(w, e->fork.created_s);
        ia_jsonw_end_object(w);
    } else {
        ia_jsonw_null(w);
    }
    ia_jsonw_end_object(w);
}

static const struct {
    const char *name;
    size_t at;
} counters[] = {
    {"fragments_adopted", offsetof(ia_route, fragments_adopted)},
    {"files_linked", offsetof(ia_route, files_linked)},
    {"files_referenced", offsetof(ia_route, files_referenced)},
    {"files_copied", offsetof(ia_route, files_copied)},
    {"rows_inserted", offsetof(ia_route, rows_inserted)},
    {"rows_updated", offsetof(ia_route, rows_updated)},
    {"rows_deleted", offsetof(ia_route, rows_deleted)},
    {"rows_masked", offsetof(ia_route, rows_masked)},
    {"rows_copied", offsetof(ia_route, rows_copied)},
    {"rows_compared", offsetof(ia_route, rows_compared)},
};
#define N_COUNTERS (sizeof counters / sizeof counters[0])

static void put_route(ia_jsonw *w, const ia_route *r)
{
    ia_jsonw_object(w);
    put_u64(w, "type", r->type_id);
    put_str(w, "type_key", r->type_key);
    put_str(w, "route", r->route);
    put_str(w, "reason", r->reason);
    for (size_t i = 0; i < N_COUNTERS; i++) {
        uint64_t v;
        memcpy(&v, (const char *)r + counters[i].at, sizeof v);
        put_u64(w, counters[i].name, v);
    }
    ia_jsonw_end_object(w);
}

static void put_head(ia_jsonw *w, const ia_commit *c)
{
    put_u64(w, "format", IA_COMMIT_FORMAT);
    put_str(w, "id", c->ref.id);
    put_str(w, "incarnation", c->ref.incarnation);
    put_u64(w, "n", c->ref.n);
    put_str(w, "kind", kinds[c->kind]);
    put_str(w, "branch", c->branch);
    ia_jsonw_key(w, "parents");
    ia_jsonw_array(w);
    for (size_t i = 0; i < c->n_parents; i++) {
        ia_jsonw_object(w);
        put_str(w, "id", c->parents[i].id);
        put_str(w, "incarnation", c->parents[i].incarnation);
        put_u64(w, "n", c->parents[i].n);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
    put_str(w, "actor", c->actor);
    put_str(w, "message", c->message);
    ia_jsonw_key(w, "time_us");
    ia_jsonw_i64(w, c->time_us);
    put_str(w, "schema", c->schema_hash);
    put_u64(w, "evaluator", c->evaluator);
}

ia_status ia_commit_encode(ia_ctx *cx, const ia_commit *c, ia_bytes *out)
{
    ia_jsonw w;
    ia_status st;

    *out = (ia_bytes){0};
    ia_jsonw_init(&w, cx, 0);
    ia_jsonw_object(&w);
    put_head(&w, c);
    ia_jsonw_key(&w, "entries");
    ia_jsonw_array(&w);
    for (size_t i = 0; i < c->n_entries; i++)
        put_entry(&w, &c->entries[i]);
    ia_jsonw_end_array(&w);
    ia_jsonw_key(&w, "routes");
    ia_jsonw_array(&w);
    for (size_t i = 0; i < c->n_routes; i++)
        put_route(&w, &c->routes[i]);
    ia_jsonw_end_array(&w);
    ia_jsonw_end_object(&w);
    st = ia_jsonw_finish(&w, out);
    ia_jsonw_dispose(&w);
    return st;
}

/* ---- reading --------------------------------------------------------------------------------- */
static bool name_chars(const char *s, bool slash)
{
    for (; *s; s++) {
        const bool ok = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
                        (*s >= '0' && *s <= '9') || *s == '.' || *s == '_' || *s == '-' ||
                        (slash && *s == '/');
        if (!ok)
            return false;
    }
    return true;
}

bool ia_dataset_dir_ok(const char *dir)
{
    const size_t n = strlen(dir);
    return n > 6 && n <= 255 && name_chars(dir, false) && strcmp(dir + n - 6, ".lance") == 0 &&
           !strstr(dir, "..");
}

bool ia_lance_branch_ok(const char *name)
{
    const size_t n = strlen(name);
    return n > 0 && n <= 255 && name_chars(name, true) && !strstr(name, "..") &&
           !strstr(name, "//") && name[0] != '/' && name[n - 1] != '/';
}

static ia_status get_fork(ia_rec *outer, ia_fork *f)
{
    const ia_json *v;
    ia_rec r;

    IA_TRY(ia_rec_any(outer, "fork", &v));
    if (!v)
        return IA_OK;
    IA_TRY(ia_rec_begin(outer->cx, v, outer->path, &r));
    IA_TRY(ia_rec_dup(&r, "parent", true, &f->parent));
    IA_TRY(ia_rec_u64(&r, "manifest_size", &f->parent_size));
    IA_TRY(ia_rec_i64(&r, "created_s", &f->created_s));
    IA_TRY(ia_rec_end(&r));
    if (f->parent && !ia_lance_branch_ok(f->parent))
        return ia_fail(r.cx, IA_ERR_CORRUPT, "%s: \"%.100s\" cannot be a Lance branch", r.path,
                       f->parent);
    f->set = true;
    return IA_OK;
}

static ia_status check_entry(const ia_rec *r, const ia_entry *e)
{
    ia_uuid u;

    if (!ia_dataset_dir_ok(e->dir))
        return ia_fail(r->cx, IA_ERR_CORRUPT, "%s: \"%.100s\" cannot be a dataset directory",
                       r->path, e->dir);
    if (e->lance_branch && !ia_lance_branch_ok(e->lance_branch))
        return ia_fail(r->cx, IA_ERR_CORRUPT, "%s: \"%.100s\" cannot be a Lance branch", r->path,
                       e->lance_branch);
    if (e->staged && !ia_ulid_valid(e->staged))
        return ia_fail(r->cx, IA_ERR_CORRUPT, "%s: \"%.100s\" cannot be an attempt", r->path,
                       e->staged);
    if (!ia_uuid_parse(e->txn_uuid, &u))
        return ia_fail(r->cx, IA_ERR_CORRUPT, "%s: the transaction of %s is not a uuid", r->path,
                       e->dir);
    if (e->type_id == 0 || e->first_version == 0 || e->first_version > e->last_version)
        return ia_fail(r->cx, IA_ERR_CORRUPT, "%s: entry %s has type %llu, versions %llu to %llu",
                       r->path, e->dir, (unsigned long long)e->type_id,
                       (unsigned long long)e->first_version, (unsigned long long)e->last_version);
    if (e->last_version - e->first_version > 64)
        return ia_fail(r->cx, IA_ERR_CORRUPT, "%s: entry %s claims too many versions", r->path,
                       e->dir);
    return IA_OK;
}

static ia_status get_entry(ia_ctx *cx, const ia_json *v, const char *path, ia_entry *e)
{
    ia_rec r;
    const char *uuid;

    IA_TRY(ia_rec_begin(cx, v, path, &r));
    IA_TRY(ia_rec_u64(&r, "type", &e->type_id));
    IA_TRY(ia_rec_u64(&r, "incarnation", &e->incarnation));
    IA_TRY(ia_rec_dup(&r, "dir", false, &e->dir));
    IA_TRY(ia_rec_dup(&r, "lance_branch", true, &e->lance_branch));
    IA_TRY(ia_rec_ulid(&r, "owner", false, e->owner));
    IA_TRY(ia_rec_u64(&r, "first_version", &e->first_version));
    IA_TRY(ia_rec_u64(&r, "last_version", &e->last_version));
    IA_TRY(ia_rec_str(&r, "transaction", false, &uuid));
    if (strlen(uuid) == IA_UUID_LEN)
        memcpy(e->txn_uuid, uuid, IA_UUID_LEN + 1);
    IA_TRY(ia_rec_dup(&r, "staged", true, &e->staged));
    IA_TRY(ia_rec_u64(&r, "rows", &e->rows));
    IA_TRY(get_fork(&r, &e->fork));
    IA_TRY(ia_rec_end(&r));
    return check_entry(&r, e);
}

static ia_status get_entries(ia_rec *outer, ia_commit *c)
{
    const ia_json *a;
    size_t n;

    IA_TRY(ia_rec_array(outer, "entries", &a, &n));
    IA_TRY(IA_NEW_ARRAY(outer->cx, c->entries, n));
    for (size_t i = 0; i < n; i++) {
        c->n_entries = i + 1;
        IA_TRY(get_entry(outer->cx, ia_json_at(a, i), outer->path, &c->entries[i]));
        if (i > 0 && c->entries[i - 1].type_id >= c->entries[i].type_id)
            return ia_fail(outer->cx, IA_ERR_CORRUPT, "%s: entries are not in order of type id",
                           outer->path);
    }
    return IA_OK;
}

static ia_status get_route(ia_ctx *cx, const ia_json *v, const char *path, ia_route *route)
{
    ia_rec r;

    IA_TRY(ia_rec_begin(cx, v, path, &r));
    IA_TRY(ia_rec_u64(&r, "type", &route->type_id));
    IA_TRY(ia_rec_dup(&r, "type_key", true, &route->type_key));
    IA_TRY(ia_rec_dup(&r, "route", true, &route->route));
    IA_TRY(ia_rec_dup(&r, "reason", true, &route->reason));
    for (size_t i = 0; i < N_COUNTERS; i++) {
        uint64_t n;
        IA_TRY(ia_rec_u64(&r, counters[i].name, &n));
        memcpy((char *)route + counters[i].at, &n, sizeof n);
    }
    return ia_rec_end(&r);
}

static ia_status get_routes(ia_rec *outer, ia_commit *c)
{
    const ia_json *a;
    size_t n;

    IA_TRY(ia_rec_array(outer, "routes", &a, &n));
    IA_TRY(IA_NEW_ARRAY(outer->cx, c->routes, n));
    for (size_t i = 0; i < n; i++) {
        c->n_routes = i + 1;
        IA_TRY(get_route(outer->cx, ia_json_at(a, i), outer->path, &c->routes[i]));
    }
    return IA_OK;
}

static ia_status get_parents(ia_rec *outer, ia_commit *c)
{
    const ia_json *a;
    size_t n;

    IA_TRY(ia_rec_array(outer, "parents", &a, &n));
    if (n > 2)
        return ia_fail(outer->cx, IA_ERR_CORRUPT, "%s: a commit of %zu parents", outer->path, n);
    for (size_t i = 0; i < n; i++) {
        ia_rec r;
        IA_TRY(ia_rec_begin(outer->cx, ia_json_at(a, i), outer->path, &r));
        IA_TRY(ia_rec_ulid(&r, "id", false, c->parents[i].id));
        IA_TRY(ia_rec_ulid(&r, "incarnation", false, c->parents[i].incarnation));
        IA_TRY(ia_rec_u64(&r, "n", &c->parents[i].n));
        IA_TRY(ia_rec_end(&r));
    }
    c->n_parents = n;
    return IA_OK;
}

static ia_status get_kind(ia_rec *r, ia_commit_kind *out)
{
    const char *s;

    IA_TRY(ia_rec_str(r, "kind", false, &s));
    for (size_t i = 0; i < N_KINDS; i++)
        if (strcmp(s, kinds[i]) == 0) {
            *out = (ia_commit_kind)i;
            return IA_OK;
        }
    return ia_fail(r->cx, IA_ERR_UNSUPPORTED,
                   "%s: commit kind \"%.40s\" is not known to this version", r->path, s);
}

static ia_status get_format(ia_rec *r)
{
    uint64_t format;

    IA_TRY(ia_rec_u64(r, "format", &format));
    if (format != IA_COMMIT_FORMAT)
        return ia_fail(r->cx, IA_ERR_UNSUPPORTED, "%s: commit format %llu, this version reads %u",
                       r->path, (unsigned long long)format, IA_COMMIT_FORMAT);
    return IA_OK;
}

static ia_status get_commit(ia_rec *r, ia_commit *c)
{
    const char *hash;
    uint64_t evaluator;

    IA_TRY(get_format(r));
    IA_TRY(ia_rec_ulid(r, "id", false, c->ref.id));
    IA_TRY(ia_rec_ulid(r, "incarnation", false, c->ref.incarnation));
    IA_TRY(ia_rec_u64(r, "n", &c->ref.n));
    IA_TRY(get_kind(r, &c->kind));
    IA_TRY(ia_rec_dup(r, "branch", false, &c->branch));
    IA_TRY(get_parents(r, c));
    IA_TRY(ia_rec_dup(r, "actor", false, &c->actor));
    IA_TRY(ia_rec_dup(r, "message", true, &c->message));
    IA_TRY(ia_rec_i64(r, "time_us", &c->time_us));
    IA_TRY(ia_rec_str(r, "schema", false, &hash));
    if (strlen(hash) != 64 || strspn(hash, "0123456789abcdef") != 64)
        return ia_fail(r->cx, IA_ERR_CORRUPT, "%s: the schema hash is not 64 hex digits", r->path);
    memcpy(c->schema_hash, hash, 65);
    IA_TRY(ia_rec_u64(r, "evaluator", &evaluator));
    if (evaluator > UINT32_MAX)
        return ia_fail(r->cx, IA_ERR_CORRUPT, "%s: evaluator version out of range", r->path);
    c->evaluator = (uint32_t)evaluator;
    IA_TRY(get_entries(r, c));
    IA_TRY(get_routes(r, c));
    return ia_rec_end(r);
}

ia_status ia_commit_decode(ia_ctx *cx, const char *text, size_t len, const char *path,
                           ia_commit **out)
{
    ia_json *root = NULL;
    ia_commit *c = NULL;
    ia_rec r;
    ia_status st;

    *out = NULL;
    st = ia_json_parse(cx, text, len, &root);
    if (st == IA_ERR_INVALID)
        st = ia_fail_prefix(cx, IA_ERR_CORRUPT, "%s", path);
    IA_GO(st);
    IA_GO(IA_NEW(cx, c));
    IA_GO(ia_rec_begin(cx, root, path, &r));
    IA_GO(get_commit(&r, c));
    *out = c;
    c = NULL;
done:
    ia_commit_free(c);
    ia_json_free(root);
    return st;
}
