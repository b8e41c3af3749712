/* lance_refs.c - branch files, tag files and the version hint of a dataset. */
#include "base/json.h"
#include "table/table_priv.h"

#include <stdio.h>

/* Letters, digits, '.', '-' and '_' stand for themselves; all other bytes are percent-encoded. */
static ia_status ref_path(ia_ctx *cx, const char *root, const char *kind, const char *name,
                          char **out)
{
    static const char hex[] = "0123456789ABCDEF";
    ia_buf b = {0};
    char *file = NULL;
    ia_status st;

    *out = NULL;
    for (const unsigned char *p = (const unsigned char *)name; *p; p++) {
        const bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                           (*p >= '0' && *p <= '9') || *p == '.' || *p == '-' || *p == '_';
        if (plain) {
            ia_buf_putc(cx, &b, (char)*p);
        } else {
            ia_buf_putc(cx, &b, '%');
            ia_buf_putc(cx, &b, hex[*p >> 4]);
            ia_buf_putc(cx, &b, hex[*p & 15]);
        }
    }
    ia_buf_puts(cx, &b, ".json");
    IA_GO(ia_buf_finish_str(cx, &b, &file));
    IA_GO(ia_path_join(cx, out, root, "_refs", kind, file, NULL));
done:
    ia_free(file);
    ia_buf_dispose(&b);
    return st;
}

/* ---- branches -------------------------------------------------------------------------------- */

/* 32 hex digits that depend on the branch name alone, so that putting the file again gives equal
 * bytes. */
static void identifier_of(const char *branch, char out[33])
{
    uint8_t sum[32];
    ia_sha256(branch, strlen(branch), sum);
    ia_hex(sum, 16, out);
}

/* Pairs [version, id] of the parent's file, then the parent's own when it has none recorded. */
static ia_status put_parent_mapping(ia_ctx *cx, ia_objstore *os, const char *root,
                                    const char *parent, ia_jsonw *w)
{
    ia_bytes raw = {0};
    ia_json *doc = NULL;
    const ia_json *mapping;
    char *path = NULL;
    ia_status st;

    IA_GO(ref_path(cx, root, "branches", parent, &path));
    IA_GO(ia_objstore_get(cx, os, path, &raw));
    IA_GO(ia_fail_prefix(cx, ia_json_parse(cx, (const char *)raw.data, raw.len, &doc),
                         "branch file %s", path));
    mapping = ia_json_get(ia_json_get(doc, "identifier"), "version_mapping");
    for (size_t i = 0; i < ia_json_len(mapping); i++) {
        const ia_json *pair = ia_json_at(mapping, i);
        const char *id = ia_json_str(ia_json_at(pair, 1), NULL);
        uint64_t version;
        if (!id || !ia_json_u64(ia_json_at(pair, 0), &version))
            IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "branch file %s: bad identifier", path));
        ia_jsonw_array(w);
        ia_jsonw_u64(w, version);
        ia_jsonw_str(w, id);
        ia_jsonw_end_array(w);
    }
    if (ia_json_len(mapping) == 0) {
        char id[33];
        uint64_t version = 0;
        (void)ia_json_u64(ia_json_get(doc, "parentVersion"), &version);
        identifier_of(parent, id);
        ia_jsonw_array(w);
        ia_jsonw_u64(w, version);
        ia_jsonw_str(w, id);
        ia_jsonw_end_array(w);
    }
done:
    ia_json_free(doc);
    ia_bytes_dispose(&raw);
    ia_free(path);
    return st;
}

typedef struct branch_facts {
    const char *branch, *parent;
    uint64_t parent_version, manifest_size;
    int64_t created_s;
} branch_facts;

static ia_status branch_json(ia_ctx *cx, ia_objstore *os, const char *root, const branch_facts *f,
                             ia_bytes *out)
{
    ia_jsonw w;
    char id[33];
    ia_status st = IA_OK;

    ia_jsonw_init(&w, cx, 2);
    ia_jsonw_object(&w);
    ia_jsonw_key(&w, "parentBranch");
    ia_jsonw_str(&w, f->parent);
    ia_jsonw_key(&w, "identifier");
    ia_jsonw_object(&w);
    ia_jsonw_key(&w, "version_mapping");
    ia_jsonw_array(&w);
    if (f->parent)
        IA_GO(put_parent_mapping(cx, os, root, f->parent, &w));
    identifier_of(f->branch, id);
    ia_jsonw_array(&w);
    ia_jsonw_u64(&w, f->parent_version);
    ia_jsonw_str(&w, id);
    ia_jsonw_end_array(&w);
    ia_jsonw_end_array(&w);
    ia_jsonw_end_object(&w);
    ia_jsonw_key(&w, "parentVersion");
    ia_jsonw_u64(&w, f->parent_version);
    ia_jsonw_key(&w, "createAt");
    ia_jsonw_i64(&w, f->created_s);
    ia_jsonw_key(&w, "manifestSize");
    ia_jsonw_u64(&w, f->manifest_size);
    ia_jsonw_key(&w, "metadata");
    ia_jsonw_object(&w);
    ia_jsonw_end_object(&w);
    ia_jsonw_end_object(&w);
    IA_GO(ia_jsonw_finish(&w, out));
done:
    ia_jsonw_dispose(&w);
    return st;
}

/* The file there must be ours: same id, same fork point (the time may differ). */
static ia_status same_branch(ia_ctx *cx, ia_objstore *os, const char *path, const branch_facts *f)
{
    ia_bytes raw = {0};
    ia_json *doc = NULL;
    const ia_json *mapping, *pair;
    const char *found;
    char id[33];
    uint64_t version = 0;
    ia_status st;

    IA_GO(ia_objstore_get(cx, os, path, &raw));
    IA_GO(ia_json_parse(cx, (const char *)raw.data, raw.len, &doc));
    mapping = ia_json_get(ia_json_get(doc, "identifier"), "version_mapping");
    pair = ia_json_at(mapping, ia_json_len(mapping) ? ia_json_len(mapping) - 1 : 0);
    found = ia_json_str(ia_json_at(pair, 1), NULL);
    identifier_of(f->branch, id);
    if (!found || strcmp(found, id) != 0 ||
        !ia_json_u64(ia_json_get(doc, "parentVersion"), &version) || version != f->parent_version)
        IA_GO(ia_fail(cx, IA_ERR_EXISTS, "branch file %s belongs to another branch", path));
    ia_ctx_clear(cx);
done:
    ia_json_free(doc);
    ia_bytes_dispose(&raw);
    return st;
}

ia_status ia_branchref_put(ia_ctx *cx, ia_objstore *os, const char *root, const char *branch,
                           const char *parent, uint64_t parent_version, uint64_t manifest_size,
                           int64_t created_s, uint32_t put_flags)
{
    const branch_facts f = {branch, parent, parent_version, manifest_size, created_s};
    ia_bytes text = {0};
    char *path = NULL;
    ia_status st;

    IA_GO(ref_path(cx, root, "branches", branch, &path));
    IA_GO(branch_json(cx, os, root, &f, &text));
    st = ia_objstore_put(cx, os, path, text.data, text.len,
                         (put_flags & IA_PUT_SYNC) | IA_PUT_IF_ABSENT);
    if (st == IA_ERR_EXISTS)
        st = same_branch(cx, os, path, &f);
done:
    ia_bytes_dispose(&text);
    ia_free(path);
    return st;
}

/* ---- tags ------------------------------------------------------------------------------------ */

static void format_time(int64_t us, char out[40])
{
    char ms[32];
    int64_t s = us / 1000000, rest = us % 1000000;
    if (rest < 0) {
        s--;
        rest += 1000000;
    }
    ia_datetime_format(s * 1000, ms);
    snprintf(out, 40, "%.19s.%06lld000Z", ms, (long long)rest);
}

/* createdAt of the tag that is there, else *out stays as it is. */
static ia_status keep_created(ia_ctx *cx, ia_objstore *os, const char *path, char out[40])
{
    ia_bytes raw = {0};
    ia_json *doc = NULL;
    const char *text;
    ia_status st = ia_objstore_get(cx, os, path, &raw);

    if (st == IA_ERR_NOT_FOUND) {
        ia_ctx_clear(cx);
        return IA_OK;
    }
    IA_GO(st);
    st = ia_json_parse(cx, (const char *)raw.data, raw.len, &doc);
    if (st != IA_OK) { /* a damaged tag file is replaced */
        ia_ctx_clear(cx);
        st = IA_OK;
    }
    text = ia_json_str(ia_json_get(doc, "createdAt"), NULL);
    if (text && strlen(text) < 40)
        memcpy(out, text, strlen(text) + 1);
done:
    ia_json_free(doc);
    ia_bytes_dispose(&raw);
    return st;
}

ia_status ia_tag_put(ia_ctx *cx, ia_objstore *os, const char *root, const char *tag,
                     const char *branch, uint64_t version, uint64_t manifest_size, int64_t now_us,
                     uint32_t put_flags)
{
    char *path = NULL, created[40], updated[40];
    ia_bytes text = {0};
    ia_jsonw w;
    ia_status st;

    ia_jsonw_init(&w, cx, 2);
    IA_GO(ref_path(cx, root, "tags", tag, &path));
    format_time(now_us, updated);
    memcpy(created, updated, sizeof created);
    IA_GO(keep_created(cx, os, path, created));
    ia_jsonw_object(&w);
    ia_jsonw_key(&w, "branch");
    ia_jsonw_str(&w, branch);
    ia_jsonw_key(&w, "version");
    ia_jsonw_u64(&w, version);
    ia_jsonw_key(&w, "createdAt");
    ia_jsonw_str(&w, created);
    ia_jsonw_key(&w, "updatedAt");
    ia_jsonw_str(&w, updated);
    ia_jsonw_key(&w, "manifestSize");
    ia_jsonw_u64(&w, manifest_size);
    ia_jsonw_key(&w, "metadata");
    ia_jsonw_object(&w);
    ia_jsonw_end_object(&w);
    ia_jsonw_end_object(&w);
    IA_GO(ia_jsonw_finish(&w, &text));
    IA_GO(ia_objstore_put(cx, os, path, text.data, text.len, put_flags & IA_PUT_SYNC));
done:
    ia_jsonw_dispose(&w);
    ia_bytes_dispose(&text);
    ia_free(path);
    return st;
}

ia_status ia_tag_get(ia_ctx *cx, ia_objstore *os, const char *root, const char *tag, char **branch,
                     uint64_t *version)
{
    ia_bytes raw = {0};
    ia_json *doc = NULL;
    const char *name;
    char *path = NULL;
    ia_status st;

    *branch = NULL;
    *version = 0;
    IA_GO(ref_path(cx, root, "tags", tag, &path));
    IA_GO(ia_objstore_get(cx, os, path, &raw));
    IA_GO(ia_fail_prefix(cx, ia_json_parse(cx, (const char *)raw.data, raw.len, &doc),
                         "tag file %s", path));
    if (!ia_json_u64(ia_json_get(doc, "version"), version))
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT, "tag file %s names no version", path));
    name = ia_json_str(ia_json_get(doc, "branch"), NULL);
    if (name)
        IA_GO(IA_SET(cx, *branch, ia_strdup(cx, name)));
done:
    ia_json_free(doc);
    ia_bytes_dispose(&raw);
    ia_free(path);
    return st;
}

/* ---- hint ------------------------------------------------------------------------------------ */

ia_status ia_hint_put(ia_ctx *cx, ia_objstore *os, const char *dir, uint64_t version)
{
    char *path = NULL, text[48];
    int n;
    ia_status st;
    IA_GO(ia_path_join(cx, &path, dir, "_versions", "latest_version_hint.json", NULL));
    n = snprintf(text, sizeof text, "{\"version\":%llu}", (unsigned long long)version);
    /* Removed first: file systems flush a file that replaces another (ext4), which costs more than
     * the whole commit. Without a hint readers list, so the moment between does no harm. */
    if (ia_objstore_remove(cx, os, path) != IA_OK)
        ia_ctx_clear(cx);
    st = ia_objstore_put(cx, os, path, text, (size_t)n, IA_PUT_IF_ABSENT);
    if (st == IA_ERR_EXISTS) { /* another writer was between */
        ia_ctx_clear(cx);
        st = ia_objstore_put(cx, os, path, text, (size_t)n, 0);
    }
done:
    ia_free(path);
    return st;
}
